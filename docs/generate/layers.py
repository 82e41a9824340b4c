"""`python -m docs.generate.layers` draws the layers of hostwrap in docs/design.md, from the imports of its modules."""

from __future__ import annotations

from docs.generate import DOCS, with_part
from tests.repo.test_repo import LAYERS, MODULES, layer_of, modules_imported

PAGE = DOCS / "design.md"
BEGIN, END = "<!-- layers: written by docs.generate.layers -->\n", "<!-- end of layers -->\n"
WIDTH = 46  # of a box


def arrows() -> list[set[int]]:
    """For each layer the numbers of those that it imports from."""
    found: list[set[int]] = [set() for _ in LAYERS]
    for name, path in MODULES.items():
        if name != "hostwrap":
            row = layer_of(name)
            found[row] |= {layer_of(other) for other in modules_imported(path)} - {row}
    return found


def picture() -> str:
    """A box for each layer, what is on top first, and the numbers of the layers that it uses."""
    rule = "+" + "-" * (WIDTH + 2) + "+"
    lines = [rule]
    for number, used in reversed(list(enumerate(arrows()))):
        names = _wrapped(LAYERS[number].split())
        uses = " ".join(map(str, sorted(used, reverse=True)))
        for k, text in enumerate(names):
            label, arrow = (f"{number}", f"  -> {uses}" if used else "") if k == 0 else (" ", "")
            lines.append(f"| {text:{WIDTH}} | {label}{arrow}".rstrip())
        lines.append(rule)
    return "```text\n" + "\n".join(lines) + "\n```\n"


def _wrapped(names: list[str]) -> list[str]:
    lines = [""]
    for name in names:
        if len(lines[-1]) + len(name) + 2 > WIDTH:
            lines.append("")
        lines[-1] += ("  " if lines[-1] else "") + name
    return lines


def page(text: str) -> str:
    """The page with the picture as it is today."""
    return with_part(text, BEGIN, picture(), END)


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")

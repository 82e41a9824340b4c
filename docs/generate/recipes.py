"""`python -m docs.generate.recipes` counts the lines of the recipes in docs/recipes.md, into the table on that page."""

from __future__ import annotations

import re

from docs.generate import DOCS

PAGE = DOCS / "recipes.md"
TABLE = re.compile(r"(?<=<!-- lines -->\n).*?(?=<!-- /lines -->)", re.DOTALL)
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BY_HAND = re.compile(r"^def (\w+)_by_hand\(|^(\w+)_by_hand = ", re.MULTILINE)
HEAD = """| recipe | with hostwrap | hand-written |
|---|---|---|
"""


def main() -> None:
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


def with_table(text: str) -> str:
    rows = [f"| {title} | {ours} | {by_hand} |\n" for title, _, ours, by_hand in counted(text)]
    return TABLE.sub(lambda _: HEAD + "".join(rows), text)


def counted(text: str) -> list[tuple[str, str, int, int]]:
    """(title, name, lines of ours, lines by hand) of each section: two blocks, which define name and name_by_hand.

    Each by hand needs a callback, and so the lines of `call`, which stand on the page once.
    """
    opening, *sections = re.split(r"^## ", text, flags=re.MULTILINE)
    callback = sum(map(lines, re.findall(r"^def call\(.*?(?=^```)", opening, re.MULTILINE | re.DOTALL)))
    rows = []
    for section in sections:
        blocks = BLOCK.findall(section)
        by_hand = next(block for block in blocks if BY_HAND.search(block))
        name = next(filter(None, BY_HAND.findall(by_hand)[0]))
        ours = next(b for b in blocks if re.search(rf"^(def {name}\(|{name} = )", b, re.MULTILINE))
        rows.append((section.partition("\n")[0], name, lines(ours), lines(by_hand) + callback))
    return rows


def lines(block: str) -> int:
    """Neither blank nor a comment."""
    return sum(bool(line.strip()) and not line.strip().startswith("#") for line in block.splitlines())


if __name__ == "__main__":
    main()

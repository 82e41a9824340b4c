"""`python -m docs.generate.site.write` writes docs/_generated/: pages made from the entries and docstrings."""

from __future__ import annotations

from docs.generate import DOCS
from docs.generate.site import api, benchmark, families, scatter, table
from docs.generate.site.drawings import draw
from docs.generate.site.groups import families as groups
from docs.generate.site.pages import OUTSIDE, inside

GENERATED = DOCS / "_generated"
INDEX = """# Special functions by family

A page for each family: what its derivatives are, where they come from, on which points they are tested, and how
accurate they are. [The table of all functions](functions.md) finds a name.

```{{toctree}}
:maxdepth: 1

{}
```
"""


def main() -> None:
    pictures, errors = (GENERATED / "families" / folder for folder in ("pictures", "errors"))
    for folder in (pictures, errors):
        folder.mkdir(parents=True, exist_ok=True)
    for name, members in groups().items():
        _write(f"families/{name}.md", families.page(name))
        if any(f.public for f in members):
            draw(members, pictures, name)
        for function in members:
            if scatter.has(function.name):
                scatter.draw(function.name, errors)
    places = [f"{families.title(name)} <families/{name}>" for name in groups()]
    _write("families.md", INDEX.format("\n".join(places)))
    benchmark.draw(GENERATED / "jitted")
    _write("functions.md", table.page())
    _write("api.md", api.page())
    for name in OUTSIDE:
        _write(f"{name.lower()}.md", inside((DOCS.parent / f"{name}.md").read_text(encoding="utf-8")))


def _write(name: str, text: str) -> None:
    """Only what has changed, so that Sphinx reads nothing twice."""
    path = GENERATED / name
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

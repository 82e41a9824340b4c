"""`python -m docs.generate.notebook_files FOLDER` writes docs/notebooks as .ipynb files, without results."""

from __future__ import annotations

import pathlib
import re
import sys

from docs.generate import DOCS

FOLDER = DOCS / "notebooks"
# Between the fences: the options of the cell, in YAML between dashes, and its code.
CELL = re.compile(r"^```\{code-cell\} ipython3\n(?:---\n(.*?)^---\n)?(.*?)^```$", re.MULTILINE | re.DOTALL)


def main(folder: str) -> None:
    import jupytext  # of the extra `docs`

    out = pathlib.Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    for page in pages():
        notebook = jupytext.read(page)
        for number, cell in enumerate(notebook.cells):
            cell["id"] = f"cell-{number}"  # and not a random one: the same file each time
        jupytext.write(notebook, out / f"{page.stem}.ipynb")


def pages() -> list[pathlib.Path]:
    return sorted(page for page in FOLDER.glob("*.md") if page.name != "index.md")


def cells(page: pathlib.Path) -> list[tuple[str, str]]:
    """Options and code of each code cell."""
    return CELL.findall(page.read_text(encoding="utf-8"))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])

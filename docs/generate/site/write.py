"""`python -m docs.generate.site.write` writes docs/_generated/: pages made from the entries and docstrings."""

from __future__ import annotations

import jax

from docs.generate import DOCS, notebook_files
from docs.generate.site import api, benchmark, domains, families, functions, plots, scatter, table
from docs.generate.site.groups import members
from docs.generate.site.pages import OUTSIDE, inside
from tests.reference.composed import measured

GENERATED = DOCS / "_generated"


def main() -> None:
    jax.config.update("jax_enable_x64", True)  # of the examples
    special = GENERATED / "special"
    pictures = [special / kind for kind in ("plots", "errors", "domains")]
    for folder in (*pictures, GENERATED / "families", GENERATED / "api"):
        folder.mkdir(parents=True, exist_ok=True)
    for family, names in members().items():
        if names:
            _write(f"families/{family}.md", families.page(family))
        for name in names:
            if name in measured():
                plots.draw(measured()[name], special / "plots")
            if scatter.has(name):
                scatter.draw(name, special / "errors")
            if domains.has(name):
                domains.draw(name, special / "domains")
            _write(f"special/{name}.md", functions.page(name, family))
    _write("families/kernels.md", families.kernels())
    _write("families.md", families.index())
    benchmark.draw(GENERATED / "jitted")
    _write("functions.md", table.page())
    _write("api.md", api.index())
    for module, text in api.pages().items():
        _write(f"api/{module}.md", text)
    notebook_files.main(str(GENERATED / "notebooks"))
    for name in OUTSIDE:
        _write(f"{name.lower()}.md", inside((DOCS.parent / f"{name}.md").read_text(encoding="utf-8")))


def _write(name: str, text: str) -> None:
    """Only what has changed, so that Sphinx reads nothing twice."""
    path = GENERATED / name
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

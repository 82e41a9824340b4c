"""`python -m docs.generate.site.write 2` writes docs/_generated/, from entries and docstrings, in two processes."""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import sys

import jax

from docs.generate import DOCS, notebook_files
from docs.generate.site import api, benchmark, domains, families, functions, plots, scatter, table
from docs.generate.site.groups import members
from docs.generate.site.pages import OUTSIDE, inside
from tests.reference.composed import measured

GENERATED = DOCS / "_generated"


SPECIAL = GENERATED / "special"
PICTURES = [SPECIAL / kind for kind in ("plots", "errors", "domains")]


def main(processes: int) -> None:
    for folder in (*PICTURES, GENERATED / "families", GENERATED / "api"):
        folder.mkdir(parents=True, exist_ok=True)
    special = [(name, family) for family, names in members().items() for name in names]
    with concurrent.futures.ProcessPoolExecutor(
        processes, multiprocessing.get_context("spawn"), _double_precision
    ) as pool:
        longest_first = [pool.submit(_others), *(pool.submit(_function, *one) for one in special)]
        for one in longest_first:
            one.result()


def _double_precision() -> None:
    jax.config.update("jax_enable_x64", True)  # of the examples


def _function(name: str, family: str) -> None:
    """The pictures and the page of one special function."""
    if name in measured():
        plots.draw(measured()[name], SPECIAL / "plots")
    if scatter.has(name):
        scatter.draw(name, SPECIAL / "errors")
    if domains.has(name):
        domains.draw(name, SPECIAL / "domains")
    _write(f"special/{name}.md", functions.page(name, family))


def _others() -> None:
    for family, names in members().items():
        if names:
            _write(f"families/{family}.md", families.page(family))
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
    main(int(sys.argv[1]) if sys.argv[1:] else 1)

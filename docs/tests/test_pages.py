"""The Python blocks of README and docs run, top to bottom, as a reader would paste them."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHOWN = re.compile(r"^ *print\(.*\)  # (.+)$", re.MULTILINE)
QUOTED = re.compile(r"^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)

DOCS = [*(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "notebooks").glob("*.md")]
PAGES = [page for page in [ROOT / "README.md", ROOT / "SECURITY.md", *sorted(DOCS)] if page.exists()]
WITH_CODE = [page for page in PAGES if BLOCK.search(page.read_text(encoding="utf-8"))]


OF_THE_NATIVE_LANE = ("decorator.md", "sharding.md")  # they export programs, and print shardings


def param(page):
    marks = [pytest.mark.native] if page.name in OF_THE_NATIVE_LANE else []
    return pytest.param(page, id=page.name, marks=marks)


@pytest.mark.parametrize("page", [param(page) for page in WITH_CODE])
@pytest.mark.rotating
def test_the_code_of_a_page_runs_and_prints_what_the_page_says(page, fresh_python):
    """`print(...)  # text` promises the line `text`; a ```text block promises its lines."""
    text = page.read_text(encoding="utf-8")
    output = fresh_python("\n".join(BLOCK.findall(text)), timeout=300)
    lines = iter(output.splitlines())
    for promised in SHOWN.findall(text):
        assert promised in lines, f"{promised!r} is not printed, or not at its turn:\n{output}"
    for block in QUOTED.findall(text):
        assert block in output, f"not printed:\n{block}\n---- but\n{output}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page):
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\((?!https?://|#)([^)#]+)", text):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"

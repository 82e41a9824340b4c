"""The notebooks run in a fresh interpreter, without a warning or a NaN, and what they claim holds.

One of them each day, by turns, of those whose libraries are here; all of them with the exhaustive tests.
"""

import ast
import importlib.util
import re
import shutil

import pytest

from docs.generate import notebook_files
from tests._kit.days import today

# What a reader would see as a warning is an error here; deprecations inside of libraries are not shown to readers.
BEFORE = """
import warnings
warnings.simplefilter("error")
warnings.filterwarnings("ignore", category=DeprecationWarning, module=r"(?!__main__)")
"""
AFTER = """
for number in plt.get_fignums():
    for axes in plt.figure(number).axes:
        for line in axes.get_lines():
            assert np.isfinite(np.asarray(line.get_xydata(), dtype=float)).all(), f"picture {number}: {line}"
        for picture in axes.images:
            assert np.isfinite(np.ma.filled(picture.get_array(), np.nan)).all(), f"picture {number}: {picture}"
print("pictures:", len(plt.get_fignums()))
"""


def code(page):
    return "\n".join(source for _, source in notebook_files.cells(page))


def missing(page):
    """Libraries, or the compiler, that it uses and that are not here."""
    names = set()
    for node in ast.walk(ast.parse(code(page))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module)
    absent = {name for name in (n.partition(".")[0] for n in names) if not importlib.util.find_spec(name)}
    if '["cc", ' in code(page) and not shutil.which("cc"):
        absent.add("a C compiler")
    return sorted(absent)


PAGES = notebook_files.pages()
READY = [page for page in PAGES if not missing(page)] or PAGES
TODAY = READY[today().toordinal() % len(READY)]
BY_TURNS = [pytest.param(page, marks=() if page == TODAY else pytest.mark.exhaustive) for page in PAGES]
EVERY = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)


@pytest.mark.subprocess
@pytest.mark.parametrize("page", BY_TURNS, ids=lambda page: page.stem)
@pytest.mark.rotating
def test_a_notebook_runs_and_its_claims_hold(page, fresh_python, tmp_path):
    if missing(page):
        pytest.skip(f"{page.stem} needs {', '.join(missing(page))}")
    file = tmp_path / f"{page.stem}.py"  # so that a traceback shows the line
    file.write_text(BEFORE + code(page) + AFTER, encoding="utf-8")
    run = f"import runpy; runpy.run_path({str(file)!r}, run_name='__main__')"
    output = fresh_python(run, timeout=900, MPLBACKEND="agg")
    assert not re.search(r"\bnan\b", output, re.IGNORECASE), output
    drawn = sum("alt:" in options for options, _ in notebook_files.cells(page))
    assert output.endswith(f"pictures: {drawn}\n")


@EVERY
def test_a_notebook_is_complete(page):
    """A kernel, a title, code in every cell, words for every picture, and claims at the end."""
    text = page.read_text(encoding="utf-8")
    assert re.match(r"---\njupytext:\n.*?\nkernelspec:\n.*?\n  name: python3\n---\n\n# \S", text, re.DOTALL)
    found = notebook_files.cells(page)
    assert len(found) == text.count("```{code-cell}") > 5
    for options, source in found:
        ast.parse(source)
        draws = "plt.figure(" in source or "plt.subplots(" in source
        assert draws == ("alt:" in options), f"a picture has an alt text, and nothing else:\n{source[:200]}"
    assert text.count("\n## Checks\n") == 1
    assert found[-1][1].count("assert ") >= 4


def test_the_index_lists_every_notebook():
    index = (notebook_files.FOLDER / "index.md").read_text(encoding="utf-8")
    toctree = re.search(r"^```\{toctree\}\n:hidden:\n\n(.*?)^```$", index, re.MULTILINE | re.DOTALL)[
        1
    ].split()
    assert sorted(toctree) == [page.stem for page in PAGES]
    for name in toctree:
        assert f"]({name}.md)" in index


def test_notebooks_as_files(tmp_path):
    """The cells that Jupyter will see are those that are tested here, and the files are the same each time."""
    pytest.importorskip("jupytext")
    import nbformat

    for folder in ("one", "two"):
        notebook_files.main(str(tmp_path / folder))
    for page in PAGES:
        file = tmp_path / "one" / f"{page.stem}.ipynb"
        assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes()
        notebook = nbformat.read(file, as_version=4)
        nbformat.validate(notebook)
        assert notebook.metadata.kernelspec.name == "python3"
        sources = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
        assert sources == [source.rstrip("\n") for _, source in notebook_files.cells(page)]

"""docs/add.md, executed: what it tells is done in a copy of the repository, and the tests of the new function pass."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest
import scipy

from docs.generate import add
from hostwrap.special import _families
from tests.reference import accuracy, ledger
from tests.reference.entries import catalogue

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "add.md").read_text(encoding="utf-8")
COPIED = (
    "hostwrap",
    "tests",
    "docs",
    "bench",
    "conftest.py",
    "Makefile",
    "pyproject.toml",
    "README.md",
    "CITATION.cff",
)
FAMILY = pathlib.Path("hostwrap", "special", "integrals", "entries_sinc.py")
TESTS = ("tests/special/test_accuracy.py", "tests/special/test_catalogue.py", "docs/tests")
HERE = ("VENV=venv", f"PY={sys.executable}")  # nothing is installed anew
# those of the function, and those that compare what is generated with all entries
CHOSEN = "langevin or is_current or knows_nothing_else or has_its_points"


def consoles(page):
    """(command, lines of its output) of each ```console block."""
    blocks = re.findall(r"^```console\n\$ ([^\n]*)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    return [(command, output.splitlines()) for command, output in blocks]


def entries(page):
    """The text of the entries on the page, by their names."""
    found = re.findall(r"^((\w+) = (?:special|kernel)\(\n.*?^\)\n)", page, re.MULTILINE | re.DOTALL)
    return {name: text for text, name in found}


def promised(line, output):
    """Whether a line of the page, in which `...` stands for anything, is a line of the output."""
    pattern = ".*".join(map(re.escape, line.split("...")))
    return re.search(f"^{pattern}$", output, re.MULTILINE)


def write(root, *texts, public):
    """Entries put into the file of the family, as the page says it."""
    text = (ROOT / FAMILY).read_text(encoding="utf-8")
    imports = "import scipy.special\n\nfrom hostwrap.special._entry import kernel\n"
    imports += "from hostwrap.special._math import sinh, where\n"
    text = text.replace("from hostwrap.special._entry", f"{imports}from hostwrap.special._entry", 1)
    text = text.replace('__all__ = ["diric"', f'__all__ = ["diric", "{public}"', 1)
    (root / FAMILY).write_text("\n".join([text, *texts]), encoding="utf-8")


@pytest.fixture
def copy(tmp_path):
    """A copy of the repository, and `run(*words)`: the output of a command there, and whether it succeeded."""
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(
                ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "_generated")
            )
        else:
            shutil.copy(ROOT / name, tmp_path / name)
    for made in ("created", "installed-test"):
        (tmp_path / "venv").mkdir(exist_ok=True)
        (tmp_path / "venv" / made).touch()

    def run(*words):
        done = subprocess.run(
            words,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(tmp_path)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=600,
        )
        return done.stdout, done.returncode == 0

    return tmp_path, run


@pytest.mark.rotating
@pytest.mark.skipif(not shutil.which("make"), reason="there is no make")
@pytest.mark.skipif(
    not scipy.__version__.startswith(ledger.SCIPY), reason="what is committed was made with another SciPy"
)
def test_a_function_is_added_as_the_page_says(copy):
    root, run = copy
    texts = entries(PAGE)
    (first, refused), (second, added) = consoles(PAGE)

    write(root, texts["textbook"], public="textbook")
    output, succeeded = run(*first.split(), *HERE)
    assert not succeeded and all(promised(line, output) for line in refused), output

    write(root, texts["langevin_next"], texts["langevin"], public="langevin")
    output, succeeded = run(*second.split(), *HERE)
    assert succeeded and all(promised(line, output) for line in added), output
    wrote = {line for line in output.splitlines() if line.startswith("wrote ")}
    assert wrote == {line for line in added if line.startswith("wrote ")}

    output, succeeded = run(sys.executable, "-m", "pytest", "-q", "-n0", "-k", CHOSEN, *TESTS)
    assert succeeded and int(re.search(r"(\d+) passed", output)[1]) > 12, output


def test_a_name_without_an_entry_is_refused():
    with pytest.raises(SystemExit, match=r"There is no entry called nosuch\."):
        add.chosen(["jv", "nosuch"])


def test_an_entry_that_nobody_can_import_is_refused(monkeypatch):
    monkeypatch.delitem(_families.homes(), "kv")
    monkeypatch.delattr("hostwrap.special.kv", raising=False)
    with pytest.raises(
        SystemExit, match=r"kv is not in hostwrap.special: add it to the `__all__` of .*/bessel/entries\.py"
    ):
        add.chosen(["kv"])


def test_a_single_bad_point_of_a_new_derivative_is_shown(monkeypatch):
    """However many others are right: a share of them hides nothing from whoever adds a function."""
    function = catalogue()["ellipk"]
    measured = dict(accuracy.measure(function, most=1))
    assert add.missed(function, measured) == []
    key = ("ellipk", "m", "float64")
    measured[key].within[3] = False
    assert add.missed(function, measured) == []  # committed: the ratchet has it
    monkeypatch.setattr(ledger, "read", dict)
    (line,) = add.missed(function, measured)
    assert line.startswith(f"ellipk m float64 at {ledger.place(measured[key].points[3])}: relative error ")

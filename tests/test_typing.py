"""What an editor and a type checker know: users' code is right for them, users' mistakes are not, hover tells all."""

import ast
import inspect
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

import hostwrap as hw
from docs import stubs
from hostwrap import special
from hostwrap._call.options import Options
from hostwrap.special._entry import CATALOGUE

TESTS = pathlib.Path(__file__).parent
FILES = [TESTS / "typing_sample.py", TESTS / "typing_mistakes.py"]
MAKEFILE = (TESTS.parent / "Makefile").read_text(encoding="utf-8")
STRICT = re.search(r"^STRICT := (.*)$", MAKEFILE, re.MULTILINE)[1].split()  # `make lint` asks mypy too


def checked(*command):
    done = subprocess.run([*command, *FILES], cwd=TESTS.parent, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.exhaustive
@pytest.mark.subprocess
def test_mypy_knows_right_from_wrong():
    checked(sys.executable, "-m", "mypy", *STRICT)


@pytest.mark.exhaustive
@pytest.mark.subprocess
def test_pyright_knows_right_from_wrong():
    pyright = shutil.which("pyright", path=pathlib.Path(sys.executable).parent) or shutil.which("pyright")
    if not pyright:
        pytest.skip("pyright is not installed: pip install 'hostwrap[lint]'")
    checked(pyright, "--pythonpath", sys.executable)


@pytest.mark.exhaustive
@pytest.mark.subprocess
def test_the_sample_runs(fresh_python):
    fresh_python(FILES[0].read_text(encoding="utf-8"))


def test_the_options_for_type_checkers_are_those_of_wrapped():
    parameters = list(inspect.signature(hw.Wrapped.__init__).parameters)
    assert list(Options.__annotations__) == [p for p in parameters if p not in ("self", "function")]


@pytest.mark.parametrize("name", [n for n in hw.__all__ if inspect.isfunction(getattr(hw, n))])
def test_public_functions_are_annotated(name):
    signature = inspect.signature(getattr(hw, name))
    for p in signature.parameters.values():
        assert p.annotation is not p.empty, f"{name}: `{p.name}`"
    assert signature.return_annotation is not signature.empty


def test_the_stub_shows_formula_domain_and_source_of_every_function():
    """Editors take what they show from the stub: the functions are made at run time, and have no source."""
    tree = ast.parse(stubs.STUB.read_text(encoding="utf-8"))
    shown = {n.name: ast.get_docstring(n) or "" for n in tree.body if isinstance(n, ast.FunctionDef)}
    for name, text in shown.items():
        if name == "__getattr__":
            continue
        entry = CATALOGUE.get(name)
        assert text, name
        if entry is not None and getattr(special, name) is entry:
            for argument in entry.args:
                assert f"\n    {argument}: " in text, f"{name}: nothing about `{argument}`"
            assert entry.see in text and "tested in [" in text
            assert all(f"d/d{a}: " in text for a in entry.rules if stubs.has_formula(entry, a)), name

"""What an editor and a type checker know: users' code is right for them, users' mistakes are not."""

import dataclasses
import inspect
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

import hostwrap as hw
from hostwrap._call.options import Options, OptionsDict

HERE = pathlib.Path(__file__).parent
FILES = [HERE / "typing_sample.py", HERE / "typing_mistakes.py"]
ROOT = HERE.parents[1]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
STRICT = re.search(r"^STRICT := (.*)$", MAKEFILE, re.MULTILINE)[1].split()  # `make lint` asks mypy too


def checked(*command):
    done = subprocess.run([*command, *FILES], cwd=ROOT, capture_output=True, text=True, timeout=300)
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
        pytest.skip("pyright is not installed: pip install pyright")
    checked(pyright, "--pythonpath", sys.executable)


@pytest.mark.exhaustive
@pytest.mark.subprocess
def test_the_sample_runs(fresh_python):
    fresh_python(FILES[0].read_text(encoding="utf-8"))


def test_the_options_for_type_checkers_are_all_there_are_and_shown():
    assert set(OptionsDict.__annotations__) == {field.name for field in dataclasses.fields(Options)}
    for decorator in (hw.wrap, hw.linear):
        assert set(OptionsDict.__annotations__) <= set(inspect.signature(decorator).parameters)


@pytest.mark.parametrize("name", [n for n in hw.__all__ if inspect.isfunction(getattr(hw, n))])
def test_public_functions_are_annotated(name):
    signature = inspect.signature(getattr(hw, name))
    for p in signature.parameters.values():
        assert p.annotation is not p.empty, f"{name}: `{p.name}`"
    assert signature.return_annotation is not signature.empty


def test_a_checker_knows_each_distribution_and_no_other_name():
    text = pathlib.Path(hw.stats.__file__).read_text(encoding="utf-8")
    named = re.findall(
        r"^    (\w+): (?:Distribution|Joint)$|^    from \S+ import \w+ as (\w+)$", text, re.MULTILINE
    )
    assert {a or b for a, b in named} - {"Distribution"} == set(dir(hw.stats))

"""What is installed: the sdist and the wheel hold what they must and nothing else; `make package` uses them."""

import importlib.util
import pathlib
import re
import subprocess
import sys
import tomllib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[1]
SCRIPT = ROOT / ".ci" / "package.py"
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
WHEEL = "hostwrap-0.1.0-py3-none-linux_x86_64.whl"


@pytest.fixture(scope="module")
def package():
    spec = importlib.util.spec_from_file_location("package", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def in_wheel(package):
    licence = "hostwrap-0.1.0.dist-info/licenses/LICENSE"
    return {*package.IN_BOTH, *package._modules(), package.LIBRARY, licence} - {"LICENSE"}


def test_a_complete_wheel_has_no_problems(package, in_wheel):
    assert package.problems_of_wheel(WHEEL, in_wheel) == []


@pytest.mark.parametrize(
    ("without", "extra", "says"),
    [
        ("hostwrap/_native/libhostwrap.so", None, "libhostwrap.so is missing"),
        ("hostwrap/py.typed", None, "py.typed is missing"),
        ("hostwrap/special/__init__.pyi", None, "__init__.pyi is missing"),
        ("hostwrap/special/kernels/zeta/riemann.py", None, "riemann.py is missing"),
        ("hostwrap-0.1.0.dist-info/licenses/LICENSE", None, "LICENSE is missing"),
        (None, "tests/test_wrap.py", "tests/test_wrap.py should not be there"),
        (None, "hostwrap/_native/src/host.c", "host.c should not be there"),
        (None, "hostwrap/__pycache__/_wrap.cpython-311.pyc", "should not be there"),
    ],
)
def test_what_a_wheel_lacks_or_has_too_much_is_named(package, in_wheel, without, extra, says):
    names = (in_wheel - {without}) | ({extra} if extra else set())
    (problem,) = package.problems_of_wheel(WHEEL, names)
    assert says in problem


@pytest.mark.parametrize(
    "name", ["hostwrap-0.1.0-py3-none-any.whl", "hostwrap-0.1.0-cp311-cp311-linux_x86_64.whl"]
)
def test_a_wheel_is_one_for_all_pythons_of_a_platform(package, in_wheel, name):
    assert "py3-none-<platform>" in package.problems_of_wheel(name, in_wheel)[0]


def test_an_sdist_without_the_c_code_is_no_sdist(package):
    names = {*package.IN_BOTH, *package.IN_SDIST, *package._modules()}
    problems = package.problems_of_sdist(names)
    assert problems and all(re.search(r"_native/src/.*\.[ch] is missing", problem) for problem in problems)


def test_the_extras_that_the_pages_name_are_there():
    extras = set(SETTINGS["project"]["optional-dependencies"])
    assert {"test", "docs", "bench", "plot", "package", "lint"} <= extras
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "hostwrap").rglob("*.py")]
    named = set(re.findall(r"hostwrap\[([\w,]+)\]", "\n".join(p.read_text(encoding="utf-8") for p in pages)))
    assert {extra for group in named for extra in group.split(",")} <= extras


def test_the_classifiers_name_the_pythons_that_are_allowed():
    oldest = int(SETTINGS["project"]["requires-python"].removeprefix(">=3."))
    named = [c.rpartition("3.")[2] for c in SETTINGS["project"]["classifiers"] if "Python :: 3." in c]
    assert named == [str(n) for n in range(oldest, oldest + len(named))]
    assert "Typing :: Typed" in SETTINGS["project"]["classifiers"]


@pytest.mark.exhaustive
@pytest.mark.subprocess
def test_the_package_is_built_installed_and_works_with_and_without_a_compiler():
    pytest.importorskip("build")
    pytest.importorskip("twine")
    done = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True, timeout=1200)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]

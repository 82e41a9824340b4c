"""Build the sdist and the wheel, look into them, and use them with the source away.

    python .ci/package.py [--tests [ARGUMENTS OF PYTEST]]

The wheel is built from the sdist, so what the sdist forgets is missed. Then, in a new virtual environment: the wheel
is installed, checks itself (`python -m hostwrap`) and shows its types to mypy; with --tests the test-suite runs
against it, in a folder that has the tests and no package; and the sdist is installed without a compiler, which must
work, and say so.
"""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
LIBRARY = "hostwrap/_native/libhostwrap.so"
IN_BOTH = ("hostwrap/py.typed", "hostwrap/special/__init__.pyi", "hostwrap/__main__.py", "LICENSE")
IN_SDIST = ("pyproject.toml", "setup.py", "README.md", "CHANGELOG.md", "CITATION.cff")
FOREIGN = re.compile(r"(?:^|/)(?:tests|docs|bench|\.ci|\.github|__pycache__)/|\.pyc$")
BESIDE = ("tests", "docs", "bench", "conftest.py", "pyproject.toml", "Makefile", "CITATION.cff")
BESIDE += ("README.md", "SECURITY.md", "CHANGELOG.md", "CONTRIBUTING.md")
OF_THE_SOURCE = ("test_repo.py", "test_package.py", "test_contributing.py")
TYPED = ("typing_sample.py", "typing_mistakes.py")


def main(arguments: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        sdist, wheel = _built(scratch / "dist")
        _run(sys.executable, "-m", "twine", "check", "--strict", sdist, wheel)
        found = problems_of_sdist(_names(sdist)) + problems_of_wheel(wheel.name, _names(wheel))
        if found:
            sys.exit("\n".join(found))
        shutil.copytree(scratch / "dist", ROOT / "dist", dirs_exist_ok=True)
        python = _environment(scratch / "venv", wheel, "--group", f"{ROOT / 'pyproject.toml'}:test")
        _run(python, "-m", "hostwrap", cwd=scratch)
        _types(python, scratch)
        if arguments:
            _tests(python, scratch / "away", arguments[1:])
        _without_a_compiler(python, sdist, scratch)
        print(f"\n{sdist.name}: {_kilobytes(sdist)}\n{wheel.name}: {_kilobytes(wheel)}, in {ROOT / 'dist'}")


# ---- what is in them


def problems_of_sdist(names: set[str]) -> list[str]:
    """What an sdist lacks to build the wheel from it, and what has no business in it."""
    sources = {p.relative_to(ROOT).as_posix() for p in (ROOT / "hostwrap").rglob("*.[ch]")}
    needed = {*IN_BOTH, *IN_SDIST, *sources, *_modules()}
    return _problems("sdist", names, needed, lambda name: FOREIGN.search(name) or name.endswith(".so"))


def problems_of_wheel(file: str, names: set[str]) -> list[str]:
    """The same of a wheel: Python files, types and the library; one wheel of a platform for every Python."""
    licence = {name.rpartition("/")[2] for name in names if ".dist-info/licenses/" in name}
    found = _problems(
        "wheel",
        names | licence,
        {*IN_BOTH, *_modules(), LIBRARY},
        lambda name: FOREIGN.search(name) or name.endswith((".c", ".h")),
    )
    if not re.fullmatch(r"hostwrap-[\w.]+-py3-none-(?!any)\w+\.whl", file):
        found.append(f"wheel: {file} should have the tag py3-none-<platform>")
    return found


def _problems(kind: str, names: set[str], needed: set[str], foreign) -> list[str]:
    missing = [f"{kind}: {name} is missing" for name in sorted(needed - names)]
    return missing + [f"{kind}: {name} should not be there" for name in sorted(filter(foreign, names))]


def _modules() -> set[str]:
    return {p.relative_to(ROOT).as_posix() for p in (ROOT / "hostwrap").rglob("*.py")}


def _names(archive: pathlib.Path) -> set[str]:
    """The files in it, without the folder that an sdist puts around them."""
    if archive.suffix == ".whl":
        return set(zipfile.ZipFile(archive).namelist())
    with tarfile.open(archive) as tar:
        return {m.name.partition("/")[2] for m in tar.getmembers() if m.isfile()}


def _kilobytes(file: pathlib.Path) -> str:
    return f"{file.stat().st_size / 1000:.0f} kB"


# ---- building and using them


def _built(folder: pathlib.Path) -> tuple[pathlib.Path, pathlib.Path]:
    _run(sys.executable, "-m", "build", "--outdir", folder, ROOT)
    (sdist,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    return sdist, wheel


def _environment(folder: pathlib.Path, *requirements) -> pathlib.Path:
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    _run(python, "-m", "pip", "install", "--quiet", "--upgrade", "pip>=25.1")  # the first with --group
    _run(python, "-m", "pip", "install", "--quiet", *requirements)
    return python


def _types(python: pathlib.Path, scratch: pathlib.Path) -> None:
    """`py.typed` and the stub are found: without them every mistake of the sample would pass."""
    for name in TYPED:
        shutil.copy(ROOT / "tests" / "repo" / name, scratch / name)
    settings = ("--config-file", ROOT / "pyproject.toml", "--strict", "--allow-untyped-calls")
    _run(python, "-m", "mypy", *settings, *TYPED, cwd=scratch)


def _tests(python: pathlib.Path, away: pathlib.Path, arguments: list[str]) -> None:
    """All tests but those of the source tree itself, in a folder from which the package cannot be imported."""
    away.mkdir()
    for name in BESIDE:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, away / name)
    where = "import hostwrap, sys; sys.exit(not hostwrap.__file__.startswith(sys.prefix))"
    _run(python, "-c", where, cwd=away)
    ignored = [f"--ignore=tests/repo/{name}" for name in OF_THE_SOURCE]
    _run(python, "-m", "pytest", "-q", *ignored, *arguments, cwd=away)


def _without_a_compiler(python: pathlib.Path, sdist: pathlib.Path, scratch: pathlib.Path) -> None:
    """pip succeeds, `hostwrap.lanes()` says why a lane is missing, and everything else works."""
    install = ["install", "--quiet", "--no-deps", "--no-cache-dir", "--force-reinstall", sdist]
    _run(python, "-m", "pip", *install, cwd=scratch, CC="false")
    reason = "import hostwrap; assert 'C compiler' in hostwrap.lanes()['native'], hostwrap.lanes()"
    _run(python, "-c", reason, cwd=scratch)
    _run(python, "-m", "hostwrap", cwd=scratch)


def _run(*command, cwd: pathlib.Path = ROOT, **environment: str) -> None:
    print("+", *command, flush=True)
    clean = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "HOSTWRAP_LANE")}
    subprocess.run(list(map(str, command)), cwd=cwd, env={**clean, **environment}, check=True)


if __name__ == "__main__":
    main(sys.argv[1:])

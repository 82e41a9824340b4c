"""Compiles the native library when hostwrap is built; without a compiler it is left out. All else: pyproject.toml.

It also writes the README as a package index shows it, where a relative link leads nowhere.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

PACKAGE = pathlib.Path("hostwrap", "_native")
LIBRARY = "libhostwrap.so"
FLAGS = [
    "-O2",
    "-std=c11",
    "-D_GNU_SOURCE",
    "-fPIC",
    "-fno-strict-aliasing",
    "-shared",
    "-fvisibility=hidden",
    "-pthread",
]


def compile_library(folder: pathlib.Path) -> bool:
    """True if the library is there. HOSTWRAP_PURE=1 leaves it out on purpose, and so does Windows."""
    (folder / LIBRARY).unlink(missing_ok=True)  # that of an earlier build, which this one may not replace
    if os.environ.get("HOSTWRAP_PURE", "") not in ("", "0") or sys.platform == "win32":
        return False
    source = pathlib.Path(__file__).parent / PACKAGE / "src"
    undefined = ["-undefined", "dynamic_lookup"] if sys.platform == "darwin" else []
    command = [*os.environ.get("CC", "cc").split(), *FLAGS, *undefined, f"-I{source}"]
    command += ["-o", str(folder / LIBRARY), *map(str, sorted(source.glob("*.c"))), "-lm"]
    try:
        subprocess.run(command, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"hostwrap: without the native library, which is optional: {error}")
        return False
    return True


class Build(build_py):
    """Python files, and the library beside them: in the source folder for an editable install."""

    def run(self) -> None:
        editable = getattr(self, "editable_mode", False)
        folder = pathlib.Path(__file__).parent if editable else pathlib.Path(self.build_lib)
        if not editable:  # setuptools builds on top of what an earlier build left, and packs all of it
            shutil.rmtree(folder / "hostwrap", ignore_errors=True)
        super().run()
        (folder / PACKAGE).mkdir(parents=True, exist_ok=True)
        self.distribution.has_native_library = compile_library(folder / PACKAGE)


class Wheel(bdist_wheel):
    """The library needs no Python to be built, so one wheel of a platform serves every Python."""

    def get_tag(self) -> tuple[str, str, str]:
        if getattr(self.distribution, "has_native_library", False):
            return "py3", "none", sysconfig.get_platform().replace("-", "_").replace(".", "_")
        found = sorted(pathlib.Path(self.bdist_dir).rglob("*.so"))
        if found:
            raise RuntimeError(f"hostwrap: a wheel for any platform must not have {found[0]} in it.")
        return "py3", "none", "any"


def readme(text: str, project: dict, version: str) -> str:
    """The README with whole addresses, in the repository of pyproject.toml; without one the links stay as they are."""
    address = project.get("urls", {}).get("Repository")
    return re.sub(r"\]\((?!https?:|#)", f"]({address}/raw/v{version}/", text) if address else text


def whole_readme() -> str:
    """For the package that is built now."""
    text, settings, version = (
        (pathlib.Path(__file__).parent / name).read_text(encoding="utf-8")
        for name in ("README.md", "pyproject.toml", "hostwrap/_version.py")
    )
    return readme(text, tomllib.loads(settings)["project"], re.search(r'"([\d.]+\w*)"', version)[1])


setup(
    cmdclass={"build_py": Build, "bdist_wheel": Wheel},
    long_description=whole_readme(),
    long_description_content_type="text/markdown",
)

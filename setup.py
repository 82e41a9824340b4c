"""Compiles the native library when hostwrap is built; without a compiler it is left out. All else: pyproject.toml."""

import os
import pathlib
import subprocess
import sysconfig

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
    """True if the library is there. HOSTWRAP_PURE=1 leaves it out on purpose."""
    if os.environ.get("HOSTWRAP_PURE", "") not in ("", "0"):
        return False
    source = pathlib.Path(__file__).parent / PACKAGE / "src"
    undefined = ["-undefined", "dynamic_lookup"] if os.uname().sysname == "Darwin" else []
    command = [*os.environ.get("CC", "cc").split(), *FLAGS, *undefined, f"-I{source}"]
    command += ["-o", str(folder / LIBRARY), *map(str, sorted(source.glob("*.c")))]
    try:
        subprocess.run(command, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"hostwrap: without the native library, which is optional: {error}")
        return False
    return True


class Build(build_py):
    """Python files, and the library beside them: in the source folder for an editable install."""

    def run(self) -> None:
        super().run()
        editable = getattr(self, "editable_mode", False)
        folder = pathlib.Path(__file__).parent if editable else pathlib.Path(self.build_lib)
        (folder / PACKAGE).mkdir(parents=True, exist_ok=True)
        self.distribution.has_native_library = compile_library(folder / PACKAGE)


class Wheel(bdist_wheel):
    """The library needs no Python to be built, so one wheel of a platform serves every Python."""

    def get_tag(self) -> tuple[str, str, str]:
        if not getattr(self.distribution, "has_native_library", False):
            return "py3", "none", "any"
        return "py3", "none", sysconfig.get_platform().replace("-", "_").replace(".", "_")


setup(cmdclass={"build_py": Build, "bdist_wheel": Wheel})

"""What is installed: the sdist and the wheel hold what they must and nothing else; `make package` uses them."""

import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
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
        ("hostwrap/special/zeta_functions/riemann.py", None, "riemann.py is missing"),
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


# ---- building


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """`built(NAME="value")`: the tag of the wheel made of one and the same copy of the source, and its files."""
    source = tmp_path_factory.mktemp("source")
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE", "MANIFEST.in"):
        shutil.copy(ROOT / name, source / name)
    shutil.copytree(
        ROOT / "hostwrap", source / "hostwrap", ignore=shutil.ignore_patterns("*.so", "__pycache__")
    )

    def build(**environment):
        folder = tmp_path_factory.mktemp("wheel")
        command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-build-isolation", "--no-deps", "."]
        ours = {k: v for k, v in os.environ.items() if k not in ("CC", "HOSTWRAP_PURE")}
        subprocess.run(
            [*command, "-w", folder], cwd=source, env={**ours, **environment}, check=True, timeout=300
        )
        (wheel,) = folder.glob("*.whl")
        return wheel.stem.partition("-py3-none-")[2], set(zipfile.ZipFile(wheel).namelist())

    return source, build


WITHOUT_A_LIBRARY = ({"HOSTWRAP_PURE": "1"}, {"CC": "/nonexistent/cc"})


@pytest.mark.skipif(sys.platform == "win32" or not shutil.which("cc"), reason="there is no C compiler")
@pytest.mark.rotating
def test_a_build_holds_nothing_of_the_one_before(built, package):
    source, build = built
    forgotten = source / "hostwrap" / "forgotten.py"
    forgotten.touch()
    tag, native = build()
    before = shutil.copytree(source / "build", source / "before")
    forgotten.unlink()
    assert tag != "any" and {package.LIBRARY, "hostwrap/forgotten.py"} <= native
    for environment in WITHOUT_A_LIBRARY:
        shutil.copytree(before, source / "build", dirs_exist_ok=True)
        tag, pure = build(**environment)
        assert tag == "any" and native - pure == {package.LIBRARY, "hostwrap/forgotten.py"}


@pytest.mark.parametrize("environment", WITHOUT_A_LIBRARY, ids=str)
@pytest.mark.rotating
def test_an_editable_install_holds_nothing_of_the_one_before(built, environment, tmp_path):
    source, _ = built
    library = source / "hostwrap" / "_native" / "libhostwrap.so"
    library.write_bytes(b"of an earlier build")
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "-q",
        "--no-build-isolation",
        "--no-deps",
        "--target",
        tmp_path,
    ]
    subprocess.run(
        [*command, "-e", "."], cwd=source, env={**os.environ, **environment}, check=True, timeout=300
    )
    assert not library.exists()


def test_a_wheel_for_any_platform_with_a_library_in_it_is_refused(built):
    """As `--skip-build` would make it of what was built before."""
    source, _ = built
    library = source / "build" / "lib" / "hostwrap" / "_native" / "libhostwrap.so"
    library.parent.mkdir(parents=True, exist_ok=True)
    library.touch()
    command = [sys.executable, "setup.py", "-q", "bdist_wheel", "--skip-build"]
    done = subprocess.run(command, cwd=source, capture_output=True, text=True, timeout=300)
    library.unlink()
    assert done.returncode and "a wheel for any platform must not have" in done.stderr, done.stderr


def test_setup_asks_for_nothing_that_windows_does_not_have(built, tmp_path):
    """No uname; and no library, also where there is a compiler, whose threads and exports are other ones."""
    simulation = (
        "import os, runpy, sys, setuptools.command.bdist_wheel; del os.uname; sys.platform = 'win32'; "
    )
    simulation += "sys.argv[0] = 'setup.py'; runpy.run_path('setup.py', run_name='__main__')"
    command = [sys.executable, "-c", simulation, "-q", "build_py", "--build-lib", tmp_path]
    subprocess.run(command, cwd=built[0], check=True, timeout=300)
    assert (tmp_path / "hostwrap" / "_native" / "library.py").exists() and not list(tmp_path.rglob("*.so"))


@pytest.mark.rotating
def test_the_package_needs_no_module_or_function_of_posix(fresh_python):
    """Windows, as far as another system can show it: hostwrap itself asks for nothing that is not there."""
    output = fresh_python(
        """
        import os, signal, sys
        import jax, jax.export, numpy as np, scipy.linalg, scipy.special, scipy.stats
        from jax import numpy as jnp
        jax.config.update("jax_enable_x64", True)
        jax.jit(lambda x: x + 1)(1.0)
        sys.modules.update(dict.fromkeys(("fcntl", "grp", "posix", "pwd", "resource", "termios")))
        for name in ("fork", "getuid", "register_at_fork", "sched_getaffinity", "sysconf", "uname", "WNOHANG"):
            delattr(os, name)
        for name in [name for name in dir(signal) if name.startswith("SIG")]:
            if name not in ("SIGABRT", "SIGFPE", "SIGILL", "SIGINT", "SIGSEGV", "SIGTERM", "SIG_DFL", "SIG_IGN"):
                delattr(signal, name)
        sys.platform = "win32"
        import hostwrap as hw
        import hostwrap.special, hostwrap.testing, hostwrap.compat, hostwrap.__main__
        import hostwrap.linalg, hostwrap.optimize, hostwrap.integrate, hostwrap.interpolate, hostwrap.stats
        hw._lanes._reasons["native"] = "there is no library"
        root = hw.wrap(lambda x: np.sqrt(x))
        root.defpartials(x=lambda y, x: 0.5 / y)
        many = jnp.linspace(1.0, 4.0, 100_000)
        assert np.allclose(jax.jit(jax.vmap(jax.grad(root)))(many), 0.5 / np.sqrt(many))
        for lane in [name for name, said in hw.lanes().items() if said == "available"]:
            with hw.lane(lane):
                print(lane, float(jax.jit(jax.grad(hw.special.kv, 0))(1.7, 0.8)))
        hostwrap.__main__._here()
    """.replace("\n        ", "\n").strip()
    )
    derivatives = [float(line.split()[1]) for line in output.splitlines()]
    assert len(derivatives) >= 2 and all(abs(d - 2.310714297333) < 1e-11 for d in derivatives)


# ---- what is said


TEXTS = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "hostwrap").rglob("*.py")]
INSTALLATION = (ROOT / "docs" / "installation.md").read_text(encoding="utf-8")


def test_what_pages_and_errors_say_to_install_can_be_installed():
    """There is no `hostwrap` on a package index: an extra is that of a clone, and other packages are in an extra."""
    extras, groups = SETTINGS["project"]["optional-dependencies"], SETTINGS["dependency-groups"]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    used = re.findall(r"/installed-(\w+)", makefile)
    assert len(set(used)) >= 6 and set(used) <= set(groups)
    text = "\n".join(p.read_text(encoding="utf-8") for p in TEXTS if p.name != "CHANGELOG.md")
    assert "hostwrap[" not in text
    assert set(re.findall(r"pip install '\.\[(\w+)\]'", text)) <= set(extras)
    assert set(re.findall(r"pip install [^`]*--group (\w+)", text)) <= set(groups)
    packages = {re.split(r"\W", package)[0] for extra in extras.values() for package in extra}
    named = re.findall(r"pip install\s+([a-z][\w ]+?)(?:[`.\"]|$)", text, re.MULTILINE)
    assert named and {package for line in named for package in line.split()} <= packages


def test_every_environment_variable_is_on_one_page():
    """What the code reads and what the page explains are the same; README and the first page of the site lead there."""
    folders = [ROOT / name for name in ("hostwrap", "tests", "bench", "docs", ".ci")]
    code = [p for folder in folders for p in folder.rglob("*") if p.suffix in (".py", "") and p.is_file()]
    code += [ROOT / "setup.py", ROOT / "Makefile"]
    used = {
        name for p in code for name in re.findall(r"\bHOSTWRAP_[A-Z_]*[A-Z]\b", p.read_text(encoding="utf-8"))
    }
    assert used == set(re.findall(r"^\| `(HOSTWRAP_\w+)` \|", INSTALLATION, re.MULTILINE))
    assert "installation.md" in (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    assert "docs/installation.md" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_classifiers_name_the_pythons_that_are_allowed():
    oldest = int(SETTINGS["project"]["requires-python"].removeprefix(">=3."))
    named = [c.rpartition("3.")[2] for c in SETTINGS["project"]["classifiers"] if "Python :: 3." in c]
    assert named == [str(n) for n in range(oldest, oldest + len(named))]
    assert all(f"python3.{n}" in (ROOT / ".ci" / "python").read_text(encoding="utf-8") for n in named)
    assert "Typing :: Typed" in SETTINGS["project"]["classifiers"]


@pytest.mark.exhaustive
@pytest.mark.subprocess
def test_the_package_is_built_installed_and_works_with_and_without_a_compiler():
    pytest.importorskip("build")
    pytest.importorskip("twine")
    done = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True, timeout=1200)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]


# ---- a release


@pytest.fixture(scope="module")
def release():
    spec = importlib.util.spec_from_file_location("release", ROOT / ".ci" / "release.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


READY = {
    "pyproject.toml": """[project]
authors = [{ name = "A", email = "a@b.org" }]
[project.urls]
Repository = "https://example.org/hostwrap"
""",
    "hostwrap/_version.py": '__version__ = "1.0.0"',
    "CITATION.cff": 'repository-code: "https://example.org/hostwrap"\ndate-released: 2030-01-01\n',
    "CHANGELOG.md": "# Changelog\n\n## [Unreleased]\n\n## [1.0.0] - 2030-01-01\n\n### Added\n\n- all\n",
    "README.md": "[design](docs/design.md)",
}


@pytest.mark.parametrize(
    ("file", "old", "new", "says"),
    [
        ("pyproject.toml", "Repository", "Issues", "[project.urls] has no Repository"),
        ("pyproject.toml", ', email = "a@b.org"', "", "no author has an e-mail address"),
        ("hostwrap/_version.py", "1.0.0", "1.0", "1.0 is no version of three numbers"),
        ("CITATION.cff", "example.org", "example.com", "repository-code is not https://example.org/hostwrap"),
        ("CITATION.cff", "date-released", "date", "no date-released"),
        ("CHANGELOG.md", "2030-01-01", "unreleased", "has no date, but 'unreleased'"),
        ("CHANGELOG.md", "## [1.0.0]", "## [0.9.0]", "no section [1.0.0]"),
        ("CHANGELOG.md", "## [Unreleased]\n", "## [Unreleased]\n\n- more\n", "changes under [Unreleased]"),
    ],
)
def test_what_a_release_lacks_is_named(release, file, old, new, says):
    assert release.missing(READY.__getitem__) == []
    changed = {**READY, file: READY[file].replace(old, new)}
    assert any(says in line for line in release.missing(changed.__getitem__))


def test_changes_that_are_in_no_section_are_named(release):
    assert any(
        "1 changes are not in" in line for line in release.missing(READY.__getitem__, ["+new.added.md"])
    )


def test_a_change_has_a_name_that_the_changelog_takes():
    types = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["towncrier"]["type"]
    kinds = "|".join(kind["directory"] for kind in types)
    for path in (ROOT / "changes").iterdir():
        assert path.name == "README.md" or re.fullmatch(rf"\+[\w-]+\.({kinds})\.md", path.name)
    assert "<!-- towncrier release notes start -->\n" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_a_package_index_gets_whole_links():
    """`setup.py` makes them with the one address of pyproject.toml, and leaves others alone."""
    code = (ROOT / "setup.py").read_text(encoding="utf-8").replace("\nsetup(", "\ndict(")
    namespace = {"__file__": str(ROOT / "setup.py")}
    exec(compile(code, "setup.py", "exec"), namespace)
    text = "[a](docs/a.md) ![b](docs/b.png) [c](https://c.org) [d](#d)"
    address = "https://example.org/h"
    assert namespace["readme"](text, {"urls": {"Repository": address}}, "1.0.0") == (
        f"[a]({address}/raw/v1.0.0/docs/a.md) ![b]({address}/raw/v1.0.0/docs/b.png) [c](https://c.org) [d](#d)"
    )
    assert namespace["readme"](text, {}, "1.0.0") == text
    assert namespace["whole_readme"]().startswith("# hostwrap")

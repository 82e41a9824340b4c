"""The rules of the house that a machine can read: layers, sizes, names, versions."""

import ast
import datetime
import pathlib
import re
import tomllib

import pytest

import hostwrap
from tests.conftest import EXHAUSTIVE, TURN, has_its_day

ROOT = pathlib.Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "hostwrap"

# A module imports only from the rows above its own. A package stands for all that is in it and has no row of its
# own; the families of `special` and their kernels may use one another.
LAYERS = (
    "_errors _version _host.threads",
    "_host.content _host.layout _host.fenv _host.numpy_ops _host.origins _host.progress",
    "_lanes _effects.tap _numerical.differences",
    "_call.signature _call.dtypes _call.options _host.pool _numerical.method _host.resources",
    "_host.parts _host.results _host.step _host.recording",
    "_host.function _lanes.compiler _call.ufunc _effects.flavours",
    "_native _lanes.custom_call",
    "_lanes.primitive _call.arguments _numerical.host",
    "_lanes.runner _lanes.export",
    "_lanes.callback _lanes.native _lanes.public",
    "_lanes.lowering _elementwise.program _elementwise.partials _effects.rule _rules.form",
    "_elementwise.beside _effects.device _effects.primitive _rules.multilinear",
    "_rules.tangents _rules.leaves",
    "_elementwise.table _rules.base _call.declaration _rules.equation",
    "_call.spec _rules.hostside _rules.root",
    "_rules.blocks _rules.forms",
    "_rules",
    "_elementwise.wrapped _rules.define",
    "_rules.define_host",
    "_wrap",
    "compat _linear _numerical.estimate _call.found",
    "_recipes.cores _recipes.scalars",
    "_recipes.eig _recipes.expm _recipes.triangles",
    "linalg sparse.linalg _recipes.distribution _recipes.flow",
    "integrate interpolate ndimage optimize sparse _recipes.distribution_kinds",
    "testing._html testing._reference",
    "testing._report",
    "testing._probe testing._ulp",
    "testing._checks testing._plot",
    "testing",
    "special.kernels",
    "special._math",
    "special._source special._notation special._rest",
    "special._doc",
    "special._function",
    "special._entry",
    "special.definitions",
    "special",
    "stats _selfcheck",
    "__main__",
)
NO_JAX = (
    "_errors",
    "_call.signature",
    "_host",
    "_effects.tap",
    "_numerical.differences",
    "_numerical.method",
)
NO_JAX += ("_numerical.host", "special.kernels")
COMPILER = (PACKAGE / "_lanes" / "compiler.py", PACKAGE / "_lanes" / "custom_call.py")
MAX_LINES = 200


def _sources(*folders: str) -> list[pathlib.Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def _name(path: pathlib.Path) -> str:
    """`hostwrap.special.kernels.bessel` of its file; a package by its own name."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {_name(path): path for path in _sources("hostwrap")}


def _imports(path: pathlib.Path) -> set[str]:
    """Every module that a file imports, at its top or inside a function, as an absolute name."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(path, node)
            found.update(f"{base}.{alias.name}" for alias in node.names)
    return found


def _absolute(path: pathlib.Path, node: ast.ImportFrom) -> str:
    parents = path.relative_to(ROOT).parts[: -node.level] if node.level else ()
    return ".".join([*parents, *filter(None, [node.module])])


def _internal(path: pathlib.Path) -> set[str]:
    """Modules of hostwrap that a file imports: `hostwrap._host.Layout` is the module `hostwrap._host`."""
    names = (name for name in _imports(path) if name.split(".")[0] == "hostwrap")
    return {name if name in MODULES else name.rpartition(".")[0] for name in names}


def _layer(module: str) -> tuple[int, str]:
    """Number and entry of the row that a module stands in: its own, or that of the package it is in."""
    rows = {entry: number for number, row in enumerate(LAYERS) for entry in row.split()}
    name = module.removeprefix("hostwrap").removeprefix(".")
    while name and name not in rows:
        name = name.rpartition(".")[0]
    assert name, f"{module} is in no row of LAYERS: say there what it may import"
    return rows[name], name


def _relative(path: pathlib.Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", MODULES.values(), ids=_relative)
def test_a_module_imports_only_from_the_layers_above(path):
    if path == PACKAGE / "__init__.py" or not _imports(path):
        return
    row, entry = _layer(_name(path))
    for imported in _internal(path):
        assert imported != "hostwrap", f"{_relative(path)} imports the public package: name the module"
        other_row, other_entry = _layer(imported)
        beside = other_entry == entry and entry.startswith(("special", "_native"))
        assert other_row < row or beside, f"{_relative(path)} imports {imported}, which is not above it"


@pytest.mark.parametrize("path", MODULES.values(), ids=_relative)
def test_numerical_code_knows_no_jax(path):
    entry = "" if path == PACKAGE / "__init__.py" or not _imports(path) else _layer(_name(path))[1]
    if any(f"{entry}.".startswith(f"{name}.") for name in NO_JAX):
        assert not [name for name in _imports(path) if name.split(".")[0] in ("jax", "jaxlib")]


def test_private_jax_is_not_used_and_semi_private_jax_in_one_file_only():
    for path in _sources("hostwrap", "tests", "docs", "bench"):
        names = _imports(path)
        assert not [name for name in names if name.startswith("jax._src")], _relative(path)
        semi = [name for name in names if name.startswith(("jax.interpreters", "jax.extend"))]
        assert path in COMPILER or not semi, f"{_relative(path)} imports {semi}: only {COMPILER} may"


@pytest.mark.parametrize("path", MODULES.values(), ids=_relative)
def test_files_are_short(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    if not any("generated" in line.lower() for line in lines[:3]):
        assert len(lines) <= MAX_LINES


def test_private_names_of_scipy_are_not_used():
    for path in _sources("hostwrap", "bench", "docs"):
        private = [name for name in _imports(path) if re.match(r"(scipy|numpy)\..*\b_(?!_)", name)]
        assert not private, f"{_relative(path)} imports {private}"


# Of no use to a reader: paths of the machine that a file was written on, hosts that packages come from, who
# wrote it when.
LOCAL = re.compile(
    r"(?<![\w.])/(?:work|home|root|Users|tmp|opt)/|pypi\.(?:org|io)|pythonhosted|anaconda\.org"
)
WORDS = re.compile(r"\b(?:handbook|helper [A-H]|(?:this|a|each) session)\b", re.IGNORECASE)
OWN = ("test_repo.py", ".git")  # the list itself; a work tree's pointer to its repository
TEXT = (
    "",
    ".py",
    ".md",
    ".toml",
    ".cff",
    ".yaml",
    ".yml",
    ".in",
    ".csv",
    ".json",
    ".txt",
    ".pyi",
    ".c",
    ".h",
)


def _published() -> list[pathlib.Path]:
    found = [*ROOT.iterdir()]
    for folder in ("hostwrap", "tests", "docs", "bench", ".ci", ".github"):
        found += (ROOT / folder).rglob("*")
    return [path for path in found if path.is_file() and path.suffix in TEXT and path.name not in OWN]


@pytest.mark.parametrize("path", _published(), ids=_relative)
def test_no_file_speaks_of_the_place_where_it_was_written(path):
    text = path.read_text(encoding="utf-8")
    assert not LOCAL.findall(text) + WORDS.findall(text)


def test_versions_agree():
    about: dict[str, str] = {}
    exec((PACKAGE / "_version.py").read_text(encoding="utf-8"), about)
    version = about["__version__"]
    assert hostwrap.__version__ == version
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f", version {version}." in (ROOT / "README.md").read_text(encoding="utf-8")
    releases = re.findall(r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert version == next(release for release in releases if release != "Unreleased")
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert settings["tool"]["setuptools"]["dynamic"]["version"]["attr"] == "hostwrap._version.__version__"


def test_dependencies_have_a_floor_and_no_cap():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert [re.split(r"\W", d)[0] for d in settings["dependencies"]] == ["jax", "numpy", "scipy"]
    extras = [d for group in settings["optional-dependencies"].values() for d in group]
    for dependency in [*settings["dependencies"], *extras]:
        assert re.fullmatch(r"[\w-]+>=[\d.]+", dependency)
    assert re.fullmatch(r">=[\d.]+", settings["requires-python"])


@pytest.mark.skipif(EXHAUSTIVE, reason="all tests run each day")
def test_a_rotating_test_runs_every_third_day():
    days = [datetime.date(2026, 12, 30) + datetime.timedelta(n) for n in range(TURN)]
    tests = [f"test_accuracy[{n}]" for n in range(100)]
    assert all(sum(has_its_day(test, day) for day in days) == 1 for test in tests)
    assert all(20 < sum(has_its_day(test, day) for test in tests) < 50 for day in days)

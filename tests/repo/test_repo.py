"""The rules of the house that a machine can read: layers, sizes, names, versions."""

import ast
import datetime
import functools
import graphlib
import pathlib
import re
import tomllib
import types

import pytest

import hostwrap
from tests._kit.days import EXHAUSTIVE, LONG_TURN, TURN, asked_for, has_its_day

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "hostwrap"

# The layers, from below; `lint-imports` (`make lint`) sees that a module imports from its own and from those below.
LINTER = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
LAYERS = tuple(row.replace(" : ", " ") for row in reversed(LINTER["contracts"][0]["layers"]))
COMPILER = (PACKAGE / "_lanes" / "compiler.py",)
MAX_LINES = 400


def _sources(*folders: str) -> list[pathlib.Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def _name(path: pathlib.Path) -> str:
    """`hostwrap.special.bessel` of its file; a package by its own name."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {_name(path): path for path in _sources("hostwrap")}


@functools.cache
def _imports(path: pathlib.Path) -> frozenset[str]:
    """Every module that a file imports, at its top or inside a function, as an absolute name."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(path, node)
            found.update(f"{base}.{alias.name}" for alias in node.names)
    return frozenset(found)


def _absolute(path: pathlib.Path, node: ast.ImportFrom) -> str:
    parents = path.relative_to(ROOT).parts[: -node.level] if node.level else ()
    return ".".join([*parents, *filter(None, [node.module])])


def modules_imported(path: pathlib.Path) -> set[str]:
    """Modules of hostwrap that a file imports: `hostwrap._host.Layout` is the module `hostwrap._host`."""
    names = (name for name in _imports(path) if name.split(".")[0] == "hostwrap")
    return {name if name in MODULES else name.rpartition(".")[0] for name in names}


def layer_of(module: str) -> int:
    """Number of the row that a module stands in, by its own name or that of a package it is in."""
    rows = {entry: number for number, row in enumerate(LAYERS) for entry in row.split()}
    name = _inside(module)
    while name and name not in rows:
        name = name.rpartition(".")[0]
    assert name, f"{module} is in no layer of pyproject.toml: say there what it may import"
    return rows[name]


def _inside(module: str) -> str:
    return module.removeprefix("hostwrap").removeprefix(".")


def _relative(path: pathlib.Path) -> str:
    return str(path.relative_to(ROOT))


def test_the_layers_are_few_and_their_names_are_there():
    assert len(LAYERS) <= 10
    assert {name for row in LAYERS for name in row.split()} <= {_inside(module) for module in MODULES}


@pytest.mark.parametrize("path", MODULES.values(), ids=_relative)
def test_a_module_names_what_it_imports(path):
    if path != PACKAGE / "__init__.py":
        assert "hostwrap" not in modules_imported(path), "it imports the public package: name the module"


def _circle(arrows: dict[str, set[str]]) -> list[str]:
    """Names that lead from one to the next and back to the first, if there are such."""
    try:
        graphlib.TopologicalSorter(arrows).prepare()
    except graphlib.CycleError as error:
        return list(reversed(error.args[1]))
    return []


@pytest.mark.parametrize("path", _sources("hostwrap"), ids=_name)
def test_names_with_an_underscore_stay_in_their_file(path):
    """A module takes no private name of another one, neither imported nor as an attribute."""
    assert not private_names(path)


def private_names(path: pathlib.Path) -> set[str]:
    private = lambda name: name.startswith("_") and not name.endswith("__")
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imported = {name for name in _imports(path) if name.split(".")[0] == "hostwrap"}
    modules = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if f"{_absolute(path, node)}.{alias.name}" in MODULES
    }
    attributes = (node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and private(node.attr))
    used = {
        f"{x.value.id}.{x.attr}"
        for x in attributes
        if isinstance(x.value, ast.Name) and x.value.id in modules
    }
    return used | {name for name in imported - set(MODULES) if private(name.rpartition(".")[2])}


def test_a_private_name_is_seen(monkeypatch):
    planted = PACKAGE / "planted.py"
    text = (
        "from hostwrap._host import arrays, parallel as p\nfrom hostwrap._wrap import _front\n"
        "arrays._split(1)\np._pool(1)\n"
    )
    monkeypatch.setattr(pathlib.Path, "read_text", lambda self, **_: text)
    _imports.cache_clear()
    try:
        assert private_names(planted) == {"arrays._split", "hostwrap._wrap._front", "p._pool"}
    finally:
        _imports.cache_clear()


def _folders_that_use(module: str, arrows: dict[str, set[str]]) -> set[str]:
    """`linalg`, `sparse`, ..: what imports a module of `_recipes`, at once or by way of other ones there."""
    users = [name for name, used in arrows.items() if module in used]
    inside = [name for name in users if name.startswith("hostwrap._recipes.")]
    found = {name.split(".")[1] for name in users if name not in inside}
    return found.union(*(_folders_that_use(name, arrows) for name in inside))


def test_what_one_folder_alone_uses_lies_in_it():
    arrows = {name: modules_imported(path) for name, path in MODULES.items() if name != "hostwrap"}
    shared = [name for name in MODULES if name.startswith("hostwrap._recipes.")]
    assert not [name for name in shared if len(_folders_that_use(name, arrows)) < 2]


def test_no_module_imports_itself_by_way_of_others():
    arrows = {_name(path): modules_imported(path) - {_name(path)} for path in MODULES.values()}
    assert not _circle(arrows)


@pytest.mark.parametrize("depth", [2, 3])
def test_no_package_imports_itself_by_way_of_others(depth):
    """Of the packages of hostwrap, and of those inside them; the families of `special` may use one another."""
    arrows: dict[str, set[str]] = {}
    for path in MODULES.values():
        package = ".".join(_name(path).split(".")[:depth])
        others = {".".join(name.split(".")[:depth]) for name in modules_imported(path)}
        if package != "hostwrap" and not (depth == 3 and package.startswith("hostwrap.special")):
            arrows.setdefault(package, set()).update(others - {package})
    assert not _circle(arrows)


def test_a_circle_is_seen():
    assert _circle({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) in (
        list("abca"),
        list("bcab"),
        list("cabc"),
    )


FAMILIES = [
    path
    for path in _sources("hostwrap/special")
    if path.parents[1] == PACKAGE / "special" and not path.parent.name.startswith("_")
]


@pytest.mark.parametrize(
    "path", [p for p in FAMILIES if not p.name.startswith(("entries", "twins"))], ids=_relative
)
def test_numerics_of_a_family_know_neither_jax_nor_entries(path):
    """In the folder of a family `entries*.py` has the rules, `twins.py` what XLA computes in place of kernels, `mp*.py`
    what the functions are; all else is NumPy."""
    assert not [name for name in _imports(path) if name.split(".")[0] in ("jax", "jaxlib")]
    for module in filter(lambda name: name.startswith("hostwrap.special."), modules_imported(path)):
        folder, _, file = module.removeprefix("hostwrap.special.").partition(".")
        assert folder == "_numerics" or not folder.startswith("_"), f"{_relative(path)} imports {module}"
        assert not file.startswith("entries"), f"{_relative(path)} imports {module}"
        if not path.name.startswith("mp"):
            assert not re.match(r"mp(_|$)", file), f"{_relative(path)} imports {module}"


def test_no_family_has_the_name_of_a_function():
    """`hostwrap.special.gamma` is the function, so a folder of that name could be imported in some ways only."""
    assert not {path.parent.name for path in FAMILIES} & set(hostwrap.special.__all__)


FOLDERS = ("hostwrap", "bench", "tests", "docs")  # each imports only from itself and from those before it


@pytest.mark.parametrize("folder", FOLDERS)
def test_folders_import_in_one_direction(folder):
    after = FOLDERS[FOLDERS.index(folder) + 1 :]
    for path in _sources(folder):
        found = [name for name in _imports(path) if name.split(".")[0] in after]
        assert not found, f"{_relative(path)} imports {found}: {' < '.join(FOLDERS)}"


@pytest.mark.parametrize("package", ["_kit", "reference", "sharding", "fuzz", "stress"])
def test_the_harness_imports_no_tests(package):
    for path in [
        path for path in _sources("tests") if path.relative_to(ROOT / "tests").parts[0].startswith(package)
    ]:
        assert not [name for name in _imports(path) if ".test_" in name], _relative(path)


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
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    settings, groups = pyproject["project"], pyproject["dependency-groups"].values()
    assert [re.split(r"\W", d)[0] for d in settings["dependencies"]] == ["jax", "numpy", "scipy"]
    extras = [d for group in settings["optional-dependencies"].values() for d in group]
    extras += [d for group in groups for d in group if isinstance(d, str)]
    for dependency in [*settings["dependencies"], *extras]:
        assert re.fullmatch(r"[\w-]+>=[\d.]+(; platform_machine in '[\w ]+')?", dependency)
    assert re.fullmatch(r">=[\d.]+", settings["requires-python"])


@pytest.mark.skipif(EXHAUSTIVE, reason="all tests run each day")
@pytest.mark.parametrize("turn", [TURN, LONG_TURN])
def test_a_rotating_test_runs_once_in_its_turn(turn):
    days = [datetime.date(2026, 12, 30) + datetime.timedelta(n) for n in range(turn)]
    tests = [f"test_accuracy[{n}]" for n in range(30 * turn)]
    assert all(sum(has_its_day(test, day, turn) for day in days) == 1 for test in tests)
    assert all(15 < sum(has_its_day(test, day, turn) for test in tests) < 45 for day in days)


@pytest.mark.parametrize(
    ("keyword", "arguments", "asked"),
    [
        ("", ["tests"], False),
        ("kv", ["tests"], True),
        ("", ["tests/special/test_catalogue.py::test_x[kv]"], True),
    ],
)
def test_what_is_chosen_by_name_runs_every_day(keyword, arguments, asked):
    config = types.SimpleNamespace(option=types.SimpleNamespace(keyword=keyword), args=arguments)
    assert asked_for(config) == asked

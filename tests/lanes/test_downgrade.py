"""A jax in which something semi-private is gone or changed: the right numbers by another way, and one warning.

Each case takes a name away from jax, or lets it fail, in a process of its own, before hostwrap is imported.
"""

import ast
import pathlib

import pytest

import hostwrap
from tests._kit.days import EXHAUSTIVE

pytestmark = pytest.mark.subprocess
COMPILER = pathlib.Path(hostwrap.__file__).parent / "_lanes" / "compiler.py"
IMPORTED = """
    try:
        import hostwrap as hw
    except ImportError as error:
        print(error)
        sys.exit()
"""

PROGRAM = """
import importlib, warnings
import jax, jax.numpy as jnp, numpy as np, scipy.special
jax.config.update("jax_enable_x64", True)

def take_away(name):
    module, _, attribute = name.rpartition(".")
    module = importlib.import_module(module)
    if hasattr(module, attribute):
        delattr(module, attribute)
    sys.modules.pop(name, None)
    finder = type("Finder", (), {"find_spec": staticmethod(lambda full, *_: missing(full == name, name))})
    sys.meta_path.insert(0, finder)

def missing(is_it, name):
    if is_it:
        raise ModuleNotFoundError(f"No module named {name!r}")

def change(name):
    module, _, attribute = name.rpartition(".")
    def other(one_argument_of_another_name):
        pass
    setattr(importlib.import_module(module), attribute, other)

def near(got, want):
    np.testing.assert_allclose(got, want, rtol=1e-12)

import sys
{what}({name!r})
with warnings.catch_warnings(record=True) as met:
    warnings.simplefilter("always")
    import hostwrap as hw
    f = hw.wrap(lambda x: np.sin(x)).defpartials(x=lambda ans, x: jnp.cos(x))
    solve = hw.wrap("(n,n),(n)->(n)")(np.linalg.solve)
    x, A = np.linspace(0.5, 2, 4), np.stack([np.eye(2), 2 * np.eye(2)])
    near(f(x), np.sin(x))
    for _ in range(2):
        near(jax.jit(lambda x: f(x))(x), np.sin(x))
    near(jax.jit(jax.vmap(jax.grad(f)))(x), np.cos(x))
    near(jax.jit(jax.vmap(lambda A: solve(A, np.ones(2))))(A), [[1, 1], [0.5, 0.5]])
    value, slope = jax.jit(jax.vmap(jax.value_and_grad(lambda z: hw.special.jv(1.5, z))))(x)
    near(value, scipy.special.jv(1.5, x))
    near(slope, scipy.special.jvp(1.5, x))
    near(jax.jit(jax.hessian(lambda z: hw.special.jv(1.5, z)))(2.0), scipy.special.jvp(1.5, 2.0, 2))
texts = [str(w.message) for w in met if "hostwrap" in str(w.message)]
print(len(texts), *texts)
print(*(lane for lane, status in hw.lanes().items() if status == "available"))
"""


def semi_private():
    """Every name that the lanes look for."""
    for node in ast.walk(ast.parse(COMPILER.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "find":
            module, name = (argument.value for argument in node.args[:2])
            needed = any(getattr(argument, "id", "") == "NEEDED" for argument in node.args[2:])
            yield f"{module}.{name}", needed


GONE = sorted(name for name, needed in semi_private() if not needed)
NEEDED = sorted(name for name, needed in semi_private() if needed)
CHANGED = {"jax.interpreters.mlir.emit_python_callback": "callback", "jax.ffi.ffi_lowering": "native"}
FEW = ("dce_rules", "sdy", *CHANGED)


def cases():
    for what, names in (("take_away", GONE), ("change", CHANGED)):
        for name in names:
            if EXHAUSTIVE or ((what == "change") == (name in CHANGED) and name.endswith(FEW)):
                marks = [pytest.mark.native] if what == "change" and CHANGED.get(name) == "native" else []
                yield pytest.param(what, name, id=f"{what}-{name}", marks=marks)


@pytest.mark.parametrize("what, name", list(cases()))
@pytest.mark.rotating
def test_another_way_and_one_warning(fresh_python, what, name):
    code = PROGRAM.replace("{what}", what).replace("{name!r}", repr(name))
    lane = CHANGED[name] if what == "change" else ""
    text, lanes = fresh_python(code, HOSTWRAP_LANE=lane).splitlines()
    assert text.startswith("1 hostwrap does not know this version of jax")
    assert "pure_callback" in lanes.split() and lane not in lanes.split()


@pytest.mark.parametrize("name", NEEDED)
def test_without_rules_for_primitives_the_import_says_so(fresh_python, name):
    code = PROGRAM.replace("{what}", "take_away").replace("{name!r}", repr(name))
    text = fresh_python(code.replace("    import hostwrap as hw", IMPORTED))
    assert text.strip().startswith(f"hostwrap needs {name}, which this version of jax (")
    assert "install a newer hostwrap, or an older jax" in text


def test_every_name_is_looked_for_in_this_way():
    assert len(GONE) + len(NEEDED) > 12
    text = COMPILER.read_text(encoding="utf-8")
    assert "from jax.interpreters" not in text and "from jax.extend" not in text

"""What an import loads: the rest comes when it is wanted, because a second of waiting is felt each time."""

import importlib
import inspect
import pydoc

import pytest

import hostwrap

CODE = """
import sys
{before}
known = set(sys.modules)
import {module}
new = {{name for name in sys.modules if name not in known}}
unwanted = {{name for name in new if name.split(".")[0] not in ("hostwrap", "jax", "concurrent", "ctypes", "argparse")}}
print(sorted(unwanted))
{after}
"""
HEAVY = ("scipy", "mpmath", "matplotlib", "numba")
SPECIAL = "hostwrap.special._families as families; families.public()"


def loaded(fresh_python, module, before="import jax", after=""):
    return fresh_python(CODE.format(module=module, before=before, after=after)).splitlines()[0]


def test_hostwrap_loads_neither_scipy_nor_its_own_tests(fresh_python):
    after = """
assert "hostwrap.testing" not in new and hostwrap.testing.check and hostwrap.special.jv
assert "hostwrap.special.mathieu" not in sys.modules, "jv is of another family"
"""
    found = loaded(fresh_python, "hostwrap", after=after)
    assert not [name for name in HEAVY if name in found]


@pytest.mark.parametrize("module", ["hostwrap", SPECIAL])
def test_jax_extend_is_left_alone_for_it_brings_pallas(fresh_python, module):
    loaded(
        fresh_python, module, after="assert 'jax.extend' not in sys.modules, 'hostwrap needs 20 ms for it'"
    )


def test_an_import_starts_no_device(fresh_python):
    """So that programs may still say how many there are, join a cluster, or fork."""
    code = """
import os
import hostwrap, hostwrap.special, hostwrap.stats, hostwrap.testing
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=3"
import jax
print(jax.device_count())
"""
    assert fresh_python(code).split() == ["3"]


def test_the_end_starts_no_device(fresh_python):
    """A program that imports hostwrap and calls nothing takes no memory of a GPU, at its end neither."""
    code = """
import atexit, jax, logging
seen = []
logging.getLogger("jax").addHandler(type("Seen", (logging.Handler,), {"emit": lambda _, r: seen.append(r)})())
logging.getLogger("jax").setLevel("DEBUG")
atexit.register(lambda: print(any("backend" in r.getMessage() for r in seen)))
import hostwrap
"""
    assert fresh_python(code).split() == ["False"]


def test_special_loads_no_other_part_of_scipy(fresh_python):
    found = loaded(fresh_python, SPECIAL, "import jax, scipy.special")
    assert not [
        name for name in ("scipy.linalg", "scipy.integrate", "scipy.optimize", *HEAVY[1:]) if name in found
    ]


def test_a_rule_that_needs_scipy_gets_it(fresh_python):
    code = """
import jax, numpy as np, hostwrap as hw
f = hw.wrap(lambda x: np.sin(x)).defpartials(x=lambda y, x: jax.scipy.special.erf(x) + jax.nn.sigmoid(x))
print(float(jax.jit(jax.grad(f))(0.5)))
"""
    assert abs(float(fresh_python(code)) - 1.142959) < 1e-5


MODULES = (
    "compat",
    "fft",
    "integrate",
    "interpolate",
    "linalg",
    "ndimage",
    "optimize",
    "signal",
    "sparse",
    "sparse.csgraph",
    "sparse.linalg",
    "spatial",
    "spatial.distance",
    "special",
)
MODULES += ("stats", "testing")


@pytest.mark.parametrize("module", MODULES)
def test_completion_shows_the_public_names_and_only_them(module):
    found = importlib.import_module(f"hostwrap.{module}")
    assert dir(found) == sorted(found.__all__)
    assert all(hasattr(found, name) for name in dir(found))


def test_completion_shows_the_modules_of_the_package_too():
    names = dir(hostwrap)
    assert names == sorted({*hostwrap.__all__, *(m for m in MODULES if "." not in m)})
    assert not [name for name in names if name.startswith("_") and name != "__version__"]
    assert all(hasattr(hostwrap, name) for name in names)


def test_signatures_and_help_show_the_options():
    options = inspect.signature(hostwrap.Wrapped).parameters
    for decorator in (hostwrap.wrap, hostwrap.linear):
        shown = inspect.signature(decorator).parameters
        assert {"vmap_method", "static", "dtype", "effect", "numerical"} <= set(shown)
        assert {p for p in options if p != "function"} <= set(shown) and "options" not in shown
        assert "on_error: 'str' = 'raise'" in pydoc.render_doc(decorator, renderer=pydoc.plaintext)
    assert {"transpose", "adjoint"} <= set(inspect.signature(hostwrap.linear).parameters)

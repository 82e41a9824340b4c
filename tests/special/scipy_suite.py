"""A pytest plugin: SciPy's own tests of `scipy.special`, with jitted functions of `hostwrap.special` in their place.

    python -m pytest -p tests.special.scipy_suite --pyargs scipy.special.tests.test_basic

What the modules of the tests have imported is replaced, and what stands in the parameters of a test; SciPy itself is
not. What hostwrap hands on (roots of polynomials, zeros, exact integers) stays SciPy's. Calls with types that JAX lacks
(long double, Python's objects), or that write into `out=`, skip their test.
"""

import inspect
import types

import jax
import numpy as np
import pytest
import scipy.special

import hostwrap as hw
import hostwrap.special

jax.config.update("jax_enable_x64", True)
OURS = {n: getattr(scipy.special, n) for n in hostwrap.special.__all__ if hasattr(scipy.special, n)}


STATIC = ("axis", "n_max", "d", "tol", "diff_n", "exact", "repetition")


class Jitted:
    """A function of `hostwrap.special` that takes and gives what SciPy's does; all else about it is SciPy's."""

    def __init__(self, name):
        self.name, self.theirs, self.ours = name, OURS[name], getattr(hostwrap.special, name)
        self.signature = inspect.signature(self.ours)
        self.compiled = {}

    def __getattr__(self, name):
        return getattr(self.theirs, name)

    def __repr__(self):
        return repr(self.theirs)

    def __eq__(self, other):
        return other is self or other is self.theirs

    def __hash__(self):
        return hash(self.theirs)

    def __call__(self, *args, **kwargs):
        if set(kwargs) & {"out", "dtype", "casting", "where", "sig", "order"}:
            pytest.skip("options of NumPy's ufuncs")
        if kwargs.get("exact"):
            return self.ours(*args, **kwargs)
        bound = self.signature.bind(*args, **kwargs).arguments
        arrays = {n: _array(v) for n, v in bound.items() if not isinstance(v, bool | str | None | tuple)}
        fixed = {n: v for n, v in bound.items() if n not in arrays}
        fixed |= {n: bound[n] for n in STATIC if n in bound}
        arrays = {n: v for n, v in arrays.items() if n not in fixed}
        try:
            return self._run(arrays, fixed)
        except (jax.errors.ConcretizationTypeError, hw.SignatureError):  # the length of a table
            fixed = fixed | {n: int(x) for n, x in arrays.items() if not x.ndim and x.dtype.kind in "iu"}
            return self._run({n: x for n, x in arrays.items() if n not in fixed}, fixed)

    def _run(self, arrays, fixed):
        key = tuple(fixed.items()), tuple(arrays)
        if key not in self.compiled:
            self.compiled[key] = jax.jit(lambda arrays: self.ours(**arrays, **fixed))
        return _given_back(self.compiled[key](arrays))


def _array(value):
    value = np.asarray(value)
    if value.dtype.kind not in "biufc" or value.dtype.itemsize > 8 * (1 + (value.dtype.kind == "c")):
        pytest.skip(f"JAX has no {value.dtype}")
    return value


def _given_back(found):
    if isinstance(found, tuple):
        parts = [_given_back(x) for x in found]
        return type(found)(*parts) if hasattr(found, "_fields") else tuple(parts)
    return np.array(found)[()]


JITTED = {name: Jitted(name) for name in OURS}


class _Special(types.ModuleType):
    """`scipy.special` with these functions."""

    def __getattr__(self, name):
        if name in JITTED:
            return JITTED[name]
        return getattr(scipy.special, name, None) or getattr(scipy.special._ufuncs, name)


SPECIAL = _Special("scipy.special")


def replaced(value):
    """The value with our functions in place of SciPy's, also in tuples and lists."""
    if isinstance(value, types.ModuleType):
        return SPECIAL if value.__name__ in ("scipy.special", "scipy.special._ufuncs") else value
    if isinstance(value, tuple | list) and not hasattr(value, "_fields"):
        return type(value)(map(replaced, value))
    if callable(value):
        return next((JITTED[n] for n, theirs in OURS.items() if value is theirs), value)
    return value


def pytest_collection_modifyitems(items):
    for module in {item.module for item in items}:
        for name, value in list(vars(module).items()):
            if not name.startswith("__") and not isinstance(value, tuple | list):
                setattr(module, name, replaced(value))
    for item in items:
        if hasattr(item, "callspec"):
            item.callspec.params.update({n: replaced(v) for n, v in item.callspec.params.items()})

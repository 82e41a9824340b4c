"""SciPy's own tables of reference values (from Boost, GSL and mpmath), run through jitted `hostwrap.special`."""

import types

import jax
import numpy as np
import pytest

import hostwrap.special

scipys = pytest.importorskip("scipy.special.tests.test_data", reason="this SciPy ships without its tests")
TABLES = [*scipys.BOOST_TESTS, *scipys.GSL_TESTS, *scipys.LOCAL_TESTS]


def jitted(name):
    compiled = jax.jit(getattr(hostwrap.special, name))

    def function(*args):
        results = compiled(*args)
        return tuple(map(np.asarray, results)) if isinstance(results, tuple) else np.asarray(results)

    return function


OURS = {name: jitted(name) for name in vars(scipys) if name in hostwrap.special.__all__}


def translated(function):
    """SciPy's function, or a small function of the table's module that calls some, with ours in their place."""
    name = next((n for n in OURS if getattr(scipys, n) is function), getattr(function, "__name__", ""))
    if name in OURS:
        return OURS[name]
    if not isinstance(function, types.FunctionType) or function.__module__ != scipys.__name__:
        pytest.skip(f"{name} is SciPy's own")
    used = set(function.__code__.co_names) & set(OURS)
    if not used:
        pytest.skip(f"{name} calls nothing that is wrapped")
    return types.FunctionType(function.__code__, {**vars(scipys), **OURS}, name, function.__defaults__)


@pytest.mark.parametrize("table", TABLES, ids=repr)
@pytest.mark.rotating
def test_tables_of_scipy(table, monkeypatch):
    monkeypatch.setattr(table, "func", translated(table.func))
    scipys._test_factory(table)

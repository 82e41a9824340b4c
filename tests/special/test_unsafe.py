"""SciPy crashes or hangs at hostile arguments of some functions; ours say NaN there. Tried in a process of its own."""

import itertools
import subprocess
import sys

import numpy as np
import pytest

from hostwrap.special._entry import CATALOGUE

GUARDED = [name for name, function in sorted(CATALOGUE.items()) if function.unsafe]
CORNERS = (0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 1e-310, 1e-200, 1e3, 1e10, 1e300, np.inf, -np.inf, np.nan)
PLAIN = (2.0, 5.0, 30.0, 0.25, 1.5, 150.0)  # so that not every point has a corner in every argument
POINTS = 1000
SECONDS = 300


def hostile(function):
    """Corners in every argument, among ordinary numbers."""
    everything = itertools.product(*[CORNERS + PLAIN for _ in function.args])
    rows = np.array(list(itertools.islice(everything, 200_000)))
    rows = np.random.default_rng(3).choice(rows, min(POINTS, len(rows)), replace=False)
    corners = np.random.default_rng(4).choice(CORNERS + PLAIN, (POINTS, len(function.args)))
    return np.concatenate([rows, corners])


def survive():
    """Called in the other process; the last line it prints names the function that killed it."""
    for name in GUARDED:
        print(name, flush=True)
        function = CATALOGUE[name]
        columns = [
            as_integers(c) if only_integers(function, i) else c for i, c in enumerate(hostile(function).T)
        ]
        with np.errstate(all="ignore"):
            function.on_host(*columns)


def only_integers(function, i):
    return isinstance(function.host, np.ufunc) and all(types[i] in "ilq" for types in function.host.types)


def as_integers(column):
    return np.clip(np.nan_to_num(column), -(2.0**62), 2.0**62).astype(np.int64)


INTEGRAL = [
    name for name, function in sorted(CATALOGUE.items()) if function.public and any(function.integral)
]
LARGE = (2**63 - 1, -(2**63), 2**62, 2**31 - 1, 10**9)  # degrees and orders


def survive_integers():
    for name in INTEGRAL:
        print(name, flush=True)
        function = CATALOGUE[name]
        if set(function.statics) <= set(function.defaults) | {"derivative"}:
            columns = [np.array(LARGE) if keeps else np.full(len(LARGE), 0.7) for keeps in function.integral]
            with np.errstate(all="ignore"):
                function.on_host(*columns, **dict.fromkeys(function.statics, False))


@pytest.mark.parametrize("survive", ["survive", "survive_integers"])
def test_no_argument_crashes_or_hangs(survive):
    code = f"import hostwrap.special; from tests.special.test_unsafe import {survive}; {survive}()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, f"{done.stdout.decode().split()[-1:]} {done.stderr.decode()[-300:]}"


@pytest.mark.parametrize("name", GUARDED)
def test_the_predicate_calls_no_ordinary_point_unsafe(name):
    ordinary = [box.ordinary for box in CATALOGUE[name].boxes.values()]
    assert not np.any(CATALOGUE[name].unsafe(*map(np.asarray, ordinary)))


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("hyp2f1", (-10000.0, 2.2, 93459345.3, 2 + 2j)),
        ("hyp2f1", (0.5, 0.7, 1e8, 0.5j)),
        ("hyp1f1", (0.5, 1.5, -2e9)),
        ("hyp1f1", (0.5, 1e12, 10.0)),
        ("hyp1f1", (-1.5e6, 2.5, 1e-6)),
    ],
)
def test_what_scipy_knows_at_once_is_not_called_unsafe(name, args):
    function = CATALOGUE[name]
    assert function.on_host(*map(np.asarray, args)) == function.host(*args)


@pytest.mark.parametrize("name", ["pbdv", "pbvv"])
def test_orders_below_a_million_are_left_to_scipy(name):
    function = CATALOGUE[name]
    args = np.array([2e5, -2e5, 9e5]), np.array([1.0, -1.0, 1e-3])
    np.testing.assert_array_equal(function.on_host(*args), function.host(*args))


def test_the_nan_of_an_unsafe_complex_argument_has_two_parts():
    value = CATALOGUE["hyp2f1"].on_host(*map(np.asarray, (-1e8, 0.5, 0.7, 0.5j)))
    assert np.isnan(value.real) and np.isnan(value.imag)

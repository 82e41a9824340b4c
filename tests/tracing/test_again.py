"""Recorded code that need not run again: programs of its arithmetic, and when they do not serve."""

import math

import jax
import numpy as np
import pytest

import hostwrap as hw
from hostwrap._tracing.programs import Programs
from hostwrap._tracing.tape import arithmetic, logged, record, recordable
from hostwrap._tracing.tape.array import UFUNCS
from hostwrap._tracing.tape.factors import Pair

pytestmark = pytest.mark.skipif(arithmetic.kind("add") is None, reason="without the library")


# ---- operations

_UFUNCS = [u for u in UFUNCS if isinstance(u, np.ufunc) and arithmetic.kind(u.__name__) is not None]
_POINTS = [(0.3, 0.7), (-0.4, 1.3), (1.7, 2.0), (2.5, -0.6), (0.8, 0.8)]


def _by_table(ufunc, operands):
    """The partial derivatives that the tape has."""
    y, found = ufunc(*operands), []
    for partial in UFUNCS[ufunc]:
        if isinstance(partial, Pair):
            found.append(partial[0](1.0, y, *operands))
        else:
            found.append(partial(y, *operands) if callable(partial) else partial or 0.0)
    return y, found


@pytest.mark.parametrize("ufunc", _UFUNCS, ids=lambda u: u.__name__)
def test_an_operation_is_numpys_and_its_derivatives_are_the_tapes(ufunc):
    kind = arithmetic.kind(ufunc.__name__)
    for operands in _POINTS:
        operands = operands[: ufunc.nin]
        with np.errstate(all="ignore"):
            value, partials = _by_table(ufunc, operands)
        if not np.isfinite(value):
            continue
        rows = arithmetic.Rows(
            np.array([[kind, 0, ufunc.nin - 1, arithmetic.X + (ufunc.nin > 1) * arithmetic.Y]]), ufunc.nin
        )
        values = np.array([*operands, 0.0])
        assert rows.values(values)
        cotangents = np.array([0.0] * ufunc.nin + [1.0])
        rows.back(values, cotangents)
        np.testing.assert_allclose(values[-1], value, rtol=1e-14)
        np.testing.assert_allclose(cotangents[:-1], np.array(partials, float), rtol=1e-13, atol=1e-300)
        tangents = np.array([*(0.3, -0.7)[: ufunc.nin], 0.0])
        rows.along(values, tangents)
        np.testing.assert_allclose(tangents[-1], tangents[:-1] @ np.array(partials, float), 1e-13, 1e-16)


# ---- programs


def kepler(M, e):
    E = M
    while True:
        step = (E - e * math.sin(E) - M) / (1 - e * math.cos(E))
        E = E - step
        if abs(step) < 1e-13:
            return E


def huber(x, k):
    return 0.5 * x * x if abs(x) <= k else k * (abs(x) - 0.5 * k)


def thomas(d, r):
    n = 20
    a, b, c, x = np.full(n, -1.0), np.full(n, d + 2), np.full(n, -1.0), np.linspace(0, 1, n) * r
    for i in range(1, n):
        w = a[i] / b[i - 1]
        b[i] -= w * c[i - 1]
        x[i] -= w * x[i - 1]
    x[-1] /= b[-1]
    for i in range(n - 2, -1, -1):
        x[i] = (x[i] - c[i] * x[i + 1]) / b[i]
    return x.sum() if d > 1 else x[3]


def runge_kutta(y0, k):
    f = lambda y: np.array([y[1], -k * np.sin(y[0])])
    y = np.array([y0, 0.0])
    for _ in range(9):
        k1 = f(y)
        k2 = f(y + 0.05 * k1)
        y = y + 0.1 * k2
    return y[0] if k > 0 else y[1]


def products(a, b):
    m = np.array([[a, b], [b * b, 2.0]])
    v = m @ np.array([1.0, a]) + m.T.dot(m)[0]
    return np.einsum("i,ij,j->", v, m, v) if a > 0 else np.trace(m)


def interpolated(x, y):
    table = [0.0, 0.5, y, 3.0, 2.5]
    i = int(x)
    return table[i] + (x - i) * (table[i + 1] - table[i])


def wrapped_angle(x, y):
    return ((x * 9 + math.pi) % (2 * math.pi) - math.pi) * y + np.floor(x * 3) * y


def several(a, b):
    s = [
        max(a, b),
        min(a, b) ** 2,
        a**b,
        abs(a - 2 * b),
        math.hypot(a, b),
        math.atan2(a, b),
        math.fsum([a, b, a]),
    ]
    return (
        sum(x for x in s if x > 0.5) + np.mean(np.array(s)) + np.sort(np.array([b, a]))[0] + np.cumsum(s)[3]
    )


FUNCTIONS = [kepler, huber, thomas, runge_kutta, products, interpolated, wrapped_angle, several]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_a_program_has_the_recordings_derivatives(function):
    f, point = recordable(function), [np.float64(1.3), np.float64(0.4)]
    _, program = logged(f, point, [True, True])
    assert program is not None
    used = 0
    for other in np.random.default_rng(0).uniform(0.9, 1.1, (30, 2)):
        leaves = [x * m for x, m in zip(point, other, strict=True)]
        want, found = record(f, leaves, [True, True]), program.run(leaves)
        if found is None:  # another way
            continue
        used += 1
        np.testing.assert_allclose(found.value, want.value, rtol=1e-13)
        np.testing.assert_allclose(found.vjp([1.0]), want.vjp([1.0]), rtol=1e-11, atol=1e-13)
        np.testing.assert_allclose(found.jvp([0.3, None]), want.jvp([0.3, None]), rtol=1e-11, atol=1e-13)
    assert used > 3


def _calls(function):
    """The function, and how often its code has run on what records."""
    seen = []

    def counted(x, y):
        seen.append(type(x).__name__ == "Array" or hasattr(x, "node"))
        return function(x, y)

    return counted, seen


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_gradients_stay_right_from_call_to_call(function):
    wrapped = hw.wrap(function)
    grad = jax.jit(jax.grad(wrapped, (0, 1)))
    f = recordable(function)
    for x, y in np.random.default_rng(1).uniform([1.0, 0.3], [1.9, 0.6], (25, 2)):
        want = record(f, [x, y], [True, True])
        np.testing.assert_allclose(grad(x, y), want.vjp([1.0]), rtol=1e-11, atol=1e-13)


def test_the_code_does_not_run_again_where_its_way_is_known(monkeypatch):
    made = []
    monkeypatch.setattr(
        Programs,
        "keep",
        lambda self, key, program, keep=Programs.keep: (made.append(program), keep(self, key, program)),
    )
    grad = jax.grad(hw.wrap(huber))
    assert [float(grad(x, 1.0)) for x in (0.1, 0.2, 0.3, 0.4, 2.0, -3.0, 4.0)] == [
        0.1,
        0.2,
        0.3,
        0.4,
        1.0,
        -1.0,
        1.0,
    ]
    assert len(made) == 2 and all(made)


def test_a_way_that_is_new_each_time_has_no_programs_made(monkeypatch):
    made = []
    monkeypatch.setattr(
        Programs,
        "keep",
        lambda self, key, program, keep=Programs.keep: (made.append(program), keep(self, key, program)),
    )

    def powers(x):
        n, total = 0, 0.0 * x
        while n < x:
            n, total = n + 1, total + x**n
        return total

    grad = jax.grad(hw.wrap(powers))
    for n in range(1, 9):
        x = n - 0.5
        assert float(grad(x)) == pytest.approx(sum(k * x ** (k - 1) for k in range(n)))
    assert len(made) == 2


def test_what_the_function_reads_from_outside_may_change():
    scale = [2.0]

    def scaled(x):
        return scale[0] * x * x if x > 0 else x

    grad = jax.grad(hw.wrap(scaled))
    for scale[0] in (2.0, 2.0, 2.0, 3.0, 3.0, 5.0):
        assert float(grad(1.5)) == 3.0 * scale[0]


def test_integers_are_part_of_the_way():
    def power(x, n):
        return x**n if x > 0 else -x

    grad = jax.grad(hw.wrap(power))
    for n in (2, 2, 2, 3, 3, 2, 4):
        assert float(grad(1.5, n)) == pytest.approx(n * 1.5 ** (n - 1))


def test_branches_that_are_not_taken_have_no_nan():
    def root(x):
        return np.sqrt(np.maximum(x, 0.0)) if x < 1 else x

    grad = jax.grad(hw.wrap(root))
    assert [float(grad(x)) for x in (0.25, 0.25, 0.25, -0.5, -0.6)] == [1.0, 1.0, 1.0, 0.0, 0.0]


def test_compiled_code_has_no_program():
    def solved(x, y):
        a = np.array([[x, 1.0], [y, 3.0]])
        return np.linalg.solve(a, np.array([1.0, y]))[0] if x > 0 else x

    assert logged(recordable(solved), [np.float64(1.3), np.float64(0.4)], [True, True])[1] is None

"""Lists of numbers in recorded code, where NumPy takes lists for arrays; and sums of logarithms."""

import collections
import functools

import jax
import numpy as np
import pytest
import scipy.special

import hostwrap as hw
from tests.tracing.corpus.differences import jacobian

Pair = collections.namedtuple("Pair", "first second")
LISTS = {
    "exp": lambda a, b: np.exp([a, b]).sum(),
    "maximum": lambda a, b: np.maximum([a, b], (0.1, a * b)).sum(),
    "reduce": lambda a, b: (
        np.maximum.reduce([a, b]) * np.add.reduce([a, b, 2.0]) + np.logaddexp.reduce((a, b))
    ),
    "reduce arrays": lambda a, b: np.minimum.reduce([a * np.ones(2), np.array([b, 1.0])]).sum(),
    "accumulate": lambda a, b: np.multiply.accumulate([a, b, a])[1:].sum(),
    "outer": lambda a, b: np.multiply.outer([a, b], [1.0, b]).sum(),
    "at": lambda a, b: _added_at(a, b),
    "operators": lambda a, b: ([a, b] * np.ones(2) + np.ones(2) / [b, a]).sum() + np.ones(2) @ [a, b],
    "deque": lambda a, b: np.array(collections.deque([a, b, a], maxlen=2)) @ np.array([2.0, b]),
    "tuples": lambda a, b: (
        ((a, b) * np.exp((b, a))) @ np.dot(((a, 1.0), (b, a)), (1.0, b)) + np.linalg.norm((a, b))
    ),
    "named tuples": lambda a, b: (np.array(Pair(a, b)) * Pair(b, 2.0) + np.exp(Pair(a, a))).sum(),
    "functions of named tuples": lambda a, b: (
        np.stack(Pair([a, b], [b, 1.0])) @ np.array([Pair(a, b), Pair(1.0, 2.0)]) @ Pair(a, b)
        + np.linalg.norm(Pair(a, b))
    ).sum(),
    "einsum": lambda a, b: np.einsum("i,i", [a, b], (1.0, 2.0)),
    "special": lambda a, b: scipy.special.gammaln([a, b]).sum(),
    "functools": lambda a, b: functools.reduce(np.add, [a, b, a * b]),
    "as they are": lambda a, b: {np.add: a, np.exp: b}[np.exp] if isinstance(np.exp, np.ufunc) else 0.0,
    "out": lambda a, b: _into(a, b),
}


def _added_at(a, b):
    total = np.zeros(3)
    np.add.at(total, [0, 2, 0], [a, b, a * b])
    return (total**2).sum()


def _into(a, b):
    total = np.zeros(2)
    np.multiply([a, b], b, out=total)
    return total.prod() * np.exp.nin


@pytest.mark.parametrize("name", LISTS)
def test_lists_are_arrays(name):
    f = lambda a, b: LISTS[name](a, b) if a > 0 else b
    wrapped = hw.wrap(f)
    assert hw.explain(wrapped, 0.7, 0.4).way == "recorded"
    want = jacobian(lambda x: np.array([f(*x)]), np.array([0.7, 0.4]))
    np.testing.assert_allclose(jax.grad(wrapped, (0, 1))(0.7, 0.4), want.value[0], rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(wrapped(0.7, 0.4), f(0.7, 0.4), rtol=0)


@pytest.mark.parametrize("branch", [False, True], ids=["traced", "recorded"])
@pytest.mark.parametrize("sum_of", [np.logaddexp, np.logaddexp2])
@pytest.mark.rotating
def test_states_that_nothing_has_reached(sum_of, branch):
    """-inf and -inf, as in the recursions of hidden states: NaN in forward mode."""

    def f(x):
        states = np.full(3, -np.inf)
        states[0] = x if not branch or x > 0 else 2 * x
        empty = sum_of(states[1], states[2]) + x
        return sum_of(sum_of.reduce(states), sum_of(empty, x**2))

    wrapped = hw.wrap(f)
    assert hw.explain(wrapped, 0.3).way == ("recorded" if branch else "traced")
    want = jacobian(lambda x: np.array([f(x[0])]), np.array([0.3])).value[0, 0]
    np.testing.assert_allclose(jax.grad(wrapped)(0.3), want, rtol=1e-8)
    np.testing.assert_allclose(jax.jvp(wrapped, (0.3,), (1.0,))[1], want, rtol=1e-8)
    assert np.isfinite(jax.grad(jax.grad(wrapped))(0.3))

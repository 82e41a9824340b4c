"""Code may write to an array, a mask or an index after it has used it: the derivative is of what it was."""

import jax
import numpy as np
import pytest

import hostwrap as hw
from tests._kit.days import by_turns

X = np.array([0.5, -0.7, 1.3])
USES = {
    "where": lambda x, m, i, k: np.where(m, x**2, 0.0),
    "where=": lambda x, m, i, k: np.add(x, 3 * x, where=m, out=np.zeros(3)) + np.sum(x**2, where=m),
    "select": lambda x, m, i, k: np.select([m], [x**2], 0.5) + np.compress(m, x).sum(),
    "take": lambda x, m, i, k: np.take(x, i) + x[i] + x.repeat(i)[:3] + np.take(x, list(i)),
    "choose": lambda x, m, i, k: np.choose(i, [x, x**2, x**3]),
    "bincount": lambda x, m, i, k: np.bincount(i, weights=x),
    "at": lambda x, m, i, k: _at(x.copy(), i, x) + _at(x * 2, i, k),
    "reduceat": lambda x, m, i, k: np.add.reduceat(x**2, i),
    "products": lambda x, m, i, k: (
        k * x + x / (k + 1) + np.outer(x, k)[0] + np.multiply.outer(k, x)[1] + x @ k
    ),
    "powers": lambda x, m, i, k: np.abs(x) ** k + np.hypot(x, k) + np.maximum(x, k) + np.clip(x, None, k),
    "numbers": lambda x, m, i, k: (
        np.interp(x, k, [0.0, 1.0, 3.0]) + np.polyval(k, x) + np.average(x, weights=k)
    ),
    "parts": lambda x, m, i, k: _assigned(x, m, i),
}


def _at(target, i, what):
    np.add.at(target, i, what)
    return target


def _assigned(x, m, i):
    r, s = x**2, x.copy()
    r[m] = x[m] * 3
    s[i] = x
    np.copyto(s, r, where=m)
    np.putmask(r, m, s)
    return r + s


def function(use, branch):
    def f(x):
        m, i, k = np.array([True, False, True]), np.array([0, 1, 0]), np.array([1, 2, 4])
        c = 2.0 if branch and x[0] > 0.2 else 1.0
        result = use(x, m, i, k * 1.0 if use is USES["numbers"] else k)
        m[...], i[...], k[...] = False, 2, 0
        return c * np.sum(np.sin(result))

    return f


@pytest.mark.parametrize("way", by_turns("recorded", "traced"))
@pytest.mark.parametrize("name", USES)
def test_the_derivative_is_of_what_it_was(name, way):
    f, step = function(USES[name], way == "recorded"), 1e-6
    wrapped = hw.wrap(out=jax.ShapeDtypeStruct((), float))(f)
    steps = step * np.eye(3)
    want = [(f(X + h) - f(X - h)) / (2 * step) for h in steps]
    np.testing.assert_allclose(jax.grad(wrapped)(X), want, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(jax.jacfwd(wrapped)(X), want, rtol=1e-6, atol=1e-8)


def test_what_is_run_again_has_the_numbers_of_then():
    f = function(USES["products"], True)
    slope = jax.jit(jax.grad(hw.wrap(out=jax.ShapeDtypeStruct((), float))(f)))
    for k in range(5):
        x = X * (1 + 0.01 * k)
        want = [(f(x + h) - f(x - h)) / 2e-6 for h in 1e-6 * np.eye(3)]
        np.testing.assert_allclose(slope(x), want, rtol=1e-6)


def test_a_work_array_of_the_traced_code_is_used_twice():
    def f(x):
        work, total = np.zeros(3), 0.0
        for n in range(3):
            work[:] = np.arange(3.0) + n
            work[::2] *= 2
            total = total + x @ work
        return total

    wrapped = hw.wrap(out=jax.ShapeDtypeStruct((), float))(f)
    assert hw.explain(wrapped, X).way == "traced"
    np.testing.assert_allclose(jax.grad(wrapped)(X), [6.0, 6.0, 18.0])

"""Nodes and weights of Gauss quadrature: exact for polynomials at all parameters, so their derivatives are known."""

import doctest
import functools
import math

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import pytest
import scipy.special as sc

from hostwrap import SignatureError, special
from hostwrap.special.orthogonal import entries_roots

# (name, parameters, the integral of x^m, or (1 + x)^m on [-1, 1], times the weight function)
JACOBI = lambda m, a, b: 2 ** (a + b + m + 1) * mpmath.beta(a + 1, b + m + 1)
RULES = [
    ("roots_jacobi", (1.5, -0.3), JACOBI),
    ("roots_jacobi", (0.0, 0.0), JACOBI),
    ("roots_jacobi", (-0.5, -0.5), JACOBI),
    ("roots_jacobi", (30.0, 0.1), JACOBI),
    ("roots_sh_jacobi", (4.0, 1.5), lambda m, p, q: mpmath.beta(p - q + 1, q + m)),
    ("roots_genlaguerre", (0.0,), lambda m, a: mpmath.gamma(a + m + 1)),
    ("roots_genlaguerre", (7.5,), lambda m, a: mpmath.gamma(a + m + 1)),
    ("roots_gegenbauer", (0.7,), lambda m, a: JACOBI(m, a - mpmath.mpf(1) / 2, a - mpmath.mpf(1) / 2)),
    ("roots_gegenbauer", (0.0,), lambda m, a: JACOBI(m, a - mpmath.mpf(1) / 2, a - mpmath.mpf(1) / 2)),
]
N = 4


def moments(name, parameters):
    x, w, mu = getattr(special, name)(N, *parameters, mu=True)
    base = 1 + x if name in ("roots_jacobi", "roots_gegenbauer") else x
    return jnp.append(jnp.sum(w * base ** jnp.arange(2 * N)[:, None], axis=1), mu)


@functools.cache
def programs(name):
    """The moments, and their first and second derivatives."""
    f = lambda p: moments(name, p)
    return jax.jit(f), jax.jit(jax.jacfwd(f)), jax.jit(jax.jacfwd(jax.jacrev(f)))


def errors(name, parameters, exact):
    """Of all moments that are integrated exactly, and of first and second derivatives, relative to the larger one."""
    got = [f(parameters) for f in programs(name)]
    count = len(parameters)
    with mpmath.workdps(40):
        for m in [*range(2 * N), -1]:
            of = lambda *p, m=m: exact(max(m, 0), *p)
            size = float(of(*map(mpmath.mpf, parameters)))
            miss = lambda got, want, size=size: abs(got - float(want)) / max(abs(float(want)), size)
            yield miss(got[0][m], size)
            for i in range(count):
                first = [int(k == i) for k in range(count)]
                yield miss(got[1][i][m], mpmath.diff(of, parameters, tuple(first)))
                for j in range(count):
                    both = tuple(first[k] + (k == j) for k in range(count))
                    yield miss(got[2][i][j][m], mpmath.diff(of, parameters, both))


@pytest.mark.parametrize("rule", RULES, ids=lambda r: f"{r[0]}{r[1]}")
@pytest.mark.rotating
def test_moments_have_exact_derivatives(rule):
    assert max(errors(*rule)) < 1e-13


def forget():
    entries_roots._of.cache_clear()
    programs.cache_clear()


@pytest.mark.rotating
def test_a_wrong_recurrence_is_found(monkeypatch):
    """The last off-diagonal element counts only in derivatives: values are SciPy's."""
    right, valid = entries_roots.RECURRENCES["roots_genlaguerre"]

    def wrong(n, alpha):
        diagonal, squares, integral = right(n, alpha)
        return diagonal, squares.at[-1].set(squares[-1] + alpha), integral

    monkeypatch.setitem(entries_roots.RECURRENCES, "roots_genlaguerre", (wrong, valid))
    forget()
    try:
        assert max(errors(*RULES[6])) > 1e-3
    finally:
        forget()


@pytest.mark.parametrize(("n", "alpha"), [(1, 0.5), (25, 7.5), (150, 0.3)])
@pytest.mark.rotating
def test_each_node_is_a_root_at_all_parameters(n, alpha):
    """dx/da = -(dL/da) / (dL/dx) with L from mpmath, also where squares of polynomials overflow."""
    x, w = special.roots_genlaguerre(n, alpha)
    slopes = jax.jacobian(lambda a: special.roots_genlaguerre(n, a)[0])(alpha)
    growth = jax.jacobian(lambda a: special.roots_genlaguerre(n, a)[1])(alpha)
    np.testing.assert_array_equal(x, sc.roots_genlaguerre(n, alpha)[0])
    np.testing.assert_array_equal(w, sc.roots_genlaguerre(n, alpha)[1])
    assert np.all(np.isfinite(growth))
    with mpmath.workdps(60):
        for k in {0, n // 2, n - 1}:
            node = mpmath.mpf(float(x[k]))
            for _ in range(4):  # of Newton's steps
                node += laguerre(n, alpha, node) / laguerre(n - 1, alpha + 1, node)
            by_alpha = mpmath.diff(lambda a, node=node: laguerre(n, a, node), alpha)
            assert slopes[k] == pytest.approx(float(by_alpha / laguerre(n - 1, alpha + 1, node)), rel=1e-11)


def laguerre(n, alpha, x):
    """By its recurrence, DLMF 18.9.1, at zeros too."""
    below, here = mpmath.mpf(0), mpmath.mpf(1)
    for k in range(n):
        below, here = here, ((2 * k + alpha + 1 - x) * here - (k + alpha) * below) / (k + 1)
    return here


def test_arrays_of_parameters_under_transformations():
    alpha, beta = jnp.array([[0.5], [1.5]]), jnp.array([0.0, 0.25, -2.0])
    x, w = jax.jit(lambda a, b: special.roots_jacobi(5, a, b))(alpha, beta)
    assert x.shape == w.shape == (2, 3, 5)
    np.testing.assert_array_equal(x[1, 1], sc.roots_jacobi(5, 1.5, 0.25)[0])
    assert np.isnan(x[:, 2]).all() and np.isnan(w[:, 2]).all()
    slope = lambda a: jax.grad(lambda a: special.roots_genlaguerre(3, a)[0].sum())(a)
    np.testing.assert_allclose(
        jax.vmap(slope)(jnp.array([0.5, 2.0])), 3.0, rtol=1e-14
    )  # their sum is n (n + alpha)
    for n in (0, 2.5):
        with pytest.raises(SignatureError, match="`n` must be a Python integer above 0"):
            special.roots_jacobi(n, 0.5, 0.5)
    assert math.isclose(
        special.roots_sh_jacobi(1, 2.0, 1.5, True)[2], sc.roots_sh_jacobi(1, 2.0, 1.5, True)[2]
    )


@pytest.mark.rotating
def test_examples():
    for name in entries_roots.__all__:
        for example in doctest.DocTestFinder(recurse=False).find(getattr(special, name), name, globs={}):
            assert example.examples and not doctest.DocTestRunner().run(example).failed


def test_derivatives_in_single_precision():
    weight = lambda a: special.roots_genlaguerre(3, a)[1][0]
    found = jax.grad(weight)(jnp.float32(0.7))
    assert found.dtype == jnp.float32
    np.testing.assert_allclose(found, jax.grad(weight)(0.7), rtol=1e-5)

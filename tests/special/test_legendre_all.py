"""Legendre functions and spherical harmonics with their derivatives: as SciPy's, and differentiable."""

import functools

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import pytest
import scipy.special

from hostwrap import SignatureError, special

X = np.linspace(-0.9, 0.9, 7)
N = np.arange(7)
THETA, PHI = np.linspace(0, np.pi, 5)[:, None], np.linspace(-1, 2, 3)

CASES = {
    "legendre_p": ((N, X), {}),
    "legendre_p scalar": ((4, 0.3), {}),
    "legendre_p_all": ((4, X), {}),
    "assoc_legendre_p": ((N, -N[:, None], X), {}),
    "assoc_legendre_p complex": ((5, 2, X + 0.3j), {"branch_cut": 3}),
    "assoc_legendre_p norm": ((5, 2, 1.5), {"norm": True}),
    "assoc_legendre_p_all": ((4, 3, X.reshape(7, 1)), {}),
    "assoc_legendre_p_all norm": ((2, 2, 1.5 * X + 0.1j), {"norm": True, "branch_cut": 3}),
    "sph_legendre_p": ((N, 1 - N, THETA), {}),
    "sph_legendre_p_all": ((4, 2, THETA), {}),
    "sph_harm_y": ((N[:5, None, None], -1, THETA, PHI), {}),
    "sph_harm_y scalar": ((3, 2, 0.4, 0.7), {}),
    "sph_harm_y_all": ((4, 2, THETA, PHI), {}),
}
cases = pytest.mark.parametrize("case", CASES)
orders = pytest.mark.parametrize("diff_n", [0, 1, 2])


def function_of_points(case, module, **keywords):
    """The function with its integers, as a function of the arrays of points; and those."""
    args, chosen = CASES[case]
    function = getattr(module, case.split()[0])
    integers = [a for a in args if np.asarray(a).dtype.kind == "i"]
    points = [jnp.asarray(a) for a in args if np.asarray(a).dtype.kind != "i"]
    return functools.partial(function, *integers, **chosen, **keywords), points


@orders
@cases
@pytest.mark.rotating
def test_values_and_shapes_are_scipys(case, diff_n):
    ours, points = function_of_points(case, special, diff_n=diff_n)
    scipys, _ = function_of_points(case, scipy.special, diff_n=diff_n)
    want = scipys(*map(np.asarray, points))
    for got in (ours(*points), jax.jit(ours)(*points)):
        assert isinstance(got, tuple) == isinstance(want, tuple)
        for g, w in zip(jax.tree.leaves(got), jax.tree.leaves(want), strict=True):
            np.testing.assert_array_equal(g, w, strict=True)


@cases
def test_a_batch_is_its_elements_one_by_one(case):
    ours, points = function_of_points(case, special, diff_n=1)
    batches = [jnp.stack([p, p / 2]) for p in points]
    got = jax.tree.leaves(jax.jit(jax.vmap(ours))(*batches))
    for k in range(2):
        want = jax.tree.leaves(ours(*(b[k] for b in batches)))
        for g, w in zip(got, want, strict=True):
            np.testing.assert_array_equal(g[k], w)


@cases
@pytest.mark.rotating
def test_the_derivative_is_the_next_of_scipys(case):
    """Forward and reverse, in the first of the points' arguments: z or theta."""
    ours, points = function_of_points(case, special, diff_n=0)
    scipys, _ = function_of_points(case, scipy.special, diff_n=1)
    want = scipys(*map(np.asarray, points))
    want = want[1][..., 0] if isinstance(want, tuple) else want[1:]
    first, *others = points
    slope = jax.jit(lambda x: jax.jvp(lambda t: ours(t, *others), (x,), (jnp.ones_like(x),))[1])(first)
    np.testing.assert_array_equal(slope, want)
    y, pullback = jax.vjp(lambda t: ours(t, *others), first)
    (gradient,) = pullback(jnp.ones_like(y))
    np.testing.assert_allclose(
        jnp.sum(gradient), jnp.sum(slope) if y.dtype == first.dtype else jnp.sum(slope.real)
    )


def associated(t):
    return (1 - t**2) * mpmath.diff(lambda s: mpmath.legendre(6, s), t, 2)


def harmonic(m, theta, phi=0):
    return mpmath.spherharm(6, m, theta, phi)


HIGH = [
    (lambda t: special.legendre_p(6, t)[0], lambda t: mpmath.legendre(6, t)),
    (lambda t: special.legendre_p_all(6, t)[0, 5], lambda t: mpmath.legendre(5, t)),
    (lambda t: special.assoc_legendre_p(6, 2, t)[0], associated),
    (lambda t: special.assoc_legendre_p_all(6, 2, t)[0, 6, 2], associated),
    (lambda t: special.sph_legendre_p(6, 2, t)[0], lambda t: harmonic(2, t).real),
    (lambda t: special.sph_legendre_p_all(6, 2, t)[0, 6, 2], lambda t: harmonic(2, t).real),
    (lambda t: special.sph_harm_y(6, 2, t, 2 * t).imag, lambda t: harmonic(2, t, 2 * t).imag),
    (lambda t: special.sph_harm_y_all(6, 2, t, 2 * t)[6, -1].real, lambda t: harmonic(-1, t, 2 * t).real),
]


@pytest.mark.parametrize("number", range(len(HIGH)))
@pytest.mark.rotating
def test_derivatives_to_the_fourth_order(number):
    """Two more than SciPy has."""
    ours, definition = HIGH[number]
    with mpmath.workdps(50):
        for order in range(5):
            want = float(mpmath.diff(definition, mpmath.mpf(0.4), order))
            np.testing.assert_allclose(jax.jit(ours)(0.4), want, rtol=1e-11)
            ours = jax.grad(ours)


@pytest.mark.parametrize("number", range(len(HIGH)))
@pytest.mark.rotating
def test_the_derivative_of_a_compiled_function(number):
    """In a traced program the degree is a number of Python's, without a shape."""
    ours = HIGH[number][0]
    want = jax.grad(ours)(0.4)
    for transformed in (jax.jit(ours), jax.checkpoint(ours)):
        np.testing.assert_allclose(jax.grad(transformed)(0.4), want, rtol=1e-14)
        np.testing.assert_allclose(jax.linearize(transformed, 0.4)[1](1.0), want, rtol=1e-14)
    np.testing.assert_allclose(jax.vmap(jax.grad(jax.jit(ours)))(jnp.full(2, 0.4)), [want] * 2, rtol=1e-14)


def test_at_the_poles_of_the_sphere_and_the_ends_of_the_interval():
    slopes = jax.vmap(jax.grad(lambda t: special.sph_legendre_p(3, 1, t)[0]))(jnp.array([0.0, jnp.pi]))
    np.testing.assert_allclose(slopes, [-(21**0.5) / np.pi**0.5 / 2, 21**0.5 / np.pi**0.5 / 2])
    third = jax.grad(jax.grad(jax.grad(lambda x: special.legendre_p(4, x)[0])))
    np.testing.assert_allclose(third(1.0), 105.0)


def test_precision_follows_the_points():
    assert special.legendre_p(3, np.float32(0.3)).dtype == np.float32
    assert special.sph_harm_y(3, 1, np.float32(0.3), np.float32(0.3)).dtype == np.complex64
    assert special.legendre_p(3, 1).dtype == np.float64
    assert special.assoc_legendre_p_all(3, 1, np.zeros((0, 2))).shape == (1, 4, 3, 0, 2)


def test_what_cannot_be_says_so():
    with pytest.raises(SignatureError, match="diff_n is 0, 1 or 2"):
        special.legendre_p(3, 0.3, diff_n=3)
    with pytest.raises(SignatureError, match="non-negative Python integer"):
        special.legendre_p_all(-1, 0.3)
    with pytest.raises(SignatureError, match="`m` is an integer"):
        special.sph_legendre_p(3, 1.0, 0.3)

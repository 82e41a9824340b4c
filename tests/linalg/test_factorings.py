"""`hostwrap.linalg`, decompositions that follow from others: SciPy's values, derivatives by differences of them."""

import doctest

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.linalg

import hostwrap as hw
from hostwrap import linalg
from hostwrap.linalg import _factorings as factorings
from tests._kit.along import change, flat
from tests._kit.days import by_turns

random = np.random.default_rng(6)
A, TALL, B = random.normal(size=(4, 4)) + 3 * np.eye(4), random.normal(size=(5, 3)), random.normal(size=4)
WIDE = np.stack([np.linspace(4, 5, 5), random.normal(size=5), random.normal(size=5) / 4])
BAND = np.where(np.arange(3)[:, None] + np.arange(5) < 5, WIDE, 0)
B5 = random.normal(size=5)
TURN = np.exp(1j * random.normal(size=(5, 3)))
PROJECTOR = lambda z: z @ z.conj().T
TURNED = np.linalg.qr(A + 5 * random.normal(size=(4, 4)))[0]
ANGLES = lambda m, q, t, *sizes: m.cossin(q @ m.expm(t - t.T), *sizes, True, False, False, False)[1]
PRODUCT = lambda *factors: factors[0] @ factors[1] @ factors[2]


def UNSIGNED(u, angles, v):
    """What of the factors does not depend on their signs."""
    spread = np.diag([1.0, 3.0])
    return angles, u[0] @ spread @ v[0], u[1] @ spread @ v[0], u[0] @ spread @ v[1], u[1] @ spread @ u[1].T


CASES = {
    "eigvalsh_tridiagonal": (lambda m, d, e: m.eigvalsh_tridiagonal(d, e), B, B[1:]),
    "pinvh": (lambda m, a: m.pinvh(a @ a.conj().T), A),
    "null_space": (lambda m, a: PROJECTOR(m.null_space(a)), TALL.T),
    "complex null_space": (lambda m, a: PROJECTOR(m.null_space(a)), (TALL * TURN).T),
    "rq": (lambda m, a: m.rq(a), A),
    "wide rq": (lambda m, a: m.rq(a, mode="economic"), TALL.T),
    "complex rq": (lambda m, a: m.rq(a, mode="economic"), (TALL * TURN).T),
    "qr_multiply": (lambda m, a, c: m.qr_multiply(a, c), TALL, TALL.T),
    "qr_multiply left": (lambda m, a, c: m.qr_multiply(a, c, "left", conjugate=True), TALL * TURN, TALL.T[:, :2]),
    **{f"lu_solve {t}": (lambda m, a, b, t=t: m.lu_solve((a, np.array([2, 1, 3, 3])), b, t), A, B) for t in range(3)},
    "cholesky_banded": (lambda m, ab: m.cholesky_banded(ab, lower=True)[:, :3], BAND),
    "upper cholesky_banded": (lambda m, ab: m.cholesky_banded(ab)[:, 2:], BAND[::-1, ::-1].copy()),
    "complex cholesky_banded": (
        lambda m, ab: m.cholesky_banded(ab, lower=True)[:, :3], BAND * np.array([[1], [1j], [0.3 - 1j]])),
    "cho_solve_banded": (lambda m, cb, b: m.cho_solve_banded((cb, True), b), BAND, random.normal(size=(5, 2))),
    "upper cho_solve_banded": (lambda m, cb, b: m.cho_solve_banded((cb, False), b), BAND[::-1, ::-1].copy(), B5),
    **{f"angles {k}": (lambda m, t, k=k: ANGLES(m, TURNED, t, *k), A / 9) for k in ((1, 2), (2, 3))},
    "angles of complex ones": (lambda m, t: ANGLES(m, TURNED * np.exp(1j * B), t, 3, 2), A / 9),
    "cossin factors": (lambda m, t: UNSIGNED(*m.cossin(TURNED @ m.expm(t - t.T), 2, 2, True)), A / 9),
    "swapped cossin": (lambda m, t: UNSIGNED(*m.cossin(TURNED @ m.expm(t - t.T), 2, 2, True, True)), A / 9),
    "whole cossin": (lambda m, t: PRODUCT(*m.cossin(TURNED @ m.expm(t - t.T), 2, 2)), A / 9),
    "clarkson_woodruff_transform": (lambda m, a: m.clarkson_woodruff_transform(a * TURN, 3, seed=4), TALL),
    "matrix_balance": (lambda m, a: m.matrix_balance(a * np.array([1, 64, 1, 0.1]))[0], A),
}  # fmt: skip


@pytest.mark.parametrize("name", by_turns(*CASES))
def test_values_and_derivatives(name):
    call, *at = CASES[name]
    along = [random.normal(size=x.shape) * (1 + (0.5j if np.iscomplexobj(x) else 0)) * (x != 0) for x in at]
    ours, theirs = (lambda *x, m=m: flat(call(m, *x)) for m in (linalg, scipy.linalg))
    np.testing.assert_allclose(jax.jit(ours)(*at), theirs(*at), rtol=1e-10, atol=1e-12)
    expected = change(theirs, at, along, 1e-4)
    value, tangent = jax.jvp(ours, at, along)
    np.testing.assert_allclose(tangent, expected, rtol=1e-7, atol=1e-7)
    weights = random.normal(size=value.shape)
    back = jax.grad(lambda x: jnp.sum(weights * ours(*x).real))(at)
    pulled = sum(jnp.sum((c * d).real) for c, d in zip(back, along, strict=True))
    np.testing.assert_allclose(pulled, np.sum(weights * tangent.real), rtol=1e-9)


@pytest.mark.parametrize("name", by_turns("null_space", "rq", "cholesky_banded"))
def test_second_derivatives(name):
    call, at = CASES[name]
    along = random.normal(size=at.shape) * (at != 0)
    slope = lambda x: jax.jvp(lambda x: flat(call(linalg, x)), (x,), (along,))[1]
    change = (slope(at + 1e-5 * along) - slope(at - 1e-5 * along)) / 2e-5
    np.testing.assert_allclose(
        jax.jit(lambda x: jax.jvp(slope, (x,), (along,))[1])(at), change, rtol=1e-5, atol=1e-6
    )


def test_corners_of_a_band_are_not_read():
    dirty = np.where(BAND == 0, 99.0, BAND)
    assert np.array_equal(linalg.cholesky_banded(dirty, lower=True), linalg.cholesky_banded(BAND, lower=True))
    slope = jax.grad(lambda ab: linalg.cholesky_banded(ab, lower=True).sum())(dirty)
    assert np.all(np.asarray(slope)[BAND == 0] == 0) and np.isfinite(slope).all()


@pytest.mark.rotating
def test_the_examples_say_what_comes_out():
    assert not doctest.testmod(factorings).failed


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: linalg.null_space(TALL), r"wants A of shape \(m, n\) with m < n, got \(5, 3\)"),
        (lambda: linalg.rq(TALL.T), "m < n and mode='economic'"),
        (lambda: linalg.rq(A, mode="x"), "mode='x' must be full, economic or r"),
        (lambda: linalg.qr_multiply(TALL.T, B), "with m >= n"),
        (lambda: linalg.lu_solve((A, np.arange(4)), np.ones(3)), "lu_solve: wants lu"),
    ],
)
def test_what_does_not_fit_is_refused(call, words):
    with pytest.raises(hw.SignatureError, match=words):
        call()


def test_a_rank_that_is_too_small_is_an_error():
    with pytest.raises(np.linalg.LinAlgError, match="the rank of A is 1; it must be 2"):
        linalg.null_space(np.ones((2, 3)))


def test_factors_that_are_not_unique_have_no_derivative():
    turned = lambda t: linalg.cossin(TURNED * jnp.exp(1j * t), 2, 2, separate=True)
    with pytest.raises(hw.MissingDerivative, match=r"cossin: .*compute_u=False"):
        jax.jvp(turned, (0.3,), (1.0,))
    with pytest.raises(
        hw.SignatureError, match=r"cossin: wants X of shape \(m, m\) and integers p and q from 1"
    ):
        linalg.cossin(A, 4, 1)
    with pytest.raises(hw.SignatureError, match="wants a matrix and rng to be an integer"):
        linalg.clarkson_woodruff_transform(A, 2)
    parts = TURNED[:2, :2], TURNED[:2, 2:], TURNED[2:, :2], TURNED[2:, 2:]
    np.testing.assert_array_equal(linalg.cossin(parts)[1], linalg.cossin(TURNED, 2, 2)[1])

"""Functions that read one half of a matrix: the derivative in the other half is 0, and in this one it counts twice."""

import jax
import numpy as np
import pytest
import scipy.linalg

import hostwrap as hw
from hostwrap._tracing.tape import run
from tests._kit.toys import same

RNG = np.random.default_rng(0)
B, W, R = RNG.normal(size=(3, 3)), RNG.normal(size=(3, 3)), RNG.normal(size=3)
S = B @ B.T + 3 * np.eye(3)
H = S + 1j * (B - B.T)  # Hermitian

FUNCTIONS = {
    "cholesky": lambda s: np.linalg.cholesky(s),
    "cholesky upper": lambda s: np.linalg.cholesky(s, upper=True),
    "scipy cholesky": lambda s: scipy.linalg.cholesky(s),
    "scipy cholesky lower": lambda s: scipy.linalg.cholesky(s, lower=True),
    "cho_solve": lambda s: scipy.linalg.cho_solve(scipy.linalg.cho_factor(s), R),
    "cho_solve lower": lambda s: scipy.linalg.cho_solve(scipy.linalg.cho_factor(s, True), R),
    "eigvalsh": lambda s: np.linalg.eigvalsh(s),
    "eigh": lambda s: np.linalg.eigh(s)[1] ** 2,
    "eigh upper": lambda s: np.linalg.eigh(s, "U")[1] ** 2,
    "scipy eigh": lambda s: scipy.linalg.eigh(s)[1] ** 2,
    "scipy eigh upper": lambda s: scipy.linalg.eigh(s, lower=False)[1] ** 2,
    "scipy eigvalsh upper": lambda s: scipy.linalg.eigvalsh(s, lower=False),
    "solve": lambda s: scipy.linalg.solve(s, R),
    "svd": lambda s: np.linalg.svd(s, hermitian=True)[0] ** 2,
    "pinv": lambda s: np.linalg.pinv(s, hermitian=True),
    **{
        f"solve {a} {lower}": lambda s, a=a, lower=lower: scipy.linalg.solve(s, R, assume_a=a, lower=lower)
        for a in ("sym", "her", "pos")
        for lower in (False, True)
    },
}


def differences(f, s, direction):
    """By six points."""
    weights = {1: 3 / 4, 2: -3 / 20, 3: 1 / 60}
    return (
        sum(w * (f(s + k * 1e-3 * direction) - f(s - k * 1e-3 * direction)) for k, w in weights.items())
        / 1e-3
    )


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_derivative_is_that_of_the_half_that_is_read(name):
    f = lambda s: np.sum(FUNCTIONS[name](s) * W)
    units = np.eye(9).reshape(9, 3, 3)
    expected = np.array([differences(f, S, e) for e in units]).reshape(3, 3)
    traced = hw.wrap("(n,n)->()")(f)
    assert hw.explain(traced, S).way == "traced"
    same(jax.grad(traced)(S), expected, 1e-8)
    same(jax.jvp(traced, (S,), (B,))[1], np.sum(expected * B), 1e-8)
    recorded = run(f, [S], [True])
    same(recorded.vjp([1.0])[0], expected, 1e-8)
    same(recorded.jvp([B])[0], np.sum(expected * B), 1e-8)


@pytest.mark.parametrize(
    "f",
    [
        lambda s: np.linalg.cholesky(s),
        lambda s: scipy.linalg.solve(s, R, assume_a="her"),
        lambda s: scipy.linalg.solve(s, R, assume_a="sym"),
    ],
    ids=["cholesky", "her", "sym"],
)
def test_complex_matrices_are_hermitian_or_symmetric(f):
    at = H if "sym" not in f.__code__.co_consts else H + 1j * (B + B.T)
    g = lambda x: np.abs(np.sum(f(at + x * (1 + 2j)) * W)) + np.sum(np.imag(f(at + x * (1 + 2j))))
    expected = differences(g, np.zeros((3, 3)), B)
    same(jax.jvp(hw.wrap("(n,n)->()")(g), (np.zeros((3, 3)),), (B,))[1], expected, 1e-8)
    same(run(g, [np.zeros((3, 3))], [True]).jvp([B])[0], expected, 1e-8)


STRUCTURES = ["diagonal", "tridiagonal", "lower triangular", "upper triangular"]


@pytest.mark.parametrize("structure", STRUCTURES)
def test_what_a_structure_leaves_out_has_no_derivative(structure):
    f = lambda s: np.sum(scipy.linalg.solve(s, R, assume_a=structure) * R)
    expected = differences(f, S, B)
    same(jax.jvp(hw.wrap("(n,n)->()")(f), (S,), (B,))[1], expected, 1e-8)
    same(run(f, [S], [True]).jvp([B])[0], expected, 1e-8)

"""`hostwrap.linalg`, structured matrices: SciPy's bits, derivatives by differences and by the dense matrix."""

import doctest

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.linalg

import hostwrap as hw
from hostwrap import linalg
from hostwrap._recipes import structured
from tests._kit import scipys
from tests._kit.scipys import Case
from tests._kit.toys import same

random = np.random.default_rng(3)
N = 6


def draw(*shape, kind=float):
    x = random.normal(size=shape)
    return x + 1j * random.normal(size=shape) if kind is complex else x


def band(kind=float):
    return draw(4, N, kind=kind) + np.array([[0.0], [0.0], [5.0], [0.0]])


def positive(lower, kind=float):
    ab = 0.3 * draw(3, N, kind=kind)
    ab[0 if lower else -1] = 4 + np.abs(ab[0])
    return ab


def dense_band(ab):
    rows = [(r, j, j - (2 - r)) for r in range(4) for j in range(N)]
    return sum(ab[r, j] * jnp.eye(N)[i][:, None] * jnp.eye(N)[j] for r, j, i in rows if 0 <= i < N)


def dense_hermitian(ab, lower):
    offsets = [(k, k if lower else 2 - k) for k in range(3)]
    a = sum(
        ab[row, j] * jnp.eye(N)[j + k if lower else j - k][:, None] * jnp.eye(N)[j]
        for k, row in offsets[1:]
        for j in range(N)
        if 0 <= (j + k if lower else j - k) < N
    )
    return a + a.conj().T + jnp.diag(ab[0 if lower else -1].real)


def circulant(c):
    return jax.scipy.linalg.toeplitz(c, jnp.roll(c[::-1], 1))


def cases(kind):
    b, column, row = draw(N, kind=kind), draw(N, kind=kind) + 5 * np.eye(N)[0], draw(N, kind=kind)
    return {
        "solve_banded": (
            lambda ab, b: linalg.solve_banded((1, 2), ab, b),
            lambda ab, b: jnp.linalg.solve(dense_band(ab), b),
            (band(kind), b),
        ),
        "solveh_banded": (
            linalg.solveh_banded,
            lambda ab, b: jnp.linalg.solve(dense_hermitian(ab, False), b),
            (positive(False, kind), b),
        ),
        "solveh_banded, lower": (
            lambda ab, b: linalg.solveh_banded(ab, b, lower=True),
            lambda ab, b: jnp.linalg.solve(dense_hermitian(ab, True), b),
            (positive(True, kind), b),
        ),
        "solve_toeplitz": (
            lambda c, r, b: linalg.solve_toeplitz((c, r), b),
            lambda c, r, b: jnp.linalg.solve(jax.scipy.linalg.toeplitz(c, r), b),
            (column, row, b),
        ),
        "solve_circulant": (
            linalg.solve_circulant,
            lambda c, b: jnp.linalg.solve(circulant(c), b),
            (column, b),
        ),
    }


NAMES = tuple(cases(float))
energy = lambda f: lambda *args: jnp.sum(jnp.abs(f(*args) + 0.3) ** 2)


@pytest.mark.parametrize("kind", [float, complex])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.rotating
def test_derivatives_are_those_of_the_dense_matrix(name, kind):
    f, dense, args = cases(kind)[name]
    every = tuple(range(len(args)))
    same(f(*args), dense(*args), 1e-13)
    same(jax.jit(jax.grad(energy(f), every))(*args), jax.grad(energy(dense), every)(*args), 1e-12)
    if kind is float:
        got = jax.jit(jax.hessian(energy(f), every))(*args)
        same(got, jax.hessian(energy(dense), every)(*args), 1e-11)
    stacks = [np.stack([x, x + 0.01]) for x in args]
    same(jax.jit(jax.vmap(f))(*stacks), jnp.stack([f(*(s[k] for s in stacks)) for k in range(2)]), 1e-14)


def test_a_column_alone_is_a_hermitian_matrix():
    _, _, (c, _, b) = cases(complex)["solve_toeplitz"]
    same(linalg.solve_toeplitz(c, b), jnp.asarray(scipy.linalg.solve_toeplitz(c, b)), 0.0)
    same(linalg.solve_toeplitz(c, b), linalg.solve_toeplitz((c, c.conj()), b), 1e-13)


class Plain:
    def __init__(self, module):
        self.banded = lambda ab, b: module.solve_banded((1, 2), ab, b)
        self.hermitian = lambda ab, b: module.solveh_banded(ab, b)
        self.toeplitz = lambda c, r, b: module.solve_toeplitz((c, r), b)
        self.circulant = lambda c, b: module.solve_circulant(c, b)


SCIPYS = [
    Case("banded", (band(), draw(N, 2)), {}, 2),
    Case("hermitian", (positive(False), draw(N, 2)), {}, 2),
    Case("toeplitz", (draw(N) + 5 * np.eye(N)[0], draw(N), draw(N, 2)), {}, 3),
    Case("circulant", (draw(N) + 5 * np.eye(N)[0], draw(N)), {}, 2),
]


@pytest.mark.parametrize("case", **scipys.each(SCIPYS))
def test_values_are_scipys_own(case):
    scipys.bits(Plain(linalg), Plain(scipy.linalg), case)
    scipys.narrow(Plain(linalg), case)


@pytest.mark.rotating
@pytest.mark.parametrize("case", **scipys.each(SCIPYS))
def test_derivatives_are_as_differences(case):
    scipys.derivatives(Plain(linalg), Plain(scipy.linalg), case)


def test_nothing_is_as_large_as_the_matrix():
    n = 20_000
    ab, b = np.ones((3, n)) * np.array([[1.0], [4.0], [1.0]]), np.ones(n)
    gradient = jax.jit(jax.grad(lambda ab: jnp.sum(linalg.solve_banded((1, 1), ab, b))))
    assert gradient.lower(ab).compile().memory_analysis().temp_size_in_bytes < 100 * n * 8
    assert gradient(ab).shape == ab.shape


def test_the_examples_say_what_comes_out():
    found = doctest.testmod(structured)
    assert found.attempted and not found.failed


def test_what_does_not_fit_is_refused():
    with pytest.raises(
        hw.SignatureError, match=r"solve_toeplitz: wants a column .* got \(2,\), \(3,\), \(2,\)"
    ):
        linalg.solve_toeplitz((np.ones(2), np.ones(3)), np.ones(2))
    with pytest.raises(hw.SignatureError, match="solve_banded: `ab` must be a number or an array"):
        linalg.solve_banded((0, 0), "cat", np.ones(2))
    with pytest.raises(np.linalg.LinAlgError):
        linalg.solveh_banded(-np.ones((1, 2)), np.ones(2))


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("kind", [float, complex])
@pytest.mark.rotating
def test_eigenvalues_of_bands(lower, kind):
    """Values are SciPy's, gradients those of the dense matrix, without what SciPy does not read."""
    band = draw(3, N, kind=kind)
    if kind is complex:
        band[0 if lower else -1] = band[0 if lower else -1].real
    weights = np.arange(1.0, N + 1)

    def dense(b):
        rows = [b[k, : N - k] if lower else b[2 - k, k:] for k in range(3)]
        sides = sum(jnp.diag(r, -k if lower else k) for k, r in enumerate(rows) if k)
        return jnp.diag(rows[0]).real + sides + sides.conj().T

    same(linalg.eigvals_banded(band, lower), jnp.asarray(scipy.linalg.eigvals_banded(band, lower)), 1e-13)
    ours = jax.grad(lambda b: linalg.eigvals_banded(b, lower) @ weights)(band)
    same(ours, jax.grad(lambda b: jnp.linalg.eigvalsh(dense(b)) @ weights)(band), 1e-10)
    near = jax.jvp(lambda b: abs(linalg.eig_banded(b, lower)[1]) ** 2, (band,), (band**2,))[1]
    vectors = lambda t: abs(scipy.linalg.eig_banded(band + t * band**2, lower)[1]) ** 2
    np.testing.assert_allclose(near, (vectors(1e-6) - vectors(-1e-6)) / 2e-6, rtol=1e-5, atol=1e-6)
    with pytest.raises(hw.SignatureError, match=r"eig_banded: wants a_band of shape \(u \+ 1, n\)"):
        linalg.eig_banded(band[0])

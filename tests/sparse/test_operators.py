"""`hostwrap.sparse.linalg` with operators, eigenpairs of any matrix, the action of an exponential."""

import doctest

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg

import hostwrap as hw
from hostwrap.sparse import _actions as actions
from hostwrap.sparse import _krylov as krylov
from hostwrap.sparse import _matrixfree as matrixfree
from hostwrap.sparse import linalg
from hostwrap.testing import check
from tests._kit.days import by_turns

random = np.random.default_rng(0)
A, B = random.normal(size=(5, 5)) + 5 * np.eye(5), random.normal(size=5)
S = A @ A.T
TALL = random.normal(size=(7, 4))
PLAIN = random.normal(size=(6, 6))
TIGHT = {"rtol": 1e-14}
RIGHT = np.sin(np.arange(1.0, 8.0))


@pytest.mark.parametrize("name", by_turns(*krylov.NAMES))
def test_operators_in_solvers(name):
    symmetric = name in ("cg", "minres")
    even = (lambda x: (x + x.T) / 2) if symmetric else (lambda x: x)
    of = lambda x: linalg.LinearOperator((5, 5), lambda v: even(x) @ v)
    f = lambda x, b: getattr(linalg, name)(of(x), b, **TIGHT)[0]
    matrix = S if symmetric else A
    np.testing.assert_allclose(f(matrix, B), np.linalg.solve(matrix, B), rtol=1e-10)
    check(f, matrix, B, rtol=1e-5, order=1 if name == "cg" else 2)


@pytest.mark.rotating
def test_operators_of_scipy_and_preconditioners():
    theirs = scipy.sparse.linalg.aslinearoperator(A)
    check(lambda b: linalg.gmres(theirs, b, **TIGHT)[0], B, order=1)
    near = scipy.sparse.diags_array(1 / np.diag(A))
    check(lambda x, b: linalg.gmres(x, b, M=near, **TIGHT)[0], A, B, order=1)
    solve = lambda x, b: linalg.qmr(x, b, M1=near, M2=np.eye(5), **TIGHT)[0]
    pulled = jax.grad(lambda x: solve(x, B) @ B)(A)
    np.testing.assert_allclose(pulled, -np.outer(np.linalg.solve(A.T, B), np.linalg.solve(A, B)), rtol=1e-8)
    whole = A + 1j * A.T
    complex_one = scipy.sparse.linalg.aslinearoperator(whole)
    x = linalg.gmres(complex_one, B, **TIGHT)[0]
    np.testing.assert_allclose(x, np.linalg.solve(whole, B), rtol=1e-10)
    check(lambda b: linalg.gmres(complex_one, b, **TIGHT)[0], B + 0j, order=1)


@pytest.mark.rotating
def test_least_squares_with_operators():
    of = lambda x: linalg.LinearOperator((7, 4), lambda v: x @ v)
    exact = {"atol": 1e-15, "btol": 1e-15, "conlim": 0}
    b = random.normal(size=7)
    damped = lambda x, b, d: linalg.lsqr(of(x), b, d, iter_lim=200, **exact)[0]
    check(damped, TALL, b, 0.3, rtol=1e-5, order=1)
    plain = lambda x: np.linalg.solve(x.T @ x + 0.09 * np.eye(4), x.T @ b)
    np.testing.assert_allclose(damped(TALL, b, 0.3), plain(TALL), rtol=1e-10)
    got = linalg.lsmr(scipy.sparse.linalg.aslinearoperator(TALL), b, maxiter=200, **exact)[0]
    np.testing.assert_allclose(got, np.linalg.lstsq(TALL, b)[0], rtol=1e-10)


@pytest.mark.parametrize("solver", ["lsqr", "lsmr"])
@pytest.mark.parametrize("of", [np.asarray, None], ids=["matrix", "operator"])
def test_the_smallest_of_many_solutions(solver, of):
    """It moves with the matrix as its pseudo-inverse does, along the kernel, too."""
    exact, A, b = {"atol": 1e-14, "btol": 1e-14}, TALL.T[:3], B[:3]
    made = jnp.asarray if of else lambda A: linalg.LinearOperator(A.shape, lambda v: A @ v, dtype=float)
    x = lambda A, b, d=0.0: getattr(linalg, solver)(made(A), b, d, **exact)[0]
    true = lambda A, b: jnp.linalg.pinv(A) @ b
    along = jnp.cos(A), jnp.sin(b)
    for f in (lambda g: jax.jacrev(g, (0, 1)), lambda g: lambda *a: jax.jvp(jax.jacrev(g), a, along)[1]):
        for got, want in zip(f(x)(A, b), f(true)(A, b), strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-12)
    damped = lambda A, b, d: jnp.linalg.solve(A.T @ A + d**2 * jnp.eye(A.shape[1]), A.T @ b)
    moved = lambda g: jax.jvp(g, (A, b, 0.3), (*along, 1.0))[1]
    np.testing.assert_allclose(moved(x), moved(damped), rtol=1e-9)


@pytest.mark.parametrize("solver", ["lsqr", "lsmr"])
@pytest.mark.parametrize("wide", [False, True], ids=["tall", "wide"])
@pytest.mark.parametrize("damp", [0.0, 0.7])
def test_least_squares_from_a_start(solver, wide, damp):
    """SciPy dampens the way from x0: the answer moves with it, and without damping along the kernel of the matrix."""
    A = TALL.T[:3] if wide else TALL
    b, start = RIGHT[: len(A)], 3.0 * np.cos(np.arange(A.shape[1]))
    options = {"atol": 1e-14, "btol": 1e-14, "conlim": 0}
    ours = lambda A, b, x0: getattr(linalg, solver)(A, b, damp, x0=x0, **options)
    theirs = getattr(scipy.sparse.linalg, solver)(A, b, damp, x0=start, **options)
    free = lambda A: linalg.LinearOperator(A.shape, lambda v: A @ v, dtype=float)
    again = lambda A, b, x0: getattr(linalg, solver)(free(A), b, damp, x0=x0, **options)
    ridge = lambda A: damp**2 * jnp.eye(A.shape[1])
    inverse = lambda A: jnp.linalg.solve(A.T @ A + ridge(A), A.T) if damp else jnp.linalg.pinv(A)
    true = lambda A, b, x0: x0 + inverse(A) @ (b - A @ x0)
    for f in (ours, again):
        places = [0, 3, 4, 8] if solver == "lsqr" else [0, 3, 7]
        for place in places:
            np.testing.assert_allclose(f(A, b, start)[place], theirs[place], rtol=1e-9, atol=1e-11)
        pulled = jax.jacrev(lambda *given, f=f: f(*given)[0], (0, 1, 2))(A, b, start)
        for got, want in zip(pulled, jax.jacrev(true, (0, 1, 2))(A, b, start), strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-8, atol=1e-11)


def test_lsqr_takes_no_notice_of_negative_damping():
    """As SciPy's; its lsmr takes the square."""
    x = lambda A, d: linalg.lsqr(A, RIGHT, d, atol=1e-14, btol=1e-14)[0]
    np.testing.assert_allclose(x(TALL, -0.7), scipy.sparse.linalg.lsqr(TALL, RIGHT, -0.7, 1e-14, 1e-14)[0])
    moved = jax.jacrev(x, (0, 1))
    for got, want in zip(moved(TALL, -0.7), moved(TALL, 0.0), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-12)


def test_an_operator_and_its_relatives():
    op = linalg.LinearOperator((7, 4), lambda v: (1j * TALL) @ v)
    c = random.normal(size=7)
    assert op.dtype == complex
    np.testing.assert_allclose(op.rmatvec(c), -1j * TALL.T @ c)
    np.testing.assert_allclose(op.T.matvec(c), 1j * TALL.T @ c)
    np.testing.assert_allclose(op.H @ np.eye(7), -1j * TALL.T)
    np.testing.assert_allclose(op.T.rmatvec(B[:4]), -1j * TALL @ B[:4])
    np.testing.assert_allclose(linalg.aslinearoperator(TALL).H @ c, TALL.T @ c)


def _sorted(w, v):
    order = np.argsort(w.real + 1e-3 * w.imag)
    return w[order], v[:, order]


def test_eigenpairs_of_any_matrix():
    w, v = linalg.eigs(PLAIN, 2)
    ours, theirs = _sorted(np.asarray(w), np.asarray(v)), _sorted(*scipy.sparse.linalg.eigs(PLAIN, 2))
    np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-10)
    np.testing.assert_allclose(abs(ours[1]), abs(theirs[1]), rtol=1e-9)
    np.testing.assert_allclose(PLAIN @ v, v * w, atol=1e-12)
    largest = np.take_along_axis(np.asarray(v), np.argmax(abs(v), 0)[None], 0)
    assert np.all(abs(largest.imag) < 1e-15) and np.all(largest.real > 0)


MATRICES = {
    "values": (lambda x: linalg.eigs(x, 2, return_eigenvectors=False), PLAIN),
    "vectors": (lambda x: linalg.eigs(x, 2)[1], PLAIN),
    "near sigma": (lambda x: linalg.eigs(x, 1, sigma=0.3), PLAIN),
    "complex": (lambda x: linalg.eigs(x, 2)[1], PLAIN + 1j * PLAIN[::-1]),
}


@pytest.mark.parametrize("name", MATRICES)
@pytest.mark.rotating
def test_derivatives_of_eigenpairs_of_any_matrix(name):
    f, matrix = MATRICES[name]
    check(f, matrix, rtol=1e-5)


ACTIONS = {
    "a vector": (lambda x, b: linalg.expm_multiply(x, b), 9 * PLAIN, PLAIN[0]),
    "columns": (lambda x, b: linalg.expm_multiply(x, b), PLAIN, PLAIN[:, :2]),
    "times": (lambda x, b: linalg.expm_multiply(x, b, start=0.3, stop=1.0, num=3), PLAIN, PLAIN[0]),
    "complex": (lambda x, b: linalg.expm_multiply(x, b), PLAIN + 1j * PLAIN[::-1], PLAIN[0] + 0j),
}


@pytest.mark.parametrize("name", by_turns(*ACTIONS))
def test_actions_of_exponentials(name):
    f, *point = ACTIONS[name]
    check(f, *point, order=1 if name == "a vector" else 2)


def test_actions_are_those_of_scipy():
    for kwargs in (
        {},
        {"start": 0.3, "stop": 1.0, "num": 4},
        {"start": 0.0, "stop": 2.0, "num": 3, "endpoint": False},
    ):
        for b in (PLAIN[0], PLAIN[:, :2]):
            expected = scipy.sparse.linalg.expm_multiply(PLAIN, b, **kwargs)
            np.testing.assert_allclose(linalg.expm_multiply(PLAIN, b, **kwargs), expected, rtol=1e-11)


@pytest.mark.rotating
def test_the_pattern_alone_has_a_derivative():
    """The gradient in a matrix of a large tridiagonal pattern has three diagonals."""
    n = 500
    matrix = jax.experimental.sparse.BCOO.from_scipy_sparse(
        scipy.sparse.diags_array([np.ones(n - 1), -2 * np.ones(n), np.ones(n - 1)], offsets=[-1, 0, 1])
    )
    of = lambda data: linalg.expm_multiply(type(matrix)((data, matrix.indices), shape=(n, n)), jnp.ones(n))
    got = jax.grad(lambda data: of(data).sum())(matrix.data)
    assert got.shape == (3 * n - 2,)
    step = np.cos(np.arange(3 * n - 2))
    slope = (of(matrix.data + 1e-6 * step) - of(matrix.data - 1e-6 * step)).sum() / 2e-6
    np.testing.assert_allclose(got @ step, slope, rtol=1e-6)


@pytest.mark.rotating
def test_dense_arrays_in_direct_solvers():
    check(lambda x, b: linalg.spsolve(x, b), A, B, order=1)
    check(lambda x, b: linalg.factorized(x)(b), A, B, order=1)


@pytest.mark.parametrize("module", [actions, matrixfree])
def test_the_examples_say_what_comes_out(module):
    assert not doctest.testmod(module, extraglobs={"cg": linalg.cg}).failed


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: linalg.LinearOperator((2, 2), np.eye(2)), "matvec must be a function, got ndarray"),
        (lambda: linalg.LinearOperator((3, 2), lambda x: x), r"must return an array of shape \(3,\)"),
        (
            lambda: linalg.cg(linalg.LinearOperator((2, 2), lambda x: x), B),
            r"cg: wants a square `A` \[n, n\]",
        ),
        (
            lambda: linalg.lsqr(linalg.LinearOperator((2, 2), lambda x: x), B),
            r"lsqr: wants a real b of shape \(2,\)",
        ),
        (lambda: linalg.eigs(PLAIN, 5), "k=5 must be an integer from 1 to 4"),
        (lambda: linalg.expm_multiply(PLAIN, B), r"wants B of shape \(n,\) or \(n, k\)"),
        (lambda: linalg.expm_multiply(PLAIN, PLAIN, start=0.0), "give start= and stop= together"),
    ],
)
def test_what_does_not_fit_is_refused(call, words):
    with pytest.raises(hw.SignatureError, match=words):
        call()

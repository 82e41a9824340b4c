"""Sparse systems and eigenvectors in code without a rule, traced and recorded, beside differences."""

import jax
import numpy as np
import pytest
import scipy.linalg
from scipy import sparse, stats
from scipy.sparse import linalg as sl

import hostwrap as hw
from hostwrap._errors import MissingDerivative
from hostwrap._tracing.tape import run
from tests.tracing.corpus.differences import jacobian
from tests.tracing.test_recorded_scipy import check_slopes

X = np.array([0.3, 0.7, 0.2, 0.9, 0.5])
A = sparse.diags([[-1.0] * 4, [4.0, 3, 5, 4, 6], [-1.2] * 4], [-1, 0, 1], format="csc")
LU, SOLVE = sl.splu(A), sl.factorized(A)


def matrix(x):
    return sparse.diags([-x[:4], 4 + x, -1 - x[1:]], [-1, 0, 1], format="csc")


def steps(x):
    """Crank and Nicolson's, which factor once."""
    lu, u = sl.splu(sparse.eye(5, format="csc") + 0.1 * matrix(x)), np.sin(np.arange(5.0))
    for _ in range(4):
        u = lu.solve(u)
    return u


def newton(x):
    """It starts where a matrix has zeros among its entries, which C leaves out of a sum."""
    u = np.zeros(5)
    while True:
        off = matrix(x) @ u + u**3 - x
        if np.abs(off).max() < 1e-13:
            return u
        u = u - sl.spsolve(matrix(x) + sparse.diags(3 * u**2), off)


SPARSE = {
    "splu outside": lambda x: LU.solve(x) + SOLVE(x**2) + LU.solve(x, "T"),
    "splu": lambda x: (
        sl.splu(matrix(x)).solve(x) + sl.splu(matrix(x)).solve(x, "T") + sl.factorized(matrix(x))(x)
    ),
    "spilu": lambda x: sl.spilu(A).solve(np.sin(x)),
    "spsolve": lambda x: sl.spsolve(matrix(x), np.cos(x)) + sl.spsolve(A, x),
    "spsolve of columns": lambda x: sl.spsolve(matrix(x).tocsr(), np.stack([np.cos(x), x], 1)),
    "complex": lambda x: abs(sl.spsolve(A + 1j * sparse.diags(x), x + 1j)),
    "triangular": lambda x: sl.spsolve_triangular(sparse.tril(matrix(x)).tocsr(), x),
    "triangular, upper": lambda x: sl.spsolve_triangular(sparse.triu(matrix(x)).tocsc(), x, lower=False),
    "unit diagonal": lambda x: sl.spsolve_triangular(sparse.tril(matrix(x)).tocsr(), x, unit_diagonal=True),
    "steps": steps,
    "newton": newton,
    "an empty sum": lambda x: (matrix(x) + sparse.diags(0 * x)) @ x,
}
TRACED_ONLY = {
    "cg": lambda x: sl.cg(matrix(x) @ matrix(x).T, x, rtol=1e-13)[0],
    "gmres": lambda x: sl.gmres(matrix(x), x, rtol=1e-13)[0],
    "eigsh": lambda x: sl.eigsh(matrix(x) + matrix(x).T, k=2)[0],
    "expm_multiply": lambda x: sl.expm_multiply(matrix(x), x),
}


@pytest.mark.parametrize("name", SPARSE)
def test_a_sparse_system_is_recorded(name):
    f = SPARSE[name]
    np.testing.assert_allclose(run(f, [X], [True]).value[0], f(X), rtol=1e-11, atol=1e-13)
    check_slopes(f, X)


TRACED = {name: f for name, f in {**SPARSE, **TRACED_ONLY}.items() if name not in ("newton", "complex")}


@pytest.mark.parametrize("name", TRACED)
@pytest.mark.rotating
def test_a_sparse_system_is_traced(name):
    """And batched, since that is where host calls differ."""
    f = TRACED[name]
    wrapped = hw.wrap(out=jax.ShapeDtypeStruct(np.shape(f(X)), float))(f)
    assert hw.explain(wrapped, X).way == "traced"
    want = jacobian(lambda x: np.ravel(f(x)), X)
    points = np.stack([X, X + 0.1])
    found = jax.jit(jax.vmap(jax.jacrev(wrapped)))(points)[0].reshape(want.value.shape)
    np.testing.assert_allclose(found, want.value, rtol=1e-6, atol=1e-8 + want.error.max())


@pytest.mark.parametrize("name", ["spsolve", "steps", "newton"])
@pytest.mark.rotating
def test_second_derivatives_of_sparse_systems(name):
    f = SPARSE[name]
    wrapped = hw.wrap(out=jax.ShapeDtypeStruct((5,), float))(lambda x: f(x) * (1 if x[0] > -9 else 2))
    assert hw.explain(wrapped, X).way == "recorded"
    found = jax.hessian(lambda x: wrapped(x).sum())(X)
    first = jax.jacrev(lambda x: wrapped(x).sum())
    want = jacobian(lambda x: np.asarray(first(x)), X)
    np.testing.assert_allclose(found, want.value, rtol=1e-6, atol=1e-8)


def test_what_a_factorisation_does_not_give_is_refused():
    wrapped = hw.wrap(lambda x: np.log(abs(sl.splu(matrix(x * np.ones(5))).U.diagonal())).sum())
    with pytest.raises(MissingDerivative, match="use its solve"):
        jax.grad(wrapped)(0.3)


# ---- eigenvectors


def equal(r):
    """All pairs have the same correlation: two of three eigenvalues are equal, and LAPACK's differ by rounding."""
    return r * np.ones((3, 3)) + (1 - r) * np.eye(3)


Y = np.array([0.3, -0.4, 0.8])


@pytest.mark.parametrize("branch", [False, True], ids=["traced", "recorded"])
@pytest.mark.parametrize("eigh", [np.linalg.eigh, scipy.linalg.eigh], ids=["numpy", "scipy"])
@pytest.mark.rotating
def test_no_number_stands_for_eigenvectors_of_equal_eigenvalues(eigh, branch):
    """y' A^-1 y has a derivative, but not by its eigenvectors: it was a wrong number, and is NaN."""

    def f(r):
        w, v = eigh(equal(r if not branch or r > 0 else 2 * r))
        return ((Y @ v) ** 2 / w).sum()

    wrapped = hw.wrap(f)
    assert hw.explain(wrapped, 0.4).way == ("recorded" if branch else "traced")
    assert not np.isfinite(jax.grad(wrapped)(0.4)) and not np.isfinite(jax.jvp(wrapped, (0.4,), (1.0,))[1])


@pytest.mark.parametrize("branch", [False, True], ids=["traced", "recorded"])
@pytest.mark.rotating
def test_the_other_eigenvectors_have_derivatives(branch):
    def f(r):
        w, v = np.linalg.eigh(equal(r if not branch or r > 0 else 2 * r) + r**2 * np.outer(Y, Y) * 0)
        return (Y @ v[:, 2]) ** 2 * w[2]

    want = jacobian(lambda r: np.array([f(r[0])]), np.array([0.4])).value[0, 0]
    wrapped = hw.wrap(f)
    for slope in (
        jax.grad(wrapped),
        jax.jit(jax.grad(wrapped)),
        jax.jacfwd(wrapped),
        jax.jit(jax.jacfwd(wrapped)),
    ):
        np.testing.assert_allclose(slope(0.4), want, rtol=1e-7)
    np.testing.assert_allclose(jax.jit(jax.vmap(jax.grad(wrapped)))(np.full(2, 0.4)), [want] * 2, rtol=1e-7)


LAWS = {
    "normal": lambda r: stats.multivariate_normal.logpdf(Y, cov=equal(r)),
    "normal, upper": lambda r: stats.multivariate_normal(np.zeros(3), equal(r)).logpdf(Y),
    "t": lambda r: stats.multivariate_t.logpdf(Y, shape=equal(r), df=5.0),
}


@pytest.mark.parametrize("law", LAWS)
def test_densities_with_equal_correlations(law):
    f = LAWS[law]
    want = jacobian(lambda r: np.array([f(r[0])]), np.array([0.4]))
    wrapped = hw.wrap(f)
    np.testing.assert_allclose(jax.grad(wrapped)(0.4), want.value[0, 0], rtol=1e-7)
    second = jacobian(lambda r: np.array([float(jax.grad(wrapped)(r[0]))]), np.array([0.4]))
    np.testing.assert_allclose(jax.grad(jax.grad(wrapped))(0.4), second.value[0, 0], rtol=1e-6)


TRIDIAGONAL = {
    "all": lambda d: scipy.linalg.eigh_tridiagonal(d, d[1:] ** 2)[0],
    "values": lambda d: scipy.linalg.eigh_tridiagonal(d, d[1:] ** 2, eigvals_only=True),
    "first": lambda d: scipy.linalg.eigh_tridiagonal(d, d[1:] ** 2, True, "i", (0, 1)),
    "vectors": lambda d: (
        scipy.linalg.eigh_tridiagonal(d, d[1:] ** 2, select="i", select_range=(1, 2))[1] ** 2
    ),
}


@pytest.mark.parametrize("name", TRIDIAGONAL)
@pytest.mark.rotating
def test_tridiagonal_matrices(name):
    f = TRIDIAGONAL[name]
    check_slopes(f, X)
    wrapped = hw.wrap(out=jax.ShapeDtypeStruct(np.shape(f(X)), float))(f)
    assert hw.explain(wrapped, X).way == "traced"
    want = jacobian(lambda x: np.ravel(f(x)), X)
    np.testing.assert_allclose(
        jax.jacrev(wrapped)(X).reshape(want.value.shape), want.value, rtol=1e-6, atol=1e-9
    )


def test_eigenvalues_alone_of_a_matrix_without_symmetry():
    check_slopes(lambda x: np.sort(scipy.linalg.eig(np.diag(x) + np.outer(x, x**2), right=False).real), X)


@pytest.mark.parametrize("branch", [False, True], ids=["traced", "recorded"])
def test_least_squares_with_orthonormal_columns(branch):
    """All singular values are equal, and x has a derivative."""
    q = np.linalg.qr(np.array([[1.0, 2.0], [2.0, 0.1], [0.3, 1.0]]))[0]

    def f(t):
        a = q + (t if not branch or t > -1 else -t) * np.array([[0.3, 0.1], [0.2, -0.4], [0.5, 0.3]])
        x, squares, *_ = np.linalg.lstsq(a, Y, rcond=None)
        return x[0] * x[1] + squares[0]

    want = jacobian(lambda t: np.array([f(t[0])]), np.array([0.0])).value[0, 0]
    wrapped = hw.wrap(f)
    assert hw.explain(wrapped, 0.0).way == ("recorded" if branch else "traced")
    np.testing.assert_allclose(jax.grad(wrapped)(0.0), want, rtol=1e-7)


def test_powers_at_zero():
    x = np.array([0.0, 0.3, -1.2])
    for f in (lambda x: np.vander(x), lambda x: np.vander(x, 2, increasing=True)):
        check_slopes(f, x)
        wrapped = hw.wrap(out=jax.ShapeDtypeStruct(np.shape(f(x)), float))(f)
        want = jacobian(lambda x, f=f: np.ravel(f(x)), x).value
        np.testing.assert_allclose(jax.jacrev(wrapped)(x).reshape(want.shape), want, rtol=1e-7, atol=1e-9)


TURN = np.array([[0.2, 1.0, -0.3, 0.1], [-0.9, 0.3, 0.2, 0.0], [0.4, 0.1, -1.0, 0.7], [0.2, -0.5, -0.8, 0.6]])
SECOND = {
    "constant matrix": (lambda x: np.linalg.lstsq(np.vander(X, 3), np.exp(x), rcond=None)[0], X),
    "eigvals": (lambda a: np.abs(np.linalg.eigvals(a)), TURN),
    "eigvals, recorded": (lambda a: np.linalg.eigvals(a if a[0, 0] > 0 else -a).real, TURN),
    "real eigvals": (lambda x: np.sort(np.linalg.eigvals(np.diag(x) + 0.1 * np.eye(5, k=1) + 0.2)).real, X),
    "eig": (lambda a: np.abs(np.linalg.eig(a)[1][0]), TURN),
}


@pytest.mark.parametrize("name", SECOND)
def test_second_derivatives(name):
    """Forward over reverse, beside differences of the first ones."""
    f, x = SECOND[name]
    g = hw.wrap(out=jax.ShapeDtypeStruct(f(x).shape, float))(f)
    c, shape = np.cos(np.arange(len(f(x)))), x.shape
    first = jax.jit(jax.grad(lambda x: g(x) @ c))
    want = jacobian(lambda t: np.ravel(first(t.reshape(shape))), np.ravel(x))
    found = np.reshape(jax.jit(jax.jacfwd(first))(x), want.value.shape)
    np.testing.assert_allclose(found, want.value, rtol=1e-6, atol=1e-8 + 4 * want.error.max())

"""`hostwrap.sparse.linalg`, iterations and a few eigenpairs: SciPy's values, derivatives by differences of them."""

import doctest

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.linalg
import scipy.sparse
import scipy.sparse.linalg
from jax.experimental import sparse as jax_sparse

import hostwrap as hw
from hostwrap._recipes import factors
from hostwrap.sparse import _krylov as krylov
from hostwrap.sparse import _lanczos as lanczos
from hostwrap.sparse import _wholes as wholes
from hostwrap.sparse import linalg
from tests._kit import scipys
from tests._kit.scipys import Case
from tests._kit.toys import same

random = np.random.default_rng(3)
N = 7
PATTERN = np.array([[i, j] for i in range(N) for j in range(N) if abs(i - j) in (0, 1, 3)])
SYMMETRIC = np.where(
    PATTERN[:, 0] == PATTERN[:, 1], 5.0 + np.sin(1.0 + PATTERN[:, 0]), 1 / (1 + PATTERN.sum(1))
)
ANY = SYMMETRIC + 0.3 * random.normal(size=len(PATTERN))
TALL = np.array([[i, j] for i in range(6) for j in range(4) if (i + 2 * j) % 3])
LONG = random.normal(size=len(TALL)) + 2.0
RIGHT, RIGHT_TALL = random.normal(size=(N)), random.normal(size=6)
EXACT = {"rtol": 1e-13}


class Of:
    """SciPy's functions, or ours, of arrays alone."""

    def __init__(self, m, matrix):
        square = lambda data: matrix(data, PATTERN, (N, N))
        even = lambda data: (square(data) + square(data).T) * 0.5 if m is not linalg else _even(data)
        self.cg = lambda data, b: m.cg(even(data), b, **EXACT)[0]
        self.minres = lambda data, b: m.minres(even(data), b, **EXACT)[0]
        self.gmres = lambda data, b: m.gmres(square(data), b, **EXACT)[0]
        self.bicgstab = lambda data, b: m.bicgstab(square(data), b, **EXACT)[0]
        tall = lambda data: matrix(data, TALL, (6, 4))
        firm = {"atol": 1e-14, "btol": 1e-14, "conlim": 0}
        known = lambda f, *places: [f[i] for i in (0, *places)]  # and no derivative of the others
        self.lsqr = lambda data, b, damp: known(m.lsqr(tall(data), b, damp, iter_lim=500, **firm), 3, 4, 8)
        self.lsmr = lambda data, b, damp: known(m.lsmr(tall(data), b, damp, maxiter=500, **firm), 3, 7)
        free = lambda v: abs(v) ** 2
        order = lambda w, v: (w, free(v)) if m is linalg else (np.sort(w), free(v[:, np.argsort(w)]))
        self.eigsh = lambda data, **given: order(*m.eigsh(even(data), 2, **given))
        self.svds = lambda data: tuple(
            f(x) for f, x in zip((free, abs, free), m.svds(tall(data), 2), strict=True)
        )
        lower = PATTERN[PATTERN[:, 0] >= PATTERN[:, 1]]
        self.triangle = lambda data, b, **given: m.spsolve_triangular(
            matrix(data, lower if given.get("lower", True) else lower[:, ::-1], (N, N)), b, **given
        )
        self.splu = lambda data, b, trans="N": m.splu(
            square(data) if m is linalg else square(data).tocsc()
        ).solve(b, trans)


def _even(data):
    return jax_sparse.BCOO(
        (jnp.concatenate([data, data]) / 2, np.concatenate([PATTERN, PATTERN[:, ::-1]])), shape=(N, N)
    )


OURS = Of(linalg, lambda data, pattern, shape: jax_sparse.BCOO((data, pattern), shape=shape))
THEIRS = Of(
    scipy.sparse.linalg,
    lambda data, pattern, shape: scipy.sparse.coo_array((data, tuple(pattern.T)), shape=shape).tocsr(),
)
CASES = [
    *(Case(name, (SYMMETRIC, RIGHT), {}, 2, 0.02, 1e-8) for name in ("cg", "minres")),
    *(Case(name, (ANY, RIGHT), {}, 2, 0.02, 1e-8) for name in ("gmres", "bicgstab")),
    *(Case("lsqr", (LONG, RIGHT_TALL, np.array(d)), {}, 2 + (d > 0), 0.02, 1e-8) for d in (0.0, 0.7)),
    *(Case("lsmr", (LONG, RIGHT_TALL, np.array(d)), {}, 2 + (d > 0), 0.02, 1e-8) for d in (0.0, 0.7)),
    Case("eigsh", (SYMMETRIC,), {"which": "LA"}),
    Case("eigsh", (SYMMETRIC,), {"sigma": 4.0}),
    Case("svds", (LONG,)),
    *(
        Case("triangle", (ANY[PATTERN[:, 0] >= PATTERN[:, 1]], np.stack([RIGHT, RIGHT**2], 1)), given, 2)
        for given in ({}, {"lower": False}, {"unit_diagonal": True})
    ),
    *(Case("splu", (ANY, RIGHT), {"trans": t}, 2) for t in ("N", "T", "H")),
]
every = pytest.mark.parametrize("case", **scipys.each(CASES))
some = pytest.mark.parametrize("case", **scipys.each([CASES[0], CASES[5], CASES[8]]))


@pytest.mark.rotating
@every
def test_values_are_those_of_scipy(case):
    expected = jax.tree.map(jnp.asarray, case.of(THEIRS)(*case.point))
    same(case.of(OURS)(*case.point), expected, 1e-9)


@pytest.mark.exhaustive
@every
def test_derivatives_of_both_modes_and_orders(case):
    scipys.derivatives(OURS, THEIRS, case)


@pytest.mark.rotating
@some
def test_derivatives_of_some(case):
    scipys.derivatives(OURS, THEIRS, case)


@pytest.mark.rotating
def test_a_triangle_in_a_dense_array_and_in_a_batch():
    whole = np.tril(random.normal(size=(3, N, N))) + 3 * np.eye(N)
    expected = np.linalg.solve(whole, RIGHT)
    solve = jax.jit(jax.vmap(lambda A: linalg.spsolve_triangular(A, RIGHT)))
    np.testing.assert_allclose(solve(whole), expected, rtol=1e-12)
    lower = lambda data: jax_sparse.BCOO((data, np.stack(np.tril_indices(N), 1)), shape=(N, N))
    hw.testing.check(
        lambda data, b: linalg.spsolve_triangular(lower(data), b), whole[0][np.tril_indices(N)], RIGHT
    )
    with pytest.raises(np.linalg.LinAlgError, match="singular"):
        linalg.spsolve_triangular(scipy.sparse.csr_array(np.diag([1.0, 0.0])), np.ones(2))


def test_what_is_dense_of_a_sparse_matrix():
    A = scipy.sparse.coo_array((ANY / 9, tuple(PATTERN.T)), shape=(N, N)).tocsc()
    np.testing.assert_allclose(linalg.inv(A), np.linalg.inv(A.toarray()), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(linalg.expm(A), scipy.linalg.expm(A.toarray()), rtol=1e-12)
    of = lambda data: jax_sparse.BCOO((data, PATTERN), shape=(N, N))
    step = random.normal(size=len(ANY))
    for f, d in (
        (linalg.inv, lambda X, E: -X @ E @ X),
        (linalg.expm, lambda X, E: scipy.linalg.expm_frechet(A.toarray(), E)[1]),
    ):
        value, tangent = jax.jvp(lambda data, f=f: f(of(data)), (ANY / 9,), (step,))
        np.testing.assert_allclose(tangent, d(value, of(step).todense()), rtol=1e-9, atol=1e-12)


@pytest.mark.rotating
def test_matrices_of_all_kinds():
    matrix = scipy.sparse.coo_array((ANY, tuple(PATTERN.T)), shape=(N, N))
    expected = jnp.asarray(np.linalg.solve(matrix.toarray(), RIGHT))
    jaxs = [
        kind.fromdense(matrix.toarray())
        for kind in (jax_sparse.BCOO, jax_sparse.BCSR, jax_sparse.CSR, jax_sparse.CSC)
    ]
    for A in (matrix, matrix.tocsc(), matrix.toarray(), *jaxs):
        same(linalg.gmres(A, RIGHT, **EXACT)[0], expected, 1e-10)
    x, info = jax.jit(
        lambda data: linalg.gmres(jax_sparse.BCOO((data, PATTERN), shape=(N, N)), RIGHT, **EXACT)
    )(ANY)
    same((x, info), (expected, jnp.asarray(0)), 1e-10)


def test_what_does_not_converge_has_no_wrong_gradient():
    even = lambda b: linalg.cg(_even(SYMMETRIC), b, rtol=1e-13, maxiter=1)[0].sum()
    assert linalg.cg(_even(SYMMETRIC), RIGHT, rtol=1e-13, maxiter=1)[1] > 0
    assert np.isnan(jax.grad(even)(RIGHT)).all()


@pytest.mark.rotating
@pytest.mark.parametrize("module", [factors, krylov, lanczos, wholes])
def test_the_examples_say_what_comes_out(module):
    assert not doctest.testmod(module).failed
    for name in krylov.NAMES:
        finder = doctest.DocTestFinder(recurse=False)
        for example in finder.find(getattr(linalg, name), name, globs={name: getattr(linalg, name)}):
            assert example.examples and not doctest.DocTestRunner().run(example).failed


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: linalg.cg(np.ones((2, 3)), np.ones(2)),
            r"cg: `A` must be a square matrix, got one of shape \(2, 3\)",
        ),
        (lambda: linalg.gmres(np.eye(3), np.ones(2)), r"gmres: wants b of shape \(3,\)"),
        (lambda: linalg.cg(np.eye(3), np.ones(3), np.ones(2)), r"cg: wants x0 of shape \(3,\), got \(2,\)"),
        (
            lambda: linalg.eigsh(scipy.sparse.linalg.aslinearoperator(np.eye(2)), 1),
            "eigsh: takes a sparse array of SciPy, .* or a dense array; got <2x2 .*LinearOperator",
        ),
        (lambda: linalg.spsolve_triangular(np.eye(3), np.ones(2)), r"wants b of shape \(3,\) or \(3, k\)"),
        (lambda: linalg.inv(np.ones((2, 3))), "inv: `A` must be a square matrix"),
        (lambda: linalg.eigsh(np.eye(4), 4), "eigsh: k=4 must be an integer from 1 to 3"),
        (lambda: linalg.svds(np.eye(4) * 1j, 1), "svds: `A` must be real"),
        (lambda: linalg.lsqr(np.eye(2) * 1j, np.ones(2)), "lsqr: `A` and `b` must be real"),
        (lambda: linalg.lsmr(np.eye(2) * 1j, np.ones(2)), "lsmr: `A` and `b` must be real"),
        (
            lambda: linalg.splu(scipy.sparse.csc_array(np.eye(2))).solve(np.ones(2), "X"),
            "trans='X' must be N, T or H",
        ),
    ],
)
def test_what_does_not_fit_is_refused(call, words):
    with pytest.raises(hw.SignatureError, match=words):
        call()

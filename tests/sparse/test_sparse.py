"""`hostwrap.sparse.linalg`: values by SciPy, derivatives by dense algebra, one factorisation."""

import threading

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg
from jax.experimental import sparse as jsparse

import hostwrap as hw
from bench.poisson import Assembly
from bench.timing import resident
from hostwrap._recipes.factors import factor
from hostwrap.sparse.linalg import spsolve
from tests._kit.toys import callbacks, fresh_lane, same  # noqa: F401

lanes = pytest.mark.usefixtures("fresh_lane")


def system(dtype=float, format="csr", n=6):
    draw = np.random.default_rng(4)
    dense = draw.normal(size=(n, n)) * (draw.random((n, n)) < 0.4) + 3 * np.eye(n)
    b = draw.normal(size=n)
    if dtype is complex:
        dense, b = dense * np.exp(1j * draw.normal(size=(n, n))), b + 1j * draw.normal(size=n)
    return scipy.sparse.coo_array(dense).asformat(format), b


def ours(A, format="csr"):
    return lambda data, b: spsolve(data, A.indices, A.indptr, b, format=format)


def dense(A):
    rows, columns = A.tocoo().coords  # in the order of the data

    def solve(data, b):
        return jnp.linalg.solve(jnp.zeros(A.shape, data.dtype).at[rows, columns].add(data), b)

    return solve


TRANSFORMS = {
    "value": lambda f: f,
    "jacfwd": lambda f: jax.jacfwd(f, (0, 1)),
    "jacrev": lambda f: jax.jacrev(f, (0, 1)),
    "hessian": lambda f: jax.hessian(lambda d, b: jnp.sum(f(d, b) ** 3), (0, 1)),
    "reverse over reverse": lambda f: jax.jacrev(
        jax.grad(lambda d, b: jnp.sum(f(d, b) ** 3), (0, 1)), (0, 1)
    ),
}


@pytest.mark.rotating
@lanes
@pytest.mark.parametrize("transform", TRANSFORMS)
def test_derivatives_in_matrix_and_right_hand_side(transform):
    A, b = system()
    transform = TRANSFORMS[transform]
    same(jax.jit(transform(ours(A)))(A.data, b), transform(dense(A))(A.data, b), 1e-10)


@pytest.mark.parametrize("format", ["csr", "csc"])
@pytest.mark.parametrize("dtype", [float, complex])
def test_both_formats_real_and_complex(format, dtype):
    A, b = system(dtype, format)
    f = ours(A, format)
    same(f(A.data, b), scipy.sparse.linalg.spsolve(A.tocsc(), b), 1e-13)
    same(f(A.data, b), dense(A)(A.data, b), 1e-13)
    t = (A.data[::-1].copy(), b[::-1].copy())
    same(jax.jvp(f, (A.data, b), t), jax.jvp(dense(A), (A.data, b), t), 1e-12)
    same(jax.vjp(f, A.data, b)[1](t[1]), jax.vjp(dense(A), A.data, b)[1](t[1]), 1e-12)


def test_entries_that_are_given_twice_or_in_disorder_are_summed():
    data, indices, indptr = np.array([1.0, 2.0, 4.0, 5.0]), np.array([1, 0, 0, 1]), np.array([0, 3, 4])
    got = spsolve(data, indices, indptr, np.ones(2))
    same(got, np.linalg.solve([[6.0, 1.0], [0.0, 5.0]], np.ones(2)))
    slopes = jax.grad(lambda d: spsolve(d, indices, indptr, np.ones(2)).sum())(data)
    same(slopes[1], slopes[2])


def test_several_right_hand_sides_and_batches():
    A, b = system()
    B = np.stack([b, 2 * b + 1, b**2], 1)
    factor.cache_clear()
    same(jax.jit(ours(A))(A.data, B), dense(A)(A.data, B), 1e-12)
    assert factor.cache_info()[:2] == (0, 1)  # all columns in one call
    D = np.stack([A.data, 2 * A.data])
    same(jax.vmap(ours(A), (0, None))(D, b), jax.vmap(dense(A), (0, None))(D, b), 1e-12)
    same(jax.vmap(ours(A), (0, 0))(D, B.T[:2]), jax.vmap(dense(A), (0, 0))(D, B.T[:2]), 1e-12)
    same(jax.vmap(ours(A), (None, 1), 1)(A.data, B), dense(A)(A.data, B), 1e-12)
    pattern = (np.stack([A.indices] * 2), np.stack([A.indptr] * 2))
    got = jax.vmap(spsolve)(D, *pattern, B.T[:2])
    same(got, jax.vmap(dense(A))(D, B.T[:2]), 1e-12)


def test_a_gradient_takes_one_factorisation_and_two_calls():
    A, b = system()

    def loss(data, b):
        return jnp.sum(ours(A)(data, b) ** 2)

    factor.cache_clear()
    jax.block_until_ready(jax.jit(jax.value_and_grad(loss, (0, 1)))(A.data, b))
    assert factor.cache_info()[:2] == (1, 1)
    assert callbacks(jax.value_and_grad(loss, (0, 1)), A.data, b) == 2


def test_types():
    A, b = system()
    x = ours(A)(A.data.astype(np.float32), b.astype(np.float32))
    assert x.dtype == np.float32
    np.testing.assert_allclose(x, dense(A)(A.data, b), rtol=1e-5)
    assert ours(A)(A.data, b.astype(np.float32)).dtype == np.float64
    assert ours(A)(A.data, b * 1j).dtype == np.complex128
    whole = [np.array(x) for x in ([2, 4], [0, 1], [0, 1, 2], [1, 1])]
    same(spsolve(*whole), np.array([0.5, 0.25]))


def test_a_singular_matrix_gives_nan():
    assert np.isnan(spsolve(np.zeros(2), np.arange(2), np.arange(3), np.ones(2))).all()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"format": "coo"}, "format='coo' must be one of csr, csc"),
        ({"indices": np.zeros(3)}, "`indices` must be integers, got float64"),
        ({"indptr": np.zeros(3)}, "`indptr` must be integers, got float64"),
        ({"data": np.ones(2)}, r"got \(2,\), \(3,\), \(4,\), \(3,\)"),
        ({"b": np.ones(4)}, r"b of shape \(n,\) or \(n, k\), got"),
        ({"b": 1.0}, r"b of shape \(n,\) or \(n, k\), got"),
        ({"data": "text"}, "spsolve: `data` must be a number or an array of numbers, got str"),
        ({"data": np.ones((2, 3))}, "batch of matrices goes by jax.vmap"),
    ],
)
def test_what_does_not_fit_is_refused(change, words):
    given = {"data": np.ones(3), "indices": np.arange(3), "indptr": np.arange(4), "b": np.ones(3)}
    with pytest.raises(hw.SignatureError, match=words):
        spsolve(**{**given, **change})


def test_poisson_by_finite_elements():
    """-div(a grad u) = 1: a gradient in the coefficient of each triangle, against the adjoint equation by hand."""
    fem = Assembly(12)
    a = np.random.default_rng(0).uniform(0.5, 2.0, fem.triangles)
    b = np.full(fem.size, 1 / 144)

    def energy(a):
        return b @ spsolve(fem.values(a), fem.indices, fem.indptr, b)

    # u is its own adjoint, so d(b u)/da_t = -u K_t u, with the element matrix of the triangle
    u = spsolve(fem.values(a), fem.indices, fem.indptr, b)
    exact = -jax.jacfwd(lambda a: u @ (dense_of(fem, a) @ u))(a)
    same(jax.jit(jax.grad(energy))(a), exact, 1e-12)
    one = spsolve(fem.values(np.ones(fem.triangles)), fem.indices, fem.indptr, b)
    assert abs(one.max() - 0.0736713) < 5e-4  # the maximum of the exact solution


def test_an_optimisation_does_not_grow_in_memory():
    """Each step makes a factorisation of 2 MB, in whatever thread of XLA; a few of them are kept."""
    fem = Assembly(50)
    b = np.full(fem.size, 1 / fem.size)

    @jax.jit
    def step(a):
        slope = jax.grad(lambda a: b @ spsolve(fem.values(a), fem.indices, fem.indptr, b))(a)
        return jnp.clip(a * (1 - 0.1 * slope / jnp.max(jnp.abs(slope))), 0.1, 10.0)

    def run(a, steps):
        for _ in range(steps):
            a = jax.block_until_ready(step(a))
        return a, resident()

    factor.cache_clear()
    a, before = run(jnp.ones(fem.triangles), 30)
    _, after = run(a, 200)
    assert factor.cache_info().misses == 230
    assert after - before < 30e6


def test_memory_that_one_thread_has_taken_another_gives_back():
    """SciPy loses it, if a factorisation goes in another thread than the one that made it."""
    fem = Assembly(50)
    matrix = np.asarray(fem.values(np.ones(fem.triangles)))

    def use(k):
        with factor.hold(matrix * (1 + k), fem.indices, fem.indptr):
            pass

    def elsewhere(count):
        for k in range(count):
            thread = threading.Thread(target=use, args=(k,))
            thread.start()
            thread.join()
            factor.cache_clear()
        return resident()

    before = elsewhere(20)
    assert elsewhere(100) - before < 10e6


def dense_of(fem, a):
    rows = np.repeat(np.arange(fem.size), np.diff(fem.indptr))
    return jnp.zeros((fem.size, fem.size)).at[rows, fem.indices].add(fem.values(a))


# ---- sparse arrays


def of_scipy(A, data):
    return type(A)((data, A.indices, A.indptr), shape=A.shape)


def bcoo(A, data, padding=0, shuffle=True):
    """With entries in any order, and some outside of the matrix."""
    rows, columns = A.tocoo().coords
    order = np.random.default_rng(2).permutation(len(rows)) if shuffle else slice(None)
    outside = np.full((padding, 2), A.shape[0])
    indices = np.concatenate([np.stack([rows, columns], 1)[order], outside])
    return jsparse.BCOO(
        (jnp.concatenate([data[order], jnp.ones(padding)]), jnp.asarray(indices)), shape=A.shape
    )


def bcsr(A, data, padding=0):
    indices = np.concatenate([A.indices, np.full(padding, A.shape[0])])
    return jsparse.BCSR((jnp.concatenate([data, jnp.ones(padding)]), indices, A.indptr), shape=A.shape)


SPARSE = {
    "BCOO": bcoo,
    "BCOO, padded": lambda A, data: bcoo(A, data, 3),
    "BCSR": bcsr,
    "BCSR, padded": lambda A, data: bcsr(A, data, 3),
    "CSR": lambda A, data: jsparse.CSR((data, A.indices, A.indptr), shape=A.shape),
}


@pytest.mark.parametrize("kind", SPARSE)
@pytest.mark.rotating
def test_a_sparse_array_of_jax_and_its_derivatives(kind):
    A, b = system()
    make = SPARSE[kind]
    for transform in ("value", "jacfwd", "jacrev"):
        go = TRANSFORMS[transform]
        got = jax.jit(go(lambda data, b: spsolve(make(A, data), b)))(A.data, b)
        same(got, go(dense(A))(A.data, b), 1e-10)
    same(
        spsolve(make(A, jnp.asarray(A.data)), jnp.stack([b, 2 * b], 1))[:, 1], 2 * dense(A)(A.data, b), 1e-10
    )


def test_padding_of_a_sparse_array_of_jax_has_no_derivative():
    A, b = system()
    for make in (bcoo, bcsr):
        padded = make(A, jnp.asarray(A.data), padding=2)
        gradient = jax.grad(lambda A: spsolve(A, b).sum(), allow_int=True)(padded)
        assert np.all(gradient.data[-2:] == 0) and np.all(gradient.data[:-2] != 0)


@pytest.mark.parametrize("kind", ["array", "matrix"])
@pytest.mark.parametrize("format", ["csr", "csc", "coo", "lil", "dia"])
def test_a_sparse_array_of_scipy(format, kind):
    A, b = system()
    made = getattr(scipy.sparse, f"{format}_{kind}")(A)
    expected = scipy.sparse.linalg.spsolve(A.tocsc(), b)
    same(spsolve(made, b), expected, 1e-12)
    same(jax.jit(lambda b: spsolve(made, b))(b), expected, 1e-12)
    same(jax.jacrev(lambda b: spsolve(made, b))(b), np.linalg.inv(A.todense()), 1e-10)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (lambda A, b: (A,), "with a sparse array comes b, and nothing else; got 0 more"),
        (lambda A, b: (A, b, b), "with a sparse array comes b, and nothing else; got 2 more"),
        (
            lambda A, b: (A.data, b),
            r"give a sparse array and b, or data, indices, indptr and b; got neither",
        ),
        (lambda A, b: (A[:2], b), r"`A` must be a square matrix, got a csr_array of shape \(2, 6\)"),
        (lambda A, b: (A, b[:2]), r"wants data and indices of shape"),
        (lambda A, b: (A, A), r"`b` must be a number or an array of numbers, got csr_array"),
        (
            lambda A, b: (jsparse.BCOO.fromdense(A.todense(), n_batch=1), b),
            r"without batch and dense axes; got BCOO\(.*\(A batch of matrices goes by jax.vmap.\)",
        ),
    ],
)
def test_a_call_with_a_sparse_array_that_does_not_fit(arguments, words):
    with pytest.raises(hw.SignatureError, match=f"(?s){words}"):
        spsolve(*arguments(*system()))


FOLLOWED = {
    "norm": lambda s, A: s.norm(A),
    "norm of columns": lambda s, A: s.norm(A, axis=0),
    "svds": lambda s, A: s.svds(A, k=2, solver="propack", rng=1)[1],
    "krylov": lambda s, A: s.funm_multiply_krylov(scipy.linalg.expm, A, np.ones(4)),
}


@pytest.mark.parametrize("name", FOLLOWED)
@pytest.mark.rotating
def test_sparse_arrays_of_jax_in_functions_that_follow_scipys_code(name):
    places = np.array([[0, 0], [0, 2], [1, 1], [2, 1], [2, 2], [3, 0], [3, 3]])
    data, along = np.array([2.0, 0.3, 1.5, -0.4, 3.0, 0.7, 1.1]), np.linspace(-1.0, 1.0, 7)
    f = FOLLOWED[name]
    theirs = lambda t: f(
        scipy.sparse.linalg, scipy.sparse.csr_array((data + t * along, places.T), shape=(4, 4))
    )
    ours = lambda x: f(hw.sparse.linalg, jsparse.BCOO((x, jnp.asarray(places)), shape=(4, 4)))
    np.testing.assert_allclose(ours(data), theirs(0.0), rtol=1e-12)
    moved = jax.jit(lambda x: jax.jvp(ours, (x,), (along,))[1])(data)
    np.testing.assert_allclose(moved, (theirs(1e-5) - theirs(-1e-5)) / 2e-5, rtol=1e-6, atol=1e-8)


def test_what_says_only_how_superlu_computes_is_taken():
    A = scipy.sparse.csc_array([[2.0, 1.0], [0.0, 4.0]])
    want = spsolve(A, np.ones(2))
    np.testing.assert_array_equal(spsolve(A, np.ones(2), permc_spec="NATURAL", use_umfpack=False), want)
    np.testing.assert_array_equal(
        hw.sparse.linalg.splu(A, permc_spec="NATURAL", relax=1).solve(np.ones(2)), want
    )
    with pytest.raises(TypeError, match=r"spsolve.. got an unexpected keyword argument 'nonsense'"):
        spsolve(A, np.ones(2), nonsense=1)

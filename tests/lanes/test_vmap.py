"""vmap: mixed ranks, nested, every `in_axes`, every `vmap_method`, and what the host function sees of it."""

import itertools

import jax
import numpy as np
import pytest
import scipy.special

import hostwrap as hw
from tests._kit.toys import each_lane, recording, same  # noqa: F401

X, Y = np.linspace(0.3, 2.0, 4), np.array([1.0, -2.0, 3.0])
METHODS = ("broadcast_all", "expand_dims", "sequential", "sequential_unrolled", "legacy_vectorized")
BOTH = (lambda f: f, jax.jit)
lanes = pytest.mark.usefixtures("each_lane")


def jv(**options):
    return hw.wrap(recording(lambda v, z: scipy.special.jv(v, z)), **options)


def first_axis_loop(f, in_axes, *args):
    """What vmap means: one call per slice, stacked."""
    size = next(np.shape(a)[i] for a, i in zip(args, in_axes, strict=True) if i is not None)
    rows = [
        [a if i is None else np.take(a, k, i) for a, i in zip(args, in_axes, strict=True)]
        for k in range(size)
    ]
    return np.stack([np.asarray(f(*row)) for row in rows])


@lanes
@pytest.mark.parametrize("method", [m for m in METHODS if m != "legacy_vectorized"])
def test_mixed_ranks(method):
    """The example of JAX's documentation, of which plain callbacks make an error or a wrong result."""
    f, order = jv(vmap_method=method), np.arange(5)
    expected = scipy.special.jv(order, X[:, None])
    for go in BOTH:
        same(go(jax.vmap(lambda z: f(order, z)))(X), expected)
        same(go(jax.vmap(jax.vmap(lambda z: f(order, z))))(np.stack([X, X])), np.stack([expected] * 2))
        same(
            go(jax.vmap(lambda v: f(v, np.ones((2, 3)))))(order),
            first_axis_loop(f, (0, None), order, np.ones((2, 3))),
        )
    # as many elements as the batch: the case that is silently wrong if the ranks are not padded
    same(jax.vmap(lambda z: f(np.arange(4), z))(X), scipy.special.jv(np.arange(4), X[:, None]))


@lanes
@pytest.mark.parametrize("in_axes", [(0, None), (None, 0), (0, 0), (1, None), (1, 0), (-1, 1), (None, -1)])
@pytest.mark.parametrize("shapes", [((4, 4), (4, 4)), ((4, 4), (4, 4, 4)), ((4, 4, 1), (4, 4))])
@pytest.mark.rotating
def test_every_choice_of_axes_is_the_loop(in_axes, shapes):
    draw = np.random.default_rng(4)
    v, z = (draw.uniform(0.0, 5.0, s) for s in shapes)
    if in_axes[0] == -1:
        v = np.moveaxis(v, 0, -1)
    f = jv()
    expected = first_axis_loop(scipy.special.jv, in_axes, v, z)
    same(jax.vmap(f, in_axes)(v, z), expected)
    same(jax.jit(jax.vmap(f, in_axes, out_axes=-1))(v, z), np.moveaxis(expected, 0, -1))


@lanes
@pytest.mark.parametrize("outer, inner", list(itertools.product([(0, None), (None, 0), (0, 0)], repeat=2)))
def test_vmap_of_vmap_is_the_double_loop(outer, inner):
    v, z = np.arange(16.0).reshape(4, 4) / 5, np.linspace(0.5, 3.0, 16).reshape(4, 4)
    f = jv()
    expected = first_axis_loop(lambda v, z: first_axis_loop(scipy.special.jv, inner, v, z), outer, v, z)
    same(jax.jit(jax.vmap(jax.vmap(f, inner), outer))(v, z), expected)
    same(jax.vmap(jax.vmap(f, inner), outer)(v, z), expected)


@lanes
def test_core_axes_stay_last():
    f = hw.wrap("(m,n),(n)->(m)")(lambda A, b: A @ b)
    A, b = np.arange(24.0).reshape(2, 3, 4), np.arange(20.0).reshape(4, 5)
    for go in BOTH:
        same(go(jax.vmap(f, (0, None)))(A, b[:, 0]), A @ b[:, 0])
        same(go(jax.vmap(f, (None, 1)))(A[0], b), (A[0] @ b).T)
        same(go(jax.vmap(jax.vmap(f, (None, 1)), (0, None)))(A, b), np.einsum("aij,jk->aki", A, b))
        same(go(jax.vmap(f, (2, None)))(np.moveaxis(A, 0, 2), b[:, 0]), A @ b[:, 0])
        same(go(jax.vmap(lambda x: f(A, x)))(b.T), np.einsum("aij,jk->kai", A, b))


@lanes
def test_trees_and_declared_results():
    f = hw.wrap(out=lambda p: {"sum": p["x"], "all": p["w"]})(
        lambda p: {"sum": p["w"].sum() * p["x"], "all": p["w"]}
    )
    W = np.arange(6.0).reshape(2, 3)
    for go in BOTH:
        got = go(jax.vmap(f, ({"w": 0, "x": None},)))({"w": W, "x": 2.0})
        same(got, {"sum": 2 * W.sum(1), "all": W})
        same(go(jax.vmap(lambda x: f({"w": W[0], "x": x})["sum"]))(Y), 3 * Y)


# ---- what the host function sees


EXPECTED = {
    "broadcast_all": [((3, 4), (3,))],
    "expand_dims": [((3, 4), (1,))],
    "sequential": [((4,), ())] * 3,
    "sequential_unrolled": [((4,), ())] * 3,
    "legacy_vectorized": [((3, 4), ())],
}


@lanes
@pytest.mark.parametrize("method", METHODS)
def test_the_host_sees_what_the_method_says(method):
    host = recording(lambda x, y: (x.T * y).T)
    f = hw.wrap("(n),()->(n)", vmap_method=method)(host)
    x = np.arange(12.0).reshape(3, 4)
    for go in BOTH:
        host.seen.clear()
        same(go(jax.vmap(f, (0, None)))(x, 2.0), 2 * x)
        assert host.seen == EXPECTED[method]


@pytest.mark.parametrize("method", METHODS)
def test_without_a_batch_every_method_gives_the_arguments_as_they_are(method):
    host = recording(lambda x, y: x * y)
    f = hw.wrap("(n),()->(n)", vmap_method=method)(host)
    for go in BOTH:
        same(go(f)(X, 2.0), 2 * X)
    assert host.seen == [((4,), ())] * 2


def test_the_default_is_the_loop_unless_elementwise():
    loop, whole = recording(lambda x: x.sum()), recording(lambda x: x)
    jax.vmap(hw.wrap("(n)->()")(loop))(np.ones((3, 4)))
    jax.vmap(hw.wrap(out=jax.ShapeDtypeStruct((), float))(loop))(np.ones((3, 4)))
    jax.vmap(hw.wrap(whole))(np.ones((3, 4)))
    assert loop.seen == [((4,),)] * 6 and whole.seen == [((3, 4),)]


@pytest.mark.parametrize("method", ["sequential", "sequential_unrolled"])
def test_the_loop_runs_on_the_host_and_not_in_the_program(method):
    f = hw.wrap("(n)->()", vmap_method=method)(lambda x: x.sum())
    text = jax.jit(jax.vmap(f)).lower(np.ones((1000, 4))).compile().as_text()
    assert "while" not in text and text.count("custom_call_target") == 1


def test_sequential_makes_a_ufunc_of_a_function_of_scalars():
    def branch(x, y):
        return float(y) if x > 0 else 0.0

    f = hw.wrap(branch, vmap_method="sequential")
    x = np.array([[1.0, -1.0, 2.0], [-3.0, 0.0, 4.0]])
    for go in BOTH:
        same(go(f)(x, Y), np.where(x > 0, Y, 0.0))
        same(go(jax.vmap(f, (0, None)))(x, Y), np.where(x > 0, Y, 0.0))


def test_legacy_vectorized_leaves_unmapped_arguments_alone():
    host = recording(lambda x, y: x * y[0])
    f = hw.wrap("(),(n)->()", vmap_method="legacy_vectorized")(host)
    same(jax.jit(jax.vmap(f, (0, None)))(Y, X), Y * X[0])
    assert host.seen == [((3,), (4,))]


def test_a_batch_of_size_zero():
    for method in METHODS:
        f = hw.wrap("(n),()->(n)", vmap_method=method)(lambda x, y: x * np.expand_dims(y, -1))
        for go in BOTH:
            same(go(jax.vmap(f, (0, None)))(np.ones((0, 4)), 2.0), np.ones((0, 4)))


@lanes
def test_vmap_with_cond_and_scan_inside():
    f = hw.wrap(lambda x: np.sqrt(x))
    x = np.array([4.0, -1.0, 9.0])
    guarded = jax.vmap(lambda x: jax.lax.cond(x > 0, f, lambda x: 0.0 * x, x))
    same(jax.jit(guarded)(x), np.array([2.0, 0.0, 3.0]))
    loop = jax.vmap(lambda x: jax.lax.scan(lambda c, _: (f(c), None), x, None, 2)[0])
    same(jax.jit(loop)(np.array([16.0, 81.0])), np.array([2.0, 3.0]))


@lanes
def test_vmap_of_derivatives_over_mixed_ranks():
    f = hw.wrap(lambda x, y: x**2 * y).defpartials(x=lambda a, x, y: 2 * x * y, y=lambda a, x, y: x**2)
    inner = jax.vmap(jax.grad(lambda z: f(Y, z).sum()))
    same(jax.jit(inner)(X), np.full(4, (Y**2).sum()))
    rows = jax.vmap(jax.jacfwd(lambda x: f(x, Y)))
    same(jax.jit(rows)(X), 2 * X[:, None] * Y)
    same(jax.jit(jax.vmap(jax.hessian(f, (0, 1)), (0, None)))(X, 3.0)[0], (np.full(4, 6.0), 2 * X))

"""Derivative rules: partials, jvp, vjp; unknown and discrete; and every way to get one wrong."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hostwrap as hw
from tests._kit.toys import each_lane, product, recording, same, solve, system  # noqa: F401

X = np.linspace(0.3, 2.0, 4)
lanes = pytest.mark.usefixtures("each_lane")


# ---- partials


@lanes
@pytest.mark.parametrize("shapes", [((), (4,)), ((4,), ()), ((3, 1), (4,)), ((1, 4), (3, 4)), ((0,), ())])
def test_partials_are_multiplied_summed_and_unbroadcast(shapes):
    """Against JAX's own derivatives of the same formula, forward and reverse, to third order."""
    f, draw = product(), np.random.default_rng(0)
    x, y, t, s = (draw.uniform(0.5, 2.0, size=shape) for shape in (*shapes, *shapes))

    def exact(x, y):
        return x**3 * y**2

    def forward(g):
        return lambda x, y: jax.jvp(g, (x, y), (t, s))[1]

    def reverse(g):
        return jax.grad(lambda x, y: jnp.sum(g(x, y) * 1.7), (0, 1))

    def mixed(g):
        return lambda x, y: jax.grad(lambda x, y: forward(forward(g))(x, y).sum(), (0, 1))(x, y)

    def thrice(g):
        return forward(forward(forward(g)))

    for transform in (forward, reverse, mixed, thrice):
        same(jax.jit(transform(f))(x, y), transform(exact)(x, y), 1e-11)


def test_reverse_over_reverse_over_reverse():
    def third(g):
        first = jax.grad(lambda x, y: g(x, y).sum())
        second = jax.grad(lambda x, y: first(x, y).sum(), 1)
        return jax.grad(lambda x, y: second(x, y).sum(), (0, 1))

    x, y = np.float64(1.3), np.array([0.5, 1.5, 2.0])
    same(jax.jit(third(product()))(x, y), third(lambda x, y: x**3 * y**2)(x, y), 1e-12)


@lanes
def test_jacobians_of_a_function_with_core_axes():
    f, (A, b) = solve(), system()
    for transform in (jax.jacfwd, jax.jacrev):
        got = jax.jit(transform(f, (0, 1)))(A, b)
        same(got, transform(jnp.linalg.solve, (0, 1))(A, b), 1e-11)


def test_hessians_of_a_function_with_core_axes():
    f, (A, b) = solve(), system()
    same(jax.jit(jax.hessian(f, 0))(A, b), jax.hessian(jnp.linalg.solve)(A, b), 1e-10)


@lanes
def test_core_axes_and_batch_axes_that_broadcast():
    f = solve()
    A, _ = system(2)
    b = np.random.default_rng(5).normal(size=(4, 1, 3))

    def exact(A, b):
        return jnp.linalg.solve(A, b[..., None])[..., 0]

    for g in (lambda h: h, lambda h: jax.grad(lambda A, b: (h(A, b) ** 2).sum(), (0, 1))):
        same(jax.jit(g(f))(A, b), jax.jit(g(exact))(A, b), 1e-11)
        same(g(f)(A, b), g(exact)(A, b), 1e-11)


def test_the_partial_sees_no_batch_axes():
    shapes = []

    def partial(x, A, b):
        shapes.append((x.shape, A.shape, b.shape))
        return jnp.linalg.inv(A)

    f = hw.wrap("(n,n),(n)->(n)")(lambda A, b: np.linalg.solve(A, b))
    f.defpartials(b=partial)
    A, b = system(5)
    jax.jit(jax.grad(lambda b: f(A, b).sum()))(b)
    assert set(shapes) == {((3,), (3, 3), (3,))}


def test_partials_of_several_results_with_core_axes():
    f = hw.wrap("(n)->(),(n)")(lambda x: (np.sum(x**2), x**3))
    f.defpartials(x=lambda y, x: (2 * x, jnp.diag(3 * x**2)))
    same(jax.jit(jax.jacrev(f))(X), (2 * X, np.diag(3 * X**2)))
    same(jax.jit(jax.jacfwd(f))(X), (2 * X, np.diag(3 * X**2)))


def test_partials_of_results_declared_with_out():
    f = hw.wrap(out=lambda x, *, n: jax.ShapeDtypeStruct((n,), x.dtype), static="n")(
        lambda x, *, n: x ** np.arange(n)
    )
    f.defpartials(x=lambda y, x, *, n: jnp.arange(n) * x ** jnp.arange(-1.0, n - 1.0))
    same(jax.jit(jax.jacfwd(lambda x: f(x, n=4)))(1.5), np.array([0.0, 1.0, 3.0, 6.75]))
    same(jax.vmap(jax.jacrev(lambda x: f(x, n=3)))(X), np.stack([0 * X, X / X, 2 * X], -1))


def test_statics_reach_the_rule_by_keyword():
    f = hw.wrap(static=("n",))(lambda x, n=2: x**n)
    f.defpartials(x=lambda ans, x, *, n: n * x ** (n - 1))
    same([jax.jit(jax.grad(lambda x, n=n: f(x, n)))(1.5) for n in (1, 2, 3)], [1.0, 3.0, 6.75])
    same(jax.grad(f)(1.5), 3.0)


def test_derivatives_keep_the_precision_of_the_arguments():
    f = product()
    for dtype in (np.float32, np.float64, jnp.bfloat16, np.float16):
        gradient = jax.jit(jax.grad(f, (0, 1)))(dtype(1.5), dtype(0.5))
        assert {g.dtype for g in gradient} == {np.dtype(dtype)}
        exact = np.array([3 * 1.5**2 * 0.25, 1.5**3])
        np.testing.assert_allclose(np.array(gradient, float), exact, rtol=float(jnp.finfo(dtype).eps))


def test_an_integer_argument_needs_no_derivative():
    f = hw.wrap(lambda n, x: x**n).defpartials(n=hw.discrete, x=lambda ans, n, x: n * x ** (n - 1))
    same(jax.jit(jax.vmap(jax.grad(f, 1), (0, None)))(np.arange(1, 4), 1.5), np.array([1.0, 3.0, 6.75]))
    same(jax.jit(jax.grad(lambda x: f(3, x)))(1.5), 6.75)


# ---- what nobody differentiates is not computed


def test_no_partial_of_an_argument_that_nobody_differentiates():
    asked = []

    def partial(name):
        return lambda ans, x, y, z: (asked.append(name), x + y)[1]

    f = hw.wrap("(),(),(n)->()")(lambda x, y, z: x + y + z.sum())
    f.defpartials(x=partial("x"), y=partial("y"), z=lambda *a: (asked.append("z"), jnp.ones(2))[1])
    jax.jit(jax.grad(f, 1))(1.0, 2.0, X[:2])
    assert set(asked) == {"y"}
    asked.clear()
    jax.jit(lambda x: jax.jvp(lambda x: f(x, 1.0, X[:2]), (x,), (1.0,)))(1.0)
    assert set(asked) == {"x"}
    asked.clear()
    jax.jit(jax.vmap(f, (0, None, None)))(X, 1.0, X[:2])
    assert not asked


def test_an_elementwise_partial_that_nobody_needs_makes_no_host_call():
    host = recording(lambda x: np.exp(x))
    costly = hw.wrap(host)
    f = hw.wrap(lambda x, y: x * y).defpartials(x=lambda ans, x, y: costly(y), y=lambda ans, x, y: x)
    for argument, calls in ((1, 0), (0, 1), ((0, 1), 1)):
        host.seen.clear()
        jax.jit(jax.grad(f, argument))(1.0, 2.0)
        assert len(host.seen) == calls


# ---- jvp


@lanes
def test_a_jvp_rule_gets_none_for_what_nobody_differentiates():
    tangents_seen = []
    f = hw.wrap(recording(lambda x, y: np.sin(x) * y))

    @f.defjvp
    def rule(primals, tangents):
        (x, y), (tx, ty) = primals, tangents
        tangents_seen.append((tx is not None, ty is not None))
        along_x = 0.0 if tx is None else jnp.cos(x) * y * tx
        return f(x, y), along_x + (0.0 if ty is None else jnp.sin(x) * ty)

    same(jax.jit(jax.grad(f))(0.7, 2.0), 2 * np.cos(0.7))
    assert set(tangents_seen) == {(True, False)}
    tangents_seen.clear()
    same(jax.jit(jax.grad(f, (0, 1)))(0.7, 2.0), (2 * np.cos(0.7), np.sin(0.7)))
    assert set(tangents_seen) == {(True, True)}
    same(jax.jit(jax.hessian(f))(0.7, 2.0), -2 * np.sin(0.7))
    same(jax.vmap(jax.grad(f), (0, None))(X, 2.0), 2 * np.cos(X))
    same(jax.jit(jax.jvp, static_argnums=0)(f, (X, 2.0), (X, 1.0))[1], 2 * X * np.cos(X) + np.sin(X))


def test_a_jvp_rule_of_trees():
    shape = jax.ShapeDtypeStruct((), np.float64)
    f = hw.wrap(out={"sum": shape, "product": shape})(
        lambda p: {"sum": p["a"] + p["b"], "product": p["a"] * p["b"]}
    )

    @f.defjvp
    def rule(primals, tangents):
        (p,), (t,) = primals, tangents
        return f(p), {"sum": t["a"] + t["b"], "product": t["a"] * p["b"] + p["a"] * t["b"]}

    got = jax.jit(jax.jacrev(f))({"a": 2.0, "b": 5.0})
    same(got, {"sum": {"a": 1.0, "b": 1.0}, "product": {"a": 5.0, "b": 2.0}})
    same(jax.jit(jax.grad(lambda a: f({"a": a, "b": 5.0})["product"]))(2.0), 5.0)


def test_a_tangent_that_is_zero_is_written_out():
    """None may as well be a forgotten return."""
    f, g = hw.wrap(lambda x: np.floor(x)), hw.wrap(lambda x: np.floor(x))
    f.defjvp(lambda primals, tangents: (f(*primals), None))
    g.defjvp(lambda primals, tangents: (g(*primals), jnp.zeros_like(primals[0])))
    with pytest.raises(hw.RuleError, match=r"jvp rule's tangent is None; one that is zero is jnp.zeros_like"):
        jax.jit(jax.grad(f))(1.5)
    same(jax.jit(jax.grad(g))(1.5), 0.0)


def test_a_jvp_rule_with_core_axes_and_a_batch():
    f = hw.wrap("(n),(n)->()")(lambda x, y: np.dot(x, y))

    @f.defjvp
    def rule(primals, tangents):
        (x, y), (tx, ty) = primals, tangents
        assert x.shape == y.shape == (4,)
        return f(x, y), (0.0 if tx is None else tx @ y) + (0.0 if ty is None else x @ ty)

    Y = np.arange(12.0).reshape(3, 4)
    same(jax.jit(jax.grad(lambda x: f(x, Y).sum()))(X), Y.sum(0))
    same(jax.jit(jax.grad(lambda y: f(X, y).sum()))(Y), np.tile(X, (3, 1)))


# ---- vjp


@lanes
def test_a_vjp_rule_in_reverse_mode_with_broadcasting():
    f = hw.wrap(recording(lambda x, y: np.sin(x) * y))
    f.defvjp(
        lambda x, y: (f(x, y), (x, y)),
        lambda kept, c: (c * jnp.cos(kept[0]) * kept[1], c * jnp.sin(kept[0])),
    )
    y = np.array([[1.0], [2.0]])
    got = jax.jit(jax.grad(lambda x, y: f(x, y).sum(), (0, 1)))(X, y)
    same(got, (3 * np.cos(X), np.full((2, 1), np.sin(X).sum())))
    same(jax.jit(jax.vmap(jax.grad(f), (0, None)))(X, 2.0), 2 * np.cos(X))
    same(jax.jit(jax.grad(jax.grad(f)))(0.7, 2.0), -2 * np.sin(0.7))
    same(jax.jit(f)(X, y), np.sin(X) * y)


def test_a_vjp_rule_with_core_axes_and_a_batch():
    f = hw.wrap("(n,n),(n)->(n)")(recording(lambda A, b: np.linalg.solve(A, b)))

    def backward(kept, c):
        A, x = kept
        dual = jnp.linalg.solve(A.T, c)
        return -jnp.outer(dual, x), dual

    f.defvjp(lambda A, b: (lambda x: (x, (A, x)))(f(A, b)), backward)
    A, b = system(2)

    def exact(A, b):
        return jnp.linalg.solve(A, b[..., None])[..., 0]

    def gradient(g):
        return jax.grad(lambda A, b: (g(A, b) ** 2).sum(), (0, 1))

    along_A, along_b = gradient(exact)(A, np.stack([b[0]] * 2))
    same(jax.jit(gradient(f))(A, b[0]), (along_A, along_b.sum(0)), 1e-11)


@pytest.mark.parametrize("nothing", [None, hw.unknown("no rule for the exponent")])
def test_a_cotangent_of_none_is_for_what_nobody_differentiates(nothing):
    """JAX takes None for zero; here it is a derivative that is not there, never a silent zero."""
    f = hw.wrap(lambda x, y: x * y)
    f.defvjp(lambda x, y: (f(x, y), y), lambda y, c: (c * y, nothing))
    same(jax.jit(jax.grad(f, 0))(2.0, 3.0), 3.0)
    same(jax.vmap(jax.grad(f, 0), (0, None))(np.arange(2.0), 3.0), np.array([3.0, 3.0]))
    with pytest.raises(hw.MissingDerivative, match="with respect to `y`"):
        jax.jit(jax.grad(f, (0, 1)))(2.0, 3.0)


def test_statics_reach_both_halves_of_a_vjp_rule():
    f = hw.wrap(static="n")(lambda x, n: x**n)
    f.defvjp(lambda x, *, n: (f(x, n), x), lambda x, c, *, n: (c * n * x ** (n - 1),))
    same(jax.jit(jax.grad(lambda x: f(x, 3)))(1.5), 6.75)


def test_forward_mode_of_a_vjp_rule_is_refused_by_jax():
    f = hw.wrap(lambda x: x)
    f.defvjp(lambda x: (f(x), None), lambda _, c: (c,))
    with pytest.raises(TypeError, match="forward-mode"):
        jax.jvp(f, (1.0,), (1.0,))

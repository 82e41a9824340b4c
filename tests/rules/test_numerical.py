"""Numerical derivatives: against algebra, with honest errors, and refused where they cannot be told."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy

import hostwrap as hw
from tests._kit.toys import callbacks, each_lane, recording, same  # noqa: F401

lanes = pytest.mark.usefixtures("each_lane")


def curved(**options):
    return hw.wrap(numerical=options or True)(recording(lambda x, y: np.exp(np.sin(x)) * y**2))


def curved_in_jax(x, y):
    return jnp.exp(jnp.sin(x)) * y**2


TRANSFORMS = {
    "jacfwd": (lambda f: jax.jacfwd(f, (0, 1)), 1e-11),
    "jacrev": (lambda f: jax.jacrev(f, (0, 1)), 1e-11),
    "forward over reverse": (lambda f: jax.jacfwd(jax.jacrev(f, (0, 1)), (0, 1)), 1e-9),
    "reverse over reverse": (lambda f: jax.jacrev(jax.jacrev(f, (0, 1)), (0, 1)), 1e-9),
    "third": (lambda f: jax.grad(jax.grad(jax.grad(f)), 1), 1e-8),
}


@pytest.mark.parametrize("name", TRANSFORMS)
@pytest.mark.rotating
def test_an_elementwise_function(name):
    transform, tolerance = TRANSFORMS[name]
    same(jax.jit(transform(curved()))(1.3, 0.4), transform(curved_in_jax)(1.3, 0.4), tolerance)


def test_it_broadcasts_and_batches():
    f, x, y = curved(), np.array([0.2, 1.3, -2.0]), np.array([[0.4], [3.0]])

    def gradient(f):
        return jax.grad(lambda x, y: f(x, y).sum(), (0, 1))

    same(jax.jit(gradient(f))(x, y), gradient(curved_in_jax)(x, y), 1e-10)
    per_element = jax.vmap(jax.grad(f), (0, None))
    same(jax.jit(per_element)(x, 0.4), jax.vmap(jax.grad(curved_in_jax), (0, None))(x, 0.4), 1e-11)


def test_all_elements_and_arguments_move_in_a_few_calls_of_the_function():
    f = curved(maxiter=8)
    jax.block_until_ready(jax.jit(jax.vmap(jax.grad(f), (0, None)))(np.linspace(1.0, 2.0, 1000), 0.4))
    assert len(f.__wrapped__.seen) <= 2 * 8 + 3
    assert callbacks(jax.grad(curved(), (0, 1)), 1.3, 0.4) == 1
    assert callbacks(jax.value_and_grad(curved(), (0, 1)), 1.3, 0.4) == 2


def mixed():
    return hw.wrap("(n),(m)->(n),()", numerical=True)(lambda x, y: (np.sin(x) * y.sum(), x @ x + y @ y))


def mixed_in_jax(x, y):
    return jnp.sin(x) * y.sum(), x @ x + y @ y


X, Y = np.array([0.3, 1.2, -2.0]), np.array([0.5, 1e-3])


@pytest.mark.rotating
@lanes
@pytest.mark.parametrize("transform", [jax.jacfwd, jax.jacrev])
def test_jacobians_of_vectors_with_several_results(transform):
    same(jax.jit(transform(mixed(), (0, 1)))(X, Y), transform(mixed_in_jax, (0, 1))(X, Y), 1e-11)


@pytest.mark.rotating
def test_hessians_of_vectors_with_several_results():
    same(jax.jit(jax.hessian(mixed(), (0, 1)))(X, Y), jax.hessian(mixed_in_jax, (0, 1))(X, Y), 1e-9)


def test_a_batch_of_vectors():
    f, stack = mixed(), np.stack([X, 2 * X])

    def gradient(f):
        return jax.grad(lambda x, y: sum(r.sum() for r in f(x, y)), (0, 1))

    exact = gradient(jax.vmap(mixed_in_jax, (0, None)))(stack, Y)
    same(jax.jit(gradient(f))(stack, Y), exact, 1e-10)


def test_trees_integers_and_statics():
    def out(p, n, *, k):
        return {"y": jax.ShapeDtypeStruct((2,), float), "count": jax.ShapeDtypeStruct((), int)}

    @hw.wrap(out=out, static="k", numerical=True)
    def f(p, n, *, k):
        return {"y": p["a"] ** k * p["b"], "count": n}

    p = {"a": 1.5, "b": np.array([2.0, 3.0])}
    value, tangent = jax.jit(lambda p: jax.jvp(lambda p: f(p, 4, k=3), (p,), (p,)))(p)
    assert value["count"] == 4
    assert tangent["count"].dtype == jax.dtypes.float0
    same(tangent["y"], 4 * 1.5**3 * p["b"], 1e-11)
    same(jax.grad(lambda p: f(p, 4, k=2)["y"].sum())(p), {"a": 15.0, "b": np.full(2, 2.25)}, 1e-11)


@pytest.mark.parametrize("exact", [lambda z: jnp.exp(z) * z, lambda z: jnp.conj(z) ** 2, jnp.abs])
def test_complex_arguments_need_not_be_holomorphic(exact):
    z, t = 1.2 + 0.7j, 0.3 - 0.4j
    dtype = complex if jnp.iscomplexobj(exact(z)) else float
    f = hw.wrap(dtype=dtype, numerical=True, allow_jax=True)(lambda z: np.asarray(exact(z)))
    same(jax.jvp(f, (z,), (t,)), jax.jvp(exact, (z,), (t,)), 1e-11)
    cotangent = t if dtype is complex else 0.3
    same(jax.vjp(f, z)[1](cotangent), jax.vjp(exact, z)[1](cotangent), 1e-11)


@pytest.mark.parametrize(
    ("function", "derivative", "points"),
    [
        (np.log, lambda x: 1 / x, (1e-12, 1e-3, 1.0, 1e5, 1e30)),
        (np.exp, np.exp, (0.0, 1e-12, -1e-5, 3.0, 50.0)),
        (np.sin, np.cos, (0.0, 1e-8, 1.0, 1000.3)),
        (scipy.special.gammaln, scipy.special.digamma, (1e-5, 0.5, 1.0, 1e8)),
        (np.square, lambda x: 2 * x, (0.0, 1e-30, 1e30)),
    ],
    ids=["log", "exp", "sin", "gammaln", "square"],
)
def test_the_step_finds_the_scale_of_the_function(function, derivative, points):
    f = hw.wrap(numerical=True)(function)
    for x in points:
        same(jax.grad(f)(x), derivative(x), 2e-12 * max(1.0, abs(float(derivative(x)))))


def test_single_and_half_precision_are_differentiated_in_double():
    f = hw.wrap(numerical=True)(np.exp)
    for dtype in (jnp.float32, jnp.bfloat16):
        slope = jax.jit(jax.grad(f))(dtype(1.5))
        assert slope.dtype == dtype
        np.testing.assert_allclose(float(slope), np.exp(1.5), rtol=float(jnp.finfo(dtype).eps))


@pytest.mark.rotating
def test_hostwrap_finds_nothing_wrong():
    hw.testing.check(curved(), 1.3, 0.4)
    hw.testing.check(mixed(), X, Y, order=1)


# ---- errors, estimated and true


def test_the_estimate_bounds_the_error():
    errors = hw.numerical_error(curved(), 1.3, np.array([0.4, 3.0]))
    exact = jax.vmap(jax.grad(curved_in_jax, (0, 1)), (None, 0))(1.3, np.array([0.4, 3.0]))
    got = jax.vmap(jax.grad(curved(), (0, 1)), (None, 0))(1.3, np.array([0.4, 3.0]))
    for estimate, a, b in zip(errors.values(), got, exact, strict=True):
        assert np.all(np.abs(a - b) <= estimate)
        assert np.all(estimate < 1e-9)


def test_the_estimate_has_the_shape_of_the_jacobian():
    errors = hw.numerical_error(mixed(), np.stack([X, X]), Y)
    assert jax.tree.map(np.shape, errors, is_leaf=lambda x: isinstance(x, np.ndarray)) == {
        "x": ((2, 3, 3), (2, 3)),
        "y": ((2, 3, 2), (2, 2)),
    }


def test_a_noisy_function_is_refused_and_its_error_can_be_accepted():
    def noisy(x):
        return np.sin(x) + 1e-5 * np.sin(1e7 * x)

    refused, accepted = (hw.wrap(numerical=n)(noisy) for n in (True, {"rtol": 1e-2}))
    with pytest.raises(hw.ResultError, match=r"with respect to `x` cannot be trusted: it is 0\.5"):
        jax.grad(refused)(1.0)
    estimate = hw.numerical_error(accepted, 1.0)["x"]
    assert 1e-6 < estimate < 1e-2
    assert abs(jax.grad(accepted)(1.0) - np.cos(1.0)) < 10 * estimate


@lanes
def test_at_the_edge_of_the_domain_steps_go_to_one_side():
    with pytest.raises(hw.ResultError, match=r"cannot be trusted: it is nan.*'step_direction'"):
        jax.grad(hw.wrap(numerical=True)(lambda x: np.log1p(np.where(x < 0, np.nan, x))))(0.0)
    f = hw.wrap(numerical={"step_direction": {"x": 1}})(lambda x: np.log1p(np.where(x < 0, np.nan, x)))
    same(jax.jit(jax.grad(f))(0.0), 1.0, 1e-11)
    g = hw.wrap(numerical={"step_direction": -1})(lambda x: np.exp(np.where(x > 1, np.nan, x)))
    same(jax.jit(jax.grad(g))(1.0), np.e, 1e-10)


def test_at_a_kink_it_is_the_mean_of_both_sides_and_beside_it_right():
    f = hw.wrap(numerical=True)(lambda x: np.abs(x - 1) + x)
    same([jax.grad(f)(x) for x in (0.5, 1 - 1e-4, 1.0, 1 + 1e-4, 2.0)], [0.0, 0.0, 1.0, 2.0, 2.0], 1e-9)


def test_a_jump_is_refused():
    f = hw.wrap(numerical=True)(lambda x: np.floor(x) + x)
    same(jax.grad(f)(1.5), 1.0, 1e-11)
    with pytest.raises(hw.ResultError, match="cannot be trusted"):
        jax.grad(f)(1.0)


def test_where_the_value_is_nan_the_derivative_is():
    assert np.isnan(jax.jit(jax.grad(hw.wrap(numerical=True)(np.log)))(-1.0))


def test_with_on_error_nan_the_program_goes_on():
    f = hw.wrap(numerical=True, on_error="nan")(lambda x: np.where(x < 1, np.nan, x))
    assert np.isnan(jax.block_until_ready(jax.jit(jax.grad(f))(1.0)))
    assert "cannot be trusted" in str(hw.last_error())


def test_a_given_step_is_taken():
    seen = []
    f = hw.wrap(numerical={"initial_step": {"x": 0.5}, "step_factor": 2.0, "maxiter": 3})(
        lambda x: (seen.append(x.copy()), np.sin(x))[1]
    )
    with pytest.raises(hw.ResultError, match="estimated error"):
        jax.grad(f)(1.0)
    moved = {abs(float(x.item()) - 1.0) for x in seen}
    assert {0.5, 0.25, 0.125} <= moved
    assert not moved - {0.0, 0.5, 0.25, 0.125}


# ---- malformed options


@pytest.mark.parametrize(
    ("numerical", "words"),
    [
        ("yes", "numerical= must be True or a mapping of options, got str: 'yes'"),
        (None, "numerical= must be True or a mapping of options, got NoneType"),
        ({"step": 1}, "numerical= has no option step; the options are initial_step, step_factor, maxiter"),
        ({"initial_step": 0.0}, "numerical= initial_step=0.0 must be > 0"),
        ({"initial_step": {"x": "a"}}, "must be > 0"),
        ({"step_factor": 1}, "step_factor=1 must be > 1"),
        ({"maxiter": 1}, "maxiter=1 must be an integer >= 2"),
        ({"rtol": -1}, "rtol=-1 must be > 0"),
        ({"step_direction": "up"}, "step_direction='up' must be a number"),
        ({"step_direction": {"z": 1}}, "numerical= has no argument z; the arguments are x"),
    ],
)
def test_malformed_options_are_refused(numerical, words):
    with pytest.raises(hw.SignatureError, match=words):
        hw.wrap(numerical=numerical)(lambda x: x)


def test_a_rule_beside_it_is_refused():
    with pytest.raises(hw.RuleError, match="has a derivative rule already"):
        curved().defpartials(x=lambda ans, x, y: ans)


def test_an_integer_has_no_numerical_derivative():
    f = hw.wrap(numerical=True)(lambda x, n: x**n)
    same(jax.jit(jax.grad(f))(1.5, 3), 6.75, 1e-12)
    with pytest.raises(TypeError, match="int"):
        jax.grad(f, 1)(1.5, 3)


def test_the_estimate_is_for_numerical_functions_only():
    with pytest.raises(hw.RuleError, match="numerical_error: <lambda> is not wrapped with numerical="):
        hw.numerical_error(hw.wrap(lambda x: x), 1.0)
    with pytest.raises(hw.RuleError, match="is not wrapped with numerical="):
        hw.numerical_error(jnp.sin, 1.0)

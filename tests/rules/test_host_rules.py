"""Derivative rules in NumPy: every kind under every transformation, against JAX; what is called how often."""

import weakref

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hostwrap as hw
from tests._kit.constructs import CONSTRUCTS, TRANSFORMS, X, Y, calls, exact, f, jvp, vjp, with_defhost
from tests._kit.toys import assert_dead, each_lane, same  # noqa: F401

lanes = pytest.mark.usefixtures("each_lane")


WHOLE = ("defhost", "defvalue_and_grad", "linear")  # the others take the same ways for the most part
SOME = ("jacfwd", "jacrev", "hessian", "forward over forward", "vmap of grad", "grad of scan")


def _combinations():
    for construct in CONSTRUCTS:
        for transform in TRANSFORMS:
            always = construct in WHOLE or transform in SOME
            yield pytest.param(construct, transform, marks=() if always else pytest.mark.exhaustive)


@pytest.mark.rotating
@pytest.mark.parametrize(("construct", "transform"), [*_combinations()])
def test_every_construct_under_every_transformation(construct, transform):
    function, change = CONSTRUCTS[construct](), TRANSFORMS[transform]
    expected = change(exact)(X, Y)
    same(jax.jit(change(function))(X, Y), expected, 1e-11)
    if construct in WHOLE:
        same(change(function)(X, Y), expected, 1e-11)


@pytest.mark.rotating
@lanes
@pytest.mark.parametrize("transform", ["jacrev", "hessian"])
@pytest.mark.parametrize("construct", WHOLE)
def test_every_lane(construct, transform):
    change = TRANSFORMS[transform]
    same(jax.jit(change(CONSTRUCTS[construct]()))(X, Y), change(exact)(X, Y), 1e-11)


# ---- how often the NumPy functions are called


def count(function):
    calls.clear()
    jax.block_until_ready(function(X, Y))
    return dict(calls)


COUNTS = {
    ("defhost", "value"): {"f": 1},
    ("defhost", "jvp"): {"f": 1, "jvp": 1},
    ("defhost", "vjp"): {"vjp": 1},
    ("defhost", "jacfwd"): {"jvp": 5},
    ("defhost", "jacrev"): {"vjp": 4},
    ("defhost", "hessian in x"): {"f": 1, "jvp": 3, "vjp": 3, "hvp": 3},
    ("defhost, whole batches", "jacfwd"): {"jvp": 1},
    ("defhost, whole batches", "jacrev"): {"vjp": 1},
    ("defhost, whole batches", "vmap of grad"): {"f": 1, "vjp": 1},
    ("defhost, whole batches", "hessian in x"): {"f": 1, "jvp": 1, "vjp": 1, "hvp": 1},
    ("defjacobian", "value_and_grad"): {"f": 1, "jacobian": 1},
    ("defjacobian", "vjp"): {"jacobian": 1},
    ("defjacobian", "jacfwd"): {"jacobian": 1},
    ("defvalue_and_grad", "value"): {"f": 1},
    ("defvalue_and_grad", "jvp"): {"value_and_grad": 1},
    ("defvalue_and_grad", "value_and_grad"): {"value_and_grad": 1},
    ("defvalue_and_grad", "grad"): {"value_and_grad": 1},
    ("defvalue_and_grad", "jacfwd"): {"value_and_grad": 1},
    ("defvalue_and_grad", "jacrev"): {"value_and_grad": 1},
    ("defvalue_and_grad", "hessian"): {"value_and_grad": 1, "hessian": 1},
    ("defvalue_and_grad", "vmap of grad"): {"value_and_grad": 3},
    ("linear", "vjp"): {"transpose": 2, "f": 1},
}


@pytest.mark.parametrize(("construct", "transform"), COUNTS)
def test_how_often_the_host_is_called(construct, transform):
    change, function = TRANSFORMS[transform], CONSTRUCTS[construct]()
    jitted = jax.jit(change(function))
    jax.block_until_ready(jitted(X, Y))
    assert count(jitted) == COUNTS[construct, transform]


# ---- what a rule is given


def test_a_rule_that_names_ans_gets_the_answer_and_one_that_names_needed_the_flags():
    seen = []

    def push(primals, tangents, *, ans, power):
        seen.append(("jvp", ans.copy()))
        return power * ans / primals[0] * tangents[0]

    def pull(primals, cotangent, *, needed, ans, power):
        seen.append(("vjp", ans.copy(), needed))
        return power * ans / primals[0] * cotangent, None

    def second(primals, tangents, cotangent, *, power, ans):
        return power * (power - 1) * ans / primals[0] ** 2 * cotangent * tangents[0], None

    power = hw.wrap("(n),()->(n)", static="power")(lambda x, shift, *, power: x**power)
    power.defhost(jvp=push, vjp=pull, hvp=second)
    same(jax.jit(jax.jacfwd(lambda x: power(x, 0.0, power=3)))(X), np.diag(3 * X**2), 1e-13)
    same(jax.jit(jax.jacrev(lambda x: power(x, 0.0, power=3)))(X), np.diag(3 * X**2), 1e-13)
    assert all(np.array_equal(entry[1], X**3) for entry in seen)
    assert {entry[2] for entry in seen if entry[0] == "vjp"} == {(True, False)}
    for outer in (jax.jacfwd, jax.jacrev):
        for inner in (jax.jacfwd, jax.jacrev):
            got = jax.jit(outer(inner(lambda x: power(x, 0.0, power=3).sum())))(X)
            same(got, np.diag(6 * X), 1e-13)


def test_a_jacobian_may_use_the_answer():
    cube = hw.wrap("(n)->(n)")(lambda x: x**3)

    def second(x, *, ans):
        return 6 * np.einsum("ij,jk->ijk", np.diag(x), np.eye(3))

    cube.defjacobian(lambda x, *, ans: np.diag(3 * ans / x), hessian=second)
    for outer in (jax.jacfwd, jax.jacrev):
        for inner in (jax.jacfwd, jax.jacrev):
            same(jax.jit(outer(inner(cube)))(X), jax.hessian(lambda x: x**3)(X), 1e-12)


def test_what_nobody_differentiates_is_not_asked_for():
    asked = []

    def pull(primals, cotangent, *, needed):
        asked.append(needed)
        cotangents = vjp(primals, cotangent)
        return tuple(c if n else None for c, n in zip(cotangents, needed, strict=True))

    def push(primals, tangents):
        asked.append(tuple(t is not None for t in tangents))
        return jvp(primals, tangents)

    function = hw.wrap("(3),(2)->(4)")(f).defhost(jvp=push, vjp=pull)
    for mode in (jax.jacfwd, jax.jacrev):
        for argnums, flags in ((0, (True, False)), (1, (False, True)), ((0, 1), (True, True))):
            asked.clear()
            jax.block_until_ready(jax.jit(mode(function, argnums))(X, Y))
            assert set(asked) == {flags}
    asked.clear()  # a cotangent that is computed and thrown away
    jax.block_until_ready(
        jax.jit(lambda x, y: jax.grad(lambda x, y: function(x, y).sum(), (0, 1))(x, y)[1])(X, Y)
    )
    assert asked == [(False, True)]


def test_a_derivative_that_nobody_uses_makes_no_call():
    function = with_defhost()
    calls.clear()
    jax.block_until_ready(jax.jit(lambda x, y: jax.jvp(function, (x, y), (x, y))[0])(X, Y))
    assert calls == {"f": 1}


def test_trees_with_integers_in_arguments_and_results():
    """Integers take no part: None in the tangent, and whatever the cotangent says of them."""
    shape = jax.ShapeDtypeStruct((), np.float64)
    number = jax.ShapeDtypeStruct((), np.int64)
    model = hw.wrap(out={"y": shape, "n": number})(lambda p: {"y": p["x"] ** p["k"], "n": p["k"]})
    seen = []

    def push(primals, tangents):
        (p,), (t,) = primals, tangents
        seen.append(t["k"])
        return {"y": p["k"] * p["x"] ** (p["k"] - 1) * t["x"], "n": None}

    def pull(primals, cotangent):
        (p,) = primals
        seen.append(cotangent["n"])
        return ({"x": p["k"] * p["x"] ** (p["k"] - 1) * cotangent["y"], "k": None},)

    model.defhost(jvp=push, vjp=pull)

    def of_x(x):
        result = model({"x": x, "k": 3})
        return result["y"] * result["n"]

    same(jax.jit(jax.jacfwd(of_x))(2.0), 36.0)
    same(jax.jit(jax.jacrev(of_x))(2.0), 36.0)
    same(jax.jit(jax.grad(lambda p: model(p)["y"], allow_int=True))({"x": 2.0, "k": 3})["x"], 12.0)
    assert set(seen) == {None}


def test_integer_results_have_no_derivative_and_none_is_missing():
    count = hw.wrap("(n)->()", dtype=int)(lambda x: np.sum(x > 0))
    count.defhost(vjp=lambda p, c: (np.zeros_like(p[0]),))
    same(jax.jit(jax.grad(lambda x: count(x) * x.sum()))(X), np.full(3, 2.0))


def test_leading_axes_broadcast_as_those_of_a_ufunc():
    function, x, y = with_defhost(), np.stack([X, 2 * X])[:, None], np.stack([Y, Y - 1, Y / 3])

    def gradient(g):
        return jax.jit(jax.grad(lambda x, y: (g(x, y) ** 2).sum(), (0, 1)))(x, y)

    rows = jax.vmap(jax.vmap(exact, (None, 0)), (0, None))
    same(gradient(function), gradient(lambda x, y: rows(x[:, 0], y)), 1e-12)


@pytest.mark.parametrize(
    "method", ["legacy_vectorized", "sequential_unrolled", "broadcast_all", "expand_dims"]
)
@pytest.mark.parametrize("rules", [None, "sequential", "broadcast_all"])
@pytest.mark.rotating
def test_every_vmap_method_of_function_and_rules(method, rules):
    function = hw.wrap("(3),(2)->(4)", vmap_method=method)(f)
    function.defhost(jvp=jvp, vjp=vjp, vmap_method=rules)
    # "legacy_vectorized" has no words for two batch axes of which an argument has one
    for change in (jax.grad, jax.jacfwd) if (method, rules) != ("legacy_vectorized", None) else (jax.grad,):
        loss = change(lambda x, y: jax.vmap(function, (0, None))(x, y)[:, 0].sum() ** 2, (0, 1))
        expected = change(lambda x, y: jax.vmap(exact, (0, None))(x, y)[:, 0].sum() ** 2, (0, 1))
        same(jax.jit(loss)(jnp.stack([X, 2 * X]), Y), expected(jnp.stack([X, 2 * X]), Y), 1e-12)


@pytest.mark.parametrize("dtype", [np.float32, jnp.bfloat16])
def test_single_precision_is_computed_in_double_and_rounded_once(dtype):
    kinds = set()

    def pull(primals, cotangent):
        kinds.update(a.dtype for a in (*primals, cotangent))
        return (np.cos(primals[0]) * cotangent,)

    sine = hw.wrap(lambda x: np.sin(x), signature="()->()").defhost(vjp=pull)
    x = jnp.asarray(0.7, dtype)
    got = jax.jit(jax.grad(sine))(x)
    assert got.dtype == dtype and kinds == {np.dtype(np.float64)}
    assert got == np.cos(np.float64(x)).astype(dtype)


# ---- complex numbers, with JAX's conventions

Z = np.array([0.3 - 0.4j, 1.2 + 0.5j])


def holomorphic():
    square = hw.wrap("(n)->(n)")(lambda z: z**2 * np.roll(z, 1))

    def push(primals, tangents):
        (z,), (t,) = primals, tangents
        return 2 * z * t * np.roll(z, 1) + z**2 * np.roll(t, 1)

    def pull(primals, c):
        (z,) = primals
        return (2 * z * np.roll(z, 1) * c + np.roll(z**2 * c, -1),)

    def second(primals, tangents, c):
        (z,), (t,) = primals, tangents
        along = 2 * c * (t * np.roll(z, 1) + z * np.roll(t, 1))
        return (along + np.roll(2 * z * t * c, -1),)

    return square.defhost(jvp=push, vjp=pull, hvp=second), lambda z: z**2 * jnp.roll(z, 1)


def absolute():
    """|z|^2: real, so no Jacobian; the pairing is Re(c dy)."""
    square = hw.wrap("(n)->(n)", dtype=float)(lambda z: np.abs(z) ** 2)
    square.defhost(
        jvp=lambda p, t: 2 * np.real(np.conj(p[0]) * t[0]),
        vjp=lambda p, c: (2 * c * np.conj(p[0]),),
        hvp=lambda p, t, c: (2 * c * np.conj(t[0]),),
    )
    return square, lambda z: jnp.real(z) ** 2 + jnp.imag(z) ** 2


def of_real():
    """Real argument, complex result: the cotangent is the real part."""
    wave = hw.wrap("(n)->(n)", dtype=complex)(lambda x: np.exp(1j * x))
    wave.defhost(
        jvp=lambda p, t: 1j * np.exp(1j * p[0]) * t[0],
        vjp=lambda p, c: (np.real(1j * np.exp(1j * p[0]) * c),),
        hvp=lambda p, t, c: (np.real(-np.exp(1j * p[0]) * c) * t[0],),
    )
    return wave, lambda x: jnp.exp(1j * x)


@pytest.mark.parametrize("case", [holomorphic, absolute, of_real])
@pytest.mark.rotating
def test_complex_numbers(case):
    (function, reference), point = case(), X[:2] if case is of_real else Z
    step, kind = np.array([0.5, -1.0]) * (1 if case is of_real else 1 - 2j), jax.eval_shape(reference, point)
    weights = jnp.asarray([1.5, 0.5] if kind.dtype == float else [1.5 - 1j, 0.5 + 2j])

    def real(f):
        return lambda x: jnp.sum(f(x) * weights).real

    for change in (
        lambda f: lambda x: jax.jvp(f, (x,), (step,)),
        lambda f: lambda x: jax.vjp(f, x)[1](weights),
        lambda f: jax.grad(real(f)),
        lambda f: lambda x: jax.jvp(jax.grad(real(f)), (x,), (step,)),
        lambda f: lambda x: jax.vjp(jax.grad(real(f)), x)[1](jnp.asarray(step)),
        lambda f: lambda x: jax.vjp(lambda x: jax.jvp(f, (x,), (step,))[1], x)[1](weights),
        lambda f: lambda x: jax.jvp(lambda x: jax.jvp(f, (x,), (step,))[1], (x,), (1.5 * step,)),
    ):
        same(jax.jit(change(function))(point), change(reference)(point), 1e-12)


# ---- the rest


@pytest.mark.rotating
def test_several_devices(fresh_python):
    """One call per device under shard_map, with an argument that all share; sharded by type and by hand."""
    code = """
import jax, jax.numpy as jnp, numpy as np, hostwrap as hw
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
jax.config.update("jax_enable_x64", True)
f = hw.wrap("(n),()->(n)")(lambda x, a: np.sin(x) * a)
f.defhost(
    jvp=lambda p, t: (0 if t[0] is None else np.cos(p[0]) * p[1] * t[0]) + (0 if t[1] is None else np.sin(p[0]) * t[1]),
    vjp=lambda p, c: (np.cos(p[0]) * p[1] * c, np.sum(np.sin(p[0]) * c)),
)
exact = lambda x, a: jnp.sin(x) * a
one = jnp.ones(())
for kind in (AxisType.Auto, AxisType.Explicit):
    mesh = jax.make_mesh((2,), ("d",), axis_types=(kind,))
    with jax.set_mesh(mesh):
        x = jax.device_put(np.linspace(0, 1, 8).reshape(4, 2), NamedSharding(mesh, P("d")))
        found = []
        for g in (f, exact):
            total = lambda x, a: jnp.sum(g(x, a) ** 2)
            local = lambda x, a: jax.lax.psum(total(x, a), "d")
            shared = jax.shard_map(local, mesh=mesh, in_specs=(P("d"), P()), out_specs=P())
            for h in (total, shared):
                found.append(jax.jit(jax.grad(h, (0, 1)))(x, 1.5))
                found.append(jax.jit(lambda x, a: jax.jvp(h, (x, a), (x, one)))(x, 1.5))
        for got, expected in zip(found[:4], found[4:], strict=True):
            jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-12), got, expected)
"""
    fresh_python(code, XLA_FLAGS="--xla_force_host_platform_device_count=2")


def test_jacfwd_does_not_copy_the_arguments_for_each_direction():
    """A looped rule sees the one array that is there; spread over the batch it would be 2 GB."""
    big = np.zeros(1_000_000)
    function = hw.wrap("(n),(k)->(k)")(lambda x, y: y * x[0])
    function.defhost(jvp=lambda p, t: t[1] * p[0][0])
    same(jax.jit(jax.jacfwd(function, 1))(big + 2, np.ones(250)), 2 * np.eye(250))


class Held:
    """Something a rule keeps alive."""


USES = {"grad": jax.grad, "hessian": jax.hessian, "hessian under jit": lambda f: jax.jit(jax.hessian(f))}


@pytest.mark.parametrize("change", USES.values(), ids=USES)
def test_a_function_dies_with_its_last_user(change):
    def used():
        held = Held()
        sine = hw.wrap(lambda x: (held, np.sin(x))[1])
        sine.defhost(
            jvp=lambda p, t: (held, np.cos(p[0]) * t[0])[1],
            vjp=lambda p, c: (held, (np.cos(p[0]) * c,))[1],
            hvp=lambda p, t, c: (held, (-np.sin(p[0]) * t[0] * c,))[1],
        )
        same(change(sine)(1.0), -np.sin(1.0) if change is not jax.grad else np.cos(1.0))
        return weakref.ref(held)

    assert_dead([used() for _ in range(5)])

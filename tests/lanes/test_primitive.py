"""`host_call` in both lanes: values, every transformation, forcing a lane, several devices."""

import functools
import re

import jax
import numpy as np
import pytest
from jax import lax

import hostwrap as hw
from hostwrap import _lanes
from hostwrap._lanes.lowering import LOWERINGS
from tests._kit.toys import callbacks, each_lane, product, recording, same, sine_and_cosine  # noqa: F401

X = np.linspace(-2.0, 2.0, 12).reshape(3, 4)
lanes = pytest.mark.usefixtures("each_lane")


def two_results():
    return hw.wrap("(n),()->(n),()")(recording(lambda x, y: (x * y, x.sum() + y)))


# ---- values


@lanes
@pytest.mark.parametrize("shape", [(), (1,), (3, 4), (0,), (2, 0, 3)])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.complex128, np.complex64])
def test_a_compiled_call_gives_the_hosts_bits(shape, dtype):
    x = np.random.default_rng(1).normal(size=shape).astype(dtype)
    wide = x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)
    y = jax.jit(hw.wrap(lambda x: np.exp(x)))(x)
    assert y.dtype == dtype and y.shape == shape
    np.testing.assert_array_equal(np.asarray(y), np.exp(wide).astype(dtype))


@lanes
@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.uint64, np.bool_, np.float16])
def test_declared_dtypes_arrive_exactly(dtype):
    """64-bit results travel as pairs of words: every bit of them."""
    wide = np.array([0, 1, 2**62 + 1, -(2**40) - 3, np.iinfo(np.int64).max])
    values = (wide % 1000 if dtype == np.float16 else wide).astype(dtype)
    f = hw.wrap(out=jax.ShapeDtypeStruct((5,), dtype))(lambda: values)
    y = jax.jit(lambda x: (x, f())[1])(0.0)
    assert y.dtype == dtype
    np.testing.assert_array_equal(np.asarray(y), values)


@lanes
def test_special_values_and_signed_zeros_survive():
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, 1e-310, np.finfo(float).max])
    y = np.asarray(jax.jit(hw.wrap(lambda x: x.copy()))(x))
    np.testing.assert_array_equal(y.view(np.uint64), x.view(np.uint64))


@lanes
def test_arrays_that_are_not_contiguous():
    f = jax.jit(hw.wrap(lambda x: np.asfortranarray(2 * x)))
    same(f(np.asfortranarray(X)), 2 * X)
    same(f(X[::2, ::-1]), 2 * X[::2, ::-1])
    same(jax.jit(lambda x: f(x.T))(X), 2 * X.T)


@lanes
def test_several_results_are_a_tuple_in_order():
    same(jax.jit(two_results())(X[0], 3.0), (3 * X[0], X[0].sum() + 3))


@lanes
def test_a_result_that_nobody_uses_is_not_fetched():
    f = recording(lambda x: x)
    dead = hw.wrap(f)
    assert callbacks(lambda x: (dead(x), x + 1)[1], 1.0) == 0
    g = two_results()
    assert callbacks(lambda x: g(x, 2.0)[1], X[0]) == 1
    text = jax.jit(lambda x: g(x, 2.0)[1]).lower(X[0]).compile().as_text()
    assert "[4" not in re.search(r"= (.*) custom-call", text)[1]


# ---- transformations


@lanes
def test_scan_and_while_and_cond():
    f = hw.wrap(lambda x: np.cos(x))
    expected = functools.reduce(lambda c, _: np.cos(c), range(7), X)
    same(lax.scan(lambda c, _: (f(c),) * 2, X, None, 7)[0], expected)
    same(lax.fori_loop(0, 7, lambda _, c: f(c), X), expected)
    same(lax.while_loop(lambda s: s[0] < 7, lambda s: (s[0] + 1, f(s[1])), (0, X))[1], expected)
    choose = jax.jit(lambda p, x: lax.cond(p, f, lambda x: -x, x))
    same((choose(True, X), choose(False, X)), (np.cos(X), -X))


@lanes
def test_a_scan_calls_the_host_once_per_step():
    host = recording(lambda x: np.cos(x))
    f = hw.wrap(host)
    jax.block_until_ready(jax.jit(lambda x: lax.scan(lambda c, _: (f(c), None), x, None, 50)[0])(0.3))
    assert len(host.seen) == 50


@lanes
def test_derivatives_inside_loops_and_loops_inside_derivatives():
    sine, _ = sine_and_cosine()
    same(lax.scan(lambda c, x: (c, jax.grad(sine)(x)), 0.0, X[0])[1], np.cos(X[0]))

    def twice(x):
        return lax.scan(lambda c, _: (sine(c), None), x, None, 2)[0]

    expected = np.cos(np.sin(0.7)) * np.cos(0.7)
    same(jax.jit(jax.grad(twice))(0.7), expected)
    same(jax.jit(jax.jacfwd(twice))(0.7), expected)
    same(jax.grad(lambda x: lax.cond(x > 0, sine, lambda x: x, x))(0.7), np.cos(0.7))


@lanes
def test_remat():
    sine, _ = sine_and_cosine()
    f = jax.checkpoint(lambda x: sine(sine(x)).sum())
    same(jax.jit(jax.grad(f))(X), np.cos(np.sin(X)) * np.cos(X))


@lanes
def test_grad_of_vmap_and_vmap_of_grad_under_jit():
    f = product()
    y = np.array([0.5, 1.5, 2.5])
    same(jax.jit(jax.vmap(jax.grad(f, 1), (None, 0)))(2.0, y), 16 * y)
    same(jax.jit(jax.grad(lambda x: jax.vmap(f, (None, 0))(x, y).sum()))(2.0), 12 * (y**2).sum())
    rows = jax.jit(jax.vmap(jax.vmap(jax.grad(f), (0, None)), (None, 0)))(X[0], y)
    same(rows, 3 * X[0] ** 2 * y[:, None] ** 2)


@lanes
def test_linearize_jvp_and_vjp_agree():
    f = product()
    value, push = jax.linearize(f, X, 1.5)
    tangents = (np.cos(X), 0.3)
    same((value, push(*tangents)), jax.jvp(f, (X, 1.5), tangents))
    expected = 3 * X**2 * 2.25 * np.cos(X) + 3 * X**3 * 0.3
    same(push(*tangents), expected)
    cotangent = np.sin(X)
    pulled = jax.jit(lambda c: jax.vjp(f, X, 1.5)[1](c))(cotangent)
    same(sum(np.vdot(c, t) for c, t in zip(pulled, tangents, strict=True)), np.vdot(cotangent, expected))


@lanes
def test_transformations_of_a_function_without_a_rule_that_need_none():
    f = hw.wrap(lambda x: x**2)
    same(jax.jit(jax.grad(lambda x: x * f(lax.stop_gradient(x))))(3.0), 9.0)
    assert jax.eval_shape(f, X).shape == X.shape


# ---- lanes


@pytest.fixture
def public_callbacks(monkeypatch):
    """What goes through the public jax.pure_callback, one entry per call in a compiled program."""
    calls, real = [], jax.pure_callback
    monkeypatch.setattr(jax, "pure_callback", lambda *a, **k: (calls.append(a), real(*a, **k))[1])
    return calls


@pytest.mark.parametrize("transform", [lambda f: f, jax.grad, jax.vmap, jax.hessian])
def test_forcing_a_lane_forces_it_under_every_transformation(transform, public_callbacks):
    x = X[0] if transform is jax.vmap else 0.5
    for lane, expected in [("callback", 0), ("pure_callback", 1)]:
        with hw.lane(lane):
            jax.jit(transform(sine_and_cosine()[0]))(x)
        assert len(public_callbacks) == expected


@pytest.mark.native
def test_the_innermost_lane_counts_and_is_left_again(public_callbacks):
    with hw.lane("pure_callback"):
        with hw.lane("callback"):
            jax.jit(sine_and_cosine()[0])(0.5)
        assert not public_callbacks
        jax.jit(sine_and_cosine()[0])(0.5)
    assert len(public_callbacks) == 1
    with pytest.raises(KeyError), hw.lane("pure_callback"):
        raise KeyError
    jax.jit(sine_and_cosine()[0])(0.5)
    assert len(public_callbacks) == 1


def test_the_table_of_lowerings_has_all_lanes_in_their_order():
    assert tuple(LOWERINGS) == _lanes.LANES


def test_a_lane_that_is_not_there():
    words = r"hostwrap\.lane: 'express' is no lane .* native, callback, pure_callback"
    with pytest.raises(ValueError, match=words), hw.lane("express"):
        pass


def test_lanes_lists_them_the_best_first():
    assert list(hw.lanes()) == ["native", "callback", "pure_callback"]
    states = hw.lanes()
    assert states["native"] == "available" or "C compiler" in states["native"]
    assert states["callback"] == states["pure_callback"] == "available"


CHOSEN = """
import jax, numpy as np, hostwrap as hw
public, real = [], jax.pure_callback
jax.pure_callback = lambda *a, **k: (public.append(1), real(*a, **k))[1]
y = jax.jit(hw.wrap(lambda x: np.sin(x)))(0.5)
assert abs(y - np.sin(0.5)) < 1e-6
print(len(public))
"""


@pytest.mark.subprocess
def test_the_environment_chooses_the_lane(fresh_python):
    assert fresh_python(CHOSEN, HOSTWRAP_LANE="pure_callback").strip() == "1"
    assert fresh_python(CHOSEN, HOSTWRAP_LANE="callback").strip() == "0"
    with pytest.raises(AssertionError, match="environment variable HOSTWRAP_LANE: 'exprss' is no lane"):
        fresh_python(CHOSEN, HOSTWRAP_LANE="exprss")


# ---- several devices

DEVICES = """
import jax, jax.numpy as jnp, numpy as np, hostwrap as hw
from jax.sharding import NamedSharding, PartitionSpec as P
jax.config.update("jax_enable_x64", True)
f = hw.wrap(lambda x, y: np.sin(x) * y).defpartials(x=lambda a, x, y: y * jnp.cos(x), y=lambda a, x, y: jnp.sin(x))
mesh = jax.make_mesh((2,), ("d",), axis_types=(jax.sharding.AxisType.Auto,))
x = np.linspace(0.0, 1.0, 1000).reshape(2, 500)
spread = jax.device_put(x, NamedSharding(mesh, P("d")))
assert len(spread.devices()) == 2

def check(y, expected):
    np.testing.assert_allclose(np.asarray(y), expected, rtol=1e-14)
    np.testing.assert_allclose(np.asarray(y + 1.0), expected + 1.0, rtol=1e-14)
    for shard in jax.device_put(y, NamedSharding(mesh, P())).addressable_shards:
        np.testing.assert_allclose(np.asarray(shard.data), expected, rtol=1e-14)

def sharded(g, out=P("d")):
    return jax.jit(jax.shard_map(g, mesh=mesh, in_specs=(P("d"), P()), out_specs=out))

check(jax.jit(lambda x, y: f(x, y))(spread, 2.0), 2 * np.sin(x))
check(f(spread, 2.0), 2 * np.sin(x))
check(jax.jit(lambda x, y: f(2 * x, y) + x)(spread, 2.0), 2 * np.sin(2 * x) + x)
check(jax.jit(jax.grad(lambda x, y: f(x, y).sum()))(spread, 2.0), 2 * np.cos(x))
check(jax.jit(jax.vmap(f, (0, None)))(spread, 2.0), 2 * np.sin(x))
check(sharded(f)(spread, 2.0), 2 * np.sin(x))
check(sharded(jax.grad(lambda x, y: f(x, y).sum()))(spread, 2.0), 2 * np.cos(x))
check(sharded(lambda x, y: jax.lax.psum(f(x, y), "d"), P())(spread, 2.0), 2 * np.sin(x).sum(0, keepdims=True))
check(jax.grad(lambda y: sharded(f)(spread, y).sum())(2.0), np.sin(x).sum())
print("right")
"""


@pytest.mark.subprocess
@pytest.mark.native  # JAX has no sharding to give for its own callback's results
def test_values_are_right_on_two_devices(fresh_python):
    flags = "--xla_force_host_platform_device_count=2"
    assert "right" in fresh_python(DEVICES, XLA_FLAGS=flags)


def test_in_place_of_a_lane_that_is_not_there_comes_the_next(monkeypatch):
    monkeypatch.setitem(_lanes._reasons, "native", "taken away by this test")
    with hw.lane("native"):
        assert _lanes.current() == "callback"
    monkeypatch.setenv("HOSTWRAP_LANE", "native")
    assert _lanes.current() == "callback"
    monkeypatch.setenv("HOSTWRAP_LANE", "pure_callback")
    assert _lanes.current() == "pure_callback"

"""`hostwrap.compat`: what `jax.experimental.host_callback` and the old `pure_callback` did."""

import functools
import io

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import hostwrap as hw
from hostwrap import compat
from hostwrap.compat import barrier_wait, call, id_print, id_tap, pure_callback
from tests._kit.toys import each_lane, same  # noqa: F401

lanes = pytest.mark.usefixtures("each_lane")
X = np.arange(1.0, 4.0)
everywhere = pytest.mark.parametrize("go", [lambda f: f, jax.jit], ids=["eager", "jit"])


def run(function, *args):
    value = jax.block_until_ready(function(*args))
    barrier_wait()
    return value


def recording(result=lambda arg: arg):
    seen = []

    def host(arg, *rest, **kwargs):
        seen.append((arg, *rest, *kwargs.items()))
        return result(arg)

    return host, seen


# ---- call


@lanes
@everywhere
@pytest.mark.parametrize(
    "shape, result",
    [
        (0.0, 2.5),
        (0, 7),
        (1j, 1 + 2j),
        (True, True),
        (np.float32(0), np.float32(1.5)),
        (np.zeros((2, 3)), np.ones((2, 3))),
        (jax.ShapeDtypeStruct((3,), np.int32), np.arange(3, dtype=np.int32)),
        ({"a": 0.0, "b": (0, np.zeros(2))}, {"a": 1.0, "b": (2, np.ones(2))}),
        (None, None),
        ((), ()),
    ],
)
def test_the_shape_of_a_result_is_a_number_or_what_has_a_shape(go, shape, result):
    got = run(go(lambda x: call(lambda arg: result, x, result_shape=shape)), X)
    assert jax.tree.structure(got) == jax.tree.structure(result)
    for value, declared, expected in zip(*map(jax.tree.leaves, (got, shape, result)), strict=True):
        np.testing.assert_array_equal(value, expected)
        assert value.dtype == jnp.result_type(declared)


@lanes
@everywhere
def test_call_takes_one_tree_in_the_types_that_jax_has(go):
    host, seen = recording(lambda arg: arg["x"] + arg["n"][0])
    x, n = np.float32([1, 2]), np.int8(3)
    got = run(go(lambda x, n: call(host, {"x": x, "n": [n]}, result_shape=x)), x, n)
    np.testing.assert_array_equal(got, np.float32([4, 5]))
    ((arg,),) = seen
    assert type(arg["x"]) is np.ndarray and arg["x"].dtype == np.float32 and arg["n"][0].dtype == np.int8


@lanes
def test_call_happens_once_used_or_not():
    host, seen = recording()
    program = jax.jit(lambda x: (call(host, x, result_shape=x), call(host, 7, result_shape=0), x)[2])
    run(program, 1.0), run(program, 2.0)
    assert sorted(float(arg) for (arg,) in seen) == [1.0, 2.0, 7.0, 7.0]
    seen.clear()
    ordered = functools.partial(call, host, result_shape=0.0, ordered=True)
    run(jax.jit(lambda x: lax.scan(lambda c, y: (c + ordered(y), None), 0.0, x)[0]), X)
    assert [float(arg) for (arg,) in seen] == [*X]


@lanes
@everywhere
def test_call_with_the_device(go):
    host, seen = recording()
    f = functools.partial(call, host, call_with_device=True)
    same(run(go(lambda x: f(x, result_shape=x)), X), X)
    run(go(jax.vmap(lambda x: f(x, result_shape=x))), X)
    assert [rest for _, *rest in seen] == [[("device", jax.devices()[0])]] * 4


DEVICES = """
import jax, jax.numpy as jnp, numpy as np
from jax.sharding import AxisType, PartitionSpec as P
from hostwrap.compat import barrier_wait, call, id_tap
seen = []
def host(x, device):
    seen.append((device, np.asarray(x).tolist()))
    return x
f = lambda x: call(host, x, result_shape=x, call_with_device=True)
tap = lambda x: id_tap(lambda x, transforms, device: seen.append((device, np.asarray(x).tolist())), x, tap_with_device=True)
for g in (f, tap):
    for device in jax.devices():
        for program in (g, jax.jit(g), jax.jit(lambda x: jax.jit(g)(x) + 1)):
            seen.clear()
            jax.block_until_ready(program(jax.device_put(1.0, device)))
            barrier_wait()
            assert seen == [(device, 1.0)], seen
    mesh = jax.make_mesh((2, 2), ("a", "b"), axis_types=(AxisType.Auto,) * 2)
    seen.clear()
    jax.block_until_ready(jax.jit(jax.shard_map(g, mesh=mesh, in_specs=P(("b", "a")), out_specs=P(("b", "a"))))(jnp.arange(4.0)))
    barrier_wait()
    expected = {mesh.devices[a, b]: [2.0 * b + a] for a in range(2) for b in range(2)}
    assert dict(seen) == expected and len(seen) == 4, seen
print("done")
"""  # noqa: E501


@pytest.mark.subprocess
@pytest.mark.parametrize("lane", ["callback", "pure_callback"])
@pytest.mark.rotating
def test_the_device_is_that_of_the_program(fresh_python, lane):
    """host_callback named the first one, whatever the program ran on."""
    assert "done" in fresh_python(
        DEVICES, XLA_FLAGS="--xla_force_host_platform_device_count=4", HOSTWRAP_LANE=lane
    )


def test_call_refuses_what_is_no_shape_and_results_that_do_not_fit():
    with pytest.raises(
        hw.SignatureError, match=r"call: result_shape= must be a pytree of numbers.*got str: 'f4'"
    ):
        call(lambda x: x, 1.0, result_shape="f4")
    with pytest.raises(hw.ResultError, match=r"host: result 0 is declared with shape \(2,\)"):

        def host(x):
            return np.ones(3)

        call(host, 1.0, result_shape=np.zeros(2))
    with pytest.raises(hw.ResultError, match="structure"):
        call(lambda x: x, 1.0, result_shape=(0.0, 0.0))
    with pytest.raises(hw.MissingDerivative, match="with respect to `arg`"):
        jax.grad(lambda x: call(lambda x: x, x, result_shape=x))(1.0)


# ---- id_tap, id_print


@lanes
def test_id_tap_is_the_identity_and_ignores_what_the_tap_returns():
    host, seen = recording(lambda arg: "ignored")
    for go in (lambda f: f, jax.jit):
        seen.clear()
        same(run(go(lambda x: id_tap(host, x)), X), X)
        same(run(go(lambda x: id_tap(host, {"x": x}, result=2 * x)), X), 2 * X)
        run(go(lambda x: (id_tap(host, 3 * x), x)[1]), X)  # also where nobody uses what it returns
        same([arg["x"] if isinstance(arg, dict) else arg for arg, _ in seen], [X, X, 3 * X])
        assert [transforms for _, transforms in seen] == [(), (), ()]


@lanes
def test_id_tap_sees_primal_values_once_and_each_element_of_a_batch():
    host, seen = recording()
    power3 = lambda x: id_tap(host, x * x) * x
    for program, x, expected in (
        (jax.grad(power3), 3.0, 27.0),
        (jax.jit(jax.grad(power3)), 3.0, 27.0),
        (lambda x: jax.jvp(lambda x: id_tap(host, x * x, result=x**3), (x,), (0.1,))[1], 3.0, 2.7),
    ):
        seen.clear()
        result = run(program, x)
        if expected == 2.7:
            same(result, np.asarray(expected))
        same([arg for arg, _ in seen], [np.asarray(9.0)])
    seen.clear()
    same(run(jax.jit(jax.vmap(lambda x: id_tap(host, x * x, result=x**3))), X), X**3)
    same([arg for arg, _ in seen], [np.asarray(v) for v in X**2])


@lanes
def test_id_tap_for_debugging_goes_where_side_effects_may_not():
    host, seen = recording()
    tap = lambda x: id_tap(host, x, effect="debug", result=jnp.sin(x))
    same(run(jax.jit(jax.grad(jax.checkpoint(tap))), 1.0), np.asarray(np.cos(1.0)))
    assert seen


@lanes
def test_id_print_prints_words_and_values():
    stream = io.StringIO()
    program = jax.jit(lambda x: id_print((x, {"b": [x], "a": 2 * x}), what="here", k=3, output_stream=stream))
    run(program, 3.0)
    assert stream.getvalue() == "k: 3 what: here\n( 3. { a=6. b=[ 3. ] } )\n"
    stream.truncate(0), stream.seek(0)
    run(lambda x: id_print(x, output_stream=stream, threshold=5), np.arange(100.0))
    assert stream.getvalue() == "[ 0.  1.  2. ... 97. 98. 99.]\n"
    stream.truncate(0), stream.seek(0)
    run(jax.jit(lambda x: id_print(x, output_stream=stream, tap_with_device=True)), 1.0)
    assert stream.getvalue() == f"device: {jax.devices()[0]}\n1.\n"


def test_id_print_to_the_standard_output(capfd):
    run(jax.jit(lambda x: id_print(x, what="x")), 3.0)
    assert capfd.readouterr().out == "what: x\n3.\n"


# ---- pure_callback


@lanes
@everywhere
def test_pure_callback_and_its_old_option(go):
    host, seen = recording()
    add = lambda x, y, **kwargs: (host((np.shape(x), np.shape(y))), x + y)[1]
    one = lambda x, y, **options: pure_callback(add, jax.ShapeDtypeStruct((), float), x, y, **options)
    same(run(go(one), 1.0, 2.0), np.asarray(3.0))
    same(run(go(lambda x: pure_callback(add, x, x, y=x)), X), 2 * X)
    seen.clear()
    same(run(go(jax.vmap(lambda x: one(x, 5.0, vectorized=True))), X), X + 5)
    assert [arg for (arg,) in seen] == [((3,), ())]
    seen.clear()
    same(run(go(jax.vmap(lambda x: one(x, 5.0))), X), X + 5)
    assert [arg for (arg,) in seen] == [((), ())] * 3


def test_pure_callback_may_be_dropped_and_refuses_what_is_no_shape():
    host, seen = recording()
    run(jax.jit(lambda x: (pure_callback(host, x, x), x)[1]), 1.0)
    assert not seen
    with pytest.raises(hw.SignatureError, match="pure_callback: result_shape_dtypes= must be"):
        pure_callback(host, {"a": print}, 1.0)


# ---- compiled once


@pytest.mark.parametrize(
    "program",
    [
        lambda host, x: call(host, x, result_shape=x),
        lambda host, x: id_tap(host, x),
        lambda host, x: id_print(x, what="x", threshold=9),
        lambda host, x: pure_callback(host, x, x),
    ],
)
def test_equal_calls_are_one_host_function(program):
    """A new one for each call would be compiled again, and kept."""
    host, _ = recording()
    made = lambda: [cache.cache_info().misses for cache in (compat._io, compat._pure)]
    program(host, 1.0)
    before = made()
    program(host, 2.0)
    assert made() == before

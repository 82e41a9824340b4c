"""Side effects on several devices, and what hangs or goes wrong with JAX's own callbacks: each in a fresh process."""

import pytest

from tests.system.test_pitfalls_threads import cores  # noqa: F401

START = """
import threading, jax, jax.numpy as jnp, numpy as np, hostwrap as hw
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((len(jax.devices()),), ("d",), axis_types=(AxisType.Auto,))
seen = []
def twice(x):
    seen.append(np.shape(x))
    return 2 * x
def spread(n):
    return jax.device_put(jnp.arange(float(n)), NamedSharding(mesh, P("d")))
def done(value):
    jax.block_until_ready(value)
    jax.effects_barrier()
    return value
def fails(call, *words):
    try:
        done(call())
    except Exception as error:
        assert all(word in str(error) for word in words), error
    else:
        raise SystemExit("no error")
io = hw.wrap(twice, effect="io")
look = hw.wrap(lambda x: seen.append(np.shape(x)), effect="debug")
"""

SEVERAL = {
    "the compiler spreads the program: one call, with all of the array": """
for program in (io, jax.jit(io), jax.jit(lambda x: io(x) + 0)):
    seen.clear()
    y = done(program(spread(8)))
    assert seen == [(8,)], seen
    np.testing.assert_array_equal(y + 1, 2 * np.arange(8.0) + 1)
    np.testing.assert_array_equal(y, 2 * np.arange(8.0))
seen.clear()
done(jax.jit(lambda x: (look(x), x)[1])(spread(8)))
assert seen == [(8,)], seen
""",
    "a result nobody uses, and zeros with a sign": """
seen.clear()
done(jax.jit(lambda x: (io(x), x)[1])(spread(8)))
assert seen == [(8,)], seen
same = hw.wrap(lambda x: -x, effect="io")
assert np.all(np.signbit(done(jax.jit(same)(spread(8) * 0))))
flags = hw.wrap(lambda x: x > 3, dtype=bool, effect="io")
np.testing.assert_array_equal(done(jax.jit(flags)(spread(8))), np.arange(8) > 3)
""",
    "shard_map: one call on each device, with its part": """
for f, program in ((io, io), (look, lambda x: (look(x), 2 * x)[1])):
    seen.clear()
    y = done(jax.jit(jax.shard_map(program, mesh=mesh, in_specs=P("d"), out_specs=P("d")))(spread(8)))
    assert seen == [(2,)] * 4, seen
    np.testing.assert_array_equal(y, 2 * np.arange(8.0))
""",
    "derivatives": """
io.defpartials(x=lambda ans, x: 2.0)
loss = lambda x: (io(x) ** 2).sum()
np.testing.assert_array_equal(done(jax.jit(jax.grad(loss))(spread(8))), 8 * np.arange(8.0))
assert seen == [(8,)], seen
""",
    "another device than the first": """
y = done(jax.jit(io)(jax.device_put(1.0, jax.devices()[2])))
assert y == 2 and y.devices() == {jax.devices()[2]} and seen == [()]
""",
    "ordered: each call once, with all of the array, in the order of the program": """
order = []
def mark(k, x):
    order.append((int(k), np.shape(x)))
    return x + k
f = hw.wrap(mark, signature="(),(n)->(n)", effect="io", ordered=True)
def program(x):
    x = jax.lax.fori_loop(0, 5, lambda k, x: f(k, x), x)
    return jax.lax.cond(x[0] > 3, lambda x: f(6, f(5, x)), lambda x: x, x)
for _ in range(3):
    order.clear()
    y = done(jax.jit(program)(spread(8)))
    assert order == [(k, (8,)) for k in range(7)], order
    np.testing.assert_array_equal(y + 0, np.arange(8.0) + 21)
order.clear()
y = jax.jit(program)(spread(8))
y = done(f(7, y))
assert order == [(k, (8,)) for k in range(8)], order
""",
    "ordered, in shard_map: each device in the order of the program": """
order = []
f = hw.wrap(lambda k, x: (order.append((int(x), int(k))), x)[1], effect="io", ordered=True)
part = lambda x: jax.lax.fori_loop(0, 4, lambda k, x: f(k, x[0])[None] , x)
done(jax.jit(jax.shard_map(part, mesh=mesh, in_specs=P("d"), out_specs=P("d"), check_vma=False))(spread(4)))
assert sorted(order) == [(x, k) for x in range(4) for k in range(4)], order
assert all([k for y, k in order if y == x] == [0, 1, 2, 3] for x in range(4)), order
""",
    "a part of the mesh axes: refused": """
square = jax.make_mesh((2, 2), ("d", "e"), axis_types=(AxisType.Auto,) * 2)
part = jax.shard_map(io, mesh=square, in_specs=P("d"), out_specs=P("d"), axis_names={"d"})
x = jax.device_put(jnp.arange(8.0), NamedSharding(square, P("d")))
fails(lambda: jax.jit(part)(x), "twice: a function with side effects cannot be called inside a shard_map over some")
""",
    "an error": """
odd = hw.wrap(lambda x: 1 // 0 + x, effect="io", on_error="nan")
y = done(jax.jit(jax.shard_map(odd, mesh=mesh, in_specs=P("d"), out_specs=P("d")))(spread(8)))
assert np.all(np.isnan(y)) and isinstance(hw.last_error().__cause__, ZeroDivisionError)
""",
}


@pytest.mark.rotating
@pytest.mark.subprocess
@pytest.mark.parametrize("lane", ["callback", "pure_callback"])
@pytest.mark.parametrize("case", SEVERAL)
def test_on_several_devices(fresh_python, case, lane):
    flags = "--xla_force_host_platform_device_count=4"
    code = START + SEVERAL[case] + "print('done')"
    assert "done" in fresh_python(code, timeout=120, XLA_FLAGS=flags, HOSTWRAP_LANE=lane)


# With JAX's own callbacks of jax 0.10 a large argument hangs, or ends the process: on several devices always.
MESHES = """
ordered = hw.wrap(twice, effect="io", ordered=True)
square = jax.make_mesh((2, 2), ("d", "e"), axis_types=(KIND, KIND))
line = jax.make_mesh((4,), ("d",), axis_types=(KIND,))
half = jax.make_mesh((2,), ("d",), axis_types=(KIND,), devices=jax.devices()[:2])
def placed(mesh, spec, n=8):
    return jax.device_put(jnp.arange(float(n)), NamedSharding(mesh, spec))
def programs(f):
    yield f, 1
    yield (lambda x: jax.lax.scan(lambda c, _: (f(c), None), x, None, length=2)[0] / 2), 2
    yield (lambda x: jax.lax.cond(x.sum() > 0, f, lambda x: x, x)), 1
for mesh, spec in ((line, P("d")), (square, P("d")), (square, P(("d", "e"))), (square, P()), (half, P("d"))):
    x = placed(mesh, spec)
    for f in (io, ordered, lambda x: (look(x), 2 * x)[1]):
        for program, calls in programs(f):
            for inside in (jax.set_mesh(mesh), contextlib.nullcontext()):
                with inside:
                    seen.clear()
                    y = done(jax.jit(program)(x))
                    assert seen == [(8,)] * calls, seen
                    np.testing.assert_array_equal(y, 2 * np.arange(8.0))
    with jax.set_mesh(mesh):
        seen.clear()
        done(jax.jit(jax.vmap(io))(jnp.stack([x, x])))
        assert seen == [(2, 8)], seen
        slope = jax.jit(jax.grad(lambda x: smooth(x).sum()))(x)
        np.testing.assert_array_equal(slope, np.full(8, 2.0))
"""


@pytest.mark.subprocess
@pytest.mark.parametrize("kind", ["Auto", "Explicit"])
@pytest.mark.parametrize("lane", ["callback", "pure_callback"])
@pytest.mark.rotating
def test_a_mesh_that_the_user_has_set(fresh_python, kind, lane):
    rule = "smooth = hw.wrap(twice, effect='io').defpartials(lambda ans, x: 2.0)\n"
    code = "import contextlib\n" + START + rule + MESHES.replace("KIND", f"AxisType.{kind}") + "print('done')"
    flags = "--xla_force_host_platform_device_count=4"
    assert "done" in fresh_python(code, timeout=300, XLA_FLAGS=flags, HOSTWRAP_LANE=lane)


LARGE = {
    "one call": """
assert done(jax.jit(io)(np.ones(1_000_000))).sum() == 2e6
done(jax.jit(lambda x: (look(x), x)[1])(np.ones(1_000_000)))
""",
    "spread over devices by the compiler": """
for _ in range(3):
    assert done(jax.jit(io)(spread(1_000_000)))[-1] == 2 * 999_999
done(jax.jit(lambda x: (look(x), x)[1])(spread(1_000_000)))
""",
    "shard_map": """
f = jax.jit(jax.shard_map(io, mesh=mesh, in_specs=P("d"), out_specs=P("d")))
for _ in range(3):
    assert done(f(spread(1_000_000)))[-1] == 2 * 999_999
""",
    "four threads": """
def work():
    for _ in range(5):
        done(jax.jit(lambda x: io(x) + 1)(jnp.ones(300_000)))
threads = [threading.Thread(target=work) for _ in range(4)]
[t.start() for t in threads]
[t.join() for t in threads]
assert len(seen) == 20
""",
    "many programs under way, with JAX inside": """
inside = hw.wrap(lambda x: np.asarray(jnp.sin(x)), effect="io")
compiled, slow = jax.jit(inside), jnp.ones((500, 500))
fails(lambda: [compiled((slow @ slow)[0, :4] + k) for k in range(40)], "the host function used JAX")
""",
}


@pytest.mark.rotating
@pytest.mark.subprocess
@pytest.mark.parametrize("case", LARGE)
def test_a_large_argument_does_not_hang(fresh_python, cores, case):  # noqa: F811
    flags = "--xla_force_host_platform_device_count=2"
    code = START + LARGE[case] + "print('done')"
    assert "done" in fresh_python(code, timeout=60, XLA_FLAGS=flags, HOSTWRAP_LANE="callback")


ANOTHER_THREAD = """
third = hw.wrap(lambda x: x / 3, effect="io")
count = hw.wrap(dtype=np.int64, effect="io", ordered=True)(lambda x: np.full(x.shape, 2**40 + 1))
with jax.enable_x64(True):
    def pending(k):
        return (jnp.ones((1000, 1000)) @ jnp.ones((1000, 1000)))[0, :5] + k
    for k in range(3):
        np.testing.assert_array_equal(jax.jit(third)(pending(k)), np.full(5, (1000.0 + k) / 3))
        np.testing.assert_array_equal(jax.jit(count)(pending(k)), np.full(5, 2**40 + 1))
print("done")
"""


@pytest.mark.subprocess
def test_64_bit_results_do_not_depend_on_the_thread(fresh_python):
    assert "done" in fresh_python(START + ANOTHER_THREAD, JAX_ENABLE_X64="0", HOSTWRAP_LANE="callback")

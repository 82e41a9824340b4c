"""What goes wrong with host callbacks in JAX because they run on the threads of the runtime: hangs and the rest."""

import os
import threading
import time

import jax
import numpy as np
import pytest
import scipy.signal
import scipy.special

import hostwrap as hw

X = np.linspace(0.3, 2.0, 4)

IMPORTS = """
import threading, jax, jax.numpy as jnp, numpy as np, hostwrap as hw
"""


@pytest.fixture(params=["one core", "all cores"])
def cores(request):
    """Hangs come with few cores; a new interpreter inherits those of the thread that starts it."""
    if request.param == "all cores" or not hasattr(os, "sched_setaffinity"):
        yield request.param
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    yield request.param
    os.sched_setaffinity(0, before)


# ---- A: a large argument hangs

LARGE = {
    "one call": """
y = jax.jit(hw.wrap(lambda x: np.sin(x)))(np.ones(1_000_000))
assert abs(float(y.sum()) - 1e6 * np.sin(1)) < 1
""",
    "an argument that is still being computed": """
f = hw.wrap(lambda x: np.sin(x))
y = jax.jit(f)(jnp.ones((1000, 1000)) @ jnp.ones((1000, 1000)) / 1000)
assert np.allclose(np.asarray(y), np.sin(1))
""",
    "two devices under shard_map": """
from jax.sharding import PartitionSpec as P
mesh = jax.make_mesh((2,), ("d",), axis_types=(jax.sharding.AxisType.Auto,))
f = hw.wrap(lambda x: np.sin(x)).defpartials(x=lambda ans, x: jnp.cos(x))
g = jax.jit(jax.shard_map(f, mesh=mesh, in_specs=P("d"), out_specs=P("d")))
for _ in range(5):
    assert abs(float(g(jnp.ones(1_000_000)).sum()) - 1e6 * np.sin(1)) < 1
""",
    "four threads": """
f = hw.wrap(lambda x: np.sin(x), thread_safe=True)
sums = []
def work():
    for _ in range(5):
        sums.append(float(jax.jit(lambda x: f(x) + 1)(jnp.ones(300_000)).sum()))
threads = [threading.Thread(target=work) for _ in range(4)]
[t.start() for t in threads]
[t.join() for t in threads]
np.testing.assert_allclose(sums, [300_000 * (1 + np.sin(1))] * 20, rtol=1e-5)
""",
    "loops and derivatives from several threads": """
f = hw.wrap(lambda x: np.sin(x)).defpartials(x=lambda ans, x: jnp.cos(x) + 0 * ans)
def work():
    step = jax.jit(lambda x: jax.lax.scan(lambda c, _: (f(c) + jax.grad(lambda c: f(c).sum())(c), None), x, None, 9)[0])
    for _ in range(4):
        step(jnp.ones(110_000)).block_until_ready()
threads = [threading.Thread(target=work) for _ in range(3)]
[t.start() for t in threads]
[t.join() for t in threads]
""",
}


@pytest.mark.rotating
@pytest.mark.subprocess
@pytest.mark.parametrize("case", LARGE)
def test_a_large_argument_does_not_hang(fresh_python, cores, case):
    flags = "--xla_force_host_platform_device_count=2" if "devices" in case else ""
    assert "done" in fresh_python(
        IMPORTS + LARGE[case] + "print('done')", timeout=60, XLA_FLAGS=flags, HOSTWRAP_LANE="callback"
    )


# ---- B: JAX inside the host function hangs

JAX_INSIDE = """
def uses_jax(x):
    return np.asarray(jnp.sin(x))

f = hw.wrap(uses_jax).defpartials(x=lambda ans, x: jnp.cos(x) * f(x))
def attempt(call):
    try:
        jax.block_until_ready(call())
    except Exception as error:
        assert "uses_jax: the host function used JAX" in str(error) and "allow_jax=True" in str(error), error
    else:
        raise SystemExit("no error")

x = jnp.ones(4)
attempt(lambda: f(x))
attempt(lambda: jax.vmap(f)(x))
attempt(lambda: jax.jit(f)(x))
attempt(lambda: jax.grad(lambda x: f(x).sum())(x))
attempt(lambda: jax.jit(jax.grad(lambda x: f(x).sum()))(x))
slow, compiled = jnp.ones((500, 500)), jax.jit(f)
attempt(lambda: [compiled((slow @ slow)[0, :4] + k) for k in range(40)])
assert isinstance(hw.last_error(), hw.HostCallError)

allowed = hw.wrap(lambda x: np.asarray(jnp.sin(x)), allow_jax=True)
np.testing.assert_allclose(allowed(x), np.sin(1.0), rtol=1e-6)
np.testing.assert_allclose(jax.jit(allowed)(x), np.sin(1.0), rtol=1e-6)
print("done")
"""


@pytest.mark.subprocess
def test_jax_inside_a_host_function_is_an_error_at_once(fresh_python, cores):
    assert "done" in fresh_python(IMPORTS + JAX_INSIDE, timeout=60, HOSTWRAP_LANE="callback")


# ---- C: 64-bit types of another thread

ANOTHER_THREAD = """
import jax, jax.numpy as jnp, numpy as np, hostwrap as hw
dtypes = []
third = hw.wrap(lambda x: (dtypes.append(x.dtype), x / 3)[1])
large = hw.wrap(dtype=np.int64)(lambda x: np.full(x.shape, 2**40 + 1))
unsigned = hw.wrap(out=jax.ShapeDtypeStruct((2,), np.uint64))(lambda x: np.array([2**64 - 1, 0], np.uint64))
turn = hw.wrap(lambda z: z / 4j)
with jax.enable_x64(True):
    def pending(k):
        return (jnp.ones((1000, 1000)) @ jnp.ones((1000, 1000)))[0, :5] + k
    for k in range(3):
        x = 1000.0 + k
        np.testing.assert_array_equal(jax.jit(lambda x: third(x))(pending(k)), np.full(5, x / 3))
        np.testing.assert_array_equal(jax.jit(lambda x: large(x))(pending(k)), np.full(5, 2**40 + 1))
        np.testing.assert_array_equal(jax.jit(lambda x: turn(x * 1j))(pending(k)), np.full(5, x / 4 + 0j))
        words = jax.jit(lambda x: unsigned(x[0]))(pending(k))
        np.testing.assert_array_equal(words, np.array([2**64 - 1, 0], np.uint64))
assert set(dtypes) == {np.dtype(float)}
print("done")
"""


@pytest.mark.subprocess
def test_64_bit_results_do_not_depend_on_the_thread(fresh_python):
    assert "done" in fresh_python(ANOTHER_THREAD, JAX_ENABLE_X64="0", HOSTWRAP_LANE="callback")


# ---- K: concurrency


@pytest.mark.parametrize("thread_safe, most", [(False, 1), (True, 2)])
def test_a_host_function_runs_in_one_thread_at_a_time_unless_it_may_not(thread_safe, most):
    inside, seen, meet, warm = [], [], threading.Barrier(2), []

    def slow(x):
        inside.append(1)
        if thread_safe and warm:
            meet.wait(10)  # passes only if the other thread is inside as well
        time.sleep(0.05)
        seen.append(len(inside))
        inside.pop()
        return x

    compiled = jax.jit(hw.wrap(slow, thread_safe=thread_safe)).lower(1.0).compile()
    warm.append(compiled(1.0))  # the first call of a program is made by one thread
    threads = [threading.Thread(target=lambda: jax.block_until_ready(compiled(1.0))) for _ in range(2)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert max(seen) == most


def test_numpy_is_silent_inside_a_program():
    """np.errstate is local to a thread, so the caller's would apply or not."""
    states = []
    f = hw.wrap(lambda x: (states.append(np.geterr()), 1 / np.asarray(x))[1])
    with np.errstate(all="raise"):
        jax.block_until_ready(jax.jit(f)(0.0))
    assert set(states[0].values()) == {"ignore"}


# ---- M: subnormals are flushed inside callbacks

FLUSHED = [
    ("binom", (169.378, 0.19335)),
    ("stdtrit", (0.415, 8.3e-122)),
    ("betaincinv", (6.84, 0.00723, 2.7e-183)),
]


@pytest.mark.parametrize("lane", ["callback", "pure_callback"])
@pytest.mark.parametrize("name, point", FLUSHED)
def test_the_floating_point_environment_is_the_ordinary_one(lane, name, point):
    function = getattr(scipy.special, name)
    with hw.lane(lane):
        y = jax.jit(lambda *args: hw.wrap(function)(*args))(*point)
    assert np.isfinite(function(*point)) and float(y) == function(*point)


def test_it_is_so_in_a_derivative_and_in_threads_of_the_hosts_own():
    f = hw.wrap(scipy.special.binom)
    g = hw.wrap(lambda x: x).defpartials(x=lambda ans, x: f(x, 0.19335))
    assert jax.jit(jax.grad(g))(169.378) == scipy.special.binom(169.378, 0.19335)

    def in_a_thread(x):
        values = []
        thread = threading.Thread(target=lambda: values.append(x * 0.5))
        thread.start()
        thread.join()
        return values[0]

    assert float(jax.jit(hw.wrap(in_a_thread))(4e-308)) == 2e-308


def test_it_is_put_back_after_the_call_and_after_an_exception():
    """The program around the call keeps its own way with subnormals."""

    def odd(x):
        raise ValueError("forty-two")

    f, tiny = hw.wrap(lambda x: x), 1e-310
    before = jax.jit(lambda x: x + tiny)(np.zeros(3))
    around = jax.jit(lambda x: (x + tiny, f(x), f(x) + tiny))(np.zeros(3))
    np.testing.assert_array_equal(around[0], before)
    np.testing.assert_array_equal(around[2], before)
    with pytest.raises(Exception, match="forty-two"):
        jax.block_until_ready(jax.jit(lambda x: hw.wrap(odd)(x))(0.0))
    np.testing.assert_array_equal(jax.jit(lambda x: x + tiny)(np.zeros(3)), before)
    assert np.float64(1e-310) * 0.5 > 0

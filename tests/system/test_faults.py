"""What goes wrong while a program runs, each with its outcome: an error that names the function, never a hang.

Each in a process of its own with a time limit. After it the next call is right.
"""

import os
import signal
import subprocess
import sys
import time

import pytest

import hostwrap as hw
from tests._kit.clusters import Cluster

pytestmark = pytest.mark.subprocess
LANES = [
    pytest.param(lane, marks=[pytest.mark.exhaustive] if lane == "pure_callback" else [])
    for lane, status in hw.lanes().items()
    if status == "available"
]

TWO_DEVICES = """
import logging, time, jax, jax.numpy as jnp, numpy as np, hostwrap as hw
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((2,), ("d",), axis_types=(AxisType.Auto,))
sharding = NamedSharding(mesh, P("d"))
bad, good = (jax.device_put(jnp.arange(4.0) + k, sharding) for k in (0, 1))
said = []
logging.getLogger("hostwrap").addHandler(handler := logging.Handler())
handler.emit = lambda record: said.append(record.getMessage())

def cases(odd, expected):
    f = hw.wrap(odd, vmap_method="broadcast_all")
    yield jax.jit(lambda x: f(x).sum())
    yield jax.jit(jax.shard_map(lambda x: jax.lax.psum(f(x), "d"), mesh=mesh, in_specs=P("d"), out_specs=P()))
    yield jax.jit(f)

class Wordless(Exception):
    def __str__(self):
        raise RuntimeError("no words")

def fail(error):
    raise error

for fault, expected in FAULTS.values():
    def odd(x):
        return eval(fault) if np.any(x == 0) else x

    for g in cases(odd, expected):
        del said[:]
        result = jax.block_until_ready(g(bad))
        assert np.isnan(np.asarray(result).ravel()[0]), result
        try:
            hw.check_errors()
        except hw.HostwrapError as error:
            assert "odd" in str(error) and expected in str(error), error
            assert type(error) is type(hw.last_error())
        else:
            raise SystemExit("nothing was raised")
        hw.check_errors()  # once is enough
        assert len(said) == 1 and expected in said[0] and "check_errors() raises" in said[0], said
        assert not np.isnan(np.asarray(g(good))).any()
        hw.check_errors()

def asked(x):
    return 1 / 0 if np.any(x == 0) else x

f = hw.wrap(asked, on_error="nan")
g = jax.jit(jax.shard_map(lambda x: jax.lax.psum(f(x), "d"), mesh=mesh, in_specs=P("d"), out_specs=P()))
assert np.isnan(g(bad)).all() and isinstance(hw.last_error().__cause__, ZeroDivisionError)
np.testing.assert_array_equal(g(good), [4.0, 6.0])
print("done", flush=True)
import os
os._exit(0)  # how a process ends is another test: JAX's callbacks may abort there
"""

FAULTS = {
    "an exception": ("1 / 0", "raised ZeroDivisionError: division by zero"),
    "out of memory": ("np.empty(10**17)", "MemoryError: Unable to allocate"),
    "a wrong shape": ("np.ones((3, 3))", "the host function returned (3, 3)"),
    "no result": ("None", "odd"),
    "a text": ('"garbage"', "odd"),
    "complex numbers": ("x + 1j", "the host function returned complex128"),
    "sys.exit()": ("fail(SystemExit(3))", "raised SystemExit: 3"),
    "an interrupt": ("fail(KeyboardInterrupt())", "raised KeyboardInterrupt"),
    "a derivative that is not there": ("fail(hw.MissingDerivative('odd: none'))", "none"),
    "an exception without a text": (
        "fail(Wordless())",
        "raised Wordless: (there is no text of it: RuntimeError)",
    ),
    "a text that is not UTF-8": ("fail(ValueError('cannot read \\udc80\\0'))", "cannot read \\udc80\\x00"),
}


@pytest.mark.parametrize("lane", LANES)
def test_on_one_of_two_devices_the_program_goes_on_with_nan(fresh_python, lane):
    """The other device waits for it in a sum: an error would let it wait until XLA ends the process."""
    flags = "--xla_force_host_platform_device_count=2"
    code = TWO_DEVICES.replace("FAULTS", repr(FAULTS))
    assert "done" in fresh_python(code, timeout=100, HOSTWRAP_LANE=lane, XLA_FLAGS=flags)


SLOW = """
f = hw.wrap(lambda x: (time.sleep(3 if x[0] == 0 else 0), x)[1], vmap_method="broadcast_all", thread_safe=True)
total = jax.jit(lambda x: f(x).sum())
start = time.perf_counter()
assert total(bad) == 6 and time.perf_counter() - start > 2.9
assert total(good) == 10
print("done")
"""


def test_a_device_that_is_slow_is_waited_for(fresh_python):
    begin = TWO_DEVICES.partition("def cases")[0]
    flags = "--xla_force_host_platform_device_count=2"
    assert "done" in fresh_python(begin + SLOW, timeout=60, XLA_FLAGS=flags)


ONE_DEVICE = """
import gc, os, signal, sys, threading, time, jax, jax.numpy as jnp, numpy as np, hostwrap as hw
signal.signal(signal.SIGINT, signal.default_int_handler)  # it may be ignored where the tests are started: nohup, CI
jax.config.update("jax_enable_x64", True)

def pending(k):
    return (jnp.ones((1500, 1500)) @ jnp.ones((1500, 1500)))[0, :4] + k
"""

OUT_OF_MEMORY = """
@jax.jit
@hw.wrap
def greedy(x):
    return np.empty(10**17) if x[0] == 0 else x

for x in (np.zeros(4), pending(0) * 0):
    try:
        jax.block_until_ready(greedy(x))
    except Exception as error:
        assert "greedy" in str(error) and "MemoryError" in str(error) or "Unable to allocate" in str(error)
        assert isinstance(hw.last_error().__cause__, MemoryError)
    else:
        raise SystemExit("no error")
    np.testing.assert_array_equal(greedy(np.ones(4)), np.ones(4))
print("done")
"""

INTERRUPTED = """
THREADS = set()
def slow(x):
    THREADS.add(threading.get_ident())
    if x[0] == 0:
        print("inside", flush=True)
        for _ in range(15):
            time.sleep(0.1)
    return x

f = jax.jit(hw.wrap(slow, vmap_method="broadcast_all"))
np.testing.assert_array_equal(f(np.ones(4)), np.ones(4))
argument = jax.block_until_ready(pending(0) * 0) if INLINE else pending(0) * 0
try:
    jax.block_until_ready(f(argument))
except KeyboardInterrupt:
    print("KeyboardInterrupt", flush=True)
except Exception as error:
    assert "slow" in str(error) and "KeyboardInterrupt" in str(error), error
    assert isinstance(hw.last_error().__cause__, KeyboardInterrupt)
    print("an error", flush=True)
else:
    time.sleep(0.1)
    raise SystemExit("nothing came")
np.testing.assert_array_equal(f(np.ones(4) + 1), np.ones(4) + 1)
np.testing.assert_array_equal(jax.jit(lambda x: f(x) * 2)(np.ones(4)), np.ones(4) * 2)
print("done")
"""


def start(folder, code, **environment):
    return subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize("inline", [True, False])
def test_an_interrupt_while_the_host_function_runs(tmp_path, inline, lane):
    code = ONE_DEVICE + INTERRUPTED.replace("INLINE", str(inline))
    with start(tmp_path, code, HOSTWRAP_LANE=lane) as process:
        try:
            said = process.stdout.readline()
            assert said == "inside\n", said + process.stdout.read()
            time.sleep(0.5)
            process.send_signal(signal.SIGINT)
            said = process.communicate(timeout=30)[0]
        finally:
            process.kill()
    assert process.returncode == 0 and "done" in said, said
    assert "KeyboardInterrupt" in said or "an error" in said, said


def test_memory_that_is_not_there(fresh_python):
    assert "done" in fresh_python(ONE_DEVICE + OUT_OF_MEMORY, timeout=60)


EXIT = """
started = threading.Event()
@jax.jit
@hw.wrap
def slow(x):
    started.set()
    time.sleep(1)
    return x

y = slow(pending(0))
WAIT
print("done", flush=True)
"""


@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize("wait", ["started.wait(20)", ""])
def test_the_interpreter_ends_with_a_call_in_flight(fresh_python, wait, lane):
    assert "done" in fresh_python(ONE_DEVICE + EXIT.replace("WAIT", wait), timeout=60, HOSTWRAP_LANE=lane)


@pytest.mark.native
def test_it_ends_with_a_call_in_flight_whose_result_nobody_holds(fresh_python):
    """The library tells such a call that Python is ending; in JAX's own callbacks it may abort the process."""
    wait = "threading.Thread(target=lambda: slow(pending(1))).start()"
    assert "done" in fresh_python(ONE_DEVICE + EXIT.replace("WAIT", wait), timeout=60)


FORK = """
import scipy.special
from hostwrap import special
x = np.linspace(0.1, 5, 100_000)
f = hw.wrap(lambda x: np.sin(x))
jv = jax.jit(lambda x: special.jv(1.5, x))
y, z = jax.jit(f)(x), jv(x)
child = os.fork()
if child == 0:
    os._exit(0 if f.__wrapped__(1.0) == np.sin(1.0) and special.jv.__name__ == "jv" else 1)
assert os.waitpid(child, 0)[1] == 0
for _ in range(3):
    np.testing.assert_array_equal(jax.jit(f)(x), np.sin(x))
    np.testing.assert_array_equal(jv(x), scipy.special.jv(1.5, x))
print("done")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_fork_leaves_the_parent_as_it_was(fresh_python):
    """In the child JAX may hang, with or without us, and says so; NumPy and the host functions are as they were."""
    assert "done" in fresh_python(ONE_DEVICE + FORK, timeout=60)


DELETED = """
def make(k):
    return jax.jit(hw.wrap(lambda x: x * k)).lower(np.ones(4)).compile()

programs = [make(k) for k in range(20)]
gc.collect()
jax.clear_caches()
gc.collect()
for k, program in enumerate(programs):
    np.testing.assert_array_equal(program(np.ones(4)), np.full(4, float(k)))
for clear in (False, True):
    f = hw.wrap(lambda x: (time.sleep(0.3), x + 1)[1])
    y = jax.jit(lambda x: f(x))(pending(0))
    z = jax.jit(lambda y: 2 * y)(y)
    del f, y
    if clear:
        jax.clear_caches()
    gc.collect()
    np.testing.assert_array_equal(z, np.full(4, 3002.0))
print("done")
"""


@pytest.mark.parametrize("lane", LANES)
def test_a_function_that_is_deleted_lives_as_long_as_its_program(fresh_python, lane):
    assert "done" in fresh_python(ONE_DEVICE + DELETED, timeout=60, HOSTWRAP_LANE=lane)


ONE_OF_SEVERAL = """
bad, good = (spread(np.arange(2.0 * jax.device_count()) + k) for k in (0, 1))

def odd(x):
    if x[0] == 0:
        raise ValueError("forty-two")
    return x

f = hw.wrap(odd, vmap_method="broadcast_all")
total = jax.jit(lambda x: f(x).sum())
assert np.isnan(total(bad))
try:
    hw.check_errors()
except hw.HostCallError as error:
    print("raised", "forty-two" in str(error))
assert total(good) == 10.0
print("done")
"""


@pytest.mark.native  # JAX's own callbacks are gathered: both processes raise
def test_an_exception_in_one_of_several_processes(tmp_path):
    with Cluster(tmp_path, ONE_OF_SEVERAL, 2) as cluster:
        said, status = cluster.outputs(timeout=100)
    assert status == [0, 0], "\n".join(said)
    assert ["raised True" in s for s in said] == [True, False]


KILLED = """
x = spread(np.arange(2.0 * jax.device_count()))
def fatal(x):
    if x[0] == 0:
        os.kill(os.getpid(), 9)
    return x

f = hw.wrap(fatal, vmap_method="broadcast_all")
try:
    jax.block_until_ready(jax.jit(lambda x: f(x).sum())(x))
except Exception as error:
    print("an error:", str(error).splitlines()[0], flush=True)
    raise SystemExit(3)
print("no error")
"""


def test_a_process_that_is_killed_does_not_let_the_others_hang(tmp_path):
    with Cluster(tmp_path, KILLED, 2) as cluster:
        said, status = cluster.outputs(timeout=200)
    assert status[0] == -signal.SIGKILL and status[1] not in (0, None), (status, said)


DAEMON = """
started = threading.Event()
@jax.jit
@hw.wrap
def slow(x):
    started.set()
    time.sleep(1)
    print("over", flush=True)
    return x

threading.Thread(target=lambda: jax.block_until_ready(slow(pending(0))), daemon=True).start()
y = slow(pending(1))
for _ in range(12):  # the more threads want the GIL, the later the last of them gets it
    threading.Thread(target=lambda: jax.block_until_ready(y), daemon=True).start()
started.wait(20)
"""


@pytest.mark.native
def test_a_call_that_a_daemon_thread_waits_for_is_waited_for(fresh_python):
    assert "over" in fresh_python(ONE_DEVICE + DAEMON, timeout=60)


GOING_ON = """
import atexit
@hw.wrap
def short(x):
    time.sleep(0.05)
    return x
call = jax.jit(short)
atexit.register(lambda: print("last", call(2.0), flush=True))  # after the import of hostwrap: it may call
def loop():
    while True:
        call(1.0).block_until_ready()
for _ in range(3):
    threading.Thread(target=loop, daemon=True).start()
time.sleep(0.5)
"""


@pytest.mark.native
def test_daemon_threads_that_go_on_making_calls_do_not_keep_python_from_ending(fresh_python):
    """One of them is always in a call: calls that begin now are refused."""
    assert "last 2.0" in fresh_python(ONE_DEVICE + GOING_ON, timeout=60)

"""What stays of an error inside a compiled program: its text and its traceback, no array, no way into freed memory."""

import gc
import re
import weakref

import jax
import jax.numpy as jnp
import pytest

import hostwrap as hw
from tests._kit.toys import each_lane  # noqa: F401

lanes = pytest.mark.usefixtures("each_lane")

FRAMES = """
import gc, os, traceback, jax, jax.numpy as jnp, numpy as np, hostwrap as hw
from jax.sharding import NamedSharding, PartitionSpec as P
jax.config.update("jax_enable_x64", True)

def frames(error):
    chain = [error]
    for e in chain:
        chain += [x for x in (e.__cause__, e.__context__) if x is not None and x not in chain]
    return [f for e in chain for f, _ in traceback.walk_tb(e.__traceback__)]

@hw.wrap(vmap_method="broadcast_all")
def f(x):
    y = x[1:]
    raise ValueError("no")

mesh = jax.make_mesh((2,), ("x",))
spread = jax.device_put(np.ones(8_000_000), NamedSharding(mesh, P("x")))
total = jax.jit(lambda x: f(x * 2.0).sum())
arguments = (np.ones(6), np.ones(8_000_000), spread)
if os.environ["HOSTWRAP_LANE"] == "pure_callback":
    arguments = arguments[:2]  # jax.pure_callback hangs by itself on several devices, with arguments as large
for argument in arguments:
    try:
        jax.block_until_ready(total(argument))
    except jax.errors.JaxRuntimeError as error:
        assert "ValueError: no" in str(error), error
    kept = hw.last_error()
    try:
        hw.check_errors()
    except hw.HostwrapError as error:
        raised = error
        shown = traceback.TracebackException.from_exception(error, capture_locals=True)
    else:
        raised = kept
    text = "".join(traceback.TracebackException.from_exception(kept, capture_locals=True).format())
    assert ", line 15, in f" in text and "ValueError: no" in text, text
    for error in (kept, raised.__cause__):
        for frame in frames(error):
            assert not frame.f_locals, frame
print("done", flush=True)
os._exit(0)
"""


@pytest.mark.subprocess
@pytest.mark.parametrize("lane", [lane for lane, status in hw.lanes().items() if status == "available"])
def test_whoever_shows_the_variables_of_a_traceback_sees_none(fresh_python, lane):
    """They were in memory of XLA, which has freed it."""
    flags = "--xla_force_host_platform_device_count=2"
    assert "done" in fresh_python(FRAMES, timeout=100, HOSTWRAP_LANE=lane, XLA_FLAGS=flags)


class Odd(Exception):
    pass


@lanes
@pytest.mark.parametrize("on_error", ["raise", "nan"])
def test_an_error_keeps_no_argument_alive(on_error):
    seen = []

    def inner(x):
        try:
            raise KeyError("first")
        except KeyError:
            raise Odd("second")  # noqa: B904 - the other one stays as its context

    @hw.wrap(on_error=on_error)
    def f(x):
        seen.append(weakref.ref(x))
        inner(x)

    try:
        jax.block_until_ready(jax.jit(lambda x: f(x))(jnp.ones(1000)))
    except jax.errors.JaxRuntimeError as error:
        assert "Odd: second" in str(error)
    assert len(seen) == 1
    for _ in range(50):
        gc.collect()
        if seen[0]() is None:
            break
    assert seen[0]() is None
    cause = hw.last_error().__cause__
    assert isinstance(cause, Odd) and isinstance(cause.__context__, KeyError)
    assert cause.__traceback__ is not None


def test_the_last_error_can_be_forgotten():
    @hw.wrap(on_error="nan")
    def f(x):
        raise Odd("forty-two")

    jax.block_until_ready(jax.jit(f)(1.0))
    assert "forty-two" in str(hw.last_error())
    assert "forty-two" in str(hw.last_error(forget=True))
    assert hw.last_error() is None


@pytest.mark.native
@pytest.mark.parametrize("size", [100, 7990, 8000, 8010, 20_000])
@pytest.mark.parametrize("character", ["a", "\u00e4", "\udc80", "\0", "\U0001f600"])
def test_any_text_survives(size, character):
    """However long it is, and wherever it is cut."""

    @hw.wrap
    def f(x):
        raise ValueError("begin" + character * size + "end")

    with pytest.raises(jax.errors.JaxRuntimeError, match="end"):
        jax.block_until_ready(jax.jit(lambda x: f(x))(1.0))
    assert re.match("f: the host function raised ValueError: begin", str(hw.last_error()))


INTERRUPTED = """
import signal, threading, os, jax, jax.numpy as jnp, numpy as np, hostwrap as hw
signal.signal(signal.SIGINT, signal.default_int_handler)
jax.config.update("jax_enable_x64", True)

@hw.wrap("(n)->(n)")
def f(x):
    return x + 1

long = lambda x: jax.lax.fori_loop(0, 5_000_000, lambda i, a: jnp.sin(a) + x, x)
c = jax.jit(lambda x: f(long(x))).lower(np.ones(3)).compile()
x = jax.block_until_ready(jnp.ones(3))
lost = 0
for k in range(6):
    hw.last_error(forget=True)
    timer = threading.Timer(0.02, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        jax.block_until_ready(c(x))
    except KeyboardInterrupt:
        continue
    except jax.errors.JaxRuntimeError as error:
        assert "f: the host function raised KeyboardInterrupt" in str(error), error
        assert isinstance(hw.last_error().__cause__, KeyboardInterrupt)
        continue
    finally:
        timer.join()
    lost += 1
assert not lost, lost
assert c(x).shape == (3,)
print("done")
"""


@pytest.mark.subprocess
@pytest.mark.native
def test_an_interrupt_at_the_moment_when_the_program_comes_to_python(fresh_python):
    """While XLA computes Python cannot raise it; it does when the call begins, before our first line."""
    assert "done" in fresh_python(INTERRUPTED, timeout=60)

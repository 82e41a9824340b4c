"""`make stress`: threads x jit x scan x errstate x garbage collection x fork, for some time; all values are SciPy's.

    python -m tests.stress 600 [--record]

Each thread does one random job after the other. A wrong value, an unexpected error, growing memory or a hang (which
prints what every thread was doing) makes it fail. `--record` writes the counts into the table of docs/stress.md.
"""

import argparse
import collections
import contextlib
import faulthandler
import gc
import os
import random
import threading
import time
import warnings

import jax
import jax.numpy as jnp
import numpy as np
import scipy.special

import hostwrap as hw
from hostwrap import _lanes, special
from hostwrap._host import parallel
from tests._kit.runs import record

THREADS = 8
SIZES = (1, 7, 1000, 70_000)
PATIENCE = 120  # seconds without an end before it counts as a hang
GROWTH = 200e6  # bytes, after the caches have filled

jax.config.update("jax_enable_x64", True)


def struve(x):
    return scipy.special.struve(1.5, x)


FUNCTIONS = {
    "jv": (special.jv, scipy.special.jv, 2),
    "ndtr": (special.ndtr, scipy.special.ndtr, 1),
    "expit": (special.expit, scipy.special.expit, 1),
    "gammainc": (special.gammainc, scipy.special.gammainc, 2),
    "hypot": (hw.wrap(np.hypot), np.hypot, 2),
    "struve": (hw.wrap(struve, thread_safe=True), struve, 1),
}
JITTED = {name: jax.jit(lambda *xs, f=f: f(*xs)) for name, (f, _, _) in FUNCTIONS.items()}
SCAN = jax.jit(lambda z: jax.lax.scan(lambda c, _: (c + 1e-3 * special.jv(1.5, c), c), z, None, length=50)[0])
SLOPE = jax.jit(jax.grad(lambda v, z: jnp.sum(special.kv(v, z)), (0, 1)))
POWER = jax.jit(hw.wrap(np.power))


def value(draw: random.Random) -> None:
    name = draw.choice(sorted(FUNCTIONS))
    _, scipys, count = FUNCTIONS[name]
    args = [np.linspace(0.1, draw.uniform(1, 30), draw.choice(SIZES)) for _ in range(count)]
    args = args if count == 1 else [args[0][:1], args[1]]
    got = JITTED[name](*args)
    np.testing.assert_array_equal(np.asarray(got), scipys(*args), err_msg=name)


def after_a_computation(draw: random.Random) -> None:
    """The argument is not there yet, so that the call runs on a thread of XLA."""
    x = jnp.full((300, 300), 1 / 300) @ jnp.full((300, 300), draw.uniform(0.5, 2))
    np.testing.assert_array_equal(np.asarray(JITTED["ndtr"](x)), scipy.special.ndtr(np.asarray(x)))


def scan(draw: random.Random) -> None:
    z = expected = draw.uniform(0.5, 3)
    for _ in range(50):
        expected = expected + 1e-3 * scipy.special.jv(1.5, expected)
    np.testing.assert_allclose(SCAN(z), expected, rtol=1e-14)


def slope(draw: random.Random) -> None:
    z = np.linspace(0.5, draw.uniform(1, 9), draw.choice((1, 1000)))
    by_z = -(scipy.special.kv(0.3, z) + scipy.special.kv(2.3, z)) / 2
    np.testing.assert_allclose(SLOPE(1.3, z)[1], by_z, rtol=1e-12)


def short_lived(draw: random.Random) -> None:
    shift = draw.uniform(0, 1)
    f = hw.wrap(lambda x: np.sin(x) + shift).defpartials(x=lambda ans, x: jnp.cos(x))
    np.testing.assert_allclose(jax.jit(jax.value_and_grad(f))(0.5), (np.sin(0.5) + shift, np.cos(0.5)))
    if draw.random() < 0.2:
        gc.collect()


def raises(draw: random.Random) -> None:
    exponents = np.full(draw.choice(SIZES), -1)
    try:
        jax.block_until_ready(POWER(2, exponents))
    except Exception as error:
        assert "negative integer powers" in str(error), error
    else:
        raise AssertionError("2 ** -1 of integers is no error")


def at_a_pole(draw: random.Random) -> None:
    """Under errstate SciPy's error arrives, or the value, as the thread that runs the loop has it; and no hang."""
    action = draw.choice(("raise", "warn", "ignore"))
    x = np.full(draw.choice(SIZES), -1.0)
    with scipy.special.errstate(all=action), np.errstate(all=draw.choice(("raise", "warn", "ignore"))):
        try:
            assert np.all(np.asarray(jax.jit(special.gammaln)(x)) == np.inf)
        except Exception as error:
            assert action != "ignore" and "scipy.special/" in str(error), error


def fork(draw: random.Random) -> None:
    """The child has no threads but this one; the pool starts anew there."""
    if threading.current_thread().name != "stress-0" or draw.random() > 0.1 or not hasattr(os, "fork"):
        return
    child = os.fork()
    if child == 0:
        parallel.share([lambda: None] * 8, 2)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


JOBS = (value, value, after_a_computation, scan, slope, short_lived, raises, at_a_pole, fork)


def work(end: float, seed: int, done: collections.Counter, failures: list) -> None:
    draw = random.Random(seed)
    while time.monotonic() < end and not failures:
        job = draw.choice(JOBS)
        try:
            job(draw)
        except BaseException as error:
            failures.append((job.__name__, error))
            return
        done[job.__name__] += 1


def memory() -> float:
    """Bytes in use now."""
    gc.collect()
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * float(os.sysconf("SC_PAGE_SIZE"))


def stress(seconds: float) -> dict[str, float]:
    """How many jobs were done, in which time, and how many bytes more are in use than after a third of it."""
    faulthandler.dump_traceback_later(seconds + PATIENCE, exit=True)
    warnings.simplefilter("ignore")
    end, done, failures = time.monotonic() + seconds, collections.Counter(), []
    threads = [
        threading.Thread(target=work, args=(end, i, done, failures), name=f"stress-{i}")
        for i in range(THREADS)
    ]
    for thread in threads:
        thread.start()
    time.sleep(seconds / 3)
    before = memory() if os.path.exists("/proc/self/statm") else None
    for thread in threads:
        thread.join()
    if failures:
        raise AssertionError(f"{failures[0][0]} failed") from failures[0][1]
    print(", ".join(f"{name} {count}" for name, count in sorted(done.items())), flush=True)
    assert set(done) == {job.__name__ for job in JOBS} or seconds < 30, "some job was never done"
    if before is not None:
        growth = memory() - before
        print(
            f"memory: {before / 1e6:.0f} MB after a third of the time, {growth / 1e6:+.0f} MB at the end",
            flush=True,
        )
        assert growth < GROWTH, "memory grows"
    faulthandler.cancel_dump_traceback_later()
    counts = {"seconds": seconds, "cases": sum(done.values()), "wrong": 0, "hangs": 0, "crashes": 0}
    return counts if before is None else {**counts, "memory": growth / 1e6}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.stress", description=__doc__)
    parser.add_argument("seconds", type=float, nargs="?", default=600.0)
    parser.add_argument("--record", action="store_true")
    chosen = parser.parse_args()
    with contextlib.suppress(KeyboardInterrupt):
        counts = stress(chosen.seconds)
        if chosen.record:
            record(f"stress, {THREADS} threads", _lanes.current(), **counts)

"""Threads that meet where the library learns of Python functions, and where it forgets them."""

import gc
import threading
import time
import types
from concurrent import futures

import jax
import numpy as np
import pytest

import hostwrap as hw
from hostwrap._lanes import keyed
from hostwrap._native import calls

pytestmark = pytest.mark.native
THREADS = 8


def together(function):
    """`function(i)` in threads that start at once; their results."""
    start = threading.Barrier(THREADS)
    with futures.ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(lambda i: (start.wait(), function(i))[1], range(THREADS)))


FIRST = """
import random, threading, time
import jax, numpy as np
import hostwrap as hw
from hostwrap._native import calls, library

given, real = [], library.library().hw_set_python

def slow(*addresses):
    time.sleep(random.uniform(0, 0.05))  # as long as another thread may take
    given.append(addresses)
    return real(*addresses)

vars(library.library())["hw_set_python"] = slow
start, results = threading.Barrier(8), {}

def work(i):
    f = jax.jit(hw.wrap(lambda x: np.sin(x) + i + len(str(x))))
    start.wait()
    results[i] = bool(f(0.5) > i)

threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
assert results == dict.fromkeys(range(8), True), results
assert given == [tuple(map(id, calls._handlers))], given
"""


def test_threads_that_compile_their_first_programs_together_connect_once(fresh_python):
    """Else the library keeps the address of a handler that Python has freed, and calls whatever is there by now."""
    fresh_python(FIRST, HOSTWRAP_LANE="native")


def test_threads_that_compile_the_same_call_share_it(monkeypatch):
    """Else the key ends with the program of one thread, and that of another finds nothing."""
    make = keyed.KeyedCall.__init__
    monkeypatch.setattr(
        keyed.KeyedCall, "__init__", lambda self, *given: (time.sleep(0.3), make(self, *given))[1]
    )
    f = hw.wrap(lambda x: x if len(str(x)) else -x)
    programs = together(lambda i: jax.jit(lambda x: f(x) + i).lower(np.ones(3)).compile())
    for i in range(THREADS):  # each is the last one for once
        program, programs[i] = programs[i], None
        np.testing.assert_array_equal(program(np.ones(3)), np.full(3, 1 + i))
        del program
        calls.release()


class Pending:
    """An array that is never there."""

    is_deleted = is_ready = staticmethod(lambda: False)


def test_what_is_dropped_while_others_are_released_is_kept_while_an_array_is_pending(monkeypatch):
    """As in a program that the collector finds in a cycle, or that another thread drops."""
    pending, leaving = Pending(), []
    monkeypatch.setattr(jax, "live_arrays", lambda: [pending])
    monkeypatch.setattr(calls, "_leaving", leaving)
    values, before = [types.SimpleNamespace(several=False, number=i) for i in range(100)], gc.get_threshold()
    gc.collect()
    gc.set_threshold(1)
    try:
        for value in values:
            keeper = calls.Keeper(value)
            keeper.cycle = keeper
    finally:
        gc.set_threshold(*before)
    del keeper
    gc.collect()
    assert {value.number for value, _ in leaving} == set(range(100))

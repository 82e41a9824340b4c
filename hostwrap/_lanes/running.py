"""Run a host function: bound to shapes, without access to JAX, in the default floating-point environment."""

from __future__ import annotations

import atexit
import contextlib
import contextvars
import functools
import os
import sys
import sysconfig
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from hostwrap._errors import HostCallError
from hostwrap._host import fenv, parallel
from hostwrap._host.function import Host, HostCall
from hostwrap._host.layout import Bound, Result
from hostwrap._lanes import faults, recorded
from hostwrap._native import calls

_inside: contextvars.ContextVar[str | None] = contextvars.ContextVar("hostwrap_inside", default=None)
_running: list[None] = []  # one item for each running call
_ending: list[None] = []  # one item if Python is exiting
_lowered: list[None] = []  # one item if a program calls Python by a callback of JAX


def bound_to(call: HostCall, operands: Sequence[Any]) -> Bound:
    """The host function, bound to the shapes and dtypes of the operands; threads share the work where possible."""
    host, layout, active = call.host, call.layout, call.active
    dtypes, piece, bind = [x.dtype for x in operands], host.piece, host.bind
    if call.by_loops:
        bind = functools.partial(recorded.bind, host)
        piece = piece if any(map(host.needs_python, active)) else min(piece, parallel.PIECE)
    to = lambda shapes: bind(shapes, dtypes, layout, active)
    guard = lambda run: run if host.trusted else functools.partial(guarded, host, run)
    return parallel.bind_in_parts(host, to, piece, [x.shape for x in operands], layout, active, guard)


def guarded(host: Host, bound: Bound, arrays: Sequence[np.ndarray]) -> list:
    """Run the function; raise at once if it uses JAX, which could hang inside a compiled program."""
    if host.options.allow_jax:
        return bound(arrays)
    token = _inside.set(host.name)
    try:
        with jax.no_execution(True):
            return bound(arrays)
    except (RuntimeError, jax.errors.JAXTypeError) as error:
        of_tracers = isinstance(error, jax.errors.JAXTypeError)
        if not (traced_in(host) if of_tracers else "no_execution" in str(error)):
            raise
        raise _used_jax(host.name, "", host) from error
    finally:
        _inside.reset(token)


def refuse_nested(host: Host) -> None:
    """Raise if a host function calls a wrapped function, which is a JAX function."""
    outer = _inside.get()
    if outer is not None:
        raise _used_jax(outer, f" (it called {host.name}, which is a JAX function)")


def traced_in(function: Any) -> str | None:
    """The name of a variable with a tracer that the function, or one that it closes over, closes over; else None."""
    seen: set[int] = set()
    todo = [function]
    while todo and len(seen) < 100:
        here = todo.pop()
        if id(here) in seen or not callable(here):
            continue
        seen.add(id(here))
        names = getattr(getattr(here, "__code__", None), "co_freevars", ())
        for name, cell in zip(names, getattr(here, "__closure__", None) or (), strict=False):
            with contextlib.suppress(ValueError):  # a variable that has no value yet
                value = cell.cell_contents
                if any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves(value)):
                    return name
                todo.append(value)
        todo += [getattr(here, inner, None) for inner in ("host", "function", "func", "__wrapped__")]
    return None


def _used_jax(name: str, how: str, host: Host | None = None) -> HostCallError:
    if held := traced_in(host):
        return HostCallError(
            f"{name}: the host function uses `{held}`, which jit, grad or vmap traces outside of it. Make it an "
            "argument; then there is a derivative in it, too."
        )
    return HostCallError(
        f"{name}: the host function used JAX{how}, which can hang while a compiled program waits for it. "
        f"Use NumPy inside it, or declare it with allow_jax=True."
    )


# ---- in a compiled program

nameless_functions: contextvars.ContextVar[list[str] | None] = contextvars.ContextVar(
    "hostwrap_nameless", default=None
)


def nameless(function: str) -> None:
    """Note that the current program calls a function that other processes cannot find (see `export`)."""
    names = nameless_functions.get()
    if names is not None and function not in names:
        names.append(function)


def _finish() -> None:
    """Wait for running calls at exit: a thread that returns from C++ after Python has ended aborts the process."""
    programs = calls.is_connected() or _lowered
    for array in jax.live_arrays() if programs else ():  # which would start JAX's devices
        with contextlib.suppress(Exception):
            array.block_until_ready()
    # from now on calls raise; else threads that keep calling would never let `_running` become empty
    _ending.append(None)
    while _running:
        time.sleep(1e-3)
    _let_daemons_return()
    calls.disconnect()


# runs after the exit functions of the program, which may still call, and before JAX closes its devices
atexit.register(_finish)
if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_running.clear)  # the child has none of the threads that run them


def _let_daemons_return(at_most: float = 0.5) -> None:
    """Give daemon threads that waited for an array, which is ready by now, time to return from JAX to Python.

    They need the GIL for that. If a thread asks for the GIL too late, Python unwinds its stack, and JAX's C++ code then
    crashes. Threads that wait in the standard library, or do not move, wait for something else.
    """
    start, end = _places_of_daemons(), time.monotonic() + at_most
    while start and time.monotonic() < end:
        time.sleep(1e-3)  # releases the GIL
        now = _places_of_daemons()
        start = {thread: place for thread, place in start.items() if now.get(thread) == place}


def _places_of_daemons() -> dict[int, tuple[int, int]]:
    """The frame and instruction of each daemon thread that is not inside the standard library."""
    frames = sys._current_frames()
    library = sysconfig.get_path("stdlib")
    return {
        thread.ident: (id(frame), frame.f_lasti)
        for thread in threading.enumerate()
        if thread.daemon and thread.ident is not None and (frame := frames.get(thread.ident)) is not None
        if os.path.dirname(frame.f_code.co_filename) != library
    }


def runner(
    call: HostCall, operands: Sequence[Any], outs: Sequence[Result], several: bool
) -> Callable[..., list]:
    """The function that XLA's threads run, for operands and results like these."""
    host, run_bound = call.host, bound_to(call, operands)
    _lowered[:] = [None]
    if not host.trusted:
        run_bound = np.errstate(all="ignore")(functools.partial(guarded, host, run_bound))

    def run(*arrays: np.ndarray) -> list[np.ndarray]:
        _running.append(None)
        try:
            if _ending:
                raise HostCallError(f"{host.name}: called while Python was ending.")
            return fenv.call(run_bound, arrays)
        except BaseException as error:
            return faults.go_on(host, error, arrays, outs, several)
        finally:
            _running.pop()

    return run

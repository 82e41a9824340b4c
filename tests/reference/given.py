"""SciPy's values at many points, each in limited processor time, in a process that may end before its work does."""

from __future__ import annotations

import mmap
import os
import signal
import traceback

import numpy as np

from hostwrap.special._function import Special
from tests.reference.entries import columns, statics

LONG = 0.01  # seconds of SciPy's, which takes minutes for some points, and no exception of Python's ends it
TOGETHER = 64  # rows


def on_host(function: Special, rows: np.ndarray) -> np.ndarray:
    """SciPy's values, (result, row)."""
    y = function.on_host(*columns(function, rows), **statics(function)[0])
    outputs = y if function.outs else (y,)
    return np.stack([np.broadcast_to(out, (len(rows),)) for out in outputs])  # complex ones stay so


def in_time(function: Special, rows: np.ndarray) -> tuple[np.ndarray, int]:
    """SciPy's values, (result, row), and how many of them are NaN because SciPy takes longer than `LONG`, or crashes.

    A copy of this process goes through the rows and writes into memory that both have. A timer of the system ends it
    where it takes long. The next copy takes those `TOGETHER` one by one, and what ends that one is left out.
    """
    example = on_host(function, np.ones_like(rows[:1]))
    shape, dtype = (len(example), len(rows)), np.result_type(example, float)
    memory = mmap.mmap(-1, 8 + dtype.itemsize * len(example) * len(rows))
    done = np.frombuffer(memory, np.int64, 1)
    values = np.frombuffer(memory, dtype, offset=8).reshape(shape)
    values[:] = np.nan
    slow = careful = 0
    while done[0] < len(rows):
        child = os.fork()
        if not child:
            _fill(function, rows, values, done, careful)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if code > 0:
            raise RuntimeError(
                f"SciPy's {function.name} raised an exception at {rows[done[0]]} or behind; it is printed above"
            )
        if code < 0 and done[0] < careful:
            slow += 1
            done[0] += 1
        elif code < 0:
            careful = done[0] + TOGETHER
    return values.copy(), slow


def _fill(function: Special, rows: np.ndarray, values: np.ndarray, done: np.ndarray, careful: int) -> None:
    """In the copy, which never returns; one by one up to the row `careful`."""
    code = 1
    try:
        signal.signal(signal.SIGVTALRM, signal.SIG_DFL)
        with np.errstate(all="ignore"):
            while done[0] < len(rows):
                some = slice(done[0], done[0] + (1 if done[0] < careful else TOGETHER))
                signal.setitimer(signal.ITIMER_VIRTUAL, LONG)
                values[:, some] = on_host(function, rows[some])
                done[0] = min(some.stop, len(rows))
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)

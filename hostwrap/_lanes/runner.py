"""A host function as XLA's threads run it: in its own floating-point environment, with errors of ours."""

from __future__ import annotations

import atexit
import contextlib
import functools
import logging
import time
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from hostwrap._errors import HostwrapError, MissingDerivative, host_failure
from hostwrap._host import fenv
from hostwrap._lanes.primitive import Host, guarded

_last_error: list[HostwrapError] = []
_unseen: list[HostwrapError] = []  # the first one after which a program went on, until `check_errors`


def last_error() -> HostwrapError | None:
    """The last error of a host function inside a compiled program, or None.

    XLA turns exceptions into text. This is the exception itself: `last_error().__cause__` is what the host
    function raised, with its traceback.
    """
    return _last_error[-1] if _last_error else None


def check_errors() -> None:
    """Raise the error of a host function after which a compiled program went on with NaN, and forget it.

    A program goes on where several devices work together, because those that wait for the one with the error would
    wait for ever; and where `on_error="nan"` asks for it. Call this when results are there (`block_until_ready`); it
    raises the first error in this process since the last call of it, and does nothing if there was none.

    Raises:
        HostwrapError: of the host function; what it raised itself is the `__cause__`.
    """
    if _unseen:
        raise _unseen.pop()


_running: list[None] = []  # one for each call


@functools.cache
def _finish_at_exit() -> None:
    """Threads of XLA that come to Python when it has ended would end the process with an abort."""
    atexit.register(_finish)


def _finish() -> None:
    for array in jax.live_arrays():
        with contextlib.suppress(Exception):
            array.block_until_ready()
    while _running:
        time.sleep(1e-3)


def runner(
    host: Host, bound: Callable[[Sequence[np.ndarray]], list], outs: Sequence[Any], several: bool
) -> Callable[..., list]:
    """The bound function with results like `outs`, in a program for one device or several."""

    def careful(arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        for array in arrays:  # the runtime hands over private copies, but flags them read-only
            if array.flags.owndata:
                array.flags.writeable = True
        with np.errstate(all="ignore"):
            return guarded(host, bound, arrays)

    _finish_at_exit()
    call = bound if host.trusted else careful
    goes_on = several or host.on_error == "nan"

    def run(*arrays: np.ndarray) -> list[np.ndarray]:
        _running.append(None)
        try:
            return fenv.call(call, arrays)
        except BaseException as error:
            failure = error
            if not isinstance(failure, HostwrapError):
                failure = host_failure(host.name, error, host.argnames, arrays)
            _last_error[:] = [failure]
            # a derivative that a rule turns out not to have is no number, whatever else may be one
            lenient = goes_on and not isinstance(error, MissingDerivative)
            if not (lenient and isinstance(error, Exception)):
                raise failure from failure.__cause__
            _remember(failure, quiet=host.on_error == "nan")
            return [np.full(o.shape, np.nan if o.dtype.kind in "fc" else 0, o.dtype) for o in outs]
        finally:
            _running.pop()

    return run


def _remember(failure: HostwrapError, quiet: bool) -> None:
    if not _unseen and not quiet:
        logging.getLogger("hostwrap").error(
            "%s\n  The program runs on several devices and goes on with NaN (0 in integer results); "
            "hostwrap.check_errors() raises this error.",
            failure,
        )
    _unseen[:] = [*_unseen, failure][:1]

"""Exceptions of host functions inside compiled programs: the error that you get, and `last_error`.

XLA turns exceptions into text, so this module keeps the exception itself. Its frames refer to arrays, some of them in
memory that XLA frees after the call. So it keeps only the lines of the traceback, and no variables.
"""

from __future__ import annotations

import contextlib
import logging
import os
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import numpy as np

from hostwrap._errors import HostwrapError, MissingDerivative, host_failure
from hostwrap._host.function import Host
from hostwrap._lanes.taylor import is_jet, no_jet

_last_error: list[HostwrapError] = []
_unseen: list[HostwrapError] = []  # the first error after which a program went on, for `check_errors`


def last_error(*, forget: bool = False) -> HostwrapError | None:
    """The last error of a host function inside a compiled program, or None.

    XLA turns exceptions into text. This is the exception itself: `last_error().__cause__` is what the host
    function raised, with its traceback. The traceback has lines and no variables, so that it keeps no array alive;
    to look at variables, call the function on concrete arrays, outside of jit.

    Args:
        forget: drop the error; the next call returns None.

    >>> import hostwrap as hw, jax
    >>> def picky(x):
    ...     raise ValueError("no convergence")
    >>> print(jax.jit(hw.wrap(picky, on_error="nan"))(1.0))
    nan
    >>> print(repr(hw.last_error(forget=True).__cause__))
    ValueError('no convergence')
    """
    error = [*_last_error, None][0]
    if forget:
        _last_error.clear()
    return error


def check_errors() -> None:
    """Raise the error of a host function after which a compiled program went on with NaN, and forget it.

    A program goes on where several devices work together, because those that wait for the one with the error would
    wait for ever; and where `on_error="nan"` asks for it. Call this when results are there (`block_until_ready`); it
    raises the first error in this process since the last call of it, and does nothing if there was none.

    Raises:
        HostwrapError: of the host function; what it raised itself is the `__cause__`.

    >>> import hostwrap as hw, jax
    >>> def picky(x):
    ...     raise ValueError("no convergence")
    >>> print(jax.jit(hw.wrap(picky, on_error="nan"))(1.0))
    nan
    >>> try:
    ...     hw.check_errors()
    ... except hw.HostCallError as error:
    ...     print(str(error).splitlines()[0])
    picky: the host function raised ValueError: no convergence
    """
    if _unseen:
        failure = _unseen.pop()
        raise _again(failure) from failure.__cause__


def go_on(
    host: Host, error: BaseException, arrays: Sequence[np.ndarray], outs: Sequence[Any], several: bool
) -> list[np.ndarray]:
    """Results of NaN (0 for integers) if the program is to go on after the error; else raise a `HostwrapError`.

    On one of several devices the program goes on after any exception, even `sys.exit()` and an interrupt: the other
    devices would wait, until XLA ends the process.
    """
    # a missing derivative is always an error, never NaN
    quiet = host.options.on_error == "nan"
    lenient = quiet and isinstance(error, Exception) and not isinstance(error, MissingDerivative)
    failure = error
    if not isinstance(failure, HostwrapError):
        failure = host_failure(host.name, error, host.argnames, arrays)
    _forget_variables(failure)
    _last_error[:] = [failure]
    if not several and not lenient:
        raise _again(failure) from failure.__cause__
    first = not _unseen
    _unseen[:] = [*_unseen, failure][:1]
    if first and not quiet:
        with contextlib.suppress(Exception):  # a logging handler of the user may raise
            logging.getLogger("hostwrap").error(_GOES_ON, failure)
    return [np.full(o.shape, np.nan if o.dtype.kind in "fc" else 0, o.dtype) for o in outs]


_GOES_ON = (
    "%s\n  The program runs on several devices and goes on with NaN (0 in integer results); hostwrap.check_errors() "
    "raises this error."
)


def is_ours(error: BaseException) -> bool:
    """Whether `go_on` raised this error, which then is complete and stored."""
    return bool(vars(error).get("_again"))


def _again(failure: HostwrapError) -> HostwrapError:
    """A copy of the error to raise, so that the stored one does not collect the traceback."""
    kind = type(failure)
    other = kind.__new__(kind, *failure.args)
    vars(other).update(vars(failure), _again=True)
    return other


def _chain(error: BaseException) -> list[BaseException]:
    """The exception with all causes, contexts, and members of exception groups."""
    found: list[BaseException] = [error]
    for part in found:
        parts = [part.__cause__, part.__context__]
        parts += part.exceptions if isinstance(part, BaseExceptionGroup) else ()
        found += [p for p in parts if isinstance(p, BaseException) and not any(p is f for f in found)]
    return found


# ---- tracebacks without the variables of their frames


def _stand_in() -> Iterator[None]:
    yield


_OURS = (os.path.dirname(os.path.dirname(__file__)) + os.sep, contextlib.__file__)


def _is_shown(frame: Any) -> bool:
    """Whether a traceback shows this line. It hides lines of hostwrap unless JAX_TRACEBACK_FILTERING=off."""
    config: Any = jax.config
    return config.jax_traceback_filtering == "off" or not frame.f_code.co_filename.startswith(_OURS)


def refuse_jet(function: str, error: Exception, arguments: Any) -> None:
    """Raise a clear error if `jax.experimental.jet` failed because a rule is missing."""
    if is_jet(arguments) and not isinstance(error, HostwrapError):
        raise no_jet(function, error) from error


def leave_out_ours(error: BaseException) -> None:
    """Remove the lines of hostwrap from the traceback of an exception that leaves a call."""
    _shorten(error, lambda step: (step.tb_frame, step.tb_lasti, step.tb_lineno))


def _shorten(error: BaseException, place: Callable[[types.TracebackType], tuple]) -> None:
    """Keep the shown lines of the traceback; `place` gives the (frame, instruction, line) of each."""
    steps, step = [], error.__traceback__
    while step is not None:
        steps.append(step)
        step = step.tb_next
    error.__traceback__ = None
    for step in reversed(steps):
        if _is_shown(step.tb_frame):
            error.__traceback__ = types.TracebackType(error.__traceback__, *place(step))


def _forget_variables(error: BaseException) -> None:
    """Replace the frames of the tracebacks by frames without variables and without a caller; the lines stay.

    It is not enough to clear the frames: each frame keeps its caller alive, up to the caller of the program.
    """
    for part in _chain(error):
        _shorten(part, lambda step: (_unused(step.tb_frame), -1, step.tb_lineno))


def _unused(frame: Any) -> Any:
    """A frame with the same name and file: the frame of a generator that never started."""
    own = frame.f_code
    names = ("co_filename", "co_name", "co_qualname", "co_firstlineno")
    code = _stand_in.__code__.replace(**{name: getattr(own, name) for name in names})
    where = {name: frame.f_globals.get(name) for name in ("__name__", "__loader__")}
    generator: Any = types.FunctionType(code, where)()
    return generator.gi_frame

"""What a host function raised inside a compiled program: what error it becomes, and what is kept of it.

XLA turns exceptions into text, so the exception itself is kept. The frames that it has gone through hold arrays,
some of them in memory that XLA frees when the call is over: of the frames only the lines are kept.
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
_unseen: list[HostwrapError] = []  # the first one after which a program went on, until `check_errors`


def last_error(*, forget: bool = False) -> HostwrapError | None:
    """The last error of a host function inside a compiled program, or None.

    XLA turns exceptions into text. This is the exception itself: `last_error().__cause__` is what the host
    function raised, with its traceback. The traceback has lines and no variables, so that it keeps no array alive;
    to look at variables, call the function on concrete arrays, outside of jit.

    Args:
        forget: the error is not kept any longer, and the next call returns None.

    >>> import hostwrap as hw, jax
    >>> def picky(x):
    ...     raise ValueError("no convergence")
    >>> print(jax.jit(hw.wrap(picky, on_error="nan"))(1.0))
    nan
    >>> print(repr(hw.last_error(forget=True).__cause__))
    ValueError('no convergence')
    """
    error = _last_error[-1] if _last_error else None
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
    """NaN (0 for integers) in place of results like `outs`, where the program goes on; else raises an error of ours.

    On one of several devices it goes on whatever was raised, `sys.exit()` and an interrupt too: the others wait for
    it, until XLA ends the process.
    """
    # a derivative that a rule turns out not to have is no number, whatever else may be one
    lenient = (
        host.options.on_error == "nan"
        and isinstance(error, Exception)
        and not isinstance(error, MissingDerivative)
    )
    failure = error
    if not isinstance(failure, HostwrapError):
        failure = host_failure(host.name, error, host.argnames, arrays)
    _forget_variables(failure)
    _last_error[:] = [failure]
    if not several and not lenient:
        raise _again(failure) from failure.__cause__
    _remember(failure, quiet=host.options.on_error == "nan")
    return [np.full(o.shape, np.nan if o.dtype.kind in "fc" else 0, o.dtype) for o in outs]


def is_ours(error: BaseException) -> bool:
    """Whether `go_on` has raised it: then all is said and kept."""
    return bool(vars(error).get("_again"))


def _again(failure: HostwrapError) -> HostwrapError:
    """The same error once more, to be raised: what it passes on its way out is not kept."""
    kind = type(failure)
    other = kind.__new__(kind, *failure.args)
    vars(other).update(vars(failure), _again=True)
    return other


def _remember(failure: HostwrapError, quiet: bool) -> None:
    first = not _unseen
    _unseen[:] = [*_unseen, failure][:1]
    if first and not quiet:
        with contextlib.suppress(Exception):  # of a handler of the user's
            logging.getLogger("hostwrap").error(
                "%s\n  The program runs on several devices and goes on with NaN (0 in integer results); "
                "hostwrap.check_errors() raises this error.",
                failure,
            )


def _chain(error: BaseException) -> list[BaseException]:
    """The exception, its causes and contexts, and those of a group."""
    found: list[BaseException] = [error]
    for part in found:
        parts = [part.__cause__, part.__context__]
        parts += part.exceptions if isinstance(part, BaseExceptionGroup) else ()
        found += [p for p in parts if isinstance(p, BaseException) and not any(p is f for f in found)]
    return found


# ---- tracebacks without frames that were run


def _stand_in() -> Iterator[None]:
    yield


_OURS = (os.path.dirname(os.path.dirname(__file__)) + os.sep, contextlib.__file__)


def _is_shown(frame: Any) -> bool:
    """Whether a line belongs into a traceback: ours do if JAX_TRACEBACK_FILTERING=off asks for JAX's own as well."""
    config: Any = jax.config
    return config.jax_traceback_filtering == "off" or not frame.f_code.co_filename.startswith(_OURS)


def refuse_jet(function: str, error: Exception, arguments: Any) -> None:
    """Of what `jax.experimental.jet` fails with, for want of rules, an error that says so."""
    if is_jet(arguments) and not isinstance(error, HostwrapError):
        raise no_jet(function, error) from error


def leave_out_ours(error: BaseException) -> None:
    """For an exception on its way out of a call: its traceback without our own lines."""
    _shorten(error, lambda step: (step.tb_frame, step.tb_lasti, step.tb_lineno))


def _shorten(error: BaseException, place: Callable[[types.TracebackType], tuple]) -> None:
    """The lines of its traceback that are shown, each at this (frame, instruction, line)."""
    steps, step = [], error.__traceback__
    while step is not None:
        steps.append(step)
        step = step.tb_next
    error.__traceback__ = None
    for step in reversed(steps):
        if _is_shown(step.tb_frame):
            error.__traceback__ = types.TracebackType(error.__traceback__, *place(step))


def _forget_variables(error: BaseException) -> None:
    """Tracebacks that show the same lines, by frames that have no variables and know no caller.

    To clear the frames is not enough: a frame holds the one that called it, and so all the way to the caller of the
    program. Our own lines are left out, as JAX leaves out its own.
    """
    for part in _chain(error):
        _shorten(part, lambda step: (_unused(step.tb_frame), -1, step.tb_lineno))


def _unused(frame: Any) -> Any:
    """A frame of the same name in the same file: that of a generator which never began."""
    own = frame.f_code
    names = ("co_filename", "co_name", "co_qualname", "co_firstlineno")
    code = _stand_in.__code__.replace(**{name: getattr(own, name) for name in names})
    where = {name: frame.f_globals.get(name) for name in ("__name__", "__loader__")}
    generator: Any = types.FunctionType(code, where)()
    return generator.gi_frame

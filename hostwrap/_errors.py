"""The exceptions of hostwrap and the words they use."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np


class HostwrapError(Exception):
    """Base of every error that hostwrap raises itself."""


class SignatureError(HostwrapError, TypeError):
    """The arguments do not fit the function's signature or declared shapes (raised while tracing)."""


class RuleError(HostwrapError, TypeError):
    """A derivative rule is malformed, attached twice, or attached too late."""


class ResultError(HostwrapError, TypeError):
    """The host function returned another structure, shape or dtype than it declared."""


class HostCallError(HostwrapError, RuntimeError):
    """The host function failed inside a compiled program; `__cause__` is the original exception."""


class NoLoop(Exception):
    """Not an error: a computation that is not made of C loops alone, and so needs Python."""


class MissingDerivative(HostwrapError, NotImplementedError):
    """A derivative was asked for that is not there; hostwrap never answers with NaN or a silent zero."""


def host_failure(
    name: str, error: BaseException, argnames: Iterable[str], arrays: Iterable[Any]
) -> HostCallError:
    """The error that a compiled program reports for `error`; it quotes the arguments."""
    failure = HostCallError(
        f"{name}: the host function raised {type(error).__name__}: {error}\n"
        f"  called with {describe_all(argnames, arrays)}\n"
        f"{''.join(f'  {note}' + chr(10) for note in getattr(error, '__notes__', ()))}"
        f"  hostwrap.last_error() returns this error, with the original exception as its __cause__."
    )
    failure.__cause__ = error
    return failure


def missing(function: str, argument: str, why: str, what: str = "derivative") -> MissingDerivative:
    """The error for a derivative that is not there: what, why, and the way out."""
    return MissingDerivative(
        f"{function}: there is no {what} with respect to `{argument}`: {why}. "
        f"If `{argument}` is to be held fixed, pass jax.lax.stop_gradient({argument})."
    )


def check_array(what: str, value: Any) -> None:
    """A number or an array (also a traced one), else a RuleError that says what came."""
    if isinstance(value, bool | int | float | complex) or _is_numbers(value):
        return
    raise RuleError(f"{what} must be a number or an array, got {type(value).__name__}: {value!r:.80}.")


def _is_numbers(value: Any) -> bool:
    """An array of numbers as JAX has them: of its types, in the byte order of the machine, none of them masked."""
    dtype: Any = getattr(value, "dtype", None)
    if not hasattr(value, "__array__") or isinstance(value, type | np.ma.MaskedArray):
        return False
    return getattr(dtype, "char", "O") not in "OSUTMmgG" and dtype.names is None and dtype.isnative


def describe(value: Any) -> str:
    """`float64[3,2]` in [0.1, 7]: what an error says of an array."""
    array = np.asarray(value)
    text = f"{array.dtype}[{','.join(map(str, array.shape))}]"
    if array.size and array.dtype.kind in "iuf":
        low, high = array.min(), array.max()
        text += f" = {low:.6g}" if array.size == 1 else f" in [{low:.6g}, {high:.6g}]"
    return text


def describe_all(names: Iterable[str], values: Iterable[Any]) -> str:
    """`v: float64[] = 1, z: float64[3] in [0, 2]`."""
    return ", ".join(f"{n}: {describe(v)}" for n, v in zip(names, values, strict=False))

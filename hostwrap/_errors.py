"""The exceptions of hostwrap, and their texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np


class HostwrapError(Exception):
    """Base of every error that hostwrap raises itself.

    >>> import hostwrap as hw
    >>> print(issubclass(hw.MissingDerivative, hw.HostwrapError))
    True
    """


class SignatureError(HostwrapError, TypeError):
    """The arguments do not fit the function's signature or declared shapes (raised while tracing).

    >>> import hostwrap as hw, numpy as np
    >>> try:
    ...     hw.wrap("(n)->()")(np.sum)(1.0)
    ... except hw.SignatureError as error:
    ...     print(str(error).partition(";")[0])
    sum: signature '(n)->()' gives `a` the core axes (n), but it has shape ()
    """


class RuleError(HostwrapError, TypeError):
    """A derivative rule is malformed, or attached twice.

    >>> import hostwrap as hw, numpy as np
    >>> try:
    ...     hw.wrap(np.sin).defpartials(y=np.cos)
    ... except hw.RuleError as error:
    ...     print(error)
    sin: partials given for ['y']; the arguments are ['x'].
    """


class NotTaken(RuleError):
    """Raised inside hostwrap for an option that SciPy's function has and ours has not. Outside of a trace SciPy's own
    function answers then; in a trace you see a RuleError with this text."""


class ResultError(HostwrapError, TypeError):
    """The host function returned another structure, shape or dtype than it declared.

    >>> import hostwrap as hw, numpy as np
    >>> try:
    ...     hw.wrap("(n)->()")(lambda x: x)(np.ones(3))
    ... except hw.ResultError as error:
    ...     print(error)
    <lambda>: result 0 is declared with shape (), the host function returned (3,).
    """


class HostCallError(HostwrapError, RuntimeError):
    """The host function failed inside a compiled program; `__cause__` is the original exception.

    >>> import hostwrap as hw, jax
    >>> def picky(x):
    ...     raise ValueError("no convergence")
    >>> print(jax.jit(hw.wrap(picky, on_error="nan"))(1.0))
    nan
    >>> print(type(hw.last_error(forget=True)).__name__)
    HostCallError
    """


class NoLoop(Exception):
    """Raised inside hostwrap where a computation needs Python, because C loops alone cannot do it. You never see it."""


class MissingDerivative(HostwrapError, NotImplementedError):
    """You asked for a derivative that does not exist, or that hostwrap cannot compute: never a silent zero.

    >>> import hostwrap as hw, jax, numpy as np
    >>> try:
    ...     jax.grad(hw.wrap(np.sinc, derivatives="rules"))(0.5)
    ... except hw.MissingDerivative as error:
    ...     print(str(error).partition(";")[0])
    sinc: there is no derivative with respect to `x`: it has no derivative rule
    """


WAYS = (
    "defpartials, defjvp or defvjp, in NumPy with defhost, or with defimplicit the equation that it solves; "
    "or take differences, with numerical=True"
)
ADD_ONE = f"add one with {WAYS}"


def host_failure(
    name: str, error: BaseException, argnames: Sequence[str], arrays: Sequence[Any]
) -> HostCallError:
    """The error that a compiled program reports for `error`; it quotes the arguments."""
    lines = [f"{name}: the host function raised {type(error).__name__}: {_text(str, error)}"]
    if arrays:
        lines += [f"  called with {_text(lambda xs: describe_all(argnames, xs), arrays)}"]
    notes = vars(error).get("__notes__")
    lines += [f"  {_text(str, note)}" for note in (notes if isinstance(notes, list | tuple) else ())]
    lines += ["  hostwrap.last_error() returns this error, with the original exception as its __cause__."]
    failure = HostCallError(printable("\n".join(lines)))
    failure.__cause__ = error
    return failure


def _text(say: Any, value: Any) -> str:
    """`say(value)`, or a substitute if that raises: a failing `__str__` must not hide the error."""
    try:
        return say(value)
    except BaseException as error:
        return f"(there is no text of it: {type(error).__name__})"


def printable(text: str) -> str:
    """With `\\udc80` and `\\x00` in place of what has no place in UTF-8 and in a text of C."""
    return text.encode(errors="backslashreplace").decode().replace("\0", "\\x00")


def missing_derivative(function: str, argument: str, why: str, what: str = "derivative") -> MissingDerivative:
    """The error for a missing derivative: what is missing, why, and what to do."""
    return MissingDerivative(
        f"{function}: there is no {what} with respect to `{argument}`: {why}. "
        f"If `{argument}` is to be held fixed, pass jax.lax.stop_gradient({argument})."
    )


def check_array(what: str, value: Any) -> None:
    """Raise RuleError unless the value is a number or an array (also a traced one)."""
    if isinstance(value, bool | int | float | complex) or _is_numbers(value):
        return
    way_out = f"; {more}" if (more := more_than_numbers(value)) else ""
    came = f"{type(value).__name__}: {value!r:.80}"
    raise RuleError(f"{what} must be a number or an array, got {came}{way_out}.")


def more_than_numbers(value: Any) -> str | None:
    """The advice for a value from which NumPy would drop something: a mask, or a unit; empty for other values."""
    if type(value) in _PLAIN:
        return None
    if isinstance(value, np.ndarray) and hasattr(value, "mask"):  # of NumPy, astropy, ..
        return "a masked array has to be filled first, with x.filled(..)"
    unit = _unit_of(value)
    if unit is None:
        return None
    way = next((f", with x.{n}(unit)" for n in ("to_value", "m_as") if hasattr(value, n)), "")
    return f"a quantity has to be turned into numbers first, in the unit that you mean ({unit} now){way}"


def _unit_of(value: Any) -> str | None:
    """The unit of a quantity (of astropy, pint, unyt, ..) or of an array of quantities (of pandas), else None.

    The class tells, because pandas and xarray have attributes with the names of their data; of arrays, which unyt's
    are, the array itself.
    """
    for owner in (value, getattr(value, "dtype", None)):
        for name in ("unit", "units"):
            if hasattr(type(owner), name) or (isinstance(owner, np.ndarray) and hasattr(owner, name)):
                return str(getattr(owner, name)) or "dimensionless"
    return None


_PLAIN = frozenset({np.ndarray, np.float64, bool, int, float, complex, str, type(None)})


def _is_numbers(value: Any) -> bool:
    """Whether JAX has this array: its dtype, in the byte order of the machine, without mask or unit."""
    dtype: Any = getattr(value, "dtype", None)
    if not hasattr(value, "__array__") or isinstance(value, type) or more_than_numbers(value):
        return False
    return getattr(dtype, "char", "O") not in "OSUTMmgG" and dtype.names is None and dtype.isnative


def describe(value: Any) -> str:
    """An array in the text of an error: `float64[3,2] in [0.1, 7]`."""
    array = np.asarray(value)
    text = f"{array.dtype}[{','.join(map(str, array.shape))}]"
    if array.size and array.dtype.kind in "iuf":
        low, high = array.min(), array.max()
        text += f" = {low:.6g}" if array.size == 1 else f" in [{low:.6g}, {high:.6g}]"
    return text


def describe_all(names: Iterable[str], values: Iterable[Any]) -> str:
    """`v: float64[] = 1, z: float64[3] in [0, 2]`."""
    return ", ".join(f"{n}: {describe(v)}" for n, v in zip(names, values, strict=False))

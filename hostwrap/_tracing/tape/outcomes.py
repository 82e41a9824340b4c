"""What functions of NumPy decide by numbers: outcomes, and for each the number that is 0 where it changes.

Where an outcome changes, the function jumps, or has a kink.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np


class Decision(NamedTuple):
    """How an elementwise function decides: `outcome(*numbers)`; `gap(*numbers)` is 0 where this changes.

    The outcome of a comparison is its result (None).
    """

    outcome: Callable[..., Any] | None
    gap: Callable[..., Any]
    kink: bool = False  # both sides have the same value


def _itself(x: Any, *_: Any) -> Any:
    return x


def _apart(x: Any, y: Any, *_: Any) -> Any:
    return x - y


def _of_wholes(whole: Callable) -> Decision:
    """Of a function that rounds x: whole numbers are held, so the distance to any of them moves in the same way."""
    return Decision(lambda x: whole(x), _itself)


def _of_quotients(whole: Callable) -> Decision:
    return Decision(lambda x, y: whole(x / y), lambda x, y: x / y)


_SIGN = Decision(np.sign, _itself)
_OF_ZERO = Decision(np.sign, _itself, kink=True)
_LARGER = Decision(lambda x, y: np.greater(x, y), _apart, kink=True)
_FLOORED, _TRUNCATED = _of_quotients(np.floor), _of_quotients(np.trunc)

DECISIONS: dict[str, Decision] = {
    "sign": _SIGN,
    "heaviside": Decision(lambda x, y: np.sign(x), _itself),
    "copysign": Decision(lambda x, y: np.signbit(y), lambda x, y: y),
    "signbit": Decision(np.signbit, _itself),
    "arctan2": Decision(lambda y, x: (x < 0) & (y < 0), _itself),
    **{f.__name__: _of_wholes(f) for f in (np.floor, np.ceil, np.rint, np.trunc)},
    "modf": _of_wholes(np.trunc),
    **dict.fromkeys(("remainder", "floor_divide", "divmod"), _FLOORED),
    "fmod": _TRUNCATED,
    **dict.fromkeys(("absolute", "fabs"), _OF_ZERO),
    **dict.fromkeys(("maximum", "minimum", "fmax", "fmin"), _LARGER),
    **dict.fromkeys(
        ("less", "less_equal", "greater", "greater_equal", "equal", "not_equal"), Decision(None, _apart)
    ),
}
"""By the name of the function."""
OTHER_NAMES = {
    "mod": "remainder", "floordiv": "floor_divide", "abs": "absolute", "int": "trunc", "round": "rint",
}  # fmt: skip
"""Python's names of these."""
CHOSEN = "chosen"
"""The name of a decision for elements of an array along its last axis: the outcome are their places."""

DIRECTION = "direction"
"""The name of a decision for the direction of each row of numbers along the last axis: it turns round at 0."""
UNKNOWN = "unknown"
"""The same for numbers of which no derivative is known where they are 0."""


def direction(x: np.ndarray) -> np.ndarray:
    """x / |x| along the last axis; 0 for 0."""
    size = np.max(np.abs(x), axis=-1, keepdims=True)
    x = x / np.where(size == 0, 1.0, size)
    return x / np.maximum(np.linalg.norm(x, axis=-1, keepdims=True), 1.0)


def unturned(here: np.ndarray, there: np.ndarray) -> bool:
    """Whether no direction turns by a right angle or more: between places near each other it turns by less."""
    return here.shape == there.shape and not np.any(_turned(here, there))


def _turned(here: np.ndarray, there: np.ndarray) -> np.ndarray:
    still = ~np.any(here, axis=-1) & ~np.any(there, axis=-1)
    return ~(still | (np.sum(here * there, axis=-1) > 0))


def gap(name: str, operands: Sequence[Any], here: np.ndarray, there: np.ndarray) -> Any:
    """The number that is 0 where the first of two outcomes becomes the other one; None if it is not known."""
    if here.shape != there.shape:
        return None
    if name == UNKNOWN:
        return None
    if name == DIRECTION:
        at = np.flatnonzero(_turned(here, there))[0]
        k = here.shape[-1]
        along = np.reshape(there, (-1, k))[at]
        return np.sum(
            np.reshape(operands[0].on_tape(), (-1, k))[at] * along * np.sign(along[np.argmax(np.abs(along))])
        )
    at = np.flatnonzero(np.ravel(here != there))[0]
    if name == CHOSEN:
        (x,) = operands
        row = np.reshape(x, (-1, np.shape(x)[-1]))[at // max(here.shape[-1:], default=1)]
        one, other = sorted((np.ravel(here)[at], np.ravel(there)[at]))
        return row[one] - row[other]
    numbers = (np.reshape(np.broadcast_to(x, here.shape), -1)[at] for x in operands)
    return DECISIONS[name].gap(*numbers)

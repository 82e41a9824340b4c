"""Functions of NumPy that are no ufuncs, on stand-ins for arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

_EXTREMES = np.finfo(float).min, np.finfo(float).max


def _clipped(x: Any, low: Any, high: Any) -> Any:
    """None is no bound."""
    above = x if low is None else np.maximum(x, low)
    return above if high is None else np.minimum(above, high)


# how many arguments a function has, and what it is for a stand-in
FUNCTIONS: dict[Any, tuple[int, Callable]] = {
    np.real: (1, lambda x: x.real),
    np.imag: (1, lambda x: x.imag),
    np.iscomplexobj: (1, lambda x: x.dtype.kind == "c"),
    np.isrealobj: (1, lambda x: x.dtype.kind != "c"),
    np.ones_like: (1, lambda x: x.dtype.type(1)),
    np.zeros_like: (1, lambda x: x.dtype.type(0)),
    np.full_like: (2, lambda x, value: x.tape.slot(value, x.dtype)),
    np.clip: (3, _clipped),
    np.round: (1, np.rint),
    np.nan_to_num: (1, lambda x: np.where(np.isnan(x), 0.0, np.clip(x, *_EXTREMES))),
    np.isposinf: (1, lambda x: x == np.inf),
    np.isneginf: (1, lambda x: x == -np.inf),
    np.stack: (1, tuple),
    np.putmask: (3, lambda x, mask, value: x.tape.write(x, np.where(mask, value, x))),
}

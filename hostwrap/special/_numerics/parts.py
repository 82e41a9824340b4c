"""Complex numbers from their parts."""

from __future__ import annotations

from typing import Any

import numpy as np

from hostwrap._host.numpy_ops import join_complex
from hostwrap.special._numerics.pointwise import tape_of


def compose(re: Any, im: Any) -> Any:
    """re + i im; unlike the sum, with an infinite part it does not make the other one NaN."""
    recorder = tape_of(re, im)
    return join_complex(re, im) if recorder is None else recorder.compose(re, im)


def as_complex(x: Any) -> Any:
    return np.asarray(x, complex) if tape_of(x) is None else x.astype(complex)


def grown(f: Any, exponent: Any) -> Any:
    """f e^exponent for real exponents, part by part: a part that is 0 stays so when the modulus overflows."""
    size = np.exp(exponent)
    return compose(*(np.where(part != 0, part * size, 0.0) for part in (f.real, f.imag)))

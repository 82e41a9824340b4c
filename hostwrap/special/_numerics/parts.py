"""Complex numbers from their parts."""

from __future__ import annotations

from typing import Any

import numpy as np

from hostwrap._host.numpy_ops import join_complex
from hostwrap.special._numerics.pointwise import tape_of

FACTOR = 700.0  # the largest exponent for which exp is finite


def compose(re: Any, im: Any) -> Any:
    """re + i im. Unlike the sum, an infinite part does not make the other part NaN."""
    recorder = tape_of(re, im)
    return join_complex(re, im) if recorder is None else recorder.compose(re, im)


def as_complex(x: Any) -> Any:
    return np.asarray(x, complex) if tape_of(x) is None else x.astype(complex)


def grown(f: Any, exponent: Any) -> Any:
    """f e^exponent for real exponents, part by part: a part that is 0 stays 0 where the modulus overflows.

    The exponential is applied in two factors, because the product may be finite where e^exponent overflows.
    """
    first = np.minimum(np.maximum(exponent, -FACTOR), FACTOR)
    size, rest = np.exp(first), np.exp(exponent - first)
    return compose(*(np.where(part != 0, part * size * rest, 0.0) for part in (f.real, f.imag)))


def turned(f: Any, exponent: Any) -> Any:
    """f e^exponent for complex exponents."""
    return grown(f * np.exp(1j * exponent.imag), exponent.real)

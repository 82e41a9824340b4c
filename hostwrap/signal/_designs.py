"""The design of filters, by tracing SciPy's Python code."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.signal

from hostwrap._recipes.followed import followed

_RISING = "Wn in (0, 1), or (0, fs / 2); two of them rise."


def _edges(name: str, shape: tuple) -> Any:
    """Corner frequencies in ascending order, and ripples in decibel."""
    if name in ("Wn", "cutoff"):
        count = int(np.prod(shape, dtype=int))
        return ((np.arange(count) + 1) / (2 * count + 2)).reshape(shape)
    return np.full(shape, {"rp": 1.0, "rs": 40.0}.get(name, 0.5))


def _design(name: str, ripples: str, orders: str, example: str) -> Any:
    return followed(
        getattr(scipy.signal, name),
        f"{ripples} Wn".strip(),
        f"""differentiable in {" and ".join([*ripples.split(), "Wn"])}, first and second order; output is "ba" or "sos".

    {_RISING} N, btype, analog and fs are values of Python. Which poles and zeros SciPy puts into one section is held.

    >>> import jax
    >>> print(f"{{jax.grad(lambda Wn: {name}({orders}, Wn)[1][1])(0.3):.6f}}")
    {example}
    """,
        _edges,
    )


butter = _design("butter", "", "2", "3.854566")
cheby1 = _design("cheby1", "rp", "3, 1.0", "5.844269")
cheby2 = _design("cheby2", "rs", "3, 40.0", "2.566211")
ellip = _design("ellip", "rp rs", "3, 1.0, 40.0", "5.948917")
bessel = _design("bessel", "", "2", "3.639036")

firwin = followed(
    scipy.signal.firwin,
    "cutoff",
    """differentiable in the cutoff frequencies, first and second order.

    numtaps, width, window, pass_zero, scale and fs are values of Python.

    >>> import jax, numpy as np
    >>> print(jax.jacfwd(lambda c: firwin(3, c))(0.5).round(6))
    [-0.083897  0.167795 -0.083897]
    """,
    _edges,
)

"""Integrals of samples, by tracing SciPy's Python code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.integrate

from hostwrap._recipes.followed import followed


def _rising(name: str, shape: tuple) -> Any:
    """Sites in ascending order, and values."""
    return np.arange(np.prod(shape, dtype=int), dtype=float).reshape(shape)


def _of_samples(name: str, example: str) -> Callable:
    return followed(
        getattr(scipy.integrate, name),
        "y x dx",
        f"""differentiable in the values y, the sites x and their distance dx, first and second order.

    axis and initial are values of Python. The derivative is that of the sum: if the samples are of a function that
    jumps at a place that moves, this place has no part in it. Use `quad` there.

    >>> import jax, numpy as np
    >>> x = np.array([0.0, 1.0, 2.0, 4.0])
    >>> print(jax.jacfwd(lambda y: {name}(y, x))(x**2).round(6) + 0)
    {example}
    """,
        _rising,
    )


simpson = _of_samples("simpson", "[0.333333 0.888889 2.       0.777778]")
trapezoid = _of_samples("trapezoid", "[0.5 1.  1.5 1. ]")
cumulative_trapezoid = _of_samples(
    "cumulative_trapezoid",
    """[[0.5 0.5 0.  0. ]
     [0.5 1.  0.5 0. ]
     [0.5 1.  1.5 1. ]]""",
)

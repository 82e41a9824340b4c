"""The formulas of a distribution in its standard form. They are data, from which `_rules` makes derivatives.

A formula takes y = (x - loc) / scale and the shapes, in SciPy's order, as numbers in the support and in the allowed
range. It calls functions by their names in `hostwrap.special`, so the tests can run the same code on mpmath's numbers.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

Formula = Callable[..., Any]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Law:
    """A continuous distribution.

    `cdf` and `sf` must be accurate where they are small. One of them may be left out if the other is accurate
    everywhere. Give `logcdf` and `logsf` if probabilities underflow and SciPy's logarithms do not.
    `below` and `above` compute the probabilities by quadrature, for a law whose `cdf` and `sf` are differences that
    lose the digits of a small probability but have exact derivatives.
    Give `support` if it depends on the shapes; otherwise it is SciPy's. `no_shapes` gives the reason why the
    probabilities of a distribution without `cdf` have no derivative in the shapes. Without `logpdf` the density is
    SciPy's, which cannot be differentiated. `nested` means that the density is itself an integral, so that integrals of
    it, such as moments, would take minutes. `turn` returns the ends of the interval for moments of a law on a circle.
    """

    logpdf: Formula | None = None
    nested: bool = False
    cdf: Formula | None = None
    sf: Formula | None = None
    logcdf: Formula | None = None
    logsf: Formula | None = None
    below: Formula | None = None
    above: Formula | None = None
    support: Callable[..., tuple[Any, Any]] | None = None
    turn: Callable[..., tuple[Any, Any]] | None = None
    integers: tuple[str, ...] = ()
    no_shapes: str = "no formula with its derivative in this shape is known here"


@dataclasses.dataclass(frozen=True, kw_only=True)
class DiscreteLaw:
    """A distribution on integers. Its formulas are like those of `Law`, for probabilities of integers."""

    logpmf: Formula | None = None
    cdf: Formula | None = None
    sf: Formula | None = None
    logcdf: Formula | None = None
    logsf: Formula | None = None
    below: Formula | None = None
    above: Formula | None = None
    support: Callable[..., tuple[Any, Any]] | None = None
    integers: tuple[str, ...] = ()
    no_shapes: str = "no formula with its derivative in this shape is known here"

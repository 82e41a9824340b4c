"""What is known of a distribution: formulas of its standard form. They are data; `_rules` makes derivatives of them.

A formula takes y = (x - loc) / scale and the shapes, in SciPy's order, as numbers in the support and in the allowed
range. It is written in the names of `hostwrap.special`, so the tests run the same text on mpmath's numbers.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

Formula = Callable[..., Any]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Law:
    """A continuous distribution.

    `cdf` and `sf` have each all digits where they are small. One may be left out, where the other is exact
    everywhere. `logcdf` and `logsf` are given where probabilities underflow and SciPy's logarithms do not.
    `below` and `above` are the probabilities by quadrature, for a law whose `cdf` and `sf` are differences without the
    digits of a small one, but with exact derivatives.
    `support` is given where it depends on the shapes; else it is SciPy's. `no_shapes` says of a distribution
    without `cdf` why there is no derivative of its probabilities in its shapes. Without `logpdf` the density is
    SciPy's, in which nothing can be differentiated. `nested` says that the density is an integral itself: integrals
    of it, as moments are, would take minutes. `turn` has the ends between which moments of a law on a circle are taken.
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
    """A distribution on integers; formulas as those of `Law`, those of probabilities at integers."""

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

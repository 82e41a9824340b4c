"""Compiled functions of SciPy, written in NumPy."""

from hostwrap._tracing.compiled import (
    densities,
    filters,
    fits,
    formats,
    grids,
    lapack,
    lists,
    neighbours,
    peaks,
    pixels,
    python,
    sparse,
    splines,
    statistics,
)
from hostwrap._tracing.compiled.table import KINDS, in_numpy, is_compiled

AROUND = lists.AROUND | splines.AROUND

__all__ = [
    "AROUND",
    "KINDS",
    "densities",
    "filters",
    "fits",
    "formats",
    "grids",
    "in_numpy",
    "is_compiled",
    "lapack",
    "lists",
    "neighbours",
    "peaks",
    "pixels",
    "python",
    "sparse",
    "splines",
    "statistics",
]

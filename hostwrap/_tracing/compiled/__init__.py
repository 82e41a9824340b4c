"""What compiled functions of SciPy compute, in NumPy."""

from hostwrap._tracing.compiled import (
    densities,
    filters,
    formats,
    grids,
    lapack,
    neighbours,
    peaks,
    python,
    sparse,
    splines,
)
from hostwrap._tracing.compiled.table import KINDS, in_numpy, is_compiled

__all__ = [
    "KINDS",
    "densities",
    "filters",
    "formats",
    "grids",
    "in_numpy",
    "is_compiled",
    "lapack",
    "neighbours",
    "peaks",
    "python",
    "sparse",
    "splines",
]

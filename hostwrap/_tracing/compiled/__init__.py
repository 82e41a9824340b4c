"""What compiled functions of SciPy compute, in NumPy."""

from hostwrap._tracing.compiled import densities, filters, grids, lapack, python, sparse, splines
from hostwrap._tracing.compiled.table import in_numpy, is_compiled

__all__ = [
    "densities",
    "filters",
    "grids",
    "in_numpy",
    "is_compiled",
    "lapack",
    "python",
    "sparse",
    "splines",
]

"""`scipy.spatial`, differentiable in the points: SciPy finds which of them are neighbours or corners.

Results of single precision arguments are single precision, and integers are converted to floating-point numbers.
Shapes that do not fit raise `SignatureError`. If SciPy refuses an argument, its own error is raised; inside a compiled
program this is a `HostCallError`.
"""

from typing import TYPE_CHECKING

from hostwrap._recipes.elsewhere import elsewhere
from hostwrap.spatial import distance, transform
from hostwrap.spatial._cells import HalfspaceIntersection, Voronoi
from hostwrap.spatial._hulls import ConvexHull, Delaunay
from hostwrap.spatial._matching import procrustes
from hostwrap.spatial._trees import KDTree

__all__ = [
    "ConvexHull",
    "Delaunay",
    "HalfspaceIntersection",
    "KDTree",
    "Voronoi",
    "distance",
    "procrustes",
    "transform",
]


def __dir__() -> list[str]:
    """What completion shows."""
    return sorted(__all__)


if not TYPE_CHECKING:  # to checkers such a name is an error
    __getattr__ = elsewhere(__name__, __all__)

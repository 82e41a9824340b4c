"""`scipy.ndimage`, differentiable: filters, in the image and their weights; interpolation, in the image and the places.

Values are SciPy's. `output` is no argument here, for a JAX function returns what it makes.
"""

from hostwrap.ndimage._filters import (
    convolve,
    convolve1d,
    correlate,
    correlate1d,
    gaussian_filter,
    gaussian_filter1d,
    gaussian_laplace,
    laplace,
    prewitt,
    sobel,
    uniform_filter,
    uniform_filter1d,
)
from hostwrap.ndimage._grids import (
    affine_transform,
    rotate,
    shift,
    zoom,
)
from hostwrap.ndimage._splines import (
    map_coordinates,
    spline_filter,
    spline_filter1d,
)

__all__ = [
    "affine_transform",
    "convolve",
    "convolve1d",
    "correlate",
    "correlate1d",
    "gaussian_filter",
    "gaussian_filter1d",
    "gaussian_laplace",
    "laplace",
    "map_coordinates",
    "prewitt",
    "rotate",
    "shift",
    "sobel",
    "spline_filter",
    "spline_filter1d",
    "uniform_filter",
    "uniform_filter1d",
    "zoom",
]


def __dir__() -> list[str]:
    """What completion shows."""
    return sorted(__all__)

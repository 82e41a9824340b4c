"""`scipy.ndimage`, differentiable: filters in image and weights, interpolation in image and coordinates.

Values are SciPy's. The functions have no argument `output`, because a JAX function returns its result.

Results of single precision arguments are single precision (computed in double precision). Integers are converted to
floating-point numbers, and complex images work if SciPy accepts them. Shapes that do not fit raise `SignatureError`. If
SciPy refuses an argument, its own error is raised; inside a compiled program this is a `HostCallError`, which
`hostwrap.last_error()` returns.
"""

from typing import TYPE_CHECKING

from hostwrap._recipes.elsewhere import elsewhere
from hostwrap.ndimage._callables import generic_filter, geometric_transform
from hostwrap.ndimage._distances import distance_transform_bf, distance_transform_edt
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
from hostwrap.ndimage._fourier import (
    fourier_ellipsoid,
    fourier_gaussian,
    fourier_shift,
    fourier_uniform,
)
from hostwrap.ndimage._grids import (
    affine_transform,
    rotate,
    shift,
    zoom,
)
from hostwrap.ndimage._places import map_coordinates
from hostwrap.ndimage._ranks import (
    black_tophat,
    grey_closing,
    grey_dilation,
    grey_erosion,
    grey_opening,
    maximum_filter,
    maximum_filter1d,
    median_filter,
    minimum_filter,
    minimum_filter1d,
    morphological_gradient,
    morphological_laplace,
    percentile_filter,
    rank_filter,
    white_tophat,
)
from hostwrap.ndimage._splines import spline_filter, spline_filter1d

__all__ = [
    "affine_transform",
    "black_tophat",
    "convolve",
    "convolve1d",
    "correlate",
    "correlate1d",
    "distance_transform_bf",
    "distance_transform_edt",
    "fourier_ellipsoid",
    "fourier_gaussian",
    "fourier_shift",
    "fourier_uniform",
    "gaussian_filter",
    "gaussian_filter1d",
    "gaussian_laplace",
    "generic_filter",
    "geometric_transform",
    "grey_closing",
    "grey_dilation",
    "grey_erosion",
    "grey_opening",
    "laplace",
    "map_coordinates",
    "maximum_filter",
    "maximum_filter1d",
    "median_filter",
    "minimum_filter",
    "minimum_filter1d",
    "morphological_gradient",
    "morphological_laplace",
    "percentile_filter",
    "prewitt",
    "rank_filter",
    "rotate",
    "shift",
    "sobel",
    "spline_filter",
    "spline_filter1d",
    "uniform_filter",
    "uniform_filter1d",
    "white_tophat",
    "zoom",
]


def __dir__() -> list[str]:
    """What completion shows."""
    return sorted(__all__)


if not TYPE_CHECKING:  # to checkers such a name is an error
    __getattr__ = elsewhere(__name__, __all__)

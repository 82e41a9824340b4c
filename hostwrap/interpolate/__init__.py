"""`scipy.interpolate`, differentiable in the places, the data and the sites of the data.

A spline is evaluated in JAX; its coefficients solve a banded system on the host. What is made is a pytree: it can be an
argument and a result of a transformed function.

Single precision stays single (it is computed in double), integers count as floating-point numbers, and complex ones
work where SciPy takes them. Shapes that do not fit raise `SignatureError`. What SciPy refuses raises SciPy's own error;
inside a compiled program that is `HostCallError`, which `hostwrap.last_error()` returns.
"""

from typing import TYPE_CHECKING

from hostwrap._recipes.elsewhere import elsewhere
from hostwrap._recipes.pieces import (
    Akima1DInterpolator,
    CubicHermiteSpline,
    CubicSpline,
    PchipInterpolator,
)
from hostwrap._recipes.polynomials import PPoly
from hostwrap.interpolate._bsplines import BSpline, make_interp_spline
from hostwrap.interpolate._clough import CloughTocher2DInterpolator
from hostwrap.interpolate._curves import insert, make_splprep, spalde, splprep, sproot
from hostwrap.interpolate._fitted import (
    FittedSpline,
    InterpolatedUnivariateSpline,
    LSQUnivariateSpline,
    make_lsq_spline,
)
from hostwrap.interpolate._one_axis import interp1d
from hostwrap.interpolate._polynomials import BarycentricInterpolator, BPoly, NdPPoly, barycentric_interpolate
from hostwrap.interpolate._radial import RBFInterpolator
from hostwrap.interpolate._rational import AAA
from hostwrap.interpolate._smoothed import (
    UnivariateSpline,
    make_splrep,
    splantider,
    splder,
    splev,
    splint,
    splrep,
)
from hostwrap.interpolate._smoothing import make_smoothing_spline
from hostwrap.interpolate._spheres import LSQSphereBivariateSpline, RectSphereBivariateSpline
from hostwrap.interpolate._surfaces import LSQBivariateSpline
from hostwrap.interpolate._tensors import RectBivariateSpline, RegularGridInterpolator, interpn
from hostwrap.interpolate._triangles import LinearNDInterpolator, griddata

__all__ = [
    "AAA",
    "Akima1DInterpolator",
    "BPoly",
    "BSpline",
    "BarycentricInterpolator",
    "CloughTocher2DInterpolator",
    "CubicHermiteSpline",
    "CubicSpline",
    "FittedSpline",
    "InterpolatedUnivariateSpline",
    "LSQBivariateSpline",
    "LSQSphereBivariateSpline",
    "LSQUnivariateSpline",
    "LinearNDInterpolator",
    "NdPPoly",
    "PPoly",
    "PchipInterpolator",
    "RBFInterpolator",
    "RectBivariateSpline",
    "RectSphereBivariateSpline",
    "RegularGridInterpolator",
    "UnivariateSpline",
    "barycentric_interpolate",
    "griddata",
    "insert",
    "interp1d",
    "interpn",
    "make_interp_spline",
    "make_lsq_spline",
    "make_smoothing_spline",
    "make_splprep",
    "make_splrep",
    "spalde",
    "splantider",
    "splder",
    "splev",
    "splint",
    "splprep",
    "splrep",
    "sproot",
]


def __dir__() -> list[str]:
    """What completion shows."""
    return sorted(__all__)


if not TYPE_CHECKING:  # to checkers such a name is an error
    __getattr__ = elsewhere(__name__, __all__)

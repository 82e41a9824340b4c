"""d^n/dv^n of J_v(z) and Y_v(z), n = 1, 2, 3, ...

On the negative axis real values exist for integer v only, so there is no derivative in v: it is NaN. Each
method below gives a jet, the derivatives 0..n, for v >= 0 and x > 0; DLMF 10.4.6 leads to v < 0.
"""

import numpy as np
import scipy.special as sc

from hostwrap.special.kernels._pointwise import piecewise, piecewise_jets, pointwise
from hostwrap.special.kernels.bessel import _contours, _schlaefli, _series, complex_argument
from hostwrap.special.kernels.bessel._reflection import along_cosine, along_sine, minimal_at_zero, y_at_zero

MODERATE = 25.0  # up to here Schlaefli's integrals serve
PHASE = 1.5  # from here on the two saddle points are so far apart that each has its own path


def jv_order(v, z, *, n):
    return complex_argument.jv_order(v, z, n=n) if np.iscomplexobj(z) else _real_j(v, z, n=n)


def yv_order(v, z, *, n):
    return complex_argument.yv_order(v, z, n=n) if np.iscomplexobj(z) else _real_y(v, z, n=n)


@pointwise
def _real_j(v, x, *, n):
    cases = [
        (~np.isfinite(v + x), lambda v, x: 0 * sc.jv(v, x)),
        (x == 0, lambda v, x: minimal_at_zero(v, n)),
        ((x > 0) & (v >= 0), lambda v, x: j_jet(v, x, n)[n]),
        (x > 0, lambda v, x: (-1) ** n * _j_reflected(-v, x, n)),
    ]
    return piecewise([v, x], cases)


@pointwise
def _real_y(v, x, *, n):
    cases = [
        (~np.isfinite(v + x), lambda v, x: 0 * sc.yv(v, x)),
        (x == 0, lambda v, x: y_at_zero(v, n)),
        ((x > 0) & (v >= 0), lambda v, x: y_jet(v, x, n)[n]),
        (x > 0, lambda v, x: (-1) ** n * _y_reflected(-v, x, n)),
    ]
    return piecewise([v, x], cases)


def _j_reflected(a, x, n):
    return (along_cosine(a, j_jet(a, x, n)) - along_sine(a, y_jet(a, x, n)))[n]


def _y_reflected(a, x, n):
    return (along_sine(a, j_jet(a, x, n)) + along_cosine(a, y_jet(a, x, n)))[n]


def j_jet(v, x, n):
    phase = _phase(v, x)
    cases = [
        (x * x < 2 * (v + 1), lambda v, x: sc.jv(v, x) * _series.relative_jet(v, x, n, -1)),
        ((v > x) & (phase > PHASE), lambda v, x: sc.jv(v, x) * _contours.relative_j(v, x, n)),
        (x <= MODERATE, lambda v, x: _schlaefli.j_jet(v, x, n)),
        (phase > PHASE, lambda v, x: _contours.oscillating(v, x, n).real),
        (None, lambda v, x: _contours.transitional(v, x, n).real),
    ]
    return piecewise_jets([v, x], n, cases)


def y_jet(v, x, n):
    phase = _phase(v, x)
    cases = [
        ((v > x) & (v <= MODERATE), lambda v, x: _like(sc.yv(v, x), _schlaefli.scaled_y(v, x, n))),
        ((v > x) & (phase > PHASE), lambda v, x: _like(sc.yv(v, x), _contours.scaled_y(v, x, n))),
        (np.maximum(v, x) <= MODERATE, lambda v, x: _schlaefli.scaled_y(v, x, n)),
        (phase > PHASE, lambda v, x: _contours.oscillating(v, x, n).imag),
        (None, lambda v, x: _contours.transitional(v, x, n).imag),
    ]
    return piecewise_jets([v, x], n, cases)


def _like(value, jet):
    """The multiple of a jet that starts with `value`."""
    return value * (jet / jet[0])


def _phase(v, x):
    """|int_x^v sqrt(|v^2 - t^2|) / t dt|: half the difference of the exponent between the saddle points."""
    inside = x * np.sqrt(np.maximum((x - v) / x * ((x + v) / x), 0)) - v * np.arccos(np.minimum(v / x, 1))
    return np.where(v > x, _contours.saddle(np.maximum(v, x), x)[1], inside)

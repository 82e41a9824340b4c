"""d^n/dv^n of J_v(z), and d^n/dv^n d^m/dz^m of Y_v(z), n = 1, 2, 3, ...

On the negative axis real values exist for integer v only, so there is no derivative in v: it is NaN. Each
method below gives a jet, the derivatives 0..n, for v >= 0 and x > 0; DLMF 10.4.6 leads to v < 0.
"""

from math import comb, factorial

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.pointwise import piecewise, piecewise_jets, pointwise, pointwise_rows
from hostwrap.special._numerics.trigpi import cospi_n
from hostwrap.special.bessel import _contours, _miller, _schlaefli, _series, complex_argument
from hostwrap.special.bessel._mixed import by_recurrence, of_minimal
from hostwrap.special.bessel._reflection import along_cosine, along_sine, minimal_at_zero, y_at_zero

MODERATE = 25.0  # up to here Schlaefli's integrals serve
FAR, FARTHEST = 1e12, 1e15  # the rounding of the phase matters; the phase has no digits
NEAR = 1e-3  # orders up to this one, in units of 1/log(z), are next to 0
TERMS = 5  # terms of the Taylor series there
PHASE = 1.5  # from here on the two saddle points are so far apart that each has its own path


def jv_order(v, z, n):
    if n == 0:
        return sc.jv(v, z)
    return complex_argument.jv_order(v, z, n=n) if np.iscomplexobj(z) else _real_j(v, z, n=n)


def yv_order(v, z, *, n, m=0):
    return _mixed_y(v, z, n=n, m=m) if m else _y_in_order(v, z, n)


def _y_in_order(v, z, n):
    if n == 0:
        return sc.yv(v, z)
    return complex_argument.yv_order(v, z, n=n) if np.iscomplexobj(z) else _real_y(v, z, n=n)


@pointwise_rows(2)
def jv_slopes(v, x):
    """The derivatives of J in v and in x, real x."""
    return piecewise_jets([v, x], 1, [(_miller.is_near(v, x) & (v >= 0), _miller.slopes), (None, _slopes)])


def _slopes(v, x):
    small = (np.abs(v) < 0.5) & (x != 0)  # there v - 1 has lost the digits of v on which J_{v-1} depends
    j, above, nonzero = sc.jv(v, x), sc.jv(v + 1, x), np.where(x == 0, 1.0, x)
    slope = np.where(small, v / nonzero * j - above, (sc.jv(v - 1, x) - above) / 2)
    return jv_order(v, x, n=1), np.where(np.isinf(j), -j, slope)


@pointwise
def _mixed_y(v, z, *, n, m):
    steepness = np.maximum(np.abs(np.log(z)), 1)  # of Y in v next to v = 0
    near = (np.abs(v) * steepness < NEAR) & np.isfinite(z) & (n % 2 == 1)
    return piecewise(
        [v, z],
        [
            (near, lambda v, z: _y_next_to_zero(v, z, n, m)),
            (None, lambda v, z: by_recurrence(_y_in_order, -1, v, z, n, m)),
        ],
    )


def _y_next_to_zero(v, z, n, m):
    """The Taylor series in v. The odd part of Y is far smaller than the even part, so the recurrence would cancel."""
    jet = _y_at_order_zero(z, n + TERMS - 1, m)
    return sum(v**k / factorial(k) * jet[n + k] for k in range(TERMS))


def _y_at_order_zero(z, n, m):
    """Odd derivatives from those of Y_{-v} = sin(pi v) J_v + cos(pi v) Y_v, DLMF 10.4.6."""
    zero, jet = np.zeros(z.shape), []
    for k in range(n + 1):
        if k % 2 == 0:
            jet.append(by_recurrence(_y_in_order, -1, zero, z, k, m))
            continue
        odd = sum(
            comb(k, r) * np.pi**r * (-1) ** (r // 2)
            * (of_minimal(jv_order, -1, zero, z, k - r, m) if r % 2 else jet[k - r])
            for r in range(1, k + 1)
        )  # fmt: skip
        jet.append(-odd / 2)
    return jet


@pointwise
def _real_j(v, x, *, n):
    cases = [
        (~np.isfinite(v + x), lambda v, x: 0 * sc.jv(v, x)),
        (x == 0, lambda v, x: minimal_at_zero(v, n)),
        (_miller.is_near(v, x) & (n == 1), _miller.in_order),
        (_is_far(v, x), lambda v, x: _far_out(v, x, n).real),
        (x > FARTHEST, lambda v, x: np.nan),
        (x > 0, lambda v, x: _of_any_order(v, x, j_jet(np.abs(v), x, n), _j_reflected)),
    ]
    return piecewise([v, x], cases)


@pointwise
def _real_y(v, x, *, n):
    cases = [
        (~np.isfinite(v + x), lambda v, x: 0 * sc.yv(v, x)),
        (x == 0, lambda v, x: y_at_zero(v, n)),
        (_is_far(v, x), lambda v, x: _far_out(v, x, n).imag),
        (x > FARTHEST, lambda v, x: np.nan),
        (x > 0, lambda v, x: _of_any_order(v, x, y_jet(np.abs(v), x, n), _y_reflected)),
    ]
    return piecewise([v, x], cases)


def _is_far(v, x):
    """Where two terms of the expansion have all digits."""
    return (x > FAR) & (v * v < 0.01 * x)


def _far_out(v, x, n):
    """J + i Y by two terms of DLMF 10.18.17-18. Its sine and cosine are of x itself: the other angles are small."""
    turn = (4 * v * v - 1) / (8 * x)
    wave = (np.cos(x) + 1j * np.sin(x)) * (cospi_n(v / 2 + 0.25) - 1j * cospi_n(v / 2 - 0.25))
    wave = wave * (np.cos(turn) + 1j * np.sin(turn))
    return np.sqrt(2 / np.pi / x) * wave * (1j * (v / x - np.pi / 2)) ** n


def _of_any_order(v, x, jet, reflected):
    """From the jet at |v|: the derivatives of f(-a) in a, by the functions of order a."""
    n = len(jet) - 1
    cases = [
        (v >= 0, lambda v, x, *jet: jet[n]),
        (None, lambda v, x, *jet: (-1) ** n * reflected(-v, x, jet, n)),
    ]
    return piecewise([v, x, *jet], cases)


def _j_reflected(a, x, jet, n):
    return along_cosine(a, jet)[n] - along_sine(a, y_jet(a, x, n))[n]


def _y_reflected(a, x, jet, n):
    return along_sine(a, j_jet(a, x, n))[n] + along_cosine(a, jet)[n]


def j_jet(v, x, n):
    phase = _phase(v, x)
    cases = [
        (x * x < 2 * (v + 1), lambda v, x: _multiple(sc.jv(v, x), _series.relative_jet(v, x, n, -1))),
        ((v > x) & (phase > PHASE), lambda v, x: _multiple(sc.jv(v, x), _contours.relative_j(v, x, n))),
        (x <= MODERATE, lambda v, x: _schlaefli.j_jet(v, x, n)),
        (phase > PHASE, lambda v, x: _contours.oscillating(v, x, n)[0]),
        (None, lambda v, x: _contours.transitional(v, x, n)[0]),
    ]
    return piecewise_jets([v, x], n, cases)


def y_jet(v, x, n):
    phase = _phase(v, x)
    cases = [
        ((v > x) & (v <= MODERATE), lambda v, x: _like(sc.yv(v, x), _schlaefli.scaled_y(v, x, n))),
        ((v > x) & (phase > PHASE), lambda v, x: _like(sc.yv(v, x), _contours.scaled_y(v, x, n))),
        (np.maximum(v, x) <= MODERATE, lambda v, x: _schlaefli.scaled_y(v, x, n)),
        (phase > PHASE, lambda v, x: _contours.oscillating(v, x, n)[1]),
        (None, lambda v, x: _contours.transitional(v, x, n)[1]),
    ]
    return piecewise_jets([v, x], n, cases)


def _like(value, jet):
    """The multiple of a jet that starts with `value`."""
    return _multiple(value, [f / jet[0] for f in jet])


def _multiple(value, jet):
    return np.stack([value * f for f in jet])


def _phase(v, x):
    """|int_x^v sqrt(|v^2 - t^2|) / t dt|: half the difference of the exponent between the saddle points."""
    inside = x * np.sqrt(np.maximum((x - v) / x * ((x + v) / x), 0)) - v * np.arccos(np.minimum(v / x, 1))
    return np.where(v > x, _contours.saddle(np.maximum(v, x), x)[1], inside)

"""Jets in v of complex Bessel functions where K and I are doubles but their scaled forms are not.

For orders in the hundreds and above, e^w K_v(w) or e^-w I_v(w), Re w >= 0, may overflow or underflow where K_v(w) and
I_v(w) do not. There the values of K and I are SciPy's. Their relative derivatives come from the recurrences, in which
the size does not matter. The connection formulas are those of `complex_argument`, for v >= 0 and Im z >= 0.
"""

import numpy as np
from scipy.special import iv, kv

from hostwrap.special._numerics.jets import cosine, phase, sine, times
from hostwrap.special._numerics.pointwise import places
from hostwrap.special.bessel import _macdonald, _neumann

FROM = 50.0  # the least order
LEAST = 1e-290  # a scaled function below it may be subnormal and has lost digits


def lost(v, scaled):
    """Where the scaled functions may have left the range of doubles."""
    return (np.abs(v) > FROM) & ~(np.isfinite(scaled) & (np.abs(scaled) >= LEAST))


def mended(result, scaled, v, z, method):
    """`method(v, z)` where it is finite and the scaled functions are unreliable, elsewhere `result`."""
    here = places(lost(v, scaled) & np.isfinite(v + z) & (z != 0))
    if here.size:
        with np.errstate(all="ignore"):
            better = method(v[here], z[here])
        result = np.array(result, complex)
        result[here] = np.where(np.isfinite(better), better, result[here])
    return result


def _times_value(value, relative):
    return np.where(value == 0, 0.0, value * relative)


def _i_right(v, w, n):
    return _times_value(iv(v, w), _neumann.relative_i(v, w, n))


def _k_right(v, w, n):
    return _times_value(kv(v, w), _macdonald.relative(v, w, n))


def k(v, z, n):
    """K_v(z), DLMF 10.34.2."""
    left = z.real < 0
    w = np.where(left, -z, z)
    right = _k_right(v, w, n)
    return np.where(left, times(phase(-1, v, n), right) - np.pi * 1j * _i_right(v, w, n), right)


def i(v, z, n):
    """I_v(z), DLMF 10.34.1."""
    left = z.real < 0
    right = _i_right(v, np.where(left, -z, z), n)
    return np.where(left, times(phase(1, v, n), right), right)


def i_reflected(a, z, n):
    """I_{-a}, DLMF 10.27.2."""
    return i(a, z, n) + 2 / np.pi * times(sine(a, n), k(a, z, n))


def j(v, z, n):
    """J_v(z), DLMF 10.27.6."""
    return times(phase(0.5, v, n), _i_right(v, -1j * z, n))


def h1(v, z, n):
    """H1_v(z), DLMF 10.27.8."""
    return -2j / np.pi * times(phase(-0.5, v, n), _k_right(v, -1j * z, n))


def h2(v, z, n):
    """H2_v(z), DLMF 10.4.3."""
    return 2 * j(v, z, n) - h1(v, z, n)


def y(v, z, n):
    """Y_v(z), DLMF 10.4.3."""
    return 1j * (j(v, z, n) - h1(v, z, n))


def j_reflected(a, z, n):
    """J_{-a}, DLMF 10.4.7."""
    return times(cosine(a, n), j(a, z, n)) - times(sine(a, n), y(a, z, n))


def y_reflected(a, z, n):
    """Y_{-a}, DLMF 10.4.7."""
    return times(sine(a, n), j(a, z, n)) + times(cosine(a, n), y(a, z, n))

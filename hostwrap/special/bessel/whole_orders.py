"""d^n/dx^n of e^x K_0(x) and e^x K_1(x), n = 1, 2, 3, ... SciPy's k0e and k1e cost a tenth of K_v."""

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.pointwise import LARGE_CHUNK, in_chunks, piecewise
from hostwrap.special._numerics.until import until
from hostwrap.special.bessel.scaled import kve_n

NEAR = 0.5  # up to here the recurrence loses less than a factor 4
FAR = 1e8  # beyond, two terms of Hankel's expansion have all digits, and SciPy's kve ends
MOST_TURNS = 200  # 109 serve at x = NEAR, and fewer farther out
NEGLIGIBLE = 1e-17


@in_chunks(LARGE_CHUNK)
def whole_kve_n(x, *, v, n):
    cases = [
        ((x > 0) & (x < NEAR) & (n == 1), lambda x: _by_recurrence(v, x)),
        ((x >= NEAR) & (x <= FAR) & (n == 1), lambda x: _value(v, x) * relative_slope(v, x)),
        (x > FAR, lambda x: _far_out(v, x, n)),
        (None, lambda x: kve_n(np.full_like(x, v), x, dv=0, dz=n)),
    ]
    return piecewise([x], cases)


def _value(v, x):
    return sc.k1e(x) if v else sc.k0e(x)


def _by_recurrence(v, x):
    """DLMF 10.29.3."""
    k0, k1 = sc.k0e(x), sc.k1e(x)
    return k1 - k0 - k1 / x if v else k0 - k1


def _far_out(v, x, n):
    """Hankel's expansion (DLMF 10.40.2), differentiated term by term."""
    factor = np.prod(np.arange(n) + 0.5)
    return _value(v, x) * (factor / (-x) ** n) * (1 + n * (4 * v * v - 1) / (4 * x))


def relative_slope(v, x):
    """d/dx log(e^x K_v(x)), x >= 1/2, by Steed's algorithm for Temme's continued fraction, and without the 1 and the
    K'/K that cancel. Thompson and Barnett, Computer Physics Communications 47 (1987), 245-257."""
    start = v * v - 0.25
    b = 2 * (1 + x)
    d = 1 / b

    def converge(k, a, b, d, change, total):
        a, b = a - 2 * (k + 1), b + 2
        d = 1 / (b + a * d)
        change = (b * d - 1) * change
        total = total + change
        return a, b, d, change, total, np.abs(change) > NEGLIGIBLE * total

    *_, total = until(converge, [start + 0 * x, b, d, d, d], [], MOST_TURNS)
    return -(0.5 + start * total) / x

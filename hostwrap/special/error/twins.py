"""Kernels of this folder in JAX operations, for derivatives that XLA computes. Same accuracy, same NaNs."""

import math

from jax.lax import erf

from hostwrap._table.words import HIGHEST, LOWEST, exp_in_range
from hostwrap.special._math import abs, log, maximum, minimum, nan, shortened, sign, sqrt, where
from hostwrap.special._numerics.polynomials import polynomial

SMALLEST = 2.0**-1022  # normal number
SQRT_2PI, SQRT_HALF, SQRT_PI = math.sqrt(2 * math.pi), math.sqrt(0.5), math.sqrt(math.pi)
# (1 + 2 t) erfcx(t) in powers of (t - 7/2) / (t + 7/2), from its Chebyshev series (Shepherd and Laframboise 1981, Math.
# Comp. 36, 249): all t >= 0, to 1e-17.
ERFCX = (
    1.2423492448711544,
    -0.1400091801376197,
    -0.010555596332218569,
    0.09751909515328706,
    -0.11508959816017852,
    0.08798315382403678,
    -0.04882332582812556,
    0.019099330953271165,
    -0.004215019906373612,
    -0.0003022679534333239,
    0.000564384418191686,
    -0.00012151212091980101,
    -4.278228563287069e-05,
    2.4260300984917994e-05,
    2.328626178388271e-06,
    -3.814012584490695e-06,
    -4.5143146280953446e-08,
    6.014823849950426e-07,
    -6.466973089768061e-09,
    -9.64004253144383e-08,
    -7.57017975707362e-10,
    1.3624442778701048e-08,
    6.021972015439118e-10,
    -1.1656687889203665e-09,
    -9.029888342508032e-11,
)

# The normal quantile (Wichura 1988, algorithm AS 241, Applied Statistics 37, 477): numerators and denominators of
# rational functions for probabilities next to 1/2, for r = sqrt(-log p) <= 5, and beyond; to 5e-16.
CENTRE, NEAR, TURN = 0.425, 1.6, 5.0
QUANTILE = (
    ((
        3.3871328727963665, 133.14166789178438, 1971.5909503065513, 13731.69376550946, 45921.95393154987,
        67265.7709270087, 33430.57558358813, 2509.0809287301227,
    ), (
        1.0, 42.31333070160091, 687.1870074920579, 5394.196021424751, 21213.794301586597, 39307.89580009271,
        28729.085735721943, 5226.495278852855,
    )),
    ((
        1.4234371107496835, 4.630337846156546, 5.769497221460691, 3.6478483247632045, 1.2704582524523684,
        0.2417807251774506, 0.022723844989269184, 0.0007745450142783414,
    ), (
        1.0, 2.053191626637759, 1.6763848301838038, 0.6897673349851, 0.14810397642748008,
        0.015198666563616457, 0.0005475938084995345, 1.0507500716444169e-09,
    )),
    ((
        6.657904643501103, 5.463784911164114, 1.7848265399172913, 0.29656057182850487, 0.026532189526576124,
        0.0012426609473880784, 2.7115555687434876e-05, 2.0103343992922881e-07,
    ), (
        1.0, 0.5998322065558879, 0.1369298809227358, 0.014875361290850615, 0.0007868691311456133,
        1.8463183175100548e-05, 1.421511758316446e-07, 2.0442631033899397e-15,
    )),
)  # fmt: skip


__all__ = ["erf"]


def gaussian(z, *, c, n):
    """exp(c z^2 / 2). z is split into a head, whose square is exact, and a rest."""
    gone = math.sqrt(2 / c * (LOWEST if c < 0 else HIGHEST))
    size = where(abs(z) > gone, gone, abs(z))
    head = shortened(size, 26)  # the square has 52 bits
    modulus = exp_in_range(c / 2 * (head * head), c / 2 * (size - head) * (size + head))
    if n == 0:
        return modulus
    z = sign(z) * size
    terms = [modulus, c * z * modulus]
    for k in range(1, n):
        terms.append(c * (z * terms[k] + k * terms[k - 1]))
    return terms[n]


def erfcx(t):
    """erfcx(t) for t >= 0."""
    s = (minimum(t, 1e300) - 3.5) / (minimum(t, 1e300) + 3.5)
    return polynomial(ERFCX, s) / (1 + 2 * t)


def erfc(x):
    tail = gaussian(x, c=-2, n=0) * erfcx(abs(x))
    return where(x < 0, 2 - tail, tail)


def ndtr(x):
    tail = gaussian(x, c=-1, n=0) * erfcx(SQRT_HALF * abs(x)) / 2
    return where(x > 0, 1 - tail, tail)


def log_ndtr_n(x, *, dx):
    """Mills' ratio of |x|, and on the right the distribution function from it."""
    if dx > 1:
        raise NotImplementedError
    ratio = erfcx(SQRT_HALF * abs(x))
    density = gaussian(x, c=-1, n=0)
    return 2 / SQRT_2PI * where(x < 0, 1 / ratio, density / (2 - density * ratio))


def ndtri_n(p, *, dy):
    return SQRT_2PI / 2 * growth(minimum(p, 1 - p), abs(p - 0.5), dy)


def scaled_quantile_n(p, factor, *, n, reciprocal):
    if reciprocal or n != 1:
        raise NotImplementedError
    return factor * ndtri_n(p, dy=1)


def erfinv_n(p, *, dy):
    return SQRT_PI / 4 * growth((1 - abs(p)) / 2, abs(p) / 2, dy)


def erfcinv_n(p, *, dy):
    return -SQRT_PI / 4 * growth(minimum(p, 2 - p) / 2, abs(p - 1) / 2, dy)


def growth(tail, middle, n):
    """2 exp(x^2 / 2), where x is the quantile of a tail of at most 1/2; `middle` is 1/2 less the tail."""
    if n > 1:
        raise NotImplementedError
    root = sqrt(-log(maximum(tail, SMALLEST)))
    central, far = middle <= CENTRE, root > TURN
    s = where(central, (CENTRE - middle) * (CENTRE + middle), root - where(far, TURN, NEAR))
    above, below = (
        polynomial([where(central, a, where(far, c, b)) for a, b, c in zip(*rows, strict=True)], s)
        for rows in zip(*QUANTILE, strict=True)
    )
    x = where(central, middle, 1.0) * above / below
    return where(tail < 0, nan, erfcx(SQRT_HALF * x) / tail)

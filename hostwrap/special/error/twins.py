"""Kernels of this folder in operations of JAX, for derivatives that XLA computes: as accurate, with the same NaNs."""

import math

from hostwrap.special._math import abs, exp, maximum, minimum, rounded, where

GONE = 64.0  # exp(-GONE^2 / 2) is zero
SQRT_2PI, SQRT_HALF = math.sqrt(2 * math.pi), math.sqrt(0.5)
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


def gaussian(z, *, c, n):
    """exp(c z^2 / 2): the head of z, which has a square without rounding error, and the rest."""
    z = minimum(maximum(z, -GONE), GONE)
    head = rounded(z, 26)  # the square has 52 bits
    rest = c / 2 * (z - head) * (z + head)  # at most 2^-26 GONE^2
    modulus = exp(c / 2 * (head * head)) * (1 + rest * (1 + rest * (1 / 2 + rest * (1 / 6))))
    terms = [modulus, c * z * modulus]
    for k in range(1, n):
        terms.append(c * (z * terms[k] + k * terms[k - 1]))
    return terms[n]


def erfcx(t):
    """Of t >= 0."""
    s = (minimum(t, 1e300) - 3.5) / (minimum(t, 1e300) + 3.5)
    total = ERFCX[-1]
    for a in ERFCX[-2::-1]:
        total = total * s + a
    return total / (1 + 2 * t)


def log_ndtr_n(x, *, dx):
    """Mills' ratio of |x|, and on the right the distribution function from it."""
    if dx > 1:
        raise NotImplementedError
    ratio = erfcx(SQRT_HALF * abs(x))
    density = gaussian(x, c=-1, n=0)
    return 2 / SQRT_2PI * where(x < 0, 1 / ratio, density / (2 - density * ratio))

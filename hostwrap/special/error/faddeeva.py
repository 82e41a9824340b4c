"""n-th derivatives of the Faddeeva function w(z) = exp(-z^2) erfc(-iz) and of its real relatives, n = 0, 1, 2, ...

The recurrence y_{k+1} = -2 (z y_k + k y_{k-1}) (DLMF 7.10.3) loses a factor 2 |z|^2 with every order, so it serves
near the origin only. Elsewhere the trapezoidal rule for w(z) = (i/pi) int exp(-t^2) / (z - t) dt (DLMF 7.7.2) is
differentiated: with step h its error is exp(-pi^2/h^2), uniformly in z, once the pole next to the path is accounted
for by exp(-z^2) (1 + i tan(pi z/h)) (Matta and Reichel 1971, Math. Comp. 25, 339; Hunter and Regan 1972, ibid. 26,
539). There are two grids, with nodes at k h or at (k + 1/2) h; each point uses the grid whose nodes are farther away.
Far from the origin all terms that matter have the same sign, and a small imaginary part has its own full relative
accuracy.
"""

import functools
import math

import numpy as np
import scipy.special as sc
from numpy.polynomial import Polynomial
from numpy.polynomial.polynomial import polyval

from hostwrap.special._numerics.parts import as_complex, compose
from hostwrap.special._numerics.pointwise import piecewise, pointwise
from hostwrap.special.error import contours
from hostwrap.special.error.gauss import clipped, damped, gaussian, gaussian_terms

STEP = 15 / 32
FINE = 1 / 8  # with this step, the pole at z = i x, x >= 1, weighs exp(x^2 - 16 pi x) < 1e-21
NODES = 16  # on either side; exp(-t^2) < 1e-23 beyond
BIG = 1e150  # its square is finite
GONE = 1e15  # part of z, from which on exp(-z^2), or what it is multiplied by, is 0
SQRT_PI = math.sqrt(math.pi)


def wofz_n(z, *, dz):
    return _wofz_n(as_complex(z), n=dz)


@pointwise
def _wofz_n(z, *, n):
    """w^(n). Where z^2 overflows, by the first term of the expansion (DLMF 7.12.1); below the axis from w(-z)."""

    def beyond(z):
        below = z.imag < 0
        wave = np.where(below, 2 * gaussian(clipped(z, BIG), c=-2, n=n), 0.0)
        return wave + 1j * _leading(z, n)

    return piecewise(
        [z], [(_is_beyond(z), beyond), (None, lambda z: scaled_wofz(z, np.ones_like(z.real), n))]
    )


def _is_beyond(z):
    size = np.maximum(np.abs(z.real), np.abs(z.imag))
    return (size > BIG) & np.isfinite(size)


def _leading(z, n):
    """The n-th derivative of 1 / (sqrt(pi) z)."""
    inverse = 1 / z
    power = inverse
    for k in range(n):
        power = power * (-(k + 1) * inverse)
    return power / SQRT_PI


@pointwise
def erfcx_n(z, *, dx):
    """erfcx(z) = w(iz)."""
    if np.iscomplexobj(z):
        return 1j**dx * _wofz_n(compose(-z.imag, z.real), n=dx)
    return piecewise(
        [z],
        [
            (z < -6, lambda x: 2 * gaussian(x, c=2, n=dx)),  # erfcx(6) / exp(36) < eps
            (z < 1, lambda x: forward(x, sc.erfcx(x), -2 / SQRT_PI, 2, dx)),
            (np.isposinf(z), np.zeros_like),
            (None, lambda x: _far_erfcx(np.minimum(x, BIG), dx) * np.minimum(BIG / x, 1.0) ** (dx + 1)),
        ],
    )


def _far_erfcx(x, n):
    return _sum_over(FINE, np.arange(52) + 0.5, x, -1.0, n)


@pointwise
def dawsn_n(z, *, dx):
    """Dawson's integral F. It is part of w(z) = exp(-z^2) + 2i/sqrt(pi) F(z), but that difference would cancel."""
    side = np.where(np.imag(z) < 0, -1.0, 1.0)
    return side ** (dx + 1) * piecewise(
        [side * z],
        [
            (np.isinf(np.real(z)), np.zeros_like),
            (_near(z, dx), lambda z: forward(z, sc.dawsn(z), 1, -2, dx)),
            (_is_hard(z, dx), lambda z: contours.dawsn_n(z, dx)),
            (None, lambda z: _dawsn_far(z, dx)),
        ],
    )


def scaled_wofz(zeta, scale, n):
    """d^n/dzeta^n of w(zeta/scale)/scale, for complex zeta and real scale; the scale may be tiny beside zeta."""
    side = np.where(scale < 0, -1.0, 1.0)
    gone = np.isinf(zeta.real) | (side * zeta.imag == np.inf)
    zeta = side * clipped(zeta, BIG)
    return side ** (n + 1) * piecewise(
        [zeta, np.abs(scale)],
        [
            (gone, lambda zeta, scale: np.zeros_like(zeta)),
            (zeta.imag < 0, lambda zeta, scale: _lower(zeta, scale, n)),
            (None, lambda zeta, scale: _upper(zeta, scale, n)),
        ],
    )


def _lower(zeta, scale, n):
    """DLMF 7.4.3: w(z) = 2 exp(-z^2) - w(-z)."""
    wave = 2 * gaussian(_argument(zeta, scale), c=-2, n=n)
    return _divided(wave, scale, n) - (-1) ** n * _upper(-zeta, scale, n)


def _upper(zeta, scale, n):
    z = _argument(zeta, scale)
    cases = [
        (_near(z, n), lambda zeta, scale: _wofz_near(zeta, scale, n)),
        (None, lambda zeta, scale: _wofz_far(zeta, scale, n)),
    ]
    if n >= contours.FIRST:
        cases.insert(1, (_is_hard(z, n), lambda zeta, scale: _wofz_beside(zeta, scale, n)))
    return piecewise([zeta, scale], cases)


def _is_hard(z, n):
    return (z != z) if n < contours.FIRST else contours.is_needed(z + 0j, n, STEP, STEP * (NODES - 1))


def _near(z, n):
    """Where the recurrence is better than the trapezoidal rule, whose nodes are real and h/4 away at least.

    The n-th derivative decreases against other solutions of the recurrence by exp(-2 sqrt(2 n) Im z).
    """
    near = np.real(z) ** 2 + (3 * np.imag(z)) ** 2 < 4.0
    return near if n < contours.FIRST else near & (np.imag(z) ** 2 * n < 1.0)


def _wofz_beside(zeta, scale, n):
    z = _argument(zeta, scale)
    return _divided(contours.wofz_n(z, gaussian(z, c=-2, n=n), n), scale, n)


def _wofz_near(zeta, scale, n):
    z = _argument(zeta, scale)
    return _divided(forward(z, sc.wofz(z), 2j / SQRT_PI, -2, n), scale, n)


def forward(z, value, constant, c, n):
    """The n-th derivative of a solution of y' = c z y + constant, from its value."""
    before, now = value, c * z * value + constant
    if n == 0:
        return before
    for k in range(1, n):
        before, now = now, c * (z * now + k * before)
    return now


def _wofz_far(zeta, scale, n):
    z = _argument(zeta, scale)
    odd, tangent, less_i, square = _cell(z)
    return 1j * (_cauchy(zeta, scale, odd, n) + _divided(_pole(z, less_i, tangent, square, n), scale, n))


def _dawsn_far(z, n):
    odd, tangent, _, square = _cell(z)
    sums = piecewise(
        [z, odd],
        [(_is_beyond(z), lambda z, _: _leading(z, n)), (None, lambda z, odd: _cauchy(z, 1.0, odd, n))],
    )
    return SQRT_PI / 2 * (sums + _pole(z, tangent, tangent, square, n))


def _argument(zeta, scale):
    return clipped(compose(zeta.real / scale, zeta.imag / scale), BIG)


def _divided(y, scale, n):
    """The derivative in zeta of w(zeta/scale)/scale, from that of w(z) in z."""
    return np.where(y == 0, 0.0, y / scale ** (n + 1))


def _cell(z):
    """Whether z uses the nodes k h, not (k + 1/2) h; and tan, tan - i, 1 + tan^2 at pi (z/h - its centre)."""
    halves = 2 * np.real(z) / STEP
    nearest = np.rint(halves)
    odd, phase = nearest % 2 == 1, math.pi / 2 * (halves - nearest)
    if not np.iscomplexobj(z):
        tangent = np.tan(phase)
        return odd, tangent, tangent - 1j, 1 + tangent**2
    wave = np.exp(2j * phase - 2 * math.pi / STEP * z.imag)
    half = np.where(z.imag < math.pi / STEP, 1 / (1 + wave), 0.0)  # 0: no pole beyond this strip
    less_i = -2j * half * wave
    return odd, less_i + 1j, less_i, 2j * half * less_i


def _pole(z, first, tangent, square, n):
    """The n-th derivative of exp(-z^2) (tan(pi z/h) + constant), where `first` is that bracket."""
    modulus, terms = gaussian_terms(clipped(z, GONE), -2, n)  # powers of a larger z would leave the doubles
    total = first * terms[n]
    for j in range(1, n + 1):
        total = total + math.comb(n, j) * (math.pi / STEP) ** j * terms[n - j] * square * polyval(
            tangent, _tangent(j).coef
        )
    return damped(modulus, total)


@functools.lru_cache
def _tangent(j):
    """The polynomial P_j in d^j tan = (1 + tan^2) P_j(tan)."""
    t = Polynomial([0.0, 1.0])
    return Polynomial([1.0]) if j == 1 else 2 * t * _tangent(j - 1) + (1 + t**2) * _tangent(j - 1).deriv()


def _cauchy(zeta, scale, odd, n):
    """The n-th derivative of (h/pi) sum exp(-t^2) / (zeta - scale t) over the nodes t."""
    return piecewise(
        [zeta, scale * scale],
        [
            (odd, lambda zeta, scale2: _sum_over(STEP, np.arange(NODES), zeta, scale2, n)),
            (None, lambda zeta, scale2: _sum_over(STEP, np.arange(NODES) + 0.5, zeta, scale2, n)),
        ],
    )


def _sum_over(step, numbers, zeta, scale2, n):
    """The sum over t = +-step * numbers, given the square of the scale.

    The terms of t and -t are added by Newton's identities for a^m + b^m with a, b = 1 / (zeta -+ scale t). So, next to
    the axes, no large terms cancel around the small part of zeta.
    """
    square, twice, total = zeta * zeta, 2 * zeta, np.zeros_like(zeta)
    for node in step * numbers:
        product = 1 / (square - scale2 * node**2)
        before, now = 2.0, twice * product
        for _ in range(n):
            before, now = now, product * (twice * now - before)
        total = total + (math.exp(-(node**2)) if node else 0.5) * now
    return (-1) ** n * math.factorial(n) * step / math.pi * total

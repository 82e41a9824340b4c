"""Integrals of Bessel, Airy and Struve functions."""

from hostwrap.special._entry import kernel, real, special
from hostwrap.special._known import known
from hostwrap.special._math import exp, inf, sqrt, where
from hostwrap.special.bessel.entries_airy import airy, airye
from hostwrap.special.bessel.entries_integer import i0, j0, k0, y0
from hostwrap.special.integrals import integrands
from hostwrap.special.integrals import mp_bessel as definitions
from hostwrap.special.struve_functions.entries import struve_ratio_n, struve_zero

__all__ = ["it2i0k0", "it2j0y0", "it2struve0", "itairy", "iti0k0", "itj0y0", "itmodstruve0", "itstruve0"]


def over(y, f, x):
    """f/x, except at x = 0, where SciPy says +-1e300 of the infinite integral y of f(t)/t."""
    return where(x == 0, inf * y, f / where(x == 0, 1, x))


def airy_slopes(y, x):
    right, left = airy(x), airy(-x)
    rising, falling = airy_second(right.bi, x), airy_second(left.bi, -x)
    return known(y.apt, right.ai), known(y.bpt, rising), known(y.ant, left.ai), known(y.bnt, falling)


def airy_second(bi, x):
    """Bi, of which SciPy says NaN from 103.8 on, before it leaves the doubles."""
    far = (x > 103) & (x < 105)
    inside = where(far, x, 1.0)
    return where(far, airye(inside).bi * exp(2 / 3 * inside * sqrt(inside)), bi)


bessel_rise_n = kernel(
    "bessel_rise_n(x, *, c, n)",  # (d/dx)^n of (1 - J_0(x))/x for c = -1, of (I_0(x) - 1)/x for c = 1
    host=integrands.bessel_rise_n,
    loops=True,
    dx=lambda y, x, *, c, n: bessel_rise_n(x, c=c, n=n + 1),
    ref=lambda mp, x, *, c, n: mp.diff(
        lambda t: ((mp.besseli(0, t) if c > 0 else mp.besselj(0, t)) - 1) * c / t, x, n
    ),
    x=real(-30, 40),
    at=[1e-8, 3.49, 3.51],
    see="DLMF 10.2.2 and 10.25.2",
)

itj0y0 = special(
    "itj0y0(x) -> ij0, iy0",
    dx=lambda y, x: (known(y.ij0, j0(x)), known(y.iy0, y0(x))),
    ref=lambda mp, x: definitions.bessel_integrals(mp, x, -1),
    x=real(0, 40),
    at=[1e-8, -3.0, 200.0],
    see="DLMF 10.22.2",
)
iti0k0 = special(
    "iti0k0(x) -> ii0, ik0",
    dx=lambda y, x: (known(y.ii0, i0(x)), known(y.ik0, k0(x))),
    ref=lambda mp, x: definitions.bessel_integrals(mp, x, 1),
    x=real(0, 40),
    at=[1e-8, -3.0, 100.0],
    see="DLMF 10.43.2",
)
it2j0y0 = special(
    "it2j0y0(x) -> ij0, iy0",
    dx=lambda y, x: (known(y.ij0, bessel_rise_n(x, c=-1, n=0)), known(y.iy0, -over(y.iy0, y0(x), x))),
    ref=lambda mp, x: definitions.logarithmic_integrals(mp, x, -1),
    x=real(0, 40),
    at=[1e-8, -3.0, 200.0],
    see="DLMF 10.22.39 and 10.22.40",
)
it2i0k0 = special(
    "it2i0k0(x) -> ii0, ik0",
    dx=lambda y, x: (known(y.ii0, bessel_rise_n(x, c=1, n=0)), known(y.ik0, -over(y.ik0, k0(x), x))),
    ref=lambda mp, x: definitions.logarithmic_integrals(mp, x, 1),
    x=real(0, 40),
    at=[1e-8, -3.0, 100.0],
    see="DLMF 10.43(ii)",
)
itairy = special(
    "itairy(x) -> apt, bpt, ant, bnt",
    dx=lambda y, x: airy_slopes(y, x),
    ref=lambda mp, x: definitions.airy_integrals(mp, x),
    x=real(-10, 10),
    at=[0.0, 1e-8, 30.0],
    see="DLMF 9.10(i)",
)
itstruve0 = special(
    "itstruve0(x)",
    dx=lambda y, x: known(y, struve_zero(x)),
    ref=lambda mp, x: definitions.struve_sum(mp, x, -1, lambda k: x / (2 * k + 2)),
    x=real(0, 40),
    at=[1e-8, -3.0, 200.0],
    see="DLMF 11.7(i)",
)
itmodstruve0 = special(
    "itmodstruve0(x)",
    dx=lambda y, x: known(y, struve_zero(x, modified=True)),
    ref=lambda mp, x: definitions.struve_sum(mp, x, 1, lambda k: x / (2 * k + 2)),
    x=real(0, 40),
    at=[1e-8, -3.0, 100.0],
    see="DLMF 11.7(i)",
)
it2struve0 = special(
    "it2struve0(x)",
    dx=lambda y, x: known(y, -struve_ratio_n(x, n=0)),
    ref=lambda mp, x: mp.pi / 2 - definitions.struve_sum(mp, x, -1, lambda k: mp.mpf(1) / (2 * k + 1)),
    x=real(0, 40),
    at=[1e-8, -3.0, 200.0],
    see="DLMF 11.2.1",
)

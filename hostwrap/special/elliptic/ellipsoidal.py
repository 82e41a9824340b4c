"""Ellipsoidal harmonics: SciPy's functions, and integrals of Lame polynomials with their derivatives.

The derivatives in h2 and k2 are taken under the integral sign, in a variable in which the limits do not move.
"""

import functools
import warnings

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.quadrature import integrals
from hostwrap.special.elliptic._taylor import Taylor, constant, indices, variable
from hostwrap.special.elliptic.lame import DECADES, by_polynomial

NODES = 64
TINY = 1e-290
LEAST = 1e-290  # of a result that still has all its digits


def second_kind(h2, k2, n, p, s):
    """SciPy's ellip_harm_2, inside its domain."""
    return _inside(sc.ellip_harm_2, s * s >= k2, h2, k2, n, p, s)


def normal(h2, k2, n, p):
    """SciPy's ellip_normal, inside its domain."""
    return _inside(sc.ellip_normal, True, h2, k2, n, p)


def _inside(function, domain, h2, k2, n, *rest):
    """NaN for other h2 and k2, and where polynomials underflow: SciPy's integrands divide by 0 there."""
    arrays = np.broadcast_arrays(h2, k2, n, *rest)
    good = np.broadcast_to(domain & _ordinary(h2, k2, n), arrays[0].shape)
    result = np.full(arrays[0].shape, np.nan)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of inaccuracy, from the quadrature
        result[good] = function(*(a[good] for a in arrays))
    return result[()]


def _ordinary(h2, k2, n):
    with np.errstate(all="ignore"):
        return (h2 > 0) & (h2 < k2) & np.isfinite(k2) & (np.float_power(h2, n + 1.0) > TINY)


def second_kind_n(h2, k2, n, p, s, *, dh2, dk2, ds):
    """The derivatives of ellip_harm_2, so many times in each; NaN where that is."""
    degree = lambda n: -n - 1 - 2 * (dh2 + dk2) - ds
    function = functools.partial(_second, orders=(dh2, dk2, ds))
    decades = DECADES if dh2 + dk2 else np.inf
    result = by_polynomial(
        h2, k2, n, p, s, function=function, orders=(dh2, dk2), degree=degree, decades=decades
    )
    good = (np.abs(result) > LEAST) & np.isfinite(result) & (s * s >= k2) & _ordinary(h2, k2, n)
    return np.where(good, result, np.nan)[()]


def normal_n(h2, k2, n, p, *, dh2, dk2):
    """The derivatives of ellip_normal; NaN where that is."""
    orders = dh2, dk2
    degree = lambda n: 4 * n - 2 * (dh2 + dk2)
    function = functools.partial(_norm, orders=orders)
    result = by_polynomial(h2, k2, n, p, function=function, orders=orders, degree=degree)
    return np.where(_ordinary(h2, k2, n), result, np.nan)[()]


def _second(polynomial, h2, k2, n, s, orders):
    """(2n + 1) E I with the integral I of t / (E^2 ((t - h2) (t - k2))^(1/2)), t = 1/u^2, over 0 < u < 1/|s|.

    E is a homogeneous polynomial in the roots of h2 and k2 and s, so E I |s|^(n + 1) is a function of h2 / s^2 and
    k2 / s^2, and neither E nor I leaves the doubles. I has the derivative -1 / (E^2 ((s^2 - h2) (s^2 - k2))^(1/2))
    in s. For a negative s both are even or odd.
    """
    size, kind = np.abs(s), polynomial.kind
    end = np.arctanh(np.sqrt(k2) / size)

    def integrand(w):
        """With u k = tanh w: where s is near k, powers of (1 - u^2 k2)^(-1/2) become those of cosh."""
        v, slope = np.tanh(w) * (size / np.sqrt(k2)), size / np.sqrt(k2) / np.cosh(w) ** 2
        _, over_square = _scaled(polynomial, constant(1.0, orders[:2]), h2, k2, (v / size) ** 2)
        return [over_square * (np.float_power(v, 2 * n) * slope)]

    u = variable(1.0, 2, orders)
    value, over_square = _scaled(polynomial, u, h2, k2, 1 / (size * size))
    (integral,) = _integrals(integrand, end, NODES, orders[:2])
    if orders[2]:
        integral = integral.of(orders) - over_square.integrated(2)
    result = (2 * n + 1) * np.float_power(size, -n - 1 - orders[2]) * (value * integral.of(orders)).partial()
    return np.where((s < 0) & (kind.a == orders[2] % 2), -result, result)


def _scaled(polynomial, u, h2, k2, scale):
    """E and 1 / (E^2 ((t - h2) (t - k2))^(1/2)) for h2 and k2 times the scale, and t = u^2."""
    a, b, c = polynomial.kind[:3]
    square = u * u
    x, y = (square - variable(z, axis, u.orders) * scale for axis, z in enumerate((h2, k2)))
    value, roots = polynomial.at(x, scale), (x.power(-0.5), y.power(-0.5))
    over = (value * value).power(-1) * roots[0] * roots[1]
    for mask, root, factor in ((b == 1, roots[0], x), (c == 1, roots[1], y)):
        value = value * (root * factor).where(mask, 1.0)
        over = over * (root * root).where(mask, 1.0)
    return value * u.where(a == 1, 1.0), over * square.power(-1).where(a == 1, 1.0)


def _norm(polynomial, h2, k2, n, orders):
    """8 (A[1] B[y^2 - h2] + A[h2 - x^2] B[1]) with integrals A over 0 < x < h and B over h < y < k.

    x = h cos and y^2 = h2 + (k2 - h2) sin^2 make the integrands smooth.
    """
    h, k = (variable(x, axis, orders) for axis, x in enumerate((h2, k2)))
    between = k - h

    def inner(sin2, cos2):
        """And with h2 - x^2."""
        less = h * sin2
        rest = between + less
        f = _square(polynomial, -less, h * cos2, less, rest) * rest.power(-0.5)
        return f, f * less

    def outer(sin2, cos2):
        """And with y^2 - h2."""
        above = between * sin2
        square = h + above
        f = _square(polynomial, above, square, above, between * cos2) * square.power(-0.5)
        return f, f * above

    inside, inside_less = _quarter(inner, (k2 - h2) / h2, orders)
    outside, outside_above = _quarter(outer, h2 / (k2 - h2), orders)
    return 8 * (inside * outside_above + inside_less * outside).partial()


def _quarter(functions, ratio, orders):
    """The integrals over 0 < phi < pi/2 of functions of sin^2 and cos^2 with singularities at sin^2 = -ratio.

    In the variable w, phi = c sinh(w), they are at Im w = pi/2.
    """
    c = np.arcsinh(np.sqrt(ratio))

    def terms(w):
        phi, weight = c * np.sinh(w), c * np.cosh(w)
        sin, cos = np.sin(phi), np.cos(phi)
        return [f * weight for f in functions(sin * sin, cos * cos)]

    return _integrals(terms, np.arcsinh(np.pi / 2 / c), 2 * NODES, orders, 2)


def _square(polynomial, x, t, less, rest):
    """The series of E^2 as a function of x = s^2 - h2, t = s^2, |x| and |t - k2|."""
    a, b, c = polynomial.kind[:3]
    value = polynomial.at(x)
    return t.where(a == 1, 1.0) * less.where(b == 1, 1.0) * rest.where(c == 1, 1.0) * (value * value)


def _integrals(functions, end, nodes, orders, count=1):
    """Those of so many functions over (0, end), which are series."""
    places = indices(orders)
    listed = lambda f: [f.terms.get(index, 0.0 * f.first) for index in places]
    found = iter(integrals(lambda w: [x for f in functions(w) for x in listed(f)], [(0.0, end)], nodes))
    return [Taylor({index: next(found) for index in places}, orders) for _ in range(count)]

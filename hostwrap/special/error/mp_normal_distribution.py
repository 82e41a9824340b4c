"""The normal quantile, Owen's T function and Tukey's lambda distribution in mpmath."""

import functools

import scipy.special as sc

from hostwrap.special._numerics.mp_roots import root


def ndtri(mp, p):
    """The x with ndtr(x) = p."""
    if not 0 < p < 1:
        raise ValueError("outside the domain")
    return _lower_quantile(mp, p, mp.prec) if p < 0.5 else -_lower_quantile(mp, 1 - p, mp.prec)


@functools.lru_cache(maxsize=32)  # difference quotients in other arguments ask for the same one many times
def _lower_quantile(mp, p, precision):
    if p == 0.5:
        return mp.zero
    return root(mp, lambda x: mp.log(mp.erfc(-x / mp.sqrt(2)) / (2 * p)), float(sc.ndtri(float(p))))


def owens_t(mp, h, a):
    """Owen (1956): a series for |a| <= 1, else (Q + R)/2 - Q R - T(a h, 1/a) with the tails Q(h) and R(a h)."""
    if a < 0:
        return -owens_t(mp, h, -a)
    h = abs(h)
    if a <= 1:
        return _owens_series(mp, h, a)
    q, r = (mp.erfc(x / mp.sqrt(2)) / 2 for x in (h, a * h))
    if r < q * mp.ldexp(1, -mp.prec - 20):
        return q / 2
    return (q + r) / 2 - q * r - _owens_series(mp, a * h, 1 / a)


def _owens_series(mp, h, a):
    """arctan(a) less the sum over j of (-1)^j a^(2j+1) / (2j+1) P(j + 1, h^2/2), all over 2 pi."""
    with mp.extraprec(40 + int(1.5 * h * h)):
        s, power, total, j = h * h / 2, a, mp.zero, 0
        term = mp.exp(-s)
        probability = 1 - term
        while abs(power * probability) > a * mp.eps:
            total += power * probability / (2 * j + 1)
            j += 1
            term = term * s / j
            probability -= term
            power *= -a * a
        return (mp.atan(a) - total) / (2 * mp.pi)


def tukey_lambda(mp, x, l):
    """The p with (p^l - q^l) / l = x, q = 1 - p; 0 or 1 outside the support."""
    if l * abs(x) >= 1:
        return mp.mpf(int(x > 0))
    if x == 0:
        return mp.mpf(0.5)
    tail = _tail(mp, abs(x), l)
    return tail if x < 0 else 1 - tail


def _tail(mp, x, l):
    """p for (q^l - p^l) / l = x > 0; the equation is nearly linear in log p for l < 1, in log q for l > 1."""
    if l == 0:
        return 1 / (1 + mp.exp(x))
    start = max(mp.log1p(-l * x) / l, -mp.log(2)) if l <= 1 else mp.log(l * x) / l
    if l <= 1:
        return mp.exp(
            root(mp, lambda v: v - _log(mp, _power(mp, _other(mp, v), l) - x, l), start - mp.log(2))
        )
    return -mp.expm1(root(mp, lambda w: w - _log(mp, _power(mp, _other(mp, w), l) + x, l), start))


def _other(mp, v):
    """log(1 - p) for v = log p."""
    return mp.log(-mp.expm1(v))


def _power(mp, v, l):
    """(p^l - 1) / l for v = log p."""
    return mp.expm1(l * v) / l


def _log(mp, y, l):
    """The inverse of _power."""
    return mp.log1p(l * y) / l

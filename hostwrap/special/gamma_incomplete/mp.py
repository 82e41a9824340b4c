"""The incomplete gamma functions and their inverses in mpmath."""

import scipy.special as sc

from hostwrap.special._numerics.mp_roots import root


def lower(mp, a, x):
    """P(a, x), by the series of positive terms DLMF 8.7.1, in whole numbers."""
    if a < 0 or x < 0 or a == 0 == x:
        raise ValueError("outside the domain")
    if x == 0:
        return mp.zero
    with mp.extraprec(30):
        return power_over_gamma(mp, a, x) * _series(mp, a, x)


def upper(mp, a, x):
    """Q(a, x)."""
    digits = (x - a - a * mp.log(x / a)) / mp.log(2) if x > a > 0 else 0
    with mp.extraprec(60 + int(digits)):
        return 1 - lower(mp, a, x)


def power_over_gamma(mp, a, x):
    """x^a e^-x / Gamma(a + 1)."""
    with mp.extraprec(20 + max(0, mp.mag(x))):
        return mp.exp(a * mp.log(x) - x - mp.loggamma(a + 1))


def _series(mp, a, x):
    """The sum over k of x^k / ((a + 1) ... (a + k))."""
    bits = mp.prec + max(0, mp.mag(a))
    a, x = (int(mp.ldexp(v, bits)) for v in (a, x))
    one = total = term = 1 << bits
    while term:
        a += one
        term = term * x // a
        total += term
    return mp.ldexp(total, -bits)


def order(mp, a, x, n):
    """(d/da)^n P(a, x), n > 0, from the smaller one of the two probabilities."""
    return mp.diff(lambda s: lower(mp, s, x), a, n) if x < a else -mp.diff(lambda s: upper(mp, s, x), a, n)


def shape_shift(mp, a, x):
    """da / d log x at constant P(a, x)."""
    return -x * density(mp, a, x) / order(mp, a, x, 1)


def quantile(mp, a, y):
    """The x with P(a, x) = y."""
    if y <= 0:
        return _end(mp, y)
    complement = 1 - y
    return _solve(mp, a, y, complement, float(sc.gammaincinv(float(a), float(y))))


def quantile_upper(mp, a, y):
    """The x with Q(a, x) = y."""
    if y >= 1:
        return _end(mp, 1 - y)
    return _solve(mp, a, 1 - y, y, float(sc.gammainccinv(float(a), float(y))))


def _end(mp, y):
    if y < 0:
        raise ValueError("outside the domain")
    return mp.zero


def _solve(mp, a, y, complement, guess):
    """In logarithms, of the smaller one of the two probabilities."""
    if complement <= 0:
        raise ValueError("infinite")
    tiny = (mp.log(y) + mp.loggamma(a + 1)) / a
    start = mp.log(guess) if guess > 1e-200 else tiny
    tail, target = (lower, y) if y < 0.5 else (upper, complement)
    goal = mp.log(target)
    return mp.exp(root(mp, lambda u: mp.log(tail(mp, a, mp.exp(u))) - goal, start))


def shape(mp, p, x):
    """The a with P(a, x) = p."""
    return _shape(mp, p, 1 - p, x, sc.gdtrib(1.0, float(p), float(x)))


def shape_upper(mp, p, x):
    """The a with Q(a, x) = p."""
    return _shape(mp, 1 - p, p, x, sc.pdtrik(float(p), float(x)) + 1)


def _shape(mp, p, complement, x, guess):
    if p <= 0 or complement < 0 or x <= 0:
        raise ValueError("at the end of the domain")
    if complement == 0:
        return mp.zero
    tail, target = (lower, p) if p < 0.5 else (upper, complement)
    goal = mp.log(target)
    return root(mp, lambda a: mp.log(tail(mp, a, x)) - goal, float(guess))


def density(mp, a, x):
    """x^(a-1) e^-x / Gamma(a)."""
    return a / x * power_over_gamma(mp, a, x)


def poisson_order(mp, p, m):
    """The k >= 0 with Q(k + 1, m) = p, or 0."""
    return mp.zero if p <= mp.exp(-m) else shape_upper(mp, p, m) - 1

"""The regularized incomplete beta function and its inverses in mpmath."""

import scipy.special as sc

from hostwrap.special._numerics.mp_roots import root


def lower(mp, a, b, x, y=None):
    """I_x(a, b), by a series of positive terms on that side of 1/2 where it converges; y = 1 - x."""
    y = 1 - x if y is None else y
    if not (a >= 0 and b >= 0 and x >= 0 and y >= 0 and a + b > 0):
        raise ValueError("outside the domain")
    if 0 in (x, b) or 0 in (y, a):
        return mp.mpf(0 if 0 in (x, b) else 1)
    if x <= y:
        with mp.extraprec(30):
            return density(mp, a, b, x, y) / a * _series(mp, a + b, a, x)
    with mp.extraprec(60 + _bits(mp, a, b, x, y)):
        return 1 - lower(mp, b, a, y, 1 - y)


def upper(mp, a, b, x, y=None):
    """1 - I_x(a, b)."""
    return lower(mp, b, a, 1 - x if y is None else y, x)


def density(mp, a, b, x, y):
    """x^a y^b / B(a, b), the density in the logit of x."""
    with mp.extraprec(20 + max(0, mp.mag(a), mp.mag(b))):
        log_beta = mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)
        return mp.exp(a * mp.log(x) + b * mp.log(y) - log_beta)


def _series(mp, n, a, x):
    """The sum over k of x^k (n)_k / (a + 1)_k, DLMF 8.17.8, in whole numbers."""
    bits = mp.prec + 10
    n, a, x = (int(mp.ldexp(v, bits)) for v in (n, a, x))
    one = total = term = 1 << bits
    while term:
        a += one
        term = (term * n // a) * x >> bits
        n += one
        total += term
    return mp.ldexp(total, -bits)


def _bits(mp, a, b, x, y):
    """By how many a lower tail may be smaller than 1."""
    n = a + b
    falls = a * mp.log(a / (n * x)) + b * mp.log(b / (n * y)) if x * n < a else mp.zero
    return int(falls / mp.log(2)) + max(0, -mp.mag(b)) + max(0, mp.mag(n))


def logit_quantile(mp, a, b, p, complement):
    """log(x / y) where I_x(a, b) = p = 1 - complement, from the smaller one of the two."""
    if p <= 0 or complement <= 0:
        raise ValueError("infinite")
    if p < complement:
        x, y = guess("betaincinv", a, b, p), guess("betainccinv", b, a, p)
    else:
        x, y = guess("betainccinv", a, b, complement), guess("betaincinv", b, a, complement)
    if x > 1e-290 and y > 1e-290:
        start = float(mp.log(mp.mpf(x) / mp.mpf(y)))
    else:
        start = _at_zero(mp, a, b, p) if not x > 1e-290 else -_at_zero(mp, b, a, complement)
    tail, goal = (lower, mp.log(p)) if p < complement else (upper, mp.log(complement))
    return root(mp, lambda u: mp.log(tail(mp, a, b, *_shares(mp, u))) - goal, start)


def _at_zero(mp, a, b, p):
    """log x for small x, where I_x(a, b) = x^a / (a B(a, b))."""
    return (mp.log(p * a) - mp.log(density(mp, a, b, mp.one, mp.one))) / a


def _shares(mp, u):
    return 1 / (1 + mp.exp(-u)), 1 / (1 + mp.exp(u))


def quantile(mp, a, b, p, complement):
    """The x with I_x(a, b) = p."""
    if p <= 0 or complement <= 0:
        return _end(mp, p, complement)
    return _shares(mp, logit_quantile(mp, a, b, p, complement))[0]


def _end(mp, p, complement):
    if p < 0 or complement < 0:
        raise ValueError("outside the domain")
    return mp.mpf(0 if p == 0 else 1)


def parameter(mp, function, p, complement, guess):
    """The t with function(lower, t) = p, or function(upper, t) = complement."""
    if p <= 0 or complement <= 0:
        raise ValueError("at the end of the domain")
    tail, goal = (lower, mp.log(p)) if p < complement else (upper, mp.log(complement))
    return root(mp, lambda t: mp.log(function(tail, t)) - goal, float(guess))


def guess(name, *args):
    """SciPy's root."""
    return getattr(sc, name)(*map(float, args))


def derivative(mp, a, b, p, q, i, j):
    """(d/da)^i (d/db)^j of I_x(a, b) at x = p / (p + q), from the smaller tail."""
    sign, tail = (1, lower) if p * b < q * a else (-1, upper)
    return sign * mp.diff(lambda s, t: tail(mp, s, t, p / (p + q), q / (p + q)), (a, b), (i, j))


def density_derivative(mp, a, b, p, q, i, j, k):
    """(d/da)^i (d/db)^j (d/dx)^k of dI/dx."""
    plain = lambda s, t, x: density(mp, s, t, x, 1 - x) / (x * (1 - x))
    return mp.diff(plain, (a, b, p / (p + q)), (i, j, k))


def shift(mp, a, b, p, q, wrt):
    """(dI/da) / (dI/du), u the logit of x = p / (p + q), or its derivative in "a", "b" or "u"."""
    x, y = p / (p + q), q / (p + q)
    phi = density(mp, a, b, x, y)
    plain = derivative(mp, a, b, p, q, 1, 0) / phi
    score = {
        "": 0,
        "a": mp.log(x) - mp.psi(0, a) + mp.psi(0, a + b),
        "b": mp.log(y) - mp.psi(0, b) + mp.psi(0, a + b),
        "u": a * y - b * x,
    }
    own = {"": plain, "a": (2, 0), "b": (1, 1), "u": score["a"]}[wrt]
    if isinstance(own, tuple):
        own = derivative(mp, a, b, p, q, *own) / phi
    return own - plain * score[wrt]

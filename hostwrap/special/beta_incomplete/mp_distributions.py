"""The distributions that are incomplete beta functions, and their inverses, in mpmath."""

from hostwrap.special._numerics.mp_roots import root
from hostwrap.special.beta_incomplete.mp import (
    density,
    guess,
    logit_quantile,
    lower,
    parameter,
    quantile,
    upper,
)

__all__ = [
    "binomial_k",
    "binomial_n",
    "f_derivative",
    "f_dfd",
    "f_lower",
    "f_quantile",
    "f_shift",
    "f_upper",
    "lower",
    "negative_k",
    "negative_n",
    "quantile",
    "t_density",
    "t_df",
    "t_lower",
    "t_quantile",
    "t_shift",
    "upper",
]


def binomial_k(mp, y, n, p):
    """The k >= 0 with I_(1-p)(n - k, k + 1) = y, or 0."""
    if y <= (1 - p) ** n:
        return mp.zero
    binomial = lambda tail, k: tail(mp, n - k, k + 1, 1 - p, p)
    return parameter(mp, binomial, y, 1 - y, guess("bdtrik", y, n, p))


def binomial_n(mp, k, y, p):
    """The n with I_(1-p)(n - k, k + 1) = y."""
    binomial = lambda tail, n: tail(mp, n - k, k + 1, 1 - p, p)
    return parameter(mp, binomial, y, 1 - y, guess("bdtrin", k, y, p))


def negative_k(mp, y, n, p):
    """The k >= 0 with I_p(n, k + 1) = y, or 0."""
    if y <= p**n:
        return mp.zero
    negative = lambda tail, k: tail(mp, n, k + 1, p)
    return parameter(mp, negative, y, 1 - y, guess("nbdtrik", y, n, p))


def negative_n(mp, k, y, p):
    """The n with I_p(n, k + 1) = y."""
    negative = lambda tail, n: tail(mp, n, k + 1, p)
    return parameter(mp, negative, y, 1 - y, guess("nbdtrin", k, y, p))


# ---- the F and t distributions


def f_lower(mp, dfn, dfd, x):
    """The distribution function of F."""
    if dfn <= 0 or dfd <= 0 or x < 0:
        raise ValueError("outside the domain")
    return lower(mp, dfn / 2, dfd / 2, dfn * x / (dfn * x + dfd), dfd / (dfn * x + dfd))


def f_upper(mp, dfn, dfd, x):
    """1 - f_lower."""
    if dfn <= 0 or dfd <= 0 or x < 0:
        raise ValueError("outside the domain")
    return lower(mp, dfd / 2, dfn / 2, dfd / (dfn * x + dfd), dfn * x / (dfn * x + dfd))


def f_quantile(mp, dfn, dfd, p):
    """The x with f_lower = p."""
    return dfd / dfn * mp.exp(logit_quantile(mp, dfn / 2, dfd / 2, p, 1 - p)) if p else mp.zero


def f_dfd(mp, dfn, p, x):
    """The dfd with f_lower = p."""
    distribution = lambda tail, dfd: {lower: f_lower, upper: f_upper}[tail](mp, dfn, dfd, x)
    return parameter(mp, distribution, p, 1 - p, guess("fdtridfd", dfn, p, x))


def t_lower(mp, v, t):
    """The distribution function of Student's t."""
    tail = f_upper(mp, mp.one, v, t * t) / 2
    return tail if t < 0 else 1 - tail


def t_quantile(mp, v, p):
    """The t with t_lower = p."""
    if 2 * p > 1:
        return -t_quantile(mp, v, 1 - p)
    square = v * mp.exp(logit_quantile(mp, mp.mpf(0.5), v / 2, 1 - 2 * p, 2 * p)) if 2 * p < 1 else mp.zero
    return -mp.sqrt(square)


def t_df(mp, p, t):
    """The v with t_lower = p."""
    tail = p if t < 0 else 1 - p
    goal = mp.log(tail)
    return root(mp, lambda v: mp.log(f_upper(mp, mp.one, v, t * t) / 2) - goal, guess("stdtridf", p, t))


def f_derivative(mp, a, b, f, wrt):
    """The derivative of f_lower for 2 a and 2 b degrees of freedom, such as "aa" or "bf"."""
    orders = tuple(wrt.count(w) for w in "abf")
    sign, tail = (1, f_lower) if f < 1 else (-1, f_upper)
    return sign * mp.diff(lambda s, t, x: tail(mp, 2 * s, 2 * t, x), (a, b, f), orders)


def f_shift(mp, a, b, f, wrt):
    """(dF/da) / (dF/dz), z = log f, or its derivative in "a", "b" or "z"."""
    x, y = a * f / (a * f + b), b / (a * f + b)
    phi = density(mp, a, b, x, y)
    plain = f_derivative(mp, a, b, f, "a") / phi
    digamma = mp.psi(0, a + b)
    score = {
        "": 0,
        "a": mp.log(x) - mp.psi(0, a) + digamma + y - b * x / a,
        "b": mp.log(y) - mp.psi(0, b) + digamma + x - a * y / b,
        "z": a * y - b * x,
    }
    own = score["a"] if wrt == "z" else f_derivative(mp, a, b, f, "a" + wrt) / phi
    return (own if wrt else plain) - plain * score[wrt]


def t_density(mp, v, t):
    """The density of Student's t."""
    return mp.exp(
        mp.loggamma((v + 1) / 2) - mp.loggamma(v / 2) - (v + 1) / 2 * mp.log1p(t * t / v)
    ) / mp.sqrt(mp.pi * v)


def t_shift(mp, v, t, wrt):
    """(dF/dv) / (t dF/dt), or its derivative in "v" or "t"."""
    shift = lambda v, t: mp.diff(lambda u: t_lower(mp, u, t), v) / (t * t_density(mp, v, t))
    return mp.diff(shift, (v, t), (wrt.count("v"), wrt.count("t")))

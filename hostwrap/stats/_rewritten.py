"""Parts of SciPy's methods that a recording cannot follow, written with ufuncs, in SciPy's order of operations.

Values must have SciPy's bits. Another version, another compiler (which may fuse a product and a sum) or another
processor may round differently. So each of these replaces SciPy's function only if both agree at many points, to the
bit; each process checks this once.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

from hostwrap._errors import NoLoop
from hostwrap.special._numerics.pointwise import piecewise

OF_LAWS = "scipy.stats._continuous_distns"
POINTS, SEED = 400, 0  # where they are compared


def _log(x: Any) -> Any:
    """The logarithm of the C library, which compiled functions call; NumPy has its own."""
    return special.xlogy(1.0, x)


def geninvgauss_logpdf(x: Any, p: Any, b: Any) -> Any:
    bessel = special.kve(p, b)
    inside = -_log(2.0) - _log(bessel) + b + (p - 1) * _log(x) - b * (x + 1 / x) / 2
    return np.where(x <= 0, -np.inf, np.where(np.isinf(bessel), np.nan, inside))


def genhyperbolic_logpdf(x: Any, p: Any, a: Any, b: Any) -> Any:
    square = (a + b) * (a - b)
    root, far = np.sqrt(square), np.sqrt(1.0 + x * x)
    norm = p * 0.5 * _log(square) - 0.5 * _log(2 * np.pi) - (p - 0.5) * _log(a)
    norm = norm - (_log(special.kve(p, root)) - root)
    bessel = _log(special.kve(p - 0.5, a * far)) - a * far
    return norm + (p - 0.5) * _log(far) + bessel + b * x


def log_difference(log_p: Any, log_q: Any) -> Any:
    """`logsumexp([log_p, log_q + i pi], axis=0)`, whose real part is the logarithm of p - q."""
    p, q = log_p + 0j, log_q + np.pi * 1j
    direct = np.log(np.exp(p) + np.exp(q))
    larger = np.maximum(log_p, log_q)
    second = (log_q == larger) | ~(log_p == larger)  # of two equal ones it is the second; of NaN both
    first = ~(log_q == larger)
    top = np.where(first, p, 0j) + np.where(second, q, 0j)
    count = np.where(first, 1.0, 0.0) + np.where(second, 1.0, 0.0) + 0j
    rest = np.exp(np.where(first, -np.inf + 0j, p) - top) + np.exp(np.where(second, -np.inf + 0j, q) - top)
    rest = np.where(rest == 0, rest, rest / count)
    found = np.log1p(rest) + np.log(count) + top
    return np.where(np.isfinite(found), found, direct)


# ---- truncnorm


def log_gauss_mass(a: Any, b: Any) -> Any:
    """The logarithm of the normal probability between a and b."""

    def left(a: Any, b: Any) -> Any:
        return log_difference(special.log_ndtr(b), special.log_ndtr(a)).real

    central = lambda a, b: special.log1p(-special.ndtr(a) - special.ndtr(-b))
    return piecewise((a, b), [(b <= 0, left), (a > 0, lambda a, b: left(-b, -a)), (None, central)])


def truncnorm_logpdf(x: Any, a: Any, b: Any) -> Any:
    return -np.square(x) / 2.0 - np.log(np.sqrt(2 * np.pi)) - log_gauss_mass(a, b)


def truncnorm_logcdf(x: Any, a: Any, b: Any) -> Any:
    return _of_parts(log_gauss_mass(a, x), log_gauss_mass(x, b), log_gauss_mass(a, b))


def truncnorm_logsf(x: Any, a: Any, b: Any) -> Any:
    return _of_parts(log_gauss_mass(x, b), log_gauss_mass(a, x), log_gauss_mass(a, b))


def _of_parts(one: Any, other: Any, whole: Any) -> Any:
    found = one - whole
    return np.where(found > -0.1, np.log1p(-np.exp(other - whole)), found)


# ---- pearson3


def _pearson3(x: Any, skew: Any, usual: Callable, normal: Callable) -> Any:
    """`usual(y, a, 2 / skew)`, of a gamma law; next to no skewness `normal(x)`."""

    def of_gamma(x: Any, skew: Any) -> Any:
        beta = 2.0 / skew
        alpha = beta**2
        return usual(beta * (x - (0.0 - alpha / beta)), alpha, beta)

    return piecewise((x, skew), [(np.abs(skew) < 0.000016, lambda x, skew: normal(x)), (None, of_gamma)])


def pearson3_logpdf(x: Any, skew: Any) -> Any:
    def usual(y: Any, a: Any, beta: Any) -> Any:
        density = special.xlogy(a - 1.0, y) - y - special.gammaln(a)
        return np.log(np.abs(beta)) + np.where(np.isnan(y), y, np.where(y >= 0, density, -np.inf))

    return _pearson3(x, skew, usual, lambda x: np.log(np.exp(-np.square(x) / 2.0) / np.sqrt(2 * np.pi)))


def pearson3_pdf(x: Any, skew: Any) -> Any:
    density = np.exp(pearson3_logpdf(x, skew))
    return np.where(np.isnan(density), 0.0, density)


def pearson3_cdf(x: Any, skew: Any) -> Any:
    return _pearson3(x, skew, _by_sign(special.gammainc, 0.0, special.gammaincc, 1.0), special.ndtr)


def pearson3_sf(x: Any, skew: Any) -> Any:
    usual = _by_sign(special.gammaincc, 1.0, special.gammainc, 0.0)
    return _pearson3(x, skew, usual, lambda x: special.ndtr(-x))


def _by_sign(right: Callable, at_0: float, left: Callable, at_0_of_left: float) -> Callable:
    """One side of the gamma law for a positive skewness, the other one for a negative one."""

    def side(function: Callable, below: float) -> Callable:
        return lambda y, a, _: np.where(y <= 0, below, function(a, y))

    def usual(y: Any, a: Any, beta: Any) -> Any:
        return piecewise((y, a, beta), [(beta > 0, side(right, at_0)), (None, side(left, at_0_of_left))])

    return usual


# ---- where they stand


def _drawn(*kinds: str) -> list[np.ndarray]:
    """Arguments over many decades; "b" lies between minus and plus the one before it."""
    rng = np.random.default_rng(SEED)
    found: list[np.ndarray] = []
    for kind in kinds:
        size = np.exp(3 * rng.normal(size=POINTS))
        any_sign, within = size * rng.choice([-1.0, 1.0], POINTS), rng.uniform(-1, 1, POINTS)
        found.append(
            {"+": size, "-": -size, "r": any_sign, "b": within * (found[-1] if found else 1.0)}[kind]
        )
    return found


def _within(a: np.ndarray, distance: np.ndarray) -> list[np.ndarray]:
    """A point between two ends, and the two ends."""
    return [a + distance * np.random.default_rng(SEED + 1).uniform(size=POINTS), a, a + distance]


_OF_PEARSON3 = {
    "logpdf": pearson3_logpdf,
    "pdf": pearson3_pdf,
    "cdf": pearson3_cdf,
    "sf": pearson3_sf,
}
# of a method of scipy.stats, by its name: what stands in its place, and where it is compared
_OF_SCIPY: dict[str, tuple[Callable, Callable[[], list[np.ndarray]]]] = {
    "geninvgauss._logpdf": (geninvgauss_logpdf, lambda: _drawn("+", "r", "+")),
    "genhyperbolic._logpdf": (genhyperbolic_logpdf, lambda: _drawn("r", "+", "+", "b")),
    "truncnorm._logpdf": (truncnorm_logpdf, lambda: _within(*_drawn("r", "+"))),
    "truncnorm._logcdf": (truncnorm_logcdf, lambda: _within(*_drawn("r", "+"))),
    "truncnorm._logsf": (truncnorm_logsf, lambda: _within(*_drawn("r", "+"))),
    **{f"pearson3._{kind}": (function, lambda: _drawn("r", "r")) for kind, function in _OF_PEARSON3.items()},
    # SciPy's warns of numbers that are no integers
    "erlang._argcheck": (lambda a: a > 0, lambda: [np.arange(-1.0, POINTS)]),
}


@functools.cache
def rewritten(name: str) -> Callable:
    """The replacement of this method of SciPy's."""
    import scipy.stats

    function, places = _OF_SCIPY[name]
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        arguments = places()
        usual = functools.reduce(getattr, name.split("."), scipy.stats)(*arguments)
        if not np.array_equal(usual, function(*arguments), equal_nan=True):
            raise NoLoop(f"{name}, which rounds otherwise here")
    return function


NAMES = frozenset(_OF_SCIPY)

"""Python's own functions of numbers: `cmath`, `statistics`, and functions of several numbers in `math`."""

from __future__ import annotations

import importlib
import statistics
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from hostwrap._tracing.compiled.table import computes, stacked
from hostwrap._tracing.twins import MATH

OF_COMPLEX = "exp sqrt sin cos tan sinh cosh tanh log10 asin acos atan asinh acosh atanh"


def _complex(ufunc: Any) -> Callable:
    return lambda z: ufunc(z + 0j)


for _name in OF_COMPLEX.split():
    computes(f"cmath.{_name}", of="")(_complex(getattr(np, MATH[_name])))


@computes("cmath.log", of="")
def _log(z: Any, *base: Any) -> Any:
    return np.log(z + 0j) / np.log(base[0] + 0j) if base else np.log(z + 0j)


@computes("cmath.phase", of="")
def _phase(z: Any) -> Any:
    return np.arctan2(np.imag(z + 0j), np.real(z + 0j))


@computes("cmath.polar", of="")
def _polar(z: Any) -> tuple:
    return np.abs(z), _phase(z)


@computes("cmath.rect", of="")
def _rect(r: Any, phi: Any) -> Any:
    return r * np.exp(1j * phi)


@computes("math.dist", of="")
def _dist(p: Any, q: Any) -> Any:
    apart = stacked(p) - stacked(q)
    return np.sqrt(np.sum(apart * apart))


@computes("math.hypot", of="")
def _hypot(*sides: Any) -> Any:
    if len(sides) == 1:
        return abs(sides[0])
    return np.hypot(*sides) if len(sides) == 2 else np.sqrt(sum(x * x for x in sides))


@computes("math.prod", of="")
def _prod(numbers: Any, *, start: Any = 1) -> Any:
    for x in numbers:
        start = start * x
    return start


@computes("math.sumprod", of="")
def _sumprod(p: Any, q: Any) -> Any:
    return sum(x * y for x, y in zip(p, q, strict=True))


@computes("math.modf", of="")
def _modf(x: Any) -> tuple:
    return x - np.trunc(x), np.trunc(x)


# ---- statistics: of sequences of numbers


@computes("statistics.mean", "statistics.fmean", of="")
def _mean(data: Any, weights: Any = None) -> Any:
    return (
        np.mean(stacked(data))
        if weights is None
        else np.sum(stacked(data) * stacked(weights)) / np.sum(stacked(weights))
    )


@computes("statistics.geometric_mean", of="")
def _geometric_mean(data: Any) -> Any:
    return np.exp(np.mean(np.log(stacked(data))))


@computes("statistics.harmonic_mean", of="")
def _harmonic_mean(data: Any, weights: Any = None) -> Any:
    return 1 / _mean(1 / stacked(data), weights)


@computes("statistics.median", of="")
def _median(data: Any) -> Any:
    return np.median(stacked(data))


def _spread(data: Any, center: Any, less: int) -> Any:
    x = stacked(data)
    apart = x - (np.mean(x) if center is None else center)
    return np.sum(apart * apart) / (len(x) - less)


@computes("statistics.variance", of="")
def _variance(data: Any, xbar: Any = None) -> Any:
    return _spread(data, xbar, 1)


@computes("statistics.pvariance", of="")
def _pvariance(data: Any, mu: Any = None) -> Any:
    return _spread(data, mu, 0)


@computes("statistics.stdev", of="")
def _stdev(data: Any, xbar: Any = None) -> Any:
    return np.sqrt(_spread(data, xbar, 1))


@computes("statistics.pstdev", of="")
def _pstdev(data: Any, mu: Any = None) -> Any:
    return np.sqrt(_spread(data, mu, 0))


@computes("statistics.covariance", of="")
def _covariance(x: Any, y: Any, /) -> Any:
    x, y = stacked(x), stacked(y)
    return np.sum((x - np.mean(x)) * (y - np.mean(y))) / (len(x) - 1)


@computes("statistics.correlation", of="")
def _correlation(x: Any, y: Any, /, *, method: str = "linear") -> Any:
    if method == "ranked":
        x, y = _ranks(x), _ranks(y)
    return _covariance(x, y) / np.sqrt(_covariance(x, x) * _covariance(y, y))


def _ranks(x: Any) -> Any:
    """Ranks from 1; equal numbers share the mean of theirs."""
    x = stacked(x)
    return np.sum(x[:, None] > x, axis=1) + (np.sum(x[:, None] == x, axis=1) + 1) / 2


@computes("statistics.quantiles", of="")
def _quantiles(data: Any, *, n: int = 4, method: str = "exclusive") -> Any:
    x = np.sort(stacked(data))
    size, shift = (len(x) + 1, 1) if method == "exclusive" else (len(x) - 1, 0)
    found = []
    for i in range(1, n):
        j = min(max(i * size // n, shift), len(x) - 1) if shift else i * size // n
        delta = i * size - j * n
        found.append((x[j - shift] * (n - delta) + x[j - shift + 1] * delta) / n)
    return found


@computes("statistics.linear_regression", of="")
def _linear_regression(x: Any, y: Any, /, *, proportional: bool = False) -> Any:
    x, y = stacked(x), stacked(y)
    if proportional:
        return statistics.LinearRegression(np.sum(x * y) / np.sum(x * x), 0.0)
    slope = _covariance(x, y) / _covariance(x, x)
    return statistics.LinearRegression(slope, np.mean(y) - slope * np.mean(x))


class NormalDist:
    """Replaces Python's own class, for parameters that are traced or recorded."""

    stands_for = statistics.NormalDist

    def __init__(self, mu: Any = 0.0, sigma: Any = 1.0) -> None:
        self.mean = self.median = self.mode = mu
        self.stdev = sigma

    variance = property(lambda self: self.stdev * self.stdev)

    @classmethod
    def from_samples(cls, data: Any) -> NormalDist:
        return cls(_mean(data), _stdev(data))

    def zscore(self, x: Any) -> Any:
        return (x - self.mean) / self.stdev

    def pdf(self, x: Any) -> Any:
        z = self.zscore(x)
        return np.exp(-0.5 * z * z) / (self.stdev * np.sqrt(2 * np.pi))

    def cdf(self, x: Any) -> Any:
        return of_scipy_special("ndtr")(self.zscore(x))

    def inv_cdf(self, p: Any) -> Any:
        return self.mean + self.stdev * of_scipy_special("ndtri")(p)


def of_scipy_special(name: str) -> Any:
    return getattr(importlib.import_module("scipy.special"), name)  # which takes a while to load


def of_normal(x: Any) -> Any:
    """The replacement of Python's class, of an object of it, or of one of its methods; else None."""
    if x is statistics.NormalDist:
        return NormalDist
    owner = x.__self__ if isinstance(x, types.MethodType) else x
    if type(owner) is not statistics.NormalDist:
        return None
    ours = NormalDist(owner.mean, owner.stdev)
    return ours if owner is x else getattr(ours, x.__name__, None)

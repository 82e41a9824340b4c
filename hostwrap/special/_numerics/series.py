"""Power series in several variables, up to a total degree, with an estimate of their rounding errors.

A coefficient is a pair: its value, and its size, of which some units in the last place are the rounding error: the
sum of the absolute values of all terms, where nothing is multiplied. Pairs add by parts. What the size of a factor
exceeds its value by is multiplied by the value of the other factor, as the error is. `derivative` gives NaN if the
error is too much.

    series = {(0, 0): pair, (1, 0): pair, ...}    exponents of the variables, from degree 0 to `degree`
"""

from __future__ import annotations

import functools
import itertools
import math
from typing import Any

import numpy as np

ROUNDINGS = 8 * 2.0**-53  # of the size
WANTED = 1e-8
LESS = np.array([[-1.0], [1.0]])  # multiplies a pair by -1
OF_ARGUMENTS = 1e3 * 2.0**-52  # accepted roundings of the arguments


def pair(value: Any, size: Any = None) -> Any:
    value = np.asarray(value, float)
    return np.stack([value, np.abs(value) if size is None else np.asarray(size, float)])


def product(c: Any, d: Any) -> Any:
    """Of pairs, along the axis before the last one.

    With the errors e s and e t of v and w, that of v w is at most e (|v| t + s |w|) + e^2 s t. A rounding counts once
    however many numbers are multiplied: v and w that are sure have v w that is.
    """
    v, w = c[..., 0, :], d[..., 0, :]
    size_v, size_w = np.abs(v), np.abs(w)
    more = c[..., 1, :] - size_v
    both = ROUNDINGS * more * (d[..., 1, :] - size_w)
    return np.stack([v * w, size_v * d[..., 1, :] + size_w * more + both], axis=-2)


@functools.lru_cache(maxsize=1024)
def _products(
    first: tuple[tuple[int, ...], ...], second: tuple[tuple[int, ...], ...], degree: int
) -> tuple[list[tuple[int, ...]], list[tuple[np.ndarray, np.ndarray]]]:
    """The exponents of a product, those made of most pairs in front; and turns, each with the next pair of these.

    A pair is the places of two coefficients.
    """
    found: dict[tuple[int, ...], list[tuple[int, int]]] = {}
    for (i, k), (j, m) in itertools.product(enumerate(first), enumerate(second)):
        if sum(k) + sum(m) <= degree:
            found.setdefault(tuple(map(sum, zip(k, m, strict=True))), []).append((i, j))
    exponents = sorted(found, key=lambda k: -len(found[k]))
    turns = [
        np.array([found[k][turn] for k in exponents if len(found[k]) > turn]).T
        for turn in range(len(found[exponents[0]]) if found else 0)
    ]
    return exponents, [(i, j) for i, j in turns]


class Series:
    """A series; coefficients that `terms` leaves out are 0."""

    def __init__(self, terms: dict[tuple[int, ...], Any], degree: int) -> None:
        self.terms, self.degree = {k: c for k, c in terms.items() if sum(k) <= degree}, degree

    def __add__(self, other: Series) -> Series:
        both = dict(self.terms)
        for k, c in other.terms.items():
            both[k] = both[k] + c if k in both else c
        return Series(both, self.degree)

    def __mul__(self, other: Series) -> Series:
        """The terms side by side, and one pair of coefficients of each at a time."""
        exponents, turns = _products(tuple(self.terms), tuple(other.terms), self.degree)
        if not turns:
            return Series({}, self.degree)
        c, d = (np.stack(np.broadcast_arrays(*x.terms.values())) for x in (self, other))
        total = product(c[turns[0][0]], d[turns[0][1]])
        for i, j in turns[1:]:
            total[: len(i)] += product(c[i], d[j])
        return Series(dict(zip(exponents, total, strict=True)), self.degree)

    def scaled(self, factor: Any) -> Series:
        factor = pair(np.atleast_1d(factor))
        return Series({k: factor * c for k, c in self.terms.items()}, self.degree)

    def plus(self, number: Any) -> Series:
        """The series plus a constant pair."""
        first = next(iter(self.terms))
        return self + Series({(0,) * len(first): number}, self.degree)

    def up_to(self, degree: int) -> Series:
        return Series(self.terms, degree)

    def without_first(self) -> Series:
        return Series({k: c for k, c in self.terms.items() if any(k)}, self.degree)

    def of(self, coefficients: list) -> Series:
        """The sum of coefficients[k] self^k, where the constant term of self is 0."""
        total = Series({(0,) * len(next(iter(self.terms))): coefficients[-1]}, self.degree)
        for c in coefficients[-2::-1]:
            total = (total * self).plus(c)
        return total

    def exponential(self) -> Series:
        """e^self, where the constant term of self is 0."""
        one = next(iter(self.terms.values()))[1] * 0 + 1.0
        return self.of([pair(one / math.factorial(k)) for k in range(self.degree + 1)])

    def inverse(self) -> Series:
        """1 / self."""
        first = self.terms[(0,) * len(next(iter(self.terms)))]
        once = _over(first)
        rest = Series({k: product(c, once) for k, c in self.without_first().terms.items()}, self.degree)
        one = once[1] * 0 + 1.0
        powers = rest.of([pair((-1.0) ** k * one) for k in range(self.degree + 1)])
        return Series({k: product(c, once) for k, c in powers.terms.items()}, self.degree)

    def derived(self, variable: int) -> Series:
        """The derivative, of a degree lower by one."""
        return Series(
            {_moved(k, variable, -1): k[variable] * c for k, c in self.terms.items() if k[variable]},
            self.degree - 1,
        )

    def integrated(self, variable: int) -> Series:
        """The antiderivative up to the same degree, without a constant."""
        return Series(
            {_moved(k, variable, 1): c / (k[variable] + 1) for k, c in self.terms.items()}, self.degree
        )

    def substituted(self, last: Series) -> Series:
        """Substitute a series with constant term 0 for the last variable."""
        rows: dict[int, dict] = {}
        for k, c in self.terms.items():
            rows.setdefault(k[-1], {})[(*k[:-1], 0)] = c
        total = Series(rows[max(rows)], self.degree)
        for m in range(max(rows) - 1, -1, -1):
            total = total * last + Series(rows.get(m, {}), self.degree)
        return total

    def solved(self) -> Series:
        """w(theta, rho) with self(theta, w) - self(0, 0) = rho, where w is the last variable: the implicit function.

        Each turn of w = (rho - (self - c w)) / c gains a degree; c is the first derivative in w.
        """
        count = len(next(iter(self.terms)))
        along = (*(0,) * (count - 1), 1)
        once = _over(self.terms[along])
        rest = Series(
            {k: LESS * product(c, once) for k, c in self.without_first().terms.items() if k != along},
            self.degree,
        )
        w = Series({along: once, **rest.terms}, 1)
        for degree in range(2, self.degree + 1):
            w = Series({along: once}, degree) + rest.up_to(degree).substituted(w.up_to(degree))
        return w.up_to(self.degree)

    def derivative(self, index: tuple[int, ...], arguments: Any) -> Any:
        """The derivative at 0; NaN if its error exceeds `WANTED`, and what the rounding of the arguments explains.

        The latter follows from the next derivatives, so the degree of `index` must be lower than that of the series.
        """
        value, size = self.terms.get(index, np.zeros_like(next(iter(self.terms.values()))))
        seen = 0.0
        for variable, argument in enumerate(arguments):
            after = _moved(index, variable, 1)
            if after in self.terms:
                seen = seen + np.abs(after[variable] * argument * self.terms[after][0])
        right = ROUNDINGS * size <= np.maximum(WANTED * np.abs(value), OF_ARGUMENTS * seen)
        return np.where(right, value * math.prod(map(math.factorial, index)), np.nan)


def logarithm(variable: int, count: int, scale: Any, degree: int, sign: float = 1.0) -> Series:
    """log(1 + t / scale), t the variable, times a sign."""
    unit = tuple(int(i == variable) for i in range(count))
    return Series(
        {
            tuple(k * i for i in unit): pair(-sign * (-1.0) ** k / (k * scale**k))
            for k in range(1, degree + 1)
        },
        degree,
    )


def inverse_derivative(slopes: list, argument: Any) -> Any:
    """The n-th derivative of the inverse of a function with the derivatives 1 .. n + 1, n > 1.

    `argument` is a length on which the function changes; it gives the effect of the argument's rounding.
    """
    n = len(slopes) - 1
    terms: dict[tuple[int, ...], Any] = {
        (k,): pair(slope / slopes[0] / math.factorial(k)) for k, slope in enumerate(slopes, 1)
    }
    return Series(terms, n + 1).solved().derivative((n,), (argument,)) / slopes[0] ** n


def _moved(k: tuple[int, ...], variable: int, by: int) -> tuple[int, ...]:
    return (*k[:variable], k[variable] + by, *k[variable + 1 :])


def _over(c: Any) -> Any:
    return np.stack([1 / c[0], c[1] / (c[0] * c[0])])

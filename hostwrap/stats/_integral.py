"""Probabilities without a closed form, as integrals of the density; their derivatives are integrals, too.

The substitution is doubly exponential: t = end -+ exp(pi/2 sinh(u)) towards infinity, and between two ends
t = low + (y - low) / (1 + exp(pi sinh(u))), whose steps are small near a pole of the density, and near its end.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap._recipes.scalars import OfArrays, numpy_of
from hostwrap._table.partials import unknown
from hostwrap._wrap import Wrapped, wrap
from hostwrap.special._numerics.pointwise import in_python, piecewise, tape_of
from hostwrap.special._numerics.until import until
from hostwrap.stats._method import Method

_STEP = 1 / 40
_U = np.arange(-4.5, 4.5 + _STEP / 2, _STEP)
_WIDE = 6.0  # of finer nodes, for heavy tails, and for densities whose pole at the end is almost too large
_LOST = 1e-13  # the part of the sum that the last term may be
_PIECE = 2**16  # numbers at once
_MOST = 2**16  # terms of a sum in a program; more of them Python adds up


class Integral:
    """The probability between y and an end of the support, at which the density must not move with the shapes."""

    def __init__(self, logpdf: Callable, end: float, lower: bool) -> None:
        self.logpdf, self.end, self.lower = logpdf, end, lower

    def __call__(self, y: Any, *shapes: Any) -> Any:
        return _integral(self.logpdf, self.end, self.lower, (0,) * len(shapes))(y, *shapes)

    def numbers(self, y: Any, *shapes: Any) -> np.ndarray:
        """The sum for NumPy's numbers, without JAX."""
        call: Any = _integral(self.logpdf, self.end, self.lower, (0,) * len(shapes))
        return call.__wrapped__(y, *shapes)


def probabilities(logpdf: Callable, low: float, high: float) -> tuple[Integral, Integral]:
    """The formulas `cdf` and `sf` of a law."""
    return Integral(logpdf, low, True), Integral(logpdf, high, False)


@functools.lru_cache(maxsize=512)
def _density(logpdf: Callable, order: tuple[int, ...]) -> Callable:
    """The density, differentiated in the shapes."""
    function: Callable = lambda *args: jnp.exp(logpdf(*args))
    for i, n in enumerate(order, start=1):
        for _ in range(n):
            function = slope_in(function, i)
    return function


def slope_in(function: Callable, i: int) -> Callable:
    """The derivative of a function of numbers in its i-th argument."""

    def slope(*args: Any) -> Any:
        moving = lambda x: function(*args[:i], x, *args[i + 1 :])
        return jax.jvp(moving, (args[i],), (jnp.ones_like(args[i]),))[1]

    return slope


@functools.lru_cache(maxsize=512)
def _integral(logpdf: Callable, end: float, lower: bool, order: tuple[int, ...]) -> Wrapped:
    density = _density(logpdf, order)
    count = len(order)

    @functools.cache
    def in_numpy() -> Callable:
        return numpy_of("density", lambda *args: [density(*args)], count + 1)

    def integrate(y: Any, *shapes: Any) -> Any:
        full = np.broadcast_arrays(y, *shapes)
        flat = [np.ravel(x).astype(float) for x in full]
        total = np.empty(flat[0].shape)
        step = max(1, _PIECE // len(_U))
        for i in range(0, len(total), step):
            total[i : i + step] = _sums(in_numpy(), end, lower, *(x[i : i + step, None] for x in flat))
        return total.reshape(full[0].shape)

    names = ("y", *(f"a{i}" for i in range(count)))
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    integrate.__signature__ = inspect.Signature([inspect.Parameter(n, kind) for n in names])  # type: ignore[attr-defined]
    raised = [tuple(n + (i == j) for j, n in enumerate(order)) for i in range(count)]
    sign = 1 if lower else -1
    return wrap(integrate, vmap_method="broadcast_all").defpartials(
        lambda ans, *args: sign * density(*args),
        *[lambda ans, *args, up=up: _integral(logpdf, end, lower, up)(*args) for up in raised],
    )


def _sums(density: Callable, end: float, lower: bool, y: np.ndarray, *shapes: np.ndarray) -> np.ndarray:
    """The sum over the nodes of each row, with more nodes until every other node gives the same sum.

    So a narrow density is found at any distance from both ends. The sum is NaN if 64 times as many nodes do not
    suffice. It is also NaN if the terms do not become small on both sides, because the rest is then unknown.
    """
    total = np.full(len(y), np.nan)
    left = np.arange(len(y))
    for finer in (1, 4, 16, 64):
        with np.errstate(all="ignore"):
            terms = _terms(density, end, lower, finer, y[left], *(x[left] for x in shapes))
            full, half = np.sum(terms, axis=-1), 2 * np.sum(terms[:, ::2], axis=-1)
            size = np.sum(np.abs(terms), axis=-1)
            settled = np.abs(full - half) <= 1e-6 * size
            settled &= np.abs(terms[:, 0]) + np.abs(terms[:, -1]) <= _LOST * size
        step, found = _STEP / finer, settled & ((full != 0) | (finer == 64))
        total[left[found]] = step * full[found]
        left = left[~found & ~np.isnan(full)]
        if not left.size:
            break
    return total


def _terms(
    density: Callable, end: float, lower: bool, finer: int, y: np.ndarray, *shapes: np.ndarray
) -> np.ndarray:
    u = _U if finer == 1 else np.arange(-_WIDE, _WIDE + _STEP / finer / 2, _STEP / finer)
    if np.isinf(end):
        away = np.exp(np.pi / 2 * np.sinh(u))
        nodes = y - away if lower else y + away
        weights = away * np.pi / 2 * np.cosh(u) * np.ones_like(y)
    else:
        # from whichever end is 0, so that nodes next to it keep their digits
        part = 1 / (1 + np.exp(np.pi * np.sinh(u)))
        rest = 1 / (1 + np.exp(-np.pi * np.sinh(u)))
        width = y - end
        near_end = end + width * part
        nodes = near_end if end == 0 else np.where(part < 0.5, near_end, y - width * rest)
        weights = np.abs(width) * np.pi * np.cosh(u) * part * rest
    values = density([nodes, *shapes])[0] * weights
    return np.where(np.isfinite(values), values, 0.0)


class Total:
    """The sum over the integers from `low` up to k of the exponentials of a formula."""

    def __init__(self, log_term: Callable, low: int) -> None:
        self.log_term, self.low = log_term, low

    def __call__(self, k: Any, *shapes: Any) -> Any:
        return _total(self.log_term, self.low, (0,) * len(shapes))(k, *shapes)


@functools.lru_cache(maxsize=512)
def _total(log_term: Callable, low: int, order: tuple[int, ...]) -> Method:
    term = _density(log_term, order)
    count = len(order)

    @functools.cache
    def in_numpy() -> OfArrays:
        return numpy_of("term", lambda *args: [term(*args)], count + 1)

    def add(k: Any, *shapes: Any) -> Any:
        k, *given = (x[..., None] for x in np.broadcast_arrays(k, *shapes))
        total = np.zeros(k.shape[:-1])
        last, step = np.max(k, initial=low), max(1, _PIECE // max(1, k.size))
        with np.errstate(all="ignore"):
            for first in range(low, int(last) + 1, step):
                j = np.arange(first, min(first + step, int(last) + 1), dtype=float)
                terms = np.where(j <= k, in_numpy()([j, *given])[0], 0.0)
                # one after the other, as a program of loops adds them up
                total = np.add.accumulate(np.concatenate([total[..., None], terms], axis=-1), axis=-1)[
                    ..., -1
                ]
        return total

    def loops(k: Any, *shapes: Any) -> Any:
        """The same sum, for a recording."""
        perform = tape_of(k, *shapes).perform

        def one_more(turn: Any, total: Any, k: Any, *shapes: Any) -> tuple:
            found = in_numpy().record([low + turn, *shapes], perform)[0]
            return total + found, low + turn + 1 <= k

        several = lambda k, *shapes: until(one_more, [np.zeros_like(k)], [k, *shapes], _MOST)[0]
        cases = [
            (k < low, lambda k, *_: np.zeros_like(k)),
            (k - low >= _MOST, in_python(add)),
            (None, several),
        ]
        return piecewise((k, *shapes), cases)

    names = ("k", *(f"a{i}" for i in range(count)))
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    signature = inspect.Signature([inspect.Parameter(n, kind) for n in names])
    raised = [tuple(n + (i == j) for j, n in enumerate(order)) for i in range(count)]
    rules: dict[str, Any] = {"k": unknown("it is an integer")}
    rules |= {
        n: lambda ans, *args, up=up: _total(log_term, low, up)(*args)
        for n, up in zip(names[1:], raised, strict=True)
    }
    return Method(("total",), signature, add, rules, "", loops, known=False)

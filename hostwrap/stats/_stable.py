"""Derivatives of the stable law, by its characteristic function; its values are SciPy's (Nolan's integrals).

Those of a logarithm are divided by the integral too, because far out SciPy's density and probability lose their digits.

In the parametrization "S1", with tau = tan(pi alpha / 2),

    f(x) = 1/pi Re int exp(-i x t) phi(t) dt,    phi(t) = exp(-t^alpha (1 - i beta tau)),

and F(x) has -1/pi Im of the same with dt / t. Both integrands are analytic, so the path may be any ray
t = s exp(i angle) on which they vanish far out; in v = log s they are analytic in a strip, and the trapezoid rule
converges like exp(-2 pi width / step). The angle is the middle of those at which nothing grows, which makes the strip
wide and leaves few oscillations. Where exp(-i x t) alone vanishes too, phi - 1 may stand in place of phi (its 1 has no
real part, and a constant one in F): so a heavy tail keeps its digits.

Where terms cancel, as in a tail that is lighter than a power, the result is NaN. So it is where alpha is 1 and beta is
not 0, or moves: there the parametrization jumps, and SciPy's location depends on the scale.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from hostwrap._recipes.scalars import OfArrays, numpy_of
from hostwrap._wrap import Wrapped, wrap
from hostwrap.special._math import cos, exp, expm1, log, pi, sin, tan, where
from hostwrap.stats._integral import slope_in

_ANGLES = np.linspace(-1.56, 1.56, 157)[:, None]
_COARSE = np.arange(-30.0, 150.0, 0.5)  # of v, to choose the angle by
_GROWTH = 0.7  # how much larger than at the best angle the logarithm of an integrand may become
_WIDE = 0.3  # of a range of angles
_STEPS = (1 / 16, 1 / 32, 1 / 64, 1 / 128, 1 / 256)
_CLOSE = 1e-6  # how near half of the nodes must be, as a part of the sum of sizes: with all, the error is its square
_LARGE = 1e-4  # of a difference of probabilities: it has 12 digits
_LOST = 1e-8  # how small the result may be beside the sum of sizes


class Stable:
    """The formula of "density", "below" or "above"."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def __call__(self, x: Any, alpha: Any, beta: Any) -> Any:
        return _integral(self.kind, (0, 0, 0))(x, alpha, beta)


def log_density(x: Any, alpha: Any, beta: Any) -> Any:
    return log(_DENSITY(x, alpha, beta))


def support(alpha: Any, beta: Any) -> tuple[Any, Any]:
    """A law with alpha < 1 that is wholly skewed has one side."""
    return where((alpha < 1) & (beta == 1), 0.0, -np.inf), where((alpha < 1) & (beta == -1), 0.0, np.inf)


_DENSITY = Stable("density")


# ---- the terms


def _exponents(v: Any, angle: Any, x: Any, alpha: Any, beta: Any) -> tuple[Any, Any, Any, Any]:
    """Of exp(-i x t), and of phi: real and imaginary parts."""
    s, tau = exp(v), tan(pi * alpha / 2)
    a, b = x * s * sin(angle), -x * s * cos(angle)
    power, turned = exp(alpha * v), alpha * angle
    return (
        a,
        b,
        -power * (cos(turned) + beta * tau * sin(turned)),
        -power * (sin(turned) - beta * tau * cos(turned)),
    )


@functools.cache
def _exponents_in_numpy() -> OfArrays:
    return numpy_of("exponents", lambda *args: list(_exponents(*args)), 5)


def _term(v: Any, angle: Any, less: Any, turn: Any, x: Any, alpha: Any, beta: Any) -> Any:
    """Re(exp(i turn - i x t) (phi - less)), for less 0 or 1."""
    a, b, p, q = _exponents(v, angle, x, alpha, beta)
    reduced = less > 0
    p1, q1 = where(reduced, p, 0 * p), where(reduced, q, 0 * q)
    real, imaginary = expm1(p1) * cos(q1) - 2 * sin(q1 / 2) ** 2, exp(p1) * sin(q1)
    difference = exp(a) * (cos(turn + b) * real - sin(turn + b) * imaginary)
    return where(reduced, difference, exp(a + p) * cos(turn + b + q))


@functools.lru_cache(maxsize=64)
def _integral(kind: str, order: tuple[int, int, int]) -> Wrapped:
    """Differentiated so often in x, alpha and beta."""

    @functools.cache
    def term() -> OfArrays:
        function: Any = _term
        for i, n in enumerate(order, start=4):
            for _ in range(n):
                function = slope_in(function, i)
        return numpy_of("stable", lambda *args: [function(*args)], 7)

    def integrate(x: Any, alpha: Any, beta: Any) -> Any:
        full = [np.asarray(a, float) for a in np.broadcast_arrays(x, alpha, beta)]
        with np.errstate(all="ignore"):
            values = _values(kind, *full)
            if order == (0, 0, 0):
                return values
            if order[2]:
                values = np.where(alpha == 1, np.nan, values)
            points = zip(*map(np.ravel, (*full, values)), strict=True)
            found = [_settled(term(), kind, *point) for point in points]
        return np.reshape(found, full[0].shape)

    raised = [tuple(n + (i == j) for j, n in enumerate(order)) for i in range(3)]
    return wrap(integrate, vmap_method="broadcast_all").defpartials(
        *[lambda ans, *args, up=up: _integral(kind, up)(*args) for up in raised]
    )


def _values(kind: str, x: np.ndarray, alpha: np.ndarray, beta: np.ndarray) -> np.ndarray:
    """By the integral; SciPy's where terms cancel."""
    import scipy.stats

    law = scipy.stats.levy_stable
    if law.parameterization != "S1":
        raise ValueError(
            f"derivatives are those of the parametrization S1, and SciPy's is set to {law.parameterization}"
        )
    flat = [np.ravel(a) for a in (x, alpha, beta)]
    found = np.array([_value(kind, *point) for point in zip(*flat, strict=True)])
    lacking = np.isnan(found)
    if lacking.any():
        method = {"density": law.pdf, "below": law.cdf, "above": law.sf}[kind]
        found[lacking] = method(*(a[lacking] for a in flat))
    return np.reshape(found, x.shape)


@functools.cache
def _term_in_numpy() -> OfArrays:
    return numpy_of("stable", lambda *args: [_term(*args)], 7)


def _value(kind: str, x: float, alpha: float, beta: float) -> float:
    """The integral itself; F has 1/2 beside it, and what the path leaves out at t = 0.

    With phi - 1 that is 1/2 again, so of the tail on the side of x nothing stands beside the integral.
    """
    if kind == "density":
        return _settled(_term_in_numpy(), kind, x, alpha, beta, 0.0)
    less, angle = _ray(x, alpha, beta)
    below = 0.5 + (np.sign(x) / 2 if less else -angle / pi)
    beside = below if kind == "below" else 1 - below
    found = beside + _settled(_term_in_numpy(), kind, x, alpha, beta, 0.0)
    return found if beside == 0 or abs(found) > _LARGE else np.nan


# ---- the sums


def _settled(term: OfArrays, kind: str, x: float, alpha: float, beta: float, value: float) -> float:
    allowed = 0 < alpha <= 2 and abs(beta) <= 1 and not (alpha == 1 and beta != 0)
    if not (allowed and np.isfinite([x, value]).all()):
        return np.nan
    less, angle = _ray(x, alpha, beta)
    dense = kind == "density"
    first, last = -40 / min(1.0, alpha), min(700.0, 8 + max(4.0, -np.log(abs(x) + 1e-300)) + 5 / alpha)
    for step in _STEPS:
        v = np.arange(np.floor(first / step), np.ceil(last / step) + 1) * step
        # Im(z) = Re(z / i)
        turn = angle if dense else -pi / 2
        sign = np.exp(v) if dense else -1.0 if kind == "below" else 1.0
        values = term([v, angle, less, turn, x, alpha, beta])[0] * sign
        values = np.where(np.isfinite(values), values, 0.0)
        full, half, size = np.sum(values), 2 * np.sum(values[::2]), np.sum(np.abs(values))
        if abs(full - half) <= _CLOSE * size:
            enough = max(abs(full), abs(value) / step * pi if dense else 0.0) >= _LOST * size
            return float(full * step / pi) if enough or size == 0 else np.nan
    return np.nan


@functools.lru_cache(maxsize=1024)
def _ray(x: float, alpha: float, beta: float) -> tuple[float, float]:
    """(what is taken from phi, the angle)"""
    a, _, p, _ = _exponents_in_numpy()([_COARSE, _ANGLES, x, alpha, beta])
    found = []
    for less, size in ((1.0, a + np.maximum(p, 0.0)), (0.0, a + p)):
        top = np.where(size[:, -1] < -100, np.max(size, axis=1), np.inf)
        good = _ANGLES[top <= np.min(top) + _GROWTH, 0]
        found.append((less, float(np.mean(good)), float(np.ptp(good)), float(np.min(top))))
    reduced, plain = found
    return (
        reduced[:2]
        if abs(x) > 1 and reduced[2] > min(_WIDE, plain[2] / 2) and reduced[3] < np.inf
        else plain[:2]
    )

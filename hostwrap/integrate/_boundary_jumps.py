"""Where the right-hand side of a boundary value problem jumps at a place that may move: no derivative is known.

The collocation equations have derivatives of both sides, and not the part of the jump, which is its size times the
speed of the place. The same holds for the next derivative where the slope of the right-hand side jumps, as at a kink.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.custom_derivatives import SymbolicZero
from scipy.interpolate import CubicHermiteSpline

from hostwrap._errors import MissingDerivative
from hostwrap._recipes.closures import Closure
from hostwrap._wrap import wrap
from hostwrap.integrate._places import apart, crossed, even, jumps
from hostwrap.integrate._switches import switches

WAY_OUT = (
    "Write the parts of the solution on both sides of that place as unknowns of one system, each on an interval of "
    "length 1, and the place as one of the parameters p"
)


def no_jump(f: Callable, moves: Sequence[bool], examples: Sequence[Any]) -> Callable | None:
    """A function (x, y, p, *outside) -> 0.0, for a mesh x [m] and values y [n, m] on it; None if no branch may move.

    It raises MissingDerivative if `f(x, y, p, *outside)`, for one place x and y [n], jumps between the ends of the
    mesh. Its own derivatives are 0. They raise the error if the derivative of f of that order jumps. A rule adds the 0
    times all tangents to a derivative: so no compiler leaves it out where the derivative is 0 without the jump.

    Args:
        moves: which arguments of f move with what is differentiated; a number x where the ends of the mesh move.
        examples: one set of arguments of f.
    """
    varies = [True, True, *[False] * (len(examples) - 2)]
    gaps = switches(f, examples, varies, moves)
    return None if gaps is None else _checked(f, gaps, examples, 0)


def _checked(f: Callable, gaps: Callable, examples: Sequence[Any], order: int) -> Callable:
    host = _host(f, gaps, examples, order)

    @jax.custom_jvp
    def check(*given: Any) -> Any:
        x, y, *others = jax.lax.stop_gradient(given)
        return host(x, y, tuple(others))

    @check.defjvp
    def rule(primals: tuple, tangents: tuple) -> tuple:
        return check(*primals), _checked(f, gaps, examples, order + 1)(*primals) * total(tangents)

    return check


def total(tangents: Sequence[Any]) -> Any:
    """The sum of all numbers in these."""
    known = [t for t in tangents if not isinstance(t, SymbolicZero) and t.dtype != jax.dtypes.float0]
    return sum(jnp.sum(jnp.real(t)) for t in known)


def _host(f: Callable, gaps: Callable, examples: Sequence[Any], order: int) -> Callable:
    every, last = [f], f
    for _ in range(order):  # a jump of the slope is across the place, so x and y show it
        last = _slopes(last)
        every.append(last)
    flat = lambda *args: jnp.concatenate([jnp.ravel(g(*args)) for g in every])
    first, ways, sides, slopes = (
        Closure("solve_bvp", g, *examples).numpy() for g in (f, gaps, flat, _slopes(last))
    )

    def check(x: Any, y: Any, others: Any) -> Any:
        kept = np.append(True, np.diff(x) > 0)
        x, y = x[kept].astype(float), y[:, kept].astype(float)
        rates = np.stack([first([], [s, v, *others])[0] for s, v in zip(x, y.T, strict=True)])
        path = CubicHermiteSpline(x, y.T, rates)
        inside = lambda s: np.float64(min(max(s, x[0]), x[-1]))
        read, side, slope = (
            lambda s, g=g: np.concatenate([np.ravel(r) for r in g([], [inside(s), path(inside(s)), *others])])
            for g in (ways, sides, slopes)
        )
        places = looked_at(x)
        found = crossed(read, places, side)
        size = np.max(np.abs([side(s) for s in places]), axis=0) if found else 0.0
        for s, before, after, _ in found:
            if np.any(jumps(*apart(side, s, before, after), size)):
                what = "fun jumps" if not order else "a derivative of fun jumps"
                raise MissingDerivative(
                    f"solve_bvp: there is no derivative: {what} at x = {s:.6g}, a place that may move. {WAY_OUT}."
                )
            if lost(s, x) > LOST and bends(slope, s, before, after):
                raise MissingDerivative(f"solve_bvp: there is no derivative: {KINK.format(s)}.")
        return np.zeros(())

    check.__name__ = "solve_bvp"
    return wrap(check, out=jax.ShapeDtypeStruct((), examples[1].dtype), vmap_method="sequential")


def looked_at(mesh: np.ndarray) -> list[float]:
    """The places at which the collocation equations take fun."""
    return np.sort(np.concatenate([mesh, (mesh[1:] + mesh[:-1]) / 2])).tolist()


def lost(s: float, mesh: np.ndarray) -> float:
    """How much of a step at s the equations lose or add, as a share of the whole length.

    The derivative of fun has a step where fun has a kink. Simpson's rule counts it as if it were at one of the places
    (1/6, 5/6) of an interval. Next to a node, or to a middle, either side may have the node.
    """
    i = int(np.clip(np.searchsorted(mesh, s) - 1, 0, len(mesh) - 2))
    off = [0.0]
    for k in range(max(i - 1, 0), min(i + 2, len(mesh) - 1)):
        a, h = mesh[k], mesh[k + 1] - mesh[k]
        nodes = a + h * np.array([0.0, 0.5, 1.0])
        if not a - _ROUNDED * h <= s <= a + h * (1 + _ROUNDED):
            continue
        for own in (nodes <= s - _ROUNDED * h, nodes <= s + _ROUNDED * h):
            off.append(abs(s - a - h * np.sum(_SIMPSON[own])))
    return float(max(off) / (mesh[-1] - mesh[0]))


_SIMPSON, _ROUNDED = np.array([1.0, 4.0, 1.0]) / 6, 1e-9
LOST = 2e-3
KINK = (
    "fun has a kink at x = {:.6g}, a place that may move, and the mesh is too coarse there for a derivative. Give a "
    "smaller tol=; if this place is a node of the mesh, or the middle between two, give another mesh x="
)


def bends(slope: Callable, s: float, before: float, after: float) -> bool:
    """Whether the slopes on both sides of a place differ."""
    here, there = slope(s + before), slope(s + after)
    return not np.all(even(here, there, np.max(np.abs([here, there]))))


def _slopes(f: Callable) -> Callable:
    def both(*args: Any) -> Any:
        along = jax.jacfwd(f, (0, 1))(*args)
        return jnp.concatenate([along[0][..., None], along[1]], -1)

    return both

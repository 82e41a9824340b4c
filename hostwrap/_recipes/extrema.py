"""SciPy's minimizers with bounds and constraints, of functions that may close over traced numbers.

The answer is SciPy's. The host decides which bounds and constraints are active at the answer. With these the answer and
the multipliers solve the equations of Karush, Kuhn and Tucker, and the implicit function theorem gives their
derivatives (Fiacco 1976). Where the multiplier of an active constraint is 0, the answer has a kink, and its derivative
raises an error.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.linalg
import scipy.optimize

from hostwrap._errors import RuleError
from hostwrap._recipes.equations import array, implicit, like, partial_of, real
from hostwrap._recipes.numpys import in_jax

# distances from a limit within which it may be active, and is reached; and a multiplier that counts as 0
NEAR, AT, FORCE = 1e-5, 1e-9, 1e-6
# a solver inside of the bounds may stop this far from one; the part of a Newton step below which its end is not known
CLOSE, UNKNOWN = 1e-3, 0.1
FREE, LOWER, UPPER, WEAK = 0, -1, 1, 2


def stationary(
    name: str, f: Callable, x0: Any, solver: Callable, bounds: Any = None, constraint: Any = None,
    more: Sequence[Callable | None] = (), said: Sequence[str] = (),
) -> Any:  # fmt: skip
    """The x where f is smallest, found by `solver(start, f, gradient, c, dc, *more)` in NumPy.

    Args:
        said: integers of SciPy's result that are wanted too: then the solver returns this result, and the answer is
            x and a dictionary of them.
        bounds: two arrays, of the smallest and the largest x.
        constraint: c(x) and two arrays, of its smallest and largest values; an equation where they are equal. The
            Jacobian of c may follow, a function too.
        solver: `start` has x0 and these arrays, by the names x0, lower, upper, c_lower, c_upper.
    """
    c, *given = constraint or (None,)
    limits: list[Any] = given[:2]
    slope = given[2] if len(given) > 2 else c and jax.jacfwd(c)
    start = {"x0": x0} | dict(zip(("lower", "upper"), bounds or (), strict=False))
    start |= dict(zip(("c_lower", "c_upper"), limits, strict=False))
    dtype = like(start, shape=()).dtype
    x, (n,) = jnp.zeros(x0.shape, dtype), x0.shape
    value = lambda x: jnp.reshape(f(x), ())
    functions = [value, jax.grad(value), c, slope, *more]
    bounded, constrained = bool(bounds), c is not None  # a compiled program must not keep the numbers
    m = limits[0].shape[0] if constrained else 0
    out: dict[str, Any] = {"x": jax.ShapeDtypeStruct((n,), dtype)}
    if bounded:
        out["bound"] = jax.ShapeDtypeStruct((n,), np.int32)
    if constrained:
        out |= {"multiplier": jax.ShapeDtypeStruct((m,), dtype), "side": jax.ShapeDtypeStruct((m,), np.int32)}

    if said:
        out["said"] = jax.ShapeDtypeStruct((len(said),), jnp.result_type(int))

    def host(start: Any, calls: Any) -> Any:
        found = solver(start, *calls)
        x = np.reshape(np.asarray(found.x if said else found, float), (n,))
        more = {"said": np.array([found.get(k, 0) for k in said], int)} if said else {}
        return {"x": x} | more | (active(x, start, calls) if bounded or constrained else {})

    def equation(answer: Any, start: Any, functions: Any) -> Any:
        x, residual = answer["x"], dict.fromkeys(out)
        force = functions[1](x)
        if constrained:
            force = force - answer["multiplier"] @ functions[3](x)
            limit = _limit(answer["side"], start["c_lower"], start["c_upper"])
            residual["multiplier"] = _row(answer["side"], answer["multiplier"], functions[2](x) - limit)
        if bounded:
            limit = _limit(answer["bound"], start["lower"], start["upper"])
            force = _row(
                answer["bound"], force, _moved(x) - _moved(limit)
            )  # the solver stops next to the limit
        return residual | {"x": force}

    answer = implicit(name, functions, x, start, host, equation, out)
    return (answer["x"], dict(zip(said, answer["said"], strict=True))) if said else answer["x"]


def _moved(x: Any) -> Any:
    """0, with the derivatives of x."""
    return x - jax.lax.stop_gradient(x)


def _row(side: Any, free: Any, held: Any) -> Any:
    return jnp.where(side == WEAK, jnp.nan, jnp.where(side == FREE, free, held))


def _limit(side: Any, lower: Any, upper: Any) -> Any:
    limit = jnp.where(side == LOWER, lower, upper)
    return jnp.where(jnp.isfinite(limit), limit, 0.0)


def active(x: np.ndarray, start: dict, calls: Sequence[Any]) -> dict[str, np.ndarray]:
    """The bounds and constraints with a multiplier that is not 0, and the multipliers of the latter."""
    slope, n = np.asarray(calls[1](x)), len(x)
    lower, upper = start.get("lower", np.full(n, -np.inf)), start.get("upper", np.full(n, np.inf))
    at, touches = _near(x, lower, upper)
    if calls[2] is None:
        c, jacobian, c_lower, c_upper = np.zeros(0), np.zeros((0, n)), np.zeros(0), np.zeros(0)
    else:
        c, jacobian = np.asarray(calls[2](x)), np.asarray(calls[3](x))
        c_lower, c_upper = start["c_lower"], start["c_upper"]
    side, touched = _near(c, c_lower, c_upper)
    equations, multipliers = c_lower == c_upper, np.zeros(len(c))
    size = max(1e-300, np.max(np.abs(slope), initial=0))
    for _ in range(n + len(c) + 1):
        held, free = side != FREE, at == FREE
        multipliers[:] = 0
        if held.any():
            multipliers[held] = _least(jacobian[held][:, free].T, slope[free])
        forces = slope - multipliers @ jacobian
        weights = multipliers * np.max(np.abs(jacobian), axis=1, initial=0)
        loose = (at != FREE) & (lower != upper) & (-at * forces <= FORCE * size)
        slack = (side != FREE) & ~equations & (-side * weights <= FORCE * size)
        if not (loose.any() or slack.any()):
            break
        weak_x = loose & touches & (np.abs(forces) <= FORCE * size)
        weak_c = slack & touched & (np.abs(weights) <= FORCE * size)
        at, side = np.where(loose, FREE, at), np.where(slack, FREE, side)
        if weak_x.any() or weak_c.any():
            at, side = np.where(weak_x, WEAK, at), np.where(weak_c, WEAK, side)
            break
    if calls[2] is None:
        at = _settled(x, at.copy(), lower, upper, calls[1])
    found: dict[str, np.ndarray] = {"bound": at.astype(np.int32)} if "lower" in start else {}
    if calls[2] is not None:
        found |= {"multiplier": multipliers, "side": side.astype(np.int32)}
    return found


def _settled(
    x: np.ndarray, at: np.ndarray, lower: np.ndarray, upper: np.ndarray, slope: Callable
) -> np.ndarray:
    """The active bounds, where numbers that stopped close to one are judged by where a Newton step leads them.

    Their own force does not tell: it is small wherever the solver stopped. So it is for a number on a bound, the force
    of which leads inside: if the step is no longer than rounding, the bound holds without a force.
    """
    side, reached = _near(x, lower, upper, CLOSE)
    g = np.asarray(slope(x))

    def column(j: int) -> np.ndarray:
        h = 1e-6 * (1 + abs(x[j]))
        return (np.asarray(slope(np.where(np.arange(len(x)) == j, x + h, x))) - g) / h

    limit = np.where(side == LOWER, lower, upper)
    close = np.flatnonzero((side != FREE) & ~(reached & (at == side)) & (lower != upper) & (at != WEAK))
    bent = np.array([column(int(j))[j] for j in close], float)
    moves = np.abs(g[close]) > 0.01 * np.abs((x - limit)[close] * bent)
    at[close[~moves]], close = FREE, close[moves]
    if not close.size:
        return at
    free, step = np.union1d(np.flatnonzero(at == FREE), close), np.zeros(len(x))
    matrix = np.stack([column(int(j))[free] for j in free], axis=1)
    step[free] = -_least(matrix, g[free])
    if not np.max(np.abs(matrix @ step[free] + g[free])) <= 1e-3 * np.max(np.abs(g[free])):
        return at  # there is no curvature
    inside, doubt = np.where(side == LOWER, 1, -1) * (x + step - limit), UNKNOWN * np.abs(step)
    doubt = np.where(reached, np.maximum(doubt, AT * (1 + np.abs(limit))), doubt)
    known = np.where(inside > doubt, FREE, np.where(inside < -doubt, side, WEAK))
    close = close[g[close] * step[close] < 0]
    at[close] = known[close]
    return at


def _least(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The shortest x for which `|a x - b|` is smallest. LAPACK's `gelsy` takes a third of the time of a SVD."""
    if not a.size:
        return np.zeros(a.shape[1])
    rounding = max(a.shape) * np.finfo(float).eps
    return scipy.linalg.lstsq(a, b, rounding, lapack_driver="gelsy", check_finite=False)[0]


def _near(
    x: np.ndarray, lower: np.ndarray, upper: np.ndarray, near: float = NEAR
) -> tuple[np.ndarray, np.ndarray]:
    """(the limit that each number is close to, whether the number has reached it)"""
    with np.errstate(invalid="ignore"):  # the distance from an infinite limit
        below, above = (np.abs(x - limit) / (1 + np.abs(limit)) for limit in (lower, upper))
    below, above = (np.where(np.isnan(d), np.inf, d) for d in (below, above))
    side = np.where((below <= near) & (below <= above), LOWER, np.where(above <= near, UPPER, FREE))
    return side, np.minimum(below, above) <= AT


# ---- bounds and constraints of the user


def box_of(name: str, bounds: Any, n: int) -> tuple[jax.Array, jax.Array]:
    """Bounds: pairs for each variable, or one pair for all, or `scipy.optimize.Bounds`."""
    pair: Any
    if hasattr(bounds, "lb"):
        pair = bounds.lb, bounds.ub
    elif len(bounds) == n and all(
        isinstance(b, list | tuple) or getattr(b, "shape", ()) == (2,) for b in bounds
    ):
        pair = tuple([b[k] for b in bounds] for k in range(2))
    elif len(bounds) == 2:
        pair = bounds[0], bounds[1]
    else:
        raise RuleError(
            f"{name}: bounds are a pair (lowest, highest) for each of {n} variables, got {bounds!r:.80}."
        )
    return tuple(open_of(name, side, sign, n) for side, sign in zip(pair, (-1, 1), strict=True))  # type: ignore[return-value]


def open_of(name: str, side: Any, sign: int, n: int) -> jax.Array:
    side = [sign * np.inf if b is None else b for b in side] if isinstance(side, list | tuple) else side
    return jnp.broadcast_to(real(name, "bounds", sign * np.inf if side is None else side), (n,))


def _sides(one: Any, x0: Any) -> Iterator[Any]:
    """A constraint as SciPy's older dictionaries, each of which has one side only."""
    if not hasattr(one, "lb"):
        yield one
        return
    if hasattr(one, "A"):
        matrix = jnp.asarray(one.A.toarray() if hasattr(one.A, "toarray") else one.A)
        f = lambda x: matrix @ x
    else:
        f = in_jax(one.fun)
    value = lambda x: jnp.atleast_1d(array(f(x)))
    count = jax.eval_shape(value, x0).shape
    # which rows are equations, and which have no limit, must be known: traced limits are finite and different
    traced = [isinstance(side, jax.core.Tracer) for side in (one.lb, one.ub)]
    lower, upper = (
        jnp.broadcast_to(side, count) if t else np.broadcast_to(np.asarray(side, float), count)
        for side, t in zip((one.lb, one.ub), traced, strict=True)
    )
    low, high = (None if t else side for side, t in zip((lower, upper), traced, strict=True))
    equal = np.zeros(count, bool) if low is None or high is None else low == high
    for kind, limit, sign, rows in (
        ("eq", lower, 1, equal),
        ("ineq", lower, 1, ~equal & (True if low is None else low > -np.inf)),
        ("ineq", upper, -1, ~equal & (True if high is None else high < np.inf)),
    ):
        if rows.any():
            part = lambda x, limit=limit, sign=sign, rows=rows: sign * (value(x)[rows] - limit[rows])
            yield {"type": kind, "fun": part}


def together(name: str, given: Any, x0: Any) -> tuple:
    """All constraints as one, and each as SciPy takes it: (kind, its rows, whether its Jacobian is given)."""
    rows: list[Any] = []
    listed = given if isinstance(given, list | tuple) else (given,)
    for one in itertools.chain.from_iterable(_sides(one, x0) for one in listed):
        if not isinstance(one, dict):
            raise RuleError(
                f"{name}: constraints are dictionaries {{'type': .., 'fun': ..}}, LinearConstraint or "
                f"NonlinearConstraint, got {type(one).__name__}."
            )
        if one.get("type") not in ("eq", "ineq"):
            raise RuleError(f"{name}: the type of a constraint is 'eq' or 'ineq', got {one.get('type')!r}.")
        f = partial_of(one["fun"], one.get("args", ()), name)
        rows.append((one["type"], lambda x, f=f: jnp.atleast_1d(array(f(x))), "jac" in one))
    sizes = [jax.eval_shape(f, x0).shape[0] for _, f, _ in rows]
    ends = np.cumsum([0, *sizes])
    kinds = [(kind, slice(a, b), jac) for (kind, _, jac), a, b in zip(rows, ends[:-1], ends[1:], strict=True)]
    upper = np.repeat([0.0 if kind == "eq" else np.inf for kind, *_ in rows], sizes)
    together = lambda x: jnp.concatenate([f(x) for _, f, _ in rows])
    return (together, jnp.zeros(ends[-1]), jnp.asarray(upper)), kinds

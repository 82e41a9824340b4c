"""Digital filters: y with a * y = b * x, where * is the convolution of causal sequences along the last axis.

b * x is linear in b and in x. Its transpose in x runs backwards in time, and so does that of the recursion, which
solves a * y = u for y. The initial state of a filter is a part of u.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.signal

from hostwrap._recipes.hosted import shaped, solved
from hostwrap._wrap import linear, wrap

ONE = np.ones(1)


def _backwards(b: np.ndarray, c: np.ndarray) -> np.ndarray:
    return scipy.signal.lfilter(b, ONE, c[..., ::-1])[..., ::-1]


def _taps(c: np.ndarray, b: np.ndarray, x: np.ndarray) -> np.ndarray:
    n = x.shape[-1]
    axes = list(range(x.ndim))
    return np.array([np.einsum(c[..., k:], axes, x[..., : max(n - k, 0)], axes, []) for k in range(len(b))])


@linear(
    out=lambda b, x: shaped(x, None, b),
    copy=False,
    transpose={"b": _taps, "x": lambda c, b, x: _backwards(b, c)},
)
def moving(b: np.ndarray, x: np.ndarray) -> np.ndarray:
    """b * x, of the length of x."""
    return scipy.signal.lfilter(b, ONE, x)


@wrap(out=lambda a, u: shaped(u, None, a), copy=False)
def _recursion(a: np.ndarray, u: np.ndarray) -> np.ndarray:
    return scipy.signal.lfilter(ONE, a, u)


def recursion(a: Any, u: Any) -> Any:
    """y with a * y = u."""
    u = u.astype(jnp.result_type(a, u))
    return solved(
        lambda y: moving(a, y).astype(u.dtype),
        u,
        lambda u: _recursion(a, u),
        lambda c: _recursion(a, c[..., ::-1])[..., ::-1],
    )


def filtered(b: Any, a: Any, x: Any, zi: Any = None) -> tuple[Any, Any]:
    """y, and the state after it (None without a state before it), along the last axis.

    The state holds what the past adds to a * y from now on, divided by a[0]. So the state after x is the continuation
    of (b * x - a * y) / a[0], where x and y are 0 from then on.
    """
    taps, n = max(a.shape[0], b.shape[0]) - 1, x.shape[-1]
    if zi is None:
        return recursion(a, moving(b, x)), None
    state = a[0] * jnp.broadcast_to(zi, (*x.shape[:-1], taps))
    y = recursion(a, moving(b, x) + _longer(state, n)[..., :n])
    tails = [
        moving(w, _longer(v[..., max(n - taps, 0) :], 2 * taps))[..., min(n, taps) :]
        for w, v in ((b, x), (a, y))
    ]
    tails = [t[..., :taps] for t in tails]
    return y, (tails[0] - tails[1] + _longer(state[..., n:], taps)) / a[0]


def _longer(x: Any, n: int) -> Any:
    """The array, padded with zeros at the end if it is shorter."""
    return jnp.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, max(n - x.shape[-1], 0))])


def steady(b: Any, a: Any) -> Any:
    """The state in which the filter of a constant 1 stays: zi = companion(a)' zi + b[1:] - a[1:] b[0], for a[0] = 1."""
    taps = max(a.shape[0], b.shape[0])
    b, a = (_longer(w, taps) / a[0] for w in (b, a))
    companion = jnp.concatenate([-a[None, 1:], jnp.eye(taps - 2, taps - 1, dtype=a.dtype)])
    right = b[1:] - a[1:] * b[0]
    return jnp.linalg.solve(jnp.eye(taps - 1, dtype=right.dtype) - companion.T, right)


def sections(sos: Any, x: Any, zi: Any = None) -> tuple[Any, Any]:
    """The same for sections of second order, one after the other; zi is [sections, ..., 2]. a[0] is 1, and is held."""
    states = []
    for k, row in enumerate(sos):
        a = jnp.concatenate([jax.lax.stop_gradient(row[3:4]), row[4:]])
        x, state = filtered(row[:3], a, x, None if zi is None else zi[k])
        states.append(state)
    return x, None if zi is None else jnp.stack(states)


def steady_sections(sos: Any) -> Any:
    scale, states = 1.0, []
    for row in sos:
        a = jnp.concatenate([jax.lax.stop_gradient(row[3:4]), row[4:]])
        states.append(scale * steady(row[:3], a))
        scale = scale * row[:3].sum() / a.sum()
    return jnp.stack(states)


def both_ways(filter: Callable[[Any, Any], Any], x: Any, padtype: str | None, edge: int) -> Any:
    """Filter x with its ends extended, and then the result backwards; `filter(x, first)` starts as if x had always been
    `first`."""
    start, end = x[..., :1], x[..., -1:]
    ends = (x[..., 1 : edge + 1][..., ::-1], x[..., -edge - 1 : -1][..., ::-1])
    if padtype is None or edge == 0:
        edge, whole = 0, x
    elif padtype == "constant":
        whole = jnp.concatenate([jnp.repeat(start, edge, -1), x, jnp.repeat(end, edge, -1)], -1)
    elif padtype == "odd":
        whole = jnp.concatenate([2 * start - ends[0], x, 2 * end - ends[1]], -1)
    else:
        whole = jnp.concatenate([ends[0], x, ends[1]], -1)
    forth = filter(whole, whole[..., :1])[..., ::-1]
    back = filter(forth, forth[..., :1])[..., ::-1]
    return back[..., edge : back.shape[-1] - edge]


def both_ways_back(
    filter: Callable, c: np.ndarray, state: np.ndarray, padtype: str | None, edge: int, axis: int
) -> np.ndarray:
    """The transpose of `both_ways` in x, on the host.

    `filter(x)` returns y, `filter(x, state)` y and the state after it. A filter that starts as if x had always been
    x[0] is F x + x[0] g, where g is its response to zeros from that state.
    """
    edge = 0 if padtype is None else edge
    n = c.shape[-1]
    wide = np.zeros((*c.shape[:-1], n + 2 * edge), c.dtype)
    wide[..., edge : edge + n] = c
    start = _from_state(filter, state, n + 2 * edge, c.dtype)
    for _ in range(2):  # F' reverses, filters, and reverses; the signal is reversed already
        first = wide[..., ::-1][..., : len(start)] @ start
        wide = filter(wide)[..., ::-1]
        wide[..., 0] += first
    found, (before, after) = wide[..., edge : edge + n].copy(), (wide[..., :edge], wide[..., edge + n :])
    if edge and padtype != "even":
        times = 1 if padtype == "constant" else 2
        found[..., 0] += times * before.sum(-1)
        found[..., -1] += times * after.sum(-1)
    if edge and padtype != "constant":
        sign = 1 if padtype == "even" else -1
        found[..., 1 : edge + 1] += sign * before[..., ::-1]
        found[..., -edge - 1 : -1] += sign * after[..., ::-1]
    return np.moveaxis(found, -1, axis)


def _from_state(filter: Callable, state: np.ndarray, n: int, dtype: Any) -> np.ndarray:
    """The response of the filter to n zeros from this state, up to a number so small that the rest does not count."""
    parts, size, least = [], 256, 1e-20 * np.max(np.abs(state), initial=0)
    while n > 0 and np.max(np.abs(state), initial=0) > least:
        part, state = filter(np.zeros(min(size, n), dtype), state)
        parts.append(part)
        n, size = n - len(part), 2 * size
    return np.concatenate(parts) if parts else np.zeros(0, dtype)

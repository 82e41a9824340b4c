"""Correlations at places where the weights lie inside, and continuations of an array beyond its edges: the parts of
filters.

y[i] = sum of w[j] x[i + j] is linear in x and in w. Its transpose in x is the full convolution of the cotangent with w,
the one in w a correlation of x with the cotangent. JAX continues the array beyond its edges, and knows the transpose of
that.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import scipy.ndimage

from hostwrap._errors import SignatureError
from hostwrap._host.memory import empty
from hostwrap._recipes.hosted import shaped
from hostwrap._wrap import linear

# the names of edges in SciPy, and in NumPy
EDGES = {
    "reflect": "symmetric", "grid-mirror": "symmetric", "constant": "constant", "grid-constant": "constant",
    "nearest": "edge", "mirror": "reflect", "wrap": "wrap", "grid-wrap": "wrap",
}  # fmt: skip


def _inside(x: Any, w: Any) -> jax.ShapeDtypeStruct:
    return shaped(x, [n - k + 1 for n, k in zip(x.shape, w.shape, strict=True)], w)


def _full(cotangent: np.ndarray, x: np.ndarray, w: np.ndarray) -> np.ndarray:
    return _correlated(np.pad(cotangent, [(k - 1, k - 1) for k in w.shape]), np.flip(w))


def _of_weights(cotangent: np.ndarray, x: np.ndarray, w: np.ndarray) -> np.ndarray:
    found = np.empty(w.shape, np.result_type(cotangent, x))
    for j in np.ndindex(w.shape):
        found[j] = np.sum(
            cotangent * x[tuple(slice(a, a + n) for a, n in zip(j, cotangent.shape, strict=True))]
        )
    return found


def _correlated(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    if np.iscomplexobj(w):  # SciPy would conjugate them
        return _correlated(x, w.real) + 1j * _correlated(x, w.imag)
    long = [axis for axis, k in enumerate(w.shape) if k > 1]
    if len(long) == 1:
        whole = scipy.ndimage.correlate1d(x, w.ravel(), long[0], mode="constant")
    else:
        whole = scipy.ndimage.correlate(x, w, mode="constant")
    return whole[tuple(slice(k // 2, k // 2 + n - k + 1) for n, k in zip(x.shape, w.shape, strict=True))]


@linear(out=_inside, transpose={"x": _full, "w": _of_weights}, copy=False)
def inside(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """The correlation of x with w, which has as many axes, at the places where w lies inside of x."""
    return _correlated(x, w)


# ---- along one axis, with edges


def _turned(w: np.ndarray, before: int) -> int:
    """The origin with which a correlation with the reversed weights is the transpose."""
    return len(w) - 1 - len(w) // 2 - before


def _line(
    x: np.ndarray, w: np.ndarray, axis: int, mode: str, origin: int, out: np.ndarray | None = None
) -> np.ndarray:
    """In the array `out`, which may be x, unless the weights are complex."""
    if np.iscomplexobj(w):  # SciPy would conjugate them
        return _line(x, w.real, axis, mode, origin) + 1j * _line(x, w.imag, axis, mode, origin)
    return scipy.ndimage.correlate1d(x, w, axis, out, mode, origin=origin)


def _line_back(
    c: np.ndarray, w: np.ndarray, out: np.ndarray, *, axis: int, mode: str, before: int
) -> np.ndarray:
    """Inside it is a correlation with the reversed weights; cotangents beyond the edges are added where their values
    come from. The result is in `out`, which may be c, as in `_line`."""
    n, after = c.shape[axis], len(w) - 1 - before
    turned, kind = np.ascontiguousarray(w[::-1]), EDGES[mode]
    inside = lambda mode: _line(c, turned, axis, mode, _turned(w, before), out)
    # a circulant matrix; and one that is symmetric, edges included: w[j - i] + w[j + i + 1] + ..
    if kind == "wrap" or (kind == "symmetric" and before == after and np.array_equal(w, turned)):
        return inside(mode)
    if kind == "constant":
        return inside("constant")
    places = np.pad(np.arange(n), (before, after), "edge" if n == 1 else kind)  # type: ignore[call-overload]
    lines, widths = np.moveaxis(c, axis, 0), [(0, 0)] * (c.ndim - 1)
    beyond = []  # the parts beyond the edges that the weights reach, with zeros if the array is shorter
    if before:
        rows = np.pad(lines[:before], [(0, max(before - n, 0)), *widths])
        beyond.append((places[:before], _line(rows, turned, 0, "constant", _turned(w, 0))))
    if after:
        rows = np.pad(lines[max(n - after, 0) :], [(max(after - n, 0), 0), *widths])
        beyond.append((places[before + n :], _line(rows, turned, 0, "constant", _turned(w, len(w) - 1))))
    found = inside("constant")
    for there, rows in beyond:
        _add_at(np.moveaxis(found, axis, 0), there, rows)
    return found


def _add_at(x: np.ndarray, places: np.ndarray, rows: np.ndarray) -> None:
    if len(set(places.tolist())) == len(places):
        x[places] += rows
    else:
        np.add.at(x, places, rows)


def _line_weights(
    c: np.ndarray, x: np.ndarray, w: np.ndarray, *, axis: int, mode: str, before: int
) -> np.ndarray:
    ends = [(before, len(w) - 1 - before) if k == axis else (0, 0) for k in range(x.ndim)]
    kind = "edge" if x.shape[axis] == 1 and EDGES[mode] == "reflect" else EDGES[mode]
    wide = np.pad(x, ends, kind)  # type: ignore[call-overload]
    return _of_weights(c, wide, along(w, axis, x.ndim)).ravel()


class Step(NamedTuple):
    """A correlation with weights along one axis, `before` of them in front of the place. Beyond a constant edge are
    zeros."""

    axis: int
    mode: str
    before: int


Steps = Sequence[tuple[np.ndarray, Step]]


def _forward(x: np.ndarray, steps: Steps) -> np.ndarray:
    out = _of_all(x, steps)
    for w, (axis, mode, before) in steps:
        x = _line(x, w, axis, mode, before - len(w) // 2, out)
    return x


def _backward(c: np.ndarray, steps: Steps) -> np.ndarray:
    out = _of_all(c, steps)
    for w, step in reversed(steps):
        c = _line_back(c, w, out, **step._asdict())
    return c


def _of_all(x: np.ndarray, steps: Steps) -> np.ndarray:
    """An array like x for the result of all steps, which may follow each other in it."""
    return empty(x.shape, np.result_type(x, *(w for w, _ in steps)))


@functools.cache
def lines(count: int) -> Callable:
    """`lines(k)(x, *weights, steps=)`: correlations along axes, one after the other, in one call of the host.

    It is linear in x and in each of the weights.
    """

    def lines(x: np.ndarray, *weights: np.ndarray, steps: tuple[Step, ...]) -> np.ndarray:
        return _forward(x, list(zip(weights, steps, strict=True)))

    def of_x(c: np.ndarray, x: np.ndarray, *weights: np.ndarray, steps: tuple[Step, ...]) -> np.ndarray:
        return _backward(c, list(zip(weights, steps, strict=True)))

    def of_weights(i: int) -> Callable:
        def back(c: np.ndarray, x: np.ndarray, *weights: np.ndarray, steps: tuple[Step, ...]) -> np.ndarray:
            every = list(zip(weights, steps, strict=True))
            return _line_weights(
                _backward(c, every[i + 1 :]), _forward(x, every[:i]), weights[i], **steps[i]._asdict()
            )

        return back

    names = [f"w{i}" for i in range(count)]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter(name, kind) for name in ("x", *names)]
    parameters.append(inspect.Parameter("steps", inspect.Parameter.KEYWORD_ONLY))
    lines.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return linear(
        lines,
        out=lambda x, *weights, **_: shaped(x, None, *weights),
        static=("steps",),
        copy=False,
        transpose={"x": of_x} | {name: of_weights(i) for i, name in enumerate(names)},
    )


def extended(x: Any, ends: Sequence[tuple[int, int]], mode: str, cval: float = 0.0) -> Any:
    """x with so many values added before and after each axis."""
    for axis, (before, after) in enumerate(ends):
        widths = [(before, after) if k == axis else (0, 0) for k in range(x.ndim)]
        # NumPy repeats a single value in all modes; JAX's "reflect" does not
        kind = "edge" if x.shape[axis] == 1 and EDGES[mode] == "reflect" else EDGES[mode]
        x = jnp.pad(x, widths, kind, **({"constant_values": cval} if kind == "constant" else {}))
    return x


def correlated(x: Any, w: Any, modes: Sequence[str], cval: float, origins: Sequence[int]) -> Any:
    """As `scipy.ndimage.correlate`, with a mode and an origin for each axis."""
    long = [axis for axis, size in enumerate(w.shape) if size > 1]
    if len(long) == 1 and x.size:
        (axis,) = long
        constant = EDGES[modes[axis]] == "constant" and cval != 0
        before = w.shape[axis] // 2 + origins[axis]
        steps = (Step(axis, modes[axis], before),)
        y = lines(1)(x - cval if constant else x, jnp.ravel(w), steps=steps)
        return y + cval * jnp.sum(w) if constant else y
    for axis, (size, mode, origin) in enumerate(zip(w.shape, modes, origins, strict=True)):
        before = size // 2 + origin
        ends = [(before, size - 1 - before) if k == axis else (0, 0) for k in range(x.ndim)]
        x = extended(x, ends, mode, cval)
    return inside(x, w)


def one_by_one(
    x: Any,
    weights: Sequence[Any],
    axes: Sequence[int],
    modes: Sequence[str],
    cval: float,
    origins: Sequence[int],
) -> Any:
    """The correlation with weights [k] along each axis in turn."""
    rows = list(zip(weights, axes, modes, origins, strict=True))
    if rows and x.size and not any(EDGES[mode] == "constant" and cval != 0 for mode in modes):
        steps = tuple(Step(axis % x.ndim, mode, len(w) // 2 + origin) for w, axis, mode, origin in rows)
        return lines(len(rows))(x, *(jnp.asarray(w, x.dtype) for w in weights), steps=steps)
    for w, axis, mode, origin in rows:
        own = [mode if k == axis % x.ndim else "constant" for k in range(x.ndim)]
        at = [origin if k == axis % x.ndim else 0 for k in range(x.ndim)]
        x = correlated(x, along(jnp.asarray(w, x.dtype), axis, x.ndim), own, cval, at)
    return x


def flipped(w: Any, origins: Sequence[int]) -> tuple[Any, list[int]]:
    """The weights and origins of the correlation that equals the convolution with these."""
    return jnp.flip(w), [-origin - (size % 2 == 0) for origin, size in zip(origins, w.shape, strict=True)]


def along(w: Any, axis: int, ndim: int) -> Any:
    """Weights along one axis, as an array with so many axes."""
    return w.reshape([-1 if k == axis % ndim else 1 for k in range(ndim)])


def checked(function: str, mode: str | Sequence[str], ndim: int) -> list[str]:
    """A mode for each axis."""
    modes = [mode] * ndim if isinstance(mode, str) else list(mode)
    if len(modes) != ndim or not set(modes) <= set(EDGES):
        raise SignatureError(
            f"{function}: mode={mode!r} must be one of {', '.join(EDGES)}, or one for each of {ndim} axes."
        )
    return modes

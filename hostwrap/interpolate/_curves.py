"""Splines along the points of a curve, by the length of the lines between these; and operations on splines."""

from __future__ import annotations

import dataclasses
import math
import warnings
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.interpolate

from hostwrap._errors import SignatureError
from hostwrap._recipes.cores import arrays, inexact, interval
from hostwrap._types import ArrayLike
from hostwrap._wrap import wrap
from hostwrap.interpolate._bsplines import AlongAxis, BSpline, Spline
from hostwrap.interpolate._fitted import InterpolatedUnivariateSpline, given
from hostwrap.interpolate._smoothed import is_zero, smoothed, splev, triple, unpacked


def _curve(
    name: str, x: Any, w: Any, u: Any, ends: tuple, k: int, s: Any, others: dict[str, Any]
) -> tuple[Any, Any, Any]:
    """The knots, the coefficients [n, d], and the parameters of the points."""
    if any(isinstance(v, jax.Array | np.ndarray) or v for v in others.values()):
        raise SignatureError(f"{name}: wants nothing for {', '.join(others)}; make_lsq_spline takes knots.")
    points = jnp.stack(arrays(name, **{f"x{i}": row for i, row in enumerate(x)}))
    points = points.astype(inexact(points))
    if points.ndim != 2 or points.shape[1] <= k:
        raise SignatureError(f"{name}: wants d coordinates of m > k = {k} points, got {points.shape}.")
    if u is None:
        steps = jnp.sqrt(jnp.sum(jnp.diff(points) ** 2, 0))
        far = jnp.concatenate([jnp.zeros(1, steps.dtype), jnp.cumsum(steps)])
        u = far / far[-1]
    (u,) = arrays(name, u=u)
    if is_zero(s):
        splines = [InterpolatedUnivariateSpline(u, row, None, ends, k) for row in points]
        return splines[0].t, jnp.stack([jnp.asarray(f.c) for f in splines], -1), u
    sites, _, w, ends = given(name, u, points[0], w, ends, k)
    (s,) = arrays(name, s=s)
    t, c, _ = smoothed(sites, points.T.astype(sites.dtype), w, s.astype(sites.dtype), ends, k, name)
    return t, c, u


def splprep(
    x: ArrayLike, w: ArrayLike | None = None, u: ArrayLike | None = None,
    ub: ArrayLike | None = None, ue: ArrayLike | None = None, k: int = 3,
    task: int = 0, s: ArrayLike | None = None, t: ArrayLike | None = None, full_output: int = 0,
    nest: int | None = None, per: int = 0, quiet: int = 1,
) -> tuple[list, jax.Array]:  # fmt: skip
    """`scipy.interpolate.splprep`: a spline along the points of a curve, and the parameter of each point.

    Differentiable in the points, w, s and in given parameters, to any order; where none are given, also through the
    lengths of the lines that make them. With s = 0 it goes through the points, else as close to them as s says: then
    FITPACK chooses knots, and derivatives are those of `UnivariateSpline`.

    Args:
        x: d arrays [m], the coordinates.
        w: [m], positive, the weights; 1 by default.
        u: [m], the parameters; the length of the lines up to each point by default, 1 in all.
        ub, ue: the ends of the domain, those of u by default.
        k: the degree, 1 to 5.
        s: a number >= 0, about the sum of squares of weighted distances; by default `m - sqrt(2 m)`.
        task, t, full_output, per: as by default.

    Returns:
        `[t, [c1, ..., cd], k]` and u.

    Raises:
        SignatureError: other options, shapes that do not fit.

    >>> import jax, numpy as np
    >>> x = np.array([0.0, 3.0, 6.0])
    >>> print(jax.jacfwd(lambda y: splprep([x, y], k=1, s=0)[1])(np.array([0.0, 4.0, 0.0])))
    [[ 0.    0.    0.  ]
     [-0.04  0.    0.04]
     [ 0.    0.    0.  ]]
    """
    s = len(x[0]) - math.sqrt(2 * len(x[0])) if s is None else s  # type: ignore[arg-type, index]
    others = {"task": task, "t": t, "per": per, "full_output": full_output}
    knots, c, u = _curve("splprep", x, w, u, (ub, ue), k, s, others)
    return [knots, list(c.T), k], u  # type: ignore[return-value]


def make_splprep(
    x: ArrayLike, *, w: ArrayLike | None = None, u: ArrayLike | None = None,
    ub: ArrayLike | None = None, ue: ArrayLike | None = None, k: int = 3,
    s: ArrayLike = 0, t: ArrayLike | None = None, nest: int | None = None, bc_type: Any = None,
) -> tuple[BSpline, jax.Array]:  # fmt: skip
    """`scipy.interpolate.make_splprep`: as `splprep`, with s=0 by default; a `BSpline` with coefficients [n, d], and u.

    At places [...] its values are [d, ...].

    >>> import jax, numpy as np
    >>> x = np.array([0.0, 3.0, 6.0])
    >>> curve, u = make_splprep([x, np.array([0.0, 4.0, 0.0])], k=1)
    >>> print(curve(0.25))
    [1.5 2. ]
    """
    knots, c, u = _curve("make_splprep", x, w, u, (ub, ue), k, s, {"nest": nest, "t": t, "bc_type": bc_type})
    return AlongAxis(knots, c, k, axis=1), u  # type: ignore[return-value]


def spalde(x: ArrayLike, tck: Spline) -> jax.Array:
    """`scipy.interpolate.spalde`: the spline and all its derivatives at x, [..., k + 1]; in the knots and c too.

    >>> import numpy as np
    >>> from hostwrap.interpolate import splrep
    >>> x = np.arange(6.0)
    >>> print(spalde(2.0, splrep(x, x**2)).round(6) + 0)
    [4. 4. 2. 0.]
    """
    k = unpacked("spalde", tck).k
    return jnp.stack([splev(x, tck, order) for order in range(k + 1)], -1)


def insert(x: ArrayLike, tck: Spline, m: int = 1, per: int = 0) -> tuple[jax.Array, jax.Array, int]:
    """`scipy.interpolate.insert`: the same spline with one knot more, x, m times (Boehm's algorithm).

    Args:
        x: a number inside of the domain. tck: (t, c, k). m: how often. per: 0.

    Returns:
        `(t, c, k)`.

    Raises:
        SignatureError: another `per`.

    >>> import jax, numpy as np
    >>> from hostwrap.interpolate import splrep
    >>> x = np.arange(4.0)
    >>> print(jax.jacfwd(lambda at: insert(at, splrep(x, x**2, k=1))[1][:5])(1.5))
    [0. 0. 3. 0. 0.]
    """
    if per:
        raise SignatureError("insert: wants per=0.")
    f = unpacked("insert", tck)
    t, c, k = jnp.asarray(f.t), jnp.asarray(f.c), f.k
    (x,) = arrays("insert", x=x)
    for _ in range(m):
        n = c.shape[0]
        last = interval(t, x, k, n - 1)
        i = np.arange(n + 1)
        width = t[np.minimum(i + k, n + k)] - t[i]
        share = (x - t[i]) / jnp.where(width > 0, width, 1.0)
        share = jnp.where(i <= last - k, 1.0, jnp.where(i > last, 0.0, share))
        wide = jnp.pad(c, 1)
        c = share * wide[1:] + (1 - share) * wide[:-1]
        t = jnp.where(np.arange(n + k + 2) <= last, jnp.pad(t, (0, 1)), jnp.pad(t, (1, 0)))
        t = t.at[last + 1].set(x)
    return triple(dataclasses.replace(f, t=t, c=c))


def sproot(tck: Spline, mest: int = 10) -> jax.Array:
    """`scipy.interpolate.sproot`: the places where a cubic spline is 0, differentiable in its knots and coefficients.

    A root r moves by -ds(r) / s'(r), to any order; where two coincide, it is infinite or NaN.

    Args:
        tck: (t, c, 3), or a spline of `splrep`.
        mest: how many roots are expected; SciPy finds no more.

    Returns:
        the roots, ascending. In a compiled program their number is not known: there are mest, and NaN fills them up.

    Raises:
        SignatureError: the spline is not cubic.

    >>> import jax, numpy as np
    >>> from hostwrap.interpolate import splrep
    >>> x = np.arange(6.0)
    >>> print(jax.jacfwd(lambda y: sproot(splrep(x, y - 10)))(x**2).round(3)[0, 3])
    -0.154
    """
    f = unpacked("sproot", tck)
    if f.k != 3:
        raise SignatureError(f"sproot: the spline must have degree 3, got {f.k}.")
    t, c = jnp.asarray(f.t), jnp.asarray(f.c)
    start = _roots(*jax.lax.stop_gradient((t, c)), mest=int(mest))
    there = jnp.isfinite(start)
    held = jnp.where(there, start, t[f.k])
    roots = jax.lax.custom_root(
        lambda x: jnp.where(there, splev(x, triple(dataclasses.replace(f, t=t, c=c))), x - held),
        held,
        lambda _, held: held,
        lambda slope, right: right / slope(jnp.ones_like(right)),
    )
    found = jnp.where(there, roots, jnp.nan)
    return found if isinstance(there, jax.core.Tracer) else found[: int(there.sum())]


@wrap(out=lambda t, c, mest: jax.ShapeDtypeStruct((mest,), c.dtype), static=("mest",))
def _roots(t: np.ndarray, c: np.ndarray, *, mest: int) -> np.ndarray:
    """The roots. Infinite knots at the end do not count."""
    t = t[np.isfinite(t)]
    found = np.full(mest, np.nan)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # SciPy warns if there are more than mest
        roots = np.sort(scipy.interpolate.sproot((t, c[: len(t)], 3), mest))[:mest]
    found[: len(roots)] = roots
    return found

"""`scipy.spatial.distance`, differentiable: the distances of all pairs of points, in the points, weights and metrics.

The distance of coincident points has no derivative (it is a cone); hostwrap takes 0. It does the same for a difference
of 0 in cityblock, canberra and braycurtis.

Results of single precision arguments are single precision, and integers are converted to floating-point numbers.
Shapes that do not fit raise `SignatureError`. If SciPy refuses an argument, its own error is raised; inside a compiled
program this is a `HostCallError`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.spatial.distance

from hostwrap._errors import SignatureError, missing_derivative
from hostwrap._host.memory import empty
from hostwrap._recipes.cores import arrays, inexact
from hostwrap._recipes.elsewhere import elsewhere
from hostwrap._recipes.hosted import hosted, shaped
from hostwrap._types import ArrayLike
from hostwrap._wrap import wrap
from hostwrap.spatial._pairs import FEW, among, between

__all__ = ["cdist", "directed_hausdorff", "pdist"]


def __dir__() -> list[str]:
    """What completion shows."""
    return sorted(__all__)


if not TYPE_CHECKING:  # to checkers such a name is an error
    __getattr__ = elsewhere(__name__, __all__)


def _root(x: Any) -> Any:
    return jnp.where(x > 0, jnp.sqrt(jnp.where(x > 0, x, 1.0)), 0.0)


def _size(x: Any) -> Any:
    """The absolute value, with the derivative 0 at 0."""
    return jnp.where(x == 0, 0.0, jnp.abs(x))


def _sum(term: Callable, *arrays: Any) -> Any:
    """The sum of the terms over the coordinates, the leading axis. A few are added one by one, so that the compiler
    makes one loop over all pairs."""
    few = 0 < arrays[0].shape[0] <= FEW
    return sum(term(*row) for row in zip(*arrays, strict=True)) if few else jnp.sum(term(*arrays), 0)


def _minkowski(u: Any, v: Any, w: Any, p: float) -> Any:
    if np.isinf(p):
        return METRICS["chebyshev"](u, v, w)

    def power(u: Any, v: Any, w: Any) -> Any:
        """Powers whose derivative at 0 is 0, where JAX has NaN for exponents that are not integers."""
        apart = _size(u - v)
        return w * jnp.where(apart > 0, jnp.where(apart > 0, apart, 1.0) ** p, 0.0)

    total = _sum(power, u, v, w)
    return jnp.where(total > 0, jnp.where(total > 0, total, 1.0) ** (1 / p), 0.0)


def _cosine(u: Any, v: Any, w: Any) -> Any:
    size = lambda x: _sum(lambda x, w: w * x * x, x, w)
    return 1 - _sum(lambda u, v, w: w * u * v, u, v, w) / jnp.sqrt(size(u) * size(v))


def _correlation(u: Any, v: Any, w: Any) -> Any:
    w = w / jnp.sum(w)
    mean = lambda x: _sum(lambda x, w: w * x, x, w)
    return _cosine(u - mean(u), v - mean(v), w)


def _canberra(u: Any, v: Any, w: Any) -> Any:
    def share(u: Any, v: Any, w: Any) -> Any:
        size = _size(u) + _size(v)
        return jnp.where(size > 0, w * _size(u - v) / jnp.where(size > 0, size, 1.0), 0.0)

    return _sum(share, u, v, w)


def _jensenshannon(u: Any, v: Any, w: Any) -> Any:
    entropy = jax.scipy.special.rel_entr
    both = lambda p, q: entropy(p, (p + q) / 2) + entropy(q, (p + q) / 2)
    return _root(_sum(both, u / jnp.sum(u, 0), v / jnp.sum(v, 0)) / 2)


def _square(u: Any, v: Any, w: Any) -> Any:
    return w * (u - v) ** 2


def _apart(u: Any, v: Any, w: Any) -> Any:
    return w * _size(u - v)


METRICS: dict[str, Callable] = {
    "euclidean": lambda u, v, w: _root(_sum(_square, u, v, w)),
    "sqeuclidean": lambda u, v, w: _sum(_square, u, v, w),
    "cityblock": lambda u, v, w: _sum(_apart, u, v, w),
    "chebyshev": lambda u, v, w: jnp.max(jnp.where(w > 0, _size(u - v), 0.0), 0),
    "cosine": _cosine,
    "correlation": _correlation,
    "canberra": _canberra,
    "braycurtis": lambda u, v, w: _sum(_apart, u, v, w) / _sum(_apart, u, -v, w),
    "jensenshannon": _jensenshannon,
}
WITHOUT_WEIGHTS = ("jensenshannon", "seuclidean", "mahalanobis")


def _pairs(XA: Any, XB: Any, metric: str, p: Any, w: Any, V: Any, VI: Any, both: Any) -> Any:
    few = XA.shape[1] <= FEW
    weights = jnp.ones(XA.shape[1], XA.dtype) if w is None else w
    if few:  # coordinates in front, and the points of the two sides behind
        weights = weights[:, None, None]
    if metric == "minkowski":
        pair = lambda u, v: _minkowski(u, v, weights, 2.0 if p is None else p)
    elif metric == "seuclidean":
        V = jnp.var(both, 0, ddof=1) if V is None else V
        V = V.reshape(-1, *[1] * (weights.ndim - 1))
        pair = lambda u, v: _root(_sum(lambda u, v, V: (u - v) ** 2 / V, u, v, V))
    elif metric == "mahalanobis":
        VI = jnp.linalg.inv(jnp.atleast_2d(jnp.cov(both.T))).T if VI is None else VI
        pair = lambda u, v: _root(_sum(lambda d, e: d * e, u - v, jnp.tensordot(VI, u - v, 1)))
    elif metric in METRICS:
        pair = lambda u, v: METRICS[metric](u, v, weights)
    else:
        there = ", ".join(sorted([*METRICS, "minkowski", "seuclidean", "mahalanobis"]))
        raise missing_derivative("cdist", "XA", f"metric={metric!r} has none; these have: {there}")
    if few:
        return jnp.broadcast_to(pair(XA.T[:, :, None], XB.T[:, None, :]), (XA.shape[0], XB.shape[0]))
    return jax.vmap(jax.vmap(pair, (None, 0)), (0, None))(XA, XB)


def _given(**options: Any) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


@hosted(
    "XA XB w V VI",
    lambda XA, XB, *_, **__: shaped(XA, (XA.shape[0], XB.shape[0]), XB),
    lambda XA, XB, w, V, VI, metric, p: _pairs(XA, XB, metric, p, w, V, VI, jnp.concatenate([XA, XB])),
)
def _cdist(XA: Any, XB: Any, w: Any, V: Any, VI: Any, metric: str, p: Any) -> Any:
    return scipy.spatial.distance.cdist(XA, XB, metric, **_given(p=p, w=w, V=V, VI=VI))


@hosted("XA XB", lambda XA, XB, metric: shaped(XA, (XA.shape[0], XB.shape[0]), XB))
def _straight(XA: Any, XB: Any, metric: str) -> Any:
    return scipy.spatial.distance.cdist(XA, XB, metric, out=empty((len(XA), len(XB)), float))


@_straight.hosted.defjvp  # type: ignore[attr-defined]
def _straight_jvp(primals: tuple, tangents: tuple, metric: str) -> tuple:
    XA, XB = primals
    distances = _straight(XA, XB, metric)
    return distances, between(XA, XB, distances, tangents, metric == "sqeuclidean")


def _upper(X: Any, w: Any, V: Any, VI: Any, metric: str, p: Any) -> Any:
    return _pairs(X, X, metric, p, w, V, VI, X)[np.triu_indices(X.shape[0], 1)]


@hosted("X w V VI", lambda X, *_, **__: shaped(X, (X.shape[0] * (X.shape[0] - 1) // 2,)), _upper)
def _pdist(X: Any, w: Any, V: Any, VI: Any, metric: str, p: Any) -> Any:
    return scipy.spatial.distance.pdist(X, metric, **_given(p=p, w=w, V=V, VI=VI))


@hosted("X", lambda X, metric: shaped(X, (X.shape[0] * (X.shape[0] - 1) // 2,)))
def _straight_among(X: Any, metric: str) -> Any:
    return scipy.spatial.distance.pdist(X, metric, out=empty((len(X) * (len(X) - 1) // 2,), float))


@_straight_among.hosted.defjvp  # type: ignore[attr-defined]
def _straight_among_jvp(primals: tuple, tangents: tuple, metric: str) -> tuple:
    (X,), (moves,) = primals, tangents
    distances = _straight_among(X, metric)
    return distances, among(X, distances, moves, metric == "sqeuclidean")


def _is_straight(metric: str, *options: Any) -> bool:
    return metric in ("euclidean", "sqeuclidean") and all(x is None for x in options)


def _checked(name: str, points: list, metric: Any, w: Any) -> None:
    shapes = [np.shape(x) for x in points]
    if not isinstance(metric, str):
        raise SignatureError(
            f"{name}: metric={metric!r:.40} must be a string; a function of your own goes by jax.vmap."
        )
    if any(len(s) != 2 or s[1] != shapes[0][1] for s in shapes):
        raise SignatureError(
            f"{name}: wants points of shapes (n, k) and (m, k), got {', '.join(map(str, shapes))}. (Batches: jax.vmap.)"
        )
    if w is not None and metric in WITHOUT_WEIGHTS:
        raise SignatureError(f"{name}: metric={metric!r} takes no weights w.")


def cdist(
    XA: ArrayLike, XB: ArrayLike, metric: str = "euclidean", *, p: float | None = None, w: ArrayLike | None = None,
    V: ArrayLike | None = None, VI: ArrayLike | None = None,
) -> jax.Array:  # fmt: skip
    """`scipy.spatial.distance.cdist`: the distance of each point of XA to each of XB, [n, m].

    Args:
        XA, XB: [n, k], [m, k], real. Use vmap for batches.
        metric: a name.
        p: the exponent of minkowski, a number.
        w: weights [k].
        V: the variances of seuclidean, [k].
        VI: the inverse covariance of mahalanobis, [k, k].

    Returns:
        SciPy's value, with derivatives of any order in all arrays. Metrics of booleans, such as hamming, have none. If
        you leave out V and VI, derivatives include those of the variances that are computed from the points.

    Raises:
        SignatureError: shapes do not fit.
        MissingDerivative: you asked for a derivative of a metric that has none.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda x: cdist(x, np.zeros((1, 2)))[0, 0])(np.array([[3.0, 4.0]])))
    [[0.6 0.8]]
    """
    _checked("cdist", [XA, XB], metric, w)
    if _is_straight(metric, p, w, V, VI):
        return _straight(XA, XB, metric)
    return _cdist(XA, XB, w, V, VI, metric, p)


def pdist(
    X: ArrayLike,
    metric: str = "euclidean",
    *,
    p: float | None = None,
    w: ArrayLike | None = None,
    V: ArrayLike | None = None,
    VI: ArrayLike | None = None,
) -> jax.Array:
    """`scipy.spatial.distance.pdist`: the distances [n (n - 1) / 2] of all pairs of points in X [n, k]; see `cdist`.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda x: pdist(x, "sqeuclidean")[0])(np.array([[3.0, 4.0], [1.0, 1.0]])))
    [[ 4.  6.]
     [-4. -6.]]
    """
    _checked("pdist", [X], metric, w)
    if _is_straight(metric, p, w, V, VI):
        return _straight_among(X, metric)
    return _pdist(X, w, V, VI, metric, p)


@wrap(
    out=lambda u, v: (
        jax.ShapeDtypeStruct((), u.dtype),
        *[jax.ShapeDtypeStruct((), jnp.result_type(int))] * 2,
    )
)
def _hausdorff(u: np.ndarray, v: np.ndarray) -> tuple:
    return scipy.spatial.distance.directed_hausdorff(u, v)


@_hausdorff.defjvp
def _hausdorff_jvp(primals: tuple, tangents: tuple) -> tuple:
    """The tangent of the distance of the two points that determine it; that of coincident points has no derivative."""
    found = _hausdorff(*primals)
    size, i, j = found
    apart = primals[0][i] - primals[1][j]
    moved = sum(sign * t[k] for t, k, sign in zip(tangents, (i, j), (1, -1), strict=True) if t is not None)
    good = size > 0
    return found, (jnp.where(good, apart @ moved / jnp.where(good, size, 1.0), 0.0), None, None)


def directed_hausdorff(u: ArrayLike, v: ArrayLike, rng: Any = 0) -> tuple[jax.Array, jax.Array, jax.Array]:
    """`scipy.spatial.distance.directed_hausdorff`: the largest distance from a point of u to its nearest one of v.

    Args:
        u, v: [n, k], [m, k], real. Use vmap for batches.
        rng: has no effect on the result.

    Returns:
        the distance, differentiable to any order in both, and integers i, j: it is the distance of `u[i]` and `v[j]`.
        Derivatives keep these two points; where other points take their place, the distance has a kink.

    Raises:
        SignatureError: shapes that do not fit.

    >>> import jax, numpy as np
    >>> u, v = np.array([[0.0, 0.0], [3.0, 4.0]]), np.zeros((1, 2))
    >>> print(jax.grad(lambda u: directed_hausdorff(u, v)[0])(u))
    [[0.  0. ]
     [0.6 0.8]]
    """
    u, v = arrays("directed_hausdorff", u=u, v=v)
    _checked("directed_hausdorff", [u, v], "euclidean", None)
    real = inexact(u, v)
    return _hausdorff(u.astype(real), v.astype(real))

"""Rational functions by the AAA algorithm (Nakatsukasa, Sete and Trefethen, SIAM J. Sci. Comput. 40, 2018).

r(z) = N / D with N = sum w_j f_j / (z - z_j) and D = sum w_j / (z - z_j), where the z_j are some of the sites. The
algorithm chooses them one after the other: derivatives hold which. The weights w are the last right singular vector of
the matrix A of the other sites, A_ij = (f_i - f_j) / (z_i - z_j). With s its singular value: A w = y, A* y = s^2 w.
"""

from __future__ import annotations

import dataclasses
import warnings
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.interpolate

from hostwrap._errors import SignatureError
from hostwrap._recipes.cores import arrays, as_one, inexact
from hostwrap._types import ArrayLike
from hostwrap._wrap import wrap


def _results(x: Any, y: Any, *, max_terms: int, **_: Any) -> tuple:
    shape, whole, terms = jax.ShapeDtypeStruct, jnp.result_type(int), min(max_terms, x.shape[0])
    both = jnp.result_type(x, y)
    return (
        shape((terms,), whole), shape((), whole), shape((terms,), both), shape(x.shape, bool), shape((), bool),
        shape((), bool),
    )  # fmt: skip


@wrap(out=_results, static=("rtol", "max_terms", "clean_up", "clean_up_tol"), derivatives="rules")
def _chosen(
    x: np.ndarray, y: np.ndarray, *, rtol: float | None, max_terms: int, clean_up: bool, clean_up_tol: float
) -> tuple:  # fmt: skip
    """Which sites are support points, their number, and their weights; which other sites say the weights; whether the
    columns of their matrix are scaled; whether the weights are the only ones."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        options: dict[str, Any] = {"clean_up": clean_up, "clean_up_tol": clean_up_tol}
        found = scipy.interpolate.AAA(x, y, rtol=rtol, max_terms=max_terms, **options)
    there = np.flatnonzero(np.isfinite(y))
    _, first = np.unique(x[there], return_index=True)
    there = there[first]  # SciPy sorts the sites, and leaves out what comes again
    at = there[np.searchsorted(x[there], found.support_points)]
    others = np.zeros(len(x), bool)
    others[there] = True
    others[at] = False
    count, rows = len(at), int(others.sum())
    A = (y[others, None] - y[at]) / (x[others, None] - x[at])
    scale = np.sqrt(np.sum(np.abs(A) ** 2, 0))
    # SciPy scales the columns of what is ill-conditioned, and does not say so: those weights leave over more of A
    plain = _last(A)
    scaled = _last(A / scale) / scale if np.all(scale > 0) else plain
    is_scaled = _cosine(scaled, found.weights) > _cosine(plain, found.weights)
    sizes = np.linalg.svd(A / scale if is_scaled else A, compute_uv=False)
    # the error of a singular vector is that of the matrix over the gap, and derivatives have that of the vector
    gap = sizes[-2] - sizes[-1] if len(sizes) == count > 1 else sizes[-1] if count > 1 else np.inf
    only = rows >= count - 1 and (count < 2 or gap > np.finfo(sizes.dtype).eps ** 0.6 * sizes[0])
    room = (0, min(max_terms, len(x)) - count)
    return (
        np.pad(at, room), np.array(count), np.pad(found.weights, room), others, np.array(is_scaled), np.array(only)
    )  # fmt: skip


def _last(A: np.ndarray) -> np.ndarray:
    return np.linalg.svd(A)[2][-1].conj()


def _cosine(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.abs(np.vdot(a, b)) / (np.linalg.norm(a) * np.linalg.norm(b)))


def _null_vector(A: Any, w: Any, only: Any) -> Any:
    """The last right singular vector, which is w; its derivatives follow from the equations above and `w . w = 1`.

    They are solved with the singular vectors. Without y the condition would be squared. Where w is not the only one
    that does as well, derivatives are NaN.
    """
    held = jax.lax.stop_gradient(A)
    w = jax.lax.stop_gradient(w)
    U, s, V = jnp.linalg.svd(held, full_matrices=False)
    last = jnp.arange(s.shape[0]) == s.shape[0] - 1
    square, apart = s[-1] ** 2, jnp.where(last, 1.0, (s - s[-1]) * (s + s[-1]))
    apart = jnp.where(only, apart, jnp.nan)

    # one vector, because JAX wants all of a right side to move where a part does
    sizes = np.array([A.shape[1], sum(A.shape)])

    def equations(unknown: Any) -> Any:
        w_, y, size = jnp.split(unknown, sizes)
        return jnp.concatenate([A.conj().T @ y - size * w_, A @ w_ - y, jnp.vdot(w, w_)[None] - 1.0])

    def solution(right: Any) -> Any:
        q, p, r = jnp.split(right, sizes)
        inward = V @ q + s * (U.conj().T @ p)
        dw = V.conj().T @ jnp.where(last, 0.0, inward / apart) + r * w
        return jnp.concatenate([dw, held @ dw - p, -inward[-1:] / (V[-1] @ w)])

    def solve(linear: Any, right: Any) -> Any:
        back = lambda _, c: jax.linear_transpose(solution, right)(c)[0]
        return jax.lax.custom_linear_solve(linear, right, lambda _, b: solution(b), back)

    start = jnp.concatenate([w, held @ w, square.astype(A.dtype)[None]])
    return jax.lax.custom_root(equations, start, lambda _, z: z, solve)[: A.shape[1]]


@as_one("options")
def _fitted(x: Any, y: Any, options: tuple) -> tuple[Any, Any, Any, Any]:
    """Support points, values, weights and their number; where there are fewer, weights are 0."""
    held = jax.lax.stop_gradient((x, y))
    at, count, w, others, scaled, only = _chosen(*held, **dict(options))
    there = jnp.arange(at.shape[0]) < count
    zj, fj, real = x[at], jnp.where(there, y[at], 0.0), jnp.finfo(w.dtype).dtype
    use = others[:, None] & there
    apart = jnp.where(use, x[:, None] - zj, 1.0)
    A = jnp.where(use, (jnp.where(others, y, 0.0)[:, None] - fj) / apart, 0.0).astype(w.dtype)
    norms = jnp.sum(jnp.abs(A) ** 2, 0)
    scale = jnp.where(there & scaled, jnp.sqrt(jnp.where(norms > 0, norms, 1.0)), 1.0).astype(real)
    A = A / scale
    # columns without a support point get a row of their own, greater than all others
    size = jax.lax.stop_gradient(jnp.sqrt(jnp.sum(jnp.abs(A) ** 2)))
    A = jnp.concatenate([A, jnp.diag(jnp.where(there, 0.0, size + 1.0)).astype(A.dtype)])
    start = w * jax.lax.stop_gradient(scale)
    length = jnp.sqrt(jnp.sum(jnp.abs(start) ** 2))
    return zj, fj, _null_vector(A, start / length, only) * length / scale, count


@as_one()
def _value(z: Any, zj: Any, fj: Any, w: Any) -> Any:
    """N and D, times the distance to the nearest support point: so they are smooth there, too."""
    apart = z[..., None] - zj
    used = jax.lax.stop_gradient(w) != 0
    nearest = jnp.argmin(jnp.where(used, jnp.abs(jax.lax.stop_gradient(apart)), jnp.inf), -1)[..., None]
    own = jnp.arange(zj.shape[0]) == nearest
    near = jnp.take_along_axis(apart, nearest, -1)
    far = ~jnp.isfinite(z)[..., None]
    shares = w * jnp.where(own | far, 1.0, near / jnp.where(own | far | (apart == 0), 1.0, apart))
    return jnp.sum(shares * fj, -1) / jnp.sum(shares, -1)


@dataclasses.dataclass(frozen=True, eq=False)
class AAA:
    """`scipy.interpolate.AAA`: the rational function near data that a greedy algorithm finds.

    Differentiable in x, y and the places, to any order; which sites become support points is held.

    Args:
        x, y: the data, [n] each, real or complex. What is not finite in y is left out.
        rtol, max_terms, clean_up, clean_up_tol: as of SciPy.

    Called with places of any shape it returns values of that shape. `poles()`, `residues()` and `roots()` return as
    many as there are; in a compiled program they have the length of `support_points`, and NaN stands behind them.

    Where the data do not say the weights, the derivatives are NaN: there other weights fit as well, but for rounding.
    So it often is with the rtol of SciPy, which goes on to the noise of rounding; take 1e-6 or the like.

    Raises:
        SignatureError: shapes that do not fit. ValueError: what SciPy refuses; inside a compiled program HostCallError.

    >>> import jax, numpy as np
    >>> x = np.linspace(0.0, 1.0, 30)
    >>> slope = jax.grad(lambda a: AAA(x, jax.numpy.exp(a * x), rtol=1e-6)(0.35))(2.0)
    >>> print(slope.round(4), (0.35 * np.exp(0.7)).round(4))
    0.7048 0.7048
    """

    x: ArrayLike
    y: ArrayLike
    _: dataclasses.KW_ONLY
    rtol: float | None = None
    max_terms: int = 100
    clean_up: bool = True
    clean_up_tol: float = 1e-13

    def _parts(self) -> tuple[Any, Any, Any]:
        """Support points, their values and their weights."""
        x, y = arrays("AAA", x=self.x, y=self.y)
        if x.ndim != 1 or y.shape != x.shape or not x.size:
            raise SignatureError(f"AAA: wants x and y of one shape (n,), got {x.shape} and {y.shape}.")
        real = jnp.finfo(inexact(x, y)).dtype
        x, y = (a if jnp.iscomplexobj(a) else a.astype(real) for a in (x, y))
        names = ("rtol", "max_terms", "clean_up", "clean_up_tol")
        *found, count = _fitted(x, y, tuple((name, getattr(self, name)) for name in names))
        if isinstance(count, jax.core.Tracer):
            return found[0], found[1], found[2]
        return tuple(part[: int(count)] for part in found)  # type: ignore[return-value]

    support_points = property(lambda self: self._parts()[0], doc="The sites through which the function goes.")
    support_values = property(lambda self: self._parts()[1], doc="Its values there.")
    weights = property(lambda self: self._parts()[2], doc="The weights of the support points.")

    def __call__(self, z: ArrayLike) -> jax.Array:
        parts = self._parts()
        (z,) = arrays("AAA", z=z)
        return _value(z if jnp.iscomplexobj(z) else z.astype(jnp.finfo(parts[2].dtype).dtype), *parts)

    def poles(self) -> jax.Array:
        """Where the denominator is 0."""
        zj, _, w = self._parts()
        return _there(*_zeros(zj, w))

    def roots(self) -> jax.Array:
        """Where the numerator is 0."""
        zj, fj, w = self._parts()
        return _there(*_zeros(zj, w * fj))

    def residues(self) -> jax.Array:
        """Those of the poles: the numerator over the slope of the denominator."""
        zj, fj, w = self._parts()
        poles, there = _zeros(zj, w)
        apart = 1 / (poles[:, None] - zj)
        return _there(jnp.sum(apart * w * fj, 1) / -jnp.sum(apart**2 * w, 1), there)


def _results_of_zeros(zj: Any, w: Any) -> Any:
    return jax.ShapeDtypeStruct(zj.shape, jnp.result_type(zj, w, jnp.complex64))


@wrap(out=_results_of_zeros, derivatives="rules")
def _eigenvalues(zj: np.ndarray, w: np.ndarray) -> np.ndarray:
    """The zeros of sum w_j / (z - z_j), by SciPy's pencil; NaN behind them."""
    f = scipy.interpolate.AAA.__new__(scipy.interpolate.AAA)
    used = w != 0
    f._support_points, f.weights, f._poles = zj[used], w[used], None
    found = f.poles()
    return np.pad(found.astype(complex), (0, len(zj) - len(found)), constant_values=np.nan)


@as_one()
def _zeros(zj: Any, w: Any) -> tuple[Any, Any]:
    """The zeros, and which of them are there; in place of others is a number that is none."""
    start = jax.lax.stop_gradient(_eigenvalues(*jax.lax.stop_gradient((zj, w))))
    there = ~jnp.isnan(start)
    start = jnp.where(there, start, 1.0 + 2.0 * jnp.max(jnp.abs(jax.lax.stop_gradient(zj))))

    def equation(z: Any) -> Any:
        return jnp.sum(w / (z[:, None] - zj), 1)

    found = jax.lax.custom_root(
        equation, start, lambda _, z: z, lambda slope, right: right / slope(jnp.ones_like(right))
    )
    return found, there


def _there(found: Any, there: Any) -> Any:
    return jnp.where(there, found, jnp.nan) if isinstance(there, jax.core.Tracer) else found[there]


jax.tree_util.register_dataclass(
    AAA, data_fields=["x", "y"], meta_fields=["rtol", "max_terms", "clean_up", "clean_up_tol"]
)

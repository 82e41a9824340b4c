"""Least squares and pseudoinverses of dense matrices of constant rank (Golub, Pereyra, SIAM J. Numer. Anal. 10)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import scipy.linalg

from hostwrap._errors import NotTaken, SignatureError
from hostwrap._recipes.cores import as_one, batched
from hostwrap._recipes.hosted import hosted, mapped, shaped
from hostwrap._recipes.scipys import as_scipys
from hostwrap._types import ArrayLike
from hostwrap._wrap import wrap


@wrap("(m,n)->(n,m)", static=("atol", "rtol"))
def _pinv(a: np.ndarray, *, atol: float | None, rtol: float | None) -> np.ndarray:
    return scipy.linalg.pinv(a, atol=atol, rtol=rtol)


@_pinv.defjvp
def _pinv_jvp(primals: Any, tangents: Any, *, atol: float | None, rtol: float | None) -> tuple:
    """The sum of three parts: that of an inverse, and those of the null spaces of rows and columns."""
    (a,), (da,) = primals, tangents
    p = _pinv(a, atol=atol, rtol=rtol)
    right = p @ p.conj().T @ da.conj().T
    left = da.conj().T @ p.conj().T @ p
    return p, -p @ da @ p + (right - right @ a @ p) + (left - p @ a @ left)


@as_scipys("scipy.linalg")
def pinv(a: ArrayLike, *, atol: float | None = None, rtol: float | None = None) -> jax.Array:
    """`scipy.linalg.pinv`: the Moore-Penrose inverse, differentiable to any order where the rank is constant.

    Args:
        a: [..., m, n], real or complex, of any rank.
        atol, rtol: as in SciPy; which singular values count is held.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda a: pinv(a)[0, 0])(np.array([[2.0], [0.0]])))
    [[-0.25]
     [ 0.  ]]
    """
    return batched("(m,n)->(n,m)")(_with(atol, rtol))(a)


def _with(atol: float | None, rtol: float | None) -> Any:
    def pinv(a: Any) -> Any:
        return _pinv(a, atol=atol, rtol=rtol)

    return pinv


def _results(a: Any, b: Any, **_: Any) -> tuple:
    (m, n), more = a.shape, b.shape[1:]
    real = jnp.finfo(jnp.result_type(a, b)).dtype
    return (
        shaped(b, (n, *more), a),
        jax.ShapeDtypeStruct(more if m > n else (0,), real),
        jax.ShapeDtypeStruct((), jnp.result_type(int)),
        jax.ShapeDtypeStruct((min(m, n),), jnp.finfo(a.dtype).dtype),
    )


def _shapes(a: Any, **_: Any) -> tuple:
    k, long = sorted(a.shape)
    return shaped(a, (long, k)), shaped(a, (k, k))


@wrap(out=_shapes, static=("eps",), derivatives="rules", copy=False)
def _factors(a: np.ndarray, *, eps: float) -> tuple:
    """q and r with a = q r, or a' = q r for a wide a. If the rank is not full, r is NaN, and q or q' is pinv(a)."""
    wide = len(a) < a.shape[1]
    q, r = scipy.linalg.qr(a.conj().T if wide else a, mode="economic", check_finite=False)
    sizes = np.abs(np.diagonal(r))
    # far from singular: then all singular values count
    if r.size and np.all(np.isfinite(r)) and sizes.min() > 0:
        (trcon,) = scipy.linalg.get_lapack_funcs(("trcon",), (r,))
        if trcon(r)[0] > 100 * len(r) * max(eps, np.finfo(r.dtype).eps):
            return q, r
    inverse = scipy.linalg.pinv(a, atol=0.0, rtol=eps)
    return inverse if wide else inverse.T, np.full(r.shape, np.nan, r.dtype)


@wrap(
    out=lambda q, r, x, wide, turned: shaped(x, (q.shape[wide == turned], *x.shape[1:]), q),
    static=("wide", "turned"),
    copy=False,
)
def _product(q: np.ndarray, r: np.ndarray, x: np.ndarray, *, wide: bool, turned: bool) -> np.ndarray:
    """pinv(a) @ x, or its transpose."""
    if np.isnan(r).all():
        return (q if wide != turned else q.T) @ x
    if not wide:  # r^-1 q^H
        if turned:
            return q.conj() @ scipy.linalg.solve_triangular(r, x, trans="T", check_finite=False)
        return scipy.linalg.solve_triangular(r, q.conj().T @ x, check_finite=False)
    if turned:  # q r^-H, because a^H = q r
        return scipy.linalg.solve_triangular(r.conj(), q.T @ x, check_finite=False)
    return q @ scipy.linalg.solve_triangular(r, x, trans="C", check_finite=False)


class _Inverse(NamedTuple):
    """pinv(a) as an operator on the host, by factors; its derivatives in a are those of the matrix."""

    a: Any
    eps: float
    forward: Callable
    backward: Callable

    @classmethod
    def of(cls, a: Any, eps: float) -> _Inverse:
        factors, wide = _factors(jax.lax.stop_gradient(a), eps=eps), a.shape[0] < a.shape[1]
        way = lambda turned: lambda x: _product(*factors, x, wide=wide, turned=turned)
        return cls(a, eps, way(False), way(True))

    def matrix(self) -> Any:
        return _pinv(self.a, atol=0.0, rtol=self.eps)

    def __matmul__(self, x: Any) -> Any:
        x = x.astype(jnp.result_type(self.a, x))
        return mapped(self.forward, lambda x: self.matrix() @ x, self.backward, x)

    def adjoint(self, x: Any) -> Any:
        """pinv(a)^H @ x."""
        x = x.astype(jnp.result_type(self.a, x))
        return mapped(
            lambda x: self.backward(x.conj()).conj(),
            lambda x: self.matrix().conj().T @ x,
            lambda c: self.forward(c.conj()).conj(),
            x,
        )


@hosted("a b", _results)
def _lstsq(a: Any, b: Any, cond: float | None, lapack_driver: str | None) -> Any:
    x, squares, rank, s = scipy.linalg.lstsq(a, b, cond, lapack_driver=lapack_driver)
    if a.shape[0] > a.shape[1] and rank < a.shape[1]:  # then SciPy returns none
        left = b - a @ x
        squares = np.sum(np.abs(left) ** 2, 0)
    return x, np.real(squares), rank, s  # SciPy's are complex if there are none


@_lstsq.hosted.defjvp  # type: ignore[attr-defined]
def _lstsq_jvp(primals: Any, tangents: Any, *, cond: float | None, lapack_driver: str | None) -> tuple:
    """The derivative of pinv(a) b, without the matrix, and of the residual b - a x, which is orthogonal to all a dx."""
    a, b = primals
    x, squares, rank, s = _lstsq(a, b, cond, lapack_driver)
    eps = float(jnp.finfo(a.dtype).eps) if cond is None else cond
    dx, moved, ds = _moved(a, b, x, *tangents, eps=eps)
    return (x, squares, rank, s), (dx, moved, None, ds)


@as_one("eps")
def _moved(a: Any, b: Any, x: Any, da: Any, db: Any, *, eps: float) -> tuple:
    left, inverse = b - a @ x, _Inverse.of(a, eps)
    dx, dleft = jnp.zeros_like(x), jnp.zeros_like(left)
    ds = jnp.zeros(min(a.shape), jnp.finfo(a.dtype).dtype)
    if db is not None:
        dx += inverse @ db
        dleft += db
    if da is not None:
        turn = da.conj().T
        own = turn @ inverse.adjoint(x)
        dx += inverse @ (inverse.adjoint(turn @ left) - da @ x)
        dx += own - inverse @ (a @ own)
        dleft -= da @ x
        ds = jax.jvp(lambda a: jnp.linalg.svd(a, compute_uv=False), (a,), (da,))[1]
    along = left.conj() * dleft
    moved = 2 * jnp.sum(along.real, 0)
    return dx, moved if a.shape[0] > a.shape[1] else jnp.zeros(0, moved.dtype), ds


@as_scipys("scipy.linalg")
def lstsq(
    a: ArrayLike, b: ArrayLike, cond: float | None = None, *, lapack_driver: str | None = None
) -> tuple[jax.Array, jax.Array, jax.Array, jax.Array]:
    """`scipy.linalg.lstsq`: (x, squares, rank, s), differentiable in a and b, to any order, where the rank is constant.

    Args:
        a: [m, n].
        b: [m] or [m, k]. Real or complex; batches by vmap.
        cond, lapack_driver: as in SciPy. "gelsy" has no singular values, and is not taken in a trace.

    Returns:
        x of smallest norm, [n] or [n, k]; the sums of squares of `b - a x`, [] or [k] if m > n, else [0] (here for
        matrices without full rank too); the rank, an integer; the singular values.

    >>> import jax, numpy as np
    >>> a = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
    >>> print(jax.grad(lambda b: lstsq(a, b)[0][1])(np.ones(3)).round(6) + 0)
    [-0.5  0.   0.5]
    """
    shapes = np.shape(a), np.shape(b)  # type: ignore[arg-type]
    if len(shapes[0]) != 2 or len(shapes[1]) not in (1, 2) or shapes[1][0] != shapes[0][0]:
        raise SignatureError(
            f"lstsq: wants a of shape (m, n), b of shape (m,) or (m, k), got {shapes[0]}, {shapes[1]}."
        )
    if lapack_driver == "gelsy":
        raise NotTaken(
            "lstsq: lapack_driver='gelsy' has no singular values, and is not taken in a trace; take 'gelsd' or 'gelss'."
        )
    return _lstsq(a, b, cond, lapack_driver)

"""Least squares and pseudoinverses of dense matrices of constant rank (Golub, Pereyra, SIAM J. Numer. Anal. 10)."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.linalg

from hostwrap._errors import SignatureError
from hostwrap._recipes.cores import batched
from hostwrap._recipes.hosted import hosted, shaped
from hostwrap._recipes.scipys import as_scipys
from hostwrap._wrap import wrap


@wrap("(m,n)->(n,m)", static=("atol", "rtol"))
def _pinv(a: np.ndarray, *, atol: float | None, rtol: float | None) -> np.ndarray:
    return scipy.linalg.pinv(a, atol=atol, rtol=rtol)


@_pinv.defjvp
def _pinv_jvp(primals: Any, tangents: Any, *, atol: float | None, rtol: float | None) -> tuple:
    """Three parts: that of an inverse, and those of a null space of rows and of columns."""
    (a,), (da,) = primals, tangents
    p = _pinv(a, atol=atol, rtol=rtol)
    right = p @ p.conj().T @ da.conj().T
    left = da.conj().T @ p.conj().T @ p
    return p, -p @ da @ p + (right - right @ a @ p) + (left - p @ a @ left)


@as_scipys("scipy.linalg")
def pinv(a: Any, *, atol: float | None = None, rtol: float | None = None) -> jax.Array:
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


def _twin(a: Any, b: Any, cond: float | None, lapack_driver: str | None) -> tuple:
    eps = float(jnp.finfo(a.dtype).eps) if cond is None else cond
    x = _pinv(a, atol=0.0, rtol=eps) @ b
    left = b - a @ x
    m, n = a.shape
    squares = jnp.sum(left.real**2 + left.imag**2 if jnp.iscomplexobj(left) else left**2, 0)
    s = jnp.linalg.svd(a, compute_uv=False)
    rank = jnp.sum(s > eps * s[0]).astype(int) if s.size else jnp.asarray(0)
    return x, squares if m > n else jnp.zeros(0, squares.dtype), rank, s


@hosted("a b", _results, _twin)
def _lstsq(a: Any, b: Any, cond: float | None, lapack_driver: str | None) -> Any:
    x, squares, rank, s = scipy.linalg.lstsq(a, b, cond, lapack_driver=lapack_driver)
    if a.shape[0] > a.shape[1] and rank < a.shape[1]:  # SciPy has none then
        left = b - a @ x
        squares = np.sum(np.abs(left) ** 2, 0)
    return x, squares, rank, s


@as_scipys("scipy.linalg")
def lstsq(
    a: Any, b: Any, cond: float | None = None, *, lapack_driver: str | None = None
) -> tuple[jax.Array, jax.Array, jax.Array, jax.Array]:
    """`scipy.linalg.lstsq`: (x, squares, rank, s), differentiable in a and b, to any order, where the rank is constant.

    Args:
        a: [m, n].
        b: [m] or [m, k]. Real or complex; batches by vmap.
        cond, lapack_driver: as in SciPy, not "gelsy", which has no singular values.

    Returns:
        x of smallest norm, [n] or [n, k]; the sums of squares of `b - a x`, [] or [k] if m > n, else [0] (here for
        matrices without full rank too); the rank, an integer; the singular values.

    >>> import jax, numpy as np
    >>> a = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
    >>> print(jax.grad(lambda b: lstsq(a, b)[0][1])(np.ones(3)).round(6) + 0)
    [-0.5  0.   0.5]
    """
    shapes = np.shape(a), np.shape(b)
    if len(shapes[0]) != 2 or len(shapes[1]) not in (1, 2) or shapes[1][0] != shapes[0][0]:
        raise SignatureError(
            f"lstsq: wants a of shape (m, n), b of shape (m,) or (m, k), got {shapes[0]}, {shapes[1]}."
        )
    if lapack_driver == "gelsy":
        raise SignatureError("lstsq: lapack_driver='gelsy' has no singular values; take 'gelsd' or 'gelss'.")
    return _lstsq(a, b, cond, lapack_driver)

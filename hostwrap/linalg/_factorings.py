"""Decompositions of matrices that follow from other ones, and systems that are solved with decompositions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, overload

import jax
import jax.numpy as jnp
import numpy as np
import scipy.linalg

from hostwrap._errors import SignatureError
from hostwrap._recipes.cores import arrays, batched, inexact
from hostwrap._recipes.hosted import hosted
from hostwrap._recipes.scipys import as_scipys
from hostwrap._recipes.structured import solve_banded
from hostwrap._types import ArrayLike
from hostwrap._wrap import wrap
from hostwrap.linalg._eigh import eigh_tridiagonal, hermitian
from hostwrap.linalg._leastsq import pinv


@as_scipys("scipy.linalg")
def eigvalsh_tridiagonal(d: ArrayLike, e: ArrayLike) -> jax.Array:
    """`scipy.linalg.eigvalsh_tridiagonal`: eigenvalues, ascending, of a real matrix with diagonal d and beside it e.

    >>> print(jax.grad(lambda e: eigvalsh_tridiagonal(np.array([1.0, 1.0]), e)[1])(np.array([2.0])))
    [1.]
    """
    return eigh_tridiagonal(d, e)[0]


@as_scipys("scipy.linalg")
def pinvh(
    a: ArrayLike, atol: float | None = None, rtol: float | None = None, lower: bool = True
) -> jax.Array:
    """`scipy.linalg.pinvh`: the Moore-Penrose inverse of a Hermitian matrix, of which one triangle is read.

    Differentiable to any order where the rank is constant.

    Args:
        a: [..., n, n], real or complex.
        atol, rtol: as in SciPy; which eigenvalues count is held.
        lower: whether the lower triangle is read.

    >>> print(pinvh(np.array([[2.0, 0.0], [9.0, 0.0]]), lower=False))
    [[0.5 0. ]
     [0.  0. ]]
    """
    (a,) = arrays("pinvh", a=a)
    return pinv(hermitian(a, lower), atol=atol, rtol=rtol)


# ---- the null space of a matrix of full rank


@wrap(
    out=lambda a, rcond: jax.ShapeDtypeStruct((a.shape[1], a.shape[1] - a.shape[0]), a.dtype), static="rcond"
)
def _null(a: np.ndarray, rcond: float | None) -> np.ndarray:
    found = scipy.linalg.null_space(a, rcond)
    m, n = a.shape
    if found.shape[1] != n - m:
        raise np.linalg.LinAlgError(
            f"the rank of A is {n - found.shape[1]}; it must be {m}, the number of rows."
        )
    return found


@_null.defjvp
def _null_jvp(primals: Any, tangents: Any, **statics: Any) -> Any:
    """a z = 0, and the columns of z do not rotate among themselves: z' dz = 0."""
    z = _null(*primals, **statics)
    return z, -pinv(primals[0]) @ (tangents[0] @ z)


@as_scipys("scipy.linalg")
def null_space(A: ArrayLike, rcond: float | None = None) -> jax.Array:
    """`scipy.linalg.null_space`: an orthonormal basis of the x with `A x = 0`, of a matrix whose rows are independent.

    Differentiable to any order. A basis may rotate in its space: derivatives are those of a basis that does not, and
    functions that do not depend on the basis, such as the projector `z z'`, have their own.

    Args:
        A: [m, n], m < n, real or complex, of rank m.
        rcond: as in SciPy.

    Returns:
        [n, n - m].

    Raises:
        SignatureError: as many rows as columns, or more.
        LinAlgError: a rank below m; HostCallError inside a compiled program.

    >>> z = lambda A: null_space(A)
    >>> print(jax.grad(lambda A: (z(A) @ z(A).T)[0, 1])(np.array([[1.0, 0.0]])))
    [[ 0. -1.]]
    """
    (A,) = arrays("null_space", A=A)
    # of a square matrix it would have no columns, and XLA leaves out a call without results: also the check of the rank
    if A.ndim != 2 or A.shape[0] >= A.shape[1]:
        raise SignatureError(f"null_space: wants A of shape (m, n) with m < n, got {A.shape}.")
    return _null(A.astype(inexact(A)), rcond=rcond)


# ---- triangles


@wrap("(m,n)->(m)", derivatives="rules")
def _diagonal_of_r(a: np.ndarray) -> np.ndarray:
    return np.diagonal(scipy.linalg.rq(a, mode="r")[:, a.shape[1] - a.shape[0] :])


@batched("(m,n)->(m,m),(m,n)")
def _rq(a: Any) -> tuple:
    """From the QR decomposition of the matrix, reflected at its other diagonal, with LAPACK's phases."""
    q, r = jnp.linalg.qr(a[::-1].conj().T)
    r, q = r.conj().T[::-1, ::-1], q.conj().T[::-1]
    own, theirs = jax.lax.stop_gradient((jnp.diagonal(r), _diagonal_of_r(jax.lax.stop_gradient(a))))
    phase = jnp.sign(theirs) * jnp.sign(own).conj()
    return r * phase, phase.conj()[:, None] * q


@overload
def rq(a: ArrayLike, mode: Literal["full", "economic"] = "full") -> tuple[jax.Array, jax.Array]: ...
@overload
def rq(a: ArrayLike, mode: Literal["r"]) -> jax.Array: ...
@as_scipys("scipy.linalg")
def rq(a: ArrayLike, mode: str = "full") -> Any:
    """`scipy.linalg.rq`: `a = r q`, r upper triangular, q with orthonormal rows; differentiable to any order.

    Args:
        a: [..., m, n], m <= n, real or complex, of full rank.
        mode: "full" (of a square matrix), "economic", or "r", for r alone.

    Returns:
        (r [..., m, m], q [..., m, n]), or r.

    Raises:
        SignatureError: another mode, more rows than columns, a full q of a matrix that is not square.

    >>> print(rq(np.array([[3.0, 4.0]]), mode="economic")[0])
    [[-5.]]
    """
    (a,) = arrays("rq", a=a)
    if mode not in ("full", "economic", "r"):
        raise SignatureError(f"rq: mode={mode!r} must be full, economic or r.")
    if a.ndim < 2 or a.shape[-2] > a.shape[-1] or (a.shape[-2] < a.shape[-1] and mode != "economic"):
        raise SignatureError(
            f"rq: wants a square matrix, or m < n and mode='economic', got {a.shape}, {mode!r}."
        )
    r, q = _rq(a)
    return r if mode == "r" else (r, q)


@as_scipys("scipy.linalg")
def qr_multiply(
    a: ArrayLike, c: ArrayLike, mode: str = "right", conjugate: bool = False
) -> tuple[jax.Array, jax.Array]:
    """`scipy.linalg.qr_multiply`: `c q` (mode "right") or `q c` ("left"), and r, with `a = q r`; without pivots.

    Differentiable to any order.

    Args:
        a: [m, n], m >= n, of full rank.
        c: [k, m] for "right", [n, k] for "left"; or a vector.
        conjugate: q is conjugated first.

    Raises:
        SignatureError: another mode, more columns than rows.

    >>> print(qr_multiply(np.array([[3.0], [4.0]]), np.array([5.0, 0.0]))[0])
    [-3.]
    """
    a, c = arrays("qr_multiply", a=a, c=c)
    if mode not in ("left", "right") or a.ndim != 2 or a.shape[0] < a.shape[1]:
        raise SignatureError(
            f"qr_multiply: wants a of shape (m, n) with m >= n and left or right, got {a.shape}, {mode!r}."
        )
    q, r = jnp.linalg.qr(a.astype(inexact(a)))
    q = q.conj() if conjugate else q
    return (c @ q if mode == "right" else q @ c), r


@as_scipys("scipy.linalg")
def lu_solve(lu_and_piv: Sequence[Any], b: ArrayLike, trans: int = 0) -> jax.Array:
    """`scipy.linalg.lu_solve`: `a x = b` with the factors of a that `lu_factor` returns.

    Differentiable in the factors and b, to any order; the pivots are integers.

    Args:
        lu_and_piv: [n, n] and [n].
        b: [n] or [n, k].
        trans: 1 solves with the transpose, 2 with the adjoint.

    Raises:
        SignatureError: shapes that do not fit, another trans.

    >>> import jax.scipy.linalg
    >>> x = lambda a: lu_solve(jax.scipy.linalg.lu_factor(a), np.ones(2))
    >>> print(jax.grad(lambda a: x(a)[0])(np.array([[2.0, 0.0], [0.0, 4.0]])))
    [[-0.25  -0.125]
     [ 0.     0.   ]]
    """
    lu, pivots, b = arrays("lu_solve", lu=lu_and_piv[0], piv=lu_and_piv[1], b=b)
    if lu.ndim != 2 or lu.shape[0] != lu.shape[1] or b.shape[:1] != lu.shape[:1] or trans not in (0, 1, 2):
        raise SignatureError(
            f"lu_solve: wants lu [n, n], b [n, ...] and trans 0, 1 or 2, got {lu.shape}, {b.shape}, {trans}."
        )
    order = jax.lax.linalg.lu_pivots_to_permutation(pivots.astype(np.int32), lu.shape[0])
    triangle = jax.scipy.linalg.solve_triangular
    if trans == 0:
        return triangle(lu, triangle(lu, b[order], lower=True, unit_diagonal=True))
    inner = triangle(lu, triangle(lu, b, trans=trans), lower=True, unit_diagonal=True, trans=trans)
    return inner[jnp.argsort(order)]


# ---- bands


def _lower_band(ab: Any, lower: bool) -> Any:
    """The diagonals of the lower triangle, [u + 1, n], of a band in either form."""
    if lower:
        return ab
    u = ab.shape[0] - 1
    return jnp.stack([jnp.roll(ab[u - k], -k).conj() for k in range(u + 1)])


def _upper_band(lower: Any) -> Any:
    """The diagonals of the adjoint, an upper triangle."""
    return jnp.stack([jnp.roll(lower[k], k).conj() for k in reversed(range(lower.shape[0]))])


def _twin_of_cholesky(ab: Any, lower: bool) -> Any:
    """Column after column: each subtracts its own product from the triangle of numbers behind it."""
    band = _lower_band(ab, lower)
    size, n = band.shape
    ahead = jnp.pad(band, ((0, 0), (0, size))).at[0, n:].set(1.0)
    i, j = np.indices((size - 1, size - 1)) if size > 1 else np.zeros((2, 0, 0), int)
    below = i - j

    def column(waiting: Any, new: Any) -> tuple:
        first, rest = waiting[:, 0], waiting[:, 1:]
        root = jnp.sqrt(first[0].real).astype(first.dtype)
        own = jnp.concatenate([root[None], first[1:] / root])
        if size > 1:
            moved = jnp.where(below >= 0, own[1:][i] * own[1:][j].conj(), 0)
            rest = rest.at[below.clip(0), j].add(-jnp.where(below >= 0, moved, 0))
        return jnp.concatenate([rest, new[:, None]], axis=1), own

    columns: Any = jax.lax.scan(column, ahead[:, :size], ahead[:, size:].T)[1][:n].T
    inside = np.arange(size)[:, None] + np.arange(n) < n
    found = jnp.where(inside, columns, 0)
    return found if lower else _upper_band(found)


@as_scipys("scipy.linalg")
@hosted("ab", lambda ab, **_: jax.ShapeDtypeStruct(ab.shape, ab.dtype), twin=_twin_of_cholesky)
def cholesky_banded(ab: ArrayLike, lower: bool = False) -> jax.Array:
    """`scipy.linalg.cholesky_banded`, differentiable to any order; nothing is wider than the band.

    Args:
        ab: [u + 1, n], a positive definite matrix, symmetric or Hermitian, as in SciPy; its unused corner has
            derivative 0, and so has the factor's.
        lower: whether ab and the factor are lower triangles.

    Raises:
        LinAlgError: the matrix is not positive definite; HostCallError inside a compiled program.

    >>> print(jax.jacobian(lambda d: cholesky_banded(jnp.stack([jnp.zeros(2), d]))[1])(np.array([4.0, 9.0])))
    [[0.25       0.        ]
     [0.         0.16666667]]
    """
    found = scipy.linalg.cholesky_banded(ab, lower=lower)
    size, n = ab.shape
    row, column = np.indices(ab.shape)
    used = row + column < n if lower else column >= size - 1 - row
    return np.where(used, found, 0)  # type: ignore[return-value]


@as_scipys("scipy.linalg")
def cho_solve_banded(cb_and_lower: Sequence[Any], b: ArrayLike) -> jax.Array:
    """`scipy.linalg.cho_solve_banded`: `a x = b` with the factor of a that `cholesky_banded` returns, and its lower.

    Differentiable in the factor and b, to any order.

    Args:
        cb_and_lower: [u + 1, n], and whether it is a lower triangle.
        b: [n] or [n, k].

    >>> factor = np.array([[2.0, 3.0]]), True
    >>> print(jax.jacobian(lambda b: cho_solve_banded(factor, b))(np.ones(2)))
    [[0.25       0.        ]
     [0.         0.11111111]]
    """
    cb, b = arrays("cho_solve_banded", cb=cb_and_lower[0], b=b)
    lower = _lower_band(cb, bool(cb_and_lower[1]))
    u = lower.shape[0] - 1
    return solve_banded((0, u), _upper_band(lower), solve_banded((u, 0), lower, b))


# ---- balance


def _same(x: Any) -> Any:
    return jax.ShapeDtypeStruct(x.shape, jnp.result_type(float))


@wrap(out=lambda a, permute, scale: _same(a), static=("permute", "scale"), derivatives="rules")
def _balancing(a: np.ndarray, *, permute: bool, scale: bool) -> np.ndarray:
    return scipy.linalg.matrix_balance(a, permute, scale)[1].real


@as_scipys("scipy.linalg")
def matrix_balance(A: ArrayLike, permute: bool = True, scale: bool = True) -> tuple[jax.Array, jax.Array]:
    """`scipy.linalg.matrix_balance`: (b, t) with `b = t^-1 A t`, whose rows and columns have norms alike.

    t has powers of 2 in some order: it is held, and its derivative is 0. b is linear in A.

    >>> b, t = matrix_balance(np.array([[1.0, 64.0], [1.0, 1.0]]))
    >>> print(b)
    [[1. 8.]
     [8. 1.]]
    """
    (A,) = arrays("matrix_balance", A=A)
    A = A.astype(inexact(A))
    t = jax.lax.stop_gradient(_balancing(jax.lax.stop_gradient(A), permute=bool(permute), scale=bool(scale)))
    return (t / jnp.sum(t**2, axis=0)).T.astype(A.dtype) @ A @ t.astype(A.dtype), t

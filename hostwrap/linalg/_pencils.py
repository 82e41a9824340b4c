"""Hessenberg's form of a matrix, and Schur's form of two matrices, by unitary matrices whose phases are held.

With dq = q x, x skew, the derivative of the form is `m + t x - x t`, m = q' da q. It stays 0 where the form is 0: these
are linear equations for x, solved one column or row after the other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, overload

import jax
import jax.numpy as jnp
import numpy as np
import scipy.linalg

from hostwrap._errors import SignatureError, missing_derivative
from hostwrap._recipes.cores import arrays, batched, inexact
from hostwrap._recipes.scipys import as_scipys
from hostwrap._types import ArrayLike
from hostwrap._wrap import wrap


def skew(low: Any) -> Any:
    """The skew matrix with this lower triangle; the diagonal stays."""
    return low - jnp.tril(low, -1).conj().T


# ---- Hessenberg's form

_form = wrap("(n,n)->(n,n),(n,n)")(lambda a: scipy.linalg.hessenberg(a, calc_q=True))


@_form.defjvp
def _form_jvp(primals: Any, tangents: Any) -> tuple:
    """The first column of q is that of the identity. Column k of the equation contains column k + 1 of x, times h[k +
    1, k].

    For complex matrices LAPACK makes these numbers real, and they stay real.
    """
    h, q = _form(*primals)
    m = q.conj().T @ tangents[0] @ q
    n = h.shape[0]
    if n <= 2:
        return (h, q), (tangents[0], jnp.zeros_like(q))
    rows = jnp.arange(n)

    def column(low: Any, k: Any) -> tuple:
        x = skew(low)
        right = (m[:, k] + h @ x[:, k] - x @ h[:, k]) / h[k + 1, k]
        own = (right - right.conj()) / 2
        return low.at[:, k + 1].set(jnp.where(rows > k + 1, right, jnp.where(rows == k + 1, own, 0))), None

    x = skew(jax.lax.scan(column, jnp.zeros_like(m), jnp.arange(n - 1))[0])
    return (h, q), (jnp.triu(m + h @ x - x @ h, -1), q @ x)


@batched("(n,n)->(n,n),(n,n)")
def _hessenberg(a: Any) -> Any:
    return _form(a)


@overload
def hessenberg(a: ArrayLike, calc_q: Literal[False] = False) -> jax.Array: ...
@overload
def hessenberg(a: ArrayLike, calc_q: Literal[True]) -> tuple[jax.Array, jax.Array]: ...
@as_scipys("scipy.linalg")
def hessenberg(a: ArrayLike, calc_q: bool = False) -> Any:
    """`scipy.linalg.hessenberg`: h with `a = q h q'`, 0 below its first subdiagonal; differentiable to any order.

    Args:
        a: [..., n, n], real or complex. Where h has a 0 on its subdiagonal, the derivative is infinite or NaN.
        calc_q: whether q is returned too.

    Returns:
        h, or (h, q), shaped as a.

    >>> import jax, numpy as np
    >>> a = np.array([[1.0, 2.0, 0.0], [3.0, 1.0, 1.0], [4.0, 0.0, 2.0]])
    >>> print(jax.grad(lambda a: hessenberg(a)[1, 0])(a))
    [[ 0.   0.   0. ]
     [-0.6  0.   0. ]
     [-0.8  0.   0. ]]
    """
    h, q = _hessenberg(a)
    return (h, q) if calc_q else h


# ---- Schur's form of two matrices


def _parts(a: Any, b: Any, sort: Any, output: str) -> tuple:
    square = jax.ShapeDtypeStruct(a.shape, a.dtype)
    alpha = jax.ShapeDtypeStruct(a.shape[:1], jnp.result_type(a, np.complex64))
    return square, square, alpha, jax.ShapeDtypeStruct(a.shape[:1], a.dtype), square, square


@wrap(out=_parts, static=("sort", "output"))
def _together(a: np.ndarray, b: np.ndarray, *, sort: Any, output: str) -> tuple:
    if sort is not None:
        return scipy.linalg.ordqz(a, b, sort, output)
    s, t, q, z = scipy.linalg.qz(a, b, output)
    return s, t, np.diagonal(s).astype(complex), np.diagonal(t), q, z


@wrap("(n,n)->(n,n)")
def _whole(s: np.ndarray) -> np.ndarray:
    """The form; an error if it has blocks."""
    if np.any(np.diagonal(s, -1)):
        raise missing_derivative(
            "qz", "A", "the real form of a pair with complex eigenvalues has none; output='complex' has"
        )
    return s


@_whole.defjvp
def _whole_jvp(primals: Any, tangents: Any) -> tuple:
    return _whole(*primals), tangents[0]


def _below(s: Any, t: Any, m: Any, o: Any) -> tuple[Any, Any]:
    """x and y below the diagonal, where `x s - s y = m` and `x t - t y = o`; the last row comes first."""
    n = s.shape[0]
    places = jnp.arange(n)

    def row(y: Any, i: Any) -> tuple:
        before = places < i
        inside = before[:, None] & before
        right = [jnp.where(before, w[i] + u[i] @ y, 0) for w, u in ((m, s), (o, t))]
        a, b = s[i, i], t[i, i]
        both = jnp.where(inside, b * s - a * t, jnp.eye(n, dtype=s.dtype))
        x = jax.scipy.linalg.solve_triangular(both, b * right[0] - a * right[1], trans=1)
        found = a.conj() * (x @ s - right[0]) + b.conj() * (x @ t - right[1])
        found = jnp.where(before, found / (a.conj() * a + b.conj() * b).real, 0)
        return y.at[i].set(found), x

    found: Any = jax.lax.scan(row, jnp.zeros_like(s), places[::-1])
    return found[1][::-1], found[0]


@_together.defjvp
def _together_jvp(primals: Any, tangents: Any, **statics: Any) -> tuple:
    """dq = q x, dz = z y: ds = m - x s + s y, and dt = o - x t + t y, whose diagonal stays real."""
    s, t, alpha, beta, q, z = found = _together(*primals, **statics)
    m, o = (jnp.zeros_like(s) if d is None else q.conj().T @ d @ z for d in tangents)
    s = _whole(s)
    low = _below(s, t, m, o)
    x, y = skew(low[0]), skew(low[1])
    turn = jnp.diagonal(o - x @ t + t @ y) / jnp.diagonal(t)
    y = y - jnp.diag((turn - turn.conj()) / 2)
    ds, dt = jnp.triu(m - x @ s + s @ y), jnp.triu(o - x @ t + t @ y)
    ends = jnp.diagonal(ds).astype(alpha.dtype), jnp.diagonal(dt).astype(beta.dtype)
    return found, (ds, dt, *ends, q @ x, z @ y)


def _pair(name: str, A: Any, B: Any, sort: Any, output: str) -> tuple:
    if output not in ("real", "complex"):
        raise SignatureError(f"{name}: output={output!r} must be 'real' or 'complex'.")
    A, B = arrays(name, A=A, B=B)
    if A.ndim != 2 or A.shape[0] != A.shape[1] or A.shape != B.shape:
        raise SignatureError(f"{name}: wants two square matrices of one shape, got {A.shape}, {B.shape}.")
    dtype = jnp.result_type(inexact(A, B), np.complex64 if output == "complex" else np.float32)
    return _together(A.astype(dtype), B.astype(dtype), sort=sort, output=output)


@as_scipys("scipy.linalg")
def qz(A: ArrayLike, B: ArrayLike, output: str = "real") -> tuple[jax.Array, jax.Array, jax.Array, jax.Array]:
    """`scipy.linalg.qz`: (AA, BB, Q, Z) with `A = Q AA Z'` and `B = Q BB Z'`, both triangular; any order.

    The phases of the columns of Q and Z are free, and held in the derivative; functions that do not depend on them,
    such as `AA[i, i] / BB[i, i]`, have their own. If two of these ratios are equal, or B is singular, the derivative is
    infinite or NaN.

    Args:
        A, B: [n, n], real or complex. More by vmap.
        output: "real" or "complex". The real form of matrices with complex ratios has blocks, and no derivative.

    Raises:
        SignatureError: shapes that do not fit, another output. MissingDerivative: of a real form with blocks;
            JaxRuntimeError inside a compiled program, which says so.

    >>> import jax, numpy as np
    >>> def first(A):
    ...     AA, BB, *_ = qz(A, np.diag([1.0, 2.0]))
    ...     return AA[0, 0] / BB[0, 0]
    >>> print(jax.grad(first)(np.array([[1.0, 2.0], [0.0, 8.0]])).round(6) + 0)
    [[ 1.        0.      ]
     [-0.333333  0.      ]]
    """
    s, t, _, _, q, z = _pair("qz", A, B, None, output)
    return s, t, q, z


@as_scipys("scipy.linalg")
def ordqz(
    A: ArrayLike, B: ArrayLike, sort: str | Callable = "lhp", output: str = "real"
) -> tuple[jax.Array, ...]:
    """`scipy.linalg.ordqz`: `qz` with the eigenvalues that `sort` wants first, (AA, BB, alpha, beta, Q, Z).

    Args:
        A, B, output: as of `qz`.
        sort: "lhp", "rhp", "iuc", "ouc" or a function, as in SciPy. Which eigenvalues come first is held.

    >>> import jax, numpy as np
    >>> first = lambda A: ordqz(A, np.eye(2))[2][0].real
    >>> print(jax.grad(first)(np.array([[1.0, 2.0], [0.0, -1.0]])).round(6) + 0)
    [[ 0.  0.]
     [-1.  1.]]
    """
    return _pair("ordqz", A, B, sort, output)

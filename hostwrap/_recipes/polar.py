"""Factors of the polar decomposition, and functions of them, whose derivatives exist for equal singular values, too.

The derivative of the unitary factor solves p x + x p = q with a Hermitian p (Higham, Functions of Matrices, section
8.2). This equation contains p itself, so nothing is divided by a difference of singular values.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import scipy.linalg

from hostwrap._errors import SignatureError
from hostwrap._recipes.cores import batched
from hostwrap._recipes.hosted import solved
from hostwrap._recipes.lyapunov import solve_sylvester
from hostwrap._recipes.scipys import as_scipys
from hostwrap._types import ArrayLike
from hostwrap._wrap import wrap

_right = wrap("(m,n)->(m,n),(n,n)")(lambda a: scipy.linalg.polar(a))


def _adjoint(a: Any) -> Any:
    return jnp.swapaxes(a, -1, -2).conj()


def _anticommuting(p: Any, q: Any) -> Any:
    """x with p x + x p = q, for p positive definite."""

    def solve(p: Any, q: Any) -> Any:
        w, v = jnp.linalg.eigh(p)
        return v @ ((v.conj().T @ q @ v) / (w[:, None] + w)) @ v.conj().T

    held = jax.lax.stop_gradient(p)
    return solved(lambda x: p @ x + x @ p, q, lambda q: solve(held, q), lambda q: solve(held.T, q))


@_right.defjvp
def _right_jvp(primals: Any, tangents: Any) -> tuple:
    """a = u p: x = u' du solves p x + x p = u' da - da' u; outside of the columns of u the derivative is da / p."""
    (a,), (da,) = primals, tangents
    u, p = _right(a)
    tall, move, factor = (a, da, u) if a.shape[0] >= a.shape[1] else (_adjoint(a), _adjoint(da), _adjoint(u))
    square = factor.conj().T @ tall
    square = (square + square.conj().T) / 2
    inner = factor.conj().T @ move
    du = factor @ _anticommuting(square, inner - inner.conj().T)
    if tall.shape[0] > tall.shape[1]:
        du += jnp.linalg.solve(square, (move - factor @ inner).conj().T).conj().T
    du = du if a.shape[0] >= a.shape[1] else _adjoint(du)
    dp = du.conj().T @ a + u.conj().T @ da
    return (u, p), (du, (dp + dp.conj().T) / 2)


@batched("(m,n)->(m,n),(n,n)")
def _polar(a: Any) -> Any:
    return _right(a)


def polar(a: ArrayLike, side: str = "right") -> tuple[jax.Array, jax.Array]:
    """`scipy.linalg.polar`: (u, p) with `a = u p`, or `a = p u` with side="left"; differentiable, to any order.

    Args:
        a: [..., m, n], real or complex, of full rank: else there is no derivative, and it is infinite or NaN. Singular
            values may be equal.

    Returns:
        u, shaped as a, and p, positive semidefinite.

    >>> import jax, numpy as np
    >>> print(jax.jvp(lambda a: polar(a)[0], (np.eye(2),), (np.array([[0.0, 1.0], [0.0, 0.0]]),))[1])
    [[ 0.   0.5]
     [-0.5  0. ]]
    """
    if side not in ("right", "left"):
        raise SignatureError(f"polar: side={side!r} must be 'right' or 'left'.")
    if side == "right":
        return _polar(a)
    u, p = _polar(_adjoint(jnp.asarray(a)))
    return _adjoint(u), p


@as_scipys("scipy.linalg")
@batched("(m,n),(m,n)->(n,n),()")
def orthogonal_procrustes(A: ArrayLike, B: ArrayLike) -> tuple[jax.Array, jax.Array]:
    """`scipy.linalg.orthogonal_procrustes`: the unitary R nearest to taking A to B, and the scale; any order.

    Args:
        A, B: [..., m, n], real or complex, with `A' B` of full rank.

    >>> import jax, numpy as np
    >>> A = np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
    >>> turn = lambda t: jax.numpy.array([[jax.numpy.cos(t), jax.numpy.sin(t)], [-jax.numpy.sin(t), jax.numpy.cos(t)]])
    >>> print(jax.jacfwd(lambda t: orthogonal_procrustes(A, A @ turn(t))[0])(0.0).round(6) + 0)
    [[ 0.  1.]
     [-1.  0.]]
    """
    R, p = _right(A.conj().T @ B)
    return R, jnp.trace(p).real


_signm = wrap("(n,n)->(n,n)")(lambda a: scipy.linalg.signm(a))


@_signm.defjvp
def _signm_jvp(primals: Any, tangents: Any) -> tuple:
    """s commutes with a, s s = 1: with n = s a it is n ds + ds n = da - s da s (Higham, 2008, theorem 5.3)."""
    (a,), (da,) = primals, tangents
    s = _signm(a)
    n = s @ a
    jumps = (
        jnp.max(jnp.abs(s @ s - jnp.eye(a.shape[-1])), (-2, -1), keepdims=True) > 0.5
    )  # an eigenvalue is 0
    # a factor, because the transpose of a choice would be 0
    return s, jnp.where(jumps, jnp.nan, 1.0) * solve_sylvester(n, n, da - s @ da @ s)


@as_scipys("scipy.linalg")
@batched("(n,n)->(n,n)")
def signm(A: ArrayLike) -> jax.Array:
    """`scipy.linalg.signm`: the sign of a matrix, differentiable to any order where no eigenvalue is imaginary.

    Where an eigenvalue is 0 the sign jumps, and derivatives are NaN.

    >>> import jax, numpy as np
    >>> a = np.array([[1.0, 0.0], [0.0, -3.0]])
    >>> print(jax.jvp(signm, (a,), (np.ones((2, 2)),))[1].round(6) + 0)
    [[0.  0.5]
     [0.5 0. ]]
    """
    return _signm(A)

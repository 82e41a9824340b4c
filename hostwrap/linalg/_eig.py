"""Eigenvalues and eigenvectors of any square matrix."""

from __future__ import annotations

from typing import Any, Literal, overload

import jax
import jax.numpy as jnp
import numpy as np
import scipy.linalg

from hostwrap._errors import SignatureError
from hostwrap._recipes.cores import batched
from hostwrap._recipes.scipys import as_scipys
from hostwrap._types import ArrayLike
from hostwrap._wrap import wrap


@wrap("(n,n)->(n),(n,n)", dtype=complex)
def _eig(a: np.ndarray) -> Any:
    return scipy.linalg.eig(a)


@_eig.defjvp
def _eig_jvp(primals: Any, tangents: Any) -> tuple:
    """With p = v^-1 da v: dw_i = p_ii, and dv_j has the part p_ij / (w_j - w_i) along v_i (Kato, II.2).

    The part along v_j itself is as LAPACK (geev) scales it.
    """
    (a,), (da,) = primals, tangents
    w, v = _eig(a)
    return (w, v), _moved(v, w, da)


@wrap("(n,n)->(n),(n,n),(n,n)", dtype=complex)
def _eig_left(a: np.ndarray) -> Any:
    return scipy.linalg.eig(a, left=True)


def _scaled(v: Any, dv: Any) -> Any:
    """dv with the part along v that keeps LAPACK's scale: each column has norm 1, and its largest number is real."""
    largest = jnp.argmax(jnp.abs(v), 0)[None]
    turned = jnp.take_along_axis(dv, largest, 0) / jnp.take_along_axis(v, largest, 0)
    grown = jnp.sum(v.conj() * dv, 0)
    return dv - v * jax.lax.complex(grown.real, turned[0].imag)


def _moved(v: Any, w: Any, da: Any) -> tuple:
    """The tangents of w and v."""
    p, same = jnp.linalg.solve(v, da.astype(v.dtype) @ v), jnp.eye(len(w), dtype=bool)
    dv = v @ (jnp.where(same, 0.0, p) / jnp.where(same, 1.0, w - w[:, None]))
    return jnp.diag(p), _scaled(v, dv)


@_eig_left.defjvp
def _eig_left_jvp(primals: Any, tangents: Any) -> tuple:
    """Left eigenvectors of a are right ones of its adjoint, with the conjugate eigenvalues."""
    (a,), (da,) = primals, tangents
    w, left, right = _eig_left(a)
    dw, dright = _moved(right, w, da)
    return (w, left, right), (dw, _moved(left, w.conj(), da.conj().T)[1], dright)


def _batches(core: Any, signature: str) -> Any:
    def eig(a: Any) -> Any:
        return core(a)

    return batched(signature)(eig)


_right, _with_left = _batches(_eig, "(n,n)->(n),(n,n)"), _batches(_eig_left, "(n,n)->(n),(n,n),(n,n)")


@overload
def eig(
    a: ArrayLike, b: None = None, left: Literal[False] = False, right: Literal[True] = True
) -> tuple[jax.Array, jax.Array]: ...
@overload
def eig(
    a: ArrayLike, b: None = None, left: Literal[False] = False, *, right: Literal[False]
) -> jax.Array: ...
@overload
def eig(
    a: ArrayLike, b: None = None, *, left: Literal[True], right: Literal[True] = True
) -> tuple[jax.Array, jax.Array, jax.Array]: ...
@overload
def eig(
    a: ArrayLike, b: None = None, *, left: Literal[True], right: Literal[False]
) -> tuple[jax.Array, jax.Array]: ...
@overload
def eig(
    a: ArrayLike, b: None = None, left: bool = False, right: bool = True
) -> jax.Array | tuple[jax.Array, ...]: ...
@as_scipys("scipy.linalg")
def eig(a: ArrayLike, b: ArrayLike | None = None, left: bool = False, right: bool = True) -> Any:
    """`scipy.linalg.eig`: eigenvalues and, in columns of norm 1, eigenvectors, all complex, in LAPACK's order.

    It returns w, with `left` then the left eigenvectors (`u' a = w u'`), and with `right` then the right ones. b is
    None.

    Derivatives are for eigenvalues that differ. Where two coincide, those of eigenvectors are infinite or NaN, and of
    the eigenvalues only symmetric functions (their sum) have one. Where two components are largest together, the phase
    of an eigenvector jumps; results that do not depend on the phase do not.

    >>> import jax, numpy as np
    >>> largest = lambda a: eig(a)[0].real.max()
    >>> print(jax.grad(largest)(np.array([[2.0, 1.0], [0.0, 1.0]])).round(6) + 0)
    [[1. 0.]
     [1. 0.]]
    """
    if b is not None:
        raise SignatureError("eig: wants b=None; of a pair of matrices solve(b, a) has the eigenvalues.")
    if not left:
        w, v = _right(a)
        return (w, v) if right else w
    w, u, v = _with_left(a)
    return (w, u, v) if right else (w, u)

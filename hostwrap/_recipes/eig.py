"""Eigenvalues and eigenvectors of any square matrix."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.linalg

from hostwrap._recipes.cores import batched
from hostwrap._recipes.scipys import as_scipys
from hostwrap._wrap import wrap


@wrap("(n,n)->(n),(n,n)", dtype=complex)
def _eig(a: np.ndarray) -> Any:
    return scipy.linalg.eig(a)


@_eig.defjvp
def _eig_jvp(primals: Any, tangents: Any) -> tuple:
    """With p = v^-1 da v: dw_i = p_ii, and dv_j has the part p_ij / (w_j - w_i) along v_i (Kato, II.2).

    The part along v_j itself is as LAPACK (geev) scales it: with norm 1, and the largest component real.
    """
    (a,), (da,) = primals, tangents
    w, v = _eig(a)
    p, same = jnp.linalg.solve(v, da.astype(v.dtype) @ v), jnp.eye(len(w), dtype=bool)
    dv = v @ (jnp.where(same, 0.0, p) / jnp.where(same, 1.0, w - w[:, None]))
    largest = jnp.argmax(jnp.abs(v), 0)[None]
    turned = jnp.take_along_axis(dv, largest, 0) / jnp.take_along_axis(v, largest, 0)
    grown = jnp.sum(v.conj() * dv, 0)
    return (w, v), (jnp.diag(p), dv - v * jax.lax.complex(grown.real, turned[0].imag))


@as_scipys("scipy.linalg")
@batched("(n,n)->(n),(n,n)")
def eig(a: Any) -> tuple[jax.Array, jax.Array]:
    """`scipy.linalg.eig`: eigenvalues and, in columns of norm 1, right eigenvectors, both complex, in LAPACK's order.

    Derivatives are for eigenvalues that differ. Where two coincide, those of eigenvectors are infinite or NaN, and of
    the eigenvalues only symmetric functions (their sum) have one. Two components that are largest together are a jump
    of the phase of an eigenvector; what does not depend on the phase is not concerned.

    >>> import jax, numpy as np
    >>> largest = lambda a: eig(a)[0].real.max()
    >>> print(jax.grad(largest)(np.array([[2.0, 1.0], [0.0, 1.0]])).round(6) + 0)
    [[1. 0.]
     [1. 0.]]
    """
    return _eig(a)

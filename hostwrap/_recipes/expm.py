"""The exponential of a matrix: forward, reverse and second order by SciPy, on the host."""

from __future__ import annotations

import jax
import numpy as np
import scipy.linalg

from hostwrap._recipes.cores import batched
from hostwrap._recipes.scipys import as_scipys
from hostwrap._types import ArrayLike
from hostwrap._wrap import wrap


def _frechet(a: np.ndarray, e: np.ndarray) -> np.ndarray:
    """L(a, e), the derivative of exp at a along e."""
    return scipy.linalg.expm_frechet(a, e, compute_expm=False)


def _second(a: np.ndarray, e: np.ndarray, f: np.ndarray) -> np.ndarray:
    """The second derivative along e and f: a block of the exponential of a larger matrix (Higham and Relton,
    SIAM J. Matrix Anal. Appl. 35, 1019 (2014), theorem 3.5). It is bilinear, so e and f may have norm 1 there."""
    sizes = [np.linalg.norm(x, 1) or 1.0 for x in (e, f)]
    e, f, o = e / sizes[0], f / sizes[1], np.zeros_like(a)
    block = scipy.linalg.expm(np.block([[a, e, f, o], [o, a, o, f], [o, o, a, e], [o, o, o, a]]))
    return sizes[0] * sizes[1] * block[: len(a), -len(a) :]


@wrap("(n,n)->(n,n)", copy=False)
def _expm(a: np.ndarray) -> np.ndarray:
    return scipy.linalg.expm(a)


# The adjoint of L(a, .) is L(a', .): exp is a power series, and the trace of c' (a^i e a^j) is that of (a^j c' a^i) e.
_expm.defhost(
    jvp=lambda primals, tangents: _frechet(primals[0], tangents[0]),
    vjp=lambda primals, cotangent: (_frechet(primals[0].T, cotangent),),
    hvp=lambda primals, tangents, cotangent: (_second(primals[0].T, cotangent, tangents[0].T),),
)


@as_scipys("scipy.linalg")
@batched("(n,n)->(n,n)")
def expm(A: ArrayLike) -> jax.Array:
    """`scipy.linalg.expm`: the exponential of a matrix.

    It is differentiated twice; `jax.scipy.linalg.expm` has higher derivatives.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda a: expm(a)[0, 0])(np.diag([0.0, 1.0])).round(6))
    [[1. 0.]
     [0. 0.]]
    """
    return _expm(A)

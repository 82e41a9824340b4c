"""Square root and logarithm of a matrix: their derivatives solve a linear equation."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import scipy.linalg

from hostwrap._recipes.cores import batched
from hostwrap._recipes.hosted import solved
from hostwrap._recipes.scipys import as_scipys
from hostwrap._types import ArrayLike
from hostwrap._wrap import wrap


def _same_kind(result: np.ndarray, a: np.ndarray) -> np.ndarray:
    """NaN where the function of a real matrix is complex, by more than the rounding errors of SciPy 1.15."""
    rounding = len(a) * np.finfo(a.dtype).eps * np.abs(result).max(initial=0)
    real = result if np.iscomplexobj(a) or np.any(np.abs(result.imag) > rounding) else result.real
    return np.full_like(a, np.nan) if np.iscomplexobj(real) and not np.iscomplexobj(a) else real


_sqrtm = wrap("(n,n)->(n,n)")(lambda a: _same_kind(scipy.linalg.sqrtm(a), a))
_logm = wrap("(n,n)->(n,n)")(lambda a: _same_kind(scipy.linalg.logm(a), a))


@wrap("(n,n),(n,n)->(n,n)")
def _logm_frechet(a: np.ndarray, e: np.ndarray) -> np.ndarray:
    """The derivative of logm at a along e: the upper right block of log [[a, e], [0, a]] (Higham, 2008, (3.16))."""
    scale = np.linalg.norm(a, 1) / (np.linalg.norm(e, 1) or 1.0)
    log = scipy.linalg.logm(np.block([[a, scale * e], [np.zeros_like(a), a]]))
    return _same_kind(log[: len(a), len(a) :] / scale, np.result_type(a, e).type(0) * a)


@wrap("(n,n),(n,n)->(n,n)")
def _own_sylvester(s: np.ndarray, q: np.ndarray) -> np.ndarray:
    """x with s x + x s = q: one Schur form serves on both sides (Bartels and Stewart, Comm. ACM 15, 820 (1972))."""
    kind = "complex" if np.iscomplexobj(s) or np.iscomplexobj(q) else "real"
    if not np.all(np.isfinite(s)):
        return np.full_like(q, np.nan, np.result_type(s, q))
    r, u = scipy.linalg.schur(s, output=kind)
    f = u.conj().T @ q @ u
    (trsyl,) = scipy.linalg.get_lapack_funcs(("trsyl",), (r, f))
    y, scale, _ = trsyl(r, r, f)
    return u @ (y / scale) @ u.conj().T


@_sqrtm.defjvp
def _sqrtm_jvp(primals: Any, tangents: Any) -> tuple:
    """s s = a, so s ds + ds s = da."""
    s = _sqrtm(*primals)
    return s, solved(
        lambda x: s @ x + x @ s,
        tangents[0],
        lambda q: _own_sylvester(s, q),
        lambda q: _own_sylvester(s.T, q),
    )


@_logm.defjvp
def _logm_jvp(primals: Any, tangents: Any) -> tuple:
    """exp(l) = a: the derivative of exp at l takes dl to da."""
    (a,), (da,) = primals, tangents
    log = _logm(a)

    def forward(x: Any) -> Any:
        return jax.scipy.linalg.expm_frechet(log, x, compute_expm=False)

    return log, solved(forward, da, lambda e: _logm_frechet(a, e), lambda e: _logm_frechet(a.T, e))


@as_scipys("scipy.linalg")
@batched("(n,n)->(n,n)")
def sqrtm(A: ArrayLike) -> jax.Array:
    """`scipy.linalg.sqrtm`: the principal square root of a matrix.

    Of a real matrix it is real, or NaN: give a complex one, if it may have none.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda a: sqrtm(a)[0, 0])(np.diag([4.0, 1.0])).round(6))
    [[0.25 0.  ]
     [0.   0.  ]]
    """
    return _sqrtm(A)


@as_scipys("scipy.linalg")
@batched("(n,n)->(n,n)")
def logm(A: ArrayLike) -> jax.Array:
    """`scipy.linalg.logm`: the principal logarithm of a matrix.

    Of a real matrix it is real, or NaN: give a complex one, if it may have none.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda a: logm(a)[0, 0])(np.diag([2.0, 1.0])).round(6))
    [[0.5 0. ]
     [0.  0. ]]
    """
    return _logm(A)

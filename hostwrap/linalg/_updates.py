"""QR decompositions of matrices that change by a few rows or columns, from those before the change.

A factor depends on the matrix alone, except for the phases of its columns, which are held. So its derivative is that of
the decomposition of the changed matrix: with dq = q x, x skew, and c = q' da r^-1, x has the lower triangle of c
(Walter and Lehmann, Optimization Methods and Software 25, 2010).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.linalg

from hostwrap._errors import SignatureError
from hostwrap._recipes.hosted import derived_from, hosted, shaped
from hostwrap._recipes.scipys import as_scipys
from hostwrap._types import ArrayLike
from hostwrap.linalg._pencils import skew


def _turned(answer: tuple, da: Any, **statics: Any) -> tuple:
    """The derivatives of the factors if the changed matrix moves by da."""
    q, r = answer
    da, size = da.astype(q.dtype), min(r.shape)
    step = jax.scipy.linalg.solve_triangular(r[:size, :size], da[:, :size].T, trans=1).T
    inside = q.conj().T @ step
    x = skew(jnp.tril(jnp.pad(inside, ((0, 0), (0, r.shape[0] - size))), -1))
    dq = q @ x
    if q.shape[0] > q.shape[1]:
        dq += step - q @ inside
    return dq, jnp.triu(q.conj().T @ da - x @ r)


def _of_change(changed: Callable) -> Callable:
    """The derivatives of `(q, r)` of `changed(Q, R, ...)`."""

    def decorate(function: Callable) -> Callable:
        derived_from(function.hosted, changed, after=_turned)  # type: ignore[attr-defined]
        return function

    return decorate


def _factors(Q: Any, R: Any, rows: int, columns: int, *more: Any) -> tuple:
    """The shapes of the factors of the changed matrix: Q is square, or has as many columns as the matrix."""
    if Q.ndim != 2 or R.ndim != 2 or Q.shape[1] != R.shape[0] or rows < 1 or columns < 1:
        raise SignatureError(
            f"wants Q (m, k) and R (k, n), and a change that fits, got {Q.shape}, {R.shape}."
        )
    inner = rows if Q.shape[0] == Q.shape[1] else columns
    return shaped(Q, (rows, inner), R, *more), shaped(Q, (inner, columns), R, *more)


def _axis(which: str) -> int:
    if which not in ("row", "col"):
        raise SignatureError(f"which={which!r} must be 'row' or 'col'.")
    return int(which == "col")


def _resized(Q: Any, R: Any, by: int, which: str, *more: Any) -> tuple:
    sizes = [Q.shape[0], R.shape[1]]
    sizes[_axis(which)] += by
    return _factors(Q, R, *sizes, *more)


@as_scipys("scipy.linalg")
@_of_change(lambda Q, R, k, p, which: jnp.delete(Q @ R, np.arange(k, k + p), axis=_axis(which)))
@hosted("Q R", lambda Q, R, k, p, which: _resized(Q, R, -p, which))
def qr_delete(
    Q: ArrayLike, R: ArrayLike, k: int, p: int = 1, which: str = "row"
) -> tuple[jax.Array, jax.Array]:
    """`scipy.linalg.qr_delete`: the QR decomposition of `Q R` without p rows or columns, the first of which is k.

    Differentiable in Q and R to any order; Q stays unitary. The phases of the columns of the new Q are held. If it has
    more columns than the matrix, so are rotations among the additional ones.

    Args:
        Q, R: [m, m] and [m, n], or [m, n] and [n, n]. More by vmap.
        k, p, which: Python values, as in SciPy.

    Returns:
        the new Q and R.

    Raises:
        SignatureError: shapes that do not fit, another `which`.

    >>> import jax, numpy as np
    >>> r = lambda R: qr_delete(np.eye(3), R, 0, which="col")[1]
    >>> print(jax.jvp(r, (np.eye(3),), (np.ones((3, 3)),))[1])
    [[1. 2.]
     [0. 1.]
     [0. 0.]]
    """
    return scipy.linalg.qr_delete(*_alike(Q, R), k, p, which)  # type: ignore[arg-type]


def _count(u: Any, which: str) -> int:
    """The number of rows or columns in u."""
    return 1 if u.ndim == 1 else u.shape[_axis(which)]


def _inserted(Q: Any, R: Any, u: Any, k: int, which: str, rcond: float | None) -> Any:
    axis = _axis(which)
    whole = (Q @ R).astype(jnp.result_type(Q, R, u))
    return jnp.insert(
        whole, np.full(_count(u, which), k), u if u.ndim == 2 else jnp.expand_dims(u, axis), axis
    )


def _alike(*given: np.ndarray) -> list[np.ndarray]:
    """Convert all to one type, as SciPy requires."""
    return [x.astype(np.result_type(*given), copy=False) for x in given]


@as_scipys("scipy.linalg")
@_of_change(_inserted)
@hosted("Q R u", lambda Q, R, u, k, which, rcond: _resized(Q, R, _count(u, which), which, u))
def qr_insert(
    Q: ArrayLike, R: ArrayLike, u: ArrayLike, k: int, which: str = "row", rcond: float | None = None
) -> tuple[jax.Array, jax.Array]:
    """`scipy.linalg.qr_insert`: the QR decomposition of `Q R` with rows or columns u before its row or column k.

    Differentiable in Q, R and u to any order; see `qr_delete`.

    Args:
        Q, R: as of `qr_delete`.
        u: [n] or [p, n] for rows, [m] or [m, p] for columns.
        k, which, rcond: Python values, as in SciPy.

    >>> import jax, numpy as np
    >>> length = lambda u: abs(qr_insert(np.eye(2), np.eye(2), u, 0, "col")[1][0, 0])
    >>> print(jax.grad(length)(np.array([3.0, 4.0])))
    [0.6 0.8]
    """
    return scipy.linalg.qr_insert(*_alike(Q, R, u), k, which, rcond)  # type: ignore[arg-type]


@as_scipys("scipy.linalg")
@_of_change(lambda Q, R, u, v: Q @ R + (jnp.outer(u, v.conj()) if u.ndim == 1 else u @ v.conj().T))
@hosted("Q R u v", lambda Q, R, u, v: _factors(Q, R, Q.shape[0], R.shape[1], u, v))
def qr_update(Q: ArrayLike, R: ArrayLike, u: ArrayLike, v: ArrayLike) -> tuple[jax.Array, jax.Array]:
    """`scipy.linalg.qr_update`: the QR decomposition of `Q R + u v'`.

    Differentiable in all four to any order; see `qr_delete`.

    Args:
        Q, R: as of `qr_delete`.
        u, v: [m] and [n], or [m, k] and [n, k].

    >>> import jax, numpy as np
    >>> size = lambda u: abs(qr_update(np.eye(2), np.eye(2), u, np.array([1.0, 0.0]))[1][0, 0])
    >>> print(jax.grad(size)(np.array([2.0, 4.0])))
    [0.6 0.8]
    """
    return scipy.linalg.qr_update(*_alike(Q, R, u, v))  # type: ignore[arg-type]

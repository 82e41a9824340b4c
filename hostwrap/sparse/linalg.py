"""`scipy.sparse.linalg`, differentiable in the matrix and the right-hand side."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.sparse
import scipy.sparse.linalg

from hostwrap._errors import SignatureError
from hostwrap._host.resources import cached
from hostwrap._recipes.cores import arrays, inexact
from hostwrap._wrap import wrap

__all__ = ["spsolve"]

FORMATS = ("csr", "csc")


def spsolve(data: Any, indices: Any, indptr: Any, b: Any, *, format: str = "csr") -> jax.Array:
    """Solve `A x = b` with a sparse matrix, as `scipy.sparse.linalg.spsolve`, by SuperLU.

    The factorisation is kept (see `hostwrap.cached`): a gradient, which solves with the transposed matrix too, takes
    one, and so do more right-hand sides. Where the matrix is singular the result is NaN.

    Args:
        data, indices, indptr: the matrix, in the arrays that a `scipy.sparse.csr_array` has; [z], [z] and [n + 1].
            The pattern is integers; data may be real or complex.
        b: [n], or [n, k] for several right-hand sides. More batch axes by vmap.
        format: "csr" (by rows), or "csc" (by columns).

    Returns:
        x, shaped as b. Derivatives in data and b, of any order, forward and reverse: dx = A^-1 (db - dA x).

    Raises:
        SignatureError: shapes that do not fit, a pattern that is no integers.
    """
    given = arrays("spsolve", data=data, indices=indices, indptr=indptr, b=b)
    _check(given, format)
    return _spsolve(*given, _major(indptr, given[0].shape[0]), format)


def _major(indptr: Any, entries: int) -> Any:
    """The row of each entry of a matrix in rows. A known pattern is no work for the compiler."""
    rows = np.arange(np.shape(indptr)[0] - 1)
    if isinstance(indptr, jax.core.Tracer):
        return jnp.repeat(rows, jnp.diff(indptr), total_repeat_length=entries)
    return np.repeat(rows, np.diff(np.asarray(indptr)))


@functools.partial(jax.jit, static_argnums=5)
def _spsolve(data: Any, indices: Any, indptr: Any, b: Any, major: Any, format: str) -> Any:
    dtype = inexact(data, b)
    data, columns = data.astype(dtype), b.astype(dtype)
    row, column = (major, indices) if format == "csr" else (indices, major)

    def product(x: Any) -> Any:
        return jnp.zeros_like(x).at[row].add(data * x[column])

    def one(b: Any) -> Any:
        # SuperLU factors by columns, and so what it is given in rows is the transposed matrix
        ways = ("T", "N") if format == "csr" else ("N", "T")
        solve, back = (functools.partial(_solve, data, indices, indptr, trans=trans) for trans in ways)
        return jax.lax.custom_linear_solve(product, b, lambda _, b: solve(b), lambda _, b: back(b))

    return one(columns) if b.ndim == 1 else jax.vmap(one, 1, 1)(columns)


# In one thread, because SciPy does not free the memory of a SuperLU that another thread has made (scipy issue 15921).
@cached(maxsize=4, one_thread=True)
def factor(data: np.ndarray, indices: np.ndarray, indptr: np.ndarray) -> Any:
    """SuperLU's factorisation of the matrix with these columns; None if it is singular."""
    n = len(indptr) - 1
    pattern = (indices.astype(np.intc), indptr.astype(np.intc))
    try:
        return scipy.sparse.linalg.splu(scipy.sparse.csc_array((data.copy(), *pattern), shape=(n, n)))
    except RuntimeError:
        return None


@wrap("(z),(z),(p),(n)->(n)", static="trans", vmap_method="expand_dims")
def _solve(data: np.ndarray, indices: np.ndarray, indptr: np.ndarray, b: np.ndarray, *, trans: str) -> Any:
    """One factorisation for each matrix of the batch, all right-hand sides of it together."""
    matrices = (data, indices, indptr)
    inner = np.broadcast_shapes(*(a.shape[:-1] for a in matrices))
    batch = np.broadcast_shapes(inner, b.shape[:-1])
    if all(size == 1 for size in inner):
        columns = b.reshape(-1, b.shape[-1]).T
        x = _by_columns([a.reshape(a.shape[-1]) for a in matrices], columns, trans)
        return np.broadcast_to(x.T.reshape(b.shape), batch + b.shape[-1:])
    operands = [np.broadcast_to(a, batch + a.shape[-1:]) for a in (*matrices, b)]
    x = np.empty(batch + b.shape[-1:], np.result_type(data, b))
    for index in np.ndindex(batch):
        x[index] = _by_columns([a[index] for a in operands[:3]], operands[3][index], trans)
    return x


def _by_columns(matrix: Sequence[np.ndarray], b: np.ndarray, trans: str) -> Any:
    with factor.hold(*matrix) as lu:
        return np.full_like(b, np.nan) if lu is None else lu.solve(b, trans)


def _check(given: Sequence[jax.Array], format: str) -> None:
    if format not in FORMATS:
        raise SignatureError(f"spsolve: format={format!r} must be one of {', '.join(FORMATS)}.")
    for name, value in zip(("indices", "indptr"), given[1:], strict=False):
        if not jnp.issubdtype(value.dtype, jnp.integer):
            raise SignatureError(f"spsolve: `{name}` must be integers, got {value.dtype}.")
    shapes = [x.shape for x in given]
    n = shapes[2][0] - 1 if len(shapes[2]) == 1 else -1
    if n < 0 or len(shapes[0]) != 1 or shapes[0] != shapes[1] or shapes[3][:1] != (n,) or len(shapes[3]) > 2:
        raise SignatureError(
            "spsolve: wants data and indices of shape (z,), indptr of shape (n + 1,), and b of shape (n,) or (n, k), "
            f"got {', '.join(map(str, shapes))}. (A batch of matrices goes by jax.vmap.)"
        )

"""Sparse matrices as stored numbers and a pattern, and their products in JAX: what sparse solvers share."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import scipy.sparse
import scipy.sparse.linalg

from hostwrap._errors import SignatureError
from hostwrap._recipes.cores import arrays, inexact
from hostwrap._recipes.rows import major


class Entries(NamedTuple):
    """A sparse matrix: numbers at rows and columns. Repeated entries are added up."""

    data: Any
    row: Any
    column: Any
    shape: tuple[int, int]

    def times(self, x: Any) -> Any:
        """The product with x, [n] or [n, k]."""
        data = self.data.reshape(-1, *[1] * (x.ndim - 1))
        zero = jnp.zeros((self.shape[0], *x.shape[1:]), jnp.result_type(data, x))
        return zero.at[self.row].add(data * x[self.column])

    @property
    def T(self) -> Entries:
        return Entries(self.data, self.column, self.row, self.shape[::-1])

    def of(self, dtype: Any) -> Entries:
        return self._replace(data=self.data.astype(dtype))


def entries(name: str, A: Any) -> Entries:
    """The entries of a sparse array of SciPy or JAX, or of a dense one."""
    kind = type(A).__name__
    if scipy.sparse.issparse(A):
        coo = A.tocoo()
        row, column = coo.coords
        return Entries(jnp.asarray(coo.data), row, column, (coo.shape[0], coo.shape[1]))
    if kind == "BCOO" and not A.n_batch and not A.n_dense:
        indices = _known(A.indices)
        return _placed(A.data, indices[:, 0], indices[:, 1], A.shape)
    if kind == "BCSR":
        return entries(name, A.to_bcoo())
    if kind in ("CSR", "CSC"):
        places = major(A.indptr, A.data.shape[0]), _known(A.indices)
        return _placed(A.data, *(places if kind == "CSR" else places[::-1]), A.shape)
    if hasattr(A, "matvec") or hasattr(A, "todense"):
        raise SignatureError(
            f"{name}: takes a sparse array of SciPy, a BCOO, BCSR, CSR or CSC of JAX without batch and dense axes, or "
            f"a dense array; got {A!r:.80}."
        )
    (dense,) = arrays(name, A=A)
    if dense.ndim != 2:
        raise SignatureError(
            f"{name}: `A` must have two axes, got {dense.shape}. (A batch goes by jax.vmap.)"
        )
    row, column = np.indices(dense.shape).reshape(2, -1)
    return Entries(dense.ravel(), row, column, (dense.shape[0], dense.shape[1]))


def _known(x: Any) -> Any:
    """A pattern in NumPy, if it is known: then the compiler has nothing to do for it."""
    return x if isinstance(x, jax.core.Tracer) else np.asarray(x)


def _placed(data: Any, row: Any, column: Any, shape: tuple[int, int]) -> Entries:
    """What stands outside of the matrix, as the padding of JAX does, is a zero in the first place."""
    inside = (row < shape[0]) & (column < shape[1])
    xp: Any = jnp if isinstance(inside, jax.core.Tracer) else np
    if xp is np and inside.all():
        return Entries(data, row, column, shape)
    return Entries(jnp.where(inside, data, 0), xp.where(inside, row, 0), xp.where(inside, column, 0), shape)


def square(name: str, A: Any) -> Entries:
    found = entries(name, A)
    if found.shape[0] != found.shape[1]:
        raise SignatureError(f"{name}: `A` must be a square matrix, got one of shape {found.shape}.")
    return found


def right_side(name: str, A: Entries, b: Any) -> tuple[Entries, Any]:
    """The matrix and the right-hand side, in one type."""
    (b,) = arrays(name, b=b)
    if b.shape != A.shape[:1]:
        raise SignatureError(
            f"{name}: wants b of shape ({A.shape[0]},) for `A` of shape {A.shape}, got {b.shape}."
        )
    dtype = inexact(A.data, b)
    return A.of(dtype), b.astype(dtype)


def on_host(data: np.ndarray, row: np.ndarray, column: np.ndarray, shape: tuple[int, int]) -> Any:
    """The same as an array of SciPy."""
    return scipy.sparse.coo_array((data, (row, column)), shape=shape).tocsr()

"""Sparse matrices as stored numbers and a pattern, and their products in JAX: what sparse solvers share."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
import scipy.sparse
import scipy.sparse.linalg

from hostwrap._errors import SignatureError
from hostwrap._recipes.cores import arrays, inexact


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
        inside = (A.indices < np.asarray(A.shape)).all(axis=1)
        row, column = jnp.where(inside[:, None], A.indices, 0).T
        return Entries(jnp.where(inside, A.data, 0), row, column, A.shape)
    if kind in ("BCSR", "CSR", "CSC"):
        return entries(name, A.to_bcoo() if kind == "BCSR" else _coordinates(A, kind))
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


def _coordinates(A: Any, kind: str) -> Any:
    from jax.experimental import sparse

    major = jnp.repeat(jnp.arange(len(A.indptr) - 1), jnp.diff(A.indptr), total_repeat_length=A.data.shape[0])
    pair = (major, A.indices) if kind == "CSR" else (A.indices, major)
    return sparse.BCOO((A.data, jnp.stack(pair, 1)), shape=A.shape)


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

"""The entries of a sparse matrix by rows. XLA's sort of integers takes longer than the solution of many systems."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.sparse

from hostwrap._wrap import wrap


def _counted(keys: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """A stable sort of integers below n, and where each value begins: SciPy counts, for a matrix with one entry per
    column."""
    count = len(keys)
    found = scipy.sparse.csc_array(
        (np.ones(count, bool), keys, np.arange(count + 1)), shape=(n, count)
    ).tocsr()
    return found.indices, found.indptr


def _sorted(row: np.ndarray, column: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    first, _ = _counted(column, n)
    then, starts = _counted(row[first], n)
    order = first[then]
    return order, column[order], starts


def _results(row: Any, column: Any, *, n: int) -> tuple:
    entries, whole = jax.ShapeDtypeStruct(row.shape, jnp.result_type(int)), jnp.result_type(int)
    return entries, entries, jax.ShapeDtypeStruct((n + 1,), whole)


@wrap(out=_results, static="n", derivatives="rules")
def _on_host(row: np.ndarray, column: np.ndarray, *, n: int) -> tuple:
    return _sorted(row, column, n)


def by_rows(row: Any, column: Any, n: int) -> tuple[Any, Any, Any]:
    """For entries of a matrix [n, n]: their order by rows and columns, the sorted columns, and where each row begins.

    For a known pattern the compiled program has nothing to do.
    """
    if isinstance(row, jax.core.Tracer) or isinstance(column, jax.core.Tracer):
        return _on_host(row, column, n=n)
    return _sorted(np.asarray(row), np.asarray(column), n)


def major(indptr: Any, entries: int) -> Any:
    """The row of each entry of a matrix in rows. For a known pattern the compiler has nothing to do."""
    rows = np.arange(np.shape(indptr)[0] - 1)
    if isinstance(indptr, jax.core.Tracer):
        return jnp.repeat(rows, jnp.diff(indptr), total_repeat_length=entries)
    return np.repeat(rows, np.diff(np.asarray(indptr)))

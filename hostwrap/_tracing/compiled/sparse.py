"""Products with sparse matrices, and conversions between their formats, as SciPy's classes compute them.

As in C, results are added to the arrays that the caller passes for them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hostwrap._tracing.compiled.table import computes


def rows_of(starts: Any) -> Any:
    """The number of the row (or of the column) of each entry."""
    return np.repeat(np.arange(len(starts) - 1), starts[1:] - starts[:-1])


def _add(y: Any, rows: Any, columns: Any, data: Any, x: Any) -> None:
    np.add.at(y, rows, data * np.take(x, columns))


def _add_many(y: Any, x: Any, vectors: int, rows: Any, columns: Any, data: Any) -> None:
    x, y = x.reshape(-1, vectors), y.reshape(-1, vectors)
    np.add.at(y, rows, data[:, None] * np.take(x, columns, axis=0))


@computes("sparse._sparsetools.csr_matvec")
def csr_matvec(m: int, n: int, starts: Any, indices: Any, data: Any, x: Any, y: Any) -> None:
    _add(y, rows_of(starts), indices, data, x)


@computes("sparse._sparsetools.csc_matvec")
def csc_matvec(m: int, n: int, starts: Any, indices: Any, data: Any, x: Any, y: Any) -> None:
    _add(y, indices, rows_of(starts), data, x)


@computes("sparse._sparsetools.coo_matvec")
def coo_matvec(nnz: int, rows: Any, columns: Any, data: Any, x: Any, y: Any) -> None:
    _add(y, rows, columns, data, x)


@computes("sparse._sparsetools.csr_matvecs")
def csr_matvecs(m: int, n: int, v: int, starts: Any, indices: Any, data: Any, x: Any, y: Any) -> None:
    _add_many(y, x, v, rows_of(starts), indices, data)


@computes("sparse._sparsetools.csc_matvecs")
def csc_matvecs(m: int, n: int, v: int, starts: Any, indices: Any, data: Any, x: Any, y: Any) -> None:
    _add_many(y, x, v, indices, rows_of(starts), data)


@computes("sparse._sparsetools.dia_matvec")
def dia_matvec(m: int, n: int, count: int, length: int, offsets: Any, diagonals: Any, x: Any, y: Any) -> None:
    """The diagonal with offset k has its entry diagonals[d, j] in row j - k, column j of the matrix."""
    for d in range(count):
        k = int(offsets[d])
        first, last = max(0, k), min(m + k, n, length)
        if last > first:
            y[first - k : last - k] = y[first - k : last - k] + diagonals[d, first:last] * x[first:last]


@computes("sparse._sparsetools.coo_todense")
def coo_todense(
    m: int, n: int, nnz: int, rows: Any, columns: Any, data: Any, dense: Any, fortran: int
) -> None:
    np.add.at(dense, rows + m * columns if fortran else n * rows + columns, data)


@computes("sparse._sparsetools.csr_todense")
def csr_todense(m: int, n: int, starts: Any, indices: Any, data: Any, dense: Any) -> None:
    np.add.at(dense, (rows_of(starts), indices), data)


@computes("sparse._sparsetools.coo_tocsr")
def coo_tocsr(
    m: int, n: int, nnz: int, rows: Any, columns: Any, data: Any, starts: Any, indices: Any, into: Any
) -> None:
    order = np.argsort(rows, kind="stable")
    starts[...] = np.searchsorted(rows[order], np.arange(m + 1))
    indices[:nnz] = columns[order]
    into[:nnz] = data[order]


@computes("sparse._sparsetools.csr_tocsc")
def csr_tocsc(
    m: int, n: int, starts: Any, indices: Any, data: Any, into_starts: Any, into_rows: Any, into: Any
) -> None:
    """Also the CSR form of a CSC matrix: then rows are columns."""
    coo_tocsr(n, m, len(data), indices, rows_of(starts), data, into_starts, into_rows, into)


@computes("sparse._sparsetools.csr_eliminate_zeros")
def eliminate_zeros(m: int, n: int, starts: Any, indices: Any, data: Any) -> None:
    """Numbers that are 0 stay: their derivatives need not be 0."""


@computes("sparse._sparsetools.dia_matvecs")
def dia_matvecs(
    m: int, n: int, count: int, length: int, offsets: Any, diagonals: Any, v: int, x: Any, y: Any
) -> None:
    columns = x.reshape(-1, v), y.reshape(-1, v)
    for d in range(count):
        k = int(offsets[d])
        first, last = max(0, k), min(m + k, n, length)
        if last > first:
            x, y = columns
            y[first - k : last - k] = y[first - k : last - k] + diagonals[d, first:last, None] * x[first:last]


@computes("sparse._sparsetools.coo_todense_nd")
def coo_todense_nd(
    strides: Any, nnz: int, ndim: int, coords: Any, data: Any, dense: Any, fortran: int
) -> None:
    np.add.at(dense, strides @ np.reshape(coords, (ndim, nnz)), data)


@computes("sparse._sparsetools.coo_matmat_dense")
def coo_matmat_dense(nnz: int, v: int, rows: Any, columns: Any, data: Any, x: Any, y: Any) -> None:
    _add_many(y, x, v, rows, columns, data)

"""Sparse matrices from sparse matrices, as SciPy's classes compute them: parts, sums, products, other formats.

SciPy's C code leaves out numbers that are 0. They are kept here, because their derivatives need not be 0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hostwrap._tracing.compiled.sparse import csr_tocsc, rows_of
from hostwrap._tracing.compiled.table import computes


def _ranges(first: Any, lengths: Any) -> Any:
    """The numbers first[0], first[0] + 1, ..., which are lengths[0] many; then those from first[1] on, and so on."""
    ends = np.cumsum(lengths)
    return np.arange(int(np.sum(lengths))) + np.repeat(first - ends + lengths, lengths)


def _put(out: tuple, starts: Any, indices: Any, data: Any) -> None:
    into_starts, into_indices, into = out
    into_starts[...] = starts
    into_indices[: len(indices)] = indices
    into[: len(data)] = data


def _starts(rows: Any, count: int) -> Any:
    """Where the entries of each row begin; the rows ascend."""
    return np.searchsorted(rows, np.arange(count + 1))


def _summed(places: Any, data: Any, count: int) -> Any:
    if not len(places):
        return np.zeros((count, *np.shape(data)[1:]))
    total = data[:1] * np.zeros((count, *np.shape(data)[1:]))
    np.add.at(total, places, data)
    return total


# ---- parts


@computes("sparse._sparsetools.csr_row_index")
def csr_row_index(n: int, rows: Any, starts: Any, indices: Any, data: Any, out: Any, into: Any) -> None:
    places = _ranges(starts[rows], starts[rows + 1] - starts[rows])
    out[...] = indices[places]
    into[...] = np.take(data, places)


@computes("sparse._sparsetools.csr_row_slice")
def csr_row_slice(
    start: int, stop: int, step: int, starts: Any, indices: Any, data: Any, out: Any, into: Any
) -> None:
    csr_row_index(0, np.arange(start, stop, step), starts, indices, data, out, into)


@computes("sparse._sparsetools.csr_column_index2")
def csr_column_index2(order: Any, ends: Any, nnz: int, indices: Any, data: Any, out: Any, into: Any) -> None:
    """Column j of the matrix becomes the columns order[ends[j - 1] : ends[j]]."""
    first = np.concatenate([np.zeros(1, int), ends[:-1]])[indices[:nnz]]
    lengths = ends[indices[:nnz]] - first
    out[...] = order[_ranges(first, lengths)]
    into[...] = np.take(data, np.repeat(np.arange(nnz), lengths))


@computes("sparse._sparsetools.get_csr_submatrix")
def get_csr_submatrix(
    m: int, n: int, starts: Any, indices: Any, data: Any, i0: int, i1: int, j0: int, j1: int
) -> tuple:
    rows = rows_of(starts)
    kept = np.nonzero((rows >= i0) & (rows < i1) & (indices >= j0) & (indices < j1))[0]
    begin = _starts(rows[kept] - i0, i1 - i0).astype(starts.dtype)
    return begin, indices[kept] - np.asarray(j0, indices.dtype), np.take(data, kept)


@computes("sparse._sparsetools.csr_sample_values")
def csr_sample_values(
    m: int, n: int, starts: Any, indices: Any, data: Any, count: int, i: Any, j: Any, out: Any
) -> None:
    """The sums of all entries at (i, j)."""
    rows, i, j = rows_of(starts), np.where(i < 0, i + m, i), np.where(j < 0, j + n, j)
    sample, place = np.nonzero((i[:, None] == rows) & (j[:, None] == indices))
    out[...] = _summed(sample, np.take(data, place), count) if len(place) else 0.0


@computes("sparse._sparsetools.csr_diagonal")
def csr_diagonal(k: int, m: int, n: int, starts: Any, indices: Any, data: Any, out: Any) -> None:
    rows = rows_of(starts)
    kept = np.nonzero(indices - rows == k)[0]
    out[...] = 0.0
    np.add.at(out, rows[kept] - max(0, -k), np.take(data, kept))


@computes("sparse._sparsetools.csr_scale_rows")
def csr_scale_rows(m: int, n: int, starts: Any, indices: Any, data: Any, x: Any) -> None:
    data[...] = data * np.take(x, rows_of(starts))


@computes("sparse._sparsetools.csr_scale_columns")
def csr_scale_columns(m: int, n: int, starts: Any, indices: Any, data: Any, x: Any) -> None:
    data[...] = data * np.take(x, indices)


# ---- other orders


@computes("sparse._sparsetools.csr_sort_indices")
def csr_sort_indices(m: int, starts: Any, indices: Any, data: Any) -> None:
    order = np.lexsort((indices, rows_of(starts)))
    indices[: len(order)] = indices[order]
    data[: len(order)] = np.take(data, order)


@computes("sparse._sparsetools.csr_sum_duplicates")
def csr_sum_duplicates(m: int, n: int, starts: Any, indices: Any, data: Any) -> None:
    """The rows are in order already."""
    places, at = np.unique(rows_of(starts) * n + indices, return_inverse=True)
    _put((starts, indices, data), _starts(places // n, m), places % n, _summed(at, data, len(places)))


@computes("sparse._sparsetools.csr_hstack")
def csr_hstack(blocks: int, m: int, widths: Any, starts: Any, indices: Any, data: Any, *out: Any) -> None:
    """The starts of the blocks come one after the other, and so do their entries."""
    counts = np.diff(np.reshape(starts, (blocks, m + 1)), axis=1)
    block = np.repeat(np.arange(blocks), counts.sum(axis=1))
    rows = np.concatenate([np.repeat(np.arange(m), count) for count in counts])
    order = np.argsort(rows, kind="stable")
    shifted = indices + (np.cumsum(widths) - widths)[block]
    _put(out, _starts(rows[order], m), shifted[order], np.take(data, order))


@computes("sparse._sparsetools.dia_tocsr")
def dia_tocsr(
    m: int, n: int, count: int, length: int, offsets: Any, diagonals: Any, order: Any, into: Any, indices: Any,
    starts: Any,
) -> int:  # fmt: skip
    """Return the number of entries."""
    columns = np.arange(min(n, length)) + np.zeros((count, 1), int)
    rows = columns - np.reshape(offsets, (-1, 1))
    kept = np.nonzero(np.ravel((rows >= 0) & (rows < m)))[0]
    rows, columns = np.ravel(rows)[kept], np.ravel(columns)[kept]
    order = np.lexsort((columns, rows))
    data = np.take(np.reshape(diagonals[:, : min(n, length)], -1), kept[order])
    _put((starts, indices, into), _starts(rows[order], m), columns[order], data)
    return len(order)


# ---- sums and products of two


def _union(ours: tuple, theirs: tuple, m: int, n: int) -> tuple:
    """The places where either matrix has an entry, and the numbers of both there."""
    of_both = [rows_of(starts) * n + indices for starts, indices, _ in (ours, theirs)]
    places = np.unique(np.concatenate(of_both))
    at = [np.searchsorted(places, own) for own in of_both]
    numbers = [_summed(k, x[2], len(places)) for k, x in zip(at, (ours, theirs), strict=True)]
    return places, numbers


def _elementwise(name: str, operation: Callable) -> None:
    @computes(f"sparse._sparsetools.csr_{name}_csr")
    def combine(
        m: int, n: int, starts: Any, indices: Any, data: Any, their_starts: Any, their_indices: Any,
        theirs: Any, *out: Any,
    ) -> None:  # fmt: skip
        places, (a, b) = _union((starts, indices, data), (their_starts, their_indices, theirs), m, n)
        value = operation(a, b)
        if name == "elmul":  # elsewhere one of the two has no entry, and the product is 0
            both = [rows_of(s) * n + i for s, i in ((starts, indices), (their_starts, their_indices))]
            kept = np.nonzero(np.isin(places, both[0]) & np.isin(places, both[1]))[0]
            places, value = places[kept], np.take(value, kept)
        _put(out, _starts(places // n, m), places % n, value)

    computes(f"sparse._sparsetools.csc_{name}_csc")(lambda m, n, *given: combine(n, m, *given))


for _name, _operation in {
    "plus": np.add, "minus": np.subtract, "elmul": np.multiply, "eldiv": np.true_divide, "maximum": np.maximum,
    "minimum": np.minimum,
}.items():  # fmt: skip
    _elementwise(_name, _operation)


def _pairs(starts: Any, indices: Any, their_starts: Any) -> tuple:
    """The entries of both matrices that meet in a product."""
    lengths = their_starts[indices + 1] - their_starts[indices]
    return np.repeat(np.arange(len(indices)), lengths), _ranges(their_starts[indices], lengths)


def _found(rows: Any, columns: Any, n: int, latest: bool = False) -> tuple:
    """The places of the result, and the place of each entry. As in C, a row has them in the order found, or the latest
    first."""
    places, first, at = np.unique(rows * n + columns, return_index=True, return_inverse=True)
    order = np.lexsort((-first if latest else first, places // n))
    return places[order], np.argsort(order)[at]


@computes("sparse._sparsetools.csr_matmat")
def csr_matmat(
    m: int, n: int, starts: Any, indices: Any, data: Any, their_starts: Any, their_indices: Any, theirs: Any,
    *out: Any,
) -> None:  # fmt: skip
    mine, other = _pairs(starts, indices, their_starts)
    places, at = _found(rows_of(starts)[mine], their_indices[other], n, latest=True)
    value = _summed(at, np.take(data, mine) * np.take(theirs, other), len(places)) if len(at) else data[:0]
    _put(out, _starts(places // n, m), places % n, value)


# ---- columns: SciPy 1.15 has functions of its own for CSC matrices, which are those of the transposed matrices


@computes("sparse._sparsetools.csc_tocsr")
def csc_tocsr(m: int, n: int, *given: Any) -> None:
    csr_tocsc(n, m, *given)


@computes("sparse._sparsetools.csc_diagonal")
def csc_diagonal(k: int, m: int, n: int, *given: Any) -> None:
    csr_diagonal(-k, n, m, *given)


@computes("sparse._sparsetools.csc_matmat")
def csc_matmat(
    m: int, n: int, starts: Any, indices: Any, data: Any, their_starts: Any, their_indices: Any, theirs: Any,
    *out: Any,
) -> None:  # fmt: skip
    csr_matmat(n, m, their_starts, their_indices, theirs, starts, indices, data, *out)


# ---- blocks


def _entries(starts: Any, indices: Any, r: int, c: int) -> tuple:
    """The rows and columns of all numbers of a matrix of blocks of r by c."""
    i, j = np.arange(r)[None, :, None], np.arange(c)[None, None, :]
    rows = r * rows_of(starts)[:, None, None] + i + 0 * j
    return np.ravel(rows), np.ravel(c * indices[:, None, None] + 0 * i + j)


@computes("sparse._sparsetools.bsr_matvec")
def bsr_matvec(m: int, n: int, r: int, c: int, starts: Any, indices: Any, data: Any, x: Any, y: Any) -> None:
    rows, columns = _entries(starts, indices, r, c)
    np.add.at(y, rows, np.reshape(data, -1) * np.take(x, columns))


@computes("sparse._sparsetools.bsr_matvecs")
def bsr_matvecs(
    m: int, n: int, v: int, r: int, c: int, starts: Any, indices: Any, data: Any, x: Any, y: Any
) -> None:
    rows, columns = _entries(starts, indices, r, c)
    x, y = x.reshape(-1, v), y.reshape(-1, v)
    np.add.at(y, rows, np.reshape(data, (-1, 1)) * np.take(x, columns, axis=0))


@computes("sparse._sparsetools.bsr_diagonal")
def bsr_diagonal(
    k: int, m: int, n: int, r: int, c: int, starts: Any, indices: Any, data: Any, out: Any
) -> None:
    rows, columns = _entries(starts, indices, r, c)
    kept = np.nonzero(columns - rows == k)[0]
    np.add.at(out, rows[kept] - max(0, -k), np.take(np.reshape(data, -1), kept))


@computes("sparse._sparsetools.bsr_transpose")
def bsr_transpose(m: int, n: int, r: int, c: int, starts: Any, indices: Any, data: Any, *out: Any) -> None:
    order = np.argsort(indices, kind="stable")
    turned = np.take(np.swapaxes(np.reshape(data, (-1, r, c)), 1, 2), order, axis=0)
    _put(out, _starts(indices[order], n), rows_of(starts)[order], np.reshape(turned, -1))


@computes("sparse._sparsetools.bsr_matmat")
def bsr_matmat(
    nnz: int, m: int, n: int, r: int, c: int, k: int, starts: Any, indices: Any, data: Any, their_starts: Any,
    their_indices: Any, theirs: Any, *out: Any,
) -> None:  # fmt: skip
    mine, other = _pairs(starts, indices, their_starts)
    places, at = _found(rows_of(starts)[mine], their_indices[other], n)
    a, b = np.reshape(data, (-1, r, k)), np.reshape(theirs, (-1, k, c))
    blocks = np.matmul(np.take(a, mine, axis=0), np.take(b, other, axis=0))
    value = _summed(at, blocks, len(places)) if len(at) else blocks
    _put(out, _starts(places // n, m), places % n, np.reshape(value, -1))


@computes("sparse._sparsetools.csr_tobsr")
def csr_tobsr(
    m: int, n: int, r: int, c: int, starts: Any, indices: Any, data: Any, into_starts: Any, into_indices: Any,
    into: Any,
) -> None:  # fmt: skip
    """Blocks are in the order in which they are found."""
    rows, wide = rows_of(starts), -(-n // c)
    places, at = _found(rows // r, indices // c, wide)
    into_starts[...] = _starts(places // wide, m // r)
    into_indices[: len(places)] = places % wide
    np.add.at(into, (at * r + rows % r) * c + indices % c, data)

"""Sparse matrices as lists of rows (`lil_matrix`), which code fills number by number.

SciPy's C code leaves out numbers that are 0. They are kept here, because their derivatives need not be 0.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable
from typing import Any

import numpy as np

from hostwrap._copies.retarget import Around
from hostwrap._tracing.compiled.table import computes


@computes("sparse._csparsetools.lil_flatten_to_array")
def lil_flatten_to_array(rows: Any, out: Any) -> None:
    numbers = [x for row in rows for x in row]
    if numbers:
        out[...] = np.stack(numbers)


@computes("sparse._csparsetools.lil_get1")
def lil_get1(m: int, n: int, rows: Any, data: Any, i: int, j: int) -> Any:
    """The number in row i, column j."""
    if not (-m <= i < m and -n <= j < n):
        raise IndexError("row or column index out of bounds")
    i, j = i % m, j % n
    at = bisect.bisect_left(rows[i], j)
    return data[i][at] if at < len(rows[i]) and rows[i][at] == j else 0.0


@computes("sparse._csparsetools.lil_insert")
def lil_insert(m: int, n: int, rows: Any, data: Any, i: int, j: int, x: Any) -> None:
    if not (-m <= i < m and -n <= j < n):
        raise IndexError("row or column index out of bounds")
    i, j = i % m, j % n
    at = bisect.bisect_left(rows[i], j)
    if at < len(rows[i]) and rows[i][at] == j:
        data[i][at] = x
    else:
        rows[i].insert(at, j)
        data[i].insert(at, x)


@computes("sparse._csparsetools.lil_fancy_set")
def lil_fancy_set(m: int, n: int, rows: Any, data: Any, i: Any, j: Any, values: Any) -> None:
    for place in np.ndindex(np.shape(i)):
        lil_insert(m, n, rows, data, int(i[place]), int(j[place]), values[place])


@computes("sparse._csparsetools.lil_fancy_get")
def lil_fancy_get(m: int, n: int, rows: Any, data: Any, into_rows: Any, into: Any, i: Any, j: Any) -> None:
    for x, y in np.ndindex(np.shape(i)):
        row, column = int(i[x, y]) % m, int(j[x, y]) % n
        if column in rows[row]:
            into_rows[x].append(y)
            into[x].append(lil_get1(m, n, rows, data, row, column))


@computes("sparse._csparsetools.lil_get_row_ranges")
def lil_get_row_ranges(
    m: int, n: int, rows: Any, data: Any, into_rows: Any, into: Any, chosen: Any, start: int, stop: int, step: int,
    width: int,
) -> None:  # fmt: skip
    columns = {j: k for k, j in enumerate(range(start, stop, step))}
    for k, i in enumerate(chosen):
        pairs = [(columns[j], x) for j, x in zip(rows[i], data[i], strict=True) if j in columns]
        found = sorted(pairs, key=lambda pair: pair[0])
        into_rows[k], into[k] = [j for j, _ in found], [x for _, x in found]


def _set(own: Callable, self: Any, key: Any, x: Any) -> None:
    """SciPy's own method converts the number to the type of the matrix, which needs a plain number."""
    if isinstance(key, tuple) and len(key) == 2 and all(isinstance(k, int | np.integer) for k in key):
        number = x.toarray() if hasattr(x, "toarray") else x
        if np.size(number) != 1:
            raise ValueError("Trying to assign a sequence to an item")
        lil_insert(*self.shape, self.rows, self.data, int(key[0]), int(key[1]), np.reshape(number, -1)[0])
    else:
        own(self, key, x)


def _get(own: Callable, self: Any, row: int, column: int) -> Any:
    return lil_get1(*self.shape, self.rows, self.data, row, column)


AROUND = {
    "scipy.sparse._lil": {"_lil_base.__setitem__": Around(_set), "_lil_base._get_intXint": Around(_get)}
}
"""Methods in Python around these, see `Around`."""

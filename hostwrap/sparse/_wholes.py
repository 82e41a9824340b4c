"""Sparse matrices: systems with a triangular one, and dense functions of any: the inverse and the exponential."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.sparse.linalg

from hostwrap._errors import SignatureError
from hostwrap._recipes.cores import arrays, inexact
from hostwrap._recipes.expm import expm as dense_expm
from hostwrap._recipes.factors import spsolve
from hostwrap._recipes.hosted import solved
from hostwrap._types import ArrayLike
from hostwrap._wrap import wrap
from hostwrap.sparse._operators import Entries, on_host, square


@wrap("(z),(z),(z),(n)->(n)", static=("lower", "unit"), vmap_method="expand_dims")
def _solve(
    data: np.ndarray, row: np.ndarray, column: np.ndarray, b: np.ndarray, *, lower: bool, unit: bool
) -> Any:
    """Solve for all right-hand sides of a matrix together."""
    batch = np.broadcast_shapes(*(a.shape[:-1] for a in (data, row, column, b)))
    if all(a.size == a.shape[-1] for a in (data, row, column)):
        columns = b.reshape(-1, b.shape[-1]).T
        found = _one([np.ravel(a) for a in (data, row, column)], columns, lower, unit)
        return np.broadcast_to(found.T.reshape(b.shape), (*batch, b.shape[-1]))
    given = [np.broadcast_to(a, (*batch, a.shape[-1])) for a in (data, row, column, b)]
    x = np.empty((*batch, b.shape[-1]), np.result_type(data, b))
    for index in np.ndindex(batch):
        x[index] = _one([a[index] for a in given[:3]], given[3][index], lower, unit)
    return x


def _one(matrix: Sequence[np.ndarray], b: np.ndarray, lower: bool, unit: bool) -> Any:
    data, row, column = matrix
    n = len(b)
    there = (data != 0) | (row == column)  # a dense array stores the other half, too
    A = on_host(data[there], row[there], column[there], (n, n))
    return scipy.sparse.linalg.spsolve_triangular(A, b, lower, unit_diagonal=unit)


def spsolve_triangular(
    A: Any, b: ArrayLike, lower: bool = True, overwrite_A: bool = False, overwrite_b: bool = False,
    unit_diagonal: bool = False,
) -> jax.Array:  # fmt: skip
    """`scipy.sparse.linalg.spsolve_triangular`: `A x = b` with a triangular A, differentiable in what it stores and b.

    Derivatives have any order, in both modes; a gradient takes one more solution, with the transpose. Nothing is
    overwritten.

    Args:
        A: [n, n], a sparse array of SciPy or JAX, as of `spsolve`, or a dense one, with zeros in the other half.
        b: [n] or [n, k].
        lower: whether A is a lower triangle.
        unit_diagonal: the diagonal is taken for 1, whatever A has there.

    Raises:
        SignatureError: shapes that do not fit.
        LinAlgError: A is singular, or not triangular; HostCallError inside a compiled program.

    >>> import numpy as np, scipy.sparse
    >>> A = scipy.sparse.csr_array([[2.0, 0.0], [1.0, 4.0]])
    >>> print(jax.jacobian(lambda b: spsolve_triangular(A, b))(np.ones(2)))
    [[ 0.5    0.   ]
     [-0.125  0.25 ]]
    """
    name = "spsolve_triangular"
    matrix = square(name, A)
    (b,) = arrays(name, b=b)
    if b.ndim not in (1, 2) or b.shape[0] != matrix.shape[0]:
        n = matrix.shape[0]
        raise SignatureError(f"{name}: wants b of shape ({n},) or ({n}, k), got {b.shape}.")
    dtype = inexact(matrix.data, b)
    matrix, columns = matrix.of(dtype), b.astype(dtype)
    if unit_diagonal:
        matrix = matrix._replace(data=jnp.where(matrix.row == matrix.column, 0, matrix.data))

    def solve(matrix: Entries, b: Any, lower: bool) -> Any:
        return _solve(matrix.data, matrix.row, matrix.column, b, lower=lower, unit=unit_diagonal)

    def one(b: Any) -> Any:
        return solved(
            lambda x: matrix.times(x) + (x if unit_diagonal else 0),
            b,
            lambda b: solve(matrix, b, bool(lower)),
            lambda b: solve(matrix.T, b, not lower),
        )

    return one(columns) if b.ndim == 1 else jax.vmap(one, 1, 1)(columns)


def inv(A: Any) -> jax.Array:
    """`scipy.sparse.linalg.inv`: the inverse, a dense array, as it has next to no zeros. To solve, take `spsolve`.

    Differentiable to any order in what A stores, a sparse array of SciPy or JAX.

    >>> import numpy as np, scipy.sparse
    >>> print(inv(scipy.sparse.csc_array([[2.0, 0.0], [1.0, 4.0]])))
    [[ 0.5    0.   ]
     [-0.125  0.25 ]]
    """
    n = square("inv", A).shape[0]
    return spsolve(A, jnp.eye(n))


def expm(A: Any) -> jax.Array:
    """`scipy.sparse.linalg.expm`: the exponential, a dense array. Of its action on vectors take `expm_multiply`.

    Differentiable in what A stores, a sparse array of SciPy or JAX; derivatives as of `hostwrap.linalg.expm`.

    >>> import numpy as np, scipy.sparse
    >>> print(expm(scipy.sparse.csc_array([[0.0, 2.0], [0.0, 0.0]])))
    [[1. 2.]
     [0. 1.]]
    """
    matrix = square("expm", A)
    dtype = inexact(matrix.data)
    whole = jnp.zeros(matrix.shape, dtype).at[matrix.row, matrix.column].add(matrix.data.astype(dtype))
    return dense_expm(whole)

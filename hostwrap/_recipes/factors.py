"""Sparse matrices, factored by SuperLU: differentiable in the matrix and the right-hand side."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from typing import Any, overload

import jax
import jax.numpy as jnp
import numpy as np
import scipy.sparse
import scipy.sparse.linalg

from hostwrap._errors import SignatureError
from hostwrap._recipes.cached import cached
from hostwrap._recipes.cores import arrays, inexact
from hostwrap._recipes.elsewhere import refuse_unknown
from hostwrap._recipes.rows import by_rows, major
from hostwrap._recipes.scipys import as_scipys
from hostwrap._types import ArrayLike
from hostwrap._wrap import wrap

FORMATS = ("csr", "csc")


@overload
def spsolve(
    A: Any, b: ArrayLike, /, *, permc_spec: str | None = None, use_umfpack: bool = True
) -> jax.Array: ...
@overload
def spsolve(
    data: ArrayLike, indices: ArrayLike, indptr: ArrayLike, b: ArrayLike, *, format: str = "csr"
) -> jax.Array: ...
def spsolve(
    data: Any, indices: Any = None, indptr: Any = None, b: ArrayLike | None = None, *, format: str = "csr",
    **without_effect: Any,
) -> Any:  # fmt: skip
    """Solve `A x = b` with a sparse matrix, as `scipy.sparse.linalg.spsolve`, by SuperLU.

    `spsolve(A, b)` takes a sparse array (or matrix) of SciPy in any format, a BCOO, BCSR, CSR or CSC of
    `jax.experimental.sparse`, or a dense array, all of which is stored; `spsolve(data, indices, indptr, b)` takes the
    arrays of such a matrix.

    The factorisation is kept (see `hostwrap.cached`): a gradient, which solves with the transposed matrix too, takes
    one, and so do more right-hand sides. Where the matrix is singular the result is NaN.

    Args:
        data, indices, indptr: the matrix, in the arrays that a `scipy.sparse.csr_array` has; [z], [z] and [n + 1].
            The pattern is integers; data may be real or complex.
        b: [n], or [n, k] for several right-hand sides. More batch axes by vmap.
        format: "csr" (by rows), or "csc" (by columns), of data, indices and indptr.
        without_effect: permc_spec and use_umfpack, which say how SciPy computes.

    Returns:
        x, shaped as b. Derivatives in data and b, of any order, forward and reverse: dx = A^-1 (db - dA x). Those in
        the data of a BCOO are as many as it stores; what stands outside of the matrix, as padding, has 0.

    Raises:
        SignatureError: shapes that do not fit, a pattern that is no integers.

    >>> import jax, numpy as np, scipy.sparse
    >>> A = scipy.sparse.csr_array(np.diag([2.0, 4.0]))
    >>> print(jax.jacobian(lambda b: spsolve(A, b))(np.ones(2)))
    [[0.5  0.  ]
     [0.   0.25]]
    """
    refuse_unknown("spsolve", without_effect)
    if hasattr(data, "todense") or (indptr is None and np.ndim(data) == 2):
        (data, indices, indptr), b, format = _parts(data, [indices, indptr, b])
    elif indptr is None or b is None:
        raise SignatureError(
            "spsolve: give a sparse array and b, or data, indices, indptr and b; got neither."
        )
    given = arrays("spsolve", data=data, indices=indices, indptr=indptr, b=b)
    _check(given, format)
    return _spsolve(*given, major(indptr, given[0].shape[0]), format)


def _parts(A: Any, others: Sequence[Any]) -> tuple[tuple, Any, str]:
    """(data, indices, indptr), b and format of a call with a sparse array."""
    right = [x for x in others if x is not None]
    if len(right) != 1:
        raise SignatureError(
            f"spsolve: with a sparse array comes b, and nothing else; got {len(right)} more arguments."
        )
    kind, shape = type(A).__name__, tuple(A.shape)
    if len(shape) != 2 or shape[0] != shape[1]:
        raise SignatureError(f"spsolve: `A` must be a square matrix, got a {kind} of shape {shape}.")
    if not hasattr(A, "todense"):
        (A,) = arrays("spsolve", A=A)
        columns = np.tile(np.arange(shape[0]), shape[0])
        return (A.ravel(), columns, np.arange(shape[0] + 1) * shape[0]), right[0], "csr"
    if scipy.sparse.issparse(A):
        A = A if A.format in FORMATS else A.tocsr()
        return (A.data, A.indices, A.indptr), right[0], A.format
    if kind in ("CSR", "CSC"):
        return (A.data, A.indices, A.indptr), right[0], kind.lower()
    if kind not in ("BCOO", "BCSR") or A.n_batch or A.n_dense:
        raise SignatureError(
            "spsolve: takes a sparse array of SciPy, or a BCOO, BCSR, CSR or CSC of JAX without batch and dense axes; "
            f"got {A!r:.80}. (A batch of matrices goes by jax.vmap.)"
        )
    return (_of_bcoo if kind == "BCOO" else _of_bcsr)(A), right[0], "csr"


def _of_bcoo(A: Any) -> tuple:
    """The matrix by rows. JAX stores padding outside of the matrix; here it is a zero in the last place."""
    n = A.shape[0]
    xp: Any = jnp if isinstance(A.indices, jax.core.Tracer) else np
    indices = xp.asarray(A.indices)
    inside = (indices < n).all(axis=1)
    rows, columns = xp.where(inside[:, None], indices, n - 1).T
    order, columns, indptr = by_rows(rows, columns, n)
    return jnp.where(inside, A.data, 0)[order], columns, indptr


def _of_bcsr(A: Any) -> tuple:
    """The matrix by rows. Padding stands behind the last row; here it belongs to it, as zeros in the last place."""
    entries = A.data.shape[0]
    if not isinstance(A.indptr, jax.core.Tracer) and np.asarray(A.indptr)[-1] == entries:
        return A.data, A.indices, A.indptr
    inside = jnp.arange(entries) < A.indptr[-1]
    columns = jnp.where(inside, A.indices, A.shape[0] - 1)
    return jnp.where(inside, A.data, 0), columns, jnp.asarray(A.indptr).at[-1].set(entries)


@functools.partial(jax.jit, static_argnums=5)
def _spsolve(data: Any, indices: Any, indptr: Any, b: Any, major: Any, format: str) -> Any:
    dtype = inexact(data, b)
    data, columns = data.astype(dtype), b.astype(dtype)
    row, column = (major, indices) if format == "csr" else (indices, major)

    def product(x: Any) -> Any:
        return jnp.zeros_like(x).at[row].add(data * x[column])

    def one(b: Any) -> Any:
        # SuperLU factors by columns, so a matrix in rows is the transposed one
        ways = ("T", "N") if format == "csr" else ("N", "T")
        solve, back = (functools.partial(_solve, data, indices, indptr, trans=trans) for trans in ways)
        return jax.lax.custom_linear_solve(product, b, lambda _, b: solve(b), lambda _, b: back(b))

    return one(columns) if b.ndim == 1 else jax.vmap(one, 1, 1)(columns)


# One thread, because SciPy does not free the memory of a SuperLU that another thread has made (scipy issue 15921).
@cached(maxsize=4, one_thread=True)
def factor(data: np.ndarray, indices: np.ndarray, indptr: np.ndarray) -> Any:
    """SuperLU's factorisation of the matrix with these columns; None if it is singular."""
    n = len(indptr) - 1
    pattern = (indices.astype(np.intc), indptr.astype(np.intc))
    try:
        return scipy.sparse.linalg.splu(scipy.sparse.csc_array((data.copy(), *pattern), shape=(n, n)))
    except RuntimeError:
        return None


@wrap("(z),(z),(p),(n)->(n)", static="trans", vmap_method="expand_dims", copy=False)
def _solve(data: np.ndarray, indices: np.ndarray, indptr: np.ndarray, b: np.ndarray, *, trans: str) -> Any:
    """Factor each matrix of the batch once, and solve for all its right-hand sides together."""
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


# ---- a factorisation as a value


@dataclasses.dataclass(frozen=True, eq=False)
class SuperLU:
    """What `splu` returns: a matrix whose systems `solve` solves; a pytree.

    >>> import jax, numpy as np, scipy.sparse
    >>> lu = splu(scipy.sparse.csc_array(np.diag([2.0, 4.0])))
    >>> print(jax.jacobian(lu.solve)(np.ones(2)))
    [[0.5  0.  ]
     [0.   0.25]]
    """

    data: jax.Array | np.ndarray
    indices: jax.Array | np.ndarray
    indptr: jax.Array | np.ndarray
    format: str

    @property
    def shape(self) -> tuple[int, int]:
        n = np.shape(self.indptr)[0] - 1
        return n, n

    def solve(self, rhs: ArrayLike, trans: str = "N") -> jax.Array:
        """x, shaped as rhs [n] or [n, k], with `A x = rhs`; with trans "T" or "H" of the transpose, or the adjoint."""
        if trans not in ("N", "T", "H"):
            raise SignatureError(f"splu: trans={trans!r} must be N, T or H.")
        if trans == "H":
            return jnp.conj(self.solve(jnp.conj(jnp.asarray(rhs)), "T"))
        turned = {"csr": "csc", "csc": "csr"}[self.format]
        return spsolve(
            self.data, self.indices, self.indptr, rhs, format=self.format if trans == "N" else turned
        )

    def __call__(self, rhs: ArrayLike) -> jax.Array:
        """Solve, like the result of `scipy.sparse.linalg.factorized`."""
        return self.solve(rhs)


jax.tree_util.register_dataclass(SuperLU, data_fields=["data", "indices", "indptr"], meta_fields=["format"])


@as_scipys("scipy.sparse.linalg")
def splu(A: Any) -> SuperLU:
    """`scipy.sparse.linalg.splu`: a factorisation to solve with, differentiable in what A stores and right-hand sides.

    The factorisation is made when something is solved, and kept (see `hostwrap.cached`): values, gradients and
    transposed systems share one.

    Args:
        A: [n, n], a sparse array of SciPy or JAX, as of `spsolve`.

    >>> import jax, numpy as np, scipy.sparse
    >>> lu = splu(scipy.sparse.csc_array([[2.0, 1.0], [0.0, 4.0]]))
    >>> print(jax.grad(lambda b: lu.solve(b)[0])(np.ones(2)))
    [ 0.5   -0.125]
    """
    (data, indices, indptr), _, format = _parts(A, [0])
    return SuperLU(data, indices, indptr, format)


factorized = splu

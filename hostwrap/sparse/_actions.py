"""The action of a matrix exponential on vectors, `exp(A) B` with a sparse A, which is never made dense.

Its derivative along (E, D) is the upper half of exp([[A, E], [0, A]]) applied to [D; B] (Van Loan, IEEE Trans. Autom.
Control 23, 395 (1978)). The adjoint goes backwards through the steps of a Taylor series, and has the derivative in A on
the pattern of A alone. The adjoint of the block matrix gives second derivatives.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.sparse
import scipy.sparse.linalg

from hostwrap._errors import SignatureError
from hostwrap._recipes.cores import arrays, inexact
from hostwrap._types import ArrayLike
from hostwrap._wrap import wrap
from hostwrap.sparse._operators import on_host, square

CACHED = 2**14  # numbers
LARGEST, TERMS = 5.0, 60  # of the norm of a step, of its terms: 5^45 / 45! is below the rounding error


def _action(data: np.ndarray, row: np.ndarray, column: np.ndarray, b: np.ndarray) -> Any:
    A = on_host(data, row, column, (len(b), len(b)))
    if b.shape[1] != 1:
        return scipy.sparse.linalg.expm_multiply(A, b)
    return scipy.sparse.linalg.expm_multiply(A, b[:, 0])[:, None]  # SciPy takes less time for a vector


_multiply = wrap("(z),(z),(z),(n,k)->(n,k)", copy=False)(_action)


def _adjoint(A: Any, row: np.ndarray, column: np.ndarray, b: np.ndarray, c: np.ndarray) -> tuple:
    """The derivative of `sum(c * exp(A) b)` in the entries of A at these places, and in b; without conjugation.

    exp(A) is exp(m) exp(A - m), with the mean m of the diagonal: A - m has a smaller norm, and takes fewer steps.
    """
    n, given = len(b), b.shape
    b, c = (x[:, 0] if x.shape[1] == 1 else x for x in (b, c))  # products with vectors take less time
    middle = A.trace() / n
    A = (A - middle * scipy.sparse.eye_array(n, format="csr")).tocsr()
    norm = np.bincount(A.indices, np.abs(A.data), n).max(initial=0)
    steps = max(1, int(np.ceil(norm / LARGEST)))
    h, factor = 1 / steps, np.exp(middle / steps)
    starts, last = [b], _terms(A, b, h)
    for _ in range(steps - 1):
        starts.append(factor * sum(last))
        last = _terms(A, starts[-1], h)
    moved = np.zeros(len(row), np.result_type(A.dtype, b, c))
    transposed = A.T.tocsr()
    for k in reversed(range(steps)):
        terms = last if k == steps - 1 else _terms(A, starts[k], h)
        # y = sum of t_j, t_j = A t_(j-1) h / j: t_(j-1) gets c + A' (what t_j got) h / j
        back = c = factor * c
        got = []
        for j in range(len(terms) - 1, 0, -1):
            got.append(h / j * back)
            back = c + transposed @ got[-1]
        if got:
            moved += _on_pattern(_side_by_side(got[::-1]), _side_by_side(terms[:-1]), row, column)
        c = back
    return moved, c.reshape(given)


def _side_by_side(columns: list[np.ndarray]) -> np.ndarray:
    """Arrays [n] or [n, k] as one, [n, all columns]."""
    return np.hstack([x.reshape(len(x), -1) for x in columns])


def _on_pattern(left: np.ndarray, right: np.ndarray, row: np.ndarray, column: np.ndarray) -> np.ndarray:
    """`(left @ right.T)[row, column]`, for parts of the pattern that fit into the cache."""
    found, step = np.empty(len(row), np.result_type(left, right)), max(1, CACHED // left.shape[1])
    memory = [np.empty((step, x.shape[1]), x.dtype) for x in (left, right)]
    for start in range(0, len(row), step):
        part = slice(start, start + step)
        rows = (
            x.take(places[part], 0, out[: len(places[part])], "clip")  # else NumPy copies `out` first
            for x, places, out in zip((left, right), (row, column), memory, strict=True)
        )
        np.einsum("zj,zj->z", *rows, out=found[part])
    return found


def _terms(A: Any, b: np.ndarray, h: float) -> list:
    """The terms of the Taylor series of exp(h A) b, until they are too small to count."""
    terms, least = [b], 1e-18 * np.max(np.abs(b), initial=0)
    for j in range(1, TERMS + 1):
        terms.append(h / j * (A @ terms[-1]))
        if np.max(np.abs(terms[-1]), initial=0) <= least:
            break
    return terms


def _jvp(primals: Any, tangents: Any) -> Any:
    data, row, column, b = primals
    moves, _, _, db = tangents
    n = len(b)
    lower = np.zeros_like(b) if db is None else db
    if moves is None:
        return _action(data, row, column, lower)
    size = _size(data, moves)
    block = _block(data, moves / size, row, column, n)
    return size * scipy.sparse.linalg.expm_multiply(block, np.concatenate([lower / size, b]))[:n]


def _size(data: np.ndarray, moves: np.ndarray) -> Any:
    """How much larger E is than A: the derivative is linear in (E, D), and a large E would take many steps."""
    return max(np.max(np.abs(moves), initial=0) / (np.max(np.abs(data), initial=0) or 1), 1.0)


def _block(data: np.ndarray, moves: np.ndarray, row: np.ndarray, column: np.ndarray, n: int) -> Any:
    """[[A, E], [0, A]], the three parts side by side."""
    return on_host(
        np.concatenate([data, data, moves]), np.concatenate([row, row + n, row]),
        np.concatenate([column, column + n, column + n]), (2 * n, 2 * n),
    )  # fmt: skip


def _vjp(primals: Any, cotangent: Any) -> Any:
    data, row, column, b = primals
    n = len(b)
    moved, back = _adjoint(on_host(data, row, column, (n, n)), row, column, b, cotangent)
    return moved, None, None, back


def _hvp(primals: Any, tangents: Any, cotangent: Any) -> Any:
    """The gradient of `sum(c * derivative)`, in the parts of the block matrix, from the upper half of its action."""
    data, row, column, b = primals
    moves, _, _, db = tangents
    n, z = len(b), len(row)
    moves = np.zeros_like(data) if moves is None else moves
    size = _size(data, moves)
    block = _block(data, moves / size, row, column, n)
    wide = np.concatenate([np.zeros_like(b) if db is None else db / size, b])
    places = np.concatenate([row, row + n]), np.concatenate([column, column + n])
    moved, back = _adjoint(block, *places, wide, np.concatenate([size * cotangent, 0 * cotangent]))
    return moved[:z] + moved[z:], None, None, back[n:]


_multiply.defhost(jvp=_jvp, vjp=_vjp, hvp=_hvp)


def expm_multiply(
    A: Any, B: ArrayLike, start: float | None = None, stop: float | None = None, num: int | None = None,
    endpoint: bool | None = None, traceA: Any = None,
) -> jax.Array:  # fmt: skip
    """`scipy.sparse.linalg.expm_multiply`: exp(A) B, or exp(t A) B for times t on a grid.

    Differentiable in what A stores and in B, first and second order, in both modes; A is never made dense. The number
    of vectors that a gradient keeps grows with the norm of A.

    Args:
        A: [n, n], real or complex; a sparse array of SciPy or JAX, or a dense one.
        B: [n] or [n, k].
        start, stop, num, endpoint: the times, `linspace(start, stop, num, endpoint)`, Python values; num is 50 by
            default. Without them the time is 1.
        traceA: ignored; SciPy uses it to save work.

    Returns:
        shaped as B; with times, which stand in front, [num, n] or [num, n, k].

    Raises:
        SignatureError: shapes that do not fit.

    >>> import jax, numpy as np
    >>> A = np.array([[0.0, 1.0], [0.0, 0.0]])
    >>> print(jax.grad(lambda A: expm_multiply(A, np.array([1.0, 2.0]))[0])(A).round(6))
    [[2.  2. ]
     [0.5 1. ]]
    """
    matrix = square("expm_multiply", A)
    (b,) = arrays("expm_multiply", B=B)
    if b.ndim not in (1, 2) or b.shape[0] != matrix.shape[0]:
        raise SignatureError(
            f"expm_multiply: wants B of shape (n,) or (n, k) for `A` of shape {matrix.shape}, got {b.shape}."
        )
    dtype = jnp.result_type(inexact(matrix.data), inexact(b))
    data, columns = matrix.data.astype(dtype), b.astype(dtype).reshape(len(b), -1)
    at = lambda t, c: _multiply(t * data, matrix.row, matrix.column, c).astype(dtype)
    if start is None and stop is None and num is None and endpoint is None:
        return at(1, columns).reshape(b.shape)
    if start is None or stop is None:
        raise SignatureError("expm_multiply: give start= and stop= together.")
    times = np.linspace(
        start, stop, 50 if num is None else num, endpoint=True if endpoint is None else endpoint
    )
    found = [at(float(times[0]), columns)]
    for step in np.diff(times):
        found.append(at(float(step), found[-1]))
    return jnp.stack(found).reshape(len(times), *b.shape)

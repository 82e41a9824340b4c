"""`scipy.linalg`, equations with a structured matrix: banded, Toeplitz, circulant. The full matrix is never made.

The product of the matrix with a vector is in JAX, and has the derivative in the numbers of the matrix. The host solves,
with the matrix in forward mode and with its transpose in reverse mode.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.linalg

from hostwrap._errors import SignatureError
from hostwrap._recipes.hosted import by_equation, hosted, shaped, solved
from hostwrap._recipes.scipys import as_scipys
from hostwrap._types import ArrayLike
from hostwrap._wrap import wrap


def _right(*args: Any, **_: Any) -> jax.ShapeDtypeStruct:
    return shaped(args[-1], None, *args[:-1])


def _placed(p: Any, k: int) -> Any:
    """p[j] in row j - k, for the diagonal k above the main one; numbers outside do not belong to the matrix."""
    n = p.shape[0]
    cut = p[k:] if k >= 0 else p[:k]
    return (
        jnp.pad(cut, [(max(-k, 0), max(k, 0)), *[(0, 0)] * (p.ndim - 1)]) if abs(k) < n else jnp.zeros_like(p)
    )


def _times(row: Any, x: Any) -> Any:
    return row.reshape(-1, *[1] * (x.ndim - 1)) * x


def _banded(ab: Any, x: Any, l_and_u: tuple[int, int]) -> Any:
    return sum(_placed(_times(row, x), l_and_u[1] - r) for r, row in enumerate(ab))


@as_scipys("scipy.linalg")
@hosted("ab b", _right)
def solve_banded(l_and_u: tuple[int, int], ab: ArrayLike, b: ArrayLike) -> jax.Array:
    """`scipy.linalg.solve_banded`, differentiable in the band and in the right-hand side, to any order.

    Args:
        l_and_u: how many diagonals there are below and above the main one.
        ab: [l + u + 1, n], as in SciPy; derivatives in its unused corners are 0.
        b: [n] or [n, k]. Batches by vmap.

    Raises:
        LinAlgError: the matrix is singular; HostCallError inside a compiled program.

    >>> import jax, numpy as np
    >>> ab, b = np.array([[0.0, 1.0], [2.0, 4.0]]), np.ones(2)
    >>> print(jax.grad(lambda ab: solve_banded((0, 1), ab, b)[0])(ab))
    [[ 0.      -0.125  ]
     [-0.1875   0.03125]]
    """
    return scipy.linalg.solve_banded(l_and_u, ab, b)


@wrap(
    out=lambda ab, b, *, l_and_u: (
        _right(ab, b),
        jax.ShapeDtypeStruct((ab.shape[1], 2 * l_and_u[0] + l_and_u[1] + 1), jnp.result_type(ab, b)),
        jax.ShapeDtypeStruct(ab.shape[1:], np.int32),
    ),
    static=("l_and_u",),
    copy=False,
)
def _factored(ab: np.ndarray, b: np.ndarray, *, l_and_u: tuple[int, int]) -> tuple:
    """x, LU by columns, and the pivots: `gbsv`, which SciPy calls, is `gbtrf` and then `gbtrs`."""
    below, above = l_and_u
    # for three diagonals SciPy's x differs in the last place; and SciPy raises errors for shapes
    x = scipy.linalg.solve_banded(l_and_u, ab, b) if below == above == 1 or len(b) < 3 else None
    (factor,) = scipy.linalg.get_lapack_funcs(("gbtrf",), (ab, b))
    wide = np.zeros((ab.shape[1], 2 * below + above + 1), factor.dtype)
    wide[:, below:] = np.asarray_chkfinite(ab).T
    lu, pivots, info = factor(wide.T, below, above, overwrite_ab=True)
    if info > 0:
        raise np.linalg.LinAlgError("singular matrix")
    x = _by_factor(lu.T, pivots, np.asarray_chkfinite(b), l_and_u, 0) if x is None else x
    return x, lu.T, pivots


def _by_factor(lu: np.ndarray, pivots: np.ndarray, b: np.ndarray, l_and_u: tuple, turned: int) -> np.ndarray:
    (solve,) = scipy.linalg.get_lapack_funcs(("gbtrs",), (lu, b))
    return solve(lu.T, *l_and_u, b, pivots, trans=turned)[0]


@wrap(out=lambda lu, pivots, b, **_: shaped(b, None, lu), static=("l_and_u", "turned"), copy=False)
def _again(lu: np.ndarray, pivots: np.ndarray, b: np.ndarray, *, l_and_u: tuple, turned: int) -> np.ndarray:
    return _by_factor(lu, pivots, b, l_and_u, turned)


def _more(args: tuple, right: Any, lu: Any, pivots: Any, l_and_u: tuple[int, int]) -> Any:
    way = lambda turned: lambda b: _again(lu, pivots, b, l_and_u=l_and_u, turned=turned)
    return solved(lambda x: _banded(args[0], x, l_and_u), right, way(0), way(1))


by_equation(
    solve_banded.hosted,  # type: ignore[attr-defined]
    lambda x, ab, b, l_and_u: _banded(ab, x, l_and_u) - b,
    _more,
    kept=_factored,
)


def _hermitian(ab: Any, x: Any, lower: bool) -> Any:
    """The given diagonals, and their conjugates on the other side; the main one is real."""
    rows = ab if lower else ab[::-1]
    total = _times(rows[0].real, x)
    for k, row in enumerate(rows[1:], 1):
        if lower:
            row = jnp.roll(row, k)  # row[j] is then the diagonal k above, conjugated
        row = row if not lower else row.conj()
        total += _placed(_times(row, x), k) + _times(row.conj(), _placed(x, -k)) * _beyond(k, x)
    return total


def _beyond(k: int, x: Any) -> Any:
    return (jnp.arange(x.shape[0]) >= k).reshape(-1, *[1] * (x.ndim - 1))


@as_scipys("scipy.linalg")
@hosted("ab b", _right)
def solveh_banded(ab: ArrayLike, b: ArrayLike, lower: bool = False) -> jax.Array:
    """`scipy.linalg.solveh_banded`, differentiable in the band and in the right-hand side, to any order.

    Args:
        ab: [u + 1, n], a positive definite matrix, symmetric or Hermitian, as in SciPy.
        b: [n] or [n, k]. Batches by vmap.

    >>> import jax, numpy as np
    >>> ab, b = np.array([[0.0, 1.0], [2.0, 4.0]]), np.ones(2)
    >>> print(jax.grad(lambda b: solveh_banded(ab, b).sum())(b).round(6))
    [0.428571 0.142857]
    """
    return scipy.linalg.solveh_banded(ab, b, lower=lower)


by_equation(
    solveh_banded.hosted,  # type: ignore[attr-defined]
    lambda x, ab, b, lower: _hermitian(ab, x, lower) - b,
    lambda args, right, lower: solved(
        lambda x: _hermitian(args[0], x, lower),
        right,
        lambda b: solveh_banded(args[0], b, lower=lower),
        lambda b: solveh_banded(args[0], b.conj(), lower=lower).conj(),
    ),
)


def _toeplitz(c: Any, r: Any, x: Any) -> Any:
    """Part of the product with a circulant matrix of twice the size. r[0] is not read."""
    n = c.shape[0]
    column = jnp.concatenate([c, jnp.zeros_like(c[:1]), r[:0:-1]])
    spectra = jnp.fft.fft(column), jnp.fft.fft(x, 2 * n, axis=0)
    product = jnp.fft.ifft(_times(*spectra), axis=0)[:n]
    real = not any(map(jnp.iscomplexobj, (c, r, x)))
    return product.real if real else product


@hosted("c r b", _right)
def _solve_toeplitz(c: Any, r: Any, b: Any) -> Any:
    return scipy.linalg.solve_toeplitz((c, r), b)


def _back_toeplitz(c: Any, r: Any, b: Any) -> Any:
    return _solve_toeplitz(jnp.concatenate([c[:1], r[1:]]), c, b)


by_equation(
    _solve_toeplitz.hosted,  # type: ignore[attr-defined]
    lambda x, c, r, b: _toeplitz(c, r, x) - b,
    lambda args, right: solved(
        lambda x: _toeplitz(args[0], args[1], x),
        right,
        lambda b: _solve_toeplitz(args[0], args[1], b),
        lambda b: _back_toeplitz(args[0], args[1], b),
    ),
)


@as_scipys("scipy.linalg")
def solve_toeplitz(c_or_cr: Any, b: ArrayLike) -> jax.Array:
    """`scipy.linalg.solve_toeplitz`, differentiable in column, row and right-hand side, to any order.

    Args:
        c_or_cr: the first column [n], or a tuple of it and the first row; by default the row is the column,
            conjugated.
        b: [n] or [n, k]. Batches by vmap. The derivative takes one more solution, and products by FFT.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda c: solve_toeplitz(c, np.array([1.0, 0.0]))[0])(np.array([2.0, 1.0])).round(6))
    [-0.555556  0.444444]
    """
    c, r = c_or_cr if isinstance(c_or_cr, tuple) else (c_or_cr, jnp.conj(jnp.asarray(c_or_cr)))
    if np.ndim(c) != 1 or np.shape(c) != np.shape(r) or np.shape(b)[:1] != np.shape(c):  # type: ignore[arg-type]
        raise SignatureError(
            "solve_toeplitz: wants a column and a row of shape (n,) and b of shape (n,) or (n, k), got "
            f"{np.shape(c)}, {np.shape(r)}, {np.shape(b)}."  # type: ignore[arg-type]
        )
    return _solve_toeplitz(c, r, b)


def _circulant(c: Any, b: Any) -> Any:
    spectra = jnp.fft.fft(c), jnp.fft.fft(b, axis=0)
    x = jnp.fft.ifft(_times(1 / spectra[0], spectra[1]), axis=0)
    return x if jnp.iscomplexobj(c) or jnp.iscomplexobj(b) else x.real


@as_scipys("scipy.linalg")
@hosted("c b", _right, _circulant)
def solve_circulant(c: ArrayLike, b: ArrayLike) -> jax.Array:
    """`scipy.linalg.solve_circulant`, differentiable in the first column c [n] and in b, [n] or [n, k].

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda c: solve_circulant(c, np.ones(2))[0])(np.array([2.0, 1.0])).round(6))
    [-0.111111 -0.111111]
    """
    return scipy.linalg.solve_circulant(c, b)

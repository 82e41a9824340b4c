"""Derivatives of linear algebra.

The value is NumPy's or SciPy's. Each rule is an expression that is linear in the changes of the arrays, and has the
same derivative.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg

from hostwrap._recipes.halves import as_read
from hostwrap._tracing.tape.array import FUNCTIONS, Array, concrete, raw, valued, wrapped
from hostwrap._tracing.tape.dispatch import apply, below, level_of
from hostwrap._tracing.tape.nodes import Edge
from hostwrap._tracing.tape.refusals import refused
from hostwrap._tracing.tape.rules import expression, rule

_F = Callable[..., Any]


def transpose(x: Any) -> Any:
    return np.swapaxes(x, -1, -2)


def adjoint(x: Any) -> Any:
    return np.conj(transpose(x))


def as_constant(x: Any) -> Any:
    """The value as a constant."""
    return raw(x) if isinstance(x, Array) else np.asarray(x)


def linearized(names: str, *homes: Any) -> Callable[[_F], _F]:
    """The decorated function gets the value and the arguments, and returns the expression."""

    def enter(like: _F) -> _F:
        def handler(function: _F, args: tuple, kwargs: dict) -> Any:
            value = below(function, args, kwargs)
            level = level_of([args, kwargs])
            args, kwargs = as_read(np, function, args, kwargs)
            return valued(value, like(value, *args, **kwargs), level)

        for home in homes:
            FUNCTIONS.update({getattr(home, n): handler for n in names.split() if hasattr(home, n)})
        return like

    return enter


def moves(x: Any) -> bool:
    return isinstance(x, Array) and x.node is not None


def _const(x: Any) -> Any:
    """A constant expression: only its shape matters."""
    return x


def solved(a: Any, b: Any, y: Any, solve: Callable[[Any, Any], Any]) -> Any:
    """y solves a y = b, so a dy = db - da y."""
    column = np.ndim(b) == 1 or (np.ndim(b) == np.ndim(a) - 1 and np.ndim(y) == np.ndim(b))
    column = column and np.ndim(b) == 1
    right: Any = 0.0
    if moves(b):
        right = right + b
    if moves(a):
        right = right - np.matmul(a, y)
    if not isinstance(right, Array):
        return y
    inverse = solve(as_constant(a), np.eye(np.shape(a)[-1]))
    return np.matmul(inverse, right)


@linearized("solve", np.linalg, scipy.linalg)
def solve(y: Any, a: Any, b: Any, *args: Any, transposed: bool = False, **options: Any) -> Any:
    if transposed:
        a = transpose(a)
    return solved(a, b, y, lambda m, r: np.linalg.solve(m, r))


@linearized("solve_triangular", scipy.linalg)
def solve_triangular(
    y: Any, a: Any, b: Any, trans: Any = 0, lower: bool = False, unit_diagonal: bool = False, **options: Any
) -> Any:
    a = np.tril(a, -unit_diagonal) if lower else np.triu(a, int(unit_diagonal))
    if unit_diagonal:
        a = a + np.eye(np.shape(a)[-1])
    a = {0: a, "N": a}.get(trans, adjoint(a) if trans in (2, "C") else transpose(a))
    return solved(a, b, y, np.linalg.solve)


def _shifted(row: Any, k: int) -> Any:
    """A row shifted by k, with zeros beyond the ends."""
    k = max(-len(row), min(k, len(row)))
    none = np.zeros((abs(k), *np.shape(row)[1:]))
    return np.concatenate([row[k:], none] if k > 0 else [none, row[: len(row) + k]]) if k else row


def _diagonals(bands: Any, sizes: tuple[int, int]) -> list[tuple[int, Any]]:
    """(k, the row with a[i, i + k] in column i + k) for each diagonal: row `above - k` of the bands."""
    below_, above = sizes
    return [(k, bands[above - k]) for k in range(-below_, above + 1)]


def _transposed_bands(bands: Any, sizes: tuple[int, int]) -> Any:
    return np.stack([_shifted(row, k) for k, row in _diagonals(bands, sizes)])


def _banded_product(bands: Any, sizes: tuple[int, int], y: Any) -> Any:
    column = (slice(None), *[None] * (np.ndim(y) - 1))
    return sum(_shifted(row[column] * y, k) for k, row in _diagonals(bands, sizes))


@rule("solve_banded", scipy.linalg)
def solve_banded(function: _F, args: tuple, kwargs: dict) -> Any:
    """a dy = db - da y. The transpose of a has the bands of a in another order, so no full matrix is made."""
    sizes, bands, b, *_ = args
    value = below(function, args, kwargs)
    level = level_of([bands, b])
    right = b if isinstance(b, Array) else np.asarray(b)
    if moves(bands):
        right = right - _banded_product(bands, sizes, value)
    if not moves(right):
        return wrapped(value, [], level)
    fixed = as_constant(bands)
    across = _transposed_bands(fixed, sizes)
    forward = lambda t: apply(function, (sizes, fixed, t), {})
    backward = lambda c: apply(function, (sizes[::-1], across, c), {})
    return wrapped(value, [Edge(right.node, forward, backward)], level)


@linearized("inv", np.linalg, scipy.linalg)
def inv(y: Any, a: Any, **options: Any) -> Any:
    return np.matmul(np.matmul(-y, a), y)


@linearized("solve1 solve", np.linalg._umath_linalg)
def solve_by_ufunc(y: Any, a: Any, b: Any, **_: Any) -> Any:
    return solved(a, b, y, np.linalg.solve)


@linearized("eigvals", np.linalg, scipy.linalg)
def eigvals(y: Any, a: Any, **options: Any) -> Any:
    """The diagonal of V^-1 dA V."""
    if options:
        raise refused("eigvals", "the tape has its derivative without options")
    w, v = np.linalg.eig(as_constant(a))
    v = v[..., [int(np.argmin(np.abs(concrete(w) - value))) for value in concrete(y)]]
    like = np.diagonal(np.matmul(np.matmul(np.linalg.inv(v), a), v))
    return like if np.iscomplexobj(y) else np.real(like)


@linearized("det", np.linalg, scipy.linalg)
def det(y: Any, a: Any, **options: Any) -> Any:
    """By the adjugate, which a singular matrix has, too."""
    return (
        np.einsum("...ij,...ji->...", _adjugate(as_constant(a)), a) if np.ndim(a) == 2 else _stack_trace(y, a)
    )


def _stack_trace(y: Any, a: Any) -> Any:
    return y * np.sum(transpose(np.linalg.inv(as_constant(a))) * a, axis=(-1, -2))


def _adjugate(a: Any) -> Any:
    numbers = concrete(a)
    if np.linalg.cond(numbers) < 1e12:
        return np.linalg.det(a) * np.linalg.inv(a)
    n = len(numbers)
    others = [np.delete(np.arange(n), k) for k in range(n)]
    minor = lambda i, j: np.linalg.det(a[np.ix_(others[j], others[i])]) if n > 1 else 1.0
    rows = [np.stack([(-1.0) ** (i + j) * minor(i, j) for j in range(n)]) for i in range(n)]
    return np.stack(rows)


@linearized("slogdet", np.linalg)
def slogdet(y: Any, a: Any) -> Any:
    if np.iscomplexobj(a):
        raise refused("numpy.linalg.slogdet", "the tape has its derivative for real matrices")
    like = np.sum(transpose(np.linalg.inv(as_constant(a))) * a, axis=(-1, -2))
    return np.zeros(np.shape(y[0])), like


def _cholesky(low: Any, a: Any) -> Any:
    """L Phi(L^-1 dA L^-H), where Phi takes the lower half, and half of the diagonal."""
    n = np.shape(a)[-1]
    inverse = np.linalg.inv(low)
    half = np.tril(np.ones((n, n))) - 0.5 * np.eye(n)
    inner = np.matmul(np.matmul(inverse, a), adjoint(inverse))
    return np.matmul(low, half * inner)


@linearized("cholesky", np.linalg)
def cholesky(y: Any, a: Any, /, *, upper: bool = False) -> Any:
    low = _cholesky(adjoint(y) if upper else y, a)
    return adjoint(low) if upper else low


@linearized("cholesky", scipy.linalg)
def scipy_cholesky(y: Any, a: Any, lower: bool = False, *args: Any, **options: Any) -> Any:
    low = _cholesky(y if lower else adjoint(y), a)
    return low if lower else adjoint(low)


@rule("cho_factor", scipy.linalg)
def cho_factor(function: _F, args: tuple, kwargs: dict) -> Any:
    """SciPy leaves the other half undefined; here it is constant."""
    value, lower = below(function, args, kwargs)
    kept = np.tril(value) if lower else np.triu(value)
    (a, *_), _ = as_read(np, function, args, kwargs)
    low = _cholesky(kept if lower else adjoint(kept), a)
    return valued(value, low if lower else adjoint(low), level_of(args)), lower


@rule("cho_solve", scipy.linalg)
def cho_solve(function: _F, args: tuple, kwargs: dict) -> Any:
    (c, lower), b, *_ = args
    value = below(function, ((c, lower), b), kwargs)
    half = np.tril(c) if lower else np.triu(c)
    a = np.matmul(half, adjoint(half)) if lower else np.matmul(adjoint(half), half)
    return valued(value, solved(a, b, value, np.linalg.solve), level_of([c, b]))


@linearized("pinv pinvh", np.linalg, scipy.linalg)
def pinv(y: Any, a: Any, *args: Any, **options: Any) -> Any:
    """The derivative at constant rank."""
    y, rank = y if isinstance(y, tuple) else (y, None)
    a0 = as_constant(a)
    left = np.eye(np.shape(a)[-1]) - np.matmul(y, a0)
    right = np.eye(np.shape(a)[-2]) - np.matmul(a0, y)
    first = np.matmul(np.matmul(-y, a), y)
    second = np.matmul(np.matmul(np.matmul(y, adjoint(y)), adjoint(a)), right)
    third = np.matmul(np.matmul(np.matmul(left, adjoint(a)), adjoint(y)), y)
    return (first + second + third, rank) if rank is not None else first + second + third


@linearized("null_space", scipy.linalg)
def null_space(y: Any, a: Any, rcond: Any = None, **options: Any) -> Any:
    """At constant rank a y = 0, and the columns of y do not rotate among themselves: y' dy = 0."""
    return -np.matmul(below(scipy.linalg.pinv, (a,), {"rtol": rcond}), np.matmul(a, y))


@rule("cond", np.linalg)
def cond(function: _F, args: tuple, kwargs: dict) -> Any:
    """By NumPy functions with derivatives; NumPy's own code calls LAPACK since 2.5."""
    x, *more = args
    p = concrete(more[0] if more else kwargs.get("p"))
    if not np.all(np.isfinite(below(function, args, kwargs))):
        raise refused("numpy.linalg.cond", "the matrix is singular")
    if p is None or p in (2, -2):
        s = np.linalg.svd(x, compute_uv=False)
        return s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
    return np.linalg.norm(x, p, axis=(-2, -1)) * np.linalg.norm(np.linalg.inv(x), p, axis=(-2, -1))


@rule("lstsq", np.linalg)
@rule("lstsq", scipy.linalg)
def lstsq(function: _F, args: tuple, kwargs: dict) -> Any:
    """The solution. Residuals and singular values have no derivative here."""
    a, b = args[:2]
    value = below(function, args, kwargs)
    x, residuals, rank, s = value
    level = level_of([a, b])
    a_, b_ = (v if isinstance(v, Array) else np.asarray(v) for v in (a, b))
    like = np.matmul(np.linalg.pinv(a_), b_)
    off = np.matmul(a_, like) - b_
    sums = np.sum(np.real(off * np.conj(off)), axis=0)
    if np.shape(residuals) != np.shape(sums):
        sums = (
            np.reshape(sums, np.shape(residuals))
            if np.size(residuals) == np.size(sums)
            else np.zeros(np.shape(residuals))
        )
    values = np.linalg.svd(a_, compute_uv=False)
    return valued(x, like, level), valued(residuals, sums, level), rank, valued(s, values, level)


# ---- norms


@expression("norm", np.linalg)
@expression("norm", scipy.linalg)
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False, **_: Any) -> Any:
    vector = axis is not None and not (isinstance(axis, tuple) and len(axis) == 2)
    vector = vector or (axis is None and (ord is None or np.ndim(x) == 1))
    size = np.abs(x) if np.iscomplexobj(x) else x
    options = {"axis": axis if axis is not None else None, "keepdims": keepdims}
    if ord in (None, "fro") or (vector and ord == 2):
        return np.sqrt(np.sum(size * size, **options))
    size = np.abs(x)
    if vector and ord in (np.inf, -np.inf):
        return np.max(size, **options) if ord > 0 else np.min(size, **options)
    if vector and ord != 0:
        return np.sum(size**ord, **options) ** (1 / ord)
    if vector or ord not in (1, -1, np.inf, -np.inf, 2, -2, "nuc"):
        raise refused("norm", f"the tape has no derivative for ord={ord!r}, axis={axis!r}")
    pair = (-2, -1) if axis is None else axis
    if ord in (2, -2, "nuc"):
        s = np.linalg.svd(np.moveaxis(x, pair, (-2, -1)), compute_uv=False)
        found = np.sum(s, axis=-1) if ord == "nuc" else s[..., 0 if ord > 0 else -1]
    else:
        sums = np.sum(np.moveaxis(size, pair, (-2, -1)), axis=-2 if abs(ord) == 1 else -1)
        found = np.max(sums, axis=-1) if ord > 0 else np.min(sums, axis=-1)
    return np.expand_dims(found, tuple(sorted(k % np.ndim(x) for k in pair))) if keepdims else found

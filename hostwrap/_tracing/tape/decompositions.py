"""Derivatives of decompositions of matrices, and of functions of matrices.

For a = F G, F^-1 da G^-1 = F^-1 dF + dG G^-1 splits into the derivatives of the factors: a lower and an upper triangle,
or an antisymmetric matrix and an upper triangle. Choices such as pivots and signs are constant.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg

from hostwrap._recipes.halves import as_read
from hostwrap._tracing.tape.array import Array, concrete, raw, valued, wrapped
from hostwrap._tracing.tape.dispatch import apply, below, level_of
from hostwrap._tracing.tape.linalg import adjoint, as_constant, linearized, moves, solved, transpose
from hostwrap._tracing.tape.nodes import Edge
from hostwrap._tracing.tape.refusals import refused
from hostwrap._tracing.tape.rules import bound_to, rule

_F = Callable[..., Any]


def _by(inverse_left: Any, a: Any, inverse_right: Any) -> Any:
    return np.matmul(np.matmul(inverse_left, a), inverse_right)


def _turned(m: Any) -> Any:
    """The antisymmetric matrix with this lower triangle."""
    low = np.tril(m, -1)
    return low - transpose(low)


def between(w: Any, moved: Any) -> Any:
    """c_ij / (w_j - w_i), and 0 on the diagonal.

    If w_i and w_j are equal up to rounding, the quotient would be a wrong finite number. So it is infinite there,
    unless c_ij is 0.
    """
    eye, numbers = np.eye(np.shape(w)[-1]), concrete(w)
    apart = np.abs(numbers[..., None, :] - numbers[..., :, None])
    size = np.max(np.abs(numbers), axis=-1, initial=0.0)[..., None, None]
    close = (apart <= 8 * len(eye) * np.finfo(numbers.dtype).eps * size) & (eye == 0)
    quotient = moved * ((1 - eye) / np.where(close, _TINY, w[..., None, :] - w[..., :, None] + eye))
    return quotient / np.where(close, _TINY, 1.0)


_silent = np.errstate(over="ignore", invalid="ignore")
_TINY = 1e-200  # twice: what is not 0 overflows, and a product with infinity is avoided


# ---- triangles


@linearized("lu", scipy.linalg)
def lu(y: Any, a: Any, permute_l: bool = False, *_: Any, p_indices: bool = False, **__: Any) -> Any:
    if np.shape(a)[-1] != np.shape(a)[-2] or p_indices or np.ndim(a) != 2:
        raise refused("scipy.linalg.lu", "the tape has it for one square matrix, without p_indices=")
    first, upper = y[-2:]
    left = first if permute_l else np.matmul(y[0], first)
    inner = _by(np.linalg.inv(left), a, np.linalg.inv(upper))
    likes = np.matmul(first, np.tril(inner, -1)), np.matmul(np.triu(inner), upper)
    return likes if permute_l else (y[0], *likes)


def _packed(lu: Any) -> tuple[Any, Any]:
    return np.tril(lu, -1) + np.eye(np.shape(lu)[-1]), np.triu(lu)


def _rows(pivots: Any) -> np.ndarray:
    """The permutation of rows by LAPACK's pivots."""
    order = np.arange(len(pivots))
    for i, k in enumerate(pivots):
        order[[i, k]] = order[[k, i]]
    return order


@linearized("lu_factor", scipy.linalg)
def lu_factor(y: Any, a: Any, *_: Any, **__: Any) -> Any:
    if np.shape(a)[-1] != np.shape(a)[-2] or np.ndim(a) != 2:
        raise refused("scipy.linalg.lu_factor", "the tape has it for one square matrix")
    low, up = _packed(y[0])
    inner = _by(np.linalg.inv(low), a[_rows(concrete(y[1]))], np.linalg.inv(up))
    return np.matmul(low, np.tril(inner, -1)) + np.matmul(np.triu(inner), up), y[1]


@rule("lu_solve", scipy.linalg)
def lu_solve(function: _F, args: tuple, kwargs: dict) -> Any:
    bound = bound_to(function, args, kwargs)
    (packed, pivots), b, trans = bound["lu_and_piv"], bound["b"], bound.get("trans", 0)
    value = below(function, ((packed, pivots), b, trans))
    low, up = _packed(packed if isinstance(packed, Array) else np.asarray(packed))
    a = np.matmul(low, up)[np.argsort(_rows(concrete(pivots)))]
    a = {0: a, 1: transpose(a), 2: adjoint(a)}[trans]
    return valued(value, solved(a, b, value, np.linalg.solve), level_of([packed, b]))


@linearized("ldl", scipy.linalg)
def ldl(y: Any, a: Any, lower: bool = True, hermitian: bool = True, *_: Any, **__: Any) -> Any:
    low, d, order = y
    if np.iscomplexobj(low) or np.any(concrete(d) - np.diag(np.diag(concrete(d)))):
        raise refused("scipy.linalg.ldl", "the tape has it for real matrices whose pivots are single numbers")
    inverse = np.linalg.inv(low)
    inner = _by(inverse, a, transpose(inverse))
    strict = np.tril if lower else np.triu
    return (
        np.matmul(low, strict(inner, -1 if lower else 1) / np.diagonal(d)),
        inner * np.eye(len(inner)),
        order,
    )


# ---- orthogonal matrices


def _q_and_r(q: Any, r: Any, a: Any) -> tuple[Any, Any]:
    """da R^-1 = dQ + Q dR R^-1 for a matrix that has not more columns than rows."""
    da = np.matmul(a, np.linalg.inv(r))
    inner = np.matmul(transpose(q), da)
    turn = _turned(inner)
    return da - np.matmul(q, inner - turn), np.triu(np.matmul(inner - turn, r))


def _no_choice(q: Any, columns: int, like: Any) -> Any:
    """NaN for the derivative of the columns beyond these, whose basis is arbitrary."""
    if np.shape(q)[-1] == columns:
        return like
    rest = np.full((*np.shape(q)[:-1], np.shape(q)[-1] - columns), np.nan)
    return np.concatenate([like, np.multiply(rest, np.sum(like))], -1)


@rule("qr", np.linalg)
@rule("qr", scipy.linalg)
def qr(function: _F, args: tuple, kwargs: dict) -> Any:
    bound = bound_to(function, args, kwargs)
    a, mode, pivoting = bound["a"], bound.get("mode"), bound.get("pivoting", False)
    m, n = np.shape(a)[-2:]
    name = f"{function.__module__}.qr"
    if m < n or np.iscomplexobj(a) or np.ndim(a) != 2 or mode == "raw":
        raise refused(name, "the tape has it for one real matrix with at least as many rows as columns")
    value = below(function, args, kwargs)
    order = value[-1] if pivoting else slice(None)
    if mode == "r":  # NumPy's r, SciPy's (r,) or (r, order)
        q, r = np.linalg.qr(as_constant(a)[:, order])
        found = value[0] if isinstance(value, tuple) else value
        signs = np.sign(np.diagonal(concrete(found)) / np.diagonal(concrete(r)))
        q, r = q * signs, r * signs[:, None]
    else:
        q, r = value[0][:, :n], value[1][:n]
    dq, dr = _q_and_r(q, r, a[:, order])
    level = level_of([args, kwargs])
    up = lambda full: dr if np.shape(full)[0] == n else np.concatenate([dr, np.zeros((m - n, n))])
    if not isinstance(value, tuple):
        return valued(value, up(value), level)
    if mode == "r":
        return (valued(value[0], up(value[0]), level), *value[1:])
    likes = _no_choice(value[0], n, dq), up(value[1])
    found = [valued(v, like, level) for v, like in zip(value, likes, strict=False)]
    return type(value)(*found) if hasattr(value, "_fields") else (*found, *value[2:])


@linearized("rq", scipy.linalg)
def rq(y: Any, a: Any, *_: Any, mode: str = "full", **__: Any) -> Any:
    if np.iscomplexobj(a) or np.shape(a)[0] != np.shape(a)[1] or mode == "r":
        raise refused("scipy.linalg.rq", "the tape has it for one real square matrix, without mode='r'")
    r, q = y
    inner = _by(np.linalg.inv(r), a, transpose(q))
    turn = _turned(inner)
    return np.matmul(r, np.triu(inner - turn)), np.matmul(turn, q)


@rule("svd svdvals", np.linalg)
@rule("svd svdvals", scipy.linalg)
@_silent
def svd(function: _F, args: tuple, kwargs: dict) -> Any:
    """dU = U (F * (S dP + dP^H S)) + ..., where dP = U^H dA V and F = 1 / (s_j^2 - s_i^2)."""
    a, *more = args
    names = ("full_matrices", "compute_uv")
    options = {**kwargs, **dict(zip(names, more, strict=False))}
    wanted = options.get("compute_uv", True) and function.__name__ == "svd"
    value = below(function, args, kwargs)
    m, n = np.shape(a)[-2:]
    if np.iscomplexobj(a):
        raise refused("svd", "the tape has it for real matrices")
    level = level_of([args, kwargs])
    (a, *_), _ = as_read(np, function, args, kwargs)
    k = min(m, n)
    u, s, vt = np.linalg.svd(raw(a), full_matrices=False) if not wanted else value
    u, vt = u[..., :k], vt[..., :k, :]
    p = np.matmul(np.matmul(transpose(u), a), transpose(vt))
    like_s = np.diagonal(p, axis1=-2, axis2=-1)
    if not wanted:
        return valued(value, like_s, level)
    rows, columns = s[..., None, :], s[..., :, None]
    du = np.matmul(u, between(s**2, p * rows + columns * transpose(p)))
    dv = np.matmul(transpose(vt), between(s**2, columns * p + transpose(p) * rows))
    if m > k:
        rest = np.matmul(a, transpose(vt)) / rows
        du = du + rest - np.matmul(u, np.matmul(transpose(u), rest))
    if n > k:
        rest = np.matmul(transpose(a), u) / rows
        dv = dv + rest - np.matmul(transpose(vt), np.matmul(vt, rest))
    likes = _no_choice(value[0], k, du), like_s, transpose(_no_choice(transpose(value[2]), k, dv))
    return valued(value, likes, level)


# ---- eigenvalues


@rule("eig", np.linalg)
@rule("eig", scipy.linalg)
@_silent
def eig(function: _F, args: tuple, kwargs: dict) -> Any:
    """dw is the diagonal of V^-1 da V, and dV = V (F * V^-1 da V) with F = 1 / (w_j - w_i).

    LAPACK normalises each vector to length 1, with a real largest element. This fixes the part of dV along V.
    """
    bound = bound_to(function, args, kwargs)
    wanted = bound.get("right", True)
    if set(bound) - {"a", "check_finite", "overwrite_a", "right"} or np.ndim(args[0]) != 2:
        raise refused(f"{function.__module__}.eig", "the tape has it for one matrix, without b and left=True")
    (a,), level = args[:1], level_of(args)
    value = below(function, args, kwargs)
    if not wanted:
        return valued(value, np.linalg.eigvals(a) + 0j, level)
    w, v = value
    inner = _by(np.linalg.inv(v), a, v)
    n = len(concrete(w))
    change = np.matmul(v, between(w, inner))
    along = np.sum(np.real(np.conj(v) * change), axis=0)
    if np.iscomplexobj(v):
        k = np.argmax(np.abs(concrete(v)), axis=0), np.arange(n)
        along = along + 1j * np.imag(change[k]) / np.real(v[k])
    likes = np.diagonal(inner), change - v * along
    likes = tuple(x if np.iscomplexobj(y) else np.real(x) for x, y in zip(likes, value, strict=True))
    found = [valued(y, x if np.iscomplexobj(x) or not np.iscomplexobj(y) else x + 0j, level)
             for y, x in zip(value, likes, strict=True)]  # fmt: skip
    return type(value)(*found) if hasattr(value, "_fields") else tuple(found)


@rule("eigh eigvalsh", np.linalg)
@rule("eigh eigvalsh", scipy.linalg)
@_silent
def eigh(function: _F, args: tuple, kwargs: dict) -> Any:
    """With b the vectors have V^H b V = 1: dw is the diagonal of V^H (da - w db) V."""
    options = bound_to(function, args, kwargs)
    b, part = options.get("b"), (options.get("subset_by_index"), options.get("subset_by_value"))
    if set(options) - _OF_EIGH or options.get("type", 1) != 1:
        name = f"{function.__module__}.{function.__name__}"
        raise refused(name, "the tape has it for one matrix, and type=1")
    value = below(function, args, kwargs)
    level = level_of([args, kwargs])
    (a, *_), _ = as_read(np, function, args, kwargs)
    a = a if isinstance(a, Array) else np.asarray(a)
    only = function.__name__ == "eigvalsh" or options.get("eigvals_only", False)
    if b is not None:
        low = bool(options.get("lower", True))
        half = np.tril(b, -1) if low else np.triu(b, 1)
        b = half + adjoint(half) + b * np.eye(np.shape(b)[-1])
    if only or part != (None, None):
        w, v = (
            np.linalg.eigh(as_constant(a))
            if b is None
            else apply(scipy.linalg.eigh, (as_constant(a), as_constant(b)), {})
        )
    else:
        w, v = value
    got = concrete(value if only else value[0])
    at = [int(np.argmin(np.abs(concrete(w) - x))) for x in got] if part != (None, None) else slice(None)
    if not only and part != (None, None):  # the signs that SciPy has chosen for these
        signs = np.sign(np.sum(np.real(concrete(v)[:, at] * np.conj(concrete(value[1]))), axis=0))
        factors = np.ones(len(concrete(w)))
        factors[at] = signs
        v = v * factors
    inner = _by(adjoint(v), a, v)
    moved = None if b is None or not moves(b) else _by(adjoint(v), b, v)
    whole = inner if moved is None else inner - moved * w[..., None, :]
    like_w = np.real(np.diagonal(whole, axis1=-2, axis2=-1))[..., at]
    if only:
        return valued(value, like_w, level)
    change = between(w, whole)
    if moved is not None:
        change = change - moved * (0.5 * np.eye(np.shape(w)[-1]))
    return valued(value, (like_w, np.matmul(v, change)[..., at]), level)


_OF_EIGH = {
    "a", "b", "lower", "UPLO", "check_finite", "eigvals_only", "overwrite_a", "overwrite_b", "driver", "type",
    "subset_by_index", "subset_by_value",
}  # fmt: skip


@rule("eigh_tridiagonal", scipy.linalg)
def eigh_tridiagonal(function: _F, args: tuple, kwargs: dict) -> Any:
    """The eigenvalues of the full matrix; the vectors have the signs of SciPy's."""
    options = bound_to(function, args, kwargs)
    d, e = (x if isinstance(x, Array) else np.asarray(x) for x in (options["d"], options["e"]))
    whole = np.diag(d) + np.diag(e, -1) + np.diag(e, 1)
    chosen = {"i": "subset_by_index", 2: "subset_by_index", "v": "subset_by_value", 1: "subset_by_value"}
    part = {chosen[s]: concrete(options["select_range"]) for s in [options.get("select", "a")] if s in chosen}
    value, level = below(function, args, kwargs), level_of([args, kwargs])
    if options.get("eigvals_only", False):
        return valued(value, apply(scipy.linalg.eigh, (whole,), {"eigvals_only": True, **part}), level)
    w, v = apply(scipy.linalg.eigh, (whole,), part)
    signs = np.sign(np.sum(concrete(v) * concrete(value[1]), axis=0))
    return valued(value, (w, v * signs), level)


# ---- functions of matrices, and equations for matrices


@rule("expm logm sqrtm fractional_matrix_power signm", scipy.linalg)
def of_matrix(function: _F, args: tuple, kwargs: dict) -> Any:
    """The function of the block matrix (a, da; 0, a) has the derivative along da in its corner."""
    a, *more = args
    if not isinstance(a, Array) or any(isinstance(x, Array) for x in more):
        raise refused(f"scipy.linalg.{function.__name__}", "the tape has its derivative in the matrix")
    a0 = a.value

    def along(direction: Any, a0: Any) -> Any:
        n = np.shape(a0)[-1]
        zeros = np.zeros(np.shape(a0))
        top = np.concatenate([a0, direction], -1)
        block = np.concatenate([top, np.concatenate([zeros, a0], -1)], -2)
        return apply(function, (block, *more), {})[..., :n, n:]

    edges = (
        [] if a.node is None else [Edge(a.node, lambda t: along(t, a0), lambda c: along(c, transpose(a0)))]
    )
    return wrapped(below(function, args), edges, a.level)


@rule("solve_sylvester", scipy.linalg)
def solve_sylvester(function: _F, args: tuple, kwargs: dict) -> Any:
    """a x + x b = q: a dx + dx b = dq - da x - x db."""
    a, b, q = (x if isinstance(x, Array) else np.asarray(x) for x in args)
    value = below(function, (a, b, q))
    right = np.multiply(1.0, q)
    if moves(a):
        right = right - np.matmul(a, value)
    if moves(b):
        right = right - np.matmul(value, b)
    level = level_of([a, b, q])
    if not moves(right):
        return wrapped(value, [], level)
    a, b = as_constant(a), as_constant(b)
    forward = lambda t: apply(function, (a, b, t), {})
    backward = lambda c: apply(function, (transpose(a), transpose(b), c), {})
    return wrapped(value, [Edge(right.node, forward, backward)], level)


@rule("solve_continuous_lyapunov", scipy.linalg)
def solve_continuous_lyapunov(function: _F, args: tuple, kwargs: dict) -> Any:
    a, q = args
    like = apply(scipy.linalg.solve_sylvester, (a, adjoint(a), q), {})
    return valued(below(function, args, kwargs), like, level_of(args))


# ---- equations with structure


@rule("solve_toeplitz", scipy.linalg)
def solve_toeplitz(function: _F, args: tuple, kwargs: dict) -> Any:
    c, b = args[:2]
    c, r = c if isinstance(c, tuple) else (c, np.conj(c))
    c, r, b = (x if isinstance(x, Array) else np.asarray(x) for x in (c, r, b))
    n = len(c)
    apart = np.arange(n)[:, None] - np.arange(n)[None, :]
    a = np.where(apart >= 0, np.take(c, np.abs(apart)), np.take(r, np.abs(apart)))
    value = below(function, args, kwargs)
    return valued(value, solved(a, b, value, np.linalg.solve), level_of([args, kwargs]))


@rule("solveh_banded", scipy.linalg)
def solveh_banded(function: _F, args: tuple, kwargs: dict) -> Any:
    """Add the bands of the other half, and solve by `solve_banded`."""
    options = bound_to(function, args, kwargs)
    ab, b = (x if isinstance(x, Array) else np.asarray(x) for x in (options["ab"], options["b"]))
    n, bands = np.shape(ab)[1], len(ab) - 1
    rows = []
    lower, j = options.get("lower", False), np.arange(n)
    for k in range(bands, -bands - 1, -1):  # a[i, i + k] in column i + k
        own, i = ab[abs(k) if lower else bands - abs(k)], j - k
        at = np.minimum(i, j) if lower else np.maximum(i, j)  # the column where one of both halves has it
        row = np.where((i >= 0) & (i < n), np.take(own, np.clip(at, 0, n - 1)), 0.0)
        rows.append(row if (k < 0) == lower or not k else np.conj(row))
    like = apply(scipy.linalg.solve_banded, ((bands, bands), np.stack(rows), b), {})
    return valued(below(function, args, kwargs), like, level_of([args, kwargs]))

"""Iterative solvers: the derivative of x follows from its equation, not from the iterations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.sparse.linalg

from hostwrap._errors import SignatureError
from hostwrap._recipes.cores import arrays
from hostwrap._recipes.hosted import solved
from hostwrap._recipes.scipys import as_scipys
from hostwrap._types import ArrayLike
from hostwrap._wrap import wrap
from hostwrap.sparse._matrixfree import (
    PRECONDITIONERS,
    Least,
    by_normal_equations,
    from_start,
    is_operator,
    iterated,
    least,
    solved_twice,
)
from hostwrap.sparse._operators import Entries, entries, on_host, right_side, square

NAMES = (
    "cg", "minres", "gmres", "bicgstab", "bicg", "cgs", "qmr", "tfqmr", "lgmres", "gcrotmk",
)  # fmt: skip
SOLVERS = {name: getattr(scipy.sparse.linalg, name) for name in NAMES}
STATIC = ("solver", "size", "options")


def _results(b: Any, **_: Any) -> tuple:
    return jax.ShapeDtypeStruct(b.shape, b.dtype), jax.ShapeDtypeStruct((), jnp.result_type(int))


@wrap(out=lambda data, row, column, b, x0, **_: _results(b), static=STATIC, copy=False)
def _iterated(
    data: np.ndarray, row: np.ndarray, column: np.ndarray, b: np.ndarray, x0: np.ndarray,
    *, solver: str, size: int, options: tuple,
) -> tuple:  # fmt: skip
    A = on_host(data, row, column, (size, size))
    x, info = SOLVERS[solver](A, b, x0, **dict(options))
    return x.astype(b.dtype), info


@wrap(out=lambda data, row, column, b, **_: _results(b)[0], static=STATIC, copy=False)
def _again(
    data: np.ndarray, row: np.ndarray, column: np.ndarray, b: np.ndarray,
    *, solver: str, size: int, options: tuple,
) -> np.ndarray:  # fmt: skip
    """The solution for a derivative; NaN if the iterations do not converge."""
    x, info = SOLVERS[solver](on_host(data, row, column, (size, size)), b, **dict(options))
    return x.astype(b.dtype) if info == 0 else np.full_like(b, np.nan)


@_iterated.defjvp
def _iterated_jvp(primals: Any, tangents: Any, **statics: Any) -> tuple:
    data, row, column, b, _ = primals
    ddata, _, _, db, _ = tangents
    x, info = _iterated(*primals, **statics)
    A = Entries(data, row, column, (statics["size"],) * 2)
    right = jnp.zeros_like(b) if db is None else db
    if ddata is not None:
        right = right - A._replace(data=ddata).times(x)
    dx = solved(
        A.times,
        right,
        lambda b: _again(data, row, column, b, **statics),
        lambda b: _again(data, column, row, b, **statics),
    )
    return (x, info), (dx, None)


def _solver(name: str, what: str, example: str) -> Callable:
    def solve(
        A: Any, b: ArrayLike, x0: ArrayLike | None = None, *, rtol: float = 1e-5, atol: float = 0.0,
        maxiter: int | None = None, **options: Any,
    ) -> tuple[jax.Array, jax.Array]:  # fmt: skip
        given = {"rtol": rtol, **({} if name == "minres" else {"atol": atol}), **options}
        given |= {} if maxiter is None else {"maxiter": maxiter}
        given |= {
            k: scipy.sparse.linalg.aslinearoperator(given[k])
            for k in PRECONDITIONERS
            if given.get(k) is not None
        }
        if is_operator(A) or not given.keys().isdisjoint(PRECONDITIONERS):
            return iterated(name, SOLVERS[name], A, b, x0, given)
        matrix, b = right_side(name, square(name, A), b)
        start = jnp.zeros_like(b) if x0 is None else arrays(name, x0=x0)[0].astype(b.dtype)  # type: ignore[arg-type]
        if start.shape != b.shape:
            raise SignatureError(f"{name}: wants x0 of shape {b.shape}, got {start.shape}.")
        return _iterated(
            matrix.data, matrix.row, matrix.column, b, jax.lax.stop_gradient(start),
            solver=name, size=len(b), options=tuple(sorted(given.items())),  # type: ignore[arg-type]
        )  # fmt: skip

    solve.__name__ = solve.__qualname__ = name
    solve.__doc__ = f"""`scipy.sparse.linalg.{name}`: solve `A x = b` by iterations, {what}.

    Args:
        A: a sparse array of SciPy in any format, a BCOO, BCSR, CSR or CSC of JAX, or a dense array; [n, n]. Or a
            `LinearOperator`, ours or SciPy's: then derivatives are in what matvec reads. b: [n].
        x0: where to start; held. rtol, atol, maxiter, and other options of Python values: as in SciPy.
        M, M1, M2: a preconditioner (`qmr` takes two), a matrix or a LinearOperator of SciPy; held.

    Returns:
        (x, info), as SciPy. Derivatives of x in what A stores and in b are of any order, and as exact as rtol.
        A gradient takes one more solution by the same solver, with the transposed matrix; if that does not converge, it
        is NaN.

    Raises:
        SignatureError: shapes that do not fit, or an A that is no matrix.

    >>> import jax, numpy as np
    >>> A = np.array([[2.0, 1.0], [1.0, 3.0]])
    >>> print(jax.grad(lambda b: {name}(A, b, rtol=1e-12)[0][0])(np.ones(2)).round(6))
    {example}
    """
    return as_scipys("scipy.sparse.linalg")(solve)


EXAMPLE = "[ 0.6 -0.2]"
cg = _solver("cg", "for a positive definite matrix", EXAMPLE)
minres = _solver("minres", "for a symmetric matrix", EXAMPLE)
gmres = _solver("gmres", "for any matrix", EXAMPLE)
bicgstab, bicg, cgs, qmr, tfqmr, lgmres, gcrotmk = (
    _solver(name, "for any matrix", EXAMPLE)
    for name in ("bicgstab", "bicg", "cgs", "qmr", "tfqmr", "lgmres", "gcrotmk")
)


# ---- least squares


LEAST = ("shape", "options", "solver")


@wrap(
    out=lambda data, row, column, b, damp, started, *, shape, **_: tuple(
        Least.shapes(jax.ShapeDtypeStruct(shape[1:], b.dtype))
    ),
    static=LEAST,
)
def _least(
    data: np.ndarray, row: np.ndarray, column: np.ndarray, b: np.ndarray, damp: np.ndarray, started: tuple,
    *, shape: tuple[int, int], options: tuple, solver: str,
) -> tuple:  # fmt: skip
    method = getattr(scipy.sparse.linalg, solver)
    return tuple(Least.of(method, on_host(data, row, column, shape), b, damp, options, started))


@wrap(out=lambda data, row, column, q, damp, **_: jax.ShapeDtypeStruct(q.shape, q.dtype), static=LEAST)
def _twice(
    data: np.ndarray, row: np.ndarray, column: np.ndarray, q: np.ndarray, damp: np.ndarray,
    *, shape: tuple[int, int], options: tuple, solver: str,
) -> np.ndarray:  # fmt: skip
    A = on_host(data, row, column, shape)
    A = A.T.tocsr() if shape[0] < shape[1] else A
    return solved_twice(getattr(scipy.sparse.linalg, solver), A, q, damp.item(), dict(options))


@as_scipys("scipy.sparse.linalg")
def lsqr(
    A: Any, b: ArrayLike, damp: ArrayLike = 0.0, *, atol: float = 1e-6, btol: float = 1e-6, conlim: float = 1e8,
    iter_lim: int | None = None, x0: ArrayLike | None = None,
) -> tuple:  # fmt: skip
    """`scipy.sparse.linalg.lsqr`: the x with the least sum of squares of `A x - b` and `damp (x - x0)`.

    Differentiable in what A stores, b, damp and x0, to any order, where A has full rank or damp is not 0; as exact as
    atol and btol: set both to 1e-12, say. A gradient takes two more runs, two more again if A has more columns than
    rows. A' A is never computed.

    Args:
        A: [m, n], real; a sparse array of SciPy or JAX, a dense one, or a `LinearOperator`, see `cg`.
        b: [m].
        damp: a number.
        x0: [n], where to start; 0 without. The answer moves with it where damp is not 0, or where A has more columns
            than rows. The others as in SciPy.

    Returns:
        (x, istop, itn, r1norm, r2norm, anorm, acond, arnorm, xnorm, var), as SciPy. Norms of residuals and of x are
        those of this x; anorm and acond are SciPy's estimates, which have no derivative (NaN), and var is 0.

    >>> import jax, numpy as np
    >>> A = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
    >>> print(jax.grad(lambda b: lsqr(A, b, atol=1e-12, btol=1e-12)[0][1])(np.ones(3)).round(6) + 0)
    [-0.5  0.   0.5]
    """
    return _squares("lsqr", A, b, damp, x0, atol=atol, btol=btol, conlim=conlim, iter_lim=iter_lim)


@as_scipys("scipy.sparse.linalg")
def lsmr(
    A: Any, b: ArrayLike, damp: ArrayLike = 0.0, *, atol: float = 1e-6, btol: float = 1e-6, conlim: float = 1e8,
    maxiter: int | None = None, x0: ArrayLike | None = None,
) -> tuple:  # fmt: skip
    """`scipy.sparse.linalg.lsmr`: as `lsqr`, by iterations that can be stopped earlier.

    Differentiable as `lsqr`, with the same arguments but `maxiter` in place of `iter_lim`. It returns (x, istop, itn,
    normr, normar, norma, conda, normx).

    >>> import jax, numpy as np
    >>> A = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
    >>> print(jax.grad(lambda b: lsmr(A, b, atol=1e-12, btol=1e-12)[0][1])(np.ones(3)).round(6) + 0)
    [-0.5  0.   0.5]
    """
    return _squares("lsmr", A, b, damp, x0, atol=atol, btol=btol, conlim=conlim, maxiter=maxiter)


def _squares(solver: str, A: Any, b: Any, damp: Any, x0: Any, **options: Any) -> tuple:
    if is_operator(A):
        return least(solver, getattr(scipy.sparse.linalg, solver), A, b, damp, x0, options)
    matrix, b = right_side(solver, entries(solver, A), b)
    if jnp.iscomplexobj(b):
        raise SignatureError(f"{solver}: `A` and `b` must be real, got {b.dtype}.")
    (damp,) = arrays(solver, damp=damp)
    damp = damp.astype(b.dtype)
    shape, statics = matrix.shape, {"options": tuple(sorted(options.items())), "solver": solver}
    of = lambda stored: matrix._replace(data=stored[0], row=stored[1], column=stored[2])
    times = lambda outside, x: of(outside[0]).times(x)
    transposed = lambda outside, y: of(outside[0]).T.times(y)
    solve = by_normal_equations(
        lambda b, damp, outside: _least(*outside[0], b, damp, outside[1], shape=shape, **statics),
        lambda q, damp, outside: _twice(*outside[0], q, damp, shape=shape, **statics),
        times,
        transposed,
        wide=shape[0] < shape[1],
    )
    return from_start(solver, solve, times, transposed)(b, damp, x0, matrix[:3])

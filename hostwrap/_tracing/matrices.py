"""Matrices in traced code whose twins are hostwrap's: sparse ones, SuperLU's factors, SciPy's solvers, `eigh`."""

from __future__ import annotations

import importlib
import types
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
import scipy.linalg
import scipy.sparse
import scipy.sparse.linalg

from hostwrap._tracing.arrays import given
from hostwrap._tracing.calls import FOLLOW
from hostwrap._tracing.retarget import Untraceable
from hostwrap._tracing.standin import Stand, box, stacked
from hostwrap._tracing.traces import current
from hostwrap._tracing.twins import SOLVERS
from hostwrap._tracing.values import LOOKED, Twin, has_traced, raw, reaches

_superlu = importlib.import_module("scipy.sparse.linalg._dsolve._superlu")
_SOLVERS = {
    "cg", "minres", "gmres", "bicgstab", "bicg", "cgs", "qmr", "tfqmr", "lgmres", "gcrotmk", "lsqr", "lsmr", "eigsh",
    "eigs", "svds", "expm_multiply", "spsolve_triangular",
}  # fmt: skip


def _ours() -> Any:
    return importlib.import_module("hostwrap.sparse.linalg")


class Factors:
    """In place of a SuperLU: the matrix, by columns, whose systems it solves."""

    def __init__(self, data: Any, indices: Any, indptr: Any, found: Any = None) -> None:
        self.parts, self.found = (data, indices, indptr), found
        self.shape = (len(raw(indptr)) - 1,) * 2

    @classmethod
    def of(cls, found: Any) -> Factors:
        """Of a constant matrix, which SuperLU has as Pr' L U Pc'."""
        whole = scipy.sparse.csc_array(found.L @ found.U)[found.perm_r][:, found.perm_c]
        return cls(whole.data, whole.indices, whole.indptr, found)

    def solve(self, rhs: Any, trans: str = "N") -> Any:
        rhs = stacked(rhs)
        if self.found is not None and not has_traced(rhs):
            return box(self.found.solve(raw(rhs), trans))
        return box(_ours().SuperLU(*map(raw, self.parts), "csc").solve(jnp.asarray(raw(rhs)), trans))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if self.found is None:
            raise Untraceable(f"SuperLU.{name} of a matrix that is traced", "Use its solve()")
        return box(getattr(self.found, name))


def stand_in(x: Any) -> Any:
    """In place of a SuperLU, of its method, or of a solver of SciPy's; else None."""
    if type(x) is _superlu.SuperLU:
        return Factors.of(x)
    if isinstance(x, types.BuiltinMethodType) and type(x.__self__) is _superlu.SuperLU:
        return getattr(Factors.of(x.__self__), x.__name__)
    if isinstance(x, types.FunctionType) and x.__name__ in _SOLVERS and _is_public(x):
        return Twin(x, _solve)
    return None


def _is_public(x: Any) -> bool:
    return x.__module__.startswith("scipy.sparse.linalg.") and x is getattr(scipy.sparse.linalg, x.__name__)


def _solve(function: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
    """Where something that is traced is reached, the answer's derivative is that of its equation."""
    own: Callable = FOLLOW[0](function, own=True)
    matrix = args[0] if args else kwargs.get("A")
    held = not reaches([args, kwargs], has_traced) or not {"M", "M1", "M2"}.isdisjoint(kwargs)
    if held or not (scipy.sparse.issparse(matrix) or isinstance(matrix, Stand)):
        return own(*args, **kwargs)  # such as a LinearOperator
    try:
        result = getattr(_ours(), function.__name__)(
            *map(_given, args), **{k: _given(v) for k, v in kwargs.items()}
        )
    except (TypeError, ValueError):  # of what hostwrap's has no option for
        return own(*args, **kwargs)
    current().note(function, f"hostwrap.sparse.linalg.{function.__name__}")
    current().rough = max(current().rough, SOLVERS["scipy.optimize"])
    return box(result)


def _given(x: Any) -> Any:
    """A sparse matrix with traced numbers as JAX has it."""
    if not scipy.sparse.issparse(x):
        return raw(stacked(x))
    found = x.tocoo()
    places = jnp.stack([jnp.asarray(raw(i)) for i in found.coords], axis=1)
    bcoo = importlib.import_module("jax.experimental.sparse").BCOO
    return bcoo((jnp.asarray(raw(found.data)), places), shape=x.shape)


# ---- the compiled functions


@given(_superlu.gssv)
def _gssv(
    n: int, nnz: int, data: Any, indices: Any, indptr: Any, b: Any, by_columns: int, options: Any = None
) -> Any:
    solve = _ours().spsolve
    numbers = [jnp.asarray(raw(x)) for x in (data, indices, indptr, stacked(b))]
    return box(solve(*numbers, format="csc" if by_columns else "csr")), 0


@given(_superlu.gstrf, always=True)
def _gstrf(n: int, nnz: int, data: Any, indices: Any, indptr: Any, **options: Any) -> Factors:
    if not has_traced(data):
        return Factors.of(_superlu.gstrf(n, nnz, *map(raw, (data, indices, indptr)), **options))
    if options.get("ilu"):
        raise Untraceable("scipy.sparse.linalg.spilu leaves out what is small", "Use splu")
    return Factors(data, indices, indptr)


# ---- eigenvectors


@given(np.linalg.eigh)
def _eigh(a: Any, UPLO: str = "L") -> Any:
    """JAX's has wrong derivatives where eigenvalues are equal up to rounding."""
    linalg = importlib.import_module("hostwrap.linalg")
    found = box(linalg.eigh(jnp.asarray(raw(stacked(a))), lower=UPLO.upper() == "L"))
    return type(np.linalg.eigh(np.eye(1)))(*found)


@given(scipy.linalg.eigh_tridiagonal)
def _eigh_tridiagonal(
    d: Any,
    e: Any,
    eigvals_only: bool = False,
    select: Any = "a",
    select_range: Any = None,
    *_: Any,
    **__: Any,
) -> Any:
    if select in ("v", 1):
        raise Untraceable(
            "scipy.linalg.eigh_tridiagonal with select='v': how many there are depends on numbers", LOOKED
        )
    linalg = importlib.import_module("hostwrap.linalg")
    w, v = linalg.eigh_tridiagonal(*(jnp.asarray(raw(stacked(x))) for x in (d, e)))
    kept = slice(raw(select_range)[0], raw(select_range)[1] + 1) if select in ("i", 2) else slice(None)
    return box(w[kept] if eigvals_only else (w[kept], v[:, kept]))

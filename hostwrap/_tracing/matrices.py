"""Twins of hostwrap for matrices in traced code: sparse matrices, SuperLU, SciPy's solvers, `eigh`."""

from __future__ import annotations

import functools
import importlib
import inspect
import types
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from hostwrap._copies.retarget import Untraceable
from hostwrap._tracing.arrays import given
from hostwrap._tracing.calls import FOLLOW
from hostwrap._tracing.originals import named
from hostwrap._tracing.standin import Stand, box, stacked
from hostwrap._tracing.traces import current
from hostwrap._tracing.twins import SOLVERS
from hostwrap._tracing.values import LOOKED, Twin, has_traced, raw, reaches

_SOLVERS = {
    "cg", "minres", "gmres", "bicgstab", "bicg", "cgs", "qmr", "tfqmr", "lgmres", "gcrotmk", "lsqr", "lsmr", "eigsh",
    "eigs", "svds", "expm_multiply", "spsolve_triangular",
}  # fmt: skip
_ARPACK = {"eigsh", "eigs", "svds"}


def _ours() -> Any:
    return importlib.import_module("hostwrap.sparse.linalg")


class Factors:
    """Replaces a SuperLU object: holds the matrix, by columns, and solves its systems."""

    def __init__(self, data: Any, indices: Any, indptr: Any, found: Any = None) -> None:
        self.parts, self.found = (data, indices, indptr), found
        self.shape = (len(raw(indptr)) - 1,) * 2

    @classmethod
    def of(cls, found: Any) -> Factors:
        """The replacement of a SuperLU object of a constant matrix, Pr' L U Pc'."""
        whole = (found.L @ found.U).tocsc()[found.perm_r][:, found.perm_c]
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
    """The replacement of a SuperLU object, its method, or a function of SciPy; else None. SciPy may not be loaded."""
    if type(x).__name__ == "SuperLU":
        return Factors.of(x)
    if isinstance(x, types.BuiltinMethodType) and type(x.__self__).__name__ == "SuperLU":
        return getattr(Factors.of(x.__self__), x.__name__)
    if not isinstance(x, types.FunctionType | types.BuiltinFunctionType) or x.__name__ not in _NAMES:
        return None
    name, module = x.__name__, str(x.__module__)
    if (
        name in _SOLVERS
        and module.startswith("scipy.sparse.linalg.")
        and x is named("scipy.sparse.linalg", name)
    ):
        return Twin(x, _solve)
    if name in _COMPILED and module.startswith(("scipy.sparse.linalg", "scipy.linalg", "_superlu")):
        return Twin(x, _COMPILED[name])
    return None


def _solve(function: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
    """Solve by a twin if a traced value is involved: the derivative follows from the equation."""
    own: Callable = functools.partial(_own, function)
    matrix = args[0] if args else kwargs.get("A")
    held = not reaches([args, kwargs], has_traced) or not {"M", "M1", "M2"}.isdisjoint(kwargs)
    if held or not (hasattr(matrix, "tocoo") or isinstance(matrix, Stand)):
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


def _own(function: Any, *args: Any, **kwargs: Any) -> Any:
    """SciPy's own code; that of ARPACK's is compiled."""
    if function.__name__ not in _ARPACK:
        return FOLLOW[0](function, own=True)(*args, **kwargs)
    if reaches([args, kwargs], has_traced):
        what = (
            f"scipy.sparse.linalg.{function.__name__} of a LinearOperator, or with these options, has no twin"
        )
        raise Untraceable(what, "Write a rule")
    return box(function(*map(_held, args), **{k: _held(v) for k, v in kwargs.items()}))


def _held(x: Any) -> Any:
    """A constant matrix as one of SciPy."""
    if not hasattr(x, "tocoo"):
        return raw(stacked(x))
    found = x.tocoo()
    places = tuple(np.asarray(raw(i)) for i in found.coords)
    sparse = importlib.import_module("scipy.sparse")
    return sparse.coo_array((np.asarray(raw(found.data)), places), shape=x.shape).asformat(x.format)


def _given(x: Any) -> Any:
    """A sparse matrix with traced numbers, as an array of `jax.experimental.sparse`."""
    if not hasattr(x, "tocoo"):
        return raw(stacked(x))
    found = x.tocoo()
    places = jnp.stack([jnp.asarray(raw(i)) for i in found.coords], axis=1)
    bcoo = importlib.import_module("jax.experimental.sparse").BCOO
    return bcoo((jnp.asarray(raw(found.data)), places), shape=x.shape)


# ---- the compiled functions


def _gssv(function: Any, args: tuple, options: dict[str, Any]) -> Any:
    _, _, *parts, by_columns = args
    if not has_traced(parts):
        return box(function(*map(raw, args), **{k: raw(v) for k, v in options.items()}))
    numbers = [jnp.asarray(raw(stacked(x))) for x in parts]
    return box(_ours().spsolve(*numbers, format="csc" if by_columns else "csr")), 0


def _gstrf(function: Any, args: tuple, options: dict[str, Any]) -> Factors:
    if not has_traced(args):
        return Factors.of(function(*map(raw, args), **{k: raw(v) for k, v in options.items()}))
    if options.get("ilu"):
        raise Untraceable("scipy.sparse.linalg.spilu leaves out what is small", "Use splu")
    return Factors(*args[2:])


# ---- eigenvectors


@given(np.linalg.eigh)
def _eigh(a: Any, UPLO: str = "L") -> Any:
    """NumPy's, with the derivatives of `hostwrap.linalg.eigh`: those of JAX's own are wrong where eigenvalues are
    equal up to rounding."""
    numpys = importlib.import_module("hostwrap.linalg._eigh").numpys
    found = box(numpys(jnp.asarray(raw(stacked(a))), UPLO.upper() == "L"))
    return type(np.linalg.eigh(np.eye(1)))(*found)


@given(np.linalg.lstsq)
def _lstsq(a: Any, b: Any, rcond: Any = None) -> Any:
    """`lstsq`: JAX's own uses singular vectors, which have no derivative where singular values are equal."""
    a, b = (jnp.asarray(raw(stacked(x))) for x in (a, b))
    m, n = a.shape
    cond = (max(m, n) if rcond is None else 1) * float(jnp.finfo(a.dtype).eps)
    cond = cond if rcond in (None, -1) else float(raw(rcond))
    x, squares, rank, s = importlib.import_module("hostwrap.linalg").lstsq(a, b, cond=cond)
    return box((x, jnp.atleast_1d(squares) if m > n else jnp.zeros((0,), s.dtype), rank, s))


@given(np.linalg.eigvals)
def _eigvals(a: Any) -> Any:
    """`eigvals`: JAX's own has first derivatives only, because it differentiates eigenvectors."""
    return box(importlib.import_module("hostwrap.linalg").eig(jnp.asarray(raw(stacked(a))))[0])


@given(np.linalg.eig)
def _eig(a: Any) -> Any:
    """`eig`: JAX's own refuses the derivatives of eigenvectors."""
    found = box(importlib.import_module("hostwrap.linalg").eig(jnp.asarray(raw(stacked(a)))))
    return type(np.linalg.eig(np.eye(1)))(*found)


def _eigh_tridiagonal(function: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
    bound = inspect.signature(function).bind(*args, **kwargs)
    bound.apply_defaults()
    d, e, only, select, part = list(bound.arguments.values())[:5]
    if not has_traced((d, e)):
        return box(function(*map(raw, args), **{k: raw(v) for k, v in kwargs.items()}))
    if select in ("v", 1):
        raise Untraceable("scipy.linalg.eigh_tridiagonal: how many there are depends on numbers", LOOKED)
    linalg = importlib.import_module("hostwrap.linalg")
    w, v = linalg.eigh_tridiagonal(*(jnp.asarray(raw(stacked(x))) for x in (d, e)))
    kept = slice(raw(part)[0], raw(part)[1] + 1) if select in ("i", 2) else slice(None)
    return box(w[kept] if only else (w[kept], v[:, kept]))


_COMPILED: dict[str, Callable] = {"gssv": _gssv, "gstrf": _gstrf, "eigh_tridiagonal": _eigh_tridiagonal}
_NAMES = _SOLVERS | _COMPILED.keys()

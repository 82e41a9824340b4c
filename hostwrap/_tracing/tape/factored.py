"""Sparse systems in recorded code: SuperLU solves them, and x solves A x = b (see `implicit`)."""

from __future__ import annotations

import importlib
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse.linalg

from hostwrap._tracing.compiled import sparse
from hostwrap._tracing.tape.array import Array, concrete, moves
from hostwrap._tracing.tape.implicit import corrected
from hostwrap._tracing.tape.nodes import current_level
from hostwrap._tracing.tape.refusals import refused
from hostwrap._tracing.tape.rules import joined, linear

_superlu = importlib.import_module("scipy.sparse.linalg._dsolve._superlu")


class Factors:
    """Replaces a SuperLU object; holds the matrix by columns if it is not constant. `flipped` means by rows."""

    def __init__(self, found: Any, parts: tuple | None = None, flipped: bool = False) -> None:
        self._found, self._parts, self._flipped = found, parts, flipped

    def solve(self, rhs: Any, trans: str = "N") -> Any:
        rhs, trans = joined(rhs), trans if not self._flipped else {"N": "T", "T": "N"}[trans]
        if self._parts is None:
            return _linear(self._found, rhs, trans)
        x = _linear(self._found, concrete(rhs), trans)
        return corrected(
            x, lambda x: self._times(x, trans) - rhs, lambda off: _linear(self._found, off, trans)
        )

    def _times(self, x: Any, trans: str) -> Any:
        if trans == "H":
            return np.conj(self._times(np.conj(x), "T"))
        data, indices, indptr = self._parts  # type: ignore[misc]
        n, like = len(indptr) - 1, np.result_type(np.asarray(concrete(x)), concrete(data))
        y = Array(np.zeros(np.shape(x), like), None, current_level.get())
        wide = (np.shape(x)[1],) if np.ndim(x) == 2 else ()
        name = f"{'csc' if trans == 'N' else 'csr'}_matvec{'s' if wide else ''}"
        flat = [z.reshape(-1) if wide else z for z in (x, y)]
        getattr(sparse, name)(n, n, *wide, indptr, indices, data, *flat)
        return y

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if self._parts is not None:
            raise refused(
                f"SuperLU.{name}", "the tape has it for a matrix that does not move: use its solve()"
            )
        return getattr(self._found, name)


def _linear(found: Any, b: Any, trans: str) -> Any:
    if not isinstance(b, Array):
        return _plain(found, b, trans)
    turned = {"N": "T", "T": "N", "H": "H"}[trans]
    back = (
        (lambda c: _plain(found, c, turned))
        if trans != "H"
        else (lambda c: np.conj(_plain(found, np.conj(c), "N")))
    )
    return linear(b, _linear(found, b.value, trans), lambda t: _plain(found, t, trans), back)


def _plain(found: Any, b: Any, trans: str) -> Any:
    return found.solve(np.asarray(b, found.L.dtype), trans)


def instead(x: Any) -> Any:
    """The replacement of such an object, its method, or a compiled function; or None."""
    if type(x) is _superlu.SuperLU:
        return Factors(x)
    if isinstance(x, types.BuiltinMethodType) and type(x.__self__) is _superlu.SuperLU:
        return getattr(Factors(x.__self__), x.__name__)
    return _COMPILED.get(x.__name__) if isinstance(x, types.BuiltinFunctionType) and _is_one(x) else None


def _is_one(x: Any) -> bool:
    return x is getattr(_superlu, x.__name__, None)


def _factored(data: Any, indices: Any, indptr: Any, flipped: bool = False) -> Factors:
    n = len(indptr) - 1
    found = scipy.sparse.linalg.splu(scipy.sparse.csc_array((concrete(data), indices, indptr), shape=(n, n)))
    return Factors(found, (data, indices, indptr) if moves([data]) else None, flipped)


def _gssv(
    n: int, nnz: int, data: Any, indices: Any, indptr: Any, b: Any, by_columns: int, options: Any = None
) -> Any:
    if not moves([data, b]):
        x, info = _superlu.gssv(
            n, nnz, *map(concrete, (data, indices, indptr, b)), by_columns, options=options
        )
        return Array(x, None, current_level.get()), info
    return _factored(data, indices, indptr, not by_columns).solve(b), 0


def _gstrf(n: int, nnz: int, data: Any, indices: Any, indptr: Any, **options: Any) -> Factors:
    found = _superlu.gstrf(n, nnz, *map(concrete, (data, indices, indptr)), **options)
    if moves([data]) and options.get("ilu"):
        raise refused("scipy.sparse.linalg.spilu", "it leaves out what is small: use splu")
    return Factors(found, (data, indices, indptr) if moves([data]) else None)


def _gstrs(trans: str, n: int, _: int, low: Any, low_i: Any, low_p: Any, __: int, ___: int, up: Any, up_i: Any,
           up_p: Any, b: Any) -> Any:  # fmt: skip
    """The systems of `spsolve_triangular`: the diagonal counts as 1, whatever is stored there."""
    left, right = (_factored(*_with_ones(n, *part)) for part in ((low, low_i, low_p), (up, up_i, up_p)))
    first, then = (left, right) if trans == "N" else (right, left)
    return then.solve(first.solve(b, trans), trans), 0


def _with_ones(n: int, data: Any, indices: Any, indptr: Any) -> tuple:
    rows, columns = concrete(indices), sparse.rows_of(concrete(indptr))
    off = np.flatnonzero(rows != columns)
    rows, columns = (np.append(x[off], np.arange(n)) for x in (rows, columns))
    order = np.lexsort((rows, columns))
    numbers = np.concatenate([np.take(data, off), np.ones(n)])
    return np.take(numbers, order), rows[order], np.searchsorted(columns[order], np.arange(n + 1))


_COMPILED: dict[str, Callable] = {"gssv": _gssv, "gstrf": _gstrf, "gstrs": _gstrs}

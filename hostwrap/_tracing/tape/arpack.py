"""A few eigenpairs and singular triplets in recorded code: ARPACK finds them for concrete numbers.

Derivatives are those of all pairs of the dense matrix, of which ARPACK has chosen some.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg

from hostwrap._tracing.tape.array import concrete, holds
from hostwrap._tracing.tape.dispatch import apply
from hostwrap._tracing.tape.implicit import at_value
from hostwrap._tracing.tape.log import only_here
from hostwrap._tracing.tape.refusals import refused
from hostwrap._tracing.tape.rules import bound_to, joined
from hostwrap._tracing.values import reaches

LARGEST = 2000  # rows of a matrix of which all pairs are computed


def instead(x: Any) -> Callable | None:
    """The replacement of such a function, or None."""
    if not isinstance(x, types.FunctionType) or not str(x.__module__).startswith("scipy.sparse.linalg."):
        return None
    known = _KNOWN.get(x.__name__)
    return known and functools.partial(_chosen, x, known)


def _chosen(function: Callable, known: Callable, *args: Any, **kwargs: Any) -> Any:
    """SciPy's result for the concrete numbers, with derivatives."""
    if not reaches([args, kwargs], holds):
        return function(*args, **kwargs)
    only_here()
    given = bound_to(function, args, kwargs)
    matrices = {k: _dense(function, given[k]) for k in ("A", "M") if given.get(k) is not None}
    rest = {k: concrete(x) for k, x in given.items() if k not in matrices}
    value = function(**{k: concrete(x) for k, x in matrices.items()}, **rest)
    return known(function, value, **matrices)


def _dense(function: Callable, A: Any) -> Any:
    if max(A.shape) > LARGEST:
        raise refused(_name(function), f"the tape has it for at most {LARGEST} rows: it needs all pairs")
    if hasattr(A, "toarray"):
        return A.toarray()
    return A @ np.eye(A.shape[1]) if hasattr(A, "matvec") else joined(A)


def _name(function: Callable) -> str:
    return f"scipy.sparse.linalg.{function.__name__}"


def _places(all_of_them: Any, some: np.ndarray) -> list[int]:
    return [int(np.argmin(np.abs(concrete(all_of_them) - x))) for x in some]


def _signs(function: Callable, ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """By which factors vectors of the same length, in columns, differ."""
    signs = np.sum(ours * theirs, axis=0) / np.sum(ours * ours, axis=0)
    if not np.allclose(ours * signs, theirs, rtol=0, atol=1e-6 * np.abs(theirs).max()):
        raise refused(_name(function), "vectors of equal eigenvalues are any basis, here not that of LAPACK")
    return np.sign(signs)


def _eigsh(function: Callable, value: Any, A: Any, M: Any = None) -> Any:
    w, v = np.linalg.eigh(A) if M is None else apply(scipy.linalg.eigh, (joined(A), joined(M)), {})
    if not isinstance(value, tuple):
        return at_value(value, w[_places(w, value)])
    at = _places(w, value[0])
    return at_value(value[0], w[at]), at_value(
        value[1], v[:, at] * _signs(function, concrete(v)[:, at], value[1])
    )


def _eigs(function: Callable, value: Any, A: Any, M: Any = None) -> Any:
    if M is not None:
        raise refused(_name(function), "the tape has it without M=")
    w, v = np.linalg.eig(A)
    if not isinstance(value, tuple):
        return at_value(value, w[_places(w, value)])
    at = _places(w, value[0])
    if np.iscomplexobj(concrete(A)) or np.any(np.imag(concrete(w)[at])):
        raise refused(_name(function), "complex vectors have any phase: ask with return_eigenvectors=False")
    phases = np.sum(np.conj(concrete(v)[:, at]) * value[1], axis=0)
    _signs(function, np.real(concrete(v)[:, at] * phases), np.real(value[1]))
    return at_value(value[0], w[at] + 0j), at_value(value[1], v[:, at] * phases)


def _svds(function: Callable, value: Any, A: Any) -> Any:
    u, s, vt = np.linalg.svd(A, full_matrices=False)
    if not isinstance(value, tuple):
        return at_value(value, s[_places(s, value)])
    left, sizes, right = value
    at = _places(s, sizes)
    ours, theirs = (concrete(u)[:, at], left) if left is not None else (concrete(vt)[at].T, right.T)
    signs = _signs(function, ours, theirs)
    return (
        None if left is None else at_value(left, u[:, at] * signs),
        at_value(sizes, s[at]),
        None if right is None else at_value(right, vt[at] * signs[:, None]),
    )


_KNOWN: dict[str, Callable] = {"eigsh": _eigsh, "eigs": _eigs, "svds": _svds}

"""Iterative solvers of sparse systems in recorded code: SciPy finds x for concrete numbers, and A x = b moves it.

The matrix may be any operator. Derivatives take one more solution with it, forward, or with its transpose, in reverse:
that is a sweep back through one recorded product. See `implicit`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse.linalg

from hostwrap._tracing.tape.array import Array, concrete, moves
from hostwrap._tracing.tape.implicit import corrected, inner
from hostwrap._tracing.tape.log import only_here
from hostwrap._tracing.tape.minima import bound
from hostwrap._tracing.tape.nodes import backward
from hostwrap._tracing.tape.refusals import refused
from hostwrap._tracing.tape.rules import joined, linear
from hostwrap._tracing.values import reaches

_NAMES = {"cg", "cgs", "bicg", "bicgstab", "gmres", "lgmres", "minres", "qmr", "tfqmr", "gcrotmk"}
# relative residuals: wanted of solutions with tangents and cotangents; enough of these; and enough of the answer
_TIGHT, _ENOUGH, _SOLVED = 1e-12, 1e-9, 1e-3
_RESTART = 100  # vectors that GMRES keeps


def instead(x: Any) -> Callable | None:
    """The replacement of such a function, or None."""
    name, module = getattr(x, "__name__", None), str(getattr(x, "__module__", None))
    known = name in _NAMES and module.startswith("scipy.sparse.linalg.") and callable(x)
    return functools.partial(_solved, x) if known else None


def _solved(function: Callable, *args: Any, **kwargs: Any) -> Any:
    if not reaches([args, kwargs], moves):
        return function(*args, **kwargs)
    only_here()
    given = bound(function, args, kwargs)
    A, b, name = given.pop("A"), joined(given.pop("b")), f"scipy.sparse.linalg.{function.__name__}"
    A = joined(A) if isinstance(A, list | tuple) else A
    product = A.matvec if hasattr(A, "matvec") else lambda x: A @ x
    times = lambda x: np.reshape(product(np.reshape(x, -1)), np.shape(b))
    shape, like = (np.size(concrete(b)),) * 2, np.asarray(concrete(b)) * 0.0
    kind = np.result_type(np.asarray(concrete(times(like))), like)
    numbers = lambda x: np.ravel(concrete(times(x)))
    with inner(like.astype(kind)) as (x, node):
        y = times(x)

    def turned(c: Any) -> np.ndarray:
        """The product with the transpose: what `product` does is linear."""
        if not (isinstance(y, Array) and y.node):
            return np.zeros(shape[0], kind)
        (found,) = backward([y.node], [np.reshape(c, np.shape(b))], [node])
        return np.ravel(np.zeros(shape[0], kind) if found is None else concrete(found))

    adjoint = lambda c: np.conj(turned(np.conj(np.ravel(c))))
    own = (lambda c: np.ravel(concrete(A.rmatvec(np.ravel(c))))) if hasattr(A, "rmatvec") else adjoint
    straight = scipy.sparse.linalg.LinearOperator(shape, numbers, own, dtype=kind)
    across = scipy.sparse.linalg.LinearOperator(
        shape, turned, lambda c: np.conj(numbers(np.conj(c))), dtype=kind
    )

    def solution(operator: Any, right: Any, **more: Any) -> np.ndarray:
        right = np.ravel(right).astype(kind)
        ways = (
            lambda: function(operator, right, rtol=_TIGHT, **more),
            lambda: scipy.sparse.linalg.gmres(
                operator, right, rtol=_TIGHT, restart=min(len(right), _RESTART)
            ),
        )
        for way in ways:
            found, _ = way()
            if np.linalg.norm(operator @ found - right) <= _ENOUGH * np.linalg.norm(right):
                return np.reshape(found, np.shape(b))
        raise refused(name, "it does not converge for the derivative: the matrix is close to a singular one")

    near = {k: _numbers_of(given.pop(k), shape, kind) for k in ("M", "M1", "M2") if given.get(k) is not None}
    x, info = function(straight, concrete(b), **near, **{k: concrete(v) for k, v in given.items()})
    if not np.linalg.norm(numbers(x) - np.ravel(concrete(b))) <= _SOLVED * np.linalg.norm(concrete(b)):
        raise refused(
            name, "the answer does not solve the system: give a smaller rtol=, or a larger maxiter="
        )
    forward = functools.partial(solution, straight, **near)
    back = functools.partial(solution, across)

    def inverse(off: Any) -> Any:
        return linear(off, inverse(off.value), forward, back) if isinstance(off, Array) else forward(off)

    return corrected(x, lambda x: times(x) - b, inverse), info


def _numbers_of(M: Any, shape: tuple[int, int], kind: np.dtype) -> Any:
    """A preconditioner without any tape: it changes the way to x, not x itself."""
    if isinstance(M, np.ndarray | Array | list):
        return concrete(M)
    back = M.rmatvec if hasattr(M, "rmatvec") else lambda c: np.conj(M.T @ np.conj(c))
    return scipy.sparse.linalg.LinearOperator(
        shape, lambda v: np.ravel(concrete(M @ v)), lambda c: np.ravel(concrete(back(c))), dtype=kind
    )

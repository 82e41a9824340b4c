"""The Schur form `a = z t z'` and its derivative, where the columns of z keep their phases.

With dz = z x, x skew, and m = z' da z it is dt = m + t x - x t. dt is 0 below the diagonal: this is a linear equation
for l, the part of x below the diagonal. There l t - t l = m. It is solved row by row.
"""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.linalg

from hostwrap._errors import SignatureError, missing_derivative
from hostwrap._recipes.cores import batched, listed
from hostwrap._recipes.hosted import solved
from hostwrap._recipes.scipys import as_scipys
from hostwrap._types import ArrayLike
from hostwrap._wrap import wrap

SORTS = ("lhp", "rhp", "iuc", "ouc")


@wrap("(n,n)->(n,n),(n,n)", static="sort")
def _real(a: np.ndarray, *, sort: str | None) -> Any:
    return scipy.linalg.schur(a, output="real", sort=sort)[:2]


@wrap("(n,n)->(n,n),(n,n)", dtype=complex, static="sort")
def _complex(a: np.ndarray, *, sort: str | None) -> Any:
    return scipy.linalg.schur(a, output="complex", sort=sort)[:2]


@wrap("(n,n)->()", dtype=np.int32, static=("output", "sort"))
def _count(a: np.ndarray, *, output: str, sort: str) -> Any:
    return np.int32(scipy.linalg.schur(a, output=output, sort=sort)[2])


@wrap("(n,n),(n,n)->(n,n)", static="back")
def _lower(t: np.ndarray, m: np.ndarray, *, back: bool) -> np.ndarray:
    """l; with `back` the solution of the transposed equation: l t.T - t.T l = m below the diagonal."""
    n = len(t)
    if np.any(np.diagonal(t, -1)):
        raise missing_derivative(
            "schur", "a", "the real form of a matrix with complex eigenvalues has none; output='complex' has"
        )
    found = np.zeros_like(m)
    for i in range(1, n) if back else range(n - 1, 0, -1):
        done, row = (slice(0, i), t[:i, i]) if back else (slice(i + 1, n), t[i, i + 1 :])
        right = m[i, :i] + row @ found[done, :i]
        shifted = t[:i, :i] - t[i, i] * np.eye(i)
        found[i, :i] = scipy.linalg.solve_triangular(
            shifted, right, trans=0 if back else 1, check_finite=False
        )
    return found


def _turned(t: Any, m: Any) -> Any:
    return solved(
        lambda x: jnp.tril(x @ t - t @ x, -1),
        jnp.tril(m, -1),
        lambda m: _lower(t, m, back=False),
        lambda m: _lower(t, m, back=True),
    )


def _rule(core: Any) -> None:
    @core.defjvp
    def rule(primals: Any, tangents: Any, *, sort: str | None) -> tuple:
        t, z = core(*primals, sort=sort)
        m = z.conj().T @ tangents[0].astype(z.dtype) @ z
        below = _turned(t, m)
        x = below - below.conj().T
        return (t, z), (jnp.triu(m + t @ x - x @ t), z @ x)


_rule(_real)
_rule(_complex)


@functools.cache
def _batched(output: str, sort: str | None) -> Any:
    core = _complex if output == "complex" else _real

    def schur(a: Any) -> Any:
        return core(a, sort=sort)

    return batched("(n,n)->(n,n),(n,n)")(schur)


@as_scipys("scipy.linalg")
def schur(a: ArrayLike, output: str = "real", sort: str | None = None) -> tuple[jax.Array, ...]:
    """`scipy.linalg.schur`: (t, z) with `a = z t z'`, t upper triangular, z unitary; differentiable to any order.

    The phases of the columns of z are free, and held in the derivative. Functions that do not depend on them, such as
    the eigenvalues on the diagonal of t or the projectors `z[:, :k] z[:, :k]'`, have their own derivatives. If two
    eigenvalues are equal, the derivative is infinite or NaN.

    Args:
        a: [..., n, n], real or complex.
        output: "real" or "complex". The real form of a real matrix with complex eigenvalues has blocks, and no
            derivative here.
        sort: None, or which eigenvalues come first: "lhp" and "rhp", those to the left and the right of the imaginary
            axis, "iuc" and "ouc", those inside and outside of the unit circle. Their number, an integer, is a third
            result then; it is held.

    Raises:
        JaxRuntimeError: the derivative of a real form with blocks; it says that there is none.

    >>> import jax, numpy as np
    >>> first = lambda a: schur(a)[0][0, 0]
    >>> print(jax.grad(first)(np.array([[1.0, 2.0], [0.0, 3.0]])))
    [[ 1.  0.]
     [-1.  0.]]
    """
    if output not in ("real", "complex"):
        raise SignatureError(f"schur: output={output!r} must be 'real' or 'complex'.")
    if sort is not None and sort not in SORTS:
        raise SignatureError(f"schur: sort={sort!r:.40} must be None or one of {', '.join(SORTS)}.")
    output = "complex" if jnp.iscomplexobj(listed(a)) else output
    t, z = _batched(output, sort)(a)
    if sort is None:
        return t, z
    return t, z, _count(jax.lax.stop_gradient(jnp.asarray(listed(a), z.dtype)), output=output, sort=sort)

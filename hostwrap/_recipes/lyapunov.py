"""Equations for a matrix: Sylvester's, Lyapunov's and Riccati's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import scipy.linalg

from hostwrap._recipes.cores import batched
from hostwrap._recipes.hosted import solved
from hostwrap._recipes.scipys import as_scipys
from hostwrap._types import ArrayLike
from hostwrap._wrap import wrap

# ---- linear equations. Transposes do not conjugate, like those of jax.linear_transpose.

_sylvester = wrap("(m,m),(n,n),(m,n)->(m,n)")(lambda a, b, q: scipy.linalg.solve_sylvester(a, b, q))
_lyapunov = wrap("(n,n),(n,n)->(n,n)")(lambda a, q: scipy.linalg.solve_continuous_lyapunov(a, q))
_stein = wrap("(n,n),(n,n)->(n,n)")(lambda a, q: scipy.linalg.solve_discrete_lyapunov(a, q))


@batched("(m,m),(n,n),(m,n)->(m,n)")
def solve_sylvester(a: ArrayLike, b: ArrayLike, q: ArrayLike) -> jax.Array:
    """`scipy.linalg.solve_sylvester`: X with `a X + X b = q`.

    There is one, if no eigenvalue of a is minus one of b.

    >>> import jax, numpy as np
    >>> a, b = np.diag([1.0, 2.0]), np.diag([3.0, 4.0])
    >>> print(jax.grad(lambda q: solve_sylvester(a, b, q).sum())(np.ones((2, 2))).round(6))
    [[0.25     0.2     ]
     [0.2      0.166667]]
    """
    return solved(
        lambda x: a @ x + x @ b, q, lambda q: _sylvester(a, b, q), lambda q: _sylvester(a.T, b.T, q)
    )


@batched("(n,n),(n,n)->(n,n)")
def solve_continuous_lyapunov(a: ArrayLike, q: ArrayLike) -> jax.Array:
    """`scipy.linalg.solve_continuous_lyapunov`: X with `a X + X a^H = q`.

    There is one, if no two eigenvalues of a have the sum v + conj(w) = 0.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda a: solve_continuous_lyapunov(a, np.eye(1))[0, 0])(np.array([[2.0]])))
    [[-0.125]]
    """
    return solved(lambda x: a @ x + x @ a.conj().T, q, lambda q: _lyapunov(a, q), lambda q: _lyapunov(a.T, q))


@as_scipys("scipy.linalg")
@batched("(n,n),(n,n)->(n,n)")
def solve_discrete_lyapunov(a: ArrayLike, q: ArrayLike) -> jax.Array:
    """`scipy.linalg.solve_discrete_lyapunov`: X with `a X a^H - X + q = 0`.

    There is one, if no two eigenvalues of a have the product v conj(w) = 1.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda q: solve_discrete_lyapunov(np.array([[0.5]]), q)[0, 0])(np.eye(1)).round(6))
    [[1.333333]]
    """
    return solved(lambda x: x - a @ x @ a.conj().T, q, lambda q: _stein(a, q), lambda q: _stein(a.T, q))


# ---- algebraic Riccati equations. Their derivative in X is a Lyapunov equation of the closed loop.


def _continuous(x: Any, a: Any, b: Any, q: Any, r: Any) -> Any:
    return a.conj().T @ x + x @ a - x @ b @ _gain(b, r, x) + q


def _discrete(x: Any, a: Any, b: Any, q: Any, r: Any) -> Any:
    return a.conj().T @ x @ (a - b @ _gain(b, r + b.conj().T @ x @ b, x @ a)) - x + q


def _gain(b: Any, weight: Any, right: Any) -> Any:
    return jnp.linalg.solve(weight, b.conj().T @ right)


_care = wrap("(n,n),(n,m),(n,n),(m,m)->(n,n)")(
    lambda a, b, q, r: scipy.linalg.solve_continuous_are(a, b, q, r)
)
_dare = wrap("(n,n),(n,m),(n,n),(m,m)->(n,n)")(lambda a, b, q, r: scipy.linalg.solve_discrete_are(a, b, q, r))


@_care.defjvp
def _care_jvp(primals: Any, tangents: Any) -> tuple:
    a, b, _, r = primals
    x = _care(*primals)
    loop = a - b @ _gain(b, r, x)
    return x, solve_continuous_lyapunov(loop.conj().T, -_moved(_continuous, x, primals, tangents))


@_dare.defjvp
def _dare_jvp(primals: Any, tangents: Any) -> tuple:
    a, b, _, r = primals
    x = _dare(*primals)
    loop = a - b @ _gain(b, r + b.conj().T @ x @ b, x @ a)
    return x, solve_discrete_lyapunov(loop.conj().T, _moved(_discrete, x, primals, tangents))


def _moved(equation: Callable, x: Any, primals: Any, tangents: Any) -> Any:
    """The derivative of the equation in its data, with the solution constant."""
    given = [jnp.zeros_like(p) if t is None else t for p, t in zip(primals, tangents, strict=True)]
    return jax.jvp(lambda *args: equation(x, *args), tuple(primals), tuple(given))[1]


@as_scipys("scipy.linalg")
@batched("(n,n),(n,m),(n,n),(m,m)->(n,n)")
def solve_continuous_are(a: ArrayLike, b: ArrayLike, q: ArrayLike, r: ArrayLike) -> jax.Array:
    """`scipy.linalg.solve_continuous_are`: the stabilizing X with `a^H X + X a - X b r^-1 b^H X + q = 0`.

    q and r are Hermitian, r is regular.

    >>> import jax, numpy as np
    >>> one = np.eye(1)
    >>> print(jax.grad(lambda q: solve_continuous_are(0 * one, one, q, one)[0, 0])(4 * one).round(6))
    [[0.25]]
    """
    return _care(a, b, q, r)


@as_scipys("scipy.linalg")
@batched("(n,n),(n,m),(n,n),(m,m)->(n,n)")
def solve_discrete_are(a: ArrayLike, b: ArrayLike, q: ArrayLike, r: ArrayLike) -> jax.Array:
    """`scipy.linalg.solve_discrete_are`: the stabilizing X.

    It solves `a^H X a - X - a^H X b (r + b^H X b)^-1 b^H X a + q = 0`; q and r are Hermitian.

    >>> import jax, numpy as np
    >>> one = np.eye(1)
    >>> print(jax.grad(lambda q: solve_discrete_are(one, one, q, one)[0, 0])(one).round(6))
    [[1.17082]]
    """
    return _dare(a, b, q, r)

"""Equations for a matrix: Sylvester's, Lyapunov's and Riccati's."""

from __future__ import annotations

import functools
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


def _continuous(x: Any, a: Any, b: Any, q: Any, r: Any, e: Any, s: Any) -> tuple:
    """The equation, and the matrix of the closed loop."""
    gain = jnp.linalg.solve(r, b.conj().T @ x @ e + s.conj().T)
    once = e.conj().T @ x @ (a - b @ gain)
    return a.conj().T @ x @ e + once - s @ gain + q, a - b @ gain


def _discrete(x: Any, a: Any, b: Any, q: Any, r: Any, e: Any, s: Any) -> tuple:
    gain = jnp.linalg.solve(r + b.conj().T @ x @ b, b.conj().T @ x @ a + s.conj().T)
    return a.conj().T @ x @ (a - b @ gain) - s @ gain - e.conj().T @ x @ e + q, a - b @ gain


@functools.cache
def _riccati(name: str, balanced: bool) -> tuple[Callable, Callable]:
    """SciPy's function of (a, b, q, r), and that of (a, b, q, r, e, s)."""

    def jvp(core: Callable, primals: tuple, tangents: tuple) -> tuple:
        primals = tuple(map(jnp.asarray, primals))
        x = core(*primals)
        e, s = primals[4:] or (jnp.eye(len(x), dtype=x.dtype), jnp.zeros_like(primals[1]))
        given = [jnp.zeros_like(p) if t is None else t for p, t in zip(primals, tangents, strict=True)]
        residual = lambda *data: equation(x, *data, *(() if len(data) > 4 else (e, s)))[0]
        moved = jax.jvp(residual, primals, tuple(given))[1]
        loop = equation(x, *primals[:4], e, s)[1]
        left = lambda y: jnp.linalg.solve(e.conj().T, y)  # from e^H y e to y
        return x, lyapunov(left(loop.conj().T), left(left(moved).conj().T).conj().T)

    equation, lyapunov = _RICCATI[name]
    scipys = functools.partial(getattr(scipy.linalg, name), balanced=balanced)
    first = "(n,n),(n,m),(n,n),(m,m)"
    plain = wrap(f"{first}->(n,n)")(lambda a, b, q, r: scipys(a, b, q, r))
    general = wrap(f"{first},(n,n),(n,m)->(n,n)")(lambda a, b, q, r, e, s: scipys(a, b, q, r, e, s))
    for core in (plain, general):
        core.__name__ = name
        core.defjvp(functools.partial(jvp, core))
    return batched(f"{first}->(n,n)")(plain), batched(f"{first},(n,n),(n,m)->(n,n)")(general)


_RICCATI: dict[str, tuple[Callable, Callable]] = {
    "solve_continuous_are": (_continuous, lambda a, q: solve_continuous_lyapunov(a, -q)),
    "solve_discrete_are": (_discrete, lambda a, q: solve_discrete_lyapunov(a, q)),
}


def _solved(name: str, balanced: bool, a: Any, b: Any, q: Any, r: Any, e: Any, s: Any) -> jax.Array:
    cores = _riccati(name, bool(balanced))
    if e is None and s is None:
        return cores[0](a, b, q, r)
    e = jnp.eye(jnp.shape(a)[-1], dtype=jnp.result_type(jnp.asarray(a))) if e is None else e
    return cores[1](a, b, q, r, e, jnp.zeros_like(b) if s is None else s)


@as_scipys("scipy.linalg")
def solve_continuous_are(
    a: ArrayLike,
    b: ArrayLike,
    q: ArrayLike,
    r: ArrayLike,
    e: ArrayLike | None = None,
    s: ArrayLike | None = None,
    balanced: bool = True,
) -> jax.Array:
    """`scipy.linalg.solve_continuous_are`: the stabilizing X with `a^H X + X a - X b r^-1 b^H X + q = 0`.

    With e and s it is `a^H X e + e^H X a - (e^H X b + s) r^-1 (b^H X e + s^H) + q = 0`. q and r are Hermitian, r and e
    are regular. SciPy solves more of these with `balanced=False`.

    >>> import jax, numpy as np
    >>> one = np.eye(1)
    >>> print(jax.grad(lambda q: solve_continuous_are(0 * one, one, q, one)[0, 0])(4 * one).round(6))
    [[0.25]]
    """
    return _solved("solve_continuous_are", balanced, a, b, q, r, e, s)


@as_scipys("scipy.linalg")
def solve_discrete_are(
    a: ArrayLike,
    b: ArrayLike,
    q: ArrayLike,
    r: ArrayLike,
    e: ArrayLike | None = None,
    s: ArrayLike | None = None,
    balanced: bool = True,
) -> jax.Array:
    """`scipy.linalg.solve_discrete_are`: the stabilizing X.

    It solves `a^H X a - X - a^H X b (r + b^H X b)^-1 b^H X a + q = 0`; q and r are Hermitian. With e and s it solves
    `a^H X a - e^H X e - (a^H X b + s) (r + b^H X b)^-1 (b^H X a + s^H) + q = 0`, where e is regular.

    >>> import jax, numpy as np
    >>> one = np.eye(1)
    >>> print(jax.grad(lambda q: solve_discrete_are(one, one, q, one)[0, 0])(one).round(6))
    [[1.17082]]
    """
    return _solved("solve_discrete_are", balanced, a, b, q, r, e, s)

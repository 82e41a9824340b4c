"""The cosine-sine decomposition of a unitary matrix, X = U S V', where U and V have two blocks each.

U' dX V = A S + dS - S B, where A = U' dU and B = V' dV are skew-Hermitian with two blocks. The angles have a direction
of their own in this equation. For each pair of angles A and B have two unknowns each. The four blocks of the equation
determine them twice, and both are used. The result is divided by cos^2(t[j]) - cos^2(t[i]): for equal angles the
factors are not unique.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.linalg

from hostwrap._errors import SignatureError, missing_derivative
from hostwrap._recipes.cores import arrays, inexact
from hostwrap._wrap import wrap

STATIC = ("p", "q", "swap")


def _count(m: int, p: int, q: int) -> int:
    return min(p, q, m - p, m - q)


def _results(x: Any, p: int, q: int, **_: Any) -> tuple:
    m = x.shape[0]
    whole, real = jax.ShapeDtypeStruct((m, m), x.dtype), jnp.finfo(x.dtype).dtype
    return whole, jax.ShapeDtypeStruct((_count(m, p, q),), real), whole


@wrap(out=_results, static=STATIC)
def _factors(x: np.ndarray, *, p: int, q: int, swap: bool) -> tuple:
    (u1, u2), angles, (v1, v2) = scipy.linalg.cossin(x, p, q, separate=True, swap_sign=swap)
    return scipy.linalg.block_diag(u1, u2), angles, scipy.linalg.block_diag(v1, v2)


@wrap(out=lambda x, **how: _results(x, **how)[1], static=STATIC)
def _angles(x: np.ndarray, *, p: int, q: int, swap: bool) -> np.ndarray:
    return scipy.linalg.cossin(x, p, q, separate=True, swap_sign=swap, compute_u=False, compute_vh=False)[1]


def _places(m: int, p: int, q: int) -> tuple[Any, Any, Any, Any]:
    """The rows of the first and the second block that have an angle, and the columns."""
    r = _count(m, p, q)
    first = min(p, q) - r
    second, below = min(m - p, m - q) - r, min(m - p, q) - r
    every = np.arange(r)
    return first + every, p + second + every, first + every, first + below + second + r + every


def _moved_angles(k: Any, angles: Any, p: int, q: int, swap: bool) -> Any:
    up, down, left, right = _places(k.shape[0], p, q)
    sign = -1 if swap else 1
    c, s = jnp.cos(angles), jnp.sin(angles)
    along = sign * (k[down, left] - k[up, right]).real
    return (c * along - s * (k[up, left] + k[down, right]).real) / 2


@_angles.defjvp
def _angles_jvp(primals: Any, tangents: Any, **how: Any) -> tuple:
    (x,), (dx,) = primals, tangents
    u, angles, v = _factors(x, **how)
    return angles, _moved_angles(u.conj().T @ dx @ v.conj().T, angles, **how)


@_factors.defjvp
def _factors_jvp(primals: Any, tangents: Any, *, p: int, q: int, swap: bool) -> tuple:
    (x,), (dx,) = primals, tangents
    m = x.shape[0]
    if not p == q == m - p or jnp.iscomplexobj(x):
        raise missing_derivative(
            "cossin",
            "X",
            "its factors are unique, but for signs, of a real matrix with p = q = m / 2 alone; without them "
            "(compute_u=False, compute_vh=False) the angles have a first derivative",
        )
    u, angles, v = _factors(x, p=p, q=q, swap=swap)
    k = u.T @ dx @ v.T
    d_angles = _moved_angles(k, angles, p, q, swap)
    c, s = jnp.cos(angles), jnp.sin(angles)
    sign = -1 if swap else 1
    k11, k12, k21, k22 = k[:p, :p], sign * k[:p, p:], sign * k[p:, :p], k[p:, p:]
    apart = c[None, :] ** 2 - c[:, None] ** 2
    over = jnp.where(jnp.eye(p, dtype=bool), 0.0, 1 / jnp.where(jnp.eye(p, dtype=bool), 1.0, 2 * apart))
    row = lambda f, k: f[:, None] * k + f[None, :] * k.T  # f[i] k[i, j] + f[j] k[j, i]
    column = lambda f, k: f[None, :] * k + f[:, None] * k.T
    a1 = over * (column(c, k11) + column(s, k12))
    a2 = over * (column(c, k22) - column(s, k21))
    b1 = over * (row(c, k11) - row(s, k21))
    b2 = over * (row(c, k22) + row(s, k12))
    both = jax.scipy.linalg.block_diag
    return (u, angles, v), (u @ both(a1, a2), d_angles, -both(b1, b2) @ v)


def _middle(angles: Any, m: int, p: int, q: int, swap: bool) -> Any:
    """S, as in SciPy: ones where there is no angle."""
    up, down, left, right = _places(m, p, q)
    r, sign = _count(m, p, q), -1.0 if swap else 1.0
    n11, n12, n21, n22 = (min(a, b) - r for a in (p, m - p) for b in (q, m - q))
    at = lambda n, row, column: (row + np.arange(n), column + np.arange(n))
    s = jnp.zeros((m, m), angles.dtype)
    s = s.at[at(n11, 0, 0)].set(1).at[at(n12, n11 + r, n11 + n21 + n22 + 2 * r)].set(-sign)
    s = s.at[at(n21, p + n22 + r, n11 + r)].set(sign).at[at(n22, p, q)].set(1)
    c, sine = jnp.cos(angles), sign * jnp.sin(angles)
    return s.at[up, left].set(c).at[down, right].set(c).at[down, left].set(sine).at[up, right].set(-sine)


def cossin(
    X: Any, p: int | None = None, q: int | None = None, separate: bool = False, swap_sign: bool = False,
    compute_u: bool = True, compute_vh: bool = True,
) -> tuple:  # fmt: skip
    """`scipy.linalg.cossin`: `X = u cs vh` of a unitary X, with angles between its blocks.

    Differentiable along unitary X, to any order, where no two angles are equal, if X is real and `p = q = m / 2`. Else
    the factors are not unique; without them the angles have a first derivative.

    Args:
        X: [m, m], or the four blocks x11, x12, x21, x22. More by vmap.
        p, q: the rows and columns of the first block.
        separate, swap_sign: as in SciPy.
        compute_u, compute_vh: as in SciPy; both False for the angles alone.

    Returns:
        u, cs, vh [m, m]; with `separate` ((u1, u2), theta, (vh1, vh2)). What is not computed is an empty array.

    Raises:
        SignatureError: shapes that do not fit. MissingDerivative: that of factors which are not unique.

    >>> import jax, numpy as np
    >>> turn = lambda t: jax.numpy.array([[jax.numpy.cos(t), -jax.numpy.sin(t)], [jax.numpy.sin(t), jax.numpy.cos(t)]])
    >>> print(jax.grad(lambda t: cossin(turn(t), 1, 1, separate=True)[1][0])(0.3).round(6))
    1.0
    """
    blocks = X if isinstance(X, tuple | list) and len(X) == 4 and np.ndim(X[0]) == 2 else None
    if blocks is not None and p is None and q is None:
        parts = arrays("cossin", **dict(zip(("x11", "x12", "x21", "x22"), blocks, strict=True)))
        p, q = parts[0].shape
        x = jnp.block([parts[:2], parts[2:]])
    else:
        (x,) = arrays("cossin", X=X)
    if (
        x.ndim != 2
        or x.shape[0] != x.shape[1]
        or not all(isinstance(k, int) and 0 < k < len(x) for k in (p, q))
    ):
        raise SignatureError(
            f"cossin: wants X of shape (m, m) and integers p and q from 1 to m - 1, got {x.shape}, {p!r}, {q!r}. "
            "(Batches by jax.vmap.)"
        )
    x, m = x.astype(inexact(x)), len(x)
    how: Any = {"p": p, "q": q, "swap": bool(swap_sign)}
    none = jnp.zeros((0, 0), x.dtype)
    if not compute_u and not compute_vh:
        angles = _angles(x, **how)
        empty = (none, none)
        return (empty, angles, empty) if separate else (none, _middle(angles, m, **how), none)
    u, angles, v = _factors(x, **how)
    if separate:
        us = (u[:p, :p], u[p:, p:]) if compute_u else (none, none)
        return us, angles, (v[:q, :q], v[q:, q:]) if compute_vh else (none, none)
    return u if compute_u else none, _middle(angles, m, **how), v if compute_vh else none

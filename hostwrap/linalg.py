"""`scipy.linalg`, differentiable: functions that JAX does not have, under SciPy's names.

Linear equations `L(X) = Q` for a matrix are solved by SciPy, forward with L and backward with its transpose. The others
are implicit: the derivative of an equation is a linear equation for the derivative. So there are derivatives of any
order (of expm: two). All take real and complex matrices, with batch axes in front.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.linalg

from hostwrap._recipes.cores import batched
from hostwrap._recipes.eig import eig
from hostwrap._recipes.expm import expm
from hostwrap._recipes.structured import solve_banded, solve_circulant, solve_toeplitz, solveh_banded
from hostwrap._wrap import wrap

__all__ = [
    "eig",
    "eigh_tridiagonal",
    "expm",
    "logm",
    "solve_banded",
    "solve_circulant",
    "solve_continuous_are",
    "solve_continuous_lyapunov",
    "solve_discrete_are",
    "solve_discrete_lyapunov",
    "solve_sylvester",
    "solve_toeplitz",
    "solveh_banded",
    "sqrtm",
]


def __dir__() -> list[str]:
    """What completion shows."""
    return sorted(__all__)


# ---- linear equations. Their transposes are without conjugation, as those of jax.linear_transpose.

_sylvester = wrap("(m,m),(n,n),(m,n)->(m,n)")(lambda a, b, q: scipy.linalg.solve_sylvester(a, b, q))
_lyapunov = wrap("(n,n),(n,n)->(n,n)")(lambda a, q: scipy.linalg.solve_continuous_lyapunov(a, q))
_stein = wrap("(n,n),(n,n)->(n,n)")(lambda a, q: scipy.linalg.solve_discrete_lyapunov(a, q))


def _linear(operator: Callable, q: jax.Array, solve: Callable, back: Callable) -> jax.Array:
    return jax.lax.custom_linear_solve(operator, q, lambda _, q: solve(q), lambda _, q: back(q))


@batched("(m,m),(n,n),(m,n)->(m,n)")
def solve_sylvester(a: Any, b: Any, q: Any) -> jax.Array:
    """X with `a X + X b = q`. There is one, if no eigenvalue of a is minus one of b."""
    return _linear(
        lambda x: a @ x + x @ b, q, lambda q: _sylvester(a, b, q), lambda q: _sylvester(a.T, b.T, q)
    )


@batched("(n,n),(n,n)->(n,n)")
def solve_continuous_lyapunov(a: Any, q: Any) -> jax.Array:
    """X with `a X + X a^H = q`. There is one, if no two eigenvalues of a have the sum v + conj(w) = 0."""
    return _linear(
        lambda x: a @ x + x @ a.conj().T, q, lambda q: _lyapunov(a, q), lambda q: _lyapunov(a.T, q)
    )


@batched("(n,n),(n,n)->(n,n)")
def solve_discrete_lyapunov(a: Any, q: Any) -> jax.Array:
    """X with `a X a^H - X + q = 0`. There is one, if no two eigenvalues of a have the product v conj(w) = 1."""
    return _linear(lambda x: x - a @ x @ a.conj().T, q, lambda q: _stein(a, q), lambda q: _stein(a.T, q))


# ---- algebraic Riccati equations. In X their derivative is a Lyapunov equation with the closed loop.


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
    """The derivative of the equation in what is given, with the solution held fixed."""
    given = [jnp.zeros_like(p) if t is None else t for p, t in zip(primals, tangents, strict=True)]
    return jax.jvp(lambda *args: equation(x, *args), tuple(primals), tuple(given))[1]


@batched("(n,n),(n,m),(n,n),(m,m)->(n,n)")
def solve_continuous_are(a: Any, b: Any, q: Any, r: Any) -> jax.Array:
    """The stabilizing X with `a^H X + X a - X b r^-1 b^H X + q = 0`; q and r are Hermitian, r is regular."""
    return _care(a, b, q, r)


@batched("(n,n),(n,m),(n,n),(m,m)->(n,n)")
def solve_discrete_are(a: Any, b: Any, q: Any, r: Any) -> jax.Array:
    """The stabilizing X with `a^H X a - X - a^H X b (r + b^H X b)^-1 b^H X a + q = 0`; q and r are Hermitian."""
    return _dare(a, b, q, r)


# ---- functions of a matrix


def _same_kind(result: np.ndarray, a: np.ndarray) -> np.ndarray:
    """NaN, where the function of a real matrix is complex; by more than the rounding errors that SciPy 1.15 leaves."""
    rounding = len(a) * np.finfo(a.dtype).eps * np.abs(result).max(initial=0)
    real = result if np.iscomplexobj(a) or np.any(np.abs(result.imag) > rounding) else result.real
    return np.full_like(a, np.nan) if np.iscomplexobj(real) and not np.iscomplexobj(a) else real


_sqrtm = wrap("(n,n)->(n,n)")(lambda a: _same_kind(scipy.linalg.sqrtm(a), a))
_logm = wrap("(n,n)->(n,n)")(lambda a: _same_kind(scipy.linalg.logm(a), a))


@wrap("(n,n),(n,n)->(n,n)")
def _logm_frechet(a: np.ndarray, e: np.ndarray) -> np.ndarray:
    """The derivative of logm at a in the direction e: log [[a, e], [0, a]] has it above (Higham, 2008, (3.16))."""
    scale = np.linalg.norm(a, 1) / (np.linalg.norm(e, 1) or 1.0)
    log = scipy.linalg.logm(np.block([[a, scale * e], [np.zeros_like(a), a]]))
    return _same_kind(log[: len(a), len(a) :] / scale, np.result_type(a, e).type(0) * a)


@_sqrtm.defjvp
def _sqrtm_jvp(primals: Any, tangents: Any) -> tuple:
    """s s = a, so s ds + ds s = da."""
    s = _sqrtm(*primals)
    return s, solve_sylvester(s, s, tangents[0])


@_logm.defjvp
def _logm_jvp(primals: Any, tangents: Any) -> tuple:
    """exp(l) = a: the derivative of exp at l takes dl to da."""
    (a,), (da,) = primals, tangents
    log = _logm(a)

    def forward(x: Any) -> Any:
        return jax.scipy.linalg.expm_frechet(log, x, compute_expm=False)

    return log, _linear(forward, da, lambda e: _logm_frechet(a, e), lambda e: _logm_frechet(a.T, e))


@batched("(n,n)->(n,n)")
def sqrtm(a: Any) -> jax.Array:
    """The principal square root. Of a real matrix it is real, or NaN: give a complex one, if it may have none."""
    return _sqrtm(a)


@batched("(n,n)->(n,n)")
def logm(a: Any) -> jax.Array:
    """The principal logarithm. Of a real matrix it is real, or NaN: give a complex one, if it may have none."""
    return _logm(a)


# ---- eigenvalues

_eigh_tridiagonal = wrap("(n),(k)->(n),(n,n)")(lambda d, e: scipy.linalg.eigh_tridiagonal(d, e))


@_eigh_tridiagonal.defjvp
def _eigh_tridiagonal_jvp(primals: Any, tangents: Any) -> tuple:
    """dw_i = v_i dT v_i, and dv_j has the part v_i dT v_j / (w_j - w_i) along v_i (Kato, II.2)."""
    w, v = _eigh_tridiagonal(*primals)
    dd, de = (jnp.zeros_like(p) if t is None else t for p, t in zip(primals, tangents, strict=True))
    inner = v.T @ (dd[:, None] * v)
    if de.size:
        inner += v[:-1].T @ (de[:, None] * v[1:]) + v[1:].T @ (de[:, None] * v[:-1])
    gaps = w - w[:, None] + jnp.eye(len(w))
    return (w, v), (jnp.diag(inner), v @ (jnp.where(jnp.eye(len(w)), 0.0, inner) / gaps))


@batched("(n),(k)->(n),(n,n)")
def eigh_tridiagonal(d: Any, e: Any) -> tuple[jax.Array, jax.Array]:
    """Eigenvalues, ascending, and eigenvectors of a real symmetric matrix with diagonal d and beside it e.

    Derivatives of eigenvectors are infinite or NaN where eigenvalues coincide.
    """
    return _eigh_tridiagonal(d, e)

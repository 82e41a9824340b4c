"""Functions of a matrix by its exponential and logarithm; and any function of a complex number."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Literal, overload

import jax
import jax.numpy as jnp
import numpy as np
import scipy.linalg

from hostwrap._errors import SignatureError
from hostwrap._recipes.cores import batched
from hostwrap._recipes.expm import expm
from hostwrap._recipes.hosted import derived_from
from hostwrap._recipes.scipys import as_scipys
from hostwrap._types import ArrayLike
from hostwrap._wrap import Wrapped, wrap
from hostwrap.linalg._eig import eig
from hostwrap.linalg._logm import logm


def _waves(a: Any) -> tuple:
    """exp(i a) and exp(-i a)."""
    return expm(1j * a), expm(-1j * a)


@batched("(n,n)->(n,n)")
def cosm(A: ArrayLike) -> jax.Array:
    """`scipy.linalg.cosm`: the cosine of a matrix, differentiable twice.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda a: cosm(a)[0, 0])(np.diag([0.5, 1.0])).round(6) + 0)
    [[-0.479426  0.      ]
     [ 0.        0.      ]]
    """
    if not jnp.iscomplexobj(A):
        return expm(1j * A).real
    forth, back = _waves(A)
    return (forth + back) / 2


@batched("(n,n)->(n,n)")
def sinm(A: ArrayLike) -> jax.Array:
    """`scipy.linalg.sinm`: the sine of a matrix, differentiable twice.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda a: sinm(a)[0, 0])(np.diag([0.5, 1.0])).round(6) + 0)
    [[0.877583 0.      ]
     [0.       0.      ]]
    """
    if not jnp.iscomplexobj(A):
        return expm(1j * A).imag
    forth, back = _waves(A)
    return -0.5j * (forth - back)


@batched("(n,n)->(n,n)")
def coshm(A: ArrayLike) -> jax.Array:
    """`scipy.linalg.coshm`: the hyperbolic cosine of a matrix, differentiable twice.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda a: coshm(a)[0, 0])(np.array([[0.5]])).round(6))
    [[0.521095]]
    """
    return (expm(A) + expm(-A)) / 2


@batched("(n,n)->(n,n)")
def sinhm(A: ArrayLike) -> jax.Array:
    """`scipy.linalg.sinhm`: the hyperbolic sine of a matrix, differentiable twice.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda a: sinhm(a)[0, 0])(np.array([[0.5]])).round(6))
    [[1.127626]]
    """
    return (expm(A) - expm(-A)) / 2


@batched("(n,n)->(n,n)")
def tanm(A: ArrayLike) -> jax.Array:
    """`scipy.linalg.tanm`: the tangent of a matrix, differentiable twice.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda a: tanm(a)[0, 0])(np.array([[0.5]])).round(6))
    [[1.298446]]
    """
    return jnp.linalg.solve(cosm(A), sinm(A))


@batched("(n,n)->(n,n)")
def tanhm(A: ArrayLike) -> jax.Array:
    """`scipy.linalg.tanhm`: the hyperbolic tangent of a matrix, differentiable twice.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda a: tanhm(a)[0, 0])(np.array([[0.5]])).round(6))
    [[0.786448]]
    """
    return jnp.linalg.solve(coshm(A), sinhm(A))


# ---- the derivative of the exponential as a function of its own


@batched("(n,n),(n,n)->(n,n),(n,n)")
def _expm_frechet(A: Any, E: Any) -> Any:
    return jax.jvp(expm, (A,), (E,))


@overload
def expm_frechet(
    A: ArrayLike, E: ArrayLike, compute_expm: Literal[True] = True
) -> tuple[jax.Array, jax.Array]: ...
@overload
def expm_frechet(A: ArrayLike, E: ArrayLike, compute_expm: Literal[False]) -> jax.Array: ...
@as_scipys("scipy.linalg")
def expm_frechet(A: ArrayLike, E: ArrayLike, compute_expm: bool = True) -> Any:
    """`scipy.linalg.expm_frechet`: exp(A) and its derivative along E; differentiable in both, once in A.

    >>> import jax, numpy as np
    >>> along = lambda E: expm_frechet(np.diag([0.0, 1.0]), E, compute_expm=False)[0, 1]
    >>> print(jax.grad(along)(np.zeros((2, 2))).round(6))
    [[0.       1.718282]
     [0.       0.      ]]
    """
    both = _expm_frechet(A, E)
    return both if compute_expm else both[1]


# ---- powers

_power = wrap("(n,n),()->(n,n)")(lambda a, t: _as_given(scipy.linalg.fractional_matrix_power(a, t.item()), a))
derived_from(_power, lambda a, t: expm(t.astype(a.dtype) * logm(a)))


def _as_given(result: np.ndarray, a: np.ndarray) -> np.ndarray:
    """NaN where a power of a real matrix is complex."""
    complex_of_real = np.iscomplexobj(result) and not np.iscomplexobj(a)
    return np.full_like(a, np.nan) if complex_of_real else result


@batched("(n,n),()->(n,n)")
def _fractional(A: Any, t: Any) -> Any:
    return _power(A, t.real)


def fractional_matrix_power(A: ArrayLike, t: ArrayLike) -> jax.Array:
    """`scipy.linalg.fractional_matrix_power`: the principal power, differentiable twice in the matrix and in t.

    Args:
        A: [..., n, n], without eigenvalues on the negative axis and 0, if t is not an integer of Python. Of a real
            matrix the power is real, or NaN: give a complex one, if it may have none.
        t: a real number or an array of some; an integer of Python stands for products, and is held.

    >>> import jax, numpy as np
    >>> power = lambda t: fractional_matrix_power(np.diag([1.0, 4.0]), t)
    >>> print(jax.jacfwd(power)(0.5).round(6) + 0)
    [[0.       0.      ]
     [0.       2.772589]]
    """
    if isinstance(t, int):
        return jnp.linalg.matrix_power(jnp.asarray(A), t)
    return _fractional(A, t)


# ---- any function


@as_scipys("scipy.linalg")
def funm(A: ArrayLike, func: Callable) -> jax.Array:
    """`scipy.linalg.funm`: a function of a complex number, of a matrix.

    Its derivative is by Daleckii and Krein: divided differences of func in the eigenvalues, which may be equal in a
    matrix that has all eigenvectors. Second derivatives need eigenvalues that differ. A defective matrix has infinite
    derivatives, or NaN.

    Args:
        A: [..., n, n]. Of a real matrix the function is real, or NaN: give a complex one, if it may not be.
        func: a NumPy function of an array, element by element, as for SciPy. Its own derivative is found by `hw.wrap`;
            one that you have wrapped yourself brings its rule.

    Raises:
        MissingDerivative: func has no derivative.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda a: funm(a, np.exp)[0, 0])(np.diag([1.0, 1.0])).round(6))
    [[2.718282 0.      ]
     [0.       0.      ]]
    """
    if not callable(func):
        raise SignatureError(f"funm: `func` must be a function, got {type(func).__name__}: {func!r:.80}.")
    return _of_function(func)(A)


@functools.lru_cache(maxsize=64)
def _of_function(func: Callable) -> Callable:
    wrapped = func if isinstance(func, Wrapped) else wrap(func, dtype=complex)
    plain = getattr(func, "__wrapped__", func)

    def on_host(a: np.ndarray) -> np.ndarray:
        result = scipy.linalg.funm(a, plain)
        return _as_given(result, a)

    on_host.__name__ = "funm"
    core = wrap("(n,n)->(n,n)")(on_host)

    @core.defjvp
    def rule(primals: Any, tangents: Any) -> tuple:
        (a,), (da,) = primals, tangents
        w, v = eig(a)
        f = lambda z: wrapped(z).astype(w.dtype)
        inner = jnp.linalg.solve(v, da.astype(v.dtype) @ v)
        moved = jnp.linalg.solve(v.T, (v @ (_divided(f, w) * inner)).T).T
        return core(a), moved if jnp.iscomplexobj(a) else moved.real

    def funm(A: Any) -> Any:
        return core(A)

    return batched("(n,n)->(n,n)")(funm)


def _divided(f: Callable, w: Any) -> Any:
    """(f(w_i) - f(w_j)) / (w_i - w_j); for close ones f'(m) + (w_i - w_j)^2 f'''(m) / 24, with their mean m."""
    slope = _derivative(f)
    gap, middle = w[:, None] - w, (w[:, None] + w) / 2
    close = jnp.abs(gap) < 1e-3 * (1 + jnp.abs(middle))
    near = slope(middle) + gap**2 / 24 * _derivative(_derivative(slope))(middle)
    return jnp.where(close, near, (f(w)[:, None] - f(w)) / jnp.where(close, 1.0, gap))


def _derivative(f: Callable) -> Callable:
    return lambda z: jax.jvp(f, (z,), (jnp.ones_like(z),))[1]

"""The fast Hankel transform: a product in the spectrum of a logarithmic grid."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.fft

from hostwrap._recipes.hosted import hosted, shaped
from hostwrap._types import ArrayLike
from hostwrap.special import loggamma


def _kernel(n: int, dln: Any, mu: Any, offset: Any, bias: Any) -> Any:
    """The coefficients u[m] of Hamilton (2000), MNRAS 312, 257, equation 175."""
    y = np.arange(n // 2 + 1) * np.pi / (n * dln)
    above, below = (loggamma((mu + 1 + s * bias) / 2 + 1j * y) for s in (1, -1))
    size = above.real - below.real + np.log(2) * bias
    angle = above.imag + below.imag + 2 * y * (np.log(2) - offset)
    u = jnp.exp(size + 1j * angle)
    return u if n % 2 else u.at[-1].set(u[-1].real)


def _transform(back: bool) -> Any:
    def twin(a: Any, dln: Any, mu: Any, offset: Any, bias: Any) -> Any:
        n = a.shape[-1]
        j = (np.arange(n) - (n - 1) / 2) * dln
        tilt = jnp.exp(-bias * j)
        shifted = jnp.exp(-bias * (j + offset))
        u = _kernel(n, dln, mu, offset, bias)
        spectrum = jnp.fft.rfft(a / shifted if back else a * tilt)
        moved = jnp.fft.irfft(spectrum / u.conj() if back else spectrum * u, n)[..., ::-1]
        return moved / tilt if back else moved * shifted

    return twin


def _as_first(a: Any, *others: Any) -> Any:
    return shaped(a, None, *others)


@hosted("a dln mu offset bias", _as_first, _transform(False))
def fht(
    a: ArrayLike, dln: ArrayLike, mu: ArrayLike, offset: ArrayLike = 0.0, bias: ArrayLike = 0.0
) -> jax.Array:
    """`scipy.fft.fht`: the Hankel transform on a logarithmic grid, differentiable in all arguments, to any order.

    Args:
        a: [..., n], real.
        dln, mu, offset, bias: numbers, as in SciPy.

    >>> import jax, numpy as np
    >>> f = lambda mu: fht(np.exp(-np.linspace(-2, 2, 8) ** 2), 0.5, mu)[3]
    >>> print(f"{jax.grad(f)(0.5):.6f}")
    -0.324028
    """
    return scipy.fft.fht(a, dln.item(), mu.item(), offset.item(), bias.item())


@hosted("A dln mu offset bias", _as_first, _transform(True))
def ifht(
    A: ArrayLike, dln: ArrayLike, mu: ArrayLike, offset: ArrayLike = 0.0, bias: ArrayLike = 0.0
) -> jax.Array:
    """`scipy.fft.ifht`, the inverse of `fht`.

    >>> import jax, numpy as np
    >>> both = lambda x: ifht(fht(x, 0.5, 0.5), 0.5, 0.5)[1]
    >>> print(jax.grad(both)(np.zeros(5)).round(6) + 0)
    [0. 1. 0. 0. 0.]
    """
    return scipy.fft.ifht(A, dln.item(), mu.item(), offset.item(), bias.item())

"""`scipy.signal.windows`: those that are not made of elementary functions."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.signal

from hostwrap._errors import SignatureError
from hostwrap._recipes.hosted import hosted
from hostwrap.linalg._eigh import eigh_tridiagonal


def _shapes(NW: Any, M: int, Kmax: int | None, return_ratios: bool, **_: Any) -> Any:
    windows = jax.ShapeDtypeStruct((M,) if Kmax is None else (Kmax, M), NW.dtype)
    ratios = jax.ShapeDtypeStruct(() if Kmax is None else (Kmax,), NW.dtype)
    return (windows, ratios) if return_ratios else windows


def _slepian(NW: Any, M: int, Kmax: int | None, sym: bool, norm: Any, return_ratios: bool) -> Any:
    """Eigenvectors of a tridiagonal matrix whose diagonal depends on NW (Percival and Walden 1993, section 8.4)."""
    n, count = M if sym else M + 1, Kmax or 1
    at = np.arange(n)
    width = NW / n
    diagonal = ((n - 1 - 2 * at) / 2.0) ** 2 * jnp.cos(2 * jnp.pi * width)
    beside = jnp.asarray(at[1:] * (n - at[1:]) / 2.0, diagonal.dtype)
    found = eigh_tridiagonal(diagonal, beside)[1].T[::-1][:count]
    held = jax.lax.stop_gradient(found)
    # antisymmetric ones begin with a positive number
    first = jnp.argmax(held**2 > max(1e-7, 1.0 / n), axis=1)
    sign = jnp.where(at[:count] % 2 == 0, held.sum(1), held[at[:count], first])
    found = found * jnp.where(sign < 0, -1.0, 1.0)[:, None]
    ratios = _concentration(found, width, n)
    norm = norm or ("approximate" if Kmax is None else 2)
    if norm == "approximate":
        found = found / jnp.max(found)
        if n % 2 == 0:
            found = found * (n**2 / (n**2 + NW))
    found = found if sym else found[:, :-1]
    found, ratios = (found[0], ratios[0]) if Kmax is None else (found, ratios)
    return (found, ratios) if return_ratios else found


def _concentration(windows: Any, width: Any, n: int) -> Any:
    """The share of the energy in the band, by the autocorrelation and the response of the band's ideal filter."""
    spectra = jnp.fft.rfft(windows, 2 * n - 1)
    lags = jnp.fft.irfft(jnp.abs(spectra) ** 2, 2 * n - 1)[:, :n]
    at = np.arange(n)
    ideal = 4 * width * jnp.sinc(2 * width * at)
    return lags @ ideal.at[0].set(2 * width)


@hosted("NW", _shapes, _slepian)
def dpss(
    M: int, NW: Any, Kmax: int | None = None, sym: bool = True, norm: Any = None, return_ratios: bool = False
) -> Any:
    """`scipy.signal.windows.dpss`, differentiable in NW, to any order.

    With norm="subsample" it has no derivative.

    >>> print(jax.grad(lambda w: dpss(5, w)[0])(1.5).round(6))
    -0.230687
    """
    if norm == "subsample":
        raise SignatureError("dpss: norm='subsample' is not there; 'approximate' and 2 are.")
    return scipy.signal.windows.dpss(M, NW, Kmax, sym, norm, return_ratios)

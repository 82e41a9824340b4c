"""The frequency response of a filter, and the spectrum of a signal along a spiral."""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.fft
import scipy.signal

from hostwrap._recipes.hosted import hosted, resized
from hostwrap._recipes.scipys import as_scipys
from hostwrap._types import ArrayLike

WHOLE = 2 * math.pi


def _horner(coefficients: Any, z: Any) -> Any:
    """The polynomial with these coefficients, lowest power first."""
    total = jnp.zeros_like(z)
    for c in coefficients[::-1]:
        total = total * z + c
    return total


def _response(b: Any, a: Any, w: Any) -> Any:
    z = jnp.exp(-1j * w)
    return _horner(jnp.atleast_1d(b), z) / _horner(jnp.atleast_1d(a), z)


def _complex(x: Any, shape: tuple, *others: Any) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, jnp.result_type(x, *others, jnp.complex64))


@hosted("b a w", lambda b, a, w: _complex(w, w.shape, b, a), _response)
def _freqz(b: Any, a: Any, w: Any) -> Any:
    return scipy.signal.freqz(b, a, worN=w)[1]


def _places(worN: Any, whole: bool, fs: Any, include_nyquist: bool) -> tuple[Any, Any]:
    """The given frequencies, and the same in radians for each sample."""
    if worN is None or isinstance(worN, int | np.integer):
        n = 512 if worN is None else int(worN)
        last = WHOLE if whole else math.pi
        w = np.linspace(0, last, n, endpoint=bool(include_nyquist and not whole))
        return w * (fs / WHOLE), w
    return worN, WHOLE * jnp.asarray(worN) / fs


@as_scipys("scipy.signal")
def freqz(
    b: ArrayLike,
    a: ArrayLike = 1.0,
    worN: int | ArrayLike | None = 512,
    whole: bool = False,
    *,
    fs: ArrayLike = WHOLE,
    include_nyquist: bool = False,
) -> tuple[jax.Array, jax.Array]:
    """`scipy.signal.freqz`: (w, h), the response of a filter, differentiable in b, a and the frequencies, to any order.

    Args:
        b, a: [m], [n], real or complex.
        worN: how many frequencies, an integer of Python, or frequencies.
        whole, fs, include_nyquist: as in SciPy.

    >>> import jax, numpy as np
    >>> gain = lambda b: jax.numpy.abs(freqz(b, worN=np.array([0.0, np.pi]))[1])
    >>> print(jax.jacfwd(gain)(np.array([1.0, 0.5])).round(6))
    [[ 1.  1.]
     [ 1. -1.]]
    """
    shown, w = _places(worN, whole, fs, include_nyquist)
    return shown, _freqz(b, a, w)


def _sections(sos: Any, w: Any) -> Any:
    z = jnp.exp(-1j * w)
    h = jnp.ones_like(z)
    for row in sos:  # SciPy wants a[0] = 1, which is held
        a = jnp.concatenate([jax.lax.stop_gradient(row[3:4]), row[4:]])
        h = h * _horner(row[:3], z) / _horner(a, z)
    return h


@hosted("sos w", lambda sos, w: _complex(w, w.shape, sos), _sections)
def _sosfreqz(sos: Any, w: Any) -> Any:
    h = np.ones(w.shape, complex)
    for row in sos:
        h = h * scipy.signal.freqz(row[:3], row[3:], worN=w)[1]
    return h


def sosfreqz(
    sos: ArrayLike, worN: int | ArrayLike | None = 512, whole: bool = False, fs: ArrayLike = WHOLE
) -> tuple[jax.Array, jax.Array]:
    """`scipy.signal.sosfreqz` (`freqz_sos`), differentiable in sections sos [k, 6] and frequencies; see `freqz`.

    SciPy wants `sos[:, 3]` to be 1; the derivative in it is 0.

    >>> import jax, numpy as np
    >>> section = np.array([[1.0, 0.0, 0.0, 1.0, -0.5, 0.0]])
    >>> print(jax.grad(lambda s: abs(sosfreqz(s, np.zeros(1))[1][0]))(section))
    [[ 2.  2.  2.  0. -4. -4.]]
    """
    shown, w = _places(worN, whole, fs, False)
    return shown, _sosfreqz(sos, w)


freqz_sos = sosfreqz


# ---- the chirp z-transform, by a convolution (Bluestein)


def _czt(x: Any, w: Any, a: Any, m: int, axis: int) -> Any:
    """X[k] = sum of x[j] a^-j w^(jk), and jk = (j^2 + k^2 - (k - j)^2) / 2."""
    x = jnp.moveaxis(x, axis, -1)
    n = x.shape[-1]
    k = np.arange(max(m, n))
    # each power by one logarithm; full turns of w k^2 are left out, because they do not change the exponential
    chirp = jnp.exp(jnp.log(w) * (k**2 / 2))
    size = scipy.fft.next_fast_len(n + m - 1)
    back = jnp.fft.fft(1 / jnp.concatenate([chirp[n - 1 : 0 : -1], chirp[:m]]), size)
    spectrum = jnp.fft.fft(x * jnp.exp(-jnp.log(a) * k[:n]) * chirp[:n], size)
    y = jnp.fft.ifft(spectrum * back)[..., n - 1 : n + m - 1] * chirp[:m]
    return jnp.moveaxis(y, -1, axis)


def _of_length(x: Any, w: Any, a: Any, m: int, axis: int) -> Any:
    return resized(x, axis, m, w, a, jnp.complex64)


@hosted("x w a", _of_length, _czt)
def _czt_on_host(x: Any, w: Any, a: Any, m: int, axis: int) -> Any:
    return scipy.signal.czt(x, m, w.item(), a.item(), axis=axis)


def czt(
    x: ArrayLike, m: int | None = None, w: ArrayLike | None = None, a: ArrayLike = 1 + 0j, *, axis: int = -1
) -> jax.Array:
    """`scipy.signal.czt`: the z-transform of x at a / w^k, k < m; linear in x, differentiable in w and a too.

    Args:
        x: real or complex; more signals along other axes.
        m: how many places, by default as many as values.
        w, a: complex numbers, w by default exp(-2j pi / m).

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda x: czt(x)[2].real)(np.zeros(4)).round(6))
    [ 1. -1.  1. -1.]
    """
    m = np.shape(x)[axis] if m is None else m  # type: ignore[arg-type]
    return _czt_on_host(x, np.exp(-2j * np.pi / m) if w is None else w, a, m, axis)


def zoom_fft(
    x: ArrayLike,
    fn: ArrayLike,
    m: int | None = None,
    *,
    fs: float = 2.0,
    endpoint: bool = False,
    axis: int = -1,
) -> jax.Array:
    """`scipy.signal.zoom_fft`: the spectrum of x at m frequencies from fn[0] (by default 0) to fn[1]; linear in x.

    It is differentiable in the frequencies too; see `czt`.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda x: abs(zoom_fft(x, [0.0, 0.5], 2)[0]))(np.ones(3)).round(6))
    [1. 1. 1.]
    """
    m = np.shape(x)[axis] if m is None else m  # type: ignore[arg-type]
    first, last = (0.0, fn) if np.ndim(fn) == 0 else fn  # type: ignore[arg-type, misc]
    steps = m - 1 if endpoint else m
    turn = lambda f: jnp.exp(2j * jnp.pi * f / fs)
    return czt(x, m, turn(-(jnp.asarray(last) - first) / steps), turn(jnp.asarray(first)), axis=axis)

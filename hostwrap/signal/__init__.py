"""`scipy.signal`, differentiable: filters, in the signal and in their coefficients; convolutions; resampling.

Values are SciPy's. All are linear in the signal, so derivatives in it are of any order; those in coefficients too.

Single precision stays single (it is computed in double), integers count as floating-point numbers, and complex ones
work where SciPy takes them. Shapes that do not fit raise `SignatureError`. What SciPy refuses raises SciPy's own error;
inside a compiled program that is `HostCallError`, which `hostwrap.last_error()` returns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.fft
import scipy.signal

from hostwrap._errors import SignatureError
from hostwrap._recipes.elsewhere import elsewhere
from hostwrap._recipes.hosted import hosted, resized, shaped
from hostwrap._recipes.stencils import EDGES, along, correlated, flipped
from hostwrap._types import ArrayLike
from hostwrap.ndimage import median_filter
from hostwrap.signal import windows as windows
from hostwrap.signal._convolutions import convolve, correlate, fftconvolve, oaconvolve
from hostwrap.signal._designs import bessel, butter, cheby1, cheby2, ellip, firwin
from hostwrap.signal._equiripple import remez
from hostwrap.signal._filters import filtfilt, lfilter, lfilter_zi, sosfilt, sosfilt_zi, sosfiltfilt
from hostwrap.signal._mirrored import (
    cspline2d,
    qspline2d,
    sepfir2d,
    spline_filter,
    symiirorder1,
    symiirorder2,
)
from hostwrap.signal._peaks import peak_prominences, peak_widths
from hostwrap.signal._rates import resample, resample_poly, upfirdn
from hostwrap.signal._responses import czt, freqz, freqz_sos, sosfreqz, zoom_fft

__all__ = [
    "bessel",
    "butter",
    "cheby1",
    "cheby2",
    "convolve",
    "correlate",
    "cspline2d",
    "czt",
    "ellip",
    "fftconvolve",
    "filtfilt",
    "firwin",
    "freqz",
    "freqz_sos",
    "hilbert",
    "lfilter",
    "lfilter_zi",
    "medfilt2d",
    "oaconvolve",
    "peak_prominences",
    "peak_widths",
    "qspline2d",
    "remez",
    "resample",
    "resample_poly",
    "savgol_filter",
    "sepfir2d",
    "sosfilt",
    "sosfilt_zi",
    "sosfiltfilt",
    "sosfreqz",
    "spline_filter",
    "symiirorder1",
    "symiirorder2",
    "upfirdn",
    "zoom_fft",
]


def __dir__() -> list[str]:
    """What completion shows."""
    return sorted(__all__)


if not TYPE_CHECKING:  # to checkers such a name is an error
    __getattr__ = elsewhere(__name__, __all__)


def _hilbert(c: np.ndarray, x: np.ndarray, N: int | None, axis: int) -> np.ndarray:
    """y = F^-1 h F x, and F is symmetric: so x gets F h F^-1 c, cut or with zeros, as x was for F."""
    size = c.shape[axis]
    h = np.zeros(size)
    h[: (size + 1) // 2] = 2
    h[0] = 1
    if size % 2 == 0:
        h[size // 2] = 1
    wide = scipy.fft.fft(along(h, axis, c.ndim) * scipy.fft.ifft(c, axis=axis), axis=axis)
    return _fitted(wide, x.shape[axis], axis)


def _fitted(x: np.ndarray, n: int, axis: int) -> np.ndarray:
    """Cut to this length, or with zeros behind."""
    moved = np.moveaxis(x, axis, -1)[..., :n]
    widths = [(0, 0)] * (x.ndim - 1) + [(0, n - moved.shape[-1])]
    return np.moveaxis(np.pad(moved, widths), -1, axis)


@hosted(
    "x",
    lambda x, N, axis: resized(x, axis, x.shape[axis] if N is None else N, jnp.complex64),
    transpose={"x": _hilbert},
)
def hilbert(x: ArrayLike, N: int | None = None, axis: int = -1) -> jax.Array:
    """`scipy.signal.hilbert`: the analytic signal, linear in the real signal x.

    >>> import jax, numpy as np
    >>> envelope = lambda x: jax.numpy.abs(hilbert(x))
    >>> print(jax.grad(lambda x: envelope(x)[1])(np.array([1.0, 0.0, -1.0, 0.0])))
    [ 0.5  0.  -0.5  0. ]
    """
    return scipy.signal.hilbert(x, N, axis)


def _medians(x: Any, kernel_size: Any) -> Any:
    return median_filter(x, kernel_size, mode="constant")


@hosted("x", lambda x, **_: shaped(x), _medians)
def _medfilt2d(x: Any, kernel_size: Any) -> Any:
    return scipy.signal.medfilt2d(x, kernel_size)


def medfilt2d(input: ArrayLike, kernel_size: int | tuple[int, int] = 3) -> jax.Array:
    """`scipy.signal.medfilt2d`: the median of the neighbours of each pixel, with zeros outside of the image.

    Each result has the derivative of the pixel that it is; which one that is, is held.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda x: medfilt2d(x)[1, 1])(np.arange(9.0).reshape(3, 3)))
    [[0. 0. 0.]
     [0. 1. 0.]
     [0. 0. 0.]]
    """
    return _medfilt2d(input, kernel_size)


def _savgol(
    x: Any, window_length: int, polyorder: int, deriv: int, delta: float, axis: int, mode: str, cval: float
) -> Any:
    """A convolution; with mode="interp" the ends are those of the polynomials through the first and the last window."""
    weights = scipy.signal.savgol_coeffs(window_length, polyorder, deriv, delta)
    edge = "constant" if mode == "interp" else mode
    if edge not in EDGES:
        raise SignatureError(f"savgol_filter: mode={mode!r} must be interp or one of {', '.join(EDGES)}.")
    x = jnp.moveaxis(x, axis, 0)
    wide = jnp.asarray(weights, jnp.finfo(x.dtype).dtype).reshape(-1, *[1] * (x.ndim - 1))
    wide, origins = flipped(wide, [0] * x.ndim)
    y = correlated(x, wide, [edge] + ["constant"] * (x.ndim - 1), cval, origins)
    if mode == "interp":
        half = window_length // 2
        units = np.eye(window_length)
        ends = scipy.signal.savgol_filter(
            units, window_length, polyorder, deriv, delta, axis=0, mode="interp"
        )
        ends = jnp.asarray(ends, x.dtype)
        first = jnp.tensordot(ends[:half], x[:window_length], 1)
        last = jnp.tensordot(ends[window_length - half :], x[-window_length:], 1)
        y = jnp.concatenate([first, y[half : y.shape[0] - half], last])
    return jnp.moveaxis(y, 0, axis)


@hosted("x", lambda x, **_: shaped(x), _savgol)
def savgol_filter(
    x: ArrayLike, window_length: int, polyorder: int, deriv: int = 0, delta: float = 1.0, axis: int = -1,
    mode: str = "interp", cval: float = 0.0,
) -> jax.Array:  # fmt: skip
    """`scipy.signal.savgol_filter`: polynomials through neighbours, linear in the signal.

    >>> import jax, numpy as np
    >>> print((35 * jax.grad(lambda x: savgol_filter(x, 5, 2)[3])(np.zeros(7))).round(6))
    [ 0. -3. 12. 17. 12. -3.  0.]
    """
    return scipy.signal.savgol_filter(x, window_length, polyorder, deriv, delta, axis, mode, cval)

"""`scipy.signal`, differentiable: filters, in the signal and in their coefficients; convolutions; resampling.

Values are SciPy's. All are linear in the signal, so derivatives in it are of any order; those in coefficients too.

Single precision stays single (it is computed in double), integers count as floating-point numbers, and complex ones
work where SciPy takes them. Shapes that do not fit raise `SignatureError`. What SciPy refuses raises SciPy's own error;
inside a compiled program that is `HostCallError`, which `hostwrap.last_error()` returns.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.fft
import scipy.signal

from hostwrap._errors import SignatureError, missing_derivative
from hostwrap._recipes import recursions
from hostwrap._recipes.convolutions import convolve, correlate, fftconvolve, oaconvolve
from hostwrap._recipes.designs import butter, cheby1, cheby2, ellip, firwin
from hostwrap._recipes.hosted import by_equation, hosted, resized, shaped
from hostwrap._recipes.mirrored import (
    cspline2d,
    qspline2d,
    sepfir2d,
    spline_filter,
    symiirorder1,
    symiirorder2,
)
from hostwrap._recipes.peaks import peak_prominences, peak_widths
from hostwrap._recipes.rates import resample, resample_poly, upfirdn
from hostwrap._recipes.responses import czt, freqz, freqz_sos, sosfreqz, zoom_fft
from hostwrap._recipes.stencils import EDGES, along, correlated, flipped
from hostwrap.ndimage import median_filter

__all__ = [
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


# ---- recursive filters


def _moved(axis: int, *given: Any) -> list:
    return [x if x is None else jnp.moveaxis(x, axis, -1) for x in given]


def _back(axis: int, y: Any, state: Any) -> Any:
    y = jnp.moveaxis(y, -1, axis)
    return y if state is None else (y, jnp.moveaxis(state, -1, axis))


@hosted("b a x", lambda b, a, x, axis: shaped(x, None, a, b))
def _lfilter(b: Any, a: Any, x: Any, axis: int) -> Any:
    return scipy.signal.lfilter(b, a, x, axis)


def _residual(y: Any, b: Any, a: Any, x: Any, axis: int) -> Any:
    x, y = _moved(axis, x, y)
    b, a = jnp.atleast_1d(b), jnp.atleast_1d(a)
    return jnp.moveaxis(recursions.moving(a, y) - recursions.moving(b, x), -1, axis)


def _solved(args: tuple, right: Any, axis: int) -> Any:
    y = recursions.recursion(jnp.atleast_1d(args[1]), jnp.moveaxis(right, axis, -1))
    return jnp.moveaxis(y, -1, axis)


by_equation(_lfilter.hosted, _residual, _solved)  # type: ignore[attr-defined]


def _with_state(b: Any, a: Any, x: Any, zi: Any, axis: int) -> Any:
    return _back(axis, *recursions.filtered(jnp.atleast_1d(b), jnp.atleast_1d(a), *_moved(axis, x, zi)))


def _filtered(b: Any, a: Any, x: Any, zi: Any, axis: int) -> Any:
    taps = max(b.size, a.size) - 1
    return shaped(x, None, a, b, zi), resized(x, axis, taps, a, b, zi)


@hosted("b a x zi", _filtered, _with_state)
def __lfilter(b: Any, a: Any, x: Any, zi: Any, axis: int) -> Any:
    return scipy.signal.lfilter(b, a, x, axis, zi)


def lfilter(b: Any, a: Any, x: Any, axis: int = -1, zi: Any = None) -> Any:
    """`scipy.signal.lfilter`, differentiable in the coefficients b and a, the signal x and the state zi, to any order.

    Args:
        b, a: [m], [n], real or complex.
        x: any shape; more signals by vmap.
        axis, zi: as in SciPy.

    Returns:
        y, shaped as x; with zi `(y, zf)`.

    >>> import jax, numpy as np
    >>> decay = lambda a: lfilter(np.ones(1), jax.numpy.stack([1.0, -a]), np.eye(4)[0])
    >>> print(jax.jacfwd(decay)(0.5))
    [0.   1.   1.   0.75]
    """
    return _lfilter(b, a, x, axis) if zi is None else __lfilter(b, a, x, zi, axis)


def _sosfilt(sos: Any, x: Any, zi: Any, axis: int) -> Any:
    y, state = recursions.sections(sos, jnp.moveaxis(x, axis, -1), *_moved_states(axis, x, zi))
    return jnp.moveaxis(y, -1, axis) if zi is None else (jnp.moveaxis(y, -1, axis), _states(axis, x, state))


def _moved_states(axis: int, x: Any, zi: Any) -> list:
    return [] if zi is None else [jnp.moveaxis(zi, axis % x.ndim + 1, -1)]


def _states(axis: int, x: Any, state: Any) -> Any:
    return jnp.moveaxis(state, -1, axis % x.ndim + 1)


def _in_sections(sos: Any, x: Any, zi: Any, axis: int) -> Any:
    y = shaped(x, None, sos, *([] if zi is None else [zi]))
    return y if zi is None else (y, shaped(zi, None, y))


@hosted("sos x zi", _in_sections, _sosfilt)
def sosfilt(sos: Any, x: Any, axis: int = -1, zi: Any = None) -> Any:
    """`scipy.signal.sosfilt`, differentiable in the sections sos [k, 6], the signal x and the state zi, to any order.

    SciPy wants `sos[:, 3]` to be 1; the derivative in it is 0.

    >>> import jax, numpy as np
    >>> section = np.array([[1.0, 0.0, 0.0, 1.0, -0.5, 0.0]])
    >>> print(jax.grad(lambda s: sosfilt(s, np.ones(3))[-1])(section))
    [[ 1.75  1.5   1.    0.   -2.   -1.  ]]
    """
    return scipy.signal.sosfilt(sos, x, axis, zi)


@hosted("b a", lambda b, a: shaped(b, (max(b.size, a.size) - 1,), a), recursions.steady)
def lfilter_zi(b: Any, a: Any) -> Any:
    """`scipy.signal.lfilter_zi`, differentiable in b and a.

    >>> import jax, numpy as np
    >>> print(jax.jacfwd(lambda a: lfilter_zi(np.ones(2), a), 0)(np.array([1.0, -0.5])).round(6))
    [[-7. -8.]]
    """
    return scipy.signal.lfilter_zi(b, a)


@hosted("sos", lambda sos: shaped(sos, (sos.shape[0], 2)), recursions.steady_sections)
def sosfilt_zi(sos: Any) -> Any:
    """`scipy.signal.sosfilt_zi`, differentiable in the sections sos [k, 6]; see `sosfilt`.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda s: sosfilt_zi(s)[0, 0])(np.array([[1.0, 0.0, 0.0, 1.0, -0.5, 0.0]])))
    [[ 1.  2.  2.  0. -4. -4.]]
    """
    return scipy.signal.sosfilt_zi(sos)


def _filtfilt(
    b: Any, a: Any, x: Any, axis: int, padtype: str | None, padlen: int | None, method: str, irlen: int | None
) -> Any:
    if method != "pad":
        raise missing_derivative("filtfilt", "x", f"method={method!r} has none; method='pad' has")
    b, a = jnp.atleast_1d(b), jnp.atleast_1d(a)
    edge = 3 * max(b.shape[0], a.shape[0]) if padlen is None else padlen
    state = recursions.steady(b, a)
    y = recursions.both_ways(
        lambda x, first: recursions.filtered(b, a, x, state * first)[0],
        jnp.moveaxis(x, axis, -1),
        padtype,
        edge,
    )
    return jnp.moveaxis(y, -1, axis)


@hosted("b a x", lambda b, a, x, **_: shaped(x, None, a, b), _filtfilt)
def filtfilt(
    b: Any, a: Any, x: Any, axis: int = -1, padtype: str | None = "odd", padlen: int | None = None,
    method: str = "pad", irlen: int | None = None,
) -> Any:  # fmt: skip
    """`scipy.signal.filtfilt`: a filter forwards and backwards, differentiable in b, a and x, to any order.

    With method="gust" there is no derivative.

    >>> import jax, numpy as np
    >>> b, a = np.array([0.5, 0.5]), np.ones(1)
    >>> print(jax.grad(lambda x: filtfilt(b, a, x)[4])(np.zeros(9)))
    [0.   0.   0.   0.25 0.5  0.25 0.   0.   0.  ]
    """
    return scipy.signal.filtfilt(b, a, x, axis, padtype, padlen, method, irlen)


def _sosfiltfilt(sos: Any, x: Any, axis: int, padtype: str | None, padlen: int) -> Any:
    state = recursions.steady_sections(sos)

    def one_way(x: Any, first: Any) -> Any:
        starts = state.reshape(len(sos), *[1] * (x.ndim - 1), 2) * first
        return recursions.sections(sos, x, starts)[0]

    return jnp.moveaxis(recursions.both_ways(one_way, jnp.moveaxis(x, axis, -1), padtype, padlen), -1, axis)


@hosted("sos x", lambda sos, x, **_: shaped(x, None, sos), _sosfiltfilt)
def _sosfiltfilt_on_host(sos: Any, x: Any, axis: int, padtype: str | None, padlen: int) -> Any:
    return scipy.signal.sosfiltfilt(sos, x, axis, padtype, padlen)


def sosfiltfilt(
    sos: Any, x: Any, axis: int = -1, padtype: str | None = "odd", padlen: int | None = None
) -> jax.Array:
    """`scipy.signal.sosfiltfilt`, differentiable in the sections sos [k, 6] and the signal, to any order.

    Where sos is traced, `padlen` must be given: how long SciPy makes it depends on which coefficients are 0.

    >>> import jax, numpy as np
    >>> section = np.array([[0.5, 0.5, 0.0, 1.0, 0.0, 0.0]])
    >>> print(jax.grad(lambda x: sosfiltfilt(section, x)[4])(np.zeros(9)))
    [0.   0.   0.   0.25 0.5  0.25 0.   0.   0.  ]
    """
    if padlen is None:
        if isinstance(sos, jax.core.Tracer):
            taps = 3 * (2 * len(sos) + 1)
            raise SignatureError(
                f"sosfiltfilt: `sos` is traced; give padlen=, as {taps} without zeros in it."
            )
        given = np.asarray(sos)
        zeros = min((given[:, 2] == 0).sum(), (given[:, 5] == 0).sum())
        padlen = int(3 * (2 * len(given) + 1 - zeros))
    return _sosfiltfilt_on_host(sos, x, axis, padtype, padlen)


# ---- other maps of a signal


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
def hilbert(x: Any, N: int | None = None, axis: int = -1) -> Any:
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


def medfilt2d(input: Any, kernel_size: int | tuple[int, int] = 3) -> jax.Array:
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
    x: Any, window_length: int, polyorder: int, deriv: int = 0, delta: float = 1.0, axis: int = -1,
    mode: str = "interp", cval: float = 0.0,
) -> Any:  # fmt: skip
    """`scipy.signal.savgol_filter`: polynomials through neighbours, linear in the signal.

    >>> import jax, numpy as np
    >>> print((35 * jax.grad(lambda x: savgol_filter(x, 5, 2)[3])(np.zeros(7))).round(6))
    [ 0. -3. 12. 17. 12. -3.  0.]
    """
    return scipy.signal.savgol_filter(x, window_length, polyorder, deriv, delta, axis, mode, cval)

"""Signals at another rate: by zeros between the values, a filter, and every so many values of the result; by the
spectrum.

y[m] = sum over k of h[m down - k up] x[k]. Let g be h backwards, padded so that it ends at a multiple s up. Then the
transpose in x is of the same kind: x[k] gets value k + s of the filter g with up and down exchanged.
"""

from __future__ import annotations

import math
from typing import Any, overload

import jax
import jax.numpy as jnp
import numpy as np
import scipy.signal

from hostwrap._recipes.continued import continued
from hostwrap._recipes.hosted import hosted, resized, shaped
from hostwrap._recipes.scipys import as_scipys
from hostwrap._types import ArrayLike
from hostwrap._wrap import linear


def _length(taps: int, n: int, up: int, down: int) -> int:
    return ((n - 1) * up + taps - 1) // down + 1


def _to_signal(c: np.ndarray, h: np.ndarray, x: np.ndarray, *, up: int, down: int) -> np.ndarray:
    whole = np.pad(h, (0, -(len(h) - 1) % up))
    first, n = (len(whole) - 1) // up, x.shape[-1]
    found = scipy.signal.upfirdn(whole[::-1], c, down, up)[..., first : first + n]
    return np.pad(found, [(0, 0)] * (x.ndim - 1) + [(0, n - found.shape[-1])])


def _to_filter(c: np.ndarray, h: np.ndarray, x: np.ndarray, *, up: int, down: int) -> np.ndarray:
    """h[j] gets the sum over m of c[m] x'[m down - j], where x' has the zeros between."""
    taps, count = len(h), c.shape[-1]
    wide = np.zeros(
        (*x.shape[:-1], taps - 1 + max((count - 1) * down + 1, (x.shape[-1] - 1) * up + 1)), x.dtype
    )
    wide[..., taps - 1 : taps + (x.shape[-1] - 1) * up : up] = x
    return np.array([np.sum(c * wide[..., taps - 1 - j :: down][..., :count]) for j in range(taps)])


@linear(
    out=lambda h, x, up, down: resized(x, -1, _length(h.size, x.shape[-1], up, down), h),
    static=("up", "down"),
    copy=False,
    transpose={"x": _to_signal, "h": _to_filter},
)
def _rated(h: np.ndarray, x: np.ndarray, *, up: int, down: int) -> np.ndarray:
    return scipy.signal.upfirdn(h, x, up, down)


def _upfirdn(h: Any, x: Any, up: int, down: int, axis: int, mode: str, cval: Any) -> Any:
    """Of a signal that goes on for `more` down values at both ends, so that the results lie on the same grid."""
    x = jnp.moveaxis(x, axis, -1)
    count, more = _length(h.size, x.shape[-1], up, down), 0
    if mode != "constant" or cval != 0:
        more = -(-h.size // (up * down))
        x = continued(jnp, x, more * down, mode, cval)
    y = _rated(h, x, up=up, down=down)[..., more * up : more * up + count]
    return jnp.moveaxis(y, -1, axis)


@as_scipys("scipy.signal")
@hosted(
    "h x",
    lambda h, x, up, down, axis, **_: resized(x, axis, _length(h.size, x.shape[axis], up, down), h),
    _upfirdn,
)
def upfirdn(
    h: ArrayLike,
    x: ArrayLike,
    up: int = 1,
    down: int = 1,
    axis: int = -1,
    mode: str = "constant",
    cval: float = 0,
) -> jax.Array:
    """`scipy.signal.upfirdn`, differentiable in the filter h and the signal x, to any order.

    Args:
        h: [k].
        x: real or complex, any shape.
        up, down, axis: as in SciPy.
        mode, cval: how x goes on beyond its ends, as in SciPy; zeros by default.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda h: upfirdn(h, np.array([1.0, 2.0]), 2)[2])(np.ones(3)))
    [2. 0. 1.]
    """
    return scipy.signal.upfirdn(h, x, up, down, axis, mode, cval)


BACKGROUND: dict[str, Any] = {"mean": jnp.mean, "median": jnp.median, "minimum": jnp.min, "maximum": jnp.max}


def _resample_poly(x: Any, up: int, down: int, axis: int, window: Any, padtype: str, cval: Any) -> Any:
    """SciPy's own filter and its position. Beyond the ends is a background, or x goes on."""
    up, down = (r // math.gcd(up, down) for r in (up, down))
    if up == down == 1:
        return x
    rate = max(up, down)
    half = 10 * rate
    h = up * scipy.signal.firwin(2 * half + 1, 1.0 / rate, window=window)
    before = down - half % down
    first, count = (half + before) // down, -(-x.shape[axis] * up // down)
    x = jnp.moveaxis(x, axis, -1)
    after = 0
    while _length(len(h) + before + after, x.shape[-1], up, down) < count + first:
        after += 1
    ground = BACKGROUND[padtype](x, -1, keepdims=True) if padtype in BACKGROUND else 0
    h = jnp.asarray(np.pad(h, (before, after)), jnp.finfo(x.dtype).dtype)
    mode = "constant" if padtype in BACKGROUND else padtype
    y = _upfirdn(h, x - ground, up, down, -1, mode, cval or 0)[..., first : first + count]
    return jnp.moveaxis(y + ground, -1, axis)


def _polyphase(x: Any, up: int, down: int, axis: int, **_: Any) -> Any:
    up, down = (r // math.gcd(up, down) for r in (up, down))
    return resized(x, axis, -(-x.shape[axis] * up // down)) if (up, down) != (1, 1) else shaped(x)


@hosted("x", _polyphase, _resample_poly)
def resample_poly(
    x: ArrayLike, up: int, down: int, axis: int = 0, window: Any = ("kaiser", 5.0), padtype: str = "constant",
    cval: float | None = None,
) -> jax.Array:  # fmt: skip
    """`scipy.signal.resample_poly`: up / down times as many values, linear in the signal.

    Args:
        x: real or complex.
        up, down, axis, padtype, cval: as in SciPy.
        window: what `scipy.signal.get_window` takes, or a filter of your own.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda x: resample_poly(x, 1, 2)[1])(np.zeros(4)).round(4))
    [0.     0.3167 0.5003 0.3167]
    """
    return scipy.signal.resample_poly(x, up, down, axis, window, padtype, cval)


# ---- by the spectrum


def _by_spectrum(x: Any, num: int, t: None, axis: int, window: Any, domain: str) -> Any:
    """The spectrum, truncated or padded with zeros; for an even number of bins the last one stands for two."""
    real = domain == "time" and not jnp.iscomplexobj(x)
    x = jnp.moveaxis(x, axis, -1)
    n = x.shape[-1]
    m = min(num, n)
    half, rest = m // 2 + 1, (m - 1) // 2
    spectrum = x if domain == "freq" else jnp.fft.fft(x)
    if window is not None:  # in the order of SciPy, which an impulse shows, whose spectrum is 1
        impulse = np.eye(n)[0] if domain == "time" else np.ones(n)
        shape = np.fft.fft(
            scipy.signal.resample(impulse + (0 if real else 0j), n, window=window, domain=domain)
        )
        spectrum = spectrum * jnp.asarray(shape, spectrum.dtype)
    zeros = jnp.zeros((*x.shape[:-1], num - half - rest), spectrum.dtype)
    found = jnp.concatenate([spectrum[..., :half], zeros, spectrum[..., n - rest :]], -1)
    if m % 2 == 0 and num < n:
        found = found.at[..., m // 2].add(spectrum[..., n - m // 2])
    elif m % 2 == 0 and num > n:
        found = found.at[..., m // 2].multiply(0.5)
        found = found.at[..., num - m // 2].set(found[..., m // 2])
    y = jnp.fft.ifft(found) * (num / n)
    return jnp.moveaxis(y.real if real else y, -1, axis)


@hosted(
    "x",
    lambda x, num, axis, domain, **_: resized(x, axis, num, *([jnp.complex64] if domain == "freq" else [])),
    _by_spectrum,
)
def _resample(x: Any, num: int, t: None, axis: int, window: Any, domain: str) -> Any:
    return scipy.signal.resample(x, num, t, axis, window, domain)


@overload
def resample(
    x: ArrayLike, num: int, t: None = None, axis: int = 0, window: Any = None, domain: str = "time"
) -> jax.Array: ...
@overload
def resample(
    x: ArrayLike, num: int, t: ArrayLike, axis: int = 0, window: Any = None, domain: str = "time"
) -> tuple[jax.Array, jax.Array]: ...
def resample(
    x: ArrayLike,
    num: int,
    t: ArrayLike | None = None,
    axis: int = 0,
    window: Any = None,
    domain: str = "time",
) -> Any:
    """`scipy.signal.resample`: num values of a periodic signal, linear in it.

    Args:
        x: real or complex, any shape.
        num, axis, domain: as in SciPy.
        window: what `scipy.signal.get_window` takes, or an array [n].
        t: the times of x, of which the first two say where the new ones are.

    Returns:
        y; with t `(y, times)`.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda x: resample(x, 6)[1])(np.zeros(3)).round(6))
    [ 0.666667  0.666667 -0.333333]
    """
    y = _resample(x, num, None, axis, window, domain)
    if t is None:
        return y
    t = jnp.asarray(t)
    return y, t[0] + (t[1] - t[0]) * (np.shape(x)[axis] / num) * jnp.arange(num)  # type: ignore[arg-type]

"""Heights and widths of the peaks of a signal: SciPy finds the samples that decide, and they are held.

A prominence is a difference of two samples. A width ends where the line between two samples has a given height. So both
have derivatives of any order, and jump where other samples decide.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.signal

from hostwrap._errors import SignatureError
from hostwrap._recipes.cores import arrays, inexact
from hostwrap._recipes.hosted import derived_from
from hostwrap._types import ArrayLike
from hostwrap._wrap import wrap


def _results(x: Any, peaks: Any, wlen: int | None) -> tuple:
    whole = jax.ShapeDtypeStruct(peaks.shape, jnp.result_type(int))
    return jax.ShapeDtypeStruct(peaks.shape, x.dtype), whole, whole


@wrap(out=_results, static="wlen")
def _prominences(x: np.ndarray, peaks: np.ndarray, *, wlen: int | None) -> tuple:
    return scipy.signal.peak_prominences(x, peaks, wlen)


@_prominences.defjvp
def _prominences_jvp(primals: tuple, tangents: tuple, **statics: Any) -> tuple:
    found = _prominences(*primals, **statics)
    (x, peaks), (_, left, right) = primals, found
    d = tangents[0]
    base = jnp.where(x[left] >= x[right], d[left], d[right])
    return found, (d[peaks] - base, None, None)


def _signal(name: str, x: Any, peaks: Any) -> tuple[Any, Any]:
    x, peaks = arrays(name, x=x, peaks=peaks)
    if x.ndim != 1 or peaks.ndim != 1 or (peaks.size and not jnp.issubdtype(peaks.dtype, jnp.integer)):
        raise SignatureError(
            f"{name}: wants a signal (n,) and integers (k,), got {x.dtype} {x.shape}, {peaks.dtype} {peaks.shape}."
        )
    return x.astype(inexact(x)), peaks.astype(int)


def peak_prominences(
    x: ArrayLike, peaks: ArrayLike, wlen: Any = None
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """`scipy.signal.peak_prominences`: how far each peak stands above the higher one of its two bases.

    Differentiable in the signal, where no two samples compete for a base: then one of them is taken.

    Args:
        x: [n], real. More signals by vmap.
        peaks: [k], integers, as `scipy.signal.find_peaks` has them.
        wlen: as in SciPy.

    Returns:
        prominences [k]; the left and the right bases [k], integers.

    Raises:
        SignatureError: shapes that do not fit. ValueError: a peak outside of the signal; HostCallError inside a
            compiled program.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda x: peak_prominences(x, np.array([1]))[0][0])(np.array([0.0, 3.0, 1.0, 4.0])))
    [ 0.  1. -1.  0.]
    """
    x, peaks = _signal("peak_prominences", x, peaks)
    return _prominences(x, peaks, wlen=None if wlen is None else int(np.ceil(wlen)))


@wrap(out=lambda x, peaks, share, above, left, right: (jax.ShapeDtypeStruct(peaks.shape, x.dtype),) * 4)
def _widths(
    x: np.ndarray,
    peaks: np.ndarray,
    share: np.ndarray,
    above: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
) -> tuple:
    return scipy.signal.peak_widths(x, peaks, share.item(), (above, left, right))


def _ends(x: Any, peaks: Any, share: Any, above: Any, left: Any, right: Any) -> tuple:
    """The pairs of samples between which a width ends, as constants. A width ends at a base above its height."""
    found = _widths(*jax.lax.stop_gradient((x, peaks, share, above)), left, right)
    height = x[peaks] - above * share

    def end(place: Any, inwards: int) -> Any:
        outer = (jnp.floor(place) if inwards > 0 else jnp.ceil(place)).astype(int)
        inner = jnp.clip(outer + inwards, 0, x.shape[0] - 1)
        low, step = x[outer], x[inner] - x[outer]
        met = (low <= height) & (step > 0)
        return outer + inwards * jnp.where(met, (height - low) / jnp.where(met, step, 1.0), 0.0)

    first, last = end(found[2], 1), end(found[3], -1)
    return last - first, height, first, last


derived_from(_widths, _ends)


def peak_widths(
    x: ArrayLike, peaks: ArrayLike, rel_height: Any = 0.5, prominence_data: Any = None, wlen: Any = None
) -> tuple[jax.Array, jax.Array, jax.Array, jax.Array]:
    """`scipy.signal.peak_widths`: how wide each peak is at a height below it that is a share of its prominence.

    Differentiable in the signal, in the share and in given prominences; see `peak_prominences`.

    Args:
        x, peaks, wlen: as of `peak_prominences`.
        rel_height: the share, a number >= 0.
        prominence_data: what `peak_prominences` returns; it is called by default.

    Returns:
        the widths, the heights at which they are taken, their left and their right ends, each [k].

    >>> import jax, numpy as np
    >>> x = np.array([0.0, 1.0, 4.0, 2.0, 0.0])
    >>> print(f"{jax.grad(lambda h: peak_widths(x, np.array([2]), h)[0][0])(0.25):.6f}")
    3.333333
    """
    x, peaks = _signal("peak_widths", x, peaks)
    above, left, right = peak_prominences(x, peaks, wlen) if prominence_data is None else prominence_data
    share, above = arrays("peak_widths", rel_height=rel_height, prominences=above)
    return _widths(x, peaks, share.astype(x.dtype), above.astype(x.dtype), left, right)  # type: ignore[misc]

"""Filters of least ripple, `remez`: their taps solve linear equations, one for each frequency with the greatest error.

By Chebyshev's theorem the weighted error E = W (D - H) of the best filter has its greatest size at one frequency more
than there are free taps, with signs that alternate. So the taps h and the ripple d solve H(f_i) + (-1)^i d / W(f_i) =
D(f_i). SciPy looks for these f_i on a grid that begins at the lower edge of each band and ends at the upper one: with
an edge those of its band move, and which points of the grid they are is held (McClellan, Parks and Rabiner, IEEE Trans.
Audio Electroacoust. 21, 1973).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.signal

from hostwrap._recipes.hosted import hosted, shaped
from hostwrap._types import ArrayLike
from hostwrap._wrap import wrap


def _odd(type: str) -> bool:
    """Whether the taps change their sign around the middle."""
    return type != "bandpass"


def _free(numtaps: int, odd: bool) -> int:
    return numtaps // 2 if odd else (numtaps + 1) // 2


def _waves(xp: Any, f: Any, numtaps: int, odd: bool) -> Any:
    """What each free tap adds to the amplitude at f: [..., free]. The middle one stands alone, others are two."""
    away = (numtaps - 1) / 2 - np.arange(_free(numtaps, odd))
    turns = 2 * np.pi * f[..., None] * away
    return 2 * xp.sin(turns) if odd else np.where(away == 0, 1, 2) * xp.cos(turns)


def _wanted(xp: Any, f: Any, desired: Any, weight: Any, type: str) -> tuple[Any, Any]:
    """D and W at f, of the desired numbers and the weights there: a slope has relative errors."""
    if type != "differentiator":
        return desired, weight
    there = (desired >= 1e-4) & (f > 0)
    return desired * f, xp.where(there, weight / xp.where(there, f, 1.0), weight)


def _grid(bands: np.ndarray, step: float, odd: bool, even_count: bool) -> tuple[np.ndarray, ...]:
    """SciPy's grid: its points, their bands, and the edges that they move with (-1 is none)."""
    points, of_band, with_edge = [], [], []
    for band, (low, high) in enumerate(bands.reshape(-1, 2)):
        held = odd and band == 0 and low < step
        start = step if held else low
        steps = np.full(int(max(high - start, 0) / step) + 3, step)
        found = np.add.accumulate(np.concatenate([[start], steps]))
        found = found[: 1 + np.argmin(found[1:] <= high)]
        found[-1] = high
        points.append(found)
        of_band.append(np.full(len(found), band))
        with_edge.append(np.full(len(found), -1 if held else 2 * band))
        with_edge[-1][-1] = 2 * band + 1
    f, of_points, edge = map(np.concatenate, (points, of_band, with_edge))
    # the amplitude is 0 at the end: of odd taps in odd number, and of even ones in even number
    last = -1 if odd != even_count and f[-1] > 0.5 - step else None
    return f[:last], of_points[:last], edge[:last]


def _alternating(error: np.ndarray, count: int) -> np.ndarray:
    """Where the error is greatest, with signs that alternate, at this many places."""
    runs = np.split(np.arange(len(error)), np.flatnonzero(np.diff(error > 0)) + 1)
    at = [int(run[np.argmax(np.abs(error[run]))]) for run in runs]
    while len(at) > count:
        ends = min((0, -1), key=lambda i: abs(error[at[i]]))
        least = min(range(len(at)), key=lambda i: abs(error[at[i]]))
        del at[ends if len(at) == count + 1 else least]
        at = _merged(at, error)
    return np.array(at, int)


def _merged(places: Sequence[int], error: np.ndarray) -> list[int]:
    """Of neighbours with the same sign the one with the greatest error."""
    found: list[int] = []
    for i in places:
        if found and (error[found[-1]] > 0) == (error[i] > 0):
            if abs(error[i]) > abs(error[found[-1]]):
                found[-1] = i
        else:
            found.append(i)
    return found


def _places(bands: Any, desired: Any, weight: Any, taps: Any, *, numtaps: int, type: str, **_: Any) -> tuple:
    real, whole = jax.ShapeDtypeStruct, jnp.result_type(int)
    n = (_free(numtaps, _odd(type)) + 1,)
    return real(n, bands.dtype), real(n, whole), real(n, whole)


@wrap(out=_places, static=("numtaps", "type", "grid_density"), derivatives="rules")
def _reference(
    bands: np.ndarray, desired: np.ndarray, weight: np.ndarray, taps: np.ndarray, *, numtaps: int, type: str,
    grid_density: int,
) -> tuple:  # fmt: skip
    """The frequencies with the greatest error, their bands, and the edges that they move with."""
    odd, free = _odd(type), _free(numtaps, _odd(type))
    f, band, edge = _grid(bands, 0.5 / (grid_density * free), odd, numtaps % 2 == 0)
    d, w = _wanted(np, f, desired[band], weight[band], type)
    error = w * (d - _waves(np, f, numtaps, odd) @ taps[:free])
    at = _alternating(error, free + 1)
    sizes = np.abs(error[at])
    if len(at) <= free or not np.min(sizes) > 0.99 * np.max(np.abs(error)):
        raise ValueError(
            "remez: SciPy's filter is not the one of least ripple, so it has no derivative. Give it more maxiter, or "
            "wider transitions between the bands."
        )
    return f[at], band[at], edge[at]


def _taps(
    bands: Any, desired: Any, weight: Any, numtaps: int, type: str, maxiter: int, grid_density: int, fs: float | None
) -> Any:  # fmt: skip
    odd = _odd(type)
    bands = bands / (1.0 if fs is None else fs)
    weight = jnp.ones_like(desired) if weight is None else weight
    held = jax.lax.stop_gradient((bands, desired, weight))
    given = {"weight": held[2], "type": type, "maxiter": maxiter, "grid_density": grid_density}
    taps = jax.lax.stop_gradient(remez(numtaps, held[0], held[1], **given))
    f, band, edge = _reference(*held, taps, numtaps=numtaps, type=type, grid_density=grid_density)
    moved = jnp.where(edge < 0, 0.0, (bands - held[0])[jnp.maximum(edge, 0)])
    f = f + moved.astype(f.dtype)
    d, w = _wanted(jnp, f, desired[band], weight[band], type)
    signs = jnp.where(jnp.arange(f.shape[0]) % 2 == 0, 1.0, -1.0).astype(f.dtype)
    matrix = jnp.concatenate([_waves(jnp, f, numtaps, odd), (signs / w)[:, None]], 1)
    half = jnp.linalg.solve(matrix, d)[:-1]
    middle = jnp.zeros(numtaps % 2 if odd else 0, half.dtype)
    back = half[: numtaps // 2][::-1]
    return jnp.concatenate([half, middle, -back if odd else back])


@hosted("bands desired weight", lambda bands, desired, weight, numtaps, **_: shaped(bands, [numtaps]), _taps)
def remez(
    numtaps: int, bands: ArrayLike, desired: ArrayLike, *, weight: ArrayLike | None = None, type: str = "bandpass",
    maxiter: int = 25, grid_density: int = 16, fs: float | None = None,
) -> jax.Array:  # fmt: skip
    """`scipy.signal.remez`: the taps of the filter of least ripple, by the exchange of Remez.

    Differentiable in desired, weight and the edges of the bands, to any order. SciPy looks for the frequencies with the
    greatest error on a grid. Derivatives hold which points of the grid these are: where others become the greatest, the
    taps have a kink.

    Args:
        numtaps: the number of taps.
        bands: [2 n], rising, from 0 to fs / 2: where each band begins and ends.
        desired: [n], the amplitude in each band. weight: [n], positive; 1 by default.
        type: bandpass, differentiator or hilbert.
        maxiter, grid_density, fs: as of SciPy.

    Returns:
        The taps, [numtaps].

    Raises:
        ValueError: what SciPy refuses. HostCallError: when a derivative is asked for, taps with which SciPy stopped too
            early.

    >>> import jax, numpy as np
    >>> print(jax.jacfwd(lambda gain: remez(3, [0.0, 0.1, 0.3, 0.5], [gain, 0.0]))(1.0).round(6))
    [0.276393 0.361803 0.276393]
    """
    return scipy.signal.remez(
        numtaps, bands, desired, weight=weight, type=type, maxiter=maxiter, grid_density=grid_density, fs=fs
    )

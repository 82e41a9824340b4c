"""Derivatives along rays of the complex plane: no reference, no difference.

`python -m tests.reference.rays NAME --order 2 --seed 7` moves one complex argument from 1e-298 to 1e301 along each
direction: the axes with both zeros, next to the axes, and between them. Three laws hold there. In the distance a
derivative goes over into powers, as in `tests.reference.ladders`. Where SciPy's values at conjugate points are
conjugates, so are the derivatives. Where its value on the positive axis is that of the real function, so is a
derivative of a holomorphic one. What breaks one is a hint, and mpmath judges the first of each kind where no sign of a
zero tells the side of a cut.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hostwrap.special._function import Special
from tests.reference import breaks as broken
from tests.reference import ladders, ours, segments, sweep
from tests.reference.breaks import Break, kind_of
from tests.reference.entries import Index, catalogue, has_complex, slots, statics
from tests.reference.points import points
from tests.reference.sweep_all import names

SIZES = 1.0937 * 10.0 ** np.arange(-298, 302, 6.0)
MIDDLE = len(SIZES) // 2
# The upper half; the lower one is conjugate. The axes have two zeros, so the parts are multiplied one by one.
UPPER = 1 + 0j, -1 + 0j, 0 + 1j, -0.0 + 1j, np.exp(0.7j), np.exp(2.5j), 1 + 1e-9j, -1 + 1e-9j, 1e-9 + 1j
SAME = 1e-9  # SciPy's values
PRONE = 1e140  # where squares overflow; beyond it and below its reciprocal a NaN may be right
STEADY = 1e6  # beyond it the phase of what oscillates is rounded
LARGEST = 290  # decades of a value divided by as many of its argument as its derivative has orders


def breaks(function: Special, seed: int, order: int = 1, bases: int = 1) -> Iterator[tuple[int, list[Break]]]:
    """Along each complex argument: how many derivatives, and breaks."""
    static = statics(function)[0]
    value = (0,) * len(slots(function, True))
    indices = segments.derivatives_of(function, order, True)
    drawn = sweep.random_numbers(function, seed).permutation(points(function, False))
    for base in drawn[:bases]:
        for a in function.args:
            if not getattr(function.boxes[a], "im", 0):
                continue
            rows = _rows(function, base, a)
            z = rows[..., function.args.index(a)]
            table = rows.reshape(-1, rows.shape[-1])
            numbers = ours.derivatives(function, static, "complex128", [value, *indices], table)
            shaped = [None if y is None else y.reshape(-1, *rows.shape[:2]) for y in numbers]
            reals = _on_the_real_axis(function, static, [value, *indices], rows[0, : len(SIZES)].real)
            count, found = 0, []
            for index, y, real in zip(indices, shaped[1:], reals[1:], strict=True):
                for k in range(0 if y is None else len(y)):
                    v = shaped[0][k]
                    count += int(np.sum(_known(v)))
                    pair = None if real is None else (reals[0][k], real[k])
                    for kind, p, told in _broken(z, v, y[k], pair, index, len(function.args)):
                        sure = kind == "real" or 0 not in (z[p].real, z[p].imag)
                        found.append(Break(kind, index, k, f"along {a}", rows[p], y[k][p].item(), told, sure))
            yield count, found


def _rows(function: Special, base: np.ndarray, a: str) -> np.ndarray:
    """(ray, size, argument): the rays of the upper half, then their conjugates."""
    upper = np.array(UPPER)
    rays = np.concatenate([upper, np.conj(upper)])[:, None]
    rows = np.tile(base.astype(complex), (len(rays), len(SIZES), 1))
    rows[..., function.args.index(a)].real = rays.real * SIZES
    rows[..., function.args.index(a)].imag = rays.imag * SIZES
    return rows


def _on_the_real_axis(
    function: Special, static: dict, indices: list[Index], table: np.ndarray
) -> list[np.ndarray | None]:
    """None for a derivative in an imaginary part."""
    count = len(function.args)
    plain = [index for index in indices if not any(index[count:])]
    numbers = ours.derivatives(function, static, "float64", [index[:count] for index in plain], table)
    found = dict(zip(plain, numbers, strict=True))
    return [found.get(index) for index in indices]


def _known(value: np.ndarray) -> np.ndarray:
    return np.isfinite(value) & (np.abs(value) > sweep.TINY)


def _broken(
    z: np.ndarray,
    value: np.ndarray,
    y: np.ndarray,
    real: tuple[np.ndarray, np.ndarray] | None,
    index: Index,
    arguments: int,
) -> Iterator[tuple[str, tuple[int, int], str]]:
    """Which law, where, and what it says, for numbers (ray, size) of one derivative."""
    known, finite, order = _known(value), np.isfinite(y), sum(index)
    with np.errstate(all="ignore"):
        size = np.abs(np.log10(np.abs(value))) + order * np.abs(np.log10(np.abs(z)))
    ordinary = (np.abs(z) > 1 / PRONE) & (np.abs(z) < PRONE) & (size < LARGEST)
    for place in zip(*np.nonzero(known & ordinary & ~finite), strict=True):
        yield "nan", place, "a number"
    for ray in range(len(z)):
        for way in (np.arange(MIDDLE + 6, len(SIZES)), np.arange(MIDDLE - 6, -1, -1)):
            for p, expected in ladders.off_line(np.abs(y[ray, way]), known[ray, way]):
                yield kind_of(y[ray, way[p]]), (ray, way[p]), ladders.told(expected)
    half = len(UPPER)
    with np.errstate(all="ignore"):
        same = np.abs(value[half:] - np.conj(value[:half])) <= SAME * np.abs(value[:half])
        same &= np.all(
            same | ~known[half:] | ~known[:half], axis=1, keepdims=True
        )  # not only a constant near 0
        mirrored = (-1) ** sum(index[arguments:]) * np.conj(y[:half])  # the imaginary part changes its sign
        apart = ~_is_close(y[half:], mirrored)
        # a real value on a cut does not tell on which side: the derivatives may be those of one side for both zeros
        apart &= (z[:half].imag != 0) | ~_is_close(y[half:], y[:half])
        for ray, p in zip(
            *np.nonzero(same & known[half:] & finite[half:] & finite[:half] & apart), strict=True
        ):
            yield "conjugate", (half + ray, p), f"{mirrored[ray, p]:.17g}"
        if real is not None:
            there, wanted = real
            same = known[0] & (np.abs(value[0] - there) <= SAME * np.abs(there)) & (np.abs(z[0]) < STEADY)
            for p in np.flatnonzero(same & np.isfinite(wanted) & ~_is_close(y[0], wanted)):
                yield "real", (0, p), f"{wanted[p]:.17g}"


def _is_close(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.abs(a - b) <= broken.CLOSE * np.abs(b) + np.finfo(float).tiny


def main() -> None:
    options = broken.options("rays", __doc__, 400.0, "by the clock, and a function is given up")
    for name in filter(lambda n: has_complex(catalogue()[n]), options.names or sorted(names())):
        broken.apart(options.seconds, name, breaks, options.seed, options.order)


if __name__ == "__main__":
    main()

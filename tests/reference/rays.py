"""Derivatives along rays of the complex plane: no reference, no difference.

`python -m tests.reference.rays NAME --order 2 --seed 7` moves one complex argument from 1e-298 to 1e301 along each
direction: the axes with both zeros, next to the axes, and between them. Three laws hold there. In the distance a
derivative goes over into powers, as in `tests.reference.ladders`. Where SciPy's values at conjugate points are
conjugates, so are the derivatives. Where its value on the positive axis is that of the real function, so is a
derivative of a holomorphic one. What breaks one is a hint, and mpmath judges the first of each kind where no sign of a
zero tells the side of a cut.
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import datetime
import time
from collections.abc import Iterator

import jax
import numpy as np

from hostwrap.special._function import Special
from tests.reference import ladders, oracle, ours, segments, sweep
from tests.reference.entries import Index, catalogue, has_complex, label, slots, statics
from tests.reference.points import points
from tests.reference.sweep_all import names

SIZES = 1.0937 * 10.0 ** np.arange(-298, 302, 6.0)
MIDDLE = len(SIZES) // 2
# The upper half; the lower one is conjugate. The axes have two zeros, so the parts are multiplied one by one.
UPPER = 1 + 0j, -1 + 0j, 0 + 1j, -0.0 + 1j, np.exp(0.7j), np.exp(2.5j), 1 + 1e-9j, -1 + 1e-9j, 1e-9 + 1j
CLOSE = 1e-8
SAME = 1e-9  # SciPy's values
PRONE = 1e140  # where squares overflow; beyond it and below its reciprocal a NaN may be right
STEADY = 1e6  # beyond it the phase of what oscillates is rounded
LARGEST = 290  # decades of a value divided by as many of its argument as its derivative has orders


@dataclasses.dataclass(frozen=True)
class Break:
    """A derivative that breaks a law."""

    kind: str
    index: Index
    output: int
    argument: str
    point: np.ndarray
    got: complex
    expected: complex  # a logarithm to base 10 of what is no number, 0 or off a line


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
                    broken = _broken(rows[..., function.args.index(a)], v, y[k], pair, order)
                    found += [Break(kind, index, k, a, rows[p], y[k][p].item(), e) for kind, p, e in broken]
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
    """None for all of a function that is not holomorphic: there they are sums with those in a conjugate."""
    if function.conjugates:
        return [None] * len(indices)
    return ours.derivatives(function, static, "float64", indices, table)


def _known(value: np.ndarray) -> np.ndarray:
    return np.isfinite(value) & (np.abs(value) > sweep.TINY)


def _broken(
    z: np.ndarray, value: np.ndarray, y: np.ndarray, real: tuple[np.ndarray, np.ndarray] | None, order: int
) -> Iterator[tuple[str, tuple[int, int], complex]]:
    """Which law, where, and what it says, for numbers (ray, size) of one derivative."""
    known, finite = _known(value), np.isfinite(y)
    with np.errstate(all="ignore"):
        size = np.abs(np.log10(np.abs(value))) + order * np.abs(np.log10(np.abs(z)))
    ordinary = (np.abs(z) > 1 / PRONE) & (np.abs(z) < PRONE) & (size < LARGEST)
    for place in zip(*np.nonzero(known & ordinary & ~finite), strict=True):
        yield "nan", place, np.nan
    for ray in range(len(z)):
        for way in (np.arange(MIDDLE + 6, len(SIZES)), np.arange(MIDDLE - 6, -1, -1)):
            for p, expected in ladders.off_line(np.abs(y[ray, way]), known[ray, way]):
                yield "zero" if y[ray, way[p]] == 0 else "off", (ray, way[p]), expected
    half = len(UPPER)
    with np.errstate(all="ignore"):
        same = np.abs(value[half:] - np.conj(value[:half])) <= SAME * np.abs(value[:half])
        same &= np.all(
            same | ~known[half:] | ~known[:half], axis=1, keepdims=True
        )  # not only a constant near 0
        apart = ~_is_close(y[half:], np.conj(y[:half]))
        # a real value on a cut does not tell on which side: the derivatives may be those of one side for both zeros
        apart &= (z[:half].imag != 0) | ~_is_close(y[half:], y[:half])
        for ray, p in zip(
            *np.nonzero(same & known[half:] & finite[half:] & finite[:half] & apart), strict=True
        ):
            yield "conjugate", (half + ray, p), np.conj(y[ray, p]).item()
        if real is not None:
            there, wanted = real
            same = known[0] & (np.abs(value[0] - there) <= SAME * np.abs(there)) & (np.abs(z[0]) < STEADY)
            for p in np.flatnonzero(same & np.isfinite(wanted) & ~_is_close(y[0], wanted)):
                yield "real", (0, p), wanted[p].item()


def _is_close(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.abs(a - b) <= CLOSE * np.abs(b) + np.finfo(float).tiny


def judged(function: Special, found: Break, seconds: float = ladders.SECONDS) -> tuple[str, complex]:
    """What mpmath says, in so many seconds, beside the axes."""
    z = found.point[function.args.index(found.argument)]
    value = (0,) * len(slots(function, True))
    try:
        if 0 in (z.real, z.imag) and found.kind != "real":
            raise ValueError("mpmath knows no zeros with signs")
        numbers = oracle.derivatives(
            function, statics(function)[0], found.point.tolist(), [value, found.index], True, seconds
        )
        truth = complex(numbers[1][found.output])
    except Exception:
        return "unknown", np.nan
    return ("true" if abs(found.got - truth) <= CLOSE * abs(truth) else "ours"), truth


def report(name: str, seed: int, order: int) -> None:
    """Prints the first break of each kind, with a verdict, and counts them."""
    function, start = catalogue()[name], time.process_time()
    counts: collections.Counter = collections.Counter()
    total = 0
    for numbers, found in breaks(function, seed, order):
        total += numbers
        for b in found:
            which = b.index, b.output, b.kind, b.argument
            counts[which] += 1
            if counts[which] == 1:
                whose, truth = judged(function, b)
                which = f"{name} {label(function, b.index, True)} [{b.output}] {b.kind} (along {b.argument})"
                print(
                    f"{whose} {which} {b.point.tolist()} {b.got}, expected {b.expected}, {truth}", flush=True
                )
    print(f"# {name}: {sum(counts.values())} of {total} in {time.process_time() - start:.1f} s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.reference.rays", description=__doc__.splitlines()[0]
    )
    parser.add_argument("names", nargs="*", help="all functions of complex arguments if there are none")
    parser.add_argument("--seed", type=int, default=int(datetime.date.today().strftime("%Y%m%d")))
    parser.add_argument("--order", type=int, default=1, help="of the derivatives")
    parser.add_argument(
        "--seconds", type=float, default=400.0, help="by the clock, and a function is given up"
    )
    options = parser.parse_args()
    jax.config.update("jax_enable_x64", True)
    for name in filter(lambda n: has_complex(catalogue()[n]), options.names or sorted(names())):
        ladders.apart(options.seconds, report, name, options.seed, options.order)


if __name__ == "__main__":
    main()

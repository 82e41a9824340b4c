"""Laws that derivatives obey under the transformations of JAX, at points over all doubles. No reference is needed.

`python -m tests.reference.laws NAME --seed 7` draws points as the sweeps do, and differentiates there in the ways that
JAX has: forward and in reverse, in one argument and in all, compiled and not, a batch and one point after the other,
twice in either order, as a Taylor series. It prints where two ways disagree. Bits are compared where both ways run the
same program of the host, numbers where XLA has a program of its own.
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import datetime
import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.jet import jet

from hostwrap import MissingDerivative
from hostwrap._call.arguments import Static
from hostwrap.special._function import Special
from tests.reference import breaks, extremes, ours, plane, points, sweep
from tests.reference.entries import Index, catalogue, columns, has_complex, is_integer, slots, statics
from tests.reference.sweep_all import names

COUNT = 40  # points
ALONE, FEWEST = 4, 2  # of them one by one; with derivatives that take long
AFFORDABLE = 2.0  # seconds of a processor for one look at all points: there are a dozen laws
EPS = np.finfo(float).eps
CLOSE = 64 * EPS  # XLA and NumPy have exponentials of their own, each with its errors
FLUSHED = 1e-307  # XLA takes smaller numbers for 0
FAR = 1e100  # the squares of longer steps leave the doubles

Slopes = dict[tuple[int, ...], Any]  # by the numbers of the arguments, and of the result


@dataclasses.dataclass(frozen=True)
class Broken:
    """Two ways that disagree."""

    law: str
    what: str
    point: list
    got: complex
    want: complex


def draws(function: Special, is_complex: bool, count: int, generator: np.random.Generator) -> np.ndarray:
    """Points, one a row: over all doubles, with one extreme argument, and from the tables."""
    known = points.points(function, is_complex)
    rows = [known[generator.permutation(len(known))[: count // 4]]]
    if is_complex:
        rows.append(plane.draws(function, count - len(rows[0]), generator))
    else:
        rows.append(sweep.draws(function, count // 2, generator))
        rows.append(extremes.draws(function, count - count // 2 - len(rows[0]), generator))
    found = np.concatenate(rows)
    return found[np.isfinite(found).all(axis=1)]


def affordable(function: Special, is_complex: bool, rows: np.ndarray, seconds: float) -> np.ndarray:
    """So many of these points that a look at all first derivatives takes so long; two at least."""
    ways, end, count = Ways(function, is_complex), time.process_time() + seconds, FEWEST
    while ways.live and count < len(rows):
        ways.reverse(*columns(function, rows[:count]))
        if time.process_time() > end:
            break
        count *= 2
    return rows[:count] if ways.live else rows


class Ways:
    """All ways to differentiate a function, in the arguments in which it has a derivative."""

    def __init__(self, function: Special, is_complex: bool) -> None:
        self.function, self.is_complex, self.static = function, is_complex, statics(function)[0]
        self.live = [
            i
            for i, a in enumerate(function.args)
            if not ours.is_missing(function, a) and not is_integer(function, a)
        ]
        self.results = range(max(1, len(function.outs)))

    def rounding(self, arrays: Sequence[np.ndarray], order: int = 1) -> Slopes:
        """What may differ between a program of XLA's own and the host's, in the derivatives of this order."""
        found = {}
        for chosen in itertools.product(range(len(self.live)), repeat=order):
            places = [(self.live[n], False) for n in chosen]
            index = tuple(places.count(slot) for slot in slots(self.function, self.is_complex))
            found |= {
                (*chosen, k): size
                for k, size in enumerate(rounding(self.function, self.static, index, arrays))
            }
        return found

    def at(self, args: Sequence[Any]) -> tuple[Callable[..., tuple], tuple]:
        """The function of the live arguments, and these."""

        def f(*xs: Any) -> tuple:
            y = self.function(*ours.placed(args, self.live, xs), **self.static)
            return tuple(y) if self.function.outs else (y,)

        return f, tuple(args[i] for i in self.live)

    def in_one(self, args: Sequence[Any], n: int) -> tuple[Callable[..., tuple], Any]:
        """The function of a live argument, and this; the others do not move."""
        f, xs = self.at(args)
        return lambda x: f(*ours.placed(xs, [n], [x])), xs[n]

    def forward(self, *args: Any) -> Slopes:
        """One argument after the other."""
        rows = ((n, pushed(*self.in_one(args, n))) for n in range(len(self.live)))
        return {(n, k): slope for n, slopes in rows for k, slope in enumerate(slopes)}

    def directions(self, *args: Any) -> Slopes:
        """The columns of the Jacobian in all arguments: the others move by 0."""
        f, xs = self.at(args)
        found = {}
        for n in range(len(xs)):
            steps = tuple(jnp.full_like(x, m == n) for m, x in enumerate(xs))
            found |= {(n, k): slope for k, slope in enumerate(jax.jvp(f, xs, steps)[1])}
        return found

    def reverse(self, *args: Any) -> Slopes:
        """The gradient of each result in all arguments."""
        f, xs = self.at(args)
        rows = ((k, pulled(_part(f, k), *xs)) for k in self.results)
        return {(n, k): slope for k, slopes in rows for n, slope in enumerate(slopes)}

    def mapped(self, *args: Any) -> dict[int, Slopes]:
        """The gradients where one of the arguments is an array and the others are numbers, by its number."""
        rows = {}
        for i in range(len(args)):
            numbers = ours.placed([x[0] for x in args], [i], [args[i]])
            rows[i] = jax.vmap(self.reverse, [0 if j == i else None for j in range(len(args))])(*numbers)
        return rows

    def unmapped(self, *args: Any) -> dict[int, Slopes]:
        """The same of arrays of equal numbers."""
        return {i: self.reverse(*beside_first(args, i)) for i in range(len(args))}

    def summed(self, *args: Any) -> Slopes:
        """The derivative in an argument of the sum over a table of it and of all others."""
        found = {}
        for n, i in enumerate(self.live):
            f, x = self.in_one([x[:, None] if j == i else x[None, :ALONE] for j, x in enumerate(args)], n)
            found |= {(n, k): pulled(_part(f, k), x)[0][:, 0] for k in self.results}
        return found

    def table(self, *args: Any) -> Slopes:
        """The derivatives of which these are the sums, along the last axis."""
        found = {}
        for n, i in enumerate(self.live):
            rows = (x[:, None] if j == i else x[None, :ALONE] for j, x in enumerate(args))
            slopes = pushed(*self.in_one(jnp.broadcast_arrays(*rows), n))
            found |= {(n, k): slope for k, slope in enumerate(slopes)}
        return found

    def twice(self, *args: Any) -> Slopes:
        """The derivative in an argument (second number) of all first derivatives."""
        rows = ((m, pushed(*self.first(args, i))) for m, i in enumerate(self.live))
        return {(n, m, k): y for m, slopes in rows for (n, k), y in slopes.items()}

    def twice_in_reverse(self, *args: Any) -> Slopes:
        """The same, of one first derivative after the other."""
        found = {}
        for m, i in enumerate(self.live):
            first, x = self.first(args, i)
            for n, k in itertools.product(range(len(self.live)), self.results):
                found[n, m, k] = pulled(_part(first, (n, k)), x)[0]
        return found

    def first(self, args: Sequence[Any], i: int) -> tuple[Callable[..., Slopes], Any]:
        """All first derivatives as a function of an argument, and this."""
        return lambda x: self.forward(*ours.placed(args, [i], [x])), args[i]

    def steps(self, args: Sequence[Any]) -> tuple:
        """Of the size of the arguments, up in one and down in the next."""
        size = lambda x: jnp.minimum(jnp.maximum(jnp.abs(x), 1e-3), FAR).astype(x.dtype)
        return tuple(size(args[i]) * (-1) ** n for n, i in enumerate(self.live))

    def series(self, *args: Any) -> Slopes:
        """First and second derivative along the steps, as a Taylor series."""
        f, xs = self.at(args)
        moved = tuple([step, jnp.zeros_like(step)] for step in self.steps(args))
        return {(k,): jnp.stack(terms) for k, terms in enumerate(jet(f, xs, moved)[1])}

    def nested(self, *args: Any) -> Slopes:
        """The same by jvp."""
        f, xs = self.at(args)
        along = lambda g: lambda *xs: jax.jvp(g, xs, self.steps(args))[1]
        once = along(f)
        rows = zip(once(*xs), along(once)(*xs), strict=True)
        return {(k,): jnp.stack(row) for k, row in enumerate(rows)}


def pushed(f: Callable, x: Any) -> Any:
    """The derivatives of all results, forward."""
    return jax.jvp(f, (x,), (jnp.ones_like(x),))[1]


def pulled(f: Callable, *xs: Any) -> list:
    """The derivatives of one result, in reverse; of its real and imaginary part, where the arguments are real."""
    y, transposed = jax.vjp(f, *xs)
    slopes = transposed(jnp.ones_like(y))
    if not jnp.iscomplexobj(y):
        return slopes
    rows = zip(slopes, transposed(jnp.full_like(y, -1j)), strict=True)
    return [re if jnp.iscomplexobj(re) else jax.lax.complex(re, im) for re, im in rows]


def _part(f: Callable, key: Any) -> Callable:
    return lambda *xs: f(*xs)[key]


def disagreements(function: Special, is_complex: bool, rows: np.ndarray) -> Iterator[Broken]:
    """Between the ways, at these points. Bits count where both run the same program of the host."""
    ways, arrays = Ways(function, is_complex), columns(function, rows)
    if not ways.live:
        return

    def compare(law: str, got: Slopes, want: Slopes, allowed: Slopes | float = 0.0, at: Any = rows) -> Any:
        for key, g in got.items():
            limit = allowed[key] if isinstance(allowed, dict) else allowed
            for p in np.flatnonzero(~agree(np.asarray(g), np.asarray(want[key]), limit)):
                what = " ".join([*(function.args[ways.live[n]] for n in key[:-1]), f"[{key[-1]}]"])
                yield Broken(
                    law, what, at[p].tolist(), np.asarray(g)[p].item(), np.asarray(want[key])[p].item()
                )

    forward = run(ways.forward, arrays)
    reverse = run(ways.reverse, arrays)
    allowed = ways.rounding(arrays)
    one_way = {key: y if _has_parts(ways, key) else reverse[key] for key, y in forward.items()}
    yield from compare("reverse", one_way, forward, allowed)
    yield from compare("vmap", run(jax.vmap(ways.reverse), arrays), reverse)
    alone = jax.jit(ways.reverse)
    for p in range(0, len(rows), max(1, len(rows) // ALONE)):
        one = {key: [y] for key, y in alone(*(jnp.asarray(a[p]) for a in arrays)).items()}
        yield from compare(
            "alone", one, {key: y[p : p + 1] for key, y in reverse.items()}, at=rows[p : p + 1]
        )
    eager = ways.reverse(*map(jnp.asarray, arrays))
    yield from compare("eager", eager, reverse, allowed)
    if len(ways.live) > 1:
        found = run(ways.directions, arrays)
        kept = {
            key: np.where(np.isnan(y) & _may_be_lost(key, reverse), one_way[key], y)
            for key, y in found.items()
        }
        yield from compare("directions", kept, one_way)
    if len(arrays) > 1:
        mapped, unmapped = run(ways.mapped, arrays), run(ways.unmapped, arrays)
        for i in mapped:
            there, columns_there = np.repeat(rows[:1], len(rows), axis=0), beside_first(arrays, i)
            there[:, i] = rows[:, i]
            yield from compare("one is mapped", mapped[i], unmapped[i], ways.rounding(columns_there), there)
        if not ways.is_complex:
            terms = run(ways.table, arrays)
            with np.errstate(all="ignore"):
                sums = {key: y.sum(axis=1) for key, y in terms.items()}
                sizes = {key: CLOSE * np.abs(y).sum(axis=1) for key, y in terms.items()}
            yield from compare("sum", run(ways.summed, arrays), sums, sizes)
    yield from second_order(ways, arrays, forward, compare)


def second_order(ways: Ways, arrays: list, forward: Slopes, compare: Callable) -> Iterator[Broken]:
    try:
        twice = run(ways.twice, arrays)
        series, nested = run(ways.series, arrays), run(ways.nested, arrays)
    except MissingDerivative:
        return
    swapped = {(m, n, k): y for (n, m, k), y in twice.items()}
    yield from compare("symmetry", {key: y for key, y in twice.items() if key[0] < key[1]}, swapped)
    if not ways.is_complex:
        yield from compare("second in reverse", run(ways.twice_in_reverse, arrays), twice)
    steps = [np.abs(step) for step in ways.steps(arrays)]
    first, second = {}, {}
    with np.errstate(all="ignore"):
        once_more, twice_more = ways.rounding(arrays), ways.rounding(arrays, 2)
        for k in ways.results:
            one = [
                (CLOSE * np.abs(y) + once_more[key]) * steps[key[0]]
                for key, y in forward.items()
                if key[1] == k
            ]
            two = [
                (CLOSE * np.abs(y) + twice_more[key]) * steps[key[0]] * steps[key[1]]
                for key, y in twice.items()
                if key[2] == k
            ]
            first[k,], second[k,] = sum(one), sum(two)
        for number, sizes in enumerate((first, second)):
            pick = lambda ys, number=number: {key: y[number] for key, y in ys.items()}
            known = {key: np.isfinite(size) & np.isfinite(first[key]) for key, size in sizes.items()}
            only = lambda ys, known=known: {key: np.where(known[key], y, 0) for key, y in ys.items()}
            yield from compare(f"series {number + 1}", only(pick(series)), only(pick(nested)), sizes)


def beside_first(arrays: Sequence[Any], i: int) -> list:
    """All but one of the arrays are numbers, many times."""
    return [x if j == i else jnp.full_like(x, x[0]) for j, x in enumerate(arrays)]


def run(way: Callable[..., Any], arrays: Sequence[Any]) -> Any:
    return jax.tree.map(np.asarray, jax.jit(way)(*arrays))


def agree(got: np.ndarray, want: np.ndarray, allowed: np.ndarray | float) -> np.ndarray:
    """Equal, or both NaN, or as close as that; complex numbers in each part, or both not finite."""
    if np.iscomplexobj(want):
        parts = agree(got.real, want.real, allowed) & agree(got.imag, want.imag, allowed)
        return parts | ~np.isfinite(got) & ~np.isfinite(want)
    with np.errstate(invalid="ignore"):
        return (got == want) | (np.isnan(got) & np.isnan(want)) | (np.abs(got - want) <= allowed + FLUSHED)


def _has_parts(ways: Ways, key: tuple) -> bool:
    """Whether the function is not holomorphic in the argument."""
    return ways.is_complex and ways.function.args[ways.live[key[0]]] in ways.function.imaginary


def _may_be_lost(key: tuple, slopes: Slopes) -> np.ndarray:
    """0 times infinity is NaN, as in JAX's own functions."""
    others = [y for (n, k), y in slopes.items() if k == key[1] and n != key[0]]
    return np.any([~np.isfinite(y) for y in others], axis=0)


def rounding(function: Special, static: dict, index: Index, arrays: Sequence[np.ndarray]) -> np.ndarray:
    """How far a derivative of real numbers goes with the last digits of its arguments, for each result and point.

    0 where there is only the host's program, and none of XLA's own.
    """
    table = function.table(tuple(Static(*item) for item in static.items()))
    program, layout = table.program((index,), table.kinds(arrays)), table.layout(arrays, 1)
    written = program and program.written([a.dtype for a in arrays], layout, range(len(layout.outs)))
    if not written:
        return np.zeros((max(1, len(function.outs)), *np.shape(arrays[0])))
    of = lambda *xs: np.stack([np.broadcast_to(y, xs[0].shape) for y in table.level((index,))(*xs)])
    with np.errstate(all="ignore"):
        here = of(*arrays)
        total = CLOSE * np.abs(here)
        for i in (i for i, x in enumerate(arrays) if x.dtype.kind == "f"):
            total += np.nan_to_num(
                np.abs(of(*ours.placed(arrays, [i], [arrays[i] * (1 + CLOSE)])) - here), posinf=0.0
            )
    return total


def report(name: str, count: int, seed: int) -> None:
    """The first of each kind, and how many there are."""
    function, start = catalogue()[name], time.process_time()
    for is_complex in (False, True)[: 1 + has_complex(function)]:
        rows = draws(function, is_complex, count, sweep.random_numbers(function, seed))
        rows = affordable(function, is_complex, rows, AFFORDABLE)
        seen: collections.Counter = collections.Counter()
        for broken in disagreements(function, is_complex, rows):
            kind = broken.law, broken.what, breaks.kind_of(broken.got)
            seen[kind] += 1
            if seen[kind] == 1:
                print(name, "complex" if is_complex else "real", broken, flush=True)
        print(f"# {name}: {sum(seen.values())} in {time.process_time() - start:.1f} s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.reference.laws", description=__doc__.splitlines()[0]
    )
    parser.add_argument("names", nargs="*", help="all functions if there are none")
    parser.add_argument("--points", type=int, default=COUNT)
    parser.add_argument("--seed", type=int, default=int(datetime.date.today().strftime("%Y%m%d")))
    parser.add_argument("--seconds", type=float, default=300.0, help="for a function")
    options = parser.parse_args()
    jax.config.update("jax_enable_x64", True)
    for name in options.names or names():
        process = breaks.FORKS.Process(target=report, args=(name, options.points, options.seed))
        process.start()
        process.join(options.seconds)
        if process.is_alive():
            process.kill()
            print(f"# {name}: not in {options.seconds:g} s", flush=True)


if __name__ == "__main__":
    main()

"""Where in its domain each first derivative is right: planes over all doubles, without a reference.

`python -m tests.reference.domains [names]` takes two real arguments of a function (or the one that it has), each over
decades of both signs, the others in the middle of their boxes, and compares each first derivative with a difference
of SciPy's own value, as `tests.reference.sweep` does. What a difference contradicts is asked of Arb and mpmath. The
verdicts are kept in `domains.npz`, one byte a point; the site draws them.
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import json
import multiprocessing
import pathlib
import signal
import time
from collections.abc import Iterator
from typing import Any

import jax
import numpy as np

from hostwrap.special._function import Special
from tests.reference import ours, sweep, sweep_all
from tests.reference.entries import Index, catalogue, columns, is_integer, label, statics
from tests.reference.given import on_host
from tests.reference.points import points

FILE = pathlib.Path(__file__).with_name("domains.npz")
FORKS = multiprocessing.get_context("fork")
SIZES = 10.0 ** np.array(
    [-300, -100, -30, -10, -5, -2, -1, -0.3, 0, 0.4, 0.8, 1.2, 1.6, 2, 2.5, 3, 4, 6, 12, 30, 100, 300]
)
SHARES = np.array([1e-300, 1e-100, 1e-30, 1e-10, 1e-5, 1e-3, 0.01, 0.1, 0.3, 0.45, 0.6, 0.8, 0.95])
BATCHES = (4, 40, 400)  # points at once, of slow and of fast functions
QUICK = 0.5  # seconds of processor time, for the next larger batch
SECONDS = 30.0  # of processor time, for the planes of a function
PATIENCE = 30  # times as long by the clock, and a process that waits for something is given up
JUDGED = 200  # contradictions of a derivative that mpmath looks into, while there is time
SECONDS_JUDGED = 1.0  # mpmath's, for one of them

# What is known of a derivative at a point, from nothing to wrong.
VERDICTS = (
    "not tried",
    "no value",  # SciPy's is not finite, or 0
    "right",  # as the difference of SciPy's value says
    "not compared",  # finite; the difference is not sure
    "not a number",  # NaN or infinite, where SciPy has a value
    "SciPy's value wrong",  # and so its difference
    "contradicted",  # by the difference; nobody has judged
    "wrong",
)
UNTRIED, NO_VALUE, RIGHT, UNSURE, NAN, SCIPY, CONTRADICTED, WRONG = range(len(VERDICTS))
OF_WHOM = {"ours": WRONG, "both": SCIPY, "SciPy's": SCIPY, "conditioned": UNSURE, "quotient": RIGHT}


@dataclasses.dataclass(frozen=True)
class Planes:
    """The verdicts of a function: for each first derivative an array over the axes."""

    arguments: tuple[str, ...]  # along the axes
    axes: tuple[np.ndarray, ...]
    others: dict[str, float]
    verdicts: dict[str, np.ndarray]  # by the argument that it is the derivative in

    @property
    def points(self) -> np.ndarray:
        return np.stack([a.ravel() for a in np.meshgrid(*self.axes, indexing="ij")], axis=-1)


def axis(function: Special, argument: str) -> np.ndarray:
    """Decades of both signs; of a probability both its tails."""
    box = function.boxes[argument]
    if (box.low, box.high) == (0, 1):
        return np.concatenate([SHARES, 1 - 10.0 ** -np.array([2, 4, 7, 10, 13, 15])])
    sizes = SIZES * 1.09375  # next to no integer
    return np.concatenate([-sizes[::-1], sizes]) if box.low < 0 else sizes


def chosen(function: Special) -> tuple[str, ...]:
    """The arguments along the axes: the first real one and the last."""
    real = [a for a in function.args if not is_integer(function, a)]
    return tuple(dict.fromkeys((real[0], real[-1])))


def empty(function: Special) -> Planes:
    along = chosen(function)
    middle = np.median(points(function, False), axis=0)
    others = {
        a: float(round(x) if is_integer(function, a) else x)
        for a, x in zip(function.args, middle, strict=True)
        if a not in along
    }
    axes = tuple(axis(function, a) for a in along)
    axes = (_finer(axes[0]),) if len(axes) == 1 else axes
    shape = tuple(map(len, axes))
    names = [label(function, index, False) for index in sweep.first_derivatives(function)]
    return Planes(along, axes, others, {name: np.zeros(shape, np.uint8) for name in names})


def _finer(numbers: np.ndarray) -> np.ndarray:
    """Three more between each two, in the same order of size."""
    place = np.arange(4 * len(numbers) - 3) / 4
    if 0 < numbers[0] < numbers[-1] < 1:
        logit = np.log(numbers) - np.log1p(-numbers)
        return 1 / (1 + np.exp(-np.interp(place, np.arange(len(numbers)), logit)))
    exponents = np.interp(place, np.arange(len(numbers)), np.log10(np.abs(numbers)))
    signs = np.where(np.interp(place, np.arange(len(numbers)), np.sign(numbers)) < 0, -1, 1)
    return signs * 10.0**exponents


def rows(function: Special, planes: Planes, places: np.ndarray) -> np.ndarray:
    """All arguments at these places of the planes."""
    at = planes.points[places]
    table = np.empty((len(at), len(function.args)))
    for column, a in enumerate(function.args):
        table[:, column] = at[:, planes.arguments.index(a)] if a in planes.arguments else planes.others[a]
    return table


def examined(
    function: Special, places: np.ndarray, judged: bool = False
) -> Iterator[tuple[np.ndarray, dict]]:
    """For each batch of places the verdicts of each first derivative; mpmath's too, if it is to judge."""
    planes, static = empty(function), statics(function)[0]
    size, rest = BATCHES[0], places
    while len(rest):
        batch, rest, start = rest[:size], rest[size:], time.process_time()
        table = rows(function, planes, np.resize(batch, size))
        yield batch, {k: v[: len(batch)] for k, v in _verdicts(function, static, table, judged).items()}
        if judged or time.process_time() - start > QUICK:
            size = BATCHES[0]
        else:
            size = min(BATCHES[-1], next(b for b in (*BATCHES, size) if b > size or b == BATCHES[-1]))


def _verdicts(function: Special, static: dict, table: np.ndarray, judged: bool) -> dict[str, np.ndarray]:
    value = functools.partial(on_host, function)
    with np.errstate(all="ignore"):
        given = value(table)
        there = np.all(np.isfinite(given), axis=0) & np.all(np.abs(given) > sweep.TINY, axis=0)
        found = {}
        for index in sweep.first_derivatives(function):
            i = index.index(1)
            got = np.stack(_derivatives(function, static, index, table))
            quotient, error = sweep.quotients(value, table, i)
            sure = (error < sweep.SURE * np.abs(quotient)) & (np.abs(quotient) > sweep.TINY)
            close = np.abs(got - quotient) <= np.maximum(10 * error, sweep.FAR_OFF * np.abs(quotient))
            each = np.where(sure, np.where(close, RIGHT, CONTRADICTED), UNSURE)
            each = np.where(np.isfinite(got), each, NAN)
            worst = np.where(there, each.max(axis=0), NO_VALUE)
            found[label(function, index, False)] = worst
            if judged:
                _judge(function, index, table, got, (quotient, error, each), worst)
    return found


def _judge(
    function: Special, index: Index, table: np.ndarray, got: np.ndarray, compared: Any, worst: np.ndarray
) -> None:
    """Replaces some of the contradictions by what mpmath says to them."""
    quotient, error, each = compared
    for p in np.flatnonzero(worst == CONTRADICTED):
        k = int(np.argmax(each[:, p] == CONTRADICTED))
        suspect = sweep.Suspect(function, index, k, table[p], got[k, p], quotient[k, p], error[k, p])
        try:
            whose = _at_once(suspect) or sweep.judged(suspect, SECONDS_JUDGED).whose
        except Exception:  # definitions are made for the entries' boxes
            continue
        worst[p] = OF_WHOM.get(whose, CONTRADICTED)


def _at_once(suspect: sweep.Suspect) -> str:
    """The verdict where the derivative is mpmath's, or where rounding an argument moves it, or a value, as far."""
    function, k = suspect.function, suspect.output
    values, truth = sweep.exact(suspect, suspect.point, SECONDS_JUDGED)
    apart = abs(suspect.got - truth)
    if apart <= sweep.TARGET * abs(truth):
        given = on_host(function, suspect.point[None])[k, 0]
        return "quotient" if abs(given - values[k]) <= 1e-9 * abs(values[k]) else "SciPy's"
    for i in range(len(suspect.point)):
        nearby = suspect.point.copy()
        nearby[i] = np.nextafter(nearby[i], 0.0)
        there, moved = sweep.exact(suspect, nearby, SECONDS_JUDGED)
        if apart <= 1e3 * abs(moved - truth) or np.any(np.abs(there - values) > 1e-3 * np.abs(values)):
            return "conditioned"
    return ""


def _derivatives(function: Special, static: dict, index: Index, table: np.ndarray) -> list[np.ndarray]:
    f = ours.differentiated(function, static, index, False)
    return [np.broadcast_to(y, (len(table),)) for y in f(*columns(function, table))]


def made(functions: list[Special], seconds: float = SECONDS) -> Iterator[tuple[Special, Planes]]:
    """The planes of each function, from another process: SciPy aborts, and has loops that end after hours.

    Where a function takes more than `seconds` of processor time, what it has by then is what it gets, and a new
    process goes on: how busy the machine is has no part in it.
    """
    todo = list(functions)
    while todo:
        here, there = FORKS.Pipe(duplex=False)
        process = FORKS.Process(target=_work, args=(todo, seconds, there))
        process.start()
        there.close()
        goes_on = True
        while todo and goes_on:
            planes, goes_on = _received(here, todo[0], PATIENCE * seconds)
            yield todo.pop(0), planes
        process.kill()
        process.join()


def _work(functions: list[Special], seconds: float, there: Any) -> None:
    """First all points, then mpmath's judgement of some of the contradictions. The timer ends the process."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    for function in functions:
        signal.setitimer(signal.ITIMER_PROF, seconds)
        contradicted: dict[str, list] = {}
        for places, found in examined(function, _order(function)):
            there.send((places, found))
            for name, verdicts in found.items():
                contradicted.setdefault(name, []).extend(places[verdicts == CONTRADICTED])
        some = sorted({p for places in contradicted.values() for p in places[:JUDGED]})
        for batch in examined(function, np.array(some, int), judged=True):
            there.send(batch)
        there.send(None)


def _order(function: Special) -> np.ndarray:
    """By chance: what is not reached is scattered."""
    return np.random.default_rng(0).permutation(len(empty(function).points))


def _received(here: Any, function: Special, seconds: float) -> tuple[Planes, bool]:
    """What the process says of a function, and whether it goes on with the next one."""
    planes, end = empty(function), time.monotonic() + seconds
    try:
        while here.poll(max(0.0, end - time.monotonic())):
            if (batch := here.recv()) is None:
                return planes, True
            for name, verdicts in batch[1].items():
                planes.verdicts[name].reshape(-1)[batch[0]] = verdicts
    except EOFError:
        pass
    return planes, False


@functools.cache
def load() -> dict[str, Planes]:
    if not FILE.exists():
        return {}
    with np.load(FILE) as file:
        about = json.loads(str(file["about"]))
        axes = {key: file[key] for key in file.files if key.startswith("axis")}
        verdicts = {name: file[f"of {name}"] for name in about}
    return {
        name: Planes(
            tuple(text["arguments"]),
            tuple(axes[key] for key in text["axes"]),
            text["others"],
            dict(zip(text["derivatives"], verdicts[name], strict=True)),
        )
        for name, text in about.items()
    }


def save(planes: dict[str, Planes]) -> None:
    """One file; functions share their axes."""
    about, arrays, known = {}, {}, {}
    for name, p in sorted(planes.items()):
        keys = [known.setdefault(a.tobytes(), f"axis{len(known)}") for a in p.axes]
        arrays |= dict(zip(keys, p.axes, strict=True)) | {f"of {name}": np.stack(list(p.verdicts.values()))}
        about[name] = {
            "arguments": p.arguments, "axes": keys, "others": p.others, "derivatives": list(p.verdicts)
        }  # fmt: skip
    np.savez_compressed(FILE, about=np.array(json.dumps(about)), **arrays)
    load.cache_clear()


def names() -> list[str]:
    return sorted(sweep_all.names())


def update(functions: list[Special], seconds: float = SECONDS) -> Iterator[tuple[str, Planes]]:
    """The planes of these functions anew, and none of functions that have gone. An empty plane replaces none."""
    known = set(names())
    for function, planes in made([f for f in functions if f.name in known], seconds):
        if not any(v.any() for v in planes.verdicts.values()):
            raise RuntimeError(f"no point of {function.name} was reached in {seconds:g} s: give it more time")
        save({k: p for k, p in load().items() if k in known} | {function.name: planes})
        yield function.name, planes


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.reference.domains", description=__doc__.splitlines()[0]
    )
    parser.add_argument("names", nargs="*", help="all functions if there are none")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of processor time, for a function")
    options = parser.parse_args()
    jax.config.update("jax_enable_x64", True)
    chosen = [catalogue()[name] for name in options.names or names()]
    for name, planes in update(chosen, options.seconds):
        for argument, verdicts in planes.verdicts.items():
            counts = np.bincount(verdicts.ravel(), minlength=len(VERDICTS))
            told = ", ".join(f"{n} {what}" for n, what in zip(counts, VERDICTS, strict=True) if n)
            print(f"{name} {argument}: {told}", flush=True)


if __name__ == "__main__":
    main()

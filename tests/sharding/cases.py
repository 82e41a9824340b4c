"""One case: run it, and say what was wrong with it."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import itertools
import math
import re
from collections.abc import Iterator
from typing import Any

import jax
import numpy as np

from tests.sharding.constructs import CONSTRUCTS, Ready, in_scan
from tests.sharding.kinds import BATCH, KINDS, Kind, seen
from tests.sharding.transformations import TRANSFORMATIONS

COLLECTIVE = re.compile(
    r"= (\S+) (all-gather|all-reduce|all-to-all|collective-\w+|reduce-scatter)(?:-start)?\("
)
CALL = re.compile(r'= (.+?) custom-call\(.*custom_call_target="\w*(?:hostwrap|callback)\w*"')
ARRAY = re.compile(r"\w+\[([\d,]*)\]")
DEVICES = 8


@dataclasses.dataclass(frozen=True)
class Case:
    construct: str
    transformation: str
    kind: str

    def __str__(self) -> str:
        return f"{self.construct} / {self.transformation} / {self.kind}"


def cases() -> Iterator[Case]:
    for case in itertools.starmap(Case, itertools.product(CONSTRUCTS, TRANSFORMATIONS, KINDS)):
        # where every axis of the function is manual there is no axis left to gather
        manual = case.construct in ("jit, two mesh axes", "shard_map", "pmap")
        if not (KINDS[case.kind].core_sharded and manual):
            yield case


@dataclasses.dataclass
class Run:
    """What came of a compiled function: results, the program, the shapes that the host saw."""

    results: Any
    text: str
    calls: list[tuple[int, ...]]

    def sizes(self) -> list[int]:
        """Elements of the first result of each host call in the program."""
        shapes = (ARRAY.search(result) for result in CALL.findall(self.text))
        return [math.prod(map(int, filter(None, m[1].split(",")))) for m in shapes if m]


def _run(ready: Ready) -> Run:
    compiled = ready.function.lower(*ready.args).compile()
    del seen[:]
    results = jax.block_until_ready(ready.function(*ready.args))
    return Run(results, compiled.as_text(), list(seen))


@functools.cache
def _alone(in_steps: bool, transformation: str, kind: str) -> Run:
    """The same on one device."""
    k = KINDS[kind]
    build = lambda shared, axes: TRANSFORMATIONS[transformation](k.make(), shared, axes)
    done = _run(
        next(in_scan(k, build, alone=True)) if in_steps else Ready(jax.jit(build(k.shared, 2)), k.args)
    )
    done.results = jax.tree.map(np.asarray, done.results)
    return done


def run(case: Case) -> list[str]:
    """What is wrong."""
    kind, transformation = KINDS[case.kind], TRANSFORMATIONS[case.transformation]
    function = kind.make()
    build = lambda shared, axes: transformation(function, shared, axes)
    with contextlib.contextmanager(CONSTRUCTS[case.construct])(kind, build) as ready:
        done = _run(ready)
    alone = _alone(case.construct == "scan in jit", case.transformation, case.kind)
    parts = 4 if kind.core_sharded else DEVICES
    checks = (
        _values(done, alone),
        _spread(done, parts),
        _collectives(done, kind),
        _calls(done, alone, kind, parts),
    )
    return list(itertools.chain(*checks))


def _values(done: Run, alone: Run) -> Iterator[str]:
    """The part of each device is right, to the last digits: sums in derivatives may be made in another order."""
    for got, want in zip(jax.tree.leaves(done.results), jax.tree.leaves(alone.results), strict=True):
        if got.shape != want.shape or got.dtype != want.dtype:
            yield f"result {got.dtype}{got.shape} in place of {want.dtype}{want.shape}"
            continue
        tolerance = 8 * np.finfo(want.dtype).eps
        for shard in got.addressable_shards:
            if not np.allclose(shard.data, want[shard.index], rtol=tolerance, atol=tolerance):
                yield f"wrong on {shard.device}"


def _spread(done: Run, parts: int) -> Iterator[str]:
    """Every device has its own part of each result, as it has of the arguments."""
    for y in jax.tree.leaves(done.results):
        found = len({str(s.index) for s in y.addressable_shards})
        if found < parts or y.addressable_shards[0].data.size * found != y.size:
            yield f"a result in {found} parts: {y.sharding}"


def _collectives(done: Run, kind: Kind) -> Iterator[str]:
    """None; but a core axis that is sharded is gathered, or summed over in a derivative, and no batch axis with it."""
    for shape, name in COLLECTIVE.findall(done.text):
        sizes = ARRAY.search(shape)[1].split(",")
        if not kind.core_sharded or name not in ("all-gather", "all-reduce") or str(BATCH[0]) in sizes:
            yield f"{name} of {shape}"


def _calls(done: Run, alone: Run, kind: Kind, parts: int) -> Iterator[str]:
    """The host is called by each device with its own part, and as a whole does the work of one device, once."""
    whole, own = alone.sizes(), done.sizes()
    if kind.written and not own and not whole:
        return
    if len(own) != len(whole) or max(own, default=0) * parts != max(whole, default=1):
        yield f"host calls of {own} elements, on one device {whole}"
    work, expected = sum(map(math.prod, done.calls)), sum(map(math.prod, alone.calls))
    if work != expected * DEVICES // parts:
        yield f"the host saw {done.calls}, on one device {alone.calls}"

"""Record a run of a function on concrete numbers: its value, and its first derivatives, forward and reverse.

This serves code that cannot be traced into JAX, because its branches and loops depend on numbers. It runs no JAX. `run`
on arrays of an outer tape gives second derivatives.
"""

from __future__ import annotations

import functools
import linecache
import zlib
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from hostwrap._copies.retarget import Globals, Untraceable, retargeted
from hostwrap._errors import MissingDerivative
from hostwrap._tracing.tape.again import Program, program
from hostwrap._tracing.tape.array import Array, concrete, raw
from hostwrap._tracing.tape.integers import made, plain
from hostwrap._tracing.tape.log import Log, log, watching
from hostwrap._tracing.tape.nodes import (
    Node,
    backward,
    carefully,
    current_level,
    forward,
    is_inexact,
    keeping,
    keys,
    lost,
    moving,
    reachable,
)
from hostwrap._tracing.tape.outcomes import DIRECTION
from hostwrap._tracing.tape.proxies import as_array, replaced
from hostwrap._tracing.tape.refusals import WAY_OUT


class Recorded:
    """The value of a recorded function, and its derivatives at this point."""

    def __init__(self, results: Any, inputs: Sequence[Node | None], keys: Sequence[str] = ()) -> None:
        self.keys = keys
        self.results = results
        self.leaves, self.tree = jax.tree.flatten(results, is_leaf=lambda x: isinstance(x, Array))
        self.value = [plain(raw(x)) for x in self.leaves]
        self._nodes = [x.node if isinstance(x, Array) else None for x in self.leaves]
        self._inputs = list(inputs)

    def of(self, differentiable: Sequence[bool]) -> Recorded:
        """The same recording, as a function of fewer arguments."""
        nodes = [n if d else None for n, d in zip(self._inputs, differentiable, strict=True)]
        return Recorded(self.results, nodes, self.keys)

    @property
    def nodes(self) -> list[Node | None]:
        """The nodes of the arguments."""
        return self._inputs

    @property
    def _sources(self) -> list[Node]:
        return [n for n in self._inputs if n is not None]

    @property
    def still(self) -> bool:
        """Whether a number of the results is constant: it may come from a cache of an earlier call."""
        return any(n is None and is_inexact(y) for n, y in zip(self._nodes, self.value, strict=True))

    @property
    def size(self) -> int:
        """The number of computed numbers."""
        return sum(int(np.prod(node.shape)) for node in reachable(self._nodes))

    def jvp(self, tangents: Sequence[Any]) -> list:
        """The tangent of each result, for tangents of the arguments (None for a constant)."""
        given = {n: t for n, t in zip(self._inputs, tangents, strict=True) if n is not None and t is not None}
        with np.errstate(all="ignore"):
            found = forward(self._nodes, given)
            if _has_nan(found):
                found = carefully(forward, self._nodes, self._sources, given)
        found = [np.zeros(np.shape(y)) if t is None else t for t, y in zip(found, self.value, strict=True)]
        if self._undefined and any(np.any(concrete(t)) for t in given.values()):
            found = [np.where(u, np.nan, t) for u, t in zip(self._undefined, found, strict=True)]
        return found

    def moved(self, arrays: Sequence[Any]) -> list[np.ndarray]:
        """How much each result changes, to first order, if each intermediate number changes by a random share."""
        random = np.random.default_rng(0)
        own = lambda value: value * random.uniform(-1, 1, np.shape(value))
        worst = [np.zeros(np.shape(y)) for y in self.value]
        with np.errstate(all="ignore"):
            for _ in range(_TRIES):
                given = {n: own(x) for n, x in zip(self._inputs, arrays, strict=True) if n is not None}
                found = forward(self._nodes, given, own)
                worst = [
                    w if t is None else np.maximum(w, np.abs(t)) for w, t in zip(worst, found, strict=True)
                ]
        return worst

    def vjp(self, cotangents: Sequence[Any]) -> list:
        """The cotangent of each argument; None for one that is not differentiated."""
        sources = self._sources
        with np.errstate(all="ignore"):
            swept = backward(self._nodes, cotangents, sources)
            if _has_nan(swept):
                swept = carefully(backward, self._nodes, sources, cotangents, sources)
        found = dict(zip(sources, swept, strict=True))
        swept = [
            None if n is None else np.zeros(n.shape) if found[n] is None else found[n] for n in self._inputs
        ]
        pairs = zip(self._undefined, cotangents, strict=False)
        if any(np.any(np.where(u, concrete(c), 0.0)) for u, c in pairs):
            swept = [None if c is None else c + np.nan for c in swept]
        return swept

    @functools.cached_property
    def _undefined(self) -> list[np.ndarray]:
        """Which results are NaN and constant: code puts NaN in place of what depends on the arguments."""
        nan = [np.isnan(concrete(y)) if is_inexact(y) else np.zeros(np.shape(y), bool) for y in self.value]
        if not any(map(np.any, nan)):
            return []
        moved = moving(self._nodes, self._sources)
        return [n & np.logical_not(m) for n, m in zip(nan, moved, strict=True)]


def _has_nan(arrays: Sequence[Any]) -> bool:
    return any(x is not None and np.isnan(concrete(x)).any() for x in arrays)


def recordable(f: Callable) -> Callable:
    """A copy of the function for arrays that record."""
    return retargeted(f, replaced)


def run(f: Callable, arrays: Sequence[Any], differentiable: Sequence[bool]) -> Recorded:
    """Run the user's code once on these arrays."""
    return record(recordable(f), arrays, differentiable)


def logged(
    f: Callable, arrays: Sequence[Any], differentiable: Sequence[bool]
) -> tuple[Recorded, Program | None]:
    """Record, and make a program of the arithmetic, if the recording has nothing else."""
    kept = Log()
    tokens = keeping.set(True), log.set(kept)
    try:
        every = record(f, arrays, [is_inexact(x) for x in arrays])
    finally:
        keeping.reset(tokens[0])
        log.reset(tokens[1])
    again = None if every.still else program(every.leaves, every.nodes, kept, arrays)
    return every.of(differentiable), again


def record(f: Callable, arrays: Sequence[Any], differentiable: Sequence[bool]) -> Recorded:
    """Record a function that is `recordable`, or calls one."""
    level = 1 + max([x.level for x in arrays if isinstance(x, Array)], default=0)
    given: list[Any] = []
    inputs: list[Node | None] = []
    for x, moves in zip(arrays, differentiable, strict=True):
        inexact = is_inexact(x)
        inputs.append(Node(np.shape(x), np.iscomplexobj(x), level) if inexact and moves else None)
        given.append(Array(x, inputs[-1], level) if inexact else made(x))
        if inexact:
            given[-1]._lent = True
    refusals: list[Untraceable] = []
    found: list[str] = []
    token, asked, seen = current_level.set(level), lost.set(refusals), keys.set(found)
    try:
        results = jax.tree.map(as_array, f(*given), is_leaf=lambda x: isinstance(x, Array | jax.Array))
        if refusals:  # C code has dropped the error, and gone on with some number
            raise refusals[0]
        return Recorded(results, inputs, found)
    except (Untraceable, MissingDerivative):
        raise
    except Exception as error:  # the plain function has no such error: it is the tape's
        if refusals:  # C code has made another error of it
            raise refusals[0] from None
        reason = f"{type(error).__name__} with arrays that record: {error}"
        raise Untraceable(reason, WAY_OUT, *_place(error)) from error
    finally:
        current_level.reset(token)
        lost.reset(asked)
        keys.reset(seen)


def rounding(f: Callable, arrays: Sequence[Any]) -> list[np.ndarray] | None:
    """How much the rounding of intermediate numbers can change the results, in units of one rounding error.

    None if the function cannot be recorded.
    """
    token = keeping.set(True)
    try:
        return record(f, arrays, [is_inexact(x) for x in arrays]).moved(arrays)
    except (Untraceable, MissingDerivative):
        return None
    finally:
        keeping.reset(token)


def branches(f: Callable, arrays: Sequence[Any]) -> float:
    """A number for the comparisons that the code makes at these numbers; 0 if the function cannot be recorded."""
    with watching() as way:
        try:
            record(f, arrays, [False] * len(arrays))
        except (Untraceable, MissingDerivative):
            return 0.0
    outcomes = [
        (name, found.tolist()) for name, found, _ in way.met if name != DIRECTION or found.shape[-1] == 1
    ]
    return float(zlib.crc32(repr(outcomes).encode()))


_TRIES = 4


def _place(error: BaseException) -> tuple[str, str]:
    """The last line of the user's code in the traceback."""
    found, tb = ("", ""), error.__traceback__
    while tb is not None:
        code = tb.tb_frame.f_code
        if isinstance(tb.tb_frame.f_globals, Globals) and "site-packages" not in code.co_filename:
            text = linecache.getline(code.co_filename, tb.tb_lineno).strip()
            found = code.co_qualname, f"{code.co_filename}:{tb.tb_lineno}: {text}"
        tb = tb.tb_next
    return found


def second(
    f: Callable,
    arrays: Sequence[Any],
    differentiable: Sequence[bool],
    tangents: Sequence[Any],
    cotangents: Sequence[Any],
    check: Callable[[Recorded], None] = lambda recorded: None,
) -> tuple[Recorded, list]:
    """A recording, which `check` looks at, and the derivative of its `vjp` along tangents: a tape over a tape."""
    nodes = [
        Node(np.shape(x), np.iscomplexobj(x), 1) if d else None
        for x, d in zip(arrays, differentiable, strict=True)
    ]
    outer = [x if n is None else Array(x, n, 1) for x, n in zip(arrays, nodes, strict=True)]
    inner = record(f, outer, differentiable)
    check(inner)
    found = inner.vjp(cotangents)
    wanted = [x if x is not None else 0.0 for x in found]
    products = Recorded(wanted, nodes).jvp(tangents)
    return inner, [None if x is None else p for x, p in zip(found, products, strict=True)]

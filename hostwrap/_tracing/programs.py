"""The ways of one function through its branches that are kept as programs, so that its code need not run again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hostwrap._tracing.tape.again import Again, Program

_WAYS = 16  # kept, those that were of use last
_LARGEST = 1_000_000  # numbers of a recording, which a log keeps
_TRIALS = 2  # programs that are made before one was of use


class Programs:
    """Of one function. A program costs about two recordings, and saves nearly all of one when it is of use. So a
    function whose numbers take another way each time soon has no more of them made."""

    def __init__(self) -> None:
        self._ways: list[tuple[Any, Program]] = []
        self._size, self._made, self._used = _LARGEST + 1, 0, 0

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self._ways)

    def at(self, key: Any, leaves: Sequence[Any]) -> Again | None:
        """What a program of these types has at these arguments, if the code takes a way that is known."""
        for way in self._ways:
            if way[0] == key and (found := way[1].run(leaves)) is not None:
                self._used += 1
                if self._ways[0] is not way:
                    self._ways = [way, *(other for other in self._ways if other is not way)]
                return found
        return None

    def recorded(self, size: int) -> None:
        """The last recording had so many numbers."""
        self._size = size

    @property
    def wanted(self) -> bool:
        """Whether the next recording should be one of which a program is made: not the first one, nor a large one."""
        return self._size <= _LARGEST and self._made < _TRIALS + self._used

    def keep(self, key: Any, program: Program | None) -> None:
        self._made += 1
        if program is not None:
            self._ways = [(key, program), *self._ways][:_WAYS]


def key_of(tree: Any, leaves: Sequence[Any]) -> Any:
    """Shapes, and all numbers that a program takes for constant; None of arguments that none can have."""
    rows: list[tuple] = []
    for x in map(np.asarray, leaves):
        if x.dtype == np.float64:
            rows.append((x.shape, None))
        elif x.dtype.kind in "biu":
            rows.append((x.shape, x.tobytes()))
        else:
            return None
    return tree, tuple(rows)

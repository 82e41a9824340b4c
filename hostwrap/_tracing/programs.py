"""A cache of programs, one for each way of a function through its branches: a program replaces another recording."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hostwrap._tracing.tape.again import Again, Program

_WAYS = 16  # kept, those that were of use last
_LARGEST = 1_000_000  # numbers of a recording, which a log keeps
_TRIALS = 2  # programs that are made before one was of use


class Programs:
    """The programs of one function.

    A program costs about two recordings, and saves most of a recording when it fits. A function that takes another way
    each time soon gets no more programs.
    """

    def __init__(self) -> None:
        self._ways: list[tuple[Any, Program]] = []
        self._size, self._made, self._used = _LARGEST + 1, 0, 0

    def __bool__(self) -> bool:
        """Whether there are programs."""
        return bool(self._ways)

    def at(self, key: Any, leaves: Sequence[Any]) -> Again | None:
        """The result of a program at these arguments, if the code takes a known way; else None."""
        for way in self._ways:
            if way[0] == key and (found := way[1].run(leaves)) is not None:
                self._used += 1
                if self._ways[0] is not way:
                    self._ways = [way, *(other for other in self._ways if other is not way)]
                return found
        return None

    def recorded(self, size: int) -> None:
        """Note the size of the last recording."""
        self._size = size

    @property
    def wanted(self) -> bool:
        """Whether to make a program of the next recording: not of the first one, nor of a large one."""
        return self._size <= _LARGEST and self._made < _TRIALS + self._used

    def keep(self, key: Any, program: Program | None) -> None:
        self._made += 1
        if program is not None:
            self._ways = [(key, program), *self._ways][:_WAYS]


def key_of(tree: Any, leaves: Sequence[Any]) -> Any:
    """A key of shapes, and of all numbers that a program treats as constants; None for arguments without a key."""
    rows: list[tuple] = []
    for x in map(np.asarray, leaves):
        if x.dtype == np.float64:
            rows.append((x.shape, None))
        elif x.dtype.kind in "biu":
            rows.append((x.shape, x.tobytes()))
        else:
            return None
    return tree, tuple(rows)

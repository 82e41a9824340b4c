"""A row of the corpus: a function, and numbers to call it with."""

import dataclasses
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

MOVED = 0.03  # each number is drawn from so far below and above the one in the row


@dataclasses.dataclass(frozen=True)
class Row:
    """`function(*arguments, **statics)`, to be differentiated in all arguments: floats, and arrays of floats."""

    id: str
    function: Callable
    arguments: tuple
    statics: dict[str, Any]
    elementwise: bool = False

    @property
    def called(self) -> Callable:
        """The function of its arguments alone: what has a default, or is no number, stays what it is."""
        if self.elementwise and not self.statics:
            return self.function
        return lambda *arguments: self.function(*arguments, **self.statics)

    def drawn(self, seed: int | None) -> tuple:
        """Arguments near those of the row, others for each seed; without one its own."""
        if seed is None:
            return self.arguments
        random = np.random.default_rng([seed, zlib.crc32(self.id.encode())])
        return tuple(_moved(x, random) for x in self.arguments)


def _moved(x, random):
    moved = x * (1 + random.uniform(-MOVED, MOVED, np.shape(x)))
    return moved if np.ndim(x) else float(moved)


class Rows(list):
    """The rows of a file; call it to add one: `add(numpy.polyval, [1.0, 2.0], 0.3)`."""

    def __init__(self, origin: str) -> None:
        super().__init__()
        self.origin = origin

    def __call__(self, function, *arguments, id=None, elementwise=False, **statics):
        what = f"{self.origin}: {id or name_of(function)}"
        again = sum(row.id.partition(" #")[0] == what for row in self)
        self.append(Row(f"{what} #{again + 1}" if again else what, function,
                        tuple(map(_number, arguments)), statics, elementwise))  # fmt: skip

    def on(self, *arguments, **statics):
        """A decorator: the function is a row with these arguments."""

        def added(function):
            self(function, *arguments, **statics)
            return function

        return added


def name_of(function) -> str:
    """`signal.windows.kaiser`, without the private modules that it lies in."""
    owner = getattr(function, "__self__", None)
    if owner is not None and not isinstance(owner, type):
        return f"{type(owner).__name__.removesuffix('_gen')}.{function.__name__}"
    module = ".".join(
        part for part in getattr(function, "__module__", "").split(".") if not part.startswith("_")
    )
    name = f"{module.removeprefix('scipy.')}.{getattr(function, '__qualname__', function.__name__)}"
    return name if "tests.tracing" not in name else function.__name__.removeprefix("_")


def _number(x):
    """A float, or an array of floats (complex ones are made inside of the functions)."""
    array = np.asarray(x)
    if array.dtype != np.float64:
        raise TypeError(
            f"an argument of a row is a float or an array of such, not {x!r}: statics go by keyword"
        )
    return array if array.ndim else float(x)

"""What `compat.id_tap` and `compat.id_print` call on the host. No JAX here."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable
from typing import Any

import numpy as np


def name_of(function: Callable) -> str:
    """What errors call the function."""
    return getattr(function, "__name__", type(function).__name__)


@dataclasses.dataclass(frozen=True)
class Tap:
    """A tap function as a host function: it gets the transformations too, of which there are none."""

    function: Callable
    with_device: bool

    @property
    def __name__(self) -> str:
        return name_of(self.function)

    def __call__(self, arg: Any, **device: Any) -> None:
        self.function(arg, (), **device)


_printing = threading.Lock()


@dataclasses.dataclass(frozen=True)
class Printer:
    """Prints words and values, one call at a time; equal to another that prints the same."""

    words: tuple[str, ...]
    stream: Any
    threshold: int

    __name__ = "id_print"

    def __call__(self, arg: Any, transforms: tuple, **device: Any) -> None:
        words = sorted((*self.words, *(f"{key}: {value}" for key, value in device.items())))
        with _printing:
            for line in (" ".join(words), _text(arg, self.threshold)):
                if line:
                    print(line, file=self.stream)


def _text(value: Any, threshold: int) -> str:
    if isinstance(value, tuple | list):
        left, right = "()" if isinstance(value, tuple) else "[]"
        return " ".join([left, *(_text(v, threshold) for v in value), right])
    if isinstance(value, dict):
        return " ".join(["{", *(f"{k}={_text(v, threshold)}" for k, v in sorted(value.items())), "}"])
    return np.array2string(value, threshold=threshold) if isinstance(value, np.ndarray) else str(value)

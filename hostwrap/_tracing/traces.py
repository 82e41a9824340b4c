"""The record of one run of traced code."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np

from hostwrap._tracing.values import refuse_longer


def own_name(function: Any) -> str:
    """The name of a function. Before SciPy 1.17 its objects that choose between ufuncs have none: it is then that under
    which their module holds them."""
    if type(function).__name__ == "MultiUFunc":
        return next(name for name, x in vars(sys.modules[function.__module__]).items() if x is function)
    return getattr(function, "__name__", "")


def name_of(function: Any) -> str:
    module = getattr(function, "__module__", None) or ("numpy" if isinstance(function, np.ufunc) else "")
    if isinstance(function, np.ufunc) and getattr(np, function.__name__, None) is not function:
        module = "scipy.special"
    return f"{module}.{own_name(function) or type(function).__name__}".lstrip(".")


class Trace:
    """What one run of the user's code used: the functions and their counts, and masks known to be equal."""

    def __init__(self, longest: int | None = None) -> None:
        self.met: dict[str, str] = {}
        self.rough = 0.0  # how far solvers may be apart
        self.masks: dict[Any, Any] = {}
        self.calls, self.longest = 0, longest
        self.seeded = False  # whether the code has seeded NumPy's own generator of random numbers

    @contextlib.contextmanager
    def inside(self) -> Iterator[None]:
        """A function that JAX traces by itself, as a solver's: masks made in it are values in it alone."""
        outside, self.masks = self.masks, dict(self.masks)
        try:
            yield
        finally:
            self.masks = outside

    def count(self) -> None:
        self.calls += 1
        refuse_longer(self.calls, self.longest)

    def note(self, function: Any, twin: str) -> None:
        self.met.setdefault(name_of(function), twin)


class _Traces(threading.local):
    def __init__(self) -> None:
        self.open = [Trace()]


_traces = _Traces()


def current() -> Trace:
    return _traces.open[-1]


def is_nested() -> bool:
    """Whether code is being traced."""
    return len(_traces.open) > 1


@contextlib.contextmanager
def tracing(longest: int | None = None) -> Iterator[Trace]:
    _traces.open.append(Trace(longest))
    try:
        yield current()
    finally:
        _traces.open.pop()

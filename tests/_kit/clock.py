"""An end to what takes too long: in the main thread, of a system with signals."""

import contextlib
import signal
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def ending(seconds: float, error: Any = TimeoutError, clock: str = "VIRTUAL") -> Iterator[None]:
    """Raises the error in the block after so much time of this process, or of another clock: REAL, PROF."""
    timer = getattr(signal, f"ITIMER_{clock}")
    number = getattr(signal, {"REAL": "SIGALRM", "VIRTUAL": "SIGVTALRM", "PROF": "SIGPROF"}[clock])

    def late(*_: Any) -> None:
        raise error

    before = signal.signal(number, late)
    signal.setitimer(timer, seconds)
    try:
        yield
    finally:
        signal.setitimer(timer, 0)
        signal.signal(number, before)

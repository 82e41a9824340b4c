"""A host function as one step of a program: called by the derivative rule of another one, or its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hostwrap._host.layout import Layout


class HostStep:
    def __init__(self, host: Any, layout: Layout, caller: str) -> None:
        self.host, self.layout, self.caller = host, layout, caller
        self.function = host.inline(layout)

    def __call__(self, *arrays: Any) -> Any:
        try:
            results = self.function(*arrays)
        except Exception as error:
            if self.host.name != self.caller:
                error.add_note(f"raised by {self.host.name}, which a derivative rule of {self.caller} calls")
            raise
        return results if len(self.layout.outs) > 1 else results[0]

    def record(self, arrays: Sequence[Any], perform: Callable) -> Any:
        count = len(self.layout.outs)
        results = self.host.record(arrays, self.layout, range(count), perform)
        return results if count > 1 else results[0]

"""`numpy.vectorize`: the arguments that it maps over, and those that it passes unchanged."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np


class Vectorized:
    """The function and the options of a `numpy.vectorize`."""

    def __init__(
        self, pyfunc: Callable, otypes: Any = None, doc: Any = None, excluded: Any = None, cache: bool = False,
        signature: str | None = None,
    ) -> None:  # fmt: skip
        self.pyfunc, self.excluded, self.signature = pyfunc, set(excluded or ()), signature

    @classmethod
    def of(cls, x: np.vectorize, pyfunc: Callable) -> Vectorized:
        return cls(pyfunc, excluded=x.excluded, signature=x.signature)

    def split(self, args: tuple, kwargs: dict[str, Any]) -> tuple[list, Callable]:
        """The mapped arguments, and the function of one element of each."""
        places = [i for i in range(len(args)) if i not in self.excluded]
        names = [name for name in kwargs if name not in self.excluded]

        def of_elements(*elements: Any) -> Any:
            own, named = list(args), dict(kwargs)
            for i, x in zip(places, elements, strict=False):
                own[i] = x
            named.update(zip(names, elements[len(places) :], strict=True))
            return self.pyfunc(*own, **named)

        return [args[i] for i in places] + [kwargs[name] for name in names], of_elements

    def ranks(self, count: int) -> list[int]:
        """The number of core axes of each of these arguments."""
        if self.signature is None:
            return [0] * count
        return [len(re.findall(r"\w+", core)) for core in re.findall(r"\(([^)]*)\)", self.signature)[:count]]

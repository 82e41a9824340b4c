"""The Jacobians of a host function by differences, as a host function. No JAX here."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from hostwrap._errors import ResultError
from hostwrap._host.function import WIDE, HostFunction
from hostwrap._host.layout import Layout
from hostwrap._numerical.method import Partial, Steps, partials


@dataclasses.dataclass(eq=False)
class NumericalHost(HostFunction):
    """`lenient` does the same, with NaN for a derivative that cannot be told, where the function raises an error."""

    lenient: Callable[..., tuple] | None = None


def numerical_host(host: HostFunction, layout: Layout, live: Sequence[int], steps: Steps) -> NumericalHost:
    """For each of the `live` arguments (for each part of a complex one), the Jacobian of each inexact result."""

    def checked(*arrays: np.ndarray) -> tuple:
        return tuple(_checked(host.name, name, part, steps) for name, part in found(arrays))

    def lenient(*arrays: np.ndarray) -> tuple:
        return tuple(np.where(_doubtful(part, steps), np.nan, part.value) for _, part in found(arrays))

    def found(arrays: Sequence[np.ndarray]) -> Iterator[tuple[str, Partial]]:
        return jacobians(host, layout, live, steps, arrays)

    return NumericalHost(
        checked, host.name, host.argnames, widen=host.widen or host.trusted, lock=host.lock,
        allow_jax=host.allow_jax, on_error=host.on_error, lenient=lenient,
    )  # fmt: skip


def jacobians(
    host: HostFunction, layout: Layout, live: Sequence[int], steps: Steps, arrays: Sequence[np.ndarray]
) -> Iterator[tuple[str, Partial]]:
    """(argument, partial) in the order of `numerical_host`; arrays all have the whole batch."""
    if isinstance(host, NumericalHost) and host.lenient:
        host = dataclasses.replace(host, function=host.lenient)
    if host.widen or host.trusted:  # results too: rounded to single precision they have no differences
        wide = [dataclasses.replace(out, dtype=WIDE.get(out.dtype.kind, WIDE["f"])) for out in layout.outs]
        layout = dataclasses.replace(layout, outs=tuple(wide))

    def function(points: Sequence[np.ndarray]) -> list[np.ndarray]:
        return host.bind([p.shape for p in points], [p.dtype for p in points], layout, moving(layout))(points)

    for i in live:
        for parts in partials(function, arrays, i, layout.in_core[i], host.argnames[i], steps):
            yield from ((host.argnames[i], part) for part in parts)


def moving(layout: Layout) -> list[int]:
    """The results that have derivatives: those that are no integers."""
    return [k for k, out in enumerate(layout.outs) if out.dtype.kind not in "biu"]


def _doubtful(part: Partial, steps: Steps) -> np.ndarray:
    """Where the estimated error is larger than accepted, though the function has a value."""
    return ~(part.error <= steps.rtol * (np.abs(part.value) + part.typical)) & np.isfinite(part.typical)


def _checked(function: str, name: str, part: Partial, steps: Steps) -> np.ndarray:
    doubtful = _doubtful(part, steps)
    if np.any(doubtful):
        worst = np.argmax(np.where(doubtful, part.error, -1))
        raise ResultError(
            f"{function}: the numerical derivative with respect to `{name}` cannot be trusted: it is "
            f"{part.value.flat[worst]:.3g}, with an estimated error of {part.error.flat[worst]:.2g}. Give steps inside "
            "of the domain and as large as the function is smooth, numerical={'initial_step': ...}, on one side of an "
            "edge with 'step_direction'; or accept the error of a noisy function with a larger 'rtol'; or give a rule."
        )
    return part.value

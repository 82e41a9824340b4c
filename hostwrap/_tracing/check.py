"""Check a derivative: compare the value of the traced program with the value of the host.

XLA compares the two values. Only if they differ by more than the rounding of the result, the program calls the host.
The host estimates how much the rounding of intermediate numbers can change the result (`Rounding`), and raises an error
if the difference is larger. The tangents are multiplied by the result of this call, so there is no derivative without
the comparison. Under `vmap` JAX computes both branches of a `lax.cond`, and the host compares again.

The accepted rounding of a result is `RTOL` of itself. In an array that is not elementwise it is also `BESIDE` of the
largest element. The accepted rounding of each intermediate number is `ON_THE_WAY`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap._call.spec import Spec
from hostwrap._errors import ResultError
from hostwrap._host.layout import Layout, Result
from hostwrap._lanes.primitive import host_call

RTOL = {8: 1e-8, 4: 1e-3, 2: 1e-1}
BESIDE = {8: 1e-13, 4: 1e-5, 2: 1e-2}
ON_THE_WAY = {8: 1e-12, 4: 1e-4, 2: 1e-1}
TINY = {8: 2.3e-308, 4: 1.2e-38, 2: 6.2e-5}  # XLA flushes what is smaller

Rounding = Callable[[Sequence[np.ndarray]], Sequence[np.ndarray] | None]
"""Of arguments: how far each result moves if each number on the way does by as much as itself; None: nobody knows."""


class Comparison:
    """The comparison of the values of one function with this number of argument leaves."""

    def __init__(self, spec: Spec, whole: bool, rounding: Rounding) -> None:
        self.spec, self.whole, self.rounding = spec, whole, rounding
        self.host = functools.lru_cache(maxsize=64)(self._host)

    def checked(
        self, leaves: Sequence[Any], answers: Sequence[Any], values: Sequence[Any], tangents: Sequence[Any],
        rough: float = 0.0,
    ) -> list:  # fmt: skip
        """The tangents; raises where the traced `values` differ from the host's `answers`.

        `rough` is a larger accepted difference, relative to the largest element, for code with solvers.
        """
        moving = [i for i, t in enumerate(tangents) if t.dtype != jax.dtypes.float0]
        if not moving:
            return list(tangents)
        values = [jnp.broadcast_to(v, y.shape) for y, v in zip(answers, values, strict=True)]
        leaves, answers, values = jax.lax.stop_gradient([list(leaves), list(answers), values])
        widths = tuple(map(_width, answers))
        excess = _excess(widths, self.whole, rough, answers, values)
        arrays = [*leaves, *answers, *values]
        if not isinstance(excess, jax.core.Tracer):  # outside of a program
            if not excess <= 1:
                self._compare(widths, rough, list(map(np.asarray, arrays)))
            return list(tangents)
        layout = Layout((0, *(x.ndim for x in arrays)), (Result((), np.dtype(excess.dtype)),))
        one = jax.lax.cond(
            excess <= 1,
            lambda: jnp.ones_like(excess),
            lambda: host_call(self.host(widths, rough), layout, excess, *arrays)[0],
        )
        one = jax.lax.stop_gradient(one)
        return [t * one.astype(t.dtype) if i in moving else t for i, t in enumerate(tangents)]

    def _host(self, widths: tuple[int, ...], rough: float) -> Any:
        def compare(excess: np.ndarray, *arrays: np.ndarray) -> tuple:
            for place in np.argwhere(~(excess <= 1)):
                self._compare(widths, rough, [_part(x, place) for x in arrays])
            return (np.ones(np.shape(excess)),)

        return self.spec.hosted(compare, self.spec.name, ("excess",), vmap_method="expand_dims")

    def _compare(self, widths: tuple[int, ...], rough: float, arrays: list) -> None:
        """Raise if the values differ by more than the rounding of intermediate numbers explains."""
        count = len(widths)
        leaves, answers, values = arrays[: -2 * count], arrays[-2 * count : -count], arrays[-count:]
        with np.errstate(all="ignore"):
            if self.whole:
                leaves, answers, values = self._differing(widths, rough, leaves, answers, values)
            noises = self.rounding(leaves)
            bad = self._first_bad(widths, rough, answers, values, noises)
            if bad and noises is not None:
                bad = self._first_bad(widths, rough, answers, values, self._noises_beside(leaves, noises))
            if bad:
                raise ResultError(self._words(*bad))

    def _first_bad(
        self, widths: tuple[int, ...], rough: float, answers: list, values: list, noises: Any
    ) -> tuple[Any, Any] | None:
        """The first two values that differ by more than this rounding explains; None if there are none."""
        for k, (width, host, traced) in enumerate(zip(widths, answers, values, strict=True)):
            apart, allowed = _apart(np, width, self.whole, rough, host, traced)
            if noises is None:
                more = RTOL[width] * _largest(np, np.abs(host)) + BESIDE[width]
            else:
                more = np.nan_to_num(ON_THE_WAY[width] * noises[k], nan=0.0, posinf=np.inf)
            bad = np.ravel(~(apart <= np.maximum(allowed, more)))
            if bad.any():
                return np.ravel(host)[bad][0], np.ravel(traced)[bad][0]
        return None

    def _noises_beside(self, leaves: list, here: Sequence[np.ndarray]) -> Sequence[np.ndarray]:
        """The rounding here, or, if that is more, where the arguments are rounded otherwise.

        A sum of squares that vanishes moves in second order. At the tip of a cone, such as sqrt(x * x), the rounding is
        nan: there, an argument that is 0 moves too.
        """
        cone = any(np.isnan(noise).any() for noise in here)
        beside = self.rounding([_beside(x, cone) if x.dtype.kind in "fc" else x for x in leaves])
        return here if beside is None else [np.fmax(*pair) for pair in zip(here, beside, strict=True)]

    def _differing(self, widths: tuple[int, ...], rough: float, *rows: list) -> list[list]:
        """The elements that differ; for functions that are not elementwise, all of them."""
        shape = np.broadcast_shapes(*(np.shape(x) for row in rows for x in row))
        rows = tuple([np.broadcast_to(x, shape) for x in row] for row in rows)
        bad = np.zeros(shape, bool)
        for width, host, traced in zip(widths, rows[1], rows[2], strict=True):
            apart, allowed = _apart(np, width, True, rough, host, traced)
            bad |= ~(apart <= allowed)
        return [[x[bad] for x in row] for row in rows]

    def _words(self, host: Any, traced: Any) -> str:
        return (
            f"{self.spec.name}: its derivative would be wrong. The function returned {host.item()!r}, the program that "
            f"was traced from its code {traced.item()!r}. Does it depend on something else than its arguments, such as "
            "a global variable, a random number, or memory that nobody wrote to? Then pass that as an argument. Else "
            'give a rule, or numerical=True. (derivatives="unchecked" leaves out the comparison.)'
        )


def _beside(x: np.ndarray, cone: bool) -> np.ndarray:
    step = x.dtype.type(ON_THE_WAY[_width(x)])
    return np.where((x == 0) & cone, step, x * (1 + step)).astype(x.dtype)


def _part(x: np.ndarray, place: Any) -> np.ndarray:
    """One element of a batch; an axis of size 1 broadcasts."""
    return x[tuple(min(int(i), n - 1) for i, n in zip(place, x.shape, strict=False))]


def _width(x: Any) -> int:
    return jnp.finfo(x.dtype).dtype.itemsize if jnp.issubdtype(x.dtype, jnp.inexact) else 8


def _largest(xp: Any, size: Any) -> Any:
    return xp.max(xp.where(size < xp.inf, size, 0), initial=0)


def _apart(xp: Any, width: int, whole: bool, rough: float, host: Any, traced: Any) -> tuple[Any, Any]:
    """(the difference, the difference that rounding of the results explains); `xp` is NumPy or jax.numpy."""
    if host.dtype.kind in "biu":
        host, traced = (x.astype(np.float64 if xp is np else jnp.result_type(float)) for x in (host, traced))
    size = xp.abs(host)
    same = (host == traced) | ((host != host) & (traced != traced))
    beside = max(0 if whole else BESIDE[width], rough) * _largest(xp, size)
    allowed = RTOL[width] * xp.where(size < xp.inf, size, 0) + beside + TINY[width]
    return xp.where(same, 0, xp.abs(host - traced)), allowed


@functools.partial(jax.jit, static_argnums=(0, 1, 2))
def _excess(widths: tuple[int, ...], whole: bool, rough: float, answers: list, values: list) -> Any:
    """The difference divided by the accepted one: at most 1 if the values agree."""
    pairs = [_apart(jnp, w, whole, rough, y, v) for w, y, v in zip(widths, answers, values, strict=True)]
    ratios = [apart / allowed for apart, allowed in pairs]
    worst = [r if not r.ndim else jnp.max(r, initial=0) for r in ratios]
    return functools.reduce(jnp.maximum, worst).astype(jnp.result_type(float))

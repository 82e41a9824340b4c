"""What the derivatives of an initial value problem do where its right-hand side jumps at a time that moves.

The solution y crosses a place g(t, y, p) = 0 at a time c(p), which moves by dc = -(g_y dy + g_p dp) / (g_t + g_y f-).
Behind it dy is that before it plus (f- - f+) dc (Rozenvasser, General sensitivity equations of discontinuous systems,
1967). So the variational equations are integrated up to the place, changed there, and begin anew behind it. They and
their change are an initial value problem with jumps themselves, which has derivatives in its turn.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap._errors import MissingDerivative
from hostwrap._recipes.closures import Closure, wide
from hostwrap.integrate._places import crossed, even, outcomes_in
from hostwrap.integrate._switches import switches
from hostwrap.integrate._walk import walk


class _Switches(Exception):
    """Raised where a right-hand side takes another branch, to leave SciPy's solver."""


class Crossings(NamedTuple):
    """The jumps in `dz/dt = rate(t, z, *outside)`, where z begins with y [n], and then has derivatives of y.

    `change(t, z, after, shift, chosen, *outside)` is z behind a jump at t, with z before it. The place behind it is
    (t + after, y + shift); `chosen` is 1 for the switch that changes there, 0 for the others. `lower` is the system
    whose variational equations these are: its rate, its change and its size.
    """

    name: str
    n: int
    rate: Callable
    gaps: Callable  # (t, y, *outside) -> (outcomes, gaps)
    change: Callable
    lower: tuple[Callable, Callable, int]

    @classmethod
    def of(cls, name: str, rate: Callable, examples: Sequence[Any]) -> Crossings | None:
        """Those of y itself, which does not jump; None if no branch ends at a time that may move."""
        others = len(examples) - 2
        gaps = switches(rate, examples, [True, True, *[False] * others], [False, True, *[True] * others])
        (n,) = examples[1].shape
        same = lambda t, z, *more: z
        return None if gaps is None else cls(name, n, rate, gaps, same, (rate, same, n))

    def derived(self, rate: Callable, size: int, i: int | None, directions: Any) -> Crossings:
        """Those of a system of this rate and size with its derivatives along these directions of outside[i].

        Without i the derivatives are in the start value.
        """

        def change(t: Any, state: Any, after: Any, shift: Any, chosen: Any, *outside: Any) -> Any:
            z, moves = state[:size], state[size:].reshape(size, -1)
            of = jnp.zeros(()) if i is None else outside[i]
            put = lambda x: outside if i is None else (*outside[:i], x, *outside[i + 1 :])
            gap = lambda t, z, x: self._gap(t, z, chosen, put(x))
            behind = lambda t, z, x: self.change(t, z, after, shift, chosen, *put(x))
            before, there = rate(t, z, *outside), behind(t, z, of)
            beyond = rate(t + after, _moved(there, shift), *outside)
            none = jnp.zeros_like(of)
            along_time = jax.jvp(gap, (t, z, of), (jnp.ones_like(t), before, none))[1]

            def along(v: Any, d: Any) -> Any:
                dt = -jax.jvp(gap, (t, z, of), (jnp.zeros_like(t), v, d))[1] / along_time
                return jax.jvp(behind, (t, z, of), (dt, v + before * dt, d))[1] - beyond * dt

            every = jnp.broadcast_to(none, (moves.shape[1],)) if i is None else directions
            return jnp.concatenate([there, jnp.ravel(jax.vmap(along, (1, 0), 1)(moves, every))])

        return self._replace(change=change, lower=(rate, self.change, size))

    def _gap(self, t: Any, z: Any, chosen: Any, outside: Sequence[Any]) -> Any:
        return jnp.sum(jnp.where(chosen > 0, self.gaps(t, z[: self.n], *outside)[1], 0.0))

    def _sides(self, t: Any, z: Any, after: Any, shift: Any, chosen: Any, *outside: Any) -> tuple:
        """On both sides: how fast the gap changes, and the rates of the lower system."""
        rate, change, size = self.lower
        y, none = z[: self.n], (jnp.ones_like(t),)
        f, beyond = self.rate(t, y, *outside), self.rate(t + after, y + shift, *outside)
        gap = lambda t, y: self._gap(t, y, chosen, outside)
        speeds = [
            jax.jvp(gap, (t, y), (*none, f))[1],
            jax.jvp(gap, (t + after, y + shift), (*none, beyond))[1],
        ]
        there = change(t, z[:size], after, shift, chosen, *outside)
        return jnp.stack(speeds), rate(t, z[:size], *outside), rate(t + after, _moved(there, shift), *outside)

    def solver(self, together: Callable, examples: Sequence[Any]) -> Callable:
        """On the host: `solve(whole, stepper, start, times, outside)`, the solution [size, k] of these equations.

        `whole(f)` is SciPy's solution. It serves if the right-hand side takes the same branches everywhere. `stepper(f,
        t, z, end)` begins one that makes its steps one by one.
        """
        t, z, *outside = examples
        y = jax.ShapeDtypeStruct((self.n,), z.dtype)
        chosen = jax.eval_shape(self.gaps, t, y, *outside)[0]
        host = lambda f, *given: Closure(self.name, f, *given).numpy()
        rates = host(
            lambda t, z, *more: (together(t, z, *more), self.gaps(t, z[: self.n], *more)[0]), *examples
        )
        branches = host(self.gaps, t, y, *outside)
        at_place = t, z, t, y, chosen, *outside
        change, sides = host(self.change, *at_place), host(self._sides, *at_place)

        def solve(whole: Callable, stepper: Callable, start: Any, times: Any, outside: Sequence[Any]) -> Any:
            outside = wide(outside)
            both, way = rates.of_numbers([], outside), branches.of_numbers([], outside)
            ways: list[Sequence[float]] = []

            def f(t: float, z: Any) -> Any:
                row = both(float(t), *z.tolist())
                ways[:1] = ways[:1] or [row[len(z) :]]
                if row[len(z) :] != ways[0] and not stepping:
                    raise _Switches
                return np.array(row[: len(z)], float)

            stepping = False
            with contextlib.suppress(_Switches):
                return whole(f)
            stepping = True

            def find(at: Callable, places: list, known: Any) -> tuple[tuple | None, Any]:
                read = lambda t: way(float(t), *at(t)[: self.n].tolist())
                found = next(iter(crossed(read, places, lambda t: f(t, at(t)), known)), None)
                return found, outcomes_in(read(places[-1] if found is None else found[0] + found[2]))

            def behind(at: Callable, found: tuple) -> tuple[float, Any]:
                t, before, after, changed = found
                t, width = t + before, after - before
                z, shift = at(t), at(t + width)[: self.n] - at(t)[: self.n]
                given = [(np.float64(t), z, np.float64(width), shift, c, *outside) for c in changed]
                moved = self._behind(t, z, [(sides([], x), lambda x=x: change([], x)[0]) for x in given])
                return t + width, _moved(moved, shift)

            last = float(times[-1])
            begin = lambda t, z: stepper(f, t, z, last)
            rows, todo = [start], [float(s) for s in times[1:]]
            for piece in walk(begin, find, behind, float(times[0]), np.asarray(start, float), last):
                while todo and abs(todo[0] - piece.start) <= abs(piece.end - piece.start):
                    rows.append(piece.at(todo.pop(0)))
            return np.stack(rows, axis=1)

        return solve

    def _behind(self, t: float, z: Any, given: Sequence[tuple]) -> Any:
        """z behind a jump, given what is on both sides of it, and the change, for each switch that changes."""
        found = []
        for (speeds, before, beyond), change in given:
            if np.all(even(before, beyond, np.max(np.abs([before, beyond])))):
                return z
            behind = change()
            if not (np.all(np.isfinite(speeds)) and np.all(np.isfinite(behind))):
                continue
            if speeds[0] * speeds[1] <= 0:
                raise self._refused(
                    t, "keeps the solution at the place where it jumps: no derivative is known there"
                )
            found.append(behind)
        if not found:
            raise self._refused(
                t, "jumps in a loop, in code that is recorded, or where the solution only touches the place"
            )
        if np.max(np.abs(np.stack(found) - found[0])) > 1e-6 * np.max(np.abs(found[0])):
            raise self._refused(t, "jumps for two reasons at once, and the solution has a kink there")
        return found[0]

    def _refused(self, t: float, what: str) -> MissingDerivative:
        return MissingDerivative(
            f"{self.name}: there is no derivative: the right-hand side {what}, at t = {t:.6g}. End the integration "
            "there with a terminal event, and begin anew behind it, or smooth the jump."
        )


def _moved(z: Any, shift: Any) -> Any:
    """z with another y."""
    xp = np if isinstance(z, np.ndarray) else jnp
    return xp.concatenate([z[: len(shift)] + shift, z[len(shift) :]])

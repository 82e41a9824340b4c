"""What an integral over x has in its derivative beside the integral of the slope: jumps at places that move.

Where f jumps at x = c(p), the derivative of the integral of f in p has the part (f(c-) - f(c+)) c'(p), Leibniz's rule
for the two intervals that meet there. The next derivative has that of the next integrand, and that of this part:

    d/dp [integral of f_n + sum of J_n(c)] = integral of df_n/dp + sum of (f_n(c-) - f_n(c+)) c' + dJ_n/dx c' + dJ_n/dp

A kink of f is a jump of df/dp, so it has a part from the second derivative on. The places are looked for among those
where SciPy computes f. A place at a limit has no part: there the integrand counts as it is inside (`at_limit`), for on
the place itself it may be that of either side, or, as the slope of a maximum, something between them.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap._errors import MissingDerivative
from hostwrap._recipes.closures import Closure, wide
from hostwrap.integrate._places import apart, crossed, inward, jumps, outcomes_in
from hostwrap.integrate._switches import switches


class Jumps(NamedTuple):
    """The jumps in an integral whose integrand was `f(x, *outside)` before its derivatives were taken.

    `part(x, before, after, chosen, *outside)` is J_n; before and after are distances to both sides; `chosen` is 1 for
    the switch that changes there, 0 for the others. `lower` are the integrands of lower orders.
    """

    name: str
    f: Callable
    gaps: Callable  # (x, *outside) -> (outcomes, gaps)
    counting: Callable  # the same, with the switches of integrals inside
    part: Callable | None = None
    lower: tuple[Callable, ...] = ()

    @classmethod
    def of(cls, name: str, f: Callable, examples: Sequence[Any]) -> Jumps | None:
        """None if no branch ends at a place that may move."""
        here = [True, *[False] * (len(examples) - 1)]
        gaps, counting = (
            switches(f, examples, here, [not x for x in here], counted) for counted in (False, True)
        )
        return None if gaps is None or counting is None else cls(name, f, gaps, counting)

    def derived(self, integrand: Callable, i: int) -> Jumps:
        """Those in the derivative in `outside[i]`, where the integrand was this one before."""

        def part(x: Any, before: Any, after: Any, chosen: Any, *outside: Any) -> Any:
            of = outside[i]
            put = lambda v: (*outside[:i], v, *outside[i + 1 :])
            gap = lambda x, v: jnp.sum(jnp.where(chosen > 0, self.gaps(x, *put(v))[1], 0.0))
            apart = integrand(x + before, *outside) - integrand(x + after, *outside)
            slope = jax.jvp(gap, (x, of), (jnp.ones_like(x), jnp.zeros_like(of)))[1]

            def along(d: Any) -> Any:
                speed = -jax.jvp(gap, (x, of), (jnp.zeros_like(x), d))[1] / slope
                if self.part is None:
                    return apart * speed
                of_part = lambda x, v: self.part(x, before, after, chosen, *put(v))
                return apart * speed + jax.jvp(of_part, (x, of), (speed, d))[1]

            units = jnp.eye(of.size, dtype=of.dtype).reshape(of.size, *of.shape)
            return jax.vmap(along, out_axes=-1)(units).reshape(*apart.shape, *of.shape)

        return self._replace(part=part, lower=(*self.lower, integrand))

    def summed(self, examples: Sequence[Any]) -> Callable:
        """On the host, for (integrator, lower, upper, outside): the sum of J_n over all places, and the places."""
        (x, *outside), of_jumps = examples, self.part
        assert of_jumps is not None  # an integral that was not differentiated has none
        # an integral inside is continuous where one of its own places enters or leaves; its derivatives are not
        gaps = self.gaps if len(self.lower) == 1 else self.counting
        lower_ones = lambda *args: jnp.concatenate([jnp.ravel(f(*args)) for f in self.lower])
        found_in = self._places(examples, gaps, lower_ones)
        sides = Closure(self.name, lower_ones, *examples).numpy()
        chosen = jax.eval_shape(self.gaps, *examples)[0]
        flat = lambda *args: jnp.ravel(of_jumps(*args))
        part = Closure(self.name, flat, x, x, x, chosen, *outside).numpy()

        def total(
            integrator: Callable, lower: float, upper: float, outside: Sequence[Any]
        ) -> tuple[Any, list]:
            side = lambda x: np.asarray(sides([], [np.float64(x), *outside])[0])
            seen, found = found_in(integrator, lower, upper, outside)
            ends = [lower, *(x for x, *_ in found), upper]
            size, parts = _size(side, ends, seen) if found else 0.0, [0.0]
            for x, before, after, changed in found:
                near, far = apart(side, x, before, after)
                jumping = jumps(near, far, size)
                if not np.any(jumping):
                    continue
                if not np.all(~jumping | (np.abs(far - near) <= 1e-4 * np.abs(near) + 1e-6 * size)):
                    raise self.refused(x, "is infinite")
                each = [part([], [*map(np.float64, (x, before, after)), c, *outside])[0] for c in changed]
                parts.append(self._one(x, [y for y in each if np.all(np.isfinite(y))]))
            return sum(parts), ends

        return total

    def counter(self, examples: Sequence[Any], integrator: Callable) -> Callable:
        """On the host: how many places there are, for (lower, upper, *outside).

        `integrator(outside)` is a function of (f, lower, upper).
        """
        found_in = self._places(examples, self.gaps, self.f)

        def count(lower: Any, upper: Any, *outside: Any) -> float:
            rest = wide(outside)
            return float(len(found_in(integrator(rest), lower.item(), upper.item(), rest)[1]))

        return count

    def _places(self, examples: Sequence[Any], gaps: Callable, sides: Callable) -> Callable:
        """On the host: (the places where SciPy computes f, and those where an outcome changes: see `crossed`)."""
        eps = float(jnp.finfo(examples[0].dtype).eps)
        host = lambda f: Closure(self.name, f, *examples).numpy()
        base, ways, sides_of = host(self.f), host(gaps), host(lambda *args: jnp.ravel(sides(*args)))

        def places(
            integrator: Callable, lower: float, upper: float, outside: Sequence[Any]
        ) -> tuple[list, list]:
            value, read, side = (x.of_numbers([], outside) for x in (base, ways, sides_of))
            seen = [lower, upper]

            def watched(x: float) -> float:
                seen.append(x)
                return value(x)[0]

            integrator(watched, lower, upper)
            ordered = sorted({x for x in seen if np.isfinite(x)}, reverse=lower > upper)
            at_limits = list(self._ending(read, lower, upper, eps))
            found = crossed(read, ordered, lambda x: np.array(side(x), float))
            return ordered, [
                one for one in found if not any(abs(one[0] - x) <= near for x, near in at_limits)
            ]

        return places

    @staticmethod
    def _ending(read: Callable, lower: float, upper: float, eps: float) -> Iterator[tuple[float, float]]:
        """The limits at which a branch ends, see `at_limit`, and how far from them a place is taken for the limit."""
        for limit, other in ((lower, upper), (upper, lower)):
            if np.isfinite(limit):
                step = inward(np, limit, other, eps)
                if not np.array_equal(
                    outcomes_in(read(limit)), outcomes_in(read(limit + step)), equal_nan=True
                ):
                    yield limit, abs(step) + 2.0**-58 * min(1.0, abs(other - limit))

    def _one(self, x: float, parts: list) -> Any:
        if not parts:
            raise self.refused(x, "jumps in a loop, in code that is recorded, or does not move with x,")
        size = np.max(np.abs(parts))
        if np.max(np.abs(parts - parts[0])) > 1e-6 * size:
            raise self.refused(x, "jumps for two reasons, which move apart,")
        return parts[0]

    def refused(self, x: float, what: str) -> MissingDerivative:
        return MissingDerivative(
            f"{self.name}: there is no derivative: the integrand {what} at x = {x:.6g}, a place that may move. Split "
            "the interval there, so that the place is a limit of both integrals."
        )


def at_limit(f: Callable, jumps: Jumps | None, limit: Any, other: Any, outside: Sequence[Any]) -> Any:
    """f at a limit, inside if a branch ends there; 0 at an infinite one, where f is not called."""
    infinite = jnp.isinf(limit)
    x = jnp.where(infinite, jnp.where(jnp.isinf(other), 0.5, other + 1), limit)
    if jumps is not None:
        held, *rest = jax.lax.stop_gradient((x, *outside))
        step = inward(jnp, held, jax.lax.stop_gradient(other), float(jnp.finfo(held.dtype).eps))
        ways = [jumps.gaps(place, *rest)[0] for place in (held, held + step)]
        x = x + jnp.where(jnp.any(ways[0] != ways[1]), step, 0.0)
    return jnp.where(infinite, 0.0, f(x, *outside))


def _size(side: Callable, ends: Sequence[float], places: Sequence[float]) -> float:
    """The size of the integrands, by some of the places, and one between any two changes."""
    finite = [x for x in ends if np.isfinite(x)]
    middles = [(a + b) / 2 for a, b in itertools.pairwise(finite)]
    every = np.stack([side(x) for x in (*middles, *places[:: 1 + len(places) // 40])])
    return float(np.max(np.abs(every), initial=0.0, where=np.isfinite(every)))

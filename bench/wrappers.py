"""Derivatives in all arguments beside what one writes by hand: `pure_callback`, recurrences, differences for orders.

Neither SciPy nor JAX has derivatives in the order of a Bessel function; by hand they are central differences, with
half of the digits. JAX has gammainc, with derivatives in both arguments, but no second one in the first.
"""

import functools

import jax
import jax.numpy as jnp
import jax.scipy.special
import scipy.special

from bench.baselines import by_hand
from bench.timing import duration, in_turn, table
from hostwrap import special

STEP = 6e-6  # of a central difference, about eps^(1/3)
POINTS = {"jv": (1.5, 2.0), "kv": (1.5, 2.0), "gammainc": (1.5, 2.0)}
TRANSFORMS = {
    "value": lambda f: f,
    "grad": lambda f: jax.grad(f, (0, 1)),
    "hessian": lambda f: jax.hessian(f, (0, 1)),
    "vmap(grad), 1000": lambda f: jax.vmap(jax.grad(f, (0, 1)), (None, 0)),
}
JAXS = {"gammainc": jax.scipy.special.gammainc}


def written_by_hand(name: str):
    """The function with the rule that a careful user would give it."""
    f = jax.custom_jvp(by_hand(getattr(scipy.special, name)))

    def slopes(a, z):
        by_order = (f(a + STEP, z) - f(a - STEP, z)) / (2 * STEP)
        if name == "jv":
            return by_order, (f(a - 1, z) - f(a + 1, z)) / 2
        if name == "kv":
            return by_order, -(f(a - 1, z) + f(a + 1, z)) / 2
        return by_order, jnp.exp((a - 1) * jnp.log(z) - z - jax.scipy.special.gammaln(a))

    @f.defjvp
    def rule(primals, tangents):
        by_order, by_argument = slopes(*primals)
        return f(*primals), by_order * tangents[0] + by_argument * tangents[1]

    return f


def report(seconds: float = 1.0) -> str:
    head = ["derivatives in both arguments", "", "hostwrap", "hand-written", "JAX", "ratio"]
    rows = [_row(name, transform, seconds) for name in POINTS for transform in TRANSFORMS]
    return table("Derivatives, compared with hand-written wrappers", head, rows)


def _row(name: str, transform: str, seconds: float) -> list[str]:
    a, z = POINTS[name]
    args = (jnp.float64(a), jnp.linspace(0.5, 9.0, 1000) if "vmap" in transform else jnp.float64(z))
    found = {"ours": getattr(special, name), "by hand": written_by_hand(name), "jax": JAXS.get(name)}
    calls = {}
    for who, f in found.items():
        if f is None or (who == "jax" and transform == "hessian"):
            continue
        calls[who] = functools.partial(jax.jit(TRANSFORMS[transform](f)), *args)
    t = in_turn(calls, seconds)
    times = [duration(t[who]) if who in t else "" for who in found]
    return [name, transform, *times, f"{t['ours'] / t['by hand']:.2f}"]

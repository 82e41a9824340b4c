"""Derivatives beside those of `jax.scipy.special`: the gradient in all arguments, where both have the function."""

import functools

import jax
import jax.numpy as jnp
import jax.scipy.special
import numpy as np

from bench.timing import duration, in_turn, table
from hostwrap import special

SIZES = (1, 100_000)
SLOWER = 1.1
BOXES: dict[str, tuple[tuple[float, float], ...]] = {
    **dict.fromkeys(["gammainc", "gammaincc"], ((0.5, 50), (0.5, 50))),
    "betainc": ((0.5, 20), (0.5, 20), (0.01, 0.99)),
    **dict.fromkeys(["gammaln", "digamma", "gamma"], ((0.5, 50),)),
    **dict.fromkeys(["betaln", "beta", "xlogy", "xlog1py", "rel_entr", "kl_div"], ((0.5, 20), (0.5, 20))),
    **dict.fromkeys(["erf", "erfc", "ndtr", "log_ndtr", "expit"], ((-3, 3),)),
    **dict.fromkeys(["erfinv", "ndtri", "logit", "entr"], ((0.05, 0.95),)),
    **dict.fromkeys(["i0", "i0e", "i1", "i1e", "expi", "exp1"], ((0.5, 20),)),
    "zeta": ((1.5, 20), (0.5, 20)),
    "poch": ((0.5, 10), (0.5, 10)),
    "spence": ((0.1, 5),),
    "hyp1f1": ((0.5, 3), (1, 4), (-3, 3)),
    "hyp2f1": ((0.5, 3), (0.5, 3), (1, 4), (0.05, 0.7)),
}
NOT_JAXS = {"betainc": (0, 1), "zeta": (0,)}  # arguments in which JAX has no derivative for every point


def report(seconds: float = 0.2) -> str:
    head = ["gradient", *(cell for n in SIZES for cell in (f"{n:,}: hostwrap", "JAX", "ratio"))]
    rows, slower = [], dict.fromkeys(SIZES, 0)
    for name in BOXES:
        row = [name]
        for count in SIZES:
            ours, theirs = _times(name, count, seconds)
            slower[count] += ours > SLOWER * theirs
            row += [duration(ours), duration(theirs), f"{ours / theirs:.2f}"]
        rows.append(row)
    counts = ", ".join(f"{slower[n]} of {len(BOXES)} at {n:,} points" for n in SIZES)
    text = table("Derivatives, compared with jax.scipy.special", head, rows)
    return text + f"\nMore than {SLOWER} times slower than JAX: {counts}. (JAX's are not right everywhere.)\n"


def _times(name: str, count: int, seconds: float) -> tuple[float, float]:
    random = np.random.default_rng(0)
    args = [
        jnp.asarray(random.uniform(low, high, () if count == 1 else (count,))) for low, high in BOXES[name]
    ]
    moving = tuple(i for i in range(len(args)) if i not in NOT_JAXS.get(name, ()))
    calls = {}
    for who, module in (("ours", special), ("theirs", jax.scipy.special)):
        f = getattr(module, name)
        gradient = jax.grad(lambda *xs, f=f: jnp.sum(f(*xs)), moving)
        calls[who] = functools.partial(jax.jit(gradient).lower(*args).compile(), *args)
    t = in_turn(calls, seconds)
    return t["ours"], t["theirs"]

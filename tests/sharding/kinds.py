"""The functions of the matrix, with their arguments: batch axes (8, 4) in front, then core axes."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

import hostwrap as hw
from hostwrap import special

BATCH = (8, 4)
seen: list[tuple[int, ...]] = []  # shape of the first argument of each call of a Python function


def recorded(function: Callable) -> Callable:
    @functools.wraps(function)
    def call(*args, **kwargs):
        seen.append(np.shape(jax.tree.leaves(args)[0]))
        return function(*args, **kwargs)

    return call


def draw(*core: int, low: float = 0.5, high: float = 2.5) -> np.ndarray:
    return np.random.default_rng(len(core)).uniform(low, high, (*BATCH, *core))


@dataclasses.dataclass(frozen=True)
class Kind:
    """`make()` gives a new function of `args`; those with a size-1 batch are replicated, the others are sharded."""

    make: Callable[[], Callable]
    args: tuple[np.ndarray, ...]
    python: bool = True  # the value needs Python, and so records its calls
    core_sharded: bool = False  # over the second mesh axis
    written: bool = False  # XLA computes the derivatives, with no call of the host

    @property
    def shared(self) -> list[bool]:
        return [a.shape[: len(BATCH)] != BATCH for a in self.args]

    def is_shared(self, i: int) -> bool:
        return self.shared[i]


def _sine():
    f = hw.wrap(recorded(lambda x: np.sin(x)), vmap_method="broadcast_all")
    g = hw.wrap(recorded(lambda x: np.cos(x)), vmap_method="broadcast_all")
    f.defpartials(x=lambda ans, x: g(x))
    g.defpartials(x=lambda ans, x: -f(x))
    return f


def _solve():
    f = hw.wrap("(n,n),(n)->(n)", vmap_method="broadcast_all")(
        recorded(lambda A, b: np.linalg.solve(A, b[..., None])[..., 0])
    )
    inverse = hw.wrap("(n,n)->(n,n)", vmap_method="broadcast_all")(lambda a: np.linalg.inv(a))
    inverse.defpartials(a=lambda ans, a: -jnp.einsum("ij,kl->iljk", ans, ans))
    f.defpartials(
        A=lambda x, A, b: -jnp.einsum("ij,k->ijk", inverse(A), x),
        b=lambda x, A, b: inverse(A),
    )
    return f


def _logsumexp():
    f = hw.wrap("(n)->()", vmap_method="broadcast_all")(recorded(lambda x: np.log(np.exp(x).sum(-1))))
    return f.defpartials(x=lambda ans, x: jnp.exp(x - ans))


def _sincos():
    f = hw.wrap("()->(),()", vmap_method="broadcast_all")(recorded(lambda x: (np.sin(x), np.cos(x))))
    return f.defpartials(x=lambda ans, x: (ans[1], -ans[0]))


def _power():
    f = hw.wrap(static="n")(recorded(lambda x, *, n: x**n))
    f.defpartials(x=lambda ans, x, *, n: n * f(x, n=n - 1))
    return lambda x: f(x, n=3)


def _tree():
    """With out= there are no batch axes but those of vmap."""
    shapes = lambda tree: {"sum": jax.ShapeDtypeStruct((), tree["a"].dtype), "a": tree["a"]}

    @hw.wrap(out=shapes, vmap_method="broadcast_all")
    @recorded
    def f(tree):
        return {"sum": np.exp(tree["a"]).sum(-1) + tree["b"] ** 2, "a": np.exp(tree["a"])}

    @f.defjvp
    def _(primals, tangents):
        (tree,), (t,), ans = primals, tangents, f(*primals)
        return ans, {"sum": (ans["a"] * t["a"]).sum(-1) + 2 * tree["b"] * t["b"], "a": ans["a"] * t["a"]}

    def of_one(x):
        return f({"a": jnp.stack([x, 2 * x]), "b": x})

    return lambda x: functools.reduce(lambda g, _: jax.vmap(g), range(x.ndim), of_one)(x)


def _cubed(f):
    return lambda *args: f(*args) ** 3


MATRICES = draw(3, 3) + 4 * np.eye(3)
KINDS = {
    "ufunc": Kind(lambda: lambda x: special.jv(2.5, x), (draw(),), python=False),
    "ufunc, number per device": Kind(lambda: special.jv, (draw(), np.full((1, 1), 2.0)), python=False),
    "ufunc, derivatives by XLA": Kind(lambda: special.ndtr, (draw(),), python=False, written=True),
    "ufunc, several results, float32": Kind(lambda: special.airy, (draw().astype(np.float32),), python=False),
    "Python kernel": Kind(lambda: lambda v: special.jv(v, 2.0), (draw(),), python=False),
    "elementwise": Kind(_sine, (draw(),)),
    "several results": Kind(_sincos, (draw(),)),
    "static": Kind(_power, (draw(),)),
    "gufunc": Kind(_solve, (MATRICES, draw(3))),
    "gufunc, one matrix": Kind(lambda: _cubed(_solve()), (MATRICES[:1, :1], draw(3))),
    "gufunc, core axis sharded": Kind(_logsumexp, (draw(6),), core_sharded=True),
    "pytree": Kind(_tree, (draw(),)),
}

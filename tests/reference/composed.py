"""Public functions that are no entries: made of entries, of JAX's operations, or of SciPy's function as it is.

They have a definition and boxes as entries have, and are measured as entries are. A function of an array is measured
as a function of one element of each argument; the others are held. Functions that give the numbers of all orders at
once (`sph_harm_y_all`) are measured as those of one order. All that is made of several operations is computed in the
precision of its arguments, and is measured in double precision alone.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import scipy.special

import hostwrap
from hostwrap import special
from hostwrap.special._entry import discrete, integer, real
from tests.reference.entries import catalogue

OF_ALL_ORDERS = {name for name in special.__all__ if name.endswith("_all")} | {"riccati_jn", "riccati_yn"}
OF_MANY_NUMBERS = {"jn_zeros", "jnp_zeros", "yn_zeros", "ynp_zeros"} | {  # they have tests of their own
    f"roots_{kind}" for kind in ("gegenbauer", "genlaguerre", "jacobi", "sh_jacobi")
}


@dataclasses.dataclass(frozen=True)
class Composed:
    """What the measurements ask of an entry, of another function."""

    function: Callable
    call: Callable  # with one element of each argument
    ref: Callable
    boxes: dict[str, Any]
    made_of: str
    see: str
    at: tuple[tuple, ...] = ()
    outs: tuple[str, ...] = ()
    statics: dict[str, Any] = dataclasses.field(default_factory=dict)
    imaginary: dict[str, Any] = dataclasses.field(default_factory=dict)
    public: bool = True
    host: None = None  # no ufunc that could be compared bit for bit

    @property
    def name(self) -> str:
        return self.function.__name__

    @property
    def args(self) -> tuple[str, ...]:
        return tuple(self.boxes)

    @property
    def rules(self) -> dict[str, Any]:
        return {a: discrete if isinstance(box, integer) else self.call for a, box in self.boxes.items()}

    @property
    def __signature__(self) -> inspect.Signature:
        return inspect.signature(self.function)

    def __call__(self, *args: Any) -> Any:
        return self.call(*args)

    def on_host(self, *args: Any) -> Any:
        return self.call(*args)


def measured() -> dict[str, Any]:
    """Everything that has a table of references, by name."""
    return dict(sorted((catalogue() | composed()).items()))


HELD, WEIGHTS = (0.3, -1.2), (0.7, 1.5)  # the other elements of an array, and their weights in logsumexp


def _beside(x: Any, others: tuple) -> Any:
    return jnp.stack([x, *(jnp.full_like(x, other) for other in others)])


def _spread(function: Callable) -> Callable:
    return lambda x: tuple(function(_beside(x, HELD), axis=0))


def _exponentials(mp: Any, x: Any) -> list:
    return [mp.exp(x), *map(mp.exp, map(mp.mpf, HELD))]


@functools.cache
def composed() -> dict[str, Composed]:
    """By name."""
    return {f.name: f for f in _all()}


ORDER = {"v": real(-5, 20), "z": real(0.1, 50, im=8)}


def _all() -> list[Composed]:
    three = ("first", "second", "third")
    return [
        Composed(
            special.comb,
            special.comb,
            lambda mp, N, k: mp.binomial(N, k),
            {"N": real(20, 120), "k": real(0.1, 19)},
            "`binom`",
            "DLMF 1.2.6",
            at=((5.0, 2.0), (60.0, 30.0), (10.5, 10.25)),
        ),
        Composed(
            special.perm,
            special.perm,
            lambda mp, N, k: mp.gammaprod([N + 1], [N - k + 1]),
            {"N": real(20, 120), "k": real(0.1, 19)},
            "`poch`",
            "DLMF 5.2.5",
            at=((5.0, 2.0), (60.0, 30.0), (10.5, 10.25)),
        ),
        Composed(
            special.factorial,
            special.factorial,
            lambda mp, n: mp.factorial(n),
            {"n": real(0, 150)},
            "`gamma`",
            "DLMF 5.2.1",
        ),
        Composed(
            special.stirling2,
            hostwrap.wrap(lambda N, K: scipy.special.stirling2(N, K)),
            lambda mp, N, K: mp.stirling2(int(N), int(K)),
            {"N": integer(0, 40), "K": integer(0, 12)},
            "SciPy",
            "DLMF 26.8",
        ),
        Composed(
            special.logsumexp,
            lambda a, b: special.logsumexp(_beside(a, HELD), b=_beside(b, WEIGHTS), axis=0),
            lambda mp, a, b: mp.log(
                sum(w * e for w, e in zip((b, *WEIGHTS), _exponentials(mp, a), strict=True))
            ),
            {"a": real(-40, 40), "b": real(0.1, 10)},
            "exponentials",
            "the definition",
            at=((700.0, 2.0), (-700.0, 2.0)),
        ),
        Composed(
            special.softmax,
            _spread(special.softmax),
            lambda mp, x: tuple(e / sum(_exponentials(mp, x)) for e in _exponentials(mp, x)),
            {"x": real(-40, 40)},
            "exponentials",
            "the definition",
            outs=three,
        ),
        Composed(
            special.log_softmax,
            _spread(special.log_softmax),
            lambda mp, x: tuple(mp.log(e / sum(_exponentials(mp, x))) for e in _exponentials(mp, x)),
            {"x": real(-40, 40)},
            "exponentials",
            "the definition",
            outs=three,
        ),
        Composed(
            special.assoc_laguerre,
            special.assoc_laguerre,
            lambda mp, x, n, k: mp.laguerre(n, k, x),
            {"x": real(0, 30), "n": real(0, 12), "k": real(-0.5, 8)},
            "`eval_genlaguerre`",
            "DLMF 18.5.12",
        ),
        Composed(
            special.legendre_p,
            lambda n, z: special.legendre_p(n, z)[0],
            lambda mp, n, z: mp.legendre(n, z),
            {"n": integer(0, 30), "z": real(-1, 1)},
            "a numerical method",
            "DLMF 14.10.3",
        ),
        Composed(
            special.assoc_legendre_p,
            lambda n, m, z: special.assoc_legendre_p(n, m, z)[0],
            lambda mp, n, m, z: mp.legenp(n, m, z) if abs(m) <= n else mp.mpf(0),
            {"n": integer(0, 20), "m": integer(-8, 8), "z": real(-0.99, 0.99)},
            "a numerical method",
            "DLMF 14.10.3",
        ),
        Composed(
            special.sph_legendre_p,
            lambda n, m, theta: special.sph_legendre_p(n, m, theta)[0],
            lambda mp, n, m, theta: mp.re(mp.spherharm(n, m, theta, 0)) if abs(m) <= n else mp.mpf(0),
            {"n": integer(0, 20), "m": integer(-8, 8), "theta": real(0.01, 3.13)},
            "a numerical method",
            "DLMF 14.30.1",
        ),
        Composed(
            special.sph_harm_y,
            special.sph_harm_y,
            lambda mp, n, m, theta, phi: mp.spherharm(n, m, theta, phi) if abs(m) <= n else mp.mpf(0),
            {"n": integer(0, 20), "m": integer(-8, 8), "theta": real(0.01, 3.13), "phi": real(-3, 6)},
            "a numerical method",
            "DLMF 14.30.1",
        ),
        Composed(
            special.jvp,
            special.jvp,
            lambda mp, v, z: (mp.besselj(v - 1, z) - mp.besselj(v + 1, z)) / 2,
            ORDER,
            "`jv`",
            "DLMF 10.6.1",
        ),
        Composed(
            special.yvp,
            special.yvp,
            lambda mp, v, z: (mp.bessely(v - 1, z) - mp.bessely(v + 1, z)) / 2,
            ORDER,
            "`yv`",
            "DLMF 10.6.1",
        ),
        Composed(
            special.h1vp,
            special.h1vp,
            lambda mp, v, z: (mp.hankel1(v - 1, z) - mp.hankel1(v + 1, z)) / 2,
            ORDER,
            "`hankel1`",
            "DLMF 10.6.1",
        ),
        Composed(
            special.h2vp,
            special.h2vp,
            lambda mp, v, z: (mp.hankel2(v - 1, z) - mp.hankel2(v + 1, z)) / 2,
            ORDER,
            "`hankel2`",
            "DLMF 10.6.1",
        ),
        Composed(
            special.ivp,
            special.ivp,
            lambda mp, v, z: (mp.besseli(v - 1, z) + mp.besseli(v + 1, z)) / 2,
            ORDER,
            "`iv`",
            "DLMF 10.29.1",
        ),
        Composed(
            special.kvp,
            special.kvp,
            lambda mp, v, z: -(mp.besselk(v - 1, z) + mp.besselk(v + 1, z)) / 2,
            ORDER,
            "`kv`",
            "DLMF 10.29.1",
        ),
    ]

"""Maximum likelihood parameters of a distribution, found by SciPy and differentiated by the equation of the maximum."""

from __future__ import annotations

import collections
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
import scipy.stats

from hostwrap._errors import SignatureError
from hostwrap._recipes.cores import arrays, inexact
from hostwrap._recipes.extrema import stationary
from hostwrap._types import ArrayLike
from hostwrap.stats import _catalogue


class Fit(NamedTuple):
    """The result of `fit`: `params` has the parameters of the distribution, shapes first, then loc and scale."""

    params: Any
    success: bool = True


def _shapes(law: Any) -> list[str]:
    return law.shapes.replace(" ", "").split(",") if law.shapes else []


def _limits(law: Any, bounds: Any) -> np.ndarray:
    """The bounds of each parameter, as in `scipy.stats.fit`: by default loc is 0 and scale is 1."""
    names = [*_shapes(law), "loc", "scale"]
    known = {"loc": (0.0, 0.0), "scale": (1.0, 1.0)}
    given = dict(bounds) if isinstance(bounds, Mapping) else dict(zip(names, bounds or (), strict=False))
    rows = [given.get(name, known.get(name)) for name in names]
    if set(given) - set(names) or any(row is None for row in rows):
        raise SignatureError(
            f"fit: wants bounds for each of {', '.join(names[:-2]) or 'the shapes'}, and for no other than "
            f"{', '.join(names)}; got {bounds!r:.80}."
        )
    return np.array([np.broadcast_to(np.asarray(row, float), (2,)) for row in rows])


def fit(
    dist: Any, data: ArrayLike, bounds: Mapping[str, Any] | Sequence[Any] | None = None, *, guess: Any = None,
    method: str = "mle", optimizer: Callable | None = None,
) -> Fit:  # fmt: skip
    """`scipy.stats.fit`: the maximum likelihood parameters of a distribution, differentiable in the data to any order.

    Derivatives are as exact as the maximum that SciPy's optimizer finds. A parameter at a bound stays there.

    Args:
        dist: a continuous distribution of `hostwrap.stats` or `scipy.stats`.
        data: [n], real.
        bounds, guess, optimizer: as in SciPy. The default optimizer draws random numbers: for results that you can
            repeat, pass an optimizer with a seed.
        method: must be "mle".

    Returns:
        `params`, a named tuple of numbers, and `success`.

    Raises:
        SignatureError: the bounds do not fit, or the distribution or the method is not supported.
        RuntimeError: no maximum was found; inside a compiled program, `HostCallError`.

    >>> import jax, numpy as np, scipy.stats
    >>> x = np.array([0.3, 1.0, 1.4, 2.3])
    >>> scale = lambda x: fit(scipy.stats.norm, x, {"loc": (-5, 5), "scale": (0.1, 9)}).params.scale
    >>> print(jax.grad(scale)(x).round(2))
    [-0.33 -0.09  0.05  0.36]
    """
    law = getattr(scipy.stats, getattr(dist, "name", ""), None)
    if (
        not isinstance(law, scipy.stats.rv_continuous)
        or law.name not in _catalogue.names()
        or method != "mle"
    ):
        raise SignatureError(
            f"fit: wants a continuous distribution that hostwrap.stats has and method='mle', got {dist!r:.40}, "
            f"{method!r}."
        )
    (x,) = arrays("fit", data=data)
    if x.ndim != 1 or jnp.iscomplexobj(x):
        raise SignatureError(f"fit: wants real data of shape (n,), got {x.dtype} {x.shape}.")
    x = x.astype(inexact(x))
    limits, ours = _limits(law, bounds), _catalogue.named(law.name)
    more = {} if optimizer is None else {"optimizer": optimizer}
    box = [jnp.asarray(side, x.dtype) for side in limits.T]

    def solver(start: Any, _: Any, __: Any, ___: Any, ____: Any, given: Any) -> Any:
        sample = np.asarray(given(start["x0"]), float)
        found = scipy.stats.fit(law, sample, [tuple(row) for row in limits], guess=guess, **more)
        if not found.success:
            raise RuntimeError(f"fit: {found.message}")
        return np.asarray(found.params, float)

    loss = lambda p: -jnp.sum(ours.logpdf(x, *p))
    best = stationary("fit", loss, (box[0] + box[1]) / 2, solver, box, None, [lambda p: x + 0 * p[0]])
    return Fit(_named(*_shapes(law), "loc", "scale")(*best))


@functools.cache
def _named(*names: str) -> Any:
    """One type for each list of names, because JAX identifies pytrees by their types."""
    return collections.namedtuple("FitParams", names)

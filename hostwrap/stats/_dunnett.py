"""Comparisons of several groups with a control: the statistics by their formula, their p-values by SciPy."""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.stats

from hostwrap._errors import SignatureError
from hostwrap._recipes.cores import arrays, inexact
from hostwrap._types import ArrayLike
from hostwrap._wrap import wrap


class DunnettResult:
    """The result of `dunnett`: `statistic` and `pvalue`, [k], for each sample against the control."""

    def __init__(self, groups: list[Any], **options: Any) -> None:
        self._groups, self._options = groups, options

    @property
    def statistic(self) -> jax.Array:
        """The differences of means over their standard error, with the variance of all groups together."""
        *samples, control = self._groups
        count = sum(x.shape[0] - 1 for x in self._groups)
        variance = sum(jnp.sum((x - jnp.mean(x)) ** 2) for x in self._groups) / count
        error = lambda x: jnp.sqrt(variance * (1 / x.shape[0] + 1 / control.shape[0]))
        return jnp.stack([(jnp.mean(x) - jnp.mean(control)) / error(x) for x in samples])

    @functools.cached_property
    def pvalue(self) -> jax.Array:
        """SciPy's."""

        def dunnett_pvalue(given: Any) -> np.ndarray:
            return scipy.stats.dunnett(*given[:-1], control=given[-1], **self._options).pvalue

        out = jax.ShapeDtypeStruct((len(self._groups) - 1,), self._groups[0].dtype)
        options: Any = {"vmap_method": "sequential", "derivatives": "rules"}
        return wrap(dunnett_pvalue, out=out, **options)(self._groups)


def dunnett(
    *samples: ArrayLike, control: ArrayLike, alternative: str = "two-sided", rng: int | None = None
) -> DunnettResult:
    """`scipy.stats.dunnett`: compares the means of several samples with that of a control.

    The statistic is differentiable in all samples, to any order. SciPy draws random numbers for the p-values, so these
    have no derivative: asking for one raises `MissingDerivative`.

    Args:
        samples, control: [n] each, of any lengths.
        alternative: as in SciPy.
        rng: a seed for the p-values.

    Raises:
        SignatureError: there is no sample, or one is not a row of real numbers.
        ValueError: SciPy refuses an argument; inside a compiled program, `HostCallError`.

    >>> import jax, numpy as np
    >>> a, b = np.array([1.0, 2.0, 4.0]), np.array([0.0, 1.0, 1.5])
    >>> print(jax.grad(lambda a: dunnett(a, control=b).statistic[0])(a).round(4))
    [ 0.6858  0.425  -0.0966]
    """
    names = [f"samples[{i}]" for i in range(len(samples))] + ["control"]
    groups = arrays("dunnett", **dict(zip(names, (*samples, control), strict=True)))
    if len(groups) < 2 or any(x.ndim != 1 or jnp.iscomplexobj(x) for x in groups):
        shapes = ", ".join(str(x.shape) for x in groups)
        raise SignatureError(
            f"dunnett: wants samples and a control, each real and of shape (n,); got {shapes}."
        )
    real = inexact(*groups)
    seed: dict[str, Any] = {} if rng is None else {"rng": int(rng)}
    return DunnettResult([x.astype(real) for x in groups], alternative=alternative, **seed)

"""Integrals as sums over points that SciPy chooses: of Gauss, or of a quasi-random sequence. JAX calls the function."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import scipy.integrate
import scipy.special

from hostwrap._errors import NotTaken, SignatureError
from hostwrap._recipes.cores import arrays, inexact
from hostwrap._recipes.numpys import in_jax
from hostwrap._recipes.scipys import as_scipys
from hostwrap._types import ArrayLike


class QMCQuadResult(NamedTuple):
    """SciPy's result: the integral, and its error by the spread of the estimates."""

    integral: jax.Array
    standard_error: jax.Array


def fixed_quad(
    func: Callable[..., Any], a: ArrayLike, b: ArrayLike, args: Any = (), n: int = 5
) -> tuple[jax.Array, None]:
    """`scipy.integrate.fixed_quad`: the integral of `func(x, *args)` from a to b by Gauss's rule of order n, and None.

    func is a function in JAX of many places [n], returns [..., n], and may close over traced numbers. Derivatives, of
    any order and in both modes, are those of the sum: where func jumps at a place that moves, this place has no part
    in them; `quad` has it.

    Raises:
        ValueError: a limit that is infinite, unless it is traced.

    >>> import jax, jax.numpy as jnp
    >>> print(f"{jax.grad(lambda k: fixed_quad(lambda x: jnp.exp(-k * x), 0.0, k)[0])(0.7):.9f}")
    0.434694409
    """
    a, b = arrays("fixed_quad", a=a, b=b)
    args = args if isinstance(args, tuple) else (args,)
    for limit in (a, b):
        if not isinstance(limit, jax.core.Tracer) and np.isinf(limit):
            raise ValueError("Gaussian quadrature is only available for finite limits.")
    nodes, weights = scipy.special.roots_legendre(n)
    half = (b - a) / 2
    return half * jnp.sum(weights * in_jax(func)(half * (nodes + 1) + a, *args), -1), None


def _points(d: int, engine: Any, n_estimates: int, n_points: int) -> np.ndarray:
    """SciPy's own points in the unit cube, [estimates, d, points]."""
    seen: list[np.ndarray] = []

    def note(x: np.ndarray) -> np.ndarray:
        seen.append(np.array(x))
        return np.zeros(x.shape[-1])

    how: Any = {"n_estimates": n_estimates, "n_points": n_points, "qrng": copy.deepcopy(engine)}
    scipy.integrate.qmc_quad(note, np.zeros(d), np.ones(d), **how)
    return np.stack(seen[-n_estimates:])  # SciPy tries the function before it draws


@as_scipys("scipy.integrate")
def qmc_quad(
    func: Callable[[Any], Any], a: ArrayLike, b: ArrayLike, *, n_estimates: int = 8, n_points: int = 1024,
    qrng: Any = None, log: bool = False,
) -> QMCQuadResult:  # fmt: skip
    """`scipy.integrate.qmc_quad`: the integral of func over a box, as a mean over quasi-random points.

    func is a function in JAX, and may close over traced numbers. Derivatives, of any order and in both modes, are in
    these and in a and b: those of the mean, with the points of the unit cube held. Where func jumps at a place that
    moves, this place has no part in them; `nquad` has it.

    Args:
        func: takes points [d, n_points] and returns [n_points].
        a, b: the corners of the box, [d].
        n_estimates, n_points: as in SciPy.
        qrng: a sequence of `scipy.stats.qmc`. A copy of it is used: so a derivative, and each call of a compiled
            program, has the same points. Without one, SciPy's own function makes it, where nothing is traced.
        log: False; True leads to SciPy's own function, where nothing is traced.

    Returns:
        `integral` and `standard_error`.

    Raises:
        SignatureError: shapes that do not fit.
        RuleError: no qrng, or log=True, in a trace.

    >>> import jax, jax.numpy as jnp, scipy.stats
    >>> how = {"qrng": scipy.stats.qmc.Halton(2, seed=1)}
    >>> f = lambda p: qmc_quad(lambda x: jnp.exp(-p * x[0] * x[1]), [0.0, 0.0], [1.0, 1.0], **how).integral
    >>> print(jax.grad(f)(0.0).round(2))
    -0.25
    """
    a, b = arrays("qmc_quad", a=a, b=b)
    a, b = jnp.atleast_1d(a), jnp.atleast_1d(b)
    if log or qrng is None:
        raise NotTaken(
            "qmc_quad: in a trace it wants qrng=scipy.stats.qmc.Halton(d, seed=1) or another sequence, and log=False; "
            f"got {qrng!r}, {log!r}."
        )
    if a.ndim != 1 or b.shape != a.shape or getattr(qrng, "d", None) != a.shape[0]:
        raise SignatureError(
            "qmc_quad: wants a and b of shape (d,), and qrng=scipy.stats.qmc.Halton(d, seed=1) or another sequence; "
            f"got {a.shape}, {b.shape}, {type(qrng).__name__}."
        )
    real = inexact(a, b)
    low, high = (f(a, b).astype(real) for f in (jnp.minimum, jnp.maximum))
    points = _points(len(a), qrng, n_estimates, n_points)
    size = jnp.prod(b - a)
    at = lambda unit: jnp.mean(func(low[:, None] + (high - low)[:, None] * jnp.asarray(unit, real)), -1)
    estimates = size * jnp.stack([at(unit) for unit in points])
    error = (
        jnp.std(estimates, ddof=1) / np.sqrt(n_estimates) if n_estimates > 1 else jnp.full((), jnp.nan, real)
    )
    return QMCQuadResult(jnp.mean(estimates), error)

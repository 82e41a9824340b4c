"""Smoothing by a natural cubic spline (Green and Silverman, Nonparametric Regression, section 2.3)."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from hostwrap._errors import SignatureError
from hostwrap._recipes.cores import arrays
from hostwrap._recipes.pieces import CubicSpline, sites
from hostwrap._recipes.polynomials import PPoly
from hostwrap._recipes.scipys import as_scipys
from hostwrap._recipes.structured import solveh_banded
from hostwrap._types import ArrayLike


@as_scipys("scipy.interpolate")
def make_smoothing_spline(
    x: ArrayLike, y: ArrayLike, w: ArrayLike | None = None, lam: ArrayLike | None = None
) -> PPoly:
    """`scipy.interpolate.make_smoothing_spline`: the g with the least `sum(w (y - g(x))^2)` plus lam times the integral
    of `g''^2`.

    Args:
        x: [n], increasing, n >= 5.
        y: [n] or [n, m], real.
        w: [n], positive; 1 by default.
        lam: >= 0; it must be given (without it SciPy looks for one, by generalised cross-validation).

    Returns:
        A `PPoly`, where SciPy has a `BSpline`: the same function, with derivatives of any order in x, y, w and lam. One
        banded system for the second derivatives at the sites is solved; a gradient takes one more.

    Raises:
        SignatureError: shapes that do not fit, no lam.

    >>> import jax, numpy as np
    >>> x = np.arange(5.0)
    >>> print(jax.grad(lambda lam: make_smoothing_spline(x, x**2, lam=lam)(2.0))(0.0).round(6))
    -1.714286
    """
    if lam is None:
        raise SignatureError("make_smoothing_spline: give lam=; hostwrap does not look for one.")
    w = jnp.ones(np.shape(x)) if w is None else w  # type: ignore[arg-type]
    x, y, w = sites("make_smoothing_spline", 0, 5, x=x, y=y, w=w)
    (lam,) = arrays("make_smoothing_spline", lam=lam)
    h, inverse = jnp.diff(x), (1 / w).astype(x.dtype)
    columns = y.reshape(len(x), -1)
    # g = y - lam inverse Q c, with the second derivatives c at the inner sites: (R + lam Q' inverse Q) c = Q' y
    left, right = 1 / h[:-1], 1 / h[1:]
    q = left, -left - right, right  # rows i, i + 1 and i + 2 of column i of Q
    main = (h[:-1] + h[1:]) / 3 + lam * sum(p**2 * inverse[k : len(x) - 2 + k] for k, p in enumerate(q))
    first = h[1:-1] / 6 + lam * (q[1][:-1] * q[0][1:] * inverse[1:-2] + q[2][:-1] * q[1][1:] * inverse[2:-1])
    second = lam * q[2][:-2] * q[0][2:] * inverse[2:-2]
    band = jnp.stack([jnp.pad(d, (0, k)) for k, d in enumerate((main, first, second))])
    turns = sum(p[:, None] * columns[k : len(x) - 2 + k] for k, p in enumerate(q))
    c = solveh_banded(band, turns, lower=True)
    bent = sum(jnp.pad(p[:, None] * c, ((k, 2 - k), (0, 0))) for k, p in enumerate(q))
    smooth = (columns - lam * inverse[:, None] * bent).reshape(y.shape)
    return CubicSpline(x, smooth, bc_type="natural")

"""Distributions of matrices: Wishart's and its inverse, the normal one, Student's t."""

from __future__ import annotations

import functools
import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap._errors import SignatureError
from hostwrap.special import gammaln, psi
from hostwrap.stats._catalogue import named
from hostwrap.stats._joint import (
    LOG_2PI,
    Joint,
    by_formula,
    drawn,
    given_arrays,
    log_diagonal,
    of_scipy,
    over_root,
    root,
    square,
    uniform,
)


def _log_gamma(a: Any, size: int) -> Any:
    """The multivariate gamma function."""
    parts = sum(gammaln(a - j / 2) for j in range(size))
    return size * (size - 1) / 4 * math.log(math.pi) + parts


def _trace(factor: Any, x: Any) -> Any:
    """Of the inverse of factor factor^T, times x."""
    return jnp.trace(over_root(factor, over_root(factor, x).T))


# ---- Wishart's


def _wishart_formula(x: Any, df: Any, scale: Any) -> Any:
    size, factor, inner = len(x), root(scale), root(x)
    powers = (df - size - 1) * log_diagonal(inner) - df * log_diagonal(factor)
    return powers - _trace(factor, (x + x.T) / 2) / 2 - df * size / 2 * math.log(2) - _log_gamma(df / 2, size)


def _inverse_formula(x: Any, df: Any, scale: Any) -> Any:
    size, factor, inner = len(x), root(scale), root(x)
    powers = df * log_diagonal(factor) - (df + size + 1) * log_diagonal(inner)
    return (
        powers
        - _trace(inner, (scale + scale.T) / 2) / 2
        - df * size / 2 * math.log(2)
        - _log_gamma(df / 2, size)
    )


@by_formula("(p,p),(),(p,p)->()", _wishart_formula)
def _wishart(x: Any, df: Any, scale: Any, log: bool) -> Any:
    return of_scipy("wishart", log)(_last(x), df, scale)


@by_formula("(p,p),(),(p,p)->()", _inverse_formula)
def _invwishart(x: Any, df: Any, scale: Any, log: bool) -> Any:
    return of_scipy("invwishart", log)(_last(x), df, scale)


def _last(x: np.ndarray) -> np.ndarray:
    """The points along the last axis, where SciPy has them."""
    return np.moveaxis(x.reshape(-1, *x.shape[-2:]), 0, -1)


def _scale(function: str, df: Any, scale: Any) -> tuple[jax.Array, jax.Array]:
    df, scale = given_arrays(function, df=df, scale=scale)
    return df, square(function, "scale", scale, scale.shape[-1] if scale.ndim else 1)


def _wishart_arguments(function: str, x: Any, df: Any, scale: Any) -> tuple:
    """The matrix of sums of squares of normal vectors, or its inverse; differentiable in x, df and scale.

    `x [p, p]` or, as in SciPy, `[p, p, m]` for m matrices; a vector stands for a diagonal matrix, a number for a
    multiple of the identity. `df` is a number, `scale [p, p]`, a diagonal or a number; use vmap for several.
    Derivatives in x and scale are those along symmetric matrices.

        >>> print(f"{hostwrap.stats.wishart.logpdf([[2.0, 0.3], [0.3, 1.0]], 3.5, [[1.0, 0.2], [0.2, 0.8]]):.6f}")
        -3.805246
    """
    (x,) = given_arrays(function, x=x)
    df, scale = _scale(function, df, scale)
    x, scale = (a.astype(jnp.result_type(x, scale)) for a in (x, scale))
    size = scale.shape[-1]
    if x.ndim == 3 and x.shape[:2] == (size, size):
        return jnp.moveaxis(x, -1, 0), df, scale
    if x.ndim == 1 and size == 1:
        return x[:, None, None], df, scale
    return square(function, "x", x, size), df, scale


def _draw_wishart(key: Any, df: Any, scale: Any, shape: tuple[int, ...]) -> jax.Array:
    """By Bartlett's triangle, whose diagonal is of chi variables: differentiable in df and scale."""
    size, batch = scale.shape[-1], drawn(shape, (df, 0), (scale, 2))
    of_normal, of_chi2 = jax.random.split(key)
    lower = jnp.tril(jax.random.normal(of_normal, (*batch, size, size), scale.dtype), -1)
    chi2 = named("chi2").ppf(uniform(of_chi2, (*batch, size), scale.dtype), df[..., None] - jnp.arange(size))
    triangle = root(scale) @ (lower + jnp.eye(size) * jnp.sqrt(chi2)[..., None])
    return triangle @ jnp.swapaxes(triangle, -1, -2)


def _wishart_sample(key: Any, df: Any, scale: Any, shape: tuple[int, ...] = ()) -> jax.Array:
    """Random matrices from a JAX random key, `[*shape, p, p]`, differentiable in df and scale."""
    return _draw_wishart(key, *_scale("wishart.sample", df, scale), shape)


def _invwishart_sample(key: Any, df: Any, scale: Any, shape: tuple[int, ...] = ()) -> jax.Array:
    """Random matrices from a JAX random key, `[*shape, p, p]`: inverses of those of `wishart.sample`."""
    df, scale = _scale("invwishart.sample", df, scale)
    return jnp.linalg.inv(_draw_wishart(key, df, jnp.linalg.inv(scale), shape))


def _wishart_mean(df: Any, scale: Any) -> jax.Array:
    """df scale"""
    df, scale = _scale("wishart.mean", df, scale)
    return df * scale


def _wishart_var(df: Any, scale: Any) -> jax.Array:
    """The variance of each entry."""
    df, scale = _scale("wishart.var", df, scale)
    diagonal = jnp.diagonal(scale)
    return df * (scale**2 + diagonal[:, None] * diagonal)


def _invwishart_mean(df: Any, scale: Any) -> jax.Array:
    """scale / (df - p - 1); NaN where there is none."""
    df, scale = _scale("invwishart.mean", df, scale)
    less = df - len(scale) - 1
    return jnp.where(less > 0, scale / jnp.where(less > 0, less, 1.0), jnp.nan)


def _digammas(df: Any, p: int) -> Any:
    """The expectation of log |X|, without log |scale| + p log 2."""
    return sum(psi((df - i) / 2) for i in range(p))


def _wishart_mode(df: Any, scale: Any) -> jax.Array:
    """(df - p - 1) scale; NaN where there is none."""
    df, scale = _scale("wishart.mode", df, scale)
    more = df - len(scale) - 1
    return jnp.where(more >= 0, more * scale, jnp.nan)


def _wishart_entropy(df: Any, scale: Any) -> jax.Array:
    """The differential entropy."""
    df, scale = _scale("wishart.entropy", df, scale)
    p = len(scale)
    constant = p * (p + 1) / 2 * math.log(2) + _log_gamma(df / 2, p) + df * p / 2
    return (p + 1) * log_diagonal(root(scale)) + constant - (df - p - 1) / 2 * _digammas(df, p)


def _invwishart_var(df: Any, scale: Any) -> jax.Array:
    """The variance of each entry; NaN where there is none."""
    df, scale = _scale("invwishart.var", df, scale)
    less, diagonal = df - len(scale), jnp.diagonal(scale)
    there = less > 3
    m = jnp.where(there, less, 4.0)
    squares = (m + 1) * scale**2 + (m - 1) * diagonal[:, None] * diagonal
    return jnp.where(there, squares / (m * (m - 1) ** 2 * (m - 3)), jnp.nan)


def _invwishart_mode(df: Any, scale: Any) -> jax.Array:
    """scale / (df + p + 1)"""
    df, scale = _scale("invwishart.mode", df, scale)
    return scale / (df + len(scale) + 1)


def _invwishart_entropy(df: Any, scale: Any) -> jax.Array:
    """The differential entropy."""
    df, scale = _scale("invwishart.entropy", df, scale)
    p = len(scale)
    size = (p + 1) * (log_diagonal(root(scale)) - math.log(2) / 2)
    return size + _log_gamma(df / 2, p) + df * p / 2 - (df + p + 1) / 2 * _digammas(df, p)


# ---- normal, and Student's t, with covariances of rows and of columns


def _normal_formula(X: Any, mean: Any, rowcov: Any, colcov: Any) -> Any:
    m, n = X.shape
    rows, columns = root(rowcov), root(colcov)
    whitened = over_root(columns, over_root(rows, X - mean).T)
    powers = n * log_diagonal(rows) + m * log_diagonal(columns)
    return -(m * n * LOG_2PI + jnp.sum(whitened**2)) / 2 - powers


@by_formula("(m,n),(m,n),(m,m),(n,n)->()", _normal_formula)
def _matrix_normal(X: Any, mean: Any, rowcov: Any, colcov: Any, log: bool) -> Any:
    return of_scipy("matrix_normal", log)(X, mean, rowcov, colcov)


def _t_formula(X: Any, mean: Any, row_spread: Any, col_spread: Any, df: Any) -> Any:
    m, n = X.shape
    rows, columns = root(row_spread), root(col_spread)
    whitened = over_root(columns, over_root(rows, X - mean).T)  # [n, m]
    inner = log_diagonal(root(jnp.eye(n, dtype=X.dtype) + whitened @ whitened.T))
    powers = n * log_diagonal(rows) + m * log_diagonal(columns) + (df + m + n - 1) * inner
    gammas = _log_gamma((df + m + n - 1) / 2, n) - _log_gamma((df + n - 1) / 2, n)
    return gammas - m * n / 2 * math.log(math.pi) - powers


@by_formula("(m,n),(m,n),(m,m),(n,n),()->()", _t_formula)
def _matrix_t(X: Any, mean: Any, row_spread: Any, col_spread: Any, df: Any, log: bool) -> Any:
    points = X.reshape(-1, *X.shape[-2:])
    return of_scipy("matrix_t", log)(points, mean, row_spread, col_spread, df)


def _spread(function: str, X: Any, mean: Any, row: Any, column: Any, names: tuple[str, str]) -> tuple:
    if mean is None:
        shapes = [jnp.shape(a) for a in (row, column)]
        mean = jnp.zeros([s[-1] if s else 1 for s in shapes])
    given = dict(zip(("X", "mean", *names), (X, mean, row, column), strict=True))
    X, mean, row, column = given_arrays(function, **given)
    if mean.ndim < 2 or X.shape[-2:] != mean.shape[-2:]:
        raise SignatureError(
            f"{function}: `X` must have shape (..., m, n) as `mean`, `{names[0]}` and `{names[1]}` have; got shape "
            f"{X.shape}, and {mean.shape} of the mean."
        )
    m, n = mean.shape[-2:]
    return X, mean, square(function, names[0], row, m), square(function, names[1], column, n)


def _normal_arguments(function: str, X: Any, mean: Any = None, rowcov: Any = 1, colcov: Any = 1) -> tuple:
    """The normal distribution of matrices, differentiable in X, mean, rowcov and colcov.

    `X [..., m, n]`, `mean [..., m, n]`, `rowcov [..., m, m]` and `colcov [..., n, n]`; the last two may be diagonals or
    numbers. Derivatives in the covariances are those along symmetric matrices.

        >>> print(f"{hostwrap.stats.matrix_normal.logpdf([[0.1, 0.2, 0.3]], [[0.0, 0.0, 0.0]], 1.0, 2.0):.6f}")
        -3.831536
    """
    return _spread(function, X, mean, rowcov, colcov, ("rowcov", "colcov"))


def _t_arguments(
    function: str, X: Any, mean: Any = None, row_spread: Any = 1, col_spread: Any = 1, df: Any = 1
) -> tuple:
    """Student's t distribution of matrices, differentiable in X, mean, row_spread, col_spread and df.

    `X [..., m, n]`, `mean [..., m, n]`, `row_spread [..., m, m]` and `col_spread [..., n, n]`; the last two may be
    diagonals or numbers, and their derivatives are those along symmetric matrices.

        >>> print(f"{hostwrap.stats.matrix_t.logpdf([[0.1, 0.2, 0.3]], [[0.0, 0.0, 0.0]], 1.0, 2.0, 3.5):.6f}")
        -1.956503
    """
    spread = _spread(function, X, mean, row_spread, col_spread, ("row_spread", "col_spread"))
    return *spread, *given_arrays(function, df=df)


def _normal_sample(
    key: Any, mean: Any = None, rowcov: Any = 1, colcov: Any = 1, shape: tuple[int, ...] = ()
) -> jax.Array:
    """Random matrices from a JAX random key, `[*shape, ..., m, n]`."""
    none = jnp.zeros([jnp.shape(a)[-1] if jnp.ndim(a) else 1 for a in (rowcov, colcov)])
    middle = none if mean is None else mean
    _, mean, rows, columns = _normal_arguments("matrix_normal.sample", middle, middle, rowcov, colcov)
    numbers = jax.random.normal(
        key, (*drawn(shape, (mean, 2), (rows, 2), (columns, 2)), *mean.shape[-2:]), mean.dtype
    )
    return mean + root(rows) @ numbers @ jnp.swapaxes(root(columns), -1, -2)


def _normal_entropy(rowcov: Any = 1, colcov: Any = 1) -> jax.Array:
    """The differential entropy, of m x n matrices."""
    name = "matrix_normal.entropy"
    rows, columns = given_arrays(name, rowcov=rowcov, colcov=colcov)
    m, n = (x.shape[-1] if x.ndim else 1 for x in (rows, columns))
    rows, columns = square(name, "rowcov", rows, m), square(name, "colcov", columns, n)
    return m * n * (1 + LOG_2PI) / 2 + n * log_diagonal(root(rows)) + m * log_diagonal(root(columns))


_of_wishart = functools.partial(
    Joint,
    mean=_wishart_mean,
    mode=_wishart_mode,
    var=_wishart_var,
    entropy=_wishart_entropy,
    sample=_wishart_sample,
)

LAWS = {
    "wishart": lambda name: _of_wishart(name, _wishart_arguments, _wishart),
    "invwishart": lambda name: Joint(
        name, _wishart_arguments, _invwishart, mean=_invwishart_mean, mode=_invwishart_mode,
        var=_invwishart_var, entropy=_invwishart_entropy, sample=_invwishart_sample,
    ),
    "matrix_normal": lambda name: Joint(
        name, _normal_arguments, _matrix_normal, entropy=_normal_entropy, sample=_normal_sample
    ),
    "matrix_t": lambda name: Joint(name, _t_arguments, _matrix_t),
}  # fmt: skip

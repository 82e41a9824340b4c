"""SciPy's kernel density estimate with normal kernels, differentiable in data, weights and bandwidth."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import scipy.stats

from hostwrap._errors import SignatureError
from hostwrap._recipes.hosted import derived_from, hosted
from hostwrap._types import ArrayLike
from hostwrap.stats._joint import LOG_2PI, given_arrays, log_diagonal, over_root, root

RULES = ("scott", "silverman")


def _out(points: Any, dataset: Any, factor: Any, weights: Any, **_: Any) -> Any:
    return jax.ShapeDtypeStruct(points.shape[1:], points.dtype)


@hosted("points dataset factor weights", out=_out, thread_safe=True)
def _kde(points: Any, dataset: Any, factor: Any, weights: Any, named: str | None, log: bool) -> Any:
    kernel = scipy.stats.gaussian_kde(dataset, named or float(factor), weights)
    return (kernel.logpdf if log else kernel.evaluate)(points)


def _formula(points: Any, dataset: Any, factor: Any, weights: Any, named: str | None, log: bool) -> Any:
    p = _normalized(dataset, weights)
    covariance = _covariance(dataset, p)
    triangle = root(covariance) * (factor if named is None else _factor(named, len(dataset), p))
    places, centers = over_root(triangle, points), over_root(triangle, dataset)
    apart = places[:, :, None] - centers[:, None, :]
    terms = -jnp.sum(apart * apart, 0) / 2
    value = jax.scipy.special.logsumexp(terms, 1, b=p) - len(dataset) * LOG_2PI / 2 - log_diagonal(triangle)
    return value if log else jnp.exp(value)


def _normalized(dataset: Any, weights: Any) -> Any:
    n = dataset.shape[1]
    return jnp.full(n, 1 / n, dataset.dtype) if weights is None else weights / jnp.sum(weights)


def _covariance(dataset: Any, p: Any) -> Any:
    """The unbiased covariance of weighted data."""
    centered = dataset - (dataset @ p)[:, None]
    return (centered * p) @ centered.T / (1 - jnp.sum(p * p))


def _factor(rule: str, size: int, p: Any) -> Any:
    count = 1 / jnp.sum(p * p)
    return (count if rule == "scott" else count * (size + 2) / 4) ** (-1 / (size + 4))


derived_from(_kde.hosted, _formula)  # type: ignore[attr-defined]


@jax.tree_util.register_pytree_node_class
class gaussian_kde:
    """`scipy.stats.gaussian_kde`: a density estimated from `dataset [d, n]` or `[n]`. It is a pytree of its arrays.

    Args:
        dataset: columns are points, as in SciPy.
        bw_method: "scott" (the default), "silverman", or a number by which the covariance of the data is scaled.
        weights: `[n]`, with any positive sum. By default all are equal.

    `evaluate` (also named `pdf`, or call the object) and `logpdf` take points `[d, m]`, or `[m]` if d is 1. Values are
    SciPy's. They are differentiable to any order in the points, the data, the weights and the bandwidth.

    Raises:
        SignatureError: shapes do not fit.
        LinAlgError: SciPy's, if the data lie in a space of fewer dimensions.

        >>> print(hostwrap.stats.gaussian_kde([0.1, 0.9, 1.3, 2.2]).evaluate([0.5, 1.0]).round(6))
        [0.329235 0.373883]
    """

    def __init__(
        self, dataset: ArrayLike, bw_method: str | ArrayLike | None = None, weights: ArrayLike | None = None
    ) -> None:  # fmt: skip
        rule: Any = "scott" if bw_method is None else bw_method
        if isinstance(rule, str) and rule not in RULES:
            raise SignatureError(
                f"gaussian_kde: `bw_method` must be 'scott', 'silverman' or a number, got {rule!r}."
            )
        if callable(rule):
            raise SignatureError(
                "gaussian_kde: `bw_method` must be a number or a name; call your function yourself."
            )
        given = {"dataset": dataset} | ({} if weights is None else {"weights": weights})
        self.rule = rule if isinstance(rule, str) else None
        if self.rule is None:
            given["bw_method"] = rule
        found = dict(zip(given, given_arrays("gaussian_kde", **given), strict=True))
        self.dataset, self.weights = jnp.atleast_2d(found["dataset"]), found.get("weights")
        self._bandwidth = found.get("bw_method", jnp.ones((), self.dataset.dtype))
        if self.weights is not None and self.weights.shape != self.dataset.shape[-1:]:
            raise SignatureError(
                f"gaussian_kde: `weights` must have shape ({self.n},), one for each column of the dataset of shape "
                f"{self.dataset.shape}; got {self.weights.shape}."
            )

    @property
    def d(self) -> int:
        """The number of dimensions."""
        return int(self.dataset.shape[-2])

    @property
    def n(self) -> int:
        """The number of data."""
        return int(self.dataset.shape[-1])

    @property
    def factor(self) -> jax.Array:
        """The bandwidth: the factor of the root of the covariance."""
        if self.rule is None:
            return self._bandwidth
        return _factor(self.rule, self.d, _normalized(self.dataset, self.weights))

    @property
    def covariance(self) -> jax.Array:
        """The covariance of a kernel."""
        return _covariance(self.dataset, _normalized(self.dataset, self.weights)) * self.factor**2

    def evaluate(self, points: ArrayLike) -> jax.Array:
        """The density at the points, `[m]`."""
        return self._at("evaluate", points, log=False)

    __call__ = pdf = evaluate

    def logpdf(self, x: ArrayLike) -> jax.Array:
        """The logarithm of the density at the points, `[m]`."""
        return self._at("logpdf", x, log=True)

    def _at(self, kind: str, points: Any, log: bool) -> jax.Array:
        (points,) = given_arrays(f"gaussian_kde.{kind}", points=points)
        at = jnp.atleast_2d(points)
        if at.shape == (1, self.d):
            at = at.T  # one point
        if at.ndim != 2 or at.shape[0] != self.d:
            raise SignatureError(
                f"gaussian_kde.{kind}: points must have shape ({self.d}, m), columns as those of the dataset, got "
                f"shape {points.shape}."
            )
        return _kde(at, self.dataset, self._bandwidth, self.weights, self.rule, log)

    def sample(self, key: jax.Array, size: int = 1) -> jax.Array:
        """Random points from a JAX random key, `[d, size]`: a column of the data, by weight, plus a normal step."""
        of_center, of_step = jax.random.split(key)
        p = _normalized(self.dataset, self.weights)
        centers = self.dataset[:, jax.random.choice(of_center, self.n, (size,), p=p)]
        return centers + root(self.covariance) @ jax.random.normal(
            of_step, (self.d, size), self.dataset.dtype
        )

    def __repr__(self) -> str:
        return f"<hostwrap.stats.gaussian_kde of {self.n} points in {self.d} dimensions>"

    def tree_flatten(self) -> tuple[tuple, Any]:
        return (self.dataset, self._bandwidth, self.weights), self.rule

    @classmethod
    def tree_unflatten(cls, rule: Any, leaves: Any) -> gaussian_kde:
        made = object.__new__(cls)
        made.dataset, made._bandwidth, made.weights = leaves
        made.rule = rule
        return made

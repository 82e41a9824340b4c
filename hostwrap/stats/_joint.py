"""A distribution of vectors or matrices under SciPy's names: SciPy's functions on the host, each with a formula in JAX.

Core axes come last, batch axes first, also in the parameters. SciPy accepts one set of parameters at a time, and any
number of points, so hostwrap calls it once for each set.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.stats

from hostwrap._call import signature as _signature
from hostwrap._errors import SignatureError
from hostwrap._recipes.cores import arrays
from hostwrap._recipes.hosted import derived_from, hosted

INTEGER = "it is an integer"


class Joint:
    """`multivariate_normal.logpdf(x, mean, cov)` and other methods; `multivariate_normal(mean, cov)` fixes parameters.

    Args:
        arguments: `arguments(function, *points, *parameters)`, with SciPy's names and defaults, returns the arrays and
            statics for the core. Its docstring is the distribution's.
        core: the density, of these arguments and `log`; see `by_formula`.
        points: how many of the arguments are points.
        mass: whether the points are counts, and the density is a probability.
        methods: the others, by name.
    """

    def __init__(
        self, name: str, arguments: Callable, core: Callable, points: int = 1, mass: bool = False, **methods: Callable
    ) -> None:  # fmt: skip
        self.name, self.__module__, self.__doc__ = name, "hostwrap.stats", arguments.__doc__
        self._signature = inspect.Signature(_parameters(arguments)[points:])
        kinds = ("logpmf", "pmf") if mass else ("logpdf", "pdf")
        found = {kind: of_kind(f"{name}.{kind}", arguments, core) for kind in kinds} | methods
        self.methods = tuple(found)
        for kind, function in found.items():
            function.__name__ = function.__qualname__ = f"{name}.{kind}"
            function.__module__ = "hostwrap.stats"
            vars(self)[kind] = function

    def __getattr__(self, kind: str) -> Any:
        if kind.startswith("_"):
            raise AttributeError(kind)
        instead = " (JAX draws random numbers by a key: `sample(key, ..., shape=)`)" if kind == "rvs" else ""
        raise AttributeError(
            f"hostwrap.stats.{self.name} has no {kind}{instead}; it has {', '.join(sorted(self.methods))}."
        )

    def __dir__(self) -> list[str]:
        return sorted({*self.methods, "name"})

    def __repr__(self) -> str:
        return f"<hostwrap.stats.{self.name}>"

    def __reduce__(self) -> str:
        return self.name  # of `hostwrap.stats`

    def __call__(self, *args: Any, **kwargs: Any) -> FrozenJoint:
        """With its parameters given."""
        try:
            bound = self._signature.bind(*args, **kwargs)
        except TypeError as error:
            raise SignatureError(f"{self.name}{self._signature}: {error}.") from None
        bound.apply_defaults()
        return FrozenJoint(self, bound.arguments)


def _parameters(arguments: Callable) -> list[inspect.Parameter]:
    """Without the first one, the name for errors."""
    _, *found = inspect.signature(arguments).parameters.values()
    return [p.replace(annotation=inspect.Parameter.empty) for p in found]


def of_kind(name: str, arguments: Callable, core: Callable) -> Callable:
    signature, kind = inspect.Signature(_parameters(arguments)), name.rpartition(".")[2]

    def density(*args: Any, **kwargs: Any) -> jax.Array:
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as error:
            raise SignatureError(f"{name}{signature}: {error}.") from None
        return core(*arguments(name, *bound.args, **bound.kwargs), log=kind.startswith("log"))

    what = "density" if kind.endswith("pdf") else "probability"
    density.__signature__ = signature  # type: ignore[attr-defined]
    density.__doc__ = f"""The {"logarithm of the " * kind.startswith("log")}{what}, as `scipy.stats.{name}`.

    {arguments.__doc__}
    Values are SciPy's own. SciPy's errors are raised, too, such as that for a matrix that is not positive definite.
    Batch axes of length 1, which SciPy drops, stay.
    """
    return density


@jax.tree_util.register_pytree_node_class
class FrozenJoint:
    """A distribution with fixed parameters. It is a pytree of those that are arrays."""

    def __init__(self, distribution: Joint, values: Mapping[str, Any]) -> None:
        self.distribution, self.values = distribution, dict(values)

    def __getattr__(self, kind: str) -> Any:
        if kind.startswith("_"):
            raise AttributeError(kind)
        method = getattr(self.distribution, kind)
        taken = inspect.signature(method).parameters
        return functools.partial(method, **{n: v for n, v in self.values.items() if n in taken})

    def __dir__(self) -> list[str]:
        return dir(self.distribution)

    def __repr__(self) -> str:
        given = ", ".join(f"{n}={v}" for n, v in self.values.items())
        return f"<hostwrap.stats.{self.distribution.name}({given})>"

    def tree_flatten(self) -> tuple[tuple, Any]:
        static = {n: v for n, v in self.values.items() if isinstance(v, bool | None)}
        moving = {n: v for n, v in self.values.items() if n not in static}
        return tuple(moving.values()), (self.distribution, tuple(moving), tuple(static.items()))

    @classmethod
    def tree_unflatten(cls, aux: Any, leaves: Any) -> FrozenJoint:
        distribution, names, static = aux
        return cls(distribution, dict(zip(names, leaves, strict=True)) | dict(static))


# ---- functions of arrays with core axes


def by_formula(
    notation: str, formula: Callable, integers: tuple[str, ...] = ()
) -> Callable[[Callable], Callable]:
    """`@by_formula("(d),(d),(d,d)->()", formula)` of a function in NumPy, which calls SciPy for one set of parameters.

    The result is a number for each point. `formula` computes the same in JAX, for the derivatives. With the static
    argument `log=False` the function returns the exponential of the result. Results that are -inf, or whose exponential
    is 0, are outside of the support and have the derivative 0.
    """
    parsed = _signature.parse(notation)
    cores = tuple(map(len, parsed.ins))

    def decorate(function: Callable) -> Any:
        names = list(inspect.signature(function).parameters)[: len(cores)]

        @functools.wraps(function)
        def on_host(*given: Any, **statics: Any) -> Any:
            found, more = given[: len(cores)], given[len(cores) :]
            return each(lambda *one: function(*one, *more, **statics), cores, found)

        def out(*given: Any, **statics: Any) -> Any:
            batch, _ = parsed.broadcast(function.__name__, names, [x.shape for x in given])
            return jax.ShapeDtypeStruct(batch, given[0].dtype)

        def twin(*given: Any, log: bool = True, **statics: Any) -> Any:
            value = jnp.vectorize(functools.partial(formula, **statics), signature=notation)(*given)
            return value if log else jnp.exp(value)

        call = hosted(" ".join(names), out=out, vmap_method="expand_dims", thread_safe=True)(on_host)
        derived_from(call.hosted, twin, dict.fromkeys(integers, INTEGER), _fixed)  # type: ignore[attr-defined]
        return call

    return decorate


def _fixed(answer: Any, tangent: Any, log: bool = True, **_: Any) -> Any:
    return jnp.where(jnp.isneginf(answer) if log else answer == 0, 0.0, tangent)


def each(function: Callable, cores: Sequence[int], given: Sequence[np.ndarray]) -> np.ndarray:
    """Call the function with many of the first argument at once, and with one set of the others."""
    split = [(x.shape[: x.ndim - n], x.shape[x.ndim - n :]) for x, n in zip(given, cores, strict=True)]
    batch = np.broadcast_shapes(*(axes for axes, _ in split))
    varied = (1,) * len(batch)
    if len(split) > 1:
        varied = np.broadcast_shapes(varied, *(axes for axes, _ in split[1:]))
    first = np.broadcast_to(given[0], batch + split[0][1])
    others = [np.broadcast_to(x, varied + core) for x, (_, core) in zip(given[1:], split[1:], strict=True)]
    result = np.empty(batch)
    for index in np.ndindex(varied):
        where = tuple(i if n > 1 else slice(None) for i, n in zip(index, varied, strict=True))
        parameters = [_number(x[index]) for x in others]
        result[where] = np.reshape(function(np.array(first[where]), *parameters), result[where].shape)
    return result


def _number(x: Any) -> Any:
    """A Python number, if it is one: SciPy refuses arrays for some of its parameters."""
    return float(x) if np.ndim(x) == 0 else np.array(x)


# ---- parameters, as SciPy takes them


def given_arrays(function: str, **values: Any) -> list[jax.Array]:
    """The arrays, as floating-point numbers of one precision."""
    lists = {n: jnp.asarray(v) if isinstance(v, list | tuple) else v for n, v in values.items()}
    found = arrays(function, **lists)
    floats = [x.dtype for x in found if jnp.issubdtype(x.dtype, jnp.inexact)]
    dtype = jnp.result_type(*floats) if floats else jnp.result_type(float)
    if jnp.issubdtype(dtype, jnp.complexfloating):
        raise SignatureError(f"{function}: the arguments must be real, got complex numbers.")
    return [x.astype(dtype) for x in found]


def square(function: str, name: str, matrix: jax.Array, size: int) -> jax.Array:
    """A number times the identity, a diagonal, or a matrix of this size, with batch axes in front."""
    if matrix.ndim == 0 or (matrix.shape == (1,) and size == 1):
        return matrix * jnp.eye(size, dtype=matrix.dtype)
    if matrix.shape == (size,):
        return jnp.diag(matrix)
    if matrix.ndim < 2 or matrix.shape[-2:] != (size, size):
        raise SignatureError(
            f"{function}: `{name}` must be a number, a vector of length {size} (the diagonal) or a matrix of shape "
            f"(..., {size}, {size}), got shape {matrix.shape}."
        )
    return matrix


def symmetric(matrix: Any) -> Any:
    """Half the sum of a matrix and its transpose, so that derivatives in a symmetric matrix are symmetric."""
    return (matrix + jnp.swapaxes(matrix, -1, -2)) / 2


def drawn(shape: int | tuple[int, ...], *batched: tuple[Any, int]) -> tuple[int, ...]:
    """The batch axes of a sample: the requested ones, then those of the parameters, each given with its core axes."""
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    return (*shape, *jnp.broadcast_shapes(*(x.shape[: x.ndim - core] for x, core in batched)))


def uniform(key: Any, shape: tuple[int, ...], dtype: Any) -> jax.Array:
    """Uniform numbers between 0 and 1, without the ends."""
    return jax.random.uniform(key, shape, dtype, jnp.finfo(dtype).tiny)


def of_scipy(name: str, log: bool) -> Callable:
    """SciPy's density."""
    return getattr(getattr(scipy.stats, name), "logpdf" if log else "pdf")


# ---- linear algebra


@jax.custom_jvp
def pseudo(matrix: Any) -> tuple[Any, Any]:
    """The pseudoinverse of a symmetric matrix, and the logarithm of the product of its nonzero eigenvalues.

    SciPy's criterion decides which eigenvalues are 0. Derivatives are along matrices of the same rank (Golub and
    Pereyra, 1973).
    """
    values, vectors = jnp.linalg.eigh(symmetric(matrix))
    epsilon = {4: 1e3, 8: 1e6}[values.dtype.itemsize] * jnp.finfo(values.dtype).eps
    large = jnp.abs(values) > epsilon * jnp.max(jnp.abs(values))
    safe = jnp.where(large, values, 1.0)
    inverse = jnp.where(large, 1 / safe, 0.0)
    return (vectors * inverse) @ vectors.T, jnp.sum(jnp.log(safe))


@pseudo.defjvp
def _pseudo_jvp(primals: tuple, tangents: tuple) -> tuple:
    matrix, moved = symmetric(primals[0]), symmetric(tangents[0])
    inverse, logdet = pseudo(matrix)
    null = jnp.eye(len(matrix), dtype=matrix.dtype) - matrix @ inverse
    aside = inverse @ inverse @ moved @ null
    return (inverse, logdet), (aside + aside.T - inverse @ moved @ inverse, jnp.sum(inverse * moved))


def root(matrix: Any) -> Any:
    """The lower triangular matrix whose product with its transpose is the symmetric matrix."""
    return jnp.linalg.cholesky(symmetric(matrix))


def over_root(triangle: Any, x: Any) -> Any:
    return jax.scipy.linalg.solve_triangular(triangle, x, lower=True)


def log_diagonal(triangle: Any) -> Any:
    """Half of the logarithm of the determinant."""
    return jnp.sum(jnp.log(jnp.diagonal(triangle)))


LOG_2PI = math.log(2 * math.pi)

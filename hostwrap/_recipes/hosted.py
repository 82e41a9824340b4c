"""SciPy's functions as JAX functions of the same names, and the origin of their derivatives.

A value is always SciPy's. Its derivative is that of a *twin*, the same function in JAX, which may call host functions
with rules of their own; or it follows from an *equation* that the value solves.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, cast

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap._errors import SignatureError, missing_derivative
from hostwrap._recipes.cores import arrays, inexact, listed
from hostwrap._recipes.elsewhere import otherwise
from hostwrap._wrap import Wrapped, linear, wrap

F = TypeVar("F", bound=Callable[..., Any])
_NONE: Mapping[str, str] = {}


def hosted(
    names: str, out: Callable[..., Any], twin: Callable | None = None, transpose: dict | None = None,
    back: dict | None = None, **options: Any,
) -> Callable[[F], F]:  # fmt: skip
    """`@hosted("b a x", out=..., twin=...)`: a function in NumPy becomes one in JAX with the same arguments.

    Args:
        names: the arguments that are arrays (None is one that is left out). They get one precision. All others are
            Python values.
        out: the shape of the result, as of `wrap`.
        twin: the same function in JAX; its derivatives are taken.
        transpose: the transposes of a map that is linear in these arguments, as of `linear`.
        back: the transposes in arguments in which alone it is linear, as of `derived_from`.
        options: as of `wrap`.

    An array where a Python value is wanted leads to SciPy's function, whose own code is differentiated.
    """
    wanted = names.split()

    def decorate(function: F) -> F:
        signature = inspect.signature(function)
        function.__name__ = name = function.__name__.lstrip("_")  # in errors; the qualified name stays
        options["static"] = tuple(n for n in signature.parameters if n not in wanted)
        more: Any = {"transpose": transpose} if transpose else {}
        core: Wrapped = (linear if transpose else wrap)(
            function, out=out, **{"copy": False, **options}, **more
        )
        if twin:
            derived_from(core, twin, back=back)

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                bound = signature.bind(*args, **kwargs)
            except TypeError:
                return core(*args, **kwargs)  # this call raises the error
            bound.apply_defaults()
            values = bound.arguments
            given = {n: listed(values[n]) for n in wanted if values[n] is not None}
            there = arrays(name, **given)
            values.update({n: _of_precision(x, inexact(*there)) for n, x in zip(given, there, strict=True)})
            values.update({n: _plain(values[n]) for n in options["static"]})
            try:
                return core(*bound.args, **bound.kwargs)
            except SignatureError as refusal:
                scipys = _scipys(function)
                if not scipys or not any(
                    map(_is_array, jax.tree.leaves([values[n] for n in options["static"]]))
                ):
                    raise
                return otherwise(scipys, args, kwargs, refusal)

        call.hosted = core  # type: ignore[attr-defined]  # which other processes look for
        return cast(F, call)

    return decorate


def _is_array(x: Any) -> bool:
    return isinstance(x, np.ndarray | jax.Array)


def _scipys(function: Callable) -> Any:
    """The public function of SciPy with this name, which takes arrays where Python values are wanted here."""
    module = function.__module__.rpartition("._")[0].replace("hostwrap", "scipy", 1)
    return getattr(sys.modules.get(module), function.__name__, None)


def _of_precision(x: jax.Array, dtype: Any) -> jax.Array:
    """Convert all to the common precision; real numbers stay real."""
    if x.dtype == dtype:
        return x
    return x.astype(dtype if jnp.iscomplexobj(x) else jnp.finfo(dtype).dtype)


def _plain(value: Any) -> Any:
    """A list as a tuple, which can be part of a key, and a known number as one of Python."""
    if isinstance(value, np.generic) or (
        _is_array(value) and value.ndim == 0 and not isinstance(value, jax.core.Tracer)
    ):
        return value.item()
    return tuple(map(_plain, value)) if isinstance(value, list | tuple) else value


def shaped(x: Any, shape: Sequence[int] | None = None, *others: Any) -> jax.ShapeDtypeStruct:
    """A result of this shape, by default that of x, in the common type of x and the others."""
    return jax.ShapeDtypeStruct(x.shape if shape is None else tuple(shape), jnp.result_type(x, *others))


def resized(x: Any, axis: int, size: int, *others: Any) -> jax.ShapeDtypeStruct:
    """The result is like x, but has another length along one axis."""
    sizes = list(x.shape)
    sizes[axis] = size
    return shaped(x, sizes, *others)


def _as_it_is(answer: Any, tangent: Any, **statics: Any) -> Any:
    return tangent


def _moving(primals: tuple, tangents: tuple) -> tuple[Callable[[tuple], list], tuple, tuple]:
    """A function of the arguments with a tangent, the others fixed; their values; their tangents."""
    places = [i for i, t in enumerate(tangents) if t is not None]

    def put(values: tuple) -> list:
        given = list(primals)
        for i, value in zip(places, values, strict=True):
            given[i] = value
        return given

    at, along = (tuple(x[i] for i in places) for x in (primals, tangents))
    return put, at, along


def _as_one(function: Callable) -> Callable:
    """A function of arrays and statics, compiled as a whole; in a trace it becomes a part of the program.

    Outside of `jit` a derivative would compile and call each of its operations alone. A function among the statics may
    close over traced numbers, so it is no key.
    """

    @functools.cache
    def compiled(statics: tuple[str, ...]) -> Callable:
        return jax.jit(function, static_argnames=statics, inline=True)

    def call(*args: Any, **statics: Any) -> Any:
        if any(map(callable, jax.tree.leaves(tuple(statics.values())))):
            return function(*args, **statics)
        return compiled(tuple(statics))(*args, **statics)

    return call


def _nothing(x: Any, like: Any) -> Any:
    """Zeros that depend on x: JAX wants tangents of a whole right-hand side. XLA removes them."""
    empty = jnp.sum(jnp.ravel(x)[:0])
    real = not jnp.issubdtype(like.dtype, jnp.complexfloating)
    return jnp.broadcast_to((empty.real if real else empty).astype(like.dtype), like.shape)


def mapped(forward: Callable, operator: Callable, back: Callable, x: Any) -> Any:
    """F x for a linear map F, computed by the host: `forward` in forward mode, `back`, its plain transpose, in reverse
    mode.

    The operator is F in JAX, which is only differentiated in what it depends on, and not computed otherwise. As an
    equation: y - F u = 0 and u = x. Both equations and their transposes contain a zero that depends on F, see
    `_nothing`.
    """
    out = jax.eval_shape(operator, x)
    right = _nothing(x, out), x

    def equation(both: Any) -> Any:
        y, u = both
        made = operator(u + _nothing(y, u)).astype(y.dtype)
        return y - made, u + _nothing(made, u)

    def solve(_: Any, right: Any) -> Any:
        y, u = right
        return y + forward(u).astype(y.dtype), u

    def solve_transposed(_: Any, right: Any) -> Any:
        y, u = right
        found = back(y)
        return y, u + (found if jnp.iscomplexobj(u) else found.real).astype(u.dtype)

    y, u = jax.lax.custom_linear_solve(equation, right, solve, solve_transposed)
    return y + _nothing(u, y)  # so that backward both parts of the right side move


def _mapped_tangents(
    core: Wrapped,
    twin: Callable,
    back: Mapping[str, Callable],
    primals: tuple,
    tangents: tuple,
    statics: dict,
) -> tuple[tuple, list]:
    """The tangents without those of linear arguments, and the terms that come from the latter."""
    names, rest, terms = core._spec.names, list(tangents), []
    for i, name in enumerate(names):
        if name in back and tangents[i] is not None:
            at = lambda v, i=i: [v if k == i else p for k, p in enumerate(primals)]
            terms.append(mapped(
                lambda v: core(**dict(zip(names, at(v), strict=True)), **statics),  # noqa: B023
                lambda v: twin(*at(v), **statics),  # noqa: B023
                lambda c: back[name](c, *primals, **statics),  # noqa: B023
                tangents[i],
            ))  # fmt: skip
            rest[i] = None
    return tuple(rest), terms


def derived_from(
    core: Wrapped, twin: Callable, never: Mapping[str, str] = _NONE, after: Callable = _as_it_is,
    back: Mapping[str, Callable] | None = None,
) -> Wrapped:  # fmt: skip
    """The derivatives of the twin, in the arguments with a tangent; the others are constants in it.

    For arguments in `never` there is no derivative, for the reason given there. `after(answer, tangent, **statics)` may
    change the tangent. In arguments of `back` the function is linear, and has one result: forward mode calls the host
    function itself, reverse mode `back[name](cotangent, *arguments, **statics)`.
    """
    twin = _as_one(twin)

    def rule(primals: tuple, tangents: tuple, **statics: Any) -> tuple:
        for name, tangent in zip(core._spec.names, tangents, strict=True):
            if tangent is not None and name in never:
                raise missing_derivative(core.__name__, name, never[name])
        # by name, because Python values stand between the arrays
        answer = core(**dict(zip(core._spec.names, primals, strict=True)), **statics)
        tangents, terms = _mapped_tangents(core, twin, back or {}, primals, tangents, statics)
        moving, at, along = _moving(primals, tangents)
        if at:
            moved = jax.jvp(lambda *values: twin(*moving(values), **statics), at, along)[1]
            # integers have no tangent
            moved = jax.tree.map(lambda t: None if t.dtype == jax.dtypes.float0 else t, moved)
            terms.append(moved)
        return answer, after(answer, functools.reduce(_plus, terms), **statics)

    return core.defjvp(rule)


def _plus(a: Any, b: Any) -> Any:
    return jax.tree.map(jnp.add, a, b)


def solved(operator: Callable, right: Any, solve: Callable, back: Callable) -> Any:
    """x with `operator(x) = right`, computed by the host: `solve` in forward mode, `back`, its plain transpose, in
    reverse mode.

    The operator is in JAX, and differentiable in what it depends on: dx = solve(d right - d operator(x)).
    """
    return jax.lax.custom_linear_solve(operator, right, lambda _, b: solve(b), lambda _, b: back(b))


def _still(x: Any) -> Any:
    """The tangent of a constant; integers have none."""
    return jnp.zeros_like(x) if jnp.issubdtype(x.dtype, jnp.inexact) else None


def by_equation(
    core: Wrapped, residual: Callable, solve: Callable, twin: Callable | None = None,
    back: Mapping[str, Callable] | None = None, kept: Wrapped | None = None,
) -> Wrapped:  # fmt: skip
    """The derivatives of x with `residual(x, *args) = 0`: dx = solve(args, -d residual), where x is constant in the
    residual.

    So x is not computed again: a gradient takes one more solution, of the transposed equation. In arguments of `back` x
    is linear, as in `derived_from`. `kept` returns x and by-products such as a factor. `solve(args, right, *factors)`
    gets these, so value and gradient share one factorisation.
    """
    residual, solve = _as_one(residual), _as_one(solve)

    def derived(host: Wrapped, primals: tuple, tangents: tuple, statics: dict) -> tuple:
        """The results of the host as a tuple, and dx."""
        given = host(**dict(zip(core._spec.names, primals, strict=True)), **statics)
        x, *factors = answers = given if isinstance(given, tuple) else (given,)
        # by-products have no derivative: for one that is 0 JAX would ask for further ones, which do not exist
        factors = list(map(jax.lax.stop_gradient, factors))
        terms: list = []
        if twin is not None:
            tangents, terms = _mapped_tangents(core, twin, back or {}, primals, tangents, statics)
        moving, at, along = _moving(primals, tangents)
        if at:
            moved = jax.jvp(lambda *values: residual(x, *moving(values), **statics), at, along)[1]
            terms.append(solve(primals, -moved.astype(x.dtype), *factors, **statics))
        return answers, functools.reduce(_plus, terms)

    def rule(primals: tuple, tangents: tuple, **statics: Any) -> tuple:
        answers, dx = derived(kept or core, primals, tangents, statics)
        return answers[0], dx

    if kept:

        @kept.defjvp
        def with_factors(primals: tuple, tangents: tuple, **statics: Any) -> tuple:
            """Nobody differentiates a factor: it is used where equations are solved, and these have derivatives."""
            answers, dx = derived(kept, primals, tangents, statics)
            return answers, (dx, *map(_still, answers[1:]))

    return core.defjvp(rule)

"""The decorators `wrap` and `linear`: a NumPy/SciPy function becomes a JAX function."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Generic, Unpack, overload

import jax

from hostwrap._call.arguments import Static, Statics
from hostwrap._call.dtypes import operands
from hostwrap._call.options import Options, OptionsDict, refuse_unknown, spelled_out
from hostwrap._call.spec import Call, Spec
from hostwrap._errors import RuleError, SignatureError
from hostwrap._host.origins import finder, imported
from hostwrap._lanes.faults import leave_out_ours, refuse_jet
from hostwrap._lanes.primitive import at_once
from hostwrap._rules.automatic import Automatic
from hostwrap._rules.define import Definable
from hostwrap._rules.ladder import Numerical, estimates
from hostwrap._rules.rule import Derivation, Rule

if TYPE_CHECKING:
    from typing_extensions import ParamSpec

    _P = ParamSpec("_P", default=...)  # bare `Wrapped` accepts any arguments
else:
    from typing import ParamSpec

    _P = ParamSpec("_P")
_Map = Callable[..., Any]


@overload
def wrap(function: Callable[_P, Any], /, **options: Unpack[OptionsDict]) -> Wrapped[_P]: ...
@overload
def wrap(
    signature: str | None = None, /, **options: Unpack[OptionsDict]
) -> Callable[[Callable[_P, Any]], Wrapped[_P]]: ...
def wrap(function: Any = None, /, **options: Any) -> Any:
    """Turn a host (NumPy/SciPy) function into a JAX function.

    Use it as `@wrap`, `@wrap("(n,n),(n)->(n)")` or `@wrap(out=..., ...)`:

    - bare, the function is *elementwise*: it broadcasts like a ufunc;
    - a string is its signature in NumPy's gufunc notation (also `signature=`);
    - `out=` declares results of any shape: a `jax.ShapeDtypeStruct`, a pytree of them, or a function of the
      `ShapeDtypeStruct` of each argument (and of the statics) that returns one. Arguments may be pytrees.

    Options:
        static: names of arguments that are hashable Python values, not arrays. An argument whose default is True,
            False or a text is one without being named, and so are arguments beyond the inputs of a signature that
            have a default.
        vmap_method: what the host function sees of batch axes, in JAX's words: "broadcast_all" (the default of
            elementwise functions), "sequential" (the default of all others: one call per batch element, looped
            on the host), "sequential_unrolled" (the same), "expand_dims", "legacy_vectorized".
        dtype: of the results, if not the promoted dtype of the arguments: a dtype, one of float, complex, int,
            bool (in the arguments' precision), or a tuple with one for each result. Not with `out=`.
        widen: compute in double precision and round once (default); False passes dtypes through, except
            float16 and bfloat16, which are always widened. A ufunc has loops for its types, which are used as
            they are by default: names, results and types are the ufunc's, and nothing needs to be declared.
        thread_safe: several threads of a compiled program may call the function at once.
        copy: False for a function that neither writes to its arguments nor writes to its results later on: then a
            compiled program hands it its own memory, and nothing is copied. By default it gets and leaves copies.
        allow_jax: True permits JAX inside the function, at the risk of a hang; by default it is an error.
        on_error: when the function raises in a compiled program, "raise" (default), or "nan": go on with NaN (0 for
            integers), the error in `hostwrap.last_error()`; the one for devices that wait for each other.
        effect: "io" for a function with side effects, each of which happens exactly once (as in
            `jax.experimental.io_callback`); "debug" for one that only watches and returns nothing (as in
            `jax.debug.callback`). By default a function is pure.
        ordered: with effect="io": the calls happen in the order of the program; not under vmap.
        progress: True or a label: show a tqdm bar while the host loops over a batch; it needs
            the package tqdm.
        numerical: True for numerical derivatives, the last resort; or a mapping with options of the steps, see
            `hostwrap.numerical_error`.

        derivatives: where they come from while no rule is attached. "auto" (the default): the function's own code is
            traced into JAX and differentiated, and its value compared with the function's; "unchecked": without that
            comparison; "rules": there are none without a rule. Or a mapping that says it of single arguments:
            `{"x": "auto", "n": hw.unknown("why")}`, where those that are not named have none.

    Returns:
        A `Wrapped` function. It works under jit, vmap, scan, .... On concrete arrays the host function is called
        directly. Derivatives come from its code (see `derivatives=`), from `numerical=` or from one of its methods:
        `defpartials`, `defjvp` and `defvjp` take rules in JAX, `defhost`, `defjacobian` and `defvalue_and_grad` rules
        in NumPy, `defimplicit` the equation that the function solves. (`hostwrap.linear` makes linear functions, and
        they need none.)

    Raises:
        SignatureError: a malformed signature or option; when called, arguments that do not fit.

    >>> import hostwrap as hw, jax, numpy as np, scipy.special
    >>> @hw.wrap
    ... def wave(x, n):
    ...     return np.exp(-x) * scipy.special.jv(n, x)
    >>> print(f"{jax.jit(jax.grad(wave, 1))(0.8, 1.5):.9f}")
    -0.127712250
    >>> solve = hw.wrap("(n,n),(n)->(n)")(np.linalg.solve)
    >>> print(jax.vmap(solve, (None, 0))(2 * np.eye(2), np.ones((3, 2))).shape)
    (3, 2)
    """
    refuse_unknown(options)
    if isinstance(function, str):
        options = {"signature": function, **options}
        function = None
    if function is None:
        return functools.partial(wrap, **options)
    return Wrapped(function, **options)


def _is_of_jax(function: Any) -> bool:
    """Whether it is a JAX function: of jax.numpy, made by jax.jit, jax.custom_jvp, .., or of hostwrap."""
    if isinstance(function, Front):
        return True
    modules = (getattr(owner, "__module__", None) or "" for owner in (function, type(function)))
    return any(module.split(".")[0] in ("jax", "jaxlib") for module in modules)


def _refuse_unfinished(function: Any) -> None:
    """Raise for a coroutine or a generator function: its call returns no result yet."""
    name = getattr(function, "__name__", function)
    if inspect.iscoroutinefunction(function):
        way_out = f"returns a coroutine; wrap a function that waits for it, lambda x: asyncio.run({name}(x))"
        raise SignatureError(f"wrap: {name} is declared with `async def`, and {way_out}.")
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        way_out = f"wrap a function that returns an array, lambda x: numpy.array(list({name}(x)))"
        raise SignatureError(f"wrap: {name} has a `yield`, and returns a generator; {way_out}.")


class Front:
    """A JAX function in front of a host function: it binds and converts the arguments, and makes the call."""

    __name__: str
    _spec: Spec

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        try:
            return self._call(args, kwargs)
        except Exception as error:
            refuse_jet(self.__name__, error, (args, kwargs))
            leave_out_ours(error)
            raise

    def _call(self, args: tuple, kwargs: dict[str, Any]) -> Any:
        spec = self._spec
        values, statics = spec.parameters.bound(args, kwargs)
        given, tree = spec.flatten(values)
        # an effect belongs to the traced program, even if all arguments are constants
        now = not spec.kind and at_once(given)
        leaves = spec.convert(given, tree, now)
        call = spec.call(leaves, tree, statics)
        self._check(call, leaves)
        return call.now(leaves, like=[*leaves, *given]) if now else self._traced(call, leaves, statics)

    def _check(self, call: Call, leaves: list) -> None:
        """Let the derivative rule check the arguments."""

    def _traced(self, call: Call, leaves: list, statics: Statics) -> Any:
        """The call as a differentiable part of a traced program."""
        raise NotImplementedError


class Wrapped(Front, Definable, Generic[_P]):
    """A host function as a JAX function; see `wrap`. Attach one kind of derivative rule.

    >>> import hostwrap as hw, numpy as np
    >>> hw.wrap(np.hypot)
    <hostwrap.wrap of hypot(x1, x2, /)>
    """

    # functools.wraps, which jax.grad calls, copies the __dict__; these attributes cannot be pickled, so they are not
    # in it
    __slots__ = ("_derivation", "_function", "_options", "_spec")

    if TYPE_CHECKING:
        # Editors show the parameters of the function. But its annotations are for NumPy arrays, and a caller has arrays
        # of JAX: so type checkers must accept all arguments.
        @overload
        def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> Any: ...
        @overload
        def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
        def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

    def __init__(self, function: Callable[_P, Any], **options: Unpack[OptionsDict]) -> None:
        self._function, self._options = function, dict(options)
        if not callable(function):
            came = f"{type(function).__name__}: {function!r:.80}"
            order = " Put @classmethod above @wrap." if isinstance(function, classmethod) else ""
            raise SignatureError(f"wrap: expected a function, got {came}.{order}")
        _refuse_unfinished(function)
        given = Options(**options)
        if _is_of_jax(function) and not given.allow_jax:
            known = getattr(function, "__name__", function)
            raise SignatureError(
                f"wrap: {known} is a JAX function already: call it as it is. (hostwrap makes JAX functions of "
                "functions in NumPy. One that uses both is a Python function, with allow_jax=True.)"
            )
        self.__name__ = getattr(function, "__name__", type(function).__name__)
        functools.update_wrapper(self, function)
        self._spec = spec = Spec.of(self.__name__, function, given)
        rule: Rule = Automatic.of(spec, function)
        if given.numerical is not False:
            rule = Numerical(spec.name, spec.names, given.numerical)
        self._derivation = Derivation(spec, rule)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """The function as a method: the object becomes a static argument."""
        alone = instance is None or isinstance(self._function, staticmethod)
        return self if alone else types.MethodType(self, instance)

    def __repr__(self) -> str:
        return f"<hostwrap.wrap of {self.__name__}{self._spec.parameters.signature}>"

    def _check(self, call: Call, leaves: list) -> None:
        self._derivation.rule.check(self.__name__, self._spec.names, jax.tree.unflatten(call.tree, leaves))

    def _traced(self, call: Call, leaves: list, statics: Statics) -> Any:
        return self._derivation.call(statics, operands(leaves), call)

    def _host(self, names: tuple, statics: Statics, tree: Any, out_tree: Any) -> Any:
        """The host function that an origin names."""
        differentiable = self._derivation.function(statics)
        if hasattr(differentiable, "table"):  # a new call takes the current function
            differentiable.table(tuple(map(self._spec.names.index, names)))
        return self._spec.host(names, statics, tree, out_tree)


# The function that each name had at its first lookup: programs store only the name, and you may redefine it.
_first: dict[tuple[str, str], Wrapped] = {}


@finder("wrap")
def _find(module: str, qualname: str, names: tuple, statics: tuple, tree: Any, out_tree: Any) -> Any:
    """The host function of an imported decorated function; see `Spec._origin`."""
    function = _first.get((module, qualname)) or imported(module, qualname)
    function = getattr(function, "hosted", function)  # a decorator in front of the wrapped function
    if not isinstance(function, Wrapped):
        return None
    _first[module, qualname] = function
    given = tuple(Static(*pair) for pair in statics)
    return function._host(names, given, jax.tree.structure(tree), jax.tree.structure(out_tree))


def numerical_error(f: Any, *args: Any, **kwargs: Any) -> dict[str, Any]:
    """The estimated error of each first derivative of a function with `numerical=`, at concrete arguments.

    Derivatives are by Ridders' method: differences with smaller and smaller steps, extrapolated to 0; the estimate is
    how much the last extrapolations differ, or rounding, if that is more. When a derivative is computed, one whose
    estimate is more than `rtol * (|derivative| + |value| / first step)` is a `ResultError`.

    Options:
        initial_step: absolute; by default a quarter of each number, and a quarter, of which the better one is taken.
        step_factor: each step is so many times smaller than the one before (3).
        maxiter: how many steps there are at most (12).
        step_direction: 0 on both sides of the argument, 1 above it, -1 below it, as in scipy.differentiate.
        rtol: the accepted error (1e-6).

    Give them as in `wrap(numerical={"initial_step": 0.1})`. `initial_step` and `step_direction` may be mappings from
    names of arguments.

    Returns:
        For each floating-point argument (each leaf of one, by its path), what the absolute errors are, in the
        structure of the result; shaped as the batch, then the core of the result, then that of the argument.

    Raises:
        RuleError: the function has no numerical derivatives.

    >>> import hostwrap as hw, numpy as np
    >>> sine = hw.wrap(lambda x: np.sin(x), numerical=True)
    >>> print(hw.numerical_error(sine, 1.0)["x"] < 1e-12)
    True
    """
    if not isinstance(f, Wrapped) or not isinstance(rule := f._derivation.rule, Numerical):
        raise RuleError(f"numerical_error: {getattr(f, '__name__', f)!s:.80} is not wrapped with numerical=.")
    values, statics = f._spec.parameters.bound(args, kwargs)
    leaves, tree = f._spec.flatten(values)
    leaves = f._spec.convert(leaves, tree, now=True)
    return estimates(f._spec.call(leaves, tree, statics), rule.steps, leaves)


@overload
def linear(
    function: Callable[_P, Any], signature: str | None = None, /, *,
    transpose: _Map | Mapping[str, _Map] | None = None, adjoint: _Map | None = None, **options: Unpack[OptionsDict],
) -> Wrapped[_P]: ...  # fmt: skip
@overload
def linear(
    signature: str | None = None, /, *,
    transpose: _Map | Mapping[str, _Map] | None = None, adjoint: _Map | None = None, **options: Unpack[OptionsDict],
) -> Callable[[Callable[_P, Any]], Wrapped[_P]]: ...  # fmt: skip
def linear(
    function: Any = None, signature: str | None = None, /, *,
    transpose: Any = None, adjoint: Callable | None = None, **options: Any,
) -> Any:  # fmt: skip
    """Turn a linear map on the host into a JAX function that is linear for JAX: all its derivatives are itself.

    `linear(f, "(3)->(2)", transpose=ft)`, or as a decorator `@linear("(n)->(n)", transpose=ft)`. Shapes are declared as
    in `wrap`: by a signature, by `out=`, or not at all for an elementwise map; leading axes are batch axes for both.
    A map of several arguments is linear in all of them together.

    Args:
        function: y = A x, in NumPy.
        signature: the core axes, as in `wrap`.
        transpose: c -> A^T c, without conjugation, also of complex maps: what jax.linear_transpose and jax.vjp mean.
            For several arguments it returns a tuple. It gets statics by keyword.
            `{"x": .., "h": ..}` says that the function is linear in each of these arguments alone, as a convolution:
            each is called as `(cotangent, *arguments)`, with zeros in place of its own argument.
        adjoint: c -> A^H c in its place (scipy.sparse.linalg calls it rmatvec); the same for real maps.
        options: as in `wrap`.

    Returns:
        A `Wrapped` function: jvp, vjp, jax.linear_transpose and derivatives of any order work, each one host call.

    Raises:
        RuleError: neither or both of transpose and adjoint, or one that cannot be called.

    >>> import hostwrap as hw, jax, numpy as np
    >>> sums = hw.linear(lambda x: np.cumsum(x), "(n)->(n)", transpose=lambda c: np.cumsum(c[::-1])[::-1])
    >>> print(jax.jacobian(sums)(np.ones(3)))
    [[1. 0. 0.]
     [1. 1. 0.]
     [1. 1. 1.]]
    """
    if isinstance(function, str):
        function, signature = None, function
    if function is None:
        return functools.partial(_linear, signature, transpose, adjoint, options)
    return _linear(signature, transpose, adjoint, options, function)


def _linear(signature: str | None, transpose: Any, adjoint: Any, options: dict, function: Callable) -> Any:
    if signature is not None:
        options = {"signature": signature, **options}
    wrapped = wrap(function, **options)
    if (transpose is None) == (adjoint is None):
        raise RuleError(f"{wrapped.__name__}: linear wants one of transpose= and adjoint=.")
    given = ("the adjoint", adjoint) if transpose is None else ("the transpose", transpose)
    wrapped._deflinear(*given)
    return wrapped


_shown: Any
for _shown in (wrap, linear, Wrapped.__init__):
    _shown.__signature__ = spelled_out(_shown)

"""The decorator: a NumPy/SciPy function becomes a JAX function."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Unpack, overload

import jax
import jax.numpy as jnp

from hostwrap._call import signature as _signature
from hostwrap._call.arguments import (
    Statics,
    as_dict,
    bind,
    check_options,
    mapped,
    refuse_unknown,
    signature_of,
)
from hostwrap._call.declaration import Declaration
from hostwrap._call.dtypes import settle
from hostwrap._call.options import Options
from hostwrap._call.spec import Spec
from hostwrap._call.ufunc import Loops, called_as, notation_of
from hostwrap._effects.flavours import EffectCall, flavour, nothing
from hostwrap._elementwise.wrapped import with_partials
from hostwrap._errors import SignatureError
from hostwrap._host.function import LOOPED
from hostwrap._host.progress import bar_of
from hostwrap._lanes.primitive import is_concrete
from hostwrap._rules import partials, vjp
from hostwrap._rules.define_host import DefinableOnHost
from hostwrap._rules.numerical import Numerical, steps_of


@overload
def wrap(function: Callable[..., Any], /, **options: Unpack[Options]) -> Wrapped: ...
@overload
def wrap(
    signature: str | None = None, /, **options: Unpack[Options]
) -> Callable[[Callable[..., Any]], Wrapped]: ...
def wrap(function: Any = None, /, **options: Any) -> Any:
    """Turn a host (NumPy/SciPy) function into a JAX function.

    Use it as `@wrap`, `@wrap("(n,n),(n)->(n)")` or `@wrap(out=..., ...)`:
    - bare, the function is *elementwise*: it broadcasts like a ufunc;
    - a string is its signature in NumPy's gufunc notation (also `signature=`);
    - `out=` declares results of any shape: a `jax.ShapeDtypeStruct`, a pytree of them, or a function of the
      arguments' `ShapeDtypeStruct`s (and the statics) that returns one. Arguments may be pytrees.

    Options:
        static: names of arguments that are hashable Python values, not arrays.
        vmap_method: what the host function sees of batch axes, in JAX's words: "broadcast_all" (the default of
            elementwise functions), "sequential" (the default of all others: one call per batch element, looped
            on the host), "sequential_unrolled" (the same), "expand_dims", "legacy_vectorized".
        dtype: of the results, if not the promoted dtype of the arguments: a dtype, one of float, complex, int,
            bool (in the arguments' precision), or a tuple with one for each result. Not with `out=`.
        widen: compute in double precision and round once (default); False passes dtypes through, except
            float16 and bfloat16, which are always widened. A ufunc has loops for its types, which are used as
            they are by default: names, results and types are the ufunc's, and nothing needs to be declared.
        thread_safe: several threads of a compiled program may call the function at once.
        allow_jax: True permits JAX inside the function, at the risk of a hang; by default it is an error.
        on_error: when the function raises in a compiled program, "raise" (default), or "nan": go on with NaN (0 for
            integers), the error in `hostwrap.last_error()`; the one for devices that wait for each other.
        effect: "io" for a function with side effects, each of which happens exactly once (as in
            `jax.experimental.io_callback`); "debug" for one that only watches and returns nothing (as in
            `jax.debug.callback`). By default a function is pure.
        ordered: with effect="io": the calls happen in the order of the program; not under vmap.
        progress: True or a label: show a tqdm bar while the host loops over a batch (`pip install
            'hostwrap[progress]'`).
        numerical: True for numerical derivatives, the last resort; or a mapping with options of the steps, see
            `hostwrap.numerical_error`.

    Returns:
        A `Wrapped` function. It works under jit, vmap, scan, .... On concrete arrays the host function is called
        directly. Derivatives come from `numerical=` or from one of its methods: `defpartials`, `defjvp` and `defvjp`
        take rules in JAX, `defhost`, `defjacobian` and `defvalue_and_grad` rules in NumPy, `defimplicit` the equation
        that the function solves. (`hostwrap.linear` makes linear functions, and they need none.)

    Raises:
        SignatureError: a malformed signature or option; when called, arguments that do not fit.
    """
    refuse_unknown(options, Wrapped.__init__)
    if isinstance(function, str):
        options = {"signature": function, **options}
        function = None
    if function is None:
        return functools.partial(wrap, **options)
    return Wrapped(function, **options)


class Wrapped(DefinableOnHost):
    """A host function as a JAX function; see `wrap`. Attach one kind of derivative rule, before the first call."""

    def __init__(
        self,
        function: Callable,
        *,
        signature: str | None = None,
        out: Any = None,
        static: str | Sequence[str] = (),
        vmap_method: str | None = None,
        dtype: Any = None,
        widen: bool | None = None,
        thread_safe: bool = False,
        allow_jax: bool = False,
        on_error: str = "raise",
        effect: str | None = None,
        ordered: bool = False,
        progress: bool | str = False,
        numerical: bool | Mapping[str, Any] = False,
    ) -> None:
        if not callable(function):
            came = f"{type(function).__name__}: {function!r:.80}"
            raise SignatureError(f"wrap: expected a function, got {came}.")
        self.__name__ = getattr(function, "__name__", type(function).__name__)
        functools.update_wrapper(self, function)
        self._signature = signature_of(function)
        self._statics = (static,) if isinstance(static, str) else tuple(static)
        self._names = tuple(p for p in self._signature.parameters if p not in self._statics)
        notation = notation_of(function) if signature is None and out is None else signature
        parsed = _signature.parse(notation, results=effect is None) if notation is not None else None
        check_options(
            self.__name__, self._signature, self._statics, out, parsed, dtype, vmap_method, on_error
        )
        self._kind = flavour(self.__name__, effect, ordered, out, parsed, dtype)
        if self._kind == "debug" and parsed is None:
            out = nothing
        self._elementwise = out is None and (parsed is None or (not any(parsed.ins) and not any(parsed.outs)))
        called = called_as(self.__name__, function, own_types=out is None and not widen)
        method = vmap_method or ("broadcast_all" if self._elementwise else "sequential")
        self._spec = Spec(
            self.__name__, called, self._signature, self._names, parsed, out, dtype,
            "expand_dims" if isinstance(called, Loops) else method,
            widen is not False, thread_safe, allow_jax, on_error, self._kind,
            bar_of(self.__name__, progress, method in LOOPED),
        )  # fmt: skip
        if numerical is not False:
            self._rule = Numerical(self._spec.declare, steps_of(self.__name__, self._names, numerical))
        self._differentiable = functools.lru_cache(maxsize=256)(self._build)

    def __reduce__(self) -> str:
        return str(vars(self)["__qualname__"])  # pickled by name, as functions are

    def __repr__(self) -> str:
        return f"<hostwrap.wrap of {self.__name__}{self._signature}>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        values, statics = bind(self.__name__, self._signature, self._statics, args, kwargs)
        leaves, tree = jax.tree.flatten(values)
        given, leaves = leaves, settle(self.__name__, leaves)
        if self._spec.loops:
            leaves = self._spec.loops.convert(given, leaves)
        values = jax.tree.unflatten(tree, leaves)
        declaration = self._spec.declare(values, statics)
        self._rule.check(self.__name__, self._names, values)
        self._used = True
        if not self._kind and is_concrete(leaves):  # an effect belongs to the program, even with constants
            return declaration.now(leaves)
        arrays = jax.tree.unflatten(tree, list(map(jnp.asarray, leaves)))
        return self._over_batch(self._differentiable(statics), arrays, declaration)

    # ---- how a call is made

    def _build(self, statics: Statics) -> Callable:
        """The differentiable function of the array arguments: made once for each value of the statics."""
        if self._kind:
            effect = EffectCall(lambda values: self._spec.declare(values, statics))
            if self._kind == "debug":
                return effect
            return self._rule.attach(self.__name__, effect, self._names, as_dict(statics))
        if self._elementwise and isinstance(self._rule, partials.Partials):
            return with_partials(self._spec, self._names, self._rule.rules, statics)

        def call(*values: Any) -> Any:
            return self._spec.declare(values, statics).traced(jax.tree.leaves(values))

        return self._rule.attach(self.__name__, call, self._names, as_dict(statics))

    def _over_batch(self, function: Callable, values: tuple, declaration: Declaration) -> Any:
        """Leading axes of a signature with core axes are vmapped, so that rules see the core alone."""
        by_itself = self._kind and not isinstance(self._rule, vjp.Vjp)
        if by_itself:  # one call, with its elements in order; the rule is mapped when it is asked for
            return function(*values)
        if self._elementwise and not self._rule.core_only:
            if isinstance(self._rule, vjp.Vjp):  # so that JAX un-broadcasts the cotangents
                values = jax.tree.unflatten(declaration.tree, jnp.broadcast_arrays(*jax.tree.leaves(values)))
            return function(*values)

        def flat(*leaves: Any) -> Any:
            return function(*jax.tree.unflatten(declaration.tree, leaves))

        leaves = tuple(jax.tree.leaves(values))
        return mapped(flat, leaves, declaration.layout.in_core, declaration.batch)

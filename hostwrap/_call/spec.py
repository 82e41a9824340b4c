"""`Spec`: the specification of a wrapped function. `Call`: what one call sends to the host and expects back."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import threading
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self

import jax
import numpy as np

from hostwrap._call import signature as _signature
from hostwrap._call.arguments import (
    Parameters,
    Statics,
    as_dict,
    is_tree,
    signature_of,
    statics_of,
    without_keywords,
)
from hostwrap._call.dtypes import Dtypes, Kept, as_declared, check_number, x64_enabled
from hostwrap._call.options import Options
from hostwrap._call.ufunc import Loops, from_objects, notation_of, on_objects
from hostwrap._errors import HostwrapError, ResultError, SignatureError
from hostwrap._host.function import HostFunction
from hostwrap._host.layout import Layout, Result
from hostwrap._host.numpy_ops import ufunc_of
from hostwrap._host.origins import Origin, is_literal
from hostwrap._lanes.primitive import Forward, call_now, host_call


@dataclasses.dataclass(frozen=True)
class Call:
    """One call: host function, layout, batch shape, and the pytree structures of arguments and results."""

    host: HostFunction
    layout: Layout
    batch: tuple[int, ...]
    tree: Any
    out_tree: Any
    kind: str | None = None

    def now(self, leaves: Sequence[Any], like: Sequence[Any] = ()) -> Any:
        """Make the call now; the results go to the device of the first committed array of `like`."""
        return jax.tree.unflatten(self.out_tree, call_now(self.host, self.layout, leaves, like=like))

    def traced(self, leaves: Sequence[Any], forward: Forward) -> Any:
        """Make the call part of a JAX program; `forward` is its jvp rule (see `host_call`)."""
        results = host_call(self.host, self.layout, *leaves, forward=forward, kind=self.kind)
        return jax.tree.unflatten(self.out_tree, results)


@dataclasses.dataclass(eq=False)
class Spec:
    """All that is known of a wrapped function; `function` is what the host calls."""

    name: str
    function: Callable
    parameters: Parameters
    signature: _signature.Signature | None
    options: Options
    dtypes: Dtypes
    of_users: ClassVar[bool] = True  # a user wrapped it, and chose the options
    # the function may take one number only: the user did not say that it takes arrays
    alone: bool = dataclasses.field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        self.names, self.kind = self.parameters.names, self.options.kind
        declared = self.options.dtype
        self._count = len(declared) if isinstance(declared, tuple | list) else 1
        self.elementwise = self.options.out is None and is_elementwise(self.signature)
        self.host = functools.lru_cache(maxsize=256)(self._host)
        self._leaf_names = functools.lru_cache(maxsize=256)(self._names_of_leaves)
        self._declaration = functools.lru_cache(maxsize=256)(self._declare)
        self.lock: Any = contextlib.nullcontext() if self.options.thread_safe else threading.RLock()
        self.bar = self.options.bar(self.name)

    @classmethod
    def of(cls, name: str, function: Callable, options: Options) -> Self:
        """The specification of this function; `None` in the options becomes a choice that suits the function."""
        options.check(name)
        whole_trees = options.out is not None or (options.effect == "debug" and options.signature is None)
        written = signature_of(function) if whole_trees else without_keywords(signature_of(function))
        text = options.signature
        if text is None and options.out is None:
            text = notation_of(function)
        parsed = _signature.parse(text, results=options.effect is None) if text is not None else None
        static = (options.static,) if isinstance(options.static, str) else tuple(options.static)
        parameters = Parameters(name, written, statics_of(written, static, parsed))
        _check_inputs(name, parameters, parsed)
        if options.effect == "debug":
            _refuse_results(name, options, parsed)
            options = options if parsed else dataclasses.replace(options, out=_nothing)
        elementwise = options.out is None and is_elementwise(parsed)
        called, dtypes, method = function, Kept(name, options.dtype, elementwise), options.vmap_method
        if ufunc := ufunc_of(function):
            if on_objects(ufunc):
                called = from_objects(function)
            elif options.out is None and not options.widen:
                called = dtypes = Loops(name, function, options.dtype, elementwise)
                method = "expand_dims"
        alone = elementwise and method is None
        method = method or ("broadcast_all" if elementwise else "sequential")
        options = dataclasses.replace(options, vmap_method=method, widen=options.widen is not False)
        return cls(name, called, parameters, parsed, options, dtypes, alone=alone)

    # ---- a call

    def flatten(self, values: tuple) -> tuple[Sequence[Any], Any]:
        """The arrays in the values, and their pytree structure. Under a signature each value is an array or None."""
        if self.options.out is not None:
            return jax.tree.flatten(values)
        flat = True
        for name, value in zip(self.names, values, strict=True):
            if value is None or is_tree(value):
                self._check_tree(name, value)
                flat = False
        return (values, _tuple_of(len(values))) if flat else jax.tree.flatten(values)

    def _check_tree(self, name: str, value: Any) -> None:
        if value is None and self.parameters.signature.parameters[name].default is not None:
            raise SignatureError(
                f"{self.name}: `{name}` is None; pass a number or an array. (One that may be left out has the "
                "default None.)"
            )
        if value is not None and not (isinstance(value, tuple) and self.parameters.is_variadic(name)):
            dense = "x.todense()" if hasattr(value, "todense") else "numpy.array(..)"
            trees = ", or declare the results with out=, which takes pytrees" if self.of_users else ""
            raise SignatureError(f"{self.name}: `{name}` is a {type(value).__name__}: pass {dense}{trees}.")

    def convert(self, leaves: Sequence[Any], tree: Any, now: bool) -> list:
        """The arrays in the dtypes of a call; see `Dtypes`."""
        return self.dtypes.convert(self._leaf_names(tree), leaves, now)

    def declare(self, values: tuple, statics: Statics) -> Call:
        """Check the arguments; return the call, with what the host gets and must return."""
        return self.call(*jax.tree.flatten(values), statics)

    def call(self, leaves: Sequence[Any], tree: Any, statics: Statics) -> Call:
        """`declare` for flat arguments. Calls with equal shapes, dtypes and statics are cached."""
        names = self._leaf_names(tree)
        shapes = tuple(map(np.shape, leaves))
        dtypes = tuple(check_number(self.name, n, x, _OPTION) for n, x in zip(names, leaves, strict=True))
        declare = self._declare if callable(self.options.out) else self._declaration
        return declare(shapes, dtypes, tree, statics, x64_enabled())

    def _names_of_leaves(self, tree: Any) -> tuple[str, ...]:
        paths, _ = jax.tree_util.tree_flatten_with_path(jax.tree.unflatten(tree, range(tree.num_leaves)))
        return tuple(self.names[path[0].idx] + jax.tree_util.keystr(path[1:]) for path, _ in paths)

    def _declare(self, shapes: tuple, dtypes: tuple, tree: Any, statics: Statics, x64: bool) -> Call:
        names = self._leaf_names(tree)
        if self.options.out is not None:
            outs, out_tree = self._by_out(tree, list(map(jax.ShapeDtypeStruct, shapes, dtypes)), statics)
            layout, batch = Layout(tuple(map(len, shapes)), outs), tuple[int, ...](())
        else:
            layout, batch = self._by_signature(names, shapes, dtypes)
            out_tree = self.results_tree(len(layout.outs))
        return Call(self.host(names, statics, tree, out_tree), layout, batch, tree, out_tree, self.kind)

    # ---- shapes and dtypes of the results

    def results_tree(self, count: int) -> Any:
        """The structure of `count` results: None, one array, or a tuple."""
        return jax.tree.structure({0: None, 1: 0}.get(count, (0,) * count))

    def signature_of(self, nin: int) -> _signature.Signature:
        """The signature; for an elementwise function without one, with as many results as dtype= has entries."""
        return self.signature or _signature.elementwise(nin, self._count)

    def _by_signature(
        self, names: Sequence[str], shapes: Sequence[Any], dtypes: Sequence[Any]
    ) -> tuple[Layout, tuple[int, ...]]:
        signature = self.signature_of(len(shapes))
        if len(signature.ins) != len(shapes):
            raise SignatureError(
                f"{self.name}: signature {signature.text!r} has {len(signature.ins)} inputs, got {len(shapes)} arrays."
            )
        batch, cores = signature.broadcast(self.name, names, shapes, undeclared=self.alone)
        results = self.dtypes.results(dtypes, len(cores))
        outs = tuple(Result(c, d) for c, d in zip(cores, results, strict=True))
        return Layout(tuple(map(len, signature.ins)), outs), batch

    def _by_out(self, tree: Any, avals: Sequence[Any], statics: Statics) -> tuple[tuple[Result, ...], Any]:
        """The results that `out=` declares for these arguments, and their structure."""
        out = self.options.out
        if callable(out):
            arguments = jax.tree.unflatten(tree, avals)
            try:
                out = out(*arguments, **as_dict(statics))
            except HostwrapError:
                raise
            except Exception as error:
                called = "is called with the arguments' shapes and the statics by keyword"
                came = f"{type(error).__name__}: {error}"
                raise SignatureError(f"{self.name}: out= {called}, and failed: {came}.") from error
        leaves, out_tree = jax.tree.flatten(out)
        for leaf in leaves:
            if not hasattr(leaf, "shape") or not hasattr(leaf, "dtype"):
                raise SignatureError(
                    f"{self.name}: out= must give jax.ShapeDtypeStruct or a pytree of them, got {type(leaf).__name__}."
                )
        return tuple(Result(tuple(x.shape), as_declared(self.name, x.dtype)) for x in leaves), out_tree

    # ---- the host function

    def _host(self, names: tuple[str, ...], statics: Statics, tree: Any, out_tree: Any) -> HostFunction:
        call = self.parameters.caller(self.function, statics)
        flat = tree == _tuple_of(len(names))
        of_leaves = call if flat else lambda arrays: call(jax.tree.unflatten(tree, arrays))

        def function(*arrays: Any) -> tuple:
            return self._results(of_leaves(arrays), out_tree)

        if out_tree == _ONE and self.kind != "debug":
            function = lambda *arrays: (of_leaves(arrays),)
        loops: dict[str, Any] = {}
        if isinstance(self.function, Loops):
            # XLA may call these loops without Python, unless an error becomes NaN
            without_python = is_elementwise(self.signature) and self.options.on_error == "raise"
            kept = self.function.kept() if without_python else None
            loops = {"trusted": True, "widen": False, "loops": kept}
        origin = self._origin(names, statics, tree, out_tree)
        return self.hosted(function, self.name, names, origin=origin, maker=self, alone=self.alone, **loops)

    def hosted(
        self, function: Callable[..., tuple], name: str, names: tuple[str, ...],
        vmap_method: str | None = None, widen: bool | None = None, **more: Any,
    ) -> HostFunction:  # fmt: skip
        """A host function with the options, the lock and the progress bar of this one."""
        said = {"vmap_method": vmap_method, "widen": widen}
        options = self.options.on_host(**{k: v for k, v in said.items() if v is not None})
        given = {"options": options, "lock": self.lock, **self.bar, **more}
        return HostFunction(function, name=name, argnames=names, **given)

    def _origin(self, names: tuple[str, ...], statics: Statics, tree: Any, out_tree: Any) -> Origin | None:
        """The origin of a host function, which the finder in `hostwrap._wrap` reads."""
        templates = [jax.tree.unflatten(t, range(t.num_leaves)) for t in (tree, out_tree)]
        where = getattr(self.function, "__module__", None), getattr(self.function, "__qualname__", None)
        origin = ("wrap", *where, names, tuple(as_dict(statics).items()), *templates)
        return origin if None not in where and is_literal(origin) else None

    def _results(self, result: Any, out_tree: Any) -> tuple:
        """The results as a tuple; raises unless they have the declared structure."""
        if self.kind == "debug" or (result is None and out_tree.num_leaves == 0):
            return ()
        if out_tree == _ONE:
            return (result,)
        result = as_tuple(result, out_tree)
        if jax.tree.structure(result) != out_tree:
            raise ResultError(f"{self.name}: {mismatch(out_tree, result)}.")
        return tuple(jax.tree.leaves(result))


_ONE: Any = jax.tree.structure(0)
_OPTION = "; if it is an option and no array, declare it with static=({!r},)"


def is_elementwise(signature: _signature.Signature | None) -> bool:
    """Whether no argument and no result has a core axis."""
    return signature is None or not any(signature.ins + signature.outs)


def _nothing(*_: Any, **__: Any) -> None:
    """The `out=` of a debug function: no results."""


def _refuse_results(name: str, options: Options, parsed: _signature.Signature | None) -> None:
    if options.out is not None or options.dtype is not None or (parsed is not None and parsed.outs):
        raise SignatureError(
            f"{name}: a debug function returns nothing: give no out= and no dtype=, and a signature without results, "
            "such as '(n)->'."
        )


def _check_inputs(name: str, parameters: Parameters, parsed: _signature.Signature | None) -> None:
    """Raise if the signature has more or fewer inputs than the function has arrays."""
    arrays = parameters.names
    if parsed is not None and not any(map(parameters.is_variadic, arrays)) and len(parsed.ins) != len(arrays):
        raise SignatureError(
            f"{name}: signature {parsed.text!r} has {len(parsed.ins)} inputs, but {name}{parameters.signature} takes "
            f"{len(arrays)} arrays ({', '.join(arrays)}); name those that are none in static=, or give them a default."
        )


def as_tuple(value: Any, tree: Any) -> Any:
    """Turn a list or a namedtuple (of NumPy's eigh, qr, svd, ..) into the declared tuple."""
    if isinstance(value, list | tuple) and type(value) is not tuple and tree == _tuple_of(len(value)):
        return tuple(value)
    return value


def mismatch(tree: Any, value: Any) -> str:
    """The text of the error for a value with another structure than the declared one."""
    if value is None:
        came = "None (is there a `return`?)"
    elif hasattr(value, "shape") and hasattr(value, "dtype"):
        came = f"one array of shape {np.shape(value)}"
    else:
        came = f"{jax.tree.structure(value)}"
    several = value is not None and tree == _tuple_of(tree.num_leaves)
    advice = "; return a tuple with an array for each" if several else ""
    return f"results of structure {tree} are declared, the host function returned {came}{advice}"


@functools.cache
def _tuple_of(count: int) -> Any:
    return jax.tree.structure((0,) * count)

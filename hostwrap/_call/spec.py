"""What one call of a wrapped function declares: which arrays go to the host, and what comes back."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import inspect
import threading
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from hostwrap._call import signature as _signature
from hostwrap._call.arguments import Statics, as_dict
from hostwrap._call.declaration import Declaration
from hostwrap._call.dtypes import canonical, check_number, declared_dtype, no_common_type
from hostwrap._call.ufunc import Loops
from hostwrap._errors import HostwrapError, ResultError, SignatureError
from hostwrap._host.function import HostFunction
from hostwrap._host.layout import Layout, Result
from hostwrap._host.origins import Origin, is_literal
from hostwrap._host.progress import Bar, no_bar


@dataclasses.dataclass(eq=False)
class Spec:
    """Everything that was said when the function was wrapped."""

    name: str
    function: Callable
    parameters: inspect.Signature
    names: tuple[str, ...]
    signature: _signature.Signature | None
    out: Any
    dtype: Any
    vmap_method: str
    widen: bool
    thread_safe: bool
    allow_jax: bool
    on_error: str
    kind: str | None = None
    bar: Bar = no_bar

    def __post_init__(self) -> None:
        self.loops = self.function if isinstance(self.function, Loops) else None
        self.host = functools.lru_cache(maxsize=256)(self._host)
        self.lock: Any = contextlib.nullcontext() if self.thread_safe else threading.RLock()

    def declare(self, values: tuple, statics: Statics) -> Declaration:
        """Check the arguments and say what the host will be given and must return."""
        paths, tree = jax.tree_util.tree_flatten_with_path(values)
        names = [self._leaf_name(path) for path, _ in paths]
        avals = [_aval(self.name, n, x) for n, (_, x) in zip(names, paths, strict=True)]
        if self.out is not None:
            outs, out_tree = self._declared(tree, avals, statics)
            layout, batch = Layout(tuple(len(a.shape) for a in avals), outs), tuple[int, ...](())
        else:
            self._refuse_trees(values)
            layout, batch = self._by_signature(names, avals)
            out_tree = tree_of(len(layout.outs))
        host = self.host(tuple(names), statics, tree, out_tree)
        return Declaration(host, layout, batch, tree, out_tree, self.kind)

    def _refuse_trees(self, values: tuple) -> None:
        for name, value in zip(self.names, values, strict=True):
            if isinstance(value, list | dict) or (isinstance(value, tuple) and not self._is_variadic(name)):
                raise SignatureError(
                    f"{self.name}: `{name}` is a {type(value).__name__}: pass numpy.array(..), or declare the results "
                    "with out=, which takes pytrees."
                )

    def _is_variadic(self, name: str) -> bool:
        return self.parameters.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL

    # ---- shapes and dtypes of the results

    def outs_of(self, nin: int) -> Sequence[Any]:
        return self.signature_of(nin).outs

    def signature_of(self, nin: int) -> _signature.Signature:
        """The signature given; for a bare elementwise function, with as many results as dtype= has entries."""
        count = len(self.dtype) if isinstance(self.dtype, tuple | list) else 1
        return self.signature or _signature.elementwise(nin, count)

    def _by_signature(self, names: list[str], avals: list) -> tuple[Layout, tuple[int, ...]]:
        signature = self.signature_of(len(avals))
        if len(signature.ins) != len(avals):
            raise SignatureError(
                f"{self.name}: signature {signature.text!r} has {len(signature.ins)} inputs, got {len(avals)} arrays."
            )
        batch, cores = signature.bind(self.name, names, [a.shape for a in avals])
        dtypes = self.result_dtypes([a.dtype for a in avals], len(cores))
        outs = tuple(Result(c, d) for c, d in zip(cores, dtypes, strict=True))
        return Layout(tuple(map(len, signature.ins)), outs), batch

    def result_dtypes(self, dtypes: Sequence[Any], count: int) -> list[np.dtype]:
        if self.loops and self.dtype is None:
            return self.loops.results(dtypes)
        given = self.dtype if isinstance(self.dtype, tuple | list) else (self.dtype,) * count
        if len(given) != count:
            raise SignatureError(f"{self.name}: dtype= has {len(given)} entries for {count} results.")
        try:
            return [declared_dtype(d, dtypes) for d in given]
        except ValueError as error:  # jax.dtypes.TypePromotionError, where it has this name
            raise no_common_type(self.name, error) from None

    def _declared(self, tree: Any, avals: list, statics: Statics) -> tuple[tuple[Result, ...], Any]:
        """What `out=` says of these arguments."""
        out = self.out
        if callable(out):
            arguments = jax.tree.unflatten(tree, avals)
            try:
                out = out(*arguments, **as_dict(statics))
            except HostwrapError:
                raise
            except Exception as error:
                raise SignatureError(
                    f"{self.name}: out= is called with the arguments' shapes and the statics by keyword, "
                    f"and failed: {type(error).__name__}: {error}."
                ) from error
        leaves, out_tree = jax.tree.flatten(out)
        for leaf in leaves:
            if not hasattr(leaf, "shape") or not hasattr(leaf, "dtype"):
                raise SignatureError(
                    f"{self.name}: out= must give jax.ShapeDtypeStruct or a pytree of them, got {type(leaf).__name__}."
                )
        return tuple(Result(tuple(x.shape), canonical(x.dtype)) for x in leaves), out_tree

    # ---- the host function

    def _host(self, names: tuple[str, ...], statics: Statics, tree: Any, out_tree: Any) -> HostFunction:
        def function(*arrays: Any) -> tuple:
            values = jax.tree.unflatten(tree, arrays)
            bound = inspect.BoundArguments(self.parameters, {})  # type: ignore[arg-type]
            given = {**dict(zip(self.names, values, strict=True)), **as_dict(statics)}
            bound.arguments.update({p: given[p] for p in self.parameters.parameters})
            return self._flat(self.function(*bound.args, **bound.kwargs), out_tree)

        own: dict[str, Any] = {"origin": self._origin(names, statics, tree, out_tree)}
        if self.loops:
            own |= {"trusted": True, "loops": self._without_python(), "widen": False}
        return self.hosted(function, self.name, names, **own)

    def hosted(
        self, function: Callable[..., tuple], name: str, names: tuple[str, ...], **options: Any
    ) -> HostFunction:
        """A host function that is called as this one is: with its lock, its precision, its way with errors."""
        given = {"vmap_method": self.vmap_method, "widen": self.widen, "lock": self.lock}
        given |= {"allow_jax": self.allow_jax, "on_error": self.on_error, "bar": self.bar}
        given |= {"thread_safe": self.thread_safe and self.kind is None}
        return HostFunction(function, name, names, **{**given, **options})

    def _origin(self, names: tuple[str, ...], statics: Statics, tree: Any, out_tree: Any) -> Origin | None:
        """Read again by `found`."""
        templates = [jax.tree.unflatten(t, range(t.num_leaves)) for t in (tree, out_tree)]
        where = getattr(self.function, "__module__", None), getattr(self.function, "__qualname__", None)
        origin = ("wrap", *where, names, tuple(as_dict(statics).items()), *templates)
        return origin if None not in where and is_literal(origin) else None

    def _without_python(self) -> Any:
        """The ufunc that XLA may call in place of the function: an error in it cannot be replaced by NaN."""
        elementwise = self.signature is not None and not any(self.signature.ins + self.signature.outs)
        return self.loops.kept() if self.loops and elementwise and self.on_error == "raise" else None

    def _flat(self, result: Any, out_tree: Any) -> tuple:
        """The results in order, if they have the declared structure."""
        if self.kind == "debug" or (result is None and out_tree.num_leaves == 0):
            return ()
        if out_tree == jax.tree.structure(0):
            return (result,)
        if isinstance(result, list) and out_tree == tree_of(len(result)):
            result = tuple(result)  # a function may return a list for a tuple
        structure = jax.tree.structure(result)
        if structure != out_tree:
            raise ResultError(
                f"{self.name}: results of structure {out_tree} are declared, the host function returned {structure}."
            )
        return tuple(jax.tree.leaves(result))

    def _leaf_name(self, path: Any) -> str:
        return self.names[path[0].idx] + jax.tree_util.keystr(path[1:])


def tree_of(count: int) -> Any:
    return jax.tree.structure({0: None, 1: 0}.get(count, (0,) * count))


def _aval(function: str, name: str, value: Any) -> jax.ShapeDtypeStruct:
    hint = f"; if it is an option and no array, declare it with static=({name!r},)"
    return jax.ShapeDtypeStruct(np.shape(value), check_number(function, name, value, hint))

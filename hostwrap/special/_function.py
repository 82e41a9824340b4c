"""A function of the catalogue: scipy.special's semantics in front of a derivative table."""

from __future__ import annotations

import collections
import functools
import importlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from hostwrap._arguments import Static, Statics, as_dict, check_hashable
from hostwrap._dtypes import kind_of, precision, promote, result_dtype
from hostwrap._errors import SignatureError
from hostwrap._host import HostFunction
from hostwrap._partials import Elementwise, Rule, Unknown
from hostwrap._primitive import is_concrete
from hostwrap._table import Table


class Special:
    """Call it like SciPy's function; arrays broadcast, the result is a JAX array (a namedtuple for several).

    Works under every JAX transformation. Integers promote to the default float, float32 gives float32 (computed
    in double and rounded once). Raises SignatureError for wrong arguments, MissingDerivative for a derivative
    that is not there.
    """

    REQUIRED = inspect.Parameter.empty
    ref: Callable
    see: str
    at: tuple[tuple, ...]
    boxes: dict[str, Any]
    discrete: list[bool]

    def __init__(
        self,
        name: str,
        args: tuple[str, ...],
        statics: Mapping[str, Any],
        outs: tuple[str, ...],
        host: Callable,
        rules: Mapping[str, Rule | Unknown],
        conjugates: Mapping[str, Rule],
        complex_result: bool,
        public: bool,
    ) -> None:
        self.name, self.args, self.statics, self.outs = name, args, dict(statics), outs
        self.host, self.rules, self.conjugates = host, dict(rules), dict(conjugates)
        self.complex_result, self.public = complex_result, public
        self.Out: Any = collections.namedtuple(name, outs) if outs else None  # type: ignore[misc]
        self.__name__ = self.__qualname__ = name
        self.__signature__ = _signature(args, self.statics)
        self.table = functools.lru_cache(maxsize=256)(self._table)

    def __reduce__(self) -> tuple:
        return _by_name, (self.name,)  # pickled by name, as SciPy's ufuncs are

    def __repr__(self) -> str:
        return f"<hostwrap.special.{self.name}{self.__signature__}>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        arrays, statics = self._bind(args, kwargs)
        table = self.table(statics)
        if is_concrete(arrays):
            return self._pack(table.now(self._promote(arrays, np.asarray), arrays))
        return self._pack(table(*self._promote(arrays, jnp.asarray)))

    def _bind(self, args: tuple, kwargs: dict[str, Any]) -> tuple[list, Statics]:
        try:
            bound = self.__signature__.bind(*args, **kwargs)
        except TypeError as error:
            raise SignatureError(
                f"{self.name}{self.__signature__}: {error}; {len(args)} positional and {sorted(kwargs)} given."
            ) from None
        values = {**self.statics, **bound.arguments}
        statics = tuple(Static(s, values[s]) for s in self.statics)
        check_hashable(self.name, statics)
        return [values[a] for a in self.args], statics

    def _promote(self, arrays: list, convert: Callable) -> list:
        return promote(self.name, self.args, arrays, self.discrete, convert)

    def _pack(self, outputs: tuple) -> Any:
        return self.Out(*outputs) if self.Out else outputs[0]

    def _table(self, statics: Statics) -> Table:
        keywords = as_dict(statics)

        def function(*arrays: Any) -> tuple:
            result = self.host(*arrays, **keywords)
            return tuple(result) if self.Out else (result,)

        host = HostFunction(function, self.name, self.args, "expand_dims", trusted=True)
        rules = [self._with(self.rules[a], keywords) for a in self.args]
        conjugates = {self.args.index(a): self._with(r, keywords) for a, r in self.conjugates.items()}
        return Table(Elementwise(host, rules, conjugates, self._result_dtypes, self._pack))

    def _with(self, rule: Any, keywords: dict[str, Any]) -> Any:
        return functools.partial(rule, **keywords) if keywords and not isinstance(rule, Unknown) else rule

    def _result_dtypes(self, dtypes: Sequence[Any]) -> list[np.dtype]:
        real = precision([d for d in dtypes if jnp.issubdtype(d, jnp.inexact)])
        return [result_dtype(k, real) for k in self._result_kinds("".join(map(kind_of, dtypes)))]

    def _result_kinds(self, kinds: str) -> str:
        """Real or complex results, for real or complex arguments, as SciPy's loops have it."""
        count = max(1, len(self.outs))
        if not isinstance(self.host, np.ufunc):
            return ("c" if self.complex_result or "c" in kinds else "f") * count
        dtypes = [np.dtype({"c": "D", "f": "d", "b": "d"}.get(k, "l")) for k in kinds]
        try:
            resolved = self.host.resolve_dtypes((*dtypes, *[None] * count))
        except TypeError:
            given = ", ".join(f"{a}: {d}" for a, d in zip(self.args, dtypes, strict=True))
            raise SignatureError(
                f"{self.name}: SciPy has no loop for {given}; it has {', '.join(self.host.types)}."
            ) from None
        return "".join("c" if d.kind == "c" else "f" for d in resolved[len(kinds) :])


def _by_name(name: str) -> Special:
    return importlib.import_module("hostwrap.special._entry").CATALOGUE[name]


def _signature(args: tuple[str, ...], statics: Mapping[str, Any]) -> inspect.Signature:
    kind = inspect.Parameter
    positional = [kind(a, kind.POSITIONAL_OR_KEYWORD) for a in args]
    # SciPy allows statics by position too: spherical_jn(n, z, True)
    named = [kind(s, kind.POSITIONAL_OR_KEYWORD, default=d) for s, d in statics.items()]
    return inspect.Signature(positional + named)

"""A function of the catalogue: scipy.special's semantics in front of a derivative table."""

from __future__ import annotations

import collections
import functools
import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from hostwrap._call.arguments import Static, Statics, as_dict, check_hashable
from hostwrap._call.dtypes import kind_of, precision, promote, result_dtype
from hostwrap._elementwise.partials import Elementwise, Rule, Unknown
from hostwrap._elementwise.table import Table
from hostwrap._errors import SignatureError
from hostwrap._host.function import HostFunction
from hostwrap._host.layout import MAX_RANK, broadcast_arrays
from hostwrap._host.origins import finder
from hostwrap._host.recording import Unsafe
from hostwrap._lanes.primitive import is_concrete
from hostwrap.special._doc import Later, docstring
from hostwrap.special._notation import Notation


class Special:
    __doc__ = Later(  # type: ignore[assignment]
        docstring,
        """Call it like SciPy's function; arrays broadcast, the result is a JAX array (a namedtuple for several).

    Works under every JAX transformation. Integers promote to the default float where SciPy has no loop for them.
    float32 gives float32: the value by SciPy's own loop, derivatives computed in double and rounded once.
    Raises SignatureError for wrong arguments, MissingDerivative for a derivative that is not there.
    """,
    )
    __signature__: Any = Later(lambda function: function.notation.signature(), None)

    ref: Callable
    see: str
    at: tuple[tuple, ...]
    boxes: dict[str, Any]
    integral: list[bool]  # which arguments keep integers

    def __init__(
        self,
        notation: Notation,
        host: Callable,
        rules: Mapping[str, Rule | Unknown],
        conjugates: Mapping[str, Rule],
        *,
        complex_result: bool = False,
        public: bool = True,
        unsafe: Callable | None = None,
        loops: bool = False,
    ) -> None:
        self.notation = notation
        self.name, self.args, self.outs = notation.name, notation.args, notation.outs
        self.defaults, self.statics = notation.defaults, notation.statics
        self.host, self.rules, self.conjugates = host, dict(rules), dict(conjugates)
        self.complex_result, self.public, self.unsafe, self.loops = complex_result, public, unsafe, loops
        self.__name__ = self.__qualname__ = self.name

    @functools.cached_property
    def table(self) -> Callable[[Statics], Table]:
        """The derivatives for given statics."""
        return functools.lru_cache(maxsize=256)(self._table)

    @functools.cached_property
    def Out(self) -> Any:
        """The namedtuple of several results; None for one."""
        return collections.namedtuple(self.name, self.outs) if self.outs else None  # type: ignore[misc]

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
        values = {**self.defaults, **self.statics, **bound.arguments}
        statics = tuple(Static(s, values[s]) for s in self.statics)
        check_hashable(self.name, statics)
        return [values[a] for a in self.args], statics

    def _promote(self, arrays: list, convert: Callable) -> list:
        return promote(self.name, self.args, arrays, self.integral, convert)

    def _pack(self, outputs: tuple) -> Any:
        return self.Out(*outputs) if self.Out else outputs[0]

    def _table(self, statics: Statics) -> Table:
        keywords = as_dict(statics)

        def function(*arrays: Any) -> tuple:
            result = self.on_host(*arrays, **keywords)
            return tuple(result) if self.Out else (result,)

        # a ufunc has loops of its own for single precision; our kernels have none
        ufunc = self.host if isinstance(self.host, np.ufunc) else None
        host = HostFunction(function, self.name, self.args, "expand_dims", trusted=True, widen=ufunc is None)
        host.loops, host.origin = ufunc, ("special", self.name, tuple(keywords.items()))
        if self.loops:
            host.loops = functools.partial(self.host, **keywords)
        if self.unsafe:
            host.unsafe = Unsafe(self.unsafe, tuple(self.boxes[a].ordinary for a in self.args))
        rules = [self._with(self.rules[a], keywords) for a in self.args]
        conjugates = {self.args.index(a): self._with(r, keywords) for a, r in self.conjugates.items()}
        return Table(Elementwise(host, rules, conjugates, self._result_dtypes, self._pack))

    def on_host(self, *arrays: Any, **statics: Any) -> Any:
        """SciPy's function on NumPy arrays, without warnings; NaN where it would crash or hang."""
        if isinstance(self.host, np.ufunc) and not self.unsafe:
            return self.host(*arrays, **statics)
        with np.errstate(all="ignore"):
            return self._carefully(*arrays, **statics)

    def _carefully(self, *arrays: Any, **statics: Any) -> Any:
        if (
            max(map(np.ndim, arrays)) > MAX_RANK
        ):  # NumPy's broadcasting, that kernels use, does not go further
            return self._flat(*arrays, **statics)
        bad = self.unsafe(*arrays) if self.unsafe else np.False_
        if not np.any(bad):
            return self.host(*arrays, **statics)
        bad, *full = broadcast_arrays(bad, *arrays)
        results = self.host(*(a[~bad] for a in full), **statics)
        spread = [_spread(r, ~bad) for r in (results if self.outs else [results])]
        return tuple(spread) if self.outs else spread[0]

    def _flat(self, *arrays: Any, **statics: Any) -> Any:
        full = broadcast_arrays(*arrays)
        results = self._carefully(*map(np.ravel, full), **statics)
        shaped = tuple(np.reshape(r, full[0].shape) for r in (results if self.outs else [results]))
        return shaped if self.outs else shaped[0]

    def _with(self, rule: Any, keywords: dict[str, Any]) -> Any:
        return functools.partial(rule, **keywords) if keywords and not isinstance(rule, Unknown) else rule

    def _result_dtypes(self, dtypes: Sequence[Any]) -> list[np.dtype]:
        real = precision([d for d in dtypes if jnp.issubdtype(d, jnp.inexact)])
        return [result_dtype(k, real) for k in self._result_kinds("".join(map(kind_of, dtypes)))]

    def _result_kinds(self, kinds: str) -> str:
        """Real or complex results, for real or complex arguments, as SciPy's loops have it."""
        count = max(1, len(self.outs))
        if not isinstance(self.host, np.ufunc):
            if self.public:  # rules know what a kernel of ours takes
                self._refuse_complex(kinds)
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

    def _refuse_complex(self, kinds: str) -> None:
        for name, kind in zip(self.args, kinds, strict=True):
            if kind == "c" and getattr(self.boxes[name], "im", None) is None:
                raise SignatureError(f"{self.name}: `{name}` must be real, got complex numbers.")


@finder("special")
def _host(name: str, statics: tuple) -> HostFunction | None:
    """The host function of an entry; with its table, that is made with it."""
    catalogue = importlib.import_module("hostwrap.special._entry").CATALOGUE
    return (
        catalogue[name].table(tuple(Static(*pair) for pair in statics)).f.host if name in catalogue else None
    )


def _by_name(name: str) -> Special:
    return importlib.import_module("hostwrap.special._entry").CATALOGUE[name]


def _spread(values: np.ndarray, where: np.ndarray) -> np.ndarray:
    """The values at the places `where`, NaN elsewhere."""
    full = np.full(where.shape, np.nan, values.dtype)
    full[where] = values
    return full

"""A function of the catalogue: the semantics of scipy.special, and a derivative table."""

from __future__ import annotations

import collections
import dataclasses
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from hostwrap._call.arguments import Parameters, Static, Statics, as_dict
from hostwrap._call.dtypes import check_number
from hostwrap._call.options import Options
from hostwrap._call.signature import elementwise
from hostwrap._call.spec import Call, Spec
from hostwrap._host.function import HostFunction, HostOptions
from hostwrap._host.layout import MAX_RANK, broadcast_arrays
from hostwrap._host.origins import finder
from hostwrap._table.partials import Rule, Unknown
from hostwrap._table.table import Table, with_partials
from hostwrap._wrap import Front
from hostwrap.special import _families
from hostwrap.special._doc import Later, docstring
from hostwrap.special._dtypes import SciPys
from hostwrap.special._notation import Notation


class Catalogue(dict[str, "Special"]):
    """The entries by name. Families are loaded when their functions are asked for.

    Who reads all entries, or asks for a name that is not there yet, has all families loaded.
    """

    def __missing__(self, name: str) -> Special:
        if name in self:
            return self[name]
        raise KeyError(name)

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or name in self.keys()

    def get(self, name: str, default: Any = None) -> Any:
        return super().get(name, default) if name in self else default

    def __iter__(self) -> Iterator[str]:
        _families.public()
        return super().__iter__()

    def __len__(self) -> int:
        _families.public()
        return super().__len__()

    def keys(self) -> Any:
        _families.public()
        return super().keys()

    def values(self) -> Any:
        _families.public()
        return super().values()

    def items(self) -> Any:
        _families.public()
        return super().items()


CATALOGUE = Catalogue()


class Special(Front):
    __doc__ = Later(  # type: ignore[assignment]
        docstring,
        """Call it like SciPy's function; arrays broadcast, the result is a JAX array (a namedtuple for several).

    Works under every JAX transformation. Integers promote to the default float where SciPy has no loop for them.
    float32 gives float32: the value by SciPy's own loop, derivatives computed in double and rounded once.
    Raises SignatureError for wrong arguments, MissingDerivative for a derivative that is not there.
    """,
    )
    __signature__: Any = Later(lambda function: function.notation.signature(), None)

    # functools.wraps copies the __dict__; these attributes cannot be pickled, so they are not in it: see `Wrapped`
    __slots__ = ("Out", "_spec", "differentiable")

    Out: Any
    differentiable: Callable[[Statics], Callable]
    ref: Callable
    see: str
    at: tuple[tuple, ...]
    boxes: dict[str, Any]
    integral: list[bool]  # whether each argument keeps integers
    derivatives: Special  # for an entry with `orders=`: one kernel for all derivatives

    def __init__(
        self,
        notation: Notation,
        host: Callable,
        rules: Mapping[str, Rule | Unknown],
        imaginary: Mapping[str, Rule],
        *,
        complex_result: bool = False,
        public: bool = True,
        unsafe: Callable | None = None,
        loops: bool = False,
        twin: Callable | None = None,
    ) -> None:
        self.notation = notation
        self.name, self.args, self.outs = notation.name, notation.args, notation.outs
        self.defaults, self.statics = notation.defaults, notation.statics
        self.host, self.rules, self.imaginary = host, dict(rules), dict(imaginary)
        self.complex_result, self.public, self.unsafe, self.loops = complex_result, public, unsafe, loops
        self.twin = twin
        self.__name__ = self.__qualname__ = self.name

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Attributes that are computed when needed, because the catalogue is long."""
            if name not in Special.__slots__:
                raise AttributeError(
                    f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self
                )
            setattr(self, name, value := getattr(self, f"_make_{name.strip('_')}")())
            return value

    def _make_spec(self) -> Spec:
        parameters = Parameters(self.name, self.__signature__, tuple(self.statics))
        signature = elementwise(len(self.args), max(1, len(self.outs)))
        # a ufunc has loops of its own for single precision; our kernels have none
        options = Options(vmap_method="expand_dims", widen=not isinstance(self.host, np.ufunc))
        dtypes = SciPys(self)
        return _Entry(self.name, self.on_host, parameters, signature, options, dtypes, self)

    def _make_differentiable(self) -> Callable[[Statics], Callable]:
        """The differentiable function of the arrays, for given statics."""
        partials = functools.partial(with_partials, self._spec, self.rules, imaginary=self.imaginary)
        return functools.lru_cache(maxsize=256)(partials)

    def table(self, statics: Statics) -> Table:
        """The derivative table for given statics."""
        return self.differentiable(statics).table(tuple(range(len(self.args))))  # type: ignore[attr-defined]

    def _make_Out(self) -> Any:
        """The namedtuple class of several results; None for one result."""
        return collections.namedtuple(self.name, self.outs) if self.outs else None  # type: ignore[misc]

    def __reduce__(self) -> tuple:
        return _by_name, (self.name,)  # pickled by name, as SciPy's ufuncs are

    def __repr__(self) -> str:
        return f"<hostwrap.special.{self.name}{self.__signature__}>"

    def _traced(self, call: Call, leaves: list, statics: Statics) -> Any:
        return self.differentiable(statics)(*leaves)

    def on_host(self, *arrays: Any, **statics: Any) -> Any:
        """SciPy's function on NumPy arrays, without warnings; NaN where it would crash or hang."""
        if isinstance(self.host, np.ufunc) and not self.unsafe:
            return self.host(*arrays, **statics)
        with np.errstate(all="ignore"):
            return self._carefully(*arrays, **statics)

    def _carefully(self, *arrays: Any, **statics: Any) -> Any:
        if max(map(np.ndim, arrays)) > MAX_RANK:  # kernels use NumPy's broadcasting, which has this limit
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


@dataclasses.dataclass(eq=False)
class _Entry(Spec):
    """The specification of a catalogue entry. Its host function is trusted, and found by its name."""

    of_users = False

    entry: Special

    def results_tree(self, count: int) -> Any:
        return jax.tree.structure(self.entry.Out(*[0] * count) if self.entry.Out else 0)

    def _check_tree(self, name: str, value: Any) -> None:
        check_number(self.name, name, value)

    def _host(self, names: tuple[str, ...], statics: Statics, tree: Any, out_tree: Any) -> HostFunction:
        entry, keywords = self.entry, as_dict(statics)

        def function(*arrays: Any) -> tuple:
            result = entry.on_host(*arrays, **keywords)
            return tuple(result) if entry.outs else (result,)

        ufunc = entry.host if isinstance(entry.host, np.ufunc) else None
        loops: Any = functools.partial(entry.host, **keywords) if entry.loops else ufunc
        if loops is not None and entry.unsafe:
            loops = _safe(loops, entry.unsafe, [entry.boxes[a].ordinary for a in entry.args])
        return HostFunction(
            function, name=self.name, argnames=names, options=HostOptions("expand_dims", widen=ufunc is None),
            trusted=True, origin=("special", self.name, tuple(keywords.items())), maker=entry,
            loops=loops,
            twin=functools.partial(entry.twin, **keywords) if entry.twin else None,
        )  # fmt: skip


@finder("special")
def _host(name: str, statics: tuple) -> HostFunction | None:
    """The host function of an entry, with its derivative table."""
    given = tuple(Static(*pair) for pair in statics)
    return CATALOGUE[name].table(given).host if name in CATALOGUE else None


def _by_name(name: str) -> Special:
    return CATALOGUE[name]


def _safe(loops: Callable, unsafe: Callable, instead: Sequence[float]) -> Callable[..., list]:
    """The loops for recordings: on arguments that may crash them they get numbers `instead`, and give NaN."""

    def safe(*arrays: Any) -> list:
        bad = unsafe(*arrays)
        given = [np.where(bad, a.dtype.type(x), a) for a, x in zip(arrays, instead, strict=True)]
        results = loops(*given)
        found = results if isinstance(results, tuple) else [results]
        return [np.where(bad, _not_a_number(y.dtype), y) for y in found]

    return safe


def _not_a_number(dtype: np.dtype) -> Any:
    """NaN; for a complex dtype NaN in both parts, as in SciPy."""
    return dtype.type(complex(np.nan, np.nan) if dtype.kind == "c" else np.nan)


def _spread(values: np.ndarray, where: np.ndarray) -> np.ndarray:
    """An array with the values at the places `where`, and NaN elsewhere."""
    full = np.full(where.shape, _not_a_number(values.dtype))
    full[where] = values
    return full

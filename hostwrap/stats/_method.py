"""One method of one distribution: SciPy's public method on the host, in front of a derivative table."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap._call.arguments import Parameters, Statics
from hostwrap._call.dtypes import precision
from hostwrap._call.options import Options
from hostwrap._call.signature import elementwise
from hostwrap._call.spec import Call, Spec
from hostwrap._errors import SignatureError
from hostwrap._host.function import HostFunction
from hostwrap._host.origins import Origin
from hostwrap._table.partials import Rule, Unknown, discrete
from hostwrap._table.table import with_partials
from hostwrap._wrap import Front
from hostwrap.special._dtypes import Promoted

Key = tuple[str | int, ...]  # the distribution's name, the method's, and what belongs to it


class Method(Front):
    """Call it like SciPy's method; arrays broadcast, and integers are converted to floating-point numbers."""

    # functools.wraps copies what is in the __dict__, and these cannot be pickled: see `Wrapped`
    __slots__ = ("_spec", "differentiable", "rules")

    def __init__(
        self, key: Key, signature: inspect.Signature, scipys: Callable, rules: Mapping[str, Rule | Unknown], doc: str,
        loops: Callable | None = None, known: bool = True,
    ) -> None:  # fmt: skip
        """Every process finds the method by its key, `known`."""
        self.key, self.rules = key, dict(rules)
        self.__name__ = self.__qualname__ = ".".join(map(str, key[:2]))
        self.__signature__, self.__doc__, self.__module__ = signature, doc, "hostwrap.stats"
        parameters = Parameters(self.__name__, signature)
        count = len(parameters.names)
        called = functools.partial(_silently, scipys)
        options = Options(vmap_method="broadcast_all", widen=True)
        dtypes = _Real(self.__name__, [False] * count)
        self._spec = _OfScipy(
            self.__name__, called, parameters, elementwise(count, 1), options, dtypes,
            ("stats", *key) if known else None, loops,
        )  # fmt: skip
        self.differentiable = with_partials(self._spec, self.rules, ())

    def __repr__(self) -> str:
        return f"<hostwrap.stats.{self.__name__}{self.__signature__}>"

    def __reduce__(self) -> str:
        return self.__qualname__  # of `hostwrap.stats`

    def _traced(self, call: Call, leaves: list, statics: Statics) -> Any:
        return self.differentiable(*leaves)

    @property
    def host(self) -> Any:
        """The host function, with the table of its derivatives."""
        return self.differentiable.table(tuple(range(len(self._spec.names)))).host  # type: ignore[attr-defined]


def _silently(function: Callable, *args: Any) -> Any:
    with np.errstate(all="ignore"):
        return function(*args)


class _Real(Promoted):
    """All arguments as real numbers of one precision."""

    def results(self, dtypes: Sequence[Any], count: int) -> list[np.dtype]:
        if any(jnp.issubdtype(d, jnp.complexfloating) for d in dtypes):
            raise SignatureError(f"{self.function}: the arguments must be real, got complex numbers.")
        return [precision([d for d in dtypes if jnp.issubdtype(d, jnp.inexact)])] * count


@dataclasses.dataclass(eq=False)
class _OfScipy(Spec):
    """A key that every process understands: the names of the distribution and the method."""

    of_users = False

    key: Origin | None
    loops: Callable | None  # the same for stand-ins of arrays

    def _host(self, *call: Any) -> HostFunction:
        return dataclasses.replace(super()._host(*call), loops=self.loops)

    def results_tree(self, count: int) -> Any:
        return jax.tree.structure(0)

    def _origin(self, *call: Any) -> Origin | None:
        return self.key


@functools.cache
def differentiable(kernel: Callable, order: int, *integers: str, loops: bool = False) -> Method:
    """A function of x from `kernel(*integers, x, dd=order)`: its derivative is the kernel of the next order.

    `loops` says that the kernel can be recorded.
    """
    function = functools.partial(kernel, dd=order)
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    signature = inspect.Signature([inspect.Parameter(name, kind) for name in (*integers, "x")])
    rules: dict[str, Any] = dict.fromkeys(integers, discrete)
    rules["x"] = lambda ans, *args: differentiable(kernel, order + 1, *integers, loops=loops)(*args)
    return Method(
        (kernel.__name__, order), signature, function, rules, "", function if loops else None, known=False
    )

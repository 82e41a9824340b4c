"""The public methods of SciPy's distributions, on stand-ins.

SciPy's own code reads the numbers to skip those outside of the support. Here all elements are computed. An element
outside of the support gets a number from inside, and its result is not used. The distribution's own methods `_pdf`,
`_cdf`, `_ppf`, ... compute the elements inside.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.custom_derivatives import SymbolicZero

from hostwrap._copies import EXTERNAL
from hostwrap._copies.retarget import Around
from hostwrap._tracing import laws
from hostwrap._tracing.arrays import array
from hostwrap._tracing.calls import IN_PYTHON, call
from hostwrap._tracing.functions import with_jax
from hostwrap._tracing.laws import method_of, of_one_shape
from hostwrap._tracing.standin import Stand, box
from hostwrap._tracing.values import is_traced, raw

INF = np.inf

# Name of a public method: (what is below the support, what is above it, whether it is a density)
VALUES = {
    "pdf": (0.0, 0.0, True),
    "logpdf": (-INF, -INF, True),
    "cdf": (0.0, 1.0, False),
    "logcdf": (-INF, 0.0, False),
    "sf": (1.0, 0.0, False),
    "logsf": (0.0, -INF, False),
}


def _where(*args: Any) -> Any:
    return call(np.where, args, {})


def _value(name: str) -> Callable:
    below, above, density = VALUES[name]

    def method(self: Any, x: Any, *args: Any, **kwds: Any) -> Any:
        args, loc, scale, lower, upper, valid = _given(self, args, kwds)
        x, own = array(x), getattr(self, f"_{name}")
        y = (x - loc) / scale
        outside = _where(y <= lower, below, above)
        inside = self._support_mask(y, *args) if density else (lower < y) & (y < upper)
        if name == "pdf":
            for end in (lower, upper):
                if (vanishes := _vanishes(own, array(y == end), end, args)) is not None:
                    unit = scale if end.value.any() else jax.lax.stop_gradient(jnp.asarray(scale.value))
                    other = _middle(lower, upper)  # 0 is 0 at every scale
                    zero = _at_end(own, vanishes, (x - loc) / unit, other, scale, args)
                    outside, inside = _where(vanishes, zero, outside), inside & ~vanishes
        found = own(_where(inside, y, _middle(lower, upper)), *args)
        if density:
            found = found - call(np.log, (scale,), {}) if name == "logpdf" else found / scale
        return _where(valid, _where(inside, found, _where(y == y, outside, np.nan)), np.nan)[()]

    return method


def _vanishes(own: Callable, there: Any, end: Any, args: tuple) -> Any:
    """Where a density is 0 at an end of its support, which is a constant; None if no place is at this end."""
    if is_traced(end.value) or np.all(np.isinf(end.value)):
        return None
    return there & (own(end, *args) == 0) if is_traced(there.value) or there.value.any() else None


def _at_end(own: Callable, vanishes: Any, y: Any, other: Any, scale: Any, args: tuple) -> Any:
    """0, where a density vanishes at an end of its support. It does so for other shapes, too, so its derivatives in
    them are 0, where its formula says 0 times infinity: that of exp(xlogy(a - 1, y) - y) in a is 0 log(0). The
    derivative in y is that of the formula; `other` are numbers inside of the support, for the other places."""

    @jax.custom_jvp
    def zero(y: Any, *_: Any) -> Any:
        return jnp.zeros_like(y)

    def moved(primals: tuple, tangents: tuple) -> tuple:
        (y, vanishes, other, scale, *args), along = primals, tangents[0]
        if isinstance(along, SymbolicZero):
            return jnp.zeros_like(y), jnp.zeros_like(y)
        density = lambda y: raw(own(_boxed(y), *map(_boxed, args)))
        inside = jnp.where(vanishes, y, other)
        return jnp.zeros_like(y), jax.jvp(density, (inside,), (jnp.ones_like(y),))[1] * along / scale

    zero.defjvp(moved, symbolic_zeros=True)
    numbers = [jnp.asarray(raw(v)) for v in (y, vanishes, other, scale, *args)]
    shape = jnp.broadcast_shapes(*(x.shape for x in numbers))
    return box(zero(jnp.broadcast_to(numbers[0], shape), *numbers[1:]))


def _boxed(x: Any) -> Any:
    return Stand(x, scalar=not x.ndim)


def _quantile(name: str) -> Callable:
    def method(self: Any, q: Any, *args: Any, **kwds: Any) -> Any:
        args, loc, scale, lower, upper, valid = _given(self, args, kwds)
        q = array(q)
        first, last = (lower, upper) if name == "ppf" else (upper, lower)
        inside = (q > 0) & (q < 1)
        found = getattr(self, f"_{name}")(_where(inside, q, 0.5), *args)
        found = _where(inside, found, _where(q == 0, first, _where(q == 1, last, np.nan)))
        return _where(valid, found * scale + loc, np.nan)[()]

    return method


def _moment(name: str) -> Callable:
    def method(self: Any, *args: Any, **kwds: Any) -> Any:
        args, loc, scale, *_, valid = _given(self, args, kwds)
        if name == "entropy":
            found = self._entropy(*args) + call(np.log, (scale,), {})
        else:
            mean, variance, *_ = self._stats(*args, **({"moments": "mv"} if self._stats_has_moments else {}))
            if name == "mean":
                found = mean * scale + loc
            else:
                found = variance * scale**2 if name == "var" else call(np.sqrt, (variance,), {}) * scale
        return _where(valid, found, np.nan)[()]

    return method


def _given(self: Any, args: tuple, kwds: dict) -> tuple:
    args, loc, scale = self._parse_args(*args, **kwds)
    args, loc, scale = tuple(map(array, args)), array(loc), array(scale)
    lower, upper = map(array, self._get_support(*args))
    return args, loc, scale, lower, upper, array(self._argcheck(*args)) & (scale > 0)


def _middle(lower: Any, upper: Any) -> Any:
    """A number inside of the support."""
    from_below, from_above = lower > -INF, upper < INF
    below, above = _where(from_below, lower, 0.0), _where(from_above, upper, 0.0)
    one_end = _where(from_below, below + 1.0, _where(from_above, above - 1.0, 0.0))
    return _where(from_below & from_above, (below + above) / 2, one_end)


def _expect(
    own: Callable, self: Any, func: Any = None, args: tuple = (), loc: Any = 0, scale: Any = 1, lb: Any = None,
    ub: Any = None, *rest: Any, **kwds: Any,
) -> Any:  # fmt: skip
    """SciPy's, with ends of the support that are 0 or infinite at every scale: -inf * scale has the derivative -inf."""

    def limit(given: Any, end: Any) -> Any:
        at = raw(end)
        if given is not None or is_traced(at) or np.all(np.isfinite(at) & (at != 0)):
            return given
        return loc if np.all(at == 0) else float(at)

    lower, upper = self._get_support(*args)
    return own(self, func, args, loc, scale, limit(lb, lower), limit(ub, upper), *rest, **kwds)


def _by_law(name: str, ours: Callable | None = None) -> Around:
    """The method's own code, or `ours` in its place; if its code cannot be traced, the method of `hostwrap.stats`."""

    def act(own: Callable, self: Any, *args: Any, **kwds: Any) -> Any:
        try:
            return (ours or own)(self, *args, **kwds)
        except Exception:
            if (method := method_of(self, name.removeprefix("_"))) is None:
                raise
            return with_jax(of_one_shape(method), args, kwds)

    return Around(act)


IN_PYTHON["scipy.stats._distn_infrastructure"] = {
    **{f"rv_continuous.{name}": _by_law(name, _value(name)) for name in VALUES},
    **{f"rv_continuous.{name}": _by_law(name, _quantile(name)) for name in ("ppf", "isf")},
    "rv_continuous.expect": Around(_expect),
    **{f"rv_discrete.{name}": _by_law(name) for name in laws.METHODS},
    **{f"rv_generic.{name}": _by_law(name, _moment(name)) for name in laws.MOMENTS},
}
for _module in laws.MODULES:
    IN_PYTHON[_module] = {name: _by_law(name) for name in laws.PRIVATE}


def apply_where(
    condition: Any,
    args: Any,
    first: Callable,
    second: Callable | None = None,
    /,
    *,
    fill_value: Any = None,
    **_: Any,
) -> Any:
    """SciPy's `apply_where`.

    One function where the condition holds, another elsewhere; each gets numbers of its own part.
    """
    args = args if isinstance(args, tuple | list) else (args,)
    condition, *args = call(np.broadcast_arrays, (array(condition), *map(array, args)), {})

    def value(function: Callable, where: Any) -> Any:
        one = call(np.argmax, (where.ravel(),), {})
        return function(*(_where(where, x, x.ravel()[one]) for x in args))

    other = fill_value if second is None else value(second, condition == False)  # noqa: E712
    return _where(condition, value(first, condition), other)


def array_namespace(*_: Any, **__: Any) -> Any:
    """SciPy's `array_namespace`: NumPy, with its functions replaced."""
    home = next(h for h in EXTERNAL if f"{h}.array_api_compat" in sys.modules)
    namespace = importlib.import_module(f"{home}.array_api_compat.numpy")
    return sys._getframe(1).f_globals.world.of(namespace)  # type: ignore[attr-defined]


for _home in EXTERNAL:
    IN_PYTHON[f"{_home}.array_api_extra._lib._funcs"] = {"apply_where": apply_where}
    IN_PYTHON.setdefault(f"{_home}.array_api_compat.common._helpers", {})["array_namespace"] = array_namespace

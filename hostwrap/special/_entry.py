"""The grammar of a catalogue entry: rules as data, checked when the module is imported. No formulas here.

    jv = special("jv(v, z)",
        dv=lambda y, v, z: jv_order(v, z, n=1),
        dz=lambda y, v, z: (jv(v - 1, z) - jv(v + 1, z)) / 2,
        ref=lambda mp, v, z: mp.besselj(v, z), v=real(-5, 20), z=real(0.1, 50, im=8), at=[(0.0, 0.0)],
        see="DLMF 10.6.1")

The signature is SciPy's: positional arguments, statics after `*`, outputs after `->`. For every argument there is a
box to draw test points from, and exactly one of: a rule, `unknown(why)`, `discrete` (integer orders only).
`loops=True` says of a kernel that it uses ufuncs and `np.where` only, so that it can run without Python; where
statics or complex arguments make it use more, Python runs it. `twin=` is the same function of real numbers in JAX, as
accurate and with the same NaNs. XLA then computes derivatives that use it, without the host. It may raise
NotImplementedError for some statics. `unsafe=` is a NumPy predicate of the arguments: where it holds, SciPy would
crash or hang, and the value is NaN.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import scipy.special

from hostwrap._table.partials import Unknown, discrete, missing, unknown
from hostwrap.special._function import CATALOGUE, Special
from hostwrap.special._notation import Notation, parse

__all__ = ["CATALOGUE", "discrete", "integer", "kernel", "missing", "real", "special", "unknown"]


@dataclasses.dataclass(frozen=True)
class real:
    """Box from which tests and benchmarks draw an argument; `im` gives complex arguments their imaginary half-width."""

    low: float
    high: float
    im: float | None = None

    @property
    def ordinary(self) -> float:
        return (self.low + self.high) / 2


@dataclasses.dataclass(frozen=True)
class integer:
    """The box of an integer order, the only kind of argument that is `discrete`."""

    low: int
    high: int

    @property
    def ordinary(self) -> int:
        return self.high


def special(signature: str, *, host: Any = None, **entry: Any) -> Special:
    """A public function of `hostwrap.special`: the ufunc of that name in `scipy.special`, or `host`."""
    return _enter(signature, host, True, entry)


def kernel(signature: str, *, host: Any, **entry: Any) -> Special:
    """A numerical kernel of hostwrap, which rules use: a function like the others, with rules of its own."""
    return _enter(signature, host, False, entry)


def _enter(signature: str, host: Callable | None, public: bool, entry: dict[str, Any]) -> Special:
    notation = parse(signature)
    name, args = notation.name, notation.args
    if dict.__contains__(CATALOGUE, name):  # which loads no other family
        raise TypeError(f"{name}: there is an entry of this name already")
    boxes = {a: entry.pop(a) for a in args if isinstance(entry.get(a), real | integer)}
    rules = {a: entry.pop(f"d{a}") for a in args if f"d{a}" in entry}
    imaginary = {a: entry.pop(f"d{a}_imag") for a in args if f"d{a}_imag" in entry}
    orders, ref = entry.pop("orders", None), entry.pop("ref", None)
    rules |= orders.rules(notation, ref.__module__) if orders else {}
    see, at = entry.pop("see", ""), entry.pop("at", ())
    kinds = {"complex_result": entry.pop("complex_result", False), "unsafe": entry.pop("unsafe", None)}
    kinds["loops"], kinds["twin"] = entry.pop("loops", False), entry.pop("twin", None)
    if entry:
        raise TypeError(f"{name}: unknown keywords {sorted(entry)}; arguments are {list(args)}")
    points = tuple(tuple(p) if isinstance(p, tuple | list) else (p,) for p in at)
    _check(notation, boxes, rules, imaginary, ref, see, points)
    host = host or getattr(scipy.special, name)
    function = Special(notation, host, rules, imaginary, public=public, **kinds)
    function.ref, function.see, function.at, function.boxes = ref, see, points, boxes
    function.integral = [_keeps_integers(function, i) for i in range(len(args))]
    _check_complex(function)
    CATALOGUE[name] = function
    if orders:
        function.derivatives = orders.kernel(function)
    return function


def _keeps_integers(function: Special, i: int) -> bool:
    """The arguments that keep integers: integer orders, and those for which SciPy has an integer loop."""
    box = function.boxes[function.args[i]]
    return isinstance(box, integer) or any(t[i] in "ilq" for t in getattr(function.host, "types", ()))


def _check(
    notation: Notation,
    boxes: dict[str, Any],
    rules: dict[str, Any],
    imaginary: dict[str, Any],
    ref: Any,
    see: str,
    points: tuple[tuple, ...],
) -> None:
    """Check the entry at import."""
    name, args, statics = notation.name, notation.args, notation.statics
    for kind, given in (("rule", rules), ("box", boxes)):
        if set(given) != set(args):
            raise TypeError(f"{name}: every argument of {args} needs a {kind}; there are {sorted(given)}")
    for a, rule in rules.items():
        if (rule is discrete) != isinstance(boxes[a], integer):
            raise TypeError(f"{name}: `{a}` must be either integer(..) and discrete, or real(..) with a rule")
    for a, rule in [*rules.items(), *imaginary.items()]:
        if not isinstance(rule, Unknown):
            _check_rule(name, f"d{a}", rule, 1, args, statics)
    _check_rule(name, "ref", ref, 1, args, statics)
    if not see:
        raise TypeError(f"{name}: say where the rules come from with see=")
    for p in points:
        if len(p) != len(args):
            raise TypeError(f"{name}: at={p} has {len(p)} values, the arguments are {args}")


def _check_rule(
    name: str, what: str, rule: Any, first: int, args: Sequence[str], statics: dict[str, Any]
) -> None:
    if not callable(rule) or not hasattr(rule, "__code__"):
        raise TypeError(f"{name}: {what} must be a function of ({', '.join(args)}), got {rule!r}")
    code = rule.__code__
    names, keywords = code.co_varnames[: code.co_argcount], code.co_varnames[code.co_argcount :]
    if names[first:] != tuple(args) or set(keywords[: code.co_kwonlyargcount]) != set(statics):
        raise TypeError(
            f"{name}: {what} takes {names}, the arguments are {tuple(args)} and statics {list(statics)}"
        )


def _check_complex(function: Special) -> None:
    """Check that a box has an imaginary part exactly if the ufunc has complex loops."""
    for position, (a, box) in enumerate(function.boxes.items()):
        loops = {t[position] for t in getattr(function.host, "types", [])}
        if loops and isinstance(box, real) and (bool(loops & {"F", "D"})) != (box.im is not None):
            raise TypeError(f"{function.name}: `{a}` has loops {sorted(loops)}; its box is {box}")

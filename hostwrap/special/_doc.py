"""The docstring of a catalogue entry, from the entry itself."""

from __future__ import annotations

from typing import Any

from hostwrap._partials import Unknown

_TEMPLATE = """{summary}

`scipy.special.{name}` for JAX: arrays broadcast, float32 gives float32, and it works under every transformation.

Arguments:
{arguments}{statics}{results}
Derivatives of first and higher order in every argument that says so; the rules are from {see}.

Raises:
    SignatureError: arguments that are no numbers, do not broadcast, or have no loop in SciPy.
    MissingDerivative: a derivative that is not there was asked for.
"""


def docstring(function: Any) -> str:
    """What an editor shows: arguments, domain of the accuracy table, derivatives, source."""
    return _TEMPLATE.format(
        summary=_summary(function),
        name=function.name,
        arguments="".join(f"    {a}: {_argument(function, a)}\n" for a in function.args),
        statics="".join(f"    {s}: a Python value, fixed when compiled.\n" for s in function.statics),
        results=f"\nReturns a namedtuple ({', '.join(function.outs)}).\n" if function.outs else "",
        see=function.see,
    )


def _summary(function: Any) -> str:
    """SciPy's own first line (after the signature that its ufuncs begin with)."""
    lines = [line.strip() for line in (function.host.__doc__ or "").splitlines()]
    texts = [line for line in lines if line and not line.startswith(f"{function.name}(")]
    return texts[0] if texts else f"{function.name}."


def _argument(function: Any, argument: str) -> str:
    box, rule = function.boxes[argument], function.rules[argument]
    if not hasattr(box, "im"):
        return f"integer order, tested in [{box.low:g}, {box.high:g}]; discrete."
    number = "real" if box.im is None else "real or complex"
    what = f"no derivative: {rule.why}" if isinstance(rule, Unknown) else "differentiable"
    return f"{number}, tested in [{box.low:g}, {box.high:g}] and at special points; {what}."

"""NumPy's notation for generalised ufuncs, `"(n,n),(n)->(n)"`, which all errors quote: parse it, bind it to shapes."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence

from hostwrap._errors import SignatureError
from hostwrap._host.layout import Shape, broadcast_shapes

Core = tuple[str, ...]
MOST_DIGITS = 18  # of a size: 10^18 is less than 2^63

_GROUP = r"\(\s*(?:(?:[A-Za-z_]\w*|\d+)\s*(?:,\s*(?:[A-Za-z_]\w*|\d+)\s*)*)?\)"
_LIST = rf"{_GROUP}(?:\s*,\s*{_GROUP})*"


@dataclasses.dataclass(frozen=True)
class Signature:
    """Core dimensions of the inputs and outputs; an axis is a name, or a number for a fixed size."""

    text: str
    ins: tuple[Core, ...]
    outs: tuple[Core, ...]

    def broadcast(
        self, function: str, names: Sequence[str], shapes: Sequence[Shape], undeclared: bool = False
    ) -> tuple[Shape, list[Shape]]:
        """The batch shape, and the core shape of each output; if nobody declared the signature, errors advise one."""
        sizes = self._sizes(function, names, shapes)
        batches = [s[: len(s) - len(c)] for c, s in zip(self.ins, shapes, strict=True)]
        try:
            batch = broadcast_shapes(*batches)
        except ValueError:
            what, way_out = "the arguments do not broadcast together", ""
            if any(self.ins):
                what = f"the leading (batch) axes do not broadcast together under signature {self.text!r}"
            if undeclared:
                example = _example(batches)
                way_out = f" If the function takes whole arrays, declare their axes, as in wrap({example!r})."
            given = ", ".join(f"{n}: {b}" for n, b in zip(names, batches, strict=True))
            raise SignatureError(f"{function}: {what}: {given}.{way_out}") from None
        return batch, [tuple(int(a) if a.isdigit() else sizes[a] for a in core) for core in self.outs]

    def _sizes(self, function: str, names: Sequence[str], shapes: Sequence[Shape]) -> dict[str, int]:
        """The size of each core axis, by its name."""
        sizes: dict[str, int] = {}
        first: dict[str, str] = {}  # the argument where the axis appeared first
        for name, core, shape in zip(names, self.ins, shapes, strict=True):
            if len(shape) < len(core):
                raise SignatureError(
                    f"{function}: signature {self.text!r} gives `{name}` the core axes ({','.join(core)}), "
                    f"but it has shape {shape}; pass an array with at least {len(core)} axes."
                )
            for axis, size in zip(core, shape[len(shape) - len(core) :], strict=True):
                expected = sizes.setdefault(axis, int(axis) if axis.isdigit() else size)
                where = first.setdefault(axis, name)
                if size != expected:
                    why = "as written" if axis.isdigit() else f"as in `{where}`"
                    raise SignatureError(
                        f"{function}: signature {self.text!r} wants axis {axis} = {expected} ({why}), "
                        f"but `{name}` of shape {shape} has {axis} = {size}."
                    )
        return sizes


def _example(shapes: Sequence[Shape]) -> str:
    """A signature for arguments of these shapes; axes of one size get one name."""
    sizes = list(dict.fromkeys(size for shape in shapes for size in shape))
    axes = [",".join(f"n{sizes.index(size) or ''}" for size in shape) for shape in shapes]
    return ",".join(f"({core})" for core in axes) + "->()"


def parse(text: str, results: bool = True) -> Signature:
    """Parse `"(m,n),(n)->(m)"`: an axis is an identifier or a number; only side effects may have no `results`."""
    right = _LIST if results else rf"(?:{_LIST})?"
    if not isinstance(text, str) or not re.fullmatch(rf"\s*(?:{_LIST})?\s*->\s*{right}\s*", text):
        raise SignatureError(
            f"{text!r} is not a signature: write the core axes of each argument and result "
            "in NumPy's gufunc notation, such as '(n,n),(n)->(n)' or '()->()'."
        )
    ins, outs = (
        tuple(tuple(re.findall(r"\w+", group)) for group in re.findall(r"\(([^()]*)\)", side))
        for side in text.split("->")
    )
    if long := next((a for core in ins + outs for a in core if a.isdigit() and len(a) > MOST_DIGITS), None):
        raise SignatureError(
            f"signature {text!r:.60}: no array has an axis of a size with {len(long)} digits; "
            f"write at most {MOST_DIGITS}."
        )
    known = {axis for core in ins for axis in core}
    for axis in (axis for core in outs for axis in core):
        if axis not in known and not axis.isdigit():
            raise SignatureError(
                f"signature {text!r}: output axis {axis!r} is on no input; name one of "
                f"{sorted(known)}, write a number, or declare the result with out=."
            )
    return Signature(text, ins, outs)


def elementwise(nin: int, nout: int = 1) -> Signature:
    """The signature of an ordinary ufunc."""
    text = ",".join(["()"] * nin) + "->" + ",".join(["()"] * nout)
    return Signature(text, ((),) * nin, ((),) * nout)

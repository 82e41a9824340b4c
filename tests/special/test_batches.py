"""A point's value and derivatives are the same bits alone, among others, and in any order.

Of every entry of the catalogue, kernels too, at points of its whole box: all at once, and in pieces. (Lanes and
threads: test_same_bits.py; devices: tests/sharding.)
"""

import functools
import zlib

import numpy as np
import pytest

from hostwrap import MissingDerivative
from hostwrap._call.arguments import Static
from tests._kit.days import EXHAUSTIVE, LONG_TURN
from tests.reference import points
from tests.reference.entries import catalogue, columns, has_complex, indices, statics

MOST = 128 if EXHAUSTIVE else 32  # points
PIECES = [
    (1, MOST if EXHAUSTIVE else 8),
    (4, MOST if EXHAUSTIVE else 4),
    (16, 4 if EXHAUSTIVE else 2),
]  # of so many points, and how many
NUMBERS = 4
KINDS = [(n, False) for n in catalogue()] + [(n, True) for n, f in catalogue().items() if has_complex(f)]


def drawn(function, is_complex):
    """Points of the tables, hard ones among them, and others from all of the box, mixed."""
    known = points.points(function, is_complex)[: MOST // 2]
    generator = np.random.default_rng(zlib.crc32(function.name.encode()))
    more = points._boxes(function, generator, MOST - len(known))
    if is_complex:
        heights = [getattr(function.boxes[a], "im", None) or 0.0 for a in function.args]
        more = more + 1j * generator.uniform(-1, 1, more.shape) * heights
    return columns(function, generator.permutation(np.concatenate([known, more])))


def program(function, chosen, arrays, is_complex, orders):
    """The derivatives of these orders that are there, as one; None where there is none."""
    table = function.table(tuple(Static(*item) for item in chosen.items()))
    kinds = table.kinds(arrays)
    wanted = [padded(i, table) for i in indices(function, is_complex) if sum(i) in orders]
    there = tuple(i for i in wanted if is_there(table, i, kinds))
    layout = table.layout(arrays, len(there))
    return functools.partial(run, table.program(there, kinds), layout) if there else None


def padded(index, table):
    """With the imaginary parts, in which nobody differentiates a function of real numbers."""
    return index + (0,) * (len(table.slots) - len(index))


def is_there(table, index, kinds):
    try:
        return table.program((index,), kinds) is not None
    except MissingDerivative:
        return False


def run(program, layout, arrays):
    return program.bind([a.shape for a in arrays], [a.dtype for a in arrays], layout)(arrays)


def differing(f, arrays):
    """{what: how many numbers differ} between the whole batch and its pieces, or another order of it."""
    n, whole = len(arrays[0]), f(arrays)
    order = np.random.default_rng(n).permutation(n)
    parts = {"another order": [order]}
    parts |= {f"pieces of {size}": np.split(order, range(size, n, size))[:most] for size, most in PIECES}
    parts["numbers, not arrays"] = [int(i) for i in order[:NUMBERS]]
    found = {
        what: sum(different(f([a[part, ...] for a in arrays]), [y[part] for y in whole]) for part in some)
        for what, some in parts.items()
    }
    return {what: count for what, count in found.items() if count}


def different(got, want):
    pairs = zip(got, want, strict=True)
    return sum(int(np.sum((g != w) & ~(np.isnan(g) & np.isnan(w)))) for g, w in pairs)


@pytest.mark.rotating(turn=LONG_TURN)
@pytest.mark.parametrize("orders", [(0, 1), (2,)], ids=["value and slopes", "second derivatives"])
@pytest.mark.parametrize(
    ("name", "is_complex"), KINDS, ids=[f"{n}-{'complex' if c else 'real'}" for n, c in KINDS]
)
def test_a_point_alone_and_among_others(name, is_complex, orders):
    function = catalogue()[name]
    arrays = drawn(function, is_complex)
    for chosen in statics(function):
        f = program(function, chosen, arrays, is_complex, orders)
        assert f is None or not differing(f, arrays), chosen

"""What XLA computes in the place of a kernel: the kernel's numbers, the same bits in any batch. No names here.

First of each twin by itself; then of the first derivatives, which are the whole of what XLA computes.
"""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from hostwrap import MissingDerivative
from hostwrap._call.arguments import Static
from hostwrap._table.words import NotWritten
from hostwrap._table.written import twin_of
from tests.reference import points
from tests.reference.entries import catalogue, columns, statics

TWINS = {name: f for name, f in catalogue().items() if f.twin is not None}
EPS = np.finfo(float).eps
CLOSE = 32 * EPS  # both have errors of their own; the reference tables tell which is right
SIZES = (1, 2, 3, 4, 7, 8, 15, 33, 100)
ENDS = (0.0, -0.0, 1.0, -1.0, 0.5, np.inf, -np.inf, np.nan, 1e300, -1e300, 1e-300, 1e-310, 800.0, -800.0)
FEW = 5
FLUSHED = 1e-307  # XLA takes smaller numbers for 0


def condition(f, arrays):
    """How far each result goes with the last digits of the arguments: all that zeros and large powers have."""
    here, total = f(*arrays), 0.0
    for k, a in enumerate(arrays):
        moved = f(*arrays[:k], a * (1 + CLOSE) if a.dtype.kind == "f" else a, *arrays[k + 1 :])
        with np.errstate(invalid="ignore"):
            total += np.nan_to_num(np.abs(np.subtract(moved, here)), posinf=0.0)
    return total


CASES = [
    pytest.param(name, chosen, id=f"{name}-{chosen}") for name, f in TWINS.items() for chosen in statics(f)
]


def both(name, chosen, arrays):
    function = TWINS[name]
    twin = twin_of(lambda *xs: function.twin(*xs, **chosen))
    try:
        (got,) = jax.jit(lambda *xs: jax.vmap(twin)(*xs))(*arrays)
    except NotWritten:
        pytest.skip("there is no twin for this order")
    host = lambda *xs: [function.on_host(*xs, **chosen)]
    return np.asarray(got), np.asarray(*host(*arrays)), condition(host, arrays)[0]


@pytest.mark.parametrize(("name", "chosen"), CASES)
def test_a_twin_is_the_kernel(name, chosen):
    function = TWINS[name]
    got, want, size = both(name, chosen, columns(function, points.points(function, False)))
    scale = np.abs(want) + FLUSHED
    assert np.all(np.isnan(got) == np.isnan(want))
    with np.errstate(invalid="ignore"):
        assert not np.any(np.abs(got - want) > CLOSE * scale + size)


@pytest.mark.parametrize(("name", "chosen"), CASES)
def test_a_twin_at_the_ends(name, chosen):
    arrays = [np.array(x) for x in zip(*itertools.product(ENDS, repeat=len(TWINS[name].args)), strict=True)]
    got, want, size = both(name, chosen, arrays)
    tiny = np.any([(np.abs(a) < 2.3e-308) & (a != 0) for a in arrays], axis=0)
    different = (np.isnan(got) != np.isnan(want)) | (np.isinf(got) != np.isinf(want))
    with np.errstate(invalid="ignore"):
        different |= np.abs(got - want) > CLOSE * np.abs(want) + size + FLUSHED
    wrong = different & ~tiny
    assert not wrong.any(), [(tuple(a[i] for a in arrays), got[i], want[i]) for i in np.flatnonzero(wrong)]


@pytest.mark.parametrize(("name", "chosen"), CASES)
@pytest.mark.rotating
def test_a_twin_has_the_same_bits_in_any_batch(name, chosen):
    function = TWINS[name]
    twin = twin_of(lambda *xs: function.twin(*xs, **chosen))
    generator = np.random.default_rng(len(name))
    arrays = columns(function, points._boxes(function, generator, 2 * max(SIZES) + 1))
    f = jax.jit(lambda *xs: jax.vmap(twin)(*xs))
    try:
        whole = np.asarray(*f(*arrays))
    except NotWritten:
        pytest.skip("there is no twin for this order")
    for size in SIZES:
        np.testing.assert_array_equal(*f(*(a[:size] for a in arrays)), whole[:size])
    alone = jax.jit(twin)
    for i in range(5):
        np.testing.assert_array_equal(*alone(*(jnp.asarray(a[i]) for a in arrays)), whole[i])


PUBLIC = sorted(name for name, f in catalogue().items() if f.public)


def written_slopes(function):
    """(argument, derivative) for each first derivative that XLA computes from real numbers, without the host."""
    table = function.table(tuple(Static(*item) for item in statics(function)[0].items()))
    arrays = columns(function, points.points(function, False))
    for slot, (argument, imaginary) in enumerate(table.slots):
        index = tuple(int(s == slot) for s in range(len(table.slots)))
        try:
            program = None if imaginary else table.program((index,), table.kinds(arrays))
        except MissingDerivative:
            continue
        layout = table.layout(arrays, 1)
        found = program and program.written([a.dtype for a in arrays], layout, range(len(layout.outs)))
        if found and not found.host:
            yield function.args[argument], table.level((index,))


@pytest.mark.rotating
@pytest.mark.parametrize("name", PUBLIC)
def test_slopes_of_xla_are_those_of_the_host(name):
    function = catalogue()[name]
    rows = [*points.points(function, False), *points._boxes(function, np.random.default_rng(len(name)), FEW)]
    rows += [] if any(function.integral) else itertools.product(ENDS, repeat=len(function.args))
    arrays = columns(function, np.array(rows))
    tiny = np.any([(np.abs(a) < 2.3e-308) & (a != 0) for a in arrays], axis=0)
    for argument, slope in written_slopes(function):
        compiled = jax.jit(slope)
        whole, few = compiled(*arrays), compiled(*(a[:FEW] for a in arrays))
        alone = compiled(*(jnp.asarray(a[0]) for a in arrays))
        close = condition(slope, arrays)
        for got, some, one, want, size in zip(whole, few, alone, slope(*arrays), close, strict=True):
            np.testing.assert_array_equal(some, got[:FEW])
            np.testing.assert_array_equal(one, got[0])
            got, want = np.asarray(got), np.asarray(want)
            different = (np.isnan(got) != np.isnan(want)) | (np.isinf(got) != np.isinf(want))
            with np.errstate(invalid="ignore"):
                different |= np.abs(got - want) > CLOSE * np.abs(want) + size + FLUSHED
            wrong = np.flatnonzero(different & ~tiny)
            assert not len(wrong), [(argument, [a[i] for a in arrays], got[i], want[i]) for i in wrong]

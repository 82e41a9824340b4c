"""What XLA computes in the place of a kernel: the kernel's numbers, the same bits in any batch. No names here."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from hostwrap._table.written import NotWritten, twin_of
from tests.reference import points
from tests.reference.entries import catalogue, columns, statics

TWINS = {name: f for name, f in catalogue().items() if f.twin is not None}
EPS = np.finfo(float).eps
CLOSE = 32 * EPS  # both have errors of their own; the reference tables tell which is right
SIZES = (1, 2, 3, 4, 7, 8, 15, 33, 100)
ENDS = (0.0, -0.0, 1.0, -1.0, 0.5, np.inf, -np.inf, np.nan, 1e300, -1e300, 1e-300, 1e-310, 800.0, -800.0)
FLUSHED = 1e-307  # XLA takes smaller numbers for 0


CASES = [
    pytest.param(name, chosen, id=f"{name}-{chosen}") for name, f in TWINS.items() for chosen in statics(f)
]


def both(name, chosen, arrays):
    function = TWINS[name]
    twin = twin_of(lambda *xs: function.twin(*xs, **chosen))
    try:
        got = jax.jit(lambda *xs: jax.vmap(twin)(*xs))(*arrays)
    except NotWritten:
        pytest.skip("there is no twin for this order")
    return np.asarray(got), np.asarray(function.on_host(*arrays, **chosen))


@pytest.mark.parametrize(("name", "chosen"), CASES)
def test_a_twin_is_the_kernel(name, chosen):
    function = TWINS[name]
    got, want = both(name, chosen, columns(function, points.points(function, False)))
    scale = np.abs(want) + FLUSHED
    assert np.all(np.isnan(got) == np.isnan(want))
    with np.errstate(invalid="ignore"):
        assert not np.any(np.abs(got - want) > CLOSE * scale)


@pytest.mark.parametrize(("name", "chosen"), CASES)
def test_a_twin_at_the_ends(name, chosen):
    arrays = [np.array(x) for x in zip(*itertools.product(ENDS, repeat=len(TWINS[name].args)), strict=True)]
    got, want = both(name, chosen, arrays)
    tiny = np.any([(np.abs(a) < 2.3e-308) & (a != 0) for a in arrays], axis=0)
    different = (np.isnan(got) != np.isnan(want)) | (np.isinf(got) != np.isinf(want))
    with np.errstate(invalid="ignore"):
        different |= np.abs(got - want) > CLOSE * np.abs(want) + FLUSHED
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
        whole = np.asarray(f(*arrays))
    except NotWritten:
        pytest.skip("there is no twin for this order")
    for size in SIZES:
        np.testing.assert_array_equal(f(*(a[:size] for a in arrays)), whole[:size])
    alone = jax.jit(twin)
    for i in range(5):
        np.testing.assert_array_equal(alone(*(jnp.asarray(a[i]) for a in arrays)), whole[i])

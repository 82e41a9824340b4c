"""Derivatives obey the laws of JAX's transformations at points over all doubles, and what breaks a law is found."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tests._kit import days
from tests.reference import laws, sweep
from tests.reference.entries import catalogue, has_complex

CASES = [(f, False) for f in catalogue().values() if f.public]
CASES += [(f, True) for f, _ in CASES if has_complex(f)]
TURN = 3 * days.LONG_TURN  # each takes some seconds, in which a dozen programs are compiled
COUNT = 24
AFFORDABLE = 0.3  # seconds


@pytest.mark.rotating(turn=TURN)
@pytest.mark.parametrize(
    "function, is_complex", CASES, ids=[f"{f.name}-{'complex' if c else 'real'}" for f, c in CASES]
)
def test_all_ways_to_differentiate_agree(function, is_complex):
    generator = sweep.random_numbers(function, days.today().toordinal())
    rows = laws.draws(function, is_complex, COUNT, generator)
    rows = laws.affordable(function, is_complex, rows, AFFORDABLE)
    assert not list(laws.disagreements(function, is_complex, rows))


def broken(name, rows):
    return {found.law for found in laws.disagreements(catalogue()[name], False, np.array(rows))}


def with_mistake(monkeypatch, way, mistake):
    right = getattr(laws.Ways, way)

    def wrong(self, *args, **options):
        return jax.tree.map(mistake, right(self, *args, **options))

    monkeypatch.setattr(laws.Ways, way, wrong)


@pytest.mark.parametrize(
    "way, law",
    [
        ("forward", "reverse"),
        ("directions", "directions"),
        ("mapped", "one is mapped"),
        ("summed", "sum"),
        ("nested", "series 1"),
        ("series", "series 2"),
    ],
)
@pytest.mark.rotating
def test_a_wrong_digit_is_found(monkeypatch, way, law):
    with_mistake(monkeypatch, way, lambda y: y * (1 + 1e-12))
    assert law in broken("jv", [[0.3, 2.0], [1.7, 5.0]])


def test_a_number_that_depends_on_the_batch_is_found(monkeypatch):
    with_mistake(monkeypatch, "reverse", lambda y: y * (1 + 1e-15 * (jnp.ndim(y) == 0)))
    assert {"vmap", "alone"} <= broken("j0", [[0.3], [2.0]])


def test_a_program_that_is_not_compiled_has_the_same_numbers(monkeypatch):
    with_mistake(monkeypatch, "reverse", lambda y: y if isinstance(y, jax.core.Tracer) else y * (1 + 1e-12))
    assert broken("j0", [[0.3], [2.0]]) == {"eager"}


def test_nan_on_one_side_is_found(monkeypatch):
    with_mistake(monkeypatch, "summed", lambda y: y * jnp.nan)
    assert broken("jv", [[0.3, 2.0], [1.7, 5.0]]) == {"sum"}

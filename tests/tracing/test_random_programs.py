"""Random programs in NumPy (`programs.py`) are differentiated rightly, or refused; other ones each day."""

import jax
import numpy as np
import pytest

import hostwrap as hw
from tests._kit.days import EXHAUSTIVE, today
from tests.tracing.corpus import runner
from tests.tracing.corpus.row import Row
from tests.tracing.programs import drawn
from tests.tracing.statements import FURTHER

COUNT = 400 if EXHAUSTIVE else 12
TODAY = today().toordinal() * 1000


def outcome_of(seed, kinds=None):
    program = drawn(seed, kinds)
    row = Row(f"program {seed}", program.function(), (program.x, program.y), {})
    outcome = runner.attempt(row, seed=None, second=seed % 5 == 0)
    return outcome, f"drawn({seed}): {outcome}\n{program.text}"


@pytest.mark.parametrize("number", range(COUNT))
def test_a_program_of_today_is_right_or_refused(number):
    outcome, text = outcome_of(TODAY + number, FURTHER if number % 2 else None)
    assert outcome.way in (*runner.WORKS, "refused", "rough") and "wrong" not in outcome.second, text


def test_a_program_is_drawn_again_from_its_seed():
    one, two = drawn(7), drawn(7)
    assert one.text == two.text
    np.testing.assert_array_equal(one.x, two.x)


def test_no_program_is_at_a_kink_of_a_standard_deviation():
    """As this one was: all numbers of an array were one number, written to it."""
    outcome, text = outcome_of(915000162)
    assert outcome.way in runner.WORKS, text


def test_a_wrong_rule_is_seen(monkeypatch):
    def wrapped(row, arguments):
        f = hw.wrap(out=jax.ShapeDtypeStruct((), float))(row.called)
        return f.defhost(
            vjp=lambda primals, c: jax.tree.map(lambda x: c * np.ones_like(x), primals),
            jvp=lambda primals, tangents: sum(map(np.sum, jax.tree.leaves(tangents))),
        )

    monkeypatch.setattr(runner, "wrap", wrapped)
    outcome, _ = outcome_of(3)
    assert outcome.way == "wrong" and "not" in outcome.why

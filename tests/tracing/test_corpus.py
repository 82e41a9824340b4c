"""Functions of others, differentiated without a rule: the rows of the day, beside differences and outcomes.csv."""

import dataclasses
import importlib.metadata
import zlib

import numpy as np
import pytest

from tests._kit.days import EXHAUSTIVE, today
from tests.tracing.corpus.differences import jacobian
from tests.tracing.corpus.ledger import MADE_WITH, read
from tests.tracing.corpus.runner import WORKS, attempt, difference, rows

OUTCOMES = read()
ALL = rows()
ROWS = [row for row in ALL if row.id in OUTCOMES]
TURN = 400  # days, until each row has run: a few of them each day


def has_its_turn(row) -> bool:
    return EXHAUSTIVE or zlib.crc32(row.id.encode()) % TURN == today().toordinal() % TURN


def test_rows_have_names_of_their_own_and_outcomes():
    assert len({row.id for row in ALL}) == len(ALL) >= 300
    if all(importlib.metadata.version(name).startswith(f"{v}.") for name, v in MADE_WITH.items()):
        assert len(ROWS) == len(ALL), "run `python -m tests.tracing.corpus --open --accept`"


def test_most_rows_work_and_none_is_wrong():
    ways = [OUTCOMES[row.id].way for row in ROWS]
    assert sum(way in WORKS for way in ways) >= 0.8 * len(ways)
    assert not {"wrong", "crash"} & set(ways)
    assert not [row for row, outcome in OUTCOMES.items() if outcome.second.startswith("wrong")]


@pytest.mark.parametrize("row", [row for row in ROWS if has_its_turn(row)], ids=lambda row: row.id)
def test_rows_of_the_day(row):
    """Other numbers than those of the outcomes, and second derivatives where all rows run."""
    outcome = attempt(row, today().toordinal(), None if EXHAUSTIVE else False)
    assert outcome.way not in ("wrong", "crash"), outcome
    assert not outcome.second.startswith("wrong"), outcome
    if OUTCOMES[row.id].way in WORKS:
        assert outcome.way in (*WORKS, "rough"), outcome


# of SciPy; `filtfilt` tests whether its first coefficient is 1, and it is
NOT_RECORDED = {
    "signal.filtfilt", "special.legendre_p_all", "special.roots_jacobi", "integrate.odeint",
    "optimize.minimize_scalar", "optimize.minimize", "optimize.curve_fit",
}  # fmt: skip
BRANCHING = [row for row in ROWS if row.id.startswith("scipy: ") and row.id[7:] not in NOT_RECORDED]


@pytest.mark.parametrize("row", [row for row in BRANCHING if has_its_turn(row)], ids=lambda row: row.id)
def test_functions_of_scipy_behind_a_branch(row):
    def behind(*arguments, **statics):
        return row.function(*arguments, **statics) if np.ravel(arguments[0])[0] > -1e9 else None

    outcome = attempt(dataclasses.replace(row, function=behind), today().toordinal(), False)
    assert outcome.way in (*WORKS, "rough"), outcome


# ---- the reference


def test_differences_are_right_and_their_error_is_an_estimate():
    point = np.array([0.7, -1.3, 2.1])
    found = jacobian(lambda x: np.array([np.sin(x[0] * x[1]), np.exp(x[2]) * x[0], x[1] ** 5]), point)
    x, y, z = point
    want = [[y * np.cos(x * y), x * np.cos(x * y), 0], [np.exp(z), 0, x * np.exp(z)], [0, 5 * y**4, 0]]
    np.testing.assert_allclose(found.value, want, rtol=1e-10, atol=1e-10)
    assert (abs(found.value - want) <= found.error).all() and found.error.max() < 1e-8


def test_a_kink_has_a_large_error():
    assert jacobian(lambda x: abs(x - 1e-5), np.array([0.0])).error > 1e-3


@pytest.mark.parametrize("wrong", [1e-5, np.nan, np.inf, -2.0])
def test_a_wrong_number_is_seen(wrong):
    point = np.array([0.7, 1.3])
    function = lambda x: np.array([x[0] * x[1]])
    want = jacobian(function, point)
    right = np.array([[1.3, 0.7]])
    assert not difference(right, want, function(point), point)
    for j in range(2):
        found = np.where(np.arange(2) == j, right + wrong, right)
        assert difference(found, want, function(point), point)

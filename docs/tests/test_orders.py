"""docs/orders.csv: derivatives of order 3 to 10 beside Arb and mpmath."""

import pytest

from docs.generate import orders
from tests._kit.days import EXHAUSTIVE, has_its_day
from tests.reference import orders as measure

ROWS = [(row["function"], row["argument"]) for row in orders.committed()]
TO_SIX, TO_TEN = 1e-10, 1e-6
WORSE = {  # Limits says so
    ("voigt_profile", "sigma"): (1e-7, 1e5),
    ("eval_genlaguerre", "alpha"): (1e-5, 1e-1),
    ("eval_sh_jacobi", "n"): (1e-9, 1e-4),
    ("pseudo_huber", "delta"): (1e-9, 1e-8),
    ("log_wright_bessel", "b"): (1e-9, 1e-5),
}
TURN = 90  # days, of a row


def most(name, argument):
    return WORSE.get((name, argument), (TO_SIX, TO_TEN))


def test_exceptions_are_needed():
    rows = {(row["function"], row["argument"]): row for row in orders.committed()}
    for which in WORSE:
        assert float(rows[which]["to_six"]) > TO_SIX or float(rows[which]["to_ten"]) > TO_TEN


@pytest.mark.parametrize("row", orders.committed(), ids=lambda row: f"{row['function']}-{row['argument']}")
def test_committed_errors_are_small(row):
    to_six, to_ten = most(row["function"], row["argument"])
    assert float(row["to_six"]) <= to_six
    assert float(row["to_ten"]) <= to_ten


TODAY = [pair for pair in ROWS if EXHAUSTIVE or pair == ("jv", "z") or has_its_day(" ".join(pair), turn=TURN)]


@pytest.mark.parametrize("name, argument", TODAY)
def test_what_is_committed_is_measured_again(name, argument):
    function = measure.functions()[name]
    found = measure.measured(function, function.args.index(argument), seconds=1.0)
    if found is None:
        pytest.skip("not in this time")
    to_six, to_ten = most(name, argument)
    assert found.to_six <= to_six and found.to_ten <= to_ten

"""docs/orders.csv: derivatives of order 3 to 10 beside Arb and mpmath."""

import pytest

from docs.generate import orders
from tests._kit.days import EXHAUSTIVE, has_its_day
from tests.reference import orders as measure

ROWS = [(row["function"], row["argument"]) for row in orders.committed()]
TO_SIX, TO_TEN = 1e-10, 1e-6
# what has fewer digits at orders 3 to 6 and 7 to 10, until somebody finds a better way
FEWER = {
    ("ellip_normal", "k2"): (1e-9, TO_TEN),
}
TURN = 90  # days, of a row


@pytest.mark.parametrize("row", orders.committed(), ids=lambda row: f"{row['function']}-{row['argument']}")
def test_committed_errors_are_small(row):
    to_six, to_ten = FEWER.get((row["function"], row["argument"]), (TO_SIX, TO_TEN))
    assert float(row["to_six"]) <= to_six and float(row["to_ten"]) <= to_ten


TODAY = [pair for pair in ROWS if EXHAUSTIVE or pair == ("jv", "z") or has_its_day(" ".join(pair), turn=TURN)]


@pytest.mark.parametrize("name, argument", TODAY)
def test_what_is_committed_is_measured_again(name, argument):
    function = measure.functions()[name]
    found = measure.measured(function, function.args.index(argument), seconds=1.0)
    if found is None:
        pytest.skip("not in this time")
    to_six, to_ten = FEWER.get((name, argument), (TO_SIX, TO_TEN))
    assert found.to_six <= to_six and found.to_ten <= to_ten

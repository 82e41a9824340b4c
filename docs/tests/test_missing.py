"""What docs/special.md says of missing orders is what the functions have."""

import re

import pytest

from docs.generate import missing
from tests._kit.days import by_turns
from tests.reference import orders

FUNCTIONS = orders.functions()


def said():
    """(function, argument) -> the highest order, as the page has it."""
    part = missing.PAGE.read_text(encoding="utf-8").partition(missing.BEGIN)[2].partition(missing.END)[0]
    found = re.findall(r"`(\w+)` in (\w+) \(up to order (\d)\)", part)
    return {(name, argument): int(order) for name, argument, order in found}


def test_the_text_is_that_of_what_it_says():
    text = missing.PAGE.read_text(encoding="utf-8")
    assert missing.page(text, said()) == text, "run `make table`"
    assert {name for name, _ in said()} <= set(FUNCTIONS)


@pytest.mark.parametrize("name", by_turns("betaincinv", *sorted(set(FUNCTIONS) - {"betaincinv"})))
def test_orders_that_are_not_said_to_be_missing_are_there(name):
    function = FUNCTIONS[name]
    for i in orders.arguments(function):
        expected = said().get((name, function.args[i]), missing.MOST)
        assert orders.highest(function, i, missing.MOST) == expected, "run `make table`"

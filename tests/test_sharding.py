"""Host calls on eight devices. `tests/sharding` has the cases; they run in one process of their own."""

import re

import pytest

from docs import sharding as page
from tests.conftest import EXHAUSTIVE
from tests.sharding.cases import cases
from tests.sharding.others import OTHERS

EVERY = 1 if EXHAUSTIVE else 5  # has no divisor in common with the numbers of kinds and transformations

pytestmark = pytest.mark.subprocess


@pytest.mark.native
def test_each_device_calls_the_host_with_its_own_part():
    found = page.found(EVERY)
    assert len(found) > 100
    assert {name: wrong for name, wrong in found.items() if wrong} == {}


def test_without_the_library_values_are_right_on_every_device():
    """More travels, and devices do what others do as well; nothing else may be wrong."""
    allowed = re.compile(
        r"a result in|host calls of|the host saw|parts of|\{'|all-gather|all-reduce|collective|all-to-all"
    )
    for name, wrong in page.found(7 * EVERY, lane="callback").items():
        assert not [text for text in wrong if not allowed.match(text)], (name, wrong)


def test_the_table_in_the_docs_is_that_of_the_cases():
    everything_holds = {str(case): [] for case in cases()} | {name: [] for name in OTHERS}
    assert page.tables(everything_holds) in page.PAGE.read_text(encoding="utf-8")

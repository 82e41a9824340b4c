"""Host calls on eight devices. `tests/sharding` has the cases; they run in one process of their own."""

import re

import pytest

from tests._kit.days import EXHAUSTIVE, today
from tests.sharding.running import found

# every so many cases, from another one on each day; no divisor in common with the numbers of kinds and transformations
EVERY, EVERY_IN_PYTHON = (1, 7) if EXHAUSTIVE else (13, 35)

pytestmark = pytest.mark.subprocess


@pytest.mark.native
@pytest.mark.rotating
def test_each_device_calls_the_host_with_its_own_part():
    cases = found(EVERY, today().toordinal() % EVERY)
    assert len(cases) > 50
    assert {name: wrong for name, wrong in cases.items() if wrong} == {}


@pytest.mark.rotating
def test_without_the_library_values_are_right_on_every_device():
    """More travels, and devices do what others do as well; nothing else may be wrong."""
    allowed = re.compile(
        r"a result in|host calls of|the host saw|parts of|\{'|all-gather|all-reduce|collective|all-to-all"
    )
    for name, wrong in found(EVERY_IN_PYTHON, today().toordinal() % EVERY_IN_PYTHON, "callback").items():
        assert not [text for text in wrong if not allowed.match(text)], (name, wrong)

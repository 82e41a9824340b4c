"""Which tests run today: all of them, those with their turn, or those that were asked for."""

import datetime
import os
import zlib
from typing import Any

import pytest

EXHAUSTIVE = os.environ.get("HOSTWRAP_EXHAUSTIVE", "") not in ("", "0")


def asked_for(config: pytest.Config) -> bool:
    """Whether tests are chosen by their names, as after a change of one function: then all of them run."""
    return bool(config.option.keyword) or any("::" in argument for argument in config.args)


TURN = 14  # days
LONG_TURN = 28  # of what takes seconds for each function: `rotating(turn=LONG_TURN)`


def today() -> datetime.date:
    """The day whose tests and points run: `HOSTWRAP_DAY=2030-01-31` repeats what failed on that one."""
    return datetime.date.fromisoformat(os.environ.get("HOSTWRAP_DAY") or datetime.date.today().isoformat())


def by_turns(first: Any, *others: Any) -> list[Any]:
    """Values of `pytest.mark.parametrize`: the first is tested each day, the others when it is their turn."""
    return [first, *(pytest.param(value, marks=pytest.mark.rotating) for value in others)]


def has_its_day(test: str, day: datetime.date | None = None, turn: int = TURN) -> bool:
    """Whether a `rotating` test runs today: one in `turn` of them does, and after so many days all have run."""
    day = day or today()
    return EXHAUSTIVE or zlib.crc32(test.encode()) % turn == day.toordinal() % turn

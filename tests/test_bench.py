"""The benchmark runs, and what does not depend on the machine is as promised."""

import jax
import pytest

from bench import calls, derivatives, devices, scan
from bench.timing import duration, in_turn, table


def rows(text):
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()[4:] if line]


def test_value_gradient_and_hessian_take_one_host_call_each():
    found = {row[0]: row[1] for row in rows(derivatives.report(seconds=0.0))}
    assert list(found) == list(derivatives.TRANSFORMS)
    assert set(found.values()) == {"1"}


def test_the_other_tables_have_their_rows(monkeypatch):
    monkeypatch.setattr(calls, "SIZES", (1, 10))
    assert [row[:2] for row in rows(calls.report(seconds=0.0))][:2] == [["jv", "1"], ["jv", "10"]]
    assert [row[0] for row in rows(scan.report(seconds=0.0))] == ["hostwrap", "pure_callback", "no call"]


@pytest.mark.subprocess
def test_two_devices_are_measured_in_a_process_of_their_own():
    assert [row[0] for row in rows(devices.report(seconds=0.0, size=10))] == ["jv", "gradient of jv"]


def test_times_are_medians_of_calls_in_turn():
    times = in_turn({"small": jax.jit(lambda: 1.0), "large": lambda: sum(range(100_000))}, seconds=0.05)
    assert 0 < times["small"] < times["large"]


@pytest.mark.parametrize(("seconds", "text"), [(2.5, "2.5 s"), (3.21e-3, "3.21 ms"), (4.5e-7, "0.45 µs")])
def test_durations_have_a_unit(seconds, text):
    assert duration(seconds) == text


def test_a_table_is_markdown():
    assert table("T", ["a", "b"], [["x", "10"]]) == "## T\n\n| a |  b |\n|---|---:|\n| x | 10 |\n"

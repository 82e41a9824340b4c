"""Five seconds of `make stress`, in each lane that has code of its own; and what ran for long."""

import pathlib

import pytest

from tests._kit import runs


@pytest.mark.subprocess
@pytest.mark.parametrize("lane", ["native", "callback"])
@pytest.mark.rotating
def test_five_seconds_of_everything_at_once(fresh_python, lane):
    root = pathlib.Path(__file__).resolve().parents[2]
    code = f"import sys; sys.path.insert(0, {str(root)!r}); from tests.stress import stress; stress(5.0)"
    assert "value" in fresh_python(code, timeout=240, HOSTWRAP_LANE=lane, HOSTWRAP_NUM_THREADS="2")


def test_a_run_takes_the_place_of_the_one_before(tmp_path, monkeypatch):
    monkeypatch.setattr(runs, "FILE", tmp_path / "stress.csv")
    for cases in (1, 2):
        runs.record("fuzz", "native", seconds=3.4, cases=cases, wrong=0)
    runs.record("stress", "native", seconds=1, cases=7, memory=-1.2)
    assert [(row["what"], row["cases"], row["hangs"]) for row in runs.rows()] == [
        ("fuzz", "2", ""),
        ("stress", "7", ""),
    ]


def test_what_ran_for_long_has_found_nothing_wrong():
    for row in runs.rows():
        assert (
            int(row["cases"]) > 0 and int(row["wrong"]) == int(row["hangs"]) == int(row["crashes"] or 0) == 0
        )

"""Ten seconds of `make stress`, in each lane that has code of its own; and the table of what ran for long."""

import pathlib

import pytest

from docs import stress as page


@pytest.mark.subprocess
@pytest.mark.parametrize("lane", ["native", "callback"])
def test_ten_seconds_of_everything_at_once(fresh_python, lane):
    root = pathlib.Path(__file__).resolve().parents[1]
    code = f"import sys; sys.path.insert(0, {str(root)!r}); from tests.stress import stress; stress(10.0)"
    assert "value" in fresh_python(code, timeout=240, HOSTWRAP_LANE=lane, HOSTWRAP_NUM_THREADS="2")


def test_the_table_in_the_docs_is_that_of_the_counts():
    assert page.table() in page.PAGE.read_text(encoding="utf-8")
    for row in page.rows():
        assert (
            int(row["cases"]) > 0 and int(row["wrong"]) == int(row["hangs"]) == int(row["crashes"] or 0) == 0
        )


def test_a_run_takes_the_place_of_the_one_before(tmp_path, monkeypatch):
    monkeypatch.setattr(page, "FILE", tmp_path / "stress.csv")
    monkeypatch.setattr(page, "PAGE", tmp_path / "stress.md")
    page.PAGE.write_text(f"before\n{page.BEGIN}{page.END}after\n", encoding="utf-8")
    for cases in (1, 2):
        page.record("fuzz", "native", seconds=3.4, cases=cases, wrong=0)
    page.record("stress", "native", seconds=1, cases=7, memory=-1.2)
    assert [(row["what"], row["cases"]) for row in page.rows()] == [("fuzz", "2"), ("stress", "7")]
    text = page.PAGE.read_text(encoding="utf-8")
    assert text.startswith("before\n") and text.endswith("after\n") and "| 3 | 2 | – | 0 |" in text

"""docs/eighth.csv: what the eighth derivative takes to trace and to compile."""

from docs.generate import eighth


def test_the_page_has_the_counts_of_the_table():
    text = eighth.PAGE.read_text(encoding="utf-8")
    part = text.partition(eighth.BEGIN)[2].partition(eighth.END)[0]
    assert part == eighth.text(eighth.committed())


def test_counts_are_those_of_functions():
    times = {"f": {"x": 0.5, "y": 0.7}, "g": {"x": 0.5, "y": 2.0}, "h": {"x": float("inf")}}
    said = " ".join(eighth.text(times).split())
    assert "for 1 of 3 functions, and in one argument at least for 2." in said
    assert "`h` (inf), `g` (2.0), `f` (0.7)" in said


def test_a_time_is_measured_again():
    assert 0 < eighth.taken("erf", 0) < eighth.LONGEST

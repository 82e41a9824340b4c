"""The sweep over all functions counts what it finds, and comes to an end where a function does not."""

import time

import numpy as np
import pytest

from tests.reference import ours, sweep, sweep_all


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.setattr(sweep_all, "FILE", tmp_path / "sweep.csv")


@pytest.mark.rotating
def test_a_row_counts_what_is_wrong_and_stays(monkeypatch, file):
    right = ours.compiled

    def wrong(*args):
        return lambda x: [f if args[3] == [(0,)] else np.zeros_like(f) for f in right(*args)(x)]

    monkeypatch.setattr(ours, "compiled", wrong)
    # Not `apart`: what forks after JAX has run may wait for ever. mpmath has this derivative at every double.
    *_, row = sweep_all.swept("log1p", "difference", 1, 4.0)
    assert row.derivatives == row.zero > 0
    assert row.judged == row.ours > 0
    sweep_all.save({("log1p", "difference"): row})
    assert sweep_all.load() == {("log1p", "difference"): row}
    assert sweep_all.names()[-1] == "log1p"  # the others were never swept


def test_what_does_not_end_is_given_up(monkeypatch):
    monkeypatch.setitem(sweep_all.EYES, "integral", lambda *_: iter([sweep.Batch(3, [])]))
    monkeypatch.setattr(sweep_all, "in_turn", lambda _: time.sleep(60))
    start = time.monotonic()
    assert sweep_all.apart("erf", "integral", 1, 1.0) == sweep_all.Row("erf", "integral", 1, derivatives=3)
    assert time.monotonic() - start < 30


def test_the_silent_kinds_are_judged_first():
    point = np.ones(1)
    found = [sweep.Suspect(None, (1,), 0, point, got, 2.0, 0.0) for got in (np.nan, 3.0, 4.0, -2.0, 0.0)]
    assert [s.got for s in sweep_all.in_turn(found)][:3] == [0.0, -2.0, 3.0]
    assert np.isnan(sweep_all.in_turn(found)[3].got)

"""The sweep over all doubles finds a derivative that is wrong, and contradicts none that is right."""

import os
import signal

import numpy as np
import pytest

from tests.reference import extremes, far, given, oracle, ours, sweep
from tests.reference.entries import catalogue


@pytest.mark.parametrize("name", ["j1", "gdtr"])
def test_what_is_right_is_not_contradicted(name):
    function = catalogue()[name]
    for sure, found, _ in sweep.suspects(function, 2 * sweep.BATCH, seed=1):
        assert sure > 10
        assert all(sweep.judged(suspect).whose != "ours" for suspect in found[:2])


@pytest.mark.parametrize(
    "mistake, kind", [(0.0, "zero"), (-1.0, "sign"), (1.0001, "off"), (np.nan, "not finite")]
)
def test_what_is_wrong_is_found(monkeypatch, mistake, kind):
    right = ours.compiled

    def wrong(*args):
        return lambda points: [mistake * found for found in right(*args)(points)]

    monkeypatch.setattr(ours, "compiled", wrong)
    ((sure, found, _),) = sweep.suspects(catalogue()["j1"], sweep.BATCH, seed=1)
    assert len(found) == sure > 10
    assert {suspect.kind for suspect in found} == {kind}


def counted_extremes(monkeypatch, mistake):
    right = ours.derivatives

    def wrong(*args):
        return [y if k == 0 else mistake * np.where(np.isfinite(y), y, 0) for k, y in enumerate(right(*args))]

    monkeypatch.setattr(ours, "derivatives", wrong)
    counts = [(known, len(found)) for known, found in extremes.suspects(catalogue()["jv"], 12, seed=1)]
    return np.sum(counts, axis=0)


@pytest.mark.parametrize("mistake", [0.0, 1.0, 1.0001, np.nan])
def test_every_derivative_of_a_point_with_one_extreme_argument_is_judged(monkeypatch, mistake):
    known, found = counted_extremes(monkeypatch, mistake)
    assert known > 10 and found == (0 if mistake == 1 else known)


@pytest.mark.parametrize("error, whose", [(1e-5, "conditioned"), (0.5, "ours")])
def test_a_condition_number_that_nobody_knows_is_measured_next_to_the_point(monkeypatch, error, whose):
    """The phase of J_1(1e10) has the digits of x."""
    function, point, known = catalogue()["j1"], np.array([1e10]), far.exact

    def without_second_derivatives(*args):
        numbers = known(*args)
        numbers[2] = np.nan
        return numbers

    monkeypatch.setattr(far, "exact", without_second_derivatives)
    truth = known(function, False, point)[1, 0].real
    suspect = sweep.Suspect(function, (1,), 0, point, truth * (1 + error), truth, 0.0)
    assert sweep.judged(suspect).whose == whose


@pytest.mark.parametrize("name", ["pro_ang1_cv", "obl_rad2_cv"])
def test_a_characteristic_value_is_no_free_argument(name):
    """Anywhere else the function solves no equation, and its derivatives are NaN."""
    function = catalogue()[name]
    rows = sweep.draws(function, 20, np.random.default_rng(1))
    m, n, c, cv, _ = rows.T
    value = catalogue()[f"{name[:3]}_cv"].on_host(m.astype(int), n.astype(int), c)
    assert np.array_equal(cv, value, equal_nan=True) and np.isfinite(cv).any()


def endless(is_bad, what):
    """SciPy's values, but where `is_bad` holds in one of the rows `what` happens."""
    right = given.on_host

    def on_host(function, rows):
        while any(map(is_bad, rows)):
            what()
        return right(function, rows)

    return on_host


@pytest.mark.parametrize("what", [lambda: None, lambda: os.kill(os.getpid(), signal.SIGKILL)])
def test_points_that_scipy_takes_long_for_are_left_out(monkeypatch, what):
    """SciPy takes minutes for some points of `hyperu`, and crashes at others of its functions."""
    function, rows = catalogue()["hyperu"], np.random.default_rng(1).random((200, 3)) + 1
    rows[[0, 64, 65, 199]] *= -1
    expected = np.where(rows[:, 0] > 0, given.on_host(function, rows), np.nan)
    monkeypatch.setattr(given, "on_host", endless(lambda row: row[0] < 0, what))
    values, slow = given.in_time(function, rows)
    assert np.array_equal(values, expected, equal_nan=True) and slow == 4


def test_an_exception_in_scipys_place_is_not_taken_for_a_long_time(monkeypatch, capfd):
    def fails():
        raise ValueError("planted")

    monkeypatch.setattr(given, "on_host", endless(lambda row: row[0] < 0, fails))
    with pytest.raises(RuntimeError, match=r"j1 raised an exception at \[2\.\]"):
        given.in_time(catalogue()["j1"], np.array([[2.0], [-1.0]]))
    assert "planted" in capfd.readouterr().err


def test_our_derivative_is_asked_for_only_where_the_difference_is_sure():
    """It may take a thousand times as long as SciPy's value."""
    function = catalogue()["hyp1f1"]
    first = sweep.first_derivatives(function)
    known, _ = sweep._differences(function, first, np.random.default_rng(1))
    assert len(known.points) == sweep.BATCH and known.certain.any(axis=(0, 1)).all()
    assert np.array_equal(sweep.Sure.at(function, first, known.points).points, known.points)


def test_a_phase_is_differentiated_where_a_short_step_makes_many_turns():
    """sn = sin(ph): over many turns the difference of ph has an average slope, and that of sn none."""
    values, slopes = oracle.derivatives(catalogue()["ellipj"], {}, [1e40, 0.3], [(0, 0), (0, 1)], False)
    (_, cn, _, _), (in_sn, _, _, in_ph) = values, slopes
    assert abs(in_sn - cn * in_ph) < 1e-15 * abs(in_sn)

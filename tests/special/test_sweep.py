"""The sweep over all doubles finds a derivative that is wrong, and contradicts none that is right."""

import numpy as np
import pytest

from tests.reference import extremes, far, oracle, ours, sweep
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


def test_points_that_scipy_takes_long_for_are_left_out(monkeypatch):
    """SciPy takes seconds for some points of `hyperu`. No more are drawn than a batch needs."""
    drawn, right, clock = [], sweep.on_host, [0.0]
    is_slow = lambda row: row[0] < 0

    def on_host(function, rows):
        drawn.extend(rows)
        clock[0] += 2 * sweep.LONG * is_slow(rows[0])
        return right(function, rows)

    monkeypatch.setattr(sweep, "on_host", on_host)
    monkeypatch.setattr(sweep.time, "process_time", lambda: clock[0])
    points, slow = sweep._finite(catalogue()["j1"], np.random.default_rng(1))
    assert len(points) == sweep.BATCH and len(drawn) == sweep.TRIES[0] * sweep.BATCH
    assert slow == sum(map(is_slow, drawn)) > 10
    assert not any(map(is_slow, points))


def test_a_phase_is_differentiated_where_a_short_step_makes_many_turns():
    """sn = sin(ph): over many turns the difference of ph has an average slope, and that of sn none."""
    values, slopes = oracle.derivatives(catalogue()["ellipj"], {}, [1e40, 0.3], [(0, 0), (0, 1)], False)
    (_, cn, _, _), (in_sn, _, _, in_ph) = values, slopes
    assert abs(in_sn - cn * in_ph) < 1e-15 * abs(in_sn)

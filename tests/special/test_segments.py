"""Integrals along segments find a derivative that is wrong, of any order, and contradict none that is right."""

import numpy as np
import pytest

from tests._kit.days import LONG_TURN, today
from tests.reference import ours, segments, sweep, sweep_all
from tests.reference.entries import catalogue, has_complex

INTEGRALS = [eye for eye in sweep_all.EYES if "integral" in eye]
CASES = [
    (name, eye)
    for name in sorted(sweep_all.names())
    for eye in INTEGRALS
    if "complex" not in eye or has_complex(catalogue()[name])
]
BATCHES = 2
SECONDS = 2.0  # of mpmath's, for a suspect


def seen(name, eye, batches=BATCHES, seed=1):
    found = list(sweep_all.EYES[eye](catalogue()[name], batches * segments.SEGMENTS, seed))
    return sum(batch.sure for batch in found), [suspect for batch in found for suspect in batch.suspects]


def silently_wrong(suspects):
    """What mpmath says is ours, and finite: a few of each kind are judged."""
    for suspect in [s for s in suspects if np.isfinite(s.got)][:6]:
        try:
            verdict = segments.judged(suspect, SECONDS)
        except Exception:  # definitions are made for the entries' boxes
            continue
        if verdict.whose == "ours":
            yield sweep.printed(suspect, verdict)


@pytest.mark.rotating(turn=3 * LONG_TURN)
@pytest.mark.parametrize("name, eye", CASES)
def test_no_derivative_is_silently_wrong(name, eye):
    """At other points each time."""
    _, found = seen(name, eye, seed=today().toordinal())
    assert list(silently_wrong(found)) == []


@pytest.mark.parametrize("name, eye", [("j1", INTEGRALS[0]), ("gdtr", INTEGRALS[1]), ("erf", INTEGRALS[2])])
def test_what_is_right_is_not_contradicted(name, eye):
    sure, found = seen(name, eye)
    assert sure > 10
    assert list(silently_wrong(found)) == []


MISTAKES = {
    "0 beyond some size": ("zero", lambda x, y: np.where(np.abs(x) > 30, 0, y)),
    "another sign": ("sign", lambda x, y: -y),
    "another sign on one side": ("sign", lambda x, y: np.where(np.real(x) < 0, -y, y)),
    "1e-5 off": ("off", lambda x, y: y * (1 + 1e-5)),
    "NaN": ("not finite", lambda x, y: np.where(np.abs(x) > 3, np.nan, y)),
}


@pytest.mark.parametrize("name, eye", [("j1", INTEGRALS[0]), ("j1", INTEGRALS[1]), ("erfcx", INTEGRALS[2])])
@pytest.mark.parametrize("mistake", MISTAKES)
def test_what_is_wrong_is_found(monkeypatch, mistake, name, eye):
    """The mistake is in the highest derivative; what it is the derivative of is right."""
    right, (kind, changed), order = ours.compiled, MISTAKES[mistake], 1 + ("order 2" in eye)

    def wrong(function, static, dtype, asked, example):
        compiled = right(function, static, dtype, asked, example)

        def at(points):
            numbers = zip(asked, compiled(points), strict=True)
            return [changed(points[:, 0], y) if sum(index) == order else y for index, y in numbers]

        return at

    monkeypatch.setattr(ours, "compiled", wrong)
    sure, found = seen(name, eye, batches=4)
    changes = np.array([complex(changed(s.point[0], 1.0)) != 1 for s in found], bool)
    assert sure > 10 and changes.sum() > 3
    assert kind in {suspect.kind for suspect in np.array(found, object)[changes]}
    least = {"another sign": 1.0, "1e-5 off": 0.9}.get(mistake, 0.0)  # the shortest segments have five digits
    assert changes.sum() >= least * sure
    assert list(silently_wrong([s for s in found if s.kind == kind][:1])) or kind == "not finite"


def test_our_derivative_is_asked_for_only_where_the_lower_one_is_sure(monkeypatch):
    """It costs more; of all that is drawn, a batch is kept."""
    right, asked_at = ours.compiled, []

    def counted(function, static, dtype, asked, example):
        compiled = right(function, static, dtype, asked, example)

        def at(points):
            asked_at.append((max(map(sum, asked)), len({*points[:, 0].tolist()}) / len(segments.NODES)))
            return compiled(points)

        return at

    monkeypatch.setattr(ours, "compiled", counted)
    sure, _ = seen("j1", INTEGRALS[1])
    highest = [segments_asked for order, segments_asked in asked_at if order == 2]
    assert len(highest) == BATCHES < len(asked_at) - BATCHES
    assert sure > 0.9 * sum(highest)


def test_a_segment_keeps_its_side_of_a_cut():
    """Both ends and all nodes have the zero that the point has, of its sign."""
    function = catalogue()["elliprc"]
    points = np.array([[1 + 0j, complex(-2, -0.0)], [1 + 0j, complex(-2, 0.0)], [1 + 0j, complex(-0.0, 2)]])
    paths = segments.segments(function, points, 1, np.random.default_rng(0))
    moved = paths.points[:, :, 1]
    assert np.all(np.signbit(moved.imag[:, 0])) and not np.any(np.signbit(moved.imag[:, 1]))
    assert np.all(moved.imag[:, :2] == 0) and np.all(moved.real[:, 2] == 0)
    assert np.all(np.signbit(moved.real[:, 2]))


def test_the_rule_integrates_polynomials():
    for degree in range(22):
        exact = (1 - (-1) ** (degree + 1)) / (degree + 1)
        assert segments.KRONROD @ segments.ABSCISSAE**degree == pytest.approx(exact, abs=1e-15)
        if degree < 14:
            assert segments.GAUSS @ segments.ABSCISSAE**degree == pytest.approx(exact, abs=1e-15)

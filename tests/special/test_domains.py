"""The planes over all doubles: they are complete, and a sample of them is what it was."""

import random
import time

import numpy as np
import pytest

from tests._kit.days import today
from tests.reference import domains, ours, sweep
from tests.reference.entries import catalogue, label
from tests.special.test_catalogue import name

FUNCTIONS = [catalogue()[n] for n in domains.names()]
each = pytest.mark.parametrize("function", FUNCTIONS, ids=name)
POINTS = 8  # of a function


@each
def test_each_function_has_its_planes(function):
    """`make domains ARGS=NAME` makes them."""
    planes, empty = domains.load()[function.name], domains.empty(function)
    assert planes.arguments == empty.arguments
    assert set(planes.others) == set(empty.others)
    for axis, drawn in zip(planes.axes, empty.axes, strict=True):
        np.testing.assert_allclose(axis, drawn, rtol=1e-12)
    first = {label(function, index, False) for index in sweep.first_derivatives(function)}
    assert set(planes.verdicts) == first
    for verdicts in planes.verdicts.values():
        assert verdicts.shape == tuple(map(len, planes.axes))
        assert verdicts.max() < len(domains.VERDICTS)


def test_there_are_no_others():
    assert set(domains.load()) == {f.name for f in FUNCTIONS}


def test_the_file_is_small():
    assert domains.FILE.stat().st_size < 300_000


def sample(function, count):
    """Places that were tried, other ones each day."""
    verdicts = np.stack([v.ravel() for v in domains.load()[function.name].verdicts.values()])
    known = np.flatnonzero((verdicts == domains.RIGHT).any(axis=0))
    random.Random(f"{function.name} {today()}").shuffle(known)
    return known[:count]


@pytest.mark.rotating(turn=28)
@each
def test_what_was_right_is_right(function):
    """Another SciPy and another processor have other last digits, but a difference that was sure stays near."""
    places = sample(function, POINTS)
    if not len(places):
        pytest.skip("no point was compared")
    for batch, found in domains.examined(function, places, judged=True):
        for derivative, verdicts in found.items():
            before = domains.load()[function.name].verdicts[derivative].ravel()[batch]
            right = before == domains.RIGHT
            assert not np.isin(verdicts[right], (domains.NAN, domains.CONTRADICTED)).any()


def test_a_wrong_derivative_is_seen(monkeypatch):
    function = catalogue()["j0"]
    sizes = np.abs(domains.load()["j0"].points[:, 0])
    places = np.flatnonzero((sizes > 0.1) & (sizes < 30))  # well conditioned
    right = ours.differentiated
    monkeypatch.setattr(
        ours,
        "differentiated",
        lambda *a: lambda *x: tuple(y * (1 + 1e-3 * any(a[2])) for y in right(*a)(*x)),
    )
    assert all((f["x"] == domains.CONTRADICTED).all() for _, f in domains.examined(function, places))
    judged = domains.examined(function, places[:2], judged=True)
    assert all((f["x"] == domains.WRONG).all() for _, f in judged)


def test_a_process_that_ends_gives_what_it_has(monkeypatch):
    """And the next function has a process of its own."""

    def examined(function, places, judged=False):
        found = places[:3]  # none of them is contradicted
        yield found, {"x": np.full(len(found), domains.RIGHT)}
        if function.name == "j0":
            raise SystemExit

    monkeypatch.setattr(domains, "examined", examined)
    found = dict(domains.made([catalogue()["j0"], catalogue()["j1"]], 20.0))
    assert [f.name for f in found] == ["j0", "j1"]
    assert all((p.verdicts["x"] == domains.RIGHT).sum() == 3 for p in found.values())


def test_a_process_is_ended_by_its_own_time(monkeypatch):
    """A loop that never ends is; a process that had to wait for the processor has its points."""

    def examined(function, places, judged=False):
        while function.name == "j0":
            pass
        time.sleep(0.3)
        yield places[:3], {"x": np.full(len(places[:3]), domains.RIGHT)}

    monkeypatch.setattr(domains, "examined", examined)
    found = [p.verdicts["x"].any() for _, p in domains.made([catalogue()["j0"], catalogue()["j1"]], 0.1)]
    assert found == [False, True]


def test_an_empty_plane_replaces_none(tmp_path, monkeypatch):
    monkeypatch.setattr(domains, "FILE", tmp_path / "domains.npz")
    monkeypatch.setattr(
        domains, "made", lambda functions, seconds: [(f, domains.empty(f)) for f in functions]
    )
    with pytest.raises(RuntimeError, match="no point of j0"):
        list(domains.update([catalogue()["j0"]]))
    assert not domains.FILE.exists()


def test_planes_are_kept_as_they_are(tmp_path, monkeypatch):
    kept = domains.load()["kv"]
    monkeypatch.setattr(domains, "FILE", tmp_path / "domains.npz")
    domains.save({"kv": kept})
    again = domains.load()["kv"]
    assert again.arguments == kept.arguments and again.others == kept.others
    for a, b in zip(again.axes, kept.axes, strict=True):
        np.testing.assert_array_equal(a, b)
    for derivative, verdicts in kept.verdicts.items():
        np.testing.assert_array_equal(again.verdicts[derivative], verdicts)
    domains.load.cache_clear()

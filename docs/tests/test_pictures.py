"""The README's numbers and pictures come from committed measurements, and what makes them can tell right from wrong."""

import re

import jax
import numpy as np
import pytest

from docs.generate import peers, pictures, ulp
from docs.generate.site import domains as drawn
from docs.generate.site import scatter
from hostwrap import special
from hostwrap.special._entry import CATALOGUE
from tests._kit.days import today
from tests.reference import domains, tables
from tests.reference.entries import label

README = peers.README.read_text(encoding="utf-8")
PAGE = (pictures.FOLDER / "benchmark.md").read_text(encoding="utf-8")


# ---- peers


@pytest.mark.parametrize(
    ("of", "counts"),
    [
        (special.hyp0f1, (1, 1)),
        (lambda v, z: special.hyp0f1(v, z) * (1 + 1e-5), (1, 0)),
        (lambda v, z: np.asarray(v), (0, 0)),  # raises: a tracer is no NumPy array
    ],
    ids=["right", "five digits", "raises"],
)
def test_peers_are_counted_by_what_they_give(of, counts, monkeypatch):
    entry = CATALOGUE["hyp0f1"]
    monkeypatch.setattr(peers, "slope", _only_the_last(peers.slope))
    assert peers.count(entry, of) == counts


def _only_the_last(slope):
    """The derivative in z alone: that in v raises."""

    def chosen(of, i, *arrays):
        if i == 0:
            raise NotImplementedError
        return slope(of, i, *arrays)

    return chosen


@pytest.mark.exhaustive
@pytest.mark.subprocess
def test_a_peer_that_does_not_return_is_left_behind(monkeypatch, tmp_path):
    (tmp_path / "sleepy.py").write_text("import time\ndef i0(x):\n    time.sleep(1000)\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(peers, "SECONDS", 10)
    assert peers.counted("sleepy", {CATALOGUE["i0"]: "i0"}) == [None]


def test_the_table_of_the_readme_is_dated_and_our_line_is_that_of_the_committed_errors():
    block = peers.BLOCK.search(README)[0]
    assert re.search(r"\*Measured \d{4}-\d\d-\d\d, JAX \d", block)
    ufuncs = {n: f for n, f in CATALOGUE.items() if f.public and isinstance(f.host, np.ufunc)}
    assert peers._line("hostwrap.special", ufuncs.values(), peers.ours(ufuncs)) in block
    assert f"| jax {jax.__version__} | " in block or re.search(r"\| jax \d", block)


# ---- pictures


@pytest.mark.parametrize("name", pictures.PICTURES)
def test_the_pictures_are_there_and_small(name):
    assert f"docs/{name}" in README
    assert (pictures.FOLDER / name).stat().st_size < 150_000


def test_the_times_in_the_picture_are_those_of_the_benchmark():
    times = pictures.timed(PAGE)
    for name in pictures.SHOWN:
        sizes = [n for function, n in times if function == name]
        assert sizes == sorted(sizes) and len(sizes) >= 4
        assert {"hostwrap", "pure_callback", "SciPy"} <= set(times[name, 1])
    row = next(line for line in PAGE.splitlines() if line.startswith("| jv "))
    assert f"{times['jv', 1]['hostwrap'] * 1e6:.3g} µs" in row


def test_the_errors_in_the_picture_are_those_of_the_table():
    figure = pictures.accuracy()
    (lines,) = {len(ax.get_lines()) for ax in figure.axes}
    assert lines == len(pictures.ORDERS) + 1
    worst = {line.get_label(): line.get_xdata() for line in figure.axes[1].get_lines()}
    errors = worst[pictures.ORDERS["first"][1]]
    assert len(errors) > 400 and np.all(np.diff(errors) >= 0) and np.median(errors) < 1e-12
    pictures.pyplot.close(figure)


# ---- errors beside condition numbers


def test_every_function_has_its_points():
    found = {key for key in ulp.load() if key[2] == "float64"}
    for function in ulp.public():
        group = next((g for g in tables.load(function.name)[1] if not g.is_complex), None)
        for index in group.indices if group else ():
            if sum(index) <= 1 and callable(
                function.rules[function.args[index.index(1)]] if sum(index) else len
            ):
                assert (function.name, label(function, index, False), "float64") in found


def test_a_sample_of_the_points_which_changes_every_day():
    generator = np.random.default_rng(today().toordinal())
    for function in generator.choice(ulp.public(), 4, replace=False):
        for key, points in ulp.ours(function).items():
            assert is_what_was_measured(ulp.load()[key], points), key


def is_what_was_measured(old, new):
    """Mostly: another processor, or another version of SciPy, rounds otherwise. Below two units all errors are one."""
    if len(old.error) != len(new.error):
        return False
    seen = [np.maximum(numbers.astype(float), 0.3) for numbers in (*old, *new)]
    return all(np.mean(np.abs(a - b) > 1.0) <= 0.1 for a, b in zip(seen[:2], seen[2:], strict=True))


def test_the_sample_sees_another_function_and_lost_digits():
    found = ulp.ours(special.gammainc)[("gammainc", "a", "float64")]
    assert is_what_was_measured(ulp.load()["gammainc", "a", "float64"], found)
    assert not is_what_was_measured(ulp.load()["gammaincc", "x", "float64"], found)
    worse = found._replace(error=np.maximum(found.error, 2.5))
    assert not is_what_was_measured(ulp.load()["gammainc", "a", "float64"], worse)


def test_errors_of_jax_are_measured_at_the_same_points():
    mine = ulp.load()["gammainc", "x", "float64"]
    theirs = ulp.theirs("gammainc")["gammainc", "x", "jax"]
    np.testing.assert_allclose(theirs.condition, mine.condition, rtol=1e-3)
    assert np.mean(theirs.error) > np.mean(mine.error)


def test_a_picture_has_a_panel_for_the_value_and_each_derivative():
    figure = scatter.figure("gammainc")
    assert [ax.get_title() for ax in figure.axes] == ["value", "derivative in a", "derivative in x"]
    counts = [len(ulp.load()["gammainc", "a", whose].error) for whose in scatter.DOTS]
    *dots, _ = figure.axes[1].lines  # the last one is the limit that rounding sets
    assert [len(line.get_xdata()) for line in dots] == counts
    pictures.pyplot.close(figure)


def test_no_number_in_the_readme_is_neither_executed_nor_dated():
    """In running text a measured number is one with a unit, or a count of functions."""
    prose = re.sub(r"```.*?```|<!-- peers.*?<!-- end -->", "", README, flags=re.DOTALL)
    assert not re.findall(r"\d+(?:\.\d+)? ?(?:ns|µs|ms|MB|kB|%|times faster|functions|ufuncs)", prose)


# ---- where the derivatives are right


def test_a_plane_is_drawn_and_counted():
    planes = domains.load()["jv"]
    figure = drawn.figure(planes)
    assert [ax.get_title() for ax in figure.axes] == ["in v", "in z"]
    image = np.asarray(figure.axes[1].images[0].get_array())
    np.testing.assert_array_equal(image, planes.verdicts["z"].T)
    tried = (planes.verdicts["v"] > domains.NO_VALUE).sum()
    share = 100 * (planes.verdicts["v"] == domains.RIGHT).sum() / tried
    assert f"| `v` | {tried} | {share:.1f}\N{NO-BREAK SPACE}%" in drawn.table("jv")
    assert "v and z" in drawn.words("jv")


def test_a_function_of_one_argument_is_a_line():
    (ax,) = drawn.figure(domains.load()["ndtri"]).axes
    assert ax.images[0].get_array().shape[0] == 1
    labels = [t.get_text() for t in ax.get_xticklabels()]
    assert labels[0] == "1e-300" and labels[-1] == "1−1e-15"


def test_each_verdict_has_a_color_and_a_word():
    assert set(drawn.PALETTE) == set(drawn.WORDS) == set(range(len(domains.VERDICTS)))
    assert len(set(drawn.PALETTE.values())) == len(domains.VERDICTS)

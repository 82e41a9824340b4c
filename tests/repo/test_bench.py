"""The benchmark runs, and what does not depend on the machine is as promised."""

import pathlib

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from bench import (
    automatic,
    calls,
    costs,
    derivatives,
    devices,
    peers,
    scan,
    sizes,
    solvers,
    sparse,
    starting,
    wrappers,
)
from bench.timing import duration, in_turn, table
from hostwrap import special


def rows(text):
    table = [line for line in text.splitlines()[4:] if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table]


def test_value_gradient_and_hessian_take_one_host_call_each():
    found = {row[0]: row[1] for row in rows(derivatives.report(seconds=0.0))}
    assert list(found) == list(derivatives.TRANSFORMS)
    assert set(found.values()) == {"1"}


@pytest.mark.rotating
def test_the_other_tables_have_their_rows(monkeypatch):
    monkeypatch.setattr(calls, "SIZES", (1, 10))
    monkeypatch.setattr(sizes, "SIZES", (1, 10))
    monkeypatch.setattr(starting, "FEWEST", 1)
    assert [row[:2] for row in rows(sizes.report(seconds=0.0))][:2] == [["ndtr", "1"], ["ndtr", "10"]]
    assert [row[0] for row in rows(starting.report(seconds=0.0))][:2] == ["hostwrap", "hostwrap.special"]
    assert [row[:2] for row in rows(calls.report(seconds=0.0))][:2] == [["jv", "1"], ["jv", "10"]]
    assert [row[0] for row in rows(scan.report(seconds=0.0))] == ["hostwrap", "pure_callback", "no call"]


@pytest.mark.rotating
def test_costs_come_with_their_targets_and_gradients_beside_jaxs(monkeypatch):
    names = ["entr", "erf"]
    monkeypatch.setattr(costs, "CATALOGUE", {name: costs.CATALOGUE[name] for name in names})
    monkeypatch.setattr(peers, "BOXES", {name: peers.BOXES[name] for name in names})
    found, targets = costs.report(seconds=0.0).split("## Targets")
    assert [row[0] for row in rows(found)] == [*names, "median"]
    assert [row[2] for row in rows(targets)] == ["15 µs", "200", "none", "none", "4", "none", "none"]
    assert [row[0] for row in rows(peers.report(seconds=0.0))][:2] == names


def test_code_without_a_rule_is_beside_jaxs_and_its_value(monkeypatch):
    monkeypatch.setattr(automatic, "TRACED", automatic.TRACED[:1])
    monkeypatch.setattr(automatic, "RECORDED", dict([next(iter(automatic.RECORDED.items()))]))
    traced, recorded = automatic.report(seconds=0.0).split("## Recorded code")
    assert [len(row) for row in rows(traced)] == [5] and [len(row) for row in rows(recorded)] == [8]


@pytest.mark.rotating
def test_solvers_are_called_as_scipys(monkeypatch):
    """A row for each; what SciPy gets and what hostwrap gets is the same call."""
    few = [p for p in solvers.problems() if p.name in ("optimize.root", "fft.dct", "sparse.linalg.cg")]
    monkeypatch.setattr(solvers, "ROUNDS", 1)
    monkeypatch.setattr(solvers, "problems", lambda: few)
    monkeypatch.setattr(solvers.memory, "report", str)
    assert [row[0] for row in rows(solvers.report())] == [p.name for p in few]


@pytest.mark.parametrize("name", wrappers.POINTS)
def test_the_wrappers_written_by_hand_compute_the_same(name):
    found = wrappers.written_by_hand(name), getattr(special, name)
    for transform, rtol in (("value", 1e-14), ("grad", 1e-8), ("vmap(grad), 1000", 1e-6)):
        a, z = wrappers.POINTS[name]
        z = jnp.linspace(0.5, 9.0, 5) if "vmap" in transform else z
        by_hand, ours = (wrappers.TRANSFORMS[transform](f)(a, z) for f in found)
        jax.tree.map(lambda x, y, rtol=rtol: np.testing.assert_allclose(x, y, rtol, 1e-8), by_hand, ours)


@pytest.mark.skipif(not pathlib.Path("/proc/self/clear_refs").exists(), reason="no such file here")
@pytest.mark.subprocess
@pytest.mark.native
def test_a_large_operand_is_not_copied(fresh_python):
    """What a call needs is its result, and ten percent; in a process that has no memory left over from others."""
    root = pathlib.Path(__file__).parents[2]
    said = fresh_python(f"import sys; sys.path.insert(0, {str(root)!r})" + LARGE)
    assert 0.9 < float(said) < 1.1


LARGE = """
import jax, numpy as np, hostwrap as hw
from bench import sizes
from hostwrap import special
jax.config.update("jax_enable_x64", True)
n = 4_000_000
f, x = jax.jit(special.ndtr), jax.device_put(np.linspace(-5, 5, n))
print(sizes.peak(lambda: f(x)) / (8 * n))
"""


def test_a_sparse_gradient_takes_one_factorisation():
    text = sparse.report(seconds=0.0, cells=9, steps=8)
    found = [row for row in rows(text) if row[0] in ("solve", "value and gradient")]
    assert [row[-1] for row in found] == ["1", "1"]
    assert "| 8      |" in text


@pytest.mark.subprocess
@pytest.mark.rotating
def test_two_devices_are_measured_in_a_process_of_their_own():
    assert [row[0] for row in rows(devices.report(seconds=0.0, size=10))] == ["jv", "gradient of jv"]


def test_times_are_medians_of_calls_in_turn():
    times = in_turn({"small": jax.jit(lambda: 1.0), "large": lambda: sum(range(100_000))}, seconds=0.05)
    assert 0 < times["small"] < times["large"]


@pytest.mark.parametrize(("seconds", "text"), [(2.5, "2.5 s"), (3.21e-3, "3.21 ms"), (4.5e-7, "0.45 µs")])
def test_durations_have_a_unit(seconds, text):
    assert duration(seconds) == text


def test_a_table_is_markdown():
    assert table("T", ["a", "b"], [["x", "10"]]) == "## T\n\n| a   |   b |\n|:----|----:|\n| x   |  10 |\n"

"""`progress=`: a bar over the loop of a host function."""

import sys
import types

import jax
import numpy as np
import pytest

import hostwrap as hw
from tests._kit.toys import each_lane, same  # noqa: F401

X = np.arange(6.0).reshape(2, 3)


class Bar:
    """Stands in for tqdm.tqdm: it keeps what it was told."""

    made: list

    def __init__(self, iterable, total, desc):
        self.iterable, self.total, self.label, self.count, self.open = iterable, total, desc, 0, None
        self.made.append(self)

    def __enter__(self):
        self.open = True
        return self

    def __exit__(self, *error):
        self.open = False

    def __iter__(self):
        for element in self.iterable:
            yield element
            self.count += 1

    @property
    def state(self):
        return (self.label, self.count, self.total, self.open)


@pytest.fixture
def bars(monkeypatch):
    Bar.made = []
    monkeypatch.setitem(sys.modules, "tqdm", types.SimpleNamespace(tqdm=Bar))
    return Bar.made


def wrapped(**options):
    def simulate(x):
        if x < 0:
            raise ValueError("negative")
        return np.sqrt(x)

    return hw.wrap(simulate, **{"vmap_method": "sequential", **options})


@pytest.mark.usefixtures("each_lane")
@pytest.mark.parametrize("label, expected", [(True, "simulate"), ("runs", "runs")])
def test_a_bar_counts_the_elements_of_a_batch(bars, label, expected):
    f = wrapped(progress=label)
    for call in (f, jax.jit(f), jax.vmap(f), jax.jit(jax.vmap(jax.vmap(f)))):
        bars.clear()
        same(jax.block_until_ready(call(X)), np.sqrt(X))
        assert [bar.state for bar in bars] == [(expected, 6, 6, False)]


@pytest.mark.parametrize("effect", ["io", "debug"])
def test_functions_with_side_effects_have_one_too(bars, effect):
    f = wrapped(progress=True, effect=effect)
    jax.block_until_ready(jax.jit(jax.vmap(f))(X[0]))
    jax.effects_barrier()
    assert [bar.state for bar in bars] == [("simulate", 3, 3, False)]


def test_there_is_none_by_default_and_none_without_a_batch(bars):
    jax.vmap(wrapped())(X)
    wrapped(progress=True)(1.0)
    assert not bars


@pytest.mark.usefixtures("each_lane")
def test_it_is_closed_when_the_function_raises(bars):
    f = wrapped(progress=True)
    for call in (f, jax.jit(f)):
        bars.clear()
        with pytest.raises(Exception, match="negative"):
            jax.block_until_ready(call(np.array([1.0, 4.0, -1.0, 9.0])))
        assert [bar.state for bar in bars] == [("simulate", 2, 4, False)]


def test_without_tqdm_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    with pytest.raises(ImportError, match=r"simulate: progress= needs tqdm; pip install tqdm"):
        wrapped(progress=True)
    wrapped(progress=False)


def test_what_makes_no_sense_is_refused(bars):
    for method in ("broadcast_all", "expand_dims", "legacy_vectorized"):
        with pytest.raises(
            hw.SignatureError, match="simulate: progress= counts the calls of a loop on the host"
        ):
            wrapped(progress=True, vmap_method=method)
    with pytest.raises(hw.SignatureError, match=r"progress=3 must be True, False or a label"):
        wrapped(progress=3)


def test_with_tqdm_itself(capsys):
    pytest.importorskip("tqdm")
    same(jax.vmap(wrapped(progress="runs"))(X[0]), np.sqrt(X[0]))
    shown = capsys.readouterr().err
    assert "runs: 100%" in shown and "3/3" in shown

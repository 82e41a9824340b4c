"""The table of SciPy's functions: it has all of them, the page is that of the table, some rows are tried each day."""

import importlib

import jax.numpy as jnp
import numpy as np
import pytest
import scipy

from docs.generate import scipy_functions, scipy_trial
from docs.generate.scipy_trial import Example
from tests._kit.days import has_its_day

ROWS = scipy_functions.committed()
TURN = 120  # days, until all rows have been tried
TODAY = [
    r for r in ROWS if r["source"] != "no sense" and has_its_day(f"{r['module']}.{r['function']}", turn=TURN)
]
written_with_this_scipy = pytest.mark.skipif(
    f"SciPy {'.'.join(scipy.__version__.split('.')[:2])} "
    not in scipy_functions.PAGE.read_text(encoding="utf-8"),
    reason="the table was written with another SciPy",
)


@written_with_this_scipy
def test_the_page_is_that_of_the_table():
    page = scipy_functions.PAGE.read_text(encoding="utf-8")
    assert scipy_functions.page(ROWS) == page, "run `python -m docs.generate.scipy_functions --page`"


@written_with_this_scipy
def test_every_public_function_has_a_row():
    expected = {(m, f) for m in scipy_functions.modules() for f in scipy_trial.public(m)}
    assert {(r["module"], r["function"]) for r in ROWS} == expected


def test_who_has_an_example_is_not_said_to_make_no_sense():
    examples, senseless = scipy_trial.read()
    for module, own in examples.items():
        named = [e.function for e in own]
        assert len(named) == len(set(named)) and not set(named) & set(senseless[module]), module


@written_with_this_scipy
@pytest.mark.parametrize("row", TODAY, ids=lambda r: f"{r['module']}.{r['function']}")
def test_a_row_is_what_comes_of_trying(row):
    """What is said to work does, and what is said to be missing is; a better SciPy may do more."""
    found = scipy_functions.row_of(row["module"], row["function"])
    assert scipy_functions.source_of(found) == scipy_functions.source_of(row), (
        "run the generator with its name"
    )


def test_a_wrong_derivative_is_seen(monkeypatch):
    """The planted mistakes: a twin with another slope, one with another value."""
    home = importlib.import_module("hostwrap.fft")
    example = Example("scipy.fft", "dct", "dct(y)")
    assert scipy_trial.tried(example, "hostwrap") == "yes"
    right = home.dct
    monkeypatch.setattr(
        home, "dct", lambda y: right(y) * jnp.mean(y) / jnp.mean(jnp.asarray(scipy_trial.VALUES["y"]))
    )
    assert scipy_trial.tried(example, "hostwrap").startswith("Wrong: forward")
    monkeypatch.setattr(home, "dct", lambda y: right(y) + 1.0)
    assert scipy_trial.tried(example, "hostwrap").startswith("Wrong: the value is")
    assert scipy_trial.tried(Example("scipy.signal", "lti", "lti(y)"), "hostwrap") == ""


OURS = [
    e
    for own in scipy_trial.read()[0].values()
    for e in own
    if any((r["module"], r["function"], r["hostwrap"]) == (e.module, e.function, "yes") for r in ROWS)
]


@pytest.mark.rotating
@pytest.mark.filterwarnings("error:Explicitly requested dtype")
@pytest.mark.parametrize(
    "example", [e for e in OURS if has_its_day(f"single {e.function}", turn=20)], ids=lambda e: e.function
)
def test_without_x64_all_is_of_single_precision(example):
    """JAX's default mode: no wider type is asked for, and values and gradients are numbers."""
    for name, x in scipy_trial.in_single_precision(example).items():
        assert x.dtype in (np.float32, np.int32, np.complex64, np.bool_), name
        assert not name.startswith("d") or np.isfinite(x).all(), name

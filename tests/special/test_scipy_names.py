"""`hostwrap.special` has every name of `scipy.special`, with SciPy's arguments."""

import inspect
import re

import numpy as np
import pytest
import scipy.special

import hostwrap.special
from hostwrap.special import _rest
from tests.reference import ledger
from tests.reference.entries import catalogue

GONE = {"sph_harm", "lpn", "lpmn", "clpmn"}  # deprecated, and not in SciPy 1.17 any more
NAMES = [n for n in dir(scipy.special) if n not in GONE and not n.startswith("_")]
UFUNCS = [n for n in NAMES if isinstance(getattr(scipy.special, n), np.ufunc)]
FUNCTIONS = [n for n in scipy.special.__all__ if n not in UFUNCS and n not in GONE]


def test_there_is_an_entry_for_every_ufunc():
    """Of the SciPy that is installed, also a newer one."""
    assert len(UFUNCS) >= 225
    assert [n for n in UFUNCS if n not in hostwrap.special.__all__] == []


def test_every_other_name_is_wrapped_or_handed_on():
    missing = [n for n in FUNCTIONS if n not in hostwrap.special.__all__ and n not in _rest._NAMES]
    assert missing == []
    for n in _rest._NAMES:
        assert getattr(hostwrap.special, n) is getattr(scipy.special, n)
    assert not _rest._NAMES & set(hostwrap.special.__all__)


def test_a_name_that_is_nowhere():
    with pytest.raises(AttributeError, match="no attribute 'bessel_j'"):
        hostwrap.special.bessel_j  # noqa: B018


def test_a_ufunc_that_a_newer_scipy_has(monkeypatch):
    monkeypatch.setattr(scipy.special, "brand_new", np.exp, raising=False)
    with pytest.raises(
        AttributeError, match=r"has no `brand_new`.*hostwrap\.wrap\(scipy\.special\.brand_new\)"
    ):
        hostwrap.special.brand_new  # noqa: B018


@pytest.mark.parametrize("name", [n for n in UFUNCS if n in hostwrap.special.__all__])
def test_a_ufunc_has_scipys_number_of_arguments_and_results(name):
    ours, theirs = catalogue()[name], getattr(scipy.special, name)
    assert (len(ours.args), max(1, len(ours.outs))) == (theirs.nin, theirs.nout)
    assert ours.statics == {}
    head = theirs.__doc__.splitlines()[0]  # of xsf's newest ufuncs it is NumPy's, with x1 and x2
    with_this_scipy = scipy.__version__.startswith(ledger.SCIPY)
    if "/" not in head and with_this_scipy:  # names differ between releases
        documented = re.match(r"\w+\((.*?)(?:, out=.*)?\)", head)[1]
        assert list(ours.args) == [a.strip() for a in documented.split(",")]


@pytest.mark.parametrize("name", [n for n in FUNCTIONS if n in hostwrap.special.__all__])
def test_a_function_has_scipys_arguments_and_defaults(name):
    theirs = inspect.signature(getattr(scipy.special, name)).parameters
    if any(p.kind is p.VAR_POSITIONAL for p in theirs.values()):
        pytest.skip("SciPy shows no signature")
    ours = inspect.signature(getattr(hostwrap.special, name)).parameters
    wanted = {p.name: p.default for p in theirs.values() if p.name not in ("out", "kwargs")}
    got = {p.name: p.default for p in ours.values()}
    assert got == wanted

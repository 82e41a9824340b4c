"""What is written once more of SciPy's methods has SciPy's bits, or is not taken."""

import functools
import warnings

import numpy as np
import pytest
import scipy.stats

from hostwrap._errors import NoLoop
from hostwrap.stats import _rewritten


@pytest.mark.parametrize("name", sorted(_rewritten.NAMES))
def test_it_has_the_bits_of_scipys(name, monkeypatch):
    function, places = _rewritten._OF_SCIPY[name]
    usual = functools.reduce(getattr, name.split("."), scipy.stats)
    monkeypatch.setattr(
        _rewritten, "SEED", 3
    )  # other points than those where it is compared before it is taken
    arguments = places()
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.testing.assert_array_equal(function(*arguments), usual(*arguments))


def test_what_rounds_otherwise_is_not_taken(monkeypatch):
    name = "geninvgauss._logpdf"
    function, places = _rewritten._OF_SCIPY[name]
    other = lambda *args: np.nextafter(function(*args), 0.0)
    monkeypatch.setitem(_rewritten._OF_SCIPY, name, (other, places))
    _rewritten.rewritten.cache_clear()
    try:
        with pytest.raises(NoLoop, match="rounds otherwise"):
            _rewritten.rewritten(name)
    finally:
        _rewritten.rewritten.cache_clear()

"""The library's sums over pixels around places and over pairs of points, beside the words of NumPy for the same."""

import itertools

import numpy as np
import pytest

from hostwrap._recipes import sums
from hostwrap.ndimage._places import Sum
from hostwrap.ndimage._splines import EVERY

pytestmark = pytest.mark.skipif(not sums.here(), reason="needs the library")
SHAPE = (7, 9, 1, 5)


def _both(monkeypatch, f):
    ours = f()
    with monkeypatch.context() as without, np.errstate(all="ignore"):
        without.setattr(sums, "here", lambda: False)
        return ours, f()


def _close(pair, scale=1.0):
    for x, y in zip(*pair, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-12 * scale)


@pytest.mark.parametrize("order", range(6))
@pytest.mark.parametrize("axes", [1, 2, 3, 4])
@pytest.mark.filterwarnings("ignore:invalid value")
def test_splines(order, axes, monkeypatch):
    draw = np.random.default_rng(order)
    places = draw.uniform(-12, 20, (axes, 40))
    places[0, :5] = 0.0, 3.0, np.nan, np.inf, -1e300
    c = draw.normal(size=40) + 1j * draw.normal(size=40)
    for mode in EVERY:
        own = Sum.of(SHAPE[:axes], places, order, mode, prefilter=True)
        image = draw.normal(size=own.sizes)
        for number in (1.0, 1.0 + 2.0j):
            values = lambda: (own.spread((c * number).real if number == 1 else c, order),)  # noqa: B023
            _close(_both(monkeypatch, values))
            slopes = lambda: (own.slopes(image * number, order, 0.7 * number),)  # noqa: B023
            _close(_both(monkeypatch, slopes), 10.0)


@pytest.mark.parametrize("d", [0, 1, 2, 3, 5, 8, 9, 20])
def test_pairs(d, monkeypatch):
    draw = np.random.default_rng(d)
    a, b, c = draw.normal(size=(6, d)), draw.normal(size=(300, d)), draw.normal(size=(6, 300))
    for sides, apart in itertools.product(((0, 1), (0,), (1,)), (None, np.abs(c) * (c > -1))):
        ours, theirs = _both(monkeypatch, lambda: sums.pairs_back(a, b, c, apart, sides))  # noqa: B023
        assert [x is None for x in ours] == [i not in sides for i in (0, 1)]
        _close(([x for x in ours if x is not None], [x for x in theirs if x is not None]), 10.0)

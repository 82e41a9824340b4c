"""Second derivatives of densities and probabilities of all distributions, beside differences of the first ones."""

import numpy as np
import pytest

from hostwrap.stats import _catalogue
from tests._kit.days import LONG_TURN
from tests.stats.second import SLOW, kinds, pairs


@pytest.mark.rotating(turn=LONG_TURN)
@pytest.mark.parametrize("kind", ["density", "cdf"])
@pytest.mark.parametrize("name", [name for name in _catalogue.names() if name not in SLOW])
def test_second_derivatives(name, kind):
    kind = kinds(name)[kind == "cdf"]
    for pair in pairs(name, kind):
        good = pair.error < 1e-5 * np.abs(pair.by_differences)
        apart = np.abs(pair.ours - pair.by_differences)
        allowed = 1e-6 * np.abs(pair.by_differences) + 20 * pair.error + 1e-12 * pair.size
        assert np.isfinite(pair.ours[good]).all(), (name, kind, pair.argument)
        assert np.all(apart[good] <= allowed[good]), (name, kind, pair.argument)

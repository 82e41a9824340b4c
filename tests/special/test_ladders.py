"""Along decades of one argument a derivative goes on as a power."""

import jax.numpy as jnp
import numpy as np
import pytest

from tests.reference import ladders, ours
from tests.reference.entries import catalogue
from tests.special.test_catalogue import name

# of one or two powers of each argument; others go over into another one far out, or take long
NAMES = "agm besselpoly boxcox1p chdtr expn gammainc kv log_kv nrdtrimn owens_t pdtr poch stdtr tklmbda"


@pytest.mark.rotating
@pytest.mark.parametrize("function", [catalogue()[n] for n in NAMES.split()], ids=name)
def test_a_power_goes_on(function):
    assert not [b for _, found in ladders.breaks(function, 1, seconds=0.3) for b in found]


@pytest.mark.parametrize("mistake", [0.0, np.inf, 2.0])
def test_what_does_not_go_on_is_found(monkeypatch, mistake):
    right = ours.differentiated

    def wrong(*args):
        return lambda *x: [jnp.where(x[-1] > 1e40, mistake, 1.0) * y for y in right(*args)(*x)]

    monkeypatch.setattr(ours, "differentiated", wrong)
    found = [b for _, some in ladders.breaks(catalogue()["boxcox1p"], 1) for b in some]
    assert {b.kind for b in found} == {{0.0: "zero", np.inf: "inf"}.get(mistake, "off")}

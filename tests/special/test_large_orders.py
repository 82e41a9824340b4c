"""Bessel functions of complex numbers and large orders, where their exponentially scaled forms leave the doubles."""

import numpy as np
import pytest
import scipy.special as sc

from hostwrap.special.bessel import complex_argument, hankel

ORDERS = {
    "jv": complex_argument.jv_order,
    "yv": complex_argument.yv_order,
    "iv": complex_argument.iv_order,
    "kv": complex_argument.kv_order,
    "hankel1": hankel.hankel1_order,
    "hankel2": hankel.hankel2_order,
    "hankel1e": lambda v, z, n: hankel.hankel1e_n(v, z, dv=n, dz=0),
    "hankel2e": lambda v, z, n: hankel.hankel2e_n(v, z, dv=n, dz=0),
}
STEP = 1e-6  # relative


def points(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    v = 10.0 ** generator.uniform(2, 3.3, count) * generator.choice([-1, 1, 1], count)
    size = np.abs(v) * 10.0 ** generator.uniform(-0.5, 0.5, count)
    return v, size * np.exp(1j * generator.uniform(-np.pi, np.pi, count))


@pytest.mark.parametrize("name", ORDERS)
@pytest.mark.rotating
def test_derivatives_in_the_order_are_those_of_scipys_value(name):
    f, order = getattr(sc, name), ORDERS[name]
    v, z = points(300, seed=1)
    with np.errstate(all="ignore"):
        value, step = f(v, z), STEP * np.abs(v)
        quotient = (f(v + step, z) - f(v - step, z)) / ((v + step) - (v - step))
    known = np.isfinite(value) & (np.abs(value) > 1e-280) & (np.abs(value) < 1e300)
    assert known.sum() > 200
    v, z, value, quotient = (x[known] for x in (v, z, value, quotient))
    same, slope = (np.asarray(order(v, z, n=n)) for n in (0, 1))
    assert np.all(np.abs(same - value) <= 1e-10 * np.abs(value))
    assert np.all(np.abs(slope - quotient) <= 1e-3 * (np.abs(quotient) + np.abs(value)))

"""Bessel functions of large orders: those of complex numbers, where scaled forms leave the doubles, and 0F1."""

import numpy as np
import pytest
import scipy.special as sc

from hostwrap.special.bessel import complex_argument, hankel, scaled
from hostwrap.special.hypergeometric.hyp0f1 import hyp0f1_n

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


def far_points(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Next to the axes, where there are values."""
    generator = np.random.default_rng(seed)
    v = 10.0 ** generator.uniform(3.5, 4.3, count)
    z = v * 10.0 ** generator.uniform(0.2, 0.7, count) + 1j * generator.uniform(-50, 50, count)
    return v * generator.choice([-1, 1, 1], count), z * 1j ** generator.integers(-1, 3, count)


@pytest.mark.parametrize("name", ORDERS)
@pytest.mark.rotating
def test_derivatives_in_the_order_are_those_of_scipys_value(name):
    f, order = getattr(sc, name), ORDERS[name]
    v, z = (np.concatenate(pair) for pair in zip(points(300, seed=1), far_points(60, seed=1), strict=True))
    with np.errstate(all="ignore"):
        value, step = f(v, z), STEP * np.abs(v)
        quotient = (f(v + step, z) - f(v - step, z)) / ((v + step) - (v - step))
    known = np.isfinite(value) & (np.abs(value) > 1e-280) & (np.abs(value) < 1e300)
    assert known.sum() > 220
    v, z, value, quotient = (x[known] for x in (v, z, value, quotient))
    same, slope = (np.asarray(order(v, z, n=n)) for n in (0, 1))
    assert np.all(np.abs(same - value) <= 1e-10 * np.abs(value))
    assert np.all(np.abs(slope - quotient) <= 1e-3 * (np.abs(quotient) + np.abs(value)))


SCALED = {"hankel1e": (hankel.hankel1e_n, -1j), "hankel2e": (hankel.hankel2e_n, 1j), "kve": (scaled.kve_n, 1)}


@pytest.mark.parametrize("name", SCALED)
def test_derivatives_of_scaled_functions_solve_bessels_equation(name):
    """Of y = e^(c z) F_v(z), where the terms are smaller than y: y'' - 2 c y' + (y' - c y) / z = (v / z)^2 y."""
    generator = np.random.default_rng(2)
    f, c = SCALED[name]
    size = 10.0 ** generator.uniform(4, 9, 60)
    v = np.sqrt(size * 10.0 ** generator.uniform(0.3, 4, 60))
    z = size * np.exp(1j * generator.uniform(-np.pi, np.pi, 60))
    with np.errstate(all="ignore"):
        d = {(n, m): f(v, z, dv=n, dz=m) for n in range(2) for m in range(3)}
    of = lambda n: d[n, 2] - 2 * c * d[n, 1] + (d[n, 1] - c * d[n, 0]) / z - (v / z) ** 2 * d[n, 0]
    for rest, term in ((of(0), d[0, 0]), (of(1) - 2 * v / z**2 * d[0, 0], d[1, 0])):
        size = np.abs((v / z) ** 2 * term)
        known = (size > 1e-280) & (size < 1e280)
        assert known.sum() > 30 and np.all(np.abs(rest)[known] <= 1e-9 * size[known])


@pytest.mark.parametrize("v", [-301.3, -5489.14, -18228.39, -1e7 - 0.25])
@pytest.mark.parametrize("z", [1e-190, 2.7e-3, -2.0, 1e-150 - 1e-153j, 0.5 + 1j])
def test_a_series_of_small_terms_need_not_reach_the_zeros_of_its_factors(v, z):
    """0F1(; v; z) is the sum of z^k / (k! (v)_k)."""
    slopes = [np.asarray(hyp0f1_n(np.array([v]), np.array([z]), nv=n, nz=1 - n))[0] for n in (0, 1)]
    term, rate, along_z, along_v = 1.0, 0.0, 0.0, 0.0
    for k in range(30):
        term, rate = term / (v + k), rate - 1 / (v + k)
        along_z, term = along_z + term, term * z / (k + 1)
        along_v += term * rate
    np.testing.assert_allclose(slopes, [along_z, along_v], rtol=1e-13, atol=0)

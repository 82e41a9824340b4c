"""Functions of SciPy that have a derivative in traced code, in recorded code."""

import numpy as np
import pytest
import scipy.special as sc
import scipy.stats as st

from hostwrap._tracing.tape import recordable, run, second
from tests.tracing.test_recorded_scipy import check_slopes

X = np.array([0.3, 1.2, 2.0, 0.7])

USES = {
    "lambertw": lambda x: sc.lambertw(x).real + abs(sc.lambertw(x - 1, k=[0, 0, -1, 1])),
    "lambertw, complex": lambda x: sc.lambertw(x + 1j * x[::-1]).imag,
    "zeta": lambda x: sc.zeta(x + 1.5, x) + sc.zeta(x + 2) + sc.polygamma([1, 2, 0, 3], x),
    "spherical": lambda x: sc.spherical_jn(2, x) * sc.spherical_yn(1, x, derivative=True) + sc.spherical_kn(0, x),
    "ellip_harm": lambda x: sc.ellip_harm(5 + x, 8 + x, 2, 1, x),
    "sph_harm_y": lambda x: sc.sph_harm_y(3, [2, -1, 0, 1], x, x[::-1] ** 2).real + abs(sc.sph_harm_y(2, 1, x, 0.3)),
    "sph_harm_y, diff_n": lambda x: sum(sc.sph_harm_y(2, 1, x, 2 * x, diff_n=1)[1].imag.T),
    "logsumexp": lambda x: sc.logsumexp(x, b=[1, -2, 0.5, -1], return_sign=True)[0] * x,
    "logsumexp, keepdims": lambda x: sc.logsumexp(x, axis=0, b=-x, return_sign=True, keepdims=True)[0],
    "logsumexp, complex": lambda x: np.stack(sc.logsumexp(x + 1j * x**2, return_sign=True)).imag,
    "boxcox_llf": lambda x: st.boxcox_llf(x[0], x),
    "differential_entropy": lambda x: st.differential_entropy(np.concatenate([x, 2.3 * x**2, x**3])),
}  # fmt: skip


@pytest.mark.parametrize("use", USES)
def test_uses(use):
    np.testing.assert_allclose(run(USES[use], [X], [True]).value[0], USES[use](X), rtol=1e-11, atol=1e-13)
    check_slopes(USES[use], X)


@pytest.mark.parametrize("use", ["lambertw", "sph_harm_y", "zeta"])
def test_twice(use):
    along, c, h = np.cos(np.arange(4.0)), [np.ones(4)], 1e-4
    gradient = lambda x: run(USES[use], [x], [True]).vjp(c)[0]
    _, (product,) = second(recordable(USES[use]), [X], [True], [along], c)
    between = (gradient(X + h * along) - gradient(X - h * along)) / (2 * h)
    np.testing.assert_allclose(product, between, rtol=1e-5, atol=1e-7)

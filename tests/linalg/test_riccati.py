"""Riccati's equations with e and s, and with `balanced=False`."""

import jax
import numpy as np
import pytest
import scipy.linalg

import hostwrap as hw
from hostwrap import linalg
from hostwrap.testing import check

random = np.random.default_rng(0)


def equation(complex_numbers):
    """a, b, q, r, e, s, of which q, r and s are the parts of one Hermitian matrix."""
    numbers = lambda *shape: (
        random.normal(size=shape) + 1j * random.normal(size=shape)
        if complex_numbers
        else random.normal(size=shape)
    )
    whole = numbers(5, 5)
    whole = whole @ whole.conj().T + np.eye(5)
    e = np.eye(3) + 0.1 * numbers(3, 3)
    return 0.4 * numbers(3, 3), numbers(3, 2), whole[:3, :3], whole[3:, 3:], e, 0.3 * whole[:3, 3:]


REAL, COMPLEX = equation(False), equation(True)
NAMES = ["solve_continuous_are", "solve_discrete_are"]


@pytest.mark.rotating
@pytest.mark.parametrize("kind", ["real", "complex"])
@pytest.mark.parametrize("name", NAMES)
def test_derivatives_of_both_modes(name, kind):
    def of_hermitian(a, b, q, r, e, s):
        return getattr(linalg, name)(a, b, (q + q.conj().T) / 2, (r + r.conj().T) / 2, e, s, balanced=False)

    check(of_hermitian, *(REAL if kind == "real" else COMPLEX), order=1)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("given", [{}, {"s": REAL[5]}, {"e": REAL[4], "balanced": False}])
def test_values_are_scipys(name, given):
    ours, theirs = (getattr(module, name)(*REAL[:4], **given) for module in (linalg, scipy.linalg))
    np.testing.assert_allclose(ours, theirs, rtol=1e-10)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_not_given_does_not_widen_the_result(name):
    single = [x.astype(np.float32) for x in REAL]
    for given in ({}, {"e": single[4]}, {"s": single[5]}):
        assert getattr(linalg, name)(*single[:4], **given).dtype == np.float32


@pytest.mark.parametrize("name", NAMES)
def test_in_code_without_a_rule(name):
    a, b, q, r, e, s = REAL
    theirs = hw.wrap(
        lambda e: getattr(scipy.linalg, name)(a, b, q, r, e, s, balanced=False), signature="(n,n)->(n,n)"
    )
    ours = lambda e: getattr(linalg, name)(a, b, q, r, e, s, balanced=False)
    np.testing.assert_allclose(jax.jacfwd(theirs)(e), jax.jacfwd(ours)(e), rtol=1e-9)

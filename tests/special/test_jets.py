"""Jets of hypergeometric kernels: the flat ones, of a total degree, against those with an axis for each parameter."""

import math

import numpy as np
import pytest

from hostwrap.special.hypergeometric import hyp2f1 as gauss
from hostwrap.special.hypergeometric._checks import agreeing
from hostwrap.special.hypergeometric._forms import constant, grown, parameters
from hostwrap.special.hypergeometric._orders import Total, indices, places

RANDOM = np.random.default_rng(0)
POINTS = 5
DEGREES = pytest.mark.parametrize("degree", [1, 2, 3])


def forms():
    a, b, c = parameters(*RANDOM.uniform(1, 2, (3, POINTS)))
    return [a + 1, b - a + 3, (a + b - c + 1) * RANDOM.uniform(1, 2, POINTS)]


def pairs(flat, full, degree):
    """Each coefficient in both kinds of jets."""
    return [(flat[place], full[index]) for index, place in places(3, flat.shape[:-1]).items()]


@DEGREES
def test_a_flat_jet_has_the_coefficients_of_a_full_one(degree):
    """Products, quotients and powers of forms, each of which moves every coefficient."""
    jets = [constant(np.ones(POINTS), orders) for orders in (Total(3, degree), (degree,) * 3)]
    for form in forms():
        jets = [grown(0.3, form, form.over(form.times(form.times(jet))), (degree,) * 3) for jet in jets]
    for flat, full in pairs(*jets, degree):
        np.testing.assert_allclose(flat, full, rtol=1e-12)
    assert len(jets[0]) == math.comb(3 + degree, degree)


@DEGREES
def test_a_quotient_undoes_a_product(degree):
    jet = RANDOM.uniform(1, 2, (math.comb(3 + degree, degree), POINTS))
    for form in forms():
        np.testing.assert_allclose(form.over(form.times(jet)), jet, rtol=1e-11)


def test_lost_digits_of_one_derivative_do_not_hide_behind_another():
    """The measure of a coefficient is itself and the higher ones, never another of the same degree."""
    first = np.array([[1.0], [1e-6], [1.0], [1e6]])  # F and its derivatives in a, b, c
    second = first + np.array([[1e-6], [1e-14], [0.0], [0.0]])
    assert np.isnan(agreeing(first, second, 3)).tolist() == [[False], [True], [False], [False]]
    exact = np.array([[1e-9], [0.0], [0.0], [0.0]])
    assert not np.isnan(agreeing(first, first + exact, 3)).any()


def hard_points(count):
    """Of every regime: polynomials and z = 1, series, steps, steps that are made twice."""
    k, (a, b, c, z) = (
        np.arange(count),
        RANDOM.uniform([[-6], [-6], [-9], [-5]], [[12], [12], [12], [1]], (4, count)),
    )
    return np.where(k % 5, a, -2.0), b, c, np.where(k % 7, z, 1.0)


@pytest.mark.parametrize("degree, kernel", [(1, gauss.hyp2f1_1), (2, gauss.hyp2f1_2)])
@pytest.mark.parametrize("nz", [0, 1])
@pytest.mark.rotating
def test_all_derivatives_together_are_those_one_by_one(degree, kernel, nz):
    args = hard_points(300)
    for (na, nb, nc), together in zip(indices(3, degree), kernel(*args, nz=nz), strict=True):
        alone = gauss.hyp2f1_n(*args, na=na, nb=nb, nc=nc, nz=nz)
        np.testing.assert_allclose(together, alone, rtol=1e-9)  # an error by a factor would be seen


def test_a_point_does_not_depend_on_its_company():
    args = hard_points(300)
    together = np.array(gauss.hyp2f1_1(*args))
    alone = np.array([gauss.hyp2f1_1(*(x[k] for x in args)) for k in range(20)]).T
    np.testing.assert_allclose(alone, together[:, :20], rtol=1e-10)

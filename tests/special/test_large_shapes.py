"""Gamma distributions of large shapes: in the lower tail SciPy's numbers have lost digits, and derivatives have not."""

import jax
import numpy as np
import pytest
import scipy.special as sc

from hostwrap import special
from hostwrap.special.gamma_incomplete import inverse

# a, y, and the derivatives of gammainccinv in a, in a twice, in y and in y twice, by differences of Arb's root
LARGE = [
    (282377685.31630164, 0.9999999999996254),
    (5e6, 1 - 2.0**-30),
]
SLOPES = [
    (0.9997866548316222, 3.7776562668958806e-13, -6139554607022557.0, -1.608820863772598e28),
    (0.998656267910198, 1.343731654529437e-10, -388587893975.4582, -4.0651658620698984e20),
]


@pytest.mark.parametrize("point, want", list(zip(LARGE, SLOPES, strict=True)))
def test_derivatives_are_those_of_the_true_root(point, want):
    found = []
    for i in (0, 1):
        first = jax.grad(special.gammainccinv, i)
        found += [first(*point), jax.grad(first, i)(*point)]
    np.testing.assert_allclose(found, want, rtol=1e-12)


@pytest.mark.parametrize("i, j", [(1, 0), (0, 1), (2, 0), (1, 1), (0, 2), (3, 0), (0, 3)])
def test_the_expansion_goes_on_where_the_root_is_good(monkeypatch, i, j):
    """In the upper tail and in the middle SciPy's root has its digits, and derivatives at it are the same."""
    a = np.repeat([1.01 * inverse.NORMAL, 1e7, 1e9], 4)
    q = np.tile([0.9, 0.4, 1e-4, 1e-40], 3)
    found = inverse.gamma_quantile_ij(a, q, i=i, j=j, upper=True)
    monkeypatch.setattr(inverse, "NORMAL", np.inf)
    np.testing.assert_allclose(found, inverse.gamma_quantile_ij(a, q, i=i, j=j, upper=True), rtol=2e-10)


# a, p, x, and the derivatives of gdtrib in a, p, x, in p twice and in x twice, by differences of Arb's root
ROOTS = [
    (1.0, 1e-6, 1e8),
    (2.0, 2.0**-40, 5e6),
    (0.5, 1e-30, 2e6),
]
FIRST = [
    (100023767.12162529, -2021202888.0732572, 1.0002376712162528),
    (5005571.696668673, -484320609754452.6, 2.0022286786674695),
    (2011464.0458031597, -8.69106560691794e31, 0.5028660114507899),
]
SECOND = [
    (1941603939409196.2, -1.1883560893797885e-12),
    (5.223930486618993e26, -2.228678986775316e-10),
    (8.626639703175253e61, -7.165054940008475e-10),
]


@pytest.mark.parametrize("point, first, second", list(zip(ROOTS, FIRST, SECOND, strict=True)))
def test_derivatives_of_gdtrib_are_those_of_the_true_root(point, first, second):
    np.testing.assert_allclose(jax.grad(special.gdtrib, (0, 1, 2))(*point), first, rtol=1e-11)
    found = [jax.grad(jax.grad(special.gdtrib, i), i)(*point) for i in (1, 2)]
    np.testing.assert_allclose(found, second, rtol=1e-12)


# p, x, and the derivatives of gdtrib in x twice, in a and x, and in p and x, for a = 1, by differences of Arb's root
TWICE = [
    ((1e-30, 1e10), (-2.8660061737040803e-15, 1.0000286600617159, -4.3290138940530226e23)),
    ((2.0**-20, 1e14), (-1.1907502585669658e-21, 1.0000001190750258, -0.01057550424868889)),
    ((1 - 2.0**-20, 1e14), (1.1907502585669658e-21, 0.9999998809249742, -0.01057550424868889)),
]


@pytest.mark.parametrize("point, want", TWICE)
def test_second_derivatives_of_shapes_keep_their_digits(point, want):
    """Twice in x two derivatives of the implicit function cancel, to sqrt(x) / x; the expansion has no such terms."""
    p, x = point
    twice, mixed, with_p = want
    hessian = jax.hessian(special.gdtrib, (0, 1, 2))(1.0, p, x)
    np.testing.assert_allclose(hessian[2][2], twice, rtol=1e-14)
    np.testing.assert_allclose(hessian[0][2], mixed, rtol=1e-14)
    np.testing.assert_allclose(hessian[1][2], with_p, rtol=1e-13)
    of_chi2 = jax.hessian(special.chdtriv, (0, 1))(p, 2 * x)
    np.testing.assert_allclose(of_chi2[1][1], twice / 2, rtol=1e-14)
    np.testing.assert_allclose(of_chi2[0][1], with_p, rtol=1e-13)
    if 1 - (1 - p) == p:
        of_poisson = jax.hessian(special.pdtrik, (0, 1))(1 - p, x)
        np.testing.assert_allclose(of_poisson[1][1], twice, rtol=1e-14)
        np.testing.assert_allclose(of_poisson[0][1], -with_p, rtol=1e-13)


def test_the_expansions_of_quantile_and_shape_undo_each_other():
    """Each to its last term, so that the shorter one is off by the seventh."""
    x, z = np.meshgrid([inverse.NORMAL, 1e7, 1e9], [-7.0, -3.0, 0.0, 2.0, 7.0])
    a = inverse._nearly_normal(inverse.SHAPE, x, z, 0, 0)
    np.testing.assert_allclose(inverse._nearly_normal(inverse.QUANTILE, a, z, 0, 0), x, rtol=1e-14)


@pytest.mark.parametrize("upper, root", [(False, sc.gdtrib), (True, lambda _, q, x: sc.pdtrik(q, x) + 1)])
def test_the_expansion_is_scipys_root_where_that_is_good(upper, root):
    """In the far tail and in the upper one, where all terms of the expansion count, and in the middle."""
    x, p = np.meshgrid([inverse.NORMAL, 4.1e5], [1e-250, 1e-100, 1e-30, 0.4, 1 - 1e-9])
    found = x + inverse.large_excess_ij(p, x, i=0, j=0, upper=upper)
    np.testing.assert_allclose(found, root(1.0, p, x), rtol=4e-15)


def test_second_derivatives_of_the_largest_shapes_are_in_their_scale():
    """x^2 times a derivative of the shape that underflows: -z / 4 x^(1/2) of the expansion, to all digits."""
    a, p, x = 2.0, 0.1, 1e250
    want = sc.ndtri(p) / 4 * np.sqrt(a * x)
    hessian = jax.hessian(special.gdtrib, (0, 1, 2))(a, p, x)
    np.testing.assert_allclose(hessian[0][0] * a * a, want, rtol=1e-14)


@pytest.mark.parametrize("name", ["gdtrib", "chdtriv", "pdtrik"])
@pytest.mark.parametrize("p", [2.0**-20, 0.4, 1 - 2.0**-20])
def test_derivatives_of_shapes_go_on_where_the_expansion_begins(name, p):
    """To second order, from both sides of one point."""
    factor = 2.0 if name == "chdtriv" else 1.0
    function = getattr(special, name)
    of_p_and_x = (lambda p, x: function(1.0, p, x)) if name == "gdtrib" else function
    x = factor * inverse.NORMAL
    by_expansion = jax.hessian(of_p_and_x, (0, 1))(p, x)
    before = jax.hessian(of_p_and_x, (0, 1))(p, x * (1 - 1e-15))
    np.testing.assert_allclose(by_expansion, before, rtol=1e-8)  # SciPy's roots lose digits there


# a, x below the mean, and the derivatives of P(a, x) in a and in x, by differences in Arb
LOWER = [(1e6, 995000.0), (1e7, 9981026.0), (1e8, 99940000.0)]
SLOPES_OF_P = [
    (-1.42939858778212e-09, 1.43298680230522e-09),
    (-1.8786404741642693e-12, 1.8804255319224134e-12),
    (-6.034084460355035e-13, 6.035895581235019e-13),
]
OF_A_AND_X = [  # name, its arguments from a and x, and the signs and factors of its derivatives
    ("gammainc", lambda a, x: (a, x), (1, 1)),
    ("gammaincc", lambda a, x: (a, x), (-1, -1)),
    ("gdtr", lambda a, x: (1.0, a, x), (None, 1, 1)),
    ("gdtrc", lambda a, x: (1.0, a, x), (None, -1, -1)),
    ("chdtr", lambda a, x: (2 * a, 2 * x), (0.5, 0.5)),
    ("chdtrc", lambda a, x: (2 * a, 2 * x), (-0.5, -0.5)),
    ("pdtr", lambda a, x: (a - 1, x), (None, -1)),
    ("pdtrc", lambda a, x: (a - 1, x), (None, 1)),
]


@pytest.mark.parametrize("name, arguments, factors", OF_A_AND_X, ids=[row[0] for row in OF_A_AND_X])
def test_derivatives_of_distributions_are_those_of_the_true_function(name, arguments, factors):
    """The numbers themselves are SciPy's, 37 % off at a = 1e8."""
    for (a, x), slopes in zip(LOWER, SLOPES_OF_P, strict=True):
        point = arguments(a, x)
        for i, factor in enumerate(factors):
            if factor is not None:
                want = factor * slopes[i - len(factors)]
                np.testing.assert_allclose(jax.grad(getattr(special, name), i)(*point), want, rtol=1e-13)

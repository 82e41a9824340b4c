"""Third and higher derivatives: power series that know what they have lost, inverse functions."""

import functools
import itertools
import math

import jax
import mpmath
import numpy as np
import pytest
from jax.experimental.jet import jet

import hostwrap.special as sc
from hostwrap.special._numerics.series import ROUNDINGS, Series, inverse_derivative, pair, product
from hostwrap.special.error import faddeeva
from tests._kit import days
from tests._kit.days import by_turns
from tests.reference import sweep

ONE = np.ones(1)


def nth(f, i, n):
    first = lambda *args: jax.tree.leaves(f(*args))[0]
    return functools.reduce(lambda g, _: jax.grad(g, i), range(n), first)


# ---- series


def test_the_inverse_of_a_series_is_its_implicit_function():
    """(1 + s) sin w + s = rho: w = arcsin((rho - s) / (1 + s))."""
    sine = Series({(0, k): pair((-1.0) ** (k // 2) / math.factorial(k) * ONE) for k in (1, 3, 5)}, 5)
    grown = sine * Series({(0, 0): pair(ONE), (1, 0): pair(ONE)}, 5) + Series({(1, 0): pair(ONE)}, 5)
    solved = grown.solved()
    for index in [(1, 0), (0, 1), (2, 1), (1, 2), (0, 3), (4, 0), (2, 3), (5, 0)]:
        want = mpmath.diff(lambda s, rho: mpmath.asin((rho - s) / (1 + s)), (0, 0), index)
        assert float(solved.derivative(index, (0.0, 0.0))[0]) == pytest.approx(float(want), rel=1e-13)


def test_a_product_has_all_products_of_two_terms_in_their_order():
    random = np.random.default_rng(0)
    exponents = [k for k in itertools.product(range(5), repeat=3) if sum(k) < 5]
    a, b = (Series({k: pair(random.normal(size=3)) for k in exponents[i::2]}, 4) for i in (0, 1))
    want = {}
    for (k, c), (m, d) in itertools.product(a.terms.items(), b.terms.items()):
        if sum(k) + sum(m) <= 4:
            at = tuple(np.add(k, m).tolist())
            want[at] = want[at] + c * d if at in want else c * d
    found = (a * b).terms
    assert found.keys() == want.keys() and all(np.array_equal(found[k], want[k]) for k in want)


def test_exponential_quotient_and_derivative_of_series():
    x = Series({(k,): pair(0.3**k * ONE) for k in range(1, 6)}, 5)
    quotient = x.exponential() * x.exponential().inverse()
    assert all(abs(c[0, 0] - (k == (0,))) < 1e-15 for k, c in quotient.terms.items())
    assert x.derived(0).integrated(0).terms[3,][0, 0] == pytest.approx(0.3**3)


def test_what_has_lost_its_digits_is_nan():
    """A difference of two coefficients that agree in 12 digits, and one of which the arguments lose as many."""
    small = Series({(1,): pair(ONE), (2,): pair(1e-12 * ONE)}, 2)
    lost = small + Series({(1,): pair((-1.0 + 1e-12) * ONE)}, 2)
    assert np.isnan(lost.derivative((1,), (0.0,))[0])
    assert np.isfinite(small.derivative((1,), (0.0,))[0])
    steep = lost + Series({(2,): pair(ONE)}, 2)
    assert np.isfinite(steep.derivative((1,), (1.0,))[0])


def test_a_size_bounds_the_error_of_a_product():
    """Coefficients that are off by as much as their sizes allow; some of them have no digit."""
    random = np.random.default_rng(0)
    exact, off = random.normal(size=(2, 2, 1000))
    size = np.abs(exact) * 10 ** random.uniform(0, 17, (2, 1000))
    near = exact + np.sign(off) * 2.0**-53 * size
    size += np.abs(near)
    found = product(*(np.stack([v, s]) for v, s in zip(near, size, strict=True)))
    assert np.all(np.abs(found[0] - exact[0] * exact[1]) <= ROUNDINGS * found[1])


def test_a_sure_factor_does_not_multiply_a_size_by_its_own():
    """1e6 units of one factor are 1e6 of the product, and of one with as many again 2e6."""
    sure, lost = pair(2.0 * ONE), pair(3.0 * ONE, 3e6 * ONE)
    assert product(sure, lost)[1] == pytest.approx(6e6)
    assert product(lost, lost)[1] == pytest.approx(18e6, rel=1e-5)


def test_the_inverse_of_one_function():
    slopes = [np.exp(2 * ONE)] * 5  # of exp at 2, where the logarithm is 2
    assert inverse_derivative(slopes, 1.0)[0] == pytest.approx(-6 * math.exp(-8), rel=1e-13)


# ---- functions

HARD = [
    ("betaincinv", 0, (1e-3, 2.0, 0.9), 3),
    ("betaincinv", 1, (0.5, 0.5, 1e-3), 4),
    ("betaincinv", 2, (150.0, 90.0, 0.02), 4),
    ("betainccinv", 0, (30.0, 2.0, 0.4), 3),
    ("betainc", 0, (0.02, 3.0, 0.1), 4),
    ("betainc", 1, (300.0, 200.0, 0.55), 3),
    ("btdtria", 2, (0.4, 3.0, 0.6), 3),
    ("bdtrik", 2, (0.4, 30.0, 0.3), 3),
    ("nbdtrin", 0, (7.0, 0.3, 0.2), 3),
    ("fdtr", 0, (3.0, 40.0, 1.5), 4),
    ("fdtr", 2, (0.5, 4.0, 0.3), 4),
    ("fdtri", 1, (7.0, 3.0, 0.9), 4),
    ("fdtridfd", 2, (5.0, 0.6, 1.2), 3),
    ("stdtr", 0, (3.3, -2.0), 4),
    ("stdtr", 1, (50.0, 1.2), 4),
    ("stdtrit", 0, (3.3, 0.9), 3),
    ("stdtridf", 1, (0.05, -3.0), 3),
    ("gammaincinv", 0, (400.0, 0.3), 4),
    ("gammaincinv", 0, (0.2, 0.9), 3),
    ("gammainccinv", 1, (2.5, 1e-6), 4),
    ("gdtrib", 2, (1.5, 0.3, 4.0), 3),
    ("chdtriv", 1, (0.3, 12.0), 3),
    ("pdtrik", 1, (0.3, 20.0), 3),
    ("kolmogi", 0, (0.3,), 4),
    ("smirnovi", 1, (20, 0.3), 4),
    ("ellip_harm", 1, (2.0, 2.001, 6, 5, 1.3, 1, 1), 4),
    ("ellip_harm", 4, (2.0, 5.0, 7, 9, 0.3, 1, 1), 3),
    ("ellip_normal", 0, (2.0, 5.0, 3, 4), 3),
    ("ellip_normal", 1, (1.0, 3.0, 4, 9), 4),
    ("ellipj", 1, (2.0, 0.3), 4),
    ("ellipj", 1, (0.3, 0.8), 3),
    ("ellipj", 1, (-7.0, 1 - 1e-6), 4),
    ("tklmbda", 0, (-1.3, -0.7), 4),
    ("tklmbda", 1, (2.0, -0.2), 3),
    ("tklmbda", 1, (-0.19, 4.7), 4),
    ("log_iv", 0, (3.5, 2.0), 4),
    ("log_ive", 1, (0.2, 30.0), 4),
    ("log_kv", 0, (2e3, 1.6e3), 3),
    ("log_kve", 1, (5.0, 1e-3), 4),
]


@pytest.mark.parametrize("case", by_turns(*HARD), ids=lambda case: f"{case[0]}-{case[1]}-{case[3]}")
def test_beside_mpmath(case):
    name, i, args, n = case
    function = getattr(sc, name)
    with mpmath.workdps(50):
        exact = [mpmath.mpf(a) if isinstance(a, float) else a for a in args]
        of = lambda t: function.ref(mpmath.mp, *exact[:i], t, *exact[i + 1 :])
        along = (lambda t: of(t)[0]) if function.outs else of
        want = mpmath.diff(along, exact[i], n)
    assert float(nth(function, i, n)(*args)) == pytest.approx(float(want), rel=2e-11)


def test_where_digits_are_lost_there_is_nan_and_no_number():
    """With so many degrees of freedom all of the third derivative cancels."""
    far = float(nth(sc.stdtr, 0, 3)(1e9, 1.0))
    with mpmath.workdps(80):
        want = float(mpmath.diff(lambda v: sc.stdtr.ref(mpmath.mp, v, mpmath.mpf(1)), mpmath.mpf(1e9), 3))
    assert np.isnan(far) or far == pytest.approx(want, rel=1e-7)


TINY = [  # I is nearly b / (a + b), and the root nearly in proportion with the other parameter
    ("btdtria", 1, (0.33, 2.2e-14, 3.1e-10), 2),
    ("btdtria", 1, (0.41, 3.1e-9, 5e-3), 3),
    ("btdtrib", 0, (5e-8, 0.67, 0.17), 3),
    ("btdtrib", 0, (1e-3, 0.5, 0.3), 3),
    ("fdtridfd", 0, (4e-10, 0.29, 16.0), 2),
    ("fdtridfd", 0, (7e-6, 0.33, 0.01), 3),
    ("fdtridfd", 0, (0.01, 0.4, 2.0), 3),
]


@pytest.mark.parametrize("name, i, point, order", TINY)
def test_tiny_parameters_have_the_right_derivative_or_none(name, i, point, order):
    """SciPy's root at neighbours is no help: its terms cancel as well."""
    oracle = pytest.importorskip("tests.reference.arb.oracle", reason="Arb has no wheel here")
    function = getattr(sc, name)
    want = float(oracle.taylor(function, point, i, order)[order].real)
    found = float(nth(function, i, order)(*point))
    assert np.isnan(found) or found == pytest.approx(want, rel=1e-8)
    assert np.isfinite(found) or point[i] < 1e-4


DRAWN = [("betaincinv", 0), ("betaincinv", 1), ("gammaincinv", 0), ("gammainccinv", 0), ("btdtria", 1)]


@pytest.mark.parametrize("name, i", DRAWN)
@pytest.mark.rotating(turn=days.LONG_TURN)
def test_what_the_guard_lets_pass_has_its_digits(name, i):
    """Third and fourth derivatives anywhere, where Arb proves them: right, beside their condition, or NaN."""
    oracle = pytest.importorskip("tests.reference.arb.oracle", reason="Arb has no wheel here")
    function = getattr(sc, name)
    rows = sweep.draws(function, 10, np.random.default_rng(days.today().toordinal()), (12.0, 6.0, 3.0, 1.0))
    along = lambda *args: jet(
        lambda t: function(*args[:i], t, *args[i + 1 :]),
        (args[i],),
        ([np.ones(()), *[np.zeros(())] * 3],),
    )[1]
    found = np.array(jax.jit(jax.vmap(along))(*rows.T))
    for row, terms in zip(rows, found.T, strict=True):
        exact = oracle.taylor(function, row.tolist(), i, 5)
        for n in (3, 4):
            if exact[n] is not None and exact[n + 1] is not None and terms[n - 1] == terms[n - 1]:
                want, after = (float(e.real) for e in exact[n : n + 2])
                allowed = 1e-8 * abs(want) + 1e3 * 2.0**-52 * abs(row[i] * after)
                assert abs(terms[n - 1] - want) <= allowed, (row, n)


# ---- orders six and more, in which terms cancelled


@pytest.mark.parametrize(
    "name, point, i, order, want",  # of Arb and mpmath
    [
        (
            "voigt_profile",
            (5.199999999999999, 1.1758477777690437, 0.5015925792246407),
            1,
            6,
            -4.716225018462666,
        ),
        ("eval_genlaguerre", (2.1, -0.1369999999999999, -11.6), 1, 6, -5.5438458405925916e-05),
        ("pseudo_huber", (4.415365663975411e-05, 214.54), 0, 6, 3.060101617202683e-14),
        ("log_wright_bessel", (5.28, 11.478012784868728, 88.0), 1, 6, -0.0001458864692427903),
    ],
)
def test_high_orders(name, point, i, order, want):
    along = lambda t: getattr(sc, name)(*point[:i], t, *point[i + 1 :])
    terms = [np.ones(()), *[np.zeros(())] * (order - 1)]
    found = jet(along, (point[i],), (terms,))[1][-1]
    assert float(found) == pytest.approx(want, rel=1e-11)


@pytest.mark.parametrize("n", [5, 8, 12, 20])
def test_derivatives_of_w_beside_and_on_the_real_axis(n):
    """The part that is small next to the axis has its digits too."""
    x, y = (g.ravel() for g in np.meshgrid([0.0, 0.7, 3.1, 5.2, 7.7, 8.6], [0.0, 1e-9, 0.01, 0.5, 2.1]))
    for z, got in zip(x + 1j * y, faddeeva.wofz_n(x + 1j * y, dz=n), strict=True):
        want = _w_n(z, n)
        assert got == pytest.approx(want, rel=1e-11)
        if 0 < z.imag < 0.1 and abs(want.real) > 1e-12 * abs(want):
            assert got.real == pytest.approx(want.real, rel=1e-8)


def _w_n(z, n):
    """DLMF 7.10.3."""
    with mpmath.workdps(120):
        z = mpmath.mpc(z)
        before = mpmath.exp(-z * z) * mpmath.erfc(-1j * z)
        now = -2 * z * before + 2j / mpmath.sqrt(mpmath.pi)
        for k in range(1, n):
            before, now = now, -2 * (z * now + k * before)
        return complex(now)

"""What kernels share, or do in two ways, against mpmath and against each other."""

import jax
import mpmath
import numpy as np
import pytest
import scipy.special

import hostwrap.special
from hostwrap.special._numerics import tridiagonal
from hostwrap.special._numerics.quadrature import gauss_legendre
from hostwrap.special._numerics.until import repeated, until
from hostwrap.special.beta_incomplete import roots
from hostwrap.special.elliptic import slopes
from hostwrap.special.hypergeometric import _march
from hostwrap.special.hypergeometric._equations import Kummer
from hostwrap.special.hypergeometric._forms import parameters
from hostwrap.special.hypergeometric._series import asymptotic, may_converge
from hostwrap.special.orthogonal._binomial import scaled_rising
from hostwrap.special.wright import wright


@pytest.mark.parametrize("count", [1, 2, 5, 16, 64, 128])
def test_gauss_legendre_has_all_digits_also_next_to_the_ends(count):
    nodes, weights = gauss_legendre(count)
    assert nodes.shape == weights.shape == (count,)
    with mpmath.workdps(30):
        for s, w in list(zip(nodes, weights, strict=True))[:3]:
            x = 1 - 2 * mpmath.mpf(s)
            for _ in range(3):
                x = polished(count, x)
            slope = mpmath.diff(lambda t: mpmath.legendre(count, t), x)
            assert abs(s / ((1 - x) / 2) - 1) < 1e-15
            assert abs(w * (1 - x * x) * slope**2 - 1) < 1e-14
    assert abs(np.sum(weights) - 1) < 1e-15


def polished(count, x):
    return x - mpmath.legendre(count, x) / mpmath.diff(lambda t: mpmath.legendre(count, t), x)


def arguments(count, decades):
    random = np.random.default_rng(count)
    return 10 ** random.uniform(-decades, decades, (count, 300))


@pytest.mark.parametrize("decades", [0.01, 1, 6, 60])
@pytest.mark.parametrize("k, n", [(0, 0), (1, 0), (0, 1)])
def test_carlson_slopes_by_duplication_are_the_integrals(k, n, decades):
    x = arguments(4, decades)
    together = slopes.integral_slopes(*x, k=k, n=n)
    one_by_one = slopes._integrals(*x, k=k, n=n)
    np.testing.assert_allclose(together, one_by_one, rtol=2e-13, atol=0)


@pytest.mark.parametrize("decades", [0.01, 1, 6, 60])
def test_carlson_g_slopes_by_duplication_are_the_integrals(decades):
    x = arguments(3, decades)
    np.testing.assert_allclose(slopes.g_slopes(*x), slopes._g_integrals(*x), rtol=2e-13, atol=0)


def test_carlson_slopes_at_the_ends():
    """At 0 infinite in this argument alone; NaN outside of the domain; 0 at infinity."""
    x = np.array([0.0, 1.0, -1.0, np.nan, 1.0])
    y = np.array([1.0, 0.0, 2.0, 1.0, np.inf])
    z = np.array([2.0, 2.0, 3.0, 1.0, 3.0])
    by_x, by_y, by_z, _ = slopes.integral_slopes(x, y, z, 1.0, k=0, n=0)
    np.testing.assert_array_equal(np.isneginf(by_x), [True, False, False, False, False])
    np.testing.assert_array_equal(np.isneginf(by_y), [False, True, False, False, False])
    np.testing.assert_array_equal(np.isnan(by_z), [False, False, True, True, False])
    assert by_x[4] == by_y[4] == by_z[4] == 0 and np.all(by_z[:2] < 0)


@np.errstate(all="ignore")
@pytest.mark.parametrize("size", [0.0, 1e-200, 0.3, 40.0, -7.0])
def test_an_eigenvalue_is_that_of_its_number_wherever_the_search_starts(size):
    """And it is followed along t, past pivots that are 0 at t = 0."""
    index = np.arange(6.0)
    row = lambda r, rows: (r * r + 0 * rows, np.where(r == 0, 1.0, 0.0))
    coupling = lambda r, rows: np.where(r < 0, 0.0, 1.0 + 0 * rows)
    bounds = lambda t, index, rows: (-3 * np.abs(t), index * index + 3 * np.abs(t))
    last = lambda a, t, rows: np.floor(np.sqrt(np.maximum(a + 2 * np.abs(t) + 0.5, 0)))
    rows = 0 * index + 40

    def matrix(t):
        family = tridiagonal.Family(row, coupling, bounds, last)
        return tridiagonal.Matrix(family, [t + 0 * index, 1.0], rows, [rows])

    def dense(t):
        off = np.diag(np.full(39, t), 1)
        return np.linalg.eigh(np.diag(np.arange(40.0) ** 2 + t * (np.arange(40) == 0)) + off + off.T)

    values, vectors = dense(size)
    for start in (values[:6], values[2:8] + 0.1, 0 * index, 0 * index + 1e3, np.full(6, np.nan)):
        found = tridiagonal.eigenvalue(matrix(size), index, start)
        np.testing.assert_allclose(found, values[:6], rtol=1e-12, atol=1e-12)
    a, _ = tridiagonal.jets(matrix(size), found, 2)
    slope = vectors[0] ** 2 + 2 * np.sum(vectors[1:] * vectors[:-1], axis=0)  # of the matrix is B + E
    np.testing.assert_allclose(a[1], slope[:6], rtol=1e-11, atol=1e-12)
    next_to_it = [tridiagonal.jets(matrix(size + h), dense(size + h)[0][:6], 1)[0][1] for h in (-1e-5, 1e-5)]
    np.testing.assert_allclose(2 * a[2], (next_to_it[1] - next_to_it[0]) / 2e-5, rtol=1e-7, atol=1e-8)


def test_a_repetition_with_a_count_for_each_point_stops_each_after_its_own():
    counts = np.array([1, 4, 2])
    add = lambda turn, total, last: (total + 10.0**turn, turn)
    total, last = repeated(add, [np.zeros(3), np.zeros(3)], counts, most=4)
    assert total.tolist() == [1, 1111, 11] and last.tolist() == [0, 3, 1]


# ---- the coefficient of Jacobi functions, next to a pole of Gamma(c) and its like


@pytest.mark.parametrize("n", [0.33, 2.00001, 1.0, 1e-9, -0.91, -2.4, -2 - 4e-13, -1 + 3e-9])
@pytest.mark.parametrize("m", [0, 1, 4])
@pytest.mark.parametrize("offset", [7e-12, -2e-9])
def test_rising_factorials_next_to_poles_keep_the_digits_of_their_derivatives(n, m, offset):
    """(c)_n / n! for c = -m + offset; n next to an integer leaves the quotient of two tiny numbers."""
    c = offset - m
    lower, upper = parameters(np.array([n]), np.array([c]))
    jet, exponents = scaled_rising(lower, upper, upper - 1, (1, 1))
    with mpmath.workdps(80):
        for i, j in [(0, 0), (0, 1), (1, 0), (1, 1)]:
            true = mpmath.diff(rising, (n, c), (i, j), h=mpmath.mpf("1e-25"))
            assert abs(jet[i, j, 0] * 2.0 ** exponents[0] - true) <= 2e-12 * abs(true)


@pytest.mark.parametrize(
    "n, a",
    [(4e26, -0.9), (1.5e11, 2.5e-6), (9e9, -0.0032), (1.9e11, 10.0), (2e20, -1.3), (5e12, -20.7), (1e30, 7.5)]
    + [(a, n) for n, a in [(4e26, -0.9), (1.5e11, 2.5e-6), (2e20, -1.3)]]
    + [(-31.000007, 6.5e-11), (-2.0000003, -3e-9), (-1.00002, 4e-12)],
)  # fmt: skip
def test_binomials_keep_what_a_large_degree_or_an_integer_takes_of_the_other_number(n, a):
    """n + a has 16 digits, and a those that n + a has not."""
    lower, upper = parameters(np.array([n]), np.array([a]))
    jet, exponents = scaled_rising(lower, upper + 1, upper, (1, 1))
    with mpmath.workdps(120):
        psi = lambda x, order=0: mpmath.polygamma(order, x)
        total, by_n, by_a = (mpmath.mpf(n) + a + 1, mpmath.mpf(n) + 1, mpmath.mpf(a) + 1)
        in_n, in_a = (psi(total) - psi(x) for x in (by_n, by_a))
        slopes = {(0, 0): 1, (1, 0): in_n, (0, 1): in_a, (1, 1): in_n * in_a + psi(total, 1)}
        for index, slope in slopes.items():
            true = rising(n, by_a) * slope / mpmath.mpf(2) ** int(exponents[0])
            assert abs(jet[(*index, 0)] - true) <= 1e-9 * abs(true), index


def rising(n, c):
    n, c = mpmath.mpf(n), mpmath.mpf(c)
    return mpmath.gamma(n + c) * mpmath.rgamma(c) * mpmath.rgamma(n + 1)


def counting(monkeypatch, module):
    """The turns of each of the module's iterations, in a list that grows."""
    turns = []

    def counted(step, start, fixed, bound):
        turns.append(0)

        def one(turn, *args):
            turns[-1] = int(turn) + 1
            return step(turn, *args)

        return until(one, start, fixed, bound)

    monkeypatch.setattr(module, "until", counted)
    return turns


@pytest.mark.parametrize("error, turns", [(1e-12, 1), (1e-7, 2), (5e-4, 3)])
def test_a_root_is_improved_as_often_as_it_needs(monkeypatch, error, turns):
    at, scipys = (np.array([7.0]), np.array([0.3]), np.array([0.4])), roots.sc.bdtrin
    known = roots.binomial_n(*at)
    counted = counting(monkeypatch, roots)
    monkeypatch.setattr(roots.sc, "bdtrin", lambda *args: known * (1 + error))
    found = roots.binomial_n(*at)
    assert abs(found / known - 1) < 2e-15 and abs(found / scipys(*at) - 1) < 1e-9
    assert counted == [turns]


@pytest.mark.parametrize("a, b, x", [(3.8, 8.1, 4.1), (0.0, 2.0, 5.0), (1e-3, 1e3, 1e9), (50.0, 0.0, 1e200)])
def test_the_largest_term_is_found_in_few_turns(monkeypatch, a, b, x):
    """The k with log k + a log(a k + b) = log x."""
    counted = counting(monkeypatch, wright)
    (k,) = wright._peak(*(np.array([value]) for value in (a, b, np.log(x))))
    with mpmath.workdps(30):
        equation = lambda u: u + a * mpmath.log(a * mpmath.exp(u) + b) - mpmath.mpf(np.log(x))
        wanted = mpmath.exp(mpmath.findroot(equation, float(np.log(k))))
        assert abs(k / wanted - 1) < 1e-15 * (1 + abs(np.log(x)))
    assert counted[0] <= 12


def test_an_asymptotic_series_that_is_left_out_would_have_failed():
    random, count = np.random.default_rng(0), 20_000
    x, y = (random.choice([1, 1, 1, -1], count) * 10 ** random.uniform(-6, 2, count) for _ in range(2))
    z = random.choice([-1, 1], count) * 10 ** random.uniform(1.6, 4, count)
    left_out = ~may_converge(x, y, np.abs(z))
    _, good = asymptotic(parameters(x, y), z, (0, 0))
    assert left_out.sum() > 200 and not good[left_out].any()


@pytest.mark.filterwarnings("ignore:floating point number truncated to an integer:RuntimeWarning")
@pytest.mark.parametrize("n", [0.0, -1.0, 3.0, 2.0**31 - 1, 2.0**31, 1e300, np.inf, np.nan])
def test_smirnov_has_slopes_where_scipy_has_a_value(n):
    d = np.array([0.0, 1e-5, 0.3, 1.0, 1.1, -1e-9, np.nan])
    slope = jax.vmap(jax.grad(lambda d: hostwrap.special.smirnov(n, d)))(d)
    np.testing.assert_array_equal(np.isnan(slope), np.isnan(scipy.special.smirnov(n, d)))


def test_a_way_that_is_too_long_is_known_by_the_lengths_of_its_steps(monkeypatch):
    """Those of Kummer's equation for b = 1e5 are about 1e-5 long: all of them would take as long as a second."""
    turns, right = [], _march.taylor
    monkeypatch.setattr(_march, "taylor", lambda *args: turns.append(len(args[1])) or right(*args))
    a, b = parameters(np.array([0.5, 0.5]), np.array([1e5, 3.0]))
    start, goal = np.array([1.0, 1.0]), np.array([1.5, 30.0])
    w, slope = np.ones((1, 1, 2)), np.ones((1, 1, 2))
    ends, _, _ = _march.march(Kummer(a, b), start, goal, w, slope)
    assert len(turns) == _march.EARLY + 1
    assert np.isnan(ends[0, 0, 0]) and np.isfinite(ends[0, 0, 1])
    monkeypatch.setattr(_march, "EARLY", _march.STEPS)
    assert np.array_equal(_march.march(Kummer(a, b), start, goal, w, slope)[0], ends, equal_nan=True)
    assert len(turns) > _march.STEPS


@pytest.mark.parametrize("size", [1e100, 1e160, 1e250])
def test_slopes_of_gauss_functions_of_huge_parameters_are_in_range(size):
    """2F1(a, b; b; z) = (1 - z)^-a (DLMF 15.4.6): a times b leaves the doubles, and a b / b does not."""
    slope = jax.jit(jax.grad(hostwrap.special.hyp2f1, 3))(-0.0053, size, size, -130.0)
    np.testing.assert_allclose(slope, -0.0053 * 131.0 ** (0.0053 - 1), rtol=1e-12)

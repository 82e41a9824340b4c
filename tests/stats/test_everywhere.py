"""Every distribution, method and argument: SciPy's bits, and derivatives by mpmath and by differences."""

import contextlib
import pickle

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.stats

from hostwrap import stats
from hostwrap._errors import NoLoop
from hostwrap._host.origins import find
from hostwrap._native import library
from hostwrap._native.tape import Tape
from hostwrap.stats import _catalogue, _integral
from tests._kit.days import LONG_TURN
from tests._kit.toys import callbacks, same
from tests._kit.versions import SCIPY
from tests.stats.cases import SHAPES, places
from tests.stats.measure import methods, rows

LEVELS = np.array([-0.1, 0, 1e-12, 0.01, 0.3, 0.5, 0.9, 0.999, 1, 1.1, np.nan])
NAMES = _catalogue.names()
CASES = [(name, kind) for name in NAMES for kind in methods(name)]

# the largest relative error at the places of the tests, where it is more than TOLERANCE: of a method, and why
TOLERANCE = 1e-9
LISTED = {
    "betanbinom": 1e-6,  # the sum from below alone, at a probability of almost 1
    "skewnorm.logcdf": 1e-6,  # far out on the short side: ndtr(x) - 2 owens_t(x, a) cancels
    "tukeylambda": 1e-5,  # at its end -1 / lam the number x holds no digits of a probability of 1e-10
    "wrapcauchy": 1e-5,  # the end of the support is 2 pi in double precision, 1e-10 from which it is looked at
}


# half a minute and more for a method at many digits; here by differences alone
SLOW_IN_MPMATH = ("gausshyper", "genhyperbolic", "geninvgauss", "norminvgauss", "vonmises", "vonmises_line")
# SciPy integrates for half a minute
SLOW_IN_SCIPY = ("genhyperbolic", "levy_stable", "studentized_range", "vonmises", "vonmises_line")


def test_every_distribution_has_shapes_and_names_are_found():
    assert set(NAMES) <= set(SHAPES) and set(NAMES) < set(stats.__all__)
    assert {"gamma", "weibull_min", "poisson"} <= set(NAMES)


@pytest.mark.filterwarnings("ignore:Infinite values encountered")  # geninvgauss, of SciPy's kve
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.rotating
def test_values_have_the_bits_of_scipy(name):
    if name in ("levy_stable", "studentized_range"):
        return  # a minute and more; they are called as all others are
    family, scipys = getattr(stats, name), getattr(scipy.stats, name)
    for shapes in SHAPES[name]:
        inside = places(name, shapes)
        x = np.array([-np.inf, -3, -0.5, 0, *inside, 0.5, 1, 2.25, 40, np.inf, np.nan])
        after = (0.25, 1.75) if family.continuous else (2.0,)
        for kind in methods(name):
            at = LEVELS if kind in ("ppf", "isf") else x
            with np.errstate(all="ignore"):
                full = [np.full(at.shape, float(p)) for p in (*shapes, *after)]  # norminvgauss wants them so
                expected = getattr(scipys, kind)(at, *full)
            method = getattr(family, kind)
            np.testing.assert_array_equal(method(at, *shapes, *after), expected, err_msg=kind)


@pytest.mark.rotating
@pytest.mark.filterwarnings("ignore:Infinite values encountered")
@pytest.mark.parametrize("name", NAMES)
def test_compiled_values_have_the_same_bits(name):
    """SciPy's private methods are recorded, where they are made of loops; shapes that are not allowed too."""
    if name in SLOW_IN_SCIPY:
        return
    family, scipys = getattr(stats, name), getattr(scipy.stats, name)
    kinds = [kind for kind in methods(name) if kind not in ("ppf", "isf")]
    compiled = jax.jit(lambda *args: [getattr(family, kind)(*args) for kind in kinds])
    for shapes in (*SHAPES[name], tuple(-p for p in SHAPES[name][0])):
        x = np.array([-np.inf, -3, -0.5, 0, *places(name, SHAPES[name][0]), 0.5, 1, 2.25, 40, np.inf, np.nan])
        after = (0.25, 1.75) if family.continuous else (2.0,)
        full = [np.full(x.shape, float(p)) for p in (*shapes, *after)]
        for kind, got in zip(kinds, compiled(x, *full), strict=True):
            with np.errstate(all="ignore"):
                np.testing.assert_array_equal(
                    got, getattr(scipys, kind)(x, *full), err_msg=f"{kind} {shapes}"
                )


def test_most_densities_are_recorded():
    """A density and its derivatives are then one program of loops, without Python."""
    recorded = set()
    for name in NAMES:
        family = getattr(stats, name)
        method = family.logpdf if family.continuous else family.logpmf
        tape = Tape([np.float64] * len(method.__signature__.parameters))
        with contextlib.suppress(NoLoop):
            method.host.loops(*tape.inputs)
            recorded.add(name)
    always = {"norm", "gamma", "beta", "dpareto_lognorm", "kappa4", "poisson", "binom"}
    # formulas that choose by masks, and ufuncs without a public name: older versions have others
    newer = (
        {"t", "genextreme", "ncf", "nct", "skellam", "truncnorm", "pearson3"} if SCIPY >= (1, 17) else set()
    )
    assert len(recorded) >= (123 if SCIPY >= (1, 17) else 90) and always | newer <= recorded


@pytest.mark.native
@pytest.mark.parametrize(
    "name", ["gamma", "genexpon", "genhyperbolic", "geninvgauss", "kstwobign", "pearson3", "truncnorm"]
)
def test_a_density_with_its_gradient_is_one_program_of_loops(name):
    density = getattr(stats, name).logpdf
    args = [0.5, *SHAPES[name][0], 0.0, 1.0]
    text = jax.jit(jax.value_and_grad(density, range(len(args)))).lower(*args).as_text()
    assert text.count(library.LOOPS) == 1 and library.HOST not in text


@pytest.mark.parametrize("most", [2, 2**16])
def test_sums_of_counts_in_a_program(monkeypatch, most):
    """Of different lengths, of none, and of so many terms that Python adds them up."""
    monkeypatch.setattr(_integral, "_MOST", most)
    _integral._total.cache_clear()
    k, a = jnp.array([1.0, 7.0, 0.0, 40.0, 3.0, 49.0]), jnp.linspace(0.3, 2.5, 6)
    slope = jax.vmap(jax.grad(lambda k, a: stats.zipfian.logsf(k, a, 50), 1))
    eager, compiled = slope(k, a), jax.jit(slope)(k, a)
    np.testing.assert_allclose(compiled, eager, rtol=1e-14)
    step = 1e-5
    up, down = (scipy.stats.zipfian.logsf(k, a + s * step, 50) for s in (1, -1))
    np.testing.assert_allclose(eager, (up - down) / (2 * step), rtol=1e-6, atol=1e-10)


@pytest.mark.rotating(turn=LONG_TURN)
@pytest.mark.parametrize(("name", "kind"), CASES)
def test_first_derivatives(name, kind):
    for row in rows(name, kind, with_mpmath=name not in SLOW_IN_MPMATH):
        assert not row.silent_zeros, row
        listed = LISTED.get(name, LISTED.get(f"{name}.{kind}", TOLERANCE))
        if np.isnan(row.by_mpmath):
            assert not row.by_differences > 1e-6, row
        else:
            assert row.by_mpmath <= listed and not row.value > 1e-6, row


@pytest.mark.parametrize("name", [name for name in NAMES if name not in SLOW_IN_SCIPY])
@pytest.mark.rotating
def test_moments_and_supports(name):
    family, scipys = getattr(stats, name), getattr(scipy.stats, name)
    shapes = SHAPES[name][0]
    after = (0.25, 1.75) if family.continuous else (2.0,)
    for kind in ("mean", "var", "std", "median", "support"):
        np.testing.assert_array_equal(
            getattr(family, kind)(*shapes, *after), getattr(scipys, kind)(*shapes, *after)
        )
    for ours, theirs in zip(
        family.interval(0.9, *shapes, *after), scipys.interval(0.9, *shapes, *after), strict=True
    ):
        np.testing.assert_array_equal(ours, theirs)


def test_derivatives_of_moments():
    loc = jax.grad(stats.gamma.mean, (1, 2))(2.0, 0.5, 1.5)
    same(loc, (1.0, 2.0), 1e-12)
    same(jax.grad(stats.gamma.std, 2)(2.0, 0.5, 1.5), np.sqrt(2.0), 1e-12)
    same(jax.grad(stats.gamma.entropy, (1, 2))(2.0, 0.5, 1.5), (0.0, 1 / 1.5), 1e-12)
    third = jax.grad(lambda loc, scale: stats.norm.moment(3, loc, scale), (0, 1))(0.5, 2.0)
    same(third, (3 * 0.25 + 3 * 4.0, 6 * 0.5 * 2.0), 1e-12)  # of loc^3 + 3 loc scale^2


def test_frozen_distributions():
    frozen = stats.gamma(2.0, scale=1.5)
    assert (
        frozen.cdf(1.0) == stats.gamma.cdf(1.0, 2.0, 0.0, 1.5) == scipy.stats.gamma(2.0, scale=1.5).cdf(1.0)
    )
    assert frozen.mean() == 3.0 and "a=2.0" in repr(frozen) and "ppf" in dir(frozen)
    slope = jax.grad(lambda d: d.logsf(90.0))(frozen)
    assert slope.values[0] == jax.grad(stats.gamma.logsf, 1)(90.0, 2.0, 0.0, 1.5)
    assert frozen.sample(jax.random.key(0), shape=(3,)).shape == (3,)
    assert jax.jit(lambda d: d.median())(frozen) == frozen.ppf(0.5)


def test_samples_move_with_the_parameters():
    key = jax.random.key(1)
    draw = lambda a, loc: stats.gamma.sample(key, a, loc, shape=(500,))
    sample, moved = jax.jvp(draw, (2.0, 0.0), (0.0, 1.0))
    same(moved, jnp.ones(500))
    assert scipy.stats.kstest(np.asarray(sample), scipy.stats.gamma(2.0).cdf).pvalue > 1e-3
    by_shape = jax.jvp(draw, (2.0, 0.0), (1.0, 0.0))[1]
    near = (draw(2.0 + 1e-6, 0.0) - draw(2.0 - 1e-6, 0.0)) / 2e-6
    np.testing.assert_allclose(by_shape, near, rtol=1e-6)


def test_under_transformations_and_with_float32():
    x, a = np.linspace(0.1, 4, 5), np.linspace(1, 3, 5)
    slopes = jax.jit(jax.vmap(jax.grad(stats.gamma.cdf, (0, 1))))(x, a)
    same(slopes[0], stats.gamma.pdf(x, a), 1e-13)
    total = jax.lax.scan(lambda s, y: (s + stats.gamma.logpdf(y, 2.0), None), 0.0, x)[0]
    np.testing.assert_allclose(total, scipy.stats.gamma.logpdf(x, 2.0).sum(), rtol=1e-14)
    assert stats.gamma.cdf(np.float32(1), np.float32(2)).dtype == np.float32
    assert stats.gamma.cdf(1, 2).dtype == np.float64


def test_value_and_all_derivatives_are_one_call_to_the_host():
    assert callbacks(jax.value_and_grad(stats.gamma.logpdf, (0, 1, 2, 3)), 1.0, 2.0, 0.0, 1.0) == 1
    assert callbacks(jax.hessian(stats.weibull_min.sf, (0, 1)), 1.0, 2.0) == 1


def test_methods_are_known_by_their_names():
    assert pickle.loads(pickle.dumps(stats.gamma)) is stats.gamma
    assert pickle.loads(pickle.dumps(stats.gamma.ppf)) is stats.gamma.ppf
    assert find(("stats", "gamma", "cdf")) is stats.gamma.cdf.host
    assert find(("stats", "gamma", "support", 1)) and find(("stats", "norm", "moment", 3))
    assert find(("stats", "nothing", "cdf")) is None


def test_at_the_ends_of_a_support_that_moves():
    if "genpareto" not in NAMES:
        return
    ends = lambda c: stats.genpareto.support(c)[1]
    same(jax.grad(ends)(-0.5), jnp.array(4.0), 1e-12)  # of -1 / c
    same(jax.grad(stats.genpareto.ppf, 1)(1.0, -0.5), jnp.array(4.0), 1e-12)


def test_names_and_help():
    assert "differentiable in q, a, loc, scale" in stats.gamma.ppf.__doc__
    assert "not in `k`: it is an integer" in stats.poisson.pmf.__doc__
    assert "logsf" in dir(stats.gamma) and repr(stats.gamma.cdf).startswith("<hostwrap.stats.gamma.cdf(x, a")

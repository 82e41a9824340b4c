"""Distributions of vectors and matrices: SciPy's bits, and derivatives by differences of SciPy's values."""

import pickle

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.stats

import hostwrap as hw
from hostwrap import stats
from hostwrap._rules.differences import slope
from hostwrap.stats import _catalogue
from tests._kit.days import LONG_TURN
from tests._kit.toys import same
from tests._kit.versions import SCIPY

DRAWN = np.random.default_rng(3)


def positive(size):
    """A matrix that is symmetric and positive definite."""
    root = DRAWN.normal(size=(size, size))
    return root @ root.T + np.eye(size)


def unit(size):
    x = DRAWN.normal(size=size)
    return x / np.linalg.norm(x)


def normal(*shape):
    return DRAWN.normal(size=shape)


# arguments, and those in which SciPy's values can be differenced
CASES = {
    "multivariate_normal": ((normal(3), normal(3), positive(3)), (0, 1, 2)),
    "multivariate_t": ((normal(3), normal(3), positive(3), 3.3), (0, 1, 2, 3)),
    "dirichlet": ((np.array([0.2, 0.3]), np.array([1.5, 2.0, 0.7])), (0, 1)),
    "vonmises_fisher": ((unit(3), unit(3), 2.5), (2,)),
    "normal_inverse_gamma": ((0.3, 1.2, 0.1, 2.0, 3.0, 1.5), (0, 1, 2, 3, 4, 5)),
    "wishart": ((positive(3), 4.2, positive(3)), (0, 1, 2)),
    "invwishart": ((positive(3), 4.2, positive(3)), (0, 1, 2)),
    "matrix_normal": ((normal(2, 3), normal(2, 3), positive(2), positive(3)), (0, 1, 2, 3)),
    "matrix_t": ((normal(2, 3), normal(2, 3), positive(2), positive(3), 2.7), (0, 1, 2, 3, 4)),
    "multinomial": ((np.array([1, 2, 0]), 3, np.array([0.2, 0.5, 0.3])), ()),
    "poisson_binom": ((2, np.array([0.1, 0.6, 0.7, 0.35])), (1,)),
    "dirichlet_multinomial": ((np.array([1, 2, 0]), np.array([0.5, 1.5, 2.0]), 3), (1,)),
    "multivariate_hypergeom": ((np.array([1, 2]), np.array([5, 10]), 3), ()),
}
NAMES = _catalogue.joint_names()


def kinds(name):
    return ("logpmf", "pmf") if hasattr(getattr(stats, name), "pmf") else ("logpdf", "pdf")


def symmetric(x):
    return (x + x.T) / 2 if np.ndim(x) == 2 and np.shape(x)[0] == np.shape(x)[1] else x


def along(function, args, i, direction):
    """The derivative of SciPy's value along a direction of an argument, where a square matrix stays symmetric."""

    def moved(h):
        x = symmetric(args[i] + h * direction)
        return np.squeeze(function(*args[:i], float(x) if np.ndim(x) == 0 else x, *args[i + 1 :]))

    return slope(moved, 0.02)[0]


def test_all_of_them_have_a_case():
    assert set(NAMES) <= set(CASES) and set(NAMES) <= set(dir(stats)) and "gaussian_kde" in dir(stats)


@pytest.mark.parametrize("name", NAMES)
def test_values_have_the_bits_of_scipy(name):
    args, _ = CASES[name]
    for kind in kinds(name):
        ours, theirs = getattr(getattr(stats, name), kind), getattr(getattr(scipy.stats, name), kind)
        np.testing.assert_array_equal(ours(*args), np.squeeze(theirs(*args)))
        np.testing.assert_array_equal(jax.jit(ours)(*args), np.squeeze(theirs(*args)))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.rotating
def test_first_derivatives(name):
    args, moving = CASES[name]
    for kind in kinds(name):
        ours, theirs = getattr(getattr(stats, name), kind), getattr(getattr(scipy.stats, name), kind)
        slopes = jax.jit(jax.grad(ours, moving))(*args) if moving else ()
        for i, got in zip(moving, slopes, strict=True):
            direction = np.random.default_rng(i).normal(size=np.shape(args[i]))
            expected = along(theirs, args, i, direction)
            np.testing.assert_allclose(np.sum(got * direction), expected, rtol=1e-8, err_msg=f"{kind} in {i}")
            np.testing.assert_array_equal(got, symmetric(np.asarray(got)))


@pytest.mark.rotating
@pytest.mark.parametrize("name", [name for name in NAMES if CASES[name][1]])
def test_second_derivatives(name):
    args, moving = CASES[name]
    ours = getattr(getattr(stats, name), kinds(name)[0])
    gradient = jax.jit(jax.grad(ours, moving))
    directions = [np.random.default_rng(i).normal(size=np.shape(args[i])) for i in moving]

    def moved(h):
        given = list(args)
        for i, d in zip(moving, directions, strict=True):
            given[i] = args[i] + h * (symmetric(d))
        return given

    change = tuple(map(symmetric, directions))
    got = jax.jvp(lambda *x: gradient(*_placed(args, moving, x)), tuple(args[i] for i in moving), change)[1]
    h = 1e-4
    for i, one in enumerate(got):
        differences = (np.asarray(gradient(*moved(h))[i]) - np.asarray(gradient(*moved(-h))[i])) / (2 * h)
        np.testing.assert_allclose(one, differences, rtol=1e-6, atol=1e-6)


def _placed(args, moving, values):
    given = list(args)
    for i, value in zip(moving, values, strict=True):
        given[i] = value
    return given


def test_probabilities_of_multinomial_counts_move_by_themselves():
    args, _ = CASES["multinomial"]
    same(jax.grad(stats.multinomial.logpmf, 2)(*args), jnp.array([5.0, 4.0, 0.0]), 1e-14)


@pytest.mark.skipif(not hasattr(stats, "poisson_binom"), reason="older versions of SciPy have none")
@pytest.mark.parametrize("kind", ["cdf", "sf", "logcdf", "logsf"])
@pytest.mark.parametrize("k", [-1, 0, 2, 3.5, 7])
@pytest.mark.rotating
def test_the_probability_of_a_few_events(kind, k):
    """d P(K > k) / dp_i is the probability that k of the others happen."""
    p = np.array([0.1, 0.6, 0.7, 0.35, 1e-20])
    ours = getattr(stats.poisson_binom, kind)
    value = float(getattr(scipy.stats.poisson_binom, kind)(k, p))
    assert float(jax.jit(ours)(k, p)) == value
    others = [scipy.stats.poisson_binom.pmf(int(np.floor(k)), np.delete(p, i)) for i in range(len(p))]
    right = np.array(others) * (1 if kind.endswith("sf") else -1)
    if kind.startswith("log"):
        right = right / np.exp(value) if np.isfinite(value) else 0 * right
    np.testing.assert_allclose(jax.jit(jax.grad(ours, 1))(k, p), right, rtol=1e-12, atol=1e-30)


def test_a_logarithm_that_is_zero_moves():
    """The density of the uniform distribution of two parts is 1."""
    alpha, x = np.ones(2), np.array([0.3, 0.7])
    assert stats.dirichlet.logpdf(x, alpha) == 0
    same(jax.grad(stats.dirichlet.logpdf, 1)(x, alpha), 1 + np.log(x), 1e-14)


def test_batch_axes_of_points_and_of_parameters():
    x, mean, cov = normal(4, 3), normal(4, 3), np.stack([positive(3) for _ in range(4)])
    each = np.array([scipy.stats.multivariate_normal.logpdf(*row) for row in zip(x, mean, cov, strict=True)])
    np.testing.assert_array_equal(stats.multivariate_normal.logpdf(x, mean, cov), each)
    np.testing.assert_array_equal(jax.jit(jax.vmap(stats.multivariate_normal.logpdf))(x, mean, cov), each)
    of_points = scipy.stats.multivariate_normal.logpdf(x, mean[0], cov[0])
    mapped = jax.vmap(stats.multivariate_normal.logpdf, (0, None, None))(x, mean[0], cov[0])
    np.testing.assert_array_equal(mapped, of_points)
    assert stats.multivariate_normal.logpdf(x[:, None], mean, cov[0]).shape == (4, 4)
    assert stats.multivariate_normal.logpdf(x[:1], mean[0], cov[0]).shape == (1,)
    several = np.stack([positive(2), positive(2), positive(2)], -1)
    theirs = scipy.stats.wishart.logpdf(several, 3.1, np.eye(2))
    np.testing.assert_array_equal(stats.wishart.logpdf(several, 3.1, np.eye(2)), theirs)
    assert (
        stats.multivariate_normal.logpdf(np.float32([1, 2]), np.float32([0, 1]), np.eye(2, dtype="f")).dtype
        == "f"
    )


def test_what_stands_for_a_vector_or_a_matrix():
    ours, theirs = stats.multivariate_normal.logpdf, scipy.stats.multivariate_normal.logpdf
    x, mean = normal(3), normal(3)
    for args in ((0.3,), (0.3, 0.1, 2.0), (x, mean), (x, mean, 2.0), (x, mean, [1.0, 2.0, 3.0])):
        np.testing.assert_array_equal(ours(*args), theirs(*args))
    assert stats.wishart.logpdf(2.0, 3.0, 1.5) == scipy.stats.wishart.logpdf(2.0, 3.0, 1.5)


def test_a_singular_covariance():
    """On its range, and along matrices of the same rank."""
    root, mean = normal(3, 2), normal(3)
    x = mean + root @ normal(2)
    log = lambda x, root: stats.multivariate_normal.logpdf(x, mean, root @ root.T, allow_singular=True)
    theirs = lambda x, root: scipy.stats.multivariate_normal.logpdf(
        x, mean, root @ root.T, allow_singular=True
    )
    assert log(x, root) == theirs(x, root)
    step = normal(2)
    turned = root + np.array([[0.0, 0.1], [0.2, 0.0], [0.0, -0.3]])
    between = lambda h: (1 - h) * root + h * turned
    of_range = lambda function: lambda h: function(mean + between(h) @ step, between(h))
    np.testing.assert_allclose(jax.grad(of_range(log))(0.0), slope(of_range(theirs), 0.02)[0], rtol=1e-7)
    assert log(x + 1.0, root) == -np.inf and not np.any(jax.grad(log)(x + 1.0, root))
    with pytest.raises(Exception, match="positive definite"):
        stats.multivariate_normal.logpdf(x, mean, root @ root.T)


@pytest.mark.skipif(SCIPY < (1, 16), reason="SciPy 1.15 raises a TypeError of its own")
@pytest.mark.rotating
def test_infinite_degrees_of_freedom_are_the_normal_distribution():
    (x, mean, cov), _ = CASES["multivariate_normal"]
    slopes = jax.grad(stats.multivariate_t.logpdf, (0, 2))(x, mean, cov, np.inf)
    same(slopes, jax.grad(stats.multivariate_normal.logpdf, (0, 2))(x, mean, cov), 1e-13)


# ---- boxes


def corner(size):
    high, cov = (
        np.array([0.3, -0.2, 0.9])[:size],
        np.array([[1.5, 0.4, -0.3], [0.4, 0.8, 0.2], [-0.3, 0.2, 1.1]]),
    )
    return high, np.array([0.1, 0.2, -0.1])[:size], cov[:size, :size]


@pytest.mark.parametrize("limit", [None, (-1.2, -np.inf)])
@pytest.mark.rotating
def test_the_probability_of_a_box_in_the_plane(limit):
    args = corner(2)
    ours = lambda *a: stats.multivariate_normal.cdf(*a, lower_limit=limit)
    theirs = lambda *a: scipy.stats.multivariate_normal.cdf(*a, lower_limit=limit)
    assert ours(*args) == theirs(*args)
    slopes = jax.jit(jax.grad(ours, (0, 1, 2)))(*args)
    for i, got in enumerate(slopes):
        direction = np.random.default_rng(i).normal(size=np.shape(args[i]))
        np.testing.assert_allclose(np.sum(got * direction), along(theirs, args, i, direction), rtol=1e-9)


@pytest.mark.rotating
def test_the_derivative_in_the_matrix_is_half_of_the_second_one():
    """Plackett's identity, of whole matrices; in one dimension too."""
    for size in (1, 2):
        high, mean, cov = corner(size)
        box = lambda x, c, mean=mean: jnp.sum(stats.multivariate_normal.cdf(x, mean, c))
        both = jax.jit(lambda x, c, box=box: (jax.grad(box, 1)(x, c), jax.hessian(box)(x, c) / 2))
        same(*both(high, cov), 1e-12)


@pytest.mark.rotating(turn=LONG_TURN)
def test_the_probability_of_a_box_in_space():
    """SciPy's numbers have five digits here; the derivatives are by boxes in the plane and on the line."""
    args = corner(3)
    box = lambda x, c: stats.multivariate_normal.cdf(x, args[1], c)
    in_x, in_cov = jax.grad(box, (0, 1))(args[0], args[2])
    hessian = jax.jacfwd(jax.grad(box))(args[0], args[2])
    same(in_cov, hessian / 2, 1e-10)
    scale = lambda h: args[1] + (args[0] - args[1]) * np.exp(h)
    assert abs(np.sum(in_x * (args[0] - args[1])) + 2 * np.sum(in_cov * args[2])) < 1e-12
    assert (
        abs((box(scale(0.1), args[2]) - box(scale(-0.1), args[2])) / 0.2 - np.sum(in_x * (args[0] - args[1])))
        < 1e-3
    )


@pytest.mark.rotating
def test_the_probability_of_a_box_by_students_t():
    """Of one component given the other the distribution is known, so the first derivatives are exact."""
    high, loc, shape = corner(2)
    df, z = 3.3, high - loc
    in_x, in_shape = jax.grad(stats.multivariate_t.cdf, (0, 2))(high, loc, shape, df)
    for i, j in ((0, 1), (1, 0)):
        density = scipy.stats.t.pdf(z[i], df, scale=np.sqrt(shape[i, i]))
        left = shape[j, j] - shape[i, j] ** 2 / shape[i, i]
        wide = np.sqrt(left * (df + z[i] ** 2 / shape[i, i]) / (df + 1))
        expected = density * scipy.stats.t.cdf((z[j] - shape[i, j] / shape[i, i] * z[i]) / wide, df + 1)
        np.testing.assert_allclose(in_x[i], expected, rtol=1e-12)
    distance = z @ np.linalg.solve(shape, z)
    pair = (1 + distance / df) ** (-df / 2) / (2 * np.pi * np.sqrt(np.linalg.det(shape)))
    np.testing.assert_allclose(in_shape[0, 1] * 2, pair, rtol=1e-12)
    near = [
        scipy.stats.multivariate_t.cdf(high, loc, shape * s, df, random_state=1, maxpts=200000)
        for s in (1.02, 0.98)
    ]
    assert abs((near[0] - near[1]) / 0.04 - np.sum(in_shape * shape)) < 2e-3
    with pytest.raises(hw.MissingDerivative, match=r"multivariate_t.cdf: .*`df`"):
        jax.grad(stats.multivariate_t.cdf, 3)(high, loc, shape, df)


# ---- moments, samples, frozen ones


@pytest.mark.rotating
def test_moments():
    for name, kinds, args in (
        ("dirichlet", ("mean", "var", "cov", "entropy"), (np.array([1.5, 2.0, 0.7]),)),
        ("wishart", ("mean", "var"), (4.2, CASES["wishart"][0][2])),
        ("wishart", ("mode", "entropy"), (6.2, CASES["wishart"][0][2])),
        ("invwishart", ("mode", "var", "entropy"), (7.2, CASES["wishart"][0][2])),
        ("multivariate_t", ("entropy",), (np.zeros(3), CASES["wishart"][0][2], 3.3)),
        ("multivariate_t", ("entropy",), (np.zeros(3), CASES["wishart"][0][2], 2e3)),
        ("matrix_normal", ("entropy",), CASES["matrix_normal"][0][2:]),
        ("normal_inverse_gamma", ("mean", "var"), (0.1, 2.0, 3.0, 1.5)),
        ("invwishart", ("mean",), (5.2, CASES["wishart"][0][2])),
        ("multinomial", ("mean", "cov"), (3, np.array([0.2, 0.5, 0.3]))),
        ("dirichlet_multinomial", ("mean", "var", "cov"), (np.array([1.5, 2.0, 0.7]), 3)),
        ("multivariate_normal", ("entropy",), (np.zeros(3), CASES["wishart"][0][2])),
        ("vonmises_fisher", ("entropy",), CASES["vonmises_fisher"][0][1:]),
    ):
        for kind in kinds:
            ours, theirs = getattr(getattr(stats, name), kind), getattr(getattr(scipy.stats, name), kind)
            np.testing.assert_allclose(
                ours(*args), theirs(*args), rtol=1e-13, atol=1e-15, err_msg=f"{name}.{kind}"
            )


@pytest.mark.parametrize(
    ("name", "args", "moving"),
    [
        ("wishart", (6.2, positive(3)), (0, 1)),
        ("invwishart", (6.2, positive(3)), (0, 1)),
        ("multivariate_t", (np.zeros(3), positive(3), 3.3), (1, 2)),
        ("multivariate_t", (np.zeros(3), positive(3), 2e3), (1, 2)),
        ("matrix_normal", (positive(2), positive(3)), (0, 1)),
    ],
)
def test_derivatives_of_entropies(name, args, moving):
    ours, theirs = getattr(stats, name).entropy, getattr(scipy.stats, name).entropy
    for i, got in zip(moving, jax.jit(jax.grad(ours, moving))(*args), strict=True):
        direction = np.random.default_rng(i).normal(size=np.shape(args[i]))
        direction = direction * args[i] if np.ndim(args[i]) == 0 else direction  # in its own measure
        expected = along(theirs, args, i, direction)
        np.testing.assert_allclose(np.sum(got * direction), expected, rtol=1e-7)


def test_where_there_are_no_moments():
    scale = np.eye(3)
    assert np.isnan(stats.invwishart.var(6.0, scale)).all() and np.isnan(stats.wishart.mode(3.5, scale)).all()
    mean, var = stats.normal_inverse_gamma.mean(a=1.0), stats.normal_inverse_gamma.var(a=2.0)
    assert np.isnan(mean).all() and np.isnan(var[1]) and var[0] == 1


@pytest.mark.parametrize(("size", "count"), [(2, 200), (3, 4000)])
@pytest.mark.rotating
def test_random_directions(size, count):
    """Their mean is mu times a quotient of Bessel functions, and they move along the sphere."""
    mu, key = unit(size), jax.random.key(4)
    sample = stats.vonmises_fisher.sample(key, mu, 2.5, shape=(count,))
    same(jnp.sum(sample**2, -1), jnp.ones(count), 1e-12)
    length = scipy.special.iv(size / 2, 2.5) / scipy.special.iv(size / 2 - 1, 2.5)
    np.testing.assert_allclose(sample.mean(0), length * mu, atol=2.5 / np.sqrt(count))
    draw = lambda kappa: stats.vonmises_fisher.sample(key, mu, kappa, shape=(3,))
    near = (draw(2.5 + 1e-6) - draw(2.5 - 1e-6)) / 2e-6
    np.testing.assert_allclose(jax.jacfwd(draw)(2.5), near, rtol=1e-5, atol=1e-8)


@pytest.mark.rotating
def test_samples_have_the_moments_and_move_with_the_parameters():
    key, size = jax.random.key(2), (4000,)
    cov = CASES["wishart"][0][2]
    sample = stats.multivariate_normal.sample(key, np.ones(3), cov, shape=size)
    np.testing.assert_allclose(np.cov(sample.T), cov, atol=0.2 * np.max(cov))
    parts = stats.dirichlet.sample(key, np.array([1.5, 2.0, 0.7]), shape=size)
    np.testing.assert_allclose(parts.mean(0), np.array([1.5, 2.0, 0.7]) / 4.2, atol=0.02)
    squares = stats.wishart.sample(key, 4.2, cov, shape=size)
    np.testing.assert_allclose(squares.mean(0), 4.2 * cov, atol=0.3 * np.max(cov))
    assert stats.invwishart.sample(key, 4.2, cov).shape == (3, 3)
    assert stats.multivariate_t.sample(key, np.zeros(3), cov, 5.0, size=(2,)).shape == (2, 3)
    assert stats.matrix_normal.sample(key, np.zeros((2, 3)), 1.0, cov, shape=(5,)).shape == (5, 2, 3)
    by_df = jax.jacfwd(lambda df: stats.wishart.sample(key, df, cov))(4.2)
    near = [stats.wishart.sample(key, 4.2 + h, cov) for h in (1e-6, -1e-6)]
    np.testing.assert_allclose(by_df, (near[0] - near[1]) / 2e-6, rtol=1e-5)


def test_frozen_distributions():
    (x, mean, cov), _ = CASES["multivariate_normal"]
    frozen = stats.multivariate_normal(mean, cov)
    assert frozen.logpdf(x) == scipy.stats.multivariate_normal(mean, cov).logpdf(x)
    slope = jax.jit(jax.grad(lambda d: d.logpdf(x)))(frozen)
    same(slope.values["cov"], jax.grad(stats.multivariate_normal.logpdf, 2)(x, mean, cov), 1e-13)
    assert "cdf" in dir(frozen) and "allow_singular=False" in repr(frozen)
    assert pickle.loads(pickle.dumps(stats.wishart)) is stats.wishart
    assert "symmetric" in stats.wishart.logpdf.__doc__


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (
            lambda: jax.grad(stats.multinomial.logpmf, 1)(np.ones(2), 2.0, np.array([0.5, 0.5])),
            hw.MissingDerivative,
            "multinomial: .*`n`: it is an integer",
        ),
        (
            lambda: stats.multivariate_normal.logpdf(np.ones(2), np.ones(3)),
            hw.SignatureError,
            "multivariate_normal.logpdf: `x` must have 3 components",
        ),
        (
            lambda: stats.multivariate_normal.pdf(np.ones(3), np.ones(3), np.ones((2, 2))),
            hw.SignatureError,
            r"multivariate_normal.pdf: `cov` must be .* matrix of shape \(..., 3, 3\)",
        ),
        (
            lambda: stats.wishart.logpdf(np.eye(2)),
            hw.SignatureError,
            r"wishart.logpdf\(x, df, scale\).*: missing",
        ),
        (
            lambda: stats.dirichlet.pdf(np.ones(4), np.ones(2)),
            hw.SignatureError,
            r"dirichlet.pdf: `x` must have",
        ),
        (
            lambda: stats.multivariate_hypergeom.pmf([1.5, 2], [5, 10], 3),
            hw.SignatureError,
            "multivariate_hypergeom.pmf: `x` must be integers",
        ),
        (lambda: stats.vonmises_fisher.pdf([0.6, 0.8]), hw.SignatureError, "`mu` must be given"),
        (
            lambda: stats.vonmises_fisher.sample(jax.random.key(0), 1.0),
            hw.SignatureError,
            "`mu` must have 2 components or more",
        ),
        (lambda: stats.multivariate_normal.ppf, AttributeError, "multivariate_normal has no ppf; it has cdf"),
        (
            lambda: stats.multivariate_normal.pdf("text"),
            hw.SignatureError,
            "multivariate_normal.pdf: `x` must be",
        ),
        (lambda: stats.multivariate_normal.pdf(1j), hw.SignatureError, "must be real"),
    ],
)
def test_what_is_not_there_is_refused(call, kind, words):
    with pytest.raises(kind, match=words):
        call()

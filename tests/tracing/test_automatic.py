"""Derivatives of functions without a rule: their own code is traced, and its value compared with the host's."""

import contextlib
import functools
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.linalg
import scipy.special

import hostwrap as hw
from hostwrap._tracing import code
from hostwrap._tracing.numpys import on_jax
from tests._kit.toys import each_lane, fresh_lane, same  # noqa: F401

lanes = pytest.mark.usefixtures("each_lane")
X = np.array([0.3, 0.7, 1.1])


def sersic(r, Ie, Re, n):
    b = scipy.special.gammaincinv(2 * n, 0.5)
    return Ie * np.exp(-b * ((r / Re) ** (1 / n) - 1))


def thomas(a, b, c, d):
    n = len(b)
    b, d, x = b.copy(), np.array(d, dtype=float), np.zeros(n)
    for i in range(1, n):
        w = a[i] / b[i - 1]
        b[i] -= w * c[i - 1]
        d[i] -= w * d[i - 1]
    x[-1] = d[-1] / b[-1]
    for i in range(n - 2, -1, -1):
        x[i] = (d[i] - c[i] * x[i + 1]) / b[i]
    return x


def difference(f, x, h=1e-3):
    """Of sixth order, in a number."""
    weights = {1: 3 / 4, 2: -3 / 20, 3: 1 / 60}
    return sum(w * (f(x + k * h) - f(x - k * h)) for k, w in weights.items()) / h


def jacobian(f, x):
    """Of the last axis the argument."""
    flat = np.ravel(x)
    columns = []
    for i in range(flat.size):
        moved = lambda t, i=i: np.asarray(
            f(np.where(np.arange(flat.size) == i, t, flat).reshape(np.shape(x)))
        )
        columns.append(difference(moved, flat[i]))
    return np.stack(columns, axis=-1).reshape((*np.shape(f(x)), *np.shape(x)))


@lanes
def test_the_derivatives_of_an_elementwise_function_of_any_order_in_both_modes():
    f, at = hw.wrap(sersic), (1.0, 2.0, 1.1, 3.3)
    for i in range(4):
        moved = lambda t, i=i: sersic(*(t if i == k else x for k, x in enumerate(at)))
        for derivative in (jax.grad(f, i), jax.jit(jax.grad(f, i)), jax.jacfwd(f, i)):
            same(derivative(*at), difference(moved, at[i]), 1e-9)
    n = lambda t: jax.grad(f, 3)(1.0, 2.0, 1.1, t)
    same(jax.hessian(f, 3)(*at), difference(n, 3.3), 1e-9)
    cube = hw.wrap(lambda x: x**3 * np.exp(x))
    same(
        jax.jit(jax.grad(jax.grad(jax.grad(cube))))(0.5),
        (0.125 + 9 * 0.25 + 18 * 0.5 + 6) * np.exp(0.5),
        1e-13,
    )
    assert float(jax.jit(f)(*at)) == sersic(*at)  # to the bit
    radii = np.linspace(0.5, 2, 5)
    each = [jax.grad(f, 3)(r, *at[1:]) for r in radii]
    same(jax.jit(jax.vmap(jax.grad(f, 3), (0, None, None, None)))(radii, *at[1:]), np.array(each), 1e-13)
    same(jax.grad(lambda t: f(radii, 2.0, 1.1, t).sum())(3.3), np.sum(each), 1e-13)


@pytest.mark.usefixtures("fresh_lane")
def test_a_function_with_a_signature_that_assigns_in_place():
    f, rows = hw.wrap("(n),(n),(n),(n)->(n)")(thomas), (X, X + 3, X**2, 1 / X)
    for i in range(4):
        wanted = jacobian(
            lambda x, i=i: thomas(*(x if i == k else row for k, row in enumerate(rows))), rows[i]
        )
        same(jax.jit(jax.jacrev(f, i))(*rows), wanted, 1e-9)
        same(jax.jacfwd(f, i)(*rows), wanted, 1e-9)
        batch = jax.jit(jax.vmap(jax.jacrev(f, i), (0, None, None, None)))(np.stack([X, X]), *rows[1:])
        same(batch, np.stack([wanted, wanted]), 1e-9)


def test_pytrees_by_out():
    @hw.wrap(
        out=lambda d, power: {"sum": jax.ShapeDtypeStruct((), d["x"].dtype), "all": [d["x"]]}, static="power"
    )
    def f(d, power):
        return {"sum": d["x"].sum() * d["y"], "all": [d["x"] ** power]}

    result = jax.jit(jax.jacrev(f), static_argnums=1)({"x": X, "y": 2.0}, 3)
    same(result["sum"]["x"], np.full(3, 2.0), 1e-14)
    same(result["sum"]["y"], X.sum(), 1e-14)
    same(result["all"][0]["x"], np.diag(3 * X**2), 1e-14)


class Model:
    def __init__(self, scale):
        self.scale = scale

    def value(self, x):
        return self.scale * np.tanh(x)


def closure(scale):
    return lambda x: scale * np.tanh(x)


@pytest.mark.parametrize(
    "f",
    [Model(2.0).value, closure(2.0), functools.partial(lambda k, x: k * np.tanh(x), 2.0)],
    ids=["method", "closure", "partial"],
)
def test_what_a_function_may_be(f):
    g = hw.wrap(f)
    same(jax.jit(jax.grad(g))(0.3), 2 / np.cosh(0.3) ** 2, 1e-14)


def masks(x):
    y = np.empty_like(x)
    low = x < 0.5
    y[low] = np.sqrt(x[low])
    y[~low] = x[~low] ** 2 + np.sum(x[~low])
    return y


def views(x):
    y = np.zeros((3, 2))
    y.T[0] = x
    y[1:, 1] += x[1:]
    z = y.ravel()
    z *= 2
    w = y[::-1]
    w[0, 0] = x[0] ** 3
    return y[:, 0] * y.sum()


def scalars(x):
    a = x[0]
    b = a
    b -= x[1]
    e = x[2:]
    e *= 2  # a view of x
    return np.array(
        [a, b, float(x[2]), math.sin(x[1]), max(x[0], x[1], 0.5), abs(-x[0]), sum(x), int(2.7) * x[1]]
    )


def solve(x):
    matrix = np.eye(3) + np.outer(x, x)
    factor = scipy.linalg.cho_factor(matrix)
    return scipy.linalg.solve(matrix, x) + np.linalg.inv(matrix) @ x + scipy.linalg.cho_solve(factor, x)


def pieces(x):
    return np.piecewise(x, [x < 0.5, x >= 0.5], [lambda t: t**2, lambda t: np.log(t)]) + np.select(
        [x < 0.4, x < 0.8], [x**2, x**3], np.sin(x)
    )


BODIES = {
    "masks": masks,
    "views": views,
    "scalars": lambda x: scalars(x.copy()),
    "solve": solve,
    "pieces": pieces,
    "comprehension": lambda x: np.stack([t * x for t in x]).sum(axis=0),
    "vectorize": lambda x: np.vectorize(lambda t: t**2)(x) + np.apply_along_axis(lambda r: r.sum() * r, 0, x),
    "polynomial": lambda x: np.polyval([1.0, x[0], 2.0], x) + np.polynomial.Polynomial([1.0, 2.0, x[1]])(x),
    "library": lambda x: (
        np.gradient(x**2, x) + np.interp(0.4, x, x**2) + np.trapezoid(x**2, x) + np.convolve(x, x)[1]
    ),
    "reductions": lambda x: (
        x.std() * x / np.linalg.norm(x) + np.percentile(x, 30) + np.add.reduce(x) + np.ptp(x)
    ),
    "out": lambda x: np.multiply(x, 2, out=np.empty(3)) + np.add.outer(x, x).sum(axis=0) + np.cumsum(x),
    "where": lambda x: np.sqrt(x, out=np.zeros(3), where=x > 0.5) + np.where(x > 0.5, x, 0) * [1, 2, 3],
    "special": lambda x: scipy.special.logsumexp(x) + scipy.special.jv(x[0], x) + scipy.special.softmax(x),
    "complex": lambda x: np.abs(np.fft.fft(x * np.exp(1j * x))) + (x * 1j * x).imag,
    "augmented": lambda x: [y := x + 1, y.__imul__(x), y][2],
    "of numbers": lambda x: (
        np.arange(3) ** 2 * x + np.linspace(0, 1, 3)[np.array([2, 0, 1])] * x[np.argsort([3, 1, 2])]
    ),
}


@pytest.mark.parametrize("name", BODIES)
def test_what_code_may_do(name):
    f = BODIES[name]
    g = hw.wrap(lambda x: f(x), out=jax.ShapeDtypeStruct(np.shape(f(X)), np.float64))
    same(jax.jit(g)(X), f(X.copy()), 1e-14)
    same(jax.jit(jax.jacrev(g))(X), jacobian(f, X), 1e-8)
    same(jax.jacfwd(g)(X), jacobian(f, X), 1e-8)


# ---- what is refused

SCALE = 1.0
RNG = np.random.default_rng(1)


def branch(x):
    if x > 0:
        return x**2
    return -x


def noisy(x):
    return x + np.random.normal()  # noqa: NPY002


def noisy_by_generator(x):
    return x + RNG.normal()


def compiled(x):
    return scipy.linalg.lapack.dgetrf(x)[0]


def reads(x):
    with open(__file__) as file:
        return x * len(file.read(1))


def lengths(x):
    return np.flatnonzero(x > 0).sum() + x


@lanes
def test_code_that_looks_at_numbers_is_recorded_on_the_host():
    f = hw.wrap(branch, vmap_method="sequential")
    for x, first in ((2.0, 4.0), (-2.0, -1.0)):
        same(jax.grad(f)(x), first)
        same(jax.jit(jax.jacfwd(f))(x), first)
        same(jax.jit(jax.hessian(f))(x), 2.0 * (x > 0))
    same(jax.jit(jax.vmap(jax.grad(f)))(np.array([2.0, -2.0])), np.array([4.0, -1.0]))
    same(jax.grad(hw.wrap(lengths))(2.0), 1.0)


@pytest.mark.parametrize(
    ("f", "words"),
    [
        (noisy, ("a random number", "np.random.normal()", "as an argument")),
        (noisy_by_generator, ("a random number", "RNG.normal()")),
        (reads, ("a look at the world outside", "open(", "as an argument")),
    ],
)
def test_what_cannot_be_traced_is_a_missing_derivative_that_says_where_and_what_to_do(f, words):
    g = hw.wrap(lambda x: f(x), vmap_method="sequential")
    for derivative in (jax.grad(g), jax.jit(jax.grad(g))):
        with pytest.raises(hw.MissingDerivative) as error:
            derivative(0.5)
        for word in (*words, "with respect to `x`", "jax.lax.stop_gradient(x)"):
            assert word in str(error.value), f"{word!r} is not in: {error.value}"


def test_a_compiled_function_is_named():
    g = hw.wrap("(n,n)->(n,n)")(compiled)
    with pytest.raises(
        hw.MissingDerivative,
        match=r"compiled code wants .* in compiled, .*dgetrf\(x\)",
    ):
        jax.jacfwd(g)(np.eye(2))


@lanes
def test_a_program_that_is_another_function_is_an_error_that_names_both_values(monkeypatch):
    f = hw.wrap(lambda x: SCALE * x)
    eager, jitted = jax.grad(f), jax.jit(jax.vmap(jax.grad(f)))
    same(jitted(X), np.ones(3))
    same(eager(2.0), 1.0)
    monkeypatch.setitem(globals(), "SCALE", 3.0)
    with pytest.raises(
        hw.ResultError, match=r"returned 6.0, the program that was traced from its code 2.0.*global"
    ):
        eager(2.0)
    with pytest.raises(Exception, match="its derivative would be wrong"):
        jax.block_until_ready(jitted(X))
    unchecked = hw.wrap(lambda x: SCALE * x, derivatives="unchecked")
    same(jax.grad(unchecked)(2.0), 3.0)
    monkeypatch.setitem(globals(), "SCALE", 4.0)
    same(jax.grad(unchecked)(2.0), 3.0)


def test_on_error_counts_for_the_comparison(monkeypatch):
    f = hw.wrap(lambda x: SCALE * x, on_error="nan")
    derivative = jax.jit(jax.grad(f))
    same(derivative(2.0), 1.0)
    monkeypatch.setitem(globals(), "SCALE", 3.0)
    assert np.isnan(derivative(2.0))
    with pytest.raises(hw.HostwrapError, match="its derivative would be wrong"):
        hw.check_errors()


def test_rounding_is_no_difference():
    f = hw.wrap(lambda x: (np.exp(x) - 1) / 1e3 + np.where(x > 5, np.nan, 0) + np.where(x > 2, np.inf, 0))
    same(jax.vmap(jax.grad(f))(np.array([1e-14, 0.0, 1.0])), np.exp([0, 0, 1]) / 1e3, 1e-12)
    jax.vmap(jax.grad(f))(np.array([3.0, 6.0]))  # inf and NaN are equal to themselves
    single = jax.grad(hw.wrap(lambda x: np.sin(x) * 1e3))(np.float32(1e3))
    same(single, 1e3 * np.cos(np.float32(1e3)), 1e-6)


# ---- the option


def test_derivatives_says_for_which_arguments():
    f = hw.wrap(lambda x, n, k: x**n + k, derivatives={"x": "auto", "n": hw.unknown("it is a count")})
    same(jax.grad(f)(2.0, 3.0, 0.0), 12.0)
    for i, words in ((1, "`n`: it is a count"), (2, "`k`: derivatives= does not name it")):
        with pytest.raises(hw.MissingDerivative, match=words):
            jax.grad(f, i)(2.0, 3.0, 0.0)
    with pytest.raises(hw.MissingDerivative, match="no derivative rule; add one"):
        jax.grad(hw.wrap(lambda x: x, derivatives="rules"))(1.0)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("always", "derivatives='always' must be one of auto, unchecked, rules"),
        ({"z": "auto"}, r"derivatives= names 'z'; the arguments are \['x'\]"),
        ({"x": "yes"}, r"derivatives={'x': 'yes'} must be 'auto', hw.unknown\('why'\) or hw.discrete"),
    ],
)
def test_other_words_are_refused(said, words):
    with pytest.raises(hw.SignatureError, match=words):
        hw.wrap(lambda x: x, derivatives=said)


def test_the_code_is_run_once_for_shapes_and_statics():
    runs = []

    @hw.wrap(static="k")
    def f(x, k):
        runs.append(type(x).__name__)  # on a copy of the list, while it is traced
        return x * k

    for _ in range(3):
        assert float(jax.grad(f)(2.0, k=3)) == 3.0
    assert set(runs) == {"float64"}
    program = f._derivation.rule.code.program
    jax.grad(f)(2.0, k=4)
    jax.jit(jax.grad(f), static_argnames="k")(2.0, k=4)
    assert program.cache_info().misses == 2


def test_jnp_and_other_wrapped_functions_inside():
    inner = hw.wrap(lambda x: np.sin(x))
    f = hw.wrap(lambda x: inner(x) * hw.special.gamma(x), allow_jax=True)
    same(jax.grad(f)(1.3), difference(lambda x: np.sin(x) * scipy.special.gamma(x), 1.3), 1e-9)
    assert jnp.ndim(f(1.3)) == 0


@pytest.mark.parametrize("way", ["recorded", "none"])
def test_code_that_cannot_be_traced_is_tried_once_for_shapes_and_what_moves(way, monkeypatch):
    runs, body = [], branch if way == "recorded" else noisy
    of = code.Refusal.of
    monkeypatch.setattr(code.Refusal, "of", lambda error: runs.append(1) or of(error))
    f = hw.wrap(lambda x, y: body(x) * y, vmap_method="sequential")
    for _ in range(3):
        several = jax.vmap(jax.grad(f), (0, None))
        for derivative, x in ((jax.grad(f), 2.0), (jax.jit(jax.grad(f)), 2.0), (several, np.full(2, 2.0))):
            with contextlib.nullcontext() if way == "recorded" else pytest.raises(hw.MissingDerivative):
                derivative(x, 1.0)
    assert len(runs) == 1
    with contextlib.suppress(hw.MissingDerivative):
        jax.grad(f, 1)(2.0, 1.0)
    assert len(runs) == 2


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.reshape(x, -1, order="F")[1] * x[0, 1],
        lambda x: np.ravel(x, order="F")[2] ** 2,
        lambda x: complex(x[0, 0], x[1, 1]).imag * x[0, 1],
        lambda x: np.partition(x[0], (1, 2))[1] ** 2,
        lambda x: np.quantile(x, 0.3, method="lower") ** 2,
    ],
)
def test_options_count_where_numpy_is_traced(f):
    x = np.array([[0.3, -1.1, 0.8], [2.0, 0.7, -0.4]])
    step = 1e-6 * np.eye(6).reshape(6, 2, 3)
    slopes = [(f(x + h) - f(x - h)) / 2e-6 for h in step]
    found = jax.grad(hw.wrap(out=jax.ShapeDtypeStruct((), float))(f))(x)
    np.testing.assert_allclose(np.ravel(found), slopes, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize(
    "name, f",
    [
        ("sph_harm_y", lambda sc, t: sc.sph_harm_y(3, 1, t, 0.3 * t).imag),
        ("sph_harm_y", lambda sc, t: sc.sph_harm_y(3, 1, t, 0.3, diff_n=1)[1][0].real),
        ("sph_harm_y_all", lambda sc, t: sc.sph_harm_y_all(3, 2, t, 0.3)[3, -1].real),
        ("legendre_p", lambda sc, t: sc.legendre_p(3, t)[0]),
        ("assoc_legendre_p", lambda sc, t: sc.assoc_legendre_p(3, 1, t, norm=True)[0]),
        ("sph_legendre_p_all", lambda sc, t: sc.sph_legendre_p_all(3, 2, t)[0, 3, -1]),
    ],
)
def test_functions_of_scipy_that_choose_between_ufuncs(name, f):
    """They are objects in Python that call one of several ufuncs with core axes."""
    if not hasattr(scipy.special, name):
        pytest.skip("a newer SciPy has it")
    wrapped = hw.wrap("()->()")(lambda t: f(scipy.special, t))
    assert wrapped(0.4) == f(scipy.special, 0.4)
    want = jax.grad(lambda t: f(hw.special, t))(0.4)
    assert jax.jit(jax.grad(wrapped))(0.4) == pytest.approx(float(want), rel=1e-14)


def test_code_that_says_array_by_name_as_for_data_frames():
    """`x.__array__()` is the array."""
    by_name = hw.wrap("(n)->()")(lambda x: np.sum(x.__array__() ** 2))
    assert np.array_equal(jax.grad(by_name)(np.array([1.0, 2.0])), [2.0, 4.0])


@pytest.mark.parametrize("made", [float, np.float32, complex], ids=lambda made: made.__name__)
def test_traced_code_names_a_dtype_by_its_type(made):
    """As SciPy's own code does: it is a dtype, and no function of the user's."""
    programs = (
        lambda x: np.sum(x, dtype=made),
        lambda x: np.cumsum(x, 0, made),
        lambda x: x.std(dtype=made),
        lambda x: np.stack([x, x], dtype=made),
    )
    x = np.arange(3.0)
    for program in programs:
        found, expected = on_jax(program, (jnp.asarray(x),), {}), program(x)
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, rtol=1e-6)
    slope = jax.jit(
        jax.grad(lambda x: on_jax(lambda x: np.sum(x**2, dtype=made).real, (x,), {}).astype(float))
    )(x)
    np.testing.assert_allclose(slope, 2 * x)

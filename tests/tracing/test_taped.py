"""Functions whose code looks at numbers, as a user meets them: recorded when they run, under jit, vmap and twice."""

import contextlib
import itertools
import math
import struct
import subprocess

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.integrate
import scipy.optimize
import scipy.signal
import scipy.special
import scipy.stats

import hostwrap as hw
from hostwrap._copies.retarget import Untraceable
from hostwrap._tracing.tape import run
from tests._kit.toys import same

_brentq = scipy.optimize._zeros_py._zeros._brentq  # in C, below what hostwrap has a derivative of
TOLERANCES = 1e-12, 1e-12, 100, (), False, True


def kepler(mean, e):
    anomaly = mean
    while True:
        step = (anomaly - e * np.sin(anomaly) - mean) / (1 - e * np.cos(anomaly))
        anomaly = anomaly - step
        if np.max(np.abs(step)) < 1e-13:
            return anomaly


def gradients(mean, e):
    """d E / d M and d E / d e, by the equation E - e sin E = M."""
    anomaly = kepler(mean, e)
    return 1 / (1 - e * np.cos(anomaly)), np.sin(anomaly) / (1 - e * np.cos(anomaly))


def gauss(a, b):
    a, b = a.copy(), b.copy()
    n = len(b)
    for i in range(n):
        p = i + int(np.argmax(np.abs(a[i:, i])))
        a[[i, p]], b[[i, p]] = a[[p, i]], b[[p, i]]
        for j in range(i + 1, n):
            w = a[j, i] / a[i, i]
            a[j] -= w * a[i]
            b[j] -= w * b[i]
    x = np.zeros(n)
    for i in reversed(range(n)):
        x[i] = (b[i] - a[i, i + 1 :] @ x[i + 1 :]) / a[i, i]
    return x


MEAN, E = np.linspace(0.1, 2, 5), np.linspace(0.1, 0.8, 5)
MATRIX, RIGHT = np.random.default_rng(0).uniform(0, 1, (3, 3)), np.arange(3.0)


@pytest.mark.parametrize("method", ["broadcast_all", "sequential", "expand_dims"])
def test_first_derivatives_in_both_modes_and_batches(method):
    f = hw.wrap(kepler, vmap_method=method)
    by_mean, by_e = gradients(MEAN, E)
    np.testing.assert_allclose(jax.jit(jax.vmap(jax.grad(f)))(MEAN, E), by_mean, rtol=1e-10)
    np.testing.assert_allclose(jax.vmap(jax.jacfwd(f, 1))(MEAN, E), by_e, rtol=1e-10)
    whole = jax.jit(jax.jacrev(lambda mean: f(mean, 0.3)))(MEAN)
    np.testing.assert_allclose(whole, np.diag(gradients(MEAN, 0.3)[0]), rtol=1e-10)


def test_second_derivatives():
    f = hw.wrap(kepler)
    hessian = jax.jit(jax.hessian(f, (0, 1)))(1.3, 0.4)
    step = 1e-5
    for i, row in enumerate(hessian):
        for j, found in enumerate(row):
            move = np.eye(2)[j] * step
            up, down = gradients(1.3 + move[0], 0.4 + move[1]), gradients(1.3 - move[0], 0.4 - move[1])
            np.testing.assert_allclose(found, (up[i] - down[i]) / (2 * step), rtol=1e-7)
    with pytest.raises(
        hw.MissingDerivative,
        match=r"recorded as it runs, up to second derivatives; it is not traced: a branch, .*kepler",
    ):
        jax.grad(jax.grad(jax.grad(f)))(1.3, 0.4)


@pytest.mark.rotating
def test_core_axes():
    f = hw.wrap("(n,n),(n)->(n)")(gauss)
    solve = jnp.linalg.solve
    for mode in (jax.jacrev, jax.jacfwd):
        found, expected = (mode(g, (0, 1))(MATRIX, RIGHT) for g in (f, solve))
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-8, atol=1e-8)
    stack = np.stack([MATRIX, MATRIX.T])
    found = jax.jit(jax.vmap(jax.jacfwd(f), (0, None)))(stack, RIGHT)
    np.testing.assert_allclose(found[1], jax.jacfwd(solve)(MATRIX.T, RIGHT), rtol=1e-7, atol=1e-7)
    found, expected = (jax.jit(jax.hessian(lambda b, g=g: g(MATRIX, b) ** 2))(RIGHT) for g in (f, solve))
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-7)


def test_special_functions_under_a_branch():
    def f(x):
        return scipy.special.gammaincinv(2 * x, 0.5) if x > 0 else math.erf(x)

    g = hw.wrap(f, vmap_method="sequential")
    twin = lambda x: hw.special.gammaincinv(2 * x, 0.5)
    np.testing.assert_allclose(jax.jit(jax.grad(g))(1.2), jax.grad(twin)(1.2), rtol=1e-12)
    np.testing.assert_allclose(jax.jit(jax.hessian(g))(1.2), jax.hessian(twin)(1.2), rtol=1e-12)
    np.testing.assert_allclose(
        jax.vmap(jax.grad(g))(np.array([-0.5, 1.2]))[0], 2 / math.sqrt(math.pi) * math.exp(-0.25)
    )


def test_pytrees_statics_and_integers():
    @hw.wrap(
        out=lambda p, n, power: {"y": jax.ShapeDtypeStruct((3,), float), "k": jax.ShapeDtypeStruct((), int)},
        static="power",
    )
    def f(p, n, power):
        y = p["x"] ** power if p["x"][0] > 0 else p["x"]
        return {"y": y * n * p["scale"], "k": int(np.argmax(y))}

    p = {"x": np.array([1.0, 2.0, 0.5]), "scale": 3.0}
    found = jax.jit(jax.grad(lambda p: f(p, 2, power=3)["y"].sum()))(p)
    np.testing.assert_allclose(found["x"], 18 * p["x"] ** 2)
    np.testing.assert_allclose(found["scale"], 2 * (p["x"] ** 3).sum())


def test_single_precision():
    found = jax.jit(jax.grad(hw.wrap(kepler)))(np.float32(1.3), np.float32(0.4))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, gradients(1.3, 0.4)[0], rtol=1e-6)


SCALE = [1.0]


def test_a_value_that_is_another_when_it_runs_again_is_an_error(monkeypatch):
    def f(x):
        SCALE[0] = SCALE[0] + 1.0
        return x * SCALE[0] if x > 0 else x

    with pytest.raises(
        hw.ResultError, match=r"its derivative would be wrong.*when it ran again on arrays that record"
    ):
        jax.grad(hw.wrap(f, vmap_method="sequential"))(1.0)


def test_what_cannot_be_recorded_either_says_both_reasons():
    def f(x):
        return _brentq(lambda y: y - x if x > 0 else y, -1.0, 5.0, *TOLERANCES)

    g = hw.wrap(f, vmap_method="sequential")
    with pytest.raises(
        hw.MissingDerivative,
        match=r"with respect to `x`.*cannot be traced: .*test_taped.py.*; nor recorded: float\(\): C code asks",
    ):
        jax.grad(g)(1.0)
    with pytest.raises(Exception, match="nor recorded"):
        jax.block_until_ready(jax.jit(jax.grad(g))(1.0))


def test_a_mask_of_whole_numbers_is_a_mask():
    @hw.wrap("(n),(n)->()")
    def f(x, s):
        if x[0] > 100:
            return 0.0
        return scipy.stats.norm.logpdf(x, 0.0, s).sum()

    x, s = np.array([0.5, -1.0, 2.0]), np.array([1.0, 2.0, 0.5])
    assert hw.explain(f, x, s).way == "recorded"
    same(jax.grad(f)(x, s), -x / s**2, 1e-14)
    same(jax.jit(jax.grad(f, 1))(x, s), x**2 / s**3 - 1 / s, 1e-14)


def test_where_neither_way_goes_the_error_says_both_reasons_and_the_way_out_once():
    root = hw.wrap(lambda a: _brentq(lambda x: x**3 - a, 0.0, 10.0, *TOLERANCES) if a > 0 else a)
    with pytest.raises(hw.MissingDerivative) as error:
        jax.grad(root)(2.0)
    words = str(error.value)
    for word in (
        "with respect to `a`",
        "cannot be traced: ",
        "nor recorded: float(): C code asks",
        "test_taped.py:",
    ):
        assert word in words, f"{word!r} is not in: {words}"
    for once in ("add one with defpartials", "stop_gradient(a)"):
        assert words.count(once) == 1
    assert "SystemError" not in words


@pytest.mark.parametrize("times", [1, 50])
def test_an_error_that_c_code_makes_of_ours_is_ours(times):
    """What C code makes of it depends on whether Python has specialised the code that calls it."""
    for _ in range(times):
        _brentq(lambda x: x**3 - 2, 0.0, 10.0, *TOLERANCES)
    with pytest.raises(Untraceable, match=r"float\(\): C code asks .*brentq"):
        run(lambda a: _brentq(lambda x: x**3 - a, 0.0, 10.0, *TOLERANCES), [2.0], [True])


def test_an_error_that_c_code_drops_is_ours():
    def f(a):
        with contextlib.suppress(Exception):  # as C code that does not look whether there was an error
            struct.pack("d", a)
        return a * 2

    with pytest.raises(Untraceable, match=r"float\(\): C code asks"):
        run(f, [2.0], [True])


# ---- long programs


def fall(y, k, steps):
    speed = 0.0
    for _ in range(steps):
        speed = speed - 0.01 * (k * np.sin(y) + 0.1 * speed)
        y = y + 0.01 * speed
    return y


def test_a_long_loop_is_recorded_and_not_compiled():
    f = hw.wrap(fall, static="steps")
    h = 1e-3
    short, long = (hw.explain(f, 1.0, 2.0, steps=n) for n in (30, 300))
    assert (short.way, long.way) == ("traced", "recorded")
    assert "it is not traced: a program of more than 1000 operations" in long.why and "speed" in long.why
    move = lambda h, i: fall(1.0 + h * (i == 0), 2.0 + h * (i == 1), 300)
    want = [(8 * move(h, i) - 8 * move(-h, i) - move(2 * h, i) + move(-2 * h, i)) / (12 * h) for i in (0, 1)]
    found = jax.jit(jax.grad(f, (0, 1)), static_argnames="steps")(1.0, 2.0, steps=300)
    same(np.array(found), np.array(want), 1e-9)
    with pytest.raises(hw.MissingDerivative, match=r"up to second derivatives.* 1000 operations.*hw.to_jax"):
        jax.grad(jax.grad(jax.grad(f)))(1.0, 2.0, steps=300)


def test_operations_count_that_few_calls_of_numpy_make():
    def f(x):
        for _ in range(100):
            x = np.var(np.array([x, 2 * x, 3 * x])) + 0.5 * x
        return x

    f = hw.wrap(f, vmap_method="sequential")
    assert "more than 1000 operations" in hw.explain(f, 0.1).why


# ---- each order by each mode


@pytest.mark.parametrize("modes", list(itertools.product((jax.jacfwd, jax.jacrev), repeat=3)))
@pytest.mark.parametrize("jit", [jax.jit, lambda f: f], ids=["jit", "eager"])
@pytest.mark.rotating
def test_third_derivatives_are_an_error_with_the_reason(modes, jit):
    f = hw.wrap(lambda x: x**4 if x > 0 else -x)
    same(jit(modes[0](modes[1](f)))(2.0), 48.0, 1e-12)
    third = modes[0](modes[1](modes[2](f)))
    with pytest.raises(
        hw.MissingDerivative, match=r"no third derivative .*up to second derivatives.*if x > 0"
    ):
        jit(third)(2.0)


def initial_value(slope, method="dopri5"):
    return scipy.integrate.ode(slope).set_integrator(method)


CALLING_BACK = {
    "ode": lambda a: initial_value(lambda t, y: -a * y).set_initial_value([1.0]).integrate(1.0)[0],
    "vode": lambda a: initial_value(lambda t, y: -a * y, "vode").set_initial_value([1.0]).integrate(1.0)[0],
    "lsoda": lambda a: initial_value(lambda t, y: -a * y, "lsoda").set_initial_value([1.0]).integrate(1.0)[0],
}


@pytest.mark.parametrize("name", CALLING_BACK)
def test_compiled_code_that_calls_a_function_prints_nothing(name, capfd):
    with pytest.raises(hw.MissingDerivative, match="nor recorded"):
        function = CALLING_BACK[name]  # which is traced elsewhere: SciPy's solvers have twins
        jax.grad(hw.wrap(lambda a: function(a) if a > 0 else a, vmap_method="sequential"))(2.0)
    said = capfd.readouterr()
    assert said.err == said.out == ""


def through_a_program(x):
    return float(
        subprocess.run(["awk", "{ print $1 ^ 2 }"], input=f"{x}", capture_output=True, text=True).stdout
    )


THROUGH_TEXT = {
    "str": lambda x: float(str(float(x))) ** 2,
    "format": lambda x: float(f"{float(x):.17g}") ** 2,
    "array2string": lambda x: float(np.array2string(np.asarray(x))) ** 2 if x > 0 else x,
    "astype": lambda x: np.asarray(x).astype(str).astype(float) ** 2 if x > 0 else x,
    "array": lambda x: np.array([x], dtype="U25").astype(float)[0] ** 2 if x > 0 else x,
    "of each": lambda x: np.array([float(str(v)) for v in np.atleast_1d(x)])[0] ** 2 if x > 0 else x,
    "file": lambda x: np.loadtxt([f"{float(x)}"]) ** 2,
    "program": through_a_program,
}


@pytest.mark.parametrize("name", THROUGH_TEXT)
def test_a_number_that_goes_through_text_has_no_derivative(name):
    """It would be a silent zero: what is read from the text is a number like any other."""
    f = hw.wrap(THROUGH_TEXT[name])
    assert f(2.0) == 4
    with pytest.raises((hw.MissingDerivative, hw.ResultError), match="derivative"):
        jax.grad(f)(2.0)


def test_text_that_nobody_reads_is_no_obstacle(capsys):
    def f(x):
        kept = {f"{x}": x**2} if x > 0 else {}
        print(f"x = {float(x):.2f}", x)
        return kept[str(x)]

    assert jax.grad(hw.wrap(f))(2.0) == 4
    assert "x = <2.00> <2.0>" in capsys.readouterr().out


class Keeps:
    """Classes in the style of simulators: what was computed for equal arguments is not computed again."""

    def __init__(self):
        self.x, self.value, self.by = None, None, {}

    def by_comparison(self, x):
        if self.x is None or self.x != x:
            self.x, self.value = x, np.sin(x)
        return self.value * x

    def by_arrays(self, x):
        if self.x is None or not np.array_equal(self.x, x):
            self.x, self.value = np.copy(x), np.sin(x)
        return self.value * x

    def by_number(self, x):
        key = float(x)
        if key not in self.by:
            self.by[key] = np.sin(x)
        return self.by[key] * x

    def by_rounded(self, x):
        key = round(float(x), 9)
        if key not in self.by:
            self.by[key] = np.sin(x)
        return self.by[key] * x

    def by_integer(self, x):
        key = int(x * 1e9)
        if key not in self.by:
            self.by[key] = np.sin(x)
        return self.by[key] * x

    def by_floor(self, x):
        key = math.floor(x * 1e9)
        if key not in self.by:
            self.by[key] = np.sin(x)
        return self.by[key] * x

    def by_closeness(self, x):
        if self.x is None or not math.isclose(self.x, x, rel_tol=1e-12):
            self.x, self.value = x, np.sin(x)
        return self.value * x

    def by_distance(self, x):
        if self.x is None or abs(self.x - x) > 1e-12:
            self.x, self.value = x, np.sin(x)
        return self.value * x

    def by_norm(self, x):
        if self.x is None or not np.less(np.linalg.norm([self.x - x]), 1e-12):
            self.x, self.value = x, np.sin(x)
        return self.value * x


@pytest.mark.parametrize("way", [name for name in vars(Keeps) if name.startswith("by_")])
@pytest.mark.parametrize("jit", [False, True])
def test_a_result_that_was_kept_from_an_earlier_call_is_no_constant(way, jit):
    """The derivative would lack that of what was kept, without a word."""
    f = hw.wrap(getattr(Keeps(), way))
    slope = jax.grad(f)
    assert f(2.0) == np.sin(2.0) * 2
    with pytest.raises(Exception, match="its derivative would be wrong"):
        jax.block_until_ready((jax.jit(slope) if jit else slope)(2.0))


def sinc(x):
    return 1.0 if x == 0 else np.sin(x) / x


def looked_up(x):
    return np.array([1.0, 3.0, 2.0])[int(x)] * x


def steps_of_newton(x):
    y, last = x, None
    while last is None or y != last:
        last, y = y, 0.5 * (y + x / y)
    return y


def doubled(x):
    return {float(x): x**2}[float(x)] + (0.0 if x > 0 else x)


@pytest.mark.parametrize(
    ("f", "x", "slope"),
    [
        (sinc, 0.0, 0.0),
        (sinc, 2.0, np.cos(2) / 2 - np.sin(2) / 4),
        (looked_up, 1.3, 3.0),
        (doubled, 2.0, 4.0),
        (steps_of_newton, 2.0, 0.5 / np.sqrt(2)),
    ],
)
def test_what_is_equal_or_whole_for_another_reason_is_no_obstacle(f, x, slope):
    assert jax.grad(hw.wrap(f))(x) == pytest.approx(slope, rel=1e-12, abs=1e-12)


def leaky(x):
    total = 0.0
    for i, one in enumerate(x):
        total += (-1) ** i * (one if one > 0 else 0.1 * one)
    return total


def ramp(x):
    return 2 * x if x >= 0 else x * x


def hinges(x):
    return np.array([one if one > 0 else 0 * one for one in np.ravel(x)]).reshape(np.shape(x))


@pytest.mark.parametrize(
    ("f", "x", "slope"),
    [
        (hw.wrap("(n)->()")(leaky), np.zeros(4), [0.1, -0.1, 0.1, -0.1]),
        (hw.wrap("(n)->()")(leaky), np.array([0.0, 1.0, -2.0, 0.0]), [0.1, -1.0, 0.1, -0.1]),
        (hw.wrap(ramp), 0.0, 2.0),
        (hw.wrap(hinges), 0.0, 0.0),
        (lambda x: hw.wrap(hinges)(x).sum(), np.array([0.0, 1.0, 0.0]), [0.0, 1.0, 0.0]),
    ],
)
def test_at_a_kink_the_slope_is_that_of_the_branch_that_is_taken(f, x, slope):
    """A kink at 0 is where parameters begin. Differences, which look for kept results, have another slope there."""
    assert np.array_equal(jax.grad(f)(x), slope)
    assert np.array_equal(jax.jit(jax.jacrev(f))(x), slope)
    assert np.array_equal(jax.jit(jax.hessian(f))(x), 2 * np.zeros(np.shape(x) * 2))


@pytest.mark.parametrize("x", [1e-300, 1e200])
def test_the_comparison_does_not_warn_of_numbers_that_single_precision_does_not_have(x):
    with np.errstate(all="raise"):
        assert jax.grad(hw.wrap(ramp))(x) == 2
        assert jax.hessian(hw.wrap(ramp))(x) == 0


def test_a_kink_is_no_excuse_for_a_kept_result():
    kept = {}

    def by_distance(x):
        if not kept or abs(kept["x"] - x) > 1e-12:
            kept["x"], kept["y"] = x, np.exp(x)
        return kept["y"] + (x if x > 0 else -x)

    def at_zero(x):
        return 1.0 if x == 0 else np.expm1(x) / x

    for f in map(hw.wrap, (by_distance, at_zero)):
        assert f(0.0) == 1.0
        with pytest.raises(Exception, match="its derivative would be wrong"):
            jax.grad(f)(0.0)


def test_code_that_collects_a_number_and_writes_to_it_has_several_cotangents():
    """Of an array the list would hold the same one thrice."""

    @hw.wrap
    def f(x):
        v, seen = 0.0, []
        for _ in range(3):
            v += x if v < 10 else 0.0
            seen.append(v)
        return seen[0] * seen[1] * seen[2]

    assert jax.jacrev(f)(2.0) == pytest.approx(72)  # of 6 x^3
    assert jax.hessian(f)(2.0) == pytest.approx(72)


def test_code_that_looks_at_its_number_has_several_cotangents():
    """`jax.jacrev` and `jax.hessian` bring a batch of them to one number."""

    def function(x, y):
        return math.sin(x) * y if x > 0 else x * y

    wrapped = hw.wrap(function)
    at = lambda p: wrapped(p[0], p[1])
    p = np.array([0.3, 0.8])
    gradient = [np.cos(0.3) * 0.8, np.sin(0.3)]
    same(jax.jit(jax.jacrev(at))(p), np.array(gradient), 1e-14)
    same(jax.jacfwd(at)(p), np.array(gradient), 1e-14)
    same(jax.hessian(at)(p), np.array([[-np.sin(0.3) * 0.8, np.cos(0.3)], [np.cos(0.3), 0.0]]), 1e-14)


def kepler_of_one(mean, e):
    """As in textbooks: `math`, a branch on a number, and a name that is changed in place."""
    anomaly = mean
    while abs(step := anomaly - e * math.sin(anomaly) - mean) > 1e-13:
        anomaly -= step / (1 - e * math.cos(anomaly))
    return anomaly


@pytest.mark.parametrize("method", [None, "sequential"])
def test_code_for_one_number(method):
    """`anomaly -= ..` leaves the argument what it was, where that is a number; and it takes no array."""
    f = hw.wrap(kepler_of_one, **({"vmap_method": method} if method else {}))
    by_mean, by_e = gradients(MEAN, E)
    np.testing.assert_allclose(f(MEAN, E), kepler(MEAN, E), rtol=1e-12)
    np.testing.assert_allclose(jax.jit(f)(MEAN, E), kepler(MEAN, E), rtol=1e-12)
    assert hw.explain(f, 0.5, 0.3).way == "recorded"
    for way in (lambda g: g, jax.jit):
        np.testing.assert_allclose(way(jax.grad(f))(MEAN[1], E[1]), by_mean[1], rtol=1e-10)
        np.testing.assert_allclose(way(jax.vmap(jax.grad(f, 1)))(MEAN, E), by_e, rtol=1e-10)
        second = way(jax.grad(jax.grad(f)))(MEAN[1], E[1])
        expected = -E[1] * np.sin(kepler(MEAN, E)[1]) * by_mean[1] ** 3
        np.testing.assert_allclose(second, expected, rtol=1e-9)


def in_place(x):
    y = x
    y -= 1.0
    return x * y


def in_place_with_a_branch(x):
    y = x
    y *= 2.0
    return x * y if y > 0 else x


def in_a_copy(x):
    y = np.zeros_like(x)
    y[...] = x**2
    y += x
    return y


@pytest.mark.parametrize(
    "function, way, value, slope, curvature",
    [
        (in_place, "traced", lambda x: x * (x - 1), lambda x: 2 * x - 1, 2.0),
        (in_place_with_a_branch, "recorded", lambda x: 2 * x**2, lambda x: 4 * x, 4.0),
        (in_a_copy, "traced", lambda x: x**2 + x, lambda x: 2 * x + 1, 2.0),
    ],
)
def test_an_argument_without_axes_that_is_changed_in_place(function, way, value, slope, curvature):
    f = hw.wrap(function)
    assert hw.explain(f, 0.7).way == way
    np.testing.assert_allclose(f(0.7), value(0.7), rtol=1e-15)
    np.testing.assert_allclose(jax.jit(jax.grad(f))(0.7), slope(0.7), rtol=1e-14)
    np.testing.assert_allclose(jax.grad(jax.grad(f))(0.7), curvature, rtol=1e-14)


@pytest.mark.parametrize("way", [jax.grad, jax.jacfwd, jax.hessian], ids=["grad", "jacfwd", "hessian"])
def test_a_branch_that_vmap_runs_but_does_not_take(way):
    """In reverse mode JAX gives it zeros for what it has kept: they are no arguments, and their answer is not 0."""

    @hw.wrap
    def root(x):
        if np.ndim(x):
            raise TypeError("one number")
        if x == 0:
            raise ValueError("zero")
        y = x
        while abs(y**3 + y - x) > 1e-14:
            y = y - (y**3 + y - x) / (3 * y**2 + 1)
        return y

    f = way(lambda x: jax.lax.cond(x > 0.7, lambda x: root(jnp.sin(x)), jnp.sin, x))
    xs = jnp.array([0.6, 0.8, 0.9])
    np.testing.assert_allclose(jax.jit(jax.vmap(f))(xs), jnp.stack([f(x) for x in xs]), rtol=1e-13)


def test_a_branch_that_is_not_taken_of_a_whole_row():
    @hw.wrap("(n)->(n)")
    def shares(x):
        return x / x.sum() if x.sum() > 0 else 2 * x + 1

    f = jax.jacrev(lambda x: jax.lax.cond(x[0] > 0.7, lambda x: shares(jnp.sin(x)), jnp.sin, x))
    xs = jnp.array([[0.6, 0.2], [0.8, 0.3]])
    np.testing.assert_allclose(jax.vmap(f)(xs), jnp.stack([f(x) for x in xs]), rtol=1e-13)


def test_results_of_another_length_than_the_arguments():
    """Of a function of whole arrays, shapes need not fit."""
    wrapped = hw.wrap(out=jax.ShapeDtypeStruct((2,), float))(lambda x: x[:2] * x[2] if x[0] > 0 else x[:2])
    x = jnp.array([0.7, 1.3, 2.1])
    want = [[2.1, 0.0, 0.7], [0.0, 2.1, 1.3]]
    for along in (jax.jacrev, jax.jacfwd, lambda f: jax.jit(jax.jacrev(f))):
        np.testing.assert_allclose(along(wrapped)(x), want)


def test_slopes_that_cancel_to_rounding_are_no_kept_results():
    """A window has floor, where results could be kept, and at its end sin(pi), which is not quite 0."""
    f = lambda a: scipy.signal.windows.tukey(11, a.item())
    found = jax.jacfwd(hw.wrap(f, out=jax.ShapeDtypeStruct((11,), float)))(0.43)
    h = np.array(1e-5)
    np.testing.assert_allclose(found, (f(0.43 + h) - f(0.43 - h)) / (2 * h), atol=1e-7)

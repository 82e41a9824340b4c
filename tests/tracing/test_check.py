"""The comparison of the traced value with the host's: what is wrong is seen at each scale, and rounding never."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hostwrap as hw
from hostwrap._tracing import calls, tape, twins
from tests._kit.toys import same

SCALES = [10.0**k for k in (-200, -100, -30, -14, -6, 0, 14, 100, 200)]
V = np.array([1.0, 1.0 + 1e-9, 1.0 - 3e-9])


@pytest.fixture
def wrong_twin(monkeypatch):
    """In place of tanh, what is nearly it."""
    monkeypatch.setitem(twins.RENAMED, "tanh", "arctan")
    calls.twin_of_ufunc.cache_clear()
    yield
    calls.twin_of_ufunc.cache_clear()


WRONG = {
    "number": ("(),()->()", lambda x, s: s * np.tanh(x[()]), 0.03),
    "array": ("(n),()->(n)", lambda x, s: s * np.tanh(x), np.array([0.03, 0.02])),
    "sum": ("(n),()->()", lambda x, s: np.sum(s * np.tanh(x)) / 7, np.array([0.03, 0.02])),
    "square": ("(),()->()", lambda x, s: s * (np.tanh(x) - 0.029991003238820142) ** 2, 0.03),
    "difference": ("(),()->()", lambda x, s: s * np.tanh(x) - s * np.sin(x), 0.03),
}


@pytest.mark.usefixtures("wrong_twin")
@pytest.mark.parametrize("name", [*WRONG, "elementwise"])
def test_a_wrong_twin_is_an_error_at_each_scale(name):
    signature, function, x = WRONG.get(name, ("", lambda x, s: s * np.tanh(x), 0.03))
    f = hw.wrap(signature)(function) if signature else hw.wrap(function)
    eager = lambda x, s: jax.jvp(lambda x: f(x, s), (x,), (jnp.ones_like(x),))[1]
    for derivative in (eager, jax.jit(eager)):
        for scale in SCALES:
            with pytest.raises(Exception, match="its derivative would be wrong"):
                jax.block_until_ready(derivative(x, scale))


@pytest.mark.usefixtures("wrong_twin")
def test_of_many_elements_the_wrong_ones_are_seen():
    f = hw.wrap(lambda x, s: s * np.tanh(x))
    derivative = jax.jit(jax.vmap(jax.grad(f)))
    x, s = np.array([0.0, 0.0, 0.03]), np.array([1.0, 1e200, 1e-200])
    with pytest.raises(Exception, match=r"returned 2.999\d*e-202, the program .* 2.999\d*e-202"):
        jax.block_until_ready(derivative(x, s))
    same(derivative(0 * x, s), s, 1e-15)


RIGHT = {
    "exp": ("(),()->()", lambda x, s: s * (np.exp(x) - 1) / 1e3, 1e-14),
    "large": ("(),()->()", lambda x, s: s * np.sin(x), 1e10),
    "nothing": ("(),()->()", lambda x, s: s * x - s * (x * (1 + 1e-15) - 1e-15 * x), 0.7),
    "variance": ("(n),()->()", lambda x, s: s * (np.mean(x * x) - np.mean(x) ** 2), V),
    "sums": ("(n),()->(n)", lambda x, s: s * (np.cumsum(x) - np.cumsum(x[::-1])[::-1]) - s * (x[0] - x[-1]), V),
    "waves": ("(n),()->(n)", lambda x, s: s * np.fft.fft(np.cos(2 * np.pi * x)).imag, np.arange(8) / 8),
    "solve": ("(n),()->()", lambda x, s: s * (np.vander(x) @ np.linalg.solve(np.vander(x), x) - x)[1], V * [1, 2, 3]),
}  # fmt: skip


TIMES, TRUTH = np.linspace(0.1, 1.0, 10), np.array([5.0, 1.0, 3.0, 1.7])


def decays(p):
    return p[0] * np.exp(-p[1] * TIMES) - p[2] * np.exp(-p[3] * TIMES)


@pytest.mark.parametrize("power", [2, 4])
def test_a_sum_of_squares_that_vanishes_is_no_error(power):
    """XLA's exponentials have other last bits than NumPy's, so the traced sum is some 1e-30, the host's is 0."""
    data = decays(TRUTH)
    f = hw.wrap("(n)->()")(lambda p: np.sum((decays(p) - data) ** power))
    for derivative in (jax.grad(f), jax.jit(jax.grad(f))):
        np.testing.assert_allclose(derivative(TRUTH), 0.0, atol=1e-13)


def test_at_the_tip_of_a_cone_the_values_agree_and_the_derivative_is_nan():
    """The function of Ackley at its minimum, where NumPy and XLA round exp(1) - exp(1) to other numbers."""

    @hw.wrap("(n)->()")
    def ackley(x):
        cone = 20 * (1 - np.exp(-0.2 * np.sqrt(np.mean(x**2))))
        return cone - np.exp(np.mean(np.cos(2 * np.pi * x))) + (1 + 1e-15) * np.exp(1)

    assert np.isnan(jax.grad(ackley)(np.zeros(2))).all()


@pytest.mark.parametrize("name", RIGHT)
def test_rounding_is_no_error_at_any_scale(name):
    signature, function, x = RIGHT[name]
    f = hw.wrap(signature)(function)
    derivative = jax.jit(lambda x, s: jax.jvp(lambda x: f(x, s), (x,), (jnp.ones_like(x),))[1])
    for scale in SCALES:
        assert np.isfinite(derivative(x, scale)).all()


def test_what_rounding_makes_of_a_result():
    for function, at, wanted in (
        (lambda x: np.exp(x) - 1, 1e-14, 1.0),
        (lambda x: np.sin(x), 1e10, 1e10 * abs(np.cos(1e10))),
        (lambda x: 3 * x, 2.0, 6.0),
    ):
        (found,) = tape.rounding(tape.recordable(function), [at])
        assert 0.1 * wanted < found < 3 * wanted
    assert tape.rounding(tape.recordable(lambda x: hw.special.gamma(x)), [1.0]) is None

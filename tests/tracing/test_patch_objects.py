"""Objects of SciPy's classes under `hostwrap.patch`: those that were changed, and those whose code is followed."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.interpolate
import scipy.signal
import scipy.stats

import hostwrap as hw
from hostwrap._rules.differences import slope
from tests._kit.days import by_turns

X = np.linspace(0.0, 3.0, 6)
Y = np.sin(X) + 0.3
KNOTS = np.array([0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 3.0, 3.0, 3.0])


def bandwidth(density):
    density.set_bandwidth(0.4)


def coefficients(spline):
    spline.c = np.arange(6.0)


def in_place(spline):
    spline.c *= 2.0


def smoother(spline):
    spline.set_smoothing_factor(1.0)


CHANGED = {
    "gaussian_kde": (lambda: scipy.stats.gaussian_kde(Y), bandwidth),
    "BSpline": (lambda: scipy.interpolate.BSpline(KNOTS, Y, 3), coefficients),
    "CubicSpline": (lambda: scipy.interpolate.CubicSpline(X, Y), in_place),
    "UnivariateSpline": (lambda: scipy.interpolate.UnivariateSpline(X, Y, s=0), smoother),
}


@pytest.mark.parametrize("name", CHANGED)
def test_an_object_that_has_been_changed_answers_as_it_is(name):
    make, change = CHANGED[name]
    with hw.patch():
        made = make()
        before = made(jnp.asarray(1.3))
        change(made)
        after, theirs = made(jnp.asarray(1.3)), made(1.3)
    assert not np.allclose(before, theirs, rtol=1e-3)
    np.testing.assert_allclose(after, theirs, rtol=1e-12)


def test_an_object_that_refuses_to_be_seen_says_so():
    """What it was made of is not what it is, and its code looks at numbers."""
    with hw.patch():
        made = scipy.interpolate.BarycentricInterpolator(X, Y)
        made.set_yi(Y**2)
        with pytest.raises(hw.MissingDerivative, match=r"given a JAX array under hostwrap\.patch"):
            made(jnp.asarray(1.3))


SIGNAL, SIGNALS = np.cos(np.arange(9.0)), np.array([1.0, 0.3])
FOLLOWED = {
    "KroghInterpolator": (
        lambda y: scipy.interpolate.KroghInterpolator(X, y), lambda f, x: f.derivative(x), Y, X + 0.1
    ),
    "NdBSpline": (lambda c: scipy.interpolate.NdBSpline((KNOTS,), c, 3), lambda f, x: f(x[:, None]), Y, X * 0.9 + 0.1),
    "Rbf": (lambda y: scipy.interpolate.Rbf(X, X**2, y), lambda f, x: f(x, x), Y, X),
    "ShortTimeFFT": (
        lambda w: scipy.signal.ShortTimeFFT(w, 2, 1.0), lambda f, x: f.spectrogram(x), np.hanning(6) + 0.1, SIGNAL
    ),
    "lti": (
        lambda b: scipy.signal.lti(b, [1.0, 0.5, 0.2]),
        lambda f, x: f.output(x, np.linspace(0.0, 1.0, 9))[1], SIGNALS, SIGNAL,
    ),
    "dlti": (
        lambda b: scipy.signal.dlti(b, [1.0, 0.5, 0.2], dt=0.1), lambda f, x: f.output(x, 0.1 * np.arange(9.0))[1],
        SIGNALS, SIGNAL,
    ),
    "ZoomFFT": (lambda f: scipy.signal.ZoomFFT(9, f, 5, fs=3.0), lambda f, x: np.abs(f(x)), SIGNALS / 2, SIGNAL),
}  # fmt: skip


@pytest.mark.parametrize("name", by_turns(*FOLLOWED))
def test_objects_whose_code_is_followed(name):
    """Made of JAX arrays, or of NumPy arrays and used for JAX arrays."""
    make, use, data, at = FOLLOWED[name]
    want, along = use(make(data), at), np.sin(1 + np.arange(len(data)))
    by_data = slope(lambda t: use(make(data + t * along), at), 1e-2)[0]
    by_place = slope(lambda t: use(make(data), at + t * SIGNAL[: len(at)]), 1e-2)[0]
    with hw.patch():
        made = make(data)
        assert isinstance(made, scipy.signal.lti) == (name == "lti")
        cases = (
            (lambda y: use(make(y), at), data, along, by_data),
            (lambda x: use(made, x), at, SIGNAL, by_place),
        )
        for f, point, step, slopes in cases:
            given = jnp.asarray(point), jnp.asarray(step[: len(point)])
            value, moved = jax.jit(lambda x, d, f=f: jax.jvp(f, (x,), (d,)))(*given)
            np.testing.assert_allclose(value, want, rtol=1e-9, atol=1e-12)
            np.testing.assert_allclose(moved, slopes, rtol=1e-6, atol=1e-8)
    assert type(make(data)).__module__.startswith("scipy")


@pytest.mark.parametrize("name", ["to_ss", "to_tf", "to_zpk"])
def test_a_converted_system_has_the_methods_of_its_own_class(name):
    times, inputs = np.linspace(0, 1, 5), np.ones(5)
    expected = getattr(scipy.signal.lti([1.0], [1.0, 2.0]), name)().output(inputs, times)[1]
    with hw.patch():
        system = getattr(scipy.signal.lti(jnp.array([1.0]), jnp.array([1.0, 2.0])), name)()
        np.testing.assert_allclose(system.output(inputs, times)[1], expected, rtol=1e-12)

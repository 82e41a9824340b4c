"""Objects of SciPy's classes under hostwrap's names: values are SciPy's, derivatives beside differences of them."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.interpolate
import scipy.signal

import hostwrap as hw
from hostwrap._recipes.objects import CLASSES
from hostwrap._rules.differences import slope
from tests._kit.scipys import flat

X, Y, Z = np.linspace(0.0, 2.0, 6), np.sin(np.linspace(0.0, 2.0, 6)), np.array([0.33, 0.43])
KNOTS, C = np.arange(8.0), np.arange(4.0) ** 2
SIGNAL, WINDOW = np.sin(np.arange(24.0) ** 1.3), np.hanning(8) + 0.1
CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
MATRIX, REST = np.array([[-1.0, 0.2], [0.3, -2.0]]), (np.ones((2, 1)), np.ones((1, 2)), np.zeros((1, 1)))
TIMES = np.linspace(0.0, 1.0, 5)
# an object, made of an array and asked; s is scipy or hostwrap
USES = {
    "Krogh, data": (Y, lambda s, y: s.interpolate.KroghInterpolator(X, y)(Z)),
    "Krogh, sites": (X, lambda s, x: s.interpolate.KroghInterpolator(x, Y)(Z)),
    "Krogh, places": (Z, lambda s, z: s.interpolate.KroghInterpolator(X, Y).derivatives(z)),
    "FloaterHormann": (Y, lambda s, y: s.interpolate.FloaterHormannInterpolator(X, y, d=2)(Z)),
    "NdBSpline": (C, lambda s, c: s.interpolate.NdBSpline((KNOTS,), c, 3)(Z[:, None] + 3)),
    "NdBSpline, slope": (C, lambda s, c: s.interpolate.NdBSpline((KNOTS,), c, 3).derivative([1])(Z[:, None] + 3)),
    "Nearest": (C[:3], lambda s, c: s.interpolate.NearestNDInterpolator(CORNERS, c)(np.array([[0.3, 0.2]]))),
    "Rbf": (Y, lambda s, y: s.interpolate.Rbf(X, y, function="gaussian")(Z)),
    "stft": (SIGNAL, lambda s, x: s.signal.ShortTimeFFT(WINDOW, 2, 1.0).stft(x)),
    "spectrogram": (
        WINDOW, lambda s, w: s.signal.ShortTimeFFT(w, 2, 1.0, scale_to="psd").spectrogram(SIGNAL, detr="linear")
    ),
    "from_window": (SIGNAL, lambda s, x: s.signal.ShortTimeFFT.from_window("hann", 10.0, 8, 4).stft(x)),
    "StateSpace": (MATRIX, lambda s, a: s.signal.StateSpace(a, *REST).impulse(T=TIMES)),
    "to_discrete": (MATRIX, lambda s, a: s.signal.StateSpace(a, *REST).to_discrete(0.1).A),
    "TransferFunction": (X[1:3], lambda s, b: s.signal.TransferFunction(b, [1.0, 2.0, 3.0]).num),
    "lti": (X[1:3], lambda s, b: s.signal.lti(b, [1.0, 2.0, 3.0]).bode(TIMES + 0.1)),
    "CZT": (SIGNAL, lambda s, x: s.signal.CZT(24, m=7)(x)),
    "a window": (np.array(0.7), lambda s, a: s.signal.windows.tukey(8, a)),
}  # fmt: skip


@pytest.mark.parametrize("name", USES)
@pytest.mark.rotating
def test_values_and_derivatives(name):
    at, use = USES[name]
    theirs = lambda x: np.asarray(flat(use(scipy, x)))
    ours = lambda x: flat(use(hw, x))
    np.testing.assert_allclose(ours(jnp.asarray(at)), theirs(at), rtol=1e-14, atol=1e-15)
    random = np.random.default_rng(1)
    along, weights = random.normal(size=at.shape), random.normal(size=theirs(at).shape)
    want, error = slope(lambda t: weights @ theirs(at + t * along), 0.02)
    got = jax.jit(jax.grad(lambda x: weights @ ours(x)))(jnp.asarray(at))
    assert abs(np.sum(got * along) - want) <= 1e-7 * np.abs(want) + 10 * error + 1e-12
    np.testing.assert_allclose(
        jax.jvp(lambda x: weights @ ours(x), (at,), (along,))[1], want, 1e-6, 10 * error
    )


def test_an_object_is_a_pytree():
    f = hw.interpolate.KroghInterpolator(X, jnp.asarray(Y))
    np.testing.assert_array_equal(
        jax.jit(lambda f, z: f(z))(f, Z), scipy.interpolate.KroghInterpolator(X, Y)(Z)
    )
    slopes = jax.grad(lambda f: f(0.3))(f)
    np.testing.assert_allclose(sum(jax.tree.leaves(slopes)[1]), 1.0, rtol=1e-10)
    assert jax.tree.map(np.shape, jax.tree.leaves(jax.eval_shape(lambda f: f, f))) == [X.shape, Y.shape]


def test_it_keeps_what_it_was_made_of():
    data = Y.copy()
    f = hw.interpolate.KroghInterpolator(X, data)
    data[:] = 0.0
    want = scipy.interpolate.KroghInterpolator(X, Y)(0.3)
    assert f(0.3) == want
    np.testing.assert_allclose(jax.jit(f)(0.3), want, rtol=1e-14)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: hw.interpolate.KroghInterpolator(X), TypeError, "missing a required argument: 'yi'"),
        (lambda: hw.interpolate.KroghInterpolator(X, Y[:3]), ValueError, "must be equal in length"),
        (lambda: stft().scale_to("psd"), AttributeError, "would change it: make another"),
        (lambda: setattr(stft(), "fft_mode", "centered"), AttributeError, "fft_mode cannot be set"),
        (lambda: stft().nonsense, AttributeError, "nonsense"),
        (lambda: hw.interpolate.interp2d, AttributeError, "hostwrap.interpolate"),
    ],
)
def test_what_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()


def stft():
    return hw.signal.ShortTimeFFT(WINDOW, 2, 1.0)


def test_knots_that_move_with_the_data_are_refused():
    sites = np.repeat(np.arange(5.0), 5), np.tile(np.arange(5.0), 5)
    with pytest.raises(hw.MissingDerivative, match="there is no derivative"):
        jax.grad(lambda z: hw.interpolate.SmoothBivariateSpline(*sites, z, s=5.0)(0.3, 0.3)[0, 0])(
            jnp.sin(jnp.arange(25.0))
        )


def test_errors_and_warnings_are_scipys():
    assert hw.linalg.LinAlgError is np.linalg.LinAlgError
    assert hw.interpolate.KroghInterpolator is hw.interpolate.KroghInterpolator


@pytest.mark.parametrize("module", CLASSES)
def test_each_class_is_scipys_and_none_of_hostwraps(module):
    import importlib

    for name in CLASSES[module]:
        theirs = getattr(importlib.import_module(f"scipy.{module}"), name, None)
        if theirs is not None:  # SciPy 1.16 has RigidTransform
            own = getattr(importlib.import_module(f"hostwrap.{module}"), name)
            assert own.theirs is theirs

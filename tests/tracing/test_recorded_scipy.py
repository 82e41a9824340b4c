"""SciPy's filters, transforms and distances in recorded code, and what code asks of its arrays."""

import jax
import numpy as np
import pytest
import scipy.fft
import scipy.ndimage as ni
import scipy.signal as sg
from scipy.spatial import distance

import hostwrap as hw
from hostwrap._tracing.compiled import neighbours
from hostwrap._tracing.tape import run
from tests.tracing.corpus.differences import jacobian

RNG = np.random.default_rng(6)
X, IMAGE = RNG.normal(size=24), RNG.normal(size=(4, 5))
SECTIONS = sg.butter(4, 0.3, output="sos")
CROSS = ni.generate_binary_structure(2, 1)

SHAPES = pytest.mark.filterwarnings("ignore:Setting the shape:DeprecationWarning")  # of NumPy 2.5


def asks(x):
    class Meta(type):
        def __new__(cls, name, bases, namespace):
            return type.__new__(cls, name, bases, {**namespace, "factor": 3.0})

    class Made(metaclass=Meta):
        pass

    known = type("Known", (), {})
    assert type(x) is np.ndarray and type(x[0]) is np.float64 and float is float and type(known) is type
    assert isinstance(known, type) and type(Made) is Meta and isinstance(x, type(x) | list)
    return x * Made.factor * type(x[0])(2)


def reshaped(x):
    y = x * x
    y.shape = (4, 6)
    y[0, 1] = x[3]
    return y[:, 1]


USES = {
    "type(x)": (asks, X),
    "x.shape = ": (reshaped, X),
    "tensorsolve": (lambda a: np.linalg.tensorsolve(a[:, :4], a[:, 4]), IMAGE),
    "peaks": (lambda x: x[sg.find_peaks(x, distance=3)[0]] ** 2, X),
    "fft": (lambda x: abs(scipy.fft.fft(x, 20, norm="ortho")) + scipy.fft.irfft(scipy.fft.rfft(x))[:20], X),
    "fft2": (lambda x: abs(scipy.fft.fft2(x)) + scipy.fft.irfftn(scipy.fft.rfftn(x), x.shape), IMAGE),
    "dct": (lambda x: scipy.fft.dct(x, axis=0) + scipy.fft.idst(x, type=3, axis=0, norm="ortho"), IMAGE),
    "fftconvolve": (lambda x: sg.fftconvolve(x, x[:5], "same") + sg.oaconvolve(x, x[:3], "same"), X),
    "hilbert": (lambda x: abs(sg.hilbert(x)), X),
    "resample": (lambda x: sg.resample(x, 9), X),
    "resample_poly": (lambda x: sg.resample_poly(x, 3, 2), X),
    "upfirdn": (lambda x: sg.upfirdn([1.0, 0.5, 0.2], x, 2, 3), X),
    "upfirdn, a constant beyond": (lambda x: sg.upfirdn(x, [1.0, 0.5], 2, 3, mode="constant", cval=0.3), X),
    "upfirdn, antireflect": (lambda x: sg.upfirdn([1.0, 0.5, 0.2, 1.0, 2.0], x, 1, 3, mode="antireflect"), X),
    "sosfilt": (lambda x: sg.sosfilt(SECTIONS, x), X),
    "sosfiltfilt": (lambda x: sg.sosfiltfilt(SECTIONS, x, padlen=4), X),
    "welch": (lambda x: sg.welch(x, nperseg=8)[1], X),
    "stft": (lambda x: abs(sg.stft(x, nperseg=8)[2]), X),
    "freqz": (lambda x: abs(sg.freqz([x[0]], [1.0, x[1]], worN=4)[1]) + np.broadcast_to(x[2], (2, 4)), X),
    "convolve": (lambda x: ni.convolve(x, x[:3, :2]) + ni.correlate(x, x[:2, :3], mode="wrap", origin=-1), IMAGE),
    "uniform_filter": (lambda x: ni.uniform_filter(x, (2, 3), mode="nearest"), IMAGE),
    "extremes": (lambda x: ni.maximum_filter(x, 3) - ni.minimum_filter(x, footprint=CROSS, mode="mirror"), IMAGE),
    "morphology": (lambda x: ni.grey_opening(x, 3) + ni.grey_dilation(x, structure=CROSS * 0.2), IMAGE),
    "ranks": (lambda x: ni.median_filter(x, 3) + ni.percentile_filter(x, 30, footprint=CROSS), IMAGE),
    "ranks in a row": (lambda x: ni.median_filter(x, 3, mode="constant", cval=0.1), X),
    "labels": (lambda x: np.array([x[ni.label(x > 0)[0] == k].sum() for k in (1, 2)]), X),
    "cdist": (lambda a: distance.cdist(a, a[:2] + 3), IMAGE),
    "minkowski": (lambda a: distance.cdist(a, a[:2] + 3, "minkowski", p=3) + distance.pdist(a, "cityblock")[0], IMAGE),
    "minkowski, the largest": (lambda a: distance.cdist(a, a[:2] + 3, "minkowski", p=np.inf), IMAGE),
    "pdist": (lambda a: distance.squareform(distance.pdist(a, "sqeuclidean")) + distance.pdist(a, "chebyshev")[0],
              IMAGE),
}  # fmt: skip


@SHAPES
@pytest.mark.parametrize("use", USES)
def test_uses(use):
    f, x = USES[use]
    exact = run(f, [x], [True]).value[0]
    np.testing.assert_allclose(exact, f(x), rtol=1e-11, atol=1e-13)
    check_slopes(f, x)


def check_slopes(f, x, h=1e-4):
    """Forward beside differences along one direction, and backward beside forward."""
    recorded, step = run(f, [x], [True]), RNG.normal(size=np.shape(x))
    along = recorded.jvp([step])[0]
    at = lambda k: f(x + k * h * step)
    np.testing.assert_allclose(
        along, (8 * (at(1) - at(-1)) - at(2) + at(-2)) / (12 * h), rtol=1e-6, atol=1e-7
    )
    c = RNG.normal(size=np.shape(along))
    np.testing.assert_allclose(np.sum(recorded.vjp([c])[0] * step), np.sum(c * along), rtol=1e-9)


@pytest.mark.parametrize("name", neighbours.METRICS)
def test_distances(name):
    a, b = RNG.normal(size=(4, 3)), RNG.normal(size=(2, 3))
    options = {"p": 2.5} if name == "minkowski" else {}
    np.testing.assert_allclose(
        neighbours.METRICS[name](a, b, **options), distance.cdist(a, b, name, **options)
    )


@SHAPES
@pytest.mark.parametrize("looks", [False, True])
def test_a_view_of_what_gets_another_shape_keeps_its_own(looks):
    """It shares the memory with the array of the new shape: each sees what is written to the other."""

    def f(x):
        y = x * 2
        first, again = y[:12], y[:12][::2]
        first[1] = x[2] ** 2
        if not looks or x[0] > 0:
            y.shape = (2, 12)
        y[0, 3], again[2] = x[5] * x[6], x[7] ** 3
        return first * y[1] + y[0] ** 2

    x = abs(X[:24])
    wrapped = hw.wrap(out=jax.ShapeDtypeStruct((12,), float))(f)
    np.testing.assert_allclose(jax.jacrev(wrapped)(x), jacobian(f, x).value, rtol=1e-8, atol=1e-9)


@SHAPES
@pytest.mark.parametrize("looks", [False, True])
def test_a_view_that_was_written_to_gets_another_shape(looks):
    """What was written to it was written in its old shape; a view may be the real part of an array, too."""

    def f(x):
        y, z = (x * 2).reshape(6, 4), x[:12] * (1 + 2j) + 1j * x[12:] ** 2
        y[0] = x[4] ** 2
        part = z.imag
        part[3] = x[1] * x[2]
        if not looks or x[0] > 0:
            y.shape, part.shape = (2, 12), (3, 4)
        part[1, 2] = x[3] ** 3
        return y[0] * y[1] + z.imag * z.real + np.ravel(part) ** 2

    x = abs(X[:24])
    wrapped = hw.wrap(out=jax.ShapeDtypeStruct((12,), float))(f)
    np.testing.assert_allclose(jax.jacrev(wrapped)(x), jacobian(f, x).value, rtol=1e-8, atol=1e-9)


WAVE = np.sin(np.arange(30.0) * 0.7) + 0.3 * np.cos(np.arange(30.0) ** 1.3)


def of_widths(x):
    _, found = sg.find_peaks(x, width=0.3, rel_height=0.6, prominence=0.1)
    names = ("prominences", "widths", "left_ips", "width_heights", "right_ips")
    return np.concatenate([found[name] for name in names])


def of_windows(x):
    peaks, _ = sg.find_peaks(x, height=0.2, distance=2)
    return sg.peak_prominences(x, peaks, wlen=7)[0] - sg.peak_widths(x, peaks, 0.4)[0]


@pytest.mark.parametrize("f", [of_widths, of_windows])
def test_peaks(f):
    recorded = run(f, [WAVE.copy()], [True])
    np.testing.assert_allclose(recorded.value[0], f(WAVE), rtol=1e-12)
    along = np.cos(np.arange(30.0))
    slope = (f(WAVE + 1e-6 * along) - f(WAVE - 1e-6 * along)) / 2e-6
    np.testing.assert_allclose(recorded.jvp([along])[0], slope, rtol=1e-6, atol=1e-8)

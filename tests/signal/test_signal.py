"""`hostwrap.signal`: SciPy's bits, and derivatives by differences of them."""

import doctest
import types

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.signal

import hostwrap as hw
from hostwrap import signal
from hostwrap._recipes import continued
from hostwrap._rules.differences import slope
from hostwrap.signal import _convolutions as convolutions
from hostwrap.signal import _rates as rates
from hostwrap.signal import _responses as responses
from tests._kit import scipys
from tests._kit.days import LONG_TURN
from tests._kit.scipys import Case
from tests._kit.toys import each_lane, fresh_lane, same  # noqa: F401
from tests._kit.versions import SCIPY

random = np.random.default_rng(3)
X, LONG, TABLE = random.normal(size=11), random.normal(size=31), random.normal(size=(4, 9))
COMPLEX = X + 1j * random.normal(size=11)
B, A = np.array([0.3, -0.2, 0.5]), np.array([1.3, -0.4, 0.2, 0.05])
SOS = np.array([[0.2, 0.3, 0.1, 1.0, -0.5, 0.2], [1.0, -0.3, 0.2, 1.0, 0.4, 0.1]])
STATE, STATES = random.normal(size=3), random.normal(size=(2, 4, 2))
IMAGE, KERNEL = random.normal(size=(4, 5)), random.normal(size=(2, 3))
MODES = ("full", "same", "valid")

CASES = [
    Case("lfilter", (B, A, X), {}, 3),
    Case("lfilter", (B, A, TABLE), {"axis": 0}, 3),
    Case("lfilter", (B * 1j, A, COMPLEX), {}, 3),
    Case("lfilter", (B, np.array([2.0]), X), {}, 3),
    Case("sosfilt", (SOS, TABLE), {"axis": 0}),
    Case("lfilter_zi", (B, A), {}, 2),
    Case("sosfilt_zi", (SOS,)),
    *(Case("filtfilt", (B, A, LONG), {"padtype": p}, 3) for p in ("odd", "even", "constant", None)),
    Case("filtfilt", (B, A, np.stack([LONG, LONG**2], 1)), {"axis": 0, "padlen": 4}, 3),
    *(Case("convolve", (IMAGE, KERNEL), {"mode": m}, 2) for m in MODES),
    Case("convolve", (KERNEL, IMAGE), {"mode": "valid", "method": "direct"}, 2),
    Case("convolve", (COMPLEX, B), {"mode": "same"}, 2),
    *(Case("correlate", (IMAGE, KERNEL), {"mode": m, "method": "direct"}, 2) for m in MODES),
    *(Case("correlate", (X[:2] + 1j, COMPLEX), {"mode": m}, 2) for m in MODES),
    *(Case("fftconvolve", (IMAGE, KERNEL), {"mode": m}, 2) for m in MODES),
    Case("oaconvolve", (LONG, B), {"mode": "same"}, 2),
    *(Case("hilbert", (X,), {"N": n}) for n in (None, 12, 8)),
    Case("hilbert", (TABLE,), {"axis": 0}),
    *(Case("resample", (X,), {"num": n}) for n in (7, 8, 11, 16)),
    *(Case("resample", (TABLE,), {"num": n, "axis": 0, "window": "hamming"}) for n in (3, 2, 4, 8)),
    *(Case("resample", (COMPLEX[:8],), {"num": n, "window": ("kaiser", 3.0)}) for n in (4, 5, 12)),
    Case("resample", (COMPLEX,), {"num": 6, "domain": "freq"}),
    *(Case("upfirdn", (B, X), {"up": u, "down": d}, 2) for u, d in ((1, 1), (3, 2), (2, 5))),
    Case("upfirdn", (B, TABLE), {"up": 2, "axis": 0}, 2),
    *(
        Case("resample_poly", (TABLE,), {"up": u, "down": d, "axis": 1, "padtype": p})
        for u, d, p in (
            (3, 2, "constant"),
            (2, 6, "mean"),
            (5, 3, "maximum"),
            (3, 4, "smooth"),
            (2, 3, "line"),
        )
    ),
    *(
        Case("upfirdn", (LONG[:9], X[:4]), {"up": 3, "down": 2, "mode": m, "cval": 0.3}, 2)
        for m in continued.MODES
    ),
    Case("upfirdn", (B, TABLE), {"up": 1, "down": 7, "axis": 0, "mode": "antireflect"}, 2),
    Case("resample_poly", (X,), {"up": 2, "down": 2}),
    *(
        Case("savgol_filter", (TABLE,), {"window_length": 5, "polyorder": 2, "deriv": d, "mode": m})
        for d, m in ((0, "interp"), (1, "mirror"), (2, "constant"))
    ),
    *(
        Case("savgol_filter", (LONG,), {"window_length": 4, "polyorder": 2, "mode": m})
        for m in ("wrap", "interp")
    ),
]
RESPONSES = ("freqz", "czt", "zoom_fft")
CASES += [
    Case("freqz", (B, A, np.array([0.3, 1.0, 2.5])), {}, 2),
    Case("freqz", (B * 1j, A, 4), {"whole": True, "fs": 2.0}, 2),
    Case("czt", (X, 5, np.exp(-0.3j), 1.1 + 0.2j)),
    Case("czt", (TABLE,), {"axis": 0}),
    Case("zoom_fft", (X, [0.1, 0.4]), {"m": 6, "endpoint": True}),
]
every = pytest.mark.parametrize("case", **scipys.each(CASES))
# of sections SciPy wants a[0] = 1, which differences would move: see below
smooth = pytest.mark.parametrize("case", **scipys.each([c for c in CASES if not c.name.startswith("sos")]))
near = [case for case in CASES if case.name in RESPONSES]
DESIGNS = [("bessel",), ("butter",), ("cheby1", 1.0), ("cheby2", 30.0), ("ellip", 1.0, 30.0)]
FEW = [CASES[1], CASES[7], CASES[12], CASES[27]]
some = pytest.mark.parametrize("case", **scipys.each(FEW))


def test_every_function_is_tested():
    elsewhere = {
        "medfilt2d",
        "sosfiltfilt",
        "sosfreqz",
        "freqz_sos",
        *(name for name, *_ in DESIGNS),
        "firwin",
        "remez",
    }
    mirrored = {"cspline2d", "qspline2d", "sepfir2d", "spline_filter", "symiirorder1", "symiirorder2"}
    mirrored |= {"peak_prominences", "peak_widths"}  # all of test_signal_mirrored
    assert sorted({case.name for case in CASES} | elsewhere | mirrored) == sorted(signal.__all__)


@pytest.mark.parametrize("case", **scipys.each([case for case in CASES if case.name not in RESPONSES]))
def test_values_are_scipys_own(case):
    scipys.bits(signal, scipy.signal, case)


@pytest.mark.parametrize("case", **scipys.each(near))
def test_values_are_near_those_of_scipy(case):
    """SciPy takes an FFT for many frequencies, and one formula for the default of w."""
    expected = jax.tree.map(jnp.asarray, case.of(scipy.signal)(*case.point))
    same(case.of(signal)(*case.point), expected, 1e-12)


@pytest.mark.rotating
@pytest.mark.parametrize(
    ("kind", "output"), [("low", "ba"), ("high", "sos"), ("bandpass", "sos"), ("bandstop", "ba")]
)
@pytest.mark.parametrize("design", DESIGNS, ids=lambda d: d[0])
def test_designs_of_filters(design, kind, output):
    name, *ripples = design
    edges = np.array([0.3, 0.5]) if kind.startswith("band") else np.array(0.3)
    given = {"btype": kind, "output": output}

    def of(module):
        return types.SimpleNamespace(f=lambda *args: getattr(module, name)(3, *args, **given))

    case = Case("f", (*map(np.array, ripples), edges), {}, 1 + len(ripples), 0.005)
    scipys.bits(of(signal), of(scipy.signal), case)
    scipys.derivatives(of(signal), of(scipy.signal), case)


def test_windowed_design_and_the_response_of_sections():
    case = Case("f", (np.array([0.3, 0.6]),), {}, 1, 0.01)

    def of(module):
        return types.SimpleNamespace(f=lambda c: module.firwin(9, c, pass_zero=False))

    scipys.bits(of(signal), of(scipy.signal), case)
    scipys.derivatives(of(signal), of(scipy.signal), case)
    same(signal.sosfreqz(SOS, 5)[1], jnp.asarray(scipy.signal.sosfreqz(SOS, 5)[1]), 1e-14)
    gain = lambda s, m: abs(m.sosfreqz(s, np.array([0.3, 1.0]))[1]).sum()
    step = random.normal(size=SOS.shape) * (np.arange(6) != 3)
    exact, _ = slope(lambda t: np.asarray(gain(SOS + t * step, scipy.signal)), 0.01)
    same(jnp.sum(jax.grad(gain)(SOS, signal) * step), exact, 1e-9)


EDGES = np.array([0.02, 0.13, 0.22, 0.31, 0.41, 0.48])


@pytest.mark.rotating
@pytest.mark.parametrize(
    ("numtaps", "type"),
    [(7, "bandpass"), (8, "bandpass"), (11, "differentiator"), (9, "hilbert"), (12, "hilbert")],
)
def test_filters_of_least_ripple(numtaps, type):
    case = Case("f", (EDGES, np.array([0.1, 1.0, 0.3]), np.array([1.0, 2.0, 0.7])), {}, 3, 1e-4, 1e-7)

    def of(module):
        return types.SimpleNamespace(f=lambda b, d, w: module.remez(numtaps, b, d, weight=w, type=type))

    scipys.bits(of(signal), of(scipy.signal), case)
    scipys.derivatives(of(signal), of(scipy.signal), case)
    same(
        signal.remez(7, 2 * EDGES, [0, 1, 0], fs=2),
        jnp.asarray(scipy.signal.remez(7, EDGES, [0, 1, 0])),
        1e-12,
    )


def test_a_filter_that_is_not_of_least_ripple_has_no_derivative():
    """SciPy returns what it has after so few iterations."""
    design = lambda d: signal.remez(30, EDGES, d, maxiter=1)
    assert np.isfinite(design(np.array([0.0, 1.0, 0.0]))).all()
    with pytest.raises(jax.errors.JaxRuntimeError, match="not the one of least ripple"):
        jax.block_until_ready(jax.jvp(design, (np.array([0.0, 1.0, 0.0]),), (np.ones(3),)))


@pytest.mark.rotating(turn=LONG_TURN)
@smooth
def test_derivatives_of_both_modes_and_orders(case):
    scipys.derivatives(signal, scipy.signal, case)


@some
def test_derivatives_of_some_each_day(case):
    scipys.derivatives(signal, scipy.signal, case)


@some
def test_batches_and_single_precision(case):
    scipys.batches(signal, case)
    scipys.narrow(signal, case)


class Positional:
    """Functions of the arrays alone, in an order in which all come first."""

    def __init__(self, module):
        self.state = lambda b, a, x, zi, axis=-1: module.lfilter(b, a, x, axis, zi)
        self.states = lambda sos, x, zi: module.sosfilt(sos, x, 0, zi)
        self.both = lambda x: module.sosfiltfilt(SOS, x)
        # SciPy's own sections have a[0] = 1
        self.sections = lambda b, a, x: module.sosfiltfilt(
            _sections(b, a, np if module is scipy.signal else jnp), x
        )


def _sections(b, a, xp):
    return xp.concatenate([b, xp.ones((2, 1)), a], 1)


OURS, THEIRS = Positional(signal), Positional(scipy.signal)
WITH_STATES = [
    Case("state", (B, A, X, STATE), {}, 4),
    Case("state", (B, A, X[:2], STATE), {}, 4),
    Case("state", (B, A, TABLE, random.normal(size=(3, 9))), {"axis": 0}, 4),
    Case("states", (SOS, TABLE.T, np.moveaxis(STATES, 1, 2)), {}, 1),
    Case("both", (LONG,)),
]


@pytest.mark.rotating
@pytest.mark.parametrize("case", WITH_STATES, ids=str)
def test_states_go_in_and_come_out(case):
    if case.name == "states":  # sos[:, 3] must stay 1
        sos, x, zi = case.args
        ours, theirs = ((lambda x, zi, m=m: m.sosfilt(sos, x, 0, zi)) for m in (signal, scipy.signal))
        modules = (type("", (), {"f": staticmethod(f)}) for f in (ours, theirs))
        ours, theirs = modules
        scipys.bits(ours, theirs, Case("f", (x, zi), {}, 2))
        scipys.derivatives(ours, theirs, Case("f", (x, zi), {}, 2))
        return
    scipys.bits(OURS, THEIRS, case)
    scipys.derivatives(OURS, THEIRS, case)


@pytest.mark.rotating
def test_derivatives_in_the_sections():
    """In what SciPy lets vary: not in a[0]."""

    def of(module, xp):
        return lambda b, a: module.sosfiltfilt(_sections(b, a, xp), LONG, padlen=9)

    case = Case("f", (SOS[:, :3], SOS[:, 4:]), {}, 2)
    ours, theirs = (type("", (), {"f": staticmethod(of(*m))}) for m in ((signal, jnp), (scipy.signal, np)))
    scipys.derivatives(ours, theirs, case)
    same(jax.grad(lambda s: signal.sosfilt(s, X).sum())(SOS)[:, 3], jnp.zeros(2))


def test_resample_gives_times_too():
    t = np.linspace(0.0, 1.0, 11)
    same(signal.resample(X, 6, t), scipy.signal.resample(X, 6, t), 1e-15)


@pytest.mark.rotating
@pytest.mark.usefixtures("fresh_lane")
def test_gradients_in_each_lane():
    f = lambda b, a, x: jnp.sum(signal.filtfilt(b, a, x) ** 2)
    same(jax.jit(jax.grad(f, (0, 1, 2)))(B, A, LONG), jax.grad(f, (0, 1, 2))(B, A, LONG), 1e-11)


def test_lists_are_arrays():
    same(signal.lfilter([1.0], [1.0, -0.5], [1, 0, 0]), np.array([1.0, 0.5, 0.25]))


@pytest.mark.rotating
@pytest.mark.parametrize("module", [signal, convolutions, rates, responses])
def test_the_examples_say_what_comes_out(module):
    found = doctest.testmod(module)
    assert found.attempted and not found.failed


def test_the_examples_of_designs():
    for name in ("firwin", "remez", *(name for name, *_ in DESIGNS)):
        function = getattr(signal, name)
        for example in doctest.DocTestFinder(recurse=False).find(function, name, globs={name: function}):
            assert example.examples and not doctest.DocTestRunner().run(example).failed


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: signal.lfilter("cat", A, X), "lfilter: `b` must be a number or an array"),
        (lambda: signal.convolve(IMAGE, B), r"as many axes, .* got \(4, 5\), \(3,\)"),
        (lambda: signal.convolve(X, B, "half"), "mode='half'"),
        (lambda: jax.jit(lambda s: signal.sosfiltfilt(s, LONG))(SOS), "`sos` is traced; give padlen="),
        (lambda: signal.hilbert(LONG, axes=0), "hilbert.*keyword argument 'axes'"),
        (
            lambda: signal.filtfilt(B, A, LONG, method="half"),
            "filtfilt: method='half' must be 'pad' or 'gust'",
        ),
    ],
)
def test_what_does_not_fit_is_refused(call, words):
    with pytest.raises(hw.SignatureError, match=words):
        call()


@pytest.mark.parametrize(
    ("call", "taps"),
    [
        (lambda m, w: m.resample_poly(LONG, 2, 3, window=w), B),
        (lambda m, w: m.resample(X, 7, window=w), 1 + X**2),
        pytest.param(
            lambda m, w: m.firwin(15, 0.4, width=w), 0.3,
            marks=pytest.mark.skipif(SCIPY < (1, 17), reason="its code looks at the numbers of the window"),
        ),
    ],
)  # fmt: skip
def test_an_array_in_place_of_a_name(call, taps):
    """SciPy's code is followed: there is a derivative in the window."""
    np.testing.assert_allclose(
        call(signal, jnp.asarray(taps)), call(scipy.signal, taps), rtol=1e-12, atol=1e-12
    )
    along = np.cos(np.arange(np.size(taps))).reshape(np.shape(taps))
    want = slope(lambda t: call(scipy.signal, taps + t * along))[0]
    got = jax.jit(lambda w: jax.jvp(lambda w: call(signal, w), (w,), (jnp.asarray(along),))[1])(
        jnp.asarray(taps)
    )
    np.testing.assert_allclose(got, want, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("size", [3, (3, 5)])
def test_medians_of_images(size):
    image = np.random.default_rng(7).normal(size=(4, 6))
    np.testing.assert_array_equal(signal.medfilt2d(image, size), scipy.signal.medfilt2d(image, size))
    step = np.cos(image)
    moved = (scipy.signal.medfilt2d(image + t * step, size) for t in (1e-6, -1e-6))
    forward = jax.jvp(lambda x: signal.medfilt2d(x, size), (image,), (step,))[1]
    np.testing.assert_allclose(forward, (next(moved) - next(moved)) / 2e-6, atol=1e-8)
    pulled = jax.grad(lambda x: (signal.medfilt2d(x, size) * step).sum())(image)
    np.testing.assert_allclose((pulled * step).sum(), (forward * step).sum(), rtol=1e-12)


def test_the_method_of_gustafsson():
    """By SciPy's own code; linear in the signal."""
    f, along = lambda x: signal.filtfilt(B, A, x, method="gust"), jnp.asarray(np.cos(np.arange(len(LONG))))
    want = scipy.signal.filtfilt(B, A, along, method="gust")
    value, moved = jax.jvp(f, (LONG,), (along,))
    np.testing.assert_allclose(value, scipy.signal.filtfilt(B, A, LONG, method="gust"), rtol=1e-12)
    np.testing.assert_allclose(moved, want, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(
        jax.jit(jax.grad(lambda x: f(x) @ along))(LONG) @ along, want @ along, rtol=1e-9
    )

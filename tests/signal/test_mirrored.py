"""`hostwrap.signal`, peaks and filters of a mirrored signal: SciPy's values, derivatives by differences of them."""

import doctest

import jax
import numpy as np
import pytest
import scipy.signal

import hostwrap as hw
from hostwrap import signal
from hostwrap.signal import _mirrored as mirrored
from hostwrap.signal import _peaks as peaks
from tests._kit.along import both_ways, change, flat, quickly
from tests._kit.days import by_turns

random = np.random.default_rng(8)
X, IMAGE, SMALL = random.normal(size=30), random.normal(size=(22, 20)), random.normal(size=(6, 7))
PEAKS = scipy.signal.find_peaks(X)[0]
CASES = {
    "peak_prominences": (lambda m, x: m.peak_prominences(x, PEAKS)[0], 1e-7, X),
    "short peak_prominences": (lambda m, x: m.peak_prominences(x, PEAKS, 6)[0], 1e-7, X),
    "peak_widths": (lambda m, x, h: m.peak_widths(x, PEAKS, h), 1e-6, X, 0.4),
    # the height is that of a base, so that one end does not move
    "whole peak_widths": (lambda m, x: m.peak_widths(x, PEAKS, 1.0)[1:], 1e-6, X),
    # beyond the bases
    "wide peak_widths": (lambda m, x: m.peak_widths(x, PEAKS, 1.2)[:2], 1e-6, X),
    "given peak_widths": (
        lambda m, x, p: m.peak_widths(x, PEAKS, 0.5, (p, *scipy.signal.peak_prominences(X, PEAKS)[1:])),
        1e-6, X, scipy.signal.peak_prominences(X, PEAKS)[0]),
    "symiirorder1": (lambda m, x, c, z: m.symiirorder1(x, c, z), 1e-8, X, 0.7, -0.3),
    "symiirorder1 of rows": (lambda m, x, c, z: m.symiirorder1(x, c, z, 1e-2), 1e-8, SMALL, 0.7, 0.4),
    "symiirorder2": (lambda m, x, r, w: m.symiirorder2(x, r, w), 1e-7, X, 0.3, 0.8),
    "coarse symiirorder2": (lambda m, x, r, w: m.symiirorder2(x, r, w, 1e-3), 1e-7, X, 0.3, 0.8),
    "sepfir2d": (lambda m, x, h, g: m.sepfir2d(x, h, g), 1e-8, SMALL, random.normal(size=3), random.normal(size=5)),
    "cspline2d": (lambda m, x: m.cspline2d(x), 1e-8, IMAGE),
    "smooth cspline2d": (lambda m, x: m.cspline2d(x, 0.1), 1e-7, IMAGE),
    "qspline2d": (lambda m, x: m.qspline2d(x), 1e-8, IMAGE),
    "spline_filter": (lambda m, x: m.spline_filter(x, 0.1), 1e-7, IMAGE),
}  # fmt: skip


@pytest.mark.parametrize("name", by_turns(*CASES))
def test_values_and_derivatives(name):
    call, close, *at = CASES[name]
    along = [random.normal(size=np.shape(x)) for x in at]
    ours, theirs = (lambda *x, m=m: flat(call(m, *x)) for m in (signal, scipy.signal))
    assert np.array_equal(quickly(ours)(*at), theirs(*at))
    expected = change(theirs, at, along, 1e-5)
    weights = random.normal(size=expected.shape)
    _, tangent, pulled = both_ways(ours, at, along, weights)
    np.testing.assert_allclose(tangent, expected, rtol=close, atol=close)
    np.testing.assert_allclose(pulled, weights @ tangent, rtol=1e-9)


def test_batches_of_peaks():
    both = np.stack([X, X + 0.01 * random.normal(size=30)])
    found = jax.jit(jax.vmap(lambda x: signal.peak_widths(x, PEAKS[2:4])[0]))(both)
    np.testing.assert_array_equal(found[1], scipy.signal.peak_widths(both[1], PEAKS[2:4])[0])


@pytest.mark.rotating
def test_the_examples_say_what_comes_out():
    for module in (mirrored, peaks):
        assert not doctest.testmod(module).failed


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (
            lambda: signal.peak_prominences(SMALL, PEAKS),
            hw.SignatureError,
            r"peak_prominences: wants a signal",
        ),
        (lambda: signal.peak_widths(X, X), hw.SignatureError, r"peak_widths: wants a signal"),
        (lambda: signal.peak_prominences(X, np.array([99])), ValueError, "not a valid index"),
        (lambda: signal.symiirorder1(X, 1.0, 1.5), ValueError, "z1"),
    ],
)
def test_what_does_not_fit_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()

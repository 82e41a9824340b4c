"""`hostwrap.testing.plot_ulp`: what is drawn is the error, and what is inaccurate is seen to be."""

import jax.numpy as jnp
import matplotlib
import mpmath
import numpy as np
import pytest
from matplotlib import pyplot

import hostwrap as hw
from hostwrap import special
from hostwrap.testing import plot_ulp

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    pyplot.close("all")


def sine(slope=jnp.cos, host=np.sin):
    """sin x with a rule, or a host function, that a test may replace."""

    @hw.wrap
    def sine(x):
        return host(x)

    return sine.defpartials(x=lambda ans, x: slope(x))


def drawn(ax, what="error", dtype="float64"):
    (line,) = (line for line in ax.lines if line.get_label() == f"{dtype}: {what}")
    return line.get_ydata()


def test_an_accurate_function_has_errors_of_an_ulp_in_both_precisions():
    axes = plot_ulp(sine(), (0.1, 3.0), reference=mpmath.sin, points=20, dtypes=("float64", "float32"))
    assert [ax.get_title() for ax in axes] == ["value", "d/dx"]
    for dtype in ("float64", "float32"):
        for ax in axes:
            assert len(drawn(ax, dtype=dtype)) == 20
            assert drawn(ax, dtype=dtype).max() <= 1.0


def test_the_envelope_is_what_rounding_the_argument_costs():
    """Near pi a relative change of x is one of sin x that is larger by pi / (pi - x)."""
    (value, slope) = plot_ulp(sine(), (3.1415, 3.1416), reference=mpmath.sin, points=15)
    x, envelope = value.lines[0].get_data()
    expected = 0.5 + np.spacing(x) / 2 / np.spacing(np.abs(np.sin(x)))
    np.testing.assert_allclose(envelope, expected, rtol=1e-6)
    assert drawn(slope, "envelope").max() < 0.6


@pytest.mark.parametrize(
    ("planted", "panel"),
    [
        ({"host": lambda x: np.sin(x) * (1 + 1e-11)}, 0),
        ({"host": lambda x: np.where(x > 1, np.nan, np.sin(x))}, 0),
        ({"slope": lambda x: jnp.cos(x) + 1e-9}, 1),
        ({"slope": lambda x: jnp.cos(x.astype(jnp.float32)).astype(x.dtype)}, 1),
    ],
    ids=["value", "nan", "slope", "single precision inside"],
)
def test_what_is_inaccurate_is_far_above_its_envelope(planted, panel):
    axes = plot_ulp(sine(**planted), (0.1, 1.4), reference=mpmath.sin, points=12)
    above = [drawn(ax).max() / drawn(ax, "envelope").max() for ax in axes]
    assert above[panel] > 20 and above[1 - panel] < 2


def test_functions_of_the_catalogue_bring_their_reference_and_integers_are_held():
    axes = plot_ulp(special.eval_legendre, 3, (0.1, 0.9), points=8)
    assert [ax.get_title() for ax in axes] == ["value", "d/dx"]
    assert max(drawn(ax).max() for ax in axes) < 100
    axes = plot_ulp(special.gammainc, 2.5, (0.5, 20.0), points=5, log=True)
    assert [ax.get_title() for ax in axes] == ["value", "d/da", "d/dx"]
    assert axes[0].figure.get_suptitle() == "gammainc, a = 2.5" and axes[0].get_xscale() == "log"


def test_a_derivative_that_is_not_there_says_so_in_its_panel():
    f = hw.wrap(np.hypot)
    f.defpartials(lambda ans, x, y: x / ans, hw.unknown("nobody asked"))
    axes = plot_ulp(f, (1.0, 2.0), 0.5, reference=mpmath.hypot, points=5)
    assert "nobody asked" in " ".join(axes[2].texts[0].get_text().split())
    assert len(drawn(axes[1])) == 5


def test_points_without_a_reference_are_left_out():
    def reference(x):
        if x > 1:
            raise ValueError("no answer")
        return mpmath.sin(x)

    axes = plot_ulp(sine(), (0.0, 2.0), reference=reference, points=20)
    assert 0 < len(drawn(axes[0])) < 20


@pytest.mark.parametrize(
    ("args", "options", "says"),
    [
        ((special.kv, 1.0, 2.0), {}, "one argument must be a pair"),
        ((special.kv, (1.0, 2.0), (1.0, 2.0)), {}, "one argument must be a pair"),
        ((special.kv, 1.0, (2.0, 1.0)), {}, "low < high"),
        ((special.kv, 1.0, (-1.0, 1.0)), {"log": True}, "0 < low < high"),
        ((special.kv, 1.0, (1.0, 2.0)), {"dtypes": ("float16",)}, "float64, float32"),
        ((special.airy, (1.0, 2.0)), {}, r"lambda \*x: airy\(\*x\).ai"),
        ((jnp.sin, (1.0, 2.0)), {}, "give reference="),
    ],
)
def test_bad_arguments_are_refused(args, options, says):
    with pytest.raises(hw.SignatureError, match=says):
        plot_ulp(*args, **options)


@pytest.mark.subprocess
@pytest.mark.parametrize("missing", ["matplotlib", "mpmath"])
def test_without_the_extra_the_error_says_what_to_install(fresh_python, missing):
    code = f"""
import sys
sys.modules[{missing!r}] = None
from hostwrap import special, testing
try:
    testing.plot_ulp(special.kv, 1.0, (1.0, 2.0))
except ImportError as error:
    print(error)
"""
    assert "pip install matplotlib mpmath" in fresh_python(code)

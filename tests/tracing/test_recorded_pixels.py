"""Images between their pixels, and transforms along several axes, in recorded code."""

import numpy as np
import pytest
import scipy.fft
import scipy.ndimage as ni

from hostwrap._copies.retarget import Untraceable
from hostwrap._tracing.tape import run
from tests.tracing.test_recorded_scipy import check_slopes

RNG = np.random.default_rng(3)
IMAGE = RNG.normal(size=(4, 5))
PLACES = RNG.uniform(-9, 12, size=(2, 8))
MODES = ("nearest", "wrap", "reflect", "mirror", "constant", "grid-wrap", "grid-constant", "grid-mirror")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("order", range(6))
def test_places_everywhere(mode, order):
    """The value, beside SciPy's own."""
    f = lambda x: ni.map_coordinates(x, PLACES, order=order, mode=mode, cval=0.7)
    np.testing.assert_allclose(run(f, [IMAGE], [True]).value[0], f(IMAGE), rtol=1e-10, atol=1e-11)


def moved(x):
    return PLACES * 0.1 + 1.5 + 0.2 * np.sin(x[:2, :1])


TURNED = np.array([[0.9, 0.3], [-0.2, 1.1]])
USES = {
    "places": lambda x: ni.map_coordinates(x, moved(x), mode="mirror") + ni.map_coordinates(x, moved(x), order=1),
    "complex": lambda x: ni.map_coordinates(x + 1j * x**2, moved(x)).imag,
    "zoom": lambda x: ni.zoom(x, (1.5, 2)) - ni.zoom(x, (1.5, 2), mode="grid-wrap", grid_mode=True),
    "shift": lambda x: ni.shift(x, x[0, :2], mode="nearest") + ni.shift(x, 0.3, order=2, cval=1.0),
    "rotate": lambda x: ni.rotate(x, 30.0, reshape=False) + ni.rotate(x, 90.0, reshape=False, order=1),
    "affine": lambda x: ni.affine_transform(x, TURNED + x[:2, :2] * 0.1, x[0, :2]),
    "diagonal": lambda x: ni.affine_transform(x, [0.9, 1.2 + 0.1 * x[0, 0]], offset=[0.1, 0.2]),
    "a function": lambda x: ni.geometric_transform(x, lambda i: (i[0] * 0.7 + x[0, 0] * 0.1, i[1] * 0.9)),
    "spline_filter": lambda x: ni.spline_filter(x) * ni.spline_filter1d(x, 2, axis=0, mode="grid-wrap"),
    "dctn": lambda x: scipy.fft.dctn(x, norm="ortho") + scipy.fft.idstn(x, type=3, s=(3,), axes=(0,))[0],
    "idctn": lambda x: scipy.fft.idctn(x, s=(3, 6)) * scipy.fft.dstn(x[0, 0] * np.ones((3, 6)), axes=-1),
    "fht": lambda x: scipy.fft.fht(x, 0.1, 0.4) + scipy.fft.ifht(x, dln=0.2, mu=0.5, bias=0.1),
    "where=": lambda x: np.divide([1.0, 2.0], [3.0, 0.0], out=x[0, :2] * 2, where=[True, False]) * x[1, 0],
}  # fmt: skip


@pytest.mark.parametrize("use", USES)
def test_uses(use):
    np.testing.assert_allclose(
        run(USES[use], [IMAGE], [True]).value[0], USES[use](IMAGE), rtol=1e-9, atol=1e-11
    )
    check_slopes(USES[use], IMAGE)


def test_a_step_of_the_logarithm_is_refused():
    with pytest.raises(Untraceable, match="the tape has its derivative in a"):
        run(lambda x: scipy.fft.fht(x[0], x[1, 0], 0.4), [IMAGE], [True])

"""Windows of scipy.signal that are no elementary functions: values are SciPy's, derivatives are differences of them."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.signal

import hostwrap as hw
from hostwrap.signal._windows import dpss
from tests._kit.scipys import flat
from tests._kit.toys import same

STEP = 1e-4


@pytest.mark.parametrize(
    ("size", "width", "more"),
    [
        (7, 2.7, ()), (8, 2.7, ()), (15, 3.1, (4, False)), (16, 2.5, (3, True, None, True)), (9, 2.2, (None, True, 2)),
    ],
)  # fmt: skip
@pytest.mark.rotating
def test_slepian_windows_in_their_width(size, width, more):
    scipys = lambda w: np.asarray(flat(scipy.signal.windows.dpss(size, w, *more)))
    ours = jax.jit(lambda w: flat(dpss(size, w, *more)))
    np.testing.assert_array_equal(ours(width), scipys(width))
    near, far = (scipys(width + h) - scipys(width - h) for h in (STEP, 2 * STEP))
    slope = (8 * near - far) / (12 * STEP)
    for derivative in (jax.jacfwd, jax.jacrev):
        same(derivative(ours)(width), jnp.asarray(slope), 1e-8)


def test_slepian_windows_in_a_function_that_is_followed():
    window = hw.wrap(lambda w: scipy.signal.windows.dpss(9, w), out=jax.ShapeDtypeStruct((9,), float))
    same(jax.jacfwd(window)(2.2), jax.jacfwd(lambda w: dpss(9, w))(2.2), 1e-12)


def test_what_a_slepian_window_does_not_take():
    with pytest.raises(hw.SignatureError, match="norm='subsample' is not there"):
        dpss(8, 2.0, norm="subsample")

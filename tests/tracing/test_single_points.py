"""Derivatives at single points where the code, or JAX's own function, takes another way: those of the neighbours."""

import jax
import numpy as np
import pytest

import hostwrap as hw

FUNCTIONS = {  # of two numbers, smooth at these points
    "hypot": (np.hypot, [(2.0, 2.0), (-1.0, 1.0), (0.0, 3.0)]),
    "arctan2": (np.arctan2, [(1.0, 1.0), (0.0, 2.0), (3.0, 0.0)]),
    "logaddexp": (np.logaddexp, [(1.0, 1.0), (0.0, 0.0)]),
    "i0": (lambda x, y: np.i0(x) * y, [(0.0, 1.0)]),
    "sinc": (lambda x, y: np.sinc(x) * y, [(0.0, 2.0), (1.0, 2.0)]),
    "square of abs": (lambda x, y: np.abs(x) ** 2 * y, [(0.0, 1.0)]),
    "square of fabs": (lambda x, y: np.fabs(x - y) ** 2 / 2, [(1.0, 1.0)]),
    "x^0": (lambda x, y: np.power(x, 0.0) * y, [(0.0, 2.0)]),
    "x^2": (lambda x, y: x**2.0 * y, [(0.0, 2.0)]),
    "float_power": (lambda x, y: np.float_power(x, 2) * y, [(0.0, 2.0)]),
    "negative base": (lambda x, y: np.power(x, 3.0) * y, [(-2.0, 1.0)]),
    "powers": (lambda x, y: np.sum(y * x ** np.arange(4.0)), [(0.0, 2.0)]),
    "spread of one number": (
        lambda x, y: np.std([x]) + np.std(np.array([[y, x]]), axis=0)[0] + x * y,
        [(0.3, 2.0)],
    ),
    "copysign": (lambda x, y: np.copysign(x, y), [(2.0, -1.0), (-2.0, -1.0)]),
}


def _recorded(f):
    def code(x, y):
        if x == 123.456:  # such a branch cannot be traced
            return x
        return f(x, y)

    return code


@pytest.mark.parametrize("way", ["traced", "recorded"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives_at_single_points_are_those_of_neighbours(name, way):
    f, points = FUNCTIONS[name]
    wrapped = hw.wrap(f if way == "traced" else _recorded(f))
    assert hw.explain(wrapped, 0.3, 0.7).way == way
    gradient, hessian = jax.grad(wrapped, (0, 1)), jax.hessian(wrapped, (0, 1))
    for point in points:
        for found in (gradient, hessian):
            beside = [found(point[0] + h, point[1] - 0.37 * h) for h in (-1e-6, 1e-6)]
            want = np.mean(beside, axis=0)  # the middle of both is 1e-12 away
            np.testing.assert_allclose(found(*point), want, rtol=1e-9, atol=1e-9)


def test_powers_of_0_in_the_exponent():
    """d^2/dx^2 x^y = y (y - 1) x^(y - 2); at x = 0 and y = 2 its logarithm in y is infinite."""
    power = hw.wrap(np.power)
    in_both = jax.grad(jax.grad(jax.grad(power), argnums=0), argnums=1)
    assert in_both(0.0, 2.0) == -np.inf
    assert in_both(0.0, 4.0) == 0.0
    np.testing.assert_allclose(in_both(0.5, 2.0), 3 + 2 * np.log(0.5), rtol=1e-14)
    assert jax.grad(power, argnums=1)(0.0, 0.5) == 0.0


def test_tip_of_a_cone():
    """The gradient of the square is 0 there. A second derivative is NaN, not a wrong number."""
    square = hw.wrap(lambda x, y: np.hypot(x, y) ** 2)
    np.testing.assert_array_equal(jax.grad(square, (0, 1))(0.0, 0.0), 0.0)
    assert np.all(np.isnan(jax.hessian(square, (0, 1))(0.0, 0.0)))


@pytest.mark.parametrize("way", ["traced", "recorded"])
@pytest.mark.parametrize("a, b", [(1e200, 3e200), (-1e-200, -2e-200), (-1e200, 1e-200)])
def test_angles_of_all_sizes(a, b, way):
    """a^2 + b^2 leaves the range of numbers."""
    wrapped = hw.wrap(np.arctan2 if way == "traced" else _recorded(np.arctan2))
    h = np.hypot(a, b)
    np.testing.assert_allclose(jax.grad(wrapped, (0, 1))(a, b), [b / h / h, -a / h / h], rtol=1e-13)


FAR = {  # the function, a number, the first and the second derivative there
    "expm1": (np.expm1, -100.0, np.exp(-100.0), np.exp(-100.0)),
    "tanh": (np.tanh, 50.0, 4 * np.exp(-100.0), -8 * np.exp(-100.0)),
    "tanh next to 0": (np.tanh, 1e-20, 1.0, -2e-20),
    "arctanh": (np.arctanh, 1e-20, 1.0, 2e-20),
    "arcsinh": (np.arcsinh, 1e200, 1e-200, 0.0),
    "arccosh": (np.arccosh, 1e200, 1e-200, 0.0),
    "arcsin": (np.arcsin, 1e-20, 1.0, 1e-20),
}


@pytest.mark.parametrize("way", ["traced", "recorded"])
@pytest.mark.parametrize("name", FAR)
def test_derivatives_far_out(name, way):
    """No digits cancel, and nothing leaves the range of numbers on the way."""
    f, x, first, second = FAR[name]
    wrapped = hw.wrap(lambda x: _recorded(lambda x, _: f(x))(x, 0.0) if way == "recorded" else f(x))
    np.testing.assert_allclose(jax.grad(wrapped)(x), first, rtol=1e-13)
    np.testing.assert_allclose(jax.grad(jax.grad(wrapped))(x), second, rtol=1e-13)


def test_eigenvectors_have_the_signs_of_numpy():
    """NumPy's LAPACK need not be SciPy's: of ten matrices some have eigenvectors with another sign."""
    weights = np.cos(np.arange(9.0)).reshape(3, 3)

    def of_vectors(a):
        return np.sum(weights * np.linalg.eigh(a + a.T)[1])

    wrapped = hw.wrap(of_vectors, out=jax.ShapeDtypeStruct((), float))
    for a in np.random.default_rng(3).normal(size=(10, 3, 3)):
        direction = np.sin(np.arange(9.0)).reshape(3, 3)
        slope = jax.jvp(wrapped, (a,), (direction,))[1]
        ends = [of_vectors(a + h * direction) for h in (-1e-6, 1e-6)]
        np.testing.assert_allclose(slope, (ends[1] - ends[0]) / 2e-6, rtol=1e-5, atol=1e-6)

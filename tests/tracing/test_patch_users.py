"""`hostwrap.patch`: distributions, objects and modules of users."""

import sys
import types

import jax
import numpy as np
import pytest
import scipy.integrate
import scipy.stats

import hostwrap as hw


def slope(f, x, h=1e-5):
    return (8 * (f(x + h) - f(x - h)) - (f(x + 2 * h) - f(x - 2 * h))) / (12 * h)


class Exponential(scipy.stats.rv_continuous):
    """A distribution of a user, under a name of SciPy's."""

    def _pdf(self, x, a):
        return a * np.exp(-a * x)

    def _ppf(self, q, a):
        return -np.log1p(-q) / a


class Named(type(scipy.stats.genextreme)):
    """One of SciPy's, with a method more."""

    def a_method_more(self):
        return self.name


OWN = Exponential(a=0.0, name="gamma", shapes="a")
DISTRIBUTIONS = {
    "density": lambda a: OWN.pdf(np.array([0.3, -1.0]), a, scale=1.2).sum(),
    "quantile": lambda a: OWN.ppf(0.3, a, loc=a),
    "frozen": lambda a: OWN(a, scale=1.2).pdf(0.3),
    "a subclass that changes nothing": lambda a: Named(name="genextreme", shapes="c").ppf(0.3, a),
}


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_a_users_distribution_is_not_scipys_of_the_same_name(name):
    f = DISTRIBUTIONS[name]
    with hw.patch():
        value, found = jax.value_and_grad(f)(0.2)
    assert np.isclose(value, f(0.2), rtol=1e-12)
    assert np.isclose(found, slope(f, 0.2), rtol=1e-8)


def test_a_method_of_an_object_that_has_its_own_methods_as_attributes():
    class Decay:
        def __init__(self, k):
            self.k, self.again = k, self.rate

        def rate(self, t, y):
            return -self.k * y

    def last(k):
        return scipy.integrate.solve_ivp(Decay(k).rate, (0.0, 1.0), [1.0], t_eval=[1.0], rtol=1e-9).y[0, 0]

    with hw.patch():
        assert np.isclose(jax.grad(last)(0.7), -np.exp(-0.7), rtol=1e-6)


def test_functions_and_classes_that_modules_have_imported_by_name():
    module = types.ModuleType("users_module")
    exec("from scipy.special import spherical_jn\nfrom scipy.interpolate import CubicSpline", vars(module))
    before = dict(vars(module))
    f = lambda x: (
        module.spherical_jn(2, x) + module.CubicSpline([0.0, 1.0, 2.0], np.array([0.0, 1.0, 0.3]) * x)(0.4)
    )
    sys.modules[module.__name__] = module
    try:
        with hw.patch():
            found = jax.grad(f)(1.7)
    finally:
        del sys.modules[module.__name__]
    assert dict(vars(module)) == before
    assert np.isclose(found, slope(f, 1.7), rtol=1e-8)


def test_what_cannot_be_patched_leaves_nothing_behind(monkeypatch):
    before = dict(vars(scipy.integrate)), np.asarray

    def fails():
        raise TypeError("cannot set an attribute")

    monkeypatch.setattr("hostwrap._tracing.patch._put_joint", fails)
    with pytest.raises(TypeError, match="cannot set an attribute"), hw.patch():
        pass
    assert (dict(vars(scipy.integrate)), np.asarray) == before
    monkeypatch.undo()
    with hw.patch():
        assert np.isclose(jax.grad(lambda x: np.asarray(x) ** 2)(1.5), 3.0)

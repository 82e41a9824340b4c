"""Functions in classes: the object of a method is a static argument."""

import dataclasses
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hostwrap as hw


class Spring:
    def __init__(self, stiffness):
        self.stiffness = stiffness

    def bent(self, x):
        return math.sin(x)

    @hw.wrap
    def force(self, x):
        return -self.stiffness * np.sin(x)

    @hw.wrap(vmap_method="sequential")
    def force_of_one(self, x):
        return -self.stiffness * self.bent(x) if x > 0 else 0.0

    @hw.wrap("(n)->()")
    def energy(self, x):
        return self.stiffness * np.sum(x**2) / 2

    @hw.wrap(out=lambda x, *, self: jax.ShapeDtypeStruct((2,), x.dtype))
    def both(self, x):
        return np.array([x, self.stiffness * x])

    @hw.wrap
    def by_rule(self, x):
        return self.stiffness * np.exp(x)

    by_rule.defpartials(x=lambda ans, x, *, self: 7 * self.stiffness + 0 * x)

    @hw.wrap
    @staticmethod
    def twice(x):
        return 2 * x

    @classmethod
    @hw.wrap
    def named(cls, x):
        assert cls is Spring
        return 3 * x


@dataclasses.dataclass
class Pendulum:  # equal ones are equal, and so it has no hash
    length: float

    @hw.wrap
    def period(self, g):
        return 2 * np.pi * np.sqrt(self.length / g)


jax.tree_util.register_dataclass(Pendulum)


@pytest.mark.parametrize("way", [lambda f: f, jax.jit], ids=["now", "compiled"])
def test_a_method(way):
    soft, stiff = Spring(2.0), Spring(5.0)
    x = np.array([0.3, 0.7])
    for spring in (soft, stiff):
        k = spring.stiffness
        np.testing.assert_array_equal(way(spring.force)(x), -k * np.sin(x))
        np.testing.assert_allclose(jax.vmap(way(jax.grad(spring.force)))(x), -k * np.cos(x), rtol=1e-15)
        np.testing.assert_allclose(way(jax.grad(spring.force_of_one))(0.3), -k * np.cos(0.3), rtol=1e-15)
        np.testing.assert_allclose(way(jax.grad(spring.energy))(x), k * x, rtol=1e-15)
        np.testing.assert_allclose(way(jax.jacfwd(spring.both))(0.3), [1.0, k], rtol=1e-15)
        assert way(jax.grad(spring.by_rule))(0.3) == 7 * k
        assert way(spring.twice)(0.3) == 0.6 and way(spring.named)(1.0) == way(Spring.named)(1.0) == 3.0
    np.testing.assert_array_equal(Spring.force(soft, x), soft.force(x))


def test_an_object_without_a_hash_is_itself():
    """Two that are equal now need not be so later."""
    one, other = Pendulum(1.0), Pendulum(1.0)
    assert one == other
    period = jax.jit(one.period)
    assert period(9.81) == other.period(9.81)
    one.length = 4.0
    assert period(9.81) == 2 * other.period(9.81)
    np.testing.assert_allclose(jax.grad(one.period)(9.81), -period(9.81) / 2 / 9.81, rtol=1e-14)


def test_a_derivative_of_an_object_that_has_changed_is_an_error():
    pendulum = Pendulum(1.0)
    jax.grad(pendulum.period)(9.81)
    pendulum.length = 4.0
    with pytest.raises(hw.ResultError, match="derivative would be wrong"):
        jax.grad(pendulum.period)(9.81)


def test_traced_numbers_in_the_object_are_refused():
    with pytest.raises(hw.SignatureError, match="Pass them to the method as arguments of their own"):
        jax.grad(lambda length: Pendulum(length).period(jnp.float64(9.81)))(2.0)
    with pytest.raises(hw.SignatureError, match="Put @classmethod above @wrap"):
        hw.wrap(classmethod(lambda cls, x: x))


NAMES = (
    *("self", "cls", "function", "what", "rule", "argument", "args"),
    *("statics", "primals", "tangents", "cotangent", "names", "values"),
)


@pytest.mark.parametrize("name", NAMES)
def test_a_static_argument_may_have_any_name(name):
    """Also one that hostwrap's own functions use."""
    code = {
        "value": f"lambda x, *, {name}: x**2 * {name}",
        "recorded": f"lambda x, *, {name}: x**2 * {name} if x > 0 else x",
        "partial": f"lambda ans, x, *, {name}: 2 * x * {name}",
        "jvp": f"lambda p, t, *, {name}: (p[0]**2 * {name}, 2 * p[0] * t[0] * {name})",
        "on host": f"lambda p, t, *, {name}: 2 * p[0] * t[0] * {name}",
    }
    value, recorded, partial, jvp, on_host = map(eval, code.values())
    wrap = hw.wrap(static=name, vmap_method="sequential")
    for f in (
        wrap(value),
        wrap(recorded),
        wrap(value).defpartials(x=partial),
        wrap(value).defjvp(jvp),
        wrap(value).defhost(jvp=on_host),
    ):
        assert jax.jacfwd(lambda x, f=f: f(x, **{name: 3.0}))(2.0) == 12.0

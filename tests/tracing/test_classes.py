"""Classes that are made in their own way, in code that is followed."""

import math
import typing

import jax
import numpy as np
import pytest

import hostwrap as hw

NUMBER = jax.ShapeDtypeStruct((), float)


class Vector(typing.NamedTuple):
    x: float
    y: float

    def length(self):
        return math.sqrt(sum(c * c for c in self))

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    @classmethod
    def at(cls, angle):
        return cls(math.cos(angle), math.sin(angle))


class Meta(type):
    made: typing.ClassVar[list] = []

    def __new__(meta, name, bases, names):
        cls = super().__new__(meta, name, bases, names)
        Meta.made.append(name)
        cls.doubled = lambda self: 2 * self.value
        return cls

    title = property(lambda cls: cls.__name__)


class Model(metaclass=Meta):
    known: typing.ClassVar[list] = []

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        Model.known.append(cls.__name__)

    def __init__(self, value):
        self.value = value

    title = property(lambda self: "a model")

    def __call__(self, t):
        return math.exp(-self.value * t) * self.doubled()


class Damped(Model):
    def __call__(self, t):
        return super().__call__(t) * math.cos(t)


T = typing.TypeVar("T")


class Box(typing.Generic[T]):
    def __init__(self, inside: T) -> None:
        self.inside = inside

    def root(self):
        return math.sqrt(self.inside)


def named(a, b):
    v = Vector.at(a) + Vector(b, 1.0)._replace(y=a)
    return v.length() * v.x


def of_model(a, b):
    return Damped(a)(b) if Damped(a).title == "a model" else 0.0


def boxed(a, b):
    return Box[float](a).root() * b


@pytest.mark.parametrize("branch", [False, True], ids=["traced", "recorded"])
@pytest.mark.parametrize("function", [named, of_model, boxed])
def test_methods_are_followed(function, branch):
    looked = (lambda a, b: function(a, b) if a > 0 else 0.0) if branch else function
    wrapped = hw.wrap(out=NUMBER)(looked)
    assert hw.explain(wrapped, 0.7, 0.4).way == ("recorded" if branch else "traced")
    h = 1e-5
    for i, found in enumerate(jax.grad(wrapped, (0, 1))(0.7, 0.4)):
        up, down = ([x + s * h * (k == i) for k, x in enumerate((0.7, 0.4))] for s in (1, -1))
        assert float(found) == pytest.approx((function(*up) - function(*down)) / (2 * h), rel=1e-7)


def test_copies_are_not_made_known():
    before = list(Meta.made), list(Model.known)
    jax.grad(hw.wrap(out=NUMBER)(lambda a: of_model(a, 0.3)))(0.7)
    assert (Meta.made, Model.known) == before


def test_named_tuples_come_and_go():
    length = hw.wrap(out=NUMBER)(lambda v: v.length() if v.x > 0 else 0.0)
    assert type(jax.grad(length)(Vector(3.0, 4.0))) is Vector
    np.testing.assert_allclose(jax.grad(length)(Vector(3.0, 4.0)), (0.6, 0.8))
    turned = hw.wrap(out=Vector(NUMBER, NUMBER))(lambda a: Vector.at(a) + Vector(a, a))
    found = jax.jacrev(turned)(0.3)
    assert type(found) is Vector
    np.testing.assert_allclose(found, (1 - math.sin(0.3), 1 + math.cos(0.3)))

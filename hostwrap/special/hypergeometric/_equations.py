"""Differential equations for `_march`: their Taylor coefficients, and how long a step may be."""

import dataclasses

import numpy as np

from hostwrap.special.hypergeometric._forms import Form

GROWTH = 3.0  # a step is so long that the solutions change by about e^3, and lose no more digits
LEAST = 1e-9


@dataclasses.dataclass
class Gauss:
    """x (1 - x) w'' + (c - (a + b + 1) x) w' - a b w = 0, which turns into itself for 1 - x and a + b + 1 - c."""

    a: Form
    b: Form
    c: Form

    def __getitem__(self, here):
        return Gauss(self.a[here], self.b[here], self.c[here])

    def longest(self, x):
        """Half way to the next singularity, and no further than the solutions grow or oscillate moderately."""
        a, b, c = self.a.value, self.b.value, self.c.value
        curvature = np.abs(x * (1 - x))
        friction = np.abs(c - (a + b + 1) * x)
        rate = np.sqrt(np.abs(a * b) + np.abs(a) + np.abs(b)) + LEAST
        reach = np.minimum(curvature / (friction + LEAST), np.sqrt(curvature) / rate)
        return np.minimum(0.5 * np.minimum(np.abs(x), np.abs(1 - x)), GROWTH * reach)

    def scaled(self, x, h):
        a, b, c = self.a, self.b, self.c
        scale = h / (x * (1 - x))
        return a, b, (c - (a + b + 1) * x) * scale, (1 - 2 * x) * scale, h * scale

    @staticmethod
    def following(k, terms, a, b, drift, turn, pull):
        first = (a + k).times((b + k).times(terms[-2])) * (pull / ((k + 1) * (k + 2)))
        return first - (drift + k * turn).times(terms[-1]) / (k + 2)


@dataclasses.dataclass
class Kummer:
    """x w'' + (b - x) w' - a w = 0."""

    a: Form
    b: Form

    def __getitem__(self, here):
        return Kummer(self.a[here], self.b[here])

    def longest(self, x):
        a, size = np.abs(self.a.value), np.abs(x)
        friction = np.abs(self.b.value / x - 1)
        reach = np.minimum(1 / (friction + LEAST), np.sqrt(size / (a + LEAST)))
        return np.minimum(0.5 * size, GROWTH * reach)

    def scaled(self, x, h):
        return self.a, (self.b - x) * (h / x), h / x, h * (h / x)

    @staticmethod
    def following(k, terms, a, drift, turn, pull):
        first = (a + k).times(terms[-2]) * (pull / ((k + 1) * (k + 2)))
        return first - (drift + k * turn).times(terms[-1]) / (k + 2)


@dataclasses.dataclass
class Confluent:
    """x w'' + b w' - w = 0, that of 0F1(; b; x)."""

    b: Form

    def __getitem__(self, here):
        return Confluent(self.b[here])

    def longest(self, x):
        size = np.abs(x)
        reach = np.minimum(size / (np.abs(self.b.value) + LEAST), np.sqrt(size))
        return np.minimum(0.5 * size, GROWTH * reach)

    def scaled(self, x, h):
        return self.b, h, h / x

    @staticmethod
    def following(k, terms, b, h, scale):
        drift = (b + k).times(terms[-1]) * (k + 1)
        return (h * terms[-2] - drift) * (scale / ((k + 1) * (k + 2)))


@dataclasses.dataclass
class Weber:
    """w'' = (bend x^2 + level) w, DLMF 12.2.1; `bend` is 1/4 or -1/4."""

    bend: float
    level: Form

    def __getitem__(self, here):
        return Weber(self.bend, self.level[here])

    def longest(self, x):
        force = np.abs(self.level.value) + np.abs(self.bend) * (np.abs(x) + 1) ** 2
        return np.minimum(1.0, GROWTH / np.sqrt(force))

    def scaled(self, x, h):
        force, square = self.level + self.bend * x * x, h * h
        return force, square, 2 * self.bend * x * h**3, self.bend * h**4

    @staticmethod
    def following(k, terms, force, square, change, bend):
        total = force.times(terms[-2]) * square + change * terms[-3] + bend * terms[-4]
        return total / ((k + 1) * (k + 2))

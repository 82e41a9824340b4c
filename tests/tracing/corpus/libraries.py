"""As libraries of the sciences have them: formulas with branches on single numbers, models in classes."""

import math

import numpy as np

from tests.tracing.corpus.row import Rows

add = Rows("libraries")


def rachford_rice(zs, Ks):
    """The vapour fraction of a flash, by Newton's method inside of its bounds (as in `chemicals`)."""
    low, high = 1 / (1 - max(Ks)), 1 / (1 - min(Ks))
    v = 0.5 * (max(low, 0.0) + min(high, 1.0))
    for _ in range(60):
        f = sum(z * (K - 1) / (1 + v * (K - 1)) for z, K in zip(zs, Ks, strict=True))
        slope = -sum(z * ((K - 1) / (1 + v * (K - 1))) ** 2 for z, K in zip(zs, Ks, strict=True))
        step = f / slope
        v -= step
        if abs(step) < 1e-14:
            break
    return v


def friction(Re, rough):
    """Darcy's factor: laminar, or by Churchill (as in `fluids`)."""
    if Re < 2040:
        return 64 / Re
    a = (-2.457 * math.log((7 / Re) ** 0.9 + 0.27 * rough)) ** 16
    b = (37530 / Re) ** 16
    return 8 * ((8 / Re) ** 12 + (a + b) ** -1.5) ** (1 / 12)


def saturation(T):
    """IAPWS-97, region 4."""
    v = T - 0.23855557567849 / (T - 650.17534844798)
    a = v * v + 1167.0521452767 * v - 724213.16703206
    b = -17.073846940092 * v * v + 12020.82470247 * v - 3232555.0322333
    c = 14.91510861353 * v * v - 4823.2657361591 * v + 405113.40542057
    return (2 * c / (-b + math.sqrt(b * b - 4 * a * c))) ** 4 * 1e6


def airmass(zenith):
    """Kasten and Young (as in `pvlib`)."""
    z = np.where(zenith > 90, np.nan, zenith)
    return 1.0 / (np.cos(np.radians(z)) + 0.50572 * (6.07995 + (90 - z)) ** -1.6364)


class Registered(type):
    def __new__(cls, name, bases, names):
        made = super().__new__(cls, name, bases, names)
        made.parameters = tuple(k for k, v in names.items() if v is ...)
        return made


class Model(metaclass=Registered):
    """As in `astropy.modeling`."""

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)

    def __init__(self, *values):
        self.values = dict(zip(self.parameters, np.asanyarray(values, dtype=float), strict=True))

    def __call__(self, x):
        return self.evaluate(x, **self.values)


class Moffat(Model):
    amplitude = gamma = alpha = ...

    @staticmethod
    def evaluate(x, amplitude, gamma, alpha):
        return amplitude * (1 + (x / gamma) ** 2) ** -alpha


def moffat(p):
    return Moffat(*p)(np.linspace(-1.0, 2.0, 5))


def tukey(z, c):
    """A robust norm (as in `statsmodels`)."""
    z = np.atleast_1d(z)
    inside = np.less_equal(np.abs(z), c)
    factor = c * c / 6.0
    return -((1 - (z / c) ** 2) ** 3) * inside * factor + factor


def abscissa(t, x, n):
    """A Savitzky and Golay window at its last place, by least squares with orthonormal columns."""
    q, r = np.linalg.qr(np.vander(t, 3))
    return np.linalg.lstsq(q, x, rcond=None)[0] @ np.linalg.inv(r).T @ np.array([n * n, n, 1.0])


add(rachford_rice, [0.5, 0.3, 0.2], [1.685, 0.742, 0.532])
add(friction, 1200.0, 0.01)
add(friction, 1e5, 0.01)
add(saturation, 453.15)
add(airmass, [10.0, 50.0, 80.0])
add(moffat, [2.0, 0.7, 1.5])
add(tukey, [-3.1, 0.5, 0.7, 5.2], 4.685)
add(abscissa, [0.0, 0.3, 0.5, 1.1, 1.4], [1.0, 0.4, 0.8, -0.3, 0.2], 1.2)
ROWS = add

"""Kernels of this folder in operations of JAX, for derivatives that XLA computes: as accurate, with the same NaNs."""

from math import prod

from hostwrap.special._math import (
    abs,
    arctan2,
    cos,
    exp,
    floor,
    isinf,
    isnan,
    log,
    log1p,
    maximum,
    minimum,
    nan,
    pi,
    round,
    shortened,
    sign,
    sin,
    sqrt,
    where,
)

__all__ = ["log1p"]
FAR, LOG_FAR = 2.0**511, 511 * 0.6931471805599453


def expit(x):
    return 1 / (1 + exp(-x))


def expit_slope(x):
    rest = exp(-abs(x))
    return rest / (1 + rest) ** 2


def log_ratio(x, y):
    """By one logarithm: of 1 + d next to x = y; of the quotient elsewhere, times a power of 2 if it is out of range."""
    y = where(y == 0, 0.0, y)  # without a sign
    ratio, end = x / y, (x == 0) | (y == 0) | isinf(x) | isinf(y)
    near, small, large = (ratio > 0.5) & (ratio < 2), ratio <= 1e-300, ratio >= 1e300
    up, down = where(small, FAR, where(large, 1 / FAR, 1.0)), where(small, 1 / FAR, where(large, FAR, 1.0))
    far = where(end, ratio, x * up / (y * down))
    rest = (x - y) / y
    whole = where(near, shortened(1 + rest, 51), far)
    lost = where(near, (rest - (whole - 1)) / whole, 0.0)
    beyond = where(small, -2 * LOG_FAR, where(large, 2 * LOG_FAR, 0.0))
    return where((x < 0) | (y < 0), nan, log(whole) + lost + beyond)


def quotient(x, y):
    return x / where((x == 0) & (y == 0), 1.0, y)


def xlogy(x, y):
    return where((x == 0) & ~isnan(y), 0.0, x * log(y))


def xlog1py(x, y):
    return where((x == 0) & ~isnan(y), 0.0, x * log1p(y))


def excess(x, y):
    return where(abs(x - y) < y / 2, (x - y) / y, quotient(x, y) - 1)


def power_n(x, p, *, n):
    power = x**p
    if n == 0:
        return power
    return where((power == 0) & (x >= 0), 0.0, power * log(x) ** n)


def falling_power(x, p, *, n):
    factor = prod(p - k for k in range(n))
    power, half = x ** (p - n), abs(x) ** ((p - n) / 2)
    sign = where((power < 0) | (1 / power < 0), -1.0, 1.0)
    beyond = ((power == 0) | isinf(power)) & (x != 0)
    value = where(beyond, sign * half * (factor * half), factor * power)
    return where((factor == 0) & (p != 0), 0.0, value)


def pseudo_huber_delta(delta, r):
    t = arctan2(abs(r), abs(delta))
    return where(delta < 0, nan, abs(r) * sin(t) * (sin(t / 2) / cos(t / 2)) ** 2)


def pseudo_huber_r(delta, r):
    low, high = minimum(abs(r), abs(delta)), maximum(abs(r), abs(delta))
    return where(delta < 0, nan, sign(r) * low * sin(arctan2(high, low)))


def steep(delta, r):
    return where((delta == 0) & (r == 0), nan, sin(arctan2(r, abs(delta))))


def size(delta, r):
    low, high = minimum(abs(r), abs(delta)), maximum(abs(r), abs(delta))
    return where(high == 0, 0.0, high * sqrt(1 + (low / where(high == 0, 1.0, high)) ** 2))


def pseudo_huber_bend(delta, r):
    sine, cosine = sin(arctan2(abs(r), abs(delta))), sin(arctan2(abs(delta), abs(r)))
    return where((delta == 0) & (r == 0), nan, -(sine**4) * (2 + cosine) / (1 + cosine) ** 2)


def sindg(x):
    return quarters(x, 0)


def cosdg(x):
    return quarters(x, 1)


def quarters(x, ahead):
    """sin(x + 90 ahead), of the nearest multiple of 90 and the exact rest; 0 beyond 1e14, as in SciPy."""
    count = round(x / 90)
    rest, turn = (x - 90 * count) * (pi / 180), count + ahead
    turn = turn - 4 * floor(turn / 4)
    wave = where((turn == 1) | (turn == 3), cos(rest), sin(rest))
    return where(abs(x) > 1e14, 0.0, where(turn >= 2, -wave, wave))

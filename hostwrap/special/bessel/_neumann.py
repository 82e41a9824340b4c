"""d^k/dv^k I_v(w) where v^2 > 2|w| or w is small, by a Neumann series for its logarithmic derivative in v.

    d/dv log I_v(w) = log(w/2) - psi(v+1) - sum_{k>=1} (v+2k) / (k (v+k)) * I_{v+2k}(w) / I_v(w)

This is DLMF 10.38.1, rearranged by orders. The ratios come from Miller's backward recurrence (DLMF 3.6(iii)),
stable because I is the minimal solution; Taylor coefficients in v, carried along, give the higher derivatives.
"""

from math import factorial

import numpy as np
from scipy.special import ive, polygamma, psi

RESCALE = 1e100
MOST_STEPS = 20_000  # where the series needs more, the result is NaN
NEGLIGIBLE = 1e-9  # up to this |w| the sum is below the last digit


def scaled_i(v, w, n):
    """[d^k/dv^k e^-w I_v(w), k = 0..n], v >= 0, Re w >= 0."""
    value = ive(v, w) * (np.exp(-1j * w.imag) if np.iscomplexobj(w) else 1)
    return value * relative_i(v, w, n)


def relative_i(v, w, n):
    """The same relative to I_v(w)."""
    return _from_logarithm(_log_derivative(v, w, n), n)


def _from_logarithm(slope, n):
    """f^(k) / f from the Taylor coefficients of (log f)': k f_k = sum_m slope_m f_{k-1-m}."""
    f = np.ones((n + 1, slope.shape[-1]), slope.dtype)
    for k in range(1, n + 1):
        f[k] = sum(slope[m] * f[k - 1 - m] for m in range(k)) / k
    return f * np.array([factorial(k) for k in range(n + 1)])[:, None]


def _log_derivative(v, w, n):
    """Taylor coefficients 0..n-1 in v of d/dv log I_v(w)."""
    result = np.empty((n, v.size), w.dtype)
    steps = _steps(v, np.abs(w))
    order = np.argsort(-steps, kind="stable")
    order = np.concatenate([order[:1], order])  # the first one goes on longest, and is not to be alone
    result[:, order] = -_series(v[order], w[order], n, steps[order])
    if n:
        result[0] += np.log(w / 2) - psi(v + 1)
    for k in range(1, n):
        result[k] -= polygamma(k, v + 1) / factorial(k)
    result[:, steps >= MOST_STEPS] = np.nan
    return result


def _steps(v, size):
    """How many orders above v the recurrence starts, an even number: up there J has decayed by e^-40 or more."""
    with np.errstate(divide="ignore", invalid="ignore"):
        turning = np.maximum(size - v, 0) + 12.5 * np.cbrt(size) + 12
        geometric = np.where(v > 1.2 * size, 42 / np.log(2 * (v + 1) / size) + 6, np.inf)
    steps = np.where(size < NEGLIGIBLE, 0.0, np.nan_to_num(np.minimum(turning, geometric), nan=0.0))
    return 2 * np.ceil(np.minimum(steps, MOST_STEPS) / 2).astype(int)


def _series(v, w, n, steps):
    """Taylor coefficients of sum_k c_k I_{v+2k} / I_v; points sorted by falling `steps`."""
    above, here, total = np.zeros((3, n, v.size), w.dtype)
    here[:1] = 1.0
    for m in range(steps[0] if steps.size else 0, 0, -1):  # here = I_{v+m}, above = I_{v+m+1}, up to a factor
        live = slice(0, np.searchsorted(-steps, -m, side="right"))
        if m % 2 == 0:
            total[:, live] += _product(_coefficient(m // 2, v[live], n), here[:, live])
        below = here[:, live] * (2 * (v[live] + m) / w[live]) + above[:, live]
        below[1:] += here[:-1, live] * (2 / w[live])
        big = np.abs(below[:1]) > RESCALE
        shrink = np.where(big, 1 / RESCALE, 1.0)
        above[:, live], here[:, live] = here[:, live] * shrink, below * shrink
        total[:, live] *= shrink
    return _quotient(total, here)


def _coefficient(k, v, n):
    """Taylor coefficients in v of c_k = (v+2k) / (k (v+k)) = 1/k + 1/(v+k)."""
    result = np.array([(-1) ** j / (v + k) ** (j + 1) for j in range(n)]).reshape(n, v.size)
    result[:1] += 1 / k
    return result


def _product(f, g):
    """Of two truncated power series along the first axis."""
    return np.array([sum(f[m] * g[k - m] for m in range(k + 1)) for k in range(len(f))]).reshape(f.shape)


def _quotient(f, g):
    result = np.empty_like(f)
    for k in range(len(f)):
        result[k] = (f[k] - sum(result[m] * g[k - m] for m in range(k))) / g[0]
    return result

"""Mixed derivatives d^i/dv^i d^j/dw^j of e^w K_v(w), w real or complex: all complex Bessel orders rest on them.

A "tower" is an array D[i, j, point] of these derivatives. Orders |v| <= 3/2 (or v^2 <= 2|w|) are computed
directly, by one of three methods according to |w|; higher ones by the recurrence in v, differentiated. For
Re w >= 0 it is stable upwards, and its terms are of one sign when w > 0, so that no derivative cancels.
"""

from math import factorial

import numpy as np

from hostwrap.special._numerics.pointwise import places
from hostwrap.special.bessel import _debye, _macdonald_small

SMALL, LARGE = 1.0, 25.0  # |w| from which on the integral, and Hankel's expansion, serve
NODES = 72
HIGHEST = (
    20_000  # for higher orders the recurrence, which takes a step for each, gives way to Debye's expansion
)


def tower(v, w, nv, nz):
    """D[i, j] for v >= 0 and Re w >= 0."""
    beyond, high = places(v > HIGHEST), v
    v = np.where(v <= HIGHEST, v, np.nan)
    steps = np.where(is_direct(v, w), 0, np.nan_to_num(np.round(v))).astype(int)
    theta = np.angle(w)
    base, higher = v - steps, places(steps > 0)
    result = low(base, 0, w, theta, nv, nz)
    first = low(base[higher], 1, w[higher], theta[higher], nv, nz)
    result[..., higher] = _climb(base[higher], w[higher], steps[higher], result[..., higher], first)
    if beyond.size:
        result[..., beyond] = _debye.scaled_k(high[beyond], w[beyond], nv, nz)
    return result


def is_direct(v, w):
    """Where `low` serves at order v >= 0, at every arg w."""
    return (v <= 0.5) | (v * v <= 2 * np.abs(w)) & (np.abs(w) >= SMALL)


def low(base, shift, w, theta, nv, nz):
    """D[i, j] at order base + shift, directly; theta = arg w, -pi <= theta <= pi (both sides of the cut)."""
    result = np.empty((nv + 1, nz + 1, w.size), w.dtype)
    size = np.abs(w)
    for method, part in (
        (_macdonald_small.tower, size < SMALL),
        (_integral, (size >= SMALL) & (size < LARGE)),
        (hankel, size >= LARGE),
        (_nowhere, np.isnan(size)),
    ):
        here = places(part)
        if here.size:
            found = method(base[here], shift, w[here], theta[here], nv, nz)
            result[..., here] = found if np.iscomplexobj(w) else np.real(found)
    return result


def _nowhere(base, shift, w, theta, nv, nz):
    return np.nan


def _climb(base, w, steps, below, here):
    """From the towers at base, base + 1 to base + steps: K_{v+1} = K_{v-1} + (2v/w) K_v (DLMF 10.29.1)."""
    order = np.argsort(-steps, kind="stable")
    order = np.concatenate([order[:1], order])  # the first one goes on longest, and is not to be alone
    found = np.empty_like(here)
    base, w, steps = base[order], w[order], steps[order]
    below, here = below[..., order], here[..., order]
    for k in range(1, steps[0] if steps.size else 1):
        live = np.searchsorted(-steps, -k, side="left")
        above = below[..., :live] + _times_2v_over_w(base[:live] + k, w[:live], here[..., :live])
        below[..., :live], here[..., :live] = here[..., :live], above
    found[..., order] = here
    return found


def _times_2v_over_w(v, w, tower):
    """The tower of (2v/w) f from that of f, by Leibniz in v, and by w h = f differentiated in w."""
    result = 2 * v * tower
    for i in range(1, len(tower)):
        result[i] += 2 * i * tower[i - 1]
    result[:, 0] /= w
    for j in range(1, tower.shape[1]):
        result[:, j] = (result[:, j] - j * result[:, j - 1]) / w
    return result


def hankel(base, shift, w, theta, nv, nz):
    """Hankel's expansion sqrt(pi/2w) sum a_k(v) / w^k, differentiated term by term (DLMF 10.40.2)."""
    v = base + shift
    a = np.zeros((nv + 1, w.size), w.dtype)  # Taylor coefficients in v of a_k(v) / w^k
    a[0] = np.sqrt(np.pi / 2 / np.abs(w))
    if np.iscomplexobj(w):
        a[0] *= np.exp(-0.5j * theta)
    result = np.zeros((nv + 1, nz + 1, w.size), w.dtype)
    going_on = np.ones(w.shape, bool)
    for k in range(80):
        term = a.copy()
        for j in range(nz + 1):
            np.add(result[:, j], term, out=result[:, j], where=going_on)
            term *= -(k + j + 0.5) / w
        going_on &= ~np.all(np.abs(a) <= 1e-18 * np.abs(result[:, 0]), axis=0)
        if not going_on.any():
            break
        a = _next_hankel(a, v, w, k + 1)
    return result * np.array([factorial(i) for i in range(nv + 1)])[:, None, None]


def _next_hankel(a, v, w, k):
    """a_k = a_{k-1} (4 v^2 - (2k-1)^2) / 8k, as power series in the order."""
    factor = (2 * v - (2 * k - 1)) * (2 * v + (2 * k - 1)) / (8 * k)
    new = a * factor
    new[1:] += a[:-1] * (v / k)
    new[2:] += a[:-2] / (2 * k)
    return new / w


def _integral(base, shift, w, theta, nv, nz):
    """1/2 int exp(-w (cosh t - 1) + v t) dt (DLMF 10.32.9) on the path t = u - i theta tanh u.

    Along it the integrand decays doubly exponentially for every arg w: the trapezoidal rule on the half line.
    """
    v = (base + shift)[:, None]
    end = np.arccosh(1 + 50 / np.abs(w))
    end = np.arccosh(1 + (50 + np.abs(v[:, 0]) * end) / np.abs(w))[:, None]
    step = end / NODES
    u = step * np.arange(NODES + 1)
    t, slope = _bent(u, theta[:, None]) if np.iscomplexobj(w) else (u, 1)
    hyper = 2 * np.sinh(t / 2) ** 2
    common = np.exp(-w[:, None] * hyper) * (slope * step)
    common[:, 0] *= 0.5
    even, odd = common * np.cosh(v * t), common * np.sinh(v * t)
    result = np.empty((nv + 1, nz + 1, w.size), w.dtype)
    for i in range(nv + 1):
        f = (odd if i % 2 else even) * t**i
        for j in range(nz + 1):
            result[i, j] = f.sum(axis=-1)
            f = -f * hyper
    return result


def _bent(u, theta):
    """The path and its slope."""
    bend = np.tanh(u)
    return u - 1j * theta * bend, 1 - 1j * theta * (1 - bend * bend)

"""Mixed derivatives d^i/dv^i d^j/dw^j of e^w K_v(w), w real or complex. All complex Bessel functions use them.

A "tower" is an array D[i, j, point] of these derivatives. Orders |v| <= 3/2 (or v^2 <= 2|w|) are computed
directly, by one of three methods according to |w|; higher ones by the recurrence in v, differentiated. For
Re w >= 0 it is stable upwards, and its terms are of one sign when w > 0, so that no derivative cancels.
"""

from math import factorial

import numpy as np

from hostwrap.special._numerics.pointwise import elsewhere, in_python, stack_of, tape_of
from hostwrap.special._numerics.quadrature import sums
from hostwrap.special._numerics.until import until_stacked
from hostwrap.special.bessel import _debye, _macdonald_small

SMALL, LARGE = 1.0, 25.0  # |w| from which on the integral, and Hankel's expansion, serve
NODES = 72
MOST_TERMS = 80  # of Hankel's expansion
HIGHEST = 20_000  # above this order Debye's expansion replaces the recurrence, which takes one step an order
RESCALE = 1e100


def tower(v, w, nv, nz):
    """D[i, j] for v >= 0 and Re w >= 0."""
    near = v <= HIGHEST
    low_order = np.where(near, v, np.nan)
    steps = np.where(is_direct(low_order, w), 0.0, np.nan_to_num(np.round(low_order)))
    base, theta = low_order - steps, np.arctan2(np.imag(w), np.real(w))
    result = low(base, 0, w, theta, nv, nz)

    def higher(below, base, w, theta, steps):
        return _climb(base, w, steps, below, low(base, 1, w, theta, nv, nz))

    result = elsewhere(result, steps > 0, higher, result, base, w, theta, steps)
    debye = in_python(lambda v, w: _debye.scaled_k(v, w, nv, nz))
    return elsewhere(result, v > HIGHEST, debye, v, w)


def is_direct(v, w):
    """Where `low` serves at order v >= 0, at every arg w."""
    return (v <= 0.5) | (v * v <= 2 * np.abs(w)) & (np.abs(w) >= SMALL)


def is_turned(v, w):
    """Where `turned_tower` serves."""
    return is_direct(v, w) | _debye.is_far(v, w)


def turned_tower(v, w, theta, nv, nz):
    """D[i, j] directly, for v >= 0 and theta = arg w, -pi <= theta <= pi."""
    direct = is_direct(v, w)
    result = low(np.where(direct, v, np.nan), 0, w, theta, nv, nz)
    debye = in_python(lambda v, w: _debye.scaled_k(v, w, nv, nz))
    return elsewhere(result, ~direct & _debye.is_far(v, w), debye, v, w)


def low(base, shift, w, theta, nv, nz):
    """D[i, j] at order base + shift, directly; theta = arg w, -pi <= theta <= pi (both sides of the cut)."""
    result, size = stack_of(np.nan, (nv + 1, nz + 1), w), np.abs(w)
    for method, part in (
        (_macdonald_small.tower, size < SMALL),
        (_integral, (size >= SMALL) & (size < LARGE)),
        (hankel, size >= LARGE),
    ):

        def found(base, w, theta, method=method):
            tower = method(base, shift, w, theta, nv, nz)
            return tower if np.iscomplexobj(w) else np.real(tower)

        result = elsewhere(result, part, found, base, w, theta)
    return result


def _climb(base, w, steps, below, here):
    """From the towers at base, base + 1 to base + steps: K_{v+1} = K_{v-1} + (2v/w) K_v (DLMF 10.29.1)."""
    recorder = tape_of(base, w, steps)
    if recorder is not None:

        def up(turn, below, here, base, w, steps):
            return here, below + _times_2v_over_w(base + (turn + 1), w, here), turn + 2 < steps

        turns = lambda here: [recorder.repeat(up, [below, here], [base, w, steps], HIGHEST)[1]]
        return recorder.branch(steps > 1, turns, [here], [here])[0]
    steps = steps.astype(int)
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


def relative(v, w, n):
    """[K^(i) / K, i = 0..n], derivatives in v, for v > 1 and Re w >= 0, also where e^w K_v(w) is not a double."""
    steps = np.where(v <= HIGHEST, np.round(v), 0.0)
    base, theta = v - steps, np.arctan2(np.imag(w), np.real(w))
    below, here = (low(base, shift, w, theta, n, 0) for shift in (0, 1))
    for k in range(1, int(steps.max(initial=0))):
        above = below + _times_2v_over_w(base + k, w, here)
        small = np.where(np.abs(above[0, 0]) > RESCALE, 1 / RESCALE, 1.0)
        live = steps > k
        below, here = np.where(live, here * small, below), np.where(live, above * small, here)
    return np.where(v <= HIGHEST, here[:, 0] / here[0, 0], np.nan)


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
    a, start = stack_of(0.0, (nv + 1,), w), np.sqrt(np.pi / 2 / np.abs(w))
    a[0] = start * np.exp(-0.5j * theta) if np.iscomplexobj(w) else start

    def add(k, a, total, v, w):
        total, term = total.copy(), a.copy()  # Taylor coefficients in v of a_k(v) / w^k
        for j in range(nz + 1):
            total[:, j] = total[:, j] + term
            term = term * (-(k + j + 0.5) / w)
        small = np.abs(a) <= 1e-18 * np.abs(total[:, 0])
        return _next_hankel(a, v, w, k + 1), total, ~small.all(0) & (k < MOST_TERMS - 1)

    _, total = until_stacked(add, [a, stack_of(0.0, (nv + 1, nz + 1), w)], [v, w], MOST_TERMS)
    return total * np.array([float(factorial(i)) for i in range(nv + 1)])[:, None, None]


def _next_hankel(a, v, w, k):
    """a_k = a_{k-1} (4 v^2 - (2k-1)^2) / 8k, as power series in the order."""
    factor = (2 * v - (2 * k - 1)) * (2 * v + (2 * k - 1)) / (8 * k)
    new = a * factor
    for i in range(1, len(a)):
        new[i] = new[i] + a[i - 1] * (v / k)
    for i in range(2, len(a)):
        new[i] = new[i] + a[i - 2] / (2 * k)
    return new / w


def _integral(base, shift, w, theta, nv, nz):
    """1/2 int exp(-w (cosh t - 1) + v t) dt (DLMF 10.32.9) on the path t = u - i theta tanh u.

    Along it the integrand decays doubly exponentially for every arg w: the trapezoidal rule on the half line.
    """
    v = base + shift
    end = np.arccosh(1 + 50 / np.abs(w))
    step = np.arccosh(1 + (50 + np.abs(v) * end) / np.abs(w)) / NODES
    is_complex = np.iscomplexobj(w)

    def terms(k, weight, v, w, theta, step):
        u = step * k
        t, slope = _bent(u, theta) if is_complex else (u, 1.0)
        hyper = 2 * np.sinh(t / 2) ** 2
        common = np.exp(-w * hyper) * (slope * (step * weight))
        waves, found = (common * np.cosh(v * t), common * np.sinh(v * t)), []
        for i in range(nv + 1):
            f = waves[i % 2] * t**i if i else waves[0]
            for _ in range(nz + 1):
                found.append(f)
                f = -f * hyper
        return found

    columns = [np.arange(NODES + 1.0), np.where(np.arange(NODES + 1) == 0, 0.5, 1.0)]
    result = stack_of(0.0, (nv + 1, nz + 1), w)
    for k, total in enumerate(sums(terms, columns, [v, w, theta, step])):
        result[k // (nz + 1), k % (nz + 1)] = total
    return result


def _bent(u, theta):
    """The path t(u) and dt/du."""
    bend = np.tanh(u)
    return u - 1j * theta * bend, 1 - 1j * theta * (1 - bend * bend)

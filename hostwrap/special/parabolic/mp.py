"""Parabolic cylinder functions and their derivatives in x, from their values at 0 (DLMF 12.2.6-9, 12.14.2-3)."""


def d_pair(mp, v, x):
    """D_v(x) and its derivative; to the right of 0 the even and the odd solution cancel."""
    with mp.extradps(20 + int(mp.ceil(x * x / 2 + 4 * abs(x) * mp.sqrt(abs(v))))):
        value = mp.sqrt(mp.pi) * mp.power(2, v / 2) * mp.rgamma((1 - v) / 2)
        slope = -mp.sqrt(mp.pi) * mp.power(2, (v + 1) / 2) * mp.rgamma(-v / 2)
        return _combined(mp, -v - mp.mpf(1) / 2, 1, x, value, slope)


def v_pair(mp, v, x):
    """V(-v - 1/2, x) and its derivative."""
    with mp.extradps(20 + int(mp.ceil(x * x / 2 + 4 * abs(x) * mp.sqrt(abs(v))))):
        value = -mp.power(2, -v / 2) * mp.sinpi(v / 2) * mp.rgamma(1 + v / 2)
        slope = mp.power(2, (1 - v) / 2) * mp.cospi(v / 2) * mp.rgamma((1 + v) / 2)
        return _combined(mp, -v - mp.mpf(1) / 2, 1, x, value, slope)


def w_pair(mp, a, x):
    """W(a, x) and its derivative."""
    with mp.extradps(20 + int(mp.ceil(4 * abs(a) + abs(x)))):
        quotient = abs(mp.gamma(mp.mpc(0.25, a / 2)) / mp.gamma(mp.mpc(0.75, a / 2)))
        value, slope = mp.power(2, -0.75) * mp.sqrt(quotient), -mp.power(2, -0.25) / mp.sqrt(quotient)
        pair = _combined(mp, mp.mpc(0, -a), mp.mpc(0, 1), x, value, slope)
        return tuple(mp.re(w) for w in pair)


def _combined(mp, a, turn, x, value, slope):
    """value * even + slope * odd solution, DLMF 12.4.3-4 in s = turn x^2 / 2, and the derivative."""
    s, half = turn * x * x / 2, mp.mpf(1) / 2
    scale, p, q = mp.exp(-s / 2), a / 2 + half / 2, a / 2 + 3 * half / 2
    even, even_next = mp.hyp1f1(p, half, s), 2 * p * mp.hyp1f1(p + 1, 3 * half, s)
    odd, odd_next = mp.hyp1f1(q, 3 * half, s), q / (3 * half) * mp.hyp1f1(q + 1, 5 * half, s)
    rise = turn * x
    total = scale * (value * even + slope * x * odd)
    change = value * rise * even_next + slope * (odd + x * rise * odd_next)
    return total, scale * change - rise / 2 * total

"""Kernels of this folder in operations of JAX, for derivatives that XLA computes: as accurate, with the same NaNs."""

from math import pi

from hostwrap.special._math import abs, constant, round, sin, where
from hostwrap.special._numerics.polynomials import polynomial

# (1 + x) psi_1(1 + x) for x >= 0 as a rational function of 1 / (1 + x), which interpolates it; to 1e-17.
ABOVE = (
    1.0, 15.979750759041773, 119.73643444313178, 544.1810512104504, 1641.7002548732582, 3406.4674274232493,
    4899.168423436091, 4824.830444825688, 3149.4133204433415, 1271.698654125863, 258.6838438941861,
)  # fmt: skip
BELOW = (
    1.0, 15.479750759041778, 111.82989239694336, 485.68614655219795, 1380.2521995286843, 2635.9096283179933,
    3354.875428500954, 2723.8954467411554, 1271.6986554378684, 258.68384371961173, 1.1226584148848648e-08,
)  # fmt: skip


def psi_n(n, z):
    """psi_1, on the left by reflection (DLMF 5.15.6)."""
    if constant(n) != 1:
        raise NotImplementedError
    left = z < 0
    right = where(left, 1 - z, z)
    s = 1 / (1 + right)
    value = (1 / right) * (1 / right) + s * polynomial(ABOVE, s) / polynomial(BELOW, s)
    wave = pi / sin(pi * abs(z - round(z)))
    return where(left, wave * wave - value, value)

"""Kernels of this folder in JAX operations, for derivatives that XLA computes. Same accuracy, same NaNs."""

from math import pi

from hostwrap._table.words import polynomial_in_pairs
from hostwrap.special._math import abs, constant, log, nan, round, sin, where
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


# psi has one zero on the right, the sum of these; z psi(z) / (z - zero) for 0 <= z <= TURN by interpolation, to 6e-17
TURN, ZERO, REST_OF_ZERO = 3.0, 1.4616321449683622, 9.549995429965697e-17
NEXT = (
    0.6841666717870696, 2.453654830141827, 2.827285502966096, 1.4775280557275439, 0.38988325375604704,
    0.052502311058880674, 0.0033748846108874286, 8.641072108992867e-05, 5.446530779138431e-07,
)  # fmt: skip
TO = (
    1.0, 2.32495843570358, 1.9817281815116037, 0.8107788801681827, 0.1717466638569864, 0.01867748413902885,
    0.0009587649131565505, 1.8890546487845188e-05, 8.182206174554969e-08,
)  # fmt: skip
# beyond, z^2 (log z - 1 / (2 z) - psi(z)) in powers of 1 / z^2 (DLMF 5.11.2), interpolated too: psi to 3e-17
FAR = (
    0.08333333333333287, -0.0083333333323328, 0.003968253600942064, -0.004166613154056894, 0.007571670662698111,
    -0.020904992716699745, 0.07768996902561713, -0.32525222437397994, 1.2213863296286607, -3.2200812668413126,
    4.15409568940603,
)  # fmt: skip
# (1 / r - pi cot(pi r)) / r in powers of r^2, for |r| <= 1/2; to 4e-17
COT_ABOVE = (
    3.289868133696453,
    -2.242366231571421,
    0.3261238295527268,
    -0.0077075289742474015,
    -7.911536238343183e-05,
)
COT_BELOW = (1.0, -1.3395712289665698, 0.36206187780838145, -0.022490632311831675)


def psi_n(n, z):
    """psi and psi_1, on the left by reflection (DLMF 5.15.6)."""
    order = constant(n)
    if order not in (0, 1):
        raise NotImplementedError
    left, rest = z < 0, z - round(z)
    right = where(left, 1 - z, z)
    if order == 0:
        return psi(right) - where(left, pi_cot(rest), 0.0)
    s = 1 / (1 + right)
    value = (1 / right) * (1 / right) + s * polynomial(ABOVE, s) / polynomial(BELOW, s)
    wave = pi / sin(pi * abs(rest))
    return where(left, wave * wave - value, value)


def psi(z):
    near = z < TURN
    distance = where(near, z - ZERO, 1.0) - REST_OF_ZERO  # two differences: XLA would make one of them
    above = distance * polynomial_in_pairs(NEXT, z)
    quotient = where(near, above, 1.0) / (z * where(near, polynomial_in_pairs(TO, z), 1.0))
    return where(
        near, quotient, log(z) - quotient * (0.5 + quotient * polynomial_in_pairs(FAR, quotient * quotient))
    )


def pi_cot(r):
    """pi cot(pi r) for |r| <= 1/2; NaN for r = 0."""
    square = r * r
    below = polynomial_in_pairs(COT_BELOW, square)
    value = (below - square * polynomial_in_pairs(COT_ABOVE, square)) / (r * below)
    return where(r == 0, nan, value)

"""Functions of this folder in operations of JAX, for derivatives that XLA computes: as accurate, with the same NaNs."""

from math import log as logarithm

from hostwrap._table.words import exp_parts
from hostwrap.special._math import log, maximum, minimum, where

LOG_2 = logarithm(2.0)


def exp_over(x):
    """e^x may be 2^12 times as large as a number that is in range."""
    mantissa, power = exp_parts(minimum(maximum(x, -1011 * LOG_2), 1036 * LOG_2), 0.0, 12)
    return 2.0**11 * mantissa / x * power


def spence_n(z, *, dz):
    """-log(z) / (z - 1): next to z = 1 both are accurate."""
    if dz > 1:
        raise NotImplementedError
    return where(z == 1, -1.0, -log(z) / (where(z == 1, 2.0, z) - 1))

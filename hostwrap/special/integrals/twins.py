"""Functions of this folder in operations of JAX, for derivatives that XLA computes: as accurate, with the same NaNs."""

from hostwrap.special._math import log, where


def spence_n(z, *, dz):
    """-log(z) / (z - 1): next to z = 1 both are accurate."""
    if dz > 1:
        raise NotImplementedError
    return where(z == 1, -1.0, -log(z) / (where(z == 1, 2.0, z) - 1))

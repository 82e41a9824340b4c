"""`scipy.sparse.linalg`, differentiable in the matrix and the right-hand side."""

from hostwrap._recipes.factors import SuperLU, factorized, splu, spsolve
from hostwrap._recipes.krylov import bicgstab, cg, gmres, lsmr, lsqr, minres
from hostwrap._recipes.lanczos import eigsh, svds

__all__ = [
    "SuperLU",
    "bicgstab",
    "cg",
    "eigsh",
    "factorized",
    "gmres",
    "lsmr",
    "lsqr",
    "minres",
    "splu",
    "spsolve",
    "svds",
]


def __dir__() -> list[str]:
    """What completion shows."""
    return sorted(__all__)

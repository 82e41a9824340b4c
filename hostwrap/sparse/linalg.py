"""`scipy.sparse.linalg`, differentiable in the matrix and the right-hand side.

Single precision stays single, and integers count as floating-point numbers. Shapes that do not fit raise
`SignatureError`. What SciPy refuses raises SciPy's own error, inside a compiled program `HostCallError`.
"""

from typing import TYPE_CHECKING

from hostwrap._recipes.elsewhere import elsewhere
from hostwrap._recipes.factors import SuperLU, factorized, splu, spsolve
from hostwrap.sparse._actions import expm_multiply
from hostwrap.sparse._krylov import (
    bicg,
    bicgstab,
    cg,
    cgs,
    gcrotmk,
    gmres,
    lgmres,
    lsmr,
    lsqr,
    minres,
    qmr,
    tfqmr,
)
from hostwrap.sparse._lanczos import eigs, eigsh, svds
from hostwrap.sparse._matrixfree import LinearOperator, aslinearoperator
from hostwrap.sparse._wholes import expm, inv, spsolve_triangular

__all__ = [
    "LinearOperator",
    "SuperLU",
    "aslinearoperator",
    "bicg",
    "bicgstab",
    "cg",
    "cgs",
    "eigs",
    "eigsh",
    "expm",
    "expm_multiply",
    "factorized",
    "gcrotmk",
    "gmres",
    "inv",
    "lgmres",
    "lsmr",
    "lsqr",
    "minres",
    "qmr",
    "splu",
    "spsolve",
    "spsolve_triangular",
    "svds",
    "tfqmr",
]


def __dir__() -> list[str]:
    """What completion shows."""
    return sorted(__all__)


if not TYPE_CHECKING:  # to checkers such a name is an error
    __getattr__ = elsewhere(__name__, __all__)

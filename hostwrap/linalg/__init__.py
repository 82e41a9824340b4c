"""`scipy.linalg`, differentiable: functions that JAX does not have, under SciPy's names.

Linear equations `L(X) = Q` for a matrix are solved by SciPy, forward with L and backward with its transpose. The others
are implicit: the derivative of an equation is a linear equation for the derivative. So there are derivatives of any
order (of expm, and what is made of it: two). All take real and complex matrices, with batch axes in front.

Single precision stays single (it is computed in double), integers count as floating-point numbers, and complex ones
work where SciPy takes them. Shapes that do not fit raise `SignatureError`. What SciPy refuses raises SciPy's own error;
inside a compiled program that is `HostCallError`, which `hostwrap.last_error()` returns.
"""

from typing import TYPE_CHECKING

from hostwrap._recipes.elsewhere import elsewhere
from hostwrap._recipes.expm import expm
from hostwrap._recipes.lyapunov import (
    solve_continuous_are,
    solve_continuous_lyapunov,
    solve_discrete_are,
    solve_discrete_lyapunov,
    solve_sylvester,
)
from hostwrap._recipes.polar import orthogonal_procrustes, polar, signm
from hostwrap._recipes.structured import solve_banded, solve_circulant, solve_toeplitz, solveh_banded
from hostwrap.linalg._cossin import cossin
from hostwrap.linalg._eig import eig
from hostwrap.linalg._eigh import eig_banded, eigh, eigh_tridiagonal, eigvals_banded, eigvalsh
from hostwrap.linalg._factorings import (
    cho_solve_banded,
    cholesky_banded,
    eigvalsh_tridiagonal,
    lu_solve,
    matrix_balance,
    null_space,
    pinvh,
    qr_multiply,
    rq,
)
from hostwrap.linalg._leastsq import lstsq, pinv
from hostwrap.linalg._logm import logm, sqrtm
from hostwrap.linalg._matfun import (
    coshm,
    cosm,
    expm_frechet,
    fractional_matrix_power,
    funm,
    sinhm,
    sinm,
    tanhm,
    tanm,
)
from hostwrap.linalg._pencils import hessenberg, ordqz, qz
from hostwrap.linalg._schur import schur
from hostwrap.linalg._sketches import clarkson_woodruff_transform
from hostwrap.linalg._updates import qr_delete, qr_insert, qr_update

__all__ = [
    "cho_solve_banded",
    "cholesky_banded",
    "clarkson_woodruff_transform",
    "coshm",
    "cosm",
    "cossin",
    "eig",
    "eig_banded",
    "eigh",
    "eigh_tridiagonal",
    "eigvals_banded",
    "eigvalsh",
    "eigvalsh_tridiagonal",
    "expm",
    "expm_frechet",
    "fractional_matrix_power",
    "funm",
    "hessenberg",
    "logm",
    "lstsq",
    "lu_solve",
    "matrix_balance",
    "null_space",
    "ordqz",
    "orthogonal_procrustes",
    "pinv",
    "pinvh",
    "polar",
    "qr_delete",
    "qr_insert",
    "qr_multiply",
    "qr_update",
    "qz",
    "rq",
    "schur",
    "signm",
    "sinhm",
    "sinm",
    "solve_banded",
    "solve_circulant",
    "solve_continuous_are",
    "solve_continuous_lyapunov",
    "solve_discrete_are",
    "solve_discrete_lyapunov",
    "solve_sylvester",
    "solve_toeplitz",
    "solveh_banded",
    "sqrtm",
    "tanhm",
    "tanm",
]


def __dir__() -> list[str]:
    """What completion shows."""
    return sorted(__all__)


if not TYPE_CHECKING:  # to checkers such a name is an error
    __getattr__ = elsewhere(__name__, __all__)

"""The losses of SciPy's nonlinear least squares: rho(z) of a squared residual z, whose sum is least.

`xp` is NumPy or `jax.numpy`. Each derivative is that of its branch, so that nothing is infinite where it is not taken.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

LOSSES: dict[str, Callable[[Any, Any], Any]] = {
    "linear": lambda xp, z: z,
    "soft_l1": lambda xp, z: 2 * (xp.sqrt(1 + z) - 1),
    "huber": lambda xp, z: xp.where(z <= 1, z, 2 * xp.sqrt(xp.where(z <= 1, 1.0, z)) - 1),
    "cauchy": lambda xp, z: xp.log1p(z),
    "arctan": lambda xp, z: xp.arctan(z),
}
# rho'(z) + 2 z rho''(z): the second derivative of rho(r^2) / 2 in r
_BENDS: dict[str, Callable[[Any, Any], Any]] = {
    "linear": lambda xp, z: 1.0,
    "soft_l1": lambda xp, z: (1 + z) ** -1.5,
    "huber": lambda xp, z: xp.where(z <= 1, 1.0, 0.0),
    "cauchy": lambda xp, z: (1 - z) / (1 + z) ** 2,
    "arctan": lambda xp, z: (1 - 3 * z**2) / (1 + z**2) ** 2,
}


def cost_of(xp: Any, residual: Any, loss: str, scale: Any) -> Any:
    """Half of what SciPy makes smallest."""
    return 0.5 * scale**2 * xp.sum(LOSSES[loss](xp, (residual / scale) ** 2))


def scaled(xp: Any, jacobian: Any, residual: Any, loss: str, scale: Any) -> Any:
    """The Jacobian J that SciPy returns: J^T J is the Hessian of the cost without the curvature of the residuals.

    SciPy takes the machine epsilon where the loss bends the other way.
    """
    if loss == "linear":
        return jacobian
    bend = _BENDS[loss](xp, (residual / scale) ** 2)
    kept = bend > np.finfo(float).eps
    size = xp.where(kept, xp.sqrt(xp.where(kept, bend, 1.0)), np.sqrt(np.finfo(float).eps))
    return jacobian * size[:, None]

"""`scipy.spatial.transform`: rotations are JAX's, `jax.scipy.spatial.transform.Rotation`.

Rotations of single precision numbers are single precision. Other names follow SciPy's own code if hostwrap can
differentiate it.
"""

from typing import TYPE_CHECKING

from jax.scipy.spatial.transform import Rotation

from hostwrap._recipes.elsewhere import elsewhere

__all__ = ["Rotation"]


def __dir__() -> list[str]:
    """What completion shows."""
    return sorted(__all__)


if not TYPE_CHECKING:  # to checkers such a name is an error
    __getattr__ = elsewhere(__name__, __all__)

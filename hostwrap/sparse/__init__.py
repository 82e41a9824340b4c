"""`scipy.sparse`, differentiable: what is there stands under SciPy's names."""

from typing import TYPE_CHECKING

from hostwrap._recipes.elsewhere import without
from hostwrap.sparse import csgraph, linalg

__all__ = ["csgraph", "linalg"]


def __dir__() -> list[str]:
    """What completion shows."""
    return sorted(__all__)


if not TYPE_CHECKING:  # to checkers such a name is an error
    __getattr__ = without(__name__, __all__)

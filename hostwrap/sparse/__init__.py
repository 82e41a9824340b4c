"""`scipy.sparse`, differentiable: what is there stands under SciPy's names."""

from hostwrap.sparse import csgraph, linalg

__all__ = ["csgraph", "linalg"]


def __dir__() -> list[str]:
    """What completion shows."""
    return sorted(__all__)

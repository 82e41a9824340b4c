"""`scipy.sparse`, differentiable: what is there stands under SciPy's names."""

from hostwrap.sparse import linalg

__all__ = ["linalg"]


def __dir__() -> list[str]:
    """What completion shows."""
    return sorted(__all__)

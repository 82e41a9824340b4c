"""`scipy.sparse`, differentiable: what is there stands under SciPy's names."""

from hostwrap.sparse import linalg

__all__ = ["linalg"]

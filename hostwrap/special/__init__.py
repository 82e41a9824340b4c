"""`scipy.special` for JAX: the same names and argument order, differentiable in every continuous argument.

Write `import hostwrap.special as sc` in place of `import scipy.special as sc`, and pass numbers or arrays: lists,
`out=` and `where=` are NumPy's. docs/support.md lists the functions.
"""

from hostwrap.special._families import public as _public
from hostwrap.special._rest import lookup as _lookup

globals().update(_public())
__all__ = sorted(_public())


def __dir__() -> list[str]:
    """What completion shows."""
    return sorted(__all__)


def __getattr__(name: str) -> object:
    """Names that SciPy has and that are not wrapped, such as roots of polynomials: SciPy's own."""
    return _lookup(name)

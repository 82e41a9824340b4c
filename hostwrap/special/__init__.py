"""`scipy.special` for JAX: the same names and argument order, differentiable in every continuous argument.

Write `import hostwrap.special as sc` in place of `import scipy.special as sc`, and pass numbers or arrays: lists,
`out=` and `where=` are NumPy's. docs/support.md lists the functions.
"""

from hostwrap.special import _families
from hostwrap.special._rest import lookup as _lookup

__all__ = sorted(_families.homes())


def __dir__() -> list[str]:
    """What completion shows."""
    return sorted(__all__)


def __getattr__(name: str) -> object:
    """A function, and with it its family; names that SciPy has and that are not wrapped are SciPy's own."""
    if name not in _families.homes():
        return _lookup(name)
    globals()[name] = found = _families.found(name)
    return found

"""Find the ufunc behind a Python function of SciPy, so that a program of loops can call it."""

import numpy as np


def ufunc_behind(call):
    """The ufunc to which `call(x)` passes x unchanged; None if it does something else with x first."""
    try:
        found = call(_Asking())
    except (TypeError, ValueError, AttributeError):
        return None
    return found if isinstance(found, np.ufunc) else None


class _Asking:
    """An operand that makes every ufunc return the ufunc itself."""

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        return ufunc

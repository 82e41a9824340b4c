"""SciPy's functions in Python that end in one ufunc: that ufunc, which a program of loops may call."""

import numpy as np


def ufunc_behind(call):
    """The ufunc to which `call(x)` gives x as it is; None where it does something else with it first."""
    try:
        found = call(_Asking())
    except (TypeError, ValueError, AttributeError):
        return None
    return found if isinstance(found, np.ufunc) else None


class _Asking:
    """An operand for which every ufunc answers with itself."""

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        return ufunc

"""The statistics of samples in `scipy.stats`, on stand-ins: `axis`, `nan_policy` and `keepdims`.

SciPy's wrapper of these functions looks for NaN, and refuses arrays that have no numbers yet. Here it takes stand-ins
like arrays of NumPy. It finds no NaN in traced numbers, and the results become NaN afterwards where a sample has one.
To omit NaN, or to raise, is left to the host: how many numbers are left depends on them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hostwrap._copies import EXTERNAL
from hostwrap._copies.retarget import Around
from hostwrap._tracing.arrays import array
from hostwrap._tracing.calls import IN_PYTHON, call
from hostwrap._tracing.values import has_traced

WRAPPER = "scipy.stats._axis_nan_policy"


def _is_in_wrapper() -> bool:
    """Whether SciPy's wrapper calls the function for which `Around` calls ours."""
    return sys._getframe(3).f_globals.get("__name__") == WRAPPER


def _is_lazy_array(own: Callable, x: Any) -> bool:
    return not _is_in_wrapper() and own(x)


def _contains_nan(own: Callable, x: Any, nan_policy: str = "propagate", **options: Any) -> Any:
    found = own(x, nan_policy, **options)  # raises for an unknown policy; before SciPy 1.16 (found, policy)
    if nan_policy != "propagate" or not _is_in_wrapper():
        return found
    known, *rest = found if isinstance(found, tuple) else (found,)
    known = not has_traced(known) and known
    return (known, *rest) if rest else known


def _with_nan(own: Callable, results: Sequence, *args: Any, **kwargs: Any) -> Any:
    """SciPy's `_add_reduced_axes`, of results that are NaN where one of the samples has a NaN."""
    wrapper = sys._getframe(2).f_locals
    if wrapper["nan_policy"] == "propagate" and wrapper["override"]["nan_propagation"]:
        for x in filter(has_traced, wrapper["samples"]):
            there = call(np.any, (call(np.isnan, (x,), {}),), {"axis": -1})
            results = [_nan_where(there, y) for y in results]
    return own(results, *args, **kwargs)


def _nan_where(there: Any, y: Any) -> Any:
    """y, and NaN in some places: a product, so that the derivatives there are NaN, too."""
    dtype = array(y).dtype
    return y * call(np.where, (there, np.nan, 1.0), {}).astype(dtype)[()] if dtype.kind in "fc" else y


IN_PYTHON[WRAPPER] = {"_add_reduced_axes": Around(_with_nan)}
IN_PYTHON["scipy._lib._util"] = {"_contains_nan": Around(_contains_nan)}
for _home in EXTERNAL:
    _helpers = IN_PYTHON.setdefault(f"{_home}.array_api_compat.common._helpers", {})
    _helpers["is_lazy_array"] = Around(_is_lazy_array)

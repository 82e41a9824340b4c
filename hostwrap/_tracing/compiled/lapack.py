"""Solutions of linear equations, by the functions of LAPACK that SciPy's code calls."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from hostwrap._tracing.compiled.table import asked, computes


@computes("linalg._flapack.dgesv")
def dgesv(a: Any, b: Any, overwrite_a: bool = False, overwrite_b: bool = False) -> tuple:
    return a, None, np.linalg.solve(a, b), 0


def solve_banded(sizes: tuple[int, int], bands: Any, b: Any) -> Any:
    """SciPy's `solve_banded`, for which stand-ins have a rule."""
    return asked(importlib.import_module("scipy.linalg").solve_banded, sizes, bands, b)


@computes("linalg._flapack.dgbsv")
def dgbsv(
    below: int, above: int, bands: Any, b: Any, overwrite_ab: bool = False, overwrite_b: bool = False
) -> tuple:
    """LAPACK wants `below` more rows, which elimination fills."""
    return bands, None, solve_banded((below, above), bands[below:], b), 0

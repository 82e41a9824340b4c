"""User functions in NumPy, which solvers get."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax

from hostwrap._errors import MissingDerivative
from hostwrap._host.origins import find


def in_jax(function: Callable) -> Callable:
    """The function; if JAX cannot trace it because it calls NumPy, its code is traced for values of JAX.

    So the functions that users wrote for SciPy's solvers serve hostwrap's as they are.
    """

    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except (jax.errors.TracerArrayConversionError, jax.errors.ConcretizationTypeError) as error:
            try:
                return find(("numpys", function, args, kwargs))
            except MissingDerivative as refusal:
                raise error from refusal

    return call

"""What is known of the error of a numerical derivative."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from hostwrap._call.arguments import bind
from hostwrap._call.dtypes import settle
from hostwrap._errors import RuleError
from hostwrap._host.function import WIDE
from hostwrap._numerical.host import jacobians, moving
from hostwrap._rules.numerical import Numerical
from hostwrap._wrap import Wrapped


def numerical_error(f: Any, *args: Any, **kwargs: Any) -> dict[str, Any]:
    """The estimated error of each first derivative of a function with `numerical=`, at concrete arguments.

    Derivatives are by Ridders' method: differences with smaller and smaller steps, extrapolated to 0; the estimate is
    how much the last extrapolations differ, or rounding, if that is more. When a derivative is computed, one whose
    estimate is more than `rtol * (|derivative| + |value| / first step)` is a `ResultError`. Options, as in
    `wrap(numerical={"initial_step": 0.1})`:

        initial_step: absolute; by default a quarter of each number, and a quarter, of which the better one is taken.
        step_factor: each step is so many times smaller than the one before (3).
        maxiter: how many steps there are at most (12).
        step_direction: 0 on both sides of the argument, 1 above it, -1 below it, as in scipy.differentiate.
        rtol: the accepted error (1e-6).

    `initial_step` and `step_direction` may be mappings from names of arguments.

    Returns:
        For each floating-point argument (each leaf of one, by its path), what the absolute errors are, in the
        structure of the result; shaped as the batch, then the core of the result, then that of the argument.

    Raises:
        RuleError: the function has no numerical derivatives.
    """
    if not isinstance(f, Wrapped) or not isinstance(f._rule, Numerical):
        raise RuleError(f"numerical_error: {getattr(f, '__name__', f)!s:.80} is not wrapped with numerical=.")
    values, statics = bind(f.__name__, f._signature, f._statics, args, kwargs)
    leaves, tree = jax.tree.flatten(values)
    leaves = settle(f.__name__, leaves)
    call = f._spec.declare(jax.tree.unflatten(tree, leaves), statics)
    arrays = [_wide(np.asarray(x), n, call.batch) for x, n in zip(leaves, call.layout.in_core, strict=True)]
    found: dict[str, list] = {}
    for i in (i for i, x in enumerate(arrays) if x.dtype.kind in "fc"):
        parts = [part.error for _, part in jacobians(call.host, call.layout, [i], f._rule.steps, arrays)]
        found[call.host.argnames[i]] = _by_result(call, parts)
    return found


def _wide(x: np.ndarray, core: int, batch: tuple[int, ...]) -> np.ndarray:
    wide = x.astype(WIDE.get(x.dtype.kind, WIDE["f"]))
    return np.broadcast_to(wide, batch + x.shape[x.ndim - core :])


def _by_result(call: Any, errors: list) -> Any:
    """One for each result, the larger of the two parts of a complex argument; None for integers."""
    rows = moving(call.layout)
    merged = [np.max(errors[k :: len(rows)], axis=0) for k in range(len(rows))]
    leaves: list[Any] = [None] * len(call.layout.outs)
    for k, error in zip(rows, merged, strict=True):
        leaves[k] = error
    return jax.tree.unflatten(call.out_tree, leaves)

"""The derivative of a call with side effects: a forward rule for the core axes, mapped over the batch axes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax.custom_derivatives import SymbolicZero

from hostwrap._call.arguments import mapped
from hostwrap._host.layout import Layout
from hostwrap._lanes.compiler import Zero


def by_rule(
    forward: Callable, layout: Layout, primals: Sequence[Any], tangents: Sequence[Any]
) -> tuple[list, list]:
    """Answers and tangents, as JAX wants them of a primitive; `forward` takes and returns lists of core arrays."""
    live = [i for i, t in enumerate(tangents) if type(t) is not Zero]
    smooth = [i for i, out in enumerate(layout.outs) if jnp.issubdtype(out.dtype, jnp.inexact)]

    def core(*arrays: Any) -> tuple[list, list]:
        xs = arrays[: len(primals)]
        given = dict(zip(live, arrays[len(primals) :], strict=True))
        zeros = [SymbolicZero(_tangent_type(x)) for x in xs]
        answers, ts = forward(xs, [given.get(i, zero) for i, zero in enumerate(zeros)])
        return answers, [ts[i] for i in smooth]

    cores = [*layout.in_core, *(layout.in_core[i] for i in live)]
    batch = layout.batch(x.shape for x in primals)
    answers, found = mapped(core, (*primals, *(tangents[i] for i in live)), cores, batch)
    by_number = dict(zip(smooth, found, strict=True))
    return answers, [by_number.get(i, Zero(_tangent_type(y))) for i, y in enumerate(answers)]


def _tangent_type(x: Any) -> jax.core.ShapedArray:
    inexact = jnp.issubdtype(x.dtype, jnp.inexact)
    return jax.core.ShapedArray(x.shape, x.dtype if inexact else jax.dtypes.float0)

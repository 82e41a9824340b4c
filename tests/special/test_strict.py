"""JAX's strict modes are about what the user writes: values and gradients of every function pass under them."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tests.reference import ours
from tests.reference.entries import catalogue, columns, statics
from tests.reference.points import points

PUBLIC = sorted(name for name, f in catalogue().items() if f.public)


def value_and_gradient(function, args):
    """Traced, in the arguments that have a derivative."""
    chosen = statics(function)[0]
    live = [i for i, a in enumerate(function.args) if not ours.is_missing(function, a)]
    live = [i for i in live if jnp.issubdtype(args[i].dtype, jnp.inexact)]

    def both(*moving):
        y, back = jax.vjp(lambda *xs: function(*ours.placed(args, live, xs), **chosen), *moving)
        return back(jax.tree.map(jnp.ones_like, y)) if live else y

    jax.eval_shape(both, *(args[i] for i in live))


@pytest.mark.rotating
@pytest.mark.parametrize("name", PUBLIC)
def test_every_function_passes_under_strict_promotion(name):
    function = catalogue()[name]
    for is_complex in (True, False):
        row = points(function, is_complex)[:1]
        for real in (np.float64, np.float32) if len(row) else ():
            args = [jnp.asarray(a[0]) for a in columns(function, row, real)]
            with jax.numpy_dtype_promotion("strict"):
                value_and_gradient(function, args)
    ranks = [jnp.broadcast_to(a, (3,) if i % 2 else (2, 3)) for i, a in enumerate(args)]
    with jax.numpy_rank_promotion("raise"):
        value_and_gradient(function, ranks)

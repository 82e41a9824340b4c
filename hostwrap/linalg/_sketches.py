"""Random sums of the rows of a matrix."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.linalg
import scipy.sparse

from hostwrap._errors import SignatureError
from hostwrap._recipes.cores import arrays
from hostwrap._types import ArrayLike


def clarkson_woodruff_transform(
    input_matrix: ArrayLike, sketch_size: int, rng: int | None = None, *, seed: int | None = None
) -> jax.Array:
    """`scipy.linalg.clarkson_woodruff_transform`: each row goes to one of a few, with a random sign; linear.

    Args:
        input_matrix: [n, d], real or complex.
        sketch_size: how many rows there are then.
        rng: an integer that determines the draw; or `seed`, as SciPy called it. Without it a compiled program would
            draw once, and a derivative would draw again.

    Returns:
        SciPy's value, [sketch_size, d].

    Raises:
        SignatureError: no integer rng, another shape.

    >>> import jax, numpy as np
    >>> print(jax.jacfwd(lambda t: clarkson_woodruff_transform(t * np.ones((3, 1)), 2, 1))(1.0))
    [[-1.]
     [ 2.]]
    """
    chosen = seed if rng is None else rng
    (a,) = arrays("clarkson_woodruff_transform", input_matrix=input_matrix)
    if not isinstance(chosen, int | np.integer) or a.ndim != 2:
        raise SignatureError(
            f"clarkson_woodruff_transform: wants a matrix and rng to be an integer, got shape {a.shape} and {chosen!r}."
        )
    to, signs = _sketch(a.shape[0], int(sketch_size), "seed" if rng is None else "rng", int(chosen))
    signs = jnp.asarray(signs, jnp.finfo(jnp.result_type(a, float)).dtype)[:, None]
    return jnp.zeros((sketch_size, a.shape[1]), jnp.result_type(a, signs)).at[to].add(signs * a)


def _sketch(n: int, size: int, name: str, chosen: int) -> tuple[Any, Any]:
    """SciPy's own draw: the new row of each row, and its sign."""
    units = scipy.sparse.eye_array(n, format="csc")
    found = scipy.sparse.csc_array(
        scipy.linalg.clarkson_woodruff_transform(units, size, **{name: chosen})  # type: ignore[arg-type]
    )
    return found.indices, found.data

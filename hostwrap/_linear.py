"""`linear`: a linear map and its transpose, both NumPy functions, as one linear JAX function."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Unpack, overload

from hostwrap._call.options import Options
from hostwrap._errors import RuleError
from hostwrap._wrap import Wrapped, wrap

_Map = Callable[..., Any]


@overload
def linear(
    function: _Map, signature: str | None = None, /, *,
    transpose: _Map | None = None, adjoint: _Map | None = None, **options: Unpack[Options],
) -> Wrapped: ...  # fmt: skip
@overload
def linear(
    signature: str | None = None, /, *,
    transpose: _Map | None = None, adjoint: _Map | None = None, **options: Unpack[Options],
) -> Callable[[_Map], Wrapped]: ...  # fmt: skip
def linear(
    function: Any = None, signature: str | None = None, /, *,
    transpose: Callable | None = None, adjoint: Callable | None = None, **options: Any,
) -> Any:  # fmt: skip
    """Turn a linear map on the host into a JAX function that is linear for JAX: all its derivatives are itself.

    `linear(f, "(3)->(2)", transpose=ft)`, or as a decorator `@linear("(n)->(n)", transpose=ft)`. Shapes are declared as
    in `wrap`: by a signature, by `out=`, or not at all for an elementwise map; leading axes are batch axes for both.
    A map of several arguments is linear in all of them together.

    Args:
        function: y = A x, in NumPy.
        signature: the core axes, as in `wrap`.
        transpose: c -> A^T c, without conjugation, also of complex maps: what jax.linear_transpose and jax.vjp mean.
            For several arguments it returns a tuple. It gets statics by keyword.
        adjoint: c -> A^H c in its place (scipy.sparse.linalg calls it rmatvec); the same for real maps.
        options: as in `wrap`.

    Returns:
        A `Wrapped` function: jvp, vjp, jax.linear_transpose and derivatives of any order work, each one host call.

    Raises:
        RuleError: neither or both of transpose and adjoint, or one that cannot be called.
    """
    if isinstance(function, str):
        function, signature = None, function
    if function is None:
        return functools.partial(_linear, signature, transpose, adjoint, options)
    return _linear(signature, transpose, adjoint, options, function)


def _linear(signature: str | None, transpose: Any, adjoint: Any, options: dict, function: Callable) -> Any:
    if signature is not None:
        options = {"signature": signature, **options}
    wrapped = wrap(function, **options)
    if (transpose is None) == (adjoint is None):
        raise RuleError(f"{wrapped.__name__}: linear wants one of transpose= and adjoint=.")
    wrapped._deflinear("the adjoint" if transpose is None else "the transpose", transpose or adjoint)
    return wrapped

"""Names of types for signatures: what checkers and editors show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import jax.typing

# One list in another, three deep, and not without end: to a checker a text is a sequence of texts.
ArrayLike: TypeAlias = (
    jax.typing.ArrayLike
    | Sequence[jax.typing.ArrayLike]
    | Sequence[Sequence[jax.typing.ArrayLike]]
    | Sequence[Sequence[Sequence[jax.typing.ArrayLike]]]
)
"""A number, an array of JAX or NumPy, or lists of numbers, as SciPy takes them."""

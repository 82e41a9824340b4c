"""The options of `wrap` and `linear` for type checkers and editors; what each means is told in `wrap`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

VmapMethod = Literal["broadcast_all", "sequential", "sequential_unrolled", "expand_dims", "legacy_vectorized"]


class Options(TypedDict, total=False):
    """Keyword arguments of `wrap`; a test compares them with those of `Wrapped`."""

    signature: str | None
    out: Any
    static: str | Sequence[str]
    vmap_method: VmapMethod | None
    dtype: Any
    widen: bool | None
    thread_safe: bool
    allow_jax: bool
    on_error: Literal["raise", "nan"]
    effect: Literal["io", "debug"] | None
    ordered: bool
    progress: bool | str
    numerical: bool | Mapping[str, Any]

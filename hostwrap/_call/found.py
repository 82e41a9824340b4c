"""The decorated function that an origin means (see `Spec`), for a compiled program that was made elsewhere."""

from __future__ import annotations

from typing import Any

import jax

from hostwrap._call.arguments import Static
from hostwrap._host.origins import finder, imported
from hostwrap._wrap import Wrapped


@finder("wrap")
def _find(module: str, qualname: str, names: tuple, statics: tuple, tree: Any, out_tree: Any) -> Any:
    """The host function of a decorated function that has been imported; see `Spec.origin`."""
    function = imported(module, qualname)
    if not isinstance(function, Wrapped):
        return None
    given = tuple(Static(*pair) for pair in statics)
    host = function._spec.host(names, given, jax.tree.structure(tree), jax.tree.structure(out_tree))
    differentiable = function._differentiable(given)
    if hasattr(differentiable, "table"):  # made now, it is the host's
        differentiable.table(tuple(map(function._names.index, names)))
    return host

"""Between the flat operands of a host call and the arguments, tangents and cotangents that a NumPy rule speaks of."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap._errors import RuleError, missing
from hostwrap._host.layout import Result


class Leaves:
    """The leaves of a pytree of known shapes: the arguments of a call, or its results."""

    def __init__(self, tree: Any, results: Sequence[Result]) -> None:
        self.tree, self.results = tree, tuple(results)
        self.inexact = [jnp.issubdtype(r.dtype, jnp.inexact) for r in results]
        self.moving = tuple(i for i, inexact in enumerate(self.inexact) if inexact)

    def whole(self, given: Mapping[int, np.ndarray]) -> Any:
        """The pytree: zeros for a leaf that is not given, None for one that has no derivative."""
        return jax.tree.unflatten(self.tree, self.filled(given))

    def filled(self, given: Mapping[int, np.ndarray]) -> list:
        some, array = next(iter(given.items()))
        batch = array.shape[: array.ndim - len(self.results[some].shape)]
        return [given[i] if i in given else self._zeros(i, batch) for i in range(len(self.results))]

    def _zeros(self, i: int, batch: tuple[int, ...]) -> np.ndarray | None:
        if not self.inexact[i]:
            return None
        result = self.results[i]
        wide = np.complex128 if jnp.issubdtype(result.dtype, jnp.complexfloating) else np.float64
        return np.zeros(batch + result.shape, wide)

    def split(self, what: str, value: Any) -> list:
        """The leaves of what a rule returned for this pytree."""
        return split(what, self.tree, value)


class Arguments(Leaves):
    """The leaves of all arguments of a call, and whose they are."""

    def __init__(self, names: Sequence[str], tree: Any, results: Sequence[Result]) -> None:
        super().__init__(tree, results)
        self.names = tuple(names)
        self.trees = tree.children()
        ends = itertools.accumulate(t.num_leaves for t in self.trees)
        self.spans = [range(end - t.num_leaves, end) for end, t in zip(ends, self.trees, strict=True)]
        self.owner = [a for a, span in enumerate(self.spans) for _ in span]

    def needed(self, leaves: Sequence[int]) -> tuple[bool, ...]:
        """For each argument, whether one of these leaves is in it."""
        owners = {self.owner[i] for i in leaves}
        return tuple(a in owners for a in range(len(self.trees)))

    def tangents(self, given: Mapping[int, np.ndarray]) -> tuple:
        """One tangent for each argument; None for one in which nothing is perturbed."""
        leaves = self.filled(given)
        needed = self.needed(list(given))
        return tuple(
            jax.tree.unflatten(tree, [leaves[i] for i in span]) if wanted else None
            for tree, span, wanted in zip(self.trees, self.spans, needed, strict=True)
        )

    def cotangents(self, function: str, what: str, value: Any, leaves: Sequence[int]) -> list:
        """These leaves of the cotangents that a rule returned, one for each argument."""
        parts = self.each(f"{function}: {what}", "cotangent", value)
        found: dict[int, Any] = {}
        for a in sorted({self.owner[i] for i in leaves}):
            if parts[a] is None:
                why = f"{what} returned None for it (a derivative that is zero is numpy.zeros_like)"
                raise missing(function, self.names[a], why)
            where = f"{function}: {what}'s cotangent of `{self.names[a]}`"
            found.update(zip(self.spans[a], split(where, self.trees[a], parts[a]), strict=True))
        return picked(f"{function}: {what}'s cotangent", found, leaves)

    def each(self, rule: str, what: str, value: Any) -> Sequence[Any]:
        """Refuse what is not one thing for each argument."""
        counted = isinstance(value, tuple | list)
        if not counted or len(value) != len(self.trees):
            came = f"{len(value)} of them" if counted else type(value).__name__
            wanted = f"a tuple with a {what} (or None) for each of {', '.join(self.names)}"
            raise RuleError(f"{rule} must return {wanted}; got {came}.")
        return value

    def name_of(self, leaf: int) -> str:
        """`p['a']`: the argument's name, and the way to the leaf in it."""
        a = self.owner[leaf]
        tree = jax.tree.unflatten(self.trees[a], range(len(self.spans[a])))
        paths = jax.tree_util.tree_flatten_with_path(tree)[0]
        return self.names[a] + jax.tree_util.keystr(paths[leaf - self.spans[a].start][0])


def results_of(leaves: Sequence[Any]) -> tuple[Result, ...]:
    return tuple(Result(x.shape, x.dtype) for x in leaves)


def picked(what: str, values: Any, leaves: Sequence[Any]) -> list:
    """These leaves; None is for integers, which have no derivative."""
    if any(values[i] is None for i in leaves):
        raise RuleError(
            f"{what} has None in place of an array; a derivative that is zero is numpy.zeros_like."
        )
    return [values[i] for i in leaves]


def split(what: str, tree: Any, value: Any) -> list:
    """The leaves of what a rule returned, None standing for a leaf without a derivative."""
    if value is None and tree.num_leaves:
        raise RuleError(f"{what} is None, expected the structure {tree}.")
    if isinstance(value, list) and tree == jax.tree.structure((0,) * len(value)):
        value = tuple(value)  # as a function may return a list for a tuple of results
    try:
        return list(tree.flatten_up_to(value))
    except ValueError:
        raise RuleError(f"{what} has structure {jax.tree.structure(value)}, expected {tree}.") from None

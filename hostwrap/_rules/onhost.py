"""Rules in NumPy: call them, and take apart what they return."""

from __future__ import annotations

import dataclasses
import inspect
import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap._call.spec import as_tuple
from hostwrap._errors import RuleError, missing_derivative
from hostwrap._host.function import VMAP_METHODS
from hostwrap._host.layout import Result
from hostwrap._rules.rule import Rule, each
from hostwrap._table.partials import Unknown

EXTRAS = ("ans", "needed")


@dataclasses.dataclass(frozen=True)
class NumpyRule:
    """A rule of the user, which may have parameters `ans` (the answer) and `needed` (a flag per argument).

    The rule of a recorded run gets `live` (see `form.alive`), too.
    """

    what: str
    function: Callable
    extras: tuple[str, ...]

    @classmethod
    def of(
        cls, function: str, what: str, rule: Any, positional: Sequence[str], statics: Sequence[str]
    ) -> NumpyRule:
        """Check a rule when it is attached; raise if it cannot be called with its arguments."""
        extras: tuple[str, ...] = ()
        try:
            parameters = inspect.signature(rule).parameters
            extras = tuple(e for e in EXTRAS if e in parameters and e not in (*statics, *positional))
        except (TypeError, ValueError):  # not callable, or one of the builtins without a signature
            pass
        check_arity(function, what, rule, positional, (*statics, *extras))
        return cls(what, rule, extras)

    def __call__(self, *args: Any, statics: Mapping[str, Any], **extras: Any) -> Any:
        return self.function(*args, **statics, **{k: extras.get(k) for k in self.extras})


class OnHost(Rule):
    """Rules in NumPy by their kinds, their `vmap_method`, and the arguments without a derivative."""

    last = "hvp= is the last rule that defhost takes"  # the reason why there is no third derivative

    def __init__(
        self, rules: Mapping[str, NumpyRule], vmap_method: str | None = None, given: Mapping[str, Any] | None = None,
    ) -> None:  # fmt: skip
        self.rules, self.vmap_method, self.given = rules, vmap_method, given or {}

    @property
    def wants_answer(self) -> bool:
        return any("ans" in rule.extras for rule in self.rules.values())


def check_arity(
    function: str, what: str, rule: Any, positional: Sequence[str], statics: Sequence[str]
) -> None:
    """Raise if a rule cannot take these arguments."""
    if not callable(rule):
        raise RuleError(f"{function}: {what} must be a function, got {type(rule).__name__}.")
    try:
        signature = inspect.signature(rule)
    except (TypeError, ValueError):  # some builtins have none
        return
    try:
        signature.bind(*positional, **dict.fromkeys(statics))
    except TypeError as error:
        extra = f", and keywords {', '.join(statics)}" if statics else ""
        raise RuleError(
            f"{function}: {what} is called as ({', '.join(positional)}{extra}), but takes {signature}: {error}."
        ) from None


def check_options(
    function: str, names: Sequence[str], vmap_method: str | None, given: Mapping[str, Any]
) -> None:
    """Raise for a keyword that is neither an option nor an argument without a derivative."""
    if strangers := ", ".join(sorted(set(given) - set(names))):
        known = f"the arguments are {list(names)}, and there is no option of this name"
        raise RuleError(f"{function}: {strangers} given by keyword; {known}.")
    for name, value in given.items():
        if not isinstance(value, Unknown):
            came = type(value).__name__
            raise RuleError(f"{function}: `{name}=` is for hw.unknown(why) or hw.discrete, got {came}.")
    if vmap_method is not None and vmap_method not in VMAP_METHODS:
        raise RuleError(f"{function}: vmap_method={vmap_method!r} must be one of {', '.join(VMAP_METHODS)}.")


# ---- from the flat operands of a host call to the arguments of a rule, and back


class Leaves:
    """The leaves of a pytree of known shapes: the arguments of a call, or its results."""

    def __init__(self, tree: Any, results: Sequence[Result]) -> None:
        self.tree, self.results = tree, tuple(results)
        self.inexact = tuple(i for i, r in enumerate(results) if jnp.issubdtype(r.dtype, jnp.inexact))

    def whole(self, given: Mapping[int, np.ndarray]) -> Any:
        """The pytree of these leaves: zeros for a missing leaf, None for one without a derivative."""
        return jax.tree.unflatten(self.tree, self.filled(given))

    def filled(self, given: Mapping[int, np.ndarray]) -> list:
        some, array = next(iter(given.items()))
        batch = array.shape[: array.ndim - len(self.results[some].shape)]
        return [given[i] if i in given else self._zeros(i, batch) for i in range(len(self.results))]

    def _zeros(self, i: int, batch: tuple[int, ...]) -> np.ndarray | None:
        wide = np.complex128 if is_complex(self.results[i]) else np.float64
        return np.zeros(batch + self.results[i].shape, wide) if i in self.inexact else None


class Arguments(Leaves):
    """The leaves of all arguments of a call, and the argument of each."""

    def __init__(self, function: str, names: Sequence[str], tree: Any, results: Sequence[Result]) -> None:
        super().__init__(tree, results)
        self.function, self.names, self.trees = function, tuple(names), tree.children()
        ends = itertools.accumulate(t.num_leaves for t in self.trees)
        self.spans = [range(end - t.num_leaves, end) for end, t in zip(ends, self.trees, strict=True)]
        self.owner = [a for a, span in enumerate(self.spans) for _ in span]

    def needed(self, leaves: Sequence[int]) -> tuple[bool, ...]:
        """For each argument, whether it has one of these leaves."""
        owners = {self.owner[i] for i in leaves}
        return tuple(a in owners for a in range(len(self.trees)))

    def tangents(self, given: Mapping[int, np.ndarray]) -> tuple:
        """One tangent for each argument; None for an argument without a perturbed leaf."""
        leaves, needed = self.filled(given), self.needed(list(given))
        return tuple(
            jax.tree.unflatten(tree, [leaves[i] for i in span]) if wanted else None
            for tree, span, wanted in zip(self.trees, self.spans, needed, strict=True)
        )

    def cotangents(self, what: str, value: Any, leaves: Sequence[int]) -> list:
        """These leaves of the cotangents that a rule returned."""
        why = f"{what} returned None for it (a derivative that is zero is numpy.zeros_like)"
        found: dict[int, Any] = {}
        for a, part in self.parts(each(self.function, self.names, what, "cotangent", value), leaves, why):
            where = f"{self.function}: {what}'s cotangent of `{self.names[a]}`"
            found.update(zip(self.spans[a], split(where, self.trees[a], part), strict=True))
        return picked(f"{self.function}: {what}'s cotangent", found, leaves)

    def each(self, what: str, kind: str, value: Any) -> Sequence[Any]:
        """The items that a rule returned, one for each argument; of one argument it returns the item itself."""
        return [value] if len(self.trees) == 1 else each(self.function, self.names, what, kind, value)

    def parts(self, parts: Sequence[Any], leaves: Sequence[int], why: str) -> list:
        """(number of the argument, its item in what a rule returned), for the arguments with these leaves."""
        wanted = sorted({self.owner[i] for i in leaves})
        for a in wanted:
            if parts[a] is None:
                raise missing_derivative(self.function, self.names[a], why)
        return [(a, parts[a]) for a in wanted]

    def name_of(self, leaf: int) -> str:
        """The name of a leaf: the argument, and the path to the leaf, as in `p['a']`."""
        a = self.owner[leaf]
        tree = jax.tree.unflatten(self.trees[a], range(len(self.spans[a])))
        paths = jax.tree_util.tree_flatten_with_path(tree)[0]
        return self.names[a] + jax.tree_util.keystr(paths[leaf - self.spans[a].start][0])


def cores_of(leaves: Sequence[Any], in_core: Sequence[int]) -> tuple[Result, ...]:
    """The core shapes and the types of operands."""
    return tuple(Result(x.shape[x.ndim - n :], x.dtype) for x, n in zip(leaves, in_core, strict=True))


def is_complex(result: Result) -> bool:
    return bool(jnp.issubdtype(result.dtype, jnp.complexfloating))


def picked(what: str, values: Any, leaves: Sequence[Any]) -> list:
    """These leaves; None is for integers, which have no derivative."""
    found = [values[i] for i in leaves]
    if any(x is None for x in found):
        raise RuleError(
            f"{what} has None in place of an array; a derivative that is zero is numpy.zeros_like."
        )
    return found


def split(what: str, tree: Any, value: Any) -> list:
    """The leaves of what a rule returned; None stands for a leaf without a derivative."""
    if value is None and tree.num_leaves:
        raise RuleError(f"{what} is None, expected the structure {tree}.")
    try:
        return list(tree.flatten_up_to(as_tuple(value, tree)))
    except ValueError:
        raise RuleError(f"{what} has structure {jax.tree.structure(value)}, expected {tree}.") from None

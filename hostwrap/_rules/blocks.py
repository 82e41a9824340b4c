"""The host functions behind a Jacobian and a Hessian: what a NumPy rule returns, as blocks in a row."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from hostwrap._errors import RuleError, missing
from hostwrap._host.function import HostFunction
from hostwrap._host.layout import Layout, Result
from hostwrap._lanes.primitive import host_call
from hostwrap._rules.leaves import Arguments, Leaves, picked, split

Numbers = tuple[int, ...]


class Blocks:
    """For arguments and results of these shapes; a block is a derivative of one leaf of the results."""

    def __init__(
        self, rule: Any, statics: Mapping[str, Any], tree: Any, ins: Sequence[Result], out_tree: Any,
        outs: Sequence[Result],
    ) -> None:  # fmt: skip
        self.rule, self.statics, self.owner = rule, statics, rule.owner
        self.args, self.outs = Arguments(rule.owner.names, tree, ins), Leaves(out_tree, outs)
        self._jacobian = functools.lru_cache(maxsize=64)(self._jacobian_host)
        self._hessian = functools.lru_cache(maxsize=64)(self._hessian_host)

    def jacobian(self, leaves: Numbers, operands: Sequence[Any]) -> list:
        """The value, if it comes with it, then each result's Jacobian with respect to each of these leaves."""
        value = self.outs.results if self.rule.with_value else ()
        declared = (*value, *(self._block(j, i) for j in self.outs.moving for i in leaves))
        return host_call(self._jacobian(leaves), self._layout(operands, declared), *operands)

    def hessian(self, leaves: Numbers, along: Numbers, operands: Sequence[Any]) -> list:
        keys = itertools.product(self.outs.moving, leaves, along)
        declared = tuple(self._block(*key) for key in keys)
        return host_call(self._hessian(leaves, along), self._layout(operands, declared), *operands)

    def _layout(self, operands: Sequence[Any], declared: tuple[Result, ...]) -> Layout:
        return Layout(tuple(x.ndim for x in operands), declared)

    def _block(self, j: int, *leaves: int) -> Result:
        y = self.outs.results[j]
        return Result(sum((self.args.results[i].shape for i in leaves), y.shape), y.dtype)

    # ---- on the host

    def _jacobian_host(self, leaves: Numbers) -> HostFunction:
        rule = self.rule.first

        def function(*arrays: np.ndarray) -> list:
            returned = self._called(rule, arrays, leaves)
            value, jacobian = self._pair(returned) if self.rule.with_value else ([], returned)
            parts = self._by_argument(rule.what, jacobian, leaves)
            found = {
                (j, i): block
                for a, part in parts.items()
                for j, row in self._by_result(rule.what, part)
                for i, block in self._by_leaf(rule.what, a, row)
            }
            wanted = [(j, i) for j in self.outs.moving for i in leaves]
            return [*value, *picked(f"{self.owner.name}: {rule.what}", found, wanted)]

        words = ["the value"] * len(self.outs.results) if self.rule.with_value else []
        words += [
            f"the Jacobian with respect to `{self.args.name_of(i)}`" for _ in self.outs.moving for i in leaves
        ]
        return self._hosted(function, rule, words)

    def _hessian_host(self, leaves: Numbers, along: Numbers) -> HostFunction:
        rule = self.rule.second

        def function(*arrays: np.ndarray) -> list:
            wanted = [*itertools.product(self.outs.moving, leaves, along)]
            rows = self._by_argument(rule.what, self._called(rule, arrays, leaves), leaves)
            found = {
                (j, i, k): block
                for a, row in rows.items()
                for b, part in self._by_argument(rule.what, row, along).items()
                for j, of_result in self._by_result(rule.what, part)
                for i, of_leaf in self._by_leaf(rule.what, a, of_result)
                for k, block in self._by_leaf(rule.what, b, of_leaf)
            }
            return picked(f"{self.owner.name}: {rule.what}", found, wanted)

        names = self.args.name_of
        keys = itertools.product(self.outs.moving, leaves, along)
        return self._hosted(
            function, rule, [f"the Hessian with respect to `{names(i)}` and `{names(k)}`" for _, i, k in keys]
        )

    def _hosted(self, function: Any, rule: Any, words: Sequence[str]) -> HostFunction:
        names = [self.args.name_of(i) for i in range(len(self.args.results))]
        names += ["ans"] * (len(self.outs.results) if self.rule.wants_answer else 0)
        return self.owner.hosted(
            function, f"{self.owner.name}, {rule.what}", tuple(names), results=tuple(words),
            vmap_method=self.owner.vmap_method,
        )  # fmt: skip

    def _called(self, rule: Any, arrays: Sequence[np.ndarray], leaves: Numbers) -> Any:
        count = len(self.args.results)
        values = self.args.whole(dict(enumerate(arrays[:count])))
        ans = self.outs.whole(dict(enumerate(arrays[count:]))) if arrays[count:] else None
        return rule(*values, statics=self.statics, ans=ans, needed=self.args.needed(leaves))

    # ---- the structure of what a rule returns: argument, result, leaf of the argument

    def _pair(self, returned: Any) -> tuple[list, Any]:
        what = f"{self.owner.name}: {self.rule.first.what}"
        if not isinstance(returned, tuple | list) or len(returned) != 2:
            came = (
                f"{len(returned)} of them" if isinstance(returned, tuple | list) else type(returned).__name__
            )
            raise RuleError(f"{what} must return (value, gradients), got {came}.")
        return self.outs.split(f"{what}'s value", returned[0]), returned[1]

    def _by_argument(self, what: str, value: Any, leaves: Numbers) -> dict[int, Any]:
        parts = (
            [value]
            if len(self.args.trees) == 1
            else self.args.each(f"{self.owner.name}: {what}", "Jacobian", value)
        )
        wanted = sorted({self.args.owner[i] for i in leaves})
        for a in wanted:
            if parts[a] is None:
                raise missing(self.owner.name, self.args.names[a], f"{what} returned None for it")
        return {a: parts[a] for a in wanted}

    def _by_result(self, what: str, value: Any) -> Iterator[tuple[int, Any]]:
        rows = split(f"{self.owner.name}: {what}", self.outs.tree, value)
        return ((j, rows[j]) for j in self.outs.moving)

    def _by_leaf(self, what: str, a: int, value: Any) -> Iterator[tuple[int, Any]]:
        parts = split(f"{self.owner.name}: {what}", self.args.trees[a], value)
        return zip(self.args.spans[a], parts, strict=True)

"""A ladder of levels: a function, its Jacobian, its Hessian, ..., each a host function of the same arguments.

The derivative of a level is Jacobian times tangent; the Jacobian in the differentiated leaves comes from the next
level. Rules in NumPy (`defjacobian`, `defvalue_and_grad`) compute the levels, or differences (`numerical=`), which give
any number of levels.

A Jacobian is a list of blocks: for each inexact result, one block for each leaf, shaped `result + leaf`. Differences
give two blocks for a complex leaf, one for each part. So the function need not be holomorphic.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap._call.spec import Call
from hostwrap._errors import RuleError, SignatureError, missing_derivative
from hostwrap._host.function import WIDE, HostFunction
from hostwrap._host.layout import Layout, Result
from hostwrap._lanes.primitive import OverBatch, host_call
from hostwrap._rules.differences import Steps, inexact_of, jacobians, numerical_host
from hostwrap._rules.onhost import Arguments, Leaves, NumpyRule, OnHost, cores_of, is_complex, picked, split
from hostwrap._rules.rule import Function, Rule, came, perturbed, product

Numbers = tuple[int, ...]
Jacobian = Callable[[Sequence[Any], Numbers], tuple[list, list]]


@dataclasses.dataclass(frozen=True)
class Level:
    """`jacobian(operands, leaves)` returns the results of the host function, and its Jacobian in these leaves."""

    host: HostFunction
    outs: tuple[Result, ...]
    jacobian: Jacobian
    parts: Callable[[Any], tuple] = lambda tangent: (tangent,)  # the factors of the blocks of a leaf

    def __call__(self, *operands: Any) -> list:
        layout = Layout(tuple(x.ndim for x in operands), self.outs)
        return host_call(self.host, layout, *operands, forward=OverBatch(self.jvp, layout))

    def jvp(self, operands: Sequence[Any], tangents: Sequence[Any]) -> tuple[list, list]:
        """The jvp at core arrays; the tangent of a constant, and of integers, is None."""
        leaves = tuple(perturbed(tangents))
        answer, jacobian = self.jacobian(operands, leaves)
        parts, blocks = [part for i in leaves for part in self.parts(tangents[i])], iter(jacobian)
        moved = lambda y: functools.reduce(jnp.add, [product(next(blocks), t) for t in parts]).astype(y.dtype)
        return answer, [moved(y) if jnp.issubdtype(y.dtype, jnp.inexact) else None for y in answer]


def _jvp(level: Level, declared: Call, primals: tuple, tangents: Sequence[Any]) -> tuple[Any, Any]:
    """The jvp of a rule whose first level this is."""
    answer, moved = level.jvp(jax.tree.leaves(primals), tangents)
    return jax.tree.unflatten(declared.out_tree, answer), jax.tree.unflatten(declared.out_tree, moved)


# ---- levels by rules in NumPy


class Jacobians(OnHost):
    """`first(*args)` is the Jacobian, or with `with_value` (value, Jacobian); `second(*args)` its Jacobian."""

    def __init__(
        self, first: NumpyRule, second: NumpyRule | None, with_value: bool,
        vmap_method: str | None, given: Mapping[str, Any],
    ) -> None:  # fmt: skip
        super().__init__({"first": first} | ({"second": second} if second else {}), vmap_method, given)
        self.with_value = with_value
        self._ladder = functools.lru_cache(maxsize=64)(functools.partial(Ladder, self))

    def jvp(self, f: Function, primals: tuple, tangents: Sequence[Any]) -> tuple[Any, Any]:
        declared = f.spec.declare(primals, f.statics)
        cores = cores_of(jax.tree.leaves(primals), declared.layout.in_core)
        ladder = self._ladder(f, declared.tree, cores, declared.out_tree, declared.layout.outs)
        for i in perturbed(tangents):
            self.refuse(f.name, ladder.args.names[ladder.args.owner[i]])
        jacobian = ladder.of_value(declared.host)
        return _jvp(Level(declared.host, declared.layout.outs, jacobian), declared, primals, tangents)


class Ladder:
    """Value, Jacobian and Hessian, for arguments and results of these shapes."""

    def __init__(
        self, rule: Jacobians, f: Function, tree: Any, ins: Sequence[Result], out_tree: Any, outs: Sequence[Result],
    ) -> None:  # fmt: skip
        self.rule, self.f, self.function = rule, f, f.name
        self.args, self.outs = Arguments(f.name, f.names, tree, ins), Leaves(out_tree, outs)
        self.first = functools.lru_cache(maxsize=64)(self._first)
        self.second = functools.lru_cache(maxsize=64)(self._second)

    def of_value(self, host: HostFunction) -> Jacobian:
        """The value, from the rule or from the function itself, with its Jacobian."""

        def jacobian(xs: Sequence[Any], leaves: Numbers) -> tuple[list, list]:
            self._refuse_real(leaves)
            if self.rule.with_value:
                results, count = self.first(leaves)(*xs), len(self.outs.results)
                return results[:count], results[count:]
            value = Level(host, self.outs.results, jacobian)(*xs)
            fixed = map(jax.lax.stop_gradient, value if self.rule.wants_answer else ())
            return value, self.first(leaves)(*xs, *fixed)

        return jacobian

    def _first(self, leaves: Numbers) -> Level:
        """The level of the Jacobian in these leaves, with the value if the rule gives it."""
        rule, keys = self.rule.rules["first"], [*itertools.product(self.outs.inexact, leaves)]

        def function(*arrays: np.ndarray) -> list:
            value, jacobian = self._returned(rule, arrays, leaves)
            found = {
                (j, i): block
                for a, part in self._by_argument(rule, jacobian, leaves)
                for j, row in self._by_result(rule, part)
                for i, block in self._by_leaf(rule, a, row)
            }
            return [*value, *picked(f"{self.function}: {rule.what}", found, keys)]

        def jacobian(operands: Sequence[Any], moving: Numbers) -> tuple[list, list]:
            hessian = self.second(leaves, moving)(*operands)
            if not self.rule.with_value:
                return self.first(leaves)(*operands), hessian
            both = tuple(sorted({*leaves, *moving}))
            results, count = self.first(both)(*operands), len(self.outs.results)
            block = dict(zip(itertools.product(self.outs.inexact, both), results[count:], strict=True))
            of_value = [block[key] for key in itertools.product(self.outs.inexact, moving)]
            return [*results[:count], *(block[key] for key in keys)], [*of_value, *hessian]

        value = self.outs.results if self.rule.with_value else ()
        words = ["the value"] * len(value)
        words += [f"the Jacobian with respect to `{self.args.name_of(i)}`" for _, i in keys]
        return self._level(rule, function, (*value, *(self._block(*key) for key in keys)), words, jacobian)

    def _second(self, leaves: Numbers, along: Numbers) -> Level:
        """The level of the Jacobian of the Jacobian."""
        argument = self.args.names[self.args.owner[along[0]]]
        if "second" not in self.rule.rules:
            why = "no hessian= was given beside the Jacobian; add it"
            raise missing_derivative(self.function, argument, why, "second derivative")
        rule, keys = self.rule.rules["second"], [*itertools.product(self.outs.inexact, leaves, along)]

        def function(*arrays: np.ndarray) -> list:
            _, returned = self._returned(rule, arrays, leaves)
            found = {
                (j, i, k): block
                for a, row in self._by_argument(rule, returned, leaves)
                for b, part in self._by_argument(rule, row, along)
                for j, of_result in self._by_result(rule, part)
                for i, of_leaf in self._by_leaf(rule, a, of_result)
                for k, block in self._by_leaf(rule, b, of_leaf)
            }
            return picked(f"{self.function}: {rule.what}", found, keys)

        def third(*_: Any) -> Any:
            raise missing_derivative(self.function, argument, "hessian= is the last one", "third derivative")

        name = self.args.name_of
        words = [f"the Hessian with respect to `{name(i)}` and `{name(k)}`" for _, i, k in keys]
        return self._level(rule, function, tuple(self._block(*key) for key in keys), words, third)

    def _level(
        self, rule: NumpyRule, function: Callable, outs: tuple[Result, ...], words: Sequence[str], jacobian: Jacobian,
    ) -> Level:  # fmt: skip
        names = [self.args.name_of(i) for i in range(len(self.args.results))]
        names += ["ans"] * (len(self.outs.results) if self.rule.wants_answer else 0)
        host = self.f.spec.hosted(
            function, f"{self.function}, {rule.what}", tuple(names), results=tuple(words),
            vmap_method=self.rule.vmap_method,
        )  # fmt: skip
        return Level(host, outs, jacobian)

    def _block(self, j: int, *leaves: int) -> Result:
        y = self.outs.results[j]
        return Result(sum((self.args.results[i].shape for i in leaves), y.shape), y.dtype)

    def _refuse_real(self, leaves: Numbers) -> None:
        """Raise for a real function of complex arguments: it is not holomorphic, and has no Jacobian."""
        real = any(not is_complex(self.outs.results[j]) for j in self.outs.inexact)
        for i in leaves:
            if real and is_complex(self.args.results[i]):
                raise RuleError(
                    f"{self.function}: `{self.args.name_of(i)}` is complex and the result real, so it is not "
                    "holomorphic and has no Jacobian; give its rule with defhost."
                )

    # ---- take apart what a rule returns: by argument, by result, by leaf of the argument

    def _returned(self, rule: NumpyRule, arrays: Sequence[np.ndarray], leaves: Numbers) -> tuple[list, Any]:
        """(leaves of the value, if the rule gives it; derivatives)."""
        count = len(self.args.results)
        values = self.args.whole(dict(enumerate(arrays[:count])))
        ans = self.outs.whole(dict(enumerate(arrays[count:]))) if arrays[count:] else None
        returned = rule(*values, statics=self.f.keywords, ans=ans, needed=self.args.needed(leaves))
        if not self.rule.with_value or rule is not self.rule.rules["first"]:
            return [], returned
        what = f"{self.function}: {rule.what}"
        if not isinstance(returned, tuple | list) or len(returned) != 2:
            raise RuleError(f"{what} must return (value, gradients), got {came(returned)}.")
        return split(f"{what}'s value", self.outs.tree, returned[0]), returned[1]

    def _by_argument(self, rule: NumpyRule, value: Any, leaves: Numbers) -> list[tuple[int, Any]]:
        parts = self.args.each(rule.what, "Jacobian", value)
        return self.args.parts(parts, leaves, f"{rule.what} returned None for it")

    def _by_result(self, rule: NumpyRule, value: Any) -> Iterator[tuple[int, Any]]:
        rows = split(f"{self.function}: {rule.what}", self.outs.tree, value)
        return ((j, rows[j]) for j in self.outs.inexact)

    def _by_leaf(self, rule: NumpyRule, a: int, value: Any) -> Iterator[tuple[int, Any]]:
        parts = split(f"{self.function}: {rule.what}", self.args.trees[a], value)
        return zip(self.args.spans[a], parts, strict=True)


# ---- levels by differences


class Numerical(Rule):
    """The rule by differences: a Jacobian by differences is a host function, which has a Jacobian of the same kind."""

    def __init__(self, function: str, names: Sequence[str], options: Any) -> None:
        self.steps = _steps(function, names, options)
        self.above = functools.lru_cache(maxsize=256)(self._above)

    def jvp(self, f: Function, primals: tuple, tangents: Sequence[Any]) -> tuple[Any, Any]:
        declared = f.spec.declare(primals, f.statics)
        return _jvp(self.level(declared.host, declared.layout), declared, primals, tangents)

    def level(self, host: HostFunction, layout: Layout) -> Level:
        def jacobian(operands: Sequence[Any], leaves: Numbers) -> tuple[list, list]:
            cores = tuple(cores_of([operands[i] for i in leaves], [operands[i].ndim for i in leaves]))
            return level(*operands), self.above(host, layout, leaves, cores)(*operands)

        level = Level(host, layout.outs, jacobian, _real_parts)
        return level

    def _above(self, host: HostFunction, layout: Layout, leaves: Numbers, cores: Sequence[Result]) -> Level:
        outs = tuple(
            Result(layout.outs[k].shape + x.shape, layout.outs[k].dtype)
            for k in inexact_of(layout)
            for x in cores
            for _ in range(2 if is_complex(x) else 1)
        )
        return self.level(numerical_host(host, layout, leaves, self.steps), Layout(layout.in_core, outs))


def _real_parts(tangent: Any) -> tuple:
    return (jnp.real(tangent), jnp.imag(tangent)) if jnp.iscomplexobj(tangent) else (tangent,)


def _steps(function: str, names: Sequence[str], numerical: Any) -> Steps:
    """The option `numerical=` of `wrap`."""
    if numerical is not True and not isinstance(numerical, Mapping):
        came = f"{type(numerical).__name__}: {numerical!r:.80}"
        raise SignatureError(f"{function}: numerical= must be True or a mapping of options, got {came}.")
    options = {} if numerical is True else dict(numerical)

    def refuse(what: str, unknown: set[str], known: Sequence[str]) -> None:
        if names := ", ".join(sorted(unknown)):
            there = f"the {what}s are {', '.join(known)}"
            raise SignatureError(f"{function}: numerical= has no {what} {names}; {there}.")

    known = [field.name for field in dataclasses.fields(Steps)]
    refuse("option", set(options) - set(known), known)
    try:
        steps = Steps(**options)
    except ValueError as error:
        raise SignatureError(f"{function}: numerical= {error}.") from None
    refuse("argument", steps.mentioned() - set(names), names)
    return steps


def estimates(call: Call, steps: Steps, leaves: Sequence[Any]) -> dict[str, Any]:
    """Of each floating-point argument by its name: the error of derivatives in it, in the structure of the result.

    Of a complex argument it is that of the worse part. Results that are integers have None.
    """

    def wide(x: np.ndarray, core: int) -> np.ndarray:
        x = x.astype(WIDE.get(x.dtype.kind, WIDE["f"]))
        return np.broadcast_to(x, call.batch + x.shape[x.ndim - core :])

    arrays = [wide(np.asarray(x), n) for x, n in zip(leaves, call.layout.in_core, strict=True)]
    found: dict[str, Any] = {}
    for i in (i for i, x in enumerate(arrays) if x.dtype.kind in "fc"):
        parts = [[p.error for p in row] for _, row in jacobians(call.host, call.layout, [i], steps, arrays)]
        errors = [np.max(row, axis=0) for row in zip(*parts, strict=True)]
        by_result = dict(zip(inexact_of(call.layout), errors, strict=True))
        rows = [by_result.get(k) for k in range(len(call.layout.outs))]
        found[call.host.argnames[i]] = jax.tree.unflatten(call.out_tree, rows)
    return found

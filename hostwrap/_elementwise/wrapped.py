"""A wrapped elementwise function with partial derivatives: the front of its derivative table."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax

from hostwrap._call.arguments import Statics, as_dict
from hostwrap._call.spec import Spec, tree_of
from hostwrap._elementwise.partials import Elementwise, Unknown
from hostwrap._elementwise.table import Table


def with_partials(spec: Spec, names: Sequence[str], rules: Mapping[str, Any], statics: Statics) -> Callable:
    """The function of its arguments; one that is None (an optional array, left out) takes no part."""
    table = functools.lru_cache(maxsize=64)(functools.partial(_table, spec, tuple(names), rules, statics))
    single = len(spec.outs_of(len(names))) == 1

    def call(*values: Any) -> Any:
        present = tuple(i for i, x in enumerate(values) if x is not None)
        results = table(present)(*(values[i] for i in present))
        return results[0] if single else results

    call.table = table  # type: ignore[attr-defined]
    return call


def _table(
    spec: Spec, names: tuple[str, ...], rules: Mapping[str, Any], statics: Statics, present: tuple[int, ...]
) -> Table:
    def everything(arrays: Sequence[Any]) -> list:
        values: list[Any] = [None] * len(names)
        for i, array in zip(present, arrays, strict=True):
            values[i] = array
        return values

    def adapted(rule: Any) -> Any:
        if isinstance(rule, Unknown):
            return rule
        return lambda answer, *arrays: rule(answer, *everything(arrays), **as_dict(statics))

    outputs = len(spec.outs_of(len(present)))
    tree = jax.tree.structure(tuple(everything([0] * len(present))))
    host = spec.host(tuple(names[i] for i in present), statics, tree, tree_of(outputs))
    pack = tuple if outputs > 1 else (lambda answer: answer[0])
    dtypes = functools.partial(spec.result_dtypes, count=outputs)
    return Table(Elementwise(host, [adapted(rules[names[i]]) for i in present], {}, dtypes, pack))

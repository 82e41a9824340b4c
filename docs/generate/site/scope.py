"""Python code evaluated on formulas: what names, operators and calls stand for."""

from __future__ import annotations

import ast
import itertools
import operator
import types
from collections.abc import Callable
from typing import Any

from docs.generate.site.calls import ELEMENTARY, STANDARD, Elementary
from docs.generate.site.expression import (
    POWER,
    PRODUCT,
    SUM,
    Cases,
    Tex,
    Untranslatable,
    both,
    flat,
    lifted,
    negative,
    power,
    product,
    quotient,
    sum_of,
    tex,
)
from docs.generate.site.written import opaque, written
from hostwrap.special._function import Special
from hostwrap.special._source import names_around
from hostwrap.special._source import text as source

DEEPEST = 6
Names = dict[str, Any]
BINARY = {
    ast.Add: (operator.add, lambda a, b: sum_of(a, b, "+")),
    ast.Sub: (operator.sub, lambda a, b: sum_of(a, b, "-")),
    ast.Mult: (operator.mul, product),
    ast.Div: (operator.truediv, quotient),
    ast.Pow: (operator.pow, power),
    ast.FloorDiv: (operator.floordiv, lambda a, b: Tex(rf"\lfloor {tex(a)} / {tex(b)} \rfloor")),
    ast.Mod: (operator.mod, lambda a, b: Tex(rf"{tex(a)} \bmod {tex(b)}", SUM)),
    ast.BitAnd: (operator.and_, both),
    ast.BitOr: (operator.or_, lambda a, b: Tex(rf"{tex(a)} \lor {tex(b)}", SUM)),
}
COMPARE = {
    ast.Eq: (operator.eq, "="),
    ast.NotEq: (operator.ne, r"\neq"),
    ast.Lt: (operator.lt, "<"),
    ast.LtE: (operator.le, r"\le"),
    ast.Gt: (operator.gt, ">"),
    ast.GtE: (operator.ge, r"\ge"),
}


def returned(function: Callable, names: Names, depth: int) -> Any:
    """What a lambda, or a function of assignments and a return, returns."""
    if depth > DEEPEST:
        raise Untranslatable(f"{function.__name__} calls itself")
    node: Any = ast.parse(source(function)).body[0]
    scope = _Scope(names, names_around(function), depth)
    if isinstance(node, ast.Expr):
        return scope.value(node.value.body)
    for statement in node.body:
        if isinstance(statement, ast.Return) and statement.value:
            return scope.value(statement.value)
        scope.run(statement)
    raise Untranslatable(f"{function.__name__} returns nothing")


class _Scope:
    """Names and what they stand for: formulas, Python's own numbers, functions."""

    def __init__(self, names: Names, module: Names, depth: int) -> None:
        self.names, self.module, self.depth = names, module, depth

    def run(self, statement: Any) -> None:
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            self._bind(statement.targets[0], self.value(statement.value))
        elif not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)):
            raise Untranslatable(type(statement).__name__)

    def _bind(self, target: Any, value: Any) -> None:
        if isinstance(target, ast.Name):
            self.names[target.id] = value
        elif isinstance(target, ast.Tuple) and isinstance(value, tuple) and len(value) == len(target.elts):
            for part, each in zip(target.elts, value, strict=True):
                self._bind(part, each)
        else:
            raise Untranslatable("an assignment to parts")

    def value(self, node: Any) -> Any:
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            raise Untranslatable(type(node).__name__)
        return method(node)

    def _constant(self, node: ast.Constant) -> Any:
        return node.value

    def _name(self, node: ast.Name) -> Any:
        if node.id in self.names:
            return self.names[node.id]
        if node.id not in self.module:
            raise Untranslatable(node.id)
        found = self.module[node.id]
        return ELEMENTARY[node.id] if STANDARD.get(node.id) is found else found

    def _tuple(self, node: ast.Tuple) -> tuple:
        parts = [self.value(p.value) if isinstance(p, ast.Starred) else (self.value(p),) for p in node.elts]
        if not all(isinstance(part, tuple) for part in parts):
            raise Untranslatable(ast.unparse(node))  # as many parts as the code finds
        return tuple(itertools.chain(*parts))

    def _binop(self, node: ast.BinOp) -> Any:
        exact, shown = BINARY.get(type(node.op), (None, None))
        left, right = self.value(node.left), self.value(node.right)
        if shown is None:
            raise Untranslatable(type(node.op).__name__)
        whole = isinstance(left, int) and isinstance(right, int) and not isinstance(node.op, ast.Div)
        return exact(left, right) if whole else lifted(shown, left, right)

    def _unaryop(self, node: ast.UnaryOp) -> Any:
        value = self.value(node.operand)
        if isinstance(node.op, ast.USub):
            return -value if isinstance(value, int | float) else lifted(negative, value)
        if isinstance(node.op, ast.Not | ast.Invert):
            return (
                Tex(rf"\text{{not }} {tex(value).at_least(POWER)}", SUM)
                if isinstance(value, Tex)
                else not value
            )
        raise Untranslatable(type(node.op).__name__)

    def _compare(self, node: ast.Compare) -> Any:
        values = [self.value(part) for part in (node.left, *node.comparators)]
        pairs = [COMPARE.get(type(op)) for op in node.ops]
        if None in pairs:
            raise Untranslatable("a comparison")
        if not any(isinstance(value, Tex | Cases) for value in values):
            return all(op(a, b) for (op, _), a, b in zip(pairs, values, values[1:], strict=False))
        signs = [sign for _, sign in pairs] + [""]
        return Tex(
            " ".join(f"{tex(v)} {sign}" for v, sign in zip(values, signs, strict=True)).strip(), PRODUCT
        )

    def _ifexp(self, node: ast.IfExp) -> Any:
        test = self.value(node.test)
        if not isinstance(test, Tex):
            return self.value(node.body if test else node.orelse)
        first = self.value(node.body)
        try:
            second = self.value(node.orelse)
        except Untranslatable:
            # another way to compute it, of real numbers alone: the first is the formula of both
            if not (isinstance(node.test, ast.Call) and getattr(node.test.func, "id", "") == "iscomplexobj"):
                raise
            return first
        return flat(Cases(((first, test),), second))

    def _attribute(self, node: ast.Attribute) -> Tex:
        value = self.value(node.value)
        if not isinstance(value, Tex):
            raise Untranslatable(f".{node.attr}")
        return Tex(rf"{value.at_least(POWER)}_{{\text{{{node.attr}}}}}")

    def _subscript(self, node: ast.Subscript) -> Any:
        value, index = self.value(node.value), self.value(node.slice)
        if isinstance(value, tuple) and isinstance(index, int):
            return value[index]
        raise Untranslatable("an index")

    def _generatorexp(self, node: ast.GeneratorExp) -> tuple:
        loop, inner = node.generators[0], _Scope(dict(self.names), self.module, self.depth)
        over, found = self.value(loop.iter), []
        if not isinstance(over, tuple) or len(node.generators) > 1 or loop.ifs:
            raise Untranslatable("a loop")
        for each in over:
            inner._bind(loop.target, each)
            found.append(inner.value(node.elt))
        return tuple(found)

    def _lambda(self, node: ast.Lambda) -> Elementary:
        def applied(*arguments: Any) -> Any:
            given = dict(zip([a.arg for a in node.args.args], arguments, strict=True))
            return _Scope(self.names | given, self.module, self.depth).value(node.body)

        return Elementary(applied)

    def _call(self, node: ast.Call) -> Any:
        if isinstance(node.func, ast.Name) and node.func.id == "tuple":
            return tuple(self.value(node.args[0]))
        if ast.unparse(node.func) == "where" and [ast.unparse(a) for a in node.args[1:]] == ["nan", "1.0"]:
            return 1  # a factor that only makes NaN
        function, arguments = self.value(node.func), [self.value(a) for a in node.args]
        keywords = {k.arg: self.value(k.value) for k in node.keywords if k.arg}
        return self._applied(function, arguments, keywords)

    def _applied(self, function: Any, arguments: list, keywords: Names) -> Any:
        if isinstance(function, Elementary):
            return function.write(*arguments)
        if isinstance(function, Special):
            return written(function, arguments, keywords)
        if not isinstance(function, types.FunctionType) or not function.__module__.startswith(
            "hostwrap.special"
        ):
            raise Untranslatable(f"a call of {function!r:.60}")
        code = function.__code__
        given = {**dict(zip(code.co_varnames, arguments, strict=False)), **keywords}
        defaults = function.__defaults__ or ()
        last = code.co_varnames[code.co_argcount - len(defaults) : code.co_argcount]
        given = {**dict(zip(last, defaults, strict=True)), **(function.__kwdefaults__ or {}), **given}
        try:
            return returned(function, dict(given), self.depth + 1)
        except Untranslatable:
            return lifted(lambda *values: opaque(function.__name__, values), *given.values())

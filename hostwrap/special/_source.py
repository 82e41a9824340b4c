"""The source text of a rule, for docstrings, the support table and fingerprints."""

from __future__ import annotations

import ast
import copy
import functools
import pathlib
import types
from collections.abc import Callable
from typing import Any


def text(function: Callable) -> str:
    """The source of a lambda or a function, without comments and line breaks."""
    if hasattr(function, "text"):
        return ast.unparse(ast.parse(function.text, mode="eval"))  # a rule that `orders=` made
    code = function.__code__
    for node in _functions(code.co_filename):
        arguments = node.args
        names = [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
        count = code.co_argcount + code.co_kwonlyargcount
        if names == list(code.co_varnames[:count]) and _holds(node, code):
            return ast.unparse(_Filled(function).visit(copy.deepcopy(node)))
    raise LookupError(f"no source for {function!r}")


def closure(function: Callable) -> dict[str, Any]:
    """The names that a function closes over, and their values."""
    cells = (cell.cell_contents for cell in function.__closure__ or ())
    return dict(zip(function.__code__.co_freevars, cells, strict=True))


def names_around(function: Callable) -> dict[str, Any]:
    """The values of the free names of a function: globals of its module, and its closure."""
    own = closure(function)
    called = {value.__name__: value for value in own.values() if hasattr(value, "__name__")}
    return {**function.__globals__, **called, **own}


class _Filled(ast.NodeTransformer):
    """Writes out names of the closure: numbers and lambdas by their text, functions by their names."""

    def __init__(self, function: Callable) -> None:
        self.values = closure(function)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id not in self.values:
            return node
        value = self.values[node.id]
        name = getattr(value, "__name__", repr(value))
        return ast.parse(text(value) if name == "<lambda>" else name, mode="eval").body


def body(function: Callable) -> str:
    """The text of what a lambda returns; for a function, its name."""
    node: Any = ast.parse(text(function)).body[0]
    is_lambda = isinstance(node, ast.Expr) and isinstance(node.value, ast.Lambda)
    return ast.unparse(node.value.body) if is_lambda else f"{function.__name__}(...)"


@functools.cache
def _functions(filename: str) -> list:
    tree = ast.parse(pathlib.Path(filename).read_text(encoding="utf-8"))
    return [node for node in ast.walk(tree) if isinstance(node, ast.Lambda | ast.FunctionDef)]


def _holds(node: Any, code: types.CodeType) -> bool:
    """Whether the code was compiled from this node."""
    positions: list[Any] = [p for p in code.co_positions() if None not in p]
    spans = [(first, start, last, end) for first, last, start, end in positions if end > 0]
    inside = [
        (node.lineno, node.col_offset) <= (line, column)
        and (end, end_column) <= (node.end_lineno, node.end_col_offset)
        for line, column, end, end_column in spans
    ]
    return code.co_firstlineno >= node.lineno - 9 and bool(inside) and all(inside)

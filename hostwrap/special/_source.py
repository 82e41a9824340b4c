"""The text of a rule, as Python's parser understands it: for docstrings, the support table and fingerprints."""

from __future__ import annotations

import ast
import functools
import pathlib
import types
from collections.abc import Callable
from typing import Any


def text(function: Callable) -> str:
    """The source of a lambda or function, without its surroundings, comments and line breaks."""
    code = function.__code__
    for node in _functions(code.co_filename):
        arguments = node.args
        names = [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
        count = code.co_argcount + code.co_kwonlyargcount
        if names == list(code.co_varnames[:count]) and _holds(node, code):
            return ast.unparse(node)
    raise LookupError(f"no source for {function!r}")


def body(function: Callable) -> str:
    """What a lambda returns; the name of a function."""
    node: Any = ast.parse(text(function)).body[0]
    is_lambda = isinstance(node, ast.Expr) and isinstance(node.value, ast.Lambda)
    return ast.unparse(node.value.body) if is_lambda else f"{function.__name__}(...)"


@functools.cache
def _functions(filename: str) -> list:
    tree = ast.parse(pathlib.Path(filename).read_text(encoding="utf-8"))
    return [node for node in ast.walk(tree) if isinstance(node, ast.Lambda | ast.FunctionDef)]


def _holds(node: Any, code: types.CodeType) -> bool:
    """Is this the node that the code was compiled from?"""
    positions: list[Any] = [p for p in code.co_positions() if None not in p]
    spans = [(first, start, last, end) for first, last, start, end in positions if end > 0]
    inside = [
        (node.lineno, node.col_offset) <= (line, column)
        and (end, end_column) <= (node.end_lineno, node.end_col_offset)
        for line, column, end, end_column in spans
    ]
    return code.co_firstlineno >= node.lineno - 9 and bool(inside) and all(inside)

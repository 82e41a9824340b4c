"""The text of a rule or definition, as the parser understands it: for fingerprints and for the support table."""

from __future__ import annotations

import ast
import functools
import pathlib
import types
from collections.abc import Callable, Iterator


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
    node = ast.parse(text(function)).body[0]
    is_lambda = isinstance(node, ast.Expr) and isinstance(node.value, ast.Lambda)
    return ast.unparse(node.value.body) if is_lambda else f"{function.__name__}(...)"


def full_text(function: Callable) -> str:
    """The same with every function of its module that it uses, directly or indirectly."""
    found: dict[str, str] = {}
    todo = [function]
    while todo:
        current = todo.pop()
        key = f"{current.__module__}.{current.__qualname__}:{current.__code__.co_firstlineno}"
        if key not in found:
            found[key] = text(current)
            todo += [f for f in _globals(current) if isinstance(f, types.FunctionType) and _is_ours(f)]
    return "\n".join(found.values())


def names_of(code: types.CodeType) -> Iterator[str]:
    """Names that code looks up, in functions defined inside it too."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from names_of(constant)


def _globals(function: Callable) -> list:
    names = sorted(set(names_of(function.__code__)))
    return [function.__globals__[name] for name in names if name in function.__globals__]


def _is_ours(function: Callable) -> bool:
    return function.__module__.split(".")[0] in ("hostwrap", "tests")


@functools.cache
def _functions(filename: str) -> list:
    tree = ast.parse(pathlib.Path(filename).read_text(encoding="utf-8"))
    return [node for node in ast.walk(tree) if isinstance(node, ast.Lambda | ast.FunctionDef)]


def _holds(node: ast.AST, code: types.CodeType) -> bool:
    """Is this the node that the code was compiled from?"""
    spans = [(p[0], p[2], p[1], p[3]) for p in code.co_positions() if None not in p and p[3] > 0]
    inside = [
        (node.lineno, node.col_offset) <= (line, column)
        and (end, end_column) <= (node.end_lineno, node.end_col_offset)
        for line, column, end, end_column in spans
    ]
    return code.co_firstlineno >= node.lineno - 9 and bool(inside) and all(inside)

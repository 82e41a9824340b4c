"""Sums of products, which are linear in each operand."""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import Any

import numpy as np

from hostwrap._tracing.tape.array import (
    Array,
    concrete,
    raw,
    valued,
    wrapped,
)
from hostwrap._tracing.tape.dispatch import below, level_of
from hostwrap._tracing.tape.log import noted
from hostwrap._tracing.tape.nodes import Edge, Map
from hostwrap._tracing.tape.rules import F, bound_to, rule

# ---- products


def contracted(text: str, operands: Sequence[Any], value: Any, level: int) -> Any:
    """A sum of products, such as `ij,jk->ik`.

    It is linear in each operand, and its transposes are sums of products, too.
    """
    ins, out = text.split("->")
    terms = ins.split(",")
    values = [raw(x) if isinstance(x, Array) else np.asarray(x) for x in operands]
    edges = []
    for i, x in enumerate(operands):
        if not isinstance(x, Array) or x.node is None:
            continue
        others = values[:i] + values[i + 1 :]
        rest = terms[:i] + terms[i + 1 :]
        shape, node = x.shape, x.node

        def to(t: Any, i: int = i) -> Any:
            return np.einsum(text, *values[:i], t, *values[i + 1 :])

        def back(c: Any, i: int = i, rest: Any = rest, others: Any = others, shape: Any = shape) -> Any:
            sizes = dict(zip("".join(terms), (n for v in values for n in np.shape(v)), strict=True))
            known = out + "".join(rest)
            free = "".join(dict.fromkeys(k for k in terms[i] if k not in known))
            ones = [np.ones([sizes[k] for k in free])] if free else []
            unit = "".join(dict.fromkeys(terms[i]))
            found = np.einsum(
                ",".join([out, *rest, *([free] if free else [])]) + "->" + unit, c, *others, *ones
            )
            if unit == terms[i]:
                return found
            # a diagonal
            places = np.einsum(terms[i] + "->" + unit, np.arange(int(np.prod(shape))).reshape(shape))
            return np.reshape(_spread(found, places, int(np.prod(shape))), shape)

        edges.append(Edge(node, to, back))
    return noted(text, operands, wrapped(value, edges, level))


def _spread(x: Any, places: np.ndarray, size: int) -> Any:
    def to(t: Any) -> Any:
        z = np.zeros(size, np.result_type(t, np.float64))
        z[places] = t
        return z

    return Map(to, lambda c: c[places])(x)


@rule("einsum")
def einsum(function: F, args: tuple, kwargs: dict) -> Any:
    text, *operands = args if isinstance(args[0], str) else _as_text(args)
    if len(operands) == 1 and isinstance(operands[0], Array) and not concrete(kwargs.get("out")):
        view = lambda z: np.einsum(text, z)
        if (shared := operands[0].as_view(view(operands[0]._peek()), view)) is not None:  # such as a diagonal
            return shared
    value = function(text, *raw(operands), **concrete(kwargs))
    text = _spelled(text.replace(" ", ""), [np.shape(x) for x in operands])
    return contracted(text, _full(text, operands), value, level_of([args, kwargs]))


def _as_text(args: tuple) -> list:
    """Convert subscripts in lists of numbers, which follow their operands, to a text."""
    spelled = lambda row: "".join("..." if k is Ellipsis else string.ascii_letters[k] for k in row)
    operands, rows = args[: len(args) // 2 * 2 : 2], args[1::2]
    text = ",".join(map(spelled, rows))
    return [text if len(args) % 2 == 0 else f"{text}->{spelled(args[-1])}", *operands]


def _full(text: str, operands: Sequence[Any]) -> list:
    """Broadcast axes of length 1 to the length of the other axes with the same letter."""
    terms = text.split("->")[0].split(",")
    sizes: dict[str, int] = {}
    for term, x in zip(terms, operands, strict=True):
        for k, n in zip(term, np.shape(x), strict=True):
            sizes[k] = n if sizes.get(k, 1) == 1 else sizes[k]
    shapes = [tuple(sizes[k] for k in term) for term in terms]
    return [x if np.shape(x) == s else np.broadcast_to(x, s) for x, s in zip(operands, shapes, strict=True)]


def _spelled(text: str, shapes: Sequence[tuple]) -> str:
    """Replace `...` by letters, and write the subscripts of the result."""
    ins, arrow, out = text.partition("->")
    terms = ins.split(",")
    spare = [k for k in string.ascii_letters if k not in text]
    width = max(
        [len(s) - len(t.replace("...", "")) for t, s in zip(terms, shapes, strict=True) if "..." in t],
        default=0,
    )
    dots = "".join(spare[:width])
    filled = []
    for t, s in zip(terms, shapes, strict=True):
        own = len(s) - len(t.replace("...", ""))
        filled.append(t.replace("...", dots[len(dots) - own :] if own else ""))
    if not arrow:
        letters = "".join(t.replace("...", "") for t in terms)
        out = "..." * ("..." in ins) + "".join(sorted(k for k in set(letters) if letters.count(k) == 1))
    return ",".join(filled) + "->" + out.replace("...", dots)


@rule("dot")
def dot(function: F, args: tuple, kwargs: dict) -> Any:
    a, b = args
    n, m = np.ndim(a), np.ndim(b)
    if not n or not m:
        return np.multiply(a, b)
    left = _LEFT[:n]
    right = _RIGHT[:m]
    shared = max(m - 2, 0)
    right = right[:shared] + left[-1] + right[shared + 1 :]
    out = left[:-1] + right[:shared] + right[shared + 1 :]
    return contracted(f"{left},{right}->{out}", args, below(function, args), level_of(args))


_LEFT, _RIGHT, _BATCH = "abcdefgh", "ijklmnop", "qrstuvwx"


@rule("inner")
def inner(function: F, args: tuple, kwargs: dict) -> Any:
    a, b = args
    if not np.ndim(a) or not np.ndim(b):
        return np.multiply(a, b)
    left, right = _LEFT[: np.ndim(a)], _RIGHT[: np.ndim(b)]
    text = f"{left},{right[:-1]}{left[-1]}->{left[:-1]}{right[:-1]}"
    return contracted(text, args, below(function, args), level_of(args))


@rule("matmul")
def matmul(function: F, args: tuple, kwargs: dict) -> Any:
    a, b = args
    value = np.matmul(raw(a), raw(b), **kwargs)
    n, m = np.ndim(a), np.ndim(b)
    rank = max(n, m, 2) - 2
    level = level_of(args)
    if n > 2 and m > 2 and np.shape(a)[:-2] != np.shape(b)[:-2]:  # their batch axes broadcast
        batch = np.broadcast_shapes(np.shape(a)[:-2], np.shape(b)[:-2])
        a, b = (np.broadcast_to(x, batch + np.shape(x)[-2:]) for x in (a, b))
        n, m = np.ndim(a), np.ndim(b)
    left = _BATCH[rank - max(n - 2, 0) : rank] + ("ij" if n > 1 else "j")
    right = _BATCH[rank - max(m - 2, 0) : rank] + ("jk" if m > 1 else "j")
    out = _BATCH[:rank] + ("i" if n > 1 else "") + ("k" if m > 1 else "")
    return _fast(left, right, out, (a, b), value, level)


def _fast(left: str, right: str, out: str, operands: Sequence[Any], value: Any, level: int) -> Any:
    """Matrix products by BLAS, where einsum would use its own loops."""
    text = f"{left},{right}->{out}"
    a, b = (raw(x) if isinstance(x, Array) else np.asarray(x) for x in operands)
    if text not in _PRODUCTS:
        return contracted(text, operands, value, level)
    to_a, to_b = _PRODUCTS[text]
    edges = []
    if isinstance(operands[0], Array) and operands[0].node is not None:
        edges.append(Edge(operands[0].node, lambda t: t @ b, lambda c: to_a(c, b)))
    if isinstance(operands[1], Array) and operands[1].node is not None:
        edges.append(Edge(operands[1].node, lambda t: a @ t, lambda c: to_b(c, a)))
    return noted(text, operands, wrapped(value, edges, level))


_PRODUCTS = {
    "ij,jk->ik": (lambda c, b: c @ np.transpose(b), lambda c, a: np.transpose(a) @ c),
    "ij,j->i": (lambda c, b: np.outer(c, b), lambda c, a: np.transpose(a) @ c),
    "j,jk->k": (lambda c, b: b @ c, lambda c, a: np.outer(a, c)),
    "j,j->": (lambda c, b: c * b, lambda c, a: c * a),
}


@rule("tensordot")
def tensordot(function: F, args: tuple, kwargs: dict) -> Any:
    bound = bound_to(function, args, kwargs)
    a, b, axes = bound["a"], bound["b"], bound.get("axes", 2)
    n, m = np.ndim(a), np.ndim(b)
    if isinstance(axes, int):
        axes = list(range(n - axes, n)), list(range(axes))
    first, second = ([x] if isinstance(x, int) else list(x) for x in axes)
    left, right = list(_LEFT[:n]), list(_RIGHT[:m])
    for i, j in zip(first, second, strict=True):
        right[j] = left[i]
    shared = {left[i] for i in first}
    out = "".join(k for k in left + right if k not in shared)
    text = f"{''.join(left)},{''.join(right)}->{out}"
    return contracted(text, (a, b), below(function, args, kwargs), level_of([args, kwargs]))


@rule("outer")
def outer(function: F, args: tuple, kwargs: dict) -> Any:
    a, b = (x if isinstance(x, Array) else np.asarray(x) for x in args)
    return np.multiply(np.ravel(a)[:, None], np.ravel(b)[None, :])


@rule("vdot")
def vdot(function: F, args: tuple, kwargs: dict) -> Any:
    a, b = (x if isinstance(x, Array) else np.asarray(x) for x in args)
    like = np.dot(np.conj(np.ravel(a)) if np.iscomplexobj(a) else np.ravel(a), np.ravel(b))
    return valued(below(function, args), like, level_of(args))


@rule("matvec")
def matvec(function: F, args: tuple, kwargs: dict) -> Any:
    return np.matmul(args[0], args[1][..., None])[..., 0]


@rule("vecmat")
def vecmat(function: F, args: tuple, kwargs: dict) -> Any:
    return np.matmul(np.conj(args[0])[..., None, :], args[1])[..., 0, :]


@rule("vecdot")
@rule("vecdot", np.linalg)
def vecdot(function: F, args: tuple, kwargs: dict) -> Any:
    a, b = (x if isinstance(x, Array) else np.asarray(x) for x in args)
    axis = kwargs.get("axis", -1)
    a, b = (np.moveaxis(x, axis, -1) if np.ndim(x) > 1 else x for x in (a, b))
    return valued(below(function, args, kwargs), np.sum(np.conj(a) * b, axis=-1), level_of(args))


@rule("trace")
def trace(function: F, args: tuple, kwargs: dict) -> Any:
    kwargs = {k: v for k, v in kwargs.items() if k != "dtype"}
    like = np.sum(np.diagonal(*args[:4], **kwargs), axis=-1)
    return valued(below(function, args, kwargs), like, like.level)


@rule("convolve correlate")
def convolve(function: F, args: tuple, kwargs: dict) -> Any:
    """The full convolution, of which `same` and `valid` are parts; its transpose is a correlation."""
    bound = bound_to(function, args, kwargs)
    a, v = bound["a"], bound["v"]
    mode = bound.get("mode", "full" if function is np.convolve else "valid")
    level = level_of([a, v])
    value = below(function, args, kwargs)
    a, v = (x if isinstance(x, Array) else np.atleast_1d(np.asarray(x)) for x in (a, v))
    n, m = np.size(a), np.size(v)
    # NumPy turns the result around: `same` is counted from its end
    swapped = function is np.correlate and n < m
    if function is np.correlate:
        v = np.conj(np.flip(v))
    index = np.arange(n + m - 1)[:, None] - np.arange(m)[None, :]
    inside = (index >= 0) & (index < n)
    rows = np.where(inside, np.take(a, np.where(inside, index, 0)), 0.0)
    full = np.matmul(rows, v)
    length, short = np.size(value), min(n, m)
    start = {"full": 0, "same": (short - (not swapped)) // 2, "valid": short - 1}[mode]
    return valued(value, full[start : start + length], level)

"""Transforms of `scipy.fft` in recorded code: NumPy's transforms, and real ones by their matrices."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.fft

from hostwrap._tracing.tape.array import concrete, moves, valued, wrapped
from hostwrap._tracing.tape.dispatch import apply, below, level_of
from hostwrap._tracing.tape.nodes import Edge
from hostwrap._tracing.tape.refusals import refused
from hostwrap._tracing.tape.rules import rule

F = Callable[..., Any]
_NAMES = ("n", "axis", "norm"), ("s", "axes", "norm")  # behind the array; others say how it is computed


@rule("fft ifft rfft irfft hfft ihfft fft2 ifft2 rfft2 irfft2 fftn ifftn rfftn irfftn", scipy.fft)
def of_numpy(function: F, args: tuple, kwargs: dict) -> Any:
    names = _NAMES[function.__name__.endswith(("2", "n"))]
    given = {**dict(zip(("x", *names), args, strict=False)), **kwargs}
    x = given.pop("x")
    if given.get("s") is not None and given.get("axes") is None:  # NumPy wants both
        given["axes"] = tuple(range(-len(given["s"]), 0))
    like = getattr(np.fft, function.__name__)(x, **{k: v for k, v in given.items() if k in names})
    return valued(below(function, args, kwargs), like, level_of([args, kwargs]))


@rule("dct idct dst idst", scipy.fft)
def by_matrix(function: F, args: tuple, kwargs: dict) -> Any:
    given = {**dict(zip(("x", "type", "n", "axis", "norm"), args, strict=False)), **kwargs}
    x, axis = given["x"], given.get("axis", -1)
    options = {k: given[k] for k in ("type", "n", "norm", "orthogonalize") if k in given}
    value = below(function, args, kwargs)
    matrix = function(np.eye(np.shape(x)[axis]), axis=0, **options)
    across = lambda m: lambda t: np.moveaxis(np.tensordot(m, t, (1, axis)), 0, axis)
    edges = [] if x.node is None else [Edge(x.node, across(matrix), across(np.transpose(matrix)))]
    return wrapped(value, edges, x.level)


@rule("dctn idctn dstn idstn", scipy.fft)
def by_axes(function: F, args: tuple, kwargs: dict) -> Any:
    given = {**dict(zip(("x", "type", "s", "axes", "norm"), args, strict=False)), **kwargs}
    x, sizes, axes = given["x"], given.get("s"), given.get("axes")
    options = {k: given[k] for k in ("type", "norm", "orthogonalize") if k in given}
    axes = (
        range(-(np.ndim(x) if sizes is None else np.size(sizes)), 0)
        if axes is None
        else np.ravel(axes).tolist()
    )
    sizes = [None] * len(axes) if sizes is None else np.ravel(sizes).tolist()
    like = x
    for axis, n in zip(axes, sizes, strict=True):
        like = apply(getattr(scipy.fft, function.__name__[:-1]), (like,), {**options, "axis": axis, "n": n})
    return valued(below(function, args, kwargs), like, level_of([args, kwargs]))


@rule("fht ifht", scipy.fft)
def of_hankel(function: F, args: tuple, kwargs: dict) -> Any:
    """A linear map along the last axis."""
    (name, x), *others = inspect.signature(function).bind(*args, **kwargs).arguments.items()
    if moves(others):
        raise refused(f"scipy.fft.{function.__name__}", f"the tape has its derivative in {name}")
    matrix = function(np.eye(np.shape(x)[-1]), **concrete(dict(others)))
    return valued(below(function, args, kwargs), np.matmul(x, matrix), level_of([args, kwargs]))


@rule("fftshift ifftshift", scipy.fft)
def moved(function: F, args: tuple, kwargs: dict) -> Any:
    return apply(getattr(np.fft, function.__name__), args, kwargs)

"""The functions of NumPy for operations of `jax.lax` on whole arrays: shapes, indices, sums, products, matrices.

`ARRAY_OPERATIONS[primitive](params)` gives the NumPy function. Elementwise operations are in `_host/numpy_ops`.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hostwrap._errors import RuleError

Function = Callable[..., Any]

# ---- shapes


def _at_axes(x: Any, axes: Sequence[int], rank: int) -> Any:
    """An array with its axes at these places among so many; the other axes have size 1."""
    own = [1] * rank
    for axis, size in zip(axes, np.shape(x), strict=True):
        own[axis] = size
    return np.reshape(x, own)


def _broadcast_in_dim(params: dict) -> Function:
    shape, places = tuple(params["shape"]), params["broadcast_dimensions"]
    return lambda x: np.broadcast_to(_at_axes(x, places, len(shape)), shape)


def _slice(params: dict) -> Function:
    strides = params["strides"] or (1,) * len(params["start_indices"])
    key = tuple(map(slice, params["start_indices"], params["limit_indices"], strides))
    return lambda x: x[key]


def _pad(params: dict) -> Function:
    config = params["padding_config"]

    def pad(x: Any, value: Any) -> Any:
        """Negative padding cuts; the padding between the numbers comes first."""
        x = np.asarray(x)
        sizes = [n + max(n - 1, 0) * between for n, (_, _, between) in zip(x.shape, config, strict=True)]
        wide = np.full([max(lo, 0) + n + max(hi, 0) for n, (lo, hi, _) in zip(sizes, config, strict=True)],
                       value, x.dtype)  # fmt: skip
        rows = zip(sizes, config, strict=True)
        wide[tuple(slice(max(lo, 0), max(lo, 0) + n, between + 1) for n, (lo, _, between) in rows)] = x
        cut = [slice(max(-lo, 0), w - max(-hi, 0)) for w, (lo, hi, _) in zip(wide.shape, config, strict=True)]
        return wide[tuple(cut)]

    return pad


def _split(params: dict) -> Function:
    ends = np.cumsum(params["sizes"])[:-1]
    return lambda x: np.split(x, ends, axis=params["axis"]) if ends.size else x


def _unstack(params: dict) -> Function:
    def unstack(x: Any) -> Any:
        parts = list(np.moveaxis(x, params["axis"], 0))
        return parts if len(parts) > 1 else parts[0]

    return unstack


def _iota(params: dict) -> Function:
    shape, axis = tuple(params["shape"]), params["dimension"]
    line = _at_axes(np.arange(shape[axis], dtype=params["dtype"]), [axis], len(shape))
    return lambda: np.broadcast_to(line, shape)


def _platform_index(params: dict) -> Function:
    """The number of the program for the host, among those for several kinds of devices."""
    platforms = params["platforms"]
    named = next((i for i, names in enumerate(platforms) if names and "cpu" in names), None)
    return lambda: np.int32(platforms.index(None) if named is None else named)


# ---- indices


def _places(numbers: Any, shape: Sequence[int], sizes: Sequence[int], indices: Any) -> tuple[tuple, Any]:
    """For each axis of an array: the indices that gather reads, or scatter writes to; and which of them are inside.

    `numbers` are the dimension numbers of gather.
    """
    count = indices.ndim - 1
    rank = count + len(numbers.offset_dims)
    batch = [d for d in range(rank) if d not in numbers.offset_dims]
    keys, inside, offsets = [], np.asarray(True), iter(numbers.offset_dims)
    for d, size in enumerate(shape):
        key: Any = np.zeros((1,) * rank, np.int64)
        if d in numbers.operand_batching_dims:
            own = numbers.start_indices_batching_dims[numbers.operand_batching_dims.index(d)]
            key = key + _at_axes(np.arange(size), [batch[own]], rank)
        if d in numbers.start_index_map:
            given = indices[..., numbers.start_index_map.index(d)].astype(np.int64)
            start = _at_axes(given, batch, rank)
            held = np.clip(start, 0, size - sizes[d])
            inside, key = inside & (held == start), key + held
        if d not in numbers.collapsed_slice_dims and d not in numbers.operand_batching_dims:
            key = key + _at_axes(np.arange(sizes[d]), [next(offsets)], rank)
        keys.append(key)
    return tuple(keys), inside


def _fills(params: dict) -> bool:
    return getattr(params["mode"], "name", "") == "FILL_OR_DROP"


def _gather(params: dict) -> Function:
    numbers, sizes, fill = params["dimension_numbers"], params["slice_sizes"], params["fill_value"]

    def gather(x: Any, indices: Any) -> Any:
        keys, inside = _places(numbers, np.shape(x), sizes, np.asarray(indices))
        shape = np.broadcast_shapes(inside.shape, *(k.shape for k in keys))
        found = np.broadcast_to(np.asarray(x)[keys], shape)
        if not _fills(params) or inside.all():
            return found
        kind = found.dtype.kind
        missing = {"f": np.nan, "c": np.nan, "b": True}.get(kind)
        if missing is None:
            missing = np.iinfo(found.dtype).min if kind == "i" else np.iinfo(found.dtype).max
        return np.where(inside, found, found.dtype.type(missing if fill is None else fill))

    return gather


class _Scattered:
    """The dimension numbers of scatter, as those of the gather that reads the same places."""

    def __init__(self, numbers: Any) -> None:
        self.offset_dims = numbers.update_window_dims
        self.collapsed_slice_dims = numbers.inserted_window_dims
        self.start_index_map = numbers.scatter_dims_to_operand_dims
        self.operand_batching_dims = numbers.operand_batching_dims
        self.start_indices_batching_dims = numbers.scatter_indices_batching_dims


def _scatter(put: Callable) -> Callable[[dict], Function]:
    def of(params: dict) -> Function:
        numbers = _Scattered(params["dimension_numbers"])

        def scatter(x: Any, indices: Any, updates: Any) -> Any:
            x, updates, windows = np.array(x), np.asarray(updates), iter(numbers.offset_dims)
            single = (*numbers.collapsed_slice_dims, *numbers.operand_batching_dims)
            sizes = [1 if d in single else updates.shape[next(windows)] for d in range(x.ndim)]
            keys, inside = _places(numbers, x.shape, sizes, np.asarray(indices))
            shape = np.broadcast_shapes(updates.shape, inside.shape, *(k.shape for k in keys))
            # as in JAX, a window that does not fit is dropped as a whole
            window = tuple(d for d in range(len(shape)) if d in numbers.offset_dims)
            inside = np.broadcast_to(
                np.all(inside, axis=window, keepdims=True) if inside.ndim else inside, shape
            )
            kept = slice(None) if not _fills(params) else inside
            keys = tuple(np.broadcast_to(k, shape)[kept] for k in keys)
            updates = np.broadcast_to(updates, shape)[kept]
            put(x, keys, updates)
            return x

        return scatter

    return of


def _block(shape: Sequence[int], starts: Sequence[Any], sizes: Sequence[int]) -> tuple[slice, ...]:
    """The block that begins at these places, moved inside."""
    held = [min(max(int(s), 0), n - size) for s, n, size in zip(starts, shape, sizes, strict=True)]
    return tuple(slice(s, s + size) for s, size in zip(held, sizes, strict=True))


def _dynamic_slice(params: dict) -> Function:
    return lambda x, *starts: x[_block(np.shape(x), starts, params["slice_sizes"])]


def _dynamic_update_slice(x: Any, update: Any, *starts: Any) -> Any:
    x = np.array(x)
    x[_block(x.shape, starts, np.shape(update))] = update
    return x


# ---- sums, products, orders


def _reduction(function: Callable) -> Callable[[dict], Function]:
    return lambda params: lambda x: function(x, axis=tuple(params["axes"]))


def _cumulative(function: Callable) -> Callable[[dict], Function]:
    def of(params: dict) -> Function:
        axis = params["axis"]
        if not params["reverse"]:
            return lambda x: function(x, axis=axis)
        return lambda x: np.flip(function(np.flip(x, axis), axis=axis), axis)

    return of


def _extreme(function: Callable) -> Callable[[dict], Function]:
    return lambda params: lambda x: np.asarray(function(x, axis=params["axes"][0]), params["index_dtype"])


def _sort(params: dict) -> Function:
    axis, keys = params["dimension"], params["num_keys"]

    def sort(*arrays: Any) -> Any:
        order = np.lexsort([np.asarray(a) for a in arrays[:keys][::-1]], axis=axis)
        found = [np.take_along_axis(np.asarray(a), order, axis) for a in arrays]
        return found if len(found) > 1 else found[0]

    return sort


def _dot_general(params: dict) -> Function:
    (left, right), (left_batch, right_batch) = params["dimension_numbers"]
    if not left_batch:
        return lambda a, b: np.tensordot(a, b, (left, right))

    def product(a: Any, b: Any) -> Any:
        names = iter(range(a.ndim + b.ndim))
        first, second = [next(names) for _ in a.shape], [next(names) for _ in b.shape]
        for i, j in zip((*left_batch, *left), (*right_batch, *right), strict=True):
            second[j] = first[i]
        shared = [first[i] for i in left_batch]
        free = [first[i] for i in range(a.ndim) if i not in (*left_batch, *left)]
        free += [second[i] for i in range(b.ndim) if i not in (*right_batch, *right)]
        return np.einsum(a, first, b, second, shared + free)

    return product


# ---- matrices


def _matrixwise(function: Callable, outs: int = 1) -> Function:
    """A function of matrices, with batch axes in front."""

    def each(*arrays: Any) -> Any:
        batch = arrays[0].shape[:-2]
        if not batch:
            return function(*arrays)
        flat = [a.reshape(-1, *a.shape[-2:]) for a in arrays]
        rows = [function(*row) for row in zip(*flat, strict=True)]
        columns = [rows] if outs == 1 else zip(*rows, strict=True)
        found = [np.stack(column).reshape(*batch, *np.shape(column[0])) for column in columns]
        return found[0] if outs == 1 else found

    return each


def _cholesky(a: Any) -> Any:
    """The factor of the lower half, as LAPACK's; NaN if there is none."""
    try:
        return np.linalg.cholesky(np.tril(a) + np.conj(np.swapaxes(np.tril(a, -1), -1, -2)))
    except np.linalg.LinAlgError:
        return np.full_like(a, np.nan)


def _lu(a: Any) -> Any:
    import scipy.linalg

    factors, pivots = scipy.linalg.lu_factor(a, check_finite=False)
    return factors, pivots.astype(np.int32), _permutation(pivots, a.shape[-2])


def _permutation(pivots: Any, size: int) -> Any:
    order = np.arange(size, dtype=np.int32)
    for i, j in enumerate(pivots):
        order[[i, j]] = order[[j, i]]
    return order


def _eigh(params: dict) -> Function:
    """The vectors come first."""
    return lambda a: tuple(np.linalg.eigh(a, "L" if params["lower"] else "U"))[::-1]


def _svd(params: dict) -> Function:
    if not params["compute_uv"]:
        return lambda a: np.linalg.svd(a, compute_uv=False)

    def svd(a: Any) -> Any:
        u, s, v = np.linalg.svd(a, full_matrices=params["full_matrices"])
        return s, u, v

    return svd


def _triangular_solve(params: dict) -> Function:
    import scipy.linalg

    lower, transposed, unit = params["lower"], params["transpose_a"], params["unit_diagonal"]

    def one(a: Any, b: Any) -> Any:
        a = np.conj(a) if params["conjugate_a"] else a
        if params["left_side"]:
            return scipy.linalg.solve_triangular(a, b, int(transposed), lower, unit, check_finite=False)
        return scipy.linalg.solve_triangular(a, b.T, int(not transposed), lower, unit, check_finite=False).T

    return _matrixwise(one)


def _bits(params: dict) -> Function:
    wanted = np.dtype(params["new_dtype"])

    def bits(x: Any) -> Any:
        x = np.asarray(x)
        if x.dtype.itemsize != wanted.itemsize:
            raise RuleError(
                "A solver on the host computes in double precision, and has no bits of shorter numbers."
            )
        return x.view(wanted)

    return bits


def _shift_right_logical(x: Any, n: Any) -> Any:
    x = np.asarray(x)
    unsigned = np.dtype(f"u{x.dtype.itemsize}")
    return np.right_shift(x.view(unsigned), np.asarray(n).astype(unsigned)).view(x.dtype)


ARRAY_OPERATIONS: dict[str, Callable[[dict], Function]] = {
    "broadcast_in_dim": _broadcast_in_dim,
    "reshape": lambda params: lambda x: np.reshape(x, tuple(params["new_sizes"])),
    "squeeze": lambda params: lambda x: np.squeeze(x, tuple(params["dimensions"])),
    "expand_dims": lambda params: lambda x: np.expand_dims(x, tuple(params["dimensions"])),
    "transpose": lambda params: lambda x: np.transpose(x, params["permutation"]),
    "slice": _slice,
    "rev": lambda params: lambda x: np.flip(x, tuple(params["dimensions"])),
    "pad": _pad,
    "concatenate": lambda params: lambda *xs: np.concatenate(xs, axis=params["dimension"]),
    "stack": lambda params: lambda *xs: np.stack(xs, axis=params["axis"]),
    "split": _split,
    "unstack": _unstack,
    "lt_to": lambda params: np.less,
    "le_to": lambda params: np.less_equal,
    "iota": _iota,
    "platform_index": _platform_index,
    "gather": _gather,
    "scatter": _scatter(operator.setitem),
    "scatter-add": _scatter(np.add.at),
    "scatter-mul": _scatter(np.multiply.at),
    "scatter-min": _scatter(np.minimum.at),
    "scatter-max": _scatter(np.maximum.at),
    "dynamic_slice": _dynamic_slice,
    "dynamic_update_slice": lambda params: _dynamic_update_slice,
    "reduce_sum": _reduction(np.sum),
    "reduce_prod": _reduction(np.prod),
    "reduce_max": _reduction(np.max),
    "reduce_min": _reduction(np.min),
    "reduce_and": _reduction(np.all),
    "reduce_or": _reduction(np.any),
    "cumsum": _cumulative(np.cumsum),
    "cumprod": _cumulative(np.cumprod),
    "cummax": _cumulative(np.maximum.accumulate),
    "cummin": _cumulative(np.minimum.accumulate),
    "cumlogsumexp": _cumulative(np.logaddexp.accumulate),
    "argmax": _extreme(np.argmax),
    "argmin": _extreme(np.argmin),
    "sort": _sort,
    "dot_general": _dot_general,
    "cholesky": lambda params: _matrixwise(_cholesky),
    "eigh": _eigh,
    "svd": _svd,
    "lu": lambda params: _matrixwise(_lu, 3),
    "lu_pivots_to_permutation": lambda params: functools.partial(
        _permutation, size=params["permutation_size"]
    ),
    "triangular_solve": _triangular_solve,
    "optimization_barrier": lambda params: lambda *xs: list(xs) if len(xs) > 1 else xs[0],
    "bitcast_convert_type": _bits,
    "shift_left": lambda params: np.left_shift,
    "shift_right_arithmetic": lambda params: np.right_shift,
    "shift_right_logical": lambda params: _shift_right_logical,
    "reduce_precision": lambda params: lambda x: x,
}

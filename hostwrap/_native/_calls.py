"""Python functions that compiled programs call by key: from XLA's buffers to NumPy arrays, and back."""

from __future__ import annotations

import ctypes
import struct
import traceback
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hostwrap._errors import HostCallError
from hostwrap._native import _assembly, _library

_CALL = struct.Struct("8N")  # hw_host_call of python.h
_MOST_SHAPES = 256  # of one function that are kept

Shape = tuple[int, ...]
Run = Callable[..., Sequence[np.ndarray]]


class Call:
    """A host function as compiled programs know it. `bind(operand shapes, result shapes)` gives what runs.

    The library finds it by its key as long as somebody holds it: the compiled program, or `keep`.
    """

    def __init__(
        self,
        key: str,
        operands: Sequence[Any],
        results: Sequence[Any],
        bind: Callable[[list[Shape], list[Shape]], Run],
    ) -> None:
        self.key, self.bind = key, bind
        self.dtypes = [*operands, *results]
        self.codes = [_library.TYPES[d.name] for d in self.dtypes]
        self.counts = (len(operands), len(results))
        self.bound: dict[bytes, Callable[[tuple], None]] = {}
        _calls[key.encode()] = self

    def __call__(self, numbers: bytes, addresses: bytes) -> None:
        bound = self.bound.get(numbers)
        if bound is None:
            if len(self.bound) >= _MOST_SHAPES:
                self.bound.clear()
            bound = self.bound[numbers] = self._bound(numbers)
        bound(struct.unpack(f"{len(self.dtypes)}N", addresses))

    def _bound(self, numbers: bytes) -> Callable[[tuple], None]:
        shapes = self._shapes(struct.unpack(f"{len(numbers) // 8}q", numbers))
        inputs = self.counts[0]
        run = self.bind(shapes[:inputs], shapes[inputs:])
        views = [_view(s, d) for s, d in zip(shapes, self.dtypes, strict=True)]

        def call(addresses: tuple) -> None:
            arrays = [view(a) for view, a in zip(views, addresses, strict=True)]
            for array, result in zip(arrays[inputs:], run(*arrays[:inputs]), strict=True):
                array[...] = result

        return call

    def _shapes(self, numbers: Sequence[int]) -> list[Shape]:
        """As `describe` in host.c has written them, if the types are those of the function."""
        if tuple(numbers[:2]) != self.counts:
            raise HostCallError(f"{self.key}: called with {numbers[0]} operands and {numbers[1]} results.")
        shapes, at = [], 2
        for code in self.codes:
            if numbers[at] != code:
                raise HostCallError(f"{self.key}: called with type {numbers[at]} of XLA in place of {code}.")
            rank = numbers[at + 1]
            shapes.append(tuple(numbers[at + 2 : at + 2 + rank]))
            at += 2 + rank
        return shapes


_calls: weakref.WeakValueDictionary[bytes, Call] = weakref.WeakValueDictionary()
find_elsewhere: list[Callable[[str], Call | None]] = []  # how a key that nobody has used here is looked up


def known(key: str) -> Call | None:
    return _calls.get(key.encode())


def _view(shape: Shape, dtype: np.dtype) -> Callable[[int], np.ndarray]:
    memory: Any = ctypes.c_char * (int(np.prod(shape)) * dtype.itemsize)
    if 0 in shape:
        return lambda address: np.empty(shape, dtype)
    return lambda address: np.ndarray(shape, dtype, memory.from_address(address))


def _on_host_call(address: int) -> int:
    """The library calls a function; an exception becomes the text of an error."""
    fields = _CALL.unpack(ctypes.string_at(address, _CALL.size))
    key, key_size, numbers, count, data, buffers, message, size = fields
    try:
        name = ctypes.string_at(key, key_size)
        call = _calls.get(name) or _elsewhere(name.decode())
        call(ctypes.string_at(numbers, 8 * count), ctypes.string_at(data, 8 * buffers))
        return 0
    except BaseException as error:
        text = "".join(traceback.format_exception(error)).encode()[1 - size :]
        ctypes.memmove(message, text, len(text))
        return 1


def _elsewhere(key: str) -> Call:
    for find in find_elsewhere:
        call = find(key)
        if call is not None:
            return call
    raise HostCallError(
        f"this process has no host function {key}: import the module that defines it before a stored program runs."
    )


def _on_unknown_program(key: int, text: int, size: int) -> int:
    try:
        _assembly.learn(key, ctypes.string_at(text, size).decode())
        return 0
    except Exception:
        return 1


_library.answer(_on_host_call, _on_unknown_program)

"""Calls from the C library into Python, and how long a function that compiled code calls must live."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import struct
import threading
import traceback
import weakref
from collections.abc import Callable
from typing import Any

import jax

from hostwrap._errors import HostCallError, HostwrapError, printable
from hostwrap._host.parallel import default_threads
from hostwrap._native import library as _library
from hostwrap._native import program

_CALL = struct.Struct("8N")  # hw_host_call of python.h
_LEARN = struct.Struct("Q4N")  # hw_learn_call of python.h
by_key: weakref.WeakValueDictionary[bytes, Any] = weakref.WeakValueDictionary()  # calls, see `_lanes/keyed`
_handlers: list[Callable] = []  # the library holds only their addresses
_connecting = threading.RLock()


def connect(find: Callable[[str], Any]) -> None:
    """Register the library with XLA, once. `find` looks up a key that this process has not used yet.

    Threads that compile their first programs come here together. One of them connects, and the others wait: a second
    set of handlers would take the place of the first, whose addresses the library may still be given.
    """
    with _connecting:
        if not is_connected():
            _connect(find)


def _connect(find: Callable[[str], Any]) -> None:
    # XLA registers targets when a backend starts, and an error there would stop the backend: so it starts before
    jax.devices("cpu")
    loaded = _library.library()
    for target in (_library.LOOPS, _library.HOST):
        jax.ffi.register_ffi_target(target, jax.ffi.pycapsule(getattr(loaded, target)), platform="cpu")
        jax.ffi.register_ffi_target_as_batch_partitionable(target)
    loaded.hw_set_threads(default_threads())
    # the library calls these with an address: see `hw_set_python` of python.h
    _handlers[:] = functools.partial(_on_host_call, find), _on_failure, _on_unknown_program, _on_refusal
    loaded.hw_set_python(*map(id, _handlers))


def is_connected() -> bool:
    """Whether programs may call Python through the library."""
    return bool(_handlers)


def disconnect() -> None:
    """Stop the library from calling Python."""
    if is_connected():
        _library.library().hw_set_python(None, None, None, None)


def _on_host_call(find: Callable[[str], Any], name: bytes, numbers: bytes, addresses: bytes) -> None:
    """Call a function for the library. The library passes what is raised here to `_on_failure`."""
    call = by_key.get(name) or find(name.decode())
    if call is None:
        raise HostCallError(
            f"this process has no host function {name.decode()}: import the module that defines it before a stored "
            "program runs."
        )
    call(numbers, addresses)


def _on_failure(address: int, error: BaseException) -> bool:
    """Return True if the call has results in spite of the error; else write the text of the error and return False."""
    name, numbers, addresses, message, size = _read(address)
    call = by_key.get(name)
    if call is not None:
        try:
            call.after(error, numbers, addresses)
            return True
        except BaseException as failure:
            error = failure
    _write(error, message, size)
    return False


def _read(address: int) -> tuple:
    """Key, numbers and addresses of a call; address and size of the buffer for an error text."""
    key, key_size, numbers, count, data, buffers, message, size = _CALL.unpack(
        ctypes.string_at(address, _CALL.size)
    )
    parts = (key, key_size), (numbers, 8 * count), (data, 8 * buffers)
    return *[ctypes.string_at(*part) for part in parts], message, size


def _write(error: BaseException, message: int, size: int) -> None:
    """Write the text of an error, the message first, in UTF-8 with a zero at the end. A long text loses its middle."""
    own = [str(error), "\n"] if isinstance(error, HostwrapError) else []
    shown = error.__cause__ if own else error
    lines = traceback.format_exception(shown) if shown is not None else []
    text = printable("".join([*own, *lines])).encode()
    if len(text) >= size:
        text = text[: size // 2 - 10] + b"\n...\n" + text[10 - size // 2 :]
    text = text.decode(errors="ignore").encode()  # the cut may go through a character
    ctypes.memmove(message, text + b"\0", len(text) + 1)


def _on_unknown_program(address: int) -> None:
    """Register a program that a compiled program brought along. The library refuses it if this raises."""
    key, text, size, *_ = _LEARN.unpack(ctypes.string_at(address, _LEARN.size))
    program.learn(key, ctypes.string_at(text, size).decode())


def _on_refusal(address: int, error: BaseException) -> bool:
    *_, message, size = _LEARN.unpack(ctypes.string_at(address, _LEARN.size))
    _write(error, message, size)
    return False


# ---- how long a function lives

# Functions of deleted programs, each with the arrays that were still being computed when `release` first saw it.
_leaving: list[tuple[Any, list[weakref.ref[jax.Array]] | None]] = []


class Keeper:
    """Keeps the function `value` alive as long as the compiled program that calls it, and until its last run ends.

    The program holds this object. But JAX may delete the program during a run, as in `y = jax.jit(lambda x: f(x))(x)`:
    nothing holds the jitted function, and XLA still computes y. A run itself holds no Python object.
    """

    def __init__(self, value: Any) -> None:
        self.value = value
        release()

    def __del__(self) -> None:
        # do not touch JAX's arrays here: this may run while JAX deletes one of them
        if _leaving is not None:  # None when Python exits
            _leaving.append((self.value, None))


def release() -> None:
    """Drop functions that no run needs any more. Called whenever a new program is made."""
    if not _leaving:
        return
    left = _taken()
    pending = [weakref.ref(array) for array in jax.live_arrays() if not _is_ready(array)]
    for value, arrays in left:
        waiting = pending if arrays is None else _still_pending(arrays, pending, value.several)
        if waiting:
            _leaving.append((value, waiting))


def _taken() -> list[tuple[Any, list | None]]:
    """What `_leaving` held, one by one: another thread, or the collector in this one, may add to it meanwhile."""
    left = []
    with contextlib.suppress(IndexError):
        while True:
            left.append(_leaving.pop())
    return left


def _still_pending(arrays: list, pending: list, several: bool) -> list:
    """The arrays to wait for. XLA may still compute an array that nobody holds, because others depend on it.

    If no other array is pending, the run may fail to find its function, and nobody sees the failure. On several
    devices, however, the other devices would wait for the one that fails; so the function stays.
    """
    if all(reference() is not None for reference in arrays):
        return [reference for reference in arrays if not _is_ready(reference())]
    return pending or (arrays if several else [])


def _is_ready(array: Any) -> bool:
    return array is None or bool(array.is_deleted() or array.is_ready())

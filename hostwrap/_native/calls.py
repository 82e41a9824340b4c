"""The library calls Python: a function by its key, or to learn what a program means. How long functions live."""

from __future__ import annotations

import ctypes
import functools
import struct
import traceback
import weakref
from collections.abc import Callable
from typing import Any

import jax

from hostwrap._errors import HostCallError, HostwrapError, printable
from hostwrap._host.parallel import default_threads
from hostwrap._native import library as _library
from hostwrap._native import program

_CALL = struct.Struct("8N")  # hw_host_call of python.h,
_LEARN = struct.Struct("Q4N")  # and hw_learn_call
by_key: weakref.WeakValueDictionary[bytes, Any] = weakref.WeakValueDictionary()  # calls, see `_lanes/keyed`
_handlers: list[Callable] = []  # held for the library


@functools.cache
def connect(find: Callable[[str], Any]) -> None:
    """Register the library with XLA; `find` looks up a key that nobody has used in this process.

    Only once the CPU backend is there, which a refusal would end.
    """
    jax.devices("cpu")
    loaded = _library.library()
    for target in (_library.LOOPS, _library.HOST):
        jax.ffi.register_ffi_target(target, jax.ffi.pycapsule(getattr(loaded, target)), platform="cpu")
        jax.ffi.register_ffi_target_as_batch_partitionable(target)
    loaded.hw_set_threads(default_threads())
    # what the library calls with an address: see `hw_set_python` of python.h
    _handlers[:] = functools.partial(_on_host_call, find), _on_failure, _on_unknown_program, _on_refusal
    loaded.hw_set_python(*map(id, _handlers))


def disconnect() -> None:
    """The library calls nobody any more."""
    if _handlers:
        _library.library().hw_set_python(None, None, None, None)


def _on_host_call(find: Callable[[str], Any], name: bytes, numbers: bytes, addresses: bytes) -> None:
    """The library calls a function. All is well if this returns; whatever is raised comes to `_on_failure`."""
    call = by_key.get(name) or find(name.decode())
    if call is None:
        raise HostCallError(
            f"this process has no host function {name.decode()}: import the module that defines it before a stored "
            "program runs."
        )
    call(numbers, addresses)


def _on_failure(address: int, error: BaseException) -> bool:
    """True if the results are there all the same. Else the text of the error is; an exception here comes again."""
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
    """Key, numbers and addresses of a call, and the place for a text."""
    key, key_size, numbers, count, data, buffers, message, size = _CALL.unpack(
        ctypes.string_at(address, _CALL.size)
    )
    parts = (key, key_size), (numbers, 8 * count), (data, 8 * buffers)
    return *[ctypes.string_at(*part) for part in parts], message, size


def _write(error: BaseException, message: int, size: int) -> None:
    """The text of an error, what matters first, in UTF-8 and with a zero at its end; long ones lose their middle."""
    own = [str(error), "\n"] if isinstance(error, HostwrapError) else []
    shown = error.__cause__ if own else error
    lines = traceback.format_exception(shown) if shown is not None else []
    text = printable("".join([*own, *lines])).encode()
    if len(text) >= size:
        text = text[: size // 2 - 10] + b"\n...\n" + text[10 - size // 2 :]
    text = text.decode(errors="ignore").encode()  # characters may have been cut
    ctypes.memmove(message, text + b"\0", len(text) + 1)


def _on_unknown_program(address: int) -> None:
    """The library meets a program that this process does not know; it is refused if this raises."""
    key, text, size, *_ = _LEARN.unpack(ctypes.string_at(address, _LEARN.size))
    program.learn(key, ctypes.string_at(text, size).decode())


def _on_refusal(address: int, error: BaseException) -> bool:
    *_, message, size = _LEARN.unpack(ctypes.string_at(address, _LEARN.size))
    _write(error, message, size)
    return False


# ---- how long a function lives

# What programs that are gone have called, and the arrays that were not there yet when this was looked at first.
_leaving: list[tuple[Any, list[weakref.ref[jax.Array]] | None]] = []


class Keeper:
    """Keeps `value`, what a compiled program calls, as long as the program, and until its last run is over.

    The program holds it. But it may go away while a run of it is still under way, as in `y = jax.jit(lambda x:
    f(x))(x)`: nobody holds the jitted function, and y is not there yet. The run itself holds nothing of Python.
    """

    def __init__(self, value: Any) -> None:
        self.value = value
        release()

    def __del__(self) -> None:
        # no look at JAX's arrays here: this may run while one of them is being taken apart
        if _leaving is not None:  # as it is when Python ends
            _leaving.append((self.value, None))


def release() -> None:
    """Let go of what no run needs any more; called when the next program is made."""
    if not _leaving:
        return
    left, _leaving[:] = list(_leaving), []
    pending = [weakref.ref(array) for array in jax.live_arrays() if not _is_there(array)]
    for value, arrays in left:
        waiting = pending if arrays is None else _still_pending(arrays, pending, value.several)
        if waiting:
            _leaving.append((value, waiting))


def _still_pending(arrays: list, pending: list, several: bool) -> list:
    """What there is to wait for. An array that nobody holds any more may still be under way, and others depend on it.

    If there are no others, its run may fail to find what it calls, and nobody sees that; but on several devices others
    would wait for the one where it fails, and what is called there stays.
    """
    if all(reference() is not None for reference in arrays):
        return [reference for reference in arrays if not _is_there(reference())]
    return pending or (arrays if several else [])


def _is_there(array: Any) -> bool:
    return array is None or bool(array.is_deleted() or array.is_ready())

"""What is expensive to make and kept between calls on the host: factorisations, handles. No JAX here.

A resource is known by the content of what it is made of, never by the identity of an array: a compiled program gets its
arguments in new memory each time, and memory is used again for other numbers.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import inspect
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from hostwrap._errors import SignatureError


class CacheInfo(NamedTuple):
    """As of functools.lru_cache."""

    hits: int
    misses: int
    maxsize: int
    currsize: int


def cached(function: Any = None, /, *, maxsize: int = 8, close: Callable[[Any], None] | None = None) -> Any:
    """Keep what a factory made, for as long as it is among the `maxsize` last used: `@cached(maxsize=8)`.

    It is for NumPy functions that wrapped functions call on the host:

        @hw.cached(maxsize=4)
        def factor(data, indices, indptr):
            return scipy.sparse.linalg.splu(scipy.sparse.csc_array((data, indices, indptr)))

    Arguments are NumPy arrays, numbers, strings, bytes, None, and tuples, lists and mappings of these; equal content is
    the same resource, whatever memory it lies in (`0.0` and `-0.0`, `1` and `1.0`, float32 and float64 differ).
    Several threads may call it: a resource is made once, and the others wait. If the factory raises, nothing is kept.

    Args:
        maxsize: how many are kept; the one that was not used for longest goes first.
        close: called on a resource that goes, once nobody uses it any more. Such a resource is had with
            `with factor.hold(...) as handle:` only.

    Returns:
        The function, with `hold`, `cache_info()` and `cache_clear()`.

    Raises:
        SignatureError: a malformed option; when called, an argument that has no content to compare.
    """
    if function is None:
        return functools.partial(cached, maxsize=maxsize, close=close)
    if not callable(function):
        raise SignatureError(f"cached: expected a function, got {type(function).__name__}: {function!r:.80}.")
    return Cached(function, maxsize, close)


class Entry:
    """A resource, and who is using it; its lock is held while it is made."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.made = False
        self.resource: Any = None
        self.users = 0
        self.kept = True


class Cached:
    """A factory whose resources are kept; see `cached`."""

    def __init__(self, function: Callable, maxsize: int, close: Callable[[Any], None] | None) -> None:
        self.__name__ = getattr(function, "__name__", type(function).__name__)
        if not isinstance(maxsize, int) or isinstance(maxsize, bool) or maxsize < 1:
            raise SignatureError(f"{self.__name__}: maxsize={maxsize!r} must be an integer >= 1.")
        if close is not None and not callable(close):
            raise SignatureError(f"{self.__name__}: close= must be a function, got {type(close).__name__}.")
        functools.update_wrapper(self, function)
        self._function, self._maxsize, self._close = function, maxsize, close
        self._signature = inspect.signature(function)
        self._lock = threading.Lock()
        self._entries: OrderedDict[Hashable, Entry] = OrderedDict()
        self._hits = self._misses = 0

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._close is not None:
            raise SignatureError(
                f"{self.__name__}: a resource with close= may be closed when nobody holds it; use it inside of "
                f"`with {self.__name__}.hold(...) as handle:`."
            )
        with self.hold(*args, **kwargs) as resource:
            return resource

    @contextlib.contextmanager
    def hold(self, *args: Any, **kwargs: Any) -> Iterator[Any]:
        """The resource, which is not closed before the end of the `with` block."""
        key = self._key(args, kwargs)
        entry = self._taken(key)
        try:
            with entry.lock:
                if not entry.made:
                    entry.resource = self._function(*args, **kwargs)
                    entry.made = True
            yield entry.resource
        finally:
            self._released(key, entry)

    def cache_info(self) -> CacheInfo:
        with self._lock:
            return CacheInfo(self._hits, self._misses, self._maxsize, len(self._entries))

    def cache_clear(self) -> None:
        """Let all go, and count anew; those that are in use are closed after it."""
        with self._lock:
            gone = list(self._entries.values())
            self._entries.clear()
            self._hits = self._misses = 0
            idle = [entry for entry in gone if self._let_go(entry)]
        self._close_all(idle)

    # ---- bookkeeping: short, and under the lock; making and closing are not

    def _key(self, args: tuple, kwargs: Mapping[str, Any]) -> Hashable:
        try:
            bound = self._signature.bind(*args, **kwargs)
        except TypeError as error:
            raise SignatureError(f"{self.__name__}{self._signature}: {error}.") from None
        bound.apply_defaults()
        digest = hashlib.blake2b(digest_size=32)
        for name, value in bound.arguments.items():
            _feed(digest, self.__name__, name, value)
        return digest.digest()

    def _taken(self, key: Hashable) -> Entry:
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                self._misses += 1
                entry = self._entries[key] = Entry()
            else:
                self._hits += 1
            entry.users += 1
            self._entries.move_to_end(key)
            gone = [self._entries.popitem(last=False)[1] for _ in range(len(self._entries) - self._maxsize)]
            idle = [old for old in gone if self._let_go(old)]
        self._close_all(idle)
        return entry

    def _released(self, key: Hashable, entry: Entry) -> None:
        with self._lock:
            entry.users -= 1
            if not entry.made and not entry.users and self._entries.get(key) is entry:
                del self._entries[key]  # the factory raised
            idle = [entry] if not entry.kept and not entry.users else []
        self._close_all(idle)

    def _let_go(self, entry: Entry) -> bool:
        """No longer kept; whether it can be closed now."""
        entry.kept = False
        return not entry.users

    def _close_all(self, entries: list[Entry]) -> None:
        for entry in entries:
            if self._close is not None and entry.made:
                self._close(entry.resource)


def _feed(digest: Any, function: str, name: str, value: Any) -> None:
    """The content of an argument, with what tells it from others: type, shape, length."""
    if (
        isinstance(value, np.ndarray | np.generic)
        and value.dtype.kind in "biufcSUV"
        and not value.dtype.hasobject
    ):
        array = np.asarray(value)
        digest.update(repr(("array", array.dtype.str, array.shape)).encode())
        digest.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8))
    elif isinstance(value, tuple | list):
        digest.update(repr((type(value).__name__, len(value))).encode())
        for i, part in enumerate(value):
            _feed(digest, function, f"{name}[{i}]", part)
    elif isinstance(value, Mapping):
        digest.update(repr(("mapping", len(value))).encode())
        for key, part in value.items():
            _feed(digest, function, f"{name}'s key", key)
            _feed(digest, function, f"{name}[{key!r}]", part)
    elif value is None or isinstance(value, bool | int | float | complex | str | bytes):
        text = repr(value).encode()
        digest.update(repr((type(value).__name__, len(text))).encode() + text)
    else:
        raise SignatureError(
            f"{function}: `{name}` is a {type(value).__name__}, whose content cannot be compared; pass NumPy arrays, "
            "numbers, strings, or tuples, lists and mappings of them (of a sparse matrix its data, indices and indptr)."
        )

"""Keep expensive objects between calls on the host: factorisations, handles. No JAX here.

The key of a resource is the content of the arguments, never the identity of an array: a compiled program gets its
arguments in new memory each time, and the same memory may hold other numbers later.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import functools
import hashlib
import inspect
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import Any, NamedTuple, overload

import numpy as np

from hostwrap._errors import SignatureError

Close = Callable[[Any], None]


class CacheInfo(NamedTuple):
    """Like the one of functools.lru_cache."""

    hits: int
    misses: int
    maxsize: int
    currsize: int


@overload
def cached(
    function: Callable[..., Any], /, *, maxsize: int = 8, close: Close | None = None, one_thread: bool = False
) -> Cached: ...
@overload
def cached(
    *, maxsize: int = 8, close: Close | None = None, one_thread: bool = False
) -> Callable[[Callable[..., Any]], Cached]: ...
def cached(
    function: Any = None, /, *, maxsize: int = 8, close: Close | None = None, one_thread: bool = False
) -> Any:
    """Keep what a factory made, for as long as it is among the `maxsize` last used: `@cached(maxsize=8)`.

    It is for NumPy functions that wrapped functions call on the host, and that begin with::

        with factor.hold(A) as lu: ...

    Arguments are NumPy arrays, numbers, strings, bytes, None, and tuples, lists and mappings of these; equal content is
    the same resource, whatever memory it lies in (`0.0` and `-0.0`, `1` and `1.0`, float32 and float64 differ).
    Several threads may call it: a resource is made once, and the others wait. If the factory raises, nothing is kept.

    Args:
        maxsize: how many are kept; the one that was not used for longest goes first.
        close: called on a resource that goes, once nobody holds it any more.
        one_thread: make resources, close them and let them go in a thread of their own. For those that belong to the
            thread which made them, as SciPy's SuperLU, whose memory is lost in another one. (XLA calls from any.) With
            close= or one_thread=, only `hold` gives a resource.

    Returns:
        The function, with `hold`, `cache_info()` and `cache_clear()`.

    Raises:
        SignatureError: a malformed option; when called, an argument that has no content to compare.

    >>> import hostwrap as hw, numpy as np, scipy.linalg
    >>> factor = hw.cached(scipy.linalg.lu_factor)
    >>> @hw.wrap("(n,n),(n)->(n)")
    ... def solve(A, b):
    ...     with factor.hold(A) as lu:
    ...         return scipy.linalg.lu_solve(lu, b)
    >>> print(solve(2 * np.eye(2), np.ones(2)), solve(2 * np.eye(2), np.zeros(2)))
    [0.5 0.5] [0. 0.]
    >>> print(factor.cache_info().misses)
    1
    """
    if function is None:
        return functools.partial(cached, maxsize=maxsize, close=close, one_thread=one_thread)
    if not callable(function):
        raise SignatureError(f"cached: expected a function, got {type(function).__name__}: {function!r:.80}.")
    return Cached(function, maxsize, close, one_thread)


class Entry:
    """A resource, and the number of its users; the lock is held while the resource is made."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.made = False
        self.resource: Any = None
        self.users = 0
        self.kept = True

    def make(self, function: Callable, *args: Any, **kwargs: Any) -> None:
        self.resource = function(*args, **kwargs)
        self.made = True

    def drop(self, close: Callable[[Any], None] | None) -> None:
        """Forget the resource here, where its last name goes."""
        if close is not None and self.made:
            close(self.resource)
        self.resource = None


class Cached:
    """A factory whose resources are kept; see `cached`."""

    def __init__(
        self, function: Callable, maxsize: int, close: Callable[[Any], None] | None, one_thread: bool
    ) -> None:
        self.__name__ = getattr(function, "__name__", type(function).__name__)
        if not isinstance(maxsize, int) or isinstance(maxsize, bool) or maxsize < 1:
            raise SignatureError(f"{self.__name__}: maxsize={maxsize!r} must be an integer >= 1.")
        if close is not None and not callable(close):
            raise SignatureError(f"{self.__name__}: close= must be a function, got {type(close).__name__}.")
        functools.update_wrapper(self, function)
        self._function, self._maxsize, self._close = function, maxsize, close
        self._signature = inspect.signature(function)
        self._thread = concurrent.futures.ThreadPoolExecutor(1, self.__name__) if one_thread else None
        self._lock = threading.Lock()
        self._entries: OrderedDict[Hashable, Entry] = OrderedDict()
        self._hits = self._misses = 0

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._close is not None or self._thread is not None:
            raise SignatureError(
                f"{self.__name__}: a resource with close= or one_thread= may go when nobody holds it; use it inside of "
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
                    self._run(entry.make, self._function, *args, **kwargs)
            yield entry.resource
        finally:
            self._released(key, entry)

    def cache_info(self) -> CacheInfo:
        with self._lock:
            return CacheInfo(self._hits, self._misses, self._maxsize, len(self._entries))

    def cache_clear(self) -> None:
        """Drop all resources, and count anew; those in use are closed after their use."""
        with self._lock:
            gone = list(self._entries.values())
            self._entries.clear()
            self._hits = self._misses = 0
        self._let_go(gone)

    # ---- bookkeeping: short, and under the lock; resources are made and closed outside of it

    def _key(self, args: tuple, kwargs: Mapping[str, Any]) -> Hashable:
        try:
            bound = self._signature.bind(*args, **kwargs)
        except TypeError as error:
            raise SignatureError(f"{self.__name__}{self._signature}: {error}.") from None
        bound.apply_defaults()
        return digest_of(self.__name__, bound.arguments)

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
        self._let_go(gone)
        return entry

    def _released(self, key: Hashable, entry: Entry) -> None:
        with self._lock:
            entry.users -= 1
            if not entry.made and not entry.users and self._entries.get(key) is entry:
                del self._entries[key]  # the factory raised
            idle = not entry.kept and not entry.users
        if idle:
            self._run(entry.drop, self._close)

    def _let_go(self, gone: list[Entry]) -> None:
        """Do not keep the resource: close it now, or after its last use."""
        with self._lock:
            for entry in gone:
                entry.kept = False
            idle = [entry for entry in gone if not entry.users]
        for entry in idle:
            self._run(entry.drop, self._close)

    def _run(self, task: Callable, *args: Any, **kwargs: Any) -> None:
        if self._thread is None:
            task(*args, **kwargs)
        else:
            self._thread.submit(task, *args, **kwargs).result()


# ---- arguments as a key: a digest of their content


def digest_of(function: str, arguments: Mapping[str, Any]) -> bytes:
    """A digest that is equal for equal types, shapes and bytes, and for no others (as far as BLAKE2b can tell)."""
    digest = hashlib.blake2b(digest_size=32)
    for name, value in arguments.items():
        _feed(digest, function, name, value)
    return digest.digest()


def _feed(digest: Any, function: str, name: str, value: Any) -> None:
    """Add the content of an argument, with its type, shape and length, which distinguish it from others."""
    dtype = value.dtype if isinstance(value, np.ndarray | np.generic) else None
    if dtype is not None and dtype.kind in "biufcSUV" and not dtype.hasobject:
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

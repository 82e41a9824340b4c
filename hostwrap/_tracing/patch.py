"""`patch`: functions of SciPy and NumPy accept JAX arrays, and are then JAX functions."""

from __future__ import annotations

import cmath
import functools
import importlib
import math
import sys
import threading
import types
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from hostwrap._recipes.objects import CHANGE, CLASSES, Followed, by_scipys
from hostwrap._tracing.laws import law_of
from hostwrap._tracing.made import remember, same_of_ours
from hostwrap._tracing.numpys import holds_jax
from hostwrap._tracing.originals import imported
from hostwrap._tracing.patched_numpy import by_twin, depth, everywhere, in_force, in_place

MODULES = (
    "special", "stats", "linalg", "integrate", "interpolate", "optimize", "signal", "ndimage", "fft", "sparse.linalg",
    "spatial", "spatial.distance", "spatial.transform",
)  # fmt: skip
METHODS = (
    "pdf", "logpdf", "pmf", "logpmf", "cdf", "sf", "logcdf", "logsf", "ppf", "isf", "mean", "var", "std", "entropy",
    "median", "interval", "support", "moment", "__call__",
)  # fmt: skip


class patch:
    """While it is in force, functions of SciPy and NumPy that are given JAX arrays answer as functions of JAX.

    As a context manager, `with hostwrap.patch():`, it is in force for the code inside, in this thread; after
    `hostwrap.patch().start()` in all threads, until `stop()` of what that returned.

    Given a JAX array, the ufuncs of NumPy and of `scipy.special` answer by `jax.numpy` and `hostwrap.special`,
    `scipy.stats`' distributions by `hostwrap.stats`, and NumPy's functions and those of `scipy.linalg`, `integrate`,
    `interpolate`, `optimize`, `signal`, `ndimage`, `fft` by their twins, or by their own Python code, followed as
    `wrap` follows it. So do classes as `scipy.interpolate.CubicSpline`, made of JAX arrays, and splines of NumPy
    arrays at places in a JAX array. `jax.scipy.special` has the functions of `hostwrap.special` that it lacks.
    Functions that get no JAX array are what they are.

    Raises:
        MissingDerivative: when called, a function that has no twin and whose code cannot be followed.

    >>> from scipy import special
    >>> with hostwrap.patch():
    ...     slope = jax.grad(lambda v: np.exp(-v) * special.kv(v, 2.0))(1.5)
    >>> print(f"{slope:.6f}")
    -0.016142
    """

    def __init__(self) -> None:
        self._tokens: list[Any] = []
        self._started = False

    def __enter__(self) -> patch:
        _install()
        self._tokens.append(depth.set(depth.get() + 1))
        return self

    def __exit__(self, *_: Any) -> None:
        depth.reset(self._tokens.pop())
        _remove()

    def start(self) -> patch:
        """Start the patch in all threads."""
        with _lock:
            if not self._started:
                self._started = True
                everywhere.append(self)
                _install()
        return self

    def stop(self) -> None:
        """End the patch that `start` began; do nothing if there is none."""
        with _lock:
            if self._started:
                self._started = False
                everywhere.remove(self)
                _remove()


_lock = threading.RLock()
_users = 0
_undo: list[Callable[[], None]] = []


def _install() -> None:
    global _users
    with _lock:
        _users += 1
        if _users == 1:
            try:
                _put_everything()
            except BaseException:  # nothing half done
                _remove()
                raise


def _remove() -> None:
    global _users
    with _lock:
        _users -= 1
        if _users == 0:
            while _undo:
                _undo.pop()()


def _put_everything() -> None:
    for owner, name, value in list(in_place()):
        _put(owner, name, value)
    for name in MODULES:
        module = importlib.import_module(f"scipy.{name}")
        for key, value in list(vars(module).items()):
            if _is_function(value) and not key.startswith("_"):
                _put(module, key, _in_front(value))
        _put_classes(name, module)
    _put_names()
    from scipy.stats import rv_continuous, rv_discrete

    for owner in {c for kind in (rv_continuous, rv_discrete) for c in kind.__mro__[:-1]}:
        for name in METHODS:
            if name in vars(owner):
                _put(owner, name, _method(name, vars(owner)[name]))
    _put_joint()
    from hostwrap import special as lacking

    for name in dir(lacking):
        if not hasattr(jax.scipy.special, name):
            _put(jax.scipy.special, name, getattr(lacking, name))


_IMMUTABLE = 1 << 8  # Py_TPFLAGS_IMMUTABLETYPE
_BASE = 1 << 10  # Py_TPFLAGS_BASETYPE: the class may have subclasses
OF_OBJECTS = (
    "__call__",
    "__mul__",
    "apply",
    "ev",
    "evaluate",
    "integral",
    "integrate",
    "logpdf",
    "pdf",
    "query",
)
# How hostwrap makes the same object from what an object of SciPy says of itself, whenever that was made.
_SAME: dict[str, Callable[[Any], Any]] = {"Rotation": lambda r: _rotation().from_quat(r.as_quat())}


def _rotation() -> Any:
    from hostwrap.spatial.transform import Rotation

    return Rotation


def _put_classes(name: str, module: Any) -> None:
    """Patch the classes of SciPy that hostwrap has, too."""
    if name == "special":
        return
    ours = importlib.import_module(f"hostwrap.{name}")
    followed = CLASSES.get(name, ())
    for key in (*ours.__all__, *followed):
        value = getattr(module, key, None)
        if isinstance(value, type) and value.__flags__ & _BASE:
            front = _class_in_front(value, getattr(ours, key))
            _put(module, key, front)
            for owner in value.__mro__:
                if owner.__module__.startswith("scipy."):
                    _put_makers(owner, front)
                    of_code = key in followed
                    _put_methods(owner, _public(owner) if of_code else OF_OBJECTS, of_code)


def _public(owner: type) -> tuple[str, ...]:
    """The methods of a class whose code is followed, but those that change an object."""
    return tuple(n for n in vars(owner) if n == "__call__" or not (n.startswith("_") or n in CHANGE))


def _put_makers(owner: type, front: Any) -> None:
    """Patch the methods of a class itself that make objects, such as `Rotation.from_euler`. Of a class in C, which
    nobody may change, the class in front of it has them."""
    place = front if owner.__flags__ & _IMMUTABLE else owner
    for name, maker in list(vars(owner).items()):
        is_maker = isinstance(maker, classmethod | staticmethod) and not name.startswith("_")
        if is_maker and not hasattr(maker.__func__, "patched"):
            _put(place, name, _maker_in_front(maker, name, front.patched, front.ours))


def _maker_in_front(maker: Any, name: str, theirs: type, ours: Any) -> Any:
    own = getattr(ours, name, None)

    @functools.wraps(maker.__func__)
    def patched(cls: type, *args: Any, **kwargs: Any) -> Any:
        cls = getattr(cls, "patched", cls)  # an object is of SciPy's class, and not of the one in front of it
        if own is not None and cls is theirs and in_force() and holds_jax((args, kwargs)):
            return own(*args, **kwargs)
        return maker.__get__(None, cls)(*args, **kwargs)

    patched.patched = maker.__func__  # type: ignore[attr-defined]
    return classmethod(patched)


def _put_methods(owner: type, names: tuple[str, ...], followed: bool = False) -> None:
    """Patch methods of objects made from NumPy arrays, for places in a JAX array. Of an object that was made meanwhile
    hostwrap's own object answers; of another one hostwrap traces the code of the method."""
    for name in names:
        function = vars(owner).get(name)
        if isinstance(function, types.FunctionType) and not hasattr(function, "patched"):
            _put(owner, name, _method_in_front(name, function, followed))


@functools.cache
def _method_in_front(name: str, function: Callable, followed: bool) -> Callable:
    def answer(args: tuple, kwargs: dict) -> Any:
        if followed:
            return by_scipys(types.MethodType(function, args[0]), ("", args[1:], tuple(kwargs.items())))
        if (ours := same_of_ours(args[0])) is not None:
            return getattr(ours, name)(*args[1:], **kwargs)
        if (same := _SAME.get(type(args[0]).__name__)) is not None:
            return getattr(same(args[0]), name)(*args[1:], **kwargs)
        return by_twin(function, args, kwargs)

    patched = _giving_way(function, answer)
    patched.patched = function
    return patched


@functools.cache
def _class_in_front(theirs: type, ours: Any) -> Any:
    """A class in place of SciPy's, which makes an object of hostwrap if an argument is a JAX array."""

    class Kind(type(theirs)):  # type: ignore[misc]
        def __call__(cls, *args: Any, **kwargs: Any) -> Any:
            if cls is not front:
                return super().__call__(*args, **kwargs)
            if not in_force():
                return theirs(*args, **kwargs)
            if holds_jax((args, kwargs)):
                return ours(*args, **kwargs)
            made = theirs(*args, **kwargs)
            # code that is followed is followed on the object itself
            of_code = isinstance(ours, type) and issubclass(ours, Followed)
            return made if of_code else remember(made, ours, args, kwargs)

        def __instancecheck__(cls, x: Any) -> bool:
            return isinstance(x, theirs) if cls is front else super().__instancecheck__(x)

        def __subclasscheck__(cls, other: type) -> bool:
            return issubclass(other, theirs) if cls is front else super().__subclasscheck__(other)

    names = ("__module__", "__qualname__", "__doc__")
    front: Any = Kind(theirs.__name__, (theirs,), {name: getattr(theirs, name) for name in names})
    front.patched, front.ours = theirs, ours
    return front


def _is_function(x: Any) -> bool:
    """Whether it is a Python function, or one of `scipy.fft`, which is an object that looks for a backend."""
    return isinstance(x, types.FunctionType) or type(x).__name__ == "_Function"


def _put_joint() -> None:
    """Patch SciPy's multivariate distributions, each of which has a class of its own."""
    import scipy.stats

    from hostwrap import stats

    without_self = lambda method: lambda args, kwargs: method(*args[1:], **kwargs)
    for name in dir(stats):
        owner = type(getattr(scipy.stats, name, None))
        if "multivariate" in owner.__module__:
            ours = getattr(stats, name)
            for method in METHODS:
                if method in vars(owner) and not method.startswith("_") and hasattr(ours, method):
                    _put(owner, method, _giving_way(vars(owner)[method], without_self(getattr(ours, method))))
            _put(owner, "__call__", _freezing(owner.__call__, ours))
            frozen = getattr(sys.modules[owner.__module__], owner.__name__.replace("_gen", "_frozen"), None)
            if frozen is not None:
                _put_methods(frozen, METHODS[:-1])


def _freezing(function: Callable, ours: Any) -> Callable:
    """The call of a multivariate distribution, which freezes its parameters."""

    @functools.wraps(function)
    def patched(self: Any, *args: Any, **kwargs: Any) -> Any:
        if in_force() and holds_jax((args, kwargs)):
            return ours(*args, **kwargs)
        made = function(self, *args, **kwargs)
        return remember(made, ours, args, kwargs) if in_force() else made

    return patched


def _put_names() -> None:
    """Patch what other modules have imported by name."""
    modules = [np, math, cmath, *(sys.modules[f"scipy.{name}"] for name in MODULES)]
    values = [value for module in modules for value in vars(module).values()]
    fronts = {id(value.patched): value for value in values if "patched" in getattr(value, "__dict__", ())}
    for module, name, front in imported(fronts):
        _put(module, name, front)


def _put(owner: Any, name: str, value: Any) -> None:
    """Set an attribute, and remember the old one. `stop` keeps an attribute that somebody else has set since."""
    had, before = name in vars(owner), vars(owner).get(name)

    def undo() -> None:
        if vars(owner).get(name) is value:
            setattr(owner, name, before) if had else delattr(owner, name)

    setattr(owner, name, value)
    _undo.append(undo)


def _giving_way(function: Callable, answer: Callable[[tuple, dict], Any]) -> Any:
    """The function, which calls `answer` instead if a patch is active and an argument is a JAX array."""

    @functools.wraps(function)
    def patched(*args: Any, **kwargs: Any) -> Any:
        if in_force() and holds_jax((args, kwargs)):
            return answer(args, kwargs)
        return function(*args, **kwargs)

    return patched


@functools.cache
def _in_front(function: Callable) -> Callable:
    patched = _giving_way(function, functools.partial(by_twin, function))
    patched.patched = function
    return patched


def _method(name: str, function: Callable) -> Callable:
    """A method of SciPy's distributions, which calls the one of `hostwrap.stats`. Of a distribution that somebody else
    has defined, perhaps under a name of SciPy's, the code is traced."""

    def answer(args: tuple, kwargs: dict) -> Any:
        distribution, *numbers = args
        if (law := law_of(distribution)) is not None:
            return getattr(law, name)(*numbers, **kwargs)
        if name == "__call__":  # its methods come here again
            return function(*args, **kwargs)
        return by_twin(types.MethodType(function, distribution), tuple(numbers), kwargs)

    patched = _giving_way(function, answer)
    patched.patched = function
    return patched

"""Names of SciPy that a module has no rule for: JAX's function, or SciPy's own code, traced."""

from __future__ import annotations

import difflib
import functools
import importlib
import inspect
from collections.abc import Callable, Collection
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap._errors import MissingDerivative, NotTaken, RuleError
from hostwrap._host.origins import find
from hostwrap._recipes.halves import as_read
from hostwrap._recipes.objects import CLASSES, class_of

# Options that say how SciPy computes, and do not change the result. They have SciPy's defaults.
WITHOUT_EFFECT = {
    "check_finite", "workers", "plan", "lwork", "lapack_driver", "driver", "blocksize", "permc_spec", "use_umfpack",
    "diag_pivot_thresh", "relax", "panel_size",
}  # fmt: skip


def elsewhere(module: str, names: Collection[str]) -> Callable[[str], Any]:
    """The `__getattr__` of a module named after one of SciPy's, which itself has these names.

    For another name of SciPy it returns JAX's function of this name, if there is one; what that refuses is asked of
    SciPy's. Else it returns SciPy's function, whose code is differentiated as that of a function which `hostwrap.wrap`
    decorates.
    """
    missing, short = without(module, names), module.removeprefix("hostwrap.")

    def found(name: str) -> Any:
        theirs = None if name.startswith("_") else _of(f"scipy.{short}", name)
        if not callable(theirs):
            return missing(name)
        for whose in ("jax.scipy", "jax.numpy"):
            if (jaxs := _of(f"{whose}.{short}", name)) is not None:
                return jaxs if isinstance(jaxs, type) or isinstance(theirs, type) else _else(jaxs, theirs)
        if not isinstance(theirs, type):
            return _following(theirs)
        if issubclass(theirs, BaseException):
            return theirs
        return class_of(theirs, module) if name in CLASSES.get(short, ()) else missing(name)  # type: ignore[arg-type]  # a class is hashable

    return found


def without(module: str, names: Collection[str]) -> Callable[[str], Any]:
    """The `__getattr__` of a module named after one of SciPy's: its error says where to find a missing function."""

    def missing(name: str) -> Any:
        short = module.removeprefix("hostwrap.")
        text = f"module {module!r} has no attribute {name!r}"
        if not name.startswith("_"):
            near = difflib.get_close_matches(name, names, 3)
            if jaxs := [
                whose for whose in ("jax.scipy", "jax.numpy") if _of(f"{whose}.{short}", name) is not None
            ]:
                text += f"; it is in JAX: call {jaxs[0]}.{short}.{name}"
            elif _of(f"scipy.{short}", name) is not None:
                text += (
                    f"; call scipy.{short}.{name} in a function that hostwrap.wrap decorates, and its code is "
                    "differentiated where that can be done"
                )
            elif near:
                text += f"; did you mean {' or '.join(near)}?"
        raise AttributeError(text, name=name)

    return missing


def _of(module: str, name: str) -> Any:
    try:
        return getattr(importlib.import_module(module), name, None)
    except ImportError:
        return None


@functools.cache
def _else(jaxs: Callable, theirs: Callable) -> Callable:
    """JAX's function. It lacks some of SciPy's arguments and options, which lead to SciPy's function.

    Of a Hermitian matrix SciPy reads one half.
    """

    known = functools.cache(lambda: inspect.signature(jaxs).parameters)

    @functools.wraps(jaxs)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            given = {key: x for key, x in kwargs.items() if key in known() or not is_without_effect(key)}
            read, options = as_read(jnp, theirs, args, given)
            return jaxs(*read, **options)
        except (TypeError, ValueError, NotImplementedError) as refusal:
            return otherwise(theirs, args, kwargs, refusal)

    return call


def otherwise(function: Callable, args: tuple, kwargs: dict, refusal: Exception) -> Any:
    """SciPy's function in place of one that refuses what it is given; the refusal, if that cannot be done.

    An array to be filled, `output=`, stays empty in a trace, which has no numbers yet.
    """
    if _fills(function, args, kwargs):
        raise refusal
    try:
        return find(("followed", function, args, kwargs, True))
    except MissingDerivative as missing:
        raise refusal from missing


def now(function: Callable, args: tuple, kwargs: dict, refusal: NotTaken) -> Any:
    """SciPy's own function on concrete arguments, for options that ours has not; the refusal in a trace."""
    try:
        return find(("concrete", function, args, kwargs))
    except Exception as error:
        if isinstance(error, MissingDerivative) or _met_a_tracer(error):
            raise RuleError(str(refusal)) from error
        raise


def _met_a_tracer(error: BaseException | None) -> bool:
    """A function may read a traced number of an object or a global variable; SciPy may raise another error for that."""
    while error is not None and not isinstance(error, jax.errors.JAXTypeError):
        error = error.__cause__ or error.__context__
    return error is not None


def _fills(function: Callable, args: tuple, kwargs: dict) -> bool:
    try:
        given = inspect.signature(function).bind(*args, **kwargs).arguments
    except (TypeError, ValueError):  # compiled functions have no signature
        given = kwargs
    return any(isinstance(given.get(name), np.ndarray) for name in ("out", "output"))


@functools.cache
def _following(function: Callable) -> Callable:
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return find(("followed", function, args, kwargs))

    call.follows = function  # type: ignore[attr-defined]  # it is no twin
    return call


def is_without_effect(key: str) -> bool:
    return key in WITHOUT_EFFECT or key.startswith("overwrite")


def refuse_unknown(name: str, options: Collection[str]) -> None:
    """Raise a TypeError for options that would have an effect."""
    for key in options:
        if not is_without_effect(key):
            raise TypeError(f"{name}() got an unexpected keyword argument {key!r}")

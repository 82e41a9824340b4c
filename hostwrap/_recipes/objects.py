"""Objects of SciPy whose methods follow SciPy's own code: of classes that hostwrap has no class of its own for."""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Iterable
from typing import Any

import jax
import numpy as np

from hostwrap._host.origins import find

# Classes whose objects stay what they were made of. CHANGE are the methods that do change them, and are left out.
CLASSES = {
    "interpolate": (
        "FloaterHormannInterpolator", "KroghInterpolator", "NdBSpline", "NearestNDInterpolator", "Rbf",
        "SmoothBivariateSpline",
    ),
    "signal": (
        "CZT", "ShortTimeFFT", "StateSpace", "TransferFunction", "ZerosPolesGain", "ZoomFFT", "dlti", "lti",
    ),
    "spatial": ("SphericalVoronoi",),
    "spatial.transform": ("RigidTransform", "RotationSpline"),
}  # fmt: skip
CHANGE = {"add_xi", "scale_to", "set_yi", "sort_vertices_of_regions"}
# Methods that return such an object, and its class; "" is the class of the object that has the method.
RETURN = {
    "to_ss": "StateSpace",
    "to_tf": "TransferFunction",
    "to_zpk": "ZerosPolesGain",
    "to_discrete": "",
    "inv": "",
}
RETURN_OF = {"NdBSpline": {"derivative": ""}}
Step = tuple[str, tuple, tuple]  # the name of a method, its arguments, its options


class Followed:
    """An object of a class of SciPy, with SciPy's methods and attributes. In a trace each answer makes it anew.

    It is a pytree: its leaves are the arrays and the floating-point numbers that it was made of. Where SciPy's method
    returns another such object, the result is one of these, too.
    """

    theirs: type
    _start: Any  # SciPy's class that it begins with
    _steps: tuple[Step, ...]  # calls that return an object, from that class on; "" calls the class itself
    _kept: Any

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        inspect.signature(self.theirs).bind(*args, **kwargs)  # a TypeError, also in a trace
        _fill(self, self.theirs, (_step("", args, kwargs),))
        _kept(self)  # what SciPy refuses

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{type(self).__name__}.{name} cannot be set: make another object.", name=name)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name in CHANGE:
            why = ", which would change it: make another object" if name in CHANGE else ""
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}{why}", name=name)
        if callable(_names(self.theirs).get(name)):
            return functools.partial(_answer, self, name)
        return _answer(self, name)

    def __dir__(self) -> Iterable[str]:
        return sorted(set(_names(self.theirs)) - CHANGE)

    def __repr__(self) -> str:
        return f"<{type(self).__module__}.{type(self).__name__} by SciPy's code>"


@functools.cache
def class_of(theirs: type, module: str) -> type[Followed]:
    """The class of objects that stand in place of those of a class of SciPy."""
    names: dict[str, Any] = {"theirs": theirs, "__module__": module, "__doc__": theirs.__doc__}
    if "__call__" in dir(theirs):
        names["__call__"] = lambda self, *args, **kwargs: _answer(self, "__call__", *args, **kwargs)
    made = type(theirs.__name__, (Followed,), names)
    for name in dir(theirs):
        if isinstance(inspect.getattr_static(theirs, name), classmethod) and not name.startswith("_"):
            setattr(made, name, classmethod(functools.partial(_made_by, name=name)))
    jax.tree_util.register_pytree_node(made, _flat, functools.partial(_whole, made))
    return made


def _names(theirs: type) -> dict[str, Any]:
    """What objects of the class have; SciPy's may make one of a subclass."""
    return {name: getattr(c, name, None) for c in (*theirs.__subclasses__(), theirs) for name in dir(c)}


def _step(name: str, args: tuple, kwargs: dict) -> Step:
    """The call, with copies of NumPy's arrays: the user may write to them."""
    copied = jax.tree.map(lambda x: x.copy() if isinstance(x, np.ndarray) else x, (args, kwargs))
    return name, copied[0], tuple(copied[1].items())


def _fill(made: Followed, start: Any, steps: tuple[Step, ...]) -> Followed:
    vars(made).update(_start=start, _steps=steps)
    return made


def _made_by(cls: type[Followed], *args: Any, name: str, **kwargs: Any) -> Followed:
    """What a class method of SciPy's makes."""
    made = _fill(object.__new__(cls), cls.theirs, (_step(name, args, kwargs),))
    _kept(made)
    return made


def _kept(own: Followed) -> Any:
    """SciPy's object, made once; None where a number in it is traced."""
    if "_kept" not in vars(own):
        traced = any(isinstance(x, jax.core.Tracer) for x in jax.tree.leaves(own._steps))
        steps = jax.tree.map(
            lambda x: np.array(x) if isinstance(x, jax.Array) else x, () if traced else own._steps
        )
        vars(own)["_kept"] = None if traced else after(own._start, *steps)
    return vars(own)["_kept"]


def after(x: Any, *steps: Step) -> Any:
    """What comes of an object, or of a class, by these calls one after the other. An attribute stands for itself."""
    for name, args, options in steps:
        found = getattr(x, name) if name else x
        x = found(*args, **dict(options)) if callable(found) else found
    return x


def by_scipys(start: Any, *steps: Step) -> Any:
    """What comes of these calls, by SciPy's own code, which is followed."""
    return find(("followed", after, (start, *steps), {}, True))


def _answer(own: Followed, name: str, *args: Any, **kwargs: Any) -> Any:
    step, theirs = _step(name, args, kwargs), own.theirs
    kind = RETURN_OF.get(theirs.__name__, RETURN).get(name)
    if kind is not None:
        module = type(own).__module__
        home = importlib.import_module(module.replace("hostwrap", "scipy", 1))
        made = getattr(home, kind) if kind else theirs
        cls = class_of(getattr(made, "patched", made), module) if kind else type(own)
        return _fill(object.__new__(cls), own._start, (*own._steps, step))
    kept = _kept(own)
    return by_scipys(own._start, *own._steps, step) if kept is None else by_scipys(kept, step)


_MOVING = (jax.Array, np.ndarray, np.floating, np.complexfloating, float, complex)


def _moves(x: Any) -> bool:
    """Whether it is a leaf for JAX: an array, a number, or what JAX puts in place of one, such as a
    `ShapeDtypeStruct` or, before JAX 0.10, an array of a class of its own."""
    return isinstance(x, _MOVING) or (type(x).__module__.partition(".")[0] == "jax" and hasattr(x, "shape"))


def _flat(own: Followed) -> tuple[list, tuple]:
    leaves, tree = jax.tree.flatten(own._steps)
    moving = [_moves(x) for x in leaves]
    fixed = tuple(None if m else x for x, m in zip(leaves, moving, strict=True))
    return [x for x, m in zip(leaves, moving, strict=True) if m], (own._start, tree, tuple(moving), fixed)


def _whole(cls: type[Followed], fixed: tuple, leaves: Iterable[Any]) -> Followed:
    start, tree, moving, rest = fixed
    given = iter(leaves)
    steps = jax.tree.unflatten(tree, [next(given) if m else x for m, x in zip(moving, rest, strict=True)])
    return _fill(object.__new__(cls), start, steps)

"""Call a function of NumPy or SciPy on stand-ins: by its twin, by its own Python code, or raise."""

from __future__ import annotations

import functools
import importlib
import types
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap._copies.handlers import is_caught
from hostwrap._copies.retarget import Untraceable
from hostwrap._recipes.halves import as_read
from hostwrap._tracing import safer
from hostwrap._tracing.axes import at_the_end
from hostwrap._tracing.compiled.table import listed
from hostwrap._tracing.laws import of_one_shape, of_ufunc
from hostwrap._tracing.originals import named, original
from hostwrap._tracing.standin import METHODS, Stand, box, stacked
from hostwrap._tracing.traces import current, name_of, own_name
from hostwrap._tracing.twins import (
    COMPARISONS,
    COMPOSED,
    FOLLOWED,
    HOMES,
    IGNORED_OF_NUMPY,
    MODULES,
    RENAMED,
    SEQUENCES,
    SOLVERS,
    UFUNCS,
    ignored_of,
    written_by,
)
from hostwrap._tracing.two_axes import holds_matrix, of_function
from hostwrap._tracing.values import (
    LOOKED,
    OF_SELECTION,
    Twin,
    calls_back,
    has_traced,
    hashable,
    is_traced,
    raw,
    reaches,
    refuse_callbacks,
)

# ---- ufuncs


def _scipy_ufunc(ufunc: np.ufunc) -> Any:
    from hostwrap import special  # these two take a while to load
    from hostwrap._tracing.inxla import in_xla

    name = ufunc.__name__
    if name in COMPOSED:
        return functools.partial(COMPOSED[name], special)
    public = getattr(importlib.import_module("scipy.special"), name, None)
    for candidate in (name, UFUNCS.get(name, ""), name.lstrip("_")):
        found = getattr(special, candidate, None) if candidate else None
        same = candidate != name or public is ufunc or name.startswith("_")
        if same and type(found).__module__.startswith("hostwrap"):
            return in_xla(found)
    if (law := of_ufunc(ufunc)) is not None:
        method, arguments = of_one_shape(law[0]), law[1]
        return functools.wraps(method, updated=())(lambda *args: method(*arguments(*args)))
    return None


@functools.cache
def twin_of_ufunc(ufunc: np.ufunc) -> Any:
    """The JAX function in place of the ufunc, or None."""
    known = getattr(np, ufunc.__name__, None)
    if known is ufunc:
        name = RENAMED.get(ufunc.__name__, ufunc.__name__)
        found = getattr(safer if name in safer.__all__ else jnp, name, None)
        return found or FUNCTIONS.get(ufunc)
    return _scipy_ufunc(ufunc)


def _loop_types(ufunc: np.ufunc, args: tuple) -> Any:
    """The dtypes of NumPy's loop for these arguments. Python numbers have no width of their own."""
    given = (
        type(x) if type(x) in (int, float, complex) else np.result_type(getattr(x, "dtype", x)) for x in args
    )
    try:
        return ufunc.resolve_dtypes((*given, *[None] * ufunc.nout))
    except TypeError:
        return None


def _in_loop(ufunc: np.ufunc, args: tuple) -> tuple:
    """The arguments in the dtypes of NumPy's loop, as far as they are arrays."""
    if getattr(np, ufunc.__name__, None) is not ufunc or (chosen := _loop_types(ufunc, args)) is None:
        return args
    return tuple(
        x.astype(jax.dtypes.canonicalize_dtype(d))
        if hasattr(x, "astype") and d.kind in "fc" and x.dtype != d
        else x
        for x, d in zip(args, chosen, strict=False)
    )


def _spread(values: tuple) -> tuple:
    """Broadcast traced operands to the shape of the result, so that `untaken` can hold single elements fixed."""
    shape = np.broadcast_shapes(*map(np.shape, values))
    return tuple(jnp.broadcast_to(v, shape) if is_traced(v) else v for v in values)


def call_ufunc(ufunc: np.ufunc, args: tuple, kwargs: dict) -> Any:
    outs = kwargs.pop("out", None)
    outs = args[ufunc.nin :] if outs is None else outs if isinstance(outs, tuple) else (outs,)
    if ufunc.signature and set(kwargs) & {"axis", "axes", "keepdims"}:
        moved, placed = at_the_end(ufunc, list(map(stacked, args[: ufunc.nin])), kwargs)
        result = placed(call_ufunc(ufunc, moved, kwargs))
        return _put(outs[0], result.value) if outs else result
    where, dtype = raw(kwargs.pop("where", True)), raw(kwargs.pop("dtype", None))
    inputs = [stacked(x) for x in args[: ufunc.nin]]
    masks = {id(x.mask): x.mask for x in inputs if isinstance(x, Stand) and x.mask is not None}
    if masks and (len(masks) > 1 or any(isinstance(x, Stand) and x.mask is None and x.ndim for x in inputs)):
        raise Untraceable("a selection x[mask] meets an array that is selected otherwise", LOOKED)
    values = tuple(x.value if isinstance(x, Stand) else raw(x) for x in inputs)
    values = tuple(np.asarray(v) if isinstance(v, list | tuple) else v for v in values)
    if dtype is not None:
        values = tuple(jnp.asarray(v).astype(dtype) for v in values)
    twin = twin_of_ufunc(ufunc)
    if twin is None:
        raise Untraceable(f"{name_of(ufunc)} has no twin in JAX", "Write a rule")
    kind = all(is_traced(v) or np.isscalar(v) for v in values) and ufunc.__name__ in COMPARISONS
    key = (ufunc.__name__, *(id(v) if is_traced(v) else v for v in values)) if kind else None
    if key is not None and key in (trace := current()).masks:
        results = trace.masks[key][0]
    else:
        # matrices do not broadcast like elements
        given = values if ufunc.signature else _spread(values)
        results = _noted(ufunc, twin)(*_in_loop(ufunc, given))
        if key is not None:
            trace.masks[key] = results, values
    several = isinstance(results, tuple | list)
    boxed = [Stand(r, scalar=r.ndim == 0) for r in map(jnp.asarray, results if several else (results,))]
    for r in boxed:
        r.mask = next(iter(masks.values()), None)
    if where is not True:
        boxed = [
            _where_given(r, where, outs[i] if outs and outs[i] is not None else None)
            for i, r in enumerate(boxed)
        ]
    if any(o is not None for o in outs):
        boxed = [r if o is None else _put(o, r.value) for r, o in zip(boxed, outs, strict=True)]
    return tuple(boxed) if several else boxed[0]


def _where_given(r: Stand, where: Any, out: Any) -> Stand:
    return Stand(jnp.where(where, r.value, raw(out) if out is not None else jnp.zeros_like(r.value)))


def _put(out: Any, value: Any) -> Any:
    if not isinstance(out, Stand):
        raise Untraceable("out= is an array that the function did not make")
    out.set(value)
    return out


def call_method(function: Any, args: tuple, kwargs: dict) -> Any:
    """`ufunc.reduce`, `accumulate`, `outer` and `at`."""
    ufunc, method = function.__self__, function.__name__
    twin = twin_of_ufunc(ufunc)
    out = kwargs.pop("out", None)
    out = out[0] if isinstance(out, tuple) else out
    kwargs = {k: _array(v) for k, v in kwargs.items() if v is not np._NoValue and k not in IGNORED_OF_NUMPY}
    if method == "outer":
        a, b = map(_array, args)
        return box(_noted(ufunc, twin)(jnp.reshape(a, np.shape(a) + (1,) * np.ndim(b)), b))
    if not isinstance(twin, jnp.ufunc):
        twin = jnp.frompyfunc(twin, nin=ufunc.nin, nout=ufunc.nout)
    if method == "at":
        target, index, *more = args
        index = tuple(map(_array, index)) if isinstance(index, tuple) else _array(index)
        return target.set(twin.at(jnp.asarray(target.value), index, *map(_array, more), inplace=False))
    masked = args[0] if isinstance(args[0], Stand) and args[0].mask is not None else None
    if masked is not None:
        return _reduced(ufunc, masked, args[1:], kwargs)
    result = box(getattr(twin, method)(jnp.asarray(_array(args[0])), *map(_array, args[1:]), **kwargs))
    return result if out is None else _put(out, result.value)


def _array(x: Any) -> Any:
    """Make an array of a list: JAX takes no lists for arrays."""
    x = raw(stacked(x))
    return np.asarray(x) if isinstance(x, list) else x


def _reduced(function: Any, x: Stand, args: tuple, kwargs: dict) -> Any:
    """A reduction of a selection `x[mask]`: elements outside of the mask do not count."""
    name = function.__name__
    kwargs = {k: v for k, v in kwargs.items() if v is not None and v is not np._NoValue and k != "keepdims"}
    v, mask = x.value, x.mask
    whole = not (args or kwargs) or (args in ((), (None,)) and kwargs in ({}, {"axis": 0}))
    result = OF_SELECTION.get(name)
    if result is None or not whole:
        raise Untraceable(f"numpy.{name} of a selection x[mask] whose mask depends on numbers", LOOKED)
    return Stand(result(v, mask), scalar=True)


# ---- functions


def call(function: Any, args: tuple, kwargs: dict) -> Any:
    """Call a function of NumPy or SciPy on stand-ins: the function itself if nothing is traced, else its twin."""
    function, args = original(function), listed(function, args)
    if holds_matrix(args):
        return of_function(function, args, kwargs)
    impl = FUNCTIONS.get(function) if hashable(function) else None
    solver = solver_of(function)
    if not (reaches([args, kwargs], has_traced) if solver else has_traced(args) or has_traced(kwargs)):
        return impl(*args, **kwargs) if impl in ALWAYS else by_numpy(function, args, kwargs)
    current().count()
    if _may_be_singular(function):
        refuse_caught(name_of(function))
    if isinstance(function, np.ufunc):
        return call_ufunc(function, args, dict(kwargs))
    if isinstance(getattr(function, "__self__", None), np.ufunc):
        return call_method(function, args, dict(kwargs))
    if impl is not None:
        current().note(function, getattr(impl, "jax", "itself"))
        return impl(*args, **kwargs)
    masked = next((x for x in args if isinstance(x, Stand) and x.mask is not None), None)
    if masked is not None and args[0] is masked:
        return _reduced(function, masked, args[1:], kwargs)
    twin, follow = twin_of(function), python_code(function)
    if twin is None and follow is None:
        raise Untraceable(f"{name_of(function)} is compiled code and has no twin in JAX", "Write a rule")
    if twin is not None and solver:
        current().rough = max(current().rough, SOLVERS[solver])
        kwargs = {k: for_twin(v) for k, v in kwargs.items()}
        return box(_noted(function, twin)(*map(for_twin, args), **kwargs))
    if twin is not None:
        try:
            return by_twin(function, twin, args, dict(kwargs))
        except (TypeError, NotImplementedError, ValueError):
            if follow is None:
                raise
    current().note(function, "its own Python code")
    return FOLLOW[0](follow, own=True)(*args, **kwargs)


def refuse_caught(name: str) -> None:
    if is_caught():
        raise Untraceable(
            f"`except` catches errors of {name}: whether there is one depends on numbers", LOOKED
        )


def _may_be_singular(function: Any) -> bool:
    return str(getattr(function, "__module__", "")).startswith(("numpy.linalg", "scipy.linalg"))


def by_twin(function: Any, twin: Any, args: tuple, kwargs: dict) -> Any:
    while args and args[-1] is np._NoValue:
        args = args[:-1]
    out = kwargs.pop("out", None)
    out = out[0] if isinstance(out, tuple) else out
    ignored = ignored_of(name_of(function))
    kwargs = {k: for_twin(v) for k, v in kwargs.items() if k not in ignored and v is not np._NoValue}
    listed = getattr(function, "__name__", "") in SEQUENCES
    given = [for_twin(x if listed else stacked(x)) for x in args]
    if listed:
        given = [
            [for_twin(stacked(e)) for e in x] if isinstance(x, list | tuple) and has_traced(x) else x
            for x in given
        ]
    if str(getattr(twin, "__module__", "")).startswith("hostwrap.special"):
        given = list(_spread(tuple(given)))
    read, kwargs = as_read(jnp, function, tuple(given), kwargs)
    try:
        result = _noted(function, twin)(*read, **kwargs)
    except TypeError:  # JAX takes no lists in place of arrays
        result = twin(*(np.asarray(x) if type(x) is list and not listed else x for x in read), **kwargs)
    result = box(result)
    return result if out is None else _put(out, result.value)


def for_twin(x: Any) -> Any:
    """The arguments of a twin: a user's function becomes one of JAX arrays; a type, such as `int`, is a dtype."""
    if isinstance(x, types.FunctionType | types.MethodType | functools.partial | Twin):
        return raw(x) if isinstance(raw(x), type) else _in_jax(x)
    if type(x) is dict:
        return {key: for_twin(value) for key, value in x.items()}
    if type(x) in (list, tuple) and any(callable(e) or type(e) is dict for e in x):
        return type(x)(map(for_twin, x))
    return raw(x)


def _in_jax(f: Callable) -> Callable:
    """The user's function on JAX arrays, with the parameters of the original."""

    @functools.wraps(f, updated=())
    def call(*args: Any, **kwargs: Any) -> Any:
        with current().inside():
            result = f(*box(args), **box(kwargs))
        return tuple(raw(stacked(x)) for x in result) if _is_ragged(result) else raw(stacked(result))

    return call


def _is_ragged(x: Any) -> bool:
    """Whether it is a tuple of results that are not the rows of one array."""
    return type(x) is tuple and len({np.shape(raw(stacked(e))) for e in x}) > 1


def by_numpy(function: Any, args: tuple, kwargs: dict) -> Any:
    """Call NumPy itself. If it returns an argument, return the stand-in of that argument."""
    outs = [x for x in (*written_by(function, args), *_flat(kwargs.get("out"))) if isinstance(x, Stand)]
    for x in outs:
        x.set(x.value) if x.frozen else x.own()
    given = {id(x.value): x for x in (*args, *kwargs.values(), *outs) if isinstance(x, Stand)}
    if calls_back(function):
        refuse_callbacks(function, (*args, *kwargs.values()), has_traced)
    result = function(*map(raw, args), **{k: raw(v) for k, v in kwargs.items()})
    return box(result) if (found := given.get(id(result))) is None else found


def _flat(x: Any) -> tuple:
    return x if isinstance(x, tuple) else (x,)


def python_code(function: Any) -> Any:
    """The Python code of a NumPy function, behind its dispatcher; None if it only calls a method of the same name."""
    if name_of(function).removeprefix("numpy.") in METHODS | {"sort", "partition"}:
        return None
    found = getattr(function, "_implementation", None) or getattr(function, "__wrapped__", None) or function
    found = getattr(found, "__wrapped__", found)
    home = str(getattr(found, "__module__", "")).split(".")[0]
    return found if isinstance(found, types.FunctionType) and home in ("numpy", "scipy") else None


def solver_of(function: Any) -> str | None:
    """The SciPy module of a solver with a twin, else None. (Its functions may close over traced values.)"""
    module = getattr(function, "__module__", None) or ""
    home = next((m for m in SOLVERS if module.startswith(m + ".")), None)
    return home if home and hashable(function) and twin_of(function) is not None else None


@functools.cache
def twin_of(function: Any) -> Any:
    """The JAX function of the same name; None if there is none, or if the function is not public."""
    name, module = own_name(function), getattr(function, "__module__", "") or ""
    public = next((m for m in MODULES if module == m or module.startswith(m + ".")), None)
    if public == "numpy" or public is None:
        homes = ("numpy", "numpy.linalg", "numpy.fft")
        public = next((m for m in homes if named(m, name) is function), None)
    elif named(public, name) is not function:
        return None
    if public is None or f"{public}.{name}" in FOLLOWED:
        return None
    for place in MODULES[public]:
        home = importlib.import_module(place)
        if place.startswith("hostwrap.") and hasattr(home, "__all__") and name not in dir(home):
            continue  # the module only says where to find the function
        found = getattr(home, RENAMED.get(name, name) if public == "numpy" else name, None)
        if original(getattr(found, "follows", None)) is function:  # it is the traced code of this function
            continue
        if callable(found) and found is not function and not isinstance(found, type):
            return found
    return None


# ---- tables of replacements


def _noted(function: Any, twin: Any) -> Any:
    module = getattr(twin, "__module__", None) or type(twin).__module__
    home = next((HOMES[m] for m in HOMES if module.startswith(m)), module)
    current().note(function, f"{home}.{getattr(twin, '__name__', '')}")
    return twin


FUNCTIONS: dict[Any, Callable] = {}
ALWAYS: set[Callable] = set()
IN_PYTHON: dict[str, dict[str, Any]] = {}  # by module: the replacements of its Python functions
FOLLOW: list[Callable] = []  # `functions` adds the function that copies Python code

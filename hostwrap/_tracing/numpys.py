"""Call a NumPy function on JAX arrays: by its twin, or by tracing its own code, as `wrap` does."""

from __future__ import annotations

import copy
import functools
import types
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap._copies.results import as_tree, is_result
from hostwrap._copies.retarget import Untraceable
from hostwrap._errors import MissingDerivative
from hostwrap._host.origins import finder
from hostwrap._tracing.functions import follow, replaced
from hostwrap._tracing.standin import box
from hostwrap._tracing.traces import is_nested, tracing
from hostwrap._tracing.tried import tried
from hostwrap._tracing.untaken import untaken_held
from hostwrap._tracing.values import raw

_JITTED: type = type(jnp.cos)
LONGEST = 5000  # operations: what is longer would be compiled for minutes


@finder("numpys")
def on_jax(
    function: Any, args: tuple, kwargs: dict, made: Callable[[Any], Any] = box, own_code: bool = False
) -> Any:
    """Call the function on JAX arrays, as in a traced wrapped function. `made` makes the stand-ins of arguments.

    With `own_code` its own Python code is traced, even if it has a twin.
    """
    name = getattr(function, "__name__", str(function))
    if (getattr(function, "__module__", "") or "").startswith("scipy.special"):
        from hostwrap import special  # `import hostwrap` does without its files

        if name in dir(special):
            return getattr(special, name)(*args, **kwargs)

    def boxed(x: Any) -> Any:
        return with_own(x, box) if callable(x) and closes_over_tracer(x) else made(x)

    found = function if own_code else replaced(function)
    own = with_own(function, box) if found is function and closes_over_tracer(function) else function
    stand_in = follow(own, own_code) if found is function else found

    def call(args: tuple, kwargs: dict) -> Any:
        with tracing(LONGEST):
            found = raw(stand_in(*map(boxed, args), **{key: boxed(value) for key, value in kwargs.items()}))
            return jax.tree.map(raw, as_tree(found))

    try:
        return (call if is_nested() or found is not function else _held(call))(args, kwargs)
    except (Untraceable, TypeError, AttributeError, RecursionError) as refusal:
        raise MissingDerivative(str(refusal)) from None


def _held(call: Callable[[tuple, dict], Any]) -> Callable[[tuple, dict], Any]:
    """The same function, in which branches that are not taken have no derivative; see `untaken`."""

    def held(args: tuple, kwargs: dict) -> Any:
        leaves, tree = jax.tree.flatten((args, kwargs))
        places = [i for i, x in enumerate(leaves) if isinstance(x, jax.Array)]
        found: list[Any] = []

        def run(*arrays: Any) -> list:
            given = {**dict(enumerate(leaves)), **dict(zip(places, arrays, strict=True))}
            found[:] = jax.tree.flatten(call(*jax.tree.unflatten(tree, given.values())))
            return [x for x in found[0] if isinstance(x, jax.Array)]

        arrays = untaken_held(run)(*(leaves[i] for i in places))
        results, out_tree = found
        if not all(isinstance(x, jax.Array) or _is_plain(x) for x in results):
            return call(args, kwargs)  # an object may hold numbers that are not seen here
        moving = iter(arrays)
        return jax.tree.unflatten(
            out_tree, [next(moving) if isinstance(x, jax.Array) else x for x in results]
        )

    return held


def _is_plain(x: Any) -> bool:
    return isinstance(x, str | int | float | complex | np.generic | np.ndarray)


@finder("followed")
def followed(function: Any, args: tuple, kwargs: dict, own_code: bool = False) -> Any:
    """A function of SciPy on JAX arrays: itself on concrete ones; else its traced code, or a host call of it."""
    # the code that calls it is traced, and goes on with its arrays, not with copies
    if own_code and is_nested():
        raise MissingDerivative(f"{function.__name__} is called in traced code")
    if matrices := _matrices(args, kwargs):
        from scipy.sparse import coo_array

        rest = [None if i in matrices else x for i, x in enumerate(args)]
        more = {key: x for key, x in kwargs.items() if key not in matrices}
        given = function, coo_array, tuple(matrices.items()), tuple(rest), tuple(more.items())
        return followed(_with_matrices, given, {}, True)
    if holds_jax((args, kwargs), jax.core.Tracer):
        try:
            return on_jax(function, args, kwargs, own_code=own_code)
        except (MissingDerivative, ValueError) as refusal:  # a ValueError may be one of stand-ins alone
            # in traced code the caller goes on; what a function closes over has no place in a host call
            if is_nested() or any(callable(x) and closes_over_tracer(x) for x in (*args, *kwargs.values())):
                raise
            try:
                return tried(function, args, kwargs)
            except Untraceable as unknown:
                if isinstance(refusal, ValueError):
                    raise refusal from None
                raise MissingDerivative(
                    f"{refusal}; nor can it be called on the host: {unknown.reason}"
                ) from None
    return _scipys_own(function, args, kwargs)


@finder("concrete")
def concrete(function: Any, args: tuple, kwargs: dict) -> Any:
    """A function of SciPy on concrete arrays. Nothing that it gets may be traced, or may close over what is."""
    if is_nested() or holds_jax((args, kwargs), jax.core.Tracer):
        raise MissingDerivative(f"{function.__name__} is called in a trace")
    return _scipys_own(function, args, kwargs)


def _scipys_own(function: Any, args: tuple, kwargs: dict) -> Any:
    of_jax = lambda x: jnp.asarray(x) if isinstance(x, np.ndarray | np.number) else x
    given = jax.tree.map(_of_numpy, (args, kwargs))
    # a result that has methods keeps the numbers that they take
    return jax.tree.map(of_jax, function(*given[0], **given[1]), is_leaf=is_result)


def _of_numpy(x: Any) -> Any:
    if isinstance(x, types.FunctionType | functools.partial | _JITTED):
        return _OfNumpy(x)  # type: ignore[arg-type]  # of the user, perhaps in JAX
    return np.array(x) if isinstance(x, jax.Array) else x  # SciPy may write to it


class _OfNumpy:
    """A function of which each array is one of NumPy. Other processes get it as they get the function."""

    __wrapped__: Callable

    def __init__(self, function: Callable) -> None:
        functools.update_wrapper(self, function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return jax.tree.map(_of_numpy, self.__wrapped__(*args, **kwargs))


def _matrices(args: tuple, kwargs: dict) -> dict[int | str, tuple]:
    """The sparse arrays of JAX among the arguments, by place or name: data, rows, columns and shape of each."""
    given = {**dict(enumerate(args)), **kwargs}
    kinds = {
        place: x for place, x in given.items() if type(x).__module__.startswith("jax.experimental.sparse")
    }
    if not kinds:
        return {}
    from hostwrap.sparse._operators import entries

    return {place: tuple(entries("sparse", x)) for place, x in kinds.items()}


def _with_matrices(function: Any, made: Any, matrices: tuple, args: tuple, kwargs: tuple) -> Any:
    """The function, given sparse arrays of SciPy."""
    given = {**dict(enumerate(args)), **dict(kwargs)}
    for place, (data, row, column, shape) in matrices:
        given[place] = made((data, (row, column)), shape=shape).tocsr()
    more = {key: x for key, x in given.items() if isinstance(key, str)}
    return function(*[given[i] for i in range(len(args))], **more)


def holds_jax(x: Any, kind: type = jax.Array, seen: frozenset[int] = frozenset()) -> bool:
    if isinstance(x, list | tuple):
        return any(holds_jax(e, kind, seen) for e in x)
    if isinstance(x, dict):
        return any(holds_jax(e, kind, seen) for e in x.values())
    return isinstance(x, kind) or (callable(x) and closes_over_tracer(x, seen))


def closes_over_tracer(function: Any, seen: frozenset[int] = frozenset()) -> bool:
    """Whether a function closes over a traced number; then its results are traced, too. `seen` are objects that are
    being looked at: an object may have its own methods as attributes."""
    owner = id(getattr(function, "__self__", function))
    if owner in seen:
        return False
    found: list[Any] = []
    with_own(function, lambda x: found.append(x) or x)  # type: ignore[func-returns-value]
    return any(holds_jax(x, jax.core.Tracer, seen | {owner}) for x in found)


def with_own(function: Any, change: Callable[[Any], Any], depth: int = 4) -> Any:
    """A copy of the function with changed captured values: closures, defaults, `functools.partial`, methods."""

    def inner(x: Any) -> Any:
        return with_own(x, change, depth - 1) if depth and callable(x) else change(x)

    if isinstance(function, functools.partial):
        keywords = {key: inner(value) for key, value in function.keywords.items()}
        return functools.partial(inner(function.func), *map(inner, function.args), **keywords)
    if isinstance(function, types.MethodType) and hasattr(function.__self__, "__dict__"):
        try:
            owner = copy.copy(function.__self__)
        except Exception:  # as a pool of processes, which cannot be copied
            return function
        vars(owner).update({key: change(value) for key, value in vars(function.__self__).items()})
        return types.MethodType(function.__func__, owner)
    if not isinstance(function, types.FunctionType) or not (
        function.__closure__ or function.__defaults__ or function.__kwdefaults__
    ):
        return function
    cells = [_cell(c, inner) for c in function.__closure__ or ()]
    defaults = function.__defaults__ and tuple(map(inner, function.__defaults__))
    new = types.FunctionType(
        function.__code__, function.__globals__, function.__name__, defaults, tuple(cells)
    )
    new.__kwdefaults__ = function.__kwdefaults__ and {k: inner(v) for k, v in function.__kwdefaults__.items()}  # type: ignore[assignment]
    new.__dict__.update(function.__dict__)
    return functools.update_wrapper(new, function, updated=())


def _cell(cell: types.CellType, change: Callable[[Any], Any]) -> types.CellType:
    """A cell with the changed value; the same cell if nothing changes, because the function may write to it."""
    if cell == types.CellType():
        return cell
    new = change(cell.cell_contents)
    return cell if new is cell.cell_contents else types.CellType(new)

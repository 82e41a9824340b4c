"""Systems of equations, and linear least squares, in recorded code: SciPy solves them for concrete numbers.

See `implicit`. In least squares between bounds the numbers at a bound stay there, and the others are those of the
problem without bounds.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.optimize

from hostwrap._errors import ResultError
from hostwrap._recipes.extrema import FREE, LOWER, WEAK, active
from hostwrap._tracing.tape.array import concrete, holds, moves
from hostwrap._tracing.tape.implicit import at_value, corrected, jacobian
from hostwrap._tracing.tape.log import only_here
from hostwrap._tracing.tape.refusals import refused
from hostwrap._tracing.tape.rules import joined
from hostwrap._tracing.values import reaches


def instead(x: Any) -> Callable | None:
    """The replacement of such a function, or None."""
    name, module = getattr(x, "__name__", None), str(getattr(x, "__module__", None))
    known = _KNOWN.get(str(name)) if module.startswith("scipy.optimize.") else None
    return known and functools.partial(known, x)


# ---- equations

_WHOLE = ("success", "status", "message", "method", "nfev", "njev", "nit")


def _fsolve(function: Callable, *args: Any, **kwargs: Any) -> Any:
    given = inspect.signature(function).bind(*args, **kwargs).arguments
    found = _solved(
        function, given, "func", "fprime", lambda found: found[0] if isinstance(found, tuple) else found
    )
    if found is None or not isinstance(found[0], tuple):
        return function(*args, **kwargs) if found is None else found[1]
    (_, info, *rest), x, value = found
    return x, {"nfev": info["nfev"], "fvec": value}, *rest


def _root(function: Callable, *args: Any, **kwargs: Any) -> Any:
    given = inspect.signature(function).bind(*args, **kwargs).arguments
    found = _solved(function, given, "fun", "jac", lambda found: found.x)
    if found is None:
        return function(*args, **kwargs)
    result, x, value = found
    parts = {key: result[key] for key in _WHOLE if key in result}
    return scipy.optimize.OptimizeResult(x=x, fun=value, **parts)


def _iterative(function: Callable, *args: Any, **kwargs: Any) -> Any:
    given = dict(inspect.signature(function).bind(*args, **kwargs).arguments)
    given |= given.pop("kw", {})
    found = _solved(function, given, "F", "", lambda found: found)
    return function(*args, **kwargs) if found is None else found[1]


def _solved(function: Callable, given: dict[str, Any], of: str, slope: str, x_of: Callable) -> tuple | None:
    """SciPy's result, its x with derivatives, and the residual; None if nothing in the problem moves."""
    f, args, jac = given[of], given.get("args", ()), given.get(slope)
    args = args if isinstance(args, tuple) else (args,)
    if not reaches([f, args], moves):
        return None
    only_here()
    sizes: list[float] = []

    def residual(x: Any) -> Any:
        y = f(x, *args)
        return joined(y[0] if jac is True else y)

    def plain(x: Any) -> Any:
        y = concrete(residual(np.array(x)))
        sizes.append(float(np.max(np.abs(y), initial=0.0)))
        return y

    more = {k: concrete(v) for k, v in given.items() if k not in (of, slope, "args")}
    if callable(jac):
        more[slope] = lambda x: np.asarray(concrete(joined(jac(x, *args))))
    result = function(plain, **more)
    x = np.asarray(x_of(result))
    value = plain(x)
    name = f"scipy.optimize.{function.__name__}"
    if sizes[-1] > 1e-6 * max(sizes):
        raise refused(name, "the function is not 0 at the answer")
    inverse = inverse_of(name, jacobian(residual, x))
    y = corrected(x, residual, lambda off: np.reshape(inverse @ np.ravel(off), np.shape(x)))
    return result, y, value


def inverse_of(name: str, slopes: np.ndarray, what: str = "the Jacobian is") -> np.ndarray:
    n = int(np.sqrt(slopes.size))
    square = np.reshape(slopes, (n, n))
    if not (np.all(np.isfinite(square)) and np.linalg.matrix_rank(square) == n):
        raise refused(name, f"{what} singular at the answer")
    return np.linalg.inv(square)


# ---- linear least squares


def _shortest(name: str, x: np.ndarray, A: Any, b: Any, lower: Any, upper: Any) -> tuple[Any, Any]:
    """x with derivatives, and A x - b."""
    only_here()
    a0, b0 = concrete(A), concrete(b)
    calls = (None, lambda x: a0.T @ (a0 @ x - b0), None, None)
    try:
        side = active(x, {"lower": concrete(lower), "upper": concrete(upper)}, calls)["bound"]
    except ResultError as error:
        raise refused(name, str(error)) from error
    free = np.nonzero(side == FREE)[0]
    if np.any(side == WEAK) or np.linalg.matrix_rank(a0[:, free]) < len(free):
        raise refused(name, "the answer has a kink there, or there are many answers")
    held = np.where(side == FREE, 0.0, np.where(side == LOWER, lower, upper))
    place = np.eye(len(x))[:, free]
    right = b - np.matmul(A, held)
    y = at_value(x, held + np.matmul(place, np.matmul(np.linalg.pinv(A[:, free]), right)))
    return y, np.matmul(A, y) - b


def _nnls(function: Callable, A: Any, b: Any, *args: Any, **kwargs: Any) -> Any:
    if not holds([A, b]):
        return function(A, b, *args, **kwargs)
    A, b = joined(A), joined(b)
    x, size = function(concrete(A), concrete(b), *concrete(args), **concrete(kwargs))
    y, off = _shortest("scipy.optimize.nnls", x, A, b, np.zeros(len(x)), np.full(len(x), np.inf))
    return y, at_value(size, np.linalg.norm(off))


def _lsq_linear(function: Callable, *args: Any, **kwargs: Any) -> Any:
    if not reaches([args, kwargs], holds):
        return function(*args, **kwargs)
    given = inspect.signature(function).bind(*args, **kwargs).arguments
    A, b, bounds = joined(given.pop("A")), joined(given.pop("b")), given.pop("bounds", (-np.inf, np.inf))
    pair = (bounds.lb, bounds.ub) if hasattr(bounds, "lb") else bounds
    lower, upper = (joined(side) + np.zeros(np.shape(A)[1]) for side in pair)
    box = concrete(lower), concrete(upper)
    result = function(concrete(A), concrete(b), box, **{k: concrete(v) for k, v in given.items()})
    y, off = _shortest("scipy.optimize.lsq_linear", result.x, A, b, lower, upper)
    found = {"fun": at_value(result.fun, off), "cost": at_value(result.cost, 0.5 * np.sum(off * off))}
    parts = {key: result[key] for key in (*_WHOLE, "active_mask") if key in result}
    return scipy.optimize.OptimizeResult(x=y, **found, **parts)


_ITERATIVE = (
    "newton_krylov", "anderson", "broyden1", "broyden2", "diagbroyden", "excitingmixing", "linearmixing",
)  # fmt: skip
_KNOWN: dict[str, Callable] = {
    "fsolve": _fsolve, "root": _root, "nnls": _nnls, "lsq_linear": _lsq_linear,
    **dict.fromkeys(_ITERATIVE, _iterative),
}  # fmt: skip

"""Functions of linear algebra that read one half of a Hermitian matrix.

Such a function depends on that half only. Its derivative is 0 in the other half. In the half that it reads, the
derivative is twice that of the function of the full matrix. `as_read` returns the Hermitian matrix that the half stands
for, whose derivative has both properties.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

Read = Callable[[Any, Any], Any]  # of (NumPy or jax.numpy, matrix)


def _half(lower: bool, conjugate: bool = True) -> Read:
    def read(xp: Any, a: Any) -> Any:
        half = xp.tril(a, -1) if lower else xp.triu(a, 1)
        other = xp.swapaxes(half, -1, -2)
        diagonal = a * xp.eye(xp.shape(a)[-1])
        return (
            half + (xp.conj(other) if conjugate else other) + (xp.real(diagonal) if conjugate else diagonal)
        )

    return read


def _assumed(assume_a: Any = None, lower: bool = False, **_: Any) -> Read | None:
    match assume_a:
        case "sym" | "symmetric":
            return _half(lower, conjugate=False)
        case "her" | "hermitian" | "pos" | "positive definite":
            return _half(lower)
        case "lower triangular":
            return lambda xp, a: xp.tril(a)
        case "upper triangular":
            return lambda xp, a: xp.triu(a)
        case "diagonal":
            return lambda xp, a: a * xp.eye(xp.shape(a)[-1])
        case "tridiagonal":
            return lambda xp, a: xp.triu(xp.tril(a, 1), -1)
    return None


def _by_flag(lower: bool = False, **_: Any) -> Read:
    return _half(bool(lower))


def _by_letter(UPLO: str = "L", **_: Any) -> Read:
    return _half(UPLO.upper() == "L")


def _if_hermitian(hermitian: bool = False, **_: Any) -> Read | None:
    return _half(True) if hermitian else None


def _eigh(lower: bool = True, **_: Any) -> Read:
    return _half(bool(lower))


# By names, since SciPy is loaded when it is needed.
_READ: dict[str, Callable[..., Read | None]] = {
    "numpy.cholesky": lambda upper=False, **_: _half(not upper),
    **dict.fromkeys(("numpy.eigh", "numpy.eigvalsh"), _by_letter),
    **dict.fromkeys(("numpy.svd", "numpy.pinv"), _if_hermitian),
    **dict.fromkeys(("scipy.cholesky", "scipy.cho_factor"), _by_flag),
    **dict.fromkeys(("scipy.eigh", "scipy.eigvalsh", "scipy.pinvh", "scipy.ldl"), _eigh),
    **dict.fromkeys(("scipy.solve", "scipy.inv"), _assumed),
}


def as_read(xp: Any, function: Any, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
    """The arguments, with the first one replaced by the full Hermitian matrix that the function takes it for."""
    home, _, module = str(getattr(function, "__module__", "")).partition(".")
    name = f"{home}.{getattr(function, '__name__', '')}"
    if name not in _READ or module.split(".")[0] != "linalg":
        return args, kwargs
    given = inspect.signature(function).bind(*args, **kwargs).arguments
    read = _READ[name](**{key: x for key, x in given.items() if key not in "aA"})
    if read is None:
        return args, kwargs
    rest = {key: x for key, x in kwargs.items() if key not in "aA"}
    return (read(xp, given.get("a", given.get("A"))), *args[1:]), rest

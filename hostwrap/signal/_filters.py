"""SciPy's recursive filters, differentiable in the signal and the coefficients: forwards, in both directions, from a
state."""

from __future__ import annotations

from typing import Any, overload

import jax
import jax.numpy as jnp
import numpy as np
import scipy.signal

from hostwrap._errors import SignatureError, missing_derivative
from hostwrap._recipes.cores import arrays
from hostwrap._recipes.elsewhere import otherwise
from hostwrap._recipes.hosted import by_equation, hosted, resized, shaped
from hostwrap._types import ArrayLike
from hostwrap.signal import _recursions as recursions


def _moved(axis: int, *given: Any) -> list:
    return [x if x is None else jnp.moveaxis(x, axis, -1) for x in given]


def _back(axis: int, y: Any, state: Any) -> Any:
    y = jnp.moveaxis(y, -1, axis)
    return y if state is None else (y, jnp.moveaxis(state, -1, axis))


@hosted("b a x", lambda b, a, x, axis: shaped(x, None, a, b))
def _lfilter(b: Any, a: Any, x: Any, axis: int) -> Any:
    return scipy.signal.lfilter(b, a, x, axis)


def _residual(y: Any, b: Any, a: Any, x: Any, axis: int) -> Any:
    x, y = _moved(axis, x, y)
    return jnp.moveaxis(recursions.moving(a, y) - recursions.moving(b, x), -1, axis)


def _solved(args: tuple, right: Any, axis: int) -> Any:
    y = recursions.recursion(args[1], jnp.moveaxis(right, axis, -1))
    return jnp.moveaxis(y, -1, axis)


@hosted("b a c", lambda b, a, c, axis: shaped(c, None, a, b))
def _lfilter_back(b: Any, a: Any, c: Any, axis: int) -> Any:
    """From a zero state a filter is a triangular Toeplitz matrix: its transpose runs backwards in time."""
    return np.flip(scipy.signal.lfilter(b, a, np.flip(c, axis), axis), axis)


by_equation(
    _lfilter.hosted,  # type: ignore[attr-defined]
    _residual,
    _solved,
    lambda b, a, x, axis: _back(axis, recursions.filtered(b, a, jnp.moveaxis(x, axis, -1))[0], None),
    {"x": lambda c, b, a, x, axis: _lfilter_back(b, a, c, axis)},
)


def _with_state(b: Any, a: Any, x: Any, zi: Any, axis: int) -> Any:
    return _back(axis, *recursions.filtered(b, a, *_moved(axis, x, zi)))


def _filtered(b: Any, a: Any, x: Any, zi: Any, axis: int) -> Any:
    taps = max(b.size, a.size) - 1
    return shaped(x, None, a, b, zi), resized(x, axis, taps, a, b, zi)


@hosted("b a x zi", _filtered, _with_state)
def __lfilter(b: Any, a: Any, x: Any, zi: Any, axis: int) -> Any:
    return scipy.signal.lfilter(b, a, x, axis, zi)


@overload
def lfilter(b: ArrayLike, a: ArrayLike, x: ArrayLike, axis: int = -1, zi: None = None) -> jax.Array: ...
@overload
def lfilter(
    b: ArrayLike, a: ArrayLike, x: ArrayLike, axis: int = -1, *, zi: ArrayLike
) -> tuple[jax.Array, jax.Array]: ...
@overload
def lfilter(
    b: ArrayLike, a: ArrayLike, x: ArrayLike, axis: int, zi: ArrayLike
) -> tuple[jax.Array, jax.Array]: ...
def lfilter(b: ArrayLike, a: ArrayLike, x: ArrayLike, axis: int = -1, zi: ArrayLike | None = None) -> Any:
    """`scipy.signal.lfilter`, differentiable in the coefficients b and a, the signal x and the state zi, to any order.

    Args:
        b, a: [m], [n], real or complex.
        x: any shape; more signals by vmap.
        axis, zi: as in SciPy.

    Returns:
        y, shaped as x; with zi `(y, zf)`.

    >>> import jax, numpy as np
    >>> decay = lambda a: lfilter(np.ones(1), jax.numpy.stack([1.0, -a]), np.eye(4)[0])
    >>> print(jax.jacfwd(decay)(0.5))
    [0.   1.   1.   0.75]
    """
    b, a = map(jnp.atleast_1d, arrays("lfilter", b=b, a=a))
    return _lfilter(b, a, x, axis) if zi is None else __lfilter(b, a, x, zi, axis)


@hosted("sos c", lambda sos, c, axis: shaped(c, None, sos))
def _sosfilt_back(sos: Any, c: Any, axis: int) -> Any:
    return np.flip(scipy.signal.sosfilt(np.ascontiguousarray(sos[::-1]), np.flip(c, axis), axis), axis)


@hosted(
    "sos x",
    lambda sos, x, axis: shaped(x, None, sos),
    lambda sos, x, axis: _back(axis, recursions.sections(sos, jnp.moveaxis(x, axis, -1))[0], None),
    back={"x": lambda c, sos, x, axis: _sosfilt_back(sos, c, axis)},
)
def _sosfilt(sos: Any, x: Any, axis: int) -> Any:
    return scipy.signal.sosfilt(sos, x, axis)


def _with_states(sos: Any, x: Any, zi: Any, axis: int) -> Any:
    along = axis % x.ndim + 1
    y, state = recursions.sections(sos, jnp.moveaxis(x, axis, -1), jnp.moveaxis(zi, along, -1))
    return jnp.moveaxis(y, -1, axis), jnp.moveaxis(state, -1, along)


def _in_sections(sos: Any, x: Any, zi: Any, axis: int) -> Any:
    y = shaped(x, None, sos, zi)
    return y, shaped(zi, None, y)


@hosted("sos x zi", _in_sections, _with_states)
def __sosfilt(sos: Any, x: Any, zi: Any, axis: int) -> Any:
    return scipy.signal.sosfilt(sos, x, axis, zi)


@overload
def sosfilt(sos: ArrayLike, x: ArrayLike, axis: int = -1, zi: None = None) -> jax.Array: ...
@overload
def sosfilt(
    sos: ArrayLike, x: ArrayLike, axis: int = -1, *, zi: ArrayLike
) -> tuple[jax.Array, jax.Array]: ...
@overload
def sosfilt(sos: ArrayLike, x: ArrayLike, axis: int, zi: ArrayLike) -> tuple[jax.Array, jax.Array]: ...
def sosfilt(sos: ArrayLike, x: ArrayLike, axis: int = -1, zi: ArrayLike | None = None) -> Any:
    """`scipy.signal.sosfilt`, differentiable in the sections sos [k, 6], the signal x and the state zi, to any order.

    SciPy wants `sos[:, 3]` to be 1; the derivative in it is 0.

    >>> import jax, numpy as np
    >>> section = np.array([[1.0, 0.0, 0.0, 1.0, -0.5, 0.0]])
    >>> print(jax.grad(lambda s: sosfilt(s, np.ones(3))[-1])(section))
    [[ 1.75  1.5   1.    0.   -2.   -1.  ]]
    """
    return _sosfilt(sos, x, axis) if zi is None else __sosfilt(sos, x, zi, axis)


@hosted("b a", lambda b, a: shaped(b, (max(b.size, a.size) - 1,), a), recursions.steady)
def lfilter_zi(b: ArrayLike, a: ArrayLike) -> jax.Array:
    """`scipy.signal.lfilter_zi`, differentiable in b and a.

    >>> import jax, numpy as np
    >>> print(jax.jacfwd(lambda a: lfilter_zi(np.ones(2), a), 0)(np.array([1.0, -0.5])).round(6))
    [[-7. -8.]]
    """
    return scipy.signal.lfilter_zi(b, a)


@hosted("sos", lambda sos: shaped(sos, (sos.shape[0], 2)), recursions.steady_sections)
def sosfilt_zi(sos: ArrayLike) -> jax.Array:
    """`scipy.signal.sosfilt_zi`, differentiable in the sections sos [k, 6]; see `sosfilt`.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda s: sosfilt_zi(s)[0, 0])(np.array([[1.0, 0.0, 0.0, 1.0, -0.5, 0.0]])))
    [[ 1.  2.  2.  0. -4. -4.]]
    """
    return scipy.signal.sosfilt_zi(sos)


def _padded(b: Any, a: Any, x: Any, axis: int, padtype: str | None, padlen: int | None) -> Any:
    b, a = jnp.atleast_1d(b), jnp.atleast_1d(a)
    edge = 3 * max(b.shape[0], a.shape[0]) if padlen is None else padlen
    state = recursions.steady(b, a)
    y = recursions.both_ways(
        lambda x, first: recursions.filtered(b, a, x, state * first)[0],
        jnp.moveaxis(x, axis, -1),
        padtype,
        edge,
    )
    return jnp.moveaxis(y, -1, axis)


@hosted("b a c", lambda b, a, c, **_: shaped(c, None, a, b))
def _filtfilt_back(b: Any, a: Any, c: Any, axis: int, padtype: str | None, padlen: int | None) -> Any:
    b, a = np.atleast_1d(b), np.atleast_1d(a)
    edge = 3 * max(len(b), len(a)) if padlen is None else padlen
    start = scipy.signal.lfilter_zi(b, a) if max(len(b), len(a)) > 1 else np.zeros(0)
    return recursions.both_ways_back(
        lambda x, *state: scipy.signal.lfilter(b, a, x, axis=-1, zi=state[0] if state else None),
        np.moveaxis(c, axis, -1), start, padtype, edge, axis,
    )  # fmt: skip


@hosted(
    "b a x",
    lambda b, a, x, **_: shaped(x, None, a, b),
    _padded,
    back={"x": lambda c, b, a, x, **how: _filtfilt_back(b, a, c, **how)},
)
def _filtfilt(b: Any, a: Any, x: Any, axis: int, padtype: str | None, padlen: int | None) -> Any:
    return scipy.signal.filtfilt(b, a, x, axis, padtype, padlen)


def filtfilt(
    b: ArrayLike, a: ArrayLike, x: ArrayLike, axis: int = -1, padtype: str | None = "odd", padlen: int | None = None,
    method: str = "pad", irlen: int | None = None,
) -> jax.Array:  # fmt: skip
    """`scipy.signal.filtfilt`: a filter forwards and backwards, differentiable in b, a and x, to any order.

    With method="gust" SciPy's own code is differentiated.

    >>> import jax, numpy as np
    >>> b, a = np.array([0.5, 0.5]), np.ones(1)
    >>> print(jax.grad(lambda x: filtfilt(b, a, x)[4])(np.zeros(9)))
    [0.   0.   0.   0.25 0.5  0.25 0.   0.   0.  ]
    """
    if method == "pad":
        return _filtfilt(b, a, x, axis, padtype, padlen)
    if method != "gust":
        raise SignatureError(f"filtfilt: method={method!r} must be 'pad' or 'gust'.")
    refusal = missing_derivative("filtfilt", "x", "the code of method='gust' cannot be followed here")
    return otherwise(scipy.signal.filtfilt, (b, a, x, axis, padtype, padlen, method, irlen), {}, refusal)


def _sosfiltfilt(sos: Any, x: Any, axis: int, padtype: str | None, padlen: int) -> Any:
    state = recursions.steady_sections(sos)

    def one_way(x: Any, first: Any) -> Any:
        starts = state.reshape(len(sos), *[1] * (x.ndim - 1), 2) * first
        return recursions.sections(sos, x, starts)[0]

    return jnp.moveaxis(recursions.both_ways(one_way, jnp.moveaxis(x, axis, -1), padtype, padlen), -1, axis)


@hosted("sos c", lambda sos, c, **_: shaped(c, None, sos))
def _sosfiltfilt_back(sos: Any, c: Any, axis: int, padtype: str | None, padlen: int) -> Any:
    return recursions.both_ways_back(
        lambda x, *state: scipy.signal.sosfilt(sos, x, -1, *state),
        np.moveaxis(c, axis, -1), scipy.signal.sosfilt_zi(sos), padtype, padlen, axis,
    )  # fmt: skip


@hosted(
    "sos x",
    lambda sos, x, **_: shaped(x, None, sos),
    _sosfiltfilt,
    back={"x": lambda c, sos, x, axis, padtype, padlen: _sosfiltfilt_back(sos, c, axis, padtype, padlen)},
)
def _sosfiltfilt_on_host(sos: Any, x: Any, axis: int, padtype: str | None, padlen: int) -> Any:
    return scipy.signal.sosfiltfilt(sos, x, axis, padtype, padlen)


def sosfiltfilt(
    sos: ArrayLike, x: ArrayLike, axis: int = -1, padtype: str | None = "odd", padlen: int | None = None
) -> jax.Array:
    """`scipy.signal.sosfiltfilt`, differentiable in the sections sos [k, 6] and the signal, to any order.

    Where sos is traced, `padlen` must be given: how long SciPy makes it depends on which coefficients are 0.

    >>> import jax, numpy as np
    >>> section = np.array([[0.5, 0.5, 0.0, 1.0, 0.0, 0.0]])
    >>> print(jax.grad(lambda x: sosfiltfilt(section, x)[4])(np.zeros(9)))
    [0.   0.   0.   0.25 0.5  0.25 0.   0.   0.  ]
    """
    if padlen is None:
        if isinstance(sos, jax.core.Tracer):
            taps = 3 * (2 * len(sos) + 1)
            raise SignatureError(
                f"sosfiltfilt: `sos` is traced; give padlen=, as {taps} without zeros in it."
            )
        given = np.asarray(sos)
        zeros = min((given[:, 2] == 0).sum(), (given[:, 5] == 0).sum())
        padlen = int(3 * (2 * len(given) + 1 - zeros))
    return _sosfiltfilt_on_host(sos, x, axis, padtype, padlen)

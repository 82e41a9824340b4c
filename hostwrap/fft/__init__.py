"""`scipy.fft`, differentiable: cosine, sine and Hankel transforms, Hermitian ones of several axes.

Fourier's transforms, and `hfft`, are in `jax.numpy.fft`.

They are linear. With its ends weighted each is orthogonal up to a factor, and its transpose is of the type that inverts
it: types 1 and 4 are symmetric, 2 and 3 transposes of each other.

Single precision stays single (it is computed in double), integers count as floating-point numbers, and complex ones
work where SciPy takes them. Shapes that do not fit raise `SignatureError`. What SciPy refuses raises SciPy's own error;
inside a compiled program that is `HostCallError`, which `hostwrap.last_error()` returns.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.fft

from hostwrap._host.memory import empty
from hostwrap._recipes.elsewhere import elsewhere
from hostwrap._recipes.hosted import hosted, resized, shaped
from hostwrap._recipes.scipys import F, as_scipys
from hostwrap._types import ArrayLike
from hostwrap.fft._hankel import fht, ifht

__all__ = [
    "dct", "dctn", "dst", "dstn", "fht", "hfft2", "hfftn", "idct", "idctn", "idst", "idstn", "ifht", "ihfft2", "ihfftn",
]  # fmt: skip


def __dir__() -> list[str]:
    """What completion shows."""
    return sorted(__all__)


if not TYPE_CHECKING:  # to checkers such a name is an error
    __getattr__ = elsewhere(__name__, __all__)


INVERSE = {1: 1, 2: 3, 3: 2, 4: 4}
SCALES = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}
# the ends that `orthogonalize` weighs by the square root of 2
ENDS = {("dct", 1): (0, -1), ("dct", 2): (0,), ("dct", 3): (0,), ("dst", 2): (-1,), ("dst", 3): (-1,)}


def _transform(name: str, x: Any, *args: Any, **given: Any) -> Any:
    """SciPy's, of the two parts of a complex array: of a whole one it does not hear `orthogonalize`."""
    transform = getattr(scipy.fft, name)
    if not np.iscomplexobj(x):
        return transform(x, *args, **given)
    real, imag = (transform(part, *args, **given) for part in (x.real, x.imag))
    whole = np.empty(real.shape, x.dtype)
    whole.real, whole.imag = real, imag
    return whole


def _weighted(x: np.ndarray, kind: str, type: int, axis: int, factor: float) -> np.ndarray:
    own = empty(x.shape, x.dtype)
    own[...] = x
    for end in ENDS.get((kind, type), ()):
        np.moveaxis(own, axis, -1)[..., end] *= factor
    return own


def _along(
    c: np.ndarray, n: int, kind: str, type: int, axis: int, norm: str | None, orthogonalize: bool | None
) -> np.ndarray:
    """The transpose of a transform that got n values, cut or with zeros.

    Orthogonal, types 2 and 3 are transposes of each other. Of the others type 2 has its end multiplied by sqrt(2) when
    it comes out, type 3 divided when it goes in, and type 1 both; of the transpose the order is the other way round.
    """
    plain = not (norm == "ortho" if orthogonalize is None else orthogonalize)
    if plain and type in (1, 2):
        c = _weighted(c, kind, type, axis, math.sqrt(2))
    own = {"overwrite_x": True} if plain and type in (1, 2) else {}
    y = _transform(kind, c, INVERSE[type], axis=axis, norm=norm, orthogonalize=True, **own)
    if plain and type in (1, 3):
        y = _weighted(y, kind, type, axis, math.sqrt(0.5))
    if y.shape[axis] == n:
        return y
    y = np.moveaxis(y, axis, -1)[..., :n]
    y = np.pad(y, [(0, 0)] * (y.ndim - 1) + [(0, n - y.shape[-1])])
    return np.moveaxis(y, -1, axis)


def _one(kind: str, inverse: bool) -> Callable[[F], F]:
    def transpose(
        c: np.ndarray, x: np.ndarray, type: int, n: int | None, axis: int, norm: Any, orthogonalize: Any
    ) -> np.ndarray:
        kind_of, scale = (INVERSE[type], SCALES[norm]) if inverse else (type, norm)
        return _along(c, x.shape[axis], kind, kind_of, axis, scale, _said(norm, orthogonalize))

    return hosted(
        "x",
        lambda x, n, axis, **_: resized(x, axis, x.shape[axis] if n is None else n),
        transpose={"x": transpose},
    )


def _many(kind: str, inverse: bool) -> Callable[[F], F]:
    def transpose(
        c: np.ndarray, x: np.ndarray, type: int, s: Any, axes: Any, norm: Any, orthogonalize: Any
    ) -> np.ndarray:
        kind_of, scale = (INVERSE[type], SCALES[norm]) if inverse else (type, norm)
        for axis in _axes(x, s, axes):
            c = _along(c, x.shape[axis], kind, kind_of, axis, scale, _said(norm, orthogonalize))
        return c

    def out(x: Any, s: Any, axes: Any, **_: Any) -> Any:
        sizes = list(x.shape)
        for axis, size in zip(_axes(x, s, axes), s or [], strict=False):
            sizes[axis] = sizes[axis] if size in (-1, None) else size
        return shaped(x, sizes)

    return hosted("x", out, transpose={"x": transpose})


def _said(norm: str | None, orthogonalize: bool | None) -> bool:
    return norm == "ortho" if orthogonalize is None else orthogonalize


def _axes(x: Any, s: Any, axes: Any) -> Sequence[int]:
    if axes is not None:
        return (axes,) if isinstance(axes, int) else axes
    return range(len(x.shape)) if s is None else range(-len(s), 0)


@as_scipys("scipy.fft")
@_one("dct", inverse=False)
def dct(
    x: ArrayLike, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None, *,
    orthogonalize: bool | None = None,
) -> jax.Array:  # fmt: skip
    """`scipy.fft.dct`, linear in x, real or complex; all types and norms.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda x: dct(x)[0])(np.zeros(3)))
    [2. 2. 2.]
    """
    return _transform("dct", x, type, n, axis, norm, orthogonalize=orthogonalize)


@as_scipys("scipy.fft")
@_one("dct", inverse=True)
def idct(
    x: ArrayLike, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None, *,
    orthogonalize: bool | None = None,
) -> jax.Array:  # fmt: skip
    """`scipy.fft.idct`, linear in x; see `dct`.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda x: idct(x).sum())(np.zeros(4)))
    [0.5 0.  0.  0. ]
    """
    return _transform("idct", x, type, n, axis, norm, orthogonalize=orthogonalize)


@as_scipys("scipy.fft")
@_one("dst", inverse=False)
def dst(
    x: ArrayLike, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None, *,
    orthogonalize: bool | None = None,
) -> jax.Array:  # fmt: skip
    """`scipy.fft.dst`, linear in x, real or complex; all types and norms.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda x: dst(x)[0])(np.zeros(3)).round(6))
    [1. 2. 1.]
    """
    return _transform("dst", x, type, n, axis, norm, orthogonalize=orthogonalize)


@as_scipys("scipy.fft")
@_one("dst", inverse=True)
def idst(
    x: ArrayLike, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None, *,
    orthogonalize: bool | None = None,
) -> jax.Array:  # fmt: skip
    """`scipy.fft.idst`, linear in x; see `dst`.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda x: idst(dst(x))[1])(np.zeros(3)).round(6) + 0)
    [0. 1. 0.]
    """
    return _transform("idst", x, type, n, axis, norm, orthogonalize=orthogonalize)


@as_scipys("scipy.fft")
@_many("dct", inverse=False)
def dctn(
    x: ArrayLike, type: int = 2, s: int | Sequence[int] | None = None, axes: int | Sequence[int] | None = None,
    norm: str | None = None, *, orthogonalize: bool | None = None,
) -> jax.Array:  # fmt: skip
    """`scipy.fft.dctn`, linear in x; see `dct`.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda x: dctn(x)[0, 0])(np.zeros((2, 2))))
    [[4. 4.]
     [4. 4.]]
    """
    return _transform("dctn", x, type, s, axes, norm, orthogonalize=orthogonalize)


@as_scipys("scipy.fft")
@_many("dct", inverse=True)
def idctn(
    x: ArrayLike, type: int = 2, s: int | Sequence[int] | None = None, axes: int | Sequence[int] | None = None,
    norm: str | None = None, *, orthogonalize: bool | None = None,
) -> jax.Array:  # fmt: skip
    """`scipy.fft.idctn`, linear in x; see `dct`.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda x: idctn(x).sum())(np.zeros((2, 2))))
    [[0.25 0.  ]
     [0.   0.  ]]
    """
    return _transform("idctn", x, type, s, axes, norm, orthogonalize=orthogonalize)


@as_scipys("scipy.fft")
@_many("dst", inverse=False)
def dstn(
    x: ArrayLike, type: int = 2, s: int | Sequence[int] | None = None, axes: int | Sequence[int] | None = None,
    norm: str | None = None, *, orthogonalize: bool | None = None,
) -> jax.Array:  # fmt: skip
    """`scipy.fft.dstn`, linear in x; see `dst`.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda x: dstn(x)[0, 0])(np.zeros((1, 3))).round(6))
    [[2. 4. 2.]]
    """
    return _transform("dstn", x, type, s, axes, norm, orthogonalize=orthogonalize)


@as_scipys("scipy.fft")
@_many("dst", inverse=True)
def idstn(
    x: ArrayLike, type: int = 2, s: int | Sequence[int] | None = None, axes: int | Sequence[int] | None = None,
    norm: str | None = None, *, orthogonalize: bool | None = None,
) -> jax.Array:  # fmt: skip
    """`scipy.fft.idstn`, linear in x; see `dst`.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda x: idstn(dstn(x))[0, 1])(np.zeros((1, 3))).round(6) + 0)
    [[0. 1. 0.]]
    """
    return _transform("idstn", x, type, s, axes, norm, orthogonalize=orthogonalize)


# ---- spectra of Hermitian arrays, which are real: with the scale of the inverse, of the conjugate

Axes = Sequence[int] | None


def _spectrum(x: Any, s: Axes, axes: Axes, norm: str | None) -> Any:
    return jnp.fft.irfftn(jnp.conj(x), s, axes, SCALES[norm])


def _half(x: Any, s: Axes, axes: Axes, norm: str | None) -> Any:
    return jnp.conj(jnp.fft.rfftn(x, s, axes, SCALES[norm]))


def _like(twin: Callable) -> Callable:
    return lambda x, **given: jax.eval_shape(functools.partial(twin, **given), x)


@as_scipys("scipy.fft")
@hosted("x", _like(_spectrum), _spectrum)
def hfftn(x: ArrayLike, s: Axes = None, axes: Axes = None, norm: str | None = None) -> jax.Array:
    """`scipy.fft.hfftn`: the real spectrum of a Hermitian array, of which x is one half; linear in x over the reals.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda x: hfftn(x)[0, 0])(np.ones((2, 2))))
    [[1. 1.]
     [1. 1.]]
    """
    return scipy.fft.hfftn(x, s, axes, norm)


@as_scipys("scipy.fft")
@hosted("x", _like(_half), _half)
def ihfftn(x: ArrayLike, s: Axes = None, axes: Axes = None, norm: str | None = None) -> jax.Array:
    """`scipy.fft.ihfftn`: the inverse of `hfftn`, of a real array.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda x: ihfftn(x)[0, 0].real)(np.ones((2, 2))))
    [[0.25 0.25]
     [0.25 0.25]]
    """
    return scipy.fft.ihfftn(x, s, axes, norm)


@as_scipys("scipy.fft")
def hfft2(x: ArrayLike, s: Axes = None, axes: Axes = (-2, -1), norm: str | None = None) -> jax.Array:
    """`scipy.fft.hfft2`: `hfftn` in two axes.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda x: hfft2(x)[0, 0])(np.ones((2, 2))))
    [[1. 1.]
     [1. 1.]]
    """
    return hfftn(x, s, axes, norm)


@as_scipys("scipy.fft")
def ihfft2(x: ArrayLike, s: Axes = None, axes: Axes = (-2, -1), norm: str | None = None) -> jax.Array:
    """`scipy.fft.ihfft2`: `ihfftn` in two axes.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda x: ihfft2(x)[0, 0].real)(np.ones((2, 2))))
    [[0.25 0.25]
     [0.25 0.25]]
    """
    return ihfftn(x, s, axes, norm)

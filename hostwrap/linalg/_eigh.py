"""Eigenvalues and eigenvectors of symmetric and Hermitian matrices, of one matrix or of a pair."""

from __future__ import annotations

import functools
from typing import Any, Literal, NamedTuple, overload

import jax
import jax.numpy as jnp
import numpy as np
import scipy.linalg

from hostwrap._errors import SignatureError
from hostwrap._recipes.cores import arrays, batched, inexact
from hostwrap._recipes.scipys import as_scipys
from hostwrap._types import ArrayLike
from hostwrap._wrap import wrap

_eigh_tridiagonal = wrap("(n),(k)->(n),(n,n)")(lambda d, e: scipy.linalg.eigh_tridiagonal(d, e))


def between(w: Any, moved: Any) -> Any:
    """c_ij / (w_j - w_i), and 0 on the diagonal.

    It is infinite where w_i and w_j are equal up to rounding, unless c_ij is 0: the quotient would be a wrong number.
    """
    same = jnp.eye(len(w), dtype=bool)
    gaps = w - w[:, None]
    size = jax.lax.stop_gradient(jnp.max(jnp.abs(w), initial=0.0))
    close = ~same & (jnp.abs(gaps) <= 8 * len(w) * jnp.finfo(w.dtype).eps * size)
    # Multiply twice: a number overflows, and 0 stays 0. XLA would divide by the product, which is 0.
    tiny = jnp.finfo(w.dtype).tiny ** 0.7
    quotient = jnp.where(same, 0.0, moved) / jnp.where(close, tiny, jnp.where(same, 1.0, gaps))
    return jax.lax.optimization_barrier(quotient) / jnp.where(close, tiny, 1.0)


@_eigh_tridiagonal.defjvp
def _eigh_tridiagonal_jvp(primals: Any, tangents: Any) -> tuple:
    """dw_i = v_i dT v_i, and dv_j has the part v_i dT v_j / (w_j - w_i) along v_i (Kato, II.2)."""
    w, v = _eigh_tridiagonal(*primals)
    dd, de = (jnp.zeros_like(p) if t is None else t for p, t in zip(primals, tangents, strict=True))
    inner = v.T @ (dd[:, None] * v)
    values = dd @ v**2  # eigenvalues need its diagonal only
    if de.size:
        inner += v[:-1].T @ (de[:, None] * v[1:]) + v[1:].T @ (de[:, None] * v[:-1])
        values += 2 * de @ (v[:-1] * v[1:])
    return (w, v), (values, v @ between(w, inner))


@as_scipys("scipy.linalg")
@batched("(n),(k)->(n),(n,n)")
def eigh_tridiagonal(d: ArrayLike, e: ArrayLike) -> tuple[jax.Array, jax.Array]:
    """`scipy.linalg.eigh_tridiagonal`: eigenvalues, ascending, and eigenvectors of a matrix.

    The matrix is real and symmetric, with the diagonal d [n] and e [n - 1] next to it.
    Derivatives of eigenvectors are infinite or NaN where eigenvalues coincide.

    >>> import jax, numpy as np
    >>> lowest = lambda d: eigh_tridiagonal(d, np.array([1.0]))[0][0]
    >>> print(jax.grad(lowest)(np.array([1.0, 1.0])).round(6))
    [0.5 0.5]
    """
    return _eigh_tridiagonal(d, e)


# ---- one matrix, or a pair


def hermitian(x: Any, lower: bool) -> Any:
    """The matrix that LAPACK reads: one triangle, and the real part of the diagonal."""
    side = jnp.tril(x, -1) if lower else jnp.triu(x, 1)
    diagonal = jnp.where(np.eye(x.shape[-1], dtype=bool), x.real, 0)
    return side + jnp.swapaxes(side.conj(), -1, -2) + diagonal.astype(x.dtype)


class _How(NamedTuple):
    """How LAPACK finds eigenvalues. Signs and phases of eigenvectors depend on all of it."""

    lower: bool
    driver: str | None = None
    chosen: tuple[int, int] | None = None  # the first and the last that are wanted; None for all
    pair: bool = True  # whether b counts; else it is 1
    numpy: bool = False  # NumPy has a LAPACK of its own

    def found(self, a: np.ndarray, b: np.ndarray, **kwargs: Any) -> Any:
        """What SciPy says of these matrices, or NumPy."""
        if self.numpy:
            return np.linalg.eigh(a, "L" if self.lower else "U")
        given, chosen = b if self.pair else None, self.chosen
        return scipy.linalg.eigh(
            a, given, lower=self.lower, driver=self.driver, subset_by_index=chosen, **kwargs
        )

    def part(self, n: int) -> slice:
        """Which of n eigenvalues are wanted."""
        return slice(None) if self.chosen is None else slice(self.chosen[0], self.chosen[1] + 1)

    def shapes(self, a: Any, b: Any) -> tuple:
        """Those of the eigenvalues and eigenvectors that are wanted."""
        n, dtype = a.shape[-1], jnp.result_type(a, b)
        k = len(range(n)[self.part(n)])
        return jax.ShapeDtypeStruct((k,), jnp.finfo(dtype).dtype), jax.ShapeDtypeStruct((n, k), dtype)


@wrap(out=lambda a, b, how: how.shapes(a, b), static=("how",))
def _pairs(a: np.ndarray, b: np.ndarray, how: _How) -> Any:
    w, v = how.found(a, b)
    return w, v.astype(np.result_type(a, b))


@wrap(out=lambda a, b, how: how._replace(chosen=None).shapes(a, b), static=("how",))
def _every(a: np.ndarray, b: np.ndarray, how: _How) -> Any:
    """All eigenvalues and eigenvectors, those that are wanted as `_pairs` has them."""
    w, v = how._replace(chosen=None, driver=None).found(a, b)
    if how.chosen is not None or how.driver is not None:
        part = how.part(len(a))
        w[part], v[:, part] = how.found(a, b)
    return w, v.astype(np.result_type(a, b))


@wrap(out=lambda a, b, how: how.shapes(a, b)[0], static=("how",))
def _values(a: np.ndarray, b: np.ndarray, how: _How) -> Any:
    return how.found(a, b, eigvals_only=True)


def _moves(primals: Any, tangents: Any, w: Any, v: Any) -> tuple:
    """v' (da - w_j db) v, and v' db v."""
    da, db = (jnp.zeros_like(p) if t is None else t for p, t in zip(primals, tangents, strict=True))
    inner = v.conj().T @ db @ v
    return v.conj().T @ da @ v - inner * w, inner


def _moved(primals: Any, tangents: Any, how: _How) -> tuple:
    """v' b v = 1: with c = v' (da - w_j db) v it is dw_j = c_jj, and dv_j has c_ij / (w_j - w_i) along v_i and
    -v_j' db v_j / 2 along itself; the phase is held (Giles, An extended collection of matrix derivative results)."""
    w, v = _every(*primals, how)
    moved, inner = _moves(primals, tangents, w, v)
    along = between(w, moved) - jnp.diag(jnp.diag(inner) / 2)
    return (w, v), (jnp.diagonal(moved).real, v @ along)


_every.defjvp(_moved)


@_pairs.defjvp
def _pairs_jvp(primals: Any, tangents: Any, how: _How) -> tuple:
    (w, v), (dw, dv) = _moved(primals, tangents, how)
    part = how.part(len(w))
    return (w[part], v[:, part]), (dw[part], dv[:, part])


@_values.defjvp
def _values_jvp(primals: Any, tangents: Any, how: _How) -> tuple:
    w, v = _pairs(*primals, how)
    return w, jnp.diagonal(_moves(primals, tangents, w, v)[0]).real


@overload
def eigh(
    a: ArrayLike, b: ArrayLike | None = None, *, lower: bool = True, eigvals_only: Literal[False] = False,
    type: int = 1, subset_by_index: tuple[int, int] | None = None, driver: str | None = None,
) -> tuple[jax.Array, jax.Array]: ...  # fmt: skip
@overload
def eigh(
    a: ArrayLike, b: ArrayLike | None = None, *, lower: bool = True, eigvals_only: Literal[True], type: int = 1,
    subset_by_index: tuple[int, int] | None = None, driver: str | None = None,
) -> jax.Array: ...  # fmt: skip
@as_scipys("scipy.linalg")
def eigh(
    a: ArrayLike, b: ArrayLike | None = None, *, lower: bool = True, eigvals_only: bool = False, type: int = 1,
    subset_by_index: tuple[int, int] | None = None, driver: str | None = None,
) -> Any:  # fmt: skip
    """`scipy.linalg.eigh`: w and v with `a v = w b v`, of a Hermitian a and a positive definite b, by default 1.

    Derivatives are in the triangle that is read, `lower` or not; those in the other one are 0. Those of eigenvalues are
    right where eigenvalues coincide if what you make of them does not depend on their order; those of eigenvectors are
    infinite or NaN there. The phase of a complex eigenvector is held.

    Args:
        a, b: [..., n, n], real or complex.
        type: 1; 2 for `a b v = w v`, 3 for `b a v = w v`.
        subset_by_index: the first and the last of the eigenvalues that are wanted; derivatives compute all.
        driver: LAPACK's routine, as in SciPy.

    Returns:
        w [n], ascending, and v [n, n], in columns; or w alone with eigvals_only=True.

    >>> import jax, numpy as np
    >>> smallest = lambda b: eigh(np.diag([2.0, 3.0]), b)[0][0]
    >>> print(jax.grad(smallest)(np.eye(2)))
    [[-2.  0.]
     [ 0.  0.]]
    """
    pair = b is not None
    a, b = _given(a, b)
    if type not in (1, 2, 3):
        raise SignatureError(f"eigh: type={type!r} must be 1, 2 or 3.")
    if subset_by_index is not None:
        first, last = subset_by_index
        if not 0 <= first <= last < a.shape[-1]:
            raise SignatureError(
                f"eigh: subset_by_index={subset_by_index!r} must be the first and the last of the eigenvalues, "
                f"from 0 to {a.shape[-1] - 1}."
            )
        subset_by_index = int(first), int(last)
    return _batched(a, b, eigvals_only, type, _How(bool(lower), driver, subset_by_index, pair))


@as_scipys("scipy.linalg")
def eigvalsh(
    a: ArrayLike,
    b: ArrayLike | None = None,
    *,
    lower: bool = True,
    type: int = 1,
    subset_by_index: tuple[int, int] | None = None,
    driver: str | None = None,
) -> jax.Array:
    """`scipy.linalg.eigvalsh`: the eigenvalues alone; see `eigh`.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda a: eigvalsh(a)[1])(np.diag([1.0, 2.0])))
    [[0. 0.]
     [0. 1.]]
    """
    return eigh(
        a, b, lower=lower, eigvals_only=True, type=type, subset_by_index=subset_by_index, driver=driver
    )


def numpys(a: Any, lower: bool) -> Any:
    """`np.linalg.eigh`: it may give eigenvectors other signs and phases than SciPy does."""
    return _batched(*_given(a, None), False, 1, _How(lower, pair=False, numpy=True))


def _given(a: Any, b: Any) -> list[jax.Array]:
    a, b = arrays("eigh", a=a, b=np.eye(np.shape(a)[-1]) if b is None and np.ndim(a) else b)
    if a.ndim < 2 or a.shape[-1] != a.shape[-2] or b.shape[-2:] != a.shape[-2:] or 0 in a.shape[-2:]:
        raise SignatureError(
            f"eigh: `a` and `b` must be square matrices of one size [..., n, n], got {a.shape}, {b.shape}."
        )
    dtype = inexact(a, b)
    return [x.astype(dtype if jnp.iscomplexobj(x) else jnp.finfo(dtype).dtype) for x in (a, b)]


@functools.partial(jax.jit, static_argnums=(2, 3, 4))
def _batched(a: Any, b: Any, alone: bool, type: int, how: _How) -> Any:
    def one(a: Any, b: Any) -> Any:
        a, b = hermitian(a, how.lower), hermitian(b, how.lower)
        if not how.pair or type == 1:
            return _values(a, b, how) if alone else _pairs(a, b, how)
        # a b v = w v: with c c' = b it is c' a c u = w u, and v = u / c'; with type 3 it is v = c u
        c = jnp.linalg.cholesky(b)
        inner, single = c.conj().T @ a @ c, how._replace(pair=False, driver=None)
        if alone:
            return _values(inner, b, single)
        w, u = _pairs(inner, b, single)
        return w, c @ u if type == 3 else jnp.linalg.solve(c.conj().T, u)

    shape = "(n,n),(n,n)->(k)" if alone else "(n,n),(n,n)->(k),(n,k)"
    return jnp.vectorize(one, signature=shape)(a, b)


# ---- a band


def _banded_shapes(a_band: Any, lower: bool, chosen: tuple[int, int] | None) -> tuple:
    return _How(lower, chosen=chosen).shapes(a_band, a_band)


def _with_band(a_band: Any, lower: bool, chosen: tuple[int, int] | None, **kwargs: Any) -> Any:
    select = {} if chosen is None else {"select": "i", "select_range": chosen}
    return scipy.linalg.eig_banded(a_band, lower, **select, **kwargs)


@wrap(out=_banded_shapes, static=("lower", "chosen"))
def _banded(a_band: np.ndarray, lower: bool, chosen: tuple[int, int] | None) -> Any:
    return _with_band(a_band, lower, chosen)


@wrap(out=lambda a_band, lower, chosen: _banded_shapes(a_band, lower, None), static=("lower", "chosen"))
def _every_banded(a_band: np.ndarray, lower: bool, chosen: tuple[int, int] | None) -> Any:
    """All eigenvalues and eigenvectors, those that are wanted as `_banded` has them."""
    w, v = _with_band(a_band, lower, None)
    if chosen is not None:
        part = slice(chosen[0], chosen[1] + 1)
        w[part], v[:, part] = _with_band(a_band, lower, chosen)
    return w, v


@wrap(out=lambda a_band, lower, chosen: _banded_shapes(a_band, lower, chosen)[0], static=("lower", "chosen"))
def _banded_values(a_band: np.ndarray, lower: bool, chosen: tuple[int, int] | None) -> Any:
    return _with_band(a_band, lower, chosen, eigvals_only=True)


def _times_band(a_band: Any, v: Any, lower: bool) -> Any:
    """The product of the Hermitian matrix of a band with v [n, k], diagonal by diagonal."""
    below = a_band if lower else jnp.stack([jnp.roll(row, -k) for k, row in enumerate(a_band[::-1])]).conj()
    n, found = v.shape[0], below[0].real[:, None] * v
    for k in range(1, min(len(below), n)):
        d = below[k, : n - k, None]
        found = found.at[k:].add(d * v[: n - k]).at[: n - k].add(d.conj() * v[k:])
    return found


def _banded_moved(primals: Any, tangents: Any, lower: bool, chosen: Any) -> tuple:
    """As for a full matrix; the tangent is a band."""
    w, v = _every_banded(*primals, lower, chosen)
    inner = v.conj().T @ _times_band(tangents[0], v, lower)
    return (w, v), (jnp.diagonal(inner).real, v @ between(w, inner))


_every_banded.defjvp(_banded_moved)


@_banded.defjvp
def _banded_jvp(primals: Any, tangents: Any, lower: bool, chosen: Any) -> tuple:
    (w, v), (dw, dv) = _banded_moved(primals, tangents, lower, chosen)
    part = _How(lower, chosen=chosen).part(len(w))
    return (w[part], v[:, part]), (dw[part], dv[:, part])


@_banded_values.defjvp
def _banded_values_jvp(primals: Any, tangents: Any, lower: bool, chosen: Any) -> tuple:
    w, v = _banded(*primals, lower, chosen)
    return w, jnp.sum(v.conj() * _times_band(tangents[0], v, lower), 0).real


@overload
def eig_banded(
    a_band: ArrayLike, lower: bool = False, eigvals_only: Literal[False] = False, *, select: str = "a",
    select_range: tuple[int, int] | None = None,
) -> tuple[jax.Array, jax.Array]: ...  # fmt: skip
@overload
def eig_banded(
    a_band: ArrayLike, lower: bool = False, *, eigvals_only: Literal[True], select: str = "a",
    select_range: tuple[int, int] | None = None,
) -> jax.Array: ...  # fmt: skip
@as_scipys("scipy.linalg")
def eig_banded(
    a_band: ArrayLike, lower: bool = False, eigvals_only: bool = False, *, select: str = "a",
    select_range: tuple[int, int] | None = None,
) -> Any:  # fmt: skip
    """`scipy.linalg.eig_banded`: all eigenvalues, ascending, and eigenvectors of a Hermitian band matrix.

    Differentiable in the band, to any order. Derivatives of eigenvectors are infinite or NaN where eigenvalues
    coincide; the phase of a complex eigenvector is held.

    Args:
        a_band: [u + 1, n], real or complex, as in SciPy: the diagonals of the upper triangle, the main one last; with
            lower=True those of the lower triangle, the main one first. More matrices by vmap.
        select, select_range: "a" for all; "i" for those from the first to the last number in select_range;
            derivatives of eigenvectors compute all.

    Returns:
        w [n] and v [n, n], in columns; w alone with eigvals_only=True.

    Raises:
        SignatureError: another `select`: how many lie in an interval is not known in a compiled program.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda a: eig_banded(a, lower=True)[0][1])(np.array([[1.0, 3.0], [0.0, 0.0]])))
    [[0. 1.]
     [0. 0.]]
    """
    (a_band,) = arrays("eig_banded", a_band=a_band)
    if a_band.ndim != 2 or 0 in a_band.shape:
        raise SignatureError(f"eig_banded: wants a_band of shape (u + 1, n), got {a_band.shape}.")
    chosen = _selected("eig_banded", select, select_range, a_band.shape[1])
    return (_banded_values if eigvals_only else _banded)(a_band.astype(inexact(a_band)), bool(lower), chosen)


def _selected(name: str, select: Any, chosen: Any, n: int) -> tuple[int, int] | None:
    """The numbers of the first and the last eigenvalue, or None for all."""
    if select in ("a", "all", 0):
        return None
    if select not in ("i", "index", 2) or chosen is None:
        raise SignatureError(
            f"{name}: select={select!r:.40} must be 'a', or 'i' with select_range; take those in an interval from all."
        )
    first, last = map(int, chosen)
    if not 0 <= first <= last < n:
        raise SignatureError(
            f"{name}: select_range={chosen!r:.40} must be the first and the last number, from 0 to {n - 1}."
        )
    return first, last


@as_scipys("scipy.linalg")
def eigvals_banded(
    a_band: ArrayLike, lower: bool = False, *, select: str = "a", select_range: tuple[int, int] | None = None
) -> jax.Array:
    """`scipy.linalg.eigvals_banded`: the eigenvalues alone; see `eig_banded`.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda a: eigvals_banded(a, lower=True)[0])(np.array([[1.0, 3.0], [0.0, 0.0]])))
    [[1. 0.]
     [0. 0.]]
    """
    return eig_banded(a_band, lower, eigvals_only=True, select=select, select_range=select_range)

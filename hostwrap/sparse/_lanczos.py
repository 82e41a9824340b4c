"""A few eigenpairs or singular triplets of a large matrix: their derivatives do not need the other ones.

With `(A - w) dv - dw v = -dA v` and `v' dv = 0` the derivative of a pair solves one sparse system, bordered by v
(Nelson, AIAA J. 14, 1201 (1976)).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, overload

import jax
import jax.numpy as jnp
import numpy as np
import scipy.sparse
import scipy.sparse.linalg

from hostwrap._errors import SignatureError
from hostwrap._recipes.cached import cached
from hostwrap._recipes.cores import inexact
from hostwrap._recipes.hosted import solved
from hostwrap._recipes.scipys import as_scipys
from hostwrap._wrap import wrap
from hostwrap.sparse._operators import Entries, entries, on_host, square


@cached(maxsize=16, one_thread=True)
def bordered(data: np.ndarray, row: np.ndarray, column: np.ndarray, w: np.ndarray, v: np.ndarray) -> Any:
    """The factors of [[A - w, v], [v', 0]]."""
    n = len(v)
    inner = on_host(data, row, column, (n, n)) - w.item() * scipy.sparse.eye_array(n)
    whole = scipy.sparse.block_array([[inner, v[:, None]], [v[None], None]], format="csc")
    try:
        return scipy.sparse.linalg.splu(whole)
    except RuntimeError:
        return None


@wrap("(z),(z),(z),(),(n),(p)->(p)")
def _across(
    data: np.ndarray, row: np.ndarray, column: np.ndarray, w: np.ndarray, v: np.ndarray, right: np.ndarray
) -> Any:
    with bordered.hold(data, row, column, w, v) as lu:
        return np.full_like(right, np.nan) if lu is None else lu.solve(right)


def moved(A: Entries, dA: Entries, w: Any, v: Any) -> tuple[Any, Any]:
    """dw and dv of one pair."""

    def operator(x: Any) -> Any:
        return jnp.append(A.times(x[:-1]) - w * x[:-1] + v * x[-1], v @ x[:-1])

    solve = lambda right: _across(A.data, A.row, A.column, w, v, right)
    push = dA.times(v)
    dw = v @ push
    x = solved(operator, jnp.append(dw * v - push, 0.0), solve, solve)
    return dw, x[:-1]


def _shapes(data: Any, *, n: int, k: int, **_: Any) -> tuple:
    return jax.ShapeDtypeStruct((k,), data.dtype), jax.ShapeDtypeStruct((n, k), data.dtype)


STATIC = ("n", "k", "which", "sigma", "options")


@wrap(out=lambda data, row, column, **given: _shapes(data, **given), static=STATIC)
def _eigsh(
    data: np.ndarray, row: np.ndarray, column: np.ndarray,
    *, n: int, k: int, which: str, sigma: float | None, options: tuple,
) -> tuple:  # fmt: skip
    A = on_host(data, row, column, (n, n))
    w, v = scipy.sparse.linalg.eigsh(A, k, which=which, sigma=sigma, v0=_start(n), **dict(options))
    order = np.argsort(w)
    return w[order], v[:, order]


def _start(n: int) -> np.ndarray:
    """A fixed start vector: SciPy's is random, and so are the signs of its eigenvectors."""
    return np.random.default_rng(0).uniform(-1.0, 1.0, n)


@_eigsh.defjvp
def _eigsh_jvp(primals: Any, tangents: Any, **statics: Any) -> tuple:
    return _pairs_moved(_eigsh, moved, primals, tangents, statics)


def _pairs_moved(solver: Callable, moves: Callable, primals: Any, tangents: Any, statics: dict) -> tuple:
    """The eigenpairs that a solver finds, and their derivatives, by `moves` one by one."""
    data, row, column = primals
    w, v = solver(*primals, **statics)
    A = Entries(data, row, column, (statics["n"],) * 2)
    dA = A._replace(data=tangents[0])
    pairs = [moves(A, dA, w[i], v[:, i]) for i in range(statics["k"])]
    return (w, v), (jnp.stack([dw for dw, _ in pairs]), jnp.stack([dv for _, dv in pairs], 1))


@overload
def eigsh(
    A: Any,
    k: int = 6,
    *,
    sigma: float | None = None,
    which: str = "LM",
    ncv: int | None = None,
    maxiter: int | None = None,
    tol: float = 0.0,
    mode: str = "normal",
    return_eigenvectors: Literal[True] = True,
) -> tuple[jax.Array, jax.Array]: ...
@overload
def eigsh(
    A: Any,
    k: int = 6,
    *,
    return_eigenvectors: Literal[False],
    sigma: float | None = None,
    which: str = "LM",
    ncv: int | None = None,
    maxiter: int | None = None,
    tol: float = 0.0,
    mode: str = "normal",
) -> jax.Array: ...
@as_scipys("scipy.sparse.linalg")
def eigsh(
    A: Any, k: int = 6, *, sigma: float | None = None, which: str = "LM", ncv: int | None = None,
    maxiter: int | None = None, tol: float = 0.0, mode: str = "normal", return_eigenvectors: bool = True,
) -> Any:  # fmt: skip
    """`scipy.sparse.linalg.eigsh`: k eigenvalues, ascending, and eigenvectors of a real symmetric matrix.

    Differentiable in what A stores, to any order, where the k eigenvalues are simple; the derivative is that of the
    symmetric part. Each pair takes one sparse factorisation, and no other pairs; A is never made dense. ARPACK starts
    from the same vector each time.

    Args:
        A: [n, n], a sparse array of SciPy or JAX, or a dense one. The others as in SciPy.

    Returns:
        w [k] and v [n, k]; w alone with return_eigenvectors=False. The derivative of a vector is infinite or NaN where
        its eigenvalue is not simple.

    >>> import jax, numpy as np
    >>> A = np.diag([1.0, 2.0, 3.0, 5.0])
    >>> print(jax.grad(lambda A: eigsh(A, 1)[0][0])(A)[3].round(6) + 0)
    [0. 0. 0. 1.]
    """
    matrix = _real("eigsh", square("eigsh", A), k)
    options = {"ncv": ncv, "maxiter": maxiter, "tol": tol, "mode": mode}
    w, v = _eigsh(
        matrix.data, matrix.row, matrix.column, n=matrix.shape[0], k=k, which=which, sigma=sigma,
        options=tuple(sorted(options.items())),
    )  # fmt: skip
    return (w, v) if return_eigenvectors else w


def _real(name: str, A: Entries, k: int) -> Entries:
    if jnp.iscomplexobj(A.data):
        raise SignatureError(f"{name}: `A` must be real, got {A.data.dtype}.")
    if not isinstance(k, int) or not 0 < k < min(A.shape):
        raise SignatureError(f"{name}: k={k!r} must be an integer from 1 to {min(A.shape) - 1}.")
    return A.of(inexact(A.data))


# ---- of any square matrix


@cached(maxsize=16, one_thread=True)
def bordered_any(data: np.ndarray, row: np.ndarray, column: np.ndarray, w: np.ndarray, v: np.ndarray) -> Any:
    """The factors of [[A - w, -v], [v^H, 0]], which is regular where w is simple."""
    n = len(v)
    inner = on_host(data, row, column, (n, n)) - w.item() * scipy.sparse.eye_array(n)
    whole = scipy.sparse.block_array([[inner, -v[:, None]], [v.conj()[None], None]], format="csc")
    try:
        return scipy.sparse.linalg.splu(whole)
    except RuntimeError:
        return None


@wrap("(z),(z),(z),(),(n),(p)->(p)", static="trans")
def _across_any(
    data: np.ndarray, row: np.ndarray, column: np.ndarray, w: np.ndarray, v: np.ndarray, right: np.ndarray,
    *, trans: str,
) -> Any:  # fmt: skip
    with bordered_any.hold(data, row, column, w, v) as lu:
        return np.full_like(right, np.nan) if lu is None else lu.solve(right, trans)


def _moved_any(A: Entries, dA: Entries, w: Any, v: Any) -> tuple[Any, Any]:
    """dw and dv of one pair, from `(A - w) dv - dw v = -dA v` and `v^H dv = 0`."""

    def operator(x: Any) -> Any:
        return jnp.append(A.times(x[:-1]) - w * x[:-1] - v * x[-1], v.conj() @ x[:-1])

    solve, back = (
        lambda right, trans=trans: _across_any(A.data, A.row, A.column, w, v, right, trans=trans)
        for trans in ("N", "T")
    )
    x = solved(operator, jnp.append(-dA.times(v), jnp.zeros((), v.dtype)), solve, back)
    return x[-1], x[:-1]


@wrap(
    out=lambda data, row, column, *, n, k, **_: tuple(
        jax.ShapeDtypeStruct(shape, data.dtype) for shape in ((k,), (n, k))
    ),
    static=STATIC,
)
def _eigs(
    data: np.ndarray, row: np.ndarray, column: np.ndarray,
    *, n: int, k: int, which: str, sigma: complex | None, options: tuple,
) -> tuple:  # fmt: skip
    data = data if data.imag.any() else data.real
    A = on_host(data, row, column, (n, n))
    return scipy.sparse.linalg.eigs(A, k, which=which, sigma=sigma, v0=_start(n), **dict(options))


@_eigs.defjvp
def _eigs_jvp(primals: Any, tangents: Any, **statics: Any) -> tuple:
    return _pairs_moved(_eigs, _moved_any, primals, tangents, statics)


@overload
def eigs(
    A: Any,
    k: int = 6,
    *,
    sigma: complex | None = None,
    which: str = "LM",
    ncv: int | None = None,
    maxiter: int | None = None,
    tol: float = 0.0,
    return_eigenvectors: Literal[True] = True,
) -> tuple[jax.Array, jax.Array]: ...
@overload
def eigs(
    A: Any,
    k: int = 6,
    *,
    return_eigenvectors: Literal[False],
    sigma: complex | None = None,
    which: str = "LM",
    ncv: int | None = None,
    maxiter: int | None = None,
    tol: float = 0.0,
) -> jax.Array: ...
@as_scipys("scipy.sparse.linalg")
def eigs(
    A: Any, k: int = 6, *, sigma: complex | None = None, which: str = "LM", ncv: int | None = None,
    maxiter: int | None = None, tol: float = 0.0, return_eigenvectors: bool = True,
) -> Any:  # fmt: skip
    """`scipy.sparse.linalg.eigs`: k eigenvalues, and right eigenvectors, of any square matrix; both are complex.

    Differentiable in what A stores, to any order, where the k eigenvalues are simple. Each pair takes one sparse
    factorisation, and no other pairs; A is never made dense. ARPACK starts from the same vector each time. A vector has
    norm 1, and its largest component is real and positive; so derivatives of vectors have a meaning.

    Args:
        A: [n, n], real or complex, n > k + 1; a sparse array of SciPy or JAX, or a dense one. The others as in SciPy.

    Returns:
        w [k] and v [n, k], in ARPACK's order; w alone with return_eigenvectors=False.

    >>> import jax, numpy as np
    >>> A = np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0], [0.0, 0.0, 3.0, 1.0], [0.0, 0.0, 0.0, 5.0]])
    >>> print(jax.grad(lambda A: eigs(A, 1)[0][0].real)(A)[2:, 2:].round(6) + 0)
    [[0.  0. ]
     [0.5 1. ]]
    """
    matrix = square("eigs", A)
    if not isinstance(k, int) or not 0 < k < matrix.shape[0] - 1:
        raise SignatureError(f"eigs: k={k!r} must be an integer from 1 to {matrix.shape[0] - 2}.")
    matrix = matrix.of(jnp.result_type(inexact(matrix.data), jnp.complex64))
    options = {"ncv": ncv, "maxiter": maxiter, "tol": tol}
    w, v = _eigs(
        matrix.data, matrix.row, matrix.column, n=matrix.shape[0], k=k, which=which, sigma=sigma,
        options=tuple(sorted(options.items())),
    )  # fmt: skip
    if not return_eigenvectors:
        return w
    largest = jnp.take_along_axis(v, jnp.argmax(jnp.abs(v), 0)[None], 0)
    return w, v * (largest.conj() / jnp.abs(largest))


# ---- singular triplets are eigenpairs of [[0, A], [A', 0]]: w = s, and v = (u, v) / sqrt(2)


@wrap(
    out=lambda data, row, column, *, shape, k, options: tuple(
        jax.ShapeDtypeStruct(size, data.dtype) for size in ((shape[0], k), (k,), (k, shape[1]))
    ),
    static=("shape", "k", "options"),
)
def _svds(
    data: np.ndarray, row: np.ndarray, column: np.ndarray, *, shape: tuple[int, int], k: int, options: tuple
) -> tuple:
    A = on_host(data, row, column, shape)
    u, s, vt = scipy.sparse.linalg.svds(A, k, v0=_start(min(shape)), **dict(options))
    order = np.argsort(s)
    return u[:, order], s[order], vt[order]


@_svds.defjvp
def _svds_jvp(primals: Any, tangents: Any, **statics: Any) -> tuple:
    data, row, column = primals
    (m, n), k = statics["shape"], statics["k"]
    u, s, vt = _svds(*primals, **statics)

    def both(data: Any) -> Entries:
        places = jnp.concatenate([row, column + m]), jnp.concatenate([column + m, row])
        return Entries(jnp.concatenate([data, data]), *places, (m + n, m + n))

    A, dA = both(data), both(tangents[0])
    found = []
    for i in range(k):
        pair = jnp.concatenate([u[:, i], vt[i]]) / np.sqrt(2).astype(s.dtype)
        found.append(moved(A, dA, s[i], pair))
    ds = jnp.stack([d for d, _ in found])
    dv = jnp.stack([d for _, d in found]) * np.sqrt(2).astype(s.dtype)
    return (u, s, vt), (dv[:, :m].T, ds, dv[:, m:])


@overload
def svds(
    A: Any,
    k: int = 6,
    *,
    which: str = "LM",
    ncv: int | None = None,
    tol: float = 0.0,
    maxiter: int | None = None,
    return_singular_vectors: Literal[True] = True,
) -> tuple[jax.Array, jax.Array, jax.Array]: ...
@overload
def svds(
    A: Any,
    k: int = 6,
    *,
    return_singular_vectors: Literal[False],
    which: str = "LM",
    ncv: int | None = None,
    tol: float = 0.0,
    maxiter: int | None = None,
) -> jax.Array: ...
@as_scipys("scipy.sparse.linalg")
def svds(
    A: Any, k: int = 6, *, which: str = "LM", ncv: int | None = None, tol: float = 0.0,
    maxiter: int | None = None, return_singular_vectors: bool = True,
) -> Any:  # fmt: skip
    """`scipy.sparse.linalg.svds`: k singular values, ascending, and their vectors, of a real matrix, by ARPACK.

    Differentiable in what A stores, to any order, where the k singular values are simple and not 0; see `eigsh`.

    Returns:
        u [m, k], s [k], vt [k, n]; s alone with return_singular_vectors=False.

    >>> import jax, numpy as np
    >>> A = np.array([[3.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    >>> print(jax.grad(lambda A: svds(A, 1)[1][0])(A).round(6) + 0)
    [[1. 0.]
     [0. 0.]
     [0. 0.]]
    """
    matrix = _real("svds", entries("svds", A), k)
    options = {"which": which, "ncv": ncv, "tol": tol, "maxiter": maxiter}
    found = _svds(
        matrix.data, matrix.row, matrix.column, shape=matrix.shape, k=k,
        options=tuple(sorted(options.items())),
    )  # fmt: skip
    return found if return_singular_vectors else found[1]

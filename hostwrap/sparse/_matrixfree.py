"""Linear operators that are given by their products: linear systems and least squares, by iterations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import scipy.sparse
import scipy.sparse.linalg
from jax.typing import ArrayLike

from hostwrap._errors import SignatureError
from hostwrap._recipes.closures import Closure
from hostwrap._recipes.cores import arrays
from hostwrap._recipes.hosted import solved
from hostwrap._wrap import linear, wrap
from hostwrap.sparse._operators import entries


class LinearOperator:
    """`scipy.sparse.linalg.LinearOperator` in JAX: a matrix that is known by its product with a vector.

    Args:
        shape: (m, n).
        matvec: x [n] -> A x [m], a function in JAX, linear; it may close over traced arrays, in which solvers then
            have derivatives.
        rmatvec: y [m] -> the adjoint times y; by default the adjoint that JAX makes of matvec.
        dtype: of the matrix; by default what matvec makes of a real vector.

    >>> import jax, jax.numpy as jnp
    >>> A = lambda d: LinearOperator((2, 2), lambda x: d * x)
    >>> print(jax.grad(lambda d: cg(A(d), jnp.ones(2), rtol=1e-12)[0][0])(jnp.array([2.0, 4.0])))
    [-0.25 -0.  ]
    """

    ndim = 2

    def __init__(
        self, shape: tuple[int, int], matvec: Callable, rmatvec: Callable | None = None, *, dtype: Any = None
    ) -> None:
        if not callable(matvec):
            raise SignatureError(f"LinearOperator: matvec must be a function, got {type(matvec).__name__}.")
        self.shape: tuple[int, int] = (int(shape[0]), int(shape[1]))
        self._matvec, self._rmatvec = matvec, rmatvec
        self.dtype = self._of(jnp.result_type(int)) if dtype is None else np.dtype(dtype)

    def _of(self, dtype: Any) -> Any:
        """The type of the product with a vector of this type."""
        return jax.eval_shape(self.matvec, jax.ShapeDtypeStruct(self.shape[1:], dtype)).dtype

    def matvec(self, x: ArrayLike) -> jax.Array:
        """A x."""
        y = jnp.asarray(self._matvec(x))
        if y.shape != self.shape[:1]:
            raise SignatureError(
                f"LinearOperator: matvec must return an array of shape {self.shape[:1]}, got {y.shape}."
            )
        return y

    def rmatvec(self, y: ArrayLike) -> jax.Array:
        """The adjoint times y."""
        if self._rmatvec is not None:
            return jnp.asarray(self._rmatvec(y))
        dtype = jnp.result_type(self.dtype, y)
        x = jax.ShapeDtypeStruct(self.shape[1:], dtype)
        (transposed,) = jax.linear_transpose(self.matvec, x)(jnp.conj(y).astype(dtype))
        return jnp.conj(transposed)

    @property
    def H(self) -> LinearOperator:
        """The adjoint."""
        return LinearOperator(self.shape[::-1], self.rmatvec, self.matvec, dtype=self.dtype)

    @property
    def T(self) -> LinearOperator:
        """The transpose."""
        forward, back = (
            lambda y: jnp.conj(self.rmatvec(jnp.conj(y))),
            lambda x: jnp.conj(self.matvec(jnp.conj(x))),
        )
        return LinearOperator(self.shape[::-1], forward, back, dtype=self.dtype)

    def __matmul__(self, x: ArrayLike) -> jax.Array:
        """A x, of a vector, or of the columns of a matrix."""
        (x,) = arrays("LinearOperator", x=x)
        return self.matvec(x) if x.ndim == 1 else jax.vmap(self.matvec, 1, 1)(x)

    matmat = dot = __matmul__


def aslinearoperator(A: Any) -> LinearOperator:
    """`scipy.sparse.linalg.aslinearoperator`: a `LinearOperator` of a matrix, or of one of SciPy's operators.

    Args:
        A: a sparse array of SciPy or JAX, a dense array, or a LinearOperator of SciPy. The last one is computed on the
            host; its matvec and rmatvec are held, and only the vectors that it is applied to are differentiated.

    >>> import numpy as np
    >>> print(aslinearoperator(np.array([[1.0, 2.0], [0.0, 3.0]])).rmatvec(np.ones(2)))
    [1. 5.]
    """
    if isinstance(A, LinearOperator):
        return A
    if isinstance(A, scipy.sparse.linalg.LinearOperator):
        return _on_host(A)
    matrix = entries("aslinearoperator", A)
    return LinearOperator(matrix.shape, matrix.times, dtype=matrix.data.dtype)


def _on_host(A: Any) -> LinearOperator:
    m, n = A.shape
    options: dict[str, Any] = {"dtype": complex} if np.issubdtype(A.dtype, np.complexfloating) else {}
    wide = complex if options else None
    product = linear(lambda x: A.matvec(x), f"({n})->({m})", transpose=lambda c: A.T.matvec(c), **options)
    return LinearOperator(A.shape, lambda x: product(jnp.asarray(x, wide)), dtype=A.dtype)


def is_operator(A: Any) -> bool:
    return isinstance(A, LinearOperator | scipy.sparse.linalg.LinearOperator)


class Products:
    """An operator for SciPy's solvers: its products in NumPy, and the traced arrays that they read."""

    def __init__(self, name: str, A: LinearOperator, dtype: Any) -> None:
        self.shape, self.dtype = A.shape, np.dtype(dtype)
        x, y = (jax.ShapeDtypeStruct((size,), dtype) for size in A.shape[::-1])
        forward = Closure(name, A.matvec, x)
        self.outside = forward.outside
        self.times = forward.jax

        def adjoint(outside: Sequence[Any], y: Any) -> Any:
            return jnp.conj(self.transposed(outside, jnp.conj(y)))

        self._forward = forward.numpy()
        self._back = Closure(name, adjoint, forward.outside, y).numpy()

    def transposed(self, outside: Sequence[Any], y: Any) -> Any:
        x = jax.ShapeDtypeStruct(self.shape[1:], self.dtype)
        return jax.linear_transpose(lambda x: self.times(outside, x), x)(y)[0]

    def on_host(self, outside: Sequence[Any]) -> Any:
        return scipy.sparse.linalg.LinearOperator(
            self.shape,
            matvec=lambda x: self._forward(outside, [x.ravel()])[0],
            rmatvec=lambda y: self._back([], [*outside, y.ravel()])[0],
            dtype=self.dtype,
        )


def iterated(
    name: str, solver: Callable, A: Any, b: Any, x0: Any, options: dict
) -> tuple[jax.Array, jax.Array]:
    """(x, info) of one of SciPy's iterative solvers, differentiable in b and in the arrays of the operator."""
    operator = aslinearoperator(A)
    (b,) = arrays(name, b=b)
    n = operator.shape[0]
    if operator.shape != (n, n) or b.shape != (n,):
        raise SignatureError(
            f"{name}: wants a square `A` [n, n] and b [n], got the shapes {operator.shape} and {b.shape}."
        )
    b = b.astype(jnp.result_type(b, operator.dtype, *([] if x0 is None else [x0])))
    products = Products(name, operator, b.dtype)
    start = jnp.zeros_like(b) if x0 is None else arrays(name, x0=x0)[0].astype(b.dtype)
    shapes = jax.ShapeDtypeStruct(b.shape, b.dtype), jax.ShapeDtypeStruct((), jnp.result_type(int))

    def run(b: Any, x0: Any, outside: Any) -> Any:
        x, info = solver(products.on_host(outside), b, x0, **options)
        return x.astype(b.dtype), info

    def again(b: Any, outside: Any, *, back: bool) -> Any:
        matrix, given = products.on_host(outside), options
        if back:
            matrix, given = (
                matrix.T,
                {k: x.T if k in PRECONDITIONERS and x is not None else x for k, x in options.items()},
            )
        x, info = solver(matrix, b, **given)
        return x.astype(b.dtype) if info == 0 else np.full_like(b, np.nan)

    run.__name__ = again.__name__ = name
    host = wrap(run, out=shapes, vmap_method="sequential")
    more = wrap(again, out=shapes[0], vmap_method="sequential", static=("back",))

    @jax.custom_jvp
    def solve(b: Any, start: Any, outside: Any) -> Any:
        return host(b, jax.lax.stop_gradient(start), outside)

    @solve.defjvp
    def rule(primals: tuple, tangents: tuple) -> tuple:
        """dx = A^-1 (db - dA x)."""
        (b, start, outside), (db, _, moves) = primals, tangents
        x, info = solve(b, start, outside)
        pushed = jax.jvp(lambda o: products.times(o, x), (outside,), (moves,))[1] if outside else 0
        dx = solved(
            lambda x: products.times(outside, x),
            db - pushed,
            lambda b: more(b, outside, back=False),
            lambda b: more(b, outside, back=True),
        )
        return (x, info), (dx, np.zeros((), jax.dtypes.float0))

    return solve(b, start, products.outside)


PRECONDITIONERS = ("M", "M1", "M2")


class Least(NamedTuple):
    """The results of `lsqr` and `lsmr`: x, the reason to stop, the number of iterations, and SciPy's estimates of the
    norm and the condition of the matrix.

    From a start x0 they solve for `y = x - x0`: y has the least sum of squares of `A y - (b - A x0)` and `damp y`. So x
    moves with x0 where damp is not 0, and along the kernel of A. SciPy decides by the norm of b when to stop, so the
    host gets b and x0, held, beside the equations of y, and returns y in place of x.
    """

    x: Any
    said: Any
    estimates: Any

    @classmethod
    def of(cls, solver: Callable, A: Any, b: Any, damp: Any, options: Any, started: Any = ()) -> Least:
        """SciPy's results, of which these stand at the same places in both; `started` are b and x0."""
        b, *x0 = started or (b,)
        found = solver(A, b, damp.item(), **dict(options), **({"x0": x0[0]} if x0 else {}))
        x = found[0] - x0[0] if x0 else found[0]
        return cls(x, np.array(found[1:3], int), np.array(found[5:7], x.dtype))

    @classmethod
    def shapes(cls, x: Any) -> Least:
        shape = jax.ShapeDtypeStruct
        return cls(x, shape((2,), jnp.result_type(int)), shape((2,), x.dtype))

    def moved(self, dx: Any) -> Least:
        """The tangents; estimates have no derivative."""
        nothing = np.zeros(self.said.shape, jax.dtypes.float0)
        return Least(dx, nothing, jnp.full_like(self.estimates, jnp.nan) * jnp.sum(dx))

    def as_scipys(self, solver: str, left: Any, pull: Any, damp: Any, x0: Any) -> tuple:
        """The results as SciPy returns them: norms are those of x, with `left = b - A x` and `pull = A' left`."""
        y, norm = self.x, jnp.linalg.norm
        x = y if x0 is None else y + x0
        r, ys = norm(left), norm(y)
        both, force = jnp.sqrt(r**2 + (damp * ys) ** 2), norm(pull - damp**2 * y)
        if solver == "lsqr":
            return (x, *self.said, r, both, *self.estimates, force, ys, jnp.zeros_like(x))
        return (x, *self.said, both, force, *self.estimates, ys if x0 is None else norm(x))


def least(name: str, solver: Callable, A: Any, b: Any, damp: Any, x0: Any, options: dict) -> tuple:
    """The x with the least sum of squares of `A x - b` and `damp (x - x0)`, by SciPy's `lsqr` or `lsmr`."""
    operator = aslinearoperator(A)
    b, damp = arrays(name, b=b, damp=damp)
    if b.shape != operator.shape[:1] or jnp.iscomplexobj(b) or operator.dtype.kind == "c":
        raise SignatureError(
            f"{name}: wants a real b of shape ({operator.shape[0]},) for a real `A` of shape {operator.shape}, got "
            f"{b.dtype} of shape {b.shape}."
        )
    b = b.astype(jnp.result_type(b, damp, operator.dtype))
    products, damp = Products(name, operator, b.dtype), damp.astype(b.dtype)
    shape = jax.ShapeDtypeStruct(operator.shape[1:], b.dtype)

    def run(b: Any, damp: Any, outside: Any) -> Any:
        values, started = outside
        return tuple(Least.of(solver, products.on_host(values), b, damp, options, started))

    wide = operator.shape[0] < operator.shape[1]

    def twice(q: Any, damp: Any, outside: Any) -> Any:
        A = products.on_host(outside[0])
        return solved_twice(solver, A.T if wide else A, q, damp.item(), options)

    run.__name__ = twice.__name__ = name
    host = wrap(run, out=tuple(Least.shapes(shape)), vmap_method="sequential")
    more = wrap(twice, out=b if wide else shape, vmap_method="sequential")
    times, transposed = (
        lambda outside, v, product=product: product(outside[0], v)
        for product in (products.times, products.transposed)
    )
    return from_start(name, by_normal_equations(host, more, times, transposed, wide), times, transposed)(
        b, damp, x0, products.outside
    )


def from_start(name: str, solve: Callable, times: Callable, transposed: Callable) -> Callable:
    """The results of the solver `name` as SciPy returns them, of b, damp, x0 and what the matrix reads."""

    def solved(b: Any, damp: Any, x0: Any, values: Any) -> tuple:
        if name == "lsqr":
            damp = jnp.where(damp < 0, 0, damp)  # as SciPy; lsmr takes the square
        right, started = b, ()  # type: tuple[Any, tuple]
        if x0 is not None:
            (x0,) = arrays(name, x0=x0)
            wanted = jax.eval_shape(transposed, (values, ()), b).shape
            if x0.shape != wanted or jnp.iscomplexobj(x0):
                raise SignatureError(
                    f"{name}: wants a real x0 of shape {wanted}, got {x0.dtype} of shape {x0.shape}."
                )
            x0 = x0.astype(b.dtype)
            started = jax.lax.stop_gradient((b, x0))
            right = b - times((values, ()), x0)
        outside = (values, started)
        found = solve(right, damp, outside)
        left = right - times(outside, found.x)
        return found.as_scipys(name, left, transposed(outside, left), damp, x0)

    return solved


def solved_twice(solver: Callable, A: Any, q: Any, damp: float, options: dict) -> Any:
    """z with `(A' A + damp^2) z = q`, which is `B' B z = q` where B has A above damp: the smallest u with `B' u = q`,
    then z with the least `B z - u`."""
    B = _stacked(scipy.sparse.linalg.aslinearoperator(A), damp) if damp else A
    return solver(B, solver(B.T, q, **options)[0], **options)[0]


def by_normal_equations(
    host: Callable, more: Callable, times: Callable, transposed: Callable, wide: bool
) -> Any:
    """`host(b, damp, outside)`, which solves least squares, with its derivatives by the normal equations.

    x solves `(A' A + damp^2) x = A' b`. With more columns than rows, and without damp, this matrix is singular; the
    smallest x is `A' w` with `(A A' + damp^2) w = b`. `more(q, damp, outside)` solves with the one matrix or the other.
    """

    def normal(z: Any, damp: Any, outside: Any) -> Any:
        first, then = (transposed, times) if wide else (times, transposed)
        return then(outside, first(outside, z)) + damp**2 * z

    def moved(z: Any, primals: tuple, tangents: tuple) -> Any:
        """The tangent of x, or of w."""

        def residual(b: Any, damp: Any, outside: Any) -> Any:
            return normal(z, damp, outside) - (b if wide else transposed(outside, b))

        _, damp, outside = primals
        again = lambda q: more(q, damp, outside)
        change = jax.jvp(residual, primals, tangents)[1]
        return solved(lambda z: normal(z, damp, outside), -change.astype(z.dtype), again, again)

    @jax.custom_jvp
    def weights(b: Any, damp: Any, outside: Any) -> Any:
        return more(b, damp, outside)

    @weights.defjvp
    def of_weights(primals: tuple, tangents: tuple) -> tuple:
        w = weights(*primals)
        return w, moved(w, primals, tangents)

    @jax.custom_jvp
    def solve(b: Any, damp: Any, outside: Any) -> Any:
        return Least(*host(b, damp, outside))

    @solve.defjvp
    def rule(primals: tuple, tangents: tuple) -> tuple:
        found = solve(*primals)
        if not wide:
            return found, found.moved(moved(found.x, primals, tangents))
        w, outside, moves = weights(*primals), primals[2], tangents[2]
        dx = jax.jvp(transposed, (outside, w), (moves, moved(w, primals, tangents)))[1]
        return found, found.moved(dx)

    return solve


def _stacked(A: Any, damp: float) -> Any:
    """A above damp times the identity."""
    m, n = A.shape
    return scipy.sparse.linalg.LinearOperator(
        (m + n, n),
        matvec=lambda x: np.append(A.matvec(x.ravel()), damp * x.ravel()),
        rmatvec=lambda y: A.rmatvec(y.ravel()[:m]) + damp * y.ravel()[m:],
        dtype=A.dtype,
    )

"""Boundary value problems: SciPy finds the solution and its mesh; derivatives follow from the collocation equations.

On SciPy's last mesh the values Y and the parameters p solve `F(Y, p) = 0`: Lobatto's formula of order 4 in each
interval, and the conditions at both ends (Kierzenka and Shampine, ACM Trans. Math. Softw. 27, 299 (2001)). So `F_Y dY +
F_p dp = -dF` is one sparse system. Only the host knows the number of nodes. In JAX the mesh has `max_nodes`, and one
node is repeated as often as needed. An interval of length 0 says `y[i + 1] = y[i]`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.integrate
from jax.custom_derivatives import SymbolicZero

from hostwrap._errors import NotTaken, RuleError
from hostwrap._recipes.closures import Closure
from hostwrap._recipes.equations import array, converged, real
from hostwrap._recipes.factors import spsolve
from hostwrap._recipes.numpys import in_jax
from hostwrap._recipes.pieces import hermite
from hostwrap._recipes.scipys import as_scipys
from hostwrap._recipes.solutions import Solution
from hostwrap._types import ArrayLike
from hostwrap._wrap import wrap
from hostwrap.integrate._boundary_jumps import no_jump, total


@as_scipys("scipy.integrate")
def solve_bvp(
    fun: Callable, bc: Callable, x: ArrayLike, y: ArrayLike, p: ArrayLike | None = None,
    S: ArrayLike | None = None, fun_jac: Callable | None = None, bc_jac: Callable | None = None, tol: float = 1e-3,
    max_nodes: int = 1000, verbose: int = 0, bc_tol: float | None = None,
) -> Solution:  # fmt: skip
    """`scipy.integrate.solve_bvp`, differentiable: y with `dy/dx = fun(x, y, p)` and `bc(y(a), y(b), p) = 0`.

    fun and bc are functions in JAX, and may close over traced arrays. Derivatives in these and in both ends of x have
    any order, in both modes; a gradient takes one sparse system. They are as exact as the solution: give `tol`. SciPy's
    last mesh is held. Derivatives in the guesses y and p are 0. fun may have kinks where the first derivative is taken,
    if the mesh is fine there, and jumps at places that stay.

    Args:
        fun: `fun(x, y)` or, with p, `fun(x, y, p)`: x [m], y [n, m], p [k], returns [n, m]; column by column.
        bc: `bc(ya, yb)` or `bc(ya, yb, p)`: returns [n + k].
        x: [m], the first mesh, increasing, m >= 3.
        y: [n, m], the first guess.
        p: [k], the first guess of parameters that are to be found, or None.
        tol, max_nodes, bc_tol: as in SciPy. A small max_nodes saves time in derivatives.

    Returns:
        A `scipy.optimize.OptimizeResult` with `sol`, a `PPoly`, which is [n, j] at places [j]; p; x, y and yp on the
        mesh, which has max_nodes nodes, of which equal ones count as one.

    Raises:
        RuleError: shapes that do not fit; S=, fun_jac=, bc_jac= or verbose= in a trace. Outside of one SciPy's own
            function takes them.
        MissingDerivative: fun jumps at a place that may move, or its derivative of a lower order does; or it has a kink
            there, and the mesh is so coarse that the equations lose a part of it.
        RuntimeError: no convergence; HostCallError inside a compiled program.

    >>> import jax, jax.numpy as jnp
    >>> x = jnp.linspace(0.0, 1.0, 5)
    >>> def middle(k):  # y'' = -k y, y(0) = 0, y(1) = 1
    ...     ends = lambda ya, yb: jnp.stack([ya[0], yb[0] - 1.0])
    ...     rate = lambda x, y: jnp.stack([y[1], -k * y[0]])
    ...     return solve_bvp(rate, ends, x, jnp.ones((2, 5)), tol=1e-8, max_nodes=200).sol(0.5)[0]
    >>> print(f"{jax.grad(middle)(1.0):.6f}")
    0.077814
    """
    if S is not None or fun_jac is not None or bc_jac is not None or verbose:
        raise NotTaken(
            "solve_bvp: S=, fun_jac=, bc_jac= and verbose= are not taken in a trace; leave them out."
        )
    if any(np.iscomplexobj(given) for given in (y, p)):  # type: ignore[arg-type]
        raise NotTaken("solve_bvp: y and p must be real in a trace; solve for their two parts.")
    x, y = real("solve_bvp", "x", x), real("solve_bvp", "y", y)
    if x.ndim != 1 or len(x) < 3 or y.ndim != 2 or y.shape[1] != len(x) or max_nodes < len(x):
        raise RuleError(
            f"solve_bvp: wants x of shape (m,) with 3 <= m <= max_nodes, and y of shape (n, m); got {x.shape} and "
            f"{y.shape}, max_nodes={max_nodes}."
        )
    dtype = jnp.result_type(x, y)
    guess = jnp.zeros(0) if p is None else real("solve_bvp", "p", p)
    x, y, guess = (g.astype(dtype) for g in (x, y, guess))
    fun, bc = in_jax(fun), in_jax(bc)
    rate = (lambda x, y, p: array(fun(x, y))) if p is None else (lambda x, y, p: array(fun(x, y, p)))
    ends = (lambda a, b, p: array(bc(a, b))) if p is None else (lambda a, b, p: array(bc(a, b, p)))
    problem = _Problem(
        rate, ends, y, guess, max_nodes, {"tol": tol, "max_nodes": max_nodes, "bc_tol": bc_tol}
    )
    mesh, y, found = problem(x, y, guess)
    slopes = problem.rates(mesh, y, found)
    # no place lies between equal nodes
    apart = jnp.where(jnp.diff(mesh) > 0, jnp.diff(mesh), 1.0)
    sol = hermite(mesh, y.T, slopes.T, h=apart, axis=1)
    return Solution(
        sol=sol, p=None if p is None else found, x=mesh, y=y, yp=slopes, success=True, status=0,
        message="The algorithm converged to the desired accuracy.",
    )  # fmt: skip


class _Problem:
    def __init__(self, rate: Callable, ends: Callable, y: Any, p: Any, nodes: int, options: dict) -> None:
        self.n, self.k, self.nodes, self.options = len(y), len(p), nodes, options
        m, example = y.shape[1], functools.partial(jax.ShapeDtypeStruct, dtype=y.dtype)
        self.sizes = sorted({min(4 * m, nodes), nodes})  # SciPy asks for up to `nodes` places
        columns = [Closure("solve_bvp", rate, example((s,)), example((self.n, s)), p) for s in self.sizes]
        self.single = Closure("solve_bvp", rate, example((1,)), example((self.n, 1)), p)
        self.rate, self.ends = columns[-1], Closure("solve_bvp", ends, y[:, 0], y[:, 0], p)
        for closure, shape in ((self.rate, (self.n, nodes)), (self.ends, (self.n + self.k,))):
            if [o.shape for o in closure.out] != [shape]:
                word = "fun" if closure is self.rate else "bc"
                came = closure.out[0].shape
                raise RuleError(f"solve_bvp: {word} must return an array of shape {shape}, got {came}.")
        self.outside = self.rate.outside, self.ends.outside
        self._columns, self._ends = [c.numpy() for c in columns], self.ends.numpy()

        def solve(x: Any, y: Any, p: Any, outside: Any) -> Any:
            return self._on_host(x, y, p, *outside)

        solve.__name__ = "solve_bvp"
        out = example((nodes,)), example((self.n, nodes)), example((self.k,))
        self._host = wrap(solve, out=out, vmap_method="sequential", thread_safe=True)

    def _on_host(self, x: Any, y: Any, p: Any, rate: Any, ends: Any) -> tuple:
        def columns(x: Any, y: Any, p: Any = p) -> Any:
            which = next(i for i, size in enumerate(self.sizes) if size >= len(x))
            more = self.sizes[which] - len(x)
            wide = np.pad(x, (0, more), mode="edge"), np.pad(y, ((0, 0), (0, more)), mode="edge")
            return self._columns[which](rate, [*wide, p])[0][:, : len(x)]

        def at_ends(a: Any, b: Any, p: Any = p) -> Any:
            return self._ends(ends, [a, b, p])[0]

        with np.errstate(all="ignore"):
            found = converged(
                scipy.integrate.solve_bvp(columns, at_ends, x, y, p if self.k else None, **self.options)
            )
        more = self.nodes - len(found.x)  # the second node is repeated in place of missing ones
        places = np.concatenate([[0], np.ones(more, int), np.arange(1, len(found.x))])
        a, b = found.x[0], found.x[-1]
        return (found.x[places] - a) / (b - a), found.y[:, places], np.zeros(0) if not self.k else found.p

    # ---- in JAX

    def __call__(self, x: Any, y: Any, p: Any) -> tuple:
        """(mesh, values on it, parameters)."""

        @jax.custom_jvp
        def solve(guess: tuple, ends: Any, outside: tuple) -> tuple:
            return self._host(*guess, outside)

        def rule(primals: tuple, tangents: tuple) -> tuple:
            _, ends, outside = primals
            places, y, p = solve(*primals)
            residual = lambda ends, outside: self._residual(ends, outside, places, y, p)
            moved = jax.jvp(residual, primals[1:], jax.tree.map(_in_full, tangents[1:]))[1]
            moves = [not isinstance(t, SymbolicZero) for t in (tangents[1], *tangents[2][0])]
            moves[1:1] = True, True  # y and p
            if (zero := self._no_jump(moves, outside[0], y, p)) is not None:
                mesh = ends[0] + (ends[1] - ends[0]) * places
                zeros = zero(mesh, y, p, *outside[0]) * total(jax.tree.leaves(tangents[1:]))
                moved = moved + zeros.astype(moved.dtype)
            data, indices, indptr = self._matrix(ends, outside, places, y, p)
            step = spsolve(data, indices, indptr, -moved)
            dy, dp = step[: y.size].reshape(self.nodes, self.n).T, step[y.size :]
            return (places, y, p), (jnp.zeros_like(places), dy, dp)

        solve.defjvp(rule, symbolic_zeros=True)
        ends = jnp.stack([x[0], x[-1]])
        places, y, p = solve(jax.lax.stop_gradient((x, y, p)), ends, self.outside)
        return ends[0] + (ends[1] - ends[0]) * places, y, p

    def rates(self, x: Any, y: Any, p: Any, outside: Any = None) -> Any:
        """The values of fun at no more places than there are nodes."""
        m = len(x)
        wide = (
            jnp.pad(x, (0, self.nodes - m), mode="edge"),
            jnp.pad(y, ((0, 0), (0, self.nodes - m)), mode="edge"),
        )
        return self.rate.jax(self.outside[0] if outside is None else outside, *wide, p)[:, :m]

    def _no_jump(self, moves: Sequence[bool], outside: Sequence[Any], y: Any, p: Any) -> Callable | None:
        given = y[0, 0], y[:, 0], p, *outside
        examples = [jax.ShapeDtypeStruct(jnp.shape(x), jnp.result_type(x)) for x in given]
        one = lambda x, y, p, *outside: self.single.jax(outside, x[None], y[:, None], p)[:, 0]
        return no_jump(one, moves, examples)

    def _defects(self, mesh: Any, left: Any, right: Any, p: Any, outside: Any) -> Any:
        """The residuals of Lobatto's formula in each interval: [n, nodes - 1]."""
        h = jnp.diff(mesh)
        first, last = (self.rates(x, y, p, outside) for x, y in ((mesh[:-1], left), (mesh[1:], right)))
        middle = (left + right) / 2 - h / 8 * (last - first)
        inside = self.rates(mesh[:-1] + h / 2, middle, p, outside)
        return right - left - h / 6 * (first + last + 4 * inside)

    def _residual(self, ends: Any, outside: tuple, places: Any, y: Any, p: Any) -> Any:
        mesh = ends[0] + (ends[1] - ends[0]) * places
        defects = self._defects(mesh, y[:, :-1], y[:, 1:], p, outside[0])
        return jnp.concatenate([jnp.ravel(defects.T), self.ends.jax(outside[1], y[:, 0], y[:, -1], p)])

    def _matrix(self, ends: Any, outside: tuple, places: Any, y: Any, p: Any) -> tuple:
        """The derivative of the residual in (y, p), by rows: (data, indices, indptr)."""
        n, k, nodes = self.n, self.k, self.nodes
        mesh = ends[0] + (ends[1] - ends[0]) * places
        units, own = jnp.eye(n, dtype=y.dtype), jnp.eye(k, dtype=y.dtype)
        at = (y[:, :-1], y[:, 1:], p)
        of = lambda left, right, p: self._defects(mesh, left, right, p, outside[0])
        spread = lambda e: jnp.broadcast_to(e[:, None], at[0].shape)

        def along(i: int, direction: Any) -> Any:
            moves = [jnp.zeros_like(a) for a in at]
            moves[i] = direction
            return jax.jvp(of, at, tuple(moves))[1]

        blocks = [jax.vmap(lambda e, i=i: along(i, spread(e)))(units) for i in (0, 1)]  # [j, row, interval]
        blocks.append(jax.vmap(lambda e: along(2, e))(own))
        conditions = jax.jacfwd(lambda *z: self.ends.jax(outside[1], *z), (0, 1, 2))(y[:, 0], y[:, -1], p)
        data = jnp.concatenate([jnp.ravel(b) for b in (*blocks, *conditions)])
        row, column = _places(n, k, nodes)
        order = np.lexsort((column, row))
        indptr = np.searchsorted(row[order], np.arange(n * nodes + k + 1))
        # a program of its own: else the compiler computes the whole again for each number that it gathers
        return _taken(data, order), column[order], indptr


def _in_full(tangent: Any) -> Any:
    return np.zeros(tangent.shape, tangent.dtype) if isinstance(tangent, SymbolicZero) else tangent


@jax.jit
def _taken(data: Any, order: Any) -> Any:
    return jax.lax.optimization_barrier(data)[order]


@functools.cache
def _places(n: int, k: int, nodes: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows and columns of the entries, in the order in which they are computed."""
    rows, columns = [], []
    for first, width, step in ((0, n, n), (n, n, n), (n * nodes, k, 0)):
        j, r, i = np.indices((width, n, nodes - 1)).reshape(3, -1)
        rows.append(i * n + r)
        columns.append(first + i * step + j)
    for first, width in ((0, n), (n * (nodes - 1), n), (n * nodes, k)):
        r, j = np.indices((n + k, width)).reshape(2, -1)
        rows.append(n * (nodes - 1) + r)
        columns.append(first + j)
    return np.concatenate(rows), np.concatenate(columns)

"""Cubic splines on the sphere: of the angle theta from the pole, and of the angle phi around it.

At a pole such a spline has one value, and with a continuous slope `d/d theta = a cos(phi) + b sin(phi)`. As FITPACK
has it, the first coefficients in theta are all the value f, and the second ones are f + a co + b si, where co and si
are those of the periodic splines through cos and sin at the knots (Dierckx, Curve and Surface Fitting with Splines,
chapter 11).
"""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap._errors import SignatureError
from hostwrap._recipes.cores import arrays, as_one, inexact
from hostwrap._recipes.pieces import rising
from hostwrap._types import ArrayLike
from hostwrap.interpolate._bsplines import banded_solution, basis, knots_of_data, periodic_fit
from hostwrap.interpolate._surfaces import Fit, least_squares, places, surface_at

_ROUND = 2 * np.pi


class _OnSphere(Fit):
    """Values of the two splines below; phi outside of their knots is moved to the ends."""

    def __call__(
        self, theta: ArrayLike, phi: ArrayLike, dtheta: int = 0, dphi: int = 0, grid: bool = True
    ) -> jax.Array:
        name = type(self).__name__
        tt, tp, c, _ = self._fitted()
        theta, phi = places(name, c.dtype, grid, theta=theta, phi=phi)
        on = (theta >= 0) & (theta <= np.pi)
        if not isinstance(on, jax.core.Tracer) and not on.all():
            raise ValueError(f"{name}: theta is outside of [0, pi].")
        at = theta.ravel(), jnp.clip(phi.ravel(), tp[3], tp[-4])
        found = surface_at(tt, tp, c, *at, (3, 3), (dtheta, dphi)).reshape(theta.shape)
        return jnp.where(on, found, jnp.nan)

    def ev(self, theta: ArrayLike, phi: ArrayLike, dtheta: int = 0, dphi: int = 0) -> jax.Array:
        """The values at `(theta[i], phi[i])`."""
        return self(theta, phi, dtheta, dphi, grid=False)


def _from_pole_to_pole(inner: Any) -> Any:
    return jnp.concatenate([jnp.zeros(4, inner.dtype), inner, jnp.full(4, np.pi, inner.dtype)])


def _of_rows(in_theta: tuple, rows: tuple[int, int]) -> Any:
    """What these rows of coefficients get at the sites: [2, m]."""
    values, columns = in_theta
    return jnp.stack([jnp.sum(jnp.where(columns == k, values, 0.0), 1) for k in rows])


def _at_poles(in_theta: tuple, n: int, waves: Any) -> Any:
    """What the value and the slopes a and b of each pole get at the sites, [m, 6]; waves are cos and sin there, [m, 2].

    The last row of coefficients is the first one from the other pole.
    """
    parts = []
    for rows in ((0, 1), (n - 1, n - 2)):
        one, two = _of_rows(in_theta, rows)
        parts.append(jnp.concatenate([(one + two)[:, None], two[:, None] * waves], 1))
    return jnp.concatenate(parts, 1)


def _of_poles(poles: Any, slopes: Any) -> list[Any]:
    """The first two rows of coefficients and the last two, of the values and slopes of the poles [6]."""
    first = [jnp.broadcast_to(f, slopes.shape[:1]) for f in (poles[0], poles[3])]
    second = [f + slopes @ part for f, part in zip(first, (poles[1:3], poles[4:]), strict=True)]
    return [first[0], second[0], second[1], first[1]]


def _around(values: Any, columns: Any, turns: int) -> tuple[Any, Any]:
    """Basis functions in phi, of which the last three are the first three again; each of them once."""
    columns = columns % turns
    if turns > 3:
        return values, columns
    whole = jnp.sum(jnp.where(columns[..., None] == jnp.arange(turns), values[..., None], 0.0), 1)
    return whole, jnp.broadcast_to(jnp.arange(turns), whole.shape)


@as_one()
def _least(theta: Any, phi: Any, r: Any, w: Any, tt: Any, tp: Any) -> tuple[Any, Any, Any, Any]:
    """Knots, coefficients, and the sum of squares, with these inner knots.

    The rows next to the poles stand among the unknowns and are 0, as equations of their own say: nothing uses them.
    """
    m, n, turns = theta.shape[0], tt.shape[0] + 4, tp.shape[0] + 1
    ends = jnp.concatenate([jnp.zeros(1, tp.dtype), tp, jnp.full(1, _ROUND, tp.dtype)])
    tp, tt = knots_of_data(ends, 3, True, False), _from_pole_to_pole(tt)
    slopes = periodic_fit(tp, ends, jnp.stack([jnp.cos(ends), jnp.sin(ends)], 1), 3)
    in_theta, in_phi = basis(tt, theta, 3, 0), basis(tp, phi, 3, 0)
    waves = jnp.einsum("mk,mkd->md", in_phi[0], slopes[in_phi[1]])
    share, at = _around(*in_phi, turns)
    inner = (in_theta[1] > 1) & (in_theta[1] < n - 2)
    values = (jnp.where(inner, in_theta[0], 0.0)[:, :, None] * share[:, None, :]).reshape(m, -1)
    columns = (in_theta[1][:, :, None] * turns + at[:, None, :]).reshape(m, -1)
    values = jnp.concatenate([values, _at_poles(in_theta, n, waves)], 1) * w[:, None]
    columns = jnp.concatenate([columns, jnp.broadcast_to(n * turns + jnp.arange(6), (m, 6))], 1)
    unused = (np.array([0, 1, n - 2, n - 1])[:, None] * turns + np.arange(turns)).ravel()
    more = (unused[:, None] + np.arange(values.shape[1])) % (n * turns + 6)
    values = jnp.concatenate([values, jnp.zeros(more.shape, values.dtype).at[:, 0].set(1.0)])
    columns = jnp.concatenate([columns, more])
    rest, found = least_squares(
        values, columns, n * turns + 6, jnp.concatenate([w * r, jnp.zeros(len(unused), r.dtype)])
    )
    c = found[: n * turns].reshape(n, turns)
    c = jnp.concatenate([c, c[:, np.arange(3) % turns]], 1)
    one, two, three, four = _of_poles(found[n * turns :], slopes)
    c = jnp.concatenate([jnp.stack([one, two]), c[2 : n - 2], jnp.stack([three, four])])
    return tt, tp, c, jnp.sum(rest[:m] ** 2)


@dataclasses.dataclass(frozen=True, eq=False)
class LSQSphereBivariateSpline(_OnSphere):
    """`scipy.interpolate.LSQSphereBivariateSpline`: the spline on the sphere with these knots and the least squares.

    Differentiable in theta, phi, r, the knots, w and the places, to any order.

    Args:
        theta, phi, r: the data, [m] each, real: angles in [0, pi] and [0, 2 pi], and values there.
        tt, tp: the inner knots, increasing, in (0, pi) and (0, 2 pi).
        w: [m], not negative; 1 by default.
        eps: without effect. Where the data do not say all coefficients SciPy takes the smallest ones; here that is an
            error, or NaN.

    Called with `grid=True` (the default) it takes places [k], [l] and returns values [k, l]; with False, or as `ev`,
    arrays of one shape. dtheta, dphi: orders of derivatives.

    Raises:
        SignatureError: shapes that do not fit. ValueError: theta outside of [0, pi]; in a compiled program the value is
            NaN there. RuntimeError: data that do not say all coefficients; inside a compiled program HostCallError.

    >>> import jax, numpy as np
    >>> theta, phi = np.meshgrid(np.linspace(0.1, 3.0, 8), np.arange(8) * np.pi / 4)
    >>> knots = np.array([1.0, 2.0]), np.array([1.5, 3.0, 4.5])
    >>> f = lambda r: LSQSphereBivariateSpline(theta.ravel(), phi.ravel(), r, *knots).ev(1.3, 2.0)
    >>> print(jax.grad(f)(np.cos(theta).ravel()).sum().round(6))
    1.0
    """

    theta: ArrayLike
    phi: ArrayLike
    r: ArrayLike
    tt: ArrayLike
    tp: ArrayLike
    w: ArrayLike | None = None
    eps: float = 1e-16

    def _fitted(self) -> tuple[Any, Any, Any, Any]:
        name = "LSQSphereBivariateSpline"
        given = arrays(name, theta=self.theta, phi=self.phi, r=self.r, tt=self.tt, tp=self.tp)
        theta, phi, r, tt, tp = given
        (w,) = arrays(name, w=jnp.ones(r.shape) if self.w is None else self.w)
        shapes = [a.shape for a in (theta, phi, r, w)]
        if r.ndim != 1 or set(shapes) != {r.shape} or tt.ndim != 1 or tp.ndim != 1 or tp.size < 2:
            raise SignatureError(
                f"{name}: wants theta, phi, r, w of shape (m,), tt (k,), and tp (l,) with l > 1, got "
                f"{', '.join(map(str, shapes))}, {tt.shape}, {tp.shape}."
            )
        real = inexact(*given, w)
        theta, phi, r, w = (a.astype(real) for a in (theta, phi, r, w))
        tt, tp = (rising(name, n, t.astype(real)) for n, t in (("tt", tt), ("tp", tp)))
        return _least(theta, phi, r, w, tt, tp)


jax.tree_util.register_dataclass(
    LSQSphereBivariateSpline, data_fields=["theta", "phi", "r", "tt", "tp", "w"], meta_fields=["eps"]
)


def _estimated(u: Any, v: Any, r: Any, poles: Any, smooth: tuple, unknown: tuple) -> Any:
    """The poles' values and slopes [6], of which the unknown ones let half of the knots fit best.

    That spline interpolates in phi at the knots, so that a row of coefficients may be taken as a function of the sites
    v, and the waves there are 1, cos and sin themselves.
    """
    if not any(unknown):
        return poles
    t = _from_pole_to_pole(u[2 : u.shape[0] - 2 : 2])
    n = t.shape[0] - 4
    in_theta = basis(t, u, 3, 0)
    first, second = _of_rows(in_theta, (0, n - 1)), _of_rows(in_theta, (1, n - 2))
    shares = jnp.stack(
        [first[0] + smooth[0] * second[0], second[0], first[1] + smooth[1] * second[1], second[1]]
    )
    left_over = _beside_poles(in_theta, n, smooth, jnp.concatenate([r, shares.T], 1))
    data, shares = left_over[:, : v.shape[0]], left_over[:, v.shape[0] :].T
    waves = jnp.stack([jnp.ones_like(v), jnp.cos(v), jnp.sin(v)])
    shares = shares[np.array([0, 1, 1, 2, 3, 3])] * _steps(t)[:, None]
    effects = shares[:, :, None] * waves[np.array([0, 1, 2] * 2)][:, None, :]
    looked_for = np.flatnonzero(unknown)
    own = effects[looked_for].reshape(len(looked_for), -1)
    rest = data.ravel() - jnp.tensordot(jnp.where(np.array(unknown), 0.0, poles), effects, 1).ravel()
    return poles.at[looked_for].set(jnp.linalg.solve(own @ own.T, own @ rest))


def _beside_poles(in_theta: tuple, n: int, smooth: tuple, right: Any) -> Any:
    """What the rows of coefficients that the poles do not say leave over of the right sides [m, k]."""
    values, columns = in_theta
    said = np.unique([0, n - 1] + [1] * smooth[0] + [n - 2] * smooth[1])
    inner = (columns > smooth[0]) & (columns < n - 1 - smooth[1])
    more = (said[:, None] + np.arange(4)) % n
    values = jnp.concatenate([
        jnp.where(inner, values, 0.0), jnp.zeros(more.shape, values.dtype).at[:, 0].set(1.0),
    ])  # fmt: skip
    m = right.shape[0]
    right = jnp.pad(right, ((0, len(said)), (0, 0)))
    return least_squares(values, jnp.concatenate([columns, more]), n, right)[0][:m]


@as_one("smooth", "unknown")
def _through(u: Any, v: Any, r: Any, poles: Any, smooth: tuple, unknown: tuple) -> tuple[Any, Any, Any]:
    """Knots and coefficients of the spline through the data."""
    poles = _estimated(u, v, r, poles, smooth, unknown)
    m = u.shape[0]
    tt = _from_pole_to_pole(u[1 - smooth[0] : m - 1 + smooth[1]])
    n = tt.shape[0] - 4
    ends = jnp.concatenate([v, v[:1] + _ROUND])
    tp = knots_of_data(ends, 3, True, False)
    slopes = jnp.stack([jnp.cos(v), jnp.sin(v)], 1)
    one, two, three, four = _of_poles(poles * _steps(tt), slopes)
    values, columns = basis(tt, u, 3, 0)
    rows = [(0, one, [0, 1, 2, 3])] + [(1, two, [1, 0, 2, 3])] * smooth[0]
    rows += [(n - 2, three, [n - 2, n - 1, n - 3, n - 4])] * smooth[1]
    rows += [(n - 1, four, [n - 1, n - 2, n - 3, n - 4])]
    known = jnp.zeros((len(rows), 4), values.dtype).at[:, 0].set(1.0)
    c = banded_solution(
        jnp.concatenate([values, known]),
        jnp.concatenate([columns, np.array([at for *_, at in rows])]),
        jnp.concatenate([r, jnp.stack([given for _, given, _ in rows])]),
    )
    c = periodic_fit(tp, ends, jnp.concatenate([c.T, c.T[:1]]), 3)
    return tt, tp, c.T


def _steps(tt: Any) -> Any:
    """From values and slopes at the poles to coefficients: of a slope in theta it is a third of the first step."""
    one, north, south = jnp.ones((), tt.dtype), (tt[4] - tt[3]) / 3, (tt[-5] - tt[-4]) / 3
    return jnp.stack([one, north, north, one, south, south])


@dataclasses.dataclass(frozen=True, eq=False)
class RectSphereBivariateSpline(_OnSphere):
    """`scipy.interpolate.RectSphereBivariateSpline` with s=0: the spline on the sphere through data on a grid.

    Differentiable in u, v, r, the poles' values and the places, to any order.

    Args:
        u: [n], increasing, in (0, pi): angles from the pole. v: [m], increasing, v[0] in [-pi, pi) and v[-1] less than
            v[0] + 2 pi: angles around it. r: [n, m], real.
        s: 0.
        pole_continuity: whether the slope is continuous at the poles; one truth value, or one for each pole.
        pole_values: one number, or one for each pole, or None: then, and for slopes that are not flat, the spline with
            half of the knots decides that fits best.
        pole_exact: without effect: with s=0 the values at the poles are what is given.
        pole_flat: whether the slope is 0 at the poles, of those with a continuous one.

    Called with `grid=True` (the default) it takes places [k], [l] and returns values [k, l]; with False, or as `ev`,
    arrays of one shape. dtheta, dphi: orders of derivatives.

    Raises:
        SignatureError: shapes that do not fit, another s, a flat pole without a continuous slope. ValueError: theta
            outside of [0, pi]; in a compiled program the value is NaN there.

    >>> import jax, numpy as np
    >>> u, v = np.arange(1.0, 6.0) / 2, np.arange(-3.0, 3.0)
    >>> f = lambda r: RectSphereBivariateSpline(u, v, r).ev(1.3, 0.4)
    >>> print(jax.grad(f)(np.ones((5, 6))).sum().round(6))
    1.0
    """

    u: ArrayLike
    v: ArrayLike
    r: ArrayLike
    s: float = 0.0
    pole_continuity: bool | tuple[bool, bool] = False
    pole_values: Any = None
    pole_exact: bool | tuple[bool, bool] = False
    pole_flat: bool | tuple[bool, bool] = False

    def _fitted(self) -> tuple[Any, Any, Any, Any]:
        name = "RectSphereBivariateSpline"
        smooth, flat = (_of_both(x) for x in (self.pole_continuity, self.pole_flat))
        unused = self.pole_values is None or isinstance(self.pole_values, tuple | list)
        values = tuple(self.pole_values or (None, None)) if unused else (self.pole_values,) * 2
        u, v, r = arrays(name, u=self.u, v=self.v, r=self.r)
        given = arrays(name, **{f"pole_values[{i}]": 0.0 if x is None else x for i, x in enumerate(values)})
        missing = [x is None for x in values]
        if np.ndim(self.s) or self.s != 0 or any(f and not s for f, s in zip(flat, smooth, strict=True)):
            raise SignatureError(
                f"{name}: wants s=0, and pole_flat only where pole_continuity is, got s={self.s!r:.40}, "
                f"pole_continuity={self.pole_continuity}, pole_flat={self.pole_flat}."
            )
        least = max(1, 4 - missing.count(False) - flat.count(True))
        shapes = [x.shape for x in given]
        if (
            r.shape != (*u.shape, *v.shape)
            or u.ndim != 1
            or u.size < least
            or v.size < 4
            or shapes != [(), ()]
        ):
            raise SignatureError(
                f"{name}: wants u (n,), v (m,), r (n, m) with n >= {least} and m >= 4, and numbers at the poles; got "
                f"{u.shape}, {v.shape}, {r.shape} and {shapes}."
            )
        real = inexact(u, v, r, *given)
        u, v = (rising(name, n, x.astype(real)) for n, x in (("u", u), ("v", v)))
        start, zero = [x.astype(real) for x in given], jnp.zeros((), real)
        poles = jnp.stack([start[0], zero, zero, start[1], zero, zero])
        unknown = tuple(
            x for m, s, f in zip(missing, smooth, flat, strict=True) for x in (m, s and not f, s and not f)
        )
        return *_through(u, v, r.astype(real), poles, smooth, unknown), zero


def _of_both(x: Any) -> tuple[bool, bool]:
    first, second = (x, x) if np.ndim(x) == 0 else x
    return bool(first), bool(second)


jax.tree_util.register_dataclass(
    RectSphereBivariateSpline,
    data_fields=["u", "v", "r", "pole_values"],
    meta_fields=["s", "pole_continuity", "pole_exact", "pole_flat"],
)

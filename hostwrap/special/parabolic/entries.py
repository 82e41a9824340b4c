"""Parabolic cylinder functions D, V and W with their derivatives.

SciPy's own values are off in some regions (by a factor for D_50(-6)); the derivatives, those in x too, are the
kernels'. They are NaN where SciPy's value is, for W beyond |a| = 5 and |x| = 5.
"""

from hostwrap.special._entry import kernel, real, special
from hostwrap.special._known import known
from hostwrap.special._numerics.mp_partial import partial
from hostwrap.special.hypergeometric import unsafe
from hostwrap.special.parabolic import cylinder
from hostwrap.special.parabolic import pbwa as weber
from hostwrap.special.parabolic.mp import d_pair, v_pair, w_pair

__all__ = ["pbdv", "pbvv", "pbwa"]

D_BOXES = {"v": real(-10, 20), "x": real(-8, 12)}
V_BOXES = {"v": real(-10, 20), "x": real(-8, 8)}
W_BOXES = {"a": real(-5, 5), "x": real(-5, 5)}


pbdv_n = kernel(
    "pbdv_n(v, x, *, nv=0, nx=0)",  # the mixed derivative of these orders
    host=cylinder.pbdv_n,
    loops=True,
    dv=lambda y, v, x, *, nv, nx: pbdv_n(v, x, nv=nv + 1, nx=nx),
    dx=lambda y, v, x, *, nv, nx: pbdv_n(v, x, nv=nv, nx=nx + 1),
    ref=lambda mp, v, x, *, nv, nx: partial(mp, lambda *p: d_pair(mp, *p)[0], (v, x), (nv, nx)),
    **D_BOXES,
    see="DLMF 12.2.2",
)
pbvv_n = kernel(
    "pbvv_n(v, x, *, nv=0, nx=0)",
    host=cylinder.pbvv_n,
    loops=True,
    dv=lambda y, v, x, *, nv, nx: pbvv_n(v, x, nv=nv + 1, nx=nx),
    dx=lambda y, v, x, *, nv, nx: pbvv_n(v, x, nv=nv, nx=nx + 1),
    ref=lambda mp, v, x, *, nv, nx: partial(mp, lambda *p: v_pair(mp, *p)[0], (v, x), (nv, nx)),
    **V_BOXES,
    see="DLMF 12.2.2",
)
pbwa_n = kernel(
    "pbwa_n(a, x, *, na=0, nx=0)",
    host=weber.pbwa_n,
    loops=True,
    da=lambda y, a, x, *, na, nx: pbwa_n(a, x, na=na + 1, nx=nx),
    dx=lambda y, a, x, *, na, nx: pbwa_n(a, x, na=na, nx=nx + 1),
    ref=lambda mp, a, x, *, na, nx: partial(mp, lambda *p: w_pair(mp, *p)[0], (a, x), (na, nx)),
    **W_BOXES,
    see="DLMF 12.14.1",
)

pbdv = special(
    "pbdv(v, x) -> d, dp",
    dv=lambda y, v, x: (known(y.d, pbdv_n(v, x, nv=1)), known(y.dp, pbdv_n(v, x, nv=1, nx=1))),
    dx=lambda y, v, x: (known(y.d, pbdv_n(v, x, nx=1)), known(y.dp, pbdv_n(v, x, nx=2))),
    unsafe=unsafe.weber,
    ref=lambda mp, v, x: d_pair(mp, v, x),
    **D_BOXES,
    at=[
        (0.0, 0.0),
        (1.0, -3.0),
        (5.0, 2.0),
        (5.0, -6.0),
        (-1.0, 0.3),
        (-2.5, -6.0),
        (50.3, 8.0),
        (-50.3, 1.1),
    ],
    see="DLMF 12.2.2, 12.7.14; order by the differential equation with Taylor jets",
)
pbvv = special(
    "pbvv(v, x) -> v, vp",
    dv=lambda y, v, x: (known(y.v, pbvv_n(v, x, nv=1)), known(y.vp, pbvv_n(v, x, nv=1, nx=1))),
    dx=lambda y, v, x: (known(y.v, pbvv_n(v, x, nx=1)), known(y.vp, pbvv_n(v, x, nx=2))),
    unsafe=unsafe.weber,
    ref=lambda mp, v, x: v_pair(mp, v, x),
    **V_BOXES,
    at=[
        (0.0, 0.0),
        (0.5, -3.0),
        (5.0, 2.0),
        (5.0, -6.0),
        (-1.0, 0.3),
        (-2.5, -6.0),
        (-2.5, 6.0),
        (50.3, 1.1),
    ],
    see="DLMF 12.2.2; order by the differential equation with Taylor jets",
)
pbwa = special(
    "pbwa(a, x) -> w, wp",
    da=lambda y, a, x: (known(y.w, pbwa_n(a, x, na=1)), known(y.wp, pbwa_n(a, x, na=1, nx=1))),
    dx=lambda y, a, x: (known(y.w, pbwa_n(a, x, nx=1)), known(y.wp, pbwa_n(a, x, nx=2))),
    ref=lambda mp, a, x: w_pair(mp, a, x),
    **W_BOXES,
    at=[(0.0, 0.0), (0.0, 4.5), (2.0, 4.5), (4.9, 4.9), (4.9, -4.9), (4.9, 1.0), (-4.9, 3.0), (0.5, 1e-3)],
    see="DLMF 12.14.1; parameter by the differential equation with Taylor jets",
)

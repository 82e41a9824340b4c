"""Hypergeometric functions 0F1, 1F1 and U; 2F1 is in `entries_gauss`.

SciPy's own values lose all digits for some large parameters; the derivatives, those in z too, are the kernels'.
They are NaN where SciPy's value is.
"""

from hostwrap.special._entry import kernel, real, special
from hostwrap.special._known import known
from hostwrap.special._numerics.mp_partial import partial
from hostwrap.special._orders import orders
from hostwrap.special.hypergeometric import hyp0f1 as confluent
from hostwrap.special.hypergeometric import hyp1f1 as kummer
from hostwrap.special.hypergeometric import hyperu as tricomi
from hostwrap.special.hypergeometric import unsafe

__all__ = ["hyp0f1", "hyp1f1", "hyperu"]


hyp0f1_n = kernel(
    "hyp0f1_n(v, z, *, nv=0, nz=0)",  # the mixed derivative of these orders
    host=confluent.hyp0f1_n,
    loops=True,
    dv=lambda y, v, z, *, nv, nz: hyp0f1_n(v, z, nv=nv + 1, nz=nz),
    dz=lambda y, v, z, *, nv, nz: hyp0f1_n(v, z, nv=nv, nz=nz + 1),
    ref=lambda mp, v, z, *, nv, nz: partial(mp, mp.hyp0f1, (v, z), (nv, nz)),
    v=real(-4, 30),
    z=real(-1000, 300, im=100),
    see="DLMF 16.3.1",
)
hyp0f1_1 = kernel(
    "hyp0f1_1(v, z) -> fv, fz",
    host=confluent.hyp0f1_1,
    loops=True,
    dv=lambda y, v, z: (hyp0f1_n(v, z, nv=2), hyp0f1_n(v, z, nv=1, nz=1)),
    dz=lambda y, v, z: (hyp0f1_n(v, z, nv=1, nz=1), hyp0f1_n(v, z, nz=2)),
    ref=lambda mp, v, z: [partial(mp, mp.hyp0f1, (v, z), index) for index in ((1, 0), (0, 1))],
    v=real(-4, 30),
    z=real(-1000, 300, im=100),
    see="DLMF 16.3.1",
)
hyp0f1 = special(
    "hyp0f1(v, z)",
    dv=lambda y, v, z: known(y, hyp0f1_1(v, z)[0]),
    dz=lambda y, v, z: known(y, hyp0f1_1(v, z)[1]),
    unsafe=unsafe.bessel,
    ref=lambda mp, v, z: mp.hyp0f1(v, z),
    v=real(-4, 30),
    z=real(-1000, 300, im=100),
    at=[
        (2.5, 0.0),
        (1.0, -400.0),
        (0.3, -10000.0),
        (60.0, 300.0),
        (60.0, -3000.0),
        (1e-3, -20.0),
        (-2.3, -40.0),
        (300.0, 1.0),
        (1.5, 1e-12),
        (2.5, 50j),
        (0.3, -2000 + 5j),
    ],
    see="DLMF 16.3.1; DLMF 10.16.9, 10.39.9",
)
hyp1f1 = special(
    "hyp1f1(a, b, x)",
    orders=orders(kummer.hyp1f1_n, loops=True),
    unsafe=unsafe.kummer,
    ref=lambda mp, a, b, x: mp.hyp1f1(a, b, x),
    a=real(-8, 15),
    b=real(-4, 15),
    x=real(-60, 40, im=20),
    at=[
        (0.5, 1.5, 0.0),
        (0.0, 1.5, 2.0),
        (-3.0, 1.0, 2.0),  # polynomials
        (-20.0, 0.5, 15.0),
        (4.5, 1.5, -12.0),
        (-20.3, 2.5, 60.0),
        (2.0, 2.0, -30.0),
        (20.0, 0.5, -0.5),
        (1.3, -2.999, 0.4),
        (3.2, -20.5, 8.0),
        (100.0, 3.0, 20.0),
        (3.0, 100.0, 200.0),
        (0.5, 1.0, 400.0),
        (1.0, 3.0, -700.0),
        (-2.3, 0.7, 1j),
        (1.5, 2.5, -20 + 30j),
        (0.5, 2.5, 100j),
    ],
    see="DLMF 13.3.15; parameters by the differential equation with Taylor jets",
)
hyperu = special(
    "hyperu(a, b, x)",
    orders=orders(tricomi.hyperu_n, loops=True),
    ref=lambda mp, a, b, x: mp.hyperu(a, b, x),
    a=real(-8, 30),
    b=real(-4, 15),
    x=real(0.01, 100),
    at=[
        (0.5, 0.5, 1e-6),
        (0.1, 2.0, 1e-6),
        (-3.0, 0.5, 0.1),
        (-3.0, 5.5, 5.0),
        (-10.3, 0.5, 1e-6),
        (-10.3, 5.5, 2.0),
        (-30.5, 1.0, 30.0),
        (0.0, 1.5, 2.0),
        (1.0, 1.0, 1.0),
        (30.0, 1.0, 5.0),
        (2.0, -2.3, 0.5),
        (-0.5, 20.0, 0.1),
    ],
    unsafe=unsafe.tricomi,
    see="DLMF 13.3.22; parameters by the integral DLMF 13.4.4",
)

"""The Gauss function 2F1. The derivatives, those in z too, are the kernels', and NaN where SciPy's value is.

All derivatives in a, b, c of one order come from one kernel, which costs little more than each of them alone.
"""

from hostwrap.special._entry import kernel, real, special
from hostwrap.special._known import known
from hostwrap.special._numerics.mp_partial import partial
from hostwrap.special.hypergeometric import hyp2f1 as gauss
from hostwrap.special.hypergeometric import unsafe
from hostwrap.special.hypergeometric._orders import indices
from hostwrap.special.hypergeometric.mp import gauss_sum

__all__ = ["hyp2f1"]

ANYWHERE = {"a": real(-6, 12), "b": real(-6, 12), "c": real(-4, 12), "z": real(-20, 1, im=4)}

FIRST, SECOND = indices(3, 1), indices(3, 2)


def _some(outputs, *which):
    return tuple(outputs[i] for i in which)


def _third(a, b, c, z, i, j, k, nz):
    """The rows of hyp2f1_2 with so many derivatives more in a, b, c."""
    return (
        hyp2f1_n(a, b, c, z, na=i + 2, nb=j, nc=k, nz=nz),
        hyp2f1_n(a, b, c, z, na=i + 1, nb=j + 1, nc=k, nz=nz),
        hyp2f1_n(a, b, c, z, na=i + 1, nb=j, nc=k + 1, nz=nz),
        hyp2f1_n(a, b, c, z, na=i, nb=j + 2, nc=k, nz=nz),
        hyp2f1_n(a, b, c, z, na=i, nb=j + 1, nc=k + 1, nz=nz),
        hyp2f1_n(a, b, c, z, na=i, nb=j, nc=k + 2, nz=nz),
    )


hyp2f1_n = kernel(
    "hyp2f1_n(a, b, c, z, *, na=0, nb=0, nc=0, nz=0)",
    host=gauss.hyp2f1_n,
    loops=True,
    da=lambda y, a, b, c, z, *, na, nb, nc, nz: hyp2f1_n(a, b, c, z, na=na + 1, nb=nb, nc=nc, nz=nz),
    db=lambda y, a, b, c, z, *, na, nb, nc, nz: hyp2f1_n(a, b, c, z, na=na, nb=nb + 1, nc=nc, nz=nz),
    dc=lambda y, a, b, c, z, *, na, nb, nc, nz: hyp2f1_n(a, b, c, z, na=na, nb=nb, nc=nc + 1, nz=nz),
    dz=lambda y, a, b, c, z, *, na, nb, nc, nz: hyp2f1_n(a, b, c, z, na=na, nb=nb, nc=nc, nz=nz + 1),
    ref=lambda mp, a, b, c, z, *, na, nb, nc, nz: partial(
        mp, lambda *p: gauss_sum(mp, *p), (a, b, c, z), (na, nb, nc, nz)
    ),
    **ANYWHERE,
    see="DLMF 15.5, 15.10.1",
)
hyp2f1_1 = kernel(
    "hyp2f1_1(a, b, c, z, *, nz=0) -> fa, fb, fc",  # of (d/dz)^nz F
    host=gauss.hyp2f1_1,
    loops=True,
    da=lambda y, a, b, c, z, *, nz: _some(hyp2f1_2(a, b, c, z, nz=nz), 0, 1, 2),
    db=lambda y, a, b, c, z, *, nz: _some(hyp2f1_2(a, b, c, z, nz=nz), 1, 3, 4),
    dc=lambda y, a, b, c, z, *, nz: _some(hyp2f1_2(a, b, c, z, nz=nz), 2, 4, 5),
    dz=lambda y, a, b, c, z, *, nz: hyp2f1_1(a, b, c, z, nz=nz + 1),
    ref=lambda mp, a, b, c, z, *, nz: [
        partial(mp, lambda *p: gauss_sum(mp, *p), (a, b, c, z), (*index, nz)) for index in FIRST
    ],
    **ANYWHERE,
    see="DLMF 15.5, 15.10.1",
)
hyp2f1_2 = kernel(
    "hyp2f1_2(a, b, c, z, *, nz=0) -> faa, fab, fac, fbb, fbc, fcc",
    host=gauss.hyp2f1_2,
    loops=True,
    da=lambda y, a, b, c, z, *, nz: _third(a, b, c, z, 1, 0, 0, nz),
    db=lambda y, a, b, c, z, *, nz: _third(a, b, c, z, 0, 1, 0, nz),
    dc=lambda y, a, b, c, z, *, nz: _third(a, b, c, z, 0, 0, 1, nz),
    dz=lambda y, a, b, c, z, *, nz: hyp2f1_2(a, b, c, z, nz=nz + 1),
    ref=lambda mp, a, b, c, z, *, nz: [
        partial(mp, lambda *p: gauss_sum(mp, *p), (a, b, c, z), (*index, nz)) for index in SECOND
    ],
    **ANYWHERE,
    see="DLMF 15.5, 15.10.1",
)
hyp2f1 = special(
    "hyp2f1(a, b, c, z)",
    da=lambda y, a, b, c, z: known(y, hyp2f1_1(a, b, c, z)[0]),
    db=lambda y, a, b, c, z: known(y, hyp2f1_1(a, b, c, z)[1]),
    dc=lambda y, a, b, c, z: known(y, hyp2f1_1(a, b, c, z)[2]),
    dz=lambda y, a, b, c, z: known(y, hyp2f1_n(a, b, c, z, nz=1)),
    unsafe=unsafe.gauss,
    ref=lambda mp, a, b, c, z: gauss_sum(mp, a, b, c, z),
    **ANYWHERE,
    at=[
        (1.0, 1.0, 2.0, 0.5),  # logarithms
        (0.5, 1.5, 3.0, 0.999999),  # c - a - b an integer, next to 1
        (2.0, 3.0, 5.0, 0.99),
        (0.5, 0.5, 1.0, -1e6),  # a - b an integer, far out
        (2.0, 5.0, 0.5, -300.0),
        (-3.0, 0.4, 1.5, 0.7),  # polynomials
        (8.0, -6.0, 0.4, 0.999999),
        (-20.0, 21.0, 1.0, 0.6),
        (-30.3, 31.3, 1.0, 0.9),
        (40.3, 30.2, 2.2, 0.8),
        (1.3, 2.4, -2.999, 0.4),
        (1.3, 2.4, 100.5, 0.9),
        (0.0, 2.0, 1.5, 0.3),
        (0.3, 0.4, 0.5, 1.2 + 0.5j),
        (2.0, 3.0, 4.0, -2 + 3j),
        (0.3, 0.4, 1.5, 3.0 + 0j),  # on the cut
        (0.7, 0.2, 1.5, 0.5 + 0.8660254037844386j),
        (1.0, 2.0, 3.5, 40.0 - 1j),
    ],
    see="DLMF 15.5, 15.10.1; parameters by the differential equation with Taylor jets",
)

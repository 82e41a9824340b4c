"""Legendre's elliptic integrals and Jacobi's elliptic functions, of the parameter m = k^2."""

from hostwrap.special._entry import kernel, real, special
from hostwrap.special._known import known
from hostwrap.special._math import cos, isnan, sin, sqrt, where
from hostwrap.special._orders import orders
from hostwrap.special.elliptic import complete, legendre
from hostwrap.special.elliptic import jacobi as jacobi_kernels
from hostwrap.special.elliptic import mp as definitions

__all__ = ["ellipe", "ellipeinc", "ellipj", "ellipk", "ellipkinc", "ellipkm1"]

ellipem1_n = kernel(
    "ellipem1_n(p, *, n)",  # (d/dp)^n of ellipe(1 - p), n > 0
    host=complete.second_n,
    loops=True,
    dp=lambda y, p, *, n: ellipem1_n(p, n=n + 1),
    ref=lambda mp, p, *, n: mp.diff(lambda t: mp.ellipe(1 - t), p, n),
    p=real(0.001, 100),
    at=[0.7501, 1.0, 1.2499, 1.3],
    see="DLMF 19.4.2, 19.5.2, 19.25.1",
)
ellipk = special(
    "ellipk(m)",
    dm=lambda y, m: -ellipkm1_n(1 - m, dp=1),
    ref=lambda mp, m: mp.ellipk(m),
    m=real(-100, 1),
    at=[0.0, 1e-300, 1e-10, -1e-8, 1 - 1e-6, 1 - 1e-14, -1e6],
    see="DLMF 19.4.1",
)
ellipkm1 = special(
    "ellipkm1(p)",
    orders=orders(complete.first_n, loops=True, p=real(0.001, 100), at=[0.7501, 1.0, 1.2499, 1.3]),
    ref=lambda mp, p: mp.pi / 2 / mp.agm(1, mp.sqrt(p)),
    p=real(0, 100),
    at=[1.0, 1.0 + 1e-9, 1e-20, 1e-100, 1e-300, 1e5],
    see="DLMF 19.4.1",
)
ellipkm1_n = ellipkm1.derivatives
ellipe = special(
    "ellipe(m)",
    dm=lambda y, m: -ellipem1_n(1 - m, n=1),
    ref=lambda mp, m: mp.ellipe(m),
    m=real(-100, 1),
    at=[0.0, 1e-300, 1e-10, -1e-8, 1 - 1e-6, 1 - 1e-14, -1e6],
    see="DLMF 19.4.2",
)


def modulus(phi, m):
    """1 - m sin(phi)^2, in the form that keeps its digits and those of its derivatives."""
    s, c = sin(phi), cos(phi)
    return where(m < 0.5, 1 - m * s * s, c * c + (1 - m) * s * s)


def rising(a, n):
    """Pochhammer's symbol, n an integer."""
    return rising(a, n - 1) * (a + n - 1) if n else 1.0


ellipkinc = special(
    "ellipkinc(phi, m)",
    dphi=lambda y, phi, m: known(y, 1 / sqrt(modulus(phi, m))),
    dm=lambda y, phi, m: known(y, ellipkinc_n(phi, m, n=1)),
    ref=lambda mp, phi, m: mp.ellipf(phi, m),
    phi=real(-20, 20),
    m=real(-100, 1),
    at=[(1e-8, 0.3), (1.57, 1 - 1e-9), (-1.2, 0.0), (3.0, 0.95), (-25.0, -100.0), (0.4, -1e6), (1.0, 1e-9)],
    see="DLMF 19.25.5",
)
ellipkinc_n = kernel(
    "ellipkinc_n(phi, m, *, n)",  # (d/dm)^n of ellipkinc, n > 0
    host=legendre.first_n,
    loops=True,
    dphi=lambda y, phi, m, *, n: rising(0.5, n) * sin(phi) ** (2 * n) / modulus(phi, m) ** (n + 0.5),
    dm=lambda y, phi, m, *, n: ellipkinc_n(phi, m, n=n + 1),
    ref=lambda mp, phi, m, *, n: mp.diff(lambda t: mp.ellipf(phi, t), m, n),
    phi=real(-5, 5),
    m=real(-10, 0.95),
    see="DLMF 19.25.5",
)
ellipeinc = special(
    "ellipeinc(phi, m)",
    dphi=lambda y, phi, m: known(y, sqrt(modulus(phi, m))),
    dm=lambda y, phi, m: known(y, ellipeinc_n(phi, m, n=1)),
    ref=lambda mp, phi, m: mp.ellipe(phi, m),
    phi=real(-20, 20),
    m=real(-100, 1),
    at=[(1e-8, 0.3), (1.57, 1 - 1e-9), (-1.2, 0.0), (3.0, 0.95), (-25.0, -100.0), (0.4, -1e6), (1.0, 1e-9)],
    see="DLMF 19.25.9",
)
ellipeinc_n = kernel(
    "ellipeinc_n(phi, m, *, n)",  # (d/dm)^n of ellipeinc, n > 0
    host=legendre.second_n,
    loops=True,
    dphi=lambda y, phi, m, *, n: rising(-0.5, n) * sin(phi) ** (2 * n) / modulus(phi, m) ** (n - 0.5),
    dm=lambda y, phi, m, *, n: ellipeinc_n(phi, m, n=n + 1),
    ref=lambda mp, phi, m, *, n: mp.diff(lambda t: mp.ellipe(phi, t), m, n),
    phi=real(-5, 5),
    m=real(-10, 0.95),
    see="DLMF 19.25.9",
)


# sn, cn and dn are functions of the amplitude and m; its derivative in u is dn.


def u_slopes(j, m):
    return j.cn * j.dn, -j.sn * j.dn, -m * j.sn * j.cn


def by_leibniz(u, m, n):
    """(d/dm)^n of cn dn, -sn dn and -m sn cn."""
    jets, total, binomial = [jacobi_n(u, m, n=k) for k in range(n + 1)], (0.0, 0.0, 0.0), 1
    for k in range(n + 1):
        f, g = jets[k], jets[n - k]
        last = m * g.cn + ((n - k) * jets[n - k - 1].cn if k < n else 0.0)  # the same of m cn
        parts = f.cn * g.dn, -f.sn * g.dn, -f.sn * last
        total = tuple(t + binomial * part for t, part in zip(total, parts, strict=True))
        binomial = binomial * (n - k) // (k + 1)
    return total


def ellipj_u(y, u, m):
    j = jacobi(u, m)
    return tuple(where(isnan(y.ph), y.ph, f) for f in (*u_slopes(j, m), j.dn))


def ellipj_m(y, u, m):
    j = jacobi_n(u, m, n=1)
    return tuple(where(isnan(y.ph), y.ph, f) for f in (j.sn, j.cn, j.dn, amplitude_n(u, m, n=1)))


ellipj = special(
    "ellipj(u, m) -> sn, cn, dn, ph",
    du=lambda y, u, m: ellipj_u(y, u, m),
    dm=lambda y, u, m: ellipj_m(y, u, m),
    ref=lambda mp, u, m: definitions.jacobi(mp, u, m),
    u=real(-15, 15),
    m=real(0, 1),
    at=[
        (1e-8, 0.3),
        (3.0, 0.999),
        (10.0, 1 - 1e-7),
        (-1.2, 1e-9),
        (1.854, 0.5),
        (0.4, 1 - 1e-12),
        (50.0, 0.3),
        (17.0, 1.0),
    ],
    see="DLMF 22.13.1, 22.16.1",
)
jacobi = kernel(
    "jacobi(u, m) -> sn, cn, dn",  # as in ellipj, and accurate for m next to 1
    host=jacobi_kernels.jacobi,
    loops=True,
    du=lambda j, u, m: u_slopes(j, m),
    dm=lambda j, u, m: jacobi_n(u, m, n=1),
    ref=lambda mp, u, m: definitions.jacobi(mp, u, m)[:3],
    u=real(-15, 15),
    m=real(0, 1),
    at=[(20.0, 1 - 1e-12), (-30.0, 1 - 1e-9)],
    see="DLMF 22.13.1",
)
jacobi_n = kernel(
    "jacobi_n(u, m, *, n) -> sn, cn, dn",  # (d/dm)^n of them
    host=jacobi_kernels.jacobi_n,
    loops=True,
    du=lambda j, u, m, *, n: by_leibniz(u, m, n),
    dm=lambda j, u, m, *, n: jacobi_n(u, m, n=n + 1),
    ref=lambda mp, u, m, *, n: definitions.jacobi_n(mp, u, m, n),
    u=real(-15, 15),
    m=real(0.01, 0.99),
    at=[(20.0, 1 - 1e-12), (-30.0, 1 - 1e-9), (31.0, 1 - 1e-12), (-12.4, 1 - 6e-10)],
    see="DLMF 22.2, 22.7(i)",
)
amplitude_n = kernel(
    "amplitude_n(u, m, *, n)",  # (d/dm)^n of ph
    host=jacobi_kernels.amplitude_n,
    loops=True,
    du=lambda y, u, m, *, n: jacobi_n(u, m, n=n).dn,
    dm=lambda y, u, m, *, n: amplitude_n(u, m, n=n + 1),
    ref=lambda mp, u, m, *, n: definitions.amplitude_n(mp, u, m, n),
    u=real(-15, 15),
    m=real(0.01, 0.99),
    at=[(20.0, 1 - 1e-12), (-30.0, 1 - 1e-9), (31.0, 1 - 1e-12), (-12.4, 1 - 6e-10)],
    see="DLMF 22.16.1",
)

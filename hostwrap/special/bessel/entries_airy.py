"""Airy functions, plain and exponentially scaled."""

from hostwrap.special._entry import kernel, real, special
from hostwrap.special._math import conj, iscomplexobj, re, sign, sqrt, where
from hostwrap.special.bessel import airye as kernels

__all__ = ["airy", "airye"]

airy = special(
    "airy(z) -> ai, aip, bi, bip",
    dz=lambda y, z: (y.aip, z * y.ai, y.bip, z * y.bi),
    ref=lambda mp, z: (mp.airyai(z), mp.airyai(z, 1), mp.airybi(z), mp.airybi(z, 1)),
    z=real(-20, 20, im=5),
    at=[0.0, -2.338, 5 - 1j, -8 + 0.1j],
    see="DLMF 9.2.1",
)


# With zeta = 2/3 z^(3/2) the scaled functions are e^zeta Ai, e^zeta Ai' and, for real z > 0, e^-zeta Bi, e^-zeta Bi'.
# From Airy's equation (e^zeta Ai')' = sqrt(z) (e^zeta Ai)' and (e^-zeta Bi')' = -sqrt(z) (e^-zeta Bi)'; the obvious
# (e^zeta Ai)' = e^zeta Ai' + sqrt(z) e^zeta Ai cancels for large z, so those come from kernels.
# For complex z, Bi is scaled by e^-|Re zeta|, which is not holomorphic: d|Re zeta|/dz = sign(Re zeta) sqrt(z) / 2.


def airye_slopes(y, z):
    ai = airye_ai(z, n=1)
    if iscomplexobj(z):
        rate = scale_rate(z)
        return ai, sqrt(z) * ai, y.bip - rate * y.bi, z * y.bi - rate * y.bip
    bi = airye_bi(z, n=1)
    # At z = 0, where the scale begins, the second derivatives of the two sides differ, and one is infinite: NaN.
    return ai, sqrt(z) * ai, bi, where(z < 0, z * y.bi, -sqrt(where(z > 0, z, 0)) * bi)


def airye_conjugate_slopes(y, z):
    rate = conj(scale_rate(z))
    return 0 * y.ai, 0 * y.aip, -rate * y.bi, -rate * y.bip


def scale_rate(z):
    """Of zeta only the sign counts, so z^(3/2) may have any positive factor that keeps it in the doubles."""
    unit = where(abs(z) < 1e-100, 2.0**600, where(abs(z) > 1e100, 2.0**-600, 1.0))
    return sign(re(unit * z * sqrt(unit * z))) * sqrt(z) / 2


def bi_scale(mp, z):
    return mp.exp(-abs(mp.re(2 * z * mp.sqrt(z) / 3)))


def ai_scale(mp, z):
    return mp.exp(2 * z * mp.sqrt(z) / 3)


airye = special(
    "airye(z) -> ai, aip, bi, bip",
    dz=lambda y, z: airye_slopes(y, z),
    dz_conj=lambda y, z: airye_conjugate_slopes(y, z),
    ref=lambda mp, z: (
        ai_scale(mp, z) * mp.airyai(z),
        ai_scale(mp, z) * mp.airyai(z, 1),
        bi_scale(mp, z) * mp.airybi(z),
        bi_scale(mp, z) * mp.airybi(z, 1),
    ),
    z=real(0, 100, im=20),
    at=[1e-3, 1e4, 3 - 2j, -8 + 0.5j],
    see="DLMF 9.2.1",
)

airye_ai = kernel(
    "airye_ai(z, *, n)",  # (d/dz)^n of airye's ai
    host=kernels.airye_ai,
    loops=True,
    dz=lambda y, z, *, n: airye_ai(z, n=n + 1),
    ref=lambda mp, z, *, n: mp.diff(lambda t: ai_scale(mp, t) * mp.airyai(t), z, n),
    z=real(0.01, 100, im=20),
    see="DLMF 9.5.8, 9.7.5",
)

airye_bi = kernel(
    "airye_bi(z, *, n)",  # the same of bi, for real z
    host=kernels.airye_bi,
    loops=True,
    dz=lambda y, z, *, n: airye_bi(z, n=n + 1),
    ref=lambda mp, z, *, n: mp.diff(lambda t: bi_scale(mp, t) * mp.airybi(t), z, n),
    z=real(-20, 100),
    see="DLMF 9.2.11",
)

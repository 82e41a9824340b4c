"""Airy functions, plain and exponentially scaled."""

from hostwrap.special._entry import kernel, real, special
from hostwrap.special._math import abs, imag, iscomplexobj, re, sign, sqrt, where
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
# For complex z, Bi is scaled by e^-|Re zeta|, which is not holomorphic: with s = sign(Re zeta) it is e^(-s zeta) times
# the phase e^(is Im zeta). `airye_bi` is the phase times a derivative of e^(-s zeta) Bi. d Im zeta = Im(sqrt(z) dz).


def airye_slopes(y, z):
    ai, bi = airye_ai(z, n=1), airye_bi(z, n=1)
    if iscomplexobj(z):
        s, root = scale_sign(z), sqrt(z)
        turn, fall = 1j * s * imag(root), s * re(root)
        near = y.bip - fall * y.bi, z * y.bi - fall * y.bip
        return ai, root * ai, *next_to_zero(z, near, (bi + turn * y.bi, -s * root * bi + turn * y.bip))
    # At z = 0, where the scale begins, the second derivatives of the two sides differ, and one is infinite: NaN.
    return ai, sqrt(z) * ai, bi, where(z < 0, z * y.bi, -sqrt(where(z > 0, z, 0)) * bi)


def airye_imaginary_slopes(y, z):
    ai, bi, s, root = airye_ai(z, n=1), airye_bi(z, n=1), scale_sign(z), sqrt(z)
    turn, fall = 1j * s * re(root), -s * imag(root)
    near = 1j * y.bip - fall * y.bi, 1j * z * y.bi - fall * y.bip
    far = 1j * bi + turn * y.bi, -1j * s * root * bi + turn * y.bip
    return 1j * ai, 1j * root * ai, *next_to_zero(z, near, far)


def next_to_zero(z, near, far):
    """The terms of the rates of change of the scale, where the phase and its opposite in the kernel would cancel."""
    return tuple(where(abs(z) < 1, a, b) for a, b in zip(near, far, strict=True))


def airye_bi_slope(y, z, n):
    above = airye_bi(z, n=n + 1)
    return above + 1j * scale_sign(z) * imag(sqrt(z)) * y if iscomplexobj(z) else above


def scale_sign(z):
    """Of zeta only the sign counts, so z^(3/2) may have any positive factor that keeps it in the doubles."""
    unit = where(abs(z) < 1e-100, 2.0**600, where(abs(z) > 1e100, 2.0**-600, 1.0))
    return sign(re(unit * z * sqrt(unit * z)))


def bi_scale(mp, z):
    return mp.exp(-mp.fabs(mp.re(2 * z * mp.sqrt(z) / 3)))


def bi_ref(mp, z, n):
    zeta = 2 * z * mp.sqrt(z) / 3
    s, turn = mp.sign(mp.re(zeta)), mp.im(zeta)
    y = mp.diff(lambda t: mp.exp(-s * 2 * t * mp.sqrt(t) / 3) * mp.airybi(t), z, n)
    return y * mp.expj(s * turn) if s * turn else y


def ai_scale(mp, z):
    return mp.exp(2 * z * mp.sqrt(z) / 3)


airye = special(
    "airye(z) -> ai, aip, bi, bip",
    dz=lambda y, z: airye_slopes(y, z),
    dz_imag=lambda y, z: airye_imaginary_slopes(y, z),
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
    "airye_bi(z, *, n)",  # the same of bi
    host=kernels.airye_bi,
    loops=True,  # for real z
    dz=lambda y, z, *, n: airye_bi_slope(y, z, n),
    dz_imag=lambda y, z, *, n: 1j * (airye_bi(z, n=n + 1) + scale_sign(z) * re(sqrt(z)) * y),
    ref=lambda mp, z, *, n: bi_ref(mp, z, n),
    z=real(-20, 100, im=20),
    see="DLMF 9.2.11",
)

"""Kelvin functions and their derivatives.

SciPy's berp, beip, kerp and keip lose six digits next to x = 10, so the derivatives do not use them.
"""

from hostwrap.special._entry import kernel, real, special
from hostwrap.special._math import imag, re
from hostwrap.special.bessel import kelvin as kernels
from hostwrap.special.bessel import mp_kelvin as definitions

__all__ = ["bei", "beip", "ber", "berp", "kei", "keip", "kelvin", "ker", "kerp"]

BE = {"x": real(-50, 100), "at": [0.0, 1e-8, 10.1, 800.0], "see": "DLMF 10.61.1"}
KE = {"x": real(0, 100), "at": [1e-8, 9.9], "see": "DLMF 10.61.2"}

be_n = kernel(
    "be_n(x, *, dx)",  # a derivative of ber + i bei
    host=kernels.be_n,
    loops=True,
    complex_result=True,
    dx=lambda y, x, *, dx: be_n(x, dx=dx + 1),
    ref=lambda mp, x, *, dx: mp.diff(lambda t: definitions.first(mp, t)[1], x, dx - 1),
    **{**BE, "at": [0.0, 2.0, 10.1]},
)
ke_n = kernel(
    "ke_n(x, *, dx)",  # a derivative of ker + i kei
    host=kernels.ke_n,
    loops=True,
    complex_result=True,
    dx=lambda y, x, *, dx: ke_n(x, dx=dx + 1),
    ref=lambda mp, x, *, dx: mp.diff(lambda t: definitions.second(mp, t)[1], x, dx - 1),
    **{**KE, "at": [1.0, 9.9]},
)


def real_part(name, definition, derivatives, order, entry):
    """The real part of be or ke, whose derivative is the first one, or of their slope."""
    return special(
        f"{name}(x)",
        dx=lambda y, x: re(derivatives(x, dx=order)),
        ref=lambda mp, x: mp.re(definition(mp, x)[order - 1]),
        **entry,
    )


def imaginary_part(name, definition, derivatives, order, entry):
    return special(
        f"{name}(x)",
        dx=lambda y, x: imag(derivatives(x, dx=order)),
        ref=lambda mp, x: mp.im(definition(mp, x)[order - 1]),
        **entry,
    )


ber = real_part("ber", definitions.first, be_n, 1, BE)
bei = imaginary_part("bei", definitions.first, be_n, 1, BE)
ker = real_part("ker", definitions.second, ke_n, 1, KE)
kei = imaginary_part("kei", definitions.second, ke_n, 1, KE)
berp = real_part("berp", definitions.first, be_n, 2, BE)
beip = imaginary_part("beip", definitions.first, be_n, 2, BE)
kerp = real_part("kerp", definitions.second, ke_n, 2, KE)
keip = imaginary_part("keip", definitions.second, ke_n, 2, KE)


def whole(mp, x):
    (be, bep), (ke, kep) = definitions.first(mp, x), definitions.second(mp, x)
    return be, ke, bep, kep


kelvin = special(
    "kelvin(x) -> Be, Ke, Bep, Kep",
    dx=lambda y, x: (be_n(x, dx=1), ke_n(x, dx=1), be_n(x, dx=2), ke_n(x, dx=2)),
    ref=lambda mp, x: whole(mp, x),
    x=real(0, 100),
    at=[1e-8, 9.9, 10.1],
    see="DLMF 10.61.1, 10.61.2",
)

"""Bessel, Airy, Kelvin, Struve and parabolic cylinder functions in balls."""

from __future__ import annotations

from flint import acb

from tests.reference.arb.expressions import Expression, Slopes
from tests.reference.arb.functions import (
    NAN,
    I,
    hyp1f1,
    iv,
    jv,
    kv,
    log,
    off_cut,
    pi,
    power,
    size,
    sqrt,
    yv,
)

V = ("v",)  # entire in the order; Arb's formulas divide by sin(pi v), or by Gamma's at its poles


def hankel(sign, scaled=False):
    def h(v, z):
        """-+ 2i/pi exp(-+ i pi v/2) K_v(-+ i z), DLMF 10.27.8: scaled where both parts of it are."""
        if not off_cut(z).is_finite():
            return NAN
        y = jv(v, z) + sign * I * yv(v, z)
        return y * (-sign * I * z).exp() if scaled else y

    return h


def bessels(name, f, removable=()):
    """The function and its derivatives in the order."""
    plain = Expression(f, removable)
    return {name: plain, f"{name}_order": Slopes(plain, {"v": "n"})}


def real_scaled(f):
    """Times exp(-|x|) for real x; to the left of 0 the integer orders alone are real."""
    return lambda v, z: f(v, z) * (-size(z)).exp()


def spherical(f):
    """The function, or its derivative, as a static says."""
    plain = Expression(lambda n, z, derivative: sqrt(pi() / 2 / off_cut(z)) * f(acb(n) + acb(1) / 2, z))
    return Slopes(plain, {"z": lambda statics: statics["derivative"]})


def be(x):
    """ber + i bei, DLMF 10.61.1."""
    return (x * (acb(1) / 4).exp_pi_i()).bessel_i(0)


def ke(x):
    return kv(0, x * (acb(1) / 4).exp_pi_i())


def real_part(f):
    """Of a function next to the real axis: half the sum with its mirror image, which is analytic too."""
    return lambda *x: (f(*x) + mirrored(f)(*x)) / 2


def imaginary_part(f):
    return lambda *x: (f(*x) - mirrored(f)(*x)) / (2 * I)


def mirrored(f):
    return lambda *x: f(*(t.conjugate() for t in x)).conjugate()


def kelvin(f):
    """Of each Kelvin function the real and the imaginary part and their slopes."""
    re, im = Expression(real_part(f)), Expression(imaginary_part(f))
    return re, im, Slopes(re, {"x": 1}), Slopes(im, {"x": 1})


def airye(z):
    ai, aip, bi, bip = z.airy()
    scale = (2 * z * sqrt(z) / 3).exp()
    below = (-2 * z * sqrt(z) / 3).exp() if z.real > 0 else acb(1) if z.real < 0 else NAN
    return scale * ai, scale * aip, below * bi, below * bip


def struve(sign):
    def f(v, x):
        """DLMF 11.2.1 and 11.2.2."""
        series = (sign * x * x / 4).hypgeom([1], [acb(3) / 2, v + acb(3) / 2], regularized=True)
        return power(x / 2, v + 1) * series

    return f


def weber(a, x, value, slope, turn=1):
    """value * even + slope * odd solution of w'' = (x^2/4 turn^2 + a) w, DLMF 12.4.3-4."""
    s = turn * x * x / 2
    even = hyp1f1(a / 2 + acb(1) / 4, acb(1) / 2, s)
    odd = hyp1f1(a / 2 + acb(3) / 4, acb(3) / 2, s)
    return (-s / 2).exp() * (value * even + slope * x * odd)


def two(p):
    return (acb(2).log() * p).exp()


def d(v, x):
    """D_v, DLMF 12.2.6-7."""
    value = pi().sqrt() * two(v / 2) * ((1 - v) / 2).rgamma()
    slope = -pi().sqrt() * two((v + 1) / 2) * (-v / 2).rgamma()
    return weber(-v - acb(1) / 2, x, value, slope)


def v(v, x):
    """V(-v - 1/2, x), DLMF 12.2.8-9 with the reflection of Gamma."""
    value = -two(-v / 2) * (v / 2).sin_pi() * (1 + v / 2).rgamma()
    slope = two((1 - v) / 2) * (v / 2).cos_pi() * ((1 + v) / 2).rgamma()
    return weber(-v - acb(1) / 2, x, value, slope)


def w(a, x):
    """W(a, x), DLMF 12.14.2-3; |Gamma(1/4 + i a/2)|^2 is the product of Gamma at both conjugates."""
    g = lambda p: (acb(p) / 4 + I * a / 2).gamma() * (acb(p) / 4 - I * a / 2).gamma()
    quotient = sqrt(sqrt(g(1) / g(3)))
    value, slope = two(-acb(3) / 4) * quotient, -two(-acb(1) / 4) / quotient
    return weber(-I * a, x, value, slope, I)


D, VV, W = Expression(d), Expression(v), Expression(w)
BER, BEI, BERP, BEIP = kelvin(be)
KER, KEI, KERP, KEIP = kelvin(ke)
J, Y, IV, K = (Expression(f, r) for f, r in ((jv, V), (yv, V), (iv, V), (kv, V)))
H1, H2 = (Expression(hankel(sign), V, oblique=True) for sign in (1, -1))

TABLE = {
    **bessels("jv", jv, V),
    **bessels("yv", yv, V),
    **bessels("iv", iv, V),
    **bessels("kv", kv, V),
    "hankel1": H1,
    "hankel2": H2,
    "hankel1_order": Slopes(H1, {"v": "n"}),
    "hankel2_order": Slopes(H2, {"v": "n"}),
    "hankel1e": Expression(hankel(1, True), V, oblique=True),
    "hankel2e": Expression(hankel(-1, True), V, oblique=True),
    "iv_order": Slopes(IV, {"v": "n", "z": "m"}),
    "kv_order": Slopes(K, {"v": "n", "z": "m"}),
    "yv_order": Slopes(Y, {"v": "n", "z": "m"}),
    "jn": J,
    "jve": J,  # for real arguments
    "yve": Y,
    "ive": Expression(real_scaled(iv)),
    "kve": Expression(lambda v, z: kv(v, z) * z.exp(), V),
    "jve_n": Slopes(J, {"v": "i", "z": "j"}),  # for real arguments
    "yve_n": Slopes(Y, {"v": "i", "z": "j"}),
    # ---- integer orders
    "yn": Expression(lambda n, x: yv(n, x)),
    "kn": Expression(lambda n, x: kv(n, x)),
    "j0": Expression(lambda x: jv(0, x)),
    "j1": Expression(lambda x: jv(1, x)),
    "y0": Expression(lambda x: yv(0, x)),
    "y1": Expression(lambda x: yv(1, x)),
    "i0": Expression(lambda x: iv(0, x)),
    "i1": Expression(lambda x: iv(1, x)),
    "k0": Expression(lambda x: kv(0, x)),
    "k1": Expression(lambda x: kv(1, x)),
    "i0e": Expression(lambda x: iv(0, x) * (-size(x)).exp()),
    "i1e": Expression(lambda x: iv(1, x) * (-size(x)).exp()),
    "k0e": Expression(lambda x: kv(0, x) * x.exp()),
    "k1e": Expression(lambda x: kv(1, x) * x.exp()),
    "second_near": Expression(lambda x, modified: iv(2, x) if modified else jv(2, x)),
    # ---- derivatives and logarithms
    "jvp": Slopes(J, {"z": 1}),
    "yvp": Slopes(Y, {"z": 1}),
    "ivp": Slopes(IV, {"z": 1}),
    "kvp": Slopes(K, {"z": 1}),
    "h1vp": Slopes(H1, {"z": 1}),
    "h2vp": Slopes(H2, {"z": 1}),
    "log_iv": Expression(lambda v, x: log(iv(v, x))),
    "log_ive": Expression(lambda v, x: log(iv(v, x)) - x),
    "log_kv": Expression(lambda v, x: log(kv(v, x)), V),
    "log_kve": Expression(lambda v, x: log(kv(v, x)) + x, V),
    # ---- spherical, Kelvin and Airy functions
    "spherical_jn": spherical(jv),
    "spherical_yn": spherical(yv),
    "spherical_in": spherical(iv),
    "spherical_kn": spherical(kv),
    "ber": BER,
    "bei": BEI,
    "berp": BERP,
    "beip": BEIP,
    "ker": KER,
    "kei": KEI,
    "kerp": KERP,
    "keip": KEIP,
    "be_n": Slopes(Expression(be), {"x": "dx"}),
    "ke_n": Slopes(Expression(ke), {"x": "dx"}),
    "kelvin": Expression(lambda x: _kelvin_values(x), oblique=True),
    "airy": Expression(lambda z: z.airy()),
    "airye": Expression(airye),
    "airye_ai": Slopes(Expression(lambda z: airye(z)[0]), {"z": "n"}),
    "airye_bi": Slopes(Expression(lambda z: airye(z)[2]), {"z": "n"}),
    # ---- Struve and parabolic cylinder functions
    "struve": Expression(struve(-1)),
    "modstruve": Expression(struve(1)),
    "struve_zero": Expression(lambda x, modified: struve(1 if modified else -1)(acb(0), x)),
    "struve_ratio_n": Slopes(Expression(lambda x: struve(-1)(acb(0), x) / x), {"x": "n"}),
    "pbdv": Slopes(D, {}, ({}, {"x": 1})),
    "pbvv": Slopes(VV, {}, ({}, {"x": 1})),
    "pbwa": Slopes(W, {}, ({}, {"x": 1})),
    "pbdv_n": Slopes(D, {"v": "nv", "x": "nx"}),
    "pbvv_n": Slopes(VV, {"v": "nv", "x": "nx"}),
    "pbwa_n": Slopes(W, {"a": "na", "x": "nx"}),
}


def _kelvin_values(x):
    """DLMF 10.29.3 and its like give the slopes."""
    turn = (acb(1) / 4).exp_pi_i()
    return be(x), ke(x), turn * (x * turn).bessel_i(1), -turn * kv(1, x * turn)

"""Elementary functions, error functions, exponential and elliptic integrals, in balls."""

from __future__ import annotations

import scipy.special as sc
from flint import acb

from tests.reference.arb.expressions import Expression, Slopes
from tests.reference.arb.functions import (
    NAN,
    I,
    hyp1f1,
    hyp2f1,
    log,
    normal_lower,
    normal_upper,
    off_cut,
    pi,
    power,
    right,
    size,
    sqrt,
)
from tests.reference.arb.inverses import inverse
from tests.reference.arb.table_gamma import lower_or_upper
from tests.reference.composed import HELD, WEIGHTS


def degrees(f):
    return lambda x: f(x / 180)


def exprel(x):
    return hyp1f1(1, 2, x)


def log1prel(x):
    return hyp2f1(1, 1, 2, -x)


def hypotenuse(delta, r):
    return sqrt(delta * delta + r * r)


def huber(delta, r):
    if size(r).is_finite() and (delta - size(r)).real > 0:
        return r * r / 2
    return delta * (size(r) - delta / 2) if (size(r) - delta).real > 0 else NAN


def lambertw(z, k=0, **_):
    """Off the cuts: from -1/e for the principal branch, from 0 for the others."""
    edge = (-acb(1)).exp() if k == 0 else acb(0)
    return (off_cut(z + edge) - edge).lambertw(k)


def wofz(z):
    """DLMF 7.2.3."""
    return (-z * z).exp() * (-I * z).erfc()


def voigt(x, sigma, gamma):
    """The mean of w at x + i gamma and -x + i gamma: the real part for real x."""
    scale = acb(2).sqrt() * sigma
    w = (wofz((x + I * gamma) / scale) + wofz((-x + I * gamma) / scale)) / 2
    return w / (scale * pi().sqrt())


def voigt_w(x, sigma, gamma):
    scale = acb(2).sqrt() * sigma
    return wofz((x + I * gamma) / scale) / (scale * pi().sqrt())


def log_ndtr(x):
    return log(normal_lower(x))


def ndtri_exp_equation(t, y):
    return log(normal_lower(t)) - y if y.real < -1 else (-normal_lower(-t)).log1p() - y


def wave(sign):
    """int_x^inf exp(sign i t^2) dt, DLMF 7.7."""
    root = (sign * acb(1) / 4).exp_pi_i()
    return lambda x: pi().sqrt() / 2 * root * (x / root).erfc()


def modfresnel(sign):
    def both(x):
        whole = wave(sign)(x)
        return whole, (-sign * I * (x * x + pi() / 4)).exp() / pi().sqrt() * whole

    return both


def expi(x):
    """For real x; to the left of 0 the mean of both sides of the cut."""
    return -off_cut(-x).expint(1) if x.real < 0 else right(x).ei()


def ci(x):
    return off_cut(x).ci()


def chi(x):
    return off_cut(x).chi()


def even(f):
    """The logarithm of |x| in it, for real x."""
    return lambda x: f(size(x))


def ellipe_inc(phi, m):
    """DLMF 19.25.9, for |phi| < pi/2."""
    s = phi.sin()
    d = off_cut(1 - m * s * s)
    c = right(phi.cos())
    return s * acb.elliptic_rf(c * c, d, acb(1)) - m * s**3 / 3 * acb.elliptic_rd(c * c, d, acb(1))


def ellipf(phi, m):
    """DLMF 19.25.5 on the middle piece, and whole periods beyond."""
    if not phi.real.is_finite():
        return NAN
    turns = round(float((phi.real / pi().real).mid()))
    x = phi - turns * pi()
    s, c = x.sin(), right(x.cos())
    piece = s * acb.elliptic_rf(c * c, off_cut(1 - m * s * s), acb(1))
    return piece + 2 * turns * below_one(m).elliptic_k() if turns else piece


def ellipe_of(phi, m):
    if not phi.real.is_finite():
        return NAN
    turns = round(float((phi.real / pi().real).mid()))
    piece = ellipe_inc(phi - turns * pi(), m)
    return piece + 2 * turns * below_one(m).elliptic_e() if turns else piece


def below_one(m):
    return 1 - off_cut(1 - m)


def jacobi(u, m):
    """sn, cn, dn by theta functions, DLMF 22.2.4-6, for 0 < m < 1."""
    k, k_other = right(1 - right(1 - m)).elliptic_k(), right(1 - m).elliptic_k()
    tau, z = I * k_other / k, u / (2 * k)
    if not (tau.is_finite() and z.is_finite() and tau.imag > acb(1).real / 64):
        return NAN, NAN, NAN
    t1, t2, t3, t4 = acb.modular_theta(z, tau)
    _, z2, z3, z4 = acb.modular_theta(acb(0), tau)
    return z3 / z2 * t1 / t4, z4 / z2 * t2 / t4, z4 / z3 * t3 / t4


def amplitude(u, m):
    """The angle of cn + i sn, on the sheet of SciPy's."""
    sn, cn, _ = jacobi(u, m)
    near = acb(float(sc.ellipj(float(u.real.mid()), float(m.real.mid()))[3]))
    return near + log((cn + I * sn) * (-I * near).exp()) / I


def exponentials(x):
    """Beside the other elements of the array."""
    return [x.exp(), *(acb(t).exp() for t in HELD)]


def softmax(x):
    return tuple(e / sum(exponentials(x), acb(0)) for e in exponentials(x))


def logsumexp(a, b):
    return log(sum((acb(w) * e for w, e in zip((b, *WEIGHTS), exponentials(a), strict=True)), acb(0)))


SN = Expression(jacobi)
VOIGT_W = Expression(voigt_w)
F, E = Expression(ellipf), Expression(ellipe_of)
SCALE = lambda: acb(2).sqrt()

TABLE = {
    "expm1": Expression(lambda x: x.expm1()),
    "log1p": Expression(lambda x: log(1 + x)),
    "exp2": Expression(lambda x: (acb(2).log() * x).exp()),
    "exp10": Expression(lambda x: (acb(10).log() * x).exp()),
    "exprel": Expression(exprel),
    "cosm1": Expression(lambda x: -2 * (x / 2).sin() ** 2),
    "power_n": Expression(lambda x, p, n: power(x, p) * log(x) ** n),
    "powm1": Expression(lambda x, y: (y * log(x)).expm1()),
    "cbrt": Expression(lambda x: power(size(x), acb(1) / 3) * (1 if x.real > 0 else -1)),
    "sindg": Expression(degrees(lambda t: t.sin_pi())),
    "cosdg": Expression(degrees(lambda t: t.cos_pi())),
    "tandg": Expression(degrees(lambda t: t.sin_pi() / t.cos_pi())),
    "cotdg": Expression(degrees(lambda t: t.cos_pi() / t.sin_pi())),
    "radian": Expression(lambda d, m, s: (d + m / 60 + s / 3600) * pi() / 180),
    "log1prel_n": Slopes(Expression(log1prel), {"x": "n"}),
    "boxcox": Expression(lambda x, lmbda: log(x) * exprel(lmbda * log(x))),
    "boxcox1p": Expression(lambda x, lmbda: log(1 + x) * exprel(lmbda * log(1 + x))),
    "inv_boxcox": Expression(lambda y, lmbda: (y * log1prel(lmbda * y)).exp()),
    "inv_boxcox1p": Expression(lambda y, lmbda: (y * log1prel(lmbda * y)).expm1()),
    "log_ratio": Expression(lambda x, y: log(x / y)),
    "quotient": Expression(lambda x, y: x / y),
    "excess": Expression(lambda x, y: x / y - 1),
    "entr": Expression(lambda x: -x * log(x)),
    "rel_entr": Expression(lambda x, y: x * log(x / y)),
    "kl_div": Expression(lambda x, y: x * log(x / y) - x + y),
    "xlogy": Expression(lambda x, y: x * log(y)),
    "xlog1py": Expression(lambda x, y: x * log(1 + y)),
    "huber": Expression(huber),
    "steep": Expression(lambda delta, r: r / hypotenuse(delta, r)),
    "pseudo_huber": Expression(lambda delta, r: r * r / (sqrt(1 + (r / delta) ** 2) + 1)),
    "pseudo_huber_r": Expression(lambda delta, r: r / sqrt(1 + (r / delta) ** 2)),
    "lambertw": Expression(lambertw),
    "lambertw_n": Slopes(Expression(lambertw), {"z": "dz"}),
    "expit": Expression(lambda x: 1 / (1 + (-x).exp())),
    "expit_slope": Expression(lambda x: 1 / (4 * (x / 2).cosh() ** 2)),
    "logit": Expression(lambda x: log(x / (1 - x))),
    "log_expit": Expression(lambda x: -log(1 + (-x).exp())),
    "softplus": Expression(lambda x: log(1 + x.exp())),
    "softmax": Expression(softmax),
    "log_softmax": Expression(lambda x: tuple(map(log, softmax(x)))),
    "logsumexp": Expression(logsumexp),
    "wrightomega": Expression(lambda z: z.exp().lambertw(), plane=lambda z: NAN),
    "sinc": Expression(lambda x: x.sinc_pi()),
    "diric": Expression(lambda x, n: sum((((2 * k - n + 1) * x / 2).cos() for k in range(n)), acb(0)) / n),
    # ---- error functions
    "erf": Expression(lambda z: z.erf()),
    "erfc": Expression(lambda x: x.erfc()),
    "erfi": Expression(lambda z: z.erfi()),
    "wofz": Expression(wofz, oblique=True),
    "erfcx": Expression(lambda x: (x * x).exp() * x.erfc()),
    "dawsn": Expression(lambda x: pi().sqrt() / 2 * (-x * x).exp() * x.erfi()),
    "gaussian": Slopes(Expression(lambda z, c: (c * z * z / 2).exp()), {"z": "n"}),
    "fresnel": Expression(lambda z: (z.fresnel_s(), z.fresnel_c())),
    "fresnel_wave": Expression(lambda z: ((z * z / 2).sin_pi(), (z * z / 2).cos_pi())),
    "voigt_profile": Expression(voigt),
    "voigt_n": Slopes(VOIGT_W, {"x": "n"}),
    "ndtr": Expression(normal_lower),
    "log_ndtr": Expression(log_ndtr),
    "mills_n": Slopes(
        Expression(lambda x: sqrt(pi() / 2) * (x * x / 2).exp() * (-x / SCALE()).erfc()), {"x": "n"}
    ),
    "erfinv": Expression(inverse(lambda t, y: t.erf() - y, sc.erfinv)),
    "erfcinv": Expression(inverse(lambda t, y: lower_or_upper(acb.erfc, acb.erf, (t,), y), sc.erfcinv)),
    "ndtri": Expression(inverse(lambda t, y: lower_or_upper(normal_lower, normal_upper, (t,), y), sc.ndtri)),
    "ndtri_exp": Expression(inverse(ndtri_exp_equation, sc.ndtri_exp)),
    "tklmbda": Expression(
        inverse(lambda t, x, lmbda: (power(t, lmbda) - power(1 - t, lmbda)) / lmbda - x, sc.tklmbda)
    ),
    "nrdtrimn": Expression(
        inverse(
            lambda t, p, std, x: lower_or_upper(normal_lower, normal_upper, ((x - t) / std,), p), sc.nrdtrimn
        )
    ),
    "nrdtrisd": Expression(
        inverse(
            lambda t, mn, p, x: lower_or_upper(normal_lower, normal_upper, ((x - mn) / t,), p), sc.nrdtrisd
        )
    ),
    # ---- exponential integrals
    "exp1": Expression(lambda z: off_cut(z).expint(1)),
    "expi": Expression(expi, plane=lambda x: off_cut(x).ei()),
    "expn": Expression(lambda n, x: off_cut(x).expint(n)),
    "expint": Expression(lambda n, x: off_cut(x).expint(n)),
    "sici": Expression(lambda x: (x.si(), even(ci)(x)), plane=lambda x: (x.si(), ci(x))),
    "shichi": Expression(lambda x: (x.shi(), even(chi)(x)), plane=lambda x: (x.shi(), chi(x))),
    "spence": Expression(lambda z: (1 - off_cut(z)).polylog(2)),
    "modfresnelp": Expression(modfresnel(1), oblique=True),
    "modfresnelm": Expression(modfresnel(-1), oblique=True),
    "chirp_rest_n": Slopes(Expression(lambda x: modfresnel(1)(x)[1]), {"x": "n"}),
    # ---- elliptic integrals
    "ellipk": Expression(lambda m: below_one(m).elliptic_k()),
    "ellipkm1": Expression(lambda p: (1 - off_cut(p)).elliptic_k()),
    "ellipe": Expression(lambda m: below_one(m).elliptic_e()),
    "ellipem1_n": Slopes(Expression(lambda p: (1 - off_cut(p)).elliptic_e()), {"p": "n"}),
    "ellipkinc": F,
    "ellipkinc_n": Slopes(F, {"m": "n"}),
    "ellipeinc": E,
    "ellipeinc_n": Slopes(E, {"m": "n"}),
    "ellipj": Expression(lambda u, m: (*jacobi(u, m), amplitude(u, m))),
    "jacobi": SN,
    "jacobi_n": Slopes(SN, {"m": "n"}),
    "amplitude_n": Slopes(Expression(amplitude), {"m": "n"}),
    "agm": Expression(lambda a, b: right(a).agm(right(b)) if a.real > 0 else -right(-a).agm(right(-b))),
    "elliprc": Expression(lambda x, y: acb.elliptic_rc(off_cut(x), off_cut(y))),
    "elliprf": Expression(lambda x, y, z: acb.elliptic_rf(off_cut(x), off_cut(y), off_cut(z))),
    "elliprd": Expression(lambda x, y, z: acb.elliptic_rd(off_cut(x), off_cut(y), off_cut(z))),
    "elliprg": Expression(lambda x, y, z: acb.elliptic_rg(off_cut(x), off_cut(y), off_cut(z))),
    "elliprj": Expression(lambda x, y, z, p: acb.elliptic_rj(off_cut(x), off_cut(y), off_cut(z), off_cut(p))),
}

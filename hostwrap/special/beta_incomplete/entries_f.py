"""The F distribution: an incomplete beta function that moves with its parameters."""

from hostwrap.special._entry import kernel, real, special
from hostwrap.special._math import abs, minimum, nan, where
from hostwrap.special.beta_incomplete import f_distribution, roots
from hostwrap.special.beta_incomplete import mp_distributions as definitions
from hostwrap.special.beta_incomplete.entries import also, sharp, sharp_density

__all__ = ["fdtr", "fdtrc", "fdtri", "fdtridfd"]

# ---- the F distribution F(f) with 2 a and 2 b degrees of freedom

f_density = kernel(
    'f_density(a, b, f, *, wrt="")',  # dF/df, and its derivatives in a, b and f
    host=f_distribution.f_density,
    loops=True,
    da=lambda y, a, b, f, *, wrt: f_density(a, b, f, wrt="a" + wrt),
    db=lambda y, a, b, f, *, wrt: f_density(a, b, f, wrt=also("b", wrt)),
    df=lambda y, a, b, f, *, wrt: f_density(a, b, f, wrt=wrt + "f"),
    ref=lambda mp, a, b, f, *, wrt: definitions.f_derivative(mp, a, b, f, wrt + "f"),
    a=real(0.1, 50),
    b=real(0.1, 50),
    f=real(0.05, 10),
    see="DLMF 8.17.1",
)
f_parameter = kernel(
    'f_parameter(a, b, f, *, wrt="a")',  # the derivative of F in a, b, aa, ab, bb, aaa, ...
    host=f_distribution.f_parameter,
    loops=True,
    da=lambda y, a, b, f, *, wrt: f_parameter(a, b, f, wrt="a" + wrt),
    db=lambda y, a, b, f, *, wrt: f_parameter(a, b, f, wrt=wrt + "b"),
    df=lambda y, a, b, f, *, wrt: f_density(a, b, f, wrt=wrt),
    ref=lambda mp, a, b, f, *, wrt: definitions.f_derivative(mp, a, b, f, wrt),
    a=real(0.05, 50),
    b=real(0.05, 50),
    f=real(0.05, 10),
    at=[(5e5, 2.0, 1.5), (1e3, 2e3, 1.05)],
    see="DLMF 8.17.1, differentiated under the integral",
)
f_shift = kernel(
    'f_shift(a, b, p, q, *, wrt="")',  # (dF/da) / (f dF/df), f = p / q, and its derivatives in a, b and log f
    host=f_distribution.f_shift,
    loops=True,
    da=lambda y, a, b, p, q, *, wrt: f_shift(a, b, p, q, wrt="a" + wrt),
    db=lambda y, a, b, p, q, *, wrt: f_shift(a, b, p, q, wrt=also("b", wrt)),
    dp=lambda y, a, b, p, q, *, wrt: f_shift(a, b, p, q, wrt=wrt + "z") / p,
    dq=lambda y, a, b, p, q, *, wrt: -f_shift(a, b, p, q, wrt=wrt + "z") / q,
    ref=lambda mp, a, b, p, q, *, wrt: definitions.f_shift(mp, a, b, p / q, wrt),
    a=real(0.05, 50),
    b=real(0.05, 50),
    p=real(0.05, 10),
    q=real(0.5, 2),
    at=[(5e5, 2.0, 1.5, 1.0), (1e3, 2e3, 1.05, 1.0)],
    see="implicit function theorem",
)


def own_f_shift(a, b, f):
    return f_shift(a, b, f, 1.0)


def other_f_shift(a, b, f):
    """What b does, as own_f_shift says what a does."""
    return -f_shift(b, a, 1.0, f)


def sharp_f(a, b, f):
    """As `sharp`, at fixed f: 1, or NaN where the rounding of f is seen."""
    ratio = a * f / b
    return sharp(a, b, ratio / (1 + ratio), 1 / (1 + ratio))


def sharp_f_density(a, b, f):
    ratio = a * f / b
    return sharp_density(a, b, ratio / (1 + ratio), 1 / (1 + ratio))


fdtr = special(
    "fdtr(dfn, dfd, x)",
    ddfn=lambda y, dfn, dfd, x: f_parameter(dfn / 2, dfd / 2, x, wrt="a") / 2,
    ddfd=lambda y, dfn, dfd, x: f_parameter(dfn / 2, dfd / 2, x, wrt="b") / 2,
    dx=lambda y, dfn, dfd, x: f_density(dfn / 2, dfd / 2, x),
    ref=lambda mp, dfn, dfd, x: definitions.f_lower(mp, dfn, dfd, x),
    dfn=real(0.1, 200),
    dfd=real(0.1, 200),
    x=real(0, 30),
    at=[(2.0, 3.0, 0.0), (1e3, 0.7, 0.5), (0.5, 1e3, 0.5), (1e3, 1e3, 1.1), (1e6, 5.0, 2.0), (1.0, 1e6, 1.5)],
    see="DLMF 8.17.1; parameters by the score integrals over one tail",
)
fdtrc = special(
    "fdtrc(dfn, dfd, x)",
    ddfn=lambda y, dfn, dfd, x: -f_parameter(dfn / 2, dfd / 2, x, wrt="a") / 2,
    ddfd=lambda y, dfn, dfd, x: -f_parameter(dfn / 2, dfd / 2, x, wrt="b") / 2,
    dx=lambda y, dfn, dfd, x: -f_density(dfn / 2, dfd / 2, x),
    ref=lambda mp, dfn, dfd, x: definitions.f_upper(mp, dfn, dfd, x),
    dfn=real(0.1, 200),
    dfd=real(0.1, 200),
    x=real(0, 30),
    at=[
        (2.0, 3.0, 1e10),
        (1e3, 0.7, 0.5),
        (0.5, 1e3, 0.5),
        (1e3, 1e3, 1.1),
        (1e6, 5.0, 2.0),
        (1.0, 1e6, 400.0),
    ],
    see="DLMF 8.17.4",
)


def at_root(x, dfn, dfd, p):
    """1, or NaN where SciPy's number is no root, as for tiny degrees of freedom."""
    allowed = 0.1 * minimum(p, 1 - p) + where(p > 0.5, 4e-16, 0.0)
    return where(abs(fdtr(dfn, dfd, x) - p) > allowed, nan, 1.0)


fdtri = special(
    "fdtri(dfn, dfd, p)",
    ddfn=lambda x, dfn, dfd, p: (
        -x * at_root(x, dfn, dfd, p) * sharp_f(dfn / 2, dfd / 2, x) * own_f_shift(dfn / 2, dfd / 2, x) / 2
    ),
    ddfd=lambda x, dfn, dfd, p: (
        -x * at_root(x, dfn, dfd, p) * sharp_f(dfn / 2, dfd / 2, x) * other_f_shift(dfn / 2, dfd / 2, x) / 2
    ),
    dp=lambda x, dfn, dfd, p: (
        at_root(x, dfn, dfd, p) * sharp_f_density(dfn / 2, dfd / 2, x) / f_density(dfn / 2, dfd / 2, x)
    ),
    ref=lambda mp, dfn, dfd, p: definitions.f_quantile(mp, dfn, dfd, p),
    dfn=real(0.3, 200),
    dfd=real(0.3, 200),
    p=real(0.001, 0.999),
    at=[(60.0, 80.0, 1e-6), (3.0, 5.0, 1e-30), (2.0, 3.0, 1 - 1e-12), (1e3, 1e4, 0.3), (1.0, 1e6, 0.9)],
    see="implicit function theorem",
)
f_dfd = kernel(
    "f_dfd(dfn, p, x)",  # fdtridfd, with all digits
    host=roots.f_dfd,
    loops=True,
    ddfn=lambda dfd, dfn, p, x: dfd_by_dfn(dfn, dfd, x),
    dp=lambda dfd, dfn, p, x: dfd_by_p(dfn, dfd, x),
    dx=lambda dfd, dfn, p, x: dfd_by_x(dfn, dfd, x),
    ref=lambda mp, dfn, p, x: definitions.f_dfd(mp, dfn, p, x),
    dfn=real(2, 20),
    p=real(0.6, 0.8),
    x=real(1.5, 2.5),
    see="implicit function theorem",
)


def dfd_by_dfn(dfn, dfd, x):
    return (
        -sharp_f(dfn / 2, dfd / 2, x) * own_f_shift(dfn / 2, dfd / 2, x) / other_f_shift(dfn / 2, dfd / 2, x)
    )


def dfd_by_p(dfn, dfd, x):
    return 2 * sharp_f_density(dfn / 2, dfd / 2, x) / f_parameter(dfn / 2, dfd / 2, x, wrt="b")


def dfd_by_x(dfn, dfd, x):
    return -2 * sharp_f(dfn / 2, dfd / 2, x) / (x * other_f_shift(dfn / 2, dfd / 2, x))


fdtridfd = special(
    "fdtridfd(dfn, p, x)",
    ddfn=lambda dfd, dfn, p, x: dfd_by_dfn(dfn, f_dfd(dfn, p, x), x),
    dp=lambda dfd, dfn, p, x: dfd_by_p(dfn, f_dfd(dfn, p, x), x),
    dx=lambda dfd, dfn, p, x: dfd_by_x(dfn, f_dfd(dfn, p, x), x),
    ref=lambda mp, dfn, p, x: definitions.f_dfd(mp, dfn, p, x),
    dfn=real(0.5, 60),
    p=real(0.2, 0.8),
    x=real(1.0, 4.0),
    at=[(2.0, 0.5, 0.8), (5.0, 0.9, 2.0), (3.3, 0.6, 1.1), (60.0, 0.95, 1.5), (10.0, 0.25, 0.7)],
    see="implicit function theorem; NaN where SciPy's number is no root: there may be none, or two",
)

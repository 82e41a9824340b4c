"""The noncentral F distribution.

F is the mixture of I_y(dfn/2 + j, dfd/2) with Poisson weights of mean nc/2 and y / (1 - y) = r = dfn f / dfd (Johnson,
Kotz and Balakrishnan, Continuous Univariate Distributions 2, 30.2); its derivatives are those of the mixture in the
parameters a, b, l, r.
"""

from hostwrap.special._entry import kernel, real, special
from hostwrap.special._known import known
from hostwrap.special._math import where
from hostwrap.special.noncentral import f as kernels
from hostwrap.special.noncentral import mp as definitions

__all__ = ["ncfdtr"]


SMALL = 0.1  # r, below which a derivative leads to a - 1: what it divides by r would cancel in further ones


def f_term_slope(a, b, l, r, i, j, m=0):
    """d/dr of f_term_ij, by the contiguous relations of its terms (DLMF 8.17.22)."""
    term = lambda a, i, j: f_term_ij(a, b, l, r, i=i, j=j, m=m) if min(i, j) >= 0 else 0
    total = (a + b) * term(a, i, j) + l * term(a + 1, i, j) + i * term(a, i - 1, j) + j * term(a, i, j - 1)
    near = f_term_ij(a, b, l, r, i=i, j=j, m=m + 1) - total / (1 + r)
    if m:
        return near
    inside = (
        (a - b * r) * term(a, i, j)
        + l * term(a + 1, i, j)
        + i * term(a, i - 1, j)
        - j * r * term(a, i, j - 1)
    )
    return where(r < SMALL, near, inside / (where(r == 0, 1, r) * (1 + r)))


def f_cdf_slope(a, b, l, r, i, j):
    """d/dr of f_cdf_ij: b V(a - 1, b + 1), differentiated i times in a and j times in b."""
    slope = b * f_term_ij(a - 1, b + 1, l, r, i=i, j=j)
    return slope + j * f_term_ij(a - 1, b + 1, l, r, i=i, j=j - 1) if j else slope


def through_r(a, b, l, r, i, j):
    """r dF/dr = a V(a) + l V(a + 1), which has no pole at 0, differentiated i times in a and j times in b."""
    total = a * f_term_ij(a, b, l, r, i=i, j=j) + l * f_term_ij(a + 1, b, l, r, i=i, j=j)
    return total + i * f_term_ij(a, b, l, r, i=i - 1, j=j) if i else total


def through_r_slope(a, b, l, r):
    """Its derivative in r."""
    return a * f_term_slope(a, b, l, r, 0, 0) + l * f_term_slope(a + 1, b, l, r, 0, 0)


def held(a, b, in_a):
    """i, j, s of f_cdf_held = f_cdf_ij + s through_r."""
    return (1, 0, 1 / a) if in_a else (0, 1, -1 / b)


def held_by_a(a, b, l, r, in_a):
    i, j, s = held(a, b, in_a)
    slope = f_cdf_ij(a, b, l, r, i=i + 1, j=j) + s * through_r(a, b, l, r, 1, 0)
    return slope - through_r(a, b, l, r, 0, 0) / a**2 if in_a else slope


def held_by_b(a, b, l, r, in_a):
    i, j, s = held(a, b, in_a)
    slope = f_cdf_ij(a, b, l, r, i=i, j=j + 1) + s * through_r(a, b, l, r, 0, 1)
    return slope if in_a else slope + through_r(a, b, l, r, 0, 0) / b**2


def held_by_l(a, b, l, r, in_a):
    i, j, s = held(a, b, in_a)
    return -f_term_ij(a, b, l, r, i=i, j=j) - s * r * f_term_slope(a, b, l, r, 0, 0)


def held_by_r(a, b, l, r, in_a):
    i, j, s = held(a, b, in_a)
    return f_cdf_slope(a, b, l, r, i, j) + s * through_r_slope(a, b, l, r)


def by_f(dfn, dfd, nc, f):
    """`f_cdf_slope` times dfn / dfd, which may leave the doubles as the slope does."""
    return dfn / 2 * f_term_ij(dfn / 2 - 1, dfd / 2 + 1, nc / 2, dfn * f / dfd, i=0, j=0)


def by_dfn(dfn, dfd, nc, f):
    return f_cdf_held(dfn / 2, dfd / 2, nc / 2, dfn * f / dfd, in_a=True) / 2


def by_dfd(dfn, dfd, nc, f):
    return f_cdf_held(dfn / 2, dfd / 2, nc / 2, dfn * f / dfd) / 2


def by_nc(dfn, dfd, nc, f):
    return -f_term_ij(dfn / 2, dfd / 2, nc / 2, dfn * f / dfd, i=0, j=0) / 2


f_term_ij = kernel(
    "f_term_ij(a, b, l, r, *, i, j, m=0)",  # at a - m and b + m, times b .. (b + m - 1), differentiated in a and b
    host=kernels.beta_mixture_term_ij,
    loops=True,
    da=lambda y, a, b, l, r, *, i, j, m: f_term_ij(a, b, l, r, i=i + 1, j=j, m=m),
    db=lambda y, a, b, l, r, *, i, j, m: f_term_ij(a, b, l, r, i=i, j=j + 1, m=m),
    dl=lambda y, a, b, l, r, *, i, j, m: f_term_ij(a + 1, b, l, r, i=i, j=j, m=m) - y,
    dr=lambda y, a, b, l, r, *, i, j, m: f_term_slope(a, b, l, r, i, j, m),
    ref=lambda mp, a, b, l, r, *, i, j, m: mp.diff(
        lambda s, t: mp.rf(t, m) * definitions.beta_term(mp, s - m, t + m, l, r), (a, b), (i, j)
    ),
    a=real(-0.9, 30),
    b=real(0.1, 30),
    l=real(0.01, 30),
    r=real(0.01, 10),
    see="DLMF 8.17.20",
)
f_cdf_ij = kernel(
    "f_cdf_ij(a, b, l, r, *, i, j)",
    host=kernels.beta_mixture_ij,
    loops=True,
    da=lambda y, a, b, l, r, *, i, j: f_cdf_ij(a, b, l, r, i=i + 1, j=j),
    db=lambda y, a, b, l, r, *, i, j: f_cdf_ij(a, b, l, r, i=i, j=j + 1),
    dl=lambda y, a, b, l, r, *, i, j: -f_term_ij(a, b, l, r, i=i, j=j),
    dr=lambda y, a, b, l, r, *, i, j: f_cdf_slope(a, b, l, r, i, j),
    ref=lambda mp, a, b, l, r, *, i, j: mp.diff(
        lambda s, t: definitions.beta_mixture(mp, s, t, l, r), (a, b), (i, j)
    ),
    a=real(0.1, 30),
    b=real(0.1, 30),
    l=real(0.01, 30),
    r=real(0.01, 10),
    see="DLMF 8.17.20",
)
f_cdf_held = kernel(
    "f_cdf_held(a, b, l, r, *, in_a=False)",  # the derivative of F in a or b where r b / a is held
    host=kernels.beta_mixture_held,
    loops=True,
    da=lambda y, a, b, l, r, *, in_a: held_by_a(a, b, l, r, in_a),
    db=lambda y, a, b, l, r, *, in_a: held_by_b(a, b, l, r, in_a),
    dl=lambda y, a, b, l, r, *, in_a: held_by_l(a, b, l, r, in_a),
    dr=lambda y, a, b, l, r, *, in_a: held_by_r(a, b, l, r, in_a),
    ref=lambda mp, a, b, l, r, *, in_a: definitions.beta_mixture_held(mp, a, b, l, r, in_a),
    a=real(0.1, 30),
    b=real(0.1, 30),
    l=real(0.01, 30),
    r=real(0.01, 10),
    see="DLMF 8.17.20",
)

ncfdtr = special(
    "ncfdtr(dfn, dfd, nc, f)",
    ddfn=lambda y, dfn, dfd, nc, f: known(y, by_dfn(dfn, dfd, nc, f)),
    ddfd=lambda y, dfn, dfd, nc, f: known(y, by_dfd(dfn, dfd, nc, f)),
    dnc=lambda y, dfn, dfd, nc, f: known(y, by_nc(dfn, dfd, nc, f)),
    df=lambda y, dfn, dfd, nc, f: known(y, by_f(dfn, dfd, nc, f)),
    ref=lambda mp, dfn, dfd, nc, f: definitions.f_cdf(mp, dfn, dfd, nc, f),
    dfn=real(0.3, 60),
    dfd=real(0.3, 60),
    nc=real(0, 50),
    f=real(0, 12),
    at=[(4.0, 10.0, 3.0, 1.0), (2.0, 5.0, 1.0, 0.0), (1.0, 2.0, 0.1, 1e3), (30.0, 60.0, 25.0, 0.1)],
    see="Johnson, Kotz and Balakrishnan (1995), 30.2",
)

"""The noncentral F distribution.

F is the mixture of I_y(dfn/2 + j, dfd/2) with Poisson weights of mean nc/2 and y / (1 - y) = r = dfn f / dfd (Johnson,
Kotz and Balakrishnan, Continuous Univariate Distributions 2, 30.2); its derivatives are those of the mixture in the
parameters a, b, l, r.
"""

from hostwrap.special._entry import kernel, real, special
from hostwrap.special._known import known
from hostwrap.special._math import abs, inf, nan, where
from hostwrap.special.noncentral import f as kernels
from hostwrap.special.noncentral import mp as definitions

__all__ = ["ncfdtr"]


LEFT = 1e-6  # of two parts
SMALL = 0.1  # r, below which a derivative leads to a - 1: what it divides by r would cancel in further ones


def f_term_slope(a, b, l, r, i, j, m=0, per_b=False):
    """d/dr of f_term_ij, by the contiguous relations of its terms (DLMF 8.17.22)."""

    def term(a, i, j, m=m):
        return f_term_ij(a, b, l, r, i=i, j=j, m=m, per_b=per_b) if min(i, j) >= 0 else 0

    total = (a + b) * term(a, i, j) + l * term(a + 1, i, j) + i * term(a, i - 1, j) + j * term(a, i, j - 1)
    near = term(a, i, j, m + 1) - total / (1 + r)
    inside = (
        (a - m - (b + m) * r) * term(a, i, j)
        + l * term(a + 1, i, j)
        + i * term(a, i - 1, j)
        - j * r * term(a, i, j - 1)
    )
    return where(r < SMALL, near, inside / (where(r == 0, 1, r) * (1 + r)))


def f_cdf_slope(a, b, l, r, i, j):
    """d/dr of f_cdf_ij: b V(a - 1, b + 1), differentiated i times in a and j times in b, with all digits of a."""
    return f_term_ij(a, b, l, r, i=i, j=j, m=1)


def moved(a, b, l, r, in_a, i, j):
    """What f_cdf_held has beside f_cdf_ij, differentiated: (r / a) dF/dr = V(a) + (l / a) V(a + 1), or -(r / b) dF/dr.

    A factor 1 / a or 1 / b that was differentiated by itself would leave two parts that cancel.
    """
    if in_a:
        total = f_term_ij(a, b, l, r, i=i, j=j) + l / a * f_term_ij(a + 1, b, l, r, i=i, j=j)
        return total - l / a * (f_term_ij(a + 1, b, l, r, i=i - 1, j=j) / a) if i else total
    usual = (r > 0) & (r < inf)  # at both ends it is 0
    there = where(usual, r, 1)
    return where(usual, -there * f_term_ij(a, b, l, there, i=i, j=j, m=1, per_b=True), 0)


def together(r, first, second):
    """Their sum; NaN where so little is left of them that half of its digits are lost, as for b far above a."""
    total = first + second
    return total * where((r > 0) & (abs(total) < LEFT * abs(first)), nan, 1)


def held_by_a(a, b, l, f, in_a):
    r, (i, j) = a * f / b, held(in_a)
    slope = together(r, f_cdf_ij(a, b, l, r, i=i + 1, j=j), moved(a, b, l, r, in_a, 1, 0))
    return together(r, slope, r / a * along(a, b, l, r, in_a))


def held_by_b(a, b, l, f, in_a):
    r, (i, j) = a * f / b, held(in_a)
    slope = together(r, f_cdf_ij(a, b, l, r, i=i, j=j + 1), moved(a, b, l, r, in_a, 0, 1))
    return together(r, slope, -r / b * along(a, b, l, r, in_a))


def held_by_l(a, b, l, f, in_a):
    r, (i, j) = a * f / b, held(in_a)
    s = 1 / a if in_a else -1 / b
    return together(r, -f_term_ij(a, b, l, r, i=i, j=j), -s * r * f_term_slope(a, b, l, r, 0, 0))


def held_by_f(a, b, l, f, in_a):
    return a * along(a, b, l, a * f / b, in_a) / b


def along(a, b, l, r, in_a):
    """The derivative of f_cdf_held in r, where a and b are held."""
    i, j = held(in_a)
    slope = a * f_term_slope(a, b, l, r, 0, 0) + l * f_term_slope(a + 1, b, l, r, 0, 0)
    return together(r, f_cdf_slope(a, b, l, r, i, j), slope / (a if in_a else -b))


def held(in_a):
    """i and j of the first part of f_cdf_held."""
    return (1, 0) if in_a else (0, 1)


def by_f(dfn, dfd, nc, f):
    """`f_cdf_slope` times dfn / dfd, which may leave the doubles as the slope does."""
    return dfn / 2 * f_term_ij(dfn / 2, dfd / 2, nc / 2, dfn * f / dfd, i=0, j=0, m=1, per_b=True)


def by_dfn(dfn, dfd, nc, f):
    return f_cdf_held(dfn / 2, dfd / 2, nc / 2, f, in_a=True) / 2


def by_dfd(dfn, dfd, nc, f):
    return f_cdf_held(dfn / 2, dfd / 2, nc / 2, f) / 2


def by_nc(dfn, dfd, nc, f):
    return -f_term_ij(dfn / 2, dfd / 2, nc / 2, dfn * f / dfd, i=0, j=0) / 2


f_term_ij = kernel(
    # at a - m and b + m, times b .. (b + m - 1), without the factor b or with it, differentiated in a and b
    "f_term_ij(a, b, l, r, *, i, j, m=0, per_b=False)",
    host=kernels.beta_mixture_term_ij,
    loops=True,
    da=lambda y, a, b, l, r, *, i, j, m, per_b: f_term_ij(a, b, l, r, i=i + 1, j=j, m=m, per_b=per_b),
    db=lambda y, a, b, l, r, *, i, j, m, per_b: f_term_ij(a, b, l, r, i=i, j=j + 1, m=m, per_b=per_b),
    dl=lambda y, a, b, l, r, *, i, j, m, per_b: f_term_ij(a + 1, b, l, r, i=i, j=j, m=m, per_b=per_b) - y,
    dr=lambda y, a, b, l, r, *, i, j, m, per_b: f_term_slope(a, b, l, r, i, j, m, per_b),
    ref=lambda mp, a, b, l, r, *, i, j, m, per_b: mp.diff(
        lambda s, t: mp.rf(t, m) / (t if per_b else 1) * definitions.beta_term(mp, s - m, t + m, l, r),
        (a, b),
        (i, j),
    ),
    a=real(0.1, 30),
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
    "f_cdf_held(a, b, l, f, *, in_a=False)",  # the derivative of F in a or b where f = r b / a is held
    host=kernels.beta_mixture_held,
    loops=True,
    da=lambda y, a, b, l, f, *, in_a: held_by_a(a, b, l, f, in_a),
    db=lambda y, a, b, l, f, *, in_a: held_by_b(a, b, l, f, in_a),
    dl=lambda y, a, b, l, f, *, in_a: held_by_l(a, b, l, f, in_a),
    df=lambda y, a, b, l, f, *, in_a: held_by_f(a, b, l, f, in_a),
    ref=lambda mp, a, b, l, f, *, in_a: definitions.beta_mixture_held(mp, a, b, l, f * a / b, in_a),
    a=real(0.1, 30),
    b=real(0.1, 30),
    l=real(0.01, 30),
    f=real(0.01, 10),
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

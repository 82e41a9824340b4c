"""The incomplete beta functions, their inverses, and the kernels of all distributions that are made of them."""

from hostwrap.special._entry import kernel, real, special
from hostwrap.special._known import known
from hostwrap.special._math import abs, maximum, nan, sqrt, where
from hostwrap.special.beta_incomplete import density, parameter, quantile, shift, twins
from hostwrap.special.beta_incomplete import mp as definitions

__all__ = ["betainc", "betaincc", "betainccinv", "betaincinv"]


# ---- I_x(a, b), x = p / (p + q), differentiated; 1 - x has its digits where the arguments have theirs


def also(t, wrt):
    """The orders of a derivative with one more in t."""
    return "".join(sorted(t + wrt))


def along(slope, p, q):
    """What a slope in x makes of dx/dq = p / (p + q)^2, where p + q = 1.

    At an end the one that is 0 there has all of the slope, which may be infinite, and so are further slopes.
    """
    return where(q == 0, slope, where(p == 0, 0, slope * p / (p + q) ** 2))


beta_density = kernel(
    "beta_density(a, b, p, q, *, i, j, k)",  # (d/da)^i (d/db)^j (d/dx)^(k + 1) I
    host=density.beta_density,
    twin=twins.beta_density,
    loops=True,
    da=lambda y, a, b, p, q, *, i, j, k: beta_density(a, b, p, q, i=i + 1, j=j, k=k),
    db=lambda y, a, b, p, q, *, i, j, k: beta_density(a, b, p, q, i=i, j=j + 1, k=k),
    dp=lambda y, a, b, p, q, *, i, j, k: along(beta_density(a, b, p, q, i=i, j=j, k=k + 1), q, p),
    dq=lambda y, a, b, p, q, *, i, j, k: -along(beta_density(a, b, p, q, i=i, j=j, k=k + 1), p, q),
    ref=lambda mp, a, b, p, q, *, i, j, k: definitions.density_derivative(mp, a, b, p, q, i, j, k),
    a=real(0.1, 50),
    b=real(0.1, 50),
    p=real(0.05, 10),
    q=real(0.05, 10),
    see="DLMF 8.17.1",
)
betainc_parameter = kernel(
    'betainc_parameter(a, b, p, q, *, wrt="a")',  # the derivative of I in a, b, aa, ab, bb, aaa, ...
    host=parameter.betainc_parameter,
    loops=True,
    da=lambda y, a, b, p, q, *, wrt: betainc_parameter(a, b, p, q, wrt="a" + wrt),
    db=lambda y, a, b, p, q, *, wrt: betainc_parameter(a, b, p, q, wrt=wrt + "b"),
    dp=lambda y, a, b, p, q, *, wrt: along(
        beta_density(a, b, p, q, i=wrt.count("a"), j=wrt.count("b"), k=0), q, p
    ),
    dq=lambda y, a, b, p, q, *, wrt: (
        -along(beta_density(a, b, p, q, i=wrt.count("a"), j=wrt.count("b"), k=0), p, q)
    ),
    ref=lambda mp, a, b, p, q, *, wrt: definitions.derivative(mp, a, b, p, q, wrt.count("a"), wrt.count("b")),
    a=real(0.05, 50),
    b=real(0.05, 50),
    p=real(0.05, 10),
    q=real(0.05, 10),
    see="DLMF 8.17.1, differentiated under the integral",
)

# ---- for inverses: what a change of a does, as a shift of log(x / (1 - x)); it does not underflow where I does

beta_shift = kernel(
    'beta_shift(a, b, p, q, *, wrt="")',  # dI/da / (x (1 - x) dI/dx), and its derivatives in a, b, log(p / q)
    host=shift.beta_shift,
    loops=True,
    da=lambda y, a, b, p, q, *, wrt: beta_shift(a, b, p, q, wrt="a" + wrt),
    db=lambda y, a, b, p, q, *, wrt: beta_shift(a, b, p, q, wrt=also("b", wrt)),
    dp=lambda y, a, b, p, q, *, wrt: beta_shift(a, b, p, q, wrt=wrt + "u") / p,
    dq=lambda y, a, b, p, q, *, wrt: -beta_shift(a, b, p, q, wrt=wrt + "u") / q,
    ref=lambda mp, a, b, p, q, *, wrt: definitions.shift(mp, a, b, p, q, wrt),
    a=real(0.05, 50),
    b=real(0.05, 50),
    p=real(0.05, 10),
    q=real(0.05, 10),
    at=[(1e3, 2e3, 1.0, 2.1), (0.5, 1e5, 1e-5, 1.0)],
    see="implicit function theorem",
)
beta_quantile = kernel(
    'beta_quantile(a, b, p, *, upper=False, wrt="p")',  # a derivative of betaincinv or betainccinv
    host=quantile.beta_quantile,
    loops=True,
    da=lambda y, a, b, p, *, upper, wrt: beta_quantile(a, b, p, upper=upper, wrt="a" + wrt),
    db=lambda y, a, b, p, *, upper, wrt: beta_quantile(a, b, p, upper=upper, wrt=also("b", wrt)),
    dp=lambda y, a, b, p, *, upper, wrt: beta_quantile(a, b, p, upper=upper, wrt=wrt + "p"),
    ref=lambda mp, a, b, p, *, upper, wrt: mp.diff(
        lambda s, t, r: definitions.quantile(mp, s, t, *((1 - r, r) if upper else (r, 1 - r))),
        (a, b, p),
        (wrt.count("a"), wrt.count("b"), wrt.count("p")),
    ),
    a=real(0.3, 50),
    b=real(0.3, 50),
    p=real(0.01, 0.99),
    see="implicit function theorem",
)


def other_shift(a, b, p, q):
    """What b does, as beta_shift says what a does."""
    return -beta_shift(b, a, q, p)


BLURRED = 9e7  # standard deviations of the logit u, or steps of log phi, of which a rounding is 1e-8


def sharp(a, b, x, y, slope=0):
    """1, or NaN where the rounding of a root, by which u = log(x / y) is 1e-16 off, is seen in derivatives.

    There u has the standard deviation 1 / sqrt((a + b) x y); and the density phi itself the slope a y - b x.
    """
    return where(abs(slope) + sqrt((a + b) * x * y) > BLURRED, nan, 1.0)


def sharp_density(a, b, x, y):
    return sharp(a, b, x, y, a * y - b * x)


TINY = 1e-30  # parameters with which I is b / (a + b)


def in_proportion(a, b):
    """A number in place of a tiny a, whose shift and its derivatives are doubles, and a over it.

    Beside another b, all that moves a tiny a at constant I is in proportion to it.
    """
    tiny = (a < TINY * TINY) & (b > TINY)
    return where(tiny, TINY * TINY, a), where(tiny, a / (TINY * TINY), 1.0)


def moved_by_other(a, b, p, q):
    """da/db at constant I; of two tiny parameters, the shifts of which are out of range, it is a / b."""
    near, share = in_proportion(a, b)
    ratio = other_shift(near, b, p, q) / beta_shift(near, b, p, q)
    return where(maximum(a, b) < TINY, a / b, -share * ratio)


def moved_by_x(a, b, p, q):
    """da/dx at constant I, x = p and p + q = 1."""
    near, share = in_proportion(a, b)
    return -share / (p * q * beta_shift(near, b, p, q))


# ---- the public functions

betainc = special(
    "betainc(a, b, x)",
    da=lambda y, a, b, x: known(y, betainc_parameter(a, b, x, 1 - x, wrt="a")),
    db=lambda y, a, b, x: known(y, betainc_parameter(a, b, x, 1 - x, wrt="b")),
    dx=lambda y, a, b, x: known(
        a - b, beta_density(a, b, x, 1 - x, i=0, j=0, k=0)
    ),  # NaN if both are infinite
    ref=lambda mp, a, b, x: definitions.lower(mp, a, b, x),
    a=real(0.01, 200),
    b=real(0.01, 200),
    x=real(0, 1),
    at=[
        (2.0, 3.0, 0.0),
        (0.0, 1.0, 0.5),
        (1e-8, 2.0, 0.3),
        (1e3, 2e3, 0.34),
        (1e5, 2e5, 0.333),
        (0.5, 5e5, 3e-6),
        (40.0, 30.0, 0.999),
        (2000.0, 0.02, 0.99999999),
        (3.0, 5.0, 1e-60),
    ],
    see="DLMF 8.17.1; parameters by the score integrals over one tail",
)
betaincc = special(
    "betaincc(a, b, x)",
    da=lambda y, a, b, x: known(y, -betainc_parameter(a, b, x, 1 - x, wrt="a")),
    db=lambda y, a, b, x: known(y, -betainc_parameter(a, b, x, 1 - x, wrt="b")),
    dx=lambda y, a, b, x: known(a - b, -beta_density(a, b, x, 1 - x, i=0, j=0, k=0)),
    ref=lambda mp, a, b, x: definitions.upper(mp, a, b, x),
    a=real(0.01, 200),
    b=real(0.01, 200),
    x=real(0, 1),
    at=[
        (2.0, 3.0, 1.0),
        (1e-8, 2.0, 0.3),
        (1e3, 2e3, 0.34),
        (1e5, 2e5, 0.334),
        (0.5, 5e5, 1e-4),
        (30.0, 40.0, 0.001),
        (0.02, 2000.0, 0.5),
    ],
    see="DLMF 8.17.4",
)
betaincinv = special(
    "betaincinv(a, b, y)",
    da=lambda x, a, b, y: known(x, beta_quantile(a, b, y, wrt="a") * sharp(a, b, x, 1 - x)),
    db=lambda x, a, b, y: known(x, beta_quantile(a, b, y, wrt="b") * sharp(a, b, x, 1 - x)),
    dy=lambda x, a, b, y: known(x, beta_quantile(a, b, y, wrt="p") * sharp_density(a, b, x, 1 - x)),
    ref=lambda mp, a, b, y: definitions.quantile(mp, a, b, y, 1 - y),
    a=real(0.1, 200),
    b=real(0.1, 200),
    y=real(0, 1),
    at=[
        (0.5, 0.5, 1 - 1e-9),
        (0.5, 2.0, 0.0),
        (2.0, 1.0, 1.0),
        (40.0, 30.0, 1e-8),
        (3.0, 2.0, 1e-30),
        (1e4, 2e4, 0.3),
        (0.01, 3.0, 0.9),
        (1000.0, 0.5, 0.2),
    ],
    see="implicit function theorem",
)
betainccinv = special(
    "betainccinv(a, b, y)",
    da=lambda x, a, b, y: known(x, beta_quantile(a, b, y, upper=True, wrt="a") * sharp(a, b, x, 1 - x)),
    db=lambda x, a, b, y: known(x, beta_quantile(a, b, y, upper=True, wrt="b") * sharp(a, b, x, 1 - x)),
    dy=lambda x, a, b, y: known(
        x, beta_quantile(a, b, y, upper=True, wrt="p") * sharp_density(a, b, x, 1 - x)
    ),
    ref=lambda mp, a, b, y: definitions.quantile(mp, a, b, 1 - y, y),
    a=real(0.1, 200),
    b=real(0.1, 200),
    y=real(0, 1),
    at=[
        (0.5, 0.5, 1e-9),
        (0.5, 2.0, 1.0),
        (2.0, 1.0, 0.0),
        (40.0, 30.0, 1e-8),
        (3.0, 2.0, 1e-300),
        (1e4, 2e4, 0.3),
        (0.01, 3.0, 0.1),
        (1000.0, 0.5, 0.8),
    ],
    see="implicit function theorem",
)

"""The Box-Cox transformation (x^lmbda - 1)/lmbda, its inverse, and both for 1 + x."""

from hostwrap.special._entry import kernel, real, special
from hostwrap.special._known import known
from hostwrap.special._math import abs, exp, isinf, log, where
from hostwrap.special.elementary import elementary as kernels
from hostwrap.special.elementary.entries import exprel_n, log1p, power_n

__all__ = ["boxcox", "boxcox1p", "inv_boxcox", "inv_boxcox1p"]

log1prel_n = kernel(
    "log1prel_n(x, *, n)",  # the n-th derivative of log(1 + x)/x
    host=kernels.log1prel_n,
    loops=True,
    dx=lambda y, x, *, n: log1prel_n(x, n=n + 1),
    ref=lambda mp, x, *, n: (-1) ** n * mp.factorial(n) * mp.hyp2f1(n + 1, n + 1, n + 2, -x) / (n + 1),
    x=real(-0.999, 100),
    at=[0.0, 1e-9, -0.8, 3.0, -0.99999, 1e6],
    see="DLMF 15.6.1",
)

# With t = log x both are entire in lmbda: boxcox = t exprel(lmbda t), and inv_boxcox = exp(y L(lmbda y)) with
# L(u) = log(1 + u)/u. Their derivatives in lmbda are those of exprel and L; the textbook forms are 0/0 at lmbda = 0.

LARGE = 600.0  # e^-600 is nothing beside 1


def slope(y, t, lmbda):
    """d/dlmbda of t exprel(lmbda t), t = log(x); where that is infinite, y is -1/lmbda or infinite itself."""
    end, large = isinf(t), lmbda * t > LARGE
    inside = where(end | large, 0.0, t)
    ended = where(lmbda * t < 0, lmbda**-2.0, abs(y))
    far = y * (
        (lmbda * t - 1) / where(large, lmbda, 1.0)
    )  # where exp(lmbda t) may leave the doubles before that does
    return where(end, ended, where(large, far, inside**2 * exprel_n(lmbda * inside, dx=1)))


def power1p(x, p):
    """(1 + x)^p."""
    end = isinf(log1p(x))
    return where(end, power_n(1 + x, p, n=0), exp(p * log1p(where(end, 0.0, x))))


def power(y, lmbda):
    """(1 + lmbda y)^(1/lmbda - 1)."""
    u = lmbda * y
    end, far = u == -1, u > FAR
    inside = exp((1 - lmbda) * y * log1prel_n(where(end | far, 0.0, u), n=0))
    outside = exp((1 / where(far, lmbda, 1.0) - 1) * far_logarithm(far, y, lmbda))
    return where(
        end,
        power_n(1 + u, exponent(end, lmbda) - 1, n=0),
        where(far, outside, inside),
    )


FAR = 1e100


def far_logarithm(far, y, lmbda):
    """log(lmbda y) where that is large; the product may be out of range."""
    return log(where(far, abs(y), 1.0)) + log(where(far, abs(lmbda), 1.0))


def inverse_slope(f, y, lmbda):
    """d/dlmbda of f = exp(y L(lmbda y)) = (1 + lmbda y)^(1/lmbda), or of f - 1."""
    u = lmbda * y
    end = u == -1
    p = exponent(end, lmbda)
    ended = y * p * power_n(1 + u, p - 1, n=0) - p**2 * power_n(1 + u, p, n=1)
    far = u > FAR  # y^2 and L' leave the range before their product does: u^2 L' = u / (1 + u) - log(1 + u)
    outside = f * (1 - far_logarithm(far, y, lmbda)) / where(far, lmbda, 1.0) / where(far, lmbda, 1.0)
    y = where(far | (f == 0), 0.0, y)  # and f y^2 leaves it, though not with L'
    inside = f * (y * (y * log1prel_n(where(end | far, 0.0, u), n=1)))
    return where(end, ended, where(far, outside, inside))


def exponent(end, lmbda):
    """1/lmbda at the end 1 + lmbda y = 0, where lmbda is not 0."""
    return 1 / where(end, lmbda, 1.0)


boxcox = special(
    "boxcox(x, lmbda)",
    dx=lambda y, x, lmbda: known(y, power_n(x, lmbda - 1, n=0)),
    dlmbda=lambda y, x, lmbda: slope(y, log(x), lmbda),
    ref=lambda mp, x, lmbda: mp.log(x) * mp.hyp1f1(1, 2, lmbda * mp.log(x)),
    x=real(1e-10, 50),
    lmbda=real(-3, 10),
    at=[(1.0, 0.0), (3.0, 0.0), (3.0, 1e-9), (1e-300, 0.5), (2.0, -1e-12)],
    see="Box and Cox 1964",
)
boxcox1p = special(
    "boxcox1p(x, lmbda)",
    dx=lambda y, x, lmbda: known(y, power1p(x, lmbda - 1)),
    dlmbda=lambda y, x, lmbda: slope(y, log1p(x), lmbda),
    ref=lambda mp, x, lmbda: mp.log1p(x) * mp.hyp1f1(1, 2, lmbda * mp.log1p(x)),
    x=real(-0.999, 50),
    lmbda=real(-3, 10),
    at=[(0.0, 0.0), (3.0, 0.0), (1e-9, 2.0), (1e-12, 1e-9)],
    see="Box and Cox 1964",
)
inv_boxcox = special(
    "inv_boxcox(y, lmbda)",
    dy=lambda x, y, lmbda: power(y, lmbda),
    dlmbda=lambda x, y, lmbda: inverse_slope(x, y, lmbda),
    ref=lambda mp, y, lmbda: mp.exp(y * mp.hyp2f1(1, 1, 2, -lmbda * y)),
    y=real(-0.3, 20),
    lmbda=real(-0.04, 3),
    at=[(0.0, 0.0), (1.0, 0.0), (2.0, 1e-9), (1e-9, 1.0), (-0.999, 1.0)],
    see="Box and Cox 1964",
)
inv_boxcox1p = special(
    "inv_boxcox1p(y, lmbda)",
    dy=lambda x, y, lmbda: power(y, lmbda),
    dlmbda=lambda x, y, lmbda: inverse_slope(inv_boxcox(y, lmbda), y, lmbda),
    ref=lambda mp, y, lmbda: mp.expm1(y * mp.hyp2f1(1, 1, 2, -lmbda * y)),
    y=real(-0.3, 20),
    lmbda=real(-0.04, 3),
    at=[(0.0, 0.0), (1.0, 0.0), (2.0, 1e-9), (1e-9, 1.0), (-0.999, 1.0), (-50.0, 0.01), (-30.0, 0.0)],
    see="Box and Cox 1964",
)

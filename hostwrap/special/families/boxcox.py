"""The Box-Cox transformation (x^lmbda - 1)/lmbda, its inverse, and both for 1 + x."""

from hostwrap.special._entry import kernel, real, special
from hostwrap.special._math import exp, inf, log, where
from hostwrap.special.families.elementary import exprel_n, log1p
from hostwrap.special.kernels import elementary as kernels

__all__ = ["boxcox", "boxcox1p", "inv_boxcox", "inv_boxcox1p"]

log1prel_n = kernel(
    "log1prel_n(x, *, n)",  # the n-th derivative of log(1 + x)/x
    host=kernels.log1prel_n,
    dx=lambda y, x, *, n: log1prel_n(x, n=n + 1),
    ref=lambda mp, x, *, n: (-1) ** n * mp.factorial(n) * mp.hyp2f1(n + 1, n + 1, n + 2, -x) / (n + 1),
    x=real(-0.999, 100),
    at=[0.0, 1e-9, -0.8, 3.0, -0.99999, 1e6],
    see="DLMF 15.6.1",
)

# With t = log x both are entire in lmbda: boxcox = t exprel(lmbda t), and inv_boxcox = exp(y L(lmbda y)) with
# L(u) = log(1 + u)/u. Their derivatives in lmbda are those of exprel and L; the textbook forms are 0/0 at lmbda = 0.


def slope(t, lmbda):
    """d/dlmbda of t exprel(lmbda t); where t is -inf the function is -1/lmbda."""
    finite = where(t == -inf, -1.0, t)
    return where(t == -inf, lmbda**-2.0, finite**2 * exprel_n(lmbda * finite, n=1))


def power(y, lmbda):
    """(1 + lmbda y)^(1/lmbda - 1), which ends at 1 + lmbda y = 0 as 0, 1 or inf."""
    u = lmbda * y
    end = where(lmbda == 1, 1.0, where(lmbda < 1, 0.0, inf))
    return where(u == -1, end, exp((1 - lmbda) * y * log1prel_n(where(u == -1, 0.0, u), n=0)))


def inverse_slope(f, y, lmbda):
    """d/dlmbda of f = exp(y L(lmbda y)), or of f - 1."""
    return f * y**2 * log1prel_n(lmbda * y, n=1)


boxcox = special(
    "boxcox(x, lmbda)",
    dx=lambda y, x, lmbda: x ** (lmbda - 1),
    dlmbda=lambda y, x, lmbda: slope(log(x), lmbda),
    ref=lambda mp, x, lmbda: mp.log(x) * mp.hyp1f1(1, 2, lmbda * mp.log(x)),
    x=real(1e-10, 50),
    lmbda=real(-3, 10),
    at=[(1.0, 0.0), (3.0, 0.0), (3.0, 1e-9), (1e-300, 0.5), (2.0, -1e-12)],
    see="Box and Cox 1964",
)
boxcox1p = special(
    "boxcox1p(x, lmbda)",
    dx=lambda y, x, lmbda: exp((lmbda - 1) * log1p(x)),
    dlmbda=lambda y, x, lmbda: slope(log1p(x), lmbda),
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
    dlmbda=lambda x, y, lmbda: inverse_slope(x + 1, y, lmbda),
    ref=lambda mp, y, lmbda: mp.expm1(y * mp.hyp2f1(1, 1, 2, -lmbda * y)),
    y=real(-0.3, 20),
    lmbda=real(-0.04, 3),
    at=[(0.0, 0.0), (1.0, 0.0), (2.0, 1e-9), (1e-9, 1.0), (-0.999, 1.0)],
    see="Box and Cox 1964",
)

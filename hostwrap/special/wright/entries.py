"""Wright's generalized Bessel function and its logarithm, and Wright's omega function."""

from hostwrap.special._entry import kernel, real, special
from hostwrap.special._math import abs, inf, log, where
from hostwrap.special.wright import curvature, far, further, wright
from hostwrap.special.wright import mp as definitions

__all__ = ["log_wright_bessel", "wright_bessel", "wrightomega"]


def omega_slope(w):
    """w / (1 + w), in forms whose own derivatives neither cancel nor overflow."""
    large = abs(w) > 1
    small = where(large, 0, w)
    return where(large, 1 / (1 + 1 / where(large, w, 1)), small / (1 + small))


# Phi(a, b, x) = sum_k x^k / (k! Gamma(a k + b)): a derivative in x raises b by a, as does one in a, where it is one
# in b too and takes a factor x.


# Far out these differences have no digits. There log Phi has an expansion, whose first derivatives the quotients
# are: (n, s) = (1, 0) that in b, (0, 1) that in x, and (1, 1) that in a, divided by x.
FIRST = {(1, 0): "b", (0, 1): "x", (1, 1): "a"}


def far_or(a, b, x, expansion, general):
    """The one or the other, each with an x at which it is a number."""
    regular = (a > 0) & (b >= 0) & (x > 0) & (x < inf)
    log_z = log(where(regular, a, 1.0)) + log(where(regular, x, 1.0))
    beyond = regular & (log_z > (1 + a) * log(far.FAR * (1 + a + where(regular, b, 0.0))))
    return where(beyond, expansion(a, b, x), general(a, b, where(beyond, 1.0, x)))


def general_by_a(a, b, x, n, s):
    shifted = x * wright_ratio_ns(a, b, x, n=n + 1, s=s + 1) + s * wright_ratio_ns(a, b, x, n=n + 1, s=s)
    return shifted - wright_ratio_ns(a, b, x, n=n, s=s) * x * wright_ratio_ns(a, b, x, n=1, s=1)


def general_by_b(a, b, x, n, s):
    mean = wright_ratio_ns(a, b, x, n=n, s=s)
    general = wright_ratio_ns(a, b, x, n=n + 1, s=s) - mean * wright_ratio_ns(a, b, x, n=1, s=0)
    return wright_spread(a, b, x) if (n, s) == (1, 0) else general


def general_by_x(a, b, x, n, s):
    mean = wright_ratio_ns(a, b, x, n=n, s=s)
    general = wright_ratio_ns(a, b, x, n=n, s=s + 1) - mean * wright_ratio_ns(a, b, x, n=0, s=1)
    return wright_curvature(a, b, x) if (n, s) == (0, 1) else general


def ratio_by(wrt, general):
    """The derivative of a quotient in one argument: by the expansion far out, elsewhere by `general`."""

    def derivative(a, b, x, n, s):
        first = FIRST.get((n, s))
        if first is None:
            return general(a, b, x, n, s)

        def expansion(a, b, x):
            second = log_wright_far(a, b, x, wrt=also(first, wrt))
            if first != "a":
                return second
            return (second - wright_ratio_ns(a, b, x, n=1, s=1) if wrt == "x" else second) / x

        return far_or(a, b, x, expansion, lambda a, b, x: general(a, b, x, n, s))

    return derivative


ratio_by_a, ratio_by_b, ratio_by_x = map(ratio_by, "abx", (general_by_a, general_by_b, general_by_x))


def also(name, wrt):
    """One derivative more, the names in order."""
    return "".join(sorted(name + wrt))


wright_n = kernel(
    "wright_n(a, b, x, *, n)",  # (d/db)^n Phi
    host=wright.wright_n,
    loops=True,
    da=lambda y, a, b, x, *, n: x * wright_n(a, a + b, x, n=n + 1),
    db=lambda y, a, b, x, *, n: wright_n(a, b, x, n=n + 1),
    dx=lambda y, a, b, x, *, n: wright_n(a, a + b, x, n=n),
    ref=lambda mp, a, b, x, *, n: mp.diff(lambda c: definitions.wright(mp, a, c, x), b, n),
    a=real(0.1, 3),
    b=real(0.5, 10),
    x=real(0.1, 15),
    see="DLMF 10.46.1",
)
wright_ratio_ns = kernel(
    "wright_ratio_ns(a, b, x, *, n, s)",  # (d/db)^n Phi(a, c, x) at c = b + s a, divided by Phi(a, b, x)
    host=wright.wright_ratio_ns,
    loops=True,
    da=lambda y, a, b, x, *, n, s: ratio_by_a(a, b, x, n, s),
    db=lambda y, a, b, x, *, n, s: ratio_by_b(a, b, x, n, s),
    dx=lambda y, a, b, x, *, n, s: ratio_by_x(a, b, x, n, s),
    ref=lambda mp, a, b, x, *, n, s: (
        mp.diff(lambda c: definitions.wright(mp, a, c, x), b + s * a, n) / definitions.wright(mp, a, b, x)
    ),
    a=real(0.1, 3),
    b=real(0.5, 10),
    x=real(0.1, 15),
    see="DLMF 10.46.1",
)

wright_curvature = kernel(
    "wright_curvature(a, b, x)",  # d^2/dx^2 log Phi
    host=curvature.wright_curvature,
    loops=True,
    da=lambda y, a, b, x: log_wright_n(a, b, x, wrt="axx"),
    db=lambda y, a, b, x: log_wright_n(a, b, x, wrt="bxx"),
    dx=lambda y, a, b, x: log_wright_n(a, b, x, wrt="xxx"),
    ref=lambda mp, a, b, x: mp.diff(lambda t: mp.log(definitions.wright(mp, a, b, t)), x, 2),
    a=real(0, 4),
    b=real(0.1, 20),
    x=real(0.01, 50),
    at=[(0.7, 1e-14, 0.03), (1.4, 1e-12, 50.0), (0.5, 1e-3, 2.0)],
    see="DLMF 10.46.1",
)

wright_spread = kernel(
    "wright_spread(a, b, x)",  # d^2/db^2 log Phi
    host=wright.wright_spread,
    loops=True,
    da=lambda y, a, b, x: log_wright_n(a, b, x, wrt="abb"),
    db=lambda y, a, b, x: log_wright_n(a, b, x, wrt="bbb"),
    dx=lambda y, a, b, x: log_wright_n(a, b, x, wrt="bbx"),
    ref=lambda mp, a, b, x: mp.diff(lambda t: mp.log(definitions.wright(mp, a, t, x)), b, 2),
    a=real(0, 4),
    b=real(0.1, 20),
    x=real(0.01, 50),
    at=[(5.28, 11.5, 88.0), (0.5, 1e-3, 2.0), (1.3, 5.0, 0.0)],
    see="DLMF 10.46.1",
)

log_wright_far = kernel(
    'log_wright_far(a, b, x, *, wrt="xx")',  # derivatives of log Phi far out, from the second on
    host=far.log_wright_far,
    loops=True,
    da=lambda y, a, b, x, *, wrt: log_wright_far(a, b, x, wrt=also("a", wrt)),
    db=lambda y, a, b, x, *, wrt: log_wright_far(a, b, x, wrt=also("b", wrt)),
    dx=lambda y, a, b, x, *, wrt: log_wright_far(a, b, x, wrt=also("x", wrt)),
    ref=lambda mp, a, b, x, *, wrt: mp.diff(
        lambda s, t, u: definitions.log_wright_far(mp, s, t, u), (a, b, x), tuple(map(wrt.count, "abx"))
    ),
    a=real(0.5, 2),
    b=real(0.1, 2),
    x=real(1e16, 1e18),
    see="Wright (1935)",
)

log_wright_n = kernel(
    'log_wright_n(a, b, x, *, wrt="xxx")',  # derivatives of log Phi, from the third on
    host=further.log_wright_n,
    da=lambda y, a, b, x, *, wrt: log_wright_n(a, b, x, wrt=also("a", wrt)),
    db=lambda y, a, b, x, *, wrt: log_wright_n(a, b, x, wrt=also("b", wrt)),
    dx=lambda y, a, b, x, *, wrt: log_wright_n(a, b, x, wrt=also("x", wrt)),
    ref=lambda mp, a, b, x, *, wrt: mp.diff(
        lambda s, t, u: mp.log(definitions.wright(mp, s, t, u)), (a, b, x), tuple(map(wrt.count, "abx"))
    ),
    a=real(0.1, 3),
    b=real(0.5, 10),
    x=real(0.1, 15),
    see="DLMF 10.46.1",
)

wright_bessel = special(
    "wright_bessel(a, b, x)",
    da=lambda y, a, b, x: x * wright_n(a, a + b, x, n=1),
    db=lambda y, a, b, x: wright_n(a, b, x, n=1),
    dx=lambda y, a, b, x: wright_n(a, a + b, x, n=0),
    ref=lambda mp, a, b, x: definitions.wright(mp, a, b, x),
    a=real(0, 6),
    b=real(0, 30),
    x=real(0, 100),
    at=[(0.3, 1.0, 100.0), (1.0, 1.0, 1e4), (0.5, 0.0, 2.0), (2.5, 20.0, 1e-3), (0.02, 3.0, 90.0)],
    see="DLMF 10.46.1, term by term",
)
log_wright_bessel = special(
    "log_wright_bessel(a, b, x)",
    da=lambda y, a, b, x: x * wright_ratio_ns(a, b, x, n=1, s=1),
    db=lambda y, a, b, x: wright_ratio_ns(a, b, x, n=1, s=0),
    dx=lambda y, a, b, x: wright_ratio_ns(a, b, x, n=0, s=1),
    ref=lambda mp, a, b, x: mp.log(definitions.wright(mp, a, b, x)),
    a=real(0, 6),
    b=real(0.01, 30),
    x=real(0, 100),
    at=[(0.3, 1.0, 100.0), (1.0, 1.0, 1e6), (0.5, 2.0, 1e3), (2.5, 20.0, 1e-3), (0.02, 3.0, 90.0)],
    see="DLMF 10.46.1, term by term",
)
wrightomega = special(
    "wrightomega(z)",
    dz=lambda w, z: omega_slope(w),
    ref=lambda mp, z: definitions.omega(mp, z),
    z=real(-30, 100, im=8),
    at=[0.0, -700.0, 1e10, 1e-10, -1 + 3.14j, -3 + 3.0j, -20 + 20j, 30 - 2.5j],
    see="Corless and Jeffrey (2002): w + log w = z; singular at z = -1 +- i pi",
)

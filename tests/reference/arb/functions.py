"""Arb's functions under the names of the formulas, for balls on which they are analytic: not a number on a cut.

Arb encloses the values on both sides of a cut. Such a ball is no bound for derivatives.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import flint
from flint import acb, arb

NAN = acb(arb("nan"), arb("nan"))
I = acb(0, 1)
TERMS = 20_000  # of a series that is summed here


def pi() -> acb:
    return acb.pi()


def whole(x: Any) -> int | None:
    """The integer that it is, if it is no ball around one."""
    if isinstance(x, int):
        return x
    x = acb(x)
    n = x.unique_fmpz() if x.is_exact() else None
    return None if n is None else int(n)


def off_cut(z: Any) -> acb:
    """The ball, unless it touches the negative axis or 0."""
    z = acb(z)
    return z if z.real > 0 or z.imag > 0 or z.imag < 0 else NAN


def right(z: Any) -> acb:
    """The ball, if it is in the right half-plane."""
    z = acb(z)
    return z if z.real > 0 else NAN


def size(z: Any) -> acb:
    """|x| next to the real axis: z or -z."""
    z = acb(z)
    if z.real > 0:
        return z
    return -z if z.real < 0 else NAN


def log(z: Any) -> acb:
    return acb(z).log(analytic=True)


def sqrt(z: Any) -> acb:
    return acb(z).sqrt(analytic=True)


def power(z: Any, p: Any) -> acb:
    n = whole(p)
    return acb(z) ** n if n is not None else (log(z) * p).exp()


def psi(n: int, z: Any) -> acb:
    """psi_n by Hurwitz' zeta function to the right, DLMF 25.11.12, and by its recurrence, 5.15.5."""
    z, below = acb(z), acb(0)
    if n == 0:
        return z.digamma()
    up = max(0, 1 - int(float(z.real.mid()))) if z.is_finite() else 0
    for k in range(min(up, 2000)):
        below += (z + k) ** -(n + 1)
    sign = acb((-1) ** (n + 1)) * acb(n + 1).gamma()
    return sign * (acb(n + 1).zeta(z + up) + below)


def jv(v: Any, z: Any) -> acb:
    return (off_cut(z) if whole(v) is None else acb(z)).bessel_j(v)


def iv(v: Any, z: Any) -> acb:
    return (off_cut(z) if whole(v) is None else acb(z)).bessel_i(v)


def yv(v: Any, z: Any) -> acb:
    return off_cut(z).bessel_y(v)


def kv(v: Any, z: Any) -> acb:
    return off_cut(z).bessel_k(v)


def hyp1f1(a: Any, b: Any, z: Any) -> acb:
    return acb(z).hypgeom_1f1(a, b)


def hyp2f1(a: Any, b: Any, c: Any, z: Any) -> acb:
    z = acb(z)
    polynomial = any(whole(p) is not None and whole(p) <= 0 for p in (a, b))
    if not polynomial and not off_cut(1 - z).is_finite():
        return NAN
    y = z.hypgeom_2f1(a, b, c)
    if not y.is_finite() and z.real < 0.5:  # Pfaff, DLMF 15.8.1
        y = power(1 - z, -acb(a)) * (z / (z - 1)).hypgeom_2f1(a, acb(c) - acb(b), c)
    return y


def gamma_lower(a: Any, z: Any) -> acb:
    """P(a, z)."""
    z, a = acb(z), acb(a)
    return (log(z) * a - z - off_cut(a + 1).lgamma()).exp() * _powers(a + 1, z)


def gamma_upper(a: Any, z: Any) -> acb:
    """Q(a, z)."""
    return off_cut(z).gamma_upper(a, 1)


def log_beta(a: Any, b: Any) -> acb:
    return off_cut(a).lgamma() + off_cut(b).lgamma() - off_cut(acb(a) + acb(b)).lgamma()


def beta_lower(a: Any, b: Any, x: Any, y: Any = None) -> acb:
    """I_x(a, b), DLMF 8.17.8, on that side of 1/2 where it converges; y = 1 - x."""
    a, b, x = acb(a), acb(b), acb(x)
    y = 1 - x if y is None else acb(y)
    if float(x.real.mid()) > 0.5:
        return 1 - _beta_series(b, a, y, x)
    return _beta_series(a, b, x, y)


def beta_upper(a: Any, b: Any, x: Any, y: Any = None) -> acb:
    return beta_lower(b, a, 1 - acb(x) if y is None else y, x)


def _beta_series(a: acb, b: acb, x: acb, y: acb) -> acb:
    front = (log(x) * a + log(y) * b - log_beta(a, b)).exp() / a
    return front * _ratios(a + b, a + 1, x)


def _ratios(n: acb, m: acb, x: acb) -> acb:
    """2F1(n, 1; m; x), of which Arb makes a long polynomial where n - m is a whole number.

    From term k on the quotients of terms are at most |x| (1 + |n - m| / |m + k|), where Re(m + k) > 0.
    """
    size, apart = abs(x).upper(), abs(n - m).upper()
    return _summed(lambda k: x * (n + k) / (m + k), lambda k: size * (1 + apart / abs(m + k).lower()), m)


def _powers(m: acb, x: acb) -> acb:
    """1F1(1; m; x), for the same reason."""
    size = abs(x).upper()
    return _summed(lambda k: x / (m + k), lambda k: size / abs(m + k).lower(), m)


def _summed(ratio: Callable, most: Callable, m: acb) -> acb:
    """1 and the products of ratio(0), ratio(1), ...; most(k) bounds those from k on, where Re(m + k) > 0."""
    least = arb(2) ** -flint.ctx.prec
    total = term = acb(1)
    for k in range(TERMS):
        term = term * ratio(k)
        total += term
        if k % 8 == 0 and (m + k).real > 0:
            bound = most(k)
            if bound < 1 and abs(term) * bound <= least * abs(total) * (1 - bound):
                rest = (abs(term) * bound / (1 - bound)).upper()
                return total + acb(arb(0, rest), arb(0, rest))
        if not term.is_finite():
            break
    return NAN


def normal_lower(x: Any) -> acb:
    return (-acb(x) / acb(2).sqrt()).erfc() / 2


def normal_upper(x: Any) -> acb:
    return normal_lower(-acb(x))

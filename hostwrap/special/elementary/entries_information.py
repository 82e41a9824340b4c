"""Entropies and divergences, x log y without 0 log 0, and the losses of robust statistics."""

from hostwrap.special._entry import kernel, real, special
from hostwrap.special._known import known
from hostwrap.special._math import abs, isnan, log, nan, sign, where
from hostwrap.special.elementary import divergence, twins
from hostwrap.special.elementary import elementary as kernels
from hostwrap.special.elementary.entries import log1p

__all__ = ["entr", "huber", "kl_div", "pseudo_huber", "rel_entr", "xlog1py", "xlogy"]


log_ratio = kernel(
    "log_ratio(x, y)",
    host=divergence.log_ratio,
    twin=twins.log_ratio,
    loops=True,
    dx=lambda f, x, y: known(f, 1 / x),
    dy=lambda f, x, y: known(f, -1 / y),
    ref=lambda mp, x, y: mp.log(x / y),
    x=real(1e-10, 30),
    y=real(1e-10, 30),
    at=[(2.0, 2.0 + 1e-9), (1e-200, 3.0), (1e-200, 1e150)],
    see="its definition",
)
quotient = kernel(
    "quotient(x, y)",  # 0/0 is 0; in its derivatives no power of a small y underflows
    host=divergence.quotient,
    twin=twins.quotient,
    loops=True,
    dx=lambda f, x, y: 1 / y,
    dy=lambda f, x, y: -quotient(f, y),
    ref=lambda mp, x, y: x / y,
    x=real(-2, 30, im=4),
    y=real(0.01, 50, im=4),
    at=[(0.0, 2.0), (1e-200, 1e-200)],
    see="its definition",
)
excess = kernel(
    "excess(x, y)",  # x/y - 1
    host=divergence.excess,
    twin=twins.excess,
    loops=True,
    dx=lambda f, x, y: 1 / y,
    dy=lambda f, x, y: -quotient(quotient(x, y), y),
    ref=lambda mp, x, y: x / y - 1,
    x=real(1e-10, 30),
    y=real(1e-10, 30),
    at=[(2.0, 2.0 + 1e-9), (1e-200, 3.0), (0.0, 1e-200)],
    see="its definition",
)


def within(f, inside, derivative):
    """The derivative inside of the domain; outside, the function is infinite."""
    return known(f, where(inside, derivative, nan * f))


def inside_only(inside, derivative, total):
    """The same by the arguments alone, whose sum is `total`: the function is not computed for its NaN."""
    return where(inside, derivative, nan * total)


def divergent(x, y):
    """NaN where kl_div is: next to infinity the terms of its sum cancel; 0 elsewhere."""
    return where((x == 0) & ~isnan(y) | (y == 0) & ~isnan(x), 0.0, (x - x) + (y - y))


entr = special(
    "entr(x)",
    dx=lambda y, x: inside_only(x >= 0, -log(x) - 1, x),
    ref=lambda mp, x: -x * mp.log(x),
    x=real(1e-10, 100),
    at=[1e-300, 1e10],
    see="its definition",
)
rel_entr = special(
    "rel_entr(x, y)",
    dx=lambda f, x, y: log_ratio(x, y) + 1,
    dy=lambda f, x, y: inside_only((x >= 0) & (y >= 0), -quotient(x, y), x + y),
    ref=lambda mp, x, y: x * mp.log(x / y),
    x=real(1e-10, 30),
    y=real(1e-10, 30),
    at=[(1.0, 1.0), (2.0, 2.0 + 1e-9), (1e-200, 3.0), (1e-200, 1e150)],
    see="its definition",
)
kl_div = special(
    "kl_div(x, y)",
    dx=lambda f, x, y: known(divergent(x, y), log_ratio(x, y)),
    dy=lambda f, x, y: inside_only((x >= 0) & (y >= 0), known(divergent(x, y), -excess(x, y)), x + y),
    ref=lambda mp, x, y: x * mp.log(x / y) - x + y,
    x=real(1e-10, 30),
    y=real(1e-10, 30),
    at=[(1.0, 1.0), (2.0, 2.0 + 1e-9), (1e-200, 3.0), (3.0, 1e200)],
    see="its definition",
)
xlogy = special(
    "xlogy(x, y)",
    twin=twins.xlogy,
    dx=lambda f, x, y: known(f, log(y)),
    dy=lambda f, x, y: quotient(x, y),
    ref=lambda mp, x, y: x * mp.log(y),
    x=real(-2, 30, im=4),
    y=real(1e-10, 50, im=4),
    at=[(0.0, 0.3), (0.0, 2.0), (1.0, 1.0), (2.0, 1e-300), (0.0, 1e-200)],
    see="its definition",
)
xlog1py = special(
    "xlog1py(x, y)",
    twin=twins.xlog1py,
    dx=lambda f, x, y: known(f, log1p(y)),
    dy=lambda f, x, y: quotient(x, 1 + y),
    ref=lambda mp, x, y: x * mp.log1p(y),
    x=real(-2, 30, im=4),
    y=real(-0.99, 50, im=4),
    at=[(0.0, 0.3), (0.0, 2.0), (1.0, 1e-12), (2.0, -0.999999)],
    see="its definition",
)
huber = special(
    "huber(delta, r)",
    ddelta=lambda y, delta, r: within(y, delta >= 0, where(abs(r) <= delta, 0.0, abs(r) - delta)),
    dr=lambda y, delta, r: within(y, delta >= 0, where(abs(r) <= delta, r, delta * sign(r))),
    ref=lambda mp, delta, r: r**2 / 2 if -delta <= r <= delta else delta * (mp.fabs(r) - delta / 2),
    delta=real(0.001, 5),
    r=real(-7, 7),
    at=[(1.0, 0.3), (1.0, 2.0), (0.5, -2.0), (1.0, 1e6)],
    see="Huber 1964",
)


def hyp(mp, delta, r):
    return mp.sqrt(1 + (r / delta) ** 2)


def flat(delta, r):
    """delta / sqrt(delta^2 + r^2)."""
    return steep(r, delta)


size = kernel(
    "size(delta, r)",  # sqrt(delta^2 + r^2)
    host=kernels.size,
    twin=twins.size,
    loops=True,
    ddelta=lambda y, delta, r: flat(delta, r),
    dr=lambda y, delta, r: steep(delta, r),
    ref=lambda mp, delta, r: mp.hypot(delta, r),
    delta=real(1e-6, 30),
    r=real(-7, 1e3),
    at=[(1.0, 1e-9), (0.1, 1e6), (30.0, 1e-3)],
    see="its definition",
)
steep = kernel(
    "steep(delta, r)",  # r / sqrt(delta^2 + r^2)
    host=kernels.steep,
    twin=twins.steep,
    loops=True,
    ddelta=lambda y, delta, r: -y * flat(delta, r) / size(delta, r),
    dr=lambda y, delta, r: flat(delta, r) ** 2 / size(delta, r),
    ref=lambda mp, delta, r: r / mp.sqrt(delta**2 + r**2),
    delta=real(1e-6, 30),
    r=real(-7, 1e3),
    at=[(1.0, 1e-9), (0.1, 1e6), (30.0, 1e-3)],
    see="the derivative of its definition",
)


# With s = steep, c = flat and h = size the loss is delta h - delta^2, and its second derivative in delta 3 c - c^3 - 2.
# That has the derivatives 3 s^4 / h and -3 s^3 c / h, and all further ones are sums of products of s, c and 1 / h, in
# which an odd power of delta is one of c.

pseudo_huber_bend = kernel(
    "pseudo_huber_bend(delta, r)",
    host=kernels.pseudo_huber_bend,
    twin=twins.pseudo_huber_bend,
    loops=True,
    ddelta=lambda y, delta, r: 3 * steep(delta, r) ** 4 / size(delta, r),
    dr=lambda y, delta, r: -3 * steep(delta, r) ** 3 * flat(delta, r) / size(delta, r),
    ref=lambda mp, delta, r: (
        -(r**4)
        * (2 + delta / mp.hypot(delta, r))
        / (mp.hypot(delta, r) + delta) ** 2
        / mp.hypot(delta, r) ** 2
    ),
    delta=real(1e-6, 30),
    r=real(-7, 1e3),
    at=[(1.0, 1e-9), (0.1, 1e6), (30.0, 1e-3)],
    see="the derivative of its definition",
)
pseudo_huber_delta = kernel(
    "pseudo_huber_delta(delta, r)",
    host=kernels.pseudo_huber_delta,
    twin=twins.pseudo_huber_delta,
    loops=True,
    ddelta=lambda y, delta, r: known(y, pseudo_huber_bend(delta, r)),
    dr=lambda y, delta, r: known(y, steep(delta, r) ** 3),
    ref=lambda mp, delta, r: delta * (r / delta) ** 4 / hyp(mp, delta, r) / (1 + hyp(mp, delta, r)) ** 2,
    delta=real(1e-6, 30),
    r=real(-7, 1e3),
    at=[(1.0, 1e-9), (0.1, 1e6), (30.0, 1e-3)],
    see="the derivative of its definition",
)
pseudo_huber_r = kernel(
    "pseudo_huber_r(delta, r)",
    host=kernels.pseudo_huber_r,
    twin=twins.pseudo_huber_r,
    loops=True,
    ddelta=lambda y, delta, r: known(y, steep(delta, r) ** 3),
    dr=lambda y, delta, r: known(y, flat(delta, r) ** 3),
    ref=lambda mp, delta, r: r / hyp(mp, delta, r),
    delta=real(1e-6, 30),
    r=real(-7, 1e3),
    at=[(1.0, 1e-9), (0.1, 1e6), (30.0, 1e-3)],
    see="the derivative of its definition",
)
pseudo_huber = special(
    "pseudo_huber(delta, r)",
    ddelta=lambda y, delta, r: pseudo_huber_delta(delta, r),
    dr=lambda y, delta, r: pseudo_huber_r(delta, r),
    ref=lambda mp, delta, r: r**2 / (mp.sqrt(1 + (r / delta) ** 2) + 1),
    delta=real(1e-6, 30),
    r=real(-7, 1e3),
    at=[(1.0, 1e-9), (1.0, 0.0), (0.1, 1e6), (30.0, 1e-3)],
    see="Charbonnier et al. 1997",
)

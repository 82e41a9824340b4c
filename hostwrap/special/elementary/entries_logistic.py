"""The logistic function and what is made of it."""

from hostwrap.special._entry import kernel, real, special
from hostwrap.special._math import nan, tanh, where
from hostwrap.special.elementary import elementary as kernels
from hostwrap.special.elementary import twins

__all__ = ["expit", "log_expit", "logit", "softplus"]

expit_slope = kernel(
    "expit_slope(x)",
    host=kernels.expit_slope,
    twin=twins.expit_slope,
    loops=True,
    dx=lambda y, x: -tanh(x / 2) * y,
    ref=lambda mp, x: 1 / (4 * mp.cosh(x / 2) ** 2),
    x=real(-100, 100),
    at=[0.0, 1e-9, 40.0, 600.0, -600.0],
    see="the derivative of its definition",
)
expit = special(
    "expit(x)",
    twin=twins.expit,
    dx=lambda y, x: expit_slope(x),
    ref=lambda mp, x: 1 / (1 + mp.exp(-x)),
    x=real(-100, 100),
    at=[0.0, 40.0, 600.0, -600.0],
    see="its definition",
)
logit = special(
    "logit(x)",
    dx=lambda y, x: where((x >= 0) & (x <= 1), 1 / (x * (1 - x)), nan * x),
    ref=lambda mp, x: mp.log(x / (1 - x)),
    x=real(1e-6, 0.999999),
    at=[0.5, 1e-300, 1 - 1e-12],
    see="its definition",
)
log_expit = special(
    "log_expit(x)",
    dx=lambda y, x: expit(-x),
    ref=lambda mp, x: -mp.log1p(mp.exp(-x)),
    x=real(-100, 100),
    at=[0.0, 40.0, 600.0, -600.0],
    see="its definition",
)
softplus = special(
    "softplus(x)",
    dx=lambda y, x: expit(x),
    ref=lambda mp, x: mp.log1p(mp.exp(x)),
    x=real(-100, 100),
    at=[0.0, 40.0, 600.0, -600.0],
    see="its definition",
)

"""Parameters of the normal distribution from its quantiles, Owen's T function, and Tukey's lambda distribution."""

from hostwrap.special._entry import kernel, real, special
from hostwrap.special._known import known
from hostwrap.special._math import pi, sqrt
from hostwrap.special._orders import orders
from hostwrap.special.error import mp_normal_distribution as definitions
from hostwrap.special.error import normal, tukey_lambda, twins
from hostwrap.special.error.entries import erf, gaussian
from hostwrap.special.error.entries_normal import ndtri

__all__ = ["nrdtrimn", "nrdtrisd", "owens_t", "tklmbda"]


nrdtrimn = special(
    "nrdtrimn(p, std, x)",
    dp=lambda y, p, std, x: known(y, -scaled_quantile_n(p, std, n=1)),
    dstd=lambda y, p, std, x: known(y, -ndtri(p)),
    dx=lambda y, p, std, x: known(y, 1.0),
    ref=lambda mp, p, std, x: x - std * definitions.ndtri(mp, p),
    p=real(0, 1),
    std=real(0.1, 10),
    x=real(-20, 20),
    at=[(1e-300, 1.0, 0.0), (1 - 1e-15, 2.0, 1.0)],
    see="x = mn + std ndtri(p)",
)
nrdtrisd = special(
    "nrdtrisd(mn, p, x)",
    dmn=lambda y, mn, p, x: known(y, scaled_quantile_n(p, -1.0, n=0, reciprocal=True)),
    dp=lambda y, mn, p, x: known(y, scaled_quantile_n(p, x - mn, n=1, reciprocal=True)),
    dx=lambda y, mn, p, x: known(y, scaled_quantile_n(p, 1.0, n=0, reciprocal=True)),
    ref=lambda mp, mn, p, x: (x - mn) / definitions.ndtri(mp, p),
    mn=real(-10, 10),
    p=real(0, 1),
    x=real(-20, 20),
    at=[(0.0, 1e-300, 1.0), (1.0, 1 - 1e-15, 2.0)],
    see="x = mn + std ndtri(p)",
)
scaled_quantile_n = kernel(
    "scaled_quantile_n(p, factor, *, n, reciprocal=False)",
    host=normal.scaled_quantile_n,
    twin=twins.scaled_quantile_n,
    loops=True,
    dp=lambda y, p, factor, *, n, reciprocal: scaled_quantile_n(p, factor, n=n + 1, reciprocal=reciprocal),
    dfactor=lambda y, p, factor, *, n, reciprocal: scaled_quantile_n(p, 1.0, n=n, reciprocal=reciprocal),
    ref=lambda mp, p, factor, *, n, reciprocal: (
        factor * mp.diff(lambda t: definitions.ndtri(mp, t) ** (1 - 2 * reciprocal), p, n)
    ),
    p=real(0.001, 0.999),
    factor=real(-10, 10),
    at=[(1e-5, 2.0), (1 - 1e-7, -1.0)],
    see="DLMF 7.17.1",
)


def cosine(tangent):
    """Its square is 1 / (1 + a^2), whose derivatives would have the square of 1 + a^2."""
    return 1 / sqrt(1 + tangent * tangent)


owens_t = special(
    "owens_t(h, a)",
    dh=lambda y, h, a: -gaussian(h, c=-1, n=0) * erf(a * h / sqrt(2.0)) / (2 * sqrt(2 * pi)),
    da=lambda y, h, a: gaussian(h, c=-1, n=0) * gaussian(a * h, c=-1, n=0) * cosine(a) * cosine(a) / (2 * pi),
    ref=lambda mp, h, a: definitions.owens_t(mp, h, a),
    h=real(-8, 8),
    a=real(-8, 8),
    at=[(0.0, 1.0), (20.0, 0.3), (-3.0, 50.0), (1e-8, 1e3)],
    see="Owen (1956)",
)


tklmbda = special(
    "tklmbda(x, lmbda)",
    orders=orders(tukey_lambda.tukey_lambda_n, loops=True, x=real(-2, 2), lmbda=real(-2, 0.4)),
    ref=lambda mp, x, lmbda: definitions.tukey_lambda(mp, x, lmbda),
    x=real(-3, 3),
    lmbda=real(-2, 2),
    at=[
        (1.0, 0.0),
        (0.0, 0.0),
        (-0.5, 1.0),
        (-20.0, 1e-9),
        (-30.0, 0.0),
        (-1e4, -0.5),
        (0.19, 5.0),
        (4.0, 2.0),
    ],
    see="implicit function theorem",
)

"""The distributions of Kolmogorov's and Smirnov's statistics, and their inverses."""

from hostwrap.special._entry import discrete, integer, kernel, missing, real, special
from hostwrap.special.definitions import kolmogorov as definitions
from hostwrap.special.kernels.distributions import kolmogorov as kolmogorov_kernels
from hostwrap.special.kernels.distributions import smirnov as smirnov_kernels

__all__ = ["kolmogi", "kolmogorov", "smirnov", "smirnovi"]

TWICE = "this inverse is differentiated twice"

kolmogorov_n = kernel(
    "kolmogorov_n(y, *, n)",
    host=kolmogorov_kernels.kolmogorov_n,
    dy=lambda f, y, *, n: kolmogorov_n(y, n=n + 1),
    ref=lambda mp, y, *, n: mp.diff(lambda t: definitions.kolmogorov(mp, t), y, n),
    y=real(0.05, 8),
    at=[0.9],
    see="DLMF 20.7.32",
)
kolmogi_n = kernel(
    "kolmogi_n(p, *, n)",
    host=kolmogorov_kernels.kolmogi_n,
    dp=lambda y, p, *, n: kolmogi_n(p, n=n + 1) if n == 1 else missing(TWICE),
    ref=lambda mp, p, *, n: mp.diff(lambda t: definitions.kolmogi(mp, t), p, n),
    p=real(0.001, 0.999),
    see="inverse function theorem",
)
kolmogorov = special(
    "kolmogorov(y)",
    dy=lambda f, y: kolmogorov_n(y, n=1),
    ref=lambda mp, y: definitions.kolmogorov(mp, y),
    y=real(0, 10),
    at=[0.05, 0.9, -1.0, 15.0],
    see="DLMF 20.7.32, differentiated",
)
kolmogi = special(
    "kolmogi(p)",
    dp=lambda y, p: kolmogi_n(p, n=1),
    ref=lambda mp, p: definitions.kolmogi(mp, p),
    p=real(0, 1),
    at=[1e-100, 1 - 1e-15],
    see="inverse function theorem",
)

smirnov_n = kernel(
    "smirnov_n(count, d, *, n)",
    host=smirnov_kernels.smirnov_n,
    dcount=discrete,
    dd=lambda f, count, d, *, n: smirnov_n(count, d, n=n + 1),
    ref=lambda mp, count, d, *, n: mp.diff(lambda t: definitions.smirnov(mp, count, t), d, n),
    count=integer(1, 40),
    d=real(0, 1),
    see="Birnbaum and Tingey (1951), differentiated term by term",
)
smirnovi_n = kernel(
    "smirnovi_n(count, p, *, n)",
    host=smirnov_kernels.smirnovi_n,
    dcount=discrete,
    dp=lambda d, count, p, *, n: smirnovi_n(count, p, n=n + 1) if n == 1 else missing(TWICE),
    ref=lambda mp, count, p, *, n: mp.diff(lambda t: definitions.smirnovi(mp, count, t), p, n),
    count=integer(1, 40),
    p=real(0.001, 0.999),
    see="inverse function theorem",
)
smirnov = special(
    "smirnov(n, d)",
    dn=discrete,
    dd=lambda f, n, d: smirnov_n(n, d, n=1),
    ref=lambda mp, n, d: definitions.smirnov(mp, n, d),
    n=integer(1, 100),
    d=real(0, 1),
    at=[(1000, 0.02), (200, 0.5), (400, 0.003)],
    see="Birnbaum and Tingey (1951); its derivatives jump at multiples of 1/n",
)
smirnovi = special(
    "smirnovi(n, p)",
    dn=discrete,
    dp=lambda d, n, p: smirnovi_n(n, p, n=1),
    ref=lambda mp, n, p: definitions.smirnovi(mp, n, p),
    n=integer(1, 100),
    p=real(0, 1),
    at=[(500, 0.01), (50, 1e-30), (50, 1 - 1e-12)],
    see="inverse function theorem",
)

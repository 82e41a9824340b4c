"""The distributions of Kolmogorov's and Smirnov's statistics, and their inverses."""

from hostwrap.special._entry import discrete, integer, real, special
from hostwrap.special._orders import orders
from hostwrap.special.kolmogorov_smirnov import kolmogorov as kolmogorov_kernels
from hostwrap.special.kolmogorov_smirnov import mp as definitions
from hostwrap.special.kolmogorov_smirnov import smirnov as smirnov_kernels

__all__ = ["kolmogi", "kolmogorov", "smirnov", "smirnovi"]


kolmogorov = special(
    "kolmogorov(y)",
    orders=orders(kolmogorov_kernels.kolmogorov_n, loops=True, y=real(0.05, 8), at=[0.9]),
    ref=lambda mp, y: definitions.kolmogorov(mp, y),
    y=real(0, 10),
    at=[0.05, 0.9, -1.0, 15.0],
    see="DLMF 20.7.32, differentiated",
)
kolmogi = special(
    "kolmogi(p)",
    orders=orders(kolmogorov_kernels.kolmogi_n, loops=True, p=real(0.001, 0.999)),
    ref=lambda mp, p: definitions.kolmogi(mp, p),
    p=real(0, 1),
    at=[1e-100, 1 - 1e-15],
    see="inverse function theorem",
)

smirnov = special(
    "smirnov(n, d)",
    dn=discrete,
    orders=orders(smirnov_kernels.smirnov_n, guarded=True, loops=True, n=integer(1, 40)),
    ref=lambda mp, n, d: definitions.smirnov(mp, n, d),
    n=integer(1, 100),
    d=real(0, 1),
    at=[(1000, 0.02), (200, 0.5), (400, 0.003)],
    see="Birnbaum and Tingey (1951); its derivatives jump at multiples of 1/n",
)
smirnovi = special(
    "smirnovi(n, p)",
    dn=discrete,
    orders=orders(smirnov_kernels.smirnovi_n, loops=True, n=integer(1, 40), p=real(0.001, 0.999)),
    ref=lambda mp, n, p: definitions.smirnovi(mp, n, p),
    n=integer(1, 100),
    p=real(0, 1),
    at=[(500, 0.01), (50, 1e-30), (50, 1 - 1e-12)],
    see="inverse function theorem",
)

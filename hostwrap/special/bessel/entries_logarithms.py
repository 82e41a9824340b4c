"""Logarithms of the modified Bessel functions of real order v and argument x > 0, of any size. SciPy has none of them.

I_v(x) and K_v(x) overflow or underflow where their logarithms are ordinary numbers: in von Mises-Fisher densities of
many dimensions, in smooth Matern kernels, in generalized inverse Gaussian distributions. `log_ive` and
`log_kve` are the logarithms of e^-x I_v(x) and e^x K_v(x).
"""

from hostwrap.special._entry import real, special
from hostwrap.special._orders import orders
from hostwrap.special.bessel import logarithms as kernels
from hostwrap.special.bessel import mp_log as definitions

__all__ = ["log_iv", "log_ive", "log_kv", "log_kve"]

SMALL = [(0.0, 1e-3), (0.0, 2.0), (1e-9, 3.0), (3.0, 1e-30), (0.5, 1e-300)]
LARGE = [(499.0, 100.0), (499.0, 2000.0), (1e5, 3.0), (1e8, 1e8), (1e8, 1e-300), (0.0, 1e20)]
POSITIVE = {
    "v": real(0, 60),
    "x": real(0.01, 60),
    "at": [*SMALL, (3.0, 4.5), (4.0, 8.0), *LARGE],
    "see": "DLMF 10.41",
}

log_iv = special(
    "log_iv(v, x)",
    host=kernels.log_iv,
    loops=True,
    orders=orders(kernels.log_iv_n, loops=True),
    ref=lambda mp, v, x: definitions.log_i(mp, v, x),
    **POSITIVE,
)
log_ive = special(
    "log_ive(v, x)",
    host=kernels.log_ive,
    loops=True,
    orders=orders(kernels.log_ive_n, loops=True),
    ref=lambda mp, v, x: definitions.log_i(mp, v, x) - x,
    **POSITIVE,
)
log_kv = special(
    "log_kv(v, x)",
    host=kernels.log_kv,
    loops=True,
    orders=orders(kernels.log_kv_n, loops=True),
    ref=lambda mp, v, x: definitions.log_k(mp, v, x),
    **POSITIVE,
)
log_kve = special(
    "log_kve(v, x)",
    host=kernels.log_kve,
    loops=True,
    orders=orders(kernels.log_kve_n, loops=True),
    ref=lambda mp, v, x: definitions.log_k(mp, v, x) + x,
    **POSITIVE,
)

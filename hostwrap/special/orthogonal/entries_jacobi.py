"""Jacobi, Gegenbauer and Legendre functions of real degree, on [-1, 1] and shifted to [0, 1]."""

from hostwrap.special._entry import real, special
from hostwrap.special._orders import orders
from hostwrap.special.orthogonal import _endless
from hostwrap.special.orthogonal import jacobi as kernels
from hostwrap.special.orthogonal.mp import gegenbauer, jacobi, legendre, sh_jacobi

__all__ = ["eval_gegenbauer", "eval_jacobi", "eval_legendre", "eval_sh_jacobi", "eval_sh_legendre"]

# One kernel a function holds the mixed derivatives of all orders: D F(a, b; c; z) in z is a shift of a, b and c
# (DLMF 15.5.2), and in the parameters a differentiated series or differential equation.


eval_legendre = special(
    "eval_legendre(n, x)",
    orders=orders(kernels.legendre_n, loops=True, x=real(-0.99, 3, im=2)),
    ref=lambda mp, n, x: legendre(mp, n, x),
    unsafe=_endless.legendre,
    n=real(-0.5, 30),
    x=real(-1, 3, im=2),
    at=[(2.0, -2.5), (0.0, 0.3), (3.0, 1.0), (20.3, -0.7), (60.5, -0.95), (3.7, -0.999), (-2.3, 0.5)],
    see="DLMF 14.3.1",
)
eval_sh_legendre = special(
    "eval_sh_legendre(n, x)",
    orders=orders(kernels.sh_legendre_n, loops=True, x=real(1e-9, 2, im=1)),
    ref=lambda mp, n, x: legendre(mp, n, 2 * x - 1),
    unsafe=_endless.sh_legendre,
    n=real(-0.5, 30),
    x=real(0, 2, im=1),
    at=[(2.0, -0.75), (20.3, 0.15), (3.7, 0.0005)],
    see="DLMF 14.3.1, at 2 x - 1",
)
eval_gegenbauer = special(
    "eval_gegenbauer(n, alpha, x)",
    orders=orders(kernels.gegenbauer_n, loops=True, alpha=real(0.1, 10), x=real(-0.99, 3, im=2)),
    ref=lambda mp, n, alpha, x: gegenbauer(mp, n, alpha, x),
    unsafe=_endless.gegenbauer,
    n=real(0, 25),
    alpha=real(-0.3, 10),
    x=real(-1, 3, im=2),
    at=[(2.0, 0.7, -2.5), (5.0, 0.0, 0.3), (25.0, 2.3, 0.0), (0.5, 10.0, -0.7)],
    see="DLMF 18.5.9",
)
eval_jacobi = special(
    "eval_jacobi(n, alpha, beta, x)",
    orders=orders(
        kernels.jacobi_n, loops=True, alpha=real(-0.9, 5), beta=real(-0.9, 5), x=real(-0.9, 3, im=2)
    ),
    ref=lambda mp, n, alpha, beta, x: jacobi(mp, n, alpha, beta, x),
    unsafe=_endless.jacobi,
    n=real(0, 20),
    alpha=real(-0.9, 8),
    beta=real(-0.9, 8),
    x=real(-1, 3, im=2),
    at=[(2.0, 0.3, 0.7, -2.5), (20.0, -0.4, -0.3, 1.0), (20.0, 2.0, 1.5, 0.0), (2.0, -0.4, 2.0, -0.99)],
    see="DLMF 18.5.7",
)
eval_sh_jacobi = special(
    "eval_sh_jacobi(n, p, q, x)",
    orders=orders(kernels.sh_jacobi_n, loops=True, p=real(2, 8), q=real(0.2, 2.5), x=real(0.05, 2, im=1)),
    ref=lambda mp, n, p, q, x: sh_jacobi(mp, n, p, q, x),
    unsafe=_endless.sh_jacobi,
    n=real(0, 12),
    p=real(1.6, 8),
    q=real(0.1, 2.5),
    x=real(0, 2, im=1),
    at=[(2.0, 2.0, 1.5, -0.5), (3.7, 2.0, 2.5, 0.05), (12.0, 6.0, 0.6, 0.7)],
    see="Abramowitz and Stegun 22.2.2",
)

"""Jacobi, Gegenbauer and Legendre functions of real degree, on [-1, 1] and shifted to [0, 1]."""

from hostwrap.special._entry import kernel, real, special
from hostwrap.special.definitions._mixed import mixed
from hostwrap.special.definitions.orthogonal import gegenbauer, jacobi, legendre, sh_jacobi
from hostwrap.special.families._endless import endless
from hostwrap.special.families._known import known
from hostwrap.special.kernels.orthogonal import jacobi as kernels

__all__ = ["eval_gegenbauer", "eval_jacobi", "eval_legendre", "eval_sh_jacobi", "eval_sh_legendre"]

# One kernel a function holds the mixed derivatives of all orders: D F(a, b; c; z) in z is a shift of a, b and c
# (DLMF 15.5.2), and in the parameters a differentiated series or differential equation.

legendre_il = kernel(
    "legendre_il(n, x, *, i, l)",  # (d/dn)^i (d/dx)^l of eval_legendre
    host=kernels.legendre_il,
    dn=lambda y, n, x, *, i, l: legendre_il(n, x, i=i + 1, l=l),
    dx=lambda y, n, x, *, i, l: legendre_il(n, x, i=i, l=l + 1),
    ref=lambda mp, n, x, *, i, l: mixed(mp, lambda a, t: legendre(mp, a, t), (n, x), (i, l)),
    n=real(-0.5, 30),
    x=real(-0.99, 3, im=2),
    see="DLMF 14.3.1",
)
sh_legendre_il = kernel(
    "sh_legendre_il(n, x, *, i, l)",
    host=kernels.sh_legendre_il,
    dn=lambda y, n, x, *, i, l: sh_legendre_il(n, x, i=i + 1, l=l),
    dx=lambda y, n, x, *, i, l: sh_legendre_il(n, x, i=i, l=l + 1),
    ref=lambda mp, n, x, *, i, l: mixed(mp, lambda a, t: legendre(mp, a, 2 * t - 1), (n, x), (i, l)),
    n=real(-0.5, 30),
    x=real(1e-9, 2, im=1),
    see="DLMF 14.3.1",
)
gegenbauer_ijl = kernel(
    "gegenbauer_ijl(n, alpha, x, *, i, j, l)",  # (d/dn)^i (d/dalpha)^j (d/dx)^l of eval_gegenbauer
    host=kernels.gegenbauer_ijl,
    dn=lambda y, n, alpha, x, *, i, j, l: gegenbauer_ijl(n, alpha, x, i=i + 1, j=j, l=l),
    dalpha=lambda y, n, alpha, x, *, i, j, l: gegenbauer_ijl(n, alpha, x, i=i, j=j + 1, l=l),
    dx=lambda y, n, alpha, x, *, i, j, l: gegenbauer_ijl(n, alpha, x, i=i, j=j, l=l + 1),
    ref=lambda mp, n, alpha, x, *, i, j, l: mixed(
        mp, lambda a, b, t: gegenbauer(mp, a, b, t), (n, alpha, x), (i, j, l)
    ),
    n=real(0, 25),
    alpha=real(0.1, 10),
    x=real(-0.99, 3, im=2),
    see="DLMF 18.5.9",
)
jacobi_ijkl = kernel(
    "jacobi_ijkl(n, alpha, beta, x, *, i, j, k, l)",  # the same with (d/dbeta)^k, of eval_jacobi
    host=kernels.jacobi_ijkl,
    dn=lambda y, n, alpha, beta, x, *, i, j, k, l: jacobi_ijkl(n, alpha, beta, x, i=i + 1, j=j, k=k, l=l),
    dalpha=lambda y, n, alpha, beta, x, *, i, j, k, l: jacobi_ijkl(n, alpha, beta, x, i=i, j=j + 1, k=k, l=l),
    dbeta=lambda y, n, alpha, beta, x, *, i, j, k, l: jacobi_ijkl(n, alpha, beta, x, i=i, j=j, k=k + 1, l=l),
    dx=lambda y, n, alpha, beta, x, *, i, j, k, l: jacobi_ijkl(n, alpha, beta, x, i=i, j=j, k=k, l=l + 1),
    ref=lambda mp, n, alpha, beta, x, *, i, j, k, l: mixed(
        mp, lambda a, b, c, t: jacobi(mp, a, b, c, t), (n, alpha, beta, x), (i, j, k, l)
    ),
    n=real(0, 20),
    alpha=real(-0.9, 5),
    beta=real(-0.9, 5),
    x=real(-0.9, 3, im=2),
    see="DLMF 18.5.7",
)
sh_jacobi_ijkl = kernel(
    "sh_jacobi_ijkl(n, p, q, x, *, i, j, k, l)",
    host=kernels.sh_jacobi_ijkl,
    dn=lambda y, n, p, q, x, *, i, j, k, l: sh_jacobi_ijkl(n, p, q, x, i=i + 1, j=j, k=k, l=l),
    dp=lambda y, n, p, q, x, *, i, j, k, l: sh_jacobi_ijkl(n, p, q, x, i=i, j=j + 1, k=k, l=l),
    dq=lambda y, n, p, q, x, *, i, j, k, l: sh_jacobi_ijkl(n, p, q, x, i=i, j=j, k=k + 1, l=l),
    dx=lambda y, n, p, q, x, *, i, j, k, l: sh_jacobi_ijkl(n, p, q, x, i=i, j=j, k=k, l=l + 1),
    ref=lambda mp, n, p, q, x, *, i, j, k, l: mixed(
        mp, lambda a, b, c, t: sh_jacobi(mp, a, b, c, t), (n, p, q, x), (i, j, k, l)
    ),
    n=real(0, 12),
    p=real(2, 8),
    q=real(0.2, 2.5),
    x=real(0.05, 2, im=1),
    see="Abramowitz and Stegun 22.2.2",
)

eval_legendre = special(
    "eval_legendre(n, x)",
    dn=lambda y, n, x: known(y, legendre_il(n, x, i=1, l=0)),
    dx=lambda y, n, x: known(y, legendre_il(n, x, i=0, l=1)),
    ref=lambda mp, n, x: legendre(mp, n, x),
    unsafe=endless,
    n=real(-0.5, 30),
    x=real(-1, 3, im=2),
    at=[(2.0, -2.5), (0.0, 0.3), (3.0, 1.0), (20.3, -0.7), (60.5, -0.95), (3.7, -0.999), (-2.3, 0.5)],
    see="DLMF 14.3.1",
)
eval_sh_legendre = special(
    "eval_sh_legendre(n, x)",
    dn=lambda y, n, x: known(y, sh_legendre_il(n, x, i=1, l=0)),
    dx=lambda y, n, x: known(y, sh_legendre_il(n, x, i=0, l=1)),
    ref=lambda mp, n, x: legendre(mp, n, 2 * x - 1),
    unsafe=endless,
    n=real(-0.5, 30),
    x=real(0, 2, im=1),
    at=[(2.0, -0.75), (20.3, 0.15), (3.7, 0.0005)],
    see="DLMF 14.3.1, at 2 x - 1",
)
eval_gegenbauer = special(
    "eval_gegenbauer(n, alpha, x)",
    dn=lambda y, n, alpha, x: known(y, gegenbauer_ijl(n, alpha, x, i=1, j=0, l=0)),
    dalpha=lambda y, n, alpha, x: known(y, gegenbauer_ijl(n, alpha, x, i=0, j=1, l=0)),
    dx=lambda y, n, alpha, x: known(y, gegenbauer_ijl(n, alpha, x, i=0, j=0, l=1)),
    ref=lambda mp, n, alpha, x: gegenbauer(mp, n, alpha, x),
    unsafe=endless,
    n=real(0, 25),
    alpha=real(-0.3, 10),
    x=real(-1, 3, im=2),
    at=[(2.0, 0.7, -2.5), (5.0, 0.0, 0.3), (25.0, 2.3, 0.0), (0.5, 10.0, -0.7)],
    see="DLMF 18.5.9",
)
eval_jacobi = special(
    "eval_jacobi(n, alpha, beta, x)",
    dn=lambda y, n, alpha, beta, x: known(y, jacobi_ijkl(n, alpha, beta, x, i=1, j=0, k=0, l=0)),
    dalpha=lambda y, n, alpha, beta, x: known(y, jacobi_ijkl(n, alpha, beta, x, i=0, j=1, k=0, l=0)),
    dbeta=lambda y, n, alpha, beta, x: known(y, jacobi_ijkl(n, alpha, beta, x, i=0, j=0, k=1, l=0)),
    dx=lambda y, n, alpha, beta, x: known(y, jacobi_ijkl(n, alpha, beta, x, i=0, j=0, k=0, l=1)),
    ref=lambda mp, n, alpha, beta, x: jacobi(mp, n, alpha, beta, x),
    unsafe=endless,
    n=real(0, 20),
    alpha=real(-0.9, 8),
    beta=real(-0.9, 8),
    x=real(-1, 3, im=2),
    at=[(2.0, 0.3, 0.7, -2.5), (20.0, -0.4, -0.3, 1.0), (20.0, 2.0, 1.5, 0.0), (2.0, -0.4, 2.0, -0.99)],
    see="DLMF 18.5.7",
)
eval_sh_jacobi = special(
    "eval_sh_jacobi(n, p, q, x)",
    dn=lambda y, n, p, q, x: known(y, sh_jacobi_ijkl(n, p, q, x, i=1, j=0, k=0, l=0)),
    dp=lambda y, n, p, q, x: known(y, sh_jacobi_ijkl(n, p, q, x, i=0, j=1, k=0, l=0)),
    dq=lambda y, n, p, q, x: known(y, sh_jacobi_ijkl(n, p, q, x, i=0, j=0, k=1, l=0)),
    dx=lambda y, n, p, q, x: known(y, sh_jacobi_ijkl(n, p, q, x, i=0, j=0, k=0, l=1)),
    ref=lambda mp, n, p, q, x: sh_jacobi(mp, n, p, q, x),
    unsafe=endless,
    n=real(0, 12),
    p=real(1.6, 8),
    q=real(0.1, 2.5),
    x=real(0, 2, im=1),
    at=[(2.0, 2.0, 1.5, -0.5), (3.7, 2.0, 2.5, 0.05), (12.0, 6.0, 0.6, 0.7)],
    see="Abramowitz and Stegun 22.2.2",
)

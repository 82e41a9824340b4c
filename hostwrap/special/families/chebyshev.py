"""Chebyshev functions of real degree: T and U on [-1, 1], C and S on [-2, 2], and the shifted ones on [0, 1]."""

from hostwrap.special._entry import kernel, real, special
from hostwrap.special.definitions._mixed import mixed
from hostwrap.special.definitions.orthogonal import chebyshev_t, chebyshev_u
from hostwrap.special.families._endless import endless
from hostwrap.special.families._known import known
from hostwrap.special.kernels.orthogonal import chebyshev as kernels

__all__ = [
    "eval_chebyc",
    "eval_chebys",
    "eval_chebyt",
    "eval_chebyu",
    "eval_sh_chebyt",
    "eval_sh_chebyu",
]

chebyt_il = kernel(
    "chebyt_il(n, x, *, i, l)",  # (d/dn)^i (d/dx)^l of eval_chebyt
    host=kernels.chebyt_il,
    dn=lambda y, n, x, *, i, l: chebyt_il(n, x, i=i + 1, l=l),
    dx=lambda y, n, x, *, i, l: chebyt_il(n, x, i=i, l=l + 1),
    ref=lambda mp, n, x, *, i, l: mixed(mp, lambda a, t: chebyshev_t(mp, a, t), (n, x), (i, l)),
    n=real(-0.5, 30),
    x=real(-0.99, 3, im=2),
    see="DLMF 18.5.1",
)
chebyu_il = kernel(
    "chebyu_il(n, x, *, i, l)",
    host=kernels.chebyu_il,
    dn=lambda y, n, x, *, i, l: chebyu_il(n, x, i=i + 1, l=l),
    dx=lambda y, n, x, *, i, l: chebyu_il(n, x, i=i, l=l + 1),
    ref=lambda mp, n, x, *, i, l: mixed(mp, lambda a, t: chebyshev_u(mp, a, t), (n, x), (i, l)),
    n=real(-0.5, 30),
    x=real(-0.99, 3, im=2),
    see="DLMF 18.5.2",
)
sh_chebyt_il = kernel(
    "sh_chebyt_il(n, x, *, i, l)",
    host=kernels.sh_chebyt_il,
    dn=lambda y, n, x, *, i, l: sh_chebyt_il(n, x, i=i + 1, l=l),
    dx=lambda y, n, x, *, i, l: sh_chebyt_il(n, x, i=i, l=l + 1),
    ref=lambda mp, n, x, *, i, l: mixed(mp, lambda a, t: chebyshev_t(mp, a, 2 * t - 1), (n, x), (i, l)),
    n=real(-0.5, 30),
    x=real(1e-9, 2, im=1),
    see="DLMF 18.5.1",
)
sh_chebyu_il = kernel(
    "sh_chebyu_il(n, x, *, i, l)",
    host=kernels.sh_chebyu_il,
    dn=lambda y, n, x, *, i, l: sh_chebyu_il(n, x, i=i + 1, l=l),
    dx=lambda y, n, x, *, i, l: sh_chebyu_il(n, x, i=i, l=l + 1),
    ref=lambda mp, n, x, *, i, l: mixed(mp, lambda a, t: chebyshev_u(mp, a, 2 * t - 1), (n, x), (i, l)),
    n=real(-0.5, 30),
    x=real(1e-9, 2, im=1),
    see="DLMF 18.5.2",
)

eval_chebyt = special(
    "eval_chebyt(n, x)",
    dn=lambda y, n, x: known(y, chebyt_il(n, x, i=1, l=0)),
    dx=lambda y, n, x: known(y, chebyt_il(n, x, i=0, l=1)),
    ref=lambda mp, n, x: chebyshev_t(mp, n, x),
    unsafe=endless,
    n=real(-0.5, 30),
    x=real(-1, 3, im=2),
    at=[(2.0, -3.0), (3.0, 1.0), (20.3, -0.7), (60.5, -0.7), (30.0, 1e-6)],
    see="DLMF 18.5.1",
)
eval_chebyu = special(
    "eval_chebyu(n, x)",
    dn=lambda y, n, x: known(y, chebyu_il(n, x, i=1, l=0)),
    dx=lambda y, n, x: known(y, chebyu_il(n, x, i=0, l=1)),
    ref=lambda mp, n, x: chebyshev_u(mp, n, x),
    unsafe=endless,
    n=real(-0.5, 30),
    x=real(-1, 3, im=2),
    at=[(2.0, -3.0), (3.0, 1.0), (20.3, -0.7), (60.5, -0.7), (0.5, 0.99)],
    see="DLMF 18.5.2",
)
eval_chebyc = special(
    "eval_chebyc(n, x)",
    dn=lambda y, n, x: known(y, 2 * chebyt_il(n, x / 2, i=1, l=0)),
    dx=lambda y, n, x: known(y, chebyt_il(n, x / 2, i=0, l=1)),
    ref=lambda mp, n, x: 2 * chebyshev_t(mp, n, x / 2),
    unsafe=endless,
    n=real(-0.5, 30),
    x=real(-2, 6, im=4),
    at=[(2.0, -6.0), (3.0, 2.0), (20.3, -1.4)],
    see="Abramowitz and Stegun 22.5.11: C_n(x) = 2 T_n(x/2)",
)
eval_chebys = special(
    "eval_chebys(n, x)",
    dn=lambda y, n, x: known(y, chebyu_il(n, x / 2, i=1, l=0)),
    dx=lambda y, n, x: known(y, chebyu_il(n, x / 2, i=0, l=1) / 2),
    ref=lambda mp, n, x: chebyshev_u(mp, n, x / 2),
    unsafe=endless,
    n=real(-0.5, 30),
    x=real(-2, 6, im=4),
    at=[(2.0, -6.0), (3.0, 2.0), (20.3, -1.4)],
    see="Abramowitz and Stegun 22.5.13: S_n(x) = U_n(x/2)",
)
eval_sh_chebyt = special(
    "eval_sh_chebyt(n, x)",
    dn=lambda y, n, x: known(y, sh_chebyt_il(n, x, i=1, l=0)),
    dx=lambda y, n, x: known(y, sh_chebyt_il(n, x, i=0, l=1)),
    ref=lambda mp, n, x: chebyshev_t(mp, n, 2 * x - 1),
    unsafe=endless,
    n=real(-0.5, 30),
    x=real(0, 2, im=1),
    at=[(2.0, -1.0), (20.3, 0.15)],
    see="DLMF 18.5.1, at 2 x - 1",
)
eval_sh_chebyu = special(
    "eval_sh_chebyu(n, x)",
    dn=lambda y, n, x: known(y, sh_chebyu_il(n, x, i=1, l=0)),
    dx=lambda y, n, x: known(y, sh_chebyu_il(n, x, i=0, l=1)),
    ref=lambda mp, n, x: chebyshev_u(mp, n, 2 * x - 1),
    unsafe=endless,
    n=real(-0.5, 30),
    x=real(0, 2, im=1),
    at=[(2.0, -1.0), (20.3, 0.15)],
    see="DLMF 18.5.2, at 2 x - 1",
)

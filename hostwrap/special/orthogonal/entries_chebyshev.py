"""Chebyshev functions of real degree: T and U on [-1, 1], C and S on [-2, 2], and the shifted ones on [0, 1]."""

from hostwrap.special._entry import real, special
from hostwrap.special._known import known
from hostwrap.special._orders import orders
from hostwrap.special.orthogonal import _endless
from hostwrap.special.orthogonal import chebyshev as kernels
from hostwrap.special.orthogonal.mp import chebyshev_t, chebyshev_u

__all__ = [
    "eval_chebyc",
    "eval_chebys",
    "eval_chebyt",
    "eval_chebyu",
    "eval_sh_chebyt",
    "eval_sh_chebyu",
]


def chebyshev(name, derivatives, definition, unsafe, see, at):
    """T or U."""
    return special(
        f"{name}(n, x)",
        orders=orders(derivatives, loops=True, x=real(-0.99, 3, im=2)),
        ref=lambda mp, n, x: definition(mp, n, x),
        unsafe=unsafe,
        n=real(-0.5, 30),
        x=real(-1, 3, im=2),
        at=[(2.0, -3.0), (3.0, 1.0), (20.3, -0.7), (60.5, -0.7), at],
        see=see,
    )


def shifted(name, derivatives, definition, unsafe, see):
    return special(
        f"{name}(n, x)",
        orders=orders(derivatives, loops=True, x=real(1e-9, 2, im=1)),
        ref=lambda mp, n, x: definition(mp, n, 2 * x - 1),
        unsafe=unsafe,
        n=real(-0.5, 30),
        x=real(0, 2, im=1),
        at=[(2.0, -1.0), (20.3, 0.15)],
        see=f"{see}, at 2 x - 1",
    )


T, U = "DLMF 18.5.1", "DLMF 18.5.2"
eval_chebyt = chebyshev("eval_chebyt", kernels.chebyt_n, chebyshev_t, _endless.chebyshev_t, T, (30.0, 1e-6))
eval_chebyu = chebyshev("eval_chebyu", kernels.chebyu_n, chebyshev_u, _endless.chebyshev_u, U, (0.5, 0.99))
eval_sh_chebyt = shifted("eval_sh_chebyt", kernels.sh_chebyt_n, chebyshev_t, _endless.sh_chebyshev_t, T)
eval_sh_chebyu = shifted("eval_sh_chebyu", kernels.sh_chebyu_n, chebyshev_u, _endless.sh_chebyshev_u, U)
eval_chebyt_n, eval_chebyu_n = eval_chebyt.derivatives, eval_chebyu.derivatives

eval_chebyc = special(
    "eval_chebyc(n, x)",
    dn=lambda y, n, x: known(y, 2 * eval_chebyt_n(n, x / 2, dn=1, dx=0)),
    dx=lambda y, n, x: known(y, eval_chebyt_n(n, x / 2, dn=0, dx=1)),
    ref=lambda mp, n, x: 2 * chebyshev_t(mp, n, x / 2),
    unsafe=_endless.chebyshev_c,
    n=real(-0.5, 30),
    x=real(-2, 6, im=4),
    at=[(2.0, -6.0), (3.0, 2.0), (20.3, -1.4)],
    see="Abramowitz and Stegun 22.5.11: C_n(x) = 2 T_n(x/2)",
)
eval_chebys = special(
    "eval_chebys(n, x)",
    dn=lambda y, n, x: known(y, eval_chebyu_n(n, x / 2, dn=1, dx=0)),
    dx=lambda y, n, x: known(y, eval_chebyu_n(n, x / 2, dn=0, dx=1) / 2),
    ref=lambda mp, n, x: chebyshev_u(mp, n, x / 2),
    unsafe=_endless.chebyshev_s,
    n=real(-0.5, 30),
    x=real(-2, 6, im=4),
    at=[(2.0, -6.0), (3.0, 2.0), (20.3, -1.4)],
    see="Abramowitz and Stegun 22.5.13: S_n(x) = U_n(x/2)",
)

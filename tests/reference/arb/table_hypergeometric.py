"""Hypergeometric functions and orthogonal polynomials of continuous degree, in balls."""

from __future__ import annotations

from flint import acb

from tests.reference.arb.expressions import Expression, Slopes
from tests.reference.arb.functions import hyp1f1, hyp2f1, off_cut, power, sqrt

HALF = acb(1) / 2

F01 = Expression(lambda v, z: z.hypgeom_0f1(v))
F11 = Expression(lambda a, b, x: hyp1f1(a, b, x))
F21 = Expression(lambda a, b, c, z: hyp2f1(a, b, c, z), ("a", "b", "c"))
U = Expression(lambda a, b, x: off_cut(x).hypgeom_u(a, b), ("b",))
EACH = ({"a": 1}, {"b": 1}, {"c": 1})
PAIRS = ({"a": 2}, {"a": 1, "b": 1}, {"a": 1, "c": 1}, {"b": 2}, {"b": 1, "c": 1}, {"c": 2})


def above(x):
    """Off the cut x <= -1 of functions of a degree that is no integer."""
    return off_cut(x + 1) - 1


def binomial(n, alpha):
    """Of n + alpha over n."""
    return (n + alpha + 1).gamma() * (n + 1).rgamma() * (alpha + 1).rgamma()


def chebyshev_t(n, x):
    """DLMF 18.5.7 and 18.7.3."""
    return hyp2f1(-n, n, HALF, (1 - above(x)) / 2)


def chebyshev_u(n, x):
    """DLMF 18.7.4."""
    return (n + 1) * hyp2f1(-n, n + 2, acb(3) / 2, (1 - above(x)) / 2)


def legendre(n, x):
    return hyp2f1(-n, n + 1, acb(1), (1 - above(x)) / 2)


def jacobi(n, alpha, beta, x):
    return binomial(n, alpha) * hyp2f1(-n, n + alpha + beta + 1, alpha + 1, (1 - above(x)) / 2)


def gegenbauer(n, alpha, x):
    factor = (n + 2 * alpha).gamma() * (n + 1).rgamma() * (2 * alpha).rgamma()
    return factor * hyp2f1(-n, n + 2 * alpha, alpha + HALF, (1 - above(x)) / 2)


def sh_jacobi(n, p, q, x):
    scale = (2 * n + p).rgamma() * (n + 1).gamma() * (n + p).gamma()
    return jacobi(n, p - q, q - 1, 2 * x - 1) * scale


def laguerre(n, alpha, x):
    return binomial(n, alpha) * hyp1f1(-n, alpha + 1, x)


def lpmv(m, v, x):
    """Ferrers' function, DLMF 14.3.4-5."""
    k = abs(m)
    core = power(1 - x * x, acb(k) / 2) * hyp2f1(acb(k) - v, v + k + 1, acb(k) + 1, (1 - above(x)) / 2)
    rising = (-1) ** k * (v - k + 1).rising(2 * k) if m > 0 else acb(1)
    return core * rising / (acb(2) ** k * acb(k + 1).gamma())


def hermite(n, x):
    return acb(x).hermite_h(n)


TABLE = {
    "hyp0f1": F01,
    "hyp0f1_n": Slopes(F01, {"v": "nv", "z": "nz"}),
    "hyp0f1_1": Slopes(F01, {}, ({"v": 1}, {"z": 1})),
    "hyp1f1": F11,
    "hyp1f1_n": Slopes(F11, {"a": "da", "b": "db", "x": "dx"}),
    "hyp2f1": F21,
    "hyp2f1_n": Slopes(F21, {"a": "na", "b": "nb", "c": "nc", "z": "nz"}),
    "hyp2f1_1": Slopes(F21, {"z": "nz"}, EACH),
    "hyp2f1_2": Slopes(F21, {"z": "nz"}, PAIRS),
    "hyperu": U,
    "hyperu_n": Slopes(U, {"a": "da", "b": "db", "x": "dx"}),
    "eval_chebyt": Expression(chebyshev_t),
    "eval_chebyu": Expression(chebyshev_u),
    "eval_chebyc": Expression(lambda n, x: 2 * chebyshev_t(n, x / 2)),
    "eval_chebys": Expression(lambda n, x: chebyshev_u(n, x / 2)),
    "eval_sh_chebyt": Expression(lambda n, x: chebyshev_t(n, 2 * x - 1)),
    "eval_sh_chebyu": Expression(lambda n, x: chebyshev_u(n, 2 * x - 1)),
    "eval_legendre": Expression(legendre, ("n",)),
    "eval_sh_legendre": Expression(lambda n, x: legendre(n, 2 * x - 1), ("n",)),
    "eval_jacobi": Expression(jacobi, ("n", "alpha", "beta")),
    "eval_sh_jacobi": Expression(sh_jacobi, ("n", "p", "q")),
    "eval_gegenbauer": Expression(gegenbauer, ("n", "alpha")),
    "eval_laguerre": Expression(lambda n, x: laguerre(n, acb(0), x)),
    "eval_genlaguerre": Expression(laguerre),
    "assoc_laguerre": Expression(lambda x, n, k: laguerre(n, k, x)),
    "eval_hermite": Expression(hermite),
    "eval_hermitenorm": Expression(lambda n, x: hermite(n, x / acb(2).sqrt()) / acb(2).sqrt() ** n),
    "lpmv": Expression(lpmv),
    "legendre_p": Expression(lambda n, z, **_: legendre(acb(n), z)),
    "assoc_legendre_p": Expression(lambda n, m, z, **_: lpmv(m, acb(n), z) if abs(m) <= n else acb(0)),
    "sph_legendre_p": Expression(
        lambda n, m, theta, **_: _harmonic(n, m, theta.cos()) if abs(m) <= n else acb(0)
    ),
    "sph_harm_y": Expression(
        lambda n, m, theta, phi, **_: (
            _harmonic(n, m, theta.cos()) * (acb(0, m) * phi).exp() if abs(m) <= n else acb(0)
        ),
        oblique=True,
    ),
}


def _harmonic(n, m, x):
    """DLMF 14.30.1."""
    ratio = acb(n - m + 1).gamma() / acb(n + m + 1).gamma()
    return sqrt((2 * n + 1) * ratio / (4 * acb.pi())) * lpmv(m, acb(n), x)

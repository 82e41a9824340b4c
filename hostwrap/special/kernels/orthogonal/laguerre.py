"""Mixed derivatives of the Laguerre functions of real degree, L(n, alpha; x) = binom(n + alpha, n) M(-n, alpha + 1, x).

DLMF 13.6.19.
"""

from __future__ import annotations

from hostwrap.special.kernels._pointwise import LARGE_CHUNK, in_chunks
from hostwrap.special.kernels.hypergeometric._forms import Form, derivative, parameters, times
from hostwrap.special.kernels.hypergeometric.hyp1f1 import hyp1f1_jet
from hostwrap.special.kernels.orthogonal._binomial import binomial


@in_chunks(LARGE_CHUNK)
def genlaguerre_ijl(n, alpha, x, *, i, j, l):
    """(d/dn)^i (d/dalpha)^j (d/dx)^l of eval_genlaguerre."""
    n, alpha = parameters(n, alpha)
    jet = hyp1f1_jet(-n, alpha + 1, x, (i, j), l)
    return derivative(times(binomial(n, alpha, (i, j)), jet), (i, j))


@in_chunks(LARGE_CHUNK)
def laguerre_il(n, x, *, i, l):
    """(d/dn)^i (d/dx)^l of eval_laguerre."""
    jet = hyp1f1_jet(Form(-n, (-1,)), Form(1 + 0 * n, (0,)), x, (i,), l)
    return derivative(jet, (i,))

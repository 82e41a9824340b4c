"""Mixed derivatives of the Laguerre functions of real degree, L(n, alpha; x) = binom(n + alpha, n) M(-n, alpha + 1, x).

DLMF 13.6.19.
"""

from __future__ import annotations

from hostwrap.special._numerics.pointwise import LARGE_CHUNK, in_chunks
from hostwrap.special.hypergeometric._forms import Form, derivative, parameters
from hostwrap.special.hypergeometric._gammas import product, unscaled
from hostwrap.special.hypergeometric.hyp1f1 import hyp1f1_jet, hyp1f1_scaled
from hostwrap.special.orthogonal._binomial import scaled_rising


@in_chunks(LARGE_CHUNK)
def genlaguerre_n(n, alpha, x, *, dn, dalpha, dx):
    """(d/dn)^i (d/dalpha)^j (d/dx)^l of eval_genlaguerre."""
    n, alpha = parameters(n, alpha)
    jet = product(
        scaled_rising(n, alpha + 1, alpha, (dn, dalpha)), hyp1f1_scaled(-n, alpha + 1, x, (dn, dalpha), dx)
    )
    return derivative(unscaled(*jet), (dn, dalpha))


@in_chunks(LARGE_CHUNK)
def laguerre_n(n, x, *, dn, dx):
    """(d/dn)^i (d/dx)^l of eval_laguerre."""
    jet = hyp1f1_jet(Form(-n, (-1,)), Form(1 + 0 * n, (0,)), x, (dn,), dx)
    return derivative(jet, (dn,))

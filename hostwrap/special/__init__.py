"""`scipy.special` for JAX: the same names and argument order, differentiable in every continuous argument.

`import hostwrap.special as sc` in place of `import scipy.special as sc`; docs/support.md lists what is there.
"""

from hostwrap.special.airy import airy, airye
from hostwrap.special.bessel import iv, jn, jv, kv, yv
from hostwrap.special.bessel_integer import i0, i1, j0, j1, k0, k1, kn, y0, y1, yn
from hostwrap.special.gamma import (
    beta,
    betaln,
    binom,
    digamma,
    gamma,
    gammaln,
    gammasgn,
    loggamma,
    multigammaln,
    poch,
    polygamma,
    psi,
    rgamma,
)
from hostwrap.special.spherical import spherical_in, spherical_jn, spherical_kn, spherical_yn

__all__ = [
    "airy",
    "airye",
    "beta",
    "betaln",
    "binom",
    "digamma",
    "gamma",
    "gammaln",
    "gammasgn",
    "i0",
    "i1",
    "iv",
    "j0",
    "j1",
    "jn",
    "jv",
    "k0",
    "k1",
    "kn",
    "kv",
    "loggamma",
    "multigammaln",
    "poch",
    "polygamma",
    "psi",
    "rgamma",
    "spherical_in",
    "spherical_jn",
    "spherical_kn",
    "spherical_yn",
    "y0",
    "y1",
    "yn",
    "yv",
]

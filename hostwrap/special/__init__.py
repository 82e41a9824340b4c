"""`scipy.special` for JAX: the same names and argument order, differentiable in every continuous argument.

`import hostwrap.special as sc` in place of `import scipy.special as sc`; docs/support.md lists what is there.
"""

from hostwrap.special.families.airy import airy, airye
from hostwrap.special.families.bessel import iv, jn, jv, kv, yv
from hostwrap.special.families.bessel_hankel import hankel1, hankel1e, hankel2, hankel2e, i0e, i1e, k0e, k1e
from hostwrap.special.families.bessel_integer import i0, i1, j0, j1, k0, k1, kn, y0, y1, yn
from hostwrap.special.families.bessel_scaled import ive, jve, kve, yve
from hostwrap.special.families.error import dawsn, erf, erfc, erfcx, erfi, fresnel, voigt_profile, wofz
from hostwrap.special.families.gamma import (
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
from hostwrap.special.families.normal import erfcinv, erfinv, log_ndtr, ndtr, ndtri, ndtri_exp
from hostwrap.special.families.spherical import spherical_in, spherical_jn, spherical_kn, spherical_yn

__all__ = [
    "airy",
    "airye",
    "beta",
    "betaln",
    "binom",
    "dawsn",
    "digamma",
    "erf",
    "erfc",
    "erfcinv",
    "erfcx",
    "erfi",
    "erfinv",
    "fresnel",
    "gamma",
    "gammaln",
    "gammasgn",
    "hankel1",
    "hankel1e",
    "hankel2",
    "hankel2e",
    "i0",
    "i0e",
    "i1",
    "i1e",
    "iv",
    "ive",
    "j0",
    "j1",
    "jn",
    "jv",
    "jve",
    "k0",
    "k0e",
    "k1",
    "k1e",
    "kn",
    "kv",
    "kve",
    "log_ndtr",
    "loggamma",
    "multigammaln",
    "ndtr",
    "ndtri",
    "ndtri_exp",
    "poch",
    "polygamma",
    "psi",
    "rgamma",
    "spherical_in",
    "spherical_jn",
    "spherical_kn",
    "spherical_yn",
    "voigt_profile",
    "wofz",
    "y0",
    "y1",
    "yn",
    "yv",
    "yve",
]

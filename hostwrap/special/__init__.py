"""`scipy.special` for JAX: the same names and argument order, differentiable in every continuous argument.

`import hostwrap.special as sc` in place of `import scipy.special as sc`; docs/support.md lists what is there.
"""

from hostwrap.special._rest import lookup as _lookup
from hostwrap.special.families.agm import *
from hostwrap.special.families.airy import *
from hostwrap.special.families.bessel import *
from hostwrap.special.families.bessel_derivatives import *
from hostwrap.special.families.bessel_hankel import *
from hostwrap.special.families.bessel_integer import *
from hostwrap.special.families.bessel_integrals import *
from hostwrap.special.families.bessel_scaled import *
from hostwrap.special.families.besselpoly import *
from hostwrap.special.families.beta import *
from hostwrap.special.families.beta_distribution import *
from hostwrap.special.families.beta_incomplete import *
from hostwrap.special.families.binomial_distribution import *
from hostwrap.special.families.boxcox import *
from hostwrap.special.families.carlson import *
from hostwrap.special.families.chebyshev import *
from hostwrap.special.families.combinatorics import *
from hostwrap.special.families.elementary import *
from hostwrap.special.families.ellipsoidal import *
from hostwrap.special.families.ellipsoidal_second import *
from hostwrap.special.families.elliptic import *
from hostwrap.special.families.error import *
from hostwrap.special.families.exponential_integrals import *
from hostwrap.special.families.f_distribution import *
from hostwrap.special.families.fresnel_modified import *
from hostwrap.special.families.gamma import *
from hostwrap.special.families.gamma_distributions import *
from hostwrap.special.families.gamma_incomplete import *
from hostwrap.special.families.gauss import *
from hostwrap.special.families.harmonics import *
from hostwrap.special.families.hypergeometric import *
from hostwrap.special.families.information import *
from hostwrap.special.families.jacobi import *
from hostwrap.special.families.kelvin import *
from hostwrap.special.families.kolmogorov import *
from hostwrap.special.families.laguerre import *
from hostwrap.special.families.lambert import *
from hostwrap.special.families.legendre import *
from hostwrap.special.families.legendre_all import *
from hostwrap.special.families.logistic import *
from hostwrap.special.families.mathieu import *
from hostwrap.special.families.mathieu_modified import *
from hostwrap.special.families.negative_binomial import *
from hostwrap.special.families.noncentral_chi2 import *
from hostwrap.special.families.noncentral_f import *
from hostwrap.special.families.noncentral_f_inverses import *
from hostwrap.special.families.noncentral_t import *
from hostwrap.special.families.normal import *
from hostwrap.special.families.normal_distribution import *
from hostwrap.special.families.parabolic import *
from hostwrap.special.families.poisson import *
from hostwrap.special.families.riccati import *
from hostwrap.special.families.sinc import *
from hostwrap.special.families.spherical import *
from hostwrap.special.families.spheroidal import *
from hostwrap.special.families.spheroidal_given import *
from hostwrap.special.families.spheroidal_radial import *
from hostwrap.special.families.struve import *
from hostwrap.special.families.student_t import *
from hostwrap.special.families.wright import *
from hostwrap.special.families.zeta import *

__all__ = sorted(name for name, value in globals().items() if callable(value) and not name.startswith("_"))


def __getattr__(name: str) -> object:
    """Names that SciPy has and that are not wrapped, such as roots of polynomials: SciPy's own."""
    return _lookup(name)

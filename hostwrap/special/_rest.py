"""Names of scipy.special that hostwrap does not wrap: they pass through, for NumPy arrays, without derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special

NOT_WRAPPED: dict[str, str] = {
    "zeros of functions, as tables": """ai_zeros bei_zeros beip_zeros ber_zeros berp_zeros bi_zeros erf_zeros
        fresnel_zeros fresnelc_zeros fresnels_zeros jnjnp_zeros jnyn_zeros kei_zeros keip_zeros
        kelvin_zeros ker_zeros kerp_zeros y0_zeros y1_zeros y1p_zeros""",
    "roots and weights of quadrature": """roots_legendre roots_chebyt roots_chebyu roots_chebyc roots_chebys
        roots_laguerre roots_hermite roots_hermitenorm roots_sh_legendre roots_sh_chebyt roots_sh_chebyu p_roots t_roots
        u_roots c_roots s_roots j_roots l_roots la_roots h_roots he_roots cg_roots ps_roots ts_roots us_roots
        js_roots""",
    "polynomial objects": """legendre chebyt chebyu chebyc chebys jacobi laguerre genlaguerre hermite hermitenorm
        gegenbauer sh_legendre sh_chebyt sh_chebyu sh_jacobi""",
    "coefficients and sequences of integers": """bernoulli euler factorial2 factorialk mathieu_even_coef
        mathieu_odd_coef stirling2""",
    "sequences over integer orders, with tables of derivatives": """lmbda lqmn lqn obl_cv_seq pbdn_seq pbdv_seq
        pbvv_seq pro_cv_seq""",
    "how errors are reported": "SpecialFunctionError SpecialFunctionWarning errstate geterr seterr",
}
_NAMES = frozenset(" ".join(NOT_WRAPPED.values()).split())


def lookup(name: str) -> Any:
    """SciPy's own object of that name; AttributeError if there is none, or if it would need a rule."""
    found = getattr(scipy.special, name, None)
    if name in _NAMES and found is not None:
        return found
    if isinstance(found, np.ufunc):
        raise AttributeError(
            f"hostwrap.special has no `{name}`, which SciPy {scipy.__version__} has; "
            f"hostwrap.wrap(scipy.special.{name}) makes a JAX function of it, to which you can give derivatives."
        )
    raise AttributeError(f"module 'hostwrap.special' has no attribute {name!r}")

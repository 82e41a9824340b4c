"""J_2 and I_2 next to 0, where the recurrence from orders 0 and 1 cancels."""

import numpy as np
import scipy.special as sc
from numpy.polynomial.polynomial import polyval

from hostwrap.special._numerics.pointwise import pointwise

TERMS = np.arange(11.0)


@pointwise
def order_two_near(x, *, modified):
    """J_2(x) or I_2(x) by the power series (DLMF 10.2.2, 10.25.2) for |x| <= 1, NaN beyond."""
    sign = 1.0 if modified else -1.0
    coefficients = sign**TERMS / (sc.gamma(TERMS + 1) * sc.gamma(TERMS + 3))
    square = (x / 2) ** 2
    return np.where(np.abs(x) <= 1, square * polyval(square, coefficients), np.nan)

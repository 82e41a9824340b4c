"""Integrals against the density of s = sqrt(chi^2 / v) where v is so small that nearly all of it is next to s = 0.

Of a function of s its value at 0 is taken away, which contributes that value, whatever v. The rest falls off in
u = log s on both sides, so the trapezoidal rule has all digits. The density is v r(u) with a smooth r: the derivatives
of log v, which are large and cancel, do not come in.
"""

import functools
import math

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.pointwise import in_chunks, in_python, piecewise
from hostwrap.special._numerics.quadrature import sums
from hostwrap.special.gamma_beta._quotient import product_derivative
from hostwrap.special.gamma_beta.gamma import psi_n
from hostwrap.special.noncentral._terms import DEEP

FEW = 0.02  # degrees of freedom
# (|d|, nodes for each `RANGE` of u): the function has a width of 1 / |d|
NODES, RANGE, LONGEST = ((10.0, 1024), (40.0, 4096)), 120.0, 16
CHUNK = 2**20  # of nodes, of all points together


def integral(n, values, v, d, t, longest=LONGEST):
    """(d/dv)^n of the integral of values(d, t s), which is 0 at s = 0; NaN for |d| that are too large.

    It is NaN, too, if u goes over more than `longest` times `RANGE`. More than once this is computed in Python, and a
    repetition in C cannot wait for that.
    """
    right, left = _ends(v, t)
    cases = []
    for limit, least in NODES:
        for times in (k for k in (1, 2, 4, 8, LONGEST) if k <= longest):
            here = (np.abs(d) <= limit) & ((right - left <= RANGE * times) | (times == LONGEST))
            trapezoid = in_chunks(CHUNK // (least * times))(_trapezoid)
            summed = functools.partial(trapezoid, n=n, values=values, count=least * times)
            cases.append((here, summed if times == 1 else in_python(summed)))
    return piecewise([v, d, t], cases)


def _ends(v, t):
    """Where the density ends, and what is left of the function."""
    right = np.log(2 * DEEP / v + 400) / 2 + 1
    return right, np.minimum(right, -np.log(np.abs(t))) - DEEP


def _trapezoid(v, d, t, *, n, values, count):
    right, left = _ends(v, t)
    step = (right - left) / count
    z = v / 2
    factor = lambda i, _: (v, 1.0, 0.0)[min(i, 2)]

    def term(k, left):
        u = left + step * k
        energy = np.expm1(2 * u) - 2 * u
        log = sc.xlogy(z, z) - z - sc.gammaln(z + 1) - z * energy
        weight = values(d, t * np.exp(u), u) * np.exp(log)

        def logs(k, _):
            if k == 1:
                return (np.log(z) - sc.psi(z + 1) - energy) / 2
            return ((-1) ** k * math.factorial(k - 2) / z ** (k - 1) - psi_n(z + 1, k - 1)) / 2**k

        return [product_derivative(weight, logs, factor, n, 0)]

    return step * sums(term, [np.arange(count + 1.0)], [left])[0]

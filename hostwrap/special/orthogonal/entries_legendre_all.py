"""Legendre functions of integer degree and order with their derivatives, one by one or all up to a degree.

Not elementwise: a point has one result for each derivative, degree and order. The derivative of derivatives
0..diff_n are the derivatives 1..diff_n + 1.
"""

import functools

import jax.numpy as jnp
import numpy as np

from hostwrap._errors import SignatureError
from hostwrap._table.partials import unknown
from hostwrap._wrap import wrap
from hostwrap.special._numbers import inexact, of_numbers
from hostwrap.special.orthogonal import legendre_rows as rows

__all__ = [
    "assoc_legendre_p",
    "assoc_legendre_p_all",
    "legendre_p",
    "legendre_p_all",
    "sph_legendre_p",
    "sph_legendre_p_all",
]

DISCRETE = unknown("it is an integer, in which the function is not differentiated")
HIGHEST = 2  # SciPy's diff_n


@of_numbers
def legendre_p(n, z, *, diff_n=0):
    """Legendre polynomials P_n(z) and their derivatives 0..diff_n along the first axis, as SciPy's.

    Arguments:
        n: degree, integers.
        z: real or complex; differentiable to any order.
        diff_n: 0, 1 or 2; SignatureError for anything else.
    """
    return in_front(_legendre(checked_order(diff_n))(whole("n", n), inexact(z)), 1)


@of_numbers
def legendre_p_all(n, z, *, diff_n=0):
    """Legendre polynomials of all degrees 0..n: [derivative, degree, ...], as SciPy's.

    Arguments:
        n: the highest degree, a Python integer.
        z: real or complex; differentiable to any order.
        diff_n: 0, 1 or 2; SignatureError for anything else.
    """
    return in_front(_legendre_all(checked_count("n", n), checked_order(diff_n))(inexact(z)), 2)


@of_numbers
def assoc_legendre_p(n, m, z, *, branch_cut=2, norm=False, diff_n=0):
    """Associated Legendre functions and their derivatives 0..diff_n along the first axis, as SciPy's.

    Arguments:
        n, m: degree and order, integers.
        z: real or complex; differentiable, beyond the second derivative with a loss of digits next to 1 and -1.
        branch_cut: 2 or 3, where the cuts are (see SciPy); norm: normalised functions.
        diff_n: 0, 1 or 2; SignatureError for anything else.
    """
    integers, cut = (whole("n", n), whole("m", m)), whole("branch_cut", branch_cut)
    return in_front(_associated(bool(norm), checked_order(diff_n))(*integers, inexact(z), cut), 1)


@of_numbers
def assoc_legendre_p_all(n, m, z, *, branch_cut=2, norm=False, diff_n=0):
    """The same for all degrees and orders at once: [derivative, degree, order, ...]; order -k is at index -k.

    Arguments:
        n, m: the highest degree and order, Python integers.
        z, branch_cut, norm, diff_n: as in `assoc_legendre_p`.
    """
    n, m = checked_count("n", n), checked_count("m", m)
    function = _associated_all(n, m, bool(norm), checked_order(diff_n))
    return in_front(function(inexact(z), whole("branch_cut", branch_cut)), 3)


@of_numbers
def sph_legendre_p(n, m, theta, *, diff_n=0):
    """Spherical Legendre functions and their derivatives 0..diff_n in theta along the first axis, as SciPy's.

    Arguments:
        n, m: degree and order, integers.
        theta: real; differentiable to any order.
        diff_n: 0, 1 or 2; SignatureError for anything else.
    """
    return in_front(_spherical(checked_order(diff_n))(whole("n", n), whole("m", m), inexact(theta)), 1)


@of_numbers
def sph_legendre_p_all(n, m, theta, *, diff_n=0):
    """The same for all degrees and orders at once: [derivative, degree, order, ...]; order -k is at index -k.

    Arguments:
        n, m: the highest degree and order, Python integers.
        theta, diff_n: as in `sph_legendre_p`.
    """
    n, m = checked_count("n", n), abs(int(m))
    return in_front(_spherical_all(n, m, checked_order(diff_n))(inexact(theta)), 3)


# The functions of a point: axes of derivatives, degrees and orders come last, where a signature has them.


@functools.cache
def _legendre(order):
    def legendre_p(n, z):
        return at_the_end(rows.legendre(n, z, order), 1)

    function = wrap(legendre_p, signature=f"(),()->({order + 1})", vmap_method="broadcast_all")
    function.defpartials(n=DISCRETE, z=lambda ans, n, z: _legendre(order + 1)(n, z)[1:])
    return function


@functools.cache
def _legendre_all(n, order):
    def legendre_p_all(z):
        return at_the_end(rows.legendre_all(n, z, order), 2)

    function = wrap(legendre_p_all, signature=f"()->({order + 1},{n + 1})", vmap_method="broadcast_all")
    function.defpartials(z=lambda ans, z: _legendre_all(n, order + 1)(z)[1:])
    return function


@functools.cache
def _associated(norm, order):
    def assoc_legendre_p(n, m, z, branch_cut):
        return at_the_end(rows.associated(n, m, z, branch_cut, norm, order), 1)

    signature = f"(),(),(),()->({order + 1})"
    function = wrap(assoc_legendre_p, signature=signature, vmap_method="broadcast_all")
    slope = lambda ans, n, m, z, branch_cut: _associated(norm, order + 1)(n, m, z, branch_cut)[1:]
    function.defpartials(n=DISCRETE, m=DISCRETE, z=slope, branch_cut=DISCRETE)
    return function


@functools.cache
def _associated_all(n, m, norm, order):
    def assoc_legendre_p_all(z, branch_cut):
        return at_the_end(rows.associated_all(n, m, z, branch_cut, norm, order), 3)

    signature = f"(),()->({order + 1},{n + 1},{2 * m + 1})"
    function = wrap(assoc_legendre_p_all, signature=signature, vmap_method="broadcast_all")
    slope = lambda ans, z, branch_cut: _associated_all(n, m, norm, order + 1)(z, branch_cut)[1:]
    function.defpartials(z=slope, branch_cut=DISCRETE)
    return function


@functools.cache
def _spherical(order):
    def sph_legendre_p(n, m, theta):
        return at_the_end(rows.spherical(n, m, theta, order), 1)

    function = wrap(sph_legendre_p, signature=f"(),(),()->({order + 1})", vmap_method="broadcast_all")
    slope = lambda ans, n, m, theta: _spherical(order + 1)(n, m, theta)[1:]
    function.defpartials(n=DISCRETE, m=DISCRETE, theta=slope)
    return function


@functools.cache
def _spherical_all(n, m, order):
    def sph_legendre_p_all(theta):
        return at_the_end(rows.spherical_all(n, m, theta, order), 3)

    signature = f"()->({order + 1},{n + 1},{2 * m + 1})"
    function = wrap(sph_legendre_p_all, signature=signature, vmap_method="broadcast_all")
    function.defpartials(theta=lambda ans, theta: _spherical_all(n, m, order + 1)(theta)[1:])
    return function


def at_the_end(array, count):
    """The first axes last."""
    return np.moveaxis(array, range(count), range(-count, 0))


def in_front(array, count):
    """The last axes first."""
    return jnp.moveaxis(array, range(-count, 0), range(count))


def whole(name, n):
    n = jnp.asarray(n)
    if not jnp.issubdtype(n.dtype, jnp.integer):
        raise SignatureError(f"`{name}` is an integer or an array of integers; got {n.dtype}.")
    return n


def checked_order(diff_n):
    if not isinstance(diff_n, int | np.integer) or not 0 <= diff_n <= HIGHEST:
        raise SignatureError(f"diff_n is 0, 1 or 2, as in SciPy; got {diff_n!r}.")
    return int(diff_n)


def checked_count(name, count):
    if not isinstance(count, int | np.integer) or count < 0:
        raise SignatureError(f"`{name}` is a non-negative Python integer, the highest of all; got {count!r}.")
    return int(count)

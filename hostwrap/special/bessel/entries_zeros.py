"""Zeros of Bessel functions of real order, differentiable in the order.

SciPy's functions of the same names take integer orders. For these the zeros have SciPy's bits. The k-th zero x of J_v
is a function of the order, dx/dv = -(dJ/dv) / (dJ/dx), and so are the zeros of Y_v, J'_v and Y'_v.
"""

import functools

from hostwrap._errors import SignatureError
from hostwrap._wrap import wrap
from hostwrap.special._numbers import inexact, of_numbers
from hostwrap.special.bessel import zeros
from hostwrap.special.bessel.entries import jv, jv_order, yv, yv_order

__all__ = ["jn_zeros", "jnp_zeros", "yn_zeros", "ynp_zeros"]

MOST = 1200  # of SciPy


@of_numbers
def jn_zeros(n, nt):
    """The first nt positive zeros of J_n(x), in ascending order along the last axis.

    Arguments:
        n: order, a real number or array, not negative; differentiable to any order. For integers, negative ones
            included, the zeros have SciPy's bits. For other negative orders they are NaN.
        nt: how many, a Python integer from 1 to 1200; SignatureError for anything else.

    The derivatives are those of the zeros as functions of the order, DLMF 10.21.17.

    >>> import jax
    >>> import hostwrap.special as sc
    >>> [f"{x:.12f}" for x in sc.jn_zeros(2.5, 3)]
    ['5.763459196895', '9.095011330476', '12.322940970567']
    >>> [f"{x:.12f}" for x in jax.jacobian(lambda n: sc.jn_zeros(n, 3))(2.5)]
    ['1.243668905259', '1.343077929677', '1.394837421881']
    """
    return _zeros("jn_zeros", nt)(inexact(n))


@of_numbers
def yn_zeros(n, nt):
    """The first nt positive zeros of Y_n(x), in ascending order along the last axis.

    Arguments, derivatives and errors are those of `jn_zeros`.

    >>> import jax
    >>> import hostwrap.special as sc
    >>> [f"{x:.12f}" for x in jax.jacobian(lambda n: sc.yn_zeros(n, 3))(2.5)]
    ['1.142066509853', '1.302943560962', '1.372383884035']
    """
    return _zeros("yn_zeros", nt)(inexact(n))


@of_numbers
def jnp_zeros(n, nt):
    """The first nt positive zeros of J_n'(x), in ascending order along the last axis.

    Arguments, derivatives and errors are those of `jn_zeros`. For n = 0 the first zero is 3.83, as in SciPy; for small
    n > 0 there is one more before it, near sqrt(2 n).

    >>> import jax
    >>> import hostwrap.special as sc
    >>> [f"{x:.12f}" for x in jax.jacobian(lambda n: sc.jnp_zeros(n, 3))(2.5)]
    ['1.145771293805', '1.308197103418', '1.375812132337']
    """
    return _zeros("jnp_zeros", nt)(inexact(n))


@of_numbers
def ynp_zeros(n, nt):
    """The first nt positive zeros of Y_n'(x), in ascending order along the last axis.

    Arguments, derivatives and errors are those of `jn_zeros`.

    >>> import jax
    >>> import hostwrap.special as sc
    >>> [f"{x:.12f}" for x in jax.jacobian(lambda n: sc.ynp_zeros(n, 3))(2.5)]
    ['1.249989749978', '1.347300233277', '1.397665092616']
    """
    return _zeros("ynp_zeros", nt)(inexact(n))


# f' = (n/x) f - f_{n+1} (DLMF 10.6.2), because n - 1 would lose digits of a small n.


def slope(f, n, x):
    return n / x * f(n, x) - f(n + 1, x)


def along_zeros(f, by_order, n, x):
    return -by_order(n, x) / slope(f, n, x)


def along_slopes(f, by_order, n, x):
    above = by_order(n + 1, x)
    curvature = ((n / x) ** 2 - n / x**2 - 1) * f(n, x) + f(n + 1, x) / x
    return -(f(n, x) / x + n / x * by_order(n, x) - above) / curvature


J, Y = (jv, lambda n, x: jv_order(n, x, n=1)), (yv, lambda n, x: yv_order(n, x, n=1, m=0))
ALONG = {
    "jn_zeros": functools.partial(along_zeros, *J),
    "yn_zeros": functools.partial(along_zeros, *Y),
    "jnp_zeros": functools.partial(along_slopes, *J),
    "ynp_zeros": functools.partial(along_slopes, *Y),
}


@functools.cache
def _of(name, nt):
    def host(n):
        return getattr(zeros, name)(n, nt)

    host.__name__ = name
    function = wrap(host, signature=f"()->({nt})", vmap_method="broadcast_all")
    function.defpartials(n=lambda ans, n: ALONG[name](n[..., None], ans))
    return function


def _zeros(name, nt):
    if nt != int(nt) or not 1 <= nt <= MOST:
        raise SignatureError(f"{name}: `nt` must be an integer from 1 to {MOST}, got {nt!r}.")
    return _of(name, int(nt))

"""Nodes and weights of Gauss quadrature, differentiable in the parameters of the weight function.

The nodes are the eigenvalues of the tridiagonal matrix of the recurrence of the orthonormal polynomials, with diagonal
A_k and off-diagonal B_k (Golub and Welsch, Math. Comp. 23, 1969). So a node x has dx = sum of dA_k q_k^2 and
2 dB_k q_k q_{k+1}, where q_k = p_k(x) / sqrt(sum p_j(x)^2); and its weight is the integral of the weight function over
sum p_j(x)^2. Nodes and weights are SciPy's to the bit.
"""

import functools
import operator

import jax
import jax.numpy as jnp
import numpy as np
import scipy.special

from hostwrap._errors import SignatureError
from hostwrap._wrap import wrap
from hostwrap.special._numbers import inexact, of_numbers
from hostwrap.special.gamma_beta.entries import gammaln
from hostwrap.special.gamma_beta.entries_beta import betaln

__all__ = [
    "roots_gegenbauer",
    "roots_genlaguerre",
    "roots_jacobi",
    "roots_sh_jacobi",
]


@of_numbers
def roots_jacobi(n, alpha, beta, mu=False):
    """Nodes and weights of Gauss-Jacobi quadrature on [-1, 1].

    It is exact for (1 - x)^alpha (1 + x)^beta times polynomials of degree 2n - 1.

    Arguments:
        n: how many, a Python integer above 0; SignatureError for anything else.
        alpha, beta: real, above -1, numbers or arrays that broadcast; differentiable to any order. Outside of that
            range the results are NaN.
        mu: True for the integral of the weight function as a third result.

    Returns nodes and weights along the last axis, as SciPy's.

    >>> import jax
    >>> import hostwrap.special as sc
    >>> second_moment = lambda alpha: sum(w * x**2 for x, w in zip(*sc.roots_jacobi(3, alpha, 0.5)))
    >>> f"{second_moment(1.5):.12f}", f"{jax.grad(second_moment)(1.5):.12f}"
    ('0.392699081699', '0.113955835716')
    """
    return _roots("roots_jacobi", n, mu, alpha, beta)


@of_numbers
def roots_sh_jacobi(n, p1, q1, mu=False):
    """Nodes and weights of shifted Gauss-Jacobi quadrature on [0, 1].

    It is exact for (1 - x)^(p1 - q1) x^(q1 - 1) times polynomials of degree 2n - 1, p1 - q1 > -1 and q1 > 0. n and mu,
    results and errors are those of `roots_jacobi`.

    >>> import jax
    >>> import hostwrap.special as sc
    >>> mean = lambda q1: sum(w * x for x, w in zip(*sc.roots_sh_jacobi(3, 4.0, q1)))
    >>> f"{mean(1.5):.12f}", f"{jax.grad(mean)(1.5):.12f}"
    ('0.036815538909', '-0.014726215564')
    """
    return _roots("roots_sh_jacobi", n, mu, p1, q1)


@of_numbers
def roots_genlaguerre(n, alpha, mu=False):
    """Nodes and weights of generalized Gauss-Laguerre quadrature on (0, inf).

    It is exact for x^alpha e^-x times polynomials of degree 2n - 1.

    n, alpha and mu, results and errors are those of `roots_jacobi`; alpha > -1.

    >>> import jax
    >>> import hostwrap.special as sc
    >>> second_moment = lambda alpha: sum(w * x**2 for x, w in zip(*sc.roots_genlaguerre(3, alpha)))
    >>> f"{second_moment(1.5):.12f}", f"{jax.grad(second_moment)(1.5):.12f}"
    ('11.631728396567', '16.154969393303')
    """
    return _roots("roots_genlaguerre", n, mu, alpha)


@of_numbers
def roots_gegenbauer(n, alpha, mu=False):
    """Nodes and weights of Gauss-Gegenbauer quadrature on [-1, 1].

    It is exact for (1 - x^2)^(alpha - 1/2) times polynomials of degree 2n - 1.

    n, alpha and mu, results and errors are those of `roots_jacobi`; alpha > -1/2.

    >>> import jax
    >>> import hostwrap.special as sc
    >>> second_moment = lambda alpha: sum(w * x**2 for x, w in zip(*sc.roots_gegenbauer(3, alpha)))
    >>> f"{second_moment(1.5):.12f}", f"{jax.grad(second_moment)(1.5):.12f}"
    ('0.266666666667', '-0.181432614812')
    """
    return _roots("roots_gegenbauer", n, mu, alpha)


# For each weight function: the recurrence (A_0, A_1, ..) and (B_1^2, B_2^2, ..) of monic polynomials (DLMF 18.9.2),
# and the logarithm of the integral. What would be 0/0 at k = 0 or 1 is written out.


def _jacobi(n, alpha, beta):
    total, k = alpha + beta, jnp.arange(1.0, n)
    first = (beta - alpha) / (total + 2)
    diagonal = (beta - alpha) * total / ((2 * k + total) * (2 * k + total + 2))
    below = 4 * (1 + alpha) * (1 + beta) / ((2 + total) ** 2 * (3 + total))
    j = k[1:]
    size = 2 * j + total
    squares = 4 * j * (j + alpha) * (j + beta) * (j + total) / (size**2 * (size + 1) * (size - 1))
    integral = (total + 1) * np.log(2) + betaln(alpha + 1, beta + 1)
    return _joined(first, diagonal), _joined(below, squares)[: n - 1], integral


def _sh_jacobi(n, p1, q1):
    diagonal, squares, integral = _jacobi(n, p1 - q1, q1 - 1)
    return (1 + diagonal) / 2, squares / 4, integral - p1 * np.log(2)


def _genlaguerre(n, alpha):
    k = jnp.arange(1.0, n)
    return 2 * jnp.arange(float(n)) + alpha + 1, k * (k + alpha), gammaln(alpha + 1)


def _gegenbauer(n, alpha):
    k = jnp.arange(2.0, n)
    squares = k * (k + 2 * alpha - 1) / (4 * (k + alpha) * (k + alpha - 1))
    integral = np.log(np.pi) / 2 + gammaln(alpha + 0.5) - gammaln(alpha + 1)
    return jnp.zeros(n), _joined(1 / (2 * (1 + alpha)), squares)[: n - 1], integral


def _joined(first, others):
    return jnp.concatenate([first[None], others])


RECURRENCES = {
    "roots_jacobi": (_jacobi, lambda a, b: a > -1 and b > -1),
    "roots_sh_jacobi": (_sh_jacobi, lambda p, q: p - q > -1 and q > 0),
    "roots_genlaguerre": (_genlaguerre, lambda a: a > -1),
    "roots_gegenbauer": (_gegenbauer, lambda a: a > -0.5),
}


def _roots(name, n, mu, *parameters):
    try:
        n = operator.index(n)
    except TypeError:
        n = 0
    if n < 1:
        raise SignatureError(f"{name}: `n` must be a Python integer above 0.")
    together = jnp.stack(jnp.broadcast_arrays(*map(inexact, parameters)), axis=-1)
    nodes, weights, integral = _of(name, n, len(parameters))(together)
    return (nodes, weights, integral) if mu else (nodes, weights)


@functools.cache
def _of(name, n, count):
    """The function of one point, a vector of parameters; and of many points."""
    recurrence, valid = RECURRENCES[name]

    def host(parameters):
        given = [float(p) for p in parameters]
        if not valid(*given):
            return np.full(n, np.nan), np.full(n, np.nan), np.float64(np.nan)
        return getattr(scipy.special, name)(n, *given, mu=True)

    def rule(primals, tangents):
        nodes, weights, integral = point(*primals)
        wide = jnp.result_type(float)  # single precision is computed in double
        moved = _moved(recurrence, *(x.astype(wide) for x in (nodes, *primals, *tangents)))
        slopes, growth, d_integral = (x.astype(nodes.dtype) for x in moved)
        return (nodes, weights, integral), (slopes, weights * growth, integral * d_integral)

    host.__name__ = name
    point = wrap(host, signature=f"({count})->({n}),({n}),()").defjvp(rule)
    return jnp.vectorize(point, signature="(p)->(n),(n),()")


@functools.partial(jax.jit, static_argnums=0)  # compiled once, for eager calls too
def _moved(recurrence, nodes, parameters, direction):
    """The changes of the nodes, of the logarithms of the weights, and of that of the integral."""
    of = lambda p: recurrence(nodes.size, *p)
    (diagonal, squares, _), (d_diagonal, d_squares, d_integral) = jax.jvp(of, (parameters,), (direction,))
    off = jnp.sqrt(squares)
    d_off = d_squares / (2 * off)
    slopes = _sums(nodes, diagonal, off, d_diagonal, d_off)[1]
    log_sum = lambda x, a, b: _sums(x, a, b, d_diagonal, d_off)[0]
    growth = jax.jvp(log_sum, (nodes, diagonal, off), (slopes, d_diagonal, d_off))[1]
    return slopes, d_integral - growth, d_integral


def _sums(x, diagonal, off, d_diagonal, d_off):
    """log(p_0^2 + ... + p_{n-1}^2) at each x, and the mean of the change of the matrix under these squares.

    The squares exceed the range of numbers between large nodes, so each step divides by what has grown.
    """

    def step(carry, row):
        before, here, total, change, scale = carry
        a, b_before, b, da, db = row
        total, change = total + here * here, change + da * here * here
        after = ((x - a) * here - b_before * before) / b
        change = change + 2 * db * here * after
        size = jax.lax.stop_gradient(jnp.maximum(jnp.abs(after), 1))
        return (here / size, after / size, total / size**2, change / size**2, scale + 2 * jnp.log(size)), None

    zero, one = jnp.zeros_like(x), jnp.ones_like(x)
    rows = (diagonal[:-1], jnp.concatenate([jnp.zeros(1, off.dtype), off])[:-1], off, d_diagonal[:-1], d_off)
    start = (zero, one, zero, zero, zero)
    (_, here, total, change, scale), _ = jax.lax.scan(step, start, rows)
    total, change = total + here * here, change + d_diagonal[-1] * here * here
    return jnp.log(total) + scale, change / total

"""Combinations, permutations and factorials of real numbers, 0 outside their range as in SciPy."""

import jax
import jax.numpy as jnp
import scipy.special

from hostwrap.special._numbers import of_numbers
from hostwrap.special.gamma_beta.entries import gamma
from hostwrap.special.gamma_beta.entries_beta import binom, poch

__all__ = ["comb", "factorial", "perm"]


@of_numbers
def comb(N, k, *, exact=False, repetition=False):
    """The number of combinations of N things taken k at a time, `binom(N, k)`, differentiable in both.

    Arguments:
        N, k: real; 0 for k > N, N < 0 or k < 0.
        exact: SciPy answers, with a Python integer, and there is no derivative.
        repetition: with it, `binom(N + k - 1, k)`.
    """
    if exact:
        return scipy.special.comb(N, k, exact=True, repetition=repetition)
    N, k = jnp.asarray(N), jnp.asarray(k)
    if repetition:
        count = binom(jnp.where((N == 0) & (k == 0), 1.0, N + k - 1), k)
        one = 1.0 + (count - jax.lax.stop_gradient(count))  # with the derivatives of the count
        return jnp.where((k == 0) & (N >= 0), one, count)
    inside = (k <= N) & (N >= 0) & (k >= 0)
    return _inside(inside, binom, (N, 1), (k, 0))


@of_numbers
def perm(N, k, exact=False):
    """The number of permutations of k of N things, `poch(N - k + 1, k)`, differentiable in both.

    Arguments:
        N, k: real; 0 for k > N, N < 0 or k < 0.
        exact: SciPy answers, with a Python integer, and there is no derivative.
    """
    if exact:
        return scipy.special.perm(N, k, exact=True)
    N, k = jnp.asarray(N), jnp.asarray(k)
    inside = (k <= N) & (N >= 0) & (k >= 0)
    return _inside(inside, poch, (N - k + 1, 1), (k, 0))


@of_numbers
def factorial(n, exact=False, extend="zero"):
    """n! = `gamma(n + 1)`, differentiable.

    Arguments:
        n: real; complex with extend="complex" only, else it is a ValueError.
        exact: SciPy answers, with Python integers, and there is no derivative.
        extend: "zero" for 0 where n < 0, "complex" for the gamma function there. Anything else is a ValueError.
    """
    if exact:
        return scipy.special.factorial(n, exact=True, extend=extend)
    if extend not in ("zero", "complex"):
        raise ValueError(
            f"factorial: argument `extend` must be either 'zero' or 'complex', received: {extend!r}."
        )
    n = jnp.asarray(n)
    if extend == "zero":
        if jnp.iscomplexobj(n):
            raise ValueError(
                "factorial: `n` is complex. In order to use non-integer arguments, you must opt into this by passing "
                "`extend='complex'`."
            )
        return _inside(~(n < 0), lambda m: gamma(m + 1), (n, 0))
    if jnp.iscomplexobj(n):
        return gamma(n + 1)
    # SciPy's gamma is infinite there, and NaN at the other poles; its factorial is NaN at each
    pole = n == -1
    return jnp.where(pole, jnp.nan, gamma(jnp.where(pole, 0, n) + 1))


def _inside(inside, function, *arguments):
    """The function inside its range, 0 outside. Each argument comes with a value that is always inside."""
    values = [jnp.where(inside, value, harmless) for value, harmless in arguments]
    return jnp.where(inside, function(*values), 0.0)

"""The exponential of a matrix: by SciPy; with derivatives by Padé's approximation, whose parts serve both."""

from __future__ import annotations

import contextlib
import math
from typing import Any

import jax
import numpy as np
import scipy.linalg

from hostwrap._recipes.cached import cached
from hostwrap._recipes.cores import batched
from hostwrap._recipes.scipys import as_scipys
from hostwrap._types import ArrayLike
from hostwrap._wrap import wrap

# For each degree the norm up to which the derivative of Padé's approximation is exact to double precision: Al-Mohy and
# Higham, SIAM J. Matrix Anal. Appl. 30, 1639 (2009), table 6.1
REACH = {3: 1.08e-2, 5: 2.00e-1, 7: 7.83e-1, 9: 1.78, 13: 4.74}
MOST_KEPT = 512  # rows of a matrix whose parts are kept from the value to the derivative


def _coefficients(degree: int) -> list[float]:
    terms = range(degree + 1)
    f = math.factorial
    return [float(f(2 * degree - j) // (f(degree - j) * f(j))) for j in terms]


COEFFICIENTS = {degree: _coefficients(degree) for degree in REACH}


class Pade:
    """exp(a) = r(a / 2^s)^(2^s) with r = (v - u)^-1 (v + u), where u is odd and v is even; and its derivatives.

    In reverse mode the derivative is that of the transposed matrix, whose parts are the transposed ones.
    """

    def __init__(self, a: np.ndarray) -> None:
        powers, self.degree, self.squarings = _chosen(a)
        small = 0.5**self.squarings
        self.a = a * small  # a copy: the memory of a is XLA's
        self.powers = [p * small ** (2 * k) for k, p in enumerate(powers, 1)] if self.squarings else powers
        w, v = (_polynomial(self.powers, c) for c in self._halves())
        if self.degree == 13:
            self.high = [_sum(self.powers, c[4:]) for c in self._halves()]
            w, v = (x + self.powers[2] @ high for x, high in zip((w, v), self.high, strict=True))
        self.w, u = w, self.a @ w
        factor, self.solve = scipy.linalg.get_lapack_funcs(("getrf", "getrs"), (a,))
        self.lu, self.pivots, _ = factor(v - u, overwrite_a=True)
        self.roots = [self.solve(self.lu, self.pivots, v + u, overwrite_b=True)[0]]
        for _ in range(self.squarings):
            self.roots.append(self.roots[-1] @ self.roots[-1])

    def _halves(self) -> tuple[list[float], list[float]]:
        """The coefficients of u / a and of v, polynomials in the square of a."""
        b = COEFFICIENTS[self.degree]
        return b[1::2], b[::2]

    @property
    def value(self) -> np.ndarray:
        return self.roots[-1]

    def along(self, e: np.ndarray, turned: bool) -> np.ndarray:
        """The derivative along e; if turned, of the exponential of the transposed matrix."""
        way = (lambda x: x.T) if turned else (lambda x: x)
        e, a, w = e * 0.5**self.squarings, way(self.a), way(self.w)
        powers, roots = [way(p) for p in self.powers], [way(r) for r in self.roots]
        moved = [a @ e + e @ a]
        for k in range(1, len(powers)):
            i = k // 2  # a^(2 k + 2) is the product of the powers i and j, as in _powers
            j = k - 1 - i
            moved.append(powers[i] @ moved[j] + moved[i] @ powers[j])
        lw, lv = (_sum(moved, c[1:4] if self.degree == 13 else c[1:]) for c in self._halves())
        if self.degree == 13:
            lw, lv = (
                low + powers[2] @ _sum(moved, c[4:]) + moved[2] @ way(high)
                for low, c, high in zip((lw, lv), self._halves(), self.high, strict=True)
            )
        lu = a @ lw + e @ w
        right = lu + lv + (lu - lv) @ roots[0]
        found = self.solve(self.lu, self.pivots, right, trans=int(turned), overwrite_b=True)[0]
        for root in roots[:-1]:
            found = root @ found + found @ root
        return found


def _sum(matrices: list[np.ndarray], coefficients: list[float]) -> np.ndarray:
    total = matrices[0] * coefficients[0]
    for x, c in zip(matrices[1:], coefficients[1:], strict=False):
        total += x * c
    return total


def _polynomial(powers: list[np.ndarray], coefficients: list[float]) -> np.ndarray:
    """Of degree 3 at most, where the rest has a factor of its own, and of degree 4 with four powers."""
    total = _sum(powers, coefficients[1 : len(powers) + 1])
    total.flat[:: len(total) + 1] += coefficients[0]
    return total


def _chosen(a: np.ndarray) -> tuple[list[np.ndarray], int, int]:
    """Even powers of a, the degree, and how often r is squared.

    The error of the derivative along e is that of sums of c_k a^i e a^j over i + j = k - 1, which is even and at least
    twice the degree. Powers may be much smaller than those of the norm. With x = max(|a^4|^(1/4), |a^6|^(1/6)) all even
    powers from the fourth on are at most x^i, odd ones |a| x^(i - 1); so each term is at most K x^(i + j). In place of
    the norm x K^(1 / (2 degree)) decides (for values: Al-Mohy and Higham, SIAM J. Matrix Anal. Appl. 31, 970 (2009)).
    """
    norm = lambda x: float(np.linalg.norm(x, 1))
    first = norm(a)
    powers = [a @ a]
    for degree in (3, 5):
        if first <= REACH[degree]:
            return powers, degree, 0
        powers.append(powers[0] @ powers[-1])
    second, fourth, sixth = map(norm, powers)
    x = max(fourth ** (1 / 4), sixth ** (1 / 6))
    ratio = max(first, second**0.5) / x if x else 1.0
    between = max(1.0, ratio**2, (first / x) ** 2 * second / x**2) if x else 1.0
    needed = {degree: min(first, x * between ** (1 / (2 * degree))) for degree in REACH}
    for degree in (7, 9):
        if needed[degree] <= REACH[degree] and not _more(a, degree):
            return (powers if degree == 7 else [*powers, powers[1] @ powers[1]]), degree, 0
    squarings = max(0, math.ceil(math.log2(needed[13] / REACH[13])))
    return powers, 13, squarings + _more(a * 0.5**squarings, 13)


def _more(a: np.ndarray, degree: int) -> int:
    """How often a is to be halved further, so that rounding errors, which do not cancel as a's numbers may, are small:
    the same article, equation (5.1), of the power 2 degree + 1 of |a|."""
    sums, size = np.ones(len(a)), np.abs(a).T
    for _ in range(2 * degree + 1):
        sums = size @ sums
    error = sums.max() / np.linalg.norm(a, 1) / math.comb(2 * degree, degree) / math.factorial(2 * degree + 1)
    return max(0, math.ceil(math.log2(error / 2.0**-53) / (2 * degree))) if error else 0


# ---- in programs


@cached(maxsize=4)
def _kept(a: np.ndarray) -> Pade:
    return Pade(a)


def _by_scipy(a: np.ndarray) -> bool:
    """SciPy has better ways for triangular matrices, and says what it does with numbers that are not finite."""
    return not np.isfinite(a).all() or 0 in scipy.linalg.bandwidth(a)


def _along(a: np.ndarray, e: np.ndarray, turned: bool) -> np.ndarray:
    """L(a, e), the derivative of exp at a along e; if turned L(a', e), its adjoint.

    exp is a power series, and the trace of c' (a^i e a^j) is that of (a^j c' a^i) e.
    """
    if _by_scipy(a):
        return scipy.linalg.expm_frechet(a.T if turned else a, e, compute_expm=False)
    with _kept.hold(a) if len(a) <= MOST_KEPT else contextlib.nullcontext(Pade(a)) as parts:
        return parts.along(e, turned)


def _second(a: np.ndarray, e: np.ndarray, f: np.ndarray) -> np.ndarray:
    """The second derivative along e and f: a block of the exponential of a larger matrix (Higham and Relton,
    SIAM J. Matrix Anal. Appl. 35, 1019 (2014), theorem 3.5). It is bilinear, so e and f may have norm 1 there."""
    sizes = [np.linalg.norm(x, 1) or 1.0 for x in (e, f)]
    e, f, o = e / sizes[0], f / sizes[1], np.zeros_like(a)
    block = scipy.linalg.expm(np.block([[a, e, f, o], [o, a, o, f], [o, o, a, e], [o, o, o, a]]))
    return sizes[0] * sizes[1] * block[: len(a), -len(a) :]


def _derived(function: Any) -> Any:
    function.defhost(
        jvp=lambda primals, tangents: _along(primals[0], tangents[0], False),
        vjp=lambda primals, cotangent: (_along(primals[0], cotangent, True),),
        hvp=lambda primals, tangents, cotangent: (_second(primals[0].T, cotangent, tangents[0].T),),
    )
    return function


@_derived
@wrap("(n,n)->(n,n)", copy=False)
def _alone(a: np.ndarray) -> np.ndarray:
    return scipy.linalg.expm(a)


@_derived
@wrap("(n,n)->(n,n)")
def _with_parts(a: np.ndarray) -> np.ndarray:
    """The exponential from the parts of its derivative."""
    if len(a) > MOST_KEPT or _by_scipy(a):
        return scipy.linalg.expm(a)
    with _kept.hold(a) as parts:
        return parts.value


@jax.custom_jvp
def _expm(a: Any) -> Any:
    return _alone(a)


@_expm.defjvp
@jax.jit
def _both(primals: tuple, tangents: tuple) -> tuple:
    return _with_parts(*primals), jax.jvp(_alone, primals, tangents)[1]


@as_scipys("scipy.linalg")
@batched("(n,n)->(n,n)")
def expm(A: ArrayLike) -> jax.Array:
    """`scipy.linalg.expm`: the exponential of a matrix.

    It is differentiated twice; `jax.scipy.linalg.expm` has higher derivatives. With derivatives the value comes from
    Padé's approximation that they are made of, and its last digits may differ from SciPy's.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda a: expm(a)[0, 0])(np.diag([0.0, 1.0])).round(6))
    [[1. 0.]
     [0. 0.]]
    """
    return _expm(A)

"""All partial derivatives of Carlson's integrals together: by duplication, and one by one where that is not meant."""

import functools

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.pointwise import in_python, piecewise_jets, pointwise_rows
from hostwrap.special.elliptic import duplication
from hostwrap.special.elliptic.carlson import integral

LEAST, MOST = 1e-60, 1e60  # of the largest argument: in between, products neither overflow nor underflow
NARROW = 1e-200  # of the largest argument, too: its power of -3/2 is a number


@pointwise_rows(4)
def integral_slopes(x, y, z, p, *, k, n):
    """The gradient of the integral over t > 0 of ((t+x) (t+y))^(-1/2) (t+z)^-(k+1/2) (t+p)^-n; k + n <= 1."""
    if n:
        fast = lambda x, y, z, p: _scaled(2 / 3, duplication.gradient_j(x, y, z, p))
    elif k:
        fast = lambda x, y, z, p: _scaled(2 / 3, duplication.gradient_d(x, y, z), [0 * p])
    else:
        fast = lambda x, y, z, p: _scaled(2, duplication.gradient_f(x, y, z), [0 * p])
    slow = functools.partial(_integrals if k + n else _of_f, k=k, n=n)
    return _mostly(fast, slow, x, y, z, p)


@pointwise_rows(3)
def g_slopes(x, y, z):
    """The gradient of R_G: in x it is (y R_D(z, x, y) + z R_D(x, y, z)) / 12, of R_F's by DLMF 19.18.1, 19.21.10."""
    return _mostly(_g_by_f, _g_integrals, x, y, z)


def _g_by_f(x, y, z):
    gradient, right = duplication.gradient_f(x, y, z)
    a, b, c = (-v * g / 2 for v, g in zip((x, y, z), gradient, strict=True))
    return [b + c, c + a, a + b], right


def _g_integrals(x, y, z):
    orders = np.eye(3, dtype=int).tolist()
    return [integral(x, y, z, 1.0, i=i, j=j, k=k, n=0, e=1) / 8 for i, j, k in orders]


def _scaled(factor, found, more=()):
    gradient, right = found
    return [*(factor * g for g in gradient), *more], right


def _mostly(fast, slow, *args):
    if any(np.iscomplexobj(a) for a in args):
        return slow(*(a + 0j for a in args))
    gradient, right = fast(*args)
    largest = functools.reduce(np.maximum, args)
    right = right & (largest > LEAST) & (largest < MOST) & np.isfinite(sum(gradient))
    count = len(args)
    cases = [(right, lambda *given: given[count:]), (None, lambda *given: slow(*given[:count]))]
    return piecewise_jets([*args, *gradient], len(gradient) - 1, cases)


def _of_f(x, y, z, p, *, k, n):
    """By R_D; integrals where that leaves the doubles, because nothing is scaled to 1 with all arguments in sight."""
    size = functools.reduce(np.maximum, [np.abs(v) for v in (x, y, z)])
    wide = sum((v != 0) & (np.abs(v) / size < NARROW) for v in (x, y, z)) > 0
    cases = [
        (wide & np.isfinite(size), in_python(functools.partial(_integrals, k=k, n=n))),
        (None, _by_elliprd),
    ]
    return piecewise_jets([x, y, z, p], 3, cases)


def _by_elliprd(x, y, z, p):
    """By homogeneity, because SciPy's R_D is NaN where it would overflow."""
    size = functools.reduce(np.maximum, [np.abs(v) for v in (x, y, z)])
    far = ((size < LEAST) | (size > MOST)) & (size > 0) & np.isfinite(size)
    size = np.where(far, size, 1.0)
    a, b, c = (v / size for v in (x, y, z))
    found = [-sc.elliprd(b, c, a) / 3, -sc.elliprd(c, a, b) / 3, -sc.elliprd(a, b, c) / 3]
    return [*(f / size / np.sqrt(size) for f in found), 0 * p]


def _integrals(x, y, z, p, *, k, n):
    return [
        -0.5 * integral(x, y, z, p, i=1, j=0, k=k, n=n, e=0),
        -0.5 * integral(x, y, z, p, i=0, j=1, k=k, n=n, e=0),
        -(k + 0.5) * integral(x, y, z, p, i=0, j=0, k=k + 1, n=n, e=0),
        -integral(x, y, z, p, i=0, j=0, k=k, n=2, e=0) if n else 0 * p,
    ]

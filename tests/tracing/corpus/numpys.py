"""NumPy's own functions: those in Python, and those in C that Python code is made of."""

import numpy as np
from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial

from tests.tracing.corpus.row import Rows

add = Rows("numpy")
U = [0.31, -0.72, 1.15, 0.58, -1.4]
V = [1.3, 0.4, -0.9, 2.1, 0.77]
P = [0.8, 1.7, 2.9, 3.1, 4.6]  # positive, ascending
A = [[1.9, 0.3, -0.4], [0.2, 2.4, 0.5], [-0.1, 0.6, 1.7]]
B = [[0.7, -1.2], [1.5, 0.4], [0.3, 0.9]]
T = [[0.3, 1.1, -0.6, 2.0], [0.9, -0.2, 0.7, 1.6], [1.4, 0.5, 0.1, -1.3]]

# ---- polynomials

add(np.polyval, [1.2, -0.3, 2.0, 0.7], 0.6)
add(np.polyder, [1.2, -0.3, 2.0, 0.7])
add(np.polyint, [1.2, -0.3, 2.0])
add(np.polymul, [1.2, -0.3, 2.0], [0.4, 1.1])
add(np.polyadd, [1.2, -0.3, 2.0], [0.4, 1.1])
add(np.polysub, [0.4, 1.1], [1.2, -0.3, 2.0])
add(np.polydiv, [1.2, -0.3, 2.0, 1.0], [0.4, 1.1])
add(np.poly, [0.4, 1.1, -0.7])
add(np.roots, [1.2, -3.3, -2.0, 0.7])
add(np.polyfit, P, V, deg=2)
add(np.vander, [0.4, 1.1, -0.7], N=4)
for family, short in (
    (polynomial, "poly"), (chebyshev, "cheb"), (legendre, "leg"), (hermite, "herm"), (hermite_e, "herme"),
    (laguerre, "lag"),
):  # fmt: skip
    add(getattr(family, f"{short}val"), [0.4, 0.1, -0.37], [0.7, -0.2, 0.5, 0.3])
    add(getattr(family, f"{short}der"), [0.7, -0.2, 0.5, 0.3])
    add(getattr(family, f"{short}int"), [0.7, -0.2, 0.5])
    add(getattr(family, f"{short}mul"), [0.7, -0.2, 0.5], [0.3, 1.2])
    add(getattr(family, f"{short}fromroots"), [0.7, -0.2, 0.5])
    add(getattr(family, f"{short}vander"), [0.7, -0.2], deg=3)
    add(getattr(family, f"{short}fit"), P, V, deg=2)
add(polynomial.polyval2d, [0.2, 0.9], [0.6, -0.3], B)
add(polynomial.polyvalfromroots, [0.2, 0.9], [0.6, -0.3])
add(polynomial.polyroots, [-0.3, 0.7, 1.4])
add(polynomial.polypow, [0.3, 0.7, 1.4], pow=3)
add(polynomial.polyline, 0.3, 0.7)
add(chebyshev.chebroots, [-0.9, 0.1, 1.4])
add(chebyshev.cheb2poly, [0.7, -0.2, 0.5, 0.3])
add(chebyshev.poly2cheb, [0.7, -0.2, 0.5, 0.3])
add(chebyshev.chebgrid2d, [0.2, 0.9], [0.6, -0.3], B)
add(legendre.legcompanion, [0.7, -0.2, 0.5, 0.3])


def polynomial_object(c, x):
    return np.polynomial.Polynomial(c)(x)


def chebyshev_object(c, x):
    return np.polynomial.Chebyshev(c, domain=[0, 2]).deriv()(x)


add(polynomial_object, [0.7, -0.2, 0.5], [0.4, 1.3])
add(chebyshev_object, [0.7, -0.2, 0.5], [0.4, 1.3])

# ---- sums, statistics, differences

for f in (np.sum, np.mean, np.prod, np.std, np.var, np.ptp, np.max, np.min, np.median, np.cumsum, np.cumprod, np.diff,
          np.sort, np.flip, np.average, np.nanmean, np.nansum, np.nanvar, np.nanmedian, np.nanprod, np.nancumsum,
          np.gradient, np.ediff1d, np.unwrap, np.trapezoid):  # fmt: skip
    add(f, U)
add(np.std, T, axis=1, ddof=1)
add(np.var, T, axis=0, keepdims=True)
add(np.max, T, axis=1)
add(np.median, T, axis=0)
add(np.mean, T, axis=(0, 1))
add(np.percentile, U, q=37.0)
add(np.quantile, T, q=0.2, axis=1)
add(np.nanpercentile, U, q=61.0)
add(np.average, U, weights=np.array([1.0, 2.0, 0.5, 1.5, 3.0]))
add(np.cov, T)
add(np.corrcoef, T)
add(np.gradient, T, axis=0)
add(np.gradient, U, P)
add(np.diff, P, n=2)
add(np.trapezoid, U, P)
add(np.interp, [1.1, 2.2, 4.0], P, V)
add(np.convolve, U, [0.3, 0.5, 0.1])
add(np.convolve, U, [0.3, 0.5, 0.1], mode="same")
add(np.correlate, U, [0.3, 0.5, 0.1], mode="full")
add(np.linspace, 0.4, 2.3, num=5)
add(np.logspace, 0.4, 1.3, num=4)
add(np.geomspace, 0.4, 2.3, num=5)

# ---- shapes and selection

for f in (
    np.diag,
    np.trace,
    np.triu,
    np.tril,
    np.transpose,
    np.ravel,
    np.fliplr,
    np.flipud,
    np.rot90,
    np.squeeze,
):
    add(f, A)
add(np.roll, U, shift=2)
add(np.tile, U, reps=(2, 1))
add(np.repeat, U, repeats=2)
add(np.pad, U, pad_width=(1, 2), mode="edge")
add(np.pad, A, pad_width=1, mode="reflect")
add(np.pad, U, pad_width=2, mode="constant")
add(np.outer, U, [0.3, 0.5])
add(np.inner, U, V)
add(np.dot, A, B)
add(np.vdot, U, V)
add(np.kron, [[0.3, 0.5]], B)
add(np.cross, [0.3, 0.5, -1.1], [1.7, 0.2, 0.4])
add(np.tensordot, A, B, axes=([1], [0]))
add(np.matmul, A, B)
add(np.append, U, [0.3, 0.5])
add(np.delete, U, obj=2)
add(np.expand_dims, U, axis=0)
add(np.atleast_2d, U)
add(np.meshgrid, [0.3, 0.5], [1.7, 0.2, 0.4])
add(np.hypot, U, V, elementwise=True)
add(np.clip, U, a_min=-0.5, a_max=0.9)
add(np.nan_to_num, U)
add(np.real_if_close, U)
add(np.fmax, U, V, elementwise=True)
add(np.logaddexp, U, V, elementwise=True)
add(np.sinc, U, elementwise=True)
add(np.i0, U, elementwise=True)
add(np.float_power, P, V, elementwise=True)
add(np.arctan2, U, V, elementwise=True)
add(np.deg2rad, U, elementwise=True)
add(np.tril, T, k=-1)
add(np.take, U, indices=np.array([1, 1, 3]))
add(np.take_along_axis, T, indices=np.array([[0], [3], [1]]), axis=1)
add(np.split, [*P, 5.2], indices_or_sections=3)
add(np.nanmax, U)
add(np.partition, U, kth=2)

# ---- linear algebra

for f in (np.linalg.inv, np.linalg.det, np.linalg.slogdet, np.linalg.norm, np.linalg.pinv, np.linalg.cond):
    add(f, A)
add(np.linalg.solve, A, B)
add(np.linalg.cholesky, [[2.1, 0.3, 0.4], [0.3, 1.7, 0.2], [0.4, 0.2, 1.9]])
add(np.linalg.eigvalsh, [[2.1, 0.3, 0.4], [0.3, 1.3, 0.2], [0.4, 0.2, 0.9]])
add(np.linalg.eigvals, [[2.1, 0.3], [0.4, 0.9]])
add(np.linalg.qr, A, mode="r")
add(np.linalg.svd, B, compute_uv=False)
add(np.linalg.lstsq, B, [0.3, 1.2, -0.4], rcond=None)
add(np.linalg.matrix_power, A, n=3)
add(np.linalg.norm, A, ord=1)
add(np.linalg.norm, A, ord=2)
add(np.linalg.norm, A, ord="nuc")
add(np.linalg.norm, T, axis=1)
add(np.linalg.norm, U, ord=3)
add(np.linalg.tensorsolve, A, [0.3, 1.2, -0.4])
add(np.linalg.matrix_norm, A)
add(np.linalg.vector_norm, A, axis=0)
add(np.linalg.cross, [0.3, 0.5, -1.1], [1.7, 0.2, 0.4])
add(np.linalg.trace, A)

# ---- Fourier transforms

add(np.fft.fft, U)
add(np.fft.rfft, U)
add(np.fft.irfft, P, n=8)
add(np.fft.hfft, P)
add(np.fft.fft2, B)
add(np.fft.fftshift, U)
add(np.fft.ifftshift, U)
add(np.fft.rfftn, T)
ROWS = list(add)

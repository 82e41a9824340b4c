"""R_C(alpha^2, beta^2) beta = h(u) = arcsin(sqrt(u)) / sqrt(u), for u = 1 - w^2, w = alpha / beta: its derivatives."""

import numpy as np
from numpy.polynomial.polynomial import polyval

SERIES = 0.25  # |u| below which the closed forms would cancel
TERMS, FEW = 26, 10  # of the series in u, up to SERIES and up to SMALL
SMALL = 0.02

_k = np.arange(1.0, TERMS + 1)
_H = np.concatenate([[1.0], np.cumprod((_k - 0.5) / _k) / (2 * _k + 1)])  # DLMF 4.24.1
_W = np.concatenate([[1.0], np.cumprod((_k - 1.5) / _k)])
BY_ALPHA, BY_BETA = -np.convolve(_W, _H)[1 : TERMS + 1], (_H - _W)[1:]  # (1 - w h) / u, (h - w) / u


def slopes(u, w):
    """-beta^2 times the derivatives of R_C in alpha and in beta, (1 - w h) / u and (h - w) / u: both positive."""
    near = np.abs(u) < SERIES
    small, far = np.where(near, u, 0.0), np.where(near, 1.0, u)
    root = np.sqrt(np.abs(far))
    h = np.where(far > 0, np.arctan2(root, w), np.arcsinh(root)) / root
    return (
        np.where(near, polyval(small, BY_ALPHA), (1 - w * h) / far),
        np.where(near, polyval(small, BY_BETA), (h - w) / far),
    )


def slopes_near(u):
    """The same for |u| < SMALL."""
    return polyval(u, BY_ALPHA[:FEW]), polyval(u, BY_BETA[:FEW])

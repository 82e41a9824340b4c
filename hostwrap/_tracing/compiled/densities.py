"""Sums of Gaussian kernels, as `scipy.stats.gaussian_kde` evaluates them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hostwrap._tracing.compiled.table import computes


def _exponents(points: Any, x: Any, factor: Any) -> tuple[Any, Any]:
    """For each place and each point the exponent, and the logarithm of the normalization."""
    white = np.transpose(np.linalg.solve(factor, np.transpose(points)))
    places = np.transpose(np.linalg.solve(factor, np.transpose(x)))
    apart = places[:, None, :] - white[None, :, :]
    logarithm = -len(factor) / 2 * math.log(2 * math.pi) - np.sum(np.log(np.diagonal(factor)))
    return -np.sum(apart * apart, axis=-1) / 2, logarithm


@computes("stats._stats.gaussian_kernel_estimate")
def gaussian_kernel_estimate(points: Any, values: Any, x: Any, factor: Any, dtype: Any) -> Any:
    exponents, logarithm = _exponents(points, x, factor)
    return np.matmul(np.exp(exponents), values) * np.exp(logarithm)


@computes("stats._stats.gaussian_kernel_estimate_log")
def gaussian_kernel_estimate_log(points: Any, values: Any, x: Any, factor: Any, dtype: Any) -> Any:
    exponents, logarithm = _exponents(points, x, factor)
    terms = exponents[:, :, None] + np.log(values)[None, :, :]
    top = np.max(terms, axis=1, keepdims=True)
    return top[:, 0] + np.log(np.sum(np.exp(terms - top), axis=1)) + logarithm

"""Spherical harmonics Y_n^m(theta, phi) of integer degree and order."""

import functools

import jax.numpy as jnp
import numpy as np

from hostwrap._wrap import wrap
from hostwrap.special._numbers import inexact, of_numbers
from hostwrap.special.orthogonal import harmonics as kernels
from hostwrap.special.orthogonal.entries_legendre_all import (
    DISCRETE,
    checked_count,
    checked_order,
    whole,
)

__all__ = ["sph_harm_y", "sph_harm_y_all"]


@of_numbers
def sph_harm_y(n, m, theta, phi, *, diff_n=0):
    """Spherical harmonics; for diff_n > 0 a tuple with the gradient, (..., 2), and Hessian, (..., 2, 2), as SciPy's.

    Arguments:
        n, m: degree and order, integers.
        theta, phi: polar and azimuthal angle, real; differentiable to any order.
        diff_n: 0, 1 or 2; SignatureError for anything else.
    """
    tensors = _harmonics(checked_order(diff_n))(whole("n", n), whole("m", m), inexact(theta), inexact(phi))
    return tuple(tensors) if diff_n else tensors


@of_numbers
def sph_harm_y_all(n, m, theta, phi, *, diff_n=0):
    """The same for all degrees and orders at once: [degree, order, ...]; order -k is at index -k.

    Arguments:
        n, m: the highest degree and order, Python integers.
        theta, phi, diff_n: as in `sph_harm_y`.
    """
    theta, phi = inexact(theta), inexact(phi)
    tensors = _harmonics_all(checked_count("n", n), abs(int(m)), checked_order(diff_n))(theta, phi)
    points = jnp.broadcast_shapes(theta.shape, phi.shape)
    moved = [jnp.moveaxis(t, (len(points), len(points) + 1), (0, 1)) for t in _several(tensors)]
    return tuple(moved) if diff_n else moved[0]


@functools.cache
def _harmonics(rank):
    def sph_harm_y(n, m, theta, phi):
        return _one_or_several(kernels.harmonics(n, m, theta, phi, rank))

    function = wrap(sph_harm_y, signature=f"(),(),(),()->{_cores(rank)}", **_OPTIONS)
    slope = lambda index: lambda ans, n, m, theta, phi: _along(_harmonics(rank + 1)(n, m, theta, phi), index)
    function.defpartials(n=DISCRETE, m=DISCRETE, theta=slope(0), phi=slope(1))
    return function


@functools.cache
def _harmonics_all(n, m, rank):
    def sph_harm_y_all(theta, phi):
        tensors = kernels.harmonics_all(n, m, theta, phi, rank)
        points = np.broadcast(theta, phi).ndim
        return _one_or_several([np.moveaxis(t, (0, 1), (points, points + 1)) for t in tensors])

    signature = f"(),()->{_cores(rank, n + 1, 2 * m + 1)}"
    function = wrap(sph_harm_y_all, signature=signature, **_OPTIONS)
    slope = lambda index: lambda ans, theta, phi: _along(_harmonics_all(n, m, rank + 1)(theta, phi), index)
    function.defpartials(theta=slope(0), phi=slope(1))
    return function


_OPTIONS = {"vmap_method": "broadcast_all", "dtype": complex}


def _cores(rank, *sizes):
    """The core axes of the tensors of rank 0..rank, in NumPy's gufunc notation."""
    return ",".join("(" + ",".join(map(str, (*sizes, *[2] * r))) + ")" for r in range(rank + 1))


def _along(tensors, index):
    """The derivatives in one of the angles: of each tensor a part of the next."""
    return _one_or_several([t[..., index] for t in tensors[1:]])


def _one_or_several(tensors):
    return tuple(tensors) if len(tensors) > 1 else tensors[0]


def _several(tensors):
    return tensors if isinstance(tensors, tuple) else (tensors,)

"""Spherical harmonics of integer degree and order with their gradients, Hessians and so on."""

from __future__ import annotations

import itertools

import numpy as np
import scipy.special as sc

from hostwrap.special.orthogonal.legendre_rows import SCIPY, degrees_and_orders, spherical


def harmonics(n, m, theta, phi, rank):
    """The tensors of rank 0..rank: of shape (..., 2, 2) for the Hessian, theta before phi."""
    return _tensors(sc.sph_harm_y(n, m, theta, phi, diff_n=min(rank, SCIPY)), n, m, theta, phi, rank)


def harmonics_all(n, m, theta, phi, rank):
    """[degree, order m as 0..m, -m..-1, ..., 2, 2]."""
    known = sc.sph_harm_y_all(n, m, theta, phi, diff_n=min(rank, SCIPY))
    dimensions = np.broadcast(theta, phi).ndim
    return _tensors(known, *degrees_and_orders(n, m, dimensions), theta, phi, rank)


def _tensors(known, n, m, theta, phi, rank):
    known = known if rank else (known,)
    return (*known, *(_tensor(n, m, theta, phi, r) for r in range(SCIPY + 1, rank + 1)))


def _tensor(n, m, theta, phi, rank):
    """d^a/dtheta^a d^b/dphi^b Y = P^(a)(theta) (i m)^b e^(i m phi), where P is sph_legendre_p."""
    in_theta = spherical(n, m, theta, rank)
    parts = [in_theta[rank - b] * (1j * m) ** b * np.exp(1j * m * phi) for b in range(rank + 1)]
    stacked = np.stack([parts[sum(index)] for index in itertools.product((0, 1), repeat=rank)], axis=-1)
    return stacked.reshape(*stacked.shape[:-1], *[2] * rank)

"""Poisson's equation -div(a grad u) = f on the unit square, u = 0 at its edge, by linear finite elements."""

import functools

import jax.numpy as jnp
import numpy as np
import scipy.sparse


@functools.lru_cache(maxsize=4)
def mesh(cells):
    """(unknowns of each triangle [t, 3], -1 on the edge; element matrices for a = 1 [3, 3]) of a regular mesh."""
    inner = cells - 1
    number = np.full((cells + 1, cells + 1), -1)
    number[1:-1, 1:-1] = np.arange(inner * inner).reshape(inner, inner)
    sw, se, nw, ne = (number[i : cells + i, j : cells + j].ravel() for i in (0, 1) for j in (0, 1))
    triangles = np.concatenate([np.stack([sw, se, nw], 1), np.stack([ne, nw, se], 1)])
    slopes = np.array([[-1.0, -1.0], [1.0, 0.0], [0.0, 1.0]])  # of the three hats, on a triangle of area 1/2
    return triangles, slopes @ slopes.T / 2


class Assembly:
    """The sparse matrix of a coefficient that is constant in each triangle: `data = values(a)`, its pattern fixed."""

    def __init__(self, cells):
        triangles, element = mesh(cells)
        rows, columns = np.repeat(triangles, 3, 1).ravel(), np.tile(triangles, 3).ravel()
        inside = (rows >= 0) & (columns >= 0) & (np.tile(element.ravel(), len(triangles)) != 0)
        self.size = (cells - 1) ** 2
        key, place = np.unique(rows[inside] * self.size + columns[inside], return_inverse=True)
        pattern = scipy.sparse.csr_array(
            (np.ones(len(key)), (key // self.size, key % self.size)), (self.size,) * 2
        )
        self.indices, self.indptr, self.triangles = pattern.indices, pattern.indptr, len(triangles)
        self._place, self._count = place, len(key)
        self._weights = np.tile(element.ravel(), len(triangles))[inside]
        self._triangle = np.repeat(np.arange(len(triangles)), 9)[inside]

    def values(self, a):
        return jnp.zeros(self._count).at[self._place].add(self._weights * a[self._triangle])

"""One eigenvalue of each of many symmetric tridiagonal matrices, by Sturm counts.

Matrices are stored with the row first: `diagonal` (rows, points), `off` (rows - 1, points).
"""

import numpy as np

SECTIONS, ROUNDS = (
    16,
    7,
)  # 16^-7 of all eigenvalues' range: inverse iteration then finds the one that is meant
TINY = 1e-290  # in place of a pivot that is 0


def nonzero(pivot):
    return np.where(pivot == 0, TINY, pivot)


def below(diagonal, off, shift):
    """How many eigenvalues lie below the shift: the number of negative pivots (Sturm's theorem).

    The shift may have further axes in front of the points'.
    """
    pivot = nonzero(diagonal[0] - shift)
    count = (pivot < 0).astype(int)
    for d, e in zip(diagonal[1:], off, strict=True):
        pivot = nonzero(d - shift - e * e / pivot)
        count += pivot < 0
    return count


def bracket(diagonal, off, index):
    """Bounds of the eigenvalue number `index`, close enough to tell it from its neighbours.

    Eigenvalues number 0..index of all rows are at most those of the rows 0..index alone (Cauchy), so the upper bound
    of Gershgorin is taken over these rows.
    """
    radius = np.zeros_like(diagonal)
    radius[1:] += np.abs(off)
    radius[:-1] += np.abs(off)
    leading = np.arange(len(diagonal))[:, None] <= index
    low = np.min(diagonal - radius, axis=0)
    high = np.max(np.where(leading, diagonal + radius, -np.inf), axis=0)
    fractions = np.arange(1, SECTIONS)[:, None] / SECTIONS
    for _ in range(ROUNDS):
        inner = low + (high - low) * fractions
        here = np.sum(
            below(diagonal, off, inner) <= index, axis=0
        )  # cuts that are still below the eigenvalue
        edges = np.concatenate([low[None], inner, high[None]])
        low, high = (np.take_along_axis(edges, here[None] + side, 0)[0] for side in (0, 1))
    return low, high

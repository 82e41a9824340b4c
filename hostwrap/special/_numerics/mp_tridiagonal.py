"""Eigenpairs of symmetric tridiagonal matrices to any precision."""

import functools

import numpy as np


def eigenpair(mp, diagonal, off, index):
    """Eigenvalue number `index` and its vector, 1 where it is largest: inverse iteration from a double."""
    matrix = np.diag(np.array(diagonal, float)) + np.diag(np.array(off, float), -1)
    values, vectors = np.linalg.eigh(matrix)  # which reads the lower half
    value, p = mp.mpf(values[index]), int(np.argmax(np.abs(vectors[:, index])))
    for _ in range(30):
        vector, residual = _null_vector(mp, diagonal, off, value, p)
        step = residual / mp.fsum(v * v for v in vector)
        value += step
        if abs(step) ** 3 < mp.eps * max(abs(value), 1):  # the next step, a cube, is nothing
            return value, _null_vector(mp, diagonal, off, value, p)[0]
    raise ValueError("no eigenvalue")


def _null_vector(mp, diagonal, off, value, p):
    """v with v_p = 1 and (T - value) v = 0 but in row p, where the residual is what is returned with it."""
    before = _ratios(diagonal[:p], off[: p + 1], value)
    after = _ratios(diagonal[:p:-1], off[p:][::-1], value)
    vector = [mp.mpf(1)]
    for ratio in reversed(after):
        vector.append(vector[-1] * ratio)
    for ratio in reversed(before):
        vector.insert(0, vector[0] * ratio)
    residual = diagonal[p] - value
    residual += off[p - 1] * vector[p - 1] if before else 0
    residual += off[p] * vector[p + 1] if after else 0
    return vector, residual


def _ratios(diagonal, off, value):
    """v_r / v_{r+1} for the rows from an end of the matrix on."""
    found = []
    for r, d in enumerate(diagonal):
        found.append(-off[r] / (d - value + (off[r - 1] * found[-1] if r else 0)))
    return found


def remembered(function):
    """A definition's function of mpmath numbers, kept for the precision it was computed at."""

    @functools.lru_cache(maxsize=64)
    def at_precision(mp, precision, *args):
        return function(mp, *args)

    return functools.wraps(function)(lambda mp, *args: at_precision(mp, mp.prec, *args))

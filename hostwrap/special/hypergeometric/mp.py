"""The Gauss function with its cut as in SciPy."""


def gauss_sum(mp, a, b, c, z):
    """2F1(a, b; c; z); conjugated twice, for the cut z > 1 belongs to its upper side here."""
    return mp.conj(mp.hyp2f1(a, b, c, mp.conj(z)))

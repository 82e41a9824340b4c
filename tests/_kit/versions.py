"""Versions that tests ask for, as numbers that can be compared."""

import scipy

SCIPY = tuple(int(n) for n in scipy.__version__.split(".")[:2])

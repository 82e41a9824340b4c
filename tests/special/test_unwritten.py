"""Some of SciPy's functions read memory that they have not written: `exceptions.csv` names all of them.

In processes whose allocator fills memory with different bytes (glibc's MALLOC_PERTURB_; other allocators ignore it).
"""

import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

from tests.reference import ledger
from tests.reference.entries import catalogue, columns, statics
from tests.special.test_catalogue import everywhere, same_bits, unwritten

UFUNCS = [f for f in catalogue().values() if f.public and isinstance(f.host, np.ufunc)]
FILLS = (0, 165, 255)  # the memory is what it was, zeros with two bits, NaN


def given(function):
    return columns(function, everywhere(function, False))


def write(path):
    """Called in the other processes: SciPy's values at the points of test_catalogue.py."""
    found = {}
    for f in UFUNCS:
        with np.errstate(all="ignore"):
            found[f.name] = [np.atleast_2d(f.on_host(*given(f), **chosen)) for chosen in statics(f)]
    path.write_bytes(pickle.dumps(found))


def values(fill, path):
    code = (
        f"import pathlib; from tests.special import test_unwritten as t; t.write(pathlib.Path({str(path)!r}))"
    )
    subprocess.run([sys.executable, "-c", code], env=os.environ | {"MALLOC_PERTURB_": str(fill)}, check=True)
    return pickle.loads(path.read_bytes())


@pytest.mark.rotating
def test_what_depends_on_memory_has_a_row(tmp_path):
    one, *others = [values(fill, tmp_path / str(fill)) for fill in FILLS]
    for function in UFUNCS:
        arrays, numbers = given(function), np.array(one[function.name])
        varies = ~np.all([same_bits(np.array(other[function.name]), numbers) for other in others], axis=0)
        if ledger.bits_vary(function.name):
            varies &= ~unwritten(arrays, numbers)
        varies = varies.any(axis=(0, 1))
        at = [a[varies][:3] for a in arrays]
        assert not varies.any(), f"{function.name} at {at}: SciPy's bits depend on what memory held before"

"""Arithmetic on one number, for which the library needs no loop: the bits are those of NumPy's loops all the same."""

import itertools

import numpy as np
import pytest

from hostwrap._native import library, program
from hostwrap._native.tape import Tape
from tests.native.test_native_bodies import text_of

pytestmark = pytest.mark.native
NUMBERS = [0.0, -0.0, 1.0, -1.5, 0.1, -3.7, np.inf, -np.inf, np.nan]
NUMBERS += [5e-324, -2.3e-310, 2.0**-1022, 1.7e308, 1 + 2.0**-52]
TRUTHS = [False, True]
FUNCTIONS = {
    np.float64: [
        *(np.add, np.subtract, np.multiply, np.divide, np.maximum, np.minimum),
        *(np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal),
        *(np.negative, np.absolute, np.square, np.isnan, np.isfinite, np.isinf),
    ],
    np.bool_: [np.bitwise_and, np.bitwise_or, np.logical_and, np.logical_or, np.invert],
}
CASES = [(f, dtype) for dtype, functions in FUNCTIONS.items() for f in functions]


def same_bits(got, want):
    for g, w in zip(got, want, strict=True):
        assert g.tobytes() == w.tobytes() or (np.isnan(g) and np.isnan(w))


@pytest.mark.parametrize("function, dtype", CASES, ids=[f.__name__ for f, _ in CASES])
def test_one_number(function, dtype):
    tape = Tape([dtype] * function.nin)
    function(*tape.inputs)
    assert library.library().hw_single(tape.steps[0].loop.name.encode())
    recorded = program.register(text_of(function, *[dtype] * function.nin))
    for numbers in itertools.product(NUMBERS if dtype is np.float64 else TRUTHS, repeat=function.nin):
        args = [np.array([x], dtype) for x in numbers]
        with np.errstate(all="ignore"):
            same_bits(recorded.run(args, (1,)), [function(*args)])


def test_one_number_is_chosen():
    recorded = program.register(text_of(np.where, bool, float, float))
    for which, x, y in itertools.product(TRUTHS, NUMBERS, NUMBERS):
        args = np.array([which]), np.array([x]), np.array([y])
        same_bits(recorded.run(args, (1,)), [np.where(*args)])

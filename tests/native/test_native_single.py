"""Arithmetic on one number, for which the library needs no loop: the bits are those of NumPy's loops all the same."""

import itertools

import numpy as np
import pytest

from hostwrap._native import library, program
from hostwrap._native.tape import Tape
from hostwrap.special._numerics.pointwise import piecewise
from hostwrap.special._numerics.quadrature import sums
from tests.native.test_native_bodies import checked, text_of

pytestmark = pytest.mark.native
NUMBERS = [0.0, -0.0, 1.0, -1.5, 0.1, -3.7, np.inf, -np.inf, np.nan]
NUMBERS += [5e-324, -2.3e-310, 2.0**-1022, 1.7e308, 1 + 2.0**-52]
TRUTHS = [False, True]
INTEGERS = [0, 1, -1, 2**53 + 1, -(2**63)]
COMPLEX = [
    complex(x, y) for x, y in [(0.0, -0.0), (-1.5, 0.1), (np.inf, 1.0), (-3.7, np.nan), (1e308, 1e308)]
]
SAMPLES = {np.float64: NUMBERS, np.bool_: TRUTHS, np.int64: INTEGERS, np.complex128: COMPLEX}
astype = lambda dtype: lambda x: x.astype(dtype)
FUNCTIONS = {
    np.float64: [
        *(np.add, np.subtract, np.multiply, np.divide, np.maximum, np.minimum),
        *(np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal),
        *(np.negative, np.absolute, np.square, np.isnan, np.isfinite, np.isinf),
        *(np.reciprocal, np.sqrt, np.sign, np.rint, np.floor),
    ],
    np.bool_: [np.bitwise_and, np.bitwise_or, np.logical_and, np.logical_or, np.invert, np.not_equal],
    np.complex128: [np.add, np.subtract, np.negative],
}
CASES = [(f, [dtype] * f.nin, f.__name__) for dtype, functions in FUNCTIONS.items() for f in functions]
CASES += [
    (np.where, [np.bool_, np.complex128, np.complex128], "where_complex"),
    (np.where, [np.bool_] * 3, "where_truth"),
    (astype(np.float64), [np.bool_], "cast_truth"),
    (astype(np.float64), [np.int64], "cast_integer"),
    (astype(np.complex128), [np.float64], "cast_complex"),
    (np.real, [np.complex128], "real"),
    (np.imag, [np.complex128], "imag"),
]


def same_bits(got, want):
    for g, w in zip(got, want, strict=True):
        assert g.tobytes() == w.tobytes() or (np.isnan(g) and np.isnan(w))


@pytest.mark.parametrize(
    "function, dtypes, name", CASES, ids=[f"{name}-{d[0].__name__}" for _, d, name in CASES]
)
def test_one_number(function, dtypes, name):
    tape = Tape(dtypes)
    function(*tape.inputs)
    assert library.library().hw_single(tape.steps[0].loop.name.encode())
    recorded = program.register(text_of(function, *dtypes))
    for numbers in itertools.product(*(SAMPLES[dtype] for dtype in dtypes)):
        args = [np.array([x], dtype) for x, dtype in zip(numbers, dtypes, strict=True)]
        with np.errstate(all="ignore"):
            same_bits(recorded.run(args, (1,)), [function(*args)])


either = lambda x, y: piecewise([x, y], [(x < y, lambda x, y: (x + y) - y), (None, lambda x, y: x * y)])
CHAINS = {
    "first": lambda x, y: (x + y) - y,
    "second": lambda x, y: y - (x + y),
    "both": lambda x, y: (x * y) * (x * y),
    "truth": lambda x, y: ~((x < y) & (y > 0.1)),
    "chosen": lambda x, y: np.where(x + y > 0.1, x, y),
    "the third": lambda x, y: np.where(x > y, y, x * y),
    "a loop between": lambda x, y: np.maximum(np.exp(np.maximum(x, y)), y) - y,
    "a body between": lambda x, y: either(x, y) - y,
    "complex": lambda x, y: ((x + y).astype(complex) + 1j).imag - y,
}


@pytest.mark.parametrize("name", CHAINS)
def test_a_result_that_is_still_at_hand(name):
    """The next step takes it from a register; so it does where a loop or a body has come between."""
    function = CHAINS[name]
    recorded = program.register(text_of(function, float, float))
    for x, y in itertools.product(NUMBERS, NUMBERS):
        args = np.array([x]), np.array([y])
        with np.errstate(all="ignore"):
            same_bits(recorded.run(args, (1,)), [function(*args)])
            many = [np.repeat(a, 3) for a in args]  # the same for all of them
            same_bits(np.ravel(recorded.run(many, (3,))), np.repeat(function(*args), 3))


def test_one_number_is_chosen():
    recorded = program.register(text_of(np.where, bool, float, float))
    for which, x, y in itertools.product(TRUTHS, NUMBERS, NUMBERS):
        args = np.array([which]), np.array([x]), np.array([y])
        same_bits(recorded.run(args, (1,)), [np.where(*args)])


@pytest.mark.parametrize("dtype", [np.float64, np.complex128, np.bool_, np.int32])
@pytest.mark.parametrize("count", [1, 7, 8, 21])
@pytest.mark.parametrize("which", TRUTHS)
def test_one_truth_chooses_for_many(dtype, count, which):
    """In full, or one number again and again."""
    recorded = program.register(text_of(np.where, bool, dtype, dtype))
    many = np.arange(count).astype(dtype)
    for x, y in [(many, many + dtype(1)), (many[:1], many), (many, many[:1]), (many[:1], many[-1:])]:
        (got,) = recorded.run([np.array([which]), x, y], (count,))
        np.testing.assert_array_equal(got, np.broadcast_to(x if which else y, count))


def test_a_truth_chooses_once_among_the_nodes_of_one_point():
    f = lambda k, p, x: [np.where(p, x * k, 1.0), np.where(~p, x, k)]
    function = lambda x: tuple(sums(f, [np.arange(40.0)], [x > 0, x]))
    for x in NUMBERS:
        checked(function, np.array([x]))

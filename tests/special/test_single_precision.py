"""Over all numbers of float32: the value is SciPy's, and a derivative is that of double precision, rounded once."""

import numpy as np
import pytest

from hostwrap.special._numerics.parts import compose
from tests._kit import days
from tests.reference import laws, ledger, ours, plane, sweep
from tests.reference.entries import catalogue, columns, has_complex, indices, is_integer, label, statics

CASES = [(f, False) for f in catalogue().values() if f.public and not ledger.bits_vary(f.name)]
CASES += [(f, True) for f, _ in CASES if has_complex(f)]
DECADES = (44.0, 30.0, 12.0, 6.0, 3.0)  # of sizes; below 10^-38 float32 has fewer digits
ENDS = [
    0.0,
    -0.0,
    1e-45,
    -1e-45,
    1e-40,
    1.17e-38,
    1.18e-38,
    0.5,
    1 - 2.0**-24,
    1.0,
    2.0,
    2.0**24,
    1e30,
    3.4e38,
]
COUNT = 200
AFFORDABLE = 2.0 if days.EXHAUSTIVE else 0.5  # seconds for one look at all first derivatives
ORDER = 2


def drawn(function, is_complex):
    """Points, each number of which float32 holds; in a quarter of the rows it may be one of the ends."""
    generator = np.random.default_rng(days.today().toordinal())
    if is_complex:
        rows = plane.draws(function, COUNT, generator)
    else:
        rows = sweep.draws(function, COUNT, generator, DECADES)
    real = np.array([not is_integer(function, a) for a in function.args])
    chosen = real & (generator.random(rows.shape) < 0.6) & (np.arange(len(rows)) % 4 == 0)[:, None]
    rows = np.where(chosen, generator.choice(ENDS, rows.shape), rows)
    with np.errstate(over="ignore", under="ignore"):
        rows = rows.astype(np.complex64 if np.iscomplexobj(rows) else np.float32).astype(rows.dtype)
    keep = np.isfinite(rows).all(axis=1)
    if function.name == "chndtrix":  # SciPy's float32 loop does not return at some points with larger nc
        keep &= rows[:, function.args.index("nc")] < 1e10
    return rows[keep]


def same(got, want):
    """Equal, or both NaN; complex numbers in each part."""
    parts = [(got.real, want.real), (got.imag, want.imag)] if np.iscomplexobj(got) else [(got, want)]
    return np.all([(g == w) | np.isnan(g) & np.isnan(w) for g, w in parts], axis=0)


def without_tiny(z):
    parts = (np.where(np.abs(x) < 1.2e-38, 0, x) for x in (z.real, z.imag))
    return compose(*parts)


@pytest.mark.parametrize(
    "function, is_complex", CASES, ids=[f"{f.name}-{'complex64' if c else 'float32'}" for f, c in CASES]
)
@pytest.mark.rotating(turn=days.LONG_TURN)
def test_a_derivative_is_that_of_double_precision_rounded_once(function, is_complex):
    rows, static = drawn(function, is_complex), statics(function)[0]
    rows = laws.affordable(function, is_complex, rows, AFFORDABLE)
    chosen = [index for index in indices(function, is_complex) if sum(index) <= ORDER]
    kinds = ("complex64", "complex128") if is_complex else ("float32", "float64")
    compared(
        function,
        is_complex,
        rows,
        chosen,
        *(ours.derivatives(function, static, k, chosen, rows) for k in kinds),
    )


def compared(function, is_complex, rows, chosen, single, double):
    static = statics(function)[0]
    with np.errstate(all="ignore"):
        if isinstance(function.host, np.ufunc):
            value = function.on_host(*columns(function, rows, np.float32), **static)
            double[0] = np.stack(value if function.outs else [value])
        for index, g, w in zip(chosen, single, double, strict=True):
            if g is None:
                continue
            rounded = w.astype(g.dtype)
            right = same(g, rounded).all(axis=0)
            size = 0.0 if is_complex else laws.rounding(function, static, index, columns(function, rows))
            if np.any(size):  # another program may compute it for float32
                low, high = (w - size).astype(g.dtype), (w + size).astype(g.dtype)
                right |= ((low <= g) & (g <= high)).all(axis=0)
            if is_complex and function.imaginary:  # XLA multiplies by two parts of a tangent: 0 for tiny, and
                lost = infinite(double, chosen, sum(index))  # 0 times inf
                right |= (np.isnan(g) & lost | same(without_tiny(g), without_tiny(rounded))).all(axis=0)
            bad = np.flatnonzero(~right)[:1]
            assert right.all(), (label(function, index, is_complex), rows[bad], g[:, bad], w[:, bad])


def infinite(double, chosen, order):
    """Where a derivative of this order is not finite in single precision."""
    found = [
        y.astype(np.complex64)
        for y, i in zip(double, chosen, strict=True)
        if sum(i) == order and y is not None
    ]
    return np.any([~np.isfinite(y) for y in found], axis=0)

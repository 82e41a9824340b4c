"""What every entry of the catalogue promises. No function is named here: the tests walk over the entries."""

import itertools
import math
import time

import jax
import mpmath
import numpy as np
import pytest

from hostwrap import MissingDerivative, SignatureError
from hostwrap._table.partials import NotThere
from hostwrap.special._entry import integer
from tests._kit.days import EXHAUSTIVE, LONG_TURN, today
from tests.reference import bindings, ledger, oracle, ours, quotients, tables
from tests.reference.entries import (
    catalogue,
    columns,
    has_complex,
    indices,
    is_integer,
    required_statics,
    slots,
    statics,
)
from tests.reference.points import points

ENTRIES = catalogue()
PUBLIC = [f for f in ENTRIES.values() if f.public]
RULES = [(f, a) for f in ENTRIES.values() for a in f.args]
KNOWN = [(f, a) for f, a in RULES if not ours.is_missing(f, a)]
ABSENT = [(f, a) for f, a in RULES if ours.is_missing(f, a)]


def name(value):
    return getattr(value, "name", None) or str(value)


each = pytest.mark.parametrize("function", ENTRIES.values(), ids=name)
public = pytest.mark.parametrize("function", PUBLIC, ids=name)


# ---- the algebra of the rules

ALGEBRA_POINTS = {False: 10, True: 6}
ALGEBRA_FEWEST = (
    3  # are compared, however long they take, and the rest while the test is young: a few days see them all
)
ALGEBRA_YOUNG = float("inf") if EXHAUSTIVE else 3.0  # seconds of processor time, as all here
ALGEBRA_SECONDS = 4.0  # for a point
ALGEBRA = mpmath.mpf("1e-18")


def algebra_errors(function, argument, groups):
    """(point, ours, reference) wherever the rule's formula, at 50 digits, differs from the definition's derivative."""
    found, compared, start = [], 0, time.process_time()
    for group in groups:
        for slot, (i, imaginary) in enumerate(slots(function, group.is_complex)):
            if function.args[i] != argument:
                continue
            rule = bindings.bound((function.imaginary if imaginary else function.rules)[argument])
            number, here = group.indices.index(tuple(int(s == slot) for s in range(len(group.indices[0])))), 0
            for p in _chosen(group, ~np.isnan(group.high[number]).any(0)):
                if here >= ALGEBRA_FEWEST and time.process_time() - start > ALGEBRA_YOUNG:
                    break
                want = [group.exact(number, k, p) for k in range(max(1, len(function.outs)))]
                got = formula(rule, function, group, p)
                here += got is not None
                for g, w in zip(got or [], want, strict=bool(got)):
                    if mpmath.isfinite(w) and abs(g - w) > ALGEBRA * max(abs(w), ALGEBRA):
                        found.append((group.points[p], g, w))
            compared += here
    return found, compared


def _chosen(group, known):
    """Points from one end of the table to the other, beginning with another one every day."""
    rows = np.flatnonzero(known)[:: max(1, len(group.points) // ALGEBRA_POINTS[group.is_complex])]
    return np.roll(rows, today().toordinal() * ALGEBRA_FEWEST)


def formula(rule, function, group, p):
    """The rule at 50 digits; None where a definition has no value or takes too long."""
    args = quotients.arguments(function, group.points[p], group.is_complex)
    result = None
    with mpmath.workdps(50), oracle.time_limit(ALGEBRA_SECONDS):
        try:
            y = bindings.definition(function, *args, **group.statics) if bindings.looks_at_y(rule) else None
            partial = rule(y, *args, **group.statics)
            result = partial if function.outs else (partial,)
        except (*quotients.NO_ANSWER, NotThere):
            pass
    return result


@pytest.mark.rotating(turn=LONG_TURN)
@pytest.mark.parametrize("function, argument", KNOWN, ids=name)
def test_algebra_of_the_rule_at_50_digits(function, argument):
    with mpmath.workdps(50):
        wrong, compared = algebra_errors(function, argument, tables.load(function.name)[1])
    assert compared, "no point to compare at"
    assert not wrong, "\n".join(f"at {p}: the rule gives {g}, the definition {w}" for p, g, w in wrong[:5])


# ---- derivatives that are not there


def lowest(function):
    """Statics with one order of 1 at most: at its highest order a kernel has no derivative in any argument."""
    return {**statics(function)[0], **dict.fromkeys(required_statics(function)[1:], 0)}


@pytest.mark.parametrize("function, argument", ABSENT, ids=name)
@pytest.mark.rotating
def test_a_missing_derivative_says_so_and_only_when_asked_for(function, argument):
    i, chosen = function.args.index(argument), lowest(function)
    args = [a[0].item() for a in columns(function, ordinary(function, 1))]

    def along(k):
        moving = [k] if isinstance(k, int) else k
        one = lambda *xs: function(*ours.placed(args, moving, xs), **chosen)
        return jax.eval_shape(
            lambda *xs: jax.jvp(one, xs, (1.0,) * len(xs)), *[float(args[j]) for j in moving]
        )

    if all(loop[i] in "il" for loop in getattr(function.host, "types", ["d" * len(args)])):
        refused = pytest.raises(
            SignatureError, match=f"{function.name}: SciPy's function does not take {argument}: float64"
        )
    else:
        refused = pytest.raises(MissingDerivative, match=rf"{function.name}: .*`{argument}`")
    with refused:
        along(i)
    others = [j for j, a in enumerate(function.args) if not ours.is_missing(function, a)]
    if others:
        along(others)


# ---- one call to the host


@pytest.mark.rotating(turn=LONG_TURN)
@pytest.mark.parametrize("is_complex", [False, True], ids=["real", "complex"])
@public
def test_value_first_and_second_derivatives_are_one_host_call(function, is_complex):
    if is_complex and not has_complex(function):
        pytest.skip("SciPy has no complex loops")
    arrays = [a[0] for a in columns(function, ordinary(function, 1, is_complex))]
    moving = [i for i, a in enumerate(function.args) if not ours.is_missing(function, a)]
    for chosen in statics(function):
        f = lambda *xs, chosen=chosen: function(*ours.placed(arrays, moving, xs), **chosen)
        at = [arrays[i] for i in moving]
        for derivative in (f, *ours.orders(f, at, 2 if function.public else 1)):
            if ours.traces(derivative, at):
                assert ours.host_calls(derivative, at) == 1


# ---- the value is SciPy's


def everywhere(function, is_complex):
    """The table's points, random ones, others down to 1e-300, and a grid of the corners of floating point."""
    generator = np.random.default_rng(7)
    corners = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -2.5, 1e-310, 1e-200, -1e-20, 30.0, -700.0, 1e3, 1e10, 1e300]
    corners += [math.inf, -math.inf, math.nan]
    per_argument = []
    for a in function.args:
        if is_integer(function, a):
            per_argument.append([-2, -1, 0, 1, 2, 5, 30])
        elif is_complex and function.boxes[a].im:
            per_argument.append(
                [x + 1j * y for x in corners[::2] for y in (0.0, 1e-30, -3.0)] + [math.nan + 1j]
            )
        else:
            per_argument.append(corners)
    grid = np.array(list(itertools.product(*per_argument)))
    grid = grid[generator.permutation(len(grid))[:400]]
    rows = points(function, is_complex)
    random = rows[generator.integers(len(rows), size=500)] * generator.uniform(
        0.5, 1.5, (500, len(function.args))
    )
    small = np.stack([decades(generator, function.boxes[a]) for a in function.args], axis=1)
    return np.concatenate([rows, np.where(np.isin(np.arange(500), [0]), 0, 1)[:, None] * random, small, grid])


def decades(generator, box, count=150):
    """Numbers of the box of any size, in both signs; of one of integers any of them."""
    if isinstance(box, integer):
        return generator.integers(box.low, box.high + 1, count).astype(float)
    sizes = 10.0 ** generator.uniform(-300, np.log10(max(abs(box.low), abs(box.high))), count)
    return sizes * (generator.choice([1.0, -1.0], count) if box.low < 0 else 1.0)


def same_bits(got, want):
    """Equal in every bit, except that all NaNs are one. (Where SciPy answers in double, its number rounded.)"""
    with np.errstate(all="ignore"):
        got, want = np.asarray(got), np.asarray(want, got.dtype)
    assert got.shape == want.shape
    parts = [(got.real, want.real), (got.imag, want.imag)] if np.iscomplexobj(got) else [(got, want)]
    return np.all(
        [(g == w) & (np.signbit(g) == np.signbit(w)) | np.isnan(g) & np.isnan(w) for g, w in parts], axis=0
    )


LOOPS = {"d": (False, np.float64), "D": (True, np.float64), "f": (False, np.float32), "F": (True, np.float32)}


@pytest.mark.parametrize("loop", ["d", "D", "f", "F"])
@public
@pytest.mark.rotating
def test_the_jitted_value_is_scipys_bit_for_bit(function, loop):
    is_complex, real = LOOPS[loop]
    if is_complex and not has_complex(function):
        pytest.skip("SciPy has no complex loops")
    if real == np.float32 and not isinstance(function.host, np.ufunc):
        pytest.skip("no ufunc: there are no loops for single precision")
    with np.errstate(over="ignore"):
        arrays = columns(function, everywhere(function, is_complex), real)
    the_value_is_scipys(function, arrays)


def the_value_is_scipys(function, arrays):
    for chosen in statics(function):
        with np.errstate(all="ignore"):
            want = function.on_host(*arrays, **chosen)
        got = jax.jit(lambda *xs, chosen=chosen: function(*xs, **chosen))(*arrays)
        for g, w in zip(_outputs(function, got), want if function.outs else [want], strict=True):
            same = same_bits(g, w)
            same |= ledger.bits_vary(function.name) & unwritten(arrays, w)
            assert same.all(), f"at {[a[~same][0] for a in arrays]}: {g[~same][0]}, SciPy {w[~same][0]}"


@pytest.mark.rotating
@pytest.mark.parametrize(
    "function", [f for f in ENTRIES.values() if not isinstance(f.host, np.ufunc)], ids=name
)
def test_a_point_alone_gives_what_it_gives_among_others(function):
    """A kernel that stops when all of its points have converged may stop too early, or go on too long."""
    for group in tables.load(function.name)[1]:
        arrays = columns(function, group.points[:: max(1, len(group.points) // 8)])
        together = function.on_host(*arrays, **group.statics)
        for k in range(len(arrays[0])):
            alone = function.on_host(*[a[k] for a in arrays], **group.statics)
            for a, t in zip(_outputs(function, alone), _outputs(function, together), strict=True):
                np.testing.assert_allclose(a, t[k], rtol=1e-12, err_msg=str([a[k] for a in arrays]))


def unwritten(arrays, values):
    """Where spheroidal functions of SciPy may read unwritten memory: an argument next to zero or far out, no size."""
    edges = [~((np.abs(a) > 1e-15) & (np.abs(a) < 500)) for a in arrays if a.dtype.kind == "f"]
    return np.any(edges, axis=0) | (np.abs(values) < 1e-300)


INTEGERS = [-2, -1, 0, 1, 2, 3, 5, 30]
LOOPED = [f for f in PUBLIC if any(f.integral) and isinstance(f.host, np.ufunc)]


@pytest.mark.parametrize("function", LOOPED, ids=name)
@pytest.mark.rotating
def test_the_loops_for_integers_are_scipys_too(function):
    arrays = columns(function, everywhere(function, False))
    ints = [
        np.resize(INTEGERS, len(a)) if keeps else a
        for a, keeps in zip(arrays, function.integral, strict=True)
    ]
    the_value_is_scipys(function, ints)


# ---- NaN


@pytest.mark.rotating(turn=LONG_TURN)
@public
def test_nan_goes_in_and_comes_out(function):
    chosen, rows = statics(function)[0], []
    for column, a in enumerate(function.args):
        if not is_integer(function, a):
            rows.append(points(function, False)[-1])
            rows[-1][column] = np.nan
    for results in ours.derivatives(function, chosen, "float64", indices(function, False), np.array(rows)):
        with np.errstate(all="ignore"):
            value = function.on_host(*columns(function, np.array(rows)), **chosen)
        gone = np.isnan(np.stack(value) if function.outs else np.asarray(value)[None])
        assert results is None or np.array_equal(np.isnan(results), gone)


# ---- shapes and dtypes


def ordinary(function, count, is_complex=False):
    """Points at which the value and all derivatives are neither zero nor infinite, in single precision either."""
    groups = [g for g in tables.load(function.name)[1] if g.is_complex == is_complex]
    if not groups:
        return points(function, is_complex)[-count:]
    absent = [i for i, a in enumerate(function.args) if ours.is_missing(function, a)]
    there = [k for k, index in enumerate(groups[0].indices) if not any(index[i] for i in absent)]
    size = np.abs(groups[0].high[there])
    plain = ((size > 1e-30) & (size < 1e30)).all(axis=(0, 1))
    rows = groups[0].points
    return (rows[plain] if plain.sum() >= count else rows)[-count:]


@pytest.mark.rotating
@public
def test_scalars_and_integers_and_nothing_at_all(function):
    chosen = statics(function)[0]
    arrays = columns(function, ordinary(function, 1))
    scalars = [a[0].item() for a in arrays]
    results = function(*scalars, **chosen)
    for y, z in zip(
        _outputs(function, results), _outputs(function, function(*arrays, **chosen)), strict=True
    ):
        assert y.shape == () and y.dtype == z.dtype and np.array_equal(y, z[0], equal_nan=True)
    empty = _outputs(function, jax.jit(lambda *xs: function(*xs, **chosen))(*[a[:0] for a in arrays]))
    assert all(y.shape == (0,) for y in empty)
    ones = [1] * len(function.args)
    floats = [1 if is_integer(function, a) else 1.0 for a in function.args]
    for y, z in zip(
        _outputs(function, function(*ones, **chosen)),
        _outputs(function, function(*floats, **chosen)),
        strict=True,
    ):
        assert y.dtype == z.dtype and np.array_equal(y, z, equal_nan=True)


@pytest.mark.rotating(turn=LONG_TURN)
@public
def test_single_precision_is_double_precision_rounded_once(function):
    """But a ufunc's value, which is SciPy's in single precision, also beside its derivatives."""
    rows = points(function, False)
    with np.errstate(over="ignore"):
        rows = rows[np.all(rows.astype(np.float32) == rows, axis=1)]
    order = indices(function, False)
    for chosen in statics(function):
        single = ours.derivatives(function, chosen, "float32", order, rows)
        double = ours.derivatives(function, chosen, "float64", order, rows)
        for index, g, w in zip(order, single, double, strict=True):
            if index == order[0] and isinstance(function.host, np.ufunc):
                with np.errstate(all="ignore"):
                    w = function.on_host(*columns(function, rows, np.float32))
                    w = (np.stack(w) if function.outs else w[None]).astype(g.dtype)
                np.testing.assert_array_equal(g, w)
            elif g is not None:
                with np.errstate(over="ignore", under="ignore"):
                    w = w.astype(np.complex64 if np.iscomplexobj(w) else np.float32)
                assert g.dtype == w.dtype
                np.testing.assert_array_equal(g, w, err_msg=f"derivative {index}")


def _outputs(function, result):
    return tuple(result) if function.outs else (result,)

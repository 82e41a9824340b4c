"""Functions of NumPy with the options that people give them, traced and recorded, beside differences."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided, sliding_window_view

import hostwrap as hw
from hostwrap._copies.retarget import Untraceable
from hostwrap._tracing.functions import follow
from hostwrap._tracing.standin import Stand
from hostwrap._tracing.tape import recordable, run, second
from hostwrap._tracing.traces import tracing
from hostwrap._tracing.values import raw

X = np.array([0.7, 1.9, 0.4, 2.3, 1.2, 3.1])
M = np.random.default_rng(1).normal(size=(3, 3))
MASK = np.array([True, False, True, True, False, True])
HALVES = np.vectorize(lambda a, b: a @ b, signature="(n),(n)->()")


def matrix(x):
    return M + np.outer(x[:3], x[3:])


def written(ufunc, y, *more):
    ufunc.at(y, [0, 1, 0], *more)
    return y


def part_of_copy(x):
    a = M.copy()
    a[0] = x[:3]
    b = M + 1
    b[:, 1] = x[3:]
    return M.dot(a @ b)


def through_views(x):
    a = matrix(x)
    diagonal, turned = np.einsum("ii->i", a), np.einsum("ij->ji", a)
    seen = np.diagonal(a)
    diagonal *= 3.0
    turned[0] = a[:, 1] * 2
    np.swapaxes(a, 0, 1)[2] += 1.5 * a[:, 0]
    np.flip(a, 0)[0] *= 2
    np.rot90(a)[1] -= seen
    np.reshape(a, -1)[2] *= 5
    np.ravel(a)[4] += x[0]
    np.expand_dims(np.moveaxis(a, 0, 1), 0)[0, 1, 0] = x[5]
    return a + seen.sum()


def through_parts(x):
    y = x * 1.0
    a, b = np.split(y, 2)
    a += b
    b[:] = np.sin(a)
    for k, part in enumerate(np.array_split(y, 4)):
        part *= k
    m = np.zeros((2, 6))
    left, right = np.hsplit(m, 2)
    left[:] = y[:3]
    right -= 2 * left
    np.vsplit(m, 2)[1][0, 4] = x[1]
    return m


def windows_after_writing(x):
    y = x.copy()
    pairs, triples = sliding_window_view(y, 2), as_strided(y, (2, 3), (24, 8))
    y[2] = y[0] * y[1]
    triples[:, 0] *= 2
    return pairs.prod(axis=1)[:4] * as_strided(y, (4, 3), (8, 8)).sum(1)


def parts_of_complex(x):
    z, w = x[:3] + 1j * x[3:], np.zeros(3, complex)
    halves = z.real
    z[0] *= 1j
    z.imag += 0.3
    z.real[1] = x[5] * x[0]
    np.imag(z)[2] *= 2
    w.real, w.imag[1:] = x[:3], x[4:] ** 2
    return halves * np.abs(z * w) + w.imag


def iterated(x):
    a = x.copy()
    with np.nditer(a, op_flags=["readwrite"]) as elements:
        for e in elements:
            e[...] = 2 * e * e + 1
    pairs = np.nditer([x[:, None], a[None, :2], None], flags=["multi_index"])
    for one, other, product in pairs:
        product[...] = one * other * pairs.multi_index[1]
    steps = np.nditer(x, flags=["multi_index"])
    while not steps.finished:
        a = a + steps[0] * steps.multi_index[0]
        steps.iternext()
    return a * pairs.operands[2][:, 1]


def by_pyfunc(x):
    f = np.frompyfunc(lambda a, b: a + b * b, 2, 1)
    total = f.accumulate(x).astype(float) + f.reduce(x) + f.outer(x, x[:2]).astype(float)[:, 1] * f.nin
    return total + f(x, 2.0).astype(float)


def zeroed(row, width, axis, options):
    row[: width[0]] = row[width[0]] ** 2


BOTH = {
    **{
        f.__name__: f
        for f in (through_views, through_parts, windows_after_writing, parts_of_complex, iterated)
    },
    "by_pyfunc": by_pyfunc,
    "reduceat": lambda x: np.add.reduceat(x, [0, 2, 1]),
    "reduceat, a product": lambda x: np.multiply.reduceat(matrix(x), [0, 2], axis=1),
    "accumulate": lambda x: np.maximum.accumulate(x) + np.logaddexp.accumulate(x),
    "reduce": lambda x: np.logaddexp.reduce(matrix(x), axis=1, keepdims=True) + np.subtract.reduce(x),
    "reduce, where": lambda x: np.logaddexp.reduce(x, where=MASK, initial=0.3),
    "a product, where": lambda x: np.prod(x, where=MASK, initial=3.0) + np.multiply.reduce(x, initial=2.0),
    "an extreme, where": lambda x: np.max(x, where=~MASK, initial=-1) * x,
    "a spread, where": lambda x: np.std(x, where=MASK) + np.var(x, mean=np.mean(x, keepdims=True)),
    "at, a division": lambda x: written(np.divide, x.copy(), x[3:]),
    "at, of one operand": lambda x: written(np.negative, x * x),
    "outer": lambda x: np.subtract.outer(matrix(x), x[:2], dtype=float),
    "axes of matmul": lambda x: np.matmul(matrix(x), matrix(x) ** 2, axes=[(1, 0), (0, 1), (1, 0)]),
    "an axis of vecdot": lambda x: np.vecdot(matrix(x), matrix(x) ** 2, axis=0, keepdims=True),
    "matvec": lambda x: np.matvec(matrix(x), x[:3]) + np.vecmat(x[:3], matrix(x)),
    "correlate, the second longer": lambda x: np.correlate(x[:2], x, "same"),
    "correlate": lambda x: np.correlate(x, x[:4], "same") + np.convolve(x[:2], x, "same"),
    "vectorize, a signature": lambda x: HALVES(matrix(x), x[:3]),
    "vectorize, excluded": lambda x: np.vectorize(np.polyval, excluded=["p"])(p=x[:3], x=x),
    "vectorize, excluded by place": lambda x: np.vectorize(np.polyval, excluded={0})(x[:3], x),
    "vectorize, several": lambda x: np.vectorize(lambda a: (a.sum(), a * 2), signature="(n)->(),(n)")(
        matrix(x)
    )[1],
    "fromiter": lambda x: np.fromiter((v * v for v in x), float, count=4),
    "ndenumerate": lambda x: sum(v * v * (i[0] + 1) for i, v in np.ndenumerate(x)),
    "a period": lambda x: (
        np.interp(x, np.arange(6), np.arange(6) ** 2, period=2.53) + np.interp([-1, 9.3], x, x, period=6.5)[0]
    ),
    "einsum of lists": lambda x: np.einsum(matrix(x), [0, 1], x[:3], [1]),
    "einsum, axes of length 1": lambda x: (
        np.einsum("ij,ij->ij", x[:3, None], matrix(x))
        + np.einsum("...ij,...jk->...ik", matrix(x)[None], np.stack([matrix(x)] * 2))[1]
    ),
    "cross": lambda x: np.cross(x[:3], x[3:]),
    "median": lambda x: np.median(matrix(x), axis=0, keepdims=True) + np.nanmedian(x),
    **{
        f"pad, {mode}": lambda x, mode=mode: np.pad(matrix(x), (1, 2), mode=mode)
        for mode in ("linear_ramp", "maximum", "mean", "median")
    },
    "an array from outside": part_of_copy,
}
RECORDED = {
    "at, a product": lambda x: written(np.multiply, x.copy(), x[3:]),
    "unique": lambda x: np.unique(np.append(x, x[0]), return_index=True, return_counts=True)[0] * x,
    "unique, which they are": lambda x: np.take(*np.unique(np.append(x, x[0]), return_inverse=True)),
    "unique rows": lambda x: np.unique(x.reshape(3, 2), axis=0),
    "arange": lambda x: np.arange(x[0], 4, x[2]) * np.arange(x[1])[1],
    "pad, a function": lambda x: np.pad(x, 2, mode=zeroed),
    "products of poly1d": lambda x: (np.poly1d(x[:3]) * np.poly1d(x[3:]) + np.poly1d(x) ** 2).coeffs,
    "quotients of poly1d": lambda x: (np.poly1d(x) / np.poly1d(x[3:]))[0].coeffs,
    **{
        f"quantile, {method}": lambda x, method=method: np.quantile(x, [0.21, 0.63], method=method)
        + np.percentile(matrix(x), 33.0, axis=1, method=method)[:2]
        for method in (
            "inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf", "hazen",
            "weibull", "linear", "median_unbiased", "normal_unbiased", "lower", "higher", "midpoint", "nearest",
        )
    },
    "quantile, weights": lambda x: np.quantile(x, 0.4, method="inverted_cdf", weights=[1, 2, 1, 3, 1, 1]) * x,
}  # fmt: skip


def slopes(f):
    """By four points, a column for each argument."""
    h = 1e-3
    at = lambda k, e: np.ravel(f(X + k * h * e))
    rows = [(8 * (at(1, e) - at(-1, e)) - at(2, e) + at(-2, e)) / (12 * h) for e in np.eye(6)]
    return np.stack(rows, -1)


def close(found, f, tolerance=1e-7):
    expected = slopes(f)
    np.testing.assert_allclose(
        np.reshape(found, expected.shape), expected, rtol=tolerance, atol=tolerance * np.max(abs(expected))
    )


@pytest.mark.parametrize("use", BOTH | RECORDED)
def test_recorded(use):
    f = (BOTH | RECORDED)[use]
    recorded = run(f, [X.copy()], [True])
    (value,) = recorded.value
    np.testing.assert_array_equal(value, f(X.copy()))
    close(np.stack([recorded.jvp([e])[0] for e in np.eye(6)], -1), f)
    units = np.eye(np.size(value)).reshape(-1, *np.shape(value))
    close([recorded.vjp([unit if np.ndim(unit) else unit[()]])[0] for unit in units], f)


@pytest.mark.parametrize("use", BOTH)
@pytest.mark.rotating
def test_traced(use):
    f = BOTH[use]

    def program(x):
        with tracing():
            return jnp.asarray(raw(follow(f)(Stand(x))))

    value, tangents = jax.vmap(lambda e: jax.jvp(program, (X,), (e,)), out_axes=(None, -1))(np.eye(6))
    np.testing.assert_allclose(value, f(X.copy()), rtol=1e-12)
    close(tangents, f)


def test_an_array_from_outside_may_be_written_to_with_numbers_only():
    kept = np.zeros(6)

    def f(x):
        kept[1] = 2.0
        return kept * x

    assert run(f, [X], [True]).jvp([np.ones(6)])[0].tolist() == [0, 2, 0, 0, 0, 0]
    with pytest.raises(Untraceable, match="an array from outside of the function"):
        run(lambda x: kept.__setitem__(0, x[0]), [X], [True])
    assert kept.tolist() == [0, 2, 0, 0, 0, 0]


GRIDS = np.arange(6.0), np.ones(6)
SHIFT = functools.partial(np.add, GRIDS[1])


def of_defaults(x, grids=GRIDS, shift=SHIFT):
    return np.sum(shift(grids[0]) * x)


def test_a_constant_is_on_the_tape_of_its_run():
    """Also one that a function has by default, and that a second derivative has met before."""
    second(recordable(of_defaults), [X], [True], [np.ones(6)], [1.0])
    assert run(of_defaults, [X], [True]).jvp([np.ones(6)])[0] == np.sum(GRIDS[0] + GRIDS[1])


def test_a_function_in_a_rule_records_on_the_tape_of_its_arguments():
    """The value of the median is on the outer tape, and so is what NumPy's own code makes on its way to it."""
    f = lambda x: np.median(x) ** 2
    _, (along,) = second(recordable(f), [X], [True], [np.ones(6)], [1.0])
    np.testing.assert_allclose(along, (X == 1.2) + (X == 1.9) + 0.0)


@pytest.mark.parametrize("f", [lambda s: s.size, lambda s: s.shape[0], lambda s: np.zeros(s.shape)])
def test_how_many_a_mask_selects_is_not_known_in_a_trace(f):
    with tracing(), pytest.raises(Untraceable, match="the length of a selection"):
        jax.eval_shape(lambda x: raw(follow(lambda y: f(y[y > 1]) * y)(Stand(x))), X)
    recorded = run(lambda x: x[x > 1].sum() / x[x > 1].size, [X], [True])
    np.testing.assert_allclose(recorded.jvp([np.ones(6)])[0], 1.0)


def test_code_that_wants_a_number_gets_one():
    """An argument without axes comes as an array, and as a number to what refuses that."""

    @functools.cache
    def kept(x):
        return x * x

    def scalar(x, y):
        if not isinstance(y, float):
            raise TypeError("y must be a number")
        return np.sin(x) * y

    for f, point in ((lambda x, y: kept(x) + y, (0.7, 0.4)), (scalar, (0.7, 0.4))):
        for wrapped in (hw.wrap(f), hw.wrap(out=jax.ShapeDtypeStruct((), float))(f)):
            assert float(jax.jit(wrapped)(*point)) == f(*point)
    np.testing.assert_allclose(jax.grad(hw.wrap(scalar), (0, 1))(0.7, 0.4), (0.4 * np.cos(0.7), np.sin(0.7)))


late = None


def imports_late(x):
    global late
    if late is None:
        from scipy.special import gammaln as late
    return late(x) * x


def test_a_global_that_is_imported_when_it_is_needed():
    np.testing.assert_allclose(jax.grad(hw.wrap(imports_late))(2.5), 2.0425744720860273)


MASKED = np.ma.masked_less(np.array([1.0, -2.0, 3.0]), 0)


@pytest.mark.parametrize(
    "f", [lambda x: np.ma.masked_less(x, 0).sum(), lambda x: np.ma.array(x, mask=x > 1).mean()]
)
def test_masked_arrays_are_refused_by_name(f):
    with pytest.raises(
        hw.MissingDerivative, match=r"masked arrays are not followed.*masked arrays are not recorded"
    ):
        jax.grad(hw.wrap(out=jax.ShapeDtypeStruct((), float))(f))(X)


@pytest.mark.parametrize("branch", [False, True])
def test_masked_arrays_may_be_constants(branch):
    f = lambda x: MASKED.sum() * np.ma.median(MASKED) * (x if not branch or x > 0 else 0)
    np.testing.assert_allclose(jax.grad(hw.wrap(f))(0.7), 8.0)


@pytest.mark.parametrize("branch", [False, True])
def test_a_question_for_a_mask_is_answered(branch):
    f = lambda x: x if np.ma.isMaskedArray(x) or np.ma.is_masked(x) else x * x if not branch or x > 0 else 0
    np.testing.assert_allclose(jax.grad(hw.wrap(f))(0.7), 1.4)


@pytest.mark.skipif(hasattr(np.ndarray, "ptp"), reason="a method before NumPy 2")
@pytest.mark.parametrize("branch", [False, True])
def test_stand_ins_have_no_attribute_that_arrays_lack(branch):
    """jax.numpy's arrays have more than NumPy's."""

    @hw.wrap("(n)->()")
    def width(x):
        found = x.ptp() if hasattr(x, "ptp") else x.max() ** 2
        return found if not branch or x[0] > 0 else x[0]

    np.testing.assert_array_equal(jax.grad(width)(np.array([1.0, 3.0, 2.0])), [0.0, 6.0, 0.0])

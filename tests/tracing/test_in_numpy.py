"""What compiled functions of SciPy compute, in NumPy: beside SciPy's own, and in the user's code."""

import cmath
import itertools
import math
import statistics

import jax
import numpy as np
import pytest
import scipy.interpolate as ip
import scipy.linalg
import scipy.ndimage
import scipy.signal
import scipy.sparse
import scipy.stats
from scipy.interpolate import _dierckx, _interpnd, _ppoly, _rgi_cython
from scipy.interpolate import _rbfinterp_pythran as pythran

import hostwrap as hw
from hostwrap._tracing.compiled import (
    densities,
    filters,
    formats,
    grids,
    in_numpy,
    neighbours,
    python,
    sparse,
    splines,
)
from hostwrap._tracing.tape import run
from tests._kit.versions import SCIPY

try:
    from scipy.interpolate import _dfitpack as fitpack
except ImportError:  # SciPy 1.18 has FITPACK in C
    from scipy.interpolate import _fitpack as fitpack
rng = np.random.default_rng(0)
KNOTS = np.array([0, 0, 0, 0, 1, 2, 2, 3.5, 5, 5, 5, 5])
PLACES = np.array([-1, 0, 0.5, 2, 2.6, 5, 6])


def same(a, b, rtol=1e-11):
    for x, y in zip(a, b, strict=True) if isinstance(a, tuple) else [(a, b)]:
        np.testing.assert_allclose(x, y, rtol=rtol, atol=1e-12)


@pytest.mark.parametrize("breaks", [[0, 1, 2.5, 4.0], [4, 2.5, 1, 0.0]])
@pytest.mark.parametrize("extrapolate", [True, False])
def test_piecewise_polynomials(breaks, extrapolate):
    breaks, c = np.array(breaks), rng.standard_normal((4, 3, 2))
    x = np.append(PLACES, [np.nan, 1.0])
    for order in range(6):
        theirs, ours = np.empty((2, len(x), 2))
        _ppoly.evaluate(c, breaks, x, order, extrapolate, theirs)
        splines.evaluate_pieces(c, breaks, x, order, extrapolate, ours)
        same(theirs, ours)
    for a, b in ((0.3, 2.7), (-1.0, 5.0), (0.0, 4.0), (1.2, 1.3)):
        theirs, ours = np.empty((2, 2))
        _ppoly.integrate(c, breaks, a, b, extrapolate, out=theirs)
        splines.integrate_pieces(c, breaks, a, b, extrapolate, out=ours)
        same(theirs, ours)


def evaluated(function, given, shape):
    """SciPy before 1.16 writes to an array that it gets."""
    out = np.empty(shape)
    try:
        return function(*given)
    except TypeError:
        function(*given, out)
        return out


def test_splines():
    c, x = rng.standard_normal((8, 3)), np.append(PLACES, np.nan)
    for order in range(5):
        for extrapolate in (True, False):
            given = (KNOTS, c, 3, x, order, extrapolate)
            want = evaluated(_dierckx.evaluate_spline, given, (len(x), 3))
            same(want, splines.evaluate_spline(*given))
    for ext in (0, 1, 3):
        given = (KNOTS, c[:, 0], 3, PLACES)
        same(fitpack.splev(*given, ext), in_numpy(fitpack.splev)(*given, ext))
        for order in range(4):
            order_first = (
                (*given[:3], order, PLACES) if fitpack.__name__.endswith("._fitpack") else (*given, order)
            )
            same(fitpack.splder(*order_first, ext), in_numpy(fitpack.splder)(*order_first, ext))
    assert splines.splev(*given, 2)[1] == fitpack.splev(*given, 2)[1] == 1
    for a, b in ((0.3, 2.7), (-1.0, 5.0), (0.0, 6.0), (3.0, 1.0)):
        theirs, ours = (f(KNOTS, c[:, 0], 3, a, b) for f in (fitpack.splint, in_numpy(fitpack.splint)))
        same(*(x[0] if isinstance(x, tuple) else x for x in (theirs, ours)))


def test_splines_of_two_variables():
    knots, c = np.array([0, 0, 0, 1, 2, 2, 2.0]), rng.standard_normal(8 * 4)
    y = np.array([-1, 0, 0.3, 1, 1.5, 2, 3.0])
    for orders in ((0, 0), (1, 0), (2, 1)):
        given = (KNOTS, knots, c, 3, 2, *orders, PLACES, y)
        same(fitpack.pardeu(*given), splines.pardeu(*given))
        same(fitpack.parder(*given), splines.parder(*given))
    given = (KNOTS, knots, c, 3, 2, PLACES, y)
    same(fitpack.bispeu(*given), splines.bispeu(*given))
    same(fitpack.bispev(*given), splines.bispev(*given))


def test_grids():
    for points in ((np.arange(3.0), np.arange(3.0)), [[1.0, 2], [3, 4]], [1.0, 2.0], (1.0, 2.0)):
        same(_interpnd._ndim_coords_from_arrays(points, 2), grids.coordinates(points, 2))
    axes = np.array([0, 1, 3.0]), np.array([0, 0.5, 2, 4])
    x = np.array([[-1, 0, 0.3, 1, 3, 5], [0, 0.5, 3, 4, 5, -2.0]])
    found, values = _rgi_cython.find_indices(axes, x), rng.standard_normal((3, 4))
    same(found, grids.find_indices(axes, x))
    given = (values, *found, axes)
    same(_rgi_cython.evaluate_linear_2d(*given, np.empty(6)), grids.evaluate_linear_2d(*given, np.empty(6)))


@pytest.mark.parametrize("kernel", grids._RADIAL)
def test_radial_functions(kernel):
    y = rng.standard_normal((7, 2))
    x, powers = np.concatenate([y[:2], y[:3] + 1]), np.array([[0, 0], [1, 0], [0, 1], [1, 1]])
    given = (x, y, kernel, 1.3, powers, np.array([0.1, 0.2]), np.array([1.0, 2]))
    same(pythran._build_evaluation_coefficients(*given), grids.evaluation_coefficients(*given))
    given = (y, y[:, :1] * 2, np.full(7, 0.1), kernel, 1.3, powers)
    same(tuple(pythran._build_system(*given)), grids.system(*given))


@pytest.mark.parametrize("name", ["gaussian_kernel_estimate", "gaussian_kernel_estimate_log"])
def test_kernel_densities(name):
    y, x = rng.standard_normal((7, 2)), rng.standard_normal((4, 2))
    factor = np.linalg.cholesky(np.array([[1, 0.3], [0.3, 0.8]]))
    given = (y, np.full((7, 1), 1 / 7), x, factor, np.dtype(float))
    same(getattr(scipy.stats._stats, name)["double"](*given), getattr(densities, name)(*given))


def test_sparse_matrices():
    tools = scipy.sparse._sparsetools
    csr = scipy.sparse.random(5, 6, 0.4, random_state=1, format="csr")
    csc, coo = csr.tocsc(), csr.tocoo()
    dia = scipy.sparse.dia_array((rng.standard_normal((4, 5)), [-2, 0, 1, 5]), shape=(5, 6))
    x, many, y = rng.standard_normal(6), rng.standard_normal(18), rng.standard_normal(5)
    of_csr, of_csc = (csr.indptr, csr.indices, csr.data), (csc.indptr, csc.indices, csc.data)
    of_coo = coo.nnz, coo.row, coo.col, coo.data
    mixed = coo.nnz, *(v[::-1].copy() for v in of_coo[1:])
    new = lambda n: [np.zeros(n, np.int32), np.zeros(coo.nnz, np.int32), np.zeros(coo.nnz)]
    for name, given, results in (
        ("csr_matvec", (5, 6, *of_csr, x), [y]),
        ("csc_matvec", (5, 6, *of_csc, x), [y]),
        ("coo_matvec", (*of_coo, x), [y]),
        ("csr_matvecs", (5, 6, 3, *of_csr, many), [np.ones(15)]),
        ("csc_matvecs", (5, 6, 3, *of_csc, many), [np.ones(15)]),
        ("dia_matvec", (5, 6, 4, 5, dia.offsets, dia.data, x), [y]),
        ("csr_todense", (5, 6, *of_csr), [np.zeros((5, 6))]),
        ("coo_tocsr", (5, 6, *mixed), new(6)),
        ("csr_tocsc", (5, 6, *of_csr), new(7)),
    ):
        theirs, ours = ([r.copy() for r in results] for _ in range(2))
        getattr(tools, name)(*given, *theirs)
        getattr(sparse, name)(*given, *ours)
        same(tuple(theirs), tuple(ours))
        assert in_numpy(getattr(tools, name)) is getattr(sparse, name)


def test_sparse_matrices_made_of_others():
    tools = scipy.sparse._sparsetools
    a, b = (scipy.sparse.random(6, 6, 0.4, random_state=k, format="csr") for k in (1, 2))
    of_a, of_b, ints = (a.indptr, a.indices, a.data), (b.indptr, b.indices, b.data), np.int32
    new = lambda m, n: [np.zeros(m + 1, ints), np.zeros(n, ints), np.zeros(n)]
    many, rows = a.nnz + b.nnz, np.array([3, 0, 3, 5], ints)
    entries = int(np.diff(a.indptr)[rows].sum())
    twice = (
        np.concatenate([a.indptr, b.indptr]),
        *(np.concatenate(v) for v in zip(of_a[1:], of_b[1:], strict=True)),
    )
    halves = scipy.sparse.bsr_array(a, blocksize=(2, 3)), scipy.sparse.bsr_array(b, blocksize=(3, 2))
    of_blocks, others = ((x.indptr, x.indices, x.data.ravel()) for x in halves)
    doubled = [a.indptr * 2, np.repeat(a.indices, 2)[::-1].copy(), rng.standard_normal(2 * a.nnz)]
    doubled[1] = np.concatenate([np.tile(a.indices[i:j], 2) for i, j in itertools.pairwise(a.indptr)])
    dia = scipy.sparse.dia_array((1 + rng.uniform(size=(4, 5)), [-2, 0, 1, 5]), shape=(6, 6))
    order = np.argsort(dia.offsets).astype(ints)
    ends = np.array([0, 0, 2, 2, 2, 3], ints)
    picked = int(np.isin(a.indices, [2]).sum() * 2 + np.isin(a.indices, [5]).sum())
    inner, of_columns = (
        tools.csr_matmat_maxnnz(6, 6, *m[:2], *n[:2]) for m, n in ((of_a, of_b), (of_b, of_a))
    )
    blocks = tools.csr_matmat_maxnnz(3, 3, *of_blocks[:2], *others[:2])
    counts = tools.csr_count_blocks(6, 6, 2, 3, *of_a[:2])
    x = rng.standard_normal(18)
    by_columns = [
        *((f"csc_{n}_csc", (6, 6, *of_a, *of_b), new(6, many)) for n in ("plus", "minus", "elmul", "maximum")),
        ("csc_matmat", (6, 6, *of_a, *of_b), new(6, of_columns)),
        ("csc_diagonal", (1, 6, 6, *of_a), [np.ones(5)]),
        ("csc_tocsr", (6, 6, *of_a), new(6, a.nnz)),
    ] if SCIPY < (1, 16) else []  # fmt: skip
    for name, given, results in (
        *((f"csr_{n}_csr", (6, 6, *of_a, *of_b), new(6, many)) for n in ("plus", "minus", "elmul", "maximum")),
        ("csr_matmat", (6, 6, *of_a, *of_b), new(6, inner)),
        ("csr_row_index", (4, rows, *of_a), new(0, entries)[1:]),
        ("csr_row_slice", (4, -1, -2, *of_a), new(0, int(np.diff(a.indptr)[4::-2].sum()))[1:]),
        ("csr_column_index2", (np.arange(3, dtype=ints), ends, a.nnz, *of_a[1:]), new(0, picked)[1:]),
        ("csr_sample_values", (6, 6, *of_a, 6, a.tocoo().row[:6], a.tocoo().col[:6] - 6), [np.ones(6)]),
        ("csr_diagonal", (1, 6, 6, *of_a), [np.ones(5)]),
        ("csr_scale_rows", (6, 6, *of_a[:2]), [a.data, x[:6]]),
        ("csr_scale_columns", (6, 6, *of_a[:2]), [a.data, x[:6]]),
        ("csr_sort_indices", (6, doubled[0]), doubled[1:]),
        ("csr_hstack", (2, 6, np.array([6, 6], ints), *twice), new(6, many)),
        *by_columns,
        *[("dia_tocsr", (6, 6, 4, 5, dia.offsets, dia.data, order), new(6, dia.nnz)[::-1])][: SCIPY >= (1, 16)],
        ("bsr_matvec", (3, 2, 2, 3, *of_blocks, x[:6]), [np.ones(6)]),
        ("bsr_matvecs", (3, 2, 3, 2, 3, *of_blocks, x), [np.ones(18)]),
        ("bsr_diagonal", (1, 3, 2, 2, 3, *of_blocks), [np.ones(5)]),
        ("bsr_transpose", (3, 2, 2, 3, *of_blocks), [np.zeros(3, ints), *(np.zeros_like(v) for v in of_blocks[1:])]),
        ("bsr_matmat", (blocks, 3, 3, 2, 2, 3, *of_blocks, *others), [*new(3, blocks)[:2], np.zeros(4 * blocks)]),
        ("csr_tobsr", (6, 6, 2, 3, *of_a), [*new(3, counts)[:2], np.zeros(6 * counts)]),
    ):  # fmt: skip
        theirs, ours = ([r.copy() for r in results] for _ in range(2))
        said = (
            getattr(tools, name)(*given, *theirs),
            getattr(formats, name, in_numpy(getattr(tools, name)))(*given, *ours),
        )
        assert said[0] == said[1], name
        same(tuple(theirs), tuple(ours))
        assert in_numpy(getattr(tools, name)) is not None
    theirs, ours = ([v.copy() for v in doubled] for _ in range(2))
    for sort, add, given in (
        (tools.csr_sort_indices, tools.csr_sum_duplicates, theirs),
        (formats.csr_sort_indices, formats.csr_sum_duplicates, ours),
    ):
        sort(6, *given)
        add(6, 6, *given)
    same(
        tuple(v[: a.nnz] if len(v) > 7 else v for v in theirs),
        tuple(v[: a.nnz] if len(v) > 7 else v for v in ours),
    )
    same(tools.get_csr_submatrix(6, 6, *of_a, 1, 5, 2, 6), formats.get_csr_submatrix(6, 6, *of_a, 1, 5, 2, 6))


# ---- in the user's code

XS = np.linspace(0, 4, 9)
YS = np.sin(XS)
SPLINE, MONOTONE, TCK = ip.CubicSpline(XS, YS), ip.PchipInterpolator(XS, YS), ip.splrep(XS, YS)
SMOOTH, GRID = ip.UnivariateSpline(XS, YS, s=0.01), ip.RectBivariateSpline(XS, XS, np.outer(YS, YS))
CUBIC, LINE = ip.interp1d(XS, YS, kind="cubic"), ip.make_interp_spline(XS, YS, k=5)
LINEAR = ip.RegularGridInterpolator((XS, XS), np.outer(YS, YS))
NESTED = ip.RegularGridInterpolator((XS, XS), np.outer(YS, YS), method="cubic")
RADIAL, DENSITY = ip.RBFInterpolator(XS[:, None], YS), scipy.stats.gaussian_kde(XS)
MATRIX = scipy.sparse.csr_matrix(np.array([[1.0, 0, 2], [0, 3, 0]]))

DATA = [0.3, 2.0, 1.1, 0.7]
AVERAGES = [
    "mean",
    "fmean",
    "geometric_mean",
    "harmonic_mean",
    "median",
    "variance",
    "pvariance",
    "stdev",
    "pstdev",
]
USES = {
    **{
        f"{n} of numbers": lambda a, n=n: getattr(statistics, n)([float(a), *DATA, float(a * a)])
        for n in AVERAGES
    },
    "weights": lambda a: (
        statistics.fmean([float(a), 1.0], [a, 2]) + statistics.harmonic_mean([float(a), 1.0], [float(a), 2])
    ),
    "a line": lambda a: sum(statistics.linear_regression(DATA, [a, 1, 2, a * a])),
    "a covariance": lambda a: statistics.covariance([a, *DATA[1:]], [1.0, a, 2, 3]),
    **{
        f"complex {n}": lambda a, n=n: abs(getattr(cmath, n)(a * 0.3 + 0.4j * a))
        for n in (*python.OF_COMPLEX.split(), "log", "phase")
    },
    "polar": lambda a: sum(cmath.polar(cmath.rect(a, 0.3 * a) + 1)),
    "distances": lambda a: math.dist([a, 1.0], [2.0, a * a]) + math.hypot(a, 2.0, a * a) + math.hypot(a, 3),
    "products": lambda a: math.prod([a, 2.0, a]) + math.modf(a * 2.2)[0],
    "a spline": lambda a: SPLINE(a),
    "its derivative": lambda a: SPLINE(a, 1) + SPLINE.derivative()(a),
    "its integral": lambda a: SPLINE.integrate(0, a),
    "a monotone spline": lambda a: MONOTONE(a),
    "fitpack": lambda a: ip.splev(a, TCK) + ip.splint(0.2, a, TCK),
    "a smoothing spline": lambda a: SMOOTH(a) + SMOOTH.integral(0, a),
    "on a grid": lambda a: GRID(a, 1.2)[0, 0] + GRID.ev(a, 2 * a),
    "interp1d": lambda a: CUBIC(a),
    "a spline of degree 5": lambda a: LINE(a),
    "linear on a grid": lambda a: LINEAR(np.array([[a, 1.2]]))[0],
    "cubic on a grid": lambda a: NESTED(np.array([[a, 1.2]]))[0],
    "radial functions": lambda a: RADIAL(np.array([[a]]))[0],
    "a density": lambda a: DENSITY(a)[0] + DENSITY.logpdf(a)[0],
    "a density of data": lambda a: scipy.stats.gaussian_kde(np.array([0.1, a, 2, 3, 1.1]))(0.7)[0],
    "a sparse matrix": lambda a: (MATRIX @ np.array([a, 1, a * a])).sum(),
    "a width": lambda a: scipy.ndimage.gaussian_filter(np.outer(YS, YS), a)[2, 2],
    "a cutoff": lambda a: scipy.signal.lfilter(*scipy.signal.butter(2, a / 5), np.ones(5))[-1],
    "a stop band": lambda a: scipy.signal.butter(1, [a / 5, a / 3], "bandstop")[0][0] * max(a, 0),
    "a full array": lambda a: np.sum(np.full((2, 3), a) * np.full(3, [1, a, 2])) * (1 if a > 0 else 2),
    "a linear system": lambda a: scipy.signal.lti([1.0], [1, a, 1]).step(T=np.linspace(0, 3, 5))[1][3],
    "sparse products": lambda a: ((MATRIX * a).T @ MATRIX + scipy.sparse.diags([a, a, 1.0])).toarray().sum(),
    "sparse blocks": lambda a: (
        scipy.sparse.hstack([MATRIX * a, MATRIX]).tobsr((2, 3)) @ np.full(6, a)
    ).sum(),
    "lists": lambda a: (scipy.sparse.lil_array(MATRIX * a) @ np.ones(3)).sum(),
    "a difference that is 0": lambda a: (MATRIX * a - MATRIX * 1.3).toarray().sum() * a,
    "sums between": lambda a: (np.add.reduceat(np.array([a, 1, a * a, 2]), [0, 2, 1]) ** 2).sum(),
    "diagonals": lambda a: (scipy.sparse.diags([a, 1.0, 2]) @ np.array([a, 1, 2]))[0],
    "normality": lambda a: (
        sum(scipy.stats.shapiro(np.append(a, YS))) + scipy.stats.shapiro(np.append(a, YS[:2]))[0]
    ),
    "normality of many": lambda a: sum(scipy.stats.shapiro(np.append(a, np.arange(19.0) ** 2))),
    "slopes by medians": lambda a: sum(scipy.stats.siegelslopes(np.append(YS, a), method="separate")),
    "a filter of lines": lambda a: scipy.ndimage.generic_filter1d(
        np.outer(YS, [a, 1.0, a * a]),
        lambda i, o: o.__setitem__(slice(None), i[:-2] * i[2:]),
        3,
        1,
        mode="wrap",
    ).sum(),
    "data of a spline": lambda a: ip.CubicSpline([0, 1, 2, 3], [0, a, 4, 9])(1.5),
    "integral of a spline": lambda a: (
        ip.CubicSpline([0, 1, 2, 3], [0, a, 4, 9]).antiderivative(2)([0.5, a]).sum()
    ),
    "integral of a monotone spline": lambda a: ip.PchipInterpolator(
        [0, 1, 3, 4], [0, a, 4, 9]
    ).antiderivative()(3.5),
    "data of interp1d": lambda a: ip.interp1d(np.arange(4.0), np.array([0, a, 4, 9.0]), kind="cubic")(1.3),
    "data of a monotone spline": lambda a: ip.PchipInterpolator(np.arange(4.0), np.array([0, a, 4, 9.0]))(
        1.3
    ),
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.rotating
def test_in_code(use):
    f, at, h = USES[use], 1.3, 1e-3
    plain = lambda x: float(f(x))
    slope = (8 * (plain(at + h) - plain(at - h)) - plain(at + 2 * h) + plain(at - 2 * h)) / (12 * h)
    np.testing.assert_allclose(jax.grad(hw.wrap(lambda a: f(a)))(at), slope, rtol=1e-7, atol=1e-10)


def test_recorded_twice():
    """What has a value only is not taken for what stands still on a tape further out."""
    wrapped = hw.wrap(lambda a: ip.CubicSpline([0, 1, 2, 3], [0, a * a, 4, a])(a))
    slope = jax.grad(wrapped)
    difference = (slope(1.3 + 1e-4) - slope(1.3 - 1e-4)) / 2e-4
    np.testing.assert_allclose(jax.grad(slope)(1.3), difference, rtol=1e-6)


@pytest.mark.parametrize("sizes", [(1, 1), (2, 1), (0, 2), (6, 0)])
def test_banded_equations(sizes):
    bands, b = rng.standard_normal((sum(sizes) + 1, 5)), rng.standard_normal((5, 2))
    bands[sizes[1]] += 5
    f = lambda bands, b: scipy.linalg.solve_banded(sizes, bands, b)
    recorded = run(f, [bands, b], [True, True])
    tangents = [rng.standard_normal(np.shape(x)) for x in (bands, b)]
    h = 1e-6
    ahead, behind = (f(*(x + s * h * t for x, t in zip((bands, b), tangents, strict=True))) for s in (1, -1))
    (along,), c = recorded.jvp(tangents), rng.standard_normal((5, 2))
    np.testing.assert_allclose(along, (ahead - behind) / (2 * h), rtol=1e-6, atol=1e-8)
    back = recorded.vjp([c])
    np.testing.assert_allclose(
        sum(np.sum(x * t) for x, t in zip(back, tangents, strict=True)), np.sum(along * c)
    )


def test_products_of_matrices_keep_their_shapes():
    """A matrix with one row is not spread to the rows of the other one."""
    matrix = np.arange(9.0).reshape(3, 3)
    f = hw.wrap("(3)->(1,3)")(lambda x: np.matmul(x[None, :], matrix))
    np.testing.assert_allclose(jax.jacobian(hw.to_jax(f))(np.ones(3))[0], matrix.T)


@pytest.mark.parametrize(
    "mode",
    ["nearest", "wrap", "reflect", "mirror", "constant", "grid-constant", "grid-wrap", "grid-mirror"],
)
def test_filters(mode):
    x, code = rng.standard_normal((3, 5)), scipy.ndimage._ni_support._extend_mode_to_code(mode)
    for axis, origin, size in ((0, 0, 3), (1, 0, 9), (1, 1, 4), (0, -1, 4), (-1, -2, 12)):
        weights, ours = rng.standard_normal(size), np.empty((3, 5))
        filters.correlate1d(x, weights, axis, ours, code, 0.7, origin)
        same(scipy.ndimage.correlate1d(x, weights, axis, mode=mode, cval=0.7, origin=origin), ours)
        neighbours.min_or_max_filter1d(x, size, axis, ours, code, 0.7, origin, 1)
        same(scipy.ndimage.minimum_filter1d(x, size, axis, mode=mode, cval=0.7, origin=origin), ours)
        own = lambda line, out: out.__setitem__(slice(None), np.convolve(line, weights, "valid"))  # noqa: B023
        neighbours.generic_filter1d(x, own, size, axis, ours, code, 0.7, origin, (), {})
        same(scipy.ndimage.generic_filter1d(x, own, size, axis, mode=mode, cval=0.7, origin=origin), ours)


@pytest.mark.parametrize("boundary", ["fill", "wrap", "symm"])
@pytest.mark.parametrize("mode", ["full", "valid", "same"])
@pytest.mark.parametrize("shape", [(5, 6), (4, 3)])
def test_convolutions_of_images(mode, boundary, shape):
    """Kernels of even and of odd sizes, and one that is larger than the image where that may be."""
    x, kernels = rng.standard_normal(shape), [(3, 3), (2, 3), (1, 2)] + [(6, 5)] * (mode == "full")
    for kernel in (rng.standard_normal(size) for size in kernels):
        for flip, f in ((1, scipy.signal.convolve2d), (0, scipy.signal.correlate2d)):
            size = ("valid", "same", "full").index(mode)
            ours = filters.convolve2d(
                x, kernel, flip, size, ("fill", "symm", "wrap").index(boundary) << 2, 0.3
            )
            same(f(x, kernel, mode, boundary, 0.3), ours)


@pytest.mark.parametrize("length", [1, 2, 12])
def test_linear_filters(length):
    """Forward along either axis, with and without a start, recorded and in values."""
    b, a, x = np.array([0.5, -0.2, 0.1]), np.array([2.0, 0.3, -0.4, 0.1]), rng.standard_normal((2, length))
    start = rng.standard_normal((2, 3))
    for f in (
        lambda b, a, x: scipy.signal.lfilter(b, a, x, axis=1),
        lambda b, a, x: scipy.signal.lfilter(b, a, x.T, axis=0),
        lambda b, a, x: scipy.signal.lfilter(b, a, x, zi=start * a[1]),
    ):
        recorded = run(f, [b, a, x], [True] * 3)
        plain = f(b, a, x)
        same(tuple(recorded.value), plain if isinstance(plain, tuple) else (plain,))
        tangents, h = [rng.standard_normal(np.shape(v)) for v in (b, a, x)], 1e-6
        ahead, behind = (
            f(*(v + s * h * t for v, t in zip((b, a, x), tangents, strict=True))) for s in (1, -1)
        )
        pairs = zip(ahead, behind, strict=True) if isinstance(plain, tuple) else [(ahead, behind)]
        for along, (p, m) in zip(recorded.jvp(tangents), pairs, strict=True):
            np.testing.assert_allclose(along, (p - m) / (2 * h), rtol=1e-6, atol=1e-8)

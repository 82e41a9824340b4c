"""The tape: values to the bit, first derivatives both ways and second ones against differences."""

import copy
import math

import numpy as np
import pytest
import scipy.linalg
import scipy.ndimage
import scipy.special
import scipy.stats

import hostwrap as hw
from hostwrap._copies.retarget import Untraceable
from hostwrap._tracing.tape import recordable, run, second


def leaves(x):
    return (
        [np.asarray(v) for part in x for v in leaves(part)]
        if isinstance(x, list | tuple)
        else [np.asarray(x)]
    )


def differences(f, arrays, tangents, step=1e-3):
    """By six points: the error is of order step ** 6."""
    at = lambda k: leaves(f(*(x + k * step * t for x, t in zip(arrays, tangents, strict=True))))
    weights = {1: 3 / 4, 2: -3 / 20, 3: 1 / 60}
    pairs = {k: zip(at(k), at(-k), strict=True) for k in weights}
    terms = [[w * (a - b) / step for a, b in pairs[k]] for k, w in weights.items()]
    return [sum(column) for column in zip(*terms, strict=True)]


def like(x, rng):
    t = rng.standard_normal(np.shape(x))
    return t + 1j * rng.standard_normal(np.shape(x)) if np.iscomplexobj(x) else t


def close(found, expected, rtol=2e-7):
    for a, b in zip(found, expected, strict=True):
        assert np.shape(a) == np.shape(b)
        np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol * max(1.0, np.max(np.abs(b), initial=0)))


def check(f, *arrays, twice=True, step=1e-3, rtol=2e-7):
    rng = np.random.default_rng(7)
    arrays = [np.asarray(x) if np.ndim(x) else x for x in arrays]
    kept = [np.array(x) for x in arrays]
    moves = [np.asarray(x).dtype.kind in "fc" for x in arrays]
    plain = leaves(f(*(x.copy() if np.ndim(x) else x for x in arrays)))
    recorded = run(f, arrays, moves)
    for a, b in zip(recorded.value, plain, strict=True):
        np.testing.assert_array_equal(a, b)
        assert np.asarray(a).dtype == b.dtype
    for a, b in zip(arrays, kept, strict=True):
        np.testing.assert_array_equal(a, b)
    tangents = [like(x, rng) if m else np.zeros_like(x) for x, m in zip(arrays, moves, strict=True)]
    inexact = [k for k, y in enumerate(plain) if y.dtype.kind in "fc"]
    along = recorded.jvp(tangents)
    expected = differences(f, arrays, tangents, step)
    close([along[k] for k in inexact], [expected[k] for k in inexact], rtol)
    cotangents = [like(y, rng) for y in plain]
    back = recorded.vjp(cotangents)
    pairing = sum(np.sum(cotangents[k] * along[k]).real for k in inexact)
    paired = sum(np.sum(c * t).real for c, t in zip(back, tangents, strict=True) if c is not None)
    np.testing.assert_allclose(paired, pairing, rtol=1e-9, atol=1e-9)
    for c, x in zip(back, arrays, strict=True):
        assert c is None or np.shape(c) == np.shape(x)
        assert c is None or np.iscomplexobj(x) or not np.iscomplexobj(c)
    bent = lambda *xs: [y + 0.3 * y * y if k in inexact else y for k, y in enumerate(leaves(f(*xs)))]
    if twice:  # of a curved function of the results: their own values must move, too
        gradient = lambda *xs: [c for c in run(bent, xs, moves).vjp(cotangents) if c is not None]
        _, products = second(recordable(bent), arrays, moves, tangents, cotangents)
        close(
            [p for p in products if p is not None], differences(gradient, arrays, tangents, step), 10 * rtol
        )


A = np.random.default_rng(3).uniform(0.3, 0.9, (3, 4))
S = np.random.default_rng(4).standard_normal((4, 4)) + 3 * np.eye(4)
P = S @ S.T
X = np.random.default_rng(5).uniform(0.2, 0.8, 5)
Z = X + 1j * X[::-1]
mask = A > 0.6

ELEMENTWISE = [
    "sin",
    "cos",
    "tan",
    "arcsin",
    "arccos",
    "arctan",
    "sinh",
    "cosh",
    "tanh",
    "arcsinh",
    "arctanh",
    "exp",
    "exp2",
    "expm1",
    "log",
    "log2",
    "log10",
    "log1p",
    "sqrt",
    "cbrt",
    "square",
    "reciprocal",
    "negative",
    "positive",
    "absolute",
    "fabs",
    "sign",
    "floor",
    "ceil",
    "trunc",
    "rint",
    "deg2rad",
    "radians",
    "rad2deg",
    "degrees",
    "conjugate",
    "spacing",
]
BINARY = [
    "add",
    "subtract",
    "multiply",
    "divide",
    "power",
    "float_power",
    "arctan2",
    "hypot",
    "logaddexp",
    "logaddexp2",
    "maximum",
    "minimum",
    "fmax",
    "fmin",
    "remainder",
    "fmod",
    "copysign",
    "floor_divide",
]


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_ufuncs_of_one_argument(name):
    check(getattr(np, name), A, step=1e-4, rtol=1e-6)


@pytest.mark.parametrize(
    "name",
    [
        "sin",
        "cos",
        "tan",
        "exp",
        "log",
        "sqrt",
        "square",
        "reciprocal",
        "absolute",
        "conjugate",
        "tanh",
        "sign",
        "arctan",
    ],
)
def test_ufuncs_of_complex_numbers(name):
    check(getattr(np, name), Z, step=1e-4, rtol=1e-6)


@pytest.mark.parametrize("name", BINARY)
def test_ufuncs_of_two_arguments(name):
    check(getattr(np, name), A + 1, A[1] * 0.7, step=1e-4, rtol=1e-6)
    check(getattr(np, name), 1.7, A[:, :1], step=1e-4, rtol=1e-6)


def test_arccosh_and_ldexp():
    check(lambda x: np.arccosh(x) + np.ldexp(x, 3), A + 1, step=1e-4, rtol=1e-6)


def test_operators():
    check(
        lambda x, y: (
            (x + y) * x - y / x + x**y - 2 / x + 3 * y - x // y + x % y - (-x) + abs(y) + x**2 + 2**x
        ),
        A + 1,
        A[0],
    )


FUNCTIONS = {
    "sum": lambda x: np.sum(x) + x.sum(axis=0) + x.sum(1, keepdims=True) + np.add.reduce(x),
    "sum_where": lambda x: np.sum(x, where=mask) + np.mean(x, axis=1, where=A > 0).sum(),
    "mean": lambda x: x.mean() * np.mean(x, axis=(0,)),
    "var": lambda x: np.var(x, axis=0) + x.std(ddof=1),
    "prod": lambda x: np.prod(x, axis=1) * x.prod() * np.prod(x - A[0, 0]),
    "cumsum": lambda x: np.cumsum(x, axis=1) * x + x.cumsum().reshape(3, 4) + np.add.accumulate(x),
    "cumprod": lambda x: np.cumprod(x, axis=0) * np.cumprod(x).reshape(3, 4),
    "max": lambda x: x.max(axis=0) * np.min(x) + np.maximum.reduce(x),
    "sort": lambda x: np.sort(x, axis=0) * x + np.sort(x, axis=None).reshape(3, 4),
    "median": lambda x: np.median(x, axis=1) * np.percentile(x, 30) + np.quantile(x, [0.1, 0.7], axis=1).sum(0),
    "reshape": lambda x: x.reshape(4, 3).T * x + x.ravel()[::-1].reshape(3, -1) * x.T.flatten().reshape(3, 4),
    "concatenate": lambda x: np.concatenate([x, x**2, np.ones((2, 4))]) * np.vstack([x, x, x[:2]]),
    "stack": lambda x: np.stack([x, 2 * x], axis=1).sum(1) * np.hstack([x[:, :2], x[:, 2:]]),
    "stack_2": lambda x: np.column_stack([x[0], x[1]]).sum(),
    "where": lambda x: np.minimum(np.where(x > 0.5, x**2, 2**45), 9.0),
    "where_2": lambda x: np.where(mask, 1.5, np.sin(x)) + np.select([mask], [x], 7.0) * np.where(x, x, 1.0),
    "roll": lambda x: np.roll(x, 1, 0) * np.flip(x, 1) * x[::-1, ::2].repeat(2, axis=1) + np.rot90(x, 2),
    "tile": lambda x: np.tile(x, (2, 1)) * np.repeat(x, 2, axis=0) + np.broadcast_to(x[0], (6, 4)),
    "pad": lambda x: np.pad(x, 1) * np.pad(x, 1, mode="edge") + np.pad(x, 1, mode="reflect"),
    "diag": lambda x: np.diag(x[0]) + np.diag(x) .sum()+ np.tril(np.outer(x[0], x[1])),
    "diag_2": lambda x: np.triu(np.ones((4, 4))) * x[0],
    "trace": lambda x: np.trace(x[:, :3]) * np.diagonal(x) + np.linalg.trace(x[:, :3] * 2),
    "take": lambda x: np.take(x, [0, 0, 2], axis=1) * x[:, [1, 1, 3]],
    "take_2": lambda x: x[mask].sum() + np.compress([True, False, True], x, 0).sum(),
    "split": lambda x: np.split(x, 2, axis=1)[0] * np.array_split(x, 2, axis=1)[1] + x.swapaxes(0, 1)[:2].T,
    "dot": lambda x: np.dot(x, x.T) @ x + x @ S + np.dot(x[0], x[1]) + x[0] @ S @ x[1] + np.inner(x, x).sum(),
    "stacked_matmul":
    lambda x: np.matmul(np.stack([x, x**2]), S) .sum(0)+ (x.reshape(3, 2, 2) @ x.reshape(3, 2, 2)).reshape(3, 4),
    "einsum": lambda x: np.einsum("ij,kj->ik", x, x) @ x + np.einsum("ij->j", x),
    "einsum_2": lambda x: np.einsum("ii->i", x[:, :3]).sum() + np.einsum("ij,ij", x, x),
    "tensordot": lambda x: np.tensordot(x, x, axes=([1], [1])) @ x + np.tensordot(x, S, 1) + np.vdot(x, x),
    "convolve": lambda x: np.convolve(x[0], x[1, :3], "same") + np.convolve(x[0], x[1]).sum(),
    "convolve_2": lambda x: np.correlate(x[0], x[1, :2], "full")[1:],
    "diff": lambda x: np.diff(x, axis=1) * np.gradient(x[0])[1:] + np.ediff1d(x[0]) + np.diff(x, n=2, axis=1).sum(),
    "trapezoid": lambda x: np.trapezoid(x[0], x[1].cumsum()) * x[2],
    "interp": lambda x: np.interp(x[0], np.sort(x[1]), x[2]) * np.interp(0.5, [0.0, 1.0], x[0, :2]),
    "polynomial": lambda x: (x[0, 0] * np.polynomial.Polynomial(x[1]) ** 2 + 1.0).coef * x[2, 2],
    "poly1d": lambda x: (np.poly1d(x[0]) * 2)(x[1, 1]),
    "poly": lambda x: np.polyval(x[0], x[1]) + np.vander(x[0], 3).sum() + np.poly1d([1.0, 2.0])(x[0]),
    "cross": lambda x: np.cross(x[:, :3], x[:, 1:]) @ np.ones(3) + np.kron(x[0, :2], x[1, :2])[:3],
    "clip": lambda x: np.clip(x, 0.4, 0.7) * x.clip(0.5) + np.nan_to_num(x) + np.round(x * 3) * x,
    "norm": lambda x: np.linalg.norm(x) * np.linalg.norm(x, axis=0) + np.linalg.norm(x[0], 1),
    "norm_2": lambda x: np.linalg.norm(x, 2) + np.linalg.norm(x[0], np.inf),
    "meshgrid": lambda x: np.meshgrid(x[0], x[1])[0] * np.meshgrid(x[0], x[1], indexing="ij")[1],
    "array": lambda x: np.array([[x[0, 0], 1.0], [x[1].sum(), x[2, 2] ** 2]]) @ np.array([x[0, 1], 2.0]),
    "linspace": lambda x: np.linspace(x[0, 0], x[1, 1], 5) ** 2,
    "average": lambda x: np.average(x, axis=0, weights=x[:, 0]) + np.cov(x).sum() + np.nansum(x) + np.ptp(x, axis=0),
    "insert": lambda x: np.insert(x, 1, 5.0, axis=1) * np.append(x, x[:, :1], axis=1) + np.delete(x, 1, axis=0).sum(),
    "fft": lambda x: np.abs(np.fft.fft(x, axis=1)) + np.fft.irfft(np.fft.rfft(x, axis=1) * x[:, :3], axis=1),
    "fft_2": lambda x: np.fft.ifft(np.fft.fft(x, n=6, axis=1)).real[:, :4],
    "apply": lambda x: np.apply_along_axis(lambda row: row**2 / row.sum(), 1, x),
    "piecewise": lambda x: np.piecewise(x, [x < 0.5, x >= 0.5], [lambda v: v**2, lambda v: np.exp(v)]),
    "complex": lambda x: np.abs(np.exp(1j * x)) + np.angle(x + 1j * x**2) + (x * (2 + 1j)).imag,
    "complex_2": lambda x: np.real(1j * x) + ((x + 1j) * np.conj(x - 2j)).real,
    "astype": lambda x: x.astype(complex).real * x.astype(int) + x.copy() * x.astype(float),
    "out": lambda x: np.add(x, 1, out=np.empty((3, 4))) * np.exp(x, out=np.zeros_like(x), where=mask),
    "at": lambda x: (lambda h: np.add.at(h, [0, 0, 2], x[0, :3]) or h)(np.zeros(3)),
    "windows": lambda x: np.lib.stride_tricks.sliding_window_view(x, 2, axis=1).sum(-1) * x[:, 1:],
    "strided": lambda x: scipy.linalg.toeplitz(x[0], x[1])[:3] * scipy.linalg.hankel(x[2])[1:] + np.trim_zeros(x[0]),
    "vectorize": lambda x: np.vectorize(lambda u, v: math.sin(u) if u > 0.5 else u * v)(x, x[0]),
    "logsumexp": lambda x: scipy.special.logsumexp(x, axis=0) * scipy.special.softmax(x, axis=1),
    "roots": lambda x: np.sort(np.roots(x[0] * [1.0, 5.0, 2.0, 0.1]).real),
    "untaken": lambda x: np.where(x > 0.5, np.sqrt(np.maximum(x - 0.5, 0.0)), x),
    "outer": lambda x: np.multiply.outer(x[0], x[1]) + np.subtract.outer(x[0], x[1]),
    "modf": lambda x: np.modf(x * 5)[0] + np.divmod(x * 5, x[::-1] + 1)[1] + divmod(x[0, 0], 0.3)[1],
    "unique": lambda x: np.unique(x) * x.size + np.bincount([0, 1, 1], x[0, :3]).sum(),
    "tolist": lambda x: sum(v**2 for row in x.tolist() for v in row),
    "tolist_2": lambda x: x[0, 0].item() + x.item(3) + max(x[0]) + sorted(x[1])[1],
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_numpy(name):
    check(FUNCTIONS[name], A, twice=name != "roots")


@pytest.mark.parametrize("name", sorted({*FUNCTIONS} - {"out"}))  # which takes such memory itself
def test_memory_that_nobody_wrote_is_not_computed_with(name, monkeypatch):
    """`np.empty` may return infinities, whose difference warns; a warning is an error in these tests."""
    plain = np.empty

    def full_of_infinities(*args, **kwargs):
        array = plain(*args, **kwargs)
        if array.dtype.kind == "f":
            array.flat = [np.inf, -np.inf]
        return array

    monkeypatch.setattr(np, "empty", full_of_infinities)
    recorded = run(FUNCTIONS[name], [A.copy()], [True])
    recorded.vjp([np.ones_like(y) for y in leaves(recorded.value)])


LINALG = {
    "solve": lambda a, b: np.linalg.solve(a, b[0]) + scipy.linalg.solve(a, b.T)[:, 0],
    "inv": lambda a, b: np.linalg.inv(a) @ scipy.linalg.inv(a) @ b.T,
    "det": lambda a, b: np.linalg.det(a) * np.linalg.slogdet(a)[1] + scipy.linalg.det(a),
    "singular_det": lambda a, b: np.linalg.det(b.T @ b),
    "cholesky": lambda a, b: np.linalg.cholesky(a @ a.T) @ scipy.linalg.cholesky(a @ a.T, lower=True),
    "cho_solve": lambda a, b: scipy.linalg.cho_solve(scipy.linalg.cho_factor(a @ a.T), b[0]),
    "eigh": lambda a, b: np.linalg.eigh(a + a.T)[0] + np.linalg.eigvalsh(a + a.T) ** 2,
    "eigh_2": lambda a, b: np.abs(np.linalg.eigh(a + a.T)[1]).sum(0),
    "svd": lambda a, b: (lambda u, s, v: np.abs(u) @ (s[:, None] * np.abs(v)))(*np.linalg.svd(b, full_matrices=False)),
    "svdvals": lambda a, b: np.linalg.svd(b, compute_uv=False) + np.linalg.norm(a, "nuc"),
    "pinv": lambda a, b: np.linalg.pinv(b) @ b @ a,
    "lstsq": lambda a, b: np.linalg.lstsq(b.T, a[0], rcond=None)[0],
    "qr": lambda a, b: np.abs(np.linalg.qr(b.T)[0]) @ np.abs(np.linalg.qr(b.T)[1]),
    "triangular": lambda a, b: scipy.linalg.solve_triangular(a, b[0], lower=True),
    "triangular_2": lambda a, b: scipy.linalg.solve_triangular(a, b[0], trans=1),
    "expm": lambda a, b: scipy.linalg.expm(a / 10) @ b.T,
    "power": lambda a, b: np.linalg.matrix_power(a, 3) + np.linalg.multi_dot([a, a, a]),
}  # fmt: skip


@pytest.mark.parametrize("f", LINALG.values(), ids=LINALG)
def test_linear_algebra(f):
    check(f, S, A, rtol=1e-6)


SPECIAL = {
    "gamma": lambda x: scipy.special.gammaln(x + 1) + scipy.special.erf(x) + scipy.special.ndtr(x),
    "jv": lambda x: scipy.special.jv(1.3, x) * scipy.special.kv(x, x + 1),
    "betainc": lambda x: scipy.special.betainc(x, x + 1, x) + scipy.special.xlogy(x, x),
    "gammaincinv": lambda x: scipy.special.gammaincinv(2 * x, 0.5),
    "voigt": lambda x: (
        scipy.special.voigt_profile(x, 0.3, x) + scipy.special.expit(x) + scipy.special.sici(x)[0]
    ),
}


@pytest.mark.parametrize("f", SPECIAL.values(), ids=SPECIAL)
def test_special_functions(f):
    check(f, A, rtol=1e-6)


# ---- whole programs that look at numbers


def kepler(mean, e):
    anomaly = mean if e < 0.8 else np.pi
    while True:
        step = (anomaly - e * np.sin(anomaly) - mean) / (1 - e * np.cos(anomaly))
        anomaly -= step
        if abs(step) < 1e-13:
            return anomaly


def test_while_of_numbers_and_of_arrays_without_axes():
    check(kepler, 1.3, 0.4)
    check(kepler, 0.7, 0.9)
    for kind in (np.float64, np.array):
        mean, e = kind(1.3), kind(0.4)
        np.testing.assert_array_equal(
            run(kepler, [mean.copy(), e], [True, True]).value[0], kepler(mean.copy(), e)
        )


def test_an_array_without_axes_is_written_in_place_and_a_number_is_not():
    def f(x):
        y = x
        y -= 0.25 * np.sin(x)
        return x * y

    for x in (np.array(0.7), np.float64(0.7), 0.7):
        expected = f(np.copy(x) if isinstance(x, np.ndarray) else x)
        recorded = run(f, [x], [True])
        assert recorded.value[0] == expected
    check(f, np.array([0.3, 0.7]), twice=True)


def overwritten_through_a_view(x):
    """The old number of `a`, used twice before, has no part in what is read of `a` after the assignment."""
    a = np.array(2 * x)
    before = a * a + a
    a.reshape(1)[0] = 3 * x
    return a * 5 + a**2 + before


def test_an_array_without_axes_is_written_to_through_a_view():
    check(overwritten_through_a_view, 0.7)
    recorded = run(overwritten_through_a_view, [0.7], [True])
    assert recorded.vjp([np.array(1.0)])[0] == pytest.approx(17 + 26 * 0.7)


def test_put_counts_as_numpy_does_and_repeats_too_few_values():
    def f(x):
        a = np.zeros((2, 3))
        np.put(a, [0, -1, 4], x[:2])
        np.put(a, [7, 9], x[2:], mode="wrap")
        np.put(a.T, [2, 99], x[1], mode="clip")
        return a**2

    x = np.array([0.3, 0.8, -1.1])
    check(f, x)
    np.testing.assert_array_equal(hw.to_jax(hw.wrap("(n)->(2,3)")(f))(x), f(x))


def whole_array_newton(a):
    x = np.ones_like(a)
    delta = np.full_like(a, np.inf)
    while np.max(np.abs(delta)) > 1e-12:
        delta = (x * x * x - a) / (3 * x * x)
        x = x - delta
    return x


def rk4(y, rate, steps):
    path = [y]
    h = 1.0 / steps
    right = lambda y: [y[1], -rate * math.sin(y[0])]
    for _ in range(steps):
        k1 = right(y)
        k2 = right([a + h / 2 * b for a, b in zip(y, k1, strict=True)])
        k3 = right([a + h / 2 * b for a, b in zip(y, k2, strict=True)])
        k4 = right([a + h * b for a, b in zip(y, k3, strict=True)])
        y = [a + h / 6 * (p + 2 * q + 2 * r + s) for a, p, q, r, s in zip(y, k1, k2, k3, k4, strict=True)]
        path.append(y)
    return np.array(path)


def thomas(a, b, c, d):
    n = len(d)
    b, d, x = b.copy(), d.copy(), np.zeros(n)
    for i in range(1, n):
        w = a[i - 1] / b[i - 1]
        b[i] -= w * c[i - 1]
        d[i] -= w * d[i - 1]
    x[-1] = d[-1] / b[-1]
    for i in range(n - 2, -1, -1):
        x[i] = (d[i] - c[i] * x[i + 1]) / b[i]
    return x


def elimination(a, b):
    """Gauss with pivots: rows are views, and are swapped."""
    a, b = np.array(a), np.array(b)
    n = len(b)
    for k in range(n):
        p = k + int(np.argmax(np.abs(a[k:, k])))
        if p != k:
            a[[k, p]] = a[[p, k]]
            b[[k, p]] = b[[p, k]]
        for i in range(k + 1, n):
            row = a[i]
            factor = row[k] / a[k, k]
            row[k:] -= factor * a[k, k:]
            b[i] -= factor * b[k]
    x = np.empty_like(b)
    for i in reversed(range(n)):
        x[i] = (b[i] - a[i, i + 1 :] @ x[i + 1 :]) / a[i, i]
    return x


def secant(a):
    x0, x1 = 0.0, 1.0
    f0, f1 = x0**3 + x0 - a, x1**3 + x1 - a
    while abs(f1) > 1e-14 and x1 != x0:
        x0, x1, f0 = x1, x1 - f1 * (x1 - x0) / (f1 - f0), f1
        f1 = x1**3 + x1 - a
    return x1


def masks(x):
    y = np.zeros_like(x)
    small = x < 0.5
    y[small] = x[small] ** 2
    y[~small] = np.log(x[~small]) * x[small].sum()
    top = x[x > 0.4]
    return y[np.argsort(x)] * len(top) + top.mean()


def power(x, n):
    return 1.0 if n == 0 else power(x, n // 2) ** 2 * (x if n % 2 else 1.0)


def views(x):
    y = x.copy()
    inner, turned = y[1:-1], y.reshape(-1)
    inner *= 2
    turned[::2] += 1
    y[0, ...] = turned[3]
    row = y[1]
    row[...] = np.sin(row)
    y.T[0] = x[:, 1]
    return inner.sum() + y * turned[0]


def simpson(f, a, b, tol, depth):
    m = (a + b) / 2
    rule = lambda u, v: (v - u) / 6 * (f(u) + 4 * f((u + v) / 2) + f(v))
    whole, halves = rule(a, b), rule(a, m) + rule(m, b)
    if depth == 0 or abs(whole - halves) < tol:
        return halves
    return simpson(f, a, m, tol / 2, depth - 1) + simpson(f, m, b, tol / 2, depth - 1)


class Model:
    offset = 2.0

    def __init__(self, grid):
        self.grid = grid

    def __call__(self, x):
        kernel = np.exp(-(np.subtract.outer(self.grid, x) ** 2))
        return kernel.sum(axis=0) ** self.offset


def mandel(x, y):
    z = c = complex(x, y)
    for _ in range(20):
        if abs(z) > 2:
            break
        z = z * z + c
    return z.real * z.imag


def test_programs():
    check(whole_array_newton, X + 1)
    check(lambda y, rate: rk4(list(y), rate, 8), X[:2], 3.0)
    check(thomas, X[:4], X + 3, X[1:], X)
    check(elimination, S, X[:4])
    check(secant, 1.7, rtol=1e-5)
    check(masks, np.array([0.1, 0.7, 0.45, 0.9, 0.3]))
    check(power, 1.1, 13)
    check(views, A)
    check(lambda a: simpson(lambda t: math.exp(-a * t * t), 0.0, float(a), 1e-6, 8), 0.8)
    check(Model(np.linspace(0, 1, 6)), X)
    check(mandel, 0.2, 0.3)


def test_functions_of_math():
    def f(x, y):
        waves = (
            math.sin(x) * math.cos(y) + math.atan2(y, x) + math.hypot(x, y) + math.pow(x, y) + math.log(x, y)
        )
        others = (
            math.sqrt(x) + math.log10(y) + math.erf(x) + math.gamma(y) + math.lgamma(x) + math.fsum([x, y, x])
        )
        return (
            waves + others + math.floor(x) + math.fabs(x) * math.radians(y) + float(np.float64(x) * round(y))
        )

    check(f, 0.7, 1.68, rtol=1e-6)
    check(lambda x: [math.tanh(v) for v in x], X)


def test_what_is_constant_may_go_to_c_and_what_moves_may_not():
    def f(x):
        grid = np.linspace(0.0, 1.0, 4)
        grid[1] = 0.3
        return scipy.linalg.hilbert(2)[0, 1] * np.random.default_rng(0).normal(grid, 0.0)[1] * x

    check(f, 0.5)
    with pytest.raises(Untraceable, match=r"numpy.asarray: C code asks for the numbers"):
        run(lambda x: scipy.ndimage.fourier_uniform(x, 2), [X], [True])


kept = np.zeros(5)


def test_an_array_from_outside_is_not_written_to():
    def f(x):
        kept[:] = x
        return kept * 2

    with pytest.raises(Untraceable, match="an array from outside of the function: it would be written to"):
        run(f, [X], [True])
    assert not kept.any()


def test_results_are_a_tree_and_integers_do_not_move():
    recorded = run(lambda x: {"a": (x**2, x.argmax()), "b": 3.0}, [X], [True])
    tangents = recorded.jvp([np.ones(5)])
    np.testing.assert_allclose(tangents[0], 2 * X)
    assert recorded.value[1] == X.argmax() and not np.any(tangents[1]) and not np.any(tangents[2])


def test_a_repeated_index_counts_the_last_assignment():
    def f(x):
        y = np.zeros(3)
        y[[0, 1, 0]] = x
        return y * np.arange(1, 4)

    check(f, X[:3])


def test_what_a_rule_speaks_of_is_not_overwritten():
    def f(x):
        y = x / (np.abs(x) + 0.5)
        y[0], y[-1] = y[-1], y[0]
        z = np.reciprocal(x)
        z[[0, -1]] = z[[-1, 0]]
        w = np.exp(x)
        w *= 2
        w[1:] += w[:-1]
        return np.tanh(y) * z + w

    check(f, X)


def test_a_branch_not_taken_does_no_harm_and_an_infinite_derivative_is_none_of_zero():
    f = lambda x: np.where(x > 0, np.sqrt(np.abs(x)) ** 3, x) + np.where(x == 0, 1.0, np.log(np.abs(x)))
    with np.errstate(all="ignore"):
        (found,) = run(f, [np.array([0.0, 0.5, -0.3])], [True]).vjp([np.ones(3)])
    np.testing.assert_allclose(found, [1.0, 1.5 * np.sqrt(0.5) + 2, 1 - 1 / 0.3])
    with np.errstate(all="ignore"):
        (limit,) = run(lambda x: np.sqrt(x) ** 2, [np.zeros(1)], [True]).vjp([np.ones(1)])
    assert np.isnan(limit[0])  # it is 1; 0 would be wrong


def test_a_copy_of_an_array_records_as_well():
    def f(x):
        y, z = copy.deepcopy([x, x[0]]), copy.copy(x)
        y[0][1:] *= 2
        z += y[1]
        return y[0] * z

    check(f, X)


# ---- an infinite derivative meets 0

PLACES = np.array([0.3, 0.0, -0.7])


@pytest.mark.parametrize(
    "function, slope",
    [
        (lambda x: np.sqrt(np.maximum(x, 0)), [0.5 / np.sqrt(0.3), np.inf, 0.0]),
        (lambda x: np.sqrt(x * (x > 0)), [0.5 / np.sqrt(0.3), 0.0, 0.0]),
        (lambda x: (x > 0) * np.sqrt(np.abs(x)), [0.5 / np.sqrt(0.3), 0.0, 0.0]),
        (lambda x: np.maximum(np.sqrt(np.abs(x)), 2.0), [0.0, 0.0, 0.0]),
        (lambda x: x * np.sqrt(x * (x >= 0)), [1.5 * np.sqrt(0.3), np.nan, 0.0]),  # both factors move
        (lambda x: np.sqrt(np.maximum(2 * x - x, 0)) * (x != 0), [0.5 / np.sqrt(0.3), 0.0, 0.0]),
    ],
)
def test_what_is_not_taken_has_no_derivative(function, slope):
    recorded = run(function, [PLACES], [True])
    forward = [recorded.jvp([t])[0] for t in np.eye(3)]
    backward = [recorded.vjp([c])[0] for c in np.eye(3)]
    np.testing.assert_allclose(np.diag(forward), slope, rtol=1e-14)
    np.testing.assert_allclose(np.diag(backward), slope, rtol=1e-14)


def test_parts_that_cancel_in_pattern_alone_are_not_taken_for_0():
    """The derivative of 2 x and that of x are both there; their difference is 1, not 0."""

    def function(x):
        rows = np.array([2 * x[0], x[0]])
        return np.sqrt(np.maximum(np.array([rows[0] - rows[1], x[1]]), 0))

    recorded = run(function, [np.array([0.25, -1.0])], [True])
    np.testing.assert_array_equal([recorded.jvp([t])[0] for t in np.eye(2)], [[1.0, 0.0], [0.0, 0.0]])
    np.testing.assert_array_equal([recorded.vjp([c])[0] for c in np.eye(2)], [[1.0, 0.0], [0.0, 0.0]])


# ---- arrays of objects


def test_a_ufunc_made_of_python_records():
    function = lambda x: np.frompyfunc(lambda t: t * t if t > 0.5 else 3 * t, 1, 1)(x).astype(float)
    recorded = run(function, [np.array([0.3, 0.9])], [True])
    np.testing.assert_allclose(recorded.jvp([np.ones(2)])[0], [3.0, 1.8])


def test_an_array_of_objects_does_not_lose_a_derivative():
    with pytest.raises(Untraceable, match="cannot hold what is being differentiated"):
        run(lambda x: np.multiply(x, x, dtype=object).astype(float), [np.array([0.3, 0.9])], [True])


@pytest.mark.parametrize(("f", "initial"), [(np.max, 0.5), (np.amax, 9.0), (np.min, 1.5), (np.nanmin, 0.0)])
def test_an_extreme_has_an_initial_value(f, initial):
    x = np.array([[1.0, 2.0, 3.0], [0.2, 0.3, 0.4]])
    found = run(lambda a: f(a, axis=1, initial=initial), [x], [True])
    assert np.array_equal(found.value[0], f(x, axis=1, initial=initial))
    (slope,) = found.vjp([np.ones(2)])
    ends = f(np.concatenate([x, np.full((2, 1), initial)], 1), axis=1, keepdims=True)
    assert np.array_equal(slope, np.where(ends == initial, 0.0, x == ends))


def test_an_extreme_of_nothing_is_its_initial_value():
    assert run(lambda a: np.max(a[:0], initial=0.0) + a[0], [np.ones(2)], [True]).vjp([1.0])[0].tolist() == [
        1,
        0,
    ]


OVERWRITING = {
    "svdvals": lambda a: scipy.linalg.svdvals(a, overwrite_a=True),
    "svdvals, by place": lambda a: scipy.linalg.svdvals(a, True),
    "inv": lambda a: scipy.linalg.inv(a, overwrite_a=True),
    "det": lambda a: scipy.linalg.det(a, overwrite_a=True),
    "eigh": lambda a: scipy.linalg.eigh(a + a.T, overwrite_a=True)[0],
    "cholesky": lambda a: scipy.linalg.cholesky(a @ a.T, overwrite_a=True),
    "solve": lambda a: scipy.linalg.solve(a, a[0] * 2, overwrite_a=True, overwrite_b=True),
    "median": lambda a: np.median(a, axis=1, overwrite_input=True),
}


@pytest.mark.parametrize("name", OVERWRITING)
def test_what_may_be_overwritten_is_kept_for_the_derivative(name):
    f, random = OVERWRITING[name], np.random.default_rng(0)
    a = np.asfortranarray(random.normal(size=(3, 3)) + 3 * np.eye(3))
    step = random.normal(size=(3, 3))
    found = run(f, [a.copy(order="F")], [True])
    h = 1e-6
    expected = (f(a + h * step) - f(a - h * step)) / (2 * h)
    np.testing.assert_allclose(found.jvp([step])[0], expected, atol=1e-8)
    weights = random.normal(size=np.shape(expected))
    assert np.sum(found.vjp([weights])[0] * step) == pytest.approx(np.sum(weights * expected), abs=1e-7)


def test_numbers_on_a_tape_are_python_s_or_numpy_s_own_kind():
    """The short ways for numbers of double precision give what the long ones do: kinds, values, derivatives."""

    def f(x, y):
        z = float(x) * y
        w = math.sin(z) + np.sin(y) * 2
        kinds = [isinstance(k, np.float64) for k in (z, w, math.sin(z))]
        return w / z if w > z else w * z, kinds

    step = 1e-6
    for x, y in [(0.7, 1.3), (np.float64(0.7), 1.3), (0.7, np.float64(1.3)), (np.float32(0.7), 1.3)]:
        found = run(f, [x, y], [True, True])
        value, kinds = f(x, y)
        assert found.value == [value, *kinds]
        a, b = float(x), float(y)
        slope = lambda one, other: (f(*one)[0] - f(*other)[0]) / (2 * step)
        want = [slope((a + step, b), (a - step, b)), slope((a, b + step), (a, b - step))]
        np.testing.assert_allclose(found.vjp([1.0, 0, 0, 0]), want, rtol=1e-6)
        np.testing.assert_allclose(found.jvp([1.0, 0.5])[0], want[0] + 0.5 * want[1], rtol=1e-6)


@pytest.mark.parametrize("name", ["iqr", "hmean", "linregress", "median", "a branch"])
def test_a_value_that_is_nan_has_no_derivative_of_0(name):
    """SciPy's code puts a constant NaN in place of the result; the derivative was 0."""
    x = np.array([0.3, 1.2, np.nan, 2.2, 0.9])
    functions = {
        "iqr": scipy.stats.iqr,
        "hmean": scipy.stats.hmean,
        "linregress": lambda x: scipy.stats.linregress(np.arange(5.0), x).slope,
        "median": np.median,
        "a branch": lambda x: np.nan if np.isnan(x).any() else np.sum(x),
    }
    recorded = run(functions[name], [x], [True])
    assert np.isnan(recorded.value[0])
    assert np.isnan(recorded.jvp([np.ones(5)])[0])
    assert np.isnan(recorded.vjp([1.0])[0]).any()
    assert not np.any(np.nan_to_num(recorded.vjp([0.0])[0]))


def test_a_nan_among_results_does_not_reach_the_others():
    x = np.array([0.3, -1.2, 2.2])
    recorded = run(lambda x: np.stack([np.sqrt(v) if v > 0 else np.array(np.nan) for v in x]), [x], [True])
    assert np.isfinite(recorded.vjp([np.array([1.0, 0.0, 1.0])])[0]).all()
    np.testing.assert_array_equal(np.isnan(recorded.jvp([np.ones(3)])[0]), [False, True, False])

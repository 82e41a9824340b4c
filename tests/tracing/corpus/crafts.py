"""How people write: dataclasses, closures, generators, caches, dictionaries, exceptions, views, splines, asserts."""

import collections
import contextlib
import copy
import dataclasses
import enum
import functools
import itertools
import math
import operator
import statistics
import types
import typing
import warnings

import numpy as np
import scipy.fft
import scipy.integrate
import scipy.interpolate
import scipy.linalg
import scipy.ndimage
import scipy.optimize
import scipy.signal
import scipy.sparse
import scipy.special
from numpy.lib.stride_tricks import as_strided, sliding_window_view
from numpy.polynomial import Chebyshev, Hermite, Polynomial

from tests.tracing.corpus.row import Rows

add = Rows("crafts")
A = np.array
V = A([0.4, 1.1, -0.3, 2.0, 0.9, -1.2])
S = np.sin(np.arange(12.0) * 0.9) + 0.2 * np.arange(12.0) + 0.3


# ---- NumPy's own ways of doing things


@add.on(V, A([0.5, 0.2, -0.4, 0.3, 1.0, 0.1]))
def added_at_places_that_repeat(weights, values):
    out = np.zeros(4)
    np.add.at(out, [0, 1, 1, 3, 0, 2], weights * values)
    np.subtract.at(out, np.array([3, 3]), 0.1 * weights[:2])
    np.multiply.at(out, [1, 1], values[:2])
    return out


@add.on(V)
def a_select_of_three_branches(x):
    return np.select([x < -0.5, x < 1.0, x >= 1.0], [np.sinh(x), x**2, np.log(np.abs(x) + 1)], default=np.nan)


@add.on(V, 1.3)
def piecewise_with_lambdas(x, k):
    return np.piecewise(
        x, [x < 0, (x >= 0) & (x < 1)], [lambda t: k * np.exp(t), lambda t: k + t**2, lambda t: k * t + 1]
    )


@add.on(V, S)
def interp_at_sorted_places(x, table):
    grid = np.linspace(-2, 3, len(table))
    return np.interp(np.sort(x), grid, table, left=table[0] - 1, right=table[-1] + 1)


@add.on(A([0.0, 0.4, 1.1, 1.9, 3.0]), A([1.0, 2.0, 0.5, -1.0, 0.3]))
def gradient_and_trapezoid_on_uneven_grids(x, y):
    dy = np.gradient(y, x, edge_order=2)
    running = scipy.integrate.cumulative_trapezoid(y, x, initial=0)
    return np.trapezoid(dy**2, x), running, scipy.integrate.simpson(y, x=x)


@add.on(np.arange(6.0).reshape(2, 3) * 0.3 + 0.1)
def gradient_of_two_axes(z):
    gy, gx = np.gradient(z, 0.5, 0.25)
    return np.hypot(gx, gy)


@add.on(S)
def rolling_statistics(x):
    w = sliding_window_view(x, 4)
    return w.mean(-1), w.std(-1, ddof=1), np.median(w, axis=-1), np.ptp(w, axis=-1)


@add.on(S)
def strided_autocorrelation(x):
    n = x.strides[0]
    lagged = as_strided(x, shape=(9, 4), strides=(n, n))
    return lagged.T @ lagged


@add.on(np.cos(np.arange(24.0)).reshape(2, 3, 4), A([[0.1, 0.2], [0.3, -0.4], [0.5, 0.6]]))
def einsum_of_several_kinds(t, m):
    a = np.einsum("ijk,jl->ikl", t, m)
    b = np.einsum("...ij->...ji", t)
    c = np.einsum(t, [0, 1, 2], t, [0, 1, 3], [2, 3])
    return np.einsum("ikl,ikl->", a, a), b.sum(0), np.trace(c), np.einsum("ii", c)


@add.on(V, 0.7)
def vectorized_with_a_branch(x, k):
    @np.vectorize
    def one(t, k):
        if t < 0:
            return k * math.exp(t)
        elif t < 1:
            return k + t
        return k + 1 + math.log(t)

    return one(x, k)


@add.on(A([[1.0, 2.0, 0.5], [0.3, 1.0, 0.2]]), A([0.5, -0.2, 0.1]))
def vectorized_with_a_signature(M, v):
    return np.vectorize(lambda row, v: np.dot(row, v) * row, signature="(n),(n)->(n)")(M, v)


@add.on(V)
def apply_along_and_over(x):
    m = x.reshape(2, 3)
    a = np.apply_along_axis(lambda r: r / np.linalg.norm(r), 1, m)
    return a, np.apply_over_axes(np.sum, m**2, [0, 1])


@add.on(V)
def fromiter_and_frompyfunc(x):
    squares = np.fromiter((v * v for v in x), dtype=float, count=len(x))
    return np.frompyfunc(lambda a: a**3 + 1, 1, 1)(squares).astype(float)


@add.on(np.cos(np.arange(12.0)).reshape(3, 4))
def index_tricks(m):
    i, j = np.triu_indices(3)
    top = m[:, :3][i, j]
    rows, cols = np.ogrid[:3, :4]
    picked = np.take_along_axis(m, np.argsort(m, axis=1), axis=1)
    return (
        np.r_[top, m[np.ix_([0, 2], [1, 3])].ravel()],
        np.c_[m, rows * m[:, :1] + cols[:, :1]],
        picked[:, -1],
    )


@add.on(np.cos(np.arange(12.0)).reshape(3, 4))
def splits_and_stacks(m):
    a, b = np.hsplit(m, 2)
    c = np.block([[a, b], [b, a]])
    d = np.dstack([a, b]).transpose(2, 0, 1)
    return np.linalg.norm(c, axis=0), np.tensordot(d, d, axes=([1, 2], [1, 2])), np.kron(a[0], b[1])


@add.on(V, A([2.0, 1.0, 0.5]))
def histograms_with_weights(values, w):
    counts, edges = np.histogram(np.arange(6) % 4, bins=4, range=(0, 4), weights=values)
    centres = (edges[1:] + edges[:-1]) / 2
    idx = np.digitize(np.arange(3) + 0.5, edges) - 1
    np.put(counts, idx, counts[idx] * w)
    return counts @ centres


@add.on(V)
def nan_functions(x):
    y = np.where(x > 1.5, np.nan, x)
    return (
        np.nanmean(y),
        np.nanstd(y),
        np.nanmax(y),
        np.nansum(y**2),
        np.nancumsum(y)[-1],
        np.nan_to_num(y, nan=0.3),
    )


@add.on(V)
def masked_arrays(x):
    m = np.ma.masked_where(x < 0, x)
    return m.mean(), np.ma.filled(m**2, 0.0).sum()


@add.on(V)
def structured_array_of_states(x):
    state = np.zeros(3, dtype=[("pos", float), ("vel", float)])
    state["pos"], state["vel"] = x[:3], x[3:]
    for _ in range(4):
        state["vel"] -= 0.1 * state["pos"]
        state["pos"] += 0.1 * state["vel"]
    return state["pos"] ** 2 + state["vel"] ** 2


@add.on(S)
def fourier_derivative_and_filter(x):
    k = 2j * np.pi * np.fft.rfftfreq(len(x), 0.1)
    spectrum = np.fft.rfft(x)
    spectrum[4:] = 0
    return np.fft.irfft(k * spectrum, n=len(x)), scipy.fft.dct(x, norm="ortho")[:3]


@add.on(V, 0.3)
def ufuncs_with_where_and_out(x, k):
    out = np.full_like(x, k)
    np.log(x, out=out, where=x > 0)
    np.divide(out, x, out=out, where=x != 0)
    return np.add.reduce(out), np.multiply.accumulate(out), np.maximum.outer(out[:2], x[:2])


@add.on(V)
def polynomials_by_classes(c):
    p = Polynomial(c[:4])
    q = p.deriv() * Polynomial([1, 2]) - p.integ(k=[0.5])
    t = Chebyshev(c[2:], domain=[-2, 2])
    h = Hermite(c[:3])
    return q(np.array([0.2, 0.7])), t(0.3) + t.deriv(2)(0.1), h(0.4), (p // Polynomial([1.0, 0.5])).coef


@add.on(A([1.0, -3.3, 2.1, 0.4]))
def roots_of_polynomials(c):
    r = np.roots(c)
    return np.sort_complex(r), np.poly(r)[1:].real, np.polyval(np.polyder(np.poly1d(c)), 0.5)


# ---- objects


@dataclasses.dataclass
class Spring:
    stiffness: float
    rest: float = 0.1
    history: list = dataclasses.field(default_factory=list)

    def force(self, x):
        self.history.append(x)
        return -self.stiffness * (x - self.rest)

    @property
    def energy(self):
        return sum(0.5 * self.stiffness * (x - self.rest) ** 2 for x in self.history)


@add.on(2.0, 0.7)
def a_dataclass_with_a_history(k, x):
    spring, v = Spring(k), 0.0
    for _ in range(5):
        v += 0.1 * spring.force(x)
        x += 0.1 * v
    softer = dataclasses.replace(spring, stiffness=k / 2)
    return spring.energy - softer.energy


class Layer:
    count = 0

    def __init__(self, w, activation=np.tanh):
        self.w, self.activation = w, activation
        type(self).count += 1

    def __call__(self, x):
        return self.activation(x @ self.w)

    def __matmul__(self, other):
        return Chained(self, other)


class Chained(Layer):
    def __init__(self, *layers):
        super().__init__(np.eye(2))
        self.layers = layers

    def __call__(self, x):
        return functools.reduce(lambda value, layer: layer(value), self.layers, x)

    def __iter__(self):
        yield from self.layers


@add.on(A([[0.3, -0.5], [0.8, 0.1]]), A([1.0, -0.4]))
def layers_that_are_called(w, x):
    net = Layer(w) @ Layer(w.T, activation=lambda z: z / (1 + np.abs(z)))
    penalty = sum(np.sum(layer.w**2) for layer in net)
    return net(x) - 0.01 * penalty


class Dual(typing.NamedTuple):
    re: float
    du: float

    def __mul__(self, other):
        return Dual(self.re * other.re, self.re * other.du + self.du * other.re)

    def __add__(self, other):
        return Dual(self.re + other.re, self.du + other.du)


@add.on(0.7, 1.2)
def dual_numbers_of_their_own(x, y):
    a, b = Dual(x, 1.0), Dual(y, 0.0)
    return tuple(a * a * b + b * a)


class Vector:
    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __rmul__(self, k):
        return Vector(k * self.x, k * self.y)

    def __abs__(self):
        return math.hypot(self.x, self.y)

    def __lt__(self, other):
        return abs(self) < abs(other)


@add.on(0.7, 1.2, -0.4)
def vectors_sorted_by_their_length(x, y, k):
    vectors = sorted([Vector(x, y), k * Vector(y, x), Vector(x, x) + Vector(k, k)])
    return [abs(v) * (i + 1) for i, v in enumerate(vectors)]


class Regime(enum.Enum):
    LAMINAR = 1
    TURBULENT = 2

    @classmethod
    def of(cls, reynolds):
        return cls.LAMINAR if reynolds < 2300 else cls.TURBULENT


@add.on(1.3, 0.05, 1e-3)
def friction_factor_by_regime(velocity, diameter, viscosity):
    reynolds = 1000 * velocity * diameter / viscosity
    match Regime.of(reynolds):
        case Regime.LAMINAR:
            f = 64 / reynolds
        case Regime.TURBULENT:
            f = 0.02
            for _ in range(50):
                new = (-2 * math.log10(1e-4 / 3.7 + 2.51 / (reynolds * math.sqrt(f)))) ** -2
                if math.isclose(new, f, rel_tol=1e-14):
                    break
                f = new
    return f


@add.on(0.4, 1.7)
def a_namespace_and_a_copied_dictionary(a, b):
    config = {"rates": [a, b], "opts": types.SimpleNamespace(scale=a * b)}
    other = copy.deepcopy(config)
    other["rates"][0] *= 2
    other["opts"].scale += 1
    return sum(config["rates"]) * other["opts"].scale + other["rates"][0]


class Memo(dict):
    def __missing__(self, n):
        value = self[n] = self.step * self[n - 1] + self[n - 2]
        return value


@add.on(0.3)
def a_dictionary_that_computes_what_is_missing(step):
    memo = Memo({0: 1.0, 1: step})
    memo.step = step
    return memo[12]


# ---- functions that make functions


@add.on(0.3, 2.0)
def recursion_with_a_cache(x, a):
    @functools.cache
    def legendre(n):
        if n < 2:
            return (1.0, x)[n]
        return ((2 * n - 1) * x * legendre(n - 1) - (n - 1) * legendre(n - 2)) / n

    return sum(a**-n * legendre(n) for n in range(8))


@add.on(0.2, 1.4)
def adaptive_quadrature_by_recursion(a, b):
    f = lambda t: math.exp(-t) * math.sin(3 * t)

    def simpson(lo, hi):
        return (hi - lo) / 6 * (f(lo) + 4 * f((lo + hi) / 2) + f(hi))

    def refine(lo, hi, whole, eps):
        mid = (lo + hi) / 2
        left, right = simpson(lo, mid), simpson(mid, hi)
        if abs(left + right - whole) <= 15 * eps:
            return left + right + (left + right - whole) / 15
        return refine(lo, mid, left, eps / 2) + refine(mid, hi, right, eps / 2)

    return refine(a, b, simpson(a, b), 1e-10)


@add.on(0.5, 1.5)
def a_pipeline_of_partials(x, k):
    compose = lambda *fs: functools.reduce(lambda f, g: lambda v: g(f(v)), fs)
    return compose(functools.partial(operator.mul, k), math.sqrt, functools.partial(pow, exp=3), np.log1p)(x)


@add.on(0.9, 0.2)
def a_generator_with_send(x, rate):
    def smoother():
        level = yield
        while True:
            value = yield level
            level = level + rate * (value - level)

    s = smoother()
    next(s)
    s.send(x)
    return [s.send(x * k) for k in range(1, 5)]


@add.on(S, 0.6)
def a_running_window_in_a_deque(x, k):
    window, out = collections.deque(maxlen=3), []
    for value in x:
        window.append(value)
        if len(window) == window.maxlen:
            out.append(math.fsum(window) / 3 - k * statistics.pstdev(window))
    return np.array(out)


@add.on(A([3.2, 1.1, 2.7, 0.4]))
def sorted_and_grouped(x):
    ranked = sorted(enumerate(x), key=lambda pair: -pair[1])
    groups = itertools.groupby(ranked, key=lambda pair: pair[0] % 2)
    sums = collections.defaultdict(float)
    for key, members in groups:
        sums[key] += sum(v * (i + 1) for i, v in members)
    return [sums[k] for k in sorted(sums)]


@add.on(1.7, 0.3)
def bisection_with_a_tolerance(c, k):
    lo, hi = 0.0, 4.0
    f = lambda x: x + k * math.sin(x) - c
    while hi - lo > 1e-3:
        mid = 0.5 * (lo + hi)
        lo, hi = (mid, hi) if f(mid) < 0 else (lo, mid)
    x = 0.5 * (lo + hi)
    for _ in range(4):
        x -= f(x) / (1 + k * math.cos(x))
    return x


@add.on(0.8, -0.5)
def exceptions_as_control_flow(x, y):
    total = 0.0
    for value in (x, y, x * y):
        try:
            total += math.sqrt(value)
        except ValueError:
            total -= value**2
        else:
            total *= 1.1
        finally:
            total += 0.01 * value
    return total


@add.on(V)
def errors_warnings_and_asserts(x):
    np.testing.assert_array_less(x, 10.0)
    assert x.ndim == 1 and np.isfinite(x).all(), f"bad input {x}"
    with np.errstate(divide="ignore", invalid="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        y = np.log(x) / x
    if not np.all(np.isfinite(y)):
        warnings.warn(f"dropped {np.sum(~np.isfinite(y))} values", stacklevel=2)
    y = y[np.isfinite(y)]
    np.testing.assert_allclose(y, y + 1e-16, rtol=1e-7)
    return y.sum(), f"{y.mean():.3f}" and y.mean()


@add.on(A([2.0, 1.0, 3.0]), 0.5)
def comprehension_of_dictionaries(x, k):
    named = {f"x{i}": v for i, v in enumerate(x)}
    scaled = {name: (v if name == "x1" else k * v) for name, v in named.items()}
    best = max(scaled, key=scaled.get)
    return scaled.pop(best) ** 2 + sum(scaled.values())


@add.on(1.2, 0.7)
def a_context_manager_that_counts(x, y):
    log = []

    @contextlib.contextmanager
    def scaled(k):
        log.append(k)
        yield lambda v: v * k
        log.append(-k)

    with scaled(x) as f, scaled(y) as g:
        value = f(g(2.0))
    return value + sum(log[:2])


@add.on(A([0.5, 1.5, 2.5]))
def a_walrus_and_a_while_else(x):
    total, it = 0.0, iter(x)
    while (v := next(it, None)) is not None:
        total += v**2
    else:
        total = -total
    first, *rest = x
    return total + first * math.prod(rest)


@add.on(0.3, 1.2)
def function_table_in_a_dictionary(x, y):
    ops = {"+": operator.add, "*": operator.mul, "^": operator.pow, "/": operator.truediv}
    stack = []
    for token in ["x", "y", "+", "y", "x", "^", "*", "y", "/"]:
        if token in ops:
            b, a = stack.pop(), stack.pop()
            stack.append(ops[token](a, b))
        else:
            stack.append({"x": x, "y": y}[token])
    return stack[0]


# ---- SciPy's objects


@add.on(A([1.0, 0.5, 1.8, -0.2, 0.7]), 1.3)
def splines_as_objects(y, at):
    x = np.array([0.0, 0.5, 1.2, 2.0, 2.7])
    c = scipy.interpolate.CubicSpline(x, y, bc_type="natural")
    p = scipy.interpolate.PchipInterpolator(x, y)
    a = scipy.interpolate.Akima1DInterpolator(x, y)
    return c(at), c(at, 1), c.integrate(0.1, at), p(at), p.derivative()(at), a(at)


@add.on(A([1.0, 0.5, 1.8, -0.2, 0.7]), 1.3)
def interp1d_and_b_splines(y, at):
    x = np.array([0.0, 0.5, 1.2, 2.0, 2.7])
    lin = scipy.interpolate.interp1d(x, y)
    cub = scipy.interpolate.make_interp_spline(x, y, k=3)
    bary = scipy.interpolate.BarycentricInterpolator(x, y)
    return lin(at), cub(at), cub.derivative()(at), bary(at)


@add.on(np.sin(np.arange(12.0)).reshape(3, 4), 0.4, 1.6)
def grids_and_scattered_points(z, u, v):
    grid = scipy.interpolate.RegularGridInterpolator((np.arange(3.0), np.arange(4.0)), z, method="linear")
    sites = np.array([[0.0, 0.0], [1.0, 0.1], [0.2, 1.0], [1.1, 1.2]])
    rbf = scipy.interpolate.RBFInterpolator(sites, z[0], kernel="cubic")
    return grid([[u, v], [v, u]]), rbf([[u, v]])


@add.on(A([1.0, 2.0, 0.5, 0.3, 1.5]), A([0.2, 1.0, 0.7]))
def sums_of_sparse_matrices(data, x):
    i, j = [0, 0, 1, 2, 2], [0, 2, 1, 0, 2]
    m = scipy.sparse.csr_matrix((data, (i, j)), shape=(3, 3))
    rows, cols = np.asarray(m.sum(axis=1)).ravel(), np.asarray(m.sum(axis=0)).ravel()
    normal = scipy.sparse.diags(1 / rows) @ m
    return normal @ x, cols * m.diagonal(), m.multiply(m).sum(), (m.T @ m).toarray().trace()


@add.on(A([1.0, 2.0, 0.5, 0.3, 1.5]))
def means_and_powers_of_sparse_arrays(data):
    m = scipy.sparse.coo_array((data, ([0, 0, 1, 2, 2], [0, 2, 1, 0, 2])), shape=(3, 3)).tocsr()
    return (
        m.mean(axis=0),
        m.max(axis=1).toarray(),
        m.power(2).sum(axis=1),
        abs(m).sum(),
        m[0].sum(),
        m[:, [2]].toarray(),
    )


@add.on(A([1.0, 2.0, 0.5, 0.3]))
def adjacency_and_laplacian(w):
    m = scipy.sparse.lil_matrix((3, 3))
    for k, (i, j) in enumerate([(0, 1), (1, 2), (0, 2)]):
        m[i, j] = m[j, i] = w[k]
    L = scipy.sparse.csgraph.laplacian(m.tocsr())
    return L.toarray(), scipy.sparse.csgraph.laplacian(m.toarray(), normed=True) * w[3]


@add.on(S)
def filters_in_a_row(x):
    b, a = scipy.signal.butter(2, 0.3)
    y = scipy.signal.filtfilt(b, a, x)
    z = scipy.ndimage.gaussian_filter1d(x, 1.2, mode="nearest")
    return y, z, scipy.signal.savgol_filter(x, 5, 2), scipy.signal.detrend(x), scipy.signal.medfilt(x, 3)


@add.on(1.5, 0.3)
def a_solver_inside_a_solver(a, b):
    inner = lambda p: scipy.optimize.brentq(lambda x: x**3 + p * x - a, -5, 5)
    res = scipy.optimize.minimize_scalar(
        lambda p: (inner(p) - b) ** 2 + 0.1 * p**2,
        bounds=(0.1, 3),
        method="bounded",
        options={"xatol": 1e-10},
    )
    return inner(res.x)


@add.on(1.3, 0.8)
def least_squares_of_a_curve(height, noise):
    t = np.linspace(0, 2, 9)
    data = height * np.exp(-0.7 * t) + 0.05 * noise * np.cos(5 * t)
    popt, _ = scipy.optimize.curve_fit(
        lambda t, a, k: a * np.exp(-k * t), t, data, p0=(1.0, 0.4), xtol=1e-13, ftol=1e-13
    )
    return popt


@add.on(A([1.0, 0.0]), 0.4)
def odeint_with_a_closure(y0, mu):
    def rhs(y, t):
        return [y[1], mu * (1 - y[0] ** 2) * y[1] - y[0]]

    return scipy.integrate.odeint(rhs, y0, np.linspace(0, 1, 4), rtol=1e-10, atol=1e-12)[-1]


ROWS = list(add)

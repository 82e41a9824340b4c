"""Habits of Python and NumPy that make code hard to follow: state, in-place work, odd calls, odd control flow."""

import bisect
import contextlib
import copy
import enum
import heapq
import itertools
import math
import operator
import statistics
import types
from functools import cache, partial, reduce, singledispatch

import numpy as np
from numpy.lib.stride_tricks import as_strided, sliding_window_view
from scipy import (
    fft,
    integrate,
    interpolate,
    linalg,
    ndimage,
    optimize,
    signal,
    sparse,
    spatial,
    special,
    stats,
)

from tests.tracing.corpus.row import Rows

add = Rows("habits")
X = [0.31, -0.72, 1.15, 0.58, -1.4, 0.9, 0.22, -0.45]
P = [0.4, 1.3, 0.7, 2.1, 1.6, 0.9]
M = [[2.9, 0.3, -0.4], [0.2, 3.4, 0.5], [-0.1, 0.6, 1.7]]

# ---- state


class Reservoir:
    """Stages are slots of a list; the log grows."""

    __slots__ = ("level", "log", "rate")

    def __init__(self, level, rate):
        self.level, self.rate, self.log = level, rate, []

    def step(self, inflow):
        spill = max(self.level + inflow - 2.0, 0.0)
        self.level += inflow - self.rate * self.level**1.5 - spill
        self.log.append((self.level, spill))
        return self

    def __iter__(self):
        return iter(self.log)


def reservoir(level, rate, inflow):
    tank = Reservoir(level, rate)
    for q in inflow:
        tank.step(q)
    return sum(a * (k + 1) for k, (a, _) in enumerate(tank)) + sum(b for _, b in tank)


class Ring:
    """A buffer whose place is taken modulo its size."""

    def __init__(self, size):
        self.buffer, self.at = np.zeros(size), 0

    def push(self, x):
        self.buffer[self.at % len(self.buffer)] = x
        self.at += 1
        return self.buffer.mean() + 0.3 * self.buffer[self.at % len(self.buffer)]


def echo(x):
    ring = Ring(3)
    return np.array([ring.push(v) for v in x])


class Phase(enum.Enum):
    SOLID = 1.0
    LIQUID = 2.0
    GAS = 3.0

    def heat(self, T):
        return {Phase.SOLID: 0.1 * T**2, Phase.LIQUID: 3 * T, Phase.GAS: 2 * math.sqrt(T)}[self]


def enthalpy(T):
    phase = next(p for p, top in zip(Phase, (0.6, 1.4, math.inf), strict=True) if top > T)
    return phase.heat(T) * phase.value


class Vector:
    def __init__(self, *xs):
        self.xs = xs

    def __add__(self, other):
        return Vector(*map(operator.add, self.xs, other.xs))

    def __mul__(self, s):
        return Vector(*(s * x for x in self.xs))

    __rmul__ = __mul__

    def __abs__(self):
        return math.hypot(*self.xs)

    def __matmul__(self, other):
        return math.fsum(a * b for a, b in zip(self.xs, other.xs, strict=True))


def bounce(a, b, c):
    v, w = Vector(a, b, c), Vector(1.0, -0.4, 0.3)
    return abs(v + 2 * w) + (v @ w) * abs(w)


def undo(x):
    """Copies of a state that are put back."""
    state = {"x": np.array(x), "best": [np.inf]}
    kept = copy.deepcopy(state)
    for k in range(3):
        state["x"] *= 1 + 0.1 * k
        energy = float(np.sum(state["x"] ** 2))
        if energy < state["best"][0] * 1.02:
            state["best"][0] = energy
        else:
            state = copy.deepcopy(kept)
    return state["x"] * state["best"][0]


# ---- in place


def views(x):
    a = x.copy()
    even, back = a[::2], a[::-1]
    even *= 2
    back[1:3] += even[:2]
    a.reshape(2, -1)[1] -= a[:4]
    return a


def outs(x):
    out = np.empty_like(x)
    np.multiply(x, x, out=out)
    np.add(out, 1, out=out, where=x > 0)
    np.cumsum(out, out=out)
    np.clip(out, 0.3, 4.0, out=out)
    return out / np.sqrt(out, out=np.ones_like(x), where=out > 1)


def scatter(x):
    a = np.zeros(5)
    np.add.at(a, [0, 1, 1, 4, 4, 4, 2, 0], x)
    np.multiply.at(a, [1, 1], x[:2])
    np.maximum.at(a, [3, 2], x[2:4])
    return a


def puts(x):
    a = np.zeros((4, 3))
    np.put(a, [0, 5, 11], x[:3])
    np.put_along_axis(a, np.array([[2, 0, 1]]), x[3:6].reshape(1, 3), axis=0)
    np.fill_diagonal(a, a.diagonal() + x[5:8])
    np.copyto(a, 2 * a, where=a > 0.5)
    np.place(a, a < -1, x[:2])
    a[np.ix_([1, 3], [0, 2])] += np.outer(x[:2], x[2:4])
    return a


def swapped(x):
    a = x.copy()
    a[0], a[1] = a[1], a[0] * 2
    a[[2, 3]] = a[[3, 2]]
    a[4:], b = a[4:] ** 2, a[4:].copy()
    return np.concatenate([a, b])


def augmented(x):
    y = x
    y = y + 0.0
    y **= 2
    y -= y.mean()
    y /= y.std(ddof=1)
    y[y > 1] = 1
    y[np.abs(y) < 0.2] *= 3
    return y @ x


def structured(x):
    table = np.zeros(4, dtype=[("mass", float), ("pos", float, 2)])
    table["mass"] = np.abs(x[:4])
    table["pos"][:, 0] = x[4:]
    table["pos"][:, 1] = x[:4] ** 2
    return (table["mass"][:, None] * table["pos"]).sum(0) / table["mass"].sum()


def recarray(x):
    r = np.rec.fromarrays([x[:4], x[4:] ** 2], names="a,b")
    return r.a * r.b


# ---- shapes


def strided(x):
    return as_strided(x, (6, 3), x.strides * 2).std(axis=1)


def windows(x):
    w = sliding_window_view(x, 3)
    return np.median(w, axis=-1) + w.max(-1) - np.ptp(w, axis=-1)


def fancy(x):
    a = x.reshape(2, 4)
    return (
        a[[1, 0, 1], [3, 0, 2]] * a[..., None, 1:3].sum()
        + a[:, a[0] > 0].sum()
        + a.flat[5]
        + np.take(a, 9, mode="wrap")
    )


def choices(x):
    a = np.choose((x > 0).astype(int), [x**2, np.sin(x)])
    b = np.piecewise(x, [x < -0.5, x > 0.5], [lambda t: -t, lambda t: t**2, 0.25])
    c = np.select([x > 1, x > 0], [x, x**3], default=-1)
    return a + b * c + np.compress([True, False] * 4, x).sum() + np.extract(x > 0.3, x).prod()


def folds(x):
    return (
        np.logaddexp.reduce(x)
        + np.multiply.accumulate(x + 2)[-2]
        + np.add.reduceat(x, [0, 3, 5]) @ [1, 2, 3]
        + np.subtract.outer(x, x[:2]).max()
        + np.hypot.reduce(x)
    )


def einsums(m):
    return (
        np.einsum("ij,jk,ki->", m, m, m)
        + np.einsum("ii->i", m)
        + np.einsum("ij->j", m)
        + np.tensordot(m, m, 2)
        + np.kron(m[:2, :2], m).trace()
        + np.linalg.multi_dot([m, m.T, m])[0]
    )


def blocks(m):
    b = np.block([[m, np.eye(3)], [np.zeros((1, 3)), np.ones((1, 3)) * m[0, 0]]])
    return (
        np.linalg.norm(np.pad(b, 1, mode="reflect"), axis=0)
        + np.roll(np.rot90(m), 1, 0).sum()
        + np.tril(m)[2] @ np.triu(m, 1)[0]
    )


def diffs(x):
    return np.concatenate(
        [
            np.diff(x, 2, prepend=0.0),
            np.ediff1d(x),
            np.gradient(x, np.arange(8.0) ** 1.3),
            [np.trapezoid(x, dx=0.2)],
        ]
    )


def sorts(x):
    i = np.argsort(-x)
    return np.concatenate(
        [
            x[i],
            np.partition(x, 3)[3:4],
            x[np.lexsort((x, np.round(x)))],
            np.sort(x)[::2] ** 2,
            [np.quantile(x, 0.3, method="hazen"), np.nanpercentile(x, 70)],
        ]
    )


def bins(x):
    edges = np.linspace(-2, 2, 6)
    count = np.histogram(x, edges, weights=x**2)[0]
    which = np.digitize(x, edges)
    total = np.bincount(which, weights=np.exp(x), minlength=7)
    value, inverse = np.unique(np.sign(x), return_inverse=True)
    return count @ total[:5] + (value[inverse] * x).sum() + stats.binned_statistic(x, x**3, "sum", edges)[0]


def polys(p):
    q = np.polynomial.Polynomial(p)
    c = np.polynomial.chebyshev.chebval(0.3, p)
    return (
        q(0.7)
        + q.deriv()(1.1) * c
        + q.integ()(0.2)
        + np.polynomial.legendre.Legendre(p)(0.4)
        + np.poly1d(p)(0.3)
    )


def complexes(x):
    z = x[:4] + 1j * x[4:]
    z[0] *= 1j
    z.imag += 0.3
    z.real[1] = x[7]
    return np.abs(np.fft.ifft(np.exp(z) * z.conj())) + np.angle(z) + np.unwrap(np.angle(z * 3))


# ---- control flow


def collatz(x):
    n = 0
    while x > 1 and n < 50:
        x = x / 2 if int(x) % 2 == 0 else 0.75 * x + 0.2
        n += 1
    else:
        x += 0.1 * n
    return x


def tries(x):
    total = 0.0
    for v in x:
        try:
            if v < 0:
                raise ValueError(v)
            total += math.sqrt(v)
        except ValueError as error:
            total += error.args[0] ** 2
        finally:
            total *= 1.01
    return total


def matched(kind, x):
    match (kind, len(x)):
        case ("sum", n) if n > 3:
            return reduce(operator.add, x) / n
        case (("prod" | "mul"), _):
            return math.prod(x)
        case _:
            raise ValueError(kind)


@singledispatch
def measure(shape):
    raise TypeError


@measure.register
def _(shape: types.SimpleNamespace):
    return math.pi * shape.r**2 / shape.h


@measure.register(dict)
def _(shape):
    return shape["r"] ** 3 + shape.get("h", 1.0)


def dispatched(r, h):
    return measure(types.SimpleNamespace(r=r, h=h)) + measure({"r": r}) + measure({"r": h, "h": r})


def walrus(x):
    out = []
    queue = list(x)
    while queue and (v := queue.pop()) is not None:
        if (s := v * v) > 0.4:
            out.append(s)
        elif len(queue) > 2:
            queue.insert(0, 1.1 + v) if v > 0.25 else out.append(v)
    return sum(w * (i + 1) for i, w in enumerate(out))


def heap(x):
    h = []
    for i, v in enumerate(x):
        heapq.heappush(h, (v, i))
    return sum(heapq.heappop(h)[0] * k for k in range(1, 5)) + heapq.nlargest(2, x)[1] ** 2


def table(t):
    xs, ys = [0.0, 0.5, 1.2, 2.0], [1.0, 0.3, 0.8, 2.2]
    i = bisect.bisect_right(xs, t) - 1
    w = (t - xs[i]) / (xs[i + 1] - xs[i])
    return (1 - w) * ys[i] + w * ys[i + 1] ** 1.5


def co_routine(x):
    def average():
        total, n, mean = 0.0, 0, 0.0
        while True:
            v = yield mean
            total, n = total + v * (1 + 0.1 * n), n + 1
            mean = total / n

    g = average()
    next(g)
    return np.array([g.send(v) for v in x])


@contextlib.contextmanager
def scaled(box, s):
    box["s"], before = s, box["s"]
    try:
        yield box
    finally:
        box["s"] = before


def contexts(a, b):
    box = {"s": a}
    with scaled(box, a * b) as inner, np.errstate(over="raise"):
        y = np.exp(inner["s"])
    return y * box["s"]


def pascal(x):
    @cache
    def c(n, k):
        return 1.0 if k in (0, n) else c(n - 1, k - 1) * x + c(n - 1, k)

    return c(7, 3) + c(5, 2)


def nonlocals(x):
    calls, total = 0, 0.0

    def residual(v):
        nonlocal calls, total
        calls += 1
        total = total + v**2 / calls
        return total

    return [residual(v) for v in x][-1] + sum(map(partial(residual), itertools.accumulate(x)))


def formatted(x):
    names = {f"p{i}": v for i, v in enumerate(x)}
    return eval("p0*p1+sin(p2)", {"__builtins__": {}, "sin": math.sin}, names)


def averages(x):
    v = list(x)
    return (
        statistics.fmean(v)
        + statistics.pvariance(v)
        + statistics.median(v)
        + statistics.linear_regression(range(8), v).slope
    )


def rounds(x):
    k, part = divmod(x, 0.5)
    return (
        k * part
        + math.fmod(x, 0.7)
        + math.modf(x)[0] ** 2
        + math.copysign(x, -1)
        + math.ldexp(x, 2)
        + math.frexp(x)[0]
        + math.remainder(x, 0.4)
        + x // 0.3
        + x % 0.3
    )


def shooting(a, g):
    y, v, t, dt = 0.0, a, 0.0, 0.05
    while True:
        y1, v = y + dt * v, v - dt * (g + 0.1 * v * abs(v))
        t += dt
        if y1 < 0:
            return t - dt * y1 / (y1 - y)
        y = y1


def noisy(x):
    rng = np.random.default_rng(3)
    e = rng.normal(size=(50, 8))
    p = rng.permutation(8)
    keep = rng.random(8) > 0.3
    return np.tanh(e @ x).mean() + x[p][keep].sum() + np.random.RandomState(0).choice(5)


def metropolis(x, s):
    rng = np.random.default_rng(0)
    path = [x]
    for _ in range(12):
        new = path[-1] + s * rng.standard_normal()
        path.append(new if math.log(rng.random()) < (path[-1] ** 2 - new**2) / 2 else path[-1])
    return np.mean(path)


# ---- SciPy inside


def events(k, v):
    hit = lambda t, y, k: y[0] - 0.2
    hit.terminal, hit.direction = True, -1
    s = integrate.solve_ivp(
        lambda t, y, k: [y[1], -k * y[0]], (0, 9), [1.0, v], args=(k,), events=hit, rtol=1e-10, atol=1e-12
    )
    return s.t_events[0][0] + s.y[1, -1]


def dense(k):
    s = integrate.solve_ivp(
        lambda t, y: -k * y * (1 - y / 4),
        (0, 2),
        [1.0],
        dense_output=True,
        rtol=1e-9,
        atol=1e-11,
        method="DOP853",
    )
    return s.sol(np.linspace(0, 2, 4))[0]


def quads(a):
    return (
        integrate.quad(lambda x: math.exp(-a * x * x), 0, np.inf)[0]
        + integrate.dblquad(lambda y, x: x * math.exp(-a * y), 0, 1, lambda x: 0, lambda x: 1 + a * x)[0]
        + integrate.quad_vec(lambda x: np.array([np.exp(a * x), np.sin(a * x)]), 0, 1)[0].sum()
        + integrate.fixed_quad(lambda x: x**a, 0.1, 1, n=7)[0]
    )


def roots(a, b):
    r = optimize.root_scalar(lambda x: x**3 + a * x - b, bracket=[0, 5], method="brentq").root
    s = optimize.fsolve(lambda v: [v[0] + a * v[1] - b, v[0] ** 2 + v[1] - a], [1.0, 1.0])
    return (
        r * s.sum()
        + optimize.newton(lambda x: math.cos(x) - a * x, 0.5)
        + optimize.fixed_point(lambda x: np.exp(-a * x), 0.5, xtol=1e-13)
    )


def fits(y):
    t = np.arange(8.0)
    c, _ = optimize.curve_fit(lambda t, a, b: a * np.exp(-0.1 * t) + b, t, y, p0=[1.0, 0.0])
    ls = optimize.least_squares(lambda p: p[0] + p[1] * t**2 - y, [0.0, 0.0]).x
    nn, _ = optimize.nnls(np.stack([t, t**2, 1 + 0 * t], 1), y + 3)
    return np.concatenate([c, ls, nn])


def minimised(a):
    r = optimize.minimize(
        lambda v: (v[0] - a) ** 2 + 5 * (v[1] - v[0] ** 2) ** 2 + v[1], [0.5, 0.5], method="BFGS", tol=1e-10
    )
    return (
        r.x @ [1.0, 2.0]
        + r.fun
        + optimize.minimize_scalar(
            lambda x: (x - a) ** 4 + x**2, bounds=(-2, 3), method="bounded", options={"xatol": 1e-12}
        ).x
    )


def curves(y):
    t = np.arange(8.0)
    q = np.array([0.4, 2.2, 5.9])
    return (
        interpolate.CubicSpline(t, y, bc_type="natural")(q)
        + interpolate.Akima1DInterpolator(t, y)(q)
        + interpolate.interp1d(t, y, kind="quadratic")(q)
        + np.interp(q, t, y)
        + interpolate.BarycentricInterpolator(t, y)(q)
        + interpolate.make_interp_spline(t, y, 3)(q, 1)
        + interpolate.RBFInterpolator(t[:, None], y)(q[:, None])
    )


def surfaces(m):
    g = np.arange(3.0)
    r = interpolate.RegularGridInterpolator((g, g), m)([[0.3, 1.2], [1.7, 0.4]])
    return (
        r * ndimage.gaussian_filter(m, 0.8)[1, 1]
        + ndimage.map_coordinates(m, [[0.5, 1.5], [0.5, 1.1]], order=1)
        + ndimage.laplace(m)[0, 0]
        + ndimage.uniform_filter(m, 2).sum()
        + ndimage.center_of_mass(m)[0]
    )


def signals(x):
    b, a = signal.butter(2, 0.3)
    sos = signal.butter(3, 0.4, output="sos")
    return (
        signal.lfilter(b, a, x)
        + signal.sosfilt(sos, x)
        + np.convolve(x, [0.2, 0.5, 0.3], "same")
        + signal.fftconvolve(x, x, "same")
        + signal.detrend(x)
        + signal.medfilt(x, 3)
        + signal.savgol_filter(x, 5, 2)
        + signal.correlate(x, x[:3], "same")
        + signal.windows.hann(8) * x
    )


def spectra(x):
    f, p = signal.periodogram(x, window="hamming")
    return (
        (f * p).sum()
        + np.abs(fft.rfft(x, 16))[:5]
        + fft.dct(x, norm="ortho")[:5]
        + np.abs(signal.stft(x, nperseg=4)[2]).sum()
        + fft.fftshift(np.abs(fft.fft2(x.reshape(2, 4))))[0, 0]
        + np.abs(signal.hilbert(x)).max()
        + signal.resample(x, 5)
    )


def sparses(x):
    A = sparse.diags_array([x[:3], x[3:5], x[5:7]], offsets=[0, 1, -1], format="csr")
    B = sparse.coo_array((x[:4], ([0, 1, 2, 2], [2, 1, 0, 0])), shape=(3, 3)).tocsr()
    return (A @ B).toarray() @ x[:3] + (A + 2 * B.T).sum(0) + sparse.kron(A, B).trace()


def distances(m):
    d = spatial.distance.cdist(m, m + 0.3, "cityblock")
    i = spatial.cKDTree(m).query([1.0, 1.0, 1.0])[1]
    p = spatial.distance.pdist(m, "correlation")
    return d.min(0) + m[i] + spatial.distance.squareform(p)[0] + spatial.distance.cosine(m[0], m[1])


def hulls(x):
    points = np.stack([x[:4], x[4:]], 1)
    h = spatial.ConvexHull(points)
    v = points[h.vertices]
    return 0.5 * abs(v[:, 0] @ np.roll(v[:, 1], 1) - v[:, 1] @ np.roll(v[:, 0], 1))


def tests(x):
    return np.array(
        [
            stats.ttest_1samp(x, 0.1).pvalue,
            stats.pearsonr(x, x**3).statistic,
            stats.linregress(np.arange(8.0), x).intercept,
            stats.skew(x),
            stats.kurtosis(x),
            stats.gaussian_kde(x)(0.2)[0],
            stats.norm(x[0], 1.2).logpdf(0.3),
            stats.gamma.sf(1.1, 2 + x[1]),
            stats.f_oneway(x[:4], x[4:]).statistic,
            stats.zscore(x)[2],
            stats.trim_mean(x, 0.2),
            stats.spearmanr(x, x**2).statistic,
        ]
    )


def likelihoods(p):
    d = stats.multivariate_normal(p[:2], [[1.2 + p[0], 0.1], [0.1, 0.8 + p[1]]])
    return (
        d.logpdf([0.3, 0.4])
        + stats.t(4 + p[2]).ppf(0.7)
        + stats.beta(p[3], p[4]).entropy()
        + stats.poisson.logpmf(3, p[5])
        + stats.weibull_min(1 + p[0]).mean()
        + stats.nbinom(3, 0.2 + 0.1 * p[2]).logcdf(4)
        + special.logsumexp(p, b=p**2)
        + stats.dirichlet.logpdf([0.2, 0.3, 0.5], p[:3])
    )


def algebra(m):
    s = m + m.T
    w, v = np.linalg.eigh(s)
    r = np.linalg.qr(m)[1]
    lu = linalg.lu_factor(m)
    d = np.linalg.svd(m)[1]
    return (
        w * np.abs(v[0])
        + np.abs(np.diag(r))
        + linalg.lu_solve(lu, m[0])
        + linalg.expm(m)[1] / 9
        + d
        + linalg.sqrtm(s).real[0]
        + np.linalg.pinv(m)[2]
        + np.linalg.matrix_power(m, -2)[0]
        + linalg.solve_triangular(np.tril(m), m[1], lower=True)
        + np.linalg.slogdet(m)[1]
        + linalg.cho_solve(linalg.cho_factor(s), m[2])
        + linalg.null_space(m[:2])[0, 0] ** 2
    )


def power_iteration(m):
    v = np.ones(3)
    old = 0.0
    for k in itertools.count():
        w = m @ v
        new = np.linalg.norm(w)
        v = w / new
        if abs(new - old) < 1e-13 * new or k > 500:
            break
        old = new
    return new


def jacobi(m):
    a = (m + m.T) / 2
    for _ in range(6):
        for i, j in itertools.combinations(range(3), 2):
            t = 0.5 * math.atan2(2 * a[i, j], a[j, j] - a[i, i])
            c, s = math.cos(t), math.sin(t)
            r = np.eye(3)
            r[i, i], r[j, j], r[i, j], r[j, i] = c, c, s, -s
            a = r.T @ a @ r
    return np.sort(a.diagonal())


def gauss(m):
    a = np.hstack([m, np.eye(3)])
    for i in range(3):
        p = i + np.argmax(np.abs(a[i:, i]))
        if p != i:
            a[[i, p]] = a[[p, i]]
        a[i] /= a[i, i]
        for j in set(range(3)) - {i}:
            a[j] -= a[j, i] * a[i]
    return a[:, 3:]


def dynamic_warp(x):
    a, b = x[:4], x[4:]
    d = np.full((5, 5), np.inf)
    d[0, 0] = 0
    for i, j in np.ndindex(4, 4):
        d[i + 1, j + 1] = (a[i] - b[j]) ** 2 + min(d[i, j + 1], d[i + 1, j], d[i, j])
    return d[-1, -1]


def life(x):
    g = x.reshape(2, 4).copy()
    it = np.nditer(g, flags=["multi_index"], op_flags=["readwrite"])
    for c in it:
        c[...] = c**2 + it.multi_index[1]
    return g


def enumerated(m):
    out = np.zeros_like(m)
    for (i, j), v in np.ndenumerate(m):
        out[j, i] = v * (i + 1) + out[i, j]
    return (
        np.apply_along_axis(lambda r: r / np.linalg.norm(r), 1, out)
        + np.vectorize(lambda v: v**2 if v > 1 else v)(m)
        + np.apply_over_axes(np.sum, out, [0])
    )


def objects(x):
    a = np.array([[v, 2 * v] for v in x], dtype=object)
    return float((a[:, 0] * a[:, 1]).sum())


def from_buffers(x):
    return np.frombuffer(x.tobytes()) ** 2


def strings(x):
    return np.array([float(f"{v:.12g}") for v in x]).sum()


def listed(x):
    a = x.tolist()
    a.sort()
    a[1:3] = [a[1] * a[2]]
    a.extend(v for v in x if v > 1)
    return np.array([*a, max(a, key=abs), min(a), sum(a[::2])])


def items(x):
    return (
        math.exp(x.item(2))
        + x.max().item()
        + float(x[1]) * x[0].real
        + np.float64(x[3]) ** 2
        + abs(complex(x[0], x[1]))
    )


for f in (
    echo,
    undo,
    views,
    outs,
    scatter,
    puts,
    swapped,
    augmented,
    structured,
    recarray,
    strided,
    windows,
    fancy,
    choices,
    folds,
    diffs,
    sorts,
    bins,
    complexes,
    tries,
    walrus,
    heap,
    co_routine,
    nonlocals,
    formatted,
    averages,
    noisy,
    fits,
    curves,
    signals,
    spectra,
    sparses,
    hulls,
    tests,
    dynamic_warp,
    life,
    objects,
    from_buffers,
    strings,
    listed,
    items,
):
    add(f, X)
for f in (einsums, blocks, surfaces, distances, algebra, power_iteration, jacobi, gauss, enumerated):
    add(f, M)
add(reservoir, 1.2, 0.3, [0.4, 0.9, 1.4, 0.2])
add(enthalpy, 0.9)
add(bounce, 0.3, 0.7, -0.2)
add(polys, P)
add(collatz, 7.7)
add(lambda x: matched("sum", x) + matched("mul", list(x)), X, id="matched")
add(dispatched, 0.8, 1.7)
add(table, 0.9)
add(contexts, 0.6, 0.8)
add(pascal, 0.7)
add(rounds, 1.87)
add(shooting, 2.3, 1.4)
add(metropolis, 0.4, 0.7)
add(events, 1.3, 0.4)
add(dense, 0.7)
add(quads, 0.8)
add(roots, 1.2, 2.3)
add(minimised, 0.8)
add(likelihoods, P)

ROWS = list(add)

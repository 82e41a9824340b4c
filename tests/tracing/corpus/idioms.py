"""Idioms of NumPy and Python: views, iteration, ufunc methods, classes, generators, exceptions."""

import abc
import array as pyarray
import cmath
import collections
import dataclasses
import decimal
import fractions
import functools
import itertools
import json
import math
import operator
import statistics

import numpy as np
import numpy.polynomial as npoly
from numpy.lib import stride_tricks

from tests.tracing.corpus.row import Rows

add = Rows("idioms")

A = np.array


V = A([0.31, -0.72, 1.15, 0.58, -1.4, 0.9])


M = A([[2.9, 0.3, -0.4], [0.2, 3.4, 0.5], [-0.1, 0.6, 1.7]])


@add.on(V)
def view_chain(x):
    a = x.copy()
    b = a[1:]
    c = b[::2]
    d = c.reshape(-1, 1)
    d *= 2.0
    b[0] += a[1]
    return a, c.sum()


@add.on(V)
def newaxis_view_writes(x):
    a = x.copy()
    v = a[None, :, None]
    v[0, 2:4, 0] = a[:2]
    v -= 0.5
    return a


@add.on(M)
def diag_view_read(m):
    a = m.copy()
    d = np.diagonal(a)
    e = np.einsum("ii->i", a)
    e *= 3.0
    return a, d.sum()


@add.on(M)
def T_view_iadd(m):
    a = m.copy()
    t = a.T
    t += a
    return a


@add.on(V)
def overlapping_shift(x):
    a = x.copy()
    a[1:] = a[:-1]
    a[1:] += a[:-1]
    return a


@add.on(V)
def overlapping_iadd_loop(x):
    a = x.copy()
    for i in range(1, len(a)):
        a[i:] -= 0.3 * a[i - 1] * a[: len(a) - i]
    return a


@add.on(V)
def fancy_dup_iadd(x):
    a = np.zeros(3)
    idx = np.array([0, 1, 0, 2, 0, 1])
    a[idx] += x
    np.add.at(a, idx, x**2)
    return a


@add.on(V)
def fancy_dup_assign(x):
    a = np.zeros(3)
    a[[0, 0, 1, 1, 2, 2]] = x
    return a


@add.on(V)
def ufunc_at_various(x):
    a = x.copy() + 3
    np.multiply.at(a, [0, 1, 0], [2.0, 3.0, x[0]])
    np.subtract.at(a, np.array([2, 2]), x[:2])
    np.maximum.at(a, [3, 3, 4], [1.0, 5.0, x[1]])
    np.negative.at(a, [5])
    return a


@add.on(V)
def reduceat_all(x):
    return np.add.reduceat(x, [0, 2, 5]), np.multiply.reduceat(x, [0, 3]), np.maximum.reduceat(x, [0, 1, 4])


@add.on(V)
def accumulates(x):
    return (
        np.multiply.accumulate(x),
        np.maximum.accumulate(x),
        np.logaddexp.accumulate(x),
        np.subtract.accumulate(x),
    )


@add.on(V, V[:3] + 2)
def outers(x, y):
    return (
        np.power.outer(np.abs(x), y).sum(0),
        np.hypot.outer(x, y)[2],
        np.arctan2.outer(x, y)[:, 1],
        np.subtract.outer(x, y).T @ x,
    )


@add.on(V)
def reduce_initial_where(x):
    return (
        np.add.reduce(x, where=x > 0, initial=2.0),
        np.maximum.reduce(x, initial=0.95),
        np.sum(x**2, where=np.array([1, 0, 1, 0, 1, 1], bool)),
        np.logaddexp.reduce(x),
        np.hypot.reduce(x),
    )


@add.on(M)
def keepdims_axes(m):
    return (
        m / m.sum(1, keepdims=True),
        np.prod(m, axis=(0, 1)),
        np.linalg.norm(m, axis=0, keepdims=True),
        m.std(axis=0, ddof=1),
        np.var(m, axis=1, keepdims=True, ddof=1),
    )


@add.on(M)
def matrix_norms(m):
    return (
        [np.linalg.norm(m, o) for o in (None, "fro", "nuc", 2, -2, 1, -1, np.inf, -np.inf)],
        np.linalg.cond(m),
        np.linalg.norm(m.ravel(), 3),
        np.linalg.norm(m.ravel(), 0.5),
    )


@add.on(np.stack([M, M.T + 1]))
def matrix_powers(a):
    return (
        np.linalg.matrix_power(a, 3),
        np.linalg.matrix_power(a, -2),
        np.linalg.multi_dot([a[0], a[1], a[0][:, 0]]),
        np.trace(a, axis1=1, axis2=2),
        np.linalg.tensorinv(a[0].reshape(3, 3), 1),
    )


@add.on(M, V[:3])
def einsum_path_use(m, v):
    path = np.einsum_path("ij,jk,kl,l->i", m, m, m, v, optimize="optimal")[0]
    return (
        np.einsum("ij,jk,kl,l->i", m, m, m, v, optimize=path),
        np.einsum("i...,i->...", m, v),
        np.einsum(m, [0, 1], v, [1], [0]),
        np.einsum("ij,ij->", m, m),
    )


@add.on(V)
def nditer_readonly(x):
    s = 0.0
    for e in np.nditer(x):
        s = s + e * e
    it = np.nditer(x, flags=["multi_index"])
    for e in it:
        s += float(e) * it.multi_index[0]
    return s


@add.on(V)
def nditer_readwrite(x):
    a = x.copy()
    with np.nditer(a, op_flags=["readwrite"]) as it:
        for e in it:
            e[...] = 2 * e + 1
    return a


@add.on(V, V[::-1] * 1.1)
def nditer_two_out(x, y):
    it = np.nditer([x, y, None])
    for a, b, c in it:
        c[...] = a * b
    return it.operands[2]


@add.on(M)
def ndenum_ndindex(m):
    t = 0.0
    for (i, j), v in np.ndenumerate(m):
        t += (i + 2 * j) * v**2
    for ij in np.ndindex(m.shape):
        t -= m[ij] * ij[0]
    return t


@add.on(V)
def flat_iter(x):
    a = x.reshape(2, 3).copy()
    a.flat[1::2] = 0.5 * a.flat[0]
    return a, sum(v for v in a.flat), a.flat[3]


@add.on(M)
def flat_setitem_scalar(m):
    a = m.copy()
    a.flat[::4] += 10
    a.flat = a.flat[::-1].copy()
    return a


@add.on(V)
def apply_along_over(x):
    m = x.reshape(2, 3)
    f = lambda r: np.array([r.sum(), (r**2).max()])
    return (
        np.apply_along_axis(f, 1, m),
        np.apply_over_axes(np.sum, m, [0, 1]),
        np.apply_along_axis(lambda r: r[r > 0].sum(), 0, m),
    )


@add.on(V)
def vectorize_sig(x):
    g = np.vectorize(lambda r, k: r[0] * k + r[-1], signature="(n),()->()")
    h = np.vectorize(lambda a, b=2.0: a * b if a > 0 else a - b, excluded=["b"])
    return g(x.reshape(2, 3), np.array([1.0, 2.0])), h(x, b=3.0), h(x)


@add.on(V)
def vectorize_otypes_int(x):
    f = np.vectorize(lambda a: a * a if a < 0 else math.sin(a), otypes=[float])
    return f(x)


@add.on(V)
def frompyfunc_reduce(x):
    f = np.frompyfunc(lambda a, b: a + b * b, 2, 1)
    return np.array([f.reduce(x), *f.accumulate(x)[1:]], float), f.outer(x[:2], x).astype(float)


@add.on(V, 0.4)
def piecewise_lists(x, k):
    return np.piecewise(x, [x < -0.5, x > 0.8], [lambda t: k * t, lambda t, p=2: t**p, 0.3]), np.piecewise(
        1.3 * k, [k > 0.2], [lambda t: t * t, -1.0]
    )


@add.on(V)
def select_default(x):
    return (
        np.select([x < -1, x < 0, x < 1], [x**2, -x, np.sqrt(np.abs(x))], default=x[0]),
        np.choose([0, 1, 2, 0, 1, 2], [x, x**2, 3 * x]),
        np.choose(np.array([3, -1]), [x[:2], x[2:4], x[4:]], mode="wrap"),
    )


@add.on(V)
def structured_inside(x):
    r = np.zeros(3, dtype=[("a", float), ("b", float, (1,))])
    r["a"] = x[:3]
    r["b"][:, 0] = x[3:] ** 2
    r[1]["a"] *= 3
    return r["a"].sum() * r["b"].ravel()


@add.on(V)
def masked_sum(x):
    m = np.ma.masked_less(x, 0)
    return m.sum()


@add.on(V)
def masked_array_filled(x):
    m = np.ma.array(x, mask=[0, 1, 0, 0, 1, 0])
    return m.mean() + m.filled(0.0)[0] + np.ma.average(m, weights=[1, 2, 3, 4, 5, 6.0])


@add.on(V)
def nan_functions(x):
    y = np.where(x < -1, np.nan, x)
    return (
        np.nansum(y),
        np.nanmean(y),
        np.nanstd(y),
        np.nanmax(y),
        np.nanmedian(y),
        np.nanpercentile(y, 30),
        np.nancumsum(y),
        np.nan_to_num(y, nan=x[1]),
    )


@add.on(V)
def weighted_quantile(x):
    w = np.array([1, 2, 1, 3, 1, 2.0])
    i = np.argsort(x)
    c = np.cumsum(w[i]) - 0.5 * w[i]
    return np.interp([0.2, 0.5], c / w.sum(), x[i]), np.quantile(x, 0.4, weights=w, method="inverted_cdf")


@add.on(V)
def integer_casts(x):
    i = (x * 10).astype(int)
    return (
        (i / 10 - x) ** 2,
        x * np.int64(3),
        x // 0.25 * x,
        x % 0.4,
        np.modf(x)[0] * x,
        np.frexp(np.abs(x))[0] * x,
    )


@add.on(1.3, 0.2)
def round_to_n(x, y):
    return np.round(x, 2) * y


@add.on(V)
def sign_heaviside(x):
    return (
        np.sign(x) * x**2,
        np.heaviside(x, 0.5) * np.sin(x),
        np.copysign(x**2, V),
        np.spacing(1.0) + x,
        np.ldexp(x, 3),
        np.float_power(np.abs(x), 1.5),
        np.fmax(x, 0.2),
        np.fmod(x, 0.3),
    )


@add.on(V)
def unwrap_and_angles(x):
    z = np.exp(3j * np.cumsum(np.abs(x)))
    return np.unwrap(np.angle(z)), np.rad2deg(np.angle(z[1], deg=False)), np.sinc(x), np.i0(x), np.deg2rad(x)


@add.on(V)
def set_ops(x):
    u, inv = np.unique(x, return_inverse=True)
    return (
        u[inv] * x,
        np.union1d(x[:3], x[2:]),
        np.digitize(x, [-1, 0, 1]) * x,
        np.histogram(x, bins=3, weights=x**2)[0],
    )


@add.on(V)
def histogram_edges(x):
    _h, e = np.histogram(x, bins=4, density=True)
    return e, np.histogram_bin_edges(x, 5)


@add.on(V)
def bincounts(x):
    return np.bincount([0, 1, 1, 3, 2, 0], weights=x, minlength=5), np.bincount(
        np.floor(x + 2).astype(int), weights=x**2, minlength=6
    )


@add.on(V)
def searchsorted_interp(x):
    g = np.sort(x)
    i = np.searchsorted(g, 0.4)
    return (
        g[i - 1] + (0.4 - g[i - 1]) / (g[i] - g[i - 1]),
        np.interp(0.4, g, np.arange(6.0)),
        np.interp([-3.0, 5], g, g**2, left=x[0], right=-x[1]),
        np.interp(0.3, g, g, period=3.0),
    )


@add.on(V)
def windows_as_strided(x):
    w = stride_tricks.as_strided(x, (4, 3), (x.strides[0], x.strides[0]))
    s = stride_tricks.sliding_window_view(x, 2)
    return w @ np.array([1.0, 2, 3]), s.max(1), np.broadcast_to(x[:, None], (6, 2)).sum(1)


@add.on(V)
def as_strided_write(x):
    a = x.copy()
    w = stride_tricks.as_strided(a, (3, 2), (16, 8))
    w[:, 0] *= 2
    return a


@add.on(V)
def put_functions(x):
    a = x.copy()
    np.put(a, [0, 2], x[4:] ** 2)
    np.putmask(a, a > 1, a * 2)
    np.place(a, [0, 1, 0, 1, 0, 0], [x[0], x[1]])
    b = np.zeros((2, 3))
    np.put_along_axis(b, np.array([[1], [2]]), x[:2, None], 1)
    np.fill_diagonal(b, x[5])
    np.copyto(b, x[0], where=b == 0)
    return a, b


@add.on(0.5, 1.5)
def callable_integrator(x0, k):
    class Integrator:
        count = 0

        def __init__(self, rhs, dt):
            self.rhs, self.dt, self.history = rhs, dt, []

        def __call__(self, y):
            type(self).count += 1
            y = y + self.dt * self.rhs(y)
            self.history.append(y)
            return y

        def __len__(self):
            return len(self.history)

        def __getitem__(self, i):
            return self.history[i]

    I = Integrator(lambda y: -k * y + np.sin(y), 0.1)
    for _ in range(8):
        x0 = I(x0)
    return I[-1] + I[2] / len(I)


@add.on(A([0.5, 1.5, 0.3]))
def frozen_dataclass_replace(p):
    @dataclasses.dataclass(frozen=True, order=True)
    class State:
        t: float
        x: float
        v: float = 0.0

        def step(self, dt):
            return dataclasses.replace(self, t=self.t + dt, x=self.x + dt * self.v, v=self.v - dt * self.x)

    s = State(0.0, p[0], p[1])
    for _ in range(6):
        s = s.step(p[2])
    return np.array(dataclasses.astuple(s)), max(s, State(1.0, 2.0)).x


@add.on(A([0.5, 1.5, 0.3]))
def namedtuple_replace(p):
    P = collections.namedtuple("P", "a b c", defaults=(1.0,))
    q = P(*p)._replace(b=p[0] * 2)
    return q._asdict()["a"] * q.b - q[-1] + sum(q)


@add.on(1.2, 0.7)
def vector_class(a, b):
    class Vec:
        __slots__ = ("x", "y")

        def __init__(self, x, y):
            self.x, self.y = x, y

        def __add__(s, o):
            return Vec(s.x + o.x, s.y + o.y)

        def __radd__(s, o):
            return s if o == 0 else s + o

        def __mul__(s, k):
            return Vec(s.x * k, s.y * k)

        __rmul__ = __mul__

        def __matmul__(s, o):
            return s.x * o.x + s.y * o.y

        def __abs__(s):
            return math.hypot(s.x, s.y)

        def __neg__(s):
            return Vec(-s.x, -s.y)

        def __eq__(s, o):
            return s.x == o.x

        def __iter__(s):
            yield s.x
            yield s.y

    v = sum([Vec(a, b), 2 * Vec(b, a), -Vec(a, 1.0)])
    x, y = v * a
    return abs(v) + x * y + v @ Vec(1.0, b)


@add.on(1.2, 0.7)
def dual_number_user(a, b):
    class Dual:
        def __init__(s, v, d=0.0):
            s.v, s.d = v, d

        def __mul__(s, o):
            o = o if isinstance(o, Dual) else Dual(o)
            return Dual(s.v * o.v, s.v * o.d + s.d * o.v)

        __rmul__ = __mul__

        def __add__(s, o):
            o = o if isinstance(o, Dual) else Dual(o)
            return Dual(s.v + o.v, s.d + o.d)

        __radd__ = __add__

        def sin(s):
            return Dual(np.sin(s.v), np.cos(s.v) * s.d)

    x = Dual(a, 1.0)
    y = 3 * x * x + (b * x).sin() + 1
    return y.v, y.d


@add.on(1.2, 0.7)
def property_cache(a, b):
    class Model:
        def __init__(s, a, b):
            s.a, s.b = a, b

        @functools.cached_property
        def k(s):
            return s.a * math.exp(s.b)

        @property
        def double(s):
            return 2 * s.k

        @staticmethod
        def g(x):
            return x**2

        @classmethod
        def make(cls, v):
            return cls(v, v / 2)

    m = Model(a, b)
    return m.double + m.k + Model.make(a).k + Model.g(b)


@add.on(1.2, 0.7)
def abstract_and_super(a, b):
    class Shape(abc.ABC):
        def __init__(s, r):
            s.r = r

        @abc.abstractmethod
        def area(s): ...
        def describe(s):
            return s.area() * 2

    class Circle(Shape):
        def area(s):
            return math.pi * s.r**2

    class Ring(Circle):
        def __init__(s, r, w):
            super().__init__(r)
            s.w = w

        def area(s):
            return super().area() - math.pi * (s.r - s.w) ** 2

    return sum(s.describe() for s in (Circle(a), Ring(a, b)))


@add.on(1.2, 0.7)
def decorators_and_closures(a, b):
    def twice(f):
        @functools.wraps(f)
        def g(*args, **kw):
            return f(f(*args, **kw), **kw)

        return g

    @twice
    def h(x, *, k=1.0):
        return k * np.sin(x) + x

    def counter():
        n = 0

        def inc(d):
            nonlocal n
            n += d
            return n

        return inc

    c = counter()
    c(a)
    c(b)
    return h(a, k=b) + c(a * b)


@add.on(1.2, 0.7)
def memo_dict_by_int(a, b):
    memo = {}

    def P(n, x):
        if (n) in memo:
            return memo[n]
        r = 1.0 if n == 0 else x if n == 1 else ((2 * n - 1) * x * P(n - 1, x) - (n - 1) * P(n - 2, x)) / n
        memo[n] = r
        return r

    return P(7, a) + b * memo[3]


@functools.lru_cache
def _slow(x, n):
    return math.sin(x) ** n


_CACHE = {}


def _cached(x):
    k = round(x, 12)
    if k not in _CACHE:
        _CACHE[k] = x**3
    return _CACHE[k]


@add.on(1.2)
def global_dict_cache(a):
    return _cached(a) * 2


@add.on(A([1.2, 0.4, 0.7]))
def generator_pipeline(x):
    def src():
        yield from x

    def scale(it, k):
        for v in it:
            yield k * v

    def running(it):
        t = 0.0
        while True:
            try:
                t += next(it)
            except StopIteration:
                return t
            yield t

    return list(running(scale(src(), 2.0)))


@add.on(A([1.2, 0.4, 0.7]))
def coroutine_average(x):
    def avg():
        s, n, out = 0.0, 0, None
        while True:
            v = yield out
            s += v
            n += 1
            out = s / n

    c = avg()
    next(c)
    return [c.send(v) for v in x]


@add.on(A([1.2, 0.4, 0.7]))
def yield_from_tree(x):
    tree = (x[0], (x[1], (x[2], None, None), None), None)

    def walk(t, d=0):
        if t is None or np.isscalar(t):
            return
        yield t[0] * (d + 1)
        for c in t[1:]:
            if isinstance(c, tuple):
                yield from walk(c, d + 1)

    return sum(walk(tree))


@add.on(A([1.2, -0.4, 0.7]))
def try_except_numeric(x):
    out = []
    for v in x:
        try:
            out.append(math.log(v))
        except ValueError:
            out.append(v**3)
        else:
            out[-1] *= 2
        finally:
            out[-1] += 1
    return np.array(out)


@add.on(A([1.2, 0.4, 0.7]), method="simpson")
def string_switch(x, method):
    table = {
        "trapz": lambda f, h: h * (f[0] / 2 + f[1:-1].sum() + f[-1] / 2),
        "simpson": lambda f, h: h / 3 * (f[0] + 4 * f[1] + f[2]),
    }
    rule = table.get(method) or getattr(np, method)
    return rule(x**2, 0.5)


@add.on(A([1.2, 0.4, 0.7]))
def dict_of_arrays(p):
    params = {"w": np.outer(p, p), "b": p**2}
    params.update({f"w{i}": params["w"] * i for i in range(2)})
    params["b"][1] = 5 * p[0]
    flat = np.concatenate([v.ravel() for k, v in sorted(params.items())])
    return flat @ flat, {**params, "w": 0}["b"]


@add.on(A([1.2, 0.4, 0.7]))
def defaultdict_groups(x):
    g = collections.defaultdict(list)
    for i, v in enumerate(x):
        g[i % 2].append(v)
    c = collections.Counter({"a": 2, "b": 1})
    d = collections.deque(x, maxlen=2)
    d.rotate(1)
    d.appendleft(x[0] * x[1])
    o = collections.OrderedDict(zip("abc", x, strict=False))
    o.move_to_end("a")
    return {k: sum(v) for k, v in g.items()}[0] + c["a"] * x[1] + d[0] * d[1] + next(iter(o.values())) ** 2


@add.on(A([1.2, 0.4, 0.7]))
def math_functions(x):
    a, b, c = x
    return (
        math.fsum(x)
        + math.prod(x)
        + math.dist((a, b), (c, 0.0))
        + math.hypot(a, b, c)
        + math.cbrt(a)
        + math.exp2(b)
        + math.log(a, 3)
        + math.log2(b)
        + math.gamma(a)
        + math.erf(c)
        + math.remainder(a, 0.5)
        + math.fmod(b, 0.3)
        + math.modf(a)[0]
        + math.copysign(b, -1)
        + math.frexp(c)[0]
        + math.ldexp(a, 2)
        + math.degrees(b)
        + math.atan2(a, b)
        + math.pow(a, b)
        + math.expm1(c)
        + math.log1p(c)
        + math.sumprod([a, b], [b, c])
        if hasattr(math, "sumprod")
        else a * b
    )


@add.on(A([1.2, 0.4, 0.7]))
def cmath_functions(x):
    z = complex(x[0], x[1])
    r, p = cmath.polar(cmath.sqrt(z) * cmath.exp(1j * x[2]))
    w = cmath.rect(r, p) + cmath.log(z, 2) + cmath.atan(z) + cmath.phase(z)
    return w.real, w.imag, abs(w), w.conjugate().imag


@add.on(A([1.2, 0.4, 0.7]))
def statistics_module(x):
    return (
        statistics.fmean(x),
        statistics.variance(x),
        statistics.median(x),
        statistics.geometric_mean(x),
        statistics.harmonic_mean(x),
        statistics.pstdev(x),
        statistics.NormalDist(float(x[0]), float(x[1])).cdf(x[2]),
    )


@add.on(A([1.2, 0.4, 0.7]))
def fractions_decimals(x):
    return float(fractions.Fraction(1, 3)) * x + float(decimal.Decimal("0.25"))


@add.on(A([1.2, 0.4, 0.7]))
def json_roundtrip(x):
    return np.array(json.loads(json.dumps(x.tolist()))) ** 2


@add.on(A([1.2, 0.4, 0.7]))
def format_parse(x):
    return float(f"{x[0]:.3f}") + float(f"{x[1]:g}") + x[2]


@add.on(A([1.2, 0.4, 0.7]))
def array_module(x):
    a = pyarray.array("d", x)
    a.append(a[0] * 2)
    return sum(a)


@add.on(A([1.2, 0.4, 0.7]))
def operator_tools(x):
    return (
        functools.reduce(operator.mul, x)
        + operator.itemgetter(2, 0)(x)[0]
        + sum(map(operator.pow, x, [1, 2, 3]))
        + sum(itertools.starmap(lambda a, b: a * b, itertools.pairwise(x)))
        + max(x, key=lambda v: -v)
        + min(x, default=0)
        + sorted(x, reverse=True)[1] ** 2
        + operator.matmul(x, x)
        + operator.truediv(x[0], x[1])
        + functools.partial(np.dot, x)(x)
    )


@add.on(A([1.2, 0.4, 0.7]))
def comprehension_scopes(x):
    n = len(x)
    m = [[x[i] * x[j] if i != j else 1.0 for j in range(n)] for i in range(n)]
    return (
        np.array([*map(sum, zip(*m, strict=False))]),
        [y := 0.5, *(y := y + v for v in x)],
        {i: v for i, v in enumerate(x) if v > 0.5},
    )


@add.on(A([1.2, 0.4, 0.7]))
def while_else_walrus(x):
    it = iter(x)
    t = 0.0
    while (v := next(it, None)) is not None:
        if v > 5:
            break
        t += v**2
    else:
        t *= 2
    return t


@add.on(A([1.2, 0.4, 0.7]))
def context_manager_class(x):
    class Scaled:
        def __init__(s, a, k):
            s.a, s.k = a, k

        def __enter__(s):
            s.a *= s.k
            return s.a

        def __exit__(s, *e):
            s.a /= s.k
            return True

    a = x.copy()
    with Scaled(a, x[0]) as b:
        t = b.sum() ** 2
        raise KeyError
    return t + a[1]


@add.on(A([1.2, 0.4, 0.7]))
def object_arrays(x):
    o = np.empty(2, object)
    o[0], o[1] = x, x * 2
    return sum(v.sum() for v in o) * x[0]


@add.on(A([1.2, 0.4, 0.7]))
def recursion_arrays(x):
    def conv(a, b):
        if len(a) == 1:
            return a[0] * b
        h = len(a) // 2
        l, r = conv(a[:h], b), conv(a[h:], b)
        out = np.zeros(len(a) + len(b) - 1)
        out[: len(l)] += l
        out[h : h + len(r)] += r
        return out

    return conv(x, x[::-1])


@add.on(A([1.2, 0.4, 0.7]))
def polynomial_classes(x):
    p = npoly.Polynomial(x)
    q = npoly.Chebyshev([1.0, 2.0, 0.5])
    r = np.poly1d(x)
    return (
        (p * p)(0.3),
        p.deriv()(x[0]),
        p.integ(lbnd=1)(2.0),
        q(x[1]),
        r(2.0),
        (r * r).coeffs,
        r.deriv()(x[2]),
        npoly.legendre.legval(0.3, x),
        npoly.hermite_e.hermeval(x, [1, 2, 3.0]),
        npoly.Polynomial.fit([0, 1, 2, 3.0], np.r_[x, 0.1], 2)(1.5),
        np.polyfit([0, 1, 2, 3.0], np.r_[x, 0.1], 1),
        np.polydiv(np.r_[x, 1.0], [1.0, 0.5])[0],
        npoly.polynomial.polyfromroots(x),
    )


ROWS = list(add)

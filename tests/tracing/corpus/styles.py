"""Ways to write Python: state, views, caches, contexts, patterns, iterators, dtypes. What is computed is plain."""

import cmath
import collections
import contextlib
import copy
import dataclasses
import enum
import functools
import heapq
import itertools
import logging
import math
import operator
import typing
import warnings

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from scipy import special

from tests.tracing.corpus.row import Rows

add = Rows("styles")
U = [0.31, -0.72, 1.15, 0.58, -1.4, 0.9]
P = [0.8, 1.7, 2.9, 3.1, 4.6, 5.2]
A = [[4.9, 0.3, -0.4], [0.2, 5.4, 0.5], [-0.1, 0.6, 3.7]]
LOG = logging.getLogger(__name__)
GRAVITY = 9.80665
WEIGHTS = np.array([0.5, -1.0, 0.25])
TABLE = {"water": np.array([1.0, 0.2]), "oil": np.array([0.9, 0.7])}

# ---- views and writing in place


def view_then_write(x):
    y = x.copy()
    half = y[::2]
    half *= 3.0
    y[1:] += half.sum()
    return y


def write_then_read_view(x):
    y = np.zeros(6)
    tail = y[3:]
    y[:] = x**2
    return tail * x[:3]


def reshaped_view(x):
    m = x.copy().reshape(2, 3)
    row = m[0]
    row[:] = row * m[1]
    return m.sum(axis=0)


def transposed_view(m):
    out = m.copy()
    t = out.T
    t[0] = t[1] * t[2]
    return out


def swap_rows(m):
    m = m.copy()
    m[[0, 2]] = m[[2, 0]]
    m[0], m[1] = m[1] * 2.0, m[0].copy() * m[0]
    return m


def tuple_swap_of_views(x):
    y = x.copy()
    y[0], y[1] = y[1], y[0]
    return y * np.arange(6)


def list_of_views(x):
    y = np.array(x)
    parts = [y[i : i + 2] for i in range(0, 6, 2)]
    for k, part in enumerate(parts):
        part += k * part[::-1]
    return y


def ravel_writes(m):
    m = m.copy()
    m.ravel()[::4] **= 2
    return m


def flat_assignment(m):
    m = np.array(m)
    m.flat[::2] = m.flat[1]
    m.flat[3] *= m[2, 2]
    return m


def fill_diagonal(m, a):
    m = m.copy()
    np.fill_diagonal(m, a**2)
    return m @ m


def put_and_take(x):
    y = np.zeros_like(x)
    np.put(y, [1, 3, 5], np.take(x, [0, 2, 4]) ** 2)
    return y + x


def add_at(x):
    y = np.zeros(3)
    np.add.at(y, [0, 1, 0, 2, 1, 0], x**2)
    return y


def multiply_out(x):
    buffer = np.empty_like(x)
    np.multiply(x, x, out=buffer)
    np.add(buffer, 1.0, out=buffer)
    np.sqrt(buffer, buffer)
    return buffer


def copyto_where(x):
    y = x * 2
    np.copyto(y, x**3, where=x > 0)
    return y


def place_and_putmask(x):
    y, z = x.copy(), x.copy()
    np.putmask(y, y < 0, y * y)
    z[np.nonzero(z < 0)] = 0.5 * z[z < 0]
    return y - z


def alias_of_argument(x):
    y = x
    y = y + 1
    z = y
    z *= 2
    return y * x


def default_buffer(x, out=None):
    out = np.empty_like(x) if out is None else out
    for i in range(len(x)):
        out[i] = x[i] * x[i - 1]
    return out


def cumulative_in_place(x):
    y = x.copy()
    for i in range(1, y.size):
        y[i] += 0.5 * y[i - 1]
    return y[::-1]


def rolling_buffer(x):
    ring = np.zeros(3)
    out = []
    for k, value in enumerate(x):
        ring[k % 3] = value
        out.append(ring.mean() * ring.max())
    return np.array(out)


def two_buffers(x):
    now, then = x.copy(), np.empty_like(x)
    for _ in range(4):
        then[1:-1] = now[1:-1] + 0.1 * (now[2:] - 2 * now[1:-1] + now[:-2])
        then[0], then[-1] = now[0], now[-1]
        now, then = then, now
    return now


def augmented_slice(m):
    m = m.copy()
    for i in range(3):
        m[i + 1 :] -= np.outer(m[i + 1 :, i] / m[i, i], m[i])
    return np.prod(np.diag(m))


def swapaxes_view(m):
    m = m.copy()
    np.swapaxes(m, 0, 1)[2] += 1.5 * m[:, 0]
    np.flip(m, 0)[0] *= 2
    return m


def split_and_write(x):
    y = x * 1.0
    a, b = np.split(y, 2)
    a += b
    b[:] = np.sin(a)
    return y


def window_view(x):
    return (sliding_window_view(x, 3) * WEIGHTS).sum(axis=-1)


def windows_after_write(x):
    y = x.copy()
    windows = sliding_window_view(y, 2)
    y[2] = y[0] * y[1]
    return windows.prod(axis=1)


def structured(x):
    table = np.zeros(3, dtype=[("mass", float), ("speed", float)])
    table["mass"], table["speed"] = x[:3], x[3:]
    return 0.5 * (table["mass"] * table["speed"] ** 2).sum()


def array_in_list_in_place(x):
    state = [x[:3].copy(), x[3:].copy()]
    for _ in range(3):
        state[0] += 0.1 * state[1]
        state[1] -= 0.1 * state[0]
    return np.concatenate(state)


for function in (view_then_write, write_then_read_view, reshaped_view, tuple_swap_of_views, list_of_views,
                 put_and_take, add_at, multiply_out, copyto_where, place_and_putmask, alias_of_argument,
                 default_buffer, cumulative_in_place, rolling_buffer, two_buffers, split_and_write, window_view,
                 windows_after_write, structured, array_in_list_in_place):  # fmt: skip
    add(function, U)
for function in (transposed_view, swap_rows, ravel_writes, flat_assignment, augmented_slice, swapaxes_view):
    add(function, A)
add(fill_diagonal, A, 1.3)

# ---- classes, state, caches


class Body:
    count = 0

    def __init__(self, mass, position):
        self.mass, self._position = mass, position
        self.history = [position]

    @property
    def position(self):
        return self._position

    @position.setter
    def position(self, value):
        self.history.append(value)
        self._position = value

    @functools.cached_property
    def weight(self):
        return self.mass * GRAVITY

    @classmethod
    def at_rest(cls, mass):
        return cls(mass, 0.0 * mass)

    @staticmethod
    def drag(speed):
        return 0.1 * speed * abs(speed)

    def step(self, speed, dt=0.1):
        self.position = self.position + dt * (speed - self.drag(speed))
        return self

    def __add__(self, other):
        return Body(self.mass + other.mass, (self.mass * self.position + other.mass * other.position))


def bodies(m, v):
    a = Body.at_rest(m).step(v).step(-v)
    b = Body(2 * m, v)
    both = a + b.step(v)
    return both.weight * both.position + sum(a.history)


class Vector(typing.NamedTuple):
    x: float
    y: float

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __mul__(self, k):
        return Vector(self.x * k, self.y * k)

    __rmul__ = __mul__

    @property
    def norm(self):
        return math.hypot(self.x, self.y)


def vectors(x, y):
    v = Vector(x, y)
    return (v + 2 * v * x).norm


@dataclasses.dataclass(frozen=True)
class Layer:
    weight: np.ndarray
    bias: float = 0.1
    activation: typing.Callable = np.tanh

    def __call__(self, x):
        return self.activation(self.weight @ x + self.bias)


def layers(w, x):
    network = [
        Layer(w),
        Layer(w.T, activation=lambda z: np.maximum(z, 0.01 * z)),
        dataclasses.replace(Layer(w), bias=0.0),
    ]
    return functools.reduce(lambda z, layer: layer(z), network, x)


@dataclasses.dataclass
class Tank:
    level: float
    inflow: float = 1.0
    log: list = dataclasses.field(default_factory=list)

    def __post_init__(self):
        self.area = 2.0 + self.inflow

    def run(self, steps, dt=0.2):
        for _ in range(steps):
            self.level += dt * (self.inflow - 0.3 * math.sqrt(self.level)) / self.area
            self.log.append(self.level)
        return np.array(self.log)


def tank(level, inflow):
    return Tank(level, inflow).run(5)


class Counter:
    def __init__(self):
        self.cache = {}

    def fibonacci(self, n, x):
        if n < 2:
            return x**n
        if n not in self.cache:
            self.cache[n] = self.fibonacci(n - 1, x) + x * self.fibonacci(n - 2, x)
        return self.cache[n]


def cached_in_instance(x):
    return Counter().fibonacci(9, x)


@functools.cache
def _binomials(n):
    return np.array([math.comb(n, k) for k in range(n + 1)], float)


def lru_cached_constants(x, n=6):
    k = np.arange(n + 1)
    return (_binomials(n) * x**k * (1 - x) ** (n - k) * np.sin(k)).sum()


def local_lru_cache(x):
    @functools.lru_cache
    def hermite(n):
        return 1.0 if n == 0 else 2 * x if n == 1 else 2 * x * hermite(n - 1) - 2 * (n - 1) * hermite(n - 2)

    return sum(hermite(n) / math.factorial(n) for n in range(7))


class Kind(enum.Enum):
    LINEAR = "linear"
    QUADRATIC = 2

    def apply(self, x):
        return x if self is Kind.LINEAR else x**2


def by_enum(x):
    return sum(kind.apply(x) for kind in Kind) + Kind("linear").apply(x) * Kind.QUADRATIC.value


class Ops(typing.Protocol):
    def __call__(self, x: float) -> float: ...


def registry(x):
    found: dict[str, Ops] = {}

    def register(function):
        found[function.__name__] = function
        return function

    @register
    def decay(x):
        return math.exp(-x)

    @register
    def growth(x):
        return math.expm1(x)

    return {name: f(x) for name, f in found.items()}["growth"] * found["decay"](x / 2)


class Polynomial:
    __slots__ = ("c",)

    def __init__(self, *c):
        self.c = c

    def __call__(self, x):
        return functools.reduce(lambda total, c: total * x + c, self.c)

    def __matmul__(self, other):
        return Polynomial(*np.convolve(self.c, other.c))

    def __getitem__(self, k):
        return self.c[k]

    def __len__(self):
        return len(self.c)

    def __iter__(self):
        yield from self.c


def slots(a, b, x):
    p = Polynomial(a, b, 1.0) @ Polynomial(b, -a)
    return p(x) + p[0] * len(p) + sum(c * c for c in p)


class Base:
    def energy(self, x):
        return self.scale * x**2

    def __getattr__(self, name):
        if name == "scale":
            return 1.5
        raise AttributeError(name)


class Derived(Base):
    def energy(self, x):
        return super().energy(x) + np.cos(x)


def inherited(x):
    return Derived().energy(x).sum()


add(bodies, 1.3, 0.7)
add(vectors, 0.8, -1.7)
add(layers, A, [0.3, -0.2, 0.5])
add(tank, 2.1, 0.6)
add(cached_in_instance, 0.7)
add(lru_cached_constants, 0.3)
add(local_lru_cache, 0.6)
add(by_enum, 1.7)
add(registry, 0.9)
add(slots, 0.5, 1.2, 0.7)
add(inherited, U)

# ---- control flow


def matched(x, shape="circle"):
    match (shape, x):
        case ("circle", r):
            return np.pi * r**2
        case ("square", s):
            return s**2
        case _:
            raise ValueError(shape)


def matched_by_guard(x):
    match [x, x**2]:
        case [a, b] if b > a:
            return a * b
        case [a, *_]:
            return a / 3


def walrus(x):
    total, n = 0.0, 1
    while (term := x**n / n) > 1e-17:
        total += term
        n += 1
    return total


def try_finally(x):
    steps = []
    try:
        if x > 10:
            raise OverflowError
        steps.append(np.log(x))
    except OverflowError:
        steps.append(x)
    else:
        steps.append(np.sqrt(x))
    finally:
        steps.append(x**2)
    return sum(steps)


def singular_then_damped(m):
    m = m - m[0, 0] * np.eye(3)
    m[:, 0] = 0.0
    try:
        return np.linalg.inv(m).sum()
    except np.linalg.LinAlgError:
        return np.linalg.inv(m + np.eye(3)).sum()


def for_else(x):
    for divisor in (2, 3, 5):
        if x % divisor < 0.1:
            break
        x = x + 0.3 * x / divisor
    else:
        x = x**2
    return x


def asserted(x, p):
    assert x.ndim == 1 and np.all(np.isfinite(x)), "finite"
    assert 0 < p < 10
    return (np.abs(x) ** p).sum() ** (1 / p)


def logged(x):
    LOG.debug("x = %s", x)
    if LOG.isEnabledFor(logging.CRITICAL + 1):
        return 0.0 * x
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return x**1.5


def in_errstate(x):
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(x > 0, np.log(x), 0.0)
    return ratio.sum() + np.nansum(np.where(x < 0, np.nan, x))


@contextlib.contextmanager
def _scaled(x, by):
    yield x * by


def in_context(x):
    with _scaled(x, 2.0) as y, contextlib.suppress(ZeroDivisionError):
        return y / (x - x[0] + 1)
    return x


def recursion(x, n=5):
    return x if n == 0 else np.sin(recursion(x, n - 1)) + x / n


def mutual(x):
    even = lambda n, t: 1.0 if n == 0 else t * odd(n - 1, t)
    odd = lambda n, t: t + 1 if n == 1 else t - even(n - 1, t)
    return even(6, x)


def ternaries(x, y):
    big, small = (x, y) if x > y else (y, x)
    return big - small if big < 3 * small else big * small or 1.0


def chained_comparison(x):
    return 1.0 * x if x <= 0 else x**2 * (3 - 2 * x) if 0 < x < 1 else 1.0 / x


def clipped_by_builtins(x, low, high):
    return [min(max(v, low), high) * v for v in x]


def nested_function_state(x):
    total = 0.0

    def add_to(v):
        nonlocal total
        total += v * v
        return total

    return [add_to(v) for v in x]


def generator_send(x):
    def average():
        total, count, value = 0.0, 0, None
        while True:
            value = yield total / count if count else 0.0
            total, count = total + value, count + 1

    mean = average()
    next(mean)
    return [mean.send(v) for v in x]


def digits(x):
    sign = math.copysign(1.0, x)
    frac, whole = math.modf(abs(x))
    return sign * (frac**2 + whole)


def floor_and_mod(x):
    k = x // 0.4
    return (x - 0.4 * k) ** 2 + divmod(x, 0.7)[1]


def boolean_sums(x):
    return x.sum() * (x > 0).sum() + bool(x[0] > 0) * x[1] + int(x[2] > 1) * x[3]


def index_by_number(x, i):
    k = int(np.floor(i))
    return x[k] * (1 - (i - k)) + x[k + 1] * (i - k)


def any_all(x):
    if any(v > 1 for v in x) and not all(v > 0 for v in x):
        return sum(v**2 for v in x if v > 0)
    return x.sum()


add(matched, 1.3)
add(matched, 1.3, shape="square")
for function in (matched_by_guard, try_finally, for_else, logged, recursion, mutual, digits, floor_and_mod):
    add(function, 1.7)
add(walrus, 0.4)
add(chained_comparison, 0.6)
add(singular_then_damped, A)
add(asserted, U, 2.6)
for function in (in_errstate, in_context, nested_function_state, generator_send, boolean_sums, any_all):
    add(function, U)
add(ternaries, 1.4, 1.1)
add(clipped_by_builtins, U, -0.5, 0.8)
add(index_by_number, P, 2.4)

# ---- iterators and containers


def enumerated(x):
    return sum(k * v for k, v in enumerate(x, start=1))


def ndenumerated(m):
    total = 0.0
    for (i, j), v in np.ndenumerate(m):
        total = total + (i - j) * v**2
    return total


def ndindexed(m):
    out = np.empty(m.shape)
    for i, j in np.ndindex(m.shape):
        out[i, j] = m[i, j] * m[j, i]
    return out


def nditered(x):
    return sum(float_like**2 for float_like in np.nditer(x))


def zipped(x, y):
    return [a * b - c for a, b, c in zip(x, y[::-1], itertools.cycle([1.0, 2.0]))]


def accumulated(x):
    return list(itertools.accumulate(x, lambda a, b: 0.5 * a + b * b))


def combinations(x):
    return sum(abs(a - b) ** 1.5 for a, b in itertools.combinations(x, 2))


def grouped(x):
    found = collections.defaultdict(list)
    for k, v in enumerate(x):
        found[k % 2].append(v)
    return {key: math.prod(values) for key, values in sorted(found.items())}


def sorted_by_key(x):
    order = sorted(range(len(x)), key=lambda i: -abs(x[i]))
    return sum(x[i] / (rank + 1) for rank, i in enumerate(order))


def heap(x):
    queue = list(x)
    heapq.heapify(queue)
    total = 0.0
    while len(queue) > 1:
        a, b = heapq.heappop(queue), heapq.heappop(queue)
        total += (a + b) ** 2
        heapq.heappush(queue, a + b)
    return total


def ordered_dict(x):
    d = collections.OrderedDict(a=x, b=x**2)
    d.move_to_end("a")
    d |= {"c": d["a"] * d["b"]}
    return tuple(d.values())


def chain_map(x):
    scope = collections.ChainMap({"a": x}, {"a": 5.0, "b": 2.0})
    return scope["a"] ** scope["b"]


def star_arguments(x, y):
    def inner(*args, scale=1.0, **kwargs):
        return scale * sum(args) * kwargs.get("power", 1.0)

    return inner(*x, scale=y, power=y**2)


def partials(x, a):
    power = functools.partial(pow, x)
    return functools.partial(np.add, a)(power(a)) + operator.mul(x, a) + operator.attrgetter("real")(x)


def starmapped(x, y):
    return list(map(math.atan2, x, y))


def unpacked(x):
    first, *middle, last = x
    (a, b), *_ = [(first, last), None]
    return a * b + sum(middle)


def deep_copied(x):
    state = {"x": x, "list": [x, 2.0]}
    other = copy.deepcopy(state)
    other["list"][0] *= 3
    return state["x"] + other["list"][0] * copy.copy(x)


def sets(x):
    return sum(x**k for k in {1, 2, 3} & {2, 3, 4})


def bisected(x, at):
    i = np.searchsorted(x, at) - 1
    return x[i] + (at - x[i]) ** 2


def dict_of_arrays(x):
    state = {"u": x[:3], "v": x[3:]}
    for _ in range(3):
        state = {"u": state["u"] + 0.1 * state["v"], "v": state["v"] - 0.1 * np.sin(state["u"])}
    return state


def from_table(x):
    return sum(float(w[0]) * x + w[1] * x**2 for w in TABLE.values())


def frompyfunc(x):
    return np.frompyfunc(lambda a, b: a * b + math.sin(a), 2, 1)(x, x[::-1]).astype(float)


@np.vectorize
def _soft(x, k=1.0):
    return x if x > 0 else k * math.expm1(x)


def vectorized(x, k):
    return _soft(x, k)


def vectorized_signature(m, x):
    return np.vectorize(lambda row, v: row @ v, signature="(n),(n)->()")(m, x)


def from_function(a):
    return np.fromfunction(lambda i, j: np.exp(-a * (i - j) ** 2), (3, 3)).sum()


def from_iterable(x):
    return np.fromiter((v * v for v in x), float, count=len(x))


def applied_over(m):
    return np.apply_over_axes(np.sum, m * m, [0]) + np.apply_along_axis(lambda r: r * r.max(), 1, m)


def stacked(x, a):
    block = np.block([[x[None], a * x[None]], [np.ones((1, 6)), np.c_[x, x**2].T[1:]]])
    return np.r_[block[0], a, 0:3] @ np.ones(16)


def meshed(x, y):
    X, Y = np.meshgrid(x, y, indexing="ij", sparse=True)
    i, j = np.ogrid[0:6, 0:6]
    return (np.sin(X * Y) * (i + j)).sum()


def einsums(m):
    return np.einsum("ij,jk,kl->il", m, m, m, optimize=True).trace() + np.einsum("ii->i", m).prod()


for function in (enumerated, nditered, accumulated, combinations, grouped, sorted_by_key, heap, unpacked,
                 dict_of_arrays, frompyfunc, from_iterable):  # fmt: skip
    add(function, U)
for function in (ndenumerated, ndindexed, applied_over, einsums):
    add(function, A)
for function in (ordered_dict, chain_map, deep_copied, sets, from_table, from_function):
    add(function, 0.7)
add(zipped, U, P)
add(starmapped, U, P)
add(meshed, U, P)
add(star_arguments, U, 1.3)
add(partials, 1.3, 2.2)
add(bisected, P, 3.0)
add(vectorized, U, 1.7)
add(vectorized_signature, A, [0.3, 0.8, -0.4])
add(stacked, U, 0.9)

# ---- types of numbers


def mixed_precision(x):
    w = np.ones(6, np.float32) / 3
    return (w * x).astype(np.float64).sum() + np.float64(x[0]) * np.float32(2)


def integer_buffer(x):
    counts = np.zeros(3, int)
    counts[1] += 2
    return x[counts[1]] ** counts[1] + counts @ x[:3]


def longdouble(x):
    return float(np.longdouble(2) * 1.0) * x + np.asarray(x, dtype=float) ** 2


def complex_impedance(R, L, C):
    w = 2 * np.pi * np.logspace(0, 2, 3)
    z = R + 1j * w * L + 1 / (1j * w * C)
    return np.abs(z), np.angle(z), 20 * np.log10(1 / np.abs(z))


def complex_scalar(a, b):
    z = complex(a, b)
    w = cmath.exp(z) / (1 + z.conjugate() * z)
    return w.real * cmath.phase(w) + abs(w) + w.imag


def polar_roots(a, b, c):
    d = np.lib.scimath.sqrt(b * b - 4 * a * c)
    roots = np.array([(-b + d) / (2 * a), (-b - d) / (2 * a)])
    return roots.real, roots.imag


def complex_buffer(x):
    z = np.zeros(3, complex)
    z.real, z.imag = x[:3], x[3:]
    z[0] *= 1j
    return (z * z.conj()[::-1]).sum().real + np.exp(1j * x).imag


def nan_handling(x):
    x = np.where(x < -1, np.nan, x)
    y = x[~np.isnan(x)]
    return np.nanmean(x) * y.std() + np.nan_to_num(x).sum()


def isclose_branch(x):
    return np.where(np.isclose(x, 0.58, atol=0.1), x**3, np.sinc(x))


def numpy_scalars(x):
    y = np.float64(x)
    return y.item() * y.real + y.conjugate() ** 2 + np.asarray(y)[()] + y.astype(float) / y.size


def zero_dimensional(x):
    y = np.array(x)
    y += 1
    y[...] = y * x
    return y


def empty_parts(x):
    return np.concatenate([x[:0], x[1:3], np.array([]), x[9:]]) * np.sum(x[:0], initial=2.0)


def tolist_and_back(x):
    return np.array([v * 2 for v in x.tolist()]) + np.asarray(list(map(math.erf, x)))


def rounded_output_unused(x):
    text = f"{float(x):.3f}"
    assert len(text) > 2
    return x * len(text)


def constants_of_modules(x):
    return (
        np.pi * x + math.tau * x**2 + np.e ** (-x) + np.euler_gamma * special.erf(x) + np.finfo(float).eps * x
    )


add(mixed_precision, U)
add(integer_buffer, U)
add(longdouble, 1.3)
add(complex_impedance, 3.0, 0.02, 0.004)
add(complex_scalar, 0.4, 1.1)
add(polar_roots, 1.3, 0.7, 2.1)
for function in (complex_buffer, nan_handling, isclose_branch, empty_parts, tolist_and_back):
    add(function, U)
for function in (numpy_scalars, zero_dimensional, rounded_output_unused, constants_of_modules):
    add(function, 0.83)

ROWS = list(add)

"""More statements for random programs (`programs.py`): masks that broadcast, methods of ufuncs, `out=` and `where=`,
single precision, exceptions, classes, closures, caches, iterators, text."""

import numpy as np

from tests.tracing.programs import KINDS, _apart, _array, _float, _near


def masked(d):
    a = _array(d)
    if a is None or _near(d, a, 0.2):
        return
    name, last = next(d.fresh), f"{a}.shape[-1]"
    d.attempt(d.choose([
        f"{name} = np.ones((2, *{a}.shape))\n{name}[:, {a} > 0.2] = 0.7",
        f"{name} = {a} * np.ones((2,) + (1,) * {a}.ndim)\n{name}[0][{a} > 0.2] = {a}[{a} > 0.2] ** 2",
        f"{name} = {a}.copy()\n{name}[{a} > 0.2] = {a}[{a} > 0.2][::-1]",
        f"{name} = {a}.copy()\n{name}[({a} > 0.2) & ({a} < 5)] -= np.mean({a})",
        f"{name} = {a}.copy()\n{name}[{a}.reshape({last}, -1)[:, 0] > 0.2] = 0.4" if a == "y" else
        f"{name} = {a}.copy()\n{name}[..., np.arange({last}) > 0] *= 1.3",
        f"{name} = {a}.copy()\nnp.copyto({name}, 0.3 * {a}, where={a} > 0.2)",
        f"{name} = {a}.copy()\n{name}.flat[np.flatnonzero({a} > 0.2)] = 0.6",
        f"{name} = np.where({a} > 0.2, {a}, np.mean({a}))",
        f"{name} = np.extract({a} > 0.2, {a}).sum() + 0.1",
        f"{name} = {a}[({a} > 0.2).nonzero()].mean() if ({a} > 0.2).any() else 0.5",
        f"{name} = np.count_nonzero({a} > 0.2) * {a}",
        f"{name} = np.choose(({a} > 0.2).astype(int), [{a} ** 2, 3 * {a}])",
        f"{name} = np.delete({a}, 0, axis=-1).sum() + np.insert({a}, 0, 0.5, axis=-1)",
        f"m = {a} > 0.2\n{name} = np.cumsum(np.where(m, {a}, 0.0))\nm[...] = False",
    ]), name)  # fmt: skip


def methods(d):
    a = _array(d)
    if a is None:
        return
    name, n = next(d.fresh), len(d.space[a])
    b = _array(d)
    choices = [
        f"{name} = np.add.reduceat({a}, [0, {n - 1}], axis=0)",
        f"{name} = np.multiply.reduceat({a}.ravel(), [0, 1, 0])",
        f"{name} = np.add.accumulate({a}, axis=-1)",
        f"{name} = np.multiply.accumulate({a}.ravel())",
        f"{name} = np.subtract.outer({a}.ravel(), {b}.ravel())",
        f"{name} = np.multiply.outer({a}.ravel()[:2], {b})",
        f"{name} = np.add.reduce({a}, axis=None)",
        f"{name} = np.hypot.reduce({a}.ravel() + 3)",
        f"{name} = np.zeros({n})\nnp.add.at({name}, np.arange({a}.size) % {n}, {a}.ravel())",
        f"{name} = {a}.copy()\nnp.subtract.at({name}, [0, 0], {a}[-1])",
        f"{name} = {a}.copy()\nnp.multiply.at({name}, (0,), 1.5)",
        f"{name} = np.empty_like({a})\nnp.sin({a}, out={name})\nnp.multiply({name}, {a}, {name})",
        f"{name} = np.zeros_like({a})\nm = np.arange({a}.size).reshape({a}.shape) % 2 == 0\n"
        f"np.add({a}, 1.0, out={name}, where=m)\nm[...] = False",
        f"{name} = np.full_like({a}, 0.5)\nnp.divide(1.0, {a}, out={name}, where={a} > 0.1)",
        f"{name} = np.add.reduce({a}, axis=0, initial=0.5)",
        f"{name} = np.sum({a}, axis=0, out=np.empty({a}.shape[1:]))",
        f"{name} = np.empty({a}.shape)\nnp.cumsum({a}, axis=0, out={name})",
        f"{name} = np.dot({a}.T, {a}, out=None)",
        f"q, {name} = np.divmod({a} * 3.3 + 20.05, 1.7)\n{name} = {name} + q"
        if not _near_steps(d, a)
        else f"{name} = np.modf({a})[0] + np.frexp(np.float64(2.0))[1] * {a}",
        f"{name} = np.fromiter((t * t for t in {a}.ravel()), float)",
        f"{name} = np.fromfunction(lambda i: i * {a}.ravel()[0], (3,))",
        f"{name} = np.array(list(map(lambda r: r * 2, {a})))",
        f"{name} = np.vectorize(lambda t, s=0.3: t * t + s)({a})",
        f"{name} = np.apply_along_axis(lambda r: r - r.mean(), -1, {a})",
        f"{name} = np.interp({a}, [-9.0, 0.0, 0.33, 9.0], [0.0, 1.0, 3.0, 2.0])",
        f"{name} = np.polyval([0.3, -1.0, 2.0], {a})",
        f"{name} = np.gradient({a}.ravel())",
        f"{name} = np.convolve({a}.ravel(), [0.5, 0.25, 0.1], 'same')",
        f"{name} = np.kron({a}.ravel()[:2], {b}.ravel()[:2])",
        f"{name} = np.cross([1.0, 2.0, 0.5], np.resize({a}, 3))",
        f"{name} = np.resize({a}, (2, 3))",
        f"{name} = np.linalg.norm({a})",
        f"{name} = np.average({a}.ravel(), weights=np.arange({a}.size) + 1.0)",
        f"{name} = np.cov(np.stack([{a}.ravel(), {a}.ravel() ** 2]))",
    ]
    if _apart(d, a):
        choices += [
            f"{name} = {a}.ravel().copy()\n{name}.sort()",
            f"{name} = np.sort({a}, axis=None)[::-1]",
            f"{name} = np.percentile({a}, 30)",
            f"{name} = np.quantile({a}, [0.1, 0.77])",
            f"{name} = np.partition({a}.ravel(), 1)[:2].sum()",
            f"{name} = {a}.ravel()[np.argsort(-{a}.ravel())]",
            f"{name} = np.searchsorted(np.sort({a}.ravel()), 0.2) * {a}",
            f"{name} = np.maximum.accumulate({a}.ravel())",
            f"{name} = np.minimum.reduce({a}, axis=None)",
            f"{name} = np.unique({a})",
            f"{name} = sorted({a}.ravel())[0] * 2.0",
            f"{name} = np.float64(max({a}.ravel().tolist()))",
            f"{name} = np.take_along_axis({a}, np.argsort({a}, axis=-1), axis=-1)",
            f"{name} = np.maximum.at and np.ptp({a})",
        ]
    d.attempt(d.choose(choices), name)


def _near_steps(d, a, margin=0.05):
    rest = (np.asarray(d.space[a]) * 3.3 + 20.05) % 1.7
    return bool(np.any((rest < margin) | (rest > 1.7 - margin)))


PYTHON = """\
try:
    if FIRST > 0.2:
        raise ValueError
    RESULT = ARRAY * 2
except ValueError:
    RESULT = ARRAY ** 2

RESULT = ARRAY.copy()
try:
    RESULT[0] = RESULT[0] * 3
finally:
    RESULT *= 0.5

try:
    RESULT = math.sqrt(FIRST - 0.2)
except ValueError:
    RESULT = FIRST * 0.3

try:
    RESULT = ARRAY[99]
except IndexError:
    RESULT = ARRAY[0] * 1.1

RESULT = (RESULT_w := ARRAY * 2) + RESULT_w ** 2

match len(ARRAY):
    case 2:
        RESULT = ARRAY * 2
    case n if n > 2:
        RESULT = ARRAY ** 2
    case _:
        RESULT = ARRAY

match (FIRST > 0.2, 1):
    case (True, k):
        RESULT = ARRAY * 2 * k
    case _:
        RESULT = ARRAY ** 2

def g(v, memory=[]):
    memory.append(v)
    return sum(memory)
RESULT = g(ARRAY) + g(ARRAY * 2)

class C:
    def __init__(self, v):
        self.v, self.n = v, 0
    def step(self):
        self.n += 1
        self.v = self.v * 0.9 + 0.1 * self.n
        return self.v
c = C(ARRAY)
c.step()
RESULT = c.step()

class C:
    total = 0.0
    @classmethod
    def add(cls, v):
        cls.total = cls.total + v
        return cls.total
C.add(ARRAY)
RESULT = C.add(ARRAY ** 2)

import dataclasses
@dataclasses.dataclass
class P:
    a: float
    b: float = 0.5
    def norm(self):
        return self.a * self.a + self.b
RESULT = dataclasses.replace(P(ARRAY), b=ARRAY * 0.3).norm()

from typing import NamedTuple
class N(NamedTuple):
    a: float
    b: float = 2.0
n = N(ARRAY)._replace(b=FIRST)
RESULT = n.a * n.b

def g(v):
    total = 0.0
    def inner(t):
        nonlocal total
        total = total + t * t
    for t in v.ravel():
        inner(t)
    return total
RESULT = g(ARRAY)

def g(v):
    for t in v.ravel():
        yield t * 0.5
RESULT = np.array(list(g(ARRAY)))

def g():
    s = 0.0
    while True:
        t = yield s
        s = s + t
w = g()
next(w)
RESULT = [w.send(t) for t in ARRAY.ravel()][-1]

import functools
@functools.lru_cache
def g(k):
    return k * FIRST
RESULT = g(2) + g(2) + g(3)

import functools
@functools.lru_cache(maxsize=None)
def g(t):
    return t * t
RESULT = g(float(FIRST)) + g(float(FIRST))

cache = {}
def g(t):
    if t not in cache:
        cache[t] = t * t
    return cache[t]
RESULT = g(FIRST) * 2 + g(FIRST)

import functools
RESULT = functools.reduce(lambda p, q: p * 0.5 + q, ARRAY.ravel())

import itertools
RESULT = np.array([p for p in itertools.accumulate(ARRAY.ravel())])

import collections
q = collections.deque([0.1, 0.2], maxlen=2)
for t in ARRAY.ravel():
    q.append(q[0] * 0.5 + t)
RESULT = q[-1]

w = {'a': ARRAY, 'b': 2.0}
w['a'] = w['a'] * w['b']
RESULT = sum(np.sum(v) for v in w.values())

with np.errstate(all='ignore'):
    RESULT = np.log(np.abs(ARRAY)) * 0.1

RESULT = np.empty_like(ARRAY)
for i, t in np.ndenumerate(ARRAY):
    RESULT[i] = t * t

RESULT = np.empty_like(ARRAY)
for i in np.ndindex(ARRAY.shape):
    RESULT[i] = ARRAY[i] * 0.3

RESULT = 0.0
for t in np.nditer(ARRAY):
    RESULT = RESULT + t * t

RESULT = ARRAY.copy()
for t in np.nditer(RESULT, op_flags=['readwrite']):
    t[...] = t * 2

RESULT = ARRAY.copy()
with np.nditer([ARRAY, None]) as it:
    for p, q in it:
        q[...] = p * p
    RESULT = it.operands[1]

RESULT = float(f'{FIRST:.17g}') * 2

RESULT = len(f'{FIRST:.2f}') * ARRAY

RESULT = ARRAY * (3 if isinstance(FIRST, float) else 5)

RESULT = ARRAY * np.int8(100) * np.int8(1)

RESULT = ARRAY * (np.arange(2, dtype=np.int8) + np.int8(126))[0]

RESULT = (np.arange(ARRAY.size).astype(np.uint8) - np.uint8(1)).astype(float).reshape(ARRAY.shape) * 0.01 * ARRAY

RESULT = ARRAY if FIRST > 0.2 else -ARRAY
RESULT = RESULT + 1

RESULT = [ARRAY[i] for i in range(len(ARRAY)) if np.sum(ARRAY[i]) < 99][0]

RESULT = (ARRAY, ARRAY * 2)[int(FIRST > 0.2)]

RESULT = sum(1 for t in ARRAY.ravel() if t > 0.2) * ARRAY

RESULT = ARRAY * bool(FIRST > 0.2)

RESULT = FIRST
for k in range(9):
    if RESULT > 2:
        break
    RESULT = RESULT * 1.5 + 0.3
else:
    RESULT = RESULT * 2

RESULT = FIRST // 1e9 + FIRST % 1e9

RESULT = divmod(FIRST + 7.05, 100.0)[1]

RESULT = abs(FIRST) ** 0.5 + round(FIRST * 0 + 2.2)

RESULT = FIRST.real * 2 + FIRST.conjugate()

RESULT = complex(FIRST, 2.0).imag * FIRST + abs(complex(FIRST, 2.0))

RESULT = math.fsum(ARRAY.ravel().tolist()) + math.hypot(FIRST, 1.0)

RESULT = math.prod(ARRAY.ravel()) + math.dist([FIRST], [3.0])

import operator
RESULT = operator.mul(ARRAY, 2) + operator.itemgetter(0)(ARRAY.ravel())

import copy
RESULT = copy.deepcopy([ARRAY])[0] * 1.2

g = (lambda *v, **k: v[0] * k['s'])
RESULT = g(*[ARRAY], **{'s': 0.4})

gs = [lambda v, k=k: v * k for k in range(1, 3)]
RESULT = gs[0](ARRAY) + gs[1](ARRAY)

RESULT = max(ARRAY.ravel(), key=lambda t: t * t + 0.01 * t) * 1.0

RESULT = ARRAY.copy()
RESULT.fill(FIRST)

RESULT = np.array(ARRAY.tolist()) * 2

RESULT = np.array([[FIRST, 1.0], [0.5, FIRST ** 2 + 3]])
RESULT = np.linalg.inv(RESULT) @ RESULT + np.linalg.det(RESULT)

p, *rest = ARRAY.ravel()
RESULT = p + sum(rest) * 0.5

RESULT = ARRAY.copy()
b = RESULT[::-1]
b[0] = 9.0 * b[-1]
del b

RESULT = ARRAY.view()
RESULT.shape = (-1,)
RESULT[0] *= 1.2

RESULT = np.asarray(ARRAY, order='F').T.copy().ravel(order='K')

RESULT = memoryview(ARRAY.copy())[0] if ARRAY.ndim == 1 else ARRAY

RESULT = ARRAY.__mul__(2).__add__(FIRST)
"""


def python(d):
    """One of the pieces of code above, which a blank line ends: of an array, its first number, and the result."""
    a = _array(d)
    if a is None or _near(d, a, 0.2):
        return
    name = next(d.fresh)
    text = d.choose(PYTHON.strip().split("\n\n"))
    text = text.replace("FIRST", f"{a}.ravel()[0]").replace("ARRAY", a).replace("RESULT", name)
    d.attempt(text, name)


def single(d):
    a = _array(d)
    if a is None:
        return
    name = next(d.fresh)
    d.attempt(d.choose([
        f"{name} = {a} * np.float32(0.5)",
        f"{name} = {a} + np.arange({a}.size, dtype=np.float32).reshape({a}.shape)",
        f"{name} = {a} * np.float32(0.1) * np.float32(0.1)",
        f"{name} = np.abs({a} + np.complex64(1j))",
        f"{name} = ({a} * np.complex64(1 + 2j)).real",
        f"{name} = np.zeros({a}.shape, complex)\n{name} += {a}\n{name} = np.abs({name} * (1 - 2j))",
        f"{name} = np.angle({a} + 2j) + np.real_if_close({a} + 0j)",
        f"{name} = np.fft.fft({a}.ravel())\n{name} = np.abs({name}) ** 2",
        f"{name} = np.fft.irfft(np.fft.rfft({a}.ravel(), 8), 8)",
        f"z = {a} * np.exp(1j)\nz.real = {a} ** 2\n{name} = z.real + z.imag",
        f"z = np.empty({a}.shape, complex)\nz.real, z.imag = {a}, {_float(d)}\n{name} = (z * z.conj()).real",
        f"{name} = np.polynomial.polynomial.polyval({a}, [1.0, 0.5, 0.25])",
    ]), name)  # fmt: skip


FURTHER = (*KINDS, masked, masked, methods, methods, methods, python, python, python, python, single)

"""Random programs in NumPy, as text: arrays in place, views, masks, fancy indices, reductions, other dtypes, branches.

A program is a function `program(x, y)` of two arrays. It is drawn statement by statement, and each statement is run at
once, so that every number it can look at is known, finite and not too large. What would be at a kink or a jump (a
comparison of near numbers, a rounding near an edge) is drawn again.
"""

import dataclasses
import itertools

import numpy as np

STATEMENTS = 10
LARGE = 50.0
HEAD = """\
def weighted(v):
    return np.sum(v * np.cos(np.arange(np.size(v))).reshape(np.shape(v)))


"""


@dataclasses.dataclass
class Program:
    text: str
    x: np.ndarray
    y: np.ndarray

    def function(self):
        space = {"np": np, "math": __import__("math")}
        exec(compile(self.text, "<program>", "exec"), space)
        return space["program"]


class Drawing:
    """The program so far, the names that it has, and their values."""

    def __init__(self, random):
        self.random = random
        self.lines: list[str] = []
        self.space = {"np": np, "math": __import__("math")}
        self.names: list[str] = []
        self.fresh = (f"v{i}" for i in itertools.count())

    def choose(self, values):
        values = list(values)
        return values[self.random.integers(len(values))]

    def arrays(self, test=lambda v: True):
        return [n for n in self.names if test(self.space[n])]

    def attempt(self, line, name=None) -> bool:
        """Add a statement, if it runs and every array is still of moderate numbers."""
        before = {n: np.copy(self.space[n]) for n in self.names}
        aliases = {n: self.space[n] for n in self.names}
        try:
            with np.errstate(all="raise"):
                exec(line, self.space)
        except Exception:
            good = False
        else:
            now = [self.space[n] for n in [*self.names, *([name] if name else [])]]
            good = all(_moderate(v) for v in now) and sum(np.size(v) for v in now) < 400
        if good:
            self.lines.append(line)
            if name:
                self.names.append(name)
            return True
        for n, value in before.items():  # in place on the same arrays, for others may be views of them
            self.space[n] = aliases[n]
            if isinstance(aliases[n], np.ndarray):
                try:
                    aliases[n][...] = value
                except ValueError:
                    return False
        return False


def _moderate(value):
    value = np.asarray(value)
    return value.dtype.kind in "fiub" and bool(np.all(np.abs(value.astype(float)) < LARGE))


def drawn(seed: int, kinds=None) -> Program:
    random = np.random.default_rng(seed)
    d = Drawing(random)
    shape = tuple(int(n) for n in random.integers(2, 4, random.integers(1, 3)))
    x = random.uniform(0.3, 1.7, shape) * random.choice([-1, 1], shape)
    y = random.uniform(0.3, 1.7, shape[-1:]) * random.choice([-1, 1], shape[-1:])
    d.space |= {"x": x.copy(), "y": y.copy()}
    d.names = ["x", "y"]
    for owned in ("x", "y"):
        d.attempt(f"{owned} = {owned}.copy()")
    tries = 0
    while len(d.lines) < STATEMENTS + 2 and (tries := tries + 1) < 200:
        d.choose(kinds or KINDS)(d)
    floats = d.arrays(lambda v: np.asarray(v).dtype.kind == "f")
    parts = [f"{d.choose((1.0, 0.7, -1.3))} * weighted({n})" for n in floats[-4:]]
    body = "".join(f"    {line}\n" for text in d.lines for line in text.split("\n"))
    return Program(f"{HEAD}def program(x, y):\n{body}    return {' + '.join(parts)}\n", x, y)


# ---- statements; each is drawn for what is there

UNARY = ("np.sin", "np.cos", "np.tanh", "np.exp", "np.sqrt", "np.log", "np.arctan", "np.square", "np.abs", "np.cbrt",
         "np.log1p", "np.expm1", "np.reciprocal", "np.negative", "np.sinh", "np.deg2rad")  # fmt: skip
BINARY = ("+", "-", "*", "/", "**")
FUNCTIONS = ("np.maximum", "np.minimum", "np.hypot", "np.arctan2", "np.logaddexp", "np.fmax", "np.copysign")
REDUCE = ("sum", "mean", "prod", "max", "min", "std", "var", "cumsum", "cumprod", "ptp", "median", "sort", "diff",
          "flip", "nansum")  # fmt: skip


def _float(d):
    return d.choose(d.arrays(lambda v: np.asarray(v).dtype.kind == "f"))


def _array(d, minimum=1):
    found = d.arrays(
        lambda v: isinstance(v, np.ndarray) and v.dtype.kind == "f" and v.ndim >= minimum and v.size > 1
    )
    return d.choose(found) if found else None


def unary(d):
    name, a, f = next(d.fresh), _float(d), d.choose(UNARY)
    if f in ("np.sqrt", "np.log"):
        a = f"np.abs({a}) + 0.1"
    if f == "np.cbrt" and _near(d, a, 0.0):
        return  # its slope there is infinite, and NaN if the number does not move
    d.attempt(f"{name} = {f}({a})", name)


def binary(d):
    name, a, b = next(d.fresh), _float(d), d.choose([_float(d), f"{d.random.uniform(0.4, 1.6):.3f}"])
    op = d.choose(BINARY)
    right = f"(np.abs({b}) + 0.5)" if op in ("/", "**") else b
    if op == "**" and _near(d, a, 0.0):
        return
    d.attempt(f"{name} = {f'np.abs({a})' if op == '**' else a} {op} {right}", name)


def function(d):
    name, a, b = next(d.fresh), _float(d), _float(d)
    if d.attempt(f"{name} = {d.choose(FUNCTIONS)}({a}, {b})", name) and _near(d, a, b):
        d.names.remove(name)
        d.lines.pop()


def _near(d, a, b, margin=0.05):
    """Whether two arrays have numbers that are close: a comparison of them is at its jump."""
    try:
        gap = np.abs(
            np.asarray(d.space[a] if isinstance(a, str) else a) - (d.space[b] if isinstance(b, str) else b)
        )
    except ValueError:
        return True
    return bool(np.any(gap < margin))


def _apart(d, a, margin=0.05):
    """Whether the numbers of an array differ from each other, so that its order is clear."""
    numbers = np.sort(np.ravel(d.space[a]))
    return numbers.size > 1 and bool(np.all(np.diff(numbers) > margin))


def reduction(d):
    a = _array(d)
    if a is None:
        return
    name, f = next(d.fresh), d.choose(REDUCE)
    if f in ("max", "min", "ptp", "median", "sort") and not _apart(d, a):
        return
    axis = d.choose([None, *range(-np.ndim(d.space[a]), np.ndim(d.space[a]))])
    if f in ("sort", "diff") and axis is None:
        axis = -1
    keep = (
        f", keepdims={bool(d.random.integers(2))}"
        if f in ("sum", "mean", "prod", "max", "min", "std", "var")
        else ""
    )
    method = f in (
        "sum",
        "mean",
        "prod",
        "max",
        "min",
        "std",
        "var",
        "cumsum",
        "cumprod",
    ) and d.random.integers(2)
    line = f"{name} = {a}.{f}(axis={axis}{keep})" if method else f"{name} = np.{f}({a}, axis={axis}{keep})"
    if d.attempt(line, name) and f == "std" and _at_its_kink(d.space[name], d.space[a]):
        d.names.remove(name)
        d.lines.pop()


def _at_its_kink(deviation, array, margin=0.05):
    """Of several numbers that are equal, where it is the root of 0, as after x[:] = 1.0."""
    return np.size(array) > np.size(deviation) and bool(np.any(deviation < margin))


def _index(d, a):
    """A basic index, often a slice of steps other than 1."""
    parts = []
    for n in np.shape(d.space[a]):
        i = int(d.random.integers(-n, n))
        parts.append(
            d.choose([f"{i}", ":", "::2", "::-1", f"{i}:", "1:", ":-1", "..." if "..." not in parts else ":"])
        )
    return ", ".join(parts[: d.random.integers(1, len(parts) + 1)])


def view(d):
    a = _array(d)
    if a is None:
        return
    name = next(d.fresh)
    d.attempt(f"{name} = " + d.choose([f"{a}[{_index(d, a)}]", f"{a}.T", f"{a}.reshape(-1)", f"{a}[..., None]",
                                       f"{a}.ravel()", f"np.swapaxes({a}, 0, -1)", f"np.atleast_2d({a})",
                                       f"{a}.copy()", f"np.asarray({a})", f"np.squeeze({a})"]), name)  # fmt: skip


def assignment(d):
    a = _array(d)
    if a is None:
        return
    value = d.choose([f"{d.random.uniform(-1.5, 1.5):.3f}", _float(d), f"np.sin({_float(d)})", f"{a} * 0.7"])
    target = d.choose([f"{a}[{_index(d, a)}]", f"{a}[...]", f"{a}"])
    op = d.choose(["=", "+=", "*=", "-="]) if target != a else d.choose(["+=", "*=", "-="])
    d.attempt(f"{target} {op} {value}")


def own_part(d):
    """An array whose parts are updated from other parts of it, as in recurrences."""
    a = _array(d)
    if a is None or np.shape(d.space[a])[0] < 2:
        return
    d.attempt(d.choose([f"{a}[1:] += 0.3 * {a}[:-1]", f"{a}[:-1] = {a}[1:] * 0.5", f"{a}[0], {a}[-1] = {a}[-1], {a}[0]",
                        f"for i in range(1, len({a})):\n    {a}[i] += 0.5 * {a}[i - 1]", f"{a}[::-1] += 0.2 * {a}",
                        f"{a}[[0, -1]] = {a}[[-1, 0]]", f"np.add({a}, 0.2, out={a})", f"{a}[0] **= 2",
                        f"np.add.at({a}, [0, 0, 1], 0.3)", f"np.multiply({a}[1:], 1.5, out={a}[1:])"]))  # fmt: skip


def mask(d):
    a = _array(d)
    if a is None or _near(d, a, 0.2):
        return
    name = next(d.fresh)
    line = d.choose([
        f"{name} = np.where({a} > 0.2, np.sin({a}), {a} ** 2)",
        f"{name} = {a}.copy()\n{name}[{a} > 0.2] = 0.3",
        f"{name} = {a}.copy()\n{name}[{a} > 0.2] *= 1.7",
        f"{name} = np.zeros_like({a})\nm = {a} < 0.2\n{name}[m] = np.exp({a}[m])\n{name}[~m] = {a}[~m] ** 2",
        f"{name} = {a}[{a} > 0.2]",
        f"{name} = {a}[{a} > 0.2].sum()",
        f"{name} = np.sum({a}, where={a} > 0.2)",
        f"{name} = np.select([{a} > 0.2, {a} < -0.5], [{a}, {a} ** 3], 0.1)",
        f"{name} = np.clip({a}, 0.2, None)",
        f"{name} = np.sqrt({a}, where={a} > 0.2, out=np.zeros_like({a}))",
        f"{name} = np.piecewise({a}, [{a} > 0.2], [lambda t: t**2, lambda t: -t])",
        f"{name} = {a} * ({a} > 0.2)",
        f"{name} = np.compress(({a} > 0.2).ravel(), {a})",
        f"{name} = np.copy({a})\nnp.putmask({name}, {a} > 0.2, {a} ** 2)",
        f"{name} = np.copy({a})\nnp.place({name}, {a} > 0.2, [0.5, 0.7])",
        f"{name} = {a}[np.nonzero({a} > 0.2)]",
    ])  # fmt: skip
    d.attempt(line, name)


def fancy(d):
    a = _array(d)
    if a is None:
        return
    name, n = next(d.fresh), np.shape(d.space[a])[0]
    index = [int(i) for i in d.random.integers(-n, n, 3)]
    line = d.choose([
        f"{name} = {a}[{index}]",
        f"{name} = np.take({a}, {index}, axis=0, mode='wrap')",
        f"{name} = {a}[np.array({index})] * 2.0",
        f"{name} = np.zeros(3)\n{name}[[2, 0]] = {a}.ravel()[:2]",
        f"{name} = {a}[np.argsort({a}.ravel())[0] % {n}]" if _apart(d, a) else f"{name} = {a}[{index[0]}]",
        f"{name} = np.roll({a}, {index[0]}, axis=0)",
        f"{name} = np.repeat({a}, 2, axis=-1)",
        f"{name} = np.bincount([0, 1, 0], weights={a}.ravel()[[0, 1, 1]])",
        f"{name} = np.stack([{a}, 2 * {a}])[:, 0]",
        f"{name} = np.concatenate([{a}, {a}[::-1]])",
        f"{name} = np.array([{a}.ravel()[0], 0.5, {a}.ravel()[-1]])",
        f"{name} = np.outer({a}.ravel(), {a}.ravel()[:2])",
        f"{name} = {a}[np.ix_([0, -1])]",
        f"{name} = np.pad({a}, 1, mode='edge')",
        f"{name} = np.flip({a})",
        f"{name} = np.tensordot({a}, {a}, {np.ndim(d.space[a])})",
        f"{name} = np.einsum('i,i->i', {a}.ravel(), {a}.ravel())",
        f"{name} = np.diag({a})",
        f"{name} = np.append({a}, {index[0]}.5)",
        f"{name} = np.trapezoid({a}, axis=0)",
        f"{name} = np.tril(np.atleast_2d({a}))",
    ])  # fmt: skip
    d.attempt(line, name)


def dtypes(d):
    a = _array(d)
    if a is None:
        return
    if np.any(np.abs(np.asarray(d.space[a]) * 3 % 1 - 0.5) > 0.4):
        return
    name = next(d.fresh)
    d.attempt(d.choose([
        f"{name} = np.real({a} + 1j * {a} ** 2)",
        f"{name} = np.abs({a} + 1j)",
        f"{name} = (np.exp(1j * {a}) * (2 + {a})).imag",
        f"{name} = {a} * np.arange({a}.size).reshape({a}.shape)",
        f"{name} = {a} * np.floor(3 * {a})",
        f"{name} = {a} + np.array([True])",
        f"{name} = ({a} > 0).astype(float) * {a} ** 2",
        f"{name} = {a}.astype(float)",
        f"{name} = np.floor(3 * {a}).astype(int) * {a}",
    ]), name)  # fmt: skip


def control(d):
    a = _array(d)
    if a is None or _near(d, a, 0.2):
        return
    name = next(d.fresh)
    d.attempt(d.choose([
        f"{name} = {a} * 2 if {a}.ravel()[0] > 0.2 else {a} ** 2",
        f"{name} = [np.sin(t) for t in {a}][-1]",
        f"{name} = sum(t * t for t in {a}.ravel())",
        f"{name} = 0.0\nfor t in {a}.ravel():\n    {name} = {name} * 0.5 + t",
        f"{name} = {a}.copy()\nfor i in range(len({name})):\n    if np.max({name}[i]) > 0.2:\n        {name}[i] *= 1.3",
        f"{name} = {a}.ravel()[0]\nfor _ in range(3):\n    {name} -= 0.1 * {name} ** 2",
        f"{name} = math.sin({a}.ravel()[0]) * {a}",
        f"{name} = float({a}.ravel()[0]) ** 2",
        f"{name} = max({a}.ravel()[0], 0.2) * 1.5",
        f"{name} = {a}.ravel().tolist()[0] * 1.5",
        f"{name} = {a}.item(0) * 1.5",
        f"{name} = {a}[int(np.argmax({a}.ravel()) == 0)] * 1.5",
        f"{name} = {a}.ravel()[0]\nwhile abs({name}) > 0.5:\n    {name} *= 0.5",
    ]), name)  # fmt: skip


KINDS = (unary, unary, binary, binary, function, reduction, view, view, assignment, assignment, own_part, mask, fancy,
         dtypes, control)  # fmt: skip

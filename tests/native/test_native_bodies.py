"""Branches and repetitions in programs: the same bits as from NumPy; what a forged text can do with them: nothing."""

import json
import random

import jax
import numpy as np
import pytest
import scipy.special

from hostwrap._errors import NoLoop
from hostwrap._lanes import native
from hostwrap._native import library as _library
from hostwrap._native import program as _assembly
from hostwrap._native import steps as _steps
from hostwrap._native.tape import Tape
from hostwrap.special._numerics.pointwise import piecewise, piecewise_jets
from hostwrap.special._numerics.quadrature import integrals
from hostwrap.special._numerics.until import until
from tests._kit.days import EXHAUSTIVE

pytestmark = pytest.mark.native
RANDOM = np.random.default_rng(3)
SHAPES = [(), (1,), (2,), (7,), (40, 3), (0,), (9001,)]


def text_of(function, *dtypes):
    tape = Tape(dtypes)
    results = function(*tape.inputs)
    results = results if isinstance(results, tuple) else (results,)
    return _assembly.assemble(tape, results, [x.dtype for x in results]).text


def run(text, *operands, threads=1):
    """A program as it may come from a file."""
    native.connect()
    key, outs = _assembly.key_of(text), json.loads(text)
    shape = np.broadcast_shapes(*[x.shape for x in operands])
    types = outs["types"][outs["inputs"] : outs["inputs"] + outs["outputs"]]
    call = jax.ffi.ffi_call(_library.LOOPS, [jax.ShapeDtypeStruct(shape, np.dtype(t)) for t in types])
    attributes = {"key": np.int64(key), "threads": np.int64(threads), "program": text}
    return [np.asarray(y) for y in jax.jit(lambda *xs: call(*xs, **attributes))(*operands)]


def checked(function, *operands, threads=1):
    """The same bits from C as from NumPy."""
    operands = [np.asarray(x) for x in operands]
    text = text_of(function, *[x.dtype for x in operands])
    with np.errstate(all="ignore"):
        want = function(*operands)
    got = run(text, *operands, threads=threads)
    for g, w in zip(got, want if isinstance(want, tuple) else (want,), strict=True):
        np.testing.assert_array_equal(g, w)
    return got


def exponential(x):
    def step(k, term, total, x):
        term = term * x / (k + 1)
        return term, total + term, np.abs(term) > 1e-17 * np.abs(total + term)

    return until(step, [1.0, 1.0], [x], 500)[1]


def regimes(x):
    inner = [(x > 3, lambda x: exponential(x / 2) ** 2), (None, exponential)]
    return piecewise(
        [x],
        [
            (x < 0, lambda x: 1 / exponential(-x)),
            (x < 50, lambda x: piecewise([x], [(x > 3, inner[0][1]), (None, inner[1][1])])),
            (x < 600, np.exp),
        ],
    )


@pytest.mark.parametrize("shape", SHAPES)
def test_branches_and_repetitions_have_the_same_bits_as_in_numpy(shape):
    got = checked(regimes, RANDOM.normal(size=shape) * 100)
    assert got[0].size < 1000 or 0 < np.isnan(got[0]).mean() < 0.1  # points of no case


def test_they_are_what_they_say():
    x = np.array([-30.0, -1.0, 0.0, 2.0, 4.0, 45.0, 100.0, 700.0, np.nan])
    np.testing.assert_allclose(checked(regimes, x)[0], np.where(x < 600, np.exp(x), np.nan), rtol=1e-13)


def test_threads_share_them(monkeypatch):
    monkeypatch.setattr(_assembly, "grain", lambda cost: 64)
    x = RANDOM.normal(size=20_011) * 100
    text = text_of(regimes, x.dtype)
    _assembly.register(text).set_grain()
    np.testing.assert_array_equal(run(text, x, threads=3)[0], run(text, x)[0])


@pytest.mark.parametrize(
    "shapes", [((), (5,)), ((300, 1), (1, 400)), ((4, 1, 3), (1, 5, 1)), ((1, 1), (1, 1))]
)
def test_numbers_that_are_the_same_for_a_whole_row(shapes):
    """The mask, what is carried on, what is given and the result may each be one number, or one for each element."""
    a, b = (RANDOM.normal(size=s) for s in shapes)
    rank = max(a.ndim, b.ndim)
    a, b = (x.reshape((1,) * (rank - x.ndim) + x.shape) for x in (a, b))

    def f(a, b):
        step = lambda k, s, t, a, b: (s + a, t * b, np.abs(t) > 0.1)
        s, t = until(step, [a, 1.0], [a, b * 0.5], 400)
        return (
            piecewise([a, b], [(a > 0, lambda a, b: a + 1), (None, lambda a, b: b)]),
            piecewise([a, b], [(b > 0, lambda a, b: a * 2), (a > 0.5, lambda a, b: 0.25 + 0 * a)]),
            s,
            t,
            until(lambda k, s, a: (s * a, k < 3), [1.0], [a], 9)[0] + 0 * b,
        )

    checked(f, a, b)


def test_what_changes_places():
    """(a, b) -> (b, a + b), and results that are no result of a step at all."""
    n = RANDOM.integers(1, 40, 500).astype(float)
    got = checked(lambda n: until(lambda k, a, b, n: (b, a + b, k + 1 < n), [0.0, 1.0], [n], 99), n)
    fibonacci = [0, 1]
    for _ in range(45):
        fibonacci.append(sum(fibonacci[-2:]))
    np.testing.assert_array_equal(got[0], np.array(fibonacci)[n.astype(int)])
    swapped = checked(lambda n: until(lambda k, a, b, c, n: (b, a, n, k + 1 < n), [n, -n, n], [n], 99), n)
    np.testing.assert_array_equal(swapped[0], np.where(n % 2, -n, n))


def test_what_stands_twice_is_computed_once():
    """Bodies too, if they do the same with the same: constants and what they are given count, slots do not."""
    x = RANDOM.uniform(-3, 3, 500)
    bodies = lambda *functions: text_of(lambda x: tuple(f(x) for f in functions), x.dtype).count('"flag"')
    other = lambda x: until(lambda k, s, x: (s * x, k < 4), [1.0], [x], 9)[0]
    assert bodies(regimes, regimes) == bodies(regimes)
    assert bodies(regimes, lambda x: regimes(x + 1)) == 2 * bodies(regimes)
    assert bodies(other, lambda x: until(lambda k, s, x: (s * x, k < 5), [1.0], [x], 9)[0]) == 2
    assert bodies(other, lambda x: until(lambda k, s, x: (s + x, s < 4), [1.0], [x], 9)[0]) == 2
    assert (
        bodies(other, lambda x: until(lambda k, s, x: (s + x, k < 4), [1.0], [x], 9)[0]) == 1
    )  # of as many turns
    got = checked(lambda x: (regimes(x), regimes(x) + other(x), other(x)), x)
    np.testing.assert_array_equal(got[1], got[0] + got[2])


def test_who_does_not_come_to_an_end_is_nan():
    x = RANDOM.uniform(0, 1, 3000)
    step = lambda k, s, x: (s + x, s + x < 10)
    (got,) = checked(lambda x: until(step, [0.0], [x], 50)[0], x)
    late = np.cumsum(np.repeat(x[:, None], 50, 1), axis=1)[:, -1] < 10
    assert 0 < late.mean() < 1
    np.testing.assert_array_equal(np.isnan(got), late)
    checked(lambda x: until(lambda k, s, x: (s + x, x < 2), [0.0], [x], 50)[0], x)  # none does


def test_bodies_within_bodies():
    """Halley's method on points of a branch, whose step has a series, whose terms have a branch."""

    def term(k, t, x):
        return piecewise([t, x], [(x > 1, lambda t, x: t / x), (None, lambda t, x: t * x)])

    def series(x):
        step = lambda k, s, t, x: (s + t, term(k, t, x), t > 1e-3)
        return until(step, [0.0, 1.0], [x], 60)[0]

    def f(x):
        step = lambda k, y, x: (y - 0.1 * (y - series(x)), np.abs(y - series(x)) > 0.05)
        return piecewise([x], [(x > 0.2, lambda x: until(step, [x], [x], 200)[0]), (x < 0.1, np.exp)])

    checked(f, RANDOM.uniform(-1, 3, 5000))
    for x in (0.5, 1.5, 0.05, 0.15):
        checked(f, x)


@pytest.mark.parametrize("shape", SHAPES)
def test_sums_over_rows(shape):
    """Of a function at nodes, with weights, in their order; a panel of one node is no repetition."""
    x = RANDOM.uniform(0.5, 3, shape)
    for count in (1, 2, 16):
        f = lambda x: tuple(
            integrals(lambda t: [np.exp(-t * x), t * x], [(0.0, x), (x, 2 * x)], count)  # noqa: B023
        )
        text = text_of(f, x.dtype)
        want = [y[..., 0] for y in f(x[..., None])] if not shape else f(x.ravel())
        for got, w in zip(run(text, x), want, strict=True):
            np.testing.assert_array_equal(got, np.reshape(w, shape))


def test_a_sum_that_looks_at_its_total_goes_turn_by_turn():
    """All turns of a few elements run side by side only where they need nothing of each other."""
    text = json.loads(text_of(lambda x: integrals(lambda t: [np.exp(-t * x)], [(0.0, x)], 16)[0], float))
    [body] = [step for step in text["steps"] if isinstance(step, dict)]
    honest, alone = json.dumps(text), np.array(0.7)
    body["steps"][-2][1][1] = body["inner"][0]  # of weight and integrand
    crooked, many = json.dumps(text), np.full(9001, 0.7)
    assert run(crooked, alone)[0] == run(crooked, many)[0][-1] != run(honest, alone)[0]
    assert run(honest, alone)[0] == run(honest, many)[0][-1]


def test_other_types():
    z = RANDOM.normal(size=700) + 1j * RANDOM.normal(size=700)
    step = lambda k, w, z: (w * 0.5 + z, np.abs(w) < 3)
    checked(lambda z: until(step, [0 * z], [z], 40)[0], z)
    jets = lambda x: tuple(
        piecewise_jets([x], 1, [(x > 0, lambda x: np.stack([x, x * x])), (None, lambda x: np.stack([-x, x]))])
    )
    checked(jets, RANDOM.normal(size=700))
    masks = lambda x: piecewise([x], [((x > 0) & False, np.sqrt), (True & (x > 1), np.log), (None, np.exp)])
    assert "sqrt" not in text_of(masks, np.float64)
    checked(masks, RANDOM.normal(size=700))


def test_what_a_body_has_is_not_seen_outside():
    kept = []
    leak = lambda x: piecewise([x], [(x > 0, lambda x: kept.append(x * 2) or x)]) + kept[0]
    with pytest.raises(NoLoop, match="a finished body"):
        text_of(leak, np.float64)
    with pytest.raises(NoLoop, match="change their type"):
        text_of(lambda x: until(lambda k, y, x: (y * 1j, y < 1), [x], [x], 5)[0], np.float64)


def test_what_is_written_to_an_array_is_written_to_no_other():
    def f(x, y):
        same, other = x * y, y * x  # one step of the program, and two arrays
        alias = same
        same -= y
        np.putmask(other, x > 0, y)
        filled, again = np.full_like(x, 2.0), np.full_like(x, 2.0)
        filled *= y
        masked = np.where(y > 0, x, y)
        masked[masked > 1] = -np.inf
        half = piecewise([x], [(True, lambda x: x)])
        half /= 2.0
        part = piecewise([x, y], [(x > y, lambda x, y: np.add(x, y, out=x)), (None, lambda x, y: x * 3)])
        return alias + 2 * other + 3 * filled + 4 * again + masked + half + 5 * part + x[()] + y

    x, y = RANDOM.normal(size=(2, 700))
    checked(f, x, y)
    with pytest.raises(NoLoop, match="written to"):
        text_of(lambda x: np.add(x, 1j, out=x), np.float64)
    with pytest.raises(NoLoop, match="look at the numbers"):
        text_of(lambda x: x[x > 0], np.float64)


def test_a_function_that_calls_itself_has_an_end():
    def f(x):
        return piecewise([x], [(x > 1, lambda x: f(x / 2) + f(x / 3)), (None, np.exp)])

    with pytest.raises(NoLoop, match="too many"):
        text_of(f, np.float64)


# ---- programs that come from elsewhere

BRANCH = {"flag": 4, "outer": [0, 1], "inner": [5, 6], "results": [7], "targets": [2], "others": [1]}
BRANCH |= {"steps": [["numpy.multiply ddd", [5, 6], [7]]], "bound": 0, "turn": 0}
REPEAT = {"flag": 9, "outer": [1, 0], "inner": [5, 6], "results": [7], "targets": [2], "others": [3]}
REPEAT |= {"bound": 100, "turn": 8}
REPEAT["steps"] = [["numpy.add ddd", [5, 6], [7]], ["numpy.less dd?", [7, 3], [9]]]
HONEST = {
    "types": ["<f8", "<f8", "<f8", "<f8", "|b1", "<f8", "<f8", "<f8", "<f8", "|b1"],
    "inputs": 2,
    "outputs": 1,
    "constants": [np.float64(1.5).tobytes().hex()],
}
MASK = ["numpy.greater dd?", [0, 3], [4]]
X, Y = np.linspace(0.5, 3, 7), np.linspace(-6, 6, 7)


def forged(kind, **changes):
    steps = [MASK, {**BRANCH, **changes}] if kind == "branch" else [{**REPEAT, **changes}]
    return json.dumps({**HONEST, "steps": steps})


def right(kind):
    if kind == "branch":
        return np.where(X > 1.5, X * Y, Y)
    return Y + X * np.maximum(1, np.ceil((1.5 - Y) / X))


@pytest.mark.parametrize("kind", ["branch", "repeat"])
def test_honest_texts_run(kind):
    np.testing.assert_allclose(run(forged(kind), X, Y)[0], right(kind), rtol=1e-14)


@pytest.mark.parametrize(
    "change",
    [
        {"flag": 0},
        {"flag": 7},
        {"flag": -1},
        {"flag": 99},
        {"flag": True},
        {"outer": [0, 9]},
        {"outer": [0, -1]},
        {"outer": [0]},
        {"outer": [0, 1, 1]},
        {"outer": "01"},
        {"inner": [5, 5]},
        {"inner": [5, 1]},
        {"inner": [5, 2]},
        {"inner": [5, 3]},
        {"inner": [5, 2**33]},
        {"inner": [5, -1]},
        {"inner": [5]},
        {"inner": [5, 9]},
        {"results": []},
        {"results": [0]},
        {"results": [2]},
        {"results": [4]},
        {"results": [7, 7]},
        {"targets": [0]},
        {"targets": [3]},
        {"targets": [5]},
        {"targets": [7]},
        {"targets": [4]},
        {"targets": [-1]},
        {"targets": [2**31]},
        {"targets": [2, 2]},
        {"others": []},
        {"others": [2]},
        {"others": [7]},
        {"others": [4]},
        {"others": [-3]},
        {"steps": []},
        {"steps": None},
        {"steps": {}},
        {"steps": [["numpy.multiply ddd", [0, 6], [7]]]},
        {"steps": [["numpy.multiply ddd", [5, 6], [2]]]},
        {"steps": [["numpy.multiply ddd", [5, 6], [5]]]},
        {"steps": [["numpy.multiply ddd", [5, 2], [7]]]},
        {"steps": [["numpy.multiply ddd", [5, 6], [77]]]},
        {"steps": [["os.system ddd", [5, 6], [7]]]},
        {"bound": -1},
        {"bound": 2**40},
        {"bound": 2.5},
        {"bound": "9"},
        {"bound": None},
        {"bound": True},
        {"turn": 5},
        {"turn": -1},
        {"turn": 2**40},
        {"turn": 3},
        {"turn": 9},
        {"else": 1},
    ],
    ids=str,
)
@pytest.mark.parametrize("kind", ["branch", "repeat"])
@pytest.mark.rotating
def test_a_forged_body_is_refused(kind, change):
    text = forged(kind, **change)
    with pytest.raises(jax.errors.JaxRuntimeError, match="does not know program"):
        run(text, X, Y)
    np.testing.assert_allclose(run(forged(kind), X, Y)[0], right(kind), rtol=1e-14)


@pytest.mark.parametrize(
    "change",
    [
        {"results": [5]},
        {"results": [6]},
        {"results": [3]},
        {"steps": [*REPEAT["steps"], ["cast ?d", [9], [8]]]},
    ],
    ids=str,
)
def test_a_repetition_has_results_of_its_own(change):
    with pytest.raises(jax.errors.JaxRuntimeError, match="does not know program"):
        run(forged("repeat", **change), X, Y)


ROWS = {"types": [*HONEST["types"][:3], *["<f8"] * 5, "|b1", *["<f8"] * 5]}
ROWS |= {"constants": [np.float64(x).tobytes().hex() for x in (1.5, 2, 3, 4, 5)]}
SUM = {"flag": 8, "outer": [1, 0], "inner": [9, 10], "results": [11], "targets": [2], "others": [3]}
SUM |= {"bound": 3, "turn": 12, "row": [13], "table": [4]}
SUM["steps"] = [["numpy.add ddd", [9, 13], [11]], ["numpy.less dd?", [12, 4], [8]]]


@pytest.mark.parametrize(
    "change",
    [
        {"table": [3]},
        {"table": [6], "bound": 3},
        {"table": [0]},
        {"table": [8]},
        {"table": [-1]},
        {"table": [2**40]},
        {"table": []},
        {"table": [4, 4]},
        {"table": [4.0]},
        {"table": None},
        {"row": [9]},
        {"row": [4]},
        {"row": [2]},
        {"row": [13, 13], "table": [4, 4]},
        {"row": [8]},
        {"row": [99]},
        {"row": []},
        {"row": "13"},
        {"bound": 0, "turn": 0},
        {"bound": 5},
    ],
    ids=str,
)
def test_forged_rows_are_refused(change):
    honest = json.dumps({**HONEST, **ROWS, "steps": [SUM]})
    np.testing.assert_array_equal(run(honest, X, Y)[0], Y + 2 + 3 + 4)
    if change == {"table": [3]}:  # other constants of its own
        np.testing.assert_array_equal(
            run(json.dumps({**HONEST, **ROWS, "steps": [{**SUM, **change}]}), X, Y)[0], Y + 1.5 + 2 + 3
        )
        return
    with pytest.raises(jax.errors.JaxRuntimeError, match="does not know program"):
        run(json.dumps({**HONEST, **ROWS, "steps": [{**SUM, **change}]}), X, Y)


def test_no_text_runs_for_ever():
    """The turns of bodies within one another multiply."""
    text = json.loads(forged("repeat"))
    for _ in range(4):
        text["types"] += ["<f8"] * 5
        n = len(text["types"])
        body = {**text["steps"][0], "bound": 1 << 12}
        around = {**REPEAT, "bound": 1 << 12, "outer": [1, 0], "inner": [n - 5, n - 4], "turn": n - 3}
        around |= {"results": [n - 2], "targets": [2], "others": [3]}
        body = {**body, "outer": [n - 5, n - 4], "targets": [n - 2]}
        less = ["numpy.less dd?", [n - 2, 3], [len(text["types"])]]
        text["types"].append("|b1")
        text["steps"] = [{**around, "flag": n, "steps": [body, less]}]
    with pytest.raises(NoLoop, match="called too often"):
        _assembly.register(json.dumps(text))
    with pytest.raises(NoLoop, match="number of turns"):
        _assembly.register(forged("repeat", bound=_steps.MAX_TURNS + 1))
    with pytest.raises(NoLoop, match="called too often"):
        _assembly.register(forged("repeat", bound=_steps.MAX_TURNS))
    deep = BRANCH
    for _ in range(_steps.MAX_DEPTH + 1):
        deep = {**BRANCH, "steps": [deep]}
    with pytest.raises(NoLoop, match="within one another"):
        _assembly.register(json.dumps({**HONEST, "steps": [MASK, deep]}))


NUMBERS = [-1, *range(10), 2**31, 2**33]


@pytest.mark.parametrize("seed", range(3000 if EXHAUSTIVE else 150))
def test_bodies_forged_at_random_do_no_harm(seed):
    """An error, or a result; and the process goes on."""
    chance = random.Random(seed)
    text = json.loads(forged(chance.choice(["branch", "repeat"])))
    for _ in range(chance.randint(1, 3)):
        body = text["steps"][-1]
        name = chance.choice([*body, "types"])
        if name in ("flag", "bound", "turn"):
            body[name] = chance.choice(NUMBERS)
        elif name == "types":
            text["types"][chance.randrange(len(text["types"]))] = chance.choice(["<f8", "|b1", "<c16", "<f4"])
        elif name == "steps":
            step = chance.choice(body["steps"])
            step[chance.choice([1, 2])] = [chance.choice(NUMBERS) for _ in range(chance.randint(1, 3))]
        elif chance.random() < 0.5:
            body[name].append(chance.choice(NUMBERS))
        elif body[name]:
            body[name][chance.randrange(len(body[name]))] = chance.choice(NUMBERS)
    try:
        run(json.dumps(text), X, Y)
    except (jax.errors.JaxRuntimeError, ValueError, NotImplementedError):
        return


def test_the_next_call_is_none_the_worse():
    checked(lambda x: scipy.special.jv(2.5, x), X)

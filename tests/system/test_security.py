"""Programs that hostwrap has not written: wrong keys, texts, types, shapes and numbers get an error."""

import json
import random
import sys
import types

import jax
import numpy as np
import pytest
import scipy.special

import hostwrap as hw
from hostwrap import special
from hostwrap._errors import NoLoop
from hostwrap._host import origins as _origins
from hostwrap._lanes import native
from hostwrap._native import calls as _calls
from hostwrap._native import library as _library
from hostwrap._native import loops as _loops
from hostwrap._native import program as _assembly
from tests._kit.days import EXHAUSTIVE

pytestmark = pytest.mark.native
FORGED = 3000 if EXHAUSTIVE else 150
HONEST = {
    "types": ["<f8", "<f8", "<f8", "<f8", "|b1", "<f8"],
    "inputs": 2,
    "outputs": 1,
    "constants": [np.float64(1.5).tobytes().hex()],
    "steps": [
        ["numpy.greater dd?", [0, 3], [4]],
        ["numpy.multiply ddd", [0, 1], [5]],
        ["select d", [4, 5, 1], [2]],
    ],
}
FORGED_TRUTH = [["select d", [3, 0, 1], [2]]]


def call(target, outs, *operands, **attributes):
    """What a program from a file can do: any operands, results and attributes."""
    native.connect()
    foreign = jax.ffi.ffi_call(target, outs, has_side_effect=True)
    return jax.block_until_ready(jax.jit(lambda *xs: foreign(*xs, **attributes))(*operands))


def run(description, outs, *operands, **changes):
    text = description if isinstance(description, str) else json.dumps(description)
    numbers = {"key": np.int64(_assembly.key_of(text)), "threads": np.int64(1), "grain": np.int64(1)}
    return call(_library.LOOPS, outs, *operands, **{**numbers, "program": text, **changes})


def double(*shape):
    return jax.ShapeDtypeStruct(shape, np.float64)


X, Y = np.linspace(0, 3, 7), np.linspace(5, 6, 7)
RIGHT = np.where(X > 1.5, X * Y, Y)


def test_an_honest_program_runs():
    np.testing.assert_array_equal(run(HONEST, double(7), X, Y), RIGHT)


# ---- the text of a program


@pytest.mark.parametrize(
    "change",
    [
        {"outputs": 0},
        {"outputs": -1},
        {"inputs": -1},
        {"inputs": 0},
        {"inputs": 2**62},
        {"inputs": 2.0},
        {"inputs": "2"},
        {"inputs": 6, "outputs": 0},
        {"outputs": True},
        {"steps": [["numpy.multiply ddd", [0, True], [2]]]},
        {"types": [*HONEST["types"][:3], "|b1", "|b1", "<f8"], "constants": ["ff"], "steps": FORGED_TRUTH},
        {"types": [*HONEST["types"][:3], "|b1", "|b1", "<f8"], "constants": [""], "steps": FORGED_TRUTH},
        {"constants": ["00" * 8] * 4000},
        {"types": ["<f8"] * 3, "constants": ["00"] * 4000, "steps": [["numpy.multiply ddd", [0, 1], [2]]]},
        {"constants": ["00" * 4000]},
        {"constants": ["zz"]},
        {"types": ["<f8"] * 100_000},
        {"types": ["O"] * 6},
        {"types": ["<U100000000"] * 6},
        {"types": ["<f8,<f8"] * 6},
        {"types": ["<f8"] * 3},
        {"steps": [["numpy.multiply ddd", [0, 1], [2]], ["numpy.multiply ddd", [0, 1], [2]]]},
        {"steps": [["numpy.modf ddd", [0], [2, 2]]]},
        {"steps": [["numpy.multiply ddd", [0, 5], [2]]]},
        {"steps": [["numpy.multiply ddd", [0, 1], [2**40]]]},
        {"steps": [["numpy.multiply ddd", [0, 1], [0]]]},
        {"steps": [["numpy.multiply ddd", [0, 1], [3]]]},
        {"steps": [["numpy.multiply OOO", [0, 1], [2]]]},
        {"steps": [["numpy.matmul ddd", [0, 1], [2]]]},
        {"steps": [["select d\0", [4, 5, 1], [2]]]},
        {"steps": [["\udcff d", [0], [2]]]},
        {"steps": [["os.system dd", [0], [2]]]},
        {"steps": [["this.s d", [0], [2]]]},
        {"steps": [[["numpy.exp dd"], [0], [2]]]},
        {"steps": [["numpy.exp dd"]]},
        {"steps": {"numpy.exp dd": 1}},
        {"key": 1},
    ],
    ids=lambda change: str(change)[:60],
)
def test_a_forged_text_is_refused(change):
    with pytest.raises(jax.errors.JaxRuntimeError, match="does not know program"):
        run({**HONEST, **change}, double(7), X, Y)
    np.testing.assert_array_equal(run(HONEST, double(7), X, Y), RIGHT)


def test_a_program_without_results_is_refused():
    empty = {"types": ["<f8"] * 2, "inputs": 2, "outputs": 0, "constants": [], "steps": []}
    with pytest.raises(jax.errors.JaxRuntimeError, match="does not know program"):
        run(empty, [], X, Y)


@pytest.mark.parametrize("text", ["", "[", "null", "[" * 100_000, '{"types": 1}', "\udc80", "1" * 10_000])
def test_a_text_that_is_no_program_is_refused(text):
    with pytest.raises((NoLoop, ValueError, TypeError, RecursionError)):
        _assembly.learn(_assembly.key_of(text), text)


def test_no_attribute_of_a_module_is_asked_for():
    """Only the ufuncs of two modules, so that a module that loads others when it is asked is not."""
    asked = types.ModuleType("asked")
    asked.__getattr__ = lambda name: pytest.fail(f"asked for {name}")
    sys.modules["asked"] = asked
    try:
        assert _loops.named("asked.exp dd") is None
        assert _origins.imported("asked", "exp") is None
        assert _origins.imported("asked", "__dict__.x") is None
    finally:
        del sys.modules["asked"]


def test_a_loop_that_this_process_has_used_is_still_none_that_a_file_may_name():
    """Only `numpy`, `scipy.special`, what its public functions call, and distributions; SECURITY.md says so."""
    hidden = scipy.special._ufuncs._lgam1p
    f = hw.wrap(hidden)
    np.testing.assert_array_equal(jax.jit(f)(X), hidden(X))
    own = next(name for name in _loops._found if name.endswith("_lgam1p dd"))
    assert _loops.named(own) is not None and _loops.named(own, foreign=True) is None
    text = {"types": ["<f8"] * 2, "inputs": 1, "outputs": 1, "constants": [], "steps": [[own, [0], [1]]]}
    with pytest.raises(jax.errors.JaxRuntimeError, match=r"(?s)does not know program.*may name"):
        run(json.dumps(text), double(7), X)  # as another text than that of the program that has run
    assert _loops.named("numpy.sin dd", foreign=True) is not None
    law = _loops.find(scipy.special._ufuncs._cosine_cdf, (np.dtype(float),) * 2)
    assert law.may_raise and _loops.named(law.name, foreign=True) is not None
    zeta = next(u for u in _loops._behind() if u.__name__ == "_zeta")  # of scipy.special.zeta(x, q)
    assert _loops.named(_loops.find(zeta, (np.dtype(float),) * 3).name, foreign=True) is not None


def test_a_byte_of_a_truth_may_be_any():
    """Of XLA's buffers in a program that somebody else has written; C knows no such truth."""
    which = np.array([0, 1, 2, 255, 254, 0, 128], np.uint8)
    text = {"types": ["|b1", "<f8", "<f8"], "inputs": 1, "outputs": 2, "constants": [], "steps": []}
    text["steps"] = [["cast ?d", [0], [1]], ["select d", [0, 1, 1], [2]]]
    for got in run(text, [double(7)] * 2, which.view(bool)):
        np.testing.assert_array_equal(got, (which != 0).astype(float))


# ---- the call


@pytest.mark.parametrize(
    "outs, operands",
    [
        (double(7), [X]),
        (double(7), [X, Y, Y]),
        (double(7), []),
        ([double(7)] * 2, [X, Y]),
        ([], [X, Y]),
        (double(7), [X, Y.astype(np.float32)]),
        (double(7), [X, Y.astype(np.int64)]),
        (jax.ShapeDtypeStruct((7,), np.float32), [X, Y]),
        (double(8), [X, Y]),
        (double(6), [X, Y]),
        (double(7, 1), [X, Y]),
        (double(), [X, Y]),
        (double(7), [X[:, None, None], Y]),
        (double(7), [X[None], Y]),
        (double(7), [X, np.float64(2)]),
        (double(7), [X, Y[:0]]),
        (double(1, 1, 7), [X, Y]),
        (double(*[1] * 33), [np.ones([1] * 33)] * 2),
        ([double(7)] * 70, [X] * 70),
    ],
    ids=repr,
)
def test_buffers_that_do_not_fit_are_refused(outs, operands):
    """XLA may find the mistake itself, when it compiles."""
    with pytest.raises((jax.errors.JaxRuntimeError, ValueError, NotImplementedError)):
        run(HONEST, outs, *operands)
    np.testing.assert_array_equal(run(HONEST, double(7), X, Y), RIGHT)


@pytest.mark.parametrize("number", [0, -1, 2**63 - 1, -(2**63)])
@pytest.mark.parametrize("name", ["threads", "grain"])
def test_numbers_out_of_range_do_no_harm(name, number):
    big = np.tile(X, 3000)
    got = run(
        HONEST, double(21_000), big, np.tile(Y, 3000), **{"threads": np.int64(4), name: np.int64(number)}
    )
    np.testing.assert_array_equal(got, np.tile(RIGHT, 3000))


def test_attributes_of_other_types_are_refused():
    for change in ({"key": np.int32(1)}, {"key": "text"}, {"threads": 1.5}):
        with pytest.raises(jax.errors.JaxRuntimeError, match="gives no key and threads"):
            run(HONEST, double(7), X, Y, **change)
    with pytest.raises(jax.errors.JaxRuntimeError, match="does not know program"):
        run(HONEST, double(7), X, Y, key=np.int64(77), program=np.int64(3))


# ---- Python functions by key


def test_a_function_called_with_other_buffers_than_its_own():
    seen = []
    function = lambda x, y: (seen.append(1), x + y)[1]
    function.__name__ = "forged buffers"
    f = hw.wrap(function, vmap_method="broadcast_all")
    compiled = jax.jit(f).lower(X, Y).compile()
    np.testing.assert_array_equal(compiled(X, Y), X + Y)
    (key,) = (call.key for call in _calls.by_key.values() if call.host.name == "forged buffers")
    np.testing.assert_array_equal(call(_library.HOST, double(7), X, Y, key=key), X + Y)
    del seen[:]
    for outs, operands in (
        (double(7), [X]),
        (double(7), [X, Y, Y]),
        ([double(7)] * 2, [X, Y]),
        ([], [X, Y]),
        (double(7), [X, Y.astype(np.float32)]),
        (jax.ShapeDtypeStruct((7,), np.int64), [X, Y]),
        (double(8), [X, Y]),
        (double(), [X, Y]),
        (double(7), [X, Y[:3]]),
        ([double(7)] * 300, [X] * 300),
        (double(*[1] * 40), [X, Y]),
    ):
        with pytest.raises((jax.errors.JaxRuntimeError, ValueError)):
            call(_library.HOST, outs, *operands, key=key)
    with pytest.raises(jax.errors.JaxRuntimeError, match="gives no key"):
        call(_library.HOST, double(7), X, Y, key=np.int64(3))
    np.testing.assert_array_equal(compiled(X, Y), X + Y)


HOW = "((0,), (((), 'float64'),), (0,), ('float64',), False)"


@pytest.mark.parametrize(
    "key",
    [
        "",
        "no function",
        "__import__('os').system('false')",
        f"(('wrap', 'os', 'system', ('x',), (), (0,), 0), {HOW})",
        f"(('wrap', 'numpy', 'exp', ('x',), (), (0,), 0), {HOW})",
        f"(('wrap', 'nowhere', 'f', ('x',), (), (0,), 0), {HOW})",
        f"(('wrap', 'builtins', '__dict__.eval', ('x',), (), (0,), 0), {HOW})",
        f"(('wrap',), {HOW})",
        f"(('special', 'no such function', ()), {HOW})",
        f"(('special', 'jv', (1, 2)), {HOW})",
        f"(('program', ('special', 'no', ()), (), ''), {HOW})",
        f"(('program', None, (), ''), {HOW})",
        f"(('evil', 1), {HOW})",
        f"(([], 1), {HOW})",
        "((), ())",
        "(" * 50_000,
        "-" * 50_000 + "1",
        "\x00\x01",
        "('special', 'ndtr', ())",
        "(('special', 'ndtr', ()), ((9,), (((-5,), 'float64'),), (3,), ('float64',), False))",
        "(('special', 'ndtr', ()), ((0,), (((), 'no type'),), (0,), ('float64',), False))",
        "(('special', 'ndtr', ()), ((0,), (((), 'float64'),) * 3, (0,), ('float64',), False))",
        "(('special', 'ndtr', ()), ((0,), (((), 'float64'),), (0,), ('object',), False))",
    ],
    ids=lambda key: key[:60],
)
def test_a_forged_key_is_refused(key):
    with pytest.raises(jax.errors.JaxRuntimeError):
        call(_library.HOST, double(7), X, key=key)
    good = f"(('special', 'ndtr', ()), {HOW})"
    np.testing.assert_array_equal(call(_library.HOST, double(7), X, key=good), scipy.special.ndtr(X))


# ---- at random


NUMBERS = [-1, 0, 1, 2, 3, 4, 5, 6, 7, 2**31, 2**33]
TYPES = ["<f8", "|b1", "<f4", "<c16", "|i1", "<f2", "<f16"]
LOOPS = ["numpy.add ddd", "cast dD", "real D", "numpy.modf ddd", "scipy.special.airy ddddd"]
CHANGES = [
    lambda text, step, chance: text.update({chance.choice(["inputs", "outputs"]): chance.choice(NUMBERS)}),
    lambda text, step, chance: text["types"].append(chance.choice(TYPES)),
    lambda text, step, chance: text["types"].pop() if len(text["types"]) > 1 else None,
    lambda text, step, chance: chance.shuffle(text["types"]),
    lambda text, step, chance: chance.shuffle(text["steps"]),
    lambda text, step, chance: text["constants"].append("00" * chance.randint(0, 20)),
    lambda text, step, chance: step[chance.choice([1, 2])].append(chance.choice(NUMBERS)),
    lambda text, step, chance: step[chance.choice([1, 2])].pop() if all(step) else None,
    lambda text, step, chance: step.__setitem__(0, chance.choice(LOOPS)),
]


def forged(chance):
    """The honest program with some changes."""
    text = json.loads(json.dumps(HONEST))
    for _ in range(chance.randint(1, 3)):
        chance.choice(CHANGES)(text, chance.choice(text["steps"]), chance)
    return text


@pytest.mark.parametrize("seed", range(FORGED))
def test_forged_programs_do_no_harm(seed):
    """An error, or a result of the type that was asked for; and the process goes on."""
    chance = random.Random(seed)
    shapes = [(), (1,), (7,), (7, 1), (2, 7), (0,)]
    dtypes = [np.float64, np.float64, np.float32, np.bool_, np.complex128]
    draw = lambda: jax.ShapeDtypeStruct(chance.choice(shapes), chance.choice(dtypes))
    outs = [draw() for _ in range(chance.choice([1, 1, 2]))] if chance.random() < 0.5 else [double(7)]
    operands = [np.ones(a.shape, a.dtype) for a in (draw(), draw())] if chance.random() < 0.5 else [X, Y]
    try:
        results = run(forged(chance) if chance.random() < 0.8 else HONEST, outs, *operands)
    except (jax.errors.JaxRuntimeError, ValueError, NotImplementedError):
        return
    assert [(y.shape, y.dtype) for y in results] == [(o.shape, o.dtype) for o in outs]


def test_the_next_call_is_none_the_worse():
    np.testing.assert_array_equal(jax.jit(special.jv)(2.5, X), scipy.special.jv(2.5, X))

"""Derivative rules as programs of C loops: the same bits as from NumPy, however the arguments broadcast."""

import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.special

import hostwrap as hw
from hostwrap import MissingDerivative, special
from hostwrap._call.arguments import Static
from hostwrap._call.dtypes import kind_of
from hostwrap._errors import NoLoop
from hostwrap._lanes import recorded as _recording
from hostwrap._native import library as _library
from hostwrap._native import loops as _loops
from hostwrap._native import program as _assembly
from hostwrap._native.tape import Tape
from tests._kit.days import by_turns
from tests.native.test_native import same, targets
from tests.reference.entries import catalogue, columns, has_complex, indices, statics

pytestmark = pytest.mark.native
RANDOM = np.random.default_rng(11)
DOUBLE = np.dtype(float)


def slopes(f):
    return lambda *args: jax.jvp(f, args, tuple(map(jnp.ones_like, args)))


def both_lanes(function, *args):
    results = []
    for lane in ("native", "callback"):
        with hw.lane(lane):
            results.append(jax.tree.leaves(jax.jit(lambda *a: function(*a))(*args)))
    return results


FUNCTIONS = {
    "jv": lambda x: special.jv(2.5, x),
    "yv complex": lambda x: special.yv(0.5, x + 0.3j),
    "hankel1": lambda x: special.hankel1(1.5, x),
    "airy": special.airy,
    "expi": special.expi,
    "wofz": lambda x: special.wofz(x * (1 + 0.1j)),
    "elliprc": lambda x: special.elliprc(x, 2 * x + 1),
    "struve": lambda x: special.struve(1.5, x),
    "agm": lambda x: special.agm(x, 2.0),
    "spence": special.spence,
    "ndtr": special.ndtr,
    "erfi": special.erfi,
    "expit": special.expit,
    "powm1": lambda x: special.powm1(x, x),  # no factors, which some versions of XLA multiply and add in one
    "xlogy": lambda x: special.xlogy(x, x + 1),
}


def test_what_is_compiled_for_other_shapes_is_recorded_once(monkeypatch):
    assembled, assemble = [], _recording.assemble
    monkeypatch.setattr(_recording, "assemble", lambda *args: assembled.append(args) or assemble(*args))
    f = hw.wrap(scipy.special.expit).defpartials(x=lambda y, x: y * (1 - y))
    for x in (jnp.ones(2), jnp.ones((3, 2)), jnp.float64(1.0)):
        jax.block_until_ready(jax.jit(lambda x: slopes(f)(x))(x))
        assert len(assembled) == 1
    jax.block_until_ready(jax.jit(lambda x: slopes(f)(x))(jnp.ones(2, np.float32)))
    assert len(assembled) == 2


@pytest.mark.rotating
@pytest.mark.parametrize("shape", [(), (7,), (3000,), (40, 3), (0,)])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_and_slopes_have_the_same_bits_as_from_numpy(name, shape):
    f = FUNCTIONS[name]
    for x in (RANDOM.uniform(0.1, 20, shape), RANDOM.uniform(0.1, 20, shape).astype(np.float32)):
        for g in (slopes(f), slopes(slopes(f))):
            for got, want in zip(*both_lanes(g, x), strict=True):
                # NumPy multiplies complex numbers with other instructions where there is one than where there are many
                rtol = 4 * np.finfo(got.dtype).eps if np.iscomplexobj(got) else 0
                np.testing.assert_allclose(got, want, rtol=rtol, atol=0)


ROOTS = {
    "struve": lambda x: special.struve(1.5, x),
    "modstruve": lambda x: special.modstruve(2.5, x),
    "iv": lambda x: special.iv(0.5, x),
    "tklmbda": lambda x: special.tklmbda(x / 40, 1.5),
    "lpmv": lambda x: special.lpmv(1, 0.5, x / 20),
    "hyp2f1": lambda x: special.hyp2f1(0.3, 0.7, 0.5, x / 20),
    "gammaincc": lambda x: special.gammaincc(0.5, x / 20),
    "gdtrc": lambda x: special.gdtrc(1.0, 1.5, x),
    "boxcox": lambda x: special.boxcox(x, 0.5),
    "ellipj": lambda x: special.ellipj(x, 0.5).sn,
}


@pytest.mark.parametrize("name", by_turns(*ROOTS))
def test_powers_with_an_exponent_that_is_one_number(name):
    """NumPy takes a square root for x^(1/2) where the exponent is one number for many, and a power where each has its
    own: other bits. Here a constant is the exponent, and a single point."""
    x = np.random.default_rng(5).uniform(0.1, 19, 300)
    many, wanted = both_lanes(slopes(ROOTS[name]), x)
    for got, want in zip(many, wanted, strict=True):
        np.testing.assert_array_equal(got, want)
    alone = jax.jit(slopes(ROOTS[name]))
    for k in range(20):
        np.testing.assert_array_equal(np.stack(jax.tree.leaves(alone(x[k]))), np.stack(many)[:, k])


ALONE = {
    "wofz": (special.wofz, RANDOM.uniform(-4, 4, 20) + 1j * RANDOM.uniform(-4, 4, 20)),
    "voigt_profile": (lambda x: special.voigt_profile(x, 1.3, 0.4), RANDOM.uniform(-9, 9, 20)),
    "erfcx": (special.erfcx, RANDOM.uniform(-4, 4, 20) + 1j * RANDOM.uniform(-4, 4, 20)),
    "ker": (special.ker, RANDOM.uniform(0.1, 9, 20)),
    "beta": (lambda x: special.beta(x, 1 - 2 * x), RANDOM.uniform(-9, 9, 20)),
}


@pytest.mark.parametrize("name", by_turns(*ALONE))
def test_a_point_alone_has_the_bits_that_it_has_among_others(name):
    """NumPy multiplies complex numbers by other instructions where a result has no stride."""
    f, x = ALONE[name]
    many = jax.tree.leaves(jax.jit(slopes(f))(x))
    assert targets(slopes(f), x)[-1:] == ["hostwrap_loops"]
    for k in range(len(x)):
        for part, here in ((slice(k, k + 1), slice(k, k + 1)), (k, k)):
            for got, want in zip(jax.tree.leaves(jax.jit(slopes(f))(x[part])), many, strict=True):
                same(got, np.asarray(want)[here])


@pytest.mark.parametrize("name", ["poch", "bdtr", "beta", "exprel", "voigt_profile", "sinc"])
def test_gradients_need_no_python(name):
    """In no argument, so a mask or a type that a program does not take is found."""
    function = catalogue()[name]
    args = [np.full(3, box.ordinary, float if hasattr(box, "im") else int) for box in function.boxes.values()]
    live = tuple(i for i, a in enumerate(args) if a.dtype.kind == "f")
    assert targets(jax.grad(lambda *args: jnp.sum(function(*args)), live), *args) == ["hostwrap_loops"]


def test_derivatives_need_no_python():
    x = np.ones(3)
    for f in (FUNCTIONS["jv"], special.airy, special.expi, FUNCTIONS["hankel1"]):
        assert targets(slopes(f), x) == ["hostwrap_loops"]
        assert targets(slopes(slopes(f)), x) == ["hostwrap_loops"]


@pytest.mark.parametrize(
    "shapes", [((), (5,)), ((300, 1), (1, 400)), ((4, 1, 3), (1, 5, 1)), ((2, 1), (2, 70)), ((1, 1), (1, 1))]
)
def test_arguments_broadcast(shapes):
    """Short rows are gathered, long ones are not; a number for the whole row is computed with once."""
    z, v = (RANDOM.uniform(0.5, 9, s) for s in shapes)
    for f in (lambda z: special.jv(v, z), lambda z: special.jv(v.T, z.T)):
        for got, want in zip(*both_lanes(slopes(f), z), strict=True):
            np.testing.assert_array_equal(got, want)


def test_threads_share_a_program(monkeypatch):
    monkeypatch.setattr("hostwrap._host.parallel.thread_count", lambda: 3)
    monkeypatch.setattr("hostwrap._native.program.grain", lambda cost: 100)
    x = RANDOM.uniform(0.1, 20, 5003)
    for got, want in zip(*both_lanes(slopes(FUNCTIONS["jv"]), x), strict=True):
        np.testing.assert_array_equal(got, want)


# ---- the tape


def recorded(function, *dtypes):
    tape = Tape(dtypes)
    results = function(*tape.inputs)
    return [s.loop.name for s in tape.steps], results


def test_what_is_recorded():
    names, _ = recorded(lambda x: np.where(x > 1, scipy.special.jv(2, x), 0.0), DOUBLE)
    assert names == ["numpy.greater dd?", "scipy.special.jv ddd", "select d"]
    names, y = recorded(lambda z: (z.real + 1).astype(np.float32), np.complex128)
    assert names == ["real D", "numpy.add ddd", "cast df"] and y.dtype == np.float32
    assert recorded(lambda x: x.imag + 1, DOUBLE)[0] == []  # a number


@pytest.mark.parametrize(
    "look",
    [
        bool,
        float,
        len,
        list,
        np.asarray,
        np.sum,
        np.add.reduce,
        np.unique,
        lambda x: x[0],
        lambda x: x + np.ones(2),
    ],
)
def test_a_look_at_the_numbers_is_refused(look):
    with pytest.raises((NoLoop, TypeError)):
        recorded(look, DOUBLE)


def test_a_function_that_is_not_made_of_loops_takes_python():
    assert targets(special.kv, np.float64(2), np.float64(3)) == ["hostwrap_loops"]
    assert targets(slopes(lambda v: special.kv(v, 2.0)), np.float64(2)) == ["hostwrap_loops"]
    assert targets(slopes(lambda v: special.jv(v, 2.0)), np.float64(2)) == ["hostwrap_loops"]
    assert targets(slopes(lambda v: special.ellip_normal(v, 5.0, 2, 2)), np.float64(2)) == ["hostwrap_host"]


@pytest.mark.rotating
@pytest.mark.parametrize(
    "name", [n for n, f in catalogue().items() if f.loops or getattr(f, "derivatives", f).loops]
)
def test_loops_are_recorded_or_refused(name):
    """For real and complex arguments, all statics, and first and second derivatives; nothing else is raised."""
    function = catalogue()[name]
    for is_complex in {False, has_complex(function)}:
        dtypes = [
            a.dtype
            for a in columns(function, np.zeros((1, len(function.args)), complex if is_complex else float))
        ]
        for given in statics(function):
            table = function.table(tuple(Static(*item) for item in given.items()))
            for index in indices(function, is_complex):
                index += (0,) * (len(table.slots) - len(index))
                try:
                    program = table.program((index,), "".join(map(kind_of, dtypes)))
                    layout = table.layout([np.zeros(1, d) for d in dtypes])
                    tape = Tape(dtypes)
                    program.record(tape.inputs, layout, range(len(layout.outs)), tape.perform)
                except (NoLoop, MissingDerivative):
                    pass


@pytest.mark.parametrize("name", ["gammainc", "exprel", "eval_chebyt"])
def test_points_of_several_cases_are_computed_without_python(name):
    """Each point by its own case: the bits are those of Python, which the callback lane runs."""
    f = getattr(special, name)
    g = jax.grad(lambda *args: jnp.sum(f(*args)), argnums=len(catalogue()[name].args) - 1)
    args = [RANDOM.uniform(0.1, 3, 3001) for _ in catalogue()[name].args]
    assert targets(g, *args) == ["hostwrap_loops"]
    for got, want in zip(*both_lanes(g, *args), strict=True):
        same(got, want)


def test_what_stands_twice_is_computed_once():
    names, _ = recorded(
        lambda x: (x + 1.5) * scipy.special.jv(2, x) - (x + 1.5) * scipy.special.jv(2, x), DOUBLE
    )
    assert names == ["numpy.add ddd", "scipy.special.jv ddd", "numpy.multiply ddd", "numpy.subtract ddd"]
    tape = Tape([DOUBLE])
    tape.inputs[0] * 2.5 + 2.5
    assert len(tape.constants) == 1


def test_equal_results_have_each_their_own_place():
    x = np.linspace(0.1, 2, 5)
    tape = Tape([DOUBLE, DOUBLE])
    a, b = tape.inputs
    outputs = [a, a, a, a + b, a + b, a + b, tape.slot(2.5, DOUBLE), tape.slot(2.5, DOUBLE)]
    numbers = _assembly._outputs(tape, outputs, [DOUBLE] * 8)
    assert len(set(numbers)) == 8 and not {0, 1} & set(numbers)
    thrice = special.rel_entr  # two of its second derivatives are one expression
    for g in (jax.jit(jax.vmap(jax.hessian(thrice, (0, 1)))), jax.vmap(jax.hessian(thrice, (0, 1)))):
        (xx, xy), (yx, yy) = g(x, x + 1)
        np.testing.assert_allclose(
            [xx, xy, yx, yy], [1 / x, -1 / (x + 1), -1 / (x + 1), x / (x + 1) ** 2], rtol=1e-14
        )


def test_a_program_of_thousands_of_steps(monkeypatch):
    def many(x):
        for k in range(1, 5001):
            x = x * (1 + 1e-7 * k)
        return x

    x = np.linspace(1, 2, 300)
    slope = jax.jit(jax.vmap(jax.grad(lambda a, x: special.gammainc(a, x) + special.kv(a, x))))
    assert targets(slope, x, x) == ["hostwrap_loops"] * 2
    text = text_of(many, DOUBLE)
    assert text.count("numpy.multiply ddd") == 5000 and _assembly.register(text).key == _assembly.key_of(text)
    monkeypatch.setattr(_assembly._library, "MAX_SLOTS", 4000)
    with pytest.raises(NoLoop, match="too many"):
        text_of(lambda x: many(x + 1), DOUBLE)


# ---- programs that come from elsewhere


def text_of(function, *dtypes):
    tape = Tape(dtypes)
    return _assembly.assemble(tape, [function(*tape.inputs)], [DOUBLE]).text


def test_a_program_can_be_learned_from_its_text():
    text = text_of(lambda x: scipy.special.jv(2.25, x) * 3, DOUBLE)
    assert _assembly.register(text).key == _assembly.key_of(text)
    with pytest.raises(NoLoop, match="not what its key was made of"):
        _assembly.learn(_assembly.key_of(text) + 1, text)


@pytest.mark.parametrize(
    "change, complaint",
    [
        ({"steps": [["os.system dd", [0], [1]]]}, "there is no loop os.system"),
        ({"steps": [["scipy.special.jv ddd", [0], [1]]]}, "does not take"),
        ({"steps": [["numpy.exp dd", [0], [0]]]}, "writes to an argument"),
        ({"steps": [["numpy.exp dd", [2], [1]]]}, "nobody has written"),
        ({"steps": [["numpy.exp dd", [0], [9]]]}, "nobody has written"),
        ({"steps": [["numpy.exp dd", [-1], [1]]]}, "nobody has written"),
        ({"steps": [["numpy.exp ff", [0], [1]]]}, "does not take"),
        ({"steps": []}, "a result that nobody writes"),
        ({"types": ["<f8"] * 100_000}, "too many operands"),
    ],
)
def test_a_forged_program_is_refused(change, complaint):
    """Only loops that this process finds itself, on what they are made for, and within the program's memory."""
    honest = {
        "types": ["<f8", "<f8", "<f8"],
        "inputs": 1,
        "outputs": 1,
        "constants": [],
        "steps": [["numpy.exp dd", [0], [1]]],
    }
    _assembly.register(json.dumps(honest))
    with pytest.raises(NoLoop, match=complaint):
        _assembly.register(json.dumps({**honest, **change}))


def test_own_loops_are_numpys():
    """Every conversion and choice, on the numbers that differ between types."""
    numbers = {"f": [0.0, -0.0, 1.5, -2.5, 100.25, np.nan], "i": [0, 1, 2, 100, 7, 3], "b": [True, False] * 3}
    types = "?bhilBHILfdFD"
    for a in types:
        values = np.array(numbers[{"c": "f", "u": "i"}.get(np.dtype(a).kind, np.dtype(a).kind)]).astype(a)
        for b in types:
            loop = _loops.named(f"cast {a}{b}")
            if loop is None:
                assert a in "FD" and b not in "FD", (a, b)
                continue
            if np.dtype(a).kind == "f" and np.dtype(b).kind in "iu":
                values = np.where(np.isfinite(values) & (values >= 0), values, 0).astype(a)
            np.testing.assert_array_equal(run(loop, values, b), values.astype(b), err_msg=a + b)


def run(loop, values, result):
    """The values through a program with this one step."""
    dtypes = [np.dtype(values.dtype), np.dtype(result)]
    text = json.dumps(
        {
            "types": [d.str for d in dtypes],
            "inputs": 1,
            "outputs": 1,
            "constants": [],
            "steps": [[loop.name, [0], [1]]],
        }
    )
    key = _assembly.register(text).key
    out = jax.ShapeDtypeStruct(values.shape, dtypes[1])
    call = jax.ffi.ffi_call(_library.LOOPS, out)
    return np.asarray(
        jax.jit(lambda x: call(x, key=np.int64(key), threads=np.int64(1), grain=np.int64(1)))(values)
    )

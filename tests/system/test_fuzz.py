"""Bad and odd input: some cases of each property of tests/fuzz, always the same. `make fuzz` tries new ones."""

import importlib

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hostwrap as hw
from tests.fuzz.outcomes import Wrong
from tests.fuzz.running import PROPERTIES, attempt

CASES = {"elementwise": 40, "ufuncs": 40, "refused": 100, "gufunc": 50, "declared": 30, "special": 50}
CASES |= {"derivative": 15, "texts": 150, "returned": 60, "rules": 40}


@pytest.mark.parametrize("name", PROPERTIES)
@pytest.mark.rotating
def test_every_input_gives_what_numpy_gives_or_a_clear_error(name):
    attempt(name, CASES[name])


# ---- what it found


@pytest.mark.parametrize("wrap", [hw.wrap, hw.wrap("(n)->(n)"), lambda f: hw.special.ndtr])
@pytest.mark.parametrize(
    "value, words",
    [
        (np.ma.masked_array([1.0, 2.0], [False, True]), r"x.filled\(\.\.\)"),
        (np.arange(3.0).astype(np.dtype("f8").newbyteorder()), r"of dtype [<>]f8.*x.astype\(float\)"),
        (np.ones(2, np.longdouble), r"of dtype (float|longdouble).*x.astype\(float\)"),
    ],
)
def test_an_array_of_numpy_that_jax_has_not_says_what_to_do(wrap, value, words):
    with pytest.raises(hw.SignatureError, match=f"(?s)`x` must be a number or an array of numbers.*{words}"):
        wrap(lambda x: x)(value)


@pytest.mark.parametrize("thing", ["text", np.str_("i4"), range(3), [1.0], None, np.array(["a"])], ids=repr)
def test_a_ufunc_refuses_what_is_no_number_in_our_words(thing):
    with pytest.raises(hw.SignatureError, match=r"^sin: "):
        hw.wrap(np.sin)(thing)


def test_types_without_a_common_one_are_refused():
    x, y = np.ones(2), np.ones(2, jnp.float8_e5m2)
    for f in (hw.wrap(lambda x, y: x + y), hw.wrap(np.add), hw.special.jv):
        with pytest.raises(hw.SignatureError, match=r": the arguments have no common type.*x.astype"):
            f(x, y)


def test_a_shape_function_that_raises_is_named():
    f = hw.wrap(out=lambda x: x.shape.nothing)(lambda x: x)
    with pytest.raises(hw.SignatureError, match=r"out= is called .* and failed: AttributeError: .*nothing"):
        f(1.0)


def test_masked_numbers_are_no_result():
    f = hw.wrap(lambda x: np.ma.masked_array(x, x > 1))
    with pytest.raises(hw.ResultError, match=r"is a masked array; return numbers, such as x.filled"):
        f(np.array([1.0, 2.0]))
    np.testing.assert_array_equal(f(np.array([0.5, 1.0])), [0.5, 1.0])


def test_a_ragged_result_is_no_array():
    with pytest.raises(hw.ResultError, match="is no array, the host function returned list"):
        hw.wrap(lambda x: [1.0, [2.0, 3.0]])(1.0)


def test_an_answer_of_none_is_not_zero():
    f, g = hw.wrap(lambda x: x * 2), hw.wrap(lambda x: x * 2)
    f.defjvp(lambda primals, tangents: (None, tangents[0]))
    g.defvjp(lambda x: (None, x), lambda x, c: (2 * c,))
    for call in (f, g):
        with pytest.raises(hw.RuleError, match=r"answer of .* is None; one that is zero is jnp.zeros_like"):
            jax.value_and_grad(call)(1.0)


@pytest.mark.parametrize("rank", [33, 40, 60])
def test_more_axes_than_numpys_broadcasting_takes(rank):
    x, y = np.full((1,) * rank, 2.0), np.arange(3.0)
    for f in (hw.wrap(lambda x, y: x * y), hw.wrap(np.multiply)):
        for call in (f, jax.jit(lambda x, y, f=f: f(x, y))):
            np.testing.assert_array_equal(np.ravel(call(x, y)), 2 * y)


def test_complex_numbers_where_a_function_is_real():
    for call in (lambda: hw.special.multigammaln(3.5 + 1j, 2), lambda: hw.special.diric(1j, 3)):
        with pytest.raises(hw.SignatureError, match="must be real, got complex"):
            call()


# ---- the properties can fail


def off_by_one(now):
    return lambda *args, **kwargs: [y + jnp.ones_like(y) for y in now(*args, **kwargs)]


MISTAKES = {
    "elementwise": ("hostwrap._call.spec", "call_now", off_by_one),
    "ufuncs": ("hostwrap._call.spec", "call_now", off_by_one),
    "special": ("hostwrap._call.spec", "call_now", off_by_one),
    "gufunc": ("hostwrap._host.layout", "broadcast_shapes", lambda _: lambda *shapes: shapes[0]),
    "declared": ("hostwrap._call.spec", "call_now", off_by_one),
    "refused": ("hostwrap._call.dtypes", "_NO_NUMBERS", lambda _: ()),
    "texts": ("hostwrap._call.signature", "_LIST", lambda text: text.replace(",", ",?")),
    "returned": ("hostwrap._host.arrays", "_castable", lambda _: lambda given, declared: True),
    "rules": ("hostwrap._rules.rule", "check_array", lambda _: lambda what, value: None),
}


@pytest.mark.parametrize("name", MISTAKES)
@pytest.mark.rotating
def test_a_mistake_in_the_library_is_found(name, monkeypatch):
    module, attribute, change = MISTAKES[name]
    module = importlib.import_module(module)
    monkeypatch.setattr(module, attribute, change(getattr(module, attribute)))
    with pytest.raises(Wrong):
        attempt(name, 300, shrink=False)

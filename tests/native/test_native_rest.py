"""Elements that a program of loops hands back to Python: the same bits, and Python sees nothing else."""

import contextlib

import jax
import numpy as np
import pytest

import hostwrap as hw
from hostwrap import special
from hostwrap._host.function import HostFunction, HostOptions
from hostwrap._host.layout import Layout, Result
from hostwrap._lanes.primitive import host_call
from hostwrap._native import calls as _calls
from hostwrap._native import library as _library
from hostwrap._native import program as _assembly
from hostwrap.special._numerics.pointwise import in_python, piecewise, pointwise
from tests.native.test_native import targets
from tests.native.test_native_bodies import text_of
from tests.system.test_security import HOW, X, call, double

pytestmark = pytest.mark.native


def handing_back(inner):
    """f(x, y) as a function in a program, and the points for which Python is called."""
    seen = []

    def odd(x, y):
        seen.extend(x.tolist())
        return np.array([float(f"{a:.3f}") for a in x]) + y

    @pointwise
    def kernel(x, y):
        rare = in_python(odd)
        if inner:  # in a branch of a branch
            some = [(x > 8, rare), (None, lambda x, y: x * y)]
            deep = [(y > 0, lambda x, y: piecewise([x, y], some)), (None, lambda x, y: x - y)]
            return piecewise([x, y], [(x > 5, lambda x, y: piecewise([x, y], deep)), (None, lambda x, y: x)])
        return piecewise([x, y], [((x > 8) & (y > 0), rare), (None, lambda x, y: np.exp(x) * y)])

    host = HostFunction(
        lambda x, y: (kernel(x, y),), name="handing back", argnames=("x", "y"),
        options=HostOptions("expand_dims"), trusted=True, loops=kernel,
    )  # fmt: skip
    layout = Layout((0, 0), (Result((), np.dtype(float)),))
    return lambda x, y: host_call(host, layout, x, y)[0], seen


@pytest.mark.parametrize("inner", [False, True])
@pytest.mark.parametrize("shapes", [((), ()), ((1,), (1,)), ((7,), (1,)), ((40, 1), (1, 30)), ((9001,),) * 2])
def test_the_same_bits_and_python_sees_no_other_points(inner, shapes):
    random = np.random.default_rng(5)
    x, y = random.uniform(0, 10, shapes[0]), random.normal(size=shapes[1])
    for low in (0.0, 9.0):
        x = np.maximum(x, low)
        f, seen = handing_back(inner)
        assert targets(f, x, y) == ["hostwrap_loops"]
        got = np.asarray(jax.jit(f)(x, y))
        wide, _ = np.broadcast_arrays(x, y)
        handed = wide[(wide > 8) & (np.broadcast_to(y, wide.shape) > 0)].ravel()
        assert set(seen) == set(handed.tolist())
        with hw.lane("callback"):
            np.testing.assert_array_equal(got, jax.jit(f)(x, y))


def test_nothing_handed_back_is_no_call_of_python():
    f, seen = handing_back(False)
    jax.jit(f)(np.zeros(100), np.ones(100))
    assert not seen


def test_under_transformations():
    f, _ = handing_back(False)
    x, y = np.linspace(0, 10, 12), np.linspace(-1, 1, 5)
    want = np.stack([np.asarray(jax.jit(f)(x, np.full(12, b))) for b in y])
    np.testing.assert_array_equal(jax.jit(jax.vmap(f, (None, 0)))(x, y[:, None]), want)
    np.testing.assert_array_equal(jax.lax.map(lambda b: f(x, b[None]), y), want)


def test_an_error_there_is_an_error_of_the_program():
    f, _ = handing_back(False)
    broken = lambda x, y: f(x, y) + 0.0
    odd = np.array([1.0, 9.0])
    compiled = jax.jit(broken)
    with pytest.MonkeyPatch.context() as patch:

        def fails(self, *args):
            raise ArithmeticError("no such number")

        patch.setattr(in_python, "__call__", fails)
        np.testing.assert_array_equal(compiled(odd[:1], np.ones(1)), np.exp(1.0))
        with pytest.raises(jax.errors.JaxRuntimeError, match="no such number"):
            jax.block_until_ready(compiled(odd, np.ones(2)))
    assert np.isfinite(compiled(odd, np.ones(2))).all()


# ---- programs from files

REST = f"the rest: (('special', 'ndtr', ()), {HOW})"


def forged(key, function=lambda x: (x * 2, x > 1.5)):
    text = text_of(function, X.dtype)
    attributes = {"key": np.int64(_assembly.key_of(text)), "threads": np.int64(1), "program": text}
    outs = [jax.ShapeDtypeStruct((7,), y.dtype) for y in np.atleast_1d(*function(X))]
    return call(_library.LOOPS, outs, X, rest=key, **attributes)


def test_a_file_may_name_what_this_process_has():
    got, mask = forged(REST)
    np.testing.assert_array_equal(got, np.where(X > 1.5, special.ndtr(X), 2 * X))
    np.testing.assert_array_equal(mask, X > 1.5)


@pytest.mark.parametrize(
    "key",
    [
        "",
        "the rest: ",
        "ndtr",
        f"the rest: (('wrap', 'os', 'system', ('x',), (), (0,), 0), {HOW})",
        "the rest: " * 2000,
        REST.replace("'float64'", "'float32'"),
        REST.removeprefix("the rest: "),
    ],
    ids=lambda key: key[:60],
)
def test_a_forged_key_is_refused(key):
    with pytest.raises(jax.errors.JaxRuntimeError):
        forged(key)
    test_a_file_may_name_what_this_process_has()


def test_buffers_that_do_not_fit_do_no_harm():
    truth = lambda *shape: jax.ShapeDtypeStruct(shape, np.bool_)
    with pytest.raises(jax.errors.JaxRuntimeError, match="called with"):
        call(_library.HOST, [double(7)], X, key=REST)
    for outs, operand in (
        ([double(7), truth(9)], X),
        ([double(3), truth(7)], X),
        ([double(7), truth(7)], X[:3]),
    ):
        with contextlib.suppress(
            jax.errors.JaxRuntimeError
        ):  # if the memory of the truths has any that holds
            call(_library.HOST, outs, operand, key=REST)
    # the last result is no truth: nothing is handed back
    np.testing.assert_array_equal(forged(REST, lambda x: (x > 1.5, x * 2))[1], 2 * X)


def test_what_is_called_lives_as_long_as_the_program():
    f, _ = handing_back(False)
    compiled = jax.jit(f).lower(np.ones(3), np.ones(3)).compile()
    held = lambda: sum(call.host.name == "handing back" for call in _calls.by_key.values())
    before = held()
    del f
    assert held() == before
    assert np.isfinite(compiled(np.full(3, 9.0), np.ones(3))).all()

"""What goes wrong with host callbacks in JAX, one test for each: with plain `jax.pure_callback` they fail."""

import gc
import resource

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.special
from jax import monitoring

import hostwrap as hw
from tests._kit.toys import recording, same

X = np.linspace(0.3, 2.0, 4)

# ---- F: recompilation and growth of memory


def rounds():
    """Calls as a user makes them, over and over: eager, compiled, mapped, differentiated, with a static."""
    f = hw.wrap(lambda x, y, *, n=2: x**n * y, static="n")
    f.defpartials(x=lambda ans, x, y, *, n: n * x ** (n - 1) * y, y=lambda ans, x, y, *, n: x**n)
    looped = hw.wrap("(n)->()")(lambda x: x.sum())
    compiled = jax.jit(jax.hessian(f))
    x, many = jnp.asarray(X), jnp.ones((8, 4))

    def once():
        f(1.5, 2.0), f(x, 2.0, n=3), f(X, x)
        jax.vmap(f, (0, None))(x, 2.0), jax.vmap(looped)(many), looped(many)
        jax.grad(f)(1.5, 2.0), jax.vmap(jax.grad(f), (0, None))(x, 2.0)
        jax.jvp(f, (x, 2.0), (x, 1.0))
        jax.block_until_ready(compiled(1.5, 2.0))

    return once


def test_repeated_calls_compile_nothing():
    compilations = []
    monitoring.register_event_duration_secs_listener(
        lambda event, *_, **__: compilations.append(event) if "compile" in event else None
    )
    once = rounds()
    once(), once()
    assert compilations
    compilations.clear()
    for _ in range(20):
        once()
    assert not compilations


def test_repeated_calls_leave_nothing_behind():
    once = rounds()
    for _ in range(30):
        once()
    gc.collect()
    objects, memory = len(gc.get_objects()), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(150):
        once()
    gc.collect()
    assert len(gc.get_objects()) - objects < 150
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory < 20_000


def test_an_array_that_was_passed_is_released():
    f = hw.wrap(recording(lambda x: x + 1))

    class Marked(np.ndarray):
        alive = 0

        def __del__(self):
            Marked.alive -= 1

    for _ in range(5):
        x = np.ones(3).view(Marked)
        Marked.alive += 1
        f(x), jax.jit(f)(np.asarray(x))
        del x
    gc.collect()
    assert Marked.alive <= 0


# ---- H: vmap


def test_vmap_needs_no_option_and_lines_up_mixed_ranks():
    f = hw.wrap(lambda v, z: scipy.special.jv(v, z)).defpartials(
        v=hw.unknown("not needed here"), z=lambda ans, v, z: (f(v - 1, z) - f(v + 1, z)) / 2
    )
    order, z = np.arange(5.0), np.linspace(1.0, 2.0, 5)
    table = scipy.special.jv(order, z[:, None])
    same(jax.vmap(lambda z: f(order, z))(z), table)
    same(jax.jit(jax.vmap(jax.vmap(f, (None, 0)), (0, None)))(order, z), table.T)
    same(jax.jit(jax.jacfwd(f, 1))(2.0, 1.5), (scipy.special.jv(1.0, 1.5) - scipy.special.jv(3.0, 1.5)) / 2)


# ---- I: exceptions


class Odd(Exception):
    pass


def odd(x, y):
    raise Odd("forty-two is not enough")


@pytest.mark.parametrize("pending", [False, True])
@pytest.mark.parametrize("lane", ["callback", "pure_callback"])
def test_the_original_exception_is_kept(lane, pending):
    x = jnp.full((2, 3), 0.5)
    with hw.lane(lane), pytest.raises(Exception) as error:
        f = jax.jit(lambda x: hw.wrap(odd)(x, 7))
        jax.block_until_ready(f(jnp.ones((2, 1000)) @ jnp.ones((1000, 3)) / 2000 if pending else x))
    for words in ("odd", "Odd", "forty-two is not enough", "x: float64[2,3]", "y: int", "7", "last_error()"):
        assert words in str(error.value)
    kept = hw.last_error()
    assert isinstance(kept, hw.HostCallError) and isinstance(kept.__cause__, Odd)
    assert kept.__cause__.__traceback__ is not None
    same(jax.jit(hw.wrap(lambda x: 2 * x))(x), np.ones((2, 3)))  # the next call is none the worse


def test_the_exception_of_a_rule_on_the_host_is_kept_too():
    bad = hw.wrap(odd)
    f = hw.wrap(lambda x: x).defpartials(x=lambda ans, x: bad(x, x))
    with pytest.raises(Exception, match="forty-two is not enough"):
        jax.block_until_ready(jax.jit(jax.grad(f))(1.0))
    assert isinstance(hw.last_error().__cause__, Odd)
    with pytest.raises(Odd):
        jax.grad(f)(1.0)


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
def test_an_interruption_is_kept_as_well(kind):
    def stop(x):
        raise kind

    with pytest.raises(BaseException, match=kind.__name__):
        jax.block_until_ready(jax.jit(hw.wrap(stop, on_error="nan"))(1.0))
    assert isinstance(hw.last_error().__cause__, kind)


def test_a_program_can_go_on_with_nan():
    def fails_at_one(x, n):
        if np.any(x == 1):
            raise Odd("forty-two")
        return x + 1j, n

    f = hw.wrap("(),()->(),()", dtype=(complex, int), on_error="nan")(fails_at_one)
    good, bad = (jax.jit(f)(x, 5) for x in (2.0, 1.0))
    same(good, (2.0 + 1j, 5))
    assert np.isnan(bad[0]) and bad[1] == 0 and isinstance(hw.last_error().__cause__, Odd)
    with pytest.raises(Odd):
        f(1.0, 5)
    g = hw.wrap(lambda x: fails_at_one(x, x)[1], on_error="nan").defpartials(x=lambda ans, x: ans * x)
    assert np.isnan(jax.jit(jax.grad(g))(1.0)) and jax.jit(jax.grad(g))(3.0) == 9.0


EXIT = """
import jax, numpy as np, hostwrap as hw
def odd(x):
    raise ValueError("forty-two")
try:
    jax.block_until_ready(jax.jit(hw.wrap(odd))(1.0))
except Exception as error:
    print("caught", "forty-two" in str(error))
"""


@pytest.mark.subprocess
def test_the_interpreter_leaves_cleanly_after_an_exception(fresh_python):
    assert fresh_python(EXIT, timeout=60).strip() == "caught True"


# ---- J: shapes, dtypes and structure


def test_shapes_and_dtypes_are_checked_while_tracing():
    called = recording(lambda A, b: b)
    f = hw.wrap("(n,n),(n)->(n)")(called)
    with pytest.raises(hw.SignatureError, match="axis n = 3"):
        jax.eval_shape(f, jax.ShapeDtypeStruct((3, 3), float), jax.ShapeDtypeStruct((4,), float))
    with pytest.raises(hw.SignatureError, match="must be a number"):
        jax.jit(lambda: f(np.array(["a"]), 1.0))()
    assert not called.seen


def test_a_tuple_for_a_dict_is_not_relabelled():
    shape = jax.ShapeDtypeStruct((), float)
    f = hw.wrap(out={"b": shape, "a": shape})(lambda x: (x, -x))
    with pytest.raises(hw.ResultError, match="structure"):
        f(1.0)
    with pytest.raises(Exception, match="structure"):
        jax.block_until_ready(jax.jit(f)(1.0))
    ordered = hw.wrap(out={"b": shape, "a": shape})(lambda x: {"a": x, "b": -x})
    same(jax.jit(ordered)(1.0), {"a": 1.0, "b": -1.0})


def test_harmless_casts_are_made():
    f = hw.wrap(lambda x: (x > 1).astype(np.int8))
    assert jax.jit(f)(np.float32(2)).dtype == f(np.float32(2)).dtype == np.float32
    wide = hw.wrap(dtype=complex)(lambda x: x)
    same(jax.jit(wide)(2.0), 2.0 + 0j)


# ---- Q: narrow types and Python scalars

NARROW = ("bfloat16", "float16", "float8_e4m3fn", "float8_e5m2")


@pytest.mark.parametrize("lane", ["callback", "pure_callback"])
@pytest.mark.parametrize("dtype", NARROW)
def test_types_that_scipy_does_not_know_are_widened(lane, dtype):
    seen = []
    f = hw.wrap(lambda x: (seen.append(x.dtype), scipy.special.j0(x))[1])
    x = jnp.asarray([0.5, 1.0, 2.0], dtype)
    expected = jnp.asarray(scipy.special.j0(np.array([0.5, 1.0, 2.0])), dtype)
    with hw.lane(lane):
        for y in (f(x), jax.jit(lambda x: f(x))(x), jax.vmap(f)(x)):
            assert y.dtype == dtype
            np.testing.assert_array_equal(np.asarray(y, float), np.asarray(expected, float))
    assert set(seen) == {np.dtype(float)}


@pytest.mark.parametrize("widen", [True, False])
@pytest.mark.parametrize("dtype", ["int4", "uint4", "int2", "int8", "uint8"])
def test_small_integers_multiply_as_numpy_has_it(dtype, widen):
    seen = []
    native, wide = (np.uint8, np.uint64) if dtype.startswith("u") else (np.int8, np.int64)
    f = hw.wrap(lambda n, m: (seen.append(n.dtype), n * m)[1], dtype=wide, widen=widen)
    n, large = np.array([1, 0, 1]), np.array([2**62 + 1, 3, 2**62 - 1], wide)
    same(
        jax.jit(f)(jnp.asarray(n, dtype), large), n.astype(wide) * large
    )  # a float would lose the last digit
    assert set(seen) == {np.dtype(wide if widen else native)}


def test_small_integers_arrive_as_integers():
    f = hw.wrap(lambda n, x: scipy.special.eval_legendre(n, x))
    same(jax.jit(f)(jnp.asarray([1, 2], "int4"), 0.5), scipy.special.eval_legendre([1, 2], 0.5))


def test_python_scalars_reach_a_rule_as_arrays():
    given = []

    def partial(ans, x, y):
        given.extend([x.shape, y.dtype, ans.ndim])
        return y

    f = hw.wrap(lambda x, y: x * y).defpartials(x=partial)
    same(jax.grad(f)(2.0, 3), 3.0)
    g = hw.wrap("(),()->()")(lambda x, y: x * y)
    g.defjvp(lambda p, t: (g(*p), (given.append(p[1].shape), t[0] * p[1])[1]))
    same(jax.grad(g)(2.0, 3), 3.0)
    h = hw.wrap(lambda x, y: x * y)
    h.defvjp(lambda x, y: (h(x, y), y), lambda y, c: ((given.append(y.shape), c * y)[1], None))
    same(jax.grad(h)(2.0, 3), 3.0)
    assert given


def test_a_complex_result_with_a_real_declaration():
    f = hw.wrap(lambda x: np.emath.sqrt(x))
    same(jax.jit(f)(4.0), 2.0)
    with pytest.raises(hw.ResultError, match="declared float64, the host function returned complex128"):
        f(-4.0)
    with pytest.raises(Exception, match="declared float64, the host function returned complex128"):
        jax.block_until_ready(jax.jit(f)(-4.0))
    assert isinstance(hw.last_error(), hw.ResultError)

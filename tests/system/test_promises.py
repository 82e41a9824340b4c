"""What the documentation promises of types, threads, pickles and unusual rules, each found broken once."""

import inspect
import pathlib
import pickle
import re
import threading
import time

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.special

import hostwrap as hw
from hostwrap import special
from hostwrap.special._entry import CATALOGUE
from tests.reference import ours
from tests.reference.entries import catalogue, columns, statics
from tests.reference.points import points


@hw.wrap
def double(x):
    return 2 * x


@pytest.mark.parametrize("attach", ["defpartials", "defjvp"])
def test_a_complex_derivative_of_a_real_result_is_refused(attach):
    """Casting it to the result's type would drop the imaginary part, and the gradient would be wrong."""
    f = hw.wrap(lambda z: np.abs(z), dtype=float)
    if attach == "defpartials":
        f.defpartials(z=lambda ans, z: jnp.conj(z) / ans)
    else:
        f.defjvp(lambda p, t: (f(*p), jnp.conj(p[0]) / f(*p) * t[0]))
    with pytest.raises(hw.RuleError, match="must be real"):
        jax.grad(f)(3 + 4j)


def test_a_function_that_is_not_holomorphic_has_a_jvp_rule():
    f = hw.wrap(lambda z: np.abs(z), dtype=float)
    f.defjvp(lambda p, t: (f(*p), jnp.real(jnp.conj(p[0]) * t[0]) / f(*p)))
    assert jnp.allclose(jax.grad(f)(3 + 4j), jax.grad(jnp.abs)(3 + 4j), rtol=1e-15)


@pytest.mark.parametrize("dtype", [jnp.uint8, jnp.uint32, jnp.int8])
def test_orders_of_any_integer_type_do_not_wrap(dtype):
    assert jax.grad(lambda z: hw.special.kn(dtype(0), z))(1.0) == jax.grad(lambda z: hw.special.kn(0, z))(1.0)
    slope = jax.grad(lambda z: hw.special.spherical_jn(dtype(0), z))(1.0)
    assert slope == jax.grad(lambda z: hw.special.spherical_jn(0, z))(1.0)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16])
def test_small_integers_are_not_computed_in_half_precision(dtype):
    f = hw.wrap(lambda x: np.sin(x))
    for g in (f, jax.jit(f)):
        assert g(dtype(1)) == np.sin(1.0)


def test_without_x64_eager_and_compiled_calls_see_the_same_numbers():
    f = hw.wrap(lambda x: np.asarray(x == 0.1 + 1e-12), dtype=bool)
    with jax.enable_x64(False):
        x = np.array([0.1 + 1e-12])
        assert not f(x)[0] and not jax.jit(f)(x)[0]
        for large in (2**40, np.int64(2**40), np.array([2**40])):
            with pytest.raises(hw.SignatureError, match="does not fit int32"):
                double(large)


def test_an_integer_result_that_does_not_fit_is_an_error():
    f = hw.wrap(lambda x: np.int64(3e9) + 0 * x.astype(int), dtype=int)
    with jax.enable_x64(False), pytest.raises(hw.ResultError, match="declared int32"):
        f(1.0)


def test_a_function_is_called_by_one_thread_at_a_time_whatever_its_statics():
    inside, most = [0], [0]

    @hw.wrap(static="n")
    def slow(x, n):
        inside[0] += 1
        most[0] = max(most[0], inside[0])
        time.sleep(0.02)
        inside[0] -= 1
        return x

    threads = [threading.Thread(target=slow, args=(1.0, n)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1]


def test_a_tuple_of_dtypes_declares_several_results():
    frexp = hw.wrap(lambda x: np.frexp(x), dtype=(float, int))
    for f in (frexp, jax.jit(frexp)):
        mantissa, exponent = f(12.0)
        assert (mantissa, exponent, exponent.dtype) == (0.75, 4, np.int64)


def test_a_constant_partial_may_be_an_integer():
    f = hw.wrap(lambda x, y: 3 * x + y).defpartials(x=lambda ans, x, y: 3, y=lambda ans, x, y: 1)
    assert jax.jit(jax.grad(f, (0, 1)))(1.0, 2.0) == (3.0, 1.0)
    assert jax.hessian(f)(1.0, 2.0) == 0.0


def test_an_integer_result_has_no_derivative_to_miss():
    ceil = hw.wrap(lambda x: np.ceil(x).astype(int), dtype=int)
    assert jax.grad(lambda x: x * ceil(x))(1.5) == 2.0


def test_none_is_a_zero_anywhere_in_a_tangent():
    out = {"y": jax.ShapeDtypeStruct((), float), "n": jax.ShapeDtypeStruct((), int)}
    f = hw.wrap(out=out)(lambda x: {"y": 2 * x, "n": np.int64(3)})
    f.defjvp(lambda p, t: (f(*p), {"y": 2 * t[0], "n": None}))
    assert jax.grad(lambda x: f(x)["y"])(1.0) == 2.0


def test_a_host_call_on_a_tangent_works_forward_and_says_why_not_in_reverse():
    f = hw.wrap(lambda x: 2 * x)
    f.defjvp(lambda p, t: (f(*p), f(*t)))
    assert jax.jvp(f, (1.0,), (3.0,))[1] == 6.0
    with pytest.raises(hw.RuleError, match="on a tangent"):
        jax.grad(f)(1.0)


def test_functions_are_pickled_by_name():
    for f in (hw.special.jv, double):
        assert pickle.loads(pickle.dumps(f)) is f


def test_a_function_of_one_element_is_told_of_vmap_method():
    np.testing.assert_array_equal(hw.wrap(lambda x: x if x > 0 else -x)(np.arange(3.0)), np.arange(3.0))
    f = hw.wrap(lambda x: x if x > 0 else -x, vmap_method="broadcast_all")
    with pytest.raises(ValueError, match="ambiguous") as error:
        f(np.arange(3.0))
    assert "vmap_method='sequential'" in error.value.__notes__[0]
    with pytest.raises(Exception, match="vmap_method='sequential'"):
        jax.block_until_ready(jax.jit(f)(np.arange(3.0)))


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: double([1.0, 2.0]), "is a list: pass numpy.array"),
        (lambda: hw.wrap(lambda x, mode: x)(1.0, "a"), r"declare it with static=\('mode',\)"),
        (lambda: hw.wrap(vectorized=True), "no option vectorized; the options are signature, out"),
        (lambda: jax.jit(hw.wrap(static="n")(lambda x, n: x))(1.0, 2), "static_argnames"),
    ],
    ids=["list", "option", "vectorized", "traced static"],
)
def test_a_mistake_is_answered_with_what_to_do(call, words):
    with pytest.raises(hw.SignatureError, match=words):
        call()


def test_without_jit_an_array_on_several_devices_is_gathered(fresh_python):
    fresh_python("""
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
import jax, numpy as np, hostwrap as hw
mesh = jax.make_mesh((2,), ("i",), axis_types=(jax.sharding.AxisType.Auto,))
x = jax.device_put(np.arange(8.0), jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("i")))
with jax.disable_jit():
    assert (np.asarray(hw.wrap(lambda x: 2 * x)(x)) == 2 * np.arange(8.0)).all()
""")


@pytest.mark.native  # JAX gathers for its own callbacks
def test_under_an_explicit_mesh_results_are_sharded_as_the_arguments(fresh_python):
    fresh_python("""
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
import jax, numpy as np, hostwrap as hw
jax.config.update("jax_enable_x64", True)
from jax.sharding import AxisType, PartitionSpec as P
with jax.set_mesh(jax.make_mesh((2,), ("i",), axis_types=(AxisType.Explicit,))):
    x = jax.device_put(np.linspace(0.1, 9, 64), P("i"))
    f = lambda x: hw.special.jv(2.5, x)
    slope = jax.grad(lambda x: f(x).sum())
    for g in (f, jax.jit(f), slope, jax.jit(slope)):
        assert g(x).sharding.spec == P("i"), g(x).sharding
        assert np.array_equal(np.asarray(g(x)), np.asarray(g(np.asarray(x))))
""")


@pytest.mark.parametrize("name", hw.special.__all__)
def test_every_special_function_documents_its_arguments(name):
    function = getattr(hw.special, name)
    if name in CATALOGUE:
        assert all(f"    {argument}: " in function.__doc__ for argument in function.args)
        assert function.see in function.__doc__
        origin = f"scipy.special.{name}" if hasattr(scipy.special, name) else "SciPy has no such function"
        assert origin in function.__doc__
    else:
        for argument in inspect.signature(function).parameters:
            assert re.search(rf"\b{argument}\b", function.__doc__), argument


LIMITS = (pathlib.Path(__file__).parents[2] / "docs" / "special.md").read_text(encoding="utf-8")


def test_third_derivatives_are_missing_where_the_page_says_so():
    """Of no function: the page says that all have them. (docs/tests/test_missing.py takes all functions in turn.)"""
    assert (
        "Every function has derivatives up to order 4 and more in each of its continuous arguments." in LIMITS
    )
    for name in ("betainc", "kv", "stdtr", "stdtrit", "ellipj", "ellip_harm", "tklmbda", "log_wright_bessel"):
        assert all(third_derivatives(name).values()), name


def third_derivatives(name):
    """In which arguments they are there, of those that have a first one."""
    function = catalogue()[name]
    rows, chosen = points(function, False)[:1], statics(function)[0]
    live = [i for i, a in enumerate(function.args) if not ours.is_missing(function, a)]
    wanted = {function.args[i]: tuple(3 * (j == i) for j in range(len(function.args))) for i in live}
    arrays = columns(function, rows)
    return {a: ours.exists(function, chosen, index, arrays, False) for a, index in wanted.items()}


def test_the_cuts_on_which_the_sign_of_zero_is_ignored_are_those_of_the_page():
    (said,) = re.findall(r"except in functions that ignore it in SciPy:\n(.*?)\. The few", LIMITS, re.DOTALL)
    above, below = complex(-1.5, 0.0), complex(-1.5, -0.0)
    ignored = {
        "jv": (0.5,),
        "kv": (0.5,),
        "hankel1": (0.5,),
        "eval_legendre": (0.5,),
        "expi": (),
        "elliprc": (0.7,),
    }
    minded = {"exp1": (), "loggamma": (), "elliprf": (0.7, 0.8), "xlogy": (0.7,), "hyp2f1": (0.1, 0.2, 0.3)}
    for names, same in ((ignored, True), (minded, False)):
        for name, arguments in names.items():
            f, scale = getattr(special, name), -1.5 if name == "hyp2f1" else 1.0
            assert (f(*arguments, above * scale) == f(*arguments, below * scale)) == same, name
    words = ("Bessel", "Hankel", "`sici`", "`shichi`", "`expi`", "`elliprc` in y", "polynomials")
    assert all(word in said for word in words)

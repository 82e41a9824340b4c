"""What jax.lax calls its operations in NumPy: the same values, on ordinary and on special numbers."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from hostwrap._host.numpy_ops import OPERATIONS
from hostwrap._recipes.numpy_arrays import ARRAY_OPERATIONS
from tests._kit.toys import run_program

SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.0, -2.0, 2.5, -2.5, 3.0, 1e-300, -1e-300, 1e300, -1e300]
REALS = np.array([*SPECIAL, np.inf, -np.inf, np.nan, 0.5 - 2**-54, 2**52 - 0.5, *np.linspace(-4.1, 4.3, 12)])
COMPLEX = np.array([0.0, 1, -1, 2j, -0.5j]) + np.array([[0.0], [0.3 + 0.7j], [-1.2 + 0.1j], [0.4 - 2.3j]])
INTEGERS = np.array([0, 1, -1, 2, -2, 7, -7, 100, 2**40, -(2**62) - 3])
POSITIVE = np.linspace(0.2, 7.0, 9)
BOOLEANS = np.array([True, False])


def _words(text):
    return text.split()


REAL_1 = _words("""neg floor ceil abs exp exp2 log expm1 log1p sqrt cbrt sin cos tan asin acos atan sinh cosh tanh asinh
acosh atanh square is_finite bessel_i0e bessel_i1e erf erfc erf_inv rsqrt logistic sign""")
COMPLEX_1 = _words("""neg abs exp exp2 log expm1 log1p sqrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh
square rsqrt logistic sign real imag conj""")
REAL_2 = _words("add sub mul div rem atan2 max min nextafter eq ne lt le gt ge complex pow")
INTEGER_2 = _words("add sub mul div rem max min eq ne lt le gt ge bitwise_and bitwise_or bitwise_xor")
ROUNDING = list(lax.RoundingMethod)
DTYPES = (np.float64, np.float32, np.int64, np.int32, np.bool_, np.complex128)

CASES = {
    **{f"{n}": (getattr(lax, n), [REALS]) for n in REAL_1},
    **{f"{n} of complex": (getattr(lax, n), [COMPLEX.ravel()]) for n in COMPLEX_1},
    **{f"{n} of integers": (getattr(lax, n), [INTEGERS]) for n in ("neg", "abs", "sign", "square")},
    "lgamma": (lax.lgamma, [REALS[-np.inf < REALS]]),  # at -inf, SciPy says -inf and XLA inf
    "digamma": (lax.digamma, [np.append(POSITIVE, [-0.5, -3.7, np.nan, -1.0, -2.0])]),
    **{f"{n}": (getattr(lax, n), [REALS, REALS]) for n in REAL_2},
    **{
        f"{n} of complex": (getattr(lax, n), [COMPLEX.ravel()[1:]] * 2)
        for n in ("add", "sub", "mul", "eq", "ne")
    },
    "div of complex": (lax.div, [COMPLEX.ravel(), COMPLEX.ravel()[1:]]),
    "pow of complex": (lax.pow, [COMPLEX.ravel()[1:], COMPLEX.ravel()]),
    "pow with an integer": (lax.pow, [REALS, np.array([0, 1, -1, 2, -3, 5])]),
    **{f"{n} of integers": (getattr(lax, n), [INTEGERS, INTEGERS[1:]]) for n in INTEGER_2},
    **{f"{n} of booleans": (getattr(lax, f"bitwise_{n}"), [BOOLEANS] * 2) for n in ("and", "or", "xor")},
    "not of booleans": (lax.bitwise_not, [BOOLEANS]),
    "not of integers": (lax.bitwise_not, [INTEGERS]),
    "igamma": (lax.igamma, [POSITIVE, POSITIVE]),
    "igammac": (lax.igammac, [POSITIVE, POSITIVE]),
    "betainc": (lax.betainc, [POSITIVE, POSITIVE, np.linspace(0, 1, 5)]),
    "clamp": (lax.clamp, [REALS[:19:3], REALS, REALS[:19:3]]),
    "select of two": (lambda p, a, b: lax.select_n(p, a, b), [BOOLEANS, REALS, REALS[::-1]]),
    "select of three": (
        lambda i, a, b: lax.select_n(i.astype("int32"), a, b, -a),
        [np.arange(3), REALS, REALS],
    ),
    **{f"x ** {n}": (lambda x, n=n: lax.integer_pow(x, n), [REALS]) for n in (-3, -1, 0, 1, 2, 3, 9)},
    **{f"z ** {n}": (lambda x, n=n: lax.integer_pow(x, n), [COMPLEX.ravel()[1:]]) for n in (-2, 0, 3)},
    **{f"i ** {n}": (lambda x, n=n: lax.integer_pow(x, n), [INTEGERS]) for n in (0, 1, 3)},
    **{f"round {m.name}": (lambda x, m=m: lax.round(x, m), [REALS]) for m in ROUNDING},
    **{
        f"{x.dtype} to {np.dtype(d)}": (lambda x, d=d: lax.convert_element_type(x, d), [x])
        for x in (REALS, INTEGERS, BOOLEANS)
        for d in DTYPES
    },
    "stop_gradient": (lambda x: lax.stop_gradient(x) * x, [REALS]),
    "nested jit": (jax.jit(lambda x: jnp.where(x > 0, jnp.sinc(x), jax.nn.softplus(x))), [REALS]),
    "jnp": (
        lambda x: jnp.hypot(x, 2.0) + jnp.mod(x, 2.0) + jnp.heaviside(x, 0.5) + jnp.nan_to_num(x),
        [REALS],
    ),
    "both roundings": (lambda x: sum(lax.round(x, m) * (1 + m.value) for m in ROUNDING), [REALS]),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.rotating
def test_an_operation_is_the_same_in_numpy(name):
    function, sides = CASES[name]
    arrays = [a.ravel() for a in np.meshgrid(*sides)]
    (got,) = run_program(function, *arrays)
    expected = np.asarray(jax.vmap(function)(*map(jnp.asarray, arrays)))
    assert got.dtype == expected.dtype
    np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-307)  # XLA flushes subnormals
    if got.dtype.kind == "f" and name not in ("max", "min", "clamp", "sign", "bessel_i1e", "erf_inv", "pow"):
        # the sign of a zero: a reciprocal of it would show
        np.testing.assert_array_equal(np.signbit(got)[got == 0], np.signbit(expected)[got == 0])


def test_every_operation_of_the_vocabulary_is_tested():
    found = set()
    for function, sides in CASES.values():
        closed = jax.make_jaxpr(function)(*(jax.ShapeDtypeStruct((), a.dtype) for a in sides))
        found |= {eqn.primitive.name for eqn in closed.jaxpr.eqns}
    only_of_arrays_or_transforms = {
        "add_any",
        "copy",
        "copy_p",
        "broadcast_in_dim",
        "reshape",
        "squeeze",
        "pvary",
    }
    only_of_newer_jax = {
        "polynomial",
        "log2",
        "one_minus_square",
        "stage",
    }  # tested below, or where they are used
    assert set(OPERATIONS) - found <= only_of_arrays_or_transforms | only_of_newer_jax | {"stop_gradient"}


def test_a_polynomial_begins_with_its_constant_term():
    operation, _ = OPERATIONS["polynomial"]({})
    x = np.linspace(-2, 2, 5)
    assert np.array_equal(operation(x, 3.0, 2.0, 1.0), np.polyval([1.0, 2.0, 3.0], x))
    assert np.array_equal(operation(x, 3.0) * np.ones(5), np.full(5, 3.0))


@pytest.mark.parametrize("z", [1e200 + 1e199j, 1e160j, -3e300 + 0j])
def test_a_negative_power_of_a_large_complex_number_is_no_nan(z):
    (power,) = run_program(lambda z: lax.integer_pow(z, -2), np.array([z]))
    np.testing.assert_allclose(power, [1 / z / z], rtol=0, atol=1e-300)


# A rule that meets one of them is evaluated by JAX, operation by operation.
NOT_OF_NUMBERS = set(
    _words("""after_all all_gather all_to_all approx_top_k axis_index bitcast_convert_type clz cond conv_general_dilated
create_token custom_linear_solve dce_sink device_put eq_to fft igamma_grad_a mulhi pmax pmin polygamma population_count
ppermute psum ragged_all_to_all reduce reduce_window reduce_window_max reduce_window_min reduce_window_sum reduce_xor
rng_bit_generator rng_uniform scan scatter-sub select_and_gather_add select_and_scatter select_and_scatter_add
sharding_constraint shift_left shift_right_arithmetic shift_right_logical tile top_k while zeta""")
)


def test_every_primitive_of_jax_has_a_name_in_numpy_or_is_listed():
    """A newer JAX may differentiate `tanh` by a primitive that an older one has not: rules would become slow."""
    there = {p.name for name, p in vars(lax).items() if name.endswith("_p") and hasattr(p, "name")}
    assert there - set(OPERATIONS) - set(ARRAY_OPERATIONS) - NOT_OF_NUMBERS == set()


@pytest.mark.parametrize(
    "f", [jnp.log2, jnp.tanh, jnp.arcsin, jnp.arctanh, jnp.arccosh], ids=lambda f: f.__name__
)
def test_derivatives_of_jax_numpy_are_programs(f):
    x = np.linspace(0.1, 0.9, 7) + (1 if f is jnp.arccosh else 0)
    for g in (f, jax.grad(f), jax.grad(jax.grad(f))):
        np.testing.assert_allclose(run_program(g, x)[0], jax.vmap(g)(x), rtol=1e-12)

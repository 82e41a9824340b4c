"""A function in JAX as NumPy code: the same numbers, for what users write in an integrand or an equation."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hostwrap as hw
from hostwrap import integrate, optimize, special
from hostwrap._recipes.closures import Closure

DRAW = np.random.default_rng(0)
X, M = DRAW.normal(size=4), DRAW.normal(size=(4, 4))
PROGRAMS = {
    "products": lambda x, m: (m @ x + x[::-1], jnp.einsum("ij,ik->ijk", m, m), jnp.outer(x, x)),
    "solve": lambda x, m: (jnp.linalg.solve(m, x), jnp.linalg.inv(m) @ jnp.diag(x)),
    "solve many": lambda x, m: jax.vmap(jnp.linalg.solve, (0, None))(jnp.stack([m, 2 * m]), x),
    "decompositions": lambda x, m: (
        jnp.linalg.cholesky(m @ m.T + jnp.eye(4)),
        jnp.linalg.eigvalsh(m + m.T),
        jnp.linalg.svd(m, compute_uv=False),
        jnp.linalg.lstsq(m, x)[0],
        jax.scipy.linalg.solve_triangular(m, x, lower=True),
        jnp.linalg.slogdet(m)[1],
    ),
    "expm": lambda x, m: jax.scipy.linalg.expm(m),
    "writes": lambda x, m: x.at[1:3].set(x[0]).at[-1].add(5.0).at[jnp.array([0, 2])].multiply(x[:2]),
    "writes outside": lambda x, m: x.at[jnp.array([0, 9])].set(7.0),
    "reads": lambda x, m: m[jnp.array([0, 2]), jnp.array([1, 1])] + x[jnp.array([3, -1])],
    "reads outside": lambda x, m: (jnp.take(x, jnp.array([1, 7])), m[1, jnp.array([0, 9])]),
    "reads where": lambda x, m: jax.lax.dynamic_slice(m, (jnp.argmax(x), 0), (2, 2)),
    "repeats": lambda x, m: x[jnp.arange(7) % 3],
    "orders": lambda x, m: (jnp.sort(x), jnp.argsort(x), jnp.argmin(m, 0), jnp.cumsum(x), jnp.cumprod(m, 1)),
    "bits": lambda x, m: (
        jnp.signbit(x),
        jnp.frexp(x),
        jnp.ldexp(x, 3),
        jnp.copysign(x, m[0]),
        jax.lax.shift_right_logical(jnp.int64(-8), jnp.argmax(x) + 3),
    ),
    "sums": lambda x, m: (
        jnp.linalg.norm(x),
        jnp.max(m, 0),
        jnp.min(m, 1),
        jnp.prod(x),
        jnp.any(x > 0),
        jnp.mean(m),
    ),
    "shapes": lambda x, m: (
        jnp.pad(x, (2, 1), constant_values=3.0),
        jnp.concatenate([x, m[0]]),
        m.T.reshape(-1)[::3],
        jnp.linspace(x[0], x[1], 5),
        jnp.roll(m, 1, axis=0),
    ),
    "branches": lambda x, m: (
        jnp.where(x > 0, x, m[0]),
        jnp.clip(x, -0.5, 0.5),
        jax.lax.cond(x[0] > 0, jnp.sin, jnp.cos, x),
    ),
    "loops": lambda x, m: (
        jax.lax.fori_loop(0, 5, lambda i, c: c * 0.5 + x[i % 4], 0.0),
        jax.lax.scan(lambda c, y: (c + y, c * y), 0.0, x, reverse=True),
        jax.lax.while_loop(lambda c: c < 9, lambda c: 2 * c, jnp.abs(x[0])),
    ),
    "interpolation": lambda x, m: (jnp.interp(x, jnp.arange(3.0), m[0, :3]), jnp.polyval(x, m)),
    "host functions": lambda x, m: (special.jv(x, jnp.abs(m)), hw.linalg.expm(m)),
    "derivatives": lambda x, m: (
        jax.jacfwd(lambda x: jnp.stack([x[0] * x[1], jnp.exp(x).sum()]))(x),
        jax.grad(lambda x: (x[jnp.array([0, 0, 2])] ** 2).sum())(x),
        jax.jacrev(lambda x: special.gammainc(jnp.abs(x), x**2))(x),
    ),
}


@pytest.mark.rotating
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_numbers_are_those_of_jax(name):
    found = Closure(name, PROGRAMS[name], X, M).numpy()([], [X, M])
    want = jax.tree.leaves(PROGRAMS[name](jnp.asarray(X), jnp.asarray(M)))
    assert len(found) == len(want)
    for ours, jaxs in zip(found, want, strict=True):
        assert np.shape(ours) == jaxs.shape
        np.testing.assert_allclose(ours, jaxs, rtol=1e-12, atol=1e-13)


@pytest.mark.rotating
@pytest.mark.parametrize("name", PROGRAMS)
def test_number_by_number_they_are_the_same(name):
    found = Closure(name, PROGRAMS[name], X, M).numpy().of_numbers([], [M])(*X.tolist())
    want = jax.tree.leaves(PROGRAMS[name](jnp.asarray(X), jnp.asarray(M)))
    np.testing.assert_allclose(found, np.concatenate([np.ravel(y) for y in want]), rtol=1e-12, atol=1e-13)


UNROLLED = {
    "words": lambda x, m: (
        jnp.sin(x) * jnp.cosh(x) + jnp.arctan2(x, m[0]) - jnp.hypot(x, 1.0),
        jnp.maximum(x, 0.2) + jnp.minimum(x, m[1]) + jnp.sign(x) * jnp.abs(x) ** 1.5 + x**-3,
        jnp.where((x > 0) & ~(m[0] > 1), jnp.log1p(x**2), jnp.tanh(x)) + jax.lax.rsqrt(x**2) + (x > 0),
    ),
    "shapes": lambda x, m: (
        m @ x,
        jnp.outer(x, x)[::-1, 1:],
        jnp.concatenate([x, m[0]]).sum(),
        jnp.cumsum(x),
    ),
    "derivatives": lambda x, m: jax.jacfwd(lambda x: m @ jnp.exp(-x) * x[::-1])(x),
}
SINGULAR = {
    "quotient": (lambda x: 1 / x, [0.0, -0.0]),
    "logarithm": (jnp.log, [0.0, -1.0]),
    "overflow": (lambda x: jnp.exp(x) + x**9, [1e3, 1e200]),
    "root": (lambda x: jnp.sqrt(x) + x**1.5, [-1.0, jnp.inf]),
    "nan": (lambda x: jnp.maximum(x, 1.0) + jnp.sign(x), [jnp.nan, -jnp.inf]),
    "sine of infinity": (jnp.sin, [jnp.inf, 1.0]),
}


@pytest.mark.parametrize("name", UNROLLED)
def test_small_programs_are_arithmetic_on_pythons_numbers(name):
    program = Closure(name, UNROLLED[name], X, M).numpy()
    found = program.of_numbers([], [M])(*X.tolist())
    assert program._of_numbers[1] is not None
    assert all(type(x) in (float, bool) for x in found)
    want = jax.tree.leaves(UNROLLED[name](jnp.asarray(X), jnp.asarray(M)))
    np.testing.assert_allclose(found, np.concatenate([np.ravel(y) for y in want]), rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("name", SINGULAR)
def test_where_python_has_an_exception_arrays_answer(name):
    f, places = SINGULAR[name]
    numbers = Closure(name, f, X[0]).numpy().of_numbers([], [])
    with np.errstate(all="ignore"):
        found = [numbers(x) for x in map(float, places)]
    np.testing.assert_array_equal(np.ravel(found), f(jnp.array(places)))


def test_of_many_numbers_arrays_are_quicker():
    program = Closure("many", lambda x: jnp.sin(x) * 2, np.ones(500)).numpy()
    program.of_numbers([], [])
    assert program._of_numbers[1] is None


def test_what_is_read_from_outside_is_an_argument():
    seen = []

    @jax.jit
    def f(k, m):
        closure = Closure("f", lambda x: m @ x * k, X)
        seen.append((closure.numpy(), [c.shape for c in closure.outside]))
        return closure.jax([2 * c for c in closure.outside], X)

    np.testing.assert_allclose(f(2.0, M), 4 * M @ X * 2.0, rtol=1e-13)
    program, shapes = seen[0]
    outside = [M if shape else 2.0 for shape in shapes]
    np.testing.assert_allclose(program(outside, [X])[0], M @ X * 2.0, rtol=1e-13)


def test_single_precision_is_computed_in_double():
    x = np.float32(0.1)
    (found,) = Closure("f", lambda x: jnp.sin(x) * 3, x).numpy()([], [x])
    assert found.dtype == np.float64
    assert abs(found - 3 * np.sin(np.float64(x))) < 1e-15


def test_the_bits_of_single_precision_are_refused():
    with pytest.raises(hw.RuleError, match="no bits of shorter numbers"):
        Closure("f", jnp.signbit, np.float32(0.1)).numpy()([], [np.float32(0.1)])


def test_what_numpy_has_no_word_for_is_named():
    with pytest.raises(hw.RuleError, match="NumPy has no word for JAX's conv_general_dilated"):
        Closure("f", lambda x: jnp.convolve(x, x), X).numpy()


LEAN = {  # functions of a number that a solver's function reads
    "quad": lambda p: integrate.quad(lambda t: jnp.exp(-t * p), 0.0, 1.0)[0],
    "odeint": lambda p: integrate.odeint(lambda y, t: -p * y, jnp.ones(2), np.array([0.0, 1.0])).sum(),
    "brentq": lambda p: optimize.brentq(lambda x: x**2 - p, 0.0, 5.0),
    "least_squares": lambda p: optimize.least_squares(lambda x: x**2 - p, jnp.ones(2)).x.sum(),
    "cubature": lambda p: integrate.cubature(lambda x: jnp.exp(-x[:, 0] * p), [0.0], [1.0]).estimate,
    "root": lambda p: optimize.root(lambda x: x**2 - p, jnp.ones(2)).x.sum(),
    "fixed_point": lambda p: optimize.fixed_point(lambda x: jnp.cos(x * p), 1.0),
    "minimize_scalar": lambda p: (
        optimize.minimize_scalar(lambda x: (x - p) ** 2 + x**4, bounds=(0.0, 3.0), method="bounded").x
    ),
}


@pytest.mark.parametrize("name", LEAN)
def test_compiled_programs_keep_no_numbers_of_their_traces(name):
    with jax.checking_leaks():
        assert np.isfinite(jax.jit(jax.grad(LEAN[name]))(1.3))

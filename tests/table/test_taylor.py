"""`jax.experimental.jet` of host functions: Taylor series by one host call, beside mpmath and nested jvp."""

import functools
import math

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import pytest
from jax.experimental.jet import jet

import hostwrap as hw
from hostwrap import special
from tests._kit.days import by_turns
from tests._kit.toys import callbacks

ORDER = 10
COMPOSITES = {
    "erf": (lambda x: jnp.sin(special.erf(x)), lambda mp, x: mp.sin(mp.erf(x)), 0.7),
    "jv": (lambda x: special.jv(1.25, x**2), lambda mp, x: mp.besselj(1.25, x**2), 0.7),
    "kv in both": (lambda x: special.kv(x, 1 + x), lambda mp, x: mp.besselk(x, 1 + x), 0.5),
    "gammaln": (special.gammaln, lambda mp, x: mp.loggamma(x), 2.25),
    "airy": (lambda x: special.airy(x)[2], lambda mp, x: mp.airybi(x), 0.25),
    "hyp2f1": (
        lambda x: special.hyp2f1(0.25, 0.5, 1.75, x),
        lambda mp, x: mp.hyp2f1(0.25, 0.5, 1.75, x),
        0.3,
    ),
    "beta in both": (lambda x: special.beta(x, jnp.exp(x)), lambda mp, x: mp.beta(x, mp.exp(x)), 1.25),
    "psi": (lambda x: special.psi(special.expit(x)), lambda mp, x: mp.digamma(1 / (1 + mp.exp(-x))), 0.5),
    "dawsn": (special.dawsn, lambda mp, x: mp.sqrt(mp.pi) / 2 * mp.exp(-(x**2)) * mp.erfi(x), 0.5),
}


def along(f, x, order, velocity=1.0):
    """The derivatives 0 .. order of t -> f(x + t velocity)."""
    x = jnp.asarray(x)
    terms = [jnp.full_like(x, velocity), *[jnp.zeros_like(x)] * (order - 1)]
    answer, series = jax.jit(functools.partial(jet, f))((x,), (terms,))
    return [answer, *series]


@pytest.mark.parametrize("name", by_turns(*COMPOSITES))
def test_to_order_ten_beside_mpmath(name):
    f, ref, x = COMPOSITES[name]
    with mpmath.workdps(40):
        exact = [
            float(c * mpmath.factorial(k))
            for k, c in enumerate(mpmath.taylor(lambda x: ref(mpmath, x), x, ORDER))
        ]
    found = jax.jit(lambda x: along(f, x, ORDER))(x)
    scale = np.array([max(abs(e), abs(found[0])) for e in exact])
    assert np.max(np.abs(np.array(found) - exact)[:7] / scale[:7]) < 1e-12
    assert np.max(np.abs(np.array(found) - exact) / scale) < 1e-10


def test_all_coefficients_in_one_host_call():
    assert callbacks(lambda x: along(special.erf, x, 6), 0.5) == 1


def test_what_stands_still_is_not_differentiated():
    """`m` of ellipj has two derivatives; zeros for its series, which jet writes out, are no motion of it."""
    amplitude = lambda u: special.ellipj(u, 0.25)[3]
    found = along(amplitude, 0.5, 3)
    np.testing.assert_allclose(found[3], jax.jit(jax.grad(jax.grad(jax.grad(amplitude))))(0.5), rtol=1e-12)


def test_an_order_that_is_not_there_says_so():
    @hw.wrap(derivatives="rules")
    def cosine(x):
        return np.cos(x)

    sine = hw.wrap(lambda x: np.sin(x))
    sine.defpartials(x=lambda ans, x: cosine(x))
    np.testing.assert_allclose(along(sine, 0.25, 1)[1], np.cos(0.25), rtol=1e-15)
    with pytest.raises(hw.MissingDerivative, match="cosine: there is no derivative with respect to `x`"):
        along(sine, 0.25, 2)


@hw.wrap
def sine(x):
    return np.sin(x)


def with_partials():
    f = hw.wrap(lambda x: np.sin(x))
    return f.defpartials(x=lambda ans, x: jnp.cos(x))


def with_jvp():
    f = hw.wrap(lambda x: np.sin(x))
    return f.defjvp(lambda primals, tangents: (f(*primals), jnp.cos(primals[0]) * tangents[0]))


@pytest.mark.parametrize("make", [lambda: sine, with_partials, with_jvp], ids=["no rule", "partials", "jvp"])
def test_of_wrapped_functions(make):
    f = make()
    x = jnp.linspace(-1.0, 2.0, 3)
    np.testing.assert_allclose(
        along(lambda x: f(x**2), x, 4), along(lambda x: jnp.sin(x**2), x, 4), rtol=1e-12, atol=1e-12
    )


def test_of_a_linear_map():
    a = np.arange(6.0).reshape(2, 3)
    f = hw.linear(lambda x: a @ x, "(3)->(2)", transpose=lambda c: a.T @ c)
    x = jnp.array([0.5, 1.0, 1.5])
    np.testing.assert_allclose(
        along(lambda x: f(jnp.exp(x)), x, 4), along(lambda x: a @ jnp.exp(x), x, 4), rtol=1e-13
    )
    # its transpose, and the gradient of a coefficient
    g = lambda f: jax.grad(lambda x: jnp.sum(along(lambda x: f(jnp.exp(x)) ** 2, x, 3)[3]))(x)
    np.testing.assert_allclose(g(f), g(lambda x: a @ x), rtol=1e-12)


def of_products():
    f = hw.wrap(lambda x, y: x * np.sin(y))
    none = lambda t: 0.0 if t is None else t
    f.defhost(
        jvp=lambda p, t: none(t[0]) * np.sin(p[1]) + p[0] * np.cos(p[1]) * none(t[1]),
        vjp=lambda p, c: (c * np.sin(p[1]), c * p[0] * np.cos(p[1])),
        hvp=lambda p, t, c: (
            c * np.cos(p[1]) * none(t[1]),
            c * (none(t[0]) * np.cos(p[1]) - p[0] * np.sin(p[1]) * none(t[1])),
        ),
    )
    return lambda t: f(jnp.exp(t), t**2), lambda t: jnp.exp(t) * jnp.sin(t**2), 2


def of_a_jacobian():
    f = hw.wrap(lambda x: x @ x, signature="(n)->()")
    f.defjacobian(lambda x: 2 * x, hessian=lambda x: 2 * np.eye(x.shape[-1]))
    v = jnp.array([1.0, 2.0])
    return lambda t: f(v * jnp.exp(t)), lambda t: jnp.exp(2 * t) * (v @ v), 2


def of_two_slots():
    a = np.arange(6.0).reshape(2, 3)
    f = hw.linear(lambda x, y: a @ (x + 2 * y), "(3),(3)->(2)", transpose=lambda c: (a.T @ c, 2 * a.T @ c))
    v = jnp.array([1.0, 2.0, 0.5])
    return lambda t: f(v * jnp.exp(t), v * t**3), lambda t: a @ (v * (jnp.exp(t) + 2 * t**3)), 4


def of_one_equation():
    f = hw.wrap(lambda a: np.cbrt(a))
    f.defimplicit(lambda y, a: y**3 - a)
    return lambda t: f(1 + t**2), lambda t: jnp.cbrt(1 + t**2), 3


def of_a_system():
    """x solves [[2, t], [t, 3]] x = (t, t^2)."""
    f = hw.wrap(np.linalg.solve, signature="(n,n),(n)->(n)")
    f.defimplicit(lambda y, a, b: a @ y - b)
    x = lambda t: jnp.array([3 * t - t**3, t**2]) / (6 - t**2)
    return lambda t: f(jnp.array([[2.0, t], [t, 3.0]]), jnp.array([t, t**2])), x, 3


@pytest.mark.parametrize("make", [of_products, of_a_jacobian, of_two_slots, of_one_equation, of_a_system])
@pytest.mark.rotating
def test_of_functions_with_other_rules(make):
    f, written, order = make()
    for found, wanted in zip(along(f, 0.7, order), nested(written, 0.7, order), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-10)


def nested(f, x, order):
    found = [f(x)]
    for _ in range(order):
        f = functools.partial(lambda f, t: jax.jvp(f, (t,), (1.0,))[1], f)
        found.append(f(x))
    return found


def test_beyond_the_last_rule_there_is_a_reason():
    f, _, order = of_products()
    with pytest.raises(hw.MissingDerivative, match="hvp= is the last rule that defhost takes"):
        along(f, 0.7, order + 1)


def test_reverse_mode_only_says_so():
    f = hw.wrap(lambda x: np.sin(x))
    f.defvjp(lambda x: (f(x), x), lambda x, c: (jnp.cos(x) * c,))
    with pytest.raises(hw.MissingDerivative, match=r"jax\.experimental.jet does not lead through"):
        along(f, 0.5, 2)


def test_with_other_transformations():
    third = lambda x: along(special.j0, x, 3)[3]
    np.testing.assert_allclose(jax.grad(third)(0.5), along(special.j0, 0.5, 4)[4], rtol=1e-12)
    xs = jnp.linspace(0.5, 2.0, 4)
    np.testing.assert_allclose(jax.vmap(third)(xs), [third(x) for x in xs], rtol=1e-13)
    np.testing.assert_allclose(along(jax.jit(special.j0), xs, 2)[2], along(special.j0, xs, 2)[2], rtol=1e-13)


def test_of_complex_arguments_and_single_precision():
    z = jnp.asarray(0.5 + 0.25j)
    found = along(special.erf, z, 4, velocity=1j)
    with mpmath.workdps(30):
        exact = [
            complex(c * 1j**k * math.factorial(k))
            for k, c in enumerate(mpmath.taylor(mpmath.erf, complex(z), 4))
        ]
    np.testing.assert_allclose(found, exact, rtol=1e-12)
    single = along(special.erf, np.float32(0.5), 3)
    assert {x.dtype for x in single} == {np.dtype(np.float32)}
    np.testing.assert_allclose(single, along(special.erf, 0.5, 3), rtol=1e-6)


def test_the_laplacian_forward():
    """The sum of second derivatives along the axes is the trace of the Hessian."""
    f = lambda x: special.j0(x[0] * x[2]) * special.erf(x[0] * x[1])
    x = jnp.array([0.5, 1.0, 1.5])
    second = lambda v: jet(f, (x,), ((v, jnp.zeros(3)),))[1][1]
    laplacian = jax.jit(lambda: jnp.sum(jax.vmap(second)(jnp.eye(3))))()
    np.testing.assert_allclose(laplacian, jnp.trace(jax.jit(jax.hessian(f))(x)), rtol=1e-11)


def test_a_step_of_an_ode_by_its_series():
    """y' = i0(y), y(0) = 0: t = integral of 1 / i0 from 0 to y, whatever the series says."""
    terms = [special.i0(jnp.zeros(()))]
    while len(terms) < 8:
        value, series = jax.jit(functools.partial(jet, special.i0))((jnp.zeros(()),), (terms,))
        terms = [value, *series]
    step = 0.125
    y = sum(t * step ** (k + 1) / math.factorial(k + 1) for k, t in enumerate(terms))
    time = mpmath.quad(lambda u: 1 / mpmath.besseli(0, u), [0, float(y)])
    np.testing.assert_allclose(float(time), step, rtol=1e-9)


@pytest.mark.rotating
def test_laplacians_of_laplacians_forward():
    """-J_0(r) is the Laplacian of J_0(r) in the plane, and J_0(r) that of it again."""

    def laplacian(f):
        second = lambda x, v: jet(f, (x,), ((v, jnp.zeros(2)),))[1][1]
        return lambda x: sum(second(x, v) for v in jnp.eye(2))

    x = jnp.array([0.75, 1.5])
    f = lambda x: special.j0(jnp.sqrt(x @ x))
    np.testing.assert_allclose(jax.jit(laplacian(laplacian(f)))(x), f(x), rtol=1e-11)
    loss = lambda scale: laplacian(laplacian(lambda x: f(scale * x)))(x)
    r = float(jnp.sqrt(x @ x))
    np.testing.assert_allclose(jax.jit(jax.grad(loss))(1.0), 4 * f(x) - r * special.j1(r), rtol=1e-10)


def test_of_a_side_effect_it_happens_once():
    seen = []
    f = hw.wrap(lambda x: seen.append(float(x)) or np.sin(x), effect="io")
    f.defpartials(x=lambda ans, x: jnp.cos(x))
    np.testing.assert_allclose(along(f, 0.7, 1), nested(jnp.sin, 0.7, 1), rtol=1e-12)
    assert seen == [0.7]

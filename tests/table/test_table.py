"""The derivative table: one host call for a value and its derivatives, computed by a NumPy program."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.special
from jax import lax

import hostwrap as hw
from hostwrap._host.function import HostFunction, HostOptions, HostStep
from hostwrap._table.program import NotElementwise
from hostwrap._table.table import Table
from tests._kit.toys import (  # noqa: F401
    as_program,
    callbacks,
    each_lane,
    product,
    recording,
    run_program,
    same,
    sine_and_cosine,
)

X = np.linspace(0.3, 2.0, 5)

# ---- host calls


def third(f):
    return jax.grad(jax.grad(jax.grad(f)))


@pytest.mark.usefixtures("each_lane")
@pytest.mark.parametrize(
    "transform", [lambda f: f, jax.grad, jax.value_and_grad, jax.hessian, third, jax.jacfwd]
)
def test_one_host_call_for_value_gradient_and_hessian(transform):
    assert callbacks(transform(sine_and_cosine()[0]), 0.7) == 1


@pytest.mark.usefixtures("each_lane")
def test_one_host_call_at_run_time_too():
    sine, cosine = sine_and_cosine()
    record = sine.__wrapped__.seen, cosine.__wrapped__.seen
    hessian = jax.jit(jax.hessian(lambda x: sine(x).sum()))
    for calls in (1, 2):
        same(hessian(X), -np.diag(np.sin(X)))
        assert [len(seen) for seen in record] == [calls, 0]  # the value only: -sin is what is left of cos'
    same(jax.jit(jax.value_and_grad(sine))(0.7), (np.sin(0.7), np.cos(0.7)))
    assert [len(seen) for seen in record] == [3, 1]


def test_one_host_call_in_several_arguments_at_once():
    sine, cosine = sine_and_cosine()
    f = hw.wrap(lambda x, y: np.sin(x) * np.cos(y))
    f.defpartials(x=lambda ans, x, y: cosine(x) * cosine(y), y=lambda ans, x, y: -sine(x) * sine(y))
    for transform in (jax.grad, jax.value_and_grad, jax.hessian, jax.jacrev):
        assert callbacks(transform(f, argnums=(0, 1)), 1.5, 2.5) == 1
    assert callbacks(jax.vmap(jax.hessian(f, (0, 1)), (0, None)), X, 2.5) == 1


# (transformation, is the value wanted)
WRITTEN = [(jax.grad, False), (jax.value_and_grad, True), (jax.hessian, False), (jax.jacrev, False)]


@pytest.mark.usefixtures("each_lane")
def test_no_host_call_for_derivatives_that_need_no_host_function():
    for transform, value in WRITTEN:
        assert callbacks(transform(product(), argnums=(0, 1)), 1.5, 2.5) == value
    assert callbacks(jax.vmap(jax.hessian(product(), (0, 1)), (0, None)), X, 2.5) == 0


@pytest.mark.usefixtures("each_lane")
def test_a_derivative_made_of_the_value_takes_the_one_that_is_there():
    host = recording(lambda x: np.exp(2 * x))
    f = hw.wrap(host).defpartials(x=lambda ans, x: 2 * ans)
    for calls, transform in enumerate((jax.grad, jax.value_and_grad, lambda f: jax.grad(jax.grad(f))), 1):
        assert callbacks(transform(f), 0.7) == 1
        jax.jit(transform(f))(0.7)
        assert len(host.seen) == calls
    same(jax.jit(jax.value_and_grad(f))(0.7), (np.exp(1.4), 2 * np.exp(1.4)))


def test_what_xla_computes_on_axes_of_any_size():
    """Of size 1 in one argument and not the other, none, and under maps over maps."""
    f = hw.special.rel_entr
    slope = jax.jit(jax.grad(lambda x, y: f(x, y).sum(), (0, 1)))
    x, y = np.linspace(0.5, 2, 6).reshape(2, 3, 1), np.linspace(1, 3, 4)
    dx, dy = np.log(x / y) + 1, -x / y
    same(slope(x, y), (dx.sum(2, keepdims=True), dy.sum((0, 1))), 1e-14)
    inner = jax.vmap(jax.vmap(jax.grad(f, (0, 1)), (0, None)), (None, 0))
    same(jax.jit(inner)(x[0, :, 0], y), (dx[0].T, dy[0].T), 1e-14)
    empty = slope(x[:, :0], y)
    assert empty[0].shape == (2, 0, 1) and not np.any(empty[1])


def test_what_several_rules_share_is_computed_once():
    """d/dx and d/dy of g both contain h(x): the record of h shows one call."""
    host = recording(lambda x: np.exp(x))
    h = hw.wrap(host).defpartials(x=lambda ans, x: ans)
    g = hw.wrap(lambda x, y: np.exp(x) * y)
    g.defpartials(x=lambda ans, x, y: h(x) * y, y=lambda ans, x, y: h(x))
    same(jax.jit(jax.hessian(g, (0, 1)))(0.5, 2.0), ((np.exp(0.5) * 2.0, np.exp(0.5)), (np.exp(0.5), 0.0)))
    assert len(host.seen) == 1


def test_what_nobody_asks_for_is_not_computed():
    expensive = recording(lambda x: np.exp(x))
    h = hw.wrap(expensive)
    g = hw.wrap(lambda x, y: x * y).defpartials(x=lambda ans, x, y: y + 0 * x, y=lambda ans, x, y: h(x))
    same(jax.jit(jax.grad(g))(2.0, 3.0), 3.0)
    assert not expensive.seen
    both = jax.grad(g, (0, 1))
    same(jax.jit(lambda x, y: both(x, y)[0])(2.0, 3.0), 3.0)
    assert not expensive.seen
    jax.jit(both)(2.0, 3.0)
    assert len(expensive.seen) == 1


def test_a_value_that_only_the_gradient_needs_not_is_not_computed():
    host = recording(lambda x: np.sin(x))
    f = hw.wrap(host).defpartials(x=lambda ans, x: jnp.cos(x))
    same(jax.jit(jax.grad(f))(0.7), np.cos(0.7))
    assert not host.seen


# ---- falling back

UNSUPPORTED = {
    "an operation without a NumPy word": lambda ans, x: jax.scipy.special.polygamma(1, x),
    "an array inside the rule": lambda ans, x: jnp.stack([x, x**2]).sum(),
    "a loop": lambda ans, x: lax.fori_loop(0, 3, lambda i, c: c * x, x),
    "a map": lambda ans, x: lax.map(lambda n: n * x**2, jnp.arange(3.0)).sum(),
    "a branch": lambda ans, x: lax.cond(x > 1, jnp.sin, jnp.cos, x),
    "a constant array": lambda ans, x: jnp.polyval(jnp.array([1.0, -2.0, 0.5]), x),
}


@pytest.mark.parametrize("words", UNSUPPORTED)
def test_a_rule_beyond_the_vocabulary_is_still_right(words):
    rule = UNSUPPORTED[words]
    with pytest.raises(NotElementwise):
        as_program(lambda x: rule(x, x), np.float64)
    f = hw.wrap(lambda x: np.sin(x)).defpartials(x=rule)
    first, second = jax.vmap(lambda x: rule(0.0, x)), jax.vmap(jax.grad(lambda x: rule(0.0, x)))
    for transform, expected in [(jax.grad, first(X)), (jax.jacfwd, first(X)), (jax.hessian, second(X))]:
        same(jax.jit(jax.vmap(transform(f)))(X), expected, 1e-12)
    same(jax.vmap(jax.value_and_grad(f))(X), (np.sin(X), first(X)), 1e-12)


def test_a_rule_that_closes_over_a_traced_value():
    @jax.jit
    def slope(x, scale):
        f = hw.wrap(lambda x: np.sin(x)).defpartials(x=lambda ans, x: scale * jnp.cos(x))
        return jax.grad(f)(x)

    same((slope(0.7, 1.0), slope(0.7, 3.0)), (np.cos(0.7), 3 * np.cos(0.7)))


def test_the_program_and_the_pieces_agree():
    """The same rules, once in the vocabulary and once with a no-op that is not in it."""
    f = product()
    g = hw.wrap(lambda x, y: x**3 * y**2).defpartials(
        x=lambda ans, x, y: 3 * x**2 * y**2 * jnp.stack([x / x, 0 * x]).sum(),
        y=lambda ans, x, y: 2 * x**3 * y * jnp.stack([x / x, 0 * x]).sum(),
    )
    assert callbacks(jax.hessian(f, (0, 1)), 1.5, 0.5) == 0
    for transform in (jax.value_and_grad, jax.hessian, lambda f, i: jax.jacfwd(jax.hessian(f, i), i)):
        same(jax.jit(transform(f, (0, 1)))(1.5, 0.5), jax.jit(transform(g, (0, 1)))(1.5, 0.5), 1e-12)


# ---- the program itself


def test_equal_operations_are_kept_once():
    host = recording(lambda x: np.exp(x))
    f = hw.wrap(host)
    program, layout = as_program(lambda x: f(x - 1) * f(x - 1) + f(x - 1) / 2, np.float64)
    (got,) = program.bind([X.shape], [X.dtype], layout)([X])
    same(got, np.exp(X - 1) ** 2 + np.exp(X - 1) / 2)
    assert len(host.seen) == 1


def test_operations_that_differ_are_kept_apart():
    """By operation, operand, constant, dtype and sign of zero."""
    same(
        run_program(lambda x: (x + 1) * (x + 1.5) * (x - 1) * (1 - x), X)[0],
        (X + 1) * (X + 1.5) * -((X - 1) ** 2),
    )
    same(run_program(lambda x: 1 / (x * 0.0) + 1 / (x * -0.0), X)[0], X * np.nan)
    same(run_program(lambda x: x**2 - x**3, X)[0], X**2 - X**3)
    wide, narrow = run_program(lambda x: (x.astype("float64"), x.astype("float32").astype("float64")), X)
    same(wide, X)
    assert (wide != narrow).any()


def test_only_the_steps_to_the_wanted_results_are_taken():
    first, second = recording(lambda x: np.exp(x)), recording(lambda x: np.sin(x))
    f, g = hw.wrap(first), hw.wrap(second)
    program, layout = as_program(lambda x: (f(x), g(x), f(x) + 1), np.float64)
    same(program.bind([X.shape], [X.dtype], layout, [2, 0])([X]), [np.exp(X) + 1, np.exp(X)])
    assert (len(first.seen), len(second.seen)) == (1, 0)


def test_a_program_is_used_again_with_other_shapes_and_leaves_its_input_alone():
    program, layout = as_program(lambda x, y: (x * y, x + 1, y), np.float64, np.float64)
    for x, y in [
        (X, X[0]),
        (X[:, None], X),
        (np.zeros((0, 3)), np.ones(3)),
        (np.float64(2.0), np.float64(3.0)),
    ]:
        arrays = [np.array(x), np.array(y)]
        kept = [a.copy() for a in arrays]
        batch = np.broadcast_shapes(np.shape(x), np.shape(y))
        got = program.bind([a.shape for a in arrays], [a.dtype for a in arrays], layout)(arrays)
        same(got, [np.broadcast_to(v, batch) for v in (x * y, x + 1, y)])
        same(arrays, kept)


def test_a_host_function_that_writes_into_its_argument_harms_no_other_step():
    def double_in_place(x):
        x *= 2
        return x

    f = hw.wrap(double_in_place)
    f.defpartials(x=lambda ans, x: f(x + 1) * (x + 1) + ans)
    expected = 2 * (X + 1) ** 2 + 2 * X
    same(jax.jit(jax.grad(lambda x: f(x).sum()))(X), expected)
    same(jax.grad(lambda x: f(x).sum())(jnp.asarray(X)), expected)
    same(jax.jit(jax.value_and_grad(lambda x: f(x).sum()))(X), (2 * X.sum(), expected))


def test_a_program_inside_a_program():
    """A rule that calls a function whose own derivatives are a program, differentiated three times."""
    sine, _ = sine_and_cosine()
    f = hw.wrap(lambda x: np.sin(x) ** 2).defpartials(x=lambda ans, x: 2 * sine(x) * jax.grad(sine)(x))
    same(jax.jit(third(f))(0.7), -4 * np.sin(1.4))
    same(jax.jit(jax.hessian(f))(0.7), 2 * np.cos(1.4))
    assert callbacks(jax.hessian(f), 0.7) == 1


def test_a_rule_may_use_its_own_function_and_answer():
    f = hw.wrap(recording(lambda x: np.tan(x))).defpartials(x=lambda ans, x: 1 + ans**2)
    t = np.tan(0.7)
    same(jax.jit(third(f))(0.7), 2 * (1 + t**2) * (1 + 3 * t**2), 1e-12)
    assert callbacks(third(f), 0.7) == 1


def test_several_results_with_partials():
    f = hw.wrap("()->(),()")(recording(lambda x: (np.sin(x), np.cos(x))))
    f.defpartials(x=lambda ans, x: (ans[1], -ans[0]))
    same(jax.jit(jax.jacfwd(f))(0.7), (np.cos(0.7), -np.sin(0.7)))
    same(jax.jit(jax.grad(lambda x: f(x)[0] * f(x)[1]))(0.7), np.cos(1.4))
    same(jax.jit(jax.hessian(f))(0.7), (-np.sin(0.7), -np.cos(0.7)))
    assert callbacks(jax.jacfwd(f), 0.7) == 1


@pytest.mark.parametrize("order", list(itertools.product(range(3), repeat=2)))
def test_mixed_derivatives_of_every_order(order):
    """x^3 y^2, differentiated in any sequence, forward or reverse."""
    f, expected = (
        product(),
        {0: 1.5**3, 1: 3 * 1.5**2, 2: 6 * 1.5}[order[0]] * {0: 0.25, 1: 1.0, 2: 2.0}[order[1]],
    )
    steps = [0] * order[0] + [1] * order[1]
    for sequence in set(itertools.permutations(steps)):
        for modes in ((jax.grad,) * 4, (jax.jacfwd,) * 4, (jax.grad, jax.jacfwd) * 2):
            g = f
            for argument, mode in zip(sequence, modes, strict=False):
                g = mode(g, argument)
            same(jax.jit(g)(1.5, 0.5), expected, 1e-12)


# ---- functions that are not holomorphic


def with_parts(host, dz, dz_imag):
    """A table of one complex argument, with a derivative in its real part and one in its imaginary part."""
    function = HostFunction(
        lambda z: (host(z),), name="toy", argnames=("z",), options=HostOptions("expand_dims"), trusted=True
    )
    table = Table(function, [dz], {0: dz_imag}, lambda dtypes: [np.complex128], lambda answer: answer[0])
    return lambda z: table(jnp.asarray(z))[0]


def test_a_function_that_is_not_holomorphic_has_derivatives_in_both_parts():
    """z^2 conj(z)^3, against JAX's own derivative of the same: jvp, vjp and second order."""
    first, other = lambda z: 2 * z * jnp.conj(z) ** 3, lambda z: 3 * z**2 * jnp.conj(z) ** 2
    f = with_parts(
        lambda z: z**2 * np.conj(z) ** 3,
        lambda y, z: first(z) + other(z),
        lambda y, z: 1j * (first(z) - other(z)),
    )

    def exact(z):
        return z**2 * jnp.conj(z) ** 3

    z, t, s = 0.7 - 0.4j, 0.3 + 1.1j, -0.6 + 0.2j

    def once(g):
        return lambda z: jax.jvp(g, (z,), (t,))[1]

    def second(g):
        return lambda z: jax.jvp(once(g), (z,), (s,))[1]

    def pulled(g):
        return lambda z: jax.vjp(g, z)[1](s)[0]

    for transform in (once, second, pulled, lambda g: once(pulled(g)), lambda g: once(second(g))):
        same(jax.jit(transform(f))(z), transform(exact)(z), 1e-12)
        same(jax.vmap(transform(f))(np.array([z, s])), jax.vmap(transform(exact))(np.array([z, s])), 1e-12)
    assert callbacks(second(f), z) == 1
    same(jax.jit(jax.grad(lambda z: f(z).real))(z), jax.grad(lambda z: exact(z).real)(z), 1e-12)


def test_one_number_comes_without_axes_to_a_step_of_a_program_too():
    """A host function of numbers, `math.sin` say, takes no array of one, also where its derivative calls it."""

    def sine(x):
        assert x.shape == ()
        return np.array(np.sin(x))

    f = hw.wrap(sine).defpartials(x=lambda ans, x: f(x + np.pi / 2))
    same(jax.jit(jax.value_and_grad(f))(0.7), (np.sin(0.7), np.cos(0.7)))
    same(jax.jacfwd(f)(0.7), np.cos(0.7))
    same(jax.hessian(f)(0.7), -np.sin(0.7))


@pytest.mark.parametrize("order", [3, 8])
def test_the_calls_of_a_recurrence_grow_with_the_order_and_not_as_its_power_of_two(order):
    """Order n of J_v has J_{v+n}, J_{v+n-2}, .. (DLMF 10.6.7), those below the same; J and its slope are others."""
    table = hw.special.jv.table(())
    level = table.program(tuple((0, k) for k in range(order + 1)), "ff")
    steps = level.needed(range(order + 1))
    calls = [inputs for operation, inputs, *_ in steps if isinstance(operation, HostStep)]
    assert len(calls) == 2 * order + 1 + 2
    found = table.level(((0, order),))(jnp.asarray(1.3), jnp.asarray(0.6))[0]
    np.testing.assert_allclose(found, scipy.special.jvp(1.3, 0.6, order), rtol=1e-12)


def test_the_calls_of_a_recurrence_in_an_integer_order_grow_with_it_too():
    """K_n alone: K_{n+8}, K_{n+6}, .. and those between, of which the derivatives before are made."""
    table = hw.special.kn.table(())
    steps = table.program(tuple((0, k) for k in range(9)), "if").needed(range(9))
    assert sum(isinstance(operation, HostStep) for operation, *_ in steps) == 2 * 8 + 1
    found = table.level(((0, 8),))(jnp.asarray(3), jnp.asarray(0.6))[0]
    np.testing.assert_allclose(found, scipy.special.kvp(3, 0.6, 8), rtol=1e-12)


def test_jax_is_asked_once_for_the_rule_of_a_call_whatever_the_order():
    """exp' = exp(x / 2)^2 calls exp(x / 2), .. exp(x / 2^8) for the eighth derivative, at 2^8 places of its formula."""
    asked = []
    exp = hw.wrap(lambda x: np.exp(x)).defpartials(x=lambda f, x: asked.append(x) or exp(x / 2) ** 2)
    slope = exp
    for order in range(8):
        slope = jax.grad(slope)
        np.testing.assert_allclose(jax.jit(slope)(0.7), np.exp(0.7), rtol=1e-13)
        assert len(asked) <= 1 + (order > 0)


def test_a_derivative_that_is_nan_where_the_function_is_needs_none_of_a_lower_order():
    """Its choice between the function and the next kernel is differentiated to choices within choices of one mask."""
    table = hw.special.eval_jacobi.table(())
    steps = table.program(((0, 8, 0, 0),), "ffff").needed([0])
    assert (
        sum(isinstance(operation, HostStep) for operation, *_ in steps) == 2
    )  # the function and its 8th derivative


def test_a_case_that_its_own_mask_chooses_is_decided_and_one_of_another_mask_is_not():
    choose = lambda mask, x, yes, no: jnp.where(x > mask, yes, no)
    f = hw.wrap(np.sin).defpartials(
        x=lambda y, x: choose(
            0, x, choose(0, x, 2 * x, 3 * x), choose(0, x, 5 * x, choose(-1, x, 7 * x, 11 * x))
        )
    )
    for slope in (jax.grad(f), jax.jit(jax.grad(f))):
        np.testing.assert_array_equal([slope(x) for x in (0.5, -0.5, -2.0)], [1.0, -3.5, -22.0])
    second = jax.jit(jax.grad(jax.grad(f)))
    np.testing.assert_array_equal([second(x) for x in (0.5, -0.5, -2.0)], [2.0, 7.0, 11.0])


def test_a_derivative_keeps_the_sign_of_its_zero():
    """0 + (-0) would be 0."""
    f = hw.wrap(np.sin).defpartials(x=lambda y, x: -0.0 * jnp.abs(x))
    assert np.signbit([jax.grad(f)(1.0), jax.jit(jax.grad(f))(1.0)]).all()


def test_steps_are_put_together_only_in_arguments_of_calls():
    """(1 + x) - 1 is there for the sake of its rounding (Kahan), and stays as it is."""
    kahan = hw.wrap(np.sin).defpartials(x=lambda ans, x: ((1.0 + x) - 1.0) * hw.special.j0((1.0 + x) - 1.0))
    x = 1e-17
    assert jax.jit(jax.grad(kahan))(x) == 0
    assert jax.jit(jax.grad(jax.grad(kahan)))(x) == 1


@pytest.mark.parametrize("x, y", [(1e160, 2e160), (1e-160, 2e-160), (3e-170 + 1e-170j, 2e-160)])
def test_derivatives_of_a_quotient_have_no_square_of_the_divisor(x, y):
    """It leaves the doubles long before the derivative does."""
    f = hw.wrap(lambda x, y: x * np.log(y)).defpartials(x=lambda f, x, y: jnp.log(y), y=lambda f, x, y: x / y)
    y = y if np.isrealobj(x) else complex(y)
    slope = jax.grad(f, 1, holomorphic=np.iscomplexobj(x))
    np.testing.assert_allclose(
        jax.jit(jax.grad(slope, 1, holomorphic=np.iscomplexobj(x)))(x, y), -(x / y) / y, rtol=1e-14
    )
    np.testing.assert_allclose(jax.grad(slope, 0, holomorphic=np.iscomplexobj(x))(x, y), 1 / y, rtol=1e-14)


def test_a_quotient_over_a_tiny_number_that_moves_in_proportion():
    """The square of the divisor leaves the doubles, and its logarithm has an ordinary slope."""
    f = hw.wrap(lambda x: 1e200 * np.log(x)).defpartials(x=lambda f, x: 1 / (1e-200 * x))
    np.testing.assert_allclose(jax.jit(jax.grad(jax.grad(f)))(2.0), -1e200 / 4, rtol=1e-14)
    np.testing.assert_allclose(jax.grad(jax.grad(jax.grad(f)))(2.0), 1e200 / 4, rtol=1e-14)

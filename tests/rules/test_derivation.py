"""A rule is looked up when somebody differentiates: in loops where JAX forgets custom rules, and of older programs."""

import itertools
import weakref

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import hostwrap as hw
from hostwrap import special
from tests._kit.days import LONG_TURN, TURN, by_turns
from tests._kit.toys import assert_dead, each_lane, same  # noqa: F401

lanes = pytest.mark.usefixtures("each_lane")


def sine(signature=None, function=None, derivatives="rules", **options):
    return hw.wrap(function or (lambda x: np.sin(x)), signature=signature, derivatives=derivatives, **options)


def forward(primals, tangents):
    (x,), (t,) = primals, tangents
    return jnp.sin(x), jnp.cos(x) * t


ON_HOST = {
    "jvp": lambda p, t: np.cos(p[0]) * t[0],
    "vjp": lambda p, c: (np.cos(p[0]) * c,),
    "hvp": lambda p, t, c: (-np.sin(p[0]) * t[0] * c,),
}
RULES = {
    "defpartials": lambda f: f.defpartials(lambda ans, x: jnp.cos(x)),
    "defjvp": lambda f: f.defjvp(forward),
    "defvjp": lambda f: f.defvjp(lambda x: (jnp.sin(x), x), lambda x, c: (c * jnp.cos(x),)),
    "defhost": lambda f: f.defhost(**ON_HOST),
    "defjacobian": lambda f: f.defjacobian(lambda x: np.cos(x), hessian=lambda x: -np.sin(x)),
    "defvalue_and_grad": lambda f: f.defvalue_and_grad(
        lambda x: (np.sin(x), np.cos(x)), hessian=lambda x: -np.sin(x)
    ),
    "defimplicit": lambda f: f.defimplicit(lambda y, x: (y - jnp.sin(x)) * (2 + y)),
}
FUNCTIONS = {
    **{name: lambda attach=attach: attached(attach) for name, attach in RULES.items()},
    **{
        f"{name}, signature": lambda attach=attach: attached(attach, "()->()")
        for name, attach in RULES.items()
    },
    "linear": lambda: lambda x: hw.linear(lambda x: 2 * x, transpose=lambda c: 2 * c)(jnp.sin(x)) / 2,
    "special": lambda: lambda x: special.jv(0.5, x) * jnp.sqrt(jnp.pi * x / 2),
}
REVERSE_ONLY = ("defvjp", "defvjp, signature")


def attached(attach, signature=None):
    f = sine(signature)
    attach(f)
    return f


# ---- loops that are differentiated twice

T = np.array([0.5, 0.8, 1.3])
LOOPS = {
    "scan": lambda f: lambda x: sum(map(jnp.sum, lax.scan(lambda c, t: (c + 0.1 * f(c * t), f(c)), x, T))),
    "fori_loop": lambda f: lambda x: lax.fori_loop(0, 3, lambda _, c: c + 0.1 * f(c), x),
    "map": lambda f: lambda x: lax.map(lambda t: f(x * t), T).sum(),
    "map in batches": lambda f: lambda x: lax.map(lambda t: f(x * t), T, batch_size=2).sum(),
    "scan of checkpoint": lambda f: (
        lambda x: lax.scan(jax.checkpoint(lambda c, t: (c + f(c * t), None)), x, T)[0]
    ),
}
TWICE = {
    "hessian": jax.hessian,
    "grad of grad": lambda f: jax.grad(jax.grad(f)),
    "jacfwd of grad": lambda f: jax.jacfwd(jax.grad(f)),
    "grad of jacfwd": lambda f: jax.grad(jax.jacfwd(f)),
    "vmap of hessian": lambda f: lambda x: jax.vmap(jax.hessian(f))(x * T),
    "grad of grad of vmap": lambda f: jax.grad(jax.grad(lambda x: jax.vmap(f)(x * T).sum())),
}


def _loops():
    """Every function in one loop, every loop with one function, in two weeks; the rest in four."""
    for function, loop, twice in itertools.product(FUNCTIONS, LOOPS, TWICE):
        if function in REVERSE_ONLY and twice not in ("grad of grad", "grad of grad of vmap"):
            continue
        often = (loop, twice) == ("scan", "grad of grad") or (function, twice) == ("special", "hessian")
        yield pytest.param(
            function, loop, twice, marks=pytest.mark.rotating(turn=TURN if often else LONG_TURN)
        )


@pytest.mark.parametrize(("function", "loop", "twice"), [*_loops()])
def test_second_derivatives_of_loops(function, loop, twice):
    program = TWICE[twice](LOOPS[loop](FUNCTIONS[function]()))
    same(jax.jit(program)(0.7), TWICE[twice](LOOPS[loop](jnp.sin))(0.7), 1e-11)


@pytest.mark.parametrize("function", by_turns("defpartials", "defjvp", "defimplicit", "special"))
def test_third_derivatives_of_loops(function):
    third = lambda f: jax.jit(jax.grad(jax.grad(jax.grad(LOOPS["scan"](f)))))
    same(third(FUNCTIONS[function]())(0.7), third(jnp.sin)(0.7), 1e-11)


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.rotating
def test_numerical_derivatives_of_loops(loop):
    program = jax.hessian(LOOPS[loop](sine(numerical=True)))
    same(jax.jit(program)(0.7), jax.hessian(LOOPS[loop](jnp.sin))(0.7), 1e-5)


@lanes
@pytest.mark.parametrize("dtype", by_turns(np.float64, np.float32, np.complex128))
def test_special_functions_in_loops_are_as_outside(dtype):
    """Several results, statics, complex numbers, and single precision with its own loops."""
    wave = lambda t: special.airy(t).ai + special.kv(0.3, t) + special.hankel1(1, t).real.astype(dtype)
    inside = lambda x: lax.map(lambda t: wave(x * t), jnp.asarray(T, dtype)).real.sum()
    outside = lambda x: sum(wave(x * t).real for t in T.astype(dtype))
    x = jnp.asarray(0.7, dtype)
    twice = lambda f: jax.jit(jax.grad(lambda x: jax.grad(f)(x).real))
    same(twice(inside)(x), twice(outside)(x), 1e-5 if dtype == np.float32 else 1e-12)


@pytest.mark.rotating
def test_orders_of_bessel_functions_in_loops():
    loop = lambda v: lax.map(lambda t: special.kv(v, t), T).sum()
    plain = lambda v: special.kv(v, T).sum()
    for twice in TWICE.values():
        same(twice(loop)(1.3), twice(plain)(1.3), 1e-11)


def test_nothing_is_computed_in_a_loop_for_what_does_not_move():
    calls = []

    def partial(ans, x, y):
        calls.append("y")
        return x

    f = hw.wrap(lambda x, y: np.sin(x) * y)
    f.defpartials(x=lambda ans, x, y: jnp.cos(x) * y, y=partial)
    program = jax.hessian(lambda x: lax.map(lambda y: f(x, y), T).sum())
    same(program(0.7), -np.sin(0.7) * T.sum(), 1e-12)
    assert not calls
    g = hw.wrap(lambda x, y: np.sin(x) * y)
    g.defpartials(x=lambda ans, x, y: jnp.cos(x) * y, y=hw.unknown("nobody knows"))
    same(jax.hessian(lambda x: lax.map(lambda y: g(x, y), T).sum())(0.7), -np.sin(0.7) * T.sum(), 1e-12)
    with pytest.raises(hw.MissingDerivative, match="with respect to `y`: nobody knows"):
        jax.hessian(lambda x: lax.map(lambda y: g(y, x), T).sum())(0.7)


def test_what_is_missing_in_a_loop_says_so():
    for f in (sine(), sine("()->()")):
        with pytest.raises(
            hw.MissingDerivative, match="with respect to `x`: it has no derivative rule; add one"
        ):
            jax.hessian(LOOPS["map"](f))(0.7)
    first = sine()
    first.defjacobian(lambda x: np.cos(x))
    same(jax.grad(LOOPS["map"](first))(0.7), np.sum(T * np.cos(0.7 * T)), 1e-12)
    with pytest.raises(hw.MissingDerivative, match="no hessian= was given beside the Jacobian"):
        jax.hessian(LOOPS["map"](first))(0.7)


# ---- a rule that comes later

PROGRAMS = {
    "itself": lambda f: f,
    "jit": jax.jit,
    "jit of vmap": lambda f: (lambda g: lambda x: g(x * np.ones(3))[1])(jax.jit(jax.vmap(f))),
    "jit of scan": lambda f: jax.jit(lambda x: lax.scan(lambda c, _: (f(c), None), x, None, length=1)[0]),
    "jit of cond": lambda f: jax.jit(lambda x: lax.cond(x > 0, f, jnp.cos, x)),
    "jit of checkpoint": lambda f: jax.jit(jax.checkpoint(f)),
    "jit in a function with a rule": lambda f: jax.jit(
        lambda x: hw.wrap(lambda y: np.exp(y)).defpartials(lambda ans, y: ans)(f(x)) - jnp.exp(f(x)) + f(x)
    ),
}


def _later():
    for rule, signature, kept in itertools.product(RULES, (None, "()->()"), PROGRAMS):
        often = signature is None and (kept == "jit" or rule == "defpartials")
        yield pytest.param(
            rule, signature, kept, marks=pytest.mark.rotating(turn=TURN if often else LONG_TURN)
        )


@pytest.mark.parametrize(("rule", "signature", "kept"), [*_later()])
def test_a_rule_may_come_after_calls_and_after_an_error_that_asks_for_it(rule, signature, kept):
    f = sine(signature)
    program = PROGRAMS[kept](f)
    derivative = jax.jit(jax.grad(program))
    same(program(0.7), np.sin(0.7), 1e-14)
    for asked in (jax.grad(program), derivative):
        with pytest.raises(hw.MissingDerivative, match="add one with defpartials"):
            asked(0.7)
    RULES[rule](f)
    same(program(0.7), np.sin(0.7), 1e-14)
    for asked in (jax.grad(program), derivative, jax.grad(jax.jit(program)), jax.jit(jax.grad(f))):
        same(asked(0.7), np.cos(0.7), 1e-12)
    if rule != "defvjp":
        same(jax.hessian(program)(0.7), -np.sin(0.7), 1e-11)
        same(jax.jvp(program, (0.7,), (2.0,))[1], 2 * np.cos(0.7), 1e-12)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.rotating
def test_a_rule_wins_over_the_function_s_own_code_whenever_it_comes(rule, monkeypatch):
    f = sine(derivatives="auto")
    same(jax.grad(f)(0.7), np.cos(0.7), 1e-14)
    monkeypatch.setattr(type(f._derivation.rule), "jvp", None)
    RULES[rule](f)
    same(jax.grad(f)(0.7), np.cos(0.7), 1e-12)


@lanes
def test_a_later_rule_with_batches_and_an_argument_that_does_not_move():
    f = hw.wrap(lambda x, y: x @ y, signature="(n),(n)->()")
    program = jax.jit(lambda x, y: jax.vmap(f, (0, None))(x, y).sum())
    x, y = np.arange(6.0).reshape(2, 3), np.ones(3)
    program(x, y)
    f.defpartials(x=lambda ans, x, y: y, y=hw.unknown("nobody knows"))
    same(jax.grad(program)(x, y), np.ones((2, 3)))
    with pytest.raises(hw.MissingDerivative, match="`y`: nobody knows"):
        jax.grad(program, 1)(x, y)


@pytest.mark.parametrize("rule", ["defpartials", "defjvp", "defvjp"])
def test_a_later_rule_of_a_function_with_side_effects(rule):
    seen = []

    def noted(x):
        seen.append(float(x))
        return np.sin(x)

    f = sine(function=noted, effect="io")
    program = jax.jit(f)
    program(0.7)
    with pytest.raises(hw.MissingDerivative, match="it has side effects and no derivative rule"):
        jax.grad(program)(0.7)
    if rule == "defpartials":
        f.defpartials(lambda ans, x: jnp.cos(x))
    elif rule == "defjvp":
        f.defjvp(lambda p, t: (f(*p), jnp.cos(p[0]) * t[0]))
    else:
        f.defvjp(lambda x: (f(x), x), lambda x, c: (c * jnp.cos(x),))
    seen.clear()
    value, slope = jax.value_and_grad(program)(0.7)
    jax.effects_barrier()
    same([value, slope], [np.sin(0.7), np.cos(0.7)], 1e-14)
    assert seen == [0.7]


def test_integers_have_no_derivative_to_miss():
    whole = hw.wrap(lambda x: np.floor(x).astype(int), dtype=int)
    program = jax.jit(lambda x: whole(x) * x)
    same(jax.grad(program)(2.5), 2.0)
    same(jax.grad(lambda x: lax.map(lambda t: whole(t * x) * x, T).sum())(2.5), np.floor(2.5 * T).sum())


def test_a_definition_that_is_run_again_is_another_function():
    """The notebook's way to another rule: old programs go on with the old one, new ones have the new."""
    first = sine().defpartials(lambda ans, x: jnp.cos(x))
    old = jax.jit(jax.grad(first))
    same(old(0.7), np.cos(0.7))
    second = sine().defpartials(lambda ans, x: 2 * jnp.cos(x))
    same(jax.jit(jax.grad(second))(0.7), 2 * np.cos(0.7))
    same(old(0.7), np.cos(0.7))


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_gives_back_the_function(rule):
    """Chained, or as a decorator."""
    f = sine()
    assert RULES[rule](f) is f
    same(jax.grad(f)(0.7), np.cos(0.7), 1e-14)


@pytest.mark.parametrize("late", [False, True], ids=["first", "late"])
def test_a_jvp_rule_sees_an_elementwise_function_as_it_is_called(late):
    """Without the axes that vmap adds, and without those of size 1 that line operands up."""
    seen = []

    def product(x, y):
        return x * y

    def rule(primals, tangents):
        (x, y), (t, _) = primals, tangents
        seen.append((x.shape, y.shape, t.shape))
        slope = lax.cond(y > 0, lambda y: y, lambda y: y, y)  # takes a number and no array
        return f(x, y), slope * t

    f = hw.wrap(product)
    if not late:
        f.defjvp(rule)
    one = jax.jit(lambda x, y: jax.vmap(f)(x, y))
    x, y = jnp.ones((4, 3)), jnp.arange(1.0, 5.0)
    same(one(x, y), x * y[:, None])
    if late:
        f.defjvp(rule)
    gradient = jax.grad(lambda x: one(x, y).sum())(x)
    same(gradient, jnp.broadcast_to(y[:, None], (4, 3)))
    assert set(seen) == {((3,), (), (3,))}


@pytest.mark.parametrize("rule", [name for name in RULES if name not in ("defvjp", "defpartials")])
def test_a_call_with_a_rule_is_one_equation(rule):
    """No other function stands around it, which JAX would trace and could forget."""
    f = attached(RULES[rule], "(n)->(n)" if rule == "defjvp" else "()->()")
    equations = jax.make_jaxpr(f)(np.ones(3)).eqns
    assert [e.primitive.name for e in equations] == ["host_form" if rule == "defhost" else "host_call"]


# ---- what a program keeps alive


@pytest.mark.parametrize(
    "rule", by_turns("none", "defpartials", "defjvp", "defhost", "defimplicit", "signature")
)
def test_a_program_does_not_keep_the_wrapped_function_alive(rule):
    def used():
        f = sine("(n)->(n)" if rule == "signature" else None)
        if rule in RULES:
            RULES[rule](f)
        same(jax.jit(f)(np.ones(2)), np.sin(np.ones(2)))
        return weakref.ref(f)

    assert_dead([used() for _ in range(3)])


def test_a_compiled_derivative_is_made_anew_when_a_rule_is_attached():
    """A notebook keeps `slope`; the program that JAX compiled for it has the derivative from before."""
    f = hw.wrap(lambda x: np.sin(x))
    slope, twice = jax.jit(jax.grad(f)), jax.jit(jax.vmap(jax.grad(f)))
    assert slope(2.0) == pytest.approx(np.cos(2.0)) and twice(jnp.ones(2))[0] == pytest.approx(np.cos(1.0))
    f.defpartials(x=lambda ans, x: 7 * x)
    assert slope(2.0) == 14 and twice(jnp.ones(2))[1] == 7


def test_a_compiled_derivative_that_was_missing_is_there_when_a_rule_is():
    f = hw.wrap(lambda x: float(str(float(x))) ** 2)
    slope = jax.jit(jax.grad(f))
    with pytest.raises(Exception, match="no derivative with respect to `x`"):
        float(slope(2.0))
    f.defpartials(x=lambda ans, x: 2 * x)
    assert slope(2.0) == 4

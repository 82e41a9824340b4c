"""Derivatives that are not there, rules that are wrong: what is raised, when, and what it says."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hostwrap as hw
from hostwrap.special import _entry, kn
from tests._kit.toys import each_lane, product, recording, same, solve, system  # noqa: F401

X = np.linspace(0.3, 2.0, 4)
lanes = pytest.mark.usefixtures("each_lane")


# ---- derivatives that are not there


def says(error, *words):
    for word in words:
        assert word in str(error.value), f"{word!r} is not in: {error.value}"


def test_what_stands_in_place_of_a_partial_is_the_same_in_wrap_and_in_special():
    assert (hw.unknown, hw.discrete) == (_entry.unknown, _entry.discrete)
    assert kn.rules["n"] is hw.discrete


@pytest.mark.parametrize("signature", [None, "(),()->()", "(n),(n)->(n)"])
@pytest.mark.parametrize("transform", [jax.grad, jax.jacfwd, jax.hessian])
def test_an_unknown_derivative_is_an_error_when_it_is_asked_for_and_only_then(signature, transform):
    f = hw.wrap(lambda x, y: x * y, signature=signature)
    f.defpartials(
        x=lambda ans, x, y: y if y.ndim == 0 else jnp.diag(y),
        y=hw.unknown("the integral over y has no closed form"),
    )
    g = f if signature != "(n),(n)->(n)" else lambda x, y: f(x * np.ones(2), y * np.ones(2)).sum() / 2
    assert float(transform(g)(2.0, 3.0)) == (0.0 if transform is jax.hessian else 3.0)
    same(jax.grad(lambda y: g(2.0, jax.lax.stop_gradient(y)) * y)(3.0), 6.0)
    for wanted in (1, (0, 1)):
        with pytest.raises(hw.MissingDerivative) as error:
            jax.jit(transform(g, wanted))(2.0, 3.0)
        says(error, f.__name__, "`y`", "the integral over y has no closed form", "jax.lax.stop_gradient(y)")


def test_an_argument_without_a_partial_is_unknown():
    f = hw.wrap(lambda x, y: x * y).defpartials(x=lambda ans, x, y: y)
    with pytest.raises(hw.MissingDerivative, match=r"`y`: no partial derivative was given for it"):
        jax.grad(f, 1)(2.0, 3.0)


def test_a_function_without_a_rule_says_how_to_add_one():
    def poorly(x, y):
        return x * y

    f = hw.wrap(poorly, derivatives="rules")
    second = jax.grad(f, 1)
    for call in (second, jax.jit(second), jax.jacfwd(f, 1), lambda x, y: jax.vmap(second, (0, None))(X, y)):
        with pytest.raises(hw.MissingDerivative) as error:
            call(2.0, 3.0)
        says(error, "poorly", "`y`", "defpartials, defjvp or defvjp", "stop_gradient(y)")


def test_a_second_order_that_is_not_there():
    helper = hw.wrap(lambda x: np.cos(x), derivatives="rules")
    f = hw.wrap(lambda x: np.sin(x)).defpartials(x=lambda ans, x: helper(x))
    same(jax.jit(jax.grad(f))(0.7), np.cos(0.7))
    with pytest.raises(hw.MissingDerivative, match="no derivative rule"):
        jax.jit(jax.hessian(f))(0.7)


@pytest.mark.parametrize("x", [2.0, np.float32(2), 2 + 0j, np.ones(3)])
def test_a_discrete_argument_refuses_what_is_no_integer(x):
    f = hw.wrap(lambda n, x: x**n).defpartials(n=hw.discrete, x=lambda ans, n, x: n * x ** (n - 1))
    for call in (lambda: f(x, 1.5), lambda: jax.jit(f)(x, 1.5), lambda: jax.grad(f, 1)(x, 1.5)):
        with pytest.raises(hw.SignatureError, match="`n` is discrete"):
            call()


def test_unknown_wants_a_reason():
    for why in ("", None, 3):
        with pytest.raises(hw.RuleError, match="say why"):
            hw.unknown(why)


# ---- rules that are wrong


def toy():
    def wave(x, y, *, n=1):
        return np.sin(x) * y

    return hw.wrap(wave, static="n")


KINDS = {
    "defpartials": lambda f: f.defpartials(x=lambda ans, x, y, *, n: y),
    "defjvp": lambda f: f.defjvp(lambda primals, tangents, *, n: (f(*primals), None)),
    "defvjp": lambda f: f.defvjp(lambda x, y, *, n: (f(x, y), None), lambda kept, c, *, n: (c, c)),
}


@pytest.mark.parametrize("second", KINDS)
@pytest.mark.parametrize("first", KINDS)
def test_only_one_kind_of_rule_and_once(first, second):
    f = toy()
    KINDS[first](f)
    with pytest.raises(hw.RuleError, match="wave has a derivative rule already"):
        KINDS[second](f)


WRONG_ARITY = {
    "partial, too few": lambda f: f.defpartials(x=lambda ans, x: x),
    "partial, too many": lambda f: f.defpartials(x=lambda ans, x, y, z, *, n: x),
    "partial, no static": lambda f: f.defpartials(x=lambda ans, x, y: x),
    "jvp": lambda f: f.defjvp(lambda primals, *, n: primals),
    "fwd": lambda f: f.defvjp(lambda x, *, n: x, lambda kept, c, *, n: c),
    "bwd": lambda f: f.defvjp(lambda x, y, *, n: x, lambda c, *, n: c),
    "bwd, no static": lambda f: f.defvjp(lambda x, y, *, n: x, lambda kept, c: c),
}


@pytest.mark.parametrize("case", WRONG_ARITY)
def test_wrong_arity_is_refused_when_the_rule_is_attached(case):
    with pytest.raises(hw.RuleError) as error:
        WRONG_ARITY[case](toy())
    says(error, "wave", "is called as (", "but takes (", "keywords n")
    says(error, {"par": "`x`", "jvp": "jvp rule", "fwd": "fwd", "bwd": "bwd"}[case[:3]])


def test_partials_for_arguments_that_are_not_there():
    for name in ("z", "n", "ans"):
        with pytest.raises(hw.RuleError, match=rf"wave: partials given for \['{name}'\].*\['x', 'y'\]"):
            toy().defpartials(**{name: lambda ans, x, y, *, n: x})


@pytest.mark.parametrize("rule", [None, 2.0, "cos", (1, 2)])
def test_a_rule_that_is_no_function(rule):
    attach = (
        lambda: toy().defpartials(x=rule),
        lambda: toy().defjvp(rule),
        lambda: toy().defvjp(rule, lambda kept, c, *, n: c),
    )
    for attempt in attach:
        with pytest.raises(hw.RuleError, match=rf"wave: .* must be a function, got {type(rule).__name__}"):
            attempt()


BAD_PARTIALS = [None, "cos", jnp.ones(3), (1.0, 2.0), {"x": 1.0}, object()]


@pytest.mark.parametrize("value", BAD_PARTIALS, ids=lambda v: type(v).__name__)
@pytest.mark.parametrize("signature", ["()->()", "(n)->()", "()->(),()"])
def test_a_partial_that_is_no_derivative(signature, value):
    def wave(x):
        return (np.sin(x).sum(),) * (2 if signature == "()->(),()" else 1)

    f = hw.wrap(signature)(lambda x: wave(x) if signature == "()->(),()" else wave(x)[0])
    f.defpartials(x=lambda ans, x: value)
    if signature == "()->(),()" and isinstance(value, tuple):
        same(jax.jacfwd(f)(1.0), value)
        return
    x = np.ones(2) if signature == "(n)->()" else 1.0
    for mode in (jax.jacfwd, jax.jacrev):
        with pytest.raises(hw.RuleError) as error:
            jax.jit(mode(f))(x)
        says(error, "<lambda>", "`x`")


def test_a_jacobian_of_the_wrong_shape_says_which_is_right():
    f = hw.wrap("(m,n),(n)->(m)")(lambda A, b: A @ b)
    f.defpartials(b=lambda y, A, b: A.T)
    with pytest.raises(hw.RuleError) as error:
        jax.jacfwd(f, 1)(np.ones((2, 3)), np.ones(3))
    says(error, "<lambda>", "`b`", "(2,) + (3,)", "(3, 2)")


BAD_JVP = {
    "no pair": (lambda y: y, "(answer, tangent)"),
    "three": (lambda y: (y, y, y), "(answer, tangent)"),
    "wrong shape": (lambda y: (y, jnp.ones(3)), "has shape (3,), expected ()"),
    "wrong structure": (lambda y: (y, (y, y)), "structure"),
}


@pytest.mark.parametrize("case", BAD_JVP)
def test_a_jvp_rule_that_returns_something_else(case):
    result, words = BAD_JVP[case]
    f = hw.wrap(lambda x: np.sin(x))
    f.defjvp(lambda primals, tangents: result(f(*primals)))
    with pytest.raises(hw.RuleError) as error:
        jax.jit(jax.jacfwd(f))(1.0)
    says(error, "<lambda>", words)


BAD_VJP = {
    "too few": (lambda c: (c,), "x, y"),
    "too many": (lambda c: (c, c, c), "x, y"),
    "no tuple": (lambda c: c, "x, y"),
    "wrong shape": (lambda c: (c, jnp.ones(3)), "cotangent of `y` has shape (3,), expected ()"),
    "wrong structure": (lambda c: ((c, c), c), "cotangent of `x` has structure"),
}


@pytest.mark.parametrize("case", BAD_VJP)
def test_a_vjp_rule_that_returns_something_else(case):
    result, words = BAD_VJP[case]
    f = hw.wrap(lambda x, y: x * y)
    f.defvjp(lambda x, y: (f(x, y), None), lambda kept, c: result(c))
    with pytest.raises(hw.RuleError) as error:
        jax.jit(jax.grad(f))(1.0, 2.0)
    says(error, "<lambda>", words)


def test_a_fwd_that_returns_no_pair():
    f = hw.wrap(lambda x: x)
    f.defvjp(lambda x: f(x), lambda kept, c: (c,))
    with pytest.raises(hw.RuleError, match=r"<lambda>: fwd must return \(answer, residuals\)"):
        jax.jit(jax.grad(f))(1.0)

"""Rules on the host that are wrong, and derivatives that are not there: what is raised, when, and what it says."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hostwrap as hw
from tests._kit.constructs import X, Y, f, hessian, hvp, jacobian, jvp, vjp
from tests._kit.toys import same


def fresh(**options):
    return hw.wrap(lambda x, y: f(x, y), signature="(3),(2)->(4)", **options)


def says(error, *words):
    for word in words:
        assert word in str(error.value), f"{word!r} is not in: {error.value}"


# ---- attached wrongly

ATTACH = {
    "defhost": lambda f: f.defhost(jvp=jvp, vjp=vjp),
    "defjacobian": lambda f: f.defjacobian(jacobian),
    "defvalue_and_grad": lambda g: g.defvalue_and_grad(lambda x, y: (f(x, y), jacobian(x, y))),
    "defpartials": lambda f: f.defpartials(x=lambda ans, x, y: y),
}


@pytest.mark.parametrize("second", ATTACH)
@pytest.mark.parametrize("first", ATTACH)
def test_one_kind_of_rule_and_once(first, second):
    function = fresh()
    ATTACH[first](function)
    with pytest.raises(hw.RuleError, match="has a derivative rule already"):
        ATTACH[second](function)


WRONG = {
    "nothing": (lambda f: f.defhost(), "defhost wants jvp=, vjp= or both"),
    "hvp alone": (lambda f: f.defhost(hvp=hvp), "defhost wants jvp=, vjp= or both"),
    "no function": (lambda f: f.defhost(jvp="cos"), "the jvp rule must be a function, got str"),
    "vjp arity": (
        lambda f: f.defhost(vjp=lambda c: c),
        "is called as (primals, cotangent), but takes (c)",
    ),
    "hvp arity": (
        lambda f: f.defhost(vjp=vjp, hvp=lambda p, t: t),
        "(primals, tangents, cotangent), but takes (p, t)",
    ),
    "stranger": (
        lambda f: f.defhost(jvp=jvp, z=hw.unknown("no")),
        "z given by keyword; the arguments are ['x', 'y']",
    ),
    "no unknown": (lambda f: f.defhost(jvp=jvp, y=0), "`y=` is for hw.unknown(why) or hw.discrete, got int"),
    "vmap_method": (lambda f: f.defhost(jvp=jvp, vmap_method="loop"), "vmap_method='loop' must be one of"),
    "jacobian": (lambda f: f.defjacobian(None), "the Jacobian must be a function, got NoneType"),
    "jacobian arity": (
        lambda f: f.defjacobian(lambda x: x),
        "the Jacobian is called as (x, y), but takes (x)",
    ),
    "hessian arity": (
        lambda f: f.defjacobian(jacobian, hessian=lambda x: x),
        "the hessian is called as (x, y)",
    ),
    "value arity": (
        lambda f: f.defvalue_and_grad(lambda x: x),
        "the value_and_grad rule is called as (x, y)",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_no_rule_is_refused_at_once(case):
    attach, words = WRONG[case]
    with pytest.raises(hw.RuleError) as error:
        attach(fresh())
    says(error, "<lambda>: ", words)


# ---- derivatives that are not there


@pytest.mark.parametrize("compiled", [lambda g: g, jax.jit], ids=["eager", "jit"])
@pytest.mark.parametrize(
    ("given", "works", "missing", "words"),
    [
        ({"jvp": jvp}, jax.jacfwd, jax.jacrev, "defhost was given jvp= only; for reverse mode add vjp="),
        ({"vjp": vjp}, jax.jacrev, jax.jacfwd, "defhost was given vjp= only; for forward mode add jvp="),
    ],
    ids=["jvp", "vjp"],
)
def test_one_rule_serves_one_mode(given, works, missing, words, compiled):
    function = fresh().defhost(**given)
    same(compiled(works(function, (0, 1)))(X, Y), jacobian(X, Y), 1e-12)
    same(compiled(jax.vmap(works(function, 1), (None, 0)))(X, jnp.stack([Y, Y]))[1], jacobian(X, Y)[1], 1e-12)
    for wanted, name in ((0, "x"), (1, "y")):
        with pytest.raises(hw.MissingDerivative) as error:
            compiled(missing(function, wanted))(X, Y)
        says(error, f"there is no derivative with respect to `{name}`", words, f"stop_gradient({name})")


SECOND = {
    "defhost": (lambda f: f.defhost(jvp=jvp, vjp=vjp), "defhost was given no hvp=; add it"),
    "defjacobian": (lambda f: f.defjacobian(jacobian), "no hessian= was given beside the Jacobian; add it"),
    "defvalue_and_grad": (
        lambda g: g.defvalue_and_grad(lambda x, y: (f(x, y), jacobian(x, y))),
        "no hessian= was given beside the Jacobian",
    ),
}


@pytest.mark.parametrize("outer", [jax.jacfwd, jax.jacrev])
@pytest.mark.parametrize("inner", [jax.jacfwd, jax.jacrev])
@pytest.mark.parametrize("kind", SECOND)
def test_second_derivatives_that_were_not_given(kind, inner, outer):
    attach, words = SECOND[kind]
    function = fresh()
    attach(function)
    same(jax.jit(inner(function))(X, Y), jacobian(X, Y)[0], 1e-12)
    with pytest.raises(hw.MissingDerivative) as error:
        jax.jit(outer(inner(function), 1))(X, Y)
    says(error, "there is no second derivative with respect to `y`", words)


THIRD = {
    "defhost": lambda f: f.defhost(jvp=jvp, vjp=vjp, hvp=hvp),
    "defjacobian": lambda f: f.defjacobian(jacobian, hessian=hessian),
}


@pytest.mark.parametrize("kind", THIRD)
def test_third_derivatives(kind):
    function = fresh()
    THIRD[kind](function)
    for outer in (jax.jacfwd, jax.jacrev):
        with pytest.raises(hw.MissingDerivative, match="there is no third derivative with respect to `x`"):
            jax.jit(outer(jax.hessian(function)))(X, Y)


EXCLUDED = {
    "defhost": lambda f, **why: f.defhost(jvp=jvp, vjp=vjp, **why),
    "defjacobian": lambda f, **why: f.defjacobian(jacobian, **why),
}


@pytest.mark.parametrize("kind", EXCLUDED)
def test_an_argument_without_a_derivative(kind):
    function = fresh()
    EXCLUDED[kind](function, y=hw.unknown("the simulator has none"))
    for mode in (jax.jacfwd, jax.jacrev):
        same(jax.jit(mode(function))(X, Y), jacobian(X, Y)[0], 1e-12)
        with pytest.raises(hw.MissingDerivative, match="with respect to `y`: the simulator has none"):
            jax.jit(mode(function, (0, 1)))(X, Y)


def test_a_discrete_argument_takes_integers():
    function = hw.wrap("(n),()->(n)")(lambda x, k: x**k)
    function.defhost(jvp=lambda p, t: p[1] * p[0] ** (p[1] - 1) * t[0], k=hw.discrete)
    same(jax.jacfwd(function)(X, 3), np.diag(3 * X**2))
    with pytest.raises(hw.SignatureError, match="`k` is discrete: pass integers, not float64"):
        function(X, 3.0)


@pytest.mark.parametrize("kind", ["vjp", "jacobian", "value"])
def test_none_for_what_is_needed_is_a_missing_derivative(kind):
    function = fresh()
    if kind == "vjp":
        function.defhost(vjp=lambda p, c: (vjp(p, c)[0], None))
    elif kind == "jacobian":
        function.defjacobian(lambda x, y: (jacobian(x, y)[0], None))
    else:
        function.defvalue_and_grad(lambda x, y: (f(x, y), (jacobian(x, y)[0], None)))
    same(jax.jacrev(function)(X, Y), jacobian(X, Y)[0], 1e-12)
    with pytest.raises(hw.MissingDerivative, match=r"with respect to `y`: the .* returned None for it"):
        jax.jacrev(function, 1)(X, Y)


def test_a_missing_derivative_is_never_nan():
    """on_error="nan" is for a host function that fails."""
    function = fresh(on_error="nan").defhost(vjp=lambda p, c: (None, None))
    with pytest.raises(Exception, match="the vjp rule returned None for it"):
        jax.block_until_ready(jax.jit(jax.grad(lambda x: function(x, Y).sum()))(X))


# ---- what a rule returns

RETURNED = {
    "jvp, shape": (
        {"jvp": lambda p, t: np.ones(3)},
        "the tangent of the answer is declared with shape (4,)",
        "(3,)",
    ),
    "jvp, complex": (
        {"jvp": lambda p, t: 1j * np.ones(4)},
        "declared float64",
        "complex128",
        "take the real part",
    ),
    "jvp, None": ({"jvp": lambda p, t: None}, "the jvp rule's tangent is None"),
    "jvp, pair": (
        {"jvp": lambda p, t: (np.ones(4), np.ones(4))},
        "declared with shape (4,)",
        "returned (2, 4)",
    ),
    "vjp, shape": (
        {"vjp": lambda p, c: (np.ones(2), p[1])},
        "the cotangent of `x` is declared with shape (3,)",
        "(2,)",
    ),
    "vjp, complex": (
        {"vjp": lambda p, c: (p[0] + 1j, p[1])},
        "the cotangent of `x` is declared float64",
        "complex128",
    ),
    "vjp, text": ({"vjp": lambda p, c: ("abc", p[1])}, "the cotangent of `x` is declared with shape (3,)"),
    "vjp, one": (
        {"vjp": lambda p, c: (p[0],)},
        "must return a tuple with a cotangent (or None) for each of x, y",
        "1 of",
    ),
    "vjp, no tuple": ({"vjp": lambda p, c: p[0]}, "must return a tuple with a cotangent", "got ndarray"),
}


@pytest.mark.parametrize("case", RETURNED)
def test_a_rule_that_returns_something_else(case):
    rules, *words = RETURNED[case]
    function = fresh().defhost(**rules)
    mode = jax.jacfwd if "jvp" in rules else jax.jacrev
    with pytest.raises((hw.RuleError, hw.ResultError)) as error:
        mode(function)(X, Y)
    says(error, "<lambda>", f"the {case[:3]} rule", *words)
    with pytest.raises(Exception) as compiled:
        jax.block_until_ready(jax.jit(mode(function))(X, Y))
    says(compiled, *words)


BLOCKS = {
    "shape": (
        lambda x, y: (np.ones((3, 4)), None),
        "with respect to `x` is declared with shape (4, 3)",
        "(3, 4)",
    ),
    "no tuple": (
        lambda x, y: np.ones((4, 3)),
        "must return a tuple with a Jacobian (or None) for each of x, y",
        "ndarray",
    ),
    "complex": (lambda x, y: (1j * np.ones((4, 3)), None), "declared float64", "complex128"),
}


@pytest.mark.parametrize("with_value", [False, True])
@pytest.mark.parametrize("case", BLOCKS)
def test_a_jacobian_that_is_none(case, with_value):
    rule, *words = BLOCKS[case]
    function = fresh()
    if with_value:
        function.defvalue_and_grad(lambda x, y: (f(x, y), rule(x, y)))
    else:
        function.defjacobian(rule)
    for mode in (jax.jacfwd, jax.jacrev):
        with pytest.raises((hw.RuleError, hw.ResultError)) as error:
            mode(function)(X, Y)
        says(error, "<lambda>", *words)


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (lambda x, y: jacobian(x, y)[0], "must return (value, gradients), got ndarray"),
        (lambda x, y: (1, 2, 3), "must return (value, gradients), got 3 of them"),
        (
            lambda x, y: (np.ones(3), jacobian(x, y)),
            "the value is declared with shape (4,), the host function returned (3,)",
        ),
    ],
)
def test_a_value_and_grad_that_returns_something_else(rule, words):
    function = fresh()
    function.defvalue_and_grad(rule)
    with pytest.raises((hw.RuleError, hw.ResultError)) as error:
        jax.jacrev(function)(X, Y)
    says(error, words)


def test_a_hessian_of_the_wrong_shape():
    function = fresh()
    function.defjacobian(jacobian, hessian=lambda x, y: ((np.ones((4, 3)), None), (None, None)))
    with pytest.raises(hw.ResultError) as error:
        jax.jacfwd(jax.jacfwd(function))(X, Y)
    says(error, "the Hessian with respect to `x` and `x` is declared with shape (4, 3, 3)", "(4, 3)")


def test_trees_of_the_wrong_structure():
    function = hw.wrap(out=lambda p: {"a": p["x"], "b": p["x"]})(lambda p: {"a": p["x"], "b": 2 * p["x"]})
    function.defhost(jvp=lambda p, t: (t[0]["x"], t[0]["x"]), vjp=lambda p, c: (c["a"],))
    with pytest.raises(hw.RuleError, match="the jvp rule's tangent has structure"):
        jax.jvp(function, ({"x": 1.0},), ({"x": 1.0},))
    with pytest.raises(hw.RuleError, match="the vjp rule's cotangent of `p` has structure"):
        jax.vjp(function, {"x": 1.0})[1]({"a": 1.0, "b": 1.0})


def test_a_real_function_of_a_complex_argument_has_no_jacobian():
    function = hw.wrap("(n)->()", dtype=float)(lambda z: np.sum(np.abs(z) ** 2))
    function.defjacobian(lambda z: 2 * z.real)
    with pytest.raises(
        hw.RuleError, match=r"`z` is complex and the result real, so it is not holomorphic.*defhost"
    ):
        jax.jvp(function, (X + 1j,), (X + 0j,))


def test_a_transpose_in_an_argument_that_is_not_linear():
    function = fresh().defhost(jvp=jvp, vjp=vjp)
    with pytest.raises(hw.RuleError, match="it is not linear in its arguments"):
        jax.linear_transpose(lambda x: function(x, Y), X)(np.ones(4))


# ---- an exception in a rule


def test_an_exception_in_a_rule_names_the_rule_and_its_arguments():
    def failing(primals, cotangent):
        raise ValueError("did not converge")

    function = fresh().defhost(vjp=failing)
    with pytest.raises(ValueError, match="did not converge"):
        jax.grad(lambda x: function(x, Y).sum())(X)
    with pytest.raises(Exception, match="did not converge"):
        jax.block_until_ready(jax.jit(jax.grad(lambda x: function(x, Y).sum()))(X))
    says(
        type("E", (), {"value": hw.last_error()}), "<lambda>, the vjp rule: the host function raised ValueError",
        "x: float64[3]", "cotangent: float64[4]",
    )  # fmt: skip


def test_jax_in_a_rule_is_refused():
    function = fresh().defhost(vjp=lambda p, c: (jnp.cos(p[0]), p[1]))
    with pytest.raises(hw.HostCallError, match="the vjp rule: the host function used JAX"):
        jax.grad(lambda x: function(x, Y).sum())(X)

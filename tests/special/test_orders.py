"""`orders=`, and entries that are made by functions: their rules, definitions and texts."""

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import pytest

import hostwrap.special as sc
from hostwrap.special._entry import CATALOGUE, real, special
from hostwrap.special._orders import orders
from hostwrap.special._source import body, text
from tests.reference.bindings import bound
from tests.reference.source import full_text


@pytest.fixture
def catalogue():
    """The catalogue, as it was before when the test is over."""
    before = dict(CATALOGUE)
    yield CATALOGUE
    CATALOGUE.clear()
    CATALOGUE.update(before)


def powers(a, x, *, da, dx):
    """The derivatives of exp(a x), da times in a and dx times in x."""
    total = 0.0
    for k in range(min(da, dx) + 1):
        falling = np.prod([da - m for m in range(k)]) * np.prod([dx - m for m in range(k)])
        total = total + falling / np.prod(np.arange(1, k + 1)) * x ** (da - k) * a ** (dx - k)
    return total * np.exp(a * x)


def growth(**given):
    return special(
        "growth(a, x)",
        host=lambda a, x: np.where(x > 3, np.nan, np.exp(a * x)),
        orders=orders(powers, **given),
        ref=lambda mp, a, x: mp.exp(a * x),
        a=real(0, 2),
        x=real(0, 3),
        see="here",
    )


def test_all_derivatives_come_from_one_function(catalogue):
    f = growth()
    assert catalogue["growth_n"] is f.derivatives and not f.derivatives.public
    assert body(f.rules["x"]) == "known(y, growth_n(a, x, da=0, dx=1))"
    assert body(f.derivatives.rules["a"]) == "growth_n(a, x, da=da + 1, dx=dx)"
    third = jax.grad(jax.grad(jax.grad(f, 0), 1), 1)(0.5, 1.5)
    exact = mpmath.diff(lambda a, x: mpmath.exp(a * x), (0.5, 1.5), (1, 2))
    assert float(third) == pytest.approx(float(exact), rel=1e-12)


def test_the_derivative_is_nan_where_the_function_is(catalogue):
    f = growth()
    assert np.isnan(jax.grad(f, 1)(0.5, 4.0)) and np.isfinite(f.derivatives(0.5, 4.0, da=0, dx=1))


def test_the_definition_of_the_derivatives_is_that_of_the_function_differentiated(catalogue):
    f = growth()
    with mpmath.workdps(40):
        found = f.derivatives.ref(mpmath.mp, mpmath.mpf("0.5"), mpmath.mpf("1.5"), da=1, dx=2)
        exact = mpmath.diff(lambda a, x: mpmath.exp(a * x), (mpmath.mpf("0.5"), mpmath.mpf("1.5")), (1, 2))
        assert abs(found - exact) < mpmath.mpf(10) ** -30
    assert "mp.exp(a * x)" in full_text(f.derivatives.ref)  # of which the fingerprint is made


def test_a_function_of_other_keywords_is_refused(catalogue):
    with pytest.raises(
        TypeError, match=r"growth: orders= takes a function with a keyword d<argument> .* \['n'\]"
    ):
        special("growth(a, x)", host=np.exp, orders=orders(lambda a, x, *, n: a), ref=lambda mp, a, x: a)


def test_an_argument_that_is_not_counted_needs_a_rule(catalogue):
    with pytest.raises(TypeError, match=r"every argument of \('a', 'x'\) needs a rule; there are \['x'\]"):
        special(
            "growth(a, x)",
            host=lambda a, x: a * x,
            orders=orders(lambda a, x, *, dx: x),
            ref=lambda mp, a, x: a,
            a=real(0, 1),
            x=real(0, 1),
            see="here",
        )


def made(name, factor, other):
    function = special(
        f"{name}(x)",
        host=lambda x: factor * np.sin(x),
        dx=lambda y, x: factor * other(x) + 0 * function(x),
        ref=lambda mp, x: factor * mp.sin(x),
        x=real(0, 1),
        see="here",
    )
    return function


def test_what_comes_from_a_closure_is_written_out(catalogue):
    f = made("twice", 2, sc.cbrt)
    assert text(f.rules["x"]) == "lambda y, x: 2 * cbrt(x) + 0 * twice(x)"
    assert full_text(made("thrice", 3, sc.cbrt).ref) != full_text(f.ref)  # nor do they share a fingerprint


def test_a_rule_with_a_closure_is_read_in_mpmath(catalogue):
    rule = bound(made("twice", 2, sc.cbrt).rules["x"])
    with mpmath.workdps(40):
        x = mpmath.mpf("0.3")
        assert abs(rule(0, x) - 2 * mpmath.cbrt(x)) < mpmath.mpf(10) ** -35


def test_several_results_are_nan_one_by_one():
    modified = sc.mathieu_modcem1
    assert body(modified.rules["q"]) == "all_known(y, mathieu_modcem1_n(m, q, x, dq=1, dx=0))"
    slope = jax.jvp(lambda q: modified(2, q, 1.0), (jnp.float64(3.0),), (jnp.float64(1.0),))[1]
    assert all(np.isfinite(part) for part in slope)

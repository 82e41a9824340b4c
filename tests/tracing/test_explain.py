"""`explain` says where derivatives come from; `to_jax` is the traced code alone."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.special

import hostwrap as hw
from tests._kit.toys import same


def wave(x, k):
    return np.sin(k * x) + scipy.special.gammaln(x)


def branch(x):
    return x**2 if x > 0 else -x


def refused(x):
    return x + np.random.normal()  # noqa: NPY002


def test_explain_names_the_way_and_what_was_replaced():
    traced = hw.explain(hw.wrap(wave), 0.3, 2.0)
    assert traced.way == "traced" and traced.replaced["numpy.sin"] == "jax.numpy.sin"
    assert traced.replaced["scipy.special.gammaln"].startswith("hostwrap.special")
    assert "wave: derivatives by its own code, traced into JAX" in str(traced) and "->  jax.numpy.sin" in str(
        traced
    )
    recorded = hw.explain(hw.wrap(branch, vmap_method="sequential"), 2.0)
    assert recorded.way == "recorded" and "if x > 0" in recorded.why
    none = hw.explain(hw.wrap(refused), 2.0)
    assert none.way == "none" and "a random number" in none.why
    for f, way in (
        (hw.wrap(wave, derivatives="rules"), "none"),
        (hw.wrap(wave, numerical=True), "numerical"),
        (hw.wrap(branch).defjvp(lambda p, t: (p[0], t[0])), "rule"),
        (hw.wrap(branch, effect="io"), "none"),
    ):
        assert hw.explain(f, 2.0, 1.0).way == way if f.__name__ == "wave" else hw.explain(f, 2.0).way == way
    with pytest.raises(
        hw.RuleError, match=r"explain: expected a function made by hostwrap.wrap, got function"
    ):
        hw.explain(wave, 1.0)


def test_to_jax_stays_on_the_device():
    f = hw.to_jax(hw.wrap(lambda x, k: np.sin(k * x) / (1 + x)))
    x = np.linspace(0.1, 1, 3)
    same(jax.jit(f)(x, 2.0), np.sin(2 * x) / (1 + x), 1e-14)
    same(jax.jit(jax.vmap(jax.grad(f), (0, None)))(x, 0.0), np.zeros(3), 1e-14)
    assert "host" not in str(jax.make_jaxpr(f)(x, 2.0))
    norm = hw.to_jax(hw.wrap("(n)->()")(lambda v: np.linalg.norm(v)))
    same(jax.vmap(norm)(jnp.eye(3)), np.ones(3), 1e-14)


def test_to_jax_refuses_what_calls_the_host_and_what_cannot_be_traced():
    f = hw.wrap(wave)
    words = r"to_jax: wave calls the host, by hostwrap.special.gammaln; to_jax\(f, host=True\) permits it"
    with pytest.raises(hw.RuleError, match=words):
        hw.to_jax(f)(0.3, 2.0)
    same(hw.to_jax(f, host=True)(0.3, 2.0), wave(0.3, 2.0), 1e-14)
    with pytest.raises(hw.RuleError, match=r"to_jax: branch cannot be traced: a branch, .* if x > 0"):
        hw.to_jax(hw.wrap(branch))(1.0)

"""Functions by value, as joblib, dask and ray send them: what is decorated in `__main__`, lambdas, and closures."""

import copy
import pickle
import subprocess
import sys

import jax
import numpy as np
import pytest

import hostwrap as hw

cloudpickle = pytest.importorskip("cloudpickle")

SENDER = """
import sys
import cloudpickle, jax, jax.numpy as jnp, numpy as np, pickle
import hostwrap as hw
jax.config.update("jax_enable_x64", True)

@hw.wrap
def wave(v, x, flip=False):
    return np.sin(v * x) * (-1 if flip else 1)
wave.defpartials(v=lambda ans, v, x, *, flip: x * jnp.cos(v * x) * (-1 if flip else 1), x=hw.unknown("a test"))

@hw.wrap("(n)->()", vmap_method="sequential")
def energy(x):
    return energy_by_hand(x)

def energy_by_hand(x):
    return (x ** 2).sum()

energy.defvalue_and_grad(lambda x: (energy_by_hand(x), 2 * x))

@hw.wrap
def shifted(v, x):  # by itself, one order less
    return np.cos(x + v)
shifted.defpartials(v=lambda ans, v, x: shifted(v + np.pi / 2, x), x=lambda ans, v, x: shifted(v + np.pi / 2, x))

@hw.linear("(3)->(2)", transpose=lambda c: np.ones((2, 3)).T @ c)
def ones(x):
    return np.ones((2, 3)) @ x

root = hw.wrap(lambda a: np.sqrt(a)).defimplicit(lambda y, a: y * y - a)
loss = lambda x: (wave(1.5, x, flip=True) + energy(jnp.stack([x, x])))
assert pickle.loads(pickle.dumps(wave)) is wave  # by name, as ever, in its own process
with open(sys.argv[1], "wb") as file:
    cloudpickle.dump((wave, energy, shifted, ones, root, loss, hw.special.kv), file)
"""
RECEIVER = """
import pickle, sys
import jax, jax.numpy as jnp, numpy as np
jax.config.update("jax_enable_x64", True)
with open(sys.argv[1], "rb") as file:
    wave, energy, shifted, ones, root, loss, kv = pickle.load(file)
import hostwrap as hw
print(repr([float(jax.jit(g)(0.7)) for g in (
    lambda v: wave(v, 2.0), jax.grad(lambda v: wave(v, 2.0)), jax.grad(lambda x: energy(x * jnp.ones(2))),
    jax.grad(jax.grad(lambda v: shifted(v, 0.2))), jax.grad(lambda x: ones(x * jnp.ones(3)).sum()), jax.grad(root),
    loss, lambda x: kv(1.0, x),
)]))
try:
    jax.grad(wave, 1)(1.0, 1.0)
except hw.MissingDerivative as error:
    print(str(error)[:60])
"""


@pytest.mark.subprocess
def test_functions_of_main_lambdas_and_closures_work_in_another_process(tmp_path):
    file = str(tmp_path / "functions")
    for code in (SENDER, RECEIVER):
        script = tmp_path / "script.py"
        script.write_text(code)
        done = subprocess.run(
            [sys.executable, str(script), file], capture_output=True, text=True, timeout=300
        )
        assert done.returncode == 0, done.stderr
    values, missing = done.stdout.splitlines()
    expected = [np.sin(1.4), 2 * np.cos(1.4), 4 * 0.7, -np.cos(0.9), 6.0, 0.5 / np.sqrt(0.7)]
    expected += [-np.sin(1.05) + 2 * 0.7**2, float(hw.special.kv(1.0, 0.7))]
    np.testing.assert_allclose(eval(values), expected, rtol=1e-14)
    assert missing == "wave: there is no derivative with respect to `x`: a test. If"


def test_options_and_rules_come_along():
    scale = 3.0
    f = hw.wrap(static="n", dtype=complex, thread_safe=True)(lambda x, n=1: scale * x**n + 0j)
    f.defjvp(
        lambda primals, tangents, n: (f(*primals, n=n), scale * n * primals[0] ** (n - 1) * tangents[0] + 0j)
    )
    g = cloudpickle.loads(cloudpickle.dumps(f))
    assert g is not f and g._options == f._options and g.__name__ == f.__name__
    assert g(2.0, n=2) == 12 and g(2.0).dtype == complex
    assert jax.jit(lambda x: jax.jvp(lambda x: g(x, n=3), (x,), (1.0,))[1])(2.0) == 36


def named(x):
    return x


named = hw.wrap(named)


def test_what_has_a_name_is_pickled_by_it_and_copies_are_the_function_itself(monkeypatch):
    monkeypatch.setitem(sys.modules, named.__module__, sys.modules[__name__])
    assert pickle.loads(pickle.dumps(named)) is named
    assert cloudpickle.loads(cloudpickle.dumps(named)) is named
    f = hw.wrap(lambda x: x)
    assert copy.copy(f) is f and copy.deepcopy({"f": f})["f"] is f
    with pytest.raises((AttributeError, pickle.PicklingError), match="lambda"):
        pickle.dumps(f)


@hw.wrap
def _slope(x):
    return np.exp(x) if x > 0 else 1 + x


_ruled = hw.wrap(lambda x: np.sin(x))
_ruled.defpartials(x=lambda ans, x: jax.numpy.cos(x))
_doubled = hw.linear(lambda x: 2 * x, transpose=lambda c: 2 * c)


@pytest.mark.parametrize(
    "f", [_slope, _ruled, _doubled, hw.special.j0, hw.stats.norm.pdf], ids=lambda f: f.__name__
)
@pytest.mark.parametrize("of", [jax.grad, jax.value_and_grad, jax.hessian, jax.named_call])
def test_what_jax_makes_of_a_function_is_sent_too(f, of):
    """functools.wraps copies the attributes of the function to it."""
    sent = cloudpickle.dumps(of(f))
    assert len(sent) < 20_000
    assert jax.tree.all(jax.tree.map(np.array_equal, cloudpickle.loads(sent)(0.5), of(f)(0.5)))

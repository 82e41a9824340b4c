"""Wrapped functions inside host functions: refused before anything happens; where they are allowed, never a hang."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hostwrap as hw
from hostwrap import special
from tests._kit.toys import each_lane  # noqa: F401

lanes = pytest.mark.usefixtures("each_lane")


@lanes
@pytest.mark.parametrize("options", [{}, {"allow_jax": True}, {"effect": "io"}], ids=str)
def test_one_inside_another_is_refused_before_it_runs(options):
    seen = []
    inner = hw.wrap(out=lambda x: x, **options)(lambda x: (seen.append(1), x)[1])
    outer = hw.wrap(lambda x: np.asarray(inner(x)))
    for call in (outer, lambda x: jax.block_until_ready(jax.jit(outer)(x))):
        with pytest.raises((hw.HostCallError, jax.errors.JaxRuntimeError), match="used JAX"):
            call(np.ones(3))
    assert not seen
    np.testing.assert_array_equal(inner(np.ones(3)), np.ones(3))  # outside it runs
    assert len(seen) == 1


def test_the_error_names_both():
    outer = hw.wrap(lambda x: np.asarray(special.gammaln(x)))
    with pytest.raises(
        hw.HostCallError, match=r"<lambda>: the host function used JAX \(it called gammaln, which is"
    ):
        outer(np.ones(3))


MUTUAL = """
import sys, threading, time, jax, jax.numpy as jnp, numpy as np, hostwrap as hw
jax.config.update("jax_enable_x64", True)

@hw.wrap("(n)->(n)", allow_jax=True)
def f(x):
    time.sleep(0.2)
    return np.asarray(g(x)) + 1 if x[0] > 0 else x

@hw.wrap("(n)->(n)", allow_jax=True)
def g(x):
    time.sleep(0.2)
    return np.asarray(f(x - 1)) + 1 if x[0] > 0 else x

f.__call__(np.zeros(3))
got = {}
def run(name, F):
    got[name] = np.asarray(F(np.ones(3) * 2))

# each begins with another one of them, and holds it when it comes to the next
threads = [threading.Thread(target=run, args=(k, F), daemon=True) for k, F in enumerate(FUNCTIONS)]
for t in threads:
    t.start()
for t in threads:
    t.join(40)
    assert not t.is_alive(), "a hang"
assert all((y[0] == 4) == (k % 2 == 0) for k, y in got.items()), got
np.testing.assert_array_equal(f(np.ones(3)), [2, 2, 2])  # nobody holds a lock any more
print("done", flush=True)
import os
os._exit(0)
"""


@pytest.mark.subprocess
@pytest.mark.parametrize("functions", ["f, g", "f, g, f, g", "jax.jit(f), jax.jit(g)"])
def test_two_that_call_each_other_in_threads_do_not_wait_for_each_other(fresh_python, functions):
    code = MUTUAL.replace("FUNCTIONS", f"[{functions}]")
    assert "done" in fresh_python(code, timeout=100)


@lanes
def test_eager_calls_transfer_nothing_unasked():
    """`jax.transfer_guard` takes what is put on a device outright, and refuses what slips there."""
    f = hw.wrap("(n)->(n),()")(lambda x: (x + 1, x.sum()))
    x = jax.device_put(np.ones(3), jax.devices()[0])
    with jax.transfer_guard("disallow"):
        for argument in (x, np.ones(3)):
            np.testing.assert_array_equal(jax.device_get(f(argument)[0]), [2, 2, 2])
            np.testing.assert_array_equal(jax.device_get(special.gammaln(argument)), [0, 0, 0])
        assert f(x)[0].devices() == x.devices()
    assert jnp.shape(f(x)[1]) == ()

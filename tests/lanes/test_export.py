"""Programs that call the host, in files: exported, read by a process of its own; and in JAX's compilation cache."""

import jax
import numpy as np
import pytest
from jax import export as jax_export

import hostwrap as hw
from hostwrap import special

pytestmark = [
    pytest.mark.native,
    pytest.mark.subprocess,
]

MODULE = """
import jax.numpy as jnp, numpy as np, hostwrap as hw

@hw.wrap(static="power")
def scaled(x, y, power=1):
    return np.sin(x) ** power * y

scaled.defpartials(
    x=lambda ans, x, y, power: power * jnp.sin(x) ** (power - 1) * jnp.cos(x) * y,
    y=lambda ans, x, y, power: jnp.sin(x) ** power,
)

@hw.wrap("(n,n),(n)->(n)")
def solve(a, b):
    return np.linalg.solve(a, b)

@hw.wrap(out=lambda tree: {"sum": tree["a"]}, vmap_method="sequential")
def add(tree):
    return {"sum": tree["a"] + tree["b"]}
"""

PROGRAM = """
import jax, jax.numpy as jnp, numpy as np, simulator, hostwrap as hw
from hostwrap import special
jax.config.update("jax_enable_x64", True)

def g(x):
    small, fixed = x.astype(jnp.float32), jax.lax.stop_gradient(x)
    return (
        simulator.scaled(x, 2.0, power=3), jax.grad(lambda x: simulator.scaled(x, 2.0, power=2).sum())(x),
        simulator.solve(jnp.diag(fixed), fixed), simulator.add({"a": fixed, "b": 1 + fixed})["sum"],
        special.jv(2.5, x), jax.grad(lambda x: special.jv(2.5, x).sum())(x),
        special.kv(x, 2.0), jax.grad(lambda v: special.kv(v, 2.0).sum())(x),
        special.gammainc(small, 2.0), jax.grad(lambda a: special.gammainc(a, jnp.float32(2)).sum())(small),
    )

x = jnp.array([0.5, 1.5, 2.5])
"""


@pytest.fixture
def simulator(tmp_path):
    (tmp_path / "simulator.py").write_text(MODULE)
    return tmp_path


WRITE = """
exported = hw.export(jax.jit(g))(x)
open("program", "wb").write(exported.serialize(vjp_order=1))
np.savez("results", *jax.tree.leaves(jax.jit(g)(x)))
"""
READ = """
import sys, jax, numpy as np, hostwrap as hw
jax.config.update("jax_enable_x64", True)
program = hw.deserialize(open("program", "rb").read())
x = np.array([0.5, 1.5, 2.5])
"""
SAME = """
import simulator
results = np.load("results.npz")
for got, name in zip(program.call(x), results.files, strict=True):
    np.testing.assert_array_equal(got, results[name])
"""


@pytest.mark.rotating
def test_another_process_gets_the_same_bits(simulator, fresh_python):
    fresh_python(PROGRAM + WRITE)
    fresh_python(READ + SAME)
    said = fresh_python(READ + "try:\n    program.call(x)\nexcept Exception as error:\n    print(error)")
    assert "this process has no host function" in said and "'simulator', 'scaled'" in said
    assert "import the module that defines it" in said


def test_sizes_may_be_symbols():
    def g(x, m):
        return special.jv(2.5, x), special.kv(x, m), jax.grad(lambda v: special.kv(v, 2.0).sum())(x)

    (n,) = jax_export.symbolic_shape("n")
    x, m = jax.ShapeDtypeStruct((n,), np.float64), jax.ShapeDtypeStruct((4, n), np.float64)
    program = hw.deserialize(hw.export(jax.jit(g))(x, m).serialize())
    for size in (1, 3, 200):
        args = np.linspace(0.5, 2, size), np.linspace(0.5, 2, 4 * size).reshape(4, size)
        for got, want in zip(program.call(*args), jax.jit(g)(*args), strict=True):
            np.testing.assert_array_equal(got, want)


def test_a_local_function_is_not_exported():
    local = hw.wrap(lambda x: x + 1)
    with pytest.raises(
        hw.HostCallError, match=r"hostwrap\.export: the program calls <lambda>, which another process"
    ):
        hw.export(jax.jit(local))(1.0)
    watched = hw.wrap(lambda x: None, effect="debug")
    with pytest.raises(hw.HostCallError, match=r"calls <lambda>, .* is pure"):
        hw.export(jax.jit(lambda x: (watched(x), x)[1]))(1.0)


STATICS = """
import jax, numpy as np, simulator, hostwrap as hw
from hostwrap._lanes import keyed
from hostwrap._native import calls
jax.config.update("jax_enable_x64", True)
def program(power):
    return jax.jit(lambda x: simulator.scaled(x, 2.0, power=power))
x = np.array([0.5, 1.5])
first = program(1)
first(x)
compiled = [program(power).lower(x).compile() for power in range(300)]
assert len(keyed._kept) == 256 and len(calls.by_key) < 300, len(calls.by_key)
np.testing.assert_allclose(hw.export(first)(x).call(x), np.sin(x) * 2, rtol=1e-6)
for power in (0, 1, 299):
    np.testing.assert_allclose(compiled[power](x), np.sin(x) ** power * 2, rtol=1e-6)

import importlib
old = compiled[2]
importlib.reload(simulator)
again = jax.jit(lambda x: simulator.scaled(x, 3.0, power=2))
np.testing.assert_allclose(again(x), np.sin(x) ** 2 * 3, rtol=1e-6)
try:
    hw.export(again)(x)
except hw.HostCallError as error:
    assert "calls scaled" in str(error) and "after a reload, export from a new process" in str(error), error
else:
    raise SystemExit("exported")
"""


@pytest.mark.rotating
def test_statics_are_not_kept_and_are_found_again(simulator, fresh_python):
    """More of them than are remembered, and one that is exported long after it was compiled."""
    fresh_python(STATICS)


def test_a_program_is_one_for_the_cpu():
    exported = hw.export(jax.jit(special.gammaln), platforms=["cpu"])(1.5)
    assert exported.platforms == ("cpu",) == hw.export(jax.jit(special.gammaln))(1.5).platforms
    with pytest.raises(
        hw.SignatureError, match=r"wants platforms=\('cpu',\), got \('cpu', 'cuda'\).*Leave platforms"
    ):
        hw.export(jax.jit(special.gammaln), platforms=("cpu", "cuda"))


def test_without_the_native_lane_it_says_so(monkeypatch):
    monkeypatch.setitem(hw._lanes._reasons, "native", "no compiler")
    with pytest.raises(hw.HostCallError, match=r"hostwrap\.export needs the native lane, .*: no compiler"):
        hw.export(jax.jit(special.ndtr))
    with pytest.raises(hw.HostCallError, match=r"hostwrap\.deserialize needs the native lane"):
        hw.deserialize(b"")


CACHE = """
jax.config.update("jax_compilation_cache_dir", "cache")
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
jax.config.update("jax_persistent_cache_min_entry_size_bytes", 0)
events = []
jax.monitoring.register_event_listener(lambda event, **_: events.append(event.rpartition("/")[2]))

def local(number):
    return hw.wrap(lambda x: x + number)

compiled = jax.jit(lambda x: (g(x), local({number})(x), local(10)(x))).lower(x).compile()
results = compiled(x)
assert ("cache_hits" in events) == {hit}, events
large = np.linspace(0.5, 2.5, 10_000)  # which threads share, by what an element costs in this process
for f in (special.expit, special.gammaln, jax.vmap(jax.grad(lambda x: special.gammainc(1.5, x)))):
    events.clear()
    got = jax.jit(lambda x: f(x)).lower(large).compile()(large)
    assert ("cache_hits" in events) == {hit}, (f, events)
    with hw.threads(1):
        np.testing.assert_array_equal(got, jax.jit(lambda x: f(x))(large))
np.testing.assert_array_equal(results[0][0], np.sin(x) ** 3 * 2.0)
np.testing.assert_array_equal(results[1], x + {number})
np.testing.assert_array_equal(results[2], x + 10)
"""


def test_the_compilation_cache_is_hit_and_the_functions_are_those_of_the_process(simulator, fresh_python):
    fresh_python(PROGRAM + CACHE.format(number=1, hit=False), HOSTWRAP_NUM_THREADS="2")
    fresh_python(PROGRAM + CACHE.format(number=1, hit=True), HOSTWRAP_NUM_THREADS="3")
    fresh_python(PROGRAM + CACHE.format(number=2, hit=True))  # a local function is what it is here


def test_a_function_that_was_defined_again_is_the_one_that_was_compiled(simulator, fresh_python):
    fresh_python(
        """
import jax, numpy as np, simulator, hostwrap as hw
first = jax.jit(lambda x: simulator.solve(x, x[0])).lower(np.eye(2)).compile()
assert first(np.eye(2))[0] == 1
simulator.solve = hw.wrap(lambda a, b: 5 * b, signature="(n,n),(n)->(n)")
simulator.solve.__wrapped__.__qualname__, simulator.solve.__wrapped__.__module__ = "solve", "simulator"
second = jax.jit(lambda x: simulator.solve(x, x[0])).lower(np.eye(2)).compile()
assert second(np.eye(2))[0] == 5 and first(np.eye(2))[0] == 1
"""
    )

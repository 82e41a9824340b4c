"""On a GPU or TPU: the host is called on the CPU, and all else is as it is there. Skipped where there is none."""

import concurrent.futures

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.special

import hostwrap as hw
from hostwrap import integrate, linalg, ndimage, optimize, special, stats

pytestmark = pytest.mark.skipif(jax.default_backend() == "cpu", reason="JAX has no accelerator here")


def on_cpu(f, *args):
    """What the same program gives on the CPU."""
    with jax.default_device(jax.devices("cpu")[0]):
        return jax.jit(f)(*args)


def compare(f, *args, rtol=1e-12):
    here = jax.jit(f)(*args)
    for x in jax.tree.leaves(here):
        assert {d.platform for d in x.devices()} == {jax.devices()[0].platform}
    jax.tree.map(lambda x, y: np.testing.assert_allclose(x, y, rtol, atol=1e-300), here, on_cpu(f, *args))


X = np.linspace(0.3, 5.0, 64)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_values_have_scipys_bits_and_stay_on_the_device(dtype):
    x = X.astype(dtype)
    y = jax.jit(special.erf)(jnp.asarray(x))
    assert y.dtype == dtype and y.devices() == {jax.devices()[0]}
    np.testing.assert_array_equal(y, scipy.special.erf(x))


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint8", "int32", "int64", "float16", "bfloat16", "float64"]
)
def test_every_type_travels(dtype):
    larger = hw.wrap(np.maximum)
    x = jnp.asarray([0, 1, 3]).astype(dtype)
    for f in (larger, jax.jit(larger), jax.jit(jax.vmap(larger))):
        y = f(x, x)
        assert y.dtype == x.dtype
        np.testing.assert_array_equal(np.asarray(y, float), np.asarray(x, float))


COUNTS = {
    "kv": 2, "jv": 2, "gammainc": 2, "betainc": 3, "hyp2f1": 4, "ellipkinc": 2, "expit": 1, "gammaln": 1
}  # fmt: skip


@pytest.mark.parametrize(("name", "count"), COUNTS.items())
def test_special_functions(name, count):
    f, places = getattr(special, name), tuple(range(count))
    args = [0.7 + 0.1 * X / (1 + k) for k in places[1:]] + [X / 6]
    compare(f, *args)
    compare(jax.grad(lambda *a: f(*a).sum(), places), *args, rtol=1e-10)
    compare(jax.vmap(jax.hessian(f, places)), *args, rtol=1e-8)


def sersic(r, n):
    b = scipy.special.gammaincinv(2 * n, 0.5)
    return np.exp(-b * ((r / 1.1) ** (1 / n) - 1))


def newton(m, e):
    E = m
    while abs(E - e * np.sin(E) - m) > 1e-13:
        E = E - (E - e * np.sin(E) - m) / (1 - e * np.cos(E))
    return E


def test_functions_without_a_rule():
    f, kepler = hw.wrap(sersic), hw.wrap(newton)
    compare(jax.value_and_grad(lambda r, n: f(r, n).sum(), (0, 1)), X, np.float64(2.3))
    compare(jax.hessian(f, (0, 1)), np.float64(1.4), np.float64(2.3), rtol=1e-10)
    compare(jax.value_and_grad(kepler, (0, 1)), np.float64(1.2), np.float64(0.4))


def test_the_traced_code_alone_makes_no_call():
    f = hw.to_jax(hw.wrap(lambda t: np.exp(-t) * np.cos(t)))
    text = jax.jit(jax.grad(f)).lower(1.0).as_text()
    assert "callback" not in text and "hostwrap" not in text
    compare(jax.grad(f), 1.0)


def test_rules_of_every_kind():
    sine = hw.wrap(np.sin)
    sine.defpartials(x=lambda ans, x: jnp.cos(x))
    mirrored = hw.wrap(lambda x: np.sin(x))
    mirrored.defvjp(lambda x: (mirrored(x), x), lambda x, g: (g * jnp.cos(x),))
    pushed = hw.wrap(lambda x: np.sin(x))
    pushed.defjvp(lambda primals, tangents: (pushed(*primals), jnp.cos(primals[0]) * tangents[0]))
    for f in (sine, mirrored, pushed):
        compare(jax.grad(lambda x, f=f: f(x).sum()), X)


def test_loops_branches_and_shard_map():
    step = lambda z, _: (z + 1e-2 * special.jv(1.5, z), z)
    compare(jax.grad(lambda z: jax.lax.scan(step, z, None, length=20)[0]), 2.0)
    compare(jax.grad(lambda z: jax.lax.cond(z > 1, special.digamma, special.gammaln, z)), 2.5)
    mesh = jax.make_mesh((1,), ("d",), axis_types=(jax.sharding.AxisType.Auto,))
    P = jax.sharding.PartitionSpec
    spread = jax.shard_map(special.gammaln, mesh=mesh, in_specs=P("d"), out_specs=P("d"))
    np.testing.assert_array_equal(jax.jit(spread)(jnp.asarray(X)), scipy.special.gammaln(X))


def test_modules_named_after_scipys():
    A = np.diag([1.0, 2.0, 3.0]) + 0.1
    compare(jax.grad(lambda A: linalg.expm(A).sum()), A)
    compare(jax.grad(lambda A: linalg.sqrtm(A).sum()), A, rtol=1e-10)
    compare(jax.grad(lambda x: ndimage.gaussian_filter(x, 1.5)[3]), X)
    compare(jax.grad(lambda a: integrate.quad(lambda t, a: jnp.exp(-a * t), 0.0, 1.0, args=(a,))[0]), 1.3)
    compare(jax.grad(lambda a: optimize.root(lambda x, a: x**3 - a, jnp.ones(1), args=(a,)).x[0]), 1.3)
    compare(jax.grad(lambda a: stats.gamma.logpdf(X, a).sum()), 2.5, rtol=1e-10)
    compare(jax.grad(lambda a: stats.gamma.ppf(0.3, a)), 2.5, rtol=1e-10)
    draw = lambda a: stats.gamma(a).sample(jax.random.key(0), shape=(50,)).sum()
    compare(jax.value_and_grad(draw), 2.5, rtol=1e-10)


def test_an_exception_arrives_with_the_name_of_the_function():
    @hw.wrap
    def positive(x):
        if (x < 0).any():
            raise ValueError("below zero")
        return x

    with pytest.raises(Exception, match="below zero"):
        jax.block_until_ready(jax.jit(positive)(jnp.asarray([1.0, -1.0])))
    np.testing.assert_array_equal(jax.jit(positive)(jnp.ones(3)), np.ones(3))  # the device is not harmed


def test_effects_in_order():
    seen = []

    @hw.wrap(effect="io", ordered=True)
    def note(x):
        seen.append(float(x))
        return x

    jax.block_until_ready(jax.jit(lambda x: jax.lax.fori_loop(0, 5, lambda i, z: note(z + 1), x))(0.0))
    jax.effects_barrier()
    assert seen == [1.0, 2.0, 3.0, 4.0, 5.0]


def test_several_threads_and_a_large_array():
    f = jax.jit(jax.grad(lambda v, x: special.kv(v, x).sum()))
    arrays = [jnp.asarray(X + k) for k in range(8)]
    want = [f(1.5, x) for x in arrays]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for got, y in zip(pool.map(lambda x: f(1.5, x), arrays), want, strict=True):
            np.testing.assert_array_equal(got, y)
    x = np.random.default_rng(0).uniform(0.5, 9, 4_000_000)
    np.testing.assert_array_equal(jax.jit(special.gammaln)(x), scipy.special.gammaln(x))


def test_a_program_on_the_cpu_of_the_same_process_takes_its_fastest_lane():
    x = jax.device_put(X, jax.devices("cpu")[0])
    f = jax.jit(special.gammaln)
    assert {d.platform for d in f(x).devices()} == {"cpu"}
    if hw.lanes()["native"] == "available":
        assert "hostwrap" in f.lower(x).compile().as_text()

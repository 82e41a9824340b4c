"""Random keys as arguments: the host gets what `jax.pure_callback` hands over, the numbers of the key."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hostwrap as hw
from hostwrap import special

KEY = jax.random.key(3)
WAYS = {"now": lambda f: f, "compiled": jax.jit}


def draw(key, x):
    return x + np.random.default_rng(np.asarray(key)).normal(size=np.shape(x))


def handed_over(key):
    """What jax.pure_callback gives to the host."""
    seen = []
    jax.block_until_ready(
        jax.pure_callback(
            lambda k: seen.append(np.asarray(k)) or np.float32(0), jax.ShapeDtypeStruct((), np.float32), key
        )
    )
    return seen[0]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("declared", ["signature", "out", "io"])
def test_a_key_is_an_argument(declared, way):
    options = {
        "signature": {"signature": "(k),(n)->(n)"},
        "out": {"out": lambda key, x: x},
        "io": {"out": lambda key, x: x, "effect": "io"},
    }[declared]
    seen = []

    def host(key, x):
        seen.append(key)
        return draw(key, x)

    f = WAYS[way](hw.wrap(host, widen=False, **options))
    x = np.ones(3)
    np.testing.assert_array_equal(f(KEY, x), draw(handed_over(KEY), x))
    assert seen[0].dtype == np.uint32 and seen[0].shape == handed_over(KEY).shape
    np.testing.assert_array_equal(seen[0], jax.random.key_data(KEY))


@pytest.mark.parametrize("way", WAYS)
def test_keys_under_vmap(way):
    keys = jax.random.split(KEY, 4)
    x = jnp.ones(3)
    expected = [draw(k, np.ones(3)) for k in np.asarray(jax.random.key_data(keys))]
    for f in (
        hw.wrap("(k),(n)->(n)", widen=False)(draw),
        hw.wrap(draw, out=lambda key, x: x, widen=False, vmap_method="sequential"),
    ):
        np.testing.assert_array_equal(WAYS[way](jax.vmap(f, (0, None)))(keys, x), expected)
    np.testing.assert_array_equal(hw.wrap("(k),(n)->(n)", widen=False)(draw)(keys, x), expected)


@pytest.mark.parametrize("way", WAYS)
def test_a_debug_function_sees_keys(way):
    seen = []
    look = hw.wrap(lambda k, x: seen.append((k, x)), effect="debug")
    jax.block_until_ready(WAYS[way](lambda k, x: (look(k, x), x)[1])(KEY, 2.0))
    jax.effects_barrier()
    np.testing.assert_array_equal(seen[0][0], jax.random.key_data(KEY))
    assert seen[0][1] == 2.0


def test_a_derivative_beside_a_key():
    f = hw.wrap("(k),()->()")(lambda key, x: x**2 + float(key[1]))
    f.defjvp(lambda primals, tangents: (f(*primals), 2 * primals[1] * tangents[1]))
    assert jax.jit(jax.grad(f, 1))(KEY, 3.0) == 6.0
    np.testing.assert_array_equal(jax.vmap(jax.grad(f, 1), (0, None))(jax.random.split(KEY), 3.0), [6.0, 6.0])


def test_where_a_key_has_no_place_the_error_tells_the_way_out():
    with pytest.raises(
        hw.SignatureError,
        match=r"^draw: `key` must be .* a random key is an array of uint32 on the host.*'\(k\),\(\)->\(\)'",
    ):
        hw.wrap(draw)(KEY, np.ones(3))
    with pytest.raises(
        hw.SignatureError, match=r"a random key is none: take its data, jax.random.key_data\(..\)"
    ):
        special.j0(KEY)
    with pytest.raises(hw.SignatureError, match=r"a random key is an array of uint32"):
        hw.wrap(np.sin)(KEY)


# ---- jax_debug_nans


@pytest.mark.parametrize("way", ["now", "compiled", "inside", "special"])
@pytest.mark.filterwarnings("ignore")
def test_debug_nans_names_the_function(way):
    @hw.wrap
    def bad(x):
        return x * np.nan

    call = {
        "now": lambda x: bad(x),
        "compiled": jax.jit(lambda x: bad(x)),
        "inside": jax.jit(lambda x: jax.jit(lambda y: jnp.sin(bad(y)) + 1)(x)),
        "special": jax.jit(lambda x: special.jv(0.5, -x)),
    }[way]
    with (
        jax.debug_nans(True),
        pytest.raises(FloatingPointError, match=r"^(bad|jv): invalid value \(nan\) in its result, called"),
    ):
        jax.block_until_ready(call(2.0))

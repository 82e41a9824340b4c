"""Functions of others, wrapped as they are: options with defaults, bound methods, namedtuples; and 64 bits."""

import ctypes
import enum
import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hostwrap as hw

A = np.array([[2.0, 1.0], [1.0, 3.0]])
B = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 6.0]])
NOW_AND_COMPILED = {
    "now": lambda f: f,
    "compiled": jax.jit,
    "mapped": lambda f: lambda x: jax.vmap(f)(x[None]),
}


def same(got, expected):
    jax.tree.map(lambda a, b: np.testing.assert_array_equal(a, b), tuple(got), tuple(expected))


@pytest.mark.parametrize("way", ["now", "compiled"])
@pytest.mark.parametrize(
    ("signature", "function", "argument"),
    [
        ("(n,n)->(n),(n,n)", np.linalg.eigh, A),
        ("(n,n)->(n),(n,n)", lambda A: np.linalg.eigh(A), A),
        ("(n,n)->(n,n),(n,n)", np.linalg.qr, A),
        ("(n,n)->(n,n),(n),(n,n)", np.linalg.svd, A),
        ("(m,n)->(m,n),(n,n)", np.linalg.qr, B),
        ("(n,n)->(),()", np.linalg.slogdet, A),
        ("(n,n)->(n,n)", np.linalg.pinv, A),
        ("(n,n)->(n),(n,n)", lambda A: list(np.linalg.eigh(A)), A),
    ],
)
def test_numpys_linear_algebra(signature, function, argument, way):
    f = hw.wrap(signature)(function)
    expected = function(argument)
    got = NOW_AND_COMPILED[way](f)(argument)
    same(
        got if isinstance(got, tuple) else [got],
        expected if isinstance(expected, tuple | list) else [expected],
    )
    assert type(got) is tuple or not isinstance(expected, tuple)


def test_eig():
    f = hw.wrap("(n,n)->(n),(n,n)", dtype=complex)(np.linalg.eig)
    same(jax.jit(f)(A), np.linalg.eig(A))


def test_namedtuples_under_a_declared_tuple_and_in_rules():
    shapes = (jax.ShapeDtypeStruct((2,), float), jax.ShapeDtypeStruct((2, 2), float))
    same(jax.jit(hw.wrap(np.linalg.eigh, out=shapes))(A), np.linalg.eigh(A))

    f = hw.wrap("(n,n)->(n),(n,n)")(lambda A: np.linalg.eigh(A))
    f.defjvp(lambda primals, tangents: jax.jvp(jnp.linalg.eigh, primals, tangents))  # two namedtuples
    expected = jax.jvp(jnp.linalg.eigh, (jnp.asarray(A),), (jnp.ones((2, 2)),))[1]
    got = jax.jvp(f, (jnp.asarray(A),), (jnp.ones((2, 2)),))[1]
    jax.tree.map(functools.partial(np.testing.assert_allclose, rtol=1e-12), tuple(got), tuple(expected))

    host = hw.wrap("(n,n)->(n),(n,n)")(lambda A: np.linalg.eigh(A))
    host.defhost(jvp=lambda primals, tangents: np.linalg.eigh(tangents[0]))
    same(jax.jvp(host, (A,), (A,))[1], np.linalg.eigh(A))


class Regression:
    """As those of scikit-learn."""

    def predict(self, X, return_std=False, *, order="C", **params):
        assert order == "C" and not params
        mean = X @ np.array([1.0, 2.0])
        return (mean, mean / 2) if return_std else mean


@pytest.mark.parametrize("way", NOW_AND_COMPILED)
def test_a_bound_method_with_options(way):
    f = NOW_AND_COMPILED[way](hw.wrap("(n,2)->(n)")(Regression().predict))
    np.testing.assert_array_equal(np.ravel(f(jnp.asarray(B))), Regression().predict(B))
    with_std = hw.wrap("(n,2)->(n),(n)")(Regression().predict)
    same(jax.jit(lambda X: with_std(X, return_std=True))(B), Regression().predict(B, True))
    with pytest.raises(hw.SignatureError, match="unexpected keyword argument 'weights'"):
        with_std(jnp.asarray(B), weights=1.0)


class Side(enum.Enum):
    LEFT, RIGHT = range(2)


@pytest.mark.parametrize("way", ["now", "compiled"])
def test_a_default_that_is_no_number_is_static(way):
    @hw.wrap
    def f(x, flip=False, *, side=Side.LEFT, how="plain", then=np.abs):
        assert isinstance(side, Side) and isinstance(how, str)
        return then(-x if flip else x) + (side is Side.RIGHT) * 10 + (how == "other") * 100

    go = NOW_AND_COMPILED[way]
    x = jnp.array([1.0, -2.0])
    np.testing.assert_array_equal(go(f)(x), [1.0, 2.0])
    np.testing.assert_array_equal(go(lambda x: f(x, True, then=np.sin))(x), np.sin(-np.asarray(x)))
    np.testing.assert_array_equal(go(lambda x: f(x, how="other", side=Side.RIGHT))(x), [111.0, 112.0])
    with pytest.raises(
        hw.SignatureError, match=r"`flip` must be hashable, got ndarray;.*or its default is no number"
    ):
        f(x, flip=np.array([True, False]))


def test_rules_get_such_statics_by_keyword():
    f = hw.wrap(lambda x, flip=False: -x if flip else x)
    f.defpartials(x=lambda ans, x, *, flip: -1.0 if flip else 1.0)
    assert jax.grad(f)(2.0) == 1.0 and jax.grad(lambda x: f(x, flip=True))(2.0) == -1.0
    with pytest.raises(hw.RuleError, match=r"is called as \(ans, x, and keywords flip\)"):
        hw.wrap(lambda x, flip=False: x).defpartials(x=lambda ans, x: 1.0)


def test_beyond_the_inputs_of_a_signature_a_default_makes_static():
    f = hw.wrap("(n)->()")(lambda x, tol=1e-3, weights=None, *, most=10: x.sum() * tol + most)
    assert jax.jit(f)(np.ones(2)) == 10.002 and f(np.ones(2), 1.0, most=0) == 2.0
    two = hw.wrap("(n),()->()")(lambda x, tol=1e-3, most=10: x.sum() * tol + most)
    assert jax.jit(two)(np.ones(2), np.float64(0.5)) == 11.0
    assert jax.vmap(two, (None, 0))(np.ones(2), np.ones(3)).shape == (3,)


def test_an_input_for_each_argument_makes_all_of_them_arrays():
    f = hw.wrap("(n),(n)->(n)")(lambda x, flip=False: np.where(flip, -x, x))
    np.testing.assert_array_equal(f(np.ones(2), np.array([True, False])), [-1.0, 1.0])


def test_too_few_inputs_without_defaults_are_an_error_that_tells_the_way_out():
    with pytest.raises(
        hw.SignatureError, match=r"takes 2 arrays \(x, y\); name those that are none in static=, or"
    ):
        hw.wrap("(n)->()")(lambda x, y, flip=False: x)


# ---- 64 bits


@pytest.mark.parametrize("dtype", [np.float64, np.int64, np.uint64, np.complex128, float, int])
@pytest.mark.parametrize("effect", [None, "io"])
def test_64_bits_are_not_made_32_without_a_word(dtype, effect):
    """As jax.pure_callback has it."""
    shape = jax.ShapeDtypeStruct((), dtype)
    f = hw.wrap(lambda x: np.ones((), dtype), out=shape, effect=effect)
    with jax.enable_x64(False):
        for call in (f, jax.jit(f)):
            with pytest.raises(hw.SignatureError, match=r"declared \w+64|declared \w+128") as caught:
                call(np.float32(1))
            assert "without jax_enable_x64 JAX has" in str(caught.value)
        with pytest.raises(ValueError, match="64-bit"):
            jax.pure_callback(lambda x: x, shape, np.float32(1))
    assert f(np.float32(1)).dtype == shape.dtype


def test_64_bits_in_dtype_and_what_stays_in_jaxs_precision():
    with jax.enable_x64(False):
        with pytest.raises(hw.SignatureError, match=r"declare float32, or call jax\.config\.update"):
            hw.wrap(lambda x: x, dtype=np.float64)(1.0)
        assert hw.wrap(lambda x: x, dtype=float)(1.0).dtype == np.float32
        assert hw.wrap(lambda x: x, out=lambda x: x)(np.ones(2)).dtype == np.float32
        assert hw.wrap(np.sin)(np.ones(2)).dtype == np.float32


def test_compat_refuses_64_bits_as_well():
    with jax.enable_x64(False), pytest.raises(hw.SignatureError, match="without jax_enable_x64"):
        hw.compat.pure_callback(lambda x: x, jax.ShapeDtypeStruct((), np.float64), 1.0)


@pytest.mark.parametrize("call", [lambda f: f, jax.jit], ids=["eager", "jit"])
@pytest.mark.rotating
def test_a_number_is_a_number_that_no_function_can_write_to(call):
    """`E -= ..` makes a new number of a Python float. Of an array without axes it would change the argument M, too."""

    def kepler(M, e):
        E = M
        for _ in range(50):
            E -= (E - e * np.sin(E) - M) / (1 - e * np.cos(E))
        return E

    exact = kepler(1.3, 0.5)
    assert float(call(hw.wrap(kepler))(1.3, 0.5)) == exact
    slope = 1 / (1 - 0.5 * np.cos(exact))
    np.testing.assert_allclose(call(jax.grad(hw.wrap(kepler)))(1.3, 0.5), slope, rtol=1e-14)


def test_code_for_arrays_may_write_to_a_number():
    def clipped(x):
        x[x < 0] = 0
        return x * 2

    def positive(x):
        y = x.copy()
        y[y < 0] = 0
        return y

    assert hw.wrap(clipped)(-1.0) == 0 and hw.wrap(clipped)(1.5) == 3
    assert hw.wrap(positive)(-1.0) == 0 and jax.grad(hw.wrap(positive))(1.5) == 1


@pytest.mark.parametrize("call", [lambda f: f, jax.jit], ids=["eager", "jit"])
def test_a_number_comes_as_an_array_only_where_it_is_refused(call):
    """And what the first attempt has written to another argument is gone."""
    came = []

    def plain(x):
        came.append(type(x))
        return x * 2

    def writes(row, x):
        came.append(type(x))
        row *= 2
        x[...] = x + 1
        return row * x

    assert call(hw.wrap(plain))(1.5) == 3
    assert came == [np.float64]
    came.clear()
    f = hw.wrap("(n),()->(n)")(writes)
    np.testing.assert_array_equal(call(f)(np.array([1.0, 2.0]), 2.0), [6.0, 12.0])
    assert came == [np.float64, np.ndarray]


def test_code_for_one_number_that_writes_to_an_array_before_it_refuses_it():
    """Elements are computed of what was given, and not of what the first attempt has left."""

    def doubled(x, y):
        x *= 2
        return x + y if x > 0 else 0.0 * y

    f = hw.wrap(doubled)
    for lane in (name for name, state in hw.lanes().items() if state == "available"):
        with hw.lane(lane):
            for x in (np.array([-1.0, 1.0, 2.0]), jnp.array([-1.0, 1.0, 2.0])):
                for way in (f, jax.jit(lambda x, y: f(x, y)), jax.vmap(lambda x, y: f(x, y), (0, None))):
                    np.testing.assert_array_equal(way(x, 1.0), [0.0, 3.0, 5.0])
                np.testing.assert_array_equal(x, [-1.0, 1.0, 2.0])


@pytest.mark.parametrize("way", NOW_AND_COMPILED)
def test_a_c_function_of_one_number_takes_arrays(way):
    """ctypes' own error is no TypeError."""
    absolute = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(abs)  # Python's, behind an interface of C

    @hw.wrap
    def f(x):
        return absolute(x)

    np.testing.assert_array_equal(
        NOW_AND_COMPILED[way](f)(jnp.array([-1.0, 0.0, 2.0])),
        np.reshape([1.0, 0.0, 2.0], (1, 3) if way == "mapped" else 3),
    )


def test_what_numba_cannot_compile_for_arrays_is_called_with_numbers():
    class TypingError(Exception):
        __module__ = "numba.core.errors"

    @hw.wrap
    def f(x):
        if np.ndim(x):
            raise TypingError("failed in nopython mode")
        return 2 * x

    np.testing.assert_array_equal(f(jnp.array([1.0, 2.0])), [2.0, 4.0])

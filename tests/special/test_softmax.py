"""`logsumexp`, `softmax` and `log_softmax`: SciPy's bits, under jit, vmap and in any precision; their derivatives."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.special

import hostwrap as hw
from hostwrap import special
from tests._kit.toys import each_lane, everywhere  # noqa: F401

DTYPES = (np.float64, np.float32, np.complex128, np.complex64)
SHAPES = ((), (7,), (1, 9), (9, 1), (3, 300), (2, 3, 5))
RNG = np.random.default_rng(5)


def drawn(shape, dtype):
    x = 5 * RNG.normal(size=shape) + (5j * RNG.normal(size=shape) if np.dtype(dtype).kind == "c" else 0)
    return np.asarray(x).astype(dtype)


def identical(got, want, what):
    for g, w in zip(jax.tree.leaves(got), jax.tree.leaves(want), strict=True):
        assert (np.shape(g), np.asarray(g).dtype) == (np.shape(w), np.asarray(w).dtype), what
        np.testing.assert_array_equal(g, w, err_msg=what)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.rotating
def test_values_have_scipys_bits(shape, dtype):
    a, b = drawn(shape, dtype), drawn(shape, dtype)
    for axis in (None, 0, -1, (0, 1)):
        if np.size(axis or ()) > len(shape) or (axis is not None and not shape):
            continue
        for options in (
            {}, {"b": b}, {"keepdims": True}, {"return_sign": True}, {"b": b, "return_sign": True, "keepdims": True},
        ):  # fmt: skip
            got = jax.jit(lambda a, axis=axis, options=options: special.logsumexp(a, axis, **options))(a)
            identical(got, scipy.special.logsumexp(a, axis, **options), f"{axis} {list(options)}")
        for name in ("softmax", "log_softmax"):
            got = jax.jit(lambda a, name=name, axis=axis: getattr(special, name)(a, axis))(a)
            identical(got, getattr(scipy.special, name)(a, axis), f"{name} {axis}")


def test_a_row_is_the_same_alone_and_in_a_batch():
    for shape in ((40, 130), (130, 1), (3, 5, 60)):
        a = drawn(shape, float)
        for name in ("logsumexp", "softmax", "log_softmax"):
            ours, theirs = getattr(special, name), getattr(scipy.special, name)
            identical(jax.jit(jax.vmap(ours))(a), np.stack([theirs(x) for x in a]), name)
            columns = np.stack([theirs(x.copy()) for x in np.moveaxis(a, -1, 0)])
            identical(jax.jit(jax.vmap(ours, in_axes=-1))(a), columns, name)
    b = np.abs(drawn((130,), float))
    got = jax.jit(jax.vmap(lambda a: special.logsumexp(a, b=b)))(drawn((3, 130), float) * 0)
    identical(got, np.full(3, scipy.special.logsumexp(np.zeros(130), b=b)), "weights that all share")


@pytest.mark.usefixtures("each_lane")
@pytest.mark.parametrize(
    "a", [[0.0, -37.0], [-np.inf, complex(-np.inf, np.inf)], [np.inf, complex(-np.inf, np.inf)], [-np.inf, -np.inf]]
)  # fmt: skip
def test_digits_and_infinities_that_jax_does_not_have(a):
    for call in everywhere(special.logsumexp):
        identical(call(np.array(a)), scipy.special.logsumexp(a), str(a))


@pytest.mark.rotating
def test_derivatives_are_those_of_the_sum():
    a, b = drawn((3, 4), float), np.abs(drawn((4,), float)) + 0.1
    plain = lambda a, b: jnp.log(jnp.sum(b * jnp.exp(a)))
    ours = lambda a, b: special.logsumexp(a, b=b)
    for which in (0, 1):
        for derivative in (jax.grad, jax.hessian):
            got, want = (jax.jit(derivative(f, which))(a, b) for f in (ours, plain))
            np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-14)
    signed = jax.grad(lambda b: special.logsumexp(a, b=b, return_sign=True)[0])(-b)
    np.testing.assert_allclose(signed, -jax.grad(plain, 1)(a, b), rtol=1e-12)
    rows = jax.vmap(jax.grad(special.logsumexp))(a)
    np.testing.assert_allclose(rows, scipy.special.softmax(a, axis=1), rtol=1e-12)
    for ours, theirs in ((special.softmax, jax.nn.softmax), (special.log_softmax, jax.nn.log_softmax)):
        got, want = (jax.jit(jax.jacobian(lambda a, f=f: f(a, axis=0)))(a) for f in (ours, theirs))
        np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-14)


def test_of_nothing_of_lists_and_of_what_is_no_number():
    identical(
        special.logsumexp(np.zeros((0, 3)), axis=0), scipy.special.logsumexp(np.zeros((0, 3)), axis=0), ""
    )
    assert special.softmax(np.zeros(0)).shape == (0,)
    assert special.logsumexp([1, 2]) == scipy.special.logsumexp([1, 2])
    with pytest.raises(hw.SignatureError, match="logsumexp: `b` must be a number or an array of numbers"):
        special.logsumexp(1.0, b="two")


@pytest.mark.rotating
def test_strict_promotion():
    with jax.numpy_dtype_promotion("strict"):
        for dtype in (np.int32, np.complex64, np.float32):
            a = np.arange(3).astype(dtype)
            identical(special.logsumexp(a, b=a), scipy.special.logsumexp(a, b=a), str(dtype))
        for function in (special.softmax, special.log_softmax, special.logsumexp):
            for dtype in (np.float64, np.float32):
                smooth = lambda x, f=function: jax.numpy.sum(f(x) ** 2)
                assert np.isfinite(jax.hessian(smooth)(np.arange(3).astype(dtype))).all()


@pytest.mark.native
def test_export():
    x = drawn((4,), float)
    function = jax.jit(lambda x: special.logsumexp(x) + special.softmax(x)[0])
    again = hw.deserialize(hw.export(function)(x).serialize())
    assert again.call(x) == function(x)

"""Which dtype the host function sees, and which comes back; with and without 64-bit types."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.special

import hostwrap as hw
from hostwrap import special
from tests._kit.toys import each_lane, everywhere, recording, same, scalar  # noqa: F401
from tests._kit.versions import NUMPY

X = np.linspace(0.3, 2.0, 4)
lanes = pytest.mark.usefixtures("each_lane")


@lanes
@pytest.mark.parametrize(
    "given, seen, result",
    [
        (np.float64, np.float64, np.float64),
        (np.float32, np.float64, np.float32),
        (np.float16, np.float64, np.float16),
        (jnp.bfloat16, np.float64, jnp.bfloat16),
        (np.complex64, np.complex128, np.complex64),
        (np.complex128, np.complex128, np.complex128),
        (np.int32, np.int64, np.float64),
        (np.uint8, np.uint64, np.float64),
        (np.bool_, np.bool_, np.float64),
    ],
)
def test_the_host_computes_wide_and_rounds_once(given, seen, result):
    dtypes = []
    f = hw.wrap(lambda x: (dtypes.append(x.dtype), np.exp(x.astype(np.result_type(x, float))))[1])
    x = (np.arange(4) % 2 if given is np.bool_ else np.arange(4)).astype(given)
    expected = np.exp(x.astype(seen if x.dtype.kind == "c" else float)).astype(result)
    for call in everywhere(f):
        assert call(x).dtype == result
        np.testing.assert_array_equal(np.asarray(call(x)), expected)
        assert dtypes[-1] == seen


@lanes
@pytest.mark.parametrize("method", ["broadcast_all", "expand_dims", "sequential"])
def test_functions_of_booleans_are_computed_in_double_precision(method):
    given = np.array([True, False, True])
    functions = {
        "sin": (np.sin, np.sin(1.0), 0.0),
        "a step of more": (lambda a: np.log1p(a) * 2.0, 2 * np.log(2.0), 0.0),
        "division": (lambda a: a / 3, 1 / 3, 0.0),
        "division of two": (lambda a: (1 + (a | a)) / (1 + 2 * ~a) / np.int8(3), 2 / 3, 1 / 9),
        "an operator": (lambda a: 3.1 ** (-a.astype(float)) + np.exp(a[...]), 1 / 3.1 + np.e, 2.0),
        "SciPy's": (
            lambda a: scipy.special.gamma(a + 0.5) + scipy.special.erf(a),
            1.728927718402470,
            np.sqrt(np.pi),
        ),
    }
    for what, (function, one, zero) in functions.items():
        f = hw.wrap(function, vmap_method=method)
        for call in everywhere(f):
            for x in (given, given[0], True):
                expected = np.where(np.asarray(x), one, zero)
                np.testing.assert_allclose(call(x), expected, rtol=1e-11, err_msg=what)


METHODS = pytest.mark.skipif(NUMPY < (2, 4), reason="NumPy's methods of ufuncs have no signature")


@lanes
@pytest.mark.parametrize(
    "fold",
    [
        pytest.param(np.logaddexp.reduce, marks=METHODS),
        pytest.param(np.true_divide.reduce, marks=METHODS),
        lambda a: np.logaddexp.reduce(a),
        lambda a: np.hypot.accumulate(a)[-1],
    ],
)
def test_folds_of_booleans_are_computed_in_double_precision(fold):
    given = np.array([True, True, True])
    for call in everywhere(hw.wrap("(n)->()")(fold)):
        np.testing.assert_allclose(call(given), fold(given.astype(float)), rtol=1e-14)


@lanes
def test_booleans_are_masks_and_indices():
    f = hw.wrap("(n),(n)->()")(
        lambda mask, x: x[mask].sum() + 10 * x[~mask & (x > 1)].sum() + np.where(mask, x, 0)[0]
    )
    mask, x = np.array([True, False, True, False]), np.array([1.0, 2.0, 4.0, 0.5])
    for call in everywhere(f):
        assert call(mask, x) == 5 + 20 + 1
    assert hw.wrap(lambda mask: ~mask, dtype=bool)(mask).tolist() == [False, True, False, True]
    assert jax.jit(hw.wrap(lambda mask: mask, dtype=bool))(mask).tolist() == mask.tolist()


@lanes
def test_the_widest_argument_decides_and_weak_scalars_do_not():
    f = hw.wrap(lambda x, y: x * y)
    cases = [
        (np.float32(1), np.float64(1), np.float64), (np.float32(1), 2.0, np.float32), (2.0, 3, np.float64),
        (np.float32(1), np.int64(1), np.float32), (np.complex64(1), np.float32(1), np.complex64),
        (np.complex64(1), np.float64(1), np.complex128), (1j, np.float32(1), np.complex64),
        (jnp.bfloat16(1), np.float32(1), np.float32), (jnp.bfloat16(1), 2, jnp.bfloat16), (1, 2, np.float64),
    ]  # fmt: skip
    for x, y, expected in cases:
        assert f(x, y).dtype == expected
        assert jax.jit(lambda x, y: f(x, y))(x, y).dtype == expected
        assert jax.vmap(f, (0, None))(jnp.asarray(x)[None], y).dtype == expected


def test_declared_dtypes():
    bare = hw.wrap(dtype=complex)(lambda x: x + 1j)
    assert [bare(d(1)).dtype for d in (np.float32, np.float64, int)] == [
        np.complex64,
        np.complex128,
        np.complex128,
    ]
    several = hw.wrap("()->(),(),()", dtype=(int, bool, None))(
        lambda x: (np.floor(x).astype(int), x > 1, x / 2)
    )
    for call in everywhere(several):
        same(call(np.float32(2.5)), (2, True, np.float32(1.25)))
        assert [r.dtype for r in call(np.float32(2.5))] == [np.int64, bool, np.float32]
    exact = hw.wrap(dtype=np.int8)(lambda x: x.astype(np.int8))
    assert exact(X).dtype == jax.jit(exact)(X).dtype == np.int8


def test_widen_false_passes_dtypes_through_but_for_half_precision():
    seen = []
    f = hw.wrap(widen=False)(lambda x: (seen.append(x.dtype), np.sqrt(x))[1])
    for call in everywhere(f):
        for dtype in (np.float32, np.complex64, np.float16, jnp.bfloat16):
            assert call(np.ones(3, dtype)).dtype == dtype
        assert seen[-4:] == [np.float32, np.complex64, np.float32, np.float32]


WITHOUT_X64 = """
import warnings; warnings.simplefilter("error")
import jax, jax.numpy as jnp, numpy as np, hostwrap as hw
seen = []
f = hw.wrap(lambda x, n: (seen.append((x.dtype, n.dtype)), x * n)[1])
f.defpartials(x=lambda ans, x, n: n + 0 * x, n=lambda ans, x, n: x)
for call in (f, jax.jit(f)):
    assert call(1.5, 2).dtype == call(np.float64(1.5), np.int64(2)).dtype == np.float32
    assert call(1j, 2.0).dtype == call(np.complex128(1j), 2).dtype == np.complex64
    assert call(2, 3).dtype == np.float32
    assert call(jnp.bfloat16(1.5), 2).dtype == jnp.bfloat16
assert {x for x, _ in seen} <= {np.dtype(t) for t in (np.float64, np.complex128, np.int64, np.int32)}, seen
for g in (jax.grad(f), jax.jit(jax.grad(f))):
    assert g(1.5, 2).dtype == g(np.float64(1.5), 3.0).dtype == np.float32
assert jax.jit(jax.hessian(f, (0, 1)))(1.5, 2.5)[0][1] == 1.0
third = hw.wrap(lambda x: x / 3)
assert jax.jit(third)(np.float32(1)) == third(np.float32(1)) == np.float32(1 / 3)
struct = hw.wrap(out=jax.ShapeDtypeStruct((2,), np.float32))(lambda x: np.full(2, x))
assert struct(1.0).dtype == jax.jit(struct)(1.0).dtype == np.float32
with jax.enable_x64(True):
    assert f(1.5, 2).dtype == jax.jit(f)(1.5, 2).dtype == np.float64
    assert jax.jit(jax.grad(f))(1.5, 2).dtype == np.float64
assert f(1.5, 2).dtype == jax.jit(f)(1.5, 2).dtype == np.float32
print("right")
"""


@pytest.mark.subprocess
@pytest.mark.parametrize("lane", ["callback", "pure_callback"])
def test_without_64_bit_types(fresh_python, lane):
    assert "right" in fresh_python(WITHOUT_X64, HOSTWRAP_LANE=lane, JAX_ENABLE_X64="0")


@pytest.mark.parametrize(
    ("name", "points"),
    [
        ("pro_ang1", (0, 1, 0.5, 0.3)),
        ("mathieu_cem", (2, 1.5, 30.0)),
        ("elliprg", (1.0, 2.0, 3.0)),
        ("ellip_harm", (0.5, 1.5, 2, 1, 0.7)),
        ("ellipj", (0.4, 0.95)),
        ("gammainc", (1.5, 2.0)),
        ("jv", (0.5, 2.0)),
    ],
)
def test_special_functions_take_more_axes_than_numpy_broadcasts(name, points):
    f, shape = getattr(special, name), (1,) * 40
    reals = [i for i, p in enumerate(points) if isinstance(p, float)]
    wide = [np.full(shape, p) if i in reals else p for i, p in enumerate(points)]
    first = lambda *p: jax.tree.leaves(f(*p))[0].sum()
    for call in (jax.jit(f), f, jax.grad(first, reals)):
        for got, expected in zip(jax.tree.leaves(call(*wide)), jax.tree.leaves(call(*points)), strict=True):
            assert got.shape == shape
            np.testing.assert_allclose(np.ravel(got), expected, rtol=1e-14)


def test_a_program_for_any_size_needs_the_native_lane():
    (n,) = jax.export.symbolic_shape("n")
    for lane in ("callback", "pure_callback"):
        with hw.lane(lane):
            f = jax.jit(lambda x: special.jv(x, 2.0)).trace(jax.ShapeDtypeStruct((n,), float))
        with pytest.raises(
            hw.SignatureError, match="jv: a program for sizes that are symbols needs the native lane"
        ):
            f.lower()

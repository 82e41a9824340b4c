"""Any NumPy ufunc: nothing is declared, types are NumPy's, and a loop that raises is an error in every lane."""

import ctypes
import gc
import sys
import types
import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.special

import hostwrap as hw
from hostwrap._native import loops as _loops
from tests._kit.toys import each_lane, same  # noqa: F401

lanes = pytest.mark.usefixtures("each_lane")
X, N = np.linspace(0.3, 2.0, 6), np.arange(-2, 4)


def everywhere(f):
    return (f, jax.jit(lambda *xs: f(*xs)), jax.vmap(f))


def targets(function, *args):
    text = jax.jit(function).lower(*args).compile().as_text()
    return [part.split('"')[1] for part in text.split("custom_call_target=")[1:]]


STATIC = b"spread_of", b"no heading here"  # a ufunc does not copy its name


def third_party(like=np.hypot):
    """A ufunc as a C extension makes it, with a name that no module has; its loops are those of another one."""
    api = np._core._multiarray_umath._UFUNC_API
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    make_address = ctypes.cast(pointer(api, None), ctypes.POINTER(ctypes.c_void_p))[1]
    make = ctypes.PYFUNCTYPE(
        ctypes.py_object, *[ctypes.c_void_p] * 3, *[ctypes.c_int] * 4, *[ctypes.c_char_p] * 2, ctypes.c_int
    )(make_address)
    struct = _loops._struct(like)
    counts = (struct.ntypes, struct.nin, struct.nout, -1)
    return make(
        ctypes.cast(struct.functions, ctypes.c_void_p),
        ctypes.cast(struct.data, ctypes.c_void_p),
        struct.types, *counts, *STATIC, 0,
    )  # fmt: skip


# ---- values and types

CASES = [
    (np.add, (N, N)),
    (np.add, (N.astype(np.int8), 3)),
    (np.add, (N > 0, N < 2)),
    (np.left_shift, (np.uint8(7), 1)),
    (np.bitwise_count, (N,)),
    (np.less, (N, 1)),
    (np.isnan, (X,)),
    (np.divmod, (N, 3)),
    (np.divmod, (N, np.int64(0))),
    (np.frexp, (X,)),
    (np.frexp, (X.astype(np.float32),)),
    (np.ldexp, (X, N)),
    (np.modf, (X,)),
    (np.hypot, (X.astype(np.float32), X.astype(np.float32))),
    (np.multiply, (X, 1j * X)),
    (np.abs, (1j * X,)),
    (np.log, (X - 1,)),
    (np.sqrt, (np.zeros(0),)),
    (scipy.special.jv, (2.5, X)),
    (scipy.special.jv, (2.5, (X + 1j).astype(np.complex64))),
    (scipy.special.kn, (N + 2, X)),
    (scipy.special.airy, (X,)),
    (np.matmul, (np.ones((4, 2, 3)), np.arange(6.0).reshape(3, 2))),
    (np.vecdot, (X, 2 * X)),
]


@lanes
@pytest.mark.parametrize(("ufunc", "args"), CASES, ids=lambda x: getattr(x, "__name__", ""))
@pytest.mark.rotating
def test_values_and_types_are_numpys(ufunc, args):
    f = hw.wrap(ufunc)
    with np.errstate(all="ignore"):
        wanted = ufunc(*args)
    for call in (f, jax.jit(lambda *xs: f(*xs))):
        got = call(*args)
        assert isinstance(got, tuple) == isinstance(wanted, tuple)
        for g, w in zip(jax.tree.leaves(got), jax.tree.leaves(wanted), strict=True):
            assert g.dtype == w.dtype and g.shape == w.shape
            np.testing.assert_array_equal(np.asarray(g), w)


@lanes
@pytest.mark.parametrize(
    ("ufunc", "args", "dtype"),
    [
        (np.sin, (N.astype(np.int8),), np.float64),  # NumPy: float16
        (np.add, (N.astype(np.int32), X.astype(np.float32)), np.float32),  # NumPy: float64
        (np.true_divide, (N, 2), np.float64),
        (np.hypot, (X.astype(np.float16), 2), np.float16),
        (np.sqrt, (jnp.asarray(X, jnp.bfloat16),), jnp.bfloat16),
        (scipy.special.jv, (2, np.float32(3)), np.float32),
    ],
)
def test_integers_among_floats_and_half_precision_are_jaxs(ufunc, args, dtype):
    for call in (hw.wrap(ufunc), jax.jit(hw.wrap(ufunc))):
        got = call(*args)
        assert got.dtype == dtype
        np.testing.assert_allclose(
            np.asarray(got, float), ufunc(*(np.asarray(a, float) for a in args)), rtol=1e-2
        )


@lanes
def test_without_64_bits_the_results_are_narrow():
    with jax.enable_x64(False):
        same(jax.jit(hw.wrap(np.hypot))(3, 4), np.float32(5))
        assert jax.jit(hw.wrap(np.add))(3, 4).dtype == np.int32
        assert jax.jit(hw.wrap(scipy.special.jv))(2, 3.0).dtype == np.float32


@lanes
def test_leading_axes_are_batches():
    matmul, solve = hw.wrap(np.matmul), hw.wrap(np.linalg._umath_linalg.solve)
    a, b = np.random.default_rng(0).normal(size=(2, 5, 3, 3))
    same(jax.jit(jax.vmap(matmul, (0, None)))(a, b[0]), a @ b[0])
    same(jax.vmap(jax.vmap(hw.wrap(np.add), (0, None)), (None, 0))(X, N + 0.5), X + N[:, None] + 0.5)
    same(jax.jit(solve)(a, b), np.linalg.solve(a, b))
    for wrong in (lambda: matmul(a, b[:, :2]), lambda: matmul(a[0], X[:3])):
        with pytest.raises(hw.SignatureError, match=r"matmul: signature '\(n,k\),\(k,m\)->\(n,m\)'"):
            wrong()


def test_names_come_from_the_documentation():
    heads = {
        scipy.special.jv: "jv(v, z, /)",
        scipy.special.ndtr: "ndtr(x, /)",
        np.add: "add(x1, x2, /)",
        np.matmul: "matmul(x1, x2, /)",
        third_party(): "spread_of(x1, x2, /)",
    }
    for ufunc, head in heads.items():
        assert repr(hw.wrap(ufunc)) == f"<hostwrap.wrap of {head}>"


def test_types_without_a_loop():
    with pytest.raises(
        hw.SignatureError, match=r"gcd: there is no loop for float64, float64; the ufunc has bb->b"
    ):
        jax.jit(hw.wrap(np.gcd))(1.0, 2.0)
    with pytest.raises(hw.SignatureError, match="add: 300 does not fit int8, the type of the other arrays"):
        hw.wrap(np.add)(np.int8(1), 300)
    with pytest.raises(hw.SignatureError, match=r"add\(x1, x2, /\): too many"):
        hw.wrap(np.add)(1, 2, 3)


@lanes
def test_options_go_before_what_the_ufunc_says():
    wide = hw.wrap(np.exp, widen=True)
    x = np.float32(1.1)
    assert jax.jit(wide)(x) == np.float32(np.exp(np.float64(x)))
    same(jax.jit(hw.wrap(np.add, dtype=float))(2, 3), 5.0)
    same(jax.jit(hw.wrap("(n),(n)->(n)")(np.add))(X, X), 2 * X)
    two = hw.wrap(np.divmod, out=(jax.ShapeDtypeStruct((), int), jax.ShapeDtypeStruct((), int)))
    same(jax.jit(two)(7, 2), (3, 1))


# ---- derivatives


@lanes
def test_partials_in_order_and_by_name():
    by_name = hw.wrap(np.hypot).defpartials(x1=lambda y, a, b: a / y, x2=lambda y, a, b: b / y)
    in_order = hw.wrap(np.hypot).defpartials(lambda y, a, b: a / y, lambda y, a, b: b / y)
    mixed = hw.wrap(np.hypot).defpartials(lambda y, a, b: a / y, x2=hw.unknown("not today"))
    for f in (by_name, in_order):
        same(jax.jit(jax.grad(f, (0, 1)))(3.0, 4.0), (0.6, 0.8))
        (second, _), (_, mixed_twice) = jax.jit(jax.hessian(f, (0, 1)))(3.0, 4.0)
        same((second, mixed_twice), (0.128, 0.072))
        assert jax.grad(f)(np.float32(3), 4).dtype == np.float32
    same(jax.grad(mixed)(3.0, 4.0), 0.6)
    with pytest.raises(hw.MissingDerivative, match=r"hypot.*`x2`: not today"):
        jax.grad(mixed, 1)(3.0, 4.0)
    for wrong in (lambda f: f.defpartials(len, len, len), lambda f: f.defpartials(len, x1=len)):
        with pytest.raises(
            hw.RuleError, match=r"hypot: \d partials in order .* the arguments are \['x1', 'x2'\]"
        ):
            wrong(hw.wrap(np.hypot))


@lanes
def test_partials_of_integers_and_of_core_axes():
    ldexp = hw.wrap(np.ldexp).defpartials(x1=lambda y, x, n: jnp.exp2(n), x2=hw.discrete)
    same(jax.jit(jax.grad(ldexp))(1.5, 3), 8.0)
    dot = hw.wrap(np.vecdot).defpartials(lambda y, a, b: b, lambda y, a, b: a)
    same(jax.grad(dot)(X, X + 1), X + 1)
    with pytest.raises(hw.MissingDerivative, match=r"hypot: .* it has no derivative rule"):
        jax.grad(hw.wrap(np.hypot, derivatives="rules"))(1.0, 2.0)
    same(jax.grad(hw.wrap(np.hypot))(3.0, 4.0), 0.6)


# ---- ufuncs of all kinds


@lanes
def test_python_functions_that_numpy_spreads():
    of_objects = hw.wrap(np.frompyfunc(lambda a, b: a + b, 2, 1))
    same(jax.jit(of_objects)(X, 1.0), X + 1.0)
    same(jax.vmap(of_objects, (0, None))(X, 1.0), X + 1)
    same(jax.jit(of_objects)(np.zeros(0), 1.0), np.zeros(0))
    same(jax.jit(hw.wrap(np.frompyfunc(divmod, 2, 2), dtype=(int, int)))(7, 2), (3, 1))
    with pytest.raises(hw.ResultError, match=r"declared float64, .* returned complex128"):
        hw.wrap(np.frompyfunc(lambda a: a + 1j, 1, 1))(1.0)
    vectorized = hw.wrap(np.vectorize(lambda a, b: a if a > b else b))
    same(jax.jit(vectorized)(X, 1.0), np.maximum(X, 1.0))
    assert repr(vectorized).endswith("(a, b)>")
    total = hw.wrap(np.vectorize(lambda a: a.sum(), signature="(n)->()"))
    same(jax.jit(total)(np.ones((2, 3))), np.full(2, 3.0))


@lanes
def test_a_third_party_ufunc():
    f = hw.wrap(third_party())
    same(jax.jit(f)(X, 2.0), np.hypot(X, 2.0))
    same(f(np.float32(3), np.float32(4)), np.float32(5))
    with hw.lane("native"):
        if hw.lanes()["native"] == "available" and jax.default_backend() == "cpu":
            assert targets(f, X, X) == ["hostwrap_loops"]


@pytest.mark.native
def test_which_lane_a_ufunc_takes():
    python = targets(hw.wrap(lambda x: x), 1.0)
    with hw.lane("native"):
        for ufunc, args in CASES:
            if not np.size(args[0]):
                continue  # there is nothing to call
            core = ufunc.signature is not None
            assert targets(hw.wrap(ufunc), *args) == (python if core else ["hostwrap_loops"])
        for other in (
            hw.wrap(np.frompyfunc(abs, 1, 1)),
            hw.wrap(np.abs, on_error="nan"),
            hw.wrap(np.abs, widen=True),
        ):
            assert targets(other, 1.0) == python


@pytest.mark.native
def test_a_key_means_the_same_in_another_process():
    double = np.dtype(float)
    assert _loops._name(scipy.special.jv) == "scipy.special.jv" and _loops._name(np.add) == "numpy.add"
    first, second = third_party(), third_party()
    keys = [_loops.find(f, (double,) * 3).name for f in (first, second)]
    assert keys[0] != keys[1]  # names of this process alone
    module = types.ModuleType("hostwrap_test_module")
    module.spread_of = third = third_party()
    sys.modules[module.__name__] = module
    try:
        assert _loops._name(third) == "hostwrap_test_module.spread_of"
    finally:
        del sys.modules[module.__name__]


@pytest.mark.native
def test_a_program_outlives_the_ufunc_that_it_calls():
    with hw.lane("native"):
        compiled = jax.jit(hw.wrap(third_party())).lower(X, X).compile()
    gc.collect()
    same(compiled(X, X), np.hypot(X, X))


# ---- loops that raise


def raises(call, match):
    with pytest.raises(Exception, match=match):
        jax.block_until_ready(call())


@lanes
def test_a_loop_that_raises_never_returns_garbage():
    """Also in the threads of XLA, where an exception would be lost with the thread state that the loop made for it."""
    power, slow = hw.wrap(np.power), jax.jit(lambda a: (a @ a)[0, :1])
    compiled, many = jax.jit(power), np.full(100_000, -1)
    for _ in range(20):
        raises(lambda: compiled(2, -1), "negative integer powers")
        raises(lambda: compiled(2, many), "negative integer powers")
        later = slow(jnp.ones((200, 200)))
        raises(lambda later=later: compiled(2, -1 - (0 * later).astype(int)), "negative integer powers")
        assert compiled(2, 3) == 8
    with pytest.raises(ValueError, match="negative integer powers"):
        power(2, -1)


@lanes
def test_numpys_errstate_has_no_meaning_for_ufuncs():
    with np.errstate(all="raise"), warnings.catch_warnings():
        warnings.simplefilter("error")
        for f in (hw.wrap(np.log), jax.jit(hw.wrap(np.log))):
            assert np.isnan(f(-1.0)) and f(0.0) == -np.inf


# ---- numba


@pytest.fixture
def numba():
    return pytest.importorskip("numba")


@lanes
def test_numba_compiles_the_loops_that_are_wanted(numba):
    @numba.vectorize
    def smooth(a, b):
        return a * b + 1

    f = hw.wrap(smooth).defpartials(a=lambda y, a, b: b, b=lambda y, a, b: a)
    assert repr(f) == "<hostwrap.wrap of smooth(a, b, /)>"
    same(jax.jit(f)(X, 3.0), X * 3 + 1)
    same(f(N, 2), N * 2 + 1)
    same(jax.jit(jax.grad(f, (0, 1)))(2.0, 3.0), (3.0, 2.0))
    same(jax.jit(lambda z: f(z, z))(X + 1j), (X + 1j) * (X + 1j) + 1)


@lanes
def test_numba_with_declared_types_and_with_core_axes(numba):
    def picky(x):
        if x < 0:
            raise ValueError("x is negative")
        return np.sqrt(x)

    f = hw.wrap(numba.vectorize(["float64(float64)"])(picky))
    same(jax.jit(f)(X), np.sqrt(X))
    assert f(np.float32(4)).dtype == np.float64  # the only loop there is
    compiled, many = jax.jit(f), np.where(np.arange(100_000) < 99_999, 1.0, -1.0)
    for _ in range(10):
        raises(lambda: compiled(many), "x is negative")
        raises(lambda: compiled(-1.0), "x is negative")

    @numba.guvectorize(["void(float64[:],float64,float64[:])"], "(n),()->(n)")
    def shifted(a, b, out):
        for i in range(a.shape[0]):
            out[i] = a[i] + b

    same(jax.vmap(hw.wrap(shifted), (None, 0))(X, N + 0.5), X + N[:, None] + 0.5)

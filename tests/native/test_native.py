"""The native lane: the loop itself, its operands, threads, errors. (That values are SciPy's: test_catalogue.)"""

import re
import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.special

import hostwrap as hw
from hostwrap import special
from hostwrap._host import parallel
from hostwrap._lanes import native
from hostwrap._native import library as _library
from hostwrap._native import loops as _loops
from hostwrap._native import program as _assembly
from hostwrap._native.tape import Tape
from hostwrap.special._entry import CATALOGUE, discrete
from tests.special.test_unsafe import hostile

pytestmark = pytest.mark.native
RANDOM = np.random.default_rng(5)


@pytest.fixture(autouse=True)
def in_the_native_lane():
    with hw.lane("native"):
        yield


def targets(function, *args):
    """What a compiled program calls."""
    text = jax.jit(function).lower(*args).compile().as_text()
    return re.findall(r'custom_call_target="(\w+)"', text)


def same(got, want):
    np.testing.assert_array_equal(np.asarray(got), want)


# ---- operands


def test_a_value_is_computed_without_python():
    assert targets(special.jv, 2.5, np.ones(3)) == ["hostwrap_loops"]
    assert targets(special.airy, np.ones(3)) == ["hostwrap_loops"]


@pytest.mark.parametrize(
    "shapes", [((), (5,)), ((3, 1), (1, 4)), ((2, 1, 3), (4, 1)), ((0,), (1,)), ((), ())]
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_operands_broadcast(shapes, dtype):
    v, x = (RANDOM.uniform(0.5, 9, shape).astype(dtype) for shape in shapes)
    same(jax.jit(special.jv)(v, x), scipy.special.jv(v, x))
    same(jax.jit(lambda v, x: special.jv(v, x.T))(v, x.T), scipy.special.jv(v, x))


def test_dimensions_that_cannot_be_merged():
    x = RANDOM.uniform(0.5, 9, (3, 4, 5))
    for axis in range(3):
        y = x.take([1], axis)
        same(jax.jit(special.jv)(y, x), scipy.special.jv(y, x))
        same(jax.jit(special.jv)(x, y), scipy.special.jv(x, y))


def test_some_of_several_results():
    z = RANDOM.normal(size=7) + 1j
    same(jax.jit(lambda z: special.airy(z).bi)(z), scipy.special.airy(z)[2])
    got = jax.jit(lambda z: special.airy(z)[::-1])(z)
    for g, w in zip(got, scipy.special.airy(z)[::-1], strict=True):
        same(g, w)


def test_types_that_no_loop_has_take_the_next_lane():
    assert targets(special.jv, np.float16(2), np.float16(3)) == targets(hw.wrap(lambda x: np.sin(x)), 1.0)
    assert targets(lambda x: special.kn(2, x), np.float64(3)) == ["hostwrap_loops"]  # an integer loop


def test_loops_that_may_warn_take_the_next_lane():
    """SciPy's float loop of an integer order raises a Python warning for each number that is no integer."""
    python = targets(hw.wrap(lambda x: np.sin(x)), 1.0)
    assert targets(special.kn, np.float64(2.5), np.float64(3)) == python
    assert targets(special.kn, np.int64(2), np.float64(3)) == ["hostwrap_loops"]


def test_which_loops_warn():
    """A float loop beside an integer one is taken if, and only if, SciPy says nothing when the order is none."""
    for ufunc in (u for u in vars(scipy.special).values() if isinstance(u, np.ufunc)):
        doubles = "d" * ufunc.nin + "->" + "d" * ufunc.nout
        if doubles in ufunc.types and any("l" in t for t in ufunc.types):
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                ufunc(*[2.5] * ufunc.nin)
            assert (_loops.find(ufunc, (np.dtype(float),) * ufunc.nargs) is None) == bool(said), ufunc


@pytest.mark.parametrize("name", [n for n, f in sorted(CATALOGUE.items()) if f.unsafe])
@pytest.mark.rotating
def test_functions_on_which_scipy_may_crash_are_masked(name):
    """They survive tests/special/test_unsafe.py's points, and are NaN where they are unsafe."""
    f, points = CATALOGUE[name], list(hostile(CATALOGUE[name]).T)
    orders = [f.rules[a] is discrete for a in f.args]
    points = [
        np.nan_to_num(np.clip(p, -9, 9)).astype(int) if o else p for p, o in zip(points, orders, strict=True)
    ]
    assert targets(f, *points) == ["hostwrap_loops"]
    results = jax.tree.leaves(jax.jit(f)(*points))
    bad = np.broadcast_to(f.unsafe(*points), results[0].shape)
    for got, want in zip(results, jax.tree.leaves(f.on_host(*points)), strict=True):
        assert np.all(np.isnan(got[bad]))
        if not name.startswith("obl_rad"):  # which read memory that they have not written, where c is 0
            same(got, want)


def test_subnormals_are_not_flushed():
    assert jax.jit(special.binom)(169.378, 0.19335) == scipy.special.binom(169.378, 0.19335)


# ---- threads


@pytest.mark.parametrize("threads, grain", [(1, 1), (2, 1), (2, 7), (5, 100), (64, 1)])
def test_threads_share_the_elements(monkeypatch, threads, grain):
    monkeypatch.setattr(parallel, "thread_count", lambda: threads)
    monkeypatch.setattr(_assembly, "grain", lambda *_: grain)
    v, x = RANDOM.uniform(0, 3, (97, 1)), RANDOM.uniform(0.5, 30, (97, 31))
    for _ in range(5):
        same(jax.jit(lambda v, x: special.jv(v, x))(v, x), scipy.special.jv(v, x))
        same(jax.jit(lambda x: special.airy(x))(x)[1], scipy.special.airy(x)[1])


def test_the_number_of_threads_is_a_setting(monkeypatch):
    monkeypatch.delenv("HOSTWRAP_NUM_THREADS", raising=False)
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    assert parallel.thread_count() == 3
    monkeypatch.setenv("HOSTWRAP_NUM_THREADS", "2")
    assert parallel.thread_count() == 2
    monkeypatch.setenv("HOSTWRAP_NUM_THREADS", "many")
    monkeypatch.delenv("OMP_NUM_THREADS")
    assert parallel.thread_count() >= 1


def test_a_cheap_loop_wants_more_elements_for_a_thread():
    double = np.dtype(float)
    cheap = _assembly.grain(_assembly.cost(scipy.special.expit, (double,)))
    dear = _assembly.grain(_assembly.cost(scipy.special.struve, (double, double)))
    assert 64 <= dear < cheap < 10**6


# ---- errors


def raw(key, *operands, dtype=np.float64):
    """A program as it may come from a file."""
    native.connect()
    result = jax.ShapeDtypeStruct(np.broadcast_shapes(*[x.shape for x in operands]), dtype)
    call = jax.ffi.ffi_call(_library.LOOPS, result)
    return jax.jit(lambda *xs: call(*xs, key=np.int64(key), threads=np.int64(1), grain=np.int64(1)))(
        *operands
    )


def test_a_key_that_is_not_registered():
    with pytest.raises(jax.errors.JaxRuntimeError, match="does not know program 00000000000004d2"):
        raw(1234, np.ones(3))


def test_a_program_that_does_not_fit_its_loop():
    double = np.dtype(float)
    tape = Tape([double] * 2)
    key = _assembly.assemble(tape, [scipy.special.jv(*tape.inputs)], [double]).key
    with pytest.raises(jax.errors.JaxRuntimeError, match="1 operands and 1 results, the program has 2 and 1"):
        raw(key, np.ones(3))
    with pytest.raises(jax.errors.JaxRuntimeError, match="operand 1 has type 11 and rank 1"):
        raw(key, np.ones(3), np.ones(3, np.float32))
    with pytest.raises(jax.errors.JaxRuntimeError, match="operand 0 has type 12 and rank 1, not 12 and 2"):
        raw(key, np.ones(3), np.ones((1, 3)))
    same(raw(key, np.ones(3), np.ones(3)), scipy.special.jv(1, [1.0] * 3))


def test_an_exception_in_a_loop_is_an_error():
    f = jax.jit(lambda x: special.gammaln(x))
    assert f(-1.0) == np.inf
    raised = pytest.raises(
        (jax.errors.JaxRuntimeError, ValueError), match=r"the loop raised: scipy\.special/lgam"
    )
    with scipy.special.errstate(all="raise"), raised:
        f(-1.0).block_until_ready()
    assert f(-1.0) == np.inf


def test_without_the_library(monkeypatch, tmp_path):
    monkeypatch.setattr(_library, "FILE", tmp_path / "libhostwrap.so")
    assert "was not built" in _library.problem()
    (tmp_path / "libhostwrap.so").write_text("no library")
    assert "cannot be loaded" in _library.problem()


def test_the_source_says_that_it_hides_the_installed_package(monkeypatch, tmp_path):
    """As after `pip install .`, in the same folder."""
    source, installed = (tmp_path / name / "hostwrap" / "_native" for name in ("source", "installed"))
    installed.mkdir(parents=True)
    (installed / "libhostwrap.so").write_text("")
    monkeypatch.setattr(_library, "FILE", source / "libhostwrap.so")
    monkeypatch.setattr("sys.path", [str(tmp_path / "source"), str(tmp_path / "installed")])
    assert str(tmp_path / "installed") in _library.problem() and "-P" in _library.problem()


def test_ufuncs_that_are_none_of_scipys_or_numpys_are_not_taken_by_name():
    double = np.dtype(float)
    own = np.frompyfunc(lambda x: x, 1, 1)
    assert _loops.find(own, (double, double)) is None
    assert _loops.find(np.linalg._umath_linalg.det, (double, double)) is None


def test_in_loops_and_batches():
    x = RANDOM.uniform(0.5, 9, (4, 6))
    same(
        jax.jit(jax.vmap(jax.vmap(special.jv, (None, 0)), (0, 0)))(x[:, 0], x), scipy.special.jv(x[:, :1], x)
    )
    total = jax.jit(lambda x: jax.lax.scan(lambda c, a: (c + special.ndtr(a), special.ndtr(a)), 0.0, x)[1])(
        x[0]
    )
    same(total, scipy.special.ndtr(x[0]))
    np.testing.assert_allclose(
        jax.jit(jax.grad(lambda x: jnp.sum(special.ndtr(x))))(x), np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)
    )

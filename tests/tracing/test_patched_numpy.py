"""`hostwrap.patch`: NumPy's and Python's own functions of numbers, and what the user reads where they do not do."""

import cmath
import math
import subprocess
import sys
import textwrap
import types

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hostwrap as hw


def slope(f, x, h=1e-4):
    return (8 * (f(x + h) - f(x - h)) - (f(x + 2 * h) - f(x - 2 * h))) / (12 * h)


def named():
    """A module that has imported functions by name."""
    module = types.ModuleType("module_of_numbers")
    exec(
        "from math import exp\nfrom numpy import asarray\ndef f(x): return exp(x) * asarray(x)", vars(module)
    )
    return module


NAMED = named()
FUNCTIONS = {
    "asarray": lambda x: np.asarray(x) ** 2,
    "array of a list": lambda x: np.linalg.det(np.array([[x, 1.0], [2.0, x * x]])),
    "dtype": lambda x: np.sum(np.asanyarray([x, 2], dtype=float) * x),
    "memory": lambda x: np.sum(np.ascontiguousarray(x * np.ones(2)) + np.asarray_chkfinite(x)),
    "full": lambda x: np.sum(np.full(3, x) + np.full_like(np.ones(3), x) ** 2),
    "arange": lambda x: np.sum(np.arange(3) * x),
    "math": lambda x: math.exp(x) + math.log(x, 2.0) + math.hypot(x, 2.0) + math.erf(x) * math.atan2(x, 1.0),
    "several in math": lambda x: math.fsum([x, x * x]) * math.dist([x, 1.0], [2.0, x]) + math.floor(x) * x,
    "cmath": lambda x: cmath.exp(1j * x).imag,
    "by name": lambda x: NAMED.f(x),
    "vectorize": lambda x: np.sum(np.vectorize(lambda t, u: t * math.sin(u))(np.array([x, 1.0]), x)),
    "__array__": lambda x: np.sum((x * np.arange(3.0)).__array__() ** 2),
    "a scalar": lambda x: x**2 if np.isscalar(x) else 0 * x,
    "r_ and c_": lambda x: np.sum(np.r_[x, 1.0, x] ** 2) * np.c_[x, x][0, 1],
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_that_numpy_does_not_dispatch(name):
    f = FUNCTIONS[name]
    sys.modules[NAMED.__name__] = NAMED
    try:
        with hw.patch():
            value, found = jax.jit(jax.value_and_grad(lambda x: jnp.asarray(f(x))))(1.3)
    finally:
        del sys.modules[NAMED.__name__]
    assert np.isclose(value, f(1.3), rtol=1e-12)
    assert np.isclose(found, slope(f, 1.3), rtol=1e-8)


def test_numpys_arrays_get_numpys_own():
    with hw.patch():
        assert type(np.asarray(jnp.ones(2))) is np.ndarray and type(math.exp(jnp.ones(()))) is float
        assert type(np.array([1.0, jnp.ones(())])) is np.ndarray and not np.isscalar(np.ones(()))
        with pytest.raises(ValueError, match="math domain"):
            math.sqrt(-1.0)


OWNERS = (
    np,
    math,
    cmath,
    np.vectorize,
    type(np.r_).__mro__[1],
    jax.core.Tracer,
    jax.errors.ConcretizationTypeError,
)


def test_they_are_put_back():
    before = [dict(vars(owner)) for owner in OWNERS]
    with hw.patch():
        assert [dict(vars(owner)) for owner in OWNERS] != before
    assert [dict(vars(owner)) for owner in OWNERS] == before


# ---- writing into an array


def into(write):
    def f(x):
        d = np.ones((2, 2))
        write(d, x)
        return d.sum()

    return f


WRITES = {
    "out=": into(lambda d, x: np.multiply(d, x, out=d)),
    "out by position": into(lambda d, x: np.multiply(d, x, d)),
    "+=": into(lambda d, x: d.__iadd__(x)),
    "at": into(lambda d, x: np.add.at(d, ([0, 1], [0, 1]), x)),
    "copyto": into(np.copyto),
    "put": into(lambda d, x: np.put(d, [0], x)),
    "a sum": into(lambda d, x: np.sum(x * np.ones((2, 2, 2)), axis=0, out=d)),
    "concatenate": into(lambda d, x: np.concatenate([x * np.ones((1, 2)), np.ones((1, 2))], out=d)),
    "of JAX": lambda x: (lambda a: (np.exp(a, out=a), a)[1])(np.sin(x)),
    "sort": lambda x: (lambda a: (a.sort(), a)[1])(x * np.array([2.0, 1.0]))[0],
}


@pytest.mark.parametrize("name", WRITES)
def test_what_would_be_written_into_the_users_array_is_no_silent_zero(name):
    with hw.patch(), pytest.raises(hw.MissingDerivative, match=r"array.*(hostwrap\.wrap decorates|np\.sort)"):
        jax.grad(lambda x: jnp.asarray(WRITES[name](x)))(1.3)


# ---- advice


def writes(x):
    y = x * np.ones(2)
    y[0] = 3.0
    return y.sum()


LOOKS = {
    "a branch": (jax.errors.TracerBoolConversionError, lambda x: x if x > 0 else -x),
    "float": (jax.errors.ConcretizationTypeError, lambda x: float(x) ** 2),
    "an index": (jax.errors.TracerIntegerConversionError, lambda x: [1.0, 2.0][jnp.asarray(x, int)]),
    "a type": (jax.errors.TracerArrayConversionError, lambda x: np.float64(x) * 2),
    "a mask": (jax.errors.NonConcreteBooleanIndexError, lambda x: (x * np.ones(2))[x * np.ones(2) > 0].sum()),
    "an assignment": (TypeError, writes),
}


@pytest.mark.parametrize("name", LOOKS)
def test_jaxs_error_says_that_wrap_differentiates_such_code(name):
    kind, f = LOOKS[name]
    with hw.patch(), pytest.raises(kind) as error:
        jax.jit(jax.grad(f))(1.3)
    (note,) = [n for n in error.value.__notes__ if "hostwrap" in n]
    assert "decorate your function with @hostwrap.wrap" in note
    with pytest.raises(kind) as error:  # without the patch JAX's own
        jax.jit(jax.grad(f))(1.3)
    assert not any("hostwrap" in n for n in getattr(error.value, "__notes__", ()))


def test_started_for_good():
    patched = hw.patch().start()
    try:
        with pytest.raises(jax.errors.ConcretizationTypeError) as error:
            jax.grad(LOOKS["float"][1])(1.3)
    finally:
        patched.stop()
    assert any("hostwrap.wrap" in note for note in error.value.__notes__)


def test_the_advice_is_right():
    f = hw.wrap("(n)->()")(lambda x: writes(x[0]) + (x[1] if x[1] > 0 else -x[1]))
    assert np.array_equal(jax.grad(f)(np.array([1.3, -2.0])), [1.0, -1.0])


# ---- code that runs first under a patch


def test_tables_name_the_functions_themselves():
    """A module that is imported under the patch must not keep what stands in front of NumPy's functions."""
    program = """
    import math, sys
    import numpy as np, jax, scipy.linalg, scipy.signal
    import hostwrap as hw
    jax.config.update("jax_enable_x64", True)
    from hostwrap._tracing import calls
    def f(x):
        return scipy.linalg.det(np.array([[math.exp(x), 1.0], [2.0, x]])) if x > 0 else np.float64(0)
    with hw.patch():
        found = jax.grad(hw.wrap(f))(1.3), jax.grad(lambda x: scipy.linalg.expm(x * np.eye(2))[0, 0])(1.3)
    assert np.allclose(found, [np.exp(1.3) * 2.3, np.exp(1.3)]), found
    assert calls.twin_of(calls.original(scipy.signal.butter)) is None  # its own code is followed
    assert np.isclose(jax.grad(hw.wrap(f))(1.4), np.exp(1.4) * 2.4)
    for name, module in list(sys.modules.items()):
        for key, table in list(vars(module).items()) if name.startswith("hostwrap.") else ():
            kept = [k for k in table if hasattr(k, "patched")] if isinstance(table, dict | set | frozenset) else []
            assert not kept, (name, key, kept)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]

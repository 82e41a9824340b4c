"""Properties of the functions of `hostwrap.special`: value and derivative, for any arguments."""

import jax
import jax.numpy as jnp
import numpy as np
from hypothesis import strategies as st

import hostwrap as hw
from tests.fuzz.numpys import WIDE, common, compare, drawn, kind
from tests.fuzz.outcomes import Wrong, eager_and_compiled, outcome, same
from tests.reference import ledger
from tests.reference.entries import catalogue, statics


def _promoted(function, passed, values):
    """As docs/special.md has it: integers become floats, unless SciPy has a loop for integers at that place."""
    dtype = common(passed)
    real = np.dtype(jnp.finfo(dtype).dtype)
    real = np.dtype(np.float32) if real.itemsize < 4 else real
    complexes = np.dtype(np.complex128 if real.itemsize == 8 else np.complex64)
    found = []
    for keeps, value in zip(function.integral, values, strict=True):
        k = kind(np.asarray(value).dtype)
        target = np.int64 if keeps and k in "iub" else complexes if k == "c" else real
        found.append(np.asarray(value).astype(target))
    return found


def _values(draw):
    """A function of the catalogue, its statics, arguments as passed, and what SciPy gets."""
    public = [f for f in catalogue().values() if f.public]
    function = draw(st.sampled_from(public))
    chosen = draw(st.sampled_from(statics(function)))
    names = (
        "float64",
        "float32",
        "complex128",
        "int64",
        "float16",
        "bfloat16",
        "complex64",
        "int32",
        "uint8",
        "bool",
    )
    passed, values = drawn(draw, len(function.args), rank=2, names=names)
    return function, chosen, passed, values


def special(draw):
    """The value is SciPy's, bit for bit, whatever comes in."""
    function, chosen, passed, values = _values(draw)
    f = lambda *xs: function(*xs, **chosen)
    wide = not isinstance(function.host, np.ufunc)
    real = np.dtype(jnp.finfo(common(passed)).dtype)

    def expected():
        arrays = _promoted(function, passed, values)
        arrays = [a.astype(WIDE[a.dtype.kind]) for a in arrays] if wide else arrays
        if wide and any(
            a.dtype.kind == "c" and not _may_be_complex(function, n) for n, a in enumerate(arrays)
        ):
            raise TypeError("a complex order, of which SciPy makes NaN or what it likes")
        results = function.on_host(*arrays, **chosen)
        return [np.asarray(y).astype(_rounded(y, real)) for y in (results if function.outs else [results])]

    if ledger.bits_vary(function.name):
        eager_and_compiled(f, *passed)
    else:
        compare(lambda *xs: list(f(*xs)) if function.outs else [f(*xs)], passed, expected)


def _may_be_complex(function, number):
    return getattr(function.boxes[function.args[number]], "im", None) is not None


def _rounded(value, real):
    if np.iscomplexobj(value):
        return np.complex128 if real.itemsize == 8 else np.complex64
    return real


def derivative(draw):
    """A derivative anywhere is a number, NaN or a clear error; and the same under jit."""
    function, chosen, passed, _ = _values(draw)
    xs = [jnp.asarray(x) for x in passed]
    moving = [i for i, x in enumerate(xs) if jnp.issubdtype(x.dtype, jnp.inexact)]
    if not moving or max(x.ndim for x in xs) > 8:
        return
    tangents = [jnp.ones_like(xs[i]) for i in moving]

    def along(*xs):
        def f(*values):
            return function(
                *[values[moving.index(i)] if i in moving else x for i, x in enumerate(xs)], **chosen
            )

        return jax.jvp(f, [xs[i] for i in moving], tangents)[1]

    eager, error = outcome(along, *xs)
    compiled, error_of_jit = outcome(jax.jit(along), *xs)
    _both_or_neither(error, error_of_jit)
    if error is None:
        coarse = {2: 1e-2, 4: 1e-5}.get(jax.tree.leaves(eager)[0].dtype.itemsize, 1e-9)
        same(compiled, eager, "jit and eager", coarse)


def _both_or_neither(error, error_of_jit):
    for each in (error, error_of_jit):
        if each is not None and not isinstance(each, hw.HostwrapError):
            raise Wrong(f"not an error of ours: {each!r}") from each
    if (error is None) != (error_of_jit is None):
        raise Wrong(f"eager: {error!r}, jit: {error_of_jit!r}")


PROPERTIES = [special, derivative]

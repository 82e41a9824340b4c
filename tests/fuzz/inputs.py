"""What a caller may pass: every dtype, shape, way to lie in memory and hostile number; and what is no array at all."""

import atexit
import fractions
import functools
import itertools
import pathlib
import shutil
import tempfile

import jax
import jax.numpy as jnp
import numpy as np
from hypothesis import strategies as st

FLOATS = ["float64", "float32", "float16", "bfloat16"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
COMPLEX = ["complex128", "complex64"]
NARROW = ["float8_e4m3fn", "float8_e5m2", "float8_e4m3b11fnuz", "int4", "uint4"]
NUMBERS = [*FLOATS, *COMPLEX, "bool", *INTEGERS]

seeds = st.integers(0, 2**32 - 1)


def dtypes(names=(*NUMBERS, *NARROW)):
    """More often the common ones."""
    return st.sampled_from([*names[:4] * 3, *names]).map(jnp.dtype)


def sizes(rank=3, most=4):
    return st.lists(st.integers(0, most), max_size=rank).map(tuple)


@st.composite
def shapes(draw, count, rank=3):
    """Shapes that broadcast together, most of the time; now and then with very many axes."""
    full = draw(sizes(rank)) if draw(st.integers(0, 19)) else (1,) * draw(st.integers(30, 60))
    found = []
    for _ in range(count):
        own = full[draw(st.integers(0, len(full))) :] if draw(st.booleans()) else full
        found.append(tuple(1 if draw(st.integers(0, 5)) == 0 else n for n in own[-8:]) if own else own)
        if len(own) > 8:
            found[-1] = own
    if not draw(st.integers(0, 9)):
        found[-1] = draw(sizes(rank))
    return found


# ---- numbers


def _corners(dtype):
    """Zeros, infinities, NaNs with payloads, subnormal and extreme numbers, and those beside 1."""
    info = jnp.finfo(dtype)
    numbers = [0.0, 1.0, -1.0, 0.5, 2.0, -2.5, 30.0, np.inf, np.nan]
    numbers += [float(info.max), float(info.tiny), float(info.smallest_subnormal), 1 + float(info.eps)]
    with np.errstate(all="ignore"):
        array = np.array(numbers).astype(dtype)
        return np.concatenate([array, -array])


def reals(generator, dtype, shape):
    """Corners, random bits (every exponent, NaNs with payloads) and ordinary numbers, mixed."""
    corners = generator.choice(_corners(dtype), shape)
    bits = generator.integers(0, 256, (*shape, dtype.itemsize), np.uint8).view(dtype).reshape(shape)
    with np.errstate(all="ignore"):
        plain = np.asarray(generator.normal(0, 3, shape)).astype(dtype)
    return np.where(
        generator.random(shape) < 0.4, corners, np.where(generator.random(shape) < 0.3, bits, plain)
    )


def numbers(seed, dtype, shape):
    """An array of any dtype of JAX."""
    generator = np.random.default_rng(seed)
    if dtype.kind == "b":
        return generator.integers(0, 2, shape).astype(bool)
    if jnp.issubdtype(dtype, jnp.complexfloating):
        real = np.dtype(f"float{dtype.itemsize * 4}")
        array = np.empty(shape, dtype)
        array.real, array.imag = reals(generator, real, shape), reals(generator, real, shape)
        return array
    if jnp.issubdtype(dtype, jnp.floating):
        return np.asarray(reals(generator, dtype, shape))
    info = jnp.iinfo(dtype)
    corners = generator.choice([0, 1, 2, 3, int(info.max), int(info.min)], shape)
    small = generator.integers(0, 5, shape)
    return np.where(generator.random(shape) < 0.3, corners, small).astype(dtype)


def exact(seed, shape, dtype=np.float64, most=6):
    """Small integers, with which sums and products are exact in every type."""
    return np.random.default_rng(seed).integers(1, most, shape).astype(dtype)


# ---- memory

_files = itertools.count()


@functools.cache
def _folder():
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return pathlib.Path(folder)


def _memmap(a):
    if not a.size or not a.ndim or a.dtype.kind not in "biufc":
        return a
    file = _folder() / str(next(_files))
    a.tofile(file)
    return np.memmap(file, a.dtype, "r", shape=a.shape)


def _unaligned(a):
    memory = np.zeros(a.nbytes + 1, np.uint8)[1:]
    memory[:] = np.frombuffer(a.tobytes(), np.uint8)
    return memory.view(a.dtype).reshape(a.shape)


def _read_only(a):
    a = a.copy()
    a.flags.writeable = False
    return a


def _every_second(a):
    if not a.ndim:
        return a
    wide = np.zeros((*a.shape[:-1], 2 * a.shape[-1]), a.dtype)
    wide[..., ::2] = a
    return wide[..., ::2]


class Labelled(np.ndarray):
    """A subclass of a user."""


LAYOUTS = {
    "plain": lambda a: a,
    "jax": jnp.asarray,
    "reversed": lambda a: a[::-1].copy()[::-1] if a.ndim else a,
    "every second": _every_second,
    "fortran": lambda a: np.asfortranarray(a) if a.ndim else a,
    "read-only": _read_only,
    "stride 0": lambda a: np.broadcast_to(a.ravel()[:1].reshape((1,) * a.ndim), a.shape) if a.size else a,
    "unaligned": _unaligned,
    "memmap": _memmap,
    "subclass": lambda a: a.view(Labelled),
    "number": lambda a: (
        a.item() if a.dtype.name in ("bool", "float64", "complex128", "int64") and not a.ndim else a
    ),
    "numpy's number": lambda a: a[()] if not a.ndim else a,
}


@st.composite
def arrays(draw, shape, names=(*NUMBERS, *NARROW)):
    """An array that is a legal argument, as (what is passed, what it means as a plain array)."""
    array = numbers(draw(seeds), draw(dtypes(names)), shape)
    layout = draw(st.sampled_from(["plain"] * 4 + list(LAYOUTS)))
    passed = LAYOUTS[layout](array)
    return passed, np.array(passed) if layout == "stride 0" else array


REFUSED = {
    "long double": lambda: np.ones(2, np.longdouble),
    "long complex": lambda: np.ones(2, np.clongdouble),
    "other byte order": lambda: np.arange(3.0).astype(np.dtype("f8").newbyteorder()),
    "integers in other byte order": lambda: np.arange(3).astype(np.dtype("i4").newbyteorder()),
    "masked": lambda: np.ma.masked_array([1.0, 2.0], [False, True]),
    "masked, without a mask": lambda: np.ma.masked_array([1.0, 2.0]),
    "the masked number": lambda: np.ma.masked,
    "text": lambda: "x",
    "NumPy's text": lambda: np.str_("x"),
    "array of text": lambda: np.array(["a", "b"]),
    "bytes": lambda: np.array([b"a"]),
    "objects": lambda: np.array([1, 2.0], object),
    "times": lambda: np.array(["2020-01-01"], "M8[D]"),
    "durations": lambda: np.array([1], "m8[s]"),
    "records": lambda: np.zeros(2, [("a", float)]),
    "void": lambda: np.void(b"ab"),
    "keys": lambda: jax.random.key(0),
    "a list": lambda: [1.0, 2.0],
    "an empty list": list,
    "a tuple": lambda: (1.0, 2.0),
    "an empty tuple": lambda: (),
    "a dict": lambda: {"a": 1.0},
    "a set": lambda: {1.0},
    "a range": lambda: range(3),
    "a fraction": lambda: fractions.Fraction(1, 2),
    "memory": lambda: memoryview(np.ones(2)),
    "a function": lambda: np.sin,
    "a type": lambda: float,
    "an object": object,
    "a shape": lambda: jax.ShapeDtypeStruct((2,), float),
}

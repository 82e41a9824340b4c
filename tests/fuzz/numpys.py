"""What NumPy makes of a case: in double precision, rounded once to the type of the arguments together."""

import warnings

import hypothesis
import jax.numpy as jnp
import numpy as np

from tests.fuzz import inputs
from tests.fuzz.outcomes import Wrong, eager_and_compiled, outcome, same

WIDE = {"f": np.float64, "c": np.complex128, "i": np.int64, "u": np.uint64, "b": np.bool_}


def kind(dtype):
    for letter, of in (
        ("c", jnp.complexfloating),
        ("f", jnp.floating),
        ("u", jnp.unsignedinteger),
        ("i", jnp.integer),
    ):
        if jnp.issubdtype(dtype, of):
            return letter
    return "b"


def widened(array):
    return np.asarray(array).astype(WIDE[kind(np.asarray(array).dtype)])


def common(passed):
    """The type of a result: that of the inexact arguments together, Python's numbers being weak."""
    weak = {float: 0.0, complex: 0j}
    inexact = [
        weak.get(type(x), getattr(x, "dtype", None)) for x in passed if kind(np.asarray(x).dtype) in "fc"
    ]
    dtype = jnp.result_type(*inexact) if inexact else jnp.result_type(float)
    real = np.dtype(jnp.finfo(dtype).dtype)
    if not any(kind(np.asarray(x).dtype) == "c" for x in passed):
        return real
    return np.dtype(np.complex128 if real.itemsize == 8 else np.complex64)


def plain(call):
    """What NumPy makes of it, or the exception."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return call(), None
        except Exception as error:
            return None, error


def broadcast(*shapes):
    """numpy.broadcast_shapes stops at 32 axes."""
    lead = max(map(len, shapes)) - 30
    if lead > 0:
        shapes = [(1,) * (30 + lead - len(s)) + s for s in shapes]
        return np.broadcast_shapes(*[s[:lead] for s in shapes]) + np.broadcast_shapes(
            *[s[lead:] for s in shapes]
        )
    return np.broadcast_shapes(*shapes)


def compare(f, passed, expected, **options):
    """The call gives what is expected, or both refuse it."""
    want, refused = plain(expected)
    got = eager_and_compiled(f, *passed, **options)
    if got is not None:
        if refused is not None:
            raise Wrong(f"{got}, where NumPy has {refused!r}")
        same(got, want, "NumPy")
    elif refused is None:
        raise Wrong(f"refused, where NumPy has {want}: {outcome(f, *passed)[1]!r}")


def drawn(draw, count, rank=3, **options):
    shapes = draw(inputs.shapes(count, rank))
    passed, values = zip(*[draw(inputs.arrays(shape, **options)) for shape in shapes], strict=True)
    hypothesis.assume(not lost_by_xla(values))
    return passed, values


def lost_by_xla(values):
    """Subnormal numbers beside a wider type: under jit XLA widens them to 0 before the host sees them."""
    inexact = [v for v in values if kind(v.dtype) in "fc"]
    widest = max((v.dtype.itemsize // (1 + (kind(v.dtype) == "c")) for v in inexact), default=0)
    narrow = [v for v in inexact if v.dtype.itemsize // (1 + (kind(v.dtype) == "c")) < widest]
    parts = [np.abs(part.astype(float)) for v in narrow for part in (v.real, v.imag)]
    tiny = [float(jnp.finfo(v.dtype).tiny) for v in narrow for _ in range(2)]
    return any(np.any((part > 0) & (part < least)) for part, least in zip(parts, tiny, strict=True))

"""Properties of calls: bare functions, ufuncs, and what is no array.

A property takes `draw`, makes one case with it, and raises if that does not hold.
"""

import jax
import numpy as np
import scipy.special
from hypothesis import strategies as st

import hostwrap as hw
from hostwrap._call.dtypes import is_key
from tests.fuzz import inputs
from tests.fuzz.numpys import broadcast, common, compare, drawn, kind, widened
from tests.fuzz.outcomes import Wrong, eager_and_compiled

HOSTS = {
    "x": lambda x: x.copy(),
    "-x": lambda x: -x.astype(np.result_type(x, float)),
    "x + y": lambda x, y: x + y,
    "x y": lambda x, y: x * y,
    "|x| y": lambda x, y: np.abs(x) * y,
    "x + y z": lambda x, y, z: x + y * z,
    "in place": lambda x, y: (x.fill(1), y * 2)[1],
}


def elementwise(draw):
    """A bare Python function: called once with whole arrays, in double precision, rounded once."""
    host = HOSTS[draw(st.sampled_from(sorted(HOSTS)))]
    passed, values = drawn(draw, host.__code__.co_argcount)

    def expected():
        dtype = common(passed)
        full = broadcast(*map(np.shape, values))
        arrays = [np.broadcast_to(widened(v), full).copy() for v in values]
        return np.asarray(host(*arrays)).astype(dtype)

    compare(hw.wrap(host), passed, expected)


UFUNCS = [
    np.add,
    np.multiply,
    np.hypot,
    np.arctan2,
    np.exp,
    np.sqrt,
    np.maximum,
    np.floor_divide,
    np.negative,
    np.power,
    np.logical_and,
    np.left_shift,
    np.divmod,
    np.ldexp,
    np.isnan,
    scipy.special.jv,
    scipy.special.xlogy,
]


def ufuncs(draw):
    """A ufunc by its own loops. (An integer that its loop takes as a float becomes one as in JAX.)"""
    ufunc = draw(st.sampled_from(UFUNCS))
    passed, values = drawn(
        draw, ufunc.nin, names=("float64", "float32", "complex128", "int64", "int32", "bool")
    )
    strong = [np.asarray(v) for v in values]
    types = {kind(a.dtype) for a in strong}

    def expected():
        resolved = ufunc.resolve_dtypes((*(a.dtype for a in strong), *[None] * ufunc.nout))
        arrays = [
            a.astype(common(passed)) if d.kind in "fc" and kind(a.dtype) in "iub" else a
            for d, a in zip(resolved, strong, strict=False)
        ]
        result = ufunc(*arrays)
        return tuple(map(np.asarray, result)) if ufunc.nout > 1 else np.asarray(result)

    if len(types) == 1 and not any(type(x) in (int, float, complex, bool) for x in passed):
        compare(hw.wrap(ufunc), passed, expected, raises=ValueError)
    else:
        eager_and_compiled(hw.wrap(ufunc), *passed, raises=ValueError)


def refused(draw):
    """What is no array of numbers, beside one that is."""
    thing = inputs.REFUSED[draw(st.sampled_from(sorted(inputs.REFUSED)))]()
    identity = lambda x, y: np.asarray(x) + y
    declared = hw.wrap(out=lambda x, y: jax.ShapeDtypeStruct((), float))(lambda x, y: 1.0)
    f = draw(
        st.sampled_from(
            [
                hw.wrap(identity),
                hw.wrap(np.add),
                hw.wrap("(n),()->(n)")(identity),
                hw.special.jv,
                declared,
                hw.special.xlog1py,
            ]
        )
    )
    args = (thing, 1.5) if draw(st.booleans()) else (1.5, thing)
    got = eager_and_compiled(f, *args, refused_by_jax=True)
    taken = isinstance(thing, list | tuple | dict) or is_key(thing)  # trees and keys, where out= is declared
    if got is not None and not (taken and f is declared):
        raise Wrong(f"{f} took {thing!r} and gave {got}")


PROPERTIES = [elementwise, ufuncs, refused]

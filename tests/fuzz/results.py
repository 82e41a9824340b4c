"""What a host function returns in place of what it declared."""

import jax
import jax.numpy as jnp
import numpy as np
from hypothesis import strategies as st

import hostwrap as hw
from tests.fuzz import inputs
from tests.fuzz.outcomes import eager_and_compiled, same


def _object(value):
    array = np.empty(np.shape(value), object)
    array[...] = value
    return array


class NoArray:
    def __array__(self, *_, **__):
        raise RuntimeError("this is no array")


# of an array, and of a whole answer that is a tuple
WHATEVER = {
    "in a list": lambda v: [v],
    "in a tuple": lambda v: (v,),
    "twice": lambda v: (v, v),
    "empty tuple": lambda v: (),
    "in a dict": lambda v: {"a": v},
    "nothing": lambda v: None,
    "a word": lambda v: "text",
    "a function": lambda v: np.sin,
    "an object": lambda v: object(),
    "a class": lambda v: float,
}
CHANGES = {
    "as it is": lambda v: v,
    "one axis more": lambda v: np.asarray(v)[..., None],
    "one axis more in front": lambda v: np.asarray(v)[None],
    "one number": lambda v: np.ravel(v)[0] if np.size(v) else 1.0,
    "flat": np.ravel,
    "longer": lambda v: np.append(v, 1.0),
    "shorter": lambda v: np.ravel(v)[:-1],
    "empty": lambda v: np.empty(0),
    "halves": lambda v: np.asarray(v, np.float16),
    "singles": lambda v: np.asarray(v, np.float32),
    "long doubles": lambda v: np.asarray(v, np.longdouble),
    "integers": lambda v: np.asarray(v, np.int8),
    "unsigned": lambda v: np.asarray(v, np.uint64),
    "bfloat16": lambda v: np.asarray(v).astype(jnp.bfloat16),
    "other byte order": lambda v: np.asarray(v, np.dtype("f8").newbyteorder()),
    "complex": lambda v: np.asarray(v) + 1j,
    "complex, real": lambda v: np.asarray(v) + 0j,
    "objects": _object,
    "text": lambda v: np.asarray(v).astype(str),
    "times": lambda v: np.asarray(v).astype("M8[s]"),
    "records": lambda v: np.zeros(np.shape(v), [("a", float)]),
    "masked": lambda v: np.ma.masked_array(v, np.ones(np.shape(v), bool)),
    "list": lambda v: np.asarray(v).tolist(),
    "ragged": lambda v: [v, [v, v]],
    "a generator": lambda v: (x for x in np.ravel(v)),
    "no array": lambda v: NoArray(),
    "a shape": lambda v: jax.ShapeDtypeStruct(np.shape(v), float),
    **WHATEVER,
    "a read-only view": lambda v: np.broadcast_to(v, np.shape(v)),
    "reversed": lambda v: np.asarray(v)[::-1].copy()[::-1] if np.ndim(v) else v,
}
changes = st.sampled_from(sorted(CHANGES))


def returned(draw):
    """A host function returns another thing: it is what was declared, or refused."""
    change = CHANGES[draw(changes)]
    shape, seed = draw(inputs.sizes(2, 3)), draw(inputs.seeds)
    x = inputs.exact(seed, shape)
    form = draw(st.sampled_from(["bare", "core", "out", "two"]))
    options = {
        "bare": {},
        "core": {
            "signature": "(n)->(n)",
            "vmap_method": draw(st.sampled_from(["sequential", "broadcast_all"])),
        },
        "out": {"out": lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype)},
        "two": {"out": lambda x: (jax.ShapeDtypeStruct(x.shape, x.dtype),) * 2},
    }[form]
    if form == "core" and not shape:
        x = np.ones(3)
    host = (lambda x: (x * 2, change(x * 2))) if form == "two" else lambda x: change(x * 2)
    got = eager_and_compiled(hw.wrap(host, **options), x)
    if got is not None:
        same(got, (x * 2, x * 2) if form == "two" else x * 2, "what was declared")


PROPERTIES = [returned]

"""Properties of declared calls: signatures with core axes, and out= with pytrees."""

import functools
import operator

import jax
import jax.numpy as jnp
import numpy as np
from hypothesis import strategies as st

import hostwrap as hw
from tests.fuzz import inputs
from tests.fuzz.numpys import broadcast, common, compare


@st.composite
def signatures(draw):
    """(text, cores of arguments, cores of results)"""
    axis = st.sampled_from(["n", "m", "k", "2", "3"])
    ins = draw(st.lists(st.lists(axis, max_size=2), min_size=1, max_size=3))
    known = sorted({a for core in ins for a in core} | {"2"})
    outs = draw(st.lists(st.lists(st.sampled_from(known), max_size=2), min_size=1, max_size=2))
    text = "->".join(",".join(f"({','.join(core)})" for core in side) for side in (ins, outs))
    return text, ins, outs


def host_of(ins, outs, sizes):
    """Sums of the cores, plus the number of the element: exact in small integers, and right for a whole batch too."""

    def host(*arrays):
        total = sum(a.sum(axis=tuple(range(-len(core), 0))) for a, core in zip(arrays, ins, strict=True))
        shapes = [tuple(sizes[a] for a in core) for core in outs]
        results = [
            np.asarray(total)[(..., *[None] * len(s))] * (i + 1) + np.arange(np.prod(s, dtype=int)).reshape(s)
            for i, s in enumerate(shapes)
        ]
        return tuple(results) if len(results) > 1 else results[0]

    return host


def gufunc(draw):
    """Core axes, batch axes, every vmap_method; sizes that do not fit are refused."""
    text, ins, outs = draw(signatures())
    sizes = {a: int(a) if a.isdigit() else draw(st.integers(0, 3)) for a in "nmk23"}
    batches = draw(inputs.shapes(len(ins), 2))
    seed, dtype = draw(inputs.seeds), draw(inputs.dtypes(("float64", "float32", "int32", "float16")))
    shapes = [(*batch, *(sizes[a] for a in core)) for batch, core in zip(batches, ins, strict=True)]
    if not draw(st.integers(0, 4)):
        k = draw(st.integers(0, len(shapes) - 1))
        shapes[k] = draw(inputs.sizes())
    args = [inputs.exact(seed + i, shape, dtype) for i, shape in enumerate(shapes)]
    method = draw(st.sampled_from(["sequential", "broadcast_all", "expand_dims", "sequential_unrolled"]))
    host = host_of(ins, outs, sizes)

    def expected():
        for core, shape in zip(ins, shapes, strict=True):
            if len(shape) < len(core) or any(
                n != sizes[a] for n, a in zip(shape[len(shape) - len(core) :], core, strict=True)
            ):
                raise ValueError("core axes")
        own = [s[: len(s) - len(core)] for s, core in zip(shapes, ins, strict=True)]
        batch = broadcast(*own)
        full = [np.broadcast_to(a, batch + s[len(o) :]) for a, s, o in zip(args, shapes, own, strict=True)]
        results = [np.empty(batch + tuple(sizes[a] for a in core), common(args)) for core in outs]
        for index in np.ndindex(batch):
            found = host(*(a[index].astype(float) for a in full))
            for result, value in zip(results, found if len(outs) > 1 else (found,), strict=True):
                result[index] = value
        return tuple(results) if len(outs) > 1 else results[0]

    free = {a for core in ins for a in core if not a.isdigit()}
    if _agree(ins, shapes, sizes, free):
        compare(hw.wrap(text, vmap_method=method)(host), args, expected)


def _agree(ins, shapes, sizes, free):
    """A shape drawn anew may bind a name to another size, consistently: then the sizes above are not its own."""
    seen = {}
    for core, shape in zip(ins, shapes, strict=True):
        if len(shape) < len(core):
            return True
        for a, n in zip(core, shape[len(shape) - len(core) :], strict=True):
            if seen.setdefault(a, int(a) if a.isdigit() else n) != n:
                return True
    return all(seen[a] == sizes[a] for a in free)


# ---- trees


def trees(leaf, most=3):
    deeper = lambda inner: st.one_of(
        st.lists(inner, max_size=most).map(tuple),
        st.lists(inner, max_size=most),
        st.dictionaries(st.sampled_from("abc"), inner, max_size=most),
    )
    return st.recursive(st.one_of(leaf, st.none()), deeper, max_leaves=4)


def declared(draw):
    """out= with trees of arguments and results."""
    given = draw(
        trees(st.tuples(inputs.sizes(2, 3), st.just("float64"), inputs.seeds)).filter(lambda t: t is not None)
    )
    is_leaf = lambda t: isinstance(t, tuple) and len(t) == 3 and t[1] == "float64"
    arrays = jax.tree.map(lambda t: inputs.numbers(t[2], np.dtype(t[1]), t[0]), given, is_leaf=is_leaf)
    names = st.sampled_from(["float64", "float32", "bfloat16", "int32", "complex128", "bool"])
    wanted = draw(
        trees(st.tuples(inputs.sizes(2, 3), names, st.integers(0, 1))).filter(lambda t: t is not None)
    )
    is_wanted = lambda t: isinstance(t, tuple) and len(t) == 3 and isinstance(t[1], str)
    out = jax.tree.map(lambda t: jax.ShapeDtypeStruct(t[0], jnp.dtype(t[1])), wanted, is_leaf=is_wanted)
    total = functools.reduce(operator.add, (int(np.isfinite(a).sum()) for a in jax.tree.leaves(arrays)), 0)

    def host(tree):
        finite = sum(int(np.isfinite(a).sum()) for a in jax.tree.leaves(tree))
        return jax.tree.map(lambda o: np.full(o.shape, finite % 2, o.dtype), out)

    expected = lambda: jax.tree.map(lambda o: np.full(o.shape, total % 2, o.dtype), out)
    compare(hw.wrap(host, out=out), (arrays,), expected)


PROPERTIES = [gufunc, declared]

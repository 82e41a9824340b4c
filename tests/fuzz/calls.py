"""Properties of calls: `wrap` in its three forms, ufuncs, and functions of `hostwrap.special`.

A property takes `draw`, makes one case with it, and raises if that does not hold.
"""

import functools
import operator
import warnings

import jax
import jax.numpy as jnp
import numpy as np
import scipy.special
from hypothesis import strategies as st

import hostwrap as hw
from tests.fuzz import inputs
from tests.fuzz.outcomes import Wrong, eager_and_compiled, outcome, same
from tests.reference import ledger
from tests.reference.entries import catalogue, statics

WIDE = {"f": np.float64, "c": np.complex128, "i": np.int64, "u": np.uint64, "b": np.bool_}
HOSTS = {
    "x": lambda x: x.copy(),
    "-x": lambda x: -x.astype(np.result_type(x, float)),
    "x + y": lambda x, y: x + y,
    "x y": lambda x, y: x * y,
    "|x| y": lambda x, y: np.abs(x) * y,
    "x + y z": lambda x, y, z: x + y * z,
    "in place": lambda x, y: (x.fill(1), y * 2)[1],
}


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
    return tuple(zip(*[draw(inputs.arrays(shape, **options)) for shape in shapes], strict=True))


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
    f = draw(
        st.sampled_from(
            [
                hw.wrap(identity),
                hw.wrap(np.add),
                hw.wrap("(n),()->(n)")(identity),
                hw.special.jv,
                hw.wrap(out=lambda x, y: jax.ShapeDtypeStruct((), float))(lambda x, y: 1.0),
                hw.special.xlog1py,
            ]
        )
    )
    args = (thing, 1.5) if draw(st.booleans()) else (1.5, thing)
    got = eager_and_compiled(f, *args, refused_by_jax=True)
    if got is not None and not isinstance(thing, list | tuple | dict):  # trees, where out= is declared
        raise Wrong(f"{f} took {thing!r} and gave {got}")


# ---- signatures with core axes


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


# ---- hostwrap.special


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
        results = function.on_host(*arrays, **chosen)
        return [np.asarray(y).astype(_rounded(y, real)) for y in (results if function.outs else [results])]

    if ledger.bits_vary(function.name):
        eager_and_compiled(f, *passed)
    else:
        compare(lambda *xs: list(f(*xs)) if function.outs else [f(*xs)], passed, expected)


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


PROPERTIES = [elementwise, ufuncs, refused, gufunc, declared, special, derivative]

"""The decorator: how results are declared, what arguments may be, which dtypes there are, eager and compiled."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.special

import hostwrap as hw
from tests._kit.toys import each_lane, everywhere, recording, same, scalar  # noqa: F401

X = np.linspace(0.3, 2.0, 4)
lanes = pytest.mark.usefixtures("each_lane")


# ---- elementwise


@lanes
def test_elementwise_broadcasts_like_a_ufunc():
    f = hw.wrap(lambda x, y: x - 2 * y)
    for call in everywhere(f):
        for x, y in [
            (X, 1.5),
            (1.5, X),
            (X[:, None], X),
            (np.ones((2, 1, 4)), X[:3, None]),
            (np.ones(0), 1.0),
        ]:
            same(call(x, y), np.asarray(x - 2 * y))
        assert isinstance(call(1.0, 2.0), jax.Array)


def test_arguments_that_do_not_broadcast():
    def difference(x, y):
        return x - y

    for call in everywhere(hw.wrap(difference)):
        with pytest.raises(hw.SignatureError, match=r"difference: .*do not broadcast.*x: \(3,\), y: \(4,\)"):
            call(np.ones(3), np.ones(4))


def test_a_ufunc_is_wrapped_as_it_is():
    f = hw.wrap(scipy.special.jv)
    for call in everywhere(f):
        same(call(np.arange(3)[:, None], X), scipy.special.jv(np.arange(3)[:, None], X))
    assert "jv(v, z" in repr(f)


def test_the_wrapped_function_keeps_name_doc_and_signature():
    @hw.wrap(static="n")
    def power(x, n=2):
        """x to the n."""
        return x**n

    assert (power.__name__, power.__doc__, power.__wrapped__(3.0)) == ("power", "x to the n.", 9.0)
    same(jax.jit(power, static_argnames="n")(X, n=3), X**3)
    assert "power(x, n=2)" in repr(power)


# ---- signatures


@lanes
def test_signature_with_core_axes_batches_and_loops():
    shapes = []

    @hw.wrap("(m,n),(n)->(m)")
    def apply(A, b):
        shapes.append((A.shape, b.shape))
        return A @ b

    A, b = np.arange(24.0).reshape(2, 1, 3, 4), np.arange(20.0).reshape(5, 4)
    for call in everywhere(apply):
        same(call(A, b), np.einsum("...ij,...j", A, b))
        same(call(A[0, 0], b[0]), A[0, 0] @ b[0])
        same(call(A[:0], b), np.zeros((0, 5, 3)))
    assert set(shapes) == {((3, 4), (4,))}


@lanes
def test_a_signature_with_several_results_and_numbers():
    f = hw.wrap("(n)->(),(2),(n,n)")(lambda x: (x.sum(), x[:2], np.outer(x, x)))
    for call in everywhere(f):
        same(call(X), (X.sum(), X[:2], np.outer(X, X)))
        assert [r.shape for r in call(np.ones((5, 4)))] == [(5,), (5, 2), (5, 4, 4)]


def test_variadic_functions():
    f, g = hw.wrap(lambda *xs: sum(xs)), hw.wrap("(n),(n)->()")(lambda *xs: sum(xs).sum())
    for call in everywhere(f):
        same(call(X, 1.0, X[:, None]), X + 1 + X[:, None])
    for call in everywhere(g):
        same(call(np.ones((2, 3)), np.ones(3)), np.full(2, 6.0))


# ---- out=


def test_out_as_a_struct_a_tree_and_a_function():
    as_struct = hw.wrap(out=scalar(np.float64, (2,)))(lambda x: np.array([x.sum(), x.max()]))
    as_tree = hw.wrap(out={"sum": scalar(), "parts": (scalar(np.int32), scalar(bool, (4,)))})(
        lambda x: {"parts": (x.size, x > 1), "sum": x.sum()}
    )
    as_function = hw.wrap(out=lambda x, *, n: scalar(x.dtype, (n, *x.shape)), static="n")(
        lambda x, *, n: np.stack([x] * n)
    )
    as_function_of_trees = hw.wrap(out=lambda p: jax.tree.map(lambda a: scalar(a.dtype, a.shape), p))(
        lambda p: {name: -a for name, a in p.items()}
    )
    for go in (lambda f: f, jax.jit):
        same(go(as_struct)(X), np.array([X.sum(), X.max()]))
        tree = go(as_tree)(X)
        same(tree, {"sum": X.sum(), "parts": (4, X > 1)})
        assert [leaf.dtype for leaf in jax.tree.leaves(tree)] == [np.int32, bool, np.float64]
        same(go(functools.partial(as_function, n=3))(X), np.stack([X] * 3))
        same(go(as_function_of_trees)({"a": X, "b": 1.0}), {"a": -X, "b": -1.0})


def test_out_without_arguments_and_with_an_empty_tree():
    constant = hw.wrap(out=scalar())(lambda: 3.0)
    same((constant(), jax.jit(lambda x: x + constant())(1.0)), (3.0, 4.0))
    nothing = hw.wrap(out=())(lambda x: ())
    assert nothing(X) == () == jax.jit(nothing)(X)


def test_out_gets_shapes_only_and_is_asked_again_for_other_shapes():
    given = []
    f = hw.wrap(out=lambda x: (given.append(x), scalar(x.dtype, x.shape[::-1]))[1])(lambda x: x.T)
    for shape in ((2, 3), (3, 2), (4,)):
        assert jax.jit(f)(np.zeros(shape)).shape == shape[::-1] == f(np.zeros(shape)).shape
    assert all(isinstance(x, jax.ShapeDtypeStruct) for x in given)


@pytest.mark.parametrize("what", [3.0, "float", lambda x: 3.0, lambda x: {"a": x, "b": float}])
def test_out_must_be_shapes(what):
    f = hw.wrap(lambda x: x, out=what)
    with pytest.raises(hw.SignatureError, match=r"out= must give jax\.ShapeDtypeStruct"):
        f(1.0)


# ---- arguments


def test_trees_of_arguments():
    f = hw.wrap(out=scalar())(lambda model, data: model["w"] @ data[0] + model["b"] + data[1][0])
    model, data = {"w": X, "b": 1.0}, (X, [jnp.float32(2.0)])
    for call in everywhere(f):
        same(call(model, data), X @ X + 3.0)
        same(call(data=data, model=model), X @ X + 3.0)


def test_keyword_arguments_and_defaults():
    f = hw.wrap(lambda x, y=2.0, *, z=1.0: x * y + z)
    for call in everywhere(f):
        same([call(3.0), call(3.0, 4.0), call(y=4.0, x=3.0), call(3.0, z=X)[0], call(3.0, z=5.0)],
             [7.0, 13.0, 13.0, 6.0 + X[0], 11.0])  # fmt: skip
    same(jax.vmap(lambda y, z: f(3.0, y, z=z))(X, X), 4 * X)


def test_an_optional_array_that_is_left_out():
    f = hw.wrap(lambda x, y=None: x if y is None else x + y)
    f.defpartials(x=lambda ans, x, y: 1.0, y=lambda ans, x, y: 1.0)
    for call in everywhere(f):
        same((call(1.0), call(1.0, 2.0)), (1.0, 3.0))
    same((jax.jit(jax.grad(f))(1.0), jax.grad(f, 1)(1.0, 2.0)), (1.0, 1.0))


def test_static_arguments_select_another_host_function():
    @hw.wrap(static=("kind", "n"))
    def f(x, kind="plus", *, n):
        return x + n if kind == "plus" else x * n

    for go in (lambda g: g, jax.jit):
        same(go(lambda x: f(x, n=3))(X), X + 3)
        same(go(lambda x: f(x, "times", n=3))(X), X * 3)
        same(go(lambda x: f(x, n=(1, 2)[1], kind="times"))(X), X * 2)


def test_statics_that_python_calls_equal_are_kept_apart():
    f = hw.wrap(static="n")(lambda x, n: x + {int: 1, float: 2, bool: 3}[type(n)])
    f.defpartials(x=lambda ans, x, *, n: {int: 1.0, float: 2.0, bool: 3.0}[type(n)])
    for go in (lambda g: g, jax.jit):
        same([go(lambda x, n=n: f(x, n))(0.0) for n in (1, 1.0, True)], [1.0, 2.0, 3.0])
        same([go(jax.grad(lambda x, n=n: f(x, n)))(0.0) for n in (1, 1.0, True)], [1.0, 2.0, 3.0])


def test_a_static_argument_may_be_any_hashable_value():
    f = hw.wrap(static="g")(lambda x, g: g(x))
    for call in (np.sin, np.cos, abs):
        same(jax.jit(lambda x, g=call: f(x, g))(-X), call(-X))
    sentinel = hw.wrap(static="axis", out=lambda x, axis: scalar(x.dtype))(lambda x, axis: x.sum(axis=axis))
    same(jax.jit(lambda x: sentinel(x, None))(X), X.sum())


# ---- eager calls


class Odd(Exception):
    pass


def test_eager_calls_go_straight_to_the_host(monkeypatch):
    """No compilation, no callback, the host's own exception with its traceback."""
    monkeypatch.setattr(jax, "jit", None)
    host = recording(lambda x: np.sin(x))
    f = hw.wrap(host)
    for x in (0.5, X, jnp.asarray(X)):
        same(f(x), np.sin(np.asarray(x)))
    assert host.seen == [((),), ((4,),), ((4,),)]

    def odd(x):
        raise Odd("as it is")

    for g in (hw.wrap(odd), hw.wrap("(n)->()")(odd), hw.wrap(out=scalar())(odd)):
        for call in (g, lambda x, g=g: jax.vmap(g)(x)):
            with pytest.raises(Odd, match="as it is") as error:
                call(np.ones((3, 2)))
            assert error.traceback[-1].name == "odd"
    assert hw.last_error() is None or not isinstance(hw.last_error().__cause__, Odd)


def test_the_result_goes_to_the_device_of_a_committed_argument():
    device = jax.devices()[0]
    y = hw.wrap(lambda x, y: x + y)(jnp.ones(3), jax.device_put(jnp.ones(3), device))
    assert y.committed and y.devices() == {device}
    assert not hw.wrap(lambda x: x)(jnp.ones(3)).committed


# ---- options that contradict


@pytest.mark.parametrize(
    "options, words",
    [
        ({"static": "k"}, "static='k' is no argument of wave"),
        ({"on_error": "ignore"}, r"wave: on_error='ignore' must be .*nan"),
        ({"vmap_method": "parallel"}, "vmap_method='parallel' must be one of broadcast_all,.*sequential"),
        (
            {"signature": "(n)->(n)"},
            r"signature '\(n\)->\(n\)' has 1 inputs, but wave\(x, y\) takes 2 arrays",
        ),
        ({"signature": "(),()->()", "out": scalar()}, "give no signature or dtype with it"),
        ({"dtype": float, "out": scalar()}, "give no signature or dtype with it"),
        ({"signature": "n->n"}, "is not a signature"),
    ],
)
def test_contradicting_options_are_refused_at_once(options, words):
    def wave(x, y):
        return x

    with pytest.raises(hw.SignatureError, match=words):
        hw.wrap(**options)(wave)


def test_an_option_that_does_not_exist():
    with pytest.raises(TypeError, match="vectorized"):
        hw.wrap(vectorized=True)(lambda x: x)


def test_what_is_no_function_cannot_be_wrapped():
    with pytest.raises(hw.SignatureError, match="expected a function, got float"):
        hw.wrap(3.0)
    with pytest.raises(hw.SignatureError, match="wrap a small Python function"):
        hw.wrap(max)


def test_the_docstring_tells_of_every_rule():
    rules = [name for name in dir(hw.wrap(np.sin)) if name.startswith("def")]
    assert rules and all(f"`{name}`" in hw.wrap.__doc__ for name in rules)

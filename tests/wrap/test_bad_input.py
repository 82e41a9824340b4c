"""Mistakes of a caller and of a host function: what is raised, where, and what the text says."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hostwrap as hw

BOTH = pytest.mark.parametrize("compiled", [False, True], ids=["eager", "jit"])


def says(text, *words):
    for word in words:
        assert word in text, f"{word!r} is not in: {text}"


def run(f, compiled, *args, **kwargs):
    return jax.block_until_ready((jax.jit(f) if compiled else f)(*args, **kwargs))


def failure(f, compiled, *args, kind=hw.ResultError):
    """The text of the error: of `kind` itself when eager, from inside the program when compiled."""
    with pytest.raises(jax.errors.JaxRuntimeError if compiled else kind) as error:
        run(f, compiled, *args)
    if compiled:
        assert isinstance(hw.last_error(), hw.HostwrapError)
        assert str(hw.last_error()) in str(error.value)
    return str(error.value)


def solve(A, b):
    return np.linalg.solve(A, b)


solve = hw.wrap("(n,n),(n)->(n)")(solve)


# ---- wrong calls: while tracing, before the host is reached


@BOTH
@pytest.mark.parametrize(
    "args, kwargs, words",
    [
        ((), {}, ["solve(A, b)", "missing a required argument: 'A'"]),
        ((np.eye(2),), {}, ["solve(A, b)", "missing a required argument: 'b'"]),
        ((np.eye(2), np.ones(2), 3.0), {}, ["solve(A, b)", "too many positional arguments"]),
        ((np.eye(2),), {"c": 1.0}, ["solve(A, b)", "'b'"]),
        ((np.eye(2), np.ones(2)), {"b": 1.0}, ["solve(A, b)", "multiple values for argument 'b'"]),
    ],
)
def test_a_wrong_number_of_arguments(compiled, args, kwargs, words):
    with pytest.raises(hw.SignatureError) as error:
        run(solve, compiled, *args, **kwargs)
    says(str(error.value), *words)


@BOTH
@pytest.mark.parametrize(
    "A, b, words",
    [
        (np.eye(3), np.ones(4), ["axis n = 3 (as in `A`)", "`b` of shape (4,)", "n = 4"]),
        (np.ones((2, 3)), np.ones(3), ["axis n = 2 (as in `A`)", "`A` of shape (2, 3)"]),
        (np.eye(3), 1.0, ["`b` the core axes (n)", "shape ()", "at least 1"]),
        (np.ones((2, 3, 3)), np.ones((5, 3)), ["batch", "A: (2,)", "b: (5,)"]),
    ],
)
def test_a_wrong_axis_is_explained_in_the_words_of_the_signature(compiled, A, b, words):
    with pytest.raises(hw.SignatureError) as error:
        run(solve, compiled, A, b)
    says(str(error.value), "solve", "'(n,n),(n)->(n)'", *words)


def test_a_wrong_axis_under_vmap_is_counted_without_the_mapped_one():
    with pytest.raises(hw.SignatureError, match=r"`b` of shape \(4,\)"):
        jax.vmap(solve, (None, 0))(np.eye(3), np.ones((5, 4)))


@pytest.mark.parametrize("value", ["text", np.array(["a"]), object(), np.array([None]), jax.random.key(0)])
def test_what_is_no_number(value):
    def wave(x, y):
        return x

    with pytest.raises(hw.SignatureError) as error:
        hw.wrap(wave)(1.0, value)
    says(str(error.value), "wave", "`y` must be a number", type(value).__name__)


@pytest.mark.parametrize("value", [2**70, 10**400, 10**5000], ids=["70 bits", "400 digits", "5000 digits"])
def test_an_integer_that_fits_no_type(value):
    def wave(x, y):
        return x * y

    for f in (hw.wrap(wave), hw.wrap(np.multiply)):
        with pytest.raises(
            hw.SignatureError, match=r"an integer in `.*` does not fit int.* bits.*pass a floating-point"
        ):
            f(value, 2.0)
    if value > 1e300:
        with pytest.raises(hw.SignatureError, match="kv: an integer in `z` does not fit float"):
            hw.special.kv(1.0, value)


@pytest.mark.parametrize(
    "value", [np.longdouble(1.5), np.array([1.5], np.dtype("f8").newbyteorder())], ids=str
)
def test_a_type_that_jax_does_not_have_is_named_with_function_and_argument(value):
    if np.dtype(np.longdouble) == np.float64 and isinstance(value, np.longdouble):
        pytest.skip("long double is double here")

    def wave(x, y):
        return x * y

    with pytest.raises(
        hw.SignatureError, match=r"(?s)wave: `x` must be a number.*which JAX does not have; .*astype"
    ):
        hw.wrap(wave)(value, 2.0)


@pytest.mark.parametrize("static", [0, None, (1,)])
def test_static_names_arguments(static):
    with pytest.raises(hw.SignatureError, match=r"static=.* must name arguments, as in static=\('n',\)"):
        hw.wrap(static=static)(lambda x, n: x)


def test_what_is_wrapped_is_not_wrapped_again():
    for f in (hw.wrap(np.sin), hw.special.kv, hw.wrap(lambda x: x)):
        with pytest.raises(hw.SignatureError, match="is a JAX function already: call it as it is"):
            hw.wrap(f)


def test_a_ufunc_with_some_arguments_given_and_one_in_a_staticmethod():
    power = hw.wrap(functools.partial(np.power, 2.0))
    for f in (power, jax.jit(power)):
        np.testing.assert_allclose(f(3.0), 8.0, rtol=1e-6)
    np.testing.assert_allclose(jax.grad(power)(3.0), 8.0 * np.log(2.0), rtol=1e-6)
    np.testing.assert_allclose(jax.grad(hw.wrap(staticmethod(np.sin)))(1.0), np.cos(1.0), rtol=1e-6)


def test_a_leaf_of_a_tree_is_named_by_its_path():
    f = hw.wrap(out=jax.ShapeDtypeStruct((), float))(lambda model: 0.0)
    with pytest.raises(hw.SignatureError, match=r"`model\['w'\]\[1\]` must be a number"):
        f({"w": [1.0, "text"]})


@pytest.mark.parametrize("value", [[1, 2], np.ones(2), {"a": 1}, {1}])
def test_a_static_argument_that_cannot_be_hashed(value):
    def wave(x, mode):
        return x

    with pytest.raises(hw.SignatureError) as error:
        hw.wrap(wave, static="mode")(1.0, value)
    says(str(error.value), "wave: static argument `mode` must be hashable", type(value).__name__, "tuple")


def test_a_shape_function_that_takes_other_arguments():
    def wave(x, *, n):
        return x

    f = hw.wrap(wave, out=lambda x: x, static="n")
    with pytest.raises(hw.SignatureError, match=r"wave: out= is called with .* failed: .*'n'"):
        f(1.0, n=2)


# ---- a host function that returns something else


@BOTH
def test_a_tuple_where_one_array_is_declared(compiled):
    def wave(x):
        return x, 2 * x

    text = failure(hw.wrap(wave), compiled, 1.0)
    says(
        text,
        "wave: result 0",
        "(a tuple of 2; if these are several results, declare each",
        "'()->(),()'",
        "out=",
    )


@BOTH
def test_a_result_of_the_wrong_shape(compiled):
    def wave(x):
        return np.ones(7)

    says(failure(hw.wrap(wave), compiled, np.ones(3)), "wave", "(3,)", "returned (7,)", "broadcast_all")
    one = failure(hw.wrap("(n)->()")(wave), compiled, np.ones(3))
    says(one, "wave: result 0 is declared with shape (), the host function returned (7,)")
    looped = failure(hw.wrap("(n)->()")(wave), compiled, np.ones((5, 3)))
    says(looped, "wave: result 0 is declared with shape (), the host function returned (7,)")


@BOTH
def test_arrays_of_other_shapes_say_how_to_declare_them(compiled):
    def loss(w, X, y):
        return np.mean((X @ w - y) ** 2)

    given = np.ones(3), np.ones((20, 3)), np.ones(20)
    with pytest.raises(hw.SignatureError) as error:
        run(hw.wrap(loss), compiled, *given)
    says(
        str(error.value),
        "w: (3,), X: (20, 3), y: (20,)",
        "declare their axes, as in wrap('(n),(n1,n),(n1)->()')",
    )
    assert jax.jit(hw.wrap("(n),(n1,n),(n1)->()")(loss))(*given) == 4.0
    says(failure(hw.wrap(lambda x: {"a": x}), compiled, 1.0), "a dict of results with out=")


@BOTH
def test_one_number_for_an_array_says_how_to_declare_it(compiled):
    error = failure(hw.wrap(lambda x: np.sum(x)), compiled, np.ones(3))
    says(error, "returned (); if the function takes whole arrays", "'(n)->()'", "vmap_method='sequential'")


@BOTH
@pytest.mark.parametrize("value", [np.ones((3, 1)), np.ones((1, 3)), 1.0, np.ones(0)])
def test_shapes_are_not_broadcast_behind_the_users_back(compiled, value):
    says(failure(hw.wrap(lambda x: value), compiled, np.ones(3)), "shape (3,)", str(np.shape(value)))


@BOTH
@pytest.mark.parametrize(
    "declared, value, given",
    [
        (np.int32, np.float64(1), "float64"),
        (np.float64, 1j, "complex128"),
        (bool, 1, "int64"),
        (np.float64, np.array(None), "object"),
        (np.float64, "text", "<U4"),
    ],
)
def test_a_result_of_a_dtype_that_does_not_fit(compiled, declared, value, given):
    def wave(x):
        return value

    f = hw.wrap(wave, out=jax.ShapeDtypeStruct((), declared))
    says(
        failure(f, compiled, 1.0), "wave: result 0 is declared", np.dtype(declared).name, f"returned {given}"
    )


@BOTH
def test_a_result_of_another_structure(compiled):
    shape = jax.ShapeDtypeStruct((), float)

    def wave(x):
        return {"a": x}

    cases = [
        ((shape, shape), lambda x: x), ((shape, shape), lambda x: (x, x, x)), ((shape,), lambda x: (x, x)),
        ({"a": shape}, lambda x: (x,)), ({"a": shape}, lambda x: {"b": x}), ({"a": shape}, lambda x: {"a": x, "b": x}),
        ({"a": (shape, shape)}, lambda x: {"a": x}),
    ]  # fmt: skip
    for declared, function in cases:
        text = failure(hw.wrap(function, out=declared), compiled, 1.0)
        says(text, "<lambda>", "structure", str(jax.tree.structure(declared)))
    says(failure(hw.wrap("()->(),()")(wave), compiled, 1.0), "wave", "PyTreeDef((*, *))", "{'a': *}")


@BOTH
def test_a_result_of_none(compiled):
    def forgot_to_return(x):
        x + 1

    says(failure(hw.wrap(forgot_to_return), compiled, 1.0), "forgot_to_return", "float64")


@BOTH
@pytest.mark.parametrize("count", [1, 3])
def test_the_wrong_number_of_results(compiled, count):
    f = hw.wrap("()->(),()")(lambda x: (x,) * count)
    says(failure(f, compiled, 1.0), "<lambda>", "declared", "returned")


# ---- an exception in the host function


class Singular(Exception):
    pass


def invert(A, b):
    raise Singular("pivot 3 is zero")


@pytest.mark.parametrize(
    "wrap", [hw.wrap, hw.wrap("(n,n),(n)->()"), hw.wrap("(n,n),(n)->()", vmap_method="expand_dims")]
)
def test_an_exception_eager_and_compiled(wrap):
    f, args = wrap(invert), (np.full((2, 2), 0.5, np.float32), np.array([1, 7]))
    with pytest.raises(Singular, match="pivot 3 is zero"):
        f(*args)
    text = failure(f, True, *args)
    says(
        text,
        "invert",
        "Singular",
        "pivot 3 is zero",
        "A: float32[2,2] in [0.5, 0.5]",
        "b: int64[",
        "2] in [1, 7]",
        "last_error",
    )
    assert isinstance(hw.last_error().__cause__, Singular)


@pytest.mark.parametrize("call", [jax.grad, jax.value_and_grad, jax.hessian], ids=lambda t: t.__name__)
def test_an_exception_in_a_derivative_is_as_clear(call):
    def invert(x):
        if x < 2:
            return x
        raise Singular("pivot 3 is zero")

    f = hw.wrap(invert).defpartials(x=lambda ans, x: ans**3)
    with pytest.raises(jax.errors.JaxRuntimeError) as error:
        jax.block_until_ready(jax.jit(call(f))(3.0))
    says(str(error.value), "invert", "Singular", "pivot 3 is zero", "x: float64[] = 3", "last_error")
    assert isinstance(hw.last_error().__cause__, Singular)


def test_the_text_is_short_whatever_the_arguments():
    f = hw.wrap(out=jax.ShapeDtypeStruct((), float))(lambda x, e: invert(x, e))
    failure(f, True, np.full((1000, 1000), np.nan), np.ones((0, 3)))
    text = str(hw.last_error())
    says(text, "x: float64[1000,1000]", "nan", "e: float64[0,3]")
    assert len(text) < 500


def test_last_error_is_the_last_one():
    for k in (1, 2):

        def host(x, k=k):
            raise Singular(f"number {k}")

        failure(hw.wrap(host, static="k"), True, 1.0)
        says(str(hw.last_error().__cause__), f"number {k}")
    kept = hw.last_error()
    jax.block_until_ready(jax.jit(hw.wrap(lambda x: x))(jnp.ones(2)))
    assert hw.last_error() is kept


def test_every_error_is_a_hostwrap_error_and_an_ordinary_one():
    kinds = {
        hw.SignatureError: TypeError, hw.RuleError: TypeError, hw.ResultError: TypeError,
        hw.HostCallError: RuntimeError, hw.MissingDerivative: NotImplementedError,
    }  # fmt: skip
    for kind, ordinary in kinds.items():
        assert issubclass(kind, hw.HostwrapError) and issubclass(kind, ordinary)

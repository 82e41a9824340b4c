"""What errors say of common mistakes: the function, the argument, what came, what was expected, what to do."""

import os
import re
import traceback

import jax
import jax.experimental.sparse
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.sparse
from jax.experimental import jet

import hostwrap as hw
from hostwrap import special

X = np.ones(3)
NO_RETURN = r"the host function returned None \(is there a `return`\?\)"


def sine(x):
    return np.sin(x)


def yields(x):
    yield x


async def waits(x):
    return x


def closed_over(a):
    def inner(x):
        return np.sin(x) * a

    return of(lambda x: inner(x) + 1)(1.0)


def of(host, *signature, **options):
    return hw.wrap(*signature, **options)(host)


def with_rule(name, *rules, **named):
    f = hw.wrap(sine)
    getattr(f, name)(*rules, **named)
    return f


def implicit(residual):
    f = hw.wrap(lambda a: np.sqrt(a))
    f.defimplicit(residual)
    return f


IN_NUMPY = (
    r"needs the numbers of a traced array: it calls NumPy, SciPy or math, or asks `if`. Write it in JAX: "
)
MISTAKES = {
    "None": (lambda: of(sine)(None), "sine: `x` is None; pass a number or an array"),
    "None under a signature": (
        lambda: of(sine, "(n)->(n)")(None),
        "sine: `x` is None; pass a number or an array",
    ),
    "no such dtype": (
        lambda: of(sine, dtype="flot"),
        "sine: dtype='flot' is no dtype; write float, complex, int or",
    ),
    "no such dtype of two": (lambda: of(sine, dtype=(float, "flot")), "sine: dtype='flot' is no dtype"),
    "no return": (lambda: of(lambda x: None)(X), r"result 0 is declared float64\[3\], " + NO_RETURN),
    "no return, two": (
        lambda: of(lambda x: None, "()->(),()")(1.0),
        r"results of structure PyTreeDef\(\(\*, \*\)\) are declared, " + NO_RETURN,
    ),
    "no return, tree": (
        lambda: of(lambda x: None, out={"a": jax.ShapeDtypeStruct((), float)})(1.0),
        r"results of structure PyTreeDef\({'a': \*}\) are declared, " + NO_RETURN,
    ),
    "a dict": (
        lambda: of(lambda x: {"a": x})(X),
        r"result 0 is no array of numbers, .* returned dict: {'a': array",
    ),
    "a generator": (
        lambda: of(lambda x: (i for i in x))(X),
        "result 0 is no array of numbers, .* returned generator:",
    ),
    "a yield": (
        lambda: of(yields),
        "wrap: yields has a `yield`, and returns a generator; wrap a function that",
    ),
    "async def": (
        lambda: of(waits),
        r"wrap: waits is declared with `async def`, .*asyncio.run\(waits\(x\)\)",
    ),
    "an object": (lambda: of(lambda x: object())(X), "returned object: .*; return numbers or an array"),
    "whole arrays": (
        lambda: of(lambda x: x[:2])(X),
        r"declared with shape \(3,\).* returned \(2,\); if the function takes whole arrays, .* '\(n\)->\(2\)'",
    ),
    "a list": (lambda: hw.special.jv([1.0], X), r"jv: `v` must be .* got list: \[1.0\]; make an array of it"),
    "a static under vmap": (
        lambda: jax.vmap(lambda k: hw.wrap(lambda x, *, k: x * k, static=("k",))(1.0, k=k))(X),
        "static argument `k` is traced, and must be a Python value.*; to use vmap or grad over it, make it an array",
    ),
    "a traced number from around it": (
        lambda: jax.grad(lambda a: of(lambda x: np.sin(x) * a)(1.0))(2.0),
        "<lambda>: the host function uses `a`, which jit, grad or vmap traces outside of it. Make it an argument",
    ),
    "the same in a function that it calls": (
        lambda: jax.grad(closed_over)(2.0),
        "the host function uses `a`, which jit, grad or vmap traces outside of it. Make it an argument",
    ),
    "one of two": (
        lambda: of(sine, "(n)->(n),(n)")(X),
        r"sine: results .* are declared, the host function returned one array of shape \(3,\); return a tuple",
    ),
    "three of two": (
        lambda: of(lambda x: (x, x, x), "()->(),()")(1.0),
        r"are declared, the host function returned PyTreeDef\(\(\*, \*, \*\)\); return a tuple",
    ),
    "a dict for two": (
        lambda: of(lambda x: {}, "()->(),()")(1.0),
        r"are declared, the host function returned PyTreeDef\({}\); return a tuple",
    ),
    "JAX's sine": (lambda: hw.wrap(jnp.sin), "wrap: sin is a JAX function already: call it as it is"),
    "JAX's ufunc": (lambda: hw.wrap(jnp.add), "wrap: add is a JAX function already"),
    "a custom_jvp": (lambda: hw.wrap(jax.nn.relu), "wrap: relu is a JAX function already"),
    "a jitted function": (lambda: hw.wrap(jax.jit(sine)), "wrap: sine is a JAX function already"),
    "another name": (
        lambda: of(sine)(y=1.0),
        r"sine\(x\): missing a required argument: 'x'; it has no argument `y`",
    ),
    "one more name": (lambda: of(sine)(1.0, y=1.0), r"sine\(x\): got an unexpected keyword argument 'y'"),
    "too many": (lambda: of(sine)(1.0, 2.0), r"sine\(x\): too many positional arguments: it takes 1, got 2"),
    "defhost(grad=)": (
        lambda: of(sine).defhost(grad=np.cos),
        r"sine: grad given by keyword; .*no option of this name",
    ),
    "defvjp of one": (lambda: of(sine).defvjp(jnp.cos), "sine: defvjp wants two functions, fwd.* and bwd"),
    "defimplicit of none": (
        lambda: of(sine).defimplicit(),
        r"sine: defimplicit wants a function, residual\(answer, ",
    ),
    "thread_safe": (lambda: of(sine, thread_safe="no"), "sine: thread_safe='no' must be True or False"),
    "allow_jax": (lambda: of(sine, allow_jax=1), "sine: allow_jax=1 must be True or False"),
    "ordered": (lambda: of(sine, effect="io", ordered="yes"), "sine: ordered='yes' must be True or False"),
    "widen": (lambda: of(sine, widen=3), "sine: widen=3 must be True or False"),
    "NumPy in a partial": (
        lambda: jax.grad(with_rule("defpartials", x=lambda ans, x: np.cos(x)))(1.0),
        "^sine: the partial with respect to `x` " + IN_NUMPY,
    ),
    "NumPy in a partial with core axes": (
        lambda: jax.jit(
            jax.grad(lambda x: of(sine, "(n)->(n)").defpartials(x=lambda ans, x: np.cos(x))(x).sum())
        )(X),
        "^sine: the partial with respect to `x` " + IN_NUMPY,
    ),
    "SciPy in a partial": (
        lambda: jax.grad(with_rule("defpartials", x=lambda ans, x: scipy.special.j0(x)))(1.0),
        "hostwrap.special in place of scipy.special",
    ),
    "an if in a partial": (
        lambda: jax.grad(with_rule("defpartials", x=lambda ans, x: 1.0 if x > 0 else -1.0))(1.0),
        "jnp.where in place of if",
    ),
    "NumPy in a jvp rule": (
        lambda: jax.jit(jax.grad(with_rule("defjvp", lambda p, t: (p[0], np.cos(p[0]) * t[0]))))(1.0),
        "^sine: the jvp rule " + IN_NUMPY,
    ),
    "NumPy in fwd": (
        lambda: jax.jit(jax.grad(with_rule("defvjp", lambda x: (np.sin(x), x), lambda x, c: (c,))))(1.0),
        "^sine: fwd " + IN_NUMPY,
    ),
    "NumPy in bwd": (
        lambda: jax.jit(
            jax.grad(with_rule("defvjp", lambda x: (jnp.sin(x), x), lambda x, c: (c * np.cos(x),)))
        )(1.0),
        "^sine: bwd " + IN_NUMPY,
    ),
    "NumPy in a residual": (
        lambda: jax.grad(implicit(lambda y, a: np.square(y) - np.sin(a)))(1.0),
        "the residual " + IN_NUMPY,
    ),
    "junk": (
        lambda: hw.deserialize(b"junk"),
        "hostwrap.deserialize: these 4 bytes are no program that this version of",
    ),
    "a sparse array of JAX": (
        lambda: special.j0(jax.experimental.sparse.BCOO.fromdense(jnp.eye(2))),
        r"j0: `x` must be a number or an array of numbers, got BCOO: .*made dense first, with x.todense\(\)",
    ),
    "a sparse array of JAX, of your own": (
        lambda: of(sine)(jax.experimental.sparse.BCOO.fromdense(jnp.eye(2))),
        r"sine: `x` is a BCOO: pass x.todense\(\), or declare the results with out=",
    ),
    "a sparse array of SciPy": (
        lambda: of(sine)(scipy.sparse.eye_array(2)),
        r"(?s)sine: `x` must be a number or an array of numbers, got dia_array.*made dense first, with x.toarray\(\)",
    ),
    "a sparse array of SciPy, special": (
        lambda: special.j0(scipy.sparse.eye_array(2)),
        r"(?s)j0: `x` must be .* got dia_array.*made dense first, with x.toarray\(\)",
    ),
}
MISTAKES |= {
    "jet of a rule for reverse mode": (
        lambda: jet.jet(of(sine).defvjp(lambda x: (x, x), lambda x, c: (c,)), (1.0,), ((1.0,),)),
        r"sine: jax.experimental.jet does not lead through the custom_vjp of a rule for reverse mode",
    ),
}
NATIVE = {"junk": pytest.mark.native}


@pytest.mark.parametrize("mistake", [pytest.param(m, marks=NATIVE.get(m, ())) for m in MISTAKES])
def test_of_a_mistake(mistake):
    call, words = MISTAKES[mistake]
    with pytest.raises(hw.HostwrapError) as caught:
        jax.block_until_ready(call())
    assert re.search(words, str(caught.value)), str(caught.value)


def test_jax_functions_may_be_wrapped_where_jax_is_allowed():
    assert hw.wrap(jnp.sin, allow_jax=True, signature="()->()")(0.0) == 0.0


@pytest.mark.parametrize(
    ("module", "name", "words"),
    [
        (hw.linalg, "slogdet", "it is in JAX: call jax.numpy.linalg.slogdet"),
        (
            hw.interpolate,
            "interp2d",
            "; call scipy.interpolate.interp2d in a function that hostwrap.wrap decorates",
        ),
        (hw.optimize, "minimise", "did you mean minimize or minimize_scalar?"),
        (hw.sparse.linalg, "norms", "has no attribute 'norms'$"),
    ],
)
def test_of_a_name_that_a_module_does_not_have(module, name, words):
    with pytest.raises(AttributeError, match=words):
        getattr(module, name)
    assert not hasattr(module, "__wrapped__")


# ---- tracebacks


def fails(x):
    raise ValueError("x must not be negative")


FILE = os.path.basename(__file__)
PACKAGE = os.path.join("hostwrap", "_")
FAILING = {
    "host function": (lambda: hw.wrap(fails)(-1.0), ValueError),
    "host function under a signature": (lambda: hw.wrap("()->(),()")(fails)(-1.0), ValueError),
    "looped": (lambda: hw.wrap(fails, vmap_method="sequential")(X), ValueError),
    "arguments": (lambda: of(sine, "(n)->()")(1.0), hw.SignatureError),
    "special": (lambda: special.j0("one"), hw.SignatureError),
    "while tracing": (lambda: jax.jit(of(sine, "(n)->()"))(1.0), hw.SignatureError),
}


@pytest.mark.parametrize("what", FAILING)
def test_a_traceback_has_no_line_of_ours_unless_all_are_asked_for(what):
    call, kind = FAILING[what]
    for filtering in ("auto", "off"):
        before = jax.config.jax_traceback_filtering
        jax.config.update("jax_traceback_filtering", filtering)
        try:
            with pytest.raises(kind) as caught:
                call()
        finally:
            jax.config.update("jax_traceback_filtering", before)
        files = [frame.filename for frame in traceback.extract_tb(caught.value.__traceback__)]
        assert any(f.endswith(FILE) for f in files)
        assert any(PACKAGE in f or f.endswith("_function.py") for f in files) == (filtering == "off"), files
        if kind is ValueError:
            assert files[-1].endswith(FILE)


def test_in_a_program_the_sentence_that_matters_comes_first_and_our_lines_are_left_out():
    for filtering in ("auto", "off"):
        before = jax.config.jax_traceback_filtering
        jax.config.update("jax_traceback_filtering", filtering)
        try:
            with pytest.raises(Exception, match="x must not be negative") as caught:
                jax.block_until_ready(jax.jit(hw.wrap(fails))(-1.0))
        finally:
            jax.config.update("jax_traceback_filtering", before)
        text = str(caught.value)
        native = hw.lanes()["native"] == "available" and jax.default_backend() == "cpu"
        if native and not os.environ.get("HOSTWRAP_LANE"):
            first = text.splitlines()[0]
            assert first.endswith(
                "hostwrap: fails: the host function raised ValueError: x must not be negative"
            ), text
        assert "called with x: float64[] = -1" in text
        cause = traceback.extract_tb(hw.last_error().__cause__.__traceback__)
        assert any(PACKAGE in line.filename for line in cause) == (filtering == "off")


def test_an_error_shows_how_a_function_is_called_without_annotations():
    with pytest.raises(hw.SignatureError, match=r"^hilbert\(x, N=None, axis=-1\): got an unexpected keyword"):
        hw.signal.hilbert(np.ones(3), foo=1)


@pytest.mark.parametrize("method", [None, "sequential"])
@pytest.mark.parametrize("x", [-1.0, np.array([2.0, -1.0])], ids=["number", "array"])
def test_an_error_of_the_function_comes_alone(x, method):
    """With its own cause, without the error of the same call in another form, and without advice about arrays."""

    def root(x):
        try:
            if x < 0:
                raise ArithmeticError("the cause")
        except ArithmeticError as cause:
            raise ValueError("x must not be negative") from cause
        return np.sqrt(x)

    root = hw.wrap(root, vmap_method=method)
    for call in (root, jax.jit(root)):
        with pytest.raises(Exception, match="x must not be negative") as caught:
            jax.block_until_ready(call(x))
        error = caught.value if call is root else hw.last_error().__cause__
        assert isinstance(error.__cause__, ArithmeticError) and error.__context__ is error.__cause__
        assert error.__cause__.__context__ is None and not getattr(error, "__notes__", ())


def test_where_neither_an_array_nor_its_elements_are_taken_the_error_is_that_of_the_array():
    f = hw.wrap(lambda x: np.linalg.inv(x[None, :, None]))
    with pytest.raises(Exception, match="must be square") as caught:
        f(np.ones(3))
    assert "whole arrays, of shape (3,)" in caught.value.__notes__[0]

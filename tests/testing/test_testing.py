"""`hostwrap.testing.check` passes rules that are right, and finds each mistake planted here."""

import inspect
import re
from xml.etree import ElementTree

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hostwrap as hw
from hostwrap._lanes import compiler
from hostwrap.testing import OPTIONS, Report, check

X, Y = 0.3, np.array([0.7, -0.2])
A = np.array([[3.0, 0.5, -0.2], [0.1, 2.0, 0.4], [1.0, 0.3, 2.5]])
B = np.array([1.0, -0.5, 2.0])


def wave(**partials):
    """sin(x) exp(y), with rules that a test may replace by wrong ones."""

    @hw.wrap
    def wave(x, y):
        return np.sin(x) * np.exp(y)

    right = {"x": lambda ans, x, y: jnp.cos(x) * jnp.exp(y), "y": lambda ans, x, y: ans}
    return wave.defpartials(**{**right, **partials})


def solver(host=np.linalg.solve, vmap_method="sequential", tangent_solve=jnp.linalg.solve):
    """x with A x = b; the rule solves for the tangent with `tangent_solve`."""

    @hw.wrap("(n,n),(n)->(n)", vmap_method=vmap_method)
    def solve(A, b):
        return host(A, b)

    @solve.defjvp
    def rule(primals, tangents):
        (A, b), (dA, db) = primals, tangents
        x = solve(A, b)
        change = jnp.zeros_like(x) if db is None else db
        return x, tangent_solve(A, change if dA is None else change - dA @ x)

    return solve


def scaled(cotangent_of_a):
    """a x for a scalar a and a vector x, with a reverse rule."""

    @hw.wrap(out=lambda a, x: x)
    def scaled(a, x):
        return a * x

    def bwd(residuals, ct):
        a, x = residuals
        return cotangent_of_a(ct, x), a * ct

    scaled.defvjp(lambda a, x: (scaled(a, x), (a, x)), bwd)
    return scaled


# ---- right rules


@pytest.mark.parametrize("args", [(X, 0.7), (X, Y), (np.ones((2, 1)), Y), (np.float32(1), 2.0)], ids=str)
def test_a_right_elementwise_rule_passes(args):
    report = check(wave(), *args)
    assert not report.failures
    assert max(row.error or 0 for row in report.rows) < 1e-9


@pytest.mark.rotating
def test_right_rules_of_other_kinds_pass():
    batched = solver(lambda A, b: np.linalg.solve(A, b[..., None])[..., 0], "broadcast_all")
    assert check(batched, A, B).rows
    assert check(solver(), A, np.stack([B, 2 * B]), order=1).rows
    assert check(scaled(lambda ct, x: jnp.sum(ct * x)), 2.0, B).rows


def test_complex_arguments_are_moved_in_both_parts():
    @hw.wrap
    def power(z, n):
        return z**n

    power.defpartials(z=lambda ans, z, n: n * z ** (n - 1), n=hw.discrete)
    report = check(power, 0.3 + 0.4j, 3)
    assert {"real part: reverse = forward", "imaginary part: forward = differences"} <= {
        row.check for row in report.rows
    }


def test_pytrees_statics_and_several_results():
    @hw.wrap(
        out=lambda p, *, k: {"sum": p["a"], "tall": jax.ShapeDtypeStruct((k,), p["a"].dtype)}, static="k"
    )
    def model(p, *, k):
        return {"sum": p["a"] + p["b"], "tall": p["a"] * p["b"] ** np.arange(k)}

    @model.defjvp
    def rule(primals, tangents, *, k):
        (p,), (t,) = primals, tangents
        n = jnp.arange(k)
        db = p["a"] * n * p["b"] ** jnp.maximum(n - 1, 0) * t["b"]
        return model(p, k=k), {"sum": t["a"] + t["b"], "tall": t["a"] * p["b"] ** n + db}

    report = check(model, {"a": 2.0, "b": 3.0}, k=4)
    assert {"p['a']", "p['b']"} <= {row.argument for row in report.rows}


def test_any_jax_function_of_wrapped_ones():
    f = wave()

    def loss(x, data):
        return jnp.sum(f(x, data["y"]) ** 2), jnp.argmax(data["y"])

    assert not check(loss, X, {"y": Y, "n": 3}).failures


def test_a_missing_derivative_is_reported_and_is_no_failure():
    report = check(wave(y=hw.unknown("nobody has worked it out")), X, Y)
    assert [row.argument for row in report.rows if "nobody has worked it out" in row.note] == ["y", "y"]


def test_a_point_without_a_numerical_derivative_is_inconclusive():
    @hw.wrap
    def root(x):
        return np.sqrt(x)

    root.defpartials(x=lambda ans, x: 0.5 / ans)
    with np.errstate(invalid="ignore"):
        assert "inconclusive" in str(check(root, 0.0, order=1))


def test_the_report_reads_as_a_table():
    lines = str(check(wave(), X, 0.7, order=1)).splitlines()
    assert lines[0] == "wave(x = 0.3, y = 0.7): 22 checks, 0 failed"
    assert any(
        line.split()[:5] == ["forward", "=", "differences", "x", lines[4].split()[4]] for line in lines
    )


def test_a_notebook_shows_a_table():
    page = check(wave(), X, 0.7, order=1)._repr_html_()
    root = ElementTree.fromstring(page)
    cells = [[c.text or "" for c in row] for row in root.iter("tr")]
    assert cells[0] == ["check", "argument", "error", ""] and len(cells) == 1 + 22
    assert root.find("p").text == "wave(x = 0.3, y = 0.7): 22 checks, 0 failed"
    assert "color" not in page


def test_a_failure_stands_out_in_the_table_and_names_cannot_break_it():
    report = Report("<f> & co", "x = 1", 1e-6)
    report.fail("forward", "x", "")
    root = ElementTree.fromstring(report._repr_html_())
    assert root.find("p").text.startswith("<f> & co(x = 1)")
    assert ["color" in row.get("style", "") for row in root.iter("tr")] == [False, True]


# ---- planted mistakes


@pytest.mark.parametrize(
    ("mistake", "words"),
    [
        ({"x": lambda ans, x, y: -jnp.cos(x) * jnp.exp(y)}, ["with respect to `x`", "the sign"]),
        ({"y": lambda ans, x, y: 2 * ans}, ["with respect to `y`", "a factor", "2 times"]),
        ({"y": lambda ans, x, y: 0 * ans}, ["with respect to `y`", "a silent zero"]),
        ({"x": lambda ans, x, y: ans / 0}, ["with respect to `x`", "NaN or inf"]),
        ({"x": lambda ans, x, y: jnp.cos(x) + y}, ["with respect to `x`", "the formula"]),
        ({"y": lambda ans, x, y: jax.lax.stop_gradient(ans)}, ["d/dy, forward", "a silent zero"]),
    ],
    ids=["sign", "factor", "zero", "nan", "formula", "second order"],
)
def test_a_wrong_partial_is_found(mistake, words):
    with pytest.raises(AssertionError) as caught:
        check(wave(**mistake), X, Y)
    assert all(word in str(caught.value) for word in ["got", "expected", "at       x = 0.3, y =", *words])


def square(x):
    return np.sum(x**2)


OWN_VALUE = {
    "defvalue_and_grad": lambda f, k: f.defvalue_and_grad(lambda x: (k * square(x), 2 * x)),
    "defjvp": lambda f, k: f.defjvp(lambda p, t: (k * jnp.sum(p[0] ** 2), 2 * p[0] @ t[0])),
    "defvjp": lambda f, k: f.defvjp(lambda x: (k * jnp.sum(x**2), x), lambda x, c: (2 * c * x,)),
}


@pytest.mark.parametrize("kind", OWN_VALUE)
def test_a_rule_whose_own_value_is_another_is_found(kind):
    """With it jax.value_and_grad minimises another function than the one that is called."""
    wrong = OWN_VALUE[kind](hw.wrap("(n)->()")(square), 100)
    x = np.array([1.0, 1.0])
    assert float(jax.value_and_grad(wrong)(x)[0]) == 200.0
    report = check(wrong, x, order=1, raises=False)
    assert [row.check for row in report.rows if row.note == "FAILED"] == ["value beside derivative"]
    words = "beside   a derivative a rule returns the value too; here it is another one than the function's"
    says(
        report.failures[0],
        "square: value beside derivative with respect to `x`",
        "got      200",
        words,
        "100 times",
    )
    with pytest.raises(AssertionError, match="value beside derivative"):
        check(wrong, x, order=1)
    assert not check(OWN_VALUE[kind](hw.wrap("(n)->()")(square), 1), x, order=1).failures


def says(text, *words):
    for word in words:
        assert word in text, f"{word!r} is not in: {text}"


def test_a_keyword_that_is_neither_an_option_nor_an_argument_is_refused():
    words = "check: raise_ is neither an argument of square(x) nor an option of check; its options are order, rtol, "
    with pytest.raises(TypeError, match=re.escape(words + "broadcasts, reverse_twice, seed, raises.")):
        check(hw.wrap("(n)->()")(square), X, raise_=False)
    assert check(lambda x, **options: x * options["k"], 1.0, k=2, order=1).failures == []
    names = [n for n, p in inspect.signature(check).parameters.items() if p.kind is p.KEYWORD_ONLY]
    assert tuple(names) == OPTIONS


def test_a_derivative_that_is_missing_when_the_program_runs_is_no_failure_either():
    f = hw.wrap("(n),(n)->()")(lambda x, y: x @ y)
    f.defjacobian(lambda x, y: (y, None))
    report = check(f, np.ones(2), np.ones(2), order=1)
    (row,) = [row for row in report.rows if row.argument == "y" and "says so" in row.note]
    assert "the Jacobian returned None for it" in row.note


def test_a_rule_that_breaks_reverse_mode_is_found():
    on_the_host = solver()
    with pytest.raises(AssertionError, match=r"reverse = forward with respect to `b`[^`]*host on a tangent"):
        check(solver(tangent_solve=on_the_host), A, B)


@pytest.mark.parametrize(
    ("cotangent_of_a", "words"),
    [(lambda ct, x: ct * x, "missing un-broadcast"), (lambda ct, x: (ct * x)[0], "reverse = differences")],
    ids=["shape", "one element"],
)
def test_a_missing_unbroadcast_is_found(cotangent_of_a, words):
    with pytest.raises(AssertionError, match="with respect to `a`") as caught:
        check(scaled(cotangent_of_a), 2.0, B)
    assert words in str(caught.value)


def test_a_missing_unbroadcast_is_found_when_the_arguments_given_are_scalars():
    @jax.custom_vjp
    def product(a, x):
        return a * x

    product.defvjp(lambda a, x: (a * x, (a, x)), lambda r, ct: (ct * r[1], ct * r[0]))
    with pytest.raises(AssertionError, match="broadcast = loop with respect to `a`"):
        check(product, 2.0, 3.0, broadcasts=True)


@pytest.mark.parametrize(
    "host",
    [
        lambda x: x / np.sum(x),  # right shape, and mixes the batch
        np.ravel,  # wrong shape
    ],
    ids=["mixes", "shape"],
)
def test_a_vmap_that_differs_from_the_loop_is_found(host):
    @hw.wrap("(n)->(n)", vmap_method="broadcast_all")
    def normed(x):
        return host(x)

    normed.defpartials(x=hw.unknown("of no matter here"))
    with pytest.raises(AssertionError, match="vmap = loop with respect to `x`"):
        check(normed, B)


def test_a_rule_that_is_wrong_under_vmap_only_is_found():
    def rule(ans, x, y):
        return jnp.cos(x) * jnp.exp(jnp.max(y))

    with pytest.raises(AssertionError, match="broadcast"):
        check(wave(x=rule), X, 0.7)


def test_a_rule_that_is_not_holomorphic_is_found():
    @hw.wrap
    def conjugate(z):
        return np.conj(z)

    conjugate.defpartials(z=lambda ans, z: jnp.ones_like(z))
    with pytest.raises(AssertionError, match=r"imaginary part: forward[^`]*`z`[\s\S]*the sign"):
        check(conjugate, 0.3 + 0.4j)


def test_a_function_that_is_not_pure_is_found():
    random = np.random.default_rng(0)

    @hw.wrap
    def noisy(x):
        return x + random.normal()

    with pytest.raises(AssertionError, match="jit = eager"):
        check(noisy, X)


@jax.custom_vjp
def _doubled(c):
    return 2 * c


_doubled.defvjp(lambda c: (2 * c, None), lambda _, d: (3 * d,))  # the planted mistake: 2 d


def twice(transpose):
    """2 x, as a linear primitive with this transpose."""
    primitive = compiler.Primitive("twice")
    primitive.def_impl(lambda x: 2 * x)
    primitive.def_abstract_eval(lambda x: x)
    compiler.primitive_jvps[primitive] = lambda xs, ts: (primitive.bind(*xs), primitive.bind(*ts))
    compiler.primitive_transposes[primitive] = lambda c, x: [transpose(c)]
    compiler.primitive_batchers[primitive] = lambda xs, dims: (primitive.bind(*xs), *dims)
    compiler.register_lowering(primitive, compiler.lower_fun(lambda x: 2 * x, multiple_results=False))
    return lambda x: primitive.bind(jnp.asarray(x)) ** 2


def test_a_transpose_that_cannot_be_transposed_again_is_found():
    report = check(twice(lambda c: 2 * c), X, order=1, reverse_twice=True)
    assert "d/dx, reverse over reverse = reverse over forward" in str(report)
    wrong = twice(_doubled)
    check(wrong, X, order=1)
    with pytest.raises(AssertionError, match="reverse over reverse = reverse over forward"):
        check(wrong, X, order=1, reverse_twice=True)

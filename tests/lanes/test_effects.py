"""Functions with side effects: each happens once, in order where that is asked for, wherever the call stands."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import hostwrap as hw
from hostwrap._rules.rule import Rule
from tests._kit.toys import each_lane, same, scalar  # noqa: F401

poisons = pytest.mark.skipif(
    jax.default_backend() != "cpu",
    reason="on an accelerator JAX raises the error of a failed effect ever again",
)
lanes = pytest.mark.usefixtures("each_lane")
both = pytest.mark.parametrize("ordered", [False, True], ids=["io", "ordered"])
X = np.arange(1.0, 4.0)


def noisy(**options):
    """Twice the argument; and a record of the arguments, which is the side effect."""
    seen = []
    f = hw.wrap(lambda x: (seen.append(np.asarray(x).tolist()), 2 * np.asarray(x))[1], **options)
    return f, seen


def watch(**options):
    seen = []
    return hw.wrap(lambda x: seen.append(np.asarray(x).tolist()), effect="debug", **options), seen


def run(function, *args):
    """The result, when all effects have happened."""
    value = jax.block_until_ready(function(*args))
    jax.effects_barrier()
    return value


# name: (program, argument, result, record)
PLACES = {
    "eager": (lambda f: f, 1.0, 2.0, [1.0]),
    "jit": (jax.jit, 1.0, 2.0, [1.0]),
    "jit in jit": (lambda f: jax.jit(lambda x: jax.jit(f)(x) + 1), 1.0, 3.0, [1.0]),
    "unused": (lambda f: jax.jit(lambda x: (f(x), x)[1]), 1.0, 1.0, [1.0]),
    "unused in an inner jit": (lambda f: jax.jit(lambda x: (jax.jit(f)(x), x)[1]), 1.0, 1.0, [1.0]),
    "constants": (lambda f: jax.jit(lambda x: (f(1.0), x)[1]), 5.0, 5.0, [1.0]),
    "equal calls": (lambda f: jax.jit(lambda x: f(x) + f(x)), 1.0, 4.0, [1.0, 1.0]),
    "scan": (lambda f: jax.jit(lambda x: lax.scan(lambda c, y: (c + f(y), None), 0.0, x)[0]), X, 12.0, [*X]),
    "unused in scan": (lambda f: jax.jit(lambda x: lax.scan(lambda c, y: ((f(y), c)[1], None), 0.0, x)[0]), X,
                       0.0, [*X]),
    "map": (lambda f: jax.jit(lambda x: lax.map(f, x)), X, 2 * X, [*X]),
    "while": (lambda f: jax.jit(lambda x: lax.while_loop(lambda c: c < 20, f, x)), 3.0, 24.0, [3.0, 6.0, 12.0]),
    "condition of while": (lambda f: jax.jit(lambda x: lax.while_loop(lambda c: f(c) < 5, lambda c: c + 1, x)),
                           1.0, 3.0, [1.0, 2.0, 3.0]),
    "fori": (lambda f: jax.jit(lambda x: lax.fori_loop(0, 3, lambda i, c: c + f(i * 1.0), x)), 1.0, 7.0,
             [0.0, 1.0, 2.0]),
    "branch taken": (lambda f: jax.jit(lambda x: lax.cond(x > 0, f, lambda x: x, x)), 1.0, 2.0, [1.0]),
    "branch not taken": (lambda f: jax.jit(lambda x: lax.cond(x > 0, f, lambda x: x, x)), -1.0, -1.0, []),
    "loss, held fixed": (lambda f: jax.jit(jax.grad(lambda x: x**2 * f(lax.stop_gradient(x)))), 3.0, 36.0,
                         [3.0]),
    "loss, eagerly": (lambda f: jax.grad(lambda x: x**2 * f(lax.stop_gradient(x))), 3.0, 36.0, [3.0]),
}  # fmt: skip


@lanes
@both
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.rotating
def test_an_effect_happens_once_for_each_call(place, ordered):
    program, x, expected, record = PLACES[place]
    f, seen = noisy(effect="io", ordered=ordered)
    program = program(f)
    for _ in range(2):
        seen.clear()
        same(run(program, x), np.asarray(expected))
        assert seen == record


@lanes
def test_ordered_calls_of_several_functions_keep_the_order_of_the_program():
    seen = []
    record = hw.wrap(out=(), effect="io", ordered=True)
    first, second = record(lambda x: seen.append(("a", int(x)))), record(lambda x: seen.append(("b", int(x))))

    @jax.jit
    def program(x):
        for i in range(10):
            slow = (jnp.ones((200, 200)) @ jnp.ones((200, 200)))[0, 0] * 0
            first(x + i + (slow if i % 2 == 0 else 0))
            second(x + i)
        return x

    run(lambda: [program(100.0 * k) for k in range(3)])
    assert seen == [(n, 100 * k + i) for k in range(3) for i in range(10) for n in "ab"]


@lanes
def test_an_eager_ordered_call_comes_after_the_programs_that_run_still():
    f, seen = noisy(effect="io", ordered=True)
    program = jax.jit(lambda A, x: f(A[0, 0] * 0 + x))
    slow = jax.jit(lambda A: A @ A @ A / 1e6)
    A = jnp.ones((1000, 1000))
    here = [
        jax.device_put(np.float64(2 * k + 1)) for k in range(3)
    ]  # nothing has to be computed for f itself
    run(program, slow(A), 0.0)
    seen.clear()
    for k, x in enumerate(here):
        program(slow(A), 2.0 * k)  # it cannot start before the product is there
        f(x)
    assert seen == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]


@lanes
@both
def test_a_generator_of_random_numbers_goes_on(ordered):
    rng, again = (np.random.default_rng(3) for _ in range(2))
    draw = hw.wrap(out=scalar(), effect="io", ordered=ordered)(lambda: rng.normal())
    program = jax.jit(lambda: (draw(), draw()))
    got = [float(draw()), *map(float, run(program)), *map(float, run(program))]
    order = list if ordered else sorted
    assert order(got) == order(again.normal(size=5))


# ---- batches


@lanes
@pytest.mark.parametrize("go", [lambda f: f, jax.jit], ids=["eager", "jit"])
def test_vmap_gives_what_vmap_method_says(go):
    whole, seen = noisy(effect="io")
    same(run(go(jax.vmap(whole)), X), 2 * X)
    assert seen == [[*X]]
    for options in ({"vmap_method": "sequential"}, {"out": scalar()}):
        each, seen = noisy(effect="io", **options)
        same(run(go(jax.vmap(jax.vmap(each))), np.stack([X, -X])), np.stack([2 * X, -2 * X]))
        assert seen == [*X, *-X]


@lanes
def test_a_batch_in_front_of_a_signature_is_one_call_in_order():
    rows = np.arange(12.0).reshape(2, 3, 2)
    f, seen = noisy(signature="(n)->(n)", effect="io", ordered=True)
    for call in (f, jax.jit(f)):
        seen.clear()
        same(run(call, rows), 2 * rows)
        assert seen == rows.reshape(-1, 2).tolist()


@lanes
@pytest.mark.parametrize("transform", [jax.vmap, lambda f: jax.jit(jax.vmap(f)), jax.jacfwd])
def test_an_ordered_function_cannot_be_mapped(transform):
    f, _ = noisy(effect="io", ordered=True)
    f.defpartials(x=lambda ans, x: jnp.full_like(x, 2.0))
    words = "an ordered io function cannot be mapped by vmap.*ordered=False, or loop with jax.lax.map"
    with pytest.raises(hw.SignatureError, match=words):
        transform(f)(X)


# ---- debug


DEBUG = {
    "eager": (lambda w: w, 3.0, 9.0, [3.0]),
    "jit": (jax.jit, 3.0, 9.0, [3.0]),
    "vmap": (lambda w: jax.jit(jax.vmap(w)), X, X**2, [*X]),
    "jvp": (lambda w: jax.jit(lambda x: jax.jvp(w, (x,), (1.0,))[1]), 3.0, 6.0, [3.0]),
    "grad": (lambda w: jax.jit(jax.grad(w)), 3.0, 6.0, [3.0]),
    "grad, eagerly": (jax.grad, 3.0, 6.0, [3.0]),
    "vmap of grad": (lambda w: jax.jit(jax.vmap(jax.grad(w))), X, 2 * X, [*X]),
    "hessian": (lambda w: jax.jit(jax.grad(jax.grad(w))), 3.0, 2.0, [3.0]),
    "scan": (lambda w: jax.jit(lambda x: lax.scan(lambda c, y: (c + w(y), None), 0.0, x)[0]), X, 14.0, [*X]),
    "checkpoint": (lambda w: jax.jit(jax.grad(jax.checkpoint(w))), 3.0, 6.0, [3.0]),
}


@lanes
@pytest.mark.parametrize("place", DEBUG)
def test_a_debug_function_watches_and_returns_nothing(place):
    transform, x, expected, record = DEBUG[place]
    look, seen = watch()
    assert look(1.0) is None
    seen.clear()
    same(run(transform(lambda x: (look(x), x**2)[1]), x), np.asarray(expected))
    assert seen == record


@lanes
def test_a_debug_function_takes_arrays_trees_statics_and_what_it_returns_is_ignored():
    seen = []

    @hw.wrap(effect="debug", static="label")
    def look(tree, label):
        seen.append((label, tree["a"].shape, type(tree["b"][0])))
        return "ignored"

    run(jax.jit(lambda x: look({"a": x, "b": [x[0]]}, "here")), X)
    assert seen == [("here", (3,), np.ndarray)]


@lanes
def test_a_signature_without_results():
    seen = []
    for options in ({"effect": "debug"}, {"effect": "io"}):
        look = hw.wrap("(n),()->", **options)(lambda v, x: seen.append((v.shape, float(x))))
        for call in (look, jax.jit(look)):
            seen.clear()
            assert run(call, np.ones((2, 3)), np.arange(2.0)) is None
            assert seen == [((3,), 0.0), ((3,), 1.0)]
        with pytest.raises(hw.SignatureError, match=r"signature '\(n\),\(\)->' gives `v` the core axes"):
            look(1.0, 2.0)
    with pytest.raises(hw.SignatureError, match="is not a signature"):
        hw.wrap("(n)->")(lambda v: None)


# ---- results and arguments: what is checked of a pure function is checked here


@lanes
def test_results_may_be_nothing_trees_and_64_bits():
    log = []
    nothing = hw.wrap(out=(), effect="io")(lambda x: log.append(float(x)))
    assert nothing(1.0) == () == run(jax.jit(nothing), 2.0)
    assert log == [1.0, 2.0]
    tree = hw.wrap(out={"n": scalar(np.int64), "z": scalar(complex, (2,))}, effect="io")(
        lambda x: {"n": np.int64(2**40 + 1), "z": np.array([x / 3, 1j])}
    )
    expected = {"n": np.int64(2**40 + 1), "z": np.array([1 / 3, 1j])}
    for call in (tree, jax.jit(tree)):
        same(run(call, 1.0), expected, tolerance=0)


@lanes
def test_arguments_are_private_and_may_be_written_to():
    def in_place(x):
        x *= 2
        return x

    f = hw.wrap("(n)->(n)", effect="io")(in_place)
    x = jnp.asarray(X)
    for call in (f, jax.jit(f), jax.jit(lambda x: f(x) + 0 * x)):
        same(run(call, x), 2 * X)
        same(x, X)


@poisons
@lanes
@pytest.mark.parametrize("effect", ["io", "debug"])
def test_errors_on_the_host_arrive(effect):
    class Odd(Exception):
        pass

    def odd(x):
        raise Odd("forty-two is not enough")

    f = hw.wrap(odd, effect=effect)
    with pytest.raises(Odd):
        f(1.0)
    with pytest.raises(Exception, match="odd: the host function raised Odd: forty-two is not enough"):
        run(jax.jit(lambda x: (f(x), x + 1)), 1.0)
    assert isinstance(hw.last_error(), hw.HostCallError) and isinstance(hw.last_error().__cause__, Odd)
    quiet = hw.wrap(lambda x: odd(x), effect=effect, on_error="nan")
    result = run(jax.jit(quiet), 1.0)
    assert result is None if effect == "debug" else np.isnan(result)
    assert isinstance(hw.last_error().__cause__, Odd)


@poisons
@lanes
def test_results_are_compared_with_what_was_declared():
    f = hw.wrap(out=scalar(shape=(3,)), effect="io")(lambda x: np.ones(2))
    with pytest.raises(
        hw.ResultError, match=r"declared with shape \(3,\), the host function returned \(2,\)"
    ):
        f(1.0)
    with pytest.raises(Exception, match=r"declared with shape \(3,\), the host function returned \(2,\)"):
        run(jax.jit(f), 1.0)
    with pytest.raises(hw.ResultError, match="structure"):
        hw.wrap(out=(), effect="io")(lambda x: 3.0)(1.0)


@poisons
@lanes
@pytest.mark.parametrize("effect", ["io", "debug"])
def test_jax_inside_is_an_error_unless_it_is_allowed(effect):
    f = hw.wrap(lambda x: np.asarray(jnp.sin(x)), effect=effect)
    for call in (f, jax.jit(f)):
        with pytest.raises(Exception, match=r"the host function used JAX.*allow_jax=True"):
            run(call, 1.0)
    run(hw.wrap(lambda x: np.asarray(jnp.sin(x)), effect=effect, allow_jax=True), 1.0)


@lanes
@pytest.mark.parametrize("effect", ["io", "debug"])
def test_the_floating_point_environment_is_the_ordinary_one(effect):
    """XLA flushes subnormal numbers in its threads."""
    seen = []
    f = hw.wrap(lambda x: (seen.append(float(x) * 0.5), np.asarray(x))[1], effect=effect)
    run(jax.jit(f), 4e-308)
    assert seen == [2e-308]


def test_equal_calls_compile_nothing_new():
    f, _ = noisy(effect="io")
    f.defpartials(x=lambda ans, x: 2.0)
    traced = []
    compiled = jax.jit(lambda x: (traced.append(1), f(x))[1])
    for _ in range(3):
        run(compiled, 1.0), run(jax.grad(f), 1.0), run(jax.vmap(f), X)
    assert len(traced) == 1
    params = [jax.make_jaxpr(f)(1.0).eqns[0].params for _ in range(2)]
    assert params[0] == params[1]


# ---- derivatives


def with_partials(**options):
    f, seen = noisy(effect="io", **options)
    return f.defpartials(x=lambda ans, x: 2.0), seen


def with_jvp(**options):
    f, seen = noisy(effect="io", **options)
    f.defjvp(lambda primals, tangents: (f(*primals), 2 * tangents[0]))
    return f, seen


DERIVATIVES = {
    "grad": (jax.grad, 1.0, 2.0, [1.0]),
    "jit of grad": (lambda f: jax.jit(jax.grad(f)), 1.0, 2.0, [1.0]),
    "grad of jit": (lambda f: jax.grad(jax.jit(f)), 1.0, 2.0, [1.0]),
    "value and grad": (lambda f: jax.jit(lambda x: sum(jax.value_and_grad(f)(x))), 1.0, 4.0, [1.0]),
    "jvp": (lambda f: jax.jit(lambda x: jax.jvp(f, (x,), (3.0,))[1]), 1.0, 6.0, [1.0]),
    "linearize": (lambda f: lambda x: jax.linearize(f, x)[1](5.0), 1.0, 10.0, [1.0]),
    "hessian": (lambda f: jax.jit(jax.hessian(lambda x: f(x) ** 2)), 1.0, 8.0, [1.0]),
    "scan": (lambda f: jax.jit(jax.grad(lambda x: lax.scan(lambda c, y: (c * f(y), None), 1.0, x)[0])),
             X, 48 / X, [*X]),
    "cond": (lambda f: jax.jit(jax.grad(lambda x: lax.cond(x > 0, f, lambda x: x, x))), 1.0, 2.0, [1.0]),
    "while, forward": (lambda f: lambda x: jax.jvp(lambda x: lax.while_loop(lambda c: c < 5, f, x), (x,), (1.0,))[1],
                       1.0, 8.0, [1.0, 2.0, 4.0]),
}  # fmt: skip


@lanes
@both
@pytest.mark.parametrize("rule", [with_partials, with_jvp])
@pytest.mark.parametrize("place", DERIVATIVES)
@pytest.mark.rotating
def test_with_a_rule_the_effect_happens_once_under_derivatives(place, rule, ordered):
    transform, x, expected, record = DERIVATIVES[place]
    f, seen = rule(ordered=ordered)
    same(run(transform(f), x), np.asarray(expected))
    assert seen == record


def with_vjp(**options):
    f, seen = noisy(effect="io", **options)
    f.defvjp(lambda x: (f(x), None), lambda residuals, ct: (2 * ct,))
    return f, seen


@lanes
@both
@pytest.mark.parametrize(
    "place", [p for p in DERIVATIVES if p not in ("jvp", "linearize", "hessian", "while, forward")]
)
@pytest.mark.rotating
def test_with_a_reverse_rule_too(place, ordered):
    transform, x, expected, record = DERIVATIVES[place]
    f, seen = with_vjp(ordered=ordered)
    same(run(transform(f), x), np.asarray(expected))
    assert seen == record


@lanes
@both
@pytest.mark.rotating
def test_an_unused_result_in_a_differentiated_loop_is_computed_all_the_same(ordered):
    """JAX's own io_callback is dropped there; an argument that stays the same is called with once, as in JAX."""
    f, seen = noisy(effect="io", ordered=ordered)
    for go in (lambda g: g, jax.jit):
        for argument, record in ((lax.stop_gradient, [2.0, 4.0, 8.0]), (lambda c: 7.0, [7.0])):
            step = lambda x, c, a=argument: ((f(a(c)), c * x)[1], None)
            seen.clear()
            run(go(jax.grad(lambda x, s=step: lax.scan(lambda c, _: s(x, c), x, None, 3)[0])), 2.0)
            assert seen == record


@lanes
@pytest.mark.parametrize("rule", [with_partials, with_jvp, with_vjp])
@pytest.mark.rotating
def test_with_a_rule_and_a_batch(rule):
    f, seen = rule(vmap_method="sequential")
    for program in (
        jax.vmap(jax.grad(f)),
        jax.grad(lambda x: jax.vmap(f)(x).sum()),
        jax.grad(lambda x: f(x).sum()),
        lambda x: jnp.diag(jax.jacrev(f)(x)),
        *([lambda x: jnp.diag(jax.jacfwd(f)(x))] if rule is not with_vjp else []),
    ):
        for go in (program, jax.jit(program)):
            seen.clear()
            same(run(go, X), np.full(3, 2.0))
            assert seen == [*X]


@lanes
def test_a_rule_sees_the_core_and_broadcast_arguments_are_summed():
    shapes = []

    @functools.partial(hw.wrap, signature="(n),(),()->(),()", dtype=(float, int), effect="io")
    def f(v, x, k):
        return v.sum() * x, 7

    @f.defjvp
    def rule(primals, tangents):
        (v, x, k), (dv, dx, _) = primals, tangents
        shapes.append((v.shape, x.shape))
        y, n = f(v, x, k)
        dy = (0 if dv is None else dv.sum() * x) + (0 if dx is None else v.sum() * dx)
        return (y, n), (dy, None)

    v, x = np.arange(8.0).reshape(2, 1, 4), np.arange(1.0, 4.0)
    loss = lambda v, x: (f(v, x, 3)[0] * jnp.arange(6.0).reshape(2, 3)).sum()
    plain = lambda v, x: (v.sum(-1) * x * jnp.arange(6.0).reshape(2, 3)).sum()
    for go in (lambda g: g, jax.jit):
        same(go(jax.grad(loss, (0, 1)))(v, x), jax.grad(plain, (0, 1))(v, x))
        same(go(jax.grad(loss))(v, x), jax.grad(plain)(v, x))
    assert set(shapes) == {((4,), ())}


@lanes
@both
def test_without_a_rule_a_derivative_is_missing_and_nothing_happens(ordered):
    f, seen = noisy(effect="io", ordered=ordered)
    words = (
        "with respect to `x`: it has side effects and no derivative rule; add one with defpartials, defjvp or "
        "defvjp"
    )
    for program in (jax.grad(f), jax.jit(jax.grad(f)), lambda x: jax.jvp(f, (x,), (x,))):
        with pytest.raises(hw.MissingDerivative, match=words):
            program(1.0)
    assert seen == []


@lanes
@both
def test_what_has_no_tangent_needs_no_rule(ordered):
    """A log in a loss: it returns nothing, or an integer."""
    seen = []
    log = hw.wrap(out=(), effect="io", ordered=ordered)(lambda x: seen.append(float(x)))
    count = hw.wrap(dtype=int, effect="io", ordered=ordered)(lambda x: (seen.append(float(x)), 5)[1])
    loss = lambda x: (log(x), count(x) * x**2)[1]
    for go in (jax.grad(loss), jax.jit(jax.grad(loss))):
        seen.clear()
        same(run(go, 3.0), np.asarray(30.0))
        assert seen == [3.0, 3.0]


# ---- what is refused


@pytest.mark.parametrize(
    "options, words",
    [
        ({"effect": "IO"}, "wave: effect='IO' must be one of io, debug; leave it out for a pure function"),
        ({"ordered": True}, "wave: ordered=True is for effect='io'"),
        ({"ordered": True, "effect": "debug"}, "wave: ordered=True is for effect='io'"),
        ({"effect": "debug", "out": scalar()}, "wave: a debug function returns nothing: give no out="),
        ({"effect": "debug", "dtype": float}, "a debug function returns nothing"),
        ({"effect": "debug", "signature": "()->()"}, r"a signature without results, such as '\(n\)->'"),
    ],
)
def test_options_that_contradict(options, words):
    def wave(x):
        return x

    with pytest.raises(hw.SignatureError, match=words):
        hw.wrap(**options)(wave)


def test_rules_that_side_effects_do_not_allow():
    look, _ = watch()
    with pytest.raises(hw.RuleError, match="a debug function returns nothing; there is nothing to diff"):
        look.defpartials(x=lambda ans, x: 1.0)
    f, _ = noisy(effect="io")
    f.defjvp(lambda primals, tangents: (f(*primals), f(*tangents)))
    same(jax.jvp(f, (1.0,), (3.0,)), (np.asarray(2.0), np.asarray(6.0)))
    with pytest.raises(hw.RuleError, match="a derivative rule calls it on a tangent"):
        jax.grad(f)(1.0)
    g, _ = noisy(effect="io")
    with pytest.raises(hw.RuleError, match="has side effects, and this kind of rule is for pure functions"):
        g._attach(Rule())


def test_what_jax_refuses_around_side_effects():
    """If JAX allows more one day, the pages are to tell."""
    f, _ = with_partials()
    with pytest.raises(NotImplementedError, match="checkpoint"):
        jax.grad(jax.checkpoint(lambda x: f(x) ** 2))(1.0)
    with pytest.raises(NotImplementedError, match="vmap-of-cond"):
        jax.vmap(lambda x: lax.cond(x > 0, f, lambda x: x, x))(X)


@poisons
@pytest.mark.parametrize("way", [lambda f: f, jax.jit], ids=["eager", "jit"])
def test_an_effect_happens_once_where_a_pure_function_would_be_called_again(way):
    """An argument without axes that is changed in place; code for one number that gets an array."""
    seen = []

    @hw.wrap(effect="io")
    def shifted(x):
        seen.append(1)
        y = x
        y -= 1.0
        return 2 * y

    assert run(way(shifted), 3.0) == 4.0 and len(seen) == 1

    @hw.wrap(effect="io")
    def branched(x):
        seen.append(1)
        return x if x > 0 else -x

    seen.clear()
    with pytest.raises((ValueError, jax.errors.JaxRuntimeError), match="truth value"):
        run(way(branched), X)
    assert len(seen) == 1

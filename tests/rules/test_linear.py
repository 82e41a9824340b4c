"""`hostwrap.linear`: linear maps on the host, with their transposes."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hostwrap as hw
from tests._kit.toys import each_lane, recording, same  # noqa: F401

draw = np.random.default_rng(7)
A = draw.normal(size=(2, 3))
C = draw.normal(size=(2, 3)) + 1j * draw.normal(size=(2, 3))
X, Y = np.array([1.0, -2.0, 0.5]), np.array([0.7, -1.5])
XS = jnp.asarray(draw.normal(size=(4, 3)))
lanes = pytest.mark.usefixtures("each_lane")


def real_map():
    return hw.linear(recording(lambda x: A @ x), "(3)->(2)", transpose=recording(lambda c: A.T @ c))


@lanes
@pytest.mark.rotating
def test_value_transpose_and_every_derivative():
    f = real_map()
    same(f(X), A @ X)
    same(jax.jit(f)(X), A @ X, 1e-14)
    same(jax.jit(lambda c: jax.linear_transpose(f, X)(c))(Y), (A.T @ Y,), 1e-14)
    for mode in (jax.jacfwd, jax.jacrev):
        same(jax.jit(mode(f))(X), A, 1e-14)
    quadratic = lambda x: jnp.sum(f(x) ** 2)
    same(jax.jit(jax.grad(quadratic))(X), 2 * A.T @ A @ X, 1e-13)
    for outer in (jax.jacfwd, jax.jacrev):
        for inner in (jax.jacfwd, jax.jacrev):
            same(jax.jit(outer(inner(quadratic)))(X), 2 * A.T @ A, 1e-13)
            same(jax.jit(outer(inner(lambda x: f(x)[0])))(X), np.zeros((3, 3)))
    third = jax.jacfwd(jax.hessian(lambda x: jnp.sum(f(x) ** 3)))
    same(jax.jit(third)(X), 6 * np.einsum("li,lj,lk->ijk", A, A, A), 1e-12)


def test_the_transpose_of_the_transpose_is_the_map():
    f = real_map()
    back = jax.linear_transpose(lambda c: jax.linear_transpose(f, X)(c)[0], Y)
    same(jax.jit(back)(X), (A @ X,), 1e-14)


def test_batches_are_those_of_a_ufunc():
    f = real_map()
    same(f(XS), XS @ A.T, 1e-14)
    same(jax.jit(jax.vmap(f))(XS), XS @ A.T, 1e-14)
    same(jax.jit(jax.grad(lambda x: jnp.sum(f(x) ** 2)))(XS), 2 * XS @ A.T @ A, 1e-13)
    weights = jnp.ones((4, 2))
    same(jax.jit(lambda c: jax.linear_transpose(f, XS)(c))(weights), (weights @ A,), 1e-14)
    same(jax.vmap(jax.grad(lambda x: f(x)[0]))(XS), np.tile(A[0], (4, 1)), 1e-14)


def test_whole_batches_in_one_call():
    host, back = recording(lambda x: x @ A.T), recording(lambda c: c @ A)
    f = hw.linear(host, "(3)->(2)", transpose=back, vmap_method="broadcast_all")
    same(jax.jit(jax.vmap(jax.jacrev(f)))(XS), np.tile(A, (4, 1, 1)), 1e-14)
    same(jax.jit(jax.grad(lambda x: f(x).sum()))(XS), np.tile(A.sum(0), (4, 1)), 1e-14)
    assert (
        back.seen == [((2, 1, 2),), ((4, 2),)]
        or back.seen == [((1, 2, 2),), ((4, 2),)]
        or len(back.seen) == 2
    )


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")  # of the reference, in older JAX
@pytest.mark.parametrize(
    "kind",
    [{"transpose": lambda c: C.T @ c}, {"adjoint": lambda c: C.conj().T @ c}],
    ids=["transpose", "adjoint"],
)
def test_a_complex_map_and_its_conjugation(kind):
    f, g = hw.linear(lambda z: C @ z, "(3)->(2)", dtype=complex, **kind), lambda z: C @ z
    z, c = X + 1j * X[::-1], jnp.asarray(Y - 0.5j)
    for point in (z, X):  # a real argument has a real cotangent
        same(jax.jit(lambda x: jax.vjp(f, x)[1](c))(point), jax.vjp(g, point)[1](c), 1e-13)
        same(jax.jit(jax.grad(lambda x: jnp.sum(jnp.abs(f(x)) ** 2)))(point),
             jax.grad(lambda x: jnp.sum(jnp.abs(g(x)) ** 2))(point), 1e-13)  # fmt: skip
        same(jax.jvp(f, (point,), (2 * point,)), jax.jvp(g, (point,), (2 * point,)), 1e-13)
    same(jax.linear_transpose(f, z)(c), (C.T @ c,), 1e-13)
    assert not hw.testing.check(f, z).failures


def test_the_real_fourier_transform():
    """A real argument, a complex result, and scipy.fft on both sides."""
    n = 8

    def back(c):  # sum_k c_k exp(-2 pi i j k / n): a plain transpose, no division by n
        return np.fft.fft(np.concatenate([c, np.zeros(n - c.size)]))

    f = hw.linear(
        lambda x: np.fft.rfft(x),
        out=lambda x: jax.ShapeDtypeStruct((n // 2 + 1,), np.complex128),
        transpose=back,
    )
    x = draw.normal(size=n)
    power = lambda f: lambda x: jnp.sum(jnp.abs(f(x)) ** 4)
    same(jax.jit(jax.grad(power(f)))(x), jax.grad(power(jnp.fft.rfft))(x), 1e-12)
    same(jax.jit(jax.hessian(power(f)))(x), jax.hessian(power(jnp.fft.rfft))(x), 1e-11)


def test_several_arguments_trees_and_statics():
    shape = jax.ShapeDtypeStruct((2,), np.float64)

    @functools.partial(hw.linear, out={"sum": shape, "double": shape}, static="k", transpose=lambda c, *, k: (
        {"u": k * A.T @ c["sum"] + 2 * A.T @ c["double"]}, c["sum"]
    ))  # fmt: skip
    def f(p, v, *, k):
        return {"sum": k * A @ p["u"] + v, "double": 2 * A @ p["u"]}

    def g(p, v, *, k):
        return {"sum": k * A @ p["u"] + v, "double": 2 * A @ p["u"]}

    p, v = {"u": X}, Y

    def loss(f):
        return lambda p, v: jnp.sum(f(p, v, k=3)["sum"] ** 2 * f(p, v, k=2)["double"])

    same(jax.jit(jax.grad(loss(f), (0, 1)))(p, v), jax.grad(loss(g), (0, 1))(p, v), 1e-12)
    same(jax.jit(jax.grad(loss(f), 1))(p, v), jax.grad(loss(g), 1)(p, v), 1e-12)
    same(jax.jit(jax.hessian(loss(f), 1))(p, v), jax.hessian(loss(g), 1)(p, v), 1e-12)
    same(jax.jit(jax.vmap(jax.grad(loss(f)), (None, 0)))(p, jnp.stack([v, 2 * v])),
         jax.vmap(jax.grad(loss(g)), (None, 0))(p, jnp.stack([v, 2 * v])), 1e-12)  # fmt: skip


def test_elementwise_and_as_a_decorator():
    @hw.linear(transpose=lambda c: 3 * c)
    def triple(x):
        return 3 * x

    @hw.linear("(n)->(n)", adjoint=lambda c: np.cumsum(c[::-1])[::-1])
    def total(x):
        return np.cumsum(x)

    same(jax.jit(jax.grad(lambda x: (triple(x) ** 2).sum()))(XS), 18 * XS)
    same(jax.jit(jax.jacrev(total))(X), np.tril(np.ones((3, 3))))
    assert triple.__name__ == "triple" and total.__name__ == "total"


def test_integers_are_numbers_like_others():
    f = real_map()
    same(jax.jit(f)(np.arange(3)), A @ np.arange(3), 1e-14)
    same(f(np.arange(3)), A @ np.arange(3), 1e-14)


def test_in_control_flow_and_under_checkpoint():
    rotate = hw.linear(lambda x: np.roll(x, 1), "(n)->(n)", transpose=lambda c: np.roll(c, -1))

    def loop(roll):
        body = jax.checkpoint(lambda x, _: (jax.lax.cond(x[0] > 0, roll, lambda x: 2 * x, x) ** 2, None))
        return lambda x: jax.lax.scan(body, x, None, length=3)[0].sum()

    exact = loop(lambda x: jnp.roll(x, 1))
    for change in (jax.grad, jax.jacfwd, jax.hessian):
        same(jax.jit(change(loop(rotate)))(X), change(exact)(X), 1e-12)


# ---- what is wrong is said

WRONG = {
    "neither": ({}, "linear wants one of transpose= and adjoint="),
    "both": ({"transpose": np.conj, "adjoint": np.conj}, "linear wants one of transpose= and adjoint="),
    "no function": ({"transpose": 3}, "the transpose must be a function, got int"),
    "arity": ({"adjoint": lambda: 0}, "the adjoint is called as (cotangent), but takes ()"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_pair_that_is_none(case):
    options, words = WRONG[case]
    with pytest.raises(hw.RuleError) as error:
        hw.linear(lambda x: x, "(n)->(n)", **options)
    assert words in str(error.value)


def test_a_linear_map_has_its_rule_already():
    with pytest.raises(hw.RuleError, match="has a derivative rule already"):
        real_map().defhost(jvp=lambda p, t: t[0])


@pytest.mark.parametrize(
    ("transpose", "words"),
    [
        (lambda c: A @ np.ones(3), "the transpose: the cotangent of `x` is declared with shape (3,)"),
        (lambda c: None, "the transpose's cotangent of `x` is None"),
    ],
)  # fmt: skip
def test_a_transpose_that_returns_something_else(transpose, words):
    f = hw.linear(lambda x: A @ x, "(3)->(2)", transpose=transpose)
    for call in (jax.grad(lambda x: f(x).sum()), jax.jit(jax.grad(lambda x: f(x).sum()))):
        with pytest.raises(Exception) as error:
            jax.block_until_ready(call(X))
        assert words in str(error.value)


def test_the_wrong_number_of_cotangents():
    f = hw.linear(lambda x, y: x + y, "(n),(n)->(n)", transpose=lambda c: (c,))
    with pytest.raises(hw.RuleError, match=r"a cotangent .* for each of x, y; got 1 of them"):
        jax.grad(lambda x: f(x, x).sum())(X)


def test_an_integer_result_is_refused():
    f = hw.linear(lambda x: x, "(n)->(n)", dtype=int, transpose=lambda c: c)
    with pytest.raises(hw.RuleError, match="the result of a linear map is floating-point; declared is int64"):
        jax.jit(f)(X)


# ---- `check` finds a pair that is none


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"transpose": lambda c: 2 * A.T @ c}, "reverse = forward"),
        ({"transpose": lambda c: -A.T @ c}, "the sign"),
        ({"transpose": lambda c: np.abs(A).T @ c}, "reverse = forward"),
    ],
    ids=["factor", "sign", "other"],
)
def test_check_finds_what_is_not_the_transpose(options, words):
    with pytest.raises(AssertionError, match="with respect to `x`") as caught:
        hw.testing.check(hw.linear(lambda x: A @ x, "(3)->(2)", **options), X)
    assert words in str(caught.value)


def test_check_finds_a_conjugate_too_many_and_a_map_that_is_not_linear():
    z = X + 0.5j
    with pytest.raises(AssertionError, match="part: reverse = forward with respect to `z`"):
        hw.testing.check(
            hw.linear(lambda z: C @ z, "(3)->(2)", dtype=complex, transpose=lambda c: C.conj().T @ c), z
        )
    with pytest.raises(AssertionError, match="forward = differences with respect to `x`"):
        hw.testing.check(hw.linear(lambda x: x**2, "(n)->(n)", transpose=lambda c: c), X)


PAIRS = {
    "vjp, sign": ({"vjp": lambda p, c: (-np.cos(p[0]) * c,)}, "reverse = forward"),
    "vjp, zero": ({"vjp": lambda p, c: (0 * c,)}, "a silent zero"),
    "jvp": ({"jvp": lambda p, t: np.sin(p[0]) * t[0]}, "forward = differences"),
    "hvp": ({"hvp": lambda p, t, c: (np.sin(p[0]) * c * t[0],)}, "d/dx, forward = differences"),
    "jvp, alone": (
        {"jvp": lambda p, t: np.sin(p[0]) * t[0], "vjp": None, "hvp": None},
        "forward = differences",
    ),
    "vjp, alone": ({"jvp": None, "vjp": lambda p, c: (-np.cos(p[0]) * c,)}, "reverse = differences"),
    "hvp, jvp alone": ({"vjp": None, "hvp": lambda p, t, c: (np.sin(p[0]) * c * t[0],)}, "d/dx, forward"),
    "hvp, vjp alone": ({"jvp": None, "hvp": lambda p, t, c: (np.sin(p[0]) * c * t[0],)}, "d/dx, "),
}


def sine(**rules):
    right = {
        "jvp": lambda p, t: np.cos(p[0]) * t[0],
        "vjp": lambda p, c: (np.cos(p[0]) * c,),
        "hvp": lambda p, t, c: (-np.sin(p[0]) * c * t[0],),
    }
    return hw.wrap("(n)->(n)")(lambda x: np.sin(x)).defhost(**{**right, **rules})


@pytest.mark.parametrize("case", PAIRS)
@pytest.mark.rotating
def test_check_finds_a_wrong_rule_on_the_host(case):
    rules, words = PAIRS[case]
    with pytest.raises(AssertionError) as caught:
        hw.testing.check(sine(**rules), X)
    assert words in str(caught.value)


def test_check_passes_what_is_right_and_says_what_is_missing():
    assert not hw.testing.check(sine(), X).failures
    alone = str(hw.testing.check(sine(jvp=None), X))
    assert "there is a reverse rule only" in alone and "reverse = differences" in alone
    assert "for reverse mode add vjp=" in str(hw.testing.check(sine(vjp=None, hvp=None), X))
    assert "no hvp=" in str(hw.testing.check(sine(hvp=None), X))


# ---- linear in each argument alone


def convolution():
    return hw.linear(
        lambda x, h: np.convolve(x, h),
        "(3),(2)->(4)",
        transpose={
            "x": lambda c, x, h: np.correlate(c, h.conj(), "valid"),
            "h": lambda c, x, h: np.correlate(c, x.conj(), "valid"),
        },
    )


@pytest.mark.rotating
@lanes
@pytest.mark.parametrize("factor", [1.0, 1j])
def test_a_map_that_is_linear_in_each_argument_has_every_derivative(factor):
    f, x, h = convolution(), X * factor, Y
    energy = lambda f: lambda x, h: jnp.sum((jnp.abs(f(x, h)) ** 2 + f(x, h).real) ** 2)
    same(jax.jit(f)(x, h), np.convolve(x, h), 1e-14)
    got = jax.jit(jax.grad(energy(f), (0, 1)))(x, h)
    same(got, jax.grad(energy(jnp.convolve), (0, 1))(x, h), 1e-13)
    if factor == 1.0:
        for transform in (jax.hessian, lambda f, _: jax.jacfwd(jax.hessian(f, 0), 1)):
            got = jax.jit(transform(energy(f), (0, 1)))(x, h)
            same(got, transform(energy(jnp.convolve), (0, 1))(x, h), 1e-11)


def test_a_transpose_of_a_transpose_has_its_arguments_in_their_order():
    """In reverse over reverse mode of a product that does not commute, of arguments of one shape."""
    a, b, w, d = draw.normal(size=(4, 3, 3))
    rules = {"a": lambda c, a, b: c @ b.T, "b": lambda c, a, b: a.T @ c}
    product = hw.linear(lambda a, b: a @ b, "(n,n),(n,n)->(n,n)", transpose=rules)
    twice = lambda f: jax.grad(lambda a: jnp.sum(d * jax.grad(lambda a: jnp.sum(w * f(a, f(a, b))))(a)))(a)
    same(twice(product), twice(jnp.matmul), 1e-13)
    same(twice(jax.jit(product)), twice(jnp.matmul), 1e-13)


def test_its_transposes_know_the_shapes_and_it_batches():
    f = convolution()
    many = jax.jit(jax.vmap(jax.grad(lambda x, h: jnp.sum(f(x, h) ** 2), (0, 1)), (0, None)))(XS, Y)
    loop = [jax.grad(lambda x, h: jnp.sum(f(x, h) ** 2), (0, 1))(x, Y) for x in XS]
    same(many, jax.tree.map(lambda *y: jnp.stack(y), *loop), 1e-13)
    shapes = []
    g = hw.linear(
        lambda x: x[:1], out=jax.ShapeDtypeStruct((1,), float),
        transpose={"x": lambda c, x: shapes.append(x.shape) or np.append(c, np.zeros(len(x) - 1))},
    )  # fmt: skip
    same(jax.grad(lambda x: g(x)[0])(X), np.array([1.0, 0.0, 0.0]))
    assert shapes == [(3,)]


def test_an_argument_without_a_transpose_rests():
    f = hw.linear(lambda x, h: x * h, "(3),(3)->(3)", transpose={"x": lambda c, x, h: c * h})
    same(jax.jit(jax.jacrev(f))(X, X), np.diag(X))
    with pytest.raises(hw.MissingDerivative, match=r"`h`: linear was given no transpose= for it"):
        jax.grad(lambda h: f(X, h).sum())(X)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"transpose": {"y": lambda c, x: c}}, "for some of x; got the transpose of y"),
        ({"transpose": {}}, "got the transpose of none"),
        ({"adjoint": {"x": lambda c, x: c}}, "got the adjoint of x"),
        ({"transpose": {"x": lambda c: c}}, r"the transpose in `x` is called as \(cotangent, x\)"),
    ],
)
def test_transposes_of_arguments_that_do_not_fit_are_refused(given, words):
    with pytest.raises(hw.RuleError, match=words):
        hw.linear(lambda x: x, "(3)->(3)", **given)

"""Functions that solve an equation: derivatives by the implicit function theorem, and answers that are no roots."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy

import hostwrap as hw
from tests._kit.toys import callbacks, each_lane, same  # noqa: F401

lanes = pytest.mark.usefixtures("each_lane")

# ---- one unknown: Kepler's equation E - e sin E = M


def kepler(**options):
    @hw.wrap(vmap_method="sequential")
    def f(M, e):
        return scipy.optimize.brentq(lambda E: E - e * np.sin(E) - M, -10, 10, xtol=1e-14)

    f.defimplicit(lambda E, M, e: E - e * jnp.sin(E) - M, **options)
    return f


def kepler_in_jax(M, e):
    E = M + 0.0 * e
    for _ in range(5):
        E = E - (E - e * jnp.sin(E) - M) / (1 - e * jnp.cos(E))
    return E


FIRST = {
    "jacfwd": lambda f: jax.jacfwd(f, (0, 1)),
    "jacrev": lambda f: jax.jacrev(f, (0, 1)),
}
SECOND = {
    "forward over reverse": lambda f: jax.jacfwd(jax.jacrev(f, (0, 1)), (0, 1)),
    "reverse over forward": lambda f: jax.jacrev(jax.jacfwd(f, (0, 1)), (0, 1)),
    "reverse over reverse": lambda f: jax.jacrev(jax.jacrev(f, (0, 1)), (0, 1)),
    "forward over forward": lambda f: jax.jacfwd(jax.jacfwd(f, (0, 1)), (0, 1)),
}


@lanes
@pytest.mark.parametrize("transform", FIRST)
def test_an_elementwise_root(transform):
    transform = FIRST[transform]
    same(jax.jit(transform(kepler()))(1.0, 0.3), transform(kepler_in_jax)(1.0, 0.3), 1e-12)


@pytest.mark.rotating
@pytest.mark.parametrize("transform", SECOND)
def test_second_derivatives_of_an_elementwise_root(transform):
    transform = SECOND[transform]
    same(jax.jit(transform(kepler()))(1.0, 0.3), transform(kepler_in_jax)(1.0, 0.3), 1e-12)


def test_the_third_derivative():
    def third(f):
        return jax.grad(jax.grad(jax.grad(f, 1)), 1)

    same(jax.jit(third(kepler()))(1.0, 0.3), third(kepler_in_jax)(1.0, 0.3), 1e-10)


@pytest.mark.rotating
def test_an_elementwise_root_broadcasts_and_takes_no_dense_system_of_the_batch():
    """Gradients are summed over broadcast axes; 10^5 roots would not fit as one dense system."""
    f, M, e = kepler(), np.linspace(-1.0, 1.0, 3)[:, None], np.array([0.1, 0.4])

    def gradient(f):
        return jax.grad(lambda M, e: (f(M, e) ** 2).sum(), (0, 1))

    same(jax.jit(gradient(f))(M, e), gradient(kepler_in_jax)(M, e), 1e-11)
    same(gradient(f)(M, e), gradient(kepler_in_jax)(M, e), 1e-11)
    cube = hw.wrap(np.cbrt)
    cube.defimplicit(lambda y, x: y**3 - x)
    x = np.linspace(1.0, 2.0, 100_000)
    same(jax.jit(jax.grad(lambda x: cube(x).sum()))(x), x ** (-2 / 3) / 3, 1e-12)


def test_value_gradient_and_hessian_call_the_solver_once():
    def calls(transform, **options):
        return callbacks(transform(kepler(rtol=math.inf, **options)), 1.0, 0.3)

    for transform in (lambda f: f, jax.value_and_grad, jax.hessian):
        assert calls(transform) == 1


# ---- vectors: x A x = b componentwise, and several answers


def quadratic(**options):
    """y (A y) = b: a root by SciPy."""

    @hw.wrap("(n,n),(n)->(n)")
    def f(A, b):
        return scipy.optimize.root(lambda y: y * (A @ y) - b, np.ones(len(b)), tol=1e-14).x

    f.defimplicit(lambda y, A, b: y * (A @ y) - b, **options)
    return f


def quadratic_in_jax(A, b):
    y = jnp.ones_like(b)
    for _ in range(8):
        r, J = y * (A @ y) - b, jnp.diag(A @ y) + y[:, None] * A
        y = y - jnp.linalg.solve(J, r)
    return y


A = np.array([[2.0, 0.3, 0.1], [0.2, 1.5, 0.4], [0.0, 0.3, 1.8]])
B = np.array([1.0, 2.0, 0.5])


@pytest.fixture(scope="module")
def exact():
    return {
        name: jax.jit(transform(quadratic_in_jax))(A, B)
        for name, transform in (FIRST | {"second": SECOND["forward over reverse"]}).items()
    }


def gmres(matvec, b):
    return jax.scipy.sparse.linalg.gmres(matvec, b, tol=1e-13, atol=0.0)[0]


SOLVERS = {"dense": {}, "gmres": {"solve": gmres, "transpose_solve": gmres}}


@pytest.mark.rotating
@lanes
@pytest.mark.parametrize("solver", SOLVERS)
def test_a_vector_root(solver, exact):
    f = quadratic(**SOLVERS[solver])
    for name, transform in FIRST.items():
        same(jax.jit(transform(f))(A, B), exact[name], 1e-9)


@pytest.mark.rotating
@pytest.mark.parametrize("order", SECOND)
def test_second_derivatives_of_a_vector_root(order, exact):
    same(jax.jit(SECOND[order](quadratic()))(A, B), exact["second"], 1e-9)


@pytest.mark.rotating
def test_second_derivatives_with_a_given_solver(exact):
    f = quadratic(**SOLVERS["gmres"])
    same(jax.jit(SECOND["forward over reverse"](f))(A, B), exact["second"], 1e-8)


@pytest.mark.rotating
def test_batches_of_vector_roots():
    f, draw = quadratic(), np.random.default_rng(0)
    b = B * draw.uniform(0.8, 1.2, (2, 4, 3))

    def gradient(f):
        return jax.grad(lambda A, b: (f(A, b) ** 3).sum(), (0, 1))

    along_A, along_b = gradient(lambda A, b: jax.vmap(jax.vmap(lambda b: quadratic_in_jax(A, b)))(b))(A, b)
    same(jax.jit(gradient(f))(A, b), (along_A, along_b), 1e-9)
    same(jax.jit(jax.vmap(jax.vmap(gradient(f), (None, 0)), (None, 0)))(A, b)[1], along_b, 1e-9)


@pytest.mark.rotating
def test_a_minimum_is_a_root_of_the_gradient():
    """A symmetric system, by conjugate gradients, in reverse mode too."""

    def objective(y, p):
        return jnp.sum((y - p) ** 2) / 2 + jnp.sum(jnp.cosh(y)) + 0.1 * (y[0] * y[1]) ** 2

    slope = jax.jit(jax.grad(objective))

    @hw.wrap("(n)->(n)", allow_jax=True)
    def minimum(p):
        return scipy.optimize.root(lambda y: np.asarray(slope(y, p)), 0 * p, tol=1e-13).x

    def cg(matvec, b):
        return jax.scipy.sparse.linalg.cg(matvec, b, tol=1e-14)[0]

    minimum.defimplicit(lambda y, p: jax.grad(objective)(y, p), solve=cg, symmetric=True)
    p = np.array([1.0, -2.0])
    y = minimum(p)
    expected = jnp.linalg.inv(jax.hessian(objective)(y, p))  # dF/dp = -1
    same(jax.jacfwd(minimum)(p), expected, 1e-10)
    same(jax.jacrev(minimum)(p), expected, 1e-10)


def several():
    """x + y = p, x y = q, with a count of iterations that has no derivative."""

    @hw.wrap(
        out=lambda p: {k: jax.ShapeDtypeStruct((), t) for k, t in {"x": float, "y": float, "n": int}.items()}
    )
    def f(p):
        root = np.sqrt(p["sum"] ** 2 / 4 - p["product"])
        return {"x": p["sum"] / 2 + root, "y": p["sum"] / 2 - root, "n": 7}

    def residual(r, p):
        return {"x": r["x"] + r["y"] - p["sum"], "y": r["x"] * r["y"] - p["product"], "n": None}

    f.defimplicit(residual)
    return f


def test_answers_and_arguments_may_be_trees():
    f, p = several(), {"sum": 5.0, "product": 6.0}
    got = jax.jit(jax.jacrev(lambda p: {k: v for k, v in f(p).items() if k != "n"}))(p)
    # x = s/2 + d, y = s/2 - d with d = sqrt(s²/4 - q) = 1/2; dd/ds = s/(4d), dd/dq = -1/(2d)
    same(got, {"x": {"product": -1.0, "sum": 3.0}, "y": {"product": 1.0, "sum": -2.0}}, 1e-12)
    tangents = {"sum": 1.0, "product": 1.0}
    value, tangent = jax.jit(lambda p, t: jax.jvp(f, (p,), (t,)))(p, tangents)
    assert value["n"] == 7
    assert tangent["n"].dtype == jax.dtypes.float0
    same(tangent["x"], 2.0, 1e-12)


@pytest.mark.rotating
@pytest.mark.parametrize("holomorphic", [True, False])
def test_complex_answers(holomorphic):
    """z² = w, and a residual with a conjugate in it, which is linear over the reals only."""
    conj = (lambda z: z) if holomorphic else jnp.conj
    f = hw.wrap(dtype=complex)(lambda w: np.sqrt(w) if holomorphic else np.conj(np.sqrt(w)))
    f.defimplicit(lambda z, w: conj(z) ** 2 - w)

    def exact(w):
        return conj(jnp.sqrt(w))

    w, t = 1.2 + 0.7j, 0.3 - 0.4j
    same(jax.jvp(f, (w,), (t,)), jax.jvp(exact, (w,), (t,)), 1e-13)
    same(jax.vjp(f, w)[1](t), jax.vjp(exact, w)[1](t), 1e-13)


def test_it_is_a_decorator_of_the_residual():
    f = hw.wrap(np.cbrt)

    @f.defimplicit
    def residual(y, x):
        return y**3 - x

    same(jax.grad(f)(8.0), 1 / 12)
    assert residual is f


def test_statics_reach_the_residual():
    f = hw.wrap(static="n")(lambda x, *, n: x ** (1 / n))
    f.defimplicit(lambda y, x, *, n: y**n - x)
    same([jax.jit(jax.grad(lambda x, n=n: f(x, n=n)))(2.0) for n in (2, 3)], [2**-0.5 / 2, 2 ** (-2 / 3) / 3])


@pytest.mark.rotating
def test_a_residual_on_the_host_with_jacobians_of_its_own():
    """The residual is a wrapped function; second derivatives are there as far as its own are."""
    residual = hw.wrap("(n),(n,n),(n)->(n)")(lambda y, A, b: y * (A @ y) - b)
    residual.defpartials(
        y=lambda r, y, A, b: jnp.diag(A @ y) + y[:, None] * A,
        A=hw.unknown("no matrix is differentiated here"),
        b=lambda r, y, A, b: -jnp.eye(len(b)),
    )
    f = hw.wrap("(n,n),(n)->(n)")(quadratic().__wrapped__)
    f.defimplicit(residual)
    same(jax.jit(jax.jacrev(f, 1))(A, B), jax.jacrev(quadratic_in_jax, 1)(A, B), 1e-9)
    same(jax.jit(jax.hessian(f, 1))(A, B), jax.hessian(quadratic_in_jax, 1)(A, B), 1e-9)
    with pytest.raises(hw.MissingDerivative, match="with respect to `A`: no matrix is"):
        jax.jacfwd(f, 0)(A, B)


@pytest.mark.rotating
def test_a_residual_in_numpy_with_a_host_jacobian():
    residual = hw.wrap("(n),(n,n),(n)->(n)")(lambda y, A, b: y * (A @ y) - b)
    residual.defjacobian(
        lambda y, A, b: (
            np.diag(A @ y) + y[:, None] * A,
            np.eye(len(y))[:, :, None] * y[:, None, None] * y,
            -np.eye(len(b)),
        )
    )
    f = hw.wrap("(n,n),(n)->(n)")(quadratic().__wrapped__)
    f.defimplicit(residual)
    for transform in (jax.jacfwd, jax.jacrev):
        same(jax.jit(transform(f, (0, 1)))(A, B), transform(quadratic_in_jax, (0, 1))(A, B), 1e-9)
    with pytest.raises(hw.MissingDerivative, match="hessian"):
        jax.hessian(f, 1)(A, B)


def test_integers_and_what_nobody_differentiates_take_no_part():
    f = hw.wrap("(),()->()")(lambda x, n: x ** (1 / n))
    f.defimplicit(lambda y, x, n: y**n - x)
    same(jax.jit(jax.grad(f))(2.0, 3), 2 ** (-2 / 3) / 3)
    whole = hw.wrap(dtype=int)(lambda x: np.floor(x).astype(int))
    whole.defimplicit(lambda y, x: None)
    same(jax.jvp(whole, (1.5,), (1.0,))[0], 1)


@pytest.mark.parametrize("dtype", [jnp.float32, jnp.bfloat16])
def test_single_and_half_precision(dtype):
    f = hw.wrap(np.cbrt)
    f.defimplicit(lambda y, x: y**3 - x)
    slope = jax.jit(jax.grad(f))(dtype(2.0))
    assert slope.dtype == dtype
    np.testing.assert_allclose(float(slope), 2 ** (-2 / 3) / 3, rtol=8 * float(jnp.finfo(dtype).eps))


@pytest.mark.rotating
def test_hostwrap_finds_nothing_wrong():
    hw.testing.check(kepler(), 1.0, 0.3)
    hw.testing.check(quadratic(), A, B, order=1)


# ---- answers that are no roots


def off(by, **options):
    """cbrt(x), but wrong by a factor 1 + by."""
    f = hw.wrap(lambda x: np.cbrt(x) * (1 + by))
    f.defimplicit(lambda y, x: y**3 - x, **options)
    return f


@pytest.mark.rotating
@lanes
@pytest.mark.parametrize("mode", [jax.grad, jax.jacfwd, jax.hessian])
def test_an_answer_that_is_no_root_has_no_derivative(mode):
    same(off(0.01)(8.0), 2.02)  # the value is the function's own affair
    with pytest.raises(hw.ResultError, match="no root of the residual"):
        mode(off(0.01))(8.0)
    with pytest.raises(jax.errors.JaxRuntimeError, match="no root of the residual"):
        jax.block_until_ready(jax.jit(mode(off(0.01)))(8.0))
    assert isinstance(hw.last_error(), hw.ResultError)


def test_the_error_tells_the_residual_the_step_and_what_to_do():
    with pytest.raises(hw.ResultError) as error:
        jax.grad(off(0.01))(8.0)
    text = str(error.value)
    for words in (
        "<lambda>: the host's answer is no root",
        "The residual is 0.242 there",  # 8 (1.01³ - 1)
        "of size 2.02, by 0.0198",
        "rtol=0.001, atol=1e-11",
        "tighten its tolerance",
        "larger rtol= in defimplicit",
    ):
        assert words in text


def test_one_wrong_element_of_a_batch_is_found():
    f = hw.wrap(lambda x: np.where(x == 8, 2.02, np.cbrt(x)))
    f.defimplicit(lambda y, x: y**3 - x)
    with pytest.raises(hw.ResultError, match=r"of size 2\.02"):
        jax.grad(lambda x: f(x).sum())(np.array([1.0, 8.0, 27.0]))
    same(jax.grad(lambda x: f(x).sum())(np.array([1.0, 27.0])), np.array([1 / 3, 1 / 27]))


def test_the_tolerance_is_relative_to_the_answer_and_may_be_set():
    for scale in (1e-30, 1.0, 1e30):
        x = np.float64(scale)
        jax.grad(off(1e-4, atol=0.0))(x)
        with pytest.raises(hw.ResultError):
            jax.grad(off(1e-2, atol=0.0))(x)
    same(jax.grad(off(1e-2, rtol=0.1))(8.0), 1 / (3 * 2.02**2), 1e-12)
    same(jax.grad(off(1e-2, rtol=math.inf))(8.0), 1 / (3 * 2.02**2), 1e-12)
    with pytest.raises(hw.ResultError):
        jax.grad(off(1e-6, rtol=1e-8))(8.0)


def test_an_answer_near_zero_is_measured_by_what_it_is_made_of():
    """y = a - b with the error of a solver that stopped at 1e-9: relative to y it is infinite."""
    f = hw.wrap(lambda a, b: a - b + 1e-9)
    f.defimplicit(lambda y, a, b: y - (a - b))
    same(jax.grad(f, (0, 1))(2.0, 2.0), (1.0, -1.0))


def test_a_nan_answer_has_a_nan_derivative_and_an_undefined_residual_is_an_error():
    f = hw.wrap(lambda x: np.where(x > 0, np.log(x), np.nan))
    f.defimplicit(lambda y, x: jnp.exp(y) - x)
    assert np.isnan(jax.jit(jax.grad(f))(-1.0))
    g = hw.wrap(lambda x: -x)
    g.defimplicit(lambda y, x: jnp.sqrt(y) - x)
    with pytest.raises(hw.ResultError, match="the residual is nan at the answer"):
        jax.grad(g)(1.0)


def test_a_singular_system_has_an_infinite_derivative():
    f = hw.wrap(np.cbrt)
    f.defimplicit(lambda y, x: y**3 - x)
    assert np.isinf(jax.jit(jax.grad(f))(0.0))
    g = hw.wrap("(n)->(n)")(np.cbrt)
    g.defimplicit(lambda y, x: y**3 - x)
    assert not np.isfinite(jax.jit(jax.jacfwd(g))(np.array([0.0, 1.0]))).all()


@pytest.mark.parametrize("transform", [jax.grad, lambda f: jax.jit(jax.grad(f))])
def test_an_answer_where_the_equation_jumps_is_refused(transform):
    """The equation does not move with p there, and has no root: its derivative was 0."""
    f = hw.wrap(vmap_method="sequential")(lambda p: scipy.optimize.brentq(lambda x: np.sign(x - p), -1, 2))
    f.defimplicit(lambda x, p: jnp.where(x > p, 1.0, -1.0))
    with pytest.raises(
        Exception, match=r"residual is 1 at the answer.*singular.*jumps there and has no root"
    ):
        jax.block_until_ready(transform(f)(0.4))


def test_with_on_error_nan_the_program_goes_on():
    f = hw.wrap(on_error="nan")(lambda x: np.where(x == 8, 2.02, np.cbrt(x)))
    f.defimplicit(lambda y, x: y**3 - x)
    assert np.isnan(jax.block_until_ready(jax.jit(jax.grad(f))(8.0)))
    assert "no root" in str(hw.last_error())


def test_the_check_of_a_given_solver_costs_one_solve():
    f = quadratic(**SOLVERS["gmres"])
    g = hw.wrap("(n,n),(n)->(n)")(lambda A, b: f.__wrapped__(A, b) * 1.01)
    g.defimplicit(lambda y, A, b: y * (A @ y) - b, **SOLVERS["gmres"])
    with pytest.raises(hw.ResultError, match="no root"):
        jax.jacfwd(g, 1)(A, B)


# ---- malformed rules


def plain(**options):
    return hw.wrap("(n)->(n)", **options)(lambda x: np.cbrt(x))


def residual(y, x):
    return y**3 - x


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"residual": 3}, "the residual must be a function, got int"),
        ({"residual": lambda y: y}, r"called as \(answer, x\), but takes \(y\)"),
        ({"solve": 3}, r"solve= must be a function of \(matvec, b\), got int"),
        ({"solve": gmres, "transpose_solve": "T"}, "transpose_solve= must be a function .* got str"),
        ({"transpose_solve": gmres}, "go with solve=, which is not given"),
        ({"symmetric": True}, "go with solve=, which is not given"),
        ({"rtol": -1.0}, "rtol=-1.0 must be a number >= 0"),
        ({"atol": math.nan}, "atol=nan must be a number >= 0"),
        ({"rtol": None}, "rtol=None must be a number >= 0"),
    ],
)
def test_malformed_options_are_refused_when_they_are_attached(options, words):
    with pytest.raises(hw.RuleError, match=words):
        plain().defimplicit(**{"residual": residual, **options})


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (
            lambda y, x: (y**3 - x)[:-1],
            r"real of shape \(3,\) \(as many equations as unknowns\); it is real of shape \(2,\)",
        ),
        (lambda y, x: jnp.sum(y), r"it is real of shape \(\)"),
        (lambda y, x: (y - x) * 1j, r"real of shape \(3,\).*it is complex of shape"),
        (lambda y, x: (y, x), "the residual must have the structure of the answer"),
        (lambda y, x: None, "the residual must have the structure of the answer"),
    ],
)
def test_a_residual_unlike_the_answer_is_refused(wrong, words):
    f = plain()
    f.defimplicit(wrong)
    with pytest.raises(hw.RuleError, match=words):
        jax.jacfwd(f)(np.ones(3))


def test_a_solver_that_returns_another_structure_is_refused():
    f = plain()
    f.defimplicit(residual, solve=lambda matvec, b: (b, None, 0))
    with pytest.raises(hw.RuleError, match="result of solve must have the structure of the answer"):
        jax.jacfwd(f)(np.ones(3))


@pytest.mark.rotating
def test_reverse_mode_wants_a_solver_of_the_transposed_system():
    f = plain()
    f.defimplicit(residual, solve=gmres)
    same(jax.jacfwd(f)(np.ones(3)), np.eye(3) / 3, 1e-12)
    with pytest.raises(TypeError, match="transpose_solve"):
        jax.jacrev(f)(np.ones(3))


def test_a_second_rule_is_refused():
    with pytest.raises(hw.RuleError, match="has a derivative rule already"):
        kepler().defpartials(M=lambda E, M, e: 1.0)

"""`hostwrap.linalg`: values by SciPy, derivatives by dense algebra in JAX and by differences."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.linalg

import hostwrap as hw
from hostwrap import linalg
from hostwrap._rules.differences import slope
from tests._kit.days import by_turns
from tests._kit.toys import each_lane, fresh_lane, same  # noqa: F401
from tests.linalg import test_factorings as test_linalg_factorings
from tests.linalg import test_functions as test_linalg_functions

lanes = pytest.mark.usefixtures("fresh_lane")


def draw(*shapes, kind=float, seed=7):
    random = np.random.default_rng(seed)
    parts = [random.normal(size=s) for s in shapes]
    return [p + 1j * random.normal(size=p.shape) if kind is complex else p for p in parts]


def sylvester(kind=float):
    a, b, q = draw((3, 3), (2, 2), (3, 2), kind=kind)
    return a + 4 * np.eye(3), b + 4 * np.eye(2), q


def lyapunov(kind=float):
    a, q = draw((3, 3), (3, 3), kind=kind)
    return a - 4 * np.eye(3), q


def stein(kind=float):
    a, q = draw((3, 3), (3, 3), kind=kind)
    return 0.2 * a, q


def riccati(kind=float):
    a, b, q, r = draw((3, 3), (3, 2), (3, 3), (2, 2), kind=kind)
    return a, b, q @ q.conj().T + np.eye(3), r @ r.conj().T + np.eye(2)


def positive(kind=float):
    (a,) = draw((3, 3), kind=kind)
    return (a @ a.conj().T + 0.3 * a + np.eye(3),)


def tridiagonal(kind=float):
    return tuple(draw((4,), (3,)))


def any_matrix(kind=float):
    return tuple(draw((3, 3), kind=kind))


def by_kronecker(operator, q):
    """The linear equation as a dense system."""
    shape, size = q.shape, q.size
    columns = jax.vmap(lambda e: operator(e.reshape(shape)).ravel(), out_axes=1)(jnp.eye(size, dtype=q.dtype))
    return jnp.linalg.solve(columns, q.ravel()).reshape(shape)


DENSE = {
    "solve_sylvester": lambda a, b, q: by_kronecker(lambda x: a @ x + x @ b, q),
    "solve_continuous_lyapunov": lambda a, q: by_kronecker(lambda x: a @ x + x @ a.conj().T, q),
    "solve_discrete_lyapunov": lambda a, q: by_kronecker(lambda x: x - a @ x @ a.conj().T, q),
    "expm": lambda a: jax.scipy.linalg.expm(a),
    "eigh_tridiagonal": lambda d, e: jnp.linalg.eigh(jnp.diag(d) + jnp.diag(e, 1) + jnp.diag(e, -1)),
}
CASES = {
    "solve_sylvester": sylvester,
    "solve_continuous_lyapunov": lyapunov,
    "solve_discrete_lyapunov": stein,
    "solve_continuous_are": riccati,
    "solve_discrete_are": riccati,
    "sqrtm": positive,
    "logm": positive,
    "expm": any_matrix,
    "eig": any_matrix,
    "eigh_tridiagonal": tridiagonal,
}
KINDS = [
    (name, kind)
    for name in CASES
    for kind in (float, complex)
    if (name, kind) != ("eigh_tridiagonal", complex)
]
per_case = pytest.mark.parametrize("name", CASES)


def squares(f):
    """A number that does not depend on the signs of eigenvectors."""
    return lambda *args: sum(
        (jnp.abs(y) ** 2 * (1 + jnp.arange(y.size).reshape(y.shape))).sum() for y in _list(f(*args))
    )


def _list(result):
    return [*result] if isinstance(result, tuple) else [result]


def test_every_function_is_tested():
    elsewhere = {case.name for case in test_linalg_functions.CASES} | {"eigh", "funm", "lstsq", "schur"}
    structured = {
        "eig_banded",
        "eigvals_banded",
        "solve_banded",
        "solve_circulant",
        "solve_toeplitz",
        "solveh_banded",
    }
    factorings = {word for name in test_linalg_factorings.CASES for word in name.split()}
    pencils = {"hessenberg", "qz", "ordqz", "qr_insert", "qr_delete", "qr_update"}  # of test_linalg_pencils
    assert set(CASES) | structured | elsewhere | factorings | pencils >= set(linalg.__all__)


@pytest.mark.parametrize(("name", "kind"), KINDS)
@pytest.mark.rotating
def test_values_are_those_of_scipy(name, kind):
    f, args = getattr(linalg, name), CASES[name](kind)
    same(f(*args), jax.tree.map(jnp.asarray, getattr(scipy.linalg, name)(*args)), 1e-13)
    same(jax.jit(f)(*args), f(*args), 1e-15)


def direction(args, seed=11):
    """Of matrices that are Hermitian, a Hermitian one: the equations hold for no other."""
    steps = [t for x in args for t in draw(x.shape, kind=complex if np.iscomplexobj(x) else float, seed=seed)]
    square = [x.ndim == 2 and x.shape[0] == x.shape[1] for x in args]
    hermitian = [
        len(args) == 4 and s and np.allclose(x, x.conj().T) for x, s in zip(args, square, strict=True)
    ]
    return [t + t.conj().T if h else t for t, h in zip(steps, hermitian, strict=True)]


@pytest.mark.parametrize(("name", "kind"), KINDS)
@pytest.mark.rotating
def test_forward_is_as_differences_and_reverse_as_forward(name, kind):
    f, args = getattr(linalg, name), CASES[name](kind)
    steps = direction(args)

    def moved(t):
        return np.asarray(
            squares(getattr(scipy.linalg, name))(*(x + t * d for x, d in zip(args, steps, strict=True)))
        )

    exact, error = slope(moved, 0.02)
    tangent = jax.jit(lambda *a: jax.jvp(squares(f), args, a)[1])(*steps)
    same(tangent, exact, 1e-9)
    assert error < 1e-8 * max(1.0, abs(exact))
    pulled = jax.jit(jax.grad(squares(f), tuple(range(len(args)))))(*args)
    same(sum(jnp.sum(g * t).real for g, t in zip(pulled, steps, strict=True)), tangent, 1e-11)


@pytest.mark.rotating
@pytest.mark.parametrize("name", DENSE)
def test_jacobians_and_hessians_against_dense_algebra(name):
    f, args = getattr(linalg, name), CASES[name]()
    every = tuple(range(len(args)))
    for transform in (jax.jacfwd, jax.jacrev) if name != "eigh_tridiagonal" else ():
        same(jax.jit(transform(f, every))(*args), transform(DENSE[name], every)(*args), 1e-9)
    got = jax.jit(jax.hessian(squares(f), every))(*args)
    same(got, jax.hessian(squares(DENSE[name]), every)(*args), 1e-8)


@pytest.mark.parametrize(
    "name", by_turns("sqrtm", "solve_continuous_are", "solve_discrete_are", "logm", "eig")
)
def test_second_derivatives_against_differences_of_the_first(name):
    f, args = getattr(linalg, name), CASES[name]()
    steps = direction(args)

    def first(t):
        return jax.jvp(squares(f), tuple(x + t * d for x, d in zip(args, steps, strict=True)), tuple(steps))[
            1
        ]

    exact, _ = slope(lambda t: np.asarray(first(t)), 0.02)
    same(jax.jvp(first, (0.0,), (1.0,))[1], exact, 1e-8)
    same(jax.grad(first)(0.0), exact, 1e-8)


@pytest.mark.rotating
@lanes
@pytest.mark.parametrize(
    "name", ["solve_sylvester", "solve_discrete_are", "logm", "expm", "eigh_tridiagonal"]
)
def test_gradients_in_each_lane(name):
    f, args = getattr(linalg, name), CASES[name]()
    every = tuple(range(len(args)))
    got = jax.jit(jax.grad(squares(f), every))(*args)
    same(got, jax.grad(squares(f), every)(*args), 1e-11)


@per_case
@pytest.mark.rotating
def test_batches(name):
    f, args = getattr(linalg, name), CASES[name]()
    stacks = [np.stack([x, 1.1 * x, 0.9 * x]) for x in args]
    slopes = jax.grad(squares(f))
    loop = [f(*(s[k] for s in stacks)) for k in range(3)]
    same(f(*stacks), jax.tree.map(lambda *y: jnp.stack(y), *loop), 1e-14)
    same(jax.jit(jax.vmap(f))(*stacks), f(*stacks), 1e-14)
    many = jax.jit(jax.vmap(slopes))(*stacks)
    same(many, jnp.stack([slopes(*(s[k] for s in stacks)) for k in range(3)]), 1e-12)
    same(f(stacks[0], *args[1:]), jax.vmap(lambda x: f(x, *args[1:]))(stacks[0]), 1e-14)


@per_case
def test_types(name):
    f, args = getattr(linalg, name), CASES[name]()
    narrow = jax.tree.leaves(f(*(x.astype(np.float32) for x in args)))
    assert {y.dtype for y in narrow} == {np.dtype(np.complex64 if name == "eig" else np.float32)}
    for got, exact in zip(narrow, jax.tree.leaves(f(*args)), strict=True):
        np.testing.assert_allclose(got, exact, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("kind", [float, complex])
def test_eigenvectors_turn_as_lapacks_do(kind):
    """squares() above does not see the phase."""
    (a,), steps = any_matrix(kind), draw((3, 3), kind=kind, seed=5)

    def moved(t):
        w, v = scipy.linalg.eig(a + t * steps[0])
        return np.stack([w, *v])

    values = jax.jit(lambda t: jax.jvp(lambda t: linalg.eig(a + t * steps[0]), (0.0,), (t,))[1])(1.0)
    for part in (np.real, np.imag):
        exact, error = slope(lambda t, part=part: part(moved(t)), 0.01)
        assert error.max() < 1e-9
        np.testing.assert_allclose(part(np.stack([values[0], *values[1]])), exact, atol=1e-9)


@pytest.mark.rotating
def test_expm_of_a_large_step_and_a_third_derivative():
    """exp of a block matrix has the derivative above; its own second derivative is a difference of that."""
    a, e = draw((3, 3), (3, 3))
    forward = jax.jvp(linalg.expm, (10 * a,), (1e-8 * e,))[1]
    block = scipy.linalg.expm(10 * np.block([[a, e], [np.zeros((3, 3)), a]]))[:3, 3:]
    np.testing.assert_allclose(forward * 1e9, block, rtol=1e-10)
    hessian = jax.jit(jax.hessian(lambda t: linalg.expm(a + t * e)))(0.0)
    same(hessian, jax.hessian(lambda t: jax.scipy.linalg.expm(a + t * e))(0.0), 1e-11)
    with pytest.raises(hw.MissingDerivative, match="third derivative"):
        jax.jacfwd(jax.hessian(lambda t: linalg.expm(a + t * e).sum()))(0.0)


def test_a_real_matrix_without_a_real_function_gives_nan_and_a_complex_one_its_value():
    a = -np.eye(2) + np.array([[0.0, 0.1], [0.0, -0.5]])
    for f, exact in ((linalg.sqrtm, scipy.linalg.sqrtm), (linalg.logm, scipy.linalg.logm)):
        assert np.isnan(f(a)).all()
        same(f(a + 0j), jnp.asarray(exact(a + 0j)), 1e-13)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: linalg.solve_sylvester(np.eye(2), np.eye(3), np.ones((3, 2))),
            "solve_sylvester: .*axis m = 2",
        ),
        (lambda: linalg.logm(np.ones((2, 3))), "logm: .*axis n = 2"),
        (lambda: linalg.solve_continuous_lyapunov(np.eye(2), 1.0), "solve_continuous_lyapunov: .*core axes"),
        (lambda: linalg.sqrtm("text"), "sqrtm: `A` must be a number or an array of numbers, got str"),
        (
            lambda: linalg.solve_sylvester(np.eye(2), np.eye(2)),
            r"solve_sylvester\(.*missing a required argument: 'q'",
        ),
    ],
)
def test_what_does_not_fit_is_refused(call, words):
    with pytest.raises(hw.SignatureError, match=words):
        call()


def test_hostwrap_finds_nothing_wrong():
    hw.testing.check(linalg.solve_continuous_lyapunov, *lyapunov(), order=1)
    hw.testing.check(linalg.sqrtm, *positive(), order=1)

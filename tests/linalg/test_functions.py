"""`hostwrap.linalg`, functions and factors of a matrix: SciPy's values, and derivatives by differences of them."""

import doctest

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.linalg

import hostwrap as hw
from hostwrap import linalg
from hostwrap._recipes import polar
from hostwrap.linalg import _eigh as eigh
from hostwrap.linalg import _leastsq as leastsq
from hostwrap.linalg import _matfun as matfun
from hostwrap.linalg import _schur as schur
from tests._kit import scipys
from tests._kit.scipys import Case
from tests._kit.toys import same

random = np.random.default_rng(3)
A, B = random.normal(size=(2, 3, 3))
C = A + 1j * B
POSITIVE, OTHER = A @ A.T + np.eye(3), B @ B.T + np.eye(3)
HERMITIAN = C @ C.conj().T + np.eye(3)
TALL, ANOTHER = random.normal(size=(2, 4, 3))
APART = np.diag([1.0, 2.0, 4.0]) + 0.1 * A


class Of:
    """SciPy's functions, or ours, of arrays alone; of factors what does not depend on phases."""

    def __init__(self, m, xp):
        free = lambda v: xp.abs(v) ** 2
        self.squares = lambda a, b: tuple(m.lstsq(a, b)[k] for k in ((0, 1, 3) if a.shape[0] > 3 else (0, 3)))
        self.sine = lambda a: m.funm(a, np.sin)
        self.pairs = lambda a, b, **given: (m.eigh(a, b, **given)[0], free(m.eigh(a, b, **given)[1]))
        self.some = lambda a: (lambda w, v: (w, free(v)))(*m.eigh(a, subset_by_index=(1, 2)))
        self.triangle = lambda a, **given: tuple(free(x) for x in m.schur(a, **given))

    def __getattr__(self, name):
        return getattr(linalg if self is OURS else scipy.linalg, name)


OURS, THEIRS = Of(linalg, jnp), Of(scipy.linalg, np)
CASES = [
    Case("polar", (A,)),
    Case("polar", (C,), {"side": "left"}),
    Case("polar", (TALL,)),
    Case("polar", (TALL.T,)),
    Case("polar", (TALL,), {"side": "left"}),
    Case("orthogonal_procrustes", (TALL, ANOTHER), {}, 2),
    Case("signm", (A,)),
    *(Case(name, (A,)) for name in ("cosm", "sinm", "tanm", "coshm", "sinhm", "tanhm")),
    *(Case(name, (0.5 * C,)) for name in ("cosm", "sinm")),
    Case("expm_frechet", (A, B), {}, 2),
    Case("fractional_matrix_power", (POSITIVE, 0.4), {}, 2),
    Case("fractional_matrix_power", (HERMITIAN, -1.3), {}, 1),
    Case("fractional_matrix_power", (APART, -2), {}, 1),
    Case("sine", (POSITIVE,)),
    Case("sine", (C,)),
    Case("pinv", (TALL,)),
    Case("pinv", (C[:2],)),
    Case("squares", (TALL, random.normal(size=4)), {}, 2),
    Case("squares", (TALL.T, B), {}, 2),
    Case("squares", (C[:, :2], C), {}, 2),
    Case("pairs", (POSITIVE, OTHER), {}, 2),
    Case("pairs", (HERMITIAN, OTHER), {"lower": False}, 2),
    *(Case("pairs", (POSITIVE, OTHER), {"type": k}, 2) for k in (2, 3)),
    Case("some", (POSITIVE,)),
    Case("eigvalsh", (POSITIVE, OTHER), {}, 2),
    Case("eig", (APART,), {"left": True}),
    Case("eig", (APART + 0.2j * B,), {"left": True, "right": False}),
    Case("triangle", (APART,)),
    Case("triangle", (A,), {"output": "complex"}),
    Case("triangle", (C,)),
]
every = pytest.mark.parametrize("case", **scipys.each(CASES))
some = pytest.mark.parametrize("case", **scipys.each([CASES[2], CASES[16], CASES[24]]))


@pytest.mark.rotating
@every
def test_values_are_those_of_scipy(case):
    same(case.of(OURS)(*case.point), jax.tree.map(jnp.asarray, case.of(THEIRS)(*case.point)), 1e-12)


@pytest.mark.exhaustive
@every
def test_derivatives_of_both_modes_and_orders(case):
    scipys.derivatives(OURS, THEIRS, case)


@pytest.mark.rotating
@some
def test_derivatives_of_some(case):
    scipys.derivatives(OURS, THEIRS, case)


@pytest.mark.exhaustive
@every
def test_batches(case):
    scipys.batches(OURS, case)


def test_equal_singular_values_and_eigenvalues_are_no_harm():
    turn = jax.jacrev(lambda a: linalg.polar(a)[0])(np.eye(3))
    same(
        turn.reshape(9, 9),
        (np.eye(9) - np.eye(9).reshape(3, 3, 3, 3).swapaxes(0, 1).reshape(9, 9)) / 2,
        1e-14,
    )
    slope = jax.jacfwd(lambda a: linalg.funm(a, np.exp))(np.eye(3))
    same(slope.reshape(9, 9), np.e * np.eye(9), 1e-13)
    same(jax.grad(lambda a: linalg.eigh(a)[0].sum())(np.eye(3)), np.eye(3), 1e-14)


@pytest.mark.parametrize(
    "how", [{}, {"lower": False}, {"driver": "ev"}, {"subset_by_index": (1, 2)}], ids=str
)
@pytest.mark.parametrize("a", [A + A.T, HERMITIAN], ids=["real", "complex"])
def test_signs_of_eigenvectors_are_scipys(a, how):
    """LAPACK's routine, the triangle, and how many are wanted say the signs."""
    for got, expected in zip(linalg.eigh(a, **how), scipy.linalg.eigh(a, **how), strict=True):
        np.testing.assert_array_equal(got, expected)
    along = lambda t: jnp.abs(linalg.eigh(a + t * np.diag([1.0, -1.0, 0.5]), **how)[1]) ** 2
    same(jax.jvp(along, (0.0,), (1.0,))[1], (along(1e-5) - along(-1e-5)) / 2e-5, 1e-8)


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("chosen", [{}, {"select": "i", "select_range": (1, 2)}], ids=str)
def test_signs_of_eigenvectors_of_a_band_are_scipys(chosen, lower):
    band = A[:2, ::-1] if lower else A[:2]
    for got, expected in zip(
        linalg.eig_banded(band, lower, **chosen), scipy.linalg.eig_banded(band, lower, **chosen), strict=True
    ):
        np.testing.assert_array_equal(got, expected)
    values = lambda m, band: m.eigvals_banded(band, lower, **chosen)
    np.testing.assert_array_equal(values(linalg, band), values(scipy.linalg, band))
    along = lambda m, t: values(m, band + t * B[:2])
    same(
        jax.jvp(lambda t: along(linalg, t), (0.0,), (1.0,))[1],
        (along(scipy.linalg, 1e-5) - along(scipy.linalg, -1e-5)) / 2e-5,
        1e-8,
    )


def test_least_squares_without_full_rank():
    """The rank is held: along a direction that keeps it, the derivative is that of SciPy's solution."""
    thin, b = TALL[:, :1] * np.array([[1.0, 2.0, -1.0]]), TALL[:, 1]
    f = lambda t: linalg.lstsq((1 + t) * thin, b)[0]
    same(f(0.0), scipy.linalg.lstsq(thin, b)[0], 1e-12)
    same(jax.jacfwd(f)(0.0), -f(0.0), 1e-12)
    assert linalg.lstsq(thin, b)[2] == 1


def test_a_rule_of_ones_own_serves_funm():
    cube = hw.wrap(lambda z: z**3, dtype=complex).defpartials(z=lambda ans, z: 3 * z**2)
    same(jax.jacfwd(lambda a: linalg.funm(a, cube))(A), jax.jacfwd(lambda a: a @ a @ a)(A), 1e-10)


def test_what_has_no_derivative_says_so():
    turning = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 2.0]])
    with pytest.raises(Exception, match="real form of a matrix with complex eigenvalues has none"):
        jax.block_until_ready(jax.grad(lambda a: linalg.schur(a)[0][0, 0])(turning))
    assert np.isnan(linalg.fractional_matrix_power(-np.eye(2), 0.5)).all()


@pytest.mark.rotating
@pytest.mark.parametrize("module", [eigh, leastsq, matfun, polar, schur])
def test_the_examples_say_what_comes_out(module):
    found = doctest.testmod(module)
    assert found.attempted and not found.failed


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: linalg.polar(A, "up"), "polar: side='up' must be 'right' or 'left'"),
        (lambda: linalg.eigh(A, np.eye(2)), r"square matrices of one size .* got \(3, 3\), \(2, 2\)"),
        (lambda: linalg.eigh(A, type=4), "eigh: type=4 must be 1, 2 or 3"),
        (lambda: linalg.eigh(A, subset_by_index=(1, 3)), r"subset_by_index=\(1, 3\) must be .* from 0 to 2"),
        (lambda: linalg.lstsq(A, B[:2]), r"lstsq: wants a of shape \(m, n\), .* got \(3, 3\), \(2, 3\)"),
        (lambda: linalg.funm(A, 3), "funm: `func` must be a function, got int"),
        (lambda: linalg.schur(A, "both"), "schur: output='both'"),
        (lambda: linalg.cosm(A[:2]), "cosm: .*axis n = 2"),
    ],
)
def test_what_does_not_fit_is_refused(call, words):
    with pytest.raises(hw.SignatureError, match=words):
        call()


@pytest.mark.parametrize("kind", [float, complex])
@pytest.mark.parametrize("sizes", [(6, 4, 2), (3, 6, 3), (5, 5, 5)])
@pytest.mark.rotating
def test_least_squares_of_constant_rank(sizes, kind):
    """Full rank goes by QR, another by the pseudoinverse."""
    m, n, rank = sizes
    draw = np.random.default_rng(m)
    some = lambda *shape: draw.normal(size=shape) + (1j * draw.normal(size=shape) if kind is complex else 0)
    a, b = some(m, rank) @ some(rank, n), some(m, 2)
    left, right, weights = draw.normal(size=(m, m)), draw.normal(size=(n, n)), draw.normal(size=(n, 2))

    def solution(module, xp, t):
        return module.lstsq((xp.eye(m) + t * left) @ a @ (xp.eye(n) + t * right), (1 + t) * b, 1e-10)

    size = lambda t: jnp.sum(weights * jnp.abs(solution(linalg, jnp, t)[0]) ** 2)
    theirs = lambda t: np.sum(weights * np.abs(solution(scipy.linalg, np, t)[0]) ** 2)
    same(solution(linalg, jnp, 0.0)[0], solution(scipy.linalg, np, 0.0)[0], 1e-12)
    assert solution(linalg, jnp, 0.0)[1].dtype == float
    forward = jax.jvp(size, (0.0,), (1.0,))[1]
    same(forward, (theirs(1e-5) - theirs(-1e-5)) / 2e-5, 1e-6)
    slope = jax.jit(jax.grad(size))
    same(slope(0.0), forward, 1e-10)
    same(jax.hessian(size)(0.0), (slope(1e-5) - slope(-1e-5)) / 2e-5, 1e-6)


@pytest.mark.parametrize("sort", schur.SORTS)
@pytest.mark.parametrize("output", ["real", "complex"])
def test_schur_forms_in_order(output, sort):
    a = np.random.default_rng(0).normal(size=(5, 5))
    found, want = linalg.schur(a, output, sort=sort), scipy.linalg.schur(a, output, sort=sort)
    for ours, theirs in zip(found, want, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_an_invariant_subspace_has_a_derivative():
    draw = np.random.default_rng(1)
    turn, direction = draw.normal(size=(2, 5, 5))
    a = turn @ np.diag([1.0, -2.0, 3.0, -4.0, 5.0]) @ np.linalg.inv(turn)

    def size(module, t):
        _, z, _ = module.schur(a + t * direction, "complex", sort="lhp")
        return ((z[:, :2] @ z[:, :2].conj().T).real * direction).sum()

    slope = jax.jit(jax.grad(lambda t: size(linalg, t)))
    same(slope(0.0), (size(scipy.linalg, 1e-6) - size(scipy.linalg, -1e-6)) / 2e-6, 1e-7)
    same(jax.hessian(lambda t: size(linalg, t))(0.0), (slope(1e-5) - slope(-1e-5)) / 2e-5, 1e-7)
    with pytest.raises(hw.HostwrapError, match=r"sort=.* must be None or one of lhp"):
        linalg.schur(a, sort=lambda x: x.real > 0)


def test_some_eigenvalues_of_a_band():
    band = np.random.default_rng(2).normal(size=(3, 6))
    w, v = linalg.eig_banded(band, select="i", select_range=(1, 3))
    want = scipy.linalg.eig_banded(band, select="i", select_range=(1, 3))
    same(w, want[0], 1e-13)
    same(jnp.abs(v), np.abs(want[1]), 1e-12)
    assert linalg.eigvals_banded(band, select="i", select_range=(0, 0)).shape == (1,)
    for wrong in ({"select": "v", "select_range": (0.0, 1.0)}, {"select": "i", "select_range": (3, 9)}):
        with pytest.raises(hw.HostwrapError, match=r"eigvals_banded|eig_banded: select"):
            linalg.eigvals_banded(band, **wrong)


@pytest.mark.parametrize("diagonal", [[0.0, 0.0], [1.0, 0.0]])
def test_the_sign_of_a_singular_matrix_has_no_derivative(diagonal):
    """It was 2e291."""
    assert np.isnan(jax.jacrev(linalg.signm)(np.diag(diagonal))).all()

"""Iterative solvers of sparse systems in recorded code, for matrices of all kinds."""

import jax
import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as sl

import hostwrap as hw
from hostwrap._copies.retarget import Untraceable
from hostwrap._tracing.tape import run
from tests._kit.days import by_turns
from tests.tracing.test_tape import check

N, P, STEP = 6, np.array([0.7, 1.4]), np.array([0.3, -0.2])
M = np.random.default_rng(0).normal(size=(N, N)) * 0.2 + np.diag(np.arange(2.0, 8.0))
NAMES = ("gmres", "cg", "cgs", "bicg", "bicgstab", "lgmres", "minres", "qmr", "tfqmr", "gcrotmk")


def operator(p, m):
    product = lambda a: lambda v: p[0] * (a @ v) + p[1] * v
    return sl.LinearOperator((N, N), product(m), product(m.T), dtype=float)


KINDS = {
    "an operator": operator,
    "a dense matrix": lambda p, m: m * p[0] + np.eye(N) * p[1],
    "a sparse matrix": lambda p, m: sp.csr_array(m) * p[0] + sp.eye_array(N) * p[1],
}


def solved(name, kind, p, **how):
    m = M + M.T if name in ("cg", "minres") else M
    return getattr(sl, name)(KINDS[kind](p, m), np.linspace(1.0, 2.0, N) * p[1], rtol=1e-12, **how)[0]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", by_turns(*NAMES))
def test_both_sweeps_and_second_derivatives(name, kind):
    check(lambda p: solved(name, kind, p), P, rtol=1e-6)


@pytest.mark.parametrize("name", by_turns("gmres", "bicgstab", "lgmres"))
def test_complex_systems(name):
    f = lambda p: getattr(sl, name)(M * p[0] + 1j * np.eye(N) * p[1], np.ones(N) + 0j, rtol=1e-12)[0]
    check(f, P, twice=False, rtol=1e-6)


PRECONDITIONERS = {
    "constant": lambda p: np.diag(1 / np.diag(M)),
    "an operator that moves": lambda p: sl.LinearOperator(
        (N, N), *[lambda v: v / (p[0] * np.diag(M) + p[1])] * 2, dtype=float
    ),
    "a matrix that moves": lambda p: np.diag(1 / (p[0] * np.diag(M) + p[1])),
    "a sparse matrix that moves": lambda p: sp.diags_array(1 / (p[0] * np.diag(M) + p[1])),
}


@pytest.mark.parametrize("kind", PRECONDITIONERS)
@pytest.mark.parametrize("name", by_turns("gmres", "cg", "bicg"))
def test_a_preconditioner_has_no_part_in_the_derivative(name, kind):
    near = PRECONDITIONERS[kind]
    along = [
        run(lambda p, how=how: solved(name, "an operator", p, **how(p)), [P], [True]).jvp([STEP])[0]
        for how in (lambda p: {}, lambda p: {"M": near(p)})
    ]
    np.testing.assert_allclose(*along, rtol=1e-9)


def test_large_operators_are_never_made_dense():
    n = 4000
    chain = sp.diags_array([-1.0, 2.5, -1.0], offsets=[-1, 0, 1], shape=(n, n)).tocsr()
    f = hw.wrap(
        lambda x: np.sum(sl.gmres(sl.LinearOperator((n, n), lambda v: x * (chain @ v)), np.ones(n))[0])
    )
    np.testing.assert_allclose(jax.grad(f)(0.7), -f(0.7) / 0.7, rtol=1e-5)


def test_an_answer_that_solves_nothing_is_refused():
    with pytest.raises(Untraceable, match="gmres: the answer does not solve the system"):
        run(lambda p: solved("gmres", "an operator", p, maxiter=1, restart=1), [P], [True])

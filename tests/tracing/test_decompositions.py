"""Decompositions and functions of matrices in recorded code: first derivatives both ways, and second ones."""

import numpy as np
import pytest
import scipy.linalg as sl

from hostwrap._copies.retarget import Untraceable
from hostwrap._tracing.tape import run
from tests.tracing.test_tape import P, S, check

RNG = np.random.default_rng(8)
TALL = RNG.normal(size=(4, 3))
SPREAD = S + np.diag([0, 3, 7, 12.0])
TURNING = np.array([[0.2, -1.1, 0.3], [0.9, 0.1, 0.4], [0.1, -0.3, 1.7]])
BANDS = np.array([[0.1, 0.3, -0.2, 0.4], [3.0, 4, 5, 3.5]])
USES = {
    "lu": (lambda a: sl.lu(a), S),
    "lu, permuted": (lambda a: sl.lu(a, permute_l=True), S),
    "solved by lu": (lambda a: sl.lu_solve(sl.lu_factor(a), a[0]) + sl.lu_solve(sl.lu_factor(a), a[1], 1), S),
    "ldl": (lambda a: sl.ldl(a)[:2], P),
    "ldl, the upper half": (lambda a: sl.ldl(a, lower=False)[:2], P),
    "qr": (lambda a: sl.qr(a, mode="economic"), TALL),
    "qr, pivots": (lambda a: sl.qr(a, pivoting=True)[:2], S),
    "qr, the triangle": (lambda a: sl.qr(a, mode="r")[0] + np.linalg.qr(a, mode="complete")[1], TALL),
    "qr, numpy's triangle": (lambda a: np.linalg.qr(a, mode="r"), TALL),
    "rq": (lambda a: sl.rq(a), S),
    "eig": (lambda a: tuple(np.linalg.eig(a)), SPREAD),
    "eig, complex": (lambda a: sl.eig(a), TURNING),
    "eigh, a part": (lambda a: sl.eigh(a, subset_by_index=[1, 2]), P),
    "eigh, by value": (lambda a: sl.eigh(a, eigvals_only=True, subset_by_value=[0, 9.0]), P),
    "eigh, generalized": (lambda a, b: sl.eigh(a, b), P, P[::-1, ::-1] + 3 * np.eye(4)),
    "eigenvalues, generalized": (lambda a, b: sl.eigvalsh(a, b), P, P[::-1, ::-1] + 3 * np.eye(4)),
    "eigenvalues, three diagonals": (lambda d, e: sl.eigh_tridiagonal(d, e[1:], eigvals_only=True), *BANDS[::-1]),
    "pinvh": (lambda a: sl.pinvh(a), P),
    "null space": (lambda a: sl.null_space(a[:3]), SPREAD),
    "null space, of a constant rank below": (lambda a: sl.null_space(a.T @ np.diag([1, 2, 0.0]) @ a) ** 2, TURNING),
    "svd, of columns that are determined": (lambda a: (lambda u, s, v: (u[:, :3], s, v))(*np.linalg.svd(a)), TALL),
    "sqrtm": (lambda a: sl.sqrtm(a), P),
    "logm": (lambda a: sl.logm(a), P / 9),
    "a power": (lambda a: sl.fractional_matrix_power(a, 0.3), P),
    "sylvester": (sl.solve_sylvester, S, P, RNG.normal(size=(4, 4))),
    "lyapunov": (sl.solve_continuous_lyapunov, S, RNG.normal(size=(4, 4))),
    "toeplitz": (lambda c, r, b: sl.solve_toeplitz((c, r), b), BANDS[1], BANDS[0], S[0]),
    "toeplitz, symmetric": (sl.solve_toeplitz, np.array([5, 0.3, 0.1, 0.2]), S),
    "bands": (sl.solveh_banded, BANDS, S[0]),
    "bands, lower": (lambda ab, b: sl.solveh_banded(ab[::-1], b, lower=True), BANDS, S[:, :2]),
}  # fmt: skip


@pytest.mark.parametrize("use", USES)
def test_uses(use):
    f, *arrays = USES[use]
    check(f, *arrays, rtol=2e-6)


def test_columns_that_can_be_chosen_have_no_derivative():
    found = run(lambda a: np.linalg.svd(a)[0], [TALL], [True]).jvp([np.ones((4, 3))])[0]
    assert np.isfinite(found[:, :3]).all() and np.isnan(found[:, 3]).all()
    (back,) = run(lambda a: np.linalg.svd(a)[0][:, 3], [TALL], [True]).vjp([np.ones(4)])
    assert np.isnan(back).all()


@pytest.mark.parametrize(
    "f",
    [
        lambda a: sl.lu(a[:3]),
        lambda a: sl.qr(a[:2]),
        lambda a: sl.rq(a[:2]),
        lambda a: sl.ldl(a - a.T + np.ones((4, 4)) - np.eye(4)),
        lambda a: sl.eig(a, left=True),
        lambda a: sl.eigh(a, a, type=2),
    ],
)
def test_what_the_tape_does_not_have_says_so(f):
    with pytest.raises(Untraceable, match="the tape has"):
        run(f, [P], [True])


def test_lists_of_what_records():
    check(lambda a: np.outer(a, [0.0, a[0], 2 * a[1]]) + np.dot([[1.0, a[0], 2]] * 3, a)[:, None], TALL[0])

"""`numpy.matrix` of what is differentiated, and sparse matrices that are filled number by number."""

import jax
import numpy as np
import pytest
from scipy import sparse

import hostwrap as hw
from hostwrap._errors import MissingDerivative
from hostwrap._tracing.tape import run
from tests._kit.days import by_turns
from tests.tracing.corpus.differences import jacobian

pytestmark = pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")  # of numpy.matrix
X = np.array([1.0, 2.0, 0.5, 0.3, 1.5])
V = np.array([1.0, -2.0, 0.7])


def matrix(x):
    return sparse.csr_matrix((x, ([0, 0, 1, 2, 2], [0, 2, 1, 0, 2])), shape=(3, 3))


def sums_in_c_and_in_rows(x):
    m = matrix(x)
    return m.tocsc().sum(axis=1).A1 + m.tocoo().sum(axis=0).A1 * m.tolil().sum(axis=0).getA1()


def elements(x):
    d = matrix(x).todense()
    d[1] = d[0] * 2
    return np.r_[d[0].A1, d[:, 2].A1, d[2, 0] + float(d.sum(axis=1)[0, 0]), np.asarray(d[[0, 2]]).ravel()]


def operators(x):
    a, b = matrix(x).todense(), np.asmatrix(x[:3])
    found = [a * b.T, b * a, a @ V, V.reshape(1, 3) * a, a * 2 + a / 3 - 1, 1 - a, np.sqrt(a + 2), -abs(a)]
    return np.concatenate([np.asarray(y).ravel() for y in found])


def moments(x):
    d = np.matrix(x[:4].reshape(2, 2))
    rows = [d.mean(axis=1), d.std(0), d.max(1), d.T.ravel(), d.reshape(1, 4), np.sum(d, axis=0), d.squeeze()]
    return np.concatenate([[d.sum(), d.var()], *(np.squeeze(np.asarray(r)).ravel() for r in rows)])


def assembled(kind):
    def f(x):
        m = kind((3, 3))
        for k, (i, j) in enumerate([(0, 1), (1, 2), (0, 2)]):
            m[i, j] = m[j, i] = x[k]
        m[1, 1] += x[3] * m[0, 1]
        m[2] = x[2:]
        return np.r_[m.tocsr() @ V, m.toarray().ravel(), m[-1, 2]]

    return f


def rows_of_lists(x):
    m = sparse.lil_array((4, 4))
    m[0, :3], m[3, [0, 2]] = x[:3], x[3:]
    m.setdiag(x[:4])
    part = m[1:4, [0, 3]].toarray(), (m * 3.0).tocsc().toarray(), m.copy().T.toarray(), (m / 2).sum(axis=0)
    return np.concatenate([np.ravel(p) for p in part])


def algebra(x):
    m, v = np.matrix(x[:4].reshape(2, 2)) + 2 * np.identity(2), np.matrix(x[1:3]).T
    n = np.linalg.inv(m) + m.H + np.linalg.cholesky(m.T * m)
    return np.r_[
        (m**-2 * v).A1, (m.I * v).A1, np.matrix(x).I.A1, np.linalg.solve(m, n).A1, np.linalg.det(m), n.A1
    ]


FUNCTIONS = {
    "sums": lambda x: np.asarray(matrix(x).sum(axis=1)).ravel() / matrix(x).sum(),
    "formats": sums_in_c_and_in_rows,
    "means": lambda x: np.array(matrix(x).mean(axis=0)).flatten() ** 2,
    "scaled rows": lambda x: (sparse.diags(1 / matrix(x).sum(axis=1).A.ravel()) @ matrix(x)).data,
    "multiplied": lambda x: matrix(x).multiply(1 / matrix(x).sum(axis=1)).toarray().ravel(),
    "divided": lambda x: np.asarray((matrix(x) / matrix(x).sum(axis=1)).todense()).ravel(),
    "products": lambda x: np.r_[
        (matrix(x) * matrix(x).sum(axis=1)).A1, (matrix(x).sum(0) * matrix(x).sum(1)).item()
    ],
    "laplacian": lambda x: sparse.csgraph.laplacian(matrix(x) + matrix(x).T).toarray().ravel(),
    "elements": elements,
    "operators": operators,
    "moments": moments,
    "algebra": algebra,
    "lists": assembled(sparse.lil_matrix),
    "keys": assembled(sparse.dok_matrix),
    "rows of lists": rows_of_lists,
}


@pytest.mark.parametrize("name", by_turns(*FUNCTIONS))
def test_values_and_derivatives(name):
    f, want = FUNCTIONS[name], jacobian(FUNCTIONS[name], X)
    g = hw.wrap(f, out=jax.ShapeDtypeStruct(np.shape(f(X)), float))
    np.testing.assert_allclose(jax.jit(jax.jacrev(g))(X), want.value, rtol=1e-7, atol=1e-7)
    recorded = run(f, [X], [True])
    np.testing.assert_array_equal(recorded.value[0], f(X))
    t = np.cos(X)
    np.testing.assert_allclose(recorded.jvp([t])[0], want.value @ t, rtol=1e-7, atol=1e-7)


REFUSED = {
    "a comparison": lambda x: np.asarray(matrix(x).todense() > 0.5) * x[0],
    "a function": lambda x: np.asarray(np.linalg.qr(np.asmatrix(x[:4].reshape(2, 2)))[1]),
    "a method": lambda x: np.asarray(matrix(x).todense().argmax()) * x,
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_there_is_refused_by_name(name):
    f = REFUSED[name]
    g = hw.wrap(f, out=jax.ShapeDtypeStruct(np.shape(f(X)), float))
    with pytest.raises(MissingDerivative, match=r"of a numpy\.matrix"):
        jax.jacrev(g)(X)

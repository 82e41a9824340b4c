"""A function that a solver calls writes to an array which it makes like a parameter, outside of the solver's tape."""

import numpy as np
import pytest
import scipy.integrate
import scipy.optimize

from hostwrap._tracing.tape import run

P = np.array([0.7, 0.3])


def _parts(u, p):
    o = np.zeros_like(p)
    first, second = o[:1], o[1:]
    first[0] = u * p[0]
    second += u * p[1]
    return np.concatenate([second, first])


def _halves(u, p):
    o = p * 1j
    o.real = u * p
    o.imag[0] *= u
    return o


def _through(write):
    def made(u, p):
        o = p.copy()
        write(o, u, p)
        return o

    return made


WRITES = {
    "parts": _parts,
    "setitem": _through(lambda o, u, p: o.__setitem__(0, u * p[0])),
    "mask": _through(lambda o, u, p: o.__setitem__(p > 0, u * p[p > 0])),
    "in place": _through(lambda o, u, p: o.__imul__(u)),
    "view": _through(lambda o, u, p: o[:1].__imul__(u)),
    "out": _through(lambda o, u, p: np.multiply(u, p, out=o)),
    "copyto": _through(lambda o, u, p: np.copyto(o, u * p)),
    "put": _through(lambda o, u, p: np.put(o, [0, 1], u * p)),
    "place": _through(lambda o, u, p: np.place(o, p > 0, u * p)),
    "at": _through(lambda o, u, p: np.add.at(o, [0, 0], u * p)),
    "fill": _through(lambda o, u, p: o.fill(u * p[0])),
    "real": _halves,
}


@pytest.mark.parametrize("name", WRITES)
def test_a_minimum(name):
    """Of |o(u, p)|^2 + (u - 1)^2, beside differences."""
    square = lambda u, p: np.sum(np.abs(WRITES[name](u, p)) ** 2) + (u - 1) ** 2
    least = lambda p: scipy.optimize.minimize_scalar(square, args=(p,), options={"xtol": 1e-10}).x
    change = lambda h: (least(P + h) - least(P - h)) / (2 * h)
    (found,) = run(least, [P.copy()], [True]).jvp([np.ones(2)])
    np.testing.assert_allclose(found, (4 * change(1e-3) - change(2e-3)) / 3, rtol=1e-4)


def _decay(y, t, p):
    o = np.zeros_like(p)
    o[0], o[1] = -p[0] * y[0], p[1] * y[0] - y[1]
    return o


@pytest.mark.parametrize("name", ["odeint", "solve_ivp", "fsolve"])
def test_a_system_of_equations(name):
    def answer(p):
        if name == "odeint":
            return scipy.integrate.odeint(_decay, [1.0, 2.0], [0, 1.0], (p,), rtol=1e-10, atol=1e-12)[-1]
        if name == "fsolve":
            return scipy.optimize.fsolve(lambda y: _decay(y, 0, p) + y**3 - 1, [1.0, 1.0], xtol=1e-12)
        right = lambda t, y: _decay(y, t, p)
        return scipy.integrate.solve_ivp(right, (0, 1), [1.0, 2.0], rtol=1e-10, atol=1e-12).y[:, -1]

    (found,) = run(answer, [P.copy()], [True]).jvp([np.ones(2)])
    np.testing.assert_allclose(found, (answer(P + 1e-4) - answer(P - 1e-4)) / 2e-4, rtol=1e-5)


def test_a_factor_that_is_written_to_later():
    """The slope of u o in u is the o that was multiplied."""

    def square(u, p):
        o = p.copy()
        product = u * o
        o[0] = 5.0
        return np.sum(product**2) + (u - 1) ** 2

    least = lambda p: scipy.optimize.minimize_scalar(square, args=(p,), options={"xtol": 1e-10}).x
    (found,) = run(least, [P.copy()], [True]).jvp([np.ones(2)])
    n = np.sum(P**2)
    np.testing.assert_allclose(found, -2 * P.sum() / (1 + n) ** 2, rtol=1e-7)

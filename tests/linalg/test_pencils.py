"""`hostwrap.linalg`: Hessenberg's form, Schur's of two matrices, changed QR decompositions; beside differences."""

import doctest

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.linalg

import hostwrap as hw
from hostwrap import linalg
from hostwrap.linalg import _pencils as pencils
from hostwrap.linalg import _updates as updates
from tests._kit.along import both_ways, change, flat, quickly
from tests._kit.days import by_turns
from tests._kit.versions import JAX

random = np.random.default_rng(6)
A, C = random.normal(size=(5, 5)), random.normal(size=(5, 5)) + 1j * random.normal(size=(5, 5))
B = random.normal(size=(5, 5)) + 1j * random.normal(size=(5, 5)) + 3 * np.eye(5)
S, T = (
    np.diag([3.0, 1.0, -1.0, -2.5]) + 0.3 * random.normal(size=(4, 4)),
    np.eye(4) + 0.1 * random.normal(size=(4, 4)),
)
TALL, U, V = random.normal(size=(6, 3)), random.normal(size=(6, 2)), random.normal(size=(3, 2))
TURNED = TALL * np.exp(1j * random.normal(size=(6, 3)))


def ratios_and_projectors(s, t, q, z):
    """What does not depend on phases."""
    two = lambda q: q[:, :2] @ q[:, :2].conj().T
    return jnp.diagonal(s) / jnp.diagonal(t), two(q), two(z), q @ s @ z.conj().T, jnp.abs(s), jnp.diagonal(t)


def of_qr(m, change, a, mode, *more):
    """The changed factors of a decomposition that moves with its matrix; of a square q what is no turn beyond r."""
    qr = jnp.linalg.qr if m is linalg else np.linalg.qr
    q, r = change(*qr(a, mode="complete" if mode == "full" else "reduced"), *more)
    n = min(r.shape)
    return q[:, :n] @ q[:, :n].conj().T, abs(r[:n])


def cases_of_qr(mode):
    return {
        f"{mode} qr_delete row": (lambda m, a: of_qr(m, lambda *f: m.qr_delete(*f, 1, 2), a, mode), TALL),
        f"{mode} qr_delete col": (lambda m, a: of_qr(m, lambda *f: m.qr_delete(*f, 1, 1, "col"), a, mode), TALL),
        f"{mode} qr_insert row": (
            lambda m, a, u: of_qr(m, lambda *f: m.qr_insert(*f, 1), a, mode, u), TURNED, 1j * V[:, 0]),
        f"{mode} qr_insert col": (
            lambda m, a, u: of_qr(m, lambda *f: m.qr_insert(*f, 1, "col"), a, mode, u), TALL, U),
        f"{mode} qr_update": (lambda m, a, u, v: of_qr(m, m.qr_update, a, mode, u, v), TURNED, U * 1j, V + 0j),
        f"{mode} qr_update of vectors": (
            lambda m, a, u, v: of_qr(m, m.qr_update, a, mode, u, v), TALL, U[:, 0], V[:, 0]),
    }  # fmt: skip


CASES = {
    "qz": (lambda m, a, b: ratios_and_projectors(*m.qz(a, b)), C, B),
    "real qz": (lambda m, a, b: m.qz(a, b), S, T),
    "complex qz of real": (lambda m, a, b: ratios_and_projectors(*m.qz(a, b, output="complex")), A, B.real),
    "ordqz": (lambda m, a, b: m.ordqz(a, b, "rhp"), S, T),
    "complex ordqz": (lambda m, a, b: [x[0] / x[1] for x in [m.ordqz(a, b, "iuc", "complex")[2:4]]], C, B),
    "hessenberg": (lambda m, a: m.hessenberg(a, calc_q=True), A),
    "complex hessenberg": (lambda m, a: m.hessenberg(a, calc_q=True), C),
    "small hessenberg": (lambda m, a: m.hessenberg(a, calc_q=True), C[:2, :2]),
    **cases_of_qr("economic"),
    **cases_of_qr("full"),
}  # fmt: skip


@pytest.mark.parametrize("name", by_turns(*CASES))
def test_values_and_derivatives(name):
    if "qz" in name and JAX < (0, 10):
        pytest.skip("JAX fails where it transposes the loop over the rows")
    call, *at = CASES[name]
    along = [random.normal(size=x.shape) * (1 + (0.5j if np.iscomplexobj(x) else 0)) for x in at]
    ours, theirs = (lambda *x, m=m: flat(call(m, *x)) for m in (linalg, scipy.linalg))
    np.testing.assert_allclose(quickly(ours)(*at), theirs(*at), rtol=1e-10, atol=1e-12)
    expected = change(theirs, at, along, 1e-4)
    weights = random.normal(size=expected.shape)
    _, tangent, pulled = both_ways(ours, at, along, weights)
    np.testing.assert_allclose(tangent, expected, rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(pulled.real, np.sum(weights * tangent.real), rtol=1e-9)


@pytest.mark.parametrize("name", by_turns("hessenberg", "real qz", "economic qr_update of vectors"))
def test_second_derivatives(name):
    call, at, *more = CASES[name]
    along = random.normal(size=at.shape)
    slope = lambda x: jax.jvp(lambda x: flat(call(linalg, x, *more)).real, (x,), (along + 0 * x,))[1]
    change = (slope(at + 1e-5 * along) - slope(at - 1e-5 * along)) / 2e-5
    bend = quickly(lambda x: jax.jvp(slope, (x,), (along + 0 * x,))[1])(at)
    np.testing.assert_allclose(bend, change, rtol=1e-5, atol=1e-5)


def test_values_have_the_bits_of_scipy():
    q, r = np.linalg.qr(TALL)
    for ours, theirs in zip(
        jax.jit(linalg.qr_update)(q, r, U, V), scipy.linalg.qr_update(q, r, U, V), strict=True
    ):
        assert np.array_equal(ours, theirs)
    assert np.array_equal(linalg.hessenberg(A), scipy.linalg.hessenberg(A))
    assert np.array_equal(jax.vmap(linalg.qz)(S[None], T[None])[0][0], scipy.linalg.qz(S, T)[0])


def test_a_form_with_blocks_has_no_derivative():
    turn = np.array([[0.0, 1.0], [-1.0, 0.0]])
    with pytest.raises(Exception, match="real form of a pair with complex eigenvalues has none"):
        jax.grad(lambda a: linalg.qz(a, np.eye(2))[0][0, 0])(turn)


@pytest.mark.rotating
def test_the_examples_say_what_comes_out():
    for module in (pencils, updates):
        assert not doctest.testmod(module).failed


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: linalg.qz(TALL, TALL), "qz: wants two square matrices"),
        (lambda: linalg.qz(S, T, "both"), "qz: output='both' must be"),
        (lambda: linalg.qr_delete(TALL, TALL, 1), "wants Q"),
        (lambda: linalg.qr_delete(np.eye(3), np.eye(3), 0, which="up"), "which='up' must be"),
    ],
)
def test_what_does_not_fit_is_refused(call, words):
    with pytest.raises(hw.SignatureError, match=words):
        call()

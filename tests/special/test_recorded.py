"""Derivatives run as C loops, and do not call Python."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hostwrap as hw
from hostwrap import special
from hostwrap._lanes import recorded as _recording
from hostwrap._native.steps import Body
from hostwrap._table.program import Program
from tests._kit.days import by_turns
from tests.reference import ours
from tests.reference.entries import catalogue, columns, has_complex, indices, is_integer, statics
from tests.special.test_catalogue import ordinary

pytestmark = pytest.mark.native
NAMES = [n for n, f in catalogue().items() if f.public and not all(ours.is_missing(f, a) for a in f.args)]
NAMES.sort(key=lambda name: (name != "betainc", name))


def calls_python(name, differentiate):
    """In a compiled program at an ordinary point; what a program of loops hands back does not count."""
    function = catalogue()[name]
    chosen, arrays = statics(function)[0], columns(function, ordinary(function, 1, False))
    moving = [
        i
        for i, a in enumerate(function.args)
        if not ours.is_missing(function, a) and not is_integer(function, a)
    ]

    def total(*xs):
        return sum(jnp.sum(y.real) for y in jax.tree.leaves(function(*xs, **chosen)))

    args = [jnp.asarray(a[0]) for a in arrays]
    return "hostwrap_host" in jax.jit(differentiate(total, moving)).lower(*args).as_text()


@pytest.mark.parametrize("name", by_turns(*NAMES))
def test_first_derivatives_do_not_call_python(name):
    assert not calls_python(name, jax.grad)


@pytest.mark.parametrize("name", by_turns(*NAMES))
def test_second_derivatives_do_not_call_python(name):
    assert not calls_python(name, jax.hessian)


@pytest.mark.parametrize("name", by_turns("ellip_harm", "ellip_harm_2", "ellip_normal"))
def test_derivatives_beside_a_value_of_python_are_a_program(name, monkeypatch):
    """Though it divides integers, where NumPy may report a division by zero."""
    args = {"ellip_harm": (2, 1, 3.0), "ellip_harm_2": (2, 1, 3.0), "ellip_normal": (2, 1)}[name]
    compiled = jax.jit(jax.value_and_grad(lambda h2: getattr(special, name)(h2, 2.0, *args)))
    asked, bind = [], Program.bind
    monkeypatch.setattr(Program, "bind", lambda *a: asked.append(tuple(a[4])) or bind(*a))
    assert np.isfinite(compiled(1.3)).all()
    assert set(asked) == {(0,)}  # NumPy computes the value


@pytest.mark.parametrize(
    "call", [lambda x: special.betainc(2.0, 3.0, x), lambda x: special.hyp1f1(1.0, 3.0, x)]
)
def test_numbers_of_a_rule_in_place_of_arrays(call):
    """A kernel may record less with them, or fail, for it is written for arrays."""
    f = hw.wrap(lambda x: x * 1.0).defpartials(lambda y, x: call(x))
    slope = jax.grad(jax.grad(f))
    compiled = jax.jit(slope)
    assert "hostwrap_host" not in compiled.lower(0.3).as_text()
    np.testing.assert_allclose(
        compiled(0.3), slope(0.3), rtol=1e-14
    )  # XLA computes the density in its own way
    assert jnp.allclose(slope(0.3), jax.grad(call)(0.3), rtol=1e-13)


def test_a_matrix_has_more_rows_than_a_program_or_than_its_neighbour():
    n, s = np.array([3, 40, 16, 1, 7]), np.array([0.3, 1.7, 2.5, 3.1, 1.2])
    slope = lambda n, s: jax.grad(lambda h2: special.ellip_harm(h2, 2.0, n, 1, s, 1, 1).sum())(1.3)
    each = np.array([slope(*x) for x in zip(n, s, strict=True)])
    for call in (jax.jit(jax.vmap(slope)), jax.vmap(slope)):
        np.testing.assert_array_equal(call(n, s), each)
    assert np.isfinite(each).all()


UNITS = [np.float64(sign).tobytes() for sign in (1, -1)]


def powers_of_two_kinds(steps, constants):
    """How often `numpy.power` is called with an exponent that is no constant; powers of 1 and -1 have no rounding."""
    found = 0
    for row in steps:
        if isinstance(row, Body):
            given = zip(row.outer[row.carried :], row.inner[row.carried :], strict=True)
            inner = {to: constants[of] for of, to in given if of in constants}
            found += powers_of_two_kinds(row.steps, constants | inner)
        else:
            base, exponent = row.read if row.loop.name.startswith("numpy.power ") else (None, None)
            found += base is not None and exponent not in constants and constants.get(base) not in UNITS
    return found


@pytest.mark.parametrize("name", by_turns(*NAMES))
def test_a_power_is_computed_in_one_way(name, monkeypatch):
    """`np.power` takes a square root where one exponent of 1/2 is that of many numbers, `np.float_power` never does."""
    tapes, assemble = [], _recording.assemble
    monkeypatch.setattr(
        _recording, "assemble", lambda tape, *rest: tapes.append(tape) or assemble(tape, *rest)
    )
    function, chosen = catalogue()[name], statics(catalogue()[name])[0]
    for is_complex in (False, True)[: 1 + has_complex(function)]:
        arrays = columns(function, ordinary(function, 1, is_complex))
        for index in indices(function, is_complex):
            if sum(index) == 1 and ours.exists(function, chosen, index, arrays, is_complex):
                jax.jit(ours.differentiated(function, chosen, index, is_complex)).lower(*arrays)
    assert not [tape for tape in tapes if powers_of_two_kinds(tape.steps, tape.constants)]

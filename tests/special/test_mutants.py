"""Planted mistakes: each must be found by the test that is meant for its kind, or be refused when it is written."""

import dataclasses

import mpmath
import numpy as np
import pytest
import scipy.special as sc

from hostwrap.special import _entry
from hostwrap.special._entry import discrete, real, special
from hostwrap.special._math import exp, pi, sqrt
from tests.reference import accuracy, ledger, oracle, tables
from tests.reference.entries import indices
from tests.reference.points import points
from tests.special.test_accuracy import compare
from tests.special.test_catalogue import algebra_errors


@pytest.fixture(autouse=True)
def empty_catalogue(monkeypatch):
    monkeypatch.setattr(_entry, "CATALOGUE", {})


# ---- healthy entries; `bessel` is what rules of the others call


def make(signature="toy(v, z)", **changes):
    healthy = {
        "toy(v, z)": {
            "host": sc.jv,
            "dv": _entry.unknown("not here"),
            "dz": lambda y, v, z: (bessel(v - 1, z) - bessel(v + 1, z)) / 2,
            "ref": lambda mp, v, z: mp.besselj(v, z),
            "v": real(0, 5),
            "z": real(0, 20, im=3),
            "at": [(2.0, 0.0), (1.0, 0.0)],
        },
        "toy(x)": {
            "host": sc.ndtr,
            "dx": lambda y, x: exp(-x * x / 2) / sqrt(2 * pi),
            "ref": lambda mp, x: mp.erfc(-x / mp.sqrt(2)) / 2,
            "x": real(-30, 30, im=3),
        },
        "toy(z) -> ai, aip, bi, bip": {
            "host": sc.airy,
            "dz": lambda y, z: (y.aip, z * y.ai, y.bip, z * y.bi),
            "ref": lambda mp, z: (mp.airyai(z), mp.airyai(z, 1), mp.airybi(z), mp.airybi(z, 1)),
            "z": real(-5, 5, im=3),
        },
        "toy(t)": {
            "host": sc.log_ndtr,
            "dt": lambda y, t: exp(-t * t / 2 - y) / sqrt(2 * pi),
            "ref": lambda mp, t: mp.log(mp.erfc(-t / mp.sqrt(2)) / 2),
            "t": real(-60, 5, im=1),
        },
    }[signature]
    return special(signature, see="a toy", **{**healthy, **changes})


_shelf: dict = {}
_original = _entry.CATALOGUE
try:
    _entry.CATALOGUE = _shelf
    bessel = special(
        "bessel(v, z)",
        host=sc.jv,
        dv=_entry.unknown("not here"),
        dz=lambda y, v, z: (bessel(v - 1, z) - bessel(v + 1, z)) / 2,
        ref=lambda mp, v, z: mp.besselj(v, z),
        v=real(0, 5),
        z=real(0, 20, im=3),
        see="DLMF 10.6.1",
    )
finally:
    _entry.CATALOGUE = _original


# ---- a small table of references, made on the spot


_tables: dict = {}


def table(function):
    key = (function.ref.__code__, function.args, len(function.imaginary))
    if key not in _tables:
        _tables[key] = [_group(function, is_complex) for is_complex in (False, True)]
    return _tables[key]


def _group(function, is_complex):
    rows = points(function, is_complex)[:10]
    order = [i for i in indices(function, is_complex) if sum(i) <= 1]
    solve = lambda row: oracle.derivatives(function, {}, row, order, is_complex)
    high, low = np.stack([tables.two_parts(solve(row)) for row in rows.tolist()], axis=-1)
    return tables.Group({}, is_complex, rows, order, high, low)


def algebra(function, groups):
    with mpmath.workdps(50):
        return bool(algebra_errors(function, function.args[-1], groups)[0])


def measured(function, groups, monkeypatch):
    monkeypatch.setattr(tables, "load", lambda name: ("", groups))
    return [(key, errors) for key, errors in accuracy.measure(function) if key[2] != "float32"]


def inaccurate(function, groups, monkeypatch, what="derivative"):
    wanted = [
        e for key, e in measured(function, groups, monkeypatch) if (key[1] == "value") == (what == "value")
    ]
    return any(ledger.row(e).share < 0.95 for e in wanted)


def not_ordinary(function, groups, monkeypatch):
    return any(e.bad().any() for _, e in measured(function, groups, monkeypatch))


@pytest.mark.parametrize("signature", ["toy(v, z)", "toy(x)", "toy(z) -> ai, aip, bi, bip", "toy(t)"])
def test_the_healthy_entries_pass(signature, monkeypatch):
    function = make(signature)
    groups = table(function)
    assert not algebra(function, groups)
    assert not inaccurate(function, groups, monkeypatch)
    assert not inaccurate(function, groups, monkeypatch, "value")
    assert not not_ordinary(function, groups, monkeypatch)


# ---- wrong formulas

WRONG = {
    "sign": ("toy(v, z)", {"dz": lambda y, v, z: (bessel(v - 1, z) + bessel(v + 1, z)) / 2}),
    "factor": ("toy(v, z)", {"dz": lambda y, v, z: bessel(v - 1, z) - bessel(v + 1, z)}),
    "constant 5e-10 off": ("toy(x)", {"dx": lambda y, x: exp(-x * x / 2) * 0.3989422806}),
    "swapped outputs": (
        "toy(z) -> ai, aip, bi, bip",
        {"dz": lambda y, z: (y.aip, z * y.bi, y.bip, z * y.ai)},
    ),
    "silent zero": ("toy(v, z)", {"dz": lambda y, v, z: 0 * y}),
    "wrong definition": ("toy(x)", {"ref": lambda mp, x: mp.erfc(x / mp.sqrt(2)) / 2}),
}


@pytest.mark.parametrize("mutant", WRONG)
def test_a_wrong_formula_is_found_in_both_ways(mutant, monkeypatch):
    signature, changes = WRONG[mutant]
    function = make(signature, **changes)
    groups = table(function)
    assert algebra(function, groups)
    assert inaccurate(function, groups, monkeypatch)


def test_a_definition_of_another_function_is_found_in_the_value(monkeypatch):
    function = make("toy(x)", ref=lambda mp, x: mp.erfc(-x / mp.sqrt(2)) / 2 + 3)
    groups = table(function)
    assert not algebra(function, groups)
    assert inaccurate(function, groups, monkeypatch, "value")


def test_a_silent_zero_and_nan_at_zero_are_named(monkeypatch):
    for rule in (lambda y, v, z: 0 * y, lambda y, v, z: v / z * y - bessel(v + 1, z)):
        _entry.CATALOGUE.clear()
        function = make(dz=rule)
        assert not_ordinary(function, table(function), monkeypatch)


# ---- right formulas that lose digits or overflow: only the second test can see it

ILL = {
    "underflow": ("toy(t)", {"dt": lambda y, t: exp(-t * t / 2) / sqrt(2 * pi) / exp(y)}),
    "cancellation": ("toy(x)", {"dx": lambda y, x: (exp(-x * x / 2) + 1e9 - 1e9) / sqrt(2 * pi)}),
}


@pytest.mark.parametrize("mutant", ILL)
def test_a_formula_that_is_right_on_paper_only(mutant, monkeypatch):
    signature, changes = ILL[mutant]
    function = make(signature, **changes)
    groups = table(function)
    assert not algebra(function, groups)
    assert inaccurate(function, groups, monkeypatch)


def test_a_function_that_is_not_holomorphic_is_found_without_its_imaginary_rule():
    function = make(
        "toy(v, z)", host=sc.jve, ref=lambda mp, v, z: mp.besselj(v, z) * mp.exp(-mp.fabs(mp.im(z)))
    )
    assert algebra(function, [g for g in table(function) if g.is_complex])


# ---- mistakes that an entry refuses


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"dv": None}, "dv"),
        ({"dv": discrete}, "discrete"),
        ({"dw": lambda y, v, z: y}, "dw"),
        ({"dz": lambda y, z: y}, "dz takes"),
        ({"at": [(1.0,)]}, "at="),
        ({"z": real(0, 20)}, "loops"),
    ],
    ids=["forgotten partial", "unknown as discrete", "misspelt", "arity", "short point", "complex loops"],
)
def test_an_entry_refuses_to_be_wrong(changes, message):
    with pytest.raises(TypeError, match=message):
        make(**changes)


# ---- tables and ledger


def test_an_edited_table_is_found():
    function = make("toy(x)")
    group = table(function)[0]
    compare(function, group, 0)
    edited = dataclasses.replace(group, high=group.high * (1 + 1e-13))
    with pytest.raises(AssertionError, match="the table says"):
        compare(function, edited, 0)


def test_the_ratchet_only_tightens():
    old = ledger.Row(40, 0.975, 1e-16, 1e-13, "0")
    assert ledger.is_worse(dataclasses.replace(old, max=1.1e-12), old, "float64")
    assert ledger.is_worse(dataclasses.replace(old, median=2e-15), old, "float64")
    assert ledger.is_worse(dataclasses.replace(old, share=0.925), old, "float64")
    assert not ledger.is_worse(dataclasses.replace(old, max=9e-13, share=0.95), old, "float64")

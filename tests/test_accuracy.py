"""Jitted values and derivatives against the committed references. No function is named here."""

import datetime

import numpy as np
import pytest

from docs import stubs, support, support_csv
from tests.reference import accuracy, ledger, oracle, tables
from tests.reference.entries import catalogue, label
from tests.test_catalogue import kernels_take_turns, name

ENTRIES = catalogue()
each = pytest.mark.parametrize("function", ENTRIES.values(), ids=name)
LEDGER = ledger.read()
TARGET = 0.95  # share of the points of each derivative


@each
def test_the_table_belongs_to_the_definition(function):
    found, _ = tables.load(function.name)
    assert found == tables.fingerprint(function), f"run `python -m tests.reference {function.name}`"


@pytest.mark.parametrize("function", [kernels_take_turns(f) for f in ENTRIES.values()], ids=name)
def test_accuracy_is_what_it_was_or_better(function):
    """And every derivative is right at 95 % of its points, and an ordinary number wherever the true one is."""
    worse, missed, bad = [], [], []
    measured = dict(accuracy.measure(function))
    if ledger.of_another_scipy({key: ledger.row(errors) for key, errors in measured.items()}, LEDGER):
        pytest.skip("SciPy's values are not those of the committed measurements")
    for key, errors in measured.items():
        new, old = ledger.row(errors), LEDGER.get(key)
        new = new if old is None else ledger.elsewhere(new, old)
        if old is None or old.points != new.points or ledger.is_worse(new, old, key[2]):
            worse.append(f"{' '.join(key)}: {new}, committed {old}")
        if new.share < TARGET and function.public and ledger.exception(key) is None:
            missed.append(f"{' '.join(key)}: {new}")
        for p in np.flatnonzero(errors.bad()):
            if ledger.exception(key, errors.points[p]) is None:
                bad.append(f"{' '.join(key)} at {errors.points[p]}: {errors.got[p]}, true {errors.want[p]}")
    assert not worse, "\n".join(["worse than committed:", *worse])
    assert not missed, "\n".join(["below the target:", *missed])
    assert not bad, "\n".join(["not an ordinary number:", *bad])


def test_another_scipy_answers_for_its_own_values():
    old, new = ledger.Row(9, 1.0, 1e-16, 1e-15, "1.0"), ledger.Row(9, 0.5, 1e-9, 1e-8, "1.0")
    value, slope = ("jv", "value", "float64"), ("jv", "v", "float64")
    committed = {value: old, slope: old}
    for version, answer in (("1.17.1", False), ("1.15.0", True), ("1.18.1", True)):
        assert ledger.of_another_scipy({value: new, slope: new}, committed, version) == answer
        assert not ledger.of_another_scipy({value: old, slope: new}, committed, version)
        assert ledger.is_worse(ledger.elsewhere(new, old, version), old, "float64")
    far = ledger.Row(9, 1.0, 1e-16, 1e-3, "2.0")
    assert ledger.is_worse(ledger.elsewhere(far, old, "1.17.0"), old, "float64")
    assert not ledger.is_worse(ledger.elsewhere(far, old, "1.15.0"), old, "float64")


def test_the_ledger_knows_nothing_else():
    known = set(ENTRIES)
    assert {key[0].split()[0] for key in LEDGER} <= known
    assert {path.stem for path in tables.FOLDER.glob("*.npz")} <= known


# ---- a stale or edited table


def recompute(function, group, p):
    """The table's column at one point, and mpmath's."""
    numbers = oracle.derivatives(
        function, group.statics, group.points[p].tolist(), group.indices, group.is_complex
    )
    high, _ = tables.two_parts(numbers)
    return group.high[:, :, p], high


def compare(function, group, p):
    committed, fresh = recompute(function, group, p)
    known = ~np.isnan(committed) & ~np.isnan(fresh)  # a slow machine may find less in time
    for i, k in zip(*np.nonzero(known), strict=True):
        a, b = committed[i, k], fresh[i, k]
        assert a == b or abs(a - b) <= 4e-16 * abs(b), (
            f"{function.name} {group.statics} {label(function, group.indices[i], group.is_complex)} "
            f"at {group.points[p]}: the table says {a}, mpmath {b}"
        )


SAMPLE = 20


@pytest.mark.parametrize("number", range(SAMPLE))
def test_a_sample_of_the_tables_which_changes_every_day(number):
    generator = np.random.default_rng([datetime.date.today().toordinal(), number])
    function = list(ENTRIES.values())[generator.integers(len(ENTRIES))]
    groups = tables.load(function.name)[1]
    group = groups[generator.integers(len(groups))]
    compare(function, group, generator.integers(len(group.points)))


@pytest.mark.exhaustive
@each
def test_the_whole_table(function):
    for group in tables.load(function.name)[1]:
        for p in range(len(group.points)):
            compare(function, group, p)


def test_the_support_page_is_current():
    """Generated from these entries and this ledger; the host calls are measured elsewhere."""
    text = support.PAGE.read_text(encoding="utf-8")
    assert support.page(list(ENTRIES.values()), support.committed(text)) == text, "run `make table`"


def test_the_support_table_is_current():
    assert support_csv.TABLE.read_text(encoding="utf-8") == support_csv.text(), "run `make table`"


def test_the_signatures_for_editors_are_current():
    committed = stubs.STUB.read_text(encoding="utf-8")
    if f"SciPy {stubs.minor()}'s" not in committed:
        pytest.skip("written with another SciPy")
    assert stubs.text() == committed, "run `make table`"

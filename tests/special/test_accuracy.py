"""Jitted values and derivatives against the committed references. No function is named here."""

import numpy as np
import pytest

from tests._kit.days import LONG_TURN, today
from tests.reference import accuracy, ledger, oracle, tables
from tests.reference.composed import composed, measured
from tests.reference.entries import columns, label
from tests.special.test_catalogue import name

ENTRIES = measured()
each = pytest.mark.parametrize("function", ENTRIES.values(), ids=name)
LEDGER = ledger.read()
TARGET = 0.95  # share of the points of each derivative


@each
def test_the_table_belongs_to_the_definition(function):
    assert tables.is_current(function), f"run `make add NAME={function.name}`"


@pytest.mark.parametrize("change, current", [(1.0, True), (1 + 2e-16, True), (1 + 1e-5, False)])
def test_points_are_the_tables_own_to_the_last_place_of_a_processor(monkeypatch, change, current):
    function = ENTRIES["kv"]
    drawn = tables.points
    monkeypatch.setattr(tables, "points", lambda *args: drawn(*args) * change)
    assert tables.is_current(function) == current


@pytest.mark.rotating(turn=4)
@pytest.mark.parametrize("function", [f for f in ENTRIES.values() if f.public], ids=name)
def test_first_derivatives_are_what_they_were_or_better(function):
    """Those of the public functions in double precision."""
    computed = list(accuracy.computed(function, most=1, single=False))
    hold(function, dict(pair for results in computed for pair in accuracy.errors(function, results)))
    for results in computed:
        nan_where_the_value_is_and_nowhere_else(results)


def nan_where_the_value_is_and_nowhere_else(results):
    """Unless the definition has no real derivative there, such as that of J_v(-3) in v next to v = 1."""
    group, (value, *partials) = results.group, results.got
    for number, partial in zip(results.numbers[1:], partials, strict=True):
        if partial is not None:
            want = group.high[number]
            exists = ~np.isnan(want) & (np.iscomplexobj(partial) | (want.imag == 0))
            wrong = np.isnan(partial) & ~np.isnan(value) & exists | ~np.isnan(partial) & np.isnan(value)
            at = group.points[wrong.any(0)]
            index = group.indices[number]
            assert not len(at), (
                f"{results.kind} {index}: NaN in the derivative but not the value, or reversed, at {at[:5]}"
            )


@pytest.mark.rotating(turn=LONG_TURN)
@each
def test_accuracy_is_what_it_was_or_better(function):
    hold(function, dict(accuracy.measure(function)))


def hold(function, measured):
    """And every derivative is right at 95 % of its points, and an ordinary number wherever the true one is."""
    other, worse, missed, bad = [], [], [], []
    if ledger.of_another_scipy({key: ledger.row(errors) for key, errors in measured.items()}, LEDGER):
        pytest.skip("SciPy's values are not those of the committed measurements")
    for key, errors in measured.items():
        new, old = ledger.row(errors), LEDGER.get(key)
        new = new if old is None else ledger.elsewhere(new, old)
        if old is None or old.points != new.points:
            other.append(f"{' '.join(key)}: {new}, committed {old}")
        elif ledger.is_worse(new, old, key[2]):
            worse.append(f"{' '.join(key)}: {new}, committed {old}")
        if new.share < TARGET and function.public and ledger.exception(key) is None:
            missed.append(f"{' '.join(key)}: {new}")
        for p in np.flatnonzero(errors.bad()):
            if ledger.exception(key, errors.points[p]) is None:
                bad.append(f"{' '.join(key)} at {errors.points[p]}: {errors.got[p]}, true {errors.want[p]}")
    assert not other, "\n".join([f"not what was committed: run `make add NAME={function.name}`", *other])
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
    generator = np.random.default_rng([today().toordinal(), number])
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


@pytest.mark.parametrize("name", composed())
@pytest.mark.rotating
def test_a_function_made_of_others_is_called_as_it_is_documented(name):
    """The rows name arguments of the function, and its definition is SciPy's function."""
    function = composed()[name]
    assert set(function.args) <= set(function.__signature__.parameters)
    group = tables.load(name)[1][0]
    values = function(*columns(function, group.points))
    values = np.stack([np.asarray(v, complex) for v in (values if function.outs else [values])])
    known = np.isfinite(values) & np.isfinite(group.high[0])
    assert known.mean() > 0.9
    assert np.isclose(values[known], group.high[0][known], rtol=1e-6, atol=0).mean() > 0.95

"""What is generated and committed is what its generator writes today: pages, tables, the stub."""

import ast
import csv
import re

import pytest

from docs.generate import DOCS, calls, corpus, layers, sharding, stats, stress, stubs, support, support_csv
from docs.generate.site import table
from hostwrap import special
from hostwrap import stats as distributions
from hostwrap.special._entry import CATALOGUE
from hostwrap.stats import _catalogue
from tests._kit import runs
from tests._kit.days import by_turns
from tests.reference.composed import OF_ALL_ORDERS, OF_MANY_NUMBERS, measured
from tests.reference.entries import catalogue
from tests.sharding.cases import cases
from tests.sharding.others import OTHERS
from tests.stats.measure import methods


def test_the_support_page_is_current():
    """Generated from these entries and this ledger; the host calls are measured elsewhere."""
    text = support.PAGE.read_text(encoding="utf-8")
    assert support.page(list(catalogue().values()), support.committed(text)) == text, "run `make table`"


def test_the_support_table_is_current():
    assert support_csv.TABLE.read_text(encoding="utf-8") == support_csv.text(), "run `make table`"


def test_every_public_function_has_a_row():
    """Entries and what is made of others; functions of all orders at once are those of one order."""
    entries = measured()
    documented = {name for name, f in entries.items() if f.public}
    assert set(special.__all__) <= documented | OF_ALL_ORDERS | OF_MANY_NUMBERS | {"zeta"}
    with support_csv.TABLE.open(encoding="utf-8") as file:
        rows = {(row["function"], row["argument"]) for row in csv.DictReader(file)}
    assert {(name, a) for name in documented for a in entries[name].args} <= rows
    shown = table.page() + support.PAGE.read_text(encoding="utf-8")
    assert all(f"<code>{name}</code>" in shown and f"| `{name}(" in shown for name in documented)
    assert all(f"`{name}`" in shown for name in OF_ALL_ORDERS | OF_MANY_NUMBERS)


@pytest.mark.native  # XLA makes one call of two alike; not of JAX's own callbacks
@pytest.mark.parametrize("column", by_turns(*calls.COLUMNS))
def test_the_page_of_counts_is_current(column):
    exact = lambda cells: list(map(calls.without_estimates, cells))
    assert exact(calls.cells(column)) == exact(calls.committed(column)), "run `make table`"


def test_the_page_of_counts_has_its_text_and_all_rows(monkeypatch):
    monkeypatch.setattr(calls, "cells", calls.committed)
    assert calls.page() == calls.PAGE.read_text(encoding="utf-8"), "run `make table`"


def test_the_table_of_distributions_has_a_row_for_each_argument():
    table = stats.committed()
    assert stats.page(table) == stats.PAGE.read_text(encoding="utf-8"), (
        "run `python -m docs.generate.stats NAME ...`"
    )
    expected = {
        (name, kind, argument)
        for name in _catalogue.names()
        for kind in methods(name)
        for argument in getattr(getattr(distributions, name), kind).__signature__.parameters
    }
    assert expected <= {(row["distribution"], row["method"], row["argument"]) for row in table}


def test_the_table_of_sharding_is_that_of_the_cases():
    everything_holds = {str(case): [] for case in cases()} | {name: [] for name in OTHERS}
    assert sharding.tables(everything_holds) in sharding.PAGE.read_text(encoding="utf-8")


def test_the_table_of_long_runs_is_that_of_the_counts():
    assert stress.table() in stress.PAGE.read_text(encoding="utf-8")


def test_the_table_of_long_runs_is_written_between_its_marks(tmp_path, monkeypatch):
    monkeypatch.setattr(runs, "FILE", tmp_path / "stress.csv")
    monkeypatch.setattr(stress, "PAGE", tmp_path / "stress.md")
    stress.PAGE.write_text(f"before\n{stress.BEGIN}{stress.END}after\n", encoding="utf-8")
    runs.record("fuzz", "native", seconds=3.4, cases=2, wrong=0)
    stress.write()
    text = stress.PAGE.read_text(encoding="utf-8")
    assert text.startswith("before\n") and text.endswith("after\n") and "| 3 | 2 | – | 0 |" in text


# ---- the stub


def test_the_signatures_for_editors_are_current():
    committed = stubs.STUB.read_text(encoding="utf-8")
    if f"SciPy {stubs.minor()}'s" not in committed:
        pytest.skip("written with another SciPy")
    assert stubs.text() == committed, "run `make table`"


def test_the_stub_shows_what_a_function_is_and_its_domain():
    """Editors take what they show from the stub: the functions are made at run time, and have no source."""
    text = stubs.STUB.read_text(encoding="utf-8")
    assert len(text.splitlines()) < 1000
    tree = ast.parse(text)
    shown = {n.name: ast.get_docstring(n) or "" for n in tree.body if isinstance(n, ast.FunctionDef)}
    assert {name for name in special.__all__ if callable(getattr(special, name))} <= set(shown)
    for name, said in shown.items():
        entry = CATALOGUE.get(name)
        assert said, name
        if entry is not None and getattr(special, name) is entry:
            first, domains = said.splitlines()
            assert len(first) > 10 and domains == "; ".join(stubs.domain(entry, a) for a in entry.args) + "."
            assert domains.count(": ") == len(entry.args)


def test_the_tables_of_the_corpus_are_those_of_its_outcomes():
    text = corpus.PAGE.read_text(encoding="utf-8")
    assert corpus.page(text) == text, "run `python -m docs.generate.corpus`"


def test_the_picture_of_the_layers_is_that_of_the_imports():
    text = layers.PAGE.read_text(encoding="utf-8")
    assert layers.page(text) == text, "run `python -m docs.generate.layers`"


def test_the_glossary_has_at_most_sixteen_words():
    words = layers.PAGE.read_text(encoding="utf-8").partition("## Words")[2].partition("## Layers")[0]
    assert 0 < sum(line.startswith("| ") for line in words.splitlines()) - 1 <= 16


def test_the_readme_counts_the_distributions():
    said = re.search(
        r"\[(\d+) distributions of SciPy\]", (DOCS.parent / "README.md").read_text(encoding="utf-8")
    )
    assert int(said[1]) == len([*_catalogue.names(), *_catalogue.joint_names()])

"""CONTRIBUTING.md tells the truth: its commands exist, its entry is one, hooks run what CI runs."""

import pathlib
import re
import textwrap

import pytest

import hostwrap.special  # noqa: F401  fills the catalogue
from hostwrap.special import _entry, i1

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "README.md", ".pre-commit-config.yaml", ".ci/run"])
def test_every_make_target_that_a_page_names_exists(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    named = set(re.findall(r"(?:^|`|: |\()make ([a-z]+(?:-[a-z]+)*)", text, re.MULTILINE))
    assert named and named <= TARGETS


def test_every_target_has_a_line_of_help():
    helped = set(re.findall(r"^([a-z-]+):.*##", MAKEFILE, re.MULTILINE))
    assert helped >= TARGETS


def test_the_entry_of_the_page_is_the_one_of_the_catalogue(monkeypatch):
    (block,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    committed = _entry.CATALOGUE["i0"]
    monkeypatch.delitem(_entry.CATALOGUE, "i0")
    names = {"i1": i1}
    exec(textwrap.dedent(block), names)
    shown = _entry.CATALOGUE["i0"]
    assert shown is names["i0"] and shown.args == committed.args
    assert shown.table(()) is not committed.table(())
    monkeypatch.setitem(_entry.CATALOGUE, "i0", committed)


def test_the_test_command_of_ci_is_the_one_of_the_page():
    assert "make test" in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert re.search(r"^test: lint ", MAKEFILE, re.MULTILINE)  # which is what the hooks run

# Everything starts from nothing: each target makes the virtual environment that it needs.
# `make test` is what CI runs; `make help` lists the rest.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

VENV ?= .venv
JOBS ?= 2
ARGS ?=
PY := $(VENV)/bin/python
PYTEST = -m pytest -n $(JOBS) --dist worksteal --durations=40 --durations-min=2 $(ARGS)

.PHONY: help
help: ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

## ---- tests

.PHONY: test test-all test-lanes test-oldest test-latest test-versions
test: lint ## lint, types and tests (ARGS="-k name" is passed to pytest)
	$(PY) $(PYTEST)

test-all: lint ## the same with the exhaustive grids
	HOSTWRAP_EXHAUSTIVE=1 $(PY) $(PYTEST)

test-lanes: $(VENV)/installed-test ## the tests once in each lane
	for lane in native callback pure_callback; do HOSTWRAP_LANE=$$lane $(PY) $(PYTEST); done

test-oldest: .venv-oldest/installed ## the tests with the oldest supported jax, numpy and scipy
	.venv-oldest/bin/python $(PYTEST)

test-latest: .venv-latest/installed ## the tests with the newest Python found and the newest releases
	.venv-latest/bin/python $(PYTEST)

test-versions: ## the tests of the engine with both: all but those of single functions of hostwrap.special
	$(MAKE) test-oldest test-latest ARGS="--ignore tests/special/test_accuracy.py --ignore tests/special/test_catalogue.py $(ARGS)"

.PHONY: sanitize stress fuzz
sanitize: $(VENV)/installed-test ## the C code under the address, undefined-behaviour and thread sanitizers
	bash .ci/sanitize "$(abspath $(PY))"

SECONDS ?= 600
stress: $(VENV)/installed-test ## threads x jit x scan x errstate x garbage x fork (SECONDS=600)
	for lane in native callback; do HOSTWRAP_LANE=$$lane $(PY) -m tests.stress $(SECONDS) --record; done
	$(PY) -m docs.generate.stress

fuzz: $(VENV)/installed-test ## new cases of bad and odd input (SECONDS=600)
	$(PY) -m tests.fuzz $(SECONDS) --record
	$(PY) -m docs.generate.stress

.PHONY: sweep
sweep: $(VENV)/installed-test ## derivatives over all doubles, beside differences and by integrals (SECONDS=3600; ARGS=names)
	$(PY) -W ignore -m tests.reference.sweep_all --seconds $(SECONDS) $(ARGS)

.PHONY: ladders
ladders: $(VENV)/installed-test ## derivatives along decades, along complex rays, and in the plane beside Arb (ARGS="names --order 2")
	$(PY) -W ignore -m tests.reference.ladders $(ARGS)
	$(PY) -W ignore -m tests.reference.rays $(ARGS)
	$(PY) -W ignore -m tests.reference.plane $(ARGS)

.PHONY: extremes
extremes: $(VENV)/installed-test ## derivatives where one argument is extreme, beside mpmath's (ARGS="names --seed 1")
	$(PY) -W ignore -m tests.reference.extremes $(ARGS)

.PHONY: laws
laws: $(VENV)/installed-test ## derivatives in all ways that JAX has, beside each other (ARGS="names --seed 1")
	$(PY) -W ignore -m tests.reference.laws $(ARGS)

.PHONY: package test-installed release-check workflows news
news: $(VENV)/installed-package ## the section of the changelog that changes/ makes (RELEASE=1: write it)
	$(VENV)/bin/towncrier build --version $$($(PY) -c "from hostwrap import __version__ as v; print(v)") \
		$(if $(RELEASE),--yes,--draft)

release-check: $(VENV)/installed-test ## what is missing before a release
	$(PY) .ci/release.py

workflows: $(VENV)/installed-lint ## the workflows in .github by their schema, and by an audit of their rights
	$(VENV)/bin/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(VENV)/bin/check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml
	$(VENV)/bin/zizmor --offline .github

package: $(VENV)/installed-package ## sdist and wheel in dist/, checked, installed and tried without the source
	$(PY) .ci/package.py

test-installed: $(VENV)/installed-package ## the same, and the tests against the installed wheel
	$(PY) .ci/package.py --tests -n $(JOBS) $(ARGS)

# What users write is checked strictly; the types of JAX itself are not complete.
STRICT := --strict --allow-untyped-calls --follow-imports=silent

.PHONY: lint lint-style lint-types hooks format
lint: $(VENV)/installed-test ## ruff, mypy, spelling, layers and plain English
	$(MAKE) --no-print-directory -j $(JOBS) lint-types lint-style

lint-types: $(VENV)/installed-test ## mypy alone
	$(VENV)/bin/mypy
	$(VENV)/bin/mypy $(STRICT) tests/repo/typing_sample.py tests/repo/typing_mistakes.py

lint-style: $(VENV)/installed-test ## the rest of `make lint`
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/codespell
	$(VENV)/bin/lint-imports --no-logo --no-cache
	$(PY) -m docs.prose

hooks: $(VENV)/installed-lint ## run `make lint` before every commit
	$(VENV)/bin/pre-commit install

format: $(VENV)/installed-test ## let ruff repair what it can
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .

## ---- things to look at

.PHONY: demo bench reference domains table peers
demo: $(VENV)/installed-demo ## what hostwrap does, beside mpmath; saves demo.png
	$(PY) -m bench.demo

bench: $(VENV)/installed-bench ## time against SciPy and a hand-written pure_callback (ARGS="--only calls")
	$(PY) -m bench $(ARGS)

.PHONY: history
history: $(VENV)/installed-bench ## a few times at each commit, and pictures of them in build/history/site (ARGS="HEAD~5..")
	$(VENV)/bin/asv machine --yes
	$(VENV)/bin/asv run $(or $(ARGS),HEAD^!)
	$(VENV)/bin/asv publish

.PHONY: docs
docs: $(VENV)/installed-docs ## the site, in build/site: its code is run, its warnings are errors
	$(PY) -m sphinx -W --keep-going -j $(JOBS) -d build/doctrees docs build/site

.PHONY: add
add: $(VENV)/installed-test ## all that a new function of hostwrap.special needs (NAME="one other"; ACCEPT=1)
	$(PY) -m docs.generate.add $(NAME) --jobs $(JOBS) $(if $(ACCEPT),--accept)

reference: $(VENV)/installed-test ## compute the reference tables anew with Arb and mpmath (slow); what Arb proves
	$(PY) -m tests.reference
	$(PY) -m tests.reference.arb

domains: $(VENV)/installed-test ## where over all doubles first derivatives are right, for their pages (ARGS=names; slow)
	$(PY) -W ignore -m tests.reference.domains $(ARGS)

table: $(VENV)/installed-test ## generate the tables and pictures of docs/, and the stub
	$(PY) -m docs.generate.support
	$(PY) -m docs.generate.support_csv
	$(PY) -m docs.generate.stubs
	$(PY) -m docs.generate.flavours
	$(PY) -m docs.generate.layers
	$(PY) -m docs.generate.missing
	$(PY) -m docs.generate.calls
	$(PY) -m docs.generate.recipes
	$(PY) -m docs.generate.sharding
	$(PY) -m docs.generate.stress
	$(PY) -m docs.generate.pictures

peers: $(VENV)/installed-test ## measure JAX's own special functions beside ours, for README and pages (slow)
	$(PY) -m docs.generate.peers
	$(PY) -m docs.generate.ulp

.PHONY: clean
clean: ## remove what the targets above made
	rm -rf .venv .venv-oldest .venv-latest build dist *.egg-info demo.png
	rm -rf .pytest_cache .mypy_cache .ruff_cache docs/_generated docs/jupyter_execute
	find hostwrap tests docs bench -name __pycache__ -prune -exec rm -rf {} +

## ---- virtual environments: made once, installed again when pyproject.toml changes

# Dependency groups want pip 25.1.
INSTALL = $(1) -m pip install --quiet --upgrade "pip>=25.1"; $(1) -m pip install --quiet --editable . --group $(2)

$(VENV)/created:
	python="$$(bash .ci/python)"; "$$python" -m venv --clear $(VENV)
	touch $@

$(VENV)/installed-%: pyproject.toml $(VENV)/created
	$(call INSTALL,$(PY),$*)
	touch $@

.venv-oldest/installed: pyproject.toml
	python="$$(bash .ci/python oldest)"; "$$python" -m venv --clear $(@D)
	floors="$$($(@D)/bin/python .ci/floors.py)"; $(call INSTALL,$(@D)/bin/python,test $$floors)
	touch $@

.venv-latest/installed: pyproject.toml
	python="$$(bash .ci/python newest)"; "$$python" -m venv --clear $(@D)
	$(call INSTALL,$(@D)/bin/python,test)
	touch $@

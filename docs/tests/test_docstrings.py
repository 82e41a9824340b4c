"""What a public docstring has: an example that runs and prints what it says, its source, shapes, types and errors."""

import doctest
import importlib
import inspect
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from docs.generate.site import api, examples
from docs.tests.test_site import documentation
from hostwrap.stats._distribution import Distribution
from tests._kit.days import by_turns

NAMES = [(module, name) for module in api.MODULES for name in api.public(module) if name != "__version__"]
IDS = [f"{module}.{name}" for module, name in NAMES]
OF_SCIPY = [m for m in api.MODULES if m not in ("hostwrap", "hostwrap.compat", "hostwrap.testing")]
NEEDS = {"plot_ulp": ["matplotlib", "mpmath"], "as_numpyro": ["numpyro"], "export": ["flatbuffers"]}
NEEDS["deserialize"] = NEEDS["export"]
SHAPE = re.compile(
    r"\[[\w., /+*-]+\]|shape|ax[ie]s|elementwise|array|matri|number|signal|image|spline|tree|points"
)


def said(module, name):
    return documentation(f"{module}.{name}", api.public(module)[name])


def example(module, name):
    """Where the example of a name stands: in its docstring; a distribution's is made with the page."""
    is_one = isinstance(api.public(module)[name], Distribution)
    return examples.of_distribution(name) if is_one else said(module, name)


@pytest.mark.parametrize("full", by_turns(*IDS))
def test_an_example_prints_what_it_says(full, monkeypatch):
    module, _, name = full.rpartition(".")
    for package in NEEDS.get(name, []):
        pytest.importorskip(package)
    if name == "plot_ulp":
        importlib.import_module("matplotlib").use("agg")
    given = {
        "__name__": "__main__",
        "jax": jax,
        "jnp": jnp,
        "np": np,
        "hostwrap": importlib.import_module("hostwrap"),
    }
    test = doctest.DocTestParser().get_doctest(
        example(module, name), given | api.public(module), full, None, 0
    )
    assert any(one.want for one in test.examples), f"{full} has no example"
    report = []
    assert not doctest.DocTestRunner(verbose=False).run(test, out=report.append).failed, "".join(report)


@pytest.mark.parametrize(("module", "name"), NAMES, ids=IDS)
def test_a_docstring_says_where_it_comes_from(module, name):
    if module in OF_SCIPY and name not in ("FittedSpline", "as_numpyro"):
        assert "scipy." in said(module, name)


@pytest.mark.parametrize(("module", "name"), NAMES, ids=IDS)
def test_a_docstring_of_a_function_says_what_it_takes(module, name):
    value = api.public(module)[name]
    if module in OF_SCIPY and not isinstance(value, Distribution):
        assert SHAPE.search(said(module, name))


@pytest.mark.parametrize("module", [m for m in OF_SCIPY if m not in ("hostwrap.special", "hostwrap.stats")])
def test_a_signature_says_types(module):
    """Also those of functions that are made of SciPy's, whose signatures say none."""
    for name, value in api.public(module).items():
        if callable(value) and not inspect.isclass(value) and (given := inspect.signature(value).parameters):
            assert any(p.annotation is not p.empty for p in given.values()), name


@pytest.mark.parametrize(("module", "name"), NAMES, ids=IDS)
def test_a_docstring_has_no_bars_that_sphinx_would_replace(module, name):
    """`|z|` outside of code is a substitution, and the site is not built: write abs(z)."""
    text = re.sub(r"``.*?``|`.*?`|^ *(>>>|\.\.\.).*$", "", said(module, name), flags=re.MULTILINE | re.DOTALL)
    assert not re.search(r"(?<!\w)\|\w+\|", text)


@pytest.mark.parametrize("module", OF_SCIPY)
def test_a_module_says_its_types_and_errors(module):
    """What holds for all its functions; a function says what holds for it alone."""
    text = inspect.getdoc(importlib.import_module(module))
    assert "precision" in text and "`SignatureError`" in text and "`HostCallError`" in text

"""One property, tried on many cases."""

import faulthandler

import hypothesis
from hypothesis import strategies as st

from tests.fuzz import calls, declarations, functions, results, rules, texts
from tests.fuzz.outcomes import counts

MODULES = (calls, declarations, functions, texts, results, rules)
PROPERTIES = {p.__name__: p for module in MODULES for p in module.PROPERTIES}
PATIENCE = 120  # seconds for one case, before it counts as a hang


def attempt(name, examples, seed=None, watch=False, shrink=True):
    """Try a property; raises what is wrong with the smallest case. Without a seed always the same cases."""
    settings = hypothesis.settings(
        max_examples=examples, deadline=None, database=None, derandomize=seed is None, print_blob=False,
        suppress_health_check=list(hypothesis.HealthCheck), report_multiple_bugs=False,
        phases=(hypothesis.Phase.generate, *[hypothesis.Phase.shrink] * shrink),
    )  # fmt: skip

    @settings
    @hypothesis.given(st.data())
    def one(data):
        counts["cases"] += 1
        if watch:
            faulthandler.dump_traceback_later(PATIENCE, exit=True)
        PROPERTIES[name](data.draw)

    try:
        (one if seed is None else hypothesis.seed(seed)(one))()
    finally:
        faulthandler.cancel_dump_traceback_later()

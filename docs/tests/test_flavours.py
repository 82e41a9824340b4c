"""docs/flavours.md says what its programs do."""

import pytest

from docs.generate import flavours

GENERATE = "from docs.generate import flavours; flavours.prepare(); print(flavours.page(), end='')"


@pytest.mark.subprocess
@pytest.mark.rotating
def test_the_page_of_flavours_is_current(fresh_python):
    committed = flavours.PAGE.read_text(encoding="utf-8")
    if f"with jax {flavours.minor()};" not in committed:
        pytest.skip("written with another JAX")
    assert fresh_python(GENERATE, timeout=300, XLA_FLAGS="") == committed, "run `make table`"


@pytest.mark.subprocess
@pytest.mark.rotating
def test_no_cell_of_a_function_with_side_effects_breaks_its_promise(fresh_python):
    """With any JAX: a call that is written once happens once, also where nobody uses its result."""
    once = "eager", "`jit`", "guaranteed: the result is not used", "inside `jax.custom_vjp`"
    three = "`scan` of 3", "`while_loop` of 3 rounds", "`grad` of `scan` of 3", "... not used"
    code = """
from docs.generate import flavours
flavours.prepare()
for title in flavours.ROWS:
    for flavour in ("io", "ordered io"):
        print(title, flavour, flavours._cell(title, flavour), sep="|")
"""
    cells = dict(line.rsplit("|", 1) for line in fresh_python(code, timeout=300, XLA_FLAGS="").splitlines())
    for flavour in ("io", "ordered io"):
        assert {cells[f"{title}|{flavour}"] for title in once} == {"1 call"}
        assert {cells[f"{title}|{flavour}"] for title in three} == {"3 calls"}

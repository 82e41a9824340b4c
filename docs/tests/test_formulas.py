"""Each derivative formula of a page is true: its LaTeX is read back, and evaluated at points of the references."""

import collections

import numpy as np
import pytest

from docs.generate.site import written
from docs.generate.site.expression import Untranslatable
from docs.generate.site.latex import formulas
from docs.generate.site.notation import symbol, word
from docs.tests.formula_reader import HasHelper, value
from tests._kit.days import LONG_TURN
from tests.reference import tables
from tests.reference.entries import catalogue, is_integer

PUBLIC = sorted(
    name for name, f in catalogue().items() if f.public and (tables.FOLDER / f"{name}.npz").exists()
)
POINTS, NEAR = 12, 300  # how many, and the largest argument


@pytest.fixture
def by_name(monkeypatch):
    """Functions by their names, and not by their symbols."""

    def pattern(function, given):
        statics = ", ".join(f"{word(s)}=<{s}>" for s in function.statics if s in given)
        index = f"_{{{statics}}}" if statics else ""
        return rf"\operatorname{{{word(function.name)}}}{index}({', '.join(f'<{a}>' for a in function.args)})"

    monkeypatch.setattr(written, "pattern", pattern)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.rotating(turn=LONG_TURN)
@pytest.mark.parametrize("name", PUBLIC)
def test_formulas_of_a_page_are_true(name, by_name):
    """At most points: what only guards is left out, and a formula may cancel where its code takes another way."""
    function, group = catalogue()[name], tables.load(name)[1][0]
    for argument, rule in function.rules.items():
        order = tuple(int(a == argument) for a in function.args)
        if not callable(rule) or order not in group.indices:
            continue
        try:
            found = formulas(function, rule)
            right = [is_right(function, group, rule, order, found, p) for p in points(group, order)]
        except (Untranslatable, HasHelper):
            continue  # the page shows code
        assert np.mean(right or [True]) >= 0.7, (argument, found)


def points(group, order):
    k = group.indices.index(order)
    plain = np.isfinite(group.high[k]).all(0) & (np.abs(group.points) < NEAR).all(1)
    return np.random.default_rng(1).permutation(np.flatnonzero(plain))[:POINTS]


def is_right(function, group, rule, order, found, p):
    """Whether all results are right at this point."""
    values, wanted = (
        group.high[group.indices.index(index), :, p] for index in (tuple(0 for _ in order), order)
    )
    at = [
        int(x.real) if is_integer(function, a) else x
        for a, x in zip(function.args, group.points[p], strict=True)
    ]
    answer = answer_of(function, real(values))
    code = rule.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    given = dict(zip(map(symbol, names), [answer, *map(real, at)], strict=False))
    given |= {symbol(s): v for s, v in {**function.statics, **group.statics}.items()}
    results = [value(text, given) for text in found]
    results = list(results[0]) if isinstance(results[0], tuple) else results
    return np.allclose(results, wanted, rtol=2e-5, atol=1e-300)


def real(x):
    x = np.asarray(x)
    return x.real[()] if not np.any(x.imag) else x[()]


def answer_of(function, values):
    return collections.namedtuple("Results", function.outs)(*values) if function.outs else values[0]


def test_a_wrong_formula_is_seen(by_name):
    function, group = catalogue()["ellipe"], tables.load("ellipe")[1][0]
    rule = function.rules["m"]
    for p in points(group, (1,)):
        assert is_right(function, group, rule, (1,), formulas(function, rule), p)
        assert not is_right(function, group, rule, (1,), [formulas(function, rule)[0] + r" + 10^{-3}"], p)


LATEX = [
    (r"\frac{x^{2} - 1}{2\,\left(x + 1\right)}", 1.5),
    (r"\begin{cases} -x & \text{if } x < 0 \lor x = 4 \\ \sqrt{x} & \text{otherwise} \end{cases}", -4.0),
    (r"2\,\operatorname{jv}(x - 3, \left|-x\right| - 3.5)", 2 * 0.2422684577),
    (r"3 - \ln\left(\mathrm{e}^{-x}\right) \cdot 10^{-1}", 3.4),
]


@pytest.mark.parametrize(("text", "wanted"), LATEX, ids=[text for text, _ in LATEX])
def test_latex_is_read(text, wanted):
    np.testing.assert_allclose(value(text, {"x": 4.0}), wanted, rtol=1e-9)

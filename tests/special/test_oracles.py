"""The second oracle: Arb, which proves its digits, beside mpmath's committed numbers."""

import itertools
import random

import mpmath
import pytest

from tests._kit.days import EXHAUSTIVE, today
from tests.reference import both, proofs, tables
from tests.reference import oracle as first
from tests.reference.composed import measured
from tests.special.test_catalogue import name

flint = pytest.importorskip("flint")

from flint import acb, arb  # noqa: E402

from tests.reference.arb import agreement, balls, oracle  # noqa: E402
from tests.reference.arb.expressions import Expression, Slopes  # noqa: E402
from tests.reference.arb.functions import kv, off_cut  # noqa: E402
from tests.reference.arb.inverses import inverse  # noqa: E402

ENTRIES = measured()
SERVED = [f for f in ENTRIES.values() if oracle.expression(f) is not None]
ROWS = proofs.load()
EACH_DAY = 2  # points of a function


@pytest.mark.rotating
@pytest.mark.parametrize("function", SERVED, ids=name)
def test_committed_digits_are_what_arb_proves(function):
    groups = tables.load(function.name)[1]
    places = [(g, p) for g, group in enumerate(groups) for p in range(len(group.points))]
    random.Random(f"{function.name} {today()}").shuffle(places)
    _, wrong = agreement.compared(function, places if EXHAUSTIVE else places[:EACH_DAY])
    assert not wrong


@pytest.mark.parametrize("function", ENTRIES.values(), ids=name)
def test_the_list_of_proofs_is_of_the_tables(function):
    """`python -m tests.reference.arb NAME` writes it."""
    assert proofs.is_current(function, ROWS)
    if oracle.expression(function) is None:
        assert not any(row.proven for (f, _), row in ROWS.items() if f == function.name)


def test_the_list_of_proofs_has_no_other_functions():
    assert {f for f, _ in ROWS} == set(ENTRIES)
    assert set(oracle.TABLE) <= set(ENTRIES)


def test_what_is_proven_has_an_expression():
    proven = {f for (f, _), row in ROWS.items() if row.proven}
    assert proven <= {f.name for f in SERVED}
    assert len(proven) > 150


# ---- the balls


def enclosures(expression, point, indices, bits, removable=()):
    problem = balls.Problem(Expression(expression), tuple(acb(x) for x in point), frozenset(removable))
    return balls._enclosures(problem, indices, 1, bits)


@pytest.mark.parametrize("bits", [120, 240, 480, 960])
@pytest.mark.parametrize("index", list(itertools.product(range(3), repeat=2)))
def test_a_ball_holds_the_true_derivative(bits, index):
    """At precisions so low that the radius is nearly all."""
    x, y = mpmath.mpf(0.75), mpmath.mpf(1.5)
    with mpmath.workdps(150):
        truth = mpmath.diff(lambda a, b: mpmath.exp(a * b) * mpmath.cos(b), (x, y), index)
    ((ball,),) = enclosures(lambda a, b: (a * b).exp() * b.cos(), (0.75, 1.5), [index], bits)
    with mpmath.workdps(150), flint.ctx.workprec(1000):
        assert ball.real.overlaps(arb(mpmath.nstr(truth, 120), "1e-120"))
    assert bits < 960 or ball.rel_accuracy_bits() > balls.PROVEN


TAYLOR = [("jv", (1.25, 3.5), 0), ("gammainc", (2.5, 1.75), 0), ("berp", (2.0,), 0), ("airy", (0.5,), 0)]


@pytest.mark.parametrize("served, point, slot", TAYLOR, ids=[case[0] for case in TAYLOR])
def test_high_derivatives_are_those_of_the_definition(served, point, slot):
    function = ENTRIES[served]
    found = oracle.taylor(function, point, slot, 8)
    with mpmath.workdps(60):
        at = list(map(mpmath.mpf, point))
        of = lambda t: function.ref(mpmath.mp, *at[:slot], t, *at[slot + 1 :])
        first = (lambda t: of(t)[0]) if function.outs else of
        for n, (c, ours) in enumerate(zip(mpmath.taylor(first, at[slot], 8), found, strict=True)):
            assert abs(ours - c * mpmath.factorial(n)) <= mpmath.mpf("1e-30") * abs(ours)


def test_no_circle_leads_across_a_cut():
    assert oracle.taylor(ENTRIES["log1p"], (-1.0,), 0, 3) == [None] * 4


def test_a_function_with_a_cut_next_to_the_point_proves_nothing():
    at = lambda f: enclosures(f, (-2.0,), [(1,)], 480)[0][0]
    assert at(off_cut) is None or not at(off_cut).is_finite()
    assert at(lambda z: z).rel_accuracy_bits() > balls.PROVEN


def test_a_removable_singularity_is_walked_around():
    plain, around = (enclosures(kv, (2.0, 1.5), [(1, 0)], 480, r)[0][0] for r in ((), (0,)))
    assert plain is None
    with mpmath.workdps(60):
        truth = mpmath.diff(lambda v: mpmath.besselk(v, 1.5), 2)
        assert abs(balls.number(around, True) - truth) < 1e-25


def test_a_root_is_enclosed_or_refused():
    with flint.ctx.workprec(300):
        cube = inverse(lambda t, y: t**3 - y, lambda y: y ** (1 / 3))
        assert cube(acb(2)).real.overlaps((arb(2).log() / 3).exp())
        assert cube(acb(2)).rel_accuracy_bits() > 200
        ball = acb(arb(2, "1e-6"), arb(0, "1e-6"))
        assert cube(ball).contains((acb(2, "1e-6").log() / 3).exp())
        nowhere = inverse(lambda t, y: t * t + y, lambda y: y)
        assert not nowhere(acb(2)).is_finite()


# ---- faults that it would find


@pytest.mark.parametrize("change", [1 + 1e-15, -1.0])
def test_a_wrong_committed_digit_is_found(monkeypatch, change):
    load = tables.load

    def changed(table):
        fingerprint, groups = load(table)
        for group in groups:
            group.high[1] *= change
        return fingerprint, groups

    monkeypatch.setattr(tables, "load", changed)
    _, wrong = agreement.compared(ENTRIES["j0"], [(0, p) for p in range(10)])
    assert {c.derivative for c in wrong} == {"x"}


def test_mpmath_speaks_where_arb_has_another_function(monkeypatch):
    function = ENTRIES["j0"]
    indices = [(0,), (1,)]
    right = first.derivatives(function, {}, (2.5,), indices, False)
    assert both.derivatives(function, {}, (2.5,), indices, False)[1][0] == pytest.approx(
        right[1][0], rel=1e-25
    )
    monkeypatch.setitem(oracle.TABLE, "j0", Expression(lambda x: x.bessel_j(1)))
    with pytest.warns(UserWarning, match="Arb has another j0"):
        assert both.derivatives(function, {}, (2.5,), indices, False) == right


def test_what_arb_serves_is_not_asked_of_mpmath(monkeypatch):
    asked, plain = [], first.derivatives
    monkeypatch.setattr(first, "derivatives", lambda *a, **k: asked.append(a[3]) or plain(*a, **k))
    both.derivatives(ENTRIES["kv"], {}, (1.5, 2.5), [(0, 0), (1, 0), (0, 1)], False)
    assert asked == [[(0, 0)]]


def test_kernels_are_derivatives_of_their_functions():
    found = oracle.expression(ENTRIES["hyp1f1_n"])
    assert isinstance(found, Slopes)
    assert found.shifts(("a", "b", "x"), {"da": 1, "db": 0, "dx": 2}) == [(1, 0, 2)]

"""First derivatives outside the entries' boxes, jitted, against tables of mpmath's. No function is named here."""

import numpy as np
import pytest

from tests._kit.days import TURN, today
from tests.reference import far

TABLES = far.all_tables()


def name(table) -> str:
    function, is_complex = table
    return function.name + "-complex" * is_complex


@pytest.mark.parametrize("table", TABLES, ids=name)
@pytest.mark.rotating
def test_derivatives_are_right_far_from_the_boxes(table):
    assert not far.wrong(*table)


@pytest.mark.rotating
@pytest.mark.parametrize("table", TABLES, ids=name)
def test_a_point_of_the_table_each_week_is_what_mpmath_says(table):
    function, is_complex = table
    group = far.load(function, is_complex)
    p = today().toordinal() // TURN % len(group.points)  # another one each week
    committed, fresh = group.high[:, :, p], far.exact(function, is_complex, group.points[p])
    known = ~np.isnan(committed) & ~np.isnan(fresh)  # a slow machine may find less in time
    assert np.all(np.abs(committed - fresh)[known] <= 4e-16 * np.abs(fresh)[known])

"""Ten seconds of `make stress`, in each lane that has code of its own."""

import pathlib

import pytest


@pytest.mark.subprocess
@pytest.mark.parametrize("lane", ["native", "callback"])
def test_ten_seconds_of_everything_at_once(fresh_python, lane):
    root = pathlib.Path(__file__).resolve().parents[1]
    code = f"import sys; sys.path.insert(0, {str(root)!r}); from tests.stress import stress; stress(10.0)"
    assert "value" in fresh_python(code, timeout=240, HOSTWRAP_LANE=lane, HOSTWRAP_NUM_THREADS="2")

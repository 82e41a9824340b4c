"""`python -m hostwrap`: what a report of a bug begins with. It says what is wrong, and its exit status does."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hostwrap as hw
from hostwrap import __main__ as command
from hostwrap import _lanes
from hostwrap.testing import _selfcheck

# On an accelerator nobody asks what the program calls.
LANE = {"lane"} if jax.default_backend() == "cpu" else set()


def planted(**changes):
    """The findings about the decorated function with something wrong in its description."""
    case = dataclasses.replace(_selfcheck.CASES[0], **changes)
    return {f.check for f in _selfcheck.findings((case,)) if f.problem}


@pytest.mark.subprocess
def test_the_command_names_versions_lanes_and_devices_and_finds_nothing_wrong(fresh_python):
    code = "import runpy, sys; sys.argv = ['x']; runpy.run_module('hostwrap', run_name='__main__')"
    exits = f"try:\n    {code}\nexcept SystemExit as end:\n    print('status', end.code)"
    text = fresh_python(exits, HOSTWRAP_LANE="callback")
    for word in (hw.__version__, np.__version__, *hw.lanes(), "devices", "HOSTWRAP_LANE", "status 0"):
        assert word in text
    lanes = [name for name, state in hw.lanes().items() if state == "available"]
    assert text.count("right: value, gradient, vmap, lane") == len(lanes) * len(_selfcheck.CASES)


@pytest.mark.parametrize(
    ("changes", "check"),
    [
        ({"scipy": lambda x: np.nextafter(_selfcheck.CASES[0].scipy(x), 0)}, {"value", "vmap"}),
        ({"gradient": (1.3862943611,)}, {"gradient"}),
        ({"function": lambda x: jnp.asarray(_selfcheck.CASES[0].scipy(np.array([0.5])))}, None),
    ],
    ids=["a bit", "a digit", "no call"],
)
def test_what_is_wrong_is_found(changes, check):
    found = planted(**changes)
    assert found == check if check else {"value", *LANE} <= found


def test_an_exception_is_a_finding():
    def broken(x):
        raise OSError("the disk is full")

    findings = list(_selfcheck.findings((dataclasses.replace(_selfcheck.CASES[0], function=broken),)))
    assert all(f.problem == "OSError: the disk is full" for f in findings if f.check in {"value", *LANE})


def test_a_wrong_answer_makes_the_exit_status_1(monkeypatch, capsys):
    wrong = dataclasses.replace(_selfcheck.CASES[0], gradient=(2.0,))
    monkeypatch.setattr(_selfcheck.findings, "__defaults__", ((wrong,),))
    assert command.main() == 1
    assert "FAILED\n    gradient: got 1.386294361119" in capsys.readouterr().out


def test_a_lane_that_is_not_there_is_named_and_is_no_failure(monkeypatch, capsys):
    monkeypatch.setitem(_lanes._reasons, "native", "nobody built it")
    assert command.main() == 0
    text = capsys.readouterr().out
    assert "native         nobody built it" in text and "native         a decorated" not in text


@pytest.mark.subprocess
def test_a_check_that_hangs_ends(fresh_python):
    code = (
        "import time, sys\n"
        "from hostwrap import __main__ as command\n"
        "from hostwrap.testing import _selfcheck\n"
        "command.SECONDS = 1\n"
        "_selfcheck.findings = lambda: time.sleep(60)\n"
        "sys.exit(command.main())"
    )
    with pytest.raises(AssertionError, match=r"exit status 1[\s\S]*Timeout"):
        fresh_python(code)

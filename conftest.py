"""Double precision everywhere, a header that says what is tested, and scripts in a fresh interpreter."""

import contextlib
import gc
import itertools
import os
import shutil
import subprocess
import sys
import tempfile

import jax
import numpy as np
import pytest
import scipy

import hostwrap as hw
from tests._kit.days import EXHAUSTIVE, TURN, asked_for, has_its_day, today

jax.config.update("jax_enable_x64", True)


def pytest_report_header() -> str:
    versions = f"jax {jax.__version__}, numpy {np.__version__}, scipy {scipy.__version__}"
    return f"hostwrap: {versions}, lane: {os.environ.get('HOSTWRAP_LANE', 'the best there is')}"


# ---- programs that XLA compiles once

FOLDER = pytest.StashKey[str]()


def pytest_configure(config: pytest.Config) -> None:
    """What XLA has compiled once is read from a folder of this run: small programs are the same in many tests.

    By all processes of the run, which get these variables. Tracing and lowering, which are ours, are done each time;
    and programs with Python functions inside JAX leaves alone.
    """
    os.environ.setdefault("HOSTWRAP_DAY", today().isoformat())  # for all processes, also at midnight
    if not hasattr(config, "workerinput"):  # of pytest-xdist
        config.stash[FOLDER] = tempfile.mkdtemp(prefix="programs-of-tests-")
        settings = {
            "jax_compilation_cache_dir": config.stash[FOLDER],
            "jax_persistent_cache_min_compile_time_secs": 0,
            "jax_persistent_cache_min_entry_size_bytes": -1,
        }
        for name, value in settings.items():
            os.environ[name.upper()] = str(value)
            jax.config.update(name, value)


def pytest_unconfigure(config: pytest.Config) -> None:
    if FOLDER in config.stash:
        shutil.rmtree(config.stash[FOLDER], ignore_errors=True)


# ---- what runs

OTHER_DAYS = pytest.StashKey[int]()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Take the tests of today. The others go before they start: to skip fifteen thousand takes half a minute."""
    skip = pytest.mark.skip(reason="set HOSTWRAP_EXHAUSTIVE=1, or run `make test-all`")
    no_library = pytest.mark.skip(reason=hw.lanes()["native"])
    asked = asked_for(config)
    now, later = [], []
    for item in items:
        if item.get_closest_marker("native") and hw.lanes()["native"] != "available":
            item.add_marker(no_library)
        exhaustive = item.get_closest_marker("exhaustive") is not None and not EXHAUSTIVE
        if exhaustive and asked:
            item.add_marker(skip)
        rotates = item.get_closest_marker("rotating")
        turn = rotates.kwargs.get("turn", TURN) if rotates else 1
        runs = asked or not (exhaustive or (rotates and not has_its_day(item.nodeid, turn=turn)))
        (now if runs else later).append(item)
    items[:] = now
    config.hook.pytest_deselected(items=later)
    config.stash[OTHER_DAYS] = len(later)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    later = session.config.stash.get(OTHER_DAYS, 0)
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["other days"] = later
    if later and exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:  # a file whose tests all have another day
        session.exitstatus = pytest.ExitCode.OK


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node) -> None:
    """A worker of pytest-xdist has ended; each of them collects all tests."""
    node.config.stash[OTHER_DAYS] = getattr(node, "workeroutput", {}).get("other days", 0)


def pytest_terminal_summary(terminalreporter, config: pytest.Config) -> None:
    if later := config.stash.get(OTHER_DAYS, 0):
        terminalreporter.write_line(
            f"{later} more tests run on other days, with HOSTWRAP_EXHAUSTIVE=1, or chosen with -k"
        )


def pytest_collection_finish() -> None:
    settle()


def settle() -> None:
    """What is there now stays: the collector of garbage does not walk through it again and again.

    The modules and all tests are a million objects, and a large function that is traced makes as many more: that was a
    quarter of the time of such tests. What a test makes is not there yet, so whether it dies is seen as before.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 10, 10)


@pytest.fixture(autouse=True)
def the_best_lane_for_what_is_about_it(request, monkeypatch):
    """What is `native` says something about that lane, also when all else is tested in another one, or on a GPU."""
    with contextlib.ExitStack() as stack:
        if request.node.get_closest_marker("native"):
            monkeypatch.delenv("HOSTWRAP_LANE", raising=False)
            if jax.default_backend() != "cpu":
                stack.enter_context(jax.default_device(jax.devices("cpu")[0]))
        yield


CACHED = 100  # tests: compiled programs are kept for so long, which is a gigabyte
_count = itertools.count(1)


@pytest.fixture(autouse=True)
def forget_compiled_programs():
    yield
    if next(_count) % CACHED == 0:
        jax.clear_caches()
        settle()


@pytest.fixture(autouse=True)
def errors_of_other_tests_are_seen():
    with contextlib.suppress(hw.HostwrapError):
        hw.check_errors()


@pytest.fixture
def fresh_python(tmp_path, request):
    """`fresh_python(code, timeout=120, NAME="value")`: run code in a new interpreter, return its output.

    For what would hang or abort this one, and for what depends on how the process was started. What asks for several
    devices means those that XLA makes of a CPU, and the native lane is one of the CPU: such code sees no GPU.
    """
    native = request.node.get_closest_marker("native") is not None
    imports = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}

    def run(code: str, timeout: float = 120, **environment: str) -> str:
        if native or "host_platform_device_count" in code + environment.get("XLA_FLAGS", ""):
            environment = {"JAX_PLATFORMS": "cpu", **environment}
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=tmp_path,
            env={**os.environ, **imports, **environment},
            capture_output=True,
            text=True,
            timeout=timeout,
        )
        assert done.returncode == 0, f"exit status {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    return run

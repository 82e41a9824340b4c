"""Large batches in parts on several threads: the same values, the same errors, and no hang."""

import os
import threading
import time

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.special

import hostwrap as hw
from hostwrap import special
from hostwrap._host import origins, parallel
from tests._kit.toys import same

LARGE = 8 * parallel.PIECE
X = np.linspace(0.3, 9.0, LARGE + 3)


@pytest.fixture(autouse=True)
def two_threads_and_no_native_lane():
    with hw.lane("callback"), hw.threads(2):
        yield


def everywhere(f):
    return (f, jax.jit(lambda *xs: f(*xs)))


class Recorder:
    """A thread-safe function that says who called it with what."""

    def __init__(self, function=np.sin, pause=0.0):
        self.function, self.pause, self.calls = function, pause, []
        self.__name__ = "recorded"

    def __call__(self, x):
        self.calls.append((threading.get_ident(), np.shape(x), tuple(sorted(np.geterr().values()))))
        time.sleep(self.pause * np.shape(x)[0])
        return self.function(x)


def calls_of(recorder, **options):
    """The calls of the third run: the first ones tell what it costs."""
    f = jax.jit(hw.wrap(recorder, thread_safe=True, **options))
    x = np.linspace(0, 1, 40)
    for _ in range(3):
        recorder.calls.clear()
        same(f(x), recorder.function(x))
    return recorder.calls


# ---- the setting


def test_the_number_is_a_setting(monkeypatch):
    with hw.threads(3):
        assert parallel.thread_count() == 3
        with hw.threads(1):
            assert parallel.thread_count() == 1
    for wrong in (0, -1, 2.0, "2", None):
        with (
            pytest.raises(ValueError, match=r"hostwrap\.threads: count must be a positive integer"),
            hw.threads(wrong),
        ):
            pass


# ---- programs and ufuncs


@pytest.mark.parametrize("shape", [(LARGE + 3,), (3, LARGE // 2 + 1), (LARGE // 2 + 1, 3), (300, 500)])
def test_values_do_not_depend_on_the_threads(shape):
    x, v = np.resize(X, shape), np.linspace(0, 1, shape[-1])
    jv = hw.wrap(scipy.special.jv)
    for args in ((v, x), (0.5, x), (x[..., :1] * 0, x)):
        for f in (jv, jax.jit(lambda *a: jv(*a))):
            same(f(*args), scipy.special.jv(*args), 0)
    hypot = jax.grad(lambda a, b: jnp.sum(special.boxcox(a, b)))
    with hw.threads(1):
        alone = jax.jit(lambda *a: hypot(*a))(x, x)
    same(jax.jit(lambda *a: hypot(*a))(x, x), alone, 0)


def test_parts_are_cut_where_the_batch_is_longest():
    sizes = (1, parallel.PIECE, parallel.PIECE + 1, LARGE, LARGE + 1)
    assert [parallel.pieces(n, parallel.PIECE) for n in sizes] == [1, 1, 2, 8, 16]
    seen = []

    class Ufunc:
        ufunc = np.add

        def __call__(self, *arrays):
            seen.append(tuple(a.shape for a in arrays))
            return np.add(*arrays)

        __name__ = "add"

    f = hw.wrap(Ufunc())
    same(f(np.ones((2, LARGE)), np.ones((2, 1))), np.full((2, LARGE), 2.0))
    assert set(seen) == {((2, LARGE // 16), (2, 1))}
    seen.clear()
    same(f(np.ones((LARGE, 2)), np.ones(2)), np.full((LARGE, 2), 2.0))
    assert set(seen) == {((LARGE // 16, 2), (2,))}


def test_core_axes_stay_whole():
    a, b = np.random.default_rng(1).normal(size=(2, 600, 20, 20))
    same(jax.jit(hw.wrap(np.matmul))(a, b), a @ b)
    same(jax.jit(hw.wrap(np.matmul))(a, b[0]), a @ b[0])
    both = jax.jit(hw.wrap(np.divmod))
    same(both(np.arange(LARGE), 7), np.divmod(np.arange(LARGE), 7))


# ---- functions of the user


def test_only_functions_that_are_declared_thread_safe():
    recorder = Recorder(pause=1e-4)
    f = jax.jit(hw.wrap(recorder))
    for _ in range(3):
        f(np.zeros(40))
    assert {shape for _, shape, _ in recorder.calls} == {(40,)}


@pytest.mark.parametrize("options", [{}, {"signature": "()->()", "vmap_method": "expand_dims"}])
def test_a_thread_safe_function_works_on_parts(options):
    calls = calls_of(Recorder(pause=5e-3), **options)  # long, on a busy machine too
    assert len({thread for thread, _, _ in calls}) == 2
    assert [shape for _, shape, _ in calls] == [(20,), (20,)]
    assert {states for _, _, states in calls} == {("ignore",) * 4}


def test_one_element_at_a_time_in_two_threads():
    seen = []

    def slow(x):
        seen.append(threading.get_ident())
        time.sleep(1e-2)
        return x.sum()

    f = jax.jit(hw.wrap("(n)->()", thread_safe=True)(slow))
    for _ in range(3):
        seen.clear()
        same(f(np.ones((30, 2))), np.full(30, 2.0))
    assert sorted(seen.count(thread) for thread in set(seen)) == [15, 15]


def test_what_is_quick_or_keeps_the_gil_stays_in_one_thread(monkeypatch):
    with monkeypatch.context() as context:
        context.setattr(parallel, "WORTHWHILE", 1e3)
        assert [shape for _, shape, _ in calls_of(Recorder(pause=1e-4))] == [(40,)]
    pace = parallel.Costs()
    assert not pace.pays(10**9)  # nothing is known
    pace.alone = 1e-6
    assert pace.pays(1000) and not pace.pays(999)
    pace.tries, pace.together = 3, 0.95e-6
    assert not pace.pays(10**6)
    pace.together = 0.6e-6
    assert pace.pays(10**6)


def test_a_function_that_may_use_jax_is_not_moved_to_other_threads():
    assert [shape for _, shape, _ in calls_of(Recorder(pause=1e-4), allow_jax=True)] == [(40,)]


@pytest.mark.parametrize("where", [0, 39])
def test_an_exception_in_a_thread_is_the_functions(where):
    def picky(x):
        time.sleep(1e-4 * len(x))
        if np.any(x > 1):
            raise ValueError("x is large")
        return x

    f = hw.wrap(picky, thread_safe=True)
    good, bad = np.zeros(40), np.zeros(40)
    bad[where] = 2
    for call in everywhere(f):
        for _ in range(3):
            same(call(good), good)
        with pytest.raises(Exception, match="x is large"):
            jax.block_until_ready(call(bad))
        same(call(good), good)
    assert isinstance(hw.last_error().__cause__, ValueError)


def test_jax_in_a_thread_is_an_error():
    def uses_jax(x):
        time.sleep(1e-4 * len(x))
        return np.asarray(jnp.sin(x)) if x[-1] > 1 else x

    f = hw.wrap(uses_jax, thread_safe=True)
    for _ in range(3):
        f(np.zeros(40))
    with pytest.raises(hw.HostCallError, match="uses_jax: the host function used JAX"):
        f(np.full(40, 2.0))


def test_the_floating_point_environment_in_a_thread():
    def halved(x):
        time.sleep(1e-4 * len(x))
        return x / 2

    f = jax.jit(hw.wrap(halved, thread_safe=True))
    for _ in range(3):
        same(np.asarray(f(np.full(40, 4e-308)), float), np.full(40, 2e-308), 0)
    x = np.full(LARGE, 169.378)
    same(jax.jit(hw.wrap(scipy.special.binom))(x, 0.19335), scipy.special.binom(x, 0.19335), 0)


def test_scipys_errstate_is_that_of_the_caller_on_concrete_arrays():
    """It belongs to a thread: other threads would swallow what it is to raise."""
    gammaln = hw.wrap(scipy.special.gammaln)
    for where in (0, LARGE // 2, -1):
        x = np.full(LARGE, 2.0)
        x[where] = -1
        assert gammaln(x)[where] == np.inf
        for _ in range(5):
            with scipy.special.errstate(all="raise"), pytest.raises(scipy.special.SpecialFunctionError):
                gammaln(x)


# ---- the pool


def test_jobs_inside_jobs_and_a_busy_pool():
    done = []

    def inner():
        parallel.share([lambda: done.append(1)] * 4, 2)

    parallel.share([inner] * 8, 2)
    assert len(done) == 32
    threads = [threading.Thread(target=lambda: parallel.share([inner] * 8, 2)) for _ in range(4)]
    [t.start() for t in threads]
    [t.join(30) for t in threads]
    assert len(done) == 32 * 5


def test_all_threads_are_done_before_an_exception_arrives():
    inside, meet = [], threading.Barrier(2)

    def late():
        meet.wait(10)
        time.sleep(0.1)
        inside.append(1)

    def early():
        meet.wait(10)
        raise KeyError("early")

    for jobs in ([early, late], [late, early]):
        inside.clear()
        with pytest.raises(KeyError, match="early"):
            parallel.share([*jobs, lambda: inside.append(2)], 2)
        assert 1 in inside


AT_EXIT = """
import atexit, threading, time, os, jax, numpy as np, hostwrap as hw
f = hw.wrap(lambda x: (time.sleep(1e-4 * len(x)), x + 1)[1], thread_safe=True)
x = np.zeros(60)
jitted = jax.jit(f)
for _ in range(4):
    jitted(x).block_until_ready()
{}
"""
ENDINGS = {
    "idle": "",
    "a call in flight": "y = jitted(jax.numpy.ones((500, 500)).sum(0)[:60] * 0)",
    "a call at exit": "atexit.register(lambda: print(f(x)[0]))",
    "a call in another thread": "threading.Thread(target=lambda: [f(x) for _ in range(20)]).start()",
    "a fork": """
child = os.fork()
if not child:
    assert np.all(np.asarray(hw._host.parallel.share([lambda: None] * 9, 2) is None))
    os._exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
jitted(x).block_until_ready()
""",
}


@pytest.mark.subprocess
@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.rotating
def test_the_end_of_a_process(fresh_python, ending):
    fresh_python(
        AT_EXIT.format(ENDINGS[ending]) + "print('done')",
        timeout=60,
        HOSTWRAP_LANE="callback",
        HOSTWRAP_NUM_THREADS="2",
    )


@pytest.mark.parametrize(
    ("value", "literal"),
    [
        (("a", 1, -0.0, (None, True, b"x", 1 - 2j)), True),
        (("a", float("nan")), False),
        ((1, float("inf")), False),
        ((1, frozenset({2})), False),
        ((np.float64(1),), False),
        (("a", np.sin), False),
    ],
)
def test_origins_are_told_from_other_values_without_the_parser(value, literal):
    """CPython 3.11 fails when several threads make syntax trees at once, and programs are compiled in many."""
    assert origins.is_literal(value) is literal
    assert (origins.read(repr(value)) == value) is literal or not literal

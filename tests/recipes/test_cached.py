"""Resources that are kept on the host: found by content, bounded, made once by many threads, closed when unused."""

import gc
import threading
import time
import weakref

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hostwrap as hw
from tests._kit.toys import same


class Handle:
    """Something that must be closed, once, and not while it is in use."""

    def __init__(self):
        self.closed = 0


def factory(**options):
    made = []

    @hw.cached(**options)
    def handle(x, n=0):
        made.append(Handle())
        return made[-1]

    handle.made = made
    return handle


def test_equal_content_is_the_same_resource_whatever_memory_it_lies_in():
    f, x = factory(), np.arange(6.0)
    kept = f(x)
    assert f(x.copy()) is kept
    assert f(np.arange(12.0)[::2] / 2) is kept  # strided
    assert f(x=x, n=0) is kept
    x[0] = 7.0  # the same memory, other numbers
    assert f(x) is not kept
    assert f.cache_info() == (3, 2, 8, 2)


DIFFERENT = [
    np.zeros(4), np.zeros((2, 2)), np.zeros((4, 1)), np.zeros(4, np.float32), np.zeros(8, np.float32),
    np.zeros(4, np.int64), -np.zeros(4), np.zeros(4, complex), 0, 0.0, -0.0, 0j, False, None, "0", b"0", "",
    (), [], {}, (0,), (0, 0), ((0,), 0), (0, (0,)), [0], {"a": 0}, {"a": 1}, {"b": 0}, ("ab", "c"), ("a", "bc"),
    np.float64(0), np.bool_(False), np.zeros(0), np.zeros((0, 2)), np.zeros((3, 2, 0)),
]  # fmt: skip


def test_different_content_is_another_resource():
    f = factory(maxsize=len(DIFFERENT))
    resources = [f(x) for x in DIFFERENT]
    assert len(set(map(id, resources))) == len(DIFFERENT)
    assert [f(x) for x in DIFFERENT] == resources


def test_the_least_recently_used_goes_first_and_is_freed():
    f = factory(maxsize=2)
    f(1), f(2), f(1), f(3)
    assert f.cache_info() == (1, 3, 2, 2)
    f(1)
    assert f.cache_info().hits == 2
    f(2)
    assert f.cache_info().misses == 4
    gone = weakref.ref(f.made[2])  # of 3
    f.made.clear()
    gc.collect()
    assert gone() is None


def test_clearing_lets_all_go():
    f = factory(close=lambda h: setattr(h, "closed", h.closed + 1))
    with f.hold(1), f.hold(2):
        pass
    f.cache_clear()
    assert [h.closed for h in f.made] == [1, 1]
    assert f.cache_info() == (0, 0, 8, 0)


def test_a_resource_in_use_is_closed_after_it():
    f = factory(maxsize=1, close=lambda h: setattr(h, "closed", h.closed + 1))
    with f.hold(1) as first:
        with f.hold(2) as second:
            assert (first.closed, second.closed) == (0, 0)
            with f.hold(1) as again:  # it went when 2 came: another handle
                assert again is not first
        assert (first.closed, second.closed) == (0, 1)
    assert (first.closed, again.closed) == (1, 0)
    f.cache_clear()
    assert [h.closed for h in f.made] == [1, 1, 1]


def test_with_close_a_plain_call_is_refused():
    f = factory(close=print)
    with pytest.raises(hw.SignatureError, match=r"handle: .*`with handle.hold\(...\) as handle:`"):
        f(1)


def test_in_one_thread_it_is_made_closed_and_let_go():
    """The thread in which the last name of a resource goes, and so its memory, is the one that made it."""
    where = []

    class Owned:
        def __init__(self):
            where.append(threading.get_ident())

        def __del__(self):
            where.append(threading.get_ident())

    @hw.cached(maxsize=1, one_thread=True, close=lambda _: where.append(threading.get_ident()))
    def owned(x):
        return Owned()

    def use(x):
        with owned.hold(x):
            pass

    for x in range(4):
        thread = threading.Thread(target=use, args=(x,))
        thread.start()
        thread.join()
    owned.cache_clear()
    assert len(where) == 3 * 4
    assert len(set(where)) == 1
    assert threading.get_ident() not in where
    with pytest.raises(hw.SignatureError, match="with close= or one_thread= may go"):
        owned(1)


def test_many_threads_make_it_once():
    made, start = [], threading.Barrier(8)

    @hw.cached
    def slow(x):
        time.sleep(0.05)
        made.append(x)
        return object()

    found = []

    def ask():
        start.wait()
        found.append(slow(np.ones(3)))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1
    assert len(set(map(id, found))) == 1


def test_under_load_nothing_is_closed_in_use_or_twice_or_leaked():
    closed, wrong = [], []

    def close(handle):
        handle.closed += 1
        closed.append(handle)

    f = factory(maxsize=2, close=close)

    def work(seed):
        for n in np.random.default_rng(seed).integers(0, 5, 300):
            with f.hold(int(n)) as handle:
                if handle.closed:
                    wrong.append(handle)
                time.sleep(0)
                if handle.closed:
                    wrong.append(handle)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    f.cache_clear()
    assert not wrong
    assert len(f.made) > 5
    assert all(h.closed == 1 for h in f.made)


def test_what_raises_is_not_kept():
    tries = []

    @hw.cached
    def picky(x):
        tries.append(x)
        if len(tries) == 1:
            raise ValueError("not yet")
        return "made"

    with pytest.raises(ValueError, match="not yet"):
        picky(1)
    assert picky.cache_info().currsize == 0
    assert picky(1) == "made"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((object(),), "handle: `x` is a object, whose content cannot be compared; pass NumPy arrays"),
        ((jnp.ones(2),), "`x` is a ArrayImpl"),
        (([1, object()],), r"`x\[1\]` is a object"),
        (({"a": {1, 2}},), r"`x\['a'\]` is a set"),
        ((np.array([object()]),), "`x` is a ndarray"),
        ((), r"handle\(x, n=0\): missing a required argument: 'x'"),
    ],
)
def test_arguments_without_content_are_refused(arguments, words):
    with pytest.raises(hw.SignatureError, match=words):
        factory()(*arguments)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"maxsize": 0}, "maxsize=0 must be an integer >= 1"),
        ({"maxsize": None}, "maxsize=None must be an integer >= 1"),
        ({"close": 3}, "close= must be a function, got int"),
    ],
)
def test_malformed_options_are_refused(options, words):
    with pytest.raises(hw.SignatureError, match=words):
        factory(**options)
    with pytest.raises(hw.SignatureError, match="cached: expected a function, got int"):
        hw.cached(3)


def test_a_compiled_program_uses_a_resource_in_both_directions():
    @hw.cached(maxsize=2)
    def inverse(A):
        return np.linalg.inv(A)

    product = hw.wrap("(n,n),(n)->(n)", static="back")(
        lambda A, b, *, back=False: (inverse(A).T if back else inverse(A)) @ b
    )

    @jax.jit
    def solve(A, b):
        return jax.lax.custom_linear_solve(
            lambda x: A @ x, b, lambda _, b: product(A, b), lambda _, b: product(A, b, back=True)
        )

    A, b = np.array([[2.0, 1.0], [0.5, 3.0]]), np.array([1.0, 2.0])
    got = jax.jit(jax.grad(lambda A, b: (solve(A, b) ** 2).sum(), (0, 1)))(A, b)
    same(got, jax.grad(lambda A, b: (jnp.linalg.solve(A, b) ** 2).sum(), (0, 1))(A, b), 1e-12)
    assert inverse.cache_info().misses == 1
    assert inverse.cache_info().hits == 1

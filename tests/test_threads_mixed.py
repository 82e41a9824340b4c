"""Eight Python threads, each with programs of its own kind, some of which fail: right results, memory flat."""

import pytest

import hostwrap as hw

LANES = [lane for lane, status in hw.lanes().items() if status == "available" and lane != "pure_callback"]

PROGRAM = """
import gc, os, resource, threading, time, jax, jax.numpy as jnp, numpy as np, scipy.special, hostwrap as hw
from hostwrap import special
jax.config.update("jax_enable_x64", True)
SECONDS = float(os.environ["SECONDS"])
x = np.linspace(0.1, 9, 300)

slow = hw.wrap(lambda x: np.sin(x)).defpartials(x=lambda ans, x: jnp.cos(x))
several = hw.wrap(lambda x: np.sin(x), thread_safe=True)

@hw.wrap
def odd(x):
    if x.ravel()[0] > 5:
        raise ValueError("forty-two")
    return x

def steps(x):
    return jax.lax.scan(lambda c, _: (c + 1e-3 * special.jv(1.5, c) + 0 * several(c), None), x, None, length=20)[0]

def host(x):
    for _ in range(20):
        x = x + 1e-3 * scipy.special.jv(1.5, x)
    return x

cases = [
    (lambda x: special.jv(1.5, x), lambda x: scipy.special.jv(1.5, x)),
    (jax.vmap(jax.grad(lambda x: special.jv(1.5, x))), lambda x: scipy.special.jvp(1.5, x)),
    (jax.vmap(jax.value_and_grad(slow)), lambda x: (np.sin(x), np.cos(x))),
    (several, np.sin),
    (steps, host),
    (lambda x: jax.vmap(jax.grad(lambda v: special.kv(v, 2.0)))(x), None),
    (lambda x: special.airy(x).ai, lambda x: scipy.special.airy(x)[0]),
    (odd, lambda x: x),
]
wrong, counts, end = [], [0] * len(cases), []

def work(number):
    f, reference = cases[number]
    compiled, shift = jax.jit(f), 0.0
    expected = reference or (lambda x, first=jax.jit(f): first(x))
    while not end:
        shift = (shift + 0.01) % 1
        try:
            got, want = compiled(x + shift), expected(x + shift)
            jax.tree.map(lambda g, w: np.testing.assert_allclose(g, w, rtol=1e-9, atol=1e-13), got, want)
            if f is odd:
                try:
                    compiled(x + 6).block_until_ready()
                    wrong.append("no error")
                except Exception as error:
                    assert "odd" in str(error) and "forty-two" in str(error), error
        except BaseException as error:
            wrong.append((number, repr(error)[:500]))
            return
        counts[number] += 1

threads = [threading.Thread(target=work, args=(k,)) for k in range(len(cases))]
[t.start() for t in threads]
time.sleep(SECONDS / 3)
gc.collect()
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
time.sleep(2 * SECONDS / 3)
end.append(True)
[t.join(60) for t in threads]
assert not any(t.is_alive() for t in threads), "a thread hangs"
assert not wrong, wrong
assert min(counts) > 3, counts
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory
assert grown < 30_000, f"{grown} kB more"
print("done", counts)
"""


@pytest.mark.subprocess
@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize("seconds", [9, pytest.param(120, marks=pytest.mark.exhaustive)])
def test_eight_threads(fresh_python, lane, seconds):
    said = fresh_python(PROGRAM, timeout=seconds + 120, HOSTWRAP_LANE=lane, SECONDS=str(seconds))
    assert "done" in said

"""One program in several processes: each host sees its own part of the data, and all compile the same."""

import pytest

from tests._kit.clusters import Cluster

pytestmark = [pytest.mark.subprocess, pytest.mark.native]  # JAX's own callbacks are gathered
SIZES = [
    pytest.param(2, 1),
    *(pytest.param(*s, marks=pytest.mark.exhaustive) for s in ((2, 2), (4, 1), (4, 2))),
]

PROGRAM = """
import hashlib, scipy.special
from hostwrap import special
from jax.experimental import multihost_utils

devices, rows = jax.device_count(), 6
xs = np.linspace(0.1, 9, rows * devices)
x = spread(xs)
seen = []

def watched(x):
    seen.append(x.copy())
    return np.sin(x)

def mine(y, expected, tolerance=1e-13):
    for shard in y.addressable_shards:
        np.testing.assert_allclose(shard.data, expected[shard.index], rtol=tolerance, atol=tolerance)

# a function that one process alone uses does not change what the others compile
if jax.process_index() == 0:
    jax.jit(hw.wrap(lambda x: x + 1))(1.0).block_until_ready()

sine = hw.wrap(watched).defpartials(x=lambda ans, x: jnp.cos(x))

def same_everywhere(f, *args):
    lowered = f.lower(*args)
    digest = int.from_bytes(hashlib.sha256(lowered.as_text().encode()).digest()[:4], "little")
    digests = set(np.ravel(multihost_utils.process_allgather(np.uint32(digest))))
    assert len(digests) == 1, lowered.as_text()
    text = lowered.compile().as_text()
    assert not [word for word in ("all-gather", "all-to-all", "collective-permute") if word in text]

loss = jax.jit(jax.value_and_grad(lambda x: (sine(x) * special.jv(2.5, x)).sum()))
hvp = jax.jit(lambda x: jax.jvp(jax.grad(lambda x: (special.jv(2.5, x)).sum()), (x,), (jnp.ones_like(x),))[1])
same_everywhere(loss, x), same_everywhere(hvp, x)
os.environ["HOSTWRAP_NUM_THREADS"] = str(2 + jax.process_index())
same_everywhere(jax.jit(lambda x: special.gammaln(x)), spread(np.linspace(0.1, 9, 5000 * devices)))
del seen[:]
value, gradient = loss(x)
j = scipy.special
np.testing.assert_allclose(float(value), (np.sin(xs) * j.jv(2.5, xs)).sum(), rtol=1e-12)
mine(gradient, np.cos(xs) * j.jv(2.5, xs) + np.sin(xs) * j.jvp(2.5, xs))
mine(hvp(x), j.jvp(2.5, xs, 2))
own = {tuple(xs[s.index]) for s in x.addressable_shards}
assert {tuple(a) for a in seen} == own and len(seen) == len(own), (seen, own)

# a fit: the order of a Bessel function, from data that no process has as a whole
data = spread(j.jv(1.75, xs))
@jax.jit
def step(v, x, data):
    error, slope = jax.value_and_grad(lambda v: ((special.jv(v, x) + 0 * sine(x) - data) ** 2).mean())(v)
    return v - 2.0 * slope, error
same_everywhere(step, 1.0, x, data)
del seen[:]
v = jnp.asarray(1.2)
for _ in range(200):
    v, error = jax.block_until_ready(step(v, x, data))  # several steps at once hang in JAX's own collectives
assert abs(float(v) - 1.75) < 1e-6 and float(error) < 1e-10, (v, error)
assert len(seen) == 200 * len(own) and {a.shape for a in seen} == {(rows,)}
print("done", np.float64(v).hex())
"""


@pytest.mark.parametrize("processes, devices", SIZES)
@pytest.mark.rotating
def test_value_gradient_and_a_training_loop(tmp_path, processes, devices):
    with Cluster(tmp_path, PROGRAM, processes, devices) as cluster:
        said, status = cluster.outputs(timeout=100)
    assert status == [0] * processes, "\n".join(said)
    assert len({s.splitlines()[-1] for s in said}) == 1  # the same bits in every process

"""Several devices: what is mapped is spread alike, and a C loop that raises on one of them lets none wait."""

import pytest

import hostwrap as hw

pytestmark = [pytest.mark.subprocess, pytest.mark.native]
FLAGS = "--xla_force_host_platform_device_count=2"
BEGIN = """
import os, jax, jax.numpy as jnp, numpy as np, hostwrap as hw
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
jax.config.update("jax_enable_x64", True)
"""

EXPLICIT = """
mesh = jax.make_mesh((2,), ("d",), axis_types=(AxisType.Explicit,))
mv = hw.wrap("(n,n),(n)->(n)")(lambda A, v: A @ v)
mv.defpartials(A=lambda ans, A, v: jnp.eye(2)[:, :, None] * v, v=lambda ans, A, v: A)
A, v = np.arange(16.0).reshape(4, 2, 2), np.arange(8.0).reshape(4, 2)
want = np.einsum("bij,bj->bi", A, v)
slopes = np.broadcast_to(v[:, None, :], A.shape), A.sum(1)
with jax.set_mesh(mesh):
    for first, second in ((P(), P("d")), (P("d"), P()), (P(None, "d"), P("d")), (P(), P())):
        args = [jax.device_put(x, NamedSharding(mesh, s)) for x, s in ((A, first), (v, second))]
        for f in (mv, jax.jit(mv)):
            got = f(*args)
            np.testing.assert_array_equal(got, want)
            rows = {s.data.shape[0] for s in got.addressable_shards}
            assert rows == ({2} if "d" in (*first[:1], *second[:1]) else {4}), got.sharding
        got = jax.jit(jax.grad(lambda A, v: mv(A, v).sum(), (0, 1)))(*args)
        for y, z in zip(got, slopes, strict=True):
            np.testing.assert_array_equal(y, z)
print("done")
"""


@pytest.mark.rotating
def test_a_batch_spread_in_one_argument_and_whole_in_the_other(fresh_python):
    """Under explicit axes, where vmap refuses what is spread in two ways."""
    assert "done" in fresh_python(BEGIN + EXPLICIT, timeout=100, XLA_FLAGS=FLAGS)


RAISES = """
mesh = jax.make_mesh((2,), ("d",), axis_types=(AxisType.Auto,))
power = hw.wrap(np.power)
total = jax.jit(lambda x, n: power(x, n).sum())
spread = [jax.device_put(np.array(x), NamedSharding(mesh, P("d"))) for x in ([2, 3, 4, 5], [1, 2, 1, -1], [1, 1, 1, 1])]
print(jax.block_until_ready(total(spread[0], spread[1])))
try:
    hw.check_errors()
except hw.HostCallError as error:
    assert "power" in str(error) and "negative integer powers" in str(error), error
else:
    raise SystemExit("nothing was raised")
assert total(spread[0], spread[2]) == 14
print("done", flush=True)
os._exit(0)
"""


def test_a_loop_of_c_that_raises_on_one_of_two_devices(fresh_python):
    """An error of the program on one would let the other wait, until XLA ends the process."""
    assert hw.lanes()["native"] == "available"
    assert "done" in fresh_python(BEGIN + RAISES, timeout=100, XLA_FLAGS=FLAGS)

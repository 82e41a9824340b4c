"""One array on one device and on two, each with one thread for a host call."""

import json
import os
import subprocess
import sys

from bench.timing import duration, table

SIZE = 1_000_000
PROGRAM = """
import json, sys
import jax, numpy as np
from jax.sharding import NamedSharding, PartitionSpec
from bench.timing import in_turn
from hostwrap import special

jax.config.update("jax_enable_x64", True)
size, seconds = int(sys.argv[1]), float(sys.argv[2])
mesh = jax.make_mesh((2,), ("x",))
points = np.random.default_rng(0).uniform(0.5, 20, size)  # in no order: both halves cost the same
places = {"one": jax.devices()[0], "two": NamedSharding(mesh, PartitionSpec("x"))}
functions = {
    "jv": lambda x: special.jv(1.5, x),
    "gradient of jv": jax.grad(lambda x: special.jv(1.5, x).sum()),
}

def runs(f):
    compiled = jax.jit(f)
    return {name: (lambda x=jax.device_put(points, place): compiled(x)) for name, place in places.items()}

print(json.dumps({name: in_turn(runs(f), seconds) for name, f in functions.items()}))
"""


def report(seconds: float = 10.0, size: int = SIZE) -> str:
    rows = [
        [name, duration(t["one"]), duration(t["two"]), f"{t['one'] / t['two']:.2f}"]
        for name, t in measure(seconds, size).items()
    ]
    return table(f"Two devices, n = {size:,}", ["jitted call", "one", "two", "times as fast"], rows)


def measure(seconds: float, size: int) -> dict[str, dict[str, float]]:
    """In a process of its own: how many devices there are is decided when JAX starts."""
    settings = {
        "XLA_FLAGS": "--xla_force_host_platform_device_count=2",
        "HOSTWRAP_NUM_THREADS": "1",
        "PYTHONPATH": os.pathsep.join(filter(None, [os.getcwd(), *sys.path])),
    }
    command = [sys.executable, "-c", PROGRAM, str(size), str(seconds)]
    done = subprocess.run(
        command, env={**os.environ, **settings}, stdout=subprocess.PIPE, text=True, check=True
    )
    return json.loads(done.stdout)

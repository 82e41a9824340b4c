"""Several processes of one JAX program, on this machine: started together, and ended together at a time limit."""

import os
import socket
import subprocess
import sys
import time

BEGIN = """
import os, jax, jax.numpy as jnp, numpy as np
from jax.sharding import NamedSharding, PartitionSpec as P
jax.config.update("jax_enable_x64", True)
jax.distributed.initialize(os.environ["ADDRESS"], int(os.environ["PROCESSES"]), int(os.environ["PROCESS"]))
import hostwrap as hw
mesh = jax.make_mesh((jax.device_count(),), ("x",))

def spread(a):
    return jax.make_array_from_callback(a.shape, NamedSharding(mesh, P("x")), lambda i: a[i])
"""


class Cluster:
    """The processes; used in a `with`, which ends those that are left."""

    def __init__(self, folder, code, processes, devices=1, **environment):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            address = f"127.0.0.1:{free.getsockname()[1]}"
        common = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            "JAX_PLATFORMS": "cpu",
            "XLA_FLAGS": f"--xla_force_host_platform_device_count={devices}",
            "ADDRESS": address,
            "PROCESSES": str(processes),
            **environment,
        }
        self.processes = [
            subprocess.Popen(
                [sys.executable, "-c", BEGIN + code],
                cwd=folder,
                env={**common, "PROCESS": str(i)},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            for i in range(processes)
        ]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.communicate()

    def outputs(self, timeout=120):
        """What each process said, and its exit status; TimeoutExpired if one goes on."""
        end = time.monotonic() + timeout
        said = [p.communicate(timeout=max(0.1, end - time.monotonic()))[0] for p in self.processes]
        return said, [p.returncode for p in self.processes]

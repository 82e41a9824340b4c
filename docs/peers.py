"""`python -m docs.peers` measures the special functions of others beside ours, and writes the table in README.md.

All are asked for values and first derivatives at the real points of tests/reference, and compared with mpmath there.
TensorFlow Probability is measured too where it is installed (`pip install tfp-nightly`).
"""

from __future__ import annotations

import dataclasses
import datetime
import functools
import importlib.metadata
import importlib.util
import multiprocessing
import operator
import pathlib
import re
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.special

from hostwrap.special._function import Special
from tests.reference import tables
from tests.reference.entries import catalogue, columns, is_integer

README = pathlib.Path(__file__).resolve().parents[1] / "README.md"
BLOCK = re.compile(r"(<!-- peers: `python -m docs.peers` -->\n).*?(<!-- end -->)", re.DOTALL)
DIGITS = 1e-6  # relative error of six right digits
SECONDS = 60  # some loops never end
HEAD = "| | ufuncs of `scipy.special` | their first derivatives | points with six right digits | same bits as SciPy |"
TFP = {"betaln": "lbeta", "ive": "bessel_ive", "kve": "bessel_kve"}
TFP |= {"gammaincinv": "igammainv", "gammainccinv": "igammacinv"}
PEERS: dict[str, tuple[str, dict[str, str]]] = {  # module, its title or distribution, other names
    "hostwrap.special": ("hostwrap.special", {}),
    "jax.scipy.special": ("jax", {}),
    "tensorflow_probability.substrates.jax.math": ("tfp-nightly", TFP),
}
SMALL, LARGE = 1e-290, 1e290  # beyond these, formulas underflow or overflow before their result does


@dataclasses.dataclass
class Counts:
    """Functions; those with SciPy's bits at every point; first derivatives; points of these, and right ones."""

    functions: int = 0
    same: int = 0
    derivatives: int = 0
    points: int = 0
    right: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(*map(operator.add, dataclasses.astuple(self), dataclasses.astuple(other)))

    def add(self, function: Special, of: Callable[..., Any]) -> None:
        self.functions += 1
        (group, *_) = (g for g in tables.load(function.name)[1] if not g.is_complex)
        arrays = columns(function, group.points)
        scipys = _row(function.on_host(*arrays))
        self.same += _row(jax.jit(of)(*arrays)).tobytes() == scipys.tobytes()
        for index, want in zip(group.indices, group.high, strict=True):
            if sum(index) == 1:
                self._derivative(of, arrays, index.index(1), want, np.isfinite(scipys))

    def _derivative(self, of: Any, arrays: list, i: int, want: np.ndarray, there: np.ndarray) -> None:
        try:
            got = _row(jax.jit(lambda *x: _slope(of, x, i))(*arrays))
        except (NotImplementedError, TypeError, ValueError):
            return
        counted = there & (np.abs(want) > SMALL) & (np.abs(want) < LARGE)
        with np.errstate(all="ignore"):
            right = np.abs(got - want) <= DIGITS * np.abs(want)
        self.derivatives += 1
        self.points += int(counted.sum())
        self.right += int((right & counted).sum())


def main() -> None:
    text = README.read_text(encoding="utf-8")
    README.write_text(BLOCK.sub(lambda found: found[1] + table() + found[2], text), encoding="utf-8")


def table() -> str:
    """Markdown, with what it was measured on."""
    ufuncs = [f for f in catalogue().values() if f.public and isinstance(f.host, np.ufunc)]
    lines = [HEAD, re.sub(r"[^|]+", "---", HEAD)]
    late: list[str] = []
    for module, (title, names) in PEERS.items():
        if importlib.util.find_spec(module.partition(".")[0]):
            found = {f: names.get(f.name, f.name) for f in ufuncs}
            found = {f: n for f, n in found.items() if hasattr(importlib.import_module(module), n)}
            counts = counted(module, found)
            late += [f"{module}.{n}" for n, c in zip(found.values(), counts, strict=True) if c is None]
            lines.append(_line(title, list(found), sum(filter(None, counts), Counts())))
    made = f"{datetime.date.today():%Y-%m-%d}, JAX {jax.__version__}, SciPy {scipy.__version__}, float64, CPU"
    never = f" No answer in {SECONDS} s, counted as not there: {', '.join(late)}." if late else ""
    return "\n".join([*lines, f"\n*Measured {made}.{never}*", ""])


def _line(title: str, functions: list[Special], counts: Counts) -> str:
    wanted = sum(not is_integer(f, a) for f in functions for a in f.args)
    version = f" {importlib.metadata.version(title)}" if title != "hostwrap.special" else ""
    of = f"{counts.derivatives} of {wanted}"
    right = f"{100 * counts.right / counts.points:.1f} %"
    return f"| {title}{version} | {len(functions)} | {of} | {right} | {counts.same} |"


def counted(module: str, functions: dict[Special, str]) -> list[Counts | None]:
    """The counts of each function, asked in a process of its own; None of one that does not return."""
    found: list[Counts | None] = []
    workers = functools.partial(multiprocessing.get_context("spawn").Pool, 1, _start)
    pool = workers()
    for function, name in functions.items():
        try:
            found.append(pool.apply_async(_counts, (module, function.name, name)).get(SECONDS))
        except multiprocessing.TimeoutError:
            found.append(None)
            pool.terminate()
            pool = workers()
    pool.terminate()
    return found


def _start() -> None:
    jax.config.update("jax_enable_x64", True)


def _counts(module: str, function: str, name: str) -> Counts:
    counts = Counts()
    counts.add(catalogue()[function], getattr(importlib.import_module(module), name))
    return counts


def _slope(of: Callable[..., Any], arrays: tuple, i: int) -> Any:
    def along(x: Any) -> Any:
        return of(*arrays[:i], x, *arrays[i + 1 :])

    return jax.jvp(along, (arrays[i],), (jnp.ones_like(arrays[i]),))[1]


def _row(result: Any) -> np.ndarray:
    """One or several results as an array (output, point)."""
    return np.stack(list(map(np.asarray, result if isinstance(result, tuple) else (result,))))


if __name__ == "__main__":
    main()

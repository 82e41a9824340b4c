"""`python -m docs.generate.peers` measures special functions of others beside ours, and writes the table in README.md.

Each first derivative is compared with mpmath at the real points of tests/reference; ours are those of support.csv.
TensorFlow Probability is measured where it is installed (`pip install tfp-nightly`).
"""

from __future__ import annotations

import csv
import datetime
import functools
import importlib.metadata
import importlib.util
import multiprocessing
import re
from collections.abc import Callable, Container, Iterable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import scipy.special

from docs.generate import DOCS, ROOT
from hostwrap.special._function import Special
from tests.reference import tables
from tests.reference.entries import catalogue, columns, is_integer

README = ROOT / "README.md"
SUPPORT = DOCS / "support.csv"
BLOCK = re.compile(r"(<!-- peers: `python -m docs.generate.peers` -->\n).*?(<!-- end -->)", re.DOTALL)
DIGITS = 1e-6  # relative error of six right digits
SECONDS = 120  # some loops never end
HEAD = "| | ufuncs of `scipy.special` | first derivatives available | accurate to 1e-6 at all test points |"
TFP = {"betaln": "lbeta", "ive": "bessel_ive", "kve": "bessel_kve"}
TFP |= {"gammaincinv": "igammainv", "gammainccinv": "igammacinv"}
PEERS: dict[str, tuple[str, dict[str, str]]] = {  # module, distribution, other names
    "jax.scipy.special": ("jax", {}),
    "tensorflow_probability.substrates.jax.math": ("tfp-nightly", TFP),
}
SMALL, LARGE = 1e-290, 1e290  # beyond these, formulas underflow or overflow before their result does


class Counts(NamedTuple):
    """First derivatives that are there; those with six right digits at every point."""

    there: int = 0
    right: int = 0


def count(function: Special, of: Callable[..., Any]) -> Counts:
    """Of one function, at the points where the derivative, and SciPy's value, are ordinary numbers."""
    (group, *_) = (g for g in tables.load(function.name)[1] if not g.is_complex)
    arrays, there, right = columns(function, group.points), 0, 0
    scipys = row(function.on_host(*arrays))
    for index, want in zip(group.indices, group.high, strict=True):
        if sum(index) == 1:
            try:
                got = row(jax.jit(functools.partial(slope, of, index.index(1)))(*arrays))
            except (NotImplementedError, TypeError, ValueError):
                continue
            ordinary = np.isfinite(scipys) & (np.abs(want) > SMALL) & (np.abs(want) < LARGE)
            there += 1
            right += bool(np.all(np.abs(got - want)[ordinary] <= DIGITS * np.abs(want)[ordinary]))
    return Counts(there, right)


def main() -> None:
    text = README.read_text(encoding="utf-8")
    README.write_text(BLOCK.sub(lambda found: found[1] + table() + found[2], text), encoding="utf-8")


def update_ours() -> None:
    """Our own line of the table, from what the tests have measured; the other lines stay."""
    ufuncs = _ufuncs()
    line = _line("hostwrap.special", ufuncs.values(), ours(ufuncs))
    text = README.read_text(encoding="utf-8")
    README.write_text(
        re.sub(r"^\| hostwrap\.special \| \d.*$", line, text, flags=re.MULTILINE), encoding="utf-8"
    )


def _ufuncs() -> dict[str, Special]:
    return {f.name: f for f in catalogue().values() if f.public and isinstance(f.host, np.ufunc)}


def table() -> str:
    """Markdown, with what it was measured on."""
    ufuncs = _ufuncs()
    lines = [HEAD, re.sub(r"[^|]+", "---", HEAD), _line("hostwrap.special", ufuncs.values(), ours(ufuncs))]
    late: list[str] = []
    for module, (distribution, names) in PEERS.items():
        if importlib.util.find_spec(module.partition(".")[0]):
            peer = importlib.import_module(module)
            found = {f: names.get(n, n) for n, f in ufuncs.items() if hasattr(peer, names.get(n, n))}
            counts = counted(module, found)
            late += [f"`{module}.{n}`" for n, c in zip(found.values(), counts, strict=True) if c is None]
            title = f"{distribution} {importlib.metadata.version(distribution)}"
            there, right = (sum(c[k] for c in counts if c) for k in range(2))
            lines.append(_line(title, found, Counts(there, right)))
    made = f"{datetime.date.today():%Y-%m-%d}, JAX {jax.__version__}, SciPy {scipy.__version__}, float64, CPU"
    never = f" Timed out after {SECONDS} s, not counted: {', '.join(late)}." if late else ""
    return "\n".join([*lines, f"\n*Measured {made}.{never}*", ""])


def _line(title: str, functions: Iterable[Special], counts: Counts) -> str:
    functions = list(functions)
    wanted = sum(not is_integer(f, a) for f in functions for a in f.args)
    return f"| {title} | {len(functions)} | {counts.there} of {wanted} | {counts.right} |"


def ours(ufuncs: Container[str]) -> Counts:
    """What the tests have measured."""
    with SUPPORT.open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["function"] in ufuncs]
    errors = [float(row["first_max_float64"]) for row in rows if row["kind"] in ("kernel", "partial")]
    return Counts(len(errors), sum(error <= DIGITS for error in errors))


def counted(module: str, functions: dict[Special, str]) -> list[Counts | None]:
    """The counts of each function; None of one that does not return."""
    return in_time(_counts, [(module, function.name, name) for function, name in functions.items()])


def in_time(ask: Callable[..., Any], cases: Iterable[tuple]) -> list[Any]:
    """`ask(*case)` for each, in a process of its own; None where it does not return."""
    found: list[Any] = []
    workers = functools.partial(multiprocessing.get_context("spawn").Pool, 1, _start)
    pool = workers()
    for case in cases:
        try:
            found.append(pool.apply_async(ask, case).get(SECONDS))
        except multiprocessing.TimeoutError:
            found.append(None)
            pool.terminate()
            pool = workers()
    pool.terminate()
    return found


def _start() -> None:
    jax.config.update("jax_enable_x64", True)


def _counts(module: str, function: str, name: str) -> Counts:
    return count(catalogue()[function], getattr(importlib.import_module(module), name))


def slope(of: Callable[..., Any], i: int, *arrays: Any) -> Any:
    def along(x: Any) -> Any:
        return of(*arrays[:i], x, *arrays[i + 1 :])

    return jax.jvp(along, (arrays[i],), (jnp.ones_like(arrays[i]),))[1]


def row(result: Any) -> np.ndarray:
    """One or several results as an array (output, point)."""
    return np.stack(list(map(np.asarray, result if isinstance(result, tuple) else (result,))))


if __name__ == "__main__":
    main()

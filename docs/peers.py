"""`python -m docs.peers` measures JAX's own special functions beside ours, and writes the table in README.md.

Both are asked for values and first derivatives at the real points of tests/reference, and compared with mpmath there.
"""

from __future__ import annotations

import dataclasses
import datetime
import functools
import importlib
import multiprocessing
import operator
import pathlib
import re
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.special

from hostwrap import special
from hostwrap.special._function import Special
from tests.reference import tables
from tests.reference.entries import catalogue, columns

README = pathlib.Path(__file__).resolve().parents[1] / "README.md"
BLOCK = re.compile(r"(<!-- peers: `python -m docs.peers` -->\n).*?(<!-- end -->)", re.DOTALL)
DIGITS = 1e-6  # relative error of six right digits
SECONDS = 120  # some loops of JAX's never end
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
        scipys = _row(function.host(*arrays))
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

    @property
    def share(self) -> str:
        return f"{100 * self.right / self.points:.1f} %"


def main() -> None:
    text = README.read_text(encoding="utf-8")
    README.write_text(BLOCK.sub(lambda found: found[1] + table() + found[2], text), encoding="utf-8")


def table() -> str:
    """Markdown, with what it was measured on."""
    ufuncs = list(_ufuncs())
    both = [f for f in ufuncs if hasattr(jax.scipy.special, f.name)]
    ours, _ = counted(special.__name__, both)
    theirs, late = counted(jax.scipy.special.__name__, both)
    rows = [
        ("", "hostwrap.special", "jax.scipy.special"),
        ("---", "---", "---"),
        (f"of the {_count()} ufuncs of `scipy.special`", len(ufuncs), len(both)),
        (f"of these {len(both)}: same bits as SciPy at every point", ours.same, theirs.same),
        (f"of these {len(both)}: first derivatives that are there", ours.derivatives, theirs.derivatives),
        ("of their points: six right digits", ours.share, theirs.share),
    ]
    made = f"{datetime.date.today():%Y-%m-%d}, JAX {jax.__version__}, SciPy {scipy.__version__}, float64, CPU"
    lines = [f"| {' | '.join(map(str, row))} |" for row in rows]
    never = (
        f" No answer from JAX's {', '.join(late)} in {SECONDS} seconds: counted as not there." if late else ""
    )
    return "\n".join([*lines, f"\n*Measured {made}.{never}*", ""])


def counted(module: str, functions: list[Special]) -> tuple[Counts, list[str]]:
    """The counts of a module, and the names of functions that did not return: each is asked in another process."""
    total, late = Counts(), []
    workers = functools.partial(multiprocessing.get_context("spawn").Pool, 1, _start)
    pool = workers()
    for function in functions:
        try:
            total += pool.apply_async(_counts, (module, function.name)).get(SECONDS)
        except multiprocessing.TimeoutError:
            late.append(function.name)
            pool.terminate()
            pool = workers()
    pool.terminate()
    return total, late


def _start() -> None:
    jax.config.update("jax_enable_x64", True)


def _counts(module: str, name: str) -> Counts:
    counts = Counts()
    counts.add(catalogue()[name], getattr(importlib.import_module(module), name))
    return counts


def _ufuncs() -> Iterator[Special]:
    return (f for f in catalogue().values() if f.public and isinstance(f.host, np.ufunc))


def _count() -> int:
    return sum(isinstance(value, np.ufunc) for value in vars(scipy.special).values())


def _slope(of: Callable[..., Any], arrays: tuple, i: int) -> Any:
    def along(x: Any) -> Any:
        return of(*arrays[:i], x, *arrays[i + 1 :])

    return jax.jvp(along, (arrays[i],), (jnp.ones_like(arrays[i]),))[1]


def _row(result: Any) -> np.ndarray:
    """One or several results as an array (output, point)."""
    return np.stack(list(map(np.asarray, result if isinstance(result, tuple) else (result,))))


if __name__ == "__main__":
    main()

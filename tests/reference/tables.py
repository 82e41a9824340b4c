"""The committed references: one file for each function, with the fingerprint of what it was made from.

A number is kept as a sum of two doubles, so the tables serve the 50-digit test of the rules too. NaN says that
there is no reference.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import pathlib
from collections.abc import Sequence
from typing import Any

import mpmath
import numpy as np

from hostwrap.special._function import Special
from tests.reference import oracle
from tests.reference.entries import Index, indices, statics
from tests.reference.points import points
from tests.reference.source import full_text

FOLDER = pathlib.Path(__file__).parent / "data"


@dataclasses.dataclass(frozen=True)
class Group:
    """References of a function at fixed statics, real or complex: arrays (index, output, point)."""

    statics: dict[str, Any]
    is_complex: bool
    points: np.ndarray
    indices: list[Index]
    high: np.ndarray
    low: np.ndarray

    def exact(self, index: int, output: int, point: int) -> mpmath.mpf:
        high, low = complex(self.high[index, output, point]), complex(self.low[index, output, point])
        return mpmath.mpc(high) + mpmath.mpc(low)


def two_parts(numbers: list[list[Any]]) -> np.ndarray:
    """mpmath numbers [index][output] as an array (2, index, output) of doubles and what they leave."""
    return np.moveaxis(np.array([[_two_parts(x) for x in outputs] for outputs in numbers]), 2, 0)


def _two_parts(x: Any) -> tuple[complex, complex]:
    if x is None:
        return complex("nan"), 0j
    with mpmath.workdps(60):
        parts = [(_double(part), part) for part in (mpmath.re(x), mpmath.im(x))]
        rest = [_double(part - high) if np.isfinite(high) else 0.0 for high, part in parts]
    return complex(parts[0][0], parts[1][0]), complex(*rest)


def _double(x: Any) -> float:
    try:
        return float(x)
    except OverflowError:
        return float("inf") if x > 0 else float("-inf")


def fingerprint(function: Special, groups: Sequence[Group]) -> str:
    """Of the definition with all it uses, and of the points and indices."""
    digest = hashlib.sha256(f"{oracle.VERSION} {full_text(function.ref)}".encode())
    for is_complex in (False, True):
        given = [group.points for group in groups if group.is_complex == is_complex]
        digest.update(given[0].tobytes() if given else b"")
        digest.update(repr(indices(function, is_complex)).encode())
    digest.update(repr(statics(function)).encode())
    return digest.hexdigest()[:16]


def is_current(function: Special) -> bool:
    """Whether the table was made from this definition at these points.

    The points are the table's own: drawn on another processor they may differ in the last place, since NumPy's
    powers do, and in the last place of single precision after that.
    """
    found, groups = load(function.name)
    return found == fingerprint(function, groups) and all(
        _same_points(points(function, is_complex), [g for g in groups if g.is_complex == is_complex])
        for is_complex in (False, True)
    )


def _same_points(drawn: np.ndarray, groups: Sequence[Group]) -> bool:
    kept = [group.points for group in groups] or [drawn[:0]]
    return all(len(p) == len(drawn) and np.allclose(p, drawn, rtol=1e-6, atol=0) for p in kept)


def save(function: Special, groups: list[Group]) -> None:
    about = {"fingerprint": fingerprint(function, groups), "groups": []}
    arrays = {}
    for number, group in enumerate(groups):
        about["groups"].append(
            {"statics": group.statics, "complex": group.is_complex, "indices": group.indices}
        )
        narrow = (lambda x: x) if np.any(group.high.imag) or np.any(group.low.imag) else np.real
        arrays |= {
            f"points{number}": group.points,
            f"high{number}": narrow(group.high),
            f"low{number}": narrow(group.low),
        }
    FOLDER.mkdir(exist_ok=True)
    np.savez_compressed(FOLDER / f"{function.name}.npz", about=np.array(json.dumps(about)), **arrays)


def load(name: str) -> tuple[str, list[Group]]:
    """(fingerprint, groups); an empty fingerprint where there is no table."""
    path = FOLDER / f"{name}.npz"
    if not path.exists():
        return "", []
    with np.load(path) as file:
        about = json.loads(str(file["about"]))
        groups = [
            Group(
                g["statics"],
                g["complex"],
                file[f"points{k}"],
                [tuple(i) for i in g["indices"]],
                file[f"high{k}"],
                file[f"low{k}"],
            )
            for k, g in enumerate(about["groups"])
        ]
    return about["fingerprint"], groups

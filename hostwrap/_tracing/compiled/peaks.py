"""Prominences and widths of peaks, as `scipy.signal._peak_finding_utils` computes them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from hostwrap._tracing.compiled.table import computes, stacked


def _array(numbers: list) -> Any:
    return stacked(numbers) if numbers else np.zeros(0)


def _base(x: Any, peak: int, places: Iterable[int]) -> tuple[int, Any]:
    """Where the signal is lowest on the way to a higher peak, or to the end."""
    base, lowest = peak, x[peak]
    for i in places:
        if not x[i] <= x[peak]:
            break
        if x[i] < lowest:
            base, lowest = i, x[i]
    return base, lowest


@computes("signal._peak_finding_utils._peak_prominences")
def peak_prominences(x: Any, peaks: Any, wlen: int) -> tuple:
    found, bases = [], np.zeros((2, len(peaks)), np.intp)
    reach = int(wlen) // 2 if wlen >= 2 else len(x)
    for k, peak in enumerate(map(int, peaks)):
        first, last = max(peak - reach, 0), min(peak + reach, len(x) - 1)
        bases[0, k], left = _base(x, peak, range(peak, first - 1, -1))
        bases[1, k], right = _base(x, peak, range(peak, last + 1))
        found.append(x[peak] - (left if left > right else right))
    return _array(found), bases[0], bases[1]


def _crossing(x: Any, peak: int, base: int, height: Any) -> Any:
    """Where the line between two samples reaches the height."""
    step, i = (-1 if base < peak else 1), peak
    while i != base and height < x[i]:
        i += step
    return i - step * (height - x[i]) / (x[i - step] - x[i]) if x[i] < height else i + 0.0 * height


@computes("signal._peak_finding_utils._peak_widths")
def peak_widths(x: Any, peaks: Any, rel_height: float, prominences: Any, lefts: Any, rights: Any) -> tuple:
    rows: list[list] = [[], [], []]
    for peak, prominence, left, right in zip(map(int, peaks), prominences, lefts, rights, strict=True):
        height = x[peak] - prominence * rel_height
        for row, value in zip(
            rows,
            (height, *(_crossing(x, peak, int(base), height) for base in (left, right))),
            strict=True,
        ):
            row.append(value)
    heights, left_ips, right_ips = map(_array, rows)
    return right_ips - left_ips, heights, left_ips, right_ips

"""What `testing.check` found: one row for each comparison, and words for what is likely wrong."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterator

import jax
import numpy as np

from hostwrap._errors import MissingDerivative
from hostwrap._lanes.faults import last_error
from hostwrap.testing._html import table

FAILED = "FAILED"


@dataclasses.dataclass(frozen=True)
class Row:
    """One comparison: its largest relative error, or why it was not made."""

    check: str
    argument: str
    error: float | None
    note: str = ""

    def cells(self) -> tuple[str, str, str, str]:
        error = "" if self.error is None else f"{self.error:.1e}"
        return self.check, self.argument, error, self.note

    def __str__(self) -> str:
        check, argument, error, note = self.cells()
        return f"  {check:<34} {argument:<16} {error:>8}  {note}".rstrip()


class Report:
    """Every check that was made, with its largest relative error: `print` it; a notebook shows a table.

    >>> import hostwrap as hw
    >>> report = hw.testing.check(hw.special.ndtr, 0.3, order=1)
    >>> print(len(report.failures))
    0
    """

    def __init__(self, function: str, arguments: str, rtol: float) -> None:
        self.function, self.arguments, self.rtol = function, arguments, rtol
        self.rows: list[Row] = []
        self.failures: list[str] = []

    def __str__(self) -> str:
        return "\n".join([self._head(), *map(str, self.rows)])

    def _repr_html_(self) -> str:
        rows = [(row.cells(), row.note == FAILED) for row in self.rows]
        return table(self._head(), ("check", "argument", "error", ""), rows)

    def _head(self) -> str:
        return f"{self.function}({self.arguments}): {len(self.rows)} checks, {len(self.failures)} failed"

    def note(self, check: str, argument: str, text: str) -> None:
        self.rows.append(Row(check, argument, None, text))

    def compare(
        self,
        check: str,
        argument: str,
        got: np.ndarray,
        expected: np.ndarray,
        allowed: np.ndarray,
        along: str = "",
    ) -> None:
        """Flat arrays; `allowed` is the tolerance of each element, inf where nothing can be said."""
        unsure = ~np.isfinite(allowed)
        with np.errstate(all="ignore"):
            same = (got == expected) | (np.isnan(got) & np.isnan(expected)) | unsure
            off = np.where(same, 0.0, np.abs(got - expected))
            bad = ~same & ~(off <= allowed)
            relative = np.where(same, 0.0, np.nan_to_num(off / np.abs(expected), nan=np.inf))
        largest = float(np.max(relative, initial=0.0))
        if not bad.any():
            note = (
                f"inconclusive: no numerical derivative for {unsure.sum()} of {got.size}"
                if unsure.any()
                else ""
            )
            self.rows.append(Row(check, argument, largest, note))
            return
        worst = int(np.argmax(np.where(bad, relative, -1.0)))
        element = f" (element {worst} of {got.size})" if got.size > 1 else ""
        lines = [
            f"got      {got[worst]:.10g}{element}",
            f"expected {expected[worst]:.10g} (within {allowed[worst]:.1e})",
            along,
            f"likely   {diagnosis(got[bad], expected[bad])}",
        ]
        self.fail(check, argument, "\n".join(filter(None, lines)), largest)

    def fail(self, check: str, argument: str, details: str, error: float | None = None) -> None:
        self.rows.append(Row(check, argument, error, FAILED))
        place = f" with respect to `{argument}`" if argument else ""
        indented = details.replace("\n", "\n    ")
        self.failures.append(
            f"{self.function}: {check}{place}\n    {indented}\n    at       {self.arguments}"
        )

    @contextlib.contextmanager
    def attempt(self, check: str, argument: str, hint: Callable[[Exception], str]) -> Iterator[None]:
        """A missing derivative is reported; any other exception is a failure of this check."""
        try:
            yield
        except Exception as raised:
            error = _original(raised)
            if isinstance(error, MissingDerivative):
                self.note(check, argument, f"none, and says so: {str(error).partition('. If')[0]}")
                return
            text = f"raised   {type(error).__name__}: {error}\nlikely   {hint(error)}"
            self.fail(check, argument, text)

    def conclude(self, raises: bool) -> Report:
        if self.failures and raises:
            raise AssertionError("\n".join([*self.failures, "", str(self)]))
        return self


def _original(error: Exception) -> Exception:
    """XLA turns the exception of a host function into text; this is the exception itself."""
    failure = last_error() if isinstance(error, jax.errors.JaxRuntimeError) else None
    original = getattr(failure, "__cause__", None) or failure
    return original if isinstance(original, Exception) and str(original) in str(error) else error


def diagnosis(got: np.ndarray, expected: np.ndarray) -> str:
    """What mistake makes these numbers of those."""
    if not np.isfinite(got).all():
        return "NaN or inf of 0/0 or overflow in the rule; `where` needs safe values in both branches"
    if not got.any():
        return "a silent zero: the partial is missing from the rule, or something in it stops the gradient"
    if _close(got, -expected):
        return "the sign: this is minus the right value"
    if np.iscomplexobj(expected) and _close(got, np.conj(expected)):
        return "a conjugate: this is the conjugate of the right value"
    with np.errstate(all="ignore"):
        ratio = got / expected
    if np.isfinite(ratio).all() and _close(ratio, ratio[0] + 0 * ratio):
        return f"a factor (or a term, if it is no round number): this is {ratio[0]:.6g} times the right value"
    return "the formula: the ratio to the right value differs from element to element"


def _close(a: np.ndarray, b: np.ndarray) -> bool:
    return bool(np.allclose(a, b, rtol=1e-4, atol=0.0))

"""A report as a table for notebooks: no colours but for what failed, so that light and dark themes both do."""

from __future__ import annotations

import html
from collections.abc import Iterable

_CELL = 'style="text-align: left; padding: 0.1em 0.8em"'
_FAILED = 'style="color: #d13438; font-weight: bold"'


def table(title: str, head: Iterable[str], rows: Iterable[tuple[Iterable[str], bool]]) -> str:
    """Rows are their cells, and whether they tell of a failure."""
    lines = [_row("th", head, "")]
    lines += [_row("td", cells, _FAILED if failed else "") for cells, failed in rows]
    return f"<div><p>{html.escape(title)}</p><table>{''.join(lines)}</table></div>"


def _row(tag: str, cells: Iterable[str], style: str) -> str:
    inside = "".join(f"<{tag} {_CELL}>{html.escape(cell)}</{tag}>" for cell in cells)
    return f"<tr {style}>{inside}</tr>" if style else f"<tr>{inside}</tr>"

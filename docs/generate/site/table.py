"""The table of special functions: a row for each argument; DataTables sorts and filters it in the browser."""

from __future__ import annotations

import html

from docs.generate.site.accuracy import error, rows
from docs.generate.site.groups import families, family, title
from hostwrap.special._function import Special
from tests.reference.composed import measured

HEADS = ("function", "argument", "derivative", "numbers", "value", "first", "second", "family", "source")
ERRORS = ("value", "first", "second")
PAGE = """---
html_theme.sidebar_secondary.remove: true
---

# Special functions: find one

Every argument of every function: what derivative there is, and the largest relative errors in double precision against
references of fifty digits (for real arguments; [how they are measured](../validation.md)). Words narrow the list: a
name, a family, a DLMF number, `complex`, `missing`. A click on a heading sorts.
The data are {{download}}`support.csv <../support.csv>`.

```{{raw}} html
<link rel="stylesheet" href="../_static/dt_bundle.css">
<script type="module" src="../_static/functions.js"></script>
<div class="hw-filter" hidden>
<input id="hw-words" type="search" placeholder="bessel complex 10.6" aria-label="words to search for">
<span id="hw-count" aria-live="polite"></span>
</div>
<div class="hw-wide">
<table id="hw-table" class="table">
<thead><tr>{heads}</tr></thead>
<tbody>
{body}
</tbody>
</table>
</div>
```
"""
KINDS = {"partial": "formula", "kernel": "numerical method", "composed": "rules of other functions"}


def page() -> str:
    body = [_row(function, row) for function in _public() for row in rows().get(function.name, ())]
    return PAGE.format(heads="".join(f"<th>{head}</th>" for head in HEADS), body="\n".join(body))


def _public() -> list[Special]:
    return [function for function in measured().values() if function.public]


def _row(function: Special, row: dict[str, str]) -> str:
    place, where = family(function), f"special/{function.name}.html"
    kind = KINDS.get(row["kind"], row["kind"])
    cells = [
        f'<a href="{where}"><code>{function.name}</code></a>',
        f"<code>{row['argument']}</code>",
        f"{kind}: {html.escape(row['reason'])}" if row["reason"] else kind,
        "real, complex" if row["complex"] == "True" else "integer" if kind == "discrete" else "real",
        html.escape(title(place)) if place in families() else "SciPy's own",
        html.escape(row["source"]),
    ]
    cells[4:4] = (_largest(row, order) for order in ERRORS)
    return f"<tr>{''.join(f'<td{_sorted(cell)}>{cell}</td>' for cell in cells)}</tr>"


def _sorted(cell: str) -> str:
    """Infinity is the largest number; DataTables would take it for a word."""
    return ' data-order="9e99"' if cell == "inf" else ""


def _largest(row: dict[str, str], order: str) -> str:
    if row["kind"] in ("discrete", "missing") and order != "value":
        return ""
    return error(row, order, "float64").partition(" ")[0]

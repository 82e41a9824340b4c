"""What the pages of docs/ have that is computed: `python -m docs.generate.NAME` writes it, `make table` all of it."""

import pathlib

DOCS = pathlib.Path(__file__).resolve().parents[1]
ROOT = DOCS.parent

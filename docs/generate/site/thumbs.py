"""The thumbnails of the gallery: the first picture that each notebook drew, when the site has been built."""

from __future__ import annotations

import pathlib
import re
import shutil

FIRST = re.compile(r'<img [^>]*src="\.\./_images/([^"]+\.png)"')


def copy(site: pathlib.Path) -> None:
    """From the built pages of notebooks; a page without a picture, such as one that was not run, has none."""
    folder = site / "_static" / "thumbs"
    folder.mkdir(parents=True, exist_ok=True)
    for page in (site / "notebooks").glob("*.html"):
        if found := FIRST.search(page.read_text(encoding="utf-8")):
            shutil.copy(site / "_images" / found[1], folder / f"{page.stem}.png")

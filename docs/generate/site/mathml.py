"""A Sphinx extension: formulas as MathML, which browsers show by themselves; no script, nothing from elsewhere."""

from __future__ import annotations

import re
from typing import Any

from docutils.nodes import SkipNode
from latex2mathml.converter import convert
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)
WORDS = (  # what the converter does not know, in words that it does
    (r"\\operatorname\*?\{((?:[^{}]|\\_)*)\}", lambda m: rf"\text{{{m[1]}}}"),
    (r"\\text\{([^{}]*)\}", lambda m: rf"\text{{{m[1].replace(chr(92) + '_', '_')}}}"),
    (r"\\(begin|end)\{aligned\}", lambda m: rf"\{m[1]}{{split}}"),
    (r"\\(begin|end)\{align\}", lambda m: rf"\{m[1]}{{align*}}"),
)


def mathml(latex: str, display: str) -> str:
    for pattern, replacement in WORDS:
        latex = re.sub(pattern, replacement, latex)
    found = convert(latex, display=display)
    if unknown := re.search(r">\\[A-Za-z]+<", found):
        LOGGER.warning("no MathML for %s in %s", unknown[0][1:-1], latex)
    return found


def _inline(translator: Any, node: Any) -> None:
    translator.body.append(mathml(node.astext(), "inline"))
    raise SkipNode


def _block(translator: Any, node: Any) -> None:
    translator.body.append(f'<div class="hw-scroll">{mathml(node.astext(), "block")}</div>')
    raise SkipNode


def setup(app: Any) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}

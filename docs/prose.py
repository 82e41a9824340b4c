"""Plain English: `python -m docs.prose` lists what a reader of the pages and docstrings may stumble over.

A sentence has one idea, so it is short. Some words are ours and nobody else's; `WORDS` says what to write instead.
Code, tables and what is generated are left out. `make lint` runs this and `codespell`.
"""

from __future__ import annotations

import ast
import pathlib
import re
import sys
from collections.abc import Iterator

ROOT = pathlib.Path(__file__).resolve().parents[1]
LONGEST = 40  # words of a sentence
PAGES = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md")
WORDS = {
    r"\bbesides?\b": "next to, compared with, in addition to",
    r"\bthe same by hand\b": "a hand-written version",
    r"\b(?:be|is|are|was|were) had\b": "exists, is available",
    r"\bthere (?:is|are) none\b": "it has none",
    r"\b(?:is|are) there\b(?=[.,;:)]|$)": "exists, is available, is installed",
    r"\basked of\b": "applied to, required of",
    r"\bthe same of\b": "the same for",
    r"\bgoes? to the host\b": "calls the host",
    r"\bat its word\b": "as written",
    r"\bnobody differentiates in\b": "that needs no derivative",
}
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
GENERATED = re.compile(r"<!--.*?-->", re.DOTALL)
SENTENCE = re.compile(r"(?<=[.?!])[)\"*]*\s+(?=[A-Z`*\[(])")


def remarks(text: str) -> Iterator[str]:
    """What to change in a plain text or a page in Markdown."""
    for sentence in sentences(text):
        count = len(re.findall(r"[\w`'-]+", sentence))
        if count > LONGEST:
            yield f"{count} words, at most {LONGEST}: {sentence[:80]} ..."
        for word, instead in WORDS.items():
            for found in re.findall(word, sentence, re.IGNORECASE):
                yield f"{found!r}: say {instead}: {_around(sentence, found)}"


def sentences(text: str) -> Iterator[str]:
    text = GENERATED.sub("", FENCE.sub("", text))
    text = re.sub(
        r"^(\|.*|#+ .*|    .*|---+|>>> .*)$", "", text, flags=re.MULTILINE
    )  # tables, headings, code
    for paragraph in re.split(r"\n\s*\n|^\s*(?:[*-]|\d+\.)\s", text, flags=re.MULTILINE):
        flat = " ".join(re.sub(r"\]\([^)]*\)", "]", paragraph).split())
        yield from filter(None, SENTENCE.split(re.sub(r"`[^`]*`|\$[^$]*\$", "`x`", flat)))


def _around(sentence: str, found: str) -> str:
    start = max(sentence.find(found) - 30, 0)
    return sentence[start : start + 70 + len(found)]


def texts() -> Iterator[tuple[str, str]]:
    """Pages, and docstrings of what public modules export, with the places where they stand."""
    pages = [ROOT / name for name in PAGES]
    pages += sorted(p for p in (ROOT / "docs").rglob("*.md") if "_generated" not in p.parts)
    for page in pages:
        yield str(page.relative_to(ROOT)), page.read_text(encoding="utf-8")
    for module in sorted((ROOT / "hostwrap").rglob("*.py")):
        tree = ast.parse(module.read_text(encoding="utf-8"))
        exported = _exported(tree)
        for node in [*tree.body, *(n for c in tree.body if isinstance(c, ast.ClassDef) for n in c.body)]:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name in exported:
                yield f"{module.relative_to(ROOT)}:{node.lineno}", ast.get_docstring(node) or ""


def _exported(tree: ast.Module) -> set[str]:
    """The names in `__all__`."""
    lists = (
        n.value for n in tree.body if isinstance(n, ast.Assign) and ast.unparse(n.targets[0]) == "__all__"
    )
    return {e.value for value in lists for e in getattr(value, "elts", ()) if isinstance(e, ast.Constant)}


def main() -> None:
    found = [f"{place}: {remark}" for place, text in texts() for remark in remarks(text)]
    print("\n".join(found) or "The prose is plain.")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()

"""The pages of the site in their order, and what is done to them on the way there."""

from __future__ import annotations

import re

# The plain pages of docs/ are read on GitHub, too, so the table of contents is here.
CONTENTS = {
    "First steps": [
        "start",
        "howto",
        "faq",
        "installation",
        "decorator",
        "automatic",
        "patch",
        "rules",
        "errors",
        "migration",
    ],
    "More rules": ["implicit", "numerical", "recipes", "resources", "flavours", "calls"],
    "Special functions": [
        "special",
        "_generated/functions",
        "_generated/families",
        "reading",
        "accuracy",
        "validation",
        "stats",
        "scipy",
    ],
    "Notebooks": ["notebooks/index"],
    "Running": [
        "benchmark",
        "costs",
        "solvers",
        "gpu",
        "sharding",
        "stress",
        "pitfalls",
        "_generated/security",
    ],
    "Inside": ["design", "add", "_generated/families/kernels", "_generated/contributing"],
    "Reference": ["_generated/api", "_generated/changelog", "related", "glossary"],
}
FRONT = "---\nfile_format: mystnb\nkernelspec:\n  name: python3\n---\n"
OUTSIDE = ("SECURITY", "CONTRIBUTING", "CHANGELOG")  # beside the README; copied to _generated/
JITTED = "## Jitted calls\n"  # of the benchmark
BLOCK = re.compile(r"^```python\n(.*?)^```$(\n\n```text\n.*?^```$)?", re.MULTILINE | re.DOTALL)
PROMISE = re.compile(r"^( *print\(.*\))  # .+$", re.MULTILINE)


TITLE = re.compile(r"^(# .+)$", re.MULTILINE)
DOWNLOAD = "{{download}}`Download this page as a notebook (.ipynb) <../_generated/{name}.ipynb>`"
STORY = re.compile(r"^\* \[(.+)\]\((\w+)\.md\):? ((?:.+\n)(?:  .+\n)*)", re.MULTILINE)
CARD = """:::{{grid-item-card}} {title}
:link: {name}
:link-type: doc

<img class="hw-thumb" src="../_static/thumbs/{name}.png" alt="the first picture of this notebook" loading="lazy">

{words}
:::

"""


def mixed(names: list[str]) -> list[str]:
    """The names of pages in the order in which Sphinx reads them, so that its processes have equal work.

    Sphinx cuts the list into some ten pieces. In the order of the alphabet one of them has all notebooks and nearly all
    pages whose code is run. Here each folder is spread over the list; pages with code, which are slow, are denser
    at its front, because the processes end together if the large pieces come first.
    """
    folders: dict[str, list[str]] = {}
    for name in sorted(names):
        folders.setdefault(name.rpartition("/")[0], []).append(name)
    places = {}
    for folder, inside_it in folders.items():
        power = 1.0 if folder.startswith("_generated") else 1.5
        places |= {name: ((i + 0.5) / len(inside_it)) ** power for i, name in enumerate(inside_it)}
    return sorted(places, key=lambda name: (places[name], name))


def gallery(text: str) -> str:
    """The list of notebooks as cards with thumbnails, which are taken from the notebooks when they have been run."""
    cards = [CARD.format(title=s[1], name=s[2], words=_sentence(s[3])) for s in STORY.finditer(text)]
    before, after = STORY.split(text)[0], STORY.split(text)[-1]
    grid = "::::{grid} 1 2 2 3\n:gutter: 3\n\n" + "".join(cards) + "::::\n"
    return f"---\nhtml_theme.sidebar_secondary.remove: true\n---\n{before}{grid}{after}"


def _sentence(text: str) -> str:
    words = " ".join(text.split())
    return words[:1].upper() + words[1:]


def executed(text: str) -> str:
    """A page whose Python blocks are run when the site is built: they show what they print, not what is promised."""
    if not BLOCK.search(text):
        return text
    return FRONT + BLOCK.sub(_cell, text)


def _cell(block: re.Match) -> str:
    code = PROMISE.sub(lambda line: line[1], block[1])
    return f"```{{code-cell}} python3\n{code}```"


def prepared(name: str, text: str, exists: set[str]) -> str:
    """What Sphinx reads of a page: code that is run, links that stay inside, the contents on the first page."""
    if name == "notebooks/index":
        return gallery(text)
    if name.startswith("notebooks/"):
        return TITLE.sub(rf"\1\n\n{DOWNLOAD.format(name=name)}", text, count=1)
    if "/" in name:
        return text
    for outside in OUTSIDE:
        text = text.replace(f"(../{outside}.md", f"(_generated/{outside.lower()}.md")
    text = text.replace("(support.md)", "(_generated/functions.md)")  # the same, to be searched
    if name == "benchmark":
        text = text.replace(
            JITTED, f"{JITTED}\n{pictures('_generated/jitted', 'the table below, drawn')}\n", 1
        )
    return executed(text) + (contents(exists) if name == "index" else "")


def pictures(path: str, alt: str) -> str:
    """The one for light pages, and the one for dark ones."""
    image = "```{{image}} {0}-{1}.svg\n:alt: {2}\n:class: only-{1}\n```"
    return "\n\n".join(image.format(path, theme, alt) for theme in ("light", "dark"))


def escaped(text: str) -> str:
    """Plain text without a meaning for Markdown, but for code."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(p if i % 2 else re.sub(r"([*_<$|\[])", r"\\\1", p) for i, p in enumerate(parts))


def inside(text: str) -> str:
    """A page from outside of docs/, with its links as they are from docs/_generated/; to code there are none."""

    def link(found: re.Match) -> str:
        label, target = found.groups()
        path, _, anchor = target.partition("#")
        name = path.removesuffix(".md")
        if target.startswith(("https://", "#")):
            return found[0]
        if path.startswith("docs/"):
            return f"[{label}](../{target.removeprefix('docs/')})"
        places = {**{outside: f"{outside.lower()}.md" for outside in OUTSIDE}, "README": "../index.md"}
        return f"[{label}]({'#'.join(filter(None, [places[name], anchor]))})" if name in places else label

    return re.sub(r"\[([^\]]+)\]\(([^)\s]+)\)", link, text)


def contents(exists: set[str]) -> str:
    """The tables of contents, of pages that are there."""
    trees = []
    for caption, names in CONTENTS.items():
        present = [name for name in names if name in exists]
        if present:
            lines = "\n".join(present)
            trees.append(f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n:maxdepth: 2\n\n{lines}\n```\n")
    return "".join(trees)

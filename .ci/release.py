"""Say what is missing before a release: `python .ci/release.py`; the exit status is the number of things.

The address of the repository stands in one place, `[project.urls] Repository` in pyproject.toml. While it is not there,
nothing else invents one; once it is, the files that name an address must agree with it.
"""

from __future__ import annotations

import pathlib
import re
import sys
import tomllib
from collections.abc import Collection

ROOT = pathlib.Path(__file__).resolve().parents[1]


def missing(read, fragments: Collection[str] = ()) -> list[str]:
    """What stands between the files, as `read(name)` has them, and a release; `fragments` are those in changes/."""
    project = tomllib.loads(read("pyproject.toml"))["project"]
    version = re.search(r'__version__ = "(.+)"', read("hostwrap/_version.py")).group(1)
    address = project.get("urls", {}).get("Repository", "")
    citation, changes = read("CITATION.cff"), read("CHANGELOG.md")
    found = []
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        found.append(f"hostwrap/_version.py: {version} is no version of three numbers")
    if not address.startswith("https://"):
        found.append("pyproject.toml: [project.urls] has no Repository")
    elif f'repository-code: "{address}"' not in citation:
        found.append(f"CITATION.cff: repository-code is not {address}")
    if not any("email" in author for author in project["authors"]):
        found.append("pyproject.toml: no author has an e-mail address, which a package index shows")
    if not re.search(r"^date-released: ", citation, re.MULTILINE):
        found.append("CITATION.cff: there is no date-released")
    heading = re.search(rf"^## \[{re.escape(version)}\] - (.+)$", changes, re.MULTILINE)
    if not heading:
        found.append(f"CHANGELOG.md: there is no section [{version}]")
    elif not re.fullmatch(r"\d{4}-\d\d-\d\d", heading.group(1)):
        found.append(f"CHANGELOG.md: the section [{version}] has no date, but {heading.group(1)!r}")
    if re.search(r"^## \[Unreleased\]\s*\n+[^#\s]", changes, re.MULTILINE):
        found.append("CHANGELOG.md: there are changes under [Unreleased]")
    if fragments:
        found.append(f"changes/: {len(fragments)} changes are not in CHANGELOG.md yet: make news RELEASE=1")
    if re.search(r"\]\((?!https?:)[\w/.-]+\)", read("README.md")) and not address:
        found.append("README.md: its links lead nowhere on a package index without that Repository")
    return found


def main() -> None:
    fragments = [path.name for path in (ROOT / "changes").glob("+*.md")]
    found = missing(lambda name: (ROOT / name).read_text(encoding="utf-8"), fragments)
    print("\n".join(found) or "Nothing is missing in the files.")
    print("Then: make test-lanes test-versions sanitize test-installed docs. A tag v* publishes the wheels.")
    sys.exit(len(found))


if __name__ == "__main__":
    main()

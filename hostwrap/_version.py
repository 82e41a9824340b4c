"""The version, in one place: the build, CITATION.cff and CHANGELOG.md follow it."""

__version__ = "0.1.0"

"""Tests, in the folders of `hostwrap` that they are about; `repo` and `system` are about what crosses these.

Harness, which others import: `_kit` (toys and constructs of the engine's tests), `reference` (mpmath's numbers, and
what is measured against them), `sharding` (cases on eight devices), `fuzz` and `stress` (which run as long as you say).
"""

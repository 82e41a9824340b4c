"""The linter of prose finds what it should, and leaves code and tables alone."""

import pytest

from docs.prose import LONGEST, remarks

LONG = "It " + "very " * LONGEST + "long."


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (LONG, f"{LONGEST + 2} words"),
        (f"Short. {LONG} Short.", f"{LONGEST + 2} words"),
        (f"* one\n* {LONG}\n", f"{LONGEST + 2} words"),
        ("The rule stands beside it.", "'beside': say next to"),
        ("It takes an error, if one can be had.", "'be had': say exists"),
    ],
)
def test_what_a_reader_stumbles_over_is_found(text, says):
    (remark,) = remarks(text)
    assert says in remark


@pytest.mark.parametrize(
    "text",
    [
        "One idea. Another one.",
        f"```python\n# {LONG}\n```",
        f"| a | {LONG} |",
        "`the rule beside it` is code.",
        "<!-- beside -->",
        "* " + "word " * (LONGEST - 10) + "\n* " + "word " * (LONGEST - 10),
    ],
)
def test_what_is_plain_is_left_alone(text):
    assert not list(remarks(text))

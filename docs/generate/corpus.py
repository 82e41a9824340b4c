"""`python -m docs.generate.corpus` writes into docs/automatic.md what came of the functions of the corpus.

The outcomes are made by `python -m tests.tracing.corpus --accept`.
"""

from __future__ import annotations

import collections

from docs.generate import DOCS, with_part
from tests.tracing.corpus.ledger import read
from tests.tracing.corpus.runner import WORKS, Outcome

PAGE = DOCS / "automatic.md"
BEGIN, END = "<!-- corpus: written by docs.generate.corpus -->\n", "<!-- end of corpus -->\n"
WAYS = (*WORKS, "refused", "nan", "rough", "slow", "wrong")
CAUSES = {  # words of a refusal, the first that fits
    "would be wrong": "the traced value is another one",
    "a random number": "random numbers",
    "is compiled code": "compiled code",
    "compiled code wants": "compiled code",
    "has no twin": "compiled code",
    "C code asks": "compiled code",
    "a length that depends": "a length that depends on numbers",
    "a branch": "a branch by numbers, in code that cannot be recorded",
}


def cause(outcome: Outcome) -> str:
    return next(
        (cause for words, cause in CAUSES.items() if words in outcome.why), "something else in the code"
    )


def table() -> str:
    outcomes = read()
    rows: dict[str, collections.Counter] = {}
    for row, outcome in outcomes.items():
        rows.setdefault(row.partition(":")[0], collections.Counter())[outcome.way] += 1
    whole = sum(rows.values(), collections.Counter())
    works, seconds = sum(whole[way] for way in WORKS), [o.second for o in outcomes.values() if o.second]
    shown = [way for way in WAYS if whole[way] or way in ("refused", "wrong")]
    lines = [
        f"Of {len(outcomes)} functions {works} work ({works / len(outcomes):.0%}), {whole['wrong']} are wrong. Second",
        f"derivatives of {len(seconds)} were tried: {seconds.count('right')} are right,",
        f"{seconds.count('refused')} are refused.",
        "",
        f"| functions from | all | {' | '.join(shown)} |",
        f"|---|{'---|' * (len(shown) + 1)}",
    ]
    for name, counts in [*rows.items(), ("all", whole)]:
        numbers = " | ".join(str(counts[way]) for way in shown)
        lines.append(f"| {name} | {sum(counts.values())} | {numbers} |")
    refused: dict[str, list[str]] = {}
    for row, outcome in outcomes.items():
        if outcome.way == "refused":
            refused.setdefault(cause(outcome), []).append(row.partition(": ")[2])
    lines += ["", "| refused because of | functions |", "|---|---|"]
    lines += [
        f"| {why} | {', '.join(f'`{name}`' for name in names)} |"
        for why, names in sorted(refused.items(), key=lambda item: -len(item[1]))
    ]
    return "\n".join(lines) + "\n"


def page(text: str) -> str:
    """The page with the tables as they are today."""
    return with_part(text, BEGIN, table(), END)


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")

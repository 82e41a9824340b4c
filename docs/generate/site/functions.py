"""A page for each function of `hostwrap.special`."""

from __future__ import annotations

import inspect

import hostwrap.special
from docs.generate.site import domains, plots, scatter
from docs.generate.site.accuracy import oracles, table
from docs.generate.site.definition import definition, scipys
from docs.generate.site.examples import example
from docs.generate.site.groups import members, title
from docs.generate.site.pages import escaped, pictures
from docs.generate.site.rules import rules
from hostwrap._table.partials import Unknown
from hostwrap.special._doc import summary
from hostwrap.special._function import Special
from tests.reference.composed import measured
from tests.reference.entries import has_complex, is_integer

MADE = "This function calls other functions, and JAX differentiates it by [their rules](../../special.md#derivatives)."


def page(name: str, family: str) -> str:
    """What a public function is, how it is called, its derivatives, and how accurate they are."""
    function = measured().get(name)
    others = ", ".join(f"[`{other}`]({other}.md)" for other in members()[family] if other != name)
    links = [
        f"[{title(family)}](../families/{family}.md)",
        scipys(name),
        "[How to read this page](../../reading.md)",
    ]
    parts = [f"# {name}", said(name), " · ".join(filter(None, links))]
    if function:
        parts += ["## Definition", definition(function)]
    if made := example(name, function):
        parts += ["## Example", made]
    if function:
        parts += ["## Plot", pictures(f"plots/{name}", plots.words(function))]
        parts += ["## Arguments", arguments(function)]
    derivatives = rules(function) if isinstance(function, Special) else MADE
    parts += ["## Derivatives", derivatives or "It has no derivatives."]
    if function and (errors := table(function)):
        parts += ["## Accuracy", errors, oracles(function)]
    if scatter.has(name):
        parts.append(pictures(f"errors/{name}", f"errors of {name} and their condition numbers"))
    if domains.has(name):
        parts += ["## Where the derivative is right", pictures(f"domains/{name}", domains.words(name))]
        parts.append(domains.table(name))
    return "\n\n".join(filter(None, [*parts, others and f"## See also\n\n{others}"])) + "\n"


def said(name: str) -> str:
    """The signature, which other sites can link to, and what the function says of itself."""
    function = measured().get(name)
    if not isinstance(function, Special):
        return f"```{{eval-rst}}\n.. autofunction:: hostwrap.special.{name}\n```"
    outs = ", ".join(f"`{out}`" for out in function.outs)
    text = f"{one_line(name)}\n\nReturns a namedtuple ({outs})." if outs else one_line(name)
    return f"```{{py:function}} hostwrap.special.{name}{function.__signature__}\n```\n\n{text}"


def one_line(name: str) -> str:
    """The first line that a function says of itself."""
    function = measured().get(name)
    if isinstance(function, Special):
        return escaped(summary(function))
    return escaped((inspect.getdoc(getattr(hostwrap.special, name)) or name).partition("\n")[0])


def arguments(function: Special) -> str:
    lines = ["| argument | kind | tested in | derivative |", "|---|---|---|---|"]
    lines += [_argument(function, a) for a in function.args]
    lines += [f"| `{s}` | a Python value | | a constant of the compiled program |" for s in function.statics]
    support = f"Complex arguments: {'yes' if has_complex(function) else 'no'}."
    points = ", ".join(f"({', '.join(f'{x:g}' for x in p)})" for p in function.at)
    return "\n".join(lines) + f"\n\n{support}" + (f" Special points tested: `{points}`." if points else "")


def _argument(function: Special, a: str) -> str:
    box, rule = function.boxes[a], function.rules[a]
    if is_integer(function, a):
        return f"| `{a}` | integer | [{box.low}, {box.high}] | none: an integer |"
    kind = f"real, or complex with imaginary parts up to {box.im:g}" if box.im else "real"
    derivative = f"**missing**: {rule.why}" if isinstance(rule, Unknown) else "yes"
    return f"| `{a}` | {kind} | [{box.low:g}, {box.high:g}] | {derivative} |"

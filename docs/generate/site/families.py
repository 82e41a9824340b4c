"""A page for each family of special functions, from the entries: formulas, domains, sources, accuracy."""

from __future__ import annotations

import inspect
import re
import sys

from docs.generate.site import scatter
from docs.generate.site.accuracy import table
from docs.generate.site.docstrings import markdown, signature
from docs.generate.site.groups import families, made_of_others
from docs.generate.site.pages import pictures
from docs.generate.site.rules import rules
from docs.generate.site.sources import linked
from hostwrap._table.partials import Unknown
from hostwrap.special import _families
from hostwrap.special._doc import summary
from hostwrap.special._function import Special
from hostwrap.special._source import body
from tests.reference.entries import has_complex, is_integer

LEGEND = """
In the formulas $y$ is the value. Numbers that a rule puts in place of others where another case holds, and "NaN where
the value is NaN", are left out; statics have their defaults. Words in upright letters are kernels, numerical methods of
hostwrap's own, or other functions of `hostwrap.special`.

The last picture of a function shows each test point: its error in units in the last place over its condition number.
The line is what half a unit in each argument and the rounding of the result make; nobody who gets rounded numbers can
promise to stay below it. Errors of 0 lie on the lower edge. The value is SciPy's own.
"""
LONGEST = 60  # of a title
CAPTION = "*Largest (full) and median (small) relative errors at the test points, in double precision.*"


def title(name: str) -> str:
    """The first line of the family's module, or as much of it as makes a title."""
    line = _module_doc(name).splitlines()[0].rstrip(".")
    short = line.partition(": ")[0]
    return (
        short if len(short) <= LONGEST else re.split(r"[.;] |, (?:and|of|with|as|prolate|their) ", short)[0]
    )


def page(name: str) -> str:
    """The page of a family: its public functions, then its kernels."""
    public = [f for f in families()[name] if f.public]
    kernels = [f for f in families()[name] if not f.public]
    first, *rest = _module_doc(name).splitlines()
    about = markdown("\n".join(rest if first.rstrip(".") == title(name) else [first, *rest]).strip())
    parts = [f"# {title(name)}", about, LEGEND]
    if public:
        shown = pictures(f"pictures/{name}", "relative errors, also in the tables below")
        parts += [shown, CAPTION, *map(_function, public)]
    for function_name, function in made_of_others().get(name, {}).items():
        parts += [f"## {function_name}", f"`hostwrap.special.{function_name}{signature(function)}`"]
        parts.append(markdown(inspect.getdoc(function) or ""))
    if kernels:
        parts += ["## Kernels", "Used by rules, of this page or another one; with rules of their own."]
    return "\n\n".join(filter(None, [*parts, *map(_kernel, kernels)])) + "\n"


def _module_doc(name: str) -> str:
    module = next(module for module in _families.modules() if _families.page(module) == name)
    return inspect.getdoc(sys.modules[module]) or name


def _function(function: Special) -> str:
    parts = [f"## {function.name}", f"`hostwrap.special.{function.name}{function.__signature__}`"]
    parts.append(summary(function).replace("*", r"\*"))
    if function.outs:
        parts.append(f"Returns a namedtuple ({', '.join(f'`{out}`' for out in function.outs)}).")
    parts += [_arguments(function), rules(function), f"Source: {linked(function.see)}.", table(function)]
    if scatter.has(function.name):
        parts.append(
            pictures(f"errors/{function.name}", f"errors of {function.name} beside condition numbers")
        )
    return "\n\n".join(filter(None, parts))


def _kernel(function: Special) -> str:
    said = inspect.getdoc(function.host) or inspect.getdoc(inspect.getmodule(function.host)) or ""
    what = said.split("\n\n")[0].replace("\n", " ")
    parts = [
        f"### {function.name}",
        f"`{function.name}{function.__signature__}`",
        f"`{what}`" if what else "",
    ]
    parts += [f"Defined in the tests as `{body(function.ref)}`.", rules(function)]
    return "\n\n".join(filter(None, [*parts, f"Source: {linked(function.see)}."]))


def _arguments(function: Special) -> str:
    lines = ["| argument | | tested in | derivative |", "|---|---|---|---|"]
    lines += [_argument(function, a) for a in function.args]
    lines += [f"| `{s}` | a Python value | | fixed when compiled |" for s in function.statics]
    support = f"Complex arguments: {'yes' if has_complex(function) else 'no'}."
    points = ", ".join(f"({', '.join(f'{x:g}' for x in p)})" for p in function.at)
    return "\n".join(lines) + f"\n\n{support}" + (f" Tested too at `{points}`." if points else "")


def _argument(function: Special, a: str) -> str:
    box, rule = function.boxes[a], function.rules[a]
    if is_integer(function, a):
        return f"| `{a}` | integer order | [{box.low}, {box.high}] | discrete |"
    kind = f"real, or complex with imaginary parts up to {box.im:g}" if box.im else "real"
    derivative = f"**missing**: {rule.why}" if isinstance(rule, Unknown) else "yes"
    return f"| `{a}` | {kind} | [{box.low:g}, {box.high:g}] | {derivative} |"

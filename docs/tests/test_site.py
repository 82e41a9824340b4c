"""What the site is made of, without building it: docstrings, generated pages, formulas, links."""

import functools
import importlib
import inspect
import pathlib
import re
import types

import pytest
import scipy.special

import hostwrap
from docs.generate.site import api, examples, families, functions, pages, table, thumbs
from docs.generate.site.definition import quoted
from docs.generate.site.expression import Untranslatable
from docs.generate.site.groups import families as groups
from docs.generate.site.groups import family, members, title
from docs.generate.site.latex import formulas
from docs.generate.site.sources import linked
from hostwrap.special import _entry
from tests._kit.days import by_turns
from tests.reference.composed import measured
from tests.reference.entries import catalogue

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
NAMES = [(module, name) for module in api.MODULES for name in api.public(module)]


# ---- every public name


def documentation(name, value):
    routine = inspect.isroutine(value) or isinstance(value, type)
    return (inspect.getdoc(value) or "") if routine else api.data(name, value)


@pytest.mark.parametrize(("module", "name"), NAMES, ids=[f"{module}.{name}" for module, name in NAMES])
def test_a_public_name_has_a_docstring(module, name):
    said = documentation(name, api.public(module)[name])
    assert len(said) > 20, f"{module}.{name} has no docstring: the API reference has nothing to say of it"


def test_a_name_without_a_docstring_is_found():
    def silent():
        pass

    assert not documentation("silent", silent)
    assert not documentation("number", 7), "what Python says of int says nothing of the number"


made = functools.cache(api.pages)


@pytest.mark.rotating
def test_the_reference_has_every_public_name():
    for module, name in NAMES:
        assert re.search(rf"^\.\. (auto|py:)\w+:: {module}\.{name}$", made()[module], re.MULTILINE)
    for name in hostwrap.special.__all__:
        assert f"[`{name}`](../special/{name}.md)" in made()["hostwrap.special"]


def test_the_reference_has_every_public_module():
    listed = {f"hostwrap.{m}" for m in hostwrap._MODULES} - {"hostwrap.special", "hostwrap.sparse"}
    assert set(api.MODULES) == listed | set(api.INSIDE) | {"hostwrap"}
    for module in api.MODULES:
        assert importlib.import_module(module).__all__
        assert f"](api/{module}.md)" in api.index() and f"\napi/{module}\n" in api.index()


def test_a_distribution_says_what_its_density_takes():
    assert "``t.pdf(x, df, loc=0.0, scale=1.0)``" in made()["hostwrap.stats"]


SECTION = re.compile(r"^( *)(?:Args|Options|Raises|Attributes):\n((?:\1    .*\n?)+)", re.MULTILINE)


@pytest.mark.parametrize(("module", "name"), NAMES, ids=[f"{module}.{name}" for module, name in NAMES])
def test_a_section_of_a_docstring_has_one_name_a_line(module, name):
    """As napoleon reads it: `names: text` in each line that is not the continuation of another."""
    for indent, lines in SECTION.findall(documentation(name, api.public(module)[name])):
        for line in lines.splitlines():
            text = line.removeprefix(f"{indent}    ")
            assert text.startswith(" ") or re.match(r"[\w*., ]+: ", text), line


# ---- pages of families and functions


def test_every_entry_is_on_one_page_only():
    placed = [f.name for entries in groups().values() for f in entries]
    assert sorted(placed) == sorted(_entry.CATALOGUE)
    for name, entries in groups().items():
        assert {family(f) for f in entries} <= {name}
        assert title(name) != name, f"the module of {name} has no docstring to be a title"


def test_every_function_is_on_the_page_of_its_family():
    of_zeta = {"riemann_zeta", "hurwitz_zeta"}
    assert set(PLACES) == set(hostwrap.special.__all__) | of_zeta
    for family_name, names in members().items():
        page = families.page(family_name)
        assert all(f"| [`{name}`](../special/{name}.md) | " in page for name in names)


PLACES = {name: family_name for family_name, names in members().items() for name in names}


@pytest.mark.parametrize("name", by_turns(*PLACES))
def test_a_page_has_all_that_is_known_of_its_function(name):
    family_name = PLACES[name]
    page, function = functions.page(name, family_name), measured().get(name)
    headings = re.findall(r"^## (.*)$", page, re.MULTILINE)
    assert re.search(rf"(?:\{{py:function\}}|autofunction::) hostwrap\.special\.{name}\b", page)
    assert (f"scipy.special.{name}.html" in page) == hasattr(scipy.special, name)
    assert f"](../families/{family_name}.md)" in page
    assert ("Example" in headings) == (name in hostwrap.special.__all__)
    if function:
        assert {"Definition", "Plot", "Arguments", "Derivatives", "Accuracy"} <= set(headings)
        assert linked(function.see) in page
        assert all(f"| `{a}` |" in page for a in function.args)
    if name in catalogue():
        for rule in filter(callable, function.rules.values()):
            assert "def " in page or "lambda" in page, rule


def test_the_example_of_a_page_prints_the_derivatives():
    made = examples.example("kv", _entry.CATALOGUE["kv"])
    value, dv, dz = map(float, made.partition("```text\n")[2].split()[:3])
    v, z = map(float, re.search(r"sc\.kv\((.*), (.*)\)", made).groups())
    assert value == pytest.approx(scipy.special.kv(v, z), rel=1e-7)
    assert dz == pytest.approx(-(scipy.special.kv(v - 1, z) + scipy.special.kv(v + 1, z)) / 2, rel=1e-7)
    step = 1e-5
    slope = (scipy.special.kv(v + step, z) - scipy.special.kv(v - step, z)) / (2 * step)
    assert dv == pytest.approx(slope, rel=1e-5)


@pytest.mark.parametrize(
    ("name", "formula"),
    [
        ("erf", ""),  # SciPy gives none
        ("kv", ""),  # it gives a limit, which does not define it
        ("spherical_jn", ""),  # it gives a derivative
        ("gamma", r"\Gamma(z) = \int_0^\infty t^{z-1} e^{-t} dt"),
    ],
)
def test_only_a_definition_is_quoted(name, formula):
    assert quoted(name) == formula


kernels = functools.cache(families.kernels)


def test_the_page_of_kernels_has_them_all():
    page = kernels()
    for function in catalogue().values():
        assert (f"\n### {function.name}\n" in page) == (not function.public)


def test_the_table_has_a_row_for_every_argument():
    page = table.page()
    public = [f for f in measured().values() if f.public]
    assert page.count("<tr>") == 1 + sum(len(f.args) for f in public)


# ---- formulas


FORMULAS = {
    ("jv", "z"): r"\begin{cases} \frac{v}{z}\,y - J_{v + 1}(z) & \text{if } "
    r"\left|v\right| < 0.5 \land z \neq 0 \\ \frac{J_{v - 1}(z) - J_{v + 1}(z)}{2} & \text{otherwise} \end{cases}",
    ("erf", "z"): r"\frac{2}{\sqrt{\pi}}\,\mathrm{e}^{-z^2}",
    ("kv", "v"): r"\partial_v K_{v}(z)",
    ("kv", "z"): r"\partial_z K_{v}(z)",
    ("gamma", "z"): r"y\,\psi^{(0)}(z)",
    ("stdtrit", "df"): r"-t\,\operatorname{t\_shift}(\mathit{df}, t)",
    ("y0", "x"): r"-Y_1(x)",
    ("wrightomega", "z"): r"\begin{cases} \frac{1}{1 + \frac{1}{w}} & \text{if } \left|w\right| > 1 \\ "
    r"\frac{w}{1 + w} & \text{otherwise} \end{cases}",
}


@pytest.mark.parametrize(
    ("name", "argument"), FORMULAS, ids=[f"{name} {argument}" for name, argument in FORMULAS]
)
def test_a_rule_as_a_formula(name, argument):
    function = _entry.CATALOGUE[name]
    assert formulas(function, function.rules[argument]) == [FORMULAS[name, argument]]


BRACKETS = [
    (lambda a, b, c: a - (b - c), r"a - \left(b - c\right)"),
    (lambda a, b, c: a - (b + c), r"a - \left(b + c\right)"),
    (lambda a, b, c: (a + b) * c, r"\left(a + b\right)\,c"),
    (lambda a, b, c: -(a + b) * c, r"-\left(a + b\right)\,c"),
    (lambda a, b, c: a * -b, r"a\,\left(-b\right)"),
    (lambda a, b, c: a - -b, r"a + b"),
    (lambda a, b, c: (a + b) / (b - c), r"\frac{a + b}{b - c}"),
    (lambda a, b, c: (a * b) ** c, r"\left(a\,b\right)^{c}"),
    (lambda a, b, c: -(a**2), r"-a^{2}"),
    (lambda a, b, c: (-a) ** 2, r"\left(-a\right)^{2}"),
    (lambda a, b, c: a ** (b + c), r"a^{b + c}"),
    (lambda a, b, c: (a / b) ** c, r"\left(\frac{a}{b}\right)^{c}"),
    (lambda a, b, c: 2 * 3.5 * a, r"2 \cdot 3.5\,a"),
    (lambda a, b, c: 1e-8 * a, r"10^{-8}\,a"),
    (lambda a, b, c: ((a > 1) | (b > 1)) & (c > 1), r"\left(a > 1 \lor b > 1\right) \land c > 1"),
]


@pytest.mark.parametrize(("rule", "formula"), BRACKETS, ids=[formula for _, formula in BRACKETS])
def test_brackets_stand_where_they_must(rule, formula):
    assert formulas(types.SimpleNamespace(statics={}), rule) == [formula]


def test_several_results_have_a_formula_each():
    airy = _entry.CATALOGUE["airy"]
    assert formulas(airy, airy.rules["z"])[1] == r"z\,y_{\text{ai}}"


def test_most_rules_are_formulas_and_all_are_well_formed():
    written = code = 0
    for function in catalogue().values():
        for rule in filter(callable, function.rules.values()):
            try:
                found = formulas(function, rule)
            except Untranslatable:
                code += function.public
                continue
            written += function.public
            for text in found:
                assert text.count("{") == text.count("}"), text
                assert text.count(r"\left") - text.count(r"\leftarrow") == text.count(r"\right"), text
                assert not re.search(r"<\w+!?>|Tex\(|None|\bnan\b", text), text
    assert written > 10 * code


@pytest.mark.parametrize(
    ("see", "link"),
    [
        ("DLMF 10.6.1", "[10.6.1](https://dlmf.nist.gov/10.6.E1)"),
        ("DLMF 7.10.2, erfcx(x) = w(ix)", "[7.10.2](https://dlmf.nist.gov/7.10.E2)"),
        ("DLMF 19.16.2_5, differentiated", "[19.16.2_5](https://dlmf.nist.gov/19.16.E2_5)"),
        ("DLMF 11.2.1 and 11.5(i)", "[11.5(i)](https://dlmf.nist.gov/11.5.i)"),
        ("DLMF 5.15", "[5.15](https://dlmf.nist.gov/5.15)"),
        ("Abramowitz and Stegun 22.5.11", "Stegun 22.5.11"),
    ],
)
def test_a_reference_is_a_link(see, link):
    assert link in linked(see)


# ---- pages and links


def test_every_page_is_in_the_contents():
    listed = {name for names in pages.CONTENTS.values() for name in names}
    written = {path.stem for path in DOCS.glob("*.md")} - {"index", "support"}  # the table takes its place
    assert written <= listed, f"docs/generate/site/pages.py does not list {sorted(written - listed)}"


def test_pages_with_code_are_spread_over_what_sphinx_hands_to_a_process():
    code = [f"notebooks/{i:02}" for i in range(12)] + [f"page{i:02}" for i in range(40)]
    names = sorted([*code, *(f"_generated/special/{i:03}" for i in range(350))])
    order = pages.mixed(names)
    assert sorted(order) == names
    pieces = [order[i : i + 45] for i in range(0, len(order), 45)]
    for kind in ("notebooks", "page"):
        counts = [sum(name.startswith(kind) for name in piece) for piece in pieces]
        assert max(counts) <= 0.3 * sum(counts) and counts[0] == max(counts), counts


def test_code_of_a_page_is_run_and_its_promises_are_left_to_it():
    page = "# A\n\n```python\nprint(1 + 1)  # 2\n```\n\n```text\n2\n```\n\n```text\nstays\n```\n"
    made = pages.prepared("a", page, set())
    assert "```{code-cell} python3\nprint(1 + 1)\n```\n\n```text\nstays" in made and made.startswith("---\n")
    assert pages.prepared("a", "# A\n", set()) == "# A\n"


def test_the_gallery_has_a_card_for_each_notebook():
    text = (DOCS / "notebooks" / "index.md").read_text(encoding="utf-8")
    made = pages.prepared("notebooks/index", text, set())
    names = [path.stem for path in DOCS.glob("notebooks/*.md") if path.stem != "index"]
    assert sorted(re.findall(r"^:link: (\w+)$", made, re.MULTILINE)) == sorted(names)
    assert made.count("_static/thumbs/") == len(names) and "\n* [" not in made
    assert "```{toctree}" in made and made.startswith("---\n") and "\n# Notebooks\n" in made


def test_a_notebook_can_be_downloaded():
    text = "---\nkernelspec: {}\n---\n\n# A title\n\nText\n\n# Other\n"
    made = pages.prepared("notebooks/epidemic", text, set())
    assert made.count("<../_generated/notebooks/epidemic.ipynb>`") == 1
    assert made.index("# A title") < made.index("{download}") < made.index("Text")


def test_the_thumbnail_of_a_notebook_is_its_first_picture(tmp_path):
    for folder in ("notebooks", "_images"):
        (tmp_path / folder).mkdir()
    for name in ("one", "two"):
        (tmp_path / "_images" / f"{name}.png").write_text(name)
    images = '<img alt="x" src="../_images/two.png"><img src="../_images/one.png">'
    (tmp_path / "notebooks" / "epidemic.html").write_text(images)
    (tmp_path / "notebooks" / "index.html").write_text("none")
    thumbs.copy(tmp_path)
    found = {path.name: path.read_text() for path in (tmp_path / "_static" / "thumbs").iterdir()}
    assert found == {"epidemic.png": "two"}


def test_words_with_accents_are_found_without_them():
    pytest.importorskip("sphinx")
    from docs.generate.site.search import Folded

    assert Folded({}).split("Sérsic or Matérn") == ["Sérsic", "or", "Matérn", "Sersic", "Matern"]


def test_links_of_a_page_from_outside_stay_on_the_site():
    text = "[a](docs/add.md#then) [b](SECURITY.md#x) [c](README.md) [d](tests/stress.py) [e](https://x.org) [f](#g)"
    made = "[a](../add.md#then) [b](security.md#x) [c](../index.md) d [e](https://x.org) [f](#g)"
    assert pages.inside(text) == made


@functools.cache
def anchors(text: str) -> set[str]:
    """What headings are called in links."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings} | set(
        re.findall(r"^\(([\w-]+)\)=$", text, re.MULTILINE)
    )


def broken(place: pathlib.Path, text: str, read) -> list[str]:
    """Links to files that are not there, and to headings that their page does not have."""
    found = []
    text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\((?!https?://|mailto:)([^)\s]+)\)", text):
        path, _, anchor = target.partition("#")
        page = (place.parent / path).resolve() if path else place
        other = read(page) if path else text
        if other is None or (anchor and page.suffix == ".md" and anchor not in anchors(other)):
            found.append(target)
    return found


def on_disk(path: pathlib.Path) -> str | None:
    if path.suffix == ".md":
        return path.read_text(encoding="utf-8") if path.exists() else None
    return "" if path.exists() else None


@pytest.mark.parametrize(
    "page", [*ROOT.glob("*.md"), *DOCS.glob("*.md"), *DOCS.glob("notebooks/*.md")], ids=str
)
def test_links_of_a_page_lead_somewhere(page):
    assert not broken(page, page.read_text(encoding="utf-8"), on_disk)


@pytest.mark.rotating
def test_links_of_generated_pages_lead_somewhere():
    made = {f"families/{name}.md": families.page(name) for name in groups() if members()[name]}
    made |= {"families/kernels.md": kernels(), "families.md": families.index()}
    made |= {f"api/{module}.md": text for module, text in api.pages().items()}
    made |= {"api.md": api.index(), "functions.md": table.page()}
    chosen = ("airy", "kv", "jvp", "zeta", "logsumexp")
    made |= {f"special/{name}.md": functions.page(name, PLACES[name]) for name in chosen}
    unread = {f"special/{name}.md" for name in PLACES}
    home = DOCS / "_generated"

    def read(path: pathlib.Path) -> str | None:
        inside = path.is_relative_to(home) and str(path.relative_to(home))
        return made[inside] if inside in made else "" if inside in unread else on_disk(path)

    for name, text in made.items():
        assert not broken((home / name).resolve(), text, read), name


def test_a_broken_link_is_found():
    text = "# One\n[a](nowhere.md) [b](#one) [c](#two) [d](index.md#no) [e](https://example.org)\n"
    assert broken(DOCS / "start.md", text, on_disk) == ["nowhere.md", "#two", "index.md#no"]


MEASURED = re.compile(r"\d (?:ns|µs|ms|MB|MiB|GB|times faster)\b")
SAID = re.compile(r"[Mm]easured[^.]* \d{4}-\d\d-\d\d|[Gg]enerated")


@pytest.mark.parametrize("page", sorted(DOCS.glob("*.md")), ids=lambda page: page.name)
def test_a_measured_number_is_dated_or_generated(page):
    text = page.read_text(encoding="utf-8")
    assert SAID.search(text) or not MEASURED.search(re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S))

"""Sphinx's settings; `make docs` builds the site, runs the code on its pages, and takes warnings for errors."""

import importlib.util
import os
import pathlib
import subprocess
import sys

import itables

ROOT = pathlib.Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
os.environ["PYTHONPATH"] = os.pathsep.join(
    filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])
)  # of code cells

from docs.generate.site import search, thumbs  # noqa: E402
from docs.generate.site.pages import mixed, prepared  # noqa: E402
from hostwrap import __version__ as release  # noqa: E402

project = "hostwrap"
author = copyright = "The hostwrap authors"
extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx.ext.mathjax",
]
# support.md is for a forge: here the table can be searched.
exclude_patterns = ["**.ipynb_checkpoints", "_generated/notebooks", "support.md"]
html_theme = "sphinx_book_theme"
html_title = f"hostwrap {release}"
html_favicon = "_static/icon.svg"
# DataTables and MathJax, as packages bring them: the site loads nothing from elsewhere.
DATATABLES = pathlib.Path(itables.__file__).with_name("html")
MATHJAX = pathlib.Path(importlib.util.find_spec("sphinx-mathjax-offline").origin).with_name("static")
html_static_path = ["_static", *map(str, sorted(DATATABLES.glob("dt_bundle.*"))), str(MATHJAX)]
mathjax_path = "mathjax/tex-chtml.js"
mathjax3_config = {  # names have underscores: they are text
    "loader": {"load": ["[tex]/textmacros"]},
    "tex": {
        "packages": {"[+]": ["textmacros"]},
        "macros": {"operatorname": [r"\mathop{\text{#1}}\nolimits", 1]},
    },
}
html_css_files = ["site.css"]
html_theme_options = {
    "show_toc_level": 2,
    "max_navbar_depth": 2,  # families, not their functions: hundreds of links on each page
    "home_page_in_toc": True,
    "use_download_button": True,
    "navbar_persistent": [],  # the search is in the sidebar
}
html_context = {"default_mode": "auto"}  # without it the theme writes an error to the console
html_show_sphinx = False
highlight_language = "python"

# The API: what stands in single backticks in a docstring is a link, if it is a name.
default_role = "py:obj"
autodoc_typehints_format = "short"
# By its name, which the glossary explains, and not by its parts.
autodoc_type_aliases = {"ArrayLike": "ArrayLike"}
autosummary_generate = False
napoleon_numpy_docstring = False
napoleon_custom_sections = [
    ("Options", "params_style"),
    "Returns",
]  # sentences, in which a colon ends no type
napoleon_use_rtype = False
python_maximum_signature_line_length = 90

myst_enable_extensions = ["amsmath", "colon_fence", "dollarmath"]
myst_heading_anchors = 4
myst_dmath_double_inline = True
nb_execution_mode = "force"
nb_execution_timeout = 600
nb_execution_show_tb = True
nb_merge_streams = True


def setup(app):
    # In a process of its own: it computes with JAX, and Sphinx forks.
    write = [sys.executable, "-m", "docs.generate.site.write", str(app.parallel)]
    subprocess.run(write, cwd=ROOT, check=True)
    app.add_search_language(search.Folded)
    app.connect("source-read", _prepare)
    app.connect("env-before-read-docs", _mix)
    app.connect("build-finished", lambda app, error: error or thumbs.copy(app.outdir))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _prepare(app, name, source):
    source[0] = prepared(name, source[0], app.env.found_docs)


def _mix(app, env, names):
    names[:] = mixed(names)

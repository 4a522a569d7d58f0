"""Sphinx: ``sphinx-build -W -c docs . build/docs``.

The root of the sources is the repository, so that pages may link to files outside docs, such as tables of results.
"""

import re
import sys
from pathlib import Path

from docutils import nodes
from sphinx.environment import BuildEnvironment
from sphinx.ext.autosummary import autosummary_toc
from sphinx.transforms import SphinxTransform

import gamma_align as ga

sys.path.insert(0, str(Path(__file__).parents[1] / "tools" / "docs"))  # for extensions of this project

project = "gamma_align"
author = "The gamma_align developers"
release = ga.__version__
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",  # a page for each name of docs/look_up/python/index.md
    "sphinx.ext.napoleon",
    "sphinx.ext.intersphinx",
    "sphinxcontrib.bibtex",
    "formulas",
    "command_options",
]
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "substitution"]
# What {{ install }} stands for. At the first release, here and in README.md: "`pip install 'gamma-align[parquet]'`".
INSTALL = "`pip install '.[parquet]'` in a checkout of the repository"
myst_substitutions = {"install": INSTALL}
bibtex_bibfiles = ["../gamma_align/present/references.bib", "references.bib"]  # the first is printed by --cite
bibtex_default_style = "plain"
bibtex_reference_style = "author_year"
myst_heading_anchors = 3
root_doc = "docs/index"
include_patterns = [
    "docs/**",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "corpora/README.md",
    "corpora/formats/README.md",
    "tools/*/README.md",
    "tools/bench/results/*.md",
    "tools/fuzz/results/*.md",
    "tools/mutation.md",
    "tools/peers/results/*.md",
    "tools/reproduction/results/*.md",
]
exclude_patterns = ["docs/examples/*", "docs/templates/**", "docs/paper/*", ".*", "build"]
html_extra_path = ["site"]  # index.html at the root of the site leads to docs/index.html
html_theme = "furo"
html_static_path = ["style"]
html_css_files = ["style.css"]
html_js_files = [("search.js", {"defer": "defer"})]  # of questions in words
html_title = "gamma_align"
html_show_copyright = False
default_role = "code"  # `name` in docstrings
# `Consensus` and `consensus` would be one file on Windows and macOS.
autosummary_filename_map = {
    f"gamma_align.{name}": f"gamma_align.{name}-function"
    for name in ga.__all__
    if name.islower() and name.capitalize() in ga.__all__
}
# Pages of functions whose picture and guide the documentation has.
autosummary_context = {
    "guides": {
        "gamma_align.gamma": ("errors_gamma", "choose/gamma"),
        "gamma_align.pairwise": ("errors_pairs", "choose/pairs"),
        "gamma_align.unitizing_alpha": ("errors_unitizing_alpha", "choose/unitizing_alpha"),
        "gamma_align.item_agreement": ("errors_items", "choose/items"),
        "gamma_align.evaluate": ("errors_reference", "choose/reference"),
        "gamma_align.pairwise_f1": ("errors_reference", "choose/reference"),
        "gamma_align.replaceable": ("errors_replaceable", "choose/replaceable"),
        "gamma_align.align": ("vanity_fair", "look_up/commands/align"),
        "gamma_align.alignment_svg": ("stargazer", "look_up/commands/align"),
    }
}
templates_path = [str(Path(__file__).parent / "templates")]  # autosummary takes others from the root of the sources
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # docstrings have them, in words
napoleon_numpy_docstring = True
napoleon_use_rtype = False
napoleon_use_param = False  # types are words: no links to attributes of the same name
numfig = True  # numbers of formulas run through all pages, as pages refer to formulas of others
html_math_renderer = "mathml"  # browsers draw MathML themselves: no script is loaded from another host
intersphinx_mapping = {}  # nothing is looked up elsewhere: the build needs no network


def _escape_bars(_app: object, _kind: str, _name: str, _object: object, _options: object, lines: list[str]) -> None:
    """Write "|uα" and "|A ∩ B|" as they are: in reStructuredText a bar begins a substitution."""
    for number, line in enumerate(lines):
        parts = line.split("`")  # every other part is code
        parts[::2] = [part.replace("|", "\\|") for part in parts[::2]]
        lines[number] = "`".join(parts)


def _put_example_first(
    _app: object, _kind: str, _name: str, _object: object, _options: object, lines: list[str]
) -> None:
    """Move the example, the last section of a docstring, before the parameters. Napoleon reads the sections later."""
    titles = [number for number, underline in enumerate(lines[1:]) if re.fullmatch("-{3,}", underline)]
    examples = [number for number in titles if lines[number] == "Examples"]
    if examples and examples[0] != titles[0]:
        example = [*lines[examples[0] :], ""]
        lines[examples[0] :] = []
        lines[titles[0] : titles[0]] = example


class DarkPictures(SphinxTransform):
    """Show NAME_dark.svg in place of NAME.svg on dark pages, for all pictures that have both."""

    default_priority = 400  # before Sphinx collects the files of images

    def apply(self, **_: object) -> None:
        for image in list(self.document.findall(nodes.image)):
            dark = image["uri"].replace(".svg", "_dark.svg")
            if dark != image["uri"] and (Path(self.document["source"]).parent / dark).is_file():
                twin = image.copy()
                twin["uri"] = dark
                twin["classes"].append("only-dark")  # furo hides one of the two
                image["classes"].append("only-light")
                image.parent.insert(image.parent.index(image) + 1, twin)


class ObjectsOutsideNavigation(SphinxTransform):
    """Leave the pages of objects out of the navigation, which would list all of them on each page of the site."""

    default_priority = 400  # before Sphinx collects the tables of contents

    def apply(self, **_: object) -> None:
        for node in list(self.document.findall(autosummary_toc)):
            node.parent.remove(node)


NOT_SEARCHED = ("CHANGELOG", "CONTRIBUTING", "tools/", "docs/carry_on/", "docs/evidence/")
"""Beginnings of pages that the search leaves out: people who look for a word of their task want none of them."""


def _leave_out_of_search(_app: object, env: BuildEnvironment) -> None:
    for page in env.found_docs:
        if page.startswith(NOT_SEARCHED):
            env.metadata[page]["nosearch"] = ""


def setup(app: object) -> None:
    """Connect what docstrings, pictures and the search need."""
    app.connect("env-updated", _leave_out_of_search)  # type: ignore[attr-defined]
    app.add_transform(DarkPictures)  # type: ignore[attr-defined]
    app.add_transform(ObjectsOutsideNavigation)  # type: ignore[attr-defined]
    app.connect("autodoc-process-docstring", _put_example_first, priority=100)  # type: ignore[attr-defined]
    app.connect("autodoc-process-docstring", _escape_bars, priority=900)  # type: ignore[attr-defined]

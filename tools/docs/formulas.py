"""Sphinx extension: formulas become MathML when the site is built, so that pages need no script and no network."""

from __future__ import annotations

from typing import TYPE_CHECKING

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.util.math import get_node_equation_number

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.writers.html5 import HTML5Translator


BAR = '<mo stretchy="false">&#x0007C;</mo>'
"""A bar as latex2mathml writes it. Browsers set space around it, as around a relation."""


def setup(app: Sphinx) -> None:
    """Register the renderer that `html_math_renderer` names."""
    app.add_html_math_renderer("mathml", (_inline_formula, None), (_displayed_formula, None))


def _mathml(formula: str, display: str) -> str:
    """Return a LaTeX formula as MathML; several lines are aligned at &.

    Raises
    ------
    ValueError
        If it has a command that latex2mathml does not know, which would stand on the page as it is.
    """
    lines = formula if "\\begin" in formula or "\\\\" not in formula else f"\\begin{{align*}}{formula}\\end{{align*}}"
    mathml = convert(lines.replace("{aligned}", "{align*}"), display=display)
    if "\\" in mathml or "<mi>&</mi>" in mathml:
        raise ValueError(f"latex2mathml does not know a command of this formula; write it otherwise: {formula}")
    return mathml.replace(BAR, BAR.replace("<mo ", '<mo lspace="0" rspace="0" '))


def _inline_formula(translator: HTML5Translator, node: nodes.math) -> None:
    """Write a formula in the running text."""
    translator.body.append(_mathml(node.astext(), "inline"))
    raise nodes.SkipNode


def _displayed_formula(translator: HTML5Translator, node: nodes.math_block) -> None:
    """Write a formula on lines of its own, and its number if it has a label."""
    translator.body.append(translator.starttag(node, "div", CLASS="math notranslate nohighlight"))
    if node["number"]:
        number = get_node_equation_number(translator, node)  # across pages: conf.py sets numfig
        translator.body.append(f'<span class="eqno">({number})')
        translator.add_permalink_ref(node, "Link to this equation")
        translator.body.append("</span>")
    translator.body.append(_mathml(node.astext(), "block") + "</div>")
    raise nodes.SkipNode

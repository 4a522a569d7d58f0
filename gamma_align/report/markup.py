"""Tables for papers and pages: one table as Markdown and as LaTeX, for booktabs.

Values stand with their interval; one that is not available is NA with a number, and its reason stands under the table.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gamma_align.report._tables import report
from gamma_align.results.values import Value
from gamma_align.results.wording import decimal, printable

Cell = str | int | float | Value | None
_DECIMALS = 3
_MINUS = "\u2212"

_GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ζ": "zeta", "η": "eta", "θ": "theta",
    "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu", "ξ": "xi", "π": "pi", "ρ": "rho", "ς": "varsigma",
    "σ": "sigma", "τ": "tau", "υ": "upsilon", "φ": "varphi", "χ": "chi", "ψ": "psi", "ω": "omega", "Γ": "Gamma",
    "Δ": "Delta", "Θ": "Theta", "Λ": "Lambda", "Ξ": "Xi", "Π": "Pi", "Σ": "Sigma", "Φ": "Phi", "Ψ": "Psi", "Ω": "Omega",
}  # fmt: skip
_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        **{sign: f"\\{sign}" for sign in "&%$#_{}"},
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        # what could belong to the end of the row before
        **{sign: f"{{{sign}}}" for sign in "[]*"},
        **{sign: f"${sign}$" for sign in "<>|"},
        **{sign: f"$\\{name}$" for sign, name in _GREEK.items()},
        _MINUS: "$-$",
        "–": "--",
        "…": r"\ldots{}",
        "′": "$'$",
        "₁": "$_1$",
        "₂": "$_2$",
        "→": r"$\to$",
        "≥": r"$\geq$",
    }
)
_SYMBOLS = {
    "γcat": r"$\gamma_{\mathrm{cat}}$",
    "γk": r"$\gamma_k$",
    "uα": r"$_u\alpha$",
    "|uα": r"$_{|u}\alpha$",
    "cuα": r"$_{cu}\alpha$",
    "(k)uα": r"$_{(k)u}\alpha$",
    "S": "$S$",
    "A_o": "$A_o$",
    "D_o": "$D_o$",
    "D_e": "$D_e$",
    "κ_w": r"$\kappa_w$",
    "κ_w (Conger)": r"$\kappa_w$ (Conger)",
    "mean κ_w": r"mean $\kappa_w$",
    "2A_o-1": "$2A_o-1$",
    "P_k": "$P_k$",
}
"""What is written otherwise than its characters one by one."""
_LIGATURE = re.compile(r"(?<=-)(?=-)|(?<=,)(?=,)|(?<=')(?=')|(?<=[`?!])(?=`)")
"""Where signs would become one: dashes, quotation marks, ¿ and ¡."""
_MARKDOWN = re.compile(r"[\\`*_{}\[\]<>|#~&$!]")
_ENTITIES = {"<": "&lt;", ">": "&gt;", "&": "&amp;", "|": "&#124;"}
"""A backslash before a pipe is no escape but GitHub's; an entity is one everywhere."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table: its title, the head of its columns, rows of as many cells, and lines to stand under it.

    Columns of numbers stand at the right; texts do so in the columns that `right` names.
    """

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    under: Sequence[str] = ()
    right: Sequence[int] = ()

    def alignment(self) -> str:
        """Return a letter for each column: l where it has texts, r where all are numbers or nothing."""
        columns = enumerate(zip(*self.rows, strict=True))
        texts = (index not in self.right and any(isinstance(cell, str) for cell in column) for index, column in columns)
        return "".join("l" if text else "r" for text in texts)


class _Style(NamedTuple):
    """How a text, the number of a footnote and a minus sign are written."""

    text: Callable[[str], str]
    footnote: Callable[[int], str]
    minus: str


def markdown(tables: Iterable[Table], signatures: Iterable[str] = ()) -> str:
    """Return tables as GitHub's Markdown, signatures last."""
    blocks = [_markdown(table) for table in tables if table.rows]
    return report([*(block for parts in blocks for block in parts), *([f"`{printable(line)}`"] for line in signatures)])


def _markdown(table: Table) -> list[list[str]]:
    """Return the blocks of a table: title, the table, what stands under it."""
    rows, reasons = _cells(table, _Style(_markdown_text, lambda number: f" ({number})", _MINUS))
    rule = ["---:" if letter == "r" else "---" for letter in table.alignment()]
    lines = [f"| {' | '.join(row)} |" for row in (map(_markdown_text, table.head), rule, *rows)]
    notes = [f"({number}) {_markdown_text(reason)}" for number, reason in enumerate(reasons, 1)]
    under = [*notes, *map(_markdown_text, table.under)]
    return [[f"**{_markdown_text(table.title)}**"], lines, *([line] for line in under)]


def _markdown_text(text: str) -> str:
    """Return text that Markdown shows as it is, on one line."""
    return _MARKDOWN.sub(lambda match: _ENTITIES.get(match[0], f"\\{match[0]}"), printable(text))


def latex(tables: Iterable[Table], signatures: Iterable[str] = ()) -> str:
    r"""Return tables as LaTeX that needs ``\usepackage{booktabs}``, signatures in comments."""
    head = [r"% \usepackage{booktabs}", *(f"% {printable(line)}" for line in signatures)]
    return report([head, *(_latex(table) for table in tables if table.rows)])


def _latex(table: Table) -> list[str]:
    rows, reasons = _cells(table, _Style(latex_text, lambda number: rf"\textsuperscript{{{number}}}", "$-$"))
    notes = [rf"\textsuperscript{{{number}}} {latex_text(reason)}" for number, reason in enumerate(reasons, 1)]
    under = [*notes, *map(latex_text, table.under)]
    return [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{latex_text(table.title)}}}",
        rf"\begin{{tabular}}{{{table.alignment()}}}",
        r"\toprule",
        rf"{' & '.join(map(latex_text, table.head))} \\",
        r"\midrule",
        *(rf"{' & '.join(row)} \\" for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
        *(rf"\par\footnotesize {line}" for line in under),
        r"\end{table}",
    ]


def latex_text(text: str) -> str:
    """Return text that LaTeX prints as it is; a symbol of a measure as it is written in mathematics."""
    return _SYMBOLS.get(text) or _LIGATURE.sub("{}", printable(text).translate(_LATEX))


def _cells(table: Table, style: _Style) -> tuple[list[list[str]], list[str]]:
    """Return the cells of all rows as text, and the reasons that are numbered in them."""
    reasons: list[str] = []

    def footnote(reason: str) -> str:
        if reason not in reasons:
            reasons.append(reason)
        return style.footnote(reasons.index(reason) + 1)

    def number(content: float) -> str:
        return decimal(content, _DECIMALS).replace(_MINUS, style.minus)

    def value(content: Value) -> str:
        if content.reason is not None:
            return "NA" + footnote(f"not available: {content.reason}")
        if not math.isnan(content.low):
            note = footnote(f"the interval {content.interval_note}") if content.interval_note else ""
            return f"{number(content.value)} [{number(content.low)}, {number(content.high)}]{note}"
        missing = footnote(f"no interval: {content.no_interval}") if content.no_interval else ""
        return number(content.value) + missing

    def cell(content: Cell) -> str:
        if isinstance(content, Value):
            return value(content)
        return number(content) if isinstance(content, float) else style.text("" if content is None else str(content))

    return [[cell(content) for content in row] for row in table.rows], reasons

"""Tables for papers: as Markdown, and as LaTeX for booktabs.

Values have their interval. A value that is not available is NA with a number; its reason is under the table.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from gamma_align.data import decimal, printable
from gamma_align.inference import Value
from gamma_align.present.table import NEUTRAL, Column, Priority, Table
from gamma_align.present.writers.cells import CellWriter
from gamma_align.present.writers.lines import blocks_text
from gamma_align.present.writers.text import Footnotes

_MINUS = "\u2212"  # the sign that `decimal` writes

_GREEK_COMMANDS = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ζ": "zeta", "η": "eta", "θ": "theta",
    "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu", "ξ": "xi", "π": "pi", "ρ": "rho", "ς": "varsigma",
    "σ": "sigma", "τ": "tau", "υ": "upsilon", "φ": "varphi", "χ": "chi", "ψ": "psi", "ω": "omega", "Γ": "Gamma",
    "Δ": "Delta", "Θ": "Theta", "Λ": "Lambda", "Ξ": "Xi", "Π": "Pi", "Σ": "Sigma", "Φ": "Phi", "Ψ": "Psi", "Ω": "Omega",
}  # fmt: skip
_LATEX_ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        **{sign: f"\\{sign}" for sign in "&%$#_{}"},
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        # LaTeX would read these after a line break as its arguments.
        **{sign: f"{{{sign}}}" for sign in "[]*"},
        **{sign: f"${sign}$" for sign in "<>|"},
        **{sign: f"$\\{name}$" for sign, name in _GREEK_COMMANDS.items()},
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
# Symbols that mathematics writes with subscripts.
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
# Positions between characters that LaTeX would merge: dashes, quotation marks, ¿ and ¡.
_LIGATURE = re.compile(r"(?<=[-–])(?=[-–])|(?<=,)(?=,)|(?<=')(?=')|(?<=[`?!])(?=`)")
_MARKDOWN_SPECIAL = re.compile(r"[\\`*_{}\[\]<>|#~&$!]")
# Only GitHub reads a backslash before a pipe as an escape; entities work everywhere.
_ENTITIES = {"<": "&lt;", ">": "&gt;", "&": "&amp;", "|": "&#124;"}


class _Style(NamedTuple):
    """The form's text, footnote numbers and minus sign."""

    text: Callable[[str], str]
    footnote: Callable[[int], str]
    minus: str


class _Rendered(NamedTuple):
    """Texts of a table: heads, a letter of alignment for each column, rows of cells, and the lines under the table."""

    heads: list[str]
    alignment: str
    rows: list[list[str]]
    under: list[str]


def markdown(tables: Iterable[Table], signatures: Iterable[str] = ()) -> str:
    """Return tables as GitHub's Markdown, signatures last."""
    style = _Style(_markdown_text, lambda number: f" ({number})", _MINUS)
    blocks = itertools.chain.from_iterable(_markdown(table, style) for table in tables)
    return blocks_text([*blocks, *([f"`{printable(line)}`"] for line in signatures)])


def _markdown(table: Table, style: _Style) -> list[list[str]]:
    """Return the blocks of a table: title, rows, lines under the table; nothing if there are no rows."""
    heads, alignment, rows, under = _rendered(table, style, _markdown_note)
    if not rows:
        return []
    rule = ["---:" if letter == "r" else "---" for letter in alignment]
    lines = [f"| {' | '.join(row)} |" for row in (heads, rule, *rows)]
    return [[f"**{_markdown_text(table.title)}**"], lines, *([line] for line in under)]


def _markdown_note(number: int, reason: str) -> str:
    return f"({number}) {_markdown_text(reason)}"


def _markdown_text(text: str) -> str:
    """Return text that Markdown shows unchanged on one line."""
    return _MARKDOWN_SPECIAL.sub(lambda match: _ENTITIES.get(match[0], f"\\{match[0]}"), printable(text))


def latex(tables: Iterable[Table], signatures: Iterable[str] = ()) -> str:
    r"""Return tables as LaTeX that needs ``\usepackage{booktabs}``, signatures in comments."""
    style = _Style(latex_text, lambda number: rf"\textsuperscript{{{number}}}", "$-$")
    head = [r"% \usepackage{booktabs}", *(f"% {printable(line)}" for line in signatures)]
    return blocks_text([head, *(_latex(table, style) for table in tables)])


def _latex(table: Table, style: _Style) -> list[str]:
    """Return the lines of a table; nothing if there are no rows."""
    heads, alignment, rows, under = _rendered(table, style, _latex_note)
    if not rows:
        return []
    return [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{latex_text(table.title)}}}",
        rf"\begin{{tabular}}{{{alignment}}}",
        r"\toprule",
        rf"{' & '.join(heads)} \\",
        r"\midrule",
        *(rf"{' & '.join(row)} \\" for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
        *(rf"\par\footnotesize {line}" for line in under),
        r"\end{table}",
    ]


def _latex_note(number: int, reason: str) -> str:
    return rf"\textsuperscript{{{number}}} {latex_text(reason)}"


def latex_text(text: str) -> str:
    """Return text that LaTeX prints unchanged; symbols of measures are set as mathematics."""
    if text in _SYMBOLS:
        return _SYMBOLS[text]
    # Divided before the escapes: the two hyphens of an en dash are to become one sign.
    return "{}".join(part.translate(_LATEX_ESCAPES) for part in _LIGATURE.split(printable(text)))


def _rendered(table: Table, style: _Style, note: Callable[[int, str], str]) -> _Rendered:
    columns = table.columns_for(Priority.PAPER)
    writer = _PaperWriter(style)
    rows = [[*map(writer.cell, columns, cells)] for cells in table.cells(columns)]
    # Writing the cells collects the reasons, so the notes come after the rows.
    under = [note(number, reason) for number, reason in enumerate(writer.footnotes.reasons, 1)]
    under += [] if table.remainder is None else [style.text(table.remainder(NEUTRAL))]
    alignment = "".join("l" if is_left(column) else "r" for column in columns)
    return _Rendered([style.text(column.head) for column in columns], alignment, rows, under)


def is_left(column: Column) -> bool:
    """Return whether a column is left-aligned in papers, as texts are."""
    return column.has_text if column.align is None else column.align == "left"


class _PaperWriter(CellWriter):
    """Writes cells in a style and collects their footnotes."""

    digits = 3

    def __init__(self, style: _Style) -> None:
        self.footnotes = Footnotes()
        self._style = style

    def text(self, text: str) -> str:
        """Return a text with the escapes of the style."""
        return self._style.text(text)

    def number(self, number: float, digits: int) -> str:
        """Return a number with this number of decimals and the minus sign of the style."""
        return decimal(number, digits).replace(_MINUS, self._style.minus)

    def value(self, value: Value, *, has_interval: bool) -> str:
        """Return a value with three decimals, with or without its interval; reasons are footnotes."""
        if value.reason is not None:
            return "NA" + self._footnote(f"not available: {value.reason}")
        number = self.number(value.value, self.digits)
        if not has_interval:
            return number
        if not math.isnan(value.low):
            note = self._footnote(f"the interval {value.interval_note}") if value.interval_note else ""
            return f"{number} [{self.number(value.low, self.digits)}, {self.number(value.high, self.digits)}]{note}"
        return number + (self._footnote(f"no interval: {value.no_interval}") if value.no_interval else "")

    def _footnote(self, reason: str) -> str:
        return self._style.footnote(self.footnotes.index(reason))

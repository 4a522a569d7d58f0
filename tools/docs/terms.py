"""Link terms to the glossary at their first use on a page: ``python tools/docs/terms.py [PAGE …]``.

A test finds first uses that are not linked. Headings, code, formulas and the texts of links do not count as uses.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
LEFT_OUT = {
    "index.md",
    "bibliography.md",
    "look_up/glossary.md",
    "look_up/options.md",  # generated
    "paper/paper.md",
}
TERMS = {
    "unitary alignment": r"unitary\s+alignments?",
    "alignment": r"alignments?",
    "expected disorder": r"expected\s+disorders?",
    "disorder": r"disorders?",
    "dissimilarity": r"dissimilarit(?:y|ies)",
    "empty unit": r"empty\s+units?",
    "continuum": r"continu(?:um|a)",
    "extent": r"extents?",
    "interval": r"intervals?",
    "jackknife": r"jackknife",
    "pooled": r"pooled",
    "signature": r"signatures?",
    "predefined item": r"predefined\s+items?",
    "control variate": r"control\s+variates?",
    "effective number of documents": r"effective\s+number\s+of\s+documents",
    "soft-γ": r"soft-γ",
    "γcat": r"γcat",
    "γk": r"γk",
    "uα": r"uα",
    "unit": r"units?(?!\s+of\s+(?:length|measurement|time|\d))",
    "annotator": r"annotators?(?!\s+test)",
    "category": r"categor(?:y|ies)",
    "corpus": r"corp(?:us|ora)",
}
"""Terms of the glossary, with the forms in which pages use them; longer terms come first.

Terms that are common words with other meanings, such as "note", or "precision" beside "recall", are linked by hand.
"""
ROLE = re.compile(r"\{term\}`(?:[^`<]*<)?([^`>]+)>?`")
NO_PROSE = re.compile(
    r"^[ \t]*```.*?^[ \t]*```|^\$\$.*?\$\$|<!--.*?-->"  # blocks of code, formulas, comments
    r"|^#[^\n]*$|^\([^\n]*\)=$|^\{[^\n]*\}$"  # headings, labels
    r"|`(?:[^`\n]|\n(?!\n))*`|\$[^$\n]+\$|!?\[[^\]]*\]\([^)]*\)",  # code, formulas and links in a sentence
    re.DOTALL | re.MULTILINE,
)
"""Parts of a page in which a term is not used in a sentence."""


class Use(NamedTuple):
    """The first use of a term on a page that is not linked."""

    term: str
    start: int
    end: int


def unlinked(text: str) -> list[Use]:
    """Return the terms whose first use on a page does not lead to the glossary."""
    linked = {match[1]: match.start() for match in reversed([*ROLE.finditer(text)])}
    prose = NO_PROSE.sub(lambda match: " " * len(match[0]), text)
    uses = []
    for term, forms in TERMS.items():
        first = re.search(rf"(?<![\w-]){forms}(?![\w-])", prose, re.IGNORECASE)
        if first and first.start() < linked.get(term, len(text)):
            uses.append(Use(term, *first.span()))
        prose = re.sub(forms, lambda match: " " * len(match[0]), prose, flags=re.IGNORECASE)
    return uses


def with_links(text: str) -> str:
    """Return the page with its first uses linked."""
    for use in sorted(unlinked(text), key=lambda use: -use.start):
        words = text[use.start : use.end]
        role = f"{{term}}`{words}`" if words == use.term else f"{{term}}`{words} <{use.term}>`"
        text = text[: use.start] + role + text[use.end :]
    return text


def pages() -> list[Path]:
    """Return the pages with sentences."""
    left_out = {ROOT / "docs" / name for name in LEFT_OUT}
    return [page for page in sorted((ROOT / "docs").rglob("*.md")) if page not in left_out]


def main() -> None:
    """Link the first uses on the pages named, or on all."""
    for page in [Path(name).resolve() for name in sys.argv[1:]] or pages():
        page.write_text(with_links(page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()

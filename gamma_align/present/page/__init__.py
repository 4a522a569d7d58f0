"""The report: one HTML file with the agreement of annotators, their disagreements, and the questions to settle.

`report` measures, `page` assembles the sections, and `templates` contains their HTML. Drawings of documents are in
`figures`; texts and tables of the terminal are in `present`.
"""

from gamma_align.lazy import door

_NAMES = {
    "card_html": ("CardHtml",),
    "cards": ("Card", "Cards", "Lane"),
    "changes": ("ChangesReport", "changes_page"),
    "environment": ("safe", "source"),
    "keywords": ("ReportOptions",),
    "numbers": ("bounds", "decimal", "interval", "percent"),
    "page_options": ("REPORT_OPTIONS",),
    "report": ("Report", "report_of"),
}

__getattr__, __all__ = door(__name__, _NAMES)

"""Results as tables, texts, pictures and pages.

A module `…_tables` makes a `table.Table` of a result: its columns, with kind and priority, and its rows. A module of
`writers` renders any table: as text, CSV, Markdown, LaTeX, HTML, records for JSON, or a data frame. `figures` draws
units and numbers as SVG, `plots` draws with Matplotlib, `page` builds the HTML report, `citation` the sentence to cite.
Not here: the computation of results, and the names of options (`apps`). The type handed on is `table.Table`.
"""

from gamma_align.lazy import door

_NAMES = {
    "bibliography": ("bibtex",),
    "ceiling_tables": ("ceiling_table",),
    "comparison_tables": ("comparison_table", "symbol"),
    "comparison_lines": ("comparison_text",),
    "consensus_tables": ("decisions_table", "units_table"),
    "curve_tables": ("plan_table", "points_table", "power_table"),
    "curve_text": ("curve_svg", "plan_text", "power_text"),
    "disagreements_tables": ("alignments_table", "shortened_tables"),
    "evaluation_tables": (
        "SEGMENTATION_SYMBOLS",
        "evaluation_table",
        "pairwise_f1_table",
        "pairwise_segmentation_table",
    ),
    "evaluation_text": ("pairwise_f1_text", "segmentation_text", "signatures"),
    "families_tables": ("contributions_by_document",),
    "gate": ("Check", "NOT_AVAILABLE", "junit_xml", "messages", "summary", "workflow_command"),
    "items_tables": ("coefficients_table", "confusions_table", "with_aickin"),
    "items_text": ("Extras",),
    "listing": ("Listing",),
    "look_text": ("further_text",),
    "notebook": ("result_html",),
    "pairwise_tables": ("pairwise_table", "pairwise_text"),
    "paper_tables": ("compared_tables",),
    "printed": ("result_text",),
    "replacement_tables": ("replacement_table",),
    "result_tables": ("frame_table",),
    "rounds_tables": ("rounds_table", "rounds_text", "tables_of_rounds"),
    "symbols": ("prefix_of", "symbol_of"),
    "table": ("FormNames", "Table"),
    "unitizing_tables": ("older_table",),
    "units_text": ("families_text", "gamma_text", "older_text", "unitizing_text"),
    "validation_text": ("validation_data",),
    "unit_changes_tables": ("changed_table", "unit_tables"),
    "unit_changes_lines": ("unit_changes_text",),
}

__getattr__, __all__ = door(__name__, _NAMES)

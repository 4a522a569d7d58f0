"""The fates of units as text."""

from __future__ import annotations

from gamma_align.data import printable
from gamma_align.insight.comparison import UnitChanges
from gamma_align.present.comparison_lines import fates_lines
from gamma_align.present.comparison_tables import SIDES
from gamma_align.present.table import NEUTRAL, FormNames
from gamma_align.present.unit_changes_tables import changed_table, counts_table, labels_table
from gamma_align.present.writers.lines import blocks_text
from gamma_align.present.writers.text import section_lines, table_lines, titled_lines


def unit_changes_text(result: UnitChanges, rows: int = 10, form_names: FormNames = NEUTRAL) -> str:
    """Return documents, units by fate, labels, at most `rows` units that are not the same, and the signature."""
    return blocks_text(
        [
            [f"{side}  {printable(name)}" for side, name in zip(SIDES, result.names, strict=True)],
            [*fates_lines(result.fates, rows)],
            table_lines(counts_table(result)),
            section_lines(labels_table(result)),
            titled_lines(changed_table(result), rows, form_names),
            [printable(result.signature)],
        ]
    )

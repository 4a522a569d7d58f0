"""A human ceiling as text for a terminal."""

from __future__ import annotations

import math

from gamma_align.data import counted, decimal, printable
from gamma_align.insight.ceiling import Ceiling
from gamma_align.present.ceiling_tables import labels_table, scores_table
from gamma_align.present.table import NEUTRAL, FormNames
from gamma_align.present.writers.lines import blocks_text
from gamma_align.present.writers.text import section_lines, titled_lines


def ceiling_text(result: Ceiling, rows: int = 10, form_names: FormNames = NEUTRAL) -> str:
    """Return the scores, the model's verdict, at most `rows` labels, and the signature."""
    head = f"{counted(result.annotators, 'annotator')}, {counted(result.documents, 'document')}"
    score = result.score
    scores = section_lines(scores_table(result), title=head, form_names=form_names)
    if score.no_interval:
        scores.append(f"  no interval: {score.no_interval}")
    if not math.isnan(score.precision):
        best = f"precision {decimal(score.precision)}, recall {decimal(score.recall)}"
        scores.append(f"  the best answer has {best}; these are no ceilings by themselves")
    blocks = [scores]
    if result.model is not None:
        blocks.append([result.model.sentence])
    if result.labels:
        blocks.append(titled_lines(labels_table(result), rows, form_names))
        blocks.append([f"mean of labels {decimal(result.mean_of_labels, 3)}: the macro ceiling"])
    return blocks_text([*blocks, [printable(result.signature)]])

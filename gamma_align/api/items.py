"""Coefficients on items, of judgments in any form."""

from __future__ import annotations

import os

from gamma_align.api.sources import Reader
from gamma_align.data import ItemSource, ItemTable, item_sources
from gamma_align.measures.items import categories, coefficients, latent, two_coders


def table_of(source: ItemSource, caller: str) -> ItemTable:
    """Return the table of items of a source, read if it is a path; InputError as of `read_items`, or if it is none."""
    if isinstance(source, (str, os.PathLike)):
        from gamma_align.reading import read_items

        return read_items(source)
    return item_sources.items_of(source, caller)


TABLE = Reader(table_of, "ItemTable, matrix, data frame, columns, records or path")
aickin = TABLE.public(latent.aickin, __name__)
latent_classes = TABLE.public(latent.latent_classes, __name__)
by_category = TABLE.public(categories.by_category, __name__)
by_item = TABLE.public(categories.by_item, __name__)
by_pair = TABLE.public(categories.by_pair, __name__)
coder_agreement = TABLE.public(categories.coder_agreement, __name__)
coincidence_matrix = TABLE.public(categories.coincidence_matrix, __name__)
confusion_matrix = TABLE.public(categories.confusion_matrix, __name__)
item_agreement = TABLE.public(coefficients.item_agreement, __name__)
item_coefficient = TABLE.public(coefficients.item_coefficient, __name__)
krippendorff_alpha = TABLE.public(coefficients.krippendorff_alpha, __name__)
chance_report = TABLE.public(two_coders.chance_report, __name__)

"""The first look at data in any form."""

from __future__ import annotations

from gamma_align.api.insight import corpus_or_table
from gamma_align.api.sources import FORMS, Reader
from gamma_align.data import Corpus, ItemTable, Source, is_frame, is_path, items_of
from gamma_align.errors import UnknownMeaningError
from gamma_align.insight.look import look as _look


def _either(source: Source | ItemTable, caller: str) -> Corpus | ItemTable:
    """Return a table of items as it is, and what a path holds; any other source as `corpus_of` does."""
    if is_path(source):
        from gamma_align.reading import read_either

        return read_either(source)
    try:
        return corpus_or_table(source, caller)
    except UnknownMeaningError:
        if not is_frame(source):
            raise
        return items_of(source, caller)


look = Reader(_either, f"{FORMS}; or ItemTable").public(_look.look, __name__)

"""Units in memory as `read` and `validate` take them: with every problem, like the units of a file."""

from __future__ import annotations

import os
from collections.abc import Mapping

import numpy as np

from gamma_align.data.build import check_tables
from gamma_align.data.continuum import Continuum
from gamma_align.data.corpus import Corpus
from gamma_align.data.sources import Source, tables_of
from gamma_align.data.tables import Table
from gamma_align.errors import Cure, Set, SettingsError
from gamma_align.reading.contents import Contents
from gamma_align.reading.marks.choices import checked_texts
from gamma_align.reading.texts import add_texts

_IN_MEMORY = ("columns", "outside", "texts")


def check_in_memory(settings: Mapping[str, object], defaults: Mapping[str, object]) -> None:
    """Refuse a setting that differs from its default and makes sense for files only."""
    for name, value in settings.items():
        if name not in _IN_MEMORY and value != defaults.get(name):
            raise SettingsError(
                f"{name} is for files, and the data are in memory",
                Cure("leave it out; data in memory take {}, {} and {}", *map(Set, _IN_MEMORY)),
            )


def contents_in_memory(
    source: Source,
    caller: str,
    *,
    columns: Mapping[str, str | None] | None = None,
    outside: str = "refuse",
    texts: str | os.PathLike[str] | Mapping[str, str | None] | None = None,
    swap: bool = False,
) -> Contents:
    """Return the units of a source in memory, and every problem that keeps them from being a corpus.

    `caller` is the function that an error names.
    """
    kind = type(source).__name__
    contents = Contents(kind, f"{kind} in memory", 0)
    with contents.keeping():
        units, annotations, documents = tables_of(source, caller, columns)
        checked = check_tables(
            Table.of(units, "units"),
            annotations=None if annotations is None else Table.of(annotations, "annotations"),
            documents=None if documents is None else Table.of(documents, "documents"),
            columns=columns,
            outside=outside,
            swap=swap,
            split_lists=not isinstance(source, (Corpus, Continuum)),
        )
        contents.checked, contents.layer = checked, np.zeros(len(checked.rows.table), dtype=np.int64)
        contents.notes += checked.say_versions()
        contents.problems += checked.problems
        contents.versions = checked.versions
        for swapped in checked.swapped:
            contents.swapped += map(str, swapped.single_problems())
    if isinstance(source, Corpus):
        contents.notes += source.notes
        texts_of_corpus = zip(source.documents, source.texts or (), strict=False)
        contents.texts = {name: text for name, text in texts_of_corpus if text is not None}
    named_texts = checked_texts(texts)
    if named_texts is not None:
        add_texts(contents, named_texts)
    return contents

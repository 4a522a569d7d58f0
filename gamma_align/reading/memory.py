"""Units in memory as `read` and `validate` take them: with every problem, like the units of a file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from gamma_align.data import Continuum, Corpus, Source, Table, cells_of, check_tables, corpus_of, tables_of
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


def corpus_told(
    source: object, caller: str, columns: Mapping[str, str | None] | None = None, outside: str = "refuse"
) -> Corpus | None:
    """Return the corpus of a table in memory whose names of columns leave a doubt; None if its data do, too.

    `columns` are those that the user gives for roles.
    """
    from gamma_align.reading.intake.decide import columns_of, decision
    from gamma_align.reading.intake.rows import Rows
    from gamma_align.reading.marks.choices import Choices

    units, annotations, documents = tables_of(source, caller, columns)
    if annotations is not None or documents is not None:
        return None
    table = Table.of(units, "units")
    cells = {name: cells_of(values) for name, values in table.columns.items()}
    rows = Rows(table.origin, cells, [f"row {row + 1}" for row in range(len(table))])
    found = decision([rows], table.origin, Choices(), columns or {})
    told = None if found is None or found.question is not None else columns_of(found.reading.mapping)
    if found is None or told is None:
        return None
    corpus = corpus_of(source, caller, columns=told, outside=outside)
    return replace(corpus, notes=(found.note, *corpus.notes))


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
        contents.checked = checked
        contents.layer = np.zeros(len(checked.rows.table), dtype=np.int64)
        contents.notes += checked.say_versions()
        contents.problems += checked.problems
        contents.versions = checked.versions
        for swapped in checked.swapped:
            contents.swapped += map(str, swapped.single_problems())
    if isinstance(source, Corpus):
        contents.notes += source.notes
        texts_of_corpus = zip(source.documents, source.texts or (), strict=False)
        contents.texts = {name: text for name, text in texts_of_corpus if text is not None}
        tokens_of_corpus = zip(source.documents, source.tokens or (), strict=False)
        contents.tokens = {name: tokens for name, tokens in tokens_of_corpus if tokens is not None}
    named_texts = checked_texts(texts)
    if named_texts is not None:
        add_texts(contents, named_texts)
    return contents

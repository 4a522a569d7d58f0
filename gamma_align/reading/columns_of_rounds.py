"""A table whose rows belong to several rounds, versions or guidelines, which a column names: a corpus for each."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from gamma_align.data import Corpus, natural_key
from gamma_align.errors import Cure, InputError, Set, SettingsError
from gamma_align.reading.read import read

_SEPARATOR = "\x1f"  # of the name of a document and the round: the unit separator, which no name contains


def by_column(path: str | os.PathLike[str], column: str, **settings: object) -> dict[str, Corpus]:
    """Return the corpus of each value of a column, in the order in which people count; settings are as in `read`.

    Raises
    ------
    InputError
        As `read`; if a row has no value.
    SettingsError
        As `read`; if the settings name documents or the column of layers otherwise.
    """
    columns = settings.pop("columns", None)
    columns = dict(columns) if isinstance(columns, Mapping) else {}
    if "layer" in columns:
        raise SettingsError("rounds are read as layers, so that the column of layers cannot be another one")
    if settings.get("document") is not None or settings.get("layers") is not None:
        raise SettingsError("rounds are read as layers of documents, which cannot be named or selected otherwise")
    if settings.get("annotations") is not None:
        raise SettingsError("a table of annotations does not say in which round a document was seen")
    named = {"columns": {**columns, "layer": column}, "document": f"{{document}}{_SEPARATOR}{{layer}}"}
    corpus = read(path, **{**settings, **named})  # type: ignore[arg-type]  # `read` checks them
    # A table of documents names them without a round.
    declared = {name: index for index, name in enumerate(corpus.documents) if _SEPARATOR not in name}
    groups: dict[str, list[str]] = {}
    for name in corpus.documents:
        if name not in declared:
            groups.setdefault(name.rpartition(_SEPARATOR)[2], []).append(name)
    if "" in groups:
        raise InputError(
            f"rows without a value of {column!r}", Cure("name the round of each row, or {}", Set("layers"))
        )
    return {group: _of_round(corpus, groups[group], declared) for group in sorted(groups, key=natural_key)}


def _of_round(corpus: Corpus, names: list[str], declared: Mapping[str, int]) -> Corpus:
    """Return the documents of a round with their own names and, if they are declared, with their extents and texts."""
    own = corpus.select(documents=names)
    own = own.rename(documents={name: name.rpartition(_SEPARATOR)[0] for name in names})
    extents = own.extents.copy()
    texts = list(own.texts or (None,) * len(own))
    for index, name in enumerate(own.documents):
        if name in declared:
            extents[index] = corpus.extents[declared[name]]
            texts[index] = texts[index] if corpus.texts is None else corpus.texts[declared[name]]
    is_within = np.all((own.start >= extents[own.unit_document, 0]) & (own.end <= extents[own.unit_document, 1]))
    if not is_within:
        raise InputError("a unit is outside the declared extent of its document")
    return replace(own, extents=extents, texts=tuple(texts) if any(text is not None for text in texts) else None)

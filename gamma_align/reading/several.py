"""Several paths as one corpus: files of different kinds belong together if their documents and texts agree."""

from __future__ import annotations

import os
from collections.abc import Sequence

from gamma_align.data import Corpus, in_one_unit
from gamma_align.errors import InputError
from gamma_align.reading.contents import in_two


def one_corpus(paths: Sequence[str | os.PathLike[str]], corpora: Sequence[Corpus]) -> Corpus:
    """Return the corpora that were read at these paths as one.

    Raises
    ------
    InputError
        If two contain an annotator of the same document, or bounds or texts of a document do not fit together.
    """
    names = [os.fspath(path) for path in paths]
    if len(corpora) == 1:
        return corpora[0]
    repeated = in_two(
        (path, corpus.documents[document], corpus.annotators[annotator])
        for path, corpus in zip(names, corpora, strict=True)
        for document, annotator in zip(corpus.seen_document.tolist(), corpus.seen.tolist(), strict=True)
    )
    if repeated is not None:
        raise InputError(repeated)
    parts = [*zip(names, in_one_unit(corpora, names), strict=True)]
    while len(parts) > 1:  # in pairs: merging one after the other would copy the first corpus each time
        parts = [_merged(parts[index : index + 2]) for index in range(0, len(parts), 2)]
    return parts[0][1]


def _merged(parts: list[tuple[str, Corpus]]) -> tuple[str, Corpus]:
    """Return one or two corpora as one, with the first path."""
    if len(parts) == 1:
        return parts[0]
    (path, corpus), (second_path, second_corpus) = parts
    try:
        return path, corpus.merge(second_corpus)
    except InputError as error:
        raise error.prefixed(f"{path} and {second_path}") from None

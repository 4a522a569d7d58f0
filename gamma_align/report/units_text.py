"""Units as delimited text: with a header, and in the form of the corpus shuffling tool."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from gamma_align.errors import SettingsError
from gamma_align.report._plain import number

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gamma_align.data.corpus import Corpus


def units_table(corpus: Corpus, delimiter: str = ",") -> str:
    """Return the units, a row each, with a header."""
    header = ("document", "annotator", "start", "end", "category")
    rows = (
        (name, unit.annotator, _bound(unit.start), _bound(unit.end), "" if unit.category is None else unit.category)
        for name in corpus
        for unit in corpus[name].units()
    )
    return _text([header, *rows], delimiter)


def tool_csv(corpus: Corpus) -> str:
    """Return the units of the only document without a header: annotator, category, start, end.

    Raises
    ------
    SettingsError
        For several documents, which this form does not tell apart.
    """
    if len(corpus) != 1:
        raise SettingsError(
            f"the shuffling tool's CSV holds one document, and there are {len(corpus)}; choose another format"
        )
    rows = (
        (unit.annotator, "" if unit.category is None else unit.category, _bound(unit.start), _bound(unit.end))
        for unit in corpus.continuum(0).units()
    )
    return _text(rows, ",")


def _bound(value: float) -> str:
    return number(value) if value.is_integer() and abs(value) < 1e15 else repr(value)  # noqa: PLR2004


def _text(rows: Iterable[Sequence[str]], delimiter: str) -> str:
    stream = io.StringIO()
    csv.writer(stream, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return stream.getvalue()

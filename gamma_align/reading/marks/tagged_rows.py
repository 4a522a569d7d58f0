"""Rows of single tokens with tags as categories (``B-PER``, ``I-PER``), as pipelines write them, joined to units."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from gamma_align.data import few
from gamma_align.errors import Cure, InputError, Location, Note, Set
from gamma_align.reading.marks.choices import Choices
from gamma_align.reading.marks.gather import Gathered
from gamma_align.reading.marks.marks import WordedMarks
from gamma_align.reading.marks.notations import SCHEMES, Notation, notation_of_labels
from gamma_align.reading.marks.tags import Decoded, Decoder

_MAX_GAP = 1  # characters between two tokens: a blank


def join_tags(units: Gathered, texts: Mapping[str, str], choices: Choices, location: str) -> None:
    """Join the units of formats whose rows may be tokens if their categories are tags of tokens.

    If the user chooses categories, all units are left as they are.

    Raises
    ------
    InputError
        If columns of tags were read as categories alone, if a category is no tag, or if other tokens may be between two
        tokens of a unit.
    """
    if choices.labels:
        return
    labels = {label for code in np.unique(units.label).tolist() if (label := units.labels[code])}
    _refuse_other_notation(units, labels)
    notation = notation_of_labels(labels)
    if notation is None or not all(marks.may_be_tokens or isinstance(marks, WordedMarks) for marks in units.marks):
        return
    if any(isinstance(marks, WordedMarks) for marks in units.marks):
        label_parts = {label: parts for label in sorted(labels) if (parts := notation.split(label)) is not None}
        letters = {parts.letter for parts in label_parts.values()}
        scheme = next((name for name, prefixes in SCHEMES.items() if letters <= set(prefixes)), None)
        raise _misread(f"each of {few(map(repr, label_parts), 3)} is a tag of tokens", scheme, Location(location))
    n_rows = len(units.start)
    codes = {label: code for code, label in enumerate(units.labels)}
    kept = []
    for rows in _rows_by_layer(units):
        for first, last, category in _decode_rows(units, rows, notation, texts):
            units.end[first] = units.end[last]
            units.label[first] = codes.setdefault(category, len(codes))
            kept.append(first)
    units.labels = list(codes)
    units.keep(np.array(sorted(kept), dtype=np.int64))
    cause = f"the categories are tags of tokens ({notation.example}): {n_rows} rows are joined to {len(kept)} units"
    units.notes.append(Note(cause, Cure("take each row as a unit with {}", Set("labels", sorted(labels)))))


def _refuse_other_notation(units: Gathered, labels: set[str]) -> None:
    """Refuse categories of a column of tags that another file shows to be tags in its notation."""
    worded = [marks for marks in units.marks if isinstance(marks, WordedMarks)]
    shown = {notation: (marks.file, scheme) for marks in worded for notation, scheme in marks.notations.items()}
    for notation, (file, scheme) in shown.items():
        for marks in (marks for marks in worded if not marks.notations):
            label_parts = {
                label: notation.split(label) for label in sorted(labels.intersection(filter(None, marks.labels)))
            }
            for label, parts in label_parts.items():
                if parts is not None and (parts.category in labels or all(label_parts.values())):
                    cause = f"is a tag of tokens as in {file} ({notation.example})"
                    raise _misread(f"the category {label!r} {cause}", scheme, Location(marks.file))


def _misread(cause: str, scheme: str | None, location: Location) -> InputError:
    """Return the error that tags of tokens would be read as categories, with the cures."""
    return InputError(
        f"{cause}, and would be read as a category alone",
        Cure(
            "name the scheme of the tags with {}, or, if it is a category, choose the categories with {}",
            Set("options", {"scheme": scheme or "iob1"}),
            Set("labels"),
        ),
        location,
    )


def _rows_by_layer(units: Gathered) -> Iterator[list[int]]:
    """Yield the rows of each owner and layer, sorted by their bounds."""
    groups: dict[tuple[int, str | None], list[int]] = {}
    for marks, rows in units.slices():
        for row, index in enumerate(units.index[rows].tolist(), rows.start):
            groups.setdefault((int(units.owner[row]), marks.keys[marks.key[index]].layer), []).append(row)
    for group in groups.values():
        yield sorted(group, key=lambda row: (units.start[row], units.end[row]))


def _decode_rows(
    units: Gathered, rows: list[int], notation: Notation, texts: Mapping[str, str]
) -> Iterator[tuple[int, int, str | None]]:
    """Yield the first row, the last row and the category of each unit that tags in these rows describe.

    Raises an `InputError` for a tag that cannot be read.
    """
    decoder = Decoder()
    decoded: list[Decoded] = []
    before: int | None = None
    for token, row in enumerate(rows):
        label = units.labels[units.label[row]] or ""
        if before is not None and not _can_continue(units, before, row, label, notation, texts):
            decoded += decoder.end(token)
        decoded += decoder.tag(token, notation.standardised(label), row)
        before = row
    decoded += decoder.end(len(rows))
    if decoder.problems:
        problem = decoder.problems[0]
        raise InputError(problem.cause, problem.cure, units.location(problem.line))
    for unit in decoded:
        yield rows[unit.start], rows[unit.end - 1], unit.category


def _can_continue(
    units: Gathered, before: int, row: int, label: str, notation: Notation, texts: Mapping[str, str]
) -> bool:
    """Return whether a unit whose last token is in row `before` may continue in `row`: no other token is between them.

    Without a text, a gap of more than a blank is refused with an `InputError`: other tokens may be in it.
    """
    parts = notation.split(label)
    parts_before = notation.split(units.labels[units.label[before]] or "")
    if parts is None or parts_before is None or parts.letter == "B" or parts.category != parts_before.category:
        return True  # the tags alone end the unit
    text = texts.get(units.owners[units.owner[row]].document)
    if text is not None:
        return not text[int(units.end[before]) : int(units.start[row])].strip()
    gap = units.start[row] - units.end[before]
    if gap > _MAX_GAP:
        raise InputError(
            f"the tag {label!r} continues a unit, and the last token of this category ends {gap:.15g} before: other "
            "tokens may be between",
            Cure(
                "join the tokens of each unit before (in transformers: aggregation_strategy='simple'), or take each "
                "row as a unit with {}",
                Set("labels", sorted({label for label in units.labels if label})),
            ),
            units.location(row),
        )
    return True

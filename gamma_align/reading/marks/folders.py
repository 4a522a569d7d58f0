"""Whether folders are annotators or documents, by the texts and recordings that were annotated.

Names alone cannot tell: `alice` in doc1 and doc2 may be an annotator or a document. All annotators of a document have
the same text or recording, and documents differ in it.
"""

from __future__ import annotations

import math
import operator
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from gamma_align.data import few
from gamma_align.errors import Cure, InputError, Location
from gamma_align.reading.marks.marks import Marks, WordedMarks
from gamma_align.reading.places.layout import Layout, Placed
from gamma_align.reading.places.namings import Naming

_AGREEING_MIN = 0.75  # of pairs of files: real collections have some texts that annotators changed
_OTHERS_MAX = 0.25  # of pairs of files, read the other way: some documents are equally long by chance
_EXACT_TOLERANCE = 1e-6  # relative: tools write times with six decimals or more
_ROUGH_TOLERANCE = 0.01  # relative: tools round the end of a recording, and people set the last boundary by hand
_MIN_SHARE_OF_VERSIONS = 0.8  # share of words: two annotators' versions of one text; other texts share fewer
_MIN_SHARE_RELATED = 0.3  # share of words: texts of one language share fewer
_TEXT_UNITS = ("char", "token")  # units of length in which the last boundary tells nothing of the end of the document


class _Evidence(NamedTuple):
    """A property of the material in a file, by which files of one document are recognised.

    `value` returns it, or ``None`` if the file does not have it. `agree` compares it in two files.
    """

    name: str
    value: Callable[[Sequence[Marks]], Any]
    agree: Callable[[Any, Any], bool]


def name_by_material(
    layout: Layout, marked: Sequence[tuple[Placed, Marks]], folder: Path
) -> tuple[list[tuple[Placed, Marks]], str]:
    """Return the marks, named by the reading of the paths that fits the annotated material, and a note on the reason.

    Raises an `InputError` with a template for each way to read the paths, if nothing decides between them.
    """
    marks_of: dict[str, list[Marks]] = defaultdict(list)
    for placed, marks in marked:
        marks_of[placed.source.name].append(marks)
    files = [marks_of[placed.source.name] for placed in layout.files]
    naming, evidence = _decide(layout.namings, files)
    if naming is None:
        raise _undecided_error(layout, files, folder)
    names_of = {placed.source.name: names for placed, names in zip(layout.files, naming.fields, strict=True)}
    renamed = [(placed._replace(fields=names_of[placed.source.name]), marks) for placed, marks in marked]
    reason = f" (files of one document have the same {evidence})" if evidence else ""
    return renamed, f"{folder.name or folder}: {naming.note}{reason}"


def _decide(namings: Sequence[Naming], files: Sequence[Sequence[Marks]]) -> tuple[Naming | None, str]:
    """Return the way to read the paths, and the name of the evidence for it ("" if none was needed).

    The way is ``None`` if nothing decides. `files` has the marks of each file.
    """
    first = namings[0]
    seen = chain.from_iterable(marks.seen for marks in chain.from_iterable(files))
    if any(key.document is not None for key in seen):
        return first, ""  # the files name their documents, so folders are none
    rivals = [naming for naming in namings if naming.pairs]
    if not rivals:
        return first, ""
    # Files of equal names may still be of different documents: their texts decide.
    if rivals == [first]:
        texts = [_text(marks) for marks in files]
        return (None if _agreement(first.pairs, texts, _RELATED_TEXTS) == 0 else first), ""
    for evidence in _EVIDENCE_BY_STRENGTH:
        values = [evidence.value(marks) for marks in files]
        fitting = [naming for naming in rivals if _fits(naming, rivals, values, evidence)]
        if fitting:
            return fitting[0], evidence.name
    return (None if first in rivals else first), ""


def _fits(naming: Naming, rivals: Sequence[Naming], values: Sequence[object], evidence: _Evidence) -> bool:
    """Return whether files of one document agree, while files of other documents, or of a rival's, do not.

    `values` has the value of the evidence for each file; false if no files can be compared.
    """
    within = _agreement(naming.pairs, values, evidence)
    between = _agreement(naming.pairs_between, values, evidence)
    rival_agreements = [_agreement(rival.pairs, values, evidence) or 0.0 for rival in rivals if rival != naming]
    if within is None or between is None:
        return False
    return within >= _AGREEING_MIN and max(between, *rival_agreements, 0.0) <= _OTHERS_MAX


def _agreement(pairs: Sequence[tuple[int, int]], values: Sequence[object], evidence: _Evidence) -> float | None:
    """Return the share of pairs of files that agree; ``None`` if no pair can be compared.

    `pairs` has indices into `values`.
    """
    compared = [(values[first], values[second]) for first, second in pairs]
    agreements = [evidence.agree(*pair) for pair in compared if None not in pair]
    return sum(agreements) / len(agreements) if agreements else None


def _undecided_error(layout: Layout, files: Sequence[Sequence[Marks]], folder: Path) -> InputError:
    """Return the error that nothing decides how to read the paths, with a template for each way."""
    rivals = [naming for naming in layout.namings if naming.pairs]
    compared = [
        evidence.name for evidence in _EVIDENCE_BY_STRENGTH if any(evidence.value(marks) is not None for marks in files)
    ]
    if len(rivals) == 1:
        rivals = [layout.namings[0], layout.namings[-1]]
        cause = "files of one name in several folders have different texts"
    elif compared:
        cause = f"the content of the files does not decide it (compared: {', '.join(dict.fromkeys(compared))})"
    else:
        cause = "the files have no texts or lengths that could decide it"
    folder_path = folder.as_posix().rstrip("/")
    templates = ", or ".join(f"'{folder_path}/{naming.template}' if {naming.meaning}" for naming in rivals)
    paths = few((placed.source.name for placed in layout.files), 3)
    return InputError(
        f"the paths ({paths}) do not tell whether folders are annotators or documents, and {cause}",
        Cure("give the path {}", templates),
        Location(folder.name or str(folder)),
    )


def _text(marks: Sequence[Marks]) -> str | None:
    """Return the text of a file, ``None`` unless it has exactly one."""
    texts = set(chain.from_iterable(file_marks.texts.values() for file_marks in marks))
    return texts.pop() if len(texts) == 1 else None


def _tokens(marks: Sequence[Marks]) -> tuple[str, ...] | None:
    """Return the tokens that a file spells out, ``None`` unless it has exactly one list of them."""
    all_words = (file_marks.words.values() for file_marks in marks if isinstance(file_marks, WordedMarks))
    worded = list(chain.from_iterable(all_words))
    return tuple(worded[0].tokens) if len(worded) == 1 else None


def _covered_words(marks: Sequence[Marks]) -> dict[tuple[float, float], str] | None:
    """Return the text that each unit of a file covers, by the bounds of the unit; ``None`` if none states its text."""
    covered = {
        (file_marks.start[index], file_marks.end[index]): text
        for file_marks in marks
        for index, text in file_marks.surface.items()
    }
    return covered or None


def _length(marks: Sequence[Marks]) -> float | None:
    """Return the length of the recording of a file, ``None`` unless it has exactly one."""
    ends = {end for _, end in chain.from_iterable(file_marks.extents.values() for file_marks in marks)}
    return ends.pop() if len(ends) == 1 else None


def _last_boundary(marks: Sequence[Marks]) -> float | None:
    """Return the last boundary in a recording, ``None`` if it is measured in text.

    It is about the end of the recording if annotators divided it into segments.
    """
    ends = [
        max(file_marks.end) for file_marks in marks if len(file_marks) and file_marks.length_unit not in _TEXT_UNITS
    ]
    return max(ends, default=None)


def _share_of_words(first: str, second: str) -> float:
    """Return the words that two texts share, relative to the words of both (multiset Jaccard index)."""
    first_words = Counter(first.split())
    second_words = Counter(second.split())
    return (first_words & second_words).total() / max((first_words | second_words).total(), 1)


def _are_related(first: str, second: str) -> bool:
    """Return whether two texts are equal or share enough words to be of one document, in any version."""
    return first == second or _share_of_words(first, second) >= _MIN_SHARE_RELATED


def _are_versions(first: str, second: str) -> bool:
    """Return whether two texts are equal or share most of their words."""
    return first == second or _share_of_words(first, second) >= _MIN_SHARE_OF_VERSIONS


def _cover_the_same(first: dict[tuple[float, float], str], second: dict[tuple[float, float], str]) -> bool:
    """Return whether two files have a unit in common, and no unit with these bounds covers other words."""
    shared = first.keys() & second.keys()
    return bool(shared) and all(first[bounds] == second[bounds] for bounds in shared)


_RELATED_TEXTS = _Evidence("text", _text, _are_related)
# The strongest evidence comes first: a weaker kind counts only if the stronger ones decide nothing.
_EVIDENCE_BY_STRENGTH = (
    _Evidence("text", _text, operator.eq),
    _Evidence("text", _text, _are_versions),
    _Evidence("tokens", _tokens, operator.eq),
    _Evidence("words in their units", _covered_words, _cover_the_same),
    _Evidence("length", _length, partial(math.isclose, rel_tol=_EXACT_TOLERANCE)),
    _Evidence("length", _length, partial(math.isclose, rel_tol=_ROUGH_TOLERANCE)),
    _Evidence("last boundary", _last_boundary, partial(math.isclose, rel_tol=_ROUGH_TOLERANCE)),
)

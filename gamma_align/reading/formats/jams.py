"""JAMS, annotations of music: a file for each recording, with several annotators in several namespaces.

Conventions
-----------
* A namespace is a layer; an observation is a unit from `time` to `time` + `duration`, added as decimal numbers, its
  value the category. If values have several features (``{"label": …, "level": …}``), name the category:
  ``layers={"multi_segment": "label"}``. Values other than texts are categories as JSON writes them; NaN is no category,
  and a value of blanks only is no unit.
* The annotator is the name, id or email of ``annotation_metadata.annotator``, whichever comes first. Two annotations of
  a namespace by one annotator are refused unless ``repeated=`` keeps the last, the first (in the order of the file) or
  both, as "Ann" and "Ann (2)". Several annotations of a namespace without annotator are called "annotation 1", …, by
  their positions in the file; a single one takes its annotator from the path.
* The extent is from 0 to the file's duration. Observations are stored row by row, or column by column in old files.

References
----------
Humphrey et al. 2014, JAMS: A JSON Annotated Music Specification for Reproducible MIR Research;
https://jams.readthedocs.io/en/stable/jams_structure.html
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable
from decimal import Decimal
from itertools import count
from typing import NamedTuple

from gamma_align.data import end_of, few
from gamma_align.errors import Cure, InputError, Location, Set
from gamma_align.reading.files import json_files
from gamma_align.reading.files.json_files import FaultError, as_problem, get, maybe, need, number
from gamma_align.reading.formats import Choices, FileFormat, Head, Marks, Source
from gamma_align.reading.marks import seconds
from gamma_align.reading.marks.names import repeated_record

_NAMESPACE_KEY = re.compile(r'"namespace"\s*:\s*"')
_METADATA_KEY = re.compile(r'"(?:annotation|file)_metadata"\s*:\s*\{')
_OBSERVATION_KEYS = ("time", "duration", "value")
_NAME_KEYS = ("name", "id", "email")
_NOTE_TEXTS = {"nan": "{} observations have NaN for a value, and no category", "blank": seconds.BLANK_NOTE}


class _Annotation(NamedTuple):
    """One annotation of the file: its number (from 1), namespace, annotator, and observations."""

    number: int
    namespace: str
    annotator: str | None
    data: list[object]


def _matches(head: Head) -> bool:
    if not head.text.lstrip().startswith("{"):
        return False
    has_keys = _NAMESPACE_KEY.search(head.text) is not None and _METADATA_KEY.search(head.text) is not None
    return head.suffix == ".jams" or (head.suffix == ".json" and has_keys)


def _read(source: Source, choices: Choices) -> Iterable[Marks]:
    marks = Marks(source.name, length_unit="s")
    value = json_files.document(source, constants=True)
    counts: Counter[str] = Counter()
    annotations: list[_Annotation] = []
    with as_problem(marks, None):
        file = need(value, dict, "the file")
        for index, annotation in enumerate(get(file, "annotations", list, "the file"), 1):
            with as_problem(marks, f"annotation {index}"):
                annotations.append(_parse_annotation(index, need(annotation, dict, "the annotation")))
        _extent(marks, maybe(file, "file_metadata", dict, "the file") or {})
    annotations = _with_distinct_annotators(marks, _without_repeated(marks, annotations, choices.repeated))
    features = _features(source.name, annotations, choices)
    for annotated in annotations:
        marks.annotated(annotator=annotated.annotator, layer=annotated.namespace)
        if choices.wants(annotated.namespace):
            for index, observation in enumerate(annotated.data, 1):
                _add_observation(marks, annotated, index, observation, features[annotated.namespace], counts)
    if not annotations:
        marks.annotated()
    marks.note_counts(counts, _NOTE_TEXTS)
    seconds.note_near(marks)
    return (marks,)


def _parse_annotation(index: int, value: dict[str, object]) -> _Annotation:
    """Return an annotation; raise a `FaultError` if it has no namespace or no observations."""
    of = "the annotation"
    namespace = get(value, "namespace", str, of)
    metadata = maybe(value, "annotation_metadata", dict, of) or {}
    data = value.get("data")
    rows = _rows_of_columns(data) if isinstance(data, dict) else need(data, list, f"'data' of {of}")
    return _Annotation(index, namespace, _annotator(metadata.get("annotator")), rows)


def _annotator(value: object) -> str | None:
    """Return the first name, id or address of an annotator, ``None`` if it has none."""
    names = [value.get(key) for key in _NAME_KEYS] if isinstance(value, dict) else [value]
    # An id may be a number.
    texts = (str(name) for name in names if isinstance(name, str | int) and not isinstance(name, bool))
    return next((name for name in texts if name.strip()), None)


def _rows_of_columns(columns: dict[str, object]) -> list[object]:
    """Return the observations of an annotation that is stored by columns; their lengths must be equal."""
    cells = [get(columns, name, list, "'data' of the annotation") for name in _OBSERVATION_KEYS]
    if len({len(column) for column in cells}) > 1:
        lengths = ", ".join(f"{len(column)} of {name}" for name, column in zip(_OBSERVATION_KEYS, cells, strict=True))
        raise FaultError(f"the columns of the annotation differ in length: {lengths}", "correct or delete it")
    return [dict(zip(_OBSERVATION_KEYS, row, strict=True)) for row in zip(*cells, strict=True)]


def _extent(marks: Marks, metadata: dict[str, object]) -> None:
    """Read the extent from the duration of the file; a duration of NaN is noted and ignored."""
    if metadata.get("duration") is not None:
        duration = number(metadata, "duration", "the file's metadata")
        if math.isnan(duration):
            marks.note("the duration of the file is NaN, so its extent is computed from its units")
            return
        if not 0 <= duration < math.inf:
            raise FaultError(f"the duration of the file is {json_files.shown(duration)}", "correct or delete it")
        marks.extents[None] = 0.0, float(duration)


def _without_repeated(marks: Marks, annotations: list[_Annotation], repeated: str) -> list[_Annotation]:
    """Return the annotations without those that another one of the annotator and namespace replaces.

    With "refuse" the repeated annotations are problems, and all are returned.
    """
    if repeated == "apart":
        return annotations
    # The first in this order is kept.
    ordered = annotations[::-1] if repeated == "last" else annotations
    kept: dict[tuple[str, str], int] = {}
    for annotation in ordered:
        if annotation.annotator is not None:
            kept.setdefault((annotation.namespace, annotation.annotator), annotation.number)
    replaced = [
        annotation
        for annotation in annotations
        if annotation.annotator is not None and kept[annotation.namespace, annotation.annotator] != annotation.number
    ]
    if repeated == "refuse":
        for index, namespace, annotator, _ in replaced:
            first = f"annotation {kept[namespace, str(annotator)]}"
            marks.problem(f"annotation {index}", *repeated_record(f"namespace {namespace!r}", str(annotator), first))
        return annotations
    if replaced:
        replacing = "a later" if repeated == "last" else "an earlier"
        marks.note(f"{len(replaced)} annotations are left out for {replacing} one of the same annotator and namespace")
    return [annotation for annotation in annotations if annotation not in replaced]


def _with_distinct_annotators(marks: Marks, annotations: list[_Annotation]) -> list[_Annotation]:
    """Return the annotations, renamed so that each annotation of a namespace has an annotator of its own."""
    times = Counter((annotation.namespace, annotation.annotator) for annotation in annotations)
    taken = set(times)
    done: set[tuple[str, str | None]] = set()
    kept = []
    renamed = []
    for annotation in annotations:
        index, namespace, name, _ = annotation
        if name is None and times[namespace, None] > 1:
            name = f"annotation {index}"
        elif (namespace, name) in done:
            name = next(new for n in count(2) if (namespace, new := f"{name} ({n})") not in taken)
            taken.add((namespace, name))
        if name != annotation.annotator:
            renamed.append(name)
        done.add((namespace, annotation.annotator))
        kept.append(annotation._replace(annotator=name))
    if renamed:
        marks.note(
            f"annotations ({len(renamed)}) of nobody, or of somebody who annotated the namespace before, "
            f"are kept apart as of annotators of their own: {few(map(repr, renamed), 3)}"
        )
    return kept


def _features(file: str, annotations: list[_Annotation], choices: Choices) -> dict[str, str | None]:
    """Return the feature of the values that is the category, for each namespace; ``None`` for values without features.

    Raises an `InputError` if the feature is missing, or if there are several and none is named.
    """
    features_of: dict[str, Counter[str]] = {}
    for annotation in annotations:
        features = features_of.setdefault(annotation.namespace, Counter())
        for row in annotation.data:
            value = row.get("value") if isinstance(row, dict) else None
            if isinstance(value, dict):
                features.update({name: _is_value(cell) for name, cell in value.items()})
    category_features: dict[str, str | None] = {}
    for namespace, features in features_of.items():
        feature = choices.feature(namespace)
        category_features[namespace] = feature or (next(iter(features)) if len(features) == 1 else None)
        if not features and feature is not None:
            raise InputError(
                f"the values of namespace {namespace!r} have no features",
                f"choose it without ':{feature}'",
                Location(file),
            )
        if choices.wants(namespace) and features and category_features[namespace] not in features:
            other_namespaces = [name for name in features_of if name != namespace]
            raise _category_unknown(file, namespace, features, feature, other_namespaces)
    return category_features


def _category_unknown(
    file: str, namespace: str, features: Counter[str], requested: str | None, other_namespaces: list[str]
) -> InputError:
    """Return the error that no feature, or a missing one, is named as the category of a namespace."""
    cause = f"the values of namespace {namespace!r} have the features {', '.join(features)}"
    cause += ", and any may be the category" if requested is None else f", not {requested!r}"
    first = next((name for name, count in features.items() if count), next(iter(features)))
    cure = Cure("name the category with {}", Set("layers", f"{namespace}:{first}"))
    if other_namespaces:
        cure = Cure("{}; or choose of {}", cure, ", ".join(other_namespaces))
    return InputError(cause, cure, Location(file))


def _is_value(value: object) -> bool:
    """Return whether a value is neither missing nor empty nor NaN."""
    return value is not None and value != "" and not (isinstance(value, float) and math.isnan(value))


def _add_observation(
    marks: Marks, annotation: _Annotation, index: int, value: object, feature: str | None, counts: Counter[str]
) -> None:
    """Add an observation as a unit; blank ones are counted and skipped, and NaN is no category."""
    location = f"annotation {annotation.number} ({annotation.namespace}), observation {index}"
    with as_problem(marks, location):
        row = need(value, dict, "the observation")
        time = number(row, "time", "the observation")
        duration = number(row, "duration", "the observation")
        observed = row.get("value")
        if isinstance(observed, dict) and feature is not None:
            observed = observed.get(feature)
        if isinstance(observed, float) and not _is_value(observed):
            counts["nan"] += 1
            observed = None
        elif seconds.is_blank(observed):
            counts["blank"] += 1
            return
        category = observed if observed is None or isinstance(observed, str) else json.dumps(observed, sort_keys=True)
        # Infinite and undefined numbers have no decimal sum; an infinite end makes the unit a problem.
        finite = math.isfinite(time) and math.isfinite(duration)
        end = end_of(Decimal(repr(time)), Decimal(repr(duration))) if finite else math.inf
        marks.unit(time, end, category, location=location, annotator=annotation.annotator, layer=annotation.namespace)


# A file is one recording, so that the path names the document.
FORMAT = FileFormat(
    "jams", "JAMS, annotations of music (.jams)", (".jams", ".json"), _matches, _read, declares=("annotator",)
)

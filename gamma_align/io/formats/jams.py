"""JAMS, annotations of music: a file a recording, with several annotators in several namespaces.

Conventions
-----------
* A namespace is a layer; an observation is a unit from `time` to `time` + `duration`, added as decimal numbers, its
  value the category. Where values have several features (``{"label": …, "level": …}``), say which is the category:
  ``layers={"multi_segment": "label"}``. Values that are no texts are taken as JSON writes them.
* The annotator is what ``annotation_metadata.annotator`` has as name, id or email, the first there is. Somebody who
  annotates a recording twice in a namespace is kept apart: "Ann", "Ann (2)". Several annotations of a namespace that do
  not say who are "annotation 1", …, by their places in the file; a single one takes its annotator from the path.
* The extent is from 0 to the file's duration. Observations row by row, and column by column as in old files.

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

from gamma_align.errors import InputError
from gamma_align.io.files import json_files
from gamma_align.io.files.json_files import FaultError
from gamma_align.io.formats import Choices, FileFormat, Head, Marks, Source
from gamma_align.io.marks import seconds
from gamma_align.io.marks.layer_names import few
from gamma_align.io.marks.seconds import end_of

_NAMESPACE = re.compile(r'"namespace"\s*:\s*"')
_METADATA = re.compile(r'"(?:annotation|file)_metadata"\s*:\s*\{')
_COLUMNS = ("time", "duration", "value")
_NAMED_BY = ("name", "id", "email")


class _Annotation(NamedTuple):
    """One annotation of the file: its place (from 1), namespace, annotator, and what was observed."""

    place: int
    namespace: str
    annotator: str | None
    data: list[object]

    @property
    def where(self) -> str:
        """What messages call it."""
        return f"annotation {self.place} ({self.namespace})"


def _matches(head: Head) -> bool:
    if not head.text.lstrip().startswith("{"):
        return False
    known = _NAMESPACE.search(head.text) is not None and _METADATA.search(head.text) is not None
    return head.suffix == ".jams" or (head.suffix == ".json" and known)


def _read(source: Source, choices: Choices) -> Iterable[Marks]:
    marks = Marks(source.name, length_unit="s")
    file = json_files.document(source)
    annotations: list[_Annotation] = []
    with json_files.as_problem(marks, None):
        file = json_files.need(file, dict, "the file")
        for place, value in enumerate(json_files.get(file, "annotations", list, "the file"), 1):
            with json_files.as_problem(marks, f"annotation {place}"):
                annotations.append(_annotation(place, value))
        _extent(marks, json_files.maybe(file, "file_metadata", dict, "the file"))
    annotations = _kept_apart(marks, annotations)
    features = _features(source.name, annotations, choices)
    for annotation in annotations:
        marks.annotated(annotator=annotation.annotator, layer=annotation.namespace)
        if choices.wants(annotation.namespace):
            for number, value in enumerate(annotation.data, 1):
                _observation(marks, annotation, number, value, features[annotation.namespace])
    if not annotations:
        marks.annotated()
    seconds.note_near(marks)
    return (marks,)


def _annotation(place: int, value: object) -> _Annotation:
    of = "the annotation"
    value = json_files.need(value, dict, of)
    namespace = json_files.get(value, "namespace", str, of)
    metadata = json_files.maybe(value, "annotation_metadata", dict, of) or {}
    data = value.get("data")
    if isinstance(data, dict):
        data = _rows(data)
    return _Annotation(place, namespace, _annotator(metadata), json_files.need(data, list, f"'data' of {of}"))


def _annotator(metadata: dict[str, object]) -> str | None:
    annotator = metadata.get("annotator")
    values = [annotator.get(key) for key in _NAMED_BY] if isinstance(annotator, dict) else [annotator]
    names = (str(name) for name in values if isinstance(name, str | int) and not isinstance(name, bool))
    return next((name for name in names if name.strip()), None)


def _rows(columns: dict[str, object]) -> list[object]:
    """Return the observations of a file that has them column by column."""
    cells = [json_files.get(columns, name, list, "'data' of the annotation") for name in _COLUMNS]
    if len({len(column) for column in cells}) > 1:
        lengths = ", ".join(f"{len(column)} of {name}" for name, column in zip(_COLUMNS, cells, strict=True))
        raise FaultError(f"the columns of the annotation differ in length: {lengths}; correct or delete it")
    return [dict(zip(_COLUMNS, row, strict=True)) for row in zip(*cells, strict=True)]


def _extent(marks: Marks, metadata: dict[str, object] | None) -> None:
    if metadata is None or metadata.get("duration") is None:
        return
    duration = json_files.number(metadata, "duration", "the file's metadata")
    if not 0 <= duration < math.inf:
        raise FaultError(f"the duration of the file is {json_files.shown(duration)}; correct or delete it")
    marks.extents[None] = 0.0, float(duration)


def _kept_apart(marks: Marks, annotations: list[_Annotation]) -> list[_Annotation]:
    """Give each annotation of a namespace an annotator of its own."""
    times = Counter((annotation.namespace, annotation.annotator) for annotation in annotations)
    taken = set(times)
    done: set[tuple[str, str | None]] = set()
    kept, renamed = [], []
    for annotation in annotations:
        namespace, name = annotation.namespace, annotation.annotator
        if name is None and times[namespace, None] > 1:
            name = f"annotation {annotation.place}"
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
            f"are kept apart as of annotators of their own: {few(renamed)}"
        )
    return kept


def _features(file: str, annotations: list[_Annotation], choices: Choices) -> dict[str, str | None]:
    """Return which feature of the values is the category, for each namespace."""
    every: dict[str, dict[str, None]] = {}
    for annotation in annotations:
        features = every.setdefault(annotation.namespace, {})
        for row in annotation.data:
            value = row.get("value") if isinstance(row, dict) else None
            if isinstance(value, dict):
                features.update(dict.fromkeys(value))
    chosen: dict[str, str | None] = {}
    for namespace, features in every.items():
        feature = choices.feature(namespace)
        chosen[namespace] = feature or (next(iter(features)) if len(features) == 1 else None)
        if not features and feature is not None:
            raise InputError(
                f"{file}: the values of namespace {namespace!r} have no features; choose it without ':{feature}'"
            )
        if choices.wants(namespace) and features and chosen[namespace] not in features:
            what = "which is the category?" if feature is None else f"not {feature!r};"
            others = [name for name in every if name != namespace]
            instead = f"; or choose of {', '.join(others)}" if others else ""
            first = next(iter(features))
            raise InputError(
                f"{file}: the values of namespace {namespace!r} have features {', '.join(features)}, {what} name it "
                f"with layers={{{namespace!r}: {first!r}}} (--layers {namespace}:{first}){instead}"
            )
    return chosen


def _observation(marks: Marks, annotation: _Annotation, number: int, row: object, feature: str | None) -> None:
    where = f"{annotation.where}, observation {number}"
    with json_files.as_problem(marks, where):
        row = json_files.need(row, dict, "the observation")
        time, duration = (json_files.number(row, name, "the observation") for name in ("time", "duration"))
        value = row.get("value")
        if isinstance(value, dict) and feature is not None:
            value = value.get(feature)
        category = value if value is None or isinstance(value, str) else json.dumps(value, sort_keys=True)
        whole = math.isfinite(time) and math.isfinite(duration)
        end = end_of(Decimal(repr(time)), Decimal(repr(duration))) if whole else math.inf
        marks.unit(time, end, category, where=where, annotator=annotation.annotator, layer=annotation.namespace)


FORMAT = FileFormat(
    name="jams",
    description="JAMS, annotations of music (.jams)",
    suffixes=(".jams", ".json"),
    declares=frozenset(("annotator",)),
    matches=_matches,
    read=_read,
)

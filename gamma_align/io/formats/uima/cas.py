"""What a UIMA CAS says, whether it was written as XMI or JSON: annotations of the chosen view as units.

Conventions
-----------
* A layer is a type of annotation; where the user names a type that others inherit from, theirs are of its layer.
* Left out are annotations of the whole document, of relations (those with a governor and a dependent), of how the tool
  describes the file; and tokens and sentences, unless the user names them as layers. Tokens are positions.
* The category is the feature that the user names, or the only one that holds a string; ``referenceType`` in chains.
* Bounds count UTF-16 code units.
* Of a type system, the names are read: which types are annotations, and which of their features hold a value. It is
  read here and not by a library, in time linear in the file, whatever it says.

References
----------
Apache UIMA, References, "Component Descriptor Reference": Type System Descriptors, and "CAS Reference": built-in types;
https://uima.apache.org/d/uimaj-current/ref.html
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple
from xml.etree.ElementTree import Element

from gamma_align.errors import InputError, Where
from gamma_align.io.files.json_files import FaultError, as_problem, get, need, shown
from gamma_align.io.files.sources import Source
from gamma_align.io.files.xml_files import children, line, local, root
from gamma_align.io.marks import layer_names
from gamma_align.io.marks.choices import Choices
from gamma_align.io.marks.marks import Marks

OPTIONS = {
    "view": "the view of the text whose annotations are read, or '*' for all, each an annotator's",
    "tokens": "the type of the tokens, where it is not DKPro's",
    "typesystem": "the path of the type system, where it is not beside the file (XMI)",
}

_SENTENCE = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Sentence"
_TOKENS = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Token"
_TECHNICAL = ("de.tudarmstadt.ukp.dkpro.core.api.metadata.type.", "de.tudarmstadt.ukp.clarin.webanno.api.type.")
_RELATION = frozenset(("Governor", "Dependent"))
_CHAIN = frozenset(("referenceType", "referenceRelation"))
_INTEGER = re.compile(r"-?[0-9]{1,18}")
_ANNOTATION = "uima.tcas.Annotation"
_DOCUMENT = "uima.tcas.DocumentAnnotation"
_STRING = "uima.cas.String"

_BASES = {"uima.cas.AnnotationBase": "uima.cas.TOP", _ANNOTATION: "uima.cas.AnnotationBase", _DOCUMENT: _ANNOTATION}
_VALUES = frozenset(f"uima.cas.{name}" for name in ("Boolean", "Byte", "Short", "Integer", "Long", "Float", "Double"))
_PLACE = frozenset(("sofa", "begin", "end"))
_DEEPEST = 100


class Features(NamedTuple):
    """Names of the features of a type, inherited ones first: of strings, of other values, and of what refers."""

    strings: list[str]
    values: list[str]
    references: list[str]


class Types:
    """Types with the type each inherits from, and their own features with the types of their values."""

    def __init__(self, parents: dict[str, str], ranges: dict[str, dict[str, str]], file: str) -> None:
        self.file = file
        self._parents = parents | _BASES
        self._ranges = ranges
        self._ancestors: dict[str, tuple[str, ...]] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._parents

    def ancestors(self, name: str) -> tuple[str, ...]:
        """Return the type and those it inherits from, the nearest first."""
        if name not in self._ancestors:
            names = [name]
            while names[-1] in self._parents and len(names) <= _DEEPEST:
                names.append(self._parents[names[-1]])
            if len(names) > _DEEPEST:
                raise InputError(
                    f"{self.file}: type {name!r} inherits from itself, or through more than {_DEEPEST} others; export "
                    "the type system again"
                )
            self._ancestors[name] = tuple(names)
        return self._ancestors[name]

    def is_annotation(self, name: str) -> bool:
        """Whether the type is one of annotations of a text, and not of all of it."""
        ancestors = self.ancestors(name)
        return _ANNOTATION in ancestors and _DOCUMENT not in ancestors

    def features(self, name: str) -> Features:
        """Return the features of a type, where its annotations are aside."""
        ranges: dict[str, str] = {}
        for ancestor in reversed(self.ancestors(name)):
            ranges |= self._ranges.get(ancestor, {})
        features = Features([], [], [])
        for feature, kind in ranges.items():
            if feature not in _PLACE:
                is_string = _STRING in self.ancestors(kind)  # one of the strings of a list has a type of its own
                group = "strings" if is_string else "values" if kind in _VALUES else "references"
                getattr(features, group).append(feature)
        return features


def types_from_xml(source: Source) -> Types:
    """Return the type system of a descriptor (TypeSystem.xml)."""
    top = root(source)
    if local(top) != "typeSystemDescription":
        raise InputError(
            f"{source.name}, line {line(top)}: is no type system, which begins with <typeSystemDescription>"
            "; export it again with the annotations"
        )
    parents: dict[str, str] = {}
    ranges: dict[str, dict[str, str]] = {}
    for element in top.iter():
        if local(element) == "typeDescription":
            name = _child_text(element, "name", source)
            parents[name] = _child_text(element, "supertypeName", source)
            lists = children(element, "features")
            features = [feature for each in lists for feature in children(each, "featureDescription")]
            names = [_child_text(feature, "name", source) for feature in features]
            kinds = [_child_text(feature, "rangeTypeName", source) for feature in features]
            ranges[name] = dict(zip(names, kinds, strict=True))
    return Types(parents, ranges, source.name)


def _child_text(element: Element, what: str, source: Source) -> str:
    texts = [text for child in children(element, what) if (text := (child.text or "").strip())]
    if texts:
        return texts[0]
    raise InputError(
        f"{source.name}, line {line(element)}: a {local(element)} without {what}; export the type system again"
    )


def types_from_json(types: object, file: str) -> Types:
    """Return the type system that a CAS in JSON has in it (``%TYPES``)."""
    parents: dict[str, str] = {}
    ranges: dict[str, dict[str, str]] = {}
    for name, declared in need(types, dict, "'%TYPES'").items():
        of = f"type {name!r}"
        declaration = need(declared, dict, of)
        parents[name] = get(declaration, "%SUPER_TYPE", str, of)
        ranges[name] = {}
        for feature in (key for key in declaration if not key.startswith("%")):
            what = f"feature {feature!r} of {of}"
            ranges[name][feature] = get(need(declaration[feature], dict, what), "%RANGE", str, what)
    return Types(parents, ranges, file)


class Annotation(NamedTuple):
    """One annotation of a view: its type, line or place, bounds as the file has them, values of features by name."""

    kind: str
    where: Where
    begin: object
    end: object
    values: Mapping[str, object]


class View(NamedTuple):
    """One view: its name, its text (``None`` for what is no text), its annotations."""

    name: str
    text: str | None
    annotations: Sequence[Annotation]


def mark(marks: Marks, views: Sequence[View], types: Types, choices: Choices) -> None:
    """Add the units of the views that are read."""
    name = choices.options.get("view")
    layers = _Layers(types, choices, choices.options.get("tokens") or _TOKENS)
    if not views:
        marks.annotated()
    for view in _chosen(views, name, layers, marks.file):
        annotator = view.name if name == "*" else None
        if view.text is not None:
            marks.texts[None, annotator] = view.text
        _tokens(marks, view, layers, annotator, choices)
        _units(marks, view, layers, annotator, choices)


class _Layers:
    """Which layer annotations of a type are in."""

    def __init__(self, types: Types, choices: Choices, tokens: str) -> None:
        self.types = types
        self.tokens = tokens
        self._choices = choices
        self._known: dict[str, str | None] = {}
        self._relations: set[str] = set()

    def is_token(self, kind: str) -> bool:
        return any(self.tokens in (name, layer_names.short(name)) for name in self.types.ancestors(kind))

    def is_relation(self, kind: str) -> bool:
        self.of(kind)
        return kind in self._relations

    def of(self, kind: str) -> str | None:
        """Return the layer of a type, ``None`` for one that makes no units."""
        if kind not in self._known:
            self._known[kind] = self._layer(kind)
        return self._known[kind]

    def features(self, layer: str) -> tuple[list[str], list[str]]:
        """Return the features of a layer that may be its category: by themselves, and where the user says so."""
        strings, values, _ = self.types.features(layer)
        if self._is_segment(layer):
            return [], strings + values  # what they are called is no category
        if _CHAIN.issubset(strings):
            strings = [name for name in strings if name != "referenceRelation"]  # of the arrow to the next
        return strings, values

    def _layer(self, kind: str) -> str | None:
        if not self.types.is_annotation(kind):
            return None
        if _RELATION.issubset(self.types.features(kind).references):
            self._relations.add(kind)
            return None
        for name in self.types.ancestors(kind):
            if layer_names.is_named(name, self._choices) and (name != _ANNOTATION or name == kind):
                return name
        return None if kind.startswith(_TECHNICAL) or self._is_segment(kind) else kind

    def _is_segment(self, kind: str) -> bool:
        return kind in (_SENTENCE, _TOKENS) or self.is_token(kind)


def _chosen(views: Sequence[View], name: str | None, layers: _Layers, file: str) -> Sequence[View]:
    """Return the views that are read."""
    if name == "*":
        return views
    if name is not None:
        chosen = [view for view in views if view.name == name]
        if not chosen:
            listing = ", ".join(repr(view.name) for view in views) or "none"
            raise InputError(f"{file}: there is no view {name!r}; there are {listing}")
        return chosen
    held = [view for view in views if any(layers.of(annotation.kind) is not None for annotation in view.annotations)]
    if len(held) > 1:
        listing = ", ".join(repr(view.name) for view in held)
        raise InputError(
            f"{file}: annotations in {len(held)} views: {listing}; choose with options={{'view': {held[0].name!r}}} "
            f"(--option view={held[0].name}), or '*' where each is an annotator's"
        )
    return held or views[:1]


def _tokens(marks: Marks, view: View, layers: _Layers, annotator: str | None, choices: Choices) -> None:
    tokens = []
    for annotation in view.annotations:
        if layers.is_token(annotation.kind):
            begin, end = _bound(annotation.begin), _bound(annotation.end)
            if type(begin) is int and type(end) is int and 0 <= begin <= end:
                tokens.append((begin, end, annotation.where))
            elif choices.positions == "tokens":
                marks.problem(annotation.where, f"a token from {begin!r} to {end!r}; correct or delete it")
    tokens.sort(key=lambda token: token[:2])
    for before, after in pairwise(tokens):
        if choices.positions == "tokens" and after[0] < before[1]:
            what = f"the token begins at {after[0]}, before the end {before[1]} of another; correct it"
            marks.problem(after[2], what)
    if tokens:
        marks.tokens[None, annotator] = [token[:2] for token in tokens]


def _units(marks: Marks, view: View, layers: _Layers, annotator: str | None, choices: Choices) -> None:
    by_layer: dict[str, list[Annotation]] = {}
    for annotation in view.annotations:
        layer = layers.of(annotation.kind)
        if layer is not None:
            by_layer.setdefault(layer, []).append(annotation)
    undecided = layer_names.are_several(by_layer, choices)
    if not by_layer:
        marks.annotated(annotator=annotator)
    for layer, members in by_layer.items():
        marks.annotated(annotator=annotator, layer=layer)
        feature = None
        if choices.wants(layer) and not undecided:
            filled = Counter(name for unit in members for name, value in unit.values.items() if _has_text(value))
            feature = layer_names.category_feature(layer, *layers.features(layer), filled, choices, marks.file)
            marks.notes += layer_names.feature_notes(layer, feature, len(members), filled, choices)
        for annotation in members:
            _unit(marks, annotation, feature, layer, annotator)
    left = sum(layers.is_relation(annotation.kind) for annotation in view.annotations)
    if left:
        marks.note(f"{left} relations are left out")


def _has_text(value: object) -> bool:
    return value is not None and str(value).strip() != ""


def _unit(marks: Marks, annotation: Annotation, feature: str | None, layer: str, annotator: str | None) -> None:
    with as_problem(marks, annotation.where):
        if annotation.begin is None or annotation.end is None:
            raise FaultError("the annotation has no begin or no end; correct or delete it")
        category = None if feature is None else _category(annotation.values.get(feature), feature)
        start, end = _bound(annotation.begin), _bound(annotation.end)
        marks.unit(start, end, category, where=annotation.where, annotator=annotator, layer=layer)


def _bound(value: object) -> object:
    """Return the boundary as an int where it is a whole number; anything else is passed on, and `Marks` rejects it."""
    if isinstance(value, str) and _INTEGER.fullmatch(value):
        return int(value)
    return str(value) if isinstance(value, float) else value


def _category(value: object, feature: str) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, int | float):
        return str(value).lower() if isinstance(value, bool) else str(value)
    raise FaultError(f"feature {feature!r} is {shown(value)}, no category; choose another")

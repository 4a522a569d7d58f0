"""The content of a UIMA CAS, written as XMI or JSON: the annotations of the selected view as units.

Conventions
-----------
* A layer is a type of annotation; if the user names a type that others inherit from, it contains their annotations.
* Annotations of the whole document, relations (with a governor and a dependent) and the tool's descriptions of the file
  are left out; so are tokens and sentences, unless the user names them as layers. Tokens are positions.
* The category is the feature that the user names, or the only one that holds a string; ``referenceType`` in chains.
* Bounds count UTF-16 code units.
* Only names are read from a type system: the types that are annotations, and their features that hold a value. It is
  parsed here instead of by a library, in time linear in the file.

References
----------
Apache UIMA, References, "Component Descriptor Reference": Type System Descriptors, and "CAS Reference": built-in types;
https://uima.apache.org/d/uimaj-current/ref.html
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain, pairwise
from typing import NamedTuple
from xml.etree.ElementTree import Element

from gamma_align.errors import Cure, InputError, Location, Set, Where
from gamma_align.reading.files.json_files import FaultError, as_problem, get, need, shown
from gamma_align.reading.files.sources import Source
from gamma_align.reading.files.xml_files import children, line, local, root
from gamma_align.reading.marks import layer_names
from gamma_align.reading.marks.choices import Choices
from gamma_align.reading.marks.marks import Marks

OPTION_HELP = {
    "view": "the view of the text whose annotations are read, or '*' for all, each an annotator's",
    "tokens": "the type of the tokens, where it is not DKPro's",
    "typesystem": "the path of the type system, where it is not beside the file (XMI)",
}

_SEGMENTATION = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type."  # DKPro's package of tokens and sentences
_DKPRO_SENTENCE = f"{_SEGMENTATION}Sentence"
_DKPRO_WORD = f"{_SEGMENTATION}Token"
_TECHNICAL_PREFIXES = (
    "de.tudarmstadt.ukp.dkpro.core.api.metadata.type.",
    "de.tudarmstadt.ukp.clarin.webanno.api.type.",
)
_RELATION_FEATURES = frozenset(("Governor", "Dependent"))
_CHAIN_FEATURES = frozenset(("referenceType", "referenceRelation"))
_INTEGER_TEXT = re.compile(r"-?[0-9]{1,18}")
_ANNOTATION_TYPE = "uima.tcas.Annotation"
_DOCUMENT_TYPE = "uima.tcas.DocumentAnnotation"
_STRING_TYPE = "uima.cas.String"

_BASE_PARENTS = {
    "uima.cas.AnnotationBase": "uima.cas.TOP",
    _ANNOTATION_TYPE: "uima.cas.AnnotationBase",
    _DOCUMENT_TYPE: _ANNOTATION_TYPE,
}
_VALUE_TYPES = frozenset(
    f"uima.cas.{name}" for name in ("Boolean", "Byte", "Short", "Integer", "Long", "Float", "Double")
)
_BOUND_FEATURES = frozenset(("sofa", "begin", "end"))
_MAX_DEPTH = 100  # of inheritance; stops at types that inherit from themselves


class Features(NamedTuple):
    """Names of the features of a type, inherited ones first: strings, other values, and references."""

    strings: list[str]
    values: list[str]
    references: list[str]


class Types:
    """A type system: the parent of each type, and the features that it adds, with the types of their values."""

    def __init__(self, parents: dict[str, str], ranges: dict[str, dict[str, str]], file: str) -> None:
        self.file = file
        self._parents = parents | _BASE_PARENTS
        self._ranges = ranges
        self._ancestors: dict[str, tuple[str, ...]] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._parents

    def ancestors(self, name: str) -> tuple[str, ...]:
        """Return the type and its ancestors, the nearest first; raise an `InputError` for endless inheritance."""
        if name not in self._ancestors:
            names = [name]
            while names[-1] in self._parents and len(names) <= _MAX_DEPTH:
                names.append(self._parents[names[-1]])
            if len(names) > _MAX_DEPTH:
                raise InputError(
                    f"type {name!r} inherits from itself, or through more than {_MAX_DEPTH} others",
                    "export the type system again",
                    Location(self.file),
                )
            self._ancestors[name] = tuple(names)
        return self._ancestors[name]

    def is_annotation(self, name: str) -> bool:
        """Whether annotations of the type cover a part of the text, not the whole document."""
        ancestors = self.ancestors(name)
        return _ANNOTATION_TYPE in ancestors and _DOCUMENT_TYPE not in ancestors

    def features(self, name: str) -> Features:
        """Return the features of a type, except the bounds of its annotations."""
        ranges: dict[str, str] = {}
        for ancestor in reversed(self.ancestors(name)):
            ranges |= self._ranges.get(ancestor, {})
        features = Features([], [], [])
        for feature, kind in ranges.items():
            if feature in _BOUND_FEATURES:
                continue
            # A feature with a list of allowed strings has a type of its own, which inherits from the type of strings.
            if _STRING_TYPE in self.ancestors(kind):
                features.strings.append(feature)
            elif kind in _VALUE_TYPES:
                features.values.append(feature)
            else:
                features.references.append(feature)
        return features


def types_from_xml(source: Source) -> Types:
    """Return the type system of a descriptor (TypeSystem.xml)."""
    top = root(source)
    if local(top) != "typeSystemDescription":
        raise InputError(
            "is no type system, which begins with <typeSystemDescription>",
            "export it again with the annotations",
            Location(source.name, line(top)),
        )
    parents: dict[str, str] = {}
    ranges: dict[str, dict[str, str]] = {}
    for element in top.iter():
        if local(element) == "typeDescription":
            name = _child_text(element, "name", source)
            parents[name] = _child_text(element, "supertypeName", source)
            lists = children(element, "features")
            features = list(chain.from_iterable(children(feature_list, "featureDescription") for feature_list in lists))
            names = [_child_text(feature, "name", source) for feature in features]
            kinds = [_child_text(feature, "rangeTypeName", source) for feature in features]
            ranges[name] = dict(zip(names, kinds, strict=True))
    return Types(parents, ranges, source.name)


def _child_text(element: Element, name: str, source: Source) -> str:
    """Return the text of the first child with this name that has any; raise an `InputError` without one."""
    texts = [text for child in children(element, name) if (text := (child.text or "").strip())]
    if texts:
        return texts[0]
    raise InputError(
        f"a {local(element)} without {name}", "export the type system again", Location(source.name, line(element))
    )


def types_from_json(types: object, file: str) -> Types:
    """Return the type system within a CAS in JSON (``%TYPES``)."""
    parents: dict[str, str] = {}
    ranges: dict[str, dict[str, str]] = {}
    for name, declared in need(types, dict, "'%TYPES'").items():
        of = f"type {name!r}"
        declaration = need(declared, dict, of)
        parents[name] = get(declaration, "%SUPER_TYPE", str, of)
        ranges[name] = {}
        for feature in (key for key in declaration if not key.startswith("%")):
            cause = f"feature {feature!r} of {of}"
            ranges[name][feature] = get(need(declaration[feature], dict, cause), "%RANGE", str, cause)
    return Types(parents, ranges, file)


class Annotation(NamedTuple):
    """One annotation of a view: its type, location, bounds as the file has them, and values of features by name."""

    kind: str
    location: Where
    begin: object
    end: object
    values: Mapping[str, object]


class View(NamedTuple):
    """One view: its name, its text (``None`` for other media), its annotations."""

    name: str
    text: str | None
    annotations: Sequence[Annotation]


def add_views(marks: Marks, views: Sequence[View], types: Types, choices: Choices) -> None:
    """Add texts, tokens and units of the selected views to the marks."""
    name = choices.options.get("view")
    layers = _Layers(types, choices, choices.options.get("tokens") or _DKPRO_WORD)
    if not views:
        marks.annotated()
    for view in _select_views(views, name, layers, marks.file):
        annotator = view.name if name == "*" else None
        if view.text is not None:
            marks.texts[None, annotator] = view.text
        _add_tokens(marks, view, layers, annotator, choices)
        _add_units(marks, view, layers, annotator, choices)


class _Layers:
    """Maps the types of annotations to layers."""

    def __init__(self, types: Types, choices: Choices, tokens: str) -> None:
        self.types = types
        self.tokens = tokens
        self._choices = choices
        self._known: dict[str, str | None] = {}
        self._relations: set[str] = set()

    def is_token(self, kind: str) -> bool:
        """Return whether the type is the one of tokens or inherits from it."""
        return any(self.tokens in (name, layer_names.short(name)) for name in self.types.ancestors(kind))

    def is_relation(self, kind: str) -> bool:
        """Return whether the type has a governor and a dependent."""
        # `of` fills the set of relations.
        self.layer_of(kind)
        return kind in self._relations

    def layer_of(self, kind: str) -> str | None:
        """Return the layer of a type, ``None`` for one that makes no units."""
        if kind not in self._known:
            self._known[kind] = self._find_layer(kind)
        return self._known[kind]

    def features(self, layer: str) -> tuple[list[str], list[str]]:
        """Return the features that are a layer's category by default, and those that are if the user names them."""
        strings, values, _ = self.types.features(layer)
        if self._is_segment(layer):
            return [], strings + values  # a feature of tokens is a category only on request
        if _CHAIN_FEATURES.issubset(strings):
            # The label of the arrow to the next link does not belong to the link.
            strings = [name for name in strings if name != "referenceRelation"]
        return strings, values

    def _find_layer(self, kind: str) -> str | None:
        """Return the layer of a type: an ancestor that the user named, or else the type itself.

        ``None`` for relations, technical types, and tokens and sentences that the user did not name.
        """
        if not self.types.is_annotation(kind):
            return None
        if _RELATION_FEATURES.issubset(self.types.features(kind).references):
            self._relations.add(kind)
            return None
        for name in self.types.ancestors(kind):
            if layer_names.is_named(name, self._choices) and (name != _ANNOTATION_TYPE or name == kind):
                return name
        return None if kind.startswith(_TECHNICAL_PREFIXES) or self._is_segment(kind) else kind

    def _is_segment(self, kind: str) -> bool:
        """Return whether the type is one of sentences or tokens."""
        return kind in (_DKPRO_SENTENCE, _DKPRO_WORD) or self.is_token(kind)


def _select_views(views: Sequence[View], name: str | None, layers: _Layers, file: str) -> Sequence[View]:
    """Return the view of this name, all for "*", or by default the only view with annotations.

    Raises an `InputError` if there is no such view, or if several views have annotations and none is named.
    """
    if name == "*":
        return views
    if name is not None:
        selected = [view for view in views if view.name == name]
        if not selected:
            listing = ", ".join(repr(view.name) for view in views) or "none"
            raise InputError(f"there is no view {name!r}; there are {listing}", location=Location(file))
        return selected
    held = [
        view for view in views if any(layers.layer_of(annotation.kind) is not None for annotation in view.annotations)
    ]
    if len(held) > 1:
        listing = ", ".join(repr(view.name) for view in held)
        raise InputError(
            f"annotations in {len(held)} views: {listing}",
            Cure(
                "choose with {}, or with {} if each is an annotator's",
                Set("options", {"view": held[0].name}),
                Set("options", {"view": "*"}),
            ),
            Location(file),
        )
    return held or views[:1]


def _add_tokens(marks: Marks, view: View, layers: _Layers, annotator: str | None, choices: Choices) -> None:
    """Add the tokens of a view in the order of the text; report damaged ones if bounds count tokens."""
    tokens = []
    for annotation in view.annotations:
        if layers.is_token(annotation.kind):
            begin = _bound(annotation.begin)
            end = _bound(annotation.end)
            if type(begin) is int and type(end) is int and 0 <= begin <= end:
                tokens.append((begin, end, annotation.location))
            # Damaged tokens matter only if bounds count tokens.
            elif choices.positions == "tokens":
                marks.problem(annotation.location, f"a token from {begin!r} to {end!r}", "correct or delete it")
    tokens.sort(key=lambda token: token[:2])
    for before, after in pairwise(tokens):
        if choices.positions == "tokens" and after[0] < before[1]:
            marks.problem(
                after[2], f"the token begins at {after[0]}, before the end {before[1]} of another", "correct it"
            )
    if tokens:
        marks.tokens[None, annotator] = [token[:2] for token in tokens]


def _add_units(marks: Marks, view: View, layers: _Layers, annotator: str | None, choices: Choices) -> None:
    """Add the units of a view, layer by layer, each with its category."""
    by_layer: dict[str, list[Annotation]] = {}
    for annotation in view.annotations:
        layer = layers.layer_of(annotation.kind)
        if layer is not None:
            by_layer.setdefault(layer, []).append(annotation)
    undecided = layer_names.are_several(by_layer, choices)
    if not by_layer:
        marks.annotated(annotator=annotator)
    for layer, members in by_layer.items():
        marks.annotated(annotator=annotator, layer=layer)
        feature = None
        if choices.wants(layer) and not undecided:
            values = chain.from_iterable(unit.values.items() for unit in members)
            filled = Counter(name for name, value in values if _has_text(value))
            feature = layer_names.category_feature(layer, *layers.features(layer), filled, choices, marks.file)
            marks.notes += layer_names.feature_notes(layer, feature, len(members), filled, choices)
        for annotation in members:
            _add_unit(marks, annotation, feature, layer, annotator)
    n_relations = sum(layers.is_relation(annotation.kind) for annotation in view.annotations)
    if n_relations:
        marks.note(f"{n_relations} relations are left out")


def _has_text(value: object) -> bool:
    return value is not None and str(value).strip() != ""


def _add_unit(marks: Marks, annotation: Annotation, feature: str | None, layer: str, annotator: str | None) -> None:
    """Add the unit of an annotation, or a problem if it has no bounds or an invalid category."""
    with as_problem(marks, annotation.location):
        if annotation.begin is None or annotation.end is None:
            raise FaultError("the annotation has no begin or no end", "correct or delete it")
        category = None if feature is None else _category(annotation.values.get(feature), feature)
        start = _bound(annotation.begin)
        end = _bound(annotation.end)
        marks.unit(start, end, category, location=annotation.location, annotator=annotator, layer=layer)


def _bound(value: object) -> object:
    """Return a bound that is an integer, or the text of one, as an int; others in a form that `Marks` rejects."""
    if isinstance(value, str) and _INTEGER_TEXT.fullmatch(value):
        return int(value)
    return str(value) if isinstance(value, float) else value


def _category(value: object, feature: str) -> str | None:
    """Return the value of a feature as a category; raise a `FaultError` if it is a list or an object."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, int | float):
        return str(value).lower() if isinstance(value, bool) else str(value)
    raise FaultError(f"feature {feature!r} is {shown(value)}, no category", "choose another")

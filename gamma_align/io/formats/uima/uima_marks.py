"""What a UIMA CAS says, whether it was written as XMI or JSON: annotations of the chosen view as units.

Conventions
-----------
* A layer is a type of annotation; where the user names a type that others inherit from, theirs are of its layer.
* Left out are annotations of the whole document, of relations (those with a governor and a dependent), of how the tool
  describes the file; and tokens and sentences, unless the user names them as layers. Tokens are positions.
* The category is the feature that the user names, or the only one that holds a string; ``referenceType`` in chains.
* Bounds count UTF-16 code units.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from gamma_align.data.problem import Where
from gamma_align.errors import InputError
from gamma_align.io.files import json_files
from gamma_align.io.formats.uima.type_system import ANNOTATION, Types
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
            if layer_names.is_named(name, self._choices) and (name != ANNOTATION or name == kind):
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
    held = [view for view in views if any(layers.of(each.kind) is not None for each in view.annotations)]
    if len(held) > 1:
        listing = ", ".join(repr(view.name) for view in held)
        raise InputError(
            f"{file}: annotations in {len(held)} views: {listing}; choose with options={{'view': {held[0].name!r}}} "
            f"(--option view={held[0].name}), or '*' where each is an annotator's"
        )
    return held or views[:1]


def _tokens(marks: Marks, view: View, layers: _Layers, annotator: str | None, choices: Choices) -> None:
    tokens = []
    for each in view.annotations:
        if layers.is_token(each.kind):
            begin, end = _bound(each.begin), _bound(each.end)
            if type(begin) is int and type(end) is int and 0 <= begin <= end:
                tokens.append((begin, end, each.where))
            elif choices.positions == "tokens":
                marks.problem(each.where, f"a token from {begin!r} to {end!r}; correct or delete it")
    tokens.sort(key=lambda token: token[:2])
    for before, after in pairwise(tokens):
        if choices.positions == "tokens" and after[0] < before[1]:
            what = f"the token begins at {after[0]}, before the end {before[1]} of another; correct it"
            marks.problem(after[2], what)
    if tokens:
        marks.tokens[None, annotator] = [token[:2] for token in tokens]


def _units(marks: Marks, view: View, layers: _Layers, annotator: str | None, choices: Choices) -> None:
    by_layer: dict[str, list[Annotation]] = {}
    for each in view.annotations:
        layer = layers.of(each.kind)
        if layer is not None:
            by_layer.setdefault(layer, []).append(each)
    undecided = layer_names.are_several(by_layer, choices)
    if not by_layer:
        marks.annotated(annotator=annotator)
    for layer, members in by_layer.items():
        marks.annotated(annotator=annotator, layer=layer)
        feature = None
        if choices.wants(layer) and not undecided:
            feature = layer_names.category_feature(layer, *layers.features(layer), choices, marks.file)
            marks.notes += layer_names.feature_notes(layer, feature, choices)
        for each in members:
            _unit(marks, each, feature, layer, annotator)
    left = sum(layers.is_relation(each.kind) for each in view.annotations)
    if left:
        marks.note(f"{left} relations are left out")


def _unit(marks: Marks, each: Annotation, feature: str | None, layer: str, annotator: str | None) -> None:
    with json_files.as_problem(marks, each.where):
        if each.begin is None or each.end is None:
            raise json_files.FaultError("the annotation has no begin or no end; correct or delete it")
        category = None if feature is None else _category(each.values.get(feature), feature)
        marks.unit(_bound(each.begin), _bound(each.end), category, where=each.where, annotator=annotator, layer=layer)


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
    raise json_files.FaultError(f"feature {feature!r} is {json_files.shown(value)}, no category; choose another")

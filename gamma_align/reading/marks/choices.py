"""The settings for reading files of annotation tools, checked once, before any file is opened."""

from __future__ import annotations

import os
import string
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypedDict, Unpack

from gamma_align.errors import Cure, Location, Set, SettingsError
from gamma_align.reading.files.sources import check_encoding
from gamma_align.reading.options import DISCONTINUOUS, LOCATE, MISMATCH, OFFSETS, POSITIONS, REPEATED, SEEN

PATTERN_FIELDS = ("annotator", "document", "layer", "file", "folder")
"""Fields of a pattern for names: the names in the file or its path, the layer, the stem of the file, its folder."""

Texts = Path | Mapping[str, str | None]
"""A folder with texts, a file of texts, or the text of each document."""

FORMAT_OPTIONS = Location.for_option("options")
"""The location of problems with an option of a format."""


@dataclass(frozen=True, slots=True)
class Choices:
    """The checked settings of `gamma_align.read` with these names.

    `layers` maps layers to the feature that is the category (``None``: the layer's own), all being ``{"*": None}``;
    ``None`` reads the only layer there is. `labels` maps categories to those they are read as, ``None`` to leave units
    out.
    """

    annotator: str | None = None
    document: str | None = None
    layers: Mapping[str, str | None] | None = None
    labels: Mapping[str, str | None] = field(default_factory=lambda: MappingProxyType({}))
    positions: str | None = None
    offsets: str | None = None
    discontinuous: str = "whole"
    mismatch: str = "refuse"
    align_text: bool = False
    repeated: str = "refuse"
    seen: str = "told"
    encoding: str | None = None
    locate: float | None = None
    na: Sequence[str] = ()
    texts: Texts | None = None
    options: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    def wants(self, layer: str | None) -> bool:
        """Whether units of the layer are read; a layer is named in full or by the part after its last point."""
        if self.layers is None or layer is None or "*" in self.layers:
            return True
        return layer in self.layers or layer.rpartition(".")[2] in self.layers

    @property
    def by_layer(self) -> bool:
        """Whether names of annotators or documents contain the name of the layer."""
        return any("{layer}" in (pattern or "") for pattern in (self.annotator, self.document))

    @property
    def by_tier(self) -> bool:
        """Whether the names or attributes of tiers in the files name the annotators."""
        named = "tiers" in self.options or self.options.get("annotator") == "participant"
        return named or "{layer}" in (self.annotator or "")

    def feature(self, layer: str) -> str | None:
        """Return the feature that the user names as the category of a layer, ``None`` if there is none."""
        if self.layers is None:
            return None
        return self.layers.get(layer) or self.layers.get(layer.rpartition(".")[2])


class _Settings(TypedDict, total=False):
    """The settings that `Choices` has as they are given."""

    annotator: str | None
    document: str | None
    positions: str | None
    offsets: str | None
    discontinuous: str
    mismatch: str
    align_text: bool
    repeated: str
    seen: str
    encoding: str | None
    locate: float | None
    na: Sequence[str]


def choices(
    *,
    layers: str | Iterable[str] | Mapping[str, str | None] | None = None,
    labels: str | Iterable[str] | Mapping[str, str | None] | None = None,
    texts: str | os.PathLike[str] | Mapping[str, str | None] | None = None,
    options: Mapping[str, object] | None = None,
    **settings: Unpack[_Settings],
) -> Choices:
    """Return the choices, checked; all may be given as in `gamma_align.read`."""
    result = Choices(
        layers=_feature_by_layer(layers),
        labels=MappingProxyType(_label_mapping(labels)),
        texts=checked_texts(texts),
        options=MappingProxyType(dict(options or {})),
        **settings,
    )
    for option in (POSITIONS, OFFSETS, DISCONTINUOUS, MISMATCH, REPEATED, SEEN):
        value = getattr(result, option.name)
        if value is not None or option.shown_default:
            option.check(value)
    if result.locate is not None:
        LOCATE.check(result.locate)
    for name in ("annotator", "document"):
        _check_pattern(name, getattr(result, name))
    check_encoding(result.encoding)
    return result


def checked_texts(texts: str | os.PathLike[str] | Mapping[str, str | None] | None) -> Texts | None:
    """Return the setting ``texts``, with a path as a `Path`; SettingsError if it is neither a path nor texts."""
    if texts is None:
        return None
    if isinstance(texts, (str, os.PathLike)):
        return Path(texts)
    if not isinstance(texts, Mapping):
        raise SettingsError(
            f"texts is {type(texts).__name__}, neither a path nor a mapping of documents to texts",
            Cure("give a folder, a file of JSON Lines, or {}", Set("texts", {"d1": "Anna sings"})),
        )
    for document, text in texts.items():
        if not isinstance(document, str) or not (text is None or isinstance(text, str)):
            raise SettingsError(
                f"texts: the text of document {document!r} is {text!r}; both have to be strings",
                "give the text itself, or None if there is none",
            )
    return texts


def _check_pattern(name: str, pattern: str | None) -> None:
    """Raise a SettingsError for a pattern with unknown fields, or an empty one; None is no pattern."""
    if pattern is None:
        return
    try:
        parts = list(string.Formatter().parse(pattern))
    except ValueError as error:
        raise SettingsError(
            f"{pattern!r} is no pattern: {error}", "double a brace that is meant", Location.for_option(name)
        ) from None
    are_fields_known = all(
        field is None or (field in PATTERN_FIELDS and not spec and not conversion)
        for _, field, spec, conversion in parts
    )
    if not pattern.strip() or not are_fields_known:
        fields = ", ".join(f"{{{field}}}" for field in PATTERN_FIELDS)
        raise SettingsError(
            f"{pattern!r} is neither a name nor a pattern of {fields}", location=Location.for_option(name)
        )


def _feature_by_layer(layers: str | Iterable[str] | Mapping[str, str | None] | None) -> dict[str, str | None] | None:
    """Return layer to feature; "layer:feature" in a list names both."""
    if layers is None:
        return None
    if isinstance(layers, Mapping):
        return dict(layers)
    pairs = (name.partition(":") for name in ((layers,) if isinstance(layers, str) else layers))
    return {layer: feature or None for layer, _, feature in pairs}


def _label_mapping(labels: str | Iterable[str] | Mapping[str, str | None] | None) -> dict[str, str | None]:
    """Return category to new category, None for categories to drop; a list drops all others."""
    if labels is None:
        return {}
    if isinstance(labels, Mapping):
        return dict(labels)
    # A list keeps its categories and leaves out all others.
    return {**{label: label for label in ((labels,) if isinstance(labels, str) else labels)}, "*": None}

"""UIMA type systems: which types are annotations, and which of their features hold a value.

Read here and not by a library: what annotations need of a type system is its names, and those are read in time
linear in the file, whatever it says.

References
----------
Apache UIMA, References, "Component Descriptor Reference": Type System Descriptors, and "CAS Reference": built-in types;
https://uima.apache.org/d/uimaj-current/ref.html
"""

from __future__ import annotations

from typing import NamedTuple
from xml.etree.ElementTree import Element

from gamma_align.errors import InputError
from gamma_align.io.files import xml_files
from gamma_align.io.files.json_files import get, need
from gamma_align.io.files.sources import Source

ANNOTATION = "uima.tcas.Annotation"
DOCUMENT = "uima.tcas.DocumentAnnotation"
STRING = "uima.cas.String"

_BASES = {"uima.cas.AnnotationBase": "uima.cas.TOP", ANNOTATION: "uima.cas.AnnotationBase", DOCUMENT: ANNOTATION}
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
        self._lines: dict[str, tuple[str, ...]] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._parents

    def ancestors(self, name: str) -> tuple[str, ...]:
        """Return the type and those it inherits from, the nearest first."""
        if name not in self._lines:
            line = [name]
            while line[-1] in self._parents and len(line) <= _DEEPEST:
                line.append(self._parents[line[-1]])
            if len(line) > _DEEPEST:
                raise InputError(
                    f"{self.file}: type {name!r} inherits from itself, or through more than {_DEEPEST} others; export "
                    "the type system again"
                )
            self._lines[name] = tuple(line)
        return self._lines[name]

    def is_annotation(self, name: str) -> bool:
        """Whether the type is one of annotations of a text, and not of all of it."""
        line = self.ancestors(name)
        return ANNOTATION in line and DOCUMENT not in line

    def features(self, name: str) -> Features:
        """Return the features of a type, where its annotations are aside."""
        ranges: dict[str, str] = {}
        for each in reversed(self.ancestors(name)):
            ranges |= self._ranges.get(each, {})
        features = Features([], [], [])
        for feature, kind in ranges.items():
            if feature not in _PLACE:
                is_string = STRING in self.ancestors(kind)  # one of the strings of a list has a type of its own
                group = "strings" if is_string else "values" if kind in _VALUES else "references"
                getattr(features, group).append(feature)
        return features


def from_xml(source: Source) -> Types:
    """Return the type system of a descriptor (TypeSystem.xml)."""
    root = xml_files.root(source)
    if xml_files.local(root) != "typeSystemDescription":
        raise InputError(
            f"{source.name}, line {xml_files.line(root)}: is no type system, which begins with <typeSystemDescription>"
            "; export it again with the annotations"
        )
    parents: dict[str, str] = {}
    ranges: dict[str, dict[str, str]] = {}
    for element in root.iter():
        if xml_files.local(element) == "typeDescription":
            name = _child_text(element, "name", source)
            parents[name] = _child_text(element, "supertypeName", source)
            lists = xml_files.children(element, "features")
            features = [feature for each in lists for feature in xml_files.children(each, "featureDescription")]
            names = [_child_text(feature, "name", source) for feature in features]
            kinds = [_child_text(feature, "rangeTypeName", source) for feature in features]
            ranges[name] = dict(zip(names, kinds, strict=True))
    return Types(parents, ranges, source.name)


def _child_text(element: Element, what: str, source: Source) -> str:
    texts = [text for child in xml_files.children(element, what) if (text := (child.text or "").strip())]
    if texts:
        return texts[0]
    raise InputError(
        f"{source.name}, line {xml_files.line(element)}: a {xml_files.local(element)} without {what}; export the type "
        "system again"
    )


def from_json(types: object, file: str) -> Types:
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

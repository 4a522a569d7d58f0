"""What cassis makes of UIMA files: the reader is held against it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import cassis
from places import FORMATS

if TYPE_CHECKING:
    from pathlib import Path

SAMPLES = FORMATS
SUITE = SAMPLES / "webanno_tsv" / "tsv3-suite"
REFERENCES = ("Governor", "Dependent", "next", "first")


def suite_types(path: Path) -> cassis.TypeSystem:
    """Return a type system of what is in a file of the suite, which has none beside it; all features are strings."""
    types = cassis.TypeSystem()
    for element in ET.parse(path).getroot():  # noqa: S314  (our own samples)
        uri, _, local = element.tag[1:].partition("}")
        package = uri.removeprefix("http:///").removesuffix(".ecore").replace("/", ".")
        if package == "uima.cas":
            continue
        base = "uima.cas.AnnotationBase" if "sofa" in element.attrib else "uima.cas.TOP"
        parent = "uima.tcas.Annotation" if "begin" in element.attrib else base
        if local == "DocumentMetaData":
            parent = "uima.tcas.DocumentAnnotation"
        family = f"{package}.{local.partition('_')[0]}"  # POS_NOUN is a POS
        for whole in dict.fromkeys((family, f"{package}.{local}")):
            if not types.contains_type(whole):
                types.create_type(whole, parent if whole == family else family)
        its = types.get_type(f"{package}.{local}")
        for feature in element.attrib:
            if not feature.startswith("{") and its.get_feature(feature) is None:
                types.create_feature(its, feature, "uima.cas.TOP" if feature in REFERENCES else "uima.cas.String")
    return types


def suite_cas(name: str) -> cassis.Cas:
    """Return the CAS of a document of the suite."""
    path = SUITE / name / "reference.xmi"
    with path.open("rb") as file:
        return cassis.load_cas_from_xmi(file, typesystem=suite_types(path))


def types_with(cas: cassis.Cas, end: str) -> list[str]:
    """Return the types whose names end so."""
    return [kind.name for kind in cas.typesystem.get_types(built_in=True) if kind.name.endswith(end)]


def units(cas: cassis.Cas, kind: str, feature: str | None = None) -> Counter[Any]:
    """Return start, end and the value of a feature of each annotation of exactly a type."""
    return Counter(
        (each.begin, each.end, each[feature] if feature and each.type.get_feature(feature) else None)
        for each in cas.select(kind)
        if each.type.name == kind
    )

"""Annotated texts in XML of GATE and of Knowtator.

Conventions
-----------
* ``gate``: annotations of a document of GATE (.xml), their type the category. An annotation set is a layer, so that
  ``annotator="{layer}"`` makes each an annotator. "Original markups" are the markup of the text and left out, with a
  note. Positions are those of nodes in the text of the file.
* ``knowtator``: a project of Knowtator 2 (documents with annotations), or a file of Knowtator 1 or eHOST
  (``textSource``). The class is the category; the annotator is the one of the annotation. An annotation with several
  spans is discontinuous. The text is read from the file that the document names, if it is beside; relations are left
  out.

References
----------
Cunningham et al. 2013, GATE, PLoS Computational Biology 9; Ogren 2006, Knowtator, NAACL-HLT.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePosixPath
from xml.etree.ElementTree import Element

from gamma_align.errors import InputError, Location
from gamma_align.reading.files import xml_files
from gamma_align.reading.files.xml_files import children, line, local
from gamma_align.reading.formats import Choices, FileFormat, Marks, Source

_GATE_ROOT = re.compile(r"\A\ufeff?\s*(?:<[?!][^>]*>\s*|<!--.*?-->\s*)*?<GateDocument[\s>]", re.DOTALL)
_KNOWTATOR_ROOT = re.compile(r"<knowtator-project[\s>]|<annotations\s[^>]*textSource=")
_MARKUP_SET = "Original markups"
_DEFAULT_SET = "default"  # the set of GATE that has no name
_WHOLE_NUMBER = re.compile(r"\d{1,15}", re.ASCII)


def _read_gate(source: Source, _: Choices) -> Iterable[Marks]:
    root = xml_files.root(source)
    texts = children(root, "TextWithNodes")
    if local(root) != "GateDocument" or not texts:
        raise InputError(
            "is no document of GATE with its text", "save it as GATE XML again", Location(source.name, line(root))
        )
    marks = Marks(source.name)
    parts = [texts[0].text or ""]
    length = len(parts[0])
    offsets: dict[str, int] = {}
    for node in texts[0]:
        offsets[node.get("id", "")] = length
        parts.append(node.tail or "")
        length += len(parts[-1])
    marks.texts[None, None] = "".join(parts)
    for group in children(root, "AnnotationSet"):
        layer = group.get("Name") or _DEFAULT_SET
        if layer == _MARKUP_SET:
            marks.note(f"{len(group)} annotations of {_MARKUP_SET!r} are left out")
            continue
        marks.annotated(layer=layer)
        for annotation in children(group, "Annotation"):
            start = offsets.get(annotation.get("StartNode", ""))
            end = offsets.get(annotation.get("EndNode", ""))
            if start is None or end is None:
                marks.problem(
                    line(annotation), "the annotation is at a node that is not in the text", "correct or delete it"
                )
                continue
            marks.unit(start, end, annotation.get("Type") or None, location=line(annotation), layer=layer)
    return (marks,)


def _read_knowtator(source: Source, _: Choices) -> Iterable[Marks]:
    root = xml_files.root(source)
    marks = Marks(source.name)
    if local(root) == "annotations":
        _add_first_version(marks, root, source)
    elif local(root) == "knowtator-project":
        for document in children(root, "document"):
            name = document.get("id", "")
            _add_text(marks, source, name, document.get("text-file") or f"{name}.txt")
            for annotation in children(document, "annotation"):
                classes = children(annotation, "class")
                category = (classes[0].get("label") or classes[0].get("id")) if classes else None
                _add_unit(marks, annotation, name, annotation.get("annotator"), category)
    else:
        raise InputError(
            f"the element is {local(root)}, none of Knowtator's", "export it again", Location(source.name, line(root))
        )
    return (marks,)


def _add_first_version(marks: Marks, root: Element, source: Source) -> None:
    """Add the annotations of a file of Knowtator 1, in which a mention names the class of an annotation."""
    file = root.get("textSource", "")
    name = PurePosixPath(file.replace("\\", "/")).name
    document = name.removesuffix(".txt")
    _add_text(marks, source, document, name)
    classes = {
        mention.get("id", ""): (children(mention, "mentionClass") or [mention])[0].get("id")
        for mention in children(root, "classMention")
    }
    for annotation in children(root, "annotation"):
        annotators = children(annotation, "annotator")
        mentions = children(annotation, "mention")
        annotator = (annotators[0].text or annotators[0].get("id")) if annotators else None
        _add_unit(marks, annotation, document, annotator, classes.get(mentions[0].get("id", "")) if mentions else None)


def _add_text(marks: Marks, source: Source, document: str, file: str) -> None:
    """Add the text of a document, if its file is in the same folder."""
    text_file = source.beside(file)
    if text_file is not None:
        marks.texts[document, None] = text_file.text()


def _add_unit(marks: Marks, annotation: Element, document: str, annotator: str | None, category: str | None) -> None:
    """Add an annotation with its spans; report one without spans or with invalid bounds."""
    spans = children(annotation, "span")
    bounds = [(span.get("start", ""), span.get("end", "")) for span in spans]
    if not bounds or not all(_WHOLE_NUMBER.fullmatch(bound) for pair in bounds for bound in pair):
        marks.problem(line(annotation), "the annotation has no span from one character to another", "correct it")
        return
    marks.parts(
        [(int(start), int(end)) for start, end in bounds],
        category,
        part=f"line {line(annotation)}",
        location=line(annotation),
        document=document,
        annotator=annotator.strip() or None if annotator else None,
    )


FORMATS = (
    FileFormat(
        "gate",
        "documents of GATE (.xml)",
        (".xml",),
        lambda head: head.suffix == ".xml" and _GATE_ROOT.search(head.text) is not None,
        _read_gate,
    ),
    FileFormat(
        "knowtator",
        "annotations of Knowtator 1 and 2, and eHOST (.xml, .knowtator)",
        (".xml", ".knowtator"),
        lambda head: head.suffix in (".xml", ".knowtator") and _KNOWTATOR_ROOT.search(head.text) is not None,
        _read_knowtator,
        declares=("annotator", "document"),
        beside=(".txt",),
    ),
)

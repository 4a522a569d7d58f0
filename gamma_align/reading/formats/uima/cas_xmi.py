"""UIMA CAS as XMI with its type system beside it, from INCEpTION, DKPro and others; also both in one zip.

Conventions
-----------
* See `cas` for layers, categories, views and offsets.
* The type system is ``TypeSystem.xml``, ``typesystem.xml`` or ``<name>-typesystem.xml`` beside the file, or the one
  that ``options={"typesystem": path}`` names.
* In an archive of several files, each is a document, named by its stem.

References
----------
Apache UIMA, References, "XMI CAS Serialization Reference"; https://uima.apache.org/d/uimaj-current/ref.html
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from xml.etree.ElementTree import Element

from gamma_align.errors import Cure, Entry, InputError, Location
from gamma_align.reading.files import archives, xml_files
from gamma_align.reading.formats import Choices, FileFormat, Head, Marks, Source
from gamma_align.reading.formats.uima import cas
from gamma_align.reading.formats.uima.cas import Annotation, Types, View
from gamma_align.reading.marks.marks import Key

_XMI_NAMESPACE = "{http://www.omg.org/XMI}"
_CAS_NAMESPACE = "{http:///uima/cas.ecore}"
_INITIAL_VIEW = "_InitialView"


def _matches(head: Head) -> bool:
    if head.members:
        return any(name.endswith(".xmi") for name in head.members) and not is_project(head.members)
    return _CAS_NAMESPACE[1:-1] in head.text and "<xmi:XMI" in head.text


def is_project(names: Iterable[str]) -> bool:
    """Whether files with these names are a project of INCEpTION or WebAnno: annotation/<document>/<user>."""
    folders = (PurePosixPath(name).parent.parent.name for name in names)
    return any(folder in ("annotation", "annotation_ser") for folder in folders)


def _read(source: Source, choices: Choices) -> Iterable[Marks]:
    if not source.head.members:
        return (_read_file(source, choices),)
    files = [member for member in archives.members(source) if member.suffix == ".xmi"]
    if not files:
        raise InputError(
            "has no file named .xmi", "export the annotations again, as UIMA CAS XMI", Location(source.name)
        )
    contents = [_read_file(file, choices) for file in files]
    if len(files) == 1:
        return contents
    return [with_owner(marks, file.stem, None) for marks, file in zip(contents, files, strict=True)]


def with_owner(marks: Marks, document: str, annotator: str | None) -> Marks:
    """Return the same marks, renamed in place: the path in an archive names document and annotator.

    Names in the file itself are kept behind these.
    """

    def owner(inner: str | None, person: str | None) -> tuple[str | None, str | None]:
        joined_name = " ".join(name for name in (annotator, person) if name is not None)
        return document if inner is None else f"{document}/{inner}", joined_name or None

    marks.keys = [Key(*owner(*key[:2]), key.layer) for key in marks.keys]
    marks.seen = {Key(*owner(*key[:2]), key.layer): None for key in marks.seen}
    marks.texts = {owner(*key): text for key, text in marks.texts.items()}
    marks.tokens = {owner(*key): tokens for key, tokens in marks.tokens.items()}
    marks.extents = {owner(key, None)[0]: extent for key, extent in marks.extents.items()}
    return marks


def _read_file(source: Source, choices: Choices) -> Marks:
    """Return the marks of one XMI file."""
    root = xml_files.root(source)
    if root.tag != f"{_XMI_NAMESPACE}XMI":
        raise InputError(
            "is no UIMA CAS, which begins with <xmi:XMI>",
            "export it again as UIMA CAS XMI",
            Location(source.name, xml_files.line(root)),
        )
    types = _types(source, choices)
    marks = Marks(source.name, offsets="utf-16")
    cas.add_views(marks, _read_views(marks, root, types), types, choices)
    return marks


def _types(source: Source, choices: Choices) -> Types:
    """Return the type system that the user names, or the one beside the file; raise an `InputError` without one."""
    named = choices.options.get("typesystem")
    if named is not None:
        path = Path(str(named))
        return cas.types_from_xml(Source(path, path.name, source.encoding))
    names = ("TypeSystem.xml", "typesystem.xml", f"{source.stem}-typesystem.xml")
    type_system = next(filter(None, map(source.beside, names)), None)
    if type_system is None:
        raise InputError(
            "there is no TypeSystem.xml beside it, which declares the types of its annotations",
            Cure("put the one it was exported with there, or name it with {}", Entry("options", "typesystem")),
            Location(source.name),
        )
    return cas.types_from_xml(type_system)


def _read_views(marks: Marks, root: Element, types: Types) -> list[View]:
    """Return the views of the file, those without members last."""
    elements: dict[str, Element] = {}
    views: list[Element] = []
    for element in root:
        if element.tag == f"{_CAS_NAMESPACE}View":
            views.append(element)
            continue
        name = element.get(f"{_XMI_NAMESPACE}id", "")
        if name and name in elements:
            marks.problem(xml_files.line(element), f"the id {name!r} is used twice", "give each its own")
        elements[name] = element
    sofas = {name: element for name, element in elements.items() if element.tag == f"{_CAS_NAMESPACE}Sofa"}
    of = {view.get("sofa", ""): view for view in views}
    if len(of) < len(views):
        marks.problem(xml_files.line(views[-1]), "two views of one text", "join them")
    with_members = [_read_view(marks, view, sofas.get(name), elements, types) for name, view in of.items()]
    without_members = [_read_view(marks, None, sofa, elements, types) for name, sofa in sofas.items() if name not in of]
    return with_members + without_members


def _read_view(
    marks: Marks, view: Element | None, sofa: Element | None, elements: dict[str, Element], types: Types
) -> View:
    """Return a view with its annotations; members that are missing or have an undeclared type are problems."""
    annotations = []
    unknown: set[str] = set()
    # An annotation is in a view once, even if it is listed several times.
    for name in dict.fromkeys(("" if view is None else view.get("members", "")).split()):
        element = elements.get(name)
        location = 0 if view is None else xml_files.line(view)
        if element is None:
            marks.problem(location, f"the view has a member {name[:20]!r} that is not in the file", "export it again")
            continue
        kind = _kind(str(element.tag))
        location = xml_files.line(element)
        if kind in types:
            bounds = element.get("begin"), element.get("end")
            annotations.append(Annotation(kind, location, *bounds, element.attrib))
        elif kind not in unknown and not kind.startswith("uima.cas."):
            unknown.add(kind)
            marks.problem(location, f"the type {kind!r} is not in {types.file}", "export both again")
    if sofa is None:
        return View(_INITIAL_VIEW, None, annotations)
    return View(sofa.get("sofaID", _INITIAL_VIEW), sofa.get("sofaString"), annotations)


def _kind(tag: str) -> str:
    """Return the name of the type that an element name stands for."""
    space, _, name = tag.removeprefix("{").rpartition("}")
    package = space.removeprefix("http:///").removesuffix(".ecore").replace("/", ".")
    return name if package in ("", "uima.noNamespace") else f"{package}.{name}"


# The file names neither document nor annotator: its path does, also within an archive.
FORMAT = FileFormat(
    "uima-xmi", "UIMA CAS XMI", (".xmi", ".zip"), _matches, _read, beside=(".xml",), options=cas.OPTION_HELP
)

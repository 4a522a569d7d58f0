"""UIMA CAS as JSON with its type system, the format that INCEpTION recommends for exchange.

Conventions
-----------
* See `cas` for layers, categories, views and offsets.
* Feature structures are a list, or an object of their ids.

References
----------
UIMA CAS JSON 0.4.0: https://github.com/apache/uima-uimaj-io-jsoncas
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from gamma_align.errors import Cure, InputError, Location
from gamma_align.reading.files import json_files
from gamma_align.reading.files.json_files import FaultError, as_problem, get, maybe, need, shown
from gamma_align.reading.formats import Choices, FileFormat, Head, Marks, Source
from gamma_align.reading.formats.uima import cas
from gamma_align.reading.formats.uima.cas import Annotation, Types, View

_FIRST_KEY = re.compile(r'\s*\{\s*"%(?:TYPES|FEATURE_STRUCTURES|VIEWS|HEADER)"\s*:')
_SOFA_TYPE = "uima.cas.Sofa"

_Structures = dict[str, dict[str, object] | None]


def _matches(head: Head) -> bool:
    return _FIRST_KEY.match(head.text) is not None


def _read(source: Source, choices: Choices) -> Iterable[Marks]:
    marks = Marks(source.name, offsets="utf-16")
    try:
        file = need(json_files.document(source), dict, "the file")
        types = cas.types_from_json(file.get("%TYPES", {}), source.name)
        texts, structures = _structures(file.get("%FEATURE_STRUCTURES", []))
        views = need(file.get("%VIEWS", {}), dict, "'%VIEWS'")
    except FaultError as fault:
        raise InputError(
            fault.problem.cause,
            Cure("{}, or export it again as UIMA CAS JSON", fault.problem.cure or "correct it"),
            Location(source.name),
        ) from None
    read_views = []
    for name, view in views.items():
        with as_problem(marks, f"view {name!r}"):
            read_views.append(_read_view(marks, name, need(view, dict, "the view"), texts, structures, types))
    cas.add_views(marks, read_views, types, choices)
    return (marks,)


def _structures(value: object) -> tuple[_Structures, _Structures]:
    """Return the texts by id, and the other feature structures by id.

    The value is ``None`` for an id that several structures have.
    """
    if isinstance(value, dict):
        all_structures = [(name, need(content, dict, f"feature structure {name}")) for name, content in value.items()]
    else:
        all_structures = []
        for number, content in enumerate(need(value, list, "'%FEATURE_STRUCTURES'"), 1):
            of = f"feature structure {number} of the list"
            structure = need(content, dict, of)
            all_structures.append((str(get(structure, "%ID", int, of)), structure))
    texts: _Structures = {}
    annotations_by_id: _Structures = {}
    for name, structure in all_structures:
        group = texts if structure.get("%TYPE") == _SOFA_TYPE else annotations_by_id  # some writers number them apart
        group[name] = None if name in group else structure
    return texts, annotations_by_id


def _read_view(
    marks: Marks, view_name: str, view: dict[str, object], texts: _Structures, structures: _Structures, types: Types
) -> View:
    """Return a view with its annotations; members that are missing or have an undeclared type are problems.

    A type that is not declared is reported once.
    """
    of = f"view {view_name!r}"
    sofa = texts.get(str(maybe(view, "%SOFA", int, of))) or {}
    annotations = []
    unknown: set[str] = set()
    taken: set[str] = set()  # an annotation is in a view once, however often it is listed
    for member in maybe(view, "%MEMBERS", list, of) or ():
        location = f"feature structure {shown(member)}"
        with as_problem(marks, location):
            name = str(need(member, int, "its id"))
            if name in taken:
                continue
            taken.add(name)
            structure = structures.get(name)
            if structure is None:
                cause = "several have its id" if name in structures else "it is not in the file"
                raise FaultError(f"{of} has it as a member, and {cause}", "export the file again")
            kind = get(structure, "%TYPE", str, "it")
            if kind in types:
                bounds = structure.get("begin"), structure.get("end")
                annotations.append(Annotation(kind, location, *bounds, structure))
            elif kind not in unknown and not kind.startswith("uima.cas.") and not kind.endswith("[]"):
                unknown.add(kind)
                raise FaultError(f"its type {kind!r} is not in '%TYPES'", "export the file again")
    return View(view_name, maybe(sofa, "sofaString", str, f"the text of {of}"), annotations)


# The file names neither document nor annotator: its path does.
FORMAT = FileFormat("uima-json", "UIMA CAS JSON", (".json",), _matches, _read, options=cas.OPTION_HELP)

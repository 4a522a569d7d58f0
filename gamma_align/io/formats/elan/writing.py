"""A corpus as ELAN files: see `elan`."""

from __future__ import annotations

from collections.abc import Iterator

from gamma_align.data.continuum import Continuum, Unit
from gamma_align.data.corpus import Corpus
from gamma_align.errors import InputError
from gamma_align.io.files import xml_files
from gamma_align.io.marks import writable
from gamma_align.io.marks.seconds import written
from gamma_align.io.marks.writable import as_path, place_of

EXTENT = "gamma_align:extent"
"""Name of the header's property with the extent, two bounds in seconds."""

_LAYER = "units"
_KIND = "units"
_LATEST = 2**32 - 1  # ms; the schema's times are unsigned 32-bit integers
_CURE = "write csv, parquet or jsonl"
# The date is one for all, so that the same corpus gives the same bytes.
_BEGIN = """<?xml version="1.0" encoding="UTF-8"?>
<ANNOTATION_DOCUMENT AUTHOR="gamma_align" DATE="2000-01-01T00:00:00Z" FORMAT="3.0" VERSION="3.0"\
 xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"\
 xsi:noNamespaceSchemaLocation="http://www.mpi.nl/tools/elan/EAFv3.0.xsd">
"""
_END = f"""    <LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="{_KIND}" TIME_ALIGNABLE="true" GRAPHIC_REFERENCES="false"/>
</ANNOTATION_DOCUMENT>
"""


def write(corpus: Corpus) -> Iterator[tuple[str, bytes]]:
    """Yield the files: path, content.

    Raises
    ------
    InputError
        For what ELAN cannot hold: times that are no whole milliseconds or negative, annotations of no length.
    """
    for continuum in writable.timed_documents(corpus, "ELAN"):
        text = _text(continuum)
        yield f"{as_path(continuum.document, 'document')}.eaf", writable.encoded(text, continuum.document)


def _text(continuum: Continuum) -> str:
    rows: list[tuple[str, str, list[Unit]]] = []
    taken: set[str] = set()
    for annotator, units in writable.by_annotator(continuum).items():
        rows.extend((_name(annotator, taken), annotator, row) for row in writable.lanes(units) or [[]])
    times = [time for _, _, row in rows for unit in row for time in _times(unit, continuum.document)]
    slots, names = _slots(times)
    low, high = map(written, continuum.extent)
    lines = [
        '    <HEADER MEDIA_FILE="" TIME_UNITS="milliseconds">',
        f'        <PROPERTY NAME="{EXTENT}">{low} {high}</PROPERTY>',
        "    </HEADER>",
        *slots,
    ]
    done = 0
    for name, annotator, row in rows:
        lines += _tier(name, annotator, row, names[2 * done : 2 * (done + len(row))], continuum.document, done)
        done += len(row)
    return _BEGIN + "".join(f"{line}\n" for line in lines) + _END


def _name(annotator: str, taken: set[str]) -> str:
    """Return a name for the next tier of an annotator that no tier has."""
    name, number = f"{_LAYER}@{annotator}", 1
    while name in taken:
        number += 1
        name = f"{_LAYER}@{annotator} ({number})"
    taken.add(name)
    return name


def _times(unit: Unit, document: str) -> tuple[int, int]:
    """Return the bounds in milliseconds."""
    inside = 0 <= unit.start <= unit.end <= _LATEST / 1000
    begin, end = (round(unit.start * 1000), round(unit.end * 1000)) if inside else (-1, -1)
    if begin / 1000 != unit.start or end / 1000 != unit.end:
        raise InputError(
            f"{place_of(unit, document)}: ELAN's times are whole milliseconds from 0 to {_LATEST}; round them "
            f"before, or {_CURE}"
        )
    if begin == end:
        raise InputError(f"{place_of(unit, document)}: ELAN has no annotations of no length; {_CURE}")
    if unit.category == "":
        raise InputError(
            f"{place_of(unit, document)}: the category is '', which is none for ELAN; rename it (labels=, "
            f"--labels), or {_CURE}"
        )
    return begin, end


def _slots(times: list[int]) -> tuple[list[str], list[str]]:
    """Return the lines of the time slots, in the order of time, and the name of the slot of each time."""
    order = sorted(range(len(times)), key=times.__getitem__)
    names = [""] * len(times)
    lines = ["    <TIME_ORDER>"]
    for rank, place in enumerate(order, 1):
        names[place] = f"ts{rank}"
        lines.append(f'        <TIME_SLOT TIME_SLOT_ID="ts{rank}" TIME_VALUE="{times[place]}"/>')
    return [*lines, "    </TIME_ORDER>"], names


def _tier(name: str, annotator: str, row: list[Unit], slots: list[str], document: str, done: int) -> list[str]:
    where = f"document {document!r}, annotator {annotator!r}: the name"
    attributes = f'TIER_ID="{xml_files.escaped(name, where)}" ANNOTATOR="{xml_files.escaped(annotator, where)}"'
    lines = [f'    <TIER LINGUISTIC_TYPE_REF="{_KIND}" {attributes}>']
    for place, unit in enumerate(row):
        value = xml_files.escaped(unit.category or "", f"{place_of(unit, document)}: the category")
        begin, end = slots[2 * place], slots[2 * place + 1]
        slots_of = f'TIME_SLOT_REF1="{begin}" TIME_SLOT_REF2="{end}"'
        lines += [
            "        <ANNOTATION>",
            f'            <ALIGNABLE_ANNOTATION ANNOTATION_ID="a{done + place + 1}" {slots_of}>',
            f"                <ANNOTATION_VALUE>{value}</ANNOTATION_VALUE>",
            "            </ALIGNABLE_ANNOTATION>",
            "        </ANNOTATION>",
        ]
    return [*lines, "    </TIER>"]

"""Files of judgments, one for each coder: the same items in each, and one column that differs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from gamma_align.data import SURE, Profile, Profiles, determines, few, named_as_coders, names_result
from gamma_align.reading.intake.mapping import ColumnMap
from gamma_align.reading.intake.readings import Question, Reading
from gamma_align.reading.intake.rows import Rows

_MIN_SHARED = 0.5  # of the items of one coder, that another coder has
_MAX_LENGTH = 40  # characters of a judgment, on average
_MAX_VALUES = 0.5  # of a column of judgments, for each row


Coders = Mapping[str, Sequence[int]]
"""The rows of each coder's files, by the coder's name."""


def coder_file_readings(rows: Rows, profiles: Profiles) -> list[Reading]:
    """Return the reading of tables with the judgments of a coder each; none if one has several coders, or units."""
    roles = _roles(profiles)
    if roles is None:
        return []
    columns = [
        each for each in profiles.values() if each.fits("annotator") < SURE and not each.is_place and each.filled
    ]
    coders = _coders(profiles, roles)
    items = _items(columns, coders, profiles.get(roles.get("document", "")))
    shared = [] if items else [each for each in columns if _are_equal(each, coders) and not each.is_constant]
    if not items and not shared:
        return []
    if items:
        roles["item"] = items[0].name
    short = [each for each in columns if each not in (*items, *shared) and _may_be_judgments(each)]
    judged = [each for each in short if _varies(each, coders)]
    if not judged or any(one.share_values(other) for one, other in combinations(short, 2)):
        return []  # columns of the same values are of a coder each, and files of a document
    judged.sort(key=lambda each: (each.fits("about") >= SURE, -each.fits("category")))
    mappings = [ColumnMap("items-long", {**roles, "category": each.name}) for each in judged]
    names = [*coders]
    by = f"each of {few(names)} as a coder"
    same = f"the same rows in each by {items[0].name!r}" if items else "the same rows in each, in one order"
    reading = Reading(mappings[0], 9, rows, (by, same), tuple(_questions(judged, mappings, names)))
    is_told = named_as_coders(names) or not profiles[roles["annotator"]].is_place
    if not is_told and not any(map(_tells_items, items or shared)):
        if any(each not in (*items, *shared, *short) for each in columns):
            return []  # texts that differ although their numbers are equal
        reading = reading.asking(Question("the tables share numbers alone, so each may be of a coder or of a document"))
    rivals = [each for each in items[1:] if not (determines(items[0], each) and determines(each, items[0]))]
    if not rivals:
        return [reading]
    fact = f"rows may belong together by {few(repr(each.name) for each in (items[0], *rivals))}"
    others = [replace(mappings[0], roles={**mappings[0].roles, "item": each.name}) for each in rivals]
    answers = zip(rivals, others, strict=True)
    return [reading.asking(Question(fact, tuple((f"if they do by {each.name!r}", other) for each, other in answers)))]


def _roles(profiles: Profiles) -> dict[str, str] | None:
    """Return what names coders, and perhaps documents: a place, or a column that is constant in each file."""
    roles = _places([each.name for each in profiles.values() if each.is_place and not each.is_constant])
    columns = [each for each in profiles.values() if not each.is_place and each.filled]
    if roles is None or any(each.fits("start") >= SURE for each in columns):
        return None
    named = [each for each in columns if each.fits("annotator") >= SURE and not each.is_constant]
    if not all(determines(profiles[roles["annotator"]], each) for each in named):
        return None
    named.sort(key=lambda each: -each.fits("annotator"))
    return {**roles, "annotator": named[0].name} if named else roles


def _places(varying: Sequence[str]) -> dict[str, str] | None:
    """Return the place that names coders, and perhaps the one that names documents; None if files do not tell."""
    if varying in (["@stem"], ["@sheet"]):
        return {"annotator": varying[0]}
    folders = [name for name in varying if name.startswith("@folder")]
    if len(folders) != 1 or {*varying} - {folders[0], "@stem"}:
        return None
    return {"annotator": folders[0], **({"document": "@stem"} if "@stem" in varying else {})}


def _coders(profiles: Profiles, roles: dict[str, str]) -> Coders:
    found: dict[str, list[int]] = {}
    for row, name in enumerate(profiles[roles["annotator"]].names):
        found.setdefault(str(name), []).append(row)
    return found


def _items(columns: Sequence[Profile], coders: Coders, document: Profile | None) -> list[Profile]:
    """Return the columns that may name items, numbers of rows last: each once for a coder, and most for every two."""
    found = []
    for column in columns:
        names = column.names if document is None else [*zip(document.names, column.names, strict=True)]
        of_coders = [[names[row] for row in kept if column.names[row] is not None] for kept in coders.values()]
        if any(len({*items}) < len(items) or not items for items in of_coders):
            continue
        pairs = combinations(map(set, of_coders), 2)
        if all(len(one & other) >= _MIN_SHARED * min(len(one), len(other)) for one, other in pairs):
            found.append(column)
    return sorted(found, key=lambda each: (each.is_counter, -each.fits("item")))


def _are_equal(column: Profile, coders: Coders) -> bool:
    """Whether a column has the same cells for every coder, in the same order."""
    first, *others = ([column.names[row] for row in kept] for kept in coders.values())
    return all(other == first for other in others)


def _may_be_judgments(column: Profile) -> bool:
    """Whether a column has few short values."""
    is_short = column.mean_length <= _MAX_LENGTH and not column.is_date and not column.is_list
    return is_short and not column.is_counter and column.n_values <= max(2, _MAX_VALUES * len(column.filled))


def _varies(column: Profile, coders: Coders) -> bool:
    """Whether some coder uses two values; one for each coder is a property of the coder, such as the model."""
    return any(len({column.names[row] for row in kept}) > 1 for kept in coders.values())


def _tells_items(column: Profile) -> bool:
    """Whether tables that share this column share items; tables of different documents may number their rows alike."""
    return not column.is_counter and column.n_values > 2  # noqa: PLR2004  (two may alternate, as speakers do)


def _questions(judged: Sequence[Profile], mappings: Sequence[ColumnMap], names: Sequence[str]) -> list[Question]:
    """Return what is open: which column has the judgments, and whether a file is no coder's."""
    questions = []
    if len(judged) > 1:
        first, *others = (each.name for each in judged)
        fact = f"judgments may be in {few(map(repr, (first, *others)))}"
        answers = zip(others, mappings[1:], strict=True)
        questions.append(Question(fact, tuple((f"if {name!r} has them", mapping) for name, mapping in answers)))
    reference = [name for name in names if names_result(name)]
    if reference:
        fact = f"{few(map(repr, reference))} may be a result and no coder"
        questions.append(Question(fact, cure="move the files that are no coder's to another folder"))
    return questions

"""Recognise the role of each column of a table by its name.

A column with our name has the role. If there is none, a column with another usual name has the role if it is the only
one, and a note reports it. A column that may or may not have the role is never ignored silently: it is an error with
an option as its cure. See `recognised`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from gamma_align.data.item_names import ends_as_id, is_about_item, is_item_text
from gamma_align.data.words import SURE, fits, measure_of
from gamma_align.errors import Cure, Location, OpenRoleError, Set

ROLES = ("document", "annotator", "start", "end", "category")
"""The roles of columns in a table of units, which are our names for them."""

READ_ROLES = (*ROLES, "duration")
"""The roles with that of a column of durations, which is read if no column has the ends."""

USUAL = {
    "document": """document documents document_id document_name doc docs doc_id doc_name docid docname text_id textid
        file files file_id file_name filename fileid recording recording_id audio_file audio_filename wav_filename
        video video_id""",
    "annotator": """annotator annotator_id annotator_name annotatorid coder coder_id coder_name worker
        worker_id workerid user user_id user_name username userid rater rater_id rater_name tier tier_name
        labeler labeller annotated_by""",
    "start": "start begin beginning from onset start_offset begin_offset start_char char_start start_time time_start"
    " start_index start_idx startoffset begin_char xmin tmin start_s start_sec start_seconds onset_s start_pos"
    " begin_time begin_time_s start_ms onset_ms segment_onset span_start",
    "end": "end stop to offset end_offset stop_offset end_char char_end end_time time_end end_index end_idx endoffset"
    " finish stop_time xmax tmax end_s end_sec end_seconds offset_s end_pos end_time_s stop_s stop_sec stop_seconds"
    " end_ms offset_ms segment_offset span_end",
    "category": "category categories label labels tag tags type entity entity_type entity_label entity_group class ner"
    " ner_tag ner_label span_label annotation_label",
    "duration": "duration durations dur duration_s duration_sec duration_secs duration_seconds duration_ms"
    " duration_msec segment_duration event_duration",
    "token": "token tokens tok word words form",
    "sentence": "sentence sentences sentence_id sentence_idx sentence_index sentence_no sentence_nr sentence_number"
    " sentenceid sent sents sent_id sent_idx sent_index sent_no sent_nr sent_number sentid",
}
"""Usual names of these columns, in lower case with underscores; the last two occur in tables of tokens."""

# The usual names of each role as a set.
_USUAL_NAMES = {role: frozenset(names.split()) for role, names in USUAL.items()}
_NO_CATEGORIES = """surface surface_form surface_text mention quote phrase span match matched substring string covered
    covered_text lemma normalized normalised token tokens word words form status origin color colour date created
    updated explanation reason rationale"""
"""Names of keys of spans with the covered text or a description."""
_MEANING_OF_NONE = {
    "document": "all units belong to one document",
    "category": "units have no category",
}
"""The meaning of a role without a column."""


class Recognised(NamedTuple):
    """The columns of a table by role, and notes for the user."""

    names: dict[str, str]
    notes: tuple[str, ...]


def recognised(
    header: Iterable[str],
    columns: Mapping[str, str | None],
    *,
    known: Iterable[str] = (),
    doubted: Iterable[str] = ("document", "annotator", "category"),
    table: str = "units",
) -> Recognised:
    """Return the roles of the columns in the header of a table of units, as far as their names tell them.

    `columns` are the names that the user gave, None for a role without a column; `known` are the roles that need no
    column, such as the annotator if a folder is named after each; `table` is the file or other origin, for messages.

    Raises OpenRoleError if names leave a doubt: several columns may have the same role, a column that is not read may
    have one of the roles `doubted` or be the part of a document in which positions are counted, or bounds may be in
    different units of time.
    """
    header = list(header)
    names = {role: name for role, name in columns.items() if name is not None}
    decided = {*columns, "end"} if columns.get("duration") else {*columns}
    # Our names are recognised unless the user names the column of the role.
    names |= {role: role for role in ROLES if role not in decided and role in header}
    open_roles = [role for role in ROLES if role not in decided and role not in names and role not in set(known)]
    usual_names: dict[str, str] = {}
    for role in (*open_roles, "duration"):
        if role == "duration" and ("end" in names or {"end", "duration"} & decided):
            continue
        fitting = usual((name for name in header if name not in names.values()), role)
        # Without a usual name of the start, these names may have another meaning.
        if role == "end" and plain(names.get("start", "")) not in _USUAL_NAMES["start"]:
            fitting = [name for name in fitting if plain(name) not in ("offset", "to")]
        name = the_one(fitting, role, table)
        if name is not None:
            names[role] = usual_names[role] = name
    if "start" in names and {"end", "duration"} & set(names):  # otherwise it is not a table of units, checked later
        _check_doubts(table, header, names, decided, [role for role in doubted if role in open_roles])
    read = ", ".join(f"{name!r} as {role}" for role, name in usual_names.items())
    if "duration" in usual_names:
        read += "; units end at their start plus their duration"
    return Recognised(names, (f"{table}: read {read}",) if read else ())


def _check_doubts(
    table: str, header: Sequence[str], names: Mapping[str, str], decided: Iterable[str], open_roles: Iterable[str]
) -> None:
    """Raise OpenRoleError if names tell different units of time, or a column that is not read may have a role."""
    bounds = {role: names[role] for role in ("start", "end", "duration") if role in names}
    if not bounds.keys() <= {*decided, *bounds.values()} and len({*map(measure_of, bounds.values())}) > 1:
        raise OpenRoleError(
            f"the columns {' and '.join(map(repr, bounds.values()))} may be in different units of time",
            Cure("give both in one unit; if they are, set {}", Set("columns", bounds)),
            Location(table),
        )
    unread = [name for name in header if name not in names.values()]
    for role in open_roles:
        fit = {name: _fit(name, role) for name in unread} if role not in names else {}
        best = max(fit, key=fit.__getitem__, default="")
        if fit.get(best):
            raise doubt(role, best, table)
    part = next((name for name in unread if fits(name, "part") >= SURE), None)
    if part is not None and "document" in names and not {"document", "layer"} & {*decided}:
        document = names["document"]
        raise OpenRoleError(
            f"start and end may count from the beginning of each {part!r} or of each {document!r}",
            Cure(
                "in the first case, set {} and {}, or join both columns into one; in the second case, set {}",
                option("layer", part),
                Set("document", "{document}/{layer}"),
                option("document", document),
            ),
            Location(table),
        )


def _fit(name: str, role: str) -> int:
    """Return how well a name tells a role; a part of a document may be one."""
    if role == "annotator":
        return fits(name, role) if fits(name, role) >= SURE else 0
    return fits(name, role) or int(role == "document" and fits(name, "part") >= SURE)


def doubt(role: str, name: str, table: str) -> OpenRoleError:
    """Return the error that no column has a role, which this one may have; `table` is for messages."""
    cure = Cure("if it is, set {}", option(role, name))
    if role in _MEANING_OF_NONE:
        none = Set("columns", {role: None})
        cure = Cure(f"if it is, set {{}}; if {_MEANING_OF_NONE[role]}, set {{}}", option(role, name), none)
    return OpenRoleError(f"no column {role!r}, but {name!r} may be it", cure, Location(table))


def has_bounds(names: Iterable[str]) -> bool:
    """Return whether the names of columns have usual names of the start, and of the end or the duration."""
    names = [*names]
    return bool(usual(names, "start")) and bool(usual(names, "end") or usual(names, "duration"))


def usual(names: Iterable[str], role: str) -> list[str]:
    """Return the names that are usual names of the role."""
    return [name for name in names if plain(name) in _USUAL_NAMES[role]]


def may_be_category(name: str) -> bool:
    """Return whether a key of a span that has no usual name may be its category."""
    is_other = plain(name) in _NO_CATEGORIES.split() or ends_as_id(name)
    return not (is_other or is_item_text(name) or is_about_item(name))


def cure_of_tokens(names: Sequence[str]) -> Cure | None:
    """Return the cure for a table whose rows seem to be tokens with tags, None for another table."""
    tokens = usual(names, "token")
    if not tokens:
        return None
    return Cure(
        "{} a row is a token, not a unit with bounds: read the tags in a file with {}",
        f"by {tokens[0]!r}",
        Set("format", "conll"),
    )


def the_one(names: Sequence[str], role: str, table: str) -> str | None:
    """Return the only one of the names, None if there is none; InputError if several may have the role."""
    if len(names) > 1:
        columns = " and ".join(map(repr, names))
        raise OpenRoleError(
            f"the columns {columns} may each be the {role}",
            Cure("choose one with {}", option(role, names[0])),
            Location(table),
        )
    return names[0] if names else None


def plain(name: str) -> str:
    """Return a name in lower case, its words joined by underscores: "docId" and "Doc ID" are "doc_id"."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.strip())
    return re.sub(r"[\W_]+", "_", words.casefold()).strip("_")


def option(role: str, name: str) -> Set:
    """Return the option that gives a column a role."""
    return Set("columns", {role: name})

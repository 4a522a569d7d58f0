"""The owners of units: the names of document and annotator from the file, its path and the user.

Several records of a text by one annotator are never merged silently: they are refused, or the user decides which to
keep.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from itertools import chain
from pathlib import PurePosixPath
from string import Formatter
from typing import NamedTuple, Self

from gamma_align.data import few, forms_note
from gamma_align.errors import Cure, InputError, Location, Note, Set, Where
from gamma_align.reading.files.sources import Source
from gamma_align.reading.marks.choices import Choices
from gamma_align.reading.marks.marks import SURROGATE, Key, Marks
from gamma_align.reading.places.layout import Placed


class Owner(NamedTuple):
    """The document and annotator of units, by their names in the corpus."""

    document: str
    annotator: str


class _Stated(NamedTuple):
    """The names in file and path, before the user's patterns, and the file."""

    document: str | None
    annotator: str | None
    file: str


class Owners:
    """The owners of all files: the units of an owner (in one layer) come from one file and one name in it.

    `code` numbers the owners in the order of reading; the choices contain the patterns for their names.
    """

    def __init__(self, choices: Choices) -> None:
        self.code: dict[Owner, int] = {}
        self._choices = choices
        self._stated_of: dict[Owner, _Stated] = {}
        self._file: dict[tuple[int, str | None], str] = {}
        self._inside: dict[tuple[int, str | None], Key] = {}
        self._guessed: dict[str, None] = {}
        self._forms: dict[tuple[str, str], str] = {}
        self._united: dict[tuple[str, str], None] = {}
        self._unsaid: dict[str, Note] = {}
        self._creators: dict[str, set[str]] = {}
        self._created: dict[PurePosixPath, str] = {}

    def code_of(self, key: Key, placed: Placed, marks: Marks) -> int:
        """Return the index of the owner of a key, and add the owner if it is new.

        The annotator and document come from file, path and the user's patterns. Raises an `InputError` if a name is
        missing, if a pattern gives one name to two annotators or documents, or if two files contain units of one owner
        and layer.
        """
        if marks.creators and key.annotator is not None:
            key = self._without_creator(key, placed)
        document, annotator = (self._stated_name(name, key, placed) for name in Owner._fields)
        if not (annotator or "").strip() and self._has_one_annotator(placed, marks):
            annotator = self._name_by_file(key, placed, marks)
        document = self._unify_unicode("document", document)
        annotator = self._unify_unicode("annotator", annotator)
        stated = _Stated(document, annotator, marks.file)
        owner = self._apply_patterns(stated, key, placed, marks)
        if isinstance(key.annotator, Copy) and key.annotator.is_apart:
            owner = owner._replace(annotator=f"{owner.annotator} ({key.annotator.number})")
        code = self.code.setdefault(owner, len(self.code))
        first = self._stated_of.setdefault(owner, stated)
        if not (first.annotator or "").strip() and "{annotator}" not in (self._choices.annotator or "{annotator}"):
            # The user names the annotator of what nobody is named for.
            first = first._replace(annotator=stated.annotator)
            self._stated_of[owner] = first
        elif not (stated.annotator or "").strip():
            stated = stated._replace(annotator=first.annotator)
        if first[:2] != stated[:2]:
            raise _same_name_error(owner, first, stated, marks)
        self._check_path(owner, code, key, placed, marks)
        # Different layers of one annotator may be in different files.
        file = self._file.setdefault((code, key.layer), marks.file)
        if file != marks.file:
            raise InputError(
                f"annotator {owner.annotator!r} has marked document {owner.document!r} in {file} too, and which one "
                "holds is not known",
                Cure(
                    "leave one out, put both into one file if they are parts, or tell them apart with a path such as "
                    "'{}' or with {}",
                    "{annotator}/{document}",
                    Set("annotator", "{annotator}-{file}"),
                ),
                Location(marks.file),
            )
        return code

    def _unify_unicode(self, kind: str, name: str | None) -> str | None:
        """Return the first name read that equals this one after Unicode normalisation, or the name itself."""
        if name is None or name.isascii():
            return name
        first = self._forms.setdefault((kind, unicodedata.normalize("NFC", name)), name)
        if first != name:
            self._united.setdefault((kind, first))
        return first

    def _without_creator(self, key: Key, placed: Placed) -> Key:
        """Return the key without the creator of its unit, if path or user name another annotator.

        Otherwise return the key unchanged, and remember a creator who is not called as the folder.
        """
        pattern = self._choices.annotator
        if "annotator" in placed.fields or (pattern is not None and "{annotator}" not in pattern):
            return key._replace(annotator=None)
        name = PurePosixPath(placed.source.name)
        folders = name.parts[:-1]
        if folders and pattern is None and key.annotator not in folders:
            self._creators.setdefault(folders[-1], set()).add(str(key.annotator))
            self._created[name] = str(placed.source.path).removesuffix(placed.source.name)
        return key

    def _check_path(self, owner: Owner, code: int, key: Key, placed: Placed, marks: Marks) -> None:
        """Refuse a template that gives one name to two annotators or documents of a file."""
        first = self._inside.setdefault((code, key.layer), key)
        if not placed.firm or first == key:
            return
        for field, previous, current in zip(key._fields[:2], first[:2], key[:2], strict=True):
            if previous is not None and current is not None and previous != current:
                raise InputError(
                    f"the file tells {field}s {previous!r} and {current!r} apart, and by its path both would be "
                    f"annotator {owner.annotator!r} of document {owner.document!r}",
                    f"leave {{{field}}} out of the path (* or {{_}} in its place)",
                    Location(marks.file),
                )

    def notes(self) -> list[Note]:
        """Return notes on the names that were assumed."""
        notes = []
        if self._creators:
            authors = (f"{folder!r} has units by {few(sorted(names))}" for folder, names in self._creators.items())
            notes.append(
                Note(
                    f"annotators are the creators of the units, who are not called as the folders: {few(authors)}",
                    Cure(
                        "if the folders are the annotators, give the path as '{}'", _template_by_folder(self._created)
                    ),
                )
            )
        if self._guessed:
            files = few(self._guessed)
            notes.append(Note(f"the files do not name their annotators; the file names are used instead: {files}"))
        return [*notes, *self._unsaid.values(), *(Note(forms_note(*united)) for united in self._united)]

    def _has_one_annotator(self, placed: Placed, marks: Marks) -> bool:
        """Return whether a file counts as the work of one annotator: neither it nor the user names any."""
        named = any((key.annotator or "").strip() for key in marks.seen)
        return placed.guessed and not named and self._choices.annotator is None

    def _name_by_file(self, key: Key, placed: Placed, marks: Marks) -> str:
        """Return the stem of the file as the annotator's name, and add a note."""
        name = placed.source.stem
        if marks.unsaid is not None:
            cause = f"{marks.unsaid.cause.format(layer=key.layer)}, so all units are taken as those of {name!r}"
            self._unsaid.setdefault(marks.file, Note(f"{marks.file}: {cause}", marks.unsaid.cure))
        else:
            self._guessed.setdefault(name)
        return name

    def _stated_name(self, name: str, key: Key, placed: Placed) -> str | None:
        """Return the document or annotator (`name`) of a key as file or path name it, ``None`` if neither does.

        A template of the user takes precedence over the file, and the file over names guessed from the path.
        """
        inside: str | None = getattr(key, name)
        inside = inside.name if isinstance(inside, Copy) else inside
        outside = placed.fields.get(name)
        if placed.firm:
            return outside or inside
        if name == "annotator" and not inside and outside and self._choices.annotator is None and placed.guessed:
            self._guessed.setdefault(outside)
        return inside or outside

    def _apply_patterns(self, stated: _Stated, key: Key, placed: Placed, marks: Marks) -> Owner:
        """Return the owner by the user's patterns for names; raise an `InputError` if a name is missing."""
        path = PurePosixPath(placed.source.name)
        values = {
            "document": stated.document,
            "annotator": stated.annotator,
            "layer": key.layer,
            "file": path.stem,
            "folder": path.parent.name,
        }
        patterns = Owner(self._choices.document or "{document}", self._choices.annotator or "{annotator}")
        is_unnamed = patterns.annotator == "{annotator}" and not (stated.annotator or "").strip()
        if marks.unsaid is not None and marks.unsaid.cure is not None and is_unnamed:
            example = f"{{annotator}}/{{document}}{path.suffix}"
            raise InputError(
                marks.unsaid.cause.format(layer=key.layer),
                Cure("{}; or give a path such as '{}'", marks.unsaid.cure, example),
                Location(stated.file),
            )
        return Owner(
            *(_fill_pattern(pattern, values, stated.file, name) for name, pattern in patterns._asdict().items())
        )


def _template_by_folder(bases: dict[PurePosixPath, str]) -> str:
    """Return a template of files, their last folder the annotator, that fits one file of each annotator and document.

    If files of several folders are alike (units/anna/d.aa, discourse/anna/d.aa), it fits those in the first folder.
    """
    first, base = next(iter(bases.items()))
    alike = [name.parts for name in bases if len(name.parts) == len(first.parts)]
    levels = range(len(first.parts) - 2)
    # -1 stands for no fixed folder: the template has a wildcard for each.
    for fixed in (-1, *levels):
        fitting = [parts[-2:] for parts in alike if fixed < 0 or parts[fixed] == first.parts[fixed]]
        if len(set(fitting)) == len(fitting):
            break
    folders = "".join(f"{first.parts[level]}/" if level == fixed else "{_}/" for level in levels)
    return f"{base}{folders}{{annotator}}/{{document}}{first.suffix}"


def _fill_pattern(pattern: str, values: dict[str, str | None], file: str, name: str) -> str:
    """Return the pattern with its fields filled in; raise an `InputError` if a field has no value."""
    fields = [field for _, field, _, _ in Formatter().parse(pattern) if field is not None]
    empty_field = next((field for field in fields if not (values[field] or "").strip()), None)
    if empty_field is not None and pattern == f"{{{name}}}":
        suffix = PurePosixPath(file).suffix
        raise InputError(
            f"nothing says the {name}",
            Cure(
                "name one for all files with {}, or take the file names with {}, or give a path that has it, such as "
                "'{}' or '{}'",
                Set(name),
                Set(name, "{file}"),
                f"{{annotator}}/{{document}}{suffix}",
                f"{{document}}_{{annotator}}{suffix}",
            ),
            Location(file),
        )
    if empty_field is not None:
        raise InputError(
            f"{name}s are named by {pattern!r}, but nothing says the {empty_field} there", location=Location(file)
        )
    name_of_pattern = pattern.format(**values)
    if SURROGATE.search(name_of_pattern):
        raise InputError(f"the {name} {name_of_pattern!r} is named by a path that is not UTF-8", "rename the file")
    return name_of_pattern


def _same_name_error(owner: Owner, first: _Stated, second: _Stated, marks: Marks) -> InputError:
    """Return the error that two annotators or documents get the same name from a pattern."""
    field = "annotator" if first.annotator != second.annotator else "document"
    names = " and ".join(repr(getattr(stated, field)) for stated in (first, second))
    files = first.file if first.file == second.file else f"{first.file} and {second.file}"
    cure = Cure("tell them apart with {}", Set(field, f"{{{field}}}"))
    named = {key.layer for key in marks.seen if key.annotator and key.layer}
    if field == "annotator" and named and not all(key.annotator for key in marks.seen):
        # A layer without an annotator would be refused next.
        cure = Cure("tell them apart with {} and {}", Set(field, f"{{{field}}}"), Set("layers", sorted(named)))
    return InputError(
        f"{field}s {names} would both be annotator {owner.annotator!r} of document {owner.document!r}",
        cure,
        Location(files),
    )


class Copy(str):
    """The name of an annotator in a further record of a text, "anna (2)": in its file each record needs another name.

    `name` is the annotator's, ``None`` if the path or the user names them, and `number` counts from 2. The corpus
    has the number too if `is_apart`; otherwise this is the only record that is kept.
    """

    __slots__ = ("is_apart", "name", "number")
    name: str | None
    number: int
    is_apart: bool

    def __new__(cls, name: str | None, number: int, usual: str = "", *, is_apart: bool = True) -> Self:
        """Return the name; `usual` is shown for an annotator without a name."""
        self = super().__new__(cls, f"{usual if name is None else name} ({number})")
        self.name = name
        self.number = number
        self.is_apart = is_apart
        return self


class _Record(NamedTuple):
    """One of the records of a text by an annotator: the annotator's name in it, its location and its time, if known."""

    name: str | None
    location: Where | None
    time: float | None


class Copies:
    """The records of each text and annotator, and which of them are kept; `repeated` is as in `gamma_align.read`.

    An annotator without a name in the file is called by its stem. Messages end with the cures of the format: `cure`,
    and `cure_unnamed` before it if the file names no annotator.
    """

    def __init__(
        self, source: Source, repeated: str, *, cure: Cure | None = None, cure_unnamed: Cure | None = None
    ) -> None:
        self._stem = source.stem
        self._repeated = repeated
        self._cure = cure
        self._cure_unnamed = cure_unnamed
        self._records: dict[tuple[str | None, str | None, str | None], list[_Record]] = {}
        self._given: set[tuple[str | None, str | None, str | None]] = set()

    def annotator(
        self,
        document: str | None,
        annotator: str | None,
        layer: str | None = None,
        *,
        location: Where | None = None,
        time: float | None = None,
    ) -> str | None:
        """Return the annotator's name for the first record, and with a number behind it for a further one."""
        records = self._records.setdefault((document, annotator, layer), [])
        name = annotator
        number = len(records) + 1
        while (document, name, layer) in self._given:  # by this annotator, or by one who is called "anna (2)"
            is_apart = self._repeated in ("apart", "refuse")
            name = Copy(annotator, max(number, 2), self._stem, is_apart=is_apart)
            number += 1
        self._given.add((document, name, layer))
        records.append(_Record(name, location, time))
        return name

    def finish(self, marks: Marks) -> frozenset[tuple[str | None, str | None, str | None]]:
        """Add problems or a note on repeated records to the marks; return those dropped, as in `Marks.dropped`."""
        repeated = {key: records for key, records in self._records.items() if len(records) > 1}
        if not repeated or self._repeated == "refuse":
            for (document, annotator, _), records in repeated.items():
                for record in records[1:]:
                    marks.problem(record.location, *self._repeated_problem(document, annotator, records[0].location))
            return frozenset()
        if self._repeated == "apart":
            marks.note(self._note_of_copies(repeated))
            return frozenset()
        are_timed = all(record.time is not None for record in chain.from_iterable(repeated.values()))
        dropped: set[tuple[str | None, str | None, str | None]] = set()
        for (document, _, layer), records in repeated.items():
            ordered = sorted(records, key=lambda record: record.time or 0.0) if are_timed else records
            replaced = ordered[:-1] if self._repeated == "last" else ordered[1:]
            dropped.update((document, record.name, layer) for record in replaced)
        order = "the times of the records" if are_timed else "the order of the file"
        replacing = "a later" if self._repeated == "last" else "an earlier"
        marks.note(
            f"{len(dropped)} records are left out for {replacing} one of the same text and annotator, by {order}"
        )
        return frozenset(dropped)

    def _repeated_problem(self, document: str | None, annotator: str | None, first: Where | None) -> tuple[str, Cure]:
        """Return cause and cure for a record that repeats the one at the location `first`."""
        location_text = f"line {first}" if isinstance(first, int) else str(first)
        if annotator is not None:
            cause, cure = repeated_record(f"document {document!r}", annotator, location_text)
            return cause, _joined(cure, self._cure)
        cause = (
            f"another record of document {document!r} (the first: {location_text}), and the file does not tell whether "
            "one annotator made both or two did"
        )
        return cause, _joined(
            Cure(
                "if one did, keep one record with {} or {}; if two did, write a file for each, or keep both records as "
                "those of {} and {} with {}",
                Set("repeated", "last"),
                Set("repeated", "first"),
                repr(self._stem),
                repr(f"{self._stem} (2)"),
                Set("repeated", "apart"),
            ),
            self._cure_unnamed,
            self._cure,
        )

    def _note_of_copies(self, repeated: Mapping[tuple[str | None, str | None, str | None], object]) -> str:
        """Return the note that repeated records are kept apart; `repeated` has a key for each."""
        document, annotator, _ = next(iter(repeated))
        named = "of the same annotator" if annotator is not None else "that may be of one annotator or of several"
        name = self._stem if annotator is None else annotator
        return (
            f"{len(repeated)} times a text has more than one record {named} (the first: {name!r} on {document!r}); "
            f"they are kept apart as {name!r}, '{name} (2)' …"
        )


def repeated_record(material: str, annotator: str, first: str) -> tuple[str, Cure]:
    """Return cause and cure for another record of the material; `first` is the location of the annotator's first."""
    cause = (
        f"annotator {annotator!r} has another record of {material} (the first: {first}), and γ would compare two works "
        "of one annotator"
    )
    return cause, Cure(
        "keep one record with {} or {}, or keep both, as annotators {} and {}, with {}",
        Set("repeated", "last"),
        Set("repeated", "first"),
        repr(annotator),
        repr(f"{annotator} (2)"),
        Set("repeated", "apart"),
    )


def _joined(*cures: Cure | None) -> Cure:
    """Return all cures as one."""
    present = [cure for cure in cures if cure is not None]
    return Cure("; ".join("{}" for _ in present), *present)

"""Readings of tables whose rows are units: who owns them, their categories, and what is open."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import permutations

import numpy as np

from gamma_align.columns import FloatArray, IntArray
from gamma_align.data import MARKS_CURE, SURE, Profile, Profiles, determines, fits, last_key, marks_fact
from gamma_align.reading.intake.bounds import Bounds, bounds_of, quote_columns, text_column
from gamma_align.reading.intake.mapping import ColumnMap, Condition, EndOf, Joined, Reference, Value
from gamma_align.reading.intake.overlaps import TWINS, partnered, sample, shares
from gamma_align.reading.intake.owners import MIN_DIVIDED, Category, Owners, categories_of, codes_of, owners_of
from gamma_align.reading.intake.readings import Question, Reading
from gamma_align.reading.intake.rows import Rows, record_of

_MAX_BOUNDS = 3  # candidates that are looked at
_MIN_BOUNDS_SCORE = 2.0
_RIVAL_POINTS = 0.75  # a reading with fewer points by so much is out
_MIN_CATEGORY_SCORE = 0.5
_MIN_UNNAMED_CATEGORY_SCORE = 1.2
_MAX_FACTOR_VALUES = 12
_MIN_FACTOR_TWINS = 0.2  # share of units with a twin of another version
_MAX_OWN = 0.15  # share of units on another one of their annotator; of people up to .07
_MAX_BLANK = 0.02  # share of rows without a name: slips are reported later
_MAX_UNBOUND = 0.1  # share of rows with a category and without bounds
_MIN_COPIED = 0.9  # share of the units of a file that are in another one
_MIN_ABUTTING = 0.5  # share of rows without a category that end where a unit begins: gaps
_MIN_FILLED = 0.9  # share of the rows of a column that divides units
_MIN_INSIDE = 0.95  # share of units within their text
_MIN_UNITS_OF_EVIDENCE = 8  # fewer units share places by chance
_SHOWN = 3  # values in a message


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """Units found in a table: their rows and bounds, the roles that tell them, and what else is known of the map.

    `document` is the column that names documents, if that is known.
    """

    form: str
    roles: Mapping[str, Reference]
    taken: frozenset[str]
    rows: IntArray
    start: FloatArray
    end: FloatArray
    score: float
    modifiers: Mapping[str, object]
    evidence: tuple[str, ...] = ()
    questions: tuple[Question, ...] = ()
    is_confirmed: bool = False
    document: Profile | None = None


def unit_readings(rows: Rows, profiles: Profiles) -> list[Reading]:
    """Return the readings of a table whose rows are units with bounds."""
    all_bounds = bounds_of(profiles)
    candidates = all_bounds[:_MAX_BOUNDS]
    refused = [bounds for bounds in candidates if any(question.cure for question in bounds.questions)]
    # What looks like bounds and is none is said, not passed over.
    candidates = [bounds for bounds in candidates if bounds.score >= _MIN_BOUNDS_SCORE] or refused
    result = []
    for bounds in candidates:
        found = _found(bounds, profiles)
        judged = _judged_units(rows, profiles, found)
        if judged is not None:
            return [judged]
        others = [other for other in all_bounds if set(other.columns[:2]).isdisjoint(bounds.columns)]
        others += [] if bounds.rival is None else [bounds.rival]
        readings = owned_readings(rows, profiles, found)
        if others and readings and not found.is_confirmed:
            other = owned_readings(rows, profiles, _found(others[0], profiles))
            fact = f"{_named(bounds)}, or {_named(others[0])}, may be the bounds"
            readings[0] = readings[0].asking(Question(fact, ((f"if they are {_named(others[0])}", other[0].mapping),)))
        result += readings
    return result


def _judged_units(rows: Rows, profiles: Profiles, found: Found) -> Reading | None:
    """Return the reading of units that several columns have categories of, each of an annotator; None without them."""
    end = next((role for role in ("end", "duration") if isinstance(found.roles.get(role), str)), None)
    others = ("document", "annotator", "quote", "text", "item", "about", "round", "part", "attribute")
    free = [each for each in profiles.values() if not each.is_place and each.name not in found.taken]
    if end is None or any(each.fits("annotator") >= SURE for each in free):
        return None
    judged = [each for each in free if each.has_names and not (each.is_number or each.is_constant)]
    judged = [each for each in judged if max(map(each.fits, others)) < SURE]
    columns = [each for each in judged if any(each.share_values(other) for other in judged if other is not each)]
    if len(columns) < 2:  # noqa: PLR2004  (a pair)
        return None
    document = next((each for each in free if each.fits("document") and each not in columns), None)
    roles = {} if document is None else {"document": document.name}
    bounds = {role: str(found.roles[role]) for role in ("start", end)}
    sets = {each.name: {**bounds, "category": each.name} for each in columns}
    mapping = ColumnMap("wide", roles, sets, **found.modifiers)  # type: ignore[arg-type]
    fact = f"columns {', '.join(map(repr, sets))} may each be an annotator's category of the unit in a row"
    n_blank = sum(len(each.names) - len(each.filled) for each in columns)
    questions = [Question(fact)] + [Question(f"{n_blank} cells are empty: units without a category")] * bool(n_blank)
    return Reading(mapping, found.score, rows, found.evidence, tuple(questions))


def _named(bounds: Bounds) -> str:
    return " and ".join(map(repr, dict.fromkeys(bounds.columns[:2])))


def _found(bounds: Bounds, profiles: Profiles) -> Found:
    roles = dict(bounds.roles)
    taken = {*bounds.columns}
    text = text_column(profiles)
    if text is not None and "end" in roles and not isinstance(roles["end"], EndOf):
        texts = [len(text.names[row] or "") for row in bounds.rows.tolist()]
        is_whole = bool((bounds.start == np.round(bounds.start)).all())
        inside = (bounds.start >= 0) & (bounds.end + bounds.is_inclusive <= np.array(texts))
        if is_whole and inside.mean() >= _MIN_INSIDE:
            roles["text"] = text.name
    modifiers: dict[str, object] = {"end": "inclusive"} if bounds.is_inclusive else {}
    if bounds.has_commas:
        modifiers["numbers"] = "comma"
    return Found(
        "row",
        roles,
        frozenset(taken),
        bounds.rows,
        bounds.start,
        bounds.end,
        bounds.score,
        modifiers,
        bounds.evidence,
        bounds.questions,
        bounds.is_confirmed,
    )


def owned_readings(rows: Rows, profiles: Profiles, found: Found) -> list[Reading]:
    """Return the reading of units with the likeliest owners, and one with each rival that gives other numbers."""
    text = text_column(profiles)
    words = {each.name for each in quote_columns(profiles) if each.fits("quote") >= SURE and not each.has_names}
    taken = found.taken | words | ({text.name} if text is not None else set())
    candidates = owners_of(profiles, taken, found.rows, found.start, found.end, text, found.document)
    best = candidates[0]
    reading = _Builder(rows, profiles, replace(found, taken=frozenset(taken)), best).reading()
    result = [reading]
    for role in ("annotator", "document"):
        for rival in candidates[1:]:
            other = getattr(rival, role)
            is_of_role = other is not getattr(best, role) and (role == "annotator" or rival.annotator is best.annotator)
            if not is_of_role or best.score - rival.score >= _RIVAL_POINTS or _is_same(best, rival, found.rows):
                continue
            alternative = _Builder(rows, profiles, replace(found, taken=frozenset(taken)), rival).reading()
            fact = f"{role}s may be named by {_name(getattr(best, role))} or by {_name(other)}"
            result[0] = result[0].asking(Question(fact, ((f"if by {_name(other)}", alternative.mapping),)))
            result.append(alternative)
            break
    return result


def _name(column: Profile | None) -> str:
    return "nothing" if column is None else repr(column.name)


def _is_same(first: Owners, second: Owners, rows: IntArray) -> bool:
    """Return whether two choices of columns divide units alike, whatever they call the parts."""
    return all(
        len(np.unique(np.stack([a, b]), axis=1).T) == len(np.unique(a)) == len(np.unique(b))
        for a, b in zip(first.partition(rows), second.partition(rows), strict=True)
    )


class _Roles:
    """The roles of the columns of units, with one choice of owners."""

    def __init__(self, rows: Rows, profiles: Profiles, found: Found, owners: Owners) -> None:
        self.rows = rows
        self.profiles = profiles
        self.found = found
        self.owners = owners
        self.document, self.annotator = owners.partition(found.rows)
        self.evidence = [*found.evidence]
        self.questions = [*found.questions]
        self.roles = dict(found.roles)
        self.read = {*found.taken}
        self.modifiers = dict(found.modifiers)
        self.given = next(iter(profiles.values())).given

    def _name_owners(self) -> None:
        _, document, annotator, found = self.owners
        text = text_column(self.profiles)
        are_in_files = annotator is not None and annotator.name.startswith("@")
        if document is None and "text" in self.roles and text is not None and (are_in_files or not text.is_constant):
            document = text  # units of two texts are of two documents, those of one text in two files of one
        if document is not None and document is text:
            shorter = [
                each
                for each in self.profiles.values()
                if each.name not in self.read and each.filled and each.mean_length < document.mean_length
                and not each.is_place and determines(each, document) and determines(document, each)
            ]  # fmt: skip
            document = shorter[0] if shorter else document
        for column in (document, annotator):
            self._ask_blanks(column)
        if document is not None:
            self.document = codes_of(document, self.found.rows)
            self.roles["document"] = document.name
            self.read.add(document.name)
            is_told = document.is_place or any(map(document.fits, ("document", "item", "text")))
            if not is_told and not (text is not None and determines(document, text)):
                self.questions.append(Question(f"{document.name!r} may name the documents"))
        if annotator is None:
            if "annotator" in self.given:
                return
            left = self._unread(lambda each: each.has_names and not each.is_number and not each.is_constant)
            left = [each for each in left if not any(map(each.fits, ("category", "about", "quote")))]
            if left:
                self.questions.append(Question(f"no column is read as the annotator; {left[0].name!r} is not read"))
            return
        annotator = self._name_beside(annotator)
        self.roles["annotator"] = annotator.name
        self.read |= {annotator.name, *(column.name for column in (self.owners.annotator,) if column is not None)}
        if not annotator.is_place and annotator.fits("annotator") == 0:
            self.questions.append(Question(f"{annotator.name!r} may name the annotators"))
        self.evidence.append(
            f"{found.cross:.0%} of the units have a partner of another annotator at their place, "
            f"{found.own:.0%} one of the same"
        )

    def _name_beside(self, column: Profile) -> Profile:
        """Return the column of names beside a column of numbers that number them; otherwise the column."""
        record = column.name[: column.name.rfind(".") + 1]
        if not column.is_number or not record:
            return column
        beside = [each for each in self._unread() if each.name.startswith(record) and each.has_names]
        beside = [each for each in beside if not each.is_number and _are_one(each, column)]
        return beside[0] if beside else column

    def _ask_blanks(self, column: Profile | None) -> None:
        """Ask for the names of units whose cells are empty, as where a name stands above several rows."""
        n_blank = int(np.count_nonzero(codes_of(column, self.found.rows) < 0))
        if column is not None and n_blank > _MAX_BLANK * len(self.found.rows):
            fact = f"{column.name!r} is empty in {n_blank} of {len(self.found.rows)} rows"
            self.questions.append(Question(fact, cure="fill each empty cell, with the name above it if that is meant"))

    def _ask_other_owners(self) -> None:
        """Ask about columns that are named as documents or annotators, are not read, and divide the units further."""
        for role, read in (("document", self.owners.document), ("annotator", self.owners.annotator)):
            if role in self.given:
                continue
            for each in self._unread(lambda column: column.has_names or column.n_values > 1):
                least = 1 if read is None else SURE
                fit = each.fits(role)
                if role == "document" and each.fits("text") and 2 * each.n_values <= len(each.filled):
                    fit = max(fit, 1)  # "texte" may be the name of a text
                if each.is_constant or fit < least or each.is_list:
                    continue
                if read is not None and determines(read, each):
                    continue
                named = "nothing" if read is None else repr(read.name)
                fact = f"{each.name!r} is not read, and may name the {role}s as well as {named}"
                other = ColumnMap(self.found.form, {**self.roles, role: each.name}, **self.modifiers)  # type: ignore[arg-type]
                self.questions.append(Question(fact, ((f"if {each.name!r} names the {role}s", other),)))
                break

    def _ask_few(self) -> None:
        """Ask about names that only suggest a role, if there are too few units for evidence."""
        if len(self.found.rows) >= _MIN_UNITS_OF_EVIDENCE:
            return
        for role, reference in self.roles.items():
            column = self.profiles.get(reference) if isinstance(reference, str) else None
            if column is not None and column.name == "@sheet":
                self.questions.append(Question(f"sheets may be {role}s"))
            elif role in ("document", "annotator", "category") and column is not None and not column.is_place:
                fit = column.fits(role)
                if fit == 1 and not any(repr(column.name) in question.fact for question in self.questions):
                    self.questions.append(Question(f"{column.name!r} may be the {role}"))

    def _unread(self, is_meant: Callable[[Profile], bool] = lambda _: True) -> list[Profile]:
        """Return the columns without a role that meet a condition."""
        columns = [each for each in self.profiles.values() if each.name not in self.read and not each.is_place]
        return [each for each in columns if is_meant(each)]

    def _name_category(self) -> None:
        found = categories_of(self.profiles, frozenset(self.read), self.found.rows, self.annotator)
        found = [each for each in found if each.score > _MIN_CATEGORY_SCORE]
        home = self._home_of_names()
        found = [each for each in found if each.column.name.startswith(home)]
        if not found and self._name_key_category():
            return
        named = [each for each in found if each.is_named]
        best: Category | None = next(iter(named or found), None)
        if best is not None and not named and home and len(found) == 1:
            self.evidence.append(f"{best.column.name!r} is the only name in each record")
        elif best is not None and not named:
            if best.score < _MIN_UNNAMED_CATEGORY_SCORE:
                best = None
            else:
                values = f"{best.column.n_values} values"
                self.questions.append(Question(f"{best.column.name!r} may be the category ({values})"))
        if best is None:
            self._ask_about_no_category(home)
            return
        column = best.column
        if column.fits("attribute") >= SURE or column.fits("category") == 1:
            self._ask_unnamed_category(column)
        self.roles["category"] = column.name
        self.read.add(column.name)
        for rival in named[1:]:
            is_named_as_well = rival.column.fits("category") >= max(SURE, column.fits("category"))
            if is_named_as_well and not rival.column.is_constant and not _are_one(column, rival.column):
                roles = {**self.roles, "category": rival.column.name}
                other = ColumnMap(self.found.form, roles, **self.modifiers)  # type: ignore[arg-type]
                fact = f"the category may be {column.name!r} or {rival.column.name!r}"
                self.questions.append(Question(fact, ((f"if it is {rival.column.name!r}", other),)))
                break

    def _ask_about_no_category(self, home: str) -> None:
        """Ask about a column of names in the record of a unit, or one that is named as a category elsewhere."""
        if "category" in self.given:
            return
        left = self._unread(lambda each: each.has_names and not each.is_constant)
        left = [each for each in left if not each.is_number or each.are_grades]
        left = [each for each in left if max(map(each.fits, ("about", "quote", "part", "round"))) < SURE]
        left = [each for each in left if each.name.startswith(home) or each.fits("category") >= SURE]
        if left:
            values = f"{left[0].n_values} values"
            self.questions.append(Question(f"no category is read; {left[0].name!r} may be it ({values})"))
            return
        marked = self._unread(lambda each: each.has_marks)
        marked = [each for each in marked if max(map(each.fits, ("about", "quote", "part", "round"))) < SURE]
        if len(marked) > 1:
            self.questions.append(Question(marks_fact([each.name for each in marked]), cure=MARKS_CURE))
            return
        record = _home(self.roles)
        field = last_key(record.removesuffix("{}[]")) if record.endswith("{}[]") else ""
        if field and not fits(field, "lists"):  # {"Person": {"mira": [[0, 3]], …}}
            self.roles["category"] = Value(field)

    def _ask_unbound(self) -> None:
        """Ask about rows that have a category and no bounds, if they are many."""
        category = self.roles.get("category")
        if self.found.form != "row" or not isinstance(category, str):
            return
        filled = np.flatnonzero(self.profiles[category].coded[0] >= 0)
        n_unbound = len(np.setdiff1d(filled, self.found.rows))
        if n_unbound > _MAX_UNBOUND * len(filled):
            self.questions.append(Question(f"{n_unbound} of {len(filled)} rows have a category and no bounds"))

    def _home_of_names(self) -> str:
        """Return the path of the record of a unit: around a list of numbers, unless this record has the text."""
        home = _home(self.roles)
        around = record_of(home[:-2])
        about = (self.roles.get("text"), self.roles.get("document"))
        is_bare = not any(each.name.startswith(home) for each in self._unread())
        return around if is_bare and around and all(record_of(str(name)) != around for name in about) else home

    def _name_key_category(self) -> bool:
        """Read the keys of a dictionary, which no other role has, as categories."""
        keys = [each for each in self.profiles.values() if each.is_key and each.name not in self.read]
        keys = [each for each in keys if not each.is_constant and self.given.get("category") is None]
        if not keys or "category" in self.given:
            return False
        key = min(keys, key=lambda each: each.n_values)
        self.roles["category"] = key.name
        self.read.add(key.name)
        values = ", ".join(map(repr, key.coded[1][:_SHOWN]))
        if len(keys) > 1:
            self.questions.append(Question(f"the keys {values} may be the categories"))
        else:
            self.evidence.append(f"the keys {values} are the categories")
        return True

    def _ask_unnamed_category(self, category: Profile) -> None:
        """Ask about a category whose name hardly tells it, if another column may be the category."""
        others = self._unread(lambda each: each.has_names and not (each.is_number or each.is_constant))
        others = [each for each in others if each is not category and not each.fits("about")]
        if others:
            other = ColumnMap(self.found.form, {**self.roles, "category": others[0].name}, **self.modifiers)  # type: ignore[arg-type]
            fact = f"the category may be {category.name!r} or {others[0].name!r}"
            self.questions.append(Question(fact, ((f"if it is {others[0].name!r}", other),)))


class _Builder(_Roles):
    """The reading of units with one choice of owners."""

    def reading(self) -> Reading:
        """Return the reading, with its open points."""
        self._name_owners()
        self._name_category()
        self._ask_unbound()
        self._ask_other_owners()
        self._ask_few()
        mapping = ColumnMap(self.found.form, self.roles, **self.modifiers)  # type: ignore[arg-type]
        self.questions += self._divisions(mapping)
        for question in self.questions:
            if question.others and question.others[0][0] == "":
                mapping = question.others[0][1]
        questions = tuple(
            replace(each, others=each.others[1:]) if _is_base(each) else each for each in self.questions if each.fact
        )
        return Reading(mapping, self.found.score + self.owners.score, self.rows, tuple(self.evidence), questions)

    def _divisions(self, mapping: ColumnMap) -> Iterator[Question]:
        """Yield what divides the units of an annotator, unless the user gave it: rounds, parts of documents, gaps."""
        if "layer" in self.given:
            return
        kept = sample(self.document)
        rows = self.found.rows[kept]
        start = self.found.start[kept]
        end = self.found.end[kept]
        within = (self.document[kept], self.annotator[kept])
        own = shares(*within, start, end).own
        round_question = self._round(mapping, rows, within, start, end)
        if round_question is not None:
            yield round_question
            return
        if self.found.form != "row":
            return
        place = next(self._places(mapping), None)
        if place is not None:
            yield place
            return
        yield from self._copies(mapping)
        part = self._part(rows, within, start, end, own)
        if part is not None:
            yield self._part_question(mapping, *part)
        elif own > _MAX_OWN:
            fact = (
                f"{own:.0%} of the units lie on another one of their annotator: a column that divides documents, or a "
                "file for each, may be missing"
            )
            yield Question(fact)
        else:
            yield from self._gaps(mapping)

    def _places(self, mapping: ColumnMap) -> Iterator[Question]:
        """Yield the question of a folder, sheet, file or key that no role has and that divides the units of a pair."""
        owners = np.stack([self.document, self.annotator])
        n_owners = np.unique(owners, axis=1).shape[1]
        for each in self.profiles.values():
            if not each.is_place or each.name in self.read or each.is_constant:
                continue
            codes = codes_of(each, self.found.rows)
            if np.unique(np.stack([*owners, codes]), axis=1).shape[1] == n_owners:
                continue
            values = ", ".join(map(repr, each.coded[1][:_SHOWN]))
            what = "keys" if each.is_key else "places"
            fact = f"the {what} {values} divide the units of annotators in documents"
            apart = replace(mapping, roles={**mapping.roles, "document": self._joined(each)})
            together = () if not each.is_key else (("if they do not", mapping),)
            yield Question(fact, (("", apart), *together))
            return

    def _round(
        self, mapping: ColumnMap, rows: IntArray, within: tuple[IntArray, IntArray], start: FloatArray, end: FloatArray
    ) -> Question | None:
        """Return the question of a column whose values are versions of the same annotations."""
        for each in self.profiles.values():
            codes = codes_of(each, rows)
            is_free = each.name not in self.read and not each.is_list and not each.fits("category") >= SURE
            if not is_free or not 1 < each.n_values <= _MAX_FACTOR_VALUES or (codes >= 0).mean() < _MIN_FILLED:
                continue
            other = partnered(within, codes, start, end, TWINS, is_equal=False).mean()
            same = partnered(within, codes, start, end, TWINS, is_equal=True).mean()
            pairs = np.unique(np.stack([*within, codes]), axis=1)
            owners = np.unique(np.stack(within), axis=1)
            if other >= _MIN_FACTOR_TWINS and same < other / 2:
                fact = f"{other:.0%} of the units have another one of their annotator at their place with another"
            elif each.fits("round") >= SURE and pairs.shape[1] > owners.shape[1]:
                fact = "units of one annotator in one document have several values of"
            else:
                continue
            values = each.coded[1]
            fact = f"{fact} {each.name!r} ({', '.join(map(repr, values[:_SHOWN]))})"
            apart = replace(mapping, roles={**mapping.roles, "document": self._joined(each)})
            last = replace(mapping, where=(*mapping.where, Condition(each.name, True, values[-1])))  # noqa: FBT003
            return Question(fact, (("", apart), (f"to read {values[-1]!r} alone", last)))
        return None

    def _copies(self, mapping: ColumnMap) -> Iterator[Question]:
        """Yield the question whether a file is a copy of another one whose name begins alike."""
        annotator = self.owners.annotator
        if annotator is None or not annotator.is_place:
            return
        units: dict[str, set[tuple[object, ...]]] = {}
        bounds = zip(self.document.tolist(), self.found.start.tolist(), self.found.end.tolist(), strict=True)
        for row, unit in zip(self.found.rows.tolist(), bounds, strict=True):
            units.setdefault(annotator.names[row] or "", set()).add(unit)
        for name, copy in permutations(units, 2):
            share = len(units[name] & units[copy]) / len(units[copy])
            if copy.startswith(name) and len(units[copy]) >= _MIN_UNITS_OF_EVIDENCE and share >= _MIN_COPIED:
                fact = f"{share:.0%} of the units of {copy!r} are those of {name!r}: it may be a copy"
                without = replace(mapping, where=(*mapping.where, Condition(annotator.name, False, copy)))  # noqa: FBT003
                yield Question(fact, (("", without), (f"if {copy!r} is another annotator", mapping)))
                return

    def _joined(self, column: Profile) -> Joined:
        document = self.roles.get("document")
        return Joined((document, column.name) if isinstance(document, str) else (column.name,))

    def _part(
        self, rows: IntArray, within: tuple[IntArray, IntArray], start: FloatArray, end: FloatArray, own: float
    ) -> tuple[Profile, str] | None:
        """Return the column of parts of documents in which positions may be counted, and the reason."""
        for each in self._unread():
            codes = codes_of(each, rows)
            if not 1 < each.n_values <= max(3, len(rows) / 2) or (codes >= 0).mean() < _MIN_FILLED or each.is_list:
                continue
            inside = within[0] * (each.n_values + 1) + codes
            if own >= MIN_DIVIDED and shares(inside, within[1], start, end).own <= own / 3:
                return each, f"{own:.0%} of the units lie on another one of their annotator, but not within one"
            if each.fits("part") >= SURE and len(rows) < _MIN_UNITS_OF_EVIDENCE:
                return each, "there are too few units to tell what they count in from several values of"
            if each.fits("part") >= SURE and _ranges_overlap(within[0], codes, start, end):
                return each, "positions overlap in several values of"
        return None

    def _part_question(self, mapping: ColumnMap, part: Profile, reason: str) -> Question:
        fact = f"{reason} {part.name!r}: positions may count from the beginning of each"
        apart = replace(mapping, roles={**mapping.roles, "document": self._joined(part)})
        return Question(fact, (("", apart), ("if they count from the beginning of the document", mapping)))

    def _gaps(self, mapping: ColumnMap) -> Iterator[Question]:
        """Yield the question whether rows without a category are units; note gaps in the evidence."""
        category = mapping.roles.get("category")
        if not isinstance(category, str):
            return
        codes = self.profiles[category].coded[0][self.found.rows]
        empty = np.flatnonzero(codes < 0)
        if not len(empty):
            return
        begins = {*zip(self.document.tolist(), self.annotator.tolist(), self.found.start.tolist(), strict=True)}
        ends = zip(
            self.document[empty].tolist(), self.annotator[empty].tolist(), self.found.end[empty].tolist(), strict=True
        )
        if np.mean([end in begins for end in ends]) >= _MIN_ABUTTING:
            self.evidence.append(f"{len(empty)} rows without a category end where the next unit begins: gaps")
            yield Question("", (("", replace(mapping, gaps=True)),))
        else:
            without = replace(mapping, gaps=True)
            fact = f"{len(empty)} rows have no category: they may be units, or not"
            yield Question(fact, (("if they are no units", without),))


def _home(roles: Mapping[str, Reference]) -> str:
    """Return the path of the record that has the bounds or the words of a unit; "" in a table."""
    column = roles.get("start", roles.get("quote"))
    return record_of(column) if isinstance(column, str) else ""


def _is_base(question: Question) -> bool:
    """Return whether the first of the other maps takes the place of that of the reading."""
    return bool(question.others) and question.others[0][0] == ""


def _are_one(first: Profile, second: Profile) -> bool:
    return determines(first, second) and determines(second, first)


def _ranges_overlap(document: IntArray, part: IntArray, start: FloatArray, end: FloatArray) -> bool:
    """Return whether the stretches of two parts of a document overlap."""
    order = np.lexsort((part, document))
    keys = np.stack([document[order], part[order]])
    firsts = np.flatnonzero(np.r_[True, (np.diff(keys, axis=1) != 0).any(axis=0)])
    low = np.minimum.reduceat(start[order], firsts)
    high = np.maximum.reduceat(end[order], firsts)
    document = keys[0][firsts]
    by_low = np.lexsort((low, document))
    document = document[by_low]
    low = low[by_low]
    high = high[by_low]
    return bool(((document[1:] == document[:-1]) & (low[1:] < high[:-1])).any())

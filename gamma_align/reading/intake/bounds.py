"""Which columns are start and end of units: candidates with evidence from names, quotes and texts."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

import numpy as np

from gamma_align.columns import FloatArray, IntArray
from gamma_align.data import (
    SURE,
    Profile,
    Profiles,
    fits,
    is_at_words,
    last_key,
    measure_of,
    range_of,
    rest_of_name,
    usual_names,
    without_accents,
    without_measure,
)
from gamma_align.reading.intake.mapping import EndOf, Part, Reference
from gamma_align.reading.intake.readings import Question

_EXPORT_CURE = "export the segments with positions of characters (from a program for qualitative analysis as REFI-QDA)"
MINUTES = "{} and {} have no fraction above .59, and may be minutes and seconds, which are written 2:07 instead of 2.07"
_TUPLE = re.compile(r"(.+)\.(\d)")  # a value of a list that is one record
_PREPOSITIONS = usual_names()["preposition"]
_MIN_ORDERED = 0.98  # share of rows whose end is not before the start: slips are reported later
_MIN_CONFIRMED = 0.95  # share of rows in which a quote confirms the bounds
_MIN_AT_WORDS = 0.9  # share of units that begin and end at words
_MIN_EMPTY = 0.1  # share of units: with inclusive ends, many seem empty
_ROUNDING = 0.0024  # of differences of numbers with three decimals
_MIN_FRACTIONS = 25  # different ones; of hundredths by chance so many are below .60 once in 300,000 tables
_SECONDS = 60  # in a minute
_MAX_HUNDREDTHS = 1e9  # of a minute; larger numbers are no times
_MIN_ROWS_UNNAMED = 8
_MAX_LENGTH_UNNAMED = 0.25  # of the range of starts
_MIN_CORRELATION = 0.9
_MIN_TEXT_LENGTH = 25  # characters, on average
_CONFIRMED = 6.0  # points
_SUPPORTED = 3.0
_LOOKED_AT = 2000  # rows whose quotes and texts are compared


@dataclass(frozen=True, slots=True, eq=False)
class Bounds:
    """Columns of start and end (or duration): the bounds in each row of `rows`, points, evidence, open points.

    `rival` are other bounds that may be meant; `is_confirmed` is whether texts say that these are the ones.
    """

    roles: dict[str, Reference]
    columns: tuple[str, ...]
    rows: IntArray
    start: FloatArray
    end: FloatArray
    score: float
    is_inclusive: bool = False
    has_commas: bool = False
    evidence: tuple[str, ...] = ()
    questions: tuple[Question, ...] = ()
    rival: Bounds | None = None
    is_confirmed: bool = False


def text_column(profiles: Profiles) -> Profile | None:
    """Return the column that most likely has the annotated texts."""
    texts = [each for each in profiles.values() if not (each.is_number or each.is_list or each.is_place)]
    texts = [each for each in texts if each.fits("text") and each.mean_length > _MIN_TEXT_LENGTH]
    return max(texts, key=lambda each: (each.fits("text") >= SURE, each.mean_length), default=None)


def quote_columns(profiles: Profiles) -> list[Profile]:
    """Return the columns that are named as the words of units; a text in a list within a record with a text is, too."""
    text = text_column(profiles)
    depth = math.inf if text is None else text.name.count("[]")
    columns = _text_columns(profiles)
    return [each for each in columns if each.fits("quote") or (each.fits("text") and each.name.count("[]") > depth)]


def _text_columns(profiles: Profiles) -> list[Profile]:
    """Return the columns of texts but the annotated text, those named as words of units first."""
    text = text_column(profiles)
    columns = [each for each in profiles.values() if each.filled and each is not text]
    columns = [each for each in columns if each.is_key or not each.is_place]  # {"Ada": [[0, 2]]}
    columns = [each for each in columns if not (each.is_number or each.is_list)]
    return sorted(columns, key=lambda each: -each.fits("quote"))


def bounds_of(profiles: Profiles) -> list[Bounds]:
    """Return the candidates for bounds, the best first."""
    found = [*_named(profiles)]
    found += _of_ranges(profiles)
    if not any(bounds.score >= SURE for bounds in found):
        found += _of_words(profiles)
    found = [_beside_ends(_confirmed(bounds, profiles), profiles) for bounds in found]
    best = max(found, key=lambda bounds: bounds.score, default=None)
    others = _unnamed(profiles, () if best is None else best.columns)
    found += (_confirmed(bounds, profiles) for bounds in others)
    return [_beside_durations(bounds, found) for bounds in sorted(found, key=lambda bounds: -bounds.score)]


def _numbers(profiles: Profiles) -> list[Profile]:
    return [each for each in profiles.values() if each.is_number and not each.is_place]


def _words(column: Profile) -> str:
    """Return the words of the last key of a name."""
    return without_accents(last_key(column.name))


def _named(profiles: Profiles) -> Iterator[Bounds]:
    """Yield pairs of columns that are named as bounds."""
    for first, second in permutations(_numbers(profiles), 2):
        start = first.fits("start")
        end = second.fits("end")
        duration = second.fits("duration")
        parts = [_TUPLE.fullmatch(each.name) for each in (first, second)]
        if parts[0] and parts[1] and parts[0][1] == parts[1][1] and int(parts[0][2]) < int(parts[1][2]):
            bounds = _checked(first, second, {"start": first.name, "end": second.name}, 2 * SURE)
            if bounds is not None:
                yield bounds
            continue
        is_offset = _words(second).split("_")[0] in ("offset", "to") and second.fits("end")
        if is_offset and not start:
            continue
        rest = rest_of_name(first.name, "start")
        bonus = rest == rest_of_name(second.name, "end")
        are_alike = bonus and bool(rest) and not fits(rest, "part")
        are_prepositions = {without_measure(first.name), without_measure(second.name)} <= _PREPOSITIONS
        if start and end and (max(start, end) >= SURE or are_prepositions or are_alike):
            bounds = _checked(first, second, {"start": first.name, "end": second.name}, start + end + bonus)
            if bounds is not None:
                yield bounds
        starts = start or _words(first) == "offset"
        if starts and duration:
            bounds = _checked(first, second, {"start": first.name, "duration": second.name}, max(start, 1) + duration)
            if bounds is not None:
                yield bounds


def _checked(first: Profile, second: Profile, roles: dict[str, Reference], score: float) -> Bounds | None:
    """Return the bounds in two columns, None if ends are before starts, or all rows are equal."""
    start = first.numbers
    end = second.numbers
    if "duration" in roles:
        if (end[np.isfinite(end)] < 0).any():
            return None
        end = start + end
    rows = np.flatnonzero(np.isfinite(start) & np.isfinite(end))
    start = start[rows]
    end = end[rows]
    if not len(rows) or (end >= start).mean() < _MIN_ORDERED or (len(rows) > 2 and np.ptp(start) == np.ptp(end) == 0):  # noqa: PLR2004
        return None
    has_commas = first.has_commas or second.has_commas
    questions: tuple[Question, ...] = ()
    if measure_of(first.name) != measure_of(second.name):
        questions = (Question(f"{first.name!r} and {second.name!r} may be in different units of measure"),)
    for each in (first, second):
        if each.has_thousands:
            fact = f"{each.name!r} has marks of thousands"
            questions += (Question(fact, cure="write thousands without a mark"),)
    if are_minutes(start, end):
        questions += (Question(MINUTES.format(repr(first.name), repr(second.name))),)
    columns = (first.name, second.name)
    return Bounds(roles, columns, rows, start, end, score, has_commas=has_commas, questions=questions)


def are_minutes(start: FloatArray, end: FloatArray) -> bool:
    """Return whether times with two decimals may be minutes and seconds: many, and none has more than .59."""
    hundredths = np.concatenate([start, end]) * 100
    if not (np.abs(hundredths) < _MAX_HUNDREDTHS).all() or not np.allclose(hundredths, np.round(hundredths), atol=1e-6):
        return False
    fractions = np.round(hundredths).astype(np.int64) % 100
    return len(np.unique(fractions)) >= _MIN_FRACTIONS and int(fractions.max(initial=0)) < _SECONDS


def _of_ranges(profiles: Profiles) -> Iterator[Bounds]:
    """Yield columns with both bounds in a cell."""
    for each in profiles.values():
        if not each.is_place and each.is_range and not each.is_date and not each.fits("about"):
            ranges = [range_of(name) for name in each.names]
            cells = ([None if found is None else found[part] for found in ranges] for part in (0, 1))
            first, second = (Profile(each.name, part) for part in cells)
            roles: dict[str, Reference] = {"start": Part(each.name, 0), "end": Part(each.name, 1)}
            bounds = _checked(first, second, roles, 2)
            if bounds is not None:
                yield replace(bounds, evidence=(f"{each.name!r} has two numbers",))


def _of_words(profiles: Profiles) -> Iterator[Bounds]:
    """Yield a start with the words of the unit, whose length tells the end."""
    quotes = [each for each in quote_columns(profiles) if each.fits("quote") >= SURE]
    starts = [each for each in _numbers(profiles) if each.fits("start") >= SURE and each.is_integer]
    if len(quotes) == 1 and len(starts) == 1 and not any(each.fits("end") >= SURE for each in _numbers(profiles)):
        (quote,), (start,) = quotes, starts
        if start.is_counter or start.n_values <= 0.3 * len(start.filled):
            return
        lengths = np.array(
            [np.nan if name is None else len(str(cell)) for name, cell in zip(quote.names, quote.cells, strict=True)]
        )
        rows = np.flatnonzero(np.isfinite(start.numbers) & np.isfinite(lengths))
        roles: dict[str, Reference] = {"start": start.name, "end": EndOf(start.name, quote.name)}
        low = start.numbers[rows]
        evidence = (f"the length of {quote.name!r} tells the end",)
        yield Bounds(roles, (start.name,), rows, low, low + lengths[rows], 2, evidence=evidence)


def _unnamed(profiles: Profiles, taken: Collection[str]) -> Iterator[Bounds]:
    """Yield pairs of columns besides those `taken`, of which one is always a little larger than the other."""
    for first, second in permutations([each for each in _numbers(profiles) if each.name not in taken], 2):
        bounds = _checked(first, second, {"start": first.name, "end": second.name}, 2)
        if bounds is None or len(bounds.rows) < max(_MIN_ROWS_UNNAMED, len(first.names)) or first.is_counter:
            continue
        start = bounds.start
        length = bounds.end - bounds.start
        if second.is_counter or not (length > 0).all() or np.ptp(start) == 0:
            continue
        is_short = np.median(length) < _MAX_LENGTH_UNNAMED * np.ptp(start)
        if is_short and np.corrcoef(start, bounds.end)[0, 1] > _MIN_CORRELATION:
            pair = f"{first.name!r} and {second.name!r} may be start and end"
            fact = f"{pair}: {second.name!r} is a little larger in all rows"
            yield replace(bounds, questions=(Question(fact),))


def _confirmed(bounds: Bounds, profiles: Profiles) -> Bounds:
    """Return the bounds with the evidence of differences, quotes and texts."""
    bounds = _with_difference(bounds, profiles)
    if bounds.is_inclusive or not _are_whole(bounds) or not isinstance(bounds.roles.get("end"), (str, Part)):
        return bounds
    return told_by_words(bounds, profiles) or _maybe_inclusive(bounds, profiles)


def _are_whole(bounds: Bounds) -> bool:
    return bool((bounds.start == np.round(bounds.start)).all() and (bounds.end == np.round(bounds.end)).all())


def told_by_words(bounds: Bounds, profiles: Profiles) -> Bounds | None:
    """Return whole numbers as bounds, with what the words of units and the texts tell of them, None if nothing."""
    text = text_column(profiles)
    for quote in _text_columns(profiles):
        found = _with_quote(bounds, quote, text)
        if found is not None:
            return found
    checked = bounds if text is None else _with_text(bounds, text)
    return None if checked is bounds else checked


def contradiction(roles: dict[str, str], start: FloatArray, end: FloatArray, columns: Iterable[Profile]) -> Question:
    """Return what words of units and texts say against bounds as positions of characters; no fact if nothing does.

    `roles` are the columns of start and end, and `columns` those that may have words and texts.
    """
    names = (roles["start"], roles["end"])
    bounds = Bounds({**roles}, names, np.arange(len(start)), start, end, 0)
    told = told_by_words(bounds, {each.name: each for each in columns}) if _are_whole(bounds) else None
    if told is None:
        return Question("")
    if told.questions:
        return told.questions[0]
    return Question(
        f"{told.evidence[-1]}: the last character or token belongs to the unit" if told.is_inclusive else ""
    )


def _beside_ends(bounds: Bounds, profiles: Profiles) -> Bounds:
    """Return the bounds; if they have a duration, another column may be the end, which confirms or contradicts it."""
    if "duration" not in bounds.roles:
        return bounds
    start = profiles[bounds.columns[0]].numbers[bounds.rows]
    for each in _numbers(profiles):
        if each.name in bounds.columns or each.is_counter or each.fits("start"):
            continue
        length = each.numbers[bounds.rows] - start
        if not ((length >= 0).mean() >= _MIN_ORDERED and np.median(length) < _MAX_LENGTH_UNNAMED * np.ptp(start)):
            continue
        if (np.abs(bounds.end - start - length) <= _ROUNDING).all():
            evidence = f"{bounds.columns[1]!r} is {each.name!r} − {bounds.columns[0]!r} in all rows"
            return replace(
                bounds,
                score=bounds.score + _SUPPORTED,
                columns=(*bounds.columns, each.name),
                evidence=(*bounds.evidence, evidence),
            )
        roles: dict[str, Reference] = {"start": bounds.columns[0], "end": each.name}
        return replace(bounds, rival=_checked(profiles[bounds.columns[0]], each, roles, bounds.score))
    return bounds


def _beside_durations(bounds: Bounds, found: Sequence[Bounds]) -> Bounds:
    """Return the bounds; if they have a duration, others of the same start or duration are their rival."""
    if "duration" not in bounds.roles or bounds.rival is not None:
        return bounds
    others = (other for other in found if "duration" in other.roles and {*other.columns} & {*bounds.columns})
    others = (other for other in others if not np.array_equal(other.end, bounds.end))
    return replace(bounds, rival=next(others, None))


def _maybe_inclusive(bounds: Bounds, profiles: Profiles) -> Bounds:
    """Return the bounds; ask whether ends are inclusive if their name, empty units, or lists of tokens suggest it."""
    end = bounds.columns[1]
    words = without_accents(last_key(end)).split("_")
    n_empty = int(np.count_nonzero(bounds.start == bounds.end))
    if "last" in (words[0], words[-1]):
        fact = f"the last character, token or frame may belong to the unit: the end is called {end!r}"
    elif n_empty >= _MIN_EMPTY * len(bounds.start):
        n_units = len(bounds.start)
        fact = f"{n_empty} of {n_units} units end where they begin: the last character or token may belong to them"
    elif any(_has_tokens(each) for each in profiles.values()):
        fact = "positions may number tokens, of which the last may belong to the unit"
    else:
        return bounds
    return replace(bounds, is_inclusive=True, questions=(*bounds.questions, Question(fact)))


def _has_tokens(each: Profile) -> bool:
    """Return whether a column of JSON has lists of tokens."""
    return bool(each.fits("token")) and any(isinstance(cell, list) for cell in each.cells[:_LOOKED_AT])


def _with_difference(bounds: Bounds, profiles: Profiles) -> Bounds:
    """Return the bounds; if a third column is end − start it confirms them."""
    if "end" not in bounds.roles:
        return bounds
    length = bounds.end - bounds.start
    for each in _numbers(profiles):
        if each.name in bounds.columns or np.ptp(length) == 0:
            continue
        if (np.abs(each.numbers[bounds.rows] - length) <= _ROUNDING).all():
            start = bounds.columns[0]
            end = bounds.columns[-1]
            evidence = f"{each.name!r} is {end!r} − {start!r} in all rows"
            columns = (*bounds.columns, each.name)
            score = bounds.score + _SUPPORTED
            return replace(bounds, score=score, columns=columns, evidence=(*bounds.evidence, evidence))
        if are_inclusive(bounds.start, bounds.end, each.numbers[bounds.rows]):
            evidence = f"{each.name!r} counts the last character, token or frame, too"
            return _supported(bounds, _SUPPORTED, evidence, each, is_inclusive=True)
    return bounds


def are_inclusive(start: FloatArray, end: FloatArray, length: FloatArray) -> bool:
    """Return whether lengths say that the last of the whole numbers of each unit belongs to it."""
    numbers = np.stack([start, end, length])
    is_told = len(start) >= _MIN_ROWS_UNNAMED and np.ptp(length) > 0
    return bool(is_told and (numbers == np.round(numbers)).all() and (length == end - start + 1).all())


def _with_quote(bounds: Bounds, quote: Profile, text: Profile | None) -> Bounds | None:
    """Return the bounds if the words of units tell what they count, None if the words tell nothing."""
    rows = [index for index, row in enumerate(bounds.rows.tolist()) if quote.names[row] is not None][:_LOOKED_AT]
    if not rows:
        return None
    words = [str(quote.cells[int(bounds.rows[row])]) for row in rows]
    spans = [(int(bounds.start[row]), int(bounds.end[row])) for row in rows]
    if text is not None:
        texts = [str(text.cells[int(bounds.rows[row])]) for row in rows]
        for is_inclusive in (False, True):
            triples = zip(texts, spans, words, strict=True)
            share = np.mean([part[low : high + is_inclusive] == word for part, (low, high), word in triples])
            if share >= _MIN_CONFIRMED:
                last = ", the last character included," if is_inclusive else ""
                evidence = f"the text between the bounds{last} is {quote.name!r}"
                found = _supported(bounds, _CONFIRMED, evidence, quote, is_inclusive=is_inclusive)
                return replace(found, is_confirmed=True)
    lengths = np.array([high - low for low, high in spans])
    is_sure = quote.fits("quote") >= SURE
    n_words = np.array([len(word.split()) for word in words])
    for unit, sizes in (("the length of", np.array([*map(len, words)])), ("how many words stand in", n_words)):
        for is_inclusive in (False, True):
            is_told = len(rows) > 5 or not is_inclusive  # noqa: PLR2004
            if not is_sure:  # sizes of few kinds may agree by chance
                is_told = len(rows) > 5 and len(np.unique(sizes)) > 2  # noqa: PLR2004
            if is_told and (lengths + is_inclusive == sizes).mean() >= _MIN_CONFIRMED:
                evidence = f"end − start{' + 1' if is_inclusive else ''} is {unit} {quote.name!r}"
                return _supported(bounds, _SUPPORTED, evidence, quote, is_inclusive=is_inclusive)
    # Positions of words, and times, are larger.
    if is_sure and (lengths + 1 < n_words).mean() > 0.5:  # noqa: PLR2004  (most)
        fact = (
            f"{bounds.columns[0]!r} and {bounds.columns[-1]!r} are no positions of characters: they differ by "
            f"{np.median(lengths):g}, and {quote.name!r} has {quote.mean_length:.0f} characters on average"
        )
        question = Question(fact, cure=_EXPORT_CURE)
        return replace(bounds, score=bounds.score - _CONFIRMED, questions=(*bounds.questions, question))
    return None


def _supported(bounds: Bounds, points: float, evidence: str, column: Profile, *, is_inclusive: bool) -> Bounds:
    return replace(
        bounds,
        score=bounds.score + points,
        is_inclusive=is_inclusive,
        columns=(*bounds.columns, column.name),
        evidence=(*bounds.evidence, evidence),
    )


def shares_at_words(stretches: Sequence[tuple[str, int, int]]) -> tuple[float, float]:
    """Return the shares of (text, start, end) at words: with ends as they are, and with their last characters."""
    shares = [
        float(np.mean([is_at_words(text, start, end + is_inclusive) for text, start, end in stretches]))
        for is_inclusive in (0, 1)
    ]
    return shares[0], shares[1]


def need_last_characters(at_words: tuple[float, float]) -> bool:
    """Return whether most stretches are at words only if their last characters belong to them."""
    return at_words[1] >= _MIN_AT_WORDS > at_words[0]


def _with_text(bounds: Bounds, text: Profile) -> Bounds:
    """Return the bounds with what the words of the texts tell about them."""
    rows = range(min(len(bounds.rows), _LOOKED_AT))
    texts = [text.names[row] or "" for row in bounds.rows[:_LOOKED_AT].tolist()]
    at_words = shares_at_words([(texts[row], int(bounds.start[row]), int(bounds.end[row])) for row in rows])
    if at_words[0] >= _MIN_AT_WORDS > at_words[1]:
        evidence = f"{at_words[0]:.0%} of the units begin and end with words of {text.name!r}"
        all_evidence = (*bounds.evidence, evidence)
        return replace(bounds, score=bounds.score + _SUPPORTED, evidence=all_evidence, is_confirmed=True)
    if need_last_characters(at_words):
        fact = f"units end with a word of {text.name!r} only if the last character belongs to them"
        question = Question(fact)
        return replace(bounds, score=bounds.score + 1, is_inclusive=True, questions=(*bounds.questions, question))
    return bounds

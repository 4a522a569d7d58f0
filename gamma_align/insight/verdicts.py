"""Sentences on results: each is computed from values by one rule, and every surface shows the same sentence.

A rule takes values, not results, so that texts, pages, JSON and tables of any package share it. No sentence praises or
blames, and none says more than its values prove: "higher" and "nearer" only if the interval, or the count, shows it.
Numbers are rounded so that two numbers of one sentence agree.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from gamma_align.data import decimal, printable
from gamma_align.inference import Number, Value

_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_FRACTIONS = (
    (1 / 4, "a quarter"),
    (1 / 3, "a third"),
    (1 / 2, "half"),
    (2 / 3, "two thirds"),
    (3 / 4, "three quarters"),
)
_FRACTION_TOLERANCE = 0.02  # of the disorder, up to which a fraction stands for a share; else per cent
_MAX_DIGITS = 4
_RATIO_MIN = 10  # pairs for each different one, from which on "1 label in 10" is said; below, both are counted
_PERCENT = 100
_SIGNIFICANT = 0.05
_CASES = {"boundary": "with other bounds", "label": "with another label", "both": "with other bounds and label"}
_DIFFERENCE_DIGITS = 3  # differences are small beside the values
_MAX_NAMED = 3  # annotators or labels in a sentence


def counted(count: int, noun: str) -> str:
    """Return "1 document", "8,123 units"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def in_words(count: int) -> str:
    """Return a count in words up to ten."""
    return _WORDS[count] if count < len(_WORDS) else f"{count:,}"


def coefficient(value: float, digits: int = 2) -> str:
    """Return a coefficient with two decimals, or with up to four if it would look like 1 and is not."""
    while digits < _MAX_DIGITS and value != 1.0 and abs(round(value, digits)) == 1.0:
        digits += 1
    return decimal(value, digits)


def percent(share: float) -> str:
    """Return a share in whole per cent, or in tenths below one per cent."""
    digits = 0 if share == 0 or round(share, 3) >= 1 / _PERCENT else 1
    return f"{decimal(_PERCENT * share, digits)} %"


def interval(low: float, high: float, digits: int = 2) -> str:
    """Return "[0.81, 0.93]"; an empty text without an interval."""
    return "" if math.isnan(low) or math.isnan(high) else f"[{coefficient(low, digits)}, {coefficient(high, digits)}]"


def sizes(documents: int, annotators: int, units: int, labels: Sequence[str | None]) -> str:
    """Return the size of a corpus, with its labels if they are few."""
    names = [printable(label) for label in labels if label is not None]
    parts = [counted(documents, "document"), counted(annotators, "annotator"), counted(units, "unit")]
    if names:
        parts.append(counted(len(names), "label") + (f" ({', '.join(names)})" if len(names) <= _MAX_NAMED else ""))
    return ", ".join(parts)


def agreement(annotators: int, value: Value, symbol: str = "γ", largest_cause: float | None = None) -> str:
    """Return the verdict on a corpus: its γ, the share of the disorder expected by chance, and the largest cause.

    Parameters
    ----------
    annotators : int
        Their number.
    value : Value
        γ of the corpus.
    symbol : str
        Its symbol.
    largest_cause : float, optional
        The share of the disorder that the largest cause explains.
    """
    people = in_words(annotators).capitalize() + f" annotator{'' if annotators == 1 else 's'}"
    return f"{people}, {measured(value, symbol, largest_cause)}"


def measured(value: Value, symbol: str = "γ", largest_cause: float | None = None) -> str:
    """Return γ, and the share of the disorder expected by chance that it stands for."""
    if not value.is_available:
        return f"no {symbol}: {value.reason}."
    return f"{symbol} {coefficient(value.value)}: {against_chance(value, largest_cause)}."


def against_chance(value: Value, largest_cause: float | None = None) -> str:
    """Return γ as the share of the disorder that the same annotators would have by chance, in words."""
    if value.value == 1.0:
        return "no disorder at all"
    if value.high < 0:
        return "less agreement than by chance; look at offsets, folders and documents first"
    if value.low <= 0 <= value.high:
        return "the interval includes 0, so more agreement than by chance is not shown"
    if value.value <= 0:
        return "no more agreement than by chance"
    # From the rounded γ, so that both numbers agree.
    shown = round(value.value, 2)
    share = percent(1.0 - (shown if shown < 1.0 else value.value))
    clause = "" if largest_cause is None else f", and one cause is {fraction(largest_cause)} of it"
    return f"{share} of the disorder expected by chance{clause}"


def fraction(share: float) -> str:
    """Return a share as a fraction in words if it is near a simple one; else in per cent."""
    near = [word for value, word in _FRACTIONS if abs(share - value) <= _FRACTION_TOLERANCE]
    return near[0] if near else percent(share)


def interval_remark(value: Value, documents: int) -> str:
    """Return what is to know about the interval of a value, or why it has none; an empty text if nothing is."""
    if not value.is_available:
        return value.reason or ""
    if value.no_interval is not None:
        return value.no_interval + ("; one document, so no interval" if documents == 1 else "")
    if math.isnan(value.low) or math.isnan(value.high):
        return ""
    if documents == 1:
        return "one document: the interval is of the sampling alone"
    return value.interval_note or ""


def labels(pairs: int, different: int) -> str:
    """Return how often two annotators who mark the same unit give it different labels."""
    if not pairs:
        return "no unit is marked by two annotators"
    if not different:
        return "where two marked the same unit, no label differs"
    if different * _RATIO_MIN <= pairs:
        return f"where two marked the same unit, 1 label in {round(pairs / different):,} differs"
    return f"{different:,} of {counted(pairs, 'common unit')} have different labels"


def similar(tasks: Sequence[tuple[str, float, bool]]) -> str:
    """Return γ in corpora of other tasks: each task, its γ, and whether that is of pairs of annotators."""
    shown = (f"{task} {coefficient(value)}{' (pairs)' if by_pairs else ''}" for task, value, by_pairs in tasks)
    return f"γ in similar tasks: {'; '.join(shown)}"


def no_cause(kinds: int, owner: str = "") -> str:
    """Return that no cause was found, with the number of kinds looked for; of one annotator if `owner` is named."""
    of_owner = f" of {printable(owner)}" if owner else ""
    return f"none of the {kinds} kinds of cause looked for explains more{of_owner} than it would by chance"


def pairs_of_annotators(values: Sequence[float], symbol: str = "γ") -> str:
    """Return the median and the range of the values of pairs of annotators."""
    known = sorted(value for value in values if not math.isnan(value))
    if not known:
        return f"Pairs of annotators: no {symbol}"
    middle = (known[(len(known) - 1) // 2] + known[len(known) // 2]) / 2
    if len(known) == 1:
        return f"Pairs of annotators: {symbol} {coefficient(middle)} (1 pair)"
    span = f"{coefficient(known[0])} to {coefficient(known[-1])}"
    return f"Pairs of annotators: {symbol} {coefficient(middle)} in the middle, {span} ({len(known):,} pairs)"


def standing(
    model: str, nearness: float, nearer_than: int, n_people: int, people: Sequence[tuple[str, float]] = ()
) -> str:
    """Return whether a model is nearer to the people than they are to each other.

    Parameters
    ----------
    model : str
        Name of the model.
    nearness : float
        Its mean similarity to the people.
    nearer_than, n_people : int
        Number of people who are less near to the others than the model, and of all people who have a nearness.
    people : sequence of (str, float)
        Each person with the mean similarity to the other people, if they are known.
    """
    name = printable(model)
    if math.isnan(nearness) or not n_people:
        return f"{name} cannot be placed among the people"
    known = sorted(((value, person) for person, value in people if not math.isnan(value)), reverse=True)
    digits = _digits_apart([nearness, *(value for value, _ in known)])
    shown = [f"{printable(person)} {decimal(value, digits)}" for value, person in known[:_MAX_NAMED]]
    more = f" and {len(known) - _MAX_NAMED} more" if len(known) > _MAX_NAMED else ""
    numbers = f" ({'; '.join(filter(None, [decimal(nearness, digits), ', '.join(shown) + more]))})"
    if nearer_than == n_people:
        return f"{name} is nearer to the people than {_all_of(n_people)}{numbers}"
    if len(known) == n_people and known[-1][0] > nearness:
        return f"{name} is less near to the people than {_all_of(n_people)}{numbers}"
    return f"{name} is nearer to the people than {nearer_than} of {n_people} are to each other{numbers}"


def _all_of(people: int) -> str:
    if people == 1:
        return "that person is to the others"
    return f"{'both' if people == 2 else f'all {in_words(people)}'} are to each other"  # noqa: PLR2004


def _digits_apart(values: Sequence[float]) -> int:
    """Return the number of decimals, two to four, that tells different values apart."""
    digits = 2
    while digits < _MAX_DIGITS and len({round(value, digits) for value in values}) < len({*values}):
        digits += 1
    return digits


def allowed_standing(share: Value, people: int, instances: int, noun: str) -> str:
    """Return how many people the data allow the model to be nearer than: the interval of the share, in whole people."""
    if not share.is_available or math.isnan(share.low) or math.isnan(share.high):
        return f"{counted(instances, noun)}: too few to say whether others would show the same"
    # An interval in whole people contains the interval of the share; a rounding error adds nobody.
    low = math.floor(share.low * people + 1e-9)
    high = math.ceil(share.high * people - 1e-9)
    count = f"{low}" if low == high else f"{low} to {high}"
    return f"{counted(instances, noun)} allow{'s' if instances == 1 else ''} it to be nearer than {count} of {people}"


def at_ceiling(model: str, f1: float, ceiling: tuple[float, float], verdict: str | None, no_verdict: str = "") -> str:
    """Return where the strict F1 of a model lies against the best that any answer can reach.

    Parameters
    ----------
    model : str
        Name of the model.
    f1 : float
        Its strict F1 against one of the people.
    ceiling : (float, float)
        Lower and upper end of the range of the ceiling.
    verdict : {"below", "at", "above"} or None
        What the data show of the model; None if they show nothing.
    no_verdict : str
        Why they show nothing.
    """
    low, high = ceiling
    digits = _digits_apart([low, high, f1])
    ends = [*dict.fromkeys([coefficient(low, digits), coefficient(high, digits)])]
    place = verdict
    if verdict is None:
        place = f"no verdict ({no_verdict})"
    elif verdict == "at":
        place = "within it"
        if not low <= f1 <= high:
            place = f"not clearly {'below' if f1 < low else 'above'} it"
    name = printable(model)
    return f"Ceiling of strict F1 against one of the people: {' to '.join(ends)}; {name} {decimal(f1, digits)}: {place}"


def no_ceiling(reason: str) -> str:
    """Return why the people have no ceiling."""
    return f"Ceiling of strict F1: none, {reason}"


def compared(first: str, second: str, symbol: str, difference: Value, p: float) -> str:
    """Return how the second of two annotations differs from the first.

    Parameters
    ----------
    first, second : str
        Names of the two.
    symbol : str
        Symbol of the coefficient.
    difference : Value
        The second value minus the first one.
    p : float
        p of the hypothesis that the two do not differ; NaN if it is not known.
    """
    one = printable(first)
    other = printable(second)
    if not difference.is_available:
        return f"{symbol} of {one} and {other} cannot be compared: {difference.reason}."
    change = difference.value
    bounds = interval(difference.low, difference.high, _DIFFERENCE_DIGITS)
    evidence = ", ".join(filter(None, [bounds, "" if math.isnan(p) else f"p {probability(p)}"]))
    direction = "higher" if change > 0 else "lower"
    if change == 0:
        return f"{symbol} of {other} equals that of {one}."
    claim = f"{symbol} of {other} is {direction} than that of {one} by {decimal(abs(change), _DIFFERENCE_DIGITS)}"
    if bounds:
        claim += f" ({other} − {one}: {evidence})"
        is_shown = (difference.low > 0 or difference.high < 0) and (math.isnan(p) or p < _SIGNIFICANT)
        return f"{claim}{'.' if is_shown else '; the data leave open which is higher.'}"
    return f"{claim}{f' ({evidence})' if evidence else ''}; {difference.no_interval or 'no interval'}."


def probability(p: float) -> str:
    """Return p with three decimals, or that it is less than the smallest number of these."""
    return "< 0.001" if p < 0.0005 else f"{p:.3f}"  # noqa: PLR2004  (half of the last digit)


def item_sizes(items: int, coders: int, categories: int, missing: int) -> str:
    """Return the size of a table of items."""
    size = f"{counted(items, 'item')}, {counted(coders, 'coder')}, {counted(categories, 'label')}"
    return f"{size}; {counted(missing, 'judgment')} missing" if missing else size


def item_agreement(coders: int, value: Number, low: float, high: float, symbol: str) -> str:
    """Return the verdict on a table of items: the share of the disagreement that is expected by chance."""
    people = in_words(coders).capitalize() + f" coder{'' if coders == 1 else 's'}"
    if not value.is_available:
        return f"{people}, no {symbol}: {value.reason}."
    if value.value == 1.0:
        return f"{people}, {symbol} 1.00: no disagreement at all."
    claim = against_chance(Value(value.value, low, high)).replace("disorder", "disagreement")
    return f"{people}, {symbol} {coefficient(value.value)}: {claim}."


def pairs_of_coders(symbol: str, pairs: Sequence[tuple[str, str, float]]) -> str:
    """Return the range, mean and standard deviation of a coefficient over pairs of coders, and the lowest pair."""
    known = sorted((pair for pair in pairs if not math.isnan(pair[2])), key=lambda pair: pair[2])
    if not known:
        return ""
    first, second, lowest = known[0]
    whose = f"{printable(first)} and {printable(second)}"
    if len(known) == 1:
        return f"{symbol} of {whose}: {coefficient(lowest)}"
    values = np.array([value for *_, value in known])
    spread = f"mean {coefficient(float(values.mean()))}, standard deviation {coefficient(float(values.std(ddof=1)))}"
    return f"{symbol} of pairs of coders: {coefficient(lowest)} ({whose}) to {coefficient(known[-1][2])}; {spread}"


def most_exchanged(first: str, second: str, count: int, total: int) -> str:
    """Return the two labels that are exchanged most often, with their share of all differences of two coders."""
    return f"Most often exchanged: {printable(first)} and {printable(second)} ({count:,} of {total:,} differences)."


def other_distance(is_scale: bool, distance: str, value: float) -> str:  # noqa: FBT001
    """Return the value with a distance of ranks, for labels that are words of a scale, or else numbers."""
    kind = "words of a scale" if is_scale else "numbers"
    return f"the labels are {kind}: with the distance {distance} it is {coefficient(value)}"


def clustered(groups: int, example: str) -> str:
    """Return that an interval is over groups of items."""
    return f"interval over {groups:,} groups of items, such as {printable(example)}"


def found(system: str, reference: str, counts: Mapping[str, int]) -> str:
    """Return how many units of a reference a system has, from the number of cases of each kind.

    Parameters
    ----------
    system, reference : str
        Their names.
    counts : mapping of str to int
        Cases: ``correct``, ``boundary``, ``label``, ``both``, ``missed``, ``spurious``.
    """
    total = sum(count for kind, count in counts.items() if kind != "spurious")
    parts = [f"{counts.get('correct', 0):,} as they are"]
    parts += [f"{counts[kind]:,} {words}" for kind, words in _CASES.items() if counts.get(kind)]
    missed = counts.get("missed", 0)
    spurious = counts.get("spurious", 0)
    has = f"Of {counted(total, 'unit')} of {printable(reference)}, {printable(system)} has {', '.join(parts)}"
    return f"{has}; it leaves out {missed:,} and adds {spurious:,}."


def errors_as_large(symbol: str, value: float, placements: Sequence[tuple[str, float]]) -> str:
    """Return the magnitude at which errors of each kind alone lower γ to a value; NaN if they never do.

    Parameters
    ----------
    symbol : str
        Symbol of the coefficient.
    value : float
        Its value in the corpus.
    placements : sequence of (str, float)
        What annotators do, such as "miss units", and the magnitude.
    """
    reached = [f"only {kinds} at m = {decimal(size)}" for kinds, size in placements if not math.isnan(size)]
    never = [f"only {kinds}" for kinds, size in placements if math.isnan(size)]
    above = f"those who {' or '.join(never)} have a higher one" if never else ""
    if not reached:
        return f"No annotators who {' or '.join(never)} have {symbol} as low as {coefficient(value)}."
    lowered = f"Annotators who {' or '.join(reached)} have {symbol} {coefficient(value)}, too"
    return f"{'; '.join(filter(None, [lowered, above]))}."


def documents_needed(symbol: str, target: float, needed: Sequence[tuple[int, int]]) -> str:
    """Return how many documents an interval of a width takes, by number of annotators of a document."""
    amounts = ", ".join(f"{documents:,} with {annotators}" for annotators, documents in needed)
    return f"Documents for an interval of {symbol} no wider than {target:g}, by annotators of each: {amounts}."


def documents_of_difference(symbol: str, difference: float, power: float, documents: int | None, most: int) -> str:
    """Return how many documents find a difference with a probability; None if `most`, as were simulated, do not."""
    what = f"a difference of {symbol} of {difference:+.4f} with a probability of {decimal(_PERCENT * power, 0)} %"
    if documents is None:
        return f"More than {most:,} documents like these find {what}."
    return f"{documents:,} documents like these find {what}."

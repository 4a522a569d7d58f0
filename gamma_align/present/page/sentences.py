"""What the numbers say, in sentences: templates without an adjective of quality, as numbers are not grades."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from gamma_align.insight.disagreements.disagreements import Disagreements
from gamma_align.insight.disagreements.shares import Missing, Share
from gamma_align.measures.gamma.gamma_result import GammaResult, GammaValue
from gamma_align.present.page.numbers import bounds, count, counted, decimal, percent, proven_range
from gamma_align.simulation.curve import Placement

FEW_UNITS = 10  # with fewer units, single cases decide the sign of γ
NEARLY_ALL, MOST = 0.9, 0.6
_WHY = {
    "left_out": "somebody marks what another leaves out",
    "cut_otherwise": "the annotators cut the same stretch at different positions, so that units have no counterpart",
    "other_units": "units have no counterpart among the other units that another annotator has at the same place",
    "position": "the bounds of aligned units differ",
    "category": "the labels of aligned units differ",
}
_WHOLE = 200  # longer stretches are told in whole units of length
_OFTEN = 4  # "in 1 of 3 cases" is less clear than a percentage
_LENGTHS = {"char": "characters", "token": "tokens", "s": "seconds", "ms": "milliseconds", "sec": "seconds"}


def in_words(result: Disagreements, headline: GammaResult) -> list[str]:
    """Return what γ, its interval, the reasons and the labels say; `headline` is the γ on top."""
    gamma = headline.gamma
    if not gamma.is_available:
        return [f"There is no γ: {gamma.reason}."]
    sentences = [*_of_gamma(gamma, sum(row.units for row in headline.documents)), *_of_interval(headline)]
    if headline is not result.gamma:
        sentences.append(f"What follows is of all {len(result.corpus.annotators)} annotators.")
    if result.disorder.disorder > 0:
        sentences.append(reason(result.disorder, result.missing))
    return [*sentences, *_of_labels(result)]


def _of_gamma(gamma: GammaValue, units: int) -> Iterator[str]:
    if gamma.value == 1.0:
        yield "The annotations are identical."
    elif gamma.value >= 0:
        yield f"The disorder is {percent(1.0 - gamma.value)} of what the same annotators would have by chance."
    else:
        yield "There is more disorder than by chance."
        if units < FEW_UNITS:
            yield "With so few units single cases decide."


def _of_interval(headline: GammaResult) -> Iterator[str]:
    gamma = headline.gamma
    if math.isnan(gamma.low):
        return
    low, high = bounds(gamma.low, gamma.high)
    if len(headline.documents) == 1:
        yield (
            f"From {low} to {high} is how precisely chance was sampled for this one document; it says nothing of other "
            "documents."
        )
        return
    yield f"With other documents of this kind, γ between {low} and {high} is plausible."
    if gamma.interval_note is not None:
        yield f"The interval {gamma.interval_note}."
    if gamma.low <= 0 <= gamma.high:
        yield "Chance is not excluded."


def reason(disorder: Share, missing: Missing) -> str:
    """Return the largest reason for the disorder, or the two largest where none has most of it."""
    amounts = {**missing._asdict(), "position": disorder.position, "category": disorder.category}
    parts = {name: amounts[name] / disorder.disorder for name in _WHY}
    first, second, *_ = sorted(parts, key=lambda name: -parts[name])
    if parts[first] > MOST:
        amount = "Nearly all" if parts[first] > NEARLY_ALL else "Most"
        return f"{amount} of the disorder is there because {_WHY[first]}."
    return (
        f"{percent(parts[first])} of the disorder is there because {_WHY[first]}, {percent(parts[second])} because "
        f"{_WHY[second]}."
    )


_MISSING = {
    "left_out": "somebody marks, somebody does not",
    "cut_otherwise": "the annotators cut the same stretch at different positions",
    "other_units": "another annotator has other units there",
}


def of_missing(missing: Missing) -> str:
    """Return why units are missing, with the share of each reason if there are several."""
    total = math.fsum(missing)
    parts = {name: amount for name, amount in missing._asdict().items() if amount > 0}
    if len(parts) <= 1:
        return "".join(f": {_MISSING[name]}" for name in parts)
    order = sorted(parts, key=lambda name: -parts[name])
    return ": " + "; ".join(f"{_MISSING[name]} ({percent(parts[name] / total)})" for name in order)


def _of_labels(result: Disagreements) -> Iterator[str]:
    pairs = sum(row.pairs for row in result.confusion)
    differ = sum(row.pairs for row in result.confusion if row.first != row.second)
    labels = {label for row in result.confusion for label in (row.first, row.second)}
    if not pairs:
        return
    if len(labels) == 1:
        yield "There is only one label: nothing to confuse."
    elif not differ:
        yield "Two people who mark the same unit always give it the same label."
    elif pairs < _OFTEN * differ:
        yield f"Two people who mark the same unit differ in label in {percent(differ / pairs)} of cases."
    else:
        yield f"Two people who mark the same unit differ in label in 1 of {count(round(pairs / differ))} cases."


def of_proof(headline: GammaResult) -> str | None:
    """Return between what γ is proven to lie, where an alignment is not proven optimal."""
    limits = proven_range(headline)
    if limits is None:
        return None
    gap = headline.gap
    low, high = bounds(*limits)
    return f"γ is proven to lie between {low} and {high}: not every alignment is proven, largest gap {percent(gap)}."


def of_chance(headline: GammaResult) -> str | None:
    """Return what precision was reached, where that is not the one that was asked for."""
    asked, gamma = headline.settings.get("precision"), headline.gamma
    if asked is None or not gamma.expected_precision > asked:
        return None
    return (
        f"The disorder expected by chance is known to {percent(gamma.expected_precision)} after "
        f"{counted(gamma.samples, 'sample')}; {percent(asked)} was asked for."
    )


def of_size(result: Disagreements) -> str:
    """Return how large the corpus is: documents, annotators, units, labels, unit of length."""
    corpus = result.corpus
    least, most = min(corpus.n_annotators.tolist()), max(corpus.n_annotators.tolist())
    if least == most == len(corpus.annotators):
        people = f"{counted(most, 'annotator')} each" if len(corpus) > 1 else counted(most, "annotator")
    else:
        people = f"{counted(len(corpus.annotators), 'annotator')}, {least} to {most} in a document"
    sizes = f"{counted(len(corpus), 'document')}, {people}, {counted(corpus.n_units, 'unit')}"
    labels = counted(len({*corpus.category.tolist()}), "label")
    return f"{sizes}, {labels}. {_lengths(corpus.length_unit)}".rstrip()


def _lengths(length_unit: str | None) -> str:
    return f"Lengths in {length_words(length_unit)}." if length_unit else ""


def length_words(length_unit: str | None) -> str:
    """Return the unit of length in the plural, "characters"; nothing where it is not known."""
    return _LENGTHS.get(length_unit or "", length_unit or "")


def of_window(window: tuple[float, float], length_unit: str | None) -> str:
    """Return which stretch of a document is shown: "characters 1,816 to 2,620"."""
    digits = 0 if float(sum(window)).is_integer() or window[1] - window[0] > _WHOLE else 2
    start, end = (decimal(bound, digits) for bound in window)
    return f"{length_words(length_unit)} {start} to {end}".lstrip()


def of_documents(headline: GammaResult) -> list[str]:
    """Return how many documents have no value, by reason."""
    reasons: dict[str, int] = {}
    for row in headline.documents:
        if row.gamma.reason is not None:
            reasons[row.gamma.reason] = reasons.get(row.gamma.reason, 0) + 1
    total = counted(len(headline.documents), "document")
    return [
        f"{count(number)} of {total} do{'es' * (number == 1)} not count: {why}."
        for why, number in sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    ]


_ERRORS = {
    "false-negative": (100.0, "of 100 units left out"),
    "false-positive": (100.0, "units added to 100"),
    "split": (250.0, "cuts in 100 units"),
}


def of_curve(placements: Sequence[Placement]) -> list[tuple[str, str]]:
    """Return, for each kind of error alone, how much of it gives the γ measured: an amount and what it is of."""
    rows = []
    for placement in sorted(placements, key=lambda placement: math.isnan(placement.magnitude)):
        (kind,) = placement.kinds
        m = placement.magnitude
        if math.isnan(m):
            rows.append(("never", f"{_NEVER[kind]}: γ is still {decimal(placement.least)} with as many as can be"))
        elif kind in _ERRORS:
            factor, what = _ERRORS[kind]
            rows.append((decimal(factor * m, 0 if factor * m >= 10 else 1), what))  # noqa: PLR2004
        elif kind == "shift":
            rows.append((percent(2 * m), "of a mean unit length: how far each bound moves at most"))
        else:
            rows.append((percent(m), "of the way to labels drawn at random"))
    return rows


_NEVER = {
    "false-negative": "units left out",
    "false-positive": "units added",
    "split": "cuts",
    "shift": "bounds moved",
    "category": "labels confused",
}

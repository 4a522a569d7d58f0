"""Sentences that state the numbers of a report, without adjectives of quality: a coefficient is not a grade."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from gamma_align.data import digits_above, unit_in_words
from gamma_align.inference import column_of
from gamma_align.insight import verdicts
from gamma_align.insight.disagreements import Disagreements, Missing, Share
from gamma_align.insight.look import similar_tasks as similar
from gamma_align.measures.gamma import GammaResult
from gamma_align.present.page.numbers import bounds, count, counted, decimal, percent, proven_range
from gamma_align.present.symbols import prefix_of, symbol_of

if TYPE_CHECKING:
    from gamma_align.simulation import Placement

_MIN_UNITS = 10  # with fewer units, single cases decide the sign of γ
_NEARLY_ALL_SHARE = 0.9  # of the disorder: "nearly all of it"
_MAJORITY_SHARE = 0.6  # of the disorder: "most of it"; below, the two largest reasons are named
# Reasons for the disorder as clauses after "because", by field of `Missing` and `Share`.
_REASON_CLAUSES = {
    "left_out": "somebody marks what another leaves out",
    "cut_otherwise": "the annotators cut the same stretch at different positions, so that units have no counterpart",
    "other_units": "units have no counterpart among the other units that another annotator has at the same place",
    "position": "the bounds of aligned units differ",
    "category": "the labels of aligned units differ",
}
# Reasons for missing units as phrases, by field of `Missing`.
_MISSING_PHRASES = {
    "left_out": "somebody marks, somebody does not",
    "cut_otherwise": "the annotators cut the same stretch at different positions",
    "other_units": "another annotator has other units there",
}
# Number of errors per 100 units at magnitude 1, and its description, by kind of error.
_ERROR_AMOUNTS = {
    "false-negative": (100.0, "of 100 units left out"),
    "false-positive": (100.0, "units added to 100"),
    "split": (250.0, "cuts in 100 units"),
}
_ERROR_NAMES = {
    "false-negative": "units left out",
    "false-positive": "units added",
    "split": "cuts",
    "shift": "bounds moved",
    "category": "labels confused",
}
_MIN_WHOLE_AMOUNT = 10  # smaller amounts have one decimal
_MIN_WHOLE_LENGTH = 200  # the bounds of longer stretches have no decimals


def agreement(result: Disagreements, headline: GammaResult, n_independent: int = 0) -> list[str]:
    """Return the verdict, and sentences on the interval, the reasons for disorder, and labels.

    `headline` has the γ on top: of all annotators, or of `n_independent` independent ones.
    """
    gamma = headline.gamma
    symbol = f"{prefix_of(headline.settings)}γ"
    causes = result.to_settle if headline is result.gamma and result.annotator is None else ()
    n_annotators = n_independent or len(result.corpus.annotators)
    sentences = [verdicts.agreement(n_annotators, gamma, symbol, causes[0].share if causes else None)]
    if not gamma.is_available:
        return sentences
    if gamma.value < 0 and sum(column_of(headline.documents, "units")) < _MIN_UNITS:
        sentences.append("With so few units single cases decide.")
    sentences += _interval_sentences(headline)
    # The headline is of the independent annotators, all other numbers are of all annotators.
    if headline is not result.gamma:
        sentences.append(f"What follows is of all {len(result.corpus.annotators)} annotators.")
    if result.disorder.disorder > 0:
        sentences.append(main_reason(result.disorder, result.missing))
    return [*sentences, *_label_sentences(result)]


def similar_tasks(result: Disagreements) -> str:
    """Return γ in corpora of similar tasks as a sentence; an empty text if there are none."""
    tasks = [(row.task, row.gamma, row.by_pairs) for row in similar(result.corpus)]
    return f"{verdicts.similar(tasks)}." if tasks else ""


def _interval_sentences(headline: GammaResult) -> Iterator[str]:
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
    yield f"With other documents of this kind, {prefix_of(headline.settings)}γ between {low} and {high} is plausible."
    if gamma.interval_note is not None:
        yield f"The interval {gamma.interval_note}."


def main_reason(disorder: Share, missing: Missing) -> str:
    """Return a sentence on the largest reason for the disorder, or on the two largest if none explains most of it."""
    amounts = {**missing._asdict(), "position": disorder.position, "category": disorder.category}
    parts = {name: amounts[name] / disorder.disorder for name in _REASON_CLAUSES}
    first, second, *_ = sorted(parts, key=lambda name: -parts[name])
    if parts[first] > _MAJORITY_SHARE:
        amount = "Nearly all" if parts[first] > _NEARLY_ALL_SHARE else "Most"
        return f"{amount} of the disorder is there because {_REASON_CLAUSES[first]}."
    return (
        f"{percent(parts[first])} of the disorder is there because {_REASON_CLAUSES[first]}, "
        f"{percent(parts[second])} because {_REASON_CLAUSES[second]}."
    )


def missing_reasons(missing: Missing) -> str:
    """Return the reasons for missing units after a colon, with the share of each if there are several."""
    total = math.fsum(missing)
    parts = {name: amount for name, amount in missing._asdict().items() if amount > 0}
    if len(parts) <= 1:
        return "".join(f": {_MISSING_PHRASES[name]}" for name in parts)
    order = sorted(parts, key=lambda name: -parts[name])
    return ": " + "; ".join(f"{_MISSING_PHRASES[name]} ({percent(parts[name] / total)})" for name in order)


def _label_sentences(result: Disagreements) -> Iterator[str]:
    n_pairs = sum(row.pairs for row in result.confusion)
    n_different = sum(row.pairs for row in result.confusion if row.first != row.second)
    labels = {row.first for row in result.confusion} | {row.second for row in result.confusion}
    if len(labels) == 1:
        yield "There is only one label: nothing to confuse."
    elif n_pairs:
        sentence = verdicts.labels(n_pairs, n_different)
        yield f"{sentence[0].upper()}{sentence[1:]}."


def proven_bounds(headline: GammaResult) -> str | None:
    """Return a sentence on the proven bounds of γ, or None if all alignments are proven optimal."""
    limits = proven_range(headline)
    if limits is None:
        return None
    gap = headline.gap
    low, high = bounds(*limits)
    symbol = symbol_of("gamma", prefix_of(headline.settings))
    reason = f"not every alignment is proven, largest gap {percent(gap)}"
    if low == high:
        return f"{symbol} is proven to be {low} to this many digits, although not to the last: {reason}."
    return f"{symbol} is proven to lie between {low} and {high}: {reason}."


def missed_precision(headline: GammaResult) -> str | None:
    """Return a sentence on the reached precision, or None if it is the requested one or none was requested."""
    requested = headline.settings.get("precision")
    gamma = headline.gamma
    if requested is None or not gamma.expected_precision > requested:
        return None
    digits = digits_above(gamma.expected_precision, requested, least=0)
    return (
        f"The disorder expected by chance is known to {percent(gamma.expected_precision, digits)} after "
        f"{counted(gamma.samples, 'sample')}; {percent(requested)} was asked for."
    )


def corpus_size(result: Disagreements) -> str:
    """Return the numbers of documents, annotators, units and labels, and the unit of length."""
    corpus = result.corpus
    low = min(corpus.n_annotators.tolist())
    high = max(corpus.n_annotators.tolist())
    annotators = counted(len(corpus.annotators), "annotator")
    if not low == high == len(corpus.annotators):
        annotators += f", {low} to {high} in a document"
    elif len(corpus) > 1:
        annotators += " each"
    sizes = f"{counted(len(corpus), 'document')}, {annotators}, {counted(corpus.n_units, 'unit')}"
    labels = counted(len({*corpus.category.tolist()}), "label")
    lengths = f" Lengths in {plural_length_unit(corpus.length_unit)}." if corpus.length_unit else ""
    return f"{sizes}, {labels}.{lengths}"


def plural_length_unit(length_unit: str | None) -> str:
    """Return the unit of length in the plural, such as "characters"; an empty text if it is not known."""
    return unit_in_words(length_unit or "")


def window_bounds(window: tuple[float, float], length_unit: str | None) -> str:
    """Return the shown stretch of a document: "characters 1,816 to 2,620"."""
    digits = 0 if float(sum(window)).is_integer() or window[1] - window[0] > _MIN_WHOLE_LENGTH else 2
    start, end = (decimal(bound, digits) for bound in window)
    return f"{plural_length_unit(length_unit)} {start} to {end}".lstrip()


def unavailable_documents(headline: GammaResult) -> list[str]:
    """Return a sentence on the number of documents without a value for each reason, the most frequent first."""
    # Columns of thousands of documents take a tenth of the time of their rows.
    reasons = Counter(filter(None, column_of(column_of(headline.documents, "gamma"), "reason")))
    total = counted(len(headline.documents), "document")
    return [
        f"{count(number)} of {total} do{'es' * (number == 1)} not count: {reason}."
        for reason, number in sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    ]


def error_amounts(placements: Sequence[Placement]) -> list[tuple[str, str]]:
    """Return the amount of errors of each kind that lowers γ to the measured value: a number and its description.

    Kinds that cannot lower γ that far come last.
    """
    rows = []
    for placement in sorted(placements, key=lambda placement: math.isnan(placement.magnitude)):
        # The report degrades the corpus by each kind of error alone.
        (kind,) = placement.kinds
        magnitude = placement.magnitude
        if math.isnan(magnitude):
            rows.append(
                ("never", f"{_ERROR_NAMES[kind]}: γ is still {decimal(placement.least)} even with all errors possible")
            )
        elif kind in _ERROR_AMOUNTS:
            factor, description = _ERROR_AMOUNTS[kind]
            amount = factor * magnitude
            rows.append((decimal(amount, 0 if amount >= _MIN_WHOLE_AMOUNT else 1), description))
        elif kind == "shift":
            rows.append((percent(2 * magnitude), "of a mean unit length: how far each bound moves at most"))
        else:
            rows.append((percent(magnitude), "of the way to labels drawn at random"))
    return rows

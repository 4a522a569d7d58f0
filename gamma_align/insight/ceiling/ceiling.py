"""`ceiling`: how well any model can score against the annotators of a corpus."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, grouped_sums
from gamma_align.data import (
    MIN_ANNOTATORS,
    Corpus,
    DataFacts,
    check_two_annotators,
    decimal,
    documents_without,
    printable,
)
from gamma_align.errors import Cure, InputError, Set, SettingsError, did_you_mean
from gamma_align.inference import NO_UNITS, Value, jackknife_errors, t_quantile
from gamma_align.insight.ceiling.bracket import bracket
from gamma_align.insight.ceiling.ceiling_options import (
    AGAINST,
    APPROXIMATE_MEASURES,
    CEILING_MEASURE,
    CEILING_OPTIONS,
    MAJORITY,
)
from gamma_align.insight.ceiling.ceiling_result import Ceiling, CeilingScore, ModelScore, SameSource
from gamma_align.insight.ceiling.mixture import (
    GRID,
    MAX_DEPTH,
    NUMBER_FROM,
    SHARP_GRID,
    Range,
    best_answer,
    depth_of,
    fitted_moments,
    fitted_weights,
    marked_by_gold,
    shared_sums,
    sharp_range,
)
from gamma_align.insight.ceiling.same_source import MIN_ANNOTATORS as MIN_FOR_SOURCES
from gamma_align.insight.ceiling.same_source import find_same_source
from gamma_align.measures.reference import Cells, Votes
from gamma_align.options import takes_options
from gamma_align.version import __version__

_MIN_DOCUMENTS = 3  # with agreement, and with disagreement, that an interval takes: as in `inference.jackknife`
_MAX_BLOCKS = 100  # of documents that are left out: the error of an error is then 7 %
# Share of the documents that each annotator must have seen, so that leaving one out tells of other annotators, and not
# of other documents.
_MIN_SEEN = 0.8
# By which a model must lie outside the range. Without it the best answer itself was "above" in up to .26 of 100 draws
# from a population of 6 annotators, with it in none of 600.
_MARGIN = 0.01
_BOUNDS_DECIDE = 0.5  # of F1 of characters: below it F1 of units says more about bounds than about what is marked

_FEW_AGREEING = "fewer than three documents in which two annotators agree on a unit"
_FEW_DISAGREEING = "fewer than three documents in which annotators disagree on a unit"
_ALL_EQUAL = "all documents give the same value"
_APPROXIMATE = "the range is approximate"
_NO_RANGE = "two annotators have no majority"
WHAT_IT_IS_NOT = (
    "The ceiling is the best score that agrees with these annotators, their shared habits included. A model that knows "
    "the truth can score lower; how much, annotators alone cannot say."
)


@takes_options(CEILING_OPTIONS.options)
def ceiling(
    corpus: Corpus,
    /,
    *,
    against: str = "one",
    model: str | None = None,
    measure: str = "strict",
    by_label: bool = False,
) -> Ceiling:
    """Return the best F1 that any answer can reach against the annotators of a corpus.

    The annotators of a document are taken as drawn from a population of annotators like them. With f the F1 of two of
    them, the ceiling F* lies between f and √f, whatever they mark. Two annotators give this range; three a range that
    is often wide; four or more a number. No truth is assumed, and nothing is said about one.

    Parameters
    ----------
    corpus : Corpus
        The data. Documents with one annotator are left out.

    Returns
    -------
    Ceiling

    Raises
    ------
    InputError
        If no document has two annotators besides the model, or the model saw none of them.
    SettingsError
        For a setting out of its range, a model that is no annotator, or labels of a measure without labels.

    Examples
    --------
    >>> annotators = {"ann": [(0, 4, "x"), (6, 9, "y")], "bob": [(0, 4, "x")], "cy": [(0, 4, "x"), (6, 9, "z")]}
    >>> score = ga.ceiling(annotators).score
    >>> round(score.another.value, 4), round(score.low, 2), round(score.high, 2)
    (0.6, 0.75, 0.75)
    """
    AGAINST.check(against)
    CEILING_MEASURE.check(measure)
    is_approximate = measure in APPROXIMATE_MEASURES
    if by_label and (is_approximate or measure == "exact"):
        cause = f"measure {measure!r} has no {'ceiling of each label' if is_approximate else 'labels'}"
        raise SettingsError(cause, Cure("leave out {}, or take {}", Set("by_label"), Set("measure", "strict")))
    if is_approximate and against == MAJORITY:
        cause = f"measure {measure!r} has a ceiling against one annotator alone"
        raise SettingsError(cause, Cure("leave out {}, or take {}", Set("against"), Set("measure", "strict")))
    check_two_annotators(corpus)
    everyone = corpus if model is None else _seen_by_model(corpus, model)
    settings = {"against": against, "measure": measure, "model": model, "by_label": by_label}
    if is_approximate:
        return _approximate(corpus, everyone, model, measure, settings)
    all_votes = votes = Votes.of(everyone, measure)
    seen = _seen(everyone)
    people = everyone
    if model is not None:
        code = everyone.annotators.index(model)
        votes = all_votes.without_annotator(code, seen[:, code])
        seen[:, code] = False
        people = _without(everyone, code)
    majority = against == MAJORITY
    analysis = _Analysis.of(votes, seen, majority=majority)
    score = analysis.score(None)
    labels = []
    if by_label:
        for category in np.unique(votes.category).tolist():
            of_label = _Analysis.of(votes.of_category(category), seen, majority=majority)
            labels.append(of_label.score((*everyone.categories, None)[category]))
    sources = [
        SameSource(
            first=everyone.annotators[pair.first],
            second=everyone.annotators[pair.second],
            ratio=pair.ratio,
            p=pair.p,
        )
        for pair in find_same_source(votes, seen)
    ]
    n_documents = int(np.count_nonzero(votes.n_seen))
    return Ceiling(
        score=score,
        labels=tuple(labels),
        mean_of_labels=float(np.mean([label.ceiling for label in labels])) if labels else math.nan,
        model=None if model is None else _compare_model(model, code, all_votes, analysis, score),
        same_source=tuple(sources),
        annotators=int(seen[votes.n_seen > 0].any(axis=0).sum()),
        documents=n_documents,
        settings=settings,
        signature=_signature(n_documents, int(votes.n_seen.max(initial=0)), settings),
        notes=tuple(_notes(corpus, people, score, sources, measure)),
    )


def range_by_annotators(corpus: Corpus, numbers: Iterable[int]) -> dict[int, Range]:
    """Return the range of the ceiling (strict F1, one annotator) by the number of annotators of half of the units.

    It is of exact moments: of more annotators than the corpus has, those of the fitted distribution. NaN if no
    document has two annotators, or they mark nothing.
    """
    analysis = _Analysis.of(Votes.of(corpus, "strict"), _seen(corpus), majority=False)
    if not analysis.depth:
        return dict.fromkeys(numbers, Range(math.nan, math.nan))
    return {number: analysis.range_of(min(number, MAX_DEPTH)) for number in numbers}


def _seen_by_model(corpus: Corpus, model: str) -> Corpus:
    """Return the documents that the model saw; SettingsError or InputError if it has none beside two annotators."""
    if model not in corpus.annotators:
        cause = f"no annotator is {model!r}{did_you_mean(repr(model), map(repr, corpus.annotators))}"
        raise SettingsError(cause, "name the annotator that is the model")
    code = corpus.annotators.index(model)
    documents = corpus.seen_document[corpus.seen == code]
    everyone = corpus.restricted(documents, np.arange(len(corpus.annotators)))
    if not np.count_nonzero(everyone.n_annotators > MIN_ANNOTATORS):
        raise InputError(
            f"no document that {model!r} saw has two other annotators: they have no ceiling",
            "add the documents that two people and the model annotated",
        )
    return everyone


def _approximate(
    corpus: Corpus, everyone: Corpus, model: str | None, measure: str, settings: Mapping[str, object]
) -> Ceiling:
    """Return the result of a measure whose range is approximate."""
    people = everyone
    answer = None
    if model is not None:
        code = everyone.annotators.index(model)
        people = _without(everyone, code)
        answer = everyone.restricted(np.arange(len(everyone)), np.array([code]))
    is_counted = people.n_annotators >= MIN_ANNOTATORS
    n_annotators = people.n_annotators[is_counted]
    units = float((people.units_per_document[is_counted] / n_annotators).sum())
    n_documents = len(n_annotators)
    if units > 0:
        found = bracket(people, answer, measure)
        # an annotator is an answer
        low = max(found.others, found.another)
        score = CeilingScore(
            category=None,
            units=units,
            annotators=min(int(n_annotators.max()), MAX_DEPTH),
            low=low,
            high=max(found.everyone, low),
            no_interval=_APPROXIMATE,
            another=Value(found.another, no_interval=_APPROXIMATE),
            others_together=found.others,
        )
    else:
        score = CeilingScore(category=None, units=0.0, annotators=0, another=Value.unavailable(NO_UNITS))
    model_score = None
    if model is not None:
        sentence = f"{printable(model)} has no verdict: {_APPROXIMATE}"
        model_score = ModelScore(model=model, f1=found.model if units > 0 else math.nan, sentence=sentence)
    return Ceiling(
        score=score,
        labels=(),
        mean_of_labels=math.nan,
        model=model_score,
        same_source=(),
        annotators=int(np.unique(people.seen[is_counted[people.seen_document]]).size),
        documents=n_documents,
        settings=settings,
        signature=_signature(n_documents, int(n_annotators.max()), settings),
        notes=tuple(_notes(corpus, people, score, (), measure)),
    )


def _without(corpus: Corpus, code: int) -> Corpus:
    """Return the corpus without an annotator."""
    return corpus.restricted(np.arange(len(corpus)), np.delete(np.arange(len(corpus.annotators)), code))


def _seen(corpus: Corpus) -> BoolArray:
    """Return which annotators saw which documents, shape (n_documents, n_annotators)."""
    seen = np.zeros((len(corpus), len(corpus.annotators)), dtype=np.bool_)
    seen[corpus.seen_document, corpus.seen] = True
    return seen


class _Analysis(NamedTuple):
    """The votes on a set of elements and what they say of the ceiling.

    Attributes
    ----------
    sizes : ndarray, shape (n_documents, n_cells)
        Of the documents with elements.
    """

    votes: Votes
    seen: BoolArray
    cells: Cells
    sizes: FloatArray
    depth: int
    majority: bool

    @classmethod
    def of(cls, votes: Votes, seen: BoolArray, *, majority: bool) -> _Analysis:
        cells = Cells.of(votes)
        sizes = cells.sizes[cells.sizes.any(axis=1)]
        return cls(votes, seen, cells, sizes, depth_of(cells) if len(sizes) else 0, majority)

    @property
    def units_of_documents(self) -> FloatArray:
        """S₁ of each document."""
        return shared_sums(self.cells, self.sizes, 1)[:, 0]

    def score(self, category: str | None) -> CeilingScore:
        """Return the ceiling with its range and intervals."""
        if not self.depth:
            return CeilingScore(category=category, units=0.0, annotators=0, another=Value.unavailable(NO_UNITS))
        total = self.sizes.sum(axis=0, keepdims=True)
        another = self.votes.agreement
        point = float(self.points(total)[0])
        low, high = self.range_of(self.depth)
        precision = recall = math.nan
        if self.depth >= NUMBER_FROM:
            best = best_answer(fitted_weights(self.cells, total), self._marked(total))
            precision = float(best.precision[0])
            recall = float(best.recall[0])
        elif self.majority:
            point = math.nan
        else:
            point = min(max(point, low), high)
        score = CeilingScore(
            category=category,
            units=float(self.units_of_documents.sum()),
            annotators=self.depth,
            ceiling=point,
            low=low,
            high=high,
            another=self._another(another),
            others_together=self._others_together(),
            precision=precision,
            recall=recall,
            no_interval=_NO_RANGE if math.isnan(low) else self._no_interval(),
        )
        return score if score.no_interval else self._with_interval(score)

    def range_of(self, depth: int) -> Range:
        """Return the range that the first `depth` moments leave open."""
        another = self.votes.agreement
        if depth == MIN_ANNOTATORS:
            return Range(math.nan, math.nan) if self.majority else Range(another, math.sqrt(another))
        total = self.sizes.sum(axis=0, keepdims=True)
        moments = fitted_moments(fitted_weights(self.cells, total)[0], depth)
        found = sharp_range(moments, self._marked(total, SHARP_GRID))
        # An annotator is an answer; bisection ends just below.
        return found if self.majority else Range(max(found.low, another), max(found.high, another))

    def points(self, rows: FloatArray) -> FloatArray:
        """Return the point of each row of sizes: F* of the fit, or, of few annotators, the middle of likely values."""
        if self.depth >= NUMBER_FROM or (self.majority and self.depth > MIN_ANNOTATORS):
            return best_answer(fitted_weights(self.cells, rows), self._marked(rows.sum(axis=0, keepdims=True))).f1
        sums = shared_sums(self.cells, rows, MIN_ANNOTATORS)
        another = sums[:, 1] / sums[:, 0]
        # √f if precision is recall and p is constant or 0, 2f / (1 + f) if all errors are omissions
        return np.asarray((np.sqrt(another) + 2.0 * another / (1.0 + another)) / 2.0)

    def _marked(self, total: FloatArray, grid: FloatArray = GRID) -> FloatArray:
        return marked_by_gold(self.cells, total[0], majority=self.majority, grid=grid)

    @property
    def freedom(self) -> float:
        """Degrees of freedom of an error over documents: the number of documents of equal size, less one."""
        units = self.units_of_documents
        return float(min(units.sum() ** 2 / np.square(units).sum(), len(units))) - 1.0

    def _no_interval(self) -> str | None:
        votes = self.votes.votes
        agreeing = self.votes.document[votes >= MIN_ANNOTATORS]
        disagreeing = self.votes.document[votes < self.votes.n_seen[self.votes.document]]
        if len(np.unique(agreeing)) < _MIN_DOCUMENTS:
            return _FEW_AGREEING
        if len(np.unique(disagreeing)) < _MIN_DOCUMENTS:
            return _FEW_DISAGREEING
        return None

    def _another(self, value: float) -> Value:
        missing = self._no_interval()
        if missing:
            return Value(value, no_interval=missing)
        sums = shared_sums(self.cells, _without_blocks(self.sizes), MIN_ANNOTATORS)
        error = float(jackknife_errors(np.sqrt(sums[:, 1] / sums[:, 0])))
        half_width = t_quantile(self.freedom) * error
        return Value(value, *_squared(value, value, half_width), rests_on=self.freedom + 1.0)

    def _with_interval(self, score: CeilingScore) -> CeilingScore:
        error = float(jackknife_errors(np.sqrt(self.points(_without_blocks(self.sizes)))))
        if not error > 0:
            return replace(score, no_interval=_ALL_EQUAL)
        documents = _squared(score.low, score.high, t_quantile(self.freedom) * error)
        limits = documents
        covers = "documents"
        of_annotators = self._annotator_error()
        if of_annotators is not None:
            covers = "annotators"
            error_of_annotators, n_annotators = of_annotators
            variance = error**2 + error_of_annotators**2
            # Satterthwaite: the two variances have degrees of freedom of their own
            freedom = variance**2 / (error**4 / self.freedom + error_of_annotators**4 / (n_annotators - 1))
            limits = _squared(score.low, score.high, t_quantile(freedom) * math.sqrt(variance))
        return replace(
            score,
            interval_low=limits[0],
            interval_high=limits[1],
            covers=covers,
            documents_low=documents[0],
            documents_high=documents[1],
        )

    def _annotator_error(self) -> tuple[float, int] | None:
        """Return the error of √F* over annotators and their number; None if they cannot be left out one by one."""
        is_used = self.votes.n_seen > 0
        seen = self.seen[is_used]
        annotators = np.flatnonzero(seen.any(axis=0)).tolist()
        if len(annotators) <= MIN_ANNOTATORS or (seen.mean(axis=0)[annotators] < _MIN_SEEN).any():
            return None
        roots = []
        for annotator in annotators:
            rest = _Analysis.of(
                self.votes.without_annotator(annotator, self.seen[:, annotator]), self.seen, majority=self.majority
            )
            if not rest.depth or (self.majority and rest.depth <= MIN_ANNOTATORS):
                return None
            roots.append(math.sqrt(rest.points(rest.sizes.sum(axis=0, keepdims=True))[0]))
        return float(jackknife_errors(np.array(roots))), len(annotators)

    def _others_together(self) -> float:
        """Return F1 of what at least half of the others mark, against the annotator left out, in equal parts."""
        n_seen = self.votes.n_seen[self.votes.document]
        others = n_seen - 1
        votes = self.votes.votes
        weight = self.votes.size / n_seen
        # An annotator's own mark counts if it is correct: then v - 1 others have it, else v.
        correct = votes * (2 * (votes - 1) >= others)
        answers = correct + (n_seen - votes) * (2 * votes >= others)
        return float(2.0 * (weight * correct).sum() / (weight * (answers + votes)).sum())


def _without_blocks(terms: FloatArray) -> FloatArray:
    """Return the sums of terms of shape (n_documents, n) without each block of documents, shape (n_blocks, n)."""
    blocks = terms
    if len(terms) > _MAX_BLOCKS:
        block = np.arange(len(terms)) % _MAX_BLOCKS
        blocks = grouped_sums(block, terms, _MAX_BLOCKS)
    return np.asarray(blocks.sum(axis=0) - blocks)


def _squared(low: float, high: float, half_width: float) -> tuple[float, float]:
    """Return limits whose roots lie half a width below √low and above √high, within 0 and 1."""
    return max(math.sqrt(low) - half_width, 0.0) ** 2, min(math.sqrt(high) + half_width, 1.0) ** 2


def _compare_model(
    model: str, code: int, all_votes: Votes, analysis: _Analysis, ceiling_score: CeilingScore
) -> ModelScore:
    """Return the F1 of the model, and whether it lies below, within or above the range of the ceiling.

    `all_votes` are those of the people and of the model, which has this `code`; `analysis` is of the people's alone.
    """
    votes = analysis.votes
    is_answer = np.zeros(len(all_votes.document), dtype=np.bool_)
    is_answer[all_votes.element[all_votes.annotator == code]] = True
    n_people = votes.n_seen[all_votes.document]
    people_votes = np.where(n_people > 0, all_votes.votes - is_answer, 0)
    share = people_votes / np.maximum(n_people, 1)
    in_gold = _gold_share(share, majority=analysis.majority)
    is_answer &= n_people > 0
    sums = (
        grouped_sums(all_votes.document, all_votes.size * terms, len(all_votes.n_seen))
        for terms in (is_answer * in_gold, is_answer * 1.0, in_gold)
    )
    terms = np.stack([*sums], axis=1)
    cells = analysis.cells
    is_used = (terms[:, 1:] > 0).any(axis=1) | cells.sizes.any(axis=1)
    terms = terms[is_used]
    score = ModelScore(model=model, f1=float(_f1(terms.sum(axis=0, keepdims=True))[0]))
    if ceiling_score.no_interval:
        sentence = f"{printable(model)} has no verdict: {ceiling_score.no_interval}"
        return replace(score, sentence=sentence)
    of_documents = analysis._replace(sizes=cells.sizes[is_used])
    points = of_documents.points(_without_blocks(of_documents.sizes))
    error = float(jackknife_errors(_f1(_without_blocks(terms)) - points))
    half_width = t_quantile(analysis.freedom) * error
    over_low = score.f1 - ceiling_score.low
    over_high = score.f1 - ceiling_score.high
    verdict = "at"
    # These annotators may be better than others like them: a model within the interval shown is not above. Nor is one
    # that scores as a copy of one of them, who may make no errors at all.
    is_clear = score.f1 > max(ceiling_score.interval_high, _best_copy(votes, majority=analysis.majority))
    if over_high - half_width > _MARGIN and is_clear:
        verdict = "above"
    elif over_low + half_width < -_MARGIN:
        verdict = "below"
    score = replace(
        score,
        over_low_from=over_low - half_width,
        over_low_to=over_low + half_width,
        over_high_from=over_high - half_width,
        over_high_to=over_high + half_width,
        verdict=verdict,
    )
    is_within = ceiling_score.low <= score.f1 <= ceiling_score.high
    return replace(score, sentence=_verdict_sentence(score, is_within=is_within))


def _gold_share(share: FloatArray, *, majority: bool) -> FloatArray:
    """Return the share of gold standards that have an element, from the share of annotators who mark it."""
    return np.where(share > 0.5, 1.0, 0.0) if majority else share  # noqa: PLR2004  (most)


def _best_copy(votes: Votes, *, majority: bool) -> float:
    """Return the highest score of a copy of one annotator, against each annotator in equal parts or their majority."""
    in_gold = votes.size * _gold_share(votes.votes / votes.n_seen[votes.document], majority=majority)
    n_annotators = int(votes.annotator.max()) + 1
    correct = grouped_sums(votes.annotator, in_gold[votes.element], n_annotators)
    answers = grouped_sums(votes.annotator, votes.size[votes.element], n_annotators)
    return float((2.0 * correct / (answers + in_gold.sum())).max())


def _f1(terms: FloatArray) -> FloatArray:
    """Return F1 of rows of (correct, answers, gold)."""
    return np.asarray(2.0 * terms[:, 0] / (terms[:, 1] + terms[:, 2]))


def _verdict_sentence(score: ModelScore, *, is_within: bool) -> str:
    name = printable(score.model)
    if score.verdict == "below":
        margin = f"{decimal(-score.over_low_to)} to {decimal(-score.over_low_from)}"
        return (
            f"{name} is {margin} below the range: some answer agrees better with these annotators. Whether it would be "
            "more correct is another question."
        )
    if score.verdict == "above":
        return (
            f"{name} is above what any answer that has not seen these annotations should reach. It may have been "
            "trained on them, the annotators may have seen its output, or they are not drawn alike. This is not "
            "superhuman quality."
        )
    place = "within" if is_within else "not clearly outside"
    return f"{name} is {place} the range: with these annotators a better model could not be told from it."


def _notes(
    corpus: Corpus, people: Corpus, score: CeilingScore, sources: Sequence[SameSource], measure: str
) -> Iterator[str]:
    yield from corpus.notes
    if len(people) < len(corpus):
        yield f"{len(corpus) - len(people)} of {len(corpus)} documents are left out: the model did not see them"
    yield from documents_without(people.n_annotators, people.units_per_document)
    yield from DataFacts.of(people).notes()
    another = score.another.value
    if measure in APPROXIMATE_MEASURES:
        yield (
            "The range is approximate: what the others together score against the one left out, and what the consensus "
            "of all scores. An answer may score above it."
        )
        yield WHAT_IT_IS_NOT
        return
    if score.annotators == MIN_ANNOTATORS:
        yield (
            f"With two annotators the ceiling is only known to lie between F1 of the two ({decimal(another)}) and its "
            f"square root ({decimal(math.sqrt(another))})."
        )
    elif score.annotators == MIN_ANNOTATORS + 1:
        yield (
            "With three annotators the range is wide unless their errors are omissions; a fourth on half of the "
            "documents narrows it."
        )
    if score.annotators and not score.no_interval and score.covers == "documents":
        yield "The intervals hold for new documents of these annotators, not for other annotators."
    if measure == "strict" and score.annotators:
        characters = Votes.of(people, "characters").agreement
        if another < _BOUNDS_DECIDE * characters:
            yield (
                f"Bounds set this ceiling: two annotators agree by {decimal(another)} on units and by "
                f"{decimal(characters)} on characters. Look at the measure 'characters', too."
            )
    for pair in sources:
        yield (
            f"{printable(pair.first)} and {printable(pair.second)} agree {decimal(pair.ratio)} times as much as their "
            "agreement with the others explains: if they have one source, the ceiling is too high; leave one of them "
            "out."
        )
    if score.annotators and len(people.annotators) < MIN_FOR_SOURCES:
        yield "Whether annotators depend on each other cannot be checked with fewer than four."
    yield WHAT_IT_IS_NOT


def _signature(n_documents: int, n_annotators: int, settings: Mapping[str, object]) -> str:
    parts = {
        "docs": n_documents,
        "n": n_annotators,
        "against": settings["against"],
        "match": settings["measure"],
        "v": __version__,
    }
    return "|".join(["ceiling", *(f"{name}:{value}" for name, value in parts.items())])

"""`rounds`: the agreement in several rounds, versions, batches or guidelines, and of people with themselves.

Each round is a corpus of its own, so that the annotations of one person in two rounds are never those of two
annotators. All differences are over all documents of both rounds, as `compare` measures them: paired where both have a
document. p is corrected for all differences of a coefficient (Holm 1979).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import NamedTuple, Unpack

from gamma_align.data import MIN_ANNOTATORS, Corpus, in_one_unit
from gamma_align.errors import SettingsError
from gamma_align.inference import Result, Value, holm
from gamma_align.insight.comparison.compare import Tests, rows_of
from gamma_align.insight.comparison.comparison_options import EXTENTS, REPLICATES
from gamma_align.insight.comparison.differences import Difference
from gamma_align.insight.comparison.pools import GammaPool
from gamma_align.insight.comparison.sides import Sides, check_texts, on_one_extent
from gamma_align.insight.pairwise import pairwise_of
from gamma_align.measures.gamma import GammaOptions, GammaResult, GammaSettings, GammaValue, gamma_of
from gamma_align.version import __version__
from gamma_align.work import SharedWork

_MIN_ROUNDS = 2
_NO_PAIR = "no document has two annotators"


class RoundsOptions(GammaOptions, total=False):
    """Options of `rounds` by keyword, which describes them."""

    replicates: int
    extents: str
    n_jobs: int | None
    progress: Callable[[int, int], None] | None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Round(Result):
    """The agreement in a round.

    Attributes
    ----------
    name : str
        The round, version, batch or guideline.
    documents, annotators, units : int
        Numbers of each.
    gamma, gamma_cat : GammaValue
        γ and γcat of its documents.

    Examples
    --------
    >>> units = [("d", "ann", 0, 4, "x"), ("d", "bob", 1, 4, "x")]
    >>> first = ga.rounds({"March": units, "June": units[:1] + [("d", "bob", 0, 4, "x")]}, samples=9).rounds[0]
    >>> first.name, first.documents, first.annotators
    ('March', 1, 2)
    """

    name: str
    documents: int
    annotators: int
    units: int
    gamma: GammaValue
    gamma_cat: GammaValue


class RoundDifference(NamedTuple):
    """A difference of two rounds, the second less the first; `shared` documents are in both.

    `p_holm` is p of the difference, corrected for all differences of this coefficient.
    """

    first: str
    second: str
    shared: int
    difference: Difference
    p_holm: float


class Retest(NamedTuple):
    """A person in two rounds: γ with themselves in the documents of both, and with others in each round.

    Attributes
    ----------
    annotator, first, second : str
        The person and the rounds.
    documents : int
        Number of documents that the person annotated in both.
    itself : GammaValue
        γ of the person in the first round with the person in the second one.
    first_others, second_others : Value
        γ with the other annotators in each round, over pairs (see `pairwise`).
    """

    annotator: str
    first: str
    second: str
    documents: int
    itself: GammaValue
    first_others: Value
    second_others: Value


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Rounds(Result):
    """The agreement in several rounds.

    Attributes
    ----------
    rounds : tuple of Round
        The values of each round.
    differences : tuple of RoundDifference
        The differences of γ and of γcat of every two rounds, (first, second, shared, difference, p_holm).
    retests : tuple of Retest
        People in two rounds, one after the other, (annotator, first, second, documents, itself, first_others,
        second_others).
    settings : mapping
        All settings that are needed to compute the result again, ready for JSON.
    signature : str
        One line to paste into a paper.
    notes : tuple of str
        Assumptions and warnings.

    Examples
    --------
    >>> documents = [ga.synthetic_reference(units=6, seed=seed, document=f"d{seed}") for seed in range(6)]
    >>> reference = ga.Corpus.from_continua(documents)
    >>> made = {name: ga.shuffle(reference, magnitude=m, annotators=2) for name, m in (("v1", 0.6), ("v2", 0.1))}
    >>> result = ga.rounds(made, samples=5)
    >>> [round.name for round in result.rounds], result.differences[0].difference.value > 0
    (['v1', 'v2'], True)
    """

    rounds: tuple[Round, ...]
    differences: tuple[RoundDifference, ...]
    retests: tuple[Retest, ...]
    settings: Mapping[str, object]
    signature: str
    notes: tuple[str, ...] = ()
    gap: float = 0.0

    def _summary(self) -> str:
        names = ", ".join(row.name for row in self.rounds)
        return f"{names}, differences: {len(self.differences)}, retests: {len(self.retests)}"

    def _contents(self) -> dict[str, object]:
        names = ("signature", "settings", "rounds", "differences", "retests", "gap", "notes")
        return {"schema_version": 1, **self._named(*names)}


def rounds_of(
    corpora: Mapping[str, Corpus],
    *,
    replicates: int = REPLICATES.default,
    extents: str = EXTENTS.default,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    **settings: Unpack[GammaOptions],
) -> Rounds:
    """Measure the agreement in several rounds; see `rounds`."""
    REPLICATES.check(replicates)
    EXTENTS.check(extents)
    if len(corpora) < _MIN_ROUNDS:
        raise SettingsError(f"rounds are compared with each other, and there is only one: {', '.join(corpora)}")
    options = GammaSettings.of(**settings)
    options.check_own_chance("rounds()")
    measuring = _Measuring(options, n_jobs, progress)
    on_one_extent, notes = _on_common_extents(corpora, extents)
    results = {name: measuring.result(corpus) for name, corpus in on_one_extent.items()}
    known = {name: result for name, result in results.items() if result is not None}
    return Rounds(
        rounds=tuple(_round(name, corpus, results[name]) for name, corpus in on_one_extent.items()),
        differences=tuple(_measure_differences(on_one_extent, known, options, replicates)),
        retests=tuple(_measure_retests(on_one_extent, measuring)),
        settings={"replicates": replicates, "extents": extents, "gamma": options.to_dict()},
        signature=f"rounds|{len(corpora)}|{next(iter(known.values())).signature}"
        if known
        else f"rounds|v:{__version__}",
        notes=tuple(dict.fromkeys([*notes, *(note for corpus in corpora.values() for note in corpus.notes)])),
        gap=max((result.gap for result in known.values()), default=0.0),
    )


class _Measuring(NamedTuple):
    """How corpora are measured."""

    settings: GammaSettings
    n_jobs: int | None
    progress: Callable[[int, int], None] | None

    def result(self, corpus: Corpus) -> GammaResult | None:
        """Return γ of a corpus; None if no document has two annotators."""
        if int(corpus.n_annotators.max(initial=0)) < MIN_ANNOTATORS:
            return None
        return gamma_of(corpus, self.settings, n_jobs=self.n_jobs, progress=self.progress)

    def with_others(self, corpus: Corpus) -> Mapping[str, Value]:
        """Return γ of each annotator with the others, over pairs."""
        if int(corpus.n_annotators.max(initial=0)) < MIN_ANNOTATORS:
            return {}
        shared = SharedWork(corpus, self.settings)
        return pairwise_of(corpus, self.settings, shared, n_jobs=self.n_jobs).against_others()


def _on_common_extents(corpora: Mapping[str, Corpus], extents: str) -> tuple[dict[str, Corpus], list[str]]:
    """Return the corpora with one extent for each document, and notes; the texts of a document have to be equal."""
    names = [*corpora]
    corpora = dict(zip(names, in_one_unit([*corpora.values()], names), strict=True))
    for one, other in combinations(names, 2):
        shared = [name for name in corpora[one].documents if name in corpora[other]]
        check_texts(corpora[one], corpora[other], shared, (one, other))
    changed, notes = on_one_extent([*corpora.values()], names, extents)
    return dict(zip(names, changed, strict=True)), notes


def _round(name: str, corpus: Corpus, result: GammaResult | None) -> Round:
    sizes = len(corpus), len(corpus.annotators), corpus.n_units
    if result is None:
        unavailable = GammaValue.unavailable(_NO_PAIR)
        return Round(name, *sizes, unavailable, unavailable)
    return Round(name, *sizes, result.gamma, result.gamma_cat)


def _measure_differences(
    corpora: Mapping[str, Corpus], results: Mapping[str, GammaResult], options: GammaSettings, replicates: int
) -> Iterator[RoundDifference]:
    """Yield the differences of every two rounds: those of γ, then those of γcat."""
    rows = {name: rows_of(result) for name, result in results.items()}
    found: list[tuple[str, str, int, dict[str, Difference]]] = []
    for first, second in combinations(results, 2):
        sides = Sides(corpora[first], corpora[second], (), ())
        tests = Tests(sides, (first, second), options.seed, replicates)
        pool = GammaPool.of(rows[first], rows[second], options.dissimilarity.delta_empty, all_documents=True)
        compared = {row.coefficient: row for row in tests.compare(pool).differences if row.category is None}
        found.append((first, second, len({*corpora[first].documents} & {*corpora[second].documents}), compared))
    for coefficient in ("gamma", "gamma_cat"):
        corrected = holm([compared[coefficient].p for *_, compared in found])
        for (first, second, shared, compared), p_holm in zip(found, corrected, strict=True):
            yield RoundDifference(first, second, shared, compared[coefficient], p_holm)


def _measure_retests(corpora: Mapping[str, Corpus], measuring: _Measuring) -> Iterator[Retest]:
    """Yield the people of two rounds, one after the other, with γ of themselves and with others."""
    people: dict[str, list[str]] = {}
    for name, corpus in corpora.items():
        for annotator in corpus.annotators:
            people.setdefault(annotator, []).append(name)
    others: dict[str, Mapping[str, Value]] = {}
    nobody = Value.unavailable("no other annotator in this round")
    for annotator, names in people.items():
        for first, second in pairwise(names):
            own = _documents_of_person(annotator, [corpora[first], corpora[second]], (first, second))
            if own is None:
                continue
            result = measuring.result(own)
            for name in (first, second):
                if name not in others:
                    others[name] = measuring.with_others(corpora[name])
            itself = GammaValue.unavailable(_NO_PAIR) if result is None else result.gamma
            with_others = [others[name].get(annotator, nobody) for name in (first, second)]
            yield Retest(annotator, first, second, len(own), itself, *with_others)


def _documents_of_person(annotator: str, corpora: Sequence[Corpus], names: tuple[str, str]) -> Corpus | None:
    """Return the documents of a person in two rounds, which are its annotators; None if no document is in both."""
    own = [corpus.select(annotators=annotator) for corpus in corpora]
    shared = [name for name in own[0].documents if name in own[1]]
    if not shared:
        return None
    first, second = (
        corpus.select(documents=shared).rename(annotators={annotator: name})
        for corpus, name in zip(own, names, strict=True)
    )
    return first.merge(second)

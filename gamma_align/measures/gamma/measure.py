"""From a corpus to one row of numbers for each document: alignments of the data and of samples, by several workers.

Each part of a corpus is measured by itself; what is decided for all parts together, how many samples each document is
to have, takes a few numbers of each document. So a corpus may be larger than memory: with a store, the parts that are
not in hand are there, and what was done before the process ended is not done again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from gamma_align.data.corpus import Corpus
from gamma_align.data.parts import CorpusParts, Parts
from gamma_align.data.sanity import DataFacts
from gamma_align.errors import Problem, SettingsError
from gamma_align.inference.means import Estimates
from gamma_align.measures.gamma.gamma_rows import GammaRows
from gamma_align.measures.gamma.gamma_settings import GammaSettings
from gamma_align.measures.gamma.memory import give_back
from gamma_align.measures.gamma.other_samplers import DOCUMENTS, SourceDocuments
from gamma_align.measures.gamma.part_work import PartWork, SoFar, Store
from gamma_align.measures.gamma.precision import Costs, Expected, ExpectedCategorial, Wanted
from gamma_align.measures.gamma.workers import Workers

PART_UNITS = 100_000
"""Units in a part of a corpus in memory, where there is a store."""


def run(
    data: Corpus | Parts,
    settings: GammaSettings,
    *,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    store: Store | None = None,
) -> GammaRows:
    """Return the row of every document, sorted by document; the same for any number of workers, parts, and stores.

    `progress` is called with the numbers of samples done and known to be needed.
    """
    return Measurement(data, settings, n_jobs=n_jobs, progress=progress, store=store).rows()


class Measurement:
    """The measurement of a corpus: its parts one after the other, and what is decided for all of them.

    `problems`, once there are rows, are those of the documents that are left out, and `facts` are those of the data.
    """

    def __init__(
        self,
        data: Corpus | Parts,
        settings: GammaSettings,
        *,
        n_jobs: int | None = None,
        progress: Callable[[int, int], None] | None = None,
        store: Store | None = None,
    ) -> None:
        most = PART_UNITS if store is not None else data.n_units + len(data) + 1 if isinstance(data, Corpus) else 0
        self._parts: Parts = CorpusParts(data, most) if isinstance(data, Corpus) else data
        self._source = _source(data, settings) if settings.sampler == DOCUMENTS else None
        self._settings, self._workers, self._progress, self._store = settings, Workers(n_jobs), progress, store
        self._in_hand: dict[int, PartWork] = {}
        self._done = self._total = 0
        self._watch: Callable[[Callable[[], SoFar]], None] | None = getattr(progress, "partial", None)
        self.problems: list[Problem] = []
        self.facts: list[DataFacts] = []

    def rows(self) -> GammaRows:
        """Return the row of each document."""
        documents, cuts, costs = self._observe()
        of_gamma, drawn = self._sample(cuts, costs)
        each = (self._part(index).rows(of_gamma.of(cut), drawn.of(cut)) for index, cut in enumerate(cuts))
        rows = next(each) if len(cuts) == 1 else GammaRows.filled(documents, each)
        self._let_go()
        return rows

    def _observe(self) -> tuple[tuple[str, ...], list[slice], Costs]:
        """Align the documents; return their names, and which of those that can be measured are of each part."""
        documents, begins, costs = list[str](), [0], list[Costs]()
        for index in range(len(self._parts)):
            part = self._part(index)
            documents += part.documents
            self.problems += part.problems
            self.facts.append(part.facts())
            self._done += part.drawn
            costs.append(part.costs)
            begins.append(begins[-1] + len(part.mean_units))
        self._tell()
        joined = Costs(*(np.concatenate(columns) for columns in zip(*costs, strict=True)))
        return tuple(documents), [slice(*cut) for cut in pairwise(begins)], joined

    def _sample(self, cuts: Sequence[slice], costs: Costs) -> tuple[Wanted, Wanted]:
        """Draw samples until the rule wants no more; return how many γ rests on, and how many were drawn."""
        rule = self._settings.rule
        drawn = Wanted(*np.zeros((2, len(costs.whole)), dtype=np.int64))
        wanted = every = rule.begin(costs)
        while (drawn.samples < every.samples).any() or (drawn.pairs < every.pairs).any():
            drawn = drawn.union(every)
            gamma, gamma_cat = self._draw(drawn, wanted, cuts)
            every = wanted = rule.more(gamma, wanted, costs)
            if gamma_cat is not None:
                every = wanted.union(rule.more_categorial(gamma_cat, drawn, costs))
        return wanted, drawn

    def _part(self, index: int) -> PartWork:
        """Return the work on a part; with a store, the only one in memory."""
        if index not in self._in_hand:
            self._let_go()
            part = self._parts[index]
            self._in_hand[index] = PartWork(
                part, self._settings, self._workers, self._store, index, self._source, watched=self._watch is not None
            )
        return self._in_hand[index]

    def _let_go(self) -> None:
        """With a store, keep no part in memory."""
        if self._store is not None:
            self._in_hand.clear()
            give_back()

    def _draw(
        self, drawn: Wanted, of_gamma: Wanted, cuts: Sequence[slice]
    ) -> tuple[Expected, ExpectedCategorial | None]:
        """Draw so many samples; return δ_e from the samples `of_gamma`, and δ_e,cat where that decides anything."""
        self._total = int(drawn.samples.sum())
        pooled, number = self._settings.rule.pooled, len(drawn.samples)
        gamma, gamma_cat = _Collected(number), list[ExpectedCategorial]()
        for index, cut in enumerate(cuts):
            part, some = self._part(index), drawn.of(cut)
            part.draw(some, self._report)
            gamma.put(cut, part.expected(of_gamma.samples[cut], some.pairs))
            if pooled:
                gamma_cat.append(part.expected_categorial(some))
        return gamma.expected, ExpectedCategorial.join(gamma_cat) if pooled else None

    def _report(self, samples: int) -> None:
        self._done += samples
        if self._progress is not None:
            self._progress(self._done, self._total)
            self._tell()

    def _tell(self) -> None:
        """Let who watches know what is known so far, where all of the corpus is in hand."""
        if self._watch is not None and len(self._parts) == 1:
            self._watch(self._part(0).so_far)


def _source(data: Corpus | Parts, settings: GammaSettings) -> SourceDocuments:
    if not isinstance(data, Corpus):
        raise SettingsError(
            "samples of other documents' units need the whole corpus in memory, and this one is read part by part; use "
            "--sampler shift (sampler='shift')"
        )
    return SourceDocuments(data, settings.chance_from)


class _Collected:
    """The estimates of all parts: one table, and one with pairs of annotators once a part has some."""

    def __init__(self, number: int) -> None:
        plain = Estimates.blank(number)
        self.expected = Expected(np.empty(number), plain, plain)

    def put(self, cut: slice, some: Expected) -> None:
        """Write the estimates of a part to their places."""
        if some.controlled is not some.plain and self.expected.controlled is self.expected.plain:
            self.expected = self.expected._replace(controlled=Estimates.joined([self.expected.plain]))
        weight, plain, controlled = self.expected
        weight[cut] = some.weight
        plain.put(cut, some.plain)
        if controlled is not plain:
            controlled.put(cut, some.controlled)

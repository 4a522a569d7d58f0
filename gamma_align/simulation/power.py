"""The number of documents that show that two annotations differ in γ, from a pilot of both.

Corpora are simulated by drawing documents from the pilot, each with both of its annotations, so that what the two have
in common stays. In each corpus the exchange test of `compare` is made (`inference.exchanges`), and the power is the
share of corpora in which its p is .05 or less. No document is measured again: γ is a ratio of sums over documents.

D documents that are drawn from n vary less than D other ones, by (n - 1) / n. So only D (n - 1) / n are drawn for D,
and the variance of the difference is right.

References
----------
Efron & Tibshirani 1993, An Introduction to the Bootstrap, ch. 25 (power from a pilot).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Required, Unpack

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray
from gamma_align.data import Corpus
from gamma_align.errors import InputError, SettingsError
from gamma_align.inference import MIN_DOCUMENTS, Result, random_numbers
from gamma_align.insight.comparison import EXTENTS, NAMES, GammaPool, sides_of
from gamma_align.measures.gamma import GAMMA_OPTIONS, GammaOptions, GammaSettings, run
from gamma_align.options import takes_options
from gamma_align.simulation.simulation_options import POWER_OPTIONS

SIGNIFICANT = 0.05
"""The p from which on a difference is not found."""

MAX_DOCUMENTS = 4096
"""The largest number of documents that is simulated."""

_CORPORA = 1000  # simulated: the error of a power of .8 is .013
_EXCHANGES = 399  # of a simulated corpus: p is a multiple of 1/400
_BATCH = 100  # corpora at once
_TOLERANCE = 1e-9  # as of the exchange test
_FACTORS = (1, 2, 4, 8)  # numbers of documents whose power is listed, relative to the pilot


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PowerPlan(Result):
    """How many documents show that two annotations differ in γ.

    Attributes
    ----------
    names : tuple of str
        Names of the two annotations.
    first, second : float
        γ of the pilot.
    difference : float
        The difference that is to be found: that of the pilot, unless another one is requested.
    documents : int
        Documents of the pilot with γ in both annotations.
    target : float
        Requested power.
    documents_needed : int or None
        The smallest number of documents with this power; None if 4,096 are too few.
    powers : dict of int to float
        Number of documents to the power with them.
    settings : dict
        Settings of the simulation.
    gap : float
        Largest proven gap of an alignment used; 0 if all alignments are optimal.

    Examples
    --------
    >>> pilot = ga.Corpus.from_continua([ga.synthetic_reference(units=5, seed=n, document=f"d{n}") for n in range(4)])
    >>> careful, careless = (ga.shuffle(pilot, magnitude=size, annotators=2) for size in (0.1, 0.6))
    >>> result = ga.plan_difference(careful, careless, power=0.5, samples=4)
    >>> result.powers[result.documents_needed] >= 0.5
    True
    """

    names: tuple[str, str]
    first: float
    second: float
    difference: float
    documents: int
    target: float
    documents_needed: int | None
    powers: dict[int, float]
    settings: dict[str, Any]
    gap: float = 0.0
    notes: tuple[str, ...] = ()

    def _contents(self) -> dict[str, object]:
        names = ("names", "first", "second", "difference", "documents", "target", "documents_needed", "gap")
        powers = [{"documents": documents, "power": power} for documents, power in self.powers.items()]
        return {
            "schema_version": 1,
            **self._named(*names),
            "powers": powers,
            "settings": self.settings,
            "notes": self.notes,
        }


class DifferenceOptions(GammaOptions, total=False):
    """Options of `plan_difference` by keyword, which describes them."""

    power: Required[float]
    difference: float | None
    extents: str
    names: tuple[str, str]
    n_jobs: int | None
    progress: Callable[[int, int], None] | None


@takes_options((*POWER_OPTIONS.options, EXTENTS, *GAMMA_OPTIONS))
def plan_difference(
    first: Corpus,
    second: Corpus,
    /,
    *,
    power: float,
    difference: float | None = None,
    extents: str = EXTENTS.default,
    names: tuple[str, str] = NAMES,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    **settings: Unpack[GammaOptions],
) -> PowerPlan:
    """Estimate how many documents show that two annotations differ in γ, from a pilot with both.

    Parameters
    ----------
    first, second : Corpus, data frame, records, dict of annotator to spans, or path
        The two annotations of the documents of the pilot, paired by name.
    names : (str, str), default ("first", "second")
        Names of the two.
    n_jobs, progress
        As in `gamma`.
    **settings
        Options of γ.

    Returns
    -------
    PowerPlan

    Raises
    ------
    InputError
        If fewer than three documents have γ in both, or there is no difference to find.
    SettingsError
        If a setting is out of its range.

    Examples
    --------
    >>> pilot = ga.Corpus.from_continua([ga.synthetic_reference(units=5, seed=n, document=f"d{n}") for n in range(4)])
    >>> careful, careless = (ga.shuffle(pilot, magnitude=size, annotators=2) for size in (0.1, 0.6))
    >>> result = ga.plan_difference(careful, careless, power=0.8, samples=4)
    >>> result.first > result.second, result.documents
    (True, 4)
    """
    for option, value in zip(POWER_OPTIONS.options, (power, difference), strict=True):
        if value is not None:
            option.check(value)
    gamma_settings = GammaSettings.of(**settings)
    gamma_settings.check_own_chance("plan_difference()")
    sides = sides_of(first, second, names, extents)
    in_both = sorted({*sides.first.documents} & {*sides.second.documents})
    if not in_both:
        raise InputError("no document is in both: the pilot needs both annotations of the same documents")
    pair = [corpus.select(documents=in_both) for corpus in (sides.first, sides.second)]
    rows = [run(corpus, gamma_settings, n_jobs=n_jobs, progress=progress) for corpus in pair]
    pilot = _Pilot.of(GammaPool.of(rows[0], rows[1], gamma_settings.dissimilarity.delta_empty))
    assumed = pilot if difference is None else pilot.with_difference(difference)
    if len(assumed) < MIN_DOCUMENTS:
        raise InputError(f"a pilot needs {MIN_DOCUMENTS} documents with γ in both, but this one has {len(assumed)}")
    if assumed.difference == 0:
        raise InputError("γ of both is the same in the pilot", "name the difference that is to be found")
    simulation = _Simulation(assumed, gamma_settings.seed)
    needed = simulation.documents_needed(power)
    counts = {*(len(assumed) * factor for factor in _FACTORS), *([] if needed is None else [needed])}
    return PowerPlan(
        names=names,
        first=pilot.values[0],
        second=pilot.values[1],
        difference=assumed.difference,
        documents=len(pilot),
        target=power,
        documents_needed=needed,
        powers={n: simulation.power(n) for n in sorted(counts) if n <= MAX_DOCUMENTS},
        settings={
            "corpora": _CORPORA,
            "exchanges": _EXCHANGES,
            "level": SIGNIFICANT,
            "seed": gamma_settings.seed,
            "gamma": gamma_settings.to_dict(),
        },
        gap=max(float(side.gap.max()) for side in rows),
        notes=sides.notes,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Pilot:
    """Weighted observed and expected disorder of each document in both annotations, shape (2, n_documents) each."""

    observed: FloatArray
    expected: FloatArray

    @classmethod
    def of(cls, pool: GammaPool) -> _Pilot:
        """Return the documents that have γ in both."""
        counted = pool.counted[:, 0]
        return cls(pool.observed[:, counted, 0], pool.expected[:, counted, 0])

    def __len__(self) -> int:
        n_documents: int = self.observed.shape[1]
        return n_documents

    @property
    def values(self) -> tuple[float, float]:
        """γ of both annotations."""
        ratio = self.observed.sum(axis=1) / self.expected.sum(axis=1)
        return 1.0 - float(ratio[0]), 1.0 - float(ratio[1])

    @property
    def difference(self) -> float:
        """The second γ minus the first."""
        first, second = self.values
        return second - first

    def with_difference(self, difference: float) -> _Pilot:
        """Return the pilot with all disorders of the second annotation changed by a factor, for this difference."""
        first, second = self.values
        if first + difference >= 1 or second == 1:
            raise SettingsError(f"γ of the first is {first:.4f}: the second cannot be {difference:g} higher")
        factor = (1.0 - first - difference) / (1.0 - second)
        return replace(self, observed=self.observed * np.array([[1.0], [factor]]))


class _Simulation:
    """Corpora of documents drawn from a pilot; larger ones begin with the documents of smaller ones."""

    def __init__(self, pilot: _Pilot, seed: int) -> None:
        self._pilot = pilot
        self._seed = seed
        self._powers: dict[int, float] = {}

    def documents_needed(self, power: float) -> int | None:
        """Return the smallest number of documents with this power; None if the largest number has less."""
        documents = MIN_DOCUMENTS
        too_few = documents - 1
        while self.power(documents) < power:
            too_few = documents
            documents *= 2
            if too_few == MAX_DOCUMENTS:
                return None
            documents = min(documents, MAX_DOCUMENTS)
        while documents - too_few > 1:
            middle = (too_few + documents) // 2
            if self.power(middle) < power:
                too_few = middle
            else:
                documents = middle
        return documents

    def power(self, documents: int) -> float:
        """Return the share of corpora of this size in which the exchange test finds the difference."""
        if documents not in self._powers:
            n = len(self._pilot)
            n_drawn = max(round(documents * (n - 1) / n), 2)
            is_exchanged = _numbers(self._seed, "exchanged", _EXCHANGES, n_drawn) < 1 / 2
            batches = [
                self._test_finds_difference(drawn, is_exchanged.astype(np.float64))
                for drawn in np.array_split(self._draw(n_drawn), _CORPORA // _BATCH)
            ]
            self._powers[documents] = float(np.concatenate(batches).mean())
        return self._powers[documents]

    def _draw(self, n_drawn: int) -> IntArray:
        """Return the documents of each corpus, shape (n_corpora, n_drawn)."""
        numbers = _numbers(self._seed, "drawn", _CORPORA, n_drawn)
        return np.minimum((numbers * len(self._pilot)).astype(np.int64), len(self._pilot) - 1)

    def _test_finds_difference(self, drawn: IntArray, is_exchanged: FloatArray) -> BoolArray:
        """Return whether the exchange test finds the difference in each corpus, shape (n_corpora,).

        `drawn` has the documents of each corpus, `is_exchanged` a row for each exchange.
        """
        observed = self._pilot.observed[:, drawn]
        expected = self._pilot.expected[:, drawn]
        estimate = np.abs(_differences(observed.sum(axis=2), expected.sum(axis=2)))
        # What the first annotation gains, and the second loses, by the exchange of each document
        gained_observed = is_exchanged @ (observed[1] - observed[0]).T
        gained_expected = is_exchanged @ (expected[1] - expected[0]).T
        signs = np.array([1.0, -1.0])[:, None, None]
        exchanged = _differences(
            observed.sum(axis=2)[:, None, :] + signs * gained_observed,
            expected.sum(axis=2)[:, None, :] + signs * gained_expected,
        )
        n_as_large = np.count_nonzero(np.abs(exchanged) >= estimate - _TOLERANCE, axis=0)
        is_found: BoolArray = (n_as_large + 1.0) / (_EXCHANGES + 1.0) <= SIGNIFICANT
        return is_found


def _differences(observed: FloatArray, expected: FloatArray) -> FloatArray:
    """Return γ of the first annotation minus γ of the second, from the sums of both in the first axis."""
    with np.errstate(divide="ignore", invalid="ignore"):
        gamma = 1.0 - observed / expected
    difference: FloatArray = np.nan_to_num(gamma[0] - gamma[1], nan=0.0, posinf=0.0, neginf=0.0)
    return difference


def _numbers(seed: int, stream: str, n_rows: int, n_columns: int) -> FloatArray:
    """Return numbers in [0, 1), shape (n_rows, n_columns); the first columns do not depend on how many there are."""
    return np.concatenate([*random_numbers(seed, f"power: {stream}", n_rows, n_columns)])

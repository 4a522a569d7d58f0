"""Everything a measurement of γ depends on besides the data: frozen, picklable, written down with the result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Self, TypedDict, Unpack

from gamma_align.alignment.limits import KERNELS, Limits
from gamma_align.distances import AnyDistance
from gamma_align.distances.dissimilarity import Dissimilarity
from gamma_align.errors import SettingsError, did_you_mean
from gamma_align.gammas.precision import MOST, PrecisionRule
from gamma_align.gammas.statistics import CONFIDENCES
from gamma_align.results.frames import fingerprint

EMPTY_SAMPLES = ("skip", "one")
SAMPLERS = ("shift", "documents", "statistical")
CHANCES = ("documents", "pooled")


class GammaOptions(TypedDict, total=False):
    """Options of γ, γcat and γk by keyword: see `GammaSettings.of`."""

    conventions: str
    distance: AnyDistance | None
    dissimilarity: Dissimilarity | None
    alpha: float | None
    beta: float | None
    delta_empty: float | None
    confidence: str | None
    sampler: str | None
    chance: str | None
    min_distance: str | None
    integer_offsets: bool | Literal["auto"] | None
    empty_samples: str | None
    precision: float | None
    precision_of: str | None
    samples: int | None
    max_samples: int | None
    control: str | None
    seed: int
    time_limit: float | None
    solver: str | None


_M15: GammaOptions = {
    "alpha": 1.0,
    "beta": 1.0,
    "delta_empty": 1.0,
    "confidence": "positional",
    "sampler": "shift",
    "chance": "documents",
    "min_distance": "mean",
    "integer_offsets": "auto",
    "empty_samples": "skip",
    "precision": 0.02,
    "precision_of": "corpus",
    "samples": None,
    "max_samples": MOST,
    "control": "pairs",
}
_PROGRAMS: GammaOptions = {**_M15, "confidence": "weighted", "min_distance": "half", "integer_offsets": True}
CONVENTIONS: Mapping[str, GammaOptions] = {
    "m15": _M15,
    "authors": {**_PROGRAMS, "alpha": 3.0},
    "pygamma": {**_PROGRAMS, "sampler": "statistical", "samples": 30, "control": "none"},
}
"""Options as the papers have them (M15, M17), the authors' program, and pygamma-agreement 0.5.9.

Of pygamma-agreement the weights, the pairing confidence, the number of samples, its default sampler and the offsets of
its shuffling one can be set here. Two things cannot: samples without aligned units, which are 0 for γcat and 1 for γk
of a category they do not have; and units aligned with nothing, which count as disagreement for γcat.
"""


@dataclass(frozen=True, slots=True)
class GammaSettings:
    """Settings of γ, γcat and γk; `GammaSettings.of` makes them from options and says what each is.

    Attributes
    ----------
    dissimilarity : Dissimilarity
        d, with α, β and Δ.
    rule : PrecisionRule
        How many samples.
    limits : Limits
        When an alignment may stop with a stated gap.
    conventions, seed, chance, sampler, min_distance, integer_offsets, confidence, empty_samples
        The options of these names; offsets that are "auto" are None.
    chance_from : tuple of str
        The annotators whose units the samples are made of, all if it is empty: see `evaluate`.

    Examples
    --------
    >>> settings = ga.GammaSettings.of(conventions="authors", samples=30)
    >>> settings.dissimilarity.alpha, settings.confidence
    (3.0, 'weighted')
    """

    conventions: str = "m15"
    dissimilarity: Dissimilarity = field(default_factory=Dissimilarity)
    rule: PrecisionRule = field(default_factory=PrecisionRule)
    seed: int = 0
    sampler: str = "shift"
    chance: str = "documents"
    min_distance: str = "mean"
    integer_offsets: bool | None = None
    confidence: str = "positional"
    empty_samples: str = "skip"
    limits: Limits = field(default_factory=Limits)
    chance_from: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.sampler not in SAMPLERS:
            raise SettingsError(f"sampler must be one of {', '.join(SAMPLERS)}, not {self.sampler!r}")
        if self.chance not in CHANCES:
            raise SettingsError(f"chance must be one of {', '.join(CHANCES)}, not {self.chance!r}")
        if self.confidence not in CONFIDENCES:
            raise SettingsError(f"confidence must be one of {', '.join(CONFIDENCES)}, not {self.confidence!r}")
        if self.empty_samples not in EMPTY_SAMPLES:
            raise SettingsError(f"empty_samples must be one of {', '.join(EMPTY_SAMPLES)}, not {self.empty_samples!r}")

    @classmethod
    def of(cls, **options: Unpack[GammaOptions]) -> Self:
        """Return the settings that these options ask for; one that is None is as if it were not given.

        Parameters
        ----------
        conventions : {"m15", "authors", "pygamma"}
            What decides each option that is not given: the papers, whose values are named here as defaults; the
            authors' program (α = 3, confidence weighted, offsets that are integers half a mean length apart); or
            pygamma-agreement (confidence likewise, 30 samples of its statistical sampler without control), as far as it
            can be set: see `gamma_align.gammas.settings.CONVENTIONS`.
        distance : str, Distance, table or function
            Between categories, instead of nominal: see `gamma_align.distances.as_distance`.
        dissimilarity : Dissimilarity
            d with its weights, in place of `distance` and of the weights below.
        alpha, beta, delta_empty : float
            α, β and Δ; 1 by default.
        precision : float
            Relative precision of the expected disorder at 95 % (M15 §5.3): half the width of its interval; 0.02 by
            default.
        precision_of : {"corpus", "documents"}
            Whose: that of the pooled values of the corpus, of γ and of γcat, for which a few samples of each of many
            documents do (default); or that of every document's γ, as M15 has it.
        samples : int
            A fixed number of samples instead of a precision.
        max_samples : int
            Never draw more for a document (10,000 by default); where that is not enough, the result says so.
        control : {"pairs", "none"}
            Whether alignments of two annotators at a time serve as a control variate for the expected disorder of four
            and more, where that takes less work for the same precision, and the chance of units to overlap for γcat and
            γk (default); "none" is the plain mean of M15.
        seed : int
            Seed of the samples.
        sampler : {"shift", "documents", "statistical"}
            What samples are made of: the units of annotators of the document, shifted (M15 §5.2; default); those of
            annotators of other documents of the corpus, stretched, for which it takes as many documents as a document
            has annotators; or units drawn from normal distributions, as pygamma-agreement does by default.
        min_distance : {"mean", "half"}
            Least distance of the offsets of shifted samples: the mean length of units (default), or half of it (the
            authors' program).
        integer_offsets : bool or "auto"
            Whether offsets of shifted samples are integers; "auto", the default: where all boundaries of a document
            are.
        chance : {"documents", "pooled"}
            Whether each document has an expected disorder of its own (default), or documents of as many annotators
            share one: for documents too short to have one, whose values are noise, or not available. Those too short
            for the offsets of their samples have a part in it only where all of them are.
        confidence : {"positional", "weighted", "none"}
            Pairing confidence of γcat: 1 - d_pos/Δ (M17 §4.2.3; default), with d_pos weighed by α (the authors'
            program), or none: every aligned pair counts alike.
        empty_samples : {"skip", "one"}
            What a sample without aligned units is for γcat: left out of the mean (default), or a disorder of 1.
        time_limit : float
            Seconds for each alignment after which it stops with a stated gap.
        solver : {"kernels", "ortools"}
            What solves alignments: this package's kernels (default), or OR-Tools alone, to check them (see `Limits`).

        Raises
        ------
        SettingsError
            For other conventions, an unknown setting or one out of its range, or what is no distance.

        Examples
        --------
        >>> ga.GammaSettings.of(conventions="pygamma", precision=0.05).rule.samples is None
        True
        """
        names = GammaOptions.__annotations__
        if unknown := sorted(options.keys() - names.keys()):
            raise SettingsError(f"γ has no setting {unknown[0]!r}{did_you_mean(unknown[0], names)}")
        wanted: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
        conventions = wanted.pop("conventions", "m15")
        if conventions not in CONVENTIONS:
            raise SettingsError(f"conventions must be one of {', '.join(CONVENTIONS)}, not {conventions!r}")
        chosen: dict[str, Any] = {"distance": None, "dissimilarity": None, **CONVENTIONS[conventions], **wanted}
        if (
            "precision" in wanted and "samples" not in wanted
        ):  # it takes the place of the conventions' number of samples
            chosen["samples"] = None
        return cls(
            conventions=conventions,
            dissimilarity=Dissimilarity.of(
                chosen["dissimilarity"], chosen["distance"], chosen["alpha"], chosen["beta"], chosen["delta_empty"]
            ),
            rule=PrecisionRule(
                *(chosen[name] for name in ("precision", "samples", "max_samples", "control", "precision_of"))
            ),
            seed=chosen.get("seed", 0),
            limits=Limits(time_limit=chosen.get("time_limit"), solver=chosen.get("solver", KERNELS)),
            sampler=chosen["sampler"],
            min_distance=chosen["min_distance"],
            integer_offsets=_integer(chosen["integer_offsets"]),
            chance=chosen["chance"],
            confidence=chosen["confidence"],
            empty_samples=chosen["empty_samples"],
        )

    @property
    def fingerprint(self) -> str:
        """A hash of the settings and of the version: rows with the same can be pooled."""
        return fingerprint(self.to_dict())

    def check_own_chance(self, caller: str) -> None:
        """Refuse, for a function that takes documents as independent of each other, chance that they share."""
        if self.chance == "pooled":
            raise SettingsError(
                f"{caller} takes documents as independent of each other, and chance='pooled' (--chance pooled) lets "
                "them share what is expected; leave it out"
            )

    def to_dict(self) -> dict[str, Any]:
        """Return the settings, ready for JSON."""
        return {
            "conventions": self.conventions,
            "alpha": self.dissimilarity.alpha,
            "beta": self.dissimilarity.beta,
            "delta_empty": self.dissimilarity.delta_empty,
            "dissimilarity": self.dissimilarity.name,
            "categorial": self.dissimilarity.categorial.to_dict(),
            "sampler": self.sampler,
            "min_distance": self.min_distance,
            "integer_offsets": "auto" if self.integer_offsets is None else self.integer_offsets,
            "precision": None if self.rule.samples is not None else self.rule.precision,
            "precision_of": None if self.rule.samples is not None else self.rule.of,
            "samples": self.rule.samples,
            "max_samples": self.rule.max_samples,
            "control": self.rule.control,
            "seed": self.seed,
            "chance": self.chance,
            "confidence": self.confidence,
            "empty_samples": self.empty_samples,
            "interval_documents": "95 %, sampling error of the expected disorder",
            "interval_corpus": "95 %, jackknife over documents; one document: as documents",
            "time_limit": self.limits.time_limit,
            "max_columns": self.limits.max_columns,
            "max_work": self.limits.max_work,
            "solver": self.limits.solver,
            **({"chance_from": list(self.chance_from)} if self.chance_from else {}),
        }


def _integer(offsets: object) -> bool | None:
    if offsets == "auto":
        return None
    if not isinstance(offsets, bool):
        raise SettingsError(f"integer_offsets must be True, False or 'auto', not {offsets!r}")
    return offsets

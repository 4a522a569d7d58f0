"""The settings of a measurement of γ: frozen, picklable, and stored with the result."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Unpack, cast

from gamma_align.chance import ChanceSettings, PrecisionRule
from gamma_align.data import Json
from gamma_align.errors import Cure, Set, SettingsError
from gamma_align.measures.document_rows import fingerprint
from gamma_align.measures.gamma import gamma_options as options
from gamma_align.measures.gamma.alignment_settings import AlignmentSettings
from gamma_align.measures.gamma.keywords import GammaOptions
from gamma_align.options import check_all_read, check_fields, resolved, takes_options

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping


@dataclass(frozen=True, slots=True)
class GammaSettings(ChanceSettings):
    """Settings of γ, γcat and γk. `GammaSettings.of` creates them from options and describes each.

    Attributes
    ----------
    conventions, chance
        The options of these names.

    The other attributes are those of `ChanceSettings`: the settings that expected disorders depend on.

    Examples
    --------
    >>> settings = ga.GammaSettings.of(conventions="authors", samples=30)
    >>> settings.dissimilarity.alpha, settings.confidence
    (3.0, 'weighted')
    """

    conventions: str = options.CONVENTIONS.default
    chance: str = options.CHANCE.default

    def __post_init__(self) -> None:
        check_fields(self, options.GAMMA_OPTIONS)

    @classmethod
    @takes_options(options.GAMMA_OPTIONS)
    def of(cls, **settings: Unpack[GammaOptions]) -> GammaSettings:
        """Return the settings for these options. An option that is None has its default.

        Parameters
        ----------
        **settings
            Options of γ.

        Raises
        ------
        SettingsError
            If an option is unknown, out of its range, or not a distance.

        Examples
        --------
        >>> ga.GammaSettings.of(conventions="pygamma", precision=0.05).rule.samples is None
        True
        """
        try:
            return _settings(**cast("Mapping[str, Hashable]", settings))
        except TypeError:  # a value has no hash: a table of distances, say
            return _settings.__wrapped__(**settings)

    @property
    def fingerprint(self) -> str:
        """A hash of the settings and the version. Rows with equal fingerprints can be pooled."""
        return fingerprint(self.to_dict())

    def check_own_chance(self, caller: str) -> None:
        """Refuse a shared expected disorder for a caller that requires independent documents."""
        if self.chance == "pooled":
            raise SettingsError(
                f"{caller} requires independent documents, but with pooled chance documents share an expected disorder",
                Cure("use {}", Set("chance", "documents")),
            )

    def to_dict(self) -> dict[str, Json]:
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
            "interval_corpus": (
                "95 %, jackknife over documents, Student's t on √(1 - value); one document: as documents"
            ),
            "time_limit": self.limits.time_limit,
            "max_columns": self.limits.max_columns,
            "max_work": self.limits.max_work,
            "solver": self.limits.solver,
            "alignment": self.alignment,
            **({"chance_from": list(self.chance_from)} if self.chance_from else {}),
        }


@lru_cache(maxsize=16, typed=True)  # requests have the same options most of the time
def _settings(**settings: Unpack[GammaOptions]) -> GammaSettings:
    """Return the settings for these options."""
    values = resolved(options.GAMMA_OPTIONS, settings, "γ")
    if settings.get("precision") is not None and settings.get("samples") is None:
        values["samples"] = None  # the precision replaces the number of samples of the conventions
    return _from_values(values)


def _from_values(values: Mapping[str, Any]) -> GammaSettings:
    """Return the settings for checked values of all options of γ."""
    alignment = AlignmentSettings.from_values(values)
    return GammaSettings(
        conventions=values["conventions"],
        dissimilarity=alignment.dissimilarity,
        rule=PrecisionRule(
            precision=values["precision"],
            samples=values["samples"],
            max_samples=values["max_samples"],
            control=values["control"],
            of=values["precision_of"],
        ),
        seed=values["seed"],
        limits=alignment.limits,
        sampler=values["sampler"],
        min_distance=values["min_distance"],
        integer_offsets=None if values["integer_offsets"] == "auto" else values["integer_offsets"],
        chance=values["chance"],
        confidence=values["confidence"],
        empty_samples=values["empty_samples"],
        alignment=values["alignment"],
    )


check_all_read(options.GAMMA_OPTIONS, _from_values, "γ")

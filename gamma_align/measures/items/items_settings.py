"""Settings of coefficients on items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Self, TypedDict, Unpack

from gamma_align.data import ItemTable, check_settings
from gamma_align.distances import AnyDistance, Distance, Nominal, as_distance
from gamma_align.errors import Cure, Set, SettingsError
from gamma_align.measures.document_rows import fingerprint
from gamma_align.measures.items.intervals import IntervalSettings
from gamma_align.measures.items.items_options import COEFFICIENTS, MISSING
from gamma_align.measures.items.spec import CoefficientSpec, spec_of
from gamma_align.options import check_fields


class IntervalOptions(TypedDict, total=False):
    """Options of errors and intervals: the fields of `IntervalSettings`."""

    interval: str | None
    level: float
    seed: int
    replicates: int


class ItemOptions(IntervalOptions, total=False):
    """Options that the functions on items share; `item_coefficient` documents them."""

    distance: AnyDistance
    missing: str | None
    expected_from: ItemTable | None


@dataclass(frozen=True, slots=True)
class ItemSettings:
    """Settings of coefficients on items, with the options of `item_agreement`.

    Examples
    --------
    >>> ga.ItemSettings.of(["krippendorff"], distance="ordinal").to_dict()["coefficients"]
    ['alpha']
    """

    coefficients: tuple[CoefficientSpec, ...]
    distance: Distance = field(default_factory=Nominal)
    missing: str | None = None
    intervals: IntervalSettings = field(default_factory=IntervalSettings)
    expected_from: ItemTable | None = None

    def __post_init__(self) -> None:
        check_fields(self, (MISSING,))
        for spec in self.coefficients:
            if spec.kind == "pairs" and self.expected_from is not None:
                raise SettingsError(
                    f"{spec.name} is a mean over pairs of coders, so it has no expected disagreement of its own",
                    Cure("leave out {}, or the coefficient", Set("expected_from")),
                )

    @classmethod
    def of(
        cls,
        coefficients: Sequence[str] = COEFFICIENTS.default,
        *,
        distance: AnyDistance = "nominal",
        missing: str | None = None,
        expected_from: ItemTable | None = None,
        **intervals: Unpack[IntervalOptions],
    ) -> Self:
        """Return the settings from the options of `item_agreement`."""
        check_settings("a coefficient on items", intervals, ItemOptions.__annotations__)
        specs = tuple(dict.fromkeys(map(spec_of, coefficients)))
        return cls(specs, as_distance(distance), missing, IntervalSettings(**intervals), expected_from)

    def to_dict(self) -> dict[str, object]:
        """Return the settings except `expected_from`, ready for JSON."""
        return {
            "coefficients": [spec.name for spec in self.coefficients],
            "distance": self.distance.to_dict(),
            "missing": self.missing,
            **asdict(self.intervals),
        }

    @property
    def fingerprint(self) -> str:
        """A hash of the version and the categories of `expected_from`. Rows depend on no other setting."""
        chance = self.expected_from
        return fingerprint({} if chance is None else {"categories": chance.categories, "declared": chance.declared})

"""The results and settings that a report shows."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from gamma_align.data import Json
from gamma_align.inference import Result
from gamma_align.insight.disagreements import Disagreements
from gamma_align.measures.gamma import GammaResult
from gamma_align.present.page.other_numbers import OtherNumber

if TYPE_CHECKING:  # most reports have none of these
    from gamma_align.insight.ceiling import Ceiling
    from gamma_align.insight.replacement import Replacement
    from gamma_align.measures.reference import Evaluation
    from gamma_align.simulation import ReferenceCurve


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Contents(Result):
    """The contents of a report; `Report` documents the attributes and renders them."""

    title: str
    disagreements: Disagreements
    headline: GammaResult
    curve: ReferenceCurve | None
    evaluation: Evaluation | None
    replacement: Replacement | None
    ceilings: tuple[Ceiling, ...]
    others: tuple[OtherNumber, ...]
    text: str
    anonymous: bool
    annotator: str | None
    reference: str | None
    independent: tuple[str, ...]
    remarks: tuple[str, ...]
    asked: float | None

    def _contents(self) -> dict[str, Json]:
        return {"schema_version": 1, **self._named(*(field.name for field in fields(self)))}

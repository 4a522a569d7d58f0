"""The results and settings that a report shows."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Literal

from gamma_align.data.json_types import Json
from gamma_align.inference.values import Result
from gamma_align.insight.disagreements.disagreements import Disagreements
from gamma_align.measures.gamma.gamma_result import GammaResult

if TYPE_CHECKING:  # most reports have none of these
    from gamma_align.insight.replacement.replacement_result import Replacement
    from gamma_align.measures.reference.evaluate import Evaluation
    from gamma_align.simulation.curve import ReferenceCurve

Text = Literal["none", "windows", "full"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Contents(Result):
    """The contents of a report; `Report` documents the attributes and renders them."""

    title: str
    disagreements: Disagreements
    headline: GammaResult
    curve: ReferenceCurve | None
    evaluation: Evaluation | None
    replacement: Replacement | None
    text: Text
    anonymous: bool
    annotator: str | None
    reference: str | None
    independent: tuple[str, ...]
    remarks: tuple[str, ...]
    asked: float | None

    def _contents(self) -> dict[str, Json]:
        return {"schema_version": 1, **self._named(*(field.name for field in fields(self)))}

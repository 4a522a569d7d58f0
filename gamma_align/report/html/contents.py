"""What a report shows, measured."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Literal

from gamma_align.differences.disagreements import Disagreements
from gamma_align.evaluation.evaluate import Evaluation
from gamma_align.gammas.coefficients import GammaResult
from gamma_align.results.values import Result
from gamma_align.shuffling.curve import ReferenceCurve

Text = Literal["none", "windows", "full"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Contents(Result):
    """What a report shows.

    Attributes
    ----------
    title : str
        Name of the corpus.
    disagreements : Disagreements
        Where and why annotators differ, with γ of all of them; of one annotator alone in a report for them.
    headline : GammaResult
        The γ on top: that of the independent annotators, where some are not.
    curve : ReferenceCurve or None
        What would lower γ that far, where it was asked for.
    evaluation : Evaluation or None
        The annotators against the reference, where there is one.
    text : {"none", "windows", "full"}
        How much of the documents' text is shown.
    annotator, reference : str or None
        Whom the report is for; who is the reference.
    independent, remarks : tuple of str
        The annotators of the headline, empty for all; remarks at the top.
    asked : float or None
        The γ that was asked for.
    """

    title: str
    disagreements: Disagreements
    headline: GammaResult
    curve: ReferenceCurve | None
    evaluation: Evaluation | None
    text: Text
    annotator: str | None
    reference: str | None
    independent: tuple[str, ...]
    remarks: tuple[str, ...]
    asked: float | None

    def _contents(self) -> dict[str, Any]:
        return {"schema_version": 1, **self._named(*(field.name for field in fields(self)))}

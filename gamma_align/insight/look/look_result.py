"""The result of a first look: sizes, verdict, values with remarks, causes, and models among people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from gamma_align.data import FrameColumns
from gamma_align.inference import Result, Value, columns_of, value_columns
from gamma_align.insight.causes.findings import Example
from gamma_align.insight.disagreements.disagreements import Disagreements
from gamma_align.insight.look.atlas import SimilarTask
from gamma_align.insight.pairwise import PairwiseResult
from gamma_align.measures.items import ItemResult


class LookValue(NamedTuple):
    """A value of the look: its name in data, its symbol, and what is to know about it."""

    name: str
    symbol: str
    value: Value
    remark: str


class LookCause(NamedTuple):
    """A cause, its share of all disorder, and γ after it and all causes above it are settled."""

    title: str
    share: float
    gamma: float
    example: Example | None
    question: str


class LookModel(NamedTuple):
    """A model among people: how near it is, how far the data allow to say so, and its strict F1 beside the ceiling.

    `ceiling` is empty for items.
    """

    model: str
    standing: str
    allowed: str
    ceiling: str

    @property
    def sentences(self) -> tuple[str, ...]:
        """What is to say about the model."""
        return tuple(f"{text}." for text in (self.standing, self.allowed, self.ceiling) if text)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Look(Result):
    """The first look at annotations.

    Attributes
    ----------
    size : str
        Documents, annotators, units and labels; items, coders and labels of a table of items.
    verdict : tuple of str
        Sentences that are computed from the values.
    values : tuple of LookValue
        The values of the corpus, (name, symbol, value, remark), and those of the documents if they are at most four.
    similar : tuple of SimilarTask
        γ in corpora of similar tasks, (task, corpus, gamma, low, high, by_pairs).
    causes : tuple of LookCause
        At most three causes of disagreement, (title, share, gamma, example, question), the largest first.
    further_causes : int
        Number of causes that are not among them.
    remarks : tuple of str
        Further observations, such as that no cause was found.
    models : tuple of LookModel
        Each model, (model, standing, allowed, ceiling).
    signature : str
        One line to paste into a paper.
    notes : tuple of str
        Assumptions and warnings for readers of the numbers.
    result : Disagreements, PairwiseResult or ItemResult
        The analysis that the values are taken from. Not in the JSON.

    Examples
    --------
    >>> look = ga.look("corpora/novels_ner", samples=3)
    >>> look.verdict[0]
    'Three annotators, γ 0.88: 12 % of the disorder expected by chance, and one cause is a third of it.'
    >>> look.causes[0].title[:22], round(look.causes[0].share, 2)
    ('user2 leaves out “his”', 0.33)
    """

    size: str
    verdict: tuple[str, ...]
    values: tuple[LookValue, ...]
    similar: tuple[SimilarTask, ...] = ()
    causes: tuple[LookCause, ...] = ()
    further_causes: int = 0
    remarks: tuple[str, ...] = ()
    models: tuple[LookModel, ...] = ()
    signature: str
    notes: tuple[str, ...] = ()
    result: Disagreements | PairwiseResult | ItemResult

    def __getitem__(self, name: str) -> Value:
        """Return a value by its name, such as "gamma"."""
        for row in self.values:
            if row.name == name:
                return row.value
        raise KeyError(name)

    def _summary(self) -> str:
        return " ".join(self.verdict)

    def _contents(self) -> dict[str, object]:
        shown = self._named("size", "verdict", "values", "similar", "causes", "further_causes", "remarks", "models")
        return {"schema_version": 1, **shown, **self._named("signature", "notes")}

    def _columns(self) -> FrameColumns:
        columns = columns_of(self.values, ("name", "symbol"))
        return (
            columns | value_columns("value", [row.value for row in self.values]) | columns_of(self.values, ("remark",))
        )

"""The result of `replaceable`: models, the tests of people, people in the model's place, and differences of models."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from gamma_align.inference import Result, Value
from gamma_align.insight.replacement.equivalence import Equivalence


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PersonTest(Result):
    """The test whether a model could replace a person.

    Attributes
    ----------
    person : str
        The person.
    instances, won, tied, lost : int
        Documents (items) that the person shares with the model and another person; in how many of them the model is
        nearer to the others than the person, as near, and less near.
    advantage : float
        Share of them that the model does not lose; NaN without any.
    mean_difference : float
        Mean of d: (lost - won) / instances.
    p : float
        p of the hypothesis that the mean of d is ε or more; NaN if the person is not tested.
    is_replaceable : bool
        Whether the hypothesis is rejected.
    reason : str or None
        Reason why the person is not tested.

    Examples
    --------
    >>> items = ga.ItemTable.from_matrix([*map(list, zip("AABBCA", "AABBCC", "ABBBAC", "AABBCA"))])
    >>> result = ga.replaceable(items, annotator="4", epsilon=0.2, min_instances=2)
    >>> person = result.models[0].people[2]
    >>> person.won, person.tied, person.lost, round(person.p, 4), person.is_replaceable
    (2, 4, 0, 0.0263, True)
    """

    person: str
    instances: int
    won: int
    tied: int
    lost: int
    advantage: float
    mean_difference: float
    p: float
    is_replaceable: bool
    reason: str | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ModelResult(Result):
    """How near a model is to the people, and whom it could replace.

    Attributes
    ----------
    model : str
        The model.
    instances : int
        Documents (items) that the model shares with two people or more.
    omega : Value
        ω, the share of people whom the model could replace.
    passes : bool or None
        Whether ω ≥ 1/2; None if ω is not available.
    rho : Value
        ρ, the mean over people of the share of documents (items) that the model does not lose, with an interval over
        documents (items).
    nearness : float
        Mean similarity to the people; NaN if it is not available.
    standing : Value
        Share of people who are less near to the other people than the model is, with an interval over documents
        (items).
    nearer_than, n_people : int
        Number of these people, and of all people who have a nearness.
    people : tuple of PersonTest
        The test of each person.
    equivalence : Equivalence or None
        The change of agreement with the model in the place of each person; None without a margin.

    Examples
    --------
    >>> items = ga.ItemTable.from_matrix([*map(list, zip("AABBCA", "AABBCC", "ABBBAC", "AABBCA"))])
    >>> model = ga.replaceable(items, annotator="4", epsilon=0.2, min_instances=2).models[0]
    >>> model.omega.value, model.passes, model.rho.value, model.nearer_than
    (1.0, True, 1.0, 3)
    """

    model: str
    instances: int
    omega: Value
    passes: bool | None
    rho: Value
    nearness: float
    standing: Value
    nearer_than: int
    n_people: int
    people: tuple[PersonTest, ...]
    equivalence: Equivalence | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PersonInPlace(Result):
    """The test with a person in the model's place, against the other people.

    Attributes
    ----------
    person : str
        The person.
    omega : Value
        ω of the person.
    passes : bool or None
        Whether ω ≥ 1/2; None if ω is not available.
    nearness : float
        Mean similarity to the other people.

    Examples
    --------
    >>> items = ga.ItemTable.from_matrix([*map(list, zip("AABBCA", "AABBCC", "ABBBAC", "AABBCA"))])
    >>> person = ga.replaceable(items, annotator="4", epsilon=0.2, min_instances=2).calibration[2]
    >>> person.person, person.omega.value, person.passes
    ('3', 0.0, False)
    """

    person: str
    omega: Value
    passes: bool | None
    nearness: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ModelDifference(Value):
    """ρ of one model minus ρ of another, with a 95 % interval over documents (items).

    Attributes
    ----------
    first, second : str
        The models; the first one has the larger ρ.

    Examples
    --------
    >>> print(ga.ModelDifference(0.1, 0.05, 0.15, first="gpt", second="llama"))
    0.1000 [0.0500, 0.1500]
    """

    first: str = ""
    second: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Replacement(Result):
    """Whether models could replace people: see `replaceable`.

    Attributes
    ----------
    models : tuple of ModelResult
        The models, the largest ρ first.
    calibration : tuple of PersonInPlace
        The same test with each person in the model's place.
    differences : tuple of ModelDifference
        Differences of ρ of every two models.
    people : tuple of str
        The people.
    noun : str
        ``document`` or ``item``.
    settings : mapping
        All settings that are needed to compute the result again, ready for JSON.
    signature : str
        One line to paste into a paper.
    notes : tuple of str
        Assumptions and warnings for readers of the numbers.

    Examples
    --------
    >>> items = ga.ItemTable.from_matrix([*map(list, zip("AABBCA", "AABBCC", "ABBBAC", "AABBCA", "CCCCCC"))])
    >>> result = ga.replaceable(items, annotator=["4", "5"], epsilon=0.2, min_instances=2)
    >>> [model.model for model in result.models], round(result.differences[0], 4)
    (['4', '5'], 0.6111)
    """

    models: tuple[ModelResult, ...]
    calibration: tuple[PersonInPlace, ...]
    differences: tuple[ModelDifference, ...]
    people: tuple[str, ...]
    noun: str
    settings: Mapping[str, object]
    signature: str
    notes: tuple[str, ...] = ()

    @property
    def n_passing(self) -> int:
        """Number of people who pass the test in the model's place."""
        return sum(bool(person.passes) for person in self.calibration)

    @property
    def n_calibrated(self) -> int:
        """Number of people for whom the test in the model's place is available."""
        return sum(person.passes is not None for person in self.calibration)

    def __getitem__(self, model: str) -> ModelResult:
        """Return the result of a model."""
        for row in self.models:
            if row.model == model:
                return row
        raise KeyError(model)

    def _summary(self) -> str:
        n_passing = sum(bool(model.passes) for model in self.models)
        return f"models: {len(self.models)}, people: {len(self.people)}, passing: {n_passing}"

    def _contents(self) -> dict[str, object]:
        fields = self._named("signature", "settings", "people", "models", "calibration", "differences", "notes")
        return {"schema_version": 1, **fields}


def share_without_loss(won: int, tied: int, lost: int) -> float:
    """Return the share of comparisons that the model does not lose; NaN without any."""
    total = won + tied + lost
    return (won + tied) / total if total else math.nan

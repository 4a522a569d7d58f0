"""`replaceable`: whether a model could take the place of an annotator, on units in documents or on items.

The test is in `alternative`, the change of agreement in `equivalence`. On items the similarity of two judgments is 1 −
the distance of their categories, so that the nominal distance gives the accuracy of Calderon et al. and the interval
distance orders answers as their negative RMSE does. On units it is one of `SIMILARITIES` (own definition).

References
----------
Calderon, Reichart & Dror 2025, The Alternative Annotator Test for LLM-as-a-Judge: How to Statistically Justify
Replacing Human Annotators with LLMs. Proceedings of ACL 2025.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import combinations
from typing import NamedTuple, Unpack

import numpy as np

from gamma_align.alignment import COVER
from gamma_align.columns import FloatArray
from gamma_align.data import Corpus, ItemTable, counted, few
from gamma_align.errors import Cure, InputError, Location, Set, SettingsError, did_you_mean
from gamma_align.inference import Value, difference_interval, one_minus_ratios, ratio_intervals
from gamma_align.insight.replacement.alternative import (
    PASSES_FROM,
    AdvantageTerms,
    Outcomes,
    PersonTests,
    Standing,
    advantage_terms,
    calibrate,
    compare,
    measure_standing,
    tests_of_people,
)
from gamma_align.insight.replacement.equivalence import (
    FEW_DOCUMENTS,
    Agreement,
    Equivalence,
    alpha_agreements,
    equivalence,
    f1_agreements,
    gamma_agreements,
    substituted_corpora,
    unavailable_equivalence,
    unitizing_agreements,
)
from gamma_align.insight.replacement.instances import Instances, drop_coders, instances_of_corpus, instances_of_items
from gamma_align.insight.replacement.replacement_options import (
    EPSILON,
    EQUIVALENCE_OPTIONS,
    MARGIN,
    MIN_DOCUMENTS,
    MIN_INSTANCES,
    MIN_ITEMS,
    RATE,
    REPLACEMENT_INFERENCE,
    REPLACEMENT_OPTIONS,
    REPLICATES,
    SIMILARITY,
    SUBSTITUTE,
)
from gamma_align.insight.replacement.replacement_result import (
    ModelDifference,
    ModelResult,
    PersonInPlace,
    PersonTest,
    Replacement,
    share_without_loss,
)
from gamma_align.measures.gamma import GammaOptions, GammaSettings
from gamma_align.measures.unitizing import OVERLAP, UnitizingSettings
from gamma_align.options import takes_options
from gamma_align.version import __version__

_MIN_PEOPLE = 2  # each person is compared with the model by at least one other person
_MIN_PEOPLE_CALIBRATED = 3  # with one of them in the model's place, two remain
_ADVISED_PEOPLE = 3  # Calderon et al. 2025, §3.3
# Shares of ties, and numbers of instances below which the size of the t-test at a nominal .05 is .09 or more with them,
# (tools/bench/results/replacement.md).
_TOO_MANY_TIES = ((0.6, 8), (0.75, 40))

NO_COMMON = "it shares no {noun} with two people"
ONE_PERSON = "no {noun} has two people: a person is compared with the model by the other people of the {noun}"


class _Test(NamedTuple):
    """Settings of the test."""

    epsilon: float
    rate: float
    min_instances: int


class _Tested(NamedTuple):
    """A model with its comparisons, tests and the terms of 1 - ρ."""

    outcomes: Outcomes
    tests: PersonTests
    terms: AdvantageTerms

    @property
    def rho(self) -> float:
        """ρ, NaN if nobody is tested."""
        return 1.0 - math.fsum(self.terms.lost.tolist()) if self.tests.is_tested.any() else math.nan


@takes_options((*REPLACEMENT_OPTIONS.options, *EQUIVALENCE_OPTIONS.options, *REPLACEMENT_INFERENCE.options, OVERLAP))
def replaceable(
    data: Corpus | ItemTable,
    /,
    *,
    annotator: str | Iterable[str],
    people: str | Iterable[str] | None = None,
    epsilon: float = EPSILON.default,
    similarity: str = SIMILARITY.default,
    min_instances: int | None = None,
    margin: float | None = None,
    measure: str = SUBSTITUTE.default,
    rate: float = RATE.default,
    replicates: int = REPLICATES.default,
    overlap: str = OVERLAP.default,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    **settings: Unpack[GammaOptions],
) -> Replacement:
    """Test whether a model could take the place of an annotator (Calderon, Reichart & Dror 2025).

    Parameters
    ----------
    data : Corpus or ItemTable
        The data, with the models among the annotators.
    n_jobs : int, optional
        As in `gamma`, for the measure ``gamma``.
    progress : callable, optional
        Called with the number of models done and the number of models.
    **settings
        As in `gamma`: the dissimilarity of units, and all settings of the measure ``gamma``. For items only `distance`
        and `seed` have a meaning.

    Returns
    -------
    Replacement
        Models in order of ρ, each with ω, ρ, standing, and the test of each person; the same test with each person in
        the model's place; and the differences of models. A value that cannot be computed has a reason.

    Raises
    ------
    InputError
        If nobody is left as people, or a person is a model, too.
    SettingsError
        If there is no annotator of that name, or a setting is out of its range.

    Examples
    --------
    >>> documents = [ga.synthetic_reference(units=6, seed=seed, document=f"d{seed}") for seed in range(12)]
    >>> people = ga.shuffle(ga.Corpus.from_continua(documents), magnitude=0.2, annotators=5)
    >>> result = ga.replaceable(people, annotator=people.annotators[0], epsilon=0.2)
    >>> model = result.models[0]
    >>> model.n_people, len(result.calibration)
    (4, 4)
    """
    instances_setting = min_instances
    for option, value in zip(
        (EPSILON, SIMILARITY, MIN_INSTANCES, MARGIN, SUBSTITUTE, RATE, REPLICATES, OVERLAP),
        (epsilon, similarity, min_instances, margin, measure, rate, replicates, overlap),
        strict=True,
    ):
        if value is not None:
            option.check(value)
    gamma_settings = GammaSettings.of(**settings)
    _check_alignment(gamma_settings, is_gamma_measured=margin is not None and measure == "gamma")
    is_items = isinstance(data, ItemTable)
    models, left_out = _divide_annotators(
        annotator, people, data.coders if isinstance(data, ItemTable) else data.annotators
    )
    if left_out:
        data = drop_coders(data, left_out) if isinstance(data, ItemTable) else data.drop(annotators=left_out)
    if isinstance(data, ItemTable):
        instances = instances_of_items(data, models, gamma_settings.dissimilarity.categorial)
    else:
        instances = instances_of_corpus(data, models, similarity, gamma_settings.dissimilarity)
    default = MIN_ITEMS if is_items else MIN_DOCUMENTS
    test = _Test(epsilon, rate, default if instances_setting is None else instances_setting)
    tested = [_test_model(instances, row, test) for row in instances.to_model]
    positions = measure_standing(instances, replicates=replicates, seed=gamma_settings.seed)
    equivalences: list[Equivalence | None] = [None] * len(models)
    if margin is not None:
        substitution = _Substitution(
            margin, "alpha" if is_items else measure, replicates, gamma_settings, overlap, n_jobs
        )
        equivalences = [*_measure_equivalences(data, instances, substitution, progress)]
    rows = [
        _make_model_result(instances, index, tested[index], positions, test, equivalences[index])
        for index in range(len(models))
    ]
    order = sorted(range(len(models)), key=lambda index: _rank(rows[index]))
    calibration = _calibrate_people(instances, positions, test)
    result_settings = _settings(test, similarity, margin, measure, replicates, gamma_settings, is_items=is_items)
    return Replacement(
        models=tuple(rows[index] for index in order),
        calibration=calibration,
        differences=tuple(_rho_differences(instances, [(models[index], tested[index]) for index in order])),
        people=instances.people,
        noun=instances.noun,
        settings={"annotator": list(models), "people": list(instances.people), **result_settings},
        signature=_signature(instances, result_settings, gamma_settings),
        notes=tuple(dict.fromkeys((*data.notes, *_notes(instances, rows, calibration, test)))),
    )


def _check_alignment(settings: GammaSettings, *, is_gamma_measured: bool) -> None:
    """Refuse covers, which would change nothing: two annotators are compared by an alignment."""
    if settings.alignment == COVER and not is_gamma_measured:
        raise SettingsError(
            "it changes nothing: the similarity of two annotators is that of their alignment of least disorder",
            Cure("leave it out, or measure γ with {} and {}", Set("margin", 0.05), Set("measure", "gamma")),
            Location.for_option("alignment"),
        )


def _divide_annotators(
    models: str | Iterable[str], people: str | Iterable[str] | None, annotators: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the models, and the annotators who are neither a model nor one of the people.

    Raises
    ------
    SettingsError
        If no annotator has a name, or no name is given.
    InputError
        If nobody is left as people, or an annotator is both.
    """
    model_names = annotators_named(models, annotators, "annotator")
    other_names = tuple(name for name in annotators if name not in model_names)
    if not other_names:
        raise InputError("all annotators are models: there are no people to compare them with")
    if people is None:
        return model_names, ()
    persons = annotators_named(people, annotators, "people")
    named_twice = [name for name in persons if name in model_names]
    if named_twice:
        raise InputError(
            f"{named_twice[0]!r} is among the models and among the people", "name each annotator as one of them"
        )
    return model_names, tuple(name for name in other_names if name not in persons)


def annotators_named(names: str | Iterable[str], annotators: Sequence[str], option: str) -> tuple[str, ...]:
    """Return the annotators with these names, in their order; a name with wildcards is all annotators that fit it.

    Raises
    ------
    SettingsError
        If no annotator has a name, or no name is given.
    """
    matched: set[str] = set()
    cure = Cure("name annotators of the data with {}", Set(option, function="replaceable"))
    if isinstance(names, str):
        names = [names]
    for name in names:
        matching = (
            [name] if name in annotators else [annotator for annotator in annotators if fnmatchcase(annotator, name)]
        )
        if not matching:
            hint = did_you_mean(name, annotators) or f"; there are {few(annotators, 10)}"
            raise SettingsError(f"there is no annotator {name!r}{hint}", cure)
        matched |= {*matching}
    if not matched:
        raise SettingsError("no annotator is named", cure)
    return tuple(name for name in annotators if name in matched)


def _test_model(instances: Instances, to_model: FloatArray, test: _Test) -> _Tested:
    outcomes = compare(instances.pairs, to_model, instances.n_slots)
    tests = tests_of_people(outcomes, instances.person, len(instances.people), **test._asdict())
    return _Tested(outcomes, tests, advantage_terms(outcomes, tests, instances))


def _make_model_result(
    instances: Instances,
    index: int,
    tested: _Tested,
    positions: Standing,
    test: _Test,
    changed: Equivalence | None,
) -> ModelResult:
    tests = tested.tests
    n_instances = len(np.unique(instances.instance[tested.outcomes.slot]))
    reason = _reason_untested(instances, tests, n_instances, test)
    if reason is None:
        omega = Value(float(tests.omega))
        passes = bool(tests.omega >= PASSES_FROM)
        intervals = ratio_intervals(tested.terms.parts)
        [interval] = one_minus_ratios(intervals, f"{instances.noun}s", instances.names, largest=1.0)
        rho = interval.around(tested.rho)
    else:
        omega = Value.unavailable(reason)
        passes = None
        rho = Value.unavailable(reason)
    mean_similarity = float(positions.models[index])
    standing_value = _standing_value(instances, positions, index)
    people = tuple(_make_person_test(instances, tests, person, test) for person in range(len(instances.people)))
    return ModelResult(
        model=instances.models[index],
        instances=n_instances,
        omega=omega,
        passes=passes,
        rho=rho,
        nearness=mean_similarity,
        standing=standing_value,
        nearer_than=positions.nearer_than(index),
        n_people=positions.n_people,
        people=people,
        equivalence=changed,
    )


def _reason_untested(instances: Instances, tests: PersonTests, n_instances: int, test: _Test) -> str | None:
    """Return why no person is tested, None if one is."""
    if tests.is_tested.any():
        return None
    if not len(instances.pairs.first):
        return ONE_PERSON.format(noun=instances.noun)
    if not n_instances:
        return NO_COMMON.format(noun=instances.noun)
    max_instances = int(tests.instances.max())
    needed = f"{test.min_instances} {instances.noun}s"
    return f"no person shares {needed} with the model and another person: {max_instances} at most"


def _standing_value(instances: Instances, positions: Standing, index: int) -> Value:
    if not len(instances.pairs.first):
        return Value.unavailable(ONE_PERSON.format(noun=instances.noun))
    if math.isnan(positions.models[index]):
        return Value.unavailable(NO_COMMON.format(noun=instances.noun))
    share = positions.nearer_than(index) / positions.n_people
    if len(instances) == 1:
        return Value(share, no_interval=f"one {instances.noun} only")
    return Value(share, *positions.interval(index))


def _make_person_test(instances: Instances, tests: PersonTests, person: int, test: _Test) -> PersonTest:
    won, tied, lost = (int(counts[person]) for counts in (tests.won, tests.tied, tests.lost))
    n = won + tied + lost
    reason = None
    if not n:
        reason = f"no {instances.noun} in common with the model and another person"
    elif n < test.min_instances:
        reason = f"{counted(n, instances.noun)}, fewer than {test.min_instances}"
    return PersonTest(
        person=instances.people[person],
        instances=n,
        won=won,
        tied=tied,
        lost=lost,
        advantage=share_without_loss(won, tied, lost),
        mean_difference=(lost - won) / n if n else math.nan,
        p=float(tests.p[person]),
        is_replaceable=bool(tests.rejected[person]),
        reason=reason,
    )


def _rank(row: ModelResult) -> tuple[bool, float, str]:
    """Return the key that sorts models: the largest ρ first, models without ρ last."""
    return not row.rho.is_available, -row.rho.value if row.rho.is_available else 0.0, row.model


def _calibrate_people(instances: Instances, positions: Standing, test: _Test) -> tuple[PersonInPlace, ...]:
    if len(instances.people) < _MIN_PEOPLE_CALIBRATED:
        return ()
    rows = []
    tested = calibrate(instances, **test._asdict())
    for person, (name, tests) in enumerate(zip(instances.people, tested, strict=True)):
        is_tested = bool(tests.is_tested.any())
        reason = f"no other person shares {test.min_instances} {instances.noun}s with this one and a third"
        omega = Value(float(tests.omega)) if is_tested else Value.unavailable(reason)
        passes = bool(tests.omega >= PASSES_FROM) if is_tested else None
        rows.append(PersonInPlace(name, omega, passes, float(positions.people[person])))
    return tuple(rows)


def _rho_differences(instances: Instances, models: Sequence[tuple[str, _Tested]]) -> Iterator[ModelDifference]:
    """Yield the difference of ρ of every two models, the first of which has the larger ρ."""
    for (first, better), (second, worse) in combinations(models, 2):
        if math.isnan(better.rho) or math.isnan(worse.rho):
            yield ModelDifference(math.nan, reason="ρ is not available", first=first, second=second)
            continue
        parts = better.terms.parts, worse.terms.parts
        interval = difference_interval(*parts, (-1.0, 1.0), f"{instances.noun}s", instances.names)
        yield ModelDifference(better.rho - worse.rho, **interval.fields, first=first, second=second)


class _Substitution(NamedTuple):
    """Settings of the test of equivalence."""

    margin: float
    measure: str
    replicates: int
    gamma: GammaSettings
    overlap: str
    n_jobs: int | None


def _measure_equivalences(
    data: Corpus | ItemTable,
    instances: Instances,
    settings: _Substitution,
    progress: Callable[[int, int], None] | None,
) -> Iterator[Equivalence]:
    for n_done, model in enumerate(instances.models, 1):
        yield _measure_equivalence(data, instances, model, settings)
        if progress is not None:
            progress(n_done, len(instances.models))


def _measure_equivalence(
    data: Corpus | ItemTable, instances: Instances, model: str, settings: _Substitution
) -> Equivalence:
    """Return the change of agreement with the model, on the documents (items) that it shares with two people."""
    answered = ~np.isnan(instances.to_model[instances.models.index(model)])
    in_pairs = np.zeros(instances.n_slots, dtype=np.bool_)
    in_pairs[instances.pairs.first] = True
    used = np.unique(instances.instance[answered & in_pairs])
    if not len(used):
        return unavailable_equivalence(settings.measure, settings.margin, NO_COMMON.format(noun=instances.noun))
    people = [instances.people[code] for code in np.unique(instances.person[np.isin(instances.instance, used)])]
    agreements: Iterator[Agreement]
    if isinstance(data, ItemTable):
        table = ItemTable(data.codes[used], data.coders, data.labels)
        agreements = alpha_agreements(table, people, model, settings.gamma.dissimilarity.categorial)
    else:
        documents = [instances.names[index] for index in used]
        corpus = data.select(documents=documents, annotators=[*people, model])
        agreements = _agreements_of_measure(corpus, people, model, settings)
    return equivalence(
        settings.measure,
        people,
        [*agreements],
        len(used),
        margin=settings.margin,
        replicates=settings.replicates,
        seed=settings.gamma.seed,
    )


def _agreements_of_measure(
    corpus: Corpus, people: Sequence[str], model: str, settings: _Substitution
) -> Iterator[Agreement]:
    if settings.measure == "f1":
        return f1_agreements(corpus, people, model)
    corpora = substituted_corpora(corpus, people, model)
    if settings.measure == "gamma":
        settings.gamma.check_own_chance("replaceable()")
        return gamma_agreements(corpora, corpus.documents, settings.gamma, settings.n_jobs)
    unitizing = UnitizingSettings(settings.gamma.dissimilarity.categorial, settings.overlap)
    return unitizing_agreements(corpora, corpus.documents, unitizing)


def _settings(
    test: _Test,
    similarity: str,
    margin: float | None,
    measure: str,
    replicates: int,
    gamma_settings: GammaSettings,
    *,
    is_items: bool,
) -> dict[str, object]:
    dissimilarity = gamma_settings.dissimilarity
    changed: dict[str, object] = {}
    if margin is not None:
        changed = {"margin": margin, "measure": "alpha" if is_items else measure}
        if measure == "gamma" and not is_items:
            changed["gamma"] = gamma_settings.to_dict()
    return {
        "similarity": "1 - distance" if is_items else similarity,
        **test._asdict(),
        "replicates": replicates,
        "seed": gamma_settings.seed,
        "distance": dissimilarity.categorial.to_dict(),
        **({} if is_items else {name: getattr(dissimilarity, name) for name in ("alpha", "beta", "delta_empty")}),
        **changed,
    }


def _signature(instances: Instances, settings: dict[str, object], gamma_settings: GammaSettings) -> str:
    dissimilarity = gamma_settings.dissimilarity
    parts: dict[str, object] = {
        f"{instances.noun}s": len(instances),
        "people": len(instances.people),
        "models": len(instances.models),
        "S": settings["similarity"],
        "ε": f"{settings['epsilon']:g}",
        "q": f"{settings['rate']:g}",
        "test": "t",
        "min": settings["min_instances"],
        "d": dissimilarity.categorial.name,
    }
    if settings["similarity"] == "disorder":
        parts |= dissimilarity.signature_parts
    if "margin" in settings:
        parts |= {"TOST": f"{settings['measure']}±{settings['margin']:g}"}
    parts |= {"bootstrap": settings["replicates"], "seed": settings["seed"], "v": __version__}
    return "|".join(["replace", *(f"{name}:{value}" for name, value in parts.items())])


def _notes(
    instances: Instances,
    rows: Sequence[ModelResult],
    calibration: Sequence[PersonInPlace],
    test: _Test,
) -> Iterator[str]:
    if len(instances.people) < _ADVISED_PEOPLE:
        yield f"{counted(len(instances.people), 'person')} only: the test needs three people to mean much"
    available = [person for person in calibration if person.passes is not None]
    if available and not any(person.passes for person in available):
        yield (
            f"none of {len(available)} people passes the test in the model's place, so failing it says little about a "
            "model: judge by its standing and ρ"
        )
    tests = [person for row in rows for person in row.people]
    untested = {person.person: person.reason for person in tests if person.reason is not None}
    if untested and any(row.omega.is_available for row in rows):
        yield f"not tested with some model: {few((f'{name} ({reason})' for name, reason in untested.items()), 3)}"
    yield from _constant_notes(rows, test)
    if n_tied := sum(_ties_too_often(person) for person in tests):
        n_tests = sum(person.reason is None for person in tests)
        yield (
            f"in {n_tied} of {n_tests} tests most comparisons are ties and {instances.noun}s are few: the t-test then "
            "rejects more often than its level says"
        )
    n_answered = {row.instances for row in rows}
    if len(n_answered) > 1:
        yield f"models answered different numbers of {instances.noun}s: differences of ρ are not on the same ones"
    changes = [row.equivalence for row in rows if row.equivalence is not None and row.equivalence.reason is None]
    if changes and min(change.documents for change in changes) < FEW_DOCUMENTS:
        yield f"a bootstrap of fewer than {FEW_DOCUMENTS} {instances.noun}s gives intervals that are too narrow"


def _ties_too_often(person: PersonTest) -> bool:
    """Return whether a person has so many ties and so few instances that the test is not at its level."""
    if person.reason is not None:
        return False
    return any(person.tied >= share * person.instances and person.instances < n for share, n in _TOO_MANY_TIES)


def _constant_notes(rows: Sequence[ModelResult], test: _Test) -> Iterator[str]:
    """Yield the note on people whose differences are all equal, so that the sign of their mean decides."""
    constant = [
        f"{person.person} with {row.model}"
        for row in rows
        for person in row.people
        if person.reason is None and person.instances in (person.won, person.tied, person.lost)
    ]
    if constant:
        yield (
            f"differences without spread, decided by whether their mean is below ε = {test.epsilon:g}: "
            f"{few(constant, 3)}"
        )

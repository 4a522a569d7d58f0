"""Laws that every public measure obeys, or has a reason not to: the registry is `tests/helpers/law_measures.py`."""

from __future__ import annotations

import inspect
import json
import math
import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from law_data import Flat, flatten
from law_measures import DISTANCES, MEASURES, NOT_MEASURES, Measure

import gamma_align as ga
from gamma_align.distances.names import KINDS
from gamma_align.errors import GammaAlignError
from gamma_align.measures.items.spec import SPECS
from gamma_align.measures.reference.reference_options import MEASURES as REFERENCE_MEASURES

pytestmark = pytest.mark.filterwarnings("ignore::gamma_align.errors.GammaAlignWarning")
SEEDS = (1, 2)
SHIFT, FACTOR = 1024, 2  # positions stay exact in binary
POSITION = re.compile(r"/(start|end)$|/extent/\*$|/cases/\*/(reference|system)/\*$")
LENGTH = re.compile(
    r"/(length|longest|shortest)$|/characters/counts/|/diarization/(confusion|false_alarm|missed|total)$"
)
_results: dict[tuple[str, int], Any] = {}


@dataclass(frozen=True)
class Law:
    """A change of the data, and the change of the leaves of a result that follows from it."""

    change: Callable[[Any], Any]
    kind: str | None = None  # of names that are others
    shift: float = 0.0
    factor: float = 1.0
    is_numeric: bool = False

    def expected(self, measure: str, seed: int) -> Flat:
        """Return the leaves that the result of the changed data must have."""
        flat = flatten(result_of(measure, seed), self.kind)
        return {path: [self._moved(path, leaf) for leaf in leaves] for path, leaves in flat.items()}

    def _moved(self, path: str, leaf: Any) -> Any:
        if not isinstance(leaf, int | float):
            return leaf
        if POSITION.search(path):
            return leaf * self.factor + self.shift
        return leaf * self.factor if LENGTH.search(path) else leaf


LAWS = {
    "order of rows": Law(lambda data: data.reorder(random.Random(5))),  # noqa: S311
    "names of annotators": Law(lambda data: data.rename("ann"), kind="ann"),
    "names of documents": Law(lambda data: data.rename("doc"), kind="doc"),
    "names of categories": Law(lambda data: data.rename("cat"), kind="cat"),
    "translation": Law(lambda data: data.move(lambda x: x + SHIFT), shift=SHIFT, is_numeric=True),
    "scaling": Law(lambda data: data.move(lambda x: x * FACTOR), factor=FACTOR, is_numeric=True),
}
TYPES = {
    "float": float,
    "numpy float": np.float64,
    "fraction": Fraction,
    "decimal": Decimal,
}
"""Types of numbers that data may have."""


def result_of(name: str, seed: int) -> Any:
    """Return the result of a measure for the data of a seed, computed once."""
    if (name, seed) not in _results:
        _results[name, seed] = MEASURES[name].result(MEASURES[name].draw(seed))
    return _results[name, seed]


def differing(expected: Flat, actual: Flat) -> list[str]:
    """Return the paths whose leaves differ by more than rounding."""
    paths = sorted({*expected, *actual})
    return [path for path in paths if not _same(expected.get(path, []), actual.get(path, []))]


def _same(first: list[Any], second: list[Any]) -> bool:
    return len(first) == len(second) and all(map(_same_leaf, first, second))


def _same_leaf(first: Any, second: Any) -> bool:
    if isinstance(first, float) and isinstance(second, float):
        return math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-10)
    are_texts = isinstance(first, str) and isinstance(second, str)  # a note is a text with its cure
    return bool(first == second) and (are_texts or type(first) is type(second))


def exceptions_of(measure: Measure, law: str) -> re.Pattern[str]:
    return re.compile(measure.exceptions.get(law, ("$^", ""))[0])


# ------------------------------------------------------------------------------------------------------------ the laws


CASES = [
    (name, law) for name, measure in MEASURES.items() for law in LAWS if measure.is_numeric or not LAWS[law].is_numeric
]


@pytest.mark.parametrize(("name", "law"), CASES, ids=[": ".join(case) for case in CASES])
def test_a_result_follows_the_change_of_the_data(name, law):
    measure, exceptions = MEASURES[name], exceptions_of(MEASURES[name], law)
    excepted = []
    for seed in SEEDS:
        actual = flatten(measure.result(LAWS[law].change(measure.draw(seed))))
        paths = differing(LAWS[law].expected(name, seed), actual)
        assert [path for path in paths if not exceptions.search(path)] == []
        excepted += paths
    assert bool(excepted) == (law in measure.exceptions), "the exception is not needed"


@pytest.mark.parametrize("name", MEASURES)
def test_documents_that_are_there_twice_do_not_change_a_result(name):
    measure, exceptions = MEASURES[name], exceptions_of(MEASURES[name], "duplication")
    same, doubled, document = re.compile(measure.same), re.compile(measure.doubled), re.compile(r"document doc\d/")
    for seed in SEEDS:
        expected = flatten(result_of(name, seed))
        actual = flatten(measure.result(measure.draw(seed).duplicate()))
        kept = {path for path in expected if same.search(path) or document.search(path)}
        twice = {path for path in expected if doubled.search(path)} - kept
        assert kept or twice or measure.same == "$^", "no leaf is compared"
        wanted = {path: [2 * leaf for leaf in expected[path]] for path in twice} | {p: expected[p] for p in kept}
        paths = differing(wanted, {path: actual.get(path, []) for path in wanted})
        assert [path for path in paths if not exceptions.search(path)] == []
        assert bool(paths) == ("duplication" in measure.exceptions), "the exception is not needed"


@pytest.mark.parametrize("name", [name for name, measure in MEASURES.items() if measure.perfect])
def test_identical_annotations_agree_fully(name):
    measure = MEASURES[name]
    for seed in SEEDS:
        flat = flatten(measure.result(measure.draw(seed).identical()))
        for pattern, value in measure.perfect.items():
            leaves = {path: leaves for path, leaves in flat.items() if re.search(pattern, path)}
            numbers = [leaf for part in leaves.values() for leaf in part if leaf is not None]
            assert numbers or len(measure.perfect) > 1, pattern
            assert numbers == pytest.approx([value] * len(numbers), abs=1e-9), (pattern, leaves)


@pytest.mark.parametrize("name", MEASURES)
def test_values_are_within_their_range_and_their_interval(name):
    measure = MEASURES[name]
    for seed in SEEDS:
        flat = flatten(result_of(name, seed))
        for pattern, (low, high) in measure.within.items():
            for path in filter(re.compile(pattern).search, flat):
                assert [leaf for leaf in flat[path] if leaf is not None and not low <= leaf <= high] == [], path
        check_intervals(flat)


def check_intervals(flat):
    """Check that values lie in their intervals, and that a value is there if and only if there is no reason."""
    for path, leaves in flat.items():
        stem, _, field = path.rpartition("/")
        if field != "value" or len(leaves) != 1 or f"{stem}/reason" not in flat:
            continue
        value, reason = leaves[0], flat[f"{stem}/reason"][0]
        assert (value is None) == (reason is not None), path
        low, high = (flat.get(f"{stem}/{end}", [None])[0] for end in ("low", "high"))
        assert (low is None) == (high is None), path
        if low is not None:
            assert low - 1e-9 <= value <= high + 1e-9, path


@pytest.mark.parametrize("name", MEASURES)
def test_data_that_lack_something_give_a_reason_or_an_error(name):
    measure = MEASURES[name]
    for data in measure.draw(SEEDS[0]).empty().values():
        try:
            result = measure.result(data)
        except GammaAlignError as error:
            assert len(str(error)) > 10  # noqa: PT017
        else:
            flat = flatten(result)
            check_intervals(flat)
            check_types(flat)


@pytest.mark.parametrize("name", MEASURES)
def test_leaves_are_plain_and_json(name):
    check_types(flatten(result_of(name, SEEDS[0])))


def check_types(flat):
    for path, leaves in flat.items():
        for leaf in leaves:
            assert type(leaf) in (float, int, bool, type(None)) or isinstance(leaf, str), (path, type(leaf))
        json.dumps(leaves, allow_nan=False)


@pytest.mark.parametrize("type_name", TYPES)
@pytest.mark.parametrize("name", [name for name, measure in MEASURES.items() if measure.is_numeric])
def test_the_type_of_numbers_does_not_matter(name, type_name):
    data = MEASURES[name].draw(SEEDS[0]).move(TYPES[type_name])
    assert flatten(MEASURES[name].result(data)) == flatten(result_of(name, SEEDS[0]))


# ------------------------------------------------------------------------------------------------ the whole registry


def test_every_public_function_is_a_measure_with_laws_or_no_measure():
    functions = {name for name in ga.__all__ if inspect.isfunction(getattr(ga, name))}
    measures = {measure.function for measure in MEASURES.values()}
    others = {name for names in NOT_MEASURES.values() for name in names}
    assert measures | others == functions
    assert measures & others == set()


def test_every_coefficient_distance_and_comparison_has_laws():
    assert {f"items: {name}" for name in SPECS} <= {*MEASURES}
    assert {*DISTANCES} == {*KINDS}
    assert {f"evaluate: {name}" for name in REFERENCE_MEASURES} <= {*MEASURES}


def test_exceptions_are_from_laws_and_have_reasons():
    for measure in MEASURES.values():
        assert {*measure.exceptions} <= {*LAWS, "duplication"}
        assert all(len(reason) > 20 for _, reason in measure.exceptions.values())

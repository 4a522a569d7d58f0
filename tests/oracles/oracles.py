"""The definitions, written naively: what the package must agree with.

Everything here follows DEFINITIONS §1-5 word by word and nothing else, in plain Python, without regard for
speed. A unit is a tuple ``(annotator, start, end, category)`` with the annotator as an index; an alignment is a
list of groups, each a list of indices of units. Results are compared with the package's, never shared with it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
from scipy.optimize import LinearConstraint, milp
from scipy.sparse import csc_array

Unit = tuple[int, float, float, str | None]
Distance = Callable[[str, str], float]
Groups = list[list[int]]


# ---------------------------------------------------------------------------------------- dissimilarities, §2


def positional_definition(u: Unit, v: Unit, delta_empty: float = 1.0) -> float:
    """d_pos, sporadic (M15 §4.2)."""
    (_, start_u, end_u, _), (_, start_v, end_v, _) = u, v
    apart = abs(start_u - start_v) + abs(end_u - end_v)
    lengths = (end_u - start_u) + (end_v - start_v)
    if lengths == 0:
        return 0.0 if apart == 0 else math.inf
    return (apart / lengths) ** 2 * delta_empty


def nominal_definition(first: str, second: str) -> float:
    """D of two labels: 0 for the same, 1 for different ones."""
    return 0.0 if first == second else 1.0


def categorial_definition(u: Unit, v: Unit, delta_empty: float = 1.0, distance: Distance = nominal_definition) -> float:
    """d_cat = D · Δ; two unlabelled units are 0 apart, one and a labelled unit Δ."""
    first, second = u[3], v[3]
    if first is None and second is None:
        return 0.0
    if first is None or second is None:
        return delta_empty
    return distance(first, second) * delta_empty


@dataclass(frozen=True)
class Weights:
    """α, β, Δ and D."""

    alpha: float = 1.0
    beta: float = 1.0
    delta_empty: float = 1.0
    distance: Distance = nominal_definition


PLAIN = Weights()


def dissimilarity_definition(u: Unit, v: Unit, weights: Weights = PLAIN) -> float:
    """d = α·d_pos + β·d_cat; infinite (never aligned) where d_pos is, whatever α."""
    positional = positional_definition(u, v, weights.delta_empty)
    if math.isinf(positional):
        return math.inf
    categorial = categorial_definition(u, v, weights.delta_empty, weights.distance)
    return weights.alpha * positional + weights.beta * categorial


# --------------------------------------------------------------------------------- alignments and disorder, §3


def unitary_disorder_definition(members: Sequence[Unit], n: int, weights: Weights = PLAIN) -> float:
    """δ(ă): the mean of d over the C(n,2) pairs, a pair with an empty unit counting Δ."""
    row: list[Unit | None] = [None] * n
    for unit in members:
        assert row[unit[0]] is None, "two units of one annotator"
        row[unit[0]] = unit
    total = 0.0
    for u, v in combinations(row, 2):
        total += weights.delta_empty if u is None or v is None else dissimilarity_definition(u, v, weights)
    return total / math.comb(n, 2)


def disorder_definition(units: Sequence[Unit], n: int, groups: Groups, weights: Weights = PLAIN) -> float:
    """δ of an alignment: (1/x̄) Σ δ(ă), with x̄ = number of units / n."""
    assert sorted(index for group in groups for index in group) == list(range(len(units))), "not a partition"
    total = math.fsum(unitary_disorder_definition([units[index] for index in group], n, weights) for group in groups)
    return total / (len(units) / n)


def partitions_definition(units: Sequence[Unit], remaining: Sequence[int] | None = None) -> Iterator[Groups]:
    """Every partition of the units into unitary alignments.

    The first unit left joins, in turn, every combination of units of the other annotators.
    """
    remaining = list(range(len(units))) if remaining is None else remaining
    if not remaining:
        yield []
        return
    first, *others = remaining
    people = sorted({units[index][0] for index in others} - {units[first][0]})
    choices = [[None, *(i for i in others if units[i][0] == person)] for person in people]
    for choice in product(*choices):
        group = [first, *(index for index in choice if index is not None)]
        rest = [index for index in others if index not in group]
        for groups in partitions_definition(units, rest):
            yield [group, *groups]


def least_disorder_definition(units: Sequence[Unit], n: int, weights: Weights = PLAIN) -> float:
    """Return the least disorder of all partitions, by trying every one. For a handful of units."""
    return min(disorder_definition(units, n, groups, weights) for groups in partitions_definition(units))


def unitary_alignments_definition(units: Sequence[Unit], n: int) -> Iterator[list[int]]:
    """Every possible unitary alignment: a unit or the empty unit of each annotator, not all empty."""
    choices = [[None, *(i for i, unit in enumerate(units) if unit[0] == person)] for person in range(n)]
    for choice in product(*choices):
        group = [index for index in choice if index is not None]
        if group:
            yield group


def _possible_groups(units: Sequence[Unit], n: int, weights: Weights) -> list[tuple[float, list[int]]]:
    """Return every unitary alignment that is not infinitely bad, with its disorder."""
    pairs = {
        (i, j): dissimilarity_definition(units[i], units[j], weights) - weights.delta_empty
        for i, j in combinations(range(len(units)), 2)
    }
    size = math.comb(n, 2)
    found = []
    for group in unitary_alignments_definition(units, n):
        disorder = weights.delta_empty + sum(pairs[min(p), max(p)] for p in combinations(group, 2)) / size
        if disorder < math.inf:
            found.append((disorder, group))
    return found


def best_alignment_definition(units: Sequence[Unit], n: int, weights: Weights = PLAIN) -> tuple[float, Groups]:
    """Return the least disorder and an alignment that has it: a search over all partitions.

    As `partitions_definition`, but a branch is left when it cannot get below the best partition so far. The
    bound: a partition's Σ δ(ă) is the sum over units of δ(own group) / size of that group, each term at least
    its least value over all groups the unit can be in. What a group costs above its units' least values is
    its excess; the search minimises the sum of excesses, all of them ≥ 0.
    """
    if not units:
        return math.nan, []
    possible = _possible_groups(units, n, weights)
    least = [min(disorder / len(g) for disorder, g in possible if i in g) for i in range(len(units))]
    starting: list[list[tuple[float, int, list[int]]]] = [[] for _ in units]
    for disorder, group in possible:
        excess = max(disorder - sum(least[index] for index in group), 0.0)
        starting[min(group)].append((excess, sum(1 << index for index in group), group))
    for options in starting:
        options.sort()
    best_excess, best_groups = math.inf, []

    def search(taken: int, excess: float, groups: Groups) -> None:
        nonlocal best_excess, best_groups
        first = (~taken & (taken + 1)).bit_length() - 1
        if first == len(units):
            best_excess, best_groups = excess, groups
            return
        for more, mask, group in starting[first]:
            if excess + more >= best_excess:
                return
            if not mask & taken:
                search(taken | mask, excess + more, [*groups, group])

    search(0, 0.0, [])
    return disorder_definition(units, n, best_groups, weights), best_groups


def best_alignment_by_programme_definition(
    units: Sequence[Unit], n: int, weights: Weights = PLAIN
) -> tuple[float, Groups]:
    """Return the least disorder and an alignment that has it: an integer programme over all tuples.

    One 0/1 variable for each unitary alignment there is, each unit in exactly one. The objective is scaled
    because the solver stops at an absolute gap of 1e-6.
    """
    if not units:
        return math.nan, []
    possible = _possible_groups(units, n, weights)
    groups = cheapest_cover(len(units), possible)
    return disorder_definition(units, n, groups, weights), groups


def cheapest_cover(n_units: int, possible: list[tuple[float, list[int]]]) -> Groups:
    """Return groups of least total cost, out of (cost, group), that hold each unit exactly once."""
    # 32 bits: SciPy before 1.15 hands larger indices to HiGHS, which refuses them
    rows = np.array([index for _, group in possible for index in group], dtype=np.int32)
    columns = np.array([column for column, (_, group) in enumerate(possible) for _ in group], dtype=np.int32)
    cover = csc_array((np.ones(len(rows)), (rows, columns)), shape=(n_units, len(possible)))
    answer = milp(
        [1e4 * cost for cost, _ in possible],
        integrality=1,
        bounds=(0, 1),
        constraints=LinearConstraint(cover, 1, 1),
        options={"mip_rel_gap": 0},
    )
    assert answer.success, answer.message
    return [group for chosen, (_, group) in zip(answer.x, possible, strict=True) if chosen > 0.5]


# --------------------------------------------------------------------------------------------- γcat and γk, §5


def pair_weights_definition(
    units: Sequence[Unit], groups: Groups, weights: Weights = PLAIN, confidence: str = "positional"
) -> list[tuple[int, int, float]]:
    """Pairs of aligned units with their weight in δ_cat (M17 Alg. 1): (1/(n_v-1)) · max(0, 1 - d_pos/Δ)."""
    factor = {"positional": 1.0, "weighted": weights.alpha, "none": 0.0}[confidence]
    found = []
    for group in groups:
        for i, j in combinations(sorted(group), 2):
            positional = factor * positional_definition(units[i], units[j], weights.delta_empty)
            found.append((i, j, max(0.0, 1 - positional / weights.delta_empty) / (len(group) - 1)))
    return found


def categorial_parts_definition(
    units: Sequence[Unit],
    groups: Groups,
    weights: Weights = PLAIN,
    confidence: str = "positional",
    category: str | None = None,
) -> tuple[float, float]:
    """Return Σ weight·d_cat/Δ and Σ weight: δ_cat is their ratio. With a category, the pairs of γk."""
    numerator, denominator = [], []
    for i, j, weight in pair_weights_definition(units, groups, weights, confidence):
        if category is not None and category not in (units[i][3], units[j][3]):
            continue
        apart = categorial_definition(units[i], units[j], weights.delta_empty, weights.distance)
        numerator.append(weight * apart / weights.delta_empty)
        denominator.append(weight)
    return math.fsum(numerator), math.fsum(denominator)


# ------------------------------------------------------------------------------------------- shift sampler, §4


@dataclass(frozen=True)
class ShiftSetting:
    """What the shift sampler of one continuum draws from."""

    units: tuple[Unit, ...]
    n: int
    extent: tuple[float, float]
    integer: bool
    distance: float
    lowered: bool


def shift_setting_definition(
    units: Sequence[Unit],
    n: int,
    extent: tuple[float, float],
    min_distance: str = "mean",
    integer: bool | None = None,
) -> ShiftSetting:
    """Least distance of the offsets: the mean length of units (or half), lowered to what n offsets can keep."""
    if integer is None:
        integer = all(float(bound).is_integer() for unit in units for bound in unit[1:3])
        integer = integer and all(float(bound).is_integer() for bound in extent)
    distance = math.fsum(end - start for _, start, end, _ in units) / len(units)
    distance *= {"mean": 1.0, "half": 0.5}[min_distance]
    room = (extent[1] - extent[0]) / n
    if integer:
        distance, room = math.ceil(distance), math.floor(room)
    return ShiftSetting(tuple(units), n, extent, integer, min(distance, room), distance > room)


def circular_distance_definition(first: float, second: float, around: float) -> float:
    """Distance of two offsets along a circle."""
    apart = abs(first - second)
    return min(apart, around - apart)


def offsets_definition(setting: ShiftSetting, rng: np.random.Generator) -> list[float]:
    """Return n offsets uniform over all sets that keep the distance: draw sets until one does."""
    around = setting.extent[1] - setting.extent[0]
    while True:
        if setting.integer:
            offsets = rng.integers(0, max(int(around), 1), setting.n).tolist()
        else:
            offsets = rng.uniform(0, around, setting.n).tolist()
        if all(circular_distance_definition(a, b, around) >= setting.distance for a, b in combinations(offsets, 2)):
            return offsets


def shifted_definition(unit: Unit, offset: float, row: int, extent: tuple[float, float]) -> Unit:
    """Return the unit of a row, shifted along the circle; one whose start passes R re-enters at L whole."""
    low, high = extent
    _, start, end, category = unit
    moved = start + offset
    if moved >= high > low:
        moved -= high - low
    return row, moved, moved + (end - start), category


def shift_sample_definition(setting: ShiftSetting, rng: np.random.Generator) -> list[Unit]:
    """Return a random continuum: each row an annotator drawn with replacement, shifted by its own offset."""
    while True:
        people = rng.integers(0, setting.n, setting.n).tolist()
        offsets = offsets_definition(setting, rng)
        sample = [
            shifted_definition(unit, offset, row, setting.extent)
            for row, (person, offset) in enumerate(zip(people, offsets, strict=True))
            for unit in setting.units
            if unit[0] == person
        ]
        if sample:
            return sample


def expected_disorder_definition(
    setting: ShiftSetting, samples: int, rng: np.random.Generator, weights: Weights = PLAIN
) -> tuple[float, float]:
    """δ_e and its standard error: mean disorder of the best alignments of random continua."""
    disorders = [
        best_alignment_definition(shift_sample_definition(setting, rng), setting.n, weights)[0] for _ in range(samples)
    ]
    mean = math.fsum(disorders) / samples
    variance = math.fsum((disorder - mean) ** 2 for disorder in disorders) / (samples - 1)
    return mean, math.sqrt(variance / samples)


# ------------------------------------------------------------------------------ from the package to the oracles


def units_of(continuum) -> list[Unit]:
    """Return the units of a `gamma_align.Continuum` as the oracles take them, in its order."""
    place = {name: index for index, name in enumerate(continuum.annotators)}
    return [(place[unit.annotator], unit.start, unit.end, unit.category) for unit in continuum.units()]


def groups_of(alignment) -> Groups:
    """Return the groups of a `gamma_align.Alignment` as lists of units' indices."""
    groups: Groups = [[] for _ in range(len(alignment.unitary_disorders))]
    for index, group in enumerate(alignment.group.tolist()):
        groups[group].append(index)
    return groups


def records_of(units: Sequence[Unit]) -> list[tuple[str, float, float, str | None]]:
    """Return units as records for `gamma_align.Continuum.from_records`; annotator 3 is "a03"."""
    return [(annotator_name(person), start, end, category) for person, start, end, category in units]


def annotator_name(person: int) -> str:
    """Return the name of an annotator; names sort as the indices do."""
    return f"a{person:02d}"
